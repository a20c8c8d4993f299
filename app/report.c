/* What `psg solve` tells: the times of all processes, and the lines for people. */
#include "app/report.h"
#include "app/grid_sides.h"
#include "app/processes.h"
#include "app/simulating.h"
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void join_links(app_report *report) {
    psg_statistics *s = &report->statistics;
    double seconds[PSG_LINK_MESSAGE];
    for (int link = 0; link < PSG_LINK_MESSAGE; link++) {
        seconds[link] = report->ranks.link_max[link] = s->link[link].seconds;
    }
    app_ranks_sum(seconds, PSG_LINK_MESSAGE);
    app_ranks_max(report->ranks.link_max, PSG_LINK_MESSAGE);
    for (int link = 0; link < PSG_LINK_MESSAGE; link++) {
        report->ranks.link_mean[link] = seconds[link] / app_ranks();
        s->link[link].seconds = seconds[link];
    }
}

void app_report_join(app_report *report) {
    psg_statistics *s = &report->statistics;
    double tasks[PSG_STAGE_COUNT], seconds[PSG_STAGE_COUNT], busy[2] = {0, 0};
    double bytes[] = {(double)s->spectrum_bytes,
                      (double)s->scratch_bytes,
                      (double)s->link[PSG_LINK_H2D].bytes,
                      (double)s->link[PSG_LINK_D2H].bytes,
                      (double)s->link[PSG_LINK_D2D].bytes,
                      (double)s->link[PSG_LINK_MESSAGE].bytes,
                      (double)s->cpu_planes,
                      (double)s->cpu_rows,
                      (double)s->copied_bytes};
    double largest[] = {s->seconds, s->plan_seconds, (double)s->segment_planes, report->runs.total,
                        report->read_seconds};
    for (int stage = 0; stage < PSG_STAGE_COUNT; stage++) {
        tasks[stage] = (double)s->stage[stage].tasks;
        seconds[stage] = report->ranks.stage_max[stage] = s->stage[stage].seconds;
        busy[0] += stage == PSG_STAGE_EXCHANGE ? 0 : seconds[stage]; /* no worker's time */
    }
    busy[1] = busy[0];
    app_ranks_sum(tasks, PSG_STAGE_COUNT);
    app_ranks_sum(seconds, PSG_STAGE_COUNT);
    app_ranks_max(report->ranks.stage_max, PSG_STAGE_COUNT);
    app_ranks_sum(bytes, sizeof bytes / sizeof bytes[0]);
    app_ranks_max(largest, sizeof largest / sizeof largest[0]);
    app_ranks_sum(&busy[0], 1);
    app_ranks_max(&busy[1], 1);
    app_ranks_max(report->runs.seconds, report->runs.repeat);
    for (int stage = 0; stage < PSG_STAGE_COUNT; stage++) {
        s->stage[stage].tasks = (uint64_t)tasks[stage];
        s->stage[stage].seconds = seconds[stage];
        report->ranks.stage_mean[stage] = seconds[stage] / app_ranks();
    }
    s->spectrum_bytes = (size_t)bytes[0];
    s->scratch_bytes = (size_t)bytes[1];
    s->link[PSG_LINK_H2D].bytes = (uint64_t)bytes[2];
    s->link[PSG_LINK_D2H].bytes = (uint64_t)bytes[3];
    s->link[PSG_LINK_D2D].bytes = (uint64_t)bytes[4];
    s->link[PSG_LINK_MESSAGE].bytes = (uint64_t)bytes[5];
    s->cpu_planes = (size_t)bytes[6];
    s->cpu_rows = (size_t)bytes[7];
    s->copied_bytes = (uint64_t)bytes[8];
    s->seconds = largest[0];
    s->plan_seconds = largest[1];
    s->segment_planes = (size_t)largest[2];
    report->runs.total = largest[3];
    report->read_seconds = largest[4];
    report->ranks.imbalance = busy[1] * app_ranks() / busy[0];
    join_links(report);
    app_runs_join_bounds(&report->runs.bounds);
}

static bool is_dropped(const app_report *report, const app_fluctuation *f) {
    const double rounding = report->options.precision == PSG_F32 ? 1e-5 : 1e-10;
    return fabs(f->mean) > rounding * f->largest;
}

/* -------------------------------------------------------------------------------------- lines */

