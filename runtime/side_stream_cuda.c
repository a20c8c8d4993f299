#include "runtime/side_stream.h"

#include <cuda_runtime_api.h>
#include <string.h>

static bool identify(int device, unsigned char identity[PSG_SIDE_IDENTITY]) {
    struct cudaDeviceProp properties;
    const bool known = cudaGetDeviceProperties(&properties, device) == cudaSuccess;
    _Static_assert(sizeof properties.uuid.bytes == PSG_SIDE_IDENTITY, "a uuid is the identity");
    if (known) {
        memcpy(identity, properties.uuid.bytes, PSG_SIDE_IDENTITY);
    }
    return known;
}

static void close_stream(psg_side_stream *s) {
    if (s->stream != NULL) {
        (void)cudaStreamSynchronize(s->stream);
        (void)cudaStreamDestroy(s->stream);
    }
    for (size_t m = 0; m < PSG_SIDE_MARKS; m++) {
        (void)(s->mark[m] != NULL ? cudaEventDestroy(s->mark[m]) : cudaSuccess);
    }
    (void)cudaFree(s->memory);
    (void)cudaGetLastError();
    *s = (psg_side_stream){.stream = NULL};
}

/* What waits for other processes goes first, so that kernels of tasks do not hold it up. */
static bool open_stream(psg_side_stream *s, size_t bytes) {
    int least = 0;
    int first = 0;
    cudaStream_t stream = NULL;
    cudaEvent_t mark = NULL;
    *s = (psg_side_stream){.stream = NULL};
    bool good = cudaDeviceGetStreamPriorityRange(&least, &first) == cudaSuccess &&
                cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, first) == cudaSuccess;
    s->stream = good ? stream : NULL;
    good = good && cudaMalloc(&s->memory, bytes) == cudaSuccess;
    for (size_t m = 0; m < PSG_SIDE_MARKS && good; m++) {
        good = cudaEventCreateWithFlags(&mark, cudaEventDisableTiming) == cudaSuccess;
        s->mark[m] = good ? mark : NULL;
    }
    if (!good) {
        close_stream(s);
    }
    return good;
}

static bool set(psg_side_stream *s, size_t m) {
    return cudaEventRecord(s->mark[m], s->stream) == cudaSuccess;
}

static int passed(const psg_side_stream *s, size_t m) {
    const cudaError_t error = cudaEventQuery(s->mark[m]);
    return error == cudaSuccess ? 1 : error == cudaErrorNotReady ? 0 : -1;
}

const psg_side_stream_table psg_cuda_side_streams = {.gpus = 1,
                                                     .rate_bytes = (size_t)64 << 20,
                                                     .identify = identify,
                                                     .open = open_stream,
                                                     .close = close_stream,
                                                     .set = set,
                                                     .passed = passed};
