#include "codelets/gradient.h"
#include "codelets/codelet.h"
#include "codelets/plane.h"
#include "codelets/sides.h"
#if PSG_WITH_CUDA
#include "codelets/cuda.h"
#include "kernels/gradient.h"

#include <cuda_runtime_api.h>
#endif

#include <string.h>

/* ------------------------------------------------------------------------------------- edge */

static const void *edge_of(void *buffers[], const psg_task_args *args) {
    const psg_context *c = psg_context_of(args->run);
    const bool last = args->label.index[PSG_AXIS_COMPONENT] != PSG_NO_INDEX;
    const size_t planes = psg_layout_planes(&c->layout, psg_segment_of(args));
    return psg_plane_of(c, buffers, 0, last ? planes - 1 : 0);
}

static void edge_core(void *buffers[], const psg_task_args *args) {
    const psg_context *c = psg_context_of(args->run);
    const size_t bytes = c->cpu->real_bytes;
    const char *plane = edge_of(buffers, args);
    char *edge = psg_task_pointer(buffers, 1);
    for (size_t j = 0; j < c->layout.n[1]; j++) {
        memcpy(edge + j * psg_task_row_pitch(buffers, 1) * bytes,
               plane + j * psg_task_row_pitch(buffers, 0) * bytes, c->layout.n[0] * bytes);
    }
}

#if PSG_WITH_CUDA
static int edge_gpu(void *buffers[], const psg_task_args *args) {
    const psg_context *c = psg_context_of(args->run);
    const size_t bytes = c->cpu->real_bytes;
    return (int)cudaMemcpy2DAsync(
        psg_task_pointer(buffers, 1), psg_task_row_pitch(buffers, 1) * bytes,
        edge_of(buffers, args), psg_task_row_pitch(buffers, 0) * bytes, c->layout.n[0] * bytes,
        c->layout.n[1], cudaMemcpyDeviceToDevice, starpu_cuda_get_local_stream());
}
#endif

PSG_SOLVER_CODELET(edge, edge_core, edge_gpu);

void psg_task_edge(psg_run *run, size_t s, bool last, starpu_data_handle_t slab,
                   starpu_data_handle_t edge) {
    const psg_task_data data[] = {{&slab, 1, 1, STARPU_R}, {&edge, 1, 1, STARPU_W}};
    psg_solver_submit(run, edge_codelet, psg_edge_label(PSG_TASK_EDGE, s, last), data, 2);
}

/* --------------------------------------------------------------------------------- gradient */

/* Buffers: u, then the components that are wanted, then what has the plane above, where another
 * segment has it. */

static size_t count_components(const psg_gradient_terms *g) {
    size_t count = 0;
    for (int d = 0; d < 3; d++) {
        count += psg_gradient_wants(g, d);
    }
    return count;
}

/* @return the buffer that begins with the plane above the last one, which is u where there is one
 * segment; SIZE_MAX: a side is above, or the component along z is not wanted */
static size_t above_of(const psg_task_args *args) {
    const psg_gradient_terms *g = &psg_terms_of(args->run)->gradient;
    const size_t s = psg_segment_of(args);
    const size_t above = psg_gradient_wants(g, 2) ? psg_segment_above(psg_context_of(args->run),
                                                                      psg_terms_of(args->run), s)
                                                  : SIZE_MAX;
    return above == SIZE_MAX ? SIZE_MAX : above == s ? 0 : 1 + count_components(g);
}

static psg_cpu_sides sides_at(const psg_task_args *args, size_t k, size_t planes) {
    const psg_context *c = psg_context_of(args->run);
    const size_t first = c->layout.segments.part[psg_segment_of(args)].box.lo[2];
    return psg_sides_at(c, &psg_terms_of(args->run)->sides, 0, first + k, planes);
}

/* Out of plane k of a flow. */
static void subtract(const psg_task_args *args, const psg_cpu_gradient_args *all, void *buffers[],
                     size_t k) {
    const psg_context *c = psg_context_of(args->run);
    void *plane = psg_task_plane(args, 0);
    for (size_t d = 0; d < 3; d++) {
        psg_cpu_gradient_args a = *all;
        a.result[d] = plane;
        a.result_pitch[d] = c->layout.n[0];
        c->cpu->gradient(&a, c->layout.n);
        c->cpu->subtract(plane, c->layout.n, psg_terms_of(args->run)->flow.scale,
                         psg_plane_of(c, buffers, 1 + d, k), psg_task_row_pitch(buffers, 1 + d));
    }
}

