/** @file transpose.h  The six permutations of the axes of a 3-D array, out of place, any size. */
#ifndef PSG_KERNELS_TRANSPOSE_H
#define PSG_KERNELS_TRANSPOSE_H

#include "kernels/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The axes of the result, fastest first: ZXY holds the point (x, y, z) at z + x row + y plane. */
typedef enum psg_cuda_order {
    PSG_CUDA_XYZ = 0, /**< a copy */
    PSG_CUDA_YXZ,
    PSG_CUDA_ZYX,
    PSG_CUDA_XZY,
    PSG_CUDA_YZX,
    PSG_CUDA_ZXY,
    PSG_CUDA_ORDER_COUNT
} psg_cuda_order;

/** A 3-D array: first element, and elements from a row to the next and from a plane to the next; 0 =
 *  dense. An array inside a larger one makes a transpose a pack or an unpack. */
typedef struct psg_cuda_array {
    void *data_d; /**< aligned to its elements */
    size_t row, plane;
} psg_cuda_array;

/** out = in with its axes in another order.
 *  @param[in]  n        nx, ny, nz of `in`, each below 2^31; one of them 0: nothing is done
 *  @param[in]  element_bytes        4, 8 or 16
 *  @param[in]  in       [nz][ny][nx]; not written
 *  @param[out] out      the same points in the order asked for; must not overlap `in`
 *  @param[in]  elements_per_thread  1, 2, 4, 8; 0 = the best known
 *  @return cudaSuccess; cudaErrorInvalidValue: nothing was launched */
cudaError_t psg_cuda_transpose(psg_cuda_order order, const size_t n[3], size_t element_bytes,
                               psg_cuda_array in, psg_cuda_array out, int elements_per_thread,
                               cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
