/* Every way that a solve can take, as a table: the tasks that StarPU is handed, the steps that are
 * done, the exchange, the home of the spectrum, the bytes over links and in messages, and a u that
 * is right, and bit by bit that of the ways with the same arithmetic. Functions of this program
 * stand before those of StarPU, MPI and CUDA and count the calls, so a way that silently becomes
 * another one is seen.
 *
 * On cores; with PSG_TEST_GPUS=1 and 2 on so many GPUs; under mpirun between processes; and with a
 * library that simulates on simulated GPUs, where nothing is computed, and u is not looked at. */
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"
#include "graph/psg_starpu.h"
#if WAYS_MPI
#include "tests/mpi/ranks.h"
#endif
#include "tests/check.h"
#include "tests/graph/ways_table.h"
#include "tests/harness.h"
#include "tests/simulate/simulate.h"

#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <starpu.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------- what is counted */

enum { NAMES = 40, MANY = 4 };

/** With enough rows for some to be returned or fetched, and a length along z that has kernels. */
#define GRID                                                                                       \
    {                                                                                              \
        {12, 72, 25}, {                                                                            \
            1.0, 2.0, 1.5                                                                          \
        }                                                                                          \
    }

/** How often, or how many bytes, by name. */
typedef struct tally {
    size_t names;
    char name[NAMES][24];
    uint64_t count[NAMES];
} tally;

static tally seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t *count_of(tally *t, const char *name) {
    size_t m = 0;
    while (m < t->names && strcmp(t->name[m], name) != 0) {
        m++;
    }
    if (m == t->names && m < NAMES - 1) {
        t->names++;
        t->count[m] = 0;
        snprintf(t->name[m], sizeof t->name[m], "%s", name);
    }
    return &t->count[m];
}

static void note(const char *name, uint64_t count) {
    pthread_mutex_lock(&lock);
    *count_of(&seen, name) += count;
    pthread_mutex_unlock(&lock);
}

#define BEFORE_THE_LIBRARY __attribute__((visibility("default")))

/** The function of this name that this program's stands before. */
static void find(void *function, const char *name) {
    void *const there = dlsym(RTLD_NEXT, name);
    if (there == NULL) {
        fprintf(stderr, "no %s\n", name);
        exit(1);
    }
    memcpy(function, &there, sizeof there);
}

/** Tasks without a codelet, by which StarPU waits for data, do not count. Nor do tasks without
 * data: these call workers of a team. */
static atomic_size_t starpu_tasks, placed_tasks; /**< of psg_submit_statistics */

#undef starpu_task_submit /* with the line of the call, where StarPU records these */
BEFORE_THE_LIBRARY int starpu_task_submit(struct starpu_task *task) {
    int (*submit)(struct starpu_task *);
    find(&submit, "starpu_task_submit");
    if (task->cl != NULL && task->cl->name != NULL &&
        (strcmp(task->cl->name, "team") != 0 || STARPU_TASK_GET_NBUFFERS(task) > 0)) {
        note(task->cl->name, 1);
        starpu_tasks++;
        const int where = task->where >= 0 ? task->where : (int)task->cl->where;
        placed_tasks += !task->execute_on_a_specific_worker && where != STARPU_NOWHERE;
    }
    return submit(task);
}

#if WAYS_CUDA
BEFORE_THE_LIBRARY cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
    cudaError_t (*launch)(cudaGraphExec_t, cudaStream_t);
    find(&launch, "cudaGraphLaunch");
    note("graph_launch", 1);
    return launch(graph, stream);
}
#endif

