/* cg: the kernel CG of the NAS Parallel Benchmarks. Inverse iteration for the eigenvalue of a sparse matrix A that is next to a
 * shift: f becomes the x of A x = f, by 25 steps of conjugate gradients from x = 0. Rows are cut into blocks b, and all but the
 * product with A are tasks of pcg, whose solution z is its source r here:
 *
 *   start(b): f[b] -> x[b], r[b], p[b], source[b] --> scalars
 *
 *   a step:  scalars: beta
 *            direction(b): source[b] -> p[b]
 *            apply(b): A[b], p[0..B-1] -> q[b] --> scalars: alpha
 *            update(b): p[b], q[b] -> x[b], r[b], source[b]
 *
 *   dot(b): f[b], x[b] --> scalars: the eigenvalue;  dot(b): x[b], x[b] --> scalars: the scale of the next f
 *
 * Tasks read the scalars where these are, so that all tasks are submitted at once.
 */
#include "codelets/workloads/cg.h"
#include "base/tuning.h"
#include "codelets/pcg.h"
#include "cpu/cg.h"
#include "graph/block.h"
#include "graph/status.h"
#include "graph/workers.h"
#include "graph/workloads/row.h"

#include <math.h>
#include <stdio.h>

enum { STEPS = 25, LEAF = BASE_PCG_LANES };

/* The published answers, NPB 3: https://www.nas.nasa.gov/software/npb.html. The first zeta and the nonzeros were computed apart
 * from this program. */
static const struct class {
    char name;
    size_t n, nonzer, iterations;
    double shift, zeta, first_zeta;
    size_t nonzeros;
} classes[] = {
    {'S', 1400, 7, 15, 10, 8.5971775078648, 9.99864415791, 78148},
    {'W', 7000, 8, 15, 12, 10.362595087124, 11.9997003727, 508402},
    {'A', 14000, 11, 15, 20, 17.130235054029, 19.9997581277, 1853104},
    {'B', 75000, 13, 75, 60, 22.712745482631, 59.9994751579, 13708072},
    {'C', 150000, 15, 75, 110, 28.973605592845, 109.999442324, 36121058},
};
enum { CLASSES = sizeof classes / sizeof *classes };

/* Data of a block: the matrix; EVEN and ODD, which are f and x in turn, and the other vectors; LOW and HIGH, what
 * pcg_direction writes for a stencil; sums. */
enum { START, COLUMN, VALUE, EVEN, ODD, R, P, Q, SOURCE, LOW, HIGH, SUMS, DATA };
/* The scalars as they are, after the first iteration, and after a later one. */
enum { NOW, FIRST, LATER, SCRATCH, NUMBERS };

typedef struct problem {
    psg_cg cg; /* what its tasks see: first, as the problem is the owner of the engine */
    const struct class *class;
    psg_cpu_cg_matrix matrix; /* columns as base_cg_rows has them */
    starpu_data_handle_t data[DATA][BASE_CG_BLOCKS];
    starpu_data_handle_t numbers[NUMBERS];
    psg_terms terms; /* all 0: tasks of pcg get them, and cg has none */
} problem;

static size_t blocks_of(const problem *p) {
    return p->cg.context.layout.segments.count;
}

/* ---------------------------------------------------------------------------------- its size */

static psg_status parse(void *memory, const char *size, const psg_work_options *how,
                        psg_precision precision) {
    problem *p = memory;
    (void)precision;
    for (size_t c = 0; c < CLASSES && p->class == NULL; c++) {
        p->class = size[0] == classes[c].name && size[1] == '\0' ? &classes[c] : NULL;
    }
    if (p->class == NULL) {
        return psg_fail(PSG_ERR_ARG, "cg has no class '%s': it has S, W, A, B and C", size);
    }
    const size_t nonzeros = p->class->nonzeros, leaves = (p->class->n - 1) / LEAF + 1;
    const size_t most = leaves < BASE_CG_BLOCKS ? leaves : BASE_CG_BLOCKS;
    const size_t least = (nonzeros - 1) / most + 1;
    if (how->tile > 0 && (how->tile < least || how->tile > nonzeros)) {
        return psg_fail(PSG_ERR_ARG,
                        "tile = %zu: cg:%s has blocks of T nonzeros, T from %zu to %zu", how->tile,
                        size, least, nonzeros);
    }
    p->cg.context.cpu = &psg_cpu_ops_f64;
    p->cg.context.layout = (psg_layout){.n = {LEAF, 1, leaves}, .segments.part = p->cg.part};
    if (how->tile > 0) {
        p->cg.context.layout.segments.count = (nonzeros - 1) / how->tile + 1;
    }
    return PSG_OK;
}

