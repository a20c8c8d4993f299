#include "runtime/chain.h"

#include "runtime/gpu.h"
#include "runtime/simulation.h"
#include "runtime/step_list.h"
#include "runtime/task.h"

#if PSG_WITH_CUDA
#include "runtime/gpu_cuda.h"
#include "runtime/stream_order_cuda.h"
#endif

#include <math.h>

/* ------------------------------------------------------------------------------ running */

/* StarPU's buffers of the task are those of its data. */
static void share_buffers(psg_step_list *list, void *buffers[]) {
    for (size_t m = 0; m < list->uses; m++) {
        list->buffer[m] = buffers[list->number[m]];
    }
}

/* A core's clock is read as its steps end. When a GPU ended them is known later. */
static void chain_cpu(void *buffers[], void *argument) {
    psg_step_list *list = ((const psg_task_args *)argument)->run->steps;
    share_buffers(list, buffers);
    for (size_t s = 0; s < list->steps; s++) {
        psg_step *step = &list->step[s];
        step->on_cpu(&list->buffer[step->first], &step->args);
        list->moment[s + 1] = starpu_timing_now();
    }
}

#if PSG_WITH_CUDA
static void steps_cuda(psg_run *run, void *buffers[]) {
    psg_step_list *list = run->steps;
    share_buffers(list, buffers);
    for (size_t s = 0; s < list->steps; s++) {
        psg_step *step = &list->step[s];
        step->on_gpu(&list->buffer[step->first], &step->args);
        psg_gpu_mark(run, list->key[0], s);
    }
}

static void chain_cuda(void *buffers[], void *argument) {
    psg_run *run = ((const psg_task_args *)argument)->run;
    psg_stream_order_enter(run);
    psg_gpu_replay(run, run->steps->key[0], buffers, run->steps->count, steps_cuda);
    psg_stream_order_leave(run);
}
#endif

PSG_CODELET(chain);

/* In a simulation StarPU times only the whole chain. Here its steps divide that time. */
static void find_simulated_moments(psg_step_list *list, double end) {
    const int worker = starpu_worker_get_id(), gpu = starpu_worker_get_devid(worker);
    for (size_t s = list->steps; s-- > 0;) {
        list->moment[s + 1] = end;
        end -= 1e6 * psg_simulation_seconds(&list->step[s].args, gpu, worker);
    }
}

/* Runs on the worker before the data are released, as the end of any task. */
static void chain_ended(void *argument) {
    const struct starpu_task *task = argument;
    psg_run *run = ((const psg_task_args *)task->cl_arg)->run;
    psg_step_list *list = run->steps;
    double *moment = list->moment;
    double between[2];
    bool timed = psg_task_moments(task, between);
    moment[0] = between[0];
    if (timed && starpu_worker_get_type(starpu_worker_get_id_check()) == STARPU_CUDA_WORKER) {
        if (psg_gpus == NULL) {
            find_simulated_moments(list, between[1]);
        } else {
            timed = psg_gpus->moments(run, list->key[0], list->steps, between, &moment[1]);
        }
        /* StarPU takes it to begin when it has seen the end of the task before. */
        moment[0] = fmin(moment[0], moment[1]);
    }
    for (size_t s = 0; s < list->steps; s++) {
        psg_task_count(&list->step[s].args, timed ? &moment[s] : NULL);
    }
    psg_run_end_task(run);
}

/* ---------------------------------------------------------------------------- submitting */

/* Data that a step writes before any step reads them need not be there when the first begins. */
static size_t number_of(psg_step_list *list, const psg_step_data *use) {
    for (size_t m = 0; m < list->count; m++) {
        psg_step_data *data = &list->data[m];
        if (data->handle == use->handle) {
            data->mode |= data->mode == STARPU_W ? STARPU_W : use->mode;
            return m;
        }
    }
    list->data[list->count] = *use;
    return list->count++;
}

void psg_chain_submit(psg_run *run) {
    psg_step_list *list = run->steps;
    if (list->count == 0) { /* gathered anew */
        for (size_t m = 0; m < list->uses; m++) {
            list->number[m] = number_of(list, &list->use[m]);
        }
    }
    psg_task_args args = list->step[0].args;
    args.continues = true; /* the run's record has the steps */
    args.chain = list;
    struct starpu_task *task = psg_task_create(chain_codelet, &args, list->count);
    if (task != NULL) {
        task->epilogue_callback_func = chain_ended;
        for (size_t m = 0; m < list->count; m++) {
            psg_task_use(task, m, list->data[m].handle, list->data[m].mode);
        }
    }
    psg_task_submit(run, task);
}
