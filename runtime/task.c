#include "runtime/task.h"

#include "runtime/simulation.h"

#include <starpu_hash.h>

#include <stdlib.h>
#include <string.h>

/* StarPU's own footprint of a block leaves the element size out, and adds handles up in any order.
 * Blocks of the same shape take longer on another GPU, so the hash begins with what is there;
 * without any it begins with 0. */
uint32_t psg_task_footprint(struct starpu_task *task) {
    const psg_task_args *args = task->cl_arg;
    const psg_task_shape part = psg_task_shape_of(args);
    const double elsewhere[3] = {(double)part.remote, part.moved, part.variant};
    uint32_t hash = starpu_hash_crc32c_be_n(elsewhere, sizeof elsewhere, 0);
    const size_t count =
        args->buffers != NULL ? args->pieces : (size_t)STARPU_TASK_GET_NBUFFERS(task);
    for (size_t m = 0; m < count; m++) {
        const struct starpu_block_interface *block =
            args->buffers != NULL ? args->buffers[m]
                                  : starpu_data_get_interface_on_node(
                                        STARPU_TASK_GET_HANDLE(task, (int)m), STARPU_MAIN_RAM);
        const size_t shape[4] = {block->nx, block->ny, block->nz, block->elemsize};
        hash = starpu_hash_crc32c_be_n(shape, sizeof shape, hash);
    }
    return hash;
}

static double microseconds(const struct timespec *time) {
    return (double)time->tv_sec * 1e6 + (double)time->tv_nsec * 1e-3;
}

bool psg_task_moments(const struct starpu_task *task, double between[2]) {
    const struct starpu_profiling_task_info *info = task->profiling_info;
    between[0] = between[1] = 0;
    if (info != NULL) {
        between[0] = microseconds(&info->start_time) + 1e6 * psg_simulation_gap(task->cl_arg);
        between[1] = microseconds(&info->end_time);
    }
    return info != NULL;
}

void psg_task_count(const psg_task_args *args, const double between[2]) {
    psg_run *run = args->run;
    const psg_engine *e = run->engine;
    const int worker = psg_task_worker(args);
    psg_run_messages_ready(run, args->messages);
    if (worker < 0 || (size_t)worker >= e->workers || psg_kind_at(args->label.kind)->travels) {
        return;
    }
    psg_run_cell *cell = &run->cell[(size_t)worker * e->kinds + (size_t)args->label.kind];
    cell->tasks++;
    if (between != NULL) {
        const psg_run_event event = {.label = args->label,
                                     .worker = worker,
                                     .rank = -1,
                                     .shape = psg_task_shape_of(args),
                                     .number = args->number,
                                     .start = between[0],
                                     .end = between[1]};
        cell->seconds += (event.end - event.start) * 1e-6;
        psg_run_keep_event(run, &event);
    }
}

/* Runs on the worker before the data are released: nothing waits for this task yet. */
static void task_ended(void *argument) {
    struct starpu_task *task = argument;
    const psg_task_args *args = task->cl_arg;
    void (*const last_left)(void *) = args->run->engine->last_left;
    double between[2];
    const bool timed = psg_task_moments(task, between);
    psg_task_count(args, timed ? between : NULL);
    task->callback_func = psg_run_end_task(args->run) ? last_left : NULL;
}

/* Where a task may run that no worker has by its part. */
static uint32_t where_of(const psg_task_args *args) {
    const psg_engine *e = args->run->engine;
    const psg_kind *kind = psg_kind_at(args->label.kind);
    const bool gpus = psg_simulation_on_gpus(args->label.kind, e->precision);
    uint32_t where = gpus ? e->where : e->where & STARPU_CPU;
    if (kind->seconds != NULL) {
        where &= (kind->seconds(e->owner, &args->label, false) > 0 ? STARPU_CPU : 0) |
                 (kind->seconds(e->owner, &args->label, true) > 0 ? STARPU_CUDA : 0);
    }
    return where;
}

/* A task runs on the worker that has its part. Where no worker has the part, it runs on any that
 * may. StarPU itself ends a task that moves data between processes, once the data are there. */
