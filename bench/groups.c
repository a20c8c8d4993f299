/* Visits of groups, and what is heard of them. */
#include "bench/groups.h"
#include "app/app.h"
#include "bench/fields.h"
#include "bench/visit.h"
#include "graph/psg_machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------- a visit */

static void take_sample(bench_groups *g, bench_result *r, const bench_sample *sample) {
    if (r->sample == NULL) {
        r->sample = malloc(g->repeat * sizeof *r->sample);
    }
    if (r->sample != NULL && r->samples < g->repeat) {
        r->sample[r->samples++] = *sample;
    } else if (r->sample == NULL) {
        snprintf(r->failed, sizeof r->failed, "out of memory for the times");
    }
}

static void hear(void *context, const bench_record *record) {
    bench_groups *g = context;
    if (record->kind == BENCH_RECORD_MACHINE) {
        g->machine = record->is.facts;
        return;
    }
    if (record->kind == BENCH_RECORD_TIME) {
        (void)bench_times_add(g->times, &record->is.time); /* one more or less */
        return;
    }
    if (record->kind == BENCH_RECORD_COSTS) {
        bench_costs_join(&g->times->submission, &record->is.costs.submission);
        bench_costs_join(&g->times->gap, &record->is.costs.gap);
        return;
    }
    bench_result *r = &g->result[record->config];
    switch (record->kind) {
    case BENCH_RECORD_FACTS:
        r->facts = record->is.facts;
        r->has_facts = 1;
        break;
    case BENCH_RECORD_SAMPLE:
        take_sample(g, r, &record->is.sample);
        r->solves++;
        break;
    case BENCH_RECORD_SOLVED:
        r->solves++;
        break;
    case BENCH_RECORD_CHECKED:
        if (!(record->is.checked.error <= r->error)) {
            r->error = record->is.checked.error;
        }
        r->tolerance = record->is.checked.tolerance;
        break;
    case BENCH_RECORD_FAILED:
        snprintf(r->failed, sizeof r->failed, "%s", record->is.text);
        break;
    default:
        break;
    }
    g->heard(g->context, record);
}

static bool is_left(const bench_groups *g, size_t number) {
    return !g->result[number].skip && !g->result[number].failed[0];
}

/* The configurations of a group that are still to be done. */
static size_t gather(bench_groups *g, size_t leader) {
    size_t count = 0;
    for (size_t c = 0; c < g->count; c++) {
        if (g->result[c].leader == leader && is_left(g, c)) {
            g->which[count++] = c;
        }
    }
    return count;
}

static double plan_memory(const bench_groups *g, size_t leader) {
    psg_options first;
    double total, available;
    bench_config_options(&g->sweep.config[leader], &first);
    if (g->memory > 0) {
        return g->memory * 1024 * 1024 * 1024;
    }
    if (first.gpus != 0 && g->machine.gpus > 0) { /* StarPU makes room by moving data out */
        const double all = g->machine.gpus, gpus = first.gpus < 0 ? all : first.gpus;
        return 0.5 * fmin(1, gpus / all) * g->machine.gpu_memory;
    }
    app_machine_memory(&total, &available);
    return 0.5 * available;
}

/* After a crash, what this visit has measured is forgotten, the one in work is blamed, and the
   others are done again without it. */
static void blame(bench_groups *g, size_t count, const bench_outcome *outcome) {
    for (size_t n = 0; n < count; n++) {
        bench_result *r = &g->result[g->which[n]];
        r->samples = r->samples_before;
        r->solves = r->solves_before;
        if (!outcome->blamed && !r->failed[0]) {
            snprintf(r->failed, sizeof r->failed, "%s", outcome->why);
        }
    }
    if (outcome->blamed) {
        bench_result *r = &g->result[outcome->config];
        snprintf(r->failed, sizeof r->failed, "%s", outcome->why);
    }
}

/* A launcher may start something else, or pass nothing on. */
static void blame_silent(bench_groups *g, size_t count) {
    for (size_t n = 0; n < count; n++) {
        bench_result *r = &g->result[g->which[n]];
        if (!r->failed[0] && !r->has_facts) {
            snprintf(r->failed, sizeof r->failed, "nothing was heard of its processes");
        }
    }
}

/* What others did while a group was measured; of a visit that was too short to tell, what they did since
 * the beginning. Of several visits the worst. */
static void note_load(bench_groups *g, size_t count, const app_load *before) {
    const app_load now = app_load_now();
    double load = app_load_between(before, &now);
    load = isnan(load) ? app_load_between(&g->began, &now) : load;
    for (size_t n = 0; n < count; n++) {
        bench_result *r = &g->result[g->which[n]];
        r->load = fmax(r->load, load); /* of a number and a NaN the number */
    }
}

/* @param[in] until  on app_now()'s clock; 0: no limit */
static int visit_group(bench_groups *g, size_t leader, unsigned rounds, double until,
                       bool calibrate) {
    for (;;) {
        const size_t count = gather(g, leader);
        bench_outcome outcome;
        if (count == 0) {
            return APP_DONE;
        }
        for (size_t n = 0; n < count; n++) {
            bench_result *r = &g->result[g->which[n]];
            r->samples_before = r->samples;
            r->solves_before = r->solves;
        }
        bench_visit visit = {.config = g->sweep.config,
                             .configs = g->sweep.count,
                             .which = g->which,
                             .count = count,
                             .mpirun = g->mpirun,
                             .warm_up = calibrate ? g->calibrate : g->warm_up,
                             .rounds = rounds,
                             .until = until,
                             .bounds = g->bounds,
                             .times = g->times != NULL,
                             .calibrate = calibrate,
                             .seed = app_random(&g->random),
                             .memory = plan_memory(g, leader)};
        const app_load before = app_load_now();
        const int code = bench_visit_run(&visit, g->patience, hear, g, &outcome);
        if (code) {
            return code;
        }
        note_load(g, count, &before);
        if (outcome.well) {
            blame_silent(g, count);
            return APP_DONE;
        }
        blame(g, count, &outcome);
    }
}

