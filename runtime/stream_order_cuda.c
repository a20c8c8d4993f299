/* The order of runs and streams, by CUDA's events. The host does not wait for a stream, and work on
 * a stream does not wait for the host. */
#include "runtime/stream_order_cuda.h"

#include "base/tuning.h"
#include "runtime/gpu_cuda.h"

#include <cuda_runtime_api.h>
#include <sched.h>
#include <starpu.h>
#include <starpu_cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct mark {
    int device; /* of the event */
    cudaEvent_t event;
} mark;

/* Events are kept for the next run. A wait for an event is a wait for its latest record at the time
 * of the call. */
struct psg_stream_order {
    mark *begin; /* [room]: what is on the streams */
    size_t room;
    size_t count; /* those of this run; 0: it is in no order */
    mark end;
    bool *entered;        /* [engine.workers]: each is its worker's */
    atomic_bool launched; /* the end is on its stream, or could not be put there */
    bool ends;            /* it is there */
};

/* ------------------------------------------------------------------------- on the submitter's
 * thread */

/* The caller's current device comes back: CUDA begins on a device that is made current, so it is
 * left where it is if it is the right one. */
static cudaError_t work_on(int device, int *before) {
    const cudaError_t error = cudaGetDevice(before);
    return error == cudaSuccess && *before != device ? cudaSetDevice(device) : error;
}

static void work_as_before(int device, int before) {
    if (before != device) {
        (void)cudaSetDevice(before);
    }
}

static psg_fault say(const psg_stream *s, cudaError_t error, char *words, size_t size) {
    (void)snprintf(words, size, "the stream of %s on GPU %d: %s", s->name, s->device,
                   cudaGetErrorString(error));
    return error == cudaErrorMemoryAllocation ? PSG_FAULT_MEMORY : PSG_FAULT_DEVICE;
}

/* A stream that is being captured would keep the solve in a graph, without its tasks. */
static psg_fault check_stream(const psg_stream *s, char *words, size_t size) {
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaStream_t stream = s->stream;
    cudaError_t error = cudaStreamIsCapturing(stream, &status);
    if (error == cudaErrorStreamCaptureImplicit ||
        (error == cudaSuccess && status != cudaStreamCaptureStatusNone)) {
        (void)snprintf(words, size,
                       "the stream of %s on GPU %d is being captured: a solve cannot be part of a "
                       "CUDA graph",
                       s->name, s->device);
        return PSG_FAULT_DEVICE;
    }
#if CUDART_VERSION >= 12080
    int there = s->device;
    error = error == cudaSuccess ? cudaStreamGetDevice(stream, &there) : error;
    if (error == cudaSuccess && there != s->device) {
        (void)snprintf(words, size, "the stream of %s is on GPU %d, and %s on GPU %d", s->name,
                       there, s->name, s->device);
        return PSG_FAULT_DEVICE;
    }
#endif
    return error == cudaSuccess ? PSG_FAULT_NONE : say(s, error, words, size);
}

static cudaError_t make_mark(mark *m, int device) {
    if (m->event != NULL && m->device == device) {
        return cudaSuccess;
    }
    if (m->event != NULL) {
        (void)cudaEventDestroy(m->event);
    }
    *m = (mark){.device = device};
    return cudaEventCreateWithFlags(&m->event, cudaEventDisableTiming);
}

/* One stream of the run. @param[in] order  NULL: wait for it */
static psg_fault begin_stream(struct psg_stream_order *order, size_t m, const psg_stream *s,
                              char *words, size_t size) {
    int before = 0;
    enum cudaStreamCaptureMode mode =
        cudaStreamCaptureModeRelaxed; /* the thread may capture a stream */
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
    cudaError_t error = work_on(s->device, &before);
    psg_fault fault =
        error == cudaSuccess ? check_stream(s, words, size) : say(s, error, words, size);
    if (fault == PSG_FAULT_NONE && order == NULL) {
        error = cudaStreamSynchronize(s->stream);
    } else if (fault == PSG_FAULT_NONE) {
        error = make_mark(&order->begin[m], s->device);
        error = error == cudaSuccess ? cudaEventRecord(order->begin[m].event, s->stream) : error;
    }
    if (fault == PSG_FAULT_NONE && error != cudaSuccess) {
        fault = say(s, error, words, size);
    }
    work_as_before(s->device, before);
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
    (void)cudaGetLastError(); /* what was said is said */
    return fault;
}

static void destroy(struct psg_stream_order *order) {
    for (size_t m = 0; order->begin != NULL && m < order->room; m++) {
        if (order->begin[m].event != NULL) {
            (void)cudaEventDestroy(order->begin[m].event);
        }
    }
    if (order->end.event != NULL) {
        (void)cudaEventDestroy(order->end.event);
    }
    free(order->begin);
    free(order->entered);
    free(order);
}

