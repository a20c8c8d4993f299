/* Several right-hand sides that one run solves: the pieces, and what their tasks find out. */
#include "graph/pieces.h"
#include "graph/plan_struct.h"
#include "runtime/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

psg_range psg_many_piece(const psg_many *many, size_t k) {
    const size_t first = k * many->each;
    const size_t left = many->count - first;
    return (psg_range){first, first + (left < many->each ? left : many->each)};
}

/* Arrays on a GPU are solved there, others on all GPUs in turns. */
int psg_many_worker(const psg_plan *plan, const psg_arrays *arrays, size_t k) {
    const psg_workers *w = &plan->workers;
    const int device = arrays->field[PSG_FIELD_F][0].device;
    for (size_t g = 0; g < w->gpu_count && device != PSG_HOST; g++) {
        if (starpu_worker_get_devid(w->gpus[g]) == device) {
            return w->gpus[g];
        }
    }
    return w->gpu_count == 0 ? -1 : w->gpus[k % w->gpu_count];
}

/* ------------------------------------------------------------------------------- what was found */

/* GPUs write it too. */
bool psg_many_open(psg_many *many, const psg_plan *plan, const psg_many *wanted) {
    const bool pinned = plan->context.engine.pinned;
    *many = (psg_many){.each = 0};
    if (wanted == NULL) {
        return true;
    }
    many->count = wanted->count;
    many->each = wanted->each;
    const size_t flags = wanted->count * sizeof *many->nonfinite;
    const size_t sums = wanted->count * 2 * plan->context.cpu->real_bytes;
    many->mode0 = pinned ? psg_devices->host_alloc(sums) : malloc(sums);
    many->nonfinite = pinned ? psg_devices->host_alloc(flags) : malloc(flags);
    return many->mode0 != NULL && many->nonfinite != NULL;
}

void psg_many_close(psg_many *many, const psg_plan *plan) {
    void *const both[] = {many->mode0, many->nonfinite};
    for (int m = 0; m < 2; m++) {
        if (both[m] != NULL && plan->context.engine.pinned) {
            psg_devices->host_free(both[m]);
        } else {
            free(both[m]);
        }
    }
}

void psg_many_begin(const psg_many *many, const psg_plan *plan) {
    memset(many->mode0, 0, many->count * 2 * plan->context.cpu->real_bytes);
    for (size_t m = 0; m < many->count; m++) {
        atomic_store(&many->nonfinite[m], 0);
    }
}

double psg_many_sum(const psg_many *many, const psg_plan *plan, size_t m) {
    const psg_cpu_ops *cpu = plan->context.cpu;
    return cpu->first((const char *)many->mode0 + m * 2 * cpu->real_bytes);
}

size_t psg_many_nonfinite(const psg_many *many, const psg_plan *plan) {
    size_t m = 0;
    while (m < many->count && atomic_load(&many->nonfinite[m]) == 0 &&
           isfinite(psg_many_sum(many, plan, m))) {
        m++;
    }
    return m;
}
