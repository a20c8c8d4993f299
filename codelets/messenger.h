/** @file messenger.h  The thread that talks to MPI while tasks run. Built with MPI only.
 *
 * What goes between processes is started by it and looked after by it, so that no core waits for it. Between
 * two looks it sleeps a little: a core may be all that a process has. (StarPU-MPI's thread polls without a
 * pause and with its lock held, which costs such a process half of its core.)
 */
#ifndef PSG_CODELETS_MESSENGER_H
#define PSG_CODELETS_MESSENGER_H

#include <stdbool.h>

#include <mpi.h>

/** One MPI request from its start to its end; part of the poster's own structure, and the
 *  poster's again once it has ended. Both functions run on the messenger's thread. */
typedef struct psg_errand {
    struct psg_errand *next;
    /** Call MPI; request is that to look after. @return MPI's code */
    int (*start)(struct psg_errand *errand, MPI_Request *request);
    /** It is over. @param[in] code  MPI_SUCCESS, or what went wrong */
    void (*ended)(struct psg_errand *errand, int code);
} psg_errand;

/** Start the thread, and stop it when nothing is under way; not counted.
 *  @return false: no thread could be had */
bool psg_messenger_start(void);
void psg_messenger_stop(void);

/** From any thread; returns at once. */
void psg_messenger_post(psg_errand *errand);

#endif