/* A block for each worker, as long as it has enough to do. */
static psg_status choose(void *memory, const psg_workers *workers) {
    problem *p = memory;
    const size_t most = (p->class->nonzeros - 1) / TUNING_CG_NONZEROS + 1;
    const size_t share = psg_workers_share(workers), end = share < most ? share : most;
    if (blocks_of(p) == 0) {
        p->cg.context.layout.segments.count = end < BASE_CG_BLOCKS ? end : BASE_CG_BLOCKS;
    }
    return PSG_OK;
}

static void tell(const void *memory, char *text, size_t size) {
    const problem *p = memory;
    const size_t blocks = blocks_of(p);
    (void)snprintf(text, size, "%zu rows, %zu nonzeros in %zu block%s, %zu x %d steps", p->class->n,
                   p->class->nonzeros, blocks, blocks == 1 ? "" : "s", p->class->iterations, STEPS);
}

/* ---------------------------------------------------------------------------------- its data */

/* Blocks of as many nonzeros as any other, but for those of a leaf. */
static void cut(problem *p) {
    const size_t blocks = blocks_of(p), leaves = p->cg.context.layout.n[2];
    const uint32_t *start = p->matrix.start;
    size_t end = 0;
    for (size_t b = 0; b < blocks; b++) {
        const size_t first = end++, last = leaves - (blocks - 1 - b);
        while (end < last && (size_t)start[end * LEAF] * blocks < (b + 1) * start[leaves * LEAF]) {
            end++;
        }
        p->cg.part[b] = (psg_part){.box = {{0, 0, first}, {LEAF, 1, end}}, .worker = -1};
        p->cg.nonzeros[b] = start[end * LEAF] - start[first * LEAF];
    }
}

/* Columns become numbers in blocks, as base_cg_rows has them. */
static void number_columns(const problem *p) {
    for (size_t m = 0; m < p->matrix.start[p->matrix.n]; m++) {
        const psg_part *part = p->cg.part;
        while (p->matrix.column[m] >= part->box.hi[2] * LEAF) {
            part++;
        }
        p->matrix.column[m] += (uint32_t)((size_t)(part - p->cg.part) << BASE_CG_BITS) -
                               (uint32_t)part->box.lo[2] * LEAF;
    }
}

/* The matrix has 12 bytes for a nonzero. */
static psg_needs needs(const void *memory, const psg_workers *workers) {
    const problem *p = memory;
    const double blocks = (double)blocks_of(p), n = (double)p->cg.context.layout.n[2] * LEAF;
    const double tasks = (double)p->class->iterations * (STEPS * (3 * blocks + 2) + 4 * blocks);
    return (psg_needs){12 * (double)p->class->nonzeros + (SOURCE - EVEN + 1) * n * sizeof(double) +
                           DATA * blocks * TUNING_HANDLE_BYTES,
                       tasks * TUNING_TASK_BYTES +
                           (double)workers->count * BASE_PCG_SUM_LANES * sizeof(double)};
}

static void put(starpu_data_handle_t *handle, void *memory, size_t count, size_t bytes) {
    const size_t n[3] = {count, 1, 1};
    psg_block_register(handle, STARPU_MAIN_RAM, memory, n, count, bytes);
}

/* A vector has a leaf in each plane. */
static bool hold(starpu_data_handle_t *handle, const psg_workers *workers, size_t nx, size_t nz) {
    const size_t n[3] = {nx, 1, nz};
    return psg_block_make(handle, workers, n, sizeof(double));
}

