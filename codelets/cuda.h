/** @file cuda.h  What a CUDA worker keeps for a plan: cuFFT plans, tables, work areas; and what
 * tasks do with it. */
#ifndef PSG_CODELETS_CUDA_H
#define PSG_CODELETS_CUDA_H

#include "codelets/context.h"
#include "codelets/gpu.h"
#include "kernels/differentiate.h"
#include "kernels/fft.h"
#include "kernels/kspace.h"
#include "kernels/xy.h"
#include "runtime/gpu_cuda.h"
#include "runtime/task.h"

/** A process' segments for GPUs have two sizes at most: the first one's, and the last one's. So
 * have its sheets. */
enum { PSG_CUDA_SIZES = 2 };

/** Memory on the GPU that grows with what is asked for. */
typedef struct psg_cuda_room {
    void *memory_d;
    size_t bytes;
} psg_cuda_room;

/** What tasks `whole` need, made by the first ones. */
typedef struct psg_cuda_whole_room {
    psg_cuda_room spectra;
    psg_cuda_room work;  /**< of the transforms of planes */
    psg_cuda_room dense; /**< of f or u, if cuFFT cannot take them where they are */
    /** [direction]: of the latest numbers of planes; NULL with strips */
    psg_cuda_fft *xy[2][PSG_CUDA_SIZES];
    size_t planes[PSG_CUDA_SIZES]; /**< of each; 0: there is none */
    size_t latest;                 /**< the one that was used last */
} psg_cuda_whole_room;

/** What the tasks of a plan need on a GPU: psg_gpu.state. */
typedef struct psg_cuda_plans {
    struct psg_cuda_plans *plain;        /**< for solves of modes: psg_cuda_make_plain(); or NULL */
    bool is_plain;                       /**< all transforms are cuFFT's */
    psg_cuda_fft *xy[2][PSG_CUDA_SIZES]; /**< [direction][size of segment]; NULL with strips */
    psg_cuda_xy *strips;                 /**< both, if form.strip > 0 */
    psg_cuda_fft *z[PSG_CUDA_SIZES]; /**< [size of sheet]; NULL with the fused graph and kspace */
    psg_cuda_kspace *kspace;         /**< NULL: no kernel for this length, or the staged graph */
    cudaStream_t stream;             /**< the worker's */
    /** that makes derivatives along z: beside u, where z has a line; the same as kspace without a
     *  table; else kspace */
    psg_cuda_kspace *gradient_z;
    void *eigen_d[3];  /**< tables of the symbol */
    void *line_d;      /**< psg_cuda_line.tables_d */
    psg_waves waves_d; /**< those of the gradient; x in the order of kernels with strips */
    void *work_d;      /**< work area of all of them */
    void *spectrum_d;  /**< room for the spectrum of a segment, if form.packed and
                                          without strips */
    void *dense_d;     /**< room for a dense copy of f or u of a segment, made by the
                                          first task that needs it */
    void *sheet_d;     /**< room for a sheet, see psg_cuda_solve_sheet() */
    void *copy_d;      /**< room for a segment's spectrum, for a gradient by cuFFT without
                                          spectrum_d; made by the first task that needs it */
    psg_cuda_whole_room whole;
    /* For the arguments of kernels: */
    psg_cuda_segment *segments[5]; /**< [layout.segments.count] of a band */
    void **blocks;                 /**< [2 * layout.bundles.count] */
    size_t *rows;                  /**< [2 * layout.bundles.count + 1] */
    psg_cuda_xy_part *parts;       /**< [2 * layout.bundles.count] */
} psg_cuda_plans;

/** Does a run want plans of cuFFT alone? psg's kernels have modes in another order than a caller
 *  has, or in none, and those of padded planes make no derivatives. */
static inline bool psg_cuda_wants_plain(const psg_run *run, const psg_cuda_plans *w) {
    const psg_context *c = psg_context_of(run);
    const bool padded = c->kind[0] >= PSG_TRANSFORM_FREE || c->kind[1] >= PSG_TRANSFORM_FREE;
    return psg_terms_of(run)->norm > 0 ? w->strips != NULL || w->kspace != NULL
                                       : w->strips != NULL && padded && psg_gradient_by_modes(run);
}

/** The calling worker's, for a run. */
static inline psg_cuda_plans *psg_cuda_plans_self(const psg_run *run) {
    psg_cuda_plans *w = psg_gpu_self(run->engine)->state;
    return w->plain != NULL && psg_cuda_wants_plain(run, w) ? w->plain : w;
}

/** Before the first transform of a task. The first solve that wants plans of cuFFT alone makes
 *  them, and they stay.
 *  @return 0; else it is latched in the run, too */
int psg_cuda_make_plain(psg_run *run);

/** Which of the sizes part m has. @param[in] d  the axis that is cut */
size_t psg_cuda_size_of(const psg_parts *parts, int d, size_t m);
static inline size_t psg_cuda_most_planes(const psg_context *c) {
    return psg_parts_largest(&c->layout.segments, c->layout.segments.gpus, 2);
}

/** Planes of a sheet of its own: beside a wall a free z has as many zeros behind its planes. And
 *  bytes of the largest one. */
static inline size_t psg_cuda_sheet_planes(const psg_context *c) {
    return psg_transform_length(c->layout.n[2], c->kind[2], 2);
}
static inline size_t psg_cuda_sheet_bytes(const psg_context *c) {
    return psg_parts_largest(&c->layout.sheets, c->layout.sheets.gpus, 1) * c->layout.nxc *
           psg_cuda_sheet_planes(c) * 2 * c->cpu->real_bytes;
}

/** Room of the calling worker's, made once. @param[in] what  it is @return 0; else it is latched in
 * the run, too */
int psg_cuda_make_room(psg_run *run, void **room_d, size_t bytes, const char *what);

