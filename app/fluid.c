/* Each process finds the regions of its own planes, which are parts of regions of the grid. All
 * processes see the numbers of the parts in two planes that a cut is between, and join the same
 * ones. */
#include "app/fluid.h"
#include "app/processes.h"
#include "base/regions.h"

#include <stdlib.h>
#include <string.h>

typedef struct parts {
    const app_flux *flux;
    const psg_grid *grid;
    app_planes planes;
    base_regions *own;
    size_t first;   /* the number of the first own part among those of all processes */
    size_t count;   /* parts of all processes */
    size_t *joined; /* [count]: a part that this one is joined with; or the part itself */
    double *sum;    /* [count] */
    double *room;   /* three planes */
    double *counts; /* by own plane: how much its points weigh in a mean */
} parts;

/* @return APP_DONE if each process has its memory; else APP_FAILED after a message */
static int agree(bool good) {
    return app_ranks_agree(good ? APP_DONE
                                : app_error(APP_FAILED, "no memory for the regions of the fluid"));
}

static bool is_periodic(const parts *p, int d) {
    return p->grid->axis[d].bc[0] == PSG_BC_PERIODIC;
}

static size_t plane_of(const parts *p) {
    return p->grid->axis[0].n * p->grid->axis[1].n;
}

/* The part that stands for all that it is joined with. */
static size_t root_of(const parts *p, size_t part) {
    while (p->joined[part] != part) {
        p->joined[part] = p->joined[p->joined[part]];
        part = p->joined[part];
    }
    return part;
}

/* epsilon of the faces of plane k along z -> [ny][nx]. */
static void get_faces(const parts *p, size_t k, int side, double *to) {
    const size_t nx = p->grid->axis[0].n;
    for (size_t m = 0; m < plane_of(p) && k - p->planes.z0 < p->planes.count; m++) {
        to[m] = app_flux_face(p->flux, (const size_t[3]){m % nx, m / nx, k}, 2, side);
    }
}

/* Regions of the planes alone. @param[in] eps  by axis, planes @return NULL: no memory */
static base_regions *find(const parts *p, double *const *const eps[3], double lambda) {
    const psg_axis *axis = p->grid->axis;
    base_regions_box box = {
        .n = {axis[0].n, axis[1].n, p->planes.count}, .below = p->room, .counts = p->counts};
    get_faces(p, p->planes.z0, 0, p->room);
    const bool has[2] = {p->planes.z0 == 0, p->planes.z0 + p->planes.count == axis[2].n};
    bool free_axis[3], wall[3];
    for (int d = 0; d < 3; d++) {
        const psg_bc *bc = axis[d].bc;
        free_axis[d] = bc[0] == PSG_BC_FREE || bc[1] == PSG_BC_FREE;
        wall[d] = bc[0] == PSG_BC_DIRICHLET || bc[1] == PSG_BC_DIRICHLET;
    }
    const bool outside = base_regions_free_fixes(free_axis, wall);
    for (int d = 0; d < 3; d++) {
        box.plane[d] = (const double *const *)eps[d];
        box.wraps[d] = (d < 2 || app_ranks() == 1) && is_periodic(p, d);
        for (int side = 0; side < 2; side++) {
            const bool here = d < 2 || has[side];
            const psg_bc bc = axis[d].bc[side];
            box.fixes[d][side] = here && (bc == PSG_BC_DIRICHLET || (bc == PSG_BC_FREE && outside));
            box.closed[d][side] =
                here && (axis[d].bc[side] == PSG_BC_NEUMANN || !app_line_varies(&p->flux->line[d]));
        }
    }
    base_regions *found = base_regions_create(&box);
    for (size_t r = 0; found != NULL && r < found->count; r++) {
        found->region[r].fixed = found->region[r].fixed || lambda != 0;
    }
    return found;
}

/* @return APP_FAILED: no memory; the same in all processes */
static int number(parts *p) {
    const int ranks = app_ranks();
    double *counts = calloc((size_t)ranks, sizeof *counts);
    int code = agree(counts != NULL);
    if (!code) {
        counts[app_rank()] = (double)p->own->count;
        app_ranks_sum(counts, (size_t)ranks);
        for (int r = 0; r < ranks; r++) {
            p->first += r < app_rank() ? (size_t)counts[r] : 0;
            p->count += (size_t)counts[r];
        }
        p->joined = malloc((p->count + 1) * sizeof *p->joined);
        p->sum = malloc((p->count + 1) * sizeof *p->sum);
        const bool good = p->joined != NULL && p->sum != NULL;
        code = agree(good);
    }
    for (size_t m = 0; m < p->count && !code; m++) {
        p->joined[m] = m;
    }
    free(counts);
    return code;
}

