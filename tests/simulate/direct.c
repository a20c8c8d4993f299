/* With exchange direct a segment's tasks reach the blocks of sheets on other GPUs, which takes
 * what the link takes; a sheet's task finds all of its blocks on its own; StarPU copies none. */
#include "graph/psg_observe.h"
#include "graph/psg_starpu.h"
#include "tests/simulate/simulate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define N 64
#define PLANES 8
#define SEGMENTS (N / PLANES)
#define EVENTS_MOST 64

/* Tasks on 8 planes and 8 rows; of some, the way back with three quarters elsewhere. */
#define MACHINE(memory, peer)                                                                      \
    "machine exact\ncpus 4\ngpus 4\ngpu_memory " memory "\nleast gpu 5e-6\n"                       \
    "link to-gpu 5e9 1e-6\nlink from-gpu 6e9 1e-6\nlink between 7e9 1e-6\n" peer                   \
    "time forward_xy f64 gpu 64x64x64 segment 8 views 8 0 10e-3\n"                                 \
    "time forward_xy f64 gpu 64x64x64 segment 8 dense 8 0 15e-3\n"                                 \
    "time kspace f64 gpu 64x64x64 sheet 8 views 8 0 20e-3\n"                                       \
    "time inverse_xy f64 gpu 64x64x64 segment 8 dense 8 0 30e-3\n"
#define PEERS                                                                                      \
    MACHINE("8e9", "link peer 4e6 0\n")                                                            \
    "time inverse_xy f64 gpu 64x64x64 segment 8 dense 8 6 99e-3\n"

/* What `psg bench --record` writes of solves on 4 GPUs: all tasks on planes have remote blocks. */
#define OF_FOUR                                                                                    \
    "machine four\ncpus 4\ngpus 4\ngpu_memory 8e9\nlink to-gpu 5e9 1e-6\nlink from-gpu 6e9 1e-6\n" \
    "link between 7e9 1e-6\nlink peer 7e9 1e-6\n"                                                  \
    "time forward_xy f64 gpu 64x64x64 segment 8 dense 8 6 40e-3\n"                                 \
    "time kspace f64 gpu 64x64x64 sheet 8 dense 8 0 20e-3\n"                                       \
    "time inverse_xy f64 gpu 64x64x64 segment 8 dense 8 6 99e-3\n"

/* Way back with three quarters elsewhere, recorded with links of 4 MB/s, over which they go in 50.688 ms; all in memory of
 * its own it takes 30 ms. What takes 60 ms has 9.312 of these apart from the transfers. What takes 99 ms has all of them
 * apart, and the transfers take 69. */
#define RECORDED(seconds, peer)                                                                    \
    MACHINE("8e9", "recorded peer 4e6\nlink peer " peer " 0\n")                                    \
    "time inverse_xy f64 gpu 64x64x64 segment 8 dense 8 6 " seconds "\n"

/* The same, without a time of the way back in memory of its own. */
#define WITHOUT_OWN(peer)                                                                          \
    "machine four\ncpus 4\ngpus 4\ngpu_memory 8e9\nlink to-gpu 5e9 1e-6\nlink from-gpu 6e9 1e-6\n" \
    "link between 7e9 1e-6\nlink peer " peer " 1e-6\nrecorded peer 4e6\n"                          \
    "time forward_xy f64 gpu 64x64x64 segment 8 dense 8 6 40e-3\n"                                 \
    "time kspace f64 gpu 64x64x64 sheet 8 dense 8 0 20e-3\n"                                       \
    "time inverse_xy f64 gpu 64x64x64 segment 8 dense 8 6 99e-3\n"

static const double spectrum = 16.0 * (N / 2 + 1) * N * N;

typedef struct expected {
    const char *machine;
    int gpus;
    psg_exchange exchange, chosen;
    size_t sheets, remote;           /* blocks of a segment that are elsewhere */
    double forward, kspace, inverse; /* seconds of a task */
    double copied;                   /* of the spectrum, between GPUs, in a solve */
} expected;

