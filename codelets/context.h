/** @file context.h  The constants of a plan that its tasks need. All of it is set before the first
 * task is submitted. */
#ifndef PSG_CODELETS_CONTEXT_H
#define PSG_CODELETS_CONTEXT_H

#include "base/pcg.h"
#include "codelets/kinds.h"
#include "codelets/layout.h"
#include "cpu/ops.h"
#include "runtime/args.h"

#include <math.h>
#include <starpu.h>
#include <stdatomic.h>

/** In which form the tasks find their data. */
typedef struct psg_form {
    /** blocks are dense, copied out of and into the spectrum of their segment; else they are views
     *  */
    bool packed;
    size_t strip; /**< rows of blocks are in strips of x so wide (psg_gpu_kernels.strip); 0: not */
    bool z_contiguous; /**< sheets are [ky][kx][z], else [z][ky][kx] */
} psg_form;

/** What tasks find out about f, for whoever waits for the solve: psg_run.result. GPUs write it
 *  too. Behind `mode0` are the flags psg_findings_nonfinite(), an int for each right-hand side. */
typedef struct psg_findings {
    atomic_int overflow; /**< 1 if a number of u, or of its gradient, is not finite */
    /** A complex number of the precision for each right-hand side, one after the other: the mode
     *  (0,0,0), which is the sum of f. The task of the first sheet writes it. GPUs have complex
     *  numbers at multiples of 16 bytes. */
    _Alignas(16) double mode0[];
} psg_findings;

static inline size_t psg_findings_bytes(size_t right_hand_sides) {
    return sizeof(psg_findings) + right_hand_sides * (2 * sizeof(double) + sizeof(atomic_int));
}

/** Where the overlap rows stand in the workspace of a solve, at addresses for one GPU. */
typedef struct psg_overlap_place {
    /** By sheet, on its GPU: the rows that came, complex [nz][rows][nxc]; NULL if they are
     * pulled. */
    void **before;
    /** By segment, on its GPU: the rows of all sheets when they are back, or that are pulled,
     *  complex [sheet][planes][rows][nxc]. */
    void **after;
    void **beside; /**< like `after`, of the derivative along z; NULL: no solve has wanted it */
} psg_overlap_place;

/** What the values on the sides add to f at the points next to them: reals of the precision, in
 *  main memory, page-locked where GPUs take tasks. */
typedef struct psg_sides {
    /** By axis and side: x [planes][ny], y [planes][nx], of this process' planes; z [ny][nx]. NULL:
     * nothing. */
    const void *table[3][2];
    size_t step; /**< bytes from a table of a right-hand side to that of the next one */
    size_t z0;   /**< the first of the process' planes */
    /** The tasks of a solve with epsilon add the values, and those of its transforms do not. The
     *  same on all processes. */
    bool apart;
} psg_sides;

static inline bool psg_sides_any(const psg_sides *s) {
    bool any = false;
    for (int m = 0; m < 6 && !s->apart; m++) {
        any = any || s->table[m / 2][m % 2] != NULL;
    }
    return any;
}

/** Of what a solve makes the gradient. */
typedef enum psg_gradient_way {
    PSG_GRADIENT_DIFFERENCES = 0, /**< of u at neighbouring points */
    PSG_GRADIENT_AGAIN,  /**< of the modes of u; for that along z the blocks change once more, after
                              those of f have been made again where z is free */
    PSG_GRADIENT_BESIDE, /**< of the modes of u; `kspace` makes that along z beside u, for which the
                              workspace has other blocks */
    PSG_GRADIENT_CENTRED, /**< of u, and where an axis is free also of modes: on GPUs these make the
                               differences of both neighbours of a point, (next - before)/(2h).
                               That one and (u - before)/h tell the difference beyond the end */
} psg_gradient_way;

/** The gradient that a solve makes of u. */
typedef struct psg_gradient_terms {
    psg_difference along[3];
    size_t wanted;   /**< bit d: the component along axis d; 0: none */
    size_t by_modes; /**< bit d: modes of u make it, or what it begins with */
    size_t way;      /**< psg_gradient_way */
} psg_gradient_terms;

static inline bool psg_gradient_wants(const psg_gradient_terms *g, int component) {
    return (g->wanted >> component & 1) != 0;
}

/** Those along x and y that modes make, which need no more than u's blocks. @param[out] component
 * which @return how many */
