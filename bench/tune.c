/* psg tune: a search by stages. Each measures candidates beside the default, which is in all of
   them: what is compared between stages are times over the default's. The last one measures the
   best anew, and decides. */
#include "app/app.h"
#include "app/arguments.h"
#include "app/json.h"
#include "app/output.h"
#include "app/processes.h"
#include "app/tuned_words.h"
#include "bench/command_lines.h"
#include "bench/commands.h"
#include "bench/files.h"
#include "bench/groups.h"
#include "bench/search.h"
#include "graph/psg_machine.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS_MOST = 100, /* of a pass */
    FINAL_PASSES = 3,
    REPEAT_MOST = FINAL_PASSES * ROUNDS_MOST,
    REPEAT_LEAST = 5, /* of the final: fewer have no quartiles to speak of */
    FINALISTS = 3,    /* beside the default and what was stored */
    TRIED_MOST = 512
};

/* Of the time that is left after the first solves: when each stage ends. The rest is the
 * final's. */
static const double end_of_cuts = 0.25, end_of_variants = 0.45, end_of_policies = 0.6;

/* The default is the sweep's first. */
enum { STANDARD = 0 };

typedef struct tune {
    bench_tune_arguments arguments;
    bench_circumstances at;
    bench_groups groups;
    bench_results rows;
    app_progress progress;
    psg_options options; /* where entries are kept */
    char folder[PATH_MAX];
    double since, until; /* on app_now()'s clock */
    double searching;    /* since the default is known */
    const char *doing;
    double score[TRIED_MOST]; /* time over the default's, in its latest stage; infinite: not good */
    size_t best;
    bench_picks finalists;
    double standard_times[3], best_times[3]; /* quartiles */
    bool decided, stays;
    psg_tuned entry;
} tune;

/* Seconds until so much of the search's time is over. */
static double seconds_to(const tune *t, double share) {
    return t->searching + share * (t->until - t->searching) - app_now();
}

static void hear(void *context, const bench_record *record) {
    tune *t = context;
    (void)record;
    app_progress_step(&t->progress, "tuning, up to %u s: %s", t->arguments.seconds, t->doing);
}

static int nothing(void *context, size_t leader) {
    (void)context;
    (void)leader;
    return APP_DONE;
}

/* -------------------------------------------------------------------------------------- stages */

static double median(const tune *t, size_t number) {
    double quartile[3];
    bench_result_quartiles(&t->groups.result[number], quartile);
    return bench_result_is_good(&t->groups.result[number]) ? quartile[1] : INFINITY;
}

/* Measure these and no others. */
static int measure(tune *t, const bench_picks *picks, double seconds) {
    for (size_t c = 0; c < t->groups.count; c++) {
        t->groups.result[c].skip = 1;
    }
    for (size_t n = 0; n < picks->count; n++) {
        t->groups.result[picks->number[n]].skip = 0;
    }
    return bench_groups_pass(&t->groups, ROUNDS_MOST, fmax(1e-3, seconds));
}

/* The faster half, with the default. */
static bench_picks faster_half(const tune *t, const bench_picks *picks) {
    bench_picks half = {.number = {STANDARD}, .count = 1};
    while (half.count < (picks->count + 1) / 2) {
        size_t least = STANDARD;
        double time = INFINITY;
        for (size_t n = 0; n < picks->count; n++) {
            const double other = median(t, picks->number[n]);
            if (!bench_picks_has(&half, picks->number[n]) && other < time) {
                time = other;
                least = picks->number[n];
            }
        }
        if (least == STANDARD) {
            break;
        }
        bench_picks_add(&half, least);
    }
    return half;
}

/* Candidates that there is time for: each is solved three times at least. */
static void leave_out(const tune *t, bench_picks *picks, double seconds) {
    const double most = fmax(1, seconds / (3 * median(t, STANDARD)));
    picks->count = (double)picks->count > most ? (size_t)most : picks->count;
}

