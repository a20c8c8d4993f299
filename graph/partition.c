/* How the grid is cut: into planes and rows of each process, and those into segments, pencils
 * and bundles. */
#include "graph/internal.h"

#include <stdlib.h>

/* How finely work is cut for a kind of worker. */
typedef struct grain {
    size_t tasks;     /* of one phase for each worker, where the data are large enough */
    size_t bytes_min; /* of f in a task: below, a task costs too much beside its work */
} grain;

/* Two tasks a core: a late core does not hold up the others for long. On a GPU, enough to copy one
 * while another computes; pieces under 32 MB would leave it half empty. */
static const grain cpu_grain = {.tasks = 2, .bytes_min = (size_t)512 << 10};
static const grain gpu_grain = {.tasks = 4, .bytes_min = (size_t)32 << 20};

/* Of a GPU where all data come and go: parts of f or the spectrum that have to be there at once. Two
 * tasks run while the data of a third arrive, each with the part in two arrays; and a worker has a
 * slab or a pencil, and cuFFT's work area, which for long primes is twice as large. */
static const size_t parts_at_once = 9;

/* Of several processes, a message below this costs more for itself than for its bytes. */
static const size_t message_bytes_min = (size_t)256 << 10;

psg_status psg_local_extent(size_t nz, int ranks, int rank, size_t *z0, size_t *count) {
    psg_clear_error();
    if (nz == 0 || ranks < 1 || rank < 0 || rank >= ranks) {
        return psg_fail(PSG_ERR_ARG, "there is no part %d of %zu planes in %d", rank, nz, ranks);
    }
    const size_t parts = (size_t)ranks;
    const size_t m = (size_t)rank;
    const size_t each = nz / parts;
    const size_t more = nz % parts; /* the first of them have one more */
    if (z0 != NULL) {
        *z0 = m * each + (m < more ? m : more);
    }
    if (count != NULL) {
        *count = each + (m < more ? 1 : 0);
    }
    return PSG_OK;
}

static size_t clamp(size_t value, size_t low, size_t high) {
    return value < low ? low : value > high ? high : value;
}

static size_t divide_up(size_t value, size_t by) {
    return (value + by - 1) / by;
}

/* How a run of planes, rows or pencils is cut: into parts of `width`, the last one of what is
 * left; or where that is 0, into `parts` that differ by one at most. */
typedef struct cut {
    size_t parts;
    size_t width;
} cut;

static size_t cut_count(const cut *c, size_t extent) {
    return c->width > 0 ? divide_up(extent, c->width) : clamp(c->parts, 0, extent);
}

/* @param[out] first  as many numbers as parts: where each begins */
static void cut_fill(const cut *c, size_t start, size_t extent, size_t *first) {
    const size_t parts = cut_count(c, extent);
    for (size_t m = 0; m < parts; m++) {
        const size_t each = extent / parts;
        const size_t more = extent % parts;
        first[m] = start + (c->width > 0 ? m * c->width : m * each + (m < more ? m : more));
    }
}

/* So many parts, or more: where a GPU has no room for what it works on, as many more for each worker.
 *  @param[in] most   planes or rows in a part
 *  @param[in] bytes  of one of them in the spectrum */
static size_t parts_of(const psg_plan *plan, size_t tasks, size_t extent, size_t most,
                       size_t bytes) {
    const double fit = plan->room / ((double)parts_at_once * (double)bytes);
    if (fit < (double)extent / (double)tasks) {
        const size_t parts = fit < 1 ? extent : divide_up(extent, (size_t)fit);
        tasks = divide_up(parts, plan->most_workers) * plan->most_workers;
    }
    return clamp(tasks, divide_up(extent, most), extent);
}

/* How each process cuts its planes and its rows: what the options ask, else what suits its data
 * and workers. */
static void choose(const psg_plan *plan, cut *planes, cut *rows) {
    const size_t *n = plan->context.n;
    const size_t ranks = (size_t)plan->ranks;
    const size_t own[3] = {n[0], divide_up(n[1], ranks), divide_up(n[2], ranks)}; /* at most */
    const size_t bytes = n[0] * n[1] * own[2] * plan->context.cpu->real_bytes;
    const grain *g = plan->coarse ? &gpu_grain : &cpu_grain;
    const size_t workers = plan->most_workers;
    size_t tasks = g->tasks * workers;
    const size_t worthwhile = clamp(bytes / g->bytes_min, 1, tasks);
    if (worthwhile < tasks) { /* fewer and larger, but the same for every worker */
        tasks = worthwhile > workers ? worthwhile / workers * workers : worthwhile;
    }
    /* StarPU counts the elements of a block in 32 bits. */
    const size_t planes_max = UINT32_MAX / (n[0] * n[1]);
    const size_t rows_max = UINT32_MAX / (n[2] * plan->context.nxc);
    const size_t row_bytes = 2 * plan->context.nxc * plan->context.cpu->real_bytes;
    *planes = (cut){.parts = parts_of(plan, tasks, own[2], planes_max, n[1] * row_bytes)};
    if (plan->options.segment_planes > 0) {
        planes->width =
            clamp(plan->options.segment_planes, 1, own[2] < planes_max ? own[2] : planes_max);
    }
    *rows = (cut){.parts = parts_of(plan, tasks, own[1], rows_max, n[2] * row_bytes)};
    if (plan->options.pencils > 0) {
        rows->parts =
            clamp(divide_up(plan->options.pencils, ranks), divide_up(own[1], rows_max), own[1]);
    }
}

