/* Copies of simulated solves are known one by one, by SimGrid's clock: f comes once to each GPU and
 * u goes home once, each as fast as its link, and blocks between GPUs with exchange managed. With
 * the submission and the tasks they leave nothing of a solve out. */
#include "graph/psg_observe.h"
#include "tests/simulate/simulate.h"

#include <math.h>

#define N 64
#define PLANES 8
#define SEGMENTS (N / PLANES)
#define MOST 512

/* On each of four GPUs two segments: f in 16.8 ms, tasks of 3 ms in all, u in 8.4 ms. */
#define MACHINE                                                                                    \
    "machine exact\ncpus 4\ngpus 4\ngpu_memory 8e9\nlink to-gpu 31250000 1e-4\n"                   \
    "link from-gpu 62500000 2e-4\nlink between 125e6 3e-4\nlink peer 1e9 0\nsubmit 1e-6\n"         \
    "time forward_xy f64 gpu 64x64x64 segment 8 dense 8 0 1e-3\n"                                  \
    "time kspace f64 gpu 64x64x64 sheet 8 dense 8 0 1e-3\n"                                        \
    "time inverse_xy f64 gpu 64x64x64 segment 8 dense 8 0 1e-3\n"

static const double slab = 8.0 * N * N * PLANES, block = 16.0 * (N / 2 + 1) * 8 * 8;

typedef struct solved {
    simulated got;
    psg_copy copy[MOST];
    size_t count;
} solved;

/** A solve from main memory and back, the second one. */
static solved solve(psg_exchange exchange) {
    const simulate_case c = {.n = N,
                             .cpus = -1,
                             .gpus = 4,
                             .exchange = exchange,
                             .segment_planes = PLANES,
                             .sheets = SEGMENTS};
    solved s = {.got = {.plan = simulate_plan(&c)}};
    void *f = calloc(N * N * N, 8), *u = calloc(N * N * N, 8);
    for (int m = 0; m < 2; ++m) {
        CHECK_STATUS(psg_solve(s.got.plan, f, u), PSG_OK);
    }
    CHECK_STATUS(psg_plan_copies(s.got.plan, s.copy, MOST, &s.count), PSG_OK);
    CHECK(s.count > 0 && s.count <= MOST, "%zu copies", s.count);
    simulated_tell(&s.got);
    free(f);
    free(u);
    return s;
}

/** Each segment once, one after the other over each link, each in its time. */
static void check_array(const solved *s, psg_link link, char data, double rate, double latency) {
    unsigned found[SEGMENTS] = {0};
    for (size_t c = 0; c < s->count; ++c) {
        const psg_copy *copy = &s->copy[c];
        const int gpu = link == PSG_LINK_H2D ? copy->to : copy->from;
        if (copy->link != link) {
            continue;
        }
        CHECK(copy->data == data && copy->segment < SEGMENTS && copy->sheet == SIZE_MAX,
              "%s: copy %zu is of '%c', segment %zu", psg_link_name(link), c, copy->data,
              copy->segment);
        CHECK((copy->from < 0) == (link == PSG_LINK_H2D) &&
                  (copy->to < 0) == (link == PSG_LINK_D2H),
              "%s from %d to %d", psg_link_name(link), copy->from, copy->to);
        CHECK(gpu == (int)copy->segment / 2, "segment %zu and GPU %d", copy->segment, gpu);
        CHECK((double)copy->bytes == slab, "%zu bytes", copy->bytes);
        CHECK_NEAR(copy->end - copy->start, slab / rate + latency, 1e-6, "%s of segment %zu",
                   psg_link_name(link), copy->segment);
        found[copy->segment % SEGMENTS]++;
        for (size_t d = 0; d < c; ++d) {
            const psg_copy *other = &s->copy[d];
            CHECK(other->link != link || other->from != copy->from || other->to != copy->to ||
                      other->end <= copy->start + 1e-9,
                  "two copies from %d to %d at a time", copy->from, copy->to);
        }
    }
    for (size_t m = 0; m < SEGMENTS; ++m) {
        CHECK(found[m] == 1, "%s of segment %zu is there %u times", psg_link_name(link), m,
              found[m]);
    }
}