/* A segment has 270336 bytes of the spectrum. */
static const expected cases[] = {
    /* half of them at 4 MB/s, while planes are transformed */
    {PEERS, 2, PSG_EXCHANGE_AUTO, PSG_EXCHANGE_DIRECT, 8, 4, 33.792e-3, 20e-3, 33.792e-3, 0},
    /* three quarters, and the way back as recorded */
    {PEERS, 4, PSG_EXCHANGE_DIRECT, PSG_EXCHANGE_DIRECT, 8, 6, 50.688e-3, 20e-3, 99e-3, 0},
    /* half of them at 5 MB/s, which the way back takes longer than anyway */
    {MACHINE("8e9", "link peer 5e6 0\n"), 2, PSG_EXCHANGE_DIRECT, PSG_EXCHANGE_DIRECT, 8, 4,
     27.0336e-3, 20e-3, 30e-3, 0},
    /* no less than in memory of one's own */
    {MACHINE("8e9", "link peer 1e12 0\n"), 2, PSG_EXCHANGE_DIRECT, PSG_EXCHANGE_DIRECT, 8, 4, 15e-3,
     20e-3, 30e-3, 0},
    /* copied there and back is what is elsewhere */
    {PEERS, 2, PSG_EXCHANGE_MANAGED, PSG_EXCHANGE_MANAGED, 8, 0, 15e-3, 20e-3, 30e-3, 1},
    {PEERS, 4, PSG_EXCHANGE_MANAGED, PSG_EXCHANGE_MANAGED, 8, 0, 15e-3, 20e-3, 30e-3, 1.5},
    {MACHINE("8e9", ""), 2, PSG_EXCHANGE_AUTO, PSG_EXCHANGE_MANAGED, 8, 0, 15e-3, 20e-3, 30e-3, 1},
    /* blocks are views of what the GPU has transformed */
    {PEERS, 1, PSG_EXCHANGE_AUTO, PSG_EXCHANGE_DIRECT, 8, 0, 10e-3, 20e-3, 30e-3, 0},
    /* as recorded, and the nearest of what was */
    {OF_FOUR, 4, PSG_EXCHANGE_AUTO, PSG_EXCHANGE_DIRECT, 8, 6, 40e-3, 20e-3, 99e-3, 0},
    {OF_FOUR, 2, PSG_EXCHANGE_AUTO, PSG_EXCHANGE_DIRECT, 8, 4, 40e-3, 20e-3, 99e-3, 0},
    /* the way there is not recorded: 202752 bytes over the link, or 15 ms */
    {RECORDED("60e-3", "4e6"), 4, PSG_EXCHANGE_AUTO, PSG_EXCHANGE_DIRECT, 8, 6, 50.688e-3, 20e-3,
     60e-3, 0},
    {RECORDED("60e-3", "2e6"), 4, PSG_EXCHANGE_AUTO, PSG_EXCHANGE_DIRECT, 8, 6, 101.376e-3, 20e-3,
     110.688e-3, 0},
    {RECORDED("60e-3", "1e6"), 4, PSG_EXCHANGE_AUTO, PSG_EXCHANGE_DIRECT, 8, 6, 202.752e-3, 20e-3,
     212.064e-3, 0},
    {RECORDED("60e-3", "8e6"), 4, PSG_EXCHANGE_AUTO, PSG_EXCHANGE_DIRECT, 8, 6, 25.344e-3, 20e-3,
     37.8666e-3, 0},
    {RECORDED("60e-3", "4e15"), 4, PSG_EXCHANGE_AUTO, PSG_EXCHANGE_DIRECT, 8, 6, 15e-3, 20e-3,
     30e-3, 0},
    {RECORDED("99e-3", "2e6"), 4, PSG_EXCHANGE_AUTO, PSG_EXCHANGE_DIRECT, 8, 6, 101.376e-3, 20e-3,
     168e-3, 0},
    {RECORDED("99e-3", "8e6"), 4, PSG_EXCHANGE_AUTO, PSG_EXCHANGE_DIRECT, 8, 6, 25.344e-3, 20e-3,
     64.5e-3, 0},
    {RECORDED("99e-3", "4e15"), 4, PSG_EXCHANGE_AUTO, PSG_EXCHANGE_DIRECT, 8, 6, 15e-3, 20e-3,
     30e-3, 0},
    /* recorded faster than in memory of its own: that is the work then */
    {RECORDED("20e-3", "2e6"), 4, PSG_EXCHANGE_AUTO, PSG_EXCHANGE_DIRECT, 8, 6, 101.376e-3, 20e-3,
     40e-3, 0},
    /* slower links take longer; faster ones may, but nobody knows how short the task can become */
    {WITHOUT_OWN("2e6"), 4, PSG_EXCHANGE_AUTO, PSG_EXCHANGE_DIRECT, 8, 6, 80e-3, 20e-3, 149.688e-3,
     0},
    {WITHOUT_OWN("8e6"), 4, PSG_EXCHANGE_AUTO, PSG_EXCHANGE_DIRECT, 8, 6, 40e-3, 20e-3, 99e-3, 0},
    {OF_FOUR, 2, PSG_EXCHANGE_MANAGED, PSG_EXCHANGE_MANAGED, 8, 0, 40e-3, 20e-3, 99e-3, 1},
};

