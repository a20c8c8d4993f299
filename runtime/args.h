/** @file args.h  What a task is told: which run it belongs to, and what it is about. */
#ifndef PSG_RUNTIME_ARGS_H
#define PSG_RUNTIME_ARGS_H

#include "runtime/run.h"

/** A task's arguments: plain data, copied into the task. */
typedef struct psg_task_args {
    psg_run *run;
    psg_label label;
    size_t messages; /**< to other processes that can go once it has ended */
    bool continues;  /**< a part of what was submitted before: one thing in the run's record */
    const struct psg_step_list *chain; /**< its steps, see chain.h; NULL: a task of its own */
    size_t number;                     /**< in the run's record; set at submission */
    void **buffers; /**< StarPU's interfaces of all its data, `pieces`; NULL: StarPU passes them */
    size_t pieces;
    int as_worker; /**< of a step of a team: 1 + the worker in whose place it is done; 0: StarPU
                      knows */
} psg_task_args;

/** StarPU's number of the worker that does this task; -1: there is none. */
static inline int psg_task_worker(const psg_task_args *args) {
    return args->as_worker > 0 ? args->as_worker - 1 : starpu_worker_get_id();
}

/** What the time of such a task depends on, as its kind says. */
static inline psg_task_shape psg_task_shape_of(const psg_task_args *args) {
    const psg_engine *engine = args->run->engine;
    const psg_kind *kind = psg_kind_at(args->label.kind);
    psg_task_shape shape = {.kind = args->label.kind,
                            .precision = engine->precision,
                            .axis = psg_label_axis(&args->label)};
    if (kind->shape != NULL) {
        kind->shape(engine->owner, &args->label, &shape);
    }
    return shape;
}

#endif
