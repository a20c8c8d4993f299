#include "runtime/task.h"

#include "runtime/chain.h"
#include "runtime/simulation.h"
#include "runtime/team.h"

#include <starpu_hash.h>

#include <stdlib.h>
#include <string.h>

const char *const psg_task_names[PSG_TASK_COUNT] = {
    [PSG_TASK_FFT_XY] = "fft_xy",         [PSG_TASK_PACK] = "pack",
    [PSG_TASK_UNPACK] = "unpack",         [PSG_TASK_FFT_Z] = "fft_z",
    [PSG_TASK_DIVIDE] = "divide",         [PSG_TASK_IFFT_Z] = "ifft_z",
    [PSG_TASK_IFFT_XY] = "ifft_xy",       [PSG_TASK_NORMALIZE] = "normalize",
    [PSG_TASK_FORWARD_XY] = "forward_xy", [PSG_TASK_KSPACE] = "kspace",
    [PSG_TASK_INVERSE_XY] = "inverse_xy", [PSG_TASK_EXCHANGE] = "exchange",
};

/* In the staged graph a spectrum is written as such, then as blocks, as a pencil, as blocks, and as
 * such again; what transforms or divides it in place may find it in a cache. Where it is not packed, the
 * transforms after the packs' place read and write it. */
static const psg_task_traffic task_moves[PSG_TASK_COUNT] = {
    [PSG_TASK_FFT_XY] = {.field_reads = 1, .spectrum_writes = 1},
    [PSG_TASK_PACK] = {.spectrum_writes = 1},
    [PSG_TASK_UNPACK] = {.spectrum_reads = 1, .spectrum_writes = 1},
    [PSG_TASK_IFFT_XY] = {.field_writes = 1},
    [PSG_TASK_FORWARD_XY] = {.field_reads = 1, .spectrum_writes = 1},
    [PSG_TASK_KSPACE] = {.spectrum_reads = 1, .spectrum_writes = 1},
    [PSG_TASK_INVERSE_XY] = {.spectrum_reads = 1, .field_writes = 1},
};

psg_task_traffic psg_task_moves(const psg_context *context, psg_task_kind kind) {
    psg_task_traffic moves = task_moves[kind];
    const bool segment = context->segment_is_block;
    const bool pencil = context->pencil_is_block;
    moves.spectrum_reads +=
        (kind == PSG_TASK_FFT_Z && pencil) || (kind == PSG_TASK_IFFT_XY && segment);
    moves.spectrum_writes += kind == PSG_TASK_IFFT_Z && pencil;
    return moves;
}

/* A segment's, a pencil's, and a segment's again. */
size_t psg_task_steps(const psg_context *context, psg_task_step steps[PSG_TASK_STEPS]) {
    const bool fused = context->fused;
    const bool packs[2] = {!fused && !context->segment_is_block,
                           !fused && !context->pencil_is_block};
    const struct {
        psg_task_step step;
        bool there;
    } all[] = {
        {{PSG_TASK_FORWARD_XY, false}, fused}, {{PSG_TASK_FFT_XY, false}, !fused},
        {{PSG_TASK_PACK, false}, packs[0]},    {{PSG_TASK_UNPACK, true}, packs[1]},
        {{PSG_TASK_KSPACE, true}, fused},      {{PSG_TASK_FFT_Z, true}, !fused},
        {{PSG_TASK_DIVIDE, true}, !fused},     {{PSG_TASK_IFFT_Z, true}, !fused},
        {{PSG_TASK_PACK, true}, packs[1]},     {{PSG_TASK_UNPACK, false}, packs[0]},
        {{PSG_TASK_IFFT_XY, false}, !fused},   {{PSG_TASK_NORMALIZE, false}, context->normalizes},
        {{PSG_TASK_INVERSE_XY, false}, fused},
    };
    size_t count = 0;
    for (size_t m = 0; m < sizeof all / sizeof *all; m++) {
        if (all[m].there) {
            steps[count++] = all[m].step;
        }
    }
    return count;
}

