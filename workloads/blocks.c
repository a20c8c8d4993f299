/* blocks: uneven dense blocks, as those of a characteristic basis function method. Each block is
 * coupled to each other.
 *
 *   diagonal(k) -> self[k] ----------+
 *   pair(k,l)   -> pair[k][l] -------+- project(k,l) -> pair[k][l] / sqrt(self[k] self[l])
 *   diagonal(l) -> self[l] ----------+
 *
 * A block is a charged plate, and all plates stand above each other. What is summed up is charge /
 * r: near the plate itself by diagonal, near another one by pair. Diagonals and pairs need nothing,
 * and project takes no time. With a barrier pairs come after all diagonals.
 */
#include "workloads/blocks.h"
#include "base/hash.h"
#include "cpu/clones.h"
#include "workloads/workload.h"

#include <math.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Blocks, and cells of a block, at most: then a task's terms for a charge in each cell are an int.
 */
enum { BLOCKS_MOST = 32, CELLS_MOST = 32768 };
enum { TABLE = 8, FINE = 4, FINE_MOST = 32 };

/* The blocks of which the times in docs/workloads.md are. */
static const uint32_t table[TABLE] = {588, 598, 1186, 1202, 949, 963, 420, 420};

static const char sizes[] = "2 to 8 blocks of 420 to 1202 cells; or the cells of each: 40+30+20";

/* The diagonal task of block k = l, or a pair. */
typedef struct entry {
    size_t k, l;
    double terms;
} entry;

typedef struct problem {
    workload_head head;
    size_t count;
    uint32_t cells[BLOCKS_MOST];
    uint32_t fine; /* charges along each side of a cell */
    /* StarPU's number of the worker of the diagonal task [k][k], or of the pair [k][l] and what it
     * is projected to; -1: any worker. */
    int worker[BLOCKS_MOST][BLOCKS_MOST];
    workload_options how;
    entry *entry;     /* [count * count]: diagonals, then pairs, each in their order */
    double *value;    /* [count][count]: self on the diagonal */
    double *expected; /* [count]: the sums of what a block is coupled with; 0: not computed yet */
    psg_data *handle; /* [count * count]: of value, and one more: scratch */
} problem;

static size_t entries(const problem *p) {
    return p->count * p->count;
}

/* --------------------------------------------------------------------------- plates, on a core */

enum { LANES = 16 };

/* Charges x = first, first + step, ..., `count` of them, on a line whose distance from the point
 * has the square `rest`. Sums in lanes are what a vector unit adds. */
PSG_CLONES static float line_sum(float first, float step, uint32_t count, float rest) {
    float lane[LANES] = {0};
    float sum = 0;
    uint32_t m = 0;
    for (; m + LANES <= count; m += LANES) {
        for (uint32_t l = 0; l < LANES; l++) {
            const float x = first + step * (float)(m + l);
            lane[l] += 1 / sqrtf(x * x + rest);
        }
    }
    for (; m < count; m++) {
        const float x = first + step * (float)m;
        sum += 1 / sqrtf(x * x + rest);
    }
    for (uint32_t l = 0; l < LANES; l++) {
        sum += lane[l];
    }
    return sum;
}

double blocks_cpu_plates(const blocks_plates *p) {
    const uint32_t over = blocks_plate_columns(p->over);
    const uint32_t of = blocks_plate_columns(p->of);
    const float step = 1 / (float)p->fine;
    const float corner = 0.5F * step - 0.5F; /* of the first charge of a cell */
    double sum = 0;
    for (uint32_t point = 0; point < p->points; point++) {
        const uint32_t cell = point % p->over;
        const float x = corner - (float)(cell % over);
        const float y = corner - (float)(cell / over);
        const float z = p->apart + 0.5F * (float)(1 + point / p->over);
        for (uint32_t begin = 0; begin < p->of; begin += of) {
            const uint32_t cells = p->of - begin < of ? p->of - begin : of;
            for (uint32_t line = 0; line < p->fine; line++) {
                const float dy = y + (float)(begin / of) + step * (float)line;
                sum += (double)line_sum(x, step, cells * p->fine, dy * dy + z * z);
            }
        }
    }
    return sum / ((double)p->points * p->of * p->fine * p->fine);
}

