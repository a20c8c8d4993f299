/* psg run: a workload, from a command line to an answer that was checked and a report. */
#include "app/arguments.h"
#include "app/commands.h"
#include "app/dag.h"
#include "app/load.h"
#include "app/output.h"
#include "app/processes.h"
#include "app/progress.h"
#include "app/runs.h"
#include "app/simulating.h"
#include "app/trace.h"
#include "app/versions.h"
#include "app/work_words.h"
#include "graph/psg_work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------ the command line */

typedef struct run_arguments {
    const char *name;
    app_options solver;
    unsigned tile, repeat;
    int order, priority, place;
    bool barrier, bounds, force, quiet;
    const char *json, *trace, *dag;
} run_arguments;

#define FIELD(member) offsetof(run_arguments, member)
#define SOLVER(heading, name) APP_SOLVER_ROW(heading, name, FIELD(solver), NULL)

static const app_option_row rows[] = {
    {"Task graph", "tile", "T", app_value_unsigned, FIELD(tile), NULL, "a whole number from 1",
     "the size of a task, in the workload's own measure; default: the workload's own"},
    {NULL, "order", "listed|longest", app_value_choice, FIELD(order), app_work_orders, NULL,
     "the order of submission of tasks that wait for no other task; default: listed"},
    {NULL, "priority", "none|path", app_value_choice, FIELD(priority), app_work_priorities, NULL,
     "the priority of a task, for policies that look at it; path: the longer the path from it to "
     "the end, the higher; default: none"},
    {NULL, "place", "free|static|guided", app_value_choice, FIELD(place), app_work_places, NULL,
     "who takes a task that waits for no other one: as the policy decides; an equal share for each "
     "worker; or pieces that become shorter, as in a guided loop of OpenMP; default: free"},
    APP_FLAG_ROW(NULL, barrier, "each phase of the workload begins when the one before has ended"),
    APP_SOLVER_ROW(NULL, "precision", FIELD(solver),
                   "of the workload's numbers; pcg: of its solves; default: f64"),
    APP_SOLVER_ROW("Machine", "cpus", FIELD(solver),
                   "CPU workers; all: one per core; default: all"),
    SOLVER(NULL, "gpus"),
    SOLVER(NULL, "policy"),
    SOLVER(NULL, "calibrate"),
    SOLVER(NULL, "cache_dir"),
    SOLVER(NULL, "machine"),
    APP_JSON_ROW("write all results and times"),
    APP_RECORD_ROWS("run"),
    APP_FORCE_ROW,
    APP_QUIET_ROW,
    {"Runs", "repeat", "N", app_value_unsigned, FIELD(repeat), NULL, "a whole number from 1",
     "run N times; prints the median and the minimum of the times; default: 1"},
    {.name = NULL}};

static app_command_text run_text = {
    "run", rows,
    "Usage: psg run NAME:SIZE [OPTION]...\n"
    "\n"
    "Run a workload: a task graph of another shape than a solve's, which computes\n"
    "something real, to compare scheduling policies with. All cores and GPUs take its tasks,\n"
    "as the policy decides. The answer is always checked.\n"
    "\n"
    "Workloads:\n",
    "Examples:\n"
    "  psg run ep:S\n"
    "         2^24 pairs, on all workers\n"
    "  psg run ep:W --tile 20 --sched eager --gpus 0 --bounds\n"
    "         larger tasks, on cores, and how short that could have been\n"
    "\n"
    "Exit status:\n"
    "  0      done, and the answer was right\n"
    "  1      failed, or the answer was wrong\n"
    "  2      the command line has to be changed\n",
    "NAME:SIZE"};

/* ------------------------------------------------------------------------------------- the run */

enum { JSON, TRACE, DAG, FILES, TASKS_MOST = 64, ANSWERS_MOST = 64 };

typedef struct run_job {
    run_arguments arguments;
    const char *path[FILES]; /* NULL: it is not wanted, or it is stdout */
    app_output file[FILES];
    app_notes notes;
    app_progress progress;
    app_runs runs;
    app_trace trace;
    app_dag dag;
    psg_work *work;
    psg_run_statistics statistics;
    psg_kind_tasks tasks[TASKS_MOST];
    size_t kinds;
    psg_answer answers[ANSWERS_MOST];
    size_t count;
    int status;
} run_job;

static int library_failed(psg_status status) {
    return app_error(app_exit_code(status), "%s", psg_last_error());
}

