/* Workspaces: room for the spectrum of a solve, cut into blocks, on the devices that own its
 * segments, or where blocks are exchanged its sheets. */
#include "graph/workspace.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "graph/block.h"
#include "graph/overlap_rows.h"
#include "graph/placement.h"
#include "graph/plan_struct.h"
#include "graph/shared_memory.h"
#include "graph/status.h"
#include "runtime/device.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

/* --------------------------------------------------------------------------------- chunks */

bool psg_chunk_allocate(const psg_plan *plan, psg_chunk *chunk) {
    chunk->memory = chunk->node != STARPU_MAIN_RAM
                        ? (void *)starpu_malloc_on_node((unsigned)chunk->node, chunk->bytes)
                    : plan->workers.gpu_count > 0 ? psg_devices->host_alloc(chunk->bytes)
                                                  : base_allocate(chunk->bytes);
    return chunk->memory != NULL;
}

void psg_chunk_release(const psg_plan *plan, psg_chunk *chunk) {
    if (chunk->node != STARPU_MAIN_RAM) {
        starpu_free_on_node((unsigned)chunk->node, (uintptr_t)chunk->memory, chunk->bytes);
    } else if (plan->workers.gpu_count > 0) {
        psg_devices->host_free(chunk->memory);
    } else {
        free(chunk->memory);
    }
}

/* What stands in a workspace, in this order. All of it is complex.
 *
 *   views:   [segments]            a segment's planes, that the blocks are views of
 *   dense, one process, several that share memory within a node, or that NCCL connects:
 *            [own bundles]         a bundle's blocks end to end: all planes of its rows, without
 *                                  overlap rows
 *            [own sheets]          the overlap rows of a sheet before `kspace`, unless they are
 *                                  pulled
 *            [own segments]        the overlap rows of all sheets in a segment's planes, after it
 *   several: [far][own segments]   a segment's planes of the rows of each process that does not
 *                                  share its memory with this one, or of each process where none
 *                                  does: its blocks end to end
 *            [their segments]      where none does, the others' planes of our rows: their blocks
 *                                  end to end
 *   staged:  [own segments]        a segment's spectrum, unless it is its only block
 *            [own sheets]          a sheet, unless it is its only block
 *
 * So what goes to one process is in one piece, and what comes from it too; and a sheet's task
 * finds one array, whoever wrote it. Within a process, and on GPUs, a bundle is a sheet. */
enum { STACKS, SENT, RETURNED, OUTWARD, INWARD, SPECTRA, SHEETS, LISTS };

typedef struct layout {
    const psg_plan *plan;
    bool stacked; /* blocks stand with those of their bundle, else with those of their segment */
    size_t own;   /* segments of this process */
    size_t count[LISTS]; /* items of each list: with a bundle's blocks, with the overlap rows of a
                          * sheet before `kspace`, and of a segment after it, with a segment's
                          * blocks, ours or another's, with segments' spectra, and with sheets */
} layout;

/* Do the blocks of our segments for a process stand with these segments? */
static bool goes_out(const layout *l, int rank) {
    return !l->stacked || !psg_shared_reaches(l->plan, rank);
}

/* How many of the processes below `rank` are such. */
static size_t outward_before(const layout *l, int rank) {
    size_t count = 0;
    for (int r = 0; r < rank; r++) {
        count += goes_out(l, r) ? 1 : 0;
    }
    return count;
}

static layout layout_of(const psg_plan *plan) {
    const psg_context *c = &plan->context;
    const size_t own = psg_range_count(c->layout.segments.own);
    const size_t sheets = psg_range_count(c->layout.sheets.own);
    const size_t overlap = psg_overlap_rows_all(&c->layout);
    const bool shared = plan->processes.ranks == 1 || plan->route.sharing != NULL ||
                        plan->route.exchange->from_home;
    layout l = {.plan = plan, .stacked = c->form.packed && shared, .own = own};
    l.count[STACKS] = l.stacked ? psg_range_count(c->layout.bundles.own) : 0;
    l.count[OUTWARD] = outward_before(&l, plan->processes.ranks) * own;
    l.count[INWARD] = l.stacked ? 0 : c->layout.segments.count - own;
    l.count[SENT] = overlap > c->layout.overlap.pulled_rows ? sheets : 0;
    l.count[RETURNED] = overlap > 0 ? own : 0;
    l.count[SPECTRA] = psg_graph_has(&c->graph, PSG_TASK_PACK, false) ? own : 0;
    l.count[SHEETS] = psg_graph_has(&c->graph, PSG_TASK_UNPACK, true) ? sheets : 0;
    return l;
}

