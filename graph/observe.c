/* What is told of a plan's latest solve, as of the run of any work. */
#include "graph/plan_struct.h"

const psg_work *psg_plan_work(const psg_plan *plan) {
    return plan != NULL ? &plan->work : NULL;
}

psg_status psg_plan_events(const psg_plan *plan, psg_event *events, size_t capacity,
                           size_t *count) {
    return psg_work_events(psg_plan_work(plan), events, capacity, count);
}

psg_status psg_plan_copies(const psg_plan *plan, psg_copy *copies, size_t capacity, size_t *count) {
    return psg_work_copies(psg_plan_work(plan), copies, capacity, count);
}

psg_status psg_plan_dependencies(const psg_plan *plan, psg_dependency *dependencies,
                                 size_t capacity, size_t *count) {
    return psg_work_dependencies(psg_plan_work(plan), dependencies, capacity, count);
}

psg_status(psg_plan_bounds)(const psg_plan *plan, psg_bounds *bounds, size_t struct_size) {
    return (psg_work_bounds)(psg_plan_work(plan), bounds, struct_size);
}
