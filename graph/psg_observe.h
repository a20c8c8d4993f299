/** @file psg_observe.h  What happened in a run, of a plan or of an engine: statistics, events,
 * copies, dependencies, bounds.
 *
 * The calls follow the rules of psg.h. Times are seconds. A plan is one kind of work that runs as a
 * task graph, the engines of psg_task.h are others. Functions psg_work_*() take any of them, and
 * psg_plan_*() a plan.
 */
#ifndef PSG_OBSERVE_H
#define PSG_OBSERVE_H

#include "psg.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a plan and a workload have in common: runs on workers. A solve is a run of a plan. */
typedef struct psg_work psg_work;

/** @return the plan's, as long as the plan; NULL for NULL */
PSG_API const psg_work *psg_plan_work(const psg_plan *plan);

/* -------------------------------------------------------------------------------- statistics */

/** The kinds of task: the staged graph's in its order, then the fused graph's, then the exchange
 * between processes, then those of the gradient. */
typedef enum psg_stage {
    PSG_STAGE_FFT_XY = 0,
    PSG_STAGE_PACK,
    PSG_STAGE_UNPACK,
    PSG_STAGE_FFT_Z,
    PSG_STAGE_DIVIDE,
    PSG_STAGE_IFFT_Z,
    PSG_STAGE_IFFT_XY,
    PSG_STAGE_NORMALIZE,
    PSG_STAGE_FORWARD_XY, /**< fft_xy and pack */
    PSG_STAGE_KSPACE,     /**< unpack, fft_z, divide, ifft_z and pack */
    PSG_STAGE_INVERSE_XY, /**< unpack and ifft_xy; with spectral for derivatives along x and y, too,
                               where they come with u */
    PSG_STAGE_EXCHANGE,   /**< messages to other processes; the seconds with one on its way */
    PSG_STAGE_EDGE,     /**< the plane of u that another process' gradient needs, or of a flow that
                               its divergence needs, for a message */
    PSG_STAGE_GRADIENT, /**< the gradient of u with the symbol fd2 */
    PSG_STAGE_GRADIENT_Z,  /**< with spectral: kspace again, for the derivative along z */
    PSG_STAGE_GRADIENT_XY, /**< with spectral: unpack, multiply and ifft_xy, for a derivative along
                              z, or along any axis where inverse_xy makes u alone */
    PSG_STAGE_COUNT, /**< from here on: the kinds of task of workloads, of solves with epsilon, of
                          psg_solve_many(), and "modes_in" and "modes_out", which are kspace from
                          modes of f and to modes of u */
    PSG_STAGE_MOST = 63
} psg_stage;

/** The name of a kind of task, static, as in traces and performance models ("fft_xy", "ep_chunk");
 * NULL for none. */
PSG_API const char *psg_stage_name(psg_stage stage);

/** The ways that data go between memories. */
typedef enum psg_link {
    PSG_LINK_H2D = 0, /**< from main memory to GPUs */
    PSG_LINK_D2H,     /**< from GPUs to main memory */
    PSG_LINK_D2D,     /**< between GPUs */
    PSG_LINK_MESSAGE, /**< to other processes */
    PSG_LINK_COUNT
} psg_link;

/** The link's name, static: "h2d", "d2h", "d2d", "message"; NULL for none. */
PSG_API const char *psg_link_name(psg_link link);

typedef struct psg_stage_statistics {
    uint64_t tasks;
    /** summed over the tasks, each from its start to its end on its worker. The tasks of a chain on
     *  a GPU are timed in one solve of sixteen, and in the others they have the same shares of the
     *  chain's own time. All solves are timed if the plan records (psg_options.record) */
    double seconds;
} psg_stage_statistics;

/** How the tasks of a run were handed over, and to whom. */
typedef struct psg_submit_statistics {
    double seconds;      /**< to submit all tasks and messages */
    size_t tasks;        /**< tasks submitted, copies and messages included; 1: the run was one */
    size_t pieces;       /**< data handles passed to StarPU with them */
    size_t starpu_tasks; /**< of the tasks, those that StarPU was handed */
    size_t placed_tasks; /**< of starpu_tasks, those whose worker the scheduling policy chose */
    /** who ran them; PSG_EXECUTOR_AUTO: before the first run */
    psg_executor executor;
} psg_submit_statistics;

