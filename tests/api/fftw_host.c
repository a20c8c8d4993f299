/* What the host program does with its FFTW changes nothing in psg, and the other way round: it plans in another thread, sets
 * threads and a time limit, cleans up, keeps wisdom, and has another library's functions of FFTW's names. */
#include "tests/check.h"
#include "tests/child.h"
#include "tests/harness.h"

#include <fftw3.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Of a library that has FFTW's names, but neither sine nor cosine transforms. */
PSG_API fftw_plan fftw_plan_many_r2r(int rank, const int *n, int howmany, double *in,
                                     const int *inembed, int istride, int idist, double *out,
                                     const int *onembed, int ostride, int odist,
                                     const fftw_r2r_kind *kind, unsigned flags) {
    (void)rank, (void)n, (void)howmany, (void)in, (void)inembed, (void)istride, (void)idist;
    (void)out, (void)onembed, (void)ostride, (void)odist, (void)kind, (void)flags;
    return NULL;
}

PSG_API fftw_plan fftw_plan_guru_r2r(int rank, const fftw_iodim *dims, int howmany_rank,
                                     const fftw_iodim *howmany_dims, double *in, double *out,
                                     const fftw_r2r_kind *kind, unsigned flags) {
    (void)rank, (void)dims, (void)howmany_rank, (void)howmany_dims;
    (void)in, (void)out, (void)kind, (void)flags;
    return NULL;
}

typedef struct host {
    bool safe;       /* it calls fftw_make_planner_thread_safe() */
    bool has_wisdom; /* psg keeps wisdom */
} host;

static psg_plan *plan_of(size_t n, psg_precision precision, psg_bc bc, const char *cache_dir) {
    psg_options options = harness_with(precision, "effort=measure");
    psg_plan *plan = NULL;
    options.gpus = 0; /* FFTW is the cores' */
    options.cache_dir = cache_dir;
    psg_grid grid = harness_box(n, n + 1, n + 2, 1, 1, 1);
    for (int d = 0; d < 3; d++) {
        grid.axis[d].bc[0] = grid.axis[d].bc[1] = bc;
    }
    CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK);
    return plan;
}

/* One mode along x, periodic. */
static void solves(psg_plan *plan, size_t n, psg_precision precision, const char *when) {
    const double pi = 3.14159265358979323846;
    const size_t points = n * (n + 1) * (n + 2);
    FREED double *f = oracle_array(points), *u = oracle_array(points), *want = oracle_array(points);
    for (size_t p = 0; p < points; p++) {
        f[p] = cos(2 * pi * (double)(p % n) / (double)n);
        want[p] = -f[p] / (4 * pi * pi);
    }
    if (plan != NULL && CHECK_STATUS(harness_solve(plan, precision, points, f, u), PSG_OK)) {
        CHECK_CLOSE(u, want, n, n + 1, n + 2, harness_tolerance(precision, 1e-12, 1e-4), "%s",
                    when);
    }
}

static atomic_bool stop;
static atomic_long planned;

static void *plan_on_and_on(void *unused) {
    (void)unused;
    while (!atomic_load(&stop)) {
        const int n = 32 + (int)(atomic_fetch_add(&planned, 1) % 64);
        double *a = fftw_malloc((size_t)(n * n) * sizeof *a);
        fftw_complex *b = fftw_malloc((size_t)(n * (n / 2 + 1)) * sizeof *b);
        const fftw_plan plan = fftw_plan_dft_r2c_2d(n, n, a, b, FFTW_ESTIMATE);
        CHECK(plan != NULL, "the host's plan");
        fftw_destroy_plan(plan);
        fftw_free(a);
        fftw_free(b);
    }
    return NULL;
}

static void plans_beside(const void *argument) {
    enum { PLANS = 30, SIZES = 5 };
    const host *is = argument;
    char folder[] = "fftw-host-XXXXXX", command[64];
    const char *cache_dir = is->has_wisdom ? mkdtemp(folder) : "";
    pthread_t thread;
    if (is->safe) {
        fftw_make_planner_thread_safe();
    }
    CHECK(pthread_create(&thread, NULL, plan_on_and_on, NULL) == 0, "no thread");
    for (size_t p = 0; p < PLANS; p++) {
        DESTROYED psg_plan *plan = plan_of(16 + p % SIZES, PSG_F64, PSG_BC_PERIODIC, cache_dir);
        solves(plan, 16 + p % SIZES, PSG_F64, "beside a planner");
    }
    atomic_store(&stop, true);
    (void)pthread_join(thread, NULL);
    CHECK(atomic_load(&planned) > 0, "the host has planned nothing");
    if (is->has_wisdom) {
        snprintf(command, sizeof command, "rm -r %s", folder);
        CHECK(system(command) == 0, "%s cannot be removed", folder);
    }
}

static atomic_int threaded;

/* FFTW calls this in place of its threads. */
static void count_threaded(void *(*work)(char *), char *data, size_t size, int count,
                           void *unused) {
    (void)unused;
    atomic_fetch_add(&threaded, 1);
    for (int j = 0; j < count; j++) {
        (void)work(data + (size_t)j * size);
    }
}

