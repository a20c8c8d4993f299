/** @file kind.h  Kinds of task, which graph/psg_task.h describes: the runtime knows of a kind what
 * stands there, and of a task its label. Statistics, events, bounds, traces, recorded machines and
 * simulations work on both. */
#ifndef PSG_RUNTIME_KIND_H
#define PSG_RUNTIME_KIND_H

#include "graph/psg_task.h"

/** The axis of parts that the task is about; 0 where there is none or several. */
static inline int psg_label_axis(const psg_label *label) {
    for (int axis = 1; axis < 3; axis++) {
        if (label->index[axis] != PSG_NO_INDEX && label->index[0] == PSG_NO_INDEX) {
            return axis;
        }
    }
    return 0;
}

/** @param[in] number  below psg_kind_count() */
const psg_kind *psg_kind_at(int number);
/** @return the number of the kind with that name; -1: there is none */
int psg_kind_find(const char *name);
size_t psg_kind_count(void);

#endif
