/* The statistics of a plan, of one process and over several: how it was cut, the same everywhere;
 * the tasks of this process, which add up over its workers; and to the byte what it sent, as planes
 * and rows are shared out. */
#include "graph/psg_observe.h"
#include "graph/psg_starpu.h"
#include "tests/mpi/ranks.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const oracle_grid boxes[] = {
    {{10, 9, 13}, {1.0, 1.0, 1.0}}, {{7, 3, 5}, {1.0, 1.0, 1.0}}, {{1, 8, 2}, {1.0, 1.0, 1.0}}};
enum { BOXES = sizeof boxes / sizeof *boxes };

static const struct {
    size_t segment_planes, sheets;
} cuts[] = {{0, 0}, {1, 9},  {2, 4},   {1000000, 1},
            {4, 2}, {13, 1}, {14, 10}, {(size_t)-1, (size_t)-1},
            {7, 4}, {6, 3}};
enum { CUTS = sizeof cuts / sizeof *cuts };

static MPI_Comm world;
static int size, rank;

static size_t part_of(size_t n, int of_rank) {
    size_t first, count;
    ranks_extent(n, size, of_rank, &first, &count);
    return count;
}

/** Forward, this process sends each other one the rows that are the other's of its own planes;
 * backward, its own rows of the other's planes. */
static size_t bytes_to_send(const oracle_grid *box, const psg_options *options) {
    size_t numbers = 0, row = box->n[0] / 2 + 1;
    if (ranks_exchange_used(options) == PSG_EXCHANGE_DIRECT) {
        return 0; /* its messages are empty */
    }
    for (int other = 0; other < size; ++other) {
        if (other != rank) {
            numbers += part_of(box->n[2], rank) * part_of(box->n[1], other) * row;
            numbers += part_of(box->n[2], other) * part_of(box->n[1], rank) * row;
        }
    }
    return 2 * numbers * harness_element_bytes(options->precision);
}

static void check_cut(const psg_plan *plan, const psg_statistics *s, const psg_options *options,
                      const oracle_grid *box) {
    size_t segments = 99, sheets = 99;
    size_t planes = part_of(box->n[2], rank), rows = part_of(box->n[1], rank);
    size_t asked = options->segment_planes;
    CHECK(s->ranks == size && s->rank == rank, "process %d of %d", s->rank, s->ranks);
    CHECK(ranks_same(world, (long)s->segments) && ranks_same(world, (long)s->sheets) &&
              ranks_same(world, (long)s->segment_planes) && ranks_same(world, (long)s->exchange),
          "here %zu segments of up to %zu planes, %zu sheets, exchange %d", s->segments,
          s->segment_planes, s->sheets, s->exchange);
    CHECK_STATUS(psg_plan_segments(plan, &segments, &sheets), PSG_OK);
    CHECK((segments > 0) == (planes > 0) && segments <= planes, "%zu segments of %zu planes",
          segments, planes);
    CHECK((sheets > 0) == (rows > 0) && sheets <= rows, "%zu sheets of %zu rows", sheets, rows);
    CHECK(ranks_sum(world, (long)segments) == (long)s->segments, "%zu segments, of all %zu",
          segments, s->segments);
    CHECK(ranks_sum(world, (long)sheets) == (long)s->sheets, "%zu sheets, of all %zu", sheets,
          s->sheets);
    const size_t most = part_of(box->n[2], 0);
    CHECK(s->segment_planes >= 1 && s->segment_planes <= most, "%zu planes", s->segment_planes);
    if (asked > 0) {
        CHECK(s->segment_planes == (asked < most ? asked : most), "%zu planes instead of %zu",
              s->segment_planes, asked);
        CHECK(segments == planes / asked + (planes % asked > 0), "%zu segments of %zu, %zu asked",
              segments, planes, asked);
    }
    const size_t few = options->sheets < box->n[1] ? options->sheets : box->n[1];
    CHECK(size > 1 || few == 0 || sheets == few, "%zu sheets, %zu asked", sheets, options->sheets);
    CHECK(s->exchange == (size > 1            ? ranks_exchange_used(options)
                          : options->gpus > 0 ? s->exchange
                                              : PSG_EXCHANGE_MANAGED),
          "exchange %d instead of %d", s->exchange, options->exchange);
    CHECK(s->workers == (size_t)(options->gpus > 0 ? options->gpus : options->cpus), "%zu workers",
          s->workers);
    CHECK(s->plan_seconds > 0 && s->plan_seconds < 100, "plan_seconds %g", s->plan_seconds);
    for (int link = 0; link < PSG_LINK_MESSAGE && options->gpus == 0; ++link) {
        CHECK(s->link[link].bytes == 0 && s->link[link].seconds == 0,
              "%s without a GPU: %llu bytes, %g seconds", psg_link_name((psg_link)link),
              (unsigned long long)s->link[link].bytes, s->link[link].seconds);
    }
}

