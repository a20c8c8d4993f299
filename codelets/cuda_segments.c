/* Segments on a GPU: f to its spectrum, the spectrum to u, and the spectrum of u to its
 * derivatives. */
#include "codelets/cuda_segments.h"
#include "codelets/cuda.h"

#include "codelets/plane.h"
#include "codelets/sides.h"
#include "kernels/gradient.h"
#include "kernels/pack.h"
#include "kernels/sides.h"
#include "runtime/stream_order_cuda.h"

#include <cuda_runtime_api.h>
#include <starpu.h>
#include <starpu_cuda.h>

/* Dense blocks, and between them what kspace returns, as kernels/pack.h has them. @return how
 * many */
static size_t blocks_of(const psg_task_args *args, psg_cuda_direction direction, void *buffers[]) {
    const psg_run *run = args->run;
    const psg_cuda_plans *w = psg_cuda_plans_self(run);
    const psg_cuda_xy_part *parts = NULL;
    const size_t count = psg_cuda_parts_of(args, direction, buffers, &parts);
    for (size_t m = 0; m < count; m++) {
        w->blocks[m] = parts[m].base_d;
        w->rows[m] = parts[m].y0;
    }
    w->rows[count] = psg_context_of(run)->layout.nyc;
    return count;
}

/* ----------------------------------------------------------------------------------- segments */

/* For a dense copy of a segment. */
static int make_dense(psg_run *run, const char *what) {
    const psg_context *c = psg_context_of(run);
    return psg_cuda_make_room(
        run, &psg_cuda_plans_self(run)->dense_d,
        psg_cuda_most_planes(c) * c->layout.n[1] * c->layout.n[0] * c->cpu->real_bytes, what);
}

static size_t spectrum_plane_bytes(const psg_context *c) {
    return c->layout.nyc * c->layout.nxc * 2 * c->cpu->real_bytes;
}

/* For the spectrum of a segment. */
static int make_copy(psg_run *run) {
    const psg_context *c = psg_context_of(run);
    return psg_cuda_make_room(run, &psg_cuda_plans_self(run)->copy_d,
                              psg_cuda_most_planes(c) * spectrum_plane_bytes(c),
                              "room for a copy of a spectrum, for the gradient");
}

/* f becomes the divergence of a flow: buffers as forward_xy on a core has them. */
static int make_divergence(const psg_task_args *args, void *buffers[], psg_cuda_field *f) {
    const psg_context *c = psg_context_of(args->run);
    const psg_flow_terms *terms = &psg_terms_of(args->run)->flow;
    const psg_box *box = &c->layout.segments.part[psg_segment_of(args)].box;
    const size_t n[3] = {c->layout.n[0], c->layout.n[1], psg_box_length(box, 2)};
    const double *width_d = psg_cuda_by_plane(args->run, true, box->lo[2]);
    const double unit = ldexp(1, -psg_terms_of(args->run)->unit);
    psg_cuda_flow flow = {.by = {terms->by[0], terms->by[1], width_d != NULL ? unit : terms->by[2]},
                          .width_d = width_d,
                          .wraps = {(terms->wraps & 1) != 0, (terms->wraps & 2) != 0}};
    if (psg_fields_read(args->run) == 1) {
        return 0;
    }
    for (size_t d = 0; d < 3; d++) {
        flow.v[d] = psg_cuda_field_of(buffers, d);
    }
    flow.below_d = psg_plane_below(args, buffers, &flow.below_row_pitch);
    const int code = make_dense(args->run, "room for the divergence of a flow");
    void *dense_d = psg_cuda_plans_self(args->run)->dense_d;
    *f = psg_cuda_dense_field(dense_d, n[0], n[1]);
    return code != 0 ? code
                     : (int)psg_cuda_divergence(psg_cuda_precision_of(c), &flow, n, dense_d,
                                                starpu_cuda_get_local_stream());
}

