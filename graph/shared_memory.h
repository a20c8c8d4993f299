/** @file shared_memory.h  Memory in which processes of a node write and read each other's blocks. */
#ifndef PSG_GRAPH_SHARED_MEMORY_H
#define PSG_GRAPH_SHARED_MEMORY_H

#include "graph/workspace.h"
#include "runtime/loan.h"

/** Do the processes reach each other's memory? */
typedef struct psg_lending {
    bool near;          /**< all of them do: */
    psg_loan_kind kind; /**< in that memory */
    char note[256];     /**< why they do not, or not in that of GPUs, for psg_plan_note() */
} psg_lending;

/** Do the processes reach each other's memory? Tried where the options leave that open, or ask for it. Collective. @return PSG_OK; PSG_ERR_UNSUPPORTED: it was asked for, and this process cannot; _RUNTIME */
psg_status psg_lend_try(psg_lending *lending, const psg_plan *plan);
/** Memory that is lent, for a chunk that has its node and bytes. @return false: there is none */
bool psg_lend_allocate(const psg_plan *plan, psg_chunk *chunk);
void psg_lend_free(const psg_plan *plan, psg_chunk *chunk);
/** Lend a lane's chunks to the other processes, and take theirs. Collective.
 *  @param[in] items   what stands in its chunks, see lane.c
 *  @param[in] status  PSG_OK if this process has its chunks
 *  @return that of all processes */
psg_status psg_lend_connect(psg_lane *lane, const psg_plan *plan, size_t items, psg_status status);
/** Undo that; nothing where it was not done. The lane's solves have ended. Collective.
 *  @return may the chunks be freed? Not where another process may still use them. */
bool psg_lend_disconnect(psg_lane *lane, const psg_plan *plan);
/** Where item m of another process' lane stands, for a worker of ours. */
void *psg_lend_item(const psg_lane *lane, const psg_plan *plan, int rank, size_t m, int worker);

#endif
