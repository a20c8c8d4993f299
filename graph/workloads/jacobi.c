/* jacobi: Jacobi's method for Laplace's equation on a square, whose sides are fixed. Every task is a sweep of a tile:
 *
 *   u[t] of the tile, edges[t] of its four neighbours  -- sweep -->  u[t+1] and edges[t+1] of the tile
 *
 * There are two of each, so that a tile may be a step ahead of a neighbour. Tiles that stay on a worker's memory exchange
 * their edges alone. As a solver the method is slow; it is here for its graph.
 */
#include "codelets/workloads/jacobi.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "graph/block.h"
#include "graph/status.h"
#include "graph/workers.h"
#include "graph/workloads/row.h"
#include "runtime/simulation.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 50, TILE_LEAST = 64, TILE_MOST = 16384 };

static const char sizes[] = "N or N:STEPS: N x N points, N from 3; 50 steps by default";

typedef struct problem {
    psg_jacobi jacobi; /* what its tasks see: first, as the problem is the owner of the engine */
    psg_jacobi_data *data[2]; /* [tiles][tiles] each */
    starpu_data_handle_t
        *fixed; /* [BASE_JACOBI_SIDES][tiles]: what is beyond the outermost tiles */
    void *side[BASE_JACOBI_SIDES]; /* [n - 2]: the same in one piece */
    starpu_data_handle_t gate;     /* NULL: no barrier */
    bool barrier;
    double *wave[2]; /* [n]: along rows and columns, see wave() */
    void *expected;  /* [n][n]; NULL: not computed yet */
} problem;

static size_t tiles_of(const problem *p) {
    return p->jacobi.tiles * p->jacobi.tiles;
}

/* ------------------------------------------------------------------------------------ the size */

/* Both u, and what checks them. */
static psg_needs needs(const void *memory, const psg_workers *workers) {
    const psg_jacobi *j = &((const problem *)memory)->jacobi;
    const double tiles = (double)j->tiles * (double)j->tiles;
    (void)workers;
    return (psg_needs){4 * (double)j->n * (double)j->n * (double)j->real_bytes +
                           2 * (1 + BASE_JACOBI_SIDES) * tiles * TUNING_HANDLE_BYTES,
                       tiles * (double)j->steps * TUNING_TASK_BYTES};
}

static psg_status parse(void *memory, const char *size, const psg_work_options *how,
                        psg_precision precision) {
    problem *p = memory;
    psg_jacobi *j = &p->jacobi;
    j->steps = STEPS;
    const char *rest = psg_size_number(size, 3, INT_MAX, &j->n);
    if (rest != NULL && rest[0] == ':') {
        rest = psg_size_number(rest + 1, 1, INT_MAX, &j->steps);
    }
    if (rest == NULL || rest[0] != '\0') {
        return psg_fail(PSG_ERR_ARG, "jacobi:%s: the size is %s", size, sizes);
    }
    const size_t inside = j->n - 2;
    const size_t most = inside < PSG_BLOCK_SIDE_MOST ? inside : PSG_BLOCK_SIDE_MOST;
    if (how->tile > most) {
        return psg_fail(PSG_ERR_ARG,
                        "tile = %zu: jacobi:%s has tiles of T x T points, T from 1 to %zu",
                        how->tile, size, most);
    }
    j->tile = how->tile;
    j->f32 = precision == PSG_F32;
    j->real_bytes = j->f32 ? sizeof(float) : sizeof(double);
    j->by_path = how->priority == PSG_PRIORITY_PATH;
    p->barrier = how->barrier != 0;
    return PSG_OK;
}

/* Tiles for each core, or one for each GPU. */
static psg_status choose(void *memory, const psg_workers *workers) {
    psg_jacobi *j = &((problem *)memory)->jacobi;
    const size_t inside = j->n - 2, share = psg_workers_share(workers);
    const size_t tiles = workers->gpu_count > 0 ? share : TUNING_JACOBI_TILES * share;
    const size_t even = (size_t)ceil((double)inside / ceil(sqrt((double)tiles)));
    const size_t tile = even < TILE_LEAST ? TILE_LEAST : even < TILE_MOST ? even : TILE_MOST;
    j->tile = j->tile > 0 ? j->tile : tile < inside ? tile : inside;
    j->tiles = (inside - 1) / j->tile + 1;
    return PSG_OK;
}

