/** @file pieces.h  Several right-hand sides that one run solves, cut into pieces. */
#ifndef PSG_GRAPH_PIECES_H
#define PSG_GRAPH_PIECES_H

#include "graph/psg.h"

struct psg_parts;

/** Of right-hand sides that follow one another in f, the first ones, which one run solves: an array
 *  of all their planes, of which each part is a task's.
 *  @param[out] pieces  count = 0: each is solved by a run of its own. pieces->part is the caller's
 *                      to free
 *  @return PSG_OK; PSG_ERR_MEMORY */
psg_status psg_pieces_cut(struct psg_parts *pieces, const psg_plan *plan, size_t right_hand_sides,
                          const psg_array *f);

#endif
