/* jacobi: Jacobi's method for Laplace's equation on a square, whose sides are fixed. Every task is
 * a sweep of a tile:
 *
 *   u[t] of the tile, edges[t] of its four neighbours  -- sweep -->  u[t+1] and edges[t+1] of the
 * tile
 *
 * There are two of each, so that a tile may be a step ahead of a neighbour. Tiles that stay on a
 * worker's memory exchange their edges alone. As a solver the method is slow; it is here for its
 * graph.
 *
 * Several processes have a block of the square each, of tiles. A sweep is two tasks then:
 *
 *   u[t]                         -- inside --> u[t+1] without its outermost rows and columns
 *   u[t], edges[t] of neighbours -- rim -----> the rest of u[t+1], and its edges
 *
 * Edges of another process' tiles come in messages. The inside needs none of them, so it is
 * computed while they are on their way (:async), or it waits for all of them (:sync).
 */
#include "workloads/jacobi.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "workloads/jacobi_block.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 50, TILE_LEAST = 64, TILE_MOST = 16384 };

static const char sizes[] =
    "N or N:STEPS: N x N points, N from 3; 50 steps by default. Behind it :async or :sync: tiles "
    "are computed while edges travel, or after; and :buffers or :strided: how columns travel";

enum { SWEEP = 0, INSIDE, RIM, KINDS };

/* The data of a tile: it, and its edges by side. */
typedef struct tile_data {
    psg_data u, edge[JACOBI_SIDES];
} tile_data;

typedef struct problem {
    size_t n;    /* points along each axis, with the fixed ones on the sides */
    size_t tile; /* points of a tile along each axis; of the last one fewer, perhaps */
    jacobi_block block;
    bool split, sync, strided; /* inside and rim are tasks of their own; see `sizes` */
    size_t steps, real_bytes;
    bool by_path;             /* a task's priority is the number of sweeps that follow it */
    tile_data *data[2];       /* [tiles][tiles] each */
    psg_data *fixed;          /* what is beyond the outermost tiles: see outer() */
    void *side[JACOBI_SIDES]; /* [size]: the same in one piece */
    psg_data gate;            /* NULL: no barrier */
    bool barrier;
    double *wave[2]; /* [n]: along rows and columns, see wave() */
    void *expected;  /* [n][n]; NULL: not computed yet */
} problem;

static size_t tiles_of(const problem *p) {
    return p->block.tiles[ROW] * p->block.tiles[COLUMN];
}

/* Points of tile t of the block along an axis. */
static size_t extent(const problem *p, int axis, size_t t) {
    return workload_extent(p->block.size[axis], p->tile, t);
}

/* What is beyond tile t of those along a side of the block: in the order of the sides. */
static psg_data *outer(const problem *p, int side, size_t t) {
    const size_t *tiles = p->block.tiles;
    const size_t before = jacobi_along(side) == COLUMN ? 0 : 2 * tiles[COLUMN];
    return &p->fixed[before + (jacobi_is_low(side) ? 0 : tiles[jacobi_along(side)]) + t];
}

/* ------------------------------------------------------------------------------------ the task */

static int first_kind;

/* Buffers: u, the next u, what is beyond it, and the edges of the next u. Columns that travel by
 * strides need no edge. */
