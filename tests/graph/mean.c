/* The mean of f, that of the whole grid in every process, is dropped and reported exactly, or is an
 * error where that was asked for and the plan can be used again. With lambda > 0 it is not
 * dropped. */
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/mpi/ranks.h"

#include <stdlib.h>
#include <string.h>

#define NX 10
#define NY 9
#define NZ 7
#define POINTS ((size_t)NX * NY * NZ)

static const oracle_grid box = {{NX, NY, NZ}, {1.0, 2.0, 1.5}};

/** Small integers that sum to 0, so that rounding has no part in their mean. */
static void integers(double *f) {
    double sum = 0;
    oracle_random(5, POINTS, f);
    for (size_t p = 0; p < POINTS; ++p) {
        f[p] = (double)(int)(8 * f[p]);
        sum += f[p];
    }
    f[POINTS / 2] -= sum;
}

static double reported_mean(const psg_plan *plan) {
    psg_statistics statistics;
    memset(&statistics, 0xff, sizeof statistics);
    CHECK_STATUS(psg_plan_statistics(plan, &statistics), PSG_OK);
    return statistics.mean;
}

static void dropped(size_t run) {
    static const double mean[] = {0, 3, -1024, 0.375};
    AT_END(problem_free) problem x = problem_make(&box, run);
    x.options.segment_planes = 2;
    integers(x.f);
    problem_plan(&x);
    CHECK_NEAR(reported_mean(x.plan), 0, 0, "before any solve");
    for (size_t m = 0; m < sizeof mean / sizeof *mean; ++m) {
        for (size_t p = 0; p < POINTS; ++p) {
            x.f[p] += mean[m];
        }
        CHECK_STATUS(problem_solve(&x, x.f), PSG_OK);
        CHECK_NEAR(reported_mean(x.plan), mean[m],
                   harness_tolerance(x.options.precision, 1e-12, 1e-3), "mean %g dropped, %s",
                   mean[m], x.words);
        problem_check(&x, &x.part, 1e-12, 1e-3, "u without the mean");
        for (size_t p = 0; p < POINTS; ++p) {
            x.f[p] -= mean[m];
        }
    }
}

/** f with a mean of `relative` of its largest value. */
static void with_mean(double relative, double *f) {
    oracle_random(8, POINTS, f);
    oracle_remove_mean(f, POINTS);
    double largest = oracle_max(f, POINTS);
    for (size_t p = 0; p < POINTS; ++p) {
        f[p] += relative * largest;
    }
}

/** The mean of each process' planes is far from 0, and that of all is `mean` of the largest |f|. */
static void uneven(double mean, double *f) {
    for (size_t p = 0; p < POINTS; ++p) {
        const size_t k = p / NX / NY; /* planes of 1 and of -1, the middle one of 0 */
        f[p] = (k < NZ / 2 ? 1 : k > NZ / 2 ? -1 : 0) + mean;
    }
}

static void expect(problem *x, const double *f, int error, const char *what) {
    const psg_status status = problem_solve(x, f);
    CHECK(status == (error ? PSG_ERR_MEAN : PSG_OK), "%s, tolerance %g, %s: status %d (%s)", what,
          x->options.mean_tolerance, x->words, status, psg_last_error());
    CHECK(!error || strstr(psg_last_error(), "mean"), "the words: %s", psg_last_error());
    CHECK_STATUS(problem_solve(x, x->f), PSG_OK);
    problem_check(x, &x->part, 1e-12, 1e-4, "the solve after a refused one");
}

static void refused(size_t run) {
    /* tolerance of the plan, mean of f over its largest: error or not */
    static const struct {
        double tolerance, part;
        int error[2]; /* f64, f32 */
    } cases[] = {{0, 0, {0, 0}},      {0, 1e-12, {0, 0}},  {0, 1e-8, {1, 0}},  {0, 1e-3, {1, 1}},
                 {0, -0.2, {1, 1}},   {0.1, 0.05, {0, 0}}, {0.1, 0.2, {1, 1}}, {0.1, -0.05, {0, 0}},
                 {0.1, -0.2, {1, 1}}, {1e-7, 1e-6, {1, 1}}};
    FREED double *f = oracle_array(POINTS);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        AT_END(problem_free) problem x = problem_make(&box, run);
        const int single = x.options.precision == PSG_F32;
        x.options.mean = PSG_MEAN_ERROR;
        x.options.mean_tolerance = cases[c].tolerance;
        x.options.segment_planes = 3;
        with_mean(0, x.f);
        problem_plan(&x);
        with_mean(cases[c].part, f);
        expect(&x, f, cases[c].error[single], "a mean in all planes");
        uneven(cases[c].part, f);
        expect(&x, f, cases[c].error[single], "a mean that no plane has");
        memset(f, 0, POINTS * sizeof *f);
        /* one plane of one process has all of it, and one number of another sets the scale: the
         * mean is 1, so 3e-6 of the largest */
        f[POINTS - 2] = 500 * (double)POINTS;
        f[POINTS - 3] = -500 * (double)POINTS;
        f[1] = (double)POINTS;
        expect(&x, f, cases[c].tolerance < 1e-6 && !(single && cases[c].tolerance == 0),
               "a mean of 1");
    }
}

static void screened(size_t run) {
    AT_END(problem_free) problem x = problem_make(&box, run);
    x.options.mean = PSG_MEAN_ERROR;
    x.options.lambda = 0.25;
    with_mean(0.5, x.f);
    problem_plan(&x);
    CHECK_STATUS(problem_solve(&x, x.f), PSG_OK);
    problem_check(&x, &x.part, 1e-12, 1e-4, "lambda > 0 with a mean");
    CHECK_NEAR(reported_mean(x.plan), 0, 0, "nothing had to be dropped, %s", x.words);
}

static void nothing_at_all(psg_mean mean) {
    AT_END(problem_free) problem x = problem_make(&box, 0);
    x.options.mean = mean;
    memset(x.f, 0, POINTS * sizeof *x.f);
    problem_plan(&x);
    CHECK_STATUS(problem_solve(&x, x.f), PSG_OK);
    problem_check(&x, &x.part, 0, 0, "f = 0");
}

int main(int argc, char **argv) {
    ranks_start(&argc, &argv);
    problem anchor = problem_make(&box, 0); /* so that StarPU starts once */
    problem_plan(&anchor);
    for (size_t run = 0; run < PROBLEM_RUNS; ++run) {
        if (ranks_takes(run)) {
            dropped(run);
            refused(run);
            screened(run);
        }
    }
    nothing_at_all(PSG_MEAN_DROP);
    nothing_at_all(PSG_MEAN_ERROR);
    problem_free(&anchor);
    return ranks_finish(check_result());
}
