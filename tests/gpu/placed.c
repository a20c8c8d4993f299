/* 500 random solves under ten scheduling policies that place the tasks of segments among two GPUs:
 * u and its gradient are bit by bit those of the same cut with each task pinned to the GPU of its
 * segment, whatever the grid, its sides, the graph and the exchange are, from main memory, from a
 * GPU, between slabs, and with several solves in flight. */
#include "graph/psg_observe.h"
#include "graph/psg_starpu.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const policies[] = {"eager", "prio",  "random", "ws",     "lws",
                                       "dmda",  "dmdas", "dmdar",  "peager", "heteroprio"};
enum { POLICIES = sizeof policies / sizeof *policies, EACH = 50 };

/** The call, of MANY right-hand sides. SLABS is of the last one alone, and EPSILON takes the first
 *  one as epsilon. */
typedef enum call { ARRAYS, DEVICE, FLIGHTS, SLABS, ONE_BY_ONE, EPSILON, CALLS } call;
enum { MANY = 3, FIELDS = 4, POINTS_MOST = 1 << 18 };

/** What is solved. */
typedef struct trial {
    psg_grid grid;
    psg_options options;
    call call;
    bool in_place;   /**< f is u */
    unsigned wanted; /**< bit d: the derivative along axis d */
    double value;    /**< on all sides that may have one */
    size_t points, bytes;
    char *f; /**< [MANY] */
    char what[200];
} trial;

static uint64_t state = 53;

/** @return 0 .. count-1 */
static unsigned pick(unsigned count) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (unsigned)(state >> 33) % count;
}

static bool chance(unsigned percent) {
    return pick(100) < percent;
}

/** Lengths with kernels of their own, and any. */
static size_t length(void) {
    static const size_t often[] = {16, 32, 64, 72, 128, 256};
    return chance(50) ? often[pick(6)] : 1 + pick(70);
}

static bool periodic(const psg_grid *grid) {
    bool all = true;
    for (int d = 0; d < 3; ++d) {
        all = all && grid->axis[d].bc[0] == PSG_BC_PERIODIC;
    }
    return all;
}

static void choose_grid(trial *t) {
    static const char *const sides[] = {"DD", "NN", "DDn,PP,NDc", "PP,DN,NNn", "PP,PP,DD"};
    size_t n[3];
    do {
        for (int d = 0; d < 3; ++d) {
            n[d] = length();
        }
        t->points = n[0] * n[1] * n[2];
    } while (t->points > POINTS_MOST || n[0] < 2 || n[1] < 2 || n[2] < 2);
    psg_grid_init(&t->grid, n[0], n[1], n[2], 1, 1.5, 0.7);
    if (chance(40)) {
        harness_sides(&t->grid, sides[pick(5)]);
    }
}

static void choose_options(trial *t, int gpus) {
    psg_options *o = &t->options;
    *o = harness_options(chance(50) ? PSG_F64 : PSG_F32);
    o->cpus = gpus > 0 ? -1 : o->cpus; /* no core beside GPUs */
    o->gpus = gpus;
    o->symbol = chance(50) ? PSG_SYMBOL_FD2 : PSG_SYMBOL_SPECTRAL;
    o->lambda = chance(30) ? 2 : 0;
    o->graph = chance(20) ? PSG_GRAPH_STAGED : PSG_GRAPH_FUSED;
    o->z_layout = chance(50) ? PSG_Z_STRIDED : PSG_Z_CONTIGUOUS;
    o->exchange = chance(30) ? PSG_EXCHANGE_MANAGED : PSG_EXCHANGE_AUTO;
    o->segment_planes = 1 + pick((unsigned)t->grid.axis[2].n);
    o->sheets = chance(60) ? 2 : 1 + pick((unsigned)t->grid.axis[1].n);
    o->in_flight = 1 + pick(3);
    o->batch = 1;
}

