/* transpose: B is A with rows and columns exchanged, by tiles. Each tile has memory of its own.
 *
 *   A[p][q]  -- transpose(p,q) -->  B[q][p]
 *
 * In place there is one array. A tile of A stands in place p Q + q of P x Q, and has to get into
 * place q P + p. From there another tile has to go on, and so forth, until a cycle is closed. With
 * the places of a cycle numbered in this order, tile k has to get into place k + 1. Two rounds of
 * exchanges in pairs do this for all tiles, and the pairs of a round have nothing to do with each
 * other:
 *
 *   transpose_exchange   places k and -k      as they are       tile k is in place -k
 *   transpose_swap       places k and 1 - k   both transposed   and then in place 1 + k
 *
 * Indices are modulo the length of the cycle. Of a square all cycles have one tile or two, so there
 * are no exchanges: A[p][q] and A[q][p] are swapped. A tile that stays in the second round is
 * transposed alone.
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
#include <stdlib.h>
#include <string.h>

enum { ROW = 0, COLUMN, AXES }; /* axes of the matrix A */
enum { ROUNDS = 2, MOVES_MOST = 3 };

static const char sizes[] = "N or MxN, M rows and N columns; :inplace behind it for one array";

/* Two places of the array; or one, twice. */
typedef struct pair {
    size_t place[2];
} pair;

typedef struct problem {
    size_t n[AXES];     /* rows and columns of A */
    size_t tile[AXES];  /* of a tile of A; of the last ones fewer, perhaps */
    size_t tiles[AXES]; /* along each axis */
    size_t element_bytes;
    bool by_path; /* a task's priority is the number of tasks that follow it */
    bool in_place;
    psg_data *a;         /* [tiles of A] */
    psg_data *b;         /* [tiles of B]; in place the same as a */
    psg_data scratch;    /* room for a tile */
    pair *pairs[ROUNDS]; /* [count] */
    size_t count[ROUNDS];
} problem;

/* Rows, or columns, of the tiles of A that are number m along the axis. */
static size_t extent(const problem *p, int axis, size_t m) {
    return workload_extent(p->n[axis], p->tile[axis], m);
}

/* In place the tiles of A stand in places of one array, row of tiles by row of tiles: tile (p,q) in
 * place p Q + q of P x Q. In the transpose it stands in place q P + p. */

/* Where the tile in this place of A stands in the transpose. */
static size_t goes_to(const problem *p, size_t place) {
    return place % p->tiles[COLUMN] * p->tiles[ROW] + place / p->tiles[COLUMN];
}

/* And where the tile in this place of the transpose stood in A: its row and column of tiles. */
static void comes_from(const problem *p, size_t place, size_t at[AXES]) {
    at[ROW] = place % p->tiles[ROW];
    at[COLUMN] = place / p->tiles[ROW];
}

/* ----------------------------------------------------------------------------------- the tasks */

enum { TRANSPOSE, EXCHANGE, SWAP, ALONE, KINDS };
static int first_kind;

static int kind_of(const psg_label *label) {
    return label->kind - first_kind;
}

/* A dense array [rows][columns] is copied, or transposed into one of [columns][rows]. */
typedef struct move {
    bool turns;
    size_t rows, columns;
    const void *from;
    void *to;
} move;

/* Label index 0 and 1: the tile's row and column; or of a pair the two places. */
static void extents(const problem *p, const size_t at[2], size_t n[2]) {
    n[ROW] = extent(p, ROW, at[ROW]);
    n[COLUMN] = extent(p, COLUMN, at[COLUMN]);
}

/* Rows and columns of what is in the first or the second place of a pair before the task. In the
 * first round that may be any tile, and all of its place is moved. In the second round it is the
 * tile that goes into the other place. */
static void extents_of(const problem *p, const psg_label *label, int which, size_t n[2]) {
    if (kind_of(label) == TRANSPOSE) {
        extents(p, label->index, n);
    } else if (kind_of(label) == EXCHANGE) {
        n[ROW] = p->tile[ROW];
        n[COLUMN] = p->tile[COLUMN];
    } else {
        size_t at[2];
        comes_from(p, label->index[1 - which], at);
        extents(p, at, n);
    }
}

