/** @file kspace.h  A sheet, from its blocks to its blocks. */
#ifndef PSG_CODELETS_KSPACE_H
#define PSG_CODELETS_KSPACE_H

#include "codelets/context.h"

#include <starpu.h>

/** unpack, fft_z, divide, ifft_z, pack: a sheet's blocks in place; the factor
 *  factor/(nx ny nz) is in it.
 *  @param[out] beside  blocks like these: the derivative along z; NULL: it is not
 *                      wanted */
void psg_task_kspace(psg_run *run, size_t p, const starpu_data_handle_t *blocks,
                     const starpu_data_handle_t *beside, size_t stride);
/** The same where modes are the caller's, [nz][rows][nxc]: those of f in place of the blocks, and
 *  those of u beside the blocks, or in place of them.
 *  @param[in] in, out  of the sheet; NULL: none
 *  @param[in] back     the blocks get u */
void psg_task_modes(psg_run *run, size_t p, starpu_data_handle_t in, starpu_data_handle_t out,
                    const starpu_data_handle_t *blocks, size_t stride, bool back);
/** A derivative by the modes of u. Along z, over sqrt(-1): a sheet's blocks of u, in place. Then a
 *  component along any axis: blocks, one per bundle -> result[s], like u[s]. The blocks are u's, or
 *  along z gradient_z's, or those beside u's. */
void psg_task_gradient_z(psg_run *run, size_t p, const starpu_data_handle_t *blocks, size_t stride);

#endif