/* Item m of a list, as one of all. */
static size_t item_at(const layout *l, int list, size_t m) {
    for (int before = 0; before < list; before++) {
        m += l->count[before];
    }
    return m;
}

static size_t item_count(const layout *l) {
    return item_at(l, LISTS, 0);
}

/* Without overlap rows; where there are some, bundles are sheets. */
static size_t stacked_rows(const psg_layout *l, size_t g) {
    return psg_box_length(&l->bundles.part[g].box, 1) - psg_overlap_rows_of(l, g);
}

static size_t rows_of(const psg_plan *plan, int rank) {
    const psg_parts *sheets = &plan->context.layout.sheets;
    return psg_parts_length(sheets, psg_parts_of(sheets, rank), 1);
}

/* The rows of process number m among those whose blocks stand with our segments. */
static size_t outward_rows(const layout *l, size_t m) {
    int rank = 0;
    while (outward_before(l, rank + 1) <= m) {
        rank++;
    }
    return rows_of(l->plan, rank);
}

/* What an item holds: some rows of a segment's planes, or of a sheet. */
typedef struct subject {
    bool sheet;
    size_t index;
    size_t rows;
} subject;

static subject subject_of(const layout *l, size_t m) {
    const psg_plan *plan = l->plan;
    const psg_layout *cut = &plan->context.layout;
    const size_t s = cut->segments.own.first;
    const size_t p = cut->sheets.own.first;
    const size_t g = cut->bundles.own.first;
    int list = 0;
    while (m >= l->count[list]) {
        m -= l->count[list++];
    }
    switch (list) {
    case OUTWARD:
        return (subject){false, s + m % l->own, outward_rows(l, m / l->own)};
    case INWARD:
        return (subject){false, m < s ? m : m + l->own, rows_of(plan, plan->processes.rank)};
    case STACKS:
        return (subject){true, cut->bundles.part[g + m].sheets.first, stacked_rows(cut, g + m)};
    case SENT:
        return (subject){true, p + m, psg_overlap_rows_of(cut, p + m)};
    case RETURNED:
        return (subject){false, s + m, psg_overlap_rows_all(cut)};
    case SPECTRA:
        return (subject){false, s + m, cut->nyc};
    default:
        return (subject){true, p + m, psg_layout_rows(cut, p + m)};
    }
}

typedef struct item {
    size_t bytes;
    int node;
} item;

static item item_of(const layout *l, size_t m) {
    const psg_context *c = &l->plan->context;
    const subject about = subject_of(l, m);
    const psg_parts *parts = about.sheet ? &c->layout.sheets : &c->layout.segments;
    const size_t planes = psg_box_length(&parts->part[about.index].box, 2);
    return (item){planes * about.rows * c->layout.nxc * 2 * c->cpu->real_bytes,
                  l->plan->route.home->node(parts->part[about.index].home)};
}

bool psg_workspace_find(const psg_plan *plan, const psg_workspace *workspace, const void *address,
                        psg_copy *copy) {
    const layout l = layout_of(plan);
    for (size_t m = 0; m < item_count(&l); m++) {
        if (address >= workspace->item[m] &&
            (const char *)address < (const char *)workspace->item[m] + item_of(&l, m).bytes) {
            const subject about = subject_of(&l, m);
            copy->data = 's';
            *(about.sheet ? &copy->sheet : &copy->segment) = about.index;
            return true;
        }
    }
    return false;
}

/* One chunk holds a run of items on the same node, end to end: the spectra of segments that blocks
 * are views of are one array of planes, and a sheet in it one array of columns.
 * @return the item after the run; 0: no memory */
static size_t make_chunk(psg_workspace *workspace, const layout *l, size_t first) {
    const int node = item_of(l, first).node;
    const size_t exchanged = item_at(l, SPECTRA, 0);
    const size_t stop = first < exchanged ? exchanged : item_count(l);
    size_t end = first;
    size_t bytes = 0;
    while (end < stop && item_of(l, end).node == node) {
        bytes += item_of(l, end++).bytes;
    }
    psg_chunk *chunk = &workspace->chunks[workspace->chunk_count];
    *chunk = (psg_chunk){.node = node, .bytes = bytes > 0 ? bytes : 1, .first = first};
    if (!l->plan->route.exchange->allocate(l->plan, chunk)) { /* nothing of all is no failure */
        return 0;
    }
    workspace->chunk_count++;
    char *next = chunk->memory;
    for (size_t m = first; m < end; m++) {
        workspace->item[m] = next;
        next += item_of(l, m).bytes;
    }
    return end;
}

