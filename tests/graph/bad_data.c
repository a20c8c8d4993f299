/* A NaN or an Inf anywhere in f is PSG_ERR_DATA with its coordinates in the words, and the plan gives
 * right answers afterwards. */
#include "tests/check.h"
#include "tests/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NX 7
#define NY 10
#define NZ 9
#define POINTS ((size_t)NX * NY * NZ)

static const oracle_grid box = {{NX, NY, NZ}, {1.0, 1.0, 1.0}};

/** Which points are bad. */
typedef struct damage {
    size_t count;
    size_t at[4];
} damage;

static const damage damages[] = {
    {1, {0}},
    {1, {POINTS - 1}},
    {1, {POINTS / 2}},
    {1, {NX - 1}},
    {1, {NX * NY * 4 + NX * 3 + 2}},
    {2, {3, POINTS - 3}},
    {4, {NX * NY, NX *NY + 1, POINTS / 3, POINTS / 2 + 1}},
};

static int is_damaged(const damage *d, size_t point) {
    for (size_t n = 0; n < d->count; ++n) {
        if (d->at[n] == point) {
            return 1;
        }
    }
    return 0;
}

static void one_damage(psg_plan *plan, psg_precision precision, const damage *d, double value,
                       const double *good, const double *want) {
    double *f = oracle_array(POINTS), *u = oracle_array(POINTS);
    size_t at[3] = {0, 0, 0};
    memcpy(f, good, POINTS * sizeof *f);
    for (size_t n = 0; n < d->count; ++n) {
        f[d->at[n]] = value;
    }
    CHECK_STATUS(harness_solve(plan, precision, POINTS, f, u), PSG_ERR_DATA);
    int read = harness_coordinates(psg_last_error(), at);
    CHECK(read == 3 && at[0] < NX && at[1] < NY && at[2] < NZ &&
              is_damaged(d, (at[2] * NY + at[1]) * NX + at[0]),
          "%g at [%zu] = (%zu,%zu,%zu) and %zu more; the words: %s", value, d->at[0], d->at[0] % NX,
          d->at[0] / NX % NY, d->at[0] / NX / NY, d->count - 1, psg_last_error());
    CHECK_STATUS(harness_solve(plan, precision, POINTS, good, u), PSG_OK);
    CHECK_CLOSE(u, want, NX, NY, NZ, harness_tolerance(precision, 1e-12, 1e-4),
                "the solve after a bad one, %s", harness_precision_name(precision));
    free(f);
    free(u);
}

static void all_damages(psg_precision precision, const harness_variant *variant, psg_mean mean) {
    static const double values[] = {NAN, INFINITY, -INFINITY};
    double *good = oracle_array(POINTS), *want = oracle_array(POINTS);
    psg_grid grid = harness_grid(&box);
    psg_options options = harness_options(precision);
    psg_plan *plan = NULL;
    harness_set_variant(&options, variant);
    options.segment_planes = 2;
    options.sheets = 3;
    options.mean = mean;
    oracle_random(3, POINTS, good);
    oracle_remove_mean(good, POINTS);
    oracle_solve(&box, ORACLE_SPECTRAL, 0, good, want);
    if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        for (size_t d = 0; d < sizeof damages / sizeof *damages; ++d) {
            for (size_t v = 0; v < sizeof values / sizeof *values; ++v) {
                one_damage(plan, precision, &damages[d], values[v], good, want);
            }
        }
    }
    psg_plan_destroy(plan);
    free(good);
    free(want);
}

/** Large f in f32: constant; alternating, without a mean; or one large point, with which only the
 *  inverse transforms overflow. */
typedef enum overflow_kind { CONSTANT, ALTERNATING, POINT, OVERFLOWS } overflow_kind;

static float overflow_f(overflow_kind kind, size_t p) {
    switch (kind) {
    case CONSTANT:
        return 3e38f;
    case ALTERNATING:
        return p / NX % 2 ? -4e37f : 4e37f; /* 7 times that is no Inf yet */
    default:
        return p == POINTS / 2 ? 3e38f : 0;
    }
}

/** f is finite, and its transform is not: an error too, or a finite u. */
static void overflow(overflow_kind kind, const harness_variant *variant) {
    static const char *const names[OVERFLOWS] = {"constant", "alternating", "one point of"};
    float *f = harness_array(PSG_F32, POINTS), *u = harness_array(PSG_F32, POINTS);
    psg_grid grid = harness_grid(&box);
    psg_options options = harness_options(PSG_F32);
    psg_plan *plan = NULL;
    harness_set_variant(&options, variant);
    for (size_t p = 0; p < POINTS; ++p) {
        f[p] = overflow_f(kind, p);
    }
    if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        psg_status status = psg_solve(plan, f, u);
        size_t bad = 0;
        for (size_t p = 0; p < POINTS; ++p) {
            bad += isfinite(u[p]) ? 0 : 1;
        }
        CHECK(status == PSG_ERR_DATA || (status == PSG_OK && bad == 0),
              "%s large f in f32, %s: status %d and %zu of %zu numbers of u not finite",
              names[kind], variant->name, status, bad, POINTS);
    }
    psg_plan_destroy(plan);
    free(f);
    free(u);
}

/** Of three solves in flight, only the middle one is bad. */
static void among_others(const harness_variant *variant) {
    double *f[3], *u[3], *want = oracle_array(POINTS);
    psg_grid grid = harness_grid(&box);
    psg_options options = harness_options(PSG_F64);
    psg_plan *plan = NULL;
    size_t at[3] = {0, 0, 0};
    harness_set_variant(&options, variant);
    options.segment_planes = 2;
    for (int s = 0; s < 3; ++s) {
        f[s] = oracle_array(POINTS);
        u[s] = oracle_array(POINTS);
        oracle_random(40 + (uint64_t)s, POINTS, f[s]);
    }
    f[1][(5 * NY + 4) * NX + 3] = NAN;
    if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        for (int s = 0; s < 3; ++s) {
            CHECK_STATUS(psg_submit(plan, f[s], u[s]), PSG_OK);
        }
        for (int s = 0; s < 3; ++s) {
            CHECK_STATUS(psg_wait(plan), s == 1 ? PSG_ERR_DATA : PSG_OK);
            if (s == 1) {
                CHECK(harness_coordinates(psg_last_error(), at) == 3 && at[0] == 3 && at[1] == 4 &&
                          at[2] == 5,
                      "the words: %s", psg_last_error());
                continue;
            }
            oracle_solve(&box, ORACLE_SPECTRAL, 0, f[s], want);
            CHECK_CLOSE(u[s], want, NX, NY, NZ, 1e-12, "solve %d beside a bad one, %s", s,
                        variant->name);
        }
    }
    psg_plan_destroy(plan);
    for (int s = 0; s < 3; ++s) {
        free(f[s]);
        free(u[s]);
    }
    free(want);
}

int main(void) {
    for (int variant = 0; variant < HARNESS_VARIANTS; ++variant) {
        all_damages(PSG_F64, &harness_variants[variant], PSG_MEAN_DROP);
        all_damages(PSG_F32, &harness_variants[variant], PSG_MEAN_DROP);
        all_damages(PSG_F64, &harness_variants[variant], PSG_MEAN_ERROR);
        among_others(&harness_variants[variant]);
        for (int kind = 0; kind < OVERFLOWS; ++kind) {
            overflow((overflow_kind)kind, &harness_variants[variant]);
        }
    }
    return check_result();
}
