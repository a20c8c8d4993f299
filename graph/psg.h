/** @file psg.h  PoissonGraph: Poisson's equation in 3-D by FFT, as a task graph on StarPU.
 *
 * Solves  lap(u) - lambda u = f  on a box of lx x ly x lz with nx x ny x nz points, (i,j,k) at
 * (i lx/nx, j ly/ny, k lz/nz). Arrays are [nz][ny][nx], x fastest, real, in the plan's precision.
 * Periodic, lambda = 0: no solution for k = 0; u gets mean 0, f's is dropped (psg_options.mean).
 *
 *     psg_grid grid;    psg_grid_init(&grid, nx, ny, nz, lx, ly, lz);
 *     psg_options opt;  psg_options_init(&opt);
 *     psg_plan *plan = NULL;
 *     if (psg_plan_create(&plan, &grid, &opt) != PSG_OK) puts(psg_last_error());
 *     psg_solve(plan, f, u);
 *     psg_plan_destroy(plan);
 *
 * Everything that can fail returns a psg_status; psg_last_error() has the words. The library never
 * prints, exits or aborts on bad input. One call at a time per plan; threads may use different
 * plans, but creating and destroying them and the first solve of unaligned arrays call FFTW's
 * planner: a program that plans in other threads calls fftw_make_planner_thread_safe() first.
 * Of a list up to `capacity` items are written (0: the pointer may be NULL); *count tells of all.
 */
#ifndef PSG_H
#define PSG_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PSG_VERSION_MAJOR 0
#define PSG_VERSION_MINOR 1
#define PSG_VERSION_PATCH 0

#if defined(__GNUC__)
#define PSG_API __attribute__((visibility("default")))
#else
#define PSG_API
#endif

/* ------------------------------------------------------------------------------------ status */

typedef enum psg_status {
    PSG_OK = 0,
    PSG_ERR_ARG,         /**< an argument is wrong; nothing was done */
    PSG_ERR_UNSUPPORTED, /**< valid, but not in this version or not built in */
    PSG_ERR_MEMORY,      /**< memory could not be had; the words say how much was asked */
    PSG_ERR_NODEV,       /**< no such device, or no worker that can run the plan */
    PSG_ERR_DATA,        /**< f has a NaN or an Inf; the words say where */
    PSG_ERR_MEAN,        /**< f has a mean and psg_options.mean is PSG_MEAN_ERROR */
    PSG_ERR_STATE,       /**< the call does not fit what was done before it */
    PSG_ERR_RUNTIME,     /**< StarPU, FFTW or a device failed */
    PSG_STATUS_COUNT
} psg_status;

/** The status in words, static; "unknown status" for a value that is none. */
PSG_API const char *psg_status_string(psg_status status);

/** What went wrong in this thread's latest failed call: one sentence, no newline. "" if none did.
 *  Valid until the next call of this thread into the library. */
PSG_API const char *psg_last_error(void);

/* -------------------------------------------------------------------------------------- grid */

/** What holds at one side of an axis. Only PSG_BC_PERIODIC (on both sides) is there today. */
typedef enum psg_bc {
    PSG_BC_PERIODIC = 0,
    PSG_BC_DIRICHLET,
    PSG_BC_NEUMANN,
    PSG_BC_FREE,
    PSG_BC_COUNT
} psg_bc;

typedef struct psg_axis {
    size_t n;      /**< points, >= 1; any number, prime and odd too */
    double length; /**< length of the box along this axis, > 0, unit L */
    psg_bc bc[2];  /**< at the lower and at the upper side */
} psg_axis;

typedef struct psg_grid {
    psg_axis axis[3]; /**< x, y, z; x is the fastest in memory */
} psg_grid;

/** Fill a periodic grid of nx x ny x nz points on a box of lx x ly x lz, unit L; checks nothing. */
PSG_API void psg_grid_init(psg_grid *grid, size_t nx, size_t ny, size_t nz, double lx, double ly,
                           double lz);

/* ----------------------------------------------------------------------------------- options */

typedef enum psg_precision { PSG_F64 = 0, PSG_F32, PSG_PRECISION_COUNT } psg_precision;

