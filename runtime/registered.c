#include "runtime/registered.h"
#include "runtime/task.h"
#if PSG_WITH_CUDA
#include "runtime/gpu_cuda.h"

#include <starpu_cuda.h>
#endif

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct codelets {
    struct starpu_perfmodel model[PSG_TASK_PRECISIONS];
    struct starpu_codelet codelet[PSG_TASK_PRECISIONS];
    char symbol[PSG_TASK_PRECISIONS][64];
} codelets;

typedef struct process_state {
    pthread_mutex_t lock;
    codelets *of_kind[PSG_KINDS_MOST];
} process_state;

static process_state process = {.lock = PTHREAD_MUTEX_INITIALIZER};

static psg_task task_of(void *buffers[], const psg_task_args *args) {
    return (psg_task){.owner = args->run->engine->owner,
                      .label = &args->label,
                      .buffers = buffers,
                      .worker = psg_task_worker(args)};
}

static void on_core(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    const psg_task task = task_of(buffers, args);
    if (!psg_run_failed(args->run)) {
        psg_kind_at(args->label.kind)->core(&task);
    }
}

#if PSG_WITH_CUDA
static void on_gpu(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    const psg_kind *kind = psg_kind_at(args->label.kind);
    psg_task task = task_of(buffers, args);
    task.state = psg_gpu_self(args->run->engine)->state;
    task.stream = starpu_cuda_get_local_stream();
    if (!psg_run_failed(args->run)) {
        (void)psg_gpu_check(args->run, kind->gpu(&task), kind->name);
    }
}
#define ON_GPU on_gpu
#else
#define ON_GPU on_core /* for a simulation, which never calls it */
#endif

void *psg_task_memory(const psg_task *task, size_t m) {
    return (void *)STARPU_BLOCK_GET_PTR(task->buffers[m]);
}

/* The same members as PSG_CODELET() sets. In a simulation all kinds have a function for GPUs, since
 * the machine may have their time there. */
static void fill(codelets *c, const psg_kind *kind) {
    static const char *const suffix[PSG_TASK_PRECISIONS] = {"f64", "f32"};
    for (int m = 0; m < PSG_TASK_PRECISIONS; m++) {
        (void)snprintf(c->symbol[m], sizeof c->symbol[m], "psg_%s_%s", kind->name, suffix[m]);
        c->model[m] = (struct starpu_perfmodel)PSG_CODELET_MODEL_OF(c->symbol[m]);
        c->codelet[m] = (struct starpu_codelet){.name = kind->name,
                                                .cpu_funcs = {on_core},
                                                .cpu_funcs_name = {"on_core"},
                                                .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                                .model = &c->model[m],
                                                .type = STARPU_FORKJOIN,
                                                .max_parallelism = 1};
        if (kind->gpu != NULL || PSG_SIMULATE) {
            c->codelet[m].cuda_funcs[0] = ON_GPU;
            c->codelet[m].cuda_flags[0] = STARPU_CUDA_ASYNC;
        }
    }
}

bool psg_registered_make(int kind) {
    (void)pthread_mutex_lock(&process.lock);
    codelets *made =
        process.of_kind[kind] != NULL ? process.of_kind[kind] : calloc(1, sizeof *made);
    if (made != NULL && process.of_kind[kind] == NULL) {
        fill(made, psg_kind_at(kind));
        process.of_kind[kind] = made;
    }
    (void)pthread_mutex_unlock(&process.lock);
    return made != NULL;
}

void psg_run_submit(psg_run *run, psg_label label, const psg_task_data *data, size_t groups) {
    const psg_task_args args = {.run = run, .label = label};
    if (psg_run_incomplete(run)) { /* what the missing task writes may be nowhere */
        return;
    }
    if (label.kind < 0 || label.kind >= PSG_KINDS_MOST || process.of_kind[label.kind] == NULL) {
        psg_run_fail(run, PSG_FAULT_SUBMIT, "a task of kind %d, which no engine has", label.kind);
        return;
    }
    psg_task_submit_data(process.of_kind[label.kind]->codelet, &args, data, groups);
}

void psg_run_gate(psg_run *run, psg_data data) {
    psg_task_gate(run, data, STARPU_RW);
}
