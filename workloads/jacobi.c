/* jacobi: Jacobi's method for Laplace's equation on a square, whose sides are fixed. Every task is
 * a sweep of a tile:
 *
 *   u[t] of the tile, edges[t] of its four neighbours  -- sweep -->  u[t+1] and edges[t+1] of the
 * tile
 *
 * There are two of each, so that a tile may be a step ahead of a neighbour. Tiles that stay on a
 * worker's memory exchange their edges alone. As a solver the method is slow; it is here for its
 * graph.
 */
#include "workloads/jacobi.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "cpu/clones.h"
#include "workloads/workload.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 50, TILE_LEAST = 64, TILE_MOST = 16384 };

static const char sizes[] = "N or N:STEPS: N x N points, N from 3; 50 steps by default";

/* The data of a tile: it, and its edges by side. */
typedef struct tile_data {
    psg_data u, edge[JACOBI_SIDES];
} tile_data;

typedef struct problem {
    size_t n;     /* points along each axis, with the fixed ones on the sides */
    size_t tile;  /* points of a tile along each axis; of the last one fewer, perhaps */
    size_t tiles; /* along each axis */
    size_t steps, real_bytes;
    bool by_path;             /* a task's priority is the number of sweeps that follow it */
    tile_data *data[2];       /* [tiles][tiles] each */
    psg_data *fixed;          /* [JACOBI_SIDES][tiles]: what is beyond the outermost tiles */
    void *side[JACOBI_SIDES]; /* [n - 2]: the same in one piece */
    psg_data gate;            /* NULL: no barrier */
    bool barrier;
    double *wave[2]; /* [n]: along rows and columns, see wave() */
    void *expected;  /* [n][n]; NULL: not computed yet */
} problem;

static size_t tiles_of(const problem *p) {
    return p->tiles * p->tiles;
}

/* Points of tile t along an axis. The first one is point 1 + t * tile of the grid. */
static size_t extent(const problem *p, size_t t) {
    return workload_extent(p->n - 2, p->tile, t);
}

/* ----------------------------------------------------------------------------------- the sweep */

/* No product is followed by a sum, so that every compiler and clone rounds alike. */
#define MEAN(north, south, west, east) ((((north) + (south)) + (west)) + (east)) / 4

/* Of a tile; and of the whole square by one core, to compare with. */
#define SWEEPS(real)                                                                               \
    PSG_CLONES static void sweep_row_##real(real *next, const real *u, const real *north,          \
                                            const real *south, size_t first, size_t end) {         \
        for (size_t j = first; j < end; j++) {                                                     \
            next[j] = MEAN(north[j], south[j], u[j - 1], u[j + 1]);                                \
        }                                                                                          \
    }                                                                                              \
    static void sweep_##real(const jacobi_sweep *s) {                                              \
        const size_t columns = s->columns, last = columns - 1;                                     \
        const real *west = s->beyond[JACOBI_WEST];                                                 \
        const real *east = s->beyond[JACOBI_EAST];                                                 \
        const real *result = s->next;                                                              \
        for (size_t i = 0; i < s->rows; i++) {                                                     \
            const real *u = (const real *)s->u + i * columns;                                      \
            const real *north = i > 0 ? u - columns : s->beyond[JACOBI_NORTH];                     \
            const real *south = i + 1 < s->rows ? u + columns : s->beyond[JACOBI_SOUTH];           \
            real *next = (real *)s->next + i * columns;                                            \
            next[0] = MEAN(north[0], south[0], west[i], last > 0 ? u[1] : east[i]);                \
            sweep_row_##real(next, u, north, south, 1, last);                                      \
            if (last > 0) {                                                                        \
                next[last] = MEAN(north[last], south[last], u[last - 1], east[i]);                 \
            }                                                                                      \
            ((real *)s->edge[JACOBI_WEST])[i] = next[0];                                           \
            ((real *)s->edge[JACOBI_EAST])[i] = next[last];                                        \
        }                                                                                          \
        memcpy(s->edge[JACOBI_NORTH], result, columns * sizeof *result);                           \
        memcpy(s->edge[JACOBI_SOUTH], result + (s->rows - 1) * columns, columns * sizeof *result); \
    }                                                                                              \
    static void sweep_all_##real(size_t n, const real *u, real *next) {                            \
        for (size_t row = 1; row + 1 < n; row++) {                                                 \
            for (size_t m = row * n + 1; m + 1 < (row + 1) * n; m++) {                             \
                next[m] = MEAN(u[m - n], u[m + n], u[m - 1], u[m + 1]);                            \
            }                                                                                      \
        }                                                                                          \
    }
