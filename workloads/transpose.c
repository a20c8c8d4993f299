/* transpose: B is A with its axes in another order, by tiles. Each tile has memory of its own.
 *
 *   A[p][q]  -- transpose(p,q) -->  B[q][p]
 *
 * A matrix of M rows and N columns is an array of N x M x 1, of which x and y change places. Axes
 * are those of A, x first, whose elements are beside one another; an order has those of B.
 *
 * In place there is one array. Tiles stand in places one after the other, as their first elements
 * do in A, and those of B in the same places, as theirs do in B. So the tile in place k of A has to
 * get into another place. From there another tile has to go on, and so forth, until a cycle is
 * closed. With the places of a cycle numbered in this order, tile k has to get into place k + 1.
 * Two rounds of exchanges in pairs do this for all tiles, and the pairs of a round have nothing to
 * do with each other:
 *
 *   transpose_exchange   places k and -k      as they are       tile k is in place -k
 *   transpose_swap       places k and 1 - k   both transposed   and then in place 1 + k
 *
 * Indices are modulo the length of the cycle. Of a square, or of a cube two of whose axes change
 * places, all cycles have one tile or two, so there are no exchanges. A tile that stays in the
 * second round is transposed alone.
 */
#include "cpu/transpose.h"
#include "base/tuning.h"
#include "graph/psg_machine.h"
#include "workloads/workload.h"
#ifdef WORKLOADS_CUDA
#include "kernels/transpose.h"
#endif

#include <limits.h>
#include <starpu.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { X = 0, Y, Z, AXES, ROUNDS = 2, MOVES_MOST = 3 };
enum { CUBE_MOST = 1625 }; /* its cube is below 2^32: see WORKLOAD_BLOCK_MOST */

/* The axes of A in the order that they have in B; the first order is a matrix's. */
static const char orders[][AXES + 1] = {"yxz", "xyz", "xzy", "yzx", "zxy", "zyx"};
enum { ORDERS = sizeof orders / sizeof *orders, AS_IT_IS = 1 };

/* Two places of the array; or one, twice. */
typedef struct pair {
    size_t place[2];
} pair;

typedef struct problem {
    workload_head head;
    size_t n[AXES];     /* of A */
    int order;          /* of orders */
    bool cubes;         /* tiles have as many elements along z */
    size_t tile[AXES];  /* of a tile of A; of the last ones fewer, perhaps */
    size_t tiles[AXES]; /* along each axis */
    size_t element_bytes;
    bool in_place, is_complex;
    psg_data *a;         /* [tiles of A] */
    psg_data *b;         /* [tiles of B]; in place the same as a */
    psg_data scratch;    /* room for a tile */
    pair *pairs[ROUNDS]; /* [count] */
    size_t count[ROUNDS];
} problem;

/* Axis m of A, or of B, as one of A's. */
static int axis_of(const problem *p, bool of_b, int m) {
    return of_b ? orders[p->order][m] - 'x' : m;
}

/* Tile `place` of A or of B: which one along each axis. */
static void tile_at(const problem *p, bool of_b, size_t place, size_t at[AXES]) {
    for (int m = 0; m < AXES; m++) {
        const int axis = axis_of(p, of_b, m);
        at[axis] = place % p->tiles[axis];
        place /= p->tiles[axis];
    }
}

/* Where the tile in this place of A stands in B. */
static size_t goes_to(const problem *p, size_t place) {
    size_t at[AXES], there = 0;
    tile_at(p, false, place, at);
    for (int m = AXES - 1; m >= 0; m--) {
        const int axis = axis_of(p, true, m);
        there = there * p->tiles[axis] + at[axis];
    }
    return there;
}

static size_t product(const size_t n[AXES]) {
    return n[X] * n[Y] * n[Z];
}

/* ----------------------------------------------------------------------------------- the tasks */

enum { TRANSPOSE, EXCHANGE, SWAP, ALONE, KINDS };
static int first_kind;

static int kind_of(const psg_label *label) {
    return label->kind - first_kind;
}

/* A dense array of n elements is copied in this order of its axes. */
typedef struct move {
    int order;
    size_t n[AXES];
    const char *from;
    char *to;
} move;

/* Label index 0, 1 and 2: the tile along y, x and z; or of a pair the two places. */
static void extents(const problem *p, const size_t at[AXES], size_t n[AXES]) {
    for (int axis = 0; axis < AXES; axis++) {
        n[axis] = workload_extent(p->n[axis], p->tile[axis], at[axis]);
    }
}

/* Extents of what is in the first or the second place of a pair before the task. In the first round
 * that may be any tile, and all of its place is moved. In the second round it is the tile that goes
 * into the other place. */
