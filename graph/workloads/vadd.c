/* vadd: c = a + b. The vectors are cut into tiles, and the tasks are independent of each other:
 *
 *   a[t], b[t]  -- vadd(t) -->  c[t]
 *
 * All numbers and sums are whole numbers below 2^24, which f32 has as well: there is one right answer.
 */
#include "codelets/workloads/vadd.h"
#include "base/tuning.h"
#include "graph/block.h"
#include "graph/status.h"
#include "graph/workloads/row.h"
#include "runtime/simulation.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { VECTORS = 3 }; /* a, b, c */

/* Numbers up to which all indices are exact in f64. */
static const size_t n_most = (size_t)1 << 53;

typedef struct problem {
    psg_vadd vadd; /* what its tasks see: first, as the problem is the owner of the engine */
    size_t tiles;
    starpu_data_handle_t *handle; /* [tiles][VECTORS] */
} problem;

/* ------------------------------------------------------------------------------------ the size */

static psg_status parse(void *memory, const char *size, const psg_work_options *how,
                        psg_precision precision) {
    psg_vadd *v = &((problem *)memory)->vadd;
    const char *rest = psg_size_number(size, 1, n_most, &v->n);
    if (rest == NULL || rest[0] != '\0') {
        return psg_fail(PSG_ERR_ARG, "vadd:%s: the size is N, a whole number from 1 to %zu", size,
                        n_most);
    }
    const size_t most = v->n < INT_MAX ? v->n : INT_MAX;
    if (how->tile > most) {
        return psg_fail(PSG_ERR_ARG, "tile = %zu: vadd:%s has tiles of T numbers, T from 1 to %zu",
                        how->tile, size, most);
    }
    v->tile = how->tile;
    v->f32 = precision == PSG_F32;
    v->real_bytes = v->f32 ? sizeof(float) : sizeof(double);
    return PSG_OK;
}

static psg_needs needs(const void *memory, const psg_workers *workers) {
    const problem *p = memory;
    const double tiles = (double)p->tiles;
    (void)workers;
    return (psg_needs){
        VECTORS * ((double)p->vadd.n * (double)p->vadd.real_bytes + tiles * TUNING_HANDLE_BYTES),
        tiles * TUNING_TASK_BYTES};
}

static psg_status cut(void *memory, const psg_workers *workers) {
    problem *p = memory;
    psg_vadd *v = &p->vadd;
    const size_t best = workers->gpu_count > 0 ? TUNING_VADD_TILE_GPU : TUNING_VADD_TILE;
    v->tile = v->tile > 0 ? v->tile : best < v->n ? best : v->n;
    p->tiles = (v->n - 1) / v->tile + 1;
    return PSG_OK;
}

static void tell(const void *memory, char *text, size_t size) {
    const problem *p = memory;
    (void)snprintf(text, size, "%zu numbers in f%zu, %zu tile%s of %zu", p->vadd.n,
                   8 * p->vadd.real_bytes, p->tiles, p->tiles == 1 ? "" : "s", p->vadd.tile);
}

/* ------------------------------------------------------------------------------------ the data */

/* Number m of a and of b. The periods are primes, so that no two tiles are alike. */
static unsigned number_of(int vector, size_t m) {
    return (unsigned)(vector == 0 ? m % 8388593 : 7 * m % 8388587);
}

static void put(const psg_vadd *v, void *to, size_t at, double value) {
    if (v->f32) {
        ((float *)to)[at] = (float)value;
    } else {
        ((double *)to)[at] = value;
    }
}

static double get(const psg_vadd *v, const void *from, size_t at) {
    return v->f32 ? (double)((const float *)from)[at] : ((const double *)from)[at];
}

static psg_status make(void *memory, const psg_workers *workers) {
    problem *p = memory;
    p->handle = calloc(p->tiles, VECTORS * sizeof *p->handle);
    bool all = p->handle != NULL;
    for (size_t m = 0; m < p->tiles * VECTORS && all; m++) {
        const size_t n[3] = {psg_vadd_extent(&p->vadd, m / VECTORS), 1, 1};
        all = psg_block_make(&p->handle[m], workers, n, p->vadd.real_bytes);
    }
    return all ? PSG_OK : psg_fail(PSG_ERR_MEMORY, "no memory for %zu tiles", p->tiles);
}

static void destroy(void *memory) {
    problem *p = memory;
    psg_block_unregister(p->handle, p->handle != NULL ? p->tiles * VECTORS : 0);
    free(p->handle);
}

/* c is -1, which is no sum, so that the sums of the run before are gone. */
static bool prepare(const void *memory) {
    const problem *p = memory;
    const psg_vadd *v = &p->vadd;
    for (size_t m = 0; m < p->tiles * VECTORS; m++) {
        const size_t first = m / VECTORS * v->tile, count = psg_vadd_extent(v, m / VECTORS);
        const int vector = (int)(m % VECTORS);
        if (starpu_data_acquire_on_node(p->handle[m], STARPU_MAIN_RAM, STARPU_W) != 0) {
            return false;
        }
        void *to = (void *)starpu_block_get_local_ptr(p->handle[m]);
        for (size_t k = 0; k < count && !psg_simulated(); k++) {
            put(v, to, k, vector < 2 ? (double)number_of(vector, first + k) : -1);
        }
        starpu_data_release_on_node(p->handle[m], STARPU_MAIN_RAM);
    }
    return true;
}

/* ------------------------------------------------------------------------------------- running */

static void submit(psg_run *run, const void *memory) {
    const problem *p = memory;
    for (size_t t = 0; t < p->tiles; t++) {
        const starpu_data_handle_t *of = &p->handle[t * VECTORS];
        psg_task_vadd(run, t, of[0], of[1], of[2]);
    }
}

static size_t answers(const void *memory, psg_answer *list) {
    const problem *p = memory;
    const psg_vadd *v = &p->vadd;
    double right = 0;
    for (size_t t = 0; t < p->tiles; t++) {
        const starpu_data_handle_t c = p->handle[t * VECTORS + 2];
        if (starpu_data_acquire_on_node(c, STARPU_MAIN_RAM, STARPU_R) != 0) {
            return 0;
        }
        const void *from = (const void *)starpu_block_get_local_ptr(c);
        for (size_t k = 0; k < psg_vadd_extent(v, t); k++) {
            const size_t m = t * v->tile + k;
            right += get(v, from, k) == (double)(number_of(0, m) + number_of(1, m));
        }
        starpu_data_release_on_node(c, STARPU_MAIN_RAM);
    }
    list[0] = (psg_answer){.name = "right", .value = right, .expected = (double)v->n};
    return 1;
}

static const int kinds[] = {PSG_KIND_VADD, -1};

const psg_workload_row psg_workload_vadd = {
    .about = {.name = "vadd",
              .about = "the sum of two vectors: independent tasks that only move numbers",
              .sizes = "N: numbers of a vector",
              .tile = "T: tiles of T numbers"},
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
