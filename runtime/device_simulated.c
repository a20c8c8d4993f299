/* The GPUs of a simulated machine: StarPU simulates their work and copies, and nothing has to be
 * prepared. */
#include "runtime/device.h"
#include "runtime/simulation.h"

#include <starpu.h>
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

psg_device_memory psg_device_ask(const void *pointer, int named) {
    (void)pointer;
    return (psg_device_memory){.device = named >= 0 ? named : -1};
}

/* StarPU takes nine tenths of a GPU's memory, see starpu_memory_get_total(). */
size_t psg_device_free_bytes(int device) {
    const double bytes = psg_simulation_machine()->gpu_memory;
    const unsigned node = starpu_worker_get_memory_node(
        (unsigned)starpu_worker_get_by_devid(STARPU_CUDA_WORKER, device));
    const double used = (double)starpu_memory_get_used(node);
    return bytes > used ? (size_t)(bytes - used) : 0;
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
