/* f and u as boxes: each process sends its points to the processes that have their planes, and gets
 * u from them.
 *
 *   f of a box, cut by segment --message--> slab of f --> ... --> slab of u --message--> u of a box
 *
 * A slab has memory of its own then. The part of a box that goes to one segment is a run of the
 * box's planes, so it is data of StarPU's of its own; in the slab it is any box. MPI takes the rows
 * from where they are, and puts them where they belong. The parts of a slab come one after the
 * other, as each of them is a writer of the slab. A process sends to itself, too. */
#include "graph/boxes.h"
#include "graph/block.h"
#include "graph/exchange.h"
#include "graph/plan_struct.h"
#include "runtime/message.h"

#include <stdlib.h>

/* So many solves in flight have different tags. */
enum { FIELDS = PSG_BOX_FIELDS, RUNS = 64 };

static size_t first_tag(const psg_plan *plan) {
    return plan->between.tags;
}

size_t psg_boxes_tags(const psg_plan *plan) {
    return first_tag(plan) + (size_t)FIELDS * RUNS * plan->context.layout.segments.first[1];
}

void psg_boxes_extents(const psg_plan *plan, size_t n[3]) {
    const psg_layout *l = &plan->context.layout;
    const psg_box *box = plan->boxes.box;
    const size_t planes = psg_parts_length(&l->segments, l->segments.own, 2);
    for (int d = 0; d < 3; d++) {
        n[d] = box != NULL ? psg_box_length(&box[plan->processes.rank], d)
               : d < 2     ? l->n[d]
                           : planes;
    }
}

/* ------------------------------------------------------------------------------------ parts */

bool psg_boxes_register(const psg_plan *plan, psg_arrays *arrays) {
    const psg_parts *segments = &plan->context.layout.segments;
    const psg_box *box = &plan->boxes.box[plan->processes.rank];
    const size_t real = plan->context.cpu->real_bytes;
    for (int m = 0; m < FIELDS; m++) {
        const psg_array *a = arrays->field[m];
        if (a == NULL || arrays->count == 0) {
            continue;
        }
        arrays->piece[m] = calloc(segments->count, sizeof *arrays->piece[m]);
        if (arrays->piece[m] == NULL) {
            return false;
        }
        arrays->pieces = segments->count;
        for (size_t s = 0; s < segments->count; s++) {
            const psg_box part = psg_box_common(box, &segments->part[s].box);
            if (psg_box_empty(&part)) {
                continue;
            }
            if (m == PSG_FIELD_U && arrays->in_place) {
                arrays->piece[m][s] = arrays->piece[PSG_FIELD_F][s];
                continue;
            }
            const size_t n[3] = {psg_box_length(&part, 0), psg_box_length(&part, 1),
                                 psg_box_length(&part, 2)};
            const size_t before = (part.lo[2] - box->lo[2]) * (size_t)a->stride[2];
            psg_block_register_rows(&arrays->piece[m][s], STARPU_MAIN_RAM,
                                    (char *)a->data + before * real, n, (size_t)a->stride[1],
                                    (size_t)a->stride[2], real);
        }
    }
    return true;
}

void psg_boxes_unregister(psg_arrays *arrays) {
    for (int m = 0; m < FIELDS; m++) {
        if (m != PSG_FIELD_U || !arrays->in_place) {
            psg_block_unregister(arrays->piece[m], arrays->pieces);
        }
        free(arrays->piece[m]);
    }
}

/* --------------------------------------------------------------------------------- messages */

/* What box `rank` and segment s have in common, as a message that `other` sends or gets.
 * @param[in] memory  of which array the message is a part, and how many elements apart its rows and
 *                    planes are */
