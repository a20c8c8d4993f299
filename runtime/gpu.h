/** @file gpu.h  What each GPU's worker keeps for an engine: what the owner's tasks need there, and
 * what chains need. */
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

/** What GPUs do for an engine. */
typedef struct psg_gpu_table {
    /** See psg_gpu_start(), psg_gpu_stop(). */
    psg_fault (*start)(psg_engine *engine, const psg_gpu_user *user, char *words, size_t size);
    void (*stop)(psg_engine *engine);
    /** When the stream got to the end of each step in the slot's latest chain, which has ended. A
     * run without marks has its time divided in the ratios of the latest run with marks with the
     * same data.
     *  @param[in]  between  when the run began, and when it got to the last, microseconds of
     * starpu_timing_now()
     *  @param[out] moment   [steps], microseconds of starpu_timing_now()
     *  @return false: not known */
    bool (*moments)(const psg_run *run, size_t slot, size_t steps, const double between[2],
                    double *moment);
} psg_gpu_table;

/** Those of gpu_cuda.c, where that is built. */
extern const psg_gpu_table psg_cuda_gpus;

/** NULL: built without CUDA; GPUs are simulated, and keep nothing. */
extern const psg_gpu_table *const psg_gpus;

/** Make engine->gpu, on each of StarPU's CUDA workers, by worker number.
 *  @param[in] user  the caller's as long as the engine
 *  @return PSG_FAULT_NONE; PSG_FAULT_MEMORY, _DEVICE: the words say why, and nothing is left */
psg_fault psg_gpu_start(psg_engine *engine, const psg_gpu_user *user, char *words, size_t size);
/** Undo psg_gpu_start(). Nothing where engine->gpu is NULL. */
void psg_gpu_stop(psg_engine *engine);

#endif
