/* The order of a run among streams: each stream of the caller's is marked once, on its device, and
 * the worker of that device waits for the mark, once; the streams wait for the end that the worker
 * has marked, or nobody says that they do. What CUDA refuses is refused with words, and the current
 * device stays the caller's. From inside the library; CUDA is here. */
#include "runtime/gpu_cuda.h"
#include "runtime/stream_order_cuda.h"
#include "tests/check.h"
#include "tests/gpu/no_user.h"

#include <cuda_runtime_api.h>
#include <starpu.h>
#include <starpu_cuda.h>
#include <string.h>

enum { CALLS_MOST = 64, EVENTS_MOST = 64, WORKERS = 2 };

/* What was asked of CUDA about an event or a stream. */
typedef struct asked {
    char what; /* 'r': record, 'w': wait for an event, 's': synchronise */
    int device;
    cudaStream_t stream;
    int event;
} asked;

static asked call[CALLS_MOST];
static int calls, current, worker, events, events_left;
static int device_of_event[EVENTS_MOST];
static cudaStream_t capturing, elsewhere; /* a stream of device 1 */
static const char *failing;
static cudaError_t failure;

static cudaStream_t stream_at(uintptr_t number) {
    return (cudaStream_t)number; /* NOLINT */
}

static cudaError_t result_of(const char *name) {
    return failing != NULL && strcmp(failing, name) == 0 ? failure : cudaSuccess;
}

unsigned _starpu_worker_get_id_check(const char *file, int line) {
    (void)file;
    (void)line;
    return (unsigned)worker;
}

int starpu_worker_get_id(void) {
    return worker;
}

int starpu_worker_get_devid(int id) {
    return id;
}

cudaStream_t starpu_cuda_get_local_stream(void) {
    return stream_at(100 + (uintptr_t)worker);
}

cudaError_t cudaGetLastError(void) {
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t error) {
    return error == cudaErrorInvalidResourceHandle ? "no such handle" : "an error";
}

cudaError_t cudaGetDevice(int *device) {
    *device = current;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    current = device;
    return result_of("set");
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
    *status = stream != NULL && stream == capturing ? cudaStreamCaptureStatusActive
                                                    : cudaStreamCaptureStatusNone;
    return result_of("capturing");
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device) {
    *device = stream != NULL && stream == elsewhere ? 1 : current;
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    CHECK(flags == cudaEventDisableTiming && events < EVENTS_MOST - 1, "flags %u", flags);
    if (result_of("create") != cudaSuccess) {
        return result_of("create");
    }
    device_of_event[++events] = current;
    events_left++;
    *event = (cudaEvent_t)(uintptr_t)events; /* NOLINT */
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    int *device = &device_of_event[(uintptr_t)event];
    CHECK(*device >= 0, "event %d is destroyed twice", (int)(uintptr_t)event);
    *device = -1;
    events_left--;
    return cudaSuccess;
}

static void note(char what, cudaStream_t stream, cudaEvent_t event) {
    if (CHECK(calls < CALLS_MOST, "%d calls", calls)) {
        call[calls++] = (asked){what, current, stream, (int)(uintptr_t)event};
    }
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    note('r', stream, event);
    CHECK(device_of_event[(uintptr_t)event] == current, "an event of GPU %d, on GPU %d",
          device_of_event[(uintptr_t)event], current);
    return result_of("record");
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    CHECK(flags == 0 && device_of_event[(uintptr_t)event] >= 0, "flags %u", flags);
    note('w', stream, event);
    return result_of("wait");
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    note('s', stream, NULL);
    return result_of("synchronize");
}

/* ------------------------------------------------------------------------------------ the tests */

static psg_engine engine = {.slots = 1, .workers = WORKERS};
static char words[256];

static psg_stream stream_of(int device, uintptr_t number, const char *name) {
    return (psg_stream){device, stream_at(number), name};
}

/** What was asked, as letters with device and stream: "r0:5". */
static void asked_for(const char *want, const char *what) {
    char got[256] = "";
    for (int m = 0; m < calls; m++) {
        const size_t used = strlen(got);
        snprintf(got + used, sizeof got - used, "%s%c%d:%d", m > 0 ? " " : "", call[m].what,
                 call[m].device, (int)(uintptr_t)call[m].stream);
    }
    CHECK(strcmp(got, want) == 0, "%s: '%s' in place of '%s'", what, got, want);
    calls = 0;
}

static void begin(psg_run *run, const psg_stream *streams, size_t count) {
    CHECK(psg_cuda_stream_orders.begin(run, streams, count, words, sizeof words) == PSG_FAULT_NONE,
          "%s", words);
}

/** On a worker, whose device is current there. */
static void on_worker(int number, void (*what)(psg_run *run), psg_run *run) {
    const int before = current;
    worker = current = number;
    what(run);
    current = before;
}

