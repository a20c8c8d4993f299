/** @file psg.h  PoissonGraph: Poisson's equation in 3-D by FFT, as a task graph on StarPU.
 *
 * This header has the solver. Seven more have the rest: psg_kernel.h kernels of the caller's,
 * psg_modes.h f and u as modes, psg_project.h projections, psg_observe.h what happened,
 * psg_machine.h machines, psg_starpu.h f and u as StarPU data, psg_task.h a program's own tasks.
 *
 * Solves  lap(u) - lambda u = factor f  on a box of lx x ly x lz with nx x ny x nz points, (i,j,k)
 * at (i lx/nx, j ly/ny, k lz/nz) where all sides are periodic (psg_points). Arrays are
 * [nz][ny][nx], x fastest, real, in the plan's precision. All sides periodic or Neumann, lambda =
 * 0: there is no solution for k = 0. The mean of f is dropped, and u has mean 0 (psg_options.mean).
 * In a mean over points on Neumann sides these count half.
 *
 *     psg_grid grid;    psg_grid_init(&grid, nx, ny, nz, lx, ly, lz);
 *     psg_options opt;  psg_options_init(&opt);
 *     psg_plan *plan = NULL;
 *     if (psg_plan_create(&plan, &grid, &opt) != PSG_OK) puts(psg_last_error());
 *     psg_solve(plan, f, u);  psg_plan_destroy(plan);
 *
 * Everything that can fail returns a psg_status; psg_last_error() has the words. The library never
 * prints, exits or aborts on bad input. One call at a time per plan; threads may use different
 * plans. The library has an FFTW of its own, unless it was built with PSG_FFTW=SHARED (library.md).
 * A function that returns a list writes at most `capacity` items, and *count is the number of all.
 * With capacity 0 the pointer may be NULL.
 */
#ifndef PSG_H
#define PSG_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PSG_VERSION_MAJOR 0
#define PSG_VERSION_MINOR 2
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
    PSG_ERR_DATA,    /**< f has a NaN or an Inf, or epsilon is no good: the words say where. Or u or
                              its gradient is out of the range of the precision. Or there were too
                              few psg_solve_args.iterations */
    PSG_ERR_MEAN,    /**< f has a mean and psg_options.mean is PSG_MEAN_ERROR */
    PSG_ERR_STATE,   /**< the call does not fit what was done before it */
    PSG_ERR_RUNTIME, /**< StarPU, FFTW, MPI or a device failed */
    PSG_STATUS_COUNT
} psg_status;

/** The status in words, static; "unknown status" for a value that is none. */
PSG_API const char *psg_status_string(psg_status status);

/** What went wrong in this thread's latest failed call: one sentence, no newline. "" if none did.
 *  Valid until the next call of this thread into the library. */
PSG_API const char *psg_last_error(void);

/** The same words behind the line of the sources that wrote them, for a report of a bug:
 *  "graph/plan.c:123: words". If another process failed, the line is one of that process. Valid as
 *  long as psg_last_error(), and "" where that is "". */
PSG_API const char *psg_last_error_detail(void);

/* -------------------------------------------------------------------------------------- grid */

/** What holds at one side of an axis. */
typedef enum psg_bc {
    PSG_BC_PERIODIC = 0, /**< at both sides */
    PSG_BC_DIRICHLET,    /**< u is 0, or what psg_solve_args says */
    PSG_BC_NEUMANN, /**< the derivative of u across the side is 0, or what psg_solve_args says */
    PSG_BC_FREE, /**< f is 0 beyond, and u goes on: with cells and the symbols spectral and fd2 */
    /** the derivative of u outward is -k u, k = psg_axis.robin; k = 0 is Neumann. Of z, of two axes
     *  y, with points in cells, and with the symbol fd2 or faces. GPUs: fused graph */
    PSG_BC_ROBIN,
    PSG_BC_COUNT
} psg_bc;

/** Where the n points of an axis with other sides than periodic are. A periodic axis has point j at
 *  j h, h = length/n. */
typedef enum psg_points {
    PSG_POINTS_CELLS = 0, /**< in the middle of n cells: point j at (j + 1/2) h, h = length/n */
    PSG_POINTS_NODES, /**< a Neumann side has a point on it, a Dirichlet side has none: there u is
                               known. Dirichlet at both sides: (j + 1) h, h = length/(n + 1);
                               Neumann at both: j h, h = length/(n - 1), n >= 2; Dirichlet below and
                               Neumann above: (j + 1) h, h = length/n; the other way round: j h */
    PSG_POINTS_COUNT
} psg_points;

