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
#include "workloads/workload.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 50, TILE_LEAST = 64, TILE_MOST = 16384 };

static const char sizes[] =
    "N or N:STEPS: N x N points, N from 3; STEPS from 1, 50 by default; then perhaps :async or "
    ":sync: tiles are computed while edges travel, or after; then perhaps :buffers or :strided: "
    "how columns travel";

/* ------------------------------------------------------------------------------------ the block */

/* Axes of what has rows and columns. */
enum { ROW = 0, COLUMN, STEP };

/* What a process has of the square: a block, in a grid of blocks. */
typedef struct block {
    int rank;
    int blocks[2], at[2]; /* in all, and this one's place, along rows and columns of the grid */
    size_t first[2];      /* the row and the column of the grid of its first point */
    size_t size[2];       /* rows and columns */
    size_t tiles[2];      /* along each axis */
    psg_data *ghosts;     /* [ghost_count]: those of `beyond` that come in messages */
    size_t ghost_count;
} block;

/* The axis along which a side goes, and the one across it. */
static int along(int side) {
    return side == JACOBI_NORTH || side == JACOBI_SOUTH ? COLUMN : ROW;
}
static int across(int side) {
    return 1 - along(side);
}

static bool is_low(int side) {
    return side == JACOBI_NORTH || side == JACOBI_WEST;
}

/* The process beyond a side of the block; -1: the side of the square. */
static int neighbour(const block *b, int side) {
    const int axis = across(side), step = is_low(side) ? -1 : 1;
    const int to = b->at[axis] + step;
    return to < 0 || to == b->blocks[axis] ? -1
                                           : b->rank + step * (axis == ROW ? b->blocks[COLUMN] : 1);
}

/* Is a tile the outermost one on a side of the block? */
static bool is_outermost(const block *b, const size_t at[2], int side) {
    const int axis = across(side);
    return at[axis] == (is_low(side) ? 0 : b->tiles[axis] - 1);
}

/* Does the edge of a tile go to another process? */
static bool travels(const block *b, const size_t at[2], int side) {
    return is_outermost(b, at, side) && neighbour(b, side) >= 0;
}

/* The block of this process, of as many as there are processes, as square as can be.
 *  @param[in] inside  points along each axis
 * @param[out] b  but its tiles */
static void divide(block *b, const psg_engine_workers *workers, size_t inside) {
    b->rank = workers->rank;
    b->blocks[ROW] = (int)sqrt((double)workers->ranks);
    while (workers->ranks % b->blocks[ROW] != 0) {
        b->blocks[ROW]--;
    }
    b->blocks[COLUMN] = workers->ranks / b->blocks[ROW];
    b->at[ROW] = workers->rank / b->blocks[COLUMN];
    b->at[COLUMN] = workers->rank % b->blocks[COLUMN];
    for (int axis = 0; axis < 2; axis++) {
        const size_t first = workload_first(inside, b->at[axis], b->blocks[axis]);
        b->first[axis] = 1 + first;
        b->size[axis] = workload_first(inside, b->at[axis] + 1, b->blocks[axis]) - first;
    }
}

/* ----------------------------------------------------------------------------------- the tiles */

enum { SWEEP = 0, INSIDE, RIM, KINDS };

/* The data of a tile: it, and its edges by side. */
typedef struct tile_data {
    psg_data u, edge[JACOBI_SIDES];
} tile_data;

typedef struct problem {
    workload_head head;
    size_t n;    /* points along each axis, with the fixed ones on the sides */
    size_t tile; /* points of a tile along each axis; of the last one fewer, perhaps */
    block block;
    bool split, sync, strided; /* inside and rim are tasks of their own; see `sizes` */
    size_t steps;
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
    const size_t before = along(side) == COLUMN ? 0 : 2 * tiles[COLUMN];
    return &p->fixed[before + (is_low(side) ? 0 : tiles[along(side)]) + t];
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
        const bool strided = p->strided && along(side) == ROW && travels(&p->block, at, side);
        s.beyond[side] = psg_task_memory(task, 2 + (size_t)side);
        s.edge[side] = strided ? NULL : psg_task_memory(task, 2 + JACOBI_SIDES + (size_t)side);
    }
    return s;
}

static void jacobi_sweep_core(const psg_task *task) {
    const jacobi_sweep sweep = sweep_of(task);
    jacobi_cpu(((const problem *)task->owner)->head.real_bytes == sizeof(float), &sweep);
}