SWEEPS(double)
SWEEPS(float)

void jacobi_cpu(bool f32, const jacobi_sweep *sweep) {
    (f32 ? sweep_float : sweep_double)(sweep);
}

/* ------------------------------------------------------------------------------------ the task */

enum { ROW = 0, COLUMN, STEP };

/* Buffers: u, what is beyond it, the next u, and its edges. */
static jacobi_sweep sweep_of(const psg_task *task) {
    const problem *p = task->owner;
    jacobi_sweep s = {.columns = extent(p, task->label->index[COLUMN]),
                      .rows = extent(p, task->label->index[ROW]),
                      .u = psg_task_memory(task, 0),
                      .next = psg_task_memory(task, 1 + JACOBI_SIDES)};
    for (size_t side = 0; side < JACOBI_SIDES; side++) {
        s.beyond[side] = psg_task_memory(task, 1 + side);
        s.edge[side] = psg_task_memory(task, 2 + JACOBI_SIDES + side);
    }
    return s;
}

static void jacobi_sweep_core(const psg_task *task) {
    const jacobi_sweep sweep = sweep_of(task);
    jacobi_cpu(((const problem *)task->owner)->real_bytes == sizeof(float), &sweep);
}

#ifdef WORKLOADS_CUDA
static int jacobi_sweep_gpu(const psg_task *task) {
    const jacobi_sweep sweep = sweep_of(task);
    return (int)jacobi_cuda(
        ((const problem *)task->owner)->real_bytes == sizeof(float) ? PSG_CUDA_F32 : PSG_CUDA_F64,
        &sweep, task->stream);
}
#endif

static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    const problem *p = owner;
    workload_shape(shape, extent(p, label->index[COLUMN]), extent(p, label->index[ROW]), 1, 1, 1);
}

/* The edges are as little as they are long. */
static psg_traffic traffic(const void *owner, const psg_label *label) {
    const problem *p = owner;
    const double columns = (double)extent(p, label->index[COLUMN]);
    const double rows = (double)extent(p, label->index[ROW]);
    const double bytes = (columns * rows + 2 * (columns + rows)) * (double)p->real_bytes;
    return (psg_traffic){bytes, bytes};
}

static int priority(const void *owner, const psg_label *label) {
    const problem *p = owner;
    return p->by_path ? (int)(p->steps - 1 - label->index[STEP]) : 0;
}

static const psg_kind kinds[] = {{.name = "jacobi_sweep",
                                  .core = jacobi_sweep_core,
                                  .gpu = WORKLOAD_GPU(jacobi_sweep_gpu),
                                  .shape = shape,
                                  .traffic = traffic,
                                  .priority = priority}};
static int first_kind;

/* Sweep tile (row, column) in step `step`.
 * @param[in] beyond  by side: a neighbour's edge, or what is fixed there */
static void submit_sweep(psg_run *run, const problem *p, const size_t at[2], size_t step,
                         const tile_data *from, const psg_data beyond[JACOBI_SIDES],
                         const tile_data *to) {
    const psg_task_data data[] = {{&from->u, 1, 1, STARPU_R},
                                  {beyond, JACOBI_SIDES, 1, STARPU_R},
                                  {&to->u, 1, 1, STARPU_W},
                                  {to->edge, JACOBI_SIDES, 1, STARPU_W},
                                  {&p->gate, p->barrier, 1, STARPU_R}};
    psg_run_submit(run, (psg_label){first_kind, {at[0], at[1], step}}, data, 5);
}

/* ------------------------------------------------------------------------------------ the size */

/* Both u, and what checks them. */
static workload_needs needs(const void *memory, const psg_engine_workers *workers) {
    const problem *p = memory;
    const double tiles = (double)p->tiles * (double)p->tiles;
    (void)workers;
    return (workload_needs){4 * (double)p->n * (double)p->n * (double)p->real_bytes +
                                2 * (1 + JACOBI_SIDES) * tiles * TUNING_HANDLE_BYTES,
                            tiles * (double)p->steps * TUNING_TASK_BYTES};
}