/* f becomes a dense copy with what the values on the sides add, where the solve has any. */
static int add_sides(psg_run *run, size_t s, psg_cuda_field *f) {
    const psg_context *c = psg_context_of(run);
    const psg_sides *sides = &psg_terms_of(run)->sides;
    if (!psg_sides_any(sides)) {
        return 0;
    }
    const size_t n[3] = {c->layout.n[0], c->layout.n[1], psg_layout_planes(&c->layout, s)};
    const psg_cpu_sides at = psg_sides_at(c, sides, 0, c->layout.segments.part[s].box.lo[2], n[2]);
    const psg_cuda_sides there = {
        .x = {at.x[0], at.x[1]}, .y = {at.y[0], at.y[1]}, .z = {at.z[0], at.z[1]}};
    int code = make_dense(run, "room for a copy of f with what the values on the sides add");
    void *dense_d = psg_cuda_plans_self(run)->dense_d;
    if (code == 0) {
        code = (int)psg_cuda_add_sides(psg_cuda_precision_of(c), f, dense_d, n, &there,
                                       starpu_cuda_get_local_stream());
        *f = psg_cuda_dense_field(dense_d, n[0], n[1]);
    }
    return code;
}

/* By cuFFT, between a field and a spectrum [planes][ny][nxc]. */
static int run_fft(psg_run *run, psg_cuda_direction direction, size_t s,
                   const psg_cuda_field *field, void *spectrum_d) {
    const psg_context *c = psg_context_of(run);
    psg_cuda_plans *w = psg_cuda_plans_self(run);
    const psg_cuda_fft *fft = w->xy[direction][psg_cuda_size_of(&c->layout.segments, 2, s)];
    const int code = psg_cuda_fft_dense_bytes(fft, field) > 0
                         ? make_dense(run, "room for a dense copy of f or u, which has strides")
                         : 0;
    return code == 0 ? psg_cuda_fft_run_xy(fft, field, spectrum_d, w->dense_d) : code;
}

/* By cuFFT into or out of the spectrum, or the blocks that are views of it. Else by a spectrum of
 * the worker's own, which is dealt out to blocks that may be on peers. */
static int transform_by_cufft(const psg_task_args *args, psg_cuda_direction direction,
                              const psg_cuda_field *field, void *blocks[]) {
    psg_run *run = args->run;
    const psg_context *c = psg_context_of(run);
    const size_t s = psg_segment_of(args);
    const psg_cuda_plans *w = psg_cuda_plans_self(run);
    const cudaStream_t stream = starpu_cuda_get_local_stream();
    const psg_cuda_precision precision = psg_cuda_precision_of(c);
    const size_t planes = psg_layout_planes(&c->layout, s);
    const size_t modes[2] = {c->layout.nxc, c->layout.nyc};
    const bool deals = w->spectrum_d != NULL;
    const bool keeps = direction == PSG_CUDA_INVERSE && psg_gradient_reads_spectrum(run);
    const size_t count = deals ? blocks_of(args, direction, blocks) : 0;
    int code = keeps ? make_copy(run) : 0;
    void *spectrum_d = deals ? w->spectrum_d : keeps ? w->copy_d : psg_task_pointer(blocks, 0);
    if (code == 0 && keeps) {
        code = (int)cudaMemcpyAsync(spectrum_d, psg_task_pointer(blocks, 0),
                                    planes * spectrum_plane_bytes(c), cudaMemcpyDeviceToDevice,
                                    stream);
    }
    if (code == 0 && deals && direction == PSG_CUDA_INVERSE) {
        code = (int)psg_cuda_unpack_segment(precision, spectrum_d, modes[0], modes[1], planes,
                                            w->blocks, w->rows, count, stream);
    }
    if (code == 0) {
        code = run_fft(run, direction, s, field, spectrum_d);
    }
    if (code == 0 && deals && direction == PSG_CUDA_FORWARD) {
        code = (int)psg_cuda_pack_segment(precision, spectrum_d, modes[0], modes[1], planes,
                                          w->blocks, w->rows, count, stream);
    }
    return code;
}

