/** @file codelets.h  One typed submit function per codelet: what it reads and writes, and in which shape.
 * A segment has a block for each bundle of each process; a sheet has a block for each segment.
 *
 * s is a segment with z planes, p a sheet with y rows. All data are
 * StarPU blocks. A failed submission is latched in the run; see task.h.
 */
#ifndef PSG_CODELETS_CODELETS_H
#define PSG_CODELETS_CODELETS_H

#include "codelets/context.h"

#include <starpu.h>

/** Data come to a memory node as soon as all that is submitted before and writes them has ended, by
 *  a task that no worker runs: it is no event, but the run ends after it.
 *  @param[in] after  NULL; or data that are not moved: what was submitted before and writes them
 *                    ends first, and what is submitted later and writes them begins after */
void psg_task_fetch(psg_run *run, int node, starpu_data_handle_t data, starpu_data_handle_t after);

/** f[s], real [z][ny][nx] -> spectrum, complex [z][ny][nxc]; and back. */
void psg_task_fft_xy(psg_run *run, size_t s, starpu_data_handle_t f, starpu_data_handle_t spectrum);
void psg_task_ifft_xy(psg_run *run, size_t s, starpu_data_handle_t spectrum,
                      starpu_data_handle_t u);

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

/** fft_xy and pack: f[s] -> blocks, one per bundle. */
void psg_task_forward_xy(psg_run *run, size_t s, starpu_data_handle_t f,
                         const starpu_data_handle_t *blocks);
/** unpack, fft_z, divide, ifft_z, pack: a sheet's blocks in place; the factor
 *  factor/(nx ny nz) is in it. */
void psg_task_kspace(psg_run *run, size_t p, const starpu_data_handle_t *blocks, size_t stride);
/** unpack and ifft_xy: blocks, one per bundle -> u[s].
 *  @param[in] components  [count]: the same part of each component of the gradient that is wanted along x and y, in this
 *                         order; count is 0 where the task makes u alone */
void psg_task_inverse_xy(psg_run *run, size_t s, const starpu_data_handle_t *blocks,
                         starpu_data_handle_t u, const starpu_data_handle_t *components,
                         size_t count);

/** All of a solve of the right-hand sides first .. first+count-1, by one worker: f -> u, real [count][nz][ny][nx].
 *  psg_terms.many is set. @param[in] worker  a GPU's; -1: any core, and count is 1 */
void psg_task_whole(psg_run *run, size_t first, size_t count, int worker, starpu_data_handle_t f,
                    starpu_data_handle_t u);
extern const psg_kind psg_whole_kind;

/** The first plane of u[s], real [ny][nx], into a block of one plane for another process. */
void psg_task_edge(psg_run *run, size_t s, starpu_data_handle_t u, starpu_data_handle_t edge);
/** The components of the gradient that the solve wants of u[s], each like u[s].
 *  @param[in] above       what begins with the plane above u[s], if that is another segment's and the component along z is
 *                         wanted; else NULL
 *  @param[in] components  those that are wanted, from x to z */
void psg_task_gradient(psg_run *run, size_t s, starpu_data_handle_t u, starpu_data_handle_t above,
                       const starpu_data_handle_t *components);

/** A derivative by the modes of u. Along z, over sqrt(-1): a sheet's blocks of u, in place. Then a component along any axis:
 *  blocks, one per bundle -> result[s], like u[s]. The blocks are u's, or along z gradient_z's. */
void psg_task_gradient_z(psg_run *run, size_t p, const starpu_data_handle_t *blocks, size_t stride);
void psg_task_gradient_xy(psg_run *run, size_t s, size_t component,
                          const starpu_data_handle_t *blocks, starpu_data_handle_t result);

/** What goes between a slab of f or u and an array in main memory. */
typedef struct psg_slab_copy {
    void *array; /**< real [z][ny][nx]; only read if put */
    size_t bytes;
    bool put;    /**< to the slab, else from it */
    bool failed; /**< set by the task */
} psg_slab_copy;

/** Copy a slab, by a worker that has it or will. Of no run: the program's own.
 *  @param[in,out] copy  the caller's until the task has ended
 *  @return the task, to be waited for by starpu_task_wait(); NULL: it was not submitted */
struct starpu_task *psg_task_copy(starpu_data_handle_t slab, int worker, psg_slab_copy *copy);

/** Copies of codelets, by precision, that work on blocks where these are, on this GPU or on a peer:
 *  StarPU orders the accesses and copies nothing. For psg_context.direct. */
typedef struct psg_direct_codelets {
    struct starpu_codelet forward_xy[PSG_TASK_PRECISIONS];
    struct starpu_codelet inverse_xy[PSG_TASK_PRECISIONS];
    struct starpu_codelet gradient_xy[PSG_TASK_PRECISIONS];
} psg_direct_codelets;

/** Make each of them.
 *  @param[in] nodes  [3 + bundles]: STARPU_SPECIFIC_NODE_LOCAL for f or u, then the memory node of
 *                    each bundle's blocks, then STARPU_SPECIFIC_NODE_LOCAL for components of the gradient; the caller's as
 *                    long as the codelets */
void psg_task_forward_xy_direct(struct starpu_codelet direct[PSG_TASK_PRECISIONS], int *nodes);
void psg_task_inverse_xy_direct(struct starpu_codelet direct[PSG_TASK_PRECISIONS], int *nodes);
void psg_task_gradient_xy_direct(struct starpu_codelet direct[PSG_TASK_PRECISIONS], int *nodes);

/** A segment's block of a bundle of several sheets, as it came, into the blocks of each, which are views of
 *  it; and back, ready to go.
 *  @param[in] foreign  another process' segment */
void psg_task_regroup(psg_run *run, psg_way way, bool foreign, starpu_data_handle_t bundle,
                      const starpu_data_handle_t *blocks, size_t count);

/** Copies of the exchange's codelets, by precision, whose data stay in main memory. */
typedef struct psg_exchange_codelets {
    struct starpu_codelet nowhere[PSG_TASK_PRECISIONS]; /**< that no worker runs */
} psg_exchange_codelets;

/** What psg_context.exchange needs.
 *  @param[in] nodes  main memory, for as many data as a task has; the caller's as long as the codelets */
void psg_task_exchange_codelets(psg_exchange_codelets *codelets, int *nodes);

#endif
