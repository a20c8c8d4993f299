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
#include "runtime/side_stream.h"

#include <stdio.h>
#include <stdlib.h>

/* So many solves in flight have different tags for their edges. */
enum { EDGE_TAGS = 64 };
/* Of each kind a process sends one edge at most, and receives one. */
enum { EDGES = 2 * PSG_EDGES };

/* Blocks have two tags in each workspace, and in the one beside it. */
static size_t edge_tag(const psg_plan *plan, uint64_t number) {
    const psg_layout *l = &plan->context.layout;
    return 2 * psg_workspaces_most(plan) * l->segments.first[1] * l->bundles.first[1] +
           (size_t)number;
}

static size_t piece_tag(const psg_plan *plan, size_t s, psg_piece_kind kind) {
    return edge_tag(plan, (size_t)PSG_EDGES * EDGE_TAGS) + PSG_PIECES * s + (size_t)kind;
}

/* One process may have no StarPU-MPI. */
static psg_status lay_starpu(psg_between *between, const psg_plan *plan) {
    psg_comm *comm = plan->processes.comm;
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

/* A GPU has one communicator of NCCL's. */
static psg_status lay_nccl(psg_between *between, const psg_plan *plan) {
    const psg_workers *w = &plan->workers;
    psg_comm *comm = plan->processes.comm;
    char words[256] = "psg was built without CUDA";
    if (psg_side_streams != NULL &&
        (w->gpu_count != psg_side_streams->gpus || (w->gpu_count > 0 && w->cpu_count > 0))) {
        (void)snprintf(words, sizeof words,
                       "one GPU has all tasks of a process, and here are %zu GPUs and %zu cores",
                       w->gpu_count, w->cpu_count);
    } else if (psg_side_streams != NULL) {
        const int gpu = w->gpu_count > 0 ? starpu_worker_get_devid(w->gpus[0]) : -1;
        between->nccl = psg_nccl->open(gpu, words, sizeof words);
    }
    psg_status status = psg_ranks_agree(
        comm,
        between->nccl != NULL ? PSG_OK : psg_fail(PSG_ERR_UNSUPPORTED, "exchange nccl: %s", words));
    if (status == PSG_OK && !psg_nccl->connect(between->nccl, comm, words, sizeof words)) {
        status = psg_fail(comm->given_up ? PSG_ERR_RUNTIME : PSG_ERR_UNSUPPORTED,
                          "exchange nccl: %s", words);
    }
    return status;
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
    const size_t tags = piece_tag(plan, l->segments.count, PSG_PIECE_LOW);
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
                                          alltoall ? (unsigned)psg_workspaces_most(plan) : 0);
    if (between->channel == NULL) {
        return psg_fail(PSG_ERR_RUNTIME, "%s", plan->processes.comm->words);
    }
    return plan->route.exchange->lay != NULL ? plan->route.exchange->lay(between, plan) : PSG_OK;
}

void psg_between_free(psg_between *between, const psg_plan *plan) {
    if (between->wire != NULL) {
        psg_runtime_awake();
        psg_starpu_mpi->close(between->wire);
        psg_runtime_rest();
    }
    if (between->nccl != NULL) {
        psg_nccl->close(between->nccl);
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
        .nccl = plan->between.nccl,
        .label = {PSG_TASK_EXCHANGE,
                  {s, bundle->sheets.first, way >= PSG_WAY_THERE_AGAIN ? 2 : PSG_NO_INDEX}}};
}

