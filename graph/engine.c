/* Engines of programs with tasks of their own: psg_task.h. */
#include "codelets/gpu.h"
#include "codelets/kinds.h"
#include "graph/block.h"
#include "graph/options.h"
#include "graph/psg_machine.h"
#include "graph/ranks.h"
#include "graph/rates.h"
#include "graph/start.h"
#include "graph/status.h"
#include "graph/transfer_log.h"
#include "graph/work.h"
#include "graph/workers.h"
#include "runtime/machine_times.h"
#include "runtime/message.h"
#include "runtime/registered.h"
#include "runtime/runs.h"
#include "runtime/simulation.h"

#include <limits.h>
#include <stdlib.h>

/* An engine is a work with what belongs to it. */
typedef struct engine {
    psg_work work;
    psg_engine_args args;
    psg_workers workers;
    psg_engine engine;
    psg_gpu_user gpu_user;
    psg_run *run;
    psg_submission submission; /* of the run that has been started */
    double most[2];            /* cores and GPUs of the process that has the most */
    bool left;                 /* MPI still has memory of messages that were given up */
} engine;

/* A message that came is known from its end on. */
static void tell_event(const psg_work *work, const psg_run_event *from, psg_event *event) {
    (void)work;
    event->start = from->received ? from->end : from->start;
}

static const psg_work_rules rules = {.event = tell_event};

/* @return NULL: it is a plan's */
static engine *engine_of(const psg_work *work) {
    return work != NULL && work->rules == &rules ? (engine *)(uintptr_t)work->owner : NULL;
}

/* ----------------------------------------------------------------------------------- options */

static psg_status check_options(psg_options *checked, const char *name,
                                const psg_options *options) {
    const psg_status status = psg_options_check(checked, options);
    if (status != PSG_OK) {
        return status;
    }
    if (checked->nodes > 1) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "%s is for one simulated node", name);
    }
    if (checked->cpus != 0 && checked->gpus != 0) { /* StarPU starts all that are not left out */
        checked->cpu_share = 1;
    }
    return PSG_OK;
}

/* ------------------------------------------------------------------------------------ making */

static psg_status check_workers(const engine *e) {
    for (size_t m = 0; m < e->args.kind_count && e->workers.cpu_count == 0; m++) {
        const int kind = e->args.kinds[m];
        if (!psg_simulation_on_gpus(kind, e->engine.precision)) {
            return psg_fail(PSG_ERR_UNSUPPORTED,
                            "there is no worker for %s, which cores alone run: %s needs a core",
                            psg_kind_at(kind)->name, e->args.name);
        }
    }
    return PSG_OK;
}

/* As psg_simulation_check() for a plan. */
static psg_status check_simulation(const engine *e) {
    const psg_machine *machine = psg_simulation_machine();
    const bool used[2] = {e->workers.cpu_count > 0, e->workers.gpu_count > 0};
    for (size_t m = 0; machine != NULL && m < 2 * e->args.kind_count; m++) {
        const psg_task_shape shape = {.kind = e->args.kinds[m / 2],
                                      .precision = e->engine.precision};
        const bool gpu = m % 2 == 1;
        if (used[gpu] && !(gpu && psg_kind_at(shape.kind)->cores) &&
            psg_kind_at(shape.kind)->seconds == NULL && !psg_machine_knows(machine, gpu, &shape)) {
            return psg_fail(PSG_ERR_UNSUPPORTED,
                            "machine %s: it is not recorded how long %s takes on a %s",
                            machine->name, psg_kind_at(shape.kind)->name, gpu ? "GPU" : "core");
        }
    }
    return PSG_OK;
}

static psg_status start_gpus(engine *e) {
    char words[192] = "";
    if (e->workers.gpu_count == 0) {
        return PSG_OK;
    }
    psg_runtime_awake();
    e->gpu_user = psg_gpu_stateless();
    if (e->args.make != NULL) {
        e->gpu_user.make = e->args.make;
        e->gpu_user.destroy = e->args.destroy;
    }
    if (e->args.words != NULL) {
        e->gpu_user.words = e->args.words;
        e->gpu_user.is_memory = e->args.is_memory;
    }
    const psg_fault fault = psg_gpu_start(&e->engine, &e->gpu_user, words, sizeof words);
    psg_runtime_rest();
    return fault == PSG_FAULT_NONE
               ? PSG_OK
               : psg_fail(psg_fault_status(fault), "the GPUs could not be prepared: %s", words);
}

