/* cg: the kernel CG of the NAS Parallel Benchmarks. Inverse iteration for the eigenvalue of a
 * sparse matrix A that is next to a shift: f becomes the x of A x = f, by 25 steps of conjugate
 * gradients from x = 0. Rows are cut into blocks b. All but the product with A are the functions of
 * conjugate gradients of base/pcg.h, whose solution z is its source r here:
 *
 *   start(b): f[b] -> x[b], r[b], p[b], source[b] --> scalars
 *
 *   a step:  scalars: beta
 *            direction(b): source[b] -> p[b]
 *            apply(b): A[b], p[0..B-1] -> q[b] --> scalars: alpha
 *            update(b): p[b], q[b] -> x[b], r[b], source[b]
 *
 *   dot(b): f[b], x[b] --> scalars: the eigenvalue;  dot(b): x[b], x[b] --> scalars: the scale of
 * the next f
 *
 * Tasks read the scalars where these are, so that all tasks are submitted at once.
 */
#include "workloads/cg.h"
#include "base/tuning.h"
#include "cpu/pcg.h"
#include "workloads/workload.h"
#ifdef WORKLOADS_CUDA
#include "kernels/pcg.h"
#endif

#include <starpu.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 25, LEAF = BASE_PCG_LANES };

/* Data of a block: the matrix; EVEN and ODD, which are f and x in turn, and the other vectors; LOW
 * and HIGH, what psg_cpu_pcg_direction() writes for a stencil; sums. */
enum { START, COLUMN, VALUE, EVEN, ODD, R, P, Q, SOURCE, LOW, HIGH, SUMS, DATA };
/* The scalars as they are, and after the first iteration; room for lanes of sums. */
enum { NOW, FIRST, SCRATCH, NUMBERS };

typedef struct problem {
    workload_head head;
    const cg_class *class;
    cg_matrix matrix; /* columns as cg_rows has them */
    size_t blocks, leaves;
    size_t leaf[CG_BLOCKS + 1]; /* the first of each block, and the end */
    size_t nonzeros[CG_BLOCKS];
    psg_data data[DATA][CG_BLOCKS];
    psg_data numbers[NUMBERS];
} problem;

static size_t leaves_of(const problem *p, size_t b) {
    return p->leaf[b + 1] - p->leaf[b];
}

/* ----------------------------------------------------------------------------------- the tasks */

enum { START_TASK, DIRECTION, UPDATE, DOT, APPLY, JOIN, KINDS };
static int first_kind;

/* What a task of the first four kinds has: f, x, scalars, or other data of its block, and whether
 * it reads them (r), writes them (w) or both (x). The numbers are the reals that it reads and
 * writes for each row. */
enum { F = DATA, X, SCALARS, USES_MOST = 7 };
static const struct {
    int use[USES_MOST];
    char mode[USES_MOST + 1];
    int reads, writes;
    void (*core)(const base_pcg_task *);
} forms[] = {
    [START_TASK] = {{F, SCALARS, X, R, P, SOURCE, SUMS}, "rrwwwww", 1, 4, psg_cpu_pcg_start},
    [DIRECTION] = {{SCALARS, SOURCE, P, LOW, HIGH}, "rrxww", 2, 1, psg_cpu_pcg_direction},
    [UPDATE] = {{SCALARS, P, Q, X, R, SOURCE, SUMS}, "rrrxxww", 4, 3, psg_cpu_pcg_update},
    [DOT] = {{F, X, SUMS}, "rrw", 2, 0, psg_cpu_pcg_dot},
};

static int kind_of(const psg_label *label) {
    return label->kind - first_kind;
}

static base_pcg_field field_of(void *memory) {
    return (base_pcg_field){.first = memory, .row_pitch = LEAF, .plane_pitch = LEAF};
}

/* The source is the solution, too; and what DOT multiplies with x is f in place of r. */
static base_pcg_task task_of(const psg_task *task) {
    const int kind = kind_of(task->label);
    base_pcg_task t = {.n = {LEAF, 1, leaves_of(task->owner, task->label->index[0])}};
    void *of[SCALARS + 1] = {NULL};
    for (size_t m = 0; forms[kind].mode[m] != '\0'; m++) {
        of[forms[kind].use[m]] = psg_task_memory(task, m);
    }
    t.f = field_of(of[F]);
    t.source = field_of(of[SOURCE]);
    t.solution = field_of(of[kind == DOT ? X : SOURCE]);
    t.scalars = of[SCALARS];
    t.x = of[X];
    t.r = of[kind == DOT ? F : R];
    t.p = of[P];
    t.q = of[Q];
    t.low = of[LOW];
    t.high = of[HIGH];
    t.part = of[SUMS];
    return t;
}

