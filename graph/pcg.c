/* Conjugate gradients for div(eps grad u) - lambda u = f, with the solve of a plan as
 * preconditioner. base/pcg.h has the method, and s is a segment:
 *
 *   direction(s): given[s] -> p[s], low[s], high[s]
 *   measure(s): p[s], high[s-1], low[s+1] -> eps[s] --> scalars; on faces axis by axis, and then
 *   the measures; with values on sides f[s] -> b[s], which is f from then on
 *   start(s): r[s], source[s], scale[s] --> scalars
 *
 *   a step:  source[0..S-1] --the plan's graph--> solution[0..S-1]
 *            dot(s): r[s], solution[s] --> scalars: beta
 *            direction(s): x[s] of the step before; p[s], its planes low[s], high[s]
 *            apply(s): p[s], high[s-1], low[s+1] -> q[s] --> scalars: alpha
 *            update(s): r[s], source[s] --> scalars, report
 *
 *   direction(s): x[s] of the last step -> p[s], low[s], high[s]; apply(s); start(s): r = f - A x
 *   is small enough, or there are more steps
 *   end(s): x[s] -> u[s]
 *
 * Tasks read the scalars where these are, so steps are submitted ahead. The thread that submits
 * looks at the reports of steps before, until one says that the tolerance is reached.
 */
#include "codelets/pcg.h"
#include "base/pcg_measure.h"
#include "graph/arrays.h"
#include "graph/fluid.h"
#include "graph/gradient.h"
#include "graph/pcg.h"
#include "graph/pcg_fields.h"
#include "graph/pending.h"
#include "graph/plan_struct.h"
#include "graph/terms.h"
#include "graph/work.h"
#include "runtime/simulation.h"

#include <math.h>

/* -------------------------------------------------------------------------------- the method */

/* What the functions below have in common. */
typedef struct work {
    psg_run *run;
    const psg_plan *plan;
    const psg_workspace *workspace;
    psg_pcg *g;
    const psg_pcg_given *given;
    psg_terms *terms;
    psg_pcg_result *result;
    size_t most;       /* steps */
    psg_fluid *fluid;  /* NULL: no point is solid */
    psg_range own;     /* segments */
    bool failed;       /* the run has, here or on another process */
    size_t made, seen; /* reports that tasks make, and those that have been looked at */
} work;

static void submit_scalars(work *w, base_pcg_stage stage, size_t step) {
    const bool reports = stage != BASE_PCG_SOLVED && stage != BASE_PCG_APPLIED;
    psg_pcg_carry_sums(w->run, w->plan, (size_t)base_pcg_measures(stage, &w->terms->pcg));
    psg_task_pcg_scalars(w->run, stage, step, w->g->segment, w->g->scratch,
                         w->g->report[w->made % PSG_PCG_REPORTS]);
    w->made += reports ? 1 : 0;
}

/* Wait for the next report. @return false: the run has failed, here or on another process, and the
 * report means nothing */
static bool read_report(work *w, double scalars[BASE_PCG_SCALARS]) {
    const starpu_data_handle_t report = w->g->report[w->seen++ % PSG_PCG_REPORTS];
    if (psg_work_acquire(w->run, report, STARPU_R)) {
        const double *from = (const double *)starpu_block_get_local_ptr(report);
        for (int m = 0; m < BASE_PCG_SCALARS && psg_platform->computes; m++) {
            scalars[m] = from[m];
        }
        starpu_data_release_on_node(report, STARPU_MAIN_RAM);
    }
    w->failed = !psg_pcg_agree(w->run, w->plan);
    return !w->failed;
}

/* A task for each segment. */
static void submit_tasks(const work *w, int kind, size_t step) {
    for (size_t s = w->own.first; s < w->own.end; s++) {
        psg_task_pcg(w->run, kind, s, step, &w->g->segment[s]);
    }
}

/* p with its planes, which the other processes get, too. */
static void submit_direction(const work *w, size_t step) {
    submit_tasks(w, PSG_TASK_PCG_DIRECTION, step);
    psg_pcg_carry_planes(w->run, w->plan);
}

/* A field -> p, low and high. @param[in] field  data of own segment m: field.handle[m field.step]
 */