static trial trial_make(int gpus, const char *policy, int number) {
    trial t = {.points = 0};
    choose_grid(&t);
    choose_options(&t, gpus);
    const psg_options *o = &t.options;
    const bool fd2 = o->symbol == PSG_SYMBOL_FD2, round = periodic(&t.grid);
    t.options.policy = policy;
    t.call = (call)pick(fd2 && round && t.points < POINTS_MOST / 16 ? CALLS : EPSILON);
    t.call = t.call == DEVICE && gpus == 0 ? ARRAYS : t.call;
    t.wanted = t.call <= DEVICE && (fd2 || round) && chance(50) ? pick(8) : 0;
    t.in_place = t.call <= DEVICE && chance(25);
    t.value = t.call <= DEVICE && fd2 && !round && chance(50) ? 0.5 : 0;
    t.bytes = t.points * harness_element_bytes(o->precision);
    t.f = harness_array(o->precision, MANY * t.points);
    FREED double *values = oracle_array(MANY * t.points);
    oracle_random((unsigned)state, MANY * t.points, values);
    for (size_t p = 0; p < t.points && t.call == EPSILON; ++p) {
        values[p] = 1 + values[p] * values[p];
    }
    harness_store(o->precision, MANY * t.points, values, t.f);
    snprintf(
        t.what, sizeof t.what,
        "%s, trial %d: %zux%zux%zu %s, sides %d%d%d, call %d, graph %d, exchange %d, %zu planes, "
        "%zu sheets, gradient %u%s",
        policy, number, t.grid.axis[0].n, t.grid.axis[1].n, t.grid.axis[2].n,
        harness_precision_name(o->precision), t.grid.axis[0].bc[0], t.grid.axis[1].bc[0],
        t.grid.axis[2].bc[0], t.call, (int)o->graph, (int)o->exchange, o->segment_planes, o->sheets,
        t.wanted, t.in_place ? ", in place" : "");
    return t;
}

/** Between arrays anywhere, with the terms of the trial. @param[out] to  u and the derivatives */
static psg_status solve(const trial *t, psg_plan *plan, void *f, char *to, int device) {
    psg_array from = harness_view(f), field[FIELDS], eps = harness_view(t->f);
    psg_solve_args args = harness_args(plan);
    from.device = device;
    for (int m = 0; m < FIELDS; ++m) {
        field[m] = harness_view(to + (size_t)m * t->bytes);
        field[m].device = device;
        if (m > 0 && t->wanted >> (m - 1) & 1) {
            args.gradient[m - 1] = &field[m];
        }
    }
    for (int m = 0; m < 6; ++m) {
        const bool may = t->grid.axis[m / 2].bc[m % 2] != PSG_BC_PERIODIC;
        args.value[m / 2][m % 2] = may ? t->value : 0;
    }
    args.epsilon = t->call == EPSILON ? &eps : NULL;
    return psg_solve_arrays(plan, 1, &from, &field[0], &args);
}

/** Each f stands at the same place, where a copy of the one before is stale. */
static psg_status one_after_the_other(const trial *t, psg_plan *plan, char *to) {
    FREED char *own = calloc(1, t->bytes);
    char *f = t->in_place ? to : own;
    psg_status status = PSG_OK;
    for (size_t m = t->call == EPSILON; m < MANY && status == PSG_OK; ++m) {
        memcpy(f, t->f + m * t->bytes, t->bytes);
        status = solve(t, plan, f, to, PSG_HOST);
    }
    return status;
}

