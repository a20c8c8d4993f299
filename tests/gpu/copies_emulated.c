/* Copies of blocks are those that StarPU would make, and their times those of a GPU's streams,
 * whatever its clock says. The GPU is emulated: all that runtime/copies_cuda.c calls of CUDA and
 * StarPU is here. */
#include "runtime/copies.h"
#include "runtime/copies_cuda.h"
#include "tests/check.h"

#include <cuda_runtime_api.h>
#include <errno.h>
#include <starpu.h>
#include <starpu_cuda.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------ the machine */

/** Node 0 is main memory, nodes 1 and 2 are GPUs 0 and 1. Times are in microseconds of the host. */
enum { STREAMS = 8, OPERATIONS = 64, NODES = 3 };

static double now = 1e9;
static double drift; /* of the GPUs' clock, by microsecond */
static double busy_until[STREAMS];
static int failing; /* calls of cudaEventRecord() that fail next */
static long events_there, events_made, streams_there;

struct CUevent_st {
    double at;
    cudaStream_t stream;
};

static struct operation {
    char kind; /* 'e' an event, 'c' a copy, '2' one of rows */
    const void *from, *to;
    size_t bytes, rows, pitch[2];
    cudaStream_t stream;
    enum cudaMemcpyKind way;
} operations[OPERATIONS];
static int operation_count;

static const double bytes_per_microsecond = 1000;

static cudaStream_t stream_number(size_t number) {
    static char streams[STREAMS];
    return (cudaStream_t)(void *)&streams[number];
}

static double *stream_end(cudaStream_t stream) {
    return &busy_until[(char *)stream - (char *)stream_number(0)];
}

static void operate(struct operation operation) {
    double *until = stream_end(operation.stream);
    const size_t bytes = operation.bytes * (operation.rows ? operation.rows : 1);
    *until = fmax(*until, now) + (double)bytes / bytes_per_microsecond;
    if (operation_count < OPERATIONS) {
        operations[operation_count++] = operation;
    }
}

double starpu_timing_now(void) {
    return now += 1;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    CHECK(flags == cudaStreamNonBlocking, "a stream that waits for others");
    *stream = stream_number(STREAMS - 1);
    ++streams_there;
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    (void)stream;
    --streams_there;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    *event = calloc(1, sizeof **event);
    ++events_there;
    ++events_made;
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    free(event);
    --events_there;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    if (failing > 0) {
        --failing;
        return cudaErrorUnknown;
    }
    operate((struct operation){.kind = 'e', .stream = stream});
    event->at = *stream_end(stream);
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    return event->at <= now ? cudaSuccess : cudaErrorNotReady;
}

/* Its clock began long ago, and runs at its own pace. */
static double gpu_clock(double at) {
    return 7e10 + at * (1 + drift);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to) {
    if (from->at > now || to->at > now) {
        return cudaErrorNotReady;
    }
    if (to->at < from->at) {
        return cudaErrorInvalidValue; /* CUDA does not say what it is then */
    }
    *milliseconds = (float)(1e-3 * (gpu_clock(to->at) - gpu_clock(from->at)));
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void) {
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind way,
                            cudaStream_t stream) {
    operate((struct operation){
        .kind = 'c', .from = from, .to = to, .bytes = bytes, .stream = stream, .way = way});
    return cudaSuccess;
}

int starpu_cuda_copy_async_sync(void *from, unsigned from_node, void *to, unsigned to_node,
                                size_t bytes, cudaStream_t stream, enum cudaMemcpyKind way) {
    CHECK(from_node != to_node, "a copy from node %u to itself", to_node);
    (void)cudaMemcpyAsync(to, from, bytes, way, stream);
    return -EAGAIN;
}

int starpu_cuda_copy2d_async_sync(void *from, unsigned from_node, void *to, unsigned to_node,
                                  size_t bytes, size_t rows, size_t from_pitch, size_t to_pitch,
                                  cudaStream_t stream, enum cudaMemcpyKind way) {
    CHECK(from_node != to_node, "a copy from node %u to itself", to_node);
    operate((struct operation){.kind = '2',
                               .from = from,
                               .to = to,
                               .bytes = bytes,
                               .rows = rows,
                               .pitch = {from_pitch, to_pitch},
                               .stream = stream,
                               .way = way});
    return -EAGAIN;
}

static size_t traced_bytes;

void starpu_interface_data_copy(unsigned from_node, unsigned to_node, size_t bytes) {
    (void)from_node;
    (void)to_node;
    traced_bytes += bytes;
}

