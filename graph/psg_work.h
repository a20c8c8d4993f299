/** @file psg_work.h  Workloads: task graphs of other shapes than a solve's, to compare scheduling policies with.
 *
 * Each computes something real and knows the answer. The calls follow the rules of psg.h. psg_observe.h tells
 * what happened in a run.
 *
 *     psg_options opt;  psg_options_init(&opt);
 *     psg_work *work = NULL;
 *     if (psg_work_create(&work, "ep:S", NULL, &opt) != PSG_OK) puts(psg_last_error());
 *     psg_work_run(work);
 *     if (psg_work_check(work) != PSG_OK) puts(psg_last_error());
 *     psg_work_destroy(work);
 */
#ifndef PSG_WORK_H
#define PSG_WORK_H

#include "psg.h"
#include "psg_observe.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The order of submission of tasks that wait for no other task. */
typedef enum psg_work_order {
    PSG_ORDER_LISTED = 0, /**< as the workload has them */
    PSG_ORDER_LONGEST,    /**< the longest first */
    PSG_ORDER_COUNT
} psg_work_order;

/** The priorities of tasks, for policies that look at them. */
typedef enum psg_work_priority {
    PSG_PRIORITY_NONE = 0, /**< all have the same */
    PSG_PRIORITY_PATH, /**< the longer the path from a task to the end, the higher its priority */
    PSG_PRIORITY_COUNT
} psg_work_priority;

/** Who takes the tasks that wait for no other task. */
typedef enum psg_work_place {
    PSG_PLACE_FREE = 0, /**< as the scheduling policy decides */
    PSG_PLACE_STATIC,   /**< each worker has an equal share, a piece of the list */
    PSG_PLACE_GUIDED, /**< pieces that become shorter, each to the worker that would have ended first if all were
                             as fast: as a guided loop of OpenMP */
    PSG_PLACE_COUNT
} psg_work_place;

/** How a workload is cut into tasks, and how these are submitted. Always start from psg_work_options_init(). */
typedef struct psg_work_options {
    size_t struct_size;   /**< set by psg_work_options_init() */
    size_t tile;          /**< 0 = the workload's own; the size of a task: psg_workload.tile */
    psg_work_order order; /**< PSG_ORDER_LISTED */
    psg_work_priority priority; /**< PSG_PRIORITY_NONE */
    int barrier;                /**< 0; 1 = each phase begins when the one before has ended */
    psg_work_place place;       /**< PSG_PLACE_FREE */
} psg_work_options;

/** Set every option to its default: psg_work_options_init(&options). */
PSG_API void psg_work_options_init(psg_work_options *options, size_t struct_size);
#define psg_work_options_init(options) psg_work_options_init(options, sizeof(psg_work_options))

/** What is known of a workload; all texts are static. */
typedef struct psg_workload {
    const char *name;  /**< "ep" */
    const char *about; /**< one line, without a full stop */
    const char *sizes; /**< what may stand behind the colon: "S, W, A, B or C" */
    const char
        *tile;   /**< what psg_work_options.tile is: "T: 2^T pairs a task"; NULL: there is none */
    int order;   /**< 1: psg_work_options.order means something; 0: it has to be the default */
    int barrier; /**< 1: psg_work_options.barrier means something */
    int place;   /**< 1: psg_work_options.place means something */
} psg_workload;

/** The workloads one after the other. @return NULL past the last */
PSG_API const psg_workload *psg_workload_at(size_t index);

/** Make a workload. Its tasks go to cores and GPUs as the scheduling policy decides.
 *  @param[out] work     NULL after a failure
 *  @param[in]  name     "ep:S": a workload, and its size
 *  @param[in]  how      not kept; NULL: the defaults
 *  @param[in]  options  not kept. cpus, gpus (all by default), gpu_ids, policy, calibrate, record, precision, machine
 *                       and cache_dir count; of pcg the options of its plan, too, but symbol and segment_planes
 *  @return PSG_OK; PSG_ERR_ARG: no such workload, size, tile or option, and the words say which there are;
 *          PSG_ERR_UNSUPPORTED: precision, comm, a kind that no worker can run, a component that psg was built without, qr
 *          on several cores with an OpenBLAS that is built for one thread;
 *          PSG_ERR_NODEV, _STATE, _MEMORY, _RUNTIME as psg_plan_create() */
PSG_API psg_status psg_work_create(psg_work **work, const char *name, const psg_work_options *how,
                                   const psg_options *options);