static struct psg_stream_order *make_order(const psg_engine *e, size_t room) {
    struct psg_stream_order *order = calloc(1, sizeof *order);
    if (order == NULL) {
        return NULL;
    }
    order->room = room;
    order->begin = calloc(room, sizeof *order->begin);
    order->entered = calloc(e->workers, sizeof *order->entered);
    if (order->begin == NULL || order->entered == NULL) {
        destroy(order);
        return NULL;
    }
    return order;
}

/* f and u on one stream are one mark. */
static bool is_among(const psg_stream *streams, size_t count, const psg_stream *s) {
    for (size_t m = 0; m < count; m++) {
        if (streams[m].device == s->device && streams[m].stream == s->stream) {
            return true;
        }
    }
    return false;
}

static psg_fault begin(psg_run *run, const psg_stream *streams, size_t count, char *words,
                       size_t size) {
    psg_fault fault = PSG_FAULT_NONE;
    if (run->order != NULL && run->order->room < count) {
        destroy(run->order);
        run->order = NULL;
    }
    if (run->order == NULL && count > 0) {
        run->order = make_order(run->engine, count);
        if (run->order == NULL) {
            (void)snprintf(words, size, "no memory for the order of %zu streams", count);
            return PSG_FAULT_MEMORY;
        }
    }
    struct psg_stream_order *order = run->order;
    if (order == NULL) {
        return PSG_FAULT_NONE;
    }
    order->count = 0;
    order->ends = false;
    atomic_store(&order->launched, false);
    for (size_t w = 0; w < run->engine->workers; w++) {
        order->entered[w] = false;
    }
    for (size_t m = 0; m < count && fault == PSG_FAULT_NONE; m++) {
        if (!is_among(streams, m, &streams[m])) {
            fault = begin_stream(order, order->count++, &streams[m], words, size);
        }
    }
    return fault;
}

static psg_fault wait(const psg_stream *streams, size_t count, char *words, size_t size) {
    psg_fault fault = PSG_FAULT_NONE;
    for (size_t m = 0; m < count && fault == PSG_FAULT_NONE; m++) {
        if (!is_among(streams, m, &streams[m])) {
            fault = begin_stream(NULL, 0, &streams[m], words, size);
        }
    }
    return fault;
}

static void wait_for_launch(const psg_run *run) {
    static const struct timespec nap = {.tv_nsec = TUNING_LAUNCH_NAP_NANOSECONDS};
    for (unsigned looks = 0; !atomic_load(&run->order->launched) && atomic_load(&run->pending) > 0;
         looks++) {
        if (looks < TUNING_LAUNCH_LOOKS) {
            (void)sched_yield();
        } else {
            (void)nanosleep(&nap, NULL);
        }
    }
}

static bool end(psg_run *run, const psg_stream *streams, size_t count) {
    struct psg_stream_order *order = run->order;
    wait_for_launch(run);
    bool ends = atomic_load(&order->launched) && order->ends;
    for (size_t m = 0; m < count && ends; m++) {
        const psg_stream *s = &streams[m];
        int before = 0;
        ends = work_on(s->device, &before) == cudaSuccess &&
               cudaStreamWaitEvent(s->stream, order->end.event, 0) == cudaSuccess;
        work_as_before(s->device, before);
    }
    (void)cudaGetLastError(); /* the host waits then */
    return ends;
}

/* ------------------------------------------------------------------------------ on a GPU's worker
 */

void psg_stream_order_enter(psg_run *run) {
    struct psg_stream_order *order = run->order;
    const int self = starpu_worker_get_id_check();
    if (order == NULL || order->count == 0 || order->entered[self]) {
        return;
    }
    order->entered[self] = true;
    const int device = starpu_worker_get_devid(self);
    for (size_t m = 0; m < order->count; m++) {
        if (order->begin[m].device == device) {
            (void)psg_gpu_check(
                run,
                (int)cudaStreamWaitEvent(starpu_cuda_get_local_stream(), order->begin[m].event, 0),
                "cudaStreamWaitEvent");
        }
    }
}

void psg_stream_order_leave(psg_run *run) {
    struct psg_stream_order *order = run->order;
    if (order == NULL || order->count == 0) {
        return;
    }
    cudaError_t error =
        make_mark(&order->end, starpu_worker_get_devid(starpu_worker_get_id_check()));
    error = error == cudaSuccess ? cudaEventRecord(order->end.event, starpu_cuda_get_local_stream())
                                 : error;
    order->ends = psg_gpu_check(run, (int)error, "the end of a solve on a stream");
    atomic_store(&order->launched, true);
}

const psg_stream_order_table psg_cuda_stream_orders = {
    .begin = begin, .wait = wait, .end = end, .destroy = destroy};
