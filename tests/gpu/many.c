/* psg_solve_many() between arrays on a GPU, and in main memory: what psg_solve() gives for each right-hand
 * side, for any count and batch, after what is on the legacy default stream. A lack of memory there is an error, and the
 * plan can be used again. */
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 33, KINDS = 64 };

static int cuda(cudaError_t error, const char *what) {
    return CHECK(error == cudaSuccess, "%s: %s", what, cudaGetErrorString(error));
}
#define CUDA(call) cuda(call, #call)

typedef struct problem {
    psg_grid grid;
    psg_precision precision;
    size_t bytes;    /* of a right-hand side */
    char *f, *want;  /* on the host, [MOST] */
    char *got;       /* on the host */
    char *f_d, *u_d; /* on the GPU, [MOST] */
} problem;

static psg_plan *plan_of(const problem *p, size_t batch) {
    psg_options options = harness_options(p->precision);
    psg_plan *plan = NULL;
    options.batch = batch;
    CHECK_STATUS(psg_plan_create(&plan, &p->grid, &options), PSG_OK);
    return plan;
}

static void problem_init(problem *p, const size_t n[3], const char *sides,
                         psg_precision precision) {
    const size_t points = n[0] * n[1] * n[2];
    FREED double *f = oracle_array(points);
    psg_grid_init(&p->grid, n[0], n[1], n[2], 1, 2, 1.5);
    harness_sides(&p->grid, sides);
    p->precision = precision;
    p->bytes = points * harness_element_bytes(precision);
    p->f = malloc(MOST * p->bytes);
    p->want = malloc(MOST * p->bytes);
    p->got = malloc(MOST * p->bytes);
    for (size_t m = 0; m < MOST; ++m) {
        oracle_random(11 + (unsigned)m, points, f);
        harness_store(precision, points, f, p->f + m * p->bytes);
    }
    CUDA(cudaMalloc((void **)&p->f_d, MOST * p->bytes));
    CUDA(cudaMalloc((void **)&p->u_d, MOST * p->bytes));
    CUDA(cudaMemcpy(p->f_d, p->f, MOST * p->bytes, cudaMemcpyHostToDevice));
    DESTROYED psg_plan *plan = plan_of(p, 0);
    for (size_t m = 0; m < MOST && plan != NULL; ++m) {
        CHECK_STATUS(psg_solve(plan, p->f_d + m * p->bytes, p->u_d + m * p->bytes), PSG_OK);
    }
    CUDA(cudaMemcpy(p->want, p->u_d, MOST * p->bytes, cudaMemcpyDeviceToHost));
}

static void problem_free(problem *p) {
    free(p->f);
    free(p->want);
    free(p->got);
    CUDA(cudaFree(p->f_d));
    CUDA(cudaFree(p->u_d));
}

/** The largest difference over the largest number. */
static double difference(const problem *p, size_t count) {
    const size_t points = p->bytes / harness_element_bytes(p->precision) * count;
    double most = 0, off = 0;
    for (size_t m = 0; m < points; ++m) {
        const double got = check_element(p->got, harness_element_bytes(p->precision), m);
        const double want = check_element(p->want, harness_element_bytes(p->precision), m);
        most = fmax(most, fabs(want));
        off = check_worse(off, fabs(got - want));
    }
    return off / most;
}

static void check_u(const problem *p, size_t count, const char *what) {
    const double off = difference(p, count);
    CHECK(off <= harness_tolerance(p->precision, 1e-14, 1e-6),
          "%s, %zu right-hand sides: off by %g", what, count, off);
}

static size_t whole_tasks(const psg_plan *plan, double *on_gpus) {
    psg_kind_tasks list[KINDS];
    size_t count = 0, found = 0;
    *on_gpus = 0;
    CHECK_STATUS(psg_work_tasks(psg_plan_work(plan), list, KINDS, &count), PSG_OK);
    for (size_t m = 0; m < count && m < KINDS; ++m) {
        if (strcmp(psg_stage_name(list[m].stage), "whole") == 0) {
            found += (size_t)(list[m].tasks[0] + list[m].tasks[1]);
            *on_gpus += (double)list[m].tasks[1];
        }
    }
    return found;
}

/** f is still being written on the default stream when the solve begins, and u is read there afterwards. */
static void on_gpu(psg_plan *plan, problem *p, size_t count, int in_place, const char *what) {
    char *u = in_place ? p->f_d : p->u_d;
    CUDA(cudaMemset(p->u_d, 0xff, MOST * p->bytes));
    CUDA(cudaMemset(p->f_d, 0xff, MOST * p->bytes));
    CUDA(cudaMemcpyAsync(p->f_d, p->f, count * p->bytes, cudaMemcpyHostToDevice, 0));
    CHECK_STATUS(psg_solve_many(plan, count, p->f_d, u), PSG_OK);
    CUDA(cudaMemcpy(p->got, u, count * p->bytes, cudaMemcpyDeviceToHost));
    check_u(p, count, what);
    if (count < MOST) { /* what follows is as it was */
        unsigned char next = 0;
        CUDA(cudaMemcpy(&next, u + count * p->bytes, 1, cudaMemcpyDeviceToHost));
        CHECK(next == 0xff, "%s: something was written behind %zu right-hand sides", what, count);
    }
}

