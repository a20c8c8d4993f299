/* The statistics of a plan over several processes: how it was cut, the same everywhere; the tasks of this
 * process; and to the byte what it sent, as planes and rows are shared out. */
#include "graph/psg_observe.h"
#include "graph/psg_starpu.h"
#include "tests/check.h"
#include "tests/mpi/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const oracle_grid boxes[] = {
    {{10, 9, 13}, {1.0, 1.0, 1.0}}, {{7, 3, 5}, {1.0, 1.0, 1.0}}, {{1, 8, 2}, {1.0, 1.0, 1.0}}};

static const struct { size_t segment_planes, sheets; } cuts[] = {{0, 0}, {1, 9}, {2, 4}, {1000, 1}};

static MPI_Comm world;
static int size, rank;

static size_t part_of(size_t n, int of_rank) {
    size_t first, count;
    ranks_extent(n, size, of_rank, &first, &count);
    return count;
}

static long sum_over_processes(size_t value) {
    long own = (long)value, sum = 0;
    MPI_Allreduce(&own, &sum, 1, MPI_LONG, MPI_SUM, world);
    return sum;
}

/** Forward, this process sends each other one the rows that are the other's of its own planes; backward, its
 *  own rows of the other's planes. */
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
    CHECK(sum_over_processes(segments) == (long)s->segments, "%zu segments, of all %zu", segments,
          s->segments);
    CHECK(sum_over_processes(sheets) == (long)s->sheets, "%zu sheets, of all %zu", sheets,
          s->sheets);
    CHECK(s->segment_planes >= 1 && s->segment_planes <= part_of(box->n[2], 0), "%zu planes",
          s->segment_planes);
    if (asked > 0) {
        CHECK(s->segment_planes <= asked, "%zu planes instead of %zu", s->segment_planes, asked);
        CHECK(segments == (planes + asked - 1) / asked, "%zu segments of %zu planes, %zu asked",
              segments, planes, asked);
    }
    if (size > 1) {
        CHECK(s->exchange == ranks_exchange_used(options), "exchange %d instead of %d", s->exchange,
              options->exchange);
    }
}

