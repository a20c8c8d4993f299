/* A NaN or an Inf in the planes of one process is PSG_ERR_DATA in all of them, with its place in the whole
 * grid in the words of each; so is a mean where it was to be an error; and the plan gives right answers
 * afterwards. */
#include "graph/psg_observe.h"
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

/** A plan with a good right-hand side and its answer. */
typedef struct fixture {
    psg_plan *plan;
    share part, other;
    double *good, *want, *f, *u;
    char words[120];
} fixture;

static int fixture_init(fixture *x, psg_precision precision, const harness_variant *variant,
                        psg_exchange exchange, psg_mean mean, double tolerance) {
    MPI_Comm comm = MPI_COMM_WORLD;
    psg_grid grid = harness_grid(&box);
    psg_options options = ranks_options(precision, &comm);
    harness_set_variant(&options, variant);
    options.exchange = exchange;
    options.mean = mean;
    options.mean_tolerance = tolerance;
    options.segment_planes = 2;
    options.sheets = 5;
    x->plan = NULL;
    x->part = share_make(comm, precision, &box, 0);
    x->other = share_make(comm, precision, &box, 1);
    x->good = oracle_array(POINTS);
    x->want = oracle_array(POINTS);
    x->f = oracle_array(POINTS);
    x->u = oracle_array(POINTS);
    snprintf(x->words, sizeof x->words, "%s, %s, %s, mean %s", harness_precision_name(precision),
             variant->name, ranks_exchange_name(exchange), mean ? "an error" : "dropped");
    ranks_at("%s", x->words);
    oracle_random(3, POINTS, x->good);
    oracle_remove_mean(x->good, POINTS);
    oracle_solve(&box, ORACLE_SPECTRAL, 0, x->good, x->want);
    int held = CHECK_STATUS(psg_plan_create(&x->plan, &grid, &options), PSG_OK);
    return ranks_all(comm, held);
}

static void fixture_free(fixture *x) {
    psg_plan_destroy(x->plan);
    share_free(&x->part);
    share_free(&x->other);
    free(x->good);
    free(x->want);
    free(x->f);
    free(x->u);
}

static void check_u(fixture *x, share *part, const char *when) {
    share_gather(part, MPI_COMM_WORLD, x->u);
    CHECK_CLOSE(x->u, x->want, NX, NY, NZ, harness_tolerance(part->precision, 1e-12, 1e-4),
                "%s, %s", when, x->words);
}

static psg_status solve(fixture *x, const double *f) {
    share_take(&x->part, f);
    return psg_solve(x->plan, x->part.f, x->part.u);
}

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

static void damage(fixture *x, const size_t *points, size_t count, double value) {
    memcpy(x->f, x->good, POINTS * sizeof *x->f);
    for (size_t n = 0; n < count; ++n) {
        x->f[points[n]] = value;
    }
    CHECK_STATUS(solve(x, x->f), PSG_ERR_DATA);
    CHECK(names_one_of(points, count), "%g at (%zu,%zu,%zu) and %zu more, %s; the words: %s", value,
          points[0] % NX, points[0] / NX % NY, points[0] / PLANE, count - 1, x->words,
          psg_last_error());
}

/** The damage wanders over all planes, and so over all processes. */
static void wandering(fixture *x) {
    static const double values[] = {NAN, INFINITY, -INFINITY};
    for (size_t k = 0; k < NZ; ++k) {
        size_t point = k * PLANE + (5 * k + 3) % PLANE;
        damage(x, &point, 1, values[k % 3]);
    }
    size_t corners[2] = {0, POINTS - 1};
    damage(x, corners, 2, NAN);
    CHECK_STATUS(solve(x, x->good), PSG_OK);
    check_u(x, &x->part, "the solve after bad ones");
}

/** Of three solves in flight, only the middle one is bad. */
static void among_others(fixture *x) {
    size_t point = 5 * PLANE + 2 * NX + 1;
    share bad = share_make(MPI_COMM_WORLD, x->part.precision, &box, 0);
    memcpy(x->f, x->good, POINTS * sizeof *x->f);
    x->f[point] = NAN;
    share_take(&x->part, x->good);
    share_take(&bad, x->f);
    share_take(&x->other, x->good);
    CHECK_STATUS(psg_submit(x->plan, x->part.f, x->part.u), PSG_OK);
    CHECK_STATUS(psg_submit(x->plan, bad.f, bad.u), PSG_OK);
    CHECK_STATUS(psg_submit(x->plan, x->other.f, x->other.u), PSG_OK);
    CHECK_STATUS(psg_wait(x->plan), PSG_OK);
    CHECK_STATUS(psg_wait(x->plan), PSG_ERR_DATA);
    CHECK(names_one_of(&point, 1), "%s; the words: %s", x->words, psg_last_error());
    CHECK_STATUS(psg_wait(x->plan), PSG_OK);
    check_u(x, &x->part, "the solve before a bad one");
    check_u(x, &x->other, "the solve behind a bad one");
    share_free(&bad);
}

