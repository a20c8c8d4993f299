/* What a solve with epsilon needs before its first task: may it be, its fields, its constants. */
#include "base/tuning.h"
#include "graph/arrays.h"
#include "graph/block.h"
#include "graph/options.h"
#include "graph/pcg.h"
#include "graph/pcg_fields.h"
#include "graph/pending.h"
#include "graph/placement.h"
#include "graph/plan_struct.h"
#include "graph/sides.h"
#include "graph/simulated.h"
#include "graph/status.h"
#include "graph/terms.h"
#include "graph/transform_table.h"
#include "graph/transforms.h"
#include "runtime/runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Axes with sides of a kind. */
static int axes_with(const psg_grid *grid, psg_bc bc) {
    int axes = 0;
    for (int d = 0; d < 3; d++) {
        axes += grid->axis[d].bc[0] == bc || grid->axis[d].bc[1] == bc;
    }
    return axes;
}

/* Conjugate gradients need an M of one sign. Where one axis or two are free, lambda is 0 and no
 * side is a Dirichlet side, u of a charge has both signs, and so has M. The table of a free x or y
 * is made for the lambda of M, which is known once epsilon is: so it is 0. */
static psg_status check_free(const psg_plan *plan, const psg_solve_args *args) {
    const psg_grid *grid = &plan->problem.grid;
    const int axes = axes_with(grid, PSG_BC_FREE);
    if (axes == 0) {
        return PSG_OK;
    }
    if (psg_terms_faces(args) != 0 || args->guess != 0) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "where a side is free, epsilon is at points, and "
                                             "without a guess");
    }
    if (plan->context.tabled && args->lambda != 0) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "lambda = %g: epsilon with free sides along %c or %c is for lambda = 0",
                        args->lambda, psg_grid_letter(grid, 0), psg_grid_letter(grid, 1));
    }
    return axes_with(grid, PSG_BC_DIRICHLET) > 0 || axes == 3 || args->lambda != 0
               ? PSG_OK
               : psg_fail(PSG_ERR_UNSUPPORTED,
                          "epsilon with these free sides needs %sa Dirichlet side, or a free side "
                          "along each of three axes: else u of a charge has both signs, and the "
                          "iterations need one",
                          plan->context.tabled ? "" : "lambda above 0, ");
}

static psg_status check(const psg_plan *plan, const psg_solve_args *args) {
    const psg_problem *p = &plan->problem;
    if (!psg_symbol_of(p)->faces) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "epsilon is for the symbol fd2, and the plan's symbol is another");
    }
    for (int d = 0; d < 3; d++) {
        const psg_axis *axis = &p->grid.axis[d];
        for (int side = 0; side < 2; side++) {
            if (axis->bc[side] == PSG_BC_ROBIN ||
                (axis->bc[side] == PSG_BC_NEUMANN && axis->points == PSG_POINTS_NODES)) {
                return psg_fail(PSG_ERR_UNSUPPORTED,
                                "epsilon is for periodic, Dirichlet and free sides, and for "
                                "Neumann sides with points in cells, and %c has another",
                                "xyz"[d]);
            }
        }
    }
    const psg_status status = check_free(plan, args);
    return status != PSG_OK
               ? status
               : psg_simulation_knows(plan, PSG_TASK_PCG_MEASURE, PSG_TASK_PCG_SCALARS);
}

/* -------------------------------------------------------------------------------- the fields */

static bool make_block(starpu_data_handle_t *handle, const psg_plan *plan, size_t nx, size_t ny,
                       size_t nz) {
    const size_t n[3] = {nx, ny, nz};
    return psg_block_make(handle, &plan->workers, n, sizeof(double));
}

static int fields_outside(const psg_plan *plan) {
    return axes_with(&plan->problem.grid, PSG_BC_FREE) > 0 ? BASE_PCG_OUTSIDES : 0;
}

/* A task has six fields of a segment at most, those of free sides, and some planes. To ask a GPU
 * for its free memory takes longer than a small solve, so that it is asked when the fields are
 * made. */
static psg_status check_room(const psg_plan *plan, bool faces, bool values) {
    const int fields = (faces ? 9 : 7) + values + fields_outside(plan);
    const psg_layout *l = &plan->context.layout;
    const double plane = (double)(l->n[0] * l->n[1] * sizeof(double));
    const double needed =
        fields * plane * (double)psg_parts_largest(&l->segments, l->segments.gpus, 2);
    return psg_placement_check_bytes(plan, needed, "the fields of a segment", "segments");
}

/* In main memory: x, r, p, q, scale and eps, one or by axis, with two planes more, with free sides
 * `outside`, with values on sides b, low and high, sums, the preconditioner's f and u, and where
 * epsilon is 0 somewhere the numbers of regions. On a plan with GPUs the fields live there. */
