/* How fast the workers get at memory: all of them at once, on arrays that no cache holds. */
#include "graph/rates.h"
#include "base/memory.h"
#include "graph/start.h"
#include "graph/status.h"
#include "graph/work.h"
#include "runtime/device.h"
#include "runtime/simulation.h"

#include <hwloc.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The C library reads by memchr() and copies by memcpy() as fast as a core can, the latter around
 * the caches. Which is faster differs by machine, and the solve does both. */
enum { READ = 0, COPY, WAYS, ROUNDS = 8 };

static const double arrays_bytes_min = 32 << 20, arrays_bytes_max = 1 << 30;

/* Between its barriers every worker does the same at the same time. */
typedef struct race {
    size_t bytes; /* of a worker's two arrays together */
    size_t workers;
    pthread_barrier_t barrier;
    atomic_size_t entered;
    atomic_bool short_of_memory;
    atomic_bool found; /* by memchr(): never, but that has to be known at run time only */
    double start[STARPU_NMAXWORKERS];
    double end[STARPU_NMAXWORKERS];
    double rate; /* bytes per second; the best round's */
} race;

/* On one of the workers, while the others wait: how the round went. */
static void judge(race *r) {
    double start = INFINITY;
    double end = 0;
    for (size_t w = 0; w < r->workers; w++) {
        start = fmin(start, r->start[w]);
        end = fmax(end, r->end[w]);
    }
    const double bytes = (double)r->bytes * (double)r->workers;
    r->rate = end > start ? fmax(r->rate, bytes / ((end - start) * 1e-6)) : r->rate;
}

/* On each worker: to read both arrays or to copy one to the other moves the same number of
 * bytes. */
static void run_race(void *argument) {
    race *r = argument;
    const size_t self = atomic_fetch_add(&r->entered, 1);
    char *arrays = base_allocate(r->bytes);
    if (arrays == NULL) {
        atomic_store(&r->short_of_memory, true);
    } else {
        memset(arrays, 0, r->bytes);
    }
    (void)pthread_barrier_wait(&r->barrier);
    for (int m = 0; m < WAYS * ROUNDS && !atomic_load(&r->short_of_memory); m++) {
        (void)pthread_barrier_wait(&r->barrier);
        r->start[self] = starpu_timing_now();
        if (m % WAYS == COPY) {
            memcpy(arrays, arrays + r->bytes / 2, r->bytes / 2);
        } else if (memchr(arrays, 1, r->bytes) != NULL) {
            atomic_store(&r->found, true);
        }
        r->end[self] = starpu_timing_now();
        /* NOLINTNEXTLINE(bugprone-posix-return): that thread's value is negative */
        if (pthread_barrier_wait(&r->barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
            judge(r);
        }
    }
    free(arrays);
}

static double size_of_caches(void) {
    static const hwloc_obj_type_t kinds[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE,
                                             HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE,
                                             HWLOC_OBJ_L5CACHE};
    hwloc_topology_t topology = NULL;
    double bytes = 0;
    if (hwloc_topology_init(&topology) != 0) {
        return 0;
    }
    if (hwloc_topology_load(topology) == 0) {
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            for (hwloc_obj_t cache = NULL;
                 (cache = hwloc_get_next_obj_by_type(topology, kinds[k], cache)) != NULL;) {
                bytes += (double)cache->attr->cache.size;
            }
        }
    }
    hwloc_topology_destroy(topology);
    return bytes;
}

/* What the workers of one kind were found to do together. */
typedef struct found {
    size_t workers; /* 0: not measured yet */
    double rate;
    double cache_bytes;
} found;

/* The processes of a node come here together, so that their arrays count as one. */
static psg_status measure_cores(found *f, const psg_comm *comm) {
    const int processes = comm != NULL ? comm->node_ranks : 1;
    race *r = calloc(1, sizeof *r);
    if (r == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory to measure memory");
    }
    f->cache_bytes = size_of_caches();
    const double all =
        fmin(fmax(4 * f->cache_bytes / processes, arrays_bytes_min), arrays_bytes_max);
    r->workers = f->workers;
    r->bytes = (size_t)(all / (double)r->workers) / 128 * 128;
    if (pthread_barrier_init(&r->barrier, NULL, (unsigned)r->workers) != 0) {
        free(r);
        return psg_fail(PSG_ERR_RUNTIME, "no barrier for %zu workers", f->workers);
    }
    starpu_execute_on_each_worker(run_race, r, STARPU_CPU);
    const bool short_of_memory = atomic_load(&r->short_of_memory);
    f->rate = f->cache_bytes > 0 ? r->rate : 0; /* else what they hold would be taken for traffic */
    pthread_barrier_destroy(&r->barrier);
    free(r);
    return short_of_memory ? psg_fail(PSG_ERR_MEMORY, "no memory for arrays of %.0f bytes", all)
                           : PSG_OK;
}

static psg_status measure(found *f, size_t workers, bool gpus, const psg_comm *comm) {
    psg_status status = PSG_OK;
    *f = (found){.workers = workers};
    psg_runtime_awake();
    if (gpus) {
        psg_devices->memory_rate(&f->rate, &f->cache_bytes);
    } else {
        status = measure_cores(f, comm);
    }
    psg_runtime_rest();
    f->workers = status == PSG_OK ? workers : 0;
    return status;
}

psg_status psg_memory_rate(const psg_work *work, double *rate, double *cache_bytes) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static found kinds[2]; /* cores, GPUs; under the lock */
    const size_t workers[2] = {work->workers->cpu_count, work->workers->gpu_count};
    psg_status status = PSG_OK;
    bool known = true;
    *rate = *cache_bytes = 0;
    pthread_mutex_lock(&lock); /* two measurements at once would wait for each other's workers */
    for (int gpu = 0; gpu < 2 && status == PSG_OK; gpu++) {
        found *f = &kinds[gpu];
        if (workers[gpu] == 0) {
            continue;
        }
        if (psg_platform->computes && f->workers != workers[gpu]) {
            status = measure(f, workers[gpu], gpu, work->engine->comm);
        }
        known = known && f->rate > 0;
        *rate += f->rate;
        *cache_bytes += f->cache_bytes;
    }
    *rate = known ? *rate : 0;
    pthread_mutex_unlock(&lock);
    return status;
}
