/** @file dock.h  The tasks of workload dock. */
#ifndef PSG_CODELETS_WORKLOADS_DOCK_H
#define PSG_CODELETS_WORKLOADS_DOCK_H

#include "codelets/kinds.h"
#include "cpu/dock.h"
#include "runtime/gpu.h"
#include "runtime/run.h"

/** The owner of its engine. All of it is set before the first task is submitted. */
typedef struct psg_dock {
    base_dock_grid grid;
    psg_cpu_dock_molecule molecule[2]; /**< static and mobile */
    const psg_cpu_dock_rotation *rotation;
    size_t rotations;
    size_t list;  /**< poses that are kept of all rotations */
    size_t batch; /**< rotations of a task; of the last one fewer, perhaps */
    size_t grids; /**< of a rotation, one after the other: cells, and charges if atoms have them */
    double rounding;  /**< base_dock_energies.rounding */
    psg_cpu_fft *fft; /**< of the grid */
    void **scratch;   /**< by StarPU worker number: a spectrum, and psg_cpu_ops.fft_scratch_bytes */
    size_t
        spectrum_bytes; /**< of one grid, rounded up to 64; the static molecule has `grids` of them */
    bool by_path;       /**< a task's priority is the number of tasks that follow it */
} psg_dock;

static inline size_t psg_dock_batches(const psg_dock *d) {
    return (d->rotations - 1) / d->batch + 1;
}

/** Rotations of batch b. */
static inline size_t psg_dock_count(const psg_dock *d, size_t b) {
    const size_t left = d->rotations - b * d->batch;
    return left < d->batch ? left : d->batch;
}

/** The spectra of the static molecule, and an empty list of psg_dock.list poses. @param[in] atoms  of the molecule
 *  @param[out] potential  where atoms have charges */
void psg_task_dock_static(psg_run *run, starpu_data_handle_t atoms, starpu_data_handle_t spectrum,
                          starpu_data_handle_t list, starpu_data_handle_t potential);
/** The mobile molecule in the rotations of batch b. @param[out] cells  f32 [batch][grids][n][n][n] */
void psg_task_dock_voxel(psg_run *run, size_t b, starpu_data_handle_t atoms,
                         starpu_data_handle_t cells);
/** cells -> the scores of all shifts, times n^3; charges -> their energies. */
void psg_task_dock_correlate(psg_run *run, size_t b, starpu_data_handle_t spectrum,
                             starpu_data_handle_t cells);
/** @param[in] potential, atoms  of the static and of the mobile molecule; where atoms have charges
 *  @param[in] poses  [batch][BASE_DOCK_BEST] */
void psg_task_dock_best(psg_run *run, size_t b, starpu_data_handle_t cells,
                        starpu_data_handle_t poses, starpu_data_handle_t potential,
                        starpu_data_handle_t atoms);
/** Insert the poses of batch b into the list. */
void psg_task_dock_merge(psg_run *run, size_t b, starpu_data_handle_t poses,
                         starpu_data_handle_t list);

/** For psg_gpu_start(): FFTs of the grid. */
psg_gpu_user psg_dock_gpu(void);

extern const psg_kind psg_dock_static_kind;
extern const psg_kind psg_dock_voxel_kind;
extern const psg_kind psg_dock_correlate_kind;
extern const psg_kind psg_dock_best_kind;
extern const psg_kind psg_dock_merge_kind;

#endif
