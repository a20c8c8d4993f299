/* What all workloads share: the table of them, and their life. */
#include "base/memory.h"
#include "codelets/gpu.h"
#include "graph/options.h"
#include "graph/plan_struct.h"
#include "graph/psg_machine.h"
#include "graph/start.h"
#include "graph/status.h"
#include "graph/transfer_log.h"
#include "graph/workers.h"
#include "graph/workloads/row.h"
#include "runtime/gpu.h"
#include "runtime/runs.h"
#include "runtime/simulation.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const psg_workload_row *const rows[] = {
    &psg_workload_blocks, &psg_workload_cg,        &psg_workload_dock,
    &psg_workload_ep,     &psg_workload_jacobi,    &psg_workload_pcg,
    &psg_workload_qr,     &psg_workload_transpose, &psg_workload_vadd};
enum { ROWS = sizeof rows / sizeof *rows };

/* A workload is a work with what belongs to it. */
typedef struct workload {
    psg_work work;
    const psg_workload_row *row;
    void *problem;
    char about[128];
    psg_workers workers;
    psg_engine engine;
    psg_gpu_user gpu_user;
    psg_run *run;
    psg_needs needs;
} workload;

static const psg_work_rules rules = {.event = NULL};

/* @return NULL: it is a plan's */
static const workload *workload_of(const psg_work *work) {
    return work != NULL && work->rules == &rules ? work->owner : NULL;
}

const psg_workload *psg_workload_at(size_t index) {
    return index < ROWS ? &rows[index]->about : NULL;
}

/* ----------------------------------------------------------------------------------- options */

/* Brackets keep the header's macro of the same name away. */
void(psg_work_options_init)(psg_work_options *options, size_t struct_size) {
    if (options != NULL) {
        memset(options, 0, struct_size);
        options->struct_size = struct_size;
    }
}

static psg_status check_how(psg_work_options *checked, const psg_workload *about,
                            const psg_work_options *how) {
    *checked = (psg_work_options){.struct_size = sizeof *checked};
    if (how == NULL) {
        return PSG_OK;
    }
    if (how->struct_size != sizeof *checked) {
        return psg_fail(PSG_ERR_ARG,
                        "psg_work_options.struct_size = %zu: call "
                        "psg_work_options_init() first",
                        how->struct_size);
    }
    *checked = *how;
    if ((unsigned)how->order >= PSG_ORDER_COUNT || (unsigned)how->priority >= PSG_PRIORITY_COUNT ||
        (unsigned)how->place >= PSG_PLACE_COUNT) {
        return psg_fail(PSG_ERR_ARG,
                        "order = %d, priority = %d, place = %d: there is no such value",
                        (int)how->order, (int)how->priority, (int)how->place);
    }
    const char *nothing = how->tile > 0 && about->tile == NULL                  ? "tile"
                          : how->order != PSG_ORDER_LISTED && about->order == 0 ? "order"
                          : how->barrier != 0 && about->barrier == 0            ? "barrier"
                          : how->place != PSG_PLACE_FREE && about->place == 0   ? "place"
                                                                                : NULL;
    return nothing == NULL ? PSG_OK
                           : psg_fail(PSG_ERR_ARG, "%s: %s has none", nothing, about->name);
}

static psg_status check_options(psg_options *checked, const psg_workload_row *row,
                                const psg_options *options) {
    const psg_status status = psg_options_check(checked, options);
    if (status != PSG_OK) {
        return status;
    }
    if (checked->comm != NULL || checked->nodes > 1) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "a workload is for one process and one node");
    }
    if (checked->precision == PSG_F32 && !row->f32) {
        return psg_fail(PSG_ERR_UNSUPPORTED, "%s has f64 only", row->about.name);
    }
    if (checked->cpus != 0 && checked->gpus != 0) { /* all that are not left out take part */
        checked->cpu_share = PSG_CPU_SHARE_FREE;
    }
    return PSG_OK;
}

/* StarPU runs, and may have found workers of one kind alone: then they share with nobody. */
static void settle_options(psg_options *options) {
    if (starpu_cuda_worker_get_count() == 0 || starpu_cpu_worker_get_count() == 0) {
        options->cpu_share = PSG_CPU_SHARE_AUTO;
    }
}