/* ----------------------------------------------------------------------------------- the tasks */

enum { DIAGONAL, PAIR, PROJECT, KINDS };
static int first_kind;

/* Points of a diagonal task are 155.7 sqrt(n) for n cells: then diagonal tasks take 0.46 of the
 * time of all eight blocks, and grow with n^1.5, as measured for the blocks of a characteristic
 * basis function method on a Tesla C1060. */
static const double points_factor = 155.7;
/* Between two neighbouring plates, in lengths of a cell. */
static const float plate_distance = 16;

static uint32_t diagonal_points(double cells) {
    return (uint32_t)ceil(points_factor * sqrt(cells));
}

/* The plates of the diagonal task of block k = l, or of the pair (k, l). */
static blocks_plates plates_between(const problem *b, size_t k, size_t l) {
    return (blocks_plates){.points = k == l ? diagonal_points(b->cells[k]) : b->cells[k],
                           .over = b->cells[k],
                           .of = b->cells[l],
                           .fine = b->fine,
                           .apart = plate_distance * ((float)k - (float)l)};
}

/* Terms of the sum of that task, with one charge in each cell. */
static double terms_of(const problem *b, size_t k, size_t l) {
    const blocks_plates plates = plates_between(b, k, l);
    return (double)plates.points * plates.of;
}

static size_t other_block(const psg_label *label) {
    return label->index[label->kind == first_kind + DIAGONAL ? 0 : 1];
}

static blocks_plates plates_of(const psg_task *task) {
    return plates_between(task->owner, task->label->index[0], other_block(task->label));
}

static void blocks_sum_core(const psg_task *task) {
    const blocks_plates plates = plates_of(task);
    *(double *)psg_task_memory(task, 0) = blocks_cpu_plates(&plates);
}

static void blocks_project_core(const psg_task *task) {
    (void)task;
    const double *first = psg_task_memory(task, 1);
    const double *second = psg_task_memory(task, 2);
    *(double *)psg_task_memory(task, 0) /= sqrt(*first * *second);
}

#ifdef WORKLOADS_CUDA
static int blocks_sum_gpu(const psg_task *task) {
    const blocks_plates plates = plates_of(task);
    return (int)blocks_cuda_plates(&plates, psg_task_memory(task, 0), psg_task_memory(task, 1),
                                   task->stream);
}

static int blocks_project_gpu(const psg_task *task) {
    (void)task;
    return (int)blocks_cuda_couple(psg_task_memory(task, 0), psg_task_memory(task, 1),
                                   psg_task_memory(task, 2), task->stream);
}
#endif

/* Doubles that diagonal and pair need beside on a GPU. */
static size_t scratch_of(void) {
#ifdef WORKLOADS_CUDA
    return BLOCKS_CUDA_SCRATCH;
#else
    return 1;
#endif
}

/* All data are a double: the model of a task has to be told of its plates. */
static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    const problem *b = owner;
    const blocks_plates p = plates_between(b, label->index[0], other_block(label));
    const bool sums = label->kind != first_kind + PROJECT;
    workload_shape(shape, 1, 1, 1, 1, 1);
    if (sums) {
        workload_shape(shape, p.over, p.of, 1, (size_t)p.fine * p.fine, 1);
        const uint32_t plates[3] = {p.over, p.of, p.fine};
        shape->variant = (int)(base_hash(BASE_HASH_NOTHING, plates, sizeof plates) >> 33);
    }
}

static double diagonal_terms(const psg_task_shape *s) {
    return diagonal_points((double)s->n[0]) * (double)s->n[1] * (double)s->count;
}

static double one_term(const psg_task_shape *s) { /* a projection takes the same time always */
    (void)s;
    return 1;
}

static psg_traffic traffic(const void *owner, const psg_label *label) {
    (void)owner;
    const double number = sizeof(double);
    return (psg_traffic){label->kind == first_kind + PROJECT ? 3 * number : 0, number};
}

static int worker(const void *owner, const psg_label *label) {
    const problem *b = owner;
    return b->worker[label->index[0]][other_block(label)];
}

