/* Where the time of every task and the rate of every link is given, the bounds of a solve are
 * what one works out by hand. */
#include "graph/psg_observe.h"
#include "tests/simulate/simulate.h"

#define N 64

static const char machine[] =
    "machine exact\ncpus 2\ngpus 2\ngpu_memory 8e9\nleast cpu 5e-6\nleast gpu 5e-6\n"
    "link to-gpu 5e9 1e-6\nlink from-gpu 6e9 1e-6\nlink between 7e9 1e-6\n"
    "time forward_xy f64 cpu 64x64x64 segment 8 views 8 0 100e-6\n"
    "time kspace f64 cpu 64x64x64 sheet 8 views 8 0 200e-6\n"
    "time inverse_xy f64 cpu 64x64x64 segment 8 views 8 0 50e-6\n"
    "time forward_xy f64 gpu 64x64x64 segment 8 dense 8 0 10e-6\n"
    "time kspace f64 gpu 64x64x64 sheet 8 dense 8 0 20e-6\n"
    "time inverse_xy f64 gpu 64x64x64 segment 8 dense 8 0 10e-6\n";

static const double field = 8.0 * N * N * N, spectrum = 16.0 * (N / 2 + 1) * N * N;

static psg_bounds bounds_of(const psg_plan *plan) {
    psg_bounds b = {0};
    psg_statistics s = {0};
    CHECK_STATUS(psg_plan_statistics(plan, &s), PSG_OK);
    CHECK_STATUS(psg_plan_bounds(plan, &b), PSG_OK);
    CHECK(b.seconds > 0 && b.seconds <= s.seconds, "%g s by %s of a solve of %g s", b.seconds,
          psg_bound_name(b.by), s.seconds);
    CHECK(b.bound[PSG_BOUND_MEMORY] == 0 && b.memory_rate == 0, "memory of a simulated machine");
    CHECK(b.lp_seconds == 0, "%g s by models that are not StarPU's", b.lp_seconds);
    return b;
}

/** 8 segments and 8 sheets on two cores. */
static void equal_parts(const void *argument) {
    (void)argument;
    const simulate_case c = {.n = N, .cpus = 2, .segment_planes = 8, .sheets = 8};
    AT_END(simulated_free) simulated got = simulated_of(&c);
    const psg_bounds b = bounds_of(got.plan);
    CHECK_NEAR(b.bound[PSG_BOUND_PATH], 350e-6, 1e-7, "path");
    CHECK_NEAR(b.bound[PSG_BOUND_WORK], 8 * 350e-6 / 2, 1e-7, "work");
    CHECK(b.by == PSG_BOUND_WORK && b.seconds == b.bound[PSG_BOUND_WORK], "by %s",
          psg_bound_name(b.by));
}

/** Segments of 24, 24 and 16 planes: the chain goes by one of the large ones. Beyond the least, a
 *  task on three times as many planes takes three times as long. */
static void unequal_parts(const void *argument) {
    (void)argument;
    const simulate_case c = {.n = N, .cpus = 2, .segment_planes = 24, .sheets = 8};
    AT_END(simulated_free) simulated got = simulated_of(&c);
    CHECK_NEAR(bounds_of(got.plan).bound[PSG_BOUND_PATH], 290e-6 + 200e-6 + 140e-6, 1e-7, "path");
    const double large = 290e-6 + 140e-6, small = 195e-6 + 95e-6;
    CHECK_NEAR(bounds_of(got.plan).bound[PSG_BOUND_WORK], (2 * large + small + 8 * 200e-6) / 2,
               1e-7, "work");
}

/** The time of a solve is that of the call, with the copies of f and u, and contains what they need one
 *  after the other: no sheet begins before all of f has come, and u goes home after the last. */
static void from_memory(psg_plan *plan, const void *f, void *u) {
    psg_statistics s = {0};
    const double start = psg_clock();
    CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
    const double call = psg_clock() - start;
    CHECK_STATUS(psg_plan_statistics(plan, &s), PSG_OK);
    /* the last segment alone takes 44 us home */
    CHECK(s.seconds <= call && s.seconds >= call - 3e-5, "%g s of a call of %g s", s.seconds, call);
    const psg_bounds b = bounds_of(plan);
    CHECK_NEAR(b.link_bytes[PSG_LINK_H2D], field, 1, "bytes of f");
    CHECK_NEAR(b.link_seconds[PSG_LINK_H2D], field / 2 / 5e9, 1e-9, "f to the GPUs");
    CHECK_NEAR(b.link_bytes[PSG_LINK_D2H], field, 1, "bytes of u");
    CHECK_NEAR(b.link_seconds[PSG_LINK_D2H], field / 2 / 6e9, 1e-9, "u home");
    CHECK_NEAR(b.bound[PSG_BOUND_LINK], field / 2 / 5e9, 1e-9, "the slowest of the links");
    CHECK_NEAR(b.bound[PSG_BOUND_PATH], field / 2 / 5e9 + 20e-6 + field / 2 / 6e9, 1e-9, "path");
}

/** Two GPUs with half of all segments and sheets each: of f each takes half; of the spectrum
 *  each gives the other a quarter, and as much on the way back. */
static void two_gpus(const void *argument) {
    (void)argument;
    const simulate_case c = {.n = N,
                             .cpus = 0,
                             .gpus = 2,
                             .exchange = PSG_EXCHANGE_MANAGED,
                             .segment_planes = 8,
                             .sheets = 8};
    AT_END(simulated_free) simulated got = simulated_of(&c);
    const psg_bounds b = bounds_of(got.plan);
    CHECK_NEAR(b.link_bytes[PSG_LINK_H2D], 0, 0, "f is on the GPUs already");
    CHECK_NEAR(b.link_bytes[PSG_LINK_D2H], 0, 0, "u stays there");
    CHECK_NEAR(b.bound[PSG_BOUND_PATH], 40e-6, 1e-9, "path without copies");
    CHECK_NEAR(b.link_bytes[PSG_LINK_D2D], spectrum, 1, "bytes between GPUs");
    CHECK_NEAR(b.link_seconds[PSG_LINK_D2D], spectrum / 2 / 7e9, 1e-9, "between GPUs");
    void *f = calloc(1, (size_t)field), *u = calloc(1, (size_t)field);
    from_memory(got.plan, f, u);
    free(f);
    free(u);
}

int main(void) {
    simulate_apart(simulate_machine(machine), equal_parts, NULL);
    simulate_apart(simulate_machine(machine), unequal_parts, NULL);
    simulate_apart(simulate_machine(machine), two_gpus, NULL);
    remove(simulate_machine(""));
    return check_result();
}
