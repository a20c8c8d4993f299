/* The calling thread walks over epsilon, f and x where solves have solid points: once before the
 * first iteration and once after the last one. */
#include "graph/fluid.h"
#include "graph/options.h"
#include "graph/plan_struct.h"
#include "graph/status.h"
#include "graph/transforms.h"

#include <math.h>
#include <stdlib.h>

/* Get a handle of each segment into main memory. @return false: the run has failed; those before
 * are given back */
static bool acquire(psg_run *run, psg_fluid_data data, size_t segments,
                    enum starpu_data_access_mode mode) {
    for (size_t s = 0; s < segments; s++) {
        if (starpu_data_acquire_on_node(data.handle[s * data.step], STARPU_MAIN_RAM, mode) != 0) {
            while (s-- > 0) {
                starpu_data_release_on_node(data.handle[s * data.step], STARPU_MAIN_RAM);
            }
            psg_run_fail(run, PSG_FAULT_SUBMIT, "StarPU did not bring the fields of a solve");
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
    double **planes = malloc(l->n[2] * sizeof *planes);
    for (size_t s = 0, k = 0; s < l->segments.count && planes != NULL; s++) {
        double *first = (double *)starpu_block_get_local_ptr(data.handle[s * data.step]);
        for (size_t m = 0; m < psg_layout_planes(l, s); m++) {
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
    for (size_t s = 0, k = 0; s < l->segments.count; s++) {
        const starpu_data_handle_t slab = f.handle[s * f.step];
        const char *first = (const char *)starpu_block_get_local_ptr(slab);
        const size_t bytes = starpu_block_get_elemsize(slab);
        const size_t row = starpu_block_get_local_ldy(slab);
        const size_t plane = starpu_block_get_local_ldz(slab);
        for (size_t m = 0; m < psg_layout_planes(l, s); m++, k++) {
            for (size_t j = 0; j < l->n[1]; j++) {
                copy_row(first + (m * plane + j * row) * bytes, bytes == sizeof(float), l->n[0],
                         to[k] + j * l->n[0]);
            }
        }
    }
}

base_regions *psg_fluid_find(psg_run *run, const psg_plan *plan, psg_fluid_data eps,
                             double lambda) {
    const psg_layout *l = &plan->context.layout;
    const psg_grid *grid = &plan->problem.grid;
    bool wraps[3];
    bool fixes[3][2];
    base_regions *found = NULL;
    if (!acquire(run, eps, l->segments.count, STARPU_R)) {
        return NULL;
    }
    for (int d = 0; d < 3; d++) {
        wraps[d] = grid->axis[d].bc[0] == PSG_BC_PERIODIC;
        for (int side = 0; side < 2; side++) {
            fixes[d][side] = grid->axis[d].bc[side] == PSG_BC_DIRICHLET;
        }
    }
    double **planes = planes_of(run, plan, eps, 1);
    if (planes != NULL) {
        found = base_regions_create(l->n, (const double *const *)planes, wraps,
                                    (const bool(*)[2])fixes);
    }
    if (planes != NULL && found == NULL) {
        psg_run_fail(run, PSG_FAULT_MEMORY, "no memory for the regions of the fluid");
    }
    for (size_t r = 0; found != NULL && r < found->count; r++) {
        found->region[r].fixed = found->region[r].fixed || lambda != 0;
    }
    free(planes);
    release(eps, l->segments.count);
    return found;
}

/* The region with the largest mean, and what was dropped in all. */
static void tell(const base_regions *regions, const psg_layout *l, psg_pcg_result *result) {
    double dropped = 0;
    double points = 0;
    result->regions = regions->count;
    for (size_t r = 0; r < regions->count; r++) {
        const base_region *region = &regions->region[r];
        dropped += region->mean * (double)region->points;
        points += (double)region->points;
        if (fabs(region->mean) > fabs(result->region_mean)) {
            result->region_mean = region->mean;
            result->region_points = region->points;
            result->region_first = region->first;
        }
    }
    result->sum = dropped / points * (double)(l->n[0] * l->n[1] * l->n[2]);
}

static bool drop(psg_run *run, base_regions *regions, double *const *planes) {
    const bool good = base_regions_drop(regions, planes);
    if (!good) {
        psg_run_fail(run, PSG_FAULT_MEMORY, "no memory for the means of the fluid");
    }
    return good;
}

bool psg_fluid_fill(psg_run *run, const psg_plan *plan, base_regions *regions, psg_fluid_data f,
                    psg_fluid_data to, psg_pcg_result *result) {
    const psg_layout *l = &plan->context.layout;
    const size_t segments = l->segments.count;
    bool good = false;
    if (!acquire(run, f, segments, STARPU_R)) {
        return false;
    }
    if (acquire(run, to, segments, STARPU_W)) {
        double **planes = planes_of(run, plan, to, 0);
        if (planes != NULL) {
            copy(l, f, planes);
            good = drop(run, regions, planes);
            tell(regions, l, result);
        }
        free(planes);
        release(to, segments);
    }
    release(f, segments);
    return good;
}

bool psg_fluid_drop(psg_run *run, const psg_plan *plan, base_regions *regions, psg_fluid_data x) {
    const size_t segments = plan->context.layout.segments.count;
    bool good = false;
    if (acquire(run, x, segments, STARPU_RW)) {
        double **planes = planes_of(run, plan, x, 0);
        good = planes != NULL && drop(run, regions, planes);
        free(planes);
        release(x, segments);
    }
    return good;
}

psg_status psg_fluid_judge(const psg_plan *plan, psg_mean mean, const psg_pcg_result *result) {
    const psg_grid *grid = &plan->problem.grid;
    const size_t *n = plan->context.layout.n;
    const size_t m = result->region_first;
    const size_t at[3] = {m % n[0], m / n[0] % n[1], m / n[0] / n[1]};
    const double most = plan->problem.options.mean_tolerance;
    return mean != PSG_MEAN_ERROR || fabs(result->region_mean) <= most * result->largest
               ? PSG_OK
               : psg_fail(PSG_ERR_MEAN,
                          "f has the mean %.6g in the fluid of %zu points with (i,j,k) = "
                          "(%zu,%zu,%zu), one of %zu regions: more than %.3g of max|f| = %.6g, and "
                          "nothing flows out of that region, so there is no solution for it",
                          result->region_mean, result->region_points, at[0],
                          at[psg_grid_turn(grid, 1)], at[psg_grid_turn(grid, 2)], result->regions,
                          most, result->largest);
}
