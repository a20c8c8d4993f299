/** @file gpu.h  What each GPU's worker keeps for an engine: what the owner's tasks need there, and what chains need. */
#ifndef PSG_RUNTIME_GPU_H
#define PSG_RUNTIME_GPU_H

#include "runtime/run.h"

/** What the owner of an engine keeps on each GPU. Codes are the owner's; 0: all is well. */
typedef struct psg_gpu_user {
    /** On the worker. @param[out] state  NULL after a failure */
    int (*make)(void **state, const void *owner);
    /** On the worker that made it; NULL is fine. */
    void (*destroy)(void *state, const void *owner);
    const char *(*words)(int code);
    bool (*is_memory)(int code); /**< is the GPU out of memory? */
    bool peers;                  /**< tasks write and read other GPUs' memory */
} psg_gpu_user;

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

/** What one worker keeps, made on that worker. @return 0; a code of the user's or of CUDA's: *gpu is NULL */
int psg_gpu_create(psg_gpu **gpu, const psg_engine *engine, const psg_gpu_user *user);
/** On the worker that made it. NULL is fine. */
void psg_gpu_destroy(psg_gpu *gpu, const psg_engine *engine);

/** Make engine->gpu, on each of StarPU's CUDA workers, by worker number.
 *  @param[in] user  the caller's as long as the engine
 *  @return PSG_FAULT_NONE; PSG_FAULT_MEMORY, _DEVICE: the words say why, and nothing is left */
psg_fault psg_gpu_start(psg_engine *engine, const psg_gpu_user *user, char *words, size_t size);
/** Undo psg_gpu_start(). Nothing where engine->gpu is NULL. */
void psg_gpu_stop(psg_engine *engine);

/** The calling worker's. */
psg_gpu *psg_gpu_self(const psg_engine *engine);

/** Latch an owner's code in the run. @return true if there was none */
bool psg_gpu_check(psg_run *run, int code, const char *what);

/** On a GPU's worker, note when its stream gets here: the end of a step of the run's chain. */
void psg_gpu_mark(psg_run *run, size_t slot, size_t step);
/** When the stream got to each of these in the slot's latest psg_gpu_replay(), which has ended. If that run was launched
 *  without marks, its time is divided in the ratios of the latest run with marks with the same data.
 *  @param[in]  between  when the run began, and when it got to the last, microseconds of starpu_timing_now()
 *  @param[out] moment   [steps], microseconds of starpu_timing_now()
 *  @return false: not known */
bool psg_gpu_moments(const psg_run *run, size_t slot, size_t steps, const double between[2],
                     double *moment);

/** Launch the steps of a chain on the worker's stream: one by one, or from the third run on with the same data as one
 *  graph of CUDA's. There are two graphs of the same data, without marks and with them: the second run by a graph has marks, then one in
 *  TUNING_MARKED_EVERY, or all if the engine records. The graphs of
 *  TUNING_ARRAYS_KEPT data are kept for each slot. What fails is the run's fault.
 *  @param[in] buffers  [count]: StarPU's, of the chain's task
 *  @param[in] steps    launches them one by one */
void psg_gpu_replay(psg_run *run, size_t slot, void *buffers[], size_t count,
                    void (*steps)(psg_run *run, void *buffers[]));

#endif
