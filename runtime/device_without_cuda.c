/* Without CUDA nothing is known of GPUs' memory, and nothing is page-locked: none is there, or a simulation's. */
#include "runtime/device.h"

#include <stdio.h>

void psg_device_model(int device, char *name, size_t size) {
    (void)device;
    (void)snprintf(name, size, "%s", "");
}

const char *psg_device_version(void) {
    return NULL;
}

void psg_device_unpin(void *memory) {
    (void)memory;
}

void psg_device_memory_rate(double *rate, double *cache_bytes) {
    *rate = *cache_bytes = 0;
}