/** What StarPU was handed of the fused graph, by tasks: a segment and its blocks, there and back,
 * and the blocks of a sheet. From GPUs and other NUMA nodes u comes home beside that, and to GPUs
 * where there is room f, with a block that it waits for. On cores alone the first block stands for
 * all of a task, what is between the phases comes beside it, and gates are two more tasks. */
static void check_submitted(const psg_statistics *s, const psg_options *options, size_t solves) {
    const size_t S = s->segments, P = s->sheets;
    const int copies = options->gpus > 0 || getenv("STARPU_USE_NUMA") != NULL;
    const size_t of_all = copies ? 2 * S * (1 + P) + P * S : 2 * S * 3 + P * 2 + 2;
    const size_t pieces = solves ? of_all : 0, tasks = solves ? 2 * S + P + (copies ? 0 : 2) : 0;
    const size_t home = solves && copies ? S : 0;
    CHECK(s->submit.pieces == pieces + home || s->submit.pieces == pieces + 3 * home,
          "%zu pieces of data with %zu segments, %zu sheets", s->submit.pieces, S, P);
    CHECK(s->submit.tasks == tasks + home || s->submit.tasks == tasks + 2 * home,
          "%zu tasks handed over with %zu segments, %zu sheets", s->submit.tasks, S, P);
}

/* In one process, what is its only block is not packed. */
static void check_tasks(const psg_plan *plan, const psg_statistics *s, const psg_options *options,
                        size_t solves) {
    size_t S = 99, P = 99;
    CHECK_STATUS(psg_plan_segments(plan, &S, &P), PSG_OK);
    const int alone = size == 1, strided = s->z_layout == PSG_Z_STRIDED;
    const int dense = alone && S == 1 && strided && (P == 1 || options->gpus > 1);
    const size_t packs = (alone && P == 1 ? 0 : S) + (dense ? 0 : P);
    const size_t staged[PSG_STAGE_EXCHANGE] = {
        [PSG_STAGE_FFT_XY] = S,  [PSG_STAGE_PACK] = packs, [PSG_STAGE_UNPACK] = packs,
        [PSG_STAGE_FFT_Z] = P,   [PSG_STAGE_DIVIDE] = P,   [PSG_STAGE_IFFT_Z] = P,
        [PSG_STAGE_IFFT_XY] = S, [PSG_STAGE_NORMALIZE] = S};
    const size_t fused[PSG_STAGE_EXCHANGE] = {
        [PSG_STAGE_FORWARD_XY] = S, [PSG_STAGE_KSPACE] = P, [PSG_STAGE_INVERSE_XY] = S};
    const size_t *want = options->graph == PSG_GRAPH_STAGED ? staged : fused;
    double seconds[PSG_STAGE_COUNT], sum[PSG_STAGE_COUNT] = {0};
    CHECK(s->submit.seconds < 60 &&
              (solves && S + P > 0 ? s->submit.seconds > 0 : solves || s->submit.seconds == 0),
          "%g s to submit", s->submit.seconds);
    if (alone && options->segment_planes > 0 && options->graph == PSG_GRAPH_FUSED) {
        check_submitted(s, options, solves);
    }
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
    for (int stage = 0; stage < PSG_STAGE_EXCHANGE; ++stage) {
        const psg_stage_statistics *of = &s->stage[stage];
        const size_t tasks = solves ? want[stage] : 0;
        CHECK(of->tasks == tasks, "%s: %llu tasks instead of %zu with %zu segments, %zu sheets",
              psg_stage_name((psg_stage)stage), (unsigned long long)of->tasks, tasks, S, P);
        CHECK(tasks ? of->seconds > 0 : of->seconds == 0, "%s: %g seconds",
              psg_stage_name((psg_stage)stage), of->seconds);
        CHECK_NEAR(sum[stage], of->seconds, 1e-9 * s->seconds, "%s, sum over the workers",
                   psg_stage_name((psg_stage)stage));
    }
}

