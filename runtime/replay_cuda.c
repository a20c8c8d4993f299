/* To hand over three kernels and three events one by one takes 15 to 20 us, as long as they run where a
 * grid is small. As one graph 64^3 takes 42 us instead of 46, 256^3 in f32 244 instead of 253 (H200). */
#include "codelets/cuda.h"
#include "runtime/task.h"

#include <cuda_runtime.h>
#include <starpu_cuda.h>
#include <stdlib.h>

/* What the kernels of a chain were given: where its data are, and what of the run they write. */
typedef struct key {
    const void *pointer;
    size_t pitch;
} key;

struct psg_cuda_replay {
    cudaGraphExec_t graph; /* NULL: there is none yet */
    size_t seen;           /* solves in a row with this key */
    bool refused;          /* no graph could be made of it */
    key key[];             /* of the data of the solve before, and of its run */
};

/* The run's own two come last. A graph is made where so many solves before had the same. */
enum { OWN = 2, PATIENCE = 2 };

psg_cuda_replay *psg_cuda_replay_create(size_t data) {
    return calloc(1, sizeof(psg_cuda_replay) + (data + OWN) * sizeof(key));
}

static void forget(psg_cuda_replay *r) {
    if (r->graph != NULL) {
        (void)cudaGraphExecDestroy(r->graph);
    }
    r->graph = NULL;
    r->seen = 0;
    r->refused = false;
}

void psg_cuda_replay_destroy(psg_cuda_replay *r) {
    if (r != NULL) {
        forget(r);
        free(r);
    }
}

/* @return is it what it was? */
static bool notice(psg_cuda_replay *r, const psg_run *run, void *buffers[], size_t count) {
    bool same = true;
    for (size_t m = 0; m < count + OWN; m++) {
        const key now = m < count ? (key){psg_task_pointer(buffers, m), psg_task_pitch(buffers, m)}
                                  : (key){m == count ? run->mode0 : run->nonfinite, 0};
        same = same && r->key[m].pointer == now.pointer && r->key[m].pitch == now.pitch;
        r->key[m] = now;
    }
    return same;
}

/* What fails meanwhile is said by the steps themselves, which follow one by one then. */
static void record(psg_cuda_worker *w, psg_cuda_replay *r, psg_run *run, void *buffers[],
                   psg_cuda_steps steps) {
    cudaStream_t stream = starpu_cuda_get_local_stream();
    cudaGraph_t graph = NULL;
    cudaGraphExec_t made = NULL;
    r->refused = true;
    if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess) {
        w->records = true;
        w->recorded = true;
        steps(run, buffers);
        w->records = false;
        if (cudaStreamEndCapture(stream, &graph) == cudaSuccess && w->recorded &&
            cudaGraphInstantiateWithFlags(&made, graph, 0) == cudaSuccess) {
            r->graph = made;
            r->refused = false;
        }
    }
    if (graph != NULL) {
        (void)cudaGraphDestroy(graph);
    }
    (void)cudaGetLastError();
}

void psg_cuda_replay_run(psg_cuda_worker *w, size_t slot, psg_run *run, void *buffers[],
                         size_t count, psg_cuda_steps steps) {
    psg_cuda_replay *r = w->replays[slot];
    if (!notice(r, run, buffers, count)) {
        forget(r);
    }
    if (r->graph == NULL && !r->refused && r->seen++ >= PATIENCE) {
        record(w, r, run, buffers, steps);
    }
    if (r->graph == NULL) {
        steps(run, buffers);
    } else if (!psg_run_failed(run)) {
        (void)psg_cuda_check(run, (int)cudaGraphLaunch(r->graph, starpu_cuda_get_local_stream()),
                             "the graph of a chain");
    }
    if (psg_run_failed(run)) {
        forget(r);
    }
}
