/** @file sides.h  What values on the sides add to f. */
#ifndef PSG_KERNELS_SIDES_H
#define PSG_KERNELS_SIDES_H

#include "kernels/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Reals of the precision that are added to the points next to a side; NULL: nothing. Device memory
 *  or pinned host memory. */
typedef struct psg_cuda_sides {
    const void *x[2]; /**< [planes][ny], of the first and of the last point of each row */
    const void *y[2]; /**< [planes][nx], of the first and of the last row of each plane */
    const void *z[2]; /**< [ny][nx], of the first and of the last plane of these; NULL where that is
                           none of the grid's */
} psg_cuda_sides;

/** out = f and what the sides add.
 *  @param[in]  n    nx, ny and the number of planes; nx ny < 2^31
 *  @param[in]  f    is out, or overlaps it nowhere
 *  @param[out] out  dense, [planes][ny][nx]
 *  @return cudaSuccess; cudaErrorInvalidValue: nothing was launched */
cudaError_t psg_cuda_add_sides(psg_cuda_precision precision, const psg_cuda_field *f, void *out_d,
                               const size_t n[3], const psg_cuda_sides *sides, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
