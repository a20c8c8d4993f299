/* The calling thread walks over epsilon, f and x where solves have solid points: once before the
 * first iteration and once after the last one. Each process does so with its own planes, and labels
 * the regions there. A region that has a point beside another process has a name that all processes
 * know: at first a number of its own. Neighbours tell each other the names of the points between
 * them, and each region takes the least name that it meets, until none changes. */
#include "graph/fluid.h"
#include "graph/options.h"
#include "graph/pcg_fields.h"
#include "graph/plan_struct.h"
#include "graph/ranks.h"
#include "graph/status.h"
#include "graph/transforms.h"

#include <math.h>
#include <stdlib.h>

static psg_range own_of(const psg_plan *plan) {
    return plan->context.layout.segments.own;
}

/* Planes of this process. */
static size_t planes_here(const psg_plan *plan) {
    return psg_parts_length(&plan->context.layout.segments, own_of(plan), 2);
}

/* By plane of this process. @return NULL: all are the same */
static const double *widths_of(const psg_plan *plan) {
    return psg_stretched(&plan->context) && planes_here(plan) > 0
               ? plan->context.waves->line.width +
                     plan->context.layout.segments.part[own_of(plan).first].box.lo[2]
               : NULL;
}

/* Get a handle of each segment into main memory. @return false: the run has failed; those before
 * are given back */
static bool acquire(psg_run *run, psg_fluid_data data, size_t segments,
                    enum starpu_data_access_mode mode) {
    for (size_t s = 0; s < segments; s++) {
        if (!psg_work_acquire(run, data.handle[s * data.step], mode)) {
            while (s-- > 0) {
                starpu_data_release_on_node(data.handle[s * data.step], STARPU_MAIN_RAM);
            }
            return false;
        }
    }
    return true;
}

static void release(psg_fluid_data data, size_t segments) {
    for (size_t s = 0; s < segments; s++) {
        starpu_data_release_on_node(data.handle[s * data.step], STARPU_MAIN_RAM);
    }
}

/* The planes of dense f64 blocks that are held. @param[in] below  planes before a segment's own
 * @return NULL: no memory, and the run has failed */
static double **planes_of(psg_run *run, const psg_plan *plan, psg_fluid_data data, size_t below) {
    const psg_layout *l = &plan->context.layout;
    const size_t plane = l->n[0] * l->n[1];
    const psg_range own = own_of(plan);
    double **planes = malloc((l->n[2] + 1) * sizeof *planes);
    for (size_t s = 0, k = 0; s < psg_range_count(own) && planes != NULL; s++) {
        double *first = (double *)starpu_block_get_local_ptr(data.handle[s * data.step]);
        for (size_t m = 0; m < psg_layout_planes(l, own.first + s); m++) {
            planes[k++] = first + (m + below) * plane;
        }
    }
    if (planes == NULL) {
        psg_run_fail(run, PSG_FAULT_MEMORY, "no memory for a list of planes");
    }
    return planes;
}

static void copy_row(const void *from, bool single, size_t count, double *to) {
    for (size_t i = 0; i < count; i++) {
        to[i] = single ? (double)((const float *)from)[i] : ((const double *)from)[i];
    }
}

/* f, which is held -> planes. */
static void copy(const psg_layout *l, psg_fluid_data f, double *const *to) {
    const psg_range own = l->segments.own;
    for (size_t s = 0, k = 0; s < psg_range_count(own); s++) {
        const starpu_data_handle_t slab = f.handle[s * f.step];
        const char *first = (const char *)starpu_block_get_local_ptr(slab);
        const size_t bytes = starpu_block_get_elemsize(slab);
        const size_t row = starpu_block_get_local_ldy(slab);
        const size_t plane = starpu_block_get_local_ldz(slab);
        for (size_t m = 0; m < psg_layout_planes(l, own.first + s); m++, k++) {
            for (size_t j = 0; j < l->n[1]; j++) {
                copy_row(first + (m * plane + j * row) * bytes, bytes == sizeof(float), l->n[0],
                         to[k] + j * l->n[0]);
            }
        }
    }
}

/* ----------------------------------------------------------------------- regions of one process */