#ifdef WORKLOADS_CUDA
static int jacobi_sweep_gpu(const psg_task *task) {
    const jacobi_sweep sweep = sweep_of(task);
    return (int)jacobi_cuda(WORKLOAD_PRECISION(((const problem *)task->owner)->head.real_bytes),
                            &sweep, task->stream);
}
#endif

static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    const problem *p = owner;
    workload_shape(shape, extent(p, COLUMN, label->index[COLUMN]),
                   extent(p, ROW, label->index[ROW]), 1, 1, 1);
}

/* The edges are as little as they are long. */
static psg_traffic traffic(const void *owner, const psg_label *label) {
    const problem *p = owner;
    const double columns = (double)extent(p, COLUMN, label->index[COLUMN]);
    const double rows = (double)extent(p, ROW, label->index[ROW]);
    const double points = label->kind == first_kind + RIM ? 0 : columns * rows;
    const double edges = label->kind == first_kind + INSIDE ? 0 : 2 * (columns + rows);
    const double bytes = (points + edges) * (double)p->head.real_bytes;
    return (psg_traffic){bytes, bytes};
}

static int priority(const void *owner, const psg_label *label) {
    const problem *p = owner;
    return p->head.by_path ? (int)(p->steps - 1 - label->index[STEP]) : 0;
}

