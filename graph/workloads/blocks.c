/* blocks: uneven dense blocks, as those of a characteristic basis function method. Each block is coupled to each other.
 *
 *   diagonal(k) -> self[k] ----------+
 *   pair(k,l)   -> pair[k][l] -------+- project(k,l) -> pair[k][l] / sqrt(self[k] self[l])
 *   diagonal(l) -> self[l] ----------+
 *
 * A block is a charged plate, and all plates stand above each other. What is summed up is charge / r: near the plate
 * itself by diagonal, near another one by pair. Diagonals and pairs need nothing, and project takes no time.
 * With a barrier pairs come after all diagonals.
 */
#include "codelets/workloads/blocks.h"
#include "base/tuning.h"
#include "graph/block.h"
#include "graph/status.h"
#include "graph/workloads/row.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    psg_blocks blocks; /* what its tasks see: first, as the problem is the owner of the engine */
    psg_work_options how;
    entry *entry;     /* [count * count]: diagonals, then pairs, each in their order */
    double *value;    /* [count][count]: self on the diagonal */
    double *expected; /* [count]: the sums of what a block is coupled with; 0: not computed yet */
    starpu_data_handle_t *handle; /* [count * count]: of value, and one more: scratch */
} problem;

static size_t entries(const problem *p) {
    return p->blocks.count * p->blocks.count;
}

/* ----------------------------------------------------------------------------------- the cut */

/* "8", or "40+30+20" */
static bool read_sizes(psg_blocks *b, const char *size) {
    const char *at = size;
    while (isdigit((unsigned char)*at) && b->count < PSG_BLOCKS_MOST) {
        const unsigned long number = strtoul(at, NULL, 10);
        at += strspn(at, "0123456789");
        if (b->count == 0 && *at == '\0' && number <= TABLE) {
            b->count = number;
            memcpy(b->cells, table, sizeof table);
        } else if (number > 0 && number <= PSG_BLOCKS_CELLS_MOST) {
            b->cells[b->count++] = (uint32_t)number;
        } else {
            return false;
        }
        if (*at != '+') {
            break;
        }
        at++;
    }
    return b->count >= 2 && *at == '\0' && at[-1] != '+';
}

static psg_status parse(void *memory, const char *size, const psg_work_options *how,
                        psg_precision precision) {
    problem *p = memory;
    (void)precision;
    if (!read_sizes(&p->blocks, size)) {
        return psg_fail(PSG_ERR_ARG,
                        "blocks has no size '%s'. It has %s, up to %d blocks of up to %d cells",
                        size, sizes, PSG_BLOCKS_MOST, PSG_BLOCKS_CELLS_MOST);
    }
    if (how->tile > FINE_MOST) {
        return psg_fail(PSG_ERR_ARG, "tile = %zu: a cell has Q x Q charges, Q from 1 to %d",
                        how->tile, FINE_MOST);
    }
    p->blocks.fine = how->tile > 0 ? (uint32_t)how->tile : FINE;
    p->blocks.by_path = how->priority == PSG_PRIORITY_PATH;
    memset(p->blocks.worker, -1, sizeof p->blocks.worker);
    p->how = *how;
    return PSG_OK;
}

