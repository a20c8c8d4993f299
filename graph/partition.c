/* How the grid is cut: into planes and rows of each process, and those into segments, sheets
 * and bundles. */
#include "graph/partition.h"
#include "base/tuning.h"
#include "graph/plan_struct.h"
#include "graph/status.h"
#include "runtime/team.h"

#include <stdlib.h>

/* Where part m of an extent begins, if parts differ by one at most and the first are the larger. */
static size_t even_at(size_t extent, size_t parts, size_t m) {
    const size_t more = extent % parts;
    return m * (extent / parts) + (m < more ? m : more);
}

psg_status psg_local_extent(size_t nz, int ranks, int rank, size_t *z0, size_t *count) {
    psg_clear_error();
    if (nz == 0 || ranks < 1 || rank < 0 || rank >= ranks) {
        return psg_fail(PSG_ERR_ARG, "there is no part %d of %zu planes in %d", rank, nz, ranks);
    }
    const size_t parts = (size_t)ranks;
    const size_t m = (size_t)rank;
    if (z0 != NULL) {
        *z0 = even_at(nz, parts, m);
    }
    if (count != NULL) {
        *count = even_at(nz, parts, m + 1) - even_at(nz, parts, m);
    }
    return PSG_OK;
}

static size_t clamp(size_t value, size_t low, size_t high) {
    return value < low ? low : value > high ? high : value;
}

static size_t divide_up(size_t value, size_t by) {
    return (value + by - 1) / by;
}

/* How a run of planes, rows or sheets is cut: into parts of `width`, the last one of what is
 * left; or where that is 0, into `parts` that differ by one at most, the larger ones first or
 * between the others. */
typedef struct cut {
    size_t parts;
    size_t width;
    bool mixed;
} cut;

static size_t cut_count(const cut *c, size_t extent) {
    return c->width > 0 ? divide_up(extent, c->width) : clamp(c->parts, 0, extent);
}

/* Where part m of an extent begins; the last one's end. */
static size_t cut_at(const cut *c, size_t extent, size_t m) {
    const size_t parts = cut_count(c, extent);
    const size_t at = c->width > 0 ? m * c->width
                      : c->mixed   ? extent * m / parts
                                   : even_at(extent, parts, m);
    return m < parts ? at : extent;
}

/* The planes or rows of the process that has most. */
static size_t most_of(const psg_plan *plan, size_t n) {
    return divide_up(n, (size_t)plan->processes.ranks);
}

/* A process' planes and rows are two runs: the GPUs', and then the cores'. Where all is of one
 * kind, the other run is empty. */
enum { CORES = 0, GPUS, KINDS };

static size_t run_of(const psg_plan *plan, int kind, size_t extent) {
    const size_t cores = psg_workers_cores(plan->workers.cpu_share, extent);
    return kind == CORES ? cores : extent - cores;
}

/* Tasks of a phase that suit so many planes, and as many rows, on workers of a kind. */
static size_t suiting_tasks(const psg_context *c, const psg_grain *g, size_t workers, bool sheets,
                            size_t planes) {
    const size_t bytes = c->layout.n[0] * c->layout.n[1] * planes * c->cpu->real_bytes;
    const size_t tasks = (sheets ? g->sheets : g->segments) * workers;
    const size_t worthwhile = clamp(bytes / g->bytes_min, 1, tasks);
    if (worthwhile < tasks) { /* fewer and larger, but the same for every worker */
        return worthwhile > workers ? worthwhile / workers * workers : worthwhile;
    }
    return tasks;
}

static size_t field_bytes(const psg_plan *plan) {
    const psg_context *c = &plan->context;
    return c->layout.n[0] * c->layout.n[1] * c->layout.n[2] * c->cpu->real_bytes;
}

/* All that a process has for another one, bytes. */
static size_t bytes_between(const psg_plan *plan) {
    const psg_context *c = &plan->context;
    return most_of(plan, c->layout.n[2]) * most_of(plan, c->layout.nyc) * c->layout.nxc * 2 *
           c->cpu->real_bytes;
}