/* Where both kinds could have taken part. */
static void print_share(const app_report *report) {
    const psg_axis *axis = report->grid.axis;
    int there[PSG_WORKER_KIND_COUNT] = {0, 0};
    for (size_t w = 0; w < report->runs.workers.count; w++) {
        there[report->runs.workers.list[w].kind] = 1;
    }
    if (there[PSG_WORKER_CPU] && there[PSG_WORKER_CUDA]) {
        printf("share     %zu of %zu planes and %zu of %zu rows on CPU cores\n",
               report->statistics.cpu_planes, axis[2].n, report->statistics.cpu_rows, axis[1].n);
    }
}

static void print_exchange(const app_report *report) {
    char bytes[32];
    if (app_ranks() > 1) {
        app_bytes_text(bytes, sizeof bytes,
                       (double)report->statistics.link[PSG_LINK_MESSAGE].bytes);
        printf("ranks     %s sent in a solve; the busiest rank worked %.2f times the mean\n", bytes,
               report->ranks.imbalance);
    }
}

/* Of a simulation, which is of one of them. */
static void print_nodes(const app_report *report) {
    const psg_statistics *s = &report->statistics;
    char bytes[32];
    if (report->options.nodes > 1) {
        app_bytes_text(bytes, sizeof bytes, (double)s->link[PSG_LINK_MESSAGE].bytes);
        printf(
            "nodes     %u alike, each as above; %s sent by each in a solve, messages on their way "
            "for %.0f %% of it\n",
            report->options.nodes, bytes, 100 * s->stage[PSG_STAGE_EXCHANGE].seconds / s->seconds);
    }
}

/* Of steps the one that is nearest to its bound, or over it. */
static const app_verification *worst(const app_report *report, const app_report_step **of) {
    const app_verification *v = report->verification;
    *of = NULL;
    for (unsigned s = 0; v != NULL && report->steps != NULL && s < report->runs.repeat; s++) {
        const app_report_step *step = &report->steps[s];
        const app_verification *w = &step->verification;
        const bool worse = *of == NULL || v->residual * w->bound < w->residual * v->bound;
        if ((worse && v->ok) || !w->ok) {
            v = w;
            *of = step;
        }
    }
    return v;
}

static void print_checks(const app_report *report) {
    const app_report_step *step = NULL;
    const app_verification *v = worst(report, &step);
    if (v != NULL) {
        const double scale = v->f.farthest > 0 ? v->f.farthest : 1;
        app_say("residual  %.2e of max|%sf%s| at %s %zu points%s%s; %s %.2e\n", v->residual / scale,
                report->options.factor != 1 ? "factor " : "", v->f.mean != 0 ? " - mean" : "",
                v->points == app_points(&report->grid) ? "all" : "a sample of", v->points,
                step != NULL ? " of step " : "", step != NULL ? step->of->name : "",
                report->epsilon != NULL ? "rounding and the last iteration explain"
                                        : "rounding explains",
                v->bound / scale);
    }
    if (report->modes != NULL) {
        printf("error     %.2e of max|u|; tolerance %.0e\n", report->modes->error,
               report->modes->tolerance);
    }
    if (report->madelung != NULL) {
        printf("Madelung  %.12f of %s; literature %.12f, difference %.1e\n",
               report->madelung->constant, report->lattice, report->madelung->reference,
               report->madelung->constant - report->madelung->reference);
    }
    if (report->middle != 0) {
        printf("middle    %.12f; known 1/6, difference %.1e\n", report->middle,
               report->middle - 1. / 6);
    }
}

static void print_sides(const psg_grid *grid) {
    const char *joint = "sides     ";
    for (int axis = 0; axis < 3 && app_has_sides(grid); axis++, joint = ", ") {
        const psg_axis *a = &grid->axis[axis];
        char pair[3];
        app_bc_text(a, pair);
        printf("%s%s along %c", joint, pair, "xyz"[axis]);
        if (a->bc[0] != PSG_BC_PERIODIC) {
            printf(" (%s)", app_points_text(a));
        }
    }
    if (app_has_sides(grid)) {
        printf("\n");
    }
}

/* docs/concepts.md has these words. */
static void print_graph(const app_report *report) {
    const psg_statistics *s = &report->statistics;
    if (report->verbose) {
        printf("graph     %s, %s exchange, %zu segment%s of up to %zu plane%s, %zu sheet%s%s\n",
               app_graph_name(s->graph), app_exchange_name(s->exchange), s->segments,
               s->segments == 1 ? "" : "s", s->segment_planes, s->segment_planes == 1 ? "" : "s",
               s->sheets, s->sheets == 1 ? "" : "s", s->tuned ? ", tuned" : "");
    }
}

