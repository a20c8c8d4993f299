/* Between processes: blocks go from the segments of one to the pencils of another, and back.
 *
 *   bundles[s][g] --message or alltoall--> arrivals[s][g] --split--> blocks[s][p], p in g
 *   bundles[s][g] <--message or alltoall-- arrivals[s][g] <--join--- blocks[s][p]
 *
 * Each process submits what starts or ends there, so its part grows with the number of processes,
 * not with the square. A bundle of one pencil needs no split and no join: its arrival is the block.
 */
#include "graph/internal.h"

static size_t own_bundles(const psg_context *c) {
    return c->own_bundles.end - c->own_bundles.first;
}

static size_t own_pencils(const psg_context *c) {
    return c->own_pencils.end - c->own_pencils.first;
}

/* Tags are those of the pair of processes, odd ones for the way back: both ways there are
 * messages from one to the other. A block on a GPU goes from there, and to there, if MPI can. */
static psg_message message_of(const psg_plan *plan, const psg_lane *lane, int rank, size_t s,
                              size_t g, psg_way way) {
    const psg_context *c = &plan->context;
    const bool outward = s >= c->own_segments.first && s < c->own_segments.end;
    const size_t first_segment = plan->rank_segment[outward ? plan->rank : rank];
    const size_t first_bundle = plan->rank_bundle[outward ? rank : plan->rank];
    const bool alone = c->bundle_p0[g + 1] - c->bundle_p0[g] == 1; /* else it is split there */
    const int worker = outward ? plan->segment_worker[s]
                       : alone ? plan->pencil_worker[c->bundle_p0[g]]
                               : -1;
    return (psg_message){.rank = rank,
                         .tag = (way == PSG_WAY_BACK ? 1 : 0) +
                                2 * (int)((lane->number * plan->most_segments + s - first_segment) *
                                              plan->most_bundles +
                                          g - first_bundle),
                         .way = way,
                         .node = psg_placement_node(psg_comm_cuda_aware() == 1 ? worker : -1),
                         .rows =
                             (c->z0[s + 1] - c->z0[s]) * (c->bundle_y0[g + 1] - c->bundle_y0[g]),
                         .segment = s,
                         .pencil = c->bundle_p0[g]};
}

static starpu_data_handle_t bundle_of(const psg_context *c, const psg_lane *lane, size_t s,
                                      size_t g) {
    return lane->bundles[(s - c->own_segments.first) * c->bundles + g];
}

static starpu_data_handle_t arrival_of(const psg_context *c, const psg_lane *lane, size_t s,
                                       size_t g) {
    return lane->arrivals[s * own_bundles(c) + g - c->own_bundles.first];
}

/* The way there: my segments' blocks to `rank`, or from it. */
static void outward(psg_run *run, const psg_plan *plan, const psg_lane *lane, int rank, bool send) {
    const psg_context *c = &plan->context;
    for (size_t s = c->own_segments.first; s < c->own_segments.end; s++) {
        for (size_t g = plan->rank_bundle[rank]; g < plan->rank_bundle[rank + 1]; g++) {
            const psg_message message =
                message_of(plan, lane, rank, s, g, send ? PSG_WAY_THERE : PSG_WAY_BACK);
            (send ? psg_task_send : psg_task_receive)(run, bundle_of(c, lane, s, g), &message);
        }
    }
}

/* And the other end: blocks of the segments of `rank` for my pencils, from it or to it. */
static void inward(psg_run *run, const psg_plan *plan, const psg_lane *lane, int rank, bool send) {
    const psg_context *c = &plan->context;
    for (size_t s = plan->rank_segment[rank]; s < plan->rank_segment[rank + 1]; s++) {
        for (size_t g = c->own_bundles.first; g < c->own_bundles.end; g++) {
            const psg_message message =
                message_of(plan, lane, rank, s, g, send ? PSG_WAY_BACK : PSG_WAY_THERE);
            (send ? psg_task_send : psg_task_receive)(run, arrival_of(c, lane, s, g), &message);
        }
    }
}

static size_t parts_of(const size_t *first, int rank) {
    return first[rank + 1] - first[rank];
}

/* How many go from this process to another, one way. */
static size_t sends_to(const psg_plan *plan, int rank, psg_way way) {
    return way == PSG_WAY_THERE
               ? parts_of(plan->rank_segment, plan->rank) * parts_of(plan->rank_bundle, rank)
               : parts_of(plan->rank_segment, rank) * parts_of(plan->rank_bundle, plan->rank);
}

/* Each process begins with the one after it, so that not all of them send to the first. */
static void messages(psg_run *run, const psg_plan *plan, const psg_lane *lane, psg_way way) {
    for (int r = 0; r < plan->ranks; r++) {
        psg_task_expect(run, r, way, sends_to(plan, r, way));
    }
    for (int d = 1; d < plan->ranks; d++) {
        const int to = (plan->rank + d) % plan->ranks;
        const int from = (plan->rank + plan->ranks - d) % plan->ranks;
        if (way == PSG_WAY_THERE) {
            outward(run, plan, lane, to, true);
            inward(run, plan, lane, from, false);
        } else {
            inward(run, plan, lane, to, true);
            outward(run, plan, lane, from, false);
        }
    }
}

static void carry(psg_run *run, const psg_plan *plan, const psg_lane *lane, psg_way way) {
    if (plan->exchange == PSG_EXCHANGE_ALLTOALL) {
        psg_task_alltoall(run, &lane->alltoall, way, &lane->outward, &lane->inward);
    } else {
        messages(run, plan, lane, way);
    }
}

static void regroup(psg_run *run, const psg_plan *plan, const psg_lane *lane, psg_way way) {
    const psg_context *c = &plan->context;
    for (size_t s = 0; s < c->segments; s++) {
        for (size_t g = c->own_bundles.first; g < c->own_bundles.end; g++) {
            const size_t first = c->bundle_p0[g];
            const size_t count = c->bundle_p0[g + 1] - first;
            const bool mine = s >= c->own_segments.first && s < c->own_segments.end;
            if (count > 1) {
                psg_task_regroup(run, way, !mine, arrival_of(c, lane, s, g),
                                 &lane->blocks[s * own_pencils(c) + first - c->own_pencils.first],
                                 count);
            }
        }
    }
}

void psg_exchange_forward(psg_run *run, const psg_plan *plan, const psg_lane *lane) {
    if (plan->ranks > 1) {
        carry(run, plan, lane, PSG_WAY_THERE);
        regroup(run, plan, lane, PSG_WAY_THERE);
    }
}

void psg_exchange_back(psg_run *run, const psg_plan *plan, const psg_lane *lane) {
    if (plan->ranks > 1) {
        regroup(run, plan, lane, PSG_WAY_BACK);
        carry(run, plan, lane, PSG_WAY_BACK);
    }
}
