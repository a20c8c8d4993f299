/* The gradient of u. With the symbol fd2: the component is (next - u)/h, which lies between two
 * points. The symbol is the difference of these differences.
 *
 * With the symbol spectral: the derivatives at the points, of periodic u by its modes. In f32, and
 * in a projection, the differences of fd2 are made of the modes, too: u that is rounded has lost
 * the digits of a difference. Those of cosines are sines between the points, and those of sines are
 * cosines: cores have other transforms back for them (psg_cpu_slope), GPUs need x and y periodic.
 * `kspace` makes the derivative along z beside u, in blocks Z of their own; on GPUs with the symbol
 * fd2 alone. B as in fused.c.
 *
 *   B[s][0..P-1] --inverse_xy(s)--> u[s], along x and y [s]
 *   B[s][0..P-1] --gradient_xy(s,x), gradient_xy(s,y)--> along x and y [s]
 *                  (where StarPU copies u)
 *   Z[s][0..P-1] --gradient_xy(s,z)--> along z [s]
 *
 * Elsewhere the modes of u are differentiated along z once more, with the symbol spectral alone. Of
 * a free z those of u at the points do not tell the derivative. There, and of fd2 where an axis is
 * free, forward_xy makes the blocks of f again before gradient_z, which multiplies their modes by
 * those of the Green's function, too. There GPUs multiply modes by real numbers times sqrt(-1), and
 * the modes of fd2 make (next - before)/(2h) along free axes. Tasks `gradient` make the differences
 * of u after these, and beyond the last point twice that number less the difference before it.
 *
 *   B[s][0..P-1] --inverse_xy(s)--> u[s], along x and y [s]
 *   B[s][0..P-1] --gradient_xy(s,x), gradient_xy(s,y)--> along x and y [s]
 *        |         (after ifft_xy(s), or where StarPU copies u)
 *   B[0..S-1][p] --gradient_z(p)--> B[0..S-1][p]
 *                                        |
 *                          B[s][0..P-1] --gradient_xy(s,z)--> along z [s]
 */
#include "graph/gradient.h"
#include "codelets/gpu.h"
#include "codelets/gradient.h"
#include "codelets/inverse_xy.h"
#include "codelets/kspace.h"
#include "graph/arrays.h"
#include "graph/exchange.h"
#include "graph/options.h"
#include "graph/placement.h"
#include "graph/plan_struct.h"
#include "graph/sides.h"
#include "graph/status.h"
#include "graph/storage.h"
#include "graph/transform_table.h"
#include "graph/transforms.h"
#include "runtime/simulation.h"

/* The difference at the last point of an axis. Periodic: to the first point. Dirichlet: (value - u)
 * over the distance to the wall. Neumann: the value itself. Robin: (value - k u)/(1 + k h/2), which
 * has a Neumann side's form for k = 0. Tasks have the value as what it adds to f, so `weight`
 * divides by that. */
static psg_difference difference_of(const psg_problem *problem, int axis, double factor) {
    const psg_axis *a = &problem->grid.axis[axis];
    const psg_transform *row = psg_transform_of(a);
    const double h = psg_axis_width(a, a->n - 1);
    const bool wall = a->bc[1] == PSG_BC_DIRICHLET;
    const double steep =
        wall ? 1 / (a->points == PSG_POINTS_NODES ? h : h / 2) : psg_axis_robin(a, 1);
    psg_difference d = {.scale = 1 / psg_axis_least(a), .wraps = psg_transform_periodic(row)};
    if (!d.wraps) {
        d.last = 0 - steep * (wall ? 1 : a->robin[1]);
        d.weight = steep / psg_sides_weight(problem, axis, 1, factor);
    } else if (a->n == 1) {
        d.scale = 0; /* the point is its own neighbour */
    }
    return d;
}