static void vector_core(const psg_task *task) {
    const base_pcg_task t = task_of(task);
    forms[kind_of(task->label)].core(&t);
}

/* Buffers: start, column, value, q, sums, p of each block. */
static cg_rows rows_of(const psg_task *task) {
    const problem *p = task->owner;
    const size_t b = task->label->index[0];
    cg_rows r = {.block = b,
                 .leaves = leaves_of(p, b),
                 .start = psg_task_memory(task, 0),
                 .column = psg_task_memory(task, 1),
                 .value = psg_task_memory(task, 2),
                 .q = psg_task_memory(task, 3),
                 .part = psg_task_memory(task, 4)};
    for (size_t m = 0; m < p->blocks; m++) {
        r.p[m] = psg_task_memory(task, 5 + m);
    }
    return r;
}

static void apply_core(const psg_task *task) {
    const cg_rows rows = rows_of(task);
    cg_cpu_apply(&rows);
}

/* Buffers: scalars, scratch, sums of each block, and after the first iteration a copy of the
 * scalars. */
static base_pcg_stage stage_of(const psg_label *label) {
    return (base_pcg_stage)label->index[1];
}

static bool is_first(const psg_label *label) {
    return stage_of(label) == BASE_PCG_PROJECTED && label->index[2] < STEPS;
}

static const base_pcg_terms no_terms;

static base_pcg_pieces pieces_of(const psg_task *task) {
    const problem *p = task->owner;
    base_pcg_pieces pieces = {.stage = stage_of(task->label), .measures = 1, .count = p->blocks};
    for (size_t b = 0; b < p->blocks; b++) {
        pieces.part[b] = psg_task_memory(task, 2 + b);
        pieces.numbers[b] = leaves_of(p, b);
    }
    return pieces;
}

static double *copy_of(const psg_task *task) {
    return is_first(task->label) ? psg_task_memory(task, 2 + ((const problem *)task->owner)->blocks)
                                 : NULL;
}

static void join_core(const psg_task *task) {
    const base_pcg_pieces pieces = pieces_of(task);
    double *lanes = psg_task_memory(task, 1);
    psg_cpu_pcg_join(&pieces, lanes);
    psg_cpu_pcg_next(pieces.stage, lanes, &no_terms, psg_task_memory(task, 0), copy_of(task));
}

#ifdef WORKLOADS_CUDA
static int vector_gpu(const psg_task *task) {
    static cudaError_t (*const launch[])(const base_pcg_task *,
                                         cudaStream_t) = {[START_TASK] = psg_cuda_pcg_start,
                                                          [DIRECTION] = psg_cuda_pcg_direction,
                                                          [UPDATE] = psg_cuda_pcg_update,
                                                          [DOT] = psg_cuda_pcg_dot};
    const base_pcg_task t = task_of(task);
    return (int)launch[kind_of(task->label)](&t, task->stream);
}

static int apply_gpu(const psg_task *task) {
    const cg_rows rows = rows_of(task);
    return (int)cg_cuda_apply(&rows, task->stream);
}

static int join_gpu(const psg_task *task) {
    const base_pcg_pieces pieces = pieces_of(task);
    double *lanes = psg_task_memory(task, 1);
    const cudaError_t result = psg_cuda_pcg_join(&pieces, lanes, task->stream);
    return (int)(result != cudaSuccess
                     ? result
                     : psg_cuda_pcg_next(pieces.stage, lanes, &no_terms, psg_task_memory(task, 0),
                                         copy_of(task), task->stream));
}
#endif

static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    const problem *p = owner;
    workload_shape(shape, LEAF, 1, p->leaves, leaves_of(p, label->index[0]), 1);
}

static void apply_shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    const problem *p = owner;
    const size_t b = label->index[0];
    workload_shape(shape, p->nonzeros[b], 1, 1, leaves_of(p, b) * LEAF, p->blocks);
}

static void join_shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    const problem *p = owner;
    (void)label;
    shape->axis = 0;
    workload_shape(shape, 1, 1, p->leaves, p->leaves, p->blocks);
}

