/* Arrays that were freed before a solve: each call refuses them with words, and the plan works on. With FREED_BY_CUDA they were on a
 * GPU. Else they were in main memory, and the plan on cores is taken for one with a GPU where it looks at its arrays. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "graph/plan_struct.h"
#include "graph/psg_starpu.h"
#include "tests/check.h"
#include "tests/harness.h"

#if FREED_BY_CUDA
#include <cuda_runtime_api.h>
#else
#include <sys/mman.h>
#endif

#include <stdlib.h>
#include <string.h>

static const oracle_grid grid = {{16, 12, 20}, {1.0, 2.0, 0.5}};
enum { POINTS = 16 * 12 * 20, BYTES = POINTS * (int)sizeof(double) };

#if FREED_BY_CUDA
static int can_free(void) {
    int devices = 0;
    return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

/** CUDA keeps the pages of small arrays that were freed, and knows their addresses as good ones. So these are large. */
static double *take(void) {
    enum { LARGE = 64 << 20 };
    void *memory = NULL;
    CHECK(cudaMalloc(&memory, LARGE) == cudaSuccess, "no memory on the GPU");
    return memory;
}

static void put(double *to, const double *from) {
    CHECK(cudaMemcpy(to, from, BYTES, cudaMemcpyHostToDevice) == cudaSuccess &&
              cudaDeviceSynchronize() == cudaSuccess,
          "f did not get to the GPU");
}

static void give_back(double *memory) {
    CHECK(cudaFree(memory) == cudaSuccess, "it cannot be freed");
}

static void take_for_gpu(psg_plan *plan, int gpu) {
    (void)plan;
    (void)gpu;
}
#else
static int can_free(void) {
    return 1;
}

static double *take(void) {
    return mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void put(double *to, const double *from) {
    memcpy(to, from, BYTES);
}

/** Nobody else gets the addresses. */
static void give_back(double *memory) {
    CHECK(mprotect(memory, BYTES, PROT_NONE) == 0, "it cannot be freed");
}

static void take_for_gpu(psg_plan *plan, int gpu) {
    plan->workers.gpu_count = (size_t)gpu;
}
#endif

/** What a call is made with. */
typedef struct arguments {
    psg_plan *plan;
    double *f, *u; /* in main memory */
    double *freed;
} arguments;

/** By psg_solve_arrays(), with the freed array as that field. */
static psg_status with_field(const arguments *a, int field) {
    psg_array f, u, freed;
    psg_array_init(&f, field == 0 ? a->freed : a->f);
    psg_array_init(&u, field == 1 ? a->freed : a->u);
    psg_array_init(&freed, a->freed);
    psg_solve_args args = harness_args(a->plan);
    for (int d = 0; d < 3; ++d) {
        args.gradient[d] = field == 2 + d ? &freed : NULL;
    }
    args.epsilon = field == 5 ? &freed : NULL;
    args.side[1][0] = field == 6 ? &freed : NULL;
    return psg_solve_arrays(a->plan, 1, &f, &u, &args);
}

enum { FIELDS = 7, CALLS = FIELDS + 7 };

static psg_status call(const arguments *a, int number) {
    switch (number) {
    case FIELDS:
        return psg_solve(a->plan, a->freed, a->u);
    case FIELDS + 1:
        return psg_submit(a->plan, a->f, a->freed);
    case FIELDS + 2:
        return psg_solve_many(a->plan, 1, a->freed, a->u);
    case FIELDS + 3:
        return psg_solve_many(a->plan, 2, a->f, a->freed);
    case FIELDS + 4:
        return psg_plan_pin(a->plan, a->freed);
    case FIELDS + 5:
        return psg_slabs_put(a->plan, a->freed);
    case FIELDS + 6:
        return psg_slabs_get(a->plan, a->freed);
    default:
        return with_field(a, number);
    }
}

/** Every call, and after each of them the right u. */
static void refused(const arguments *a, const double *want) {
    for (int number = 0; number < CALLS; ++number) {
        take_for_gpu(a->plan, 1);
        const psg_status status = call(a, number);
        take_for_gpu(a->plan, 0);
        CHECK(status == PSG_ERR_ARG || status == PSG_ERR_UNSUPPORTED, "call %d: status %d, %s",
              number, (int)status, psg_last_error());
        CHECK(strstr(psg_last_error(), "freed") != NULL, "call %d: %s", number, psg_last_error());
        memset(a->u, 0, BYTES);
        CHECK_STATUS(psg_solve(a->plan, a->f, a->u), PSG_OK);
        CHECK_CLOSE(a->u, want, grid.n[0], grid.n[1], grid.n[2], 1e-12, "after call %d", number);
    }
}

/** Of arrays that the plan has solved with, and keeps. */
static void free_kept(arguments *a, const double *want) {
    double *f = take(), *u = take();
    put(f, a->f);
    CHECK_STATUS(psg_solve(a->plan, f, u), PSG_OK);
    give_back(u);
    take_for_gpu(a->plan, 1);
    const psg_status status = psg_solve(a->plan, f, u); /* the plan keeps this pair */
    take_for_gpu(a->plan, 0);
    CHECK(status == PSG_ERR_ARG && strstr(psg_last_error(), "freed") != NULL, "status %d, %s",
          (int)status, psg_last_error());
    a->freed = u;
    refused(a, want);
    give_back(f);
    a->freed = f;
    refused(a, want);
}

int main(void) {
    FREED double *want = oracle_array(POINTS);
    arguments a = {.f = oracle_array(POINTS), .u = oracle_array(POINTS)};
    psg_options options = harness_with(PSG_F64, "symbol=fd2");
    psg_grid sides = harness_grid(&grid);
    if (!can_free()) {
        return CHECK_SKIP;
    }
    sides.axis[1].bc[0] = PSG_BC_DIRICHLET;
    sides.axis[1].bc[1] = PSG_BC_NEUMANN;
    options.gpus = FREED_BY_CUDA;
    oracle_random(1, POINTS, a.f);
    if (CHECK_STATUS(psg_plan_create(&a.plan, &sides, &options), PSG_OK)) {
        CHECK_STATUS(psg_solve(a.plan, a.f, want), PSG_OK);
        a.freed = take();
        give_back(a.freed);
        refused(&a, want);
        free_kept(&a, want);
    }
    psg_plan_destroy(a.plan);
    free(a.f);
    free(a.u);
    return check_result();
}
