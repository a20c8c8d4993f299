/** @file cg.h  What a GPU does to a block of workload cg, as cpu/cg.h has it, with the same bits. */
#ifndef PSG_KERNELS_CG_H
#define PSG_KERNELS_CG_H

#include "base/cg.h"
#include "kernels/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @param[in] rows  with pointers to the GPU's memory @return cudaSuccess; cudaErrorInvalidValue: nothing was launched */
cudaError_t psg_cuda_cg_apply(const base_cg_rows *rows, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
