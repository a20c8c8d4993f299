/* The processes of one run. The only file of the command that calls MPI. */
#include "app/processes.h"
#include "app/output.h"
#include "app/words.h"
#include "base/clock.h"
#include "base/hash.h"
#include "graph/psg_machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int own_rank, rank_count = 1;

int app_rank(void) {
    return own_rank;
}

int app_ranks(void) {
    return rank_count;
}

/* What a launcher says about itself: Open MPI's mpirun, those that speak PMIx or PMI. */
static const char *const launcher_words[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK",
                                             "PMI_SIZE"};
enum { LAUNCHER_WORDS = sizeof launcher_words / sizeof launcher_words[0] };

/* Does a launcher say that there are others? A number of processes above 1, or a rank above 0. */
static bool is_one_of_several(void) {
    bool several = false;
    for (size_t w = 0; w < LAUNCHER_WORDS; w++) {
        const char *value = getenv(launcher_words[w]);
        const bool is_size = strstr(launcher_words[w], "SIZE") != NULL;
        several |= value != NULL && atol(value) > (is_size ? 1 : 0);
    }
    return several;
}

bool app_ranks_launched(void) {
    bool launched = false;
    for (size_t w = 0; w < LAUNCHER_WORDS; w++) {
        launched |= PSG_WITH_MPI && getenv(launcher_words[w]) != NULL;
    }
    return launched;
}

enum reduction { SUM, LARGEST };
enum { NOBODY = -1 };

#if PSG_WITH_MPI
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

/* Longer messages are sent in pieces: MPI counts with int. */
enum { PIECE = 1 << 30, TAG = 1 };

static int initialised;
static MPI_Comm world;    /* the library's, on which it solves */
static MPI_Comm ours;     /* a context of our own, where errors come back to us */
static MPI_Op largest_op; /* MPI_MAX makes anything of a NaN */
static char kept[4096];

/* The others may be waiting for this process in a call that it will not make, so all have to
 * end. */