/* @param[in] planes  of eps; on faces by axis, which those before the first one follow */
static base_regions *label(const psg_plan *plan, double *const *const planes[3],
                           const base_pcg_terms *terms) {
    const psg_layout *l = &plan->context.layout;
    const psg_grid *grid = &plan->problem.grid;
    const psg_range own = l->segments.own;
    const bool has[2] = {own.first == 0, own.end == l->segments.count};
    base_regions_box box = {.n = {l->n[0], l->n[1], planes_here(plan)},
                            .all = terms->faces && terms->lambda != 0,
                            .counts = widths_of(plan)};
    bool free_axis[3];
    bool wall[3];
    for (int d = 0; d < 3; d++) {
        const psg_bc *bc = grid->axis[d].bc;
        free_axis[d] = bc[0] == PSG_BC_FREE || bc[1] == PSG_BC_FREE;
        wall[d] = bc[0] == PSG_BC_DIRICHLET || bc[1] == PSG_BC_DIRICHLET;
    }
    const bool outside = base_regions_free_fixes(free_axis, wall);
    for (int d = 0; d < 3; d++) {
        const psg_axis *axis = &grid->axis[d];
        box.plane[d] = (const double *const *)planes[d];
        box.wraps[d] = (d < 2 || plan->processes.ranks == 1) && axis->bc[0] == PSG_BC_PERIODIC;
        for (int side = 0; side < 2; side++) {
            const bool here = d < 2 || has[side];
            box.fixes[d][side] = here && (axis->bc[side] == PSG_BC_DIRICHLET ||
                                          (axis->bc[side] == PSG_BC_FREE && outside));
            box.closed[d][side] =
                here && (axis->bc[side] == PSG_BC_NEUMANN || terms->weight[d] == 0);
        }
    }
    box.below = terms->faces && box.n[2] > 0 ? planes[2][0] - box.n[0] * box.n[1] : NULL;
    base_regions *found = base_regions_create(&box);
    const size_t below =
        psg_range_count(own) > 0 ? l->segments.part[own.first].box.lo[2] * l->n[0] * l->n[1] : 0;
    for (size_t r = 0; found != NULL && r < found->count; r++) {
        found->region[r].fixed = found->region[r].fixed || terms->lambda != 0;
        found->region[r].first += below;
    }
    return found;
}

/* ----------------------------------------------------------------------- names of all processes */

/* The points of the plane towards another process; their count is 0 where there is none. */
static const uint32_t *points_towards(const psg_fluid *fluid, const psg_plan *plan, int side,
                                      size_t *count) {
    const size_t *n = fluid->regions->n;
    *count = psg_pcg_across(plan, side == 0 ? -1 : 1) < SIZE_MAX ? n[0] * n[1] : 0;
    return fluid->regions->of + (side == 0 || n[2] == 0 ? 0 : (n[2] - 1) * n[0] * n[1]);
}

/* Number the regions that other processes may share, after those of the processes before.
 * @return false: no memory */
static bool number_shared(psg_fluid *fluid, const psg_plan *plan) {
    const size_t regions = fluid->regions->count;
    fluid->shared = calloc(regions + 1, sizeof *fluid->shared);
    fluid->name = calloc(regions + 1, sizeof *fluid->name);
    for (int side = 0; side < 2 && fluid->shared != NULL && fluid->name != NULL; side++) {
        size_t count;
        const uint32_t *of = points_towards(fluid, plan, side, &count);
        for (size_t m = 0; m < count; m++) {
            if (of[m] != 0 && fluid->name[of[m] - 1] == 0) {
                fluid->name[of[m] - 1] = 1;
                fluid->shared[fluid->shared_count++] = of[m] - 1;
            }
        }
    }
    return fluid->shared != NULL && fluid->name != NULL;
}

/* The numbers become those of all processes. @return false: the run has failed */
static bool name_shared(psg_fluid *fluid, psg_run *run, const psg_plan *plan) {
    const size_t ranks = (size_t)plan->processes.ranks;
    double *counts = calloc(ranks, sizeof *counts);
    if (counts == NULL) {
        psg_run_fail(run, PSG_FAULT_MEMORY, "no memory for the regions of the fluid");
    } else {
        counts[plan->processes.rank] = (double)fluid->shared_count;
    }
    bool good = psg_pcg_agree(run, plan) && counts != NULL &&
                psg_ranks_sum(plan->processes.comm, counts, ranks) == PSG_OK;
    double before = 0;
    for (size_t r = 0; r < ranks && good; r++) {
        before += (int)r < plan->processes.rank ? counts[r] : 0;
        fluid->names += (size_t)counts[r];
    }
    for (size_t m = 0; m < fluid->shared_count && good; m++) {
        fluid->name[fluid->shared[m]] = 1 + before + (double)m;
    }
    free(counts);
    fluid->first_name = before;
    fluid->room = calloc(fluid->names + 1, sizeof *fluid->room);
    if (fluid->room == NULL) {
        psg_run_fail(run, PSG_FAULT_MEMORY, "no memory for the regions of the fluid");
    }
    return psg_pcg_agree(run, plan) && good;
}

