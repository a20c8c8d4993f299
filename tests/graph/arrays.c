/* Arrays of the caller's through psg_solve_arrays(): with ghost layers and padded rows, in place,
 * as dense ones. What stands between their points is untouched. u is that of the oracle, and of
 * psg_solve(). */
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const oracle_grid grids[] = {{{9, 10, 12}, {1.0, 2.0, 0.5}},
                                    {{16, 7, 5}, {1.0, 1.0, 1.0}},
                                    {{8, 12, 11}, {2.0, 1.0, 1.0}},
                                    {{5, 1, 3}, {1.0, 1.0, 1.0}}};
enum { GRIDS = sizeof grids / sizeof *grids };

/** Points before the first along each axis, and behind the last. */
typedef struct margin {
    const char *name;
    size_t before[3], behind[3];
} margin;

static const margin margins[] = {{"dense", {0, 0, 0}, {0, 0, 0}},
                                 {"one ghost layer", {1, 1, 1}, {1, 1, 1}},
                                 {"padded rows", {0, 0, 0}, {3, 0, 0}},
                                 {"planes apart", {0, 0, 0}, {0, 2, 0}},
                                 {"in a larger array", {2, 3, 1}, {5, 1, 4}}};
enum { MARGINS = sizeof margins / sizeof *margins };

/** An array with a margin around the grid. */
typedef struct room {
    size_t n[3], points, first;
    double *values; /**< what stands there, before it is rounded */
    void *data;
    psg_array array;
} room;

static room make_room(const size_t n[3], const margin *m, psg_precision precision, unsigned seed) {
    room r = {.points = 1};
    for (int d = 0; d < 3; ++d) {
        r.n[d] = m->before[d] + n[d] + m->behind[d];
        r.points *= r.n[d];
    }
    r.first = (m->before[2] * r.n[1] + m->before[1]) * r.n[0] + m->before[0];
    r.values = oracle_array(r.points);
    r.data = harness_array(precision, r.points);
    oracle_random(seed, r.points, r.values);
    harness_round(precision, r.points, r.values);
    psg_array_init(&r.array, (char *)r.data + r.first * harness_element_bytes(precision));
    r.array.stride[0] = 1;
    r.array.stride[1] = (ptrdiff_t)r.n[0];
    r.array.stride[2] = (ptrdiff_t)(r.n[0] * r.n[1]);
    return r;
}

static void free_room(room *r) {
    free(r->values);
    free(r->data);
}

/** Between the grid's points, dense, and the room. */
static void put(room *r, const size_t n[3], const double *points) {
    for (size_t m = 0; m < n[0] * n[1] * n[2]; ++m) {
        r->values[r->first + m / n[0] / n[1] * r->n[0] * r->n[1] + m / n[0] % n[1] * r->n[0] +
                  m % n[0]] = points[m];
    }
}

static void get(const room *r, const size_t n[3], const double *all, double *points) {
    for (size_t m = 0; m < n[0] * n[1] * n[2]; ++m) {
        points[m] = all[r->first + m / n[0] / n[1] * r->n[0] * r->n[1] + m / n[0] % n[1] * r->n[0] +
                        m % n[0]];
    }
}

typedef struct problem {
    const oracle_grid *grid;
    psg_precision precision;
    const char *variant;
    const double *f, *want;
} problem;

/** Solve from one margin to another, or in place, and look at all of both rooms. */
static void solve(psg_plan *plan, const problem *p, const margin *from, const margin *to,
                  bool in_place, bool waits) {
    const size_t *n = p->grid->n;
    const size_t points = oracle_points(p->grid);
    AT_END(free_room) room f = make_room(n, from, p->precision, 3);
    AT_END(free_room) room u = make_room(n, to, p->precision, 4);
    room *result = in_place ? &f : &u;
    FREED double *after = oracle_array(result->points), *got = oracle_array(points);
    put(&f, n, p->f);
    harness_store(p->precision, f.points, f.values, f.data);
    harness_store(p->precision, u.points, u.values, u.data);
    if (waits) {
        CHECK_STATUS(psg_solve_arrays(plan, 1, &f.array, &result->array, NULL), PSG_OK);
    } else if (CHECK_STATUS(psg_submit_arrays(plan, 1, &f.array, &result->array, NULL), PSG_OK)) {
        CHECK_STATUS(psg_wait(plan), PSG_OK);
    }
    harness_load(p->precision, result->points, result->data, after);
    get(result, n, after, got);
    CHECK_CLOSE(got, p->want, n[0], n[1], n[2], harness_tolerance(p->precision, 1e-12, 1e-4),
                "%s, %s, from %s to %s%s", harness_precision_name(p->precision), p->variant,
                from->name, to->name, in_place ? " in place" : "");
    put(result, n, got); /* all else is as before */
    CHECK(memcmp(after, result->values, result->points * sizeof *after) == 0,
          "%s, %s, from %s to %s%s: something between the points of u was written",
          harness_precision_name(p->precision), p->variant, from->name, to->name,
          in_place ? " in place" : "");
    if (!in_place) {
        FREED double *f_after = oracle_array(f.points);
        harness_load(p->precision, f.points, f.data, f_after);
        CHECK(memcmp(f_after, f.values, f.points * sizeof *f_after) == 0, "f was written");
    }
}

