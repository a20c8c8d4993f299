/* What each GPU's worker keeps, by CUDA. */
#include "runtime/gpu_cuda.h"

#include "base/tuning.h"
#include "runtime/copies_cuda.h"
#include "runtime/task.h"

#include <cuda_runtime.h>
#include <math.h>
#include <starpu_cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

psg_gpu *psg_gpu_self(const psg_engine *engine) {
    return engine->gpu[starpu_worker_get_id_check()];
}

bool psg_gpu_check(psg_run *run, int code, const char *what) {
    psg_gpu *w = psg_gpu_self(run->engine);
    if (code != 0 && w->records) {
        w->recorded = false;
    } else if (code != 0) {
        psg_run_fail(run, w->user->is_memory(code) ? PSG_FAULT_MEMORY : PSG_FAULT_DEVICE,
                     "CUDA worker %d, %s: %s", starpu_worker_get_id(), what, w->user->words(code));
        (void)cudaGetLastError(); /* what was said is said: the next to ask starts anew */
    }
    return code == 0;
}

/* ----------------------------------------------------------------- the ends of a chain's steps */

/* What was launched last on a stream that is being captured; NULL if that is not one node. */
static cudaGraphNode_t captured_last(cudaStream_t stream) {
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaGraphNode_t *last = NULL;
    size_t count = 0;
#if CUDART_VERSION >= 13000
    const cudaError_t error =
        cudaStreamGetCaptureInfo(stream, &status, NULL, NULL, &last, NULL, &count);
#else
    const cudaError_t error =
        cudaStreamGetCaptureInfo_v2(stream, &status, NULL, NULL, &last, &count);
#endif
    return error == cudaSuccess && count == 1 ? last[0] : NULL;
}

/* The next launch on the stream follows the node `last`. */
static cudaError_t capture_after(cudaStream_t stream, cudaGraphNode_t last) {
#if CUDART_VERSION >= 13000
    return cudaStreamUpdateCaptureDependencies(stream, &last, NULL, 1,
                                               cudaStreamSetCaptureDependencies);
#else
    return cudaStreamUpdateCaptureDependencies(stream, &last, 1, cudaStreamSetCaptureDependencies);
#endif
}

/* The event is a node of the graph beside the next step. Between two steps it would delay the
 * second one by some 2 us. */
static cudaError_t record_beside(cudaEvent_t mark, cudaStream_t stream) {
    const cudaGraphNode_t last = captured_last(stream);
    const cudaError_t error = cudaEventRecordWithFlags(mark, stream, cudaEventRecordExternal);
    return error == cudaSuccess && last != NULL ? capture_after(stream, last) : error;
}

void psg_gpu_mark(psg_run *run, size_t slot, size_t step) {
    const psg_engine *e = run->engine;
    const psg_gpu *w = psg_gpu_self(e);
    if (w->records && !w->marks_steps) {
        return;
    }
    const cudaEvent_t mark = w->marks[slot * e->chain_steps + step];
    const cudaStream_t stream = starpu_cuda_get_local_stream();
    const cudaError_t error = w->records
                                  ? record_beside(mark, stream)
                                  : cudaEventRecordWithFlags(mark, stream, cudaEventRecordDefault);
    (void)psg_gpu_check(run, (int)error, "cudaEventRecord");
}

/* ------------------------------------------------------------------------- chains as graphs */

/* Launching three kernels and three events one by one takes a core 15 to 20 us. On a small grid
 * they run no longer than that. As one graph it takes 6.5 us, and without the events 3.0 (H100 and
 * its host, 2026-11-24). So most runs are launched without events, and each step is said to have
 * taken the share that it took in the latest run with events. */

/* What the kernels of a chain were given: where its data are, what of the run they write, and what
 * the run's user says. */
typedef struct key {
    const void *pointer;
    size_t row_pitch, plane_pitch;
} key;

enum { PLAIN = 0, MARKED, GRAPHS };

typedef struct psg_replay {
    cudaGraphExec_t graph[GRAPHS]; /* without marks and with them; NULL: there are none yet */
    size_t seen;                   /* runs with this key */
    bool marked;                   /* the latest run was */
    uint64_t used;                 /* when, in psg_gpu.replayed; 0: never */
    /* [engine.chain_steps]: the share of the latest marked run's time that was left after each
     * step; NAN: not known */
    double *share;
    char *user; /* [engine.user_bytes] of these runs */
    key key[];  /* of their data, and of their result */
} psg_replay;