static void extents_of(const problem *p, const psg_label *label, int which, size_t n[AXES]) {
    size_t at[AXES] = {label->index[1], label->index[0], label->index[2]};
    if (kind_of(label) == EXCHANGE) {
        memcpy(n, p->tile, sizeof p->tile);
        return;
    }
    if (kind_of(label) != TRANSPOSE) {
        tile_at(p, true, label->index[1 - which], at);
    }
    extents(p, at, n);
}

static move move_of(const psg_task *task, int which, bool turns, const void *from, void *to) {
    const problem *p = task->owner;
    move v = {.order = turns ? p->order : AS_IT_IS, .from = from, .to = to};
    extents_of(p, task->label, which, v.n);
    return v;
}

/* Buffers: from, to. Of a pair: the two places, and room for a tile. Of a tile that stays: its
 * place, and room for a tile. */
static size_t moves_of(const psg_task *task, move list[MOVES_MOST]) {
    void *one = psg_task_memory(task, 0), *other = psg_task_memory(task, 1);
    if (kind_of(task->label) == TRANSPOSE) {
        list[0] = move_of(task, 0, true, one, other);
        return 1;
    }
    if (kind_of(task->label) == ALONE) {
        list[0] = move_of(task, 0, false, one, other);
        list[1] = move_of(task, 0, true, other, one);
        return 2;
    }
    const bool turns = kind_of(task->label) == SWAP;
    void *room = psg_task_memory(task, 2);
    list[0] = move_of(task, 0, false, one, room);
    list[1] = move_of(task, 1, turns, other, one);
    list[2] = move_of(task, 0, turns, room, other);
    return 3;
}

/* A move as planes of matrices: their rows lie along x, their columns along the axis that is the
 * first of B, or along y. Pitches are in elements. */
typedef struct planes {
    bool turns;
    size_t n[AXES]; /* of a row, rows, planes */
    size_t in_row, in_plane, out_row, out_plane;
} planes;

static planes planes_of(const move *v) {
    const char *order = orders[v->order];
    const int from[AXES] = {order[0] - 'x', order[1] - 'x', order[2] - 'x'};
    const int along = from[0] == X ? Y : from[0], plane = Y + Z - along;
    const size_t in[AXES] = {1, v->n[X], v->n[X] * v->n[Y]};
    size_t out[AXES];
    out[from[0]] = 1;
    out[from[1]] = v->n[from[0]];
    out[from[2]] = v->n[from[0]] * v->n[from[1]];
    return (planes){from[0] != X, {v->n[X], v->n[along], v->n[plane]}, in[along],
                    in[plane],    out[from[0] == X ? along : X],       out[plane]};
}

static void move_core(const psg_task *task) {
    const size_t bytes = ((const problem *)task->owner)->element_bytes;
    move list[MOVES_MOST];
    const size_t count = moves_of(task, list);
    for (size_t m = 0; m < count; m++) {
        const planes v = planes_of(&list[m]);
        for (size_t k = 0; k < v.n[2]; k++) {
            psg_cpu_transpose(bytes, v.turns, v.n, list[m].from + k * v.in_plane * bytes, v.in_row,
                              list[m].to + k * v.out_plane * bytes, v.out_row);
        }
    }
}

#ifdef WORKLOADS_CUDA
static int move_gpu(const psg_task *task) {
    move list[MOVES_MOST];
    const size_t count = moves_of(task, list);
    cudaError_t result = cudaSuccess;
    for (size_t m = 0; m < count && result == cudaSuccess; m++) {
        const planes v = planes_of(&list[m]);
        const psg_cuda_matrix from = {(void *)(uintptr_t)list[m].from, v.in_row, v.in_plane};
        const psg_cuda_matrix to = {list[m].to, v.out_row, v.out_plane};
        result = psg_cuda_transpose(v.turns, v.n, ((const problem *)task->owner)->element_bytes,
                                    from, to, task->stream);
    }
    return (int)result;
}
#endif

static int tiles_in(const psg_label *label) {
    return kind_of(label) == TRANSPOSE || kind_of(label) == ALONE ? 1 : 2;
}

/* All places in an array are as large: the model of a pair has to be told which of its tiles are
 * the last along an axis. */
static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    const problem *p = owner;
    for (int which = tiles_in(label) - 1; which >= 0; which--) {
        size_t n[AXES];
        extents_of(p, label, which, n);
        workload_shape(shape, n[X], n[Y], n[Z], 1, (size_t)tiles_in(label));
        for (int axis = 0; axis < AXES && kind_of(label) != TRANSPOSE; axis++) {
            shape->variant = 2 * shape->variant + (n[axis] < p->tile[axis]);
        }
    }
    shape->variant = shape->variant * ORDERS + (kind_of(label) != EXCHANGE ? p->order : 0);
}

