/* A chain's steps as one graph of CUDA's: what is launched is what the steps would have launched for these data and
 * this run, each once, whatever was recorded before and whatever fails meanwhile. From inside the library; CUDA is here. */
#include "base/tuning.h"
#include "runtime/gpu_cuda.h"
#include "tests/check.h"
#include "tests/gpu/no_user.h"

#include <cuda_runtime_api.h>
#include <starpu.h>
#include <starpu_cuda.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 3, DATA = 4, NODES_MOST = 64, GRAPHS_MOST = 1024 };

/* What a kernel was given. */
typedef struct given {
    const void *pointer[DATA];
    size_t pitch[DATA][2]; /* of rows and planes */
    const void *result;
    double value;
    int step;
} given;

struct CUgraphNode_st {
    bool event;
    given kernel;
};

struct CUgraph_st {
    struct CUgraphNode_st node[NODES_MOST];
    int nodes;
    bool there;
};

struct CUgraphExec_st {
    struct CUgraph_st *graph;
    bool there;
};

static struct CUgraph_st graph[GRAPHS_MOST];
static struct CUgraphExec_st exec[GRAPHS_MOST];
static int graphs, execs, launches;
static int events; /* of the latest launch */
static struct CUgraph_st *capturing;
static cudaGraphNode_t last; /* what comes next follows it */
static bool spoilt;          /* the capture is */
static given ran[NODES_MOST];
static int runs;

/* ------------------------------------------------------------------------------------- CUDA */

static const char *failing; /* a call */
static int fails_at;        /* 1: at the next one of it */
static cudaError_t said;

static bool fails(const char *call) {
    const bool does = failing != NULL && strcmp(failing, call) == 0 && --fails_at == 0;
    said = does ? cudaErrorUnknown : said;
    return does;
}

/* All tasks are worker 0's. */
unsigned _starpu_worker_get_id_check(const char *file, int line) {
    (void)file;
    (void)line;
    return 0;
}

cudaStream_t starpu_cuda_get_local_stream(void) {
    return NULL;
}

cudaError_t cudaGetLastError(void) {
    const cudaError_t error = said;
    said = cudaSuccess;
    return error;
}

static cudaGraphNode_t add(bool event, const given *kernel) {
    cudaGraphNode_t node = &capturing->node[capturing->nodes++];
    *node = (struct CUgraphNode_st){.event = event};
    if (kernel != NULL) {
        CHECK(last == NULL || !last->event || failing != NULL, "step %d follows an event",
              kernel->step);
        node->kernel = *kernel;
    }
    return node;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
    (void)stream;
    CHECK(mode == cudaStreamCaptureModeThreadLocal && capturing == NULL, "mode %d", (int)mode);
    if (fails("begin")) {
        return cudaErrorUnknown;
    }
    capturing = &graph[graphs++ % GRAPHS_MOST];
    *capturing = (struct CUgraph_st){.there = true};
    last = NULL;
    spoilt = false;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *made) {
    (void)stream;
    spoilt = fails("end") || spoilt;
    capturing->there = !spoilt;
    *made = spoilt ? NULL : capturing;
    capturing = NULL;
    return spoilt ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
}

#if CUDART_VERSION >= 13000
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *into,
                                     const cudaGraphNode_t **nodes, const cudaGraphEdgeData **edges,
                                     size_t *count) {
    (void)edges;
#else
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id, cudaGraph_t *into,
                                        const cudaGraphNode_t **nodes, size_t *count) {
#endif
    (void)stream, (void)id, (void)into;
    *status = cudaStreamCaptureStatusActive;
    *nodes = &last;
    *count = last != NULL;
    return fails("info") ? cudaErrorUnknown : cudaSuccess;
}