static move move_of(const psg_task *task, int which, bool turns, const void *from, void *to) {
    size_t n[2];
    extents_of(task->owner, task->label, which, n);
    return (move){turns, n[ROW], n[COLUMN], from, to};
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

static void move_core(const psg_task *task) {
    move list[MOVES_MOST];
    const size_t count = moves_of(task, list);
    for (size_t m = 0; m < count; m++) {
        const move *v = &list[m];
        const size_t n[2] = {v->columns, v->rows};
        psg_cpu_transpose(((const problem *)task->owner)->element_bytes, v->turns, n, v->from,
                          v->columns, v->to, v->turns ? v->rows : v->columns);
    }
}

#ifdef WORKLOADS_CUDA
static int move_gpu(const psg_task *task) {
    move list[MOVES_MOST];
    const size_t count = moves_of(task, list);
    cudaError_t result = cudaSuccess;
    for (size_t m = 0; m < count && result == cudaSuccess; m++) {
        const size_t n[2] = {list[m].columns, list[m].rows};
        const psg_cuda_matrix from = {.data_d = (void *)(uintptr_t)list[m].from};
        const psg_cuda_matrix to = {.data_d = list[m].to};
        result = psg_cuda_transpose(list[m].turns, n, ((const problem *)task->owner)->element_bytes,
                                    from, to, task->stream);
    }
    return (int)result;
}
#endif

static int tiles_in(const psg_label *label) {
    return kind_of(label) == TRANSPOSE || kind_of(label) == ALONE ? 1 : 2;
}

/* All places in an array are as large: the model of a pair has to be told which of its tiles are
 * the last of a row or column. */
static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    const problem *p = owner;
    for (int which = tiles_in(label) - 1; which >= 0; which--) {
        size_t n[2];
        extents_of(p, label, which, n);
        workload_shape(shape, n[COLUMN], n[ROW], 1, 1, (size_t)tiles_in(label));
        if (kind_of(label) != TRANSPOSE) {
            shape->variant =
                4 * shape->variant + 2 * (n[ROW] < p->tile[ROW]) + (n[COLUMN] < p->tile[COLUMN]);
        }
    }
}

static double elements(const psg_task_shape *s) {
    return (double)s->pieces * (double)s->n[0] * (double)s->n[1];
}

static psg_traffic traffic(const void *owner, const psg_label *label) {
    const problem *p = owner;
    double bytes = 0;
    for (int which = 0; which < tiles_in(label); which++) {
        size_t n[2];
        extents_of(p, label, which, n);
        bytes += (double)n[ROW] * (double)n[COLUMN] * (double)p->element_bytes;
    }
    return (psg_traffic){bytes, bytes};
}

/* An exchange is before a swap, and nothing else is before anything. */
static int priority(const void *owner, const psg_label *label) {
    return ((const problem *)owner)->by_path && kind_of(label) == EXCHANGE;
}

#define KIND(the_name)                                                                             \
    {                                                                                              \
        .name = the_name, .core = move_core, .gpu = WORKLOAD_GPU(move_gpu), .shape = shape,        \
        .operations = elements, .traffic = traffic, .priority = priority                           \
    }
static const psg_kind kinds[KINDS] = {[TRANSPOSE] = KIND("transpose"),
                                      [EXCHANGE] = KIND("transpose_exchange"),
                                      [SWAP] = KIND("transpose_swap"),
                                      [ALONE] = KIND("transpose_alone")};

static size_t tiles_of(const problem *p) {
    return p->tiles[ROW] * p->tiles[COLUMN];
}

/* ------------------------------------------------------------------------------------ the size */

static bool read_size(problem *p, const char *size) {
    size_t *n = p->n;
    const char *rest = workload_number(size, 1, INT_MAX, &n[ROW]);
    n[COLUMN] = n[ROW];
    if (rest != NULL && rest[0] == 'x') {
        rest = workload_number(rest + 1, 1, INT_MAX, &n[COLUMN]);
    }
    p->in_place = rest != NULL && strcmp(rest, ":inplace") == 0;
    return rest != NULL && (p->in_place || rest[0] == '\0');
}

static psg_status parse(void *memory, const char *size, const workload_options *how,
                        psg_precision precision) {
    problem *p = memory;
    if (!read_size(p, size)) {
        return workload_fail(
            PSG_ERR_ARG,
            "transpose:%s: the size is N, MxN, N:inplace or MxN:inplace, whole numbers "
            "from 1 to %d",
            size, INT_MAX);
    }
    const size_t longer = p->n[ROW] > p->n[COLUMN] ? p->n[ROW] : p->n[COLUMN];
    const size_t most = longer < WORKLOAD_SIDE_MOST ? longer : WORKLOAD_SIDE_MOST;
    p->tile[ROW] = how->tile;
    p->element_bytes = precision == PSG_F32 ? sizeof(float) : sizeof(double);
    p->by_path = how->priority == WORKLOAD_PATH;
    return workload_check_tile(how, "transpose:", size, "tiles of T x T numbers", 1, most);
}

