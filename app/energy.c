#include "app/energy.h"

#include <dlfcn.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* NVML's functions, as its manual has them; 0 is success. */
typedef struct nvml {
    int (*init)(void);
    int (*count)(unsigned *);
    int (*device)(unsigned, void **);
    int (*energy)(void *, unsigned long long *); /* millijoules */
} nvml;

static void *find(void *library, const char *name) {
    return library != NULL ? dlsym(library, name) : NULL;
}

/* A pointer to a function, which is none to data. */
#define TAKE(member, name)                                                                         \
    do {                                                                                           \
        void *found = find(library, name);                                                         \
        memcpy(&n->member, &found, sizeof found);                                                  \
    } while (0)

/* The library stays, as what CUDA itself loads. */
static int load(nvml *n) {
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    TAKE(init, "nvmlInit_v2");
    TAKE(count, "nvmlDeviceGetCount_v2");
    TAKE(device, "nvmlDeviceGetHandleByIndex_v2");
    TAKE(energy, "nvmlDeviceGetTotalEnergyConsumption");
    return n->init != NULL && n->count != NULL && n->device != NULL && n->energy != NULL &&
           n->init() == 0;
}

double app_energy_now(void) {
    nvml n = {NULL};
    unsigned gpus = 0;
    double joules = 0;
    if (!load(&n) || n.count(&gpus) != 0 || gpus == 0) {
        return NAN;
    }
    for (unsigned g = 0; g < gpus; g++) {
        void *device = NULL;
        unsigned long long used = 0;
        joules +=
            n.device(g, &device) == 0 && n.energy(device, &used) == 0 ? 1e-3 * (double)used : NAN;
    }
    return joules;
}
