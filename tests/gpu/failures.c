/* CUDA and cuFFT fail at one call after the other, while a plan is made and while it solves: an
 * error with words, or a plan that solves right; and without the failure the next solve is
 * right. */
#include "graph/psg_starpu.h"
#include "tests/check.h"
#include "tests/gpu/faults.h"
#include "tests/harness.h"

#include <cuda_runtime_api.h>
#include <cufft.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/** A grid and variant, and where its failures are looked for. */
typedef struct setting {
    const char *name;
    size_t n[3];
    psg_graph graph;
    psg_z_layout z_layout;
    psg_precision precision;
    psg_exchange exchange;
    int little; /**< blocks are in main memory, as the GPU has too little when the plan is made */
    int megabytes; /**< that it has then */
    int chained;   /**< slabs that are there, in the default cut: one task of StarPU's */
    int strips;    /**< planes have a kernel of their own, on any GPU with shared memory enough */
} setting;

static const setting settings[] = {
    {.name = "fused", .n = {12, 10, 18}, .graph = PSG_GRAPH_FUSED},
    {.name = "fused, managed, f32",
     .n = {12, 10, 18},
     .graph = PSG_GRAPH_FUSED,
     .precision = PSG_F32,
     .exchange = PSG_EXCHANGE_MANAGED},
    {.name = "fused, nz without a kernel", .n = {12, 10, 34}, .graph = PSG_GRAPH_FUSED},
    {.name = "fused, nx = 1", .n = {1, 10, 18}, .graph = PSG_GRAPH_FUSED},
    {.name = "fused, chained", .n = {12, 10, 18}, .graph = PSG_GRAPH_FUSED, .chained = 1},
    {.name = "staged, chained", .n = {12, 10, 18}, .graph = PSG_GRAPH_STAGED, .chained = 1},
    {.name = "staged, z contiguous",
     .n = {12, 10, 18},
     .graph = PSG_GRAPH_STAGED,
     .z_layout = PSG_Z_CONTIGUOUS},
    {.name = "staged, z strided, f32",
     .n = {12, 10, 18},
     .graph = PSG_GRAPH_STAGED,
     .z_layout = PSG_Z_STRIDED,
     .precision = PSG_F32},
    {.name = "fused, in main memory", .n = {12, 10, 18}, .graph = PSG_GRAPH_FUSED, .little = 1},
    {.name = "staged, in main memory", .n = {12, 10, 18}, .graph = PSG_GRAPH_STAGED, .little = 1},
    /* Blocks that one GPU does not keep are dense, and planes of this size in strips, as on several
     * GPUs: tasks have room, and the spectrum has not. */
    {.name = "fused, planes in strips, in main memory",
     .n = {256, 256, 8},
     .graph = PSG_GRAPH_FUSED,
     .little = 1,
     .megabytes = 10,
     .strips = 1},
};

/** What comes of a failure that happens once: an error; a plan that does without, and is right;
 *  either. */
typedef enum outcome { ERROR, USABLE, EITHER } outcome;

/** A call that fails, and what with. */
typedef struct failure {
    const char *call;
    int code;
    psg_status status; /**< if it is an error */
    outcome once;
} failure;

