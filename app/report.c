/* What `psg solve` tells: the times of all processes, as lines for people and as JSON. */
#include "app/report.h"
#include "app/grid_sides.h"
#include "app/processes.h"
#include "app/simulating.h"
#include "app/versions.h"
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sums, and maxima, over the processes. */
static double sum_of(double value) {
    app_ranks_sum(&value, 1);
    return value;
}

static double most_of(double value) {
    app_ranks_max(&value, 1);
    return value;
}

/* Seconds by stage or by link: the largest, the mean, and in their place the sum. */
static void join_seconds(double *seconds, double *most, double *mean, size_t count) {
    memcpy(most, seconds, count * sizeof *seconds);
    app_ranks_max(most, count);
    app_ranks_sum(seconds, count);
    for (size_t m = 0; m < count; m++) {
        mean[m] = seconds[m] / app_ranks();
    }
}

void app_report_join(app_report *report) {
    psg_statistics *s = &report->statistics;
    double tasks[PSG_STAGE_COUNT], seconds[PSG_STAGE_COUNT], copies[PSG_LINK_MESSAGE], busy = 0;
    for (int stage = 0; stage < PSG_STAGE_COUNT; stage++) {
        tasks[stage] = (double)s->stage[stage].tasks;
        seconds[stage] = s->stage[stage].seconds;
        busy += stage == PSG_STAGE_EXCHANGE ? 0 : seconds[stage]; /* no worker's time */
    }
    for (int link = 0; link < PSG_LINK_COUNT; link++) {
        s->link[link].bytes = (uint64_t)sum_of((double)s->link[link].bytes);
    }
    for (int link = 0; link < PSG_LINK_MESSAGE; link++) {
        copies[link] = s->link[link].seconds;
    }
    app_ranks_sum(tasks, PSG_STAGE_COUNT);
    join_seconds(seconds, report->ranks.stage_max, report->ranks.stage_mean, PSG_STAGE_COUNT);
    join_seconds(copies, report->ranks.link_max, report->ranks.link_mean, PSG_LINK_MESSAGE);
    for (int stage = 0; stage < PSG_STAGE_COUNT; stage++) {
        s->stage[stage].tasks = (uint64_t)tasks[stage];
        s->stage[stage].seconds = seconds[stage];
    }
    for (int link = 0; link < PSG_LINK_MESSAGE; link++) {
        s->link[link].seconds = copies[link];
    }
    s->spectrum_bytes = (size_t)sum_of((double)s->spectrum_bytes);
    s->scratch_bytes = (size_t)sum_of((double)s->scratch_bytes);
    s->cpu_planes = (size_t)sum_of((double)s->cpu_planes);
    s->cpu_rows = (size_t)sum_of((double)s->cpu_rows);
    s->copied_bytes = (uint64_t)sum_of((double)s->copied_bytes);
    s->seconds = most_of(s->seconds);
    s->plan_seconds = most_of(s->plan_seconds);
    s->segment_planes = (size_t)most_of((double)s->segment_planes);
    s->submit.starpu_tasks = (size_t)sum_of((double)s->submit.starpu_tasks);
    s->submit.placed_tasks = (size_t)sum_of((double)s->submit.placed_tasks);
    report->runs.submit = s->submit;
    report->runs.total = most_of(report->runs.total);
    report->read_seconds = most_of(report->read_seconds);
    report->ranks.imbalance = most_of(busy) * app_ranks() / sum_of(busy);
    app_ranks_max(report->runs.seconds, report->runs.repeat);
    app_runs_join_bounds(&report->runs.bounds);
}

static bool is_dropped(const app_report *report, const app_fluctuation *f) {
    const double rounding = report->options.precision == PSG_F32 ? 1e-5 : 1e-10;
    return fabs(f->mean) > rounding * f->largest;
}

/* -------------------------------------------------------------------------------------- lines */

/* Where both kinds could have taken part. */
static void print_share(const app_report *report) {
    int there[PSG_WORKER_KIND_COUNT] = {0, 0};
    for (size_t w = 0; w < report->runs.workers.count; w++) {
        there[report->runs.workers.list[w].kind] = 1;
    }
    if (there[PSG_WORKER_CPU] && there[PSG_WORKER_CUDA]) {
        printf("share     %zu of %zu planes and %zu of %zu rows on CPU cores\n",
               report->statistics.cpu_planes, app_task_planes(&report->grid),
               report->statistics.cpu_rows, app_task_rows(&report->grid));
    }
}

