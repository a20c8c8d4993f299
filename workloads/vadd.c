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
#include <stdlib.h>

enum { VECTORS = 3 }; /* a, b, c */

/* Numbers up to which all indices are exact in f64. */
static const size_t n_most = (size_t)1 << 53;

typedef struct problem {
    size_t n;    /* numbers of each vector */
    size_t tile; /* numbers of a tile; of the last one fewer, perhaps */
    size_t tiles;
    size_t real_bytes;
    psg_data *data; /* [tiles][VECTORS] */
} problem;

static size_t extent(const problem *p, size_t t) {
    return workload_extent(p->n, p->tile, t);
}

/* ------------------------------------------------------------------------------------ the task */

PSG_CLONES static void add_f64(size_t count, const double *a, const double *b, double *c) {
    for (size_t m = 0; m < count; m++) {
        c[m] = a[m] + b[m];
    }
}

PSG_CLONES static void add_f32(size_t count, const float *a, const float *b, float *c) {
    for (size_t m = 0; m < count; m++) {
        c[m] = a[m] + b[m];
    }
}

void vadd_cpu(bool f32, size_t count, const void *a, const void *b, void *c) {
    if (f32) {
        add_f32(count, a, b, c);
    } else {
        add_f64(count, a, b, c);
    }
}

static void on_core(const psg_task *task) {
    const problem *p = task->owner;
    vadd_cpu(p->real_bytes == sizeof(float), extent(p, task->label->index[0]),
             psg_task_memory(task, 0), psg_task_memory(task, 1), psg_task_memory(task, 2));
}

#ifdef WORKLOADS_CUDA
static int on_gpu(const psg_task *task) {
    const problem *p = task->owner;
    return (int)vadd_cuda(p->real_bytes == sizeof(float) ? PSG_CUDA_F32 : PSG_CUDA_F64,
                          extent(p, task->label->index[0]), psg_task_memory(task, 0),
                          psg_task_memory(task, 1), psg_task_memory(task, 2), task->stream);
}
#endif

static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    workload_shape(shape, extent(owner, label->index[0]), 1, 1, 1, VECTORS);
}

static double sums(const psg_task_shape *s) {
    return (double)s->n[0];
}

static psg_traffic traffic(const void *owner, const psg_label *label) {
    const problem *p = owner;
    const double bytes = (double)extent(p, label->index[0]) * (double)p->real_bytes;
    return (psg_traffic){2 * bytes, bytes};
}

static const psg_kind kinds[] = {{.name = "vadd",
                                  .core = on_core,
                                  .gpu = WORKLOAD_GPU(on_gpu),
                                  .shape = shape,
                                  .operations = sums,
                                  .traffic = traffic}};
static int first_kind;

static void submit(psg_run *run, const void *memory) {
    const problem *p = memory;
    for (size_t t = 0; t < p->tiles; t++) {
        const psg_data *of = &p->data[t * VECTORS];
        const psg_task_data data[] = {{of, 2, 1, STARPU_R}, {of + 2, 1, 1, STARPU_W}};
        psg_run_submit(run, (psg_label){first_kind, {t, PSG_NO_INDEX, PSG_NO_INDEX}}, data, 2);
    }
}

/* ------------------------------------------------------------------------------------ the size */

static psg_status parse(void *memory, const char *size, const workload_options *how,
                        psg_precision precision) {
    problem *p = memory;
    const char *rest = workload_number(size, 1, n_most, &p->n);
    if (rest == NULL || rest[0] != '\0') {
        return workload_fail(PSG_ERR_ARG, "vadd:%s: the size is N, a whole number from 1 to %zu",
                             size, n_most);
    }
    p->tile = how->tile;
    p->real_bytes = precision == PSG_F32 ? sizeof(float) : sizeof(double);
    return workload_check_tile(how, "vadd:", size, "tiles of T numbers", 1,
                               p->n < INT_MAX ? p->n : INT_MAX);
}

static workload_needs needs(const void *memory, const psg_engine_workers *workers) {
    const problem *p = memory;
    const double tiles = (double)p->tiles;
    (void)workers;
    return (workload_needs){
        VECTORS * ((double)p->n * (double)p->real_bytes + tiles * TUNING_HANDLE_BYTES),
        tiles * TUNING_TASK_BYTES};
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
    (void)snprintf(text, size, "%zu numbers in f%zu, %zu tile%s of %zu", p->n, 8 * p->real_bytes,
                   p->tiles, p->tiles == 1 ? "" : "s", p->tile);
}

/* ------------------------------------------------------------------------------------ the data */

/* Number m of a and of b. The periods are primes, so that no two tiles are alike. */
static unsigned number_of(int vector, size_t m) {
    return (unsigned)(vector == 0 ? m % 8388593 : 7 * m % 8388587);
}

static psg_status make(void *memory, const psg_work *work) {
    problem *p = memory;
    p->data = calloc(p->tiles, VECTORS * sizeof *p->data);
    psg_status status = p->data != NULL
                            ? PSG_OK
                            : workload_fail(PSG_ERR_MEMORY, "no memory for %zu tiles", p->tiles);
    for (size_t m = 0; m < p->tiles * VECTORS && status == PSG_OK; m++) {
        status = workload_hold(&p->data[m], work, extent(p, m / VECTORS), 1, 1, p->real_bytes);
    }
    return status;
}

static void destroy(void *memory) {
    problem *p = memory;
    psg_data_free(p->data, p->data != NULL ? p->tiles * VECTORS : 0);
    free(p->data);
}

/* c is -1, which is no sum, so that the sums of the run before are gone. */
static bool prepare(const void *memory) {
    const problem *p = memory;
    for (size_t m = 0; m < p->tiles * VECTORS; m++) {
        const int vector = (int)(m % VECTORS);
        void *to = psg_data_acquire(p->data[m], true);
        if (to == NULL) {
            return false;
        }
        for (size_t k = 0; k < extent(p, m / VECTORS) && !psg_simulation(); k++) {
            const size_t number = m / VECTORS * p->tile + k;
            workload_put(p->real_bytes, to, k, vector < 2 ? (double)number_of(vector, number) : -1);
        }
        psg_data_release(p->data[m]);
    }
    return true;
}

static size_t answers(void *memory, workload_answer *list) {
    const problem *p = memory;
    double right = 0;
    for (size_t t = 0; t < p->tiles; t++) {
        const psg_data c = p->data[t * VECTORS + 2];
        const void *from = psg_data_acquire(c, false);
        if (from == NULL) {
            return 0;
        }
        for (size_t k = 0; k < extent(p, t); k++) {
            const size_t m = t * p->tile + k;
            right +=
                workload_get(p->real_bytes, from, k) == (double)(number_of(0, m) + number_of(1, m));
        }
        psg_data_release(c);
    }
    list[0] = (workload_answer){.name = "right", .value = right, .expected = (double)p->n};
    return 1;
}

const workload_row workload_vadd = {
    .facts = {.name = "vadd",
              .about = "the sum of two vectors: independent tasks that only move numbers",
              .sizes = "N: numbers of a vector",
              .tile = "T: tiles of T numbers"},
    .bytes = sizeof(problem),
    .f32 = true,
    .kinds = kinds,
    .kind_count = 1,
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
