/* Solves: submitted, in flight, waited for. */
#include "graph/solve.h"
#include "graph/array_check.h"
#include "graph/arrays.h"
#include "graph/boxes.h"
#include "graph/executors.h"
#include "graph/flow.h"
#include "graph/gradient.h"
#include "graph/modes.h"
#include "graph/options.h"
#include "graph/pcg.h"
#include "graph/pending.h"
#include "graph/plan_struct.h"
#include "graph/psg_project.h"
#include "graph/psg_starpu.h"
#include "graph/ranks.h"
#include "graph/sides.h"
#include "graph/start.h"
#include "graph/status.h"
#include "graph/terms.h"
#include "graph/transfer_log.h"
#include "graph/transform_table.h"
#include "runtime/message.h"
#include "runtime/runs.h"
#include "runtime/simulation.h"
#include "runtime/stream_order.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

/* What the caller wants of a solve. */
typedef struct request {
    const psg_solve_args *args; /* NULL: the plan's, which all processes have; else all give some */
    bool waits;                 /* the calling thread does nothing else until the solve has ended */
    const psg_parts *parts;     /* NULL: the layout's segments; else several right-hand sides */
    double *means;              /* of their f; or NULL */
    const psg_array *flow;      /* [3]: in place of f; NULL: there is f, and u */
    size_t streams;
    psg_stream stream[PSG_FIELDS * STARPU_MAXCUDADEVS]; /* [streams]: of arrays on GPUs */
} request;

static void note_streams(request *r, const psg_plan *plan, const psg_arrays *arrays,
                         const psg_array *const given[PSG_FIELDS]) {
    for (size_t m = 0; m < PSG_FIELDS * arrays->count; m++) {
        const int c = (int)(m % PSG_FIELDS);
        const psg_array *a = arrays->field[c] != NULL ? &arrays->field[c][m / PSG_FIELDS] : NULL;
        if (a != NULL && a->device != PSG_HOST) {
            r->stream[r->streams++] =
                (psg_stream){a->device, given[c][m / PSG_FIELDS].stream, psg_field_name(plan, c)};
        }
    }
}

/* Tasks that use the caller's arrays in place wait for the streams on the GPU. If StarPU copies the
 * arrays, or with epsilon, the calling thread waits: StarPU knows nothing of the streams. */
static psg_status follow_streams(psg_run *run, const psg_arrays *arrays, const request *r) {
    const bool ordered = arrays->stays && !psg_arrays_epsilon(arrays);
    char words[256] = "";
    if (psg_stream_orders == NULL) {
        return PSG_OK;
    }
    psg_fault fault =
        psg_stream_orders->begin(run, r->stream, ordered ? r->streams : 0, words, sizeof words);
    if (fault == PSG_FAULT_NONE && !ordered) {
        fault = psg_stream_orders->wait(r->stream, r->streams, words, sizeof words);
    }
    return fault == PSG_FAULT_NONE
               ? PSG_OK
               : psg_fail(fault == PSG_FAULT_MEMORY ? PSG_ERR_MEMORY : PSG_ERR_ARG, "%s", words);
}

/* Has the equation of a solve no solution for a mean of f? */
static bool needs_mean(const psg_plan *plan, const psg_pending *pending) {
    return pending->terms.lambda == 0 && psg_transforms_null(&plan->problem.grid) &&
           (pending->green == NULL || pending->green->first == 0);
}

