/* Conjugate gradients for div(eps grad u) - lambda u = f, with the solve of a plan as
 * preconditioner. base/pcg.h has the method, and s is a segment:
 *
 *   direction(s): given[s] -> p[s], low[s], high[s]
 *   measure(s): p[s], high[s-1], low[s+1] -> eps[s] --> scalars
 *   start(s): r[s], source[s], scale[s] --> scalars
 *
 *   a step:  source[0..S-1] --the plan's graph--> solution[0..S-1]
 *            dot(s): r[s], solution[s] --> scalars: beta
 *            direction(s): p[s], its planes low[s], high[s]
 *            apply(s): p[s], high[s-1], low[s+1] -> q[s] --> scalars: alpha
 *            update(s): x[s], r[s], source[s] --> scalars, report
 *
 *   direction(s): x[s] -> p[s], low[s], high[s]; apply(s); start(s): r = f - A x is small enough,
 *   or there are more steps
 *   end(s): x[s] -> u[s]
 *
 * Tasks read the scalars where these are, so steps are submitted ahead. The thread that submits
 * looks at the reports of steps before, until one says that the tolerance is reached.
 */
#include "codelets/pcg.h"
#include "base/regions.h"
#include "base/tuning.h"
#include "graph/arrays.h"
#include "graph/block.h"
#include "graph/fluid.h"
#include "graph/gradient.h"
#include "graph/options.h"
#include "graph/pcg.h"
#include "graph/pending.h"
#include "graph/placement.h"
#include "graph/plan_struct.h"
#include "graph/psg_starpu.h"
#include "graph/simulated.h"
#include "graph/start.h"
#include "graph/status.h"
#include "graph/terms.h"
#include "graph/transfer_log.h"
#include "graph/transform_table.h"
#include "graph/transforms.h"
#include "runtime/runs.h"
#include "runtime/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { REPORTS = TUNING_PCG_AHEAD + 2 };

/* What a solve is about: handles by own segment, f32 or f64. */
typedef struct psg_pcg_fields {
    const starpu_data_handle_t *f, *eps, *u;
} psg_pcg_fields;

typedef psg_task_pcg_data segment;
enum {
    SEGMENT_DATA = sizeof(segment) / sizeof(starpu_data_handle_t),
    OWN_DATA = offsetof(segment, below) / sizeof(starpu_data_handle_t)
};

struct psg_pcg {
    psg_arrays *slabs; /* the preconditioner's f and u */
    segment *segment;
    starpu_data_handle_t scalars, scratch;
    starpu_data_handle_t report[REPORTS];
};

static psg_status check(const psg_plan *plan) {
    const psg_problem *p = &plan->problem;
    if (!psg_symbol_of(p)->faces) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "epsilon is for the symbol fd2, and the plan's symbol is another");
    }
    if (p->faces != NULL) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "epsilon is for axes of one spacing so far, and %c has faces",
                        psg_grid_letter(&p->grid, 2));
    }
    for (int d = 0; d < 3; d++) {
        const psg_axis *axis = &p->grid.axis[d];
        for (int side = 0; side < 2; side++) {
            if (axis->bc[side] == PSG_BC_FREE ||
                (axis->bc[side] == PSG_BC_NEUMANN && axis->points == PSG_POINTS_NODES)) {
                return psg_fail(PSG_ERR_UNSUPPORTED,
                                "epsilon is for periodic and Dirichlet sides, and for Neumann "
                                "sides with points in cells, and %c has another",
                                "xyz"[d]);
            }
        }
    }
    if (!psg_transforms_periodic(&p->grid) && plan->workers.gpu_count > 0) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "epsilon with sides that are not periodic is for cores so far (gpus = 0)");
    }
    if (plan->processes.ranks > 1) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "epsilon is for one process");
    }
    return psg_simulation_knows(plan, PSG_TASK_PCG_MEASURE, PSG_TASK_PCG_SCALARS);
}

/* -------------------------------------------------------------------------------- the fields */

static bool make_block(starpu_data_handle_t *handle, const psg_plan *plan, size_t nx, size_t ny,
                       size_t nz) {
    const size_t n[3] = {nx, ny, nz};
    return psg_block_make(handle, &plan->workers, n, sizeof(double));
}

