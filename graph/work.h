/** @file work.h  What a plan and a workload have in common: workers that take tasks, an engine, and what is known of its
 *  latest run. The functions psg_work_*() of psg_observe.h are about it. */
#ifndef PSG_GRAPH_WORK_H
#define PSG_GRAPH_WORK_H

#include "graph/fail.h"
#include "graph/psg_observe.h"
#include "runtime/copies.h"
#include "runtime/decimal.h"
#include "runtime/history.h"

#include <starpu.h>

/** The workers of this process that take the tasks. */
typedef struct psg_workers {
    size_t count;                 /**< StarPU's, of all kinds */
    size_t most[2];               /**< cores and GPUs of the process that has most of each */
    int gpus[STARPU_NMAXWORKERS]; /**< the CUDA workers that take tasks */
    size_t gpu_count;             /**< 0: the CPU workers take them */
    size_t cpu_count;             /**< CPU workers that take tasks; 0: the GPUs take them */
    bool anywhere;                /**< GPUs or cores, as the policy decides for each task */
    double cpu_share;             /**< the cores' part of planes and rows; 1 without GPUs, and where
                                       nobody has a part of his own */
    bool copies;                  /**< StarPU may hold copies of the data elsewhere: on GPUs, or in
                                       another NUMA node's memory */
    bool teams;                   /**< cores share the steps of a solve, see runtime/team.h */
    int *usable;                  /**< [usable_count]: those that can take tasks, GPUs first */
    size_t usable_count;
} psg_workers;

/** What only a plan, or a workload, can tell of its runs. A function that is NULL has nothing to tell. */
typedef struct psg_work_rules {
    /** Fill in what an event has beside its label, shape and times. */
    void (*event)(const psg_work *work, const psg_run_event *from, psg_event *event);
    /** Which data a copy was of. @return false: none of this work's. NULL: all copies are this work's */
    bool (*copy)(const psg_work *work, const psg_copy_record *record, psg_copy *copy);
    /** Seconds of the longest path. NULL: of the longest chain of tasks. @return PSG_OK; PSG_ERR_MEMORY */
    psg_status (*path)(const psg_work *work, const psg_edge *edges, size_t count, double *seconds);
    /** The bytes that have to go over links, and their seconds. Collective. @return PSG_OK; PSG_ERR_RUNTIME */
    psg_status (*links)(const psg_work *work, psg_bounds *bounds);
} psg_work_rules;

struct psg_work {
    const psg_work_rules *rules;
    const void *owner; /**< for the rules: the plan, or the workload */
    psg_engine *engine;
    const psg_workers *workers;
    bool calibrate;      /**< StarPU measures tasks for its models */
    double make_seconds; /**< that it took to make the plan, or the workload */
    uint64_t runs;       /**< those that ended */
    psg_history latest;  /**< of the latest run that was waited for */
    psg_copy_list moved; /**< its copies; times as they were taken: those of StarPU's clock */
    psg_copy *copy;      /**< [moved.count]: the same, as they are told */
    struct psg_program *program; /**< NULL: none was asked for yet */
};

/* ------------------------------------------------------------------------------- workers.c */

/** StarPU's workers: its GPUs if they are wanted, and then its cores. gpu_count and cpu_count are what was found.
 *  @return PSG_OK; PSG_ERR_MEMORY */
psg_status psg_workers_list(psg_workers *workers, bool gpus);
/** @return in how many parts a workload is best cut: one for each GPU, or for each core where no GPU takes part */
size_t psg_workers_share(const psg_workers *workers);

/* ------------------------------------------------------------------------------- work_data.c */

/** StarPU counts the numbers of a piece of data in 32 bits: so many at the most, and so many along a side of a square. */
#define PSG_BLOCK_MOST ((size_t)UINT32_MAX)
#define PSG_BLOCK_SIDE_MOST ((size_t)UINT16_MAX)

/** Register a StarPU block of nx x ny x nz elements on a memory node, rows contiguous, planes
 *  `pitch` elements apart; without memory (NULL) StarPU finds some wherever it is first written. */
void psg_block_register(starpu_data_handle_t *handle, int node, void *memory, const size_t n[3],
                        size_t pitch, size_t element_bytes);
/** And rows so many elements apart. */
void psg_block_register_rows(starpu_data_handle_t *handle, int node, void *memory,
                             const size_t n[3], size_t row_pitch, size_t pitch,
                             size_t element_bytes);
/** Register one with memory of its own in main memory, dense, which psg_block_unregister() frees. Where StarPU may hold copies
 *  elsewhere it has none: StarPU finds memory wherever the block is first written, and a block that lives on a GPU takes none here.
 *  StarPU's user data of the block is that memory.
 *  @return false: no memory, and nothing was registered */
bool psg_block_make(starpu_data_handle_t *handle, const psg_workers *workers, const size_t n[3],
                    size_t element_bytes);
/** StarPU built with FxT keeps 32 bytes of each task that has read a block, until one writes it: of blocks that no task writes, let
 *  go what it keeps. Nothing is waited for, and nothing moves. */
void psg_block_settle(const starpu_data_handle_t *handles, size_t count);
/** Unregister those that are not NULL, and let their values go. NULL is fine. */
void psg_block_unregister(starpu_data_handle_t *handles, size_t count);

/* -------------------------------------------------------------------------------- work_run.c */

/** A run that is being submitted. */
typedef struct psg_submission {
    psg_decimal decimal;
    bool program; /**< StarPU's linear program is about the run */
} psg_submission;

/** Start a run, before its tasks are submitted. run->awake says whether StarPU's workers have them. */
psg_submission psg_work_start(psg_work *work, psg_run *run, uint64_t number);
/** All tasks of it have been submitted. */
void psg_work_submitted(psg_run *run, psg_submission submission);
/** It has been waited for: keep what there is to tell of it. @param[in] program  see psg_submission */
void psg_work_keep(psg_work *work, psg_run *run, bool program);
/** Free what is kept of runs. */
void psg_work_forget(psg_work *work);

/* -------------------------------------------------------------------------- dependencies.c */

/** psg_history_edges() of the latest run. @return PSG_OK; PSG_ERR_STATE, _MEMORY */
psg_status psg_edges_find(const psg_work *work, psg_edge **list, size_t *count);

/* -------------------------------------------------------------------------------- copied.c */

/** Bracket a run, before it is submitted and once its results are home: between, its copies are kept.
 *  @param[in] alone  no other run of this work is in flight */
void psg_copies_begin(const psg_work *work, bool alone);
void psg_copies_end(psg_work *work, const psg_run *run);

/* --------------------------------------------------------------------------------- rates.c */

/** Bytes per second through memory, of all workers together, and the bytes of all
 *  caches there. Measured when first asked for.
 *  @return PSG_OK; PSG_ERR_MEMORY, _RUNTIME */
psg_status psg_memory_rate(const psg_work *work, double *rate, double *cache_bytes);

/* ------------------------------------------------------------------------------- program.c */

/** Before the tasks of a run are submitted: StarPU is to make a linear program of them.
 *  @return false: not for this work or not now, and psg_program_submitted() must not follow */
bool psg_program_begin(psg_work *work);
void psg_program_submitted(void);

/** A run has been waited for. @param[in] whose  the program is about it */
void psg_program_waited(psg_work *work, bool whose);

/** Solve the program about the run that was waited for last. @return seconds; 0: not known */
double psg_program_seconds(const psg_work *work);
void psg_program_free(psg_work *work);

#endif