/* Are the numbers that a component's tasks multiply with in the range of the precision? */
static psg_status check_range(const psg_plan *plan, const psg_gradient_terms *g, int d,
                              const psg_solve_args *args) {
    const psg_axis *axis = &plan->problem.grid.axis[d];
    const psg_difference *along = &g->along[d];
    const int given = psg_grid_turn(&plan->problem.grid, d);
    const bool values =
        !along->wraps && (args->side[given][1] != NULL || args->value[given][1] != 0);
    bool fits = true;
    if (g->way != PSG_GRADIENT_DIFFERENCES) {
        const double k =
            psg_symbol_derivative(1, axis->n, ldexp(axis->length, -plan->problem.unit));
        fits = k == 0 || (psg_transforms_has(plan, k) &&
                          psg_transforms_has(plan, ldexp(1, -plan->problem.unit)));
    }
    if (psg_symbol_along(&plan->problem, d)->faces) {
        fits = fits && (axis->n == 1 || psg_transforms_has(plan, along->scale)) &&
               (along->last == 0 || psg_transforms_has(plan, along->last)) &&
               (!values || psg_transforms_has(plan, along->weight));
    }
    return fits ? PSG_OK
                : psg_fail(PSG_ERR_ARG,
                           "the box is %g long along %c, and what makes the derivative along it of "
                           "u is out of the range of the precision: choose another unit of length",
                           axis->length, psg_grid_letter(&plan->problem.grid, d));
}

/* A task has its part of u, the next one's, and the components, which StarPU may copy. To ask a GPU
 * for its free memory takes longer than a small solve. */
static psg_status check_room(const psg_plan *plan, const psg_arrays *arrays) {
    enum { ARRAYS = 5 };
    const psg_layout *l = &plan->context.layout;
    const double plane = (double)(l->n[0] * l->n[1] * plan->context.cpu->real_bytes);
    const double needed =
        ARRAYS * plane * (double)psg_parts_largest(&l->segments, l->segments.gpus, 2);
    return arrays->stays
               ? PSG_OK
               : psg_placement_check_bytes(plan, needed, "the gradient of a segment", "segments");
}

/* Without other blocks. */
static psg_gradient_way way_without(const psg_plan *plan) {
    const psg_waves *waves = &plan->problem.waves;
    const psg_workers *w = &plan->workers;
    const bool any = waves->eigen[2] != NULL || waves->from_f != NULL;
    const bool apart = plan->processes.ranks == 1 || plan->shared.kind == PSG_IPC_GPUS;
    return any && !(waves->between && w->gpus_anywhere) ? PSG_GRADIENT_AGAIN
           : any && w->cpu_count == 0 && apart          ? PSG_GRADIENT_CENTRED
                                                        : PSG_GRADIENT_DIFFERENCES;
}

/* Does `kspace` make the derivative along z? Sheets that are no task `kspace` have no other blocks.
 * All processes go one way, also where some have GPUs and others have none. */
static bool has_beside(const psg_plan *plan) {
    const psg_context *c = &plan->context;
    return psg_graph_has(&c->graph, PSG_TASK_KSPACE, true) &&
           (!plan->workers.gpus_anywhere || psg_gpu_makes_beside(c));
}

/* Differences of u in f64 have digits to lose, and take less time, but they need u, and there are
 * none at a free upper side. A projection has the digits of modes in f64 too, but where x or y is
 * between walls: there it takes twice as long. */
static psg_gradient_way way_of(const psg_plan *plan, const psg_arrays *arrays,
                               const psg_solve_args *args) {
    const psg_context *c = &plan->context;
    const bool line = c->waves->line.n > 0;
    const bool walls = c->waves->slope[0].fft != NULL || c->waves->slope[1].fft != NULL;
    const bool flow =
        arrays->slabs[PSG_FIELD_FLOW] != NULL && (!walls || arrays->slabs[PSG_FIELD_U] == NULL);
    const bool open = c->waves->line.open[1] > 0; /* GPUs have no derivative beyond it yet */
    const bool beside = (!line || flow || plan->problem.options.precision == PSG_F32 ||
                         !psg_symbol_of(&plan->problem)->faces || open) &&
                        !(open && plan->workers.gpus_anywhere) && has_beside(plan) &&
                        args->f_modes == NULL && args->u_modes == NULL;
    return c->waves->along[0] == NULL || args->epsilon != NULL ? PSG_GRADIENT_DIFFERENCES
           : beside                                            ? PSG_GRADIENT_BESIDE
                                                               : way_without(plan);
}