static void tell(const void *memory, char *text, size_t size) {
    const psg_jacobi *j = &((const problem *)memory)->jacobi;
    (void)snprintf(text, size, "%zu x %zu points in f%zu, %zu x %zu tiles of %zu x %zu, %zu steps",
                   j->n, j->n, 8 * j->real_bytes, j->tiles, j->tiles, j->tile, j->tile, j->steps);
}

/* ------------------------------------------------------------------------------------ the data */

/* A wave that the sides do not see, of which a sweep leaves the part wave_factor(). */
static double wave(const problem *p, size_t row, size_t column) {
    return p->wave[0][row] * p->wave[1][column];
}

static bool make_wave(problem *p) {
    const double pi = 3.14159265358979323846, last = (double)(p->jacobi.n - 1);
    for (int axis = 0; axis < 2; axis++) {
        const int periods = p->jacobi.n > 4 ? 2 + axis : 1;
        p->wave[axis] = calloc(p->jacobi.n, sizeof(double));
        for (size_t m = 1; m + 1 < p->jacobi.n && p->wave[axis] != NULL; m++) {
            p->wave[axis][m] = sin(periods * pi * (double)m / last);
        }
    }
    return p->wave[0] != NULL && p->wave[1] != NULL;
}

static double wave_factor(const psg_jacobi *j) {
    const double pi = 3.14159265358979323846, last = (double)(j->n - 1);
    return j->n > 4 ? (cos(2 * pi / last) + cos(3 * pi / last)) / 2 : cos(pi / last);
}

/* What the sides have, and what is left of u after many steps. */
static double plane(const psg_jacobi *j, size_t row, size_t column) {
    return ((double)row + 2 * (double)column) / (double)(j->n - 1);
}

static void put(const problem *p, void *to, size_t at, size_t row, size_t column) {
    const double value = wave(p, row, column) + plane(&p->jacobi, row, column);
    if (p->jacobi.f32) {
        ((float *)to)[at] = (float)value;
    } else {
        ((double *)to)[at] = value;
    }
}

static double get(const psg_jacobi *j, const void *from, size_t at) {
    return j->f32 ? (double)((const float *)from)[at] : ((const double *)from)[at];
}

static bool alongside(int side) {
    return side == BASE_JACOBI_NORTH || side == BASE_JACOBI_SOUTH;
}

/* Point m of a row of tiles' outermost points: of a line along the side, `across` it the row or column of the grid. */
static void put_along(const problem *p, int side, void *to, size_t at, size_t m, size_t across) {
    put(p, to, at, alongside(side) ? across : m, alongside(side) ? m : across);
}

static psg_status make_sides(problem *p) {
    const psg_jacobi *j = &p->jacobi;
    for (int side = 0; side < BASE_JACOBI_SIDES; side++) {
        const bool low = side == BASE_JACOBI_NORTH || side == BASE_JACOBI_WEST;
        p->side[side] = base_allocate((j->n - 2) * j->real_bytes);
        if (p->side[side] == NULL) {
            return psg_fail(PSG_ERR_MEMORY, "no memory for the sides of %zu points", j->n);
        }
        for (size_t m = 0; m < j->n - 2; m++) {
            put_along(p, side, p->side[side], m, m + 1, low ? 0 : j->n - 1);
        }
        for (size_t t = 0; t < j->tiles; t++) {
            const size_t n[3] = {psg_jacobi_extent(j, t), 1, 1};
            psg_block_register(&p->fixed[(size_t)side * j->tiles + t], STARPU_MAIN_RAM,
                               (char *)p->side[side] + t * j->tile * j->real_bytes, n, n[0],
                               j->real_bytes);
        }
    }
    return PSG_OK;
}

static psg_status make(void *memory, const psg_workers *workers) {
    problem *p = memory;
    const psg_jacobi *j = &p->jacobi;
    p->data[0] = calloc(tiles_of(p), sizeof *p->data[0]);
    p->data[1] = calloc(tiles_of(p), sizeof *p->data[1]);
    p->fixed = calloc(BASE_JACOBI_SIDES * j->tiles, sizeof(starpu_data_handle_t));
    bool all = p->data[0] != NULL && p->data[1] != NULL && p->fixed != NULL && make_wave(p);
    for (size_t t = 0; t < 2 * tiles_of(p) && all; t++) {
        psg_jacobi_data *d = &p->data[t % 2][t / 2];
        const size_t rows = psg_jacobi_extent(j, t / 2 / j->tiles);
        const size_t columns = psg_jacobi_extent(j, t / 2 % j->tiles);
        const size_t n[3] = {columns, rows, 1};
        all = psg_block_make(&d->u, workers, n, j->real_bytes);
        for (int side = 0; side < BASE_JACOBI_SIDES && all; side++) {
            const size_t line[3] = {alongside(side) ? columns : rows, 1, 1};
            all = psg_block_make(&d->edge[side], workers, line, j->real_bytes);
        }
    }
    if (!all) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for %zu tiles", tiles_of(p));
    }
    if (p->barrier) {
        starpu_void_data_register(&p->gate);
    }
    return make_sides(p);
}