/* What follows a sum is a projection, which takes no time. */
static int priority(const void *owner, const psg_label *label) {
    const problem *b = owner;
    const bool sums = label->kind != first_kind + PROJECT;
    return b->head.by_path && sums ? (int)terms_of(b, label->index[0], other_block(label)) : 0;
}

static const psg_kind kinds[KINDS] = {
    [DIAGONAL] = {WORKLOAD_KIND("blocks_diagonal", blocks_sum_core, blocks_sum_gpu, diagonal_terms),
                  .worker = worker},
    [PAIR] = {WORKLOAD_KIND("blocks_pair", blocks_sum_core, blocks_sum_gpu, workload_numbers),
              .worker = worker},
    [PROJECT] = {WORKLOAD_KIND("blocks_project", blocks_project_core, blocks_project_gpu, one_term),
                 .worker = worker}};

/* ----------------------------------------------------------------------------------- the cut */

/* "8", or "40+30+20" */
static bool read_sizes(problem *b, const char *size) {
    size_t cells = 0;
    const char *at = workload_number(size, 1, CELLS_MOST, &cells);
    if (at != NULL && *at == '\0' && cells <= TABLE) {
        b->count = cells;
        memcpy(b->cells, table, sizeof table);
        return b->count >= 2;
    }
    while (at != NULL && b->count < BLOCKS_MOST) {
        b->cells[b->count++] = (uint32_t)cells;
        if (*at == '\0') {
            return b->count >= 2;
        }
        at = *at == '+' ? workload_number(at + 1, 1, CELLS_MOST, &cells) : NULL;
    }
    return false;
}

static psg_status parse(void *memory, const char *size, const workload_options *how) {
    problem *p = memory;
    if (!read_sizes(p, size)) {
        return workload_fail(
            PSG_ERR_ARG, "blocks has no size '%s'. It has %s, up to %d blocks of up to %d cells",
            size, sizes, BLOCKS_MOST, CELLS_MOST);
    }
    p->fine = how->tile > 0 ? (uint32_t)how->tile : FINE;
    memset(p->worker, -1, sizeof p->worker);
    p->how = *how;
    return workload_check_tile(how, "blocks:", size, "T x T charges in a cell", 1, FINE_MOST);
}

static void tell(const void *memory, char *text, size_t size) {
    const problem *p = memory;
    uint32_t cells = 0;
    for (size_t k = 0; k < p->count; k++) {
        cells += p->cells[k];
    }
    (void)snprintf(text, size, "%zu blocks, %u cells of %u x %u charges", p->count, cells, p->fine,
                   p->fine);
}

/* ----------------------------------------------------------------------- order and placement */

static int longer_first(const void *a, const void *b) {
    const entry *x = a;
    const entry *y = b;
    if (x->terms != y->terms) {
        return x->terms < y->terms ? 1 : -1;
    }
    return x->k != y->k ? (x->k < y->k ? -1 : 1) : x->l < y->l ? -1 : x->l > y->l;
}

static void list_entries(problem *p) {
    const size_t count = p->count;
    entry *next = p->entry;
    for (int pairs = 0; pairs < 2; pairs++) {
        for (size_t k = 0; k < count; k++) {
            for (size_t l = 0; l < count; l++) {
                if ((k != l) == (pairs == 1)) {
                    *next++ = (entry){k, l, terms_of(p, k, l)};
                }
            }
        }
    }
    if (p->how.order == WORKLOAD_LONGEST) {
        qsort(p->entry, count, sizeof *p->entry, longer_first);
        qsort(p->entry + count, entries(p) - count, sizeof *p->entry, longer_first);
    }
}

/* Chunks of one phase. Of a static placement they are alike, of a guided one each is the part of
 * what is left that one of the workers would have.
 * @param[in,out] end  [workers->usable_count]: when each is free, in terms */
