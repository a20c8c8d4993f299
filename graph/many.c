/* psg_solve_many(): one run solves the first right-hand sides together, see pieces.c. Each of the
 * others is a solve of its own. */
#include "graph/options.h"
#include "graph/pieces.h"
#include "graph/plan_struct.h"
#include "graph/ranks.h"
#include "graph/sides.h"
#include "graph/solve.h"
#include "graph/status.h"
#include "graph/terms.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* -------------------------------------------------------------------------- one after the other */

/* The first error of a call. */
typedef struct outcome {
    psg_status status; /* the first that is not PSG_OK */
    char words[512];
} outcome;

/* @param[in] number  SIZE_MAX: the words name the right-hand side */
static void note(outcome *o, psg_status status, size_t number) {
    if (status == PSG_OK || o->status != PSG_OK) {
        return;
    }
    o->status = status;
    if (number < SIZE_MAX) {
        (void)snprintf(o->words, sizeof o->words, "right-hand side %zu: %s", number,
                       psg_last_error());
    } else {
        (void)snprintf(o->words, sizeof o->words, "%s", psg_last_error());
    }
}

/* Bad data of a right-hand side are no reason to leave out the next one. */
static bool goes_on(const outcome *o) {
    return o->status == PSG_OK || o->status == PSG_ERR_DATA || o->status == PSG_ERR_MEAN;
}

/* Elements from the first one of a right-hand side in an array to the first one of the next. */
static size_t step_of(const psg_plan *plan, const psg_array *a) {
    size_t n[3];
    psg_boxes_extents(plan, n);
    const ptrdiff_t plane = a->stride[psg_grid_turn(&plan->problem.grid, 2)];
    return n[2] * (plane > 0 ? (size_t)plane : n[0] * n[1]);
}

/* Elements of a plane behind its last point. */
static size_t gap_of(const psg_plan *plan, const psg_array *a) {
    size_t n[3];
    psg_boxes_extents(plan, n);
    const ptrdiff_t reach = (ptrdiff_t)(n[1] - 1) * a->stride[1] + (ptrdiff_t)n[0];
    const ptrdiff_t plane = a->stride[psg_grid_turn(&plan->problem.grid, 2)];
    return plane > reach ? (size_t)(plane - reach) : 0;
}

static psg_array array_at(const psg_plan *plan, const psg_array *a, size_t m) {
    psg_array one = *a;
    one.data = (char *)a->data + m * step_of(plan, a) * plan->context.cpu->real_bytes;
    return one;
}

/* Wait for the oldest solve, of right-hand side m. @return false: it was given up, and is still in
 * flight */
static bool finish(psg_plan *plan, outcome *o, size_t m) {
    const psg_pending *oldest = plan->pending.oldest;
    note(o, psg_wait(plan), m);
    return plan->pending.oldest != oldest;
}

/* The values on the sides are those of right-hand side m. @param[out] side  what the result points
 * to */
static psg_solve_args args_at(const psg_plan *plan, const psg_solve_args *args, size_t m,
                              psg_array side[6]) {
    psg_solve_args one = *args;
    for (int s = 0; s < 6; s++) {
        const psg_array *all = args->side[s / 2][s % 2];
        const ptrdiff_t step = args->side_step[s / 2][s % 2];
        if (all != NULL && all->data != NULL) {
            side[s] = *all;
            side[s].data =
                (char *)all->data + (ptrdiff_t)m * step * (ptrdiff_t)plan->context.cpu->real_bytes;
            one.side[s / 2][s % 2] = &side[s];
        }
    }
    return one;
}

/* Cores gain nothing by two solves at once, which would take another spectrum. */
static void solve_singly(psg_plan *plan, psg_range of, const psg_array *f, const psg_array *u,
                         const psg_solve_args *args, outcome *o) {
    const bool overlaps = plan->workers.gpu_count > 0 || plan->processes.ranks > 1;
    const size_t most = overlaps ? plan->problem.options.in_flight : 1;
    size_t waited = of.first;
    bool finished = true;
    for (size_t m = of.first; m < of.end && finished && goes_on(o); m++) {
        const psg_array from = array_at(plan, f, m);
        const psg_array to = array_at(plan, u, m);
        psg_array side[6];
        outcome refused = {.status = PSG_OK};
        const psg_solve_args own = args_at(plan, args, m, side);
        note(&refused,
             psg_solve_start(plan, &from, &to, &own, NULL, &plan->past.means[m], most == 1), m);
        while (finished && plan->pending.oldest != NULL &&
               (refused.status != PSG_OK || m + 1 - waited == most)) {
            finished = finish(plan, o, waited++);
        }
        if (refused.status != PSG_OK) { /* it is not in flight */
            *o = o->status == PSG_OK ? refused : *o;
            waited = m + 1;
        }
    }
    while (finished && plan->pending.oldest != NULL) {
        finished = finish(plan, o, waited++);
    }
}

/* ------------------------------------------------------------------------------------- the call */

