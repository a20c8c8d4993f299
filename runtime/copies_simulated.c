/* Copies of a simulation, timed by SimGrid's clock. StarPU on SimGrid makes no copy, so that it
 * calls no copy function of an interface; a copy is a call of three others, which stand here in
 * place of StarPU's and SimGrid's, and call these: the interface's get_size() tells which data,
 * starpu_interface_start_driver_copy_async() between which memories, and sg_host_sendto() takes as
 * long as the copy. Between two memories copies follow one another in the order of their requests.
 * Only one thread of a simulation runs at a time. */
#include "runtime/copies_simulated.h"

#include "runtime/copies.h"
#include "runtime/starpu_inside.h"

#include <simgrid/host.h>
#include <starpu.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* What was asked for and has not begun, first come first served. */
typedef struct request {
    struct request *next;
    psg_copy_record record;
} request;

enum { MEMORIES = STARPU_MAXCUDADEVS + 1 }; /* main memory is the first */

typedef struct process_state {
    request *first[MEMORIES][MEMORIES];
    starpu_data_handle_t asked; /* whose size StarPU has asked for last */
} process_state;

static process_state process;

/* ----------------------------------------------------------------------------- the interface */

static size_t get_size(starpu_data_handle_t handle) {
    process.asked = handle;
    return starpu_interface_block_ops.get_size(handle);
}

static void forget(starpu_data_handle_t handle) {
    process.asked = process.asked == handle ? NULL : process.asked;
    if (starpu_interface_block_ops.unregister_data_handle != NULL) {
        starpu_interface_block_ops.unregister_data_handle(handle);
    }
}

static void watch_sizes(struct starpu_data_interface_ops *interface,
                        struct starpu_data_copy_methods *methods) {
    (void)methods;
    interface->get_size = get_size;
    interface->unregister_data_handle = forget;
}

struct starpu_data_interface_ops *psg_simulated_blocks(void) {
    return psg_starpu_blocks(watch_sizes);
}

/* -------------------------------------------------------------------------------- the copies */

/* The function that stands behind ours. */
#define NEXT(name, type)                                                                           \
    ((union {                                                                                      \
         void *symbol;                                                                             \
         type function;                                                                            \
     }){.symbol = dlsym(RTLD_NEXT, name)}                                                          \
         .function)

static int device_of(unsigned node) {
    return starpu_node_get_kind(node) == STARPU_CUDA_RAM ? starpu_memory_node_get_devid(node) : -1;
}

/* Data with another interface than ours have no size and no address here. A copy without memory for
 * its request is not known at all. */
static void keep_request(unsigned from, unsigned to) {
    request *r = calloc(1, sizeof *r);
    if (r == NULL) {
        return;
    }
    if (process.asked != NULL) {
        r->record.bytes = starpu_interface_block_ops.get_size(process.asked);
        r->record.source = starpu_data_handle_to_pointer(process.asked, from);
        r->record.target = starpu_data_handle_to_pointer(process.asked, to);
    }
    request **last = &process.first[device_of(from) + 1][device_of(to) + 1];
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = r;
}

__attribute__((visibility("default"))) void
starpu_interface_start_driver_copy_async(unsigned source, unsigned target, double *start) {
    typedef void (*function)(unsigned, unsigned, double *);
    keep_request(source, target);
    process.asked = NULL;
    NEXT("starpu_interface_start_driver_copy_async", function)(source, target, start);
}

/* @return the number of a GPU; -1: the host is main memory */
static int device_at(const_sg_host_t host) {
    int device = -1;
    return sscanf(sg_host_get_name(host), "CUDA%d", &device) == 1 ? device : -1;
}

/* The oldest request that the copy may be of, and none before it. What StarPU copies to make room
 * has no request, and so no data here. */
static psg_copy_record take_request(int from, int to, size_t bytes) {
    request **queue = &process.first[from + 1][to + 1];
    request *found = *queue;
    psg_copy_record record = {.bytes = bytes};
    while (found != NULL && found->record.bytes != bytes && found->record.bytes != 0) {
        found = found->next;
    }
    for (request *r = *queue; found != NULL; r = *queue) {
        record = r->record;
        *queue = r->next;
        found = r == found ? NULL : found;
        free(r);
    }
    record.way = from < 0 ? PSG_COPY_H2D : to < 0 ? PSG_COPY_D2H : PSG_COPY_D2D;
    record.from = from;
    record.to = to;
    record.bytes = bytes;
    return record;
}

__attribute__((visibility("default"))) void sg_host_sendto(sg_host_t from, sg_host_t to,
                                                           double bytes) {
    typedef void (*function)(sg_host_t, sg_host_t, double);
    psg_copy_record record = take_request(device_at(from), device_at(to), (size_t)bytes);
    record.start = starpu_timing_now();
    NEXT("sg_host_sendto", function)(from, to, bytes);
    record.end = starpu_timing_now();
    psg_copies_add(&record);
}

/* False where the program loaded SimGrid before this library: the copies then call SimGrid's own
 * sg_host_sendto(). */
bool psg_simulated_times_copies(void) {
    static const char name[] = "sg_host_sendto";
    void *ours = NULL;
    Dl_info mine;
    Dl_info there;
    return dladdr(&process, &mine) != 0 && (ours = dlsym(RTLD_DEFAULT, name)) != NULL &&
           dladdr(ours, &there) != 0 && mine.dli_fbase == there.dli_fbase;
}