static double nonzeros(const psg_task_shape *s) {
    return (double)s->n[0];
}

static psg_traffic traffic(const void *owner, const psg_label *label) {
    const int kind = kind_of(label);
    const double bytes = (double)(leaves_of(owner, label->index[0]) * LEAF * sizeof(double));
    return (psg_traffic){forms[kind].reads * bytes, forms[kind].writes * bytes};
}

static psg_traffic apply_traffic(const void *owner, const psg_label *label) {
    const problem *p = owner;
    const size_t b = label->index[0];
    const double all = (double)(p->leaves * LEAF), own = (double)(leaves_of(p, b) * LEAF);
    const double matrix = (double)p->nonzeros[b] * (double)(sizeof(double) + sizeof(uint32_t));
    return (psg_traffic){matrix + own * sizeof(uint32_t) + all * sizeof(double),
                         own * sizeof(double)};
}

#define VECTOR(the_name)                                                                           \
    {                                                                                              \
        .name = the_name, .core = vector_core, .gpu = WORKLOAD_GPU(vector_gpu), .shape = shape,    \
        .traffic = traffic                                                                         \
    }
static const psg_kind kinds[KINDS] = {[START_TASK] = VECTOR("cg_start"),
                                      [DIRECTION] = VECTOR("cg_direction"),
                                      [UPDATE] = VECTOR("cg_update"),
                                      [DOT] = VECTOR("cg_dot"),
                                      [APPLY] = {.name = "cg_apply",
                                                 .core = apply_core,
                                                 .gpu = WORKLOAD_GPU(apply_gpu),
                                                 .shape = apply_shape,
                                                 .operations = nonzeros,
                                                 .traffic = apply_traffic},
                                      [JOIN] = {.name = "cg_scalars",
                                                .core = join_core,
                                                .gpu = WORKLOAD_GPU(join_gpu),
                                                .shape = join_shape}};

/* ---------------------------------------------------------------------------------- its size */

static psg_status parse(void *memory, const char *size, const workload_options *how) {
    problem *p = memory;
    p->class = cg_class_of(size);
    if (p->class == NULL) {
        return workload_fail(PSG_ERR_ARG, "cg has no class '%s': it has S, W, A, B and C", size);
    }
    const size_t nonzeros = p->class->nonzeros, leaves = (p->class->n - 1) / LEAF + 1;
    const size_t most = leaves < CG_BLOCKS ? leaves : CG_BLOCKS;
    const size_t least = (nonzeros - 1) / most + 1;
    p->leaves = leaves;
    p->blocks = how->tile > 0 ? (nonzeros - 1) / how->tile + 1 : 0;
    return workload_check_tile(how, "cg:", size, "blocks of T nonzeros", least, nonzeros);
}

/* A block for each worker, as long as it has enough to do. */
static psg_status choose(void *memory, const psg_engine_workers *workers) {
    problem *p = memory;
    const size_t most = (p->class->nonzeros - 1) / TUNING_CG_NONZEROS + 1;
    const size_t share = workload_share(workers), end = share < most ? share : most;
    if (p->blocks == 0) {
        p->blocks = end < CG_BLOCKS ? end : CG_BLOCKS;
    }
    return PSG_OK;
}

static void tell(const void *memory, char *text, size_t size) {
    const problem *p = memory;
    const size_t blocks = p->blocks;
    (void)snprintf(text, size, "%zu rows, %zu nonzeros in %zu block%s, %zu x %d steps", p->class->n,
                   p->class->nonzeros, blocks, blocks == 1 ? "" : "s", p->class->iterations, STEPS);
}

/* ---------------------------------------------------------------------------------- its data */

/* Blocks of as many nonzeros as any other, but for those of a leaf. */
static void cut(problem *p) {
    const uint32_t *start = p->matrix.start;
    size_t end = 0;
    for (size_t b = 0; b < p->blocks; b++) {
        const size_t last = p->leaves - (p->blocks - 1 - b);
        p->leaf[b] = end++;
        while (end < last &&
               (size_t)start[end * LEAF] * p->blocks < (b + 1) * start[p->leaves * LEAF]) {
            end++;
        }
        p->leaf[b + 1] = end;
        p->nonzeros[b] = start[end * LEAF] - start[p->leaf[b] * LEAF];
    }
}

