/** @file cuda_whole.h  Tasks `whole` on a GPU. */
#ifndef PSG_CODELETS_CUDA_WHOLE_H
#define PSG_CODELETS_CUDA_WHOLE_H

#include "runtime/args.h"

/** Launch all of a solve of the right-hand sides first .. first+count-1 of a run, with f and u
 * behind the first two buffers.
 *  @return 0; a code for psg_gpu_check() */
int psg_cuda_whole(const psg_task_args *args, size_t first, size_t count, void *buffers[]);

#endif
