/** @file messenger.h  What carries messages while tasks run: a thread that talks to MPI.
 *
 * What goes between processes is started by it and looked after by it, so that no core waits for
 * it. Between two looks at MPI it sleeps a little: a core may be all that a process has.
 * (StarPU-MPI's thread polls without a pause and with its lock held, which costs such a process
 * half of its core.)
 */
#ifndef PSG_RUNTIME_MESSENGER_H
#define PSG_RUNTIME_MESSENGER_H

#include "runtime/request.h"

#include <stddef.h>

/** Start it, and stop it when nothing is under way; not counted.
 *  @return false: no thread could be had, or no memory */
bool psg_messenger_start(void);
void psg_messenger_stop(void);

/** As the members of psg_comm_table. */
void psg_messenger_post(psg_request *request);
size_t psg_messenger_drop(const void *owner);

#endif
