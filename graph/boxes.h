/** @file boxes.h  Boxes of f and u that processes have in place of planes. */
#ifndef PSG_GRAPH_BOXES_H
#define PSG_GRAPH_BOXES_H

#include "graph/arrays.h"
#include "graph/psg_boxes.h"

static inline bool psg_box_empty(const psg_box *box) {
    return box->lo[0] >= box->hi[0] || box->lo[1] >= box->hi[1] || box->lo[2] >= box->hi[2];
}

/** What two boxes have in common; it may be empty. */
static inline psg_box psg_box_common(const psg_box *a, const psg_box *b) {
    psg_box c;
    for (int d = 0; d < 3; d++) {
        c.lo[d] = a->lo[d] > b->lo[d] ? a->lo[d] : b->lo[d];
        c.hi[d] = a->hi[d] < b->hi[d] ? a->hi[d] : b->hi[d];
    }
    return c;
}

/** Fields that boxes have: f, u and the gradient. */
enum { PSG_BOX_FIELDS = PSG_FIELD_EPSILON };

typedef struct psg_boxes {
    psg_box *box;    /**< [ranks], along the plan's axes; NULL: each process has planes */
    size_t messages; /**< of a solve with a gradient, at the most */
} psg_boxes;

/** The points of an array of this process along x and y, and along z where it has a box. */
void psg_boxes_extents(const psg_plan *plan, size_t n[3]);
/** The tags that messages of a plan have, with those of boxes: 0 .. so many - 1. */
size_t psg_boxes_tags(const psg_plan *plan);
/** Has a solve with boxes anything that they are not for? @return PSG_OK; PSG_ERR_UNSUPPORTED */
psg_status psg_boxes_check(const psg_plan *plan, const psg_solve_args *args, bool flow);
/** The parts of the caller's arrays that go to a segment each. @return false: no memory */
bool psg_boxes_register(const psg_plan *plan, psg_arrays *arrays);
void psg_boxes_unregister(psg_arrays *arrays);
/** Submit the messages with f before a solve's tasks, and those with u and its gradient after them.
 *  Nothing where processes have planes. */
void psg_boxes_bring(psg_run *run, const psg_plan *plan, const psg_arrays *arrays);
void psg_boxes_return(psg_run *run, const psg_plan *plan, const psg_arrays *arrays);

#endif