/** The discrete Laplacian: its eigenvalue for the mode of wavenumber k on an axis of spacing h. */
typedef enum psg_symbol {
    PSG_SYMBOL_SPECTRAL = 0, /**< -k^2 */
    PSG_SYMBOL_FD2,          /**< -(2/h sin(kh/2))^2: the 7-point stencil, solved exactly */
    PSG_SYMBOL_COUNT
} psg_symbol;

/** What to do with the mean of f where the equation has no solution for it. */
typedef enum psg_mean { PSG_MEAN_DROP = 0, PSG_MEAN_ERROR, PSG_MEAN_COUNT } psg_mean;

/** The variant of the task graph. */
typedef enum psg_graph {
    PSG_GRAPH_FUSED = 0, /**< three kinds of task: forward_xy, kspace, inverse_xy */
    PSG_GRAPH_STAGED,    /**< one task per step: fft_xy, pack, unpack, fft_z, divide, ... */
    PSG_GRAPH_AUTO,      /**< what `psg tune` found best (see "Tuning"), else fused */
    PSG_GRAPH_COUNT
} psg_graph;

/** How blocks get from the slab that wrote them to the pencil that reads them, and back. */
typedef enum psg_exchange {
    PSG_EXCHANGE_AUTO = 0,
    PSG_EXCHANGE_MANAGED,  /**< StarPU moves the blocks */
    PSG_EXCHANGE_DIRECT,   /**< GPUs reach into the pencils' memory: fused, peers, all fits them */
    PSG_EXCHANGE_MPI,      /**< between processes (AUTO there), each message as soon as it can go */
    PSG_EXCHANGE_ALLTOALL, /**< between processes, all at once: MPI_Ialltoallv; to compare with */
    PSG_EXCHANGE_COUNT
} psg_exchange;

/** How the staged graph lays out a pencil. */
typedef enum psg_z_layout {
    PSG_Z_CONTIGUOUS = 0, /**< [ky][kx][z]: packs transpose, the z transforms are contiguous */
    PSG_Z_STRIDED,        /**< [z][ky][kx]: packs copy, the z transforms are strided */
    PSG_Z_AUTO,           /**< what `psg tune` found best, else contiguous */
    PSG_Z_COUNT
} psg_z_layout;

/** How long FFTW may search for its plans. */
typedef enum psg_effort {
    PSG_EFFORT_MEASURE = 0,
    PSG_EFFORT_ESTIMATE,
    PSG_EFFORT_PATIENT,
    PSG_EFFORT_COUNT
} psg_effort;

/** Options of a plan. Always start from psg_options_init(). */
typedef struct psg_options {
    size_t struct_size;      /**< set by psg_options_init(); lets the struct grow */
    psg_precision precision; /**< PSG_F64 */
    psg_symbol symbol;       /**< PSG_SYMBOL_SPECTRAL */
    double lambda;           /**< 0; >= 0, unit 1/L^2 (screened Poisson when > 0) */
    psg_mean mean;           /**< PSG_MEAN_DROP; PSG_MEAN_ERROR reads f once more after the solve */
    double mean_tolerance;   /**< 0; with PSG_MEAN_ERROR: |mean f| above this share of max|f| is an
                                  error; 0 means rounding, that is 1e-10 in f64 and 1e-5 in f32 */
    psg_graph graph;         /**< PSG_GRAPH_AUTO */
    psg_exchange exchange;   /**< PSG_EXCHANGE_AUTO */
    psg_z_layout z_layout;   /**< PSG_Z_AUTO; staged graph only */
    size_t segment_planes;   /**< 0 = from the data; planes per segment, of less than 2^32 points */
    size_t pencils;          /**< 0 = from data and GPUs; number of pencils (more than ny: ny) */
    int cpus;           /**< -1 = every core, beside GPUs if cpu_share is > 0 or _FREE, else 0 */
    int gpus;           /**< -1 = every usable GPU; these take all but what cpu_share says */
    const int *gpu_ids; /**< NULL = the first ones; gpus CUDA device numbers. Not kept. */
    const char *policy; /**< NULL = StarPU's (STARPU_SCHED, else its default); scheduling policy */
    psg_effort effort;  /**< PSG_EFFORT_MEASURE */
    const char *cache_dir; /**< NULL = $XDG_CACHE_HOME/psg or ~/.cache/psg; folder for FFTW wisdom
                                  and what `psg tune` found; "" = nowhere. Never an error. */
    unsigned in_flight;  /**< 2; >= 1, solves that may overlap, if memory allows a spectrum each */
    const void *comm;    /**< NULL = alone; else where an MPI_Comm is, see "Several processes" */
    int calibrate;       /**< 0 = as STARPU_CALIBRATE says; 1 = measure tasks, for dm* and *heft* */
    int record;          /**< 0; 1 = keep what tasks read and write, for dependencies and bounds */
    const char *machine; /**< NULL = the one in use, at first PSG_MACHINE in the environment; of a
                              simulation only: a file, or one that comes with it. Not kept. */
    int tuned; /**< 1 = defaults are what `psg tune` stored, see "Tuning"; 0 = they are not */
    double cpu_share; /**< PSG_CPU_SHARE_AUTO; 0..1, cores' part of planes and rows beside GPUs */
    int normalize;  /**< 1; of the staged graph: 1 = a task of its own, 0 = the division does it */
    double network; /**< 0 = as the machine's file says; bytes per second between nodes */
    unsigned nodes; /**< 1; of a simulation only, see there: alike nodes with a process each */
} psg_options;

