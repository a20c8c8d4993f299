/** @file loan_gpu.h  What loan.c asks of CUDA. Without CUDA nothing here is ever called. */
#ifndef PSG_RUNTIME_LOAN_GPU_H
#define PSG_RUNTIME_LOAN_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PSG_LOAN_GPU_BYTES = 64 }; /**< of an offer */

/** As the functions of loan.h for PSG_LOAN_GPUS. @param offered  [PSG_LOAN_GPU_BYTES] */
void *psg_loan_gpu_allocate(int device, size_t bytes);
void psg_loan_gpu_free(int device, void *memory);
bool psg_loan_gpu_offer(int device, void *memory, unsigned char *offered, char *words, size_t size);
void *psg_loan_gpu_take(int device, const unsigned char *offered, char *words, size_t size);
void psg_loan_gpu_return(int device, void *taken);
bool psg_loan_gpu_put(int device, void *to, uint64_t number, char *words, size_t size);
bool psg_loan_gpu_get(int device, const void *from, uint64_t *number, char *words, size_t size);

/** Page-lock main memory, so that kernels of the device reach it by its address; and let it go again. Whole pages.
 *  @param[out] words  why not, `size` bytes */
bool psg_loan_gpu_lock(int device, void *memory, size_t bytes, char *words, size_t size);
void psg_loan_gpu_unlock(int device, void *memory);

#endif
