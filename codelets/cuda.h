/** @file cuda.h  What a CUDA worker keeps for a plan: cuFFT plans, tables, work areas. */
#ifndef PSG_CODELETS_CUDA_H
#define PSG_CODELETS_CUDA_H

#include "runtime/run.h"
#include "kernels/fft.h"
#include "kernels/kspace.h"
#include "kernels/xy.h"

/** The segments and pencils that a process' GPUs may have come in two sizes at most: that of the
 *  first, and that of the last. */
enum { PSG_CUDA_SIZES = 2 };

typedef struct psg_cuda_worker {
    psg_cuda_fft *xy[2][PSG_CUDA_SIZES]; /**< [direction][size of segment]; NULL with strips */
    psg_cuda_xy *strips;                 /**< both, if context.strip > 0 */
    psg_cuda_fft *z[PSG_CUDA_SIZES]; /**< [size of pencil]; NULL with the fused graph and kspace */
    psg_cuda_kspace *kspace;         /**< NULL: no kernel for this length, or the staged graph */
    void *eigen_d[3];                /**< tables of the symbol */
    void *work_d;                    /**< work area of all of them */
    void *slab_d;                    /**< room for the spectrum of a segment, if context.packed and
                                          without strips */
    void *pencil_d;                  /**< room for a pencil, for lengths without a kspace kernel */
    psg_cuda_segment
        *segments[3];          /**< [context.segments] of a band, for arguments, as are these: */
    void **blocks;             /**< [2 * context.bundles] */
    size_t *rows;              /**< [2 * context.bundles + 1] */
    psg_cuda_xy_part *parts;   /**< [2 * context.bundles] */
    struct CUevent_st **marks; /**< [context.lanes][context.chained]; NULL: no chained tasks */
    struct psg_cuda_replay **replays; /**< [context.lanes], likewise */
    bool records;                     /**< what is launched now is kept for later, if all of it */
    bool recorded;                    /**< succeeds */
} psg_cuda_worker;

/** Make what this plan needs on the calling CUDA worker.
 *  @return 0; a code as those of kernels/: *worker is NULL */
int psg_cuda_worker_create(psg_cuda_worker **worker, const psg_context *context);
/** On the worker that made it. NULL is fine. */
void psg_cuda_worker_destroy(psg_cuda_worker *worker, const psg_context *context);

/** The calling worker's. */
psg_cuda_worker *psg_cuda_worker_self(const psg_context *context);

/** The steps of a chain, which from the third solve on with the same data are launched as one graph of
 *  CUDA's. */
typedef struct psg_cuda_replay psg_cuda_replay;
typedef void (*psg_cuda_steps)(psg_run *run, void *buffers[]);
/** @param[in] data  handles of a chain at most @return NULL: no memory */
psg_cuda_replay *psg_cuda_replay_create(size_t data);
/** On the worker whose graph it has. NULL is fine. */
void psg_cuda_replay_destroy(psg_cuda_replay *replay);
/** Launch them on the worker's stream, one way or the other. What fails is the run's fault.
 *  @param[in] buffers  [count]: StarPU's, of the chain's task @param[in] steps  launches them one by one */
void psg_cuda_replay_run(psg_cuda_worker *worker, size_t slot, psg_run *run, void *buffers[],
                         size_t count, psg_cuda_steps steps);

/** Bracket a worker's use of a device, which is the current one: between, its copies are timed. */
void psg_cuda_copies_open(int device);
void psg_cuda_copies_close(int device);

/** Copy between main memory and the calling worker's GPU, in its stream, timed as a copy of a task.
 *  @return 0; a code of CUDA */
int psg_cuda_copy(void *to, const void *from, size_t bytes, bool to_gpu);

/** A task's arguments for kernels/, valid until this worker's next task. Of pencil p: its blocks as
 *  a band, and the rows that it returns as another, if there are some; the division. Of segment s,
 *  on the way to the pencils or back: its blocks and those rows, in their order. @return how many */
size_t psg_cuda_bands_of(const psg_run *run, size_t p, void *buffers[], psg_cuda_band bands[2]);
psg_cuda_symbol psg_cuda_symbol_of(const psg_run *run, size_t p);
size_t psg_cuda_parts_of(const psg_run *run, psg_cuda_direction direction, size_t s,
                         void *buffers[], const psg_cuda_xy_part **parts);

static inline psg_cuda_precision psg_cuda_precision_of(const psg_context *context) {
    return context->precision == PSG_TASK_F64 ? PSG_CUDA_F64 : PSG_CUDA_F32;
}
static inline psg_cuda_layout psg_cuda_layout_of(const psg_context *context) {
    return context->z_contiguous ? PSG_CUDA_Z_CONTIGUOUS : PSG_CUDA_Z_STRIDED;
}

static inline psg_cuda_columns psg_cuda_columns_of(const psg_context *c, size_t p) {
    return (psg_cuda_columns){.rows = c->y0[p + 1] - c->y0[p], .nxc = c->nxc, .strip = c->strip};
}

/** Transform segment `index` from field_d to its blocks, or back.
 *  @param[in] blocks  their buffers of a task
 *  @return is it on its way? Else the run has failed. */
bool psg_cuda_transform_xy(psg_run *run, psg_cuda_direction direction, size_t index, void *field_d,
                           void *blocks[], const char *what);

/** What an error code of kernels/ says about the device: is it out of memory? */
psg_fault psg_cuda_fault(int code);

/** Latch an error code of kernels/ in the run. @return true if there was none */
bool psg_cuda_check(psg_run *run, int code, const char *what);

/** Index into the arrays by size. */
static inline size_t psg_cuda_segment_size(const psg_context *c, size_t s) {
    const size_t *first = &c->z0[c->gpu_segments.first];
    return c->z0[s + 1] - c->z0[s] == first[1] - first[0] ? 0 : 1;
}
static inline size_t psg_cuda_pencil_size(const psg_context *c, size_t p) {
    const size_t *first = &c->y0[c->gpu_pencils.first];
    return c->y0[p + 1] - c->y0[p] == first[1] - first[0] ? 0 : 1;
}

#endif
