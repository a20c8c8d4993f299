/* psg bench: from lists to rows. The sweep's configurations fall into groups of the same workers and policy;
   each pass visits the groups in a random order, in a child process each, and after each visit the files are
   brought up to date. */
#include "app/bench.h"
#include "app/arguments.h"
#include "app/bench_arguments.h"
#include "app/bench_files.h"
#include "app/output.h"
#include "app/programs.h"
#include "app/ranks.h"
#include "app/report.h"
#include "app/result.h"
#include "app/study.h"
#include "app/visit.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench {
    app_bench_arguments arguments;
    app_circumstances at;
    app_sweep sweep;
    app_result *result; /* of each configuration */
    app_results rows;
    app_progress progress;
    app_field_store fields;
    app_bench_files files;

    size_t *group; /* of each configuration: the number of the first one of its group */
    size_t *which, *leaders;
    unsigned *samples,
        *solves; /* of each configuration before a visit: what is taken back after a crash */
    size_t leader_count;
    double work, work_done; /* points to be solved, and solved */
    double since;
    app_facts machine;
} bench;

/* ------------------------------------------------------------------------------------- a visit */

static void hear(void *context, const app_record *record) {
    bench *b = context;
    if (record->kind == APP_RECORD_MACHINE) {
        b->machine = record->is.facts;
        return;
    }
    app_result *r = &b->result[record->config];
    psg_grid grid;
    app_config_grid(&b->sweep.config[record->config], &grid);
    switch (record->kind) {
    case APP_RECORD_FACTS:
        r->facts = record->is.facts;
        r->has_facts = 1;
        break;
    case APP_RECORD_SAMPLE:
        if (r->samples < b->arguments.repeat) {
            r->sample[r->samples++] = record->is.sample;
        }
        r->solves++;
        b->work_done += (double)app_points(&grid);
        break;
    case APP_RECORD_SOLVED:
        r->solves++;
        b->work_done += (double)app_points(&grid);
        break;
    case APP_RECORD_CHECKED:
        if (!(record->is.checked.error <= r->error)) {
            r->error = record->is.checked.error;
        }
        r->tolerance = record->is.checked.tolerance;
        break;
    case APP_RECORD_FAILED:
        snprintf(r->failed, sizeof r->failed, "%s", record->is.text);
        break;
    default:
        break;
    }
    const double left = (app_now() - b->since) * (b->work - b->work_done) / b->work_done;
    if (b->work_done > 0 && left > 0 && record->kind != APP_RECORD_BEGIN) {
        app_progress_step(&b->progress, "measured %.0f %%, %.0f s left",
                          100 * b->work_done / b->work, left);
    }
}

/* The configurations of a group that are still to be done. */
static size_t gather(bench *b, size_t leader) {
    size_t count = 0;
    for (size_t c = 0; c < b->sweep.count; c++) {
        if (b->group[c] == leader && !b->result[c].kept && !b->result[c].failed[0]) {
            b->which[count++] = c;
        }
    }
    return count;
}

static double plan_memory(const bench *b) {
    const app_config *first = &b->sweep.config[b->which[0]];
    double total, available;
    if (b->arguments.memory > 0) {
        return b->arguments.memory * 1024 * 1024 * 1024;
    }
    app_machine_memory(&total, &available);
    /* of GPUs' memory nothing is known here; StarPU makes room by moving data out, which takes time */
    const double gpus = 16.0 * 1024 * 1024 * 1024;
    return first->gpus != 0 && b->machine.gpus > 0 ? fmin(gpus, 0.5 * available) : 0.5 * available;
}

/* After a crash, what this visit has measured is forgotten, the one in work is blamed, and the others are
   done again without it. */
static void blame(bench *b, size_t count, const app_outcome *outcome) {
    for (size_t n = 0; n < count; n++) {
        app_result *r = &b->result[b->which[n]];
        r->samples = b->samples[b->which[n]];
        r->solves = b->solves[b->which[n]];
        if (!outcome->blamed && !r->failed[0]) {
            snprintf(r->failed, sizeof r->failed, "%s", outcome->why);
        }
    }
    if (outcome->blamed) {
        app_result *r = &b->result[outcome->config];
        snprintf(r->failed, sizeof r->failed, "%s", outcome->why);
    }
}

static int visit_group(bench *b, size_t leader, unsigned rounds, int calibrate, uint64_t *random) {
    for (;;) {
        const size_t count = gather(b, leader);
        app_outcome outcome;
        if (count == 0) {
            return APP_DONE;
        }
        for (size_t n = 0; n < count; n++) {
            b->samples[b->which[n]] = b->result[b->which[n]].samples;
            b->solves[b->which[n]] = b->result[b->which[n]].solves;
        }
        app_visit visit = {
            .config = b->sweep.config,
            .which = b->which,
            .count = count,
            .warm_up = (unsigned)(calibrate ? b->arguments.calibrate : b->arguments.warm_up),
            .rounds = rounds,
            .calibrate = calibrate,
            .seed = app_random(random),
            .memory = plan_memory(b),
            .fields = &b->fields};
        const int code =
            app_visit_run(&visit, &b->progress, b->arguments.patience, hear, b, &outcome);
        if (code || outcome.well) {
            return code;
        }
        blame(b, count, &outcome);
    }
}