#if CUDART_VERSION >= 13000
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                const cudaGraphEdgeData *edges, size_t count,
                                                unsigned flags) {
    (void)edges;
#else
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                size_t count, unsigned flags) {
#endif
    (void)stream;
    CHECK(count == 1 && flags == cudaStreamSetCaptureDependencies, "%zu nodes", count);
    last = nodes[0];
    return fails("update") ? cudaErrorUnknown : cudaSuccess;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    (void)event, (void)stream;
    CHECK((capturing != NULL) == (flags == cudaEventRecordExternal), "flags %u", flags);
    if (fails("mark")) {
        return cudaErrorUnknown;
    }
    last = capturing != NULL ? add(true, NULL) : NULL;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *made, cudaGraph_t of,
                                          unsigned long long flags) {
    CHECK(of->there && flags == 0, "flags %llu", flags);
    if (fails("instantiate")) {
        return cudaErrorMemoryAllocation;
    }
    *made = &exec[execs++ % GRAPHS_MOST];
    **made = (struct CUgraphExec_st){.graph = of, .there = true};
    return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t of, cudaStream_t stream) {
    (void)stream;
    CHECK(of->there, "a graph is uploaded that is destroyed");
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t of) {
    CHECK(of->there, "a graph is destroyed twice");
    of->there = false;
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t of) {
    CHECK(of->there, "a graph that can be launched is destroyed twice");
    of->there = false;
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t of, cudaStream_t stream) {
    (void)stream;
    CHECK(of->there, "a graph is launched that is destroyed");
    if (fails("launch")) {
        return cudaErrorUnknown;
    }
    launches++;
    events = 0;
    for (int n = 0; n < of->graph->nodes; n++) {
        if (!of->graph->node[n].event) {
            ran[runs++] = of->graph->node[n].kernel;
        } else {
            events++;
        }
    }
    return cudaSuccess;
}

/* Numbers are enough. */
cudaError_t cudaEventCreate(cudaEvent_t *event) {
    static uintptr_t created;
    *event = (cudaEvent_t)++created; /* NOLINT */
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    (void)event;
    return cudaSuccess;
}

static float reached[STEPS]; /* milliseconds, by mark; negative: not yet */

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to) {
    const float begin = reached[(uintptr_t)from - 1], end = reached[(uintptr_t)to - 1];
    *milliseconds = end - begin;
    return begin < 0 || end < 0 ? cudaErrorNotReady : cudaSuccess;
}

/* ------------------------------------------------------------------------------------ steps */

static struct starpu_block_interface block[DATA];
static void *buffers[DATA];
static size_t data_count;
static psg_run *fails_meanwhile; /* another's task makes the run fail, after the first step */

static given given_of(const psg_run *run, int step) {
    given g;
    memset(&g, 0, sizeof g);
    for (size_t m = 0; m < data_count; m++) {
        g.pointer[m] = (const void *)block[m].ptr;
        g.pitch[m][0] = block[m].ldy;
        g.pitch[m][1] = block[m].ldz;
    }
    g.result = run->result;
    g.value = *(const double *)run->user;
    g.step = step;
    return g;
}

static void steps(psg_run *run, void *all[]) {
    CHECK(all == buffers, "other buffers");
    for (int s = 0; s < STEPS; s++) {
        if (!psg_run_failed(run)) {
            const given g = given_of(run, s);
            const bool good = psg_gpu_check(run, fails("kernel") ? cudaErrorUnknown : 0, "a step");
            if (good && capturing != NULL) {
                last = add(false, &g);
            } else if (good) {
                ran[runs++] = g;
            }
        }
        psg_gpu_mark(run, 0, (size_t)s);
        if (fails_meanwhile != NULL) {
            psg_run_fail(fails_meanwhile, PSG_FAULT_DEVICE, "meanwhile");
        }
    }
}

static psg_engine engine = {
    .chain_steps = STEPS, .task_data = 1, .slots = 1, .workers = 1, .user_bytes = sizeof(double)};
static double results[3][3];
static double value = 1; /* that kernels get */

static psg_run run_of(int number) {
    return (psg_run){.engine = &engine, .result = results[number], .user = &value};
}

/** A solve. @param[in] by_graph  each step is to be launched by a graph, and not by itself */
static void solve(psg_run *run, bool by_graph, const char *name) {
    const int before = launches;
    runs = 0;
    psg_gpu_replay(run, 0, buffers, data_count, steps);
    CHECK(!psg_run_failed(run), "%s: %s", name, run->words);
    CHECK(launches - before == by_graph, "%s: %d graphs", name, launches - before);
    CHECK(runs == STEPS && capturing == NULL, "%s: %d steps", name, runs);
    for (int s = 0; s < STEPS && s < runs; s++) {
        const given want = given_of(run, s);
        CHECK(memcmp(&want, &ran[s], sizeof want) == 0, "%s: step %d of something else", name, s);
    }
}

