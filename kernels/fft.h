/** @file fft.h  cuFFT plans: the 2-D real transforms of a segment and the 1-D complex ones of a
 * sheet.
 *
 * Unscaled, exp(-i k x) forward; along axes that are not periodic, real-to-real transforms as FFTW
 * defines them. A plan belongs to the device that was current when it was made, has one stream at a
 * time, and works in a buffer of the caller's (one buffer serves all plans of a stream). Axes of
 * one point are fine. Functions return 0, or a code for psg_cuda_error_string(). Batches of less
 * than about 16 MB do not fill a large GPU: prefer more planes a segment.
 */
#ifndef PSG_KERNELS_FFT_H
#define PSG_KERNELS_FFT_H

#include "kernels/common.h"
#include "kernels/fft_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct psg_cuda_fft psg_cuda_fft;

/** Plan the transforms of `planes` planes between [planes][ny][nx] reals and [planes][ny][nxc]
 *  complex numbers, in one direction.
 *  @param[out] fft   NULL after a failure
 *  @param[in]  kind  of the forward transforms along x and y. x PSG_CUDA_DFT: nxc = nx/2 + 1. Else
 *                    nxc = (nx + 1)/2, modes 2i and 2i+1 of x are the real and the imaginary part
 *                    of number i, and an odd nx has a 0 behind the last mode;
 *                    y is PSG_CUDA_R2HC then if it is periodic.
 *                    PSG_CUDA_FREE is PSG_CUDA_DFT of twice as many points, of which the field has
 *                    the first half, and the others are 0 or are not stored; along y, where x is
 *                    neither PSG_CUDA_DFT nor _FREE, PSG_CUDA_FREE_PAIRS is PSG_CUDA_R2HC so. The
 *                    spectrum is that of all points. nx and ny are the field's. So have
 *                    PSG_CUDA_FREE_COS, _SIN, _COS_END and _SIN_END.
 *  @return 0; cudaErrorInvalidValue for a size of 0; cudaErrorMemoryAllocation; cuFFT's codes */
int psg_cuda_fft_create_xy(psg_cuda_fft **fft, psg_cuda_precision precision,
                           psg_cuda_direction direction, const psg_cuda_r2r kind[2], size_t nx,
                           size_t ny, size_t planes);

/** Plan the transforms along z of a sheet [nz][columns] or [columns][nz], both directions.
 *  @param[in] kind  of the forward transform. Of those with a free end only PSG_CUDA_FREE_COS,
 *                   _SIN, _COS_END and _SIN_END: the sheet has 2 nz points along z, and the caller
 *                   puts 0 where they say
 *  @return 0; a code for psg_cuda_error_string() */
int psg_cuda_fft_create_z(psg_cuda_fft **fft, psg_cuda_precision precision, psg_cuda_layout layout,
                          psg_cuda_r2r kind, size_t columns, size_t nz);

/** NULL is fine. The plan's device must be current, and its work be done. */
void psg_cuda_fft_destroy(psg_cuda_fft *fft);

/** Bytes of device memory that the plan works in; 0: none. */
size_t psg_cuda_fft_work_bytes(const psg_cuda_fft *fft);

/** Give the plan that memory, aligned to 256; it is in use while a transform runs, and stays the
 *  caller's. Needed once before the first transform if psg_cuda_fft_work_bytes() > 0. */
int psg_cuda_fft_set_work_area(psg_cuda_fft *fft, void *work_d);

/** The stream of the following transforms; the default stream until then. */
int psg_cuda_fft_set_stream(psg_cuda_fft *fft, cudaStream_t stream);

/** Bytes of device memory for a dense copy, which a transform of that field works on. 0: the field
 *  is dense and aligned to a complex number, and cuFFT itself reads or writes it. */
size_t psg_cuda_fft_dense_bytes(const psg_cuda_fft *fft, const psg_cuda_field *field);

/** Run a plan of psg_cuda_fft_create_xy(), from the field to the spectrum or back. The answer is
 *  the same bit by bit for all pitches.
 *  @param[in,out] field       only read, or only written
 *  @param[in,out] spectrum_d  written, or read and destroyed; aligned to a complex number; must not
 *  overlap the field
 *  @param[in]     dense_d     psg_cuda_fft_dense_bytes(), aligned to a complex number, in use until
 *                             the stream is there; may be NULL if these are 0
 *  @return 0; cudaErrorInvalidValue: not such a plan; cuFFT's codes */
int psg_cuda_fft_run_xy(const psg_cuda_fft *fft, const psg_cuda_field *field, void *spectrum_d,
                        void *dense_d);

/** Run a plan of psg_cuda_fft_create_z(), in place.
 *  @return 0; a code for psg_cuda_error_string() */
int psg_cuda_fft_run_z(const psg_cuda_fft *fft, psg_cuda_direction direction, void *sheet_d);

#ifdef __cplusplus
}
#endif
#endif
