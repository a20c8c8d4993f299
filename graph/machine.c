/* What the library was built from, and what it runs on. */
#include "graph/internal.h"

#include <stdio.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

static const char *const component_names[PSG_COMPONENT_COUNT] = {
    [PSG_COMPONENT_PSG] = "psg",
    [PSG_COMPONENT_STARPU] = "StarPU",
    [PSG_COMPONENT_FFTW] = "FFTW",
    [PSG_COMPONENT_CUDA] = "CUDA",
};

const char *psg_component_name(psg_component component) {
    return (unsigned)component < PSG_COMPONENT_COUNT ? component_names[component] : NULL;
}

const char *psg_component_version(psg_component component) {
    switch (component) {
    case PSG_COMPONENT_PSG:
        return TEXT(PSG_VERSION_MAJOR) "." TEXT(PSG_VERSION_MINOR) "." TEXT(PSG_VERSION_PATCH);
    case PSG_COMPONENT_STARPU:
        return TEXT(STARPU_MAJOR_VERSION) "." TEXT(STARPU_MINOR_VERSION) "." TEXT(
            STARPU_RELEASE_VERSION);
    case PSG_COMPONENT_FFTW:
        return psg_cpu_fftw_version();
    default:
        return NULL; /* not built in */
    }
}

psg_status psg_machine_workers(const psg_options *options, psg_worker *workers, size_t capacity,
                               size_t *count, char *policy, size_t policy_size) {
    psg_options checked;
    psg_clear_error();
    if (count == NULL || (workers == NULL && capacity > 0)) {
        return psg_fail(PSG_ERR_ARG, "count or workers is NULL");
    }
    *count = 0;
    psg_status status = psg_options_check(&checked, options);
    if (status == PSG_OK) {
        status = psg_runtime_acquire(&checked);
    }
    if (status != PSG_OK) {
        return status;
    }
    int id[STARPU_MAXCPUS];
    const unsigned cpus = starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, id, STARPU_MAXCPUS);
    *count = cpus;
    for (size_t w = 0; w < cpus && w < capacity; w++) {
        workers[w] = (psg_worker){.kind = PSG_WORKER_CPU, .device = starpu_worker_get_devid(id[w])};
        starpu_worker_get_name(id[w], workers[w].name, sizeof workers[w].name);
    }
    if (policy != NULL && policy_size > 0) {
        const struct starpu_sched_policy *in_force = starpu_sched_get_sched_policy();
        (void)snprintf(policy, policy_size, "%s",
                       in_force != NULL && in_force->policy_name != NULL ? in_force->policy_name
                                                                         : "");
    }
    psg_runtime_release();
    return PSG_OK;
}