/* The rule for the mean may have to read f after the solve. */
static psg_status take_terms(psg_plan *plan, const psg_arrays *arrays, const request *r,
                             psg_pending *pending) {
    psg_solve_args args = psg_terms_of_plan(plan);
    psg_status status = r->args != NULL ? psg_terms_read(&args, plan, r->args) : PSG_OK;
    if (status == PSG_OK) {
        status = psg_terms_take(plan, &args, &pending->terms, &pending->mean);
    }
    if (status == PSG_OK) {
        status = psg_green_take(&plan->pending.kept, plan, pending->terms.lambda, &pending->green);
        pending->terms.table = pending->green != NULL ? &pending->green->table : NULL;
    }
    const bool from_f = arrays->slabs[PSG_FIELD_F] != NULL || arrays->slabs[PSG_FIELD_FLOW] != NULL;
    if (status == PSG_OK) {
        status = psg_flow_take(&pending->terms.flow, plan, arrays, &args);
    }
    if (status == PSG_OK && (arrays->in_place || !from_f) && needs_mean(plan, pending) &&
        pending->mean == PSG_MEAN_ERROR) {
        status = psg_fail(PSG_ERR_ARG,
                          "PSG_MEAN_ERROR compares the mean of f with max|f| after the solve, and "
                          "there is no f then: %s",
                          from_f ? "the solve is in place" : "the solve is of modes");
    }
    if (status == PSG_OK) {
        status = psg_gradient_take(&pending->terms.gradient, plan, arrays, &args);
    }
    if (status == PSG_OK) {
        status = psg_pcg_take(pending, plan, &args);
    }
    return status == PSG_OK
               ? psg_sides_take(plan, &args, psg_arrays_right_hand_sides(plan, arrays),
                                &pending->terms.sides, &pending->side_largest, &pending->sides)
               : status;
}

/* Start a solve between these arrays, unless something went wrong before or does now, here or on
 * another process. Then they stay the caller's. */
static psg_status launch(psg_plan *plan, psg_arrays *arrays, const request *r, psg_status before) {
    psg_pending *pending = psg_pending_take(plan, arrays);
    psg_status status = before;
    if (status == PSG_OK && pending == NULL) {
        status = psg_fail(PSG_ERR_MEMORY, "no memory to start a solve");
    }
    if (status == PSG_OK) {
        status = take_terms(plan, arrays, r, pending);
    }
    if (status == PSG_OK) {
        status = follow_streams(pending->run, arrays, r);
    }
    status = psg_ranks_agree(plan->processes.comm, status);
    if (status == PSG_OK && r->args != NULL) {
        psg_solve_args args;
        (void)psg_terms_read(&args, plan, r->args); /* it was fine before */
        status = psg_terms_same(plan, &args, arrays->slabs[PSG_FIELD_U] != NULL,
                                arrays->slabs[PSG_FIELD_FLOW] != NULL);
    }
    psg_workspace *workspace = status == PSG_OK ? psg_pending_choose_workspace(plan) : NULL;
    if (status == PSG_OK) {
        status = psg_gradient_place(&pending->terms.gradient, plan, arrays, workspace);
    }
    if (status != PSG_OK) {
        psg_sides_give_back(plan, pending != NULL ? pending->sides : NULL);
        psg_green_give_back(pending != NULL ? pending->green : NULL);
        psg_pending_destroy(pending);
        return status;
    }
    psg_run *run = pending->run;
    psg_transfers_begin(&plan->work, plan->pending.oldest == NULL);
    pending->workspace = workspace;
    pending->arrays = arrays;
    pending->terms.overlap = workspace->overlap;
    pending->terms.right_hand_sides = psg_arrays_right_hand_sides(plan, arrays);
    pending->means = r->means;
    workspace->users++;
    run->slot = workspace->number;
    run->phases = psg_workspace_phases(workspace);
    run->user = &pending->terms;
    if (plan->pending.newest != NULL) {
        plan->pending.newest->next = pending;
    } else {
        plan->pending.oldest = pending;
    }
    plan->pending.newest = pending;
    const psg_solve_route *route =
        pending->terms.right_hand_sides > 1 ? &plan->several : &plan->route;
    const psg_executor_row *executor =
        pending->steps_most == 0 ? route->executor : &psg_executor_tasks;
    run->awake = !executor->sleeps;
    run->executor = (int)executor->is;
    const psg_submission submission = psg_work_start(&plan->work, run, plan->pending.launched++);
    if (pending->steps_most > 0) {
        psg_pcg_submit_arrays(run, plan, pending);
    } else {
        psg_boxes_bring(run, plan, arrays);
        pending->chained = executor->submit(run, plan, route->graph, workspace, arrays, r->waits);
        psg_boxes_return(run, plan, arrays);
    }
    if (submission.program) {
        for (psg_pending *other = plan->pending.oldest; other != NULL; other = other->next) {
            other->program = other == pending; /* StarPU has forgotten the others' */
        }
    }
    psg_work_submitted(run, submission);
    return PSG_OK;
}

