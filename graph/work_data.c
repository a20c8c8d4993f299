/* Data of StarPU's. */
#include "graph/process.h"
#include "graph/work.h"
#include "runtime/device.h"

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

/* Nobody looks at these values again: whoever does has acquired them before. */
void psg_block_unregister(starpu_data_handle_t *handles, size_t count) {
    psg_runtime_awake();
    for (size_t m = 0; handles != NULL && m < count; m++) {
        if (handles[m] != NULL) {
            starpu_data_unregister_no_coherency(handles[m]);
        }
    }
    psg_runtime_rest();
}