static void check(int result, const char *call) {
    if (result == MPI_SUCCESS) {
        return;
    }
    char words[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(result, words, &length);
    app_print_message("rank %d: %s failed: %.*s", own_rank, call, length, words);
    app_outputs_remove();
    MPI_Abort(MPI_COMM_WORLD, APP_FAILED);
    exit(APP_FAILED);
}

/* ------------------------------------------------------------------------------- the time limit */

/* What this process waits for now, and since when. A thread looks at it: MPI's calls block. */
static struct {
    pthread_mutex_t lock;
    double limit; /* seconds; the rest is under the lock */
    double since;
    const char *call; /* NULL: nothing is waited for */
    bool ends;        /* the thread ends the process */
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void pause_for(double seconds) {
    const struct timespec time = {(time_t)seconds, (long)(1e9 * fmod(seconds, 1))};
    (void)nanosleep(&time, NULL);
}

/* One process says it: the launcher ends the others before their turn. */
static void end_all(const char *call, double limit) {
    char who[32] = "";
    pause_for(0.3 * own_rank);
    snprintf(who, sizeof who, own_rank > 0 ? "rank %d: " : "", own_rank);
    if (kept[0]) {
        app_print_message("%s%s", who, kept);
    } else {
        app_print_message("%swaited %g s (--time-limit) for other processes, in %s", who, limit,
                          call);
    }
    app_outputs_remove();
    app_signals_ignore(); /* what the launcher has to say to this process is done */
    MPI_Abort(MPI_COMM_WORLD, APP_FAILED);
    _exit(APP_FAILED);
}

static void *look(void *argument) {
    (void)argument;
    for (;;) {
        pthread_mutex_lock(&watch.lock);
        const char *call = watch.call;
        const double limit = watch.limit;
        const double left = call != NULL ? watch.since + limit - base_now() : limit;
        const bool over = call != NULL && left <= 0;
        watch.ends = over;
        pthread_mutex_unlock(&watch.lock);
        if (over) {
            end_all(call, limit);
        }
        pause_for(fmin(fmax(left, 0.01), 0.2));
    }
    return NULL;
}

int app_ranks_limit(double seconds) {
    pthread_t thread;
    if (rank_count == 1 || seconds <= 0) {
        return APP_DONE;
    }
    watch.limit = seconds;
    if (pthread_create(&thread, NULL, look, NULL) != 0) {
        watch.limit = 0;
        return app_error(APP_FAILED, "no thread could be had for --time-limit");
    }
    pthread_detach(thread);
    return APP_DONE;
}

void app_ranks_hurry(void) {
    pthread_mutex_lock(&watch.lock);
    watch.limit = fmin(watch.limit, 1);
    pthread_mutex_unlock(&watch.lock);
}

/* A call of MPI that waits for other processes begins; NULL: it is over. The launcher wakes a
 * stopped process to end it, and calls that waited for that process may end. Then this process is
 * ending, too, and has said why. */
static void waits(const char *call) {
    if (watch.limit > 0) {
        pthread_mutex_lock(&watch.lock);
        watch.call = call;
        watch.since = base_now();
        const bool ends = watch.ends;
        pthread_mutex_unlock(&watch.lock);
        if (ends) {
            for (;;) {
                pause_for(1);
            }
        }
    }
}

#define CHECK(call, ...)                                                                           \
    do {                                                                                           \
        waits(#call);                                                                              \
        check(call(__VA_ARGS__), #call);                                                           \
        waits(NULL);                                                                               \
    } while (0)

static void take_largest(void *in, void *in_out, int *count, MPI_Datatype *type) {
    const double *values = in;
    double *result = in_out;
    (void)type;
    for (int i = 0; i < *count; i++) {
        if (!(values[i] <= result[i]) && !isnan(result[i])) {
            result[i] = values[i];
        }
    }
}

static void broadcast(void *data, size_t bytes, int root) {
    for (size_t done = 0; done < bytes; done += PIECE) {
        const size_t piece = bytes - done < PIECE ? bytes - done : PIECE;
        CHECK(MPI_Bcast, (char *)data + done, (int)piece, MPI_BYTE, root, ours);
    }
}

static void reduce(double *values, size_t count, enum reduction how) {
    const MPI_Op op = how == SUM ? MPI_SUM : largest_op;
    for (size_t done = 0; done < count; done += PIECE) {
        const size_t piece = count - done < PIECE ? count - done : PIECE;
        CHECK(MPI_Allreduce, MPI_IN_PLACE, values + done, (int)piece, MPI_DOUBLE, op, ours);
    }
}

/* Gives to one process and takes from one; either may be NOBODY. */
static void send_receive(int to, const void *give, int from, void *take, size_t bytes) {
    const bool gives = to != NOBODY, takes = from != NOBODY;
    for (size_t done = 0; done < bytes; done += PIECE) {
        const int piece = (int)(bytes - done < PIECE ? bytes - done : PIECE);
        CHECK(MPI_Sendrecv, gives ? (const char *)give + done : NULL, gives ? piece : 0, MPI_BYTE,
              gives ? to : MPI_PROC_NULL, TAG, takes ? (char *)take + done : NULL,
              takes ? piece : 0, MPI_BYTE, takes ? from : MPI_PROC_NULL, TAG, ours,
              MPI_STATUS_IGNORE);
    }
}

/* ---------------------------------------------------------------------------- start and end */

const void *app_ranks_comm(void) {
    return initialised ? &world : NULL;
}

/* Processes that were told different things would wait for each other in different places. */
static int compare_command_lines(int argc, char **argv) {
    uint64_t hash = BASE_HASH_NOTHING;
    for (int a = 1; a < argc; a++) {
        hash = base_hash(hash, argv[a], strlen(argv[a]) + 1); /* the zeros between the words too */
    }
    uint64_t first = hash;
    broadcast(&first, sizeof first, 0);
    return app_ranks_agree(
        hash == first ? APP_DONE
                      : app_error(APP_USAGE, "the command line is not the one that rank 0 has"));
}

static bool keep(const char *text) {
    if (rank_count == 1) {
        return false;
    }
    if (kept[0] == '\0') {
        snprintf(kept, sizeof kept, "%s", text);
    }
    return true;
}

int app_ranks_start(int argc, char **argv) {
    int threads = MPI_THREAD_SINGLE;
    if (!app_ranks_launched()) {
        return APP_DONE;
    }
    /* who waits for the others, and the thread of the messages, must give way to the worker that
       computes on the same core */
    (void)setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &threads) != MPI_SUCCESS) {
        return app_error(APP_FAILED, "MPI cannot be initialised");
    }
    initialised = 1;
    app_errors_to(keep);
    world = MPI_COMM_WORLD;
    CHECK(MPI_Comm_dup, MPI_COMM_WORLD, &ours);
    CHECK(MPI_Comm_set_errhandler, ours, MPI_ERRORS_RETURN);
    CHECK(MPI_Op_create, take_largest, 1, &largest_op);
    CHECK(MPI_Comm_rank, ours, &own_rank);
    CHECK(MPI_Comm_size, ours, &rank_count);
    if (rank_count == 1) {
        /* each would solve everything, and write the same files */
        return is_one_of_several()
                   ? app_error(APP_FAILED,
                               "the launcher is not that of psg's %s: its processes do "
                               "not find each other",
                               psg_component_version(PSG_COMPONENT_MPI))
                   : APP_DONE;
    }
    int code = APP_DONE;
    if (own_rank > 0 && freopen("/dev/null", "w", stdout) == NULL) {
        code = app_error(APP_FAILED, "stdout cannot be turned off");
    }
    if (threads < MPI_THREAD_MULTIPLE) {
        code = app_error(APP_FAILED, "this MPI has no MPI_THREAD_MULTIPLE, which StarPU needs");
    }
    code = app_ranks_agree(code);
    return code ? code : compare_command_lines(argc, argv);
}

int app_ranks_finish(int code) {
    if (!initialised) {
        return code;
    }
    code = app_ranks_agree(code);
    if (rank_count > 1) {
        /* all is said and done; a launcher that sees the first process end with a code other
         * than 0 may send SIGTERM to those that are still on their way out */
        app_signals_ignore();
    }
    CHECK(MPI_Op_free, &largest_op);
    CHECK(MPI_Comm_free, &ours);
    initialised = 0;
    waits("MPI_Finalize");
    const bool failed = MPI_Finalize() != MPI_SUCCESS;
    waits(NULL);
    return failed && !code ? APP_FAILED : code;
}

#else

static char kept[1];

static void broadcast(void *data, size_t bytes, int root) {
    (void)data;
    (void)bytes;
    (void)root;
}

static void reduce(double *values, size_t count, enum reduction how) {
    (void)values;
    (void)count;
    (void)how;
}

static void send_receive(int to, const void *give, int from, void *take, size_t bytes) {
    (void)to;
    (void)give;
    (void)from;
    (void)take;
    (void)bytes;
}

const void *app_ranks_comm(void) {
    return NULL;
}

/* Each of several processes would solve everything and write the same files. */
int app_ranks_start(int argc, char **argv) {
    (void)argc;
    (void)argv;
    return is_one_of_several()
               ? app_error(APP_FAILED, "built without MPI: psg cannot run as several processes")
               : APP_DONE;
}

int app_ranks_finish(int code) {
    return code;
}

int app_ranks_limit(double seconds) {
    (void)seconds;
    return APP_DONE;
}

void app_ranks_hurry(void) {
}
#endif

/* --------------------------------------------------------------------------------- agreement */

int app_ranks_agree(int code) {
    double first = code ? -(double)own_rank : -(double)rank_count;
    if (rank_count == 1) {
        return code;
    }
    reduce(&first, 1, LARGEST);
    if (-first < rank_count) {
        broadcast(&code, sizeof code, (int)-first);
        broadcast(kept, sizeof kept, (int)-first);
        if (own_rank == 0 && kept[0]) {
            char who[32] = "";
            snprintf(who, sizeof who, first < 0 ? "rank %.0f: " : "", -first);
            app_print_message("%s%s", who, kept);
        }
        kept[0] = '\0'; /* not before: what failed in one process may be agreed on later */
    }
    return code;
}

/* -------------------------------------------------------------------------------------- data */

void app_ranks_barrier(void) {
    double nothing = 0;
    app_ranks_sum(&nothing, 1);
}

void app_ranks_share(void *data, size_t bytes) {
    if (rank_count > 1) {
        broadcast(data, bytes, 0);
    }
}

void app_ranks_sum(double *values, size_t count) {
    if (rank_count > 1) {
        reduce(values, count, SUM);
    }
}

void app_ranks_max(double *values, size_t count) {
    if (rank_count > 1) {
        reduce(values, count, LARGEST);
    }
}

void app_ranks_max_at(double *value, size_t at[3]) {
    double most = *value;
    app_ranks_max(&most, 1);
    double holder = (*value >= most || isnan(*value)) ? -(double)own_rank : -(double)rank_count;
    app_ranks_max(&holder, 1);
    if (rank_count > 1) {
        broadcast(at, 3 * sizeof *at, (int)-holder);
    }
    *value = most;
}

void app_ranks_gather(const void *mine, size_t bytes, void *all) {
    if (own_rank == 0) {
        memcpy(all, mine, bytes);
    }
    for (int rank = 1; rank < rank_count; rank++) {
        if (own_rank == 0 || own_rank == rank) {
            app_ranks_to_first(rank, mine,
                               own_rank == 0 ? (char *)all + (size_t)rank * bytes : NULL, bytes);
        }
    }
}

void app_ranks_to_first(int from, const void *give, void *take, size_t bytes) {
    if (own_rank == from) {
        send_receive(0, give, NOBODY, NULL, bytes);
    } else {
        send_receive(NOBODY, NULL, from, take, bytes);
    }
}