/* Cores round numbers. */
int psg_exchange_node(const psg_plan *plan, int worker) {
    const bool there =
        plan->route.exchange->from_home || (psg_comm_cuda_aware() == 1 && plan->between.wide == 0);
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

/* @param[in] begins  messages of the round that the first of them begins; 0: none */
static void submit_crossing(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                            int rank, psg_way way, bool sends, const crossing *of, size_t begins) {
    const psg_context *c = &plan->context;
    for (size_t s = of->segments.first; s < of->segments.end; s++) {
        for (size_t g = of->bundles.first; g < of->bundles.end; g++) {
            psg_message message = message_of(plan, workspace, rank, s, g, way);
            message.begins = begins;
            begins = 0;
            (sends ? psg_message_send : psg_message_receive)(
                run, of->outward ? bundle_of(c, workspace, s, g) : arrival_of(c, workspace, s, g),
                &message);
        }
    }
}

static void submit_messages(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                            int rank, psg_way way, bool sends) {
    const crossing of = crossing_of(&plan->context.layout, rank, way, sends);
    submit_crossing(run, plan, workspace, rank, way, sends, &of, 0);
}

/* ------------------------------------------------------------------------------------ edges */

/* The segment of another process that has the plane below a segment's first one; SIZE_MAX: none
 * has. */
static size_t below(const psg_run *run, size_t s) {
    const psg_context *c = psg_context_of(run);
    const size_t before = psg_segment_below(c, psg_terms_of(run), s);
    return before < SIZE_MAX && !psg_range_has(c->layout.segments.own, before) ? before : SIZE_MAX;
}

static size_t above(const psg_run *run, size_t s) {
    const psg_context *c = psg_context_of(run);
    const size_t after = psg_segment_above(c, psg_terms_of(run), s);
    return after < SIZE_MAX && !psg_range_has(c->layout.segments.own, after) ? after : SIZE_MAX;
}

/* The edge comes to main memory. StarPU copies it to a GPU that needs it.
 * @param[in] s  whose plane it is @param[in] other  the segment at the other end */
static psg_message edge_of(const psg_run *run, const psg_plan *plan, psg_edge_side edge, size_t s,
                           size_t other) {
    return (psg_message){
        .rank = plan->context.layout.segments.part[other].process,
        .tag = (int)edge_tag(plan, (size_t)edge * EDGE_TAGS + run->number % EDGE_TAGS),
        .way = edge == PSG_EDGE_ABOVE ? PSG_WAY_BACK : PSG_WAY_THERE,
        .node = STARPU_MAIN_RAM,
        .unit = plan->context.layout.nxc * 2 * plan->context.cpu->real_bytes,
        .rows = 1,
        .runs = plan->context.layout.n[1],
        .pitch = 1,
        .alone = true,
        .label = psg_edge_label(PSG_TASK_EXCHANGE, s, edge == PSG_EDGE_BELOW)};
}

starpu_data_handle_t psg_exchange_edge(psg_run *run, const psg_plan *plan, const psg_arrays *arrays,
                                       psg_edge_side edge) {
    const psg_range own = plan->context.layout.segments.own;
    const bool up = edge == PSG_EDGE_BELOW;
    if (psg_range_count(own) == 0) {
        return NULL;
    }
    const starpu_data_handle_t *slabs = arrays->slabs[up ? PSG_FIELD_FLOW + 2 : PSG_FIELD_U];
    const size_t goes = up ? own.end - 1 : own.first;
    const size_t to = up ? above(run, goes) : below(run, goes);
    const size_t from = up ? below(run, own.first) : above(run, own.end - 1);
    if (to < SIZE_MAX) {
        const psg_message message = edge_of(run, plan, edge, goes, to);
        psg_task_edge(run, goes, up, slabs[goes - own.first], arrays->edge[edge][0]);
        psg_message_send(run, arrays->edge[edge][0], &message);
    }
    if (from == SIZE_MAX) {
        return NULL;
    }
    const psg_message message = edge_of(run, plan, edge, from, from);
    psg_message_receive(run, arrays->edge[edge][1], &message);
    return arrays->edge[edge][1];
}

void psg_exchange_leave(psg_arrays *arrays) {
    psg_block_leave(arrays->edge[0], (size_t)2 * PSG_EDGES);
    for (int m = 0; m < PSG_BOX_FIELDS && arrays->boxed; m++) {
        psg_block_leave(arrays->slabs[m], psg_range_count(arrays->parts.own));
    }
}

/* A message of a solve with epsilon waits for no other: the process that it goes to has nothing to
 * do without it. */
void psg_exchange_piece(psg_run *run, const psg_plan *plan, const psg_piece *piece) {
    const psg_message message = {.rank = piece->rank,
                                 .tag = (int)piece_tag(plan, piece->s, piece->kind),
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

static psg_range member(psg_range all, size_t m) {
    const size_t at = all.first + m;
    return at < all.end ? (psg_range){at, at + 1} : (psg_range){0, 0};
}

/* Of each process the blocks of segment i and of bundle j, among its own, of those that cross.
 * @param[in] begins  what it returns; 0: nothing is submitted
 * @return how many blocks */
static size_t round_of(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                       psg_way way, const size_t ij[2], size_t begins) {
    size_t count = 0;
    for (int d = 1; d < plan->processes.ranks; d++) {
        for (int sends = 1; sends >= 0; sends--) {
            const int rank = (plan->processes.rank + (sends ? d : -d) + plan->processes.ranks) %
                             plan->processes.ranks;
            crossing of = crossing_of(&plan->context.layout, rank, way, sends != 0);
            of.segments = member(of.segments, ij[0]);
            of.bundles = member(of.bundles, ij[1]);
            if (begins > 0) {
                submit_crossing(run, plan, workspace, rank, way, sends != 0, &of,
                                count == 0 ? begins : 0);
            }
            count += psg_range_count(of.segments) * psg_range_count(of.bundles);
        }
    }
    return count;
}

/* Segments end one after the other, and sheets on the way back: all processes have the rounds in
 * that order. */
static void rounds(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                   psg_way way) {
    const psg_layout *l = &plan->context.layout;
    const size_t most[2] = {l->segments.first[1], l->bundles.first[1]}; /* process 0 has most */
    const int slow = psg_way_is_back(way) ? 1 : 0;
    const size_t fast_count = most[1 - slow];
    for (size_t m = 0; m < most[0] * most[1]; m++) {
        size_t ij[2];
        ij[slow] = m / fast_count;
        ij[1 - slow] = m % fast_count;
        const size_t count = round_of(run, plan, workspace, way, ij, 0);
        if (count > 0) {
            (void)round_of(run, plan, workspace, way, ij, count);
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

#define OWN_MEMORY .allocate = psg_chunk_allocate, .release = psg_chunk_release
#define WITHIN OWN_MEMORY, .bundle_bytes = 1
#define BETWEEN OWN_MEMORY, .bundle_bytes = TUNING_MESSAGE_BYTES, .piece_bytes = TUNING_PIECE_BYTES
#define SHARED                                                                                     \
    .is = PSG_EXCHANGE_DIRECT, .words = "blocks written in the memory of other processes",         \
    .gpu_parts = psg_partition_shared, .piece_bytes = TUNING_PIECE_BYTES,                          \
    .allocate = psg_shared_allocate, .release = psg_shared_free, .connect = psg_shared_connect,    \
    .carry = messages, .carry_again = messages

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
                             .gpu_parts = psg_partition_pieces, .lay = lay_starpu,
                             .carry = messages},
    [PSG_EXCHANGE_NCCL] = {OWN_MEMORY, .is = PSG_EXCHANGE_NCCL, .words = "blocks in rounds of NCCL",
                           .bundle_bytes = 1, .gpu_parts = psg_partition_pieces, .lay = lay_nccl,
                           .from_home = true, .piece_bytes = TUNING_NCCL_PIECE_BYTES,
                           .carry = rounds},
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