/** psg_solve() and its arrays, dense: the same answer bit by bit, in place too. */
static void dense_is_the_same(psg_plan *plan, const problem *p) {
    const size_t points = oracle_points(p->grid);
    const size_t bytes = points * harness_element_bytes(p->precision);
    FREED void *f = harness_array(p->precision, points), *u = harness_array(p->precision, points);
    FREED void *v = harness_array(p->precision, points);
    harness_store(p->precision, points, p->f, f);
    harness_store(p->precision, points, p->f, v);
    psg_array from = harness_view(f), to = harness_view(u);
    CHECK_STATUS(psg_solve_arrays(plan, 1, &from, &to, NULL), PSG_OK);
    const psg_statistics s = harness_statistics(plan);
    const size_t copied = getenv("PSG_TEST_GPUS") != NULL ? 2 * bytes : 0;
    CHECK(s.copied_bytes == copied, "%zu bytes of f and u were copied, not %zu",
          (size_t)s.copied_bytes, copied);
    CHECK_STATUS(psg_solve(plan, v, v), PSG_OK);
    CHECK(memcmp(u, v, bytes) == 0, "%s, %s: in place u is another one",
          harness_precision_name(p->precision), p->variant);
    to.device = PSG_HOST;
    memset(v, 0, bytes);
    to.data = v;
    CHECK_STATUS(psg_solve_arrays(plan, 1, &from, &to, NULL), PSG_OK);
    CHECK(memcmp(u, v, bytes) == 0, "PSG_HOST is another u");
}

/** f changes between solves with the same arrays, and pairs of arrays take turns. */
static void turns(psg_plan *plan, const problem *p) {
    const size_t points = oracle_points(p->grid);
    const size_t bytes = points * harness_element_bytes(p->precision);
    FREED void *a = harness_array(p->precision, points), *b = harness_array(p->precision, points);
    FREED void *first = harness_array(p->precision, points);
    harness_store(p->precision, points, p->f, a);
    CHECK_STATUS(psg_solve(plan, a, b), PSG_OK);
    memcpy(first, b, bytes);
    for (int round = 0; round < 3; ++round) { /* a, b and back */
        CHECK_STATUS(psg_solve(plan, b, a), PSG_OK);
        harness_store(p->precision, points, p->f, a);
        CHECK_STATUS(psg_solve(plan, a, b), PSG_OK);
        CHECK(memcmp(first, b, bytes) == 0, "round %d: u of the same f is another one", round);
    }
}

static void one_plan(const harness_variant *variant, const oracle_grid *grid,
                     psg_precision precision, size_t planes, size_t sheets) {
    const size_t points = oracle_points(grid);
    const psg_grid g = harness_grid(grid);
    FREED double *f = oracle_array(points), *want = oracle_array(points);
    psg_options options = harness_options(precision);
    const problem p = {grid, precision, variant->name, f, want};
    oracle_random(5, points, f);
    harness_round(precision, points, f);
    oracle_solve(grid, ORACLE_SPECTRAL, 0, f, want);
    harness_set_variant(&options, variant);
    options.segment_planes = planes;
    options.sheets = sheets;
    DESTROYED psg_plan *plan = harness_plan(&g, &options);
    for (int m = 0; m < MARGINS; ++m) {
        solve(plan, &p, &margins[m], &margins[m], false, m % 2 == 0);
        solve(plan, &p, &margins[m], &margins[m], true, true);
        solve(plan, &p, &margins[m], &margins[(m + 2) % MARGINS], false, true);
    }
    dense_is_the_same(plan, &p);
    turns(plan, &p);
}

int main(void) {
    const psg_options first = harness_options(PSG_F64);
    DESTROYED psg_plan *anchor = harness_anchor(&first);
    for (int m = 0; m < GRIDS; ++m) {
        for (int run = 0; run < 2 * HARNESS_VARIANTS; ++run) {
            const psg_precision precision = run % 2 ? PSG_F32 : PSG_F64;
            one_plan(&harness_variants[run / 2], &grids[m], precision, 3, 2);
            one_plan(&harness_variants[run / 2], &grids[m], precision, 0, 0); /* a team, a chain */
        }
    }
    return check_result();
}
