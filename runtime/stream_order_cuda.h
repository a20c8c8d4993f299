/** @file stream_order_cuda.h  The order of runs and streams, for tasks on GPUs. */
#ifndef PSG_RUNTIME_STREAM_ORDER_CUDA_H
#define PSG_RUNTIME_STREAM_ORDER_CUDA_H

#include "runtime/stream_order.h"

/** On a GPU's worker, before a task reads or writes what the streams are for: its stream waits for
 * them, once in a run. Nothing for a run in no order. */
void psg_stream_order_enter(psg_run *run);
/** On a GPU's worker: all tasks of the run are on its stream. Nothing for a run in no order. */
void psg_stream_order_leave(psg_run *run);

#endif
