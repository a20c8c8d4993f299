/* Conjugate gradients for div(eps grad u) - lambda u = f, with the solve of a plan as preconditioner. base/pcg.h has the
 * method, and s is a segment:
 *
 *   measure(s) -> eps[s] --> scalars --> start(s): r[s], source[s] --> scalars
 *
 *   a step:  source[0..S-1] --the plan's graph--> solution[0..S-1]
 *            dot(s): r[s], solution[s] --> scalars: beta
 *            direction(s): p[s], its planes low[s], high[s]
 *            apply(s): p[s], high[s-1], low[s+1] -> q[s] --> scalars: alpha
 *            update(s): x[s], r[s], source[s] --> scalars, report
 *
 *   end(s): x[s] -> u[s]
 *
 * Tasks read the scalars where these are, so steps are submitted ahead. The thread that submits looks at the reports of
 * steps before, until one says that the tolerance is reached.
 */
#include "graph/pcg.h"
#include "base/tuning.h"
#include "codelets/pcg.h"
#include "graph/transforms.h"
#include "runtime/simulation.h"

#include <math.h>
#include <stdlib.h>

enum { REPORTS = TUNING_PCG_AHEAD + 2 };

typedef struct segment {
    starpu_data_handle_t eps, x, r, p, q, low, high;
} segment;
enum { SEGMENT_DATA = sizeof(segment) / sizeof(starpu_data_handle_t) };

struct psg_pcg {
    psg_arrays *slabs; /* the preconditioner's f and u */
    segment *segment;
    starpu_data_handle_t *sums; /* [segments] */
    starpu_data_handle_t scalars, scratch;
    starpu_data_handle_t report[REPORTS];
};

psg_status psg_pcg_check(const psg_plan *plan) {
    const psg_problem *p = &plan->problem;
    if (p->options.symbol != PSG_SYMBOL_FD2) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "epsilon is for the symbol fd2, and the plan's symbol is another");
    }
    if (!psg_transforms_periodic(&p->grid)) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "epsilon is for sides that are all periodic");
    }
    if (plan->processes.ranks > 1) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "epsilon is for one process");
    }
    return psg_simulated() ? psg_fail(PSG_ERR_UNSUPPORTED,
                                      "a simulation has no residual that says when a solve with "
                                      "epsilon ends")
                           : PSG_OK;
}

/* -------------------------------------------------------------------------------- the fields */

static void make_block(starpu_data_handle_t *handle, size_t nx, size_t ny, size_t nz) {
    const size_t n[3] = {nx, ny, nz};
    psg_block_register(handle, STARPU_MAIN_RAM, NULL, n, nx * ny, sizeof(double));
}

psg_status psg_pcg_create(psg_pcg **result, const psg_plan *plan) {
    const psg_layout *l = &plan->context.layout;
    const size_t segments = l->segments.count;
    const size_t *n = l->n;
    psg_pcg *g = calloc(1, sizeof *g);
    *result = g;
    if (g != NULL) {
        g->segment = calloc(segments, sizeof *g->segment);
        g->sums = calloc(segments, sizeof(starpu_data_handle_t));
    }
    if (g == NULL || g->segment == NULL || g->sums == NULL ||
        psg_arrays_create_slabs(plan, &g->slabs) != PSG_OK) {
        psg_pcg_destroy(g, plan);
        *result = NULL;
        return psg_fail(PSG_ERR_MEMORY, "no memory for the fields of %zu segments", segments);
    }
    for (size_t s = 0; s < segments; s++) {
        const size_t planes = psg_layout_planes(l, s);
        segment *to = &g->segment[s];
        starpu_data_handle_t *const fields[] = {&to->x, &to->r, &to->p, &to->q};
        for (int m = 0; m < 4; m++) {
            make_block(fields[m], n[0], n[1], planes);
        }
        make_block(&to->eps, n[0], n[1], planes + 2);
        make_block(&to->low, n[0], n[1], 1);
        make_block(&to->high, n[0], n[1], 1);
        make_block(&g->sums[s], base_pcg_blocks(n[1]), planes, BASE_PCG_MEASURES);
    }
    make_block(&g->scalars, BASE_PCG_SCALARS, 1, 1);
    make_block(&g->scratch, BASE_PCG_SUM_LANES, BASE_PCG_MEASURES, 1);
    for (int m = 0; m < REPORTS; m++) {
        make_block(&g->report[m], BASE_PCG_SCALARS, 1, 1);
    }
    return PSG_OK;
}