static int stage(tune *t, const char *doing, bench_picks *picks, double end) {
    t->doing = doing;
    int code = bench_groups_take(&t->groups);
    if (!code && t->groups.count > TRIED_MOST) {
        code = app_error(APP_FAILED, "more than %d candidates", TRIED_MOST);
    }
    if (!code) {
        leave_out(t, picks, seconds_to(t, end));
    }
    if (code || picks->count < 2) {
        return code;
    }
    for (size_t n = 0; n < picks->count; n++) {
        bench_groups_reset(&t->groups, picks->number[n]);
    }
    code = measure(t, picks, 0.5 * seconds_to(t, end));
    const bench_picks half = faster_half(t, picks);
    if (!code && half.count > 1 && seconds_to(t, end) > 0) {
        code = measure(t, &half, seconds_to(t, end));
    }
    for (size_t n = 0; n < picks->count && !code; n++) {
        const size_t number = picks->number[n];
        t->score[number] = median(t, number) / median(t, STANDARD);
    }
    for (size_t n = 0; n < half.count && !code; n++) {
        if (n == 0 || t->score[half.number[n]] < t->score[t->best]) {
            t->best = half.number[n];
        }
    }
    return code;
}

/* Whoever measures candidates measures the default and the best so far with them. */
static bench_picks begin_picks(const tune *t) {
    bench_picks picks = {.count = 0};
    bench_picks_add(&picks, STANDARD);
    bench_picks_add(&picks, t->best);
    return picks;
}

static const bench_facts *best_facts(const tune *t) {
    return &t->groups.result[t->best].facts;
}

/* What was stored for this grid: it may still be the best. */
static int pick_stored(tune *t, bench_picks *picks) {
    bench_config config = t->groups.sweep.config[STANDARD];
    const bench_facts *facts = &t->groups.result[STANDARD].facts;
    psg_options o;
    app_tuned stored;
    psg_options options = t->options;
    size_t number;
    options.gpus = 0; /* CUDA that has been asked for is not there any more in a child */
    bench_config_options(&t->groups.sweep.config[STANDARD], &o);
    int code = app_tuned_find(&options, &stored);
    for (size_t m = 0; m < stored.count && !code; m++) {
        const psg_tuned *s = &stored.list[m];
        if (s->state == PSG_TUNED_DAMAGED || strcmp(s->host, t->at.machine.host) != 0 ||
            s->precision != o.precision || s->cpus != facts->cpus || s->gpus != facts->gpus ||
            memcmp(s->n, config.grid.n, sizeof s->n) != 0) {
            continue;
        }
        o.graph = s->graph == PSG_GRAPH_STAGED ? PSG_GRAPH_STAGED : PSG_GRAPH_FUSED;
        o.z_layout = s->z_layout == PSG_Z_STRIDED ? PSG_Z_STRIDED : PSG_Z_CONTIGUOUS;
        o.exchange = s->exchange;
        o.segment_planes = s->segment_planes;
        o.sheets = s->sheets;
        o.policy = s->policy[0] != '\0' ? s->policy : NULL;
        bench_config_put(&config, &o);
        code = bench_sweep_put(&t->groups.sweep, &config, &number);
        bench_picks_add(picks, number);
        bench_picks_add(&t->finalists, number);
    }
    free(stored.list);
    return code;
}

/* The default alone: whether it can be solved at all, and how long it takes. */
static int probe(tune *t) {
    const bench_picks picks = {.number = {STANDARD}, .count = 1};
    t->doing = "the default";
    int code = bench_groups_take(&t->groups);
    const bench_result *r = t->groups.result;
    if (!code && r[STANDARD].failed[0]) {
        return app_error(APP_USAGE, "--grid: the default %s", r[STANDARD].failed);
    }
    code = code ? code : measure(t, &picks, 0.1 * t->arguments.seconds);
    if (!code && !bench_result_is_good(&r[STANDARD])) {
        return app_error(APP_FAILED, "the default cannot be measured: %s",
                         r[STANDARD].failed[0] ? r[STANDARD].failed : "its answer is wrong");
    }
    t->groups.machine.cpus = r[STANDARD].facts.cpus;
    t->groups.machine.gpus = r[STANDARD].facts.gpus;
    t->searching = app_now();
    t->until = fmax(t->searching, t->since + t->arguments.seconds);
    return code;
}