typedef struct psg_axis {
    size_t n; /**< points, >= 1; any number, prime and odd too */
    /** Length of the box along this axis, > 0, unit L. Any unit will do in which the precision has
     *  the number factor h^2 / (nx ny nz), where h is the spacing of the points. */
    double length;
    psg_bc bc[2]; /**< at the lower and at the upper side */
    psg_points points;
    /** NULL; or n + 1 increasing positions, faces[n] - faces[0] = length: point j is in the middle
     *  of faces[j] and faces[j + 1]. Of z, of two axes y: the equation along it is that of fd2 for
     *  such cells. Means count a point by its cell. GPUs: fused graph. Not kept */
    const double *faces;
    double robin[2]; /**< k of Robin sides, >= 0 and finite, unit 1/L; of others 0 */
} psg_axis;

typedef struct psg_grid {
    psg_axis axis[3]; /**< x, y, z; x is the fastest in memory */
    int axes; /**< of the arrays: 3, which 0 means, too; 2: [ny][nx]; 1: [nx]. Others: n = 1 */
} psg_grid;

/** Fill a periodic grid of nx x ny x nz points on a box of lx x ly x lz, unit L; checks nothing. */
PSG_API void psg_grid_init(psg_grid *grid, size_t nx, size_t ny, size_t nz, double lx, double ly,
                           double lz);
/** The same in 2-D. Arrays are [ny][nx], and axes are x and y in all that follows: value[1],
 *  gradient[1] and stride[1] are y's. What is said of planes is said of their rows. */
PSG_API void psg_grid_init2(psg_grid *grid, size_t nx, size_t ny, double lx, double ly);

/** Where the points of an axis are: point j at first + j step, unit L; either may be NULL.
 *  @return as psg_plan_create() for such an axis */
PSG_API psg_status psg_axis_points(const psg_axis *axis, double *first, double *step);

/** The smallest number of points >= n along an axis whose transform is fast on cores and GPUs.
 *  Others take 1.5 to 10 times as long. The transform is of n points; of n + 1 for nodes between
 *  Dirichlet sides, of n - 1 for nodes between Neumann sides. That has no prime factors but 2, 3,
 *  5, 7, and at most once 11 or 13; on a periodic axis it is even, or 1. Of Robin sides any is.
 *  @param[in]  n       >= 1; nodes between Neumann sides: >= 2
 *  @param[in]  bc      at the lower and at the upper side
 *  @param[in]  points  of a periodic axis any
 *  @param[out] good    may be n itself; unchanged after a failure
 *  @return as psg_plan_create() for such an axis; PSG_ERR_UNSUPPORTED: too many points */
PSG_API psg_status psg_good_length(size_t n, const psg_bc bc[2], psg_points points, size_t *good);

/* ----------------------------------------------------------------------------------- options */

typedef enum psg_precision { PSG_F64 = 0, PSG_F32, PSG_PRECISION_COUNT } psg_precision;

/** The discrete Laplacian: its eigenvalue for the mode of wavenumber k on an axis of spacing h. */
typedef enum psg_symbol {
    PSG_SYMBOL_SPECTRAL = 0, /**< -k^2 */
    PSG_SYMBOL_FD2,          /**< -(2/h sin(kh/2))^2: the 7-point stencil, solved exactly */
    PSG_SYMBOL_FD4, /**< that times 1 + sin^2(kh/2)/3: the 13-point stencil of fourth order,
                                  solved exactly; beyond a side u goes on as its mirror image */
    PSG_SYMBOL_FD6, /**< the 19-point stencil of sixth order, in the same way */
    PSG_SYMBOL_FD8, /**< the 25-point stencil of eighth order, in the same way */
    PSG_SYMBOL_COUNT
} psg_symbol;

/** What stands in place of the symbol where all three axes are free: the kernel G in u = -factor
 *  times the sum of G(r - r') f(r') hx hy hz over the points r', G in 1/L. The errors fall as h^2,
 *  for comparison with codes that have these. On cores, with symbol = spectral and lambda = 0. */
typedef enum psg_kernel {
    PSG_KERNEL_AUTO = 0, /**< that of the symbol */
    PSG_KERNEL_IGF, /**< the integrated Green's function: the mean of 1/(4 pi r) over a cell, for
                         cells of any shape (Qiang et al., PRST-AB 9, 044204, 2006) */
    PSG_KERNEL_HOCKNEY, /**< 1/(4 pi r) at the points, and at r = 0 its mean over a cell (Hockney
                             and Eastwood, 1988): for cells that are about cubes. The process takes
                             (nx + 1)(ny + 1)(nz + 1) doubles while it makes a table */
    PSG_KERNEL_USER,    /**< that of psg_plan_kernel() in psg_kernel.h, for any axes and on GPUs */
    PSG_KERNEL_COUNT
} psg_kernel;

/** What to do with the mean of f where the equation has no solution for it: all sides are periodic
 *  or Neumann, and lambda is 0. A mean of 10^k times the root mean square of f - mean
 *  costs u about k digits, as transforms round f with its mean: subtract such a mean from f before,
 *  in f64. */