/** f is finite, and its transform is not: an error in all processes, or a finite u in all of them. */
static void overflow(fixture *x, size_t first, size_t last, float value) {
    int finite = 1;
    memset(x->f, 0, POINTS * sizeof *x->f);
    for (size_t p = first; p < last; ++p) {
        x->f[p] = value;
    }
    psg_status status = solve(x, x->f);
    CHECK(ranks_same(MPI_COMM_WORLD, status), "%s, %g in %zu to %zu: status %d here", x->words,
          value, first, last, status);
    share_gather(&x->part, MPI_COMM_WORLD, x->u);
    for (size_t p = 0; p < POINTS; ++p) {
        finite = finite && isfinite(x->u[p]);
    }
    CHECK(status == PSG_ERR_DATA || (status == PSG_OK && finite),
          "%s, %g in %zu to %zu: status %d, u finite: %d", x->words, value, first, last, status,
          finite);
    CHECK_STATUS(solve(x, x->good), PSG_OK);
    check_u(x, &x->part, "the solve after a large one");
}

/** The mean of each process' planes is far from 0, and that of all is `mean` of the largest |f|. */
static void uneven(double mean, double *f) {
    for (size_t p = 0; p < POINTS; ++p) {
        size_t k = p / PLANE; /* planes of 1 and of -1, the middle one of 0 */
        f[p] = (k < NZ / 2 ? 1 : k > NZ / 2 ? -1 : 0) + mean;
    }
}

static double reported_mean(const psg_plan *plan) {
    psg_statistics statistics;
    memset(&statistics, 0xff, sizeof statistics);
    CHECK_STATUS(psg_plan_statistics(plan, &statistics), PSG_OK);
    return statistics.mean;
}

static void means(fixture *x, double tolerance) {
    static const double shares[] = {0, 1e-3, -0.2, 0.05};
    double smallest = tolerance > 0 ? tolerance : 1e-4;
    for (size_t n = 0; n < sizeof shares / sizeof *shares; ++n) {
        uneven(shares[n], x->f);
        psg_status status = solve(x, x->f);
        CHECK(status == (fabs(shares[n]) > smallest ? PSG_ERR_MEAN : PSG_OK),
              "mean %g, tolerance %g, %s: status %d (%s)", shares[n], tolerance, x->words, status,
              status ? psg_last_error() : "");
        CHECK_STATUS(solve(x, x->good), PSG_OK);
        check_u(x, &x->part, "the solve after one with a mean");
    }
    /* one plane of one process has all of it, and one number of another sets the scale */
    memset(x->f, 0, POINTS * sizeof *x->f);
    x->f[POINTS - 2] = 500 * (double)POINTS;
    x->f[POINTS - 3] = -500 * (double)POINTS;
    x->f[1] = (double)POINTS;
    psg_status status = solve(x, x->f); /* the mean is 1, so 5e-6 of the largest */
    CHECK(status == (tolerance == 0 && x->part.precision == PSG_F64 ? PSG_ERR_MEAN : PSG_OK),
          "mean 1, largest %g, tolerance %g, %s: status %d", x->f[POINTS - 2], tolerance, x->words,
          status);
}

/** The mean is that of the whole grid, in every process. */
static void dropped(fixture *x) {
    static const double mean[] = {0, 3, -0.375};
    for (size_t m = 0; m < sizeof mean / sizeof *mean; ++m) {
        double want;
        for (size_t p = 0; p < POINTS; ++p) {
            x->f[p] = x->good[p] + mean[m];
        }
        harness_round(x->part.precision, POINTS, x->f);
        want = oracle_mean(x->f, POINTS);
        CHECK_STATUS(solve(x, x->f), PSG_OK);
        CHECK_NEAR(reported_mean(x->plan), want, harness_tolerance(x->part.precision, 1e-14, 1e-5),
                   "mean %g dropped, %s", mean[m], x->words);
        check_u(x, &x->part, "u without the mean");
    }
}

int main(int argc, char **argv) {
    ranks_start(&argc, &argv);
    fixture anchor; /* so that StarPU starts once */
    int held =
        fixture_init(&anchor, PSG_F64, &harness_variants[0], PSG_EXCHANGE_MPI, PSG_MEAN_DROP, 0);
    for (size_t n = 0; held && n < (size_t)2 * HARNESS_VARIANTS * RANKS_EXCHANGES; ++n) {
        const harness_variant *variant = &harness_variants[n / 2 / RANKS_EXCHANGES];
        psg_exchange exchange = ranks_exchanges[n / 2 % RANKS_EXCHANGES];
        psg_precision precision = n % 2 ? PSG_F32 : PSG_F64;
        double tolerance = n / 2 % 2 ? 0.1 : 0;
        fixture x;
        if (!ranks_takes(n)) {
            continue;
        }
        if (fixture_init(&x, precision, variant, exchange, PSG_MEAN_DROP, 0)) {
            wandering(&x);
            among_others(&x);
            dropped(&x);
            if (precision == PSG_F32) {
                overflow(&x, 0, POINTS, 3e38F);
                overflow(&x, 2 * PLANE, 3 * PLANE, 2e37F); /* the sum of one plane is an Inf */
                overflow(&x, POINTS - 1, POINTS, 3e38F);
            }
        }
        fixture_free(&x);
        if (fixture_init(&x, precision, variant, exchange, PSG_MEAN_ERROR, tolerance)) {
            wandering(&x);
            means(&x, tolerance);
        }
        fixture_free(&x);
    }
    fixture_free(&anchor);
    return ranks_finish(check_result());
}