static inline size_t psg_gradient_wants_xy(const psg_gradient_terms *g, int component[2]) {
    size_t count = 0;
    for (int d = 0; d < 2; d++) {
        if ((g->by_modes >> d & 1) != 0) {
            component[count++] = d;
        }
    }
    return count;
}

/** The flow that a solve takes the divergence of, and out of. */
typedef struct psg_flow_terms {
    double by[3];   /**< 1/h */
    double scale;   /**< scale grad u is taken out of the flow */
    size_t wraps;   /**< bit d: axis d is periodic */
    size_t given;   /**< 1: the solve has a flow in place of f */
    size_t changes; /**< 1: the gradient is taken out of the flow, else written */
} psg_flow_terms;

/** Tables of a plan whose gradient may be that of the modes of u, in the tasks' unit of length. All
 *  NULL: the plan's gradient is of differences. */
typedef struct psg_waves {
    /** Complex numbers of the precision, by which the modes along x [nxc], y [ny] and z [nz] are
     *  multiplied: psg_symbol_multiplier(), or psg_symbol_slope() for each mode of x or y between
     *  walls. That of z is NULL where there is a line, which makes differences itself. */
    void *along[3];
    /** Reals of the precision, for a division that multiplies by k along z: 0, 0 and 1/k, or 0 for
     *  0. NULL where there is a line */
    void *eigen[3];
    /** Of a free z, and of fd2 where an axis is free: complex numbers, those of along[2] over
     *  sqrt(-1). The modes of a free u are those of f alone, so `gradient_z` begins with them. */
    void *from_f;
    /** Components are between points: what multiplies modes is no wavenumber. Its imaginary part,
     *  sin(k h)/h, is that of the differences of both neighbours, which GPUs make. */
    bool between;
    psg_cpu_line line;
    psg_cpu_slope slope[2]; /**< of the components along x and y, on cores */
} psg_waves;

/** What a solve has of its own: psg_run.user. Kernels get these numbers by value, so a CUDA
 *  graph of a chain is for these terms alone (psg_engine.user_bytes). */
typedef struct psg_terms {
    const psg_overlap_place *overlap; /**< by StarPU worker */
    int unit;                         /**< the tasks' unit of length is 2^unit of the caller's */
    psg_cpu_free free_z; /**< of a z with a free end, in that unit, as lambda and scale are */
    double lambda;
    /** of the division, and of `normalize`: their product is the factor over the product of the
     *  norms, of a periodic grid factor/(nx ny nz), and one of them is 1 */
    double scale;
    double scale_after;
    psg_sides sides;
    const psg_cpu_table *table; /**< of the division; NULL: psg_context.tabled is false */
    psg_gradient_terms gradient;
    double norm; /**< the caller's modes of u are those of u times this; 0: there are none */
    psg_flow_terms flow;
    size_t right_hand_sides; /**< that the run solves; 1 but in psg_solve_many() */
    /** of a solve with variable coefficients; `lambda` above is that of its preconditioner */
    base_pcg_terms pcg;
} psg_terms;

/** Codelets of segments, by precision, that find blocks where StarPU brings them; or where they
 *  are, on this GPU or on a peer: StarPU then orders the accesses and copies nothing. */
typedef struct psg_segment_codelets {
    struct starpu_codelet forward_xy[PSG_TASK_PRECISIONS];
    struct starpu_codelet divergence_xy[PSG_TASK_PRECISIONS]; /**< forward_xy of a flow */
    struct starpu_codelet inverse_xy[PSG_TASK_PRECISIONS];
    struct starpu_codelet gradient_xy[PSG_TASK_PRECISIONS];
} psg_segment_codelets;

