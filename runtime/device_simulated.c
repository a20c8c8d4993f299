/* The GPUs of a simulated machine: StarPU simulates their work and copies, and nothing has to be
 * prepared. */
#include "runtime/device.h"
#include "runtime/simulation.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int psg_device_count(char *words, size_t size) {
    const psg_machine *machine = psg_simulation_machine();
    (void)snprintf(words, size, "%s", "");
    return machine != NULL ? (int)machine->gpus : 0;
}

bool psg_device_open(int device, char *words, size_t size) {
    (void)device;
    (void)snprintf(words, size, "%s", "");
    return true;
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
    const psg_machine *machine = psg_simulation_machine();
    return machine->gpus == 1 || machine->link[PSG_MACHINE_PEER].bytes_per_second > 0;
}

void *psg_device_host_alloc(size_t bytes) {
    return malloc(bytes);
}

void psg_device_host_free(void *memory) {
    free(memory);
}

bool psg_device_pin(void *memory, size_t bytes, bool *already) {
    (void)memory;
    (void)bytes;
    *already = false;
    return true;
}

void psg_device_unpin(void *memory) {
    (void)memory;
}

void psg_device_memory_rate(double *rate, double *cache_bytes) {
    *rate = *cache_bytes = 0;
}
