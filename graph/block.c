/* Data of StarPU's. */
#include "graph/block.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "graph/start.h"
#include "runtime/device.h"
#include "runtime/simulation.h"

#include <stdlib.h>

int psg_placement_node(int worker) {
    return worker >= 0 ? (int)starpu_worker_get_memory_node((unsigned)worker) : STARPU_MAIN_RAM;
}

void psg_block_register(starpu_data_handle_t *handle, int node, void *memory, const size_t n[3],
                        size_t pitch, size_t element_bytes) {
    psg_block_register_rows(handle, node, memory, n, n[0], pitch, element_bytes);
}

void psg_block_register_rows(starpu_data_handle_t *handle, int node, void *memory,
                             const size_t n[3], size_t row_pitch, size_t pitch,
                             size_t element_bytes) {
    struct starpu_block_interface block = {.id = STARPU_BLOCK_INTERFACE_ID,
                                           .ptr = (uintptr_t)memory,
                                           .dev_handle = (uintptr_t)memory,
                                           .nx = (uint32_t)n[0],
                                           .ny = (uint32_t)n[1],
                                           .nz = (uint32_t)n[2],
                                           .ldy = (uint32_t)row_pitch,
                                           .ldz = (uint32_t)pitch,
                                           .elemsize = element_bytes};
    starpu_data_register(handle, memory != NULL ? node : -1, &block, psg_device_blocks());
}

bool psg_block_make(starpu_data_handle_t *handle, const psg_workers *workers, const size_t n[3],
                    size_t element_bytes) {
    const bool own = !workers->copies && psg_platform->computes;
    void *memory = own ? base_allocate(n[0] * n[1] * n[2] * element_bytes) : NULL;
    if (own && memory == NULL) {
        return false;
    }
    psg_block_register(handle, STARPU_MAIN_RAM, memory, n, n[0] * n[1], element_bytes);
    starpu_data_set_user_data(*handle, memory);
    return true;
}

static void settled(void *handle) {
    starpu_data_release_on_node(handle, STARPU_ACQUIRE_NO_NODE);
}

void psg_data_settle(const starpu_data_handle_t *handles, size_t count) {
    for (size_t m = 0; m < count && psg_platform->computes; m++) {
        (void)starpu_data_acquire_on_node_cb(handles[m], STARPU_ACQUIRE_NO_NODE, STARPU_RW, settled,
                                             handles[m]);
    }
}

void psg_block_touch(starpu_data_handle_t block, int node, enum starpu_data_access_mode mode) {
    if (starpu_data_acquire_on_node(block, node, mode) == 0) {
        starpu_data_release_on_node(block, node);
    }
}

/* Nobody looks at these values again: whoever does has acquired them before. */
void psg_block_unregister(starpu_data_handle_t *handles, size_t count) {
    psg_runtime_awake();
    for (size_t m = 0; handles != NULL && m < count; m++) {
        if (handles[m] != NULL) {
            void *own = starpu_data_get_user_data(handles[m]);
            starpu_data_unregister_no_coherency(handles[m]);
            free(own);
        }
    }
    psg_runtime_rest();
}

void psg_block_leave(starpu_data_handle_t *handles, size_t count) {
    for (size_t m = 0; handles != NULL && m < count; m++) {
        if (handles[m] != NULL && starpu_data_get_user_data(handles[m]) != NULL) {
            starpu_data_set_user_data(handles[m], NULL);
        } else {
            handles[m] = NULL;
        }
    }
}