static void choose_worker(struct starpu_task *task, const psg_task_args *args) {
    const psg_engine *e = args->run->engine;
    const psg_kind *kind = psg_kind_at(args->label.kind);
    const int worker = kind->worker != NULL ? kind->worker(e->owner, &args->label) : -1;
    if (worker >= 0) {
        task->execute_on_a_specific_worker = 1;
        task->workerid = (unsigned)worker;
    } else {
        task->where = kind->travels ? STARPU_NOWHERE : where_of(args);
        task->workerids = (uint32_t *)(uintptr_t)e->only; /* StarPU reads it */
        task->workerids_len = e->only_words;
    }
    if (kind->priority != NULL) {
        const int wanted = kind->priority(e->owner, &args->label);
        const int least = starpu_sched_get_min_priority();
        const int most = starpu_sched_get_max_priority();
        task->priority = wanted < least ? least : wanted > most ? most : wanted;
    }
}

void psg_task_codelet_at(struct starpu_codelet copy[PSG_TASK_PRECISIONS],
                         const struct starpu_codelet codelet[PSG_TASK_PRECISIONS], int *nodes) {
    for (int m = 0; m < PSG_TASK_PRECISIONS; m++) {
        copy[m] = codelet[m];
        copy[m].specific_nodes = nodes != NULL;
        copy[m].dyn_nodes = nodes;
    }
}

struct starpu_task *psg_task_create(struct starpu_codelet *codelet, const psg_task_args *args,
                                    size_t count) {
    struct starpu_task *task = starpu_task_create();
    const size_t bytes = sizeof(psg_task_args) + count * sizeof(void *); /* psg_task_args.buffers */
    psg_task_args *copy = malloc(bytes);
    const bool many = count > STARPU_NMAXBUFS;
    if (many) { /* freed by StarPU with the task */
        task->dyn_handles = malloc(count * sizeof *task->dyn_handles);
        task->dyn_modes = malloc(count * sizeof *task->dyn_modes);
    }
    if (copy == NULL || (many && (task->dyn_handles == NULL || task->dyn_modes == NULL))) {
        free(copy);
        task->destroy = 0; /* else it is StarPU's to destroy, and it says so loudly */
        starpu_task_destroy(task);
        return NULL;
    }
    *copy = *args;
    task->cl = &codelet[args->run->engine->precision];
    task->cl_arg = copy;
    task->cl_arg_size = bytes;
    task->cl_arg_free = 1;
    task->nbuffers = (int)count;
    choose_worker(task, args);
    task->epilogue_callback_func = task_ended;
    task->epilogue_callback_arg = task;
    return task;
}

static unsigned use_of(enum starpu_data_access_mode mode) {
    const unsigned reads = (mode & STARPU_R) != 0 ? PSG_USE_READS : 0;
    const unsigned writes = (mode & STARPU_W) != 0 ? PSG_USE_WRITES : 0;
    return (mode & (STARPU_REDUX | STARPU_COMMUTE)) != 0 ? PSG_USE_ADDS : reads | writes;
}

/* The task, and what it reads and writes. */
static void record(psg_run *run, struct starpu_task *task) {
    psg_task_args *args = task->cl_arg;
    args->number = PSG_RECORD_NONE;
    if (!run->engine->record || args->continues) {
        return;
    }
    args->number = psg_record_add(&run->events.record);
    const int count = STARPU_TASK_GET_NBUFFERS(task);
    for (int m = 0; m < count; m++) {
        const starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(task, m);
        psg_record_use_data(&run->events.record, handle, use_of(STARPU_TASK_GET_MODE(task, m)),
                            starpu_data_get_size(handle));
    }
}

bool psg_task_hand_over(psg_run *run, struct starpu_task *task) {
    const size_t pieces = (size_t)STARPU_TASK_GET_NBUFFERS(task);
    const int where = task->where >= 0 || task->cl == NULL ? task->where : (int)task->cl->where;
    const bool placed = !task->execute_on_a_specific_worker && where != STARPU_NOWHERE;
    psg_simulation_submit(pieces);
    const int result = starpu_task_submit(task);
    run->pieces += pieces;
    run->tasks++;
    run->handed.tasks++;
    run->handed.placed += placed;
    run->in = starpu_timing_now();
    if (result != 0) {
        psg_run_fail(run, PSG_FAULT_SUBMIT, "StarPU did not take a task %s: %s", task->cl->name,
                     strerror(-result));
        task->destroy = 0;
        starpu_task_destroy(task);
    }
    return result == 0;
}

