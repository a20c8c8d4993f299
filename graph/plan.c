/* Plans: everything that can be made before the first solve. */
#include "runtime/device.h"
#include "runtime/simulation.h"
#include "cpu/buffer.h"
#include "cpu/symbol.h"
#include "graph/internal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const psg_symbol_function symbols[PSG_SYMBOL_COUNT] = {
    [PSG_SYMBOL_SPECTRAL] = psg_symbol_spectral,
    [PSG_SYMBOL_FD2] = psg_symbol_fd2,
};

static const psg_cpu_effort efforts[PSG_EFFORT_COUNT] = {
    [PSG_EFFORT_MEASURE] = PSG_CPU_MEASURE,
    [PSG_EFFORT_ESTIMATE] = PSG_CPU_ESTIMATE,
    [PSG_EFFORT_PATIENT] = PSG_CPU_PATIENT,
};

/* --------------------------------------------------------------------------- transforms */

static psg_status plan_transforms(psg_plan *plan) {
    psg_context *c = &plan->context;
    if (plan->cpu_count == 0 || psg_simulated()) { /* cuFFT's plans are the workers' */
        return PSG_OK;
    }
    char *wisdom = psg_wisdom_read(plan);
    const psg_cpu_fft_spec spec = {.nx = c->n[0],
                                   .ny = c->n[1],
                                   .nz = c->n[2],
                                   .effort = efforts[plan->options.effort],
                                   .wisdom = wisdom};
    c->fft = c->cpu->fft_create(&spec);
    free(wisdom);
    if (c->fft == NULL) {
        return psg_fail(
            PSG_ERR_RUNTIME,
            "FFTW found no plan for %zu x %zu x %zu points, or no memory to look for one", c->n[0],
            c->n[1], c->n[2]);
    }
    if (c->cpu->fft_learnt(c->fft)) {
        psg_wisdom_keep(plan);
    }
    return PSG_OK;
}

/* ------------------------------------------------------------------------------- tables */

/* Put a value into a table of the plan's precision. @return false: there it becomes 0 or infinite */
static bool put(const psg_plan *plan, void *table, size_t m, double value) {
    const float narrow = (float)value;
    if (plan->options.precision == PSG_F64) {
        ((double *)table)[m] = value;
        return isfinite(value);
    }
    ((float *)table)[m] = narrow;
    return isfinite(narrow) && (value == 0 || narrow != 0);
}

/* Has the plan's precision this number with all its digits? */
static bool is_normal(const psg_plan *plan, double value) {
    return plan->options.precision == PSG_F64 ? isnormal(value) : isnormal((float)value);
}

/* Of |k^2 + lambda|, over all modes but one where it is 0. */
typedef struct extremes {
    double least; /* INFINITY: there is no mode, so far */
    double most;
} extremes;

/* Eigenvalues along one axis, in the plan's precision. Along x the spectrum is halved. Of a huge
 * box they vanish and of a tiny one they overflow, and either would give a wrong u without a
 * word. */
static psg_status make_table(psg_plan *plan, int d, extremes *found) {
    double most = 0;
    const psg_axis *axis = &plan->grid.axis[d];
    const psg_symbol_function symbol = symbols[plan->options.symbol];
    const size_t count = d == 0 ? plan->context.nxc : axis->n;
    plan->eigen[d] = malloc(count * plan->context.cpu->real_bytes);
    if (plan->eigen[d] == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for a table of %zu eigenvalues", count);
    }
    for (size_t m = 0; m < count; m++) {
        const double value = symbol(m, axis->n, axis->length);
        if (!put(plan, plan->eigen[d], m, value) || (m > 0 && value == 0)) {
            return psg_fail(
                PSG_ERR_ARG,
                "the box is %g long along %c, and the squares of its wavenumbers are out of the "
                "range of the precision: choose another unit of length",
                axis->length, "xyz"[d]);
        }
        most = fmax(most, fabs(value));
        if (m > 0) {
            found->least = fmin(found->least, fabs(value) + plan->options.lambda);
        }
    }
    found->most += most;
    return PSG_OK;
}