/* A task has six fields of a segment at most, and some planes. To ask a GPU for its free memory
 * takes longer than a small solve, so that it is asked when the fields are made. */
static psg_status check_room(const psg_plan *plan) {
    enum { FIELDS = 7 };
    const psg_layout *l = &plan->context.layout;
    const double plane = (double)(l->n[0] * l->n[1] * sizeof(double));
    const double needed =
        FIELDS * plane * (double)psg_parts_largest(&l->segments, l->segments.gpus, 2);
    return psg_placement_check_bytes(plan, needed, "the fields of a segment", "segments");
}

/* In main memory: x, r, p, q, scale and eps with two planes more, low and high, sums, and the
 * preconditioner's f and u. On a plan with GPUs the fields live there. */
static psg_status check_memory(const psg_plan *plan) {
    enum { FIELDS = 6, PLANES = 4 };
    const psg_layout *l = &plan->context.layout;
    const double points = (double)(l->n[0] * l->n[1]), segments = (double)l->segments.count;
    const double sums = (double)(base_pcg_blocks(l->n[1]) * l->n[2] * BASE_PCG_MEASURES);
    const double reals = points * (FIELDS * (double)l->n[2] + PLANES * segments) + sums;
    const double slabs = 2 * points * (double)l->n[2] * (double)plan->context.cpu->real_bytes;
    char what[96];
    (void)snprintf(what, sizeof what, "epsilon on %zu x %zu x %zu points", l->n[0], l->n[1],
                   l->n[2]);
    return plan->workers.copies
               ? PSG_OK
               : psg_room_check(what, reals * sizeof(double) + slabs +
                                          segments * (OWN_DATA + 2) * TUNING_HANDLE_BYTES);
}

/* @return false: no memory */
static bool make_segment(psg_pcg *g, const psg_plan *plan, size_t s) {
    const size_t *n = plan->context.layout.n;
    const size_t planes = psg_layout_planes(&plan->context.layout, s);
    segment *to = &g->segment[s];
    starpu_data_handle_t *const fields[] = {&to->x, &to->r, &to->p, &to->q, &to->scale};
    bool all = true;
    for (int m = 0; m < 5 && all; m++) {
        all = make_block(fields[m], plan, n[0], n[1], planes);
    }
    return all && make_block(&to->eps, plan, n[0], n[1], planes + 2) &&
           make_block(&to->low, plan, n[0], n[1], 1) &&
           make_block(&to->high, plan, n[0], n[1], 1) &&
           make_block(&to->part, plan, base_pcg_blocks(n[1]), planes, BASE_PCG_MEASURES);
}

static bool make_numbers(psg_pcg *g, const psg_plan *plan) {
    const size_t scratch[3] = {BASE_PCG_SUM_LANES, BASE_PCG_MEASURES, 1};
    bool all = make_block(&g->scalars, plan, BASE_PCG_SCALARS, 1, 1);
    for (int m = 0; m < REPORTS && all; m++) {
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
    psg_status status = check_room(plan);
    status = status == PSG_OK ? check_memory(plan) : status;
    if (status != PSG_OK) {
        return status;
    }
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

void psg_pcg_destroy(psg_pcg *g, const psg_plan *plan) {
    if (g == NULL) {
        return;
    }
    const size_t segments = plan->context.layout.segments.count;
    psg_arrays_destroy(g->slabs);
    for (size_t s = 0; s < segments && g->segment != NULL; s++) {
        psg_block_unregister(&g->segment[s].eps, OWN_DATA);
    }
    psg_block_unregister(&g->scalars, 1);
    psg_block_unregister(&g->scratch, 1);
    psg_block_unregister(g->report, REPORTS);
    free(g->segment);
    free(g);
}

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
        t.ends[d] = !psg_transform_periodic(row);
        /* the only point of a periodic axis is its own neighbour */
        t.weight[d] = axis->n > 1 || t.ends[d] ? 1 / (h * h) : 0;
        t.points *= (double)axis->n;
        for (int side = 0; side < 2; side++) {
            t.beyond[d][side] = axis->bc[side] == PSG_BC_NEUMANN   ? 1
                                : axis->points == PSG_POINTS_CELLS ? -1
                                                                   : 0;
        }
    }
    return t;
}

/* -------------------------------------------------------------------------------- the method */

