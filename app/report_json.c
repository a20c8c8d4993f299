/* The JSON of `psg solve`. */
#include "app/grid_sides.h"
#include "app/processes.h"
#include "app/report.h"
#include "app/simulating.h"
#include "app/versions.h"
#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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
        put_real(stage, "rank_max", report->ranks.stage_max[s]);
        put_real(stage, "rank_mean", report->ranks.stage_mean[s]);
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
        put_real(one, "rank_max", report->ranks.link_max[link]);
        put_real(one, "rank_mean", report->ranks.link_mean[link]);
        put(links, psg_link_name((psg_link)link), one);
    }
    return links;
}

static json_t *json_bounds(const app_report *report) {
    const psg_bounds *b = &report->bounds;
    json_t *bounds = json_object(), *links = json_object();
    put_real(bounds, "seconds", b->seconds);
    put_text(bounds, "by", psg_bound_name(b->by));
    put_real(bounds, "solve", app_report_last_solve(report));
    put_real(bounds, "of_solve", b->seconds / app_report_last_solve(report));
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

static json_t *json_verification(const app_verification *v) {
    json_t *verify = json_object();
    put_real(verify, "residual", v->residual);
    put_real(verify, "bound", v->bound);
    put_real(verify, "max_f", v->largest_f);
    put_real(verify, "mean_off", v->mean_off);
    put_real(verify, "mean_bound", v->mean_bound);
    put_size(verify, "points", v->points);
    put(verify, "ok", json_boolean(v->ok));
    return verify;
}

/* What a series has for each step, in place of what other solves have once. */
static json_t *json_steps(const app_report *report) {
    json_t *steps = json_array();
    for (unsigned s = 0; s < report->repeat; s++) {
        const app_report_step *step = &report->steps[s];
        json_t *one = json_object();
        put_text(one, "name", step->of->name);
        put_real(one, "time", step->of->time);
        put_real(one, "seconds", report->seconds[s]);
        put_real(one, "mean_dropped", step->mean);
        if (report->verification != NULL) {
            put(one, "verify", json_verification(&step->verification));
        }
        json_array_append_new(steps, one);
    }
    return steps;
}

static void put_checks(json_t *root, const app_report *report) {
    if (report->verification != NULL && report->steps == NULL) {
        put(root, "verify", json_verification(report->verification));
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
    put_text(root, "gradient", report->gradient);
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
    if (report->steps != NULL) {
        put(root, "steps", json_steps(report));
    } else {
        put_real(root, "mean_dropped", s->mean);
    }
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
    put_real(root, "imbalance", report->ranks.imbalance);
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
