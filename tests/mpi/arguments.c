/* A wrong f or u in one process is PSG_ERR_ARG in all of them, with nothing in flight and nothing written; and
 * a process without planes needs neither. */
#include "tests/check.h"
#include "tests/mpi/ranks.h"

#include <stdlib.h>
#include <string.h>

#define NX 5
#define NY 7

static MPI_Comm world;

/** A plan of nz planes, with arrays that are fine. */
typedef struct fixture {
    oracle_grid box;
    size_t points;
    psg_plan *plan;
    share part;
    double *f, *want, *got;
    char words[100];
} fixture;

static int fixture_init(fixture *x, size_t nz, psg_exchange exchange,
                        const harness_variant *variant) {
    psg_options options = ranks_options(PSG_F64, &world);
    x->box = oracle_grid_make(NX, NY, nz, 1.0, 1.0, 2.0);
    x->points = oracle_points(&x->box);
    x->plan = NULL;
    x->part = share_make(world, PSG_F64, &x->box, 0);
    x->f = oracle_array(x->points);
    x->want = oracle_array(x->points);
    x->got = oracle_array(x->points);
    oracle_random(nz, x->points, x->f);
    oracle_solve(&x->box, ORACLE_SPECTRAL, 0, x->f, x->want);
    psg_grid grid = harness_grid(&x->box);
    harness_set_variant(&options, variant);
    options.exchange = exchange;
    snprintf(x->words, sizeof x->words, "%zu planes, %s, %s", nz, variant->name,
             ranks_exchange_name(exchange));
    ranks_at("%s, psg_plan_create", x->words);
    int held = CHECK_STATUS(psg_plan_create(&x->plan, &grid, &options), PSG_OK);
    return ranks_all(world, held);
}

static void fixture_free(fixture *x) {
    psg_plan_destroy(x->plan);
    share_free(&x->part);
    free(x->f);
    free(x->want);
    free(x->got);
}

static void check_u(fixture *x, const char *what) {
    CHECK(share_intact(&x->part), "%s: f or what is beside u was written", what);
    share_gather(&x->part, world, x->got);
    CHECK_CLOSE(x->got, x->want, NX, NY, x->box.n[2], 1e-12, "%zu planes, %s", x->box.n[2], what);
}

static int all_bytes_are(const void *memory, size_t bytes, unsigned char value) {
    const unsigned char *b = memory;
    for (size_t n = 0; n < bytes; ++n) {
        if (b[n] != value) {
            return 0;
        }
    }
    return 1;
}

/** f and u spoilt in one process: psg_submit(), psg_solve(). */
static void refused(fixture *x, const void *f, void *u, const char *what) {
    share_take(&x->part, x->f);
    ranks_at("%s, %s", x->words, what);
    CHECK_STATUS(psg_submit(x->plan, f, u), PSG_ERR_ARG);
    CHECK(strlen(psg_last_error()) > 10, "%s: words '%s'", what, psg_last_error());
    CHECK_STATUS(psg_wait(x->plan), PSG_ERR_STATE);
    CHECK_STATUS(psg_solve(x->plan, f, u), PSG_ERR_ARG);
    CHECK_STATUS(psg_wait(x->plan), PSG_ERR_STATE);
    CHECK(all_bytes_are(x->part.u, x->part.points * sizeof(double), 0xff), "%s: u was written",
          what);
    share_take(&x->part, x->f);
    CHECK_STATUS(psg_solve(x->plan, x->part.f, x->part.u), PSG_OK);
    check_u(x, what);
}

/** One that is fine is in flight: it stays the only one. */
static void refused_beside_another(fixture *x, int odd) {
    ranks_at("%s, one refused beside another", x->words);
    share_take(&x->part, x->f);
    CHECK_STATUS(psg_submit(x->plan, x->part.f, x->part.u), PSG_OK);
    CHECK_STATUS(psg_submit(x->plan, odd ? NULL : x->part.f, odd ? NULL : x->part.u), PSG_ERR_ARG);
    CHECK_STATUS(psg_wait(x->plan), PSG_OK);
    check_u(x, "beside one that was refused");
    CHECK_STATUS(psg_wait(x->plan), PSG_ERR_STATE);
}

