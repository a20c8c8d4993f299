/* A solve between arrays on a GPU is in the order of the program's streams: f that a stream is still writing is what is
 * solved for, what the stream reads after the call is u, and the thread synchronises nothing. Streams that are being
 * captured, or another GPU's, are refused. Terms that change from solve to solve are those of the solve, also of chains. */
#include "tests/check.h"
#include "tests/harness.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    TURNS = 100,
    FIELDS = 3,  /* right-hand sides that take turns */
    COPIES = 200 /* of a large array: the stream is busy for milliseconds */
};

static const size_t cases[][3] = {{32, 32, 32}, {64, 64, 64}, {30, 21, 17}};
static const size_t busy_bytes = (size_t)64 << 20;

typedef struct fixture {
    oracle_grid box;
    psg_plan *plan;
    psg_precision precision;
    size_t bytes;
    void *field[FIELDS];                    /* on the host, page-locked */
    void *want[FIELDS];                     /* on the host */
    void *got[2];                           /* on the host, page-locked */
    void *source[FIELDS], *f, *u, *busy[2]; /* on the GPU */
    cudaStream_t stream;
} fixture;

static int cuda(cudaError_t error, const char *what) {
    return CHECK(error == cudaSuccess, "%s: %s", what, cudaGetErrorString(error));
}
#define CUDA(call) cuda(call, #call)

static psg_plan *plan_of(const fixture *x, double lambda, double factor) {
    const psg_grid grid = harness_grid(&x->box);
    psg_options options = harness_options(x->precision);
    psg_plan *plan = NULL;
    options.lambda = lambda;
    options.factor = factor;
    CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK);
    return plan;
}

static void fixture_init(fixture *x, const size_t n[3], psg_precision precision, int own_stream,
                         unsigned seed) {
    const size_t points = n[0] * n[1] * n[2];
    FREED double *f = oracle_array(points);
    memset(x, 0, sizeof *x);
    x->box = oracle_grid_make(n[0], n[1], n[2], 1, 2, 1);
    x->precision = precision;
    x->bytes = points * harness_element_bytes(precision);
    x->plan = plan_of(x, 0, 1);
    for (size_t m = 0; m < FIELDS; ++m) {
        oracle_random(seed + (unsigned)m, points, f);
        CUDA(cudaMallocHost(&x->field[m], x->bytes));
        x->want[m] = calloc(1, x->bytes);
        harness_store(precision, points, f, x->field[m]);
        CHECK_STATUS(psg_solve(x->plan, x->field[m], x->want[m]), PSG_OK);
        CUDA(cudaMalloc(&x->source[m], x->bytes));
        CUDA(cudaMemcpy(x->source[m], x->field[m], x->bytes, cudaMemcpyHostToDevice));
    }
    for (int m = 0; m < 2; ++m) {
        CUDA(cudaMallocHost(&x->got[m], x->bytes));
        CUDA(cudaMalloc(&x->busy[m], busy_bytes));
    }
    CUDA(cudaMalloc(&x->f, x->bytes));
    CUDA(cudaMalloc(&x->u, x->bytes));
    if (own_stream) {
        CUDA(cudaStreamCreateWithFlags(&x->stream, cudaStreamNonBlocking));
    }
    CUDA(cudaDeviceSynchronize());
}

static void fixture_free(fixture *x) {
    CUDA(cudaDeviceSynchronize());
    psg_plan_destroy(x->plan);
    for (size_t m = 0; m < FIELDS; ++m) {
        cudaFreeHost(x->field[m]);
        cudaFree(x->source[m]);
        free(x->want[m]);
    }
    for (int m = 0; m < 2; ++m) {
        cudaFreeHost(x->got[m]);
        cudaFree(x->busy[m]);
    }
    cudaFree(x->f);
    cudaFree(x->u);
    if (x->stream != NULL) {
        cudaStreamDestroy(x->stream);
    }
}

static psg_status submit(const fixture *x, cudaStream_t on, const psg_solve_args *args) {
    psg_array f, u;
    psg_array_init(&f, x->f);
    psg_array_init(&u, x->u);
    f.stream = u.stream = on;
    return psg_submit_arrays(x->plan, 1, &f, &u, args);
}

/** The stream works for a while, and then writes f. */
static void write_late(const fixture *x, size_t field, int copies) {
    for (int m = 0; m < copies; ++m) {
        CUDA(cudaMemcpyAsync(x->busy[m % 2], x->busy[1 - m % 2], busy_bytes,
                             cudaMemcpyDeviceToDevice, x->stream));
    }
    CUDA(cudaMemcpyAsync(x->f, x->source[field], x->bytes, cudaMemcpyDeviceToDevice, x->stream));
}

/** u of before is still read when the solve is submitted, and u of after is read without a wait. */
static void take_turns(fixture *x, const char *name) {
    write_late(x, FIELDS - 1, 0);
    CHECK_STATUS(submit(x, x->stream, NULL), PSG_OK);
    CHECK_STATUS(psg_wait(x->plan), PSG_OK);
    for (size_t turn = 0; turn < TURNS; ++turn) {
        const size_t now = turn % FIELDS, before = (turn + FIELDS - 1) % FIELDS;
        memset(x->got[0], 0xff, x->bytes);
        memset(x->got[1], 0xff, x->bytes);
        write_late(x, now, turn % 10 == 0 ? COPIES : 2);
        CUDA(cudaMemcpyAsync(x->got[0], x->u, x->bytes, cudaMemcpyDeviceToHost, x->stream));
        CHECK_STATUS(submit(x, x->stream, NULL), PSG_OK);
        CUDA(cudaMemcpyAsync(x->got[1], x->u, x->bytes, cudaMemcpyDeviceToHost, x->stream));
        CHECK_STATUS(psg_wait(x->plan), PSG_OK);
        CUDA(cudaStreamSynchronize(x->stream));
        CHECK(memcmp(x->got[0], x->want[before], x->bytes) == 0,
              "%s, turn %zu: u was written while the stream still read it", name, turn);
        CHECK(memcmp(x->got[1], x->want[now], x->bytes) == 0,
              "%s, turn %zu: what the stream read is not u of what it wrote", name, turn);
    }
}