/** Two molecules to dock: how a mobile one fits a static one, in all rotations and shifts on a grid. */
typedef struct psg_dock_molecules {
    const double *fixed, *mobile; /**< [atoms][3], in angstrom */
    size_t fixed_atoms, mobile_atoms;
    unsigned angle; /**< degrees between rotations, which divide 180 */
    double spacing; /**< of cells, in angstrom, below 1.3: the surface of a molecule is as thick */
    size_t poses;   /**< to keep; at most 3 for each rotation */
    const double *fixed_charges;  /**< [atoms], in elementary charges; NULL: no electrostatics */
    const double *mobile_charges; /**< the same. With both, only poses of negative energy count */
} psg_dock_molecules;

/** Workload dock of these molecules. The grid has room for all shifts at which they touch. psg_work_check() then compares the
 *  scores with sums over the cells, and energies with sums over pairs of atoms.
 *  @param[in] molecules  not kept
 *  @return as psg_work_create(); PSG_ERR_ARG: no atoms, a NaN, an angle, a spacing or poses that cannot be, a grid that
 *          is too large, cells so small that f32 has no exact scores, charges of one molecule alone, all of them 0, or one beyond
 *          -100 and 100 */
PSG_API psg_status psg_dock_create(psg_work **work, const psg_dock_molecules *molecules,
                                   const psg_work_options *how, const psg_options *options);

/** Where a mobile molecule fits. Atom a goes to Rz(phi) Ry(theta) Rz(twist) (a - m) + s + at: m is the mean of the atoms of
 *  the mobile molecule, s that of the static one. */
typedef struct psg_dock_pose {
    unsigned twist, theta, phi; /**< degrees */
    long shift[3];              /**< in cells */
    double at[3];               /**< the same in angstrom */
    long score; /**< cells of the mobile molecule on the surface, less 15 for each in the core */
    double
        energy; /**< of its charges in the potential of the static one; 0 without charges. The unit is
                             e^2/(4 pi eps0 angstrom), 332 kcal/mol */
} psg_dock_pose;

/** The best poses of the latest run, the best first. A simulation has none.
 *  @return PSG_OK; PSG_ERR_ARG: another work, or a NULL; PSG_ERR_STATE: nothing has run; PSG_ERR_RUNTIME */
PSG_API psg_status psg_dock_poses(const psg_work *work, psg_dock_pose *poses, size_t capacity,
                                  size_t *count);

/** Run it once: from its input to its answer. psg_run_statistics.seconds begins when the input is there.
 *  @return PSG_OK; PSG_ERR_MEMORY, _RUNTIME; PSG_ERR_ARG: a NULL, or a plan's */
PSG_API psg_status psg_work_run(psg_work *work);

/** How far the run is that psg_work_run() is in the midst of; for another thread, which asks now and then. The numbers
 *  grow while tasks are submitted. Between runs they are those of the latest run.
 *  @param[out] ended  tasks that have ended
 *  @param[out] tasks  tasks that are submitted so far
 *  @return PSG_OK; PSG_ERR_ARG: a NULL, or a plan's */
PSG_API psg_status psg_work_progress(const psg_work *work, size_t *ended, size_t *tasks);

/** A number of the answer. */
typedef struct psg_answer {
    char name[32];
    double value;
    double expected; /**< as it was published, or computed in another way */
    double
        tolerance; /**< the most that |value - expected| may be of |expected|, or of 1 where that is 0. INFINITY:
                           there is nothing to compare with */
} psg_answer;

/** The answer of the latest run. A simulation has none.
 *  @return PSG_OK; PSG_ERR_ARG; PSG_ERR_STATE: nothing has run; PSG_ERR_MEMORY, _RUNTIME */
PSG_API psg_status psg_work_answers(const psg_work *work, psg_answer *answers, size_t capacity,
                                    size_t *count);

/** Is the answer of the latest run right?
 *  @return PSG_OK; PSG_ERR_DATA: no, and the words say what is wrong; else as psg_work_answers() */
PSG_API psg_status psg_work_check(const psg_work *work);

/** What it is, in words: "2^24 pairs in 256 chunks of 2^16". @return the workload's; "" for NULL */
PSG_API const char *psg_work_about(const psg_work *work);

/** NULL is fine. */
PSG_API void psg_work_destroy(psg_work *work);

#ifdef __cplusplus
}
#endif
#endif
