#include "codelets/layout.h"

#include <stdlib.h>

size_t psg_parts_length(const psg_parts *parts, psg_range range, int d) {
    return range.first == range.end
               ? 0
               : parts->part[range.end - 1].box.hi[d] - parts->part[range.first].box.lo[d];
}

size_t psg_parts_largest(const psg_parts *parts, psg_range range, int d) {
    size_t largest = 0;
    for (size_t m = range.first; m < range.end; m++) {
        const size_t here = psg_box_length(&parts->part[m].box, d);
        largest = here > largest ? here : largest;
    }
    return largest;
}

/* The field and the spectrum have the same planes. */
psg_box psg_layout_block(const psg_layout *l, size_t s, const psg_part *sheets) {
    psg_box block = sheets->box;
    block.lo[2] = l->segments.part[s].box.lo[2];
    block.hi[2] = l->segments.part[s].box.hi[2];
    return block;
}

static void free_parts(psg_parts *parts) {
    free(parts->part);
    free(parts->first);
}

void psg_layout_free(psg_layout *l) {
    free_parts(&l->segments);
    free_parts(&l->sheets);
    free_parts(&l->bundles);
    free(l->overlap.rows);
    *l =
        (psg_layout){.n = {l->n[0], l->n[1], l->n[2]}, .row = l->row, .nxc = l->nxc, .nyc = l->nyc};
}
