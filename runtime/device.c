#include "runtime/device.h"

#include <starpu.h>
#include <stdio.h>

const psg_device_table *const psg_devices = PSG_SIMULATE    ? &psg_simulated_devices
                                            : PSG_WITH_CUDA ? &psg_cuda_devices
                                                            : NULL;

const char *psg_device_version(void) {
    return psg_devices != NULL && psg_devices->version != NULL ? psg_devices->version() : NULL;
}

int psg_device_count(char *words, size_t size) {
    if (psg_devices != NULL) {
        return psg_devices->count(words, size);
    }
    (void)snprintf(words, size, "built without CUDA");
    return 0;
}

int psg_device_current(int device) {
    return psg_devices != NULL && psg_devices->current != NULL ? psg_devices->current(device) : -1;
}

psg_device_memory psg_device_ask(const void *pointer, int named) {
    return psg_devices != NULL ? psg_devices->ask(pointer, named)
                               : (psg_device_memory){.device = -1};
}

struct starpu_data_interface_ops *psg_device_blocks(void) {
    return psg_devices != NULL ? psg_devices->blocks() : &starpu_interface_block_ops;
}

bool psg_device_times_copies(void) {
    return psg_devices != NULL && psg_devices->times_copies();
}

void psg_device_read_copies(void) {
    if (psg_devices != NULL) {
        psg_devices->read_copies();
    }
}
