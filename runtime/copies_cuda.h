/** @file copies_cuda.h  Copies that CUDA times, for what else uses CUDA. */
#ifndef PSG_RUNTIME_COPIES_CUDA_H
#define PSG_RUNTIME_COPIES_CUDA_H

#include <stdbool.h>
#include <stddef.h>

/** As the members of psg_device_table. */
struct starpu_data_interface_ops *psg_cuda_blocks(void);
bool psg_cuda_times_copies(void);
void psg_cuda_read_copies(void);
void psg_cuda_set_clocks(void);

/** Bracket a worker's use of a device, which is the current one: between, its copies are timed. */
void psg_cuda_copies_open(int device);
void psg_cuda_copies_close(int device);

/** Copy between main memory and the calling worker's GPU, in its stream, timed as a copy of a task.
 *  @return 0; a code of CUDA */
int psg_cuda_copy(void *to, const void *from, size_t bytes, bool to_gpu);

#endif
