/* Where one process asks for something else than the others, or for something wrong,
 * psg_plan_create() fails in all of them with the same status and words that say what it was; and
 * the next plan works. */
#include "graph/psg_machine.h"
#include "tests/check.h"
#include "tests/mpi/ranks.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NX 6
#define NY 5
#define NZ 8

/** What is passed to psg_plan_create(), all fine; each case spoils one thing in one process. */
typedef struct fixture {
    psg_grid grid;
    const psg_grid *grid_pointer;
    psg_options options;
    psg_plan *plan, **plan_pointer;
} fixture;

static MPI_Comm world;
static int size, rank;

/* MPI's own interface, to play a process 0 with a library of version 9.8.7: before anything else,
 * and alone, so that versions that compare different things come to it, the others hear a number of
 * three parts. */
static int plays_version;

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
    int result = PMPI_Allreduce(from, to, count, type, op, comm);
    if (plays_version && type == MPI_DOUBLE && op == MPI_MAX) {
        CHECK(count == 1, "the version and %d other numbers", count - 1);
        if (rank > 0) {
            *(double *)to = 9008007;
        }
        plays_version = 0;
    }
    return result;
}

static void good(fixture *x) {
    static char place;
    psg_grid_init(&x->grid, NX, NY, NZ, 1.0, 2.0, 3.0);
    x->grid_pointer = &x->grid;
    x->options = ranks_options(PSG_F64, &world);
    x->plan = (psg_plan *)(void *)&place; /* anywhere but where a plan could be */
    x->plan_pointer = &x->plan;
}

/** Is the number in the words, standing for itself? */
static int has_number(const char *words, int number) {
    for (const char *at = words; *at;) {
        if (isdigit((unsigned char)*at)) {
            char *end;
            if (strtol(at, &end, 10) == number) {
                return 1;
            }
            at = end;
        } else {
            ++at;
        }
    }
    return 0;
}

/** Is one of the alternatives, separated by |, in the words? */
static int has_one_of(const char *words, const char *alternatives) {
    char buffer[100];
    snprintf(buffer, sizeof buffer, "%s", alternatives);
    for (char *next = buffer; next;) {
        char *one = next;
        next = strchr(one, '|');
        if (next) {
            *next++ = 0;
        }
        if (strstr(words, one)) {
            return 1;
        }
    }
    return 0;
}

/** The place in the sources is that of the process that failed, in all processes. */
static void expect_place(int line, const char *spoil, int in_options) {
    char place[128];
    const char *detail = psg_last_error_detail();
    const int length = (int)strcspn(detail, " ");
    snprintf(place, sizeof place, "%.*s", length, detail);
    MPI_Bcast(place, sizeof place, MPI_CHAR, 0, world);
    CHECK(strncmp(place, detail, strlen(place)) == 0, "line %d, %s: %s in process 0, here %s", line,
          spoil, place, detail);
    CHECK(strncmp(place, "graph/", 6) == 0 || strncmp(place, "runtime/", 8) == 0,
          "line %d, %s: no place in: %s", line, spoil, detail);
    CHECK(!in_options || strncmp(place, "graph/options.c:", 16) == 0,
          "line %d, %s: not the place of the check of a grid: %s", line, spoil, detail);
}

/** `odd`: the process whose number has to be in the words; -1: none has to. */
static void expect(int line, const char *spoil, fixture *x, psg_status expected, psg_status other,
                   const char *mentioned, int odd) {
    ranks_at("line %d, %s in process %d", line, spoil, odd);
    psg_status status = psg_plan_create(x->plan_pointer, x->grid_pointer, &x->options);
    const char *words = psg_last_error();
    CHECK(status == expected || status == other,
          "line %d, %s in process %d: status %d (%s) instead of %d; words: %s", line, spoil, odd,
          status, psg_status_string(status), expected, words);
    if (!CHECK(ranks_same(world, status), "line %d, %s in process %d: here the status is %d (%s)",
               line, spoil, odd, status, words)) {
        MPI_Abort(MPI_COMM_WORLD, 1); /* who has a plan could never give it back */
    }
    if (status == PSG_OK) {
        psg_plan_destroy(x->plan);
        return;
    }
    CHECK(!x->plan_pointer || x->plan == NULL, "line %d, %s: *plan was left as it was", line,
          spoil);
    CHECK(strlen(words) > 10 && !strchr(words, '\n'), "line %d, %s: words '%s'", line, spoil,
          words);
    CHECK(has_one_of(words, mentioned), "line %d, %s: no word of %s in: %s", line, spoil, mentioned,
          words);
    CHECK(odd < 0 || has_number(words, odd), "line %d, %s: process %d is not in the words: %s",
          line, spoil, odd, words);
    expect_place(line, spoil, mentioned[0] == '\0' && strncmp(spoil, "x.grid.axis", 11) == 0);
}