/* Parts that a cut between planes k and `next` is in are joined, where a face is open. */
static void join(parts *p, size_t k, size_t next) {
    const size_t plane = plane_of(p);
    const size_t pair[2] = {k, next};
    double *two = p->room, *face = p->room + 2 * plane;
    memset(face, 0, plane * sizeof *face);
    get_faces(p, k, 1, face);
    for (size_t m = 0; m < 2 * plane; m++) {
        const size_t own = pair[m / plane] - p->planes.z0;
        const uint32_t label = own < p->planes.count ? p->own->of[own * plane + m % plane] : 0;
        two[m] = label != 0 ? (double)(p->first + label) : 0;
    }
    app_ranks_sum(p->room, 3 * plane);
    for (size_t m = 0; m < plane; m++) {
        if (two[m] > 0 && two[plane + m] > 0 && face[m] > 0) {
            const size_t a = root_of(p, (size_t)two[m] - 1);
            const size_t b = root_of(p, (size_t)two[plane + m] - 1);
            p->joined[a > b ? a : b] = a > b ? b : a;
        }
    }
}

static void join_all(parts *p) {
    const size_t nz = p->grid->axis[2].n;
    for (size_t k = 0; k < nz && app_ranks() > 1; k++) {
        const size_t next = (k + 1) % nz;
        if (next == 0 ? is_periodic(p, 2) : app_plane_owner(nz, k) != app_plane_owner(nz, next)) {
            join(p, k, next);
        }
    }
}

static void sum_of_all(double *sum, void *of) {
    const parts *p = of;
    for (size_t m = 0; m < p->count; m++) {
        p->sum[m] = 0;
    }
    for (size_t r = 0; r < p->own->count; r++) {
        p->sum[root_of(p, p->first + r)] += sum[r];
    }
    app_ranks_sum(p->sum, p->count);
    for (size_t r = 0; r < p->own->count; r++) {
        sum[r] = p->sum[root_of(p, p->first + r)];
    }
}

static void largest_of_all(double *value, void *of) {
    (void)of;
    app_ranks_max(value, 1);
}

static void drop(parts *p, double *const *f) {
    const base_regions_joins joins = {largest_of_all, sum_of_all, p};
    base_regions *g = p->own;
    double *value = g->sum;
    for (size_t r = 0; r < g->count; r++) {
        value[r] = g->region[r].fixed;
    }
    sum_of_all(value, p);
    for (size_t r = 0; r < g->count; r++) {
        g->region[r].fixed = value[r] > 0;
    }
    base_regions_count(g, &joins);
    base_regions_drop(g, f, &joins);
}

/* Does epsilon have a 0 in any process? With lambda no point is solid for its faces. */
static bool has_solid(const app_flux *flux, double lambda, const double *eps, size_t points) {
    double has = 0;
    for (size_t m = 0; m < (flux->faces ? 3 : 1) * points; m++) {
        has = flux->epsilon[m / points] != NULL && eps[m] == 0 ? 1 : has;
    }
    has = flux->faces && lambda != 0 ? 0 : has;
    app_ranks_max(&has, 1);
    return has > 0;
}

int app_fluid_f(const app_flux *flux, double lambda, double *f, bool *solid) {
    const app_planes planes = flux->planes;
    const psg_precision precision = flux->precision;
    parts p = {.flux = flux, .grid = flux->grid, .planes = planes};
    const size_t points = plane_of(&p) * planes.count, axes = flux->faces ? 3 : 1;
    double *values = calloc(axes * points + 1, sizeof *values); /* of epsilon by axis */
    double **plane = calloc(axes * planes.count + 1, sizeof *plane);
    double *const *by_axis[3] = {NULL};
    p.room = calloc(3 * plane_of(&p), sizeof *p.room);
    p.counts = calloc(planes.count + 1, sizeof *p.counts);
    int code = agree(values != NULL && plane != NULL && p.room != NULL && p.counts != NULL);
    for (size_t k = 0; k < planes.count && !code; k++) {
        p.counts[k] = app_line_weight(&flux->line[2], planes.z0 + k);
    }
    for (size_t d = 0; d < axes && !code; d++) {
        by_axis[d] = plane + d * planes.count;
        if (flux->epsilon[d] != NULL) {
            app_get_row(flux->epsilon[d], precision, 0, points, values + d * points);
        }
    }
    for (size_t k = 0; k < axes * planes.count && !code; k++) {
        plane[k] = values + k * plane_of(&p);
    }
    *solid = !code && has_solid(flux, lambda, values, points);
    if (*solid) {
        p.own = find(&p, by_axis, lambda);
        code = agree(p.own != NULL);
        code = code ? code : number(&p);
        if (!code) {
            join_all(&p);
            for (size_t k = 0; k < planes.count; k++) {
                plane[k] = f + k * plane_of(&p);
            }
            drop(&p, plane);
        }
    }
    base_regions_destroy(p.own);
    free(p.joined);
    free(p.sum);
    free(p.room);
    free(p.counts);
    free(plane);
    free(values);
    return code;
}
