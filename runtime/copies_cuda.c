/* Copies to, from and between GPUs, timed by CUDA: StarPU's block interface with an event before
 * and after each copy, in the stream that it gives the copy. */
#include "runtime/copies_cuda.h"
#include "runtime/copies.h"
#include "runtime/starpu_inside.h"

#include <cuda_runtime_api.h>
#include <starpu.h>
#include <starpu_cuda.h>

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

/* A copy on its way. */
typedef struct timing {
    struct timing *next;
    cudaEvent_t begin;
    cudaEvent_t end;
    psg_copy_record record;
} timing;

/* One way to a GPU, in one stream. */
typedef struct track {
    timing *oldest;
    timing *newest;
    double busy_until; /* by the copies that were read */
} track;

enum { FROM_MAIN_MEMORY, TO_MAIN_MEMORY, FROM_GPU, TRACKS = FROM_GPU + STARPU_MAXCUDADEVS };

/* Events belong to a device: a copy's to that of its stream, which between GPUs is the target. */
typedef struct gpu {
    unsigned users; /* plans, by worker */
    bool ready;
    cudaStream_t stream; /* for its clock alone */
    cudaEvent_t zero;    /* CUDA tells times between events only: when this one was is known */
    cudaEvent_t next_zero;
    double zero_time; /* starpu_timing_now() */
    timing *idle;
    track track[TRACKS];
} gpu;

/* StarPU gives a copy no context. */
typedef struct process_state {
    pthread_mutex_t lock;
    gpu gpu[STARPU_MAXCUDADEVS]; /* by device number; under the lock */
} process_state;

static process_state process = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---------------------------------------------------------------------------------- clocks */

/* An event of an idle stream happens between its recording and the first look that finds it done.
 * Where the stream has to wait for the GPU's other work, the clock stays as it was. */
static bool set_clock(gpu *g, double patience) {
    enum { TRIES = 10 };
    const double good = 20; /* microseconds, as undisturbed; the error is half of that */
    double best = INFINITY;
    for (int m = 0; m < TRIES && best > good; m++) {
        const double before = starpu_timing_now();
        cudaError_t code = cudaEventRecord(g->next_zero, g->stream);
        double after = before;
        while (code == cudaSuccess || code == cudaErrorNotReady) {
            code = cudaEventQuery(g->next_zero);
            after = starpu_timing_now();
            if (code != cudaErrorNotReady || after - before > patience) {
                break;
            }
        }
        if (code != cudaSuccess) {
            break;
        }
        if (after - before < best) {
            const cudaEvent_t old = g->zero;
            g->zero = g->next_zero;
            g->next_zero = old;
            g->zero_time = 0.5 * (before + after);
            best = after - before;
        }
    }
    (void)cudaGetLastError();
    return best < INFINITY;
}

/* ---------------------------------------------------------------------------------- timings */

/* The oldest copy of a track, if it is done. */
static bool read_oldest(gpu *g, track *l) {
    timing *t = l->oldest;
    float since = 0;
    float took = 0;
    if (t == NULL) {
        return false;
    }
    cudaError_t code = cudaEventElapsedTime(&took, t->begin, t->end);
    if (code == cudaSuccess) {
        code = cudaEventElapsedTime(&since, g->zero, t->begin);
    }
    (void)cudaGetLastError();
    if (code == cudaErrorNotReady) {
        return false;
    }
    if (code == cudaSuccess) { /* two threads may have put theirs into the stream at a time */
        const double start = g->zero_time + 1e3 * (double)since;
        t->record.start = fmax(start, l->busy_until);
        t->record.end = fmax(start + 1e3 * (double)took, t->record.start);
        l->busy_until = t->record.end;
        psg_copies_add(&t->record);
    } else {
        psg_copies_lose(t->record.way);
    }
    l->oldest = t->next;
    l->newest = l->oldest != NULL ? l->newest : NULL;
    t->next = g->idle;
    g->idle = t;
    return true;
}

static void read_all(gpu *g) {
    for (int m = 0; m < TRACKS; m++) {
        while (read_oldest(g, &g->track[m])) {
        }
    }
}

static void free_timing(timing *t) {
    if (t->begin != NULL) {
        (void)cudaEventDestroy(t->begin);
    }
    if (t->end != NULL) {
        (void)cudaEventDestroy(t->end);
    }
    free(t);
}

/* The events belong to the current device. @return NULL: they cannot be had */
static timing *make_timing(void) {
    timing *t = calloc(1, sizeof *t);
    if (t != NULL &&
        (cudaEventCreate(&t->begin) != cudaSuccess || cudaEventCreate(&t->end) != cudaSuccess)) {
        free_timing(t);
        t = NULL;
    }
    return t;
}

static gpu *gpu_of(const psg_copy_record *record) {
    return &process.gpu[record->way == PSG_COPY_D2H ? record->from : record->to];
}

static track *track_of(gpu *g, const psg_copy_record *record) {
    return &g->track[record->way == PSG_COPY_H2D   ? FROM_MAIN_MEMORY
                     : record->way == PSG_COPY_D2H ? TO_MAIN_MEMORY
                                                   : FROM_GPU + record->from];
}