/* Pencils of a process that travel as one: all, in as many bundles as leave messages large
 * enough. */
static size_t bundles_of(const psg_plan *plan, size_t pencils, size_t rows) {
    const psg_context *c = &plan->context;
    const size_t bytes = plan->segment_planes * rows * c->nxc * 2 * c->cpu->real_bytes;
    return plan->ranks == 1 || pencils == 0 ? pencils
                                            : clamp(bytes / message_bytes_min, 1, pencils);
}

/* The numbers of parts of each process, and in all. */
static void count_parts(psg_plan *plan, const cut *planes, const cut *rows) {
    psg_context *c = &plan->context;
    for (int r = 0; r < plan->ranks; r++) {
        size_t extent = 0;
        (void)psg_local_extent(c->n[2], plan->ranks, r, NULL, &extent);
        plan->rank_segment[r] = c->segments;
        c->segments += cut_count(planes, extent);
        (void)psg_local_extent(c->n[1], plan->ranks, r, NULL, &extent);
        const size_t pencils = cut_count(rows, extent);
        plan->rank_pencil[r] = c->pencils;
        plan->rank_bundle[r] = c->bundles;
        c->pencils += pencils;
        c->bundles += bundles_of(plan, pencils, extent);
    }
    plan->rank_segment[plan->ranks] = c->segments;
    plan->rank_pencil[plan->ranks] = c->pencils;
    plan->rank_bundle[plan->ranks] = c->bundles;
}

static void fill_parts(psg_plan *plan, const cut *planes, const cut *rows) {
    const psg_context *c = &plan->context;
    for (int r = 0; r < plan->ranks; r++) {
        size_t start = 0;
        size_t extent = 0;
        (void)psg_local_extent(c->n[2], plan->ranks, r, &start, &extent);
        cut_fill(planes, start, extent, plan->z0 + plan->rank_segment[r]);
        (void)psg_local_extent(c->n[1], plan->ranks, r, &start, &extent);
        cut_fill(rows, start, extent, plan->y0 + plan->rank_pencil[r]);
        const cut bundles = {.parts = plan->rank_bundle[r + 1] - plan->rank_bundle[r]};
        cut_fill(&bundles, plan->rank_pencil[r], plan->rank_pencil[r + 1] - plan->rank_pencil[r],
                 plan->bundle_p0 + plan->rank_bundle[r]);
    }
    plan->z0[c->segments] = c->n[2];
    plan->y0[c->pencils] = c->n[1];
    plan->bundle_p0[c->bundles] = c->pencils;
    for (size_t g = 0; g <= c->bundles; g++) {
        plan->bundle_y0[g] = plan->y0[plan->bundle_p0[g]];
    }
}

static psg_range own(const size_t *first, int rank) {
    return (psg_range){.first = first[rank], .end = first[rank + 1]};
}

psg_status psg_partition_make(psg_plan *plan) {
    psg_context *c = &plan->context;
    const size_t ranks = (size_t)plan->ranks;
    cut planes;
    cut rows;
    choose(plan, &planes, &rows);
    const size_t most = divide_up(c->n[2], ranks);
    plan->segment_planes = planes.width > 0 ? planes.width : divide_up(most, planes.parts);
    plan->rank_segment = malloc((ranks + 1) * sizeof *plan->rank_segment);
    plan->rank_pencil = malloc((ranks + 1) * sizeof *plan->rank_pencil);
    plan->rank_bundle = malloc((ranks + 1) * sizeof *plan->rank_bundle);
    if (plan->rank_segment == NULL || plan->rank_pencil == NULL || plan->rank_bundle == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for the parts of %zu processes", ranks);
    }
    count_parts(plan, &planes, &rows);
    plan->z0 = malloc((c->segments + 1) * sizeof *plan->z0);
    plan->y0 = malloc((c->pencils + 1) * sizeof *plan->y0);
    plan->bundle_p0 = malloc((c->bundles + 1) * sizeof *plan->bundle_p0);
    plan->bundle_y0 = malloc((c->bundles + 1) * sizeof *plan->bundle_y0);
    if (plan->z0 == NULL || plan->y0 == NULL || plan->bundle_p0 == NULL ||
        plan->bundle_y0 == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for %zu segments and %zu pencils", c->segments,
                        c->pencils);
    }
    fill_parts(plan, &planes, &rows);
    c->z0 = plan->z0;
    c->y0 = plan->y0;
    c->bundle_p0 = plan->bundle_p0;
    c->bundle_y0 = plan->bundle_y0;
    c->own_segments = own(plan->rank_segment, plan->rank);
    c->own_pencils = own(plan->rank_pencil, plan->rank);
    c->own_bundles = own(plan->rank_bundle, plan->rank);
    return PSG_OK;
}