static void place_phase(problem *p, const psg_engine_workers *workers, const entry *list,
                        size_t count, double *end) {
    const size_t many = workers->cpus + workers->gpus;
    const bool guided = p->how.place == WORKLOAD_GUIDED;
    size_t next = 0;
    for (size_t m = 0; m < count; next++) {
        const size_t chunk = ((guided ? count - m : count) + many - 1) / many;
        size_t w = guided ? 0 : next;
        for (size_t other = 0; guided && other < many; other++) {
            w = end[other] < end[w] ? other : w;
        }
        for (size_t last = m + chunk; m < last && m < count; m++) {
            p->worker[list[m].k][list[m].l] = workers->usable[w];
            end[w] += list[m].terms;
        }
    }
}

static void place(problem *p, const psg_engine_workers *workers) {
    const size_t count = p->count;
    double end[STARPU_NMAXWORKERS] = {0};
    if (p->how.place == WORKLOAD_FREE) {
        return;
    }
    place_phase(p, workers, p->entry, count, end);
    if (p->how.barrier) {
        memset(end, 0, sizeof end);
    }
    place_phase(p, workers, p->entry + count, entries(p) - count, end);
}

/* ----------------------------------------------------------------------------------- running */

static workload_needs needs(const void *memory) {
    const double count = (double)entries(memory);
    return (workload_needs){0, count, 2 * count, (double)scratch_of() * sizeof(double)};
}

static void make(void *memory) {
    problem *p = memory;
    const psg_engine_workers workers = psg_engine_find_workers(p->head.work);
    p->value = workload_memory(&p->head, entries(p), sizeof *p->value);
    p->expected = workload_memory(&p->head, p->count, sizeof *p->expected);
    p->entry = workload_memory(&p->head, entries(p), sizeof *p->entry);
    p->handle = workload_memory(&p->head, entries(p) + 1, sizeof *p->handle);
    if (p->head.failed) {
        return;
    }
    for (size_t m = 0; m < entries(p); m++) {
        workload_lend(&p->head, &p->handle[m], &p->value[m], 1, 1, 1, sizeof(double));
    }
    workload_lend(&p->head, &p->handle[entries(p)], NULL, scratch_of(), 1, 1, sizeof(double));
    list_entries(p);
    place(p, &workers);
}

/* The sum of a diagonal or a pair. With a barrier the diagonals have to be there first, though a
 * pair does not look at them.
 * @param[in] self  [count]: what the diagonals have */
static void submit_sum(psg_run *run, const problem *p, const entry *e, const psg_data *self) {
    const bool pair = e->k != e->l;
    const psg_label label = {first_kind + (pair ? PAIR : DIAGONAL),
                             {e->k, pair ? e->l : PSG_NO_INDEX, PSG_NO_INDEX}};
    const psg_task_data data[] = {{&p->handle[e->k * p->count + e->l], 1, 1, STARPU_W},
                                  {&p->handle[entries(p)], 1, 1, STARPU_SCRATCH},
                                  {self, pair && p->how.barrier ? p->count : 0, 1, STARPU_R}};
    psg_run_submit(run, label, data, 3);
}

/* Where there is no barrier, the longest task comes first, be it a diagonal or a pair. */
static void submit(psg_run *run, const void *memory) {
    const problem *p = memory;
    const size_t count = p->count;
    const bool mixed = p->how.order == WORKLOAD_LONGEST && !p->how.barrier;
    psg_data self[BLOCKS_MOST];
    for (size_t k = 0; k < count; k++) {
        self[k] = p->handle[k * count + k];
    }
    for (size_t d = 0, q = count; d < count || q < entries(p);) {
        const bool diagonal = q == entries(p) || (d < count && !mixed) ||
                              (d < count && longer_first(&p->entry[d], &p->entry[q]) < 0);
        submit_sum(run, p, &p->entry[diagonal ? d++ : q++], self);
    }
    for (size_t q = count; q < entries(p); q++) {
        const entry *e = &p->entry[q];
        const psg_task_data data[] = {{&p->handle[e->k * count + e->l], 1, 1, STARPU_RW},
                                      {&self[e->k], 1, 1, STARPU_R},
                                      {&self[e->l], 1, 1, STARPU_R}};
        psg_run_submit(run, (psg_label){first_kind + PROJECT, {e->k, e->l, PSG_NO_INDEX}}, data, 3);
    }
}

/* ---------------------------------------------------------------------------- what is right */

