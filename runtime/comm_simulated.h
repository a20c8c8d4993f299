/** @file comm_simulated.h  What a simulation's comm and messenger share. */
#ifndef PSG_RUNTIME_COMM_SIMULATED_H
#define PSG_RUNTIME_COMM_SIMULATED_H

#include "runtime/comm.h"

struct psg_request {
    bool received;  /**< it comes, else it goes */
    double seconds; /**< that it has the network for itself, this way */
};

#endif
