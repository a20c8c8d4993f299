/* The boxes that a caller gives in place of planes: every point of the grid is in one of them. */
#include "graph/boxes.h"
#include "graph/options.h"
#include "graph/pending.h"
#include "graph/plan_struct.h"
#include "graph/ranks.h"
#include "graph/sides.h"
#include "graph/status.h"
#include "runtime/simulation.h"

#include <stdlib.h>

psg_status psg_boxes_check(const psg_plan *plan, const psg_solve_args *args, bool flow) {
    const char *what = flow                                             ? "flow"
                       : args->epsilon != NULL                          ? "epsilon"
                       : args->f_modes != NULL || args->u_modes != NULL ? "modes"
                       : psg_sides_given(args)                          ? "values on sides"
                                                                        : NULL;
    return plan->boxes.box == NULL || what == NULL
               ? PSG_OK
               : psg_fail(PSG_ERR_UNSUPPORTED,
                          "a solve with boxes (psg_plan_box()) has no %s yet: one with planes has",
                          what);
}

static size_t points_of(const psg_box *box) {
    return psg_box_empty(box)
               ? 0
               : psg_box_length(box, 0) * psg_box_length(box, 1) * psg_box_length(box, 2);
}

/* All boxes by process; those that are not given are planes. Collective. */
static psg_status gather(psg_box *box, const psg_plan *plan, const psg_box *mine) {
    const size_t ranks = (size_t)plan->processes.ranks;
    double *all = calloc(6 * ranks, sizeof *all);
    psg_status status = psg_ranks_agree(
        plan->processes.comm,
        all != NULL ? PSG_OK : psg_fail(PSG_ERR_MEMORY, "no memory for %zu boxes", ranks));
    for (int d = 0; d < 3 && status == PSG_OK && all != NULL; d++) {
        double *own = all + 6 * (size_t)plan->processes.rank;
        own[d] = (double)mine->lo[d];
        own[3 + d] = (double)mine->hi[d];
    }
    status = status == PSG_OK ? psg_ranks_sum(plan->processes.comm, all, 6 * ranks) : status;
    for (size_t r = 0; r < ranks && status == PSG_OK && all != NULL; r++) {
        for (int d = 0; d < 3; d++) {
            box[r].lo[d] = (size_t)all[6 * r + (size_t)d];
            box[r].hi[d] = (size_t)all[6 * r + 3 + (size_t)d];
        }
    }
    free(all);
    return status;
}

/* The first point of the grid that no box has, along the plan's axes. */
static void first_hole(const psg_plan *plan, const psg_box *box, size_t at[3]) {
    const size_t *n = plan->context.layout.n;
    bool covered = true;
    at[0] = at[1] = at[2] = 0;
    while (covered && at[2] < n[2]) {
        size_t next = at[0];
        covered = false;
        for (int r = 0; r < plan->processes.ranks && !covered; r++) {
            const psg_box point = {{at[0], at[1], at[2]}, {at[0] + 1, at[1] + 1, at[2] + 1}};
            const psg_box both = psg_box_common(&box[r], &point);
            covered = !psg_box_empty(&both);
            next = covered ? box[r].hi[0] : next;
        }
        if (covered) { /* go on behind the box */
            at[0] = next < n[0] ? next : 0;
            at[1] += next < n[0] ? 0 : 1;
            at[2] += at[1] == n[1] ? 1 : 0;
            at[1] = at[1] == n[1] ? 0 : at[1];
        }
    }
}

/* Is every point in one box? All processes see all boxes. */
static psg_status check_tiling(const psg_plan *plan, const psg_box *box) {
    const size_t *n = plan->context.layout.n;
    const psg_grid *grid = &plan->problem.grid;
    size_t points = 0;
    for (int r = 0; r < plan->processes.ranks; r++) {
        for (int q = 0; q < r; q++) {
            const psg_box both = psg_box_common(&box[q], &box[r]);
            if (!psg_box_empty(&both)) {
                return psg_fail(PSG_ERR_ARG,
                                "the boxes of process %d and process %d overlap: both have point "
                                "(%zu,%zu,%zu)",
                                q, r, both.lo[0], both.lo[psg_grid_turn(grid, 1)],
                                both.lo[psg_grid_turn(grid, 2)]);
            }
        }
        points += points_of(&box[r]);
    }
    if (points < n[0] * n[1] * n[2]) {
        size_t at[3];
        first_hole(plan, box, at);
        return psg_fail(PSG_ERR_ARG,
                        "no process has point (%zu,%zu,%zu): the boxes have %zu of the %zu points "
                        "of the grid",
                        at[0], at[psg_grid_turn(grid, 1)], at[psg_grid_turn(grid, 2)], points,
                        n[0] * n[1] * n[2]);
    }
    return PSG_OK;
}

