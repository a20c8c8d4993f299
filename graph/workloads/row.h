/** @file row.h  What a workload is to the part that all workloads share. */
#ifndef PSG_GRAPH_WORKLOADS_ROW_H
#define PSG_GRAPH_WORKLOADS_ROW_H

#include "graph/psg_work.h"
#include "graph/workers.h"
#include "runtime/gpu.h"

/** Bytes of main memory at the most. */
typedef struct psg_needs {
    double data; /**< from `make` on: its data, and what StarPU keeps of each piece */
    double run;  /**< from the first run on: what StarPU keeps of each task, and scratch */
} psg_needs;

/** A workload has one file in this folder, with its row. All functions get a problem, which is the owner of its engine. */
typedef struct psg_workload_row {
    psg_workload about;
    size_t bytes;              /**< of the problem, which is all 0 at first */
    bool f32;                  /**< there are codelets for it */
    const int *kinds;          /**< of its tasks; ends with -1 */
    psg_gpu_user (*gpu)(void); /**< what its tasks keep on a GPU; NULL: nothing */

    /** @param[in] size  what stands behind the colon; "" where nothing does
     *  @return PSG_OK; PSG_ERR_ARG, _UNSUPPORTED with words */
    psg_status (*parse)(void *problem, const char *size, const psg_work_options *how,
                        psg_precision precision);
    /** In place of `parse`, of an input that is no size: what psg_work_open() gets. NULL: there is none.
     *  @param[in] input  is there until `make` returns @return PSG_OK; PSG_ERR_ARG with words */
    psg_status (*take)(void *problem, const void *input, const psg_work_options *how);
    /** For tasks that a plan's graph is among: the plan, whose engine and workers the workload has. NULL: it has its own.
     *  @param[in] options  checked @param[out] plan  the problem's, which frees it @return PSG_OK; as psg_plan_create() */
    psg_status (*plan)(void *problem, const psg_options *options, psg_plan **plan);
    /** Choose the size of a task by the workers, where the caller chose none, or refuse them. StarPU runs. NULL: `parse` does
     *  @return PSG_OK; PSG_ERR_ARG, PSG_ERR_UNSUPPORTED with words */
    psg_status (*cut)(void *problem, const psg_workers *workers);
    /** Main memory that it takes, once it is cut. NULL: `make` asks itself */
    psg_needs (*needs)(const void *problem, const psg_workers *workers);
    /** In words: psg_work_about(). */
    void (*tell)(const void *problem, char *text, size_t size);
    /** Register the data; StarPU runs. @return PSG_OK; PSG_ERR_MEMORY. After any failure free follows */
    psg_status (*make)(void *problem, const psg_workers *workers);
    /** Choose a worker for each task, unless the place is PSG_PLACE_FREE. NULL: it always is */
    void (*place)(void *problem, const psg_workers *workers);
    /** Bring the input, before the clock of a run starts. NULL: the tasks do. @return false: the data could not be had */
    bool (*prepare)(const void *problem);
    /** Submit all tasks of a run. Failures are latched in the run. */
    void (*submit)(psg_run *run, const void *problem);
    /** @param[out] answers  PSG_ANSWERS_MOST @return how many there are; 0: the data could not be had */
    size_t (*answers)(const void *problem, psg_answer *answers);
    /** Unregister the data. */
    void (*free)(void *problem);
} psg_workload_row;

enum { PSG_ANSWERS_MOST = 64 };

/** As psg_work_create(), of a row. @param[in] input  for the row's `take`; NULL: its `parse` gets `size` */
psg_status psg_work_open(psg_work **work, const psg_workload_row *row, const char *size,
                         const void *input, const psg_work_options *how,
                         const psg_options *options);
/** @return the problem of a work that has run; NULL with words, of which `status` is: it is none of this row's, or has not run */
const void *psg_work_problem(const psg_work *work, const psg_workload_row *row, psg_status *status);

/** A number of a size: digits alone. @return where it ends; NULL: there is none from `least` to `most` */
const char *psg_size_number(const char *text, size_t least, size_t most, size_t *number);

extern const psg_workload_row psg_workload_blocks;
extern const psg_workload_row psg_workload_cg;
extern const psg_workload_row psg_workload_dock;
extern const psg_workload_row psg_workload_ep;
extern const psg_workload_row psg_workload_jacobi;
extern const psg_workload_row psg_workload_pcg;
extern const psg_workload_row psg_workload_qr;
extern const psg_workload_row psg_workload_transpose;
extern const psg_workload_row psg_workload_vadd;

#endif
