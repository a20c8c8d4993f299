/* nothing: N tasks that do nothing, each with a number of its own, which says that it was there. */
#include "workloads/nothing.h"
#include "base/tuning.h"
#include "workloads/workload.h"

#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

static const size_t tasks_most = (size_t)1 << 20;

typedef struct problem {
    size_t tasks;
    psg_data *data; /* [tasks]: one number each */
} problem;

void nothing_cpu(double *number) {
    *number = 1;
}

static void on_core(const psg_task *task) {
    nothing_cpu(psg_task_memory(task, 0));
}

#ifdef WORKLOADS_CUDA
static int on_gpu(const psg_task *task) {
    return (int)nothing_cuda(psg_task_memory(task, 0), task->stream);
}
#endif

static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    (void)owner;
    (void)label;
    workload_shape(shape, 1, 1, 1, 1, 1);
}

static const psg_kind kinds[] = {
    {.name = "nothing", .core = on_core, .gpu = WORKLOAD_GPU(on_gpu), .shape = shape}};
static int first_kind;

static psg_status parse(void *memory, const char *size, const workload_options *how,
                        psg_precision precision) {
    problem *p = memory;
    const char *rest = workload_number(size, 1, tasks_most, &p->tasks);
    (void)how;
    (void)precision;
    return rest != NULL && rest[0] == '\0'
               ? PSG_OK
               : workload_fail(PSG_ERR_ARG,
                               "nothing:%s: the size is N, a whole number from 1 to %zu", size,
                               tasks_most);
}

static workload_needs needs(const void *memory, const psg_engine_workers *workers) {
    const double tasks = (double)((const problem *)memory)->tasks;
    (void)workers;
    return (workload_needs){tasks * TUNING_HANDLE_BYTES, tasks * TUNING_TASK_BYTES};
}

static void tell(const void *memory, char *text, size_t size) {
    (void)snprintf(text, size, "%zu empty tasks", ((const problem *)memory)->tasks);
}

static psg_status make(void *memory, const psg_work *work) {
    problem *p = memory;
    p->data = calloc(p->tasks, sizeof *p->data);
    psg_status status = p->data != NULL
                            ? PSG_OK
                            : workload_fail(PSG_ERR_MEMORY, "no memory for %zu tasks", p->tasks);
    for (size_t t = 0; t < p->tasks && status == PSG_OK; t++) {
        status = workload_hold(&p->data[t], work, 1, 1, 1, sizeof(double));
    }
    return status;
}

static void destroy(void *memory) {
    problem *p = memory;
    psg_data_free(p->data, p->data != NULL ? p->tasks : 0);
    free(p->data);
}

static void submit(psg_run *run, const void *memory) {
    const problem *p = memory;
    for (size_t t = 0; t < p->tasks; t++) {
        const psg_task_data data[] = {{&p->data[t], 1, 1, STARPU_W}};
        psg_run_submit(run, (psg_label){first_kind, {t, PSG_NO_INDEX, PSG_NO_INDEX}}, data, 1);
    }
}

static size_t answers(void *memory, workload_answer *list) {
    const problem *p = memory;
    double there = 0;
    for (size_t t = 0; t < p->tasks; t++) {
        const double *number = psg_data_acquire(p->data[t], false);
        if (number == NULL) {
            return 0;
        }
        there += *number;
        psg_data_release(p->data[t]);
    }
    list[0] = (workload_answer){.name = "tasks", .value = there, .expected = (double)p->tasks};
    return 1;
}

const workload_row workload_nothing = {
    .facts = {.name = "nothing",
              .about = "empty tasks: what a task costs without work",
              .sizes = "N: tasks"},
    .bytes = sizeof(problem),
    .kinds = kinds,
    .kind_count = 1,
    .first = &first_kind,
    .parse = parse,
    .needs = needs,
    .tell = tell,
    .make = make,
    .submit = submit,
    .answers = answers,
    .free = destroy,
};