static psg_status check_memory(const psg_plan *plan, bool faces, bool values) {
    const int fields = (faces ? 8 : 6) + values + fields_outside(plan);
    const int plane_fields = faces ? 8 : 4;
    const psg_layout *l = &plan->context.layout;
    const double segments = (double)psg_range_count(l->segments.own);
    const double plane = (double)(l->n[0] * l->n[1]);
    const double points = plane * (double)psg_parts_length(&l->segments, l->segments.own, 2);
    const double sums = (double)(base_pcg_blocks(l->n[1]) * l->n[2] * BASE_PCG_MEASURES);
    const double reals = fields * points + plane_fields * plane * segments + sums;
    const double slabs = 2 * points * (double)plan->context.cpu->real_bytes;
    const double regions = points * sizeof(uint32_t);
    char what[96];
    (void)snprintf(what, sizeof what, "epsilon on %zu x %zu x %zu points", l->n[0], l->n[1],
                   l->n[2]);
    return plan->workers.copies
               ? PSG_OK
               : psg_room_check(what, reals * sizeof(double) + slabs + regions +
                                          segments * (PSG_PCG_OWN_DATA + 2) * TUNING_HANDLE_BYTES);
}

/* Of a segment of another process there are its sums, and its planes beside own segments.
 * @return false: no memory */
static bool make_segment(psg_pcg *g, const psg_plan *plan, size_t s) {
    const psg_layout *l = &plan->context.layout;
    const size_t *n = l->n;
    const size_t planes = psg_layout_planes(l, s);
    psg_task_pcg_data *to = &g->segment[s];
    const bool own = psg_range_has(l->segments.own, s);
    const bool beside[2] = {psg_range_has(l->segments.own, psg_pcg_beside(plan, s, -1)),
                            psg_range_has(l->segments.own, psg_pcg_beside(plan, s, 1))};
    starpu_data_handle_t *const fields[] = {&to->x, &to->r, &to->p, &to->q, &to->b, &to->scale};
    const size_t outside = own ? planes * (size_t)fields_outside(plan) : 0;
    bool all = (outside == 0 || make_block(&to->outside, plan, n[0], n[1], outside)) &&
               make_block(&to->part, plan, base_pcg_blocks(n[1]), planes, BASE_PCG_MEASURES) &&
               (!(own || beside[1]) || make_block(&to->high, plan, n[0], n[1], 1)) &&
               (!(own || beside[0]) || make_block(&to->low, plan, n[0], n[1], 1));
    for (int m = 0; m < 6 && own && all; m++) {
        all = make_block(fields[m], plan, n[0], n[1], planes);
    }
    for (int d = 0; d < 3 && own && all; d++) {
        all = make_block(&to->eps[d], plan, n[0], n[1], planes + 2);
    }
    return all;
}

static bool make_numbers(psg_pcg *g, const psg_plan *plan) {
    const size_t scratch[3] = {BASE_PCG_SUM_LANES, BASE_PCG_MEASURES, 1};
    bool all = make_block(&g->scalars, plan, BASE_PCG_SCALARS, 1, 1);
    for (int m = 0; m < PSG_PCG_REPORTS && all; m++) {
        all = make_block(&g->report[m], plan, BASE_PCG_SCALARS, 1, 1);
    }
    psg_block_register(&g->scratch, STARPU_MAIN_RAM, NULL, scratch, scratch[0] * scratch[1],
                       sizeof(double)); /* each worker has some of its own */
    return all;
}

static psg_status create(psg_pcg **result, const psg_plan *plan) {
    const psg_layout *l = &plan->context.layout;
    const size_t segments = l->segments.count;
    *result = NULL;
    psg_status status = PSG_OK;
    psg_pcg *g = calloc(1, sizeof *g);
    *result = g;
    if (g != NULL) {
        g->segment = calloc(segments, sizeof *g->segment);
    }
    bool all = g != NULL && g->segment != NULL &&
               psg_arrays_create_slabs(plan, &g->slabs) == PSG_OK && make_numbers(g, plan);
    for (size_t s = 0; s < segments && all; s++) {
        all = make_segment(g, plan, s);
    }
    if (!all) {
        psg_pcg_destroy(g, plan);
        *result = NULL;
        status = psg_fail(PSG_ERR_MEMORY, "no memory for the fields of %zu segments", segments);
    }
    return status;
}

/* The fields have memory once a task writes them. */
static psg_status take_fields(psg_pcg **fields, const psg_plan *plan, bool faces, bool values) {
    if (*fields != NULL && (*fields)->faces >= faces && (*fields)->values >= values) {
        return PSG_OK;
    }
    psg_status status = check_room(plan, faces, values);
    status = status == PSG_OK ? check_memory(plan, faces, values) : status;
    status = status == PSG_OK && *fields == NULL ? create(fields, plan) : status;
    if (status == PSG_OK) {
        (*fields)->faces = (*fields)->faces || faces;
        (*fields)->values = (*fields)->values || values;
    }
    return status;
}

