/* psg bench: from lists to rows. Each pass visits the groups of configurations in a random
   order, and after each visit the files are brought up to date. */
#include "app/arguments.h"
#include "app/json.h"
#include "app/output.h"
#include "app/processes.h"
#include "app/progress.h"
#include "app/simulating.h"
#include "bench/command_lines.h"
#include "bench/commands.h"
#include "bench/files.h"
#include "bench/groups.h"
#include "bench/programs.h"
#include "bench/study.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench {
    bench_arguments arguments;
    bench_circumstances at;
    bench_groups groups;
    bench_results rows;
    app_progress progress;
    bench_files files;
    bench_times times;
    app_notes notes;
    double work, work_done; /* points to be solved, and solved */
    double since;
} bench;

/* -------------------------------------------------------------------------------------- sweep */

static void hear(void *context, const bench_record *record) {
    bench *b = context;
    if (record->kind == BENCH_RECORD_SAMPLE || record->kind == BENCH_RECORD_SOLVED) {
        b->work_done += bench_config_work(&b->groups.sweep.config[record->config]);
    }
    const double left = (app_now() - b->since) * (b->work - b->work_done) / b->work_done;
    if (b->work_done > 0 && left > 0 && record->kind != BENCH_RECORD_BEGIN) {
        app_progress_step(&b->progress, "measured %.0f %%, %.0f s left",
                          100 * b->work_done / b->work, left);
    }
}

static bench_models models_of(const bench_groups *g, size_t leader) {
    return !bench_config_needs_models(&g->sweep.config[leader]) ? BENCH_MODELS_UNUSED
           : bench_groups_calibrates(g, leader)                 ? BENCH_MODELS_CALIBRATED
                                                                : BENCH_MODELS_AS_FOUND;
}

static bool is_measured(const bench_result *r) {
    return !r->skip && (r->failed[0] || r->samples > 0);
}

/* Others may have put rows into the file, or replaced it. */
static void find_rows_again(bench *b) {
    bench_groups *g = &b->groups;
    for (size_t c = 0; c < g->count; c++) {
        bench_result *r = &g->result[c];
        r->row = bench_results_find(&b->rows, &g->sweep.config[c], &b->at);
        r->added = r->added && r->row != SIZE_MAX;
    }
}

typedef struct news {
    bench *b;
    size_t leader;
} news;

/* The rows of a group, and those of earlier ones that are gone from the file. */
static int put_rows(void *context, bool read_again) {
    const news *n = context;
    bench *b = n->b;
    bench_groups *g = &b->groups;
    int code = APP_DONE;
    if (read_again) {
        find_rows_again(b);
    }
    for (size_t c = 0; c < g->count && !code; c++) {
        const bench_result *r = &g->result[c];
        const bool gone = r->put && r->row == SIZE_MAX;
        if (is_measured(r) && (g->result[c].leader == n->leader || gone)) {
            b->at.models = models_of(g, g->result[c].leader);
            code = bench_results_put(&b->rows, &g->sweep, c, &b->at, g->result);
        }
    }
    return code;
}

static int put_group(void *context, size_t leader) {
    bench *b = context;
    bench_groups *g = &b->groups;
    news n = {b, leader};
    bool measured = false;
    for (size_t c = 0; c < g->count; c++) {
        measured |= g->result[c].leader == leader && is_measured(&g->result[c]);
    }
    return measured ? bench_files_update(&b->files, &b->rows.table, put_rows, &n) : APP_DONE;
}

static int prepare(bench *b) {
    bench_groups *g = &b->groups;
    bench_old old = {.count = 0};
    const int code = bench_groups_take(g);
    for (size_t c = 0; c < g->count && !code; c++) {
        bench_result *r = &g->result[c];
        r->row = bench_results_find(&b->rows, &g->sweep.config[c], &b->at);
        r->skip = !b->arguments.again &&
                  bench_results_done(&b->rows, r->row, b->arguments.repeat, b->arguments.bounds);
        if (r->skip) {
            bench_old_add(&old, bench_results_date(&b->rows, r->row));
        }
    }
    bench_old_note(&old, g->count, bench_files_main(&b->files), &b->notes);
    return code;
}

static unsigned rounds_of_pass(const bench *b, unsigned pass) {
    const unsigned repeat = b->arguments.repeat, passes = b->arguments.passes;
    return repeat / passes + (pass < repeat % passes);
}

static void count_work(bench *b) {
    const bench_groups *g = &b->groups;
    for (size_t c = 0; c < g->count; c++) {
        if (g->result[c].skip || g->result[c].failed[0]) {
            continue;
        }
        double solves =
            bench_groups_calibrates(g, g->result[c].leader) ? b->arguments.calibrate : 0;
        for (unsigned pass = 0; pass < b->arguments.passes; pass++) {
            const unsigned rounds = rounds_of_pass(b, pass);
            solves += rounds ? rounds + (unsigned)b->arguments.warm_up : 0;
        }
        b->work += solves * bench_config_work(&g->sweep.config[c]);
    }
}

/* What failed before anything was measured has a row, too. */
static int put_failed(bench *b) {
    const bench_groups *g = &b->groups;
    int code = APP_DONE;
    for (size_t c = 0; c < g->count && !code; c++) {
        if (g->result[c].leader == c) {
            code = put_group(b, c);
        }
    }
    return code;
}

static int measure(bench *b) {
    count_work(b);
    b->since = app_now();
    int code = put_failed(b);
    for (unsigned pass = 0; pass < b->arguments.passes && !code; pass++) {
        const unsigned rounds = rounds_of_pass(b, pass);
        code = rounds ? bench_groups_pass(&b->groups, rounds, 0) : APP_DONE;
    }
    return code;
}