/* Of a tile there are two pieces of data and two tasks at the most. */
static workload_needs needs(const void *memory, const psg_engine_workers *workers) {
    const problem *p = memory;
    const double tiles = (double)p->tiles[ROW] * (double)p->tiles[COLUMN];
    const double places = p->in_place ? tiles * (double)p->tile[ROW] * (double)p->tile[COLUMN]
                                      : 2 * (double)p->n[ROW] * (double)p->n[COLUMN];
    const double scratch = (double)p->tile[ROW] * (double)p->tile[COLUMN];
    return (workload_needs){places * (double)p->element_bytes + 2 * tiles * TUNING_HANDLE_BYTES,
                            (double)workers->count * scratch * (double)p->element_bytes +
                                2 * tiles * TUNING_TASK_BYTES};
}

/* A matrix that is narrower than a tile has tiles that are as narrow. */
static psg_status cut(void *memory, const psg_engine_workers *workers) {
    problem *p = memory;
    const size_t best = workers->gpus > 0 ? TUNING_TRANSPOSE_TILE_GPU : TUNING_TRANSPOSE_TILE;
    const size_t tile = p->tile[ROW] > 0 ? p->tile[ROW] : best;
    for (int axis = 0; axis < AXES; axis++) {
        p->tile[axis] = tile < p->n[axis] ? tile : p->n[axis];
        p->tiles[axis] = (p->n[axis] - 1) / p->tile[axis] + 1;
    }
    return PSG_OK;
}

static void tell(const void *memory, char *text, size_t size) {
    const problem *p = memory;
    (void)snprintf(text, size, "%zu x %zu in f%zu%s, %zu x %zu tiles of %zu x %zu", p->n[ROW],
                   p->n[COLUMN], 8 * p->element_bytes, p->in_place ? " in place" : "",
                   p->tiles[ROW], p->tiles[COLUMN], p->tile[ROW], p->tile[COLUMN]);
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

static psg_status list_pairs(problem *p) {
    const size_t tiles = tiles_of(p);
    size_t *cycle = calloc(tiles, sizeof *cycle);
    bool *found = calloc(tiles, sizeof *found);
    p->pairs[0] = calloc(tiles, sizeof *p->pairs[0]);
    p->pairs[1] = calloc(tiles, sizeof *p->pairs[1]);
    const bool good = cycle != NULL && found != NULL && p->pairs[0] != NULL && p->pairs[1] != NULL;
    for (size_t first = 0; first < tiles && good; first++) {
        size_t length = 0;
        for (size_t at = first; !found[at]; at = goes_to(p, at)) {
            found[at] = true;
            cycle[length++] = at;
        }
        if (length > 0) {
            pair_up(p, cycle, length);
        }
    }
    free(cycle);
    free(found);
    return good ? PSG_OK
                : workload_fail(PSG_ERR_MEMORY, "no memory for the pairs of %zu tiles", tiles);
}

/* ------------------------------------------------------------------------------------ the data */

/* Tile `place` of A or of B, in the order of their rows of tiles: its first row and column there,
 * and how many of each it has. */
typedef struct region {
    size_t first[AXES], n[AXES];
} region;

static region region_of(const problem *p, bool of_b, size_t place) {
    const int rows = of_b ? COLUMN : ROW, columns = of_b ? ROW : COLUMN; /* of A */
    const size_t row = place / p->tiles[columns], column = place % p->tiles[columns];
    return (region){{row * p->tile[rows], column * p->tile[columns]},
                    {extent(p, rows, row), extent(p, columns, column)}};
}

static psg_status make(void *memory, const psg_work *work) {
    problem *p = memory;
    p->a = calloc(2 * tiles_of(p), sizeof *p->a);
    if (p->a == NULL) {
        return workload_fail(PSG_ERR_MEMORY, "no memory for %zu tiles", tiles_of(p));
    }
    p->b = p->in_place ? p->a : p->a + tiles_of(p);
    psg_status status = p->in_place ? list_pairs(p) : PSG_OK;
    for (size_t m = 0; m < (p->in_place ? 1 : 2) * tiles_of(p) && status == PSG_OK; m++) {
        const region r = region_of(p, m >= tiles_of(p), m % tiles_of(p));
        const size_t *n = p->in_place ? p->tile : r.n; /* any tile may stand there */
        status = workload_hold(&p->a[m], work, n[COLUMN], n[ROW], 1, p->element_bytes);
    }
    if (status == PSG_OK) {
        workload_lend(&p->scratch, NULL, p->tile[COLUMN], p->tile[ROW], 1, p->element_bytes);
    }
    return status;
}

static void destroy(void *memory) {
    problem *p = memory;
    psg_data_free(p->a, p->a != NULL ? 2 * tiles_of(p) : 0);
    psg_data_free(&p->scratch, 1);
    free(p->a);
    free(p->pairs[0]);
    free(p->pairs[1]);
}

/* An element of A is its number, as bits; of f32 the lower half. Nothing computes with it. */
static void put(const problem *p, void *to, size_t at, uint64_t number) {
    if (p->element_bytes == sizeof(uint32_t)) {
        ((uint32_t *)to)[at] = (uint32_t)number;
    } else {
        ((uint64_t *)to)[at] = number;
    }
}

static bool holds(const problem *p, const void *from, size_t at, uint64_t number) {
    return p->element_bytes == sizeof(uint32_t) ? ((const uint32_t *)from)[at] == (uint32_t)number
                                                : ((const uint64_t *)from)[at] == number;
}

static bool fill_a(const problem *p, size_t place) {
    const region r = region_of(p, false, place);
    void *to = psg_data_acquire(p->a[place], true);
    if (to == NULL) {
        return false;
    }
    for (size_t m = 0; m < r.n[ROW] * r.n[COLUMN] && !psg_simulation(); m++) {
        const size_t row = r.first[ROW] + m / r.n[COLUMN],
                     column = r.first[COLUMN] + m % r.n[COLUMN];
        put(p, to, m, (uint64_t)row * p->n[COLUMN] + column);
    }
    psg_data_release(p->a[place]);
    return true;
}

/* What the run before has left there is gone. */
static bool clear_b(const problem *p, size_t place) {
    const region r = region_of(p, true, place);
    if (starpu_data_acquire_on_node(p->b[place], STARPU_MAIN_RAM, STARPU_W) != 0) {
        return false;
    }
    memset((void *)starpu_block_get_local_ptr(p->b[place]), 0xff,
           r.n[ROW] * r.n[COLUMN] * p->element_bytes);
    psg_data_release(p->b[place]);
    return true;
}

static bool prepare(const void *memory) {
    const problem *p = memory;
    bool good = true;
    for (size_t m = 0; m < tiles_of(p) && good; m++) {
        good = (p->in_place || psg_simulation() || clear_b(p, m)) && fill_a(p, m);
    }
    return good;
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
        const size_t row = m / p->tiles[COLUMN], column = m % p->tiles[COLUMN];
        const psg_task_data data[] = {{&p->a[m], 1, 1, STARPU_R},
                                      {&p->b[goes_to(p, m)], 1, 1, STARPU_W}};
        psg_run_submit(run, (psg_label){first_kind + TRANSPOSE, {row, column, PSG_NO_INDEX}}, data,
                       2);
    }
}

