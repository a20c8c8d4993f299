/* A task takes the time that was recorded of such a task; between recorded sizes a time between,
 * beyond them what exceeds the least in proportion; and of what was not recorded the nearest. One
 * is submitted after the other, which takes its time too. Solves go by the simulated clock. */
#include "graph/psg_observe.h"
#include "tests/simulate/simulate.h"

#include <string.h>

#define N 64
#define EVENTS_MOST 256

/* In microseconds: kspace by rows, of 1 and of 8 pieces; the others are in proportion. */
static const char machine[] =
    "machine exact\ncpus 2\nleast cpu 5e-6\ngap 1e-3\n" /* of GPUs, and so of none here */
    "time forward_xy f64 cpu 64x64x64 segment 8 views 8 0 100e-6\n"
    "time forward_xy f64 cpu 32x32x32 segment 8 views 8 0 9\n" /* of another length */
    "time forward_xy f32 cpu 64x64x64 segment 8 views 8 0 9\n" /* of another precision */
    "time kspace f64 cpu 64x64x64 sheet 8 views 8 0 200e-6\n"
    "time kspace f64 cpu 64x64x64 sheet 32 views 8 0 1600e-6\n"
    "time kspace f64 cpu 64x64x64 sheet 8 views 1 0 50e-6\n"
    "time kspace f64 gpu 64x64x64 sheet 8 views 8 0 9\n" /* not a core's */
    "time inverse_xy f64 cpu 64x64x64 segment 8 views 8 0 1e-6\n";

typedef struct expected {
    size_t planes, sheets;
    double forward, kspace, inverse; /* seconds of a task */
} expected;

static const expected cases[] = {
    {8, 8, 100e-6, 200e-6, 5e-6},     /* as recorded; no task takes less than the least */
    {64, 8, 765e-6, 50e-6, 5e-6},     /* one segment: 5 + 8 * 95; the kspace of one piece */
    {8, 2, 100e-6, 1600e-6, 5e-6},    /* the nearest number of sheets; as recorded */
    {8, 4, 100e-6, 565.685e-6, 5e-6}, /* half-way between 8 and 32 rows: sqrt(200 * 1600) */
    {8, 1, 100e-6, 3195e-6, 5e-6},    /* beyond 32 rows: 5 + 2 * 1595 */
    {4, 16, 52.5e-6, 102.5e-6, 5e-6}, /* below 8 planes and 8 rows: 5 + 95 / 2, 5 + 195 / 2 */
};

static void check_times(const void *argument) {
    const expected *e = argument;
    const simulate_case c = {.n = N, .cpus = 1, .segment_planes = e->planes, .sheets = e->sheets};
    AT_END(simulated_free) simulated got = simulated_of(&c);
    double sum = 0;
    CHECK(got.events == 2 * (N / e->planes) + e->sheets, "%zu events", got.events);
    for (size_t m = 0; m < got.events; ++m) {
        const double want = got.event[m].stage == PSG_STAGE_FORWARD_XY ? e->forward
                            : got.event[m].stage == PSG_STAGE_KSPACE   ? e->kspace
                                                                       : e->inverse;
        CHECK_NEAR(got.event[m].end - got.event[m].start, want, 1e-3 * want + 1e-7,
                   "%s with %zu x %zu", psg_stage_name(got.event[m].stage), e->planes, e->sheets);
        CHECK(got.event[m].count ==
                  (got.event[m].stage == PSG_STAGE_KSPACE ? N / e->sheets : e->planes),
              "%s on %zu", psg_stage_name(got.event[m].stage), got.event[m].count);
        sum += got.event[m].end - got.event[m].start;
    }
    /* one core does all of it; submission and scheduling take some time too */
    CHECK(got.seconds >= sum && got.seconds <= 1.1 * sum + 1e-3, "%g s in tasks, and %g s", sum,
          got.seconds);
}

/** Twice the cores, half the time, of a graph that has enough tasks. */
static void check_cores(const void *argument) {
    (void)argument;
    const simulate_case c = {
        .machine = simulate_machine(machine), .n = N, .cpus = 2, .segment_planes = 8, .sheets = 8};
    AT_END(simulated_free) simulated got = simulated_of(&c);
    const double one = 8 * (100e-6 + 200e-6 + 5e-6);
    CHECK(got.seconds > one / 2 && got.seconds < 0.65 * one, "%g s on two cores, %g s on one",
          got.seconds, one);
    CHECK(got.s.workers == 2 && got.s.solves == 2 && got.s.mean == 0,
          "%zu workers, %d solves, mean %g", got.s.workers, (int)got.s.solves, got.s.mean);
}

/** 8 segments of 3 pieces of data, 8 sheets of 2, 8 segments of 3, and 2 gates of one: 1 ms each,
 *  until the last task is submitted, which then takes what it takes. */
static void check_submission(const void *argument) {
    (void)argument;
    const simulate_case c = {.n = N, .cpus = 2, .segment_planes = 8, .sheets = 8};
    const double seconds = simulated_seconds(&c), want = 66e-3;
    CHECK(seconds >= want && seconds < want + 0.4e-3, "%g s instead of %g", seconds, want);
}

/** One GPU does one task after the other, with the gap between two: 1 us, and 2 for each of its blocks. It is no part of
 *  a task. */
static void check_gaps(const void *argument) {
    (void)argument;
    const simulate_case c = {.n = N, .gpus = 1, .segment_planes = 8, .sheets = 4};
    AT_END(simulated_free) simulated got = simulated_of(&c);
    CHECK(got.events == 2 * 8 + 4, "%zu events", got.events);
    for (size_t m = 0; m < got.events; ++m) {
        const double wait = m > 0 ? got.event[m].start - got.event[m - 1].end : 0;
        const double gap = 1e-6 + 2e-6 * (got.event[m].stage == PSG_STAGE_KSPACE ? 8 : 4);
        CHECK_NEAR(got.event[m].end - got.event[m].start, 100e-6, 1e-7, "%s",
                   psg_stage_name(got.event[m].stage));
        CHECK(m == 0 || got.event[m].stage != got.event[m - 1].stage || fabs(wait - gap) < 1e-8,
              "%s starts after %g s, not %g", psg_stage_name(got.event[m].stage), wait, gap);
    }
}

int main(void) {
    static const char gpu[] =
        "machine one\ncpus 1\ngpus 1\ngpu_memory 8e9\nlink to-gpu 1e12 0\nlink from-gpu 1e12 0\n"
        "gap 2e-6 1e-6\nleast gpu 100e-6\n"
        "time forward_xy f64 gpu 64x64x64 segment 8 views 4 0 100e-6\n"
        "time kspace f64 gpu 64x64x64 sheet 16 views 8 0 100e-6\n"
        "time inverse_xy f64 gpu 64x64x64 segment 8 views 4 0 1e-6\n";
    char submitted[sizeof machine + 16];
    SIMULATE_EACH(simulate_machine(machine), check_times, cases);
    simulate_apart(simulate_machine(machine), check_cores, NULL);
    snprintf(submitted, sizeof submitted, "%ssubmit 1e-3\n", machine);
    simulate_apart(simulate_machine(submitted), check_submission, NULL);
    simulate_apart(simulate_machine(gpu), check_gaps, NULL);
    remove(simulate_machine(""));
    return check_result();
}
