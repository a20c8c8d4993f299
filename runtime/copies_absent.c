/* Without CUDA there are no copies. */
#include "runtime/device.h"

#include <starpu.h>

struct starpu_data_interface_ops *psg_device_blocks(void) {
    return &starpu_interface_block_ops;
}

bool psg_device_times_copies(void) {
    return false;
}

void psg_device_read_copies(void) {
}

void psg_device_set_clocks(void) {
}