typedef enum psg_mean { PSG_MEAN_DROP = 0, PSG_MEAN_ERROR, PSG_MEAN_COUNT } psg_mean;

/** The variant of the task graph. */
typedef enum psg_graph {
    PSG_GRAPH_FUSED = 0, /**< three kinds of task: forward_xy, kspace, inverse_xy */
    PSG_GRAPH_STAGED,    /**< one task per operation: fft_xy, pack, unpack, fft_z, divide, ... */
    PSG_GRAPH_AUTO,      /**< what `psg tune` found best (psg_machine.h), else fused */
    PSG_GRAPH_COUNT
} psg_graph;

/** How blocks get from the segment that wrote them to the sheet that reads them, and back. */
typedef enum psg_exchange {
    PSG_EXCHANGE_AUTO = 0,
    PSG_EXCHANGE_MANAGED,  /**< StarPU moves the blocks */
    PSG_EXCHANGE_DIRECT,   /**< tasks write and read blocks where they are needed: GPUs with peer
                                access, or processes of one node in memory that they share, beside
                                messages to other nodes; AUTO tries it. Fused graph, all on GPUs */
    PSG_EXCHANGE_MPI,      /**< from here on between processes; each message as soon as it can go */
    PSG_EXCHANGE_ALLTOALL, /**< between processes, all at once: MPI_Ialltoallv; to compare with */
    PSG_EXCHANGE_STARPU,   /**< the same by StarPU-MPI beside StarPU, without a time_limit */
    PSG_EXCHANGE_NCCL,     /**< the same by NCCL, of processes with a GPU each */
    PSG_EXCHANGE_COUNT
} psg_exchange;

/** Which GPU runs the tasks of a segment. On cores a task goes wherever the policy says. */
typedef enum psg_placement {
    PSG_PLACEMENT_PINNED = 0, /**< the GPU that has the segment */
    PSG_PLACEMENT_FREE,       /**< the one that the scheduling policy chooses for each task. Blocks
                                   and sheets stay where they are, and StarPU moves f and u. With
                                   cpus > 0 any task may go to a core or a GPU, and blocks are at
                                   home in main memory */
    PSG_PLACEMENT_COUNT
} psg_placement;

/** How the staged graph lays out a sheet. */
typedef enum psg_z_layout {
    PSG_Z_CONTIGUOUS = 0, /**< [ky][kx][z]: packs transpose, the z transforms are contiguous */
    PSG_Z_STRIDED,        /**< [z][ky][kx]: packs copy, the z transforms are strided */
    PSG_Z_AUTO,           /**< what `psg tune` found best, else contiguous */
    PSG_Z_COUNT
} psg_z_layout;

/** Who runs the tasks of a solve. */
typedef enum psg_executor {
    /** Tasks where a policy is named, by psg_options.policy or STARPU_SCHED, where an option cuts
     *  the grid, and where StarPU measures tasks or decides by its models of them. Else a team on
     *  cores, a chain where one GPU has all of the grid, and tasks everywhere else. */
    PSG_EXECUTOR_AUTO = 0,
    PSG_EXECUTOR_TASKS, /**< StarPU schedules each task */
    PSG_EXECUTOR_TEAM,  /**< cores share the tasks among themselves: of one process without GPUs */
    /** One task of StarPU's has all, on the GPU that has all of the grid: of one process. Solves
     *  between arrays that are brought to the GPU are tasks. */
    PSG_EXECUTOR_CHAIN,
    PSG_EXECUTOR_COUNT
} psg_executor;

/** How long FFTW may search for its plans. */
typedef enum psg_effort {
    PSG_EFFORT_MEASURE = 0,
    PSG_EFFORT_ESTIMATE,
    PSG_EFFORT_PATIENT,
    PSG_EFFORT_COUNT
} psg_effort;

