/* Which event of a solve needed which other. */
#include "graph/solving.h"

#include <stdlib.h>

psg_status psg_edges_find(const psg_plan *plan, psg_edge **list, size_t *count) {
    *list = NULL;
    *count = 0;
    if (!plan->context.engine.record) {
        return psg_fail(PSG_ERR_STATE, "the plan was made without psg_options.record");
    }
    return psg_history_edges(&plan->past.latest, list, count)
               ? PSG_OK
               : psg_fail(PSG_ERR_MEMORY, "no memory for the dependencies of %zu tasks",
                          plan->past.latest.events.record.count);
}

psg_status psg_plan_dependencies(const psg_plan *plan, psg_dependency *dependencies,
                                 size_t capacity, size_t *count) {
    psg_edge *list = NULL;
    size_t found = 0;
    psg_clear_error();
    if (plan == NULL || count == NULL || (dependencies == NULL && capacity > 0)) {
        return psg_fail(PSG_ERR_ARG, "plan, count or dependencies is NULL");
    }
    const psg_status status = psg_edges_find(plan, &list, &found);
    if (status == PSG_OK) {
        *count = found;
        for (size_t m = 0; m < found && m < capacity; m++) {
            dependencies[m] = (psg_dependency){.before = list[m].before, .after = list[m].after};
        }
    }
    free(list);
    return status;
}
