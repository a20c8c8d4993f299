/** @file task.h  What every codelet is made of: models, one way to submit, the end of a task. */
#ifndef PSG_RUNTIME_TASK_H
#define PSG_RUNTIME_TASK_H

#include "runtime/args.h"

#include <starpu.h>

#if PSG_SIMULATE
#include "runtime/simulation.h"
#endif

/** Flags in the mode of psg_task_data. PSG_DATA_PHASED: the phases of the run order the tasks that
 *  use the data, see psg_phases. StarPU gets the first piece of such a group, in place of all of
 *  them. psg_task_submit_data() marks the other pieces by PSG_DATA_BEHIND. */
enum { PSG_DATA_PHASED = 1 << 24, PSG_DATA_BEHIND = 1 << 25 };

/** The codelet of a kind of task, for each precision, with a performance model of its own. A file
 *  that defines the functions KIND_cpu and, with CUDA, KIND_cuda says PSG_CODELET(kind) and has the
 *  table kind_codelet. FORKJOIN with no parallelism means one core: some policies hand any codelet
 *  to several workers, and of those only a FORKJOIN codelet's leader runs it. */
#if PSG_SIMULATE
#define PSG_CODELET_MODEL_OF(name)                                                                 \
    { .type = STARPU_PER_ARCH, .symbol = (name), .arch_cost_function = psg_simulation_cost }
#else
#define PSG_CODELET_MODEL_OF(name)                                                                 \
    { .type = STARPU_HISTORY_BASED, .symbol = (name), .footprint = psg_task_footprint }
#endif
#define PSG_CODELET_MODEL(kind, suffix) PSG_CODELET_MODEL_OF("psg_" #kind "_" #suffix)
#if PSG_WITH_CUDA
#define PSG_CODELET_CUDA(kind) .cuda_funcs = {kind##_cuda}, .cuda_flags = {STARPU_CUDA_ASYNC},
#elif PSG_SIMULATE /* never called */
#define PSG_CODELET_CUDA(kind) .cuda_funcs = {kind##_cpu}, .cuda_flags = {STARPU_CUDA_ASYNC},
#else
#define PSG_CODELET_CUDA(kind)
#endif
#define PSG_CODELET_ENTRY(kind, index)                                                             \
    {                                                                                              \
        .name = #kind, .cpu_funcs = {kind##_cpu}, .cpu_funcs_name = {#kind "_cpu"},                \
        PSG_CODELET_CUDA(kind).nbuffers = STARPU_VARIABLE_NBUFFERS, .model = &kind##_model[index], \
        .type = STARPU_FORKJOIN, .max_parallelism = 1                                              \
    }
#define PSG_CODELET(kind)                                                                          \
    static struct starpu_perfmodel kind##_model[PSG_TASK_PRECISIONS] = {                           \
        [PSG_TASK_F64] = PSG_CODELET_MODEL(kind, f64),                                             \
        [PSG_TASK_F32] = PSG_CODELET_MODEL(kind, f32),                                             \
    };                                                                                             \
    static struct starpu_codelet kind##_codelet[PSG_TASK_PRECISIONS] = {                           \
        [PSG_TASK_F64] = PSG_CODELET_ENTRY(kind, PSG_TASK_F64),                                    \
        [PSG_TASK_F32] = PSG_CODELET_ENTRY(kind, PSG_TASK_F32),                                    \
    }

/** When a task began and ended, as StarPU tells once it has ended, on the clock of
 * starpu_timing_now().
 *  @return false: StarPU does not tell, and both are 0 */
bool psg_task_moments(const struct starpu_task *task, double between[2]);

/** Count a task in its run, and let the messages go that wait for it. The task's worker calls it
 *  when the task has ended, and before StarPU knows that.
 *  @param[in] between  when it began and ended, as starpu_timing_now(); NULL: not known */
void psg_task_count(const psg_task_args *args, const double between[2]);

/** Footprint of a task for its model: the blocks on other GPUs, what it moves of them and its
 * variant, then shape and element size of each piece of data. */
uint32_t psg_task_footprint(struct starpu_task *task);

/** A copy of a kind's codelets for data on given memory nodes, by number among the task's data.
 *  @param[in] nodes  the caller's as long as the copy; NULL: where the tasks run */
void psg_task_codelet_at(struct starpu_codelet copy[PSG_TASK_PRECISIONS],
                         const struct starpu_codelet codelet[PSG_TASK_PRECISIONS], int *nodes);

/** A task of `count` pieces of data; then psg_task_use() for each, then psg_task_submit().
 *  @param[in] codelet  the table of its kind, by precision
 *  @return NULL: no memory */
struct starpu_task *psg_task_create(struct starpu_codelet *codelet, const psg_task_args *args,
                                    size_t count);

/** Piece m of the task's data, and whether it is read (STARPU_R), written (STARPU_W) or both. */
static inline void psg_task_use(struct starpu_task *task, size_t m, starpu_data_handle_t handle,
                                enum starpu_data_access_mode mode) {
    STARPU_TASK_SET_HANDLE(task, handle, (int)m);
    STARPU_TASK_SET_MODE(task, mode, (int)m);
}

/** Submit the task, or mark the run as failed; its end is timed and counted in its run.
 *  @param[in] task  NULL marks the run as failed for want of memory */
void psg_task_submit(psg_run *run, struct starpu_task *task);

/** A task without work: those that use the data and are submitted later begin when those before
 *  have ended. */
void psg_task_gate(psg_run *run, starpu_data_handle_t handle, enum starpu_data_access_mode mode);

/** What both kinds of task have in common, those of the run and those that only move data: StarPU
 *  gets the task, and the run counts its data.
 *  @return false: StarPU did not take it; the run is marked as failed, and the task is gone */
bool psg_task_hand_over(psg_run *run, struct starpu_task *task);

/** Create a task, tell StarPU what it uses, in this order, and submit it.
 *  @param[in] data  [groups] */
void psg_task_submit_data(struct starpu_codelet *codelet, const psg_task_args *args,
                          const psg_task_data *data, size_t groups);

/** The block (a StarPU interface) behind buffer m of a task: its address where the task runs. */
static inline void *psg_task_pointer(void *buffers[], size_t m) {
    return (void *)STARPU_BLOCK_GET_PTR(buffers[m]);
}

/** Elements from one plane of it to the next: a block may be a view into the spectrum of its
 * segment, and f and u may have gaps. */
static inline size_t psg_task_pitch(void *buffers[], size_t m) {
    return STARPU_BLOCK_GET_LDZ(buffers[m]);
}

/** Elements from one row to the next. Only those of f and u may have gaps between them. */
static inline size_t psg_task_row_pitch(void *buffers[], size_t m) {
    return STARPU_BLOCK_GET_LDY(buffers[m]);
}

#endif
