/** @file reduce.h  What has to be known about f: is it finite, how large, what sum. */
#ifndef PSG_KERNELS_REDUCE_H
#define PSG_KERNELS_REDUCE_H

#include "kernels/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The result of a reduction. */
typedef struct psg_cuda_summary {
    unsigned long long
        bad;        /**< index of the first number that is NaN or infinite; n if all are finite */
    double max_abs; /**< largest magnitude among the finite ones; 0 if there is none */
    double sum;     /**< of all, in double; the same bits for the same n and numbers */
} psg_cuda_summary;

/** Bytes of scratch that psg_cuda_reduce() needs; does not depend on n. */
size_t psg_cuda_reduce_scratch_bytes(void);

/** Reduce a real array.
 *  @param[in]  data_d     [n] reals; n = 0 gives {0, 0, 0}
 *  @param[out] scratch_d  psg_cuda_reduce_scratch_bytes(), aligned to 16; in use until the stream is
 *                         there
 *  @param[out] summary_d  one psg_cuda_summary in device memory (or pinned host memory)
 *  @return cudaSuccess; cudaErrorInvalidValue: nothing was launched */
cudaError_t psg_cuda_reduce(psg_cuda_precision precision, const void *data_d, size_t n,
                            void *scratch_d, psg_cuda_summary *summary_d, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
