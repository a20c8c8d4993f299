/* The statistics of a plan count the tasks of its graph, add up over the workers, and say how the plan
 * was cut. */
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NX 10
#define NY 9
#define NZ 13
#define POINTS ((size_t)NX * NY * NZ)

static const oracle_grid box = {{NX, NY, NZ}, {1.0, 1.0, 1.0}};

/** What the options ask for and what the plan has to have then. */
typedef struct cut {
    size_t segment_planes, sheets;
    size_t want_segments, want_planes, want_sheets;
} cut;

static const cut cuts[] = {
    {4, 2, 4, 4, 2},
    {1, 9, 13, 1, 9},
    {13, 1, 1, 13, 1},
    {14, 10, 1, 13, 9},
    {1000000, 1000000, 1, 13, 9},
    {(size_t)-1, (size_t)-1, 1, 13, 9},
    {7, 4, 2, 7, 4},
    {6, 3, 3, 6, 3},
};

/* Nothing is packed where a segment or a sheet is its only block, as it is. */
static void check_tasks(const psg_statistics *s, const psg_options *options, size_t solves) {
    size_t S = s->segments, P = s->sheets;
    const int strided = s->z_layout == PSG_Z_STRIDED, dense = P == 1 || options->gpus > 1;
    const size_t packs = (P > 1 ? S : 0) + (S == 1 && strided && dense ? 0 : P);
    const psg_graph graph = options->graph;
    const size_t staged[PSG_STAGE_COUNT] = {
        [PSG_STAGE_FFT_XY] = S,     [PSG_STAGE_PACK] = packs,
        [PSG_STAGE_UNPACK] = packs, [PSG_STAGE_FFT_Z] = P,
        [PSG_STAGE_DIVIDE] = P,     [PSG_STAGE_IFFT_Z] = P,
        [PSG_STAGE_IFFT_XY] = S,    [PSG_STAGE_NORMALIZE] = options->normalize ? S : 0};
    const size_t fused[PSG_STAGE_COUNT] = {
        [PSG_STAGE_FORWARD_XY] = S, [PSG_STAGE_KSPACE] = P, [PSG_STAGE_INVERSE_XY] = S};
    const size_t *want = graph == PSG_GRAPH_STAGED ? staged : fused;
    CHECK(solves ? s->submit_seconds > 0 && s->submit_seconds < 60 : s->submit_seconds == 0,
          "%g s to submit", s->submit_seconds);
    /* a segment and its blocks, there and back, and the blocks of a sheet; from GPUs and other NUMA
     * nodes u comes home beside that, and to GPUs where there is room f, with a block that it waits for */
    const size_t pieces = solves ? 2 * S * (1 + P) + P * S : 0;
    const size_t u_home = solves && (options->gpus > 0 || getenv("STARPU_USE_NUMA")) ? S : 0;
    CHECK(graph == PSG_GRAPH_STAGED || s->submit_pieces == pieces + u_home ||
              s->submit_pieces == pieces + 3 * u_home,
          "%zu pieces of data with %zu segments, %zu sheets", s->submit_pieces, S, P);
    const size_t tasks_handed = solves ? 2 * S + P : 0;
    CHECK(graph == PSG_GRAPH_STAGED || s->submit_tasks == tasks_handed + u_home ||
              s->submit_tasks == tasks_handed + 2 * u_home,
          "%zu tasks handed over with %zu segments, %zu sheets", s->submit_tasks, S, P);
    for (int stage = 0; stage < PSG_STAGE_COUNT; ++stage) {
        size_t tasks = solves ? want[stage] : 0;
        CHECK(s->stage[stage].tasks == tasks,
              "%s: %llu tasks instead of %zu with %zu segments, %zu sheets",
              psg_stage_name((psg_stage)stage), (unsigned long long)s->stage[stage].tasks, tasks, S,
              P);
        CHECK(tasks ? s->stage[stage].seconds > 0 : s->stage[stage].seconds == 0, "%s: %g seconds",
              psg_stage_name((psg_stage)stage), s->stage[stage].seconds);
    }
}