enum starpu_node_kind starpu_node_get_kind(unsigned node) {
    return node == 0 ? STARPU_CPU_RAM : STARPU_CUDA_RAM;
}

int starpu_memory_node_get_devid(unsigned node) {
    return (int)node - 1;
}

int starpu_worker_get_devid(int worker) {
    return worker;
}

unsigned _starpu_worker_get_id_check(const char *file, int line) {
    (void)file;
    (void)line;
    return 0;
}

cudaStream_t starpu_cuda_get_local_stream(void) {
    return stream_number(6);
}

static int plain_copies;

static int plain_copy(void *from, unsigned from_node, void *to, unsigned to_node,
                      void *asynchronous) {
    (void)from;
    (void)from_node;
    (void)to;
    (void)to_node;
    ++plain_copies;
    now += asynchronous ? 0 : 500;
    return asynchronous ? -EAGAIN : 0;
}

static const struct starpu_data_copy_methods plain_methods = {.any_to_any = plain_copy};
struct starpu_data_interface_ops starpu_interface_block_ops = {
    .copy_methods = &plain_methods, .interfaceid = STARPU_BLOCK_INTERFACE_ID};

/* -------------------------------------------------------------------------------- the tests */

static char memory[NODES][4096];

static struct starpu_block_interface block(unsigned node, uint32_t nx, uint32_t ny, uint32_t nz,
                                           uint32_t ldy, uint32_t ldz) {
    return (struct starpu_block_interface){.id = STARPU_BLOCK_INTERFACE_ID,
                                           .ptr = (uintptr_t)memory[node] + 16,
                                           .dev_handle = (uintptr_t)memory[node],
                                           .offset = 16,
                                           .nx = nx,
                                           .ny = ny,
                                           .nz = nz,
                                           .ldy = ldy,
                                           .ldz = ldz,
                                           .elemsize = 8};
}

static const struct starpu_data_copy_methods *methods(void) {
    return psg_cuda_blocks()->copy_methods;
}

static bool anything(const psg_copy_record *record, const void *argument) {
    (void)record;
    (void)argument;
    return true;
}

static psg_copy_list taken;

static int take(const char *what, size_t want) {
    psg_cuda_read_copies();
    psg_copies_take(&taken, anything, NULL);
    return CHECK(taken.count == want, "%s: %zu copies instead of %zu", what, taken.count, want);
}

static double sum(psg_copy_way way) {
    psg_copy_sum sums[PSG_COPY_WAYS];
    psg_copies_sums(sums);
    return sums[way].seconds;
}

static void interface(void) {
    const struct starpu_data_interface_ops *ops = psg_cuda_blocks();
    CHECK(ops->interfaceid == STARPU_BLOCK_INTERFACE_ID && ops == psg_cuda_blocks(),
          "it is no block any more: interface %d", (int)ops->interfaceid);
}

/** One copy, between two events of its stream; its time is the stream's. */
static void dense(void) {
    struct starpu_block_interface host = block(0, 5, 4, 3, 5, 20), gpu = block(1, 5, 4, 3, 5, 20);
    const double before = now;
    operation_count = 0;
    traced_bytes = 0;
    const int result = methods()->ram_to_cuda_async(&host, 0, &gpu, 1, stream_number(2));
    CHECK(result == -EAGAIN, "result %d", result);
    CHECK(traced_bytes == 480, "%zu bytes traced", traced_bytes);
    if (CHECK(operation_count == 3 && operations[0].kind == 'e' && operations[1].kind == 'c' &&
                  operations[2].kind == 'e',
              "%d operations: %c %c %c", operation_count, operations[0].kind, operations[1].kind,
              operations[2].kind)) {
        const struct operation *c = &operations[1];
        CHECK(c->bytes == 480 && c->from == memory[0] + 16 && c->to == memory[1] + 16 &&
                  c->way == cudaMemcpyHostToDevice,
              "%zu bytes, way %d", c->bytes, (int)c->way);
        CHECK(c->stream == stream_number(2) && operations[0].stream == c->stream &&
                  operations[2].stream == c->stream,
              "in different streams");
    }
    now = before;
    (void)take("not done", 0);
    now = before + 100;
    if (take("dense", 1)) {
        const psg_copy_record *r = taken.record;
        CHECK(r->way == PSG_COPY_H2D && r->from == -1 && r->to == 0 && r->bytes == 480 && !r->task,
              "way %d from %d to %d, %zu bytes", (int)r->way, r->from, r->to, r->bytes);
        CHECK(r->source == memory[0] + 16 && r->target == memory[1] + 16, "between other places");
        CHECK_NEAR(r->start, before, 5, "its start");
        CHECK_NEAR(r->end - r->start, 0.48, 0.01, "its time");
        CHECK_NEAR(sum(PSG_COPY_H2D), 0.48e-6, 1e-8, "all of its way");
    }
}