/* The box that the caller gives, along the plan's axes. */
static psg_status read_box(psg_box *box, const psg_plan *plan, const size_t lo[3],
                           const size_t n[3]) {
    const size_t *all = plan->context.layout.n;
    if (plan->pending.oldest != NULL) {
        return psg_fail(PSG_ERR_STATE, "a solve is in flight: psg_wait() for it first");
    }
    if (!psg_platform->computes) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "boxes of processes are not simulated");
    }
    if ((lo == NULL) != (n == NULL)) {
        return psg_fail(PSG_ERR_ARG, "of lo and n one is NULL");
    }
    const bool empty = lo == NULL || n[0] == 0 || n[1] == 0 || n[2] == 0;
    for (int d = 0; d < 3 && !empty; d++) {
        const int axis = psg_grid_turn(&plan->problem.grid, d);
        if (n[d] > all[axis] || lo[d] > all[axis] - n[d]) {
            return psg_fail(PSG_ERR_ARG,
                            "along %c the box has %zu points from point %zu on, and the grid has "
                            "%zu points",
                            "xyz"[d], n[d], lo[d], all[axis]);
        }
        box->lo[axis] = lo[d];
        box->hi[axis] = lo[d] + n[d];
    }
    return PSG_OK;
}

/* Parts of box r in the segments of a process. */
static size_t count_parts(const psg_plan *plan, const psg_box *box, psg_range segments) {
    size_t count = 0;
    for (size_t s = segments.first; s < segments.end; s++) {
        const psg_box both = psg_box_common(box, &plan->context.layout.segments.part[s].box);
        count += psg_box_empty(&both) ? 0 : 1;
    }
    return count;
}

/* Messages of a solve with all fields: what comes and goes of own boxes, and of own segments. */
static size_t count_messages(const psg_plan *plan, const psg_box *box) {
    const psg_parts *segments = &plan->context.layout.segments;
    const psg_range all = {0, segments->count};
    size_t count = count_parts(plan, &box[plan->processes.rank], all);
    for (int r = 0; r < plan->processes.ranks; r++) {
        count += count_parts(plan, &box[r], segments->own);
    }
    return PSG_BOX_FIELDS * count;
}

/* Handles and runs were made for other arrays. */
static void take(psg_plan *plan, psg_box *box, size_t messages) {
    psg_arrays *slabs = plan->held.slabs;
    plan->held.slabs = NULL;
    psg_arrays_free(&plan->held, plan->storage.left);
    plan->held.slabs = slabs;
    psg_pending_free(&plan->pending);
    free(plan->boxes.box);
    plan->context.engine.messages += messages - plan->boxes.messages;
    plan->boxes = (psg_boxes){.box = box, .messages = messages};
}

psg_status psg_plan_box(psg_plan *plan, const size_t lo[3], const size_t n[3]) {
    psg_clear_error();
    if (plan == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan is NULL");
    }
    psg_comm *comm = plan->processes.comm;
    psg_box mine = {{0, 0, 0}, {0, 0, 0}};
    psg_status status = psg_ranks_agree(comm, read_box(&mine, plan, lo, n));
    double given[2] = {lo != NULL ? 1 : 0, lo != NULL ? 0 : 1};
    status = status == PSG_OK ? psg_ranks_max(comm, given, 2) : status;
    if (status != PSG_OK) {
        return status;
    }
    if (given[0] > 0 && given[1] > 0) {
        return psg_fail(PSG_ERR_ARG, "some processes have a box, and others have none");
    }
    if (given[0] == 0) {
        take(plan, NULL, 0);
        return PSG_OK;
    }
    psg_box *box = calloc((size_t)plan->processes.ranks, sizeof *box);
    status = psg_ranks_agree(comm, box != NULL ? PSG_OK
                                               : psg_fail(PSG_ERR_MEMORY,
                                                          "no memory for the boxes of %d "
                                                          "processes",
                                                          plan->processes.ranks));
    status = status == PSG_OK ? gather(box, plan, &mine) : status;
    status = status == PSG_OK ? check_tiling(plan, box) : status;
    if (status == PSG_OK && plan->processes.ranks > 1 &&
        psg_boxes_tags(plan) > psg_comms->most_tags()) {
        status = psg_fail(PSG_ERR_UNSUPPORTED, "MPI has no %zu tags: choose fewer segments",
                          psg_boxes_tags(plan));
    }
    if (status != PSG_OK) {
        free(box);
        return status;
    }
    if (plan->processes.ranks == 1) { /* the box is all of the grid */
        free(box);
        box = NULL;
    }
    take(plan, box, box != NULL ? count_messages(plan, box) : 0);
    return PSG_OK;
}
