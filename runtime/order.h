/** @file order.h  A run among the work on CUDA streams of its submitter's: after what is there, and before what comes later. */
#ifndef PSG_RUNTIME_ORDER_H
#define PSG_RUNTIME_ORDER_H

#include "runtime/run.h"

/** A stream on a CUDA device. */
typedef struct psg_stream {
    int device;
    void *stream;     /**< cudaStream_t; NULL: the device's legacy default stream */
    const char *name; /**< of the array that the stream is for, in words */
} psg_stream;

/** Note what is on the streams now: the run's tasks on a stream's device come after it (psg_order_enter()). On the
 *  submitter's thread, before the first task is submitted. A run is in no order until this has been called for it.
 *  @param[in] streams  [count]; 0: the run is in no order
 *  @return PSG_FAULT_NONE; PSG_FAULT_DEVICE: a stream cannot be used, PSG_FAULT_MEMORY: CUDA has no memory for
 *          events; the words say why */
psg_fault psg_order_begin(psg_run *run, const psg_stream *streams, size_t count, char *words,
                          size_t size);
/** Wait on the calling thread for what is on the streams now. @return as psg_order_begin() */
psg_fault psg_order_wait(const psg_stream *streams, size_t count, char *words, size_t size);

/** On a GPU's worker, before a task reads or writes what the streams are for: its stream waits for them, once in a
 *  run. Nothing for a run in no order. */
void psg_order_enter(psg_run *run);
/** On a GPU's worker: all tasks of the run are on its stream. Nothing for a run in no order. */
void psg_order_leave(psg_run *run);

/** On the submitter's thread, where one worker calls psg_order_leave(): let later work on the streams wait for the run.
 *  Returns as soon as its tasks have been launched, or the run has ended.
 *  @return false: the streams do not wait for it, so the thread has to */
bool psg_order_end(psg_run *run, const psg_stream *streams, size_t count);

/** NULL is fine. */
void psg_order_destroy(struct psg_order *order);

#endif
