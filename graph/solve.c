/* Solves: submitted, in flight, waited for. */
#include "graph/internal.h"
#include "runtime/chain.h"
#include "runtime/decimal.h"
#include "runtime/runs.h"
#include "runtime/simulation.h"
#include "runtime/team.h"
#include "runtime/teamwork.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef void (*graph_function)(psg_run *run, const psg_plan *plan, const psg_lane *lane,
                               const psg_arrays *arrays);

static const graph_function graphs[PSG_GRAPH_COUNT] = {
    [PSG_GRAPH_FUSED] = psg_graph_fused,
    [PSG_GRAPH_STAGED] = psg_graph_staged,
};

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
    const bool fits = !plan->placement.resident || psg_placement_fits(plan, true);
    const psg_status status =
        fits ? PSG_OK : psg_fail(PSG_ERR_MEMORY, "no room for another spectrum");
    return psg_ranks_agree(psg_shares(plan) ? plan->processes.comm : NULL, status) == PSG_OK;
}

/* That one, or a new one rather than one that is in use; without memory for that, solves share lanes
 * and follow one another. */
static psg_lane *choose_lane(psg_plan *plan) {
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

/* One that an earlier solve has done with, or a new one. Best one that was in the same lane: what its
 * chain has gathered is of that lane, and a graph of CUDA's is of a lane and a run. */
static psg_run *take_run(psg_plan *plan) {
    const size_t lane = idlest_lane(plan)->number;
    psg_run **chosen = &plan->flights.idle_runs;
    for (psg_run **at = chosen; *at != NULL; at = &(*at)->next) {
        if ((*at)->slot == lane) {
            chosen = at;
            break;
        }
    }
    psg_run *run = *chosen;
    if (run != NULL) {
        *chosen = run->next;
    } else {
        run = psg_run_create(&plan->context.engine);
    }
    return run;
}

/* The steps of a solve on cores, by all of them; between slabs once these are there. */
static void submit_team(psg_run *run, const psg_plan *plan, const psg_lane *lane,
                        const psg_arrays *arrays, bool waits) {
    const size_t key[2] = {lane->number, arrays->number};
    if (!psg_teamwork_repeats(run, key)) {
        psg_teamwork_begin(run, key);
        graphs[plan->problem.options.graph](run, plan, lane, arrays);
    }
    if (psg_run_failed(run)) {
        psg_teamwork_drop(run);
    } else if (arrays == plan->storage.slabs) {
        psg_team_enter_after(run, arrays->f_slabs, arrays->u_slabs, plan->context.layout.segments);
    } else {
        psg_team_enter(run, waits);
    }
}

/* One task after the other, or all as one: if its data are on the worker that has them all, and
 * stay there. The first solve makes room for u. */
static void submit_graph(psg_run *run, const psg_plan *plan, const psg_lane *lane,
                         const psg_arrays *arrays) {
    if (plan->context.engine.chain_steps == 0 || arrays != plan->storage.slabs ||
        !psg_arrays_there(plan, arrays)) {
        graphs[plan->problem.options.graph](run, plan, lane, arrays);
        return;
    }
    if (!psg_chain_repeats(run, lane->number)) {
        psg_chain_begin(run, lane->number);
        graphs[plan->problem.options.graph](run, plan, lane, arrays);
    }
    psg_chain_submit(run);
}

/* Start a solve between these arrays, unless something went wrong before or does now, here or on
 * another process. Then they stay the caller's.
 *  @param[in] waits  the calling thread does nothing else until the solve has ended */
static psg_status launch(psg_plan *plan, psg_arrays *arrays, psg_status before, bool waits) {
    psg_flight *flight = calloc(1, sizeof *flight);
    psg_run *run = take_run(plan);
    psg_status status = before;
    if (status == PSG_OK && (flight == NULL || run == NULL)) {
        status = psg_fail(PSG_ERR_MEMORY, "no memory to start a solve");
    }
    status = psg_ranks_agree(plan->processes.comm, status);
    if (status != PSG_OK) {
        free(flight);
        psg_run_destroy(run);
        return status;
    }
    psg_copies_begin(plan);
    psg_lane *lane = choose_lane(plan);
    *flight = (psg_flight){.run = run, .lane = lane, .arrays = arrays};
    lane->users++;
    run->slot = lane->number;
    run->user = &lane->relay;
    if (plan->flights.newest != NULL) {
        plan->flights.newest->next = flight;
    } else {
        plan->flights.oldest = flight;
    }
    plan->flights.newest = flight;
    psg_run_start(run, plan->flights.launched++);
    run->awake = !plan->workers.teams;
    if (run->awake) {
        psg_runtime_awake();
    }
    const bool program = run->awake && psg_program_begin(plan);
    const psg_decimal decimal = psg_decimal_begin(); /* StarPU reads a model with its first task */
    if (plan->workers.teams) {
        submit_team(run, plan, lane, arrays, waits);
    } else {
        submit_graph(run, plan, lane, arrays);
    }
    psg_decimal_end(decimal);
    if (program) {
        psg_program_submitted();
        for (psg_flight *other = plan->flights.oldest; other != NULL; other = other->next) {
            other->program = other == flight; /* StarPU has forgotten the others' */
        }
    }
    psg_run_end_task(run); /* the submission itself */
    if (!plan->workers.teams) {
        starpu_do_schedule(); /* for policies that wait to see the whole graph */
    }
    return PSG_OK;
}

static bool overlap(const void *a, const void *b, size_t bytes) {
    const uintptr_t first = (uintptr_t)a;
    const uintptr_t other = (uintptr_t)b;
    return first < other + bytes && other < first + bytes;
}

/* Only f may be that of several solves: nobody writes it. */
static psg_status check_flights(const psg_plan *plan, const void *f, const void *u, size_t bytes) {
    for (const psg_flight *flight = plan->flights.oldest; flight != NULL; flight = flight->next) {
        const psg_arrays *others = flight->arrays;
        if (others == plan->storage.slabs) {
            continue;
        }
        const bool u_taken = overlap(u, others->u, bytes) || overlap(u, others->f, bytes);
        if (u_taken || overlap(f, others->u, bytes)) {
            return psg_fail(PSG_ERR_ARG,
                            "%s overlaps an array of a solve in flight: psg_wait() for it first",
                            u_taken ? "u" : "f");
        }
    }
    return PSG_OK;
}

static psg_status check_arrays(const psg_plan *plan, const void *f, const void *u) {
    const size_t align = plan->context.cpu->real_bytes;
    const size_t *n = plan->context.layout.n;
    size_t planes = 0;
    (void)psg_local_extent(n[2], plan->processes.ranks, plan->processes.rank, NULL, &planes);
    if (planes == 0) {
        return PSG_OK;
    }
    if (f == NULL || u == NULL) {
        return psg_fail(PSG_ERR_ARG, "f or u is NULL");
    }
    const size_t bytes = n[0] * n[1] * planes * align;
    if ((uintptr_t)f % align != 0 || (uintptr_t)u % align != 0) {
        return psg_fail(PSG_ERR_ARG, "f or u is not aligned for a number of %zu bytes", align);
    }
    if (overlap(f, u, bytes)) {
        return psg_fail(PSG_ERR_ARG, "f and u overlap");
    }
    return check_flights(plan, f, u, bytes);
}

static psg_status submit(psg_plan *plan, const void *f, void *u, bool waits) {
    psg_clear_error();
    if (plan == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan is NULL");
    }
    psg_context *c = &plan->context;
    psg_arrays *arrays = NULL;
    psg_status status = check_arrays(plan, f, u);
    if (status == PSG_OK && c->fft != NULL &&
        (!c->cpu->fft_prepare(c->fft, f) || !c->cpu->fft_prepare(c->fft, u))) {
        status = psg_fail(PSG_ERR_RUNTIME, "FFTW found no plan for arrays at these addresses");
    }
    if (status == PSG_OK) {
        status = psg_arrays_take(plan, f, u, &arrays);
    }
    status = launch(plan, arrays, status, waits);
    if (status != PSG_OK && arrays != NULL) {
        arrays->busy = false;
    }
    return status;
}

psg_status psg_submit(psg_plan *plan, const void *f, void *u) {
    return submit(plan, f, u, false);
}

psg_status psg_submit_slabs(psg_plan *plan) {
    psg_clear_error();
    if (plan == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan is NULL");
    }
    return launch(plan, plan->storage.slabs,
                  plan->storage.slabs != NULL
                      ? PSG_OK
                      : psg_fail(PSG_ERR_STATE,
                                 "the plan has no slabs yet: psg_plan_slab_handles() makes them"),
                  false);
}

static double points(const psg_plan *plan) {
    const size_t *n = plan->context.layout.n;
    return (double)n[0] * (double)n[1] * (double)n[2];
}

static void keep_statistics(psg_plan *plan, const psg_flight *flight, double sum) {
    psg_past *past = &plan->past;
    psg_history_take(&past->latest, flight->run);
    past->solves++;
    past->mean = plan->problem.options.lambda > 0 ? 0 : sum / points(plan);
    past->from_memory = flight->arrays != plan->storage.slabs;
    psg_program_waited(plan, flight->program);
}

/* The transform carries a NaN or an Inf to every mode, and an overflow to a whole column, so it
 * costs nothing to know that there is one; only then is f searched for it. */
static psg_status find_nonfinite(const psg_plan *plan, const psg_arrays *arrays) {
    const psg_context *c = &plan->context;
    const size_t plane = c->layout.n[0] * c->layout.n[1];
    double first = -INFINITY; /* less its place in the grid: the largest of all is the first one */
    for (size_t s = c->layout.own_segments.first; s < c->layout.own_segments.end && isinf(first);
         s++) {
        const starpu_data_handle_t slab = arrays->f_slabs[s - c->layout.own_segments.first];
        const size_t count = plane * psg_layout_planes(&c->layout, s);
        if (starpu_data_acquire(slab, STARPU_R) != 0) {
            continue;
        }
        const size_t m =
            c->cpu->find_nonfinite((const void *)starpu_block_get_local_ptr(slab), count);
        starpu_data_release(slab);
        first = m < count ? -(double)(c->layout.z0[s] * plane + m) : first;
    }
    const psg_status status = psg_ranks_max(plan->processes.comm, &first, 1);
    if (status != PSG_OK) {
        return status;
    }
    if (isfinite(first)) {
        const size_t m = (size_t)-first;
        return psg_fail(PSG_ERR_DATA, "f is NaN or Inf at (i,j,k) = (%zu,%zu,%zu)",
                        m % c->layout.n[0], m % plane / c->layout.n[0], m / plane);
    }
    if (arrays == plan->storage.slabs) { /* a task of the caller's may have written them since */
        return psg_fail(PSG_ERR_DATA,
                        "f had a NaN or an Inf when it was transformed, or was too large for "
                        "its precision; what is there now has none");
    }
    return psg_fail(PSG_ERR_DATA,
                    "f is finite, but too large for its precision: its transform overflows");
}

static psg_status refuse_mean(const psg_plan *plan, const psg_arrays *arrays) {
    const psg_context *c = &plan->context;
    const double mean = plan->past.mean;
    double largest = 0;
    for (size_t s = c->layout.own_segments.first; s < c->layout.own_segments.end; s++) {
        const starpu_data_handle_t slab = arrays->f_slabs[s - c->layout.own_segments.first];
        if (starpu_data_acquire(slab, STARPU_R) == 0) {
            const double here =
                c->cpu->max_abs((const void *)starpu_block_get_local_ptr(slab),
                                c->layout.n[0] * c->layout.n[1] * psg_layout_planes(&c->layout, s));
            starpu_data_release(slab);
            largest = fmax(largest, here);
        }
    }
    const psg_status status = psg_ranks_max(plan->processes.comm, &largest, 1);
    if (status == PSG_OK && fabs(mean) > plan->problem.options.mean_tolerance * largest) {
        return psg_fail(
            PSG_ERR_MEAN,
            "f has the mean %.6g, more than %.3g of max|f| = %.6g, and a periodic box has no "
            "solution for it",
            mean, plan->problem.options.mean_tolerance, largest);
    }
    return status;
}

/* How the solve went, here and on the other processes: the tasks' own faults first, then what
 * the sum of f says about f. The process that has mode 0, the first, has the sum. */
static psg_status judge(psg_plan *plan, const psg_flight *flight) {
    psg_run *run = flight->run;
    enum { SUM, NONFINITE, FAULT, FINDINGS };
    double found[FINDINGS] = {
        [SUM] =
            plan->processes.rank == 0 ? plan->context.cpu->first(psg_findings_of(run)->mode0) : 0,
        [NONFINITE] = atomic_load(&psg_findings_of(run)->nonfinite) != 0,
        [FAULT] = psg_run_failed(run),
    };
    psg_status status = psg_ranks_sum(plan->processes.comm, found, FINDINGS);
    keep_statistics(plan, flight, found[SUM]);
    if (status == PSG_OK && found[FAULT] > 0) {
        status = psg_ranks_agree(plan->processes.comm, psg_fail_run(run));
    }
    const bool simulated = psg_simulated(); /* and data with it */
    const bool finite = simulated || (isfinite(found[SUM]) && found[NONFINITE] == 0);
    if (status == PSG_OK && (!finite || (plan->problem.options.mean == PSG_MEAN_ERROR &&
                                         plan->past.mean != 0 && !simulated))) {
        psg_runtime_awake(); /* f is looked at through StarPU */
        status = finite ? refuse_mean(plan, flight->arrays) : find_nonfinite(plan, flight->arrays);
        psg_runtime_rest();
    }
    return status;
}

/* Until the run has ended, or the other processes have not gone on with it for the time limit; then
 * its own tasks end it. */
static void wait_for_run(psg_plan *plan, psg_run *run) {
    const bool alone = plan->processes.comm == NULL;
    const bool given_up = !alone && psg_comm_given_up(plan->processes.comm);
    if (given_up || !psg_run_wait(run, alone ? 0 : psg_comm_limit(plan->processes.comm))) {
        plan->storage.left = psg_message_give_up(run) > 0 || plan->storage.left;
        (void)psg_run_wait(run, 0);
    }
}

psg_status psg_wait(psg_plan *plan) {
    psg_clear_error();
    if (plan == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan is NULL");
    }
    psg_flight *flight = plan->flights.oldest;
    if (flight == NULL) {
        return psg_fail(PSG_ERR_STATE, "no solve is in flight");
    }
    wait_for_run(plan, flight->run);
    const psg_status status = judge(plan, flight);
    if (flight->arrays != plan->storage.slabs) {
        psg_arrays_give_back(plan, flight->arrays);
    } else {
        plan->storage.slabs_solved = status == PSG_OK;
    }
    psg_copies_end(plan, flight->run);
    if (plan->context.engine.run_ended == NULL) {
        psg_runtime_rest();
    }
    flight->lane->users--;
    plan->flights.oldest = flight->next;
    plan->flights.newest = plan->flights.oldest != NULL ? plan->flights.newest : NULL;
    flight->run->next = plan->flights.idle_runs;
    plan->flights.idle_runs = flight->run;
    free(flight);
    return status;
}

psg_status psg_solve(psg_plan *plan, const void *f, void *u) {
    psg_clear_error();
    if (plan != NULL && plan->flights.oldest != NULL) {
        return psg_fail(PSG_ERR_STATE, "a solve is in flight: psg_wait() for it first");
    }
    const psg_status status = submit(plan, f, u, true);
    return status == PSG_OK ? psg_wait(plan) : status;
}
