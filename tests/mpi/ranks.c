#include "tests/mpi/ranks.h"

#include "graph/psg_observe.h"

#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if RANKS_MPI
const psg_exchange ranks_exchanges[RANKS_EXCHANGES] = {PSG_EXCHANGE_MPI, PSG_EXCHANGE_ALLTOALL,
                                                       PSG_EXCHANGE_AUTO};
#else
const psg_exchange ranks_exchanges[RANKS_EXCHANGES] = {PSG_EXCHANGE_AUTO};
#endif

psg_exchange ranks_exchange(size_t n) {
    psg_options options = harness_options(PSG_F64);
    options.exchange = ranks_exchanges[n % RANKS_EXCHANGES];
    if (getenv("PSG_TEST_EXCHANGE") != NULL) {
        CHECK_STATUS(psg_options_set(&options, "exchange", getenv("PSG_TEST_EXCHANGE")), PSG_OK);
    }
    return options.exchange;
}

const char *ranks_exchange_name(psg_exchange exchange) {
    return exchange == PSG_EXCHANGE_MPI        ? "mpi"
           : exchange == PSG_EXCHANGE_ALLTOALL ? "alltoall"
           : exchange == PSG_EXCHANGE_STARPU   ? "starpu"
           : exchange == PSG_EXCHANGE_NCCL     ? "nccl"
                                               : "auto";
}

psg_exchange ranks_exchange_used(const psg_options *options) {
    return options->exchange != PSG_EXCHANGE_AUTO ? options->exchange
           : options->graph == PSG_GRAPH_STAGED   ? PSG_EXCHANGE_MPI
                                                  : PSG_EXCHANGE_DIRECT;
}

/* Of this process: "process 2 hangs: " and what it was at. */
static char place[300];

void ranks_at(const char *format, ...) {
    va_list arguments;
    int head = snprintf(place, sizeof place, "process %d hangs: ", ranks_rank(MPI_COMM_WORLD));
    va_start(arguments, format);
    vsnprintf(place + head, sizeof place - (size_t)head - 1, format, arguments);
    va_end(arguments);
    strcat(place, "\n");
}

static size_t every = 1;

#if RANKS_MPI
static void hangs(int signal_number) {
    (void)signal_number;
    if (write(STDERR_FILENO, place, strnlen(place, sizeof place)) < 0) {
        _exit(2);
    }
    sleep(1); /* the others have their say */
    _exit(1);
}