/** What went over a link. */
typedef struct psg_link_statistics {
    uint64_t bytes;
    double seconds; /**< NAN: not known */
} psg_link_statistics;

typedef struct psg_statistics {
    size_t struct_size; /**< set by psg_plan_statistics() */

    /* The plan. */
    double plan_seconds;     /**< psg_plan_create(): FFTW's search and StarPU's start included */
    int ranks, rank;         /**< processes, 1 without psg_options.comm; this one's number */
    size_t workers;          /**< workers that could take its tasks */
    size_t segments, sheets; /**< of all processes */
    size_t segment_planes;   /**< planes of the largest segment */
    psg_graph graph;         /**< the graph that was chosen */
    psg_z_layout z_layout;   /**< of the staged graph: the layout of sheets that was chosen */
    psg_exchange exchange;   /**< the exchange that was chosen */
    size_t returned_rows;    /**< rows ky that kspace relays, in either way, see docs/gpu.md */
    size_t fetched_rows;     /**< the same number if it fetches them; else 0 */
    int tuned;             /**< 1: an option or the policy is what `psg tune` stored; 0: none is */
    size_t spectrum_bytes; /**< blocks, rows and sheets held now, for as many solves as have
                                overlapped so far */
    size_t scratch_bytes;  /**< the scratch of CPU workers */
    uint64_t solves;       /**< solves so far, failed ones too */

    /* The latest solve that was waited for. */
    double submitted; /**< when it was submitted, seconds since the epoch, or simulated */
    double seconds;   /**< from its submission until u is in the caller's array, or in the slabs */
    double mean;      /**< the mean of f that was dropped, unit U/L^2; 0 where none had to be */
    psg_stage_statistics stage[PSG_STAGE_COUNT];
    /** of f to where tasks read it, and of u from where they wrote it; 0: neither went over a link.
     *  A dense copy on the same GPU does not count */
    uint64_t copied_bytes;
    size_t cpu_planes, cpu_rows; /**< of this process' planes and rows, those that CPU cores did */
    psg_submit_statistics submit;

    /** Copies to, from and between GPUs, of all plans so far; messages to other processes, of the
     *  latest solve. */
    psg_link_statistics link[PSG_LINK_COUNT];

    /* The latest solve again. */
    size_t iterations; /**< with psg_solve_args.epsilon; 0: without */
    double residual;   /**< after them, as a share of f: psg_solve_args.tolerance */
} psg_statistics;

/** psg_plan_statistics(plan, &statistics): the macro adds the size, as that of psg_options_init().
 *  @return PSG_OK; PSG_ERR_ARG: a pointer is NULL */
PSG_API psg_status psg_plan_statistics(const psg_plan *plan, psg_statistics *statistics,
                                       size_t struct_size);
#define psg_plan_statistics(plan, statistics)                                                      \
    psg_plan_statistics(plan, statistics, sizeof(psg_statistics))

/** Where the plan's memory is.
 *  @param[out] spectrum_on_gpus  1: the spectrum is in the memory of GPUs; 0: in main memory
 *  @param[out] gpu_bytes_free    what the plan left, when it was made, of the GPU that has least;
 *  0: not known, or there is none
 *  @return PSG_OK; PSG_ERR_ARG: a pointer is NULL */
PSG_API psg_status psg_plan_memory(const psg_plan *plan, int *spectrum_on_gpus,
                                   double *gpu_bytes_free);

/** The means of f that were dropped, as psg_statistics.mean: of each right-hand side of
 *  psg_solve_many(), or of the latest solve, if that was another one. @return PSG_OK; PSG_ERR_ARG:
 *  a pointer is NULL */
PSG_API psg_status psg_plan_means(const psg_plan *plan, double *means, size_t capacity,
                                  size_t *count);

