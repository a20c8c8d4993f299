/** @file measure_job.h  A configuration of `psg measure`: a solve of a grid, or a workload. */
#ifndef PSG_APP_MEASURE_JOB_H
#define PSG_APP_MEASURE_JOB_H

#include "app/measure_fields.h"
#include "app/option_lines.h"
#include "app/rank_workers.h"
#include "graph/psg_observe.h"
#include "workloads/workload.h"

#include <jansson.h>

/** u of the solves in flight, which the plans take turns with; of all batches. */
typedef struct app_measure_answers {
    void **u;
    size_t bytes; /**< of each */
    unsigned count;
} app_measure_answers;

/** One configuration; all zero before app_measure_job_read(). The options point into the line, and
 * into this structure. */
typedef struct app_measure_job {
    size_t number, batch; /**< of the line, and of the configurations that take turns, from 0 */
    json_t *line;         /**< which the job owns */
    bool solves;          /**< a grid, else a workload */
    psg_grid grid;
    app_options solver;
    int resident; /**< f and u stay where they are computed, else they come from and go to arrays */
    const char *workload; /**< "ep:S" */
    workload_options how;

    const psg_work *work; /**< the plan's, or the workload; NULL: it is not made, or has failed */
    psg_plan *plan;       /**< of a solve */
    workload *own_work;   /**< of a workload */
    app_workers workers;
    const app_measure_fields *fields; /**< that the plan solves */
    json_t *samples, *events;         /**< of the rounds that count */
} app_measure_job;

/** Read a line: an object whose members are "grid" or "workload", "data", the options of a
 *  workload, and those of the solver by the names of `psg solve`; values are texts or whole
 *  numbers, and "default" says nothing.
 *  @return APP_DONE; APP_USAGE after a message */
int app_measure_job_read(app_measure_job *job, const char *line);

/** Make the plan or the workload. Collective. @return NULL, or why it failed, in words */
const char *app_measure_job_make(app_measure_job *job);

/** What there is to tell of what was made, of all processes. Collective. */
json_t *app_measure_job_facts(const app_measure_job *job);

/** Run it once, all that is in flight. @param[out] seconds  of each of these; of a workload without
 * its input */
psg_status app_measure_job_run(const app_measure_job *job, const app_measure_answers *answers,
                               double *seconds);

/** How far off the answer is; never in a simulation. Collective. @return NULL, or why that is not
 * known, in words */
const char *app_measure_job_check(const app_measure_job *job, const app_measure_answers *answers,
                                  double *error, double *tolerance);

/** Give up the plan or the workload, and then all of the job. */
void app_measure_job_drop(app_measure_job *job);
void app_measure_job_free(app_measure_job *job);

#endif