static int needs_calibration(const bench *b, size_t leader) {
    return app_config_needs_models(&b->sweep.config[leader]) && b->arguments.calibrate > 0;
}

static int put_group(bench *b, size_t leader) {
    int code = APP_DONE, news = 0;
    b->at.models = !app_config_needs_models(&b->sweep.config[leader]) ? APP_MODELS_UNUSED
                   : b->arguments.calibrate > 0                       ? APP_MODELS_CALIBRATED
                                                                      : APP_MODELS_AS_FOUND;
    for (size_t c = 0; c < b->sweep.count && !code; c++) {
        const app_result *r = &b->result[c];
        if (b->group[c] == leader && !r->kept && (r->failed[0] || r->samples > 0)) {
            code = app_results_put(&b->rows, &b->sweep, c, &b->at, b->result);
            news = 1;
        }
    }
    return code || !news ? code : app_bench_files_save(&b->files, &b->rows.table);
}

/* -------------------------------------------------------------------------------------- sweep */

/* What needs more memory than the machine has would bring it down, not fail. */
static void refuse_too_large(bench *b) {
    double total, available;
    char needed[32], have[32];
    app_machine_memory(&total, &available);
    for (size_t c = 0; c < b->sweep.count && total > 0; c++) {
        const double bytes =
            app_config_bytes(&b->sweep.config[c]) + app_fields_bytes(&b->sweep.config[c]);
        if (bytes > total) {
            app_bytes_text(needed, sizeof needed, bytes);
            app_bytes_text(have, sizeof have, total);
            snprintf(b->result[c].failed, sizeof b->result[c].failed,
                     "needs %s of memory, and this machine has %s", needed, have);
        }
    }
}

/* Fields made here are there in every child; those of the largest grids may be left to the children. */
static void make_fields(bench *b) {
    double total, available;
    app_machine_memory(&total, &available);
    for (size_t c = 0; c < b->sweep.count; c++) {
        const app_config *config = &b->sweep.config[c];
        if (!b->result[c].kept && !b->result[c].failed[0] &&
            b->fields.count < APP_FIELDS_MOST / 2 &&
            b->fields.bytes + app_fields_bytes(config) < 0.2 * available) {
            app_progress_step(&b->progress, "making the right-hand sides");
            (void)app_fields_get(&b->fields, config); /* a child says what was wrong */
        }
    }
}

static int prepare(bench *b) {
    const size_t count = b->sweep.count;
    b->result = calloc(count, sizeof *b->result);
    b->group = calloc(count, sizeof *b->group);
    b->which = calloc(count, sizeof *b->which);
    b->leaders = calloc(count, sizeof *b->leaders);
    b->samples = calloc(count, sizeof *b->samples);
    b->solves = calloc(count, sizeof *b->solves);
    if (!b->result || !b->group || !b->which || !b->leaders || !b->samples || !b->solves) {
        return app_error(APP_FAILED, "out of memory for %zu configurations", count);
    }
    for (size_t c = 0; c < count; c++) {
        app_result *r = &b->result[c];
        r->row = app_results_find(&b->rows, &b->sweep.config[c], &b->at);
        r->kept = app_results_done(&b->rows, r->row, b->arguments.repeat);
        if (!r->kept) {
            r->sample = app_allocate(b->arguments.repeat, sizeof *r->sample, "the times");
            if (!r->sample) {
                return APP_FAILED;
            }
        }
        size_t leader = 0;
        while (!app_config_same_group(&b->sweep.config[leader], &b->sweep.config[c])) {
            leader++;
        }
        b->group[c] = leader;
        if (leader == c) {
            b->leaders[b->leader_count++] = c;
        }
    }
    return APP_DONE;
}

static unsigned rounds_of_pass(const bench *b, unsigned pass) {
    const unsigned repeat = b->arguments.repeat, passes = b->arguments.passes;
    return repeat / passes + (pass < repeat % passes);
}

static void count_work(bench *b) {
    psg_grid grid;
    for (size_t c = 0; c < b->sweep.count; c++) {
        if (b->result[c].kept || b->result[c].failed[0]) {
            continue;
        }
        app_config_grid(&b->sweep.config[c], &grid);
        double solves = needs_calibration(b, b->group[c]) ? b->arguments.calibrate : 0;
        for (unsigned pass = 0; pass < b->arguments.passes; pass++) {
            const unsigned rounds = rounds_of_pass(b, pass);
            solves += rounds ? rounds + (unsigned)b->arguments.warm_up : 0;
        }
        b->work += solves * (double)app_points(&grid);
    }
}

