/* psg on one GPU from and to arrays in page-locked main memory, beside what no such solve can do
 * without: the copies of f there and of u back. One solve after the other against one copy after
 * the other, and two in flight against copies both ways at once; in one run, in turns of random
 * order; wall-clock times.
 *
 *   bench_gpu_host [--f32] [--segment-planes N] [--pencils N] N|NXxNYxNZ ...
 */
#include "bench/programs/measure.h"
#include "graph/psg.h"

#include <cuda_runtime_api.h>
#include <stdio.h>

static void must(int ok) {
    bench_must(ok, "%s", psg_last_error());
}

static void must_cuda(cudaError_t error) {
    bench_must(error == cudaSuccess, "%s", cudaGetErrorString(error));
}

enum { FLIGHTS = 2 };

typedef struct bench {
    psg_plan *plan;
    void *f, *u[FLIGHTS], *f_d, *u_d;
    size_t bytes;
    cudaStream_t stream[2];
} bench;

/* Both copies of one solve, or of two that overlap as much as the link lets them. */
static double copies(const bench *b, unsigned calls, int together) {
    const double start = bench_now();
    for (unsigned call = 0; call < calls; call++) {
        must_cuda(cudaMemcpyAsync(b->f_d, b->f, b->bytes, cudaMemcpyHostToDevice, b->stream[0]));
        if (!together) {
            must_cuda(cudaStreamSynchronize(b->stream[0]));
        }
        must_cuda(cudaMemcpyAsync(b->u[0], b->u_d, b->bytes, cudaMemcpyDeviceToHost, b->stream[1]));
        must_cuda(cudaStreamSynchronize(b->stream[0]));
        must_cuda(cudaStreamSynchronize(b->stream[1]));
    }
    return bench_now() - start;
}

static double run_copies(void *what, unsigned calls) {
    return copies(what, calls, 0);
}

static double run_copies_together(void *what, unsigned calls) {
    return copies(what, calls, 1);
}

static double run_solves(void *what, unsigned calls) {
    const bench *b = what;
    const double start = bench_now();
    for (unsigned call = 0; call < calls; call++) {
        must(psg_solve(b->plan, b->f, b->u[0]) == PSG_OK);
    }
    return bench_now() - start;
}

/* The time of one of many, where the next begins as soon as there is room for it: f of the first
 * and u of the last, beside which nothing goes the other way, are a small part of it. */
static double run_flights(void *what, unsigned calls) {
    enum { SOLVES = 32 };
    const bench *b = what;
    const double start = bench_now();
    for (unsigned call = 0; call < calls; call++) {
        for (int m = 0; m < SOLVES + FLIGHTS; m++) {
            must(m < FLIGHTS || psg_wait(b->plan) == PSG_OK);
            must(m >= SOLVES || psg_submit(b->plan, b->f, b->u[m % FLIGHTS]) == PSG_OK);
        }
    }
    return (bench_now() - start) / SOLVES;
}

static void make(bench *b, const size_t n[3], const psg_options *options) {
    psg_grid grid;
    psg_grid_init(&grid, n[0], n[1], n[2], 1, 1, 1);
    b->bytes = n[0] * n[1] * n[2] * (options->precision == PSG_F64 ? 8 : 4);
    must(psg_plan_create(&b->plan, &grid, options) == PSG_OK);
    must_cuda(cudaHostAlloc(&b->f, b->bytes, cudaHostAllocPortable));
    must_cuda(cudaMalloc(&b->f_d, b->bytes));
    must_cuda(cudaMalloc(&b->u_d, b->bytes));
    must_cuda(cudaMemset(b->f_d, 0, b->bytes)); /* how long a solve takes does not depend on f */
    must_cuda(cudaMemcpy(b->f, b->f_d, b->bytes, cudaMemcpyDeviceToHost));
    for (int m = 0; m < FLIGHTS; m++) {
        must_cuda(cudaHostAlloc(&b->u[m], b->bytes, cudaHostAllocPortable));
        must_cuda(cudaStreamCreate(&b->stream[m]));
    }
}

static void destroy(bench *b) {
    psg_plan_destroy(b->plan);
    (void)cudaFreeHost(b->f);
    (void)cudaFree(b->f_d);
    (void)cudaFree(b->u_d);
    for (int m = 0; m < FLIGHTS; m++) {
        (void)cudaFreeHost(b->u[m]);
        (void)cudaStreamDestroy(b->stream[m]);
    }
}

int main(int argc, char **argv) {
    bench_settings settings = {5, 2, 1, 0, 0};
    psg_options options;
    int f32 = 0, devices = 0;
    psg_options_init(&options);
    const bench_option own[] = {{"f32", BENCH_FLAG, &f32, NULL},
                                {"segment-planes", BENCH_SOLVER, &options, "segment_planes"},
                                {"pencils", BENCH_SOLVER, &options, "pencils"},
                                {NULL, BENCH_FLAG, NULL, NULL}};
    const int first = bench_arguments(argc, argv, own, "N|NXxNYxNZ ...", &settings);
    bench_must_or(BENCH_NOT_HERE, cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0,
                  "no GPU");
    options.tuned = 0;
    options.gpus = 1;
    options.in_flight = FLIGHTS;
    options.precision = f32 ? PSG_F32 : PSG_F64;
    for (int m = first; m < argc; m++) {
        size_t n[3];
        bench b = {.plan = NULL};
        bench_read_grid(argv[m], n);
        make(&b, n, &options);
        bench_job jobs[] = {{.run = run_copies, .what = &b},
                            {.run = run_solves, .what = &b},
                            {.run = run_copies_together, .what = &b},
                            {.run = run_flights, .what = &b}};
        bench_interleave(jobs, sizeof jobs / sizeof *jobs, &settings, 0);
        printf("%zux%zux%zu %s host to host, 1 GPU: copies %.3f ms, psg %.3f ms, copies/psg %.2f; "
               "both ways at once "
               "%.3f ms, two in flight %.3f ms, copies/psg %.2f\n",
               n[0], n[1], n[2], f32 ? "f32" : "f64", 1e3 * jobs[0].times.median,
               1e3 * jobs[1].times.median, jobs[0].times.median / jobs[1].times.median,
               1e3 * jobs[2].times.median, 1e3 * jobs[3].times.median,
               jobs[2].times.median / jobs[3].times.median);
        (void)fflush(stdout);
        destroy(&b);
    }
    return 0;
}
