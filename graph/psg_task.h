/** @file psg_task.h  For programs with tasks of their own: kinds of task, an engine that runs them,
 * and runs.
 *
 * The calls follow the rules of psg.h. The tasks of a program run as those of a solve do: on cores
 * and GPUs as the scheduling policy decides, and psg_observe.h tells what happened in a run. A
 * program that sums two vectors:
 *
 *     static void sum(const psg_task *task) { ... psg_task_memory(task, 0) ... }
 *     static const psg_kind kind = {.name = "sum", .core = sum};
 *
 *     const int number = psg_kind_register(&kind);
 *     const psg_engine_args args = {.name = "sums", .kinds = &number, .kind_count = 1};
 *     psg_work *work = NULL;
 *     if (psg_engine_create(&work, &args, NULL) != PSG_OK) puts(psg_last_error());
 *     psg_data_take(&a, memory, n, n[0], n[0] * n[1], sizeof(double));  ... b
 *
 *     psg_run *run = psg_engine_start(work);
 *     const psg_label label = {number, {0, PSG_NO_INDEX, PSG_NO_INDEX}};
 *     const psg_task_data data[] = {{&a, 1, 1, STARPU_R}, {&b, 1, 1, STARPU_RW}};
 *     psg_run_submit(run, label, data, 2);
 *     if (psg_engine_wait(work) != PSG_OK) puts(psg_last_error());
 *
 *     psg_data_free(&a, 1);  ... b
 *     psg_engine_destroy(work);
 *
 * Whoever needs more than these calls uses StarPU's: its header has the ways of access, STARPU_R
 * and so on.
 */
#ifndef PSG_TASK_H
#define PSG_TASK_H

#include "psg.h"
#include "psg_observe.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct _starpu_data_state;
struct CUstream_st;

/** A piece of data: a StarPU block, which is StarPU's starpu_data_handle_t. NULL: none. */
typedef struct _starpu_data_state *psg_data;

/* ------------------------------------------------------------------------------------- kinds */

/** The index of a label along an axis that the task is not about. */
#define PSG_NO_INDEX SIZE_MAX

/** What a task is about: its kind, and which part of the data. */
typedef struct psg_label {
    int kind;        /**< number of a registered kind */
    size_t index[3]; /**< the part's number along each axis of parts; PSG_NO_INDEX: not along it */
} psg_label;

typedef enum psg_task_precision {
    PSG_TASK_F64 = 0,
    PSG_TASK_F32,
    PSG_TASK_PRECISIONS
} psg_task_precision;

/** What the time of a task depends on: the part that it has of a 3-D array. */
typedef struct psg_task_shape {
    int kind;
    psg_task_precision precision;
    int axis;      /**< of parts: 0, planes of the array; 1, rows of all planes */
    size_t n[3];   /**< extents of the array */
    size_t row;    /**< complex numbers that a row of n[0] becomes */
    int along[3];  /**< what is done along each axis of the array, see psg_kind.along */
    size_t count;  /**< planes or rows in the part */
    size_t pieces; /**< blocks of the part */
    size_t remote; /**< blocks in another GPU's memory, which the task reads or writes there */
    double moved;  /**< the share of the remote blocks that the task reads or writes: 0 to 1 */
    int variant;   /**< 0; else tasks that the other fields do not tell apart, of other times */
    bool dense;    /**< each block is in one piece, else it is a view into a larger array */
} psg_task_shape;

/** Bytes that a task moves at the least between memory and its worker. */
typedef struct psg_traffic {
    double reads;
    double writes;
} psg_traffic;

/** What the function of a kind gets. */
typedef struct psg_task {
    const void *owner;      /**< psg_engine_args.owner */
    const psg_label *label; /**< of this task */
    void *const *buffers;   /**< StarPU's, one for each piece of data: see psg_task_memory() */
    int worker;             /**< StarPU's number of the worker */
    void *state;            /**< on a GPU, what psg_engine_args.make made there; NULL: nothing */
    struct CUstream_st *stream; /**< on a GPU, of the worker: a cudaStream_t; NULL on a core */
} psg_task;

