/* How fast the workers get at memory: all of them at once, on arrays that no cache holds. */
#include "graph/rates.h"
#include "base/kept.h"
#include "base/memory.h"
#include "graph/cache.h"
#include "graph/start.h"
#include "graph/status.h"
#include "graph/work.h"
#include "runtime/device.h"
#include "runtime/node.h"
#include "runtime/simulation.h"

#include <hwloc.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The C library reads by memchr() and copies by memcpy() as fast as a core can, the latter around
 * the caches. Which is faster differs by machine, and the solve does both. To read both of a
 * worker's arrays or to copy one to the other moves the same number of bytes. */
enum { READ = 0, COPY, WAYS, ROUNDS = 8 };

/* Each way is tried at least once, and all of it ends after this time. The arrays become as large
 * as a core can touch in the time for that: each way then takes less. */
static const double measuring_seconds = 0.15, touching_seconds = 0.1;

/* Other programs make a machine slow, and a rate that is too low bounds nothing. So several
 * processes measure. */
enum { MEASUREMENTS = 3 };

static const size_t arrays_bytes_min = 32 << 20, arrays_bytes_max = 1 << 30;

/* By StarPU's worker number. */
typedef struct measurement {
    size_t bytes; /* of a worker's two arrays together */
    int way;
    char *arrays[STARPU_NMAXWORKERS];
    size_t touched[STARPU_NMAXWORKERS]; /* bytes */
    double rate[STARPU_NMAXWORKERS];    /* bytes per second in the latest round */
    atomic_bool found; /* by memchr(): never, but that has to be known at run time only */
} measurement;

static void allocate(void *argument) {
    enum { PIECE = 4 << 20 };
    measurement *m = argument;
    const int self = starpu_worker_get_id_check();
    const double end = starpu_timing_now() + touching_seconds * 1e6;
    char *arrays = m->arrays[self] = base_allocate(m->bytes);
    size_t *touched = &m->touched[self];
    while (arrays != NULL && *touched < m->bytes &&
           (*touched < arrays_bytes_min || starpu_timing_now() < end)) {
        const size_t more = m->bytes - *touched < PIECE ? m->bytes - *touched : PIECE;
        memset(arrays + *touched, 0, more);
        *touched += more;
    }
}

static void do_round(void *argument) {
    measurement *m = argument;
    const int self = starpu_worker_get_id_check();
    char *arrays = m->arrays[self];
    const double start = starpu_timing_now();
    if (m->way == COPY) {
        memcpy(arrays, arrays + m->bytes / 2, m->bytes / 2);
    } else if (memchr(arrays, 1, m->bytes) != NULL) {
        atomic_store(&m->found, true);
    }
    const double seconds = (starpu_timing_now() - start) * 1e-6;
    m->rate[self] = seconds > 0 ? (double)m->bytes / seconds : 0;
}