/* The faces below a segment that is held, or those above it. */
static const double *between(const psg_plan *plan, const psg_task_pcg_data *at, int side) {
    const psg_layout *l = &plan->context.layout;
    const double *first = (const double *)starpu_block_get_local_ptr(at->eps[2]);
    const size_t planes = starpu_block_get_nz(at->eps[2]);
    return first + (side == 0 ? 0 : (planes - 2) * l->n[0] * l->n[1]);
}

/* The names of the points beside the other processes -> low and high of the own segments. */
static void write_names(const psg_fluid *fluid, psg_run *run, const psg_plan *plan) {
    const psg_range own = own_of(plan);
    for (int side = 0; side < 2; side++) {
        size_t count;
        const uint32_t *of = points_towards(fluid, plan, side, &count);
        const psg_task_pcg_data *at = &plan->held.pcg->segment[side == 0 ? own.first : own.end - 1];
        const starpu_data_handle_t plane = count == 0 ? NULL : side == 0 ? at->low : at->high;
        const psg_fluid_data faces = {&at->eps[2], PSG_PCG_DATA};
        const bool held = count > 0 && fluid->faces && acquire(run, faces, 1, STARPU_R);
        if (count > 0 && psg_work_acquire(run, plane, STARPU_W)) {
            double *to = (double *)starpu_block_get_local_ptr(plane);
            const double *face = held ? between(plan, at, side) : NULL;
            for (size_t m = 0; m < count; m++) {
                const bool open = of[m] != 0 && (face == NULL || face[m] > 0);
                to[m] = open ? fluid->name[of[m] - 1] : 0;
            }
            starpu_data_release_on_node(plane, STARPU_MAIN_RAM);
        }
        release(faces, held ? 1 : 0);
    }
}

/* @return some name became less */
static bool read_names(psg_fluid *fluid, psg_run *run, const psg_plan *plan) {
    bool changes = false;
    for (int side = 0; side < 2; side++) {
        size_t count;
        const uint32_t *of = points_towards(fluid, plan, side, &count);
        const size_t other = psg_pcg_across(plan, side == 0 ? -1 : 1);
        const psg_task_pcg_data *at = &plan->held.pcg->segment[count > 0 ? other : 0];
        const starpu_data_handle_t plane = count == 0 ? NULL : side == 0 ? at->high : at->low;
        if (count > 0 && psg_work_acquire(run, plane, STARPU_R)) {
            const double *from = (const double *)starpu_block_get_local_ptr(plane);
            for (size_t m = 0; m < count && !psg_run_failed(run); m++) {
                double *name = of[m] != 0 ? &fluid->name[of[m] - 1] : NULL;
                if (name != NULL && from[m] > 0 && from[m] < *name) {
                    *name = from[m];
                    changes = true;
                }
            }
            starpu_data_release_on_node(plane, STARPU_MAIN_RAM);
        }
    }
    return changes;
}

/* @return false: the run has failed */
static bool spread_names(psg_fluid *fluid, psg_run *run, const psg_plan *plan) {
    double changes = 1;
    bool good = true;
    while (good && changes != 0) {
        write_names(fluid, run, plan);
        psg_pcg_carry_planes(run, plan);
        changes = read_names(fluid, run, plan);
        good =
            psg_pcg_agree(run, plan) && psg_ranks_max(plan->processes.comm, &changes, 1) == PSG_OK;
    }
    return good;
}

typedef psg_status (*reduction)(psg_comm *comm, double *values, size_t count);

/* A number of each region -> what its parts on all processes have together.
 * @param[in] nothing  the number of a region without points */
static void reduce(double *value, psg_fluid *fluid, reduction together, double nothing) {
    for (size_t m = 0; m < fluid->names; m++) {
        fluid->room[m] = nothing;
    }
    for (size_t m = 0; m < fluid->shared_count; m++) { /* some may have one name here, too */
        const size_t r = fluid->shared[m];
        double *to = &fluid->room[(size_t)fluid->name[r] - 1];
        *to = together == psg_ranks_sum   ? *to + value[r]
              : together == psg_ranks_max ? fmax(*to, value[r])
                                          : fmin(*to, value[r]);
    }
    if (fluid->names > 0 &&
        together(fluid->plan->processes.comm, fluid->room, fluid->names) != PSG_OK) {
        psg_run_fail(fluid->run, PSG_FAULT_MPI, "%s", fluid->plan->processes.comm->words);
    }
    for (size_t m = 0; m < fluid->shared_count; m++) {
        const size_t r = fluid->shared[m];
        value[r] = fluid->room[(size_t)fluid->name[r] - 1];
    }
}

