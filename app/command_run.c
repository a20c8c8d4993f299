/* psg run: a workload, from a command line to an answer that was checked and a report. */
#include "app/commands.h"
#include "app/processes.h"
#include "app/work_job.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ----------------------------------------------------------------------------- the command line */

typedef struct run_arguments {
    app_work_arguments work;
    const char *name;
} run_arguments;

#define FIELD(member) offsetof(app_work_arguments, member) /* which is the first member */

static const app_option_row rows[] = {
    {"Task graph", "tile", "T", app_value_unsigned, FIELD(tile), NULL, "a whole number from 1",
     "the size of a task, in the workload's own measure; default: the workload's own", true},
    {NULL, "order", "listed|longest", app_value_choice, FIELD(order), app_work_orders, NULL,
     "the order of submission of tasks that wait for no other task; default: listed", false},
    APP_PRIORITY_ROW,
    {NULL, "place", "free|static|guided", app_value_choice, FIELD(place), app_work_places, NULL,
     "who takes a task that waits for no other one: as the policy decides; an equal share for each "
     "worker; or pieces that become shorter, as in a guided loop of OpenMP; default: free",
     false},
    APP_FLAG_ROW(NULL, barrier, "each phase of the workload begins when the one before has ended"),
    APP_SOLVER_ROW(NULL, "precision", FIELD(solver),
                   "of the workload's numbers; pcg: of its solves; default: f64"),
    APP_WORK_ROWS,
    {.name = NULL}};

/* The columns of sentences: the longest name of a workload stands before LEFT. */
enum { LEFT = 12, WIDTH = 77 };

static void print_sentence(const char *left, const char *label, const char *words) {
    char text[1024];
    (void)snprintf(text, sizeof text, "%s%s.", label, words);
    app_help_wrap(text, LEFT, WIDTH, printf("  %-*s ", LEFT - 3, left));
}

static void print_workloads(void) {
    const workload_facts *w = NULL;
    for (size_t m = 0; (w = workload_at(m)) != NULL; m++) {
        print_sentence(w->name, "", w->about);
        print_sentence("", "SIZE: ", w->sizes);
        if (w->tile != NULL) {
            print_sentence("", "--tile ", w->tile);
        }
        if (w->processes) {
            print_sentence("", "mpirun: ", "processes share the work");
        }
    }
}

static const app_command_text run_text = {
    .name = "run",
    .rows = rows,
    .intro =
        "Usage: psg run NAME:SIZE [OPTION]...\n"
        "\n"
        "Run a workload: a task graph of another shape than a solve's, which computes\n"
        "something real, to compare scheduling policies with. All cores and GPUs take its tasks,\n"
        "as the policy decides. The answer is always checked.\n"
        "\n"
        "Workloads:\n",
    .print_list = print_workloads,
    .end = "Examples:\n"
           "  psg run ep:S\n"
           "         2^24 pairs, on all workers\n"
           "  psg run ep:W --tile 20 --sched eager --gpus 0 --bounds\n"
           "         larger tasks, on cores, and how short that could have been\n"
           "  mpirun -n 4 psg run ep:W\n"
           "         four processes share the work\n"
           "\n"
           "Exit status:\n"
           "  0      done, and the answer was right\n"
           "  1      failed, or the answer was wrong\n"
           "  2      the command line has to be changed\n",
    .operand = "NAME:SIZE"};

/* ------------------------------------------------------------------------------------- the run */

static int create(app_work_job *r, const workload_options *how, const psg_options *options) {
    return app_work_status(workload_create(&r->work, r->workload, how, options));
}

static void print(const app_work_job *r) {
    const char *label = "answer   ";
    for (size_t m = 0; m < r->count; m++) {
        const workload_answer *a = &r->answers[m];
        if (a->value == 0 && a->expected == 0) {
            continue;
        }
        printf("%s %-9s ", label, a->name);
        label = "         ";
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

static void report(const app_work_job *r, json_t *root) {
    const app_work_arguments *a = r->arguments;
    app_json_put_text(root, "order", app_work_orders[a->order].name);
    app_json_put(root, "barrier", json_boolean(a->barrier));
    app_json_put_text(root, "place", app_work_places[a->place].name);
}

static const app_work_command run_command = {.name = "run",
                                             .create = create,
                                             .print = print,
                                             .report = report,
                                             .parts = "tasks",
                                             .part_tasks = 1};

static int read_arguments(int argc, char **argv, run_arguments *a) {
    app_work_arguments_init(&a->work);
    const int code = app_arguments_parse_operand(&run_text, "say what to run: psg run ep:S", argc,
                                                 argv, a, &a->name);
    return code ? code : app_work_arguments_check(&a->work);
}

int app_run(int argc, char **argv) {
    run_arguments arguments = {.name = NULL};
    app_work_job job = {.command = &run_command, .arguments = &arguments.work};
    const int code = app_ranks_agree(read_arguments(argc, argv, &arguments));
    job.workload = arguments.name;
    if (!code && strncmp(arguments.name, "replay:", 7) == 0) {
        job.in[0] = (app_named_file){"replay", arguments.name + 7, true, NULL};
    }
    return code == APP_HELPED ? APP_DONE : code ? code : app_work_perform(&job);
}
