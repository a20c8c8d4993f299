/** @file pending.h  The solves that nobody has waited for. */
#ifndef PSG_GRAPH_PENDING_H
#define PSG_GRAPH_PENDING_H

#include "graph/arrays.h"
#include "graph/pcg.h"
#include "graph/sides.h"

/** A solve in flight, oldest first in the plan's list. */
typedef struct psg_flight {
    struct psg_flight *next;
    psg_run *run;
    psg_lane *lane;
    psg_arrays *arrays;    /**< the plan's slabs, or from its cache */
    psg_terms terms;       /**< for its tasks */
    psg_mean mean;         /**< what to do with the mean of f */
    psg_sides_room *sides; /**< memory of terms.sides; NULL: none */
    double side_largest;   /**< the largest absolute value that the sides add to f here */
    bool chained;          /**< its tasks are one of StarPU's */
    size_t steps_most;     /**< with epsilon; 0: without */
    psg_pcg_result pcg;
    bool program; /**< StarPU's linear program is about it */
} psg_flight;

/** The solves in flight. */
typedef struct psg_flights {
    psg_flight *oldest;
    psg_flight *newest;
    psg_flight *idle; /**< ended, and kept with their runs for other solves */
    psg_sides_room *idle_rooms;
    uint64_t launched;
} psg_flights;

/** The lane with the fewest solves in it; or a new one, where that one is in use and there is memory for another. Without memory
 *  solves share lanes, and follow one another. */
psg_lane *psg_flights_choose_lane(psg_plan *plan);
/** A flight of which all but the run is 0: the idle one whose run has gathered its tasks for these arrays, so that a program that
 *  goes round in some arrays gathers once for each. If there is none, a new one, until there are as many as the plan keeps arrays;
 *  then the one that is idle for longest.
 *  @param[in] arrays  NULL: the solve fails, and any run is good enough @return NULL: no memory */
psg_flight *psg_flights_take(psg_plan *plan, const psg_arrays *arrays);
/** It has ended. To free it here would take a microsecond, as the worker frees the task at the same time. */
void psg_flights_give_back(psg_flights *flights, psg_flight *flight);
/** One that did not start. NULL is fine. */
void psg_flight_destroy(psg_flight *flight);
/** What is kept of flights that have ended. */
void psg_flights_free(psg_flights *flights);

#endif
