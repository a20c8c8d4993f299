/* Where one process has no memory, whichever allocation of PoissonGraph's it is that fails: each
 * call returns the same status in all processes, with words, none waits for ever, the plan goes on
 * to give right answers, and it can be destroyed. */
#include "graph/psg_kernel.h"
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/fail/fail_nth.h"
#include "tests/mpi/ranks.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define NX 7
#define NY 6
#define NZ 9
#define POINTS ((size_t)NX * NY * NZ)

static const oracle_grid box = {{NX, NY, NZ}, {1.0, 1.0, 1.0}};

static double *f, *want, *got;

/** Two solves in flight, and one after them. */
enum { SHARES = 3 };

typedef struct scene {
    const harness_variant *variant;
    psg_exchange exchange;
    int record;
    int kernel;  /* the symbol's modes are given to the plan */
    share *part; /**< [SHARES] */
    long failed; /* the number of the allocation */
} scene;

/* The processes agree about a call, and those that it fails in have words. */
static int agreed(const scene *x, psg_status status, const char *call) {
    const int same = ranks_same(MPI_COMM_WORLD, (long)status);
    CHECK(same, "%s, allocation %ld: %s returned %d here: %s", x->variant->name, x->failed, call,
          status, psg_last_error());
    CHECK(status == PSG_OK || psg_last_error()[0] != '\0', "%s, allocation %ld: %s has no words",
          x->variant->name, x->failed, call);
    return same && status == PSG_OK;
}

/* Calls that are not collective: each process may fail by itself. */
static void look_at(const scene *x, psg_plan *plan) {
    psg_statistics statistics;
    psg_dependency edges[1];
    size_t count = 0;
    CHECK_STATUS(psg_plan_statistics(plan, &statistics), PSG_OK);
    const psg_status status = psg_plan_dependencies(plan, edges, 0, &count);
    CHECK(status == PSG_OK || status == PSG_ERR_MEMORY, "%s, allocation %ld: dependencies: %d, %s",
          x->variant->name, x->failed, status, psg_last_error());
}

static void solve_all(const scene *x, psg_plan *plan) {
    const share *s = x->part;
    int flights = 0;
    while (flights < SHARES - 1 &&
           agreed(x, psg_submit(plan, s[flights].f, s[flights].u), "psg_submit")) {
        flights++;
    }
    int solved = 0;
    for (int m = 0; m < flights; m++) {
        solved += agreed(x, psg_wait(plan), "psg_wait");
    }
    if (solved > 0 && x->record) {
        psg_bounds bounds;
        look_at(x, plan);
        (void)agreed(x, psg_plan_bounds(plan, &bounds), "psg_plan_bounds");
    }
    fail_nth_arm(0);
    if (agreed(x, psg_solve(plan, s[SHARES - 1].f, s[SHARES - 1].u), "psg_solve")) {
        share_gather(&s[SHARES - 1], MPI_COMM_WORLD, got);
        CHECK_CLOSE(got, want, NX, NY, NZ, 1e-12, "%s, after allocation %ld", x->variant->name,
                    x->failed);
    } else {
        CHECK(0, "%s: no solve after allocation %ld", x->variant->name, x->failed);
    }
}

/* Half of the modes of each axis are all that there is. */
static psg_status give_kernel(psg_plan *plan) {
    const size_t n[3] = {NX / 2 + 1, NY / 2 + 1, NZ / 2 + 1};
    double values[(NX / 2 + 1) * (NY / 2 + 1) * (NZ / 2 + 1)];
    for (size_t m = 0; m < n[0] * n[1] * n[2]; m++) {
        const size_t mode[3] = {m % n[0], m / n[0] % n[1], m / n[0] / n[1]};
        values[m] = m > 0 ? -1 / oracle_eigenvalue(&box, ORACLE_SPECTRAL, mode) : 0;
    }
    return psg_plan_kernel(plan, PSG_KERNEL_FORM_MODES, n, values);
}