/* What the run has of its own comes last. */
enum { OWN = 1 };

static void drop_graphs(psg_replay *r) {
    for (int m = 0; m < GRAPHS; m++) {
        if (r->graph[m] != NULL) {
            (void)cudaGraphExecDestroy(r->graph[m]);
        }
        r->graph[m] = NULL;
    }
}

static void forget(psg_replay *r) {
    drop_graphs(r);
    r->seen = 0;
    r->marked = true;
    r->share[0] = NAN;
}

static psg_replay *replay_create(const psg_engine *e) {
    const size_t keys = (e->chain_steps + 1) * e->task_data + OWN;
    psg_replay *r = calloc(1, sizeof(psg_replay) + keys * sizeof(key) +
                                  e->chain_steps * sizeof(double) + e->user_bytes);
    if (r != NULL) {
        r->share = (double *)&r->key[keys];
        r->user = (char *)&r->share[e->chain_steps];
        forget(r);
    }
    return r;
}

static void replay_destroy(psg_replay *r) {
    if (r != NULL) {
        forget(r);
        free(r);
    }
}

/* Datum m of a run: one of its chain's task, or the run's own. */
static key key_of(const psg_run *run, void *buffers[], size_t count, size_t m) {
    return m < count ? (key){psg_task_pointer(buffers, m), psg_task_row_pitch(buffers, m),
                             psg_task_pitch(buffers, m)}
                     : (key){run->result, 0, 0};
}

static bool is_of(const psg_replay *r, const psg_run *run, void *buffers[], size_t count) {
    const size_t bytes = run->engine->user_bytes;
    bool same = r->seen > 0 && (bytes == 0 || memcmp(r->user, run->user, bytes) == 0);
    for (size_t m = 0; m < count + OWN && same; m++) {
        const key now = key_of(run, buffers, count, m);
        same = r->key[m].pointer == now.pointer && r->key[m].row_pitch == now.row_pitch &&
               r->key[m].plane_pitch == now.plane_pitch;
    }
    return same;
}

/* Finds the slot's graph of these data. Without one, the graph that was not used for longest
 * forgets its data, and gets these. */
static psg_replay *replay_of(psg_replay **replays, const psg_run *run, void *buffers[],
                             size_t count) {
    psg_replay *oldest = replays[0];
    for (size_t m = 0; m < TUNING_ARRAYS_KEPT; m++) {
        if (is_of(replays[m], run, buffers, count)) {
            return replays[m];
        }
        oldest = replays[m]->used < oldest->used ? replays[m] : oldest;
    }
    forget(oldest);
    for (size_t m = 0; m < count + OWN; m++) {
        oldest->key[m] = key_of(run, buffers, count, m);
    }
    if (run->engine->user_bytes > 0) {
        memcpy(oldest->user, run->user, run->engine->user_bytes);
    }
    return oldest;
}

/* If recording fails, the steps run one by one and report the error. @return NULL: recording
 * failed */
static cudaGraphExec_t record(psg_gpu *w, psg_run *run, void *buffers[],
                              void (*steps)(psg_run *run, void *buffers[])) {
    cudaStream_t stream = starpu_cuda_get_local_stream();
    cudaGraph_t graph = NULL;
    cudaGraphExec_t made = NULL;
    if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess) {
        w->records = true;
        w->recorded = true;
        steps(run, buffers);
        w->records = false;
        if (cudaStreamEndCapture(stream, &graph) != cudaSuccess || !w->recorded ||
            cudaGraphInstantiateWithFlags(&made, graph, 0) != cudaSuccess) {
            made = NULL;
        }
    }
    if (made != NULL) {
        (void)cudaGraphUpload(made,
                              stream); /* which its first launch would do, before the first step */
    }
    if (graph != NULL) {
        (void)cudaGraphDestroy(graph);
    }
    (void)cudaGetLastError();
    return made;
}

/* Both or none. */
static void record_both(psg_gpu *w, psg_replay *r, psg_run *run, void *buffers[],
                        void (*steps)(psg_run *run, void *buffers[])) {
    bool both = true;
    drop_graphs(r);
    for (int m = 0; m < GRAPHS && both; m++) {
        w->marks_steps = m == MARKED;
        r->graph[m] = record(w, run, buffers, steps);
        both = r->graph[m] != NULL;
    }
    if (!both) {
        drop_graphs(r);
    }
}