static void join_sum(double *sum, void *fluid) {
    reduce(sum, fluid, psg_ranks_sum, 0);
}

static void join_largest(double *value, void *fluid) {
    const psg_fluid *of = fluid;
    if (psg_ranks_max(of->plan->processes.comm, value, 1) != PSG_OK) {
        psg_run_fail(of->run, PSG_FAULT_MPI, "%s", of->plan->processes.comm->words);
    }
}

static void drop(psg_fluid *fluid, double *const *planes) {
    const base_regions_joins joins = {join_largest, join_sum, fluid};
    base_regions_drop(fluid->regions, planes, &joins);
}

/* What is known of each region becomes that of all of it. */
static void describe_shared(psg_fluid *fluid) {
    base_regions *g = fluid->regions;
    double *value = g->sum;
    for (size_t r = 0; r < g->count; r++) {
        value[r] = (double)g->region[r].points;
    }
    reduce(value, fluid, psg_ranks_sum, 0);
    for (size_t r = 0; r < g->count; r++) {
        g->region[r].points = (size_t)value[r];
        value[r] = g->region[r].fixed;
    }
    reduce(value, fluid, psg_ranks_max, 0);
    for (size_t r = 0; r < g->count; r++) {
        g->region[r].fixed = value[r] != 0;
        value[r] = (double)g->region[r].first;
    }
    reduce(value, fluid, psg_ranks_min, INFINITY);
    for (size_t r = 0; r < g->count; r++) {
        g->region[r].first = (size_t)value[r];
    }
}

/* Does this process count the region? One process does. */
static bool counts(const psg_fluid *fluid, size_t r) {
    const double name = fluid->name[r];
    return name == 0 ||
           (name > fluid->first_name && fluid->shared[(size_t)(name - fluid->first_name) - 1] == r);
}

/* ---------------------------------------------------------------------------------- the fluid */

void psg_fluid_destroy(psg_fluid *fluid) {
    if (fluid != NULL) {
        base_regions_destroy(fluid->regions);
        free(fluid->shared);
        free(fluid->name);
        free(fluid->room);
        free(fluid);
    }
}

/* Wait for eps, and label. */
static base_regions *label_own(psg_run *run, const psg_plan *plan, const base_pcg_terms *terms) {
    const size_t segments = psg_range_count(own_of(plan));
    const psg_task_pcg_data *first = &plan->held.pcg->segment[own_of(plan).first];
    double **planes[3] = {NULL};
    bool good = true;
    int held = 0;
    for (int d = 0; d < (terms->faces ? 3 : 1) && good; d++) {
        const psg_fluid_data eps = {&first->eps[d], PSG_PCG_DATA};
        good = acquire(run, eps, segments, STARPU_R);
        held += good;
        planes[d] = good ? planes_of(run, plan, eps, 1) : NULL;
        good = planes[d] != NULL;
    }
    base_regions *found = good ? label(plan, (double *const *const *)planes, terms) : NULL;
    for (int d = 0; d < 3; d++) {
        free(planes[d]);
        release((psg_fluid_data){&first->eps[d], PSG_PCG_DATA}, d < held ? segments : 0);
    }
    return found;
}

psg_fluid *psg_fluid_find(psg_run *run, const psg_plan *plan, const base_pcg_terms *terms) {
    psg_fluid *fluid = calloc(1, sizeof *fluid);
    if (fluid != NULL) {
        fluid->run = run;
        fluid->plan = plan;
        fluid->faces = terms->faces != 0;
        fluid->regions = label_own(run, plan, terms);
    }
    if (fluid == NULL || fluid->regions == NULL || !number_shared(fluid, plan)) {
        psg_run_fail(run, PSG_FAULT_MEMORY, "no memory for the regions of the fluid");
    }
    bool good = psg_pcg_agree(run, plan);
    good = good && name_shared(fluid, run, plan) && spread_names(fluid, run, plan);
    if (good) {
        const base_regions_joins joins = {join_largest, join_sum, fluid};
        describe_shared(fluid);
        base_regions_count(fluid->regions, &joins);
        good = psg_pcg_agree(run, plan);
    }
    if (!good) {
        psg_fluid_destroy(fluid);
    }
    return good ? fluid : NULL;
}