void psg_pcg_destroy(psg_pcg *g, const psg_plan *plan) {
    if (g == NULL) {
        return;
    }
    const size_t segments = plan->context.layout.segments.count;
    psg_arrays_destroy(g->slabs, plan);
    psg_block_unregister((starpu_data_handle_t *)g->segment,
                         g->segment != NULL ? segments * SEGMENT_DATA : 0);
    psg_block_unregister(g->sums, segments);
    psg_block_unregister(&g->scalars, 1);
    psg_block_unregister(&g->scratch, 1);
    psg_block_unregister(g->report, REPORTS);
    free(g->segment);
    free(g->sums);
    free(g);
}

base_pcg_terms psg_pcg_terms(const psg_plan *plan, double lambda, double factor) {
    const psg_grid *grid = &plan->problem.grid;
    base_pcg_terms t = {.lambda = lambda, .factor = factor, .points = 1, .drops = lambda == 0};
    for (int d = 0; d < 3; d++) {
        const double h = grid->axis[d].length / (double)grid->axis[d].n;
        t.weight[d] = 1 / (h * h);
        t.points *= (double)grid->axis[d].n;
    }
    return t;
}

/* -------------------------------------------------------------------------------- the method */

/* What the functions below have in common. */
typedef struct work {
    psg_run *run;
    const psg_plan *plan;
    const psg_lane *lane;
    psg_pcg *g;
    size_t segments;
    size_t
        seen; /* reports that have been looked at: `measure` makes the first, `start` the second */
} work;

static void submit_scalars(const work *w, base_pcg_stage stage, size_t step, size_t report) {
    psg_task_pcg_scalars(w->run, stage, step, w->g->sums, w->g->scalars, w->g->scratch,
                         w->g->report[report % REPORTS]);
}

/* Wait for the next report. @return false: the run has failed, and the report means nothing */
static bool read_report(work *w, double scalars[BASE_PCG_SCALARS]) {
    const starpu_data_handle_t report = w->g->report[w->seen++ % REPORTS];
    if (starpu_data_acquire_on_node(report, STARPU_MAIN_RAM, STARPU_R) != 0) {
        psg_run_fail(w->run, PSG_FAULT_SUBMIT, "StarPU did not bring a residual");
        return false;
    }
    const double *from = (const double *)starpu_block_get_local_ptr(report);
    for (int m = 0; m < BASE_PCG_SCALARS; m++) {
        scalars[m] = from[m];
    }
    starpu_data_release_on_node(report, STARPU_MAIN_RAM);
    return !psg_run_failed(w->run);
}

static void submit_start(const work *w, const psg_pcg_fields *fields) {
    for (size_t s = 0; s < w->segments; s++) {
        const segment *at = &w->g->segment[s];
        const starpu_data_handle_t xrp[3] = {at->x, at->r, at->p};
        psg_task_pcg_start(w->run, s, fields->f[s], w->g->scalars, xrp,
                           w->g->slabs->slabs[PSG_FIELD_F][s], w->g->sums[s]);
    }
    submit_scalars(w, BASE_PCG_STARTED, 0, 1);
}

