/** @file kspace.h  The fused z kernel: forward transform along z, division, inverse transform along
 *  z, in one kernel that reads and writes the spectrum once.
 *
 *      segment 0  z0..  [planes][ny][nxc]  --\      one block of the GPU: a few neighbouring
 *      segment 1  z1..  [planes][ny][nxc]  ---+-->  columns, all nz points of each, in registers
 *      ...               (or packed blocks) --/     and shared memory; written back where they
 *                                                   were read, or elsewhere
 *
 * The sheet is given as one or two bands of rows (psg_cuda_band), and each of these as segments
 * (psg_cuda_segment): packed blocks, or views of the segments' spectra, which need no packing;
 * on this GPU or on peers.
 */
#ifndef PSG_KERNELS_KSPACE_H
#define PSG_KERNELS_KSPACE_H

#include "kernels/common.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Tables and launch parameters for one length on one device. Its calls must all be on the same
 *  stream, or ordered otherwise: they share a table of planes. */
typedef struct psg_cuda_kspace psg_cuda_kspace;

/** Number of kernels that can do this length. PSG_CUDA_DFT, _FREE, _FREE_PAIRS, and the same with a
 *  table: 0 = none, if nz has a prime factor above 13, or is longer than about 5000 (a tile of
 *  32-byte rows must fit 163 KB of shared memory; the rule is the same for all devices).
 *  PSG_CUDA_R2HC, _REDFT10, _RODFT10, _REDFT11, _RODFT11: for some lengths only. PSG_CUDA_LINE,
 *  _PAIRS, _BESIDE: 1 up to 8192 points. Other kinds: none.
 *  Where there is none, use fft.h and divide.h. Needs no device.
 *  @param[in] kind  of the forward transform along z */
int psg_cuda_kspace_supported(psg_cuda_precision precision, psg_cuda_r2r kind, size_t nz);

/** Does a device have the shared memory for one of them? */
bool psg_cuda_kspace_suits(psg_cuda_precision precision, psg_cuda_r2r kind, size_t nz, int device);

/** Make the tables on the current device.
 *  @param[out] plan     NULL after a failure
 *  @param[in]  variant  0 = the best known; 1 .. psg_cuda_kspace_supported()-1: the others, for
 *                       tests
 *  @return cudaSuccess; cudaErrorNotSupported: the length or variant is not there, or not on this
 *          device; cudaErrorMemoryAllocation and what else CUDA says: nothing is left */
cudaError_t psg_cuda_kspace_create(psg_cuda_kspace **plan, psg_cuda_precision precision,
                                   psg_cuda_r2r kind, size_t nz, int variant);

/** Free the tables; the plan's device must be current, and its work be done. NULL is fine. */
void psg_cuda_kspace_destroy(psg_cuda_kspace *plan);

/** One line for tests about the kernel: radices, columns, threads, shared memory, blocks per
 *  multiprocessor; and the columns and threads of small launches, if they are others.
 *  Valid as long as the plan. */
const char *psg_cuda_kspace_words(const psg_cuda_kspace *plan);

/** Do it.
 *  @param[in]     plan      made on the current device
 *  @param[in,out] bands     [count], borrowed until return with their segments, of which there may
 *                           be any number (for a band of more than one a small launch per 128 of
 *                           them fills its table of planes first)
 *  @param[in]     count     1; 2: the rows of bands[1] follow those of bands[0]. Their tiles come
 *                           in turns, so that where one is written to peers and the other is not,
 *                           links and memory are in use at the same time.
 *  @param[in]     columns   of all bands, and their order in a plane of each; rows = 0 is fine
 *  @param[in]     symbol    borrowed until return; what it points to, until the stream is there.
 *                           The kernel before this call on the stream must not write ex_d, ey_d or
 *                           ez_d: they may be read before it is done
 *  @return cudaSuccess; cudaErrorInvalidValue: nothing was launched; others */
cudaError_t psg_cuda_kspace_run(const psg_cuda_kspace *plan, const psg_cuda_band *bands,
                                size_t count, const psg_cuda_columns *columns,
                                const psg_cuda_symbol *symbol, cudaStream_t stream);

/** Sheets in one call, at the most. */
enum { PSG_CUDA_KSPACE_SHEETS = 65535 };

/** psg_cuda_kspace_run() of several sheets, whose planes follow one another: those of the spectra
 * of several right-hand sides.
 *  @param[in,out] sheets_d     [sheets][nz] planes, aligned to one complex number
 *  @param[in]     sheets       0 .. PSG_CUDA_KSPACE_SHEETS
 *  @param[in]     plane_pitch  complex numbers from a plane to the next
 *  @param[in]     columns      of each
 *  @param[in]     symbol       of each; mode0_d is [sheets] complex numbers, and nonfinite_d
 *  [sheets] flags
 *  @return as psg_cuda_kspace_run() */
cudaError_t psg_cuda_kspace_run_many(const psg_cuda_kspace *plan, void *sheets_d, size_t sheets,
                                     size_t plane_pitch, const psg_cuda_columns *columns,
                                     const psg_cuda_symbol *symbol, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