static void check_sent(const psg_statistics *s, const psg_options *options, int ran, size_t bytes,
                       const char *words) {
    const psg_stage_statistics *exchange = &s->stage[PSG_STAGE_EXCHANGE];
    CHECK(s->link[PSG_LINK_MESSAGE].bytes == bytes, "%s: %llu bytes sent instead of %zu", words,
          (unsigned long long)s->link[PSG_LINK_MESSAGE].bytes, bytes);
    /* an MPI_Ialltoallv without a byte for anybody may count, one for each way */
    size_t calls = options->exchange == PSG_EXCHANGE_ALLTOALL && ran ? 2 : 0;
    const int empty = ran && ranks_exchange_used(options) == PSG_EXCHANGE_DIRECT;
    CHECK(bytes ? exchange->tasks > 0 : exchange->tasks <= calls || empty,
          "%s: %llu messages for %zu bytes", words, (unsigned long long)exchange->tasks, bytes);
    CHECK(bytes ? exchange->seconds > 0 && exchange->seconds < 60 : exchange->seconds >= 0,
          "%s: %g seconds for %zu bytes", words, exchange->seconds, bytes);
}

/** What was sent has come: from each process to each other as many messages as there the other way
 * round; and those that this process sent are those of its statistics. */
static void check_messages(const psg_plan *plan, const psg_statistics *s, const char *words) {
    size_t count = 0, again = 0, sent = 0;
    int *to = calloc((size_t)size, sizeof *to), *from = calloc((size_t)size, sizeof *from);
    int *theirs = calloc((size_t)size, sizeof *theirs);
    CHECK_STATUS(psg_plan_events(plan, NULL, 0, &count), PSG_OK);
    psg_event *events = calloc(count + 1, sizeof *events);
    if (!to || !from || !theirs || !events) {
        fprintf(stderr, "no memory for %zu events\n", count);
        exit(1);
    }
    CHECK_STATUS(psg_plan_events(plan, events, count, &again), PSG_OK);
    CHECK(count == again, "%zu events, then %zu", count, again);
    for (size_t n = 0; n < count; ++n) {
        const psg_event *e = &events[n];
        CHECK(e->start >= 0 && e->start <= e->end && e->end < 60 &&
                  (n == 0 || events[n - 1].end <= e->end),
              "%s: %s from %g to %g", words, psg_stage_name(e->stage), e->start, e->end);
        CHECK(e->rank >= -1 && e->rank < size && e->rank != rank, "%s: a message with process %d",
              words, e->rank);
        if (e->stage == PSG_STAGE_EXCHANGE) {
            CHECK(e->worker == -1, "%s: a message by worker %d", words, e->worker);
            sent += e->received ? 0 : 1;
        }
        if (e->rank >= 0 && e->rank < size) {
            ++*(e->received ? &from[e->rank] : &to[e->rank]);
        }
    }
    CHECK(sent == s->stage[PSG_STAGE_EXCHANGE].tasks, "%s: %zu messages sent, %llu in statistics",
          words, sent, (unsigned long long)s->stage[PSG_STAGE_EXCHANGE].tasks);
#if RANKS_MPI
    MPI_Alltoall(to, 1, MPI_INT, theirs, 1, MPI_INT, world);
#endif
    for (int r = 0; r < size; ++r) {
        CHECK(from[r] == theirs[r], "%s: %d messages came from process %d, which sent %d", words,
              from[r], r, theirs[r]);
    }
    free(to);
    free(from);
    free(theirs);
    free(events);
}

