/** @file nothing.h  A task that only says that it was there, on a core and on a GPU. */
#ifndef WORKLOADS_NOTHING_H
#define WORKLOADS_NOTHING_H

#ifdef WORKLOADS_CUDA
#include "kernels/common.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** 1 -> number. */
void nothing_cpu(double *number);

#ifdef WORKLOADS_CUDA
cudaError_t nothing_cuda(double *number_d, cudaStream_t stream);
#endif

#ifdef __cplusplus
}
#endif
#endif
