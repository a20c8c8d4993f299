/** @file pack.h  Spectra between segments, blocks and sheets. Each call is one launch per 128
 * blocks.
 *
 *   segment s                     blocks B[s][p]                  sheet p
 *   [nz_s][ny][nxc]  <-segment->  [nz_s][ny_p][nxc]  <-sheet->   [nz][ny_p][nxc]  or
 *   [ny_p][nxc][nz]
 */
#ifndef PSG_KERNELS_PACK_H
#define PSG_KERNELS_PACK_H

#include "kernels/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Copy the rows y0[p] .. y0[p+1]-1 of every plane of a segment to blocks[p], for p = 0 .. count-1.
 *  @param[in]  spectrum_d   [planes][ny][nxc] complex numbers; not written
 *  @param[out] blocks   [count] device pointers, borrowed until return; blocks[p] is
 *                       [planes][y0[p+1] - y0[p]][nxc], dense
 *  @param[in]  y0       [count + 1], ascending, y0[count] <= ny; borrowed until return
 *  @return cudaSuccess; cudaErrorInvalidValue: nothing was launched */
cudaError_t psg_cuda_pack_segment(psg_cuda_precision precision, const void *spectrum_d, size_t nxc,
                                  size_t ny, size_t planes, void *const *blocks, const size_t *y0,
                                  size_t count, cudaStream_t stream);

/** The way back: blocks[p] to the rows of the segment. */
cudaError_t psg_cuda_unpack_segment(psg_cuda_precision precision, void *spectrum_d, size_t nxc,
                                    size_t ny, size_t planes, void *const *blocks, const size_t *y0,
                                    size_t count, cudaStream_t stream);

/** Gather a sheet from its segments, in either layout.
 *  @param[out] sheet_d  [nz][columns] or [columns][nz] complex numbers
 *  @param[in]  columns   rows * nxc of the sheet
 *  @param[in]  nz        planes of all segments together
 *  @param[in]  segments  [count], borrowed until return; packed blocks, or views of spectra of
 *  segments
 *  @return cudaSuccess; cudaErrorInvalidValue */
cudaError_t psg_cuda_unpack_sheet(psg_cuda_precision precision, psg_cuda_layout layout,
                                  void *sheet_d, size_t columns, size_t nz,
                                  const psg_cuda_segment *segments, size_t count,
                                  cudaStream_t stream);

/** The way back: a sheet to its segments. */
cudaError_t psg_cuda_pack_sheet(psg_cuda_precision precision, psg_cuda_layout layout,
                                const void *sheet_d, size_t columns, size_t nz,
                                const psg_cuda_segment *segments, size_t count,
                                cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
