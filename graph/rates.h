/** @file rates.h  Bytes per second through memory. */
#ifndef PSG_GRAPH_RATES_H
#define PSG_GRAPH_RATES_H

#include "graph/psg_observe.h"

/** Bytes per second through memory, of all workers together, and the bytes of all
 *  caches there. Measured when first asked for. Of cores the folder for what a machine has learnt
 * has a file for each number of them: the best of the first MEASUREMENTS processes, after which no
 * process measures any more.
 *  @return PSG_OK; PSG_ERR_MEMORY, _RUNTIME */
psg_status psg_memory_rate(const psg_work *work, double *rate, double *cache_bytes);

/** How the names of these files begin, to be freed by free(). @return NULL: there are none */
char *psg_memory_files(const psg_options *options);

#endif
