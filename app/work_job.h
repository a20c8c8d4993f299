/** @file work_job.h  A workload from a command line to a report: what the commands that run one
 * share. */
#ifndef PSG_APP_WORK_JOB_H
#define PSG_APP_WORK_JOB_H

#include "app/arguments.h"
#include "app/members.h"
#include "app/output.h"
#include "app/progress.h"
#include "app/record.h"
#include "app/runs.h"
#include "app/work_shares.h"
#include "workloads/workload.h"

/** What these commands get from their command lines; the first member of their own structs of
 * arguments. */
typedef struct app_work_arguments {
    app_options solver;
    unsigned tile, repeat;
    int order, priority, place;
    bool barrier, bounds, force, quiet;
    const char *json, *trace, *dag;
} app_work_arguments;

/** Rows of their tables: FIELD(member) is the offset of a member of app_work_arguments. */
#define APP_PRIORITY_ROW                                                                           \
    {                                                                                              \
        NULL, "priority", "none|path", app_value_choice, FIELD(priority), app_work_priorities,     \
            NULL,                                                                                  \
            "the priority of a task, for policies that look at it; path: the longer the path "     \
            "from it to "                                                                          \
            "the end, the higher; default: none",                                                  \
            false                                                                                  \
    }
#define APP_WORK_ROWS                                                                              \
    APP_FIRST_SOLVER_ROW("Machine", "cpus", FIELD(solver),                                         \
                         "CPU workers; all: one per core; default: all"),                          \
        APP_FIRST_SOLVER_ROW(NULL, "gpus", FIELD(solver), NULL),                                   \
        APP_FIRST_SOLVER_ROW(NULL, "policy", FIELD(solver), NULL),                                 \
        APP_SOLVER_ROW(NULL, "calibrate", FIELD(solver), NULL),                                    \
        APP_SOLVER_ROW(NULL, "cache_dir", FIELD(solver), NULL),                                    \
        APP_SOLVER_ROW(NULL, "machine", FIELD(solver), NULL),                                      \
        APP_SOLVER_ROW("Processes", "time_limit", FIELD(solver), NULL),                            \
        APP_JSON_ROW("write all results and times"), APP_RECORD_ROWS("run"), APP_FORCE_ROW,        \
        APP_QUIET_ROW, {                                                                           \
        "Runs", "repeat", "N", app_value_unsigned, FIELD(repeat), NULL, "a whole number from 1",   \
            "run N times; prints the median and the minimum of the times; default: 1", false       \
    }

typedef struct app_work_job app_work_job;

/** What a command does in its own way. */
typedef struct app_work_command {
    const char *name; /**< "run" */
    /** Make job->work. @return APP_DONE; an exit code after a message */
    int (*create)(app_work_job *job, const workload_options *how, const psg_options *options);
    /** Lines on stdout about the answer. */
    void (*print)(const app_work_job *job);
    /** Its own part of the JSON report. */
    void (*report)(const app_work_job *job, json_t *root);
    /** The file `out`; NULL: there is none. @return APP_DONE; an exit code after a message */
    int (*write)(const app_work_job *job, const char *path, const char *shown);
    app_output_kind kind; /**< of this file */
    const char *parts; /**< what progress counts: "tasks"; each is part_tasks tasks of the graph */
    size_t part_tasks;
} app_work_command;

enum { APP_WORK_ANSWERS = 64 };

/** All 0 but for the first six. */
struct app_work_job {
    const app_work_command *command;
    const app_work_arguments *arguments;
    void *own;            /**< the command's */
    const char *workload; /**< "ep:S" */
    const char *out;      /**< NULL: it is not wanted */
    app_named_file in[2]; /**< what it reads */
    app_notes notes;
    app_progress progress;
    app_runs runs;
    app_record record;
    workload *work;
    psg_run_statistics statistics;
    app_work_share all;     /**< of all processes; in other processes than rank 0 their own */
    app_work_share *shares; /**< [ranks], on rank 0 */
    workload_answer answers[APP_WORK_ANSWERS];
    size_t count;
    int status;
};

/** Defaults, before the command line is read. */
void app_work_arguments_init(app_work_arguments *arguments);
/** What the options say together. @return APP_DONE; APP_USAGE after a message */
int app_work_arguments_check(const app_work_arguments *arguments);

/** A message of the library's, unless all is well. @return the exit code */
int app_work_status(psg_status status);

/** From the files that it will write to the end. Collective. @return the exit code, after messages,
 * the same in all processes */
int app_work_perform(app_work_job *job);

#endif