/* Called before a copy is put into a stream of the current device. end() has to follow. Copies that
 * have ended are read here, while the GPUs work, so that few are left for the end of a solve.
 * @return NULL: it cannot be timed */
static timing *begin(const psg_copy_record *record, cudaStream_t stream) {
    pthread_mutex_lock(&process.lock);
    gpu *g = gpu_of(record);
    timing *t = NULL;
    if (g->ready) {
        while (read_oldest(g, track_of(g, record))) {
        }
        t = g->idle;
        if (t != NULL) {
            g->idle = t->next;
        } else {
            t = make_timing();
        }
    }
    pthread_mutex_unlock(&process.lock);
    if (t != NULL && cudaEventRecord(t->begin, stream) != cudaSuccess) {
        free_timing(t);
        t = NULL;
    }
    if (t == NULL) {
        psg_copies_lose(record->way);
    } else {
        t->record = *record;
        t->next = NULL;
    }
    (void)cudaGetLastError();
    return t;
}

static void end(timing *t, cudaStream_t stream) {
    if (t == NULL) {
        return;
    }
    if (cudaEventRecord(t->end, stream) != cudaSuccess) {
        (void)cudaGetLastError();
        psg_copies_lose(t->record.way);
        free_timing(t);
        return;
    }
    pthread_mutex_lock(&process.lock);
    track *l = track_of(gpu_of(&t->record), &t->record);
    if (l->newest != NULL) {
        l->newest->next = t;
    } else {
        l->oldest = t;
    }
    l->newest = t;
    pthread_mutex_unlock(&process.lock);
}

void psg_cuda_copies_open(int device) {
    pthread_mutex_lock(&process.lock);
    gpu *g = &process.gpu[device];
    if (g->users++ == 0) {
        const double patience = 1e4; /* microseconds: it may have to wake up */
        g->ready = cudaStreamCreateWithFlags(&g->stream, cudaStreamNonBlocking) == cudaSuccess &&
                   cudaEventCreate(&g->zero) == cudaSuccess &&
                   cudaEventCreate(&g->next_zero) == cudaSuccess && set_clock(g, patience);
        (void)cudaGetLastError();
    }
    pthread_mutex_unlock(&process.lock);
}

void psg_cuda_copies_close(int device) {
    pthread_mutex_lock(&process.lock);
    gpu *g = &process.gpu[device];
    if (--g->users == 0) {
        read_all(g);
        for (int m = 0; m < TRACKS; m++) { /* the data are gone, and so nothing is on its way */
            for (timing *t = g->track[m].oldest; t != NULL;) {
                timing *next = t->next;
                free_timing(t);
                t = next;
            }
        }
        while (g->idle != NULL) {
            timing *next = g->idle->next;
            free_timing(g->idle);
            g->idle = next;
        }
        if (g->zero != NULL) {
            (void)cudaEventDestroy(g->zero);
        }
        if (g->next_zero != NULL) {
            (void)cudaEventDestroy(g->next_zero);
        }
        if (g->stream != NULL) {
            (void)cudaStreamDestroy(g->stream);
        }
        (void)cudaGetLastError();
        *g = (gpu){.users = 0};
    }
    pthread_mutex_unlock(&process.lock);
}

bool psg_cuda_times_copies(void) {
    return true;
}

void psg_cuda_read_copies(void) {
    pthread_mutex_lock(&process.lock);
    for (int device = 0; device < STARPU_MAXCUDADEVS; device++) {
        read_all(&process.gpu[device]);
    }
    pthread_mutex_unlock(&process.lock);
}

/* Two crystals differ by some 1e-5, so that in a tenth of a second they part by a microsecond.
 * Times that were not read yet are by the old zero, so with any of these it stays. */
void psg_cuda_set_clocks(void) {
    const double age = 1e5;
    const double patience = 60;
    pthread_mutex_lock(&process.lock);
    for (int device = 0; device < STARPU_MAXCUDADEVS; device++) {
        gpu *g = &process.gpu[device];
        bool idle = g->ready && starpu_timing_now() - g->zero_time > age;
        if (idle) {
            read_all(g);
        }
        for (int m = 0; m < TRACKS && idle; m++) {
            idle = g->track[m].oldest == NULL;
        }
        if (idle) {
            (void)set_clock(g, patience);
        }
    }
    pthread_mutex_unlock(&process.lock);
}

/* ----------------------------------------------------------------------------- the interface */

static char *address_of(const struct starpu_block_interface *block) {
    return (char *)block->dev_handle + block->offset; /* NOLINT: an address that StarPU keeps so */
}

static size_t bytes_of(const struct starpu_block_interface *block) {
    return (size_t)block->nx * block->ny * block->nz * block->elemsize;
}

static int device_of(unsigned node) {
    return starpu_node_get_kind(node) == STARPU_CUDA_RAM ? starpu_memory_node_get_devid(node) : -1;
}

