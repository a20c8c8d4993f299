/* Wrong arguments of the calls on a plan are PSG_ERR_ARG, nothing is done, and the plan works on. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "graph/psg_observe.h"
#include "graph/psg_starpu.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define NX 8
#define NY 7
#define NZ 6
#define POINTS ((size_t)NX * NY * NZ)

static const oracle_grid box = {{NX, NY, NZ}, {1.0, 1.0, 1.0}};

static void null_pointers(psg_plan *plan, const double *f, double *u) {
    psg_statistics statistics;
    double seconds[PSG_STAGE_COUNT];
    size_t count = 0;
    CHECK_STATUS(psg_solve(NULL, f, u), PSG_ERR_ARG);
    CHECK_STATUS(psg_solve(plan, NULL, u), PSG_ERR_ARG);
    CHECK_STATUS(psg_solve(plan, f, NULL), PSG_ERR_ARG);
    CHECK_STATUS(psg_submit(NULL, f, u), PSG_ERR_ARG);
    CHECK_STATUS(psg_submit(plan, NULL, u), PSG_ERR_ARG);
    CHECK_STATUS(psg_submit(plan, f, NULL), PSG_ERR_ARG);
    CHECK_STATUS(psg_wait(NULL), PSG_ERR_ARG);
    CHECK_STATUS(psg_submit_slabs(NULL), PSG_ERR_ARG);
    CHECK_STATUS(psg_plan_slab_handles(NULL, NULL, NULL, NULL), PSG_ERR_ARG);
    CHECK_STATUS(psg_plan_segments(NULL, &count, &count), PSG_ERR_ARG);
    CHECK_STATUS(psg_plan_local_extent(NULL, &count, &count), PSG_ERR_ARG);
    CHECK_STATUS(psg_plan_statistics(NULL, &statistics), PSG_ERR_ARG);
    CHECK_STATUS(psg_plan_statistics(plan, NULL), PSG_ERR_ARG);
    CHECK_STATUS(psg_plan_worker_seconds(NULL, 0, seconds), PSG_ERR_ARG);
    CHECK_STATUS(psg_plan_worker_seconds(plan, 0, NULL), PSG_ERR_ARG);
    int on_gpus = -1;
    double left = -1;
    CHECK_STATUS(psg_plan_memory(NULL, &on_gpus, &left), PSG_ERR_ARG);
    CHECK_STATUS(psg_plan_memory(plan, NULL, &left), PSG_ERR_ARG);
    CHECK_STATUS(psg_plan_memory(plan, &on_gpus, NULL), PSG_ERR_ARG);
    CHECK_STATUS(psg_plan_memory(plan, &on_gpus, &left), PSG_OK);
    CHECK(on_gpus == 0 && left == 0, "%d, %g bytes of a plan without GPUs", on_gpus, left);
    CHECK_STATUS(psg_plan_statistics(plan, &statistics), PSG_OK);
    CHECK_STATUS(psg_plan_worker_seconds(plan, statistics.workers, seconds), PSG_ERR_ARG);
    CHECK_STATUS(psg_plan_worker_seconds(plan, (size_t)-1, seconds), PSG_ERR_ARG);
    CHECK_STATUS(psg_wait(plan), PSG_ERR_STATE);
    CHECK_STATUS(psg_submit_slabs(plan), PSG_ERR_STATE);
}

/** Pointers that may be NULL. */
static void optional_pointers(psg_plan *plan) {
    size_t segments = 0, sheets = 0, z0 = 7, nz = 0;
    CHECK_STATUS(psg_plan_segments(plan, NULL, NULL), PSG_OK);
    CHECK_STATUS(psg_plan_segments(plan, &segments, NULL), PSG_OK);
    CHECK_STATUS(psg_plan_segments(plan, NULL, &sheets), PSG_OK);
    CHECK(segments == 3 && sheets == 2, "%zu segments, %zu sheets", segments, sheets);
    CHECK_STATUS(psg_plan_local_extent(plan, NULL, NULL), PSG_OK);
    CHECK_STATUS(psg_plan_local_extent(plan, &z0, NULL), PSG_OK);
    CHECK_STATUS(psg_plan_local_extent(plan, NULL, &nz), PSG_OK);
    CHECK(z0 == 0 && nz == NZ, "planes from %zu, %zu of them", z0, nz);
}

/** u may be f, and nothing else of it. */
static void overlap(psg_plan *plan, double *room) {
    static const size_t offset[] = {1, POINTS / 2, POINTS - 1};
    FREED double *before = oracle_array(2 * POINTS);
    memcpy(before, room, 2 * POINTS * sizeof *room);
    for (size_t n = 0; n < sizeof offset / sizeof *offset; ++n) {
        CHECK_STATUS(psg_solve(plan, room, room + offset[n]), PSG_ERR_ARG);
        CHECK_STATUS(psg_solve(plan, room + offset[n], room), PSG_ERR_ARG);
        CHECK_STATUS(psg_submit(plan, room, room + offset[n]), PSG_ERR_ARG);
        CHECK_STATUS(psg_submit(plan, room + offset[n], room), PSG_ERR_ARG);
    }
    CHECK(memcmp(before, room, 2 * POINTS * sizeof *room) == 0, "something was done");
    CHECK_STATUS(psg_wait(plan), PSG_ERR_STATE);
}

