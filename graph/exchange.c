/* Between processes: blocks go from the segments of one to the sheets of another, and back.
 *
 *   bundles[s][g] --message or alltoall--> arrivals[s][g] --split--> blocks[s][p], p in g
 *   bundles[s][g] <--message or alltoall-- arrivals[s][g] <--join--- blocks[s][p]
 *
 * Each process submits what starts or ends there, so its part grows with the number of processes,
 * not with the square. A bundle of one sheet needs no split and no join: its arrival is the block.
 */
#include "graph/exchange.h"
#include "codelets/gradient.h"
#include "codelets/kinds.h"
#include "codelets/regroup.h"
#include "graph/block.h"
#include "graph/plan_struct.h"
#include "graph/ranks.h"
#include "graph/status.h"
#include "runtime/message.h"

#include <stdlib.h>

/* Solves in flight whose edges, the planes that a gradient needs of other processes, are told
 * apart. */
enum { EDGE_TAGS = 64 };
/* Of a process: the one that goes, and the one that comes. */
enum { EDGES = 2 };

static size_t edge_tag(const psg_plan *plan, uint64_t number) {
    const psg_layout *l = &plan->context.layout;
    return 2 * (size_t)plan->problem.options.in_flight * l->segments.first[1] *
               l->bundles.first[1] +
           (size_t)number;
}

psg_status psg_between_make(psg_between *between, const psg_plan *plan) {
    const psg_layout *l = &plan->context.layout;
    if (plan->processes.ranks == 1) {
        return PSG_OK;
    }
    const size_t own_segments = psg_range_count(l->segments.own);
    const size_t own_bundles = psg_range_count(l->bundles.own);
    const size_t one_way = own_segments * (l->bundles.count - own_bundles) +
                           (l->segments.count - own_segments) * own_bundles;
    const size_t handles = own_segments * l->bundles.count + l->segments.count * own_bundles + 1;
    const bool alltoall = plan->route.exchange->is == PSG_EXCHANGE_ALLTOALL;
    /* one for each block, each way, of each workspace; and those of edges */
    const size_t tags = edge_tag(plan, EDGE_TAGS);
    between->main_memory = calloc(handles + l->sheets.count, sizeof *between->main_memory);
    psg_status status = PSG_OK;
    if (between->main_memory == NULL) {
        status = psg_fail(PSG_ERR_MEMORY, "no memory for a list of %zu blocks", handles);
    } else if (tags > psg_comms->most_tags()) {
        status = psg_fail(PSG_ERR_UNSUPPORTED, "MPI has no %zu tags: choose fewer segments", tags);
    }
    status = psg_ranks_agree(plan->processes.comm, status);
    if (status != PSG_OK) {
        return status;
    }
    for (size_t m = 0; m < handles + l->sheets.count; m++) {
        between->main_memory[m] = STARPU_MAIN_RAM;
    }
    between->messages = EDGES + (plan->context.form.messages ? PSG_WAYS * one_way : 0);
    psg_task_exchange_codelets(&between->codelets, between->main_memory);
    between->row_bytes = l->nxc * 2 * plan->context.cpu->real_bytes;
    between->channel = psg_comms->connect(plan->processes.comm, between->row_bytes,
                                          alltoall ? plan->problem.options.in_flight : 0);
    return between->channel != NULL ? PSG_OK
                                    : psg_fail(PSG_ERR_RUNTIME, "%s", plan->processes.comm->words);
}

void psg_between_free(psg_between *between, const psg_plan *plan) {
    if (between->channel != NULL && !plan->storage.left) {
        psg_comms->disconnect(between->channel);
    }
    free(between->main_memory);
}

static size_t own_bundles(const psg_context *c) {
    return psg_range_count(c->layout.bundles.own);
}

static size_t own_sheets(const psg_context *c) {
    return psg_range_count(c->layout.sheets.own);
}

/* Tags are those of the pair of processes, odd ones for the way back: both ways there are
 * messages from one to the other. A block on a GPU goes from there, and to there, if MPI can. A
 * block that both processes reach stays where it is, and its message is empty. */
static psg_message message_of(const psg_plan *plan, const psg_workspace *workspace, int rank,
                              size_t s, size_t g, psg_way way) {
    const psg_context *c = &plan->context;
    const psg_part *segment = &c->layout.segments.part[s];
    const psg_part *bundle = &c->layout.bundles.part[g];
    const psg_box block = psg_layout_block(&c->layout, s, bundle);
    const size_t index = (workspace->number * c->layout.segments.first[1] + s -
                          c->layout.segments.first[segment->process]) *
                             c->layout.bundles.first[1] +
                         g - c->layout.bundles.first[bundle->process];
    const bool stays = psg_shares_memory(plan);
    const int worker = segment->process == plan->processes.rank ? segment->worker : bundle->worker;
    return (psg_message){
        .rank = rank,
        .tag = (psg_way_is_back(way) ? 1 : 0) + 2 * (int)index,
        .way = way,
        .node = psg_placement_node(stays || psg_comm_cuda_aware() == 1 ? worker : -1),
        .rows = stays ? 0 : psg_box_rows(&block),
        .read = way == PSG_WAY_THERE_AGAIN,
        .label = {PSG_TASK_EXCHANGE,
                  {s, bundle->sheets.first, way >= PSG_WAY_THERE_AGAIN ? 2 : PSG_NO_INDEX}}};
}