static void submit_step(const work *w, size_t step) {
    psg_run *run = w->run;
    const psg_pcg *g = w->g;
    starpu_data_handle_t *const source = g->slabs->slabs[PSG_FIELD_F];
    starpu_data_handle_t *const solution = g->slabs->slabs[PSG_FIELD_U];
    psg_graph_submit(run, w->plan, w->lane, g->slabs);
    for (size_t s = 0; s < w->segments; s++) {
        psg_task_pcg_dot(run, s, step, g->segment[s].r, solution[s], g->sums[s]);
    }
    submit_scalars(w, BASE_PCG_SOLVED, step, 0);
    for (size_t s = 0; s < w->segments; s++) {
        const segment *at = &g->segment[s];
        psg_task_pcg_direction(run, s, step, g->scalars, solution[s], at->p, at->low, at->high);
    }
    for (size_t s = 0; s < w->segments; s++) {
        const segment *at = &g->segment[s];
        psg_task_pcg_apply(run, s, step, at->eps, at->p,
                           g->segment[(s + w->segments - 1) % w->segments].high,
                           g->segment[(s + 1) % w->segments].low, at->q, g->sums[s]);
    }
    submit_scalars(w, BASE_PCG_APPLIED, step, 0);
    for (size_t s = 0; s < w->segments; s++) {
        const segment *at = &g->segment[s];
        const starpu_data_handle_t xrpq[4] = {at->x, at->r, at->p, at->q};
        psg_task_pcg_update(run, s, step, g->scalars, xrpq, source[s], g->sums[s]);
    }
    submit_scalars(w, BASE_PCG_UPDATED, step, step + 1);
}

/* The residual after `step` steps, if it goes on falling as it has on the average. */
static double expected(const psg_pcg_result *result, size_t step) {
    return result->steps == 0 ? 1 : pow(result->residual, (double)step / (double)result->steps);
}

/* Steps until the tolerance is reached. While that is far, some are submitted ahead of the reports; then none, as a step
 * too many does nothing and costs as much as any. */
static void iterate(work *w, double tolerance, size_t most, psg_pcg_result *result) {
    double s[BASE_PCG_SCALARS];
    bool more = true;
    for (size_t step = 0; more; step++) {
        while (more && w->seen < step + 2 &&
               (w->seen + TUNING_PCG_AHEAD < step + 2 || step == most ||
                !(expected(result, step) > tolerance))) {
            more = read_report(w, s);
            result->steps = (size_t)s[BASE_PCG_STEPS];
            result->residual = s[BASE_PCG_FIRST] > 0 ? sqrt(s[BASE_PCG_RR] / s[BASE_PCG_FIRST]) : 0;
            more = more && s[BASE_PCG_DONE] == 0;
        }
        more = more && step < most;
        if (more) {
            submit_step(w, step + 1);
        }
    }
    result->reached = result->residual <= tolerance;
}

void psg_pcg_submit(psg_run *run, const psg_plan *plan, const psg_lane *lane, psg_pcg *g,
                    const psg_pcg_fields *fields, psg_terms *terms, size_t most,
                    psg_pcg_result *result) {
    work w = {.run = run,
              .plan = plan,
              .lane = lane,
              .g = g,
              .segments = plan->context.layout.segments.count};
    double s[BASE_PCG_SCALARS];
    *result = (psg_pcg_result){.residual = 1};
    for (size_t m = 0; m < w.segments; m++) {
        psg_task_pcg_measure(run, m, fields->f[m], fields->eps, g->segment[m].eps, g->sums[m]);
    }
    submit_scalars(&w, BASE_PCG_MEASURED, 0, 0);
    if (!read_report(&w, s)) {
        return;
    }
    result->sum = s[BASE_PCG_F_SUM];
    result->bad_eps = !(s[BASE_PCG_EPS_LEAST] > 0);
    if (result->bad_eps || !isfinite(result->sum)) {
        return;
    }
    /* A multiple of M is as good, so M may have eps = 1 where A has another one. */
    terms->lambda = terms->pcg.lambda / (sqrt(s[BASE_PCG_EPS_LEAST]) * sqrt(s[BASE_PCG_EPS_MOST]));
    submit_start(&w, fields);
    iterate(&w, terms->pcg.tolerance, most, result);
    for (size_t m = 0; m < w.segments; m++) {
        psg_task_pcg_end(run, m, g->scalars, g->segment[m].x, fields->u[m]);
    }
}
