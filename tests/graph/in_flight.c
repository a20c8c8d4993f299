/* Several solves in flight, of one process and over several, end in the order of their submission,
 * each with its own right answer, for any in_flight and exchange, and whichever process is late.
 * What does not fit the order of calls is PSG_ERR_STATE. */
#include "tests/check.h"
#include "tests/mpi/ranks.h"

#include <stdlib.h>

#define NX 9
#define NY 10
#define NZ 11
#define POINTS ((size_t)NX * NY * NZ)
#define SOLVES 4

static const oracle_grid box = {{NX, NY, NZ}, {1.0, 1.3, 0.9}};

typedef struct solves {
    share part[SOLVES];
    double *f[SOLVES], *want[SOLVES], *got;
} solves;

static void solves_init(solves *s, psg_precision precision) {
    for (size_t n = 0; n < SOLVES; ++n) {
        s->part[n] = share_make(MPI_COMM_WORLD, precision, &box, n % 2);
        s->f[n] = oracle_array(POINTS);
        s->want[n] = oracle_array(POINTS);
        oracle_random(100 + n, POINTS, s->f[n]);
        harness_round(precision, POINTS, s->f[n]);
        oracle_solve(&box, ORACLE_SPECTRAL, 0, s->f[n], s->want[n]);
    }
    s->got = oracle_array(POINTS);
}

static void solves_free(solves *s) {
    for (size_t n = 0; n < SOLVES; ++n) {
        share_free(&s->part[n]);
        free(s->f[n]);
        free(s->want[n]);
    }
    free(s->got);
}

static void submit(psg_plan *plan, solves *s, size_t n, size_t f) {
    share_take(&s->part[n], s->f[f]);
    CHECK_STATUS(psg_submit(plan, s->part[n].f, s->part[n].u), PSG_OK);
}

static void check_solve(solves *s, size_t n, size_t f, const char *what) {
    psg_precision precision = s->part[n].precision;
    CHECK(share_intact(&s->part[n]), "%s: f or what is beside u was written", what);
    share_gather(&s->part[n], MPI_COMM_WORLD, s->got);
    CHECK_CLOSE(s->got, s->want[f], NX, NY, NZ, harness_tolerance(precision, 1e-12, 1e-4),
                "%s, u of solve %zu, %s", what, n, harness_precision_name(precision));
}

static void several(psg_plan *plan, solves *s) {
    for (size_t n = 0; n < SOLVES; ++n) {
        submit(plan, s, n, n);
    }
    for (size_t n = 0; n < SOLVES; ++n) {
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        check_solve(s, n, n, "one after the other");
    }
    for (size_t n = 0; n < SOLVES; ++n) {
        submit(plan, s, n, 2);
    }
    for (size_t n = 0; n < SOLVES; ++n) {
        CHECK_STATUS(psg_wait(plan), PSG_OK);
        check_solve(s, n, 2, "one f");
    }
    /* two on their way while a third is waited for, and each process late in its turn */
    for (size_t n = 0; n < 2 * SOLVES; ++n) {
        ranks_stagger(MPI_COMM_WORLD, (int)n);
        submit(plan, s, n % SOLVES, (n + 1) % SOLVES);
        if (n >= 2) {
            CHECK_STATUS(psg_wait(plan), PSG_OK);
            check_solve(s, (n - 2) % SOLVES, (n - 1) % SOLVES, "pipelined");
        }
    }
    CHECK_STATUS(psg_wait(plan), PSG_OK);
    CHECK_STATUS(psg_wait(plan), PSG_OK);
}

/** psg_solve_many(): each right-hand side is this process' planes. Another count, or NULL, on one
 * process is all processes'. */