/* Wait until the run has ended. A process alone gives its tasks up after the time limit.
 * @return false: the run goes on, and tasks that begin from now on do nothing */
static bool wait_for_run(psg_plan *plan, const psg_pending *pending) {
    psg_run *run = pending->run;
    const double limit = plan->problem.options.time_limit;
    if (plan->processes.comm != NULL) {
        plan->storage.left = psg_work_wait(run) || plan->storage.left;
        return true;
    }
    const bool ended = psg_run_wait(run, limit);
    if (!ended) {
        const struct starpu_sched_policy *policy = starpu_sched_get_sched_policy();
        psg_run_fail(run, PSG_FAULT_SUBMIT,
                     "waited %g s (time_limit) for the end of a task: %zu of %zu tasks are left; "
                     "perhaps policy %s never gives them to any worker",
                     limit, atomic_load(&run->pending), run->handed.tasks, policy->policy_name);
    }
    return ended;
}

/* Later work on the streams finds u. For a chain the streams wait, for any other solve the thread
 * does. */
static void lead_streams(psg_plan *plan, const psg_pending *pending, const request *r) {
    if (!pending->chained || psg_stream_orders == NULL ||
        !psg_stream_orders->end(pending->run, r->stream, r->streams)) {
        (void)wait_for_run(plan, pending);
    }
}

/* @param[in] asked  args NULL: the plan's, without a gradient */
static psg_status submit(psg_plan *plan, size_t count, const psg_array *f, const psg_array *u,
                         request asked) {
    psg_clear_error();
    if (plan == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan is NULL");
    }
    request r = asked;
    const psg_solve_args *args = r.args;
    psg_arrays *arrays = NULL;
    psg_solve_args terms = psg_terms_of_plan(plan);
    psg_status status = psg_array_check_count(plan, count);
    if (status == PSG_OK && args != NULL) {
        status = psg_terms_read(&terms, plan, args);
    }
    if (status == PSG_OK && r.flow == NULL) {
        status = psg_modes_check(plan, &terms, count, f, u);
    } else if (status == PSG_OK && (terms.f_modes != NULL || terms.u_modes != NULL)) {
        status = psg_fail(PSG_ERR_UNSUPPORTED, "a projection has no modes");
    }
    if (status == PSG_OK) {
        status = psg_boxes_check(plan, &terms, r.flow != NULL);
    }
    if (r.waits && plan->pending.oldest != NULL) { /* psg_wait() would wait for that one */
        status = psg_fail(PSG_ERR_STATE, "a solve is in flight: psg_wait() for it first");
    }
    const psg_array *given[PSG_FIELDS] = {[PSG_FIELD_F] = f,
                                          [PSG_FIELD_U] = u,
                                          [PSG_FIELD_EPSILON] =
                                              psg_terms_faces(&terms) != 0 ? NULL : terms.epsilon,
                                          [PSG_FIELD_F_MODES] = terms.f_modes,
                                          [PSG_FIELD_U_MODES] = terms.u_modes};
    for (int d = 0; d < 3; d++) {
        given[PSG_FIELD_GRADIENT + d] = terms.gradient[psg_grid_turn(&plan->problem.grid, d)];
        given[PSG_FIELD_FACES + d] = terms.epsilon_faces[psg_grid_turn(&plan->problem.grid, d)];
        given[PSG_FIELD_FLOW + d] = r.flow != NULL ? r.flow + d : NULL;
    }
    if (status == PSG_OK) {
        const psg_parts *parts = r.parts != NULL ? r.parts : &plan->context.layout.segments;
        status = psg_arrays_take(plan, count, given, parts, terms.guess != 0, &arrays);
    }
    if (status == PSG_OK) {
        note_streams(&r, plan, arrays, given);
    }
    status = launch(plan, arrays, &r, status);
    if (status == PSG_OK && r.streams > 0 && !r.waits) {
        lead_streams(plan, plan->pending.newest, &r);
    }
    if (status != PSG_OK && arrays != NULL) {
        arrays->busy = false;
    }
    return status;
}