static void one_plan(problem *x) {
    const psg_options *options = &x->options;
    const size_t bytes = bytes_to_send(&x->grid, options);
    const double mean = oracle_mean(x->f, x->points);
    const double tolerance = harness_tolerance(options->precision, 1e-14, 1e-6);
    psg_statistics s;
    share_take(&x->part, x->f);
    share_take(&x->other, x->f);
    for (size_t solves = 0; solves <= 3; ++solves) {
        memset(&s, 0xff, sizeof s);
        CHECK_STATUS(psg_plan_statistics(x->plan, &s), PSG_OK);
        CHECK(s.struct_size == sizeof s && s.solves == solves, "%llu solves",
              (unsigned long long)s.solves);
        CHECK(solves ? s.seconds > 0 && s.seconds < 60 : s.seconds == 0, "%g seconds", s.seconds);
        CHECK_NEAR(s.mean, solves ? mean : 0, tolerance, "mean, %s", x->words);
        check_sent(&s, options, solves > 0, solves ? bytes : 0, x->words);
        check_cut(x->plan, &s, options, &x->grid);
        check_tasks(x->plan, &s, options, solves);
        if (solves) {
            const size_t row =
                (x->grid.n[0] / 2 + 1) * 2 * harness_element_bytes(options->precision);
            check_messages(x->plan, &s, x->words);
            CHECK(ranks_sum(world, (long)s.link[PSG_LINK_MESSAGE].bytes) ==
                      ranks_sum(world, (long)bytes),
                  "%s: bytes of all processes", x->words);
            CHECK(ranks_sum(world, (long)s.spectrum_bytes) >=
                      (long)(row * x->grid.n[1] * x->grid.n[2]),
                  "%s: %zu bytes for the spectrum", x->words, s.spectrum_bytes);
        }
        CHECK_STATUS(psg_solve(x->plan, x->part.f, x->part.u), PSG_OK);
    }
    /* of the one waited for, not of both in flight */
    CHECK_STATUS(psg_submit(x->plan, x->part.f, x->part.u), PSG_OK);
    CHECK_STATUS(psg_submit(x->plan, x->other.f, x->other.u), PSG_OK);
    for (int n = 0; n < 2; ++n) {
        CHECK_STATUS(psg_wait(x->plan), PSG_OK);
        CHECK_STATUS(psg_plan_statistics(x->plan, &s), PSG_OK);
        check_sent(&s, options, 1, bytes, "of two in flight");
    }
    check_tasks(x->plan, &s, options, 6);
    /* a failed solve counts, and leaves the sums consistent */
    x->f[x->points / 2] = NAN;
    CHECK_STATUS(problem_solve(x, x->f), PSG_ERR_DATA);
    CHECK_STATUS(psg_plan_statistics(x->plan, &s), PSG_OK);
    CHECK(s.solves == 7, "%llu solves instead of 7", (unsigned long long)s.solves);
    check_tasks(x->plan, &s, options, 7);
}

