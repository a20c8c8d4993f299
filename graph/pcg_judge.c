/* What the words say of a solve with epsilon that has ended. */
#include "base/pcg.h"
#include "graph/array_check.h"
#include "graph/arrays.h"
#include "graph/fluid.h"
#include "graph/options.h"
#include "graph/pcg.h"
#include "graph/pending.h"
#include "graph/plan_struct.h"
#include "graph/ranks.h"
#include "graph/start.h"
#include "graph/status.h"
#include "graph/terms.h"

#include <math.h>
#include <starpu.h>

static bool is_finite(double value) {
    return isfinite(value);
}

typedef bool (*good_function)(double value);

/* The first value of a segment's slab that is no good. @return there is one */
static bool find_in(const psg_plan *plan, starpu_data_handle_t slab, size_t planes,
                    good_function good, size_t at[3], double *value) {
    const size_t *n = plan->context.layout.n;
    const bool single = starpu_block_get_elemsize(slab) == sizeof(float);
    const void *memory = (const void *)starpu_block_get_local_ptr(slab);
    const size_t pitch[2] = {starpu_block_get_local_ldy(slab), starpu_block_get_local_ldz(slab)};
    for (size_t m = 0; m < n[0] * n[1] * planes; m++) {
        const size_t i = m % n[0];
        const size_t j = m / n[0] % n[1];
        const size_t k = m / n[0] / n[1];
        const size_t place = k * pitch[1] + j * pitch[0] + i;
        *value = single ? ((const float *)memory)[place] : ((const double *)memory)[place];
        if (!good(*value)) {
            at[0] = i;
            at[1] = j;
            at[2] += k;
            return true;
        }
    }
    return false;
}

/* The first value of a field that is no good, of all processes; `at` is by the axes of the caller's
 * arrays. @param[out] there  there is one @return PSG_OK; PSG_ERR_RUNTIME */
static psg_status find(const psg_plan *plan, psg_arrays *arrays, int field, good_function good,
                       bool *there, size_t at[3], double *value) {
    const psg_layout *l = &plan->context.layout;
    const psg_grid *grid = &plan->problem.grid;
    const size_t plane = l->n[0] * l->n[1];
    double place = INFINITY;
    double text[2] = {-INFINITY, 0}; /* the value, and whether it is NaN, which max() loses */
    arrays->looked_at = true;
    for (size_t s = l->segments.own.first; s < l->segments.own.end && place == INFINITY; s++) {
        const starpu_data_handle_t slab = arrays->slabs[field][s - l->segments.own.first];
        size_t found[3] = {0, 0, l->segments.part[s].box.lo[2]};
        if (starpu_data_acquire_on_node(slab, STARPU_MAIN_RAM, STARPU_R) != 0) {
            break;
        }
        if (find_in(plan, slab, psg_layout_planes(l, s), good, found, value)) {
            place = (double)(found[2] * plane + found[1] * l->n[0] + found[0]);
        }
        starpu_data_release_on_node(slab, STARPU_MAIN_RAM);
    }
    double least = place;
    psg_status status = psg_ranks_min(plan->processes.comm, &least, 1);
    if (status == PSG_OK && place == least && isfinite(place)) {
        text[0] = isnan(*value) ? -INFINITY : *value;
        text[1] = isnan(*value);
    }
    status = status == PSG_OK ? psg_ranks_max(plan->processes.comm, text, 2) : status;
    *value = text[1] != 0 ? NAN : text[0];
    *there = isfinite(least);
    const size_t m = *there ? (size_t)least : 0;
    const size_t found[3] = {m % l->n[0], m % plane / l->n[0], m / plane};
    for (int d = 0; d < 3; d++) {
        at[d] = found[psg_grid_turn(grid, d)];
    }
    return status;
}

