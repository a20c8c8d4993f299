/* The lines and the JSON of `psg solve`. */
#include "app/report.h"
#include "app/field.h"
#include "app/grid_sides.h"
#include "app/output.h"
#include "app/processes.h"
#include "app/simulating.h"
#include "app/versions.h"
#include "base/file.h"
#include "base/median.h"
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int app_report_times(app_report *report) {
    double *sorted = app_allocate(report->repeat, sizeof *sorted, "the times in their order");
    if (sorted == NULL) {
        return APP_FAILED;
    }
    memcpy(sorted, report->seconds, report->repeat * sizeof *sorted);
    base_sort(sorted, report->repeat);
    report->minimum = sorted[0];
    report->median = base_median(sorted, report->repeat);
    free(sorted);
    return APP_DONE;
}

/* Every process' bound is one of the whole. */
void app_report_join_bounds(psg_bounds *b) {
    double rates[2] = {b->memory_rate, b->cache_bytes};
    app_ranks_max(b->bound, PSG_BOUND_COUNT);
    app_ranks_max(b->link_seconds, PSG_LINK_COUNT);
    app_ranks_max(&b->lp_seconds, 1);
    app_ranks_max(rates, 2);
    app_ranks_sum(&b->memory_bytes, 1);
    app_ranks_sum(b->link_bytes, PSG_LINK_COUNT);
    b->memory_rate = rates[0];
    b->cache_bytes = rates[1];
    b->seconds = 0;
    for (int bound = 0; bound < PSG_BOUND_COUNT; bound++) {
        if (b->bound[bound] > b->seconds) {
            b->seconds = b->bound[bound];
            b->by = (psg_bound)bound;
        }
    }
}

double app_link_bytes(const psg_statistics *s, psg_link link) {
    return (double)s->link[link].bytes;
}

double app_link_seconds(const psg_statistics *s, psg_link link) {
    return s->link[link].seconds;
}