static void gradient_core(void *buffers[], const psg_task_args *args) {
    const psg_context *c = psg_context_of(args->run);
    const psg_gradient_terms *g = &psg_terms_of(args->run)->gradient;
    const psg_flow_terms *flow = &psg_terms_of(args->run)->flow;
    const size_t bytes = c->cpu->real_bytes;
    const size_t planes = psg_layout_planes(&c->layout, psg_segment_of(args));
    const size_t pitch = psg_task_pitch(buffers, 0) * bytes;
    const size_t above = above_of(args);
    const size_t first = c->layout.segments.part[psg_segment_of(args)].box.lo[2];
    const char *u = psg_task_pointer(buffers, 0);
    psg_cpu_gradient_args a = {.row_pitch = psg_task_row_pitch(buffers, 0)};
    memcpy(a.along, g->along, sizeof a.along);
    for (size_t k = 0; k < planes; k++) {
        const bool inside = k + 1 < planes;
        const psg_cpu_sides sides = sides_at(args, k, 1);
        a.u = u + k * pitch;
        a.along[2].scale = psg_by_plane(args->run, false, first + k, g->along[2].scale);
        a.above = inside             ? u + (k + 1) * pitch
                  : above < SIZE_MAX ? psg_task_pointer(buffers, above)
                                     : NULL;
        a.above_pitch = psg_task_row_pitch(buffers, inside || above == SIZE_MAX ? 0 : above);
        a.added[0] = sides.x[1];
        a.added[1] = sides.y[1];
        a.added[2] = sides.z[1];
        if (flow->changes != 0) {
            subtract(args, &a, buffers, k);
        } else {
            for (int d = 0, m = 1; d < 3; d++) {
                if (psg_gradient_wants(g, d)) {
                    a.result[d] = psg_plane_of(c, buffers, (size_t)m, k);
                    a.result_pitch[d] = psg_task_row_pitch(buffers, (size_t)m++);
                }
            }
            c->cpu->gradient(&a, c->layout.n);
        }
        for (size_t m = 1; m <= count_components(g); m++) {
            psg_plane_check(args, buffers, m, k);
        }
    }
}

#if PSG_WITH_CUDA
static int gradient_gpu(void *buffers[], const psg_task_args *args) {
    const psg_context *c = psg_context_of(args->run);
    const psg_gradient_terms *g = &psg_terms_of(args->run)->gradient;
    const size_t n[3] = {c->layout.n[0], c->layout.n[1],
                         psg_layout_planes(&c->layout, psg_segment_of(args))};
    const psg_terms *terms = psg_terms_of(args->run);
    const size_t first = c->layout.segments.part[psg_segment_of(args)].box.lo[2];
    const size_t above = above_of(args);
    const psg_cpu_sides sides = sides_at(args, 0, n[2]);
    const void *const added[3] = {sides.x[1], sides.y[1], sides.z[1]};
    const psg_cuda_field u = psg_cuda_field_of(buffers, 0);
    const psg_cuda_field next =
        above < SIZE_MAX ? psg_cuda_field_of(buffers, above) : (psg_cuda_field){.base_d = NULL};
    psg_cuda_field result[3] = {{.base_d = NULL}};
    psg_cuda_difference along[3];
    for (int d = 0, m = 1; d < 3; d++) {
        along[d] = (psg_cuda_difference){.scale = g->along[d].scale,
                                         .last = g->along[d].last,
                                         .weight = g->along[d].weight,
                                         .wraps = (int)g->along[d].wraps,
                                         .centred = (int)g->along[d].centred,
                                         .added = added[d],
                                         .taken = terms->flow.changes != 0 ? terms->flow.scale : 0};
        if (psg_gradient_wants(g, d)) {
            result[d] = psg_cuda_field_of(buffers, (size_t)m++);
        }
    }
    along[2].step_d = psg_cuda_by_plane(args->run, false, first);
    along[2].scale = along[2].step_d != NULL ? ldexp(1, -terms->unit) : along[2].scale;
    return (int)psg_cuda_gradient(psg_cuda_precision_of(c), &u, &next, n, along, result,
                                  (int *)(uintptr_t)&psg_findings_of(args->run)->overflow,
                                  starpu_cuda_get_local_stream());
}
#endif

PSG_SOLVER_CODELET(gradient, gradient_core, gradient_gpu);

void psg_task_gradient(psg_run *run, size_t s, starpu_data_handle_t u, starpu_data_handle_t above,
                       const starpu_data_handle_t *components) {
    const psg_gradient_terms *g = &psg_terms_of(run)->gradient;
    const bool changes = psg_terms_of(run)->flow.changes != 0;
    psg_task_data data[5] = {{&u, 1, 1, STARPU_R}};
    size_t groups = 1;
    for (int d = 0; d < 3; d++) {
        if (psg_gradient_wants(g, d)) {
            const bool reads = changes || g->along[d].centred != 0;
            data[groups++] = (psg_task_data){components++, 1, 1, reads ? STARPU_RW : STARPU_W};
        }
    }
    if (above != NULL) {
        data[groups++] = (psg_task_data){&above, 1, 1, STARPU_R};
    }
    psg_solver_submit(run, gradient_codelet, psg_segment_label(PSG_TASK_GRADIENT, s), data, groups);
}