static void check_order(psg_run *run) {
    const psg_stream two[] = {stream_of(0, 5, "f"), stream_of(0, 6, "u")};
    const psg_stream one[] = {stream_of(0, 5, "f"), stream_of(0, 5, "u")};
    const psg_stream each[] = {stream_of(0, 5, "f"), stream_of(0, 6, "u"), stream_of(1, 7, "f"),
                               stream_of(1, 0, "u")};
    current = 1;
    begin(run, two, 2);
    asked_for("r0:5 r0:6", "two streams");
    CHECK(current == 1, "GPU %d is current", current);
    on_worker(0, psg_stream_order_enter, run);
    asked_for("w0:100 w0:100", "the first task");
    on_worker(0, psg_stream_order_enter, run);
    on_worker(1, psg_stream_order_enter, run);
    asked_for("", "the next task, and another GPU's");
    on_worker(0, psg_stream_order_leave, run);
    asked_for("r0:100", "the end");
    CHECK(psg_cuda_stream_orders.end(run, two, 2), "the streams do not wait");
    asked_for("w0:5 w0:6", "later work");
    CHECK(current == 1, "GPU %d is current", current);
    begin(run, one, 2);
    asked_for("r0:5", "one stream");
    run->pending = 0;
    CHECK(!psg_cuda_stream_orders.end(run, one, 2),
          "the streams wait for an end that was not put anywhere");
    asked_for("", "a run without a launch");
    begin(run, each, 4);
    asked_for("r0:5 r0:6 r1:7 r1:0", "two GPUs");
    on_worker(1, psg_stream_order_enter, run);
    asked_for("w1:101 w1:101", "the second GPU");
    on_worker(0, psg_stream_order_leave,
              run); /* the event that it records is of its GPU, see cudaEventRecord() */
    asked_for("r0:100", "the end on the first GPU");
    CHECK(psg_cuda_stream_orders.end(run, each, 4), "the streams do not wait");
    asked_for("w0:5 w0:6 w1:7 w1:0", "later work on two GPUs");
    begin(run, NULL, 0);
    on_worker(0, psg_stream_order_enter, run);
    on_worker(0, psg_stream_order_leave, run);
    asked_for("", "no streams");
    CHECK(psg_cuda_stream_orders.wait(one, 2, words, sizeof words) == PSG_FAULT_NONE, "%s", words);
    CHECK(psg_cuda_stream_orders.wait(two, 2, words, sizeof words) == PSG_FAULT_NONE, "%s", words);
    asked_for("s0:5 s0:5 s0:6", "the thread waits");
    current = 0;
}

static void check_refused(psg_run *run, const char *call_name, cudaError_t error, psg_fault fault,
                          const char *word, const char *want) {
    const psg_stream two[] = {stream_of(0, 5, "f"), stream_of(0, 6, "u")};
    failing = call_name;
    failure = error;
    words[0] = '\0';
    current = 1;
    CHECK(psg_cuda_stream_orders.begin(run, two, 2, words, sizeof words) == fault, "%s", word);
    CHECK(strstr(words, word) != NULL, "'%s' has no '%s'", words, word);
    CHECK(current == 1, "GPU %d is current", current);
    current = 0;
    asked_for(want, word);
    failing = NULL;
}

static void check_late(psg_run *run) {
    const psg_stream one[] = {stream_of(0, 5, "u")};
    run->pending = 1;
    begin(run, one, 1);
    on_worker(0, psg_stream_order_leave, run);
    failing = "wait"; /* the stream is gone meanwhile */
    failure = cudaErrorInvalidResourceHandle;
    CHECK(!psg_cuda_stream_orders.end(run, one, 1), "a stream waits that is gone");
    failing = "record";
    begin(run, NULL, 0);
    failing = NULL;
    begin(run, one, 1);
    failing = "record";
    on_worker(0, psg_stream_order_leave, run);
    failing = NULL;
    CHECK(psg_run_failed(run) && !psg_cuda_stream_orders.end(run, one, 1),
          "an end that could not be marked");
    calls = 0;
}

int main(void) {
    psg_gpu *workers[WORKERS] = {NULL, NULL};
    psg_run run = {.engine = &engine, .pending = 1};
    engine.gpu = workers;
    for (int m = 0; m < WORKERS; m++) {
        CHECK(psg_gpu_create(&workers[m], &engine, &user) == 0, "worker %d", m);
    }
    check_order(&run);
    capturing = stream_at(6);
    check_refused(&run, NULL, cudaSuccess, PSG_FAULT_DEVICE,
                  "stream of u on GPU 0 is being captured", "r0:5");
    capturing = NULL;
    check_refused(&run, "capturing", cudaErrorStreamCaptureImplicit, PSG_FAULT_DEVICE,
                  "stream of f on GPU 0 is being captured", "");
    check_refused(&run, "capturing", cudaErrorInvalidResourceHandle, PSG_FAULT_DEVICE,
                  "stream of f on GPU 0: no such handle", "");
    check_refused(&run, "record", cudaErrorInvalidResourceHandle, PSG_FAULT_DEVICE,
                  "no such handle", "r0:5");
    check_refused(&run, "set", cudaErrorInvalidResourceHandle, PSG_FAULT_DEVICE, "stream of f", "");
#if CUDART_VERSION >= 12080
    elsewhere = stream_at(6);
    check_refused(&run, NULL, cudaSuccess, PSG_FAULT_DEVICE,
                  "stream of u is on GPU 1, and u on GPU 0", "r0:5");
    elsewhere = NULL;
#endif
    psg_cuda_stream_orders.destroy(run.order);
    run.order = NULL;
    check_refused(&run, "create", cudaErrorMemoryAllocation, PSG_FAULT_MEMORY, "an error", "");
    check_late(&run);
    psg_cuda_stream_orders.destroy(run.order);
    for (int m = 0; m < WORKERS; m++) {
        psg_gpu_destroy(workers[m], &engine);
    }
    CHECK(events_left == 0, "%d events are left", events_left);
    return check_result();
}