/** Options of a plan. Start from psg_options_init(). A comment is the default, then the meaning. */
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
    /** 0 = from the data and the GPUs' room; planes in a segment; a segment has fewer than 2^32
     *  points */
    size_t segment_planes;
    size_t sheets; /**< 0 = from data and GPUs; number of sheets (more than ny: ny) */
    int cpus;      /**< -1 = every core, and beside GPUs none unless cpu_share is > 0; with
                        placement free a number > 0 asks for cores beside GPUs */
    int gpus; /**< -1 = every usable GPU; with several processes on a node: this process' share of
                   the node's GPUs. GPUs do all but what cpu_share gives to cores */
    const int
        *gpu_ids; /**< NULL = the first ones; an array of `gpus` CUDA device numbers. Not kept. */
    /** NULL = STARPU_SCHED, else what `psg tune` found, else StarPU's, lws; scheduling policy */
    const char *policy;
    psg_effort effort;     /**< PSG_EFFORT_MEASURE */
    const char *cache_dir; /**< NULL = $XDG_CACHE_HOME/psg or ~/.cache/psg; folder for FFTW wisdom,
                                  what `psg tune` found, and StarPU's files where its home cannot
                                  be written; "" = nowhere. Never an error. */
    unsigned in_flight; /**< 2; >= 1, solves that may overlap, if memory allows a spectrum each */
    const void *comm;   /**< NULL = alone; the address of an MPI_Comm, see "Several processes" */
    int calibrate; /**< 0 = as STARPU_CALIBRATE says; 1 = measure tasks, for policies that decide by
                        models, as dmda */
    int record;    /**< 0; 1 = keep what tasks read and write, for dependencies and bounds */
    const char *machine; /**< of a simulation only: a machine file, or the name of one that comes
                              with psg. NULL = the one in use, at first PSG_MACHINE in the
                              environment. Not kept. */
    int tuned;           /**< 1 = options left at their default take what `psg tune` stored */
    double cpu_share; /**< PSG_CPU_SHARE_AUTO; 0..1, cores' part of planes and rows beside GPUs */
    psg_executor executor; /**< PSG_EXECUTOR_AUTO */
    double network;        /**< 0 = as the machine's file says; bytes per second between nodes */
    unsigned nodes;    /**< 1; of a simulation only (psg_machine.h): alike nodes, a process each */
    double time_limit; /**< 0 = none; seconds to wait for other processes, "Several processes"; in
                            one process for the end of a task, psg_wait() */
    double factor;     /**< 1; finite, not 0: lap(u) - lambda u = factor f. Its unit is unit(u) /
                            (L^2 unit(f)); gravity: 4 pi G. It costs no time */
    /** 0 = from the data; right-hand sides that a GPU solves at once in psg_solve_many(), each with
     *  a spectrum of its own. 1: psg_solve_many() solves one after the other, on cores too. */
    size_t batch;
    psg_placement placement; /**< PSG_PLACEMENT_PINNED */
    psg_kernel kernel;       /**< PSG_KERNEL_AUTO */
    int wire_bits; /**< 64, 48, 40 or 32: so many has an f64 number of the spectrum in messages */
} psg_options;

/** The share that psg chooses: 0, as the link to a GPU takes longer than the cores save. */
#define PSG_CPU_SHARE_AUTO (-1.0)

/** Set every option to its default, the first value in its comment: psg_options_init(&options).
 *  @param[in] struct_size  the caller's sizeof(psg_options), for which the macro stands: the
 *                          library may be newer, and then writes no more than that */
PSG_API void psg_options_init(psg_options *options, size_t struct_size);
#define psg_options_init(options) psg_options_init(options, sizeof(psg_options))

/* Where an option means something: bits of psg_option.scope. */
#define PSG_OPTION_SAME 1U       /* all processes that solve together have the same value */
#define PSG_OPTION_SIMULATION 2U /* a library built with PSG_SIMULATE alone takes it */

/** What is known about an option; all texts are static. */
typedef struct psg_option {
    const char *name;     /**< of the field of psg_options */
    const char *group;    /**< "Equation", "Task graph", "Machine", "Simulation", "Processes" */
    const char *values;   /**< "fused|staged|auto", "N", "X": N a whole number, X any */
    const char *standard; /**< the default, as psg_options_get() gives it */
    const char *help;     /**< what it does, without a full stop */
    unsigned scope;
} psg_option;

/** The options one by one, all but struct_size, gpu_ids and comm. @return NULL past the last */
PSG_API const psg_option *psg_option_at(size_t index);

/** Set an option by its name, '-' or '_' in it: psg_options_set(&o, "segment-planes", "16").
 *  Numbers have a point in every locale.
 *  @param[in] text  one of psg_option.values. Of policy, cache_dir and machine the pointer is kept
 *  @return PSG_OK; PSG_ERR_ARG: no such option or value; PSG_ERR_UNSUPPORTED: the program's struct
 *          is older than the option. Nothing was changed */
PSG_API psg_status psg_options_set(psg_options *options, const char *name, const char *text);

/** Set options from a file: a line "name = value" for each, as psg_options_set() takes them; what
 *  is behind # at the begin of a line is a comment. `psg tune` writes such files.
 *  @param[out] text  what policy, cache_dir and machine point to: free() it when the options are
 *              used no more; NULL after a failure
 *  @return as psg_options_set(), and the words name the line: lines before it were read;
 *          PSG_ERR_ARG also where the file cannot be read */
PSG_API psg_status psg_options_read(psg_options *options, const char *path, char **text);

