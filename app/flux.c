#include "app/flux.h"
#include "app/processes.h"

#include <stdlib.h>
#include <string.h>

enum { EPSILON, U };

static bool is_end(const app_line *line, size_t j, int side) {
    return line->image[side] != 0 && j == (side == 0 ? 0 : (size_t)line->n - 1);
}

/* The number at the point that is `step` points away along axis d.
 * @param[in] field  EPSILON or U, to which `own` belongs */
static double number_at(const app_flux *flux, int field, const void *own, const size_t at[3], int d,
                        int step) {
    const psg_axis *axis = flux->grid->axis;
    const size_t n = axis[d].n;
    size_t to[3] = {at[0], at[1], at[2]};
    to[d] = (at[d] + n + (size_t)step) % n; /* size_t wraps back */
    const size_t in_plane = to[1] * axis[0].n + to[0], plane = axis[0].n * axis[1].n;
    const size_t k = to[2] - flux->planes.z0;
    return k < flux->planes.count
               ? app_value_at(own, flux->precision, k * plane + in_plane)
               : flux->beside[step > 0 ? 1 : 0][(size_t)field * plane + in_plane];
}

/* The length of a cell along the line; on nodes the distance of points. */
static double width_of(const app_line *line, size_t j) {
    return line->faces != NULL ? line->faces[j + 1] - line->faces[j] : line->step;
}

/* Where a Neumann side is, too. */
static double epsilon_of(const app_flux *flux, const size_t at[3], int d, int side) {
    const bool end = is_end(&flux->line[d], at[d], side);
    if (flux->faces) {
        const int step = side == 1 || end ? 0 : -1;
        return number_at(flux, EPSILON, flux->epsilon[d], at, d, step);
    }
    const int step = end ? 0 : side == 1 ? 1 : -1;
    const size_t n = flux->grid->axis[d].n;
    const double here = width_of(&flux->line[d], at[d]);
    const double there = width_of(&flux->line[d], (at[d] + n + (size_t)step) % n);
    return (here + there) / (here / number_at(flux, EPSILON, flux->epsilon[0], at, d, 0) +
                             there / number_at(flux, EPSILON, flux->epsilon[0], at, d, step));
}

double app_flux_face(const app_flux *flux, const size_t at[3], int d, int side) {
    const app_line *line = &flux->line[d];
    const bool neumann = is_end(line, at[d], side) && line->image[side] > 0;
    return app_line_varies(line) && !neumann ? epsilon_of(flux, at, d, side) : 0;
}

bool app_flux_solid(const app_flux *flux, const size_t at[3]) {
    bool solid = flux->faces || number_at(flux, EPSILON, flux->epsilon[0], at, 0, 0) == 0;
    for (int face = 0; face < 6 && solid && flux->faces; face++) {
        solid = app_flux_face(flux, at, face / 2, face % 2) == 0;
    }
    return solid;
}

/* From a point to the next one, or to a side. */
static double distance(const app_line *line, size_t j, int side) {
    const size_t n = (size_t)line->n;
    if (line->faces != NULL) {
        const double next =
            is_end(line, j, side) ? 0 : width_of(line, (side == 0 ? j + n - 1 : j + 1) % n);
        return (width_of(line, j) + next) / 2;
    }
    const long below = line->first, above = line->whole - line->first - 2 * (line->n - 1);
    const long halves = !is_end(line, j, side) ? 2 : side == 0 ? below : above;
    return line->step * 0.5 * (double)halves;
}

double app_flux_inflow(const app_flux *flux, const app_side_values *values, const size_t at[3]) {
    const size_t nx = flux->grid->axis[0].n, ny = flux->grid->axis[1].n;
    const size_t own = at[2] - flux->planes.z0;
    const size_t place[3] = {own * ny + at[1], own * nx + at[0], at[1] * nx + at[0]};
    double sum = 0;
    for (int face = 0; face < 6; face++) {
        const int d = face / 2, side = face % 2;
        const app_line *line = &flux->line[d];
        if (is_end(line, at[d], side)) {
            const double value = app_side_value(values, app_turn(flux->grid, d), side, place[d]);
            const double slope = line->image[side] < 0 ? value / distance(line, at[d], side)
                                 : side == 0           ? -value
                                                       : value;
            sum += epsilon_of(flux, at, d, side) * slope / width_of(line, at[d]);
        }
    }
    return sum;
}

double app_flux_divergence(const app_flux *flux, const size_t at[3]) {
    const double u = number_at(flux, U, flux->u, at, 0, 0);
    double sum = 0;
    for (int face = 0; face < 6; face++) {
        const int d = face / 2, side = face % 2;
        const app_line *line = &flux->line[d];
        const double epsilon = app_flux_face(flux, at, d, side);
        const bool end = is_end(line, at[d], side);
        if (epsilon > 0) {
            const double next = end ? 0 : number_at(flux, U, flux->u, at, d, side == 0 ? -1 : 1);
            sum += epsilon * (next - u) / (width_of(line, at[d]) * distance(line, at[d], side));
        }
    }
    return sum;
}

/* Does a process need plane k of another one? */
static bool is_shared(const app_flux *flux, size_t k) {
    const size_t nz = flux->grid->axis[2].n;
    bool shared = false;
    for (int side = 0; side < 2; side++) {
        const size_t next = side == 0 ? k + nz - 1 : k + 1;
        shared = shared || (!is_end(&flux->line[2], k, side) &&
                            app_plane_owner(nz, next % nz) != app_plane_owner(nz, k));
    }
    return shared;
}

int app_flux_begin(app_flux *flux, const psg_grid *grid, psg_precision precision, app_planes planes,
                   const app_coefficient *epsilon, const void *u) {
    const size_t plane = grid->axis[0].n * grid->axis[1].n, nz = grid->axis[2].n;
    *flux = (app_flux){
        .grid = grid, .precision = precision, .planes = planes, .faces = epsilon->faces, .u = u};
    for (int d = 0; d < 3; d++) {
        flux->line[d] = app_line_of(&grid->axis[d]);
        flux->epsilon[d] = epsilon->values[app_turn(grid, d)];
    }
    const void *const fields[] = {[EPSILON] = flux->epsilon[flux->faces ? 2 : 0], [U] = u};
    double *both = app_allocate(plane, 2 * sizeof *both, "planes of other processes");
    bool good = both != NULL;
    for (int side = 0; side < 2; side++) {
        flux->beside[side] = app_allocate(plane, 2 * sizeof *both, "planes of other processes");
        good = good && flux->beside[side] != NULL;
    }
    const int code = app_ranks_agree(good ? APP_DONE : APP_FAILED);
    for (size_t k = 0; k < nz && !code; k++) {
        if (!is_shared(flux, k)) {
            continue;
        }
        memset(both, 0, 2 * plane * sizeof *both);
        for (size_t m = 0; m < 2 && k - planes.z0 < planes.count; m++) {
            app_get_row(fields[m], precision, (k - planes.z0) * plane, plane, both + m * plane);
        }
        app_ranks_sum(both, 2 * plane);
        for (int side = 0; side < 2 && planes.count > 0; side++) {
            const size_t other = side == 0 ? planes.z0 + nz - 1 : planes.z0 + planes.count;
            if (k == other % nz) {
                memcpy(flux->beside[side], both, 2 * plane * sizeof *both);
            }
        }
    }
    free(both);
    return code;
}

void app_flux_end(app_flux *flux) {
    free(flux->beside[0]);
    free(flux->beside[1]);
}
