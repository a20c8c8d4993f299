/** @file request_simulated.h  A request of the simulated messenger. */
#ifndef PSG_RUNTIME_REQUEST_SIMULATED_H
#define PSG_RUNTIME_REQUEST_SIMULATED_H

#include "runtime/request.h"

struct psg_request {
    bool received;  /**< it comes, else it goes */
    double seconds; /**< that it has the network for itself, this way */
};

#endif