/* Columns become numbers in blocks, as cg_rows has them. */
static void number_columns(const problem *p) {
    for (size_t m = 0; m < p->matrix.start[p->matrix.n]; m++) {
        size_t b = 0;
        while (p->matrix.column[m] >= p->leaf[b + 1] * LEAF) {
            b++;
        }
        p->matrix.column[m] += (uint32_t)(b << CG_BITS) - (uint32_t)(p->leaf[b] * LEAF);
    }
}

/* The matrix has 12 bytes for a nonzero. */
static workload_needs needs(const void *memory) {
    const problem *p = memory;
    const double blocks = (double)p->blocks, n = (double)p->leaves * LEAF;
    const double tasks = (double)p->class->iterations * (STEPS * (3 * blocks + 2) + 4 * blocks);
    return (workload_needs){12 * (double)p->class->nonzeros +
                                (SOURCE - EVEN + 1) * n * sizeof(double),
                            DATA * blocks, tasks, BASE_PCG_SUM_LANES * sizeof(double)};
}

static void register_block(problem *p, size_t b) {
    const size_t leaves = leaves_of(p, b), nonzeros = p->nonzeros[b];
    uint32_t *start = p->matrix.start + p->leaf[b] * LEAF;
    workload_head *head = &p->head;
    workload_lend(head, &p->data[START][b], start, leaves * LEAF + 1, 1, 1, sizeof *start);
    workload_lend(head, &p->data[COLUMN][b], p->matrix.column + *start, nonzeros, 1, 1,
                  sizeof *start);
    workload_lend(head, &p->data[VALUE][b], p->matrix.value + *start, nonzeros, 1, 1,
                  sizeof(double));
    for (int m = EVEN; m <= SUMS; m++) { /* a vector has a leaf in each plane */
        workload_hold(head, &p->data[m][b], m == SUMS ? 1 : LEAF, 1,
                      m == LOW || m == HIGH ? 1 : leaves, sizeof(double));
    }
}

static void make(void *memory) {
    problem *p = memory;
    const cg_class *c = p->class;
    p->head.failed = !cg_matrix_make(&p->matrix, c->n, c->nonzer, c->shift);
    if (p->head.failed) {
        return;
    }
    cut(p);
    number_columns(p);
    for (size_t b = 0; b < p->blocks; b++) {
        register_block(p, b);
    }
    for (int m = NOW; m < SCRATCH; m++) {
        workload_hold(&p->head, &p->numbers[m], BASE_PCG_SCALARS, 1, 1, sizeof(double));
    }
    workload_lend(&p->head, &p->numbers[SCRATCH], NULL, BASE_PCG_SUM_LANES, 1, 1, sizeof(double));
}

static void destroy(void *memory) {
    cg_matrix_free(&((problem *)memory)->matrix);
}

/* ----------------------------------------------------------------------------------- running */

/* The first scale is 1, and so is the first f in every row. */
static void fill_scalars(const void *memory, size_t m, void *to, void *result) {
    (void)memory, (void)m, (void)result;
    memset(to, 0, BASE_PCG_SCALARS * sizeof(double));
    ((double *)to)[BASE_PCG_SCALE] = 1;
}

static void fill_f(const void *memory, size_t b, void *to, void *result) {
    const problem *p = memory;
    (void)result;
    for (size_t m = 0; m < leaves_of(p, b) * LEAF; m++) {
        ((double *)to)[m] = p->leaf[b] * LEAF + m < p->matrix.n ? 1 : 0;
    }
}

static bool prepare(const void *memory) {
    const problem *p = memory;
    return workload_visit(p, &p->numbers[NOW], 1, 1, true, fill_scalars, NULL) &&
           workload_visit(p, p->data[EVEN], p->blocks, 1, true, fill_f, NULL);
}

static void submit_scalars(psg_run *run, const problem *p, base_pcg_stage stage, size_t step) {
    const psg_label label = {first_kind + JOIN, {PSG_NO_INDEX, (size_t)stage, step}};
    const psg_task_data data[] = {{&p->numbers[NOW], 1, 1, STARPU_RW},
                                  {&p->numbers[SCRATCH], 1, 1, STARPU_SCRATCH},
                                  {p->data[SUMS], p->blocks, 1, STARPU_R},
                                  {&p->numbers[FIRST], is_first(&label), 1, STARPU_W}};
    psg_run_submit(run, label, data, 4);
}

