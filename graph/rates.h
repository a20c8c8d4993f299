/** @file rates.h  Bytes per second through memory. */
#ifndef PSG_GRAPH_RATES_H
#define PSG_GRAPH_RATES_H

#include "graph/psg_observe.h"

/** Bytes per second through memory, of all workers together, and the bytes of all
 *  caches there. Measured when first asked for.
 *  @return PSG_OK; PSG_ERR_MEMORY, _RUNTIME */
psg_status psg_memory_rate(const psg_work *work, double *rate, double *cache_bytes);

#endif
