/* What the processes of a solve with epsilon tell each other: sums, planes of p, and whether one of
 * them has failed. */
#include "base/pcg.h"
#include "graph/exchange.h"
#include "graph/pcg_fields.h"
#include "graph/plan_struct.h"
#include "graph/ranks.h"
#include "graph/transform_table.h"

size_t psg_pcg_beside(const psg_plan *plan, size_t s, int towards) {
    const size_t segments = plan->context.layout.segments.count;
    const bool ends = !psg_transform_periodic(psg_transform_of(&plan->problem.grid.axis[2]));
    const bool at_end = towards < 0 ? s == 0 : s + 1 == segments;
    return at_end && ends ? SIZE_MAX
           : towards < 0  ? (s + segments - 1) % segments
                          : (s + 1) % segments;
}

size_t psg_pcg_across(const psg_plan *plan, int towards) {
    const psg_range own = plan->context.layout.segments.own;
    const size_t other = psg_range_count(own) > 0
                             ? psg_pcg_beside(plan, towards < 0 ? own.first : own.end - 1, towards)
                             : SIZE_MAX;
    return other < SIZE_MAX && !psg_range_has(own, other) ? other : SIZE_MAX;
}

/* A piece of a segment of this process goes to another one, or one of another comes. */
static void carry(psg_run *run, const psg_plan *plan, psg_piece_kind kind, size_t s, size_t rows,
                  int rank) {
    const psg_layout *l = &plan->context.layout;
    const psg_task_pcg_data *at = &plan->held.pcg->segment[s];
    const bool sums = kind == PSG_PIECE_SUMS;
    const size_t row = sums ? base_pcg_blocks(l->n[1]) * psg_layout_planes(l, s) : l->n[0];
    const psg_piece piece = {.kind = kind,
                             .s = s,
                             .block = sums                    ? at->part
                                      : kind == PSG_PIECE_LOW ? at->low
                                                              : at->high,
                             .row_bytes = row * sizeof(double),
                             .rows = rows,
                             .rank = rank,
                             .sent = psg_range_has(l->segments.own, s)};
    psg_exchange_piece(run, plan, &piece);
}

void psg_pcg_carry_sums(psg_run *run, const psg_plan *plan, size_t measures) {
    const psg_parts *segments = &plan->context.layout.segments;
    const int ranks = plan->processes.ranks;
    for (size_t s = 0; s < segments->count && ranks > 1; s++) {
        const bool own = psg_range_has(segments->own, s);
        for (int d = 1; d < (own ? ranks : 2); d++) {
            carry(run, plan, PSG_PIECE_SUMS, s, measures,
                  own ? (plan->processes.rank + d) % ranks : segments->part[s].process);
        }
    }
}

void psg_pcg_carry_planes(psg_run *run, const psg_plan *plan) {
    const psg_layout *l = &plan->context.layout;
    for (int side = 0; side < 2; side++) {
        const size_t other = psg_pcg_across(plan, side == 0 ? -1 : 1);
        const size_t mine = side == 0 ? l->segments.own.first : l->segments.own.end - 1;
        if (other < SIZE_MAX) {
            const int rank = l->segments.part[other].process;
            const psg_piece_kind out = side == 0 ? PSG_PIECE_LOW : PSG_PIECE_HIGH;
            const psg_piece_kind in = side == 0 ? PSG_PIECE_HIGH : PSG_PIECE_LOW;
            carry(run, plan, out, mine, l->n[1], rank);
            carry(run, plan, in, other, l->n[1], rank);
        }
    }
}

bool psg_pcg_agree(psg_run *run, const psg_plan *plan) {
    double failed = psg_run_failed(run);
    const bool good = psg_ranks_max(plan->processes.comm, &failed, 1) == PSG_OK;
    if (!good) {
        psg_run_fail(run, PSG_FAULT_MPI, "%s", plan->processes.comm->words);
    }
    return good && failed == 0; /* what has failed since is for the next time: not all know of it */
}