static void destroy(void *memory) {
    problem *p = memory;
    for (int parity = 0; parity < 2; parity++) {
        psg_block_unregister((starpu_data_handle_t *)p->data[parity],
                             p->data[parity] != NULL ? tiles_of(p) * (1 + BASE_JACOBI_SIDES) : 0);
        free(p->data[parity]);
    }
    psg_block_unregister(p->fixed, BASE_JACOBI_SIDES * p->jacobi.tiles);
    psg_block_unregister(&p->gate, 1);
    for (int side = 0; side < BASE_JACOBI_SIDES; side++) {
        free(p->side[side]);
    }
    free(p->wave[0]);
    free(p->wave[1]);
    free(p->fixed);
    free(p->expected);
}

/* ------------------------------------------------------------------------------------- running */

/* What is first in u, or in an edge of it: the row and column of the grid. */
static bool fill(const problem *p, starpu_data_handle_t handle, size_t row, size_t column,
                 size_t rows, size_t columns) {
    if (starpu_data_acquire_on_node(handle, STARPU_MAIN_RAM, STARPU_W) != 0) {
        return false;
    }
    void *to = (void *)starpu_block_get_local_ptr(handle);
    for (size_t m = 0; m < rows * columns; m++) {
        put(p, to, m, row + m / columns, column + m % columns);
    }
    starpu_data_release_on_node(handle, STARPU_MAIN_RAM);
    return true;
}

static bool prepare(const void *memory) {
    const problem *p = memory;
    const psg_jacobi *j = &p->jacobi;
    bool good = true;
    for (size_t t = 0; t < tiles_of(p) && good; t++) {
        const psg_jacobi_data *d = &p->data[0][t];
        const size_t row = 1 + t / j->tiles * j->tile, rows = psg_jacobi_extent(j, t / j->tiles);
        const size_t column = 1 + t % j->tiles * j->tile;
        const size_t columns = psg_jacobi_extent(j, t % j->tiles);
        good = fill(p, d->u, row, column, rows, columns) &&
               fill(p, d->edge[BASE_JACOBI_NORTH], row, column, 1, columns) &&
               fill(p, d->edge[BASE_JACOBI_SOUTH], row + rows - 1, column, 1, columns) &&
               fill(p, d->edge[BASE_JACOBI_WEST], row, column, rows, 1) &&
               fill(p, d->edge[BASE_JACOBI_EAST], row, column + columns - 1, rows, 1);
    }
    return good;
}

static void submit(psg_run *run, const void *memory) {
    const problem *p = memory;
    const size_t tiles = p->jacobi.tiles;
    psg_block_settle(p->fixed, BASE_JACOBI_SIDES * tiles);
    for (size_t step = 0; step < p->jacobi.steps; step++) {
        const psg_jacobi_data *from = p->data[step % 2];
        const psg_jacobi_data *to = p->data[1 - step % 2];
        for (size_t t = 0; t < tiles_of(p); t++) {
            const size_t at[2] = {t / tiles, t % tiles};
            const starpu_data_handle_t beyond[BASE_JACOBI_SIDES] = {
                at[0] > 0 ? from[t - tiles].edge[BASE_JACOBI_SOUTH] : p->fixed[at[1]],
                at[0] + 1 < tiles ? from[t + tiles].edge[BASE_JACOBI_NORTH]
                                  : p->fixed[tiles + at[1]],
                at[1] > 0 ? from[t - 1].edge[BASE_JACOBI_EAST] : p->fixed[2 * tiles + at[0]],
                at[1] + 1 < tiles ? from[t + 1].edge[BASE_JACOBI_WEST]
                                  : p->fixed[3 * tiles + at[0]]};
            psg_task_jacobi_sweep(run, at, step, &from[t], beyond, &to[t], p->gate);
        }
        if (p->barrier) {
            psg_task_jacobi_gate(run, p->gate);
        }
    }
}

/* -------------------------------------------------------------------------------- the answer */