/** The residuals of the latest solve with epsilon, also while it goes on: this may be called beside
 *  the thread that solves. Number m is that after m iterations, as a share of f. After the solve
 *  the last one is psg_statistics.residual.
 *  @param[in]  first      the number of the first one that is wanted
 *  @param[out] residuals  [capacity]; those that are known of them
 *  @param[out] count      residuals that are known, iterations + 1; 0: there was no such solve. The
 *                         same on all processes
 *  @return PSG_OK; PSG_ERR_ARG: a pointer is NULL */
PSG_API psg_status psg_plan_residuals(const psg_plan *plan, size_t first, double *residuals,
                                      size_t capacity, size_t *count);

/** What is known of a work's runs, whatever they compute. */
typedef struct psg_run_statistics {
    size_t struct_size; /**< set by psg_work_statistics() */
    /** that it took to make the plan, or the workload; StarPU's start included */
    double make_seconds;
    size_t workers; /**< workers that could take its tasks */
    uint64_t runs;  /**< runs so far, failed ones too */
    /** of the latest run that was waited for, as the following: when it was submitted, seconds
     *  since the epoch, or simulated */
    double submitted;
    /** from its submission to the end of its last task; of a solve see psg_statistics */
    double seconds;
    psg_submit_statistics submit;
    psg_link_statistics link[PSG_LINK_COUNT]; /**< as psg_statistics.link */
} psg_run_statistics;

/** psg_work_statistics(work, &statistics): the macro adds the size. @return PSG_OK; PSG_ERR_ARG */
PSG_API psg_status psg_work_statistics(const psg_work *work, psg_run_statistics *statistics,
                                       size_t struct_size);
#define psg_work_statistics(work, statistics)                                                      \
    psg_work_statistics(work, statistics, sizeof(psg_run_statistics))

/** The tasks of one kind in the latest run, on workers of one kind. */
typedef struct psg_kind_tasks {
    psg_stage stage;
    uint64_t tasks[2]; /**< on cores, and on GPUs */
    double seconds[2]; /**< summed over the tasks */
} psg_kind_tasks;

/** The tasks of the latest run that was waited for, by kind; kinds without a task are left out.
 *  @return PSG_OK; PSG_ERR_ARG */
PSG_API psg_status psg_work_tasks(const psg_work *work, psg_kind_tasks *list, size_t capacity,
                                  size_t *count);

/** Why processes of one node do not reach each other's memory, or GPUs of several processes not
 *  each other's. Then the plan has messages, or blocks of GPUs go through main memory:
 *  psg_statistics.exchange says which.
 *  @return the plan's; "" if there is nothing to say */
PSG_API const char *psg_plan_note(const psg_plan *plan);

/** Which way the plan's solves go, in words: the graph, who runs its tasks, how blocks are
 *  exchanged, and where the spectrum is. Solves between arrays that are brought to GPUs go as tasks
 *  where others are one task; those with epsilon always do.
 *  @return the plan's; "" for NULL */
PSG_API const char *psg_plan_route(const psg_plan *plan);

/** Seconds of worker w (0 .. statistics.workers-1) in each stage of the latest solve waited for.
 *  @param[out] seconds  PSG_STAGE_COUNT numbers @return PSG_OK; PSG_ERR_ARG */
PSG_API psg_status psg_plan_worker_seconds(const psg_plan *plan, size_t w, double *seconds);

