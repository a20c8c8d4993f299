/* How several right-hand sides are cut into pieces, which a worker solves without the others, where
 * that is faster than one after the other. */
#include "graph/pieces.h"
#include "base/tuning.h"
#include "graph/plan_struct.h"
#include "graph/status.h"
#include "runtime/device.h"

#include <stdint.h>
#include <stdlib.h>

static size_t points_of(const psg_plan *plan) {
    const size_t *n = plan->context.layout.n;
    return n[0] * n[1] * n[2];
}

/* Bytes of the spectrum of a right-hand side. */
static size_t spectrum_of(const psg_plan *plan) {
    const psg_context *c = &plan->context;
    return c->layout.nxc * c->layout.nyc * c->layout.n[2] * 2 * c->cpu->real_bytes;
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t fitting(size_t bytes, size_t of_one) {
    return bytes > of_one ? bytes / of_one : 1;
}

/* Right-hand sides of a piece on a GPU: pieces are alike. Those from main memory are small, so that
 * one comes while another is solved. StarPU counts the points of a piece in 32 bits, and CUDA its
 * right-hand sides in 16. */
static size_t each_on_gpu(const psg_plan *plan, size_t count, bool resident) {
    const size_t field = points_of(plan) * plan->context.cpu->real_bytes;
    const size_t resident_most = fitting(TUNING_BATCH_BYTES, spectrum_of(plan));
    const size_t copied_most = fitting(TUNING_BATCH_COPIED_BYTES, field);
    size_t most = plan->problem.options.batch;
    most = most > 0 ? most : resident ? resident_most : least(resident_most, copied_most);
    most = least(least(most, count), least(UINT16_MAX, fitting(UINT32_MAX, points_of(plan))));
    const size_t pieces = (count + most - 1) / most;
    return (count + pieces - 1) / pieces;
}

/* Cores solve right-hand sides in rounds of one for each core. A last round that would leave most
 * cores idle is left out. @return how many right-hand sides are in rounds */
static size_t in_rounds(const psg_plan *plan, size_t count) {
    const size_t cores = plan->workers.cpu_count;
    const size_t rest = count % cores;
    return cores * spectrum_of(plan) > TUNING_WHOLE_BYTES ? 0
           : rest <= cores / 2                            ? count - rest
                                                          : count;
}

/* Arrays on a GPU are solved there, others on all GPUs in turns. @return -1: any core */
static int worker_of(const psg_workers *w, int device, size_t k) {
    for (size_t g = 0; g < w->gpu_count && device != PSG_HOST; g++) {
        if (starpu_worker_get_devid(w->gpus[g]) == device) {
            return w->gpus[g];
        }
    }
    return w->gpu_count == 0 ? -1 : w->gpus[k % w->gpu_count];
}

psg_status psg_pieces_cut(psg_parts *pieces, const psg_plan *plan, size_t right_hand_sides,
                          const psg_array *f) {
    const psg_workers *w = &plan->workers;
    const bool on_gpus = w->gpu_count > 0;
    const int device = !on_gpus               ? PSG_HOST
                       : f->device == PSG_ASK ? psg_device_ask(f->data, PSG_ASK).device
                                              : f->device;
    const size_t count = on_gpus ? right_hand_sides : in_rounds(plan, right_hand_sides);
    const size_t each = on_gpus ? each_on_gpu(plan, count, device != PSG_HOST) : 1;
    const size_t *n = plan->context.layout.n;
    *pieces = (psg_parts){.count = 0};
    if (plan->several.graph == NULL || right_hand_sides == 1 || count == 0 ||
        (on_gpus && each == 1)) {
        return PSG_OK;
    }
    pieces->part = calloc((count + each - 1) / each, sizeof *pieces->part);
    if (pieces->part == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for %zu right-hand sides", count);
    }
    for (size_t first = 0; first < count; first += each) {
        const size_t end = least(first + each, count);
        const int worker = worker_of(w, device, pieces->count);
        pieces->part[pieces->count] =
            (psg_part){.box = {.lo = {0, 0, first * n[2]}, .hi = {n[0], n[1], end * n[2]}},
                       .home = worker,
                       .worker = worker};
        pieces->count++;
    }
    pieces->own.end = pieces->count;
    return PSG_OK;
}