/* ---------------------------------------------------------------------------------- blocks */

/* Where the block of segment s and bundle g stands: an item, rows of it before, and rows from one
 * plane to the next. Packed, a segment's item is its blocks end to end; else it is
 * [planes][all rows], and they are views of it. */
typedef struct place {
    size_t item;
    size_t rows;
    size_t pitch;
} place;

static place place_of(const layout *l, size_t s, size_t g) {
    const psg_layout *cut = &l->plan->context.layout;
    const psg_part *bundle = &cut->bundles.part[g];
    const psg_range own = cut->segments.own;
    const size_t rows = stacked_rows(cut, g);
    const bool outward = psg_range_has(own, s) && goes_out(l, bundle->process);
    if (l->stacked && !outward) {
        return (place){item_at(l, STACKS, g - cut->bundles.own.first),
                       cut->segments.part[s].box.lo[2] * rows, rows};
    }
    const size_t before_it = outward_before(l, bundle->process) * l->own;
    const size_t at = outward ? item_at(l, OUTWARD, before_it + s - own.first)
                              : item_at(l, INWARD, s < own.first ? s : s - l->own);
    const size_t first = cut->bundles.first[bundle->process];
    const size_t before = psg_parts_length(&cut->bundles, (psg_range){first, g}, 1);
    return l->plan->context.form.packed ? (place){at, before * psg_layout_planes(cut, s), rows}
                                        : (place){at, before, cut->nyc};
}

static void register_block(starpu_data_handle_t *block, const psg_workspace *workspace,
                           const layout *l, size_t s, size_t g) {
    const psg_context *c = &l->plan->context;
    const size_t element = 2 * c->cpu->real_bytes;
    const psg_part *bundle = &c->layout.bundles.part[g];
    const psg_box box = psg_layout_block(&c->layout, s, bundle);
    const size_t n[3] = {psg_box_length(&box, 0), stacked_rows(&c->layout, g),
                         psg_box_length(&box, 2)};
    const place at = place_of(l, s, g);
    const int rank = bundle->process;
    const bool taken = rank != l->plan->processes.rank && !goes_out(l, rank);
    const int home = c->layout.segments.part[s].home;
    const int node = taken ? l->plan->route.home->node(home) : item_of(l, at.item).node;
    char *memory =
        taken ? psg_shared_item(workspace, l->plan, rank, g - c->layout.bundles.first[rank], home)
              : workspace->item[at.item];
    psg_block_register(block, node, memory + at.rows * n[0] * element, n, n[0] * at.pitch, element);
    starpu_data_set_coordinates(*block, 2, (int)s, (int)box.lo[1]);
}

static void register_segment(psg_workspace *workspace, const layout *l, size_t s) {
    const psg_plan *plan = l->plan;
    const psg_context *c = &plan->context;
    const size_t own = s - c->layout.segments.own.first;
    for (size_t g = 0; g < c->layout.bundles.count; g++) {
        register_block(&workspace->bundles[own * c->layout.bundles.count + g], workspace, l, s, g);
    }
    if (!psg_graph_has(&c->graph, PSG_TASK_FFT_XY, false)) {
        return; /* the only spectra are the blocks */
    }
    if (l->count[SPECTRA] == 0) {
        workspace->spectra[own] = workspace->bundles[own * c->layout.bundles.count];
    } else {
        const size_t n[3] = {c->layout.nxc, c->layout.nyc, psg_layout_planes(&c->layout, s)};
        const size_t at = item_at(l, SPECTRA, own);
        psg_block_register(&workspace->spectra[own], item_of(l, at).node, workspace->item[at], n,
                           n[0] * n[1], 2 * c->cpu->real_bytes);
    }
}