/** The value of an option as psg_options_set() reads it. @param[out] text  `size` bytes
 *  @return PSG_OK; PSG_ERR_ARG: no such option, or too little room */
PSG_API psg_status psg_options_get(const psg_options *options, const char *name, char *text,
                                   size_t size);

/* -------------------------------------------------------------------------------------- plan */

/** A solver for one grid and set of options. Owns its buffers, transforms and StarPU handles. */
typedef struct psg_plan psg_plan;

/** Make a plan. What that does to StarPU:
 *  - The first plan starts StarPU if nobody has, and the last psg_plan_destroy() stops it again.
 *  - Its workers sleep while no solve is in flight. From the first solve of arrays on a GPU, or the
 *    first psg_plan_slab_handles(), until psg_plan_destroy() they stay awake, and each takes a
 *    core: to wake takes longer than a small solve.
 *  - Where StarPU runs already, its policy and workers are used, the first `cpus` of its cores, and
 *    it is left awake. Options that ask for others are PSG_ERR_STATE, as is a policy where
 *    STARPU_SCHED says another. A program with StarPU tasks of its own calls starpu_init() first.
 *  - StarPU's profiling is turned on. With GPUs, STARPU_SUBALLOCATOR=0 is put into the environment,
 *    unless that has another value.
 *  - StarPU writes to stderr, unless STARPU_SILENT=1 is in the environment. A variable STARPU_*
 *    that it cannot read is PSG_ERR_ARG. No folder for its files and no threads are
 *    PSG_ERR_RUNTIME.
 *  @param[out] plan    NULL after a failure
 *  @param[in]  grid    not kept
 *  @param[in]  options not kept; NULL: defaults
 *  @return PSG_OK; PSG_ERR_ARG, _UNSUPPORTED, _NODEV, _STATE, _MEMORY, _RUNTIME: nothing is left */
PSG_API psg_status psg_plan_create(psg_plan **plan, const psg_grid *grid,
                                   const psg_options *options);

/** Wait for what is in flight and free the plan. NULL is fine. */
PSG_API void psg_plan_destroy(psg_plan *plan);

/** Solve; returns when u is in the caller's array.
 *  @param[in]  plan  from psg_plan_create()
 *  @param[in]  f     [nz][ny][nx], unit U / (L^2 unit(psg_options.factor)), aligned for its
 *                    type; in main memory or on a GPU of the plan's. There the legacy default
 *                    stream orders the solve; psg_solve_arrays() takes other streams. Written only
 *                    if u is f
 *  @param[out] u     same shape, unit U; f itself (the solve is in place), or no part of it
 *  @return PSG_OK; PSG_ERR_ARG, _UNSUPPORTED, _STATE (a psg_submit() is not waited for): nothing
 *          was done; PSG_ERR_DATA, _MEAN, _MEMORY, _RUNTIME: u is undefined, the plan can be used
 *          again */
PSG_API psg_status psg_solve(psg_plan *plan, const void *f, void *u);

/** Start a solve and return; f and u as in psg_solve(), borrowed until the psg_wait() for it
 *  returns. Two solves in flight may have the same f. The u of one may overlap neither f nor u of
 *  the other, unless all of these are on GPUs (psg_submit_arrays()). Up to
 *  psg_options.in_flight solves overlap: f of one goes to a GPU while u of another comes. More
 *  solves wait in a queue.
 *  @return PSG_OK; PSG_ERR_ARG, _UNSUPPORTED, _MEMORY, _RUNTIME: nothing was started */
PSG_API psg_status psg_submit(psg_plan *plan, const void *f, void *u);

/** Wait for the oldest solve submitted and not yet waited for, and return how it ended. In one
 *  process with psg_options.time_limit, psg_solve(), psg_solve_many() and psg_wait() give a solve
 *  up if none of its tasks ends for so many seconds, as where a scheduling policy keeps them. Then
 *  the solve is still in flight, and its arrays are borrowed: a task that runs goes on, and one
 *  that begins later does nothing. psg_wait() waits for these tasks, and psg_plan_destroy() leaves
 *  a plan that still has some, and its StarPU. psg_solve_epsilon() has no limit.
 *  @return as psg_solve(); PSG_ERR_STATE: none is in flight; PSG_ERR_RUNTIME: perhaps given up, see
 *  psg_plan_in_flight() */
PSG_API psg_status psg_wait(psg_plan *plan);

/** Solves submitted and not yet waited for: their arrays are borrowed. plan NULL: 0 */
PSG_API size_t psg_plan_in_flight(const psg_plan *plan);

