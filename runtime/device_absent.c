/* Built without CUDA: there is no GPU. */
#include "runtime/device.h"

#include <stdint.h>
#include <stdio.h>

int psg_device_count(char *words, size_t size) {
    (void)snprintf(words, size, "built without CUDA");
    return 0;
}

bool psg_device_open(int device, char *words, size_t size) {
    (void)device;
    (void)snprintf(words, size, "built without CUDA");
    return false;
}

psg_device_memory psg_device_ask(const void *pointer, int named) {
    (void)pointer;
    (void)named;
    return (psg_device_memory){.device = -1};
}

bool psg_device_peers(void) {
    return false;
}

void *psg_device_host_alloc(size_t bytes) {
    (void)bytes;
    return NULL;
}

void psg_device_host_free(void *memory) {
    (void)memory;
}

bool psg_device_pin(void *memory, size_t bytes, bool *already) {
    *already = false;
    (void)memory;
    (void)bytes;
    return false;
}

size_t psg_device_free_bytes(int device) {
    (void)device;
    return SIZE_MAX;
}
