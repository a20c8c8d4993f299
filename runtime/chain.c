#include "runtime/chain.h"

#include "runtime/gpu.h"
#include "runtime/simulation.h"
#include "runtime/task.h"

#if PSG_WITH_CUDA
#include "runtime/gpu_cuda.h"
#include "runtime/stream_order_cuda.h"
#endif

#include <math.h>
#include <stdlib.h>

typedef struct step {
    starpu_cpu_func_t on_cpu;
    starpu_cuda_func_t on_gpu;
    size_t first; /* of its data in `use` */
} step;

struct psg_chain {
    size_t slot;
    size_t subject;      /* the number of its data */
    step *step;          /* [engine.chain_steps] */
    psg_task_args *args; /* [engine.chain_steps]: each step's */
    size_t steps;
    bool whole;  /* all that a run submits was gathered */
    size_t *use; /* by step, and by its data: which of all data */
    size_t uses;
    starpu_data_handle_t *data; /* each of them once */
    enum starpu_data_access_mode *mode;
    size_t count;
    void **buffers; /* a step's */
    double *moment; /* [engine.chain_steps + 1]: begins, and the last end, microseconds */
};

psg_chain *psg_chain_create(const psg_engine *engine) {
    const size_t steps = engine->chain_steps;
    psg_chain *c = calloc(1, sizeof *c);
    if (c == NULL) {
        return NULL;
    }
    c->step = calloc(steps + 1, sizeof *c->step);
    c->args = calloc(steps + 1, sizeof *c->args);
    c->use = calloc(psg_chain_data(engine), sizeof *c->use);
    c->data = calloc(psg_chain_data(engine), sizeof(starpu_data_handle_t));
    c->mode = calloc(psg_chain_data(engine), sizeof *c->mode);
    c->buffers = calloc(engine->task_data, sizeof *c->buffers);
    c->moment = calloc(steps + 1, sizeof *c->moment);
    if (c->step == NULL || c->args == NULL || c->use == NULL || c->data == NULL ||
        c->mode == NULL || c->buffers == NULL || c->moment == NULL) {
        psg_chain_destroy(c);
        return NULL;
    }
    return c;
}

void psg_chain_destroy(psg_chain *c) {
    if (c == NULL) {
        return;
    }
    free(c->step);
    free(c->args);
    free(c->use);
    free(c->data);
    free(c->mode);
    free(c->buffers);
    free(c->moment);
    free(c);
}

/* ------------------------------------------------------------------------------ running */

/* A core's clock is read as its steps go; of a GPU it is known later when it ended them. */
static void **buffers_of(psg_chain *c, size_t s, void *buffers[]) {
    const size_t first = c->step[s].first;
    const size_t end = s + 1 < c->steps ? c->step[s + 1].first : c->uses;
    for (size_t m = first; m < end; m++) {
        c->buffers[m - first] = buffers[c->use[m]];
    }
    return c->buffers;
}

static void chain_cpu(void *buffers[], void *argument) {
    psg_chain *c = ((const psg_task_args *)argument)->run->chain;
    for (size_t s = 0; s < c->steps; s++) {
        c->step[s].on_cpu(buffers_of(c, s, buffers), &c->args[s]);
        c->moment[s + 1] = starpu_timing_now();
    }
}

#if PSG_WITH_CUDA
static void steps_cuda(psg_run *run, void *buffers[]) {
    psg_chain *c = run->chain;
    for (size_t s = 0; s < c->steps; s++) {
        c->step[s].on_gpu(buffers_of(c, s, buffers), &c->args[s]);
        psg_gpu_mark(run, c->slot, s);
    }
}

static void chain_cuda(void *buffers[], void *argument) {
    psg_run *run = ((const psg_task_args *)argument)->run;
    psg_stream_order_enter(run);
    psg_gpu_replay(run, run->chain->slot, buffers, run->chain->count, steps_cuda);
    psg_stream_order_leave(run);
}
#endif

PSG_CODELET(chain);