size_t psg_task_total(const psg_context *context) {
    psg_task_step step[PSG_TASK_STEPS];
    const size_t count = psg_task_steps(context, step);
    size_t total = 0;
    for (size_t m = 0; m < count; m++) {
        total += step[m].pencil ? context->pencils : context->segments;
    }
    return total;
}

/* Pieces that are in another GPU's memory, where a task writes and reads them: blocks of a segment,
 * and of a pencil where its rows go that it returns. */
static size_t remote_pieces(const psg_task_args *args) {
    const psg_context *c = args->run->context;
    const size_t m = args->index;
    size_t count = 0;
    for (size_t g = 0; c->direct != NULL && !args->pencil && g < c->bundles; g++) {
        count += c->pencil_worker[c->bundle_p0[g]] != c->segment_worker[m];
    }
    for (size_t s = 0; args->pencil && psg_returned_rows(c, m) > 0 && s < c->segments; s++) {
        count += c->segment_worker[s] != c->pencil_worker[m];
    }
    return count;
}

/* Rows that the task does not move itself, or if it is kspace, does. */
static size_t moved_by_kspace(const psg_task_args *args) {
    const psg_context *c = args->run->context;
    if (args->pencil) {
        return psg_returned_rows(c, args->index);
    }
    return args->kind == PSG_TASK_INVERSE_XY || c->fetched ? psg_all_returned_rows(c) : 0;
}

/* StarPU's own footprint of a block leaves the element size out, and adds handles up commutatively;
 * and blocks of the same shape take longer where they are, and rows beside them, elsewhere. Of a task
 * that has all of it on its GPU this begins with 0. */
uint32_t psg_task_footprint(struct starpu_task *task) {
    const psg_task_args *args = task->cl_arg;
    const size_t elsewhere[3] = {remote_pieces(args), moved_by_kspace(args),
                                 args->run->context->fetched};
    uint32_t hash = starpu_hash_crc32c_be_n(elsewhere, sizeof elsewhere, 0);
    const int count = STARPU_TASK_GET_NBUFFERS(task);
    for (int m = 0; m < count; m++) {
        const starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(task, m);
        const size_t shape[4] = {starpu_block_get_nx(handle), starpu_block_get_ny(handle),
                                 starpu_block_get_nz(handle), starpu_block_get_elemsize(handle)};
        hash = starpu_hash_crc32c_be_n(shape, sizeof shape, hash);
    }
    return hash;
}