/* A factor that is infinite, or has lost digits because it is below the normal numbers, would give a
 * wrong u without a word. */
static psg_status check_factors(const psg_plan *plan, const extremes *found) {
    const bool single = plan->options.precision == PSG_F32;
    const double scale = fabs(plan->context.divide.scale);
    const double largest = single ? FLT_MAX : DBL_MAX;
    const double smallest = single ? FLT_MIN : DBL_MIN;
    if (found->most <= largest && scale / found->least <= largest &&
        (found->most == 0 || scale / found->most >= smallest)) {
        return PSG_OK;
    }
    return psg_fail(PSG_ERR_ARG,
                    "k^2 + lambda is from %g to %g, and the quotients of factor = %g and that are "
                    "out of the range of the precision: choose another unit of length",
                    found->least, found->most, plan->options.factor);
}

static psg_status make_divide(psg_plan *plan) {
    psg_context *c = &plan->context;
    const double lambda = plan->options.lambda;
    extremes found = {.least = lambda > 0 ? lambda : INFINITY, .most = lambda};
    for (int d = 0; d < 3; d++) {
        const psg_status status = make_table(plan, d, &found);
        if (status != PSG_OK) {
            return status;
        }
        c->divide.eigen[d] = plan->eigen[d];
    }
    double room = 0; /* for either precision */
    if (!put(plan, &room, 0, lambda)) {
        return psg_fail(PSG_ERR_ARG, "lambda = %g is out of the range of the precision", lambda);
    }
    c->scale = plan->options.factor / ((double)c->n[0] * (double)c->n[1] * (double)c->n[2]);
    if (!is_normal(plan, c->scale)) {
        return psg_fail(
            PSG_ERR_ARG,
            "factor = %g over the number of points is out of the range of the precision",
            plan->options.factor);
    }
    c->divide.lambda = lambda;
    c->divide.scale = c->normalizes ? 1 : c->scale;
    return check_factors(plan, &found);
}

/* ---------------------------------------------------------------------------- partition */

/* What there is now; but what StarPU could evict from a full GPU counts for a part. */
static double find_room(const psg_plan *plan) {
    if (plan->resident) {
        return INFINITY;
    }
    const size_t now = psg_placement_room(plan, false);
    const size_t part = psg_placement_room(plan, true) / 4;
    return now == SIZE_MAX ? INFINITY : (double)(now > part ? now : part);
}

/* The same cut on all processes, whose workers may differ in number and kind. */
static psg_status make_planes(psg_plan *plan) {
    const size_t all = plan->usable_workers;
    double most[] = {
        (double)(plan->cpu_count > 0 && !plan->anywhere ? plan->cpu_count : all),
        (double)(plan->gpu_count > 0 ? plan->gpu_count : all),
        -plan->cpu_share, /* as for GPUs where one process has them alone */
        -find_room(plan),
    };
    const psg_status status = psg_ranks_max(plan->comm, most, sizeof most / sizeof *most);
    plan->most_workers[0] = (size_t)most[0];
    plan->most_workers[1] = (size_t)most[1];
    plan->cpu_share = -most[2];
    plan->room = -most[3];
    return status == PSG_OK ? psg_partition_planes(plan) : status;
}