/* StarPU adds what it takes to start a kernel. */
static void check_event(const psg_event *event, const expected *e) {
    const char *stage = psg_stage_name(event->stage);
    const double seconds = event->end - event->start;
    const double want = event->stage == PSG_STAGE_FORWARD_XY ? e->forward
                        : event->stage == PSG_STAGE_KSPACE   ? e->kspace
                                                             : e->inverse;
    CHECK(seconds >= want - 1e-6 && seconds <= want + 50e-6, "%s on %d GPUs: %g s instead of %g",
          stage, e->gpus, seconds, want);
    CHECK(event->dense == (e->gpus > 1), "%s on %d GPUs: dense %d", stage, e->gpus, event->dense);
    CHECK(event->remote == (event->stage == PSG_STAGE_KSPACE ? 0 : e->remote),
          "%s on %d GPUs: %zu remote blocks", stage, e->gpus, event->remote);
}

static void check_case(const void *argument) {
    const expected *e = argument;
    const simulate_case c = {.n = N,
                             .gpus = e->gpus,
                             .exchange = e->exchange,
                             .segment_planes = PLANES,
                             .sheets = e->sheets};
    AT_END(simulated_free) simulated got = simulated_of(&c);
    CHECK_NEAR(got.b.link_bytes[PSG_LINK_D2D],
               e->gpus == 1 ? 0 : (e->gpus == 2 ? 1 : 1.5) * spectrum, 1,
               "the link's bound on %d GPUs, exchange %d", e->gpus, (int)e->exchange);
    const char *peer = strstr(e->machine, "link peer ");
    const bool direct = e->chosen == PSG_EXCHANGE_DIRECT;
    const double rate = direct && peer ? atof(peer + strlen("link peer ")) : 7e9;
    const double moved = e->gpus == 1 ? 0 : spectrum / (e->gpus == 2 ? 2 : 8); /* one way */
    CHECK_NEAR(got.b.link_seconds[PSG_LINK_D2D], moved / rate, 1e-9 + 1e-6 * moved / rate,
               "seconds of the link on %d GPUs, exchange %d", e->gpus, (int)e->exchange);
    CHECK(got.s.exchange == e->chosen, "exchange %d on %d GPUs", (int)got.s.exchange, e->gpus);
    CHECK_NEAR((double)got.s.link[PSG_LINK_D2D].bytes, 2 * e->copied * spectrum, 1,
               "of two solves on %d GPUs", e->gpus);
    CHECK(got.s.spectrum_bytes == (size_t)spectrum, "%zu bytes of spectra",
          (size_t)got.s.spectrum_bytes);
    CHECK(got.events == 2 * SEGMENTS + e->sheets, "%zu events", got.events);
    for (size_t m = 0; m < got.events; ++m) {
        check_event(&got.event[m], e);
    }
}

/** 3 sheets on 2 GPUs: the first has two, and the segments of the other reach these. Of each, 8 rows stay with the
 * segments, half of which are on the other GPU. */
static void uneven(const void *argument) {
    (void)argument;
    const simulate_case c = {.n = 2 * N, .gpus = 2, .segment_planes = 2 * PLANES, .sheets = 3};
    AT_END(simulated_free) simulated got = simulated_of(&c);
    for (size_t m = 0; m < got.events; ++m) {
        const size_t s = got.event[m].segment, want = s == SIZE_MAX      ? SEGMENTS / 2
                                                      : s < SEGMENTS / 2 ? 1
                                                                         : 2;
        CHECK(got.event[m].remote == want, "%zu remote pieces of segment %zu", got.event[m].remote,
              s);
    }
}

/** Rows of all sheets that kspace moves, at half a MB/s. */
typedef struct moved {
    const char *machine;
    int gpus;
    size_t n, returned, fetched;
    double spectra; /**< that a lane has room for */
    int lanes;      /**< of two solves in flight */
} moved;

static const moved rows[] = {
    /* of sheets of 64 rows 8, which stand with the segments */
    {MACHINE("8e9", "link peer 0.5e6 0\n"), 2, 2 * N, 16, 16, 1, 2},
    /* of 32 rows 16, which have a place where they come, and one to go back to */
    {MACHINE("8e9", "link peer 0.5e6 0\n"), 4, 2 * N, 64, 0, 1.5, 2},
    {MACHINE("8e9", "link peer 0.5e6 0\n"), 4, 4 * N, 128, 0, 1.5, 2},
    /* for which there is no room */
    {MACHINE("120e6", "link peer 0.5e6 0\n"), 4, 4 * N, 32, 32, 1, 1},
    /* or of two solves in flight just not: 34.1 MB are needed of 32.4, and without them 29.8 */
    {MACHINE("36e6", "link peer 0.5e6 0\n"), 4, 2 * N, 64, 0, 1.5, 1},
};