/** What is fastest for data in main memory by StarPU's models and links; 0 without or with MPI. */
#define PSG_CPU_SHARE_AUTO (-1.0)
/** Each task goes to a core or a GPU as the policy decides; blocks are at home in main memory. */
#define PSG_CPU_SHARE_FREE (-2.0)

PSG_API void psg_options_init_sized(psg_options *options, size_t struct_size);

/** Set every option to its default, the first value in its comment, by the function above. */
static inline void psg_options_init(psg_options *options) {
    psg_options_init_sized(options, sizeof *options);
}

/* -------------------------------------------------------------------------------------- plan */

/** A solver for one grid and set of options. Owns its buffers, transforms and StarPU handles. */
typedef struct psg_plan psg_plan;

/** Make a plan; starts StarPU if nobody has (counted: the last psg_plan_destroy() stops it again),
 *  and then lets its workers sleep while no solve is in flight. Where StarPU runs already, its
 *  workers and policy are used and it is left awake; options that ask for others are PSG_ERR_STATE,
 *  as is a policy where STARPU_SCHED in the environment says another. A program with StarPU tasks
 *  of its own calls starpu_init() before it makes a plan. StarPU's profiling is turned on, and with
 *  GPUs STARPU_SUBALLOCATOR=0 put into the environment, unless it is there. What StarPU says on its
 *  own goes to stderr, unless STARPU_SILENT=1 is there.
 *  @param[out] plan  NULL after a failure @param[in] grid, options  not kept; no options: defaults
 *  @return PSG_OK; PSG_ERR_ARG, _UNSUPPORTED, _NODEV, _STATE, _MEMORY, _RUNTIME: nothing is left */
PSG_API psg_status psg_plan_create(psg_plan **plan, const psg_grid *grid,
                                   const psg_options *options);

/** Wait for what is in flight and free the plan. NULL is fine. */
PSG_API void psg_plan_destroy(psg_plan *plan);

/** Solve; returns when u is in the caller's memory.
 *  @param[in]  plan  from psg_plan_create()
 *  @param[in]  f     [nz][ny][nx], unit U/L^2, aligned for its type; borrowed; never written
 *  @param[out] u     same shape, unit U; must not overlap f
 *  @return PSG_OK; PSG_ERR_ARG, _STATE (a psg_submit() is not waited for): nothing was done;
 *          PSG_ERR_DATA, _MEAN, _MEMORY, _RUNTIME: u is undefined, the plan can be used again */
PSG_API psg_status psg_solve(psg_plan *plan, const void *f, void *u);

/** Start a solve and return; f and u as in psg_solve(), borrowed until the psg_wait() for it
 *  returns, and no f or u of a solve in flight may overlap the u of another. Solves overlap up to
 *  psg_options.in_flight, with f of one on its way to a GPU while u of another comes; more queue.
 *  @return PSG_OK; PSG_ERR_ARG, _MEMORY, _RUNTIME: nothing was started */