#define SWEEP_ALL(real)                                                                            \
    static void sweep_all_##real(size_t n, const real *u, real *next) {                            \
        for (size_t row = 1; row + 1 < n; row++) {                                                 \
            for (size_t m = row * n + 1; m + 1 < (row + 1) * n; m++) {                             \
                next[m] = (((u[m - n] + u[m + n]) + u[m - 1]) + u[m + 1]) / 4;                     \
            }                                                                                      \
        }                                                                                          \
    }
SWEEP_ALL(double)
SWEEP_ALL(float)

/* All steps by one core and without tiles. @return false: no memory */
static bool expect(problem *p) {
    const psg_jacobi *j = &p->jacobi;
    const size_t points = j->n * j->n;
    void *u[2] = {base_allocate(points * j->real_bytes), base_allocate(points * j->real_bytes)};
    bool good = u[0] != NULL && u[1] != NULL;
    for (size_t m = 0; m < points && good; m++) {
        put(p, u[0], m, m / j->n, m % j->n);
    }
    if (good) {
        memcpy(u[1], u[0], points * j->real_bytes);
    }
    for (size_t step = 0; step < j->steps && good; step++) {
        if (j->f32) {
            sweep_all_float(j->n, u[step % 2], u[1 - step % 2]);
        } else {
            sweep_all_double(j->n, u[step % 2], u[1 - step % 2]);
        }
    }
    free(u[1 - j->steps % 2]);
    p->expected = u[j->steps % 2];
    if (!good) {
        free(p->expected);
        p->expected = NULL;
    }
    return good;
}

/* @param[in,out] sums  points that differ, and how much there is of the wave, times its square */
static bool compare(const problem *p, size_t t, double sums[2]) {
    const psg_jacobi *j = &p->jacobi;
    const starpu_data_handle_t handle = p->data[j->steps % 2][t].u;
    const size_t rows = psg_jacobi_extent(j, t / j->tiles), first = t / j->tiles * j->tile + 1;
    const size_t columns = psg_jacobi_extent(j, t % j->tiles);
    if (starpu_data_acquire_on_node(handle, STARPU_MAIN_RAM, STARPU_R) != 0) {
        return false;
    }
    const void *u = (const void *)starpu_block_get_local_ptr(handle);
    for (size_t m = 0; m < rows; m++) {
        double wave_of_row = 0; /* a sum of sums loses fewer digits than one of all points */
        for (size_t k = 0; k < columns; k++) {
            const size_t row = first + m, column = t % j->tiles * j->tile + 1 + k;
            const double value = get(j, u, m * columns + k);
            sums[0] += !(value == get(j, p->expected, row * j->n + column));
            wave_of_row += (value - plane(j, row, column)) * wave(p, row, column);
        }
        sums[1] += wave_of_row;
    }
    starpu_data_release_on_node(handle, STARPU_MAIN_RAM);
    return true;
}

static size_t answers(const void *memory, psg_answer *list) {
    problem *p = (problem *)(uintptr_t)memory; /* what is expected is computed once */
    const psg_jacobi *j = &p->jacobi;
    const double left = pow(wave_factor(j), (double)j->steps);
    const double epsilon = j->f32 ? FLT_EPSILON : DBL_EPSILON;
    double sums[2] = {0, 0}, square = 0;
    if (p->expected == NULL && !expect(p)) {
        return 0;
    }
    for (size_t t = 0; t < tiles_of(p); t++) {
        if (!compare(p, t, sums)) {
            return 0;
        }
    }
    for (size_t row = 0; row < j->n; row++) {
        double square_of_row = 0;
        for (size_t column = 0; column < j->n; column++) {
            square_of_row += pow(wave(p, row, column), 2);
        }
        square += square_of_row;
    }
    list[0] = (psg_answer){.name = "differing", .value = sums[0]};
    list[1] = (psg_answer){.name = "wave",
                           .value = sums[1] / square,
                           .expected = left,
                           .tolerance =
                               8 * epsilon * (double)(j->steps + 8) / (left != 0 ? fabs(left) : 1)};
    return 2;
}

static const int kinds[] = {PSG_KIND_JACOBI_SWEEP, -1};

const psg_workload_row psg_workload_jacobi = {
    .about = {.name = "jacobi",
              .about = "sweeps of a stencil over tiles, which exchange their edges",
              .sizes = sizes,
              .tile = "T: tiles of T x T points",
              .barrier = 1},
    .bytes = sizeof(problem),
    .f32 = true,
    .kinds = kinds,
    .parse = parse,
    .cut = choose,
    .needs = needs,
    .tell = tell,
    .make = make,
    .prepare = prepare,
    .submit = submit,
    .answers = answers,
    .free = destroy,
};
