/* A process that is stopped (SIGSTOP), or killed (SIGKILL, where PSG_TEST_KILL is set and the
 * launcher lets the others go on), ends the wait of the other ones by their time limit, wherever it
 * is: their calls return PSG_ERR_RUNTIME with words that name it, the plan can be destroyed, and its
 * communicator fails at once from then on.
 *
 *   stopped WHERE EXCHANGE [MILLISECONDS]     the last process ends so:
 *     create     before its first plan        again   before its second plan on the communicator
 *     solve      before its second solve      flight  as soon as it has submitted its second solve
 *     epsilon    in the iterations of its second solve with epsilon
 *     while      so many milliseconds after it has begun to make a plan and to solve
 *   stopped call EXCHANGE COUNT               it stops in so many calls of MPI that wait for others
 * or begin to, from the first one of making a plan on
 *
 * The first process kills the stopped one at the end. So the launcher ends with an error, and the
 * verdict is the line "the others went on: ...". */
#include "graph/psg_machine.h"
#include "tests/check.h"
#include "tests/harness.h"
#include "tests/mpi/ranks.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LIMIT 4.0 /* seconds; on a machine with a lot to do a process gets no core for a while */
#define NX 24
#define NY 20
#define NZ 22

static const oracle_grid box = {{NX, NY, NZ}, {1.0, 1.0, 1.0}};

typedef struct scene {
    const char *where;
    psg_options options;
    psg_grid grid;
    int victim, me;
    share part, eps;
    struct timespec delay;
} scene;

static int ending = SIGSTOP;
static int calls_left; /* until the process stops; 0: it goes on */

static void count_call(void) {
    if (calls_left > 0 && --calls_left == 0) {
        raise(ending);
    }
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *made, MPI_Request *request) {
    count_call();
    return PMPI_Comm_idup(comm, made, request);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made) {
    count_call();
    return PMPI_Comm_split_type(comm, type, key, info, made);
}

int MPI_Iallreduce(const void *give, void *take, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request *request) {
    count_call();
    return PMPI_Iallreduce(give, take, count, type, op, comm, request);
}

int MPI_Isend(const void *give, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request) {
    count_call();
    return PMPI_Isend(give, count, type, to, tag, comm, request);
}

static int is(const scene *x, const char *where) {
    return strcmp(x->where, where) == 0;
}

static void stop_if(const scene *x, int here) {
    if (here && x->me == x->victim) {
        raise(ending);
    }
}

static void *stop_later(void *argument) {
    const scene *x = argument;
    nanosleep(&x->delay, NULL);
    kill(getpid(), ending);
    return NULL;
}

/* One solve with epsilon, in which this process may end. @return how it ended */
static psg_status solve_epsilon(const scene *x, psg_plan *plan, int number) {
    const int some = 30; /* messages of a few iterations */
    const psg_array f = harness_view(x->part.f), u = harness_view(x->part.u);
    const psg_array eps = harness_view(x->eps.f);
    psg_solve_args args = harness_args(plan);
    args.epsilon = &eps;
    calls_left = number == 1 && x->me == x->victim ? some : 0;
    return psg_solve_arrays(plan, 1, &f, &u, &args);
}

/* One solve. @return how it ended */
static psg_status solve(const scene *x, psg_plan *plan, int number) {
    if (is(x, "epsilon")) {
        return solve_epsilon(x, plan, number);
    }
    stop_if(x, is(x, "solve") && number == 1);
    const psg_status status = psg_submit(plan, x->part.f, x->part.u);
    if (status != PSG_OK) {
        return status;
    }
    stop_if(x, is(x, "flight") && number == 1);
    return psg_wait(plan);
}

/* Solves until one fails, of a plan that may not come about. */
static psg_status work(const scene *x, psg_plan **plan, double *since) {
    stop_if(x, is(x, "create"));
    psg_status status = psg_plan_create(plan, &x->grid, &x->options);
    if (status == PSG_OK && is(x, "again")) {
        psg_plan_destroy(*plan);
        stop_if(x, 1);
        *since = psg_clock();
        status = psg_plan_create(plan, &x->grid, &x->options);
    }
    for (int n = 0; status == PSG_OK; n++) {
        *since = psg_clock();
        status = solve(x, *plan, n);
    }
    return status;
}

/* Does a list of processes in the words have the victim? */
static int named(const char *words, int victim) {
    const char *list = strstr(words, "process");
    for (; list && *list && strncmp(list, " to ", 4) != 0; list++) {
        if (*list >= '0' && *list <= '9' && strtol(list, NULL, 10) == victim) {
            return 1;
        }
    }
    return 0;
}