static psg_status submit_dense(psg_plan *plan, const void *f, void *u, bool waits) {
    psg_array from;
    psg_array to;
    psg_array_init(&from, (void *)(uintptr_t)f); /* tasks only read f, unless it is u */
    psg_array_init(&to, u);
    return submit(plan, 1, &from, &to, (request){.waits = waits});
}

/* All processes say which terms they want, so that they can be compared. */
static psg_status submit_terms(psg_plan *plan, size_t count, const psg_array *f, const psg_array *u,
                               const psg_solve_args *args, bool waits) {
    const psg_solve_args own = plan != NULL ? psg_terms_of_plan(plan) : (psg_solve_args){0};
    return submit(plan, count, f, u, (request){.args = args != NULL ? args : &own, .waits = waits});
}

psg_status psg_submit_arrays(psg_plan *plan, size_t count, const psg_array *f, const psg_array *u,
                             const psg_solve_args *args) {
    return submit_terms(plan, count, f, u, args, false);
}

psg_status psg_submit(psg_plan *plan, const void *f, void *u) {
    return submit_dense(plan, f, u, false);
}

psg_status psg_submit_slabs(psg_plan *plan) {
    psg_clear_error();
    if (plan == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan is NULL");
    }
    const request r = {.args = NULL};
    return launch(plan, plan->held.slabs, &r,
                  plan->held.slabs != NULL
                      ? PSG_OK
                      : psg_fail(PSG_ERR_STATE,
                                 "the plan has no slabs yet: psg_plan_slab_handles() makes them"));
}

static double mean_of(const psg_plan *plan, const psg_pending *pending, double sum) {
    const bool drops = needs_mean(plan, pending) || pending->pcg.regions > 0;
    return drops ? sum / psg_transforms_norm(&plan->problem.grid) : 0;
}

/* The sum of f of right-hand side m, as its transform has it. The first process has it, with mode
 * 0, and the others have 0. */
static double sum_of(const psg_plan *plan, const psg_pending *pending, size_t m) {
    const double norm = psg_transforms_norm(&plan->problem.grid);
    const bool first = plan->processes.rank == 0;
    return pending->steps_most > 0
               ? (first ? pending->pcg.sum * (norm / pending->terms.pcg.points) : 0)
               : plan->context.cpu->first(psg_findings_mode0(pending->run, m));
}

/* The first right-hand side of which a mode is not finite; their count: all are. */
static size_t find_bad(const psg_plan *plan, const psg_pending *pending) {
    const size_t count = pending->terms.right_hand_sides;
    size_t m = 0;
    while (m < count && atomic_load(psg_findings_nonfinite(pending->run, m)) == 0 &&
           isfinite(sum_of(plan, pending, m))) {
        m++;
    }
    return m;
}

static void keep_statistics(psg_plan *plan, const psg_pending *pending, double sum) {
    psg_past *past = &plan->past;
    const size_t last = pending->terms.right_hand_sides - 1;
    psg_work_keep(&plan->work, pending->run, pending->program);
    past->mean = mean_of(plan, pending, sum);
    past->mean_count = 0; /* psg_solve_many() says otherwise once all of them are solved */
    for (size_t m = 0; m <= last && pending->means != NULL; m++) {
        pending->means[m] = mean_of(plan, pending, m == last ? sum : sum_of(plan, pending, m));
    }
    past->from_memory = pending->steps_most == 0 && psg_arrays_in_memory(pending->arrays);
    past->pcg = pending->pcg;
    past->copied_bytes = psg_arrays_copied(plan, pending->arrays, &plan->work.latest);
}