static psg_status set_engine(engine *e, const psg_options *options) {
    const bool gpus = e->workers.gpu_count > 0;
    const bool cpus = e->workers.cpu_count > 0;
    e->engine =
        (psg_engine){.owner = e->args.owner,
                     .precision = options->precision == PSG_F32 ? PSG_TASK_F32 : PSG_TASK_F64,
                     .where = (gpus ? STARPU_CUDA : 0) | (cpus ? STARPU_CPU : 0),
                     .kinds = psg_kind_count(),
                     .record = options->record != 0,
                     .polls = gpus && !cpus,
                     .comm = e->engine.comm,
                     .slots = 1};
    psg_workers_tell(&e->engine, &e->workers);
    e->work = (psg_work){.rules = &rules,
                         .owner = e,
                         .engine = &e->engine,
                         .workers = &e->workers,
                         .calibrate = options->calibrate != 0,
                         .memory_files = psg_memory_files(options)};
    bool all = psg_history_open(&e->work.latest, &e->engine);
    for (size_t m = 0; m < e->args.kind_count && all; m++) {
        all = psg_registered_make(e->args.kinds[m]);
    }
    e->run = all ? psg_run_create(&e->engine) : NULL;
    return e->run != NULL ? PSG_OK : psg_fail(PSG_ERR_MEMORY, "no memory for an engine");
}

static psg_status make(engine *e, const psg_options *options) {
    psg_status status = psg_workers_list(&e->workers, options);
    if (status == PSG_OK && e->workers.usable_count == 0) {
        status = psg_fail(PSG_ERR_NODEV, "StarPU runs without a worker that could be used");
    }
    status = status == PSG_OK ? set_engine(e, options) : status;
    status = status == PSG_OK ? check_workers(e) : status;
    status = status == PSG_OK ? check_simulation(e) : status;
    return status == PSG_OK ? start_gpus(e) : status;
}

/* What all processes do together, once each has an engine. Messages consist of bytes. */
static psg_status join(engine *e) {
    psg_comm *comm = e->engine.comm;
    e->most[0] = (double)e->workers.cpu_count;
    e->most[1] = (double)e->workers.gpu_count;
    const psg_status status = psg_ranks_max(comm, e->most, 2);
    if (status != PSG_OK || comm == NULL) {
        return status;
    }
    e->engine.row_bytes = 1;
    e->engine.channel = psg_comms->connect(comm, e->engine.row_bytes, 0);
    return e->engine.channel != NULL ? PSG_OK : psg_fail(PSG_ERR_RUNTIME, "%s", comm->words);
}

static void free_engine(engine *e) {
    if (e->left) { /* MPI may still write there */
        return;
    }
    psg_run_destroy(e->run);
    if (e->engine.channel != NULL) {
        psg_comms->disconnect(e->engine.channel);
    }
    if (e->engine.gpu != NULL) {
        psg_runtime_awake();
        psg_gpu_stop(&e->engine);
        psg_runtime_rest();
    }
    psg_work_forget(&e->work);
    free(e->workers.usable);
    free(e);
}

/* As a plan begins: from here on no process goes on alone, nor stops alone. @param[out] comm  NULL:
 * one process */
static psg_status begin(psg_options *checked, const char *name, const psg_options *options,
                        psg_comm **comm) {
    const psg_status right = check_options(checked, name, options);
    psg_status status = psg_ranks_open(comm, checked); /* wrong options have their comm, too */
    if (status == PSG_OK) {
        status = psg_ranks_agree(*comm, right);
    }
    if (status != PSG_OK) {
        return status;
    }
    const psg_status mine = psg_runtime_acquire(checked, *comm, "");
    status = psg_ranks_agree(*comm, mine);
    if (status != PSG_OK && mine == PSG_OK) {
        psg_runtime_release(*comm);
    }
    return status;
}

