/** @file xy.h  The 2-D transforms of planes in one kernel, which reads and writes memory once:
 *  between its steps along x and along y a plane stays in the second-level cache, or a small one in
 *  shared memory.
 *
 *      f [planes][ny][nx] reals  --forward-->  parts: the rows of each sheet, in strips of x
 *      u [planes][ny][nx] reals  <--inverse--  (see psg_cuda_columns), dense or views of a segment
 *
 *  For some sizes only; for the others fft.h has cuFFT's. Unscaled, exp(-i k x) forward. The parts
 *  may be in the memory of other GPUs: they are written and read in pieces of 256 bytes and more,
 *  mostly 512.
 *
 *  Along each axis the transform is PSG_CUDA_DFT, or PSG_CUDA_REDFT10, _RODFT10, _REDFT11 or
 *  _RODFT11, and their inverses back; then y is PSG_CUDA_R2HC where it is periodic and x is not.
 *  PSG_CUDA_FREE along x or y,
 *  where the other is PSG_CUDA_DFT or _FREE, is PSG_CUDA_DFT of twice as many points, and the field
 *  has the first half of them: the others are 0, or are not stored. nx and ny are the field's.
 *  With PSG_CUDA_DFT along x a row of the spectrum has nx/2 + 1 numbers, else nx/2, each of two
 *  modes, see psg_cuda_xy_modes(). The modes of RODFT11 have the sign (-1)^k, which the inverse
 *  takes away.
 */
#ifndef PSG_KERNELS_XY_H
#define PSG_KERNELS_XY_H

#include "kernels/common.h"
#include "kernels/fft.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Tables and launch parameters for one size of plane on one device; both directions. A plan has
 *  the counters of one call's blocks, so calls are on one stream, or each comes after the work of
 *  the one before. */
typedef struct psg_cuda_xy psg_cuda_xy;

/** What the planes of a sheet are to a segment: planes of [strip][rows][the strip's width] complex
 *  numbers, for the rows y0 .. y0+rows-1, plane_pitch of them apart. */
typedef struct psg_cuda_xy_part {
    void *base_d;
    size_t plane_pitch;
    size_t y0;
    size_t rows;
} psg_cuda_xy_part;

/** Each mode times scale kx ky, which are complex: a derivative. */
typedef struct psg_cuda_derivative {
    const void *kx_d; /**< complex numbers of the precision, [nxc] in the order of the numbers of a
                           row; NULL: 1 */
    const void *ky_d; /**< [ny]; NULL: 1 */
    double scale[2];
} psg_cuda_derivative;

/** A field of a call. */
typedef struct psg_cuda_xy_field {
    psg_cuda_field reals;
    const psg_cuda_derivative *by; /**< of each mode, on the way back; NULL: none */
} psg_cuda_xy_field;

/** In one call, at the most. */
enum { PSG_CUDA_XY_PARTS = 64, PSG_CUDA_XY_FIELDS = 3 };

/** Width of the strips of x in which planes of this size are kept; 0: there is no kernel for them.
 *  Needs no device.
 *  @param[in] kind  of the forward transforms along x and y */
size_t psg_cuda_xy_strip(psg_cuda_precision precision, const psg_cuda_r2r kind[2], size_t nx,
                         size_t ny);

/** Does a device have the shared memory that it needs? */
bool psg_cuda_xy_suits(psg_cuda_precision precision, const psg_cuda_r2r kind[2], size_t nx,
                       size_t ny, int device);

/** The modes that are the real and the imaginary part of number 0 .. nx/2-1 of a row of a spectrum
 *  that is not periodic along x, by their index in a transform by FFTW. Needs no device. */
void psg_cuda_xy_modes(psg_cuda_r2r kind, size_t nx, size_t number, size_t modes[2]);

/** Make the tables on the current device.
 *  @param[out] plan  NULL after a failure
 *  @param[in]  kind  of the forward transforms along x and y
 *  @return cudaSuccess; cudaErrorNotSupported: no kernel for this size, or not on this device;
 *          cudaErrorMemoryAllocation and what else CUDA says: nothing is left */
cudaError_t psg_cuda_xy_create(psg_cuda_xy **plan, psg_cuda_precision precision,
                               const psg_cuda_r2r kind[2], size_t nx, size_t ny);

/** Free the tables; the plan's device must be current, and its work be done. NULL is fine. */
void psg_cuda_xy_destroy(psg_cuda_xy *plan);

/** Bytes that a call works in, for segments of up to that many planes and PSG_CUDA_XY_FIELDS; 0 for
 * small planes. */
size_t psg_cuda_xy_work_bytes(const psg_cuda_xy *plan, size_t planes);

/** Transform a segment. The answer is the same bit by bit for all pitches, and however many fields
 *  a call makes. A dense field that is aligned to a complex number, is alone and has no derivative,
 *  has a kernel of its own. Several fields of one call take turns plane by plane, so that parts are
 *  read from memory once for all of them, and those with the same ky share the transform along y.
 *  The parts stay as they are. The kernel may start before the kernel before it on the stream is
 *  done, and waits for it (launch.cuh).
 *  @param[in]     direction  PSG_CUDA_FORWARD: from the field to the parts; PSG_CUDA_INVERSE: back
 *  @param[in,out] fields     [fields_count], borrowed until return; their reals are only read, or
 *                            only written. Derivatives are for PSG_CUDA_INVERSE where x and y are
 *                            PSG_CUDA_DFT
 *  @param[in]     fields_count  1; and up to PSG_CUDA_XY_FIELDS where there may be derivatives
 *  @param[in]     planes     of each field; 0 is fine
 *  @param[in,out] parts      [count], borrowed until return; together all ny rows, in order; only
 *                            written, or only read
 *  @param[in]     count      1 .. PSG_CUDA_XY_PARTS
 *  @param[in]     work_d     psg_cuda_xy_work_bytes() of this device, aligned to 256, in use until
 *                            the stream is there; may be NULL if these are 0
 *  @return cudaSuccess; cudaErrorInvalidValue: nothing was launched; others */
cudaError_t psg_cuda_xy_run(const psg_cuda_xy *plan, psg_cuda_direction direction,
                            const psg_cuda_xy_field *fields, size_t fields_count, size_t planes,
                            const psg_cuda_xy_part *parts, size_t count, void *work_d,
                            cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
