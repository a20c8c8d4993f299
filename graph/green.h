/** @file green.h  Green's functions of a grid with a free side along x or y: each is made for one
 * lambda and one box, and kept for later solves. */
#ifndef PSG_GRAPH_GREEN_H
#define PSG_GRAPH_GREEN_H

#include "codelets/context.h"
#include "graph/psg.h"

typedef struct psg_green {
    struct psg_green *next;
    size_t users;  /**< solves in flight */
    double lambda; /**< in the tasks' unit of length */
    double box[3];
    psg_cpu_table table;
    void *values;                     /**< those of the table */
    void *on_gpu[STARPU_NMAXWORKERS]; /**< those of the table */
} psg_green;

/** Is x or y free? */
static inline bool psg_green_needed(const psg_context *context) {
    return context->kind[0] >= PSG_TRANSFORM_FREE || context->kind[1] >= PSG_TRANSFORM_FREE;
}

/** Bytes of a table in a process, at the most. */
size_t psg_green_bytes(const psg_plan *plan);

/** That of this lambda and the plan's present box, made if none is kept. It is no longer changed
 *  until it is given back.
 *  @param[in,out] kept  the plan's list @param[out] taken  NULL: neither x nor y is free
 *  @return PSG_OK; PSG_ERR_MEMORY */
psg_status psg_green_take(psg_green **kept, const psg_plan *plan, double lambda, psg_green **taken);
/** NULL is fine. */
void psg_green_give_back(psg_green *green);
void psg_green_free(psg_green **kept);

#endif