static psg_traffic traffic(const void *owner, const psg_label *label) {
    const problem *p = owner;
    double bytes = 0;
    for (int which = 0; which < tiles_in(label); which++) {
        size_t n[AXES];
        extents_of(p, label, which, n);
        bytes += (double)product(n) * (double)p->element_bytes;
    }
    return (psg_traffic){bytes, bytes};
}

/* An exchange is before a swap, and nothing else is before anything. */
static int priority(const void *owner, const psg_label *label) {
    return ((const problem *)owner)->head.by_path && kind_of(label) == EXCHANGE;
}

static const psg_kind kinds[KINDS] = {
    [TRANSPOSE] = {WORKLOAD_KIND("transpose", move_core, move_gpu, workload_numbers)},
    [EXCHANGE] = {WORKLOAD_KIND("transpose_exchange", move_core, move_gpu, workload_numbers)},
    [SWAP] = {WORKLOAD_KIND("transpose_swap", move_core, move_gpu, workload_numbers)},
    [ALONE] = {WORKLOAD_KIND("transpose_alone", move_core, move_gpu, workload_numbers)}};

static size_t tiles_of(const problem *p) {
    return product(p->tiles);
}

/* ------------------------------------------------------------------------------------ the size */

/* @return what stands behind the word; where it does not stand there, the text */
static const char *behind(const char *text, const char *word) {
    const size_t length = strlen(word);
    return strncmp(text, word, length) == 0 ? text + length : text;
}

static const char *read_order(problem *p, const char *text) {
    for (p->order = 0; p->order < ORDERS; p->order++) {
        if (text[0] == ':' && strncmp(text + 1, orders[p->order], AXES) == 0) {
            return text + 1 + AXES;
        }
    }
    return NULL;
}

static bool read_size(problem *p, const char *size) {
    size_t n[AXES];
    int axes = 1;
    const char *rest = workload_number(size, 1, INT_MAX, &n[0]);
    for (; rest != NULL && rest[0] == 'x' && axes < AXES; axes++) {
        rest = workload_number(rest + 1, 1, INT_MAX, &n[axes]);
    }
    p->cubes = axes == AXES;
    p->n[X] = n[axes == 2 ? 1 : 0];
    p->n[Y] = n[p->cubes ? 1 : 0];
    p->n[Z] = p->cubes ? n[2] : 1;
    rest = rest != NULL && p->cubes ? read_order(p, rest) : rest;
    if (rest == NULL) {
        return false;
    }
    const char *end = behind(rest, ":complex");
    p->is_complex = end > rest;
    rest = behind(end, ":inplace");
    p->in_place = rest > end;
    return rest[0] == '\0';
}

static psg_status parse(void *memory, const char *size, const workload_options *how) {
    problem *p = memory;
    if (!read_size(p, size)) {
        return workload_fail(PSG_ERR_ARG,
                             "transpose:%s: the size is N, MxN or NXxNYxNZ:yzx, or another order "
                             "of x, y and z, then :complex, :inplace, both or nothing; whole "
                             "numbers from 1 to %d",
                             size, INT_MAX);
    }
    const size_t longer = p->n[X] > p->n[Y] ? p->n[X] : p->n[Y];
    const size_t longest = longer > p->n[Z] ? longer : p->n[Z];
    const size_t most = p->cubes ? CUBE_MOST : WORKLOAD_SIDE_MOST;
    p->tile[X] = how->tile;
    p->element_bytes = p->head.real_bytes * (p->is_complex ? 2 : 1);
    return workload_check_tile(how, "transpose:", size,
                               p->cubes ? "tiles of T x T x T numbers" : "tiles of T x T numbers",
                               1, longest < most ? longest : most);
}

/* Of a tile there are two pieces of data and two tasks at the most. */
static workload_needs needs(const void *memory) {
    const problem *p = memory;
    double tiles = 1, tile = 1, numbers = 1;
    for (int axis = 0; axis < AXES; axis++) {
        tiles *= (double)p->tiles[axis];
        tile *= (double)p->tile[axis];
        numbers *= (double)p->n[axis];
    }
    const double bytes = (double)p->element_bytes;
    return (workload_needs){(p->in_place ? tiles * tile : 2 * numbers) * bytes, 2 * tiles,
                            2 * tiles, tile * bytes};
}

