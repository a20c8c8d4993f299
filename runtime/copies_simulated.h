/** @file copies_simulated.h  Copies of a simulation, for its table of devices. */
#ifndef PSG_RUNTIME_COPIES_SIMULATED_H
#define PSG_RUNTIME_COPIES_SIMULATED_H

#include <stdbool.h>

/** As the members of psg_device_table. */
struct starpu_data_interface_ops *psg_simulated_blocks(void);
bool psg_simulated_times_copies(void);

#endif