/* "ep:S" -> the row of ep, and "S" */
static psg_status find_row(const char *name, const psg_workload_row **row, const char **size) {
    char list[256] = "";
    const size_t length = strcspn(name, ":");
    for (size_t m = 0; m < ROWS; m++) {
        if (strlen(rows[m]->about.name) == length &&
            strncmp(rows[m]->about.name, name, length) == 0) {
            *row = rows[m];
            *size = name[length] == ':' ? name + length + 1 : "";
            return PSG_OK;
        }
        const size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s%s", m > 0 ? ", " : "",
                       rows[m]->about.name);
    }
    return psg_fail(PSG_ERR_ARG, "there is no workload '%.*s'; there are: %s", (int)length, name,
                    list);
}

const char *psg_size_number(const char *text, size_t least, size_t most, size_t *number) {
    char *end = NULL;
    errno = 0;
    const unsigned long long value = isdigit((unsigned char)text[0]) ? strtoull(text, &end, 10) : 0;
    *number = (size_t)value;
    return end != NULL && errno == 0 && value >= least && value <= most ? end : NULL;
}

/* ------------------------------------------------------------------------------------ making */

static psg_status check_workers(const workload *w) {
    for (int m = 0; w->row->kinds[m] >= 0 && w->workers.cpu_count == 0; m++) {
        if (!psg_simulation_on_gpus(w->row->kinds[m], w->engine.precision)) {
            return psg_fail(PSG_ERR_UNSUPPORTED,
                            "there is no worker for %s, which cores alone run: %s needs a core",
                            psg_kind_at(w->row->kinds[m])->name, w->row->about.name);
        }
    }
    return PSG_OK;
}

