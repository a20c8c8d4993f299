/** @file whole.h  All of a solve of some right-hand sides, by one worker. */
#ifndef PSG_CODELETS_WHOLE_H
#define PSG_CODELETS_WHOLE_H

#include "codelets/context.h"

#include <starpu.h>

/** All of a solve of the right-hand sides first .. first+count-1, by one worker: f -> u, real
 *  [count][nz][ny][nx]. @param[in] worker  a GPU's; -1: any core, and count
 *  is 1 */
void psg_task_whole(psg_run *run, size_t first, size_t count, int worker, starpu_data_handle_t f,
                    starpu_data_handle_t u);

#endif