static void submit_copy(const work *w, psg_fluid_data field) {
    for (size_t s = w->own.first; s < w->own.end; s++) {
        psg_task_pcg_data from = w->g->segment[s];
        from.solution = field.handle[(s - w->own.first) * field.step];
        psg_task_pcg(w->run, PSG_TASK_PCG_DIRECTION, s, PSG_NO_INDEX, &from);
    }
    psg_pcg_carry_planes(w->run, w->plan);
}

static void submit_start(work *w) {
    submit_tasks(w, PSG_TASK_PCG_START, PSG_NO_INDEX);
    submit_scalars(w, BASE_PCG_STARTED, 0);
}

/* The plane of p below segment s, or above it: at an end of z the segment's own. */
static starpu_data_handle_t plane_beside(const work *w, size_t s, int towards) {
    const size_t other = psg_pcg_beside(w->plan, s, towards);
    const psg_task_pcg_data *at = &w->g->segment[other < SIZE_MAX ? other : s];
    return (towards < 0) == (other < SIZE_MAX) ? at->high : at->low;
}

/* What the tasks on segments use beside what the plan keeps for them. */
static void fill_segments(const work *w) {
    w->g->segment[0].scalars = w->g->scalars;
    for (size_t s = w->own.first; s < w->own.end; s++) {
        psg_task_pcg_data *at = &w->g->segment[s];
        const size_t m = s - w->own.first;
        at->below = plane_beside(w, s, -1);
        at->above = plane_beside(w, s, 1);
        at->scalars = w->g->scalars;
        at->f = w->given->f[m];
        at->u = w->given->u[m];
        at->source = w->g->slabs->slabs[PSG_FIELD_F][m];
        at->solution = w->g->slabs->slabs[PSG_FIELD_U][m];
    }
}

/* r and the plan's f change places, where r is the plan's f: its graph only reads that. */
static void swap_sources(const work *w) {
    for (size_t s = w->own.first; s < w->own.end && w->terms->pcg.shares; s++) {
        starpu_data_handle_t *source = &w->g->slabs->slabs[PSG_FIELD_F][s - w->own.first];
        const starpu_data_handle_t r = w->g->segment[s].r;
        w->g->segment[s].r = *source;
        *source = r;
    }
}