static psg_status on_a_gpu(const trial *t, psg_plan *plan, char *to) {
    char *own_d = NULL, *to_d = NULL;
    psg_status status = PSG_OK;
    bool all = cudaSetDevice((int)pick(2)) == cudaSuccess &&
               cudaMalloc((void **)&own_d, t->bytes) == cudaSuccess &&
               cudaMalloc((void **)&to_d, FIELDS * t->bytes) == cudaSuccess &&
               cudaMemset(to_d, 0, FIELDS * t->bytes) == cudaSuccess;
    char *f_d = t->in_place ? to_d : own_d;
    for (size_t m = 0; m < MANY && all && status == PSG_OK; ++m) {
        all = cudaMemcpy(f_d, t->f + m * t->bytes, t->bytes, cudaMemcpyHostToDevice) == cudaSuccess;
        status = all ? solve(t, plan, f_d, to_d, PSG_ASK) : PSG_OK;
    }
    all = all && cudaMemcpy(to, to_d, FIELDS * t->bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
    CHECK(all, "%s: CUDA says %s", t->what, cudaGetErrorString(cudaGetLastError()));
    (void)cudaFree(own_d);
    (void)cudaFree(to_d);
    return status;
}

static psg_status in_flight(const trial *t, psg_plan *plan, char *to) {
    psg_status status = PSG_OK;
    size_t started = 0;
    for (; started < MANY && status == PSG_OK; ++started) {
        status = psg_submit(plan, t->f + started * t->bytes, to + started * t->bytes);
    }
    for (size_t m = 0; m < started; ++m) {
        const psg_status ended = psg_wait(plan);
        status = status == PSG_OK ? ended : status;
    }
    return status;
}

static psg_status of_slabs(const trial *t, psg_plan *plan, char *to) {
    psg_status status = PSG_OK;
    for (size_t m = 0; m < MANY && status == PSG_OK; ++m) {
        status = psg_slabs_put(plan, t->f + m * t->bytes);
        for (int times = 0; times < 2 && status == PSG_OK; ++times) {
            status = psg_submit_slabs(plan);
        }
        for (int times = 0; times < 2 && status == PSG_OK; ++times) {
            status = psg_wait(plan);
        }
    }
    return status == PSG_OK ? psg_slabs_get(plan, to) : status;
}

static psg_status one_by_one(const trial *t, psg_plan *plan, char *to) {
    return psg_solve_many(plan, MANY, t->f, to);
}

/** @return tasks that the policy placed in the latest solve */
static size_t go(const trial *t, psg_placement placement, char *to) {
    static psg_status (*const calls[CALLS])(const trial *, psg_plan *, char *) = {
        [ARRAYS] = one_after_the_other, [DEVICE] = on_a_gpu,
        [FLIGHTS] = in_flight,          [SLABS] = of_slabs,
        [ONE_BY_ONE] = one_by_one,      [EPSILON] = one_after_the_other};
    psg_options options = t->options;
    psg_plan *plan = NULL;
    size_t placed = 0;
    options.placement = placement;
    if (CHECK(psg_plan_create(&plan, &t->grid, &options) == PSG_OK, "%s: %s", t->what,
              psg_last_error())) {
        const psg_status status = calls[t->call](t, plan, to);
        CHECK(status == PSG_OK, "%s, placement %d: %s", t->what, (int)placement, psg_last_error());
        placed = harness_statistics(plan).submit.placed_tasks;
    }
    psg_plan_destroy(plan);
    return placed;
}

static void compare(const trial *t) {
    FREED char *pinned = calloc(FIELDS, t->bytes), *freed = calloc(FIELDS, t->bytes);
    const uint64_t chosen = state;
    const size_t few = go(t, PSG_PLACEMENT_PINNED, pinned);
    state = chosen; /* the same GPU for arrays on one */
    const size_t more = go(t, PSG_PLACEMENT_FREE, freed);
    CHECK(t->options.gpus == 0 || more > few, "%s: the policy places %zu tasks, and pinned %zu",
          t->what, more, few);
    CHECK(memcmp(pinned, freed, FIELDS * t->bytes) == 0, "%s: other digits than pinned", t->what);
}

int main(void) {
    const int gpus = harness_options(PSG_F64).gpus;
    for (size_t p = 0; p < POLICIES; ++p) {
        psg_options options = harness_options(PSG_F64);
        options.cpus = gpus > 0 ? -1 : options.cpus;
        options.policy = policies[p];
        psg_plan *anchor = harness_anchor(&options); /* StarPU runs on, with this policy */
        CHECK(anchor != NULL, "%s: %s", policies[p], psg_last_error());
        for (int m = 0; m < EACH && anchor != NULL; ++m) {
            trial t = trial_make(gpus, policies[p], m);
            compare(&t);
            free(t.f);
        }
        psg_plan_destroy(anchor);
    }
    return check_result();
}