/** A kind of task. The functions get what the engine has as its owner; NULL: the answer is 0, or -1
 * for a worker. */
typedef struct psg_kind {
    const char *name; /**< of its tasks in traces, performance models and machine files */
    bool travels;     /**< between processes: no worker runs it */
    bool cores;       /**< cores alone run it: it has no function for GPUs */
    /** Does the task on a core. NULL: the kind is the library's own. */
    void (*core)(const psg_task *task);
    /** Launches the task on the stream of a GPU's worker, and does not wait. NULL: built without
     * CUDA, or `cores`.
     *  @return 0; a code for psg_engine_args.words: the run fails */
    int (*gpu)(const psg_task *task);
    void (*shape)(const void *owner, const psg_label *label, psg_task_shape *shape);
    /** What may be done along an axis: the words of machine files, NULL after the last. Number 0 is
     * what the times of machine files are of. NULL: tasks do the same along all axes of all arrays.
     */
    const char *const *along;
    /** What the time of a task of this shape grows with, above 0. NULL: the numbers of the part's
     * spectrum. */
    double (*operations)(const psg_task_shape *shape);
    psg_traffic (*traffic)(const void *owner, const psg_label *label);
    /** Below PSG_PHASES_MOST: no task of a phase begins before all of the phase before have ended.
     */
    int (*phase)(const psg_label *label);
    /** StarPU's number of the worker that has the part; -1: any worker may do the task. */
    int (*worker)(const void *owner, const psg_label *label);
    /** Among the ready tasks the one with the largest goes first, under policies that look at it.
     */
    int (*priority)(const void *owner, const psg_label *label);
    /** Bytes of the data of a task of this shape, as StarPU counts them. */
    double (*data_bytes)(const psg_task_shape *shape);
    /** Seconds of the task on a core or on a GPU, where they are known: a simulation takes them,
     * and no machine's file needs the kind. NULL: they are not known.
     *  @return 0: no such worker can do the task */
    double (*seconds)(const void *owner, const psg_label *label, bool gpu);
} psg_kind;

enum { PSG_KINDS_MOST = 64, PSG_PHASES_MOST = 8 };

/** Register a kind, for the life of the process. Thread-safe. A simulation reads the times of the
 * kinds that are registered before psg_simulation_main(), or before the first engine or plan.
 *  @param[in] kind  the caller's, as long as the process; kinds of one name are an error of the
 * caller's
 *  @return its number, which is also its psg_stage, from 0 in the order of registration; -1: there
 * are PSG_KINDS_MOST */
PSG_API int psg_kind_register(const psg_kind *kind);

/** Where piece m of the task's data is: in main memory for `core`, in the memory of the GPU for
 * `gpu`. */
PSG_API void *psg_task_memory(const psg_task *task, size_t m);

/* ------------------------------------------------------------------------------------ engine */

/** What the tasks of an engine have in common. */
typedef struct psg_engine_args {
    const char *name;  /**< for the words of errors */
    const void *owner; /**< for the functions of kinds; NULL: none */
    const int *kinds;  /**< [kind_count]: the numbers of the kinds of its tasks */
    size_t kind_count;
    /** What each GPU's worker keeps for the tasks; NULL: nothing. On the worker. @return 0, or a
     * code: *state is NULL */
    int (*make)(void **state, const void *owner);
    /** On the same worker; NULL is fine. */
    void (*destroy)(void *state, const void *owner);
    /** A code in words. NULL: codes are those of CUDA (cudaError_t) and of cuFFT (1000 +
     * cufftResult). */
    const char *(*words)(int code);
    bool (*is_memory)(int code); /**< is it that a GPU has no memory left? Set with `words` */
} psg_engine_args;