static void threads_are_the_hosts(const void *unused) {
    enum { N = 64 };
    (void)unused;
    fftw_complex *a = fftw_malloc((size_t)N * N * N * sizeof *a);
    CHECK(fftw_init_threads() != 0, "fftw_init_threads()");
    fftw_threads_set_callback(count_threaded, NULL);
    fftw_plan_with_nthreads(8);
    const fftw_plan own = fftw_plan_dft_3d(N, N, N, a, a, FFTW_FORWARD, FFTW_ESTIMATE);
    memset(a, 0, (size_t)N * N * N * sizeof *a);
    fftw_execute(own);
    CHECK(atomic_exchange(&threaded, 0) > 0, "the host's own plan has no threads");
    psg_plan *plan = plan_of(N, PSG_F64, PSG_BC_PERIODIC, "");
    CHECK(atomic_load(&threaded) == 0, "psg's search has taken the host's threads");
    solves(plan, N, PSG_F64, "with threads in the host");
    CHECK(atomic_load(&threaded) == 0, "psg's solve has taken the host's threads");
    CHECK(fftw_planner_nthreads() == 8, "the host has %d threads left", fftw_planner_nthreads());
    psg_plan_destroy(plan);
    fftw_destroy_plan(own);
    fftw_free(a);
}

static void host_cleans_up(const void *argument) {
    const psg_precision precision = *(const psg_precision *)argument;
    psg_plan *plan = plan_of(16, precision, PSG_BC_PERIODIC, "");
    solves(plan, 16, precision, "before");
    fftw_cleanup_threads(); /* and fftw_cleanup() */
    fftwf_cleanup();
    solves(plan, 16, precision, "after the host's fftw_cleanup()");
    psg_plan_destroy(plan);
    plan = plan_of(17, precision, PSG_BC_PERIODIC, "");
    solves(plan, 17, precision, "a plan after fftw_cleanup()");
    psg_plan_destroy(plan);
}

static void wisdom_is_the_hosts(const void *unused) {
    enum { N = 1000 };
    (void)unused;
    fftw_complex *a = fftw_malloc(N * sizeof *a);
    fftw_destroy_plan(fftw_plan_dft_1d(N, a, a, FFTW_FORWARD, FFTW_MEASURE));
    FREED char *before = fftw_export_wisdom_to_string();
    psg_plan_destroy(plan_of(16, PSG_F64, PSG_BC_PERIODIC, NULL));
    FREED char *after = fftw_export_wisdom_to_string();
    CHECK(strcmp(before, after) == 0, "the host has %zu bytes of wisdom, and had %zu",
          strlen(after), strlen(before));
    fftw_free(a);
}

static void limit_is_the_hosts(const void *unused) {
    (void)unused;
    fftw_set_timelimit(0);
    DESTROYED psg_plan *plan = plan_of(16, PSG_F64, PSG_BC_PERIODIC, "");
    solves(plan, 16, PSG_F64, "with a time limit in the host");
}

static void names_are_the_hosts(const void *unused) {
    enum { N = 8, POINTS = N * (N + 1) * (N + 2) };
    (void)unused;
    double a[POINTS] = {1};
    CHECK(fftw_plan_guru_r2r(0, NULL, 0, NULL, a, a, NULL, 0) == NULL, "the functions here");
    DESTROYED psg_plan *plan = plan_of(N, PSG_F64, PSG_BC_DIRICHLET, "");
    if (plan != NULL) {
        CHECK_STATUS(psg_solve(plan, a, a), PSG_OK);
    }
}

/* A library that shares FFTW with the program says whose functions find no plan. */
static void names_are_said(const void *unused) {
    psg_options options = harness_with(PSG_F64, "gpus=0");
    psg_plan *plan = NULL;
    (void)unused;
    psg_grid grid = harness_box(8, 9, 10, 1, 1, 1);
    grid.axis[2].bc[0] = grid.axis[2].bc[1] = PSG_BC_NEUMANN;
    CHECK_SAYS(psg_plan_create(&plan, &grid, &options), PSG_ERR_RUNTIME, "test_api_fftw_host");
}

int main(void) {
    for (int h = 0; h < 4; h++) {
        const host is = {.safe = h % 2 == 0, .has_wisdom = h / 2 == 1};
        if (is.safe || !PSG_FFTW_SHARED) {
            CHECK_CHILD(plans_beside, &is, "%d: safe %d, wisdom %d", h, is.safe, is.has_wisdom);
        }
    }
    CHECK_CHILD(limit_is_the_hosts, NULL, "time limit");
    if (PSG_FFTW_SHARED) {
        CHECK_CHILD(names_are_said, NULL, "names");
        return check_result();
    }
    CHECK_CHILD(names_are_the_hosts, NULL, "names");
    CHECK_CHILD(threads_are_the_hosts, NULL, "threads");
    CHECK_CHILD(wisdom_is_the_hosts, NULL, "wisdom");
    for (psg_precision precision = PSG_F64; precision <= PSG_F32; precision++) {
        CHECK_CHILD(host_cleans_up, &precision, "cleanup, %s", harness_precision_name(precision));
    }
    return check_result();
}
