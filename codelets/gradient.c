#include "codelets/codelets.h"
#include "codelets/sides.h"
#include "runtime/task.h"
#if PSG_WITH_CUDA
#include "codelets/cuda.h"
#include "kernels/gradient.h"
#include "runtime/copies_cuda.h"
#endif

#include <string.h>

/* ------------------------------------------------------------------------------------- edge */

static void edge_cpu(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    const psg_context *c = psg_context_of(args->run);
    const size_t bytes = c->cpu->real_bytes;
    const char *u = psg_task_pointer(buffers, 0);
    char *edge = psg_task_pointer(buffers, 1);
    for (size_t j = 0; j < c->layout.n[1]; j++) {
        memcpy(edge + j * psg_task_row_pitch(buffers, 1) * bytes,
               u + j * psg_task_row_pitch(buffers, 0) * bytes, c->layout.n[0] * bytes);
    }
}

#if PSG_WITH_CUDA
static void edge_cuda(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    const psg_context *c = psg_context_of(args->run);
    const size_t bytes = c->cpu->real_bytes;
    const int code =
        (int)cudaMemcpy2DAsync(psg_task_pointer(buffers, 1), psg_task_row_pitch(buffers, 1) * bytes,
                               psg_task_pointer(buffers, 0), psg_task_row_pitch(buffers, 0) * bytes,
                               c->layout.n[0] * bytes, c->layout.n[1], cudaMemcpyDeviceToDevice,
                               starpu_cuda_get_local_stream());
    (void)psg_gpu_check(args->run, code, "edge");
}
#endif

PSG_CODELET(edge);

void psg_task_edge(psg_run *run, size_t s, starpu_data_handle_t u, starpu_data_handle_t edge) {
    const psg_task_args args = {
        .run = run, .label = psg_segment_label(PSG_TASK_EDGE, s), .messages = 1};
    struct starpu_task *task = psg_task_create(edge_codelet, &args, 2);
    if (task != NULL) {
        psg_task_use(task, 0, u, STARPU_R);
        psg_task_use(task, 1, edge, STARPU_W);
    }
    psg_task_submit(run, task);
}

/* --------------------------------------------------------------------------------- gradient */

/* Buffers: u, then the components that are wanted, then what has the plane above. */

/* @return the first buffer of another segment, or this one's if its first plane is above its last; SIZE_MAX: a side */
static size_t above_of(const psg_task_args *args, size_t components) {
    const psg_gradient_terms *g = &psg_terms_of(args->run)->gradient;
    const size_t s = psg_segment_of(args);
    const size_t above = psg_segment_above(psg_context_of(args->run), g, s);
    return above == SIZE_MAX ? SIZE_MAX : above == s ? 0 : 1 + components;
}

static size_t count_components(const psg_gradient_terms *g) {
    size_t count = 0;
    for (int d = 0; d < 3; d++) {
        count += psg_gradient_wants(g, d);
    }
    return count;
}

static void gradient_cpu(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    const psg_context *c = psg_context_of(args->run);
    const psg_gradient_terms *g = &psg_terms_of(args->run)->gradient;
    const size_t bytes = c->cpu->real_bytes;
    const size_t s = psg_segment_of(args);
    const size_t planes = psg_layout_planes(&c->layout, s);
    const size_t above = above_of(args, count_components(g));
    const char *u = psg_task_pointer(buffers, 0);
    psg_cpu_gradient_args a = {.row_pitch = psg_task_row_pitch(buffers, 0)};
    memcpy(a.along, g->along, sizeof a.along);
    for (size_t k = 0; k < planes && !psg_run_failed(args->run); k++) {
        const bool inside = k + 1 < planes || !psg_gradient_wants(g, 2);
        psg_cpu_sides sides = psg_sides_of_plane(args->run, s, k);
        a.u = u + k * psg_task_pitch(buffers, 0) * bytes;
        a.above = inside             ? u + (k + 1) * psg_task_pitch(buffers, 0) * bytes
                  : above < SIZE_MAX ? psg_task_pointer(buffers, above)
                                     : NULL;
        a.above_pitch = psg_task_row_pitch(buffers, inside || above == SIZE_MAX ? 0 : above);
        a.added[0] = sides.x[1];
        a.added[1] = sides.y[1];
        a.added[2] = sides.z[1];
        size_t m = 1;
        for (int d = 0; d < 3; d++) {
            if (psg_gradient_wants(g, d)) {
                a.result[d] =
                    (char *)psg_task_pointer(buffers, m) + k * psg_task_pitch(buffers, m) * bytes;
                a.result_pitch[d] = psg_task_row_pitch(buffers, m);
                m++;
            }
        }
        c->cpu->gradient(&a, c->layout.n);
    }
}

#if PSG_WITH_CUDA
static void gradient_cuda(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    const psg_context *c = psg_context_of(args->run);
    const psg_gradient_terms *g = &psg_terms_of(args->run)->gradient;
    const size_t s = psg_segment_of(args);
    const size_t planes = psg_layout_planes(&c->layout, s);
    const size_t above = above_of(args, count_components(g));
    const size_t n[3] = {c->layout.n[0], c->layout.n[1], planes};
    const psg_cuda_field u = psg_cuda_field_of(buffers, 0);
    const psg_cpu_sides first = psg_sides_of_plane(args->run, s, 0);
    const void *const added[3] = {first.x[1], first.y[1],
                                  psg_sides_of_plane(args->run, s, planes - 1).z[1]};
    psg_cuda_field next = {.base_d = NULL};
    psg_cuda_field result[3] = {{.base_d = NULL}};
    psg_cuda_difference along[3];
    size_t m = 1;
    if (psg_run_failed(args->run)) {
        return;
    }
    if (psg_gradient_wants(g, 2) && above < SIZE_MAX) {
        next = psg_cuda_field_of(buffers, above);
    }
    for (int d = 0; d < 3; d++) {
        along[d] = (psg_cuda_difference){g->along[d].scale, g->along[d].last, g->along[d].weight,
                                         (int)g->along[d].wraps, added[d]};
        if (psg_gradient_wants(g, d)) {
            result[d] = psg_cuda_field_of(buffers, m++);
        }
    }
    const int code = (int)psg_cuda_gradient(psg_cuda_precision_of(c), &u, &next, n, along, result,
                                            starpu_cuda_get_local_stream());
    (void)psg_gpu_check(args->run, code, "gradient");
}
#endif

PSG_CODELET(gradient);

void psg_task_gradient(psg_run *run, size_t s, starpu_data_handle_t u, starpu_data_handle_t above,
                       const starpu_data_handle_t g[3]) {
    const psg_gradient_terms *terms = &psg_terms_of(run)->gradient;
    const psg_task_args args = {.run = run, .label = psg_segment_label(PSG_TASK_GRADIENT, s)};
    const size_t components = count_components(terms);
    struct starpu_task *task =
        psg_task_create(gradient_codelet, &args, 1 + components + (above != NULL ? 1 : 0));
    if (task != NULL) {
        size_t m = 1;
        psg_task_use(task, 0, u, STARPU_R);
        for (int d = 0; d < 3; d++) {
            if (psg_gradient_wants(terms, d)) {
                psg_task_use(task, m++, g[d], STARPU_W);
            }
        }
        if (above != NULL) {
            psg_task_use(task, m, above, STARPU_R);
        }
    }
    psg_task_submit(run, task);
}
