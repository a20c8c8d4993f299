/** @file node.h  What this process has of its node: cores, NUMA nodes, GPUs. */
#ifndef PSG_RUNTIME_NODE_H
#define PSG_RUNTIME_NODE_H

#include "runtime/comm.h"

#include <stddef.h>

/** What this process has of its node. */
typedef struct psg_share {
    int rank; /**< of the processes of the communicator that are on this node */
    int ranks;
    int cores;     /**< in its part; 0: not divided */
    int first_gpu; /**< of its part */
    struct hwloc_topology *topology;
    struct hwloc_bitmap_s *before;
} psg_share;

/** The machine as hwloc sees it, to be destroyed. @return NULL: it cannot be seen */
struct hwloc_topology *psg_share_topology(void);
/** Bind the calling thread to this process' part of the cores, so that StarPU starts its workers
 *  there; and undo that. Collective; comm NULL: nothing is done. */
void psg_share_enter(psg_share *share, psg_comm *comm);
void psg_share_leave(psg_share *share);
/** This process' GPUs, of `there`: first_gpu.
 *  @param[in,out] count  -1: its part of them; else as many as are asked for */
void psg_share_gpus(psg_share *share, int there, int *count);
/** The processor's name, and the cores that this process may run on. Either pointer may be NULL. */
void psg_share_machine(char *model, size_t size, int *cores);
/** What the machine has, whoever may run on it: its cores, or its processing units where it names
 * no cores, and its NUMA nodes. 0: not known. */
void psg_share_whole(unsigned *cores, unsigned *nodes);

#endif