/* StarPU let it take the time of all steps together. */
static void find_simulated_moments(psg_chain *c, double end) {
    const int worker = starpu_worker_get_id(), gpu = starpu_worker_get_devid(worker);
    for (size_t s = c->steps; s-- > 0;) {
        c->moment[s + 1] = end;
        end -= 1e6 * psg_simulation_seconds(&c->args[s], gpu, worker);
    }
}

/* Runs on the worker before the data are released, as the end of any task. */
static void chain_ended(void *argument) {
    const struct starpu_task *task = argument;
    psg_run *run = ((const psg_task_args *)task->cl_arg)->run;
    psg_chain *c = run->chain;
    double between[2];
    bool timed = psg_task_moments(task, between);
    c->moment[0] = between[0];
    if (timed && starpu_worker_get_type(starpu_worker_get_id_check()) == STARPU_CUDA_WORKER) {
        if (psg_gpus == NULL) {
            find_simulated_moments(c, between[1]);
        } else {
            timed = psg_gpus->moments(run, c->slot, c->steps, between, &c->moment[1]);
        }
        /* StarPU takes it to begin when it has seen the end of the task before. */
        c->moment[0] = fmin(c->moment[0], c->moment[1]);
    }
    for (size_t s = 0; s < c->steps; s++) {
        psg_task_count(&c->args[s], timed ? &c->moment[s] : NULL);
    }
    psg_run_end_task(run);
}

/* ---------------------------------------------------------------------------- gathering */

bool psg_chain_repeats(const psg_run *run, const size_t key[2]) {
    const psg_chain *c = run->chain;
    const psg_engine *e = run->engine;
    return c != NULL && c->slot == key[0] && c->subject == key[1] && c->whole && !e->record;
}

/* What a step writes before any reads it need not be there when the first begins. */
static size_t number_of(psg_chain *c, starpu_data_handle_t data,
                        enum starpu_data_access_mode mode) {
    for (size_t m = 0; m < c->count; m++) {
        if (c->data[m] == data) {
            c->mode[m] |= c->mode[m] == STARPU_W ? STARPU_W : mode;
            return m;
        }
    }
    c->data[c->count] = data;
    c->mode[c->count] = mode;
    return c->count++;
}

static void add(psg_run *run, struct starpu_task *task) {
    psg_chain *c = run->chain;
    const int count = STARPU_TASK_GET_NBUFFERS(task);
    c->args[c->steps] = *(const psg_task_args *)task->cl_arg;
    c->step[c->steps++] = (step){
        .on_cpu = task->cl->cpu_funcs[0], .on_gpu = task->cl->cuda_funcs[0], .first = c->uses};
    for (int m = 0; m < count; m++) {
        c->use[c->uses++] =
            number_of(c, STARPU_TASK_GET_HANDLE(task, m), STARPU_TASK_GET_MODE(task, m));
    }
    task->destroy = 0;
    starpu_task_destroy(task);
}

void psg_chain_begin(psg_run *run, const size_t key[2]) {
    psg_chain *c = run->chain;
    run->gather = add;
    c->slot = key[0];
    c->subject = key[1];
    c->steps = c->uses = c->count = 0;
    c->whole = false;
}

/* It goes where its first step would. */
void psg_chain_submit(psg_run *run) {
    psg_chain *c = run->chain;
    run->gather = NULL;
    c->whole = c->whole || !psg_run_failed(run);
    if (c->steps == 0) { /* there was no memory for one of them, and the run has failed */
        return;
    }
    psg_task_args args = c->args[0];
    args.continues = true; /* the run's record has the steps */
    args.step = c->args;
    args.steps = c->steps;
    struct starpu_task *task = psg_task_create(chain_codelet, &args, c->count);
    if (task != NULL) {
        task->epilogue_callback_func = chain_ended;
        for (size_t m = 0; m < c->count; m++) {
            psg_task_use(task, m, c->data[m], c->mode[m]);
        }
    }
    psg_task_submit(run, task);
}
