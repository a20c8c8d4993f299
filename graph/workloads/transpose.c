/* transpose: B is A with rows and columns exchanged, by tiles. Each tile has memory of its own.
 *
 *   A[p][q]  -- transpose(p,q) -->  B[q][p]
 *
 * In place there is one array. A tile of A stands in place p Q + q of P x Q, and has to get into place q P + p. From there another tile
 * has to go on, and so forth, until a cycle is closed. With the places of a cycle numbered in this order, tile k has to get into place
 * k + 1. Two rounds of exchanges in pairs do this for all tiles, and the pairs of a round have nothing to do with each other:
 *
 *   transpose_exchange   places k and -k      as they are       tile k is in place -k
 *   transpose_swap       places k and 1 - k   both transposed   and then in place 1 + k
 *
 * Indices are modulo the length of the cycle. Of a square all cycles have one tile or two, so there are no exchanges: A[p][q] and
 * A[q][p] are swapped. A tile that stays in the second round is transposed alone.
 */
#include "codelets/workloads/transpose.h"
#include "base/tuning.h"
#include "graph/block.h"
#include "graph/status.h"
#include "graph/workloads/row.h"
#include "runtime/simulation.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = PSG_TRANSPOSE_ROW, COLUMN = PSG_TRANSPOSE_COLUMN, AXES = PSG_TRANSPOSE_AXES };
enum { ROUNDS = 2 };

static const char sizes[] = "N or MxN, M rows and N columns; :inplace behind it for one array";

/* Two places of the array; or one, twice. */
typedef struct pair {
    size_t place[2];
} pair;

typedef struct problem {
    psg_transpose
        transpose; /* what its tasks see: first, as the problem is the owner of the engine */
    bool in_place;
    starpu_data_handle_t *a;      /* [tiles of A] */
    starpu_data_handle_t *b;      /* [tiles of B]; in place the same as a */
    starpu_data_handle_t scratch; /* room for a tile */
    pair *pairs[ROUNDS];          /* [count] */
    size_t count[ROUNDS];
} problem;

static size_t tiles_of(const problem *p) {
    return p->transpose.tiles[ROW] * p->transpose.tiles[COLUMN];
}

/* ------------------------------------------------------------------------------------ the size */

static bool read_size(problem *p, const char *size) {
    size_t *n = p->transpose.n;
    const char *rest = psg_size_number(size, 1, INT_MAX, &n[ROW]);
    n[COLUMN] = n[ROW];
    if (rest != NULL && rest[0] == 'x') {
        rest = psg_size_number(rest + 1, 1, INT_MAX, &n[COLUMN]);
    }
    p->in_place = rest != NULL && strcmp(rest, ":inplace") == 0;
    return rest != NULL && (p->in_place || rest[0] == '\0');
}

static psg_status parse(void *memory, const char *size, const psg_work_options *how,
                        psg_precision precision) {
    problem *p = memory;
    psg_transpose *t = &p->transpose;
    if (!read_size(p, size)) {
        return psg_fail(PSG_ERR_ARG,
                        "transpose:%s: the size is N, MxN, N:inplace or MxN:inplace, whole numbers "
                        "from 1 to %d",
                        size, INT_MAX);
    }
    const size_t longer = t->n[ROW] > t->n[COLUMN] ? t->n[ROW] : t->n[COLUMN];
    const size_t most = longer < PSG_BLOCK_SIDE_MOST ? longer : PSG_BLOCK_SIDE_MOST;
    if (how->tile > most) {
        return psg_fail(PSG_ERR_ARG,
                        "tile = %zu: transpose:%s has tiles of T x T numbers, T from 1 to %zu",
                        how->tile, size, most);
    }
    t->tile[ROW] = how->tile;
    t->element_bytes = precision == PSG_F32 ? sizeof(float) : sizeof(double);
    t->by_path = how->priority == PSG_PRIORITY_PATH;
    return PSG_OK;
}

/* Of a tile there are two pieces of data and two tasks at the most. */
static psg_needs needs(const void *memory, const psg_workers *workers) {
    const problem *p = memory;
    const psg_transpose *t = &p->transpose;
    const double tiles = (double)t->tiles[ROW] * (double)t->tiles[COLUMN];
    const double places = p->in_place ? tiles * (double)t->tile[ROW] * (double)t->tile[COLUMN]
                                      : 2 * (double)t->n[ROW] * (double)t->n[COLUMN];
    const double scratch = (double)t->tile[ROW] * (double)t->tile[COLUMN];
    return (psg_needs){places * (double)t->element_bytes + 2 * tiles * TUNING_HANDLE_BYTES,
                       (double)workers->count * scratch * (double)t->element_bytes +
                           2 * tiles * TUNING_TASK_BYTES};
}

