/** @file groups.h  Measuring the configurations of a sweep: in groups of the same workers and policy, each of
 *  which is visited by processes of its own, in rounds of all its configurations. */
#ifndef PSG_BENCH_GROUPS_H
#define PSG_BENCH_GROUPS_H

#include "app/load.h"
#include "app/progress.h"
#include "bench/result.h"

#include <stdbool.h>

/** Before bench_groups_take() all zero, but for what stands first. */
typedef struct bench_groups {
    bench_sweep sweep; /**< may grow between passes */
    unsigned repeat;   /**< rounds of a configuration that are kept */
    unsigned warm_up;  /**< rounds that do not count, in each visit */
    unsigned
        calibrate; /**< solves for StarPU's models before a policy that needs them; 0: as they are */
    unsigned patience;  /**< seconds without a sign after which a process is ended */
    const char *mpirun; /**< what starts several processes */
    bool bounds;        /**< find the bounds of the solves, too */
    bench_times *times; /**< how long tasks took; NULL: nobody asks */
    double memory;      /**< GiB for the plans of a process; 0: from what there is */
    uint64_t random;
    app_progress *progress;
    /** Called with each record, after the result has it. */
    void (*heard)(void *context, const bench_record *record);
    /** Called after the visit of a group. @return APP_DONE; else the pass ends with it */
    int (*visited)(void *context, size_t leader);
    void *context;

    bench_result *result; /**< of each configuration that was taken in */
    size_t *which;        /**< those of a visit */
    size_t count;
    bench_facts machine; /**< cpus and gpus that there are */
    app_load began;      /**< when the workers were looked for */
} bench_groups;

/** The workers there are. @return APP_DONE; APP_FAILED after a message */
int bench_groups_find_machine(bench_groups *groups);

/** Take in what the sweep has got. What cannot be done here is marked as failed: what needs more
 *  memory than the machine has would bring it down.
 *  @return APP_DONE; APP_FAILED after a message */
int bench_groups_take(bench_groups *groups);

/** Visit every group once, in a random order; configurations that failed or are to be skipped are left out.
 *  @param[in] rounds   that count, at most
 *  @param[in] seconds  that the rounds may take, divided among the groups; each gets one round in any case.
 *                      0: no limit
 *  @return APP_DONE; APP_FAILED after a message; what visited() returned */
int bench_groups_pass(bench_groups *groups, unsigned rounds, double seconds);

/** Is a group calibrated before it is measured? */
bool bench_groups_calibrates(const bench_groups *groups, size_t leader);

/** Forget the rounds of a configuration. */
void bench_groups_reset(bench_groups *groups, size_t number);

void bench_groups_free(bench_groups *groups);

#endif
