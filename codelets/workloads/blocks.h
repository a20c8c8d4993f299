/** @file blocks.h  The tasks of workload blocks. */
#ifndef PSG_CODELETS_WORKLOADS_BLOCKS_H
#define PSG_CODELETS_WORKLOADS_BLOCKS_H

#include "base/plates.h"
#include "codelets/kinds.h"
#include "runtime/run.h"

/** Blocks, and cells of a block, at most: then a task's terms for a charge in each cell are an int. */
enum { PSG_BLOCKS_MOST = 32, PSG_BLOCKS_CELLS_MOST = 32768 };

/** The owner of its engine. All of it is set before the first task is submitted. */
typedef struct psg_blocks {
    size_t count;
    uint32_t cells[PSG_BLOCKS_MOST];
    uint32_t fine; /**< charges along each side of a cell */
    bool by_path;  /**< a task's priority is the work that is left from it on */
    /** StarPU's number of the worker of the diagonal task [k][k], or of the pair [k][l] and what it is projected to;
     *  -1: any worker. */
    int worker[PSG_BLOCKS_MOST][PSG_BLOCKS_MOST];
} psg_blocks;

/** The plates of the diagonal task of block k = l, or of the pair (k, l). */
base_plates psg_blocks_plates(const psg_blocks *blocks, size_t k, size_t l);

/** Terms of the sum of that task, with one charge in each cell. */
double psg_blocks_terms(const psg_blocks *blocks, size_t k, size_t l);

/** Doubles that diagonal and pair need beside on a GPU. */
size_t psg_blocks_scratch(void);

/** The mean potential of block k near itself -> self, a double. @param[in] scratch  nobody's, for one task at a time */
void psg_task_blocks_diagonal(psg_run *run, size_t k, starpu_data_handle_t self,
                              starpu_data_handle_t scratch);
/** The mean potential near block k of block l -> pair, a double.
 *  @param[in] after  [count]: data that have to be there first, though the task does not look at them */
void psg_task_blocks_pair(psg_run *run, size_t k, size_t l, starpu_data_handle_t pair,
                          starpu_data_handle_t scratch, const starpu_data_handle_t *after,
                          size_t count);
/** pair /= sqrt(first second): how strongly the blocks are coupled. */
void psg_task_blocks_project(psg_run *run, size_t k, size_t l, starpu_data_handle_t pair,
                             starpu_data_handle_t first, starpu_data_handle_t second);

extern const psg_kind psg_blocks_diagonal_kind;
extern const psg_kind psg_blocks_pair_kind;
extern const psg_kind psg_blocks_project_kind;

#endif
