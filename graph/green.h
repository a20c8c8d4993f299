/** @file green.h  Green's functions of a grid with a free side along x or y: each is made for one
 * lambda and one box, and kept for later solves. Or the kernel of the caller's, for lambda = 0. */
#ifndef PSG_GRAPH_GREEN_H
#define PSG_GRAPH_GREEN_H

#include "codelets/context.h"
#include "graph/psg_kernel.h"

typedef struct psg_green {
    struct psg_green *next;
    size_t users;  /**< solves in flight */
    double lambda; /**< in the tasks' unit of length */
    double box[3];
    double first; /**< the mode (0,0,0) of the caller's kernel */
    psg_cpu_table table;
    void *values;                     /**< those of the table */
    void *on_gpu[STARPU_NMAXWORKERS]; /**< those of the table */
} psg_green;

/** Values of the caller's kernel along each axis. */
void psg_green_extents(const psg_plan *plan, psg_kernel_form form, size_t n[3]);
/** Keep the caller's kernel, in place of the one before. No solve is in flight.
 *  @param[in] values  as psg_plan_kernel() has them
 *  @return PSG_OK; PSG_ERR_MEMORY, _ARG (out of the range of the precision): no kernel is kept */
psg_status psg_green_give(psg_green **kept, const psg_plan *plan, psg_kernel_form form,
                          const double *values);

/** Bytes of a table in a process, at the most. */
size_t psg_green_bytes(const psg_plan *plan);
/** Has main memory room for them? @return PSG_OK; PSG_ERR_MEMORY */
psg_status psg_green_check_room(const psg_plan *plan);

/** That of this lambda and the plan's present box, made if none is kept. It is no longer changed
 *  until it is given back.
 *  @param[in,out] kept  the plan's list @param[out] taken  NULL: psg_context.tabled is false
 *  @return PSG_OK; PSG_ERR_MEMORY; PSG_ERR_STATE: the caller has given no kernel */
psg_status psg_green_take(psg_green **kept, const psg_plan *plan, double lambda, psg_green **taken);
/** NULL is fine. */
void psg_green_give_back(psg_green *green);
void psg_green_free(psg_green **kept);

#endif