/* An array that is narrower than a tile has tiles that are as narrow. */
static psg_status cut(void *memory, const psg_engine_workers *workers) {
    static const size_t best[2][2] = {{TUNING_TRANSPOSE_TILE, TUNING_TRANSPOSE_TILE_GPU},
                                      {TUNING_TRANSPOSE_CUBE, TUNING_TRANSPOSE_CUBE_GPU}};
    problem *p = memory;
    const size_t tile = p->tile[X] > 0 ? p->tile[X] : best[p->cubes][workers->gpus > 0];
    for (int axis = 0; axis < AXES; axis++) {
        p->tile[axis] = tile < p->n[axis] ? tile : p->n[axis];
        p->tiles[axis] = (p->n[axis] - 1) / p->tile[axis] + 1;
    }
    return PSG_OK;
}

/* Of an array as its size is given; of a matrix rows come first. */
static void tell(const void *memory, char *text, size_t size) {
    const problem *p = memory;
    const int a = p->cubes ? X : Y, b = p->cubes ? Y : X;
    char to[16] = "", z[3][24] = {"", "", ""};
    if (p->cubes) {
        (void)snprintf(to, sizeof to, " to %s", orders[p->order]);
        (void)snprintf(z[0], sizeof z[0], " x %zu", p->n[Z]);
        (void)snprintf(z[1], sizeof z[1], " x %zu", p->tiles[Z]);
        (void)snprintf(z[2], sizeof z[2], " x %zu", p->tile[Z]);
    }
    (void)snprintf(text, size, "%zu x %zu%s%s in %sf%zu%s, %zu x %zu%s tiles of %zu x %zu%s",
                   p->n[a], p->n[b], z[0], to, p->is_complex ? "complex " : "",
                   8 * p->head.real_bytes, p->in_place ? " in place" : "", p->tiles[a], p->tiles[b],
                   z[1], p->tile[a], p->tile[b], z[2]);
}

/* ----------------------------------------------------------------------------------- the pairs */

static void add_pair(problem *p, int round, size_t first, size_t second) {
    p->pairs[round][p->count[round]++] = (pair){{first, second}};
}

/* @param[in] place  [length]: the cycle */
static void pair_up(problem *p, const size_t *place, size_t length) {
    for (size_t k = 1; k < length - k; k++) {
        add_pair(p, 0, place[k], place[length - k]);
    }
    for (size_t k = 0; k < length; k++) {
        const size_t other = (length + 1 - k) % length;
        if (k <= other) {
            add_pair(p, 1, place[k], place[other]);
        }
    }
}

static void list_pairs(problem *p) {
    const size_t tiles = tiles_of(p);
    size_t *cycle = workload_memory(&p->head, tiles, sizeof *cycle);
    bool *found = workload_memory(&p->head, tiles, sizeof *found);
    p->pairs[0] = workload_memory(&p->head, 2 * tiles, sizeof *p->pairs[0]);
    p->pairs[1] = p->head.failed ? NULL : p->pairs[0] + tiles;
    for (size_t first = 0; first < tiles && !p->head.failed; first++) {
        size_t length = 0;
        for (size_t at = first; !found[at]; at = goes_to(p, at)) {
            found[at] = true;
            cycle[length++] = at;
        }
        if (length > 0) {
            pair_up(p, cycle, length);
        }
    }
}

/* ------------------------------------------------------------------------------------ the data */

/* Tile `place` of A or of B: its first element along each axis, and how many it has. */
typedef struct region {
    size_t first[AXES], n[AXES];
} region;

static region region_of(const problem *p, bool of_b, size_t place) {
    size_t at[AXES];
    region r;
    tile_at(p, of_b, place, at);
    extents(p, at, r.n);
    for (int axis = 0; axis < AXES; axis++) {
        r.first[axis] = at[axis] * p->tile[axis];
    }
    return r;
}

static void make(void *memory) {
    problem *p = memory;
    p->a = workload_memory(&p->head, 2 * tiles_of(p), sizeof *p->a);
    if (p->in_place) {
        list_pairs(p);
    }
    workload_lend(&p->head, &p->scratch, NULL, p->tile[X], p->tile[Y], p->tile[Z],
                  p->element_bytes);
    for (size_t m = 0; m < (p->in_place ? 1 : 2) * tiles_of(p) && !p->head.failed; m++) {
        const bool of_b = m >= tiles_of(p);
        const region r = region_of(p, of_b, m % tiles_of(p));
        const size_t *n = p->in_place ? p->tile : r.n; /* any tile may stand there */
        workload_hold(&p->head, &p->a[m], n[axis_of(p, of_b, 0)], n[axis_of(p, of_b, 1)],
                      n[axis_of(p, of_b, 2)], p->element_bytes);
    }
    p->b = p->in_place || p->head.failed ? p->a : p->a + tiles_of(p);
}