static void join_links(app_report *report) {
    psg_statistics *s = &report->statistics;
    double seconds[PSG_LINK_MESSAGE];
    for (int link = 0; link < PSG_LINK_MESSAGE; link++) {
        seconds[link] = report->link_max[link] = app_link_seconds(s, (psg_link)link);
    }
    app_ranks_sum(seconds, PSG_LINK_MESSAGE);
    app_ranks_max(report->link_max, PSG_LINK_MESSAGE);
    for (int link = 0; link < PSG_LINK_MESSAGE; link++) {
        report->link_mean[link] = seconds[link] / app_ranks();
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
    double largest[] = {s->seconds, s->plan_seconds, (double)s->segment_planes, report->total,
                        report->read_seconds};
    for (int stage = 0; stage < PSG_STAGE_COUNT; stage++) {
        tasks[stage] = (double)s->stage[stage].tasks;
        seconds[stage] = report->stage_max[stage] = s->stage[stage].seconds;
        busy[0] += stage == PSG_STAGE_EXCHANGE ? 0 : seconds[stage]; /* no worker's time */
    }
    busy[1] = busy[0];
    app_ranks_sum(tasks, PSG_STAGE_COUNT);
    app_ranks_sum(seconds, PSG_STAGE_COUNT);
    app_ranks_max(report->stage_max, PSG_STAGE_COUNT);
    app_ranks_sum(bytes, sizeof bytes / sizeof bytes[0]);
    app_ranks_max(largest, sizeof largest / sizeof largest[0]);
    app_ranks_sum(&busy[0], 1);
    app_ranks_max(&busy[1], 1);
    app_ranks_max(report->seconds, report->repeat);
    app_ranks_share(&s->mean, sizeof s->mean);
    for (int stage = 0; stage < PSG_STAGE_COUNT; stage++) {
        s->stage[stage].tasks = (uint64_t)tasks[stage];
        s->stage[stage].seconds = seconds[stage];
        report->stage_mean[stage] = seconds[stage] / app_ranks();
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
    report->total = largest[3];
    report->read_seconds = largest[4];
    report->imbalance = busy[1] * app_ranks() / busy[0];
    join_links(report);
    app_report_join_bounds(&report->bounds);
}

bool app_report_has_mean(const app_report *report) {
    const double rounding = report->options.precision == PSG_F32 ? 1e-5 : 1e-10;
    return fabs(report->statistics.mean) > rounding * report->largest_f;
}

/* -------------------------------------------------------------------------------------- lines */

static void print_workers(const app_report *report) {
    char workers[160];
    app_workers_text(&report->workers, workers, sizeof workers);
    app_say("workers   %s, policy %s\n", workers,
            report->workers.policy[0] ? report->workers.policy : "unknown");
}

/* Where both kinds could have taken part. */
static void print_share(const app_report *report) {
    const psg_axis *axis = report->grid.axis;
    int there[PSG_WORKER_KIND_COUNT] = {0, 0};
    for (size_t w = 0; w < report->workers.count; w++) {
        there[report->workers.list[w].kind] = 1;
    }
    if (there[PSG_WORKER_CPU] && there[PSG_WORKER_CUDA]) {
        printf("share     %zu of %zu planes and %zu of %zu rows on CPU cores\n",
               report->statistics.cpu_planes, axis[2].n, report->statistics.cpu_rows, axis[1].n);
    }
}

static const char *slowest_link(const psg_bounds *b) {
    int slowest = 0;
    for (int link = 1; link < PSG_LINK_COUNT; link++) {
        slowest = b->link_seconds[link] > b->link_seconds[slowest] ? link : slowest;
    }
    return psg_link_name((psg_link)slowest);
}

/* The time that is told of it, so the one that its bound is compared with. */
static double last_solve(const app_report *report) {
    return report->seconds[report->repeat - 1];
}

static void print_bounds(const app_report *report) {
    const psg_bounds *b = &report->bounds;
    if (b->seconds > 0) {
        const char *link = b->by == PSG_BOUND_LINK ? slowest_link(b) : NULL;
        const double solve = last_solve(report);
        printf("bound     %.4g s by %s%s%s: %.0f %% of the last solve's %.4g s\n", b->seconds,
               psg_bound_name(b->by), link != NULL ? " " : "", link != NULL ? link : "",
               100 * b->seconds / solve, solve);
    }
}

static void print_exchange(const app_report *report) {
    char bytes[32];
    if (app_ranks() > 1) {
        app_bytes_text(bytes, sizeof bytes,
                       (double)report->statistics.link[PSG_LINK_MESSAGE].bytes);
        printf("ranks     %s sent in a solve; the busiest rank worked %.2f times the mean\n", bytes,
               report->imbalance);
    }
}

/* Of all solves, as the bytes are. */
static void print_links(const app_report *report) {
    for (int link = 0; link < PSG_LINK_MESSAGE; link++) {
        const double bytes = app_link_bytes(&report->statistics, (psg_link)link);
        const double seconds = app_link_seconds(&report->statistics, (psg_link)link);
        if (bytes > 0) {
            printf("%-9s %.4g GB", psg_link_name((psg_link)link), 1e-9 * bytes);
        }
        if (bytes > 0 && seconds > 0) {
            printf(" in %.4g s, %.4g GB/s", seconds, 1e-9 * bytes / seconds);
        }
        printf("%s", bytes > 0 ? "\n" : "");
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

static void print_checks(const app_report *report) {
    const app_verification *v = report->verification;
    if (v != NULL) {
        const double scale = v->largest_f > 0 ? v->largest_f : 1;
        printf("residual  %.2e of max|%sf| at %s %zu points; rounding explains %.2e\n",
               v->residual / scale, report->options.factor != 1 ? "factor " : "",
               v->points == app_points(&report->grid) ? "all" : "a sample of", v->points,
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
    printf("equation  lap(u)%s = %sf, %s, %s\n", lambda, factor,
           app_symbol_name(report->options.symbol), app_precision_name(report->options.precision));
    app_say("source    %s\n", report->source);
    printf("grid      %zu x %zu x %zu, box %.10g x %.10g x %.10g\n", axis[0].n, axis[1].n,
           axis[2].n, axis[0].length, axis[1].length, axis[2].length);
    print_sides(&report->grid);
    if (app_simulation_machine() != NULL) {
        app_say("machine   %s, simulated: times are those that it would take%s, and nothing is "
                "computed\n",
                app_simulation_machine(),
                app_has_sides(&report->grid) ? " with periodic sides" : "");
    }
    print_workers(report);
    printf("graph     %s, %s exchange, %zu segment%s of up to %zu plane%s, %zu sheet%s%s\n",
           app_graph_name(s->graph), app_exchange_name(s->exchange), s->segments,
           s->segments == 1 ? "" : "s", s->segment_planes, s->segment_planes == 1 ? "" : "s",
           s->sheets, s->sheets == 1 ? "" : "s", s->tuned ? ", tuned" : "");
    print_share(report);
    if (report->resident) {
        printf("data      resident: f and u stay where they are computed, and no time has their "
               "copies\n");
    }
    printf("plan      %.3g s\n", s->plan_seconds);
    if (report->repeat == 1) {
        printf("solve     %.4g s\n", report->median);
    } else {
        printf("solve     %.4g s median, %.4g s minimum of %u; %.4g s all together\n",
               report->median, report->minimum, report->repeat, report->total);
    }
    print_bounds(report);
    print_links(report);
    print_exchange(report);
    print_nodes(report);
    if (app_report_has_mean(report)) {
        printf("mean      %.10g of f was dropped: %s has no solution for it\n", s->mean,
               app_has_sides(&report->grid) ? "a box without a Dirichlet side" : "a periodic box");
    }
    print_checks(report);
    if (report->written != NULL) {
        app_say("written   %s%s%s\n", report->written, report->xmf != NULL ? ", " : "",
                report->xmf != NULL ? report->xmf : "");
    }
}

/* --------------------------------------------------------------------------------------- JSON */

/* Adds a member; JSON has no NaN, so what is not finite becomes null. */
static void put(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, value != NULL ? value : json_null());
}

static void put_real(json_t *object, const char *key, double value) {
    put(object, key, json_real(value));
}

static void put_size(json_t *object, const char *key, size_t value) {
    put(object, key, json_integer((json_int_t)value));
}

static void put_text(json_t *object, const char *key, const char *value) {
    /* a file's name need not be UTF-8, which JSON is */
    put(object, key, value != NULL ? json_string(value) : NULL);
}

json_t *app_json_workers(const app_workers *workers) {
    json_t *array = json_array();
    const psg_worker *next = workers->list;
    for (int rank = 0; rank < app_ranks(); rank++) {
        for (size_t w = 0; w < workers->of_rank[rank]; w++, next++) {
            json_t *worker = json_object();
            put_text(worker, "kind", app_worker_kind_name(next->kind));
            put(worker, "device", json_integer(next->device));
            put_text(worker, "name", next->name);
            put(worker, "rank", json_integer(rank));
            json_array_append_new(array, worker);
        }
    }
    return array;
}

json_t *app_json_rank_workers(const app_workers *workers) {
    json_t *array = json_array();
    for (int rank = 0; rank < app_ranks(); rank++) {
        json_array_append_new(array, json_integer((json_int_t)workers->of_rank[rank]));
    }
    return array;
}

int app_json_write(json_t *root, const char *path, const char *shown) {
    if (root == NULL) {
        return app_error(APP_FAILED, "out of memory for the JSON report");
    }
    FILE *file = path != NULL ? fopen(path, "w") : stdout;
    const bool failed = file == NULL ||
                        json_dumpf(root, file, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) ||
                        fputc('\n', file) == EOF;
    int why = failed ? errno : 0;
    if (file != NULL && path != NULL) {
        const int closed = base_close(file);
        why = failed ? why : closed;
    }
    json_decref(root);
    return !failed && why == 0
               ? APP_DONE
               : app_error(APP_FAILED, "%s: cannot be written: %s", shown, strerror(why));
}

int app_json_save(json_t *root, const char *path, app_output_kind kind) {
    app_output output;
    int code = app_output_begin(&output, path, kind, 0);
    if (code) {
        json_decref(root);
        return code;
    }
    code = app_json_write(root, output.temporary, path);
    if (!code) {
        return app_output_commit(&output);
    }
    app_output_discard(&output);
    return code;
}

static json_t *json_times(const app_report *report) {
    json_t *times = json_object(), *solves = json_array();
    for (unsigned r = 0; r < report->repeat; r++) {
        json_array_append_new(solves, json_real(report->seconds[r]));
    }
    put(times, "solves", solves);
    put_real(times, "total", report->total);
    put_real(times, "median", report->median);
    put_real(times, "minimum", report->minimum);
    put_real(times, "load", report->load);
    put_real(times, "graph", report->statistics.seconds);
    put_real(times, "plan", report->statistics.plan_seconds);
    put_real(times, "read", report->read_seconds);
    put_real(times, "write", report->write_seconds);
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
        put_size(stage, "tasks", (size_t)statistics->stage[s].tasks);
        put_real(stage, "seconds", statistics->stage[s].seconds);
        put_real(stage, "rank_max", report->stage_max[s]);
        put_real(stage, "rank_mean", report->stage_mean[s]);
        put(stages, psg_stage_name(s), stage);
    }
    return stages;
}

static json_t *json_bytes(const app_report *report) {
    const psg_statistics *s = &report->statistics;
    json_t *bytes = json_object();
    put_size(bytes, "field",
             app_points(&report->grid) * app_element_bytes(report->options.precision));
    put_size(bytes, "spectrum", s->spectrum_bytes);
    put_size(bytes, "scratch", s->scratch_bytes);
    put_size(bytes, "h2d", (size_t)s->link[PSG_LINK_H2D].bytes);
    put_size(bytes, "d2h", (size_t)s->link[PSG_LINK_D2H].bytes);
    put_size(bytes, "d2d", (size_t)s->link[PSG_LINK_D2D].bytes);
    put_size(bytes, "sent", (size_t)s->link[PSG_LINK_MESSAGE].bytes);
    return bytes;
}

static json_t *json_links(const app_report *report) {
    json_t *links = json_object();
    for (int link = 0; link < PSG_LINK_MESSAGE; link++) {
        json_t *one = json_object();
        put_size(one, "bytes", (size_t)app_link_bytes(&report->statistics, (psg_link)link));
        put_real(one, "seconds", app_link_seconds(&report->statistics, (psg_link)link));
        put_real(one, "rank_max", report->link_max[link]);
        put_real(one, "rank_mean", report->link_mean[link]);
        put(links, psg_link_name((psg_link)link), one);
    }
    return links;
}

static json_t *json_bounds(const app_report *report) {
    const psg_bounds *b = &report->bounds;
    json_t *bounds = json_object(), *links = json_object();
    put_real(bounds, "seconds", b->seconds);
    put_text(bounds, "by", psg_bound_name(b->by));
    put_real(bounds, "solve", last_solve(report));
    put_real(bounds, "of_solve", b->seconds / last_solve(report));
    for (int bound = 0; bound < PSG_BOUND_COUNT; bound++) {
        put_real(bounds, psg_bound_name((psg_bound)bound), b->bound[bound]);
    }
    put(bounds, "lp", b->lp_seconds > 0 ? json_real(b->lp_seconds) : NULL);
    put_real(bounds, "memory_bytes", b->memory_bytes);
    put_real(bounds, "memory_rate", b->memory_rate);
    put_real(bounds, "cache_bytes", b->cache_bytes);
    for (int link = 0; link < PSG_LINK_COUNT; link++) {
        put(links, psg_link_name((psg_link)link),
            json_pack("{sf sf}", "bytes", b->link_bytes[link], "seconds", b->link_seconds[link]));
    }
    put(bounds, "links", links);
    return bounds;
}

static void put_checks(json_t *root, const app_report *report) {
    if (report->verification != NULL) {
        const app_verification *v = report->verification;
        json_t *verify = json_object();
        put_real(verify, "residual", v->residual);
        put_real(verify, "bound", v->bound);
        put_real(verify, "max_f", v->largest_f);
        put_real(verify, "mean_off", v->mean_off);
        put_real(verify, "mean_bound", v->mean_bound);
        put_size(verify, "points", v->points);
        put(verify, "ok", json_boolean(v->ok));
        put(root, "verify", verify);
    }
    if (report->modes != NULL) {
        json_t *modes = json_object();
        put_real(modes, "error", report->modes->error);
        put_real(modes, "tolerance", report->modes->tolerance);
        put(root, "modes", modes);
    }
    if (report->middle != 0) {
        put(root, "lid", json_pack("{sf}", "middle", report->middle));
    }
    if (report->madelung != NULL) {
        json_t *madelung = json_object();
        put_text(madelung, "lattice", report->lattice);
        put_real(madelung, "constant", report->madelung->constant);
        put_real(madelung, "reference", report->madelung->reference);
        put_real(madelung, "difference", report->madelung->constant - report->madelung->reference);
        put(madelung, "tolerance",
            report->madelung->tolerance > 0 ? json_real(report->madelung->tolerance) : NULL);
        put(root, "madelung", madelung);
    }
}

/* All options as they were given, in the library's words; the members above say what they came to. */
static json_t *json_options(const psg_options *options) {
    json_t *object = json_object();
    char text[PATH_MAX];
    for (size_t index = 0; psg_option_at(index) != NULL; index++) {
        const char *name = psg_option_at(index)->name;
        put_text(object, name,
                 psg_options_get(options, name, text, sizeof text) == PSG_OK ? text : NULL);
    }
    return object;
}

static json_t *json_bc(const psg_axis axis[3]) {
    char pair[3][3];
    for (int a = 0; a < 3; a++) {
        app_bc_text(&axis[a], pair[a]);
    }
    return json_pack("[sss]", pair[0], pair[1], pair[2]);
}

int app_report_json(const app_report *report, const char *path, const char *shown) {
    const psg_axis *axis = report->grid.axis;
    const psg_statistics *s = &report->statistics;
    json_t *root = json_object();
    put_text(root, "command", "solve");
    put(root, "status", json_integer(report->status));
    put_text(root, "source", report->source);
    put_text(root, "simulated", app_simulation_machine());
    put_text(root, "written", report->written);
    put(root, "grid",
        json_pack("[III]", (json_int_t)axis[0].n, (json_int_t)axis[1].n, (json_int_t)axis[2].n));
    put(root, "box", json_pack("[fff]", axis[0].length, axis[1].length, axis[2].length));
    put(root, "bc", json_bc(axis));
    put(root, "points",
        json_pack("[sss]", app_points_text(&axis[0]), app_points_text(&axis[1]),
                  app_points_text(&axis[2])));
    put_text(root, "precision", app_precision_name(report->options.precision));
    put_text(root, "symbol", app_symbol_name(report->options.symbol));
    put_real(root, "lambda", report->options.lambda);
    put_real(root, "factor", report->options.factor);
    put_real(root, "mean_dropped", s->mean);
    put_text(root, "graph", app_graph_name(s->graph));
    put_text(root, "exchange", app_exchange_name(s->exchange));
    put_text(root, "z_layout", app_layout_name(s->z_layout));
    put_text(root, "normalize",
             app_normalize_name(s->graph == PSG_GRAPH_STAGED && report->options.normalize));
    put(root, "tuned", json_boolean(s->tuned));
    put_size(root, "segments", s->segments);
    put_size(root, "segment_planes", s->segment_planes);
    put_size(root, "sheets", s->sheets);
    put_size(root, "copied_bytes", s->copied_bytes);
    put_size(root, "cpu_planes", s->cpu_planes);
    put_size(root, "cpu_rows", s->cpu_rows);
    put_text(root, "policy", report->workers.policy[0] ? report->workers.policy : NULL);
    put(root, "ranks", json_integer(app_ranks()));
    put_size(root, "nodes", report->options.nodes);
    put(root, "network", report->options.network > 0 ? json_real(report->options.network) : NULL);
    put(root, "rank_workers", app_json_rank_workers(&report->workers));
    put(root, "workers", app_json_workers(&report->workers));
    put_text(root, "data", report->resident ? "resident" : "host");
    put_size(root, "in_flight", report->options.in_flight);
    put_size(root, "repeat", report->repeat);
    put(root, "seconds", json_times(report));
    put(root, "stages", json_stages(report));
    put_real(root, "imbalance", report->imbalance);
    put(root, "bytes", json_bytes(report));
    put(root, "links", json_links(report));
    if (report->bounds.seconds > 0) {
        put(root, "bounds", json_bounds(report));
    }
    put_checks(root, report);
    json_t *notes = json_array();
    for (size_t n = 0; n < report->notes->count; n++) {
        json_array_append_new(notes, json_string(report->notes->text[n]));
    }
    put(root, "notes", notes);
    put(root, "options", json_options(&report->options));
    put(root, "versions", app_json_versions());
    return app_json_write(root, path, shown);
}