static void submit_step(work *w, size_t step) {
    swap_sources(w);
    w->plan->route.graph->submit(w->run, w->plan, w->workspace, w->g->slabs);
    swap_sources(w);
    submit_tasks(w, PSG_TASK_PCG_DOT, step);
    submit_scalars(w, BASE_PCG_SOLVED, step);
    submit_direction(w, step);
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
static bool look(work *w) {
    psg_pcg_result *result = w->result;
    double s[BASE_PCG_SCALARS] = {0};
    if (!read_report(w, s)) {
        return false;
    }
    result->steps = (size_t)s[BASE_PCG_STEPS];
    result->residual = s[BASE_PCG_FIRST] != 0 ? sqrt(s[BASE_PCG_RR] / s[BASE_PCG_FIRST]) : 0;
    result->reached = s[BASE_PCG_DONE] != 0 && isfinite(result->residual);
    psg_residuals_put(w->plan->residuals, result->steps, result->residual);
    return s[BASE_PCG_DONE] == 0;
}

/* Far from the tolerance, submit steps ahead of the reports. Near it submit none ahead: an extra
 * step costs time and changes nothing. */
static void iterate(work *w) {
    bool more = true;
    for (size_t step = w->result->steps; more; step++) {
        while (more && w->seen < w->made &&
               (w->seen + TUNING_PCG_AHEAD < w->made || step == w->most ||
                !(expected(w->result, step) > w->terms->pcg.tolerance))) {
            more = look(w);
        }
        more = more && step < w->most;
        if (more) {
            submit_step(w, step + 1);
        }
    }
}

/* f with what values on sides add to it. */
static psg_fluid_data right_hand_side(const work *w) {
    return w->terms->sides.apart ? (psg_fluid_data){&w->g->segment[w->own.first].b, PSG_PCG_DATA}
                                 : (psg_fluid_data){w->given->f, 1};
}

/* f or r, less its means in the fluid -> p, which start() takes for f. */
static bool fill_fluid(work *w, psg_fluid_data f, psg_pcg_result *result) {
    const psg_fluid_data p = {&w->g->segment[w->own.first].p, PSG_PCG_DATA};
    w->failed = !psg_fluid_fill(w->run, w->plan, w->fluid, f, p, result);
    return !w->failed;
}

/* The residual of x in place of the recursion's. @return false: the run has failed */
static bool start_from_x(work *w) {
    const psg_fluid_data x = {&w->g->segment[w->own.first].x, PSG_PCG_DATA};
    double s[BASE_PCG_SCALARS];
    while (w->seen < w->made) { /* of steps after the last one that changed anything */
        if (!read_report(w, s)) {
            return false;
        }
    }
    w->terms->pcg.begins = BASE_PCG_FROM_X;
    submit_tasks(w, PSG_TASK_PCG_DIRECTION, 0);
    if (w->fluid == NULL) {
        psg_pcg_carry_planes(w->run, w->plan);
    } else {
        if (!psg_fluid_drop(w->run, w->plan, w->fluid, x)) {
            w->failed = true;
            return false;
        }
        submit_copy(w, x);
    }
    submit_tasks(w, PSG_TASK_PCG_APPLY, PSG_NO_INDEX);
    if (w->fluid != NULL && !fill_fluid(w, right_hand_side(w), w->result)) {
        return false;
    }
    submit_start(w);
    (void)look(w);
    return !w->failed;
}

/* Rounding left r with means that A x cannot have: go on without them. */
static bool start_from_r(work *w) {
    const psg_fluid_data r = {&w->g->segment[w->own.first].r, PSG_PCG_DATA};
    psg_pcg_result unused = *w->result;
    if (w->fluid != NULL) {
        w->terms->pcg.begins = BASE_PCG_FROM_R;
        if (!fill_fluid(w, r, &unused)) {
            return false;
        }
    }
    submit_start(w);
    return true;
}

/* The steps aim at the tolerance, as those from x = 0 do, which is the answer for f = 0. */
static bool start_from_guess(work *w) {
    psg_pcg_result *r = w->result;
    if (!look(w) && r->reached) {
        w->terms->pcg.guess = 0;
        submit_start(w);
        return true;
    }
    const bool good = start_from_x(w);
    w->terms->pcg.begins = BASE_PCG_ANEW;
    r->bad_guess = good && psg_platform->computes && !isfinite(r->residual);
    return good && !r->reached && !r->bad_guess;
}

/* Steps until f - A x is small enough, until there were too many, or until rounding keeps nearly
 * all of it. @return false: x is no better than the guess, which is bad */
static bool solve(work *w) {
    const double nearly_all = 0.9;
    psg_pcg_result *r = w->result;
    double before = INFINITY;
    submit_start(w);
    bool more = !w->terms->pcg.guess || start_from_guess(w);
    while (more) {
        iterate(w);
        more = !w->failed && (r->steps > 0 || !psg_platform->computes) && start_from_x(w) &&
               psg_platform->computes && !r->reached && r->steps < w->most &&
               r->residual < nearly_all * before && start_from_r(w);
        before = r->residual;
    }
    r->reached = r->reached || !psg_platform->computes;
    return !r->bad_guess && !w->failed;
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

/* Solid points: their regions, and f less its means there. @return false: the run has failed */
static bool find_fluid(work *w) {
    w->fluid = psg_fluid_find(w->run, w->plan, &w->terms->pcg);
    if (w->fluid == NULL || !fill_fluid(w, right_hand_side(w), w->result)) {
        return false;
    }
    w->terms->pcg.drops = 0;
    for (size_t s = w->own.first; s < w->own.end; s++) {
        w->g->segment[s].f = w->g->segment[s].p;
    }
    return true;
}

/* What was given -> eps, with the planes below and above, and the measures. */
static void submit_epsilon(const work *w) {
    for (size_t d = 0; d < 3 && w->terms->pcg.faces; d++) {
        submit_copy(w, (psg_fluid_data){w->given->eps[d], 1});
        for (size_t s = w->own.first; s < w->own.end; s++) {
            psg_task_pcg_data to = w->g->segment[s];
            to.eps[0] = to.eps[d];
            psg_task_pcg(w->run, PSG_TASK_PCG_MEASURE, s, d, &to);
        }
    }
    if (!w->terms->pcg.faces) {
        submit_copy(w, (psg_fluid_data){w->given->eps[0], 1});
    }
    submit_tasks(w, PSG_TASK_PCG_MEASURE, PSG_NO_INDEX);
    for (size_t s = w->own.first; s < w->own.end; s++) {
        const psg_fluid_data f = right_hand_side(w);
        w->g->segment[s].f = f.handle[(s - w->own.first) * f.step];
    }
}

/* @return false: there is nothing to solve, or the run has failed */
static bool measure(work *w) {
    psg_pcg_result *r = w->result;
    base_pcg_terms *t = &w->terms->pcg;
    /* A simulation has these, and no residual that would end it. */
    double s[BASE_PCG_SCALARS] = {
        [BASE_PCG_EPS_LEAST] = 1,    [BASE_PCG_EPS_MOST] = 1, [BASE_PCG_EPS_RIM_LEAST] = 1,
        [BASE_PCG_EPS_RIM_MOST] = 1, [BASE_PCG_SCALE] = 1,    [BASE_PCG_FLUID_POINTS] = t->points,
        [BASE_PCG_EPS_TOTAL] = 1};
    *r = (psg_pcg_result){.residual = 1, .rim = {1, 1}};
    t->begins = BASE_PCG_ANEW;
    fill_segments(w);
    submit_epsilon(w);
    submit_scalars(w, BASE_PCG_MEASURED, 0);
    if (!read_report(w, s)) {
        return false;
    }
    r->sum = s[BASE_PCG_F_SUM];
    r->largest = s[BASE_PCG_F_LARGEST];
    r->bad_eps = !(s[BASE_PCG_EPS_LEAST] > 0 && s[BASE_PCG_EPS_MOST] > 0);
    if (t->outside) {
        r->rim[0] = s[BASE_PCG_EPS_RIM_LEAST];
        r->rim[1] = s[BASE_PCG_EPS_RIM_MOST];
    }
    if (r->bad_eps || !psg_pcg_has_outside(r) || !isfinite(r->sum)) {
        return false;
    }
    /* A multiple of M is as good, so M may have the factor of f, and eps = 1 where A has another
     * one. */
    t->middle = t->outside ? r->rim[0] : sqrt(s[BASE_PCG_EPS_LEAST]) * sqrt(s[BASE_PCG_EPS_MOST]);
    w->terms->lambda = psg_terms_lambda(w->plan, t->lambda / t->middle);
    t->scaled = !t->outside && base_pcg_scales(s, longest(w->plan));
    t->shares = !t->scaled && w->plan->problem.options.precision == PSG_F64;
    return s[BASE_PCG_FLUID_POINTS] == t->points || find_fluid(w);
}

void psg_pcg_submit(psg_run *run, const psg_plan *plan, psg_pending *pending,
                    const psg_pcg_given *given) {
    work w = {.run = run,
              .plan = plan,
              .workspace = pending->workspace,
              .g = plan->held.pcg,
              .given = given,
              .terms = &pending->terms,
              .result = &pending->pcg,
              .most = pending->steps_most,
              .own = plan->context.layout.segments.own};
    psg_residuals_put(w.plan->residuals, 0, 1); /* of u = 0 */
    if (measure(&w) && solve(&w)) {
        submit_tasks(&w, PSG_TASK_PCG_END, PSG_NO_INDEX);
    }
    psg_fluid_destroy(w.fluid);
}

void psg_pcg_submit_arrays(psg_run *run, const psg_plan *plan, psg_pending *pending) {
    const psg_arrays *a = pending->arrays;
    psg_pcg_given given = {.f = a->slabs[PSG_FIELD_F], .u = a->slabs[PSG_FIELD_U]};
    for (int d = 0; d < 3; d++) { /* where an axis has one point any of them does */
        for (int m = PSG_FIELD_EPSILON; m < PSG_FIELD_FLOW; m++) {
            const bool own = m == PSG_FIELD_FACES + d;
            given.eps[d] =
                a->slabs[m] != NULL && (own || given.eps[d] == NULL) ? a->slabs[m] : given.eps[d];
        }
    }
    psg_pcg_submit(run, plan, pending, &given);
    if (pending->pcg.bad_eps || !psg_pcg_has_outside(&pending->pcg) || pending->pcg.bad_guess ||
        !isfinite(pending->pcg.sum)) {
        return;
    }
    for (size_t s = a->parts.own.first; s < a->parts.own.end; s++) {
        psg_arrays_bring(run, plan, a, PSG_FIELD_U, s);
    }
    psg_graph_gradient(run, plan, pending->workspace, a);
}