static starpu_data_handle_t bundle_of(const psg_context *c, const psg_workspace *workspace,
                                      size_t s, size_t g) {
    return workspace->bundles[(s - c->layout.segments.own.first) * c->layout.bundles.count + g];
}

static starpu_data_handle_t arrival_of(const psg_context *c, const psg_workspace *workspace,
                                       size_t s, size_t g) {
    return workspace->arrivals[s * own_bundles(c) + g - c->layout.bundles.own.first];
}

/* My segments' blocks to `rank` on the way there, or back from it. */
static void outward(psg_run *run, const psg_plan *plan, const psg_workspace *workspace, int rank,
                    psg_way way) {
    const psg_context *c = &plan->context;
    const psg_range theirs = psg_parts_of(&c->layout.bundles, rank);
    for (size_t s = c->layout.segments.own.first; s < c->layout.segments.own.end; s++) {
        for (size_t g = theirs.first; g < theirs.end; g++) {
            const psg_message message = message_of(plan, workspace, rank, s, g, way);
            (psg_way_is_back(way) ? psg_message_receive
                                  : psg_message_send)(run, bundle_of(c, workspace, s, g), &message);
        }
    }
}

/* And the other end: blocks of the segments of `rank` for my sheets, from it or to it. */
static void inward(psg_run *run, const psg_plan *plan, const psg_workspace *workspace, int rank,
                   psg_way way) {
    const psg_context *c = &plan->context;
    const psg_range theirs = psg_parts_of(&c->layout.segments, rank);
    for (size_t s = theirs.first; s < theirs.end; s++) {
        for (size_t g = c->layout.bundles.own.first; g < c->layout.bundles.own.end; g++) {
            const psg_message message = message_of(plan, workspace, rank, s, g, way);
            (psg_way_is_back(way) ? psg_message_send : psg_message_receive)(
                run, arrival_of(c, workspace, s, g), &message);
        }
    }
}

/* How many go from this process to another, one way. */
static size_t sends_to(const psg_plan *plan, int rank, psg_way way) {
    const psg_layout *l = &plan->context.layout;
    const bool there = !psg_way_is_back(way);
    return psg_range_count(there ? l->segments.own : psg_parts_of(&l->segments, rank)) *
           psg_range_count(there ? psg_parts_of(&l->bundles, rank) : l->bundles.own);
}

/* ------------------------------------------------------------------------------------ edges */

/* The segment of another process that has the plane below a segment's first one; SIZE_MAX: none
 * has. */
static size_t below(const psg_run *run, size_t s) {
    const psg_context *c = psg_context_of(run);
    const bool wraps = psg_terms_of(run)->gradient.along[2].wraps != 0;
    const size_t before = s > 0 ? s - 1 : wraps ? c->layout.segments.count - 1 : SIZE_MAX;
    return before < SIZE_MAX && !psg_range_has(c->layout.segments.own, before) ? before : SIZE_MAX;
}

static size_t above(const psg_run *run, size_t s) {
    const psg_context *c = psg_context_of(run);
    const size_t after = psg_segment_above(c, &psg_terms_of(run)->gradient, s);
    return after < SIZE_MAX && !psg_range_has(c->layout.segments.own, after) ? after : SIZE_MAX;
}

/* The process that gets this one's edge; -1: none does. */
static int gets_edge(const psg_run *run) {
    const psg_layout *l = &psg_context_of(run)->layout;
    const bool wanted =
        psg_gradient_wants(&psg_terms_of(run)->gradient, 2) && psg_range_count(l->segments.own) > 0;
    const size_t s = wanted ? below(run, l->segments.own.first) : SIZE_MAX;
    return s < SIZE_MAX ? l->segments.part[s].process : -1;
}

/* It comes to main memory, as StarPU brings it to a GPU that needs it. */
static psg_message edge_of(const psg_run *run, const psg_plan *plan, int rank, size_t s) {
    return (psg_message){.rank = rank,
                         .tag = (int)edge_tag(plan, run->number % EDGE_TAGS),
                         .way = PSG_WAY_BACK,
                         .node = STARPU_MAIN_RAM,
                         .rows = plan->context.layout.n[1],
                         .alone = true,
                         .label = psg_segment_label(PSG_TASK_EXCHANGE, s)};
}

