/** @file work.h  What a plan and a workload have in common: workers that take tasks, an engine, and
 *  what is known of the latest run. The functions psg_work_*() of psg_observe.h are about it. */
#ifndef PSG_GRAPH_WORK_H
#define PSG_GRAPH_WORK_H

#include "graph/psg_observe.h"
#include "graph/workers.h"
#include "runtime/c_locale.h"
#include "runtime/copies.h"
#include "runtime/history.h"

/** What only a plan, or a workload, can tell of its runs. A function that is NULL has nothing to
 * tell. */
typedef struct psg_work_rules {
    /** Fill in what an event has beside its label, shape and times. */
    void (*event)(const psg_work *work, const psg_run_event *from, psg_event *event);
    /** Which data a copy was of. @return false: none of this work's. NULL: all copies are this
     * work's */
    bool (*copy)(const psg_work *work, const psg_copy_record *record, psg_copy *copy);
    /** Seconds of the longest path. NULL: of the longest chain of tasks. @return false: no
     * memory */
    bool (*path)(const psg_work *work, const psg_least *least, const psg_edge *edges, size_t count,
                 double *seconds);
    /** The bytes that have to go over links, and their seconds. Collective. @return PSG_OK;
     * PSG_ERR_RUNTIME */
    psg_status (*links)(const psg_work *work, psg_bounds *bounds);
} psg_work_rules;

struct psg_work {
    const psg_work_rules *rules;
    const void *owner; /**< for the rules: the plan, or the workload */
    psg_engine *engine;
    const psg_workers *workers;
    bool calibrate;          /**< StarPU measures tasks for its models */
    double make_seconds;     /**< that it took to make the plan, or the workload */
    uint64_t runs;           /**< those that ended */
    psg_history latest;      /**< of the latest run that was waited for */
    psg_copy_list moved;     /**< its copies; times as they were taken: those of StarPU's clock */
    psg_copy *copy;          /**< [moved.count]: the same, as they are told */
    char *memory_files;      /**< see psg_memory_files() */
    struct psg_lp_bound *lp; /**< NULL: none was asked for yet */
};

/** A run that is being submitted. */
typedef struct psg_submission {
    psg_c_locale locale;
    bool program; /**< StarPU's linear program is about the run */
} psg_submission;

/** Start a run, before its tasks are submitted. run->awake says whether StarPU's workers have
 * them. */
psg_submission psg_work_start(psg_work *work, psg_run *run, uint64_t number);
/** All tasks of it have been submitted. */
void psg_work_submitted(psg_run *run, psg_submission submission);
/** Wait until it has ended, or for another number, as psg_run_wait_for() does. If the other
 *  processes do nothing for the time limit, they are given up, and the own tasks alone are waited
 *  for.
 *  @return MPI still has memory of its messages */
bool psg_work_wait_for(psg_run *run, const atomic_size_t *left);
static inline bool psg_work_wait(psg_run *run) {
    return psg_work_wait_for(run, &run->pending);
}
/** Get a piece of data into main memory, and wait for it so.
 *  @return false: StarPU did not take it, and the run has failed */
bool psg_work_acquire(psg_run *run, starpu_data_handle_t data, enum starpu_data_access_mode mode);
/** It has been waited for: keep what there is to tell of it. @param[in] program  see
 * psg_submission */
void psg_work_keep(psg_work *work, psg_run *run, bool program);
/** Free what is kept of runs. */
void psg_work_forget(psg_work *work);

#endif