static int begin_files(run_job *r) {
    static const app_output_kind kinds[FILES] = {APP_OUTPUT_JSON, APP_OUTPUT_TRACE, APP_OUTPUT_DAG};
    const run_arguments *a = &r->arguments;
    r->path[JSON] = a->json != NULL && strcmp(a->json, "-") == 0 ? NULL : a->json;
    r->path[TRACE] = a->trace;
    r->path[DAG] = a->dag;
    const app_named_file files[FILES] = {{"--json", r->path[JSON], false},
                                         {"--trace", r->path[TRACE], false},
                                         {"--dag", r->path[DAG], false}};
    int code = app_files_differ(files, FILES);
    for (int f = 0; f < FILES && !code; f++) {
        if (r->path[f] != NULL) {
            code =
                app_output_begin(&r->file[f], r->path[f], a->force ? APP_OUTPUT_ANY : kinds[f], 0);
        }
    }
    return code;
}

static int make(run_job *r) {
    const run_arguments *a = &r->arguments;
    psg_options options = a->solver.options;
    psg_work_options how;
    options.record = a->bounds || a->trace != NULL || a->dag != NULL;
    psg_work_options_init(&how);
    how.tile = a->tile;
    how.order = (psg_work_order)a->order;
    how.priority = (psg_work_priority)a->priority;
    how.barrier = a->barrier;
    how.place = (psg_work_place)a->place;
    app_progress_step(&r->progress, "starting");
    const psg_status status = psg_work_create(&r->work, a->name, &how, &options);
    if (status != PSG_OK) {
        return library_failed(status);
    }
    app_runs_note_cpus(options.cpus, &r->notes);
    app_signals_install(false); /* what was loaded may have brought handlers */
    if (options.cpus != 0 && options.gpus != 0) {
        options.cpu_share = PSG_CPU_SHARE_FREE; /* as the library has it */
    }
    r->runs.repeat = a->repeat;
    r->runs.seconds = app_allocate(a->repeat, sizeof *r->runs.seconds, "the times");
    return r->runs.seconds != NULL ? app_workers_find(&options, &r->runs.workers) : APP_FAILED;
}

static int run_all(run_job *r) {
    const app_load before = app_load_now();
    const double start = psg_clock();
    for (unsigned m = 0; m < r->runs.repeat; m++) {
        app_progress_step(&r->progress, "running %u/%u", m + 1, r->runs.repeat);
        psg_status status = psg_work_run(r->work);
        if (status == PSG_OK) {
            status = psg_work_statistics(r->work, &r->statistics);
        }
        if (status != PSG_OK) {
            return library_failed(status);
        }
        r->runs.seconds[m] = r->statistics.seconds; /* without what comes before the first task */
        if (r->arguments.trace != NULL && app_trace_take(&r->trace, r->work)) {
            return APP_FAILED;
        }
    }
    r->runs.total = psg_clock() - start;
    const app_load after = app_load_now();
    r->runs.load = app_load_between(&before, &after);
    return app_runs_times(&r->runs);
}

/* What there is to tell of the last run. */
static int look(run_job *r) {
    psg_status status = psg_work_tasks(r->work, r->tasks, TASKS_MOST, &r->kinds);
    if (status == PSG_OK && r->arguments.bounds) {
        app_progress_step(&r->progress, "measuring memory");
        status = psg_work_bounds(r->work, &r->runs.bounds);
    }
    if (status == PSG_OK) {
        status = psg_work_answers(r->work, r->answers, ANSWERS_MOST, &r->count);
    }
    if (status != PSG_OK) {
        return library_failed(status);
    }
    return r->arguments.dag != NULL ? app_dag_take(&r->dag, r->work) : APP_DONE;
}

/* ------------------------------------------------------------------------------------- results */