/** Make an engine: StarPU starts, or is joined, as by psg_plan_create(). Cores and GPUs take its
 * tasks.
 *  @param[out] work     what psg_observe.h is about; NULL after a failure
 *  @param[in]  args     not kept, but for what it points to: as long as the engine
 *  @param[in]  options  not kept; NULL: the defaults. cpus, gpus (all by default), gpu_ids, policy,
 * calibrate, record, precision, machine, cache_dir, comm and time_limit count. With comm each
 * process makes an engine, with its part of the node's cores and GPUs. Then this call and those
 * that are marked collective are for all of the processes, and end alike in all of them
 *  @return PSG_OK; PSG_ERR_UNSUPPORTED: nodes, a kind that no worker can run, or a simulated
 * machine without its time; PSG_ERR_ARG, _NODEV, _STATE, _MEMORY, _RUNTIME as psg_plan_create() */
PSG_API psg_status psg_engine_create(psg_work **work, const psg_engine_args *args,
                                     const psg_options *options);
/** After psg_engine_wait() for all runs, and once its data are freed. Collective. NULL is fine. */
PSG_API void psg_engine_destroy(psg_work *work);

/** The workers that take the tasks. */
typedef struct psg_engine_workers {
    size_t count;                /**< StarPU's, of all kinds: the numbers of workers are below it */
    size_t cpus, gpus;           /**< cores and GPUs that take tasks */
    const int *usable;           /**< [cpus + gpus]: StarPU's numbers, GPUs first; the engine's */
    bool copies;                 /**< StarPU may hold copies of data in several memories */
    bool simulated;              /**< nothing is computed */
    int rank, ranks;             /**< this process, and how many there are; 0 and 1 without comm */
    int node_ranks;              /**< how many there are on its node; 1 without comm */
    size_t most_cpus, most_gpus; /**< cores and GPUs of the process that has the most */
} psg_engine_workers;

/** @return of an engine; all 0 for NULL */
PSG_API psg_engine_workers psg_engine_find_workers(const psg_work *work);

/** Between these two StarPU's workers are awake: a program that acquires data, or calls StarPU in
 * another way that needs workers, does it there. Calls nest. The functions of this header do it by
 * themselves. */
PSG_API void psg_engine_awake(void);
PSG_API void psg_engine_rest(void);

/** One status for all processes of an engine: PSG_OK if it is on all of them, else that of the
 * first that failed, with its words. Collective. @return the status as it is, where work is NULL */
PSG_API psg_status psg_engine_agree(psg_work *work, psg_status status);
/** Each value becomes the sum over the processes of an engine. Collective.
 *  @return PSG_OK; PSG_ERR_ARG; PSG_ERR_RUNTIME */
PSG_API psg_status psg_engine_sum(psg_work *work, double *values, size_t count);

/* -------------------------------------------------------------------------------------- data */

/** Make data of nx x ny x nz elements, without values. They have memory in main memory, or where
 * StarPU may hold copies wherever they are first written: data that live on a GPU take none here.
 *  @param[out] data  to be freed by psg_data_free(); NULL after a failure
 *  @param[in]  work  an engine's @return PSG_OK; PSG_ERR_MEMORY */
PSG_API psg_status psg_data_make(psg_data *data, const psg_work *work, const size_t n[3],
                                 size_t element_bytes);
/** The same of memory of the caller's.
 *  @param[in] memory  in main memory, rows row_pitch and planes plane_pitch elements apart; NULL:
 * StarPU finds some wherever it is first written, as for scratch */
PSG_API void psg_data_take(psg_data *data, void *memory, const size_t n[3], size_t row_pitch,
                           size_t plane_pitch, size_t element_bytes);
/** Where the data are in main memory, once all tasks that were submitted have ended with them, for
 * the caller until psg_data_release(). @param[in] writes  the values before are not needed, and are
 * gone everywhere else
 *  @return NULL: the data could not be had */
PSG_API void *psg_data_acquire(psg_data data, bool writes);
PSG_API void psg_data_release(psg_data data);
/** StarPU built with FxT keeps 32 bytes of each task that has read data, until one writes them: of
 * data that no task writes, let go what it keeps. Nothing is waited for, and nothing moves. */