/** Planes apart are copied one by one, and rows apart by planes of them. */
static void pitched(void) {
    struct starpu_block_interface host = block(0, 5, 4, 3, 5, 60), gpu = block(2, 5, 4, 3, 5, 20);
    operation_count = 0;
    (void)methods()->cuda_to_ram_async(&gpu, 2, &host, 0, stream_number(3));
    CHECK(operation_count == 5, "%d operations of three planes", operation_count);
    for (int k = 0; k < 3; ++k) {
        const struct operation *c = &operations[1 + k];
        CHECK(c->kind == 'c' && c->bytes == 160 && c->from == memory[2] + 16 + 160 * k &&
                  c->to == memory[0] + 16 + 480 * k && c->way == cudaMemcpyDeviceToHost,
              "plane %d: %c, %zu bytes", k, c->kind, c->bytes);
    }
    host = block(0, 5, 4, 3, 7, 60);
    operation_count = 0;
    (void)methods()->ram_to_cuda_async(&host, 0, &gpu, 2, stream_number(3));
    CHECK(operation_count == 5, "%d operations of three planes", operation_count);
    for (int k = 0; k < 3; ++k) {
        const struct operation *c = &operations[1 + k];
        CHECK(c->kind == '2' && c->bytes == 40 && c->rows == 4 && c->pitch[0] == 56 &&
                  c->pitch[1] == 40 && c->from == memory[0] + 16 + 480 * k &&
                  c->to == memory[2] + 16 + 160 * k,
              "plane %d: %c, %zu bytes in %zu rows", k, c->kind, c->bytes, c->rows);
    }
    host = block(0, 5, 4, 1, 5, 60); /* of one plane none is apart */
    gpu = block(2, 5, 4, 1, 5, 20);
    operation_count = 0;
    (void)methods()->ram_to_cuda_async(&host, 0, &gpu, 2, stream_number(3));
    CHECK(operation_count == 3 && operations[1].bytes == 160, "%d operations of one plane",
          operation_count);
    now += 100;
    (void)take("pitched", 3);
    CHECK(taken.record[0].way == PSG_COPY_H2D && taken.record[0].to == 1, "to GPU %d",
          taken.record[0].to);
}

/** Between GPUs it is the target's. */
static void gpus(void) {
    struct starpu_block_interface one = block(1, 5, 4, 3, 5, 20), other = block(2, 5, 4, 3, 5, 20);
    operation_count = 0;
    const int result = methods()->cuda_to_cuda_async(&one, 1, &other, 2, stream_number(4));
    CHECK(result == -EAGAIN && operation_count == 3 &&
              operations[1].way == cudaMemcpyDeviceToDevice,
          "%d operations, result %d", operation_count, result);
    now += 100;
    if (take("gpus", 1)) {
        const psg_copy_record *r = taken.record;
        CHECK(r->way == PSG_COPY_D2D && r->from == 0 && r->to == 1, "way %d from %d to %d",
              (int)r->way, r->from, r->to);
    }
}

/** What StarPU copies at once is timed by the host's clock; what has no GPU is none of ours. */
static void at_once(void) {
    struct starpu_block_interface host = block(0, 5, 4, 3, 5, 20), gpu = block(1, 5, 4, 3, 5, 20);
    plain_copies = 0;
    CHECK(methods()->any_to_any(&host, 0, &gpu, 1, NULL) == 0, "the result");
    if (take("at once", 1)) {
        CHECK_NEAR(taken.record[0].end - taken.record[0].start, 501, 0.01, "its time");
    }
    CHECK(methods()->any_to_any(&host, 0, &host, 0, NULL) == 0, "the result");
    CHECK(methods()->any_to_any(&host, 0, &gpu, 1, &host) == -EAGAIN, "the result");
    (void)take("at once", 0);
    CHECK(plain_copies == 3, "%d copies by StarPU", plain_copies);
}

