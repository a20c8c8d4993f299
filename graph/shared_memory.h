/** @file shared_memory.h  Memory in which processes of a node write and read each other's
 * blocks. */
#ifndef PSG_GRAPH_SHARED_MEMORY_H
#define PSG_GRAPH_SHARED_MEMORY_H

#include "graph/workspace.h"
#include "runtime/ipc.h"

/** Do the processes of each node share memory? */
typedef struct psg_shared {
    bool possible;     /**< all of them do: */
    psg_ipc_kind kind; /**< in that memory */
    char note[256];    /**< why they do not, or not in that of GPUs, for psg_plan_note() */
} psg_shared;

/** Do the processes of each node share memory? Tried where the options leave that open, or ask for
 * it. Collective. @return PSG_OK; PSG_ERR_UNSUPPORTED: it was asked for, and this process cannot;
 * _RUNTIME */
psg_status psg_shared_try(psg_shared *shared, const psg_plan *plan);
/** Shared memory for a chunk that has its node and bytes. @return false: there is none */
bool psg_shared_allocate(const psg_plan *plan, psg_chunk *chunk);
void psg_shared_free(const psg_plan *plan, psg_chunk *chunk);
/** Export a workspace's chunks to the other processes of the node, and import theirs. Collective.
 *  @param[in] items   what stands in its chunks, see workspace.c
 *  @param[in] status  PSG_OK if this process has its chunks
 *  @return that of all processes */
psg_status psg_shared_connect(psg_workspace *workspace, const psg_plan *plan, size_t items,
                              psg_status status);
/** Undo that; nothing where it was not done. The workspace's solves have ended. Collective.
 *  @return may the chunks be freed? Not where another process may still use them. */
bool psg_shared_disconnect(psg_workspace *workspace, const psg_plan *plan);
/** Does this process reach the blocks of that one in memory? Its own, too. */
bool psg_shared_reaches(const psg_plan *plan, int rank);
/** Where item m of the workspace of another process that it reaches stands, for a worker of
 *  ours. */
void *psg_shared_item(const psg_workspace *workspace, const psg_plan *plan, int rank, size_t m,
                      int worker);

#endif