static int search(tune *t) {
    bench_picks picks = begin_picks(t);
    int code = pick_stored(t, &picks);
    code = code ? code : bench_search_cuts(&t->groups.sweep, STANDARD, best_facts(t), &picks);
    code = code ? code : stage(t, "cuts", &picks, end_of_cuts);
    if (!code) {
        picks = begin_picks(t);
        code = bench_search_variants(&t->groups.sweep, t->best, best_facts(t), &picks);
    }
    code = code ? code : stage(t, "variants", &picks, end_of_variants);
    if (!code && getenv("STARPU_SCHED") == NULL) {
        picks = begin_picks(t);
        code = bench_search_policies(&t->groups.sweep, t->best, &t->groups.result[STANDARD].facts,
                                     t->arguments.policies, &picks);
        code = code ? code : stage(t, "policies", &picks, end_of_policies);
    }
    return code;
}

/* -------------------------------------------------------------------------------------- final */

static void choose_finalists(tune *t) {
    bench_picks stored = t->finalists;
    t->finalists = (bench_picks){.number = {STANDARD}, .count = 1};
    for (int place = 0; place < FINALISTS; place++) {
        size_t next = STANDARD;
        for (size_t c = 0; c < t->groups.count; c++) {
            if (!bench_picks_has(&t->finalists, c) && t->score[c] < INFINITY &&
                (next == STANDARD || t->score[c] < t->score[next])) {
                next = c;
            }
        }
        bench_picks_add(&t->finalists, next);
    }
    for (size_t n = 0; n < stored.count; n++) {
        bench_picks_add(&t->finalists, stored.number[n]);
    }
}

static int final(tune *t) {
    int code = APP_DONE;
    t->doing = "the best again";
    choose_finalists(t);
    for (size_t n = 0; n < t->finalists.count; n++) {
        bench_groups_reset(&t->groups, t->finalists.number[n]);
    }
    for (int pass = 0; pass < FINAL_PASSES && !code; pass++) {
        code = measure(t, &t->finalists, seconds_to(t, 1) / (FINAL_PASSES - pass));
    }
    t->best = STANDARD;
    for (size_t n = 0; n < t->finalists.count; n++) {
        if (median(t, t->finalists.number[n]) < median(t, t->best)) {
            t->best = t->finalists.number[n];
        }
    }
    bench_result_quartiles(&t->groups.result[STANDARD], t->standard_times);
    bench_result_quartiles(&t->groups.result[t->best], t->best_times);
    t->decided = t->groups.result[STANDARD].samples >= REPEAT_LEAST &&
                 t->groups.result[t->best].samples >= REPEAT_LEAST && t->finalists.count > 1;
    t->stays = !(t->best_times[2] < t->standard_times[0]);
    return code;
}

/* A configuration as an entry: the default leaves all open. */
static psg_tuned entry_of(const tune *t, size_t number) {
    const bench_config *c = &t->groups.sweep.config[number];
    psg_options o;
    bench_config_options(c, &o);
    const bench_facts *facts = &t->groups.result[STANDARD].facts;
    psg_tuned e = {.cpus = facts->cpus,
                   .gpus = facts->gpus,
                   .precision = o.precision,
                   .n = {c->grid.n[0], c->grid.n[1], c->grid.n[2]},
                   .graph = PSG_GRAPH_AUTO,
                   .z_layout = PSG_Z_AUTO,
                   .seconds = median(t, number),
                   .default_seconds = t->standard_times[1]};
    if (number != STANDARD) {
        e.graph = o.graph;
        e.z_layout = o.graph == PSG_GRAPH_STAGED ? o.z_layout : PSG_Z_AUTO;
        e.exchange = o.exchange;
        e.segment_planes = o.segment_planes;
        e.sheets = o.sheets;
        snprintf(e.policy, sizeof e.policy, "%s", o.policy != NULL ? o.policy : "");
    }
    return e;
}

static int store(tune *t) {
    if (!t->decided) {
        return APP_DONE;
    }
    const psg_status status = psg_tuned_store(&t->options, &t->entry);
    return status == PSG_OK ? APP_DONE : app_error(app_exit_code(status), "%s", psg_last_error());
}

/* ------------------------------------------------------------------------------- what is told */

static int put_rows(tune *t, bool finalists) {
    int code = APP_DONE;
    for (size_t c = 0; c < t->groups.count && !code; c++) {
        const bench_result *r = &t->groups.result[c];
        if (bench_picks_has(&t->finalists, c) == finalists && (r->failed[0] || r->samples > 0)) {
            t->at.models = !bench_config_needs_models(&t->groups.sweep.config[c])
                               ? BENCH_MODELS_UNUSED
                               : BENCH_MODELS_CALIBRATED;
            code = bench_results_put(&t->rows, &t->groups.sweep, c, &t->at, t->groups.result);
        }
    }
    return code;
}