static void check_workers(const psg_plan *plan, const psg_statistics *s) {
    double sum[PSG_STAGE_COUNT] = {0}, seconds[PSG_STAGE_COUNT];
    for (size_t w = 0; w < s->workers; ++w) {
        double busy = 0;
        memset(seconds, 0xff, sizeof seconds);
        CHECK_STATUS(psg_plan_worker_seconds(plan, w, seconds), PSG_OK);
        for (int stage = 0; stage < PSG_STAGE_COUNT; ++stage) {
            sum[stage] += seconds[stage];
            busy += seconds[stage];
        }
        CHECK(busy >= 0 && busy <= s->seconds * 1.001, "worker %zu was busy for %g of %g seconds",
              w, busy, s->seconds);
    }
    for (int stage = 0; stage < PSG_STAGE_COUNT; ++stage) {
        CHECK_NEAR(sum[stage], s->stage[stage].seconds, 1e-9 * s->seconds,
                   "%s, sum over the workers", psg_stage_name((psg_stage)stage));
    }
}

static void check_plan(const psg_statistics *s, const psg_options *options, const cut *c) {
    CHECK(s->struct_size == sizeof *s, "struct_size %zu", s->struct_size);
    CHECK(s->segments == c->want_segments, "%zu planes asked: %zu segments", c->segment_planes,
          s->segments);
    CHECK(s->segment_planes == c->want_planes, "%zu planes asked: %zu", c->segment_planes,
          s->segment_planes);
    CHECK(s->sheets == c->want_sheets, "%zu sheets asked: %zu", c->sheets, s->sheets);
    CHECK(s->workers == (size_t)(options->gpus > 0 ? options->gpus : options->cpus), "%zu workers",
          s->workers);
    CHECK(s->plan_seconds > 0 && s->plan_seconds < 100, "plan_seconds %g", s->plan_seconds);
    if (options->gpus == 0) {
        CHECK(s->exchange == PSG_EXCHANGE_MANAGED, "exchange %d", s->exchange);
        CHECK(s->link[PSG_LINK_H2D].bytes == 0 && s->link[PSG_LINK_D2H].bytes == 0 &&
                  s->link[PSG_LINK_D2D].bytes == 0,
              "bytes to GPUs without a GPU");
        CHECK(s->link[PSG_LINK_H2D].seconds == 0 && s->link[PSG_LINK_D2H].seconds == 0 &&
                  s->link[PSG_LINK_D2D].seconds == 0,
              "seconds of no bytes: %g, %g and %g", s->link[PSG_LINK_H2D].seconds,
              s->link[PSG_LINK_D2H].seconds, s->link[PSG_LINK_D2D].seconds);
    }
}

static void one_plan(const cut *c, psg_precision precision, const harness_variant *variant) {
    double *f = oracle_array(POINTS), *u = oracle_array(POINTS);
    psg_grid grid = harness_grid(&box);
    psg_options options = harness_options(precision);
    psg_plan *plan = NULL;
    psg_statistics s;
    harness_set_variant(&options, variant);
    options.segment_planes = c->segment_planes;
    options.sheets = c->sheets;
    oracle_random(1, POINTS, f);
    double mean = oracle_mean(f, POINTS);
    if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        for (size_t solves = 0; solves <= 3; ++solves) {
            memset(&s, 0xff, sizeof s);
            CHECK_STATUS(psg_plan_statistics(plan, &s), PSG_OK);
            check_plan(&s, &options, c);
            check_tasks(&s, &options, solves);
            check_workers(plan, &s);
            CHECK(s.solves == solves, "%llu solves instead of %zu", (unsigned long long)s.solves,
                  solves);
            CHECK(solves ? s.seconds > 0 && s.seconds < 60 : s.seconds == 0, "%g seconds",
                  s.seconds);
            CHECK(!solves || s.spectrum_bytes >=
                                 (NX / 2 + 1) * NY * NZ * 2 * harness_element_bytes(precision),
                  "%zu bytes for the spectrum", s.spectrum_bytes);
            CHECK_NEAR(s.mean, solves ? mean : 0, harness_tolerance(precision, 1e-14, 1e-6),
                       "mean");
            CHECK_STATUS(harness_solve(plan, precision, POINTS, f, u), PSG_OK);
        }
        /* a failed solve counts, and leaves the sums consistent */
        f[5] = NAN;
        CHECK_STATUS(harness_solve(plan, precision, POINTS, f, u), PSG_ERR_DATA);
        CHECK_STATUS(psg_plan_statistics(plan, &s), PSG_OK);
        CHECK(s.solves == 5, "%llu solves instead of 5", (unsigned long long)s.solves);
        check_workers(plan, &s);
    }
    psg_plan_destroy(plan);
    free(f);
    free(u);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/** plan_seconds has all that psg_plan_create() took. */
