/** @file starpu_inside.h  What psg knows of StarPU 1.4 that StarPU does not document. A new version
 *  of StarPU is held against this page first. Each item names the test that fails where it does not
 *  hold any more.
 *
 *  Three more pieces stand elsewhere: the places of StarPU's files (runtime/starpu_home.c, test
 *  api_home), the variables that StarPU cannot read (runtime/starpu_environment.c, test
 *  api_environment), and the functions of StarPU and SimGrid that a simulation replaces to time
 *  copies (runtime/copies_simulated.c, test simulate_copies). */
#ifndef PSG_RUNTIME_STARPU_INSIDE_H
#define PSG_RUNTIME_STARPU_INSIDE_H

#include <starpu.h>
#include <stdbool.h>

/** _STARPU_PERFMODEL_VERSION: the folder of StarPU's models has this name. Test: api_home. */
enum { PSG_STARPU_MODEL_VERSION = 45 };

/** Does a scheduling policy choose workers by performance models? StarPU tells no more of a policy
 *  than its name. Test: api_bounds.
 *  @param[in] policy  NULL: no */
bool psg_starpu_uses_models(const char *policy);

/** StarPU's block interface, changed by the first caller. It keeps StarPU's number of the
 *  interface, by which alone StarPU tells interfaces apart. So the data are blocks for filters, for
 *  starpu_data_cpy() and for StarPU-MPI. Tests: gpu_copies_emulated, api_host_starpu.
 *  @param[in] change  replaces functions of the interface, and its functions to copy */
struct starpu_data_interface_ops *
psg_starpu_blocks(void (*change)(struct starpu_data_interface_ops *interface,
                                 struct starpu_data_copy_methods *methods));

/** Only where PSG_SIMULATE is 1. The main function of a StarPU for simulation. It starts SimGrid,
 *  calls starpu_main() of the program within the simulation, and ends where all of that waits.
 *  Tests: simulate_times, simulate_psg.
 *  @return NULL: this StarPU has none */
int (*psg_starpu_main(void))(int argc, char **argv);

#endif