/* Of all blocks. @param[in] f, x  [blocks]; NULL: tasks of this kind have none */
static void submit_vectors(psg_run *run, const problem *p, int kind, size_t step, const psg_data *f,
                           const psg_data *x) {
    for (size_t b = 0; b < p->blocks; b++) {
        psg_task_data data[USES_MOST];
        size_t uses = 0;
        for (const char *mode = forms[kind].mode; *mode != '\0'; mode++) {
            const int of = forms[kind].use[uses];
            data[uses++] = (psg_task_data){of == F         ? &f[b]
                                           : of == X       ? &x[b]
                                           : of == SCALARS ? &p->numbers[NOW]
                                                           : &p->data[of][b],
                                           1, 1,
                                           *mode == 'r'   ? STARPU_R
                                           : *mode == 'w' ? STARPU_W
                                                          : STARPU_RW};
        }
        psg_run_submit(run, (psg_label){first_kind + kind, {b, PSG_NO_INDEX, step}}, data, uses);
    }
}

static void submit_products(psg_run *run, const problem *p, size_t step) {
    for (size_t b = 0; b < p->blocks; b++) {
        const psg_task_data data[] = {
            {&p->data[START][b], 3, CG_BLOCKS, STARPU_R}, /* and COLUMN and VALUE */
            {&p->data[Q][b], 1, 1, STARPU_W},
            {&p->data[SUMS][b], 1, 1, STARPU_W},
            {p->data[P], p->blocks, 1, STARPU_R}};
        psg_run_submit(run, (psg_label){first_kind + APPLY, {b, PSG_NO_INDEX, step}}, data, 4);
    }
}

/* A step improves x, and an iteration has STEPS of them. */
static void submit(psg_run *run, const void *memory) {
    const problem *p = memory;
    for (int m = START; m <= VALUE; m++) {
        psg_data_settle(p->data[m], p->blocks);
    }
    for (size_t step = 0, iteration = 0; iteration < p->class->iterations; iteration++) {
        const psg_data *f = p->data[iteration % 2 == 0 ? EVEN : ODD];
        const psg_data *x = p->data[iteration % 2 == 0 ? ODD : EVEN];
        submit_vectors(run, p, START_TASK, PSG_NO_INDEX, f, x);
        submit_scalars(run, p, BASE_PCG_STARTED, step);
        for (const size_t end = step + STEPS; step < end; step++) {
            submit_scalars(run, p, BASE_PCG_SOLVED, step);
            submit_vectors(run, p, DIRECTION, step, NULL, NULL);
            submit_products(run, p, step);
            submit_scalars(run, p, BASE_PCG_APPLIED, step);
            submit_vectors(run, p, UPDATE, step, NULL, x);
        }
        submit_vectors(run, p, DOT, step - 1, f, x);
        submit_scalars(run, p, BASE_PCG_PROJECTED, step - 1);
        submit_vectors(run, p, DOT, step - 1, x, x);
        submit_scalars(run, p, BASE_PCG_NORMED, step - 1);
    }
}

/* -------------------------------------------------------------------------------- its answer */

static void put_zeta(const void *memory, size_t which, void *scalars, void *answers) {
    const problem *p = memory;
    ((workload_answer *)answers)[which].value =
        p->class->shift + ((const double *)scalars)[BASE_PCG_EIGENVALUE];
}

static size_t answers(void *memory, workload_answer *list) {
    const problem *p = memory;
    const cg_class *c = p->class;
    list[NOW] = (workload_answer){"zeta", 0, c->zeta, 1e-10};
    list[FIRST] = (workload_answer){"first_zeta", 0, c->first_zeta, 1e-10};
    list[2] = (workload_answer){"nonzeros", (double)p->matrix.start[c->n], (double)c->nonzeros, 0};
    return workload_visit(p, p->numbers, 2, 1, false, put_zeta, list) ? 3 : 0;
}

const workload_row workload_cg = {
    .facts = {.name = "cg",
              .about = "an eigenvalue of a sparse matrix by conjugate gradients",
              .sizes = "S, W, A, B or C: 1400, 7000, 14000, 75000 or 150000 rows",
              .tile = "T: nonzeros of a block of rows"},
    WORKLOAD_FIELDS,
    .cut = choose,
    .prepare = prepare,
    .free = destroy,
};