/* What the exchange between processes needs. */
static psg_status make_exchange(psg_plan *plan) {
    psg_context *c = &plan->context;
    if (plan->ranks == 1) {
        return PSG_OK;
    }
    const size_t own_segments = c->own_segments.end - c->own_segments.first;
    const size_t own_bundles = c->own_bundles.end - c->own_bundles.first;
    const size_t handles = own_segments * c->bundles + c->segments * own_bundles + 1;
    plan->most_segments = plan->rank_segment[1];
    plan->most_bundles = plan->rank_bundle[1];
    const bool alltoall = plan->exchange == PSG_EXCHANGE_ALLTOALL;
    const size_t tags = 2 * (size_t)plan->options.in_flight * plan->most_segments *
                        plan->most_bundles; /* one for each block, each way, of each lane */
    plan->main_memory = calloc(handles + c->pencils, sizeof *plan->main_memory);
    psg_status status = PSG_OK;
    if (plan->main_memory == NULL) {
        status = psg_fail(PSG_ERR_MEMORY, "no memory for a list of %zu blocks", handles);
    } else if (!alltoall && tags > psg_comm_most_tags()) {
        status = psg_fail(PSG_ERR_UNSUPPORTED, "MPI has no %zu tags: choose fewer segments", tags);
    }
    status = psg_ranks_agree(plan->comm, status);
    if (status != PSG_OK) {
        return status;
    }
    for (size_t m = 0; m < handles + c->pencils; m++) {
        plan->main_memory[m] = STARPU_MAIN_RAM;
    }
    psg_task_exchange_codelets(&plan->exchange_codelets, plan->main_memory);
    c->exchange = &plan->exchange_codelets;
    c->wire = psg_wire_open(plan->comm, c->nxc * 2 * c->cpu->real_bytes,
                            alltoall ? plan->options.in_flight : 0);
    return c->wire != NULL ? PSG_OK : psg_fail(PSG_ERR_RUNTIME, "%s", psg_comm_why(plan->comm));
}

/* ------------------------------------------------------------------------------ workers */

/* The GPUs take the plan's tasks where there are any, else the cores do, or both theirs. */
static psg_status make_workers(psg_plan *plan) {
    plan->workers = starpu_worker_get_count();
    plan->usable = malloc(plan->workers * sizeof *plan->usable);
    if (plan->usable == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for a list of %zu workers", plan->workers);
    }
    if (plan->options.gpus != 0) {
        plan->gpu_count =
            starpu_worker_get_ids_by_type(STARPU_CUDA_WORKER, plan->gpus, STARPU_NMAXWORKERS);
    }
    memcpy(plan->usable, plan->gpus, plan->gpu_count * sizeof *plan->usable);
    const size_t cpus =
        starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, plan->usable + plan->gpu_count,
                                      (unsigned)(plan->workers - plan->gpu_count));
    const psg_status status = psg_cpu_share_make(plan, cpus);
    if (status != PSG_OK) {
        return status;
    }
    plan->usable_workers = plan->gpu_count + plan->cpu_count;
    plan->context.on_gpus = plan->gpu_count > 0;
    plan->context.where = (plan->cpu_count == 0 || plan->anywhere ? STARPU_CUDA : 0) |
                          (plan->cpu_count > 0 ? STARPU_CPU : 0);
    /* What goes to other processes goes by main memory, so blocks are at home there; and so does
     * what any worker may need. */
    plan->resident = plan->gpu_count > 0 && !plan->anywhere && plan->ranks == 1;
    plan->copies = plan->gpu_count > 0 || starpu_memory_nodes_get_numa_count() > 1;
    if (!plan->copies) { /* the waiter then wakes on a core that no idle worker holds; else copies remain */
        plan->context.run_ended = psg_runtime_rest;
    }
    plan->context.polls =
        plan->gpu_count > 0 && plan->cpu_count == 0 && plan->ranks == 1 && !psg_simulated();
    if (plan->usable_workers == 0) {
        return psg_fail(PSG_ERR_NODEV, "StarPU runs without a worker that the plan could use");
    }
    plan->teams = psg_team_wanted(plan);
    return PSG_OK;
}

static psg_status make_devices(psg_plan *plan) {
    char words[192] = "";
    if (plan->gpu_count == 0) {
        return PSG_OK;
    }
    psg_runtime_awake();
    const psg_fault fault = psg_device_start(&plan->context, plan->workers, words, sizeof words);
    psg_runtime_rest();
    return fault == PSG_FAULT_NONE
               ? PSG_OK
               : psg_fail(psg_fault_status(fault), "the GPUs could not be prepared: %s", words);
}

static size_t largest(const size_t *first, psg_range parts) {
    size_t most = 0;
    for (size_t m = parts.first; m < parts.end; m++) {
        const size_t here = first[m + 1] - first[m];
        most = here > most ? here : most;
    }
    return most;
}