static void print_exchange(const app_report *report) {
    char bytes[32];
    if (app_ranks() > 1) {
        app_bytes_text(bytes, sizeof bytes,
                       (double)report->statistics.link[PSG_LINK_MESSAGE].bytes);
        printf("ranks     %s sent in a solve", bytes);
        if (app_wire_rounding(&report->options) > 0) {
            printf(", with %d of the 64 bits of a number", report->options.wire_bits);
        }
        printf("; the busiest rank worked %.2f times the mean\n", report->ranks.imbalance);
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
                app_has_free_side(&report->grid)         ? "the inner"
                : v->points == app_points(&report->grid) ? "all"
                                                         : "a sample of",
                v->points, step != NULL ? " of step " : "", step != NULL ? step->of->name : "",
                report->epsilon != NULL ? "rounding and the last iteration explain"
                                        : "rounding explains",
                v->bound / scale);
    }
    if (report->answer != NULL) {
        printf("error     %.2e of max|u|", report->answer->error);
        if (report->answer->tolerance > 0) {
            printf("; tolerance %.0e", report->answer->tolerance);
        }
        printf("\n");
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
    for (int axis = 0; axis < grid->axes && app_has_sides(grid); axis++, joint = ", ") {
        const psg_axis *a = &grid->axis[axis];
        char pair[3];
        app_bc_text(a, pair);
        printf("%s%s along %c", joint, pair, "xyz"[axis]);
        if (a->bc[0] != PSG_BC_PERIODIC) {
            printf(" (%s)", app_points_text(a));
        }
        if (a->bc[0] == PSG_BC_ROBIN || a->bc[1] == PSG_BC_ROBIN) {
            printf(", K %g and %g", a->robin[0], a->robin[1]);
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
    if (report->values != NULL) {
        app_say("values    %s\n", report->values);
    }
    if (report->kernel != NULL || report->options.kernel != PSG_KERNEL_AUTO) {
        app_say("kernel    %s\n",
                report->kernel != NULL ? report->kernel : APP_WORD(kernel, report->options.kernel));
    }
    print_steps(report);
    printf("grid      %s, box %s\n", app_points_words(&report->grid, " x ").text,
           app_box_words(&report->grid).text);
    if (report->faces != NULL) {
        app_say("faces     %s\n", report->faces);
    }
    print_sides(&report->grid);
    app_print_lengths(&report->grid, "lengths   ");
    if (app_simulation_machine() != NULL) {
        app_say("machine   %s, simulated: times are those that it would take%s, and nothing is "
                "computed\n",
                app_simulation_machine(), report->simulates_sides ? "" : " with periodic sides");
    }
    app_runs_print_workers(&report->runs);
    app_runs_print_executor(&report->runs);
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
        printf("iterated  %zu time%s, to a residual of %.2e of f\n", s->iterations,
               s->iterations == 1 ? "" : "s", s->residual);
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

/* --------------------------------------------------------------------------------------- JSON */

static json_t *json_times(const app_report *report) {
    json_t *times = app_runs_json_times(&report->runs);
    app_json_put_real(times, "graph", report->statistics.seconds);
    app_json_put_real(times, "plan", report->statistics.plan_seconds);
    app_json_put_real(times, "read", report->read_seconds);
    app_json_put_real(times, "write", report->write_seconds);
    return times;
}

static json_t *json_stages(const app_report *report) {
    const psg_statistics *statistics = &report->statistics;
    json_t *stages = json_object();
    for (int s = 0; s < PSG_STAGE_COUNT; s++) {
        if (statistics->stage[s].tasks == 0) {
            continue;
        }
        json_t *stage = json_object();
        app_json_put_size(stage, "tasks", (size_t)statistics->stage[s].tasks);
        app_json_put_real(stage, "seconds", statistics->stage[s].seconds);
        app_json_put_real(stage, "rank_max", report->ranks.stage_max[s]);
        app_json_put_real(stage, "rank_mean", report->ranks.stage_mean[s]);
        app_json_put(stages, psg_stage_name(s), stage);
    }
    return stages;
}

static json_t *json_bytes(const app_report *report) {
    const psg_statistics *s = &report->statistics;
    json_t *bytes = json_object();
    app_json_put_size(bytes, "field",
                      app_points(&report->grid) * app_element_bytes(report->options.precision));
    app_json_put_size(bytes, "spectrum", s->spectrum_bytes);
    app_json_put_size(bytes, "scratch", s->scratch_bytes);
    app_json_put_size(bytes, "h2d", (size_t)s->link[PSG_LINK_H2D].bytes);
    app_json_put_size(bytes, "d2h", (size_t)s->link[PSG_LINK_D2H].bytes);
    app_json_put_size(bytes, "d2d", (size_t)s->link[PSG_LINK_D2D].bytes);
    app_json_put_size(bytes, "sent", (size_t)s->link[PSG_LINK_MESSAGE].bytes);
    return bytes;
}

static json_t *json_links(const app_report *report) {
    json_t *links = app_runs_json_links(report->statistics.link);
    for (int link = 0; link < PSG_LINK_MESSAGE; link++) {
        json_t *one = json_object_get(links, psg_link_name((psg_link)link));
        app_json_put_real(one, "rank_max", report->ranks.link_max[link]);
        app_json_put_real(one, "rank_mean", report->ranks.link_mean[link]);
    }
    return links;
}

static json_t *json_verification(const app_verification *v) {
    json_t *verify = json_object();
    app_json_put_real(verify, "residual", v->residual);
    app_json_put_real(verify, "bound", v->bound);
    app_json_put_real(verify, "max_f", v->f.largest);
    app_json_put_real(verify, "max_fluctuation", v->f.farthest);
    app_json_put_size(verify, "digits", (size_t)v->digits);
    app_json_put_real(verify, "mean_off", v->mean_off);
    app_json_put_real(verify, "mean_bound", v->mean_bound);
    app_json_put_size(verify, "points", v->points);
    app_json_put(verify, "ok", json_boolean(v->ok));
    return verify;
}

/* What a series has for each step, in place of what other solves have once. */
static json_t *json_steps(const app_report *report) {
    json_t *steps = json_array();
    for (unsigned s = 0; s < report->runs.repeat; s++) {
        const app_report_step *step = &report->steps[s];
        json_t *one = json_object();
        app_json_put_text(one, "name", step->of->name);
        app_json_put_real(one, "time", step->of->time);
        app_json_put_real(one, "seconds", report->runs.seconds[s]);
        app_json_put_real(one, "mean_dropped", step->f.mean);
        if (report->verification != NULL) {
            app_json_put(one, "verify", json_verification(&step->verification));
        }
        json_array_append_new(steps, one);
    }
    return steps;
}

static void put_checks(json_t *root, const app_report *report) {
    if (report->verification != NULL && report->steps == NULL) {
        app_json_put(root, "verify", json_verification(report->verification));
    }
    if (report->answer != NULL) {
        const double tolerance = report->answer->tolerance;
        json_t *answer = json_object();
        app_json_put_real(answer, "error", report->answer->error);
        app_json_put(answer, "tolerance", tolerance > 0 ? json_real(tolerance) : json_null());
        app_json_put(root, report->source, answer);
    }
    if (report->middle != 0) {
        app_json_put(root, "lid", json_pack("{sf}", "middle", report->middle));
    }
    if (report->madelung != NULL) {
        json_t *madelung = json_object();
        app_json_put_text(madelung, "lattice", report->lattice);
        app_json_put_real(madelung, "constant", report->madelung->constant);
        app_json_put_real(madelung, "reference", report->madelung->reference);
        app_json_put_real(madelung, "difference",
                          report->madelung->constant - report->madelung->reference);
        app_json_put(madelung, "tolerance",
                     report->madelung->tolerance > 0 ? json_real(report->madelung->tolerance)
                                                     : NULL);
        app_json_put(root, "madelung", madelung);
    }
}

/* A list of each, with an item for each axis of the arrays. */
static void put_axes(json_t *root, const psg_grid *grid) {
    json_t *n = json_array(), *box = json_array(), *bc = json_array(), *points = json_array();
    json_t *robin = json_array();
    for (int d = 0; d < grid->axes; d++) {
        const psg_axis *axis = &grid->axis[d];
        char pair[3];
        app_bc_text(axis, pair);
        json_array_append_new(n, json_integer((json_int_t)axis->n));
        json_array_append_new(box, json_real(axis->length));
        json_array_append_new(bc, json_string(pair));
        json_array_append_new(points, json_string(app_points_text(axis)));
        json_array_append_new(robin, json_pack("[ff]", axis->robin[0], axis->robin[1]));
    }
    app_json_put(root, "grid", n);
    app_json_put(root, "box", box);
    app_json_put(root, "bc", bc);
    app_json_put(root, "points", points);
    app_json_put(root, "robin", robin);
}

/* Number m is that after m iterations. */
static json_t *json_residuals(const app_report *report) {
    json_t *list = json_array();
    for (size_t m = 0; m < report->residual_count; m++) {
        json_array_append_new(list, json_real(report->residuals[m]));
    }
    return list;
}

int app_report_json(const app_report *report, const char *path, const char *shown) {
    const psg_statistics *s = &report->statistics;
    json_t *root = json_object();
    app_json_put_text(root, "command", "solve");
    app_json_put(root, "status", json_integer(report->status));
    app_json_put_text(root, "source", report->source);
    app_json_put_text(root, "simulated", app_simulation_machine());
    app_json_put_text(root, "written", report->written);
    app_json_put_text(root, "gradient", report->gradient);
    app_json_put_text(root, "epsilon", report->epsilon);
    app_json_put_text(root, "values", report->values);
    app_json_put_text(root, "kernel", report->kernel);
    if (report->epsilon != NULL) {
        app_json_put_size(root, "iterations", s->iterations);
        app_json_put_real(root, "iterated_to", s->residual);
        app_json_put(root, "residuals", json_residuals(report));
    }
    app_json_put_text(root, "faces", report->faces);
    put_axes(root, &report->grid);
    app_json_put_text(root, "precision", app_precision_name(report->options.precision));
    app_json_put_text(root, "symbol", app_symbol_name(report->options.symbol));
    app_json_put_real(root, "lambda", report->options.lambda);
    app_json_put_real(root, "factor", report->options.factor);
    if (report->steps != NULL) {
        app_json_put(root, "steps", json_steps(report));
    } else {
        app_json_put_real(root, "mean_dropped", s->mean);
    }
    app_json_put_text(root, "graph", app_graph_name(s->graph));
    app_json_put_text(root, "exchange", app_exchange_name(s->exchange));
    app_json_put_text(root, "z_layout", app_layout_name(s->z_layout));
    app_json_put(root, "tuned", json_boolean(s->tuned));
    app_json_put_size(root, "segments", s->segments);
    app_json_put_size(root, "segment_planes", s->segment_planes);
    app_json_put_size(root, "sheets", s->sheets);
    app_json_put_size(root, "copied_bytes", s->copied_bytes);
    app_json_put_size(root, "cpu_planes", s->cpu_planes);
    app_json_put_size(root, "cpu_rows", s->cpu_rows);
    app_runs_json_executor(&report->runs, root);
    app_json_put(root, "ranks", json_integer(app_ranks()));
    app_json_put_size(root, "nodes", report->options.nodes);
    app_json_put(root, "network",
                 report->options.network > 0 ? json_real(report->options.network) : NULL);
    app_json_put(root, "rank_workers", app_json_rank_workers(&report->runs.workers));
    app_json_put(root, "workers", app_json_workers(&report->runs.workers));
    app_json_put_text(root, "data", report->resident ? "resident" : "host");
    app_json_put_size(root, "in_flight", report->options.in_flight);
    app_json_put_size(root, "repeat", report->runs.repeat);
    app_json_put(root, "seconds", json_times(report));
    app_json_put(root, "stages", json_stages(report));
    app_json_put_real(root, "imbalance", report->ranks.imbalance);
    app_json_put(root, "bytes", json_bytes(report));
    app_json_put(root, "links", json_links(report));
    if (report->runs.bounds.seconds > 0) {
        app_json_put(root, "bounds", app_runs_json_bounds(&report->runs));
    }
    put_checks(root, report);
    app_json_put(root, "notes", app_json_notes(report->notes));
    app_json_put(root, "options", app_json_options(&report->options));
    app_json_put(root, "versions", app_json_versions());
    return app_json_write(root, path, shown);
}
