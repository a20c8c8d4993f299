/* The copies to, from and between GPUs in a run, for traces. */
#include "graph/transfer_log.h"
#include "graph/arrays.h"
#include "graph/plan_struct.h"
#include "graph/status.h"
#include "graph/workspace.h"
#include "runtime/copies.h"
#include "runtime/device.h"

#include <stdint.h>
#include <stdlib.h>

_Static_assert((int)PSG_LINK_H2D == (int)PSG_COPY_H2D && (int)PSG_LINK_D2H == (int)PSG_COPY_D2H &&
                   (int)PSG_LINK_D2D == (int)PSG_COPY_D2D,
               "psg_link begins with the ways of copies");

void psg_transfers_begin(const psg_work *work, bool alone) {
    if (work->workers->gpu_count == 0) {
        return;
    }
    if (alone && psg_devices != NULL) {
        psg_devices->set_clocks();
    }
    psg_copies_keep();
}

/* A copy of f, u or a block has one end in memory that the plan knows. Neither end is known of
 * copies between GPUs and of slabs, whose memory StarPU has chosen: they count for the plan that is
 * waited for first. Other copies of which no end is known are another plan's. */
bool psg_plan_transfer(const psg_work *work, const psg_copy_record *record, psg_copy *copy) {
    const psg_plan *plan = psg_plan_of(work);
    const void *ends[2] = {record->source, record->target};
    bool found = false;
    for (int end = 0; end < 2 && !found; end++) {
        for (const psg_arrays *a = plan->held.arrays; a != NULL && !found; a = a->next) {
            found = psg_arrays_find(plan, a, ends[end], copy);
        }
        for (size_t m = 0; m < plan->storage.workspace_count && !found; m++) {
            found = psg_workspace_find(plan, plan->storage.workspaces[m], ends[end], copy);
        }
    }
    return record->way == PSG_COPY_D2D || plan->held.slabs != NULL || copy->data != 0;
}

/* @return is it this work's? */
static bool describe(const psg_work *work, const psg_copy_record *record, psg_copy *copy) {
    *copy = (psg_copy){.link = (psg_link)record->way,
                       .from = record->from,
                       .to = record->to,
                       .segment = SIZE_MAX,
                       .sheet = SIZE_MAX,
                       .bytes = record->bytes};
    return work->rules->copy == NULL || work->rules->copy(work, record, copy);
}

static bool ours(const psg_copy_record *record, const void *work) {
    psg_copy copy;
    return describe(work, record, &copy);
}

static int by_end(const void *a, const void *b) {
    const double x = ((const psg_copy_record *)a)->end;
    const double y = ((const psg_copy_record *)b)->end;
    return (x > y) - (x < y);
}

/* Copies that ended before the run were for somebody else's tasks. Without memory to tell of them
 * they are forgotten. */
void psg_transfers_end(psg_work *work, const psg_run *run) {
    psg_copy_list *list = &work->moved;
    list->count = 0;
    if (work->workers->gpu_count == 0) {
        return;
    }
    psg_device_read_copies();
    psg_copies_take(list, ours, work);
    psg_copies_let_go();
    psg_copy *more = list->count > 0 ? realloc(work->copy, list->room * sizeof *more) : NULL;
    if (more == NULL) {
        list->count = 0;
        return;
    }
    work->copy = more;
    qsort(list->record, list->count, sizeof *list->record, by_end);
    size_t count = 0;
    for (size_t m = 0; m < list->count; m++) {
        const psg_copy_record *record = &list->record[m];
        if (record->end >= run->started) {
            psg_copy *copy = &work->copy[count++];
            (void)describe(work, record, copy);
            copy->start = (record->start - run->started) * 1e-6;
            copy->end = (record->end - run->started) * 1e-6;
        }
    }
    list->count = count;
}

psg_status psg_work_copies(const psg_work *work, psg_copy *copies, size_t capacity, size_t *count) {
    psg_clear_error();
    if (work == NULL || count == NULL || (copies == NULL && capacity > 0)) {
        return psg_fail(PSG_ERR_ARG, "work, count or copies is NULL");
    }
    *count = work->moved.count;
    for (size_t m = 0; m < *count && m < capacity; m++) {
        copies[m] = work->copy[m];
    }
    return PSG_OK;
}
