/* A plan belongs to its communicator: others, however they overlap, other plans, plans of one
 * process and the program's own messages do not touch it, and the order of processes is the
 * communicator's. */
#include "tests/check.h"
#include "tests/mpi/ranks.h"

#include <stdlib.h>

/* MPI's own interface to see what is called: how many communicators there are, of which it has
 * few. */
static int alive;

static int counted(int result, const MPI_Comm *made) {
    alive += result == MPI_SUCCESS && *made != MPI_COMM_NULL ? 1 : 0;
    return result;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made) {
    return counted(PMPI_Comm_dup(comm, made), made);
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *made, MPI_Request *request) {
    const int result = PMPI_Comm_idup(comm, made, request);
    alive += result == MPI_SUCCESS ? 1 : 0; /* it is there once the request is done */
    return result;
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made) {
    return counted(PMPI_Comm_split(comm, color, key, made), made);
}

int MPI_Comm_free(MPI_Comm *comm) {
    --alive;
    return PMPI_Comm_free(comm);
}

/** @param[in] comm  MPI_COMM_NULL: all of the problem is this process' */
static int problem_init(problem *x, const oracle_grid *grid, MPI_Comm comm, int number) {
    const int variant = number % HARNESS_VARIANTS, exchange = number / 2 % RANKS_EXCHANGES;
    size_t z0 = 0, planes = 0;
    *x = problem_make_on(comm, grid,
                         (size_t)(number % 2 + 2 * (variant + HARNESS_VARIANTS * exchange)));
    x->options.segment_planes = (size_t)(number % 3);
    oracle_random((uint64_t)number, x->points, x->f);
    harness_round(x->options.precision, x->points, x->f);
    problem_plan(x);
    const int held =
        CHECK_STATUS(psg_plan_local_extent(x->plan, &z0, &planes), PSG_OK) &&
        CHECK(z0 == x->part.z0 && planes == x->part.planes, "%zu planes from %zu", planes, z0);
    return ranks_all(x->comm, held);
}

static void submit(problem *x) {
    share_take(&x->part, x->f);
    CHECK_STATUS(psg_submit(x->plan, x->part.f, x->part.u), PSG_OK);
}

static void wait_for(problem *x, const char *what) {
    CHECK_STATUS(psg_wait(x->plan), PSG_OK);
    problem_check(x, &x->part, 1e-12, 1e-4, what);
}

static void destroy(problem *x) {
    psg_plan_destroy(x->plan);
    x->plan = NULL;
}

static const oracle_grid boxes[] = {
    {{6, 7, 8}, {1.0, 1.0, 1.0}}, {{8, 5, 9}, {1.0, 2.0, 1.0}}, {{5, 6, 4}, {1.0, 1.0, 3.0}}};

/** Two plans, each process in both of them (or in the second alone in its half), solves
 * interleaved. */
static void two_at_once(MPI_Comm first, MPI_Comm second, int number, const char *what) {
    problem a, b;
    ranks_at("two at once: %s", what);
    int held = problem_init(&a, &boxes[number % 3], first, number);
    held = problem_init(&b, &boxes[(number + 1) % 3], second, number + 1) && held;
    if (ranks_all(MPI_COMM_WORLD, held)) {
        for (int turn = 0; turn < 2; ++turn) {
            ranks_stagger(MPI_COMM_WORLD, turn);
            submit(&a);
            submit(&b);
            wait_for(&b, what);
            wait_for(&a, what);
        }
        submit(&b);
        submit(&a);
        wait_for(&a, what);
        destroy(&a);
        wait_for(&b, what);
        submit(&b);
        wait_for(&b, what);
    }
    destroy(&a);
    destroy(&b);
    problem_free(&a);
    problem_free(&b);
}

/** Groups of processes that overlap, each in the order that `key` gives. */
static void overlapping(void) {
    MPI_Comm world = MPI_COMM_WORLD, half, backwards, pairs;
    int rank = ranks_rank(world), size = ranks_size(world);
    MPI_Comm_split(world, rank < (size + 1) / 2, rank, &half);
    MPI_Comm_split(world, 0, -rank, &backwards);
    MPI_Comm_split(world, rank % 3, -rank, &pairs);
    two_at_once(world, world, 1, "two plans on the world");
    two_at_once(world, half, 2, "the world and a half");
    two_at_once(half, world, 3, "a half and the world");
    two_at_once(world, backwards, 4, "the world and the world backwards");
    two_at_once(backwards, pairs, 5, "the world backwards and every third");
    two_at_once(half, pairs, 6, "halves and thirds");
    two_at_once(MPI_COMM_SELF, world, 7, "each for itself and the world");
    two_at_once(MPI_COMM_NULL, world, 8, "without a communicator, then the world");
    two_at_once(world, MPI_COMM_NULL, 9, "the world, then without a communicator");
    MPI_Comm_free(&half);
    MPI_Comm_free(&backwards);
    MPI_Comm_free(&pairs);
}

