/** @file codelet.h  What codelets are made of, those of a solve and those of workloads. */
#ifndef PSG_CODELETS_CODELET_H
#define PSG_CODELETS_CODELET_H

#include "codelets/context.h"
#include "runtime/task.h"
#if PSG_WITH_CUDA
#include "codelets/cuda.h"

#include <starpu_cuda.h>
#endif

/** Make KIND_codelet, as PSG_CODELET() does, of two functions, which are called unless the run has
 *  failed:
 *      void on_core(void *buffers[], const psg_task_args *args)
 *      int on_gpu(void *buffers[], const psg_task_args *args)
 *  on_core does the task. on_gpu launches it on the worker's stream, and returns 0 or a code for
 *  psg_gpu_check(); it is not there without CUDA. Both get their kind with the label: two kinds
 *  that are alike have the same functions. */
#define PSG_SOLVER_CODELET(kind, on_core, on_gpu)                                                  \
    PSG_SOLVER_CPU(kind, on_core)                                                                  \
    PSG_SOLVER_CUDA(kind, on_gpu)                                                                  \
    PSG_CODELET(kind)
#define PSG_SOLVER_CPU(kind, on_core)                                                              \
    static void kind##_cpu(void *buffers[], void *argument) {                                      \
        const psg_task_args *args = argument;                                                      \
        if (!psg_run_failed(args->run)) {                                                          \
            on_core(args->buffers != NULL ? args->buffers : buffers, args);                        \
        }                                                                                          \
    }
#if PSG_WITH_CUDA
#define PSG_SOLVER_CUDA(kind, on_gpu)                                                              \
    static void kind##_cuda(void *buffers[], void *argument) {                                     \
        const psg_task_args *args = argument;                                                      \
        if (!psg_run_failed(args->run)) {                                                          \
            (void)psg_gpu_check(args->run, on_gpu(buffers, args), #kind);                          \
        }                                                                                          \
    }
#else
#define PSG_SOLVER_CUDA(kind, on_gpu)
#endif

/** Submit the task with this label, and let the messages go that wait for it. For data, see
 * psg_task_submit_data(). */
static inline void psg_solver_submit(psg_run *run, struct starpu_codelet *codelet, psg_label label,
                                     const psg_task_data *data, size_t groups) {
    const psg_task_args args = {
        .run = run, .label = label, .messages = psg_messages_after(psg_context_of(run), &label)};
    psg_task_submit_data(codelet, &args, data, groups);
}

#endif
