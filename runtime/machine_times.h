/** @file machine_times.h  How long tasks take on a recorded machine. */
#ifndef PSG_RUNTIME_MACHINE_TIMES_H
#define PSG_RUNTIME_MACHINE_TIMES_H

#include "runtime/machine.h"

/** Is there a time of such tasks, of whatever size? Kind, precision and axis of the shape count. */
bool psg_machine_knows(const psg_machine *machine, bool gpu, const psg_task_shape *shape);

/** How fast GPU number `gpu` is, as a factor; -1: a core. */
double psg_machine_speed(const psg_machine *machine, int gpu);

/** Seconds of a task on a core where so many cores work, which took `seconds` when the times were
 * recorded. The part of it that moves its bytes through memory takes as much longer as a core has a
 * smaller share of machine->memory. @param[in] bytes  psg_kind.traffic */
double psg_machine_shared(const psg_machine *machine, double seconds, double bytes, size_t cores);

/** How much longer the work of the task takes than with shape->along of zeros. The rules, in their
 *  order: 1. Among the lines `sides` of its kind, precision and device those count that have its
 *  sides along all axes, and of
 *     these the one with the nearest lengths of axes.
 *  2. Without such a line, the product over the axes: of each the nearest line that has the task's
 *     sides along this axis and number 0 along the others. An axis without such a line counts 1.
 *  @param[out] known  there is a line for all sides, or one for each axis; or NULL */
double psg_machine_factor(const psg_machine *machine, bool gpu, const psg_task_shape *shape,
                          bool *known);

/** Seconds that the task takes in the mean: as recorded, or between the times of a smaller and a
 *  larger recorded task of its kind. machine->least is not looked at. The rules, in their order:
 *  1. Candidates have the task's share of remote blocks. Among them those count whose blocks are
 *  dense, or views, as the
 *     task's are; then those whose transforms have the nearest length; then those with the nearest
 *  number of pieces. 2. Without a candidate, the remote blocks go over the link peer. The task
 *  takes as long as they do, or as long as
 *     without remote blocks, whichever is longer.
 *  3. Without a recorded task that has no remote blocks, the nearest share of remote blocks counts.
 *  The work of the task takes psg_machine_factor() times as long.
 *  A task with remote blocks takes another time where the link peer has another rate than
 *  recorded_peer. Its time has two parts. The work is the time of such a task without remote
 *  blocks. The transfers are bytes over rate, or what the work leaves of the recorded time, if that
 *  is longer. The longer part hides the same share of the shorter one as in the recorded time. So
 *  half the rate doubles the transfers, and the time never falls below the work. Without a time of
 *  the work, a slower link adds what the transfers take longer, and a faster link changes nothing.
 *  By rule 2 the two latencies are added, that of the link peer before the task, for the events of
 *  other GPUs, and that at its end, until the last of what it writes has arrived. Recorded times
 *  have them, and change by two differences to the recorded latency.
 *  @param[out] spread  of the times of such tasks, as the lines have it that these are from; or
 *  NULL
 *  @return 0: nothing is known of such tasks */
double psg_machine_seconds(const psg_machine *machine, bool gpu, const psg_task_shape *shape,
                           double *spread);

#endif