void ranks_start(int *argc, char ***argv) {
    int provided = MPI_THREAD_SINGLE;
    const char *seconds = getenv("PSG_TEST_MPI_SECONDS");
    signal(SIGALRM, hangs);
    alarm(seconds ? (unsigned)strtoul(seconds, NULL, 10) : harness_patience(RANKS_SECONDS));
    harness_options(PSG_F64); /* ends the program as skipped where a GPU is missing */
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
    every = *argc > 1 ? strtoul((*argv)[1], NULL, 10) : 1;
    if (provided != MPI_THREAD_MULTIPLE || every == 0) {
        fprintf(stderr,
                "this MPI has no MPI_THREAD_MULTIPLE, or no number of combinations given\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int ranks_takes(size_t n) {
    return n % every == (size_t)ranks_size(MPI_COMM_WORLD) % every;
}

int ranks_finish(int result) {
    int good = ranks_all(MPI_COMM_WORLD, result == 0);
    MPI_Finalize();
    return good ? 0 : 1;
}

int ranks_size(MPI_Comm comm) {
    int size = 0;
    MPI_Comm_size(comm, &size);
    return size;
}

int ranks_rank(MPI_Comm comm) {
    int rank = -1;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

int ranks_all(MPI_Comm comm, int held) {
    int all = 0, one = held ? 1 : 0;
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_MIN, comm);
    return all;
}

int ranks_same(MPI_Comm comm, long value) {
    long mine[2] = {value, -value}, all[2] = {0, 0};
    MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_MIN, comm);
    return all[0] == -all[1];
}
long ranks_sum(MPI_Comm comm, long value) {
    long sum = 0;
    MPI_Allreduce(&value, &sum, 1, MPI_LONG, MPI_SUM, comm);
    return sum;
}
#else
void ranks_start(int *argc, char ***argv) {
    harness_options(PSG_F64); /* ends the program as skipped where a GPU is missing */
    every = *argc > 1 ? strtoul((*argv)[1], NULL, 10) : 1;
}

int ranks_takes(size_t n) {
    return n % every == 0;
}

int ranks_finish(int result) {
    return result;
}

int ranks_size(MPI_Comm comm) {
    (void)comm;
    return 1;
}

int ranks_rank(MPI_Comm comm) {
    (void)comm;
    return 0;
}

int ranks_all(MPI_Comm comm, int held) {
    (void)comm;
    return held;
}

long ranks_sum(MPI_Comm comm, long value) {
    (void)comm;
    return value;
}

int ranks_same(MPI_Comm comm, long value) {
    (void)comm;
    (void)value;
    return 1;
}
#endif

void ranks_extent(size_t n, int size, int rank, size_t *first, size_t *count) {
    /* dealt out one by one, then put in order */
    size_t before = 0, own = 0;
    for (size_t dealt = 0; dealt < n; ++dealt) {
        int to = (int)(dealt % (size_t)size);
        before += to < rank ? 1 : 0;
        own += to == rank ? 1 : 0;
    }
    *first = before;
    *count = own;
}

psg_options ranks_options(psg_precision precision, const MPI_Comm *comm) {
    psg_options options = harness_options(precision);
    if (RANKS_MPI) {
        options.cpus = getenv("PSG_TEST_CPUS") ? options.cpus : 1;
        options.comm = comm;
    }
    return options;
}

void ranks_stagger(MPI_Comm comm, int turn) {
    struct timespec t = {0, (ranks_rank(comm) + turn) % 3 * 3000000L};
    nanosleep(&t, NULL);
}

/* Numbers before and behind u, and what is in their bytes. */
#define GUARD 16
#define GUARD_BYTE 0xa5

static size_t guarded_bytes(const share *s) {
    return (s->points + 2 * GUARD) * harness_element_bytes(s->precision);
}

share share_make(MPI_Comm comm, psg_precision precision, const oracle_grid *grid, size_t offset) {
    share s;
    memset(&s, 0, sizeof s);
    s.precision = precision;
    s.grid = *grid;
    s.offset = offset;
    ranks_extent(grid->n[2], ranks_size(comm), ranks_rank(comm), &s.z0, &s.planes);
    s.points = grid->n[0] * grid->n[1] * s.planes;
    size_t element = harness_element_bytes(precision), bytes = guarded_bytes(&s);
    s.memory = harness_array(precision, 2 * (s.points + 2 * GUARD + 1));
    s.kept = harness_array(precision, s.points + 1);
    if (s.points > 0) {
        s.f = s.memory + offset * element;
        s.u = s.memory + bytes + (offset + GUARD) * element;
    }
    return s;
}

void share_free(share *s) {
    free(s->memory);
    free(s->kept);
    memset(s, 0, sizeof *s);
}

void share_take(share *s, const double *f) {
    size_t element = harness_element_bytes(s->precision), bytes = s->points * element;
    memset(s->memory, GUARD_BYTE, 2 * (guarded_bytes(s) + element));
    if (s->points > 0) {
        harness_store(s->precision, s->points, f + s->grid.n[0] * s->grid.n[1] * s->z0, s->f);
        memcpy(s->kept, s->f, bytes);
        memset(s->u, 0xff, bytes); /* not a number in either precision */
    }
}

int share_intact(const share *s) {
    size_t element = harness_element_bytes(s->precision), bytes = s->points * element;
    if (s->points == 0) {
        return 1;
    }
    const unsigned char *u = s->u, *behind_f = (const unsigned char *)s->f + bytes;
    const unsigned char *end = s->memory + 2 * (guarded_bytes(s) + element);
    for (const unsigned char *b = behind_f; b < end; ++b) {
        if ((b < u || b >= u + bytes) && *b != GUARD_BYTE) {
            return 0;
        }
    }
    return memcmp(s->f, s->kept, bytes) == 0;
}

#if RANKS_MPI
void share_gather(const share *s, MPI_Comm comm, double *u) {
    int size = ranks_size(comm), *counts = calloc(2 * (size_t)size, sizeof *counts);
    FREED double *own = oracle_array(s->points);
    if (!counts) {
        MPI_Abort(MPI_COMM_WORLD, 1);
        return;
    }
    for (int rank = 0; rank < size; ++rank) {
        size_t first, count, plane = s->grid.n[0] * s->grid.n[1];
        ranks_extent(s->grid.n[2], size, rank, &first, &count);
        counts[rank] = (int)(count * plane);
        counts[size + rank] = (int)(first * plane);
    }
    if (s->points > 0) {
        harness_load(s->precision, s->points, s->u, own);
    }
    MPI_Allgatherv(own, (int)s->points, MPI_DOUBLE, u, counts, counts + size, MPI_DOUBLE, comm);
    free(counts);
}
#else
void share_gather(const share *s, MPI_Comm comm, double *u) {
    (void)comm;
    harness_load(s->precision, s->points, s->u, u);
}
#endif

part part_make(MPI_Comm comm, psg_precision precision, const oracle_grid *grid) {
    part p = {.u = share_make(comm, precision, grid, 0)};
    for (int d = 0; d < 3; ++d) {
        p.g[d] = share_make(comm, precision, grid, 0);
    }
    return p;
}

psg_status part_submit(part *p, psg_plan *plan, const double *f, unsigned wanted) {
    const psg_array from = {.data = p->u.f, .device = PSG_HOST};
    const psg_array to = {.data = p->u.u, .device = PSG_HOST};
    psg_array g[3];
    psg_solve_args args;
    const psg_status status = psg_solve_args_init(&args, plan);
    p->wanted = wanted;
    share_take(&p->u, f);
    for (int d = 0; d < 3; ++d) {
        share_take(&p->g[d], f);
        g[d] = (psg_array){.data = p->g[d].u, .device = PSG_HOST};
        args.gradient[d] = wanted >> d & 1 ? &g[d] : NULL;
    }
    return status == PSG_OK ? psg_submit_arrays(plan, 1, &from, &to, &args) : status;
}

void part_free(part *p) {
    share_free(&p->u);
    for (int d = 0; d < 3; ++d) {
        share_free(&p->g[d]);
    }
}

problem problem_make_on(MPI_Comm comm, const oracle_grid *grid, size_t run) {
    const psg_precision precision = run % 2 ? PSG_F32 : PSG_F64;
    problem p = {.grid = *grid,
                 .g = harness_grid(grid),
                 .points = oracle_points(grid),
                 .variant = &harness_variants[run / 2 % HARNESS_VARIANTS],
                 .options = ranks_options(precision, NULL),
                 .comm = comm == MPI_COMM_NULL ? MPI_COMM_SELF : comm,
                 .alone = comm == MPI_COMM_NULL || !RANKS_MPI};
    harness_set_variant(&p.options, p.variant);
    if (!p.alone) {
        p.options.exchange = ranks_exchange(run / 2 / HARNESS_VARIANTS);
    }
    p.part = share_make(p.comm, precision, grid, 0);
    p.other = share_make(p.comm, precision, grid, 1);
    p.f = oracle_array(p.points);
    p.want = oracle_array(p.points);
    p.got = oracle_array(p.points);
    oracle_random(3 * p.points, p.points, p.f);
    harness_round(precision, p.points, p.f);
    return p;
}

problem problem_make(const oracle_grid *grid, size_t run) {
    return problem_make_on(MPI_COMM_WORLD, grid, run);
}

/* By oracle_solve(), which takes longer than the solve: the latest answer is kept. */
static void answer(problem *p) {
    static oracle_grid grid;
    static double lambda, *f, *u;
    static psg_symbol symbol;
    const psg_options *o = &p->options;
    if (f == NULL || memcmp(&grid, &p->grid, sizeof grid) != 0 || lambda != o->lambda ||
        symbol != o->symbol || memcmp(f, p->f, p->points * sizeof *f) != 0) {
        free(f);
        free(u);
        f = oracle_array(p->points);
        u = oracle_array(p->points);
        memcpy(f, p->f, p->points * sizeof *f);
        grid = p->grid;
        lambda = o->lambda;
        symbol = o->symbol;
        oracle_solve(&grid, symbol == PSG_SYMBOL_FD2 ? ORACLE_FD2 : ORACLE_SPECTRAL, lambda, f, u);
    }
    memcpy(p->want, u, p->points * sizeof *u);
}

void problem_plan(problem *p) {
    const psg_options *o = &p->options;
    int periodic = 1;
    p->options.comm = p->alone ? NULL : &p->comm;
    for (int d = 0; d < 3; ++d) {
        periodic = periodic && p->g.axis[d].bc[0] == PSG_BC_PERIODIC;
    }
    snprintf(p->words, sizeof p->words, "%zux%zux%zu, %s, %s, %s, lambda %g, factor %g",
             p->grid.n[0], p->grid.n[1], p->grid.n[2], harness_precision_name(o->precision),
             p->variant->name, ranks_exchange_name(o->exchange), o->lambda, o->factor);
    ranks_at("%s", p->words);
    if (periodic) {
        answer(p);
    }
    for (size_t m = 0; m < p->points && periodic; ++m) {
        p->want[m] *= o->factor;
    }
    const int held = psg_plan_create(&p->plan, &p->g, o) == PSG_OK;
    if (!held) {
        fprintf(stderr, "%s: no plan: %s\n", p->words, psg_last_error());
    }
    if (!ranks_all(p->comm, held)) {
        exit(1);
    }
}

psg_status problem_alone(problem *p, double *mean) {
    psg_statistics statistics = {.mean = NAN};
    psg_options options = ranks_options(p->options.precision, NULL);
    psg_plan *plan = NULL;
    options.cpus = p->options.cpus;
    options.gpus = p->options.gpus;
    options.symbol = p->options.symbol;
    options.lambda = p->options.lambda;
    psg_status status = psg_plan_create(&plan, &p->g, &options);
    if (status == PSG_OK) {
        status = harness_solve(plan, options.precision, p->points, p->f, p->want);
        (void)psg_plan_statistics(plan, &statistics);
    }
    *mean = statistics.mean;
    psg_plan_destroy(plan);
    return status;
}

psg_status problem_solve(problem *p, const double *f) {
    share_take(&p->part, f);
    return psg_solve(p->plan, p->part.f, p->part.u);
}

void problem_free(problem *p) {
    psg_plan_destroy(p->plan);
    share_free(&p->part);
    share_free(&p->other);
    free(p->f);
    free(p->want);
    free(p->got);
}