/* Call `row` for the rows of planes `of` of slab k of f, or of a flow, in main memory, until it
 * returns false. Dense planes are one row. */
static void look_at_f(const psg_plan *plan, psg_arrays *arrays, int field, size_t k, psg_range of,
                      bool (*row)(const psg_cpu_ops *cpu, const void *values, size_t count,
                                  void *what),
                      void *what) {
    const psg_context *c = &plan->context;
    const starpu_data_handle_t slab = arrays->slabs[field][k];
    if (starpu_data_acquire_on_node(slab, STARPU_MAIN_RAM, STARPU_R) != 0) {
        return;
    }
    const size_t *n = c->layout.n;
    const size_t pitch[2] = {starpu_block_get_local_ldy(slab), starpu_block_get_local_ldz(slab)};
    const bool dense = pitch[0] == n[0] && pitch[1] == n[0] * n[1];
    const size_t planes = psg_range_count(of);
    const size_t rows = dense ? 1 : n[1] * planes;
    const char *values =
        (const char *)starpu_block_get_local_ptr(slab) + of.first * pitch[1] * c->cpu->real_bytes;
    bool more = true;
    for (size_t r = 0; r < rows && more; r++) {
        const size_t at = r / n[1] * pitch[1] + r % n[1] * pitch[0];
        more = row(c->cpu, values + at * c->cpu->real_bytes, dense ? n[0] * n[1] * planes : n[0],
                   what);
    }
    starpu_data_release_on_node(slab, STARPU_MAIN_RAM);
    arrays->looked_at = arrays->stays;
}

/* @param[in,out] what  size_t: points before the first NaN or Inf */
static bool nonfinite_row(const psg_cpu_ops *cpu, const void *values, size_t count, void *what) {
    const size_t m = cpu->find_nonfinite(values, count);
    *(size_t *)what += m;
    return m == count;
}

/* @param[in,out] what  double */
static bool largest_row(const psg_cpu_ops *cpu, const void *values, size_t count, void *what) {
    double *largest = what;
    *largest = fmax(*largest, cpu->max_abs(values, count));
    return true;
}

/* The first NaN or Inf of right-hand side `bad`. @return its place in the grid; INFINITY: this
 * process has none */
static double first_nonfinite(const psg_plan *plan, psg_arrays *arrays, int field, size_t bad) {
    const size_t *n = plan->context.layout.n;
    const psg_range planes = {bad * n[2], (bad + 1) * n[2]};
    const psg_parts *parts = &arrays->parts;
    for (size_t s = parts->own.first; s < parts->own.end; s++) {
        const psg_range slab = {parts->part[s].box.lo[2], parts->part[s].box.hi[2]};
        const size_t first = slab.first > planes.first ? slab.first : planes.first;
        const size_t end = slab.end < planes.end ? slab.end : planes.end;
        size_t at = 0;
        if (first < end) {
            look_at_f(plan, arrays, field, s - parts->own.first,
                      (psg_range){first - slab.first, end - slab.first}, nonfinite_row, &at);
            if (at < n[0] * n[1] * (end - first)) {
                return (double)((first - planes.first) * n[0] * n[1] + at);
            }
        }
    }
    return INFINITY;
}

/* The transform carries a NaN or an Inf to every mode, and an overflow to a whole column, so it
 * costs nothing to know that there is one; only then is f searched for it. */
