/* Between processes: blocks go from the segments of one to the sheets of another, and back.
 *
 *   bundles[s][g] --message or alltoall--> arrivals[s][g] --split--> blocks[s][p], p in g
 *   bundles[s][g] <--message or alltoall-- arrivals[s][g] <--join--- blocks[s][p]
 *
 * Each process submits what starts or ends there, so its part grows with the number of processes,
 * not with the square. A bundle of one sheet needs no split and no join: its arrival is the block.
 */
#include "graph/exchange.h"
#include "base/tuning.h"
#include "codelets/gradient.h"
#include "codelets/kinds.h"
#include "codelets/regroup.h"
#include "graph/block.h"
#include "graph/overlap_rows.h"
#include "graph/partition.h"
#include "graph/plan_struct.h"
#include "graph/ranks.h"
#include "graph/shared_memory.h"
#include "graph/start.h"
#include "graph/status.h"
#include "runtime/message.h"

#include <stdlib.h>

/* So many solves in flight have different tags for their edges. An edge is the plane that the
 * gradient needs of another process. */
enum { EDGE_TAGS = 64 };
/* A process sends one edge at most, and receives one. */
enum { EDGES = 2 };

static size_t edge_tag(const psg_plan *plan, uint64_t number) {
    const psg_layout *l = &plan->context.layout;
    return 2 * (size_t)plan->problem.options.in_flight * l->segments.first[1] *
               l->bundles.first[1] +
           (size_t)number;
}

/* One process may have no StarPU-MPI. */
static psg_status lay_wire(psg_between *between, psg_comm *comm) {
    char words[256];
    between->wire = psg_starpu_mpi->open(words, sizeof words);
    psg_status status = between->wire != NULL
                            ? PSG_OK
                            : psg_fail(PSG_ERR_UNSUPPORTED, "exchange starpu: %s", words);
    status = psg_ranks_agree(comm, status);
    return status != PSG_OK || psg_starpu_mpi->connect(between->wire, comm)
               ? status
               : psg_fail(PSG_ERR_RUNTIME, "%s", comm->words);
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
    /* one for each block, each way, of each workspace; those of edges, and of pieces */
    const size_t tags = edge_tag(plan, EDGE_TAGS) + PSG_PIECES * l->segments.count;
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
    between->tags = tags;
    between->messages = EDGES + PSG_WAYS * one_way * plan->context.block_messages;
    psg_task_exchange_codelets(&between->codelets, between->main_memory);
    const size_t real_bytes = plan->context.cpu->real_bytes;
    const size_t wire_bytes = (size_t)plan->problem.options.wire_bits / 8;
    between->row_bytes = l->nxc * 2 * (wire_bytes < real_bytes ? wire_bytes : real_bytes);
    between->wide = wire_bytes < real_bytes ? l->nxc * 2 * real_bytes : 0;
    between->channel = psg_comms->connect(plan->processes.comm, between->row_bytes,
                                          alltoall ? plan->problem.options.in_flight : 0);
    if (between->channel == NULL) {
        return psg_fail(PSG_ERR_RUNTIME, "%s", plan->processes.comm->words);
    }
    return plan->route.exchange->wired ? lay_wire(between, plan->processes.comm) : PSG_OK;
}

void psg_between_free(psg_between *between, const psg_plan *plan) {
    if (between->wire != NULL) {
        psg_runtime_awake();
        psg_starpu_mpi->close(between->wire);
        psg_runtime_rest();
    }
    if (between->channel != NULL && !plan->storage.left) {
        psg_comms->disconnect(between->channel);
    }
    free(between->main_memory);
}

/* On PSG_WAY_THERE_AGAIN the sheets already have the blocks, unless those of f are made again, or
 * were rounded where they are. But the segments have to read their blocks before `gradient_z`
 * writes them. */
static bool only_read(const psg_plan *plan, psg_way way) {
    return way == PSG_WAY_THERE_AGAIN && plan->problem.waves.from_f == NULL;
}

/* Between two processes each block has its tags. Those of the way back are odd, because a process
 * sends blocks to another one on both ways. */