static void check_moved(const void *argument) {
    const moved *e = argument;
    const double n = (double)e->n, gpus = e->gpus, row = 16 * (n / 2 + 1);
    const simulate_case c = {
        .n = e->n, .gpus = e->gpus, .segment_planes = e->n / 16, .sheets = (size_t)e->gpus};
    AT_END(simulated_free) simulated got = simulated_of(&c);
    CHECK(got.s.returned_rows == e->returned && got.s.fetched_rows == e->fetched,
          "%zu^3 on %d GPUs: %zu rows returned, %zu fetched", e->n, e->gpus, got.s.returned_rows,
          got.s.fetched_rows);
    CHECK(got.s.spectrum_bytes == (size_t)(row * n * n * e->spectra), "%zu bytes",
          got.s.spectrum_bytes);
    CHECK(got.events == 2 * 16 + (size_t)e->gpus, "%zu events", got.events);
    for (size_t m = 0; m < got.events; ++m) {
        const psg_stage stage = got.event[m].stage;
        const double of_all = stage == PSG_STAGE_KSPACE       ? (double)e->returned / gpus * n
                              : stage == PSG_STAGE_FORWARD_XY ? (n - (double)e->fetched) * n / 16
                                                              : (n - (double)e->returned) * n / 16;
        const double want = of_all * row * (gpus - 1) / gpus / 0.5e6;
        const double seconds = got.event[m].end - got.event[m].start;
        CHECK(seconds >= want - 1e-6 && seconds <= want + 50e-6,
              "%zu^3 on %d GPUs, %s: %g s instead of %g", e->n, e->gpus, psg_stage_name(stage),
              seconds, want);
    }
    CHECK_STATUS(psg_submit_slabs(got.plan), PSG_OK);
    CHECK_STATUS(psg_submit_slabs(got.plan), PSG_OK);
    CHECK_STATUS(psg_wait(got.plan), PSG_OK);
    CHECK_STATUS(psg_wait(got.plan), PSG_OK);
    simulated_tell(&got);
    CHECK(got.s.spectrum_bytes == (size_t)(row * n * n * e->spectra) * (size_t)e->lanes,
          "%zu^3 on %d GPUs: %zu bytes for two solves in flight", e->n, e->gpus,
          got.s.spectrum_bytes);
}

/** What does not fit the GPUs stays in main memory, and is cut for copying, at the least. */
static void too_large(const void *argument) {
    const simulate_case c = {.n = 1024, .gpus = 4};
    (void)argument;
    AT_END(simulated_free) simulated got = simulated_of(&c);
    CHECK(got.s.exchange == PSG_EXCHANGE_MANAGED && got.s.sheets >= 16 && got.s.segments >= 16,
          "exchange %d of %zu segments and %zu sheets", (int)got.s.exchange, got.s.segments,
          got.s.sheets);
}

/** A segment and a sheet for each of several GPUs, or without exchange direct two of each; one has two segments. */
static void default_cut(const void *argument) {
    const simulate_case *c = argument;
    AT_END(simulated_free) simulated got = simulated_of(c);
    const bool direct = c->exchange == PSG_EXCHANGE_AUTO;
    const size_t gpus = (size_t)c->gpus, segments = direct && gpus > 1 ? gpus : 2 * gpus;
    CHECK(got.s.segments == segments && got.s.sheets == (direct ? gpus : 2 * gpus),
          "%zu x %zu on %zu GPUs, exchange %d", got.s.segments, got.s.sheets, gpus,
          (int)c->exchange);
}

int main(void) {
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        simulate_apart(simulate_machine(cases[c].machine), check_case, &cases[c]);
    }
    simulate_apart(simulate_machine(PEERS), uneven, NULL);
    for (size_t c = 0; c < sizeof rows / sizeof rows[0]; ++c) {
        simulate_apart(simulate_machine(rows[c].machine), check_moved, &rows[c]);
    }
    simulate_apart(simulate_machine(MACHINE("2e9", "link peer 10e6 0\n")), too_large, NULL);
    remove(simulate_machine(""));
    for (int gpus = 1; gpus <= 8; gpus *= 2) {
        simulate_case c = {.machine = "h200", .n = 1024, .cpus = -1, .gpus = gpus};
        simulate_apart("h200", default_cut, &c);
        c.exchange = PSG_EXCHANGE_MANAGED;
        simulate_apart("h200", default_cut, &c);
    }
    return check_result();
}