/* Planes and rows are cut alike, so n parts of each make messages of 1/n^2 of the bytes. Each GPU
 * has as many parts as the others. */
size_t psg_partition_pieces(const psg_plan *plan, size_t tasks, bool sheets) {
    const size_t gpus = plan->workers.most[GPUS];
    const double parts = sqrt((double)bytes_between(plan) / plan->route.exchange->piece_bytes);
    (void)sheets;
    return clamp((size_t)parts / gpus * gpus, tasks, most_of(plan, plan->context.layout.n[2]));
}

static size_t one_each(const psg_plan *plan, size_t tasks) {
    const size_t here = plan->route.home->parts_each, placed = plan->route.placement->parts_each;
    return clamp(tasks, 1, (here > placed ? here : placed) * plan->workers.most[GPUS]);
}

/* One part is best if one GPU has all of a small f: a second launch costs more than copies beside
 * work save. */
size_t psg_partition_suiting(const psg_plan *plan, size_t tasks, bool sheets) {
    (void)sheets;
    return psg_placement_one_gpu(plan) && field_bytes(plan) <= TUNING_GPU_UNCUT_BYTES
               ? one_each(plan, tasks)
               : tasks;
}

/* GPUs that reach all blocks copy no sheet while they transform another. One sheet for each GPU is
 * enough, and has the largest blocks. */
size_t psg_partition_one_each(const psg_plan *plan, size_t tasks, bool sheets) {
    if (sheets) {
        return clamp(tasks, 1, plan->workers.most[GPUS]);
    }
    return psg_placement_one_gpu(plan) ? psg_partition_suiting(plan, tasks, sheets)
                                       : one_each(plan, tasks);
}

/* Where some blocks go to other nodes, they go in pieces. */
size_t psg_partition_shared(const psg_plan *plan, size_t tasks, bool sheets) {
    return (psg_processes_far(&plan->processes) ? psg_partition_pieces
                                                : psg_partition_one_each)(plan, tasks, sheets);
}

/* Planes, or rows of the spectrum. */
static size_t extent_of(const psg_plan *plan, bool sheets) {
    return sheets ? plan->context.layout.nyc : plan->context.layout.n[2];
}

/* What a core has to do: planes, or of sheets tiles of columns, of which a last one may
 * not be full. */
static size_t work_of(const psg_plan *plan, bool sheets, size_t from, size_t to) {
    return sheets ? divide_up((to - from) * plan->context.layout.nxc, PSG_CPU_TILE_COLUMNS)
                  : to - from;
}

/* That of the busiest member, if each has its share of the parts. */
static size_t busiest_of(const psg_plan *plan, bool sheets, size_t cores, size_t parts) {
    const size_t extent = extent_of(plan, sheets);
    size_t most = 0;
    for (size_t m = 0; m < cores; m++) {
        size_t here = 0;
        for (size_t p = parts * m / cores; p < parts * (m + 1) / cores; p++) {
            here += work_of(plan, sheets, extent * p / parts, extent * (p + 1) / parts);
        }
        most = here > most ? here : most;
    }
    return most;
}

/* The finest cut, into `most` parts at most, whose busiest core has hardly more to do than that of
 * the best one. */
static size_t balanced(const psg_plan *plan, bool sheets, size_t cores, size_t most) {
    const size_t finest = clamp(most, 1, extent_of(plan, sheets));
    size_t least = SIZE_MAX;
    for (size_t parts = 1; parts <= finest; parts++) {
        const size_t busiest = busiest_of(plan, sheets, cores, parts);
        least = busiest < least ? busiest : least;
    }
    size_t parts = finest;
    while (busiest_of(plan, sheets, cores, parts) > least + least / TUNING_TEAM_UNEVEN) {
        parts--;
    }
    return parts;
}

