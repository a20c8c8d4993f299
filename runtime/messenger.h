/** @file messenger.h  What carries messages while tasks run: a thread that talks to MPI, or the network of a
 *  simulation. Without either there is none.
 *
 * What goes between processes is started by it and looked after by it, so that no core waits for it. Between
 * two looks at MPI it sleeps a little: a core may be all that a process has. (StarPU-MPI's thread polls without
 * a pause and with its lock held, which costs such a process half of its core.)
 */
#ifndef PSG_RUNTIME_MESSENGER_H
#define PSG_RUNTIME_MESSENGER_H

#include "runtime/request.h"

#include <stdbool.h>
#include <stddef.h>

/** One request from its start to its end; part of the poster's own structure, and the poster's
 *  again once it has ended. Codes are those of psg_comm_words(), 0 if all is well. */
typedef struct psg_errand {
    struct psg_errand *next;
    const void *owner; /**< for psg_messenger_drop() */
    bool hurried;      /**< a GPU waits for it: its thread does not sleep until it has ended */
    /** Begin it; the request is that to look after. */
    int (*start)(struct psg_errand *errand, psg_request *request);
    /** It is over. */
    void (*ended)(struct psg_errand *errand, int code);
} psg_errand;

/** Start it, and stop it when nothing is under way; not counted.
 *  @return false: no thread could be had, or no memory */
bool psg_messenger_start(void);
void psg_messenger_stop(void);

/** From any thread; returns at once. */
void psg_messenger_post(psg_errand *errand);

/** End what is under way for an owner, with the code PSG_COMM_GIVEN_UP, though MPI may still read
 *  and write its memory. Returns when that is done. @return how many */
size_t psg_messenger_drop(const void *owner);

#endif
