/** @file exchange.h  How long the exchange between GPUs takes in a solve. C and C++ at once. */
#ifndef PSG_BENCH_PROGRAMS_EXCHANGE_H
#define PSG_BENCH_PROGRAMS_EXCHANGE_H

#include "graph/psg.h"
#include "graph/psg_observe.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Seconds, of a solve by the fused graph. The exchange has no beginning and no end of its own:
 *  direct, it is part of the tasks along x and y; managed, copies go while tasks run. So all is
 *  counted that is not a task along z: whoever moves the blocks faster than what is given here has
 *  less time for them than that. */
typedef struct bench_exchange {
    /** From the start of the first forward_xy on any GPU to the start of the last kspace on this
     * one, less the kspace tasks that this one did before; of the GPU where that takes longest. */
    double there;
    /** From the end of the first kspace on this GPU to the end of the last inverse_xy on any, less
     * the kspace tasks that this one did after; of the GPU where that takes longest. */
    double back;
    double both;       /**< there + back */
    double moved_rows; /**< of the spectrum, one way: the planes of each GPU, times the rows of
                          others */
    double forward_xy, inverse_xy; /**< of these tasks alone, the mean of the GPUs */
} bench_exchange;

/** @param[in] events  of psg_plan_events(), in its order
 *  @param[in] gpus    workers 0 .. gpus-1, who did all tasks; up to 64 */
bench_exchange bench_exchange_of(const psg_event *events, size_t count, int gpus);

#ifdef __cplusplus
}
#endif
#endif
