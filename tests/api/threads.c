/* Plans of different threads do not disturb one another, however their making, solving and freeing fall
 * together; and one thread can hold plans of different grids and precisions. */
#include "tests/check.h"
#include "tests/harness.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define ROUNDS 12
#define CHURNS 60 /* of tiny plans, so that StarPU's starts and stops fall together */

static const oracle_grid grids[THREADS] = {{{12, 10, 9}, {1.0, 1.0, 1.0}},
                                           {{7, 8, 16}, {2.0, 1.0, 1.0}},
                                           {{15, 3, 11}, {1.0, 3.0, 1.0}},
                                           {{12, 10, 9}, {1.0, 1.0, 1.0}}};

typedef struct job {
    size_t number;
    size_t right; /* solves with the right answer */
    int churned;
    char words[1024]; /* what went wrong */
} job;

/** @return 1 if u is right */
static int close_enough(psg_precision precision, size_t points, const double *u, const double *f,
                        double eigenvalue) {
    double tolerance = harness_tolerance(precision, 1e-12, 1e-4) * fabs(1 / eigenvalue);
    for (size_t p = 0; p < points; ++p) {
        if (!(fabs(u[p] - f[p] / eigenvalue) <= tolerance)) {
            return 0;
        }
    }
    return 1;
}

/** A grid of its own each time, so that FFTW always has something to search for. */
static void one_round(job *j, int round) {
    oracle_grid grid = grids[j->number];
    grid.n[0] += 4 * (size_t)round;
    grid.n[1] += 40 + j->number;
    size_t points = oracle_points(&grid), m[3] = {2, 1, 3};
    FREED double *f = oracle_array(points), *u = oracle_array(points);
    psg_grid g = harness_grid(&grid);
    psg_options options = harness_options((j->number + (size_t)round) % 2 ? PSG_F32 : PSG_F64);
    psg_plan *plan = NULL;
    harness_set_variant(&options, &harness_variants[round % HARNESS_VARIANTS]);
    options.effort = PSG_EFFORT_MEASURE;
    options.segment_planes = 3;
    oracle_mode(&grid, m, 0, f);
    if (psg_plan_create(&plan, &g, &options) != PSG_OK) {
        snprintf(j->words, sizeof j->words, "create: %.900s", psg_last_error());
    }
    for (int solve = 0; plan && solve < 3; ++solve) {
        if (harness_solve(plan, options.precision, points, f, u) != PSG_OK) {
            snprintf(j->words, sizeof j->words, "solve: %.900s", psg_last_error());
        } else if (close_enough(options.precision, points, u, f,
                                oracle_eigenvalue(&grid, ORACLE_SPECTRAL, m))) {
            ++j->right;
        }
    }
    psg_plan_destroy(plan);
}

static pthread_barrier_t together;

static void churn(job *j) {
    double f[27], u[27];
    psg_options options = harness_options(PSG_F64);
    oracle_random(j->number, 27, f);
    psg_grid grid = harness_box(3, 3, 3, 1, 1, 1);
    for (int round = 0; round < CHURNS; ++round) {
        psg_plan *plan = NULL;
        pthread_barrier_wait(&together);
        if (psg_plan_create(&plan, &grid, &options) == PSG_OK && psg_solve(plan, f, u) == PSG_OK) {
            ++j->churned;
        } else {
            snprintf(j->words, sizeof j->words, "churn: %.900s", psg_last_error());
        }
        psg_plan_destroy(plan);
    }
}

static void *thread(void *argument) {
    for (int round = 0; round < ROUNDS; ++round) {
        one_round(argument, round);
    }
    churn(argument);
    return NULL;
}

static void threads(void) {
    pthread_t id[THREADS];
    job jobs[THREADS];
    memset(jobs, 0, sizeof jobs);
    pthread_barrier_init(&together, NULL, THREADS);
    for (size_t t = 0; t < THREADS; ++t) {
        jobs[t].number = t;
        if (!CHECK(pthread_create(&id[t], NULL, thread, &jobs[t]) == 0, "thread %zu", t)) {
            exit(check_result());
        }
    }
    for (size_t t = 0; t < THREADS; ++t) {
        pthread_join(id[t], NULL);
        CHECK(jobs[t].right == 3 * ROUNDS, "thread %zu: %zu of %d solves were right; %s", t,
              jobs[t].right, 3 * ROUNDS, jobs[t].words);
    }
}

/** Four plans at once, all in flight, waited for in another order. */
static void side_by_side(void) {
    psg_plan *plan[THREADS] = {NULL};
    void *f[THREADS], *u[THREADS];
    for (size_t t = 0; t < THREADS; ++t) {
        psg_precision precision = t % 2 ? PSG_F32 : PSG_F64;
        size_t points = oracle_points(&grids[t]);
        psg_grid g = harness_grid(&grids[t]);
        psg_options options = harness_options(precision);
        double *values = oracle_array(points);
        oracle_random(t + 50, points, values);
        f[t] = harness_array(precision, points);
        u[t] = harness_array(precision, points);
        harness_store(precision, points, values, f[t]);
        free(values);
        if (CHECK_STATUS(psg_plan_create(&plan[t], &g, &options), PSG_OK)) {
            CHECK_STATUS(psg_submit(plan[t], f[t], u[t]), PSG_OK);
        }
    }
    for (size_t t = THREADS; t-- > 0;) {
        psg_precision precision = t % 2 ? PSG_F32 : PSG_F64;
        const oracle_grid *grid = &grids[t];
        size_t points = oracle_points(grid);
        double *values = oracle_array(points), *want = oracle_array(points);
        CHECK_STATUS(psg_wait(plan[t]), PSG_OK);
        harness_load(precision, points, f[t], values);
        oracle_solve(grid, ORACLE_SPECTRAL, 0, values, want);
        harness_load(precision, points, u[t], values);
        CHECK_CLOSE(values, want, grid->n[0], grid->n[1], grid->n[2],
                    harness_tolerance(precision, 1e-12, 1e-4), "plan %zu of four at once", t);
        free(values);
        free(want);
    }
    for (size_t t = 0; t < THREADS; ++t) {
        psg_plan_destroy(plan[t]);
        free(f[t]);
        free(u[t]);
    }
}

int main(void) {
    side_by_side();
    threads();
    return check_result();
}
