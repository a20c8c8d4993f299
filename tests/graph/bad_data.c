/* A NaN or an Inf anywhere in f is PSG_ERR_DATA, of one process and, in the planes of one of
 * several, in all of them, with its place in the whole grid in the words of each. The plan gives
 * right answers afterwards. */
#include "tests/check.h"
#include "tests/mpi/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NX 7
#define NY 6
#define NZ 9
#define POINTS ((size_t)NX * NY * NZ)
#define PLANE ((size_t)NX * NY)

static const oracle_grid box = {{NX, NY, NZ}, {1.0, 1.0, 1.0}};

/** Are the first coordinates in the words those of one of the points? */
static int names_one_of(const size_t *points, size_t count) {
    size_t at[3] = {0, 0, 0};
    if (harness_coordinates(psg_last_error(), at) == 3 && at[0] < NX && at[1] < NY && at[2] < NZ) {
        for (size_t n = 0; n < count; ++n) {
            if ((at[2] * NY + at[1]) * NX + at[0] == points[n]) {
                return 1;
            }
        }
    }
    return 0;
}

static void damage(problem *x, const size_t *points, size_t count, double value) {
    FREED double *f = oracle_array(POINTS);
    memcpy(f, x->f, POINTS * sizeof *f);
    for (size_t n = 0; n < count; ++n) {
        f[points[n]] = value;
    }
    CHECK_STATUS(problem_solve(x, f), PSG_ERR_DATA);
    CHECK(names_one_of(points, count), "%g at (%zu,%zu,%zu) and %zu more, %s; the words: %s", value,
          points[0] % NX, points[0] / NX % NY, points[0] / PLANE, count - 1, x->words,
          psg_last_error());
}

static void good_again(problem *x) {
    CHECK_STATUS(problem_solve(x, x->f), PSG_OK);
    problem_check(x, &x->part, 1e-12, 1e-4, "the solve after bad ones");
}

/** At the ends of lines, at several points, and wandering over all planes, and so all processes. */
static void damages(problem *x) {
    static const double values[] = {NAN, INFINITY, -INFINITY};
    static const struct {
        size_t count, at[4];
    } some[] = {{1, {0}},
                {1, {POINTS - 1}},
                {1, {POINTS / 2}},
                {1, {NX - 1}},
                {2, {3, POINTS - 3}},
                {2, {0, POINTS - 1}},
                {4, {PLANE, PLANE + 1, POINTS / 3, POINTS / 2 + 1}}};
    for (size_t n = 0; n < 3 * sizeof some / sizeof *some; ++n) {
        damage(x, some[n / 3].at, some[n / 3].count, values[n % 3]);
        good_again(x);
    }
    for (size_t k = 0; k < NZ; ++k) {
        const size_t point = k * PLANE + (5 * k + 3) % PLANE;
        damage(x, &point, 1, values[k % 3]);
    }
    good_again(x);
}

/** Of three solves in flight, only the middle one is bad. */
static void among_others(problem *x) {
    const size_t point = 5 * PLANE + 2 * NX + 1;
    AT_END(share_free) share bad = share_make(MPI_COMM_WORLD, x->part.precision, &box, 0);
    const double keep = x->f[point];
    share_take(&x->part, x->f);
    share_take(&x->other, x->f);
    x->f[point] = NAN;
    share_take(&bad, x->f);
    x->f[point] = keep;
    CHECK_STATUS(psg_submit(x->plan, x->part.f, x->part.u), PSG_OK);
    CHECK_STATUS(psg_submit(x->plan, bad.f, bad.u), PSG_OK);
    CHECK_STATUS(psg_submit(x->plan, x->other.f, x->other.u), PSG_OK);
    CHECK_STATUS(psg_wait(x->plan), PSG_OK);
    CHECK_STATUS(psg_wait(x->plan), PSG_ERR_DATA);
    CHECK(names_one_of(&point, 1), "%s; the words: %s", x->words, psg_last_error());
    CHECK_STATUS(psg_wait(x->plan), PSG_OK);
    problem_check(x, &x->part, 1e-12, 1e-4, "the solve before a bad one");
    problem_check(x, &x->other, 1e-12, 1e-4, "the solve behind a bad one");
}

/** f is finite, and its transform is not: an error in all processes, or a finite u in all of
 * them. */
static void overflow(problem *x, size_t first, size_t last, float value, int alternates) {
    FREED double *f = oracle_array(POINTS);
    int finite = 1;
    for (size_t p = first; p < last; ++p) {
        f[p] = alternates && p / NX % 2 ? -value : value;
    }
    const psg_status status = problem_solve(x, f);
    CHECK(ranks_same(MPI_COMM_WORLD, status), "%s, %g in %zu to %zu: status %d here", x->words,
          value, first, last, status);
    share_gather(&x->part, MPI_COMM_WORLD, x->got);
    for (size_t p = 0; p < POINTS; ++p) {
        finite = finite && isfinite(x->got[p]);
    }
    CHECK(status == PSG_ERR_DATA || (status == PSG_OK && finite),
          "%s, %g in %zu to %zu: status %d, u finite: %d", x->words, value, first, last, status,
          finite);
    good_again(x);
}

int main(int argc, char **argv) {
    ranks_start(&argc, &argv);
    problem anchor = problem_make(&box, 0); /* so that StarPU starts once */
    problem_plan(&anchor);
    for (size_t n = 0; n < 2 * PROBLEM_RUNS; ++n) {
        if (!ranks_takes(n)) {
            continue;
        }
        AT_END(problem_free) problem x = problem_make(&box, n / 2);
        oracle_remove_mean(x.f, POINTS);
        x.options.mean = n % 2 ? PSG_MEAN_ERROR : PSG_MEAN_DROP;
        x.options.segment_planes = 2;
        x.options.sheets = 5;
        problem_plan(&x);
        damages(&x);
        among_others(&x);
        if (x.options.precision == PSG_F32 && n % 2 == 0) {
            overflow(&x, 0, POINTS, 3e38F, 0);
            overflow(&x, 2 * PLANE, 3 * PLANE, 2e37F, 0); /* the sum of one plane is an Inf */
            overflow(&x, POINTS - 1, POINTS, 3e38F, 0);   /* only the inverse overflows */
            overflow(&x, 0, POINTS, 4e37F, 1); /* without a mean; 7 times that is no Inf */
        }
    }
    problem_free(&anchor);
    return ranks_finish(check_result());
}