PSG_API psg_status psg_submit(psg_plan *plan, const void *f, void *u);

/** Wait for the oldest solve submitted and not yet waited for, and return how it ended.
 *  @return as psg_solve(); PSG_ERR_STATE: none is in flight */
PSG_API psg_status psg_wait(psg_plan *plan);

/** Page-lock an array of the caller's, of the shape of f and u, so that GPUs copy it at full speed
 *  and beside other work, if it is solved from or to more than once. Without GPUs: nothing.
 *  @param[in] array  not freed before psg_plan_unpin() or psg_plan_destroy()
 *  @return PSG_OK, also if all of it is already; PSG_ERR_ARG; PSG_ERR_MEMORY: it stays as it is */
PSG_API psg_status psg_plan_pin(psg_plan *plan, const void *array);
/** Undo psg_plan_pin(); array NULL: for all of them. No solve with the array may be in flight. */
PSG_API void psg_plan_unpin(psg_plan *plan, const void *array);

/* ------------------------------------------------------------------------- several processes */

/* With psg_options.comm, the processes of an MPI communicator solve together, each with its own
 * cores and GPUs. Each owns a run of planes: f and u are its planes alone, [count][ny][nx], and may
 * be NULL where it has none. psg_plan_create(), _destroy(), psg_solve(), psg_submit(), _slabs(),
 * psg_wait(), psg_plan_bounds() and psg_machine_workers() are collective: every process calls them
 * in the same order with the same grid and options (but for cpus, gpus, gpu_ids and cache_dir), and
 * all get the same status; the words name the process that failed. MPI is initialised before with
 * MPI_THREAD_MULTIPLE, as messages have a thread of their own, and finalised after the last plan is
 * destroyed. Plans on one communicator are used by one thread at a time.
 *
 * Unless the launcher gave each process cores of its own, psg_plan_create() divides a node's among
 * the processes there, if it starts StarPU; likewise GPUs. With more processes than cores, Open MPI
 * should give way while it waits: OMPI_MCA_mpi_yield_when_idle=1 in the environment.
 *
 * PSG_FAKE_RANKS and PSG_FAKE_RANK in the environment have one process play a rank of many, to
 * measure what its part costs; its messages go to nobody, and its u is worth nothing. */

/** The planes of process `rank` of `ranks` in a grid of nz: z0 .. z0+count-1. The first processes
 *  have one more where nz does not divide; those past the planes have none (count 0, z0 = nz).
 *  z0 or count may be NULL. @return PSG_OK; PSG_ERR_ARG: nz = 0, or no such rank */
PSG_API psg_status psg_local_extent(size_t nz, int ranks, int rank, size_t *z0, size_t *count);

/** The planes that this process owns; z0 or count may be NULL. @return PSG_OK; PSG_ERR_ARG */
PSG_API psg_status psg_plan_local_extent(const psg_plan *plan, size_t *z0, size_t *count);

/** Can the MPI that is linked send from GPU memory? Else blocks go through page-locked main memory.
 *  @return 1: yes; 0: no, or it does not say; -1: there is no MPI; in a simulation the machine's */
PSG_API int psg_mpi_cuda_aware(void);

/* ------------------------------------------------------------- for programs that use StarPU */

struct _starpu_data_state; /* StarPU's starpu_data_handle_t points to this */

/** How many this process has; either pointer may be NULL. @return PSG_OK; PSG_ERR_ARG */
PSG_API psg_status psg_plan_segments(const psg_plan *plan, size_t *segments, size_t *pencils);

/** The slabs of f and u as StarPU data, for tasks that write f and read u wherever these live. Made
 *  at the first call, without initial values, owned by the plan; StarPU's block interface, nx x ny
 *  x planes of the segment, element size of the precision.
 *  @param[out] f, u  psg_plan_segments() handles each; either may be NULL, as may z0
 *  @param[out] z0    segments + 1 numbers: segment s has the planes z0[s] .. z0[s+1]-1 of the grid
 *  @return PSG_OK; PSG_ERR_ARG; PSG_ERR_MEMORY: no slabs were made */
PSG_API psg_status psg_plan_slab_handles(psg_plan *plan, struct _starpu_data_state **f,
                                         struct _starpu_data_state **u, size_t *z0);

