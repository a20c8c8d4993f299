/* The GPUs of a simulated machine: StarPU simulates their work and copies, and nothing has to be
 * prepared. */
#include "runtime/device.h"

#include "runtime/copies_simulated.h"
#include "runtime/simulation.h"

#include <starpu.h>
#include <stdio.h>
#include <sys/mman.h>

static int count_devices(char *words, size_t size) {
    const psg_machine *machine = psg_simulation_machine();
    (void)snprintf(words, size, "%s", "");
    return machine != NULL ? (int)machine->gpus : 0;
}

static bool open_device(int device, char *words, size_t size) {
    (void)device;
    (void)snprintf(words, size, "%s", "");
    return true;
}

static psg_device_memory ask(const void *pointer, int named) {
    (void)pointer;
    return (psg_device_memory){.device = named >= 0 ? named : -1};
}

/* StarPU takes nine tenths of a GPU's memory, see starpu_memory_get_total(). */
static size_t free_bytes(int device) {
    const double bytes = psg_simulation_machine()->gpu_memory;
    const unsigned node = starpu_worker_get_memory_node(
        (unsigned)starpu_worker_get_by_devid(STARPU_CUDA_WORKER, device));
    const double used = (double)starpu_memory_get_used(node);
    return bytes > used ? (size_t)(bytes - used) : 0;
}

static bool have_peers(void) {
    const psg_machine *machine = psg_simulation_machine();
    return machine->gpus == 1 || machine->link[PSG_MACHINE_PEER].bytes_per_second > 0;
}

/* A spectrum that nobody writes may be larger than this machine's memory. Its size stands before.
 */
enum { PAGE = 4096 };
static void *reserve(size_t bytes) {
    size_t *start = mmap(NULL, bytes + PAGE, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) {
        return NULL;
    }
    *start = bytes + PAGE;
    return (char *)start + PAGE;
}

static void give_back(void *memory) {
    if (memory != NULL) {
        size_t *start = (void *)((char *)memory - PAGE);
        (void)munmap(start, *start);
    }
}

static bool pin(void *memory, size_t bytes, bool *already) {
    (void)memory;
    (void)bytes;
    *already = false;
    return true;
}

static void unpin(void *memory) {
    (void)memory;
}

static void model(int device, char *name, size_t size) {
    (void)device;
    (void)snprintf(name, size, "%s", "");
}

static void read_nothing(void) {
}

static void memory_rate(double *rate, double *cache_bytes) {
    *rate = *cache_bytes = 0;
}

const psg_device_table psg_simulated_devices = {
    .count = count_devices,
    .open = open_device,
    .free_bytes = free_bytes,
    .model = model,
    .ask = ask,
    .peers = have_peers,
    .host_alloc = reserve,
    .host_free = give_back,
    .pin = pin,
    .unpin = unpin,
    .blocks = psg_simulated_blocks,
    .times_copies = psg_simulated_times_copies,
    .read_copies = read_nothing,
    .set_clocks = read_nothing,
    .memory_rate = memory_rate,
};
