/** @file residuals.h  The residuals of a solve with epsilon, which another thread may look at while
 *  the solve goes on. */
#ifndef PSG_GRAPH_RESIDUALS_H
#define PSG_GRAPH_RESIDUALS_H

#include "graph/psg.h"

#include <stddef.h>

typedef struct psg_residuals psg_residuals;

/** @return PSG_OK; PSG_ERR_MEMORY, and NULL */
psg_status psg_residuals_create(psg_residuals **residuals);
/** NULL is fine. */
void psg_residuals_destroy(psg_residuals *residuals);

/** After `iterations`, 0 of a solve that begins, the residual is this one. Those after more
 *  iterations are no longer known. Where there is no memory, no more are kept. */
void psg_residuals_put(psg_residuals *residuals, size_t iterations, double residual);

#endif