/* A block that came in a bundle with others is a view of it. */
static void register_in_bundle(psg_workspace *workspace, const psg_plan *plan, size_t s, size_t g,
                               starpu_data_handle_t arrival) {
    const psg_context *c = &plan->context;
    const size_t stride = psg_range_count(c->layout.sheets.own);
    const size_t element = 2 * c->cpu->real_bytes;
    const psg_part *bundle = &c->layout.bundles.part[g];
    for (size_t p = bundle->sheets.first; p < bundle->sheets.end; p++) {
        starpu_data_handle_t *block =
            &workspace->blocks[s * stride + p - c->layout.sheets.own.first];
        if (psg_range_count(bundle->sheets) == 1) {
            *block = arrival;
            continue;
        }
        const psg_box box = psg_layout_block(&c->layout, s, &c->layout.sheets.part[p]);
        const size_t n[3] = {psg_box_length(&box, 0), psg_box_length(&box, 1),
                             psg_box_length(&box, 2)};
        char *memory = (char *)starpu_block_get_local_ptr(arrival);
        psg_block_register(block, STARPU_MAIN_RAM,
                           memory + (box.lo[1] - bundle->box.lo[1]) * n[0] * element, n,
                           psg_box_length(&bundle->box, 1) * n[0], element);
        starpu_data_set_coordinates(*block, 2, (int)s, (int)box.lo[1]);
    }
}

/* What this process' sheets get of segment s, from itself or another. */
static void register_arrivals(psg_workspace *workspace, const layout *l, size_t s) {
    const psg_plan *plan = l->plan;
    const psg_context *c = &plan->context;
    const psg_range own = c->layout.bundles.own;
    const bool mine = psg_range_has(c->layout.segments.own, s);
    for (size_t g = own.first; g < own.end; g++) {
        starpu_data_handle_t *arrival =
            &workspace->arrivals[s * (own.end - own.first) + g - own.first];
        if (mine) {
            *arrival =
                workspace
                    ->bundles[(s - c->layout.segments.own.first) * c->layout.bundles.count + g];
        } else {
            register_block(arrival, workspace, l, s, g);
        }
        register_in_bundle(workspace, plan, s, g, *arrival);
    }
}

static void register_sheet(psg_workspace *workspace, const layout *l, size_t m) {
    const psg_plan *plan = l->plan;
    const psg_context *c = &plan->context;
    const size_t p = c->layout.sheets.own.first + m;
    if (!psg_graph_has(&c->graph, PSG_TASK_FFT_Z, true)) {
        return; /* the only sheets are the blocks */
    }
    if (l->count[SHEETS] == 0) {
        workspace->columns[m] = workspace->blocks[m];
        return;
    }
    const size_t at = item_at(l, SHEETS, m);
    const size_t rows = psg_layout_rows(&c->layout, p);
    const size_t contiguous[3] = {c->layout.n[2], c->layout.nxc, rows};
    const size_t strided[3] = {c->layout.nxc, rows, c->layout.n[2]};
    const size_t *n = c->form.z_contiguous ? contiguous : strided;
    psg_block_register(&workspace->columns[m], item_of(l, at).node, workspace->item[at], n,
                       n[0] * n[1], 2 * c->cpu->real_bytes);
}

static void register_all(psg_workspace *workspace, const layout *l) {
    const psg_context *c = &l->plan->context;
    for (size_t s = c->layout.segments.own.first; s < c->layout.segments.own.end; s++) {
        register_segment(workspace, l, s);
    }
    for (size_t s = 0; s < c->layout.segments.count; s++) {
        register_arrivals(workspace, l, s);
    }
    for (size_t m = 0; m < psg_range_count(c->layout.sheets.own); m++) {
        register_sheet(workspace, l, m);
    }
    if (psg_route_one_memory(l->plan)) {
        starpu_void_data_register(&workspace->phases.between);
    }
}

/* At least one, so that none is no failure. */
static starpu_data_handle_t *handles(size_t count) {
    return calloc(count + 1, sizeof(starpu_data_handle_t));
}

/* ------------------------------------------------------------------------------- alltoall */

/* What goes to and comes from each process, in rows. @return how many in all; SIZE_MAX: no memory,
 * or more than MPI counts */
static size_t describe_part(psg_alltoall_part *part, const layout *l, bool segments) {
    const psg_plan *plan = l->plan;
    const size_t ranks = (size_t)plan->processes.ranks;
    size_t first = 0;
    part->count = calloc(ranks, sizeof(int));
    part->first = calloc(ranks, sizeof(int));
    if (part->count == NULL || part->first == NULL) {
        return SIZE_MAX;
    }
    for (int r = 0; r < plan->processes.ranks; r++) {
        size_t planes = 0;
        (void)psg_local_extent(plan->context.layout.n[2], plan->processes.ranks,
                               segments ? plan->processes.rank : r, NULL, &planes);
        const size_t rows = planes * rows_of(plan, segments ? r : plan->processes.rank);
        if (first + rows > INT_MAX) {
            return SIZE_MAX;
        }
        part->first[r] = (int)first;
        part->count[r] = r == plan->processes.rank ? 0 : (int)rows;
        /* our own stand among the segments */
        first += segments || r != plan->processes.rank ? rows : 0;
    }
    return first;
}