/* What the functions below have in common. */
typedef struct work {
    psg_run *run;
    const psg_plan *plan;
    const psg_workspace *workspace;
    psg_pcg *g;
    base_regions *regions; /* NULL: no point is solid */
    size_t segments;
    size_t made, seen; /* reports that tasks make, and those that have been looked at */
} work;

static void submit_scalars(work *w, base_pcg_stage stage, size_t step) {
    const bool reports = stage != BASE_PCG_SOLVED && stage != BASE_PCG_APPLIED;
    psg_task_pcg_scalars(w->run, stage, step, w->g->segment, w->g->scratch,
                         w->g->report[w->made % REPORTS]);
    w->made += reports ? 1 : 0;
}

/* Wait for the next report. @return false: the run has failed, and the report means nothing */
static bool read_report(work *w, double scalars[BASE_PCG_SCALARS]) {
    const starpu_data_handle_t report = w->g->report[w->seen++ % REPORTS];
    if (starpu_data_acquire_on_node(report, STARPU_MAIN_RAM, STARPU_R) != 0) {
        psg_run_fail(w->run, PSG_FAULT_SUBMIT, "StarPU did not bring a residual");
        return false;
    }
    const double *from = (const double *)starpu_block_get_local_ptr(report);
    for (int m = 0; m < BASE_PCG_SCALARS && psg_platform->computes; m++) {
        scalars[m] = from[m];
    }
    starpu_data_release_on_node(report, STARPU_MAIN_RAM);
    return !psg_run_failed(w->run);
}

/* A task for each segment. */
static void submit_tasks(const work *w, int kind, size_t step) {
    for (size_t s = 0; s < w->segments; s++) {
        psg_task_pcg(w->run, kind, s, step, &w->g->segment[s]);
    }
}

/* A field -> p, low and high. @param[in] field  data of segment s: field.handle[s field.step] */
static void submit_copy(const work *w, psg_fluid_data field) {
    for (size_t s = 0; s < w->segments; s++) {
        segment from = w->g->segment[s];
        from.solution = field.handle[s * field.step];
        psg_task_pcg(w->run, PSG_TASK_PCG_DIRECTION, s, PSG_NO_INDEX, &from);
    }
}

static void submit_start(work *w) {
    submit_tasks(w, PSG_TASK_PCG_START, PSG_NO_INDEX);
    submit_scalars(w, BASE_PCG_STARTED, 0);
}

/* The plane of p below segment s, or above it: at an end of z the segment's own. */
static starpu_data_handle_t plane_beside(const work *w, size_t s, int towards) {
    const bool ends = !psg_transform_periodic(psg_transform_of(&w->plan->problem.grid.axis[2]));
    const size_t segments = w->segments;
    const segment *at = w->g->segment;
    return towards < 0 ? (s > 0  ? at[s - 1].high
                          : ends ? at[0].low
                                 : at[segments - 1].high)
                       : (s + 1 < segments ? at[s + 1].low
                          : ends           ? at[s].high
                                           : at[0].low);
}

/* What the tasks on segments use beside what the plan keeps for them. */
static void fill_segments(const work *w, const psg_pcg_fields *fields) {
    for (size_t s = 0; s < w->segments; s++) {
        segment *at = &w->g->segment[s];
        at->below = plane_beside(w, s, -1);
        at->above = plane_beside(w, s, 1);
        at->scalars = w->g->scalars;
        at->f = fields->f[s];
        at->u = fields->u[s];
        at->source = w->g->slabs->slabs[PSG_FIELD_F][s];
        at->solution = w->g->slabs->slabs[PSG_FIELD_U][s];
    }
}

static void submit_step(work *w, size_t step) {
    w->plan->route.graph->submit(w->run, w->plan, w->workspace, w->g->slabs);
    submit_tasks(w, PSG_TASK_PCG_DOT, step);
    submit_scalars(w, BASE_PCG_SOLVED, step);
    submit_tasks(w, PSG_TASK_PCG_DIRECTION, step);
    submit_tasks(w, PSG_TASK_PCG_APPLY, step);
    submit_scalars(w, BASE_PCG_APPLIED, step);
    submit_tasks(w, PSG_TASK_PCG_UPDATE, step);
    submit_scalars(w, BASE_PCG_UPDATED, step);
}

