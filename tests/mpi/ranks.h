/** @file ranks.h  What the tests over several processes share: MPI's start and end, who has which
 *  planes, and one process' share of a problem. Without MPI (RANKS_MPI 0, the library psg_alone)
 * the same tests go over one process, of a plan without a communicator.
 *
 * None of these checks anything: a test checks what they return. All that take a communicator are
 * collective over
 * it. */
#ifndef PSG_TESTS_RANKS_H
#define PSG_TESTS_RANKS_H

#include "tests/check.h"
#include "tests/harness.h"

#if RANKS_MPI
#include <mpi.h>
#else
typedef int MPI_Comm;
#define MPI_COMM_WORLD 0
#define MPI_COMM_SELF 0
#define MPI_COMM_NULL (-1)
#endif

/** MPI with MPI_THREAD_MULTIPLE, else the program ends. So it does where it takes longer than
 *  harness_patience(RANKS_SECONDS): what waits for another process waits for ever, and says here
 *  where that was. */
#define RANKS_SECONDS 75
void ranks_start(int *argc, char ***argv);

/** Is combination n done? All of them, or every N-th where the program was called with a number N:
 * many processes on few cores take their time. Which ones depends on the number of processes. */
int ranks_takes(size_t n);

/** What is done next, for that case. */
CHECK_PRINTF(1, 2)
void ranks_at(const char *format, ...);

/** End MPI. @return what main() returns: 0 where `result` is 0 in all processes of the world */
int ranks_finish(int result);

int ranks_size(MPI_Comm comm);
int ranks_rank(MPI_Comm comm);

/** Does it hold in every process? */
int ranks_all(MPI_Comm comm, int held);

/** Over all processes. */
long ranks_sum(MPI_Comm comm, long value);

/** Do all processes have the same value? */
int ranks_same(MPI_Comm comm, long value);

/** Numbers first .. first + count - 1 of n that process `rank` of `size` has: not by the
 * library. */
void ranks_extent(size_t n, int size, int rank, size_t *first, size_t *count);

/** Options of most tests: harness_options(), with one worker in each of several processes, and the
 * communicator. */
psg_options ranks_options(psg_precision precision, const MPI_Comm *comm);

/** The exchanges that the tests go through. */
#define RANKS_EXCHANGES (RANKS_MPI ? 3 : 1)
extern const psg_exchange ranks_exchanges[RANKS_EXCHANGES];
/** Number n of these, over and over; or what PSG_TEST_EXCHANGE says in place of all. */
psg_exchange ranks_exchange(size_t n);
const char *ranks_exchange_name(psg_exchange exchange);
/** What a plan of several processes of a node makes of an exchange: of AUTO it makes direct, with
 * the fused graph. */
psg_exchange ranks_exchange_used(const psg_options *options);

/** Sleep a little, each process for another time, so that they arrive one after the other. */
void ranks_stagger(MPI_Comm comm, int turn);

/** The planes that a process has of a problem, with guards around them. */
typedef struct share {
    psg_precision precision;
    oracle_grid grid;
    size_t z0, planes, points; /**< of this process */
    void *f, *u;               /**< [planes][ny][nx]; NULL where there are none */
    unsigned char *memory, *kept;
    size_t offset;
} share;

/** @param offset  of f and u from an aligned address, in numbers, 0 or 1 */
share share_make(MPI_Comm comm, psg_precision precision, const oracle_grid *grid, size_t offset);
void share_free(share *s);

/** Take the own planes of f, [nz][ny][nx], and spoil u. */
void share_take(share *s, const double *f);

/** Is f as it was taken, and nothing written beside u? */
int share_intact(const share *s);

/** All of u, [nz][ny][nx], in every process. */
void share_gather(const share *s, MPI_Comm comm, double *u);

/** A solve with the gradient: this process' planes of f and u, and of each component, the u of g[d]. */
typedef struct part {
    share u, g[3];
    unsigned wanted; /**< bit d: the component along axis d */
} part;

part part_make(MPI_Comm comm, psg_precision precision, const oracle_grid *grid);
/** Start a solve of f, [nz][ny][nx]. */
psg_status part_submit(part *p, psg_plan *plan, const double *f, unsigned wanted);
void part_free(part *p);

/** A plan of all processes, with an f of the whole grid, its u, and this process' share of them. */
typedef struct problem {
    oracle_grid grid;
    psg_grid g;    /**< of the plan: sides may change */
    size_t points; /**< of the whole grid, as f, want and got are */
    const harness_variant *variant;
    psg_options options;
    psg_plan *plan;
    MPI_Comm comm; /**< of the shares */
    int alone;     /**< the plan has no communicator, and the shares are of this process alone */
    share part, other;
    double *f, *want, *got;
    char words[160];
} problem;

/** Numbers of runs go through the precisions, the variants of the graph and the exchanges. With
 *  PSG_TEST_STARPU_MPI in the environment all have that of StarPU-MPI. */
#define PROBLEM_RUNS ((size_t)2 * HARNESS_VARIANTS * RANKS_EXCHANGES)

/** Without a plan yet: options may change. f is random. */
problem problem_make(const oracle_grid *grid, size_t run);
/** On another communicator than the world; MPI_COMM_NULL: a plan of this process without one. */
problem problem_make_on(MPI_Comm comm, const oracle_grid *grid, size_t run);
/** And in a periodic box `want` is by oracle_solve(). Where a process has no plan, all end. */
void problem_plan(problem *p);
/** `want` is the u that this process makes alone, of the same equation. @param[out] mean  that it
 *  reports @return how that went */
psg_status problem_alone(problem *p, double *mean);
/** Of any f, to the u of `part`. */
psg_status problem_solve(problem *p, const double *f);
void problem_free(problem *p);

/** The u of a share is `want`, and nothing beside it was written. */
static inline int problem_check(problem *p, const share *s, double f64, double f32,
                                const char *what) {
    const size_t *n = p->grid.n;
    share_gather(s, p->comm, p->got);
    return CHECK(share_intact(s), "%s, %s: f or what is beside u was written", what, p->words) &&
           CHECK_CLOSE(p->got, p->want, n[0], n[1], n[2],
                       harness_tolerance(p->options.precision, f64, f32), "%s, %s", what, p->words);
}

#endif