/* What reads f a second time needs it as it was. Cores never do. */
static psg_status check_from_f(const psg_plan *plan, const psg_arrays *arrays,
                               const psg_solve_args *args) {
    const char z = psg_grid_letter(&plan->problem.grid, 2);
    if (args->f_modes != NULL || args->u_modes != NULL || !plan->workers.gpus_anywhere) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "the gradient along %c needs f and u in space, as a side is free", z);
    }
    return arrays->in_place
               ? psg_fail(PSG_ERR_UNSUPPORTED,
                          "on GPUs the gradient along %c reads f after u is written, as a side is "
                          "free: give u memory of its own",
                          z)
               : PSG_OK;
}

/* Are there tasks of differences? */
static bool differs(const psg_gradient_terms *g) {
    return g->way == PSG_GRADIENT_DIFFERENCES || g->way == PSG_GRADIENT_CENTRED;
}

/* Do the blocks change once more for the component along z? */
static bool makes_again(const psg_gradient_terms *g) {
    return g->way != PSG_GRADIENT_BESIDE && (g->by_modes >> 2 & 1) != 0;
}

/* Is there a difference beyond the last point of a free axis? */
static bool has_beyond(const psg_gradient_terms *g, const psg_plan *plan, int d) {
    const psg_layout *l = &plan->context.layout;
    const size_t points = d < 2 ? l->n[d] : psg_layout_planes(l, l->segments.count - 1);
    return g->along[d].centred != 0 ? points > 1 : (g->by_modes >> d & 1) != 0;
}

/* What modes make of the components that are wanted. */
static void choose_by_modes(psg_gradient_terms *g, const psg_plan *plan) {
    g->by_modes = 0;
    for (size_t d = 0; d < 3; d++) {
        const bool centred =
            g->way == PSG_GRADIENT_CENTRED && plan->context.kind[d] >= PSG_TRANSFORM_FREE;
        g->along[d].centred = centred;
        g->by_modes |= centred || g->way == PSG_GRADIENT_AGAIN || g->way == PSG_GRADIENT_BESIDE
                           ? g->wanted & (size_t)1 << d
                           : 0;
    }
}

psg_status psg_gradient_place(psg_gradient_terms *gradient, const psg_plan *plan,
                              const psg_arrays *arrays, psg_workspace *workspace) {
    if (gradient->way == PSG_GRADIENT_BESIDE && psg_gradient_wants(gradient, 2) &&
        !psg_storage_have_beside(workspace, plan)) {
        gradient->way = way_without(plan);
        choose_by_modes(gradient, plan);
        const psg_waves *waves = &plan->problem.waves;
        if (waves->line.open[1] > 0 ||
            (psg_transforms_free_side(&plan->problem.grid) && waves->eigen[2] == NULL)) {
            return psg_fail(PSG_ERR_MEMORY, "no memory for a second spectrum, which the gradient "
                                            "needs where a side is free");
        }
    }
    return gradient->way == PSG_GRADIENT_DIFFERENCES && arrays->slabs[PSG_FIELD_U] == NULL &&
                   arrays->slabs[PSG_FIELD_FLOW] != NULL
               ? psg_fail(PSG_ERR_ARG,
                          "u is NULL, and is needed: on GPUs where x or y has sides, or with 1 or "
                          "more than 8192 planes, and where there is no memory for a second "
                          "spectrum, the gradient is that of differences of u")
               : PSG_OK;
}

