/* ifft_xy, and inverse_xy, which also unpacks: the mirror of forward_xy; and gradient_xy, which
 * differentiates on the way. inverse_xy may make derivatives besides u; the blocks are then read
 * from memory once. */
#include "codelets/inverse_xy.h"
#include "codelets/codelet.h"
#include "codelets/plane.h"
#include "codelets/sides.h"
#if PSG_WITH_CUDA
#include "codelets/cuda_segments.h"
#endif

/* A plane of a component: from the blocks, times what makes derivatives of modes along x or y.
 * Those along z are derivatives already: of `kspace`, or of `gradient_z`, which leaves sqrt(-1) to
 * multiply by. */
static void differentiate(const psg_task_args *args, int component, void *blocks[], size_t k,
                          void *spectrum) {
    const psg_context *c = psg_context_of(args->run);
    const size_t bytes = c->cpu->real_bytes;
    const size_t row = 2 * c->layout.nxc * bytes;
    const double scale = psg_derivative_scale(args->run);
    const bool again = psg_terms_of(args->run)->gradient.way == PSG_GRADIENT_AGAIN;
    const bool within = c->layout.nxc < c->layout.row; /* sheets are, see psg_layout.nxc */
    const size_t step[2] = {component == 0 && !within, component == (within ? 0 : 1)};
    const double one[2] = {again ? 0 : 1, again ? 1 : 0};
    const float single[2] = {again ? 0 : 1, again ? 1 : 0};
    for (size_t g = 0; g < c->layout.bundles.count; g++) {
        const psg_box *bundle = &c->layout.bundles.part[g].box;
        const size_t y0 = bundle->lo[1];
        const char *by = component < 2             ? c->waves->along[component]
                         : bytes == sizeof(double) ? (const char *)one
                                                   : (const char *)single;
        c->cpu->differentiate(
            (const char *)psg_task_pointer(blocks, g) + k * psg_task_pitch(blocks, g) * 2 * bytes,
            c->layout.nxc, psg_box_length(bundle, 1), by + 2 * step[1] * y0 * bytes, step, scale,
            (char *)spectrum + y0 * row);
    }
}

/* What a value on the upper side of axis d adds to the derivative at its last points. */
static void add_value(const psg_task_args *args, int d, void *plane, size_t pitch, size_t k) {
    const psg_context *c = psg_context_of(args->run);
    const psg_terms *t = psg_terms_of(args->run);
    const size_t first = c->layout.segments.part[psg_segment_of(args)].box.lo[2];
    const psg_cpu_sides sides = psg_sides_at(c, &t->sides, 0, first + k, 1);
    const void *added = d == 0 ? sides.x[1] : d == 1 ? sides.y[1] : sides.z[1];
    if (added != NULL) {
        size_t n[2] = {c->layout.n[0], c->layout.n[1]};
        const size_t before = d == 0 ? n[0] - 1 : d == 1 ? (n[1] - 1) * pitch : 0;
        char *last = (char *)plane + before * c->cpu->real_bytes;
        psg_cpu_gradient_args a = {.u = last, .row_pitch = pitch};
        n[d < 2 ? d : 0] = d < 2 ? 1 : n[0];
        a.along[d] = (psg_difference){.last = 1, .weight = t->gradient.along[d].weight};
        a.added[d] = added;
        a.result[d] = last;
        a.result_pitch[d] = pitch;
        c->cpu->gradient(&a, n);
    }
}

/* A plane of a component. */
static void transform_component(const psg_task_args *args, int d, void *blocks[], size_t k,
                                void *plane, size_t pitch) {
    const psg_context *c = psg_context_of(args->run);
    char *scratch = psg_task_scratch(args);
    const psg_cpu_slope *slope = &c->waves->slope[d < 2 ? d : 0];
    if (d < 2 && slope->fft != NULL) {
        char *modes = scratch + psg_scratch_spectrum_bytes(c);
        psg_plane_move(c, PSG_PLANE_COLLECT, blocks, k, scratch);
        c->cpu->slope(slope, scratch, psg_derivative_scale(args->run), modes);
        c->cpu->ifft_xy(slope->fft, modes, plane, pitch, modes);
    } else {
        differentiate(args, d, blocks, k, scratch);
        c->cpu->ifft_xy(c->fft, scratch, plane, pitch, scratch);
    }
    add_value(args, d, plane, pitch, k);
}

/* A plane of a component, or what is left of a flow without it. */
static void make_component(const psg_task_args *args, void *buffers[], size_t k) {
    const psg_context *c = psg_context_of(args->run);
    const psg_flow_terms *flow = &psg_terms_of(args->run)->flow;
    const int d = (int)args->label.index[PSG_AXIS_COMPONENT];
    void *to = psg_plane_of(c, buffers, 0, k);
    const size_t row_pitch = psg_task_row_pitch(buffers, 0);
    void *plane = flow->changes != 0 ? psg_task_plane(args, 0) : to;
    const size_t pitch = flow->changes != 0 ? c->layout.n[0] : row_pitch;
    transform_component(args, d, buffers + 1, k, plane, pitch);
    if (flow->changes != 0) {
        c->cpu->subtract(plane, c->layout.n, flow->scale, to, row_pitch);
    }
}