size_t psg_partition_team(const psg_plan *plan, bool sheets) {
    const size_t bytes = field_bytes(plan);
    const size_t members = psg_team_members((double)bytes, plan->workers.cpu_count);
    const size_t some = TUNING_TEAM_PARTS * members;
    const size_t large = some > TUNING_TEAM_PARTS_MANY ? some : TUNING_TEAM_PARTS_MANY;
    return balanced(plan, sheets, members, clamp(bytes / TUNING_TEAM_PART_BYTES, members, large));
}

/* Tasks of a phase by cores that find all in one memory. */
static size_t tasks_in_place(const psg_plan *plan, bool sheets) {
    const size_t bytes = field_bytes(plan);
    const size_t cores = plan->workers.cpu_count;
    const size_t least = clamp(bytes / TUNING_CORE_TASK_BYTES, 1, cores);
    return balanced(plan, sheets, cores,
                    clamp(bytes / TUNING_CPU_TASK_BYTES, least, TUNING_CORE_TASKS * cores));
}

static size_t tasks_of(const psg_plan *plan, int kind, bool sheets) {
    static const psg_grain of_cores = {TUNING_CPU_TASKS, TUNING_CPU_TASKS, TUNING_CPU_TASK_BYTES};
    if (psg_route_one_memory(plan)) {
        return tasks_in_place(plan, sheets);
    }
    const size_t tasks =
        suiting_tasks(&plan->context, kind == GPUS ? &plan->route.placement->grain : &of_cores,
                      plan->workers.most[kind], sheets,
                      run_of(plan, kind, most_of(plan, plan->context.layout.n[2])));
    if (kind == GPUS) {
        return plan->route.exchange->gpu_parts(plan, tasks, sheets);
    }
    return psg_processes_far(&plan->processes)
               ? clamp(bytes_between(plan) / TUNING_FAR_BYTES, tasks, TUNING_FINER_FAR * tasks)
               : tasks;
}

/* Raises `tasks` to the next multiple of the workers at which one part fits the GPU's free memory
 * and has fewer than 2^32 elements.
 *  @param[in] most   planes or rows in a part
 *  @param[in] bytes  of a plane or row in the spectrum. A task needs room for some of them. 0: it
 *  needs none */
static size_t parts_of(const psg_plan *plan, int kind, size_t tasks, size_t extent, size_t most,
                       size_t bytes) {
    const size_t workers = plan->workers.most[kind];
    const double fit =
        bytes > 0 ? plan->placement.room / (TUNING_GPU_PARTS_AT_ONCE * (double)bytes) : INFINITY;
    if (kind == GPUS && fit < (double)extent / (double)tasks) {
        const size_t parts = fit < 1 ? extent : divide_up(extent, (size_t)fit);
        tasks = divide_up(parts, workers) * workers;
    }
    const size_t least = divide_up(extent, most);
    if (least > tasks) {
        tasks = divide_up(least, workers) * workers;
    }
    return clamp(tasks, least, extent);
}

/* How each process cuts a kind's planes, and its rows: what the options ask, else what suits it.
 * StarPU counts the elements of a block in 32 bits. */
static cut choose_planes(const psg_plan *plan, int kind) {
    const size_t *n = plan->context.layout.n;
    const size_t own = run_of(plan, kind, most_of(plan, n[2]));
    const size_t planes_max = UINT32_MAX / (n[0] * n[1]);
    const size_t row_bytes = 2 * plan->context.layout.nxc * plan->context.cpu->real_bytes;
    size_t (*const suiting)(const psg_plan *, bool) = plan->route.executor->parts;
    const size_t tasks = suiting != NULL ? suiting(plan, false) : tasks_of(plan, kind, false);
    cut planes = {
        .parts = parts_of(plan, kind, tasks, own, planes_max, plan->context.layout.nyc * row_bytes),
        .mixed = suiting != NULL};
    if (plan->problem.options.segment_planes > 0) {
        planes.width =
            clamp(plan->problem.options.segment_planes, 1, own < planes_max ? own : planes_max);
    }
    return planes;
}