/** One process has something else than the others have: first the first, then the last. */
#define DIFFERS(mentioned, all, spoil)                                                             \
    for (int odd = 0; odd < size && size > 1; odd += size - 1) {                                   \
        fixture x;                                                                                 \
        good(&x);                                                                                  \
        all;                                                                                       \
        if (rank == odd) {                                                                         \
            spoil;                                                                                 \
        }                                                                                          \
        expect(__LINE__, #spoil, &x, PSG_ERR_ARG, PSG_ERR_ARG, mentioned, odd ? odd : -1);         \
    }

/** One process has something wrong. Where the contract leaves it open which, there are two
 * statuses. */
#define WRONG(spoil, expected, other)                                                              \
    for (int odd = 0; odd<size; odd += size> 1 ? size - 1 : 1) {                                   \
        fixture x;                                                                                 \
        good(&x);                                                                                  \
        if (rank == odd) {                                                                         \
            spoil;                                                                                 \
        }                                                                                          \
        expect(__LINE__, #spoil, &x, expected, other, "", size > 1 ? odd : -1);                    \
    }

/** All have the same. */
#define TOGETHER(spoil, expected, other)                                                           \
    do {                                                                                           \
        fixture x;                                                                                 \
        good(&x);                                                                                  \
        spoil;                                                                                     \
        expect(__LINE__, #spoil, &x, expected, other, "", -1);                                     \
    } while (0)

static void grids(void) {
    for (int a = 0; a < 3; ++a) {
        DIFFERS("grid|axis|points|nx|ny|nz", (void)0, ++x.grid.axis[a].n);
        DIFFERS("grid|axis|length|lx|ly|lz", (void)0, x.grid.axis[a].length *= 1 + 1e-15);
        WRONG(x.grid.axis[a].n = 0, PSG_ERR_ARG, PSG_ERR_ARG);
        WRONG(x.grid.axis[a].length = NAN, PSG_ERR_ARG, PSG_ERR_ARG);
        WRONG(x.grid.axis[a].bc[0] = x.grid.axis[a].bc[1] = PSG_BC_FREE;
              x.grid.axis[a].points = PSG_POINTS_NODES, PSG_ERR_UNSUPPORTED, PSG_ERR_UNSUPPORTED);
        WRONG(x.grid.axis[a].bc[1] = PSG_BC_DIRICHLET, PSG_ERR_ARG, PSG_ERR_ARG);
        DIFFERS("boundary condition along", (void)0,
                x.grid.axis[a].bc[0] = x.grid.axis[a].bc[1] = PSG_BC_DIRICHLET);
        DIFFERS("the upper boundary condition along",
                x.grid.axis[a].bc[0] = x.grid.axis[a].bc[1] = PSG_BC_DIRICHLET,
                x.grid.axis[a].bc[1] = PSG_BC_NEUMANN);
        DIFFERS("the position of the points along",
                x.grid.axis[a].bc[0] = x.grid.axis[a].bc[1] = PSG_BC_DIRICHLET,
                x.grid.axis[a].points = PSG_POINTS_NODES);
    }
}

static void versions(void) {
    char mine[64];
    snprintf(mine, sizeof mine, "version is %d.%d.%d", PSG_VERSION_MAJOR, PSG_VERSION_MINOR,
             PSG_VERSION_PATCH);
    if (size > 1) {
        fixture x;
        good(&x);
        plays_version = 1;
        expect(__LINE__, "the version", &x, PSG_ERR_ARG, PSG_ERR_ARG, mine, 1);
        CHECK(strstr(psg_last_error(), "process 0 is 9.8.7"), "%s", psg_last_error());
    }
}

static void options_that_differ(void) {
    DIFFERS("precision", (void)0, x.options.precision = PSG_F32);
    DIFFERS("symbol", (void)0, x.options.symbol = PSG_SYMBOL_FD2);
    DIFFERS("lambda", (void)0, x.options.lambda = 1e-300);
    DIFFERS("lambda", x.options.lambda = 1, x.options.lambda = 1 + 1e-15);
    DIFFERS("factor", x.options.factor = 2, x.options.factor = -2);
    DIFFERS("mean", (void)0, x.options.mean = PSG_MEAN_ERROR);
    DIFFERS("mean_tolerance", x.options.mean = PSG_MEAN_ERROR, x.options.mean_tolerance = 0.5);
    DIFFERS("graph", (void)0, x.options.graph = PSG_GRAPH_STAGED);
    DIFFERS("exchange", x.options.exchange = PSG_EXCHANGE_MPI,
            x.options.exchange = PSG_EXCHANGE_ALLTOALL);
    DIFFERS("exchange", (void)0, x.options.exchange = PSG_EXCHANGE_ALLTOALL);
    DIFFERS("z_layout", x.options.graph = PSG_GRAPH_STAGED, x.options.z_layout = PSG_Z_STRIDED);
    DIFFERS("segment_planes", x.options.segment_planes = 2, x.options.segment_planes = 1);
    DIFFERS("segment_planes", (void)0, x.options.segment_planes = 1);
    DIFFERS("executor", (void)0, x.options.executor = PSG_EXECUTOR_TASKS);
    DIFFERS("cpu_share", (void)0, x.options.cpu_share = 0);
    DIFFERS("sheets", x.options.sheets = 5, x.options.sheets = 4);
    DIFFERS("policy", x.options.policy = "lws", x.options.policy = "eager");
    DIFFERS("effort", (void)0, x.options.effort = PSG_EFFORT_MEASURE);
    DIFFERS("in_flight", (void)0, x.options.in_flight = 3);
}

static void options_that_are_wrong(void) {
    int device = 0;
    WRONG(x.plan_pointer = NULL, PSG_ERR_ARG, PSG_ERR_ARG);
    WRONG(x.grid_pointer = NULL, PSG_ERR_ARG, PSG_ERR_ARG);
    WRONG(x.options.precision = PSG_PRECISION_COUNT, PSG_ERR_ARG, PSG_ERR_ARG);
    WRONG(x.options.lambda = NAN, PSG_ERR_ARG, PSG_ERR_ARG);
    WRONG(x.options.lambda = -1, PSG_ERR_ARG, PSG_ERR_UNSUPPORTED);
    WRONG(x.options.exchange = PSG_EXCHANGE_COUNT, PSG_ERR_ARG, PSG_ERR_ARG);
    WRONG(x.options.in_flight = 0, PSG_ERR_ARG, PSG_ERR_ARG);
    WRONG(x.options.time_limit = NAN, PSG_ERR_ARG, PSG_ERR_ARG);
    WRONG(x.options.time_limit = -1, PSG_ERR_ARG, PSG_ERR_ARG);
    WRONG(x.options.time_limit = INFINITY, PSG_ERR_ARG, PSG_ERR_ARG);
    WRONG(x.options.cpus = -2, PSG_ERR_ARG, PSG_ERR_ARG);
    WRONG(x.options.policy = "quick-and-dirty", PSG_ERR_ARG, PSG_ERR_ARG);
    WRONG(x.options.cpus = 0; x.options.gpus = 0, PSG_ERR_ARG, PSG_ERR_NODEV);
    WRONG(x.options.gpus = 1000, PSG_ERR_NODEV, PSG_ERR_NODEV);
    WRONG(x.options.gpus = 1; device = INT_MAX;
          x.options.gpu_ids = &device, PSG_ERR_NODEV, PSG_ERR_ARG);
    /* two processes, each with another error: one of them, and the same everywhere */
    if (size > 2) {
        WRONG(x.options.lambda = NAN, PSG_ERR_ARG, PSG_ERR_ARG);
        TOGETHER(rank == 1   ? (void)(x.options.lambda = NAN)
                 : rank == 2 ? (void)(x.grid.axis[0].bc[0] = x.grid.axis[0].bc[1] = PSG_BC_FREE)
                             : (void)0,
                 PSG_ERR_ARG, PSG_ERR_UNSUPPORTED);
    }
    /* wrong in the same way everywhere, one and the other status */
    TOGETHER(x.options.lambda = NAN, PSG_ERR_ARG, PSG_ERR_ARG);
    TOGETHER((x.grid.axis[1].bc[0] = x.grid.axis[1].bc[1] = PSG_BC_FREE,
              x.options.symbol = PSG_SYMBOL_FD4),
             PSG_ERR_UNSUPPORTED, PSG_ERR_UNSUPPORTED);
    if (size > 1) {
        TOGETHER(x.options.exchange = PSG_EXCHANGE_MANAGED, PSG_ERR_UNSUPPORTED,
                 PSG_ERR_UNSUPPORTED);
        TOGETHER((x.options.exchange = PSG_EXCHANGE_DIRECT, x.options.graph = PSG_GRAPH_STAGED),
                 PSG_ERR_UNSUPPORTED, PSG_ERR_UNSUPPORTED);
        /* without an end to its waiting */
        TOGETHER((x.options.exchange = PSG_EXCHANGE_STARPU, x.options.time_limit = 60),
                 PSG_ERR_UNSUPPORTED, PSG_ERR_UNSUPPORTED);
        CHECK(strstr(psg_last_error(), "StarPU-MPI waits for other processes") != NULL, "%s",
              psg_last_error());
    }
}

/* A binding that could not read the arguments of psg_plan_create(). */
static void refusals(void) {
    for (int odd = 0; odd<size; odd += size> 1 ? size - 1 : 1) {
        for (int limited = 0; limited < 3; ++limited) {
            fixture x;
            good(&x);
            x.options.time_limit = limited == 0 ? 0 : 60;
            ranks_at("process %d refuses psg_plan_create(), %d", odd, limited);
            psg_status status;
            if (rank == odd) {
                x.options.time_limit = limited == 2 ? NAN : x.options.time_limit;
                x.options.in_flight = limited == 2 ? 0 : x.options.in_flight;
                status = psg_call_refuse(NULL, &x.options, PSG_ERR_MEMORY, "n is no number");
            } else {
                status = psg_plan_create(&x.plan, &x.grid, &x.options);
                CHECK(x.plan == NULL, "a plan");
            }
            CHECK(status == PSG_ERR_MEMORY, "status %d", status);
            CHECK(strstr(psg_last_error(), "n is no number") != NULL, "%s", psg_last_error());
            CHECK(size == 1 || has_number(psg_last_error(), odd), "%s", psg_last_error());
        }
    }
    CHECK_STATUS(psg_call_refuse(NULL, NULL, PSG_ERR_NODEV, "alone"), PSG_ERR_NODEV);
    CHECK_STATUS(psg_call_refuse(NULL, NULL, PSG_OK, NULL), PSG_ERR_ARG);
}

static void communicators(void) {
    MPI_Comm none = MPI_COMM_NULL, half, across;
    TOGETHER(x.options.comm = &none, PSG_ERR_ARG, PSG_ERR_ARG);
    if (size > 1) {
        MPI_Comm_split(world, rank % 2, rank, &half);
        MPI_Intercomm_create(half, 0, world, 1 - rank % 2, 3, &across);
        TOGETHER(x.options.comm = &across, PSG_ERR_ARG, PSG_ERR_UNSUPPORTED);
        MPI_Comm_free(&across);
        MPI_Comm_free(&half);
    }
    fixture x;
    size_t count = 0;
    good(&x);
    ranks_at("psg_machine_workers");
    CHECK_STATUS(psg_machine_workers(&x.options, NULL, 0, &count, NULL, 0), PSG_OK);
    CHECK(count >= 1, "%zu workers", count);
    good(&x);
    if (rank == size - 1) {
        x.options.cpus = -2;
    }
    CHECK_STATUS(psg_machine_workers(&x.options, NULL, 0, &count, NULL, 0), PSG_ERR_ARG);
}

static void solves(const fixture *x, const char *what) {
    const oracle_grid grid = oracle_grid_make(NX, NY, NZ, 1.0, 2.0, 3.0);
    const size_t points = (size_t)NX * NY * NZ;
    double *f = oracle_array(3 * points), *want = f + points, *got = want + points;
    psg_plan *plan = NULL;
    ranks_at("%s", what);
    oracle_random(1, points, f);
    oracle_solve(&grid, ORACLE_SPECTRAL, 0, f, want);
    int held = CHECK_STATUS(psg_plan_create(&plan, &x->grid, &x->options), PSG_OK);
    if (ranks_all(world, held)) {
        AT_END(share_free) share s = share_make(world, PSG_F64, &grid, 0);
        share_take(&s, f);
        CHECK_STATUS(psg_solve(plan, s.f, s.u), PSG_OK);
        share_gather(&s, world, got);
        CHECK_CLOSE(got, want, NX, NY, NZ, 1e-12, "%s", what);
    }
    psg_plan_destroy(plan);
    free(f);
}

/** What the header lets differ. */
static void may_differ(void) {
    fixture x;
    good(&x);
    x.options.cpus = rank % 2 ? 1 : 2;
    solves(&x, "another number of workers");
    good(&x);
    x.options.cpus = rank == 0 ? -1 : 1;
    solves(&x, "all cores in one process");
    good(&x);
    x.options.cache_dir = rank % 2 ? NULL : "";
    solves(&x, "another folder for FFTW's wisdom");
    good(&x);
    if (x.options.gpus == 0) {
        int device = 0;
        x.options.gpu_ids = rank % 2 ? &device : NULL;
        solves(&x, "numbers of no GPU");
    }
}

int main(int argc, char **argv) {
    fixture x;
    ranks_start(&argc, &argv);
    world = MPI_COMM_WORLD;
    size = ranks_size(world);
    rank = ranks_rank(world);
    grids();
    good(&x);
    solves(&x, "after grids");
    versions();
    options_that_differ();
    good(&x);
    solves(&x, "after options that differ");
    options_that_are_wrong();
    refusals();
    communicators();
    good(&x);
    solves(&x, "after all the failures");
    may_differ();
    return ranks_finish(check_result());
}