/** Something that took time in a run: a task, or what went between processes. */
typedef struct psg_event {
    psg_stage stage;
    int worker;     /**< 0 .. statistics.workers-1; -1: none, between processes */
    int rank;       /**< of a message: the process at its other end; -1: none */
    int received;   /**< of a message: 1: it came from there, 0: it went there */
    size_t segment; /**< counted over all processes; SIZE_MAX: the event has none, or several. Of a
                            workload the first number of the task, and sheet the second: row and
                            column of a tile, or a chunk, a batch, two blocks */
    size_t sheet;   /**< of a message the first one in it */
    size_t step;    /**< of a workload or a solve with epsilon; of gradient_xy, and of messages for
                            gradient_z, the axis of the derivative, 0 to 2; of edge 2: the plane
                            is of a flow; of inverse_xy how many derivatives it makes besides u; of
                            modes_in and modes_out 1: it makes u, 2: modes of u, 3: both;
                            SIZE_MAX: none */
    size_t count;   /**< of a task: planes of its segment, or rows of its sheet */
    size_t pieces;  /**< of a task: blocks that it has to do with */
    size_t remote;  /**< of a task: how many of its blocks, or of the parts that it returns, are
                            on other GPUs */
    int dense;      /**< of a task: each block is in one piece of memory */
    double start,
        end;      /**< seconds since statistics.submitted. A message that goes starts when its block
                              was written. Of a message that comes, start = end */
    size_t bytes; /**< of a task: of its planes or rows of the spectrum; of a message: what it
                              carries; 0: of an alltoall */
    double
        least[2]; /**< seconds of a task like it on a core and on a GPU: the shortest in this run;
                              in a simulation, or where psg_kind.seconds says it, the fastest
                              worker's. INFINITY: not known, or no such worker can do it */
    size_t extent[3]; /**< of a task: of the array that it has a part of, see psg_task_shape */
    int axis;         /**< the same */
} psg_event;

/** What happened on this process in the latest run waited for, in the order of their ends.
 *  @return PSG_OK; PSG_ERR_ARG; PSG_ERR_MEMORY: the run had no memory to keep all of it */
PSG_API psg_status psg_work_events(const psg_work *work, psg_event *events, size_t capacity,
                                   size_t *count);
PSG_API psg_status psg_plan_events(const psg_plan *plan, psg_event *events, size_t capacity,
                                   size_t *count);

/** A copy by StarPU between main memory and a GPU, or between GPUs. */
typedef struct psg_copy {
    psg_link link;
    int from, to;          /**< CUDA device numbers; -1: main memory */
    char data;             /**< 'f', 'u', 's' (the spectrum); 0: other data, or it is not known */
    size_t segment, sheet; /**< SIZE_MAX: of no single one */
    size_t bytes;
    double start,
        end; /**< as psg_event's; if solves do not overlap, within 0 .. psg_statistics.seconds */
} psg_copy;

/** The copies in the latest run waited for, in the order of their ends; if solves overlap,
 *  each copy is in the solve that is waited for first. The list is empty if copies are not timed.
 *  @return PSG_OK; PSG_ERR_ARG */
PSG_API psg_status psg_work_copies(const psg_work *work, psg_copy *copies, size_t capacity,
                                   size_t *count);
PSG_API psg_status psg_plan_copies(const psg_plan *plan, psg_copy *copies, size_t capacity,
                                   size_t *count);

/** Event `after` read data that event `before` wrote. Both are numbers in the list of
 * psg_work_events(). */
typedef struct psg_dependency {
    size_t before, after;
    size_t bytes; /**< of these data */
} psg_dependency;

/** An event used a piece of data. */
typedef struct psg_use {
    size_t event; /**< its number in the list of psg_work_events() */
    size_t data;  /**< the piece's number in this run, from 0 */
    size_t bytes; /**< of the piece */
    int reads, writes;
    int adds; /**< it changed the piece in no order with others that add; reads and writes are 0 */
} psg_use;

/** What the events of the latest run waited for used, but for scratch, with psg_options.record. The
 *  uses of one event stand together, and events are in the order of their submission.
 *  @return as psg_work_dependencies() */
PSG_API psg_status psg_work_uses(const psg_work *work, psg_use *uses, size_t capacity,
                                 size_t *count);

/** The dependencies between the events of the latest run waited for, with
 *  psg_options.record. `before` had ended when `after` started (of a received message only the
 *  end is known). An alltoall comes after all tasks whose blocks it sent, and before all tasks that
 *  read the blocks that it brought.
 *  @return PSG_OK; PSG_ERR_ARG; PSG_ERR_STATE: nothing is recorded; PSG_ERR_MEMORY */