/** Tasks' copies are summed up and not kept. */
static void of_tasks(void) {
    psg_copy_sum sums[PSG_COPY_WAYS];
    const double before = sum(PSG_COPY_D2H);
    operation_count = 0;
    CHECK(psg_cuda_copy(memory[0], memory[1], 2000, false) == 0, "it failed");
    CHECK(operation_count == 3 && operations[1].way == cudaMemcpyDeviceToHost &&
              operations[1].stream == stream_number(6),
          "%d operations", operation_count);
    now += 100;
    (void)take("of tasks", 0);
    psg_copies_sums(sums);
    CHECK(sums[PSG_COPY_D2H].task_bytes == 2000, "%zu bytes",
          (size_t)sums[PSG_COPY_D2H].task_bytes);
    CHECK_NEAR(sums[PSG_COPY_D2H].seconds - before, 2e-6, 1e-8, "its time");
}

/** Copies of a stream follow one another, and their times do not overlap, though a GPU's clock
 *  tells them in floats. Events are used again. */
static void many(void) {
    struct starpu_block_interface host = block(0, 500, 40, 3, 500, 20000),
                                  gpu = block(1, 500, 40, 3, 500, 20000);
    const long before = events_made;
    double until = 0;
    for (int m = 0; m < 2000; ++m) {
        (void)methods()->ram_to_cuda_async(&host, 0, &gpu, 1, stream_number(2));
        (void)methods()->ram_to_cuda_async(&host, 0, &gpu, 1, stream_number(2));
        now = *stream_end(stream_number(2)) - 100; /* the second one is not done */
    }
    now += 1000;
    CHECK(events_made - before <= 2 * 6, "%ld events for two copies at a time",
          events_made - before);
    (void)take("many", 4000);
    for (size_t m = 0; m < taken.count; ++m) {
        const psg_copy_record *r = &taken.record[m];
        CHECK(r->start >= until, "copy %zu starts %g before the end of another", m,
              until - r->start);
        CHECK_NEAR(r->end - r->start, 480, 0.5, "time of copy %zu", m);
        until = r->end;
    }
}

/** A GPU's clock goes wrong by 50 microseconds a second. */
static void clocks(void) {
    struct starpu_block_interface host = block(0, 3125, 1000, 10, 3125, 3125000),
                                  gpu = block(1, 3125, 1000, 10, 3125, 3125000);
    const double quarter = 2.5e5; /* that the copy takes */
    drift = 5e-5;
    for (int m = 0; m < 100; ++m) {
        now += 1e6;
        psg_cuda_set_clocks();
        const double before = now;
        (void)methods()->ram_to_cuda_async(&host, 0, &gpu, 1, stream_number(2));
        now += 0.8 * quarter;
        psg_cuda_set_clocks(); /* not of a GPU that copies */
        now += quarter;
        if (take("clocks", 1)) {
            CHECK_NEAR(taken.record[0].start, before, 10, "after %d seconds", m);
            CHECK_NEAR(taken.record[0].end, before + quarter, 25, "after %d seconds", m);
        }
    }
    /* the GPU has other work: nobody waits for it */
    now += 1e6;
    *stream_end(stream_number(STREAMS - 1)) = now + 1e7;
    const double before = now;
    psg_cuda_set_clocks();
    CHECK(now - before < 2000, "the clocks took %g microseconds", now - before);
    now += 2e7;
    drift = 0;
    psg_cuda_set_clocks();
}

/** A copy that cannot be timed is made all the same, and it is said that the time is not known. */
static void failures(void) {
    struct starpu_block_interface host = block(0, 5, 4, 3, 5, 20), gpu = block(1, 5, 4, 3, 5, 20);
    operation_count = 0;
    failing = 1;
    CHECK(methods()->cuda_to_ram_async(&gpu, 1, &host, 0, stream_number(2)) == -EAGAIN, "result");
    CHECK(operation_count == 1 && operations[0].kind == 'c', "%d operations", operation_count);
    CHECK(isnan(sum(PSG_COPY_D2H)) && !isnan(sum(PSG_COPY_H2D)), "%g s from GPUs, %g s to them",
          sum(PSG_COPY_D2H), sum(PSG_COPY_H2D));
}

int main(void) {
    psg_cuda_copies_open(0);
    psg_cuda_copies_open(1);
    psg_cuda_copies_open(1); /* by another plan */
    psg_copies_keep();
    interface();
    dense();
    pitched();
    gpus();
    at_once();
    of_tasks();
    many();
    clocks();
    failures();
    psg_copies_let_go();
    psg_cuda_copies_close(1);
    psg_cuda_copies_close(0);
    psg_cuda_copies_close(1);
    CHECK(events_there == 0 && streams_there == 0, "%ld events and %ld streams are left",
          events_there, streams_there);
    free(taken.record);
    return check_result();
}