/* A plane's spectrum is collected from the blocks and transformed in the cache. */
static void inverse_core(void *buffers[], const psg_task_args *args) {
    const psg_context *c = psg_context_of(args->run);
    const size_t planes = psg_layout_planes(&c->layout, psg_segment_of(args));
    const size_t plane = psg_task_pitch(buffers, 1) * 2 * c->cpu->real_bytes;
    const bool whole =
        args->label.kind == PSG_TASK_IFFT_XY && !psg_gradient_reads_spectrum(args->run);
    int component[2];
    const size_t beside = psg_components_with_u(args, component);
    char *spectrum = whole ? psg_task_pointer(buffers, 1) : psg_task_scratch(args);
    const bool together =
        (whole || (args->label.kind == PSG_TASK_INVERSE_XY && psg_plane_whole(c, buffers + 1))) &&
        c->cpu->fft_rows(c->fft, PSG_CPU_INVERSE, planes, psg_task_pointer(buffers, 0),
                         psg_task_pitch(buffers, 0), psg_task_pointer(buffers, 1),
                         psg_task_pitch(buffers, 1), psg_task_scratch(args));
    for (size_t k = 0; k < planes && !psg_run_failed(args->run); k++) {
        if (args->label.kind == PSG_TASK_GRADIENT_XY) {
            make_component(args, buffers, k);
        } else if (!together) {
            if (!whole) {
                psg_plane_move(c, PSG_PLANE_COLLECT, buffers + 1, k, spectrum);
            }
            c->cpu->ifft_xy(c->fft, spectrum, psg_plane_of(c, buffers, 0, k),
                            psg_task_row_pitch(buffers, 0), psg_task_scratch(args));
        }
        if (args->label.kind == PSG_TASK_GRADIENT_XY ||
            args->label.kind == (int)psg_graph_last(&c->graph)) {
            psg_plane_check(args, buffers, 0, k);
        }
        spectrum += whole ? plane : 0;
        for (size_t m = 0; m < beside; m++) {
            const size_t to = 1 + c->layout.bundles.count + m;
            transform_component(args, component[m], buffers + 1, k, psg_plane_of(c, buffers, to, k),
                                psg_task_row_pitch(buffers, to));
            psg_plane_check(args, buffers, to, k);
        }
    }
}

#if PSG_WITH_CUDA
static int inverse_gpu(void *buffers[], const psg_task_args *args) {
    return args->label.kind == PSG_TASK_GRADIENT_XY
               ? psg_cuda_transform_component(args, buffers)
               : psg_cuda_transform_segment(args, PSG_CUDA_INVERSE, buffers);
}
#endif

PSG_SOLVER_CODELET(ifft_xy, inverse_core, inverse_gpu);
PSG_SOLVER_CODELET(inverse_xy, inverse_core, inverse_gpu);
PSG_SOLVER_CODELET(gradient_xy, inverse_core, inverse_gpu);

/* Transforms back destroy the spectrum: ifft_xy that of the segment, inverse_xy one of its own,
 * unless the blocks are views, which are the spectrum itself. Where a gradient needs the blocks
 * afterwards they work on a copy. */
void psg_task_ifft_xy(psg_run *run, size_t s, starpu_data_handle_t spectrum,
                      starpu_data_handle_t u) {
    const psg_task_data data[] = {{&u, 1, 1, STARPU_W},
                                  {&spectrum, 1, 1, STARPU_RW | PSG_DATA_PHASED}};
    psg_solver_submit(run, ifft_xy_codelet, psg_segment_label(PSG_TASK_IFFT_XY, s), data, 2);
}

void psg_task_gradient_xy_codelet(struct starpu_codelet codelet[PSG_TASK_PRECISIONS], int *nodes) {
    psg_task_codelet_at(codelet, gradient_xy_codelet, nodes);
}

void psg_task_gradient_xy(psg_run *run, size_t s, size_t component,
                          const starpu_data_handle_t *blocks, const starpu_data_handle_t *also,
                          starpu_data_handle_t result) {
    const psg_context *c = psg_context_of(run);
    const bool changes = psg_terms_of(run)->flow.changes != 0;
    const psg_task_data data[] = {{&result, 1, 1, changes ? STARPU_RW : STARPU_W},
                                  {blocks, c->layout.bundles.count, 1, STARPU_R | PSG_DATA_PHASED},
                                  {also, also != NULL, 1, STARPU_R}};
    psg_label label = psg_segment_label(PSG_TASK_GRADIENT_XY, s);
    label.index[PSG_AXIS_COMPONENT] = component;
    psg_solver_submit(run, c->codelets->gradient_xy, label, data, 3);
}

void psg_task_inverse_xy_codelet(struct starpu_codelet codelet[PSG_TASK_PRECISIONS], int *nodes) {
    psg_task_codelet_at(codelet, inverse_xy_codelet, nodes);
}

void psg_task_inverse_xy(psg_run *run, size_t s, const starpu_data_handle_t *blocks,
                         starpu_data_handle_t u, const starpu_data_handle_t *components,
                         size_t count) {
    const psg_context *c = psg_context_of(run);
    const psg_task_data data[] = {{&u, 1, 1, STARPU_W},
                                  {blocks, c->layout.bundles.count, 1,
                                   (c->in_place ? STARPU_RW : STARPU_R) | PSG_DATA_PHASED},
                                  {components, count, 1, STARPU_W}};
    psg_label label = psg_segment_label(PSG_TASK_INVERSE_XY, s);
    label.index[PSG_AXIS_COMPONENT] = count > 0 ? count : PSG_NO_INDEX;
    psg_solver_submit(run, c->codelets->inverse_xy, label, data, 3);
}