PSG_API psg_status psg_work_dependencies(const psg_work *work, psg_dependency *dependencies,
                                         size_t capacity, size_t *count);
PSG_API psg_status psg_plan_dependencies(const psg_plan *plan, psg_dependency *dependencies,
                                         size_t capacity, size_t *count);

/* ------------------------------------------------------------------------------------ bounds */

/** What a run cannot be shorter than. */
typedef enum psg_bound {
    PSG_BOUND_PATH =
        0,          /**< the longest chain of tasks, each the shortest of its kind and shape. In a
                             solve, f has come to the GPUs before the first sheet, and u goes home
                             after the last */
    PSG_BOUND_WORK, /**< the work of all tasks, each as short as psg_event.least, divided among the
                           workers in the best way: the area bound */
    PSG_BOUND_MEMORY, /**< the least bytes through memory, at the rate measured there */
    PSG_BOUND_LINK,   /**< the time of the slowest link */
    PSG_BOUND_COUNT
} psg_bound;

/** The bound's name, static: "path", "work", "memory", "link"; NULL for none. */
PSG_API const char *psg_bound_name(psg_bound bound);

/** About this process' part in the latest run that was waited for. */
typedef struct psg_bounds {
    size_t struct_size;            /**< set by psg_work_bounds() */
    double seconds;                /**< the largest of the following */
    psg_bound by;                  /**< which one that is */
    double bound[PSG_BOUND_COUNT]; /**< seconds; 0: nothing is known, or it bounds nothing */
    double lp_seconds; /**< an estimate: StarPU's linear program; 0: without its models, or GLPK */
    double memory_bytes; /**< that pass through memory at the least */
    double memory_rate;  /**< bytes per second, of all workers; 0: not known, as in a simulation */
    double cache_bytes;  /**< of all caches, which were left out of memory_bytes */
    double link_bytes[PSG_LINK_COUNT];   /**< that have to go that way */
    double link_seconds[PSG_LINK_COUNT]; /**< at the rates measured; 0: none, or not known */
} psg_bounds;

/** How short the latest run could have been, with psg_options.record; compare with
 *  psg_statistics.seconds. psg_work_bounds(work, &bounds): the macro adds the size. Collective with
 *  psg_options.comm.
 *  path, work: of tasks that are alike the shortest in the run counts for all, on cores and on GPUs
 *  apart. A kind of worker that did none of them counts as one that cannot, where its time is not
 *  known (psg_event.least). In a simulation it is, so that no policy is faster.
 *  memory: each of a solve's three phases (x and y; z; back) reads and writes its data once, but
 *  for what caches may hold from the phase before and keep for the next. The rate is that of all
 *  workers at once, reading or copying arrays four times the caches, at most 1 GiB (GPUs copy),
 *  found at a process' first call for a number of workers. That takes 0.3 s to some seconds,
 * longest where few cores have a large cache. Of one process on cores it is kept in
 * psg_options.cache_dir after three processes have measured it; the best counts. With other
 * programs beside, a rate may be too low.
 *  links: f to the GPUs and u from them, unless they are slabs, blocks between memories, messages;
 *  at StarPU's rates. The rate of messages is that of all processes sending at once, found at a
 *  communicator's first call.
 *  @return PSG_OK; PSG_ERR_ARG, _MEMORY, _RUNTIME; PSG_ERR_STATE: nothing recorded, or no run */
PSG_API psg_status psg_work_bounds(const psg_work *work, psg_bounds *bounds, size_t struct_size);
#define psg_work_bounds(work, bounds) psg_work_bounds(work, bounds, sizeof(psg_bounds))
PSG_API psg_status psg_plan_bounds(const psg_plan *plan, psg_bounds *bounds, size_t struct_size);
#define psg_plan_bounds(plan, bounds) psg_plan_bounds(plan, bounds, sizeof(psg_bounds))

#ifdef __cplusplus
}
#endif
#endif