static void tell(const void *memory, char *text, size_t size) {
    const problem *p = memory;
    uint32_t cells = 0;
    for (size_t k = 0; k < p->blocks.count; k++) {
        cells += p->blocks.cells[k];
    }
    (void)snprintf(text, size, "%zu blocks, %u cells of %u x %u charges", p->blocks.count, cells,
                   p->blocks.fine, p->blocks.fine);
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

static psg_status list_entries(problem *p) {
    const size_t count = p->blocks.count;
    entry *next = p->entry = calloc(entries(p), sizeof *p->entry);
    if (p->entry == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for the tasks of %zu blocks", count);
    }
    for (int pairs = 0; pairs < 2; pairs++) {
        for (size_t k = 0; k < count; k++) {
            for (size_t l = 0; l < count; l++) {
                if ((k != l) == (pairs == 1)) {
                    *next++ = (entry){k, l, psg_blocks_terms(&p->blocks, k, l)};
                }
            }
        }
    }
    if (p->how.order == PSG_ORDER_LONGEST) {
        qsort(p->entry, count, sizeof *p->entry, longer_first);
        qsort(p->entry + count, entries(p) - count, sizeof *p->entry, longer_first);
    }
    return PSG_OK;
}

/* Chunks of one phase. Of a static placement they are alike, of a guided one each is the part of what is left that one of
 * the workers would have.
 * @param[in,out] end  [workers->usable_count]: when each is free, in terms */
static void place_phase(problem *p, const psg_workers *workers, const entry *list, size_t count,
                        double *end) {
    const size_t many = workers->usable_count;
    const bool guided = p->how.place == PSG_PLACE_GUIDED;
    size_t next = 0;
    for (size_t m = 0; m < count; next++) {
        const size_t chunk = ((guided ? count - m : count) + many - 1) / many;
        size_t w = guided ? 0 : next;
        for (size_t other = 0; guided && other < many; other++) {
            w = end[other] < end[w] ? other : w;
        }
        for (size_t last = m + chunk; m < last && m < count; m++) {
            p->blocks.worker[list[m].k][list[m].l] = workers->usable[w];
            end[w] += list[m].terms;
        }
    }
}

static void place(void *memory, const psg_workers *workers) {
    problem *p = memory;
    const size_t count = p->blocks.count;
    double end[STARPU_NMAXWORKERS] = {0};
    if (p->how.place == PSG_PLACE_FREE) {
        return;
    }
    place_phase(p, workers, p->entry, count, end);
    if (p->how.barrier != 0) {
        memset(end, 0, sizeof end);
    }
    place_phase(p, workers, p->entry + count, entries(p) - count, end);
}

/* ----------------------------------------------------------------------------------- running */

static psg_needs needs(const void *memory, const psg_workers *workers) {
    const double count = (double)entries(memory);
    return (psg_needs){count * TUNING_HANDLE_BYTES,
                       2 * count * TUNING_TASK_BYTES +
                           (double)workers->count * (double)psg_blocks_scratch() * sizeof(double)};
}

static psg_status make(void *memory, const psg_workers *workers) {
    problem *p = memory;
    (void)workers;
    const size_t count = p->blocks.count;
    const size_t one[3] = {1, 1, 1};
    const size_t scratch[3] = {psg_blocks_scratch(), 1, 1};
    p->value = calloc(entries(p), sizeof *p->value);
    p->expected = calloc(count, sizeof *p->expected);
    p->handle = calloc(entries(p) + 1, sizeof *p->handle);
    if (p->value == NULL || p->expected == NULL || p->handle == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for the numbers of %zu blocks", count);
    }
    for (size_t m = 0; m < entries(p); m++) {
        psg_block_register(&p->handle[m], STARPU_MAIN_RAM, &p->value[m], one, 1, sizeof(double));
    }
    psg_block_register(&p->handle[entries(p)], STARPU_MAIN_RAM, NULL, scratch, scratch[0],
                       sizeof(double));
    return list_entries(p);
}

/* Where there is no barrier, the longest task comes first, be it a diagonal or a pair. */
static void submit(psg_run *run, const void *memory) {
    const problem *p = memory;
    const size_t count = p->blocks.count;
    const bool mixed = p->how.order == PSG_ORDER_LONGEST && p->how.barrier == 0;
    const starpu_data_handle_t scratch = p->handle[entries(p)];
    starpu_data_handle_t self[PSG_BLOCKS_MOST];
    for (size_t k = 0; k < count; k++) {
        self[k] = p->handle[k * count + k];
    }
    for (size_t d = 0, q = count; d < count || q < entries(p);) {
        const bool diagonal = q == entries(p) || (d < count && !mixed) ||
                              (d < count && longer_first(&p->entry[d], &p->entry[q]) < 0);
        const entry *e = &p->entry[diagonal ? d++ : q++];
        if (diagonal) {
            psg_task_blocks_diagonal(run, e->k, self[e->k], scratch);
        } else {
            psg_task_blocks_pair(run, e->k, e->l, p->handle[e->k * count + e->l], scratch, self,
                                 p->how.barrier != 0 ? count : 0);
        }
    }
    for (size_t q = count; q < entries(p); q++) {
        const entry *e = &p->entry[q];
        psg_task_blocks_project(run, e->k, e->l, p->handle[e->k * count + e->l], self[e->k],
                                self[e->l]);
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

/* The potential at so many points, one above each cell, at one height: the distance between a point and a cell is one of
 * few, so each is looked at once, with how often it is there. */
static double layer_potential(const base_plates *p, int64_t points, double z) {
    const int64_t over = base_plate_columns(p->over);
    const int64_t of = base_plate_columns(p->of);
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

static double mean_potential(const base_plates *p) {
    double sum = 0;
    for (uint32_t first = 0; first < p->points; first += p->over) {
        const uint32_t left = p->points - first;
        sum += layer_potential(p, left < p->over ? left : p->over,
                               p->apart + 0.5 * (1 + first / p->over));
    }
    return sum / p->points / p->of;
}

static void expect(const problem *p) {
    const size_t count = p->blocks.count;
    double self[PSG_BLOCKS_MOST];
    for (size_t k = 0; k < count; k++) {
        const base_plates plates = psg_blocks_plates(&p->blocks, k, k);
        self[k] = mean_potential(&plates);
    }
    for (size_t k = 0; k < count; k++) {
        for (size_t l = 0; l < count; l++) {
            const base_plates plates = psg_blocks_plates(&p->blocks, k, l);
            p->expected[k] += k == l ? 0 : mean_potential(&plates) / sqrt(self[k] * self[l]);
        }
    }
}

static size_t answers(const void *memory, psg_answer *list) {
    const problem *p = memory;
    const size_t count = p->blocks.count;
    if (p->expected[0] == 0) {
        expect(p);
    }
    for (size_t k = 0; k < count; k++) {
        list[k] = (psg_answer){.expected = p->expected[k], .tolerance = 1e-6};
        (void)snprintf(list[k].name, sizeof list[k].name, "coupled_%zu", k);
        for (size_t l = 0; l < count; l++) {
            const starpu_data_handle_t pair = p->handle[k * count + l];
            if (starpu_data_acquire_on_node(pair, STARPU_MAIN_RAM, STARPU_R) != 0) {
                return 0;
            }
            list[k].value += k == l ? 0 : p->value[k * count + l];
            starpu_data_release_on_node(pair, STARPU_MAIN_RAM);
        }
    }
    return count;
}

static void destroy(void *memory) {
    problem *p = memory;
    psg_block_unregister(p->handle, p->handle != NULL ? entries(p) + 1 : 0);
    free(p->handle);
    free(p->expected);
    free(p->value);
    free(p->entry);
}

static const int kinds[] = {PSG_KIND_BLOCKS_DIAGONAL, PSG_KIND_BLOCKS_PAIR, PSG_KIND_BLOCKS_PROJECT,
                            -1};

const psg_workload_row psg_workload_blocks = {
    .about = {.name = "blocks",
              .about = "uneven dense blocks, each coupled to each: tasks of very different length",
              .sizes = sizes,
              .tile = "Q: a cell has Q x Q charges; 4 by default",
              .order = 1,
              .barrier = 1,
              .place = 1},
    .bytes = sizeof(problem),
    .kinds = kinds,
    .parse = parse,
    .needs = needs,
    .tell = tell,
    .make = make,
    .place = place,
    .submit = submit,
    .answers = answers,
    .free = destroy,
};
