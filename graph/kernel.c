/* The caller's kernel: checked here, kept by green.c. */
#include "base/hash.h"
#include "graph/green.h"
#include "graph/option_table.h"
#include "graph/options.h"
#include "graph/plan_struct.h"
#include "graph/ranks.h"
#include "graph/status.h"
#include "graph/transform_table.h"

#include <math.h>

/* Has each axis values in space? */
static psg_status check_space(const psg_plan *plan) {
    for (int d = 0; d < 3; d++) {
        const psg_axis *axis = &plan->problem.grid.axis[d];
        const psg_transform *row = psg_transform_of(axis);
        if (psg_transform_periodic(row) && axis->n > 1 && axis->n % 2 == 1) {
            return psg_fail(PSG_ERR_UNSUPPORTED,
                            "a kernel in space needs an even number of points, not %zu, along the "
                            "periodic %c: give its modes",
                            axis->n, psg_grid_letter(&plan->problem.grid, d));
        }
        if (!psg_transform_periodic(row) && !psg_transform_free(row)) {
            return psg_fail(PSG_ERR_UNSUPPORTED,
                            "a kernel in space has no values along %c, which is between two walls: "
                            "give its modes",
                            psg_grid_letter(&plan->problem.grid, d));
        }
    }
    return PSG_OK;
}

static psg_status check_form(const psg_plan *plan, psg_kernel_form form) {
    if ((int)form < 0 || form >= PSG_KERNEL_FORM_COUNT) {
        return psg_fail(PSG_ERR_ARG, "form = %d is none of psg_kernel_form", (int)form);
    }
    if (form == PSG_KERNEL_FORM_SPECTRUM && !psg_transforms_periodic(&plan->problem.grid)) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "the spectrum of a kernel is for a box whose sides are all periodic: give "
                        "its modes");
    }
    return form == PSG_KERNEL_FORM_SPACE ? check_space(plan) : PSG_OK;
}

static psg_status check(const psg_plan *plan, psg_kernel_form form, const size_t n[3],
                        const double *values) {
    if (n == NULL || values == NULL) {
        return psg_fail(PSG_ERR_ARG, "n or the values of the kernel are NULL");
    }
    if (plan->problem.options.kernel != PSG_KERNEL_USER) {
        return psg_fail(PSG_ERR_STATE,
                        "the plan has kernel = %s, and takes one of its own with kernel = user",
                        psg_option_table_word("kernel", (int)plan->problem.options.kernel));
    }
    if (plan->pending.oldest != NULL) {
        return psg_fail(PSG_ERR_STATE, "a solve is in flight: psg_wait() for it first");
    }
    const psg_status status = check_form(plan, form);
    size_t need[3], own[3];
    psg_green_extents(plan, form, own);
    for (int d = 0; d < 3; d++) {
        need[psg_grid_turn(&plan->problem.grid, d)] = own[d];
    }
    if (status == PSG_OK && (n[0] != need[0] || n[1] != need[1] || n[2] != need[2])) {
        return psg_fail(PSG_ERR_ARG,
                        "the kernel has %zu x %zu x %zu values along x, y and z, and this grid "
                        "needs %zu x %zu x %zu",
                        n[0], n[1], n[2], need[0], need[1], need[2]);
    }
    for (size_t m = 0; status == PSG_OK && m < n[0] * n[1] * n[2]; m++) {
        if (!isfinite(values[m])) {
            return psg_fail(PSG_ERR_DATA, "the kernel is %g at (i,j,k) = (%zu,%zu,%zu)", values[m],
                            m % n[0], m / n[0] % n[1], m / n[0] / n[1]);
        }
    }
    return status;
}

/* All processes have the same one: a double has all digits of half a hash. */
static psg_status compare(const psg_plan *plan, psg_kernel_form form, const size_t n[3],
                          const double *values) {
    if (plan->processes.comm == NULL) {
        return PSG_OK;
    }
    const uint64_t hash = base_hash(BASE_HASH_NOTHING, values, n[0] * n[1] * n[2] * sizeof *values);
    const psg_option_value mine[] = {{"the form of the kernel", (double)form},
                                     {"the hash of the kernel", (double)(hash >> 32)},
                                     {"the hash of the kernel", (double)(hash & UINT32_MAX)}};
    return psg_ranks_same_values(plan->processes.comm, mine, sizeof mine / sizeof *mine);
}

psg_status psg_plan_kernel(psg_plan *plan, psg_kernel_form form, const size_t n[3],
                           const double *values) {
    psg_clear_error();
    if (plan == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan is NULL");
    }
    psg_green **kept = &plan->pending.kept;
    psg_status status = psg_ranks_agree(plan->processes.comm, check(plan, form, n, values));
    status = status == PSG_OK ? compare(plan, form, n, values) : status;
    if (status != PSG_OK) {
        return status;
    }
    status = psg_ranks_agree(plan->processes.comm, psg_green_give(kept, plan, form, values));
    if (status != PSG_OK && *kept != NULL) {
        (*kept)->lambda = NAN; /* of none, as on the process that failed */
    }
    return status;
}