static const failure while_made[] = {
    {"cudaMalloc", cudaErrorMemoryAllocation, PSG_ERR_MEMORY, USABLE},
    {"cudaMalloc", cudaErrorUnknown, PSG_ERR_RUNTIME, EITHER},
    {"cudaMemcpy", cudaErrorUnknown, PSG_ERR_RUNTIME, EITHER},
    {"cudaMemset", cudaErrorUnknown, PSG_ERR_RUNTIME, EITHER},
    {"cudaMemGetInfo", cudaErrorUnknown, PSG_ERR_RUNTIME, EITHER},
    {"cudaGetDevice", cudaErrorUnknown, PSG_ERR_RUNTIME, EITHER},
    {"cudaDeviceGetAttribute", cudaErrorUnknown, PSG_ERR_RUNTIME, EITHER},
    {"cudaFuncSetAttribute", cudaErrorInvalidValue, PSG_ERR_RUNTIME, EITHER},
    {"cudaOccupancyMaxActiveBlocksPerMultiprocessor", cudaErrorUnknown, PSG_ERR_RUNTIME, EITHER},
    {"cufftCreate", CUFFT_SETUP_FAILED, PSG_ERR_RUNTIME, ERROR},
    {"cufftSetAutoAllocation", CUFFT_INTERNAL_ERROR, PSG_ERR_RUNTIME, ERROR},
    {"cufftMakePlanMany64", CUFFT_ALLOC_FAILED, PSG_ERR_MEMORY, USABLE},
    {"cufftMakePlanMany64", CUFFT_INTERNAL_ERROR, PSG_ERR_RUNTIME, ERROR},
    {"cufftSetStream", CUFFT_INTERNAL_ERROR, PSG_ERR_RUNTIME, ERROR},
    {"cufftSetWorkArea", CUFFT_INVALID_PLAN, PSG_ERR_RUNTIME, ERROR},
};

