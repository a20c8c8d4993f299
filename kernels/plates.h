/** @file plates.h  The potential of a charged plate, as cpu/plates.h has it. */
#ifndef PSG_KERNELS_PLATES_H
#define PSG_KERNELS_PLATES_H

#include "base/plates.h"
#include "kernels/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Doubles of scratch that psg_cuda_plates() needs. */
enum { PSG_CUDA_PLATES_SCRATCH = 1024 };

/** The mean over the points of the potential. The same plates have one of the same bits on every GPU.
 *  @param[out] mean_d     a double
 *  @param[out] scratch_d  PSG_CUDA_PLATES_SCRATCH doubles, until the stream is there
 *  @return cudaSuccess; cudaErrorInvalidValue: no points, no charges, or more than 2^31 of them; nothing was launched */
cudaError_t psg_cuda_plates(const base_plates *plates, double *mean_d, double *scratch_d,
                            cudaStream_t stream);

/** pair /= sqrt(first second): each is a double. */
cudaError_t psg_cuda_couple(double *pair_d, const double *first_d, const double *second_d,
                            cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
