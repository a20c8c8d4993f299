/** @file measure_sample.h  What `psg measure` finds in one round of a configuration. */
#ifndef PSG_APP_MEASURE_SAMPLE_H
#define PSG_APP_MEASURE_SAMPLE_H

#include "app/json.h"
#include "app/measure_job.h"

enum { APP_MEASURE_WORKERS_MOST = 128 };
/** Those of solves without a gradient, which is all that is measured. */
enum { APP_MEASURE_STAGES = PSG_STAGE_EDGE };
/** Of any work. */
enum { APP_MEASURE_KINDS = PSG_STAGE_MOST + 1 };

/** One round: in_flight solves together; times are those of one of them. Of several processes it
 *  has the sums, and the time of the slowest. Plain data, which goes from process to process. */
typedef struct app_measure_sample {
    double seconds; /**< the round's time over in_flight */
    double stage[APP_MEASURE_STAGES];
    double busy; /**< share of the time that workers spent in tasks, the mean */
    /** share in which messages of a process were on their way, the largest */
    double exchange_busy;
    double busiest; /**< the largest of these shares: that of a worker, or of the exchange */
    double busy_worker[APP_MEASURE_WORKERS_MOST]; /**< in the order of the processes */
    size_t workers;
    double tasks_cpu, tasks_gpu; /**< that cores and GPUs did, in one of the solves */
    double kind_tasks[APP_MEASURE_KINDS],
        kind_seconds[APP_MEASURE_KINDS]; /**< by psg_stage, in one of the solves */
    double cpu_planes, cpu_rows;         /**< planes and rows that cores transformed */
    double starpu_tasks, placed_tasks;   /**< see psg_statistics */
    psg_executor executor;               /**< the same of all processes */
    double sent_bytes, spectrum_bytes;
    double bytes[PSG_LINK_COUNT], copy_seconds[PSG_LINK_COUNT]; /**< NAN: not known */
    double bound
        [PSG_BOUND_COUNT]; /**< seconds, of the latest solve; 0 if nobody asked, as are the next */
    double link[PSG_LINK_COUNT]; /**< seconds, of which the largest is the bound by links */
    double lp_bound;
    double of_bound; /**< the largest of `bound` over the time of that solve */
} app_measure_sample;

/** This process' part of the round that the job has just done.
 *  @param[in] before   the statistics before the round
 *  @param[in] seconds  of the round, over in_flight
 *  @param[in] events   of the latest run, count of them */
void app_measure_sample_read(const app_measure_job *job, const psg_run_statistics *before,
                             double seconds, const psg_event *events, size_t count,
                             app_measure_sample *sample);

/** One sample of the parts of all processes. @param[out] whole  all zero before */
void app_measure_sample_join(const app_measure_sample *parts, int count, app_measure_sample *whole);

/** Find the bounds of the latest run, and put them into the sample. Collective. */
psg_status app_measure_sample_bounds(const app_measure_job *job, app_measure_sample *sample);

/** The members have the names of the laboratory's columns. @return NULL when out of memory */
json_t *app_measure_sample_json(const app_measure_sample *sample, bool bounds);

/** The tasks of the latest run in the order of their ends, each an array: stage, worker, is that a
 *  GPU, is the task about a sheet, count, dense, pieces, remote, start, end, as in psg_event. */
json_t *app_measure_events_json(const app_measure_job *job, const psg_event *events, size_t count);

#endif