static void plan_seconds(void) {
    psg_grid grid = harness_grid(&box);
    psg_options options = harness_options(PSG_F64);
    psg_plan *plan = NULL;
    psg_statistics s;
    double before = now();
    if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        double took = now() - before;
        CHECK_STATUS(psg_plan_statistics(plan, &s), PSG_OK);
        CHECK(s.plan_seconds <= took && s.plan_seconds >= 0.8 * took, "%g of %g seconds",
              s.plan_seconds, took);
    }
    psg_plan_destroy(plan);
}

/** Memory for a spectrum is taken once it is used, up to in_flight times. */
static void spectrum_bytes(const harness_variant *variant) {
    enum { SOLVES = 6, IN_FLIGHT = 3 };
    double *f = oracle_array(POINTS), *u = oracle_array(SOLVES * POINTS);
    psg_grid grid = harness_grid(&box);
    psg_options options = harness_options(PSG_F64);
    psg_plan *plan = NULL;
    psg_statistics first, s;
    harness_set_variant(&options, variant);
    options.in_flight = IN_FLIGHT;
    if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
        CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
        CHECK_STATUS(psg_plan_statistics(plan, &first), PSG_OK);
        for (size_t n = 0; n < SOLVES; ++n) {
            CHECK_STATUS(psg_submit(plan, f, u + n * POINTS), PSG_OK);
        }
        for (size_t n = 0; n < SOLVES; ++n) {
            CHECK_STATUS(psg_wait(plan), PSG_OK);
        }
        CHECK_STATUS(psg_plan_statistics(plan, &s), PSG_OK);
        CHECK(s.spectrum_bytes == IN_FLIGHT * first.spectrum_bytes, "%zu bytes, %zu for one solve",
              s.spectrum_bytes, first.spectrum_bytes);
        CHECK(s.scratch_bytes > 0 || options.gpus > 0, "%zu bytes of scratch", s.scratch_bytes);
    }
    psg_plan_destroy(plan);
    free(f);
    free(u);
}

/** The program was compiled with a smaller struct than the library's. */
static void smaller_struct(void) {
    union {
        psg_statistics statistics;
        unsigned char byte[sizeof(psg_statistics)];
    } s;
    psg_grid grid = harness_grid(&box);
    psg_options options = harness_options(PSG_F64);
    psg_plan *plan = NULL;
    size_t size = offsetof(psg_statistics, submitted);
    options.segment_planes = 4;
    memset(&s, 0xa5, sizeof s);
    if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        CHECK_STATUS((psg_plan_statistics)(plan, &s.statistics, size), PSG_OK);
        CHECK(s.statistics.struct_size == size, "struct_size %zu", s.statistics.struct_size);
        CHECK(s.statistics.segments == 4, "%zu segments", s.statistics.segments);
        for (size_t b = size; b < sizeof s; ++b) {
            CHECK(s.byte[b] == 0xa5, "byte %zu beyond a struct of %zu was written", b, size);
        }
    }
    psg_plan_destroy(plan);
}

int main(void) {
    plan_seconds();
    for (int variant = 0; variant < HARNESS_VARIANTS; ++variant) {
        spectrum_bytes(&harness_variants[variant]);
    }
    for (size_t c = 0; c < sizeof cuts / sizeof *cuts; ++c) {
        for (int variant = 0; variant < HARNESS_VARIANTS; ++variant) {
            one_plan(&cuts[c], c % 2 ? PSG_F32 : PSG_F64, &harness_variants[variant]);
        }
    }
    smaller_struct();
    return check_result();
}