/* heteroprio looks at the codelet's `where`, and not at the task's. */
static struct starpu_codelet gate_codelet = {
    .name = "gate", .where = STARPU_NOWHERE, .nbuffers = STARPU_VARIABLE_NBUFFERS};

static void passed(void *run) {
    psg_run_end_task(run);
}

void psg_task_gate(psg_run *run, starpu_data_handle_t handle, enum starpu_data_access_mode mode) {
    struct starpu_task *task = starpu_task_create();
    task->cl = &gate_codelet;
    task->where = STARPU_NOWHERE;
    task->nbuffers = 1;
    psg_task_use(task, 0, handle, mode);
    task->epilogue_callback_func = passed;
    task->epilogue_callback_arg = run;
    psg_run_begin_task(run);
    if (!psg_task_hand_over(run, task)) {
        psg_run_end_task(run);
    }
}

/* Of the phased data StarPU gets the first of each group, and what orders the phases; the task
 * finds all of them in its arguments. */
static void join_phase(psg_run *run, struct starpu_task *task) {
    psg_phases *phases = run->phases;
    psg_task_args *args = task->cl_arg;
    const int axis = psg_label_axis(&args->label);
    const size_t count = (size_t)STARPU_TASK_GET_NBUFFERS(task);
    void **buffers = (void **)(args + 1);
    int modes = 0;
    size_t kept = 0;
    for (size_t m = 0; m < count; m++) {
        const starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(task, (int)m);
        const int mode = (int)STARPU_TASK_GET_MODE(task, (int)m);
        buffers[m] = starpu_data_get_interface_on_node(handle, STARPU_MAIN_RAM);
        modes |= mode;
        if ((mode & PSG_DATA_BEHIND) == 0) {
            psg_task_use(task, kept++, handle,
                         (enum starpu_data_access_mode)(mode & ~PSG_DATA_PHASED));
        }
    }
    if ((modes & PSG_DATA_PHASED) == 0) {
        return;
    }
    if (phases->axis != axis) {
        psg_task_gate(run, phases->between, STARPU_W);
        phases->axis = axis;
    }
    psg_task_use(task, kept++, phases->between, STARPU_R);
    task->nbuffers = (int)kept;
    args->buffers = buffers;
    args->pieces = count;
}

void psg_task_submit(psg_run *run, struct starpu_task *task) {
    if (task == NULL) {
        psg_run_fail(run, PSG_FAULT_SUBMIT, "no memory for a task");
        return;
    }
    record(run, task);
    if (run->gather != NULL) {
        run->gather(run, task);
        return;
    }
    if (run->phases != NULL) {
        join_phase(run, task);
    }
    psg_run_begin_task(run);
    if (!psg_task_hand_over(run, task)) {
        psg_run_end_task(run);
    }
}

void psg_task_submit_data(struct starpu_codelet *codelet, const psg_task_args *args,
                          const psg_task_data *data, size_t groups) {
    size_t count = 0;
    for (size_t g = 0; g < groups; g++) {
        count += data[g].count;
    }
    const bool phased = args->run->phases != NULL && args->run->gather == NULL;
    struct starpu_task *task = psg_task_create(codelet, args, count + (phased ? 1 : 0));
    size_t m = 0;
    for (size_t g = 0; g < groups && task != NULL; g++) {
        const int plain = data[g].mode & ~PSG_DATA_PHASED;
        const int behind = phased && plain != data[g].mode ? PSG_DATA_BEHIND : 0;
        for (size_t k = 0; k < data[g].count; k++) {
            const int mode = k > 0 ? plain | behind : phased ? data[g].mode : plain;
            psg_task_use(task, m++, data[g].handle[k * data[g].stride],
                         (enum starpu_data_access_mode)mode);
        }
    }
    if (task != NULL) {
        task->nbuffers = (int)count;
    }
    psg_task_submit(args->run, task);
}