/** Between dense arrays on one GPU a chain has other terms at each solve, and then the same for a while. */
static void change_terms(fixture *x) {
    static const double lambda[] = {0, 2, 0, 30, 2, 30}, factor[] = {1, -2, 1, 0.5, -2, 0.5};
    enum { TERMS = 3, ALL = 6 };
    void *want[TERMS + 1] = {NULL};
    for (size_t t = 0; t <= TERMS; ++t) {
        DESTROYED psg_plan *plan = plan_of(x, lambda[t], factor[t]);
        want[t] = calloc(1, x->bytes);
        CHECK_STATUS(psg_solve(plan, x->field[0], want[t]), PSG_OK);
    }
    for (size_t turn = 0; turn < 8 * (size_t)ALL; ++turn) {
        const size_t t = turn < 2 * (size_t)ALL ? turn % ALL : turn / 6 % ALL;
        const size_t same = t == 4 ? 1 : t == 5 ? 3 : t;
        psg_solve_args args = harness_args(x->plan);
        args.lambda = lambda[t];
        args.factor = factor[t];
        write_late(x, 0, 0);
        CHECK_STATUS(submit(x, x->stream, &args), PSG_OK);
        CUDA(cudaMemcpyAsync(x->got[0], x->u, x->bytes, cudaMemcpyDeviceToHost, x->stream));
        CHECK_STATUS(psg_wait(x->plan), PSG_OK);
        CUDA(cudaStreamSynchronize(x->stream));
        CHECK(memcmp(x->got[0], want[same], x->bytes) == 0,
              "turn %zu, lambda %g: u is not that of a plan with it", turn, lambda[t]);
    }
    for (size_t t = 0; t <= TERMS; ++t) {
        free(want[t]);
    }
}

/** Nothing is started, and the plan and the stream can be used. */
static void refused(fixture *x, cudaStream_t on, const char *word) {
    CHECK_STATUS(submit(x, on, NULL), PSG_ERR_ARG);
    CHECK(strstr(psg_last_error(), word) != NULL, "'%s' has no '%s'", psg_last_error(), word);
    CHECK_STATUS(psg_wait(x->plan), PSG_ERR_STATE);
}

static void refuse_capture(fixture *x) {
    cudaGraph_t graph = NULL;
    CUDA(cudaStreamBeginCapture(x->stream, cudaStreamCaptureModeThreadLocal));
    refused(x, x->stream, "captured");
    CUDA(cudaStreamEndCapture(x->stream, &graph));
    if (graph != NULL) {
        CUDA(cudaGraphDestroy(graph));
    }
}

static void refuse_elsewhere(fixture *x) {
    int count = 0, before = -1;
    cudaStream_t other = NULL;
    CUDA(cudaGetDeviceCount(&count));
    if (count < 2) {
        printf("one GPU: no stream of another\n");
        return;
    }
    CUDA(cudaSetDevice(1));
    CUDA(cudaStreamCreate(&other));
    CUDA(cudaSetDevice(0));
    refused(x, other, "stream of f");
    CUDA(cudaSetDevice(1)); /* the current device is the caller's */
    write_late(x, 1, 2);
    CHECK_STATUS(submit(x, x->stream, NULL), PSG_OK);
    CUDA(cudaGetDevice(&before));
    CHECK(before == 1, "the current device is %d", before);
    CHECK_STATUS(psg_wait(x->plan), PSG_OK);
    CUDA(cudaStreamDestroy(other));
    CUDA(cudaSetDevice(0));
}

typedef struct worker {
    fixture x;
    const char *name;
} worker;

static void *solve_in_thread(void *argument) {
    worker *w = argument;
    CUDA(cudaSetDevice(0));
    take_turns(&w->x, w->name);
    return NULL;
}

static void two_threads(const size_t n[3]) {
    static worker workers[2] = {{.name = "first thread"}, {.name = "second thread"}};
    pthread_t thread[2];
    for (int m = 0; m < 2; ++m) {
        fixture_init(&workers[m].x, n, m ? PSG_F32 : PSG_F64, 1, 20 + 10 * (unsigned)m);
    }
    for (int m = 0; m < 2; ++m) {
        CHECK(pthread_create(&thread[m], NULL, solve_in_thread, &workers[m]) == 0, "thread %d", m);
    }
    for (int m = 0; m < 2; ++m) {
        pthread_join(thread[m], NULL);
        fixture_free(&workers[m].x);
    }
}

int main(void) {
    const psg_options first = harness_options(PSG_F64);
    DESTROYED psg_plan *anchor = harness_anchor(&first);
    fixture x;
    for (size_t m = 0; m < sizeof cases / sizeof *cases; ++m) {
        fixture_init(&x, cases[m], m % 2 ? PSG_F32 : PSG_F64, 1, 1);
        take_turns(&x, "a stream");
        change_terms(&x);
        refuse_capture(&x);
        refuse_elsewhere(&x);
        take_turns(&x, "after refusals");
        fixture_free(&x);
    }
    fixture_init(&x, cases[1], PSG_F64, 0, 7);
    take_turns(&x, "the default stream");
    fixture_free(&x);
    two_threads(cases[1]);
    return check_result();
}
