/* Without CUDA nobody times copies: StarPU on SimGrid makes none, and tells nobody when it would
 * have. Nor has a GPU a clock of its own for the tasks of a chain. */
#include "codelets/device.h"

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