/* Is this run to have marks? The run that records the graphs waits for that before its first step,
 * which would seem too long: the run after it is the first whose marks count. */
static bool is_marked(const psg_replay *r, const psg_run *run) {
    return r->graph[PLAIN] == NULL || run->engine->record || isnan(r->share[0]) ||
           r->seen == TUNING_REPLAY_AFTER + 2 || r->seen % TUNING_MARKED_EVERY == 0;
}

void psg_gpu_replay(psg_run *run, size_t slot, void *buffers[], size_t count,
                    void (*steps)(psg_run *run, void *buffers[])) {
    psg_gpu *w = psg_gpu_self(run->engine);
    psg_replay *r = replay_of(&w->replays[slot * TUNING_ARRAYS_KEPT], run, buffers, count);
    r->used = ++w->replayed;
    if (r->seen++ == TUNING_REPLAY_AFTER) {
        record_both(w, r, run, buffers, steps);
    }
    r->marked = is_marked(r, run);
    w->latest[slot] = r;
    if (r->graph[PLAIN] == NULL) {
        steps(run, buffers);
    } else if (!psg_run_failed(run)) {
        (void)psg_gpu_check(run,
                            (int)cudaGraphLaunch(r->graph[r->marked ? MARKED : PLAIN],
                                                 starpu_cuda_get_local_stream()),
                            "the graph of a chain");
    }
    if (psg_run_failed(run)) {
        forget(r);
    }
}

/* An event beside the chain may be some microseconds late, and later than the next one. */
static bool marked_moments(const cudaEvent_t *mark, size_t steps, double *moment) {
    for (size_t s = steps - 1; s-- > 0;) {
        float milliseconds = 0;
        if (cudaEventElapsedTime(&milliseconds, mark[s], mark[steps - 1]) != cudaSuccess) {
            (void)cudaGetLastError();
            return false;
        }
        moment[s] = fmin(moment[steps - 1] - 1e3 * (double)milliseconds, moment[s + 1]);
    }
    return true;
}

bool psg_gpu_moments(const psg_run *run, size_t slot, size_t steps, const double between[2],
                     double *moment) {
    const psg_engine *e = run->engine;
    const psg_gpu *w = psg_gpu_self(e);
    const psg_replay *r = w->latest[slot];
    const double all = between[1] - between[0];
    if (psg_run_failed(run)) { /* its marks are an older run's */
        return false;
    }
    moment[steps - 1] = between[1];
    if (!r->marked) {
        for (size_t s = 0; s < steps; s++) {
            moment[s] = between[1] - r->share[s] * all;
        }
        return true;
    }
    const bool known = marked_moments(&w->marks[slot * e->chain_steps], steps, moment);
    for (size_t s = 0; s < steps; s++) {
        r->share[s] = known && all > 0 ? fmin((between[1] - moment[s]) / all, 1) : NAN;
    }
    return known;
}

/* ---------------------------------------------------------------------------- start and stop */

/* Of the tasks of a chain, for each slot. */
static int make_marks(psg_gpu *w, const psg_engine *e) {
    const size_t count = e->slots * e->chain_steps;
    int code = 0;
    w->marks = count > 0 ? calloc(count, sizeof(cudaEvent_t)) : NULL;
    for (size_t m = 0; m < count && code == 0; m++) {
        code = w->marks != NULL ? (int)cudaEventCreate(&w->marks[m]) : cudaErrorMemoryAllocation;
    }
    return code;
}

static int make_replays(psg_gpu *w, const psg_engine *e) {
    const size_t count = e->chain_steps > 0 ? e->slots * TUNING_ARRAYS_KEPT : 0;
    bool all = true;
    w->replays = count > 0 ? calloc(count, sizeof(psg_replay *)) : NULL;
    w->latest = count > 0 ? calloc(e->slots, sizeof(psg_replay *)) : NULL;
    for (size_t m = 0; m < count && all; m++) {
        all = w->replays != NULL && w->latest != NULL && (w->replays[m] = replay_create(e)) != NULL;
    }
    return all ? 0 : (int)cudaErrorMemoryAllocation;
}