static psg_status parse(void *memory, const char *size, const workload_options *how,
                        psg_precision precision) {
    problem *p = memory;
    p->steps = STEPS;
    const char *rest = workload_number(size, 3, INT_MAX, &p->n);
    if (rest != NULL && rest[0] == ':') {
        rest = workload_number(rest + 1, 1, INT_MAX, &p->steps);
    }
    if (rest == NULL || rest[0] != '\0') {
        return workload_fail(PSG_ERR_ARG, "jacobi:%s: the size is %s", size, sizes);
    }
    const size_t inside = p->n - 2;
    const size_t most = inside < WORKLOAD_SIDE_MOST ? inside : WORKLOAD_SIDE_MOST;
    p->tile = how->tile;
    p->real_bytes = precision == PSG_F32 ? sizeof(float) : sizeof(double);
    p->by_path = how->priority == WORKLOAD_PATH;
    p->barrier = how->barrier != 0;
    return workload_check_tile(how, "jacobi:", size, "tiles of T x T points", 1, most);
}

/* Tiles for each core, or one for each GPU. */
static psg_status choose(void *memory, const psg_engine_workers *workers) {
    problem *p = memory;
    const size_t inside = p->n - 2, share = workload_share(workers);
    const size_t tiles = workers->gpus > 0 ? share : TUNING_JACOBI_TILES * share;
    const size_t even = (size_t)ceil((double)inside / ceil(sqrt((double)tiles)));
    const size_t tile = even < TILE_LEAST ? TILE_LEAST : even < TILE_MOST ? even : TILE_MOST;
    p->tile = p->tile > 0 ? p->tile : tile < inside ? tile : inside;
    p->tiles = (inside - 1) / p->tile + 1;
    return PSG_OK;
}

static void tell(const void *memory, char *text, size_t size) {
    const problem *p = memory;
    (void)snprintf(text, size, "%zu x %zu points in f%zu, %zu x %zu tiles of %zu x %zu, %zu steps",
                   p->n, p->n, 8 * p->real_bytes, p->tiles, p->tiles, p->tile, p->tile, p->steps);
}

/* ------------------------------------------------------------------------------------ the data */

/* A wave that the sides do not see, of which a sweep leaves the part wave_factor(). */
static double wave(const problem *p, size_t row, size_t column) {
    return p->wave[0][row] * p->wave[1][column];
}

static bool make_wave(problem *p) {
    const double pi = 3.14159265358979323846, last = (double)(p->n - 1);
    for (int axis = 0; axis < 2; axis++) {
        const int periods = p->n > 4 ? 2 + axis : 1;
        p->wave[axis] = calloc(p->n, sizeof(double));
        for (size_t m = 1; m + 1 < p->n && p->wave[axis] != NULL; m++) {
            p->wave[axis][m] = sin(periods * pi * (double)m / last);
        }
    }
    return p->wave[0] != NULL && p->wave[1] != NULL;
}

static double wave_factor(const problem *p) {
    const double pi = 3.14159265358979323846, last = (double)(p->n - 1);
    return p->n > 4 ? (cos(2 * pi / last) + cos(3 * pi / last)) / 2 : cos(pi / last);
}

/* What the sides have, and what is left of u after many steps. */
static double plane(const problem *p, size_t row, size_t column) {
    return ((double)row + 2 * (double)column) / (double)(p->n - 1);
}

static void put(const problem *p, void *to, size_t at, size_t row, size_t column) {
    const double value = wave(p, row, column) + plane(p, row, column);
    workload_put(p->real_bytes, to, at, value);
}

static bool alongside(int side) {
    return side == JACOBI_NORTH || side == JACOBI_SOUTH;
}

/* Point m of a row of tiles' outermost points: of a line along the side, `across` it the row or
 * column of the grid. */
static void put_along(const problem *p, int side, void *to, size_t at, size_t m, size_t across) {
    put(p, to, at, alongside(side) ? across : m, alongside(side) ? m : across);
}