typedef struct psg_context {
    psg_engine engine;
    psg_layout layout;
    psg_form form;
    psg_graph_kinds graph;
    size_t block_messages;  /**< of a block for another process: 1; 0 if all go with one call */
    size_t reached_bundles; /**< whose blocks segments' tasks reach in other GPUs: all or none */
    bool in_place; /**< blocks are their segment's spectrum, which transforms back destroy */
    const psg_cpu_ops *cpu;
    const psg_cpu_sheet_ops *sheet; /**< for sheets as form.z_contiguous says */
    psg_cpu_fft *fft;
    psg_cpu_divide divide; /**< of a solve, without what psg_divide_of() adds */
    bool tabled; /**< solves have a table: x or y is free, or the kernel is the caller's */
    const psg_waves *waves;     /**< of the gradient */
    psg_transform_kind kind[3]; /**< of the forward transform along each axis */
    void *const
        *scratch; /**< by StarPU worker number: fft_scratch_bytes() each, and of a symbol with faces
                       two planes */
    size_t sides_scratch; /**< bytes from there to these planes */
    void *
        *spectra; /**< by StarPU worker number: the spectrum of a right-hand side that a core solves
                                       alone, made by its first task `whole` */
    psg_cpu_piece *const *pieces; /**< by StarPU worker number: room for `segments` pointers */
    psg_segment_codelets *codelets;
    struct psg_exchange_codelets *exchange; /**< NULL: one process */
} psg_context;

/** Has z faces: is its equation solved without a transform? */
static inline bool psg_stretched(const psg_context *c) {
    return c->kind[2] == PSG_TRANSFORM_NONE;
}

/** Bytes of a dense plane of reals, and of the gap to the next one in scratch. */
static inline size_t psg_scratch_plane_bytes(const psg_context *c) {
    return (c->layout.n[0] * c->layout.n[1] * c->cpu->real_bytes + 63) / 64 * 64;
}

/** Bytes of the spectrum of a plane, and of the gap to the next one in scratch. */
static inline size_t psg_scratch_spectrum_bytes(const psg_context *c) {
    return (c->layout.nxc * c->layout.nyc * 2 * c->cpu->real_bytes + 63) / 64 * 64;
}

static inline const psg_context *psg_context_of(const psg_run *run) {
    return run->engine->owner;
}

static inline const psg_terms *psg_terms_of(const psg_run *run) {
    return run->user;
}

static inline psg_findings *psg_findings_of(const psg_run *run) {
    return run->result;
}

/** psg_findings.mode0 of right-hand side m. */
static inline void *psg_findings_mode0(const psg_run *run, size_t m) {
    return (char *)psg_findings_of(run)->mode0 + m * 2 * psg_context_of(run)->cpu->real_bytes;
}

/** 1 if a mode of right-hand side m is not finite: f is not, or it is too large. */
static inline atomic_int *psg_findings_nonfinite(const psg_run *run, size_t m) {
    double *modes_end = psg_findings_of(run)->mode0 + 2 * psg_terms_of(run)->right_hand_sides;
    return (atomic_int *)modes_end + m;
}

/** Does a solve make a component of the modes of u, else all as differences of u? */
static inline bool psg_gradient_by_modes(const psg_run *run) {
    return psg_terms_of(run)->gradient.by_modes != 0;
}

/** By what the modes of u, times their wavenumbers in the tables, are multiplied to be those of a
 * derivative. */
static inline double psg_derivative_scale(const psg_run *run) {
    const psg_terms *t = psg_terms_of(run);
    return ldexp(t->scale_after, -t->unit);
}

/** Components that a task makes besides u: all that are wanted along x and y, or none. They are its
 * last data.
 *  @param[out] component  which @return how many */
static inline size_t psg_components_with_u(const psg_task_args *args, int component[2]) {
    return psg_label_components(&args->label) > 0
               ? psg_gradient_wants_xy(&psg_terms_of(args->run)->gradient, component)
               : 0;
}

/** Is the task about blocks of the derivative along z that `kspace` has made beside u? */
static inline bool psg_reads_beside(const psg_task_args *args) {
    return args->label.kind == PSG_TASK_GRADIENT_XY && args->label.index[PSG_AXIS_COMPONENT] == 2 &&
           psg_terms_of(args->run)->gradient.way == PSG_GRADIENT_BESIDE;
}

/** Does a run read its blocks again after the transform back that makes u, and are they the
 *  spectrum of a segment, which that transform would destroy? */
static inline bool psg_gradient_reads_spectrum(const psg_run *run) {
    const psg_context *c = psg_context_of(run);
    return psg_gradient_by_modes(run) && c->in_place;
}

/** Does the task make the derivative along z, over sqrt(-1), of the modes of f? */
static inline bool psg_derives_from_f(const psg_task_args *args) {
    return args->label.kind == PSG_TASK_GRADIENT_Z &&
           psg_context_of(args->run)->waves->from_f != NULL;
}

