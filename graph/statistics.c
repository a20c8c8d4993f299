#include "graph/plan_struct.h"
#include "graph/status.h"
#include "runtime/copies.h"
#include "runtime/device.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

_Static_assert((int)PSG_STAGE_GRADIENT_XY == (int)PSG_TASK_GRADIENT_XY, "in one order");
_Static_assert((int)PSG_STAGE_NORMALIZE == (int)PSG_TASK_NORMALIZE, "in one order");
_Static_assert((int)PSG_STAGE_EXCHANGE == (int)PSG_TASK_EXCHANGE, "in one order");
_Static_assert((int)PSG_STAGE_MOST == (int)PSG_KINDS_MOST - 1, "all kinds have a number");

const char *psg_stage_name(psg_stage stage) {
    return (size_t)stage < psg_kind_count() ? psg_kind_at((int)stage)->name : NULL;
}

/* Bytes that StarPU has moved over each kind of link: it forgets them whenever it tells. */
typedef struct process_state {
    pthread_mutex_t lock;
    uint64_t bytes[PSG_COPY_WAYS];
} process_state;

static process_state process = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_gpu(unsigned node) {
    return starpu_node_get_kind(node) == STARPU_CUDA_RAM;
}

static void count_moved(void) {
    for (int bus = 0; bus < starpu_bus_get_count(); bus++) {
        struct starpu_profiling_bus_info info;
        const bool from_gpu = is_gpu((unsigned)starpu_bus_get_src(bus));
        const bool to_gpu = is_gpu((unsigned)starpu_bus_get_dst(bus));
        if (starpu_bus_get_profiling_info(bus, &info) != 0 || info.transferred_bytes <= 0 ||
            (!from_gpu && !to_gpu)) {
            continue;
        }
        const psg_copy_way way = !from_gpu ? PSG_COPY_H2D : !to_gpu ? PSG_COPY_D2H : PSG_COPY_D2D;
        process.bytes[way] += (uint64_t)info.transferred_bytes;
    }
}

static void count_transfers(psg_link_statistics links[PSG_LINK_COUNT]) {
    psg_copy_sum sums[PSG_COPY_WAYS];
    pthread_mutex_lock(&process.lock);
    count_moved();
    psg_device_read_copies();
    psg_copies_sums(sums);
    for (int way = 0; way < PSG_COPY_WAYS; way++) {
        psg_link_statistics *link = &links[way]; /* psg_link begins with the ways */
        link->bytes = process.bytes[way] + sums[way].task_bytes;
        link->seconds = link->bytes == 0 || psg_device_times_copies() ? sums[way].seconds : NAN;
    }
    pthread_mutex_unlock(&process.lock);
}

static psg_submit_statistics submitted(const psg_history *history) {
    return (psg_submit_statistics){.seconds = history->submit_seconds,
                                   .tasks = history->tasks,
                                   .pieces = history->pieces,
                                   .starpu_tasks = history->starpu_tasks,
                                   .placed_tasks = history->placed_tasks,
                                   .executor = (psg_executor)history->executor};
}

psg_status(psg_work_statistics)(const psg_work *work, psg_run_statistics *statistics,
                                size_t struct_size) {
    psg_clear_error();
    if (work == NULL || statistics == NULL) {
        return psg_fail(PSG_ERR_ARG, "work or statistics is NULL");
    }
    const psg_history *h = &work->latest;
    psg_run_statistics s = {
        .struct_size = struct_size,
        .make_seconds = work->make_seconds,
        .workers = work->workers->usable_count,
        .runs = work->runs,
        .submitted = h->submitted,
        .seconds = h->seconds,
        .submit = submitted(h),
        .link[PSG_LINK_MESSAGE] = {h->sent_bytes, h->messages.seconds},
    };
    count_transfers(s.link);
    memset(statistics, 0, struct_size);
    memcpy(statistics, &s, struct_size < sizeof s ? struct_size : sizeof s);
    return PSG_OK;
}

psg_status psg_work_tasks(const psg_work *work, psg_kind_tasks *list, size_t capacity,
                          size_t *count) {
    psg_clear_error();
    if (work == NULL || count == NULL || (list == NULL && capacity > 0)) {
        return psg_fail(PSG_ERR_ARG, "work, count or list is NULL");
    }
    *count = 0;
    for (size_t kind = 0; kind < work->engine->kinds; kind++) {
        psg_kind_tasks tasks = {.stage = (psg_stage)kind};
        for (size_t w = 0; w < work->engine->workers; w++) {
            const psg_run_cell *cell = &work->latest.cell[w * work->engine->kinds + kind];
            const bool gpu = starpu_worker_get_type((int)w) == STARPU_CUDA_WORKER;
            tasks.tasks[gpu] += cell->tasks;
            tasks.seconds[gpu] += cell->seconds;
        }
        if (tasks.tasks[0] + tasks.tasks[1] > 0) {
            if (*count < capacity) {
                list[*count] = tasks;
            }
            (*count)++;
        }
    }
    return PSG_OK;
}

/* By the first task of each segment and of each sheet: the part of this process times the cores'
 * share, where there are several solves in an iteration. */
