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

bool psg_device_returns(const psg_context *context) {
    (void)context;
    return false;
}

size_t psg_device_strip(const psg_context *context) {
    (void)context;
    return 0;
}

void psg_device_mark(psg_run *run, size_t slot, size_t step) {
    (void)run;
    (void)slot;
    (void)step;
}

bool psg_device_moments(const psg_run *run, size_t slot, size_t steps, double end, double *moment) {
    (void)run;
    (void)slot;
    (void)steps;
    (void)end;
    (void)moment;
    return false;
}

psg_fault psg_device_start(psg_context *context, size_t workers, char *words, size_t size) {
    (void)context;
    (void)workers;
    (void)words;
    (void)size;
    return PSG_FAULT_NONE;
}

void psg_device_stop(psg_context *context) {
    (void)context;
}
