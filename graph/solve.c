/* Solves: submitted, in flight, waited for. */
#include "graph/internal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef void (*graph_function)(psg_run *run, const psg_lane *lane, const psg_arrays *arrays);

static const graph_function graphs[PSG_GRAPH_COUNT] = {
    [PSG_GRAPH_FUSED] = psg_graph_fused,
    [PSG_GRAPH_STAGED] = psg_graph_staged,
};

/* The lane with the fewest solves in it, or a new one rather than one that is in use. */
static psg_status choose_lane(psg_plan *plan, psg_lane **lane) {
    *lane = plan->lanes[0];
    for (size_t m = 1; m < plan->lane_count; m++) {
        *lane = plan->lanes[m]->users < (*lane)->users ? plan->lanes[m] : *lane;
    }
    if ((*lane)->users > 0 && plan->lane_count < plan->options.in_flight) {
        const psg_status status = psg_lane_create(lane, plan);
        if (status != PSG_OK) {
            return status;
        }
        plan->lanes[plan->lane_count++] = *lane;
    }
    return PSG_OK;
}

/* Start a solve between these arrays, which stay the caller's if this fails. */
static psg_status launch(psg_plan *plan, psg_arrays *arrays, bool slabs) {
    psg_lane *lane = NULL;
    const psg_status status = choose_lane(plan, &lane);
    if (status != PSG_OK) {
        return status;
    }
    psg_flight *flight = calloc(1, sizeof *flight);
    psg_run *run = psg_run_create(&plan->context, plan->workers);
    if (flight == NULL || run == NULL) {
        free(flight);
        psg_run_destroy(run);
        return psg_fail(PSG_ERR_MEMORY, "no memory to start a solve");
    }
    psg_runtime_awake();
    *flight = (psg_flight){.run = run, .lane = lane, .arrays = slabs ? NULL : arrays};
    lane->users++;
    if (plan->newest != NULL) {
        plan->newest->next = flight;
    } else {
        plan->oldest = flight;
    }
    plan->newest = flight;
    graphs[plan->options.graph](run, lane, arrays);
    psg_run_end_task(run); /* the submission itself */
    starpu_do_schedule();  /* for policies that wait to see the whole graph */
    return PSG_OK;
}

static psg_status check_arrays(const psg_plan *plan, const void *f, const void *u) {
    if (plan == NULL || f == NULL || u == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan, f or u is NULL");
    }
    const size_t align = plan->context.cpu->real_bytes;
    const size_t *n = plan->context.n;
    const uintptr_t from = (uintptr_t)f;
    const uintptr_t to = (uintptr_t)u;
    const size_t bytes = n[0] * n[1] * n[2] * align;
    if (from % align != 0 || to % align != 0) {
        return psg_fail(PSG_ERR_ARG, "f or u is not aligned for a number of %zu bytes", align);
    }
    if (from < to + bytes && to < from + bytes) {
        return psg_fail(PSG_ERR_ARG, "f and u overlap");
    }
    return PSG_OK;
}

psg_status psg_submit(psg_plan *plan, const void *f, void *u) {
    psg_clear_error();
    psg_status status = check_arrays(plan, f, u);
    if (status != PSG_OK) {
        return status;
    }
    psg_context *c = &plan->context;
    if (!c->cpu->fft_prepare(c->fft, f) || !c->cpu->fft_prepare(c->fft, u)) {
        return psg_fail(PSG_ERR_RUNTIME, "FFTW found no plan for arrays at these addresses");
    }
    psg_arrays *arrays = NULL;
    status = psg_arrays_take(plan, f, u, &arrays);
    if (status != PSG_OK) {
        return status;
    }
    status = launch(plan, arrays, false);
    if (status != PSG_OK) {
        arrays->busy = false;
    }
    return status;
}

psg_status psg_submit_slabs(psg_plan *plan) {
    psg_clear_error();
    if (plan == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan is NULL");
    }
    if (plan->slabs == NULL) {
        return psg_fail(PSG_ERR_STATE,
                        "the plan has no slabs yet: psg_plan_slab_handles() makes them");
    }
    return launch(plan, plan->slabs, true);
}

static void keep_statistics(psg_plan *plan, const psg_run *run) {
    const size_t *n = plan->context.n;
    plan->solves++;
    plan->seconds = (run->ended - run->started) * 1e-6;
    plan->mean =
        plan->options.lambda > 0 ? 0 : run->sum / ((double)n[0] * (double)n[1] * (double)n[2]);
    memcpy(plan->cell, run->cell, plan->workers * PSG_TASK_COUNT * sizeof *plan->cell);
}

psg_status psg_wait(psg_plan *plan) {
    psg_clear_error();
    if (plan == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan is NULL");
    }
    psg_flight *flight = plan->oldest;
    if (flight == NULL) {
        return psg_fail(PSG_ERR_STATE, "no solve is in flight");
    }
    psg_run_wait(flight->run);
    if (flight->arrays != NULL) {
        psg_arrays_give_back(plan, flight->arrays);
    }
    psg_runtime_rest();
    flight->lane->users--;
    plan->oldest = flight->next;
    plan->newest = plan->oldest != NULL ? plan->newest : NULL;
    keep_statistics(plan, flight->run);
    const psg_status status = psg_fail_run(flight->run);
    psg_run_destroy(flight->run);
    free(flight);
    return status;
}

psg_status psg_solve(psg_plan *plan, const void *f, void *u) {
    psg_clear_error();
    if (plan != NULL && plan->oldest != NULL) {
        return psg_fail(PSG_ERR_STATE, "a solve is in flight: psg_wait() for it first");
    }
    const psg_status status = psg_submit(plan, f, u);
    return status == PSG_OK ? psg_wait(plan) : status;
}