static double size_of_caches(void) {
    static const hwloc_obj_type_t kinds[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE,
                                             HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE,
                                             HWLOC_OBJ_L5CACHE};
    hwloc_topology_t topology = psg_share_topology();
    double bytes = 0;
    if (topology == NULL) {
        return 0;
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (hwloc_obj_t cache = NULL;
             (cache = hwloc_get_next_obj_by_type(topology, kinds[k], cache)) != NULL;) {
            bytes += (double)cache->attr->cache.size;
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

typedef struct process_state {
    pthread_mutex_t lock;
    found kind[2]; /* cores, GPUs; under the lock */
} process_state;

/* The processes of a node come here together, so that their arrays count as one. */
static psg_status measure_cores(found *f, const psg_comm *comm) {
    const int processes = comm != NULL ? comm->node_ranks : 1;
    f->cache_bytes = size_of_caches();
    const double all = fmin(fmax(4 * f->cache_bytes / processes, (double)arrays_bytes_min),
                            (double)arrays_bytes_max);
    measurement m = {.bytes = (size_t)(all / (double)f->workers) / 128 * 128};
    size_t allocated = 0;
    starpu_execute_on_each_worker(allocate, &m, STARPU_CPU);
    for (int w = 0; w < STARPU_NMAXWORKERS; w++) {
        if (m.arrays[w] != NULL) {
            allocated++;
            m.bytes = m.touched[w] < m.bytes ? m.touched[w] / 128 * 128 : m.bytes;
        }
    }
    const double end = starpu_timing_now() + measuring_seconds * 1e6;
    for (int round = 0; round < WAYS * ROUNDS && allocated == f->workers &&
                        (round < WAYS || starpu_timing_now() < end);
         round++) {
        double rate = 0;
        m.way = round % WAYS;
        starpu_execute_on_each_worker(do_round, &m, STARPU_CPU);
        for (int w = 0; w < STARPU_NMAXWORKERS; w++) {
            rate += m.rate[w];
        }
        f->rate = fmax(f->rate, rate);
    }
    for (int w = 0; w < STARPU_NMAXWORKERS; w++) {
        free(m.arrays[w]);
    }
    f->rate = f->cache_bytes > 0 ? f->rate : 0; /* else what they hold would be taken for traffic */
    return allocated == f->workers
               ? PSG_OK
               : psg_fail(PSG_ERR_MEMORY, "no memory for arrays of %.0f bytes", all);
}

/* ------------------------------------------------------------------------------------ the files */

char *psg_memory_files(const psg_options *options) {
    char host[256];
    char name[320];
    char path[4096];
    psg_cache_host(host, sizeof host);
    (void)snprintf(name, sizeof name, "memory-%s", host);
    return options->record != 0 && psg_platform->computes && options->comm == NULL &&
                   psg_cache_file(options, name, path, sizeof path)
               ? strdup(path)
               : NULL;
}

/* @return false: there is no file */
static bool name_file(const psg_work *work, size_t workers, char *path, size_t size) {
    const int length = work->memory_files != NULL
                           ? snprintf(path, size, "%s-%zu", work->memory_files, workers)
                           : 0;
    return length > 0 && (size_t)length < size;
}

/* @return how many measured it; 0: nothing is known */
static int read_kept(const char *path, found *f) {
    int measurements = 0;
    int error = 0;
    char *text = base_kept_read_checked(path, 256, &error);
    const bool good =
        text != NULL && sscanf(text, "%d %lf %lf", /* NOLINT(cert-err34-c): its checksum is right */
                               &measurements, &f->rate, &f->cache_bytes) == 3;
    free(text);
    return good ? measurements : 0;
}

/* With what others found. Where that cannot be written, each process measures. */
static void keep(const char *path, int before, found *f) {
    char text[128];
    found other = {.rate = 0};
    const int measurements = read_kept(path, &other);
    f->rate = fmax(f->rate, other.rate);
    (void)snprintf(text, sizeof text, "%d %.6e %.0f\n",
                   1 + (measurements > before ? measurements : before), f->rate, f->cache_bytes);
    (void)base_kept_write_checked(path, text);
}

static psg_status find_cores(const psg_work *work, found *f) {
    char path[4352];
    const bool kept = name_file(work, f->workers, path, sizeof path);
    const int measurements = kept ? read_kept(path, f) : 0;
    if (measurements >= MEASUREMENTS) {
        return PSG_OK;
    }
    const psg_status status = measure_cores(f, work->engine->comm);
    if (status == PSG_OK && kept && f->rate > 0) {
        keep(path, measurements, f);
    }
    return status;
}

static psg_status measure(const psg_work *work, found *f, size_t workers, bool gpus) {
    psg_status status = PSG_OK;
    *f = (found){.workers = workers};
    psg_runtime_awake();
    if (gpus) {
        psg_devices->memory_rate(&f->rate, &f->cache_bytes);
    } else {
        status = find_cores(work, f);
    }
    psg_runtime_rest();
    f->workers = status == PSG_OK ? workers : 0;
    return status;
}

psg_status psg_memory_rate(const psg_work *work, double *rate, double *cache_bytes) {
    static process_state process = {.lock = PTHREAD_MUTEX_INITIALIZER};
    const size_t workers[2] = {work->workers->cpu_count, work->workers->gpu_count};
    psg_status status = PSG_OK;
    bool known = true;
    *rate = *cache_bytes = 0;
    /* two measurements at once would wait for each other's workers */
    pthread_mutex_lock(&process.lock);
    for (int gpu = 0; gpu < 2 && status == PSG_OK; gpu++) {
        found *f = &process.kind[gpu];
        if (workers[gpu] == 0) {
            continue;
        }
        if (psg_platform->computes && f->workers != workers[gpu]) {
            status = measure(work, f, workers[gpu], gpu);
        }
        known = known && f->rate > 0;
        *rate += f->rate;
        *cache_bytes += f->cache_bytes;
    }
    *rate = known ? *rate : 0;
    pthread_mutex_unlock(&process.lock);
    return status;
}