/** Solve `count` right-hand sides, which follow one another: faster than one by one where one is
 *  too small for all workers. A core solves a small one alone; a GPU solves several at once
 *  (psg_options.batch), for which it keeps their spectra.
 *  @param[in]  count  1 or more; other numbers than in the call before are fine
 *  @param[in]  f      [count][nz][ny][nx]; each, and the array's place, as in psg_solve(). With
 *                     several processes each right-hand side is this process' planes
 *  @param[out] u      same shape; f itself (in place), or no part of it
 *  @return as psg_solve(). PSG_ERR_DATA, PSG_ERR_MEAN: the words name the first right-hand side
 *          that is no good, and u of the others is right. psg_statistics.mean is of the last
 *          right-hand side. The other statistics are of the solve that ended last: of all
 *          right-hand sides, or of one that was solved alone */
PSG_API psg_status psg_solve_many(psg_plan *plan, size_t count, const void *f, void *u);

/** Page-lock an array of the caller's, of the shape of f and u, so that GPUs copy it at full speed
 *  and beside other work. Useful for an array of more than one solve. Without GPUs: nothing.
 *  @param[in] array  not freed before psg_plan_unpin() or psg_plan_destroy()
 *  @return PSG_OK, also if it is page-locked already; PSG_ERR_ARG: NULL, or not in main memory;
 *          PSG_ERR_MEMORY: it stays as it is */
PSG_API psg_status psg_plan_pin(psg_plan *plan, const void *array);
/** Undo psg_plan_pin(); array NULL: for all of them. No solve with the array may be in flight. */
PSG_API void psg_plan_unpin(psg_plan *plan, const void *array);

/* ------------------------------------------------------------------------------------- arrays */
#define PSG_HOST (-1) /**< psg_array.device: main memory */
#define PSG_ASK (-2)  /**< psg_array.device: CUDA says where the pointer points to */

/** Where f or u of a solve stands. Ghost layers and padded rows are strides: point (i,j,k) is
 *  data[i stride[0] + j stride[1] + k stride[2]]. */
typedef struct psg_array {
    void *data; /**< the first point of this process', or this GPU's, part of the grid */
    int device; /**< PSG_HOST, PSG_ASK, or a CUDA device number of the plan's. Managed memory
                              counts as memory of this device, and as main memory for PSG_ASK */
    ptrdiff_t stride[3]; /**< elements from a point to the next along x, y, z; all 0: dense. x: 1;
                              y: >= nx; z: planes do not overlap, on a GPU >= ny stride[1] */
    void *stream;        /**< CUDA: the cudaStream_t of f and u; NULL: the legacy default stream */
} psg_array;

/** A dense array: device PSG_ASK, stream NULL. */
PSG_API void psg_array_init(psg_array *array, void *data);

