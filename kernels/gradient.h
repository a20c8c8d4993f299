/** @file gradient.h  Differences of u from each point to the next along x, y and z, and the
 *  divergence of a flow. */
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
    /** [planes]: times scale; along z alone. Device memory; NULL: 1 */
    const double *step_d;
    double taken; /**< 0: the component is written; else the result loses so many of it */
    /** u is the component itself, but for weight times what the values add beyond the last point of
     *  an axis that does not wrap */
    int made;
} psg_cuda_difference;

/** The planes of a flow through the upper faces of cells. */
typedef struct psg_cuda_flow {
    psg_cuda_field v[3];
    const void *below_d; /**< v[2] of the plane before the first one; NULL: nothing flows there */
    size_t below_row_pitch;
    double by[3];          /**< 1 / the spacing along x, y and z */
    const double *width_d; /**< [planes]: by[2] is over it; device memory; NULL: 1 */
    int wraps[2]; /**< along x and y: the first cell is next to the last one; else nothing flows
                       through the lower face of the first one */
} psg_cuda_flow;

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

/** Of each cell what flows out of it.
 *  @param[in]  n    nx, ny and the number of planes; nx ny < 2^31
 *  @param[out] out_d  dense, [planes][ny][nx]
 *  @return cudaSuccess; cudaErrorInvalidValue: nothing was launched */
cudaError_t psg_cuda_divergence(psg_cuda_precision precision, const psg_cuda_flow *flow,
                                const size_t n[3], void *out_d, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