/* A matrix that is narrower than a tile has tiles that are as narrow. */
static psg_status cut(void *memory, const psg_workers *workers) {
    problem *p = memory;
    psg_transpose *t = &p->transpose;
    const size_t best = workers->gpu_count > 0 ? TUNING_TRANSPOSE_TILE_GPU : TUNING_TRANSPOSE_TILE;
    const size_t tile = t->tile[ROW] > 0 ? t->tile[ROW] : best;
    for (int axis = 0; axis < AXES; axis++) {
        t->tile[axis] = tile < t->n[axis] ? tile : t->n[axis];
        t->tiles[axis] = (t->n[axis] - 1) / t->tile[axis] + 1;
    }
    return PSG_OK;
}

static void tell(const void *memory, char *text, size_t size) {
    const problem *p = memory;
    const psg_transpose *t = &p->transpose;
    (void)snprintf(text, size, "%zu x %zu in f%zu%s, %zu x %zu tiles of %zu x %zu", t->n[ROW],
                   t->n[COLUMN], 8 * t->element_bytes, p->in_place ? " in place" : "",
                   t->tiles[ROW], t->tiles[COLUMN], t->tile[ROW], t->tile[COLUMN]);
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
        for (size_t at = first; !found[at]; at = psg_transpose_goes_to(&p->transpose, at)) {
            found[at] = true;
            cycle[length++] = at;
        }
        if (length > 0) {
            pair_up(p, cycle, length);
        }
    }
    free(cycle);
    free(found);
    return good ? PSG_OK : psg_fail(PSG_ERR_MEMORY, "no memory for the pairs of %zu tiles", tiles);
}

/* ------------------------------------------------------------------------------------ the data */

/* Tile `place` of A or of B, in the order of their rows of tiles: its first row and column there, and how many of each it has. */
typedef struct region {
    size_t first[AXES], n[AXES];
} region;

static region region_of(const problem *p, bool of_b, size_t place) {
    const psg_transpose *t = &p->transpose;
    const int rows = of_b ? COLUMN : ROW, columns = of_b ? ROW : COLUMN; /* of A */
    const size_t row = place / t->tiles[columns], column = place % t->tiles[columns];
    return (region){{row * t->tile[rows], column * t->tile[columns]},
                    {psg_transpose_extent(t, rows, row), psg_transpose_extent(t, columns, column)}};
}

static bool hold(const psg_transpose *t, const psg_workers *workers, starpu_data_handle_t *handle,
                 const size_t n[AXES]) {
    const size_t extents[3] = {n[COLUMN], n[ROW], 1};
    return psg_block_make(handle, workers, extents, t->element_bytes);
}

static psg_status make(void *memory, const psg_workers *workers) {
    problem *p = memory;
    bool all = true;
    const psg_transpose *t = &p->transpose;
    p->a = calloc(2 * tiles_of(p), sizeof *p->a);
    if (p->a == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for %zu tiles", tiles_of(p));
    }
    p->b = p->in_place ? p->a : p->a + tiles_of(p);
    for (size_t m = 0; m < tiles_of(p) && all; m++) {
        if (p->in_place) { /* any tile may stand there */
            all = hold(t, workers, &p->a[m], t->tile);
        } else {
            const region a = region_of(p, false, m), b = region_of(p, true, m);
            all = hold(t, workers, &p->a[m], a.n) && hold(t, workers, &p->b[m], b.n);
        }
    }
    if (!all) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for %zu tiles", tiles_of(p));
    }
    const size_t scratch[3] = {t->tile[COLUMN], t->tile[ROW], 1};
    psg_block_register(&p->scratch, STARPU_MAIN_RAM, NULL, scratch, scratch[0] * scratch[1],
                       t->element_bytes);
    return p->in_place ? list_pairs(p) : PSG_OK;
}

static void destroy(void *memory) {
    problem *p = memory;
    psg_block_unregister(p->a, p->a != NULL ? 2 * tiles_of(p) : 0);
    psg_block_unregister(&p->scratch, 1);
    free(p->a);
    free(p->pairs[0]);
    free(p->pairs[1]);
}

/* An element of A is its number, as bits; of f32 the lower half. Nothing computes with it. */
static void put(const psg_transpose *t, void *to, size_t at, uint64_t number) {
    if (t->element_bytes == sizeof(uint32_t)) {
        ((uint32_t *)to)[at] = (uint32_t)number;
    } else {
        ((uint64_t *)to)[at] = number;
    }
}

static bool holds(const psg_transpose *t, const void *from, size_t at, uint64_t number) {
    return t->element_bytes == sizeof(uint32_t) ? ((const uint32_t *)from)[at] == (uint32_t)number
                                                : ((const uint64_t *)from)[at] == number;
}