/* The share of the asked sheets for one kind of worker, cut like the rows. */
static size_t sheets_of(const psg_plan *plan, int kind) {
    const size_t asked =
        most_of(plan, clamp(plan->problem.options.sheets, 1, plan->context.layout.nyc));
    return clamp(run_of(plan, kind, asked), 1, asked);
}

static cut choose_rows(const psg_plan *plan, int kind) {
    const size_t *n = plan->context.layout.n;
    const size_t own = run_of(plan, kind, most_of(plan, plan->context.layout.nyc));
    const size_t rows_max = UINT32_MAX / (n[2] * plan->context.layout.nxc);
    const size_t bytes = plan->route.home->sheet_copies * n[2] * 2 * plan->context.layout.nxc *
                         plan->context.cpu->real_bytes;
    size_t (*const suiting)(const psg_plan *, bool) = plan->route.executor->parts;
    const size_t sheets = suiting != NULL ? suiting(plan, true) : tasks_of(plan, kind, true);
    if (plan->problem.options.sheets > 0) {
        return (cut){.parts = clamp(sheets_of(plan, kind), divide_up(own, rows_max), own)};
    }
    return (cut){.parts = parts_of(plan, kind, sheets, own, rows_max, bytes),
                 .mixed = suiting != NULL};
}

/* Sheets of a process that travel as one: all, in as many bundles as leave messages large
 * enough. */
static size_t bundles_of(const psg_plan *plan, int rank) {
    const psg_context *c = &plan->context;
    const psg_range own = psg_parts_of(&c->layout.sheets, rank);
    const psg_range all = {0, c->layout.segments.count};
    const size_t bytes = psg_parts_largest(&c->layout.segments, all, 2) *
                         psg_parts_length(&c->layout.sheets, own, 1) * c->layout.nxc * 2 *
                         c->cpu->real_bytes;
    const size_t sheets = psg_range_count(own);
    return sheets == 0 ? 0 : clamp(bytes / plan->route.exchange->bundle_bytes, 1, sheets);
}

static psg_status allocate(psg_parts *parts, size_t most, const psg_plan *plan) {
    parts->part = calloc(most + 1, sizeof *parts->part);
    parts->first = calloc((size_t)plan->processes.ranks + 1, sizeof *parts->first);
    return parts->part != NULL && parts->first != NULL
               ? PSG_OK
               : psg_fail(PSG_ERR_MEMORY, "no memory for %zu segments or sheets", most);
}

/* The parts of the next process follow. */
static void end_process(psg_parts *parts, const psg_plan *plan, int rank) {
    parts->first[rank + 1] = parts->count;
    if (rank == plan->processes.rank) {
        parts->own = psg_parts_of(parts, rank);
    }
}

/* Add the parts of a run, `all` of it, along the axis d. @return how many parts there are now */
static size_t cut_run(psg_parts *parts, const cut *c, psg_part all, int d) {
    const size_t extent = psg_box_length(&all.box, d);
    for (size_t m = 0; m < cut_count(c, extent); m++) {
        psg_part *part = &parts->part[parts->count++];
        *part = all;
        part->box.lo[d] = all.box.lo[d] + cut_at(c, extent, m);
        part->box.hi[d] = all.box.lo[d] + cut_at(c, extent, m + 1);
    }
    return parts->count;
}

/* Cut an array of n[0] x n[1] x n[2] elements along the axis d, for each process first the GPUs'
 * run. */
static psg_status cut_array(psg_parts *parts, const psg_plan *plan, const cut cuts[KINDS],
                            const size_t n[3], int d) {
    const size_t ranks = (size_t)plan->processes.ranks;
    const size_t longest = most_of(plan, n[d]);
    const size_t most = cut_count(&cuts[GPUS], longest) + cut_count(&cuts[CORES], longest);
    const psg_status status = allocate(parts, ranks * most, plan);
    for (int r = 0; r < plan->processes.ranks && status == PSG_OK; r++) {
        psg_part all = {.box.hi = {n[0], n[1], n[2]}, .process = r, .home = -1, .worker = -1};
        size_t extent = 0;
        (void)psg_local_extent(n[d], plan->processes.ranks, r, &all.box.lo[d], &extent);
        all.box.hi[d] = all.box.lo[d] + run_of(plan, GPUS, extent);
        const size_t gpus_end = cut_run(parts, &cuts[GPUS], all, d);
        all.box.lo[d] = all.box.hi[d];
        all.box.hi[d] += run_of(plan, CORES, extent);
        (void)cut_run(parts, &cuts[CORES], all, d);
        end_process(parts, plan, r);
        if (r == plan->processes.rank) {
            parts->gpus = (psg_range){parts->own.first, gpus_end};
        }
    }
    return status;
}