static void check_batch(problem *p, size_t batch, int has_kernel, const char *name) {
    static const size_t counts[] = {1, 2, 3, 4, 5, MOST, 8, 3};
    DESTROYED psg_plan *plan = plan_of(p, batch);
    for (size_t m = 0; plan != NULL && m < sizeof counts / sizeof *counts; ++m) {
        const size_t count = counts[m];
        double on_gpus = 0;
        char what[96];
        (void)snprintf(what, sizeof what, "%s, batch %zu", name, batch);
        on_gpu(plan, p, count, 0, what);
        const size_t whole = whole_tasks(plan, &on_gpus);
        const size_t pieces = batch > 1 ? (count + batch - 1) / batch : 0;
        CHECK(batch == 0 || whole == (has_kernel && count > 1 ? pieces : 0),
              "%s: %zu tasks whole of %zu right-hand sides", what, whole, count);
        CHECK(on_gpus == (double)whole, "%s: not all on the GPU", what);
        on_gpu(plan, p, count, 1, "in place");
        memset(p->got, 0xff, MOST * p->bytes);
        CHECK_STATUS(psg_solve_many(plan, count, p->f, p->got), PSG_OK);
        check_u(p, count, "main memory");
        memcpy(p->got, p->f, count * p->bytes);
        CHECK_STATUS(psg_solve_many(plan, count, p->got, p->got), PSG_OK);
        check_u(p, count, "main memory, in place");
    }
}

/** A NaN is found, named, and stays where it is. */
static void check_nan(problem *p) {
    enum { COUNT = 7, BAD = 4 };
    DESTROYED psg_plan *plan = plan_of(p, 3);
    const unsigned char nan[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    CUDA(cudaMemcpy(p->f_d, p->f, COUNT * p->bytes, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(p->f_d + BAD * p->bytes, nan, harness_element_bytes(p->precision),
                    cudaMemcpyHostToDevice));
    CHECK_STATUS(psg_solve_many(plan, COUNT, p->f_d, p->u_d), PSG_ERR_DATA);
    CHECK(strcmp(psg_last_error(), "right-hand side 4: f is NaN or Inf at (i,j,k) = (0,0,0)") == 0,
          "the words are '%s'", psg_last_error());
    CUDA(cudaMemcpy(p->got, p->u_d, COUNT * p->bytes, cudaMemcpyDeviceToHost));
    memcpy(p->got + BAD * p->bytes, p->want + BAD * p->bytes, p->bytes);
    check_u(p, COUNT, "a NaN elsewhere");
    on_gpu(plan, p, COUNT, 0, "after a NaN");
}

/** Nothing is left on the GPU for the spectra: words, and later it works. */
static void check_memory(problem *p) {
    DESTROYED psg_plan *plan = plan_of(p, MOST);
    size_t left = 0, all = 0;
    void *filler = NULL;
    on_gpu(plan, p, 2, 0, "before");
    CUDA(cudaMemGetInfo(&left, &all));
    while (left > p->bytes && filler == NULL) {
        left -= p->bytes;
        if (cudaMalloc(&filler, left) != cudaSuccess) {
            (void)cudaGetLastError();
            filler = NULL;
        }
    }
    CHECK_STATUS(psg_solve_many(plan, MOST, p->f_d, p->u_d), PSG_ERR_MEMORY);
    CHECK(psg_last_error()[0] != 0, "no words");
    CUDA(cudaFree(filler));
    on_gpu(plan, p, MOST, 0, "after a lack of memory");
}

int main(void) {
    static const struct {
        size_t n[3];
        const char *sides;
        int has_kernel;
        const char *name;
    } cases[] = {
        {{64, 64, 64}, "PP", 1, "own kernels"},
        {{96, 96, 48}, "PP", 1, "own kernels, other planes"},
        {{30, 21, 18}, "PP", 1, "cuFFT"},
        {{31, 15, 13}, "PP", 1, "cuFFT, odd"},
        {{16, 12, 17}, "PP", 0, "no kernel along z"},
        {{64, 64, 64}, "PP,PP,NN", 1, "walls"},
    };
    const psg_options options = harness_options(PSG_F64);
    DESTROYED psg_plan *anchor = harness_anchor(&options);
    for (size_t m = 0; m < sizeof cases / sizeof *cases; ++m) {
        for (int precision = PSG_F64; precision <= PSG_F32; ++precision) {
            problem p;
            problem_init(&p, cases[m].n, cases[m].sides, (psg_precision)precision);
            for (size_t batch = 0; batch <= 4; ++batch) {
                check_batch(&p, batch, cases[m].has_kernel, cases[m].name);
            }
            if (cases[m].has_kernel) {
                check_nan(&p);
            }
            if (m == 0) {
                check_memory(&p);
            }
            problem_free(&p);
        }
    }
    return check_result();
}
