/** @file jacobi.h  The tasks of workload jacobi. */
#ifndef PSG_CODELETS_WORKLOADS_JACOBI_H
#define PSG_CODELETS_WORKLOADS_JACOBI_H

#include "base/jacobi.h"
#include "codelets/kinds.h"
#include "runtime/run.h"

/** The owner of its engine. All of it is set before the first task is submitted. */
typedef struct psg_jacobi {
    size_t n;     /**< points along each axis, with the fixed ones on the sides */
    size_t tile;  /**< points of a tile along each axis; of the last one fewer, perhaps */
    size_t tiles; /**< along each axis */
    size_t steps;
    size_t real_bytes;
    bool f32;
    bool by_path; /**< a task's priority is the number of sweeps that follow it */
} psg_jacobi;

/** Points of tile t along an axis. The first one is point 1 + t * tile of the grid. */
static inline size_t psg_jacobi_extent(const psg_jacobi *j, size_t t) {
    const size_t left = j->n - 2 - t * j->tile;
    return left < j->tile ? left : j->tile;
}

/** The data of a tile: it, and its edges by side. */
typedef struct psg_jacobi_data {
    starpu_data_handle_t u;
    starpu_data_handle_t edge[BASE_JACOBI_SIDES];
} psg_jacobi_data;

/** Sweep tile (row, column) in step `step`.
 *  @param[in] beyond  by side: a neighbour's edge, or what is fixed there
 *  @param[in] gate    NULL; or data that psg_task_jacobi_gate() has */
void psg_task_jacobi_sweep(psg_run *run, const size_t at[2], size_t step,
                           const psg_jacobi_data *from,
                           const starpu_data_handle_t beyond[BASE_JACOBI_SIDES],
                           const psg_jacobi_data *to, starpu_data_handle_t gate);

/** Tasks with this gate that are submitted later begin when those before have ended. By no worker: it is no event, but the
 *  run ends after it. */
void psg_task_jacobi_gate(psg_run *run, starpu_data_handle_t gate);

extern const psg_kind psg_jacobi_sweep_kind;

#endif
