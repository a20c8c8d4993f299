/** @file block.h  StarPU blocks: data of three extents. */
#ifndef PSG_GRAPH_BLOCK_H
#define PSG_GRAPH_BLOCK_H

#include "graph/workers.h"

#include <starpu.h>

/** The most elements of a block: StarPU counts them in 32 bits. */
#define PSG_BLOCK_MOST ((size_t)UINT32_MAX)

/** Register a StarPU block of nx x ny x nz elements on a memory node, rows contiguous, planes
 *  `pitch` elements apart; without memory (NULL) StarPU finds some wherever it is first written. */
void psg_block_register(starpu_data_handle_t *handle, int node, void *memory, const size_t n[3],
                        size_t pitch, size_t element_bytes);
/** And rows so many elements apart. */
void psg_block_register_rows(starpu_data_handle_t *handle, int node, void *memory,
                             const size_t n[3], size_t row_pitch, size_t pitch,
                             size_t element_bytes);
/** Register one with memory of its own in main memory, dense, which psg_block_unregister() frees.
 *  Where StarPU may hold copies elsewhere it has none: StarPU finds memory wherever the block is
 *  first written, and a block that lives on a GPU takes none here. StarPU's user data of the block
 *  is that memory.
 *  @return false: no memory, and nothing was registered */
bool psg_block_make(starpu_data_handle_t *handle, const psg_workers *workers, const size_t n[3],
                    size_t element_bytes);
/** Acquire and release. */
void psg_block_touch(starpu_data_handle_t block, int node, enum starpu_data_access_mode mode);
/** Unregister those that are not NULL, and let their values go. NULL is fine. */
void psg_block_unregister(starpu_data_handle_t *handles, size_t count);
/** Before psg_block_unregister(), of those that MPI may still write to: their memory stays. Memory
 *  that StarPU found stays with its handle, which becomes NULL. NULL is fine. */
void psg_block_leave(starpu_data_handle_t *handles, size_t count);
/** The memory node of a worker's data; main memory for worker -1. */
int psg_placement_node(int worker);
static inline int psg_placement_main_node(int worker) {
    (void)worker;
    return STARPU_MAIN_RAM;
}

#endif