static int measure(bench *b) {
    uint64_t random = (uint64_t)b->arguments.seed;
    int code = APP_DONE;
    refuse_too_large(b);
    make_fields(b);
    count_work(b);
    b->since = app_now();
    for (unsigned pass = 0; pass < b->arguments.passes && !code; pass++) {
        const unsigned rounds = rounds_of_pass(b, pass);
        app_shuffle(b->leaders, b->leader_count, &random);
        for (size_t g = 0; g < b->leader_count && rounds && !code; g++) {
            const size_t leader = b->leaders[g];
            if (pass == 0 && needs_calibration(b, leader)) {
                code = visit_group(b, leader, 0, 1, &random);
            }
            if (!code) {
                code = visit_group(b, leader, rounds, 0, &random);
            }
            if (!code) {
                code = put_group(b, leader);
            }
        }
    }
    return code;
}

static int make_sweep(app_sweep *sweep, const app_bench_arguments *a, unsigned cpus,
                      unsigned gpus) {
    return a->study ? app_study_add(sweep, a->study, a->large, cpus, gpus, a->list)
                    : app_sweep_add(sweep, a->list);
}

/* Wrong lists are found before anything is read or started, whatever the machine has. */
static int check_lists(const app_bench_arguments *arguments) {
    app_sweep trial = {.count = 0};
    const int code = make_sweep(&trial, arguments, 1, 1);
    app_sweep_free(&trial);
    return code;
}

static int find_machine(bench *b) {
    app_outcome outcome;
    app_machine_find(&b->at.machine);
    app_progress_step(&b->progress, "looking for workers");
    int code = app_visit_run(NULL, &b->progress, b->arguments.patience, hear, b, &outcome);
    if (!code && !outcome.well) {
        code = app_error(APP_FAILED, "the workers cannot be found: %s", outcome.why);
    }
    return code;
}

static int tell(bench *b, int code) {
    size_t good = 0;
    if (!b->arguments.quiet && app_bench_files_leave_stdout(&b->files)) {
        app_results_print(&b->rows, &b->sweep, b->result);
    }
    code = app_bench_files_finish(&b->files, &b->rows.table, app_results_is_number, code);
    for (size_t c = 0; c < b->sweep.count; c++) {
        good += (size_t)app_results_done(&b->rows, b->result[c].row, 1);
    }
    if (!code && good == 0) {
        code = app_error(APP_FAILED, "all configurations failed, the first: %s",
                         app_results_status(&b->rows, b->result[0].row));
    }
    return code;
}

static void clean_up(bench *b) {
    app_progress_stop(&b->progress);
    app_fields_drop(&b->fields, 0);
    for (size_t c = 0; b->result && c < b->sweep.count; c++) {
        free(b->result[c].sample);
    }
    free(b->result);
    free(b->group);
    free(b->which);
    free(b->leaders);
    free(b->samples);
    free(b->solves);
    app_results_free(&b->rows);
    app_sweep_free(&b->sweep);
    free(b);
}

int app_bench(int argc, char **argv) {
    bench *b = calloc(1, sizeof *b);
    if (!b) {
        return app_error(APP_FAILED, "out of memory");
    }
    int code = app_arguments_bench(argc, argv, &b->arguments);
    if (code) {
        free(b);
        return code == APP_HELPED ? APP_DONE : code;
    }
    if (app_ranks_launched()) { /* its own processes, one for each group, cannot have MPI's too */
        free(b);
        return app_ranks_agree(
            app_error(APP_USAGE, "psg bench measures one process: start it without mpirun"));
    }
    if (b->arguments.study && app_study_is_program(b->arguments.study)) {
        code = app_programs_bench(&b->arguments);
        free(b);
        return code;
    }
    b->at.warm_up = (unsigned)b->arguments.warm_up;
    b->at.seed = (unsigned)b->arguments.seed;
    app_signals_install();
    code = check_lists(&b->arguments);
    if (!code) {
        code = app_results_init(&b->rows);
    }
    if (!code) {
        code = app_bench_files_open(&b->files, b->arguments.csv, b->arguments.json, &b->rows.table);
    }
    if (!code) {
        app_progress_start(&b->progress, !b->arguments.quiet);
        code = find_machine(b);
    }
    if (!code) {
        code = make_sweep(&b->sweep, &b->arguments, b->machine.cpus, b->machine.gpus);
    }
    if (!code) {
        code = prepare(b);
    }
    if (!code) {
        code = measure(b);
        app_progress_stop(&b->progress);
        code = tell(b, code); /* what was measured is shown even where it could not be written */
    }
    clean_up(b);
    return code;
}