static void print_times(const char *what, const char *choice, const double times[3]) {
    printf("%-9s %s: %.4g ms, quartiles %.4g to %.4g\n", what, choice, 1e3 * times[1],
           1e3 * times[0], 1e3 * times[2]);
}

static size_t measured(const tune *t) {
    size_t count = 0;
    for (size_t c = 0; c < t->groups.count; c++) {
        count += t->groups.result[c].samples > 0 || t->groups.result[c].failed[0];
    }
    return count;
}

static void print_lines(const tune *t, const psg_tuned *best) {
    char text[256];
    app_tuned_text(best, text, sizeof text);
    (void)bench_results_print(&t->rows, &t->groups.sweep, t->groups.result);
    printf("\nmeasured  %zu candidates in %.0f s; above are those of the final\n", measured(t),
           app_now() - t->since);
    print_times("default", "as it is", t->standard_times);
    if (t->best != STANDARD) {
        print_times("best", text, t->best_times);
        printf(
            "ratio     %.3f of the default's time to the best's, between quartiles %.3f to %.3f\n",
            t->standard_times[1] / t->best_times[1], t->standard_times[0] / t->best_times[2],
            t->standard_times[2] / t->best_times[0]);
    }
    if (!t->decided) {
        printf("the default stays: %u s are too short to compare it, and nothing was stored\n",
               t->arguments.seconds);
    } else if (t->stays) {
        printf("the default stays: %s\n", t->best == STANDARD
                                              ? "nothing was faster"
                                              : "the best is not better than the spread of times");
    }
}

static json_t *times_json(const double times[3]) {
    return json_pack("{s:f, s:f, s:f}", "q1", times[0], "seconds", times[1], "q3", times[2]);
}

static json_t *make_json(const tune *t, const psg_tuned *best) {
    const double *standard = t->standard_times, *times = t->best_times;
    const size_t *n = t->groups.sweep.config[STANDARD].grid.n;
    json_t *root = bench_files_json(&t->rows.table);
    json_t *more = json_pack(
        "{s:s, s:[III], s:s, s:I, s:I, s:f, s:o, s:o, s:o, s:{s:f, s:f, s:f}, s:b, s:o, s:s}",
        "command", "tune", "grid", (json_int_t)n[0], (json_int_t)n[1], (json_int_t)n[2],
        "precision", app_precision_name(t->entry.precision), "cpus", (json_int_t)t->entry.cpus,
        "gpus", (json_int_t)t->entry.gpus, "seconds", app_now() - t->since, "default",
        times_json(standard), "best", times_json(times), "best_choice", app_tuned_choice_json(best),
        "ratio", "low", standard[0] / times[2], "median", standard[1] / times[1], "high",
        standard[2] / times[0], "default_stays", t->stays || !t->decided, "stored",
        t->decided ? app_tuned_choice_json(&t->entry) : json_null(), "folder", t->folder);
    json_object_update(root, more);
    json_decref(more);
    return root;
}

static int tell(tune *t) {
    const char *json = t->arguments.json;
    const bool to_stdout = json != NULL && strcmp(json, "-") == 0;
    const psg_tuned best = entry_of(t, t->best);
    t->entry = entry_of(t, t->stays ? STANDARD : t->best);
    int code = put_rows(t, true);
    if (!code && !t->arguments.quiet && !to_stdout) {
        print_lines(t, &best);
    }
    const int failed = store(t);
    if (!failed && t->decided && !t->arguments.quiet && !to_stdout) {
        app_say("stored    in %s\n", t->folder);
    }
    code = code ? code : put_rows(t, false);
    if (!code && to_stdout) {
        code = app_json_write(make_json(t, &best), NULL, "stdout");
    } else if (!code && json != NULL) {
        code = app_json_save(make_json(t, &best), json, APP_OUTPUT_ANY);
    }
    return code ? code : failed;
}

/* ----------------------------------------------------------------------------------- beginning */