static bool fill_a(const problem *p, size_t place) {
    const region r = region_of(p, false, place);
    if (starpu_data_acquire_on_node(p->a[place], STARPU_MAIN_RAM, STARPU_W) != 0) {
        return false;
    }
    void *to = (void *)starpu_block_get_local_ptr(p->a[place]);
    for (size_t m = 0; m < r.n[ROW] * r.n[COLUMN] && !psg_simulated(); m++) {
        const size_t row = r.first[ROW] + m / r.n[COLUMN],
                     column = r.first[COLUMN] + m % r.n[COLUMN];
        put(&p->transpose, to, m, (uint64_t)row * p->transpose.n[COLUMN] + column);
    }
    starpu_data_release_on_node(p->a[place], STARPU_MAIN_RAM);
    return true;
}

/* What the run before has left there is gone. */
static bool clear_b(const problem *p, size_t place) {
    const region r = region_of(p, true, place);
    if (starpu_data_acquire_on_node(p->b[place], STARPU_MAIN_RAM, STARPU_W) != 0) {
        return false;
    }
    memset((void *)starpu_block_get_local_ptr(p->b[place]), 0xff,
           r.n[ROW] * r.n[COLUMN] * p->transpose.element_bytes);
    starpu_data_release_on_node(p->b[place], STARPU_MAIN_RAM);
    return true;
}

static bool prepare(const void *memory) {
    const problem *p = memory;
    bool good = true;
    for (size_t m = 0; m < tiles_of(p) && good; m++) {
        good = (p->in_place || psg_simulated() || clear_b(p, m)) && fill_a(p, m);
    }
    return good;
}

/* ------------------------------------------------------------------------------------- running */

static void submit_pairs(psg_run *run, const problem *p) {
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t m = 0; m < p->count[round]; m++) {
            const size_t *place = p->pairs[round][m].place;
            const psg_transpose_pair both = {{place[0], place[1]},
                                             {p->a[place[0]], p->a[place[1]]}};
            (round == 0 ? psg_task_transpose_exchange : psg_task_transpose_swap)(run, &both,
                                                                                 p->scratch);
        }
    }
}

static void submit(psg_run *run, const void *memory) {
    const problem *p = memory;
    const size_t columns = p->transpose.tiles[COLUMN];
    if (p->in_place) {
        submit_pairs(run, p);
        return;
    }
    for (size_t m = 0; m < tiles_of(p); m++) {
        const size_t at[AXES] = {m / columns, m % columns};
        psg_task_transpose(run, at, p->a[m], p->b[psg_transpose_goes_to(&p->transpose, m)]);
    }
}

/* Element (i,j) of B is (j,i) of A. @return how many are right; -1: the data could not be had */
static double compare(const problem *p, size_t place) {
    const region r = region_of(p, true, place);
    double right = 0;
    if (starpu_data_acquire_on_node(p->b[place], STARPU_MAIN_RAM, STARPU_R) != 0) {
        return -1;
    }
    const void *from = (const void *)starpu_block_get_local_ptr(p->b[place]);
    for (size_t m = 0; m < r.n[ROW] * r.n[COLUMN]; m++) {
        const size_t row = r.first[ROW] + m / r.n[COLUMN],
                     column = r.first[COLUMN] + m % r.n[COLUMN];
        right += holds(&p->transpose, from, m, (uint64_t)column * p->transpose.n[COLUMN] + row);
    }
    starpu_data_release_on_node(p->b[place], STARPU_MAIN_RAM);
    return right;
}

static size_t answers(const void *memory, psg_answer *list) {
    const problem *p = memory;
    double right = 0;
    for (size_t m = 0; m < tiles_of(p); m++) {
        const double of_tile = compare(p, m);
        if (of_tile < 0) {
            return 0;
        }
        right += of_tile;
    }
    const double all = (double)p->transpose.n[ROW] * (double)p->transpose.n[COLUMN];
    list[0] = (psg_answer){.name = "right", .value = right, .expected = all};
    return 1;
}

static const int kinds[] = {PSG_KIND_TRANSPOSE, PSG_KIND_TRANSPOSE_EXCHANGE,
                            PSG_KIND_TRANSPOSE_SWAP, PSG_KIND_TRANSPOSE_ALONE, -1};

const psg_workload_row psg_workload_transpose = {
    .about =
        {.name = "transpose",
         .about =
             "rows and columns of a matrix change places, by tiles: in another array or in place",
         .sizes = sizes,
         .tile = "T: tiles of T x T numbers"},
    .bytes = sizeof(problem),
    .f32 = true,
    .kinds = kinds,
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