/* StarPU ends the program at a task whose time is not known. */
static psg_status check_simulation(const workload *w) {
    const psg_machine *machine = psg_simulation_machine();
    const bool used[2] = {w->workers.cpu_count > 0, w->workers.gpu_count > 0};
    for (int m = 0; psg_simulated() && w->row->kinds[m / 2] >= 0; m++) {
        const psg_task_shape shape = {.kind = w->row->kinds[m / 2],
                                      .precision = w->engine.precision};
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

static psg_status check_memory(workload *w) {
    const double there = base_memory_bytes();
    if (w->row->needs == NULL || psg_simulated()) {
        return PSG_OK;
    }
    w->needs = w->row->needs(w->problem, w->work.workers);
    const double bytes = w->needs.data + w->needs.run;
    return bytes <= there
               ? psg_room_check(w->about, bytes)
               : psg_fail(PSG_ERR_ARG, "%s: %s takes %.3g GB of memory, and there are %.3g GB",
                          w->row->about.name, w->about, bytes * 1e-9, there * 1e-9);
}

static psg_status start_gpus(workload *w) {
    char words[192] = "";
    if (w->workers.gpu_count == 0) {
        return PSG_OK;
    }
    psg_runtime_awake();
    w->gpu_user = w->row->gpu != NULL ? w->row->gpu() : psg_gpu_stateless();
    const psg_fault fault = psg_gpu_start(&w->engine, &w->gpu_user, words, sizeof words);
    psg_runtime_rest();
    return fault == PSG_FAULT_NONE
               ? PSG_OK
               : psg_fail(psg_fault_status(fault), "the GPUs could not be prepared: %s", words);
}

static void set_engine(workload *w, const psg_options *options) {
    const bool gpus = w->workers.gpu_count > 0;
    const bool cpus = w->workers.cpu_count > 0;
    w->engine =
        (psg_engine){.owner = w->problem,
                     .precision = options->precision == PSG_F32 ? PSG_TASK_F32 : PSG_TASK_F64,
                     .where = (gpus ? STARPU_CUDA : 0) | (cpus ? STARPU_CPU : 0),
                     .workers = w->workers.count,
                     .kinds = psg_kind_count(),
                     .record = options->record != 0,
                     .polls = gpus && !cpus && !psg_simulated(),
                     .slots = 1};
}

/* An engine of its own. */
static psg_status make_engine(workload *w, const psg_options *options) {
    psg_status status = psg_workers_list(&w->workers, options->gpus != 0);
    if (status == PSG_OK && w->workers.usable_count == 0) {
        status = psg_fail(PSG_ERR_NODEV, "StarPU runs without a worker that could be used");
    }
    set_engine(w, options);
    if (status == PSG_OK) {
        status = check_workers(w);
    }
    if (status == PSG_OK) {
        status = check_simulation(w);
    }
    return status == PSG_OK ? start_gpus(w) : status;
}

/* StarPU runs. */
static psg_status make(workload *w, const psg_options *options) {
    psg_plan *plan = NULL;
    psg_status status =
        w->row->plan == NULL ? make_engine(w, options) : w->row->plan(w->problem, options, &plan);
    w->work = (psg_work){.rules = &rules,
                         .owner = w,
                         .engine = plan != NULL ? &plan->context.engine : &w->engine,
                         .workers = plan != NULL ? &plan->workers : &w->workers,
                         .calibrate = options->calibrate != 0};
    if (status == PSG_OK && !psg_history_open(&w->work.latest, w->work.engine)) {
        status = psg_fail(PSG_ERR_MEMORY, "no memory for the history of a run");
    }
    if (status == PSG_OK && w->row->cut != NULL) {
        status = w->row->cut(w->problem, w->work.workers);
    }
    if (status == PSG_OK) {
        w->row->tell(w->problem, w->about, sizeof w->about);
        status = check_memory(w);
    }
    if (status == PSG_OK) {
        w->run = psg_run_create(w->work.engine);
        status = w->run != NULL ? w->row->make(w->problem, w->work.workers)
                                : psg_fail(PSG_ERR_MEMORY, "no memory for a run");
    }
    if (status == PSG_OK && w->row->place != NULL) {
        w->row->place(w->problem, &w->workers);
    }
    return status;
}

static void free_workload(workload *w) {
    if (w != NULL) {
        psg_run_destroy(w->run); /* it may have the engine of the problem's plan */
        w->row->free(w->problem);
        if (w->engine.gpu != NULL) {
            psg_runtime_awake();
            psg_gpu_stop(&w->engine);
            psg_runtime_rest();
        }
        psg_work_forget(&w->work);
        free(w->workers.usable);
        free(w->problem);
    }
    free(w);
}

psg_status psg_work_open(psg_work **work, const psg_workload_row *row, const char *size,
                         const void *input, const psg_work_options *how,
                         const psg_options *options) {
    const double before = psg_clock();
    psg_work_options cut;
    psg_options checked;
    psg_status status = check_how(&cut, &row->about, how);
    if (status == PSG_OK) {
        status = check_options(&checked, row, options);
    }
    if (status != PSG_OK) {
        return status;
    }
    workload *w = calloc(1, sizeof *w);
    void *problem = calloc(1, row->bytes);
    status = w == NULL || problem == NULL ? psg_fail(PSG_ERR_MEMORY, "no memory for a workload")
             : input != NULL              ? row->take(problem, input, &cut)
                                          : row->parse(problem, size, &cut, checked.precision);
    if (status == PSG_OK) {
        status = psg_runtime_acquire(&checked, NULL, "");
    }
    if (status != PSG_OK) {
        free(problem);
        free(w);
        return status;
    }
    w->row = row;
    w->problem = problem;
    settle_options(&checked);
    status = make(w, &checked);
    if (status != PSG_OK) {
        free_workload(w);
        psg_runtime_release(NULL);
        return status;
    }
    w->work.make_seconds = psg_clock() - before;
    *work = &w->work;
    return PSG_OK;
}

psg_status psg_work_create(psg_work **work, const char *name, const psg_work_options *how,
                           const psg_options *options) {
    const psg_workload_row *row = NULL;
    const char *size = NULL;
    psg_clear_error();
    if (work == NULL || name == NULL) {
        return psg_fail(PSG_ERR_ARG, "work or name is NULL");
    }
    *work = NULL;
    const psg_status status = find_row(name, &row, &size);
    return status == PSG_OK ? psg_work_open(work, row, size, NULL, how, options) : status;
}

void psg_work_destroy(psg_work *work) {
    psg_clear_error();
    if (workload_of(work) != NULL) {
        free_workload((workload *)work);
        psg_runtime_release(NULL);
    }
}

/* ----------------------------------------------------------------------------------- running */

psg_status psg_work_run(psg_work *work) {
    psg_clear_error();
    const workload *w = workload_of(work);
    if (w == NULL) {
        return psg_fail(PSG_ERR_ARG, "work is NULL, or a plan's");
    }
    psg_run *run = w->run;
    if (work->runs == 0) {
        const psg_status status = psg_room_check(w->about, w->needs.run);
        if (status != PSG_OK) {
            return status;
        }
    }
    if (w->row->prepare != NULL) {
        psg_runtime_awake();
        const bool there = w->row->prepare(w->problem);
        psg_runtime_rest();
        if (!there) {
            return psg_fail(PSG_ERR_RUNTIME, "the input could not be brought");
        }
    }
    psg_transfers_begin(work, true);
    run->awake = true;
    const psg_submission submission = psg_work_start(work, run, work->runs);
    w->row->submit(run, w->problem);
    psg_work_submitted(run, submission);
    (void)psg_run_wait(run, 0);
    psg_work_keep(work, run, submission.program);
    psg_transfers_end(work, run);
    if (work->engine->run_ended == NULL) {
        psg_runtime_rest();
    }
    return psg_fail_run(run);
}

/* A task is counted as pending before it is counted as submitted. */
psg_status psg_work_progress(const psg_work *work, size_t *ended, size_t *tasks) {
    psg_clear_error();
    const workload *w = workload_of(work);
    if (w == NULL || ended == NULL || tasks == NULL) {
        return psg_fail(PSG_ERR_ARG, "work, ended or tasks is NULL, or the work is a plan's");
    }
    const size_t submitted = atomic_load(&w->run->tasks), pending = atomic_load(&w->run->pending);
    *tasks = submitted;
    *ended = pending < submitted ? submitted - pending : 0;
    return PSG_OK;
}

const void *psg_work_problem(const psg_work *work, const psg_workload_row *row,
                             psg_status *status) {
    const workload *w = workload_of(work);
    *status = w == NULL || (row != NULL && w->row != row)
                  ? psg_fail(PSG_ERR_ARG, "work is NULL, or a plan's, or another workload")
              : work->runs == 0 ? psg_fail(PSG_ERR_STATE, "nothing has run yet")
                                : PSG_OK;
    return *status == PSG_OK ? w->problem : NULL;
}

psg_status psg_work_answers(const psg_work *work, psg_answer *answers, size_t capacity,
                            size_t *count) {
    psg_answer all[PSG_ANSWERS_MOST];
    psg_status status = PSG_OK;
    psg_clear_error();
    if (count == NULL || (answers == NULL && capacity > 0)) {
        return psg_fail(PSG_ERR_ARG, "answers or count is NULL");
    }
    *count = 0;
    const void *problem = psg_work_problem(work, NULL, &status);
    if (problem == NULL || psg_simulated()) {
        return status;
    }
    psg_runtime_awake(); /* the data come home through StarPU */
    *count = workload_of(work)->row->answers(problem, all);
    psg_runtime_rest();
    for (size_t m = 0; m < *count && m < capacity; m++) {
        answers[m] = all[m];
    }
    return *count > 0 ? PSG_OK : psg_fail(PSG_ERR_RUNTIME, "the answer could not be had");
}

psg_status psg_work_check(const psg_work *work) {
    psg_answer all[PSG_ANSWERS_MOST];
    size_t count = 0;
    psg_status status = psg_work_answers(work, all, PSG_ANSWERS_MOST, &count);
    for (size_t m = 0; m < count && status == PSG_OK; m++) {
        const psg_answer *a = &all[m];
        const double of = a->expected != 0 ? fabs(a->expected) : 1;
        if (!(fabs(a->value - a->expected) <= a->tolerance * of)) {
            status = psg_fail(PSG_ERR_DATA,
                              "the result is wrong: %s is %.17g, and may differ from %.17g by %.3g",
                              a->name, a->value, a->expected, a->tolerance * of);
        }
    }
    return status;
}

const char *psg_work_about(const psg_work *work) {
    const workload *w = workload_of(work);
    return w != NULL ? w->about : "";
}
