/** @file gpu_cuda.h  What each GPU's worker keeps, and chains on its stream, for what else uses
 * CUDA. */
#ifndef PSG_RUNTIME_GPU_CUDA_H
#define PSG_RUNTIME_GPU_CUDA_H

#include "runtime/gpu.h"

typedef struct psg_gpu {
    void *state; /**< the owner's */
    const psg_gpu_user *user;
    struct CUevent_st **marks;   /**< [engine.slots][engine.chain_steps]; NULL: no chained tasks */
    struct psg_replay **replays; /**< [engine.slots][TUNING_ARRAYS_KEPT]; NULL: no chained tasks */
    struct psg_replay **latest;  /**< [engine.slots]: the one that psg_gpu_replay() used last */
    uint64_t replayed;           /**< calls of psg_gpu_replay() */
    bool records;                /**< what is launched now is captured into a CUDA graph */
    bool recorded; /**< and all of it has succeeded. Else nothing ran that a run could fail for */
    bool marks_steps; /**< psg_gpu_mark() is captured too */
} psg_gpu;

/** What one worker keeps, made on that worker. @return 0; a code of the user's or of CUDA's: *gpu
 * is NULL */
int psg_gpu_create(psg_gpu **gpu, const psg_engine *engine, const psg_gpu_user *user);
/** On the worker that made it. NULL is fine. */
void psg_gpu_destroy(psg_gpu *gpu, const psg_engine *engine);

/** The calling worker's. */
psg_gpu *psg_gpu_self(const psg_engine *engine);

/** Latch an owner's code in the run. @return true if there was none */
bool psg_gpu_check(psg_run *run, int code, const char *what);

/** On a GPU's worker, note when its stream gets here: the end of a step of the run's chain. */
void psg_gpu_mark(psg_run *run, size_t slot, size_t step);
/** As psg_gpu_table.moments. */
bool psg_gpu_moments(const psg_run *run, size_t slot, size_t steps, const double between[2],
                     double *moment);

/** Launch the steps of a chain on the worker's stream: one by one, or from the third run on with
 * the same data as one graph of CUDA's. There are two graphs of the same data, without marks and
 * with them: the second run by a graph has marks, then one in TUNING_MARKED_EVERY, or all if the
 * engine records. The graphs of TUNING_ARRAYS_KEPT data are kept for each slot. What fails is the
 * run's fault.
 *  @param[in] buffers  [count]: StarPU's, of the chain's task
 *  @param[in] steps    launches them one by one */
void psg_gpu_replay(psg_run *run, size_t slot, void *buffers[], size_t count,
                    void (*steps)(psg_run *run, void *buffers[]));

#endif
