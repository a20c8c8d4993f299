#include "codelets/plane.h"

#include "runtime/task.h"

#include <string.h>

/* What is not packed may still have come from another memory block by block. */
bool psg_plane_whole(const psg_context *context, void *blocks[]) {
    const size_t element = 2 * context->cpu->real_bytes;
    const char *first = psg_task_pointer(blocks, 0);
    bool whole = true;
    for (size_t g = 0; g < context->layout.bundles.count && whole; g++) {
        const size_t before = context->layout.bundles.part[g].box.lo[1] * context->layout.nxc;
        whole = psg_task_pitch(blocks, g) == context->layout.nyc * context->layout.nxc &&
                (const char *)psg_task_pointer(blocks, g) == first + before * element;
    }
    return whole;
}

void psg_plane_move(const psg_context *context, psg_plane_way way, void *blocks[], size_t plane,
                    void *spectrum) {
    const size_t element = 2 * context->cpu->real_bytes;
    for (size_t g = 0; g < context->layout.bundles.count; g++) {
        const psg_box *bundle = &context->layout.bundles.part[g].box;
        const size_t row = context->layout.nxc * element;
        const size_t bytes = psg_box_length(bundle, 1) * row;
        char *rows = (char *)spectrum + bundle->lo[1] * row;
        char *block =
            (char *)psg_task_pointer(blocks, g) + plane * psg_task_pitch(blocks, g) * element;
        if (way == PSG_PLANE_DEAL) {
            memcpy(block, rows, bytes);
        } else {
            memcpy(rows, block, bytes);
        }
    }
}

const void *psg_plane_below(const psg_task_args *args, void *buffers[], size_t *row_pitch) {
    const psg_context *c = psg_context_of(args->run);
    const size_t s = psg_segment_of(args);
    const size_t below = psg_segment_below(c, psg_terms_of(args->run), s);
    const size_t m = below == s ? 2 : 3 + c->layout.bundles.count;
    const bool alone = !psg_range_has(c->layout.segments.own, below);
    *row_pitch = below < SIZE_MAX ? psg_task_row_pitch(buffers, m) : 0;
    return below == SIZE_MAX
               ? NULL
               : psg_plane_of(c, buffers, m, alone ? 0 : psg_layout_planes(&c->layout, below) - 1);
}

bool psg_plane_finite(const psg_context *c, void *buffers[], size_t m, size_t k) {
    const size_t *n = c->layout.n;
    const size_t pitch = psg_task_row_pitch(buffers, m);
    const char *plane = (const char *)psg_task_pointer(buffers, m) +
                        k * psg_task_pitch(buffers, m) * c->cpu->real_bytes;
    const size_t rows = pitch == n[0] ? 1 : n[1]; /* a dense plane is one row */
    const size_t count = n[0] * n[1] / rows;
    bool finite = true;
    for (size_t j = 0; j < rows && finite; j++) {
        finite = c->cpu->find_nonfinite(plane + j * pitch * c->cpu->real_bytes, count) == count;
    }
    return finite;
}

void psg_plane_check(const psg_task_args *args, void *buffers[], size_t m, size_t k) {
    if (!psg_plane_finite(psg_context_of(args->run), buffers, m, k)) {
        atomic_store(&psg_findings_of(args->run)->overflow, 1);
    }
}