static void three(psg_run *run, const char *name) {
    solve(run, false, name);
    solve(run, false, name);
    solve(run, true, name);
    solve(run, true, name);
}

/** Something is another than it was. */
static void check_changes(void) {
    psg_run run = run_of(0), other = run_of(1);
    data_count = DATA;
    three(&run, "at first");
    block[1].ptr++;
    three(&run, "another place");
    block[2].ldz++;
    three(&run, "another pitch of planes");
    block[0].ldy++;
    three(&run, "another pitch of rows");
    block[DATA - 1].ptr++;
    three(&run, "the last one's place");
    three(&other, "another run");
    run.result = results[2];
    three(&run, "another place of the result");
    value = 2;
    three(&run, "another value");
    for (int m = 0; m < 2 * TUNING_ARRAYS_KEPT; m++) {
        value = 3 + m;
        solve(&run, false, "a value that changes each time");
    }
    const double same = value;
    run.user = &same;
    solve(&run, false, "the value elsewhere");
    solve(&run, true, "the value elsewhere"); /* what counts is the value */
    run.user = &value;
    data_count = DATA - 1;
    three(&run, "less data");
    block[0].ptr++;
    solve(&run, false, "another place");
    block[0].ptr--;
    solve(&run, true, "the place before that"); /* its graph is kept */
}

/** A program goes round in so many arrays: each pair has its graph. One more, and the graph that was not used for longest is gone. */
static void check_round(void) {
    psg_run run = run_of(0);
    const uintptr_t first = block[0].ptr + 100;
    for (int round = 0; round < 4; round++) {
        for (uintptr_t m = 0; m < TUNING_ARRAYS_KEPT; m++) {
            block[0].ptr = first + m;
            solve(&run, round >= 2, "round and round");
        }
    }
    block[0].ptr = first;
    solve(&run, true, "the first of the round");
    block[0].ptr = first + TUNING_ARRAYS_KEPT;
    three(&run, "one more");
    block[0].ptr = first;
    solve(&run, true, "used before that");
    block[0].ptr = first + 1;
    solve(&run, false, "not used for longest");
}

/** A graph that cannot be made is none, and the steps go one by one. */
static void check_no_graph(const char *call, int at) {
    psg_run run = run_of(0);
    block[0].ptr++;
    solve(&run, false, "before");
    solve(&run, false, "before");
    failing = call;
    fails_at = at;
    const bool none = strcmp(call, "info") != 0; /* then events stand between the steps */
    solve(&run, !none, call);
    CHECK(fails_at <= 0, "%s did not fail", call);
    failing = NULL;
    solve(&run, !none, call);
    solve(&run, !none, call);
    block[0].ptr++;
    three(&run, call);
}

static void check_failed_runs(void) {
    psg_run run = run_of(0), again = run_of(0), late = run_of(0);
    block[0].ptr++;
    three(&run, "before a launch fails");
    failing = "launch";
    fails_at = 1;
    runs = 0;
    psg_gpu_replay(&run, 0, buffers, data_count, steps);
    CHECK(psg_run_failed(&run) && runs == 0, "a graph was not launched, and %d steps", runs);
    failing = NULL;
    solve(&again, false, "after that");
    solve(&again, false, "after that");
    fails_meanwhile = &late; /* its graph would have one step */
    runs = 0;
    psg_gpu_replay(&late, 0, buffers, data_count, steps);
    CHECK(psg_run_failed(&late) && runs == 0, "%d steps of a run that failed", runs);
    fails_meanwhile = NULL;
    three(&again, "after one that failed while its graph was recorded");
}

/** Of the solves by graphs the second has marks, and then one of so many; the next one where the moments are not known; and
 * all if the engine records. */