psg_status psg_engine_create(psg_work **work, const psg_engine_args *args,
                             const psg_options *options) {
    const double before = psg_clock();
    psg_options checked;
    psg_clear_error();
    if (work == NULL || args == NULL || args->name == NULL ||
        (args->kinds == NULL && args->kind_count > 0)) {
        return psg_fail(PSG_ERR_ARG, "work, args, name or kinds is NULL");
    }
    *work = NULL;
    for (size_t m = 0; m < args->kind_count; m++) {
        const int kind = args->kinds[m];
        if (kind < 0 || (size_t)kind >= psg_kind_count() || psg_kind_at(kind)->core == NULL) {
            return psg_fail(PSG_ERR_ARG, "kinds[%zu] = %d: psg_kind_register() gave no such number",
                            m, kind);
        }
    }
    psg_comm *comm = NULL;
    psg_status status = begin(&checked, args->name, options, &comm);
    if (status != PSG_OK) {
        return status;
    }
    engine *e = calloc(1, sizeof *e);
    if (e != NULL) {
        e->args = *args;
        e->engine.comm = comm;
        status = make(e, &checked);
    } else {
        status = psg_fail(PSG_ERR_MEMORY, "no memory for an engine");
    }
    status = psg_ranks_agree(comm, status);
    if (status == PSG_OK) {
        status = join(e);
    }
    if (status != PSG_OK) {
        if (e != NULL) {
            free_engine(e);
        }
        psg_runtime_release(comm);
        return status;
    }
    e->work.make_seconds = psg_clock() - before;
    *work = &e->work;
    return PSG_OK;
}

void psg_engine_destroy(psg_work *work) {
    engine *e = engine_of(work);
    psg_clear_error();
    if (e != NULL) {
        psg_comm *comm = e->engine.comm;
        free_engine(e);
        psg_runtime_release(comm);
    }
}

psg_engine_workers psg_engine_find_workers(const psg_work *work) {
    const engine *e = engine_of(work);
    psg_engine_workers found = {.count = 0};
    if (e != NULL) {
        found.count = e->workers.count;
        found.cpus = e->workers.cpu_count;
        found.gpus = e->workers.gpu_count;
        found.usable = e->workers.usable;
        found.copies = e->workers.copies;
        found.simulated = psg_simulated();
        found.rank = e->engine.comm != NULL ? e->engine.comm->rank : 0;
        found.ranks = e->engine.comm != NULL ? e->engine.comm->ranks : 1;
        found.node_ranks = e->engine.comm != NULL ? e->engine.comm->node_ranks : 1;
        found.most_cpus = (size_t)e->most[0];
        found.most_gpus = (size_t)e->most[1];
    }
    return found;
}

psg_status psg_engine_agree(psg_work *work, psg_status status) {
    const engine *e = engine_of(work);
    return e != NULL ? psg_ranks_agree(e->engine.comm, status) : status;
}

psg_status psg_engine_sum(psg_work *work, double *values, size_t count) {
    const engine *e = engine_of(work);
    psg_clear_error();
    return e != NULL && (values != NULL || count == 0)
               ? psg_ranks_sum(e->engine.comm, values, count)
               : psg_fail(PSG_ERR_ARG, "work or values is NULL, or the work is a plan's");
}

psg_status psg_engine_messages(psg_work *work, size_t most) {
    engine *e = engine_of(work);
    psg_clear_error();
    if (e == NULL) {
        return psg_fail(PSG_ERR_ARG, "work is NULL, or a plan's");
    }
    const bool room = psg_run_want_messages(e->run, most, 1);
    e->engine.messages = room ? most : e->engine.messages;
    return psg_ranks_agree(e->engine.comm,
                           room ? PSG_OK
                                : psg_fail(PSG_ERR_MEMORY, "no memory for %zu messages", most));
}

void psg_engine_awake(void) {
    psg_runtime_awake();
}

void psg_engine_rest(void) {
    psg_runtime_rest();
}

/* -------------------------------------------------------------------------------------- data */

psg_status psg_data_make(psg_data *data, const psg_work *work, const size_t n[3],
                         size_t element_bytes) {
    psg_clear_error();
    if (data == NULL || n == NULL || work == NULL) {
        return psg_fail(PSG_ERR_ARG, "data, work or n is NULL");
    }
    *data = NULL;
    return psg_block_make(data, work->workers, n, element_bytes)
               ? PSG_OK
               : psg_fail(PSG_ERR_MEMORY, "no memory for %zu x %zu x %zu elements of %zu bytes",
                          n[0], n[1], n[2], element_bytes);
}

void psg_data_take(psg_data *data, void *memory, const size_t n[3], size_t row_pitch,
                   size_t plane_pitch, size_t element_bytes) {
    psg_block_register_rows(data, STARPU_MAIN_RAM, memory, n, row_pitch, plane_pitch,
                            element_bytes);
}