/* Checks what concerns all right-hand sides together. Each solve checks the rest. */
static psg_status check(const psg_plan *plan, size_t count, const psg_array *f, const psg_array *u,
                        const psg_solve_args *args) {
    const bool modes = args->f_modes != NULL || args->u_modes != NULL; /* then f or u may be NULL */
    if (plan == NULL || (!modes && (f == NULL || u == NULL))) {
        return psg_fail(PSG_ERR_ARG, "%s is NULL", plan == NULL ? "plan" : "f or u");
    }
    if (plan->pending.oldest != NULL) {
        return psg_fail(PSG_ERR_STATE, "a solve is in flight: psg_wait() for it first");
    }
    const psg_array *const *g = args->gradient;
    if (g[0] != NULL || g[1] != NULL || g[2] != NULL || args->epsilon != NULL || modes) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "several right-hand sides have neither a gradient nor epsilon nor modes: "
                        "solve them one by one");
    }
    if (count == 0) {
        return psg_fail(PSG_ERR_ARG, "count is 0: there is no right-hand side");
    }
    const psg_array *const both[2] = {f, u};
    uintptr_t end[2];
    for (int m = 0; m < 2; m++) {
        const size_t one = step_of(plan, both[m]);
        size_t bytes = 0;
        if (__builtin_mul_overflow(one, count * plan->context.cpu->real_bytes, &bytes) ||
            count > SIZE_MAX / 8 ||
            __builtin_add_overflow((uintptr_t)both[m]->data, bytes, &end[m])) {
            return psg_fail(PSG_ERR_ARG, "%zu right-hand sides are more than can be addressed",
                            count);
        }
        end[m] -= one > 0 ? gap_of(plan, both[m]) * plan->context.cpu->real_bytes : 0;
        if (one > 0 && both[m]->data == NULL) {
            return psg_fail(PSG_ERR_ARG, "%s is NULL: its first point is needed",
                            m == 0 ? "f" : "u");
        }
    }
    const bool overlap = (uintptr_t)f->data < end[1] && (uintptr_t)u->data < end[0];
    return f->data != u->data && overlap ? psg_fail(PSG_ERR_ARG, "f and u overlap") : PSG_OK;
}

static psg_status make_means(psg_past *past, size_t count) {
    double *means = realloc(past->means, count * sizeof *means);
    if (means == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for the means of %zu right-hand sides", count);
    }
    past->means = means;
    return PSG_OK;
}

/* A process that went on alone would wait for the others. */
static psg_status agree(const psg_plan *plan, size_t count, psg_status status) {
    const psg_option_value mine = {"the number of right-hand sides", (double)count};
    status = psg_ranks_agree(plan->processes.comm, status);
    return status == PSG_OK ? psg_ranks_same_values(plan->processes.comm, &mine, 1) : status;
}

/* GPUs add values on sides in solves of their own. The rule for the mean reads f after a solve. */
static bool goes_together(const psg_plan *plan, const psg_solve_args *args) {
    return args->mean == PSG_MEAN_DROP && (plan->workers.gpu_count == 0 || !psg_sides_given(args));
}

psg_status psg_solve_many_arrays(psg_plan *plan, size_t count, const psg_array *f,
                                 const psg_array *u, const psg_solve_args *args) {
    outcome o = {.status = PSG_OK};
    psg_solve_args own = plan != NULL ? psg_terms_of_plan(plan) : (psg_solve_args){0};
    psg_clear_error();
    if (plan != NULL && args != NULL) {
        o.status = psg_terms_read(&own, plan, args);
    }
    o.status = o.status == PSG_OK ? check(plan, count, f, u, &own) : o.status;
    if (o.status == PSG_OK) {
        o.status = make_means(&plan->past, count);
    }
    if (plan != NULL) {
        o.status = agree(plan, count, o.status);
    }
    if (o.status != PSG_OK) {
        return o.status;
    }
    psg_parts pieces = {.count = 0};
    size_t solved = 0;
    if (goes_together(plan, &own)) {
        note(&o, psg_pieces_cut(&pieces, plan, count, f), SIZE_MAX);
    }
    if (pieces.count > 0) {
        const psg_status started =
            psg_solve_start(plan, f, u, &own, &pieces, plan->past.means, true);
        note(&o, started, SIZE_MAX);
        if (started == PSG_OK) { /* else those with good values on sides are solved below */
            note(&o, psg_wait(plan), SIZE_MAX);
            solved = pieces.part[pieces.count - 1].box.hi[2] / plan->context.layout.n[2];
        }
    }
    free(pieces.part);
    if (goes_on(&o)) {
        solve_singly(plan, (psg_range){solved, count}, f, u, &own, &o);
    }
    plan->past.mean_count = goes_on(&o) ? count : 0;
    return o.status == PSG_OK ? PSG_OK : psg_fail(o.status, "%s", o.words);
}

psg_status psg_solve_many(psg_plan *plan, size_t count, const void *f, void *u) {
    psg_array from;
    psg_array to;
    psg_array_init(&from, (void *)(uintptr_t)f); /* tasks only read f, unless it is u */
    psg_array_init(&to, u);
    return psg_solve_many_arrays(plan, count, &from, &to, NULL);
}

psg_status psg_plan_means(const psg_plan *plan, double *means, size_t capacity, size_t *count) {
    psg_clear_error();
    if (plan == NULL || count == NULL || (means == NULL && capacity > 0)) {
        return psg_fail(PSG_ERR_ARG, "plan, count or means is NULL");
    }
    const psg_past *past = &plan->past;
    *count = past->mean_count > 0 ? past->mean_count : 1;
    for (size_t m = 0; m < *count && m < capacity; m++) {
        means[m] = past->mean_count > 0 ? past->means[m] : past->mean;
    }
    return PSG_OK;
}