static void print(const run_job *r) {
    app_say("workload  %s: %s\n", r->arguments.name, psg_work_about(r->work));
    if (app_simulation_machine() != NULL) {
        app_say("machine   %s, simulated: times are those that it would take, and nothing is "
                "computed\n",
                app_simulation_machine());
    }
    app_runs_print_workers(&r->runs);
    for (size_t k = 0; k < r->kinds; k++) {
        const psg_kind_tasks *t = &r->tasks[k];
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
    printf("start     %.3g s\n", r->statistics.make_seconds);
    app_runs_print_times(&r->runs);
    app_runs_print_bounds(&r->runs);
    app_runs_print_links(r->statistics.link);
    for (size_t m = 0; m < r->count; m++) {
        const psg_answer *a = &r->answers[m];
        if (a->value == 0 && a->expected == 0) {
            continue;
        }
        printf("%s %-9s ", m == 0 ? "answer   " : "         ", a->name);
        if (!isfinite(a->tolerance)) {
            printf("%.15g\n", a->value);
        } else if (a->expected == 0) {
            printf("%.3g; at most %.3g\n", a->value, a->tolerance);
        } else {
            printf("%.15g; known %.15g, difference %.1e\n", a->value, a->expected,
                   a->value - a->expected);
        }
    }
}

static json_t *json_tasks(const run_job *r) {
    json_t *kinds = json_object();
    for (size_t k = 0; k < r->kinds; k++) {
        const psg_kind_tasks *t = &r->tasks[k];
        app_json_put(kinds, psg_stage_name(t->stage),
                     json_pack("{s{sI sf} s{sI sf}}", "cores", "tasks", (json_int_t)t->tasks[0],
                               "seconds", t->seconds[0], "gpus", "tasks", (json_int_t)t->tasks[1],
                               "seconds", t->seconds[1]));
    }
    return kinds;
}

static json_t *json_answers(const run_job *r) {
    json_t *answers = json_object();
    for (size_t m = 0; m < r->count; m++) {
        const psg_answer *a = &r->answers[m];
        json_t *one = json_object();
        app_json_put_real(one, "value", a->value);
        app_json_put_real(one, "expected", isfinite(a->tolerance) ? a->expected : NAN);
        app_json_put_real(one, "tolerance", a->tolerance);
        app_json_put(answers, a->name, one);
    }
    return answers;
}

static int write_json(run_job *r) {
    const run_arguments *a = &r->arguments;
    json_t *root = json_object();
    app_json_put_text(root, "command", "run");
    app_json_put(root, "status", json_integer(r->status));
    app_json_put_text(root, "workload", a->name);
    app_json_put_text(root, "about", psg_work_about(r->work));
    app_json_put_text(root, "simulated", app_simulation_machine());
    app_json_put(root, "tile", a->tile > 0 ? json_integer(a->tile) : NULL);
    app_json_put_text(root, "order", app_work_orders[a->order].name);
    app_json_put_text(root, "priority", app_work_priorities[a->priority].name);
    app_json_put(root, "barrier", json_boolean(a->barrier));
    app_json_put_text(root, "place", app_work_places[a->place].name);
    app_json_put_text(root, "policy", r->runs.workers.policy);
    app_json_put(root, "workers", app_json_workers(&r->runs.workers));
    app_json_put_size(root, "repeat", r->runs.repeat);
    app_json_put(root, "seconds", app_runs_json_times(&r->runs));
    app_json_put(root, "tasks", json_tasks(r));
    app_json_put(root, "links", app_runs_json_links(r->statistics.link));
    if (r->runs.bounds.seconds > 0) {
        app_json_put(root, "bounds", app_runs_json_bounds(&r->runs));
    }
    app_json_put(root, "answers", json_answers(r));
    app_json_put(root, "notes", app_json_notes(&r->notes));
    app_json_put(root, "options", app_json_options(&a->solver.options));
    app_json_put(root, "versions", app_json_versions());
    return app_json_write(root, r->path[JSON] != NULL ? r->file[JSON].temporary : NULL, a->json);
}

/* A wrong answer is told of, too. */
static int finish(run_job *r) {
    const psg_status right = r->count > 0 ? psg_work_check(r->work) : PSG_OK;
    r->status = right == PSG_OK ? APP_DONE : app_error(APP_FAILED, "%s", psg_last_error());
    int code = APP_DONE;
    app_progress_stop(&r->progress);
    app_runs_note_load(&r->runs, &r->notes);
    if (r->path[TRACE] != NULL) {
        json_t *about = app_runs_about(&r->runs);
        app_json_put_text(about, "workload", r->arguments.name);
        code = app_trace_write(&r->trace, r->file[TRACE].temporary, r->path[TRACE],
                               &r->runs.workers, about);
    }
    if (!code && r->path[DAG] != NULL) {
        code = app_dag_write(&r->dag, r->file[DAG].temporary, r->path[DAG]);
    }
    const bool to_stdout = r->arguments.json != NULL && r->path[JSON] == NULL;
    if (!code && !r->arguments.quiet && !to_stdout) {
        print(r);
    }
    if (!code && r->arguments.json != NULL) {
        code = write_json(r);
    }
    for (int f = 0; f < FILES && !code; f++) {
        code = r->path[f] != NULL ? app_output_commit(&r->file[f]) : APP_DONE;
    }
    return code ? code : r->status;
}

static void clean_up(run_job *r) {
    app_progress_stop(&r->progress);
    psg_work_destroy(r->work);
    for (int f = 0; f < FILES; f++) {
        app_output_discard(&r->file[f]);
    }
    app_trace_free(&r->trace);
    app_dag_free(&r->dag);
    app_workers_free(&r->runs.workers);
    free(r->runs.seconds);
    free(r);
}

/* What a text of the help has so far. */
typedef struct help_text {
    char text[8192];
    size_t used;
    int column;
} help_text;

static void put(help_text *to, const char *words, size_t length) {
    const size_t room = sizeof to->text - to->used;
    const int put = snprintf(to->text + to->used, room, "%.*s", (int)length, words);
    to->used += (size_t)put < room ? (size_t)put : room - 1;
    to->column += (int)length;
}

/* A sentence from column LEFT on, broken into lines of at most WIDTH. */
static void put_sentence(help_text *to, const char *label, const char *words) {
    enum { LEFT = 9, WIDTH = 88 };
    const char *const parts[] = {label, words, "."};
    to->column = LEFT;
    for (size_t m = 0; m < sizeof parts / sizeof *parts; m++) {
        for (const char *word = parts[m]; *word != '\0';) {
            const size_t length = strcspn(word, " ") + (strchr(word, ' ') != NULL);
            if (to->column + (int)length > WIDTH) {
                to->used -= to->text[to->used - 1] == ' ';
                put(to, "\n         ", LEFT + 1);
                to->column = LEFT;
            }
            put(to, word, length);
            word += length;
        }
    }
    put(to, "\n", 1);
}

/* The help has the library's list of workloads. */
static const char *intro(void) {
    static help_text to;
    const psg_workload *w = NULL;
    to.used = 0;
    put(&to, run_text.intro, strlen(run_text.intro));
    for (size_t m = 0; (w = psg_workload_at(m)) != NULL; m++) {
        char name[16];
        put(&to, name, (size_t)snprintf(name, sizeof name, "  %-6s ", w->name));
        put_sentence(&to, "", w->about);
        put(&to, "         ", 9);
        put_sentence(&to, "SIZE: ", w->sizes);
        if (w->tile != NULL) {
            put(&to, "         ", 9);
            put_sentence(&to, "--tile ", w->tile);
        }
    }
    return to.text;
}

/* NAME:SIZE stands first, in the place that parsing takes for the command's name. */
static int read_arguments(int argc, char **argv, run_arguments *a) {
    const bool named = argc > 1 && argv[1][0] != '-';
    a->repeat = 1;
    app_options_init(&a->solver);
    a->name = named ? argv[1] : NULL;
    run_text.intro = intro();
    const int code = app_arguments_parse(&run_text, argc - named, argv + named, a);
    if (code) {
        return code;
    }
    if (a->name == NULL) {
        return app_error(APP_USAGE, "say what to run: psg run ep:S");
    }
    if (app_ranks() > 1) {
        return app_error(APP_USAGE, "psg run is for one process: start it without mpirun");
    }
    if (a->solver.options.cpus == 0 && a->solver.options.gpus == 0) {
        return app_error(APP_USAGE, "--cpus 0 --gpus 0: nothing is left to run on");
    }
    return app_simulation_choose(a->solver.options.machine, NULL);
}

int app_run(int argc, char **argv) {
    static int (*const steps[])(run_job *) = {begin_files, make, run_all, look, finish};
    run_job *r = calloc(1, sizeof *r);
    int code = app_ranks_agree(r != NULL ? APP_DONE : app_error(APP_FAILED, "out of memory"));
    if (!code) {
        code = app_ranks_agree(read_arguments(argc, argv, &r->arguments));
    }
    if (code) {
        free(r);
        return code == APP_HELPED ? APP_DONE : code;
    }
    r->runs.what = "run";
    r->notes.quiet = r->arguments.quiet;
    app_signals_install(false);
    app_progress_start(&r->progress, !r->notes.quiet);
    for (size_t step = 0; step < sizeof steps / sizeof steps[0] && !code; step++) {
        code = steps[step](r);
    }
    clean_up(r);
    return code;
}