PSG_API void psg_data_settle(const psg_data *list, size_t count);
/** Free those that are not NULL, and let their values go. NULL is fine. */
PSG_API void psg_data_free(psg_data *list, size_t count);
/** StarPU waits for ever, or ends the process, where it finds no memory: before data and tasks are
 * made this asks whether there is some.
 *  @param[in] what   the name of what needs it, for the words
 *  @param[in] bytes  of main memory that it needs
 *  @return PSG_OK; PSG_ERR_MEMORY with words: nothing was allocated */
PSG_API psg_status psg_room_check(const char *what, double bytes);

/* -------------------------------------------------------------------------------------- runs */

/** Tasks that somebody waits for together. */
typedef struct psg_run psg_run;

/** Data that a task uses in the same way. */
typedef struct psg_task_data {
    const psg_data *handle;
    size_t count;  /**< handles */
    size_t stride; /**< from one to the next in the list */
    int mode;      /**< StarPU's: STARPU_R, STARPU_W, STARPU_RW, STARPU_SCRATCH, STARPU_REDUX ... */
} psg_task_data;

/** Begin a run; one at a time. @return the engine's; NULL: work is NULL, or a plan's */
PSG_API psg_run *psg_engine_start(psg_work *work);
/** Submit a task, which begins when its data are there. A failure is latched, and psg_engine_wait()
 * tells it.
 *  @param[in] data  [groups]; the order is that of psg_task_memory() */
PSG_API void psg_run_submit(psg_run *run, psg_label label, const psg_task_data *data,
                            size_t groups);
/** Tasks with these data that are submitted later begin when those before have ended. No worker
 * does anything for it. */
PSG_API void psg_run_gate(psg_run *run, psg_data data);
/** Between two runs: make room for so many messages in each of the next ones. A message needs no
 * memory then, because the process at its other end waits for it. Collective.
 *  @return PSG_OK; PSG_ERR_ARG; PSG_ERR_MEMORY: there is as much room as before */
PSG_API psg_status psg_engine_messages(psg_work *work, size_t most);

/** How data go to another process, or come from there. */
typedef struct psg_travel {
    int rank; /**< the other process */
    int tag;  /**< the same at both ends. Messages that go the same way at once have others */
    size_t index[3]; /**< for traces, the same at both ends: as psg_label.index */
    /** A part of the data, of `runs` pieces: each has `length` elements, the first one begins at
     * element `first`, and the next ones `pitch` elements apart. runs 0: all of the data, which are
     * dense. The other end may have the same elements in another layout. */
    size_t first, length, pitch, runs;
} psg_travel;

/** Data go to another process, or come from there, from main memory to main memory: once the tasks
 * that were submitted before have ended with them, and before those that are submitted later begin.
 * The process at the other end submits the other half. Between two processes messages of the same
 * tag arrive in their order.
 *  @param[in] how  copied */
PSG_API void psg_run_send(psg_run *run, psg_data data, const psg_travel *how);
PSG_API void psg_run_receive(psg_run *run, psg_data data, const psg_travel *how);
/** All tasks are submitted: wait until they have ended. Collective. The first failure ends the work
 * of all tasks after it.
 *  @return PSG_OK; PSG_ERR_MEMORY, _RUNTIME; PSG_ERR_ARG: work is NULL, or a plan's */
PSG_API psg_status psg_engine_wait(psg_work *work);

/** How far the run is that has been started; for another thread, which asks now and then. The
 * numbers grow while tasks are submitted. Between runs they are those of the latest run.
 *  @param[out] ended  tasks that have ended @param[out] tasks  tasks that are submitted so far
 *  @return PSG_OK; PSG_ERR_ARG: a NULL, or a plan's */
PSG_API psg_status psg_engine_progress(const psg_work *work, size_t *ended, size_t *tasks);

/* ------------------------------------------------------------------------------------ errors */

/** Keep words for psg_last_error(), of a layer above the library.
 *  @param[in] line  of its sources, for psg_last_error_detail(): "file.c:12"; copied
 *  @param[in] format  of printf() @return the status */
PSG_API psg_status psg_fail_at(const char *line, psg_status status, const char *format, ...);

#ifdef __cplusplus
}
#endif
#endif
