/* Several right-hand sides in one call: in pieces, which a worker solves without the others, where
 * that is faster; else one after the other. */
#include "base/tuning.h"
#include "codelets/gpu.h"
#include "graph/plan_struct.h"
#include "graph/ranks.h"
#include "graph/solve.h"
#include "graph/status.h"
#include "runtime/device.h"
#include "runtime/simulation.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------- how to solve */

static size_t points_of(const psg_plan *plan) {
    const size_t *n = plan->context.layout.n;
    return n[0] * n[1] * n[2];
}

/* Bytes of the spectrum of a right-hand side. */
static size_t spectrum_of(const psg_plan *plan) {
    const psg_context *c = &plan->context;
    return c->layout.nxc * c->layout.n[1] * c->layout.n[2] * 2 * c->cpu->real_bytes;
}

/* The rule for the mean of each right-hand side may need a look at it. Where the policy gives each
 * task to a core or a GPU, single solves are what is compared. */
static bool have_pieces(const psg_plan *plan) {
    const psg_options *o = &plan->problem.options;
    const psg_context *c = &plan->context;
    return plan->processes.ranks == 1 && c->form.fused && psg_platform->computes && o->batch != 1 &&
           o->mean == PSG_MEAN_DROP && !plan->workers.anywhere &&
           (plan->workers.gpu_count == 0 || (psg_kernels != NULL && psg_kernels->solves_whole(c)));
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t fitting(size_t bytes, size_t of_one) {
    return bytes > of_one ? bytes / of_one : 1;
}

/* Right-hand sides of a piece on a GPU: pieces are alike. Those from main memory are small, so that
 * one comes while another is solved. StarPU counts the points of a piece in 32 bits, and CUDA its
 * right-hand sides in 16. */
static size_t each_on_gpu(const psg_plan *plan, size_t count, bool resident) {
    const size_t field = points_of(plan) * plan->context.cpu->real_bytes;
    const size_t resident_most = fitting(TUNING_BATCH_BYTES, spectrum_of(plan));
    const size_t copied_most = fitting(TUNING_BATCH_COPIED_BYTES, field);
    size_t most = plan->problem.options.batch;
    most = most > 0 ? most : resident ? resident_most : least(resident_most, copied_most);
    most = least(least(most, count), least(UINT16_MAX, fitting(UINT32_MAX, points_of(plan))));
    const size_t pieces = (count + most - 1) / most;
    return (count + pieces - 1) / pieces;
}

/* The first `count` of so many right-hand sides are solved in pieces. On cores these are full
 * rounds of one for each core; a last round that leaves most cores idle is none. */
static psg_many choose(const psg_plan *plan, size_t count, const psg_array *f) {
    const psg_workers *w = &plan->workers;
    const size_t cores = w->cpu_count;
    psg_many many = {.count = count, .each = 1};
    if (!have_pieces(plan) || count == 1) {
        return (psg_many){.count = 0};
    }
    if (w->gpu_count > 0) {
        const int device =
            f->device == PSG_ASK ? psg_device_ask(f->data, PSG_ASK).device : f->device;
        many.each = each_on_gpu(plan, count, device != PSG_HOST);
        many.count = many.each > 1 ? count : 0;
        return many;
    }
    if (cores * spectrum_of(plan) > TUNING_WHOLE_BYTES) {
        return (psg_many){.count = 0};
    }
    many.count -= count % cores <= cores / 2 ? count % cores : 0;
    return many;
}

/* -------------------------------------------------------------------------- one after the other */

/* How it went so far. */
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

/* Of a right-hand side that was solved alone. */
static void wait_for(psg_plan *plan, outcome *o, size_t number) {
    note(o, psg_wait(plan), number);
    plan->past.means[number] = plan->past.mean;
}

/* Data that are no good are those of one right-hand side alone. */
static bool goes_on(const outcome *o) {
    return o->status == PSG_OK || o->status == PSG_ERR_DATA || o->status == PSG_ERR_MEAN;
}

/* Of one right-hand side in each array: from the first element of one to that of the next. */
static size_t step_of(const psg_plan *plan, const psg_array *a) {
    const psg_layout *l = &plan->context.layout;
    const size_t planes = psg_parts_length(&l->segments, l->segments.own, 2);
    return planes * (a->stride[2] > 0 ? (size_t)a->stride[2] : l->n[0] * l->n[1]);
}

/* Elements of a plane behind its last point. */
static size_t gap_of(const psg_plan *plan, const psg_array *a) {
    const size_t *n = plan->context.layout.n;
    const ptrdiff_t reach = (ptrdiff_t)(n[1] - 1) * a->stride[1] + (ptrdiff_t)n[0];
    return a->stride[2] > reach ? (size_t)(a->stride[2] - reach) : 0;
}

static psg_array array_at(const psg_plan *plan, const psg_array *a, size_t m) {
    psg_array one = *a;
    one.data = (char *)a->data + m * step_of(plan, a) * plan->context.cpu->real_bytes;
    return one;
}

/* On cores nothing is gained by two at once, which would take another spectrum. */
static void solve_singly(psg_plan *plan, psg_range of, const psg_array *f, const psg_array *u,
                         outcome *o) {
    const bool overlaps = plan->workers.gpu_count > 0 || plan->processes.ranks > 1;
    const size_t most = overlaps ? plan->problem.options.in_flight : 1;
    size_t waited = of.first;
    for (size_t m = of.first; m < of.end && goes_on(o); m++) {
        const psg_array from = array_at(plan, f, m);
        const psg_array to = array_at(plan, u, m);
        if (most == 1) {
            note(o, psg_solve_arrays(plan, 1, &from, &to, NULL), m);
            plan->past.means[m] = plan->past.mean;
            continue;
        }
        if (m - waited == most) {
            wait_for(plan, o, waited++);
        }
        note(o, psg_submit_arrays(plan, 1, &from, &to, NULL), m);
    }
    while (plan->pending.oldest != NULL) {
        wait_for(plan, o, waited++);
    }
}

/* ------------------------------------------------------------------------------------- the call */

/* What has to hold for all of them together; the rest is looked at as for one. */
static psg_status check(const psg_plan *plan, size_t count, const psg_array *f,
                        const psg_array *u) {
    psg_clear_error();
    if (plan == NULL || f == NULL || u == NULL) {
        return psg_fail(PSG_ERR_ARG, "%s is NULL", plan == NULL ? "plan" : "f or u");
    }
    if (plan->pending.oldest != NULL) {
        return psg_fail(PSG_ERR_STATE, "a solve is in flight: psg_wait() for it first");
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

psg_status psg_solve_many_arrays(psg_plan *plan, size_t count, const psg_array *f,
                                 const psg_array *u) {
    outcome o = {.status = check(plan, count, f, u)};
    if (o.status == PSG_OK) {
        o.status = make_means(&plan->past, count);
    }
    if (plan != NULL) {
        o.status = agree(plan, count, o.status);
    }
    if (o.status != PSG_OK) {
        return o.status;
    }
    const psg_many many = choose(plan, count, f);
    if (many.count > 0) {
        note(&o, psg_solve_pieces(plan, f, u, &many), SIZE_MAX);
    }
    if (goes_on(&o)) {
        solve_singly(plan, (psg_range){many.count, count}, f, u, &o);
    }
    plan->past.mean_count = goes_on(&o) ? count : 0;
    return o.status == PSG_OK ? PSG_OK : psg_fail(o.status, "%s", o.words);
}

psg_status psg_solve_many(psg_plan *plan, size_t count, const void *f, void *u) {
    psg_array from;
    psg_array to;
    psg_array_init(&from, (void *)(uintptr_t)f); /* tasks only read f, unless it is u */
    psg_array_init(&to, u);
    return psg_solve_many_arrays(plan, count, &from, &to);
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