psg_status psg_gradient_take(psg_gradient_terms *gradient, const psg_plan *plan,
                             const psg_arrays *arrays, const psg_solve_args *args) {
    *gradient = (psg_gradient_terms){.wanted = 0};
    for (int d = 0; d < 3; d++) {
        gradient->along[d] = difference_of(&plan->problem, d, args->factor);
        gradient->wanted |= args->gradient[psg_grid_turn(&plan->problem.grid, d)] != NULL ||
                                    psg_flow_changes(arrays)
                                ? (size_t)1 << d
                                : 0;
    }
    if (gradient->wanted == 0) {
        return PSG_OK;
    }
    gradient->way = way_of(plan, arrays, args);
    choose_by_modes(gradient, plan);
    const bool by_modes = gradient->by_modes != 0;
    for (int d = 0; d < 3; d++) {
        if (psg_gradient_wants(gradient, d) && !by_modes &&
            !psg_symbol_along(&plan->problem, d)->faces) {
            return psg_fail(PSG_ERR_UNSUPPORTED,
                            "the gradient needs the symbol fd2, or spectral with axes that are "
                            "periodic or free at both sides");
        }
        if (psg_gradient_wants(gradient, d) && plan->problem.grid.axis[d].bc[1] == PSG_BC_FREE &&
            !has_beyond(gradient, plan, d)) {
            if (args->epsilon != NULL) {
                return psg_fail(PSG_ERR_UNSUPPORTED,
                                "the gradient along %c at a free upper side is not there with "
                                "epsilon",
                                psg_grid_letter(&plan->problem.grid, d));
            }
            return psg_fail(
                PSG_ERR_UNSUPPORTED,
                "the gradient of fd2 along %c at a free upper side is %s: with one "
                "more point, where f is 0, u is the same, and it is inside",
                psg_grid_letter(&plan->problem.grid, d),
                plan->problem.waves.line.open[1] > 0 ? "there on cores in the fused graph"
                : !plan->problem.waves.between
                    ? "there if each axis is periodic or free at both sides"
                : by_modes ? "there on GPUs where the last segment has two points along it"
                           : "for cores, and for GPUs that have all tasks and exchange "
                             "blocks directly");
        }
    }
    if (!psg_platform->computes) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "a simulation has no times of a gradient");
    }
    const bool reads_f = makes_again(gradient) && plan->problem.waves.from_f != NULL;
    psg_status status = reads_f ? check_from_f(plan, arrays, args) : PSG_OK;
    for (int d = 0; d < 3 && status == PSG_OK; d++) {
        status = psg_gradient_wants(gradient, d) ? check_range(plan, gradient, d, args) : PSG_OK;
    }
    return status != PSG_OK || !differs(gradient) ? status : check_room(plan, arrays);
}

/* ------------------------------------------------------------------------------------- by modes */

static bool wants_any(const psg_arrays *arrays) {
    bool any = psg_flow_changes(arrays); /* the slabs of a preconditioner have no gradient */
    for (int d = 0; d < 3; d++) {
        any = any || arrays->slabs[PSG_FIELD_GRADIENT + d] != NULL;
    }
    return any;
}

/* Where a component goes: an array of its own, or out of the flow. */
static int field_of(const psg_arrays *arrays, int d) {
    return (psg_flow_changes(arrays) ? PSG_FIELD_FLOW : PSG_FIELD_GRADIENT) + d;
}

/* Another process writes blocks beside those of u once it has those of the next f. So tasks that
 * read them hold a block of this segment, which the next f needs.
 * @param[in] workspace  that has the blocks
 * @param[in] of_u       that workspace; or the one that it is beside */
static void submit_component(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                             const psg_workspace *of_u, const psg_arrays *arrays, size_t s, int d) {
    const psg_context *c = &plan->context;
    const size_t own = s - c->layout.segments.own.first;
    const psg_gradient_terms *terms = &psg_terms_of(run)->gradient;
    if ((terms->by_modes >> d & 1) != 0) {
        const size_t first = own * c->layout.bundles.count;
        const bool held = workspace != of_u && plan->processes.ranks > 1;
        psg_task_gradient_xy(run, s, (size_t)d, &workspace->bundles[first],
                             held ? &of_u->bundles[first] : NULL,
                             arrays->slabs[field_of(arrays, d)][own]);
        if (!differs(terms)) {
            psg_arrays_bring(run, plan, arrays, field_of(arrays, d), s);
        }
    }
}

/* One task makes u and both, and reads the blocks once. Where StarPU copies what tasks make, they
 * would all need room on a GPU at a time: there each has a task of its own. */
size_t psg_gradient_with_u(const psg_run *run, const psg_plan *plan, const psg_arrays *arrays,
                           size_t s, starpu_data_handle_t components[2]) {
    const psg_context *c = &plan->context;
    const bool together = wants_any(arrays) && psg_gradient_by_modes(run) && !arrays->brought &&
                          arrays->slabs[PSG_FIELD_U] != NULL && !psg_flow_changes(arrays);
    int component[2];
    const size_t count =
        together ? psg_gradient_wants_xy(&psg_terms_of(run)->gradient, component) : 0;
    for (size_t m = 0; m < count; m++) {
        components[m] =
            arrays->slabs[PSG_FIELD_GRADIENT + component[m]][s - c->layout.segments.own.first];
    }
    return count;
}