psg_task_shape psg_task_shape_of(const psg_task_args *args) {
    const psg_context *c = args->run->context;
    const size_t m = args->index;
    return (psg_task_shape){
        .kind = args->kind,
        .precision = c->precision,
        .pencil = args->pencil,
        .n = {c->n[0], c->n[1], c->n[2]},
        .count = args->pencil ? c->y0[m + 1] - c->y0[m] : c->z0[m + 1] - c->z0[m],
        .pieces = args->pencil ? c->segments : c->bundles,
        .remote = remote_pieces(args),
        .returned = moved_by_kspace(args),
        .dense = c->packed,
    };
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
    const int worker = psg_task_worker(args);
    psg_run_messages_ready(run, args->messages);
    if (worker < 0 || (size_t)worker >= run->workers || args->kind == PSG_TASK_EXCHANGE) {
        return;
    }
    psg_run_cell *cell = &run->cell[(size_t)worker * PSG_TASK_COUNT + args->kind];
    cell->tasks++;
    if (between != NULL) {
        const psg_run_event event = {.kind = args->kind,
                                     .worker = worker,
                                     .rank = -1,
                                     .segment = args->pencil ? SIZE_MAX : args->index,
                                     .pencil = args->pencil ? args->index : SIZE_MAX,
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
    const struct starpu_task *task = argument;
    const psg_task_args *args = task->cl_arg;
    double between[2];
    const bool timed = psg_task_moments(task, between);
    psg_task_count(args, timed ? between : NULL);
    psg_run_end_task(args->run);
}

/* On the GPU that has the segment or pencil, if one does; else on any worker that may. */
static void place(struct starpu_task *task, const psg_task_args *args) {
    const psg_context *context = args->run->context;
    const int worker =
        args->kind == PSG_TASK_EXCHANGE
            ? -1
            : (args->pencil ? context->pencil_worker : context->segment_worker)[args->index];
    if (worker >= 0) {
        task->execute_on_a_specific_worker = 1;
        task->workerid = (unsigned)worker;
    } else {
        task->where = context->where;
    }
}

void psg_task_codelet_at(struct starpu_codelet copy[PSG_TASK_PRECISIONS],
                         const struct starpu_codelet codelet[PSG_TASK_PRECISIONS], int *nodes) {
    for (int m = 0; m < PSG_TASK_PRECISIONS; m++) {
        copy[m] = codelet[m];
        copy[m].specific_nodes = 1;
        copy[m].dyn_nodes = nodes;
    }
}

struct starpu_task *psg_task_create(struct starpu_codelet *codelet, const psg_task_args *args,
                                    size_t count) {
    struct starpu_task *task = starpu_task_create();
    psg_task_args *copy = malloc(sizeof *copy);
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
    task->cl = &codelet[args->run->context->precision];
    task->cl_arg = copy;
    task->cl_arg_size = sizeof *copy;
    task->cl_arg_free = 1;
    task->nbuffers = (int)count;
    place(task, args);
    task->epilogue_callback_func = task_ended;
    task->epilogue_callback_arg = task;
    return task;
}

/* The task, and what it reads and writes. */
static void record(psg_run *run, struct starpu_task *task) {
    psg_task_args *args = task->cl_arg;
    args->number = PSG_RECORD_NONE;
    if (!run->context->record || args->continues) {
        return;
    }
    args->number = psg_record_add(&run->record);
    const int count = STARPU_TASK_GET_NBUFFERS(task);
    for (int m = 0; m < count; m++) {
        const enum starpu_data_access_mode mode = STARPU_TASK_GET_MODE(task, m);
        psg_record_use_data(&run->record, STARPU_TASK_GET_HANDLE(task, m), mode & STARPU_R,
                            mode & STARPU_W);
    }
}

bool psg_task_hand_over(psg_run *run, struct starpu_task *task) {
    const size_t pieces = (size_t)STARPU_TASK_GET_NBUFFERS(task);
    psg_simulation_submit(pieces);
    const int result = starpu_task_submit(task);
    run->pieces += pieces;
    run->tasks++;
    run->in = starpu_timing_now();
    if (result != 0) {
        psg_run_fail(run, PSG_FAULT_SUBMIT, "StarPU did not take a task %s: %s", task->cl->name,
                     strerror(-result));
        task->destroy = 0;
        starpu_task_destroy(task);
    }
    return result == 0;
}

void psg_task_submit(psg_run *run, struct starpu_task *task) {
    if (task == NULL) {
        psg_run_fail(run, PSG_FAULT_SUBMIT, "no memory for a task");
        return;
    }
    record(run, task);
    if (psg_chain_gathers(run)) {
        psg_chain_add(run, task);
        return;
    }
    if (psg_teamwork_gathers(run)) {
        psg_teamwork_add(run, task);
        return;
    }
    psg_run_begin_task(run);
    if (!psg_task_hand_over(run, task)) {
        psg_run_end_task(run);
    }
}

void psg_task_submit_one(struct starpu_codelet *codelet, const psg_task_args *args,
                         starpu_data_handle_t handle, enum starpu_data_access_mode mode) {
    struct starpu_task *task = psg_task_create(codelet, args, 1);
    if (task != NULL) {
        psg_task_use(task, 0, handle, mode);
    }
    psg_task_submit(args->run, task);
}
