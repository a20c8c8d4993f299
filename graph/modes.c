/* f or u of a solve as modes: what a solve can do, and where the modes are. */
#include "graph/modes.h"
#include "graph/options.h"
#include "graph/plan_struct.h"
#include "graph/ranks.h"
#include "graph/sides.h"
#include "graph/status.h"
#include "graph/transform_table.h"
#include "runtime/simulation.h"

#include <math.h>

/* Are all modes real? A periodic axis of one point has one that is. */
static bool all_real(const psg_plan *plan) {
    bool all = true;
    for (int d = 0; d < 3; d++) {
        const bool single = d > 0 && plan->context.layout.n[d] == 1;
        all = all && (single || !psg_transform_complex(plan->context.kind[d]));
    }
    return all;
}

/* Has the plan modes as psg_modes.h says? */
static psg_status check_plan(const psg_plan *plan) {
    const bool is_complex = plan->context.kind[0] == PSG_TRANSFORM_PERIODIC;
    const char *why = NULL;
    if (psg_stretched(&plan->context)) {
        why = "an axis with faces or a Robin side has none";
    } else if (psg_transforms_free_side(&plan->problem.grid)) {
        why = "a box with free sides has none: its transforms are of twice the length";
    } else if (!is_complex && !all_real(plan)) {
        why = "x is between walls and another axis is periodic: let x be the periodic one";
    } else if (!psg_graph_has(&plan->context.graph, PSG_TASK_FORWARD_XY, false)) {
        why = "they are for the fused graph, and the plan's is staged";
    } else if (!psg_platform->computes) {
        why = "a simulation has no times of them";
    }
    return why == NULL ? PSG_OK : psg_fail(PSG_ERR_UNSUPPORTED, "modes of f or u: %s", why);
}

psg_status psg_plan_local_modes(const psg_plan *plan, size_t lo[3], size_t n[3], int *is_complex) {
    psg_clear_error();
    if (plan == NULL || lo == NULL || n == NULL || is_complex == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan, lo, n or is_complex is NULL");
    }
    const psg_status status = check_plan(plan);
    if (status == PSG_OK) {
        const psg_layout *l = &plan->context.layout;
        const psg_range own = l->sheets.own;
        *is_complex = plan->context.kind[0] == PSG_TRANSFORM_PERIODIC;
        const size_t row0 =
            own.first < l->sheets.count ? l->sheets.part[own.first].box.lo[1] : l->nyc;
        const size_t first[3] = {0, row0 * l->nxc / l->row, 0};
        const size_t count[3] = {*is_complex ? l->row : l->n[0],
                                 psg_parts_length(&l->sheets, own, 1) * l->nxc / l->row, l->n[2]};
        for (int d = 0; d < 3; d++) {
            lo[d] = first[psg_grid_turn(&plan->problem.grid, d)];
            n[d] = count[psg_grid_turn(&plan->problem.grid, d)];
        }
    }
    return status;
}

psg_status psg_modes_check(const psg_plan *plan, const psg_solve_args *args, size_t count,
                           const psg_array *f, const psg_array *u) {
    const psg_array *const *g = args->gradient;
    if ((f == NULL && args->f_modes == NULL) || (u == NULL && args->u_modes == NULL)) {
        return psg_fail(PSG_ERR_ARG, "f or u is NULL");
    }
    if (args->f_modes == NULL && args->u_modes == NULL) {
        return PSG_OK;
    }
    if (f != NULL && args->f_modes != NULL) {
        return psg_fail(PSG_ERR_ARG, "f and f_modes are both given: a solve has one f");
    }
    const psg_status status = check_plan(plan);
    if (status != PSG_OK) {
        return status;
    }
    if (count > 1) {
        return psg_fail(PSG_ERR_UNSUPPORTED,
                        "f and u are %zu arrays, one for each GPU, and beside modes each is one",
                        count);
    }
    if (args->epsilon != NULL) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "with epsilon there are no modes");
    }
    if (args->f_modes != NULL && psg_sides_given(args)) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "values on the sides are added to f at points, and "
                                             "f_modes are modes: give f");
    }
    return u != NULL || (g[0] == NULL && g[1] == NULL && g[2] == NULL)
               ? PSG_OK
               : psg_fail(PSG_ERR_UNSUPPORTED, "the gradient comes with u, and u is NULL");
}

/* The number of the first mode of a sheet that is not finite, counted along x, y and z. @return
 * INFINITY: there is none */
static double first_nonfinite(const psg_plan *plan, const psg_arrays *arrays, size_t p) {
    const psg_layout *l = &plan->context.layout;
    const starpu_data_handle_t slab = arrays->slabs[PSG_FIELD_F_MODES][p - l->sheets.own.first];
    const size_t columns = l->nxc * psg_layout_rows(l, p);
    double found = INFINITY;
    if (starpu_data_acquire_on_node(slab, STARPU_MAIN_RAM, STARPU_R) != 0) {
        return found;
    }
    const size_t bytes = 2 * plan->context.cpu->real_bytes * starpu_block_get_local_ldz(slab);
    const char *modes = (const char *)starpu_block_get_local_ptr(slab);
    for (size_t k = 0; k < l->n[2] && !isfinite(found); k++) {
        const size_t m = plan->context.cpu->find_nonfinite(modes + k * bytes, 2 * columns) / 2;
        found = m == columns ? INFINITY
                             : (double)((k * l->nyc + l->sheets.part[p].box.lo[1]) * l->nxc + m);
    }
    starpu_data_release_on_node(slab, STARPU_MAIN_RAM);
    return found;
}

psg_status psg_modes_find_nonfinite(const psg_plan *plan, const psg_arrays *arrays) {
    const psg_layout *l = &plan->context.layout;
    const psg_range own = l->sheets.own;
    const size_t plane = l->nyc * l->nxc;
    double found[2] = {INFINITY, 1}; /* on this process or another one; 0: it is overwritten */
    if (psg_range_count(own) > 0 && arrays->field[PSG_FIELD_U_MODES] != NULL) {
        found[1] = arrays->field[PSG_FIELD_U_MODES]->data != arrays->field[PSG_FIELD_F_MODES]->data;
    }
    for (size_t p = own.first; p < own.end && found[1] > 0; p++) {
        found[0] = fmin(found[0], first_nonfinite(plan, arrays, p));
    }
    const psg_status status = psg_ranks_min(plan->processes.comm, found, 2);
    if (status == PSG_OK && isfinite(found[0])) {
        const size_t m = (size_t)found[0];
        const size_t at[3] = {m % l->row, m % plane / l->row, m / plane};
        return psg_fail(PSG_ERR_DATA, "f_modes is NaN or Inf at mode (kx,ky,kz) = (%zu,%zu,%zu)",
                        at[0], at[psg_grid_turn(&plan->problem.grid, 1)],
                        at[psg_grid_turn(&plan->problem.grid, 2)]);
    }
    return status != PSG_OK
               ? status
               : psg_fail(PSG_ERR_DATA, found[1] > 0 ? "f_modes are finite, but too large for the "
                                                       "precision of u or u_modes"
                                                     : "f_modes had a NaN or an Inf, or were too "
                                                       "large for their precision; u_modes are in "
                                                       "their place");
}