/** Start a solve from the slab handles of f (each of which a task has written or will have, by
 *  submission order; StarPU aborts on one that was never written) to those of u. Tasks submitted
 *  later that read u wait for it by themselves; psg_wait() gives the status, and leaves the data
 *  where they are, unless it has to look at f (PSG_ERR_DATA, PSG_MEAN_ERROR). A GPU that has f, u
 *  and all tasks, in the default cut, gets one task, "chain" in traces: who reads u waits for it.
 *  @return PSG_OK; PSG_ERR_ARG, _MEMORY; PSG_ERR_STATE: psg_plan_slab_handles() was never called */
PSG_API psg_status psg_submit_slabs(psg_plan *plan);

/** Copy this process' planes of f into the slabs, or u out of them: for programs whose data stay on
 *  GPUs. Not collective. Waits for tasks that use the slabs, which the first call makes.
 *  @param f, u  as in psg_solve(), borrowed until return; u after the psg_wait() for its solve
 *  @return PSG_OK; PSG_ERR_ARG, _MEMORY, _RUNTIME; PSG_ERR_STATE: the latest solve left no u */
PSG_API psg_status psg_slabs_put(psg_plan *plan, const void *f);
PSG_API psg_status psg_slabs_get(psg_plan *plan, void *u);

/* -------------------------------------------------------------------------------- statistics */

/** The kinds of task, in the order of the graph: the staged graph's, then the fused one's. */
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
    PSG_STAGE_INVERSE_XY, /**< unpack and ifft_xy */
    PSG_STAGE_EXCHANGE,   /**< messages to other processes; the seconds with one on its way */
    PSG_STAGE_COUNT
} psg_stage;

/** The stage's name, static, as in traces and performance models ("fft_xy"); NULL for none. */
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
    double seconds; /**< summed over the tasks, each from its start to its end on its worker */
} psg_stage_statistics;

/** About the latest solve that was waited for, except where a comment says otherwise. */
typedef struct psg_statistics {
    size_t struct_size;  /**< set by psg_plan_statistics() */
    uint64_t solves;     /**< solves of this plan so far, failed ones too */
    double submitted;    /**< when it was submitted, seconds since the epoch */
    double seconds;      /**< from its submission to its last task's end, without u's way home */
    double mean;         /**< the mean of f that was dropped, unit U/L^2; 0 where none had to be */
    double plan_seconds; /**< psg_plan_create(): FFTW's search and StarPU's start included */
    size_t segments, pencils; /**< of the plan, all processes */
    size_t segment_planes;    /**< of the plan: planes of the largest segment */
    size_t workers;           /**< of the plan: workers that could take its tasks */
    psg_exchange exchange;    /**< of the plan: what was chosen */
    size_t spectrum_bytes;    /**< of the plan: blocks, rows, pencils held now, all in flight */
    size_t scratch_bytes;     /**< of the plan: the workers' scratch */
    uint64_t h2d_bytes, d2h_bytes, d2d_bytes; /**< of all plans: copied to, from, between GPUs */
    uint64_t sent_bytes;                      /**< by this process to others, in the latest solve */
    int ranks, rank; /**< of the plan: processes, 1 without psg_options.comm; this one's number */
    psg_stage_statistics stage[PSG_STAGE_COUNT];
    psg_graph graph; /**< of the plan: what was chosen, as are the following */
    psg_z_layout z_layout;
    int tuned; /**< 1: an option or the policy is what `psg tune` stored; 0: none is */
    size_t cpu_planes, cpu_rows; /**< of this process' planes and rows, those that CPU cores did */
    double submit_seconds;       /**< until all tasks and messages were submitted: */
    size_t submit_pieces;        /**< of data that these have, as StarPU is handed them */
    double h2d_seconds, d2h_seconds, d2d_seconds; /**< of these copies, all GPUs; NAN: not known */
    size_t returned_rows, fetched_rows; /**< rows ky that kspace returns, and fetches; README */
    size_t submit_tasks; /**< those that copy, and messages, too; 1: StarPU got the solve as one */
} psg_statistics;

/** Used by psg_plan_statistics(). */
PSG_API psg_status psg_plan_statistics_sized(const psg_plan *plan, psg_statistics *statistics,
                                             size_t struct_size);