/* A table of a Green's function, GPUs, messages and the staged graph want rows of planes. */
static bool cuts_rows(const psg_plan *plan) {
    const psg_context *c = &plan->context;
    return c->layout.nxc * c->layout.nyc == c->layout.row && plan->processes.ranks == 1 &&
           plan->workers.gpu_count == 0 && !c->tabled &&
           psg_graph_has(&c->graph, PSG_TASK_FORWARD_XY, false);
}

psg_status psg_partition_planes(psg_layout *l, const psg_plan *plan) {
    if (cuts_rows(plan)) {
        l->nxc = 1;
        l->nyc = l->row;
    }
    const cut planes[KINDS] = {choose_planes(plan, CORES), choose_planes(plan, GPUS)};
    return cut_array(&l->segments, plan, planes, l->n, 2);
}

static psg_status make_bundles(psg_layout *l, const psg_plan *plan) {
    const psg_status status = allocate(&l->bundles, l->sheets.count, plan);
    for (int r = 0; r < plan->processes.ranks && status == PSG_OK; r++) {
        const psg_range own = psg_parts_of(&l->sheets, r);
        const size_t sheets = psg_range_count(own);
        const cut bundles = {.parts = bundles_of(plan, r)};
        for (size_t m = 0; m < bundles.parts; m++) {
            const psg_range of = {own.first + cut_at(&bundles, sheets, m),
                                  own.first + cut_at(&bundles, sheets, m + 1)};
            psg_part *bundle = &l->bundles.part[l->bundles.count++];
            *bundle = l->sheets.part[of.first];
            bundle->box.hi[1] = l->sheets.part[of.end - 1].box.hi[1];
            bundle->sheets = of;
        }
        end_process(&l->bundles, plan, r);
    }
    return status;
}

/* Part m of those that are our GPUs' is that of the GPU whose share of them it falls into.
 * @param[in] worker  that has its tasks */
static void spread(psg_parts *parts, const psg_plan *plan, int (*worker)(int gpu)) {
    const psg_range of = parts->gpus;
    const size_t gpu_count = plan->workers.gpu_count;
    for (size_t m = of.first; m < of.end && gpu_count > 0; m++) {
        const int gpu = plan->workers.gpus[(m - of.first) * gpu_count / psg_range_count(of)];
        parts->part[m].home = plan->route.placement->home(gpu);
        parts->part[m].worker = worker(gpu);
    }
}

psg_status psg_partition_rows(psg_layout *l, const psg_plan *plan) {
    const cut rows[KINDS] = {choose_rows(plan, CORES), choose_rows(plan, GPUS)};
    const size_t spectrum[3] = {l->nxc, l->nyc, l->n[2]};
    psg_status status = cut_array(&l->sheets, plan, rows, spectrum, 1);
    status = status == PSG_OK ? make_bundles(l, plan) : status;
    if (status != PSG_OK) {
        return status;
    }
    spread(&l->segments, plan, plan->route.placement->segment);
    spread(&l->sheets, plan, plan->route.placement->sheet);
    for (size_t g = 0; g < l->bundles.count; g++) {
        psg_part *bundle = &l->bundles.part[g];
        const bool alone =
            psg_range_count(bundle->sheets) == 1; /* else it is split in main memory */
        bundle->home = alone ? l->sheets.part[bundle->sheets.first].home : -1;
    }
    return PSG_OK;
}