/** Arrays of a solve in flight stay its own, but for f, which solves may share. */
static void in_flight(psg_plan *plan) {
    FREED double *room = oracle_array(4 * POINTS);
    double *f = room + POINTS, *u = room + 2 * POINTS;
    oracle_random(7, 4 * POINTS, room);
    CHECK_STATUS(psg_submit(plan, f, u), PSG_OK);
    CHECK_SAYS(psg_submit(plan, f, u), PSG_ERR_ARG, "u overlaps");
    CHECK_STATUS(psg_submit(plan, room, u + POINTS - 1), PSG_ERR_ARG);
    CHECK_STATUS(psg_submit(plan, room, u - 1), PSG_ERR_ARG);
    CHECK_STATUS(psg_submit(plan, u + POINTS, f), PSG_ERR_ARG);
    CHECK_STATUS(psg_submit(plan, u + POINTS, f - POINTS + 1), PSG_ERR_ARG);
    CHECK_SAYS(psg_submit(plan, u, room), PSG_ERR_ARG, "f overlaps");
    CHECK_STATUS(psg_submit(plan, u + 1, room), PSG_ERR_ARG);
    CHECK_STATUS(psg_submit(plan, f, room), PSG_OK);
    CHECK_STATUS(psg_submit(plan, f + 1, u + POINTS), PSG_ERR_ARG); /* the u before */
    CHECK_STATUS(psg_submit(plan, f, u + POINTS), PSG_OK);
    CHECK_STATUS(psg_wait(plan), PSG_OK);
    CHECK_STATUS(psg_submit(plan, f, u), PSG_OK); /* it is back */
    for (int n = 0; n < 3; ++n) {
        CHECK_STATUS(psg_wait(plan), PSG_OK);
    }
    CHECK(memcmp(u, room, POINTS * sizeof *u) == 0, "u of the same f");
    CHECK(memcmp(u, u + POINTS, POINTS * sizeof *u) == 0, "u of the same f");
    CHECK_STATUS(psg_wait(plan), PSG_ERR_STATE);
}

/** A pointer that no number can have. */
static void misaligned(psg_plan *plan, double *room) {
    char *bytes = (char *)room;
    for (size_t off = 1; off < sizeof(double); off += 3) {
        CHECK_STATUS(psg_solve(plan, bytes + off, room + POINTS + 1), PSG_ERR_ARG);
        CHECK_STATUS(psg_submit(plan, room, bytes + POINTS * sizeof *room + off), PSG_ERR_ARG);
        CHECK_STATUS(psg_slabs_put(plan, bytes + off), PSG_ERR_ARG);
    }
}

static void unreadable_side(void *none, double *room) {
    psg_grid grid = harness_grid(&box);
    psg_options options = harness_options(PSG_F64);
    psg_array f = harness_view(room), u = harness_view(room + POINTS), values = harness_view(none);
    grid.axis[0].bc[0] = grid.axis[0].bc[1] = PSG_BC_DIRICHLET;
    DESTROYED psg_plan *walls = harness_plan(&grid, &options);
    psg_solve_args args = harness_args(walls);
    args.side[0][0] = &values;
    CHECK_SAYS(psg_solve_arrays(walls, 1, &f, &u, &args), PSG_ERR_UNSUPPORTED,
               "not in main memory");
}

/** Addresses that nobody can read, as those of a GPU's memory are: a plan without GPUs says so. */
static void unreadable(psg_plan *plan, double *room) {
    void *none = mmap(NULL, POINTS * sizeof *room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!CHECK(none != MAP_FAILED, "no addresses")) {
        return;
    }
    CHECK_SAYS(psg_solve(plan, none, room), PSG_ERR_ARG, "f is not in main memory");
    CHECK_SAYS(psg_submit(plan, room, none), PSG_ERR_ARG, "u is not in main memory");
    CHECK_STATUS(psg_solve_many(plan, 1, none, room), PSG_ERR_ARG);
    unreadable_side(none, room);
    munmap(none, POINTS * sizeof *room);
}

/** Page-locking: nothing to do without a GPU, and never in the way. */
static void pinning(psg_plan *plan, const double *f) {
    CHECK_STATUS(psg_plan_pin(NULL, f), PSG_ERR_ARG);
    CHECK_STATUS(psg_plan_pin(plan, NULL), PSG_ERR_ARG);
    CHECK_STATUS(psg_plan_pin(plan, f), PSG_OK);
    CHECK_STATUS(psg_plan_pin(plan, f), PSG_OK);
    CHECK_STATUS(psg_plan_pin(plan, f + POINTS), PSG_OK);
    psg_plan_unpin(plan, f);
    psg_plan_unpin(plan, f);
    psg_plan_unpin(plan, NULL);
    psg_plan_unpin(NULL, f);
    CHECK_STATUS(psg_plan_pin(plan, f), PSG_OK); /* left to psg_plan_destroy() */
}

int main(void) {
    FREED double *room = oracle_array(2 * POINTS + 1), *want = oracle_array(POINTS);
    psg_grid grid = harness_grid(&box);
    psg_options options = harness_with(PSG_F64, "segment_planes=2 sheets=2");
    oracle_random(4, 2 * POINTS, room);
    oracle_solve(&box, ORACLE_SPECTRAL, 0, room, want);
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    null_pointers(plan, room, room + POINTS);
    optional_pointers(plan);
    overlap(plan, room);
    in_flight(plan);
    misaligned(plan, room);
    if (options.gpus == 0) {
        unreadable(plan, room);
    }
    pinning(plan, room);
    /* side by side is no overlap */
    CHECK_STATUS(psg_solve(plan, room, room + POINTS), PSG_OK);
    CHECK_CLOSE(room + POINTS, want, NX, NY, NZ, 1e-12, "after all the failures");
    return check_result();
}