/** @return PSG_OK; PSG_ERR_ARG: a pointer is NULL */
static inline psg_status psg_plan_statistics(const psg_plan *plan, psg_statistics *statistics) {
    return psg_plan_statistics_sized(plan, statistics, sizeof *statistics);
}

/** Seconds of worker w (0 .. statistics.workers-1) in each stage of the latest solve waited for.
 *  @param[out] seconds  PSG_STAGE_COUNT numbers @return PSG_OK; PSG_ERR_ARG */
PSG_API psg_status psg_plan_worker_seconds(const psg_plan *plan, size_t w, double *seconds);

/** Something that took time in a solve: a task, or what went between processes. */
typedef struct psg_event {
    psg_stage stage;
    int worker;        /**< 0 .. statistics.workers-1; -1: none, between processes */
    int rank;          /**< of a message: the process at its other end; -1: none */
    int received;      /**< of a message: 1: it came from there, 0: it went there */
    size_t segment;    /**< of all processes'; SIZE_MAX: of no single one, as is the following */
    size_t pencil;     /**< of a message the first one in it */
    size_t count;      /**< of a task: planes of its segment, or rows of its pencil */
    size_t pieces;     /**< of a task: blocks that it has to do with */
    size_t remote;     /**< of a task: those of them, or of what it returns, on other GPUs */
    int dense;         /**< of a task: each of them is in one piece of memory */
    double start, end; /**< seconds since statistics.submitted. A message starts when what it
                              carries was written; a received one has its end in both */
} psg_event;

/** What happened on this process in the latest solve waited for, in the order of its ends.
 *  @return PSG_OK; PSG_ERR_ARG */
PSG_API psg_status psg_plan_events(const psg_plan *plan, psg_event *events, size_t capacity,
                                   size_t *count);

/** A copy by StarPU between main memory and a GPU, or between GPUs. */
typedef struct psg_copy {
    psg_link link;
    int from, to; /**< CUDA device numbers; -1: main memory */
    char data;    /**< 'f', 'u', 's': of the spectrum; 0: other data, or it is not known */
    size_t segment, pencil; /**< SIZE_MAX: of no single one */
    size_t bytes;
    double start, end; /**< as psg_event's; u comes home after statistics.seconds */
} psg_copy;

/** The copies in the latest solve waited for, in the order of their ends; of solves in flight
 *  together each is in the first waited for; none where not timed. @return PSG_OK; PSG_ERR_ARG */
PSG_API psg_status psg_plan_copies(const psg_plan *plan, psg_copy *copies, size_t capacity,
                                   size_t *count);

/** An event read what another had written. Both are numbers in the list of psg_plan_events(). */
typedef struct psg_dependency {
    size_t before, after;
} psg_dependency;

/** The dependencies between the events of the latest solve waited for, of a plan with
 *  psg_options.record. `before` had ended when `after` started (a received message has but its
 *  end). An alltoall stands between the tasks that wrote what went and those that read what came.
 *  @return PSG_OK; PSG_ERR_ARG; PSG_ERR_STATE: the plan does not record; PSG_ERR_MEMORY */
PSG_API psg_status psg_plan_dependencies(const psg_plan *plan, psg_dependency *dependencies,
                                         size_t capacity, size_t *count);

/* ------------------------------------------------------------------------------------ bounds */

/** What a solve cannot be shorter than. */
typedef enum psg_bound {
    PSG_BOUND_PATH = 0, /**< the longest chain of tasks, each the shortest of its kind and shape */
    PSG_BOUND_WORK,     /**< the seconds of all tasks over the number of workers */
    PSG_BOUND_MEMORY,   /**< the least bytes through memory, at the rate measured there */
    PSG_BOUND_LINK,     /**< likewise, of the links the one that takes longest */
    PSG_BOUND_COUNT
} psg_bound;

/** The bound's name, static: "path", "work", "memory", "link"; NULL for none. */
PSG_API const char *psg_bound_name(psg_bound bound);