/* On a communicator of its own, so that all that the library keeps for one is made again. */
static void play(const scene *x) {
    MPI_Comm comm = MPI_COMM_NULL;
    psg_plan *plan = NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    psg_grid grid = harness_grid(&box);
    psg_options options = ranks_options(PSG_F64, &comm);
    harness_set_variant(&options, x->variant);
    options.exchange = x->exchange;
    options.record = x->record;
    options.kernel = x->kernel ? PSG_KERNEL_USER : PSG_KERNEL_AUTO;
    options.segment_planes = 2;
    options.sheets = 5;
    for (int m = 0; m < SHARES; m++) {
        share_take(&x->part[m], f);
    }
    if (agreed(x, psg_plan_create(&plan, &grid, &options), "psg_plan_create")) {
        if (x->kernel && !agreed(x, give_kernel(plan), "psg_plan_kernel")) {
            fail_nth_arm(0);
            CHECK_STATUS(give_kernel(plan), PSG_OK);
        }
        solve_all(x, plan);
    } else {
        CHECK(plan == NULL, "a plan after a failure");
    }
    fail_nth_arm(0);
    psg_plan_destroy(plan);
    MPI_Comm_free(&comm);
}

/* How many allocations the process `victim` makes. */
static long count_all(scene *x, int victim) {
    const int me = ranks_rank(MPI_COMM_WORLD) == victim;
    long most = 0;
    x->failed = 0;
    if (me) {
        fail_nth_arm(LONG_MAX);
    }
    play(x);
    most = me ? fail_nth_most() : 0;
    MPI_Bcast(&most, 1, MPI_LONG, victim, MPI_COMM_WORLD);
    CHECK(most > 50, "%ld allocations: the library that lets them fail is not there", most);
    return most;
}

/* Each step-th allocation of it fails. @return how many did */
static long fail_each(scene *x, int victim, long step) {
    const long most = count_all(x, victim);
    const int me = ranks_rank(MPI_COMM_WORLD) == victim;
    long failed = 0;
    for (x->failed = 1 + most % step; x->failed <= most; x->failed += step, failed++) {
        ranks_at("%s, %s, allocation %ld of process %d", x->variant->name,
                 ranks_exchange_name(x->exchange), x->failed, victim);
        if (me) {
            fail_nth_arm(x->failed);
        }
        play(x);
    }
    return failed;
}

int main(int argc, char **argv) {
    long total = 0;
    ranks_start(&argc, &argv);
    const long step = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
    const int ranks = ranks_size(MPI_COMM_WORLD);
    f = oracle_array(POINTS);
    want = oracle_array(POINTS);
    got = oracle_array(POINTS);
    oracle_random(3, POINTS, f);
    oracle_remove_mean(f, POINTS);
    oracle_solve(&box, ORACLE_SPECTRAL, 0, f, want);
    scene x;
    share parts[SHARES];
    memset(&x, 0, sizeof x);
    x.part = parts;
    for (int m = 0; m < SHARES; m++) {
        x.part[m] = share_make(MPI_COMM_WORLD, PSG_F64, &box, 0);
    }
    for (int n = 0; n < 2 * RANKS_EXCHANGES; n++) {
        x.variant = &harness_variants[n / RANKS_EXCHANGES];
        x.exchange = ranks_exchanges[n % RANKS_EXCHANGES];
        x.record = n % 2;
        x.kernel = n % 2 && x.variant->graph == PSG_GRAPH_FUSED;
        for (int victim = 0; victim<ranks; victim += ranks> 1 ? ranks - 1 : 1) {
            total += fail_each(&x, victim, step);
        }
    }
    if (ranks_rank(MPI_COMM_WORLD) == 0) {
        printf("%ld allocations failed\n", total);
    }
    for (int m = 0; m < SHARES; m++) {
        share_free(&x.part[m]);
    }
    free(f);
    free(want);
    free(got);
    return ranks_finish(check_result());
}
