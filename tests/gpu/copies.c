/* Copies of a solve on GPUs: their bytes are those that StarPU counts, their times those of the
 * statistics, within the solve, and no faster than any link there is; each is told once, with what
 * it carried. */
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"
#include "graph/psg_starpu.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NX 128
#define NY 120
#define NZ 100
#define POINTS ((size_t)NX * NY * NZ)

enum { SEGMENT_PLANES = 30, SEGMENTS = 4, FLIGHTS = 3 };

static const oracle_grid box = {{NX, NY, NZ}, {1.0, 1.0, 1.0}};

/** A GPU's clock and the host's are compared to some microseconds. */
static const double clocks = 5e-5;

/** No link to a GPU is as fast, and none in use as slow, in bytes per second. */
static const double rate_max = 1e12, rate_min = 1e7;

static int at_once; /* StarPU waits for each copy, so that those of threads may overlap */

typedef struct state {
    psg_plan *plan;
    psg_precision precision;
    void *f, *u[FLIGHTS];
    psg_copy *copies; /* of the latest solve */
    size_t count;
} state;

/** Bytes and seconds so far. */
typedef struct totals {
    double bytes[PSG_LINK_MESSAGE], seconds[PSG_LINK_MESSAGE];
} totals;

static totals totals_now(const psg_plan *plan) {
    const psg_statistics s = harness_statistics(plan);
    return (totals){
        {(double)s.link[PSG_LINK_H2D].bytes, (double)s.link[PSG_LINK_D2H].bytes,
         (double)s.link[PSG_LINK_D2D].bytes},
        {s.link[PSG_LINK_H2D].seconds, s.link[PSG_LINK_D2H].seconds, s.link[PSG_LINK_D2D].seconds}};
}

static totals totals_since(const psg_plan *plan, const totals *before) {
    totals t = totals_now(plan);
    for (int link = 0; link < PSG_LINK_MESSAGE; ++link) {
        t.bytes[link] -= before->bytes[link];
        t.seconds[link] -= before->seconds[link];
    }
    return t;
}

static void read_copies(state *s) {
    size_t again = 0;
    CHECK_STATUS(psg_plan_copies(s->plan, NULL, 0, &s->count), PSG_OK);
    free(s->copies);
    s->copies = calloc(s->count + 1, sizeof *s->copies);
    CHECK_STATUS(psg_plan_copies(s->plan, s->copies, s->count, &again), PSG_OK);
    CHECK(again == s->count, "%zu copies, then %zu", s->count, again);
}

static void add(const state *s, totals *t) {
    for (size_t c = 0; c < s->count; ++c) {
        t->bytes[s->copies[c].link] += (double)s->copies[c].bytes;
        t->seconds[s->copies[c].link] += s->copies[c].end - s->copies[c].start;
    }
}

static void same(const totals *told, const totals *want, const char *what) {
    for (int link = 0; link < PSG_LINK_MESSAGE; ++link) {
        const char *name = psg_link_name((psg_link)link);
        CHECK(told->bytes[link] == want->bytes[link], "%s: copies %s of %.0f bytes instead of %.0f",
              what, name, told->bytes[link], want->bytes[link]);
        CHECK_NEAR(told->seconds[link], want->seconds[link], 1e-6 * want->seconds[link] + 1e-9,
                   "%s: seconds of copies %s", what, name);
    }
}

/** Each is somewhere, within the time from the submission to the return of the wait. */
static void check_list(const state *s, double wall) {
    for (size_t c = 0; c < s->count; ++c) {
        const psg_copy *copy = &s->copies[c];
        const char *name = psg_link_name(copy->link);
        CHECK(copy->start >= -clocks && copy->end >= copy->start && copy->end <= wall + clocks,
              "copy %s from %.9f to %.9f in a solve of %.9f s", name, copy->start, copy->end, wall);
        CHECK((copy->from >= 0) == (copy->link != PSG_LINK_H2D) &&
                  (copy->to >= 0) == (copy->link != PSG_LINK_D2H) && copy->from != copy->to,
              "copy %s from %d to %d", name, copy->from, copy->to);
        CHECK(c == 0 || copy->end >= s->copies[c - 1].end, "copy %zu ended before the last", c);
        for (size_t d = 0; d < c && !at_once; ++d) {
            const psg_copy *other = &s->copies[d];
            CHECK(other->from != copy->from || other->to != copy->to ||
                      other->end <= copy->start + 1e-9 || copy->end <= other->start + 1e-9,
                  "two copies %s at a time: until %.9f and from %.9f", name, other->end,
                  copy->start);
        }
    }
}

/** How often segments of an array are in the list: once each. */
static void check_array(const state *s, psg_link link, char data) {
    int found[SEGMENTS] = {0};
    for (size_t c = 0; c < s->count; ++c) {
        const psg_copy *copy = &s->copies[c];
        if (copy->data != data) {
            continue;
        }
        CHECK(copy->link == link && copy->segment < SEGMENTS && copy->sheet == SIZE_MAX,
              "%c of segment %zu, sheet %zu, %s", data, copy->segment, copy->sheet,
              psg_link_name(copy->link));
        found[copy->segment % SEGMENTS]++;
    }
    for (int segment = 0; segment < SEGMENTS; ++segment) {
        CHECK(found[segment] == 1, "%c of segment %d was copied %d times", data, segment,
              found[segment]);
    }
}

static void check_rates(const totals *moved, const char *what) {
    for (int link = 0; link < PSG_LINK_MESSAGE; ++link) {
        const double rate = moved->bytes[link] / moved->seconds[link];
        CHECK(moved->bytes[link] == 0 ? moved->seconds[link] == 0
                                      : rate > rate_min && rate < rate_max,
              "%s: %.0f bytes %s in %g s, %g GB/s", what, moved->bytes[link],
              psg_link_name((psg_link)link), moved->seconds[link], 1e-9 * rate);
    }
}

