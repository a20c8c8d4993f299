/* The clock of the library: that of the machine, or of the machine that is simulated. */
#include "graph/psg_machine.h"
#include "runtime/simulation.h"

double psg_clock(void) {
    return psg_platform->now();
}
