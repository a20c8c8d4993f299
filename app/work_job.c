#include "app/work_job.h"
#include "app/app.h"
#include "app/dag.h"
#include "app/load.h"
#include "app/processes.h"
#include "app/simulating.h"
#include "app/trace.h"
#include "app/versions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------- the run */

enum { JSON, TRACE, DAG, OUT, FILES };

/* NULL: it is not wanted, or it is stdout. */
typedef struct work_files {
    const char *path[FILES];
    app_output output[FILES];
} work_files;

int app_work_status(psg_status status) {
    if (status == PSG_ERR_RUNTIME) {
        app_ranks_hurry(); /* all processes but a stopped one come here at the same time */
    }
    return status == PSG_OK ? APP_DONE : app_error(app_exit_code(status), "%s", psg_last_error());
}

static int begin_files(const app_work_job *r, work_files *w) {
    const app_output_kind kinds[FILES] = {APP_OUTPUT_JSON, APP_OUTPUT_TRACE,
                                          app_dag_kind(r->arguments->dag), r->command->kind};
    const app_work_arguments *a = r->arguments;
    w->path[JSON] = a->json != NULL && strcmp(a->json, "-") == 0 ? NULL : a->json;
    w->path[TRACE] = a->trace;
    w->path[DAG] = a->dag;
    w->path[OUT] = r->out;
    const app_named_file files[] = {{"--json", w->path[JSON], false, NULL},
                                    {"--trace", w->path[TRACE], false, NULL},
                                    {"--dag", w->path[DAG], false, NULL},
                                    {"--out", w->path[OUT], false, NULL},
                                    r->in[0],
                                    r->in[1]};
    int code = app_files_differ(files, sizeof files / sizeof *files);
    code = code ? code : app_dag_check(a->dag, a->force);
    for (int f = 0; f < FILES && !code; f++) {
        if (w->path[f] != NULL) {
            code = app_output_begin(&w->output[f], w->path[f], a->force ? APP_OUTPUT_ANY : kinds[f],
                                    0);
        }
    }
    return code;
}

/* What rank 0 has begun, for the others. */
static int share_files(const app_work_job *r, work_files *w) {
    const int code = app_ranks_agree(app_rank() == 0 ? begin_files(r, w) : APP_DONE);
    if (!code) {
        app_ranks_share(w->output, sizeof w->output);
    }
    for (int f = 0; f < FILES && app_rank() > 0; f++) {
        app_output_adopt(&w->output[f]);
    }
    return code;
}

static int make(app_work_job *r) {
    const app_work_arguments *a = r->arguments;
    psg_options options = a->solver.options;
    workload_options how = {.tile = 0};
    options.comm = app_ranks_comm();
    options.record = a->bounds || a->trace != NULL || a->dag != NULL;
    how.tile = a->tile;
    how.order = (workload_order)a->order;
    how.priority = (workload_priority)a->priority;
    how.barrier = a->barrier;
    how.place = (workload_place)a->place;
    app_progress_step(&r->progress, "starting");
    int code = app_ranks_agree(r->command->create(r, &how, &options));
    if (code) {
        return code;
    }
    app_runs_note_cpus(options.cpus, &r->notes);
    app_signals_install(app_rank() > 0); /* what was loaded may have brought handlers */
    r->runs.repeat = a->repeat;
    r->runs.seconds = app_allocate(a->repeat, sizeof *r->runs.seconds, "the times");
    code = app_ranks_agree(r->runs.seconds != NULL ? APP_DONE : APP_FAILED);
    return code ? code : app_workers_find(&options, &r->runs.workers);
}

/* The tasks of a run are of many kinds and lengths, but those of each kind are alike, and spread
 * over the run. */
static double look_at_run(const void *context, char *text, size_t size) {
    const app_work_job *r = context;
    const size_t each = r->command->part_tasks;
    size_t ended = 0, tasks = 0;
    if (workload_progress(r->work, &ended, &tasks) != PSG_OK || tasks < each) {
        return 0;
    }
    (void)snprintf(text, size, ": %zu of %zu %s", ended / each, tasks / each, r->command->parts);
    return (double)ended / (double)tasks;
}