/* The region with the largest mean, and what was dropped in all. */
static void tell(const psg_fluid *fluid, psg_pcg_result *result) {
    enum { DROPPED, COUNTS, REGIONS, SUMS, MEAN = 0, SIZE, FOUND };
    psg_comm *comm = fluid->plan->processes.comm;
    const base_regions *g = fluid->regions;
    double sum[SUMS] = {0};
    double largest = 0;
    double first = INFINITY;
    double found[FOUND] = {-INFINITY, 0};
    for (size_t r = 0; r < g->count; r++) {
        const base_region *region = &g->region[r];
        largest = fmax(largest, fabs(region->mean));
        if (counts(fluid, r)) {
            sum[DROPPED] += region->mean * region->counts;
            sum[COUNTS] += region->counts;
            sum[REGIONS] += 1;
        }
    }
    (void)psg_ranks_sum(comm, sum, SUMS);
    (void)psg_ranks_max(comm, &largest, 1);
    for (size_t r = 0; r < g->count; r++) {
        first =
            fabs(g->region[r].mean) == largest ? fmin(first, (double)g->region[r].first) : first;
    }
    (void)psg_ranks_min(comm, &first, 1);
    for (size_t r = 0; r < g->count; r++) {
        const base_region *region = &g->region[r];
        if (fabs(region->mean) == largest && (double)region->first == first) {
            found[MEAN] = region->mean;
            found[SIZE] = (double)region->points;
        }
    }
    (void)psg_ranks_max(comm, found, FOUND);
    const size_t *n = fluid->plan->context.layout.n;
    result->regions = (size_t)sum[REGIONS];
    result->sum = sum[DROPPED] / sum[COUNTS] * (double)(n[0] * n[1] * n[2]);
    result->region_mean = found[MEAN];
    result->region_points = (size_t)found[SIZE];
    result->region_first = isfinite(first) ? (size_t)first : 0;
}

bool psg_fluid_fill(psg_run *run, const psg_plan *plan, psg_fluid *fluid, psg_fluid_data f,
                    psg_fluid_data to, psg_pcg_result *result) {
    const psg_layout *l = &plan->context.layout;
    const size_t segments = psg_range_count(own_of(plan));
    const bool first = acquire(run, f, segments, STARPU_R);
    const bool both = first && acquire(run, to, segments, STARPU_W);
    double **planes = both ? planes_of(run, plan, to, 0) : NULL;
    const bool good = psg_pcg_agree(run, plan) && planes != NULL;
    if (good) {
        copy(l, f, planes);
        drop(fluid, planes);
        tell(fluid, result);
    }
    free(planes);
    release(to, both ? segments : 0);
    release(f, first ? segments : 0);
    return psg_pcg_agree(run, plan) && good;
}

bool psg_fluid_drop(psg_run *run, const psg_plan *plan, psg_fluid *fluid, psg_fluid_data x) {
    const size_t segments = psg_range_count(own_of(plan));
    const bool held = acquire(run, x, segments, STARPU_RW);
    double **planes = held ? planes_of(run, plan, x, 0) : NULL;
    const bool good = psg_pcg_agree(run, plan) && planes != NULL;
    if (good) {
        drop(fluid, planes);
    }
    free(planes);
    release(x, held ? segments : 0);
    return psg_pcg_agree(run, plan) && good;
}

psg_status psg_fluid_judge(const psg_plan *plan, psg_mean mean, const psg_pcg_result *result,
                           bool sides) {
    const psg_grid *grid = &plan->problem.grid;
    const size_t *n = plan->context.layout.n;
    const size_t m = result->region_first;
    const size_t at[3] = {m % n[0], m / n[0] % n[1], m / n[0] / n[1]};
    const double most = plan->problem.options.mean_tolerance;
    return mean != PSG_MEAN_ERROR || fabs(result->region_mean) <= most * result->largest
               ? PSG_OK
               : psg_fail(PSG_ERR_MEAN,
                          "f%s the mean %.6g in the fluid of %zu points with (i,j,k) = "
                          "(%zu,%zu,%zu), one of %zu regions: more than %.3g of max|f| = %.6g, and "
                          "nothing flows out of that region, so there is no solution for it",
                          sides ? " and the derivatives on the sides have" : " has",
                          result->region_mean, result->region_points, at[0],
                          at[psg_grid_turn(grid, 1)], at[psg_grid_turn(grid, 2)], result->regions,
                          most, result->largest);
}
