/** @file blocks.h  The potential of a charged plate, which is the work of workload `blocks`, on a
 * core and on a GPU: sums of 1/r. Square plates of cells stand one above the other. The length of a
 * cell's side is 1. */
#ifndef WORKLOADS_BLOCKS_H
#define WORKLOADS_BLOCKS_H

#include <math.h>
#include <stdint.h>

#ifdef WORKLOADS_CUDA
#include "kernels/common.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Points above one plate, and the charges of another one, or of the same. Cell c of a plate of n
 * cells has its middle at (c % columns, c / columns), columns = blocks_plate_columns(n). Point p is
 * above cell p % over, at the height (1 + p / over) / 2 above its plate: so no point is on a plate.
 * A cell has fine x fine charges, which are 1 together on the whole plate. */
typedef struct blocks_plates {
    uint32_t points;
    uint32_t over; /**< cells of the plate below the points */
    uint32_t of;   /**< cells of the plate with the charges */
    uint32_t fine; /**< charges along each side of a cell */
    float apart;   /**< height of the first plate above the second; 0: they are the same */
} blocks_plates;

/** All rows of a plate are full but for the last one. */
static inline uint32_t blocks_plate_columns(uint32_t cells) {
    return (uint32_t)ceil(sqrt((double)cells));
}

/** The mean over the points of the potential, which is the sum of charge / r over all charges. Each
 * 1/r and the sum of a line of charges are f32; the sum of lines and of points is f64. */
double blocks_cpu_plates(const blocks_plates *plates);

#ifdef WORKLOADS_CUDA
/** Doubles of scratch that blocks_cuda_plates() needs. */
enum { BLOCKS_CUDA_SCRATCH = 1024 };

/** The mean over the points of the potential. The same plates have one of the same bits on every
 * GPU.
 *  @param[out] mean_d     a double
 *  @param[out] scratch_d  BLOCKS_CUDA_SCRATCH doubles, until the stream is there
 *  @return cudaSuccess; cudaErrorInvalidValue: no points, no charges, or more than 2^31 of them;
 * nothing was launched */
cudaError_t blocks_cuda_plates(const blocks_plates *plates, double *mean_d, double *scratch_d,
                               cudaStream_t stream);

/** pair /= sqrt(first second): each is a double. */
cudaError_t blocks_cuda_couple(double *pair_d, const double *first_d, const double *second_d,
                               cudaStream_t stream);
#endif

#ifdef __cplusplus
}
#endif
#endif
