/** @file gradient.h  Differences of u from each point to the next along x, y and z. */
#ifndef PSG_KERNELS_GRADIENT_H
#define PSG_KERNELS_GRADIENT_H

#include "kernels/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The differences along an axis. */
typedef struct psg_cuda_difference {
    double scale;  /**< 1/h: the difference is scale (next - u) */
    double last;   /**< and beyond the last point, where it does not wrap, last u + */
    double weight; /**< weight times what the values on the upper side add to f there */
    int wraps;     /**< the axis is periodic: the first point is next to the last one */
    int centred; /**< the result has (next - before)/(2h) of the last point: the difference there is
                        twice that less the one before. The axis has two points here at least */
    /** What they add: reals of the precision, x [planes][ny], y [planes][nx], z [ny][nx]. Device
     *  memory or pinned host memory; NULL: nothing. */
    const void *added;
} psg_cuda_difference;

/** Components of the gradient of u.
 *  @param[in]  n       nx, ny and the number of planes; nx ny < 2^31
 *  @param[in]  above   the plane after the last one; base_d NULL: there is a side
 *  @param[in,out] result  by component; base_d NULL: not wanted
 *  @param[out] overflow_d  becomes 1 if a number of them is not finite
 *  @return cudaSuccess; cudaErrorInvalidValue: nothing was launched */
cudaError_t psg_cuda_gradient(psg_cuda_precision precision, const psg_cuda_field *u,
                              const psg_cuda_field *above, const size_t n[3],
                              const psg_cuda_difference along[3], const psg_cuda_field result[3],
                              int *overflow_d, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