static void count_cpu_parts(const psg_plan *plan, psg_statistics *s) {
    const psg_layout *l = &plan->context.layout;
    const size_t own[2] = {psg_parts_length(&l->segments, l->segments.own, 2),
                           psg_parts_length(&l->sheets, l->sheets.own, 1) * l->nxc / l->row};
    size_t cores[2] = {0, 0};
    size_t all[2] = {0, 0};
    for (size_t m = 0; m < plan->work.latest.events.count; m++) {
        const psg_run_event *event = &plan->work.latest.events.event[m];
        const int kind = event->label.kind;
        const bool row = psg_label_solves(&event->label) || kind == PSG_TASK_FFT_Z;
        if (event->worker >= 0 && (row || kind == PSG_TASK_FORWARD_XY || kind == PSG_TASK_FFT_XY)) {
            const bool core = starpu_worker_get_type(event->worker) == STARPU_CPU_WORKER;
            cores[row] += core ? event->shape.count : 0;
            all[row] += event->shape.count;
        }
    }
    s->cpu_planes = all[0] > 0 ? cores[0] * own[0] / all[0] : 0;
    s->cpu_rows = all[1] > 0 ? cores[1] * own[1] / all[1] : 0;
}

/* Brackets keep the header's macro of the same name away. */
psg_status(psg_plan_statistics)(const psg_plan *plan, psg_statistics *statistics,
                                size_t struct_size) {
    psg_clear_error();
    if (plan == NULL || statistics == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan or statistics is NULL");
    }
    const psg_parts *segments = &plan->context.layout.segments;
    psg_statistics s = {
        .struct_size = struct_size,
        .solves = plan->work.runs,
        .submitted = plan->work.latest.submitted,
        .seconds = plan->work.latest.seconds,
        .mean = plan->past.mean,
        .copied_bytes = (uint64_t)plan->past.copied_bytes,
        .plan_seconds = plan->work.make_seconds,
        .segments = segments->count,
        .sheets = plan->context.layout.sheets.count,
        .segment_planes = psg_parts_largest(segments, (psg_range){0, segments->count}, 2),
        .returned_rows = psg_overlap_rows_all(&plan->context.layout),
        .fetched_rows = plan->context.layout.overlap.pulled_rows,
        .workers = plan->workers.usable_count,
        .exchange = plan->route.exchange->is,
        .graph = plan->problem.options.graph,
        .z_layout = plan->problem.options.z_layout,
        .tuned = plan->problem.tuned,
        .ranks = plan->processes.ranks,
        .rank = plan->processes.rank,
        .submit = submitted(&plan->work.latest),
        .scratch_bytes = plan->storage.scratch_bytes,
        .iterations = plan->past.pcg.steps,
        .residual = plan->past.pcg.residual,
    };
    for (size_t m = 0; m < plan->storage.workspace_count; m++) {
        const psg_workspace *workspace = plan->storage.workspaces[m];
        s.spectrum_bytes +=
            workspace->bytes + (workspace->beside != NULL ? workspace->beside->bytes : 0);
    }
    for (size_t w = 0; w < plan->workers.count; w++) {
        const psg_run_cell *cell = &plan->work.latest.cell[w * plan->context.engine.kinds];
        for (size_t stage = 0; stage < PSG_STAGE_COUNT; stage++) {
            s.stage[stage].tasks += cell[stage].tasks;
            s.stage[stage].seconds += cell[stage].seconds;
        }
    }
    count_cpu_parts(plan, &s);
    s.stage[PSG_STAGE_EXCHANGE] = (psg_stage_statistics){
        .tasks = plan->work.latest.messages.tasks, .seconds = plan->work.latest.messages.seconds};
    s.link[PSG_LINK_MESSAGE] =
        (psg_link_statistics){plan->work.latest.sent_bytes, plan->work.latest.messages.seconds};
    count_transfers(s.link);
    memset(statistics, 0, struct_size);
    memcpy(statistics, &s, struct_size < sizeof s ? struct_size : sizeof s);
    return PSG_OK;
}

psg_status psg_plan_memory(const psg_plan *plan, int *spectrum_on_gpus, double *gpu_bytes_free) {
    psg_clear_error();
    if (plan == NULL || spectrum_on_gpus == NULL || gpu_bytes_free == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan, spectrum_on_gpus or gpu_bytes_free is NULL");
    }
    *spectrum_on_gpus = plan->route.on_gpus;
    *gpu_bytes_free = plan->placement.left;
    return PSG_OK;
}

psg_status psg_plan_worker_seconds(const psg_plan *plan, size_t w, double *seconds) {
    psg_clear_error();
    if (plan == NULL || seconds == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan or seconds is NULL");
    }
    if (w >= plan->workers.usable_count) {
        return psg_fail(PSG_ERR_ARG, "worker %zu: the plan has %zu", w, plan->workers.usable_count);
    }
    for (size_t stage = 0; stage < PSG_STAGE_COUNT; stage++) {
        seconds[stage] =
            plan->work.latest
                .cell[(size_t)plan->workers.usable[w] * plan->context.engine.kinds + stage]
                .seconds;
    }
    return PSG_OK;
}