/* A task has its part in two arrays. StarPU waits for room, and where there never is any, for
 * ever. */
static psg_status check_room(psg_plan *plan) {
    const psg_context *c = &plan->context;
    const size_t row = c->nxc * 2 * c->cpu->real_bytes;
    const size_t segment = largest(c->z0, c->gpu_segments) * c->n[1] * row;
    const size_t pencil = plan->resident ? 0 : largest(c->y0, c->gpu_pencils) * c->n[2] * row;
    const size_t needed = 2 * (segment > pencil ? segment : pencil);
    const size_t room = psg_placement_room(plan, !plan->resident);
    return needed <= room
               ? PSG_OK
               : psg_fail(PSG_ERR_MEMORY,
                          "no room on a GPU for what a task works on: %zu bytes are needed, and "
                          "%zu are left; with more segments and pencils it is less",
                          needed, room);
}

static psg_status make_scratch(psg_plan *plan) {
    psg_context *c = &plan->context;
    const size_t bytes = c->fft != NULL ? c->cpu->fft_scratch_bytes(c->fft) : 0;
    plan->scratch = calloc(plan->workers, sizeof *plan->scratch);
    plan->pieces = calloc(plan->workers, sizeof *plan->pieces);
    plan->cell = calloc(plan->workers * PSG_TASK_COUNT, sizeof *plan->cell);
    bool all = plan->scratch != NULL && plan->pieces != NULL && plan->cell != NULL;
    for (size_t w = 0; all && w < plan->workers; w++) {
        if (c->fft != NULL && starpu_worker_get_type((int)w) == STARPU_CPU_WORKER) {
            plan->scratch[w] = psg_cpu_buffer_alloc(bytes);
            plan->pieces[w] = malloc(c->segments * sizeof **plan->pieces);
            plan->scratch_bytes += bytes;
            all = plan->scratch[w] != NULL && plan->pieces[w] != NULL;
        }
    }
    c->scratch = plan->scratch;
    c->pieces = plan->pieces;
    return all ? PSG_OK
               : psg_fail(PSG_ERR_MEMORY,
                          "no memory for the workers' scratch: %zu bytes for each of %zu", bytes,
                          plan->usable_workers);
}

static psg_status make_lanes(psg_plan *plan) {
    plan->lanes = calloc(plan->options.in_flight, sizeof *plan->lanes);
    if (plan->lanes == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for %u solves in flight",
                        plan->options.in_flight);
    }
    const psg_status status = psg_lane_create(&plan->lanes[0], plan);
    plan->lane_count = status == PSG_OK ? 1 : 0;
    return status;
}

/* --------------------------------------------------------------------------------- plan */

static void set_context(psg_plan *plan) {
    psg_context *c = &plan->context;
    const psg_options *o = &plan->options;
    const bool single = o->precision == PSG_F32;
    c->precision = single ? PSG_TASK_F32 : PSG_TASK_F64;
    c->cpu = single ? &psg_cpu_ops_f32 : &psg_cpu_ops_f64;
    for (int d = 0; d < 3; d++) {
        c->n[d] = plan->grid.axis[d].n;
    }
    c->nxc = c->n[0] / 2 + 1;
    c->z_contiguous = o->z_layout == PSG_Z_CONTIGUOUS;
    c->fused = o->graph == PSG_GRAPH_FUSED;
    c->normalizes = !c->fused && o->normalize != 0;
    c->record = o->record != 0;
    c->lanes = o->in_flight;
    c->comm = plan->comm;
}