void *psg_data_acquire(psg_data data, bool writes) {
    psg_runtime_awake();
    const int result =
        starpu_data_acquire_on_node(data, STARPU_MAIN_RAM, writes ? STARPU_W : STARPU_R);
    psg_runtime_rest();
    return result == 0 ? (void *)starpu_block_get_local_ptr(data) : NULL;
}

void psg_data_release(psg_data data) {
    starpu_data_release_on_node(data, STARPU_MAIN_RAM);
}

void psg_data_free(psg_data *list, size_t count) {
    psg_block_unregister(list, count);
}

/* -------------------------------------------------------------------------------------- runs */

psg_run *psg_engine_start(psg_work *work) {
    engine *e = engine_of(work);
    if (e == NULL) {
        return NULL;
    }
    psg_transfers_begin(work, true);
    e->run->awake = true;
    e->run->executor = PSG_EXECUTOR_TASKS;
    e->submission = psg_work_start(work, e->run, work->runs);
    return e->run;
}

psg_status psg_engine_wait(psg_work *work) {
    engine *e = engine_of(work);
    psg_clear_error();
    if (e == NULL) {
        return psg_fail(PSG_ERR_ARG, "work is NULL, or a plan's");
    }
    psg_work_submitted(e->run, e->submission);
    e->left = psg_work_wait(e->run) || e->left;
    psg_work_keep(work, e->run, e->submission.program);
    psg_transfers_end(work, e->run);
    psg_runtime_rest();
    return psg_ranks_agree(e->engine.comm, psg_fail_run(e->run));
}

/* @return NULL: a wrong message, which fails the run; the process at its other end gets none */
static const char *check_message(const psg_run *run, const psg_travel *how, size_t bytes) {
    const psg_comm *comm = run->engine->comm;
    return comm == NULL || how->rank < 0 || how->rank >= comm->ranks || how->rank == comm->rank
               ? "there is no such process"
           : how->tag < 0 || (size_t)how->tag > psg_comms->most_tags() ? "MPI has no such tag"
           : bytes > INT_MAX                                           ? "it is too long"
           : run->messages.transfers == run->engine->messages
               ? "psg_engine_messages() made no room for it"
               : NULL;
}

/* One message of an engine's waits for none of the others. */
static psg_message message_of(psg_run *run, psg_data data, const psg_travel *how) {
    const size_t element = starpu_block_get_elemsize(data);
    const bool whole = how->runs == 0;
    const size_t bytes = whole ? starpu_data_get_size(data) : how->length * element;
    const char *wrong = check_message(run, how, bytes * (whole ? 1 : how->runs));
    if (wrong != NULL) {
        psg_run_fail(run, PSG_FAULT_MPI, "a message with process %d, of tag %d: %s", how->rank,
                     how->tag, wrong);
    }
    return (psg_message){
        .rank = wrong == NULL ? how->rank : -1,
        .tag = how->tag,
        .node = STARPU_MAIN_RAM,
        .rows = bytes,
        .runs = how->runs,
        .pitch = how->pitch * element,
        .first = how->first * element,
        .alone = true,
        .counts = true,
        .label = {PSG_TASK_EXCHANGE, {how->index[0], how->index[1], how->index[2]}}};
}

/* Where a task is missing its data may be nowhere. The other process waits for the message in any
 * case. */
void psg_run_send(psg_run *run, psg_data data, const psg_travel *how) {
    psg_message message = message_of(run, data, how);
    const bool there = !psg_run_incomplete(run);
    message.rows = there ? message.rows : 0;
    if (message.rank >= 0) {
        psg_message_send(run, there ? data : NULL, &message);
    }
}

void psg_run_receive(psg_run *run, psg_data data, const psg_travel *how) {
    const psg_message message = message_of(run, data, how);
    if (message.rank >= 0) {
        psg_message_receive(run, data, &message);
    }
}

/* A task is counted as pending before it is counted as submitted. */
psg_status psg_engine_progress(const psg_work *work, size_t *ended, size_t *tasks) {
    const engine *e = engine_of(work);
    psg_clear_error();
    if (e == NULL || ended == NULL || tasks == NULL) {
        return psg_fail(PSG_ERR_ARG, "work, ended or tasks is NULL, or the work is a plan's");
    }
    const size_t submitted = atomic_load(&e->run->tasks), pending = atomic_load(&e->run->pending);
    *tasks = submitted;
    *ended = pending < submitted ? submitted - pending : 0;
    return PSG_OK;
}
