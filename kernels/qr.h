/** @file qr.h  The updates of Householder QR by tiles, on cuBLAS. Matrices are column-major.
 *
 * Codes are those of psg_cuda_error_string(). What is launched stands on the stream of the psg_cuda_blas.
 */
#ifndef PSG_KERNELS_QR_H
#define PSG_KERNELS_QR_H

#include "base/qr.h"
#include "kernels/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Codes from here on are this much more than cuBLAS' own. */
enum { PSG_CUDA_CUBLAS_ERROR = 200000 };

/** cuBLAS on one stream of one GPU, for one thread at a time. */
typedef struct psg_cuda_blas psg_cuda_blas;

/** For the current device. @param[out] blas  NULL after a failure @return 0, or a code */
int psg_cuda_blas_create(psg_cuda_blas **blas, psg_cuda_precision precision, cudaStream_t stream);
/** NULL is fine. */
void psg_cuda_blas_destroy(psg_cuda_blas *blas);

/** C = Q^T C, where Q is that of a tile's geqrt.
 *  @param[in]     v_d     [depth][rows]: the reflectors, with their ones and zeros
 *  @param[in]     t_d     [depth][inner]: the upper triangular factors of blocks of `inner` reflectors, side by side
 *  @param[in,out] c_d     [cols][rows]
 *  @param[out]    work_d  [cols][inner], until the stream is there
 *  @return 0, or a code */
int psg_cuda_unmqr(psg_cuda_blas *blas, const base_qr_shape *n, const void *v_d, const void *t_d,
                   void *c_d, void *work_d);

/** (B; C) = Q^T (B; C), where Q is that of a tile's tsqrt.
 *  @param[in]     v_d    [depth][rows]
 *  @param[in,out] b_d    [cols][pitch], of which the first `depth` rows
 *  @param[in,out] c_d    [cols][rows] */
int psg_cuda_tsmqr(psg_cuda_blas *blas, const base_qr_shape *n, const void *v_d, const void *t_d,
                   void *b_d, size_t pitch, void *c_d, void *work_d);

#ifdef __cplusplus
}
#endif
#endif