static psg_status make_sides(problem *p) {
    for (int side = 0; side < JACOBI_SIDES; side++) {
        const bool low = side == JACOBI_NORTH || side == JACOBI_WEST;
        p->side[side] = base_allocate((p->n - 2) * p->real_bytes);
        if (p->side[side] == NULL) {
            return workload_fail(PSG_ERR_MEMORY, "no memory for the sides of %zu points", p->n);
        }
        for (size_t m = 0; m < p->n - 2; m++) {
            put_along(p, side, p->side[side], m, m + 1, low ? 0 : p->n - 1);
        }
        for (size_t t = 0; t < p->tiles; t++) {
            workload_lend(&p->fixed[(size_t)side * p->tiles + t],
                          (char *)p->side[side] + t * p->tile * p->real_bytes, extent(p, t), 1, 1,
                          p->real_bytes);
        }
    }
    return PSG_OK;
}

static psg_status make(void *memory, const psg_work *work) {
    problem *p = memory;
    p->data[0] = calloc(tiles_of(p), sizeof *p->data[0]);
    p->data[1] = calloc(tiles_of(p), sizeof *p->data[1]);
    p->fixed = calloc(JACOBI_SIDES * p->tiles, sizeof(psg_data));
    if (p->data[0] == NULL || p->data[1] == NULL || p->fixed == NULL || !make_wave(p)) {
        return workload_fail(PSG_ERR_MEMORY, "no memory for %zu tiles", tiles_of(p));
    }
    psg_status status = make_sides(p);
    for (size_t t = 0; t < 2 * tiles_of(p) && status == PSG_OK; t++) {
        tile_data *d = &p->data[t % 2][t / 2];
        const size_t rows = extent(p, t / 2 / p->tiles), columns = extent(p, t / 2 % p->tiles);
        status = workload_hold(&d->u, work, columns, rows, 1, p->real_bytes);
        for (int side = 0; side < JACOBI_SIDES && status == PSG_OK; side++) {
            status = workload_hold(&d->edge[side], work, alongside(side) ? columns : rows, 1, 1,
                                   p->real_bytes);
        }
    }
    if (p->barrier) {
        starpu_void_data_register(&p->gate);
    }
    return status;
}

static void destroy(void *memory) {
    problem *p = memory;
    for (int parity = 0; parity < 2; parity++) {
        psg_data_free((psg_data *)p->data[parity],
                      p->data[parity] != NULL ? tiles_of(p) * (1 + JACOBI_SIDES) : 0);
        free(p->data[parity]);
    }
    psg_data_free(p->fixed, JACOBI_SIDES * p->tiles);
    psg_data_free(&p->gate, 1);
    for (int side = 0; side < JACOBI_SIDES; side++) {
        free(p->side[side]);
    }
    free(p->wave[0]);
    free(p->wave[1]);
    free(p->fixed);
    free(p->expected);
}

/* ------------------------------------------------------------------------------------- running */

/* What is first in u, or in an edge of it: the row and column of the grid. */
static bool fill(const problem *p, psg_data handle, size_t row, size_t column, size_t rows,
                 size_t columns) {
    void *to = psg_data_acquire(handle, true);
    if (to == NULL) {
        return false;
    }
    for (size_t m = 0; m < rows * columns; m++) {
        put(p, to, m, row + m / columns, column + m % columns);
    }
    psg_data_release(handle);
    return true;
}

static bool prepare(const void *memory) {
    const problem *p = memory;
    bool good = true;
    for (size_t t = 0; t < tiles_of(p) && good; t++) {
        const tile_data *d = &p->data[0][t];
        const size_t row = 1 + t / p->tiles * p->tile, rows = extent(p, t / p->tiles);
        const size_t column = 1 + t % p->tiles * p->tile;
        const size_t columns = extent(p, t % p->tiles);
        good = fill(p, d->u, row, column, rows, columns) &&
               fill(p, d->edge[JACOBI_NORTH], row, column, 1, columns) &&
               fill(p, d->edge[JACOBI_SOUTH], row + rows - 1, column, 1, columns) &&
               fill(p, d->edge[JACOBI_WEST], row, column, rows, 1) &&
               fill(p, d->edge[JACOBI_EAST], row, column + columns - 1, rows, 1);
    }
    return good;
}

