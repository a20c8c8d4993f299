#include "codelets/layout.h"

#include <stdlib.h>

void psg_layout_free(psg_layout *l) {
    free(l->z0);
    free(l->y0);
    free(l->bundle_p0);
    free(l->bundle_y0);
    free(l->segment_worker);
    free(l->pencil_worker);
    free(l->relay.rows);
    *l = (psg_layout){.n = {l->n[0], l->n[1], l->n[2]}, .nxc = l->nxc};
}