static jacobi_sweep sweep_of(const psg_task *task) {
    const problem *p = task->owner;
    const size_t *at = task->label->index;
    jacobi_sweep s = {.columns = extent(p, COLUMN, at[COLUMN]),
                      .rows = extent(p, ROW, at[ROW]),
                      .part = task->label->kind - first_kind,
                      .u = psg_task_memory(task, 0),
                      .next = psg_task_memory(task, 1)};
    for (int side = 0; side < JACOBI_SIDES && s.part != JACOBI_INSIDE; side++) {
        const bool strided =
            p->strided && jacobi_along(side) == ROW && jacobi_travels(&p->block, at, side);
        s.beyond[side] = psg_task_memory(task, 2 + (size_t)side);
        s.edge[side] = strided ? NULL : psg_task_memory(task, 2 + JACOBI_SIDES + (size_t)side);
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
    workload_shape(shape, extent(p, COLUMN, label->index[COLUMN]),
                   extent(p, ROW, label->index[ROW]), 1, 1, 1);
}

static double points_of(const psg_task_shape *s) {
    return (double)s->n[0] * (double)s->n[1];
}

/* The edges are as little as they are long. */
static psg_traffic traffic(const void *owner, const psg_label *label) {
    const problem *p = owner;
    const double columns = (double)extent(p, COLUMN, label->index[COLUMN]);
    const double rows = (double)extent(p, ROW, label->index[ROW]);
    const double points = label->kind == first_kind + RIM ? 0 : columns * rows;
    const double edges = label->kind == first_kind + INSIDE ? 0 : 2 * (columns + rows);
    const double bytes = (points + edges) * (double)p->real_bytes;
    return (psg_traffic){bytes, bytes};
}

static int priority(const void *owner, const psg_label *label) {
    const problem *p = owner;
    return p->by_path ? (int)(p->steps - 1 - label->index[STEP]) : 0;
}

#define KIND(the_name)                                                                             \
    {                                                                                              \
        .name = the_name, .core = jacobi_sweep_core, .gpu = WORKLOAD_GPU(jacobi_sweep_gpu),        \
        .shape = shape, .operations = points_of, .traffic = traffic, .priority = priority          \
    }
static const psg_kind kinds[KINDS] = {
    [SWEEP] = KIND("jacobi_sweep"), [INSIDE] = KIND("jacobi_inside"), [RIM] = KIND("jacobi_rim")};
_Static_assert((int)INSIDE == JACOBI_INSIDE && (int)RIM == JACOBI_RIM, "in one order");

/* Sweep tile (row, column) in step `step`.
 * @param[in] beyond  by side: a neighbour's edge, or what is fixed there */
static void submit_sweep(psg_run *run, const problem *p, const size_t at[2], size_t step,
                         const tile_data *from, const psg_data beyond[JACOBI_SIDES],
                         const tile_data *to) {
    const size_t ghosts = p->sync ? p->block.ghost_count : 0;
    const psg_task_data inside[] = {{&from->u, 1, 1, STARPU_R},
                                    {&to->u, 1, 1, STARPU_W},
                                    {p->block.ghosts, ghosts, 1, STARPU_R},
                                    {&p->gate, p->barrier, 1, STARPU_R}};
    const psg_task_data data[] = {{&from->u, 1, 1, STARPU_R},
                                  {&to->u, 1, 1, p->split ? STARPU_RW : STARPU_W},
                                  {beyond, JACOBI_SIDES, 1, STARPU_R},
                                  {to->edge, JACOBI_SIDES, 1, STARPU_W},
                                  {&p->gate, p->barrier, 1, STARPU_R}};
    if (p->split) {
        psg_run_submit(run, (psg_label){first_kind + INSIDE, {at[0], at[1], step}}, inside, 4);
    }
    const int kind = first_kind + (p->split ? RIM : SWEEP);
    psg_run_submit(run, (psg_label){kind, {at[0], at[1], step}}, data, 5);
}

/* The edge of a tile goes to the process beyond a side, and that of its tile comes. A column may
 * go from where it is in the tile. Messages of two steps may be on their way at once. */
static void submit_exchange(psg_run *run, const problem *p, const size_t at[2], size_t step,
                            const tile_data *from, int side) {
    const size_t t = at[jacobi_along(side)], rows = extent(p, ROW, at[ROW]);
    const size_t columns = extent(p, COLUMN, at[COLUMN]);
    psg_travel how = {.rank = jacobi_neighbour(&p->block, side),
                      .tag = (int)(2 * (JACOBI_SIDES * t + (size_t)side) + step % 2),
                      .index = {(size_t)side, t, step}};
    psg_travel back = {.rank = how.rank,
                       .tag = (int)(2 * (JACOBI_SIDES * t + (size_t)(side ^ 1)) + step % 2),
                       .index = {(size_t)(side ^ 1), t, step}};
    if (p->strided && jacobi_along(side) == ROW) {
        how.first = jacobi_is_low(side) ? 0 : columns - 1;
        how.length = 1;
        how.pitch = columns;
        how.runs = rows;
        psg_run_send(run, from->u, &how);
    } else {
        psg_run_send(run, from->edge[side], &how);
    }
    psg_run_receive(run, *outer(p, side, t), &back);
}

/* ------------------------------------------------------------------------------------ the size */

/* Both u, and what checks them. */
static workload_needs needs(const void *memory, const psg_engine_workers *workers) {
    const problem *p = memory;
    const double tiles = (double)tiles_of(p);
    (void)workers;
    return (workload_needs){4 * (double)p->n * (double)p->n * (double)p->real_bytes +
                                2 * (1 + JACOBI_SIDES) * tiles * TUNING_HANDLE_BYTES,
                            (p->split ? 2 : 1) * tiles * (double)p->steps * TUNING_TASK_BYTES};
}

/* ":async" and so on, each once at the most; the default is first. @return where it ends */
static const char *read_words(problem *p, const char *text) {
    static const char *const words[2][2] = {{":async", ":sync"}, {":buffers", ":strided"}};
    bool *const chosen[2] = {&p->sync, &p->strided};
    for (int m = 0; m < 2; m++) {
        for (int second = 0; second < 2; second++) {
            const size_t length = strlen(words[m][second]);
            if (strncmp(text, words[m][second], length) == 0) {
                *chosen[m] = second == 1;
                p->split = true;
                text += length;
                break;
            }
        }
    }
    return text;
}

static psg_status parse(void *memory, const char *size, const workload_options *how,
                        psg_precision precision) {
    problem *p = memory;
    p->steps = STEPS;
    const char *rest = workload_number(size, 3, INT_MAX, &p->n);
    if (rest != NULL && rest[0] == ':' && rest[1] >= '0' && rest[1] <= '9') {
        rest = workload_number(rest + 1, 1, INT_MAX, &p->steps);
    }
    rest = rest != NULL ? read_words(p, rest) : NULL;
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

/* Several processes always have tasks for the inside. */
static psg_status share(problem *p, const psg_engine_workers *workers) {
    const size_t inside = p->n - 2;
    const int *blocks = p->block.blocks;
    jacobi_divide(&p->block, workers, inside);
    p->split = p->split || workers->ranks > 1;
    return inside >= (size_t)blocks[COLUMN]
               ? PSG_OK
               : workload_fail(PSG_ERR_ARG,
                               "jacobi:%zu: %d processes are %d x %d blocks, and there are %zu x "
                               "%zu points inside: take fewer processes",
                               p->n, workers->ranks, blocks[ROW], blocks[COLUMN], inside, inside);
}

/* Tiles for each core, or one for each GPU. The largest block has as many. */
static psg_status choose(void *memory, const psg_engine_workers *workers) {
    problem *p = memory;
    const psg_status status = share(p, workers);
    const size_t inside = (p->n - 3) / (size_t)p->block.blocks[ROW] + 1;
    const size_t parts = workload_share(workers);
    const size_t tiles = workers->most_gpus > 0 ? parts : TUNING_JACOBI_TILES * parts;
    const size_t even = (size_t)ceil((double)inside / ceil(sqrt((double)tiles)));
    const size_t tile = even < TILE_LEAST ? TILE_LEAST : even < TILE_MOST ? even : TILE_MOST;
    p->tile = p->tile > 0 ? p->tile : tile < inside ? tile : inside;
    for (int axis = 0; axis < 2 && status == PSG_OK; axis++) {
        p->block.tiles[axis] = (p->block.size[axis] - 1) / p->tile + 1;
    }
    return status;
}

/* Each step an edge goes, and one comes. */
static size_t messages(const void *memory) {
    const problem *p = memory;
    size_t edges = 0;
    for (int side = 0; side < JACOBI_SIDES; side++) {
        edges += jacobi_neighbour(&p->block, side) >= 0 ? p->block.tiles[jacobi_along(side)] : 0;
    }
    return 2 * edges * p->steps;
}

static void tell(const void *memory, char *text, size_t size) {
    const problem *p = memory;
    const int length = snprintf(
        text, size, "%zu x %zu points in f%zu, %zu x %zu tiles of %zu x %zu, %zu steps", p->n, p->n,
        8 * p->real_bytes, p->block.tiles[ROW], p->block.tiles[COLUMN], p->tile, p->tile, p->steps);
    if (p->split && length > 0 && (size_t)length < size) {
        (void)snprintf(text + length, size - (size_t)length, ", %d x %d blocks, %s, %s",
                       p->block.blocks[ROW], p->block.blocks[COLUMN], p->sync ? "sync" : "async",
                       p->strided ? "strided" : "buffers");
    }
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

/* What is beyond the block: of the square's sides, or of other processes. */
static psg_status make_sides(problem *p) {
    jacobi_block *b = &p->block;
    for (int side = 0; side < JACOBI_SIDES; side++) {
        const int axis = jacobi_along(side), other = jacobi_across(side);
        const size_t line =
            jacobi_is_low(side) ? b->first[other] - 1 : b->first[other] + b->size[other];
        p->side[side] = base_allocate(b->size[axis] * p->real_bytes);
        if (p->side[side] == NULL) {
            return workload_fail(PSG_ERR_MEMORY, "no memory for the sides of %zu points", p->n);
        }
        for (size_t m = 0; m < b->size[axis]; m++) {
            const size_t point = b->first[axis] + m;
            put(p, p->side[side], m, axis == ROW ? point : line, axis == ROW ? line : point);
        }
        for (size_t t = 0; t < b->tiles[axis]; t++) {
            workload_lend(outer(p, side, t), (char *)p->side[side] + t * p->tile * p->real_bytes,
                          extent(p, axis, t), 1, 1, p->real_bytes);
            if (jacobi_neighbour(&p->block, side) >= 0) {
                b->ghosts[b->ghost_count++] = *outer(p, side, t);
            }
        }
    }
    return PSG_OK;
}

static size_t outers(const problem *p) {
    return 2 * (p->block.tiles[ROW] + p->block.tiles[COLUMN]);
}

static psg_status make(void *memory, const psg_work *work) {
    problem *p = memory;
    p->data[0] = calloc(tiles_of(p), sizeof *p->data[0]);
    p->data[1] = calloc(tiles_of(p), sizeof *p->data[1]);
    p->fixed = calloc(outers(p), sizeof(psg_data));
    p->block.ghosts = calloc(outers(p), sizeof(psg_data));
    if (p->data[0] == NULL || p->data[1] == NULL || p->fixed == NULL || p->block.ghosts == NULL ||
        !make_wave(p)) {
        return workload_fail(PSG_ERR_MEMORY, "no memory for %zu tiles", tiles_of(p));
    }
    psg_status status = make_sides(p);
    for (size_t t = 0; t < 2 * tiles_of(p) && status == PSG_OK; t++) {
        tile_data *d = &p->data[t % 2][t / 2];
        const size_t rows = extent(p, ROW, t / 2 / p->block.tiles[COLUMN]);
        const size_t columns = extent(p, COLUMN, t / 2 % p->block.tiles[COLUMN]);
        status = workload_hold(&d->u, work, columns, rows, 1, p->real_bytes);
        for (int side = 0; side < JACOBI_SIDES && status == PSG_OK; side++) {
            status = workload_hold(&d->edge[side], work, jacobi_along(side) == ROW ? rows : columns,
                                   1, 1, p->real_bytes);
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
    psg_data_free(p->fixed, p->fixed != NULL ? outers(p) : 0);
    psg_data_free(&p->gate, 1);
    for (int side = 0; side < JACOBI_SIDES; side++) {
        free(p->side[side]);
    }
    free(p->wave[0]);
    free(p->wave[1]);
    free(p->fixed);
    free(p->block.ghosts);
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
        const size_t at[2] = {t / p->block.tiles[COLUMN], t % p->block.tiles[COLUMN]};
        const size_t row = p->block.first[ROW] + at[ROW] * p->tile;
        const size_t column = p->block.first[COLUMN] + at[COLUMN] * p->tile;
        const size_t rows = extent(p, ROW, at[ROW]), columns = extent(p, COLUMN, at[COLUMN]);
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
    const size_t tiles = p->block.tiles[COLUMN];
    psg_data_settle(p->fixed, outers(p));
    for (size_t step = 0; step < p->steps; step++) {
        const tile_data *from = p->data[step % 2];
        const tile_data *to = p->data[1 - step % 2];
        for (size_t t = 0; t < tiles_of(p); t++) {
            const size_t at[2] = {t / tiles, t % tiles};
            for (int side = 0; side < JACOBI_SIDES; side++) {
                if (jacobi_travels(&p->block, at, side)) {
                    submit_exchange(run, p, at, step, &from[t], side);
                }
            }
        }
        for (size_t t = 0; t < tiles_of(p); t++) {
            const size_t at[2] = {t / tiles, t % tiles};
            const size_t next[JACOBI_SIDES] = {t - tiles, t + tiles, t - 1, t + 1};
            psg_data beyond[JACOBI_SIDES];
            for (int side = 0; side < JACOBI_SIDES; side++) {
                beyond[side] = jacobi_is_outermost(&p->block, at, side)
                                   ? *outer(p, side, at[jacobi_along(side)])
                                   : from[next[side]].edge[side ^ 1];
            }
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
        jacobi_cpu_all(p->real_bytes == sizeof(float), p->n, u[step % 2], u[1 - step % 2]);
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
    const size_t at[2] = {t / p->block.tiles[COLUMN], t % p->block.tiles[COLUMN]};
    const size_t rows = extent(p, ROW, at[ROW]), columns = extent(p, COLUMN, at[COLUMN]);
    const size_t top = p->block.first[ROW] + at[ROW] * p->tile;
    const size_t left = p->block.first[COLUMN] + at[COLUMN] * p->tile;
    const void *u = psg_data_acquire(handle, false);
    if (u == NULL) {
        return false;
    }
    for (size_t m = 0; m < rows; m++) {
        double wave_of_row = 0; /* a sum of sums loses fewer digits than one of all points */
        for (size_t k = 0; k < columns; k++) {
            const size_t row = top + m, column = left + k;
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
              .barrier = true,
              .processes = true},
    .bytes = sizeof(problem),
    .f32 = true,
    .kinds = kinds,
    .kind_count = KINDS,
    .first = &first_kind,
    .parse = parse,
    .cut = choose,
    .messages = messages,
    .needs = needs,
    .tell = tell,
    .make = make,
    .prepare = prepare,
    .submit = submit,
    .answers = answers,
    .free = destroy,
};
