/** @file transpose.h  Matrices, copied or transposed, out of place, any size and pitch. */
#ifndef PSG_KERNELS_TRANSPOSE_H
#define PSG_KERNELS_TRANSPOSE_H

#include "kernels/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Matrices, a plane each: their first element, and elements from a row to the next; 0 = dense. A
 *  matrix inside a larger one makes a copy or a transpose a pack or an unpack. */
typedef struct psg_cuda_matrix {
    void *data_d; /**< aligned to its elements */
    size_t pitch; /**< >= a row's elements */
    size_t plane; /**< from a plane to the next; of one plane anything */
} psg_cuda_matrix;

/** out = in, or its transpose, of each plane.
 *  @param[in]  turns    transpose; else copy
 *  @param[in]  n        elements of a row of `in`, and rows, each below 2^31; planes, below 2^16;
 *                       one of them 0: nothing is done
 *  @param[in]  element_bytes  4, 8 or 16
 *  @param[in]  in       [n[1]][n[0]] of each plane; not written
 *  @param[out] out      [n[0]][n[1]] where it turns, else [n[1]][n[0]]; must not overlap `in`
 *  @return cudaSuccess; cudaErrorInvalidValue: nothing was launched */
cudaError_t psg_cuda_transpose(bool turns, const size_t n[3], size_t element_bytes,
                               psg_cuda_matrix in, psg_cuda_matrix out, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