/** The division of a task: with the factor of the run, or with 1 where `normalize` has that factor.
 *  That of `gradient_z` is a derivative over sqrt(-1). Of the modes of u it makes up for the
 *  transforms there and back. */
static inline psg_cpu_divide psg_divide_of(const psg_task_args *args) {
    const psg_context *c = psg_context_of(args->run);
    const psg_terms *t = psg_terms_of(args->run);
    const bool from_f = psg_derives_from_f(args);
    if (args->label.kind == PSG_TASK_GRADIENT_Z && !from_f) {
        void *const *eigen = c->waves->eigen;
        return (psg_cpu_divide){.eigen = {eigen[0], eigen[1], eigen[2]},
                                .scale = 1 / (double)c->layout.n[2]};
    }
    psg_cpu_divide divide = c->divide;
    divide.lambda = t->lambda;
    divide.scale = t->scale;
    divide.table = t->table;
    divide.free = c->kind[2] == PSG_TRANSFORM_FREE ? &t->free_z : NULL;
    const bool line =
        psg_stretched(c) || (t->gradient.way == PSG_GRADIENT_BESIDE && c->waves->line.n > 0);
    divide.line = line ? &c->waves->line : NULL;
    divide.derivative = from_f ? c->waves->from_f : c->waves->along[2];
    return divide;
}

/** 1 over the length of plane z's cells, or over the distance to the next points. @param[in] same
 *  that of all planes, where z is not stretched */
static inline double psg_by_plane(const psg_run *run, bool cells, size_t z, double same) {
    const psg_cpu_line *l = &psg_context_of(run)->waves->line;
    return !psg_stretched(psg_context_of(run))
               ? same
               : ldexp(cells ? 1 / l->width[z] : l->step[z], -psg_terms_of(run)->unit);
}

/** Fields that forward_xy reads: f, or a flow. */
static inline size_t psg_fields_read(const psg_run *run) {
    return psg_terms_of(run)->flow.given != 0 ? 3 : 1;
}

/** Room for a dense plane of reals in this worker's scratch, one of two; those of a plan whose
 *  symbol has faces. @param[in] m  0: psg_sides_plane() has it, too */
static inline void *psg_task_plane(const psg_task_args *args, size_t m) {
    const psg_context *c = psg_context_of(args->run);
    return (char *)c->scratch[psg_task_worker(args)] + c->sides_scratch +
           m * psg_scratch_plane_bytes(c);
}

/** This worker's scratch. */
static inline void *psg_task_scratch(const psg_task_args *args) {
    return psg_context_of(args->run)->scratch[psg_task_worker(args)];
}

/** The segment, or the sheet, that a task is about. */
static inline size_t psg_segment_of(const psg_task_args *args) {
    return args->label.index[PSG_AXIS_SEGMENT];
}
static inline size_t psg_sheet_of(const psg_task_args *args) {
    return args->label.index[PSG_AXIS_SHEET];
}

/** The segment whose first plane is next to the last plane of segment s; SIZE_MAX: there is a
 * side. */
static inline size_t psg_segment_above(const psg_context *c, const psg_terms *t, size_t s) {
    return s + 1 < c->layout.segments.count ? s + 1 : t->gradient.along[2].wraps ? 0 : SIZE_MAX;
}

/** The segment whose last plane is next to the first plane of segment s; SIZE_MAX: there is a
 * side. */
static inline size_t psg_segment_below(const psg_context *c, const psg_terms *t, size_t s) {
    return s > 0 ? s - 1 : t->gradient.along[2].wraps ? c->layout.segments.count - 1 : SIZE_MAX;
}

/** Of the shape of each task: the grid, its sides, and what a row becomes. */
void psg_context_extents(const psg_context *context, psg_task_shape *shape);

/** All tasks of a solve, of one process, without a gradient; and the most that it has with one. */
size_t psg_task_total(const psg_context *context);
static inline size_t psg_task_most(const psg_context *context) {
    return psg_task_total(context) + 6 * context->layout.segments.count +
           context->layout.sheets.count;
}

/** Messages to other processes that can go when the task with this label has written its blocks. */
size_t psg_messages_after(const psg_context *context, const psg_label *label);

/** Bytes of the real field and of the spectrum that a task or a message with this label is
 * about. */
void psg_label_part(const psg_context *context, const psg_label *label, double *field,
                    double *spectrum);

#endif
