/** @file pcg.h  What a GPU does to a segment in a step of conjugate gradients: base/pcg.h has the
 *  method, cpu/pcg.h what each of these does. Pointers in a task are device pointers. Results have
 *  the bits of a core's.
 *  @return of all: cudaSuccess; cudaErrorInvalidValue: nothing was launched */
#ifndef PSG_KERNELS_PCG_H
#define PSG_KERNELS_PCG_H

#include "base/pcg.h"
#include "kernels/common.h"

#ifdef __cplusplus
extern "C" {
#endif

cudaError_t psg_cuda_pcg_measure(const base_pcg_task *t, cudaStream_t stream);
cudaError_t psg_cuda_pcg_start(const base_pcg_task *t, cudaStream_t stream);
cudaError_t psg_cuda_pcg_dot(const base_pcg_task *t, cudaStream_t stream);
cudaError_t psg_cuda_pcg_direction(const base_pcg_task *t, cudaStream_t stream);
cudaError_t psg_cuda_pcg_apply(const base_pcg_task *t, cudaStream_t stream);
cudaError_t psg_cuda_pcg_update(const base_pcg_task *t, cudaStream_t stream);
cudaError_t psg_cuda_pcg_end(const base_pcg_task *t, cudaStream_t stream);

cudaError_t psg_cuda_pcg_join(const base_pcg_pieces *pieces, double *lanes_d, cudaStream_t stream);
cudaError_t psg_cuda_pcg_next(base_pcg_stage stage, double *lanes_d, const base_pcg_terms *terms,
                              double *scalars_d, double *report_d, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
