/* A wrong f or u in one process is PSG_ERR_ARG in all of them, with nothing in flight and nothing
 * written; and a process without planes needs neither. */
#include "tests/mpi/ranks.h"

#include <string.h>

#define NX 5
#define NY 7

static MPI_Comm world;

static void check_u(problem *x, const char *what) {
    problem_check(x, &x->part, 1e-12, 1e-4, what);
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
static void refused(problem *x, const void *f, void *u, const char *what) {
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
static void refused_beside_another(problem *x, int odd) {
    ranks_at("%s, one refused beside another", x->words);
    share_take(&x->part, x->f);
    CHECK_STATUS(psg_submit(x->plan, x->part.f, x->part.u), PSG_OK);
    CHECK_STATUS(psg_submit(x->plan, odd ? NULL : x->part.f, odd ? NULL : x->part.u), PSG_ERR_ARG);
    CHECK_STATUS(psg_wait(x->plan), PSG_OK);
    check_u(x, "beside one that was refused");
    CHECK_STATUS(psg_wait(x->plan), PSG_ERR_STATE);
}

/** A binding that finds its arguments wrong takes part in the call, whatever the call is, and with
 * a solve in flight. */
static void refused_before_the_call(problem *x, int odd) {
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
static void in_place(problem *x) {
    ranks_at("%s, in place", x->words);
    share_take(&x->part, x->f);
    if (x->part.points > 0) { /* else there are no arrays */
        memcpy(x->part.u, x->part.f, x->part.points * sizeof(double));
    }
    CHECK_STATUS(psg_solve(x->plan, x->part.u, x->part.u), PSG_OK);
    check_u(x, "in place");
}

static void one_odd(problem *x, int odd_rank) {
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
static void without_planes(problem *x) {
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
    const oracle_grid few = {{NX, NY, 3}, {1.0, 1.0, 2.0}};
    problem anchor = problem_make(&few, 0); /* so that StarPU starts once */
    problem_plan(&anchor);
    for (size_t n = 0; n < 3 * sizeof nz / sizeof *nz; ++n) {
        const oracle_grid box = {{NX, NY, nz[n / 3]}, {1.0, 1.0, 2.0}};
        if (!ranks_takes(n)) {
            continue;
        }
        problem x = problem_make(&box, 8 * (n % 3)); /* f64, each variant, each exchange */
        problem_plan(&x);
        const int last = (int)(box.n[2] < (size_t)size ? box.n[2] : (size_t)size) - 1;
        one_odd(&x, 0);
        if (last > 0) {
            one_odd(&x, last); /* the last with planes */
        }
        without_planes(&x);
        problem_free(&x);
    }
    problem_free(&anchor);
    return ranks_finish(check_result());
}