static int run_all(app_work_job *r) {
    const app_load before = app_load_now();
    const double start = psg_clock();
    for (unsigned m = 0; m < r->runs.repeat; m++) {
        app_progress_part(&r->progress, "running", m, r->runs.repeat, look_at_run, r);
        psg_status status = workload_run(r->work);
        if (status == PSG_OK) {
            status = psg_work_statistics(workload_work(r->work), &r->statistics);
        }
        if (status != PSG_OK) {
            return app_work_status(status);
        }
        r->runs.seconds[m] = r->statistics.seconds; /* without what comes before the first task */
        if (r->arguments->trace != NULL &&
            app_ranks_agree(app_record_take(&r->record, workload_work(r->work)))) {
            return APP_FAILED;
        }
    }
    r->runs.total = psg_clock() - start;
    const app_load after = app_load_now();
    r->runs.load = app_ranks() == 1 ? app_load_between(&before, &after) : NAN;
    app_ranks_max(r->runs.seconds, r->runs.repeat);
    app_ranks_max(&r->runs.total, 1);
    return app_runs_times(&r->runs);
}

/* What there is to tell of the last run. */
static int look(app_work_job *r) {
    app_work_share *all = &r->all;
    psg_status status =
        psg_work_tasks(workload_work(r->work), all->tasks, APP_WORK_TASKS, &all->kinds);
    const int code = app_work_shares_join(all, &r->shares, &r->statistics);
    if (code) {
        return code;
    }
    r->runs.submit = r->statistics.submit;
    if (status == PSG_OK && r->arguments->bounds) {
        app_progress_step(&r->progress, "measuring memory");
        status = psg_work_bounds(workload_work(r->work), &r->runs.bounds);
        app_runs_join_bounds(&r->runs.bounds);
    }
    if (status == PSG_OK) {
        status = workload_answers(r->work, r->answers, APP_WORK_ANSWERS, &r->count);
    }
    const bool graph_alone = r->arguments->dag != NULL && r->arguments->trace == NULL;
    return status == PSG_OK && graph_alone ? app_record_take(&r->record, workload_work(r->work))
                                           : app_work_status(status);
}

/* ------------------------------------------------------------------------------------- results */

static void print(const app_work_job *r) {
    app_say("workload  %s: %s\n", r->workload, workload_about(r->work));
    if (app_simulation_machine() != NULL) {
        app_say("machine   %s, simulated: times are those that it would take, and nothing is "
                "computed\n",
                app_simulation_machine());
    }
    app_runs_print_workers(&r->runs);
    app_runs_print_executor(&r->runs);
    for (size_t k = 0; k < r->all.kinds; k++) {
        const psg_kind_tasks *t = &r->all.tasks[k];
        const char *joint = ":";
        printf("%s %s", k == 0 ? "tasks    " : "         ", psg_stage_name(t->stage));
        for (int gpu = 0; gpu < 2; gpu++) {
            if (t->tasks[gpu] > 0) {
                printf("%s %.0f on %s in %.4g s", joint, (double)t->tasks[gpu],
                       gpu ? "GPUs" : "cores", t->seconds[gpu]);
                joint = ",";
            }
        }
        printf("\n");
    }
    app_work_shares_print(r->shares);
    printf("start     %.3g s\n", r->statistics.make_seconds);
    app_runs_print_times(&r->runs);
    app_runs_print_bounds(&r->runs);
    app_runs_print_links(r->statistics.link);
    r->command->print(r);
}

static json_t *json_answers(const app_work_job *r) {
    json_t *answers = json_object();
    for (size_t m = 0; m < r->count; m++) {
        const workload_answer *a = &r->answers[m];
        json_t *one = json_object();
        app_json_put_real(one, "value", a->value);
        app_json_put_real(one, "expected", isfinite(a->tolerance) ? a->expected : NAN);
        app_json_put_real(one, "tolerance", a->tolerance);
        app_json_put(answers, a->name, one);
    }
    return answers;
}

