/* Several solves in flight end in the order of their submission, each with its own right answer, for
 * any in_flight; and what does not fit the order of calls is PSG_ERR_STATE. */
#include "tests/check.h"
#include "tests/harness.h"

#include <stdlib.h>

#define NX 12
#define NY 11
#define NZ 13
#define POINTS ((size_t)NX * NY * NZ)
#define SOLVES 5

static const oracle_grid box = {{NX, NY, NZ}, {1.0, 1.0, 1.0}};

typedef struct solves {
    void *f[SOLVES], *u[SOLVES];
    double *want[SOLVES], *got;
} solves;

static void solves_init(solves *s, psg_precision precision) {
    double *f = oracle_array(POINTS);
    for (size_t n = 0; n < SOLVES; ++n) {
        s->f[n] = harness_array(precision, POINTS);
        s->u[n] = harness_array(precision, POINTS);
        s->want[n] = oracle_array(POINTS);
        oracle_random(100 + n, POINTS, f);
        harness_store(precision, POINTS, f, s->f[n]);
        oracle_solve(&box, ORACLE_SPECTRAL, 0, f, s->want[n]);
    }
    s->got = oracle_array(POINTS);
    free(f);
}

static void solves_free(solves *s) {
    for (size_t n = 0; n < SOLVES; ++n) {
        free(s->f[n]);
        free(s->u[n]);
        free(s->want[n]);
    }
    free(s->got);
}

static void check_solve(solves *s, psg_precision precision, size_t u, size_t want,
                        const char *what) {
    harness_load(precision, POINTS, s->u[u], s->got);
    CHECK_CLOSE(s->got, s->want[want], NX, NY, NZ, harness_tolerance(precision, 1e-12, 1e-4),
                "%s, u of solve %zu, %s", what, u, harness_precision_name(precision));
}

static void several(psg_plan *plan, solves *s, psg_precision precision) {
    for (size_t n = 0; n < SOLVES; ++n) {
        CHECK_STATUS(psg_submit(plan, s->f[n], s->u[n]), PSG_OK);
    }
    for (size_t n = 0; n < SOLVES; ++n) {
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        check_solve(s, precision, n, n, "five f");
    }
    for (size_t n = 0; n < SOLVES; ++n) {
        CHECK_STATUS(psg_submit(plan, s->f[2], s->u[n]), PSG_OK);
    }
    for (size_t n = 0; n < SOLVES; ++n) {
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        check_solve(s, precision, n, 2, "one f");
    }
    /* two on their way while a third is waited for */
    for (size_t n = 0; n < 4 * SOLVES; ++n) {
        CHECK_STATUS(psg_submit(plan, s->f[n % SOLVES], s->u[n % SOLVES]), PSG_OK);
        if (n >= 2) {
            CHECK_STATUS(psg_wait(plan), PSG_OK);
            check_solve(s, precision, (n - 2) % SOLVES, (n - 2) % SOLVES, "pipelined");
        }
    }
    CHECK_STATUS(psg_wait(plan), PSG_OK);
    CHECK_STATUS(psg_wait(plan), PSG_OK);
}

static void misuse(psg_plan *plan, solves *s, psg_precision precision) {
    CHECK_STATUS(psg_wait(plan), PSG_ERR_STATE);
    CHECK(psg_last_error()[0] != 0, "no words");
    CHECK_STATUS(psg_submit(plan, s->f[0], s->u[0]), PSG_OK);
    CHECK_STATUS(psg_solve(plan, s->f[1], s->u[1]), PSG_ERR_STATE);
    CHECK(psg_last_error()[0] != 0, "no words");
    CHECK_STATUS(psg_wait(plan), PSG_OK);
    check_solve(s, precision, 0, 0, "after misuse");
    CHECK_STATUS(psg_wait(plan), PSG_ERR_STATE);
    CHECK_STATUS(psg_solve(plan, s->f[3], s->u[3]), PSG_OK);
    check_solve(s, precision, 3, 3, "after misuse");
    CHECK_STATUS(psg_wait(plan), PSG_ERR_STATE);
}

/** psg_plan_destroy() waits: u is there when it returns. */
static void destroyed_in_flight(psg_plan *plan, solves *s, psg_precision precision) {
    for (size_t n = 0; n < SOLVES; ++n) {
        CHECK_STATUS(psg_submit(plan, s->f[n], s->u[SOLVES - 1 - n]), PSG_OK);
    }
    psg_plan_destroy(plan);
    for (size_t n = 0; n < SOLVES; ++n) {
        check_solve(s, precision, SOLVES - 1 - n, n, "destroyed in flight");
    }
}

int main(void) {
    static const unsigned in_flight[] = {1, 2, 3, 16};
    psg_grid grid = harness_grid(&box);
    for (int p = 0; p < 2; ++p) {
        psg_precision precision = p ? PSG_F32 : PSG_F64;
        solves s;
        solves_init(&s, precision);
        for (size_t n = 0; n < 4 * HARNESS_VARIANTS; ++n) {
            psg_options options = harness_options(precision);
            psg_plan *plan = NULL;
            harness_set_variant(&options, &harness_variants[n / 4]);
            options.in_flight = in_flight[n % 4];
            options.segment_planes = 3;
            options.sheets = 4;
            if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
                several(plan, &s, precision);
                misuse(plan, &s, precision);
                destroyed_in_flight(plan, &s, precision);
            }
        }
        solves_free(&s);
    }
    return check_result();
}