/** About this process' part in the latest solve that was waited for. */
typedef struct psg_bounds {
    size_t struct_size;            /**< set by psg_plan_bounds() */
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

/** Used by psg_plan_bounds(). */
PSG_API psg_status psg_plan_bounds_sized(const psg_plan *plan, psg_bounds *bounds,
                                         size_t struct_size);

/** How short the latest solve could have been, of a plan with psg_options.record; compare with
 *  psg_statistics.seconds. Collective with psg_options.comm.
 *  memory: each of a solve's three phases (x and y; z; back) reads and writes its data once, but
 *  for what caches may hold from the phase before and keep for the next. The rate is that of all
 *  workers at once, reading or copying arrays four times the caches, at most 1 GiB (GPUs copy),
 *  found at a process' first call for a number of workers: 0.1 s, in which nothing else should run.
 *  links: f to the GPUs, blocks between memories, messages; at StarPU's rates, and for messages
 *  that of all processes sending at once, found at a communicator's first call.
 *  @return PSG_OK; PSG_ERR_ARG, _MEMORY, _RUNTIME; PSG_ERR_STATE: nothing recorded, or no solve */
static inline psg_status psg_plan_bounds(const psg_plan *plan, psg_bounds *bounds) {
    return psg_plan_bounds_sized(plan, bounds, sizeof *bounds);
}

/* ---------------------------------------------------------------------------- simulation */

/* A library built with PSG_SIMULATE runs on StarPU's SimGrid side: plans, graphs, scheduling and
 * statistics as ever, but workers are a recorded machine's, tasks take as long as they took there
 * (drawn where that spreads, by PSG_SEED in the environment, else 1), copies as its links say, and
 * nothing is computed: f and u are not touched. A process simulates one machine, by one thread; of
 * psg_options.nodes alike ones the first, with a process' part there; as much comes as it sends. */

/** Is the library a simulation? */
PSG_API int psg_simulation(void);

/** Call a program's main function within a simulation, before anything else of this library: it
 *  then runs far faster than where the first plan starts it. A library that is none just calls it.
 *  @param[in] machine  as psg_options.machine
 *  @return what program(argc, argv) returned; -1: no such machine, or all waited for ever; words */
PSG_API int psg_simulation_main(const char *machine, int (*program)(int argc, char **argv),
                                int argc, char **argv);

/** Seconds on the machine's, or the simulated machine's, clock. Its zero is anywhere. */
PSG_API double psg_clock(void);

/* ------------------------------------------------------------------------------------ tuning */

/* `psg tune` stores what is best for a grid below psg_options.cache_dir, a file for each machine,
 * precision, number of workers and grid. psg_plan_create() takes from it, for options that were
 * left at their default: graph and exchange; z_layout, segment_planes and pencils if the graph is
 * the stored one; the policy if the plan starts StarPU, and STARPU_SCHED is not set. The entry of
 * the same grid is taken; else, of those whose axes have the same nearest powers of two, the
 * nearest, with its number of segments and pencils. Grids that are not periodic, plans with
 * psg_options.comm, and simulations take none. A damaged or foreign entry is ignored. */

/** Can an entry be used here? */
typedef enum psg_tuned_state {
    PSG_TUNED_USABLE = 0,
    PSG_TUNED_FOREIGN, /**< of another machine: its name, processor or GPU is another */
    PSG_TUNED_STALE,   /**< of another version of psg, StarPU, FFTW or CUDA */
    PSG_TUNED_DAMAGED, /**< cut short, or not what its name says: only `name` is filled */
    PSG_TUNED_STATE_COUNT
} psg_tuned_state;

/** The state in words, static; NULL for none. */
PSG_API const char *psg_tuned_state_name(psg_tuned_state state);

/** What was found best for a grid. AUTO, 0 or "" is the default. */
typedef struct psg_tuned {
    psg_tuned_state state;
    char name[256];                      /**< of its file, in the cache folder */
    char host[128];                      /**< where it was measured, as are the following */
    char cpu_model[128], gpu_model[128]; /**< "" without GPUs */
    char versions[128], date[32];        /**< "2026-11-20T12:00:00Z" */
    size_t cpus, gpus;                   /**< workers that took the tasks */
    psg_precision precision;
    size_t n[3]; /**< points along x, y, z */
    psg_graph graph;
    psg_z_layout z_layout;
    psg_exchange exchange; /**< AUTO or MANAGED */
    size_t segment_planes, pencils;
    char policy[64];
    double seconds, default_seconds; /**< medians, of a solve and of one with the defaults */
} psg_tuned;

/** Store an entry in place of that of the same grid, precision and workers; whole or not at all.
 *  @param[in] options  cache_dir, and gpu_ids, whose first one is the GPU that was measured
 *  @param[in] tuned    state, name, host, models, versions and date are filled in by the library
 *  @return PSG_OK; PSG_ERR_ARG: something in it is wrong; PSG_ERR_RUNTIME: what was there stays */
PSG_API psg_status psg_tuned_store(const psg_options *options, const psg_tuned *tuned);

/** What is stored, of all machines that share the folder, by name.
 *  @param[in] options  cache_dir, and gpu_ids as above
 *  @return PSG_OK, also where there is no folder; PSG_ERR_ARG; PSG_ERR_MEMORY */
PSG_API psg_status psg_tuned_list(const psg_options *options, psg_tuned *list, size_t capacity,
                                  size_t *count);

/** Remove what is stored of this machine, whatever state it is in; count: entries removed.
 *  @return PSG_OK; PSG_ERR_ARG; PSG_ERR_RUNTIME: one could not be removed */
PSG_API psg_status psg_tuned_forget(const psg_options *options, size_t *count);

/** The folder that psg_options.cache_dir comes to; "": none.
 *  @param[in] make  1: make it, if it is not there @param[out] folder  `size` bytes
 *  @return PSG_OK; PSG_ERR_ARG: folder is NULL, or too short; PSG_ERR_RUNTIME: it cannot be made */
PSG_API psg_status psg_cache_folder(const psg_options *options, int make, char *folder,
                                    size_t size);

/* ------------------------------------------------------------------------------- the machine */

/** "0.1.0", "Open MPI v4.1.4", of what the library was built from; NULL: built without. */
typedef enum psg_component {
    PSG_COMPONENT_PSG = 0,
    PSG_COMPONENT_STARPU,
    PSG_COMPONENT_FFTW,
    PSG_COMPONENT_CUDA,
    PSG_COMPONENT_MPI,
    PSG_COMPONENT_COUNT
} psg_component;
PSG_API const char *psg_component_name(psg_component component);
PSG_API const char *psg_component_version(psg_component component);

/** StarPU's predefined policies: name and a line about it, static; NULL past the last. */
PSG_API const char *psg_policy_name(size_t index);
PSG_API const char *psg_policy_description(size_t index);
/** Does a policy (NULL: none) decide by performance models, to be calibrated first? @return 1 or 0 */
PSG_API int psg_policy_uses_models(const char *policy);

typedef enum psg_worker_kind {
    PSG_WORKER_CPU = 0,
    PSG_WORKER_CUDA,
    PSG_WORKER_KIND_COUNT
} psg_worker_kind;

typedef struct psg_worker {
    psg_worker_kind kind;
    int device;    /**< core or CUDA device number, as StarPU counts them */
    char name[64]; /**< StarPU's name of it */
    double memory; /**< of a GPU: bytes that StarPU may have there; else 0 */
} psg_worker;

/** A plan's workers are the first psg_statistics.workers of these; starts StarPU if nobody has.
 *  @param[out] policy  name of the policy in force, cut to policy_size bytes; may be NULL
 *  @return as psg_plan_create() */
PSG_API psg_status psg_machine_workers(const psg_options *options, psg_worker *workers,
                                       size_t capacity, size_t *count, char *policy,
                                       size_t policy_size);

/** How data get from one memory to another, as StarPU measured it when it first saw the machine. */
typedef struct psg_route {
    int from, to;                 /**< CUDA device numbers; -1: main memory; -2: other nodes' */
    double rate, latency_seconds; /**< bytes per second; of a copy */
    int peer; /**< between GPUs: kernels of the one may reach into the other's memory */
} psg_route;

/** The routes between main memory and the GPUs that a plan of this process alone would use, between
 *  these, and to a simulation's nodes. Starts StarPU as psg_machine_workers() does. @return likewise */
PSG_API psg_status psg_machine_routes(const psg_options *options, psg_route *routes,
                                      size_t capacity, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