static bool register_block(problem *p, const psg_workers *workers, size_t b) {
    const psg_box *box = &p->cg.part[b].box;
    const size_t leaves = psg_box_length(box, 2), nonzeros = p->cg.nonzeros[b];
    uint32_t *start = p->matrix.start + box->lo[2] * LEAF;
    bool all = true;
    put(&p->data[START][b], start, leaves * LEAF + 1, sizeof *start);
    put(&p->data[COLUMN][b], p->matrix.column + *start, nonzeros, sizeof(uint32_t));
    put(&p->data[VALUE][b], p->matrix.value + *start, nonzeros, sizeof(double));
    for (int m = EVEN; m <= SOURCE && all; m++) {
        all = hold(&p->data[m][b], workers, LEAF, leaves);
    }
    return all && hold(&p->data[LOW][b], workers, LEAF, 1) &&
           hold(&p->data[HIGH][b], workers, LEAF, 1) && hold(&p->data[SUMS][b], workers, 1, leaves);
}

static psg_status make(void *memory, const psg_workers *workers) {
    problem *p = memory;
    const struct class *c = p->class;
    if (!psg_cpu_cg_make(&p->matrix, c->n, c->nonzer, c->shift)) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for a matrix of %zu nonzeros", c->nonzeros);
    }
    cut(p);
    number_columns(p);
    bool all = true;
    for (size_t b = 0; b < blocks_of(p) && all; b++) {
        all = register_block(p, workers, b);
    }
    for (int m = NOW; m < SCRATCH && all; m++) {
        all = hold(&p->numbers[m], workers, BASE_PCG_SCALARS, 1);
    }
    if (!all) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for vectors of %zu numbers", c->n);
    }
    put(&p->numbers[SCRATCH], NULL, BASE_PCG_SUM_LANES, sizeof(double));
    return PSG_OK;
}

static void destroy(void *memory) {
    problem *p = memory;
    psg_block_unregister(&p->data[0][0], sizeof p->data / sizeof **p->data);
    psg_block_unregister(p->numbers, NUMBERS);
    psg_cpu_cg_free(&p->matrix);
}

/* ----------------------------------------------------------------------------------- running */

/* Ones from a number on to another one, else zeros. */
static bool fill(starpu_data_handle_t handle, size_t from, size_t end) {
    if (starpu_data_acquire_on_node(handle, STARPU_MAIN_RAM, STARPU_W) != 0) {
        return false;
    }
    double *to = (double *)starpu_block_get_local_ptr(handle);
    const size_t count = (size_t)starpu_block_get_nx(handle) * starpu_block_get_nz(handle);
    for (size_t m = 0; m < count; m++) {
        to[m] = m >= from && m < end ? 1 : 0;
    }
    starpu_data_release_on_node(handle, STARPU_MAIN_RAM);
    return true;
}

/* The first f is 1 in every row. */
static bool prepare(const void *memory) {
    const problem *p = memory;
    bool good = fill(p->numbers[NOW], BASE_PCG_SCALE, BASE_PCG_SCALE + 1);
    for (size_t b = 0; b < blocks_of(p) && good; b++) {
        good = fill(p->data[EVEN][b], 0, p->matrix.n - p->cg.part[b].box.lo[2] * LEAF);
    }
    return good;
}

static void submit_scalars(psg_run *run, const problem *p, base_pcg_stage stage, size_t step) {
    psg_task_pcg_scalars(run, stage, step, p->data[SUMS], p->numbers[NOW], p->numbers[SCRATCH],
                         p->numbers[step < STEPS ? FIRST : LATER]);
}