/** Somewhere a copy or a task goes on, or tasks are submitted, at every moment until u is home; but for what StarPU takes
 * to start the next one. */
static void check_covered(const solved *s) {
    const psg_event *event = s->got.event;
    const double idle = 50e-6;
    double covered = s->got.s.submit.seconds, end = 0;
    for (size_t c = 0; c < s->count; ++c) {
        end = fmax(end, s->copy[c].end);
    }
    for (int grown = 1; grown;) {
        const double before = covered;
        for (size_t c = 0; c < s->count; ++c) {
            covered = s->copy[c].start <= covered + idle ? fmax(covered, s->copy[c].end) : covered;
        }
        for (size_t e = 0; e < s->got.events; ++e) {
            covered = event[e].start <= covered + idle ? fmax(covered, event[e].end) : covered;
        }
        grown = covered > before;
    }
    CHECK(covered == end && end > 0.02, "nothing is known after %g s of %g", covered, end);
}

static void direct(const void *argument) {
    solved s = solve(PSG_EXCHANGE_DIRECT);
    (void)argument;
    check_array(&s, PSG_LINK_H2D, 'f', 31250000, 1e-4);
    check_array(&s, PSG_LINK_D2H, 'u', 62500000, 2e-4);
    CHECK(s.count == 2 * SEGMENTS, "%zu copies", s.count);
    const psg_statistics *all = &s.got.s; /* of both solves */
    CHECK_NEAR(all->link[PSG_LINK_H2D].seconds, 2 * SEGMENTS * (slab / 31250000 + 1e-4), 1e-5,
               "h2d");
    CHECK_NEAR(all->link[PSG_LINK_D2H].seconds, 2 * SEGMENTS * (slab / 62500000 + 2e-4), 1e-5,
               "d2h");
    CHECK(all->link[PSG_LINK_D2D].seconds == 0, "%g s between GPUs",
          all->link[PSG_LINK_D2D].seconds);
    check_covered(&s);
    simulated_free(&s.got);
}

static void managed(const void *argument) {
    solved s = solve(PSG_EXCHANGE_MANAGED);
    (void)argument;
    check_array(&s, PSG_LINK_H2D, 'f', 31250000, 1e-4);
    check_array(&s, PSG_LINK_D2H, 'u', 62500000, 2e-4);
    double bytes = 0;
    for (size_t c = 0; c < s.count; ++c) {
        const psg_copy *copy = &s.copy[c];
        if (copy->link == PSG_LINK_D2D) {
            CHECK(copy->data == 's' && copy->from != copy->to && copy->from >= 0 && copy->to >= 0,
                  "a copy of '%c' from %d to %d", copy->data, copy->from, copy->to);
            CHECK((double)copy->bytes == block, "%zu bytes", copy->bytes);
            CHECK(copy->end - copy->start >= block / 125e6, "in %g s", copy->end - copy->start);
            bytes += (double)copy->bytes;
        }
    }
    CHECK(2 * bytes == (double)s.got.s.link[PSG_LINK_D2D].bytes && bytes > 0,
          "%g bytes in copies, %g in two solves", bytes, (double)s.got.s.link[PSG_LINK_D2D].bytes);
    CHECK(s.got.s.link[PSG_LINK_D2D].seconds >= 2 * bytes / 125e6, "in %g s",
          s.got.s.link[PSG_LINK_D2D].seconds);
    check_covered(&s);
    simulated_free(&s.got);
}

int main(void) {
    simulate_apart(simulate_machine(MACHINE), direct, NULL);
    simulate_apart(simulate_machine(MACHINE), managed, NULL);
    remove(simulate_machine(""));
    return check_result();
}
