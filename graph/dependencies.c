/* Which event of a run needed which other. */
#include "graph/dependencies.h"
#include "graph/status.h"
#include "graph/work.h"

#include <stdlib.h>

static psg_status check_record(const psg_work *work) {
    return work->engine->record
               ? PSG_OK
               : psg_fail(PSG_ERR_STATE, "psg_options.record was 0 when this was made");
}

static psg_status judge(const psg_work *work, bool found) {
    return found ? PSG_OK
                 : psg_fail(PSG_ERR_MEMORY, "no memory for the dependencies of %zu tasks",
                            work->latest.events.record.count);
}

psg_status psg_edges_find(const psg_work *work, psg_edge **list, size_t *count) {
    const psg_status status = check_record(work);
    *list = NULL;
    *count = 0;
    return status != PSG_OK ? status : judge(work, psg_history_edges(&work->latest, list, count));
}

psg_status psg_work_dependencies(const psg_work *work, psg_dependency *dependencies,
                                 size_t capacity, size_t *count) {
    psg_edge *list = NULL;
    size_t found = 0;
    psg_clear_error();
    if (work == NULL || count == NULL || (dependencies == NULL && capacity > 0)) {
        return psg_fail(PSG_ERR_ARG, "work, count or dependencies is NULL");
    }
    const psg_status status = psg_edges_find(work, &list, &found);
    if (status == PSG_OK) {
        *count = found;
        for (size_t m = 0; m < found && m < capacity; m++) {
            dependencies[m] = (psg_dependency){list[m].before, list[m].after, list[m].bytes};
        }
    }
    free(list);
    return status;
}

psg_status psg_work_uses(const psg_work *work, psg_use *uses, size_t capacity, size_t *count) {
    psg_event_use *list = NULL;
    size_t found = 0;
    psg_clear_error();
    if (work == NULL || count == NULL || (uses == NULL && capacity > 0)) {
        return psg_fail(PSG_ERR_ARG, "work, count or uses is NULL");
    }
    psg_status status = check_record(work);
    if (status == PSG_OK) {
        status = judge(work, psg_history_uses(&work->latest, &list, &found));
    }
    if (status == PSG_OK) {
        *count = found;
        for (size_t m = 0; m < found && m < capacity; m++) {
            const psg_event_use *from = &list[m];
            uses[m] = (psg_use){.event = from->event,
                                .data = from->data,
                                .bytes = from->bytes,
                                .reads = (from->how & PSG_USE_READS) != 0,
                                .writes = (from->how & PSG_USE_WRITES) != 0,
                                .adds = (from->how & PSG_USE_ADDS) != 0};
        }
    }
    free(list);
    return status;
}