/** A binding that finds its arguments wrong takes part in the call, whatever the call is, and with a solve in flight. */
static void refused_before_the_call(fixture *x, int odd) {
    for (int call = 0; call < 8; ++call) {
        psg_array f, u;
        psg_array_init(&f, x->part.f);
        psg_array_init(&u, x->part.u);
        ranks_at("%s, call %d refused", x->words, call);
        share_take(&x->part, x->f);
        if (call >= 4) {
            CHECK_STATUS(psg_submit(x->plan, x->part.f, x->part.u), PSG_OK);
        }
        CHECK(psg_plan_in_flight(x->plan) == (call >= 4), "%zu in flight",
              psg_plan_in_flight(x->plan));
        psg_status status = odd             ? psg_call_refuse(x->plan, NULL, PSG_ERR_DATA, "odd")
                            : call % 4 == 0 ? psg_solve(x->plan, x->part.f, x->part.u)
                            : call % 4 == 1 ? psg_solve_many(x->plan, 1, x->part.f, x->part.u)
                            : call % 4 == 2 ? psg_solve_arrays(x->plan, 1, &f, &u, NULL)
                                            : psg_submit(x->plan, x->part.f, x->part.u);
        CHECK(ranks_same(world, status), "call %d: here the status is %d", call, status);
        CHECK(status == PSG_ERR_DATA || (call >= 4 && status != PSG_OK), "call %d: status %d", call,
              status);
        CHECK(status != PSG_ERR_DATA || strstr(psg_last_error(), "odd") != NULL, "call %d: %s",
              call, psg_last_error());
        CHECK_STATUS(psg_wait(x->plan), call >= 4 ? PSG_OK : PSG_ERR_STATE);
    }
}

/** u is f on all processes. */
static void in_place(fixture *x) {
    ranks_at("%s, in place", x->words);
    share_take(&x->part, x->f);
    if (x->part.points > 0) { /* else there are no arrays */
        memcpy(x->part.u, x->part.f, x->part.points * sizeof(double));
    }
    CHECK_STATUS(psg_solve(x->plan, x->part.u, x->part.u), PSG_OK);
    check_u(x, "in place");
}

static void one_odd(fixture *x, int odd_rank) {
    int odd = ranks_rank(world) == odd_rank;
    void *f = x->part.f, *u = x->part.u, *no_f = odd ? NULL : f, *no_u = odd ? NULL : u;
    size_t points = x->part.points;
    refused(x, no_f, u, "no f");
    refused(x, f, no_u, "no u");
    refused(x, no_f, no_u, "neither f nor u");
    if (points > 1) {
        refused(x, f, odd ? (double *)f + 1 : u, "u is f but for a number");
        refused(x, odd ? (char *)u + 1 : f, u, "f is not aligned");
        refused(x, f, odd ? (char *)u + 4 : u, "u is not aligned");
        refused(x, odd ? (double *)u + points - 1 : f, u, "u and f overlap by a number");
    } else {
        for (int call = 0; call < 4; ++call) {
            refused(x, no_f, u, "no f"); /* collective: as many calls here as elsewhere */
        }
    }
    refused_beside_another(x, odd);
    refused_before_the_call(x, odd);
    in_place(x);
}

/** Where there are no planes, whatever is passed is not looked at. */
static void without_planes(fixture *x) {
    double place[2] = {1, 2};
    int none = x->part.planes == 0;
    ranks_at("%s, without planes", x->words);
    share_take(&x->part, x->f);
    CHECK_STATUS(psg_solve(x->plan, none ? NULL : x->part.f, none ? NULL : x->part.u), PSG_OK);
    check_u(x, "NULL where there are no planes");
    share_take(&x->part, x->f);
    CHECK_STATUS(psg_solve(x->plan, none ? place : x->part.f, none ? place + 1 : x->part.u),
                 PSG_OK);
    check_u(x, "something where there are no planes");
    CHECK(place[0] == 1 && place[1] == 2, "an array of no planes was written");
    if (!none) {
        CHECK_STATUS(psg_plan_pin(x->plan, x->part.f), PSG_OK);
        CHECK_STATUS(psg_plan_pin(x->plan, x->part.u), PSG_OK);
    }
    share_take(&x->part, x->f);
    CHECK_STATUS(psg_solve(x->plan, x->part.f, x->part.u), PSG_OK);
    check_u(x, "pinned");
    psg_plan_unpin(x->plan, NULL);
}

int main(int argc, char **argv) {
    static const size_t nz[] = {9, 5, 1};
    ranks_start(&argc, &argv);
    world = MPI_COMM_WORLD;
    int size = ranks_size(world);
    fixture anchor; /* so that StarPU starts once */
    int held = fixture_init(&anchor, 3, PSG_EXCHANGE_MPI, &harness_variants[0]);
    for (size_t n = 0; held && n < 3 * sizeof nz / sizeof *nz; ++n) {
        fixture x;
        if (!ranks_takes(n)) {
            continue;
        }
        if (fixture_init(&x, nz[n / 3], ranks_exchanges[n % RANKS_EXCHANGES],
                         &harness_variants[n % HARNESS_VARIANTS])) {
            int last = (int)(nz[n / 3] < (size_t)size ? nz[n / 3] : (size_t)size) - 1;
            one_odd(&x, 0);
            if (last > 0) {
                one_odd(&x, last); /* the last with planes */
            }
            without_planes(&x);
        }
        fixture_free(&x);
    }
    fixture_free(&anchor);
    return ranks_finish(check_result());
}