/* The residual after `step` steps, if it goes on falling as it has on the average. */
static double expected(const psg_pcg_result *result, size_t step) {
    return result->steps == 0 ? 1 : pow(result->residual, (double)step / (double)result->steps);
}

/* Look at the next report. @return false: there is nothing more to do */
static bool look(work *w, psg_pcg_result *result) {
    double s[BASE_PCG_SCALARS] = {0};
    const bool good = read_report(w, s);
    result->steps = (size_t)s[BASE_PCG_STEPS];
    result->residual = s[BASE_PCG_FIRST] != 0 ? sqrt(s[BASE_PCG_RR] / s[BASE_PCG_FIRST]) : 0;
    result->reached = good && s[BASE_PCG_DONE] != 0 && isfinite(result->residual);
    return good && s[BASE_PCG_DONE] == 0;
}

/* Far from the tolerance, submit steps ahead of the reports. Near it submit none ahead: an extra
 * step costs time and changes nothing. */
static void iterate(work *w, double tolerance, size_t most, psg_pcg_result *result) {
    bool more = true;
    for (size_t step = result->steps; more; step++) {
        while (more && w->seen < w->made &&
               (w->seen + TUNING_PCG_AHEAD < w->made || step == most ||
                !(expected(result, step) > tolerance))) {
            more = look(w, result);
        }
        more = more && step < most;
        if (more) {
            submit_step(w, step + 1);
        }
    }
}

/* f or r, less its means in the fluid -> p, which start() takes for f. */
static bool fill_fluid(work *w, psg_fluid_data f, psg_pcg_result *result) {
    const psg_fluid_data p = {&w->g->segment->p, SEGMENT_DATA};
    return psg_fluid_fill(w->run, w->plan, w->regions, f, p, result);
}

/* The residual of x in place of the recursion's. @return false: the run has failed */
static bool start_from_x(work *w, const psg_pcg_fields *fields, psg_terms *terms,
                         psg_pcg_result *result) {
    const psg_fluid_data f = {fields->f, 1};
    const psg_fluid_data x = {&w->g->segment->x, SEGMENT_DATA};
    double s[BASE_PCG_SCALARS];
    while (w->seen < w->made) { /* of steps after the last one that changed anything */
        if (!read_report(w, s)) {
            return false;
        }
    }
    terms->pcg.begins = BASE_PCG_FROM_X;
    if (w->regions != NULL && !psg_fluid_drop(w->run, w->plan, w->regions, x)) {
        return false;
    }
    submit_copy(w, x);
    submit_tasks(w, PSG_TASK_PCG_APPLY, PSG_NO_INDEX);
    if (w->regions != NULL && !fill_fluid(w, f, result)) {
        return false;
    }
    submit_start(w);
    (void)look(w, result);
    return !psg_run_failed(w->run);
}

/* Rounding left r with means that A x cannot have: go on without them. */
static bool start_from_r(work *w, psg_terms *terms, psg_pcg_result *result) {
    const psg_fluid_data r = {&w->g->segment->r, SEGMENT_DATA};
    psg_pcg_result unused = *result;
    if (w->regions != NULL) {
        terms->pcg.begins = BASE_PCG_FROM_R;
        if (!fill_fluid(w, r, &unused)) {
            return false;
        }
    }
    submit_start(w);
    return true;
}

/* The steps aim at the tolerance, as those from x = 0 do, which is the answer for f = 0. */
static bool start_from_guess(work *w, const psg_pcg_fields *fields, psg_terms *terms,
                             psg_pcg_result *result) {
    if (!look(w, result) && result->reached) {
        terms->pcg.guess = 0;
        submit_start(w);
        return true;
    }
    const bool good = start_from_x(w, fields, terms, result);
    terms->pcg.begins = BASE_PCG_ANEW;
    result->bad_guess = good && psg_platform->computes && !isfinite(result->residual);
    return good && !result->reached && !result->bad_guess;
}

/* Steps until f - A x is small enough, until there were too many, or until rounding keeps nearly
 * all of it. */
