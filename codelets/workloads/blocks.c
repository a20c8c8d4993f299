#include "codelets/workloads/blocks.h"
#include "base/hash.h"
#include "codelets/codelet.h"
#include "cpu/plates.h"
#if PSG_WITH_CUDA
#include "kernels/plates.h"
#endif

#include <math.h>

/* Points of a diagonal task are 155.7 sqrt(n) for n cells: then diagonal tasks take 0.46 of the time of all eight blocks, and
 * grow with n^1.5, as measured for the blocks of a characteristic basis function method on a Tesla C1060. */
static const double points_factor = 155.7;
/* Between two neighbouring plates, in lengths of a cell. */
static const float plate_distance = 16;

static const psg_blocks *blocks_of(const psg_task_args *args) {
    return args->run->engine->owner;
}

static uint32_t diagonal_points(double cells) {
    return (uint32_t)ceil(points_factor * sqrt(cells));
}

base_plates psg_blocks_plates(const psg_blocks *b, size_t k, size_t l) {
    return (base_plates){.points = k == l ? diagonal_points(b->cells[k]) : b->cells[k],
                         .over = b->cells[k],
                         .of = b->cells[l],
                         .fine = b->fine,
                         .apart = plate_distance * ((float)k - (float)l)};
}

double psg_blocks_terms(const psg_blocks *b, size_t k, size_t l) {
    const base_plates plates = psg_blocks_plates(b, k, l);
    return (double)plates.points * plates.of;
}

static size_t other_block(const psg_label *label) {
    return label->index[label->kind == PSG_KIND_BLOCKS_DIAGONAL ? 0 : 1];
}

static base_plates plates_of(const psg_task_args *args) {
    return psg_blocks_plates(blocks_of(args), args->label.index[0], other_block(&args->label));
}

static void blocks_sum_core(void *buffers[], const psg_task_args *args) {
    const base_plates plates = plates_of(args);
    *(double *)psg_task_pointer(buffers, 0) = psg_cpu_plates(&plates);
}

static void blocks_project_core(void *buffers[], const psg_task_args *args) {
    (void)args;
    const double *first = psg_task_pointer(buffers, 1);
    const double *second = psg_task_pointer(buffers, 2);
    *(double *)psg_task_pointer(buffers, 0) /= sqrt(*first * *second);
}

#if PSG_WITH_CUDA
static int blocks_sum_gpu(void *buffers[], const psg_task_args *args) {
    const base_plates plates = plates_of(args);
    return (int)psg_cuda_plates(&plates, psg_task_pointer(buffers, 0), psg_task_pointer(buffers, 1),
                                starpu_cuda_get_local_stream());
}

static int blocks_project_gpu(void *buffers[], const psg_task_args *args) {
    (void)args;
    return (int)psg_cuda_couple(psg_task_pointer(buffers, 0), psg_task_pointer(buffers, 1),
                                psg_task_pointer(buffers, 2), starpu_cuda_get_local_stream());
}
#endif

PSG_SOLVER_CODELET(blocks_diagonal, blocks_sum_core, blocks_sum_gpu);
PSG_SOLVER_CODELET(blocks_pair, blocks_sum_core, blocks_sum_gpu);
PSG_SOLVER_CODELET(blocks_project, blocks_project_core, blocks_project_gpu);

size_t psg_blocks_scratch(void) {
#if PSG_WITH_CUDA
    return PSG_CUDA_PLATES_SCRATCH;
#else
    return 1;
#endif
}

void psg_task_blocks_diagonal(psg_run *run, size_t k, starpu_data_handle_t self,
                              starpu_data_handle_t scratch) {
    const psg_task_args args = {
        .run = run, .label = {PSG_KIND_BLOCKS_DIAGONAL, {k, PSG_NO_INDEX, PSG_NO_INDEX}}};
    const psg_task_data data[2] = {{&self, 1, 1, STARPU_W}, {&scratch, 1, 1, STARPU_SCRATCH}};
    psg_task_submit_data(blocks_diagonal_codelet, &args, data, 2);
}

