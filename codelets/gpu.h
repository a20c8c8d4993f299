/** @file gpu.h  What a plan keeps on GPUs, as the layers above see it: nothing of CUDA in here. */
#ifndef PSG_CODELETS_GPU_H
#define PSG_CODELETS_GPU_H

#include "codelets/context.h"
#include "cpu/symbol.h"
#include "runtime/gpu.h"

/** What the GPUs' kernels are able to do for a plan. */
typedef struct psg_gpu_kernels {
    /** How wide the strips of x are in which the GPUs' own 2-D transforms keep the rows of blocks,
     *  for a fused graph whose blocks only GPUs see. 0: rows as they are, and cuFFT; there is no
     *  such transform for this size, for these sides or on one of the GPUs. */
    size_t (*strip)(const psg_context *context);
    /** Can the GPUs' tasks move rows between GPUs, see psg_overlap? */
    bool (*overlaps)(const psg_context *context);
    /** Has each GPU a kernel of its own for the sides along z and for nz? Right-hand sides that are
     *  solved whole, see psg_task_whole(), and a free z need it. */
    bool (*has_kspace)(const psg_context *context);
    /** For psg_gpu_start(): cuFFT plans, tables and work areas of a plan, whose context is the
     * engine's owner.
     *  @param[in] peers  tasks write and read other GPUs' memory */
    psg_gpu_user (*plans)(bool peers);
    /** Copy the tables of a plan's context, of which no solve is in flight, to those that a
     *  worker's GPU has of them: work that is put on its stream later finds them.
     *  @return a code for psg_gpu_user.words(); 0: all is well */
    int (*renew)(const psg_context *context, int worker);
    /** As psg_cpu_ops.green_rows(), on the calling thread's device, and done when it returns.
     *  @param[in]  green  its factors are on that device
     *  @param[out] table  there too
     *  @return as renew() */
    int (*green_rows)(const psg_context *context, const psg_cpu_green *green, size_t row0,
                      size_t rows, void *table);
    /** For tasks that keep nothing on a GPU. */
    psg_gpu_user (*stateless)(void);
} psg_gpu_kernels;

/** NULL: built without CUDA. In a simulation there are GPUs all the same, and no kernel runs. */
extern const psg_gpu_kernels *const psg_kernels;

/** Of cuda.c; only with CUDA. */
extern const psg_gpu_kernels psg_cuda_kernels;

/** Can `kspace` of GPUs make the derivative along z beside u? Where modes along x and y are
 *  multiplied, and z has equations of neighbours. One plane may be thinner than its reciprocal is a
 *  number. All processes have one answer, also those built without CUDA. */
static inline bool psg_gpu_makes_beside(const psg_context *c) {
    return c->waves->line.n > 0 && c->waves->along[0] != NULL && c->layout.n[2] > 1 &&
           c->layout.n[2] <= PSG_LINE_GPU_MOST;
}

/** psg_kernels->stateless(), or nothing. */
psg_gpu_user psg_gpu_stateless(void);

#endif