/* Points of a row that are `apart` cells to the right of a charged cell of another row. */
static double neighbours(int64_t points, int64_t charged, int64_t apart) {
    const int64_t first = apart > 0 ? apart : 0;
    const int64_t last = charged + apart < points ? charged + apart : points;
    return last > first ? (double)(last - first) : 0;
}

/* The sum of charge / r over the charges of a cell, seen from a distance. */
static double cell_potential(double dx, double dy, double z, uint32_t fine) {
    double sum = 0;
    for (uint32_t a = 0; a < fine; a++) {
        for (uint32_t b = 0; b < fine; b++) {
            const double x = dx + (a + 0.5) / fine - 0.5;
            const double y = dy + (b + 0.5) / fine - 0.5;
            sum += 1 / sqrt(x * x + y * y + z * z);
        }
    }
    return sum / fine / fine;
}

/* The length of row `row` of so many cells, `columns` in a row. */
static int64_t row_length(int64_t cells, int64_t columns, int64_t row) {
    const int64_t left = cells - row * columns;
    return left < 0 ? 0 : left < columns ? left : columns;
}

/* The potential at so many points, one above each cell, at one height: the distance between a point
 * and a cell is one of few, so each is looked at once, with how often it is there. */
static double layer_potential(const blocks_plates *p, int64_t points, double z) {
    const int64_t over = blocks_plate_columns(p->over);
    const int64_t of = blocks_plate_columns(p->of);
    const int64_t rows = (points + over - 1) / over;
    const int64_t charged = (p->of + of - 1) / of;
    double sum = 0;
    for (int64_t dy = 1 - charged; dy < rows; dy++) {
        for (int64_t dx = 1 - of; dx < over; dx++) {
            double often = 0;
            for (int64_t row = dy > 0 ? dy : 0; row < rows && row - dy < charged; row++) {
                often +=
                    neighbours(row_length(points, over, row), row_length(p->of, of, row - dy), dx);
            }
            if (often > 0) {
                sum += often * cell_potential((double)dx, (double)dy, z, p->fine);
            }
        }
    }
    return sum;
}

static double mean_potential(const blocks_plates *p) {
    double sum = 0;
    for (uint32_t first = 0; first < p->points; first += p->over) {
        const uint32_t left = p->points - first;
        sum += layer_potential(p, left < p->over ? left : p->over,
                               p->apart + 0.5 * (1 + first / p->over));
    }
    return sum / p->points / p->of;
}

static void expect(const problem *p) {
    const size_t count = p->count;
    double self[BLOCKS_MOST];
    for (size_t k = 0; k < count; k++) {
        const blocks_plates plates = plates_between(p, k, k);
        self[k] = mean_potential(&plates);
    }
    for (size_t k = 0; k < count; k++) {
        for (size_t l = 0; l < count; l++) {
            const blocks_plates plates = plates_between(p, k, l);
            p->expected[k] += k == l ? 0 : mean_potential(&plates) / sqrt(self[k] * self[l]);
        }
    }
}

/* @param[in,out] answers  by block: the sum over its pairs */
static void add_pair(const void *memory, size_t m, void *value, void *answers) {
    const problem *p = memory;
    const size_t k = m / p->count;
    ((workload_answer *)answers)[k].value += k == m % p->count ? 0 : *(const double *)value;
}

static size_t answers(void *memory, workload_answer *list) {
    const problem *p = memory;
    const size_t count = p->count;
    if (p->expected[0] == 0) {
        expect(p);
    }
    for (size_t k = 0; k < count; k++) {
        list[k] = (workload_answer){.expected = p->expected[k], .tolerance = 1e-6};
        (void)snprintf(list[k].name, sizeof list[k].name, "coupled_%zu", k);
    }
    return workload_visit(p, p->handle, entries(p), 1, false, add_pair, list) ? count : 0;
}

const workload_row workload_blocks = {
    .facts = {.name = "blocks",
              .about = "uneven dense blocks, each coupled to each: tasks of very different length",
              .sizes = sizes,
              .tile = "T: a cell has T x T charges; 4 by default",
              .order = true,
              .barrier = true,
              .place = true},
    WORKLOAD_FIELDS,
};