/* The handles of it: outward and inward. The outward list always has the workspace's word. So the
 * second exchange in a workspace waits for the first, even where a process has no data. */
static bool list_exchanged(psg_workspace *workspace, const layout *l) {
    const psg_context *c = &l->plan->context;
    const size_t row = c->layout.nxc * 2 * c->cpu->real_bytes;
    const size_t stride = psg_range_count(c->layout.bundles.own);
    const size_t one[3] = {1, 1, 1};
    workspace->outward.block = handles(l->own * c->layout.bundles.count + 1);
    workspace->inward.block = handles(c->layout.segments.count * stride);
    if (workspace->outward.block == NULL || workspace->inward.block == NULL) {
        return false;
    }
    psg_block_register(&workspace->turn, STARPU_MAIN_RAM, &workspace->turn_word, one, 1,
                       sizeof workspace->turn_word);
    workspace->outward.block[workspace->outward.count++] = workspace->turn;
    for (size_t m = 0; m < l->own * c->layout.bundles.count; m++) {
        if (!psg_range_has(c->layout.bundles.own, m % c->layout.bundles.count)) {
            workspace->outward.block[workspace->outward.count++] = workspace->bundles[m];
        }
    }
    for (size_t m = 0; m < c->layout.segments.count * stride; m++) {
        if (!psg_range_has(c->layout.segments.own, m / stride)) {
            workspace->inward.block[workspace->inward.count++] = workspace->arrivals[m];
        }
    }
    for (int r = 0; r < l->plan->processes.ranks; r++) {
        workspace->outward.bytes += (size_t)workspace->alltoall.end[0].count[r] * row;
        workspace->inward.bytes += (size_t)workspace->alltoall.end[1].count[r] * row;
    }
    return true;
}

/* Segments and then sheets, in the workspace's one chunk. Open MPI takes one address for both as
 * MPI_IN_PLACE, so where there are no segments theirs is another one. */
static bool describe_alltoall(psg_workspace *workspace, const layout *l) {
    const psg_context *c = &l->plan->context;
    const size_t segments = describe_part(&workspace->alltoall.end[0], l, true);
    const size_t sheets = describe_part(&workspace->alltoall.end[1], l, false);
    char *memory = workspace->chunk_count > 0 ? workspace->chunks[0].memory : (char *)workspace;
    if (segments == SIZE_MAX || sheets == SIZE_MAX) {
        return false;
    }
    workspace->alltoall.end[0].memory =
        segments > 0 ? (void *)memory : (void *)&workspace->turn_word;
    workspace->alltoall.end[1].memory = memory + segments * c->layout.nxc * 2 * c->cpu->real_bytes;
    workspace->alltoall.lane = workspace->number;
    return list_exchanged(workspace, l);
}

/* ---------------------------------------------------------------------------------- workspaces */

/* The memory first: a grid for which there is none may have more blocks than can be looked
 * through. */
static bool make_room(psg_workspace *workspace, const layout *l) {
    const psg_context *c = &l->plan->context;
    const size_t items = item_count(l);
    workspace->chunks = calloc(items + 1, sizeof *workspace->chunks);
    workspace->item = calloc(items + 1, sizeof *workspace->item);
    for (size_t m = 0; m < items; m++) {
        workspace->bytes += item_of(l, m).bytes;
    }
    bool all = workspace->chunks != NULL && workspace->item != NULL;
    for (size_t m = 0; all && m < items;) {
        m = make_chunk(workspace, l, m);
        all = m > 0;
    }
    if (!all) {
        return false;
    }
    workspace->bundles = handles(l->own * c->layout.bundles.count);
    workspace->arrivals =
        handles(c->layout.segments.count * (psg_range_count(c->layout.bundles.own)));
    workspace->blocks = handles(c->layout.segments.count * (psg_range_count(c->layout.sheets.own)));
    workspace->spectra = handles(l->own);
    workspace->columns = handles(psg_range_count(c->layout.sheets.own));
    return psg_overlap_allocate(workspace, l->plan) && workspace->bundles != NULL &&
           workspace->arrivals != NULL && workspace->blocks != NULL && workspace->spectra != NULL &&
           workspace->columns != NULL;
}

size_t psg_workspaces_most(const psg_plan *plan) {
    return 2 * (size_t)plan->problem.options.in_flight;
}