static psg_message message_of(const psg_plan *plan, const psg_workspace *workspace, int rank,
                              size_t s, size_t g, psg_way way) {
    const psg_layout *l = &plan->context.layout;
    const psg_part *segment = &l->segments.part[s];
    const psg_part *bundle = &l->bundles.part[g];
    const psg_box block = psg_layout_block(l, s, bundle);
    const size_t at[2] = {s - l->segments.first[segment->process],
                          g - l->bundles.first[bundle->process]};
    const size_t index =
        (workspace->number * l->segments.first[1] + at[0]) * l->bundles.first[1] + at[1];
    const int home = segment->process == plan->processes.rank ? segment->home : bundle->home;
    const bool reached = psg_shared_reaches(plan, rank); /* then the message is empty */
    const bool read = only_read(plan, way);
    return (psg_message){
        .rank = rank,
        .tag = (psg_way_is_back(way) ? 1 : 0) + 2 * (int)index,
        .way = way,
        .node = reached ? psg_placement_node(home) : psg_exchange_node(plan, home),
        .rows = reached ? 0 : psg_box_rows(&block),
        .wide = plan->between.wide,
        .read = read,
        .counts = read,
        .wire = read ? NULL : plan->between.wire, /* StarPU-MPI waits for no reader */
        .label = {PSG_TASK_EXCHANGE,
                  {s, bundle->sheets.first, way >= PSG_WAY_THERE_AGAIN ? 2 : PSG_NO_INDEX}}};
}

/* Cores round numbers. */
int psg_exchange_node(const psg_plan *plan, int worker) {
    const bool there = psg_comm_cuda_aware() == 1 && plan->between.wide == 0;
    return psg_placement_node(there ? worker : -1);
}

static starpu_data_handle_t bundle_of(const psg_context *c, const psg_workspace *workspace,
                                      size_t s, size_t g) {
    return workspace->bundles[(s - c->layout.segments.own.first) * c->layout.bundles.count + g];
}

static starpu_data_handle_t arrival_of(const psg_context *c, const psg_workspace *workspace,
                                       size_t s, size_t g) {
    return workspace
        ->arrivals[s * psg_range_count(c->layout.bundles.own) + g - c->layout.bundles.own.first];
}

/* The blocks that go to another process one way, or come from there: those of my segments and its
 * bundles, or those of its segments and my bundles. */
typedef struct crossing {
    bool outward; /* my segments' */
    psg_range segments;
    psg_range bundles;
} crossing;

static crossing crossing_of(const psg_layout *l, int rank, psg_way way, bool sends) {
    return sends != psg_way_is_back(way)
               ? (crossing){true, l->segments.own, psg_parts_of(&l->bundles, rank)}
               : (crossing){false, psg_parts_of(&l->segments, rank), l->bundles.own};
}