#if WAYS_MPI
/** Messages of the data's own datatype; the others are agreements. */
BEFORE_THE_LIBRARY int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag,
                                 MPI_Comm comm, MPI_Request *request) {
    int integers = 0, addresses = 0, types = 0, combiner = 0, bytes = 0;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    PMPI_Type_size(type, &bytes);
    if (combiner != MPI_COMBINER_NAMED) {
        note("send", 1);
        note("message", (uint64_t)count * (uint64_t)bytes);
    }
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

BEFORE_THE_LIBRARY int MPI_Ialltoallv(const void *from, const int *counts, const int *first,
                                      MPI_Datatype type, void *to, const int *to_counts,
                                      const int *to_first, MPI_Datatype to_type, MPI_Comm comm,
                                      MPI_Request *request) {
    int bytes = 0;
    PMPI_Type_size(type, &bytes);
    note("alltoall", 1);
    for (int r = 0; r < ranks_size(comm); r++) {
        note("message", r == ranks_rank(comm) ? 0 : (uint64_t)counts[r] * (uint64_t)bytes);
    }
    return PMPI_Ialltoallv(from, counts, first, type, to, to_counts, to_first, to_type, comm,
                           request);
}
#endif

/* ---------------------------------------------------------------------------- what should be */

/** What a way's letters stand for. */
typedef struct numbers {
    uint64_t of[128];
} numbers;

static uint64_t evaluate(const char *text, const numbers *n) {
    uint64_t sum = 0, product = 1;
    for (;; text++) {
        if (isdigit((unsigned char)*text)) {
            product *= (uint64_t)(*text - '0');
        } else if (isupper((unsigned char)*text)) {
            product *= n->of[(unsigned char)*text];
        } else {
            sum += product;
            product = 1;
            if (*text != '+') {
                return sum;
            }
        }
    }
}

/** Each name in `text` has its count, and no other has any. */
static void compare(const tally *got, const char *text, const numbers *n, const char *what) {
    tally left = *got;
    char word[24], count[24];
    int length = 0;
    for (; sscanf(text, " %23[a-z_0-9] %23[^,]%n", word, count, &length) == 2; text += length) {
        text += text[length] == ',';
        uint64_t *at = count_of(&left, word);
        CHECK(count[0] == '?' || *at == evaluate(count, n),
              "%s: %s is %llu times, or bytes, and not %s = %llu", what, word,
              (unsigned long long)*at, count, (unsigned long long)evaluate(count, n));
        *at = 0;
    }
    CHECK(*text == 0, "%s: the table has \"%s\"", what, text);
    for (size_t m = 0; m < left.names; m++) {
        CHECK(left.count[m] == 0, "%s: %s is %llu times, or bytes, and not in the table", what,
              left.name[m], (unsigned long long)left.count[m]);
    }
}

/* ----------------------------------------------------------------------------------- a solve */

/** Of one way; f and u are [MANY] times this process' planes. */
typedef struct run {
    const way *way;
    psg_precision precision;
    oracle_grid grid;
    psg_plan *plan;
    size_t z0, points;
    void *f, *u;
    char what[96];
} run;

/** What the processes have together, and who counts on it. */
typedef struct world {
    const void *comm; /**< NULL: one process */
    int ranks, rank;
} world;

static char *same[128][PSG_PRECISION_COUNT];

static psg_status solve(run *r) {
    psg_array from, to, two;
    psg_solve_args args;
    psg_status status = PSG_OK;
    switch (r->way->call) {
    case SOLVE:
        return psg_solve(r->plan, r->f, r->u);
    case SUBMIT:
        status = psg_submit(r->plan, r->f, r->u);
        return status == PSG_OK ? psg_wait(r->plan) : status;
    case SLABS:
        status = psg_submit_slabs(r->plan);
        return status == PSG_OK ? psg_wait(r->plan) : status;
    case SOLVE_MANY:
    case ONE_BY_ONE:
        return psg_solve_many(r->plan, MANY, r->f, r->u);
    case EPSILON: /* which is 2, in the place of another right-hand side */
        from = harness_view(r->f);
        to = harness_view(r->u);
        two = harness_view((char *)r->f + r->points * harness_element_bytes(r->precision));
        args = harness_args(r->plan);
        args.epsilon = &two;
        return psg_solve_arrays(r->plan, 1, &from, &to, &args);
    }
    return PSG_ERR_ARG;
}

/** Right-hand side m is 2^m times the first, and so is its u, with the same digits. */
static void check_u(const run *r, const double *want) {
    const size_t sides = r->way->call == SOLVE_MANY || r->way->call == ONE_BY_ONE ? MANY : 1;
    const size_t *n = r->grid.n, number = harness_element_bytes(r->precision);
    const size_t first = r->z0 * n[0] * n[1];
    FREED double *got = oracle_array(r->points);
    FREED char *digits = harness_array(r->precision, r->points);
    char **kept = &same[(unsigned char)r->way->same][r->precision];
    for (size_t m = 0; m < sides; m++) {
        harness_load(r->precision, r->points, (char *)r->u + m * r->points * number, got);
        for (size_t p = 0; p < r->points; p++) {
            got[p] = ldexp(got[p], -(int)m);
        }
        harness_store(r->precision, r->points, got, digits);
        if (*kept == NULL) {
            *kept = harness_array(r->precision, n[0] * n[1] * n[2]);
            memcpy(*kept + first * number, digits, r->points * number);
        }
        CHECK_CLOSE(got, want + first, n[0], n[1], r->points / n[0] / n[1],
                    harness_tolerance(r->precision, 1e-12, 1e-4), "%s, u %zu", r->what, m);
        CHECK(memcmp(*kept + first * number, digits, r->points * number) == 0,
              "%s, u %zu: other digits than those of the first way '%c'", r->what, m, r->way->same);
    }
}

static uint64_t steps_of(const psg_plan *plan, tally *steps) {
    psg_kind_tasks kind[NAMES];
    size_t kinds = 0;
    uint64_t sum = 0;
    steps->names = 0;
    CHECK_STATUS(psg_work_tasks(psg_plan_work(plan), kind, NAMES, &kinds), PSG_OK);
    for (size_t m = 0; m < kinds && m < NAMES; m++) {
        *count_of(steps, psg_stage_name(kind[m].stage)) = kind[m].tasks[0] + kind[m].tasks[1];
        sum += kind[m].tasks[0] + kind[m].tasks[1];
    }
    return sum;
}

/** Of this process, not by the library. */
static size_t share_of(size_t n, const psg_statistics *s) {
    return n / (size_t)s->ranks + ((size_t)s->rank < n % (size_t)s->ranks);
}

static numbers numbers_of(const run *r, const psg_statistics *s, const tally *steps) {
    const size_t *n = r->grid.n;
    const size_t row = (n[0] / 2 + 1) * 2 * harness_element_bytes(r->precision);
    const size_t planes = share_of(n[2], s), rows = share_of(n[1], s);
    size_t segments = 0, sheets = 0;
    numbers of = {{0}};
    tally t = *steps;
    CHECK_STATUS(psg_plan_segments(r->plan, &segments, &sheets), PSG_OK);
    of.of['S'] = segments;
    of.of['P'] = sheets;
    of.of['A'] = s->segments;
    of.of['J'] = sheets > 0 ? *count_of(&t, "kspace") / sheets : 0;
    of.of['F'] = r->points * harness_element_bytes(r->precision);
    of.of['X'] = planes * n[1] * row;
    of.of['E'] = segments * ((size_t)s->ranks - 1) + s->segments - segments; /* of bundles */
    of.of['M'] = (planes * (n[1] - rows) + rows * (n[2] - planes)) * row;
    return of;
}

static void check_way(const run *r, const psg_statistics *before) {
    static const struct {
        psg_executor is;
        const char *handed;
    } executors[] = {[TASKS] = {PSG_EXECUTOR_TASKS, NULL},
                     [CHAIN] = {PSG_EXECUTOR_CHAIN, "chain 1"},
                     [CUDA_GRAPH] = {PSG_EXECUTOR_CHAIN, "chain 1, graph_launch 1"},
                     [TEAM_BY_THREAD] = {PSG_EXECUTOR_TEAM, ""},
                     [TEAM_BY_TASK] = {PSG_EXECUTOR_TEAM, "team 1"}};
    const way *w = r->way;
    const char *given = executors[w->executor].handed;
    given = given != NULL ? given : w->steps;
    char asked[512];
    int on_gpus = 0;
    double left = 0;
    tally steps;
    psg_statistics s;
    const uint64_t done = steps_of(r->plan, &steps);
    CHECK_STATUS(psg_plan_statistics(r->plan, &s), PSG_OK);
    CHECK_STATUS(psg_plan_memory(r->plan, &on_gpus, &left), PSG_OK);
    for (int link = 0; link < PSG_LINK_MESSAGE; link++) {
        note(psg_link_name((psg_link)link), s.link[link].bytes - before->link[link].bytes);
    }
    numbers n = numbers_of(r, &s, &steps);
    snprintf(asked, sizeof asked, "%s%s%s", given, *given != 0 && *w->beside != 0 ? ", " : "",
             w->beside);
    CHECK(s.submit.executor == executors[w->executor].is, "%s: executor %d", r->what,
          (int)s.submit.executor);
    CHECK(w->call == ONE_BY_ONE ||
              (s.submit.starpu_tasks == starpu_tasks && s.submit.placed_tasks == placed_tasks),
          "%s: psg tells of %zu tasks of StarPU's, %zu placed by the policy, and not %zu, %zu",
          r->what, s.submit.starpu_tasks, s.submit.placed_tasks, (size_t)starpu_tasks,
          (size_t)placed_tasks);
    CHECK((int)s.exchange == w->exchange, "%s: the exchange is %d", r->what, (int)s.exchange);
    /* more GPUs fetch only where there is no room to return them */
    const bool fetched = w->home == ROWS_FETCHED && harness_options(PSG_F64).gpus <= 2;
    CHECK((on_gpus != 0) == (w->home != MAIN) &&
              (s.returned_rows > 0) == (w->home >= ROWS_RETURNED) &&
              (s.fetched_rows > 0) == fetched,
          "%s: the spectrum is in main memory, or on GPUs; %zu rows are returned, %zu fetched",
          r->what, s.returned_rows, s.fetched_rows);
    CHECK(done > 0 && (w->call != EPSILON || n.of['J'] >= s.iterations), "%s: %zu iterations",
          r->what, s.iterations);
    if (WAYS_SIMULATED) { /* without MPI */
        note("message", s.link[PSG_LINK_MESSAGE].bytes);
    }
    CHECK(s.link[PSG_LINK_MESSAGE].bytes == *count_of(&seen, "message"),
          "%s: psg tells of %llu bytes in messages", r->what,
          (unsigned long long)s.link[PSG_LINK_MESSAGE].bytes);
    compare(&steps, w->steps, &n, r->what);
    for (int letter = 'A'; letter <= 'Z' && w->call == ONE_BY_ONE; letter++) {
        n.of[letter] *= MANY; /* the steps are those of the last one */
    }
    compare(&seen, asked, &n, r->what);
}

/** The plan's words of its way. A solve may go as tasks where others are one. */
static void check_words(const way *w, const char *words, const char *what) {
    const bool staged = strstr(w->options, STAGED_GRAPH) != NULL;
    const char *runs = w->executor >= TEAM_BY_THREAD ? "a team" : w->executor ? "one task" : "";
    const char *moves = w->exchange < MESSAGES   ? "blocks"
                        : w->exchange > MESSAGES ? "call"
                                                 : "mess";
    CHECK(strstr(words, staged ? "staged" : "fused") != NULL && strstr(words, runs) != NULL &&
              strstr(words, moves) != NULL && strstr(words, w->home ? "GPUs" : "main") != NULL,
          "%s: it is said to be %s", what, words);
}

/** What a way is gone with. */
typedef struct journey {
    const way *way;
    psg_precision precision;
    const world *all;
    const double *f, *u; /**< of the whole grid */
} journey;

static void go(const void *argument) {
    enum { SOLVES = 6 }; /* a chain on a GPU is a graph of CUDA's from the fourth on */
    const journey *j = argument;
    const way *w = j->way;
    run r = {.way = w, .precision = j->precision, .grid = GRID};
    const size_t plane = r.grid.n[0] * r.grid.n[1];
    const psg_grid grid = harness_grid(&r.grid);
    const bool slabs = w->call == SLABS;
    psg_options options = harness_options(r.precision);
    size_t planes = 0;
    psg_statistics before;
    snprintf(r.what, sizeof r.what, "%s, %s, process %d of %d", w->name,
             harness_precision_name(r.precision), j->all->rank, j->all->ranks);
    options.comm = j->all->comm;
    options.gpus = WAYS_SIMULATED ? (w->place == GPU ? 1 : 2) : options.gpus;
    options.symbol = w->call == EPSILON ? PSG_SYMBOL_FD2 : PSG_SYMBOL_SPECTRAL;
    harness_set(&options, w->options);
    if (!CHECK_STATUS(psg_plan_create(&r.plan, &grid, &options), PSG_OK)) {
        return;
    }
    CHECK_STATUS(psg_plan_local_extent(r.plan, &r.z0, &planes), PSG_OK);
    r.points = planes * plane;
    r.f = harness_array(r.precision, MANY * r.points);
    r.u = harness_array(r.precision, MANY * r.points);
    double *sides = oracle_array(MANY * r.points);
    for (size_t p = 0; p < MANY * r.points; p++) {
        const double value = ldexp(j->f[r.z0 * plane + p % r.points], (int)(p / r.points));
        sides[p] = w->call == EPSILON && p >= r.points ? 2 : value;
    }
    harness_store(r.precision, MANY * r.points, sides, r.f);
    if (slabs) {
        CHECK_STATUS(psg_slabs_put(r.plan, r.f), PSG_OK);
    }
    for (int m = 1; m <= SOLVES; m++) {
        CHECK_STATUS(psg_plan_statistics(r.plan, &before), PSG_OK);
        seen.names = 0;
        starpu_tasks = placed_tasks = 0;
        CHECK_STATUS(solve(&r), PSG_OK);
    }
    check_way(&r, &before);
    check_words(w, psg_plan_route(r.plan), r.what);
    if (slabs) {
        CHECK_STATUS(psg_slabs_get(r.plan, r.u), PSG_OK);
    }
    if (!WAYS_SIMULATED) { /* there nothing is computed */
        check_u(&r, j->u);
    }
    psg_plan_destroy(r.plan);
    free(sides);
    free(r.f);
    free(r.u);
}

/* ------------------------------------------------------------------------------- all of them */

/** Ways of several processes are compared with those of one, with the same arithmetic. */
static bool takes(const way *w, place workers) {
    return w->place == workers || (workers == PROCESSES && w->place == CORES && w->call == SOLVE);
}

/** No machine's file has times of other ways. */
static bool takes_simulated(const way *w, psg_precision precision) {
    return precision == PSG_F64 && w->executor != CUDA_GRAPH && w->call < SOLVE_MANY &&
           (w->place == GPU || w->place == GPUS || w->place == SIMULATED);
}

static void all_ways(const world *all, place workers) {
    const world alone = {NULL, 1, 0};
    const oracle_grid grid = GRID;
    const size_t points = oracle_points(&grid);
    FREED double *f = oracle_array(points), *u = oracle_array(points), *fd2 = oracle_array(points);
    for (int p = 0; p < PSG_PRECISION_COUNT; p++) {
        oracle_random(44, points, f);
        harness_round((psg_precision)p, points, f);
        oracle_solve(&grid, ORACLE_SPECTRAL, 0, f, u);
        oracle_solve(&grid, ORACLE_FD2, 0, f, fd2);
        for (size_t m = 0; m < points; m++) {
            fd2[m] /= 2;
        }
        for (size_t m = 0; m < sizeof ways / sizeof *ways; m++) {
            const way *w = &ways[m];
            const journey j = {w, (psg_precision)p, w->place == CORES ? &alone : all, f,
                               w->call == EPSILON ? fd2 : u};
            if (WAYS_SIMULATED && takes_simulated(w, j.precision)) {
                simulate_apart(PSG_MACHINES "/h200.machine", go, &j);
            } else if (!WAYS_SIMULATED && takes(w, workers)) {
                go(&j);
            }
        }
    }
}

#undef main /* in a simulation StarPU's is the library's, see psg_simulation_main() */
#if WAYS_MPI
int main(int argc, char **argv) {
    const MPI_Comm comm = MPI_COMM_WORLD;
    ranks_start(&argc, &argv);
    const world all = {&comm, ranks_size(comm), ranks_rank(comm)};
    const bool gpus = harness_options(PSG_F64).gpus > 0;
    all_ways(&all, all.ranks == 1 ? ALONE : gpus ? GPU_PROCESSES : PROCESSES);
    return ranks_finish(check_result());
}
#else
int main(void) {
    const world alone = {NULL, 1, 0};
    const int gpus = harness_options(PSG_F64).gpus;
    all_ways(&alone, gpus > 1 ? GPUS : gpus > 0 ? GPU : CORES);
    return check_result();
}
#endif