/** From main memory, one solve after the other. */
static void in_turn(state *s) {
    const double bytes = (double)(POINTS * harness_element_bytes(s->precision));
    for (int solve = 0; solve < 3; ++solve) {
        const totals before = totals_now(s->plan);
        const double start = psg_clock();
        CHECK_STATUS(psg_solve(s->plan, s->f, s->u[0]), PSG_OK);
        const double wall = psg_clock() - start;
        const totals moved = totals_since(s->plan, &before);
        totals told = {{0}, {0}};
        read_copies(s);
        add(s, &told);
        same(&told, &moved, "the list");
        CHECK(moved.bytes[PSG_LINK_H2D] >= bytes && moved.bytes[PSG_LINK_D2H] >= bytes,
              "%.0f bytes to GPUs and %.0f from them, of arrays of %.0f", moved.bytes[PSG_LINK_H2D],
              moved.bytes[PSG_LINK_D2H], bytes);
        check_rates(&moved, "in turn");
        check_list(s, wall);
        check_array(s, PSG_LINK_H2D, 'f');
        check_array(s, PSG_LINK_D2H, 'u');
    }
}

/** In flight together, each copy is of one of the solves. */
static void in_flight(state *s) {
    const totals before = totals_now(s->plan);
    totals told = {{0}, {0}};
    const double start = psg_clock();
    for (int m = 0; m < FLIGHTS; ++m) {
        CHECK_STATUS(psg_submit(s->plan, s->f, s->u[m]), PSG_OK);
    }
    for (int m = 0; m < FLIGHTS; ++m) {
        CHECK_STATUS(psg_wait(s->plan), PSG_OK);
        read_copies(s);
        add(s, &told);
        check_list(s, psg_clock() - start);
    }
    const totals moved = totals_since(s->plan, &before);
    same(&told, &moved, "in flight");
}

/** Into the slabs, and out of them: no solve's, and counted once. */
static void slabs(state *s) {
    const double bytes = (double)(POINTS * harness_element_bytes(s->precision));
    totals before = totals_now(s->plan);
    CHECK_STATUS(psg_slabs_put(s->plan, s->f), PSG_OK);
    totals moved = totals_since(s->plan, &before);
    CHECK(moved.bytes[PSG_LINK_H2D] == bytes && moved.bytes[PSG_LINK_D2H] == 0,
          "%.0f bytes into slabs of %.0f", moved.bytes[PSG_LINK_H2D], bytes);
    check_rates(&moved, "into the slabs");
    before = totals_now(s->plan);
    CHECK_STATUS(psg_submit_slabs(s->plan), PSG_OK);
    CHECK_STATUS(psg_wait(s->plan), PSG_OK);
    moved = totals_since(s->plan, &before);
    CHECK(moved.bytes[PSG_LINK_H2D] == 0 && moved.bytes[PSG_LINK_D2H] == 0,
          "%.0f and %.0f bytes to and from GPUs for data that are there", moved.bytes[PSG_LINK_H2D],
          moved.bytes[PSG_LINK_D2H]);
    totals told = {{0}, {0}};
    read_copies(s);
    add(s, &told);
    same(&told, &moved, "from slabs");
    before = totals_now(s->plan);
    CHECK_STATUS(psg_slabs_get(s->plan, s->u[0]), PSG_OK);
    moved = totals_since(s->plan, &before);
    CHECK(moved.bytes[PSG_LINK_D2H] == bytes && moved.bytes[PSG_LINK_H2D] == 0,
          "%.0f bytes out of slabs of %.0f", moved.bytes[PSG_LINK_D2H], bytes);
    check_rates(&moved, "out of the slabs");
}

static void one_plan(psg_precision precision, const harness_variant *variant,
                     psg_exchange exchange) {
    const psg_grid grid = harness_grid(&box);
    psg_options options = harness_options(precision);
    state s = {.precision = precision};
    harness_set_variant(&options, variant);
    options.cpus = 0;
    options.segment_planes = SEGMENT_PLANES;
    options.in_flight = FLIGHTS;
    options.exchange = exchange;
    if (!CHECK_STATUS(psg_plan_create(&s.plan, &grid, &options), PSG_OK)) {
        return;
    }
    s.f = harness_array(precision, POINTS);
    for (int m = 0; m < FLIGHTS; ++m) {
        s.u[m] = harness_array(precision, POINTS);
        CHECK_STATUS(psg_plan_pin(s.plan, s.u[m]), PSG_OK);
    }
    CHECK_STATUS(psg_plan_pin(s.plan, s.f), PSG_OK);
    CHECK_STATUS(psg_plan_copies(s.plan, NULL, 0, &s.count), PSG_OK);
    CHECK(s.count == 0, "%zu copies before any solve", s.count);
    in_turn(&s);
    in_flight(&s);
    slabs(&s);
    psg_plan_destroy(s.plan);
    free(s.copies);
    free(s.f);
    for (int m = 0; m < FLIGHTS; ++m) {
        free(s.u[m]);
    }
}

int main(void) {
    const char *wait = getenv("STARPU_DISABLE_ASYNCHRONOUS_CUDA_COPY");
    at_once = wait && strcmp(wait, "0") != 0;
    for (int precision = 0; precision < PSG_PRECISION_COUNT; ++precision) {
        for (size_t n = 0; n < HARNESS_VARIANTS; ++n) {
            one_plan((psg_precision)precision, &harness_variants[n], PSG_EXCHANGE_MANAGED);
        }
    }
    one_plan(PSG_F64, &harness_variants[0], PSG_EXCHANGE_AUTO);
    return check_result();
}