static psg_copy_record record_of(const struct starpu_block_interface *source, unsigned source_node,
                                 const struct starpu_block_interface *target,
                                 unsigned target_node) {
    const int from = device_of(source_node);
    const int to = device_of(target_node);
    return (psg_copy_record){.way = from < 0 ? PSG_COPY_H2D
                                    : to < 0 ? PSG_COPY_D2H
                                             : PSG_COPY_D2D,
                             .from = from,
                             .to = to,
                             .source = address_of(source),
                             .target = address_of(target),
                             .bytes = bytes_of(target)};
}

/* Copies a block as StarPU does: in one piece, else by planes, else by rows. Planes are copied one
 * by one, because CUDA takes no pitch of 2 GB or more.
 * @return -EAGAIN: it is on its way; 0: it is done */
static int copy_block(const struct starpu_block_interface *source, unsigned source_node,
                      const struct starpu_block_interface *target, unsigned target_node,
                      cudaStream_t stream, enum cudaMemcpyKind kind) {
    const size_t element = target->elemsize;
    const size_t row = target->nx * element;
    const size_t plane = row * target->ny;
    const size_t pitch[2] = {source->ldz * element, target->ldz * element};
    const bool rows_dense = source->ldy == target->nx && target->ldy == target->nx;
    const bool dense = rows_dense && pitch[0] == plane && pitch[1] == plane;
    const size_t pieces = dense ? 1 : target->nz;
    int result = 0;
    for (size_t k = 0; k < pieces; k++) {
        char *from = address_of(source) + k * pitch[0];
        char *to = address_of(target) + k * pitch[1];
        const int code =
            rows_dense ? starpu_cuda_copy_async_sync(from, source_node, to, target_node,
                                                     dense ? bytes_of(target) : plane, stream, kind)
                       : starpu_cuda_copy2d_async_sync(from, source_node, to, target_node, row,
                                                       target->ny, source->ldy * element,
                                                       target->ldy * element, stream, kind);
        result = code != 0 ? code : result;
    }
    starpu_interface_data_copy(source_node, target_node, bytes_of(target));
    return result;
}

static int copy_timed(void *source, unsigned source_node, void *target, unsigned target_node,
                      cudaStream_t stream, enum cudaMemcpyKind kind) {
    const psg_copy_record record = record_of(source, source_node, target, target_node);
    timing *t = begin(&record, stream);
    const int result = copy_block(source, source_node, target, target_node, stream, kind);
    end(t, stream);
    return result;
}

#define COPY_TIMED(name, kind)                                                                     \
    static int name(void *source, unsigned source_node, void *target, unsigned target_node,        \
                    cudaStream_t stream) {                                                         \
        return copy_timed(source, source_node, target, target_node, stream, kind);                 \
    }
COPY_TIMED(ram_to_cuda, cudaMemcpyHostToDevice)
COPY_TIMED(cuda_to_ram, cudaMemcpyDeviceToHost)
COPY_TIMED(cuda_to_cuda, cudaMemcpyDeviceToDevice)

/* What is copied at once, where the environment says so; and all that is none of GPUs. */
static int any_to_any(void *source, unsigned source_node, void *target, unsigned target_node,
                      void *asynchronous) {
    const bool gpus_too = device_of(source_node) >= 0 || device_of(target_node) >= 0;
    const double before = starpu_timing_now();
    const int result = starpu_interface_block_ops.copy_methods->any_to_any(
        source, source_node, target, target_node, asynchronous);
    if (gpus_too && asynchronous == NULL) {
        psg_copy_record record = record_of(source, source_node, target, target_node);
        record.start = before;
        record.end = starpu_timing_now();
        psg_copies_add(&record);
    }
    return result;
}

static void time_copies(struct starpu_data_interface_ops *interface,
                        struct starpu_data_copy_methods *methods) {
    (void)interface;
    methods->ram_to_cuda_async = ram_to_cuda;
    methods->cuda_to_ram_async = cuda_to_ram;
    methods->cuda_to_cuda_async = cuda_to_cuda;
    methods->any_to_any = any_to_any;
}

struct starpu_data_interface_ops *psg_cuda_blocks(void) {
    return psg_starpu_blocks(time_copies);
}

/* ------------------------------------------------------------------------------------ tasks */

int psg_cuda_copy(void *to, const void *from, size_t bytes, bool to_gpu) {
    const int device = starpu_worker_get_devid(starpu_worker_get_id_check());
    const cudaStream_t stream = starpu_cuda_get_local_stream();
    const psg_copy_record record = {.way = to_gpu ? PSG_COPY_H2D : PSG_COPY_D2H,
                                    .from = to_gpu ? -1 : device,
                                    .to = to_gpu ? device : -1,
                                    .source = from,
                                    .target = to,
                                    .bytes = bytes,
                                    .task = true};
    timing *t = begin(&record, stream);
    const cudaError_t code = cudaMemcpyAsync(
        to, from, bytes, to_gpu ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream);
    end(t, stream);
    (void)cudaGetLastError();
    return (int)code;
}