/* By psg's own kernel. */
static int transform_by_strips(const psg_task_args *args, psg_cuda_direction direction,
                               const psg_cuda_xy_field *fields, size_t fields_count,
                               void *blocks[]) {
    const psg_context *c = psg_context_of(args->run);
    const psg_cuda_plans *w = psg_cuda_plans_self(args->run);
    const size_t s = psg_segment_of(args);
    const psg_cuda_xy_part *parts = NULL;
    const size_t count = psg_cuda_parts_of(args, direction, blocks, &parts);
    return (int)psg_cuda_xy_run(w->strips, direction, fields, fields_count,
                                psg_layout_planes(&c->layout, s), parts, count, w->work_d,
                                starpu_cuda_get_local_stream());
}

/* By what component d multiplies the modes of its blocks. Those along z are derivatives already: of
 * `kspace`, or of `gradient_z`, which leaves sqrt(-1) to multiply by. */
static psg_cuda_derivative derivative_along(const psg_task_args *args, int d) {
    const psg_waves *waves_d = &psg_cuda_plans_self(args->run)->waves_d;
    const double scale = psg_derivative_scale(args->run);
    const bool turned = d == 2 && !psg_reads_beside(args);
    return (psg_cuda_derivative){.kx_d = d == 0 ? waves_d->along[0] : NULL,
                                 .ky_d = d == 1 ? waves_d->along[1] : NULL,
                                 .scale = {turned ? 0 : scale, turned ? scale : 0}};
}

/* Blocks that are no views are put together first. */
static int component_by_cufft(const psg_task_args *args, const psg_cuda_field *field,
                              void *blocks[], const psg_cuda_derivative *by) {
    const psg_context *c = psg_context_of(args->run);
    const psg_cuda_plans *w = psg_cuda_plans_self(args->run);
    const cudaStream_t stream = starpu_cuda_get_local_stream();
    const size_t s = psg_segment_of(args);
    const size_t modes[3] = {c->layout.nxc, c->layout.nyc, psg_layout_planes(&c->layout, s)};
    int code = w->spectrum_d == NULL ? make_copy(args->run) : 0;
    void *spectrum_d = w->spectrum_d == NULL ? w->copy_d : w->spectrum_d;
    if (code == 0 && c->form.packed) {
        const size_t count = blocks_of(args, PSG_CUDA_INVERSE, blocks);
        code = (int)psg_cuda_unpack_segment(psg_cuda_precision_of(c), spectrum_d, modes[0],
                                            modes[1], modes[2], w->blocks, w->rows, count, stream);
    }
    if (code == 0) {
        code = (int)psg_cuda_differentiate(
            psg_cuda_precision_of(c), c->form.packed ? spectrum_d : psg_task_pointer(blocks, 0),
            modes, by, spectrum_d, stream);
    }
    return code == 0 ? run_fft(args->run, PSG_CUDA_INVERSE, s, field, spectrum_d) : code;
}

/* Component d, made of blocks, is taken out of a flow, or written with what a value on the
 * upper side of z adds to it. An overflow is found. */
static int finish_component(const psg_task_args *args, size_t d, const psg_cuda_field *from,
                            const psg_cuda_field *to) {
    const psg_context *c = psg_context_of(args->run);
    const psg_terms *t = psg_terms_of(args->run);
    const psg_box *box = &c->layout.segments.part[psg_segment_of(args)].box;
    const size_t n[3] = {c->layout.n[0], c->layout.n[1], psg_box_length(box, 2)};
    const void *const added = psg_sides_at(c, &t->sides, 0, box->lo[2], n[2]).z[1];
    const psg_cuda_field none = {.base_d = NULL};
    psg_cuda_field result[3] = {none, none, none};
    psg_cuda_difference along[3] = {{.made = 0}};
    result[d] = *to;
    along[d] = (psg_cuda_difference){.made = 1,
                                     .weight = t->gradient.along[d].weight,
                                     .added = d == 2 ? added : NULL,
                                     .taken = t->flow.changes != 0 ? t->flow.scale : 0};
    return (int)psg_cuda_gradient(psg_cuda_precision_of(c), from, &none, n, along, result,
                                  (int *)(uintptr_t)&psg_findings_of(args->run)->overflow,
                                  starpu_cuda_get_local_stream());
}

