/** @file workspace.h  Room for the spectrum of a solve, cut into blocks. */
#ifndef PSG_GRAPH_WORKSPACE_H
#define PSG_GRAPH_WORKSPACE_H

#include "codelets/context.h"
#include "graph/psg_observe.h"
#include "runtime/alltoall.h"

#include <starpu.h>

/** A piece of memory on a StarPU memory node. */
typedef struct psg_chunk {
    int node;
    size_t bytes;
    void *memory;
    size_t first; /**< of a workspace: the item with which it begins */
    size_t gpu;   /**< of shared memory: the GPU that has it, by its number among workers.gpus */
} psg_chunk;

/** Room for the spectrum of one solve at a time; solves that share it follow one another. */
typedef struct psg_workspace {
    psg_chunk *chunks; /**< [chunk_count]: the memory */
    size_t chunk_count;
    void **item;                /**< where each thing in it stands; see workspace.c */
    psg_overlap_place *overlap; /**< by StarPU worker, the rows that kspace moves; NULL: none */
    struct psg_imports
        *imports; /**< with psg_exchange_row.connect: where the other processes' items stand */
    size_t bytes;
    size_t number; /**< of the workspace in the plan: no other has it */
    /* Blocks, complex [z][y][nxc]. In one process the three lists have the same handles. */
    starpu_data_handle_t
        *bundles; /**< [own segments][bundles]: what the tasks of our segments write */
    starpu_data_handle_t
        *arrivals; /**< [segments][own bundles]: our bundles of all segments, once they came */
    /** [segments][own sheets]: the same by sheet, which the tasks of our sheets read */
    starpu_data_handle_t *blocks;
    starpu_data_handle_t *spectra; /**< staged: [own segments], complex [z][ny][nxc] */
    starpu_data_handle_t *columns; /**< staged: [own sheets], a sheet each */
    psg_alltoall alltoall;         /**< exchange alltoall */
    psg_alltoall_data outward;     /**< of `bundles`, those of other processes */
    psg_alltoall_data inward;      /**< of `arrivals`, those of other processes */
    starpu_data_handle_t turn;     /**< of exchanges that follow one another */
    double turn_word;
    psg_phases
        phases;     /**< of cores in one process; `between` NULL: blocks are ordered one by one */
    unsigned users; /**< runs in flight in it */
    /** Blocks as these, for the derivative along z beside u: its runs are those of this one. NULL
     *  until a solve wants it */
    struct psg_workspace *beside;
    bool alone; /**< there was no memory for that */
} psg_workspace;

/** For psg_exchange_row.allocate and .release: memory of this process alone, on large pages where
 *  only cores touch it, page-locked where GPUs copy it, or on the GPU itself. */
bool psg_chunk_allocate(const psg_plan *plan, psg_chunk *chunk);
void psg_chunk_release(const psg_plan *plan, psg_chunk *chunk);

/** For psg_run.phases. */
static inline psg_phases *psg_workspace_phases(psg_workspace *workspace) {
    return workspace->phases.between != NULL ? &workspace->phases : NULL;
}

bool psg_workspace_find(const psg_plan *plan, const psg_workspace *workspace, const void *address,
                        psg_copy *copy);
/** Workspaces of a plan, those beside others among them: their numbers are below this. */
size_t psg_workspaces_most(const psg_plan *plan);
/** @return PSG_OK; PSG_ERR_MEMORY: *workspace is NULL */
psg_status psg_workspace_create(psg_workspace **workspace, const psg_plan *plan, size_t number);
void psg_workspace_destroy(psg_workspace *workspace, const psg_plan *plan);

#endif
