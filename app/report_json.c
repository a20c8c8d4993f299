/* The JSON of `psg solve`. */
#include "app/grid_sides.h"
#include "app/processes.h"
#include "app/report.h"
#include "app/simulating.h"
#include "app/versions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
    if (report->modes != NULL) {
        json_t *modes = json_object();
        app_json_put_real(modes, "error", report->modes->error);
        app_json_put_real(modes, "tolerance", report->modes->tolerance);
        app_json_put(root, "modes", modes);
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
    app_json_put_text(root, "command", "solve");
    app_json_put(root, "status", json_integer(report->status));
    app_json_put_text(root, "source", report->source);
    app_json_put_text(root, "simulated", app_simulation_machine());
    app_json_put_text(root, "written", report->written);
    app_json_put_text(root, "gradient", report->gradient);
    app_json_put_text(root, "epsilon", report->epsilon);
    if (report->epsilon != NULL) {
        app_json_put_size(root, "iterations", s->iterations);
        app_json_put_real(root, "iterated_to", s->residual);
    }
    app_json_put(
        root, "grid",
        json_pack("[III]", (json_int_t)axis[0].n, (json_int_t)axis[1].n, (json_int_t)axis[2].n));
    app_json_put(root, "box", json_pack("[fff]", axis[0].length, axis[1].length, axis[2].length));
    app_json_put(root, "bc", json_bc(axis));
    app_json_put(root, "points",
                 json_pack("[sss]", app_points_text(&axis[0]), app_points_text(&axis[1]),
                           app_points_text(&axis[2])));
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
    app_json_put_text(
        root, "normalize",
        app_normalize_name(s->graph == PSG_GRAPH_STAGED && report->options.normalize));
    app_json_put(root, "tuned", json_boolean(s->tuned));
    app_json_put_size(root, "segments", s->segments);
    app_json_put_size(root, "segment_planes", s->segment_planes);
    app_json_put_size(root, "sheets", s->sheets);
    app_json_put_size(root, "copied_bytes", s->copied_bytes);
    app_json_put_size(root, "cpu_planes", s->cpu_planes);
    app_json_put_size(root, "cpu_rows", s->cpu_rows);
    app_json_put_text(root, "policy",
                      report->runs.workers.policy[0] ? report->runs.workers.policy : NULL);
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
