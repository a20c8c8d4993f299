/** @file speed.h  How long tasks take, as far as that is known before a plan has run any. */
#ifndef PSG_RUNTIME_SPEED_H
#define PSG_RUNTIME_SPEED_H

#include "runtime/kind.h"

/** Seconds of such a task on a worker: in a simulation as the machine's file says; else by StarPU's
 *  performance models, as it stored them when it last stopped. These know the sizes of tasks' data
 *  and not their shapes, so the time is that of the measured task nearest in size, in proportion to
 *  it, if there is one of up to four times the size or down to a quarter.
 *  @return 0: not known */
double psg_task_seconds(const psg_task_shape *shape, unsigned worker);

#endif