/** Beside: a plan without a communicator has one process and sends nothing. */
static void alone(void) {
    AT_END(problem_free) problem x = problem_make_on(MPI_COMM_NULL, &boxes[0], 0);
    psg_statistics s;
    FREED double *f = oracle_array(2 * x.points);
    problem_plan(&x);
    CHECK_STATUS(psg_solve(x.plan, f, f + x.points), PSG_OK);
    CHECK_STATUS(psg_plan_statistics(x.plan, &s), PSG_OK);
    CHECK(s.ranks == 1 && s.rank == 0, "process %d of %d", s.rank, s.ranks);
    check_sent(&s, &x.options, 1, 0, "without a communicator");
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/** plan_seconds has all that psg_plan_create() took, StarPU's start included. */
static void plan_seconds(void) {
    AT_END(problem_free) problem x = problem_make(&boxes[0], 0);
    const double before = now();
    if (CHECK_STATUS(psg_plan_create(&x.plan, &x.g, &x.options), PSG_OK)) {
        const double took = now() - before;
        const psg_statistics s = harness_statistics(x.plan);
        CHECK(s.plan_seconds <= took && s.plan_seconds >= 0.8 * took, "%g of %g seconds",
              s.plan_seconds, took);
    }
}

/** Memory for a spectrum is taken once it is used, up to in_flight times. */
static void spectrum_bytes(size_t run) {
    enum { SOLVES = 6, IN_FLIGHT = 3 };
    AT_END(problem_free) problem x = problem_make(&boxes[0], run);
    const size_t bytes = x.points * harness_element_bytes(x.options.precision);
    FREED char *u = harness_array(x.options.precision, SOLVES * x.points);
    x.options.in_flight = IN_FLIGHT;
    problem_plan(&x);
    CHECK_STATUS(problem_solve(&x, x.f), PSG_OK);
    CHECK_STATUS(problem_solve(&x, x.f), PSG_OK);
    const psg_statistics first = harness_statistics(x.plan);
    for (size_t n = 0; n < SOLVES; ++n) {
        CHECK_STATUS(psg_submit(x.plan, x.part.f, u + n * bytes), PSG_OK);
    }
    for (size_t n = 0; n < SOLVES; ++n) {
        CHECK_STATUS(psg_wait(x.plan), PSG_OK);
    }
    const psg_statistics s = harness_statistics(x.plan);
    CHECK(s.spectrum_bytes == IN_FLIGHT * first.spectrum_bytes, "%zu bytes, %zu for one solve",
          s.spectrum_bytes, first.spectrum_bytes);
    CHECK(s.scratch_bytes > 0 || x.options.gpus > 0, "%zu bytes of scratch", s.scratch_bytes);
}

/** The program was compiled with a smaller struct than the library's. */
static void smaller_struct(void) {
    union {
        psg_statistics statistics;
        unsigned char byte[sizeof(psg_statistics)];
    } s;
    AT_END(problem_free) problem x = problem_make(&boxes[0], 0);
    const size_t bytes = offsetof(psg_statistics, submitted);
    x.options.segment_planes = 4;
    memset(&s, 0xa5, sizeof s);
    problem_plan(&x);
    CHECK_STATUS((psg_plan_statistics)(x.plan, &s.statistics, bytes), PSG_OK);
    CHECK(s.statistics.struct_size == bytes, "struct_size %zu", s.statistics.struct_size);
    CHECK(s.statistics.segments == 4, "%zu segments", s.statistics.segments);
    for (size_t b = bytes; b < sizeof s; ++b) {
        CHECK(s.byte[b] == 0xa5, "byte %zu beyond a struct of %zu was written", b, bytes);
    }
}

int main(int argc, char **argv) {
    ranks_start(&argc, &argv);
    world = MPI_COMM_WORLD;
    size = ranks_size(world);
    rank = ranks_rank(world);
    if (!RANKS_MPI) {
        plan_seconds();
        for (size_t variant = 0; variant < HARNESS_VARIANTS; ++variant) {
            spectrum_bytes(2 * variant);
        }
        smaller_struct();
    }
    problem anchor = problem_make(&boxes[0], 0); /* so that StarPU starts once */
    problem_plan(&anchor);
    for (size_t n = 0; n < (size_t)BOXES * CUTS * HARNESS_VARIANTS * RANKS_EXCHANGES; ++n) {
        const size_t cut = n / BOXES % CUTS, run = n / BOXES / CUTS;
        if (!ranks_takes(n)) {
            continue;
        }
        AT_END(problem_free) problem x = problem_make(&boxes[n % BOXES], 2 * run + n % 2);
        x.options.segment_planes = cuts[cut].segment_planes;
        x.options.sheets = cuts[cut].sheets;
        problem_plan(&x);
        one_plan(&x);
    }
    alone();
    problem_free(&anchor);
    return ranks_finish(check_result());
}