/** What may change from solve to solve of a plan. Always start from psg_solve_args_init(). */
typedef struct psg_solve_args {
    size_t struct_size; /**< set by psg_solve_args_init(); lets the struct grow */
    double lambda;      /**< psg_options.lambda; >= 0 */
    double factor;      /**< psg_options.factor; finite, not 0 */
    psg_mean mean;      /**< psg_options.mean, where lambda is 0; not PSG_MEAN_ERROR in place */
    int guess;          /**< 0; with epsilon 1: u has the guess that iterations begin at */
    /** 0; by axis, on the lower and on the upper side: u on a Dirichlet side, on a Neumann side the
     *  derivative of u along the axis (not outward: u = x has 1 on both sides of x), on a Robin
     *  side that less k u below, and plus k u above. Other values than 0 are for fd2, whose stencil
     *  has them exactly. They count in the mean of f. */
    double value[3][2];
    /** NULL; or values that differ from point to point, in place of `value`: an array in main
     *  memory whose point (i,j,k), of the grid, is at data[i stride[0] + j stride[1] + k
     *  stride[2]], without the term of the side's own axis, which may be any number. Strides may be
     *  below 0, and 0: one number for a line of points. All three 0: dense, x [nz][ny], y [nz][nx],
     *  z [ny][nx]. A process has values for its own planes; on a side that it has no plane of, data
     *  mean nothing. Read before psg_submit_arrays() returns. */
    const psg_array *side[3][2];
    /** NULL; or where the derivative of u along x, y or z goes: arrays like u, [count] each, with
     *  streams as u has them, that overlap no other. Not with psg_submit_slabs().
     *  With the symbol spectral, where all axes are periodic or free at both sides, it is the
     *  derivative at the points: i k times each mode, and 0 for the highest of an even number. With
     *  fd2 it is (u(next point) - u(point))/h, between the points: the differences of these are its
     *  Laplacian of u. Beyond the last point stands the first one if the axis is periodic; else the
     *  upper side: on a Dirichlet side (value - u)/(h/2) for cells and (value - u)/h for nodes, on
     *  a Neumann side the value, on a Robin side value - k u; on a free side that to the point
     *  beyond, if all axes are periodic or free. On GPUs u is not f then. Else _UNSUPPORTED */
    const psg_array *gradient[3];
    /** NULL; or epsilon, 0 or from 1e-75 to 1e75, in arrays like f, [count]: the solve is of
     *  div(epsilon grad u) - lambda u = factor f, by conjugate gradients in f64, with a solve of
     *  the plan in each iteration. epsilon is known at the points, and between two its harmonic
     *  mean counts; or on faces: epsilon_faces. A point with 0 is solid: no flux passes, f is not
     *  read, and u is 0. In each region of other points that no side and no lambda fixes u has the
     *  mean 0, and f is to have it: see `mean`. For fd2, and sides that are periodic, Dirichlet,
     *  free or, in cells, Neumann; values there count times epsilon beside them. Beside free sides
     *  epsilon is that outside, above 0; _UNSUPPORTED there: faces, a guess, lambda if x or y is
     *  free, lambda = 0 without a Dirichlet side or a free side along each axis. Not with
     *  psg_submit_slabs(); psg_submit_arrays() returns near the end. */
    const psg_array *epsilon;
    /** 0 = 1e-10 in f64, 1e-6 in f32; above 0, below 1. With epsilon: iterations end when the
     *  residual is at most this share of factor f less dropped means, both in the 2-norm */
    double tolerance;
    /** 0 = 1000; with epsilon: the most iterations; if they do not reach the tolerance, the status
     *  is PSG_ERR_DATA, and u is what they found. A simulation, which has no residual, does all */
    size_t iterations;
    /** psg_axis.length; lengths of the box along x, y and z, finite, > 0, unit L. If they are not
     *  those of the solve before, the plan makes its tables of eigenvalues, in microseconds, and of
     *  Green's functions anew. PSG_ERR_STATE in flight, _UNSUPPORTED with kernel = user. */
    double box[3];
    /** 0 = the same for all; in psg_solve_many_arrays() elements from one's values to the next's */
    ptrdiff_t side_step[3][2];
    const psg_array *f_modes; /**< NULL; or modes of f in place of f, see psg_modes.h */
    const psg_array *u_modes; /**< NULL; or where modes of u go, beside u or in place of it */
    /** NULL; or all three: epsilon of the face above point (i,j,k) along x, y and z, as in
     *  psg_project(); a lower side has that of the first such face. 0: closed; a point with all
     *  closed is solid if lambda is 0. On a Neumann side they count for values alone, and along an
     *  axis of one periodic point for nothing; none may be NaN. NULL for such an axis. */
    const psg_array *epsilon_faces[3];
} psg_solve_args;

/** What the plan was made with. @return PSG_OK; PSG_ERR_ARG: a pointer is NULL
 *  @param[in] struct_size  the caller's sizeof(psg_solve_args), for which the macro stands */
PSG_API psg_status psg_solve_args_init(psg_solve_args *args, const psg_plan *plan,
                                       size_t struct_size);
#define psg_solve_args_init(args, plan) psg_solve_args_init(args, plan, sizeof(psg_solve_args))

/** Start a solve between arrays anywhere; else as psg_submit().
 *
 *  Order: the solve begins after what is on the streams of f and u. Work that is put on either
 *    stream after this call comes after the solve, and finds u. A stream that is being captured, or
 *    that is another GPU's, is an error.
 *  Life: the host neither touches nor frees the arrays before psg_wait() for the solve returns.
 *    Work on the streams may read and write arrays on GPUs earlier, so solves may follow one
 *    another with the same f and u.
 *  Overlap: f may be u, and the solve is in place. Any other overlap is an error.
 *  Return: where one GPU has all tasks, and f and u are on it, the call returns when the tasks are
 *    launched, or, if psg_options.in_flight solves are under way, when one of these has ended. Else
 *    it returns when u is there: with several GPUs or processes, with options that cut the grid,
 *    and where f or u is copied.
 *  @param[in] count  1: an array has this process' whole part of the grid, psg_plan_local_extent();
 *                    or the number of the plan's GPUs: array m has psg_plan_local_box() of its
 *                    device
 *  @param[in] f      [count]; nothing is written to it unless it is u. NULL: args has f_modes
 *  @param[in] u      [count]; NULL: args has u_modes
 *  @param[in] args   NULL: as the plan was made; the same on all processes
 *  @return as psg_submit(). Terms that psg_plan_create() refuses are refused with its words */
PSG_API psg_status psg_submit_arrays(psg_plan *plan, size_t count, const psg_array *f,
                                     const psg_array *u, const psg_solve_args *args);

/** psg_submit_arrays() and psg_wait(): u is there when it returns. */
PSG_API psg_status psg_solve_arrays(psg_plan *plan, size_t count, const psg_array *f,
                                    const psg_array *u, const psg_solve_args *args);