static void check_words(const scene *x, const char *words) {
    /* a process of an alltoall is not known, nor one that does not take part in the first step */
    const int known = is(x, "again") || is(x, "solve") || is(x, "epsilon") ||
                      (is(x, "flight") && x->options.exchange != PSG_EXCHANGE_ALLTOALL);
    CHECK(strstr(words, "waited 4 s (time_limit) for ") != NULL, "%s: %s", x->where, words);
    CHECK(!known || named(words, x->victim), "%s: %s", x->where, words);
}

int main(int argc, char **argv) {
    MPI_Comm comm = MPI_COMM_NULL, others = MPI_COMM_NULL;
    scene x;
    pthread_t thread;
    long pid = getpid();
    char *number = "1";
    char *arguments[] = {argv[0], number, NULL};
    int count = 2;
    char **list = arguments;
    ranks_start(&count, &list);
    ending = getenv("PSG_TEST_KILL") != NULL ? SIGKILL : SIGSTOP;
    memset(&x, 0, sizeof x);
    x.where = argc > 1 ? argv[1] : "create";
    x.me = ranks_rank(MPI_COMM_WORLD);
    x.victim = ranks_size(MPI_COMM_WORLD) - 1;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_split(MPI_COMM_WORLD, x.me == x.victim, x.me, &others);
    MPI_Bcast(&pid, 1, MPI_LONG, x.victim, MPI_COMM_WORLD);
    x.options = ranks_options(PSG_F64, &comm);
    x.options.time_limit = LIMIT;
    x.options.exchange = argc > 2 && strcmp(argv[2], "alltoall") == 0 ? PSG_EXCHANGE_ALLTOALL
                         : argc > 2 && strcmp(argv[2], "direct") == 0 ? PSG_EXCHANGE_DIRECT
                         : argc > 2 && strcmp(argv[2], "nccl") == 0   ? PSG_EXCHANGE_NCCL
                                                                      : PSG_EXCHANGE_MPI;
    x.grid = harness_grid(&box);
    x.part = share_make(comm, PSG_F64, &box, 0);
    double *f = oracle_array((size_t)NX * NY * NZ);
    oracle_random(3, (size_t)NX * NY * NZ, f);
    share_take(&x.part, f);
    x.eps = share_make(comm, PSG_F64, &box, 0);
    for (size_t m = 0; m < (size_t)NX * NY * NZ; m++) {
        f[m] = 2 + f[m];
    }
    share_take(&x.eps, f);
    x.options.symbol = is(&x, "epsilon") ? PSG_SYMBOL_FD2 : x.options.symbol;
    ranks_at("%s", x.where);
    const long number_given = argc > 3 ? strtol(argv[3], NULL, 10) : 0; /* milliseconds or calls */
    x.delay = (struct timespec){number_given / 1000, number_given % 1000 * 1000000L};
    if (is(&x, "while") && x.me == x.victim && pthread_create(&thread, NULL, stop_later, &x) != 0) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    calls_left = is(&x, "call") && x.me == x.victim ? (int)number_given : 0;
    psg_plan *plan = NULL;
    double since = psg_clock();
    CHECK_STATUS(work(&x, &plan, &since), PSG_ERR_RUNTIME);
    char words[1024];
    snprintf(words, sizeof words, "%s", psg_last_error());
    const double waited = psg_clock() - since;
    CHECK(waited >= 0.9 * LIMIT && waited < harness_patience(20), "%s: waited %g s", x.where,
          waited);
    check_words(&x, words);

    since = psg_clock();
    if (plan != NULL) {
        CHECK_STATUS(psg_submit(plan, x.part.f, x.part.u), PSG_ERR_RUNTIME);
    }
    psg_plan_destroy(plan);
    if (!is(&x, "create") && !is(&x, "while") && !is(&x, "call")) {
        CHECK_STATUS(psg_plan_create(&plan, &x.grid, &x.options), PSG_ERR_RUNTIME);
        CHECK(psg_last_error()[0] != '\0', "no words");
    }
    CHECK(psg_clock() - since < harness_patience(3), "%s: %g s for what is given up", x.where,
          psg_clock() - since);
    const int good = ranks_all(others, check_result() == 0);
    if (x.me == 0) {
        printf("the others %s: %s\n", good ? "went on" : "did not go on", words);
        fflush(stdout);
        kill((pid_t)pid, SIGKILL);
    }
    if (ending == SIGSTOP) {
        pause(); /* the launcher kills it */
    }
    _exit(1);
}
