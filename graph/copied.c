/* The copies to, from and between GPUs in a solve, for traces. */
#include "graph/solving.h"
#include "runtime/copies.h"
#include "runtime/device.h"

#include <stdint.h>
#include <stdlib.h>

_Static_assert((int)PSG_LINK_H2D == (int)PSG_COPY_H2D && (int)PSG_LINK_D2H == (int)PSG_COPY_D2H &&
                   (int)PSG_LINK_D2D == (int)PSG_COPY_D2D,
               "psg_link begins with the ways of copies");

void psg_copies_begin(const psg_plan *plan) {
    if (plan->workers.gpu_count == 0) {
        return;
    }
    if (plan->flights.oldest == NULL) {
        psg_device_set_clocks();
    }
    psg_copies_keep();
}

/* Of f and u, and of blocks, one side of a copy is at home; what is at home nowhere was found by
 * StarPU, for copies between GPUs or for slabs. */
static psg_copy describe(const psg_plan *plan, const psg_copy_record *record) {
    psg_copy copy = {.link = (psg_link)record->way,
                     .from = record->from,
                     .to = record->to,
                     .segment = SIZE_MAX,
                     .sheet = SIZE_MAX,
                     .bytes = record->bytes};
    const void *ends[2] = {record->source, record->target};
    bool found = false;
    for (int end = 0; end < 2 && !found; end++) {
        for (const psg_arrays *a = plan->doors.arrays; a != NULL && !found; a = a->next) {
            found = psg_arrays_find(plan, a, ends[end], &copy);
        }
        for (size_t m = 0; m < plan->storage.lane_count && !found; m++) {
            found = psg_lane_find(plan, plan->storage.lanes[m], ends[end], &copy);
        }
    }
    return copy;
}

/* Those of another plan, which another thread waits for, are left to that one, if it can be told:
 * copies between GPUs and of slabs go to who waits first. */
static bool ours(const psg_copy_record *record, const void *argument) {
    const psg_plan *plan = argument;
    return record->way == PSG_COPY_D2D || plan->doors.slabs != NULL ||
           describe(plan, record).data != 0;
}

static int by_end(const void *a, const void *b) {
    const double x = ((const psg_copy_record *)a)->end;
    const double y = ((const psg_copy_record *)b)->end;
    return (x > y) - (x < y);
}

/* Copies that ended before the solve were for somebody else's tasks. Without memory to tell of them
 * they are forgotten. */
void psg_copies_end(psg_plan *plan, const psg_run *run) {
    psg_copy_list *list = &plan->past.moved;
    list->count = 0;
    if (plan->workers.gpu_count == 0) {
        return;
    }
    psg_device_read_copies();
    psg_copies_take(list, ours, plan);
    psg_copies_let_go();
    psg_copy *more = list->count > 0 ? realloc(plan->past.copy, list->room * sizeof *more) : NULL;
    if (more == NULL) {
        list->count = 0;
        return;
    }
    plan->past.copy = more;
    qsort(list->record, list->count, sizeof *list->record, by_end);
    size_t count = 0;
    for (size_t m = 0; m < list->count; m++) {
        const psg_copy_record *record = &list->record[m];
        if (record->end >= run->started) {
            plan->past.copy[count] = describe(plan, record);
            plan->past.copy[count].start = (record->start - run->started) * 1e-6;
            plan->past.copy[count].end = (record->end - run->started) * 1e-6;
            count++;
        }
    }
    list->count = count;
}

psg_status psg_plan_copies(const psg_plan *plan, psg_copy *copies, size_t capacity, size_t *count) {
    psg_clear_error();
    if (plan == NULL || count == NULL || (copies == NULL && capacity > 0)) {
        return psg_fail(PSG_ERR_ARG, "plan, count or copies is NULL");
    }
    *count = plan->past.moved.count;
    for (size_t m = 0; m < *count && m < capacity; m++) {
        copies[m] = plan->past.copy[m];
    }
    return PSG_OK;
}