/* @param[in] x  the vector that the steps improve */
static void submit_step(psg_run *run, const problem *p, const starpu_data_handle_t *x,
                        size_t step) {
    const starpu_data_handle_t(*d)[BASE_CG_BLOCKS] = p->data;
    const size_t blocks = blocks_of(p);
    submit_scalars(run, p, BASE_PCG_SOLVED, step);
    for (size_t b = 0; b < blocks; b++) {
        psg_task_pcg_direction(run, b, step, p->numbers[NOW], d[SOURCE][b], d[P][b], d[LOW][b],
                               d[HIGH][b]);
    }
    for (size_t b = 0; b < blocks; b++) {
        const starpu_data_handle_t matrix[3] = {d[START][b], d[COLUMN][b], d[VALUE][b]};
        psg_task_cg_apply(run, b, step, matrix, d[P], d[Q][b], d[SUMS][b]);
    }
    submit_scalars(run, p, BASE_PCG_APPLIED, step);
    for (size_t b = 0; b < blocks; b++) {
        const starpu_data_handle_t xrpq[4] = {x[b], d[R][b], d[P][b], d[Q][b]};
        psg_task_pcg_update(run, b, step, p->numbers[NOW], xrpq, d[SOURCE][b], d[SUMS][b]);
    }
}

static void submit_dots(psg_run *run, const problem *p, const starpu_data_handle_t *f,
                        const starpu_data_handle_t *x, base_pcg_stage stage, size_t step) {
    for (size_t b = 0; b < blocks_of(p); b++) {
        psg_task_pcg_dot(run, b, step, f[b], x[b], p->data[SUMS][b]);
    }
    submit_scalars(run, p, stage, step);
}

static void submit(psg_run *run, const void *memory) {
    const problem *p = memory;
    const starpu_data_handle_t(*d)[BASE_CG_BLOCKS] = p->data;
    run->user = &p->terms;
    for (int m = START; m <= VALUE; m++) {
        psg_block_settle(d[m], blocks_of(p));
    }
    for (size_t step = 0, iteration = 0; iteration < p->class->iterations; iteration++) {
        const starpu_data_handle_t *f = d[iteration % 2 == 0 ? EVEN : ODD];
        const starpu_data_handle_t *x = d[iteration % 2 == 0 ? ODD : EVEN];
        for (size_t b = 0; b < blocks_of(p); b++) {
            const starpu_data_handle_t xrp[3] = {x[b], d[R][b], d[P][b]};
            psg_task_pcg_start(run, b, f[b], p->numbers[NOW], xrp, d[SOURCE][b], d[SUMS][b]);
        }
        submit_scalars(run, p, BASE_PCG_STARTED, step);
        for (const size_t end = step + STEPS; step < end; step++) {
            submit_step(run, p, x, step);
        }
        submit_dots(run, p, f, x, BASE_PCG_PROJECTED, step - 1);
        submit_dots(run, p, x, x, BASE_PCG_NORMED, step - 1);
    }
}

/* -------------------------------------------------------------------------------- its answer */

/* @return NaN: the data could not be had */
static double zeta(const problem *p, int which) {
    const starpu_data_handle_t handle = p->numbers[which];
    if (starpu_data_acquire_on_node(handle, STARPU_MAIN_RAM, STARPU_R) != 0) {
        return NAN;
    }
    const double *scalars = (const double *)starpu_block_get_local_ptr(handle);
    const double value = p->class->shift + scalars[BASE_PCG_EIGENVALUE];
    starpu_data_release_on_node(handle, STARPU_MAIN_RAM);
    return value;
}

static size_t answers(const void *memory, psg_answer *list) {
    const problem *p = memory;
    const struct class *c = p->class;
    list[0] = (psg_answer){"zeta", zeta(p, NOW), c->zeta, 1e-10};
    list[1] = (psg_answer){"first_zeta", zeta(p, FIRST), c->first_zeta, 1e-10};
    list[2] = (psg_answer){"nonzeros", (double)p->matrix.start[c->n], (double)c->nonzeros, 0};
    return 3;
}

static const int kinds[] = {PSG_KIND_PCG_START,
                            PSG_KIND_PCG_DIRECTION,
                            PSG_KIND_CG_APPLY,
                            PSG_KIND_PCG_UPDATE,
                            PSG_KIND_PCG_DOT,
                            PSG_KIND_PCG_SCALARS,
                            -1};

const psg_workload_row psg_workload_cg = {
    .about = {.name = "cg",
              .about = "an eigenvalue of a sparse matrix by conjugate gradients",
              .sizes = "S, W, A, B or C: 1400, 7000, 14000, 75000 or 150000 rows",
              .tile = "T: nonzeros of a block of rows"},
    .bytes = sizeof(problem),
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
