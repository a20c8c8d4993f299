/* The clock of the library: that of the machine, or of the machine that is simulated. */
#include "base/clock.h"
#include "graph/psg_machine.h"
#include "runtime/simulation.h"

#include <starpu.h>

double psg_clock(void) {
    if (psg_simulated()) {
        return starpu_is_initialized() ? starpu_timing_now() * 1e-6 : 0;
    }
    return base_now();
}