/** psg_solve_many() between arrays anywhere, in the order of their streams, see
 * psg_submit_arrays(): u is there when it returns.
 *  @param[in] count  right-hand sides, which follow one another in each array: one has its first
 *                    point nz planes, nz stride[2] elements, after that of the one before
 *  @param[in]  f     one array, not one for each GPU
 *  @param[out] u     the same; f itself (in place), or no part of it
 *  @param[in]  args  as in psg_submit_arrays(); a gradient or epsilon is PSG_ERR_UNSUPPORTED
 *  @return as psg_solve_many() */
PSG_API psg_status psg_solve_many_arrays(psg_plan *plan, size_t count, const psg_array *f,
                                         const psg_array *u, const psg_solve_args *args);

/** The part of the grid that a GPU of the plan has: points lo[d] .. lo[d]+n[d]-1, d = x, y, z.
 *  Without GPUs, or for PSG_HOST, the process' part.
 *  @return PSG_OK; PSG_ERR_ARG: a pointer is NULL, or the plan does not have this device */
PSG_API psg_status psg_plan_local_box(const psg_plan *plan, int device, size_t lo[3], size_t n[3]);

/* ------------------------------------------------------------------------- several processes */

/* With psg_options.comm, the processes of an MPI communicator solve together, each with its own
 * cores and GPUs. Each owns a run of planes: f and u are its planes alone, [count][ny][nx], and may
 * be NULL where it has none. These calls are collective: psg_plan_create(), psg_plan_destroy(),
 * psg_solve(), psg_solve_many(), psg_solve_arrays(), psg_solve_many_arrays(), psg_submit(),
 * psg_submit_arrays(), psg_submit_slabs(), psg_wait(), psg_plan_bounds(), psg_work_bounds() of a
 * plan, psg_project() and psg_machine_workers(). Every process makes them in the same order, with
 * the same grid and options (but for cpus, gpus, gpu_ids and cache_dir), and all get the same
 * status. The words name the process that failed. MPI is initialised before with
 * MPI_THREAD_MULTIPLE, as messages have a thread of their own, and finalised after the last plan is
 * destroyed. Plans on one communicator are used by one thread at a time.
 *
 * Unless the launcher gave each process cores of its own, psg_plan_create() divides those, and the
 * GPUs, of a node among the processes there, if it starts StarPU. With more processes than cores,
 * Open MPI should give way while it waits: OMPI_MCA_mpi_yield_when_idle=1 in the environment.
 *
 * With psg_options.time_limit, a process that waits for another one for so many seconds gives up.
 * Every collective call but psg_plan_destroy() then returns PSG_ERR_RUNTIME, and psg_last_error()
 * names what was waited for and, where MPI lets that be known, the processes that did not answer. A
 * solve is waited for as long as its tasks and messages go on to end, so the limit is longer than
 * the longest time between two of them on the slowest process. The limit of the latest plan holds
 * for all plans on a communicator. A communicator that was given up cannot be used again: each of
 * these calls on it fails at once. psg_plan_destroy() then returns without the other processes, and
 * leaves the memory and the communicators that MPI still works with. MPI_Finalize() would wait for
 * the other processes: MPI_Abort() ends the program. */

/** The planes of process `rank` of `ranks` in a grid of nz: z0 .. z0+count-1. The first processes
 *  have one more where nz does not divide; those past the planes have none (count 0, z0 = nz).
 *  z0 or count may be NULL. @return PSG_OK; PSG_ERR_ARG: nz = 0, or no such rank */
PSG_API psg_status psg_local_extent(size_t nz, int ranks, int rank, size_t *z0, size_t *count);

/** The planes that this process owns; z0 or count may be NULL. @return PSG_OK; PSG_ERR_ARG */
PSG_API psg_status psg_plan_local_extent(const psg_plan *plan, size_t *z0, size_t *count);

/** Take part in a collective call and refuse it, in place of the call: for a binding, or a program,
 *  that finds its own arguments wrong before it can call. The other processes get the status and
 *  the words from their call, and the words name this process. Without others it returns at once.
 *  @param[in] plan     of a psg_solve...() or psg_submit...(); NULL: it is psg_plan_create()
 *  @param[in] options  of that: comm and time_limit have to be right. NULL: no other process waits
 *  @param[in] status   not PSG_OK
 *  @param[in] words    one sentence; NULL: those of the status
 *  @return what all processes return: the status, or that of an earlier process that failed, too */
PSG_API psg_status psg_call_refuse(psg_plan *plan, const psg_options *options, psg_status status,
                                   const char *words);

/** Can the MPI that is linked send from GPU memory? Else blocks go through page-locked main memory.
 *  @return 1: yes; 0: no, or it does not say; -1: there is no MPI; in a simulation the machine's */
PSG_API int psg_mpi_cuda_aware(void);

#ifdef __cplusplus
}
#endif
#endif