/** All but the first process solve together; that one does something else, or a plan of its own. */
static void smaller_than_the_world(int alone) {
    MPI_Comm world = MPI_COMM_WORLD, rest;
    int rank = ranks_rank(world);
    problem x;
    ranks_at("smaller than the world, %d", alone);
    MPI_Comm_split(world, rank == 0 ? MPI_UNDEFINED : 0, rank, &rest);
    if (rest != MPI_COMM_NULL || alone) {
        if (problem_init(&x, &boxes[1], rest, 3)) {
            for (int n = 0; n < 2; ++n) {
                submit(&x);
                wait_for(&x,
                         rest == MPI_COMM_NULL ? "alone, beside a smaller world" : "smaller world");
            }
        }
        destroy(&x);
        problem_free(&x);
    }
    if (rest != MPI_COMM_NULL) {
        MPI_Comm_free(&rest);
    }
    CHECK(ranks_all(world, 1), "the world is there");
}

/** One plan after the other, with StarPU's start and stop in between. */
static void again_and_again(void) {
    for (int n = 0; n < 6; ++n) {
        problem x;
        ranks_at("again and again, %d", n);
        if (problem_init(&x, &boxes[n % 3], MPI_COMM_WORLD, n)) {
            if (n != 3) { /* a plan that never solves is fine too */
                submit(&x);
                wait_for(&x, "again and again");
            }
        }
        destroy(&x);
        problem_free(&x);
    }
}

/** The communicator goes after the plan, or before it: its address is not kept. */
static void freed(int before) {
    MPI_Comm comm;
    problem x;
    ranks_at("freed, %d", before);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int held = problem_init(&x, &boxes[0], comm, 2 + before);
    if (before) {
        x.comm = MPI_COMM_WORLD;
        MPI_Comm_free(&comm);
    }
    if (held) {
        submit(&x);
        wait_for(&x, before ? "communicator freed before the plan" : "duplicate");
    }
    destroy(&x);
    problem_free(&x);
    if (!before) {
        MPI_Comm_free(&comm);
    }
}

/** With the communicator and the plans on it all that was made for them goes; with the plans alone,
 * all but what the next plan takes again. */
static void none_left(void) {
    const int before = alive;
    MPI_Comm comm;
    freed(0);
    CHECK(alive == before, "%d communicators more, the program's freed last", alive - before);
    freed(1);
    CHECK(alive == before, "%d communicators more, the plan destroyed last", alive - before);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -ranks_rank(MPI_COMM_WORLD), &comm);
    two_at_once(comm, comm, 2, "two plans on one that is freed");
    const int kept = alive;
    two_at_once(comm, comm, 4, "and two more");
    CHECK(alive == kept && kept > before, "%d communicators, then %d", kept, alive);
    MPI_Comm_free(&comm);
    CHECK(alive == before, "%d communicators more, after four plans", alive - before);
}

/** A receive of the program's that would take any message of the communicator gets the
 * program's. */
static void own_messages(MPI_Comm comm) {
    int rank = ranks_rank(comm), size = ranks_size(comm), there = 0;
    long word = 1000 + rank, got = -1;
    unsigned char space[4096] = {0};
    MPI_Request request;
    MPI_Status status;
    problem x;
    ranks_at("messages of the program's");
    MPI_Irecv(space, (int)sizeof space, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
    if (problem_init(&x, &boxes[2], comm, 4)) {
        submit(&x);
        wait_for(&x, "beside a receive of the program's");
    }
    destroy(&x);
    problem_free(&x);
    MPI_Test(&request, &there, &status);
    if (CHECK(!there, "a message of the library's went to the program, tag %d", status.MPI_TAG)) {
        MPI_Barrier(comm);
        MPI_Send(&word, (int)sizeof word, MPI_BYTE, (rank + 1) % size, 5, comm);
        MPI_Wait(&request, &status);
        for (size_t b = 0; b < sizeof got; ++b) {
            ((unsigned char *)&got)[b] = space[b];
        }
        CHECK(got == 1000 + (rank + size - 1) % size && status.MPI_TAG == 5, "%ld with tag %d came",
              got, status.MPI_TAG);
    } else {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int main(int argc, char **argv) {
    ranks_start(&argc, &argv);
    again_and_again();
    problem anchor; /* so that StarPU starts once for the rest */
    int held = problem_init(&anchor, &boxes[0], MPI_COMM_WORLD, 0);
    if (ranks_all(MPI_COMM_WORLD, held)) {
        overlapping();
        none_left();
        own_messages(MPI_COMM_WORLD);
        submit(&anchor);
        wait_for(&anchor, "a plan that saw all this");
    }
    destroy(&anchor);
    problem_free(&anchor);
    smaller_than_the_world(0);
    smaller_than_the_world(1);
    return ranks_finish(check_result());
}
