#include "codelets/plane.h"

#include "codelets/task.h"

#include <string.h>

void psg_plane_move(const psg_context *context, psg_plane_way way, void *blocks[], size_t plane,
                    void *spectrum) {
    const size_t element = 2 * context->cpu->real_bytes;
    for (size_t g = 0; g < context->bundles; g++) {
        const size_t first = context->bundle_y0[g] * context->nxc;
        const size_t bytes = (context->bundle_y0[g + 1] * context->nxc - first) * element;
        char *rows = (char *)spectrum + first * element;
        char *block =
            (char *)psg_task_pointer(blocks, g) + plane * psg_task_pitch(blocks, g) * element;
        if (way == PSG_PLANE_DEAL) {
            memcpy(block, rows, bytes);
        } else {
            memcpy(rows, block, bytes);
        }
    }
}
