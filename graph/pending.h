/** @file pending.h  The solves that nobody has waited for. */
#ifndef PSG_GRAPH_PENDING_H
#define PSG_GRAPH_PENDING_H

#include "graph/arrays.h"
#include "graph/green.h"
#include "graph/pcg.h"
#include "graph/sides.h"

/** A solve in flight, oldest first in the plan's list. */
typedef struct psg_pending {
    struct psg_pending *next;
    psg_run *run;
    psg_workspace *workspace;
    psg_arrays *arrays;    /**< the plan's slabs, or from its cache */
    psg_terms terms;       /**< for its tasks */
    psg_mean mean;         /**< what to do with the mean of f */
    double *means;         /**< where the means of f go; NULL: nowhere but to the plan */
    psg_sides_room *sides; /**< memory of terms.sides; NULL: none */
    psg_green *green;      /**< of which terms.table is; NULL: there is none */
    double side_largest;   /**< the largest absolute value that the sides add to f here */
    bool chained;          /**< its tasks are one of StarPU's */
    size_t steps_most;     /**< with epsilon; 0: without */
    psg_pcg_result pcg;
    bool program; /**< StarPU's linear program is about it */
} psg_pending;

/** The solves in flight. */
typedef struct psg_pending_list {
    psg_pending *oldest;
    psg_pending *newest;
    psg_pending *idle; /**< ended, and kept with their runs for other solves */
    psg_sides_room *idle_rooms;
    psg_green *kept;
    uint64_t launched;
} psg_pending_list;

/** The workspace with the fewest solves in it; or a new one, where that one is in use and there is
 *  memory for another. Without memory solves share workspaces, and follow one another. */
psg_workspace *psg_pending_choose_workspace(psg_plan *plan);
/** A pending solve of which all but the run is 0: the idle one whose run has gathered its tasks for
 *  these arrays, so that a program that goes round in some arrays gathers once for each. If there
 *  is none, a new one, until there are as many as the plan keeps arrays; then the one that is idle
 *  for longest.
 *  @param[in] arrays  NULL: the solve fails, and any run is good enough @return NULL: no memory */
psg_pending *psg_pending_take(psg_plan *plan, const psg_arrays *arrays);
/** It has ended. To free it here would take a microsecond, as the worker frees the task at the same
 * time. */
void psg_pending_give_back(psg_pending_list *list, psg_pending *pending);
/** One that did not start. NULL is fine. */
void psg_pending_destroy(psg_pending *pending);
/** What is kept of list that have ended. */
void psg_pending_free(psg_pending_list *list);

#endif