static void print_steps(const app_report *report) {
    if (report->steps != NULL) {
        printf("steps     %u, from time %.10g to %.10g\n", report->runs.repeat,
               report->steps[0].of->time, report->steps[report->runs.repeat - 1].of->time);
    }
}

static void print_mean(const app_report *report) {
    const app_report_step *most = NULL;
    double mean = is_dropped(report, &report->f) ? report->f.mean : 0;
    for (unsigned s = 0; report->steps != NULL && s < report->runs.repeat; s++) {
        const app_report_step *step = &report->steps[s];
        if (is_dropped(report, &step->f) && fabs(step->f.mean) >= fabs(mean)) {
            mean = step->f.mean;
            most = step;
        }
    }
    if (mean != 0) {
        app_say("mean      %.10g of f%s%s was dropped: %s has no solution for it\n", mean,
                most != NULL ? " of step " : "", most != NULL ? most->of->name : "",
                app_has_sides(&report->grid) ? "a box without a Dirichlet side" : "a periodic box");
    }
}

void app_report_note_mean(const app_report *report, app_notes *notes) {
    const psg_precision precision =
        report->epsilon != NULL ? PSG_F64 : report->options.precision; /* iterations are in f64 */
    const app_fluctuation *most = report->steps != NULL ? &report->steps[0].f : &report->f;
    const char *name = report->steps != NULL ? report->steps[0].of->name : "";
    char text[APP_MEAN_TEXT];
    for (unsigned s = 1; report->steps != NULL && s < report->runs.repeat; s++) {
        const app_report_step *step = &report->steps[s];
        if (app_mean_digits(&step->f, precision) < app_mean_digits(most, precision)) {
            most = &step->f;
            name = step->of->name;
        }
    }
    if (app_mean_digits(most, precision) <= APP_DIGITS_FEW) {
        app_mean_text(most, precision, text);
        app_note(notes, "%s%s%s%s", name[0] ? "step " : "", name, name[0] ? ": " : "", text);
    }
}

void app_report_print(const app_report *report) {
    const psg_axis *axis = report->grid.axis;
    const psg_statistics *s = &report->statistics;
    char lambda[48] = "", factor[48] = "";
    if (report->options.lambda > 0) {
        snprintf(lambda, sizeof lambda, " - %.10g u", report->options.lambda);
    }
    if (report->options.factor != 1) {
        snprintf(factor, sizeof factor, "%.10g ", report->options.factor);
    }
    printf("equation  %s%s = %sf, %s, %s\n",
           report->epsilon != NULL ? "div(epsilon grad u)" : "lap(u)", lambda, factor,
           app_symbol_name(report->options.symbol), app_precision_name(report->options.precision));
    app_say("source    %s\n", report->source);
    if (report->epsilon != NULL) {
        app_say("epsilon   %s\n", report->epsilon);
    }
    print_steps(report);
    printf("grid      %zu x %zu x %zu, box %.10g x %.10g x %.10g\n", axis[0].n, axis[1].n,
           axis[2].n, axis[0].length, axis[1].length, axis[2].length);
    print_sides(&report->grid);
    app_print_lengths(&report->grid, "lengths   ");
    if (app_simulation_machine() != NULL) {
        app_say("machine   %s, simulated: times are those that it would take%s, and nothing is "
                "computed\n",
                app_simulation_machine(), report->simulates_sides ? "" : " with periodic sides");
    }
    app_runs_print_workers(&report->runs);
    print_graph(report);
    print_share(report);
    if (report->resident) {
        printf("data      resident: f and u stay where they are computed, and no time has their "
               "copies\n");
    }
    printf("plan      %.3g s\n", s->plan_seconds);
    app_runs_print_times(&report->runs);
    app_runs_print_bounds(&report->runs);
    app_runs_print_links(s->link);
    print_exchange(report);
    print_nodes(report);
    print_mean(report);
    if (report->epsilon != NULL) {
        printf("iterated  %zu times, to a residual of %.2e of f\n", s->iterations, s->residual);
    }
    print_checks(report);
    if (report->gradient != NULL) {
        app_say("gradient  %s\n", report->gradient);
    }
    if (report->written != NULL) {
        app_say("written   %s%s%s\n", report->written, report->xmf != NULL ? ", " : "",
                report->xmf != NULL ? report->xmf : "");
    }
}