static void submit_messages(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                            int rank, psg_way way, bool sends) {
    const psg_context *c = &plan->context;
    const crossing of = crossing_of(&c->layout, rank, way, sends);
    for (size_t s = of.segments.first; s < of.segments.end; s++) {
        for (size_t g = of.bundles.first; g < of.bundles.end; g++) {
            const psg_message message = message_of(plan, workspace, rank, s, g, way);
            (sends ? psg_message_send : psg_message_receive)(
                run, of.outward ? bundle_of(c, workspace, s, g) : arrival_of(c, workspace, s, g),
                &message);
        }
    }
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

/* The edge comes to main memory. StarPU copies it to a GPU that needs it. */
static psg_message edge_of(const psg_run *run, const psg_plan *plan, int rank, size_t s) {
    return (psg_message){.rank = rank,
                         .tag = (int)edge_tag(plan, run->number % EDGE_TAGS),
                         .way = PSG_WAY_BACK,
                         .node = STARPU_MAIN_RAM,
                         .unit = plan->context.layout.nxc * 2 * plan->context.cpu->real_bytes,
                         .rows = 1,
                         .runs = plan->context.layout.n[1],
                         .pitch = 1,
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

/* A message of a solve with epsilon waits for no other: the process that it goes to has nothing to
 * do without it. */
void psg_exchange_piece(psg_run *run, const psg_plan *plan, const psg_piece *piece) {
    const size_t index = PSG_PIECES * piece->s + (size_t)piece->kind;
    const psg_message message = {.rank = piece->rank,
                                 .tag = (int)(edge_tag(plan, EDGE_TAGS) + index),
                                 .way = PSG_WAY_BACK,
                                 .node = STARPU_MAIN_RAM,
                                 .unit = piece->row_bytes,
                                 .rows = piece->rows,
                                 .alone = true,
                                 .counts = true,
                                 .label = psg_segment_label(PSG_TASK_EXCHANGE, piece->s)};
    (piece->sent ? psg_message_send : psg_message_receive)(run, piece->block, &message);
}

/* ----------------------------------------------------------------------------------- blocks */

/* Each process begins with the one after it, so that not all of them send to the first. */
static void messages(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                     psg_way way) {
    const int ranks = plan->processes.ranks;
    for (int r = 0; r < ranks; r++) {
        const crossing of = crossing_of(&plan->context.layout, r, way, true);
        const crossing from = crossing_of(&plan->context.layout, r, way, false);
        psg_message_expect(run, r, way, psg_range_count(of.segments) * psg_range_count(of.bundles),
                           psg_range_count(from.segments) * psg_range_count(from.bundles));
    }
    for (int d = 1; d < ranks; d++) {
        const int rank = plan->processes.rank;
        submit_messages(run, plan, workspace, (rank + d) % ranks, way, true);
        submit_messages(run, plan, workspace, (rank + ranks - d) % ranks, way, false);
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

#define OWN_MEMORY .allocate = psg_chunk_allocate, .release = psg_chunk_release
#define WITHIN OWN_MEMORY, .bundle_bytes = 1
#define BETWEEN OWN_MEMORY, .bundle_bytes = TUNING_MESSAGE_BYTES
#define SHARED                                                                                     \
    .is = PSG_EXCHANGE_DIRECT, .words = "blocks written in the memory of other processes",         \
    .gpu_parts = psg_partition_shared, .allocate = psg_shared_allocate,                            \
    .release = psg_shared_free, .connect = psg_shared_connect, .carry = messages,                  \
    .carry_again = messages

const psg_exchange_row psg_exchange_managed = {WITHIN, .is = PSG_EXCHANGE_MANAGED,
                                               .words = "blocks where StarPU needs them",
                                               .gpu_parts = psg_partition_suiting};
const psg_exchange_row psg_exchange_direct = {
    WITHIN, .is = PSG_EXCHANGE_DIRECT, .words = "blocks written where they are read",
    .gpu_parts = psg_partition_one_each, .choose_overlap = psg_overlap_choose};
const psg_exchange_row psg_exchange_shared_gpus = {SHARED, .bundle_bytes = 1,
                                                   .choose_overlap = psg_overlap_choose};
const psg_exchange_row psg_exchange_shared_to_gpus = {SHARED, .bundle_bytes = 1};
const psg_exchange_row psg_exchange_shared = {SHARED, .bundle_bytes = TUNING_MESSAGE_BYTES};
const psg_exchange_row psg_exchange_between[PSG_EXCHANGE_COUNT] = {
    [PSG_EXCHANGE_MPI] = {BETWEEN, .is = PSG_EXCHANGE_MPI,
                          .words = "a message for each bundle of blocks",
                          .gpu_parts = psg_partition_pieces, .carry = messages},
    [PSG_EXCHANGE_ALLTOALL] = {BETWEEN, .is = PSG_EXCHANGE_ALLTOALL,
                               .words = "one call for all blocks",
                               .gpu_parts = psg_partition_suiting, .carry = alltoall},
    [PSG_EXCHANGE_STARPU] = {BETWEEN, .is = PSG_EXCHANGE_STARPU,
                             .words = "a message of StarPU-MPI for each bundle of blocks",
                             .gpu_parts = psg_partition_pieces, .wired = true, .carry = messages},
};

static void regroup(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                    psg_way way) {
    const psg_context *c = &plan->context;
    for (size_t s = 0; s < c->layout.segments.count; s++) {
        for (size_t g = c->layout.bundles.own.first; g < c->layout.bundles.own.end; g++) {
            const size_t first = c->layout.bundles.part[g].sheets.first;
            const size_t count = psg_range_count(c->layout.bundles.part[g].sheets);
            const bool mine = psg_range_has(c->layout.segments.own, s);
            if (count > 1) {
                psg_task_regroup(run, way, !mine, arrival_of(c, workspace, s, g),
                                 &workspace->blocks[s * psg_range_count(c->layout.sheets.own) +
                                                    first - c->layout.sheets.own.first],
                                 count);
            }
        }
    }
}

void psg_exchange_blocks(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                         psg_way way) {
    const psg_exchange_row *exchange = plan->route.exchange;
    void (*const carry)(psg_run *, const psg_plan *, const psg_workspace *, psg_way) =
        only_read(plan, way) && plan->between.wide == 0 ? exchange->carry_again : exchange->carry;
    if (exchange->carry != NULL && psg_way_is_back(way)) {
        regroup(run, plan, workspace, way);
    }
    if (carry != NULL) {
        carry(run, plan, workspace, way);
    }
    if (exchange->carry != NULL && !psg_way_is_back(way)) {
        regroup(run, plan, workspace, way);
    }
}