int bench_groups_find_machine(bench_groups *g) {
    bench_outcome outcome;
    g->began = app_load_now();
    app_progress_step(g->progress, "looking for workers");
    int code = bench_visit_run(NULL, g->patience, hear, g, &outcome);
    if (!code && !outcome.well) {
        code = app_error(outcome.code == APP_USAGE ? APP_USAGE : APP_FAILED,
                         "the workers cannot be found: %s", outcome.why);
    }
    return code;
}

/* -------------------------------------------------------------------------------------- a pass */

bool bench_groups_calibrates(const bench_groups *g, size_t leader) {
    return bench_config_needs_models(&g->sweep.config[leader]) && g->calibrate > 0;
}

/* StarPU's models are of tasks, whatever policy they run under: what one has measured serves the
 * others. */
static int calibrate(bench_groups *g, size_t leader) {
    bool needed = false;
    for (size_t c = 0; c < g->count; c++) {
        needed |= g->result[c].leader == leader && is_left(g, c) && !g->result[c].calibrated;
    }
    const int code = needed ? visit_group(g, leader, 0, 0, 1) : APP_DONE;
    for (size_t c = 0; c < g->count && needed; c++) {
        for (size_t o = 0; o < g->count && g->result[c].leader == leader && is_left(g, c); o++) {
            g->result[o].calibrated |= bench_config_same_but(
                &g->sweep.config[c], &g->sweep.config[o], bench_list("sched"));
        }
    }
    return code;
}

/* Leaders of groups in which something is left to do, in a random order. */
static size_t find_leaders(bench_groups *g, size_t *leaders) {
    size_t count = 0;
    for (size_t c = 0; c < g->count; c++) {
        if (g->result[c].leader == c && gather(g, c) > 0) {
            leaders[count++] = c;
        }
    }
    app_shuffle(leaders, count, &g->random);
    return count;
}

int bench_groups_pass(bench_groups *g, unsigned rounds, double seconds) {
    const double end = app_now() + seconds;
    size_t *leaders = app_allocate(g->count + 1, sizeof *leaders, "the groups");
    const size_t count = leaders != NULL ? find_leaders(g, leaders) : 0;
    int code = leaders != NULL ? APP_DONE : APP_FAILED;
    for (size_t n = 0; n < count && !code; n++) {
        const size_t leader = leaders[n];
        if (bench_groups_calibrates(g, leader)) {
            code = calibrate(g, leader);
        }
        const double now = app_now();
        const double share = fmax(0, end - now) / (double)(count - n);
        code = code ? code : visit_group(g, leader, rounds, seconds > 0 ? now + share : 0, 0);
        code = code ? code : g->visited(g->context, leader);
    }
    free(leaders);
    return code;
}

/* ------------------------------------------------------------------------------------ the sweep */

static void refuse(bench_groups *g, size_t first) {
    double total, available;
    char needed[32], have[32];
    app_machine_memory(&total, &available);
    for (size_t c = first; c < g->count; c++) {
        const double bytes =
            bench_config_bytes(&g->sweep.config[c]) + bench_fields_bytes(&g->sweep.config[c]);
        if (g->sweep.config[c].ranks > 1 && psg_component_version(PSG_COMPONENT_MPI) == NULL) {
            snprintf(
                g->result[c].failed, sizeof g->result[c].failed, "%s",
                psg_simulation()
                    ? "processes of one node are not simulated; those of several are, by --nodes"
                    : "built without MPI: psg cannot run as several processes");
        } else if (total > 0 && bytes > total) {
            app_bytes_text(needed, sizeof needed, bytes);
            app_bytes_text(have, sizeof have, total);
            snprintf(g->result[c].failed, sizeof g->result[c].failed,
                     "needs %s of memory, and this machine has %s", needed, have);
        }
    }
}

int bench_groups_take(bench_groups *g) {
    const size_t first = g->count, count = g->sweep.count;
    bench_result *result = realloc(g->result, count * sizeof *result);
    g->result = result != NULL ? result : g->result;
    size_t *which = realloc(g->which, count * sizeof *which);
    g->which = which != NULL ? which : g->which;
    if (result == NULL || which == NULL) {
        return app_error(APP_FAILED, "out of memory for %zu configurations", count);
    }
    for (size_t c = first; c < count; c++) {
        result[c] = (bench_result){.row = SIZE_MAX, .load = NAN};
        size_t leader = 0;
        while (!bench_config_same_group(&g->sweep.config[leader], &g->sweep.config[c])) {
            leader++;
        }
        result[c].leader = leader;
    }
    g->count = count;
    refuse(g, first);
    return APP_DONE;
}

void bench_groups_reset(bench_groups *g, size_t number) {
    g->result[number].samples = 0;
    g->result[number].solves = 0;
}

void bench_groups_free(bench_groups *g) {
    for (size_t c = 0; c < g->count; c++) {
        free(g->result[c].sample);
    }
    free(g->result);
    free(g->which);
    bench_sweep_free(&g->sweep);
}