static psg_status find_nonfinite(const psg_plan *plan, const psg_pending *pending) {
    const psg_context *c = &plan->context;
    psg_arrays *arrays = pending->arrays;
    const size_t plane = c->layout.n[0] * c->layout.n[1];
    const size_t bad = pending->terms.right_hand_sides > 1 ? find_bad(plan, pending) : 0;
    const bool flow = arrays->slabs[PSG_FIELD_FLOW] != NULL;
    if (arrays->slabs[PSG_FIELD_F] == NULL && !flow) {
        return psg_modes_find_nonfinite(plan, arrays);
    }
    int field = flow ? PSG_FIELD_FLOW : PSG_FIELD_F;
    const char *name = flow ? "v" : "f";
    const char *with = pending->terms.sides.apart ? "with epsilon times the values on sides " : "";
    char whose[64] = "";
    if (pending->terms.right_hand_sides > 1) {
        (void)snprintf(whose, sizeof whose, "right-hand side %zu: ", bad);
    }
    double found[4] = {INFINITY, INFINITY, INFINITY, arrays->in_place ? 0 : 1};
    for (int d = 0; d < (flow ? 3 : 1) && !arrays->in_place; d++) {
        found[d] = first_nonfinite(plan, arrays, field + d, bad);
    }
    const psg_status status = psg_ranks_min(plan->processes.comm, found, 4); /* of all processes */
    if (status != PSG_OK) {
        return status;
    }
    int d = 0;
    while (d < 2 && !isfinite(found[d])) {
        d++;
    }
    if (isfinite(found[d])) {
        const size_t m = (size_t)found[d];
        const size_t at[3] = {m % c->layout.n[0], m % plane / c->layout.n[0], m / plane};
        return psg_fail(PSG_ERR_DATA, "%s%s is NaN or Inf at (i,j,k) = (%zu,%zu,%zu)", whose,
                        psg_field_name(plan, field + d), at[0],
                        at[psg_grid_turn(&plan->problem.grid, 1)],
                        at[psg_grid_turn(&plan->problem.grid, 2)]);
    }
    if (found[3] == 0) {
        return psg_fail(PSG_ERR_DATA,
                        "%s%s had a NaN or an Inf, or %swas too large for its precision; the solve "
                        "was in place, so %s is gone",
                        whose, name, with, name);
    }
    if (arrays == plan->held.slabs) { /* a task of the caller's may have written them since */
        return psg_fail(PSG_ERR_DATA,
                        "f had a NaN or an Inf when it was transformed, or was too large for "
                        "its precision; what is there now has none");
    }
    return psg_fail(PSG_ERR_DATA,
                    "%s%s is finite, but %stoo large for its precision: its transform%s overflows",
                    whose, name, with, psg_stretched(c) ? " or u" : "");
}

static psg_status refuse_mean(const psg_plan *plan, const psg_pending *pending) {
    const psg_context *c = &plan->context;
    const double mean = plan->past.mean;
    double largest = 0;
    double found[2];
    for (size_t s = c->layout.segments.own.first; s < c->layout.segments.own.end; s++) {
        look_at_f(plan, pending->arrays, PSG_FIELD_F, s - c->layout.segments.own.first,
                  (psg_range){0, psg_layout_planes(&c->layout, s)}, largest_row, &largest);
    }
    found[0] = fmax(largest, pending->side_largest);
    found[1] = pending->side_largest;
    const psg_status status = psg_ranks_max(plan->processes.comm, found, 2);
    return status == PSG_OK ? psg_terms_judge_mean(plan, mean, found[0], found[1] > 0) : status;
}

/* How the solve went, here and on the other processes: the tasks' own faults first, then what
 * the sum of f says about f. The process that has mode 0, the first, has the sum. */
