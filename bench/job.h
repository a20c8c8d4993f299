/** @file job.h  What the rounds of `psg bench` measure: plans that solve, and workloads. */
#ifndef PSG_BENCH_JOB_H
#define PSG_BENCH_JOB_H

#include "app/rank_workers.h"
#include "bench/fields.h"
#include "bench/record.h"
#include "workloads/workload.h"

/** u of the solves in flight, which the plans take turns with; of all batches. */
typedef struct bench_solutions {
    void **u;
    size_t bytes; /**< of each */
    unsigned flights;
} bench_solutions;

/** A configuration in work. All but the first four are its kind's. */
typedef struct bench_job {
    const struct bench_job_kind *kind;
    size_t number;
    const bench_config *config;
    psg_options options;  /**< of the configuration */
    const psg_work *work; /**< the plan's, or the workload; NULL: it failed */
    app_workers workers;
    psg_plan *plan;
    const bench_fields *fields; /**< that the plan solves */
    workload *workload;
} bench_job;

/** What solves and workloads do in their own way. Words: NULL, or why it failed. */
typedef struct bench_job_kind {
    /** Make job->work. @param[in] options  of the configuration and the visit */
    const char *(*make)(bench_job *job, const psg_options *options);
    /** What there is to tell of what was made, but for its workers. Collective. */
    void (*tell)(const bench_job *job, bench_facts *facts);
    /** Run it once, all that is in flight. @param[out] seconds  of each of these; of a workload without its input */
    psg_status (*run)(const bench_job *job, const bench_solutions *solutions, double *seconds);
    /** Of a run that took so long: how busy which worker was, and what the other kind has not. */
    void (*read)(const bench_job *job, double seconds, bench_sample *sample);
    /** How far off the answer is; never in a simulation. */
    const char *(*check)(const bench_job *job, const bench_solutions *solutions, double *error,
                         double *tolerance);
} bench_job_kind;

extern const bench_job_kind bench_solves, bench_workloads;

/** Worker w spent that share of the time in tasks. */
void bench_sample_busy(bench_sample *sample, size_t w, double share);

#endif
