/** @file message.h  What goes between processes as part of a run: messages of one bundle each, or all blocks at once. */
#ifndef PSG_RUNTIME_MESSAGE_H
#define PSG_RUNTIME_MESSAGE_H

#include "runtime/comm.h"
#include "runtime/run.h"

/** A block that goes to another process or comes from there. */
typedef struct psg_message {
    int rank; /**< the other process */
    int tag;  /**< the same on both */
    psg_way way;
    int node;    /**< the memory node from which it goes, or to which it comes */
    size_t rows; /**< of the wire's; 0: the message says that the block is written, which the
                          other process reaches where it is */
    bool alone;  /**< it is not one of those that are expected, and waits for none of them */
    bool read;   /**< it says that a block has been read, and goes when the tasks that read it have
                          ended; none of them counts it in psg_task_args.messages */
    psg_label label; /**< of a block with several parts: its first one */
} psg_message;

/** Room for so many messages of a run; freed by free(). @return NULL: no memory */
struct psg_travel *psg_travels_create(size_t messages);
/** Room for the alltoalls of a run; freed by free(). @return NULL: no memory */
struct psg_gathering *psg_gatherings_create(void);

/** Give up the other processes, and end the run's messages: its tasks end then, and the run fails.
 *  @return how many of them MPI still has the memory of */
size_t psg_message_give_up(psg_run *run);

/** Say how many messages will go to another process, one way, before the first of them is
 *  submitted. */
void psg_message_expect(psg_run *run, int rank, psg_way way, size_t sends);
/** Send a block as soon as it is written; receive one. */
void psg_message_send(psg_run *run, starpu_data_handle_t block, const psg_message *message);
void psg_message_receive(psg_run *run, starpu_data_handle_t block, const psg_message *message);

/** The blocks that go to other processes, or come from there, and how many bytes they have in
 *  all. */
typedef struct psg_alltoall_data {
    starpu_data_handle_t *block;
    size_t count;
    size_t bytes;
} psg_alltoall_data;

/** All of them at once, one way.
 *  @param[in] alltoall  where they stand in main memory; the caller's until the run has ended
 *  @param[in] label     of its event
 *  @param[in] from, to  the blocks that go, and those that come; the callers' until the run has ended */
void psg_message_alltoall(psg_run *run, const psg_alltoall *alltoall, const psg_label *label,
                          psg_way way, const psg_alltoall_data *from, const psg_alltoall_data *to);

/** Fail a run for a code of psg_comm_words(). @param[in] what  did not go well */
void psg_message_blame(psg_run *run, const char *what, int code);

#endif
