/* Which event of a run needed which other. */
#include "graph/dependencies.h"
#include "graph/status.h"
#include "graph/work.h"

#include <stdlib.h>

psg_status psg_edges_find(const psg_work *work, psg_edge **list, size_t *count) {
    *list = NULL;
    *count = 0;
    if (!work->engine->record) {
        return psg_fail(PSG_ERR_STATE, "psg_options.record was 0 when this was made");
    }
    return psg_history_edges(&work->latest, list, count)
               ? PSG_OK
               : psg_fail(PSG_ERR_MEMORY, "no memory for the dependencies of %zu tasks",
                          work->latest.events.record.count);
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
            dependencies[m] = (psg_dependency){.before = list[m].before, .after = list[m].after};
        }
    }
    free(list);
    return status;
}