/** For kernels/, valid until this worker's next task: the blocks of a task's sheet as a band, and
 *  the rows that it moves itself as another one. @return how many bands */
size_t psg_cuda_bands_of(const psg_task_args *args, void *buffers[], psg_cuda_band bands[2]);
/** For kernels/: the division of a task, of all rows of the spectrum; and that of its sheet. */
psg_cuda_symbol psg_cuda_whole_symbol_of(const psg_task_args *args);
psg_cuda_symbol psg_cuda_symbol_of(const psg_task_args *args);
/** For kernels/, valid until this worker's next task: the blocks of a task's segment, and overlap
 *  rows between them, in their order, on the way to the sheets or back. @return how many */
size_t psg_cuda_parts_of(const psg_task_args *args, psg_cuda_direction direction, void *blocks[],
                         const psg_cuda_xy_part **parts);

static inline psg_cuda_precision psg_cuda_precision_of(const psg_context *context) {
    return context->engine.precision == PSG_TASK_F64 ? PSG_CUDA_F64 : PSG_CUDA_F32;
}
static inline psg_cuda_layout psg_cuda_layout_of(const psg_context *context) {
    return context->form.z_contiguous ? PSG_CUDA_Z_CONTIGUOUS : PSG_CUDA_Z_STRIDED;
}

/** Copy a sheet from its blocks, or with `pack` back into them, unless it is there; transform it
 *  along z; divide it. */
int psg_cuda_move_sheet(const psg_task_args *args, bool pack, void *blocks[], void *sheet_d);
int psg_cuda_transform_sheet(const psg_task_args *args, psg_cuda_direction direction,
                             void *sheet_d);
int psg_cuda_divide_sheet(const psg_task_args *args, void *sheet_d);
/** By these, a task `kspace` or `gradient_z`; or `modes_in` or `modes_out`, whose data are the
 *  caller's modes of f, those of u, and the blocks, as far as they are there. */
int psg_cuda_solve_sheet(void *buffers[], const psg_task_args *args);

/** What cuFFT's plans do along an axis. Where x has two modes in a complex number, a periodic axis
 * is real-to-real too. */
static inline psg_cuda_r2r psg_cuda_kind_of(const psg_context *c, int d) {
    static const psg_cuda_r2r kinds[PSG_TRANSFORM_COUNT] = {
        [PSG_TRANSFORM_PERIODIC] = PSG_CUDA_DFT,
        [PSG_TRANSFORM_COS1] = PSG_CUDA_REDFT00,
        [PSG_TRANSFORM_COS2] = PSG_CUDA_REDFT10,
        [PSG_TRANSFORM_COS3] = PSG_CUDA_REDFT01,
        [PSG_TRANSFORM_COS4] = PSG_CUDA_REDFT11,
        [PSG_TRANSFORM_SIN1] = PSG_CUDA_RODFT00,
        [PSG_TRANSFORM_SIN2] = PSG_CUDA_RODFT10,
        [PSG_TRANSFORM_SIN3] = PSG_CUDA_RODFT01,
        [PSG_TRANSFORM_SIN4] = PSG_CUDA_RODFT11,
        [PSG_TRANSFORM_NONE] = PSG_CUDA_LINE,
        [PSG_TRANSFORM_FREE] = PSG_CUDA_FREE,
        [PSG_TRANSFORM_FREE_COS2] = PSG_CUDA_FREE_COS,
        [PSG_TRANSFORM_FREE_SIN2] = PSG_CUDA_FREE_SIN,
        [PSG_TRANSFORM_FREE_COS2_END] = PSG_CUDA_FREE_COS_END,
        [PSG_TRANSFORM_FREE_SIN2_END] = PSG_CUDA_FREE_SIN_END};
    const psg_cuda_r2r kind = kinds[c->kind[d]];
    return !c->divide.apart        ? kind
           : kind == PSG_CUDA_DFT  ? PSG_CUDA_R2HC
           : kind == PSG_CUDA_FREE ? PSG_CUDA_FREE_PAIRS
           : kind == PSG_CUDA_LINE ? PSG_CUDA_LINE_PAIRS
                                   : kind;
}

/** What its fused kernel does along z. @param[in] tabled  psg_context.tabled; gradient_z: false */
static inline psg_cuda_r2r psg_cuda_kspace_kind_of(const psg_context *c, bool tabled) {
    const psg_cuda_r2r kind = psg_cuda_kind_of(c, 2);
    return !tabled                       ? kind
           : kind == PSG_CUDA_DFT        ? PSG_CUDA_TABLE_DFT
           : kind == PSG_CUDA_FREE       ? PSG_CUDA_TABLE_FREE
           : kind == PSG_CUDA_FREE_PAIRS ? PSG_CUDA_TABLE_PAIRS
                                         : PSG_CUDA_TABLE_SIDES;
}

/** Where z is stretched, what planes have from a plane on: 1 / the distance to the next one, in the
 *  tasks' unit of length, or with `cells` the length of a cell; else NULL. */
static inline const double *psg_cuda_by_plane(const psg_run *run, bool cells, size_t plane) {
    const psg_context *c = psg_context_of(run);
    const double *tables_d = psg_cuda_plans_self(run)->line_d; /* psg_cuda_line.tables_d */
    return psg_stretched(c) ? tables_d + plane + (cells ? c->layout.n[2] + 1 : 1) : NULL;
}

/** f or u, behind buffer m of a task. */
static inline psg_cuda_field psg_cuda_field_of(void *buffers[], size_t m) {
    return (psg_cuda_field){.base_d = psg_task_pointer(buffers, m),
                            .row_pitch = psg_task_row_pitch(buffers, m),
                            .plane_pitch = psg_task_pitch(buffers, m)};
}

#endif