static void check_tasks(const psg_plan *plan, const psg_statistics *s, const psg_options *options) {
    size_t S = 99, P = 99;
    CHECK_STATUS(psg_plan_segments(plan, &S, &P), PSG_OK);
    /* in one process, what is its only block is not packed */
    const int alone = size == 1 && P == 1, strided = s->z_layout == PSG_Z_STRIDED;
    const size_t packs = (alone ? 0 : S) + (alone && S == 1 && strided ? 0 : P);
    const size_t staged[PSG_STAGE_EXCHANGE] = {
        [PSG_STAGE_FFT_XY] = S,     [PSG_STAGE_PACK] = packs,
        [PSG_STAGE_UNPACK] = packs, [PSG_STAGE_FFT_Z] = P,
        [PSG_STAGE_DIVIDE] = P,     [PSG_STAGE_IFFT_Z] = P,
        [PSG_STAGE_IFFT_XY] = S,    [PSG_STAGE_NORMALIZE] = options->normalize ? S : 0};
    const size_t fused[PSG_STAGE_EXCHANGE] = {
        [PSG_STAGE_FORWARD_XY] = S, [PSG_STAGE_KSPACE] = P, [PSG_STAGE_INVERSE_XY] = S};
    const size_t *want = options->graph == PSG_GRAPH_STAGED ? staged : fused;
    double seconds[PSG_STAGE_COUNT], sum[PSG_STAGE_COUNT] = {0};
    for (size_t w = 0; w < s->workers; ++w) {
        CHECK_STATUS(psg_plan_worker_seconds(plan, w, seconds), PSG_OK);
        for (int stage = 0; stage < PSG_STAGE_EXCHANGE; ++stage) {
            sum[stage] += seconds[stage];
        }
    }
    for (int stage = 0; stage < PSG_STAGE_EXCHANGE; ++stage) {
        const psg_stage_statistics *of = &s->stage[stage];
        CHECK(of->tasks == want[stage],
              "%s: %llu tasks instead of %zu with %zu segments, %zu sheets",
              psg_stage_name((psg_stage)stage), (unsigned long long)of->tasks, want[stage], S, P);
        CHECK(want[stage] ? of->seconds > 0 : of->seconds == 0, "%s: %g seconds",
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

/** What was sent has come: from each process to each other as many messages as there the other way round; and
 *  those that this process sent are those of its statistics. */
static void check_messages(const psg_plan *plan, const psg_statistics *s, const char *words) {
    size_t count = 0, again = 0, sent = 0;
    int *to = calloc((size_t)size, sizeof *to), *from = calloc((size_t)size, sizeof *from);
    int *theirs = calloc((size_t)size, sizeof *theirs);
    CHECK_STATUS(psg_plan_events(plan, NULL, 0, &count), PSG_OK);
    psg_event *events = calloc(count + 1, sizeof *events);
    if (!to || !from || !theirs || !events) {
        MPI_Abort(MPI_COMM_WORLD, 1);
        return;
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
    MPI_Alltoall(to, 1, MPI_INT, theirs, 1, MPI_INT, world);
    for (int r = 0; r < size; ++r) {
        CHECK(from[r] == theirs[r], "%s: %d messages came from process %d, which sent %d", words,
              from[r], r, theirs[r]);
    }
    free(to);
    free(from);
    free(theirs);
    free(events);
}

static void one_plan(const oracle_grid *box, const psg_options *options, const char *words) {
    psg_grid grid = harness_grid(box);
    psg_plan *plan = NULL;
    psg_statistics s;
    size_t bytes = bytes_to_send(box, options), points = oracle_points(box);
    share part = share_make(world, options->precision, box, 0);
    share other = share_make(world, options->precision, box, 0);
    double *f = oracle_array(points);
    oracle_random(1, points, f);
    share_take(&part, f);
    share_take(&other, f);
    int held = CHECK_STATUS(psg_plan_create(&plan, &grid, options), PSG_OK);
    if (ranks_all(world, held)) {
        memset(&s, 0xff, sizeof s);
        CHECK_STATUS(psg_plan_statistics(plan, &s), PSG_OK);
        CHECK(s.struct_size == sizeof s && s.solves == 0, "%llu solves",
              (unsigned long long)s.solves);
        check_sent(&s, options, 0, 0, "before any solve");
        check_cut(plan, &s, options, box);
        for (unsigned solves = 1; solves <= 2; ++solves) {
            CHECK_STATUS(psg_solve(plan, part.f, part.u), PSG_OK);
            CHECK_STATUS(psg_plan_statistics(plan, &s), PSG_OK);
            CHECK(s.solves == solves && s.seconds > 0 && s.seconds < 60, "%llu solves, %g seconds",
                  (unsigned long long)s.solves, s.seconds);
            check_sent(&s, options, 1, bytes, words);
            check_cut(plan, &s, options, box);
            check_tasks(plan, &s, options);
            check_messages(plan, &s, words);
            CHECK(sum_over_processes((size_t)s.link[PSG_LINK_MESSAGE].bytes) ==
                      sum_over_processes(bytes_to_send(box, options)),
                  "%s: bytes of all processes", words);
        }
        /* of the one waited for, not of both in flight */
        CHECK_STATUS(psg_submit(plan, part.f, part.u), PSG_OK);
        CHECK_STATUS(psg_submit(plan, other.f, other.u), PSG_OK);
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        CHECK_STATUS(psg_plan_statistics(plan, &s), PSG_OK);
        check_sent(&s, options, 1, bytes, "one of two");
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        CHECK_STATUS(psg_plan_statistics(plan, &s), PSG_OK);
        check_sent(&s, options, 1, bytes, "two of two");
        check_tasks(plan, &s, options);
    }
    psg_plan_destroy(plan);
    share_free(&part);
    share_free(&other);
    free(f);
}

/** Beside: a plan without a communicator has one process and sends nothing. */
static void alone(void) {
    psg_grid grid = harness_grid(&boxes[0]);
    psg_options options = ranks_options(PSG_F64, NULL);
    psg_plan *plan = NULL;
    psg_statistics s;
    double *f = oracle_array(2 * oracle_points(&boxes[0])), *u = f + oracle_points(&boxes[0]);
    if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        CHECK_STATUS(psg_solve(plan, f, u), PSG_OK);
        CHECK_STATUS(psg_plan_statistics(plan, &s), PSG_OK);
        CHECK(s.ranks == 1 && s.rank == 0, "process %d of %d", s.rank, s.ranks);
        check_sent(&s, &options, 1, 0, "without a communicator");
    }
    psg_plan_destroy(plan);
    free(f);
}

int main(int argc, char **argv) {
    ranks_start(&argc, &argv);
    world = MPI_COMM_WORLD;
    size = ranks_size(world);
    rank = ranks_rank(world);
    psg_grid grid = harness_grid(&boxes[0]);
    psg_options options = ranks_options(PSG_F64, &world);
    psg_plan *anchor = NULL; /* so that StarPU starts once */
    CHECK_STATUS(psg_plan_create(&anchor, &grid, &options), PSG_OK);
    for (size_t n = 0; n < 3 * sizeof cuts / sizeof *cuts * HARNESS_VARIANTS; ++n) {
        static const psg_exchange exchanges[] = {PSG_EXCHANGE_AUTO, PSG_EXCHANGE_MPI,
                                                 PSG_EXCHANGE_ALLTOALL};
        size_t box = n % 3, cut = n / 3 % (sizeof cuts / sizeof *cuts);
        const harness_variant *variant = &harness_variants[n / 12];
        char words[120];
        options = ranks_options(n % 2 ? PSG_F32 : PSG_F64, &world);
        harness_set_variant(&options, variant);
        options.exchange = exchanges[(n + n / 3 + n / 12) % 3];
        options.segment_planes = cuts[cut].segment_planes;
        options.sheets = cuts[cut].sheets;
        snprintf(words, sizeof words, "%s, exchange %d, %zux%zux%zu, %zu planes, %zu sheets",
                 variant->name, options.exchange, boxes[box].n[0], boxes[box].n[1], boxes[box].n[2],
                 options.segment_planes, options.sheets);
        ranks_at("%s", words);
        if (ranks_takes(n)) {
            one_plan(&boxes[box], &options, words);
        }
    }
    alone();
    psg_plan_destroy(anchor);
    return ranks_finish(check_result());
}