static psg_status judge(psg_plan *plan, const psg_pending *pending) {
    psg_run *run = pending->run;
    const size_t count = pending->terms.right_hand_sides;
    enum { SUM, NONFINITE, OVERFLOW, FAULT, FINDINGS };
    double found[FINDINGS] = {
        [SUM] = sum_of(plan, pending, count - 1),
        [NONFINITE] = find_bad(plan, pending) < count,
        [OVERFLOW] = atomic_load(&psg_findings_of(run)->overflow) != 0,
        [FAULT] = psg_run_failed(run),
    };
    psg_status status = psg_ranks_sum(plan->processes.comm, found, FINDINGS);
    keep_statistics(plan, pending, found[SUM]);
    if (status == PSG_OK && found[FAULT] > 0) {
        status = psg_ranks_agree(plan->processes.comm, psg_fail_run(run));
    }
    const bool computed = psg_platform->computes;
    const bool finite = !computed || (isfinite(found[SUM]) && found[NONFINITE] == 0);
    if (status == PSG_OK && (!finite || (pending->mean == PSG_MEAN_ERROR && plan->past.mean != 0 &&
                                         computed && pending->steps_most == 0))) {
        psg_runtime_awake(); /* f is looked at through StarPU */
        status = finite ? refuse_mean(plan, pending) : find_nonfinite(plan, pending);
        psg_runtime_rest();
    }
    if (status == PSG_OK) {
        status = psg_pcg_judge(plan, pending);
    }
    return status != PSG_OK || found[OVERFLOW] == 0
               ? status
               : psg_fail(
                     PSG_ERR_DATA,
                     "f is finite, and u or its gradient is out of the range of %s: choose other "
                     "units, or a smaller factor",
                     plan->problem.options.precision == PSG_F32 ? "f32" : "f64");
}

psg_status psg_wait(psg_plan *plan) {
    psg_clear_error();
    if (plan == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan is NULL");
    }
    psg_pending *pending = plan->pending.oldest;
    if (pending == NULL) {
        return psg_fail(PSG_ERR_STATE, "no solve is in flight");
    }
    if (!wait_for_run(plan, pending)) {
        return psg_fail_run(pending->run);
    }
    const psg_status status = judge(plan, pending);
    psg_arrays_settle(pending->arrays);
    if (pending->arrays != plan->held.slabs) {
        psg_arrays_give_back(plan, pending->arrays);
    } else {
        plan->held.slabs_solved = status == PSG_OK;
    }
    psg_transfers_end(&plan->work, pending->run);
    if (plan->context.engine.run_ended == NULL) {
        psg_runtime_rest();
    }
    psg_sides_give_back(plan, pending->sides);
    psg_green_give_back(pending->green);
    pending->workspace->users--;
    plan->pending.oldest = pending->next;
    plan->pending.newest = plan->pending.oldest != NULL ? plan->pending.newest : NULL;
    psg_pending_give_back(&plan->pending, pending);
    return status;
}

psg_status psg_solve(psg_plan *plan, const void *f, void *u) {
    const psg_status status = submit_dense(plan, f, u, true);
    return status == PSG_OK ? psg_wait(plan) : status;
}

psg_status psg_solve_start(psg_plan *plan, const psg_array *f, const psg_array *u,
                           const psg_solve_args *args, const psg_parts *parts, double *means,
                           bool waits) {
    return submit(plan, 1, f, u,
                  (request){.args = args, .waits = waits, .parts = parts, .means = means});
}

psg_status psg_project(psg_plan *plan, const psg_array v[3], const psg_array *u,
                       const psg_solve_args *args) {
    psg_clear_error();
    if (plan == NULL || v == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan or v is NULL");
    }
    const psg_solve_args own = psg_terms_of_plan(plan);
    const psg_status status = submit(
        plan, 1, NULL, u, (request){.args = args != NULL ? args : &own, .waits = true, .flow = v});
    return status == PSG_OK ? psg_wait(plan) : status;
}

psg_status psg_solve_arrays(psg_plan *plan, size_t count, const psg_array *f, const psg_array *u,
                            const psg_solve_args *args) {
    const psg_status status = submit_terms(plan, count, f, u, args, true);
    return status == PSG_OK ? psg_wait(plan) : status;
}