static void solve(work *w, const psg_pcg_fields *fields, psg_terms *terms, size_t most,
                  psg_pcg_result *result) {
    const double nearly_all = 0.9;
    double before = INFINITY;
    submit_start(w);
    bool more = !terms->pcg.guess || start_from_guess(w, fields, terms, result);
    while (more) {
        iterate(w, terms->pcg.tolerance, most, result);
        more = (result->steps > 0 || !psg_platform->computes) &&
               start_from_x(w, fields, terms, result) && psg_platform->computes &&
               !result->reached && result->steps < most && result->residual < nearly_all * before &&
               start_from_r(w, terms, result);
        before = result->residual;
    }
    result->reached = result->reached || !psg_platform->computes;
}

/* The longest axis, in the unit of base_pcg_terms.weight. */
static double longest(const psg_plan *plan) {
    double length = 0;
    for (int d = 0; d < 3; d++) {
        const psg_axis *axis = &plan->problem.grid.axis[d];
        length = axis->n > 1 ? fmax(length, axis->length) : length;
    }
    return ldexp(length, -plan->problem.unit);
}

static void submit(psg_run *run, const psg_plan *plan, const psg_workspace *workspace, psg_pcg *g,
                   const psg_pcg_fields *fields, psg_terms *terms, size_t most,
                   psg_pcg_result *result) {
    work w = {.run = run,
              .plan = plan,
              .workspace = workspace,
              .g = g,
              .segments = plan->context.layout.segments.count};
    /* A simulation has these, and no residual that would end it. */
    double s[BASE_PCG_SCALARS] = {[BASE_PCG_EPS_LEAST] = 1,
                                  [BASE_PCG_EPS_MOST] = 1,
                                  [BASE_PCG_SCALE] = 1,
                                  [BASE_PCG_FLUID_POINTS] = terms->pcg.points,
                                  [BASE_PCG_EPS_TOTAL] = 1};
    *result = (psg_pcg_result){.residual = 1};
    terms->pcg.begins = BASE_PCG_ANEW;
    fill_segments(&w, fields);
    submit_copy(&w, (psg_fluid_data){fields->eps, 1});
    submit_tasks(&w, PSG_TASK_PCG_MEASURE, PSG_NO_INDEX);
    submit_scalars(&w, BASE_PCG_MEASURED, 0);
    if (!read_report(&w, s)) {
        return;
    }
    result->sum = s[BASE_PCG_F_SUM];
    result->largest = s[BASE_PCG_F_LARGEST];
    result->bad_eps = !(s[BASE_PCG_EPS_LEAST] > 0 && s[BASE_PCG_EPS_MOST] > 0);
    if (result->bad_eps || !isfinite(result->sum)) {
        return;
    }
    /* A multiple of M is as good, so M may have the factor of f, and eps = 1 where A has another
     * one. */
    terms->pcg.middle = sqrt(s[BASE_PCG_EPS_LEAST]) * sqrt(s[BASE_PCG_EPS_MOST]);
    terms->lambda = terms->pcg.lambda / terms->pcg.middle;
    terms->pcg.scaled = base_pcg_scales(s, longest(plan));
    if (s[BASE_PCG_FLUID_POINTS] < terms->pcg.points) {
        const psg_fluid_data eps = {&g->segment->eps, SEGMENT_DATA};
        const psg_fluid_data f = {fields->f, 1};
        w.regions = psg_fluid_find(run, plan, eps, terms->pcg.lambda);
        if (w.regions == NULL || !fill_fluid(&w, f, result)) {
            base_regions_destroy(w.regions);
            return;
        }
        terms->pcg.drops = 0;
        for (size_t m = 0; m < w.segments; m++) {
            g->segment[m].f = g->segment[m].p;
        }
    }
    solve(&w, fields, terms, most, result);
    base_regions_destroy(w.regions);
    if (result->bad_guess) {
        return;
    }
    submit_tasks(&w, PSG_TASK_PCG_END, PSG_NO_INDEX);
}

/* ------------------------------------------------------------------------------ between arrays */