/* Free what the cut into parts and what came after it made. */
static void free_arrangement(psg_plan *plan) {
    for (size_t m = 0; m < plan->lane_count; m++) {
        psg_lane_destroy(plan->lanes[m], plan);
    }
    for (size_t w = 0; w < plan->workers; w++) {
        free(plan->scratch != NULL ? plan->scratch[w] : NULL);
        free(plan->pieces != NULL ? plan->pieces[w] : NULL);
    }
    if (plan->context.cuda != NULL) {
        psg_runtime_awake();
        psg_device_stop(&plan->context);
        psg_runtime_rest();
    }
    if (plan->context.fft != NULL) {
        plan->context.cpu->fft_destroy(plan->context.fft);
    }
    if (!plan->context.left) {
        psg_wire_close(plan->context.wire);
    }
    free(plan->lanes);
    free(plan->scratch);
    free(plan->pieces);
    free(plan->cell);
    free(plan->main_memory);
    free(plan->rank_segment);
    free(plan->rank_pencil);
    free(plan->rank_bundle);
    free(plan->z0);
    free(plan->y0);
    free(plan->bundle_p0);
    free(plan->bundle_y0);
    free(plan->segment_worker);
    free(plan->pencil_worker);
    free(plan->direct_node);
    free(plan->returned);
}

/* Free all but StarPU. */
static void free_plan(psg_plan *plan) {
    psg_team_end(plan);
    while (plan->arrays != NULL) {
        psg_arrays *next = plan->arrays->next;
        psg_arrays_destroy(plan->arrays, plan);
        plan->arrays = next;
    }
    psg_arrays_destroy(plan->slabs, plan);
    psg_plan_unpin(plan, NULL);
    while (plan->idle_runs != NULL) {
        psg_run *next = plan->idle_runs->next;
        psg_run_destroy(plan->idle_runs);
        plan->idle_runs = next;
    }
    psg_program_free(plan);
    free_arrangement(plan);
    for (int d = 0; d < 3; d++) {
        free(plan->eigen[d]);
    }
    free(plan->event);
    free(plan->moved.record);
    free(plan->copy);
    psg_record_free(&plan->record);
    free(plan->usable);
    free(plan);
}

/* What a plan begins with. */
typedef struct beginning {
    psg_options options; /* checked, and settled */
    psg_comm *comm;
    bool tuned;
} beginning;

/* What every process checks for itself and all have to pass; then StarPU on each.
 *  @param[in] plan  NULL: there was no memory for it */
static psg_status begin(const psg_plan *plan, bool told_where, const psg_grid *grid,
                        const psg_options *options, beginning *b) {
    const psg_status right = psg_options_check(&b->options, options);
    psg_status status = psg_ranks_open(&b->comm, &b->options);
    if (status != PSG_OK) {
        return status;
    }
    if (right != PSG_OK) {
        status = right;
    } else if (!told_where || grid == NULL) {
        status = psg_fail(PSG_ERR_ARG, "plan or grid is NULL");
    } else if (plan == NULL) {
        status = psg_fail(PSG_ERR_MEMORY, "no memory for a plan");
    } else {
        status = psg_grid_check(grid, b->options.precision);
    }
    if (status == PSG_OK) {
        status = psg_simulation_nodes_check(&b->options, grid);
    }
    status =
        psg_ranks_agree(b->comm, status); /* from here on none goes on alone, nor stops alone */
    if (status == PSG_OK) {
        status = psg_ranks_same(b->comm, grid, &b->options);
    }
    if (status != PSG_OK) {
        return status;
    }
    psg_tuned tuned;
    (void)psg_tuned_find(&tuned, grid, &b->options);
    const psg_status mine = psg_runtime_acquire(&b->options, b->comm, tuned.policy);
    status = psg_ranks_agree(b->comm, mine);
    if (status == PSG_OK) {
        b->tuned = psg_tuned_apply(&b->options, grid, &tuned);
    } else if (mine == PSG_OK) {
        psg_runtime_release(b->comm);
    }
    return status;
}

typedef psg_status (*step)(psg_plan *plan);

static psg_status run_steps(psg_plan *plan, const step *steps, size_t count) {
    psg_status status = PSG_OK;
    for (size_t m = 0; m < count && status == PSG_OK; m++) {
        status = psg_ranks_agree(plan->comm, steps[m](plan));
    }
    return status;
}

/* What else there is for a spectrum that the GPUs turn out to have no room for: no second place for
 * some of its rows; smaller segments, which take less room beside it; or main memory, cut into parts
 * of which the GPUs have room for some, unless blocks have to stay there. @return is there
 * something? */