void psg_pcg_destroy(psg_pcg *g, const psg_plan *plan) {
    if (g == NULL) {
        return;
    }
    const size_t segments = plan->context.layout.segments.count;
    psg_arrays_destroy(g->slabs, false);
    for (size_t s = 0; s < segments && g->segment != NULL; s++) {
        if (plan->storage.left) { /* MPI may still write there */
            psg_block_leave(&g->segment[s].low, 1);
            psg_block_leave(&g->segment[s].high, 1);
            psg_block_leave(&g->segment[s].part, 1);
        }
        psg_block_unregister(g->segment[s].eps, PSG_PCG_OWN_DATA);
    }
    psg_block_unregister(&g->scalars, 1);
    psg_block_unregister(&g->scratch, 1);
    psg_block_unregister(g->report, PSG_PCG_REPORTS);
    free(g->segment);
    free(g);
}

/* The messages of an iteration end before the report of the next one. Reports that nobody has
 * looked at, the one that was looked at last, the one before that, and a start. */
static bool make_room_for_messages(psg_run *run, const psg_plan *plan) {
    enum { ROUNDS = TUNING_PCG_AHEAD + 3, SUMS = 3, EDGES = 4 };
    const psg_parts *segments = &plan->context.layout.segments;
    const size_t own = psg_range_count(segments->own);
    const size_t others = (size_t)plan->processes.ranks - 1;
    const size_t sums = own * others + segments->count - own;
    return psg_run_want_messages(run, run->engine->messages + SUMS * sums + EDGES, ROUNDS);
}

/* ----------------------------------------------------------------------------------- the terms */

static base_pcg_terms constants_of(const psg_plan *plan, double lambda, double factor) {
    const psg_grid *grid = &plan->problem.grid;
    const int unit = plan->problem.unit;
    base_pcg_terms t = {.lambda = ldexp(lambda, 2 * unit),
                        .factor = ldexp(factor, 2 * unit),
                        .points = 1,
                        .drops = lambda == 0 && psg_transforms_null(grid)};
    for (int d = 0; d < 3; d++) {
        const psg_axis *axis = &grid->axis[d];
        const psg_transform *row = psg_transform_of(axis);
        const double h = ldexp(axis->length, -unit) / psg_transform_intervals(row, axis->n);
        t.width = h; /* that of z is the last one */
        t.ends[d] = !psg_transform_periodic(row);
        /* the only point of a periodic axis is its own neighbour */
        t.weight[d] = axis->n > 1 || t.ends[d] ? 1 / (h * h) : 0;
        t.points *= (double)axis->n;
        for (int side = 0; side < 2; side++) {
            t.free[d][side] = axis->bc[side] == PSG_BC_FREE;
            t.outside = t.outside || t.free[d][side];
            t.beyond[d][side] = axis->bc[side] == PSG_BC_NEUMANN || t.free[d][side] ? 1
                                : axis->points == PSG_POINTS_CELLS                  ? -1
                                                                                    : 0;
        }
    }
    return t;
}

psg_status psg_pcg_take(psg_pending *pending, psg_plan *plan, const psg_solve_args *args) {
    const bool single = plan->problem.options.precision == PSG_F32;
    const double tolerance = args->tolerance == 0 ? (single ? 1e-6 : 1e-10) : args->tolerance;
    if (args->epsilon == NULL) {
        return args->guess == 0 ? PSG_OK : psg_fail(PSG_ERR_ARG, "guess is for epsilon");
    }
    psg_status status = check(plan, args);
    if (status == PSG_OK && !(tolerance > 0 && tolerance < 1)) {
        status = psg_fail(PSG_ERR_ARG, "tolerance = %g: it has to be above 0 and below 1",
                          args->tolerance);
    }
    if (status == PSG_OK) {
        status =
            take_fields(&plan->held.pcg, plan, psg_terms_faces(args) != 0, psg_sides_given(args));
    }
    if (status == PSG_OK && !make_room_for_messages(pending->run, plan)) {
        status = psg_fail(PSG_ERR_MEMORY, "no memory for the messages of iterations");
    }
    pending->steps_most = args->iterations > 0 ? args->iterations : 1000;
    pending->terms.pcg = constants_of(plan, args->lambda, args->factor);
    pending->terms.pcg.tolerance = tolerance;
    pending->terms.pcg.guess = args->guess;
    pending->terms.pcg.faces = psg_terms_faces(args);
    return status;
}