static int write_json(const app_work_job *r, const char *path) {
    const app_work_arguments *a = r->arguments;
    json_t *root = json_object();
    app_json_put_text(root, "command", r->command->name);
    app_json_put(root, "status", json_integer(r->status));
    app_json_put_text(root, "workload", r->workload);
    app_json_put_text(root, "about", workload_about(r->work));
    app_json_put_text(root, "simulated", app_simulation_machine());
    app_json_put(root, "tile", a->tile > 0 ? json_integer(a->tile) : NULL);
    app_json_put_text(root, "priority", app_work_priorities[a->priority].name);
    r->command->report(r, root);
    app_runs_json_executor(&r->runs, root);
    app_json_put(root, "ranks", json_integer(app_ranks()));
    app_json_put(root, "workers", app_json_workers(&r->runs.workers));
    app_json_put_size(root, "repeat", r->runs.repeat);
    app_json_put(root, "seconds", app_runs_json_times(&r->runs));
    app_json_put(root, "tasks", app_work_share_json(&r->all));
    app_json_put(root, "shares", app_work_shares_json(r->shares));
    app_json_put(root, "links", app_runs_json_links(r->statistics.link));
    if (r->runs.bounds.seconds > 0) {
        app_json_put(root, "bounds", app_runs_json_bounds(&r->runs));
    }
    app_json_put(root, "answers", json_answers(r));
    app_json_put(root, "notes", app_json_notes(&r->notes));
    app_json_put(root, "options", app_json_options(&a->solver.options));
    app_json_put(root, "versions", app_json_versions());
    return app_json_write(root, path, a->json);
}

/* Of rank 0. */
static int write_files(app_work_job *r, const work_files *w) {
    int code = APP_DONE;
    if (!code && w->path[TRACE] != NULL) {
        json_t *about = app_runs_about(&r->runs);
        app_json_put_text(about, "workload", r->workload);
        code = app_trace_write(&r->record, w->output[TRACE].temporary, w->path[TRACE],
                               &r->runs.workers, about);
    }
    if (!code && w->path[DAG] != NULL) {
        code = app_dag_write(&r->record, &r->runs.workers, &r->arguments->solver.options,
                             w->output[DAG].temporary, w->path[DAG]);
    }
    if (!code && w->path[OUT] != NULL) {
        code = r->command->write(r, w->output[OUT].temporary, w->path[OUT]);
    }
    const bool to_stdout = r->arguments->json != NULL && w->path[JSON] == NULL;
    if (!code && !r->arguments->quiet && !to_stdout) {
        print(r);
    }
    if (!code && r->arguments->json != NULL) {
        code = write_json(r, to_stdout ? NULL : w->output[JSON].temporary);
    }
    return code;
}

/* A wrong answer is told of, too. */
static int finish(app_work_job *r, work_files *w) {
    const psg_status right = r->count > 0 ? workload_check(r->work) : PSG_OK;
    r->status =
        app_ranks_agree(right == PSG_OK ? APP_DONE : app_error(APP_FAILED, "%s", psg_last_error()));
    app_progress_stop(&r->progress);
    app_runs_note_load(&r->runs, &r->notes);
    app_runs_note_executor(&r->runs, &r->arguments->solver.options, &r->notes);
    int code = r->record.rows[APP_RECORD_RUNS] > 0 ? app_record_join(&r->record) : APP_DONE;
    code = code || app_rank() > 0 ? code : write_files(r, w);
    for (int f = 0; f < FILES && !code; f++) {
        code = w->path[f] != NULL ? app_output_commit(&w->output[f]) : APP_DONE;
    }
    code = app_ranks_agree(code);
    return code ? code : r->status;
}

static void clean_up(app_work_job *r) {
    app_progress_stop(&r->progress);
    workload_destroy(r->work);
    app_record_free(&r->record);
    app_workers_free(&r->runs.workers);
    free(r->shares);
    free(r->runs.seconds);
}

int app_work_perform(app_work_job *r) {
    static int (*const steps[])(app_work_job *) = {make, run_all, look};
    work_files files = {.path = {NULL}};
    r->runs.what = "run";
    r->notes.quiet = r->arguments->quiet || app_rank() > 0;
    app_signals_install(app_rank() > 0);
    app_progress_start(&r->progress, !r->notes.quiet);
    int code = app_ranks_agree(app_ranks_limit(r->arguments->solver.options.time_limit));
    code = code ? code : share_files(r, &files);
    for (size_t step = 0; step < sizeof steps / sizeof steps[0] && !code; step++) {
        code = app_ranks_agree(steps[step](r));
    }
    if (!code) {
        code = finish(r, &files);
    }
    clean_up(r);
    for (int f = 0; f < FILES; f++) {
        app_output_discard(&files.output[f]);
    }
    return code;
}

void app_work_arguments_init(app_work_arguments *arguments) {
    arguments->repeat = 1;
    app_options_init(&arguments->solver);
}

int app_work_arguments_check(const app_work_arguments *a) {
    if (a->solver.options.cpus == 0 && a->solver.options.gpus == 0) {
        return app_error(APP_USAGE, "--cpus 0 --gpus 0: nothing is left to run on");
    }
    return app_simulation_choose(a->solver.options.machine, NULL);
}