static psg_message message_of(const psg_run *run, const psg_plan *plan, int other, size_t s,
                              int field, const psg_box *part, const psg_box *memory,
                              const size_t pitch[2]) {
    const psg_parts *segments = &plan->context.layout.segments;
    const size_t real = plan->context.cpu->real_bytes;
    const size_t local = s - segments->first[segments->part[s].process];
    const size_t at = (run->number % RUNS) * segments->first[1] + local;
    return (psg_message){.rank = other,
                         .tag = (int)(first_tag(plan) + (size_t)FIELDS * at + (size_t)field),
                         .way = field == PSG_FIELD_F ? PSG_WAY_THERE : PSG_WAY_BACK,
                         .node = STARPU_MAIN_RAM,
                         .unit = 1,
                         .rows = psg_box_length(part, 0) * real,
                         .runs = psg_box_length(part, 1),
                         .pitch = pitch[0] * real,
                         .layers = psg_box_length(part, 2),
                         .layer_pitch = pitch[1] * real,
                         .first = real * ((part->lo[2] - memory->lo[2]) * pitch[1] +
                                          (part->lo[1] - memory->lo[1]) * pitch[0] + part->lo[0] -
                                          memory->lo[0]),
                         .alone = true,
                         .counts = true,
                         .label = psg_segment_label(PSG_TASK_EXCHANGE, s)};
}

/* The parts of this process' box that are in the segments of another one, or of its own. */
static void submit_pieces(psg_run *run, const psg_plan *plan, const psg_arrays *arrays, int field,
                          int rank) {
    const psg_parts *segments = &plan->context.layout.segments;
    const psg_box *box = &plan->boxes.box[plan->processes.rank];
    const psg_range theirs = psg_parts_of(segments, rank);
    for (size_t s = theirs.first; s < theirs.end; s++) {
        const psg_box part = psg_box_common(box, &segments->part[s].box);
        if (psg_box_empty(&part)) {
            continue;
        }
        const psg_array *a = arrays->field[field];
        const size_t pitch[2] = {(size_t)a->stride[1], (size_t)a->stride[2]};
        const psg_message message = message_of(run, plan, rank, s, field, &part, &part, pitch);
        (field == PSG_FIELD_F ? psg_message_send
                              : psg_message_receive)(run, arrays->piece[field][s], &message);
    }
}

/* The parts of this process' segments that are in the box of another one, or in its own. */
static void submit_slabs(psg_run *run, const psg_plan *plan, const psg_arrays *arrays, int field,
                         int rank) {
    const psg_layout *l = &plan->context.layout;
    const size_t pitch[2] = {l->n[0], l->n[0] * l->n[1]};
    for (size_t s = l->segments.own.first; s < l->segments.own.end; s++) {
        const psg_box *slab = &l->segments.part[s].box;
        const psg_box part = psg_box_common(&plan->boxes.box[rank], slab);
        if (psg_box_empty(&part)) {
            continue;
        }
        const psg_message message = message_of(run, plan, rank, s, field, &part, slab, pitch);
        (field == PSG_FIELD_F ? psg_message_receive : psg_message_send)(
            run, arrays->slabs[field][s - l->segments.own.first], &message);
    }
}

/* Each process begins with itself, and then has the one after it. */
static void submit(psg_run *run, const psg_plan *plan, const psg_arrays *arrays, int field) {
    const int ranks = plan->processes.ranks;
    for (int d = 0; d < ranks; d++) {
        submit_pieces(run, plan, arrays, field, (plan->processes.rank + d) % ranks);
        submit_slabs(run, plan, arrays, field, (plan->processes.rank + ranks - d) % ranks);
    }
}

void psg_boxes_bring(psg_run *run, const psg_plan *plan, const psg_arrays *arrays) {
    if (arrays->boxed) {
        submit(run, plan, arrays, PSG_FIELD_F);
    }
}

void psg_boxes_return(psg_run *run, const psg_plan *plan, const psg_arrays *arrays) {
    for (int m = PSG_FIELD_U; m < FIELDS && arrays->boxed; m++) {
        if (arrays->slabs[m] != NULL) {
            submit(run, plan, arrays, m);
        }
    }
}
