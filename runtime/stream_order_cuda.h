/** @file stream_order_cuda.h  The order of runs and streams, for tasks on GPUs. */
#ifndef PSG_RUNTIME_STREAM_ORDER_CUDA_H
#define PSG_RUNTIME_STREAM_ORDER_CUDA_H

#include "runtime/stream_order.h"

/** Let the stream of a GPU's worker wait for the streams of the submitter, once in a run. The
 *  worker calls it before a task reads or writes what these streams are for. Nothing for a run in
 *  no order. */
void psg_stream_order_enter(psg_run *run);
/** The worker of a GPU says that all tasks of the run are on its stream. Nothing for a run in no
 *  order. */
void psg_stream_order_leave(psg_run *run);

#endif
