/** @file stream_order.h  A run among the work on its submitter's CUDA streams: after what is there,
 *  and before what comes later. */
#ifndef PSG_RUNTIME_STREAM_ORDER_H
#define PSG_RUNTIME_STREAM_ORDER_H

#include "runtime/run.h"

/** A stream on a CUDA device. */
typedef struct psg_stream {
    int device;
    void *stream;     /**< cudaStream_t; NULL: the device's legacy default stream */
    const char *name; /**< of the array that the stream is for, in words */
} psg_stream;

/** The functions, on the submitter's thread. */
typedef struct psg_stream_order_table {
    /** Note what is on the streams now: the run's tasks on a stream's device come after it. Before
     * the first task is submitted. A run is in no order until this has been called for it.
     *  @param[in] streams  [count]; 0: the run is in no order
     *  @return PSG_FAULT_NONE; PSG_FAULT_DEVICE: a stream cannot be used, PSG_FAULT_MEMORY: CUDA
     * has no memory for events; the words say why */
    psg_fault (*begin)(psg_run *run, const psg_stream *streams, size_t count, char *words,
                       size_t size);
    /** Wait on the calling thread for what is on the streams now. @return as begin */
    psg_fault (*wait)(const psg_stream *streams, size_t count, char *words, size_t size);
    /** Where one worker has all tasks, let later work on the streams wait for the run. Returns as
     * soon as its tasks have been launched, or the run has ended.
     *  @return false: the streams do not wait for it, so the thread has to */
    bool (*end)(psg_run *run, const psg_stream *streams, size_t count);
    void (*destroy)(struct psg_stream_order *order);
} psg_stream_order_table;

/** Those of stream_order_cuda.c, where that is built. */
extern const psg_stream_order_table psg_cuda_stream_orders;

/** NULL: built without CUDA, and there are no streams. */
extern const psg_stream_order_table *const psg_stream_orders;

#endif
