/** @file message.h  Messages between processes as part of a run: one for each block of a segment
 * and a bundle. */
#ifndef PSG_RUNTIME_MESSAGE_H
#define PSG_RUNTIME_MESSAGE_H

#include "runtime/comm.h"
#include "runtime/run.h"

/** A block, or rows of it, that goes to another process or comes from there. */
typedef struct psg_message {
    int rank; /**< the other process */
    int tag;  /**< the same on both */
    psg_way way;
    int node;                   /**< the memory node from which it goes, or to which it comes */
    size_t unit;                /**< bytes of a row; 0: it is the channel's */
    size_t rows;                /**< 0: the message says that the block is written, which the
                          other process reaches where it is */
    size_t wide;                /**< bytes of a row in memory, numbers of 8 bytes, which travel
                          rounded in a row of the channel; 0: as they are */
    size_t runs, pitch;         /**< of rows, as psg_stripes; runs 0: all are end to end */
    size_t layers, layer_pitch; /**< of runs, as psg_stripes; layers 0: one */
    size_t first;               /**< row of the block that is the first one */
    bool alone;  /**< it is not one of those that are expected, and waits for none of them */
    bool read;   /**< it says that a block has been read, and goes when the tasks that read it have
                          ended */
    bool counts; /**< of one that is sent: it counts itself as ready. Else the last task that writes
                          the block does, in psg_task_args.messages */
    psg_label label; /**< of a block with several parts: its first one */
    /** Of StarPU-MPI, which carries the whole block; NULL: the engine's channel carries it. */
    const struct psg_starpu_wire *wire;
    /** The same of NCCL, which carries it in a round: with `begins` - 1 messages that are submitted
     *  next; 0: it is one of these. */
    struct psg_nccl_wire *nccl;
    size_t begins;
} psg_message;

/** Room for so many messages of a run that have not ended; freed by free().
 *  @return NULL: no memory */
struct psg_transfer *psg_transfers_create(size_t messages);

/** Give up the other processes, and end the run's messages: its tasks end then, and the run fails.
 *  psg_run.messages.left grows by those that MPI still has the memory of. */
void psg_message_give_up(psg_run *run);

/** Say how many messages will go to another process, one way, and come from there, before the first
 *  of them is submitted. A run may say so several times, with the same numbers. */
void psg_message_expect(psg_run *run, int rank, psg_way way, size_t sends, size_t receives);
/** Send a block as soon as it is written; receive one.
 *  @param[in] block  NULL: there is none, and the message is empty and goes at once */
void psg_message_send(psg_run *run, starpu_data_handle_t block, const psg_message *message);
void psg_message_receive(psg_run *run, starpu_data_handle_t block, const psg_message *message);

/** Fail a run for a code of psg_comm_table.words. @param[in] what  did not go well */
void psg_message_blame(psg_run *run, const char *what, int code);

#endif