static bool take_less(psg_plan *begun, const psg_plan *failed) {
    if (!failed->resident) {
        return false;
    }
    const bool direct = failed->exchange == PSG_EXCHANGE_DIRECT && failed->gpu_count > 1;
    const bool twice = failed->context.returned != NULL && !failed->context.fetched;
    if (direct && (twice || (!failed->finer && failed->options.segment_planes == 0))) {
        begun->fetches = true;
        begun->finer = !twice;
        return true;
    }
    begun->resident = false;
    return failed->options.exchange != PSG_EXCHANGE_DIRECT;
}

static psg_status make(psg_plan *plan) {
    static const step first[] = {make_divide, make_workers};
    static const step arrangement[] = {
        psg_placement_exchange, make_planes,          psg_placement_check, psg_partition_rows,
        psg_placement_make,     psg_simulation_check, make_exchange,       make_lanes,
        plan_transforms,        make_scratch,         make_devices,        check_room,
        psg_team_make};
    enum { FIRST = sizeof first / sizeof *first, REST = sizeof arrangement / sizeof *arrangement };
    psg_status status = run_steps(plan, first, FIRST);
    psg_plan begun = *plan;
    if (status == PSG_OK) {
        status = run_steps(plan, arrangement, REST);
    }
    while (status == PSG_ERR_MEMORY && take_less(&begun, plan)) {
        free_arrangement(plan);
        *plan = begun;
        psg_clear_error();
        status = run_steps(plan, arrangement, REST);
    }
    return status;
}

psg_status psg_plan_create(psg_plan **result, const psg_grid *grid, const psg_options *options) {
    const double before = psg_clock();
    beginning b = {.comm = NULL};
    psg_clear_error();
    if (result != NULL) {
        *result = NULL;
    }
    psg_plan *plan = calloc(1, sizeof *plan);
    psg_status status = begin(plan, result != NULL, grid, options, &b);
    if (status != PSG_OK) {
        free(plan);
        return status;
    }
    plan->options = b.options;
    plan->policy_asked = b.options.policy != NULL;
    plan->options.policy = NULL; /* strings and arrays are the caller's, and StarPU has them */
    plan->options.gpu_ids = NULL;
    plan->options.machine = NULL;
    plan->options.comm = NULL;
    plan->tuned = b.tuned;
    plan->grid = *grid;
    plan->comm = b.comm;
    plan->rank = b.comm != NULL ? psg_comm_rank(b.comm) : 0;
    plan->ranks = b.comm != NULL ? psg_comm_ranks(b.comm) : 1;
    set_context(plan);
    status = make(plan);
    plan->options.cache_dir = NULL; /* as above: the wisdom is in */
    if (status != PSG_OK) {
        free_plan(plan);
        psg_runtime_release(b.comm);
        return status;
    }
    plan->plan_seconds = psg_clock() - before;
    *result = plan;
    return PSG_OK;
}

void psg_plan_destroy(psg_plan *plan) {
    psg_clear_error();
    if (plan == NULL) {
        return;
    }
    while (plan->oldest != NULL) {
        (void)psg_wait(plan);
    }
    const bool had_slabs = plan->slabs != NULL;
    psg_comm *comm = plan->comm;
    free_plan(plan);
    if (had_slabs) {
        psg_runtime_rest();
    }
    psg_runtime_release(comm);
}

psg_status psg_plan_segments(const psg_plan *plan, size_t *segments, size_t *pencils) {
    psg_clear_error();
    if (plan == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan is NULL");
    }
    const psg_context *c = &plan->context;
    if (segments != NULL) {
        *segments = c->own_segments.end - c->own_segments.first;
    }
    if (pencils != NULL) {
        *pencils = c->own_pencils.end - c->own_pencils.first;
    }
    return PSG_OK;
}

psg_status psg_plan_local_extent(const psg_plan *plan, size_t *z0, size_t *count) {
    psg_clear_error();
    if (plan == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan is NULL");
    }
    return psg_local_extent(plan->context.n[2], plan->ranks, plan->rank, z0, count);
}