static void submit(psg_run *run, const void *memory) {
    const problem *p = memory;
    const size_t tiles = p->tiles;
    psg_data_settle(p->fixed, JACOBI_SIDES * tiles);
    for (size_t step = 0; step < p->steps; step++) {
        const tile_data *from = p->data[step % 2];
        const tile_data *to = p->data[1 - step % 2];
        for (size_t t = 0; t < tiles_of(p); t++) {
            const size_t at[2] = {t / tiles, t % tiles};
            const psg_data beyond[JACOBI_SIDES] = {
                at[0] > 0 ? from[t - tiles].edge[JACOBI_SOUTH] : p->fixed[at[1]],
                at[0] + 1 < tiles ? from[t + tiles].edge[JACOBI_NORTH] : p->fixed[tiles + at[1]],
                at[1] > 0 ? from[t - 1].edge[JACOBI_EAST] : p->fixed[2 * tiles + at[0]],
                at[1] + 1 < tiles ? from[t + 1].edge[JACOBI_WEST] : p->fixed[3 * tiles + at[0]]};
            submit_sweep(run, p, at, step, &from[t], beyond, &to[t]);
        }
        if (p->barrier) {
            psg_run_gate(run, p->gate);
        }
    }
}

/* -------------------------------------------------------------------------------- the answer */

/* All steps by one core and without tiles. @return false: no memory */
static bool expect(problem *p) {
    const size_t points = p->n * p->n;
    void *u[2] = {base_allocate(points * p->real_bytes), base_allocate(points * p->real_bytes)};
    bool good = u[0] != NULL && u[1] != NULL;
    for (size_t m = 0; m < points && good; m++) {
        put(p, u[0], m, m / p->n, m % p->n);
    }
    if (good) {
        memcpy(u[1], u[0], points * p->real_bytes);
    }
    for (size_t step = 0; step < p->steps && good; step++) {
        if (p->real_bytes == sizeof(float)) {
            sweep_all_float(p->n, u[step % 2], u[1 - step % 2]);
        } else {
            sweep_all_double(p->n, u[step % 2], u[1 - step % 2]);
        }
    }
    free(u[1 - p->steps % 2]);
    p->expected = u[p->steps % 2];
    if (!good) {
        free(p->expected);
        p->expected = NULL;
    }
    return good;
}

/* @param[in,out] sums  points that differ, and how much there is of the wave, times its square */
static bool compare(const problem *p, size_t t, double sums[2]) {
    const psg_data handle = p->data[p->steps % 2][t].u;
    const size_t rows = extent(p, t / p->tiles), top = t / p->tiles * p->tile + 1;
    const size_t columns = extent(p, t % p->tiles);
    const void *u = psg_data_acquire(handle, false);
    if (u == NULL) {
        return false;
    }
    for (size_t m = 0; m < rows; m++) {
        double wave_of_row = 0; /* a sum of sums loses fewer digits than one of all points */
        for (size_t k = 0; k < columns; k++) {
            const size_t row = top + m, column = t % p->tiles * p->tile + 1 + k;
            const double value = workload_get(p->real_bytes, u, m * columns + k);
            sums[0] += !(value == workload_get(p->real_bytes, p->expected, row * p->n + column));
            wave_of_row += (value - plane(p, row, column)) * wave(p, row, column);
        }
        sums[1] += wave_of_row;
    }
    psg_data_release(handle);
    return true;
}

static size_t answers(void *memory, workload_answer *list) {
    problem *p = memory;
    const double left = pow(wave_factor(p), (double)p->steps);
    const double epsilon = p->real_bytes == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
    double sums[2] = {0, 0}, square = 0;
    if (p->expected == NULL && !expect(p)) {
        return 0;
    }
    for (size_t t = 0; t < tiles_of(p); t++) {
        if (!compare(p, t, sums)) {
            return 0;
        }
    }
    for (size_t row = 0; row < p->n; row++) {
        double square_of_row = 0;
        for (size_t column = 0; column < p->n; column++) {
            square_of_row += pow(wave(p, row, column), 2);
        }
        square += square_of_row;
    }
    list[0] = (workload_answer){.name = "differing", .value = sums[0]};
    list[1] = (workload_answer){.name = "wave",
                                .value = sums[1] / square,
                                .expected = left,
                                .tolerance = 8 * epsilon * (double)(p->steps + 8) /
                                             (left != 0 ? fabs(left) : 1)};
    return 2;
}

const workload_row workload_jacobi = {
    .facts = {.name = "jacobi",
              .about = "sweeps of a stencil over tiles, which exchange their edges",
              .sizes = sizes,
              .tile = "T: tiles of T x T points",
              .barrier = true},
    .bytes = sizeof(problem),
    .f32 = true,
    .kinds = kinds,
    .kind_count = 1,
    .first = &first_kind,
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
