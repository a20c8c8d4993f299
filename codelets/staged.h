/** @file staged.h  The codelets of the staged graph, but for its transforms along x and y. */
#ifndef PSG_CODELETS_STAGED_H
#define PSG_CODELETS_STAGED_H

#include "codelets/context.h"

#include <starpu.h>

/** A segment's spectrum [z][ny][nxc] -> its blocks, one per bundle, complex [z][y][nxc]; and
 *  back. */
void psg_task_pack_segment(psg_run *run, size_t s, starpu_data_handle_t spectrum,
                           const starpu_data_handle_t *blocks);
void psg_task_unpack_segment(psg_run *run, size_t s, const starpu_data_handle_t *blocks,
                             starpu_data_handle_t spectrum);
/** A sheet, complex [y][nxc][nz] (form.z_contiguous) or [nz][y][nxc] -> its blocks, one per
 *  segment, of which that of segment s is blocks[s * stride]; and back. */
void psg_task_pack_sheet(psg_run *run, size_t p, starpu_data_handle_t sheet,
                         const starpu_data_handle_t *blocks, size_t stride);
void psg_task_unpack_sheet(psg_run *run, size_t p, const starpu_data_handle_t *blocks,
                           size_t stride, starpu_data_handle_t sheet);
/** Transform a sheet along z, in place; divide it; transform it back. */
void psg_task_fft_z(psg_run *run, size_t p, starpu_data_handle_t sheet);
void psg_task_divide(psg_run *run, size_t p, starpu_data_handle_t sheet);
void psg_task_ifft_z(psg_run *run, size_t p, starpu_data_handle_t sheet);
/** u[s] *= factor/(nx ny nz). */
void psg_task_normalize(psg_run *run, size_t s, starpu_data_handle_t u);

#endif
