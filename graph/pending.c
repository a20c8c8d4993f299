/* What a solve in flight gets of the plan: a lane, and a run with room for its terms. */
#include "graph/pending.h"
#include "base/tuning.h"
#include "graph/placement.h"
#include "graph/plan_struct.h"
#include "graph/ranks.h"
#include "graph/status.h"
#include "graph/workspace.h"
#include "runtime/chain.h"
#include "runtime/runs.h"
#include "runtime/teamwork.h"

#include <stdlib.h>
#include <string.h>

size_t psg_plan_in_flight(const psg_plan *plan) {
    size_t count = 0;
    for (const psg_flight *f = plan != NULL ? plan->flights.oldest : NULL; f != NULL; f = f->next) {
        count++;
    }
    return count;
}

/* The lane with the fewest solves in it. */
static psg_lane *idlest_lane(const psg_plan *plan) {
    psg_lane *lane = plan->storage.lanes[0];
    for (size_t m = 1; m < plan->storage.lane_count; m++) {
        lane = plan->storage.lanes[m]->users < lane->users ? plan->storage.lanes[m] : lane;
    }
    return lane;
}

/* Processes that share blocks make a lane at once, or none. */
static bool another_fits(const psg_plan *plan) {
    const bool fits = !plan->home.on_gpus || psg_placement_fits(plan, true);
    const psg_status status =
        fits ? PSG_OK : psg_fail(PSG_ERR_MEMORY, "no room for another spectrum");
    return psg_ranks_agree(psg_lends(plan) ? plan->processes.comm : NULL, status) == PSG_OK;
}

psg_lane *psg_flights_choose_lane(psg_plan *plan) {
    psg_lane *lane = idlest_lane(plan);
    psg_lane *another = NULL;
    if (lane->users > 0 && plan->storage.lane_count < plan->problem.options.in_flight &&
        another_fits(plan)) {
        if (psg_ranks_agree(plan->processes.comm, psg_lane_create(&another, plan)) == PSG_OK) {
            plan->storage.lanes[plan->storage.lane_count++] = another;
            lane = another;
        } else {
            psg_lane_destroy(another, plan);
        }
    }
    psg_clear_error();
    return lane;
}

/* Has the run gathered its tasks for that lane and these arrays already? */
static bool repeats(const psg_run *run, const size_t key[2]) {
    return (run->chain != NULL && psg_chain_repeats(run, key)) ||
           (run->work != NULL && psg_teamwork_repeats(run, key));
}

/* @return NULL: no memory */
static psg_flight *create(const psg_engine *engine) {
    psg_flight *flight = calloc(1, sizeof *flight);
    psg_run *run = flight != NULL ? psg_run_create(engine) : NULL;
    if (run == NULL) {
        free(flight);
        return NULL;
    }
    flight->run = run;
    return flight;
}

psg_flight *psg_flights_take(psg_plan *plan, const psg_arrays *arrays) {
    const psg_engine *engine = &plan->context.engine;
    const bool gathers = arrays != NULL && (engine->chain_steps > 0 || engine->team != NULL);
    const size_t key[2] = {idlest_lane(plan)->number, arrays != NULL ? arrays->number : 0};
    psg_flight **chosen = NULL;
    psg_flight **last = NULL;
    size_t idle = 0;
    for (psg_flight **at = &plan->flights.idle; *at != NULL; at = &(*at)->next) {
        chosen = chosen == NULL && repeats((*at)->run, key) ? at : chosen;
        last = at;
        idle++;
    }
    if (chosen == NULL && idle >= (gathers ? TUNING_ARRAYS_KEPT : 1)) {
        chosen = last;
    }
    if (chosen == NULL) {
        return create(engine);
    }
    psg_flight *flight = *chosen;
    psg_run *run = flight->run;
    *chosen = flight->next;
    memset(flight, 0, sizeof *flight);
    flight->run = run;
    return flight;
}

void psg_flights_give_back(psg_flights *flights, psg_flight *flight) {
    flight->next = flights->idle;
    flights->idle = flight;
}

void psg_flight_destroy(psg_flight *flight) {
    if (flight != NULL) {
        psg_run_destroy(flight->run);
        free(flight);
    }
}

void psg_flights_free(psg_flights *flights) {
    while (flights->idle != NULL) {
        psg_flight *next = flights->idle->next;
        psg_flight_destroy(flights->idle);
        flights->idle = next;
    }
}