starpu_data_handle_t psg_exchange_edges(psg_run *run, const psg_plan *plan,
                                        const psg_arrays *arrays) {
    const psg_layout *l = &plan->context.layout;
    const psg_range own = l->segments.own;
    const int to = gets_edge(run);
    if (to >= 0) {
        const psg_message message = edge_of(run, plan, to, own.first);
        psg_task_edge(run, own.first, arrays->slabs[PSG_FIELD_U][0], arrays->edge[0]);
        psg_message_send(run, arrays->edge[0], &message);
    }
    const bool wanted =
        psg_gradient_wants(&psg_terms_of(run)->gradient, 2) && psg_range_count(own) > 0;
    const size_t after = wanted ? above(run, own.end - 1) : SIZE_MAX;
    if (after == SIZE_MAX) {
        return NULL;
    }
    const psg_message message = edge_of(run, plan, l->segments.part[after].process, after);
    psg_message_receive(run, arrays->edge[1], &message);
    return arrays->edge[1];
}

/* ----------------------------------------------------------------------------------- blocks */

/* Each process begins with the one after it, so that not all of them send to the first. */
static void messages(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                     psg_way way) {
    for (int r = 0; r < plan->processes.ranks; r++) {
        psg_message_expect(run, r, way, sends_to(plan, r, way));
    }
    for (int d = 1; d < plan->processes.ranks; d++) {
        const int to = (plan->processes.rank + d) % plan->processes.ranks;
        const int from = (plan->processes.rank + plan->processes.ranks - d) % plan->processes.ranks;
        if (psg_way_is_back(way)) {
            inward(run, plan, workspace, to, way);
            outward(run, plan, workspace, from, way);
        } else {
            outward(run, plan, workspace, to, way);
            inward(run, plan, workspace, from, way);
        }
    }
}

static void alltoall(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                     psg_way way) {
    const psg_label label = psg_exchange_label();
    const bool there = !psg_way_is_back(way);
    (void)plan;
    psg_message_alltoall(run, &workspace->alltoall, &label, way,
                         there ? &workspace->outward : &workspace->inward,
                         there ? &workspace->inward : &workspace->outward);
}

const psg_exchange_row *psg_exchange_row_of(psg_exchange exchange, bool between) {
    static const psg_exchange_row rows[] = {
        {PSG_EXCHANGE_MANAGED, "blocks where StarPU needs them", false, NULL},
        {PSG_EXCHANGE_DIRECT, "blocks written where they are read", false, NULL},
        {PSG_EXCHANGE_DIRECT, "blocks written in the memory of other processes", true, messages},
        {PSG_EXCHANGE_MPI, "a message for each bundle of blocks", false, messages},
        {PSG_EXCHANGE_ALLTOALL, "one call for all blocks", false, alltoall},
    };
    size_t m = 0;
    while (m + 1 < sizeof rows / sizeof *rows &&
           (rows[m].is != exchange || (rows[m].carry != NULL) != between)) {
        m++;
    }
    return &rows[m];
}

static void regroup(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                    psg_way way) {
    const psg_context *c = &plan->context;
    for (size_t s = 0; s < c->layout.segments.count; s++) {
        for (size_t g = c->layout.bundles.own.first; g < c->layout.bundles.own.end; g++) {
            const size_t first = c->layout.bundles.part[g].sheets.first;
            const size_t count = psg_range_count(c->layout.bundles.part[g].sheets);
            const bool mine = psg_range_has(c->layout.segments.own, s);
            if (count > 1) {
                psg_task_regroup(
                    run, way, !mine, arrival_of(c, workspace, s, g),
                    &workspace->blocks[s * own_sheets(c) + first - c->layout.sheets.own.first],
                    count);
            }
        }
    }
}

void psg_exchange_forward(psg_run *run, const psg_plan *plan, const psg_workspace *workspace) {
    if (plan->route.exchange->carry != NULL) {
        plan->route.exchange->carry(run, plan, workspace, PSG_WAY_THERE);
        regroup(run, plan, workspace, PSG_WAY_THERE);
    }
}

static void go_back(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                    psg_way way) {
    if (plan->route.exchange->carry != NULL) {
        regroup(run, plan, workspace, way);
        plan->route.exchange->carry(run, plan, workspace, way);
    }
}

void psg_exchange_back(psg_run *run, const psg_plan *plan, const psg_workspace *workspace) {
    go_back(run, plan, workspace, PSG_WAY_BACK);
}

/* The blocks are there, and have to be read on this side before they are written on the other one:
 * where these are two places, nobody has to know. */
void psg_exchange_forward_again(psg_run *run, const psg_plan *plan,
                                const psg_workspace *workspace) {
    if (plan->route.exchange->shares) {
        plan->route.exchange->carry(run, plan, workspace, PSG_WAY_THERE_AGAIN);
    }
    if (plan->route.exchange->carry != NULL) {
        regroup(run, plan, workspace, PSG_WAY_THERE_AGAIN);
    }
}

void psg_exchange_back_again(psg_run *run, const psg_plan *plan, const psg_workspace *workspace) {
    go_back(run, plan, workspace, PSG_WAY_BACK_AGAIN);
}