static bool makes_beside(const psg_run *run, const psg_arrays *arrays) {
    const psg_gradient_terms *terms = &psg_terms_of(run)->gradient;
    return wants_any(arrays) && terms->way == PSG_GRADIENT_BESIDE && psg_gradient_wants(terms, 2);
}

const starpu_data_handle_t *psg_gradient_beside(const psg_run *run, const psg_workspace *workspace,
                                                const psg_arrays *arrays, size_t p) {
    return makes_beside(run, arrays) ? &workspace->beside->blocks[p] : NULL;
}

void psg_graph_gradient_back(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                             const psg_arrays *arrays) {
    psg_exchange_blocks(run, plan, workspace, PSG_WAY_BACK);
    if (makes_beside(run, arrays)) {
        psg_exchange_blocks(run, plan, workspace->beside, PSG_WAY_BACK_AGAIN);
    }
}

void psg_graph_gradient_of(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                           const psg_arrays *arrays, size_t s, size_t made) {
    if (wants_any(arrays) && psg_gradient_by_modes(run) && made == 0) {
        submit_component(run, plan, workspace, workspace, arrays, s, 0);
        submit_component(run, plan, workspace, workspace, arrays, s, 1);
    }
    if (makes_beside(run, arrays)) {
        submit_component(run, plan, workspace->beside, workspace, arrays, s, 2);
    }
}

static void submit_along_z(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                           const psg_arrays *arrays) {
    const psg_range segments = plan->context.layout.segments.own;
    const psg_range sheets = plan->context.layout.sheets.own;
    if (plan->problem.waves.from_f != NULL) {
        plan->route.graph->forward(run, plan, workspace, arrays);
    }
    psg_exchange_blocks(run, plan, workspace, PSG_WAY_THERE_AGAIN);
    for (size_t p = sheets.first; p < sheets.end; p++) {
        psg_task_gradient_z(run, p, &workspace->blocks[p - sheets.first], psg_range_count(sheets));
    }
    psg_exchange_blocks(run, plan, workspace, PSG_WAY_BACK_AGAIN);
    for (size_t s = segments.first; s < segments.end; s++) {
        submit_component(run, plan, workspace, workspace, arrays, s, 2);
    }
}

/* ------------------------------------------------------------------------------- by differences */

/* A segment's components need its u and the plane above it. */
static void submit_differences(psg_run *run, const psg_plan *plan, const psg_arrays *arrays) {
    const psg_context *c = &plan->context;
    const psg_gradient_terms *terms = &psg_terms_of(run)->gradient;
    const psg_range own = c->layout.segments.own;
    const starpu_data_handle_t edge =
        psg_gradient_wants(terms, 2) ? psg_exchange_edge(run, plan, arrays, PSG_EDGE_ABOVE) : NULL;
    for (size_t s = own.first; s < own.end; s++) {
        const size_t above = psg_segment_above(c, psg_terms_of(run), s);
        const bool other = psg_gradient_wants(terms, 2) && above < SIZE_MAX && above != s;
        const bool here = other && psg_range_has(own, above);
        starpu_data_handle_t component[3];
        for (int d = 0, m = 0; d < 3; d++) {
            if (psg_gradient_wants(terms, d)) {
                component[m++] = arrays->slabs[field_of(arrays, d)][s - own.first];
            }
        }
        psg_task_gradient(run, s, arrays->slabs[PSG_FIELD_U][s - own.first],
                          here    ? arrays->slabs[PSG_FIELD_U][above - own.first]
                          : other ? edge
                                  : NULL,
                          component);
        for (int d = 0; d < 3; d++) {
            psg_arrays_bring(run, plan, arrays, field_of(arrays, d), s);
        }
    }
}

void psg_graph_gradient(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                        const psg_arrays *arrays) {
    if (!wants_any(arrays)) {
        return;
    }
    const psg_gradient_terms *terms = &psg_terms_of(run)->gradient;
    if (makes_again(terms)) {
        submit_along_z(run, plan, workspace, arrays);
    }
    if (differs(terms)) {
        submit_differences(run, plan, arrays);
    }
}
