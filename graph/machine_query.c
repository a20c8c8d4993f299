/* What the library was built from, and what it runs on. */
#include "base/source_line.h"
#include "cpu/ops.h"
#include "graph/options.h"
#include "graph/psg_machine.h"
#include "graph/ranks.h"
#include "graph/start.h"
#include "graph/status.h"
#include "runtime/device.h"
#include "runtime/simulation.h"

#include <hwloc.h>
#include <stdio.h>

double psg_clock(void) {
    return psg_platform->now();
}

static const char *const component_names[PSG_COMPONENT_COUNT] = {
    [PSG_COMPONENT_PSG] = "psg",       [PSG_COMPONENT_STARPU] = "StarPU",
    [PSG_COMPONENT_FFTW] = "FFTW",     [PSG_COMPONENT_CUDA] = "CUDA",
    [PSG_COMPONENT_MPI] = "MPI",       [PSG_COMPONENT_HWLOC] = "hwloc",
    [PSG_COMPONENT_LAPACK] = "LAPACK",
};

const char *psg_component_name(psg_component component) {
    return (unsigned)component < PSG_COMPONENT_COUNT ? component_names[component] : NULL;
}

const char *psg_component_version(psg_component component) {
    switch (component) {
    case PSG_COMPONENT_PSG:
        return PSG_TEXT(PSG_VERSION_MAJOR) "." PSG_TEXT(PSG_VERSION_MINOR) "." PSG_TEXT(
            PSG_VERSION_PATCH);
    case PSG_COMPONENT_STARPU:
        return PSG_TEXT(STARPU_MAJOR_VERSION) "." PSG_TEXT(STARPU_MINOR_VERSION) "." PSG_TEXT(
            STARPU_RELEASE_VERSION);
    case PSG_COMPONENT_FFTW:
        return psg_cpu_fftw_version();
    case PSG_COMPONENT_CUDA:
        return psg_device_version();
    case PSG_COMPONENT_MPI:
        return psg_comm_version();
    case PSG_COMPONENT_HWLOC:
        return HWLOC_VERSION;
    case PSG_COMPONENT_LAPACK:
        return PSG_LAPACK_VERSION; /* of workload qr: nothing is loaded */
    default:
        return NULL;
    }
}

int psg_mpi_cuda_aware(void) {
    return psg_comm_cuda_aware();
}

static double memory_of(unsigned worker) {
    const starpu_ssize_t bytes = starpu_memory_get_total(starpu_worker_get_memory_node(worker));
    return bytes > 0 ? (double)bytes : 0;
}

/* StarPU binds a worker to all processors of its core, or to one of them. */
static int processor_of(int worker) {
#ifdef STARPU_HAVE_HWLOC
    hwloc_cpuset_t set = psg_platform->threads ? starpu_worker_get_hwloc_cpuset(worker) : NULL;
    const int first = set != NULL ? hwloc_bitmap_first(set) : -1;
    hwloc_bitmap_free(set);
    return first;
#else
    (void)worker;
    return -1;
#endif
}

/* Add StarPU's workers of a kind. @param[in] most  below 0: all of them */
static void list(enum starpu_worker_archtype type, int most, psg_worker *workers, size_t capacity,
                 size_t *count) {
    int id[STARPU_NMAXWORKERS];
    const unsigned there = starpu_worker_get_ids_by_type(type, id, STARPU_NMAXWORKERS);
    for (unsigned w = 0; w < there && (most < 0 || w < (unsigned)most); w++, ++*count) {
        if (*count < capacity) {
            psg_worker *worker = &workers[*count];
            worker->kind = type == STARPU_CPU_WORKER ? PSG_WORKER_CPU : PSG_WORKER_CUDA;
            worker->device = starpu_worker_get_devid(id[w]);
            worker->memory = type == STARPU_CUDA_WORKER ? memory_of((unsigned)id[w]) : 0;
            worker->processor = type == STARPU_CPU_WORKER ? processor_of(id[w]) : -1;
            starpu_worker_get_name(id[w], worker->name, sizeof worker->name);
        }
    }
}

