/** @file exchange.h  What carries blocks between processes. */
#ifndef PSG_GRAPH_EXCHANGE_H
#define PSG_GRAPH_EXCHANGE_H

#include "codelets/regroup.h"
#include "graph/route.h"
#include "runtime/nccl.h"
#include "runtime/starpu_mpi.h"

#include <starpu.h>

/** What carries blocks to other processes; all 0 in one process. */
typedef struct psg_between {
    psg_exchange_codelets codelets;
    int *main_memory; /**< memory nodes of their data */
    size_t messages;  /**< of a solve */
    size_t tags;      /**< of its messages: 0 .. tags - 1 */
    psg_channel *channel;
    size_t row_bytes; /**< of the channel */
    size_t wide;      /**< of a row in memory, which travels rounded; 0: all travel as they are */
    psg_starpu_wire *wire; /**< of exchange starpu; else NULL */
    psg_nccl_wire *nccl;   /**< of exchange nccl; else NULL */
} psg_between;

/** In one process: StarPU copies blocks; tasks write them where they are read. */
extern const psg_exchange_row psg_exchange_managed;
extern const psg_exchange_row psg_exchange_direct;
/** Tasks write and read blocks in shared memory: that of GPUs, main memory that GPUs reach, and
 *  main memory of cores. */
extern const psg_exchange_row psg_exchange_shared_gpus;
extern const psg_exchange_row psg_exchange_shared_to_gpus;
extern const psg_exchange_row psg_exchange_shared;
/** By psg_exchange, from PSG_EXCHANGE_MPI on: what goes from one process to another. */
extern const psg_exchange_row psg_exchange_between[PSG_EXCHANGE_COUNT];
/** The memory node from which blocks of a worker's part go in messages, and to which they come: an
 *  MPI that knows of GPUs takes their memory. */
int psg_exchange_node(const psg_plan *plan, int worker);
/** Open the channel for messages, and fill in the codelets that split and join bundles. Collective.
 *  @return PSG_OK; PSG_ERR_MEMORY, _UNSUPPORTED, _RUNTIME */
psg_status psg_between_make(psg_between *between, const psg_plan *plan);
void psg_between_free(psg_between *between, const psg_plan *plan);
/** Before arrays end, after messages were given up: what they may still write stays. */
void psg_exchange_leave(psg_arrays *arrays);
/** Submit what carries blocks from segments to sheets, or back, for `kspace` or, once all tasks
 *  before have read the blocks, for `gradient_z`. Nothing in one process. */
void psg_exchange_blocks(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                         psg_way way);
/** Give another process the plane that it needs of this one, and get the plane that this one needs.
 *  @return what has that plane; NULL: none comes */
starpu_data_handle_t psg_exchange_edge(psg_run *run, const psg_plan *plan, const psg_arrays *arrays,
                                       psg_edge_side edge);

/** What a segment has for other processes in solves with epsilon. */
typedef enum psg_piece_kind {
    PSG_PIECE_LOW = 0, /**< its first plane */
    PSG_PIECE_HIGH,    /**< its last plane */
    PSG_PIECE_SUMS,
    PSG_PIECES
} psg_piece_kind;

typedef struct psg_piece {
    psg_piece_kind kind;
    size_t s;
    starpu_data_handle_t block; /**< dense */
    size_t row_bytes, rows;     /**< those that travel, from its first on */
    int rank;                   /**< the other process */
    bool sent;                  /**< to it, else from there */
} psg_piece;

/** Submit that a piece goes to another process, or comes from there; in main memory. */
void psg_exchange_piece(psg_run *run, const psg_plan *plan, const psg_piece *piece);

#endif