static int make_sweep(bench_sweep *sweep, const bench_arguments *a, unsigned cpus, unsigned gpus) {
    return a->study != NULL ? bench_study_add(sweep, a->study, a->large, cpus, gpus, a->list)
                            : bench_sweep_add(sweep, a->list);
}

/* Wrong lists are found before anything is read or started, whatever the machine has. */
static int check_lists(const bench_arguments *arguments) {
    bench_sweep trial = {.count = 0};
    const int code = make_sweep(&trial, arguments, 1, 1);
    bench_sweep_free(&trial);
    return code;
}

/* A machine that does something else measures long times. */
static void note_load(bench *b) {
    const bench_groups *g = &b->groups;
    size_t rows = 0, high = 0;
    double most = 0;
    for (size_t c = 0; c < g->count; c++) {
        const bench_result *r = &g->result[c];
        if (is_measured(r) && r->row != SIZE_MAX) {
            const double load = bench_results_load(&b->rows, r->row);
            rows++;
            high += (size_t)app_load_is_high(load, b->at.machine.cores);
            most = fmax(most, load);
        }
    }
    if (high > 0) {
        app_load_note(most, b->at.machine.cores, high, rows, "row", &b->notes);
    }
}

static int tell(bench *b, int code) {
    size_t good = 0;
    note_load(b);
    if (!b->arguments.quiet && bench_files_leave_stdout(&b->files)) {
        bench_results_print(&b->rows, &b->groups.sweep, b->groups.result);
        bench_study_print(b->arguments.study, &b->rows, &b->groups.sweep, b->groups.result);
    }
    code = bench_files_finish(&b->files, &b->rows.table, code);
    for (size_t c = 0; c < b->groups.count; c++) {
        good += (size_t)bench_results_done(&b->rows, b->groups.result[c].row, 1, 0);
    }
    if (!code && good == 0) {
        code = app_error(APP_FAILED, "all configurations failed, the first: %s",
                         bench_results_status(&b->rows, b->groups.result[0].row));
    }
    if (!code && b->arguments.record != NULL && b->times.count == 0) {
        code = app_error(APP_FAILED, "%s: not written: no solve by one process was measured now",
                         b->arguments.record);
    }
    return code;
}

static int open_files(bench *b) {
    const bench_arguments *a = &b->arguments;
    const int code = bench_files_open(&b->files, a->csv, a->json, a->force, &b->rows.table);
    b->files.notes = &b->notes;
    b->notes.quiet = a->quiet;
    return !code && a->record != NULL
               ? app_output_try(a->record, a->force ? APP_OUTPUT_ANY : APP_OUTPUT_RECORD)
               : code;
}

static void clean_up(bench *b) {
    app_progress_stop(&b->progress);
    bench_times_free(&b->times);
    bench_groups_free(&b->groups);
    bench_results_free(&b->rows);
    free(b);
}

int bench_command(int argc, char **argv) {
    bench *b = calloc(1, sizeof *b);
    if (b == NULL) {
        return app_error(APP_FAILED, "out of memory");
    }
    int code = bench_arguments_parse(argc, argv, &b->arguments);
    if (code) {
        free(b);
        return code == APP_HELPED ? APP_DONE : code;
    }
    if (app_ranks_launched()) { /* it starts processes of its own, by MPI too */
        free(b);
        return app_ranks_agree(app_error(APP_USAGE, "psg bench starts as many processes as --ranks "
                                                    "says: start it without mpirun"));
    }
    code = app_simulation_choose(b->arguments.machine,
                                 b->arguments.list[bench_list("nodes")] != NULL     ? "nodes"
                                 : b->arguments.list[bench_list("network")] != NULL ? "network"
                                                                                    : NULL);
    if (code || (b->arguments.study != NULL && bench_study_is_program(b->arguments.study))) {
        code = code ? code : bench_programs(&b->arguments);
        free(b);
        return code;
    }
    app_simulation_seed((unsigned)b->arguments.seed);
    b->at = bench_circumstances_find(b->arguments.warm_up, b->arguments.seed);
    b->at.mpirun = b->arguments.mpirun;
    b->groups = (bench_groups){.repeat = b->arguments.repeat,
                               .warm_up = (unsigned)b->arguments.warm_up,
                               .calibrate = (unsigned)b->arguments.calibrate,
                               .patience = b->arguments.patience,
                               .memory = b->arguments.memory,
                               .mpirun = b->arguments.mpirun,
                               .bounds = b->arguments.bounds,
                               .times = b->arguments.record != NULL ? &b->times : NULL,
                               .random = (uint64_t)b->arguments.seed,
                               .progress = &b->progress,
                               .heard = hear,
                               .visited = put_group,
                               .context = b};
    app_signals_install(app_rank() > 0);
    code = check_lists(&b->arguments);
    code = code ? code : bench_results_init(&b->rows);
    code = code ? code : open_files(b);
    if (!code) {
        app_progress_start(&b->progress, !b->arguments.quiet);
        code = bench_groups_find_machine(&b->groups);
    }
    code = code ? code
                : make_sweep(&b->groups.sweep, &b->arguments, b->groups.machine.cpus,
                             b->groups.machine.gpus);
    code = code ? code : prepare(b);
    if (!code) {
        code = measure(b);
        app_progress_stop(&b->progress);
        if (!code && b->times.count > 0) {
            code = bench_times_write(&b->times, b->arguments.record, b->groups.machine.cpus,
                                     b->groups.machine.gpus);
        }
        code = tell(b, code); /* what was measured is shown even where it could not be written */
    }
    clean_up(b);
    return code;
}