static const failure while_solving[] = {
    {"launch", cudaErrorLaunchOutOfResources, PSG_ERR_RUNTIME, ERROR},
    {"launch", cudaErrorInvalidConfiguration, PSG_ERR_RUNTIME, ERROR},
    {"launch", cudaErrorMemoryAllocation, PSG_ERR_MEMORY, ERROR},
    {"cudaEventRecordWithFlags", cudaErrorUnknown, PSG_ERR_RUNTIME, ERROR},
    {"cufftExecD2Z", CUFFT_EXEC_FAILED, PSG_ERR_RUNTIME, ERROR},
    {"cufftExecZ2D", CUFFT_EXEC_FAILED, PSG_ERR_RUNTIME, ERROR},
    {"cufftExecZ2Z", CUFFT_INTERNAL_ERROR, PSG_ERR_RUNTIME, ERROR},
    {"cufftExecR2C", CUFFT_EXEC_FAILED, PSG_ERR_RUNTIME, ERROR},
    {"cufftExecC2R", CUFFT_INTERNAL_ERROR, PSG_ERR_RUNTIME, ERROR},
    {"cufftExecC2C", CUFFT_EXEC_FAILED, PSG_ERR_RUNTIME, ERROR},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define POINTS_MAX ((size_t)256 * 256 * 8)

static double f[POINTS_MAX], u[POINTS_MAX], want[POINTS_MAX];

static size_t prepare(const setting *s) {
    const oracle_grid box = oracle_grid_make(s->n[0], s->n[1], s->n[2], 1, 1, 1);
    const size_t points = s->n[0] * s->n[1] * s->n[2];
    oracle_random(7, points, f);
    harness_round(s->precision, points, f);
    oracle_solve(&box, ORACLE_SPECTRAL, 0, f, want);
    return points;
}

static psg_status create(const setting *s, psg_plan **plan) {
    const oracle_grid box = oracle_grid_make(s->n[0], s->n[1], s->n[2], 1, 1, 1);
    const psg_grid grid = harness_grid(&box);
    psg_options options = harness_options(s->precision);
    options.graph = s->graph;
    options.z_layout = s->z_layout;
    options.exchange = s->exchange;
    options.segment_planes = s->chained ? 0 : 7;
    options.sheets = s->chained ? 0 : 3;
    if (s->little) {
        faults_add("free", s->megabytes, 1, 0);
    }
    return psg_plan_create(plan, &grid, &options);
}

/** Once f is there, the calls that may fail are those of the solve. */
static psg_status solve_slabs(const setting *s, psg_plan *plan) {
    const size_t points = s->n[0] * s->n[1] * s->n[2];
    FREED void *array = harness_array(s->precision, points);
    harness_store(s->precision, points, f, array);
    psg_status status = psg_slabs_put(plan, array);
    if (status == PSG_OK) {
        status = psg_submit_slabs(plan);
    }
    if (status == PSG_OK) {
        status = psg_wait(plan);
    }
    if (status == PSG_OK) {
        status = psg_slabs_get(plan, array);
        harness_load(s->precision, points, array, u);
    }
    return status;
}

static psg_status solve(const setting *s, psg_plan *plan) {
    return s->chained ? solve_slabs(s, plan)
                      : harness_solve(plan, s->precision, s->n[0] * s->n[1] * s->n[2], f, u);
}

static void solves(const setting *s, psg_plan *plan, const char *what) {
    memset(u, 0, sizeof u);
    CHECK(solve(s, plan) == PSG_OK, "%s, %s: %s", s->name, what, psg_last_error());
    CHECK_CLOSE(u, want, s->n[0], s->n[1], s->n[2], harness_tolerance(s->precision, 1e-12, 1e-4),
                "%s, %s", s->name, what);
}

/** Is it the error that it has to be, in words? */
static void judge(const setting *s, const failure *x, long at, psg_status status) {
    CHECK(status == x->status && strlen(psg_last_error()) > 10,
          "%s, %s %ld fails with %d: status %d (%s) instead of %d, words '%s'", s->name, x->call,
          at, x->code, status, psg_status_string(status), x->status, psg_last_error());
}

/** The call number `at` fails, or with 0 every one. */
static void fail_making(const setting *s, const failure *x, long at) {
    psg_plan *plan = NULL;
    char what[128];
    snprintf(what, sizeof what, "%s %ld failed with %d while the plan was made", x->call, at,
             x->code);
    faults_clear();
    faults_add(x->call, x->code, at > 0 ? at : 1, at);
    psg_status status = create(s, &plan);
    CHECK(faults_failed() > 0, "%s, %s %ld: was not called", s->name, x->call, at);
    faults_clear();
    if (status != PSG_OK) {
        CHECK(plan == NULL, "%s, %s: *plan was set", s->name, what);
        CHECK(at == 0 || x->once != USABLE || s->little, "%s, %s: the plan could do without",
              s->name, what);
        judge(s, x, at, status);
    } else if (CHECK(x->once != ERROR, "%s, %s: PSG_OK", s->name, what)) {
        solves(s, plan, what);
    }
    psg_plan_destroy(plan);
}

static void making(const setting *s) {
    for (size_t m = 0; m < COUNT(while_made); ++m) {
        const failure *x = &while_made[m];
        psg_plan *plan = NULL;
        faults_clear();
        CHECK_STATUS(create(s, &plan), PSG_OK);
        const long calls = faults_calls(x->call);
        psg_plan_destroy(plan);
        printf("%s, made: %ld of %s, code %d\n", s->name, calls, x->call, x->code);
        fflush(stdout);
        for (long at = 0; calls > 0 && at <= calls && at <= 24; ++at) {
            fail_making(s, x, at);
        }
    }
    psg_plan *plan = NULL;
    if (CHECK_STATUS(create(s, &plan), PSG_OK)) {
        solves(s, plan, "after all failures while a plan was made");
    }
    psg_plan_destroy(plan);
}

static void fail_solving(const setting *s, psg_plan *plan, const failure *x, long at) {
    char what[128];
    snprintf(what, sizeof what, "after %s %ld failed with %d", x->call, at, x->code);
    faults_clear();
    faults_add(x->call, x->code, at > 0 ? at : 1, at);
    judge(s, x, at, solve(s, plan));
    CHECK(faults_failed() > 0, "%s, %s %ld: was not called", s->name, x->call, at);
    faults_clear();
    solves(s, plan, what);
}

static void solving(const setting *s) {
    psg_plan *plan = NULL;
    long calls_of_any = 0;
    for (size_t m = 0; m < COUNT(while_solving); ++m) {
        const failure *x = &while_solving[m];
        faults_clear();
        psg_plan_destroy(plan);
        if (!CHECK_STATUS(create(s, &plan), PSG_OK)) {
            return;
        }
        solves(s, plan, "at first"); /* slabs are chained from the second on */
        faults_clear();
        solves(s, plan, "without a failure"); /* of a third the graph would be recorded */
        const long calls = faults_calls(x->call);
        calls_of_any += calls;
        printf("%s, solved: %ld of %s, code %d\n", s->name, calls, x->call, x->code);
        fflush(stdout);
        for (long at = 0; calls > 0 && at <= calls && at <= 40; ++at) {
            fail_solving(s, plan, x, at);
        }
    }
    CHECK(calls_of_any > 0, "%s: a solve makes no call that could fail", s->name);
    faults_clear();
    solves(s, plan, "after all failures");
    long by_cufft = 0;
    for (size_t m = 0; m < COUNT(while_solving); ++m) {
        by_cufft += strncmp(while_solving[m].call, "cufft", 5) == 0
                        ? faults_calls(while_solving[m].call)
                        : 0;
    }
    CHECK((by_cufft == 0) == s->strips, "%s: planes in strips or not", s->name);
    psg_plan_destroy(plan);
}

/** Without a graph the steps are launched one by one; a graph that is not launched is an error of that solve. */
static void replaying(const setting *s) {
    static const char *const calls[] = {"cudaStreamBeginCapture", "launch",
                                        "cudaEventRecordWithFlags", "cudaGraphInstantiateWithFlags",
                                        "cudaGraphLaunch"};
    for (size_t m = 0; m < COUNT(calls); ++m) {
        psg_plan *plan = NULL;
        const bool last = m + 1 == COUNT(calls);
        faults_clear();
        if (!CHECK_STATUS(create(s, &plan), PSG_OK)) {
            return;
        }
        solves(s, plan, "at first");
        solves(s, plan, "chained");
        solves(s, plan, "chained again");
        faults_clear();
        faults_add(calls[m], cudaErrorUnknown, 1, 1);
        if (last) {
            CHECK_STATUS(solve(s, plan), PSG_ERR_RUNTIME);
        } else {
            solves(s, plan, calls[m]);
        }
        CHECK(faults_failed() == 1, "%s, %s: %ld calls failed", s->name, calls[m], faults_failed());
        for (int again = 0; again < 5; ++again) {
            faults_clear();
            solves(s, plan, "after that");
        }
        CHECK(faults_calls("cudaGraphLaunch") == last && (faults_calls("launch") == 0) == last,
              "%s, %s: %ld graphs and %ld kernels launched", s->name, calls[m],
              faults_calls("cudaGraphLaunch"), faults_calls("launch"));
        psg_plan_destroy(plan);
    }
    faults_clear();
}

/** Page-locked memory for a solve's findings is asked for at its first. */
static void no_memory_at_submission(const setting *s) {
    psg_plan *plan = NULL;
    if (CHECK_STATUS(create(s, &plan), PSG_OK)) {
        faults_clear();
        faults_add("cudaHostAlloc", cudaErrorMemoryAllocation, 1, 0);
        CHECK_STATUS(solve(s, plan), PSG_ERR_MEMORY);
        CHECK(faults_failed() > 0, "%s: cudaHostAlloc was not called", s->name);
        faults_clear();
        solves(s, plan, "after no memory at submission");
    }
    psg_plan_destroy(plan);
}

/** Two solves in flight, of which the first fails: the second is right, or fails with words too. */
static void in_flight(const setting *s) {
    psg_plan *plan = NULL;
    const size_t points = s->n[0] * s->n[1] * s->n[2];
    void *from = harness_array(s->precision, points);
    void *to[2] = {harness_array(s->precision, points), harness_array(s->precision, points)};
    harness_store(s->precision, points, f, from);
    if (CHECK_STATUS(create(s, &plan), PSG_OK)) {
        faults_clear();
        faults_add("launch", cudaErrorInvalidConfiguration, 1, 1);
        CHECK_STATUS(psg_submit(plan, from, to[0]), PSG_OK);
        CHECK_STATUS(psg_submit(plan, from, to[1]), PSG_OK);
        int right = 0;
        for (int m = 0; m < 2; ++m) {
            const psg_status status = psg_wait(plan);
            CHECK(status == PSG_OK || status == PSG_ERR_RUNTIME, "%s, solve %d: %s", s->name, m,
                  psg_last_error());
            if (status == PSG_OK) {
                harness_load(s->precision, points, to[m], u);
                CHECK_CLOSE(u, want, s->n[0], s->n[1], s->n[2],
                            harness_tolerance(s->precision, 1e-12, 1e-4), "%s, in flight", s->name);
                ++right;
            }
        }
        CHECK(faults_failed() == 1 && right == 1, "%s: %ld launches failed, %d solves were right",
              s->name, faults_failed(), right);
        faults_clear();
        solves(s, plan, "after two in flight");
    }
    psg_plan_destroy(plan);
    free(from);
    free(to[0]);
    free(to[1]);
}

/** From the second time that psg asks on, the first being before StarPU starts, so many megabytes
 *  of the GPU are free. */
static psg_status create_in_little(const psg_grid *grid, const psg_options *options, int megabytes,
                                   psg_plan **plan) {
    faults_clear();
    faults_add("free", megabytes, 2, 0);
    const psg_status status = psg_plan_create(plan, grid, options);
    CHECK(faults_failed() > 0, "nobody asked how much is free");
    faults_clear();
    return status;
}

/** Less is free than the spectrum takes: blocks are in main memory, in parts that fit; unless they
 *  have to stay on the GPU, or the parts are the caller's. */
static void little_room(size_t nx, size_t ny, size_t nz) {
    enum { MEGABYTES = 3 };
    const oracle_grid box = oracle_grid_make(nx, ny, nz, 1, 1, 1);
    const size_t points = nx * ny * nz;
    const psg_grid grid = harness_grid(&box);
    FREED double *from = oracle_array(points), *to = oracle_array(points),
                 *right = oracle_array(points);
    psg_options options = harness_options(PSG_F64);
    psg_plan *plan = NULL;
    size_t segments = 0, sheets = 0;
    oracle_random(3, points, from);
    if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
        CHECK_STATUS(psg_solve(plan, from, right), PSG_OK);
    }
    psg_plan_destroy(plan);
    plan = NULL;
    if (CHECK_STATUS(create_in_little(&grid, &options, MEGABYTES, &plan), PSG_OK)) {
        CHECK_STATUS(psg_plan_segments(plan, &segments, &sheets), PSG_OK);
        CHECK(segments > 8 && sheets > 8, "%zu segments and %zu sheets", segments, sheets);
        CHECK_STATUS(psg_solve(plan, from, to), PSG_OK);
        CHECK_CLOSE(to, right, nx, ny, nz, 1e-13, "blocks in main memory");
    }
    psg_plan_destroy(plan);
    options.exchange = PSG_EXCHANGE_DIRECT;
    CHECK_STATUS(create_in_little(&grid, &options, MEGABYTES, &plan), PSG_ERR_MEMORY);
    options.exchange = PSG_EXCHANGE_AUTO;
    options.segment_planes = nz;
    CHECK_SAYS(create_in_little(&grid, &options, MEGABYTES, &plan), PSG_ERR_MEMORY,
               "no room on a GPU");
}

int main(void) {
    const setting tiny = {.name = "tiny", .n = {2, 2, 2}, .graph = PSG_GRAPH_FUSED};
    psg_plan *keeper = NULL; /* StarPU runs on, and need not begin for each plan */
    setenv("PSG_TEST_GPUS", "1", 1);
    if (!CHECK_STATUS(create(&tiny, &keeper), PSG_OK)) {
        return check_result();
    }
    for (size_t m = 0; m < COUNT(settings); ++m) {
        (void)prepare(&settings[m]);
        making(&settings[m]);
        solving(&settings[m]);
        if (settings[m].chained) {
            replaying(&settings[m]);
        }
        no_memory_at_submission(&settings[m]);
        in_flight(&settings[m]);
    }
    psg_plan_destroy(keeper);
    little_room(128, 128, 128);
    little_room(256, 256, 32); /* planes in strips, of which no block stands beside another */
    return check_result();
}
