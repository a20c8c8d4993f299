/** @file runs.h  What is told of runs on workers, whatever they compute: times, bounds, workers. */
#ifndef PSG_APP_RUNS_H
#define PSG_APP_RUNS_H

#include "app/json.h"
#include "app/rank_workers.h"
#include "app/words.h"
#include "graph/psg_observe.h"

typedef struct app_runs {
    const char *what; /**< "solve" or "run", in lines and in names of JSON */
    app_workers workers;
    double *seconds; /**< of each run */
    unsigned repeat; /**< how many there are */
    double total;    /**< of all together, from the first one's start to the last one's end */
    double median, minimum;
    double load;                  /**< cores that others kept busy meanwhile; NAN: not known */
    psg_bounds bounds;            /**< of the latest run; all 0 if nobody asked */
    psg_submit_statistics submit; /**< of the latest run, too; tasks of all processes */
} app_runs;

/** Set median and minimum from seconds. @return APP_DONE; APP_FAILED after a message */
int app_runs_times(app_runs *runs);

/** The bounds of all processes, largest ones and sums of bytes. Collective. */
void app_runs_join_bounds(psg_bounds *bounds);

/** Note that more workers were asked for than there are cores, or that others kept the cores
 *  busy. */
void app_runs_note_cpus(int cpus, app_notes *notes);
void app_runs_note_load(const app_runs *runs, app_notes *notes);
/** Note that the policy which the options or STARPU_SCHED name decided nothing, or that the
 *  executor which the options name did not run the tasks. */
void app_runs_note_executor(const app_runs *runs, const psg_options *asked, app_notes *notes);

/** Lines on stdout. @param[in] link_of  [PSG_LINK_COUNT] */
void app_runs_print_workers(const app_runs *runs);
void app_runs_print_executor(const app_runs *runs);
void app_runs_print_times(const app_runs *runs);
void app_runs_print_bounds(const app_runs *runs);
void app_runs_print_links(const psg_link_statistics *link_of);

/** The scheduling policy that placed so many tasks, or those of the latest run. @return NULL: it
 *  placed none */
const char *app_policy_of(const app_workers *workers, size_t placed_tasks);
const char *app_runs_policy(const app_runs *runs);

/** Put who ran the tasks: "executor", "starpu_tasks", "placed_tasks" and "policy". */
void app_runs_json_executor(const app_runs *runs, json_t *root);

/** Parts of reports; NULL when out of memory. The workers of all processes, and how many each has;
 *  the times; the bounds; the copies; notes; all options as they were given. */
json_t *app_json_workers(const app_workers *workers);
json_t *app_json_rank_workers(const app_workers *workers);
json_t *app_runs_json_times(const app_runs *runs);
json_t *app_runs_json_bounds(const app_runs *runs);
json_t *app_runs_json_links(const psg_link_statistics *link_of);
json_t *app_json_notes(const app_notes *notes);
json_t *app_json_options(const psg_options *options);

/** Of a trace, for who finds it: where and when, by which workers. NULL when out of memory. */
json_t *app_runs_about(const app_runs *runs);

#endif
