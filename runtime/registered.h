/** @file registered.h  Codelets of the kinds of task that a program registers with its functions,
 * and their submission: psg_task.h. */
#ifndef PSG_RUNTIME_REGISTERED_H
#define PSG_RUNTIME_REGISTERED_H

#include <stdbool.h>

/** Make the codelets of a kind, unless they are there; they stay as long as the process.
 * Thread-safe.
 *  @return false: no memory */
bool psg_registered_make(int kind);

#endif
