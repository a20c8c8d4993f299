/** @file psg_machine.h  The machine: its workers and links, what `psg tune` stored, simulation.
 *
 * The calls follow the rules of psg.h.
 */
#ifndef PSG_MACHINE_H
#define PSG_MACHINE_H

#include "psg.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------- the machine */

/** What the library was built from. */
typedef enum psg_component {
    PSG_COMPONENT_PSG = 0,
    PSG_COMPONENT_STARPU,
    PSG_COMPONENT_FFTW,
    PSG_COMPONENT_CUDA,
    PSG_COMPONENT_MPI,
    PSG_COMPONENT_HWLOC,
    PSG_COMPONENT_LAPACK,
    PSG_COMPONENT_COUNT
} psg_component;
/** The component's name, static: "psg", "StarPU"; NULL for none. */
PSG_API const char *psg_component_name(psg_component component);
/** Its version, static: "0.2.0", "Open MPI v4.1.4"; NULL: the library was built without it. */
PSG_API const char *psg_component_version(psg_component component);

/** The scheduling policies one after the other: StarPU's own, then those of the library that
 *  STARPU_SCHED_LIB in the environment names. The name, a line about it, and the file of the
 *  library, NULL for StarPU's own. All are static: a library stays loaded.
 *  @return NULL past the last */
PSG_API const char *psg_policy_name(size_t index);
PSG_API const char *psg_policy_description(size_t index);
PSG_API const char *psg_policy_library(size_t index);
/** May psg_options.policy be this one? The library may have more than it lists.
 *  @param[in] name   NULL: none, and only the library of STARPU_SCHED_LIB is looked at
 *  @param[in] where  for the words, as " in STARPU_SCHED"; may be ""
 *  @return PSG_OK; PSG_ERR_ARG: there is no such policy, or the library cannot be used; the words
 *  name the policy that was probably meant, or all */
PSG_API psg_status psg_policy_check(const char *name, const char *where);
/** Does a policy decide by performance models, which have to be calibrated first? Its name says
 *  it: dm..., ...-dm..., ...heft...
 *  @param[in] name  NULL: no policy @return 1: yes; 0: no */
PSG_API int psg_policy_uses_models(const char *name);

typedef enum psg_worker_kind {
    PSG_WORKER_CPU = 0,
    PSG_WORKER_CUDA,
    PSG_WORKER_KIND_COUNT
} psg_worker_kind;

typedef struct psg_worker {
    psg_worker_kind kind;
    int device; /**< core or CUDA device number, as StarPU counts them: cores in each process from
                     0 */
    char name[64]; /**< StarPU's name of it */
    double memory; /**< of a GPU: bytes that StarPU may have there; else 0 */
    int processor; /**< of a core: the system's number of its first processor, the same in all
                      processes of a node; of a GPU, in a simulation, or where StarPU does not know
                      it: -1 */
} psg_worker;

/** The workers that StarPU has, or would have with these options. A plan uses the first
 *  psg_statistics.workers entries. The call starts StarPU if nobody has, and stops it again.
 *  @param[out] workers  at most `capacity` of them @param[out] count  how many there are
 *  @param[out] policy   name of the policy in force, cut to policy_size bytes; may be NULL
 *  @return as psg_plan_create() */
PSG_API psg_status psg_machine_workers(const psg_options *options, psg_worker *workers,
                                       size_t capacity, size_t *count, char *policy,
                                       size_t policy_size);

/** A way from one memory to another. StarPU measured it when it first saw the machine. */
typedef struct psg_route {
    int from, to;           /**< CUDA device numbers; -1: main memory; -2: another node's memory */
    double rate;            /**< bytes per second */
    double latency_seconds; /**< of a copy */
    int peer; /**< 1: both are GPUs, and kernels of the one reach the memory of the other */
} psg_route;

/** The routes that a plan of this process alone would use: between main memory and the GPUs,
 *  between the GPUs, and in a simulation to the other nodes. The call starts StarPU if nobody has.
 *  @param[out] routes  at most `capacity` of them @param[out] count  how many there are
 *  @return as psg_plan_create() */
PSG_API psg_status psg_machine_routes(const psg_options *options, psg_route *routes,
                                      size_t capacity, size_t *count);

/* ------------------------------------------------------------------------------------ tuning */

/* `psg tune` stores what is best for a grid in the folder of psg_options.cache_dir. There is one
 * entry for each machine, precision, number of workers and grid: a file of options, which
 * psg_options_read() reads wherever it is.
 *
 * psg_plan_create() takes values from an entry for options that were left at their default:
 *  - graph and exchange;
 *  - z_layout, segment_planes and sheets, if the graph is that of the entry;
 *  - the policy, if the plan starts StarPU and STARPU_SCHED is not set.
 *
 * The plan takes the entry of its own grid. If there is none, each axis is rounded to the nearest
 * power of two, and of the entries that are equal in that the plan takes the nearest one, with its
 * numbers of segments and sheets. Grids with other
 * than periodic sides, plans with psg_options.comm and simulations take no entry. A damaged or
 * foreign entry is ignored. */

/** Can an entry be used here? */
typedef enum psg_tuned_state {
    PSG_TUNED_USABLE = 0,
    PSG_TUNED_FOREIGN, /**< no: the machine's name, processor or GPU differs */
    PSG_TUNED_STALE,   /**< no: the version of psg, StarPU, FFTW or CUDA differs */
    PSG_TUNED_DAMAGED, /**< no: the file is cut short or contradicts its name; only `name` is set */
    PSG_TUNED_STATE_COUNT
} psg_tuned_state;

/** The state in words, static; NULL for none. */
PSG_API const char *psg_tuned_state_name(psg_tuned_state state);

