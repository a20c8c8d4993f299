/** @file planning.h  What a solve on several nodes takes, by the simulator. */
#ifndef PSG_APP_PLANNING_H
#define PSG_APP_PLANNING_H

#include "graph/psg_observe.h"

#include <jansson.h>
#include <stdbool.h>

typedef struct app_planning {
    bool wanted;
    unsigned nodes;
    double seconds;      /**< of a solve with f and u where they are computed */
    double one_node;     /**< the same on one node; 0: it does not fit there */
    psg_bounds bounds;   /**< of that solve */
    size_t planes, rows; /**< of f and u, and of the spectrum, that a node has */
    psg_exchange exchange;
    double rate, latency; /**< bytes per second that a node sends; seconds of a message */
    double sent;          /**< bytes of each node in a solve */
} app_planning;

/** Simulate solves of a plan with `record`, and one more of a plan of one node.
 *  @param[in] options  of the plan; its nodes are `nodes` */
psg_status app_planning_find(app_planning *planning, psg_plan *plan, const psg_grid *grid,
                             const psg_options *options);
/** The fewest processes with which pencils, of whose exchanges there are four with about sqrt(P)
 *  processes each, take less than slabs, two with P - 1.
 *  @param[in] spectrum  bytes of all of it @param[in] rate  bytes per second of a process
 *  @param[in] latency   seconds of a message
 *  @return 0: pencils never do */
double app_planning_pencils(double spectrum, double rate, double latency);
/** Lines on stdout, and members of an object. @param[in] spectrum  bytes of all of it */
void app_planning_print(const app_planning *planning, double spectrum);
json_t *app_planning_json(const app_planning *planning, double spectrum);

#endif