psg_status psg_pcg_take(psg_pending *pending, psg_plan *plan, const psg_solve_args *args) {
    const bool single = plan->problem.options.precision == PSG_F32;
    const double tolerance = args->tolerance == 0 ? (single ? 1e-6 : 1e-10) : args->tolerance;
    if (args->epsilon == NULL) {
        return args->guess == 0 ? PSG_OK : psg_fail(PSG_ERR_ARG, "guess is for epsilon");
    }
    psg_status status = check(plan);
    for (int m = 0; m < 6 && status == PSG_OK; m++) {
        if (args->side[m / 2][m % 2] != NULL || args->value[m / 2][m % 2] != 0) {
            status = psg_fail(PSG_ERR_UNSUPPORTED,
                              "epsilon is for sides with 0: values there are not there yet");
        }
    }
    if (status == PSG_OK && !(tolerance > 0 && tolerance < 1)) {
        status = psg_fail(PSG_ERR_ARG, "tolerance = %g: it has to be above 0 and below 1",
                          args->tolerance);
    }
    if (status == PSG_OK && plan->held.pcg == NULL) {
        status = create(&plan->held.pcg, plan);
    }
    pending->steps_most = args->iterations > 0 ? args->iterations : 1000;
    pending->terms.pcg = constants_of(plan, args->lambda, args->factor);
    pending->terms.pcg.tolerance = tolerance;
    pending->terms.pcg.guess = args->guess;
    return status;
}

void psg_pcg_submit_arrays(psg_run *run, const psg_plan *plan, psg_pending *pending) {
    const psg_arrays *a = pending->arrays;
    const psg_pcg_fields fields = {a->slabs[PSG_FIELD_F], a->slabs[PSG_FIELD_EPSILON],
                                   a->slabs[PSG_FIELD_U]};
    submit(run, plan, pending->workspace, plan->held.pcg, &fields, &pending->terms,
           pending->steps_most, &pending->pcg);
    if (pending->pcg.bad_eps || pending->pcg.bad_guess || !isfinite(pending->pcg.sum)) {
        return;
    }
    for (size_t s = 0; s < plan->context.layout.segments.count; s++) {
        psg_arrays_bring(run, plan, a, PSG_FIELD_U, s);
    }
    psg_graph_gradient(run, plan, pending->workspace, a);
}

/* -------------------------------------------------------------- between a program's StarPU data */

static psg_status read_args(psg_pending *pending, psg_plan *plan, const psg_solve_args *args) {
    const psg_array any = {.data = NULL}; /* the program's data stand for it */
    psg_solve_args full = psg_terms_of_plan(plan);
    psg_status status = args != NULL ? psg_terms_read(&full, plan, args) : PSG_OK;
    full.epsilon = &any;
    if (status == PSG_OK) {
        status = psg_terms_take(plan, &full, &pending->terms, &pending->mean);
    }
    return status == PSG_OK ? psg_pcg_take(pending, plan, &full) : status;
}

psg_status psg_solve_epsilon(psg_plan *plan, struct _starpu_data_state *const *f,
                             struct _starpu_data_state *const *epsilon,
                             struct _starpu_data_state *const *u, const psg_solve_args *args) {
    psg_pending pending = {.next = NULL};
    const psg_pcg_fields fields = {f, epsilon, u};
    psg_clear_error();
    if (plan == NULL || f == NULL || epsilon == NULL || u == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan, f, epsilon or u is NULL");
    }
    if (plan->pending.oldest != NULL) {
        return psg_fail(PSG_ERR_STATE, "a solve is in flight: psg_wait() for it first");
    }
    psg_status status = read_args(&pending, plan, args);
    if (status != PSG_OK) {
        return status;
    }
    psg_run *run = pending.run = psg_run_create(&plan->context.engine);
    if (run == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for a run");
    }
    pending.terms.overlap = plan->storage.workspaces[0]->overlap;
    run->phases = psg_workspace_phases(plan->storage.workspaces[0]);
    run->user = &pending.terms;
    run->awake = true;
    psg_transfers_begin(&plan->work, true);
    const psg_submission submission = psg_work_start(&plan->work, run, plan->pending.launched++);
    submit(run, plan, plan->storage.workspaces[0], plan->held.pcg, &fields, &pending.terms,
           pending.steps_most, &pending.pcg);
    psg_work_submitted(run, submission);
    (void)psg_run_wait(run, 0);
    psg_work_keep(&plan->work, run, submission.program);
    psg_transfers_end(&plan->work, run);
    if (run->engine->run_ended == NULL) { /* as after psg_wait() */
        psg_runtime_rest();
    }
    plan->past.pcg = pending.pcg;
    status = psg_pcg_judge_data(plan, &pending);
    psg_run_destroy(run);
    return status;
}