void psg_gpu_destroy(psg_gpu *w, const psg_engine *e) {
    if (w == NULL) {
        return;
    }
    for (size_t m = 0; w->replays != NULL && m < e->slots * TUNING_ARRAYS_KEPT;
         m++) { /* they name all that follows */
        replay_destroy(w->replays[m]);
    }
    for (size_t m = 0; w->marks != NULL && m < e->slots * e->chain_steps; m++) {
        if (w->marks[m] != NULL) {
            (void)cudaEventDestroy(w->marks[m]);
        }
    }
    w->user->destroy(w->state, e->owner);
    free(w->replays);
    free(w->latest);
    free(w->marks);
    free(w);
}

int psg_gpu_create(psg_gpu **made, const psg_engine *e, const psg_gpu_user *user) {
    psg_gpu *w = calloc(1, sizeof *w);
    *made = NULL;
    if (w == NULL) {
        return cudaErrorMemoryAllocation;
    }
    w->user = user;
    int code = user->make(&w->state, e->owner);
    code = code == 0 ? make_marks(w, e) : code;
    code = code == 0 ? make_replays(w, e) : code;
    if (code != 0) {
        psg_gpu_destroy(w, e);
        (void)cudaGetLastError(); /* what was said is said */
        return code;
    }
    *made = w;
    return 0;
}

typedef struct preparation {
    const psg_engine *engine;
    const psg_gpu_user *user;
    psg_gpu **gpu;
    int *code; /* by worker */
} preparation;

/* StarPU does this too, but not where its environment says no, and not loudly where it fails.
 * @return a code of CUDA's */
static int open_peers(void) {
    const int self = starpu_worker_get_devid(starpu_worker_get_id_check());
    int id[STARPU_NMAXWORKERS];
    const unsigned count =
        starpu_worker_get_ids_by_type(STARPU_CUDA_WORKER, id, STARPU_NMAXWORKERS);
    int code = cudaSuccess;
    for (unsigned w = 0; w < count && code == cudaSuccess; w++) {
        const int other = starpu_worker_get_devid(id[w]);
        code = other != self ? (int)cudaDeviceEnablePeerAccess(other, 0) : cudaSuccess;
        code = code == cudaErrorPeerAccessAlreadyEnabled ? cudaSuccess : code;
    }
    (void)cudaGetLastError();
    return code;
}

static void start_worker(void *argument) {
    const preparation *p = argument;
    const int id = starpu_worker_get_id_check();
    psg_cuda_copies_open(starpu_worker_get_devid(id));
    p->code[id] = p->user->peers ? open_peers() : cudaSuccess;
    if (p->code[id] == cudaSuccess) {
        p->code[id] = psg_gpu_create(&p->gpu[id], p->engine, p->user);
    }
}

static void stop_worker(void *argument) {
    const preparation *p = argument;
    const int id = starpu_worker_get_id_check();
    psg_gpu_destroy(p->gpu[id], p->engine);
    psg_cuda_copies_close(starpu_worker_get_devid(id));
}

static void stop(psg_engine *engine) {
    preparation p = {.engine = engine, .gpu = engine->gpu};
    starpu_execute_on_each_worker(stop_worker, &p, STARPU_CUDA);
    free(engine->gpu);
    engine->gpu = NULL;
}

static psg_fault start(psg_engine *engine, const psg_gpu_user *user, char *words, size_t size) {
    preparation p = {.engine = engine,
                     .user = user,
                     .gpu = calloc(engine->workers, sizeof(psg_gpu *)),
                     .code = calloc(engine->workers, sizeof *p.code)};
    if (p.gpu == NULL || p.code == NULL) {
        free(p.gpu);
        free(p.code);
        (void)snprintf(words, size, "no memory");
        return PSG_FAULT_MEMORY;
    }
    engine->gpu = p.gpu;
    starpu_execute_on_each_worker(start_worker, &p, STARPU_CUDA);
    psg_fault fault = PSG_FAULT_NONE;
    for (size_t w = 0; w < engine->workers && fault == PSG_FAULT_NONE; w++) {
        if (p.code[w] != 0) {
            fault = user->is_memory(p.code[w]) ? PSG_FAULT_MEMORY : PSG_FAULT_DEVICE;
            (void)snprintf(words, size, "GPU %d: %s", starpu_worker_get_devid((int)w),
                           user->words(p.code[w]));
        }
    }
    free(p.code);
    if (fault != PSG_FAULT_NONE) {
        stop(engine);
    }
    return fault;
}

const psg_gpu_table psg_cuda_gpus = {.start = start, .stop = stop, .moments = psg_gpu_moments};
