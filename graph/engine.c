/* Engines of programs with tasks of their own: psg_task.h. */
#include "codelets/gpu.h"
#include "graph/block.h"
#include "graph/options.h"
#include "graph/psg_machine.h"
#include "graph/start.h"
#include "graph/status.h"
#include "graph/transfer_log.h"
#include "graph/work.h"
#include "graph/workers.h"
#include "runtime/machine_times.h"
#include "runtime/registered.h"
#include "runtime/runs.h"
#include "runtime/simulation.h"

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
} engine;

static const psg_work_rules rules = {.event = NULL};

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
    if (checked->comm != NULL || checked->nodes > 1) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "%s is for one process and one node", name);
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
            !psg_machine_knows(machine, gpu, &shape)) {
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
                     .workers = e->workers.count,
                     .kinds = psg_kind_count(),
                     .record = options->record != 0,
                     .polls = gpus && !cpus,
                     .slots = 1};
    e->work = (psg_work){.rules = &rules,
                         .owner = e,
                         .engine = &e->engine,
                         .workers = &e->workers,
                         .calibrate = options->calibrate != 0};
    bool all = psg_history_open(&e->work.latest, &e->engine);
    for (size_t m = 0; m < e->args.kind_count && all; m++) {
        all = psg_registered_make(e->args.kinds[m]);
    }
    e->run = all ? psg_run_create(&e->engine) : NULL;
    return e->run != NULL ? PSG_OK : psg_fail(PSG_ERR_MEMORY, "no memory for an engine");
}

static psg_status make(engine *e, const psg_options *options) {
    psg_status status = psg_workers_list(&e->workers, options->gpus != 0);
    if (status == PSG_OK && e->workers.usable_count == 0) {
        status = psg_fail(PSG_ERR_NODEV, "StarPU runs without a worker that could be used");
    }
    status = status == PSG_OK ? set_engine(e, options) : status;
    status = status == PSG_OK ? check_workers(e) : status;
    status = status == PSG_OK ? check_simulation(e) : status;
    return status == PSG_OK ? start_gpus(e) : status;
}

static void free_engine(engine *e) {
    psg_run_destroy(e->run);
    if (e->engine.gpu != NULL) {
        psg_runtime_awake();
        psg_gpu_stop(&e->engine);
        psg_runtime_rest();
    }
    psg_work_forget(&e->work);
    free(e->workers.usable);
    free(e);
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
    psg_status status = check_options(&checked, args->name, options);
    if (status == PSG_OK) {
        status = psg_runtime_acquire(&checked, NULL, "");
    }
    if (status != PSG_OK) {
        return status;
    }
    engine *e = calloc(1, sizeof *e);
    if (e != NULL) {
        e->args = *args;
        status = make(e, &checked);
    } else {
        status = psg_fail(PSG_ERR_MEMORY, "no memory for an engine");
    }
    if (status != PSG_OK) {
        if (e != NULL) {
            free_engine(e);
        }
        psg_runtime_release(NULL);
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
        free_engine(e);
        psg_runtime_release(NULL);
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
    }
    return found;
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
    (void)psg_run_wait(e->run, 0);
    psg_work_keep(work, e->run, e->submission.program);
    psg_transfers_end(work, e->run);
    psg_runtime_rest();
    return psg_fail_run(e->run);
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