/* Differences of fd2 by modes. */
static bool finishes(const psg_run *run) {
    return psg_context_of(run)->waves->line.n > 0 &&
           psg_terms_of(run)->gradient.way == PSG_GRADIENT_BESIDE;
}

int psg_cuda_transform_segment(const psg_task_args *args, psg_cuda_direction direction,
                               void *buffers[]) {
    const psg_context *context = psg_context_of(args->run);
    const size_t s = psg_segment_of(args);
    psg_cuda_field field = psg_cuda_field_of(buffers, 0);
    void **blocks = buffers + 1;
    int code = psg_cuda_make_plain(args->run);
    if (direction == PSG_CUDA_FORWARD) {
        blocks = buffers + psg_fields_read(args->run);
        psg_stream_order_enter(args->run);
        if (code == 0 && !psg_run_failed(args->run)) {
            code = make_divergence(args, buffers, &field);
        }
        if (code == 0 && !psg_run_failed(args->run)) {
            code = add_sides(args->run, s, &field);
        }
    }
    if (code != 0 || psg_run_failed(args->run)) {
        return code;
    }
    int component[2];
    const size_t beside = psg_components_with_u(args, component);
    psg_cuda_derivative by[2];
    psg_cuda_xy_field fields[PSG_CUDA_XY_FIELDS] = {{.reals = field}};
    for (size_t m = 0; m < beside; m++) {
        by[m] = derivative_along(args, component[m]);
        fields[1 + m] = (psg_cuda_xy_field){
            .reals = psg_cuda_field_of(buffers, 1 + context->layout.bundles.count + m),
            .by = &by[m]};
    }
    const bool strips = psg_cuda_plans_self(args->run)->strips != NULL;
    code = strips ? transform_by_strips(args, direction, fields, 1 + beside, blocks)
                  : transform_by_cufft(args, direction, &field, blocks);
    for (size_t m = 1; m <= beside && code == 0; m++) {
        const psg_cuda_field *made = &fields[m].reals;
        code = strips ? 0 : component_by_cufft(args, made, blocks, fields[m].by);
        if (code == 0 && finishes(args->run)) {
            code = finish_component(args, (size_t)component[m - 1], made, made);
        }
    }
    return code;
}

int psg_cuda_transform_component(const psg_task_args *args, void *buffers[]) {
    const psg_context *c = psg_context_of(args->run);
    const size_t d = args->label.index[PSG_AXIS_COMPONENT];
    const psg_cuda_field result = psg_cuda_field_of(buffers, 0);
    psg_cuda_field made = result;
    int code = psg_cuda_make_plain(args->run);
    if (code == 0 && psg_terms_of(args->run)->flow.changes != 0) {
        code = make_dense(args->run, "room for a component of the gradient");
        made = psg_cuda_dense_field(psg_cuda_plans_self(args->run)->dense_d, c->layout.n[0],
                                    c->layout.n[1]);
    }
    if (code != 0) {
        return code;
    }
    const psg_cuda_derivative by = derivative_along(args, (int)d);
    const psg_cuda_xy_field field = {.reals = made, .by = &by};
    code = psg_cuda_plans_self(args->run)->strips != NULL
               ? transform_by_strips(args, PSG_CUDA_INVERSE, &field, 1, buffers + 1)
               : component_by_cufft(args, &made, buffers + 1, &by);
    return code == 0 && finishes(args->run) ? finish_component(args, d, &made, &result) : code;
}