/* An element of A is its number, as bits, and behind it these turned; of f32 the lower half.
 * Nothing computes with it. A tile of A gets its elements, and of a tile of B they are compared.
 * @return how many are right */
static double walk(const problem *p, bool of_b, size_t place, char *at) {
    const region r = region_of(p, of_b, place);
    const uint64_t stride[AXES] = {1, p->n[X], (uint64_t)p->n[X] * p->n[Y]};
    const int fast = axis_of(p, of_b, 0), next = axis_of(p, of_b, 1), last = axis_of(p, of_b, 2);
    double right = 0;
    for (size_t row = 0; row < r.n[next] * r.n[last]; row++) {
        uint64_t number = r.first[fast] * stride[fast] +
                          (r.first[next] + row % r.n[next]) * stride[next] +
                          (r.first[last] + row / r.n[next]) * stride[last];
        for (size_t m = 0; m < r.n[fast]; m++, number += stride[fast], at += p->element_bytes) {
            const uint64_t element[2] = {number, ~number};
            if (of_b) {
                right += memcmp(at, element, p->element_bytes) == 0;
            } else {
                memcpy(at, element, p->element_bytes);
            }
        }
    }
    return right;
}

static void fill_a(const void *memory, size_t place, void *to, void *result) {
    (void)result;
    (void)walk(memory, false, place, to);
}

/* What the run before has left there is gone. */
static void clear_b(const void *memory, size_t place, void *to, void *result) {
    const problem *p = memory;
    const region r = region_of(p, true, place);
    (void)result;
    memset(to, 0xff, product(r.n) * p->element_bytes);
}

static bool prepare(const void *memory) {
    const problem *p = memory;
    const size_t written = p->in_place || psg_simulation() ? 0 : tiles_of(p);
    return workload_visit(p, p->b, written, 1, true, clear_b, NULL) &&
           workload_visit(p, p->a, tiles_of(p), 1, true, fill_a, NULL);
}

/* ------------------------------------------------------------------------------------- running */

/* A tile that stays needs its place once. */
static void submit_pair(psg_run *run, const problem *p, int round, const size_t place[2]) {
    const bool alone = place[0] == place[1];
    const int kind = round == 0 ? EXCHANGE : alone ? ALONE : SWAP;
    const psg_data both[2] = {p->a[place[0]], p->a[place[1]]};
    const psg_task_data data[] = {{both, alone ? 1 : 2, 1, STARPU_RW},
                                  {&p->scratch, 1, 1, STARPU_SCRATCH}};
    psg_run_submit(run, (psg_label){first_kind + kind, {place[0], place[1], (size_t)round}}, data,
                   2);
}

static void submit(psg_run *run, const void *memory) {
    const problem *p = memory;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t m = 0; m < p->count[round]; m++) {
            submit_pair(run, p, round, p->pairs[round][m].place);
        }
    }
    for (size_t m = 0; m < tiles_of(p) && !p->in_place; m++) {
        size_t at[AXES];
        tile_at(p, false, m, at);
        const psg_task_data data[] = {{&p->a[m], 1, 1, STARPU_R},
                                      {&p->b[goes_to(p, m)], 1, 1, STARPU_W}};
        psg_run_submit(run, (psg_label){first_kind + TRANSPOSE, {at[Y], at[X], at[Z]}}, data, 2);
    }
}

static void compare(const void *memory, size_t place, void *from, void *right) {
    *(double *)right += walk(memory, true, place, from);
}

static size_t answers(void *memory, workload_answer *list) {
    const problem *p = memory;
    list[0] = (workload_answer){.name = "right", .expected = (double)product(p->n)};
    return workload_visit(p, p->b, tiles_of(p), 1, false, compare, &list[0].value);
}

static bool uses(const void *memory, size_t kind) {
    return (kind == TRANSPOSE) != ((const problem *)memory)->in_place;
}

const workload_row workload_transpose = {
    .facts =
        {.name = "transpose",
         .about =
             "the axes of a matrix or of a 3-D array change places, by tiles: in another array "
             "or in place",
         .sizes = "N or MxN, M rows and N columns; NXxNYxNZ:yzx, the axes of the result, the "
                  "fastest first; behind it :complex, and :inplace for one array",
         .tile = "T: tiles of T x T numbers, or of T x T x T"},
    WORKLOAD_FIELDS,
    .f32 = true,
    .uses = uses,
    .cut = cut,
    .prepare = prepare,
};