static const psg_kind kinds[KINDS] = {
    [SWEEP] = {WORKLOAD_KIND("jacobi_sweep", jacobi_sweep_core, jacobi_sweep_gpu,
                             workload_numbers)},
    [INSIDE] = {WORKLOAD_KIND("jacobi_inside", jacobi_sweep_core, jacobi_sweep_gpu,
                              workload_numbers)},
    [RIM] = {WORKLOAD_KIND("jacobi_rim", jacobi_sweep_core, jacobi_sweep_gpu, workload_numbers)}};
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
    const size_t t = at[along(side)], rows = extent(p, ROW, at[ROW]);
    const size_t columns = extent(p, COLUMN, at[COLUMN]);
    psg_travel how = {.rank = neighbour(&p->block, side),
                      .tag = (int)(2 * (JACOBI_SIDES * t + (size_t)side) + step % 2),
                      .index = {(size_t)side, t, step}};
    psg_travel back = {.rank = how.rank,
                       .tag = (int)(2 * (JACOBI_SIDES * t + (size_t)(side ^ 1)) + step % 2),
                       .index = {(size_t)(side ^ 1), t, step}};
    if (p->strided && along(side) == ROW) {
        how.first = is_low(side) ? 0 : columns - 1;
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

/* Both u of the block, and both of the whole square that check them. */
static workload_needs needs(const void *memory) {
    const problem *p = memory;
    const double tiles = (double)tiles_of(p), n = (double)p->n;
    const double points = n * n + (double)p->block.size[ROW] * (double)p->block.size[COLUMN];
    return (workload_needs){2 * points * (double)p->head.real_bytes, 2 * (1 + JACOBI_SIDES) * tiles,
                            (p->split ? 2 : 1) * tiles * (double)p->steps, 0};
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

static psg_status parse(void *memory, const char *size, const workload_options *how) {
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
    p->barrier = how->barrier != 0;
    return workload_check_tile(how, "jacobi:", size, "tiles of T x T points", 1, most);
}

/* Several processes always have tasks for the inside. Tiles are so many for each core, or one for
 * each GPU, and the largest block has as many. */
static psg_status choose(void *memory, const psg_engine_workers *workers) {
    problem *p = memory;
    const size_t points = p->n - 2, parts = workload_share(workers);
    const int *blocks = p->block.blocks;
    divide(&p->block, workers, points);
    p->split = p->split || workers->ranks > 1;
    if (points < (size_t)blocks[COLUMN]) {
        return workload_fail(PSG_ERR_ARG,
                             "jacobi:%zu: %d processes are %d x %d blocks, and there are %zu x "
                             "%zu points inside: take fewer processes",
                             p->n, workers->ranks, blocks[ROW], blocks[COLUMN], points, points);
    }
    const size_t inside = (points - 1) / (size_t)blocks[ROW] + 1;
    const size_t tiles = workers->most_gpus > 0 ? parts : TUNING_JACOBI_TILES * parts;
    const size_t even = (size_t)ceil((double)inside / ceil(sqrt((double)tiles)));
    const size_t tile = even < TILE_LEAST ? TILE_LEAST : even < TILE_MOST ? even : TILE_MOST;
    p->tile = p->tile > 0 ? p->tile : tile < inside ? tile : inside;
    for (int axis = 0; axis < 2; axis++) {
        p->block.tiles[axis] = (p->block.size[axis] - 1) / p->tile + 1;
    }
    return PSG_OK;
}

/* Each step an edge goes, and one comes. */
static size_t messages(const void *memory) {
    const problem *p = memory;
    size_t edges = 0;
    for (int side = 0; side < JACOBI_SIDES; side++) {
        edges += neighbour(&p->block, side) >= 0 ? p->block.tiles[along(side)] : 0;
    }
    return 2 * edges * p->steps;
}

static void tell(const void *memory, char *text, size_t size) {
    const problem *p = memory;
    const int length =
        snprintf(text, size, "%zu x %zu points in f%zu, %zu x %zu tiles of %zu x %zu, %zu steps",
                 p->n, p->n, 8 * p->head.real_bytes, p->block.tiles[ROW], p->block.tiles[COLUMN],
                 p->tile, p->tile, p->steps);
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

static void make_wave(problem *p) {
    const double pi = 3.14159265358979323846, last = (double)(p->n - 1);
    for (int axis = 0; axis < 2; axis++) {
        const int periods = p->n > 4 ? 2 + axis : 1;
        p->wave[axis] = workload_memory(&p->head, p->n, sizeof(double));
        for (size_t m = 1; m + 1 < p->n && p->wave[axis] != NULL; m++) {
            p->wave[axis][m] = sin(periods * pi * (double)m / last);
        }
    }
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
    workload_put(p->head.real_bytes, to, at, value);
}

/* What is beyond the block: of the square's sides, or of other processes. */
static void make_sides(problem *p) {
    block *b = &p->block;
    for (int side = 0; side < JACOBI_SIDES; side++) {
        const int axis = along(side), other = across(side);
        const size_t line = is_low(side) ? b->first[other] - 1 : b->first[other] + b->size[other];
        p->side[side] = workload_array(&p->head, b->size[axis] * p->head.real_bytes);
        for (size_t m = 0; m < b->size[axis] && !p->head.failed; m++) {
            const size_t point = b->first[axis] + m;
            put(p, p->side[side], m, axis == ROW ? point : line, axis == ROW ? line : point);
        }
        for (size_t t = 0; t < b->tiles[axis] && !p->head.failed; t++) {
            workload_lend(&p->head, outer(p, side, t),
                          (char *)p->side[side] + t * p->tile * p->head.real_bytes,
                          extent(p, axis, t), 1, 1, p->head.real_bytes);
            if (neighbour(&p->block, side) >= 0) {
                b->ghosts[b->ghost_count++] = *outer(p, side, t);
            }
        }
    }
}

static size_t outers(const problem *p) {
    return 2 * (p->block.tiles[ROW] + p->block.tiles[COLUMN]);
}

static void make(void *memory) {
    problem *p = memory;
    p->data[0] = workload_memory(&p->head, 2 * tiles_of(p), sizeof *p->data[0]);
    p->data[1] = p->data[0] + (p->head.failed ? 0 : tiles_of(p));
    p->fixed = workload_memory(&p->head, outers(p), sizeof(psg_data));
    p->block.ghosts = workload_memory(&p->head, outers(p), sizeof(psg_data));
    make_wave(p);
    make_sides(p);
    for (size_t t = 0; t < 2 * tiles_of(p) && !p->head.failed; t++) {
        tile_data *d = &p->data[t % 2][t / 2];
        const size_t rows = extent(p, ROW, t / 2 / p->block.tiles[COLUMN]);
        const size_t columns = extent(p, COLUMN, t / 2 % p->block.tiles[COLUMN]);
        workload_hold(&p->head, &d->u, columns, rows, 1, p->head.real_bytes);
        for (int side = 0; side < JACOBI_SIDES; side++) {
            workload_hold(&p->head, &d->edge[side], along(side) == ROW ? rows : columns, 1, 1,
                          p->head.real_bytes);
        }
    }
    if (p->barrier && !p->head.failed) {
        starpu_void_data_register(&p->gate);
    }
}

static void destroy(void *memory) {
    problem *p = memory;
    psg_data_free(&p->gate, 1);
    free(p->expected);
}

/* ------------------------------------------------------------------------------------- running */

/* The rows and columns of the grid that tile t of the block has. */
typedef struct region {
    size_t first[2], size[2];
} region;

static region region_of(const problem *p, size_t t) {
    const size_t at[2] = {t / p->block.tiles[COLUMN], t % p->block.tiles[COLUMN]};
    region r;
    for (int axis = 0; axis < 2; axis++) {
        r.first[axis] = p->block.first[axis] + at[axis] * p->tile;
        r.size[axis] = extent(p, axis, at[axis]);
    }
    return r;
}

/* What is first in the tiles, and in their edges. */
static void fill(const void *memory, size_t piece, void *to, void *result) {
    enum { PIECES = sizeof(tile_data) / sizeof(psg_data) };
    const problem *p = memory;
    region r = region_of(p, piece / PIECES);
    const int side = (int)(piece % PIECES) - 1;
    (void)result;
    if (side >= 0) {
        const int axis = across(side);
        r.first[axis] += is_low(side) ? 0 : r.size[axis] - 1;
        r.size[axis] = 1;
    }
    for (size_t m = 0; m < r.size[ROW] * r.size[COLUMN]; m++) {
        put(p, to, m, r.first[ROW] + m / r.size[COLUMN], r.first[COLUMN] + m % r.size[COLUMN]);
    }
}

static bool prepare(const void *memory) {
    const problem *p = memory;
    return workload_visit(p, (psg_data *)p->data[0], tiles_of(p) * (1 + JACOBI_SIDES), 1, true,
                          fill, NULL);
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
                if (travels(&p->block, at, side)) {
                    submit_exchange(run, p, at, step, &from[t], side);
                }
            }
        }
        for (size_t t = 0; t < tiles_of(p); t++) {
            const size_t at[2] = {t / tiles, t % tiles};
            const size_t next[JACOBI_SIDES] = {t - tiles, t + tiles, t - 1, t + 1};
            psg_data beyond[JACOBI_SIDES];
            for (int side = 0; side < JACOBI_SIDES; side++) {
                beyond[side] = is_outermost(&p->block, at, side) ? *outer(p, side, at[along(side)])
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
    void *u[2] = {base_allocate(points * p->head.real_bytes),
                  base_allocate(points * p->head.real_bytes)};
    bool good = u[0] != NULL && u[1] != NULL;
    for (size_t m = 0; m < points && good; m++) {
        put(p, u[0], m, m / p->n, m % p->n);
    }
    if (good) {
        memcpy(u[1], u[0], points * p->head.real_bytes);
    }
    for (size_t step = 0; step < p->steps && good; step++) {
        jacobi_cpu_all(p->head.real_bytes == sizeof(float), p->n, u[step % 2], u[1 - step % 2]);
    }
    free(u[1 - p->steps % 2]);
    p->expected = u[p->steps % 2];
    if (!good) {
        free(p->expected);
        p->expected = NULL;
    }
    return good;
}

/* @param[in,out] result  points that differ, and how much there is of the wave, times its square */
static void compare(const void *memory, size_t t, void *u, void *result) {
    const problem *p = memory;
    const region r = region_of(p, t);
    double *sums = result;
    for (size_t m = 0; m < r.size[ROW]; m++) {
        double wave_of_row = 0; /* a sum of sums loses fewer digits than one of all points */
        for (size_t k = 0; k < r.size[COLUMN]; k++) {
            const size_t row = r.first[ROW] + m, column = r.first[COLUMN] + k;
            const double value = workload_get(p->head.real_bytes, u, m * r.size[COLUMN] + k);
            sums[0] +=
                !(value == workload_get(p->head.real_bytes, p->expected, row * p->n + column));
            wave_of_row += (value - plane(p, row, column)) * wave(p, row, column);
        }
        sums[1] += wave_of_row;
    }
}

static size_t answers(void *memory, workload_answer *list) {
    problem *p = memory;
    const double left = pow(wave_factor(p), (double)p->steps);
    const double epsilon = p->head.real_bytes == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
    double sums[2] = {0, 0}, square = 0;
    if ((p->expected == NULL && !expect(p)) ||
        !workload_visit(p, (psg_data *)p->data[p->steps % 2], tiles_of(p), 1 + JACOBI_SIDES, false,
                        compare, sums)) {
        return 0;
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
    WORKLOAD_FIELDS,
    .f32 = true,
    .cut = choose,
    .messages = messages,
    .prepare = prepare,
    .free = destroy,
};