static psg_status refuse_epsilon(const psg_plan *plan, psg_arrays *arrays) {
    double value = 0;
    size_t at[3];
    bool there = false;
    int field = PSG_FIELD_EPSILON - 1;
    psg_status status = PSG_OK;
    while (!there && status == PSG_OK && ++field < PSG_FIELD_FLOW) {
        /* a process without planes has slabs of none */
        status = arrays->slabs[field] != NULL
                     ? find(plan, arrays, field, base_pcg_good, &there, at, &value)
                     : PSG_OK;
    }
    if (status != PSG_OK) {
        return status;
    }
    return there ? psg_fail(PSG_ERR_DATA,
                            "%s is %g at (i,j,k) = (%zu,%zu,%zu): it has to be 0, in solid "
                            "bodies, or finite and above 0, from %g to %g; u is the same with "
                            "epsilon, lambda and factor divided by one number",
                            psg_field_name(plan, field), value, at[0], at[1], at[2],
                            BASE_PCG_EPS_LOWEST, BASE_PCG_EPS_HIGHEST)
                 : psg_fail(PSG_ERR_DATA, "epsilon is 0 everywhere between points, and between "
                                          "points and sides: there is no fluid");
}

static psg_status refuse_guess(const psg_plan *plan, psg_arrays *arrays) {
    double value = 0;
    size_t at[3];
    bool there = false;
    const psg_status status = find(plan, arrays, PSG_FIELD_U, is_finite, &there, at, &value);
    return status != PSG_OK ? status
           : there ? psg_fail(PSG_ERR_DATA, "the guess in u is %g at (i,j,k) = (%zu,%zu,%zu)",
                              value, at[0], at[1], at[2])
                   : psg_fail(PSG_ERR_DATA, "the guess in u is finite, but too large for f");
}

/* Without solid points. */
static psg_status judge_mean(const psg_plan *plan, const psg_pending *pending) {
    const base_pcg_terms *t = &pending->terms.pcg;
    return t->drops && pending->mean == PSG_MEAN_ERROR
               ? psg_terms_judge_mean(plan, pending->pcg.sum / t->points, pending->pcg.largest,
                                      pending->terms.sides.apart)
               : PSG_OK;
}

static psg_status judge_steps(const psg_plan *plan, const psg_pending *pending) {
    const psg_pcg_result *r = &pending->pcg;
    const psg_status status =
        r->regions > 0 ? psg_fluid_judge(plan, pending->mean, r, pending->terms.sides.apart)
                       : judge_mean(plan, pending);
    return status != PSG_OK || r->reached
               ? status
               : psg_fail(PSG_ERR_DATA,
                          "after %zu iteration%s %s %.3g of f%s, and the tolerance is %.3g",
                          r->steps, r->steps == 1 ? "" : "s",
                          r->steps < pending->steps_most ? "rounding keeps the residual at"
                                                         : "the residual is",
                          r->residual,
                          pending->terms.pcg.drops || r->regions > 0 ? " less its mean" : "",
                          pending->terms.pcg.tolerance);
}

/* A program's data are not looked at. */
static psg_status refuse_data(const psg_pcg_result *r) {
    return r->bad_eps
               ? psg_fail(PSG_ERR_DATA, "epsilon is not 0 or from %g to %g everywhere, or is all 0",
                          BASE_PCG_EPS_LOWEST, BASE_PCG_EPS_HIGHEST)
               : psg_fail(PSG_ERR_DATA, "the guess in u is not finite");
}

psg_status psg_pcg_judge(const psg_plan *plan, const psg_pending *pending) {
    const psg_pcg_result *r = &pending->pcg;
    if (pending->steps_most == 0) {
        return PSG_OK;
    }
    if (!r->bad_eps && !psg_pcg_has_outside(r)) {
        return psg_fail(
            PSG_ERR_DATA,
            "epsilon is from %.17g to %.17g at the points beside free sides: it has to be one "
            "number there, above 0, which is that outside the box",
            r->rim[0], r->rim[1]);
    }
    if (!r->bad_eps && !r->bad_guess) {
        return judge_steps(plan, pending);
    }
    if (pending->arrays == NULL) {
        return refuse_data(r);
    }
    psg_runtime_awake(); /* the field is looked at through StarPU */
    const psg_status status = (r->bad_eps ? refuse_epsilon : refuse_guess)(plan, pending->arrays);
    psg_runtime_rest();
    return status;
}