static void check_marks(void) {
    static const double between[2] = {0, 1e6};
    psg_run run = run_of(0);
    double moment[STEPS];
    int marked = 0;
    block[0].ptr++;
    reached[1] = 1;
    for (int n = 0; n < TUNING_REPLAY_AFTER; n++) {
        solve(&run, false, "before");
        CHECK(psg_gpu_moments(&run, 0, STEPS, between, moment), "solve %d", n);
    }
    for (int n = 0; n < 2 * TUNING_MARKED_EVERY; n++) {
        solve(&run, true, "marks");
        CHECK(events == STEPS || events == 0, "%d events", events);
        CHECK(n > 2 || (events > 0) == (n > 0), "solve %d has %d marks", n, events);
        marked += events > 0;
        reached[1] = n == 1 ? -1 : 1; /* the marks of this one say nothing */
        CHECK(psg_gpu_moments(&run, 0, STEPS, between, moment) == (n != 1), "solve %d", n);
    }
    CHECK(marked == 4, "%d of %d solves have marks", marked, 2 * TUNING_MARKED_EVERY);
    engine.record = true;
    for (int n = 0; n < TUNING_MARKED_EVERY; n++) {
        solve(&run, true, "recorded");
        CHECK(events == STEPS, "%d events of a run that is recorded", events);
    }
    engine.record = false;
}

/** The last step ends when StarPU says; the others before it, by the GPU's clock, one after the other. A run without marks has
 *  their shares of its own time. */
static void check_moments(void) {
    static const struct {
        float reached[STEPS];
        double want[STEPS];
    } cases[] = {{{1, 2, 4}, {997000, 998000, 1000000}},
                 {{2, 1, 4}, {997000, 997000, 1000000}}, /* marks beside the steps, one is late */
                 {{1, 5, 4}, {997000, 1000000, 1000000}}};
    static const double between[2] = {996000, 1000000}, later[2] = {2000000, 2008000};
    psg_run run = run_of(0);
    double moment[STEPS];
    for (size_t m = 0; m < sizeof cases / sizeof *cases; m++) {
        block[0].ptr++;
        three(&run, "before");
        engine.record = true;
        solve(&run, true, "a run with marks");
        engine.record = false;
        memcpy(reached, cases[m].reached, sizeof reached);
        CHECK(psg_gpu_moments(&run, 0, STEPS, between, moment), "case %zu is not known", m);
        for (int s = 0; s < STEPS; s++) {
            CHECK_NEAR(moment[s], cases[m].want[s], 1e-3, "case %zu, step %d", m, s);
        }
        solve(&run, true, "a run without marks");
        CHECK(events == 0, "case %zu, %d events", m, events);
        reached[1] = -1;
        CHECK(psg_gpu_moments(&run, 0, STEPS, later, moment), "case %zu is not known", m);
        for (int s = 0; s < STEPS; s++) {
            const double want = later[1] - 2 * (between[1] - cases[m].want[s]);
            CHECK_NEAR(moment[s], want, 1e-3, "case %zu, without marks, step %d", m, s);
        }
    }
    block[0].ptr++;
    solve(&run, false, "one by one");
    CHECK(!psg_gpu_moments(&run, 0, STEPS, between, moment), "of a step that has not ended");
    reached[1] = 2;
    CHECK(psg_gpu_moments(&run, 0, STEPS, between, moment), "of steps one by one");
}

int main(void) {
    static char memory[DATA][16];
    psg_gpu *workers[1] = {NULL};
    engine.gpu = workers;
    CHECK(psg_gpu_create(&workers[0], &engine, &user) == 0, "a worker");
    for (int m = 0; m < DATA; m++) {
        block[m].ptr = (uintptr_t)memory[m];
        block[m].ldy = 2;
        block[m].ldz = 4;
        buffers[m] = &block[m];
    }
    check_changes();
    check_round();
    data_count = DATA;
    check_moments();
    check_marks();
    static const char *const calls[] = {"begin",  "kernel", "mark",       "info",
                                        "update", "end",    "instantiate"};
    for (size_t m = 0; m < sizeof calls / sizeof *calls; m++) {
        const int most = m == 1             ? 2 * STEPS
                         : m >= 2 && m <= 4 ? STEPS
                                            : 2; /* there are two graphs */
        for (int at = 1; at <= most; at++) {
            check_no_graph(calls[m], at);
        }
    }
    check_failed_runs();
    psg_gpu_destroy(workers[0], &engine);
    for (int m = 0; m < GRAPHS_MOST; m++) {
        CHECK(!graph[m].there && !exec[m].there, "graph %d is left", m);
    }
    return check_result();
}
