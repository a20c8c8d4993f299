#include "codelets/plane.h"

#include "codelets/task.h"

#include <string.h>

void psg_plane_move(const psg_context *context, psg_plane_way way, void *blocks[], size_t plane,
                    void *spectrum) {
    const size_t element = 2 * context->cpu->real_bytes;
    for (size_t p = 0; p < context->pencils; p++) {
        const size_t first = context->y0[p] * context->nxc;
        const size_t bytes = (context->y0[p + 1] * context->nxc - first) * element;
        char *rows = (char *)spectrum + first * element;
        char *block =
            (char *)psg_task_pointer(blocks, p) + plane * psg_task_pitch(blocks, p) * element;
        if (way == PSG_PLANE_DEAL) {
            memcpy(block, rows, bytes);
        } else {
            memcpy(rows, block, bytes);
        }
    }
}
