/* vadd: c = a + b. The vectors are cut into tiles, and the tasks are independent of each other:
 *
 *   a[t], b[t]  -- vadd(t) -->  c[t]
 *
 * All numbers and sums are whole numbers below 2^24, which f32 has as well: there is one right
 * answer.
 */
#include "workloads/vadd.h"
#include "base/tuning.h"
#include "cpu/clones.h"
#include "graph/psg_machine.h"
#include "workloads/workload.h"

#include <limits.h>
#include <starpu.h>
#include <stdio.h>

enum { VECTORS = 3 }; /* a, b, c */

/* Numbers up to which all indices are exact in f64. */
static const size_t n_most = (size_t)1 << 53;

typedef struct problem {
    workload_head head;
    size_t n;    /* numbers of each vector */
    size_t tile; /* numbers of a tile; of the last one fewer, perhaps */
    size_t tiles;
    psg_data *data; /* [VECTORS][tiles] */
} problem;

static size_t extent(const problem *p, size_t t) {
    return workload_extent(p->n, p->tile, t);
}

/* ------------------------------------------------------------------------------------ the task */

#define ADD(real)                                                                                  \
    PSG_CLONES static void add_##real(size_t count, const real *a, const real *b, real *c) {       \
        for (size_t m = 0; m < count; m++) {                                                       \
            c[m] = a[m] + b[m];                                                                    \
        }                                                                                          \
    }
ADD(double)
ADD(float)

void vadd_cpu(bool f32, size_t count, const void *a, const void *b, void *c) {
    if (f32) {
        add_float(count, a, b, c);
    } else {
        add_double(count, a, b, c);
    }
}

static void on_core(const psg_task *task) {
    const problem *p = task->owner;
    vadd_cpu(p->head.real_bytes == sizeof(float), extent(p, task->label->index[0]),
             psg_task_memory(task, 0), psg_task_memory(task, 1), psg_task_memory(task, 2));
}

#ifdef WORKLOADS_CUDA
static int on_gpu(const psg_task *task) {
    const problem *p = task->owner;
    return (int)vadd_cuda(WORKLOAD_PRECISION(p->head.real_bytes), extent(p, task->label->index[0]),
                          psg_task_memory(task, 0), psg_task_memory(task, 1),
                          psg_task_memory(task, 2), task->stream);
}
#endif

static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    workload_shape(shape, extent(owner, label->index[0]), 1, 1, 1, VECTORS);
}

static psg_traffic traffic(const void *owner, const psg_label *label) {
    const problem *p = owner;
    const double bytes = (double)extent(p, label->index[0]) * (double)p->head.real_bytes;
    return (psg_traffic){2 * bytes, bytes};
}

static const psg_kind kinds[] = {{.name = "vadd",
                                  .core = on_core,
                                  .gpu = WORKLOAD_GPU(on_gpu),
                                  .shape = shape,
                                  .operations = workload_numbers,
                                  .traffic = traffic}};
static int first_kind;

static void submit(psg_run *run, const void *memory) {
    const problem *p = memory;
    for (size_t t = 0; t < p->tiles; t++) {
        const psg_task_data data[] = {{&p->data[t], 2, p->tiles, STARPU_R},
                                      {&p->data[2 * p->tiles + t], 1, 1, STARPU_W}};
        psg_run_submit(run, (psg_label){first_kind, {t, PSG_NO_INDEX, PSG_NO_INDEX}}, data, 2);
    }
}

/* ------------------------------------------------------------------------------------ the size */

static psg_status parse(void *memory, const char *size, const workload_options *how) {
    problem *p = memory;
    const char *rest = workload_number(size, 1, n_most, &p->n);
    if (rest == NULL || rest[0] != '\0') {
        return workload_fail(PSG_ERR_ARG, "vadd:%s: the size is N, a whole number from 1 to %zu",
                             size, n_most);
    }
    p->tile = how->tile;
    return workload_check_tile(how, "vadd:", size, "tiles of T numbers", 1,
                               p->n < INT_MAX ? p->n : INT_MAX);
}

static workload_needs needs(const void *memory) {
    const problem *p = memory;
    const double tiles = (double)p->tiles;
    return (workload_needs){VECTORS * (double)p->n * (double)p->head.real_bytes, VECTORS * tiles,
                            tiles, 0};
}

static psg_status cut(void *memory, const psg_engine_workers *workers) {
    problem *p = memory;
    const size_t best = workers->gpus > 0 ? TUNING_VADD_TILE_GPU : TUNING_VADD_TILE;
    p->tile = p->tile > 0 ? p->tile : best < p->n ? best : p->n;
    p->tiles = (p->n - 1) / p->tile + 1;
    return PSG_OK;
}

static void tell(const void *memory, char *text, size_t size) {
    const problem *p = memory;
    (void)snprintf(text, size, "%zu numbers in f%zu, %zu tile%s of %zu", p->n,
                   8 * p->head.real_bytes, p->tiles, p->tiles == 1 ? "" : "s", p->tile);
}

/* ------------------------------------------------------------------------------------ the data */

/* Number m of a and of b. The periods are primes, so that no two tiles are alike. */
static unsigned number_of(int vector, size_t m) {
    return (unsigned)(vector == 0 ? m % 8388593 : 7 * m % 8388587);
}

static void make(void *memory) {
    problem *p = memory;
    p->data = workload_memory(&p->head, VECTORS * p->tiles, sizeof *p->data);
    for (size_t m = 0; m < VECTORS * p->tiles && !p->head.failed; m++) {
        workload_hold(&p->head, &p->data[m], extent(p, m % p->tiles), 1, 1, p->head.real_bytes);
    }
}

/* c is -1, which is no sum, so that the sums of the run before are gone. */
static void fill(const void *memory, size_t piece, void *to, void *result) {
    const problem *p = memory;
    const size_t t = piece % p->tiles;
    const int vector = (int)(piece / p->tiles);
    (void)result;
    for (size_t k = 0; k < extent(p, t); k++) {
        workload_put(p->head.real_bytes, to, k,
                     vector < 2 ? (double)number_of(vector, t * p->tile + k) : -1);
    }
}

static bool prepare(const void *memory) {
    const problem *p = memory;
    return workload_visit(p, p->data, VECTORS * p->tiles, 1, true, fill, NULL);
}

/* @param[in,out] right  how many are */
static void compare(const void *memory, size_t t, void *from, void *right) {
    const problem *p = memory;
    for (size_t k = 0; k < extent(p, t); k++) {
        const size_t m = t * p->tile + k;
        *(double *)right += workload_get(p->head.real_bytes, from, k) ==
                            (double)(number_of(0, m) + number_of(1, m));
    }
}

static size_t answers(void *memory, workload_answer *list) {
    const problem *p = memory;
    list[0] = (workload_answer){.name = "right", .expected = (double)p->n};
    return workload_visit(p, p->data + 2 * p->tiles, p->tiles, 1, false, compare, &list[0].value);
}

const workload_row workload_vadd = {
    .facts = {.name = "vadd",
              .about = "the sum of two vectors: independent tasks that only move numbers",
              .sizes = "N: numbers of a vector",
              .tile = "T: tiles of T numbers"},
    WORKLOAD_FIELDS,
    .f32 = true,
    .cut = cut,
    .prepare = prepare,
};