/* That something cannot be written is found before the work is done. */
static int try_files(tune *t) {
    char path[PATH_MAX + 16];
    if (psg_cache_folder(&t->options, 1, t->folder, sizeof t->folder) != PSG_OK) {
        return app_error(APP_FAILED, "%s", psg_last_error());
    }
    if (!t->folder[0]) {
        return app_error(APP_FAILED,
                         "there is no folder to store it in: set XDG_CACHE_HOME or HOME");
    }
    snprintf(path, sizeof path, "%s/tuned", t->folder);
    int code = app_output_try(path, APP_OUTPUT_ANY);
    if (!code && t->arguments.json != NULL && strcmp(t->arguments.json, "-") != 0) {
        code = app_output_try(t->arguments.json,
                              t->arguments.force ? APP_OUTPUT_ANY : APP_OUTPUT_JSON);
    }
    return code;
}

static int forget(const tune *t) {
    size_t count = 0;
    const psg_status status = psg_tuned_forget(&t->options, &count);
    if (status != PSG_OK) {
        return app_error(app_exit_code(status), "%s", psg_last_error());
    }
    if (!t->arguments.quiet) {
        printf("removed %zu entr%s of this machine\n", count, count == 1 ? "y" : "ies");
    }
    return APP_DONE;
}

static int prepare(tune *t) {
    const app_options *solver = &t->arguments.solver;
    bench_config config = {.grid = t->arguments.grid, .ranks = 1};
    bench_picks picks = {.count = 0};
    bench_sweep trial = {.count = 0};
    const bench_facts facts = {.segments = 1};
    psg_options o;
    bench_config_options(&config, &o);
    o.precision = solver->options.precision;
    o.cpus = solver->options.cpus;
    o.gpus = t->options.gpus = solver->options.gpus;
    o.cpu_share = 0; /* entries are of one kind of worker */
    bench_config_put(&config, &o);
    config.gpus_listed = solver->gpus.listed;
    memcpy(config.gpu_ids, solver->gpus.ids, sizeof config.gpu_ids);
    t->options.gpu_ids = solver->options.gpu_ids;
    t->groups = (bench_groups){.repeat = REPEAT_MOST,
                               .warm_up = 1,
                               .calibrate = 12,
                               .patience = t->arguments.patience,
                               .random = (uint64_t)t->arguments.seed,
                               .progress = &t->progress,
                               .heard = hear,
                               .visited = nothing,
                               .context = t};
    t->at = bench_circumstances_find(1, t->arguments.seed);
    for (size_t c = 0; c < TRIED_MOST; c++) {
        t->score[c] = INFINITY;
    }
    /* wrong policies are found before anything is measured */
    int code = bench_sweep_put(&trial, &config, NULL);
    code = code ? code : bench_search_policies(&trial, 0, &facts, t->arguments.policies, &picks);
    bench_sweep_free(&trial);
    code = code ? code : bench_sweep_put(&t->groups.sweep, &config, NULL);
    return code ? code : bench_results_init(&t->rows);
}

static int run(tune *t) {
    int code = prepare(t);
    code = code ? code : try_files(t);
    if (code) {
        return code;
    }
    app_progress_start(&t->progress, !t->arguments.quiet);
    t->since = app_now();
    code = probe(t);
    code = code ? code : search(t);
    code = code ? code : final(t);
    app_progress_stop(&t->progress);
    return code ? code : tell(t);
}

int bench_tune(int argc, char **argv) {
    tune *t = calloc(1, sizeof *t);
    if (t == NULL) {
        return app_error(APP_FAILED, "out of memory");
    }
    int code = bench_tune_arguments_parse(argc, argv, &t->arguments);
    if (code) {
        free(t);
        return code == APP_HELPED ? APP_DONE : code;
    }
    if (app_ranks_launched()) { /* as psg bench */
        free(t);
        return app_ranks_agree(
            app_error(APP_USAGE, "psg tune tunes one process: start it without mpirun"));
    }
    if (psg_simulation()) {
        free(t);
        return app_error(APP_USAGE, "psg tune measures, and this psg simulates machines");
    }
    app_signals_install(app_rank() > 0);
    psg_options_init(&t->options);
    code = t->arguments.forget ? forget(t) : run(t);
    app_progress_stop(&t->progress);
    bench_groups_free(&t->groups);
    bench_results_free(&t->rows);
    free(t);
    return code;
}