psg_status psg_workspace_create(psg_workspace **result, const psg_plan *plan, size_t number) {
    const psg_context *c = &plan->context;
    const layout l = layout_of(plan);
    psg_workspace *workspace = calloc(1, sizeof *workspace);
    psg_status status = PSG_OK;
    *result = NULL;
    if (workspace == NULL) {
        status = psg_fail(PSG_ERR_MEMORY, "no memory for a spectrum's description");
    } else if (!make_room(workspace, &l)) {
        status = psg_fail(
            PSG_ERR_MEMORY,
            "no memory for the spectrum of %zu x %zu x %zu points: %zu bytes were asked for",
            c->layout.n[0], c->layout.n[1], c->layout.n[2], workspace->bytes);
    } else {
        status =
            psg_room_check("a plan", (double)(c->layout.segments.count *
                                              (c->layout.bundles.count + c->layout.sheets.count)) *
                                         TUNING_HANDLE_BYTES);
    }
    if (plan->route.exchange->connect != NULL) {
        status = plan->route.exchange->connect(workspace, plan, item_count(&l), status);
    }
    if (status != PSG_OK || workspace == NULL) {
        psg_workspace_destroy(workspace, plan);
        return status;
    }
    workspace->number = number;
    register_all(workspace, &l);
    psg_overlap_fill(workspace, plan);
    if (plan->route.exchange->is == PSG_EXCHANGE_ALLTOALL && !describe_alltoall(workspace, &l)) {
        psg_workspace_destroy(workspace, plan);
        return psg_fail(PSG_ERR_MEMORY, "no memory for MPI_Alltoallv, or more than it can count");
    }
    *result = workspace;
    return PSG_OK;
}

/* Several lists may have the same handle. One list unregisters it: `bundles`, else `arrivals`, else
 * `blocks`. */
static void unregister_blocks(psg_workspace *workspace, const layout *l) {
    const psg_context *c = &l->plan->context;
    const size_t own_bundles = psg_range_count(c->layout.bundles.own);
    const size_t own_sheets = psg_range_count(c->layout.sheets.own);
    for (size_t g = c->layout.bundles.own.first;
         workspace->blocks != NULL && g < c->layout.bundles.own.end; g++) {
        const psg_range sheets = c->layout.bundles.part[g].sheets;
        const size_t p = sheets.first;
        for (size_t s = 0; psg_range_count(sheets) == 1 && s < c->layout.segments.count; s++) {
            workspace->blocks[s * own_sheets + p - c->layout.sheets.own.first] = NULL;
        }
    }
    for (size_t m = 0; workspace->arrivals != NULL && m < c->layout.segments.count * own_bundles;
         m++) {
        if (psg_range_has(c->layout.segments.own, m / own_bundles)) {
            workspace->arrivals[m] = NULL;
        }
    }
    psg_block_unregister(workspace->blocks, c->layout.segments.count * own_sheets);
    psg_block_unregister(workspace->arrivals, c->layout.segments.count * own_bundles);
    psg_block_unregister(workspace->bundles, l->own * c->layout.bundles.count);
}

void psg_workspace_destroy(psg_workspace *workspace, const psg_plan *plan) {
    if (workspace == NULL) {
        return;
    }
    psg_workspace_destroy(workspace->beside, plan);
    const layout l = layout_of(plan);
    unregister_blocks(workspace, &l);
    const bool idle = psg_shared_disconnect(workspace, plan);
    const bool left =
        plan->storage.left || !idle; /* others may still read and write what is in the workspace */
    psg_block_unregister(&workspace->turn, 1);
    psg_block_unregister(&workspace->phases.between, 1);
    psg_block_unregister(workspace->spectra, l.count[SPECTRA]); /* none, where they are blocks */
    psg_block_unregister(workspace->columns, l.count[SHEETS]);
    for (size_t m = 0; m < workspace->chunk_count && !left; m++) {
        plan->route.exchange->release(plan, &workspace->chunks[m]);
    }
    psg_alltoall_part *parts[2] = {&workspace->alltoall.end[0], &workspace->alltoall.end[1]};
    for (int way = 0; way < 2 && !left; way++) {
        free(parts[way]->count);
        free(parts[way]->first);
    }
    psg_overlap_free(workspace, plan);
    free(workspace->outward.block);
    free(workspace->inward.block);
    free(workspace->columns);
    free(workspace->spectra);
    free(workspace->blocks);
    free(workspace->arrivals);
    free(workspace->bundles);
    free(workspace->item);
    free(workspace->chunks);
    free(workspace);
}