static void many(psg_plan *plan, solves *s) {
    const psg_precision precision = s->part[0].precision;
    const size_t plane = (size_t)NX * NY, element = harness_element_bytes(precision);
    const double tolerance = harness_tolerance(precision, 1e-12, 1e-4);
    size_t z0 = 0, planes = 0;
    const int rank = ranks_rank(MPI_COMM_WORLD), ranks = ranks_size(MPI_COMM_WORLD);
    CHECK_STATUS(psg_plan_local_extent(plan, &z0, &planes), PSG_OK);
    FREED char *f = harness_array(precision, SOLVES * plane * planes + 1);
    FREED char *u = harness_array(precision, SOLVES * plane * planes + 1);
    for (size_t n = 0; n < SOLVES; ++n) {
        harness_store(precision, planes * plane, s->f[n] + z0 * plane,
                      f + n * planes * plane * element);
    }
    CHECK_STATUS(psg_solve_many(plan, SOLVES, f, u), PSG_OK);
    for (size_t n = 0; n < SOLVES; ++n) {
        double worst = 0;
        const double most = check_largest(s->want[n], sizeof *s->want[n], POINTS);
        harness_load(precision, planes * plane, u + n * planes * plane * element, s->got);
        for (size_t m = 0; m < planes * plane; ++m) {
            const double off = fabs(s->got[m] - s->want[n][z0 * plane + m]);
            worst = off <= worst ? worst : off;
        }
        CHECK(worst <= tolerance * most, "many, right-hand side %zu: off by %g of %g", n, worst,
              most);
    }
    if (ranks > 1) {
        const size_t last = rank == ranks - 1;
        CHECK_STATUS(psg_solve_many(plan, SOLVES - last, f, u), PSG_ERR_ARG);
        CHECK_STATUS(psg_solve_many(plan, rank == 0 ? 0 : SOLVES, f, u), PSG_ERR_ARG);
    }
}

static void misuse(psg_plan *plan, solves *s) {
    CHECK_STATUS(psg_wait(plan), PSG_ERR_STATE);
    CHECK(psg_last_error()[0] != 0, "no words");
    submit(plan, s, 0, 0);
    CHECK_STATUS(psg_solve(plan, s->part[1].f, s->part[1].u), PSG_ERR_STATE);
    CHECK(psg_last_error()[0] != 0, "no words");
    CHECK_STATUS(psg_wait(plan), PSG_OK);
    check_solve(s, 0, 0, "after misuse");
    CHECK_STATUS(psg_wait(plan), PSG_ERR_STATE);
    share_take(&s->part[3], s->f[3]);
    CHECK_STATUS(psg_solve(plan, s->part[3].f, s->part[3].u), PSG_OK);
    check_solve(s, 3, 3, "after misuse");
    CHECK_STATUS(psg_wait(plan), PSG_ERR_STATE);
}

/** psg_plan_destroy() waits, in each process: u is there when it returns. */
static void destroyed_in_flight(psg_plan *plan, solves *s) {
    for (size_t n = 0; n < SOLVES; ++n) {
        submit(plan, s, n, SOLVES - 1 - n);
    }
    ranks_stagger(MPI_COMM_WORLD, 1);
    psg_plan_destroy(plan);
    for (size_t n = 0; n < SOLVES; ++n) {
        check_solve(s, n, SOLVES - 1 - n, "destroyed in flight");
    }
}

int main(int argc, char **argv) {
    static const unsigned in_flight[] = {1, 2, 3, 16};
    ranks_start(&argc, &argv);
    MPI_Comm comm = MPI_COMM_WORLD;
    psg_grid grid = harness_grid(&box);
    psg_options options = ranks_options(PSG_F64, &comm);
    psg_plan *anchor = NULL;
    CHECK_STATUS(psg_plan_create(&anchor, &grid, &options), PSG_OK);
    for (int p = 0; p < 2; ++p) {
        solves s;
        solves_init(&s, p ? PSG_F32 : PSG_F64);
        for (size_t n = 0; n < (size_t)4 * RANKS_EXCHANGES * HARNESS_VARIANTS; ++n) {
            psg_plan *plan = NULL;
            if (!ranks_takes(n) || (p && RANKS_MPI && n % 3)) {
                continue; /* f32 is the same but for the size of a message */
            }
            options = ranks_options(p ? PSG_F32 : PSG_F64, &comm);
            harness_set_variant(&options, &harness_variants[n / 4 / RANKS_EXCHANGES]);
            options.exchange = ranks_exchanges[n / 4 % RANKS_EXCHANGES];
            options.in_flight = in_flight[n % 4];
            options.segment_planes = 2;
            options.sheets = 9;
            ranks_at("%s, %s, %s, %u in flight", harness_precision_name(options.precision),
                     harness_variants[n / 4 / RANKS_EXCHANGES].name,
                     ranks_exchange_name(options.exchange), options.in_flight);
            int held = CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK);
            if (ranks_all(comm, held)) {
                several(plan, &s);
                many(plan, &s);
                misuse(plan, &s);
                destroyed_in_flight(plan, &s);
            }
        }
        solves_free(&s);
    }
    psg_plan_destroy(anchor);
    return ranks_finish(check_result());
}