psg_status psg_machine_workers(const psg_options *options, psg_worker *workers, size_t capacity,
                               size_t *count, char *policy, size_t policy_size) {
    psg_options checked;
    psg_clear_error();
    psg_comm *comm = NULL;
    psg_status right = psg_options_check(&checked, options);
    psg_status status = psg_ranks_open(&comm, &checked);
    if (right == PSG_OK && (count == NULL || (workers == NULL && capacity > 0))) {
        right = psg_fail(PSG_ERR_ARG, "count or workers is NULL");
    }
    if (count != NULL) {
        *count = 0;
    }
    if (status == PSG_OK) { /* for all to go on, or none */
        status = psg_ranks_agree(comm, right);
    }
    if (status == PSG_OK) {
        const psg_status mine = psg_runtime_acquire(&checked, comm, "");
        status = psg_ranks_agree(comm, mine);
        if (status != PSG_OK && mine == PSG_OK) {
            psg_runtime_release(comm);
        }
    }
    if (status != PSG_OK) {
        return status;
    }
    const bool gpus = checked.gpus != 0 && starpu_cuda_worker_get_count() > 0;
    if (gpus) {
        list(STARPU_CUDA_WORKER, -1, workers, capacity, count);
    }
    if (!gpus || checked.cpu_share != 0) {
        list(STARPU_CPU_WORKER, checked.cpus, workers, capacity, count);
    }
    if (policy != NULL && policy_size > 0) {
        const struct starpu_sched_policy *in_force = starpu_sched_get_sched_policy();
        (void)snprintf(policy, policy_size, "%s",
                       in_force != NULL && in_force->policy_name != NULL ? in_force->policy_name
                                                                         : "");
    }
    psg_runtime_release(comm);
    return PSG_OK;
}

/* The memory that a route begins or ends at: main memory, or that of a CUDA worker. */
static int device_of(int worker) {
    return worker < 0 ? -1 : starpu_worker_get_devid(worker);
}

static unsigned node_of(int worker) {
    return worker < 0 ? STARPU_MAIN_RAM : starpu_worker_get_memory_node((unsigned)worker);
}

static psg_route route_between(int from, int to, bool peers) {
    return (psg_route){
        .from = device_of(from),
        .to = device_of(to),
        .rate = 1e6 * starpu_transfer_bandwidth(node_of(from), node_of(to)),
        .latency_seconds = 1e-6 * starpu_transfer_latency(node_of(from), node_of(to)),
        .peer = from >= 0 && to >= 0 && peers,
    };
}

psg_status psg_machine_routes(const psg_options *options, psg_route *routes, size_t capacity,
                              size_t *count) {
    psg_options checked;
    psg_clear_error();
    if (count != NULL) {
        *count = 0;
    }
    psg_status status = psg_options_check(&checked, options);
    if (status == PSG_OK && (count == NULL || (routes == NULL && capacity > 0))) {
        status = psg_fail(PSG_ERR_ARG, "count or routes is NULL");
    }
    if (status == PSG_OK) {
        status = psg_runtime_acquire(&checked, NULL, "");
    }
    if (status != PSG_OK) {
        return status;
    }
    int end[STARPU_NMAXWORKERS + 1] = {-1}; /* main memory, and the GPUs' workers */
    const unsigned gpus =
        checked.gpus != 0
            ? starpu_worker_get_ids_by_type(STARPU_CUDA_WORKER, end + 1, STARPU_NMAXWORKERS)
            : 0;
    const bool peers = gpus > 1 && psg_devices->peers();
    for (unsigned from = 0; from <= gpus; from++) {
        for (unsigned to = 0; to <= gpus; to++) {
            if (from != to && *count < capacity) {
                routes[*count] = route_between(end[from], end[to], peers);
            }
            *count += from != to;
        }
    }
    double rate = 0;
    double latency = 0;
    if (psg_simulation_network(checked.network, &rate, &latency)) {
        if (*count < capacity) {
            routes[*count] =
                (psg_route){.from = -1, .to = -2, .rate = rate, .latency_seconds = latency};
        }
        ++*count;
    }
    psg_runtime_release(NULL);
    return PSG_OK;
}
