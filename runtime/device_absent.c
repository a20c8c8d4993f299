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

size_t psg_device_free_bytes(int device) {
    (void)device;
    return SIZE_MAX;
}

int psg_device_of(const void *memory) {
    (void)memory;
    return -1;
}

size_t psg_device_room(const void *memory) {
    (void)memory;
    return SIZE_MAX;
}

void psg_device_model(int device, char *name, size_t size) {
    (void)device;
    (void)snprintf(name, size, "%s", "");
}

const char *psg_device_version(void) {
    return NULL;
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

void psg_device_unpin(void *memory) {
    (void)memory;
}

void psg_device_memory_rate(double *rate, double *cache_bytes) {
    *rate = *cache_bytes = 0;
}