void psg_task_blocks_pair(psg_run *run, size_t k, size_t l, starpu_data_handle_t pair,
                          starpu_data_handle_t scratch, const starpu_data_handle_t *after,
                          size_t count) {
    const psg_task_args args = {.run = run, .label = {PSG_KIND_BLOCKS_PAIR, {k, l, PSG_NO_INDEX}}};
    const psg_task_data data[3] = {
        {&pair, 1, 1, STARPU_W}, {&scratch, 1, 1, STARPU_SCRATCH}, {after, count, 1, STARPU_R}};
    psg_task_submit_data(blocks_pair_codelet, &args, data, 3);
}

void psg_task_blocks_project(psg_run *run, size_t k, size_t l, starpu_data_handle_t pair,
                             starpu_data_handle_t first, starpu_data_handle_t second) {
    const psg_task_args args = {.run = run,
                                .label = {PSG_KIND_BLOCKS_PROJECT, {k, l, PSG_NO_INDEX}}};
    const psg_task_data data[3] = {
        {&pair, 1, 1, STARPU_RW}, {&first, 1, 1, STARPU_R}, {&second, 1, 1, STARPU_R}};
    psg_task_submit_data(blocks_project_codelet, &args, data, 3);
}

/* -------------------------------------------------------------------------------- the kinds */

/* All data are a double: the model of a task has to be told of its plates. */
static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    const psg_blocks *b = owner;
    const base_plates p = psg_blocks_plates(b, label->index[0], other_block(label));
    const bool sums = label->kind != PSG_KIND_BLOCKS_PROJECT;
    shape->n[0] = sums ? p.over : 1;
    shape->n[1] = sums ? p.of : 1;
    shape->n[2] = 1;
    shape->count = sums ? (size_t)p.fine * p.fine : 1;
    shape->pieces = 1;
    if (sums) {
        const uint32_t plates[3] = {p.over, p.of, p.fine};
        shape->variant = (int)(base_hash(BASE_HASH_NOTHING, plates, sizeof plates) >> 33);
    }
    shape->dense = true;
}

static double pair_terms(const psg_task_shape *s) {
    return (double)s->n[0] * (double)s->n[1] * (double)s->count;
}

static double diagonal_terms(const psg_task_shape *s) {
    return diagonal_points((double)s->n[0]) * (double)s->n[1] * (double)s->count;
}

static double one_term(const psg_task_shape *s) {
    (void)s;
    return 1;
}

static psg_traffic traffic(const void *owner, const psg_label *label) {
    (void)owner;
    const double number = sizeof(double);
    return (psg_traffic){label->kind == PSG_KIND_BLOCKS_PROJECT ? 3 * number : 0, number};
}

static int worker(const void *owner, const psg_label *label) {
    const psg_blocks *b = owner;
    return b->worker[label->index[0]][other_block(label)];
}

/* What follows a sum is a projection, which takes no time. */
static int priority(const void *owner, const psg_label *label) {
    const psg_blocks *b = owner;
    const bool sums = label->kind != PSG_KIND_BLOCKS_PROJECT;
    return b->by_path && sums ? (int)psg_blocks_terms(b, label->index[0], other_block(label)) : 0;
}

const psg_kind psg_blocks_diagonal_kind = {.name = "blocks_diagonal",
                                           .shape = shape,
                                           .operations = diagonal_terms,
                                           .traffic = traffic,
                                           .worker = worker,
                                           .priority = priority};
const psg_kind psg_blocks_pair_kind = {.name = "blocks_pair",
                                       .shape = shape,
                                       .operations = pair_terms,
                                       .traffic = traffic,
                                       .worker = worker,
                                       .priority = priority};
const psg_kind psg_blocks_project_kind = {.name = "blocks_project",
                                          .shape = shape,
                                          .operations = one_term,
                                          .traffic = traffic,
                                          .worker = worker,
                                          .priority = priority};