/* Element (i,j) of B is (j,i) of A. @return how many are right; -1: the data could not be had */
static double compare(const problem *p, size_t place) {
    const region r = region_of(p, true, place);
    double right = 0;
    const void *from = psg_data_acquire(p->b[place], false);
    if (from == NULL) {
        return -1;
    }
    for (size_t m = 0; m < r.n[ROW] * r.n[COLUMN]; m++) {
        const size_t row = r.first[ROW] + m / r.n[COLUMN],
                     column = r.first[COLUMN] + m % r.n[COLUMN];
        right += holds(p, from, m, (uint64_t)column * p->n[COLUMN] + row);
    }
    psg_data_release(p->b[place]);
    return right;
}

static size_t answers(void *memory, workload_answer *list) {
    const problem *p = memory;
    double right = 0;
    for (size_t m = 0; m < tiles_of(p); m++) {
        const double of_tile = compare(p, m);
        if (of_tile < 0) {
            return 0;
        }
        right += of_tile;
    }
    const double all = (double)p->n[ROW] * (double)p->n[COLUMN];
    list[0] = (workload_answer){.name = "right", .value = right, .expected = all};
    return 1;
}

const workload_row workload_transpose = {
    .facts =
        {.name = "transpose",
         .about =
             "rows and columns of a matrix change places, by tiles: in another array or in place",
         .sizes = sizes,
         .tile = "T: tiles of T x T numbers"},
    .bytes = sizeof(problem),
    .f32 = true,
    .kinds = kinds,
    .kind_count = KINDS,
    .first = &first_kind,
    .parse = parse,
    .cut = cut,
    .needs = needs,
    .tell = tell,
    .make = make,
    .prepare = prepare,
    .submit = submit,
    .answers = answers,
    .free = destroy,
};