/** What was found best for a grid. AUTO, 0 or "" stands for the default. */
typedef struct psg_tuned {
    psg_tuned_state state;
    char name[256];      /**< name of the entry's file in the cache folder */
    char host[128];      /**< name of the machine that was measured */
    char cpu_model[128]; /**< its processor */
    char gpu_model[128]; /**< its GPU; "" without GPUs */
    char versions[128];  /**< of psg and the libraries that were measured */
    char date[32];       /**< of the measurement: "2026-11-20T12:00:00Z" */
    size_t cpus, gpus;   /**< workers that took the tasks */
    psg_precision precision;
    size_t n[3]; /**< points along x, y, z */
    psg_graph graph;
    psg_z_layout z_layout;
    psg_exchange exchange; /**< AUTO or MANAGED */
    size_t segment_planes, sheets;
    char policy[64];
    double seconds, default_seconds; /**< medians, of a solve and of one with the defaults */
} psg_tuned;

/** Store an entry. It replaces the entry of the same grid, precision and workers. The file is
 *  written whole or not at all.
 *  @param[in] options  cache_dir and gpu_ids count; the first of gpu_ids is the GPU that was
 *  measured
 *  @param[in] tuned    the library fills in state, name, host, models, versions and date
 *  @return PSG_OK; PSG_ERR_ARG: a value is wrong; PSG_ERR_RUNTIME: the old entry stays */
PSG_API psg_status psg_tuned_store(const psg_options *options, const psg_tuned *tuned);

/** The entries of all machines that share the folder, ordered by name.
 *  @param[in]  options  cache_dir and gpu_ids count, as in psg_tuned_store()
 *  @param[out] list     at most `capacity` of them @param[out] count  how many there are
 *  @return PSG_OK, also where there is no folder; PSG_ERR_ARG; PSG_ERR_MEMORY */
PSG_API psg_status psg_tuned_list(const psg_options *options, psg_tuned *list, size_t capacity,
                                  size_t *count);

/** Remove the entries of this machine, damaged ones too.
 *  @param[out] count  how many were removed
 *  @return PSG_OK; PSG_ERR_ARG; PSG_ERR_RUNTIME: an entry could not be removed */
PSG_API psg_status psg_tuned_forget(const psg_options *options, size_t *count);

/** The folder that psg_options.cache_dir stands for.
 *  @param[in]  make    1: make the folder if it is not there
 *  @param[out] folder  the path, `size` bytes; "": there is none
 *  @return PSG_OK; PSG_ERR_ARG: folder is NULL or too short; PSG_ERR_RUNTIME: it cannot be made */
PSG_API psg_status psg_cache_folder(const psg_options *options, int make, char *folder,
                                    size_t size);

/** The folder of this host in which StarPU, at the last start by the library, keeps what it
 *  measured of links and tasks. "": the library has not started StarPU, or the folder is a
 *  temporary one.
 *  @param[out] folder  `size` bytes
 *  @param[out] why     `why_size` bytes: why it is not in the first home of those that are set; or
 *  ""
 *  @return PSG_OK; PSG_ERR_ARG: a pointer is NULL */
PSG_API psg_status psg_starpu_folder(char *folder, size_t size, char *why, size_t why_size);

/* ---------------------------------------------------------------------------- simulation */

/* A library built with PSG_SIMULATE runs on StarPU's SimGrid side. Plans, graphs, scheduling and
 * statistics are those of a real run. The workers are those of a recorded machine. A task takes as
 * long as it took there; where times spread, they are drawn, with PSG_SEED in the environment as
 * the seed (default 1). A copy takes as long as the machine's links say. Nothing is computed: f and
 * u are not touched.
 *
 * A process simulates one machine, in one thread. With psg_options.nodes it simulates the first of
 * so many alike nodes: it has a process' part of the grid, and receives as much as it sends. */

/** Is the library a simulation? */
PSG_API int psg_simulation(void);

/** Does the simulated machine's file say how much longer the tasks of this plan take than on a
 *  periodic grid? Without that they take the times of periodic sides.
 *  @return 1: it does, or the grid is periodic; 0: it does not say so of all kinds of task, or this
 *  is no simulation */
PSG_API int psg_plan_simulates_sides(const psg_plan *plan);

/** A recorded machine that comes with the library. */
typedef struct psg_recorded {
    char name[64];       /**< as psg_options.machine takes it */
    char about[256];     /**< what the machine is, and where its numbers come from; may be "" */
    unsigned cpus, gpus; /**< that it has */
    double gpu_memory;   /**< of each GPU, in bytes */
} psg_recorded;

/** The recorded machines that come with the library, ordered by name. A library that is no
 *  simulation lists them, too.
 *  @param[out] list   at most `capacity` of them @param[out] count  how many there are
 *  @return PSG_OK, also where there is none; PSG_ERR_ARG; PSG_ERR_MEMORY */
PSG_API psg_status psg_recorded_list(psg_recorded *list, size_t capacity, size_t *count);

/** Call a program's main function within a simulation, before any other call of this library. The
 *  simulation then runs far faster than one that the first plan starts. A library that is no
 *  simulation just calls the function.
 *  @param[in] machine  as psg_options.machine
 *  @return what program(argc, argv) returned; -1 with words: there is no such machine, or the
 *          simulated program deadlocked */
PSG_API int psg_simulation_main(const char *machine, int (*program)(int argc, char **argv),
                                int argc, char **argv);

/** Seconds on a clock that only goes forward; in a simulation the simulated clock. Its zero is
 *  arbitrary. */
PSG_API double psg_clock(void);

#ifdef __cplusplus
}
#endif
#endif
