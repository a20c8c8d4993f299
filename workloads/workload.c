/* What all workloads share: the table of them, and their life. */
#include "workloads/workload.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "graph/psg_machine.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW(name) &workload_##name,
static const workload_row *const rows[] = {WORKLOADS(ROW)};
enum { ROWS = sizeof rows / sizeof *rows, KINDS_MOST = 8 };

struct workload {
    const workload_row *row;
    void *problem;
    char about[128];
    int kinds[KINDS_MOST];
    psg_work *engine;
    const psg_work *work; /* the engine's, or the plan's */
    double run_bytes;     /* from the first run on */
};

/* A simulation reads the times of kinds that are registered before it begins. */
__attribute__((constructor)) static void register_kinds(void) {
    for (size_t m = 0; m < ROWS; m++) {
        for (size_t k = 0; k < rows[m]->kind_count; k++) {
            const int number = psg_kind_register(&rows[m]->kinds[k]);
            *rows[m]->first = k == 0 ? number : *rows[m]->first;
        }
    }
}

const workload_facts *workload_at(size_t index) {
    return index < ROWS ? &rows[index]->facts : NULL;
}

/* ----------------------------------------------------------------------------------- options */

static psg_status check_how(const workload_facts *facts, const workload_options *how) {
    if ((unsigned)how->order >= WORKLOAD_ORDERS || (unsigned)how->priority >= WORKLOAD_PRIORITIES ||
        (unsigned)how->place >= WORKLOAD_PLACES) {
        return workload_fail(PSG_ERR_ARG,
                             "order = %d, priority = %d, place = %d: there is no such value",
                             (int)how->order, (int)how->priority, (int)how->place);
    }
    const char *nothing = how->tile > 0 && facts->tile == NULL             ? "tile"
                          : how->order != WORKLOAD_LISTED && !facts->order ? "order"
                          : how->barrier && !facts->barrier                ? "barrier"
                          : how->place != WORKLOAD_FREE && !facts->place   ? "place"
                                                                           : NULL;
    return nothing == NULL ? PSG_OK
                           : workload_fail(PSG_ERR_ARG, "%s: %s has none", nothing, facts->name);
}

/* "ep:S" -> the row of ep, and "S" */
static psg_status find_row(const char *name, const workload_row **row, const char **size) {
    char list[256] = "";
    const size_t length = strcspn(name, ":");
    for (size_t m = 0; m < ROWS; m++) {
        const char *known = rows[m]->facts.name;
        if (strlen(known) == length && strncmp(known, name, length) == 0) {
            *row = rows[m];
            *size = name[length] == ':' ? name + length + 1 : "";
            return PSG_OK;
        }
        const size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s%s", m > 0 ? ", " : "", known);
    }
    return workload_fail(PSG_ERR_ARG, "there is no workload '%.*s'; there are: %s", (int)length,
                         name, list);
}

/* ------------------------------------------------------------------------------------ making */

static psg_status check_memory(workload *w, const psg_engine_workers *workers) {
    const double there = base_memory_bytes();
    if (w->row->needs == NULL || workers->simulated) {
        return PSG_OK;
    }
    const workload_needs needs = w->row->needs(w->problem);
    w->run_bytes = needs.tasks * TUNING_TASK_BYTES + (double)workers->count * needs.scratch;
    const double own = needs.data + needs.pieces * TUNING_HANDLE_BYTES + w->run_bytes;
    const double bytes = own * workers->node_ranks; /* the processes of a node share its memory */
    return bytes <= there
               ? psg_room_check(w->about, bytes)
               : workload_fail(PSG_ERR_ARG, "%s: %s takes %.3g GB of memory, and there are %.3g GB",
                               w->row->facts.name, w->about, bytes * 1e-9, there * 1e-9);
}

static psg_status make_engine(workload *w, const psg_options *options) {
    const workload_row *row = w->row;
    psg_engine_args args = {.name = row->facts.name,
                            .owner = w->problem,
                            .kinds = w->kinds,
                            .make = row->gpu_make,
                            .destroy = row->gpu_destroy,
                            .words = row->gpu_words,
                            .is_memory = row->gpu_is_memory};
    for (size_t k = 0; k < row->kind_count; k++) {
        if (row->uses == NULL || row->uses(w->problem, k)) {
            w->kinds[args.kind_count++] = *row->first + (int)k;
        }
    }
    const psg_status status = psg_engine_create(&w->engine, &args, options);
    w->work = w->engine;
    return status;
}

/* It joins the engine's StarPU. */
static psg_status make_plan(workload *w, const psg_options *options,
                            const psg_engine_workers *workers) {
    psg_plan *plan = NULL;
    psg_options own = {.struct_size = 0};
    if (options != NULL) {
        own = *options;
        own.comm = w->row->facts.processes ? options->comm : NULL;
    }
    const psg_status status =
        w->row->plan(w->problem, options != NULL ? &own : NULL, workers, &plan);
    w->work = psg_plan_work(plan);
    return status;
}

static psg_status make_own(workload *w, const psg_options *options) {
    const workload_row *row = w->row;
    const psg_engine_workers workers = psg_engine_find_workers(w->engine);
    psg_status status = PSG_OK;
    if (workers.ranks > 1 && !row->facts.processes) {
        status = workload_fail(PSG_ERR_UNSUPPORTED, "%s is for one process, and there are %d",
                               row->facts.name, workers.ranks);
    }
    if (status == PSG_OK && row->plan != NULL) {
        status = make_plan(w, options, &workers);
    }
    workload_head *head = w->problem;
    head->rank = workers.rank;
    head->ranks = workers.ranks;
    if (status == PSG_OK && row->cut != NULL) {
        status = row->cut(w->problem, &workers);
    }
    if (status == PSG_OK) {
        row->tell(w->problem, w->about, sizeof w->about);
        status = check_memory(w, &workers);
    }
    if (status == PSG_OK) {
        head->work = w->work;
        row->make(w->problem);
    }
    return head->failed ? workload_fail(PSG_ERR_MEMORY, "no memory for %s", w->about) : status;
}

static psg_status make(workload *w, const psg_options *options) {
    psg_status status = make_engine(w, options);
    if (status == PSG_OK) {
        status = psg_engine_agree(w->engine, make_own(w, options));
    }
    return status == PSG_OK && w->row->messages != NULL
               ? psg_engine_messages(w->engine, w->row->messages(w->problem))
               : status;
}

/* In place of make(): the other processes may be there already. */
static psg_status refuse(const psg_options *options, psg_status status) {
    char words[1024];
    (void)snprintf(words, sizeof words, "%s", psg_last_error());
    return options == NULL || options->comm == NULL ? status
                                                    : psg_call_refuse(NULL, options, status, words);
}

/* What is freed may have the latest words. */
static psg_status give_up(workload *w, psg_status status) {
    char words[1024];
    (void)snprintf(words, sizeof words, "%s", psg_last_error());
    workload_destroy(w);
    return workload_fail(status, "%s", words);
}

psg_status workload_open(workload **w, const workload_row *row, const char *size, const void *input,
                         const workload_options *how, const psg_options *options) {
    const workload_options none = {.tile = 0};
    const workload_options *cut = how != NULL ? how : &none;
    const psg_precision precision = options != NULL ? options->precision : PSG_F64;
    psg_status status = check_how(&row->facts, cut);
    *w = NULL;
    if (status == PSG_OK && precision == PSG_F32 && !row->f32) {
        status = workload_fail(PSG_ERR_UNSUPPORTED, "%s has f64 only", row->facts.name);
    }
    if (status != PSG_OK) {
        return refuse(options, status);
    }
    workload *made = calloc(1, sizeof *made);
    workload_head *problem = calloc(1, row->bytes);
    if (problem != NULL) {
        problem->real_bytes = precision == PSG_F32 ? sizeof(float) : sizeof(double);
        problem->by_path = cut->priority == WORKLOAD_PATH;
    }
    status = made == NULL || problem == NULL
                 ? workload_fail(PSG_ERR_MEMORY, "no memory for a workload")
             : input != NULL ? row->take(problem, input, cut)
                             : row->parse(problem, size, cut);
    if (status != PSG_OK) {
        free(problem);
        free(made);
        return refuse(options, status);
    }
    made->row = row;
    made->problem = problem;
    status = make(made, options);
    if (status != PSG_OK) {
        return give_up(made, status);
    }
    *w = made;
    return PSG_OK;
}

psg_status workload_create(workload **w, const char *name, const workload_options *how,
                           const psg_options *options) {
    const workload_row *row = NULL;
    const char *size = NULL;
    if (w == NULL || name == NULL) {
        return workload_fail(PSG_ERR_ARG, "w or name is NULL");
    }
    *w = NULL;
    const psg_status status = find_row(name, &row, &size);
    return status == PSG_OK ? workload_open(w, row, size, NULL, how, options)
                            : refuse(options, status);
}

void workload_destroy(workload *w) {
    if (w != NULL) {
        workload_head *head = w->problem;
        psg_engine_awake();
        for (size_t m = head->count; m-- > 0;) { /* data end before their memory */
            psg_data_free(&head->made[m].data, 1);
            free(head->made[m].memory);
        }
        psg_engine_rest();
        free(head->made);
        if (w->row->free != NULL) {
            w->row->free(w->problem);
        }
        psg_engine_destroy(w->engine);
        free(w->problem);
    }
    free(w);
}

/* ----------------------------------------------------------------------------------- running */

const psg_work *workload_work(const workload *w) {
    return w != NULL ? w->work : NULL;
}

static uint64_t runs_of(const workload *w) {
    psg_run_statistics s = {.runs = 0};
    (void)psg_work_statistics(w->work, &s);
    return s.runs;
}

static psg_status prepare(const workload *w) {
    const psg_status status = runs_of(w) == 0 ? psg_room_check(w->about, w->run_bytes) : PSG_OK;
    bool there = true;
    if (status == PSG_OK && w->row->prepare != NULL) {
        psg_engine_awake();
        there = w->row->prepare(w->problem);
        psg_engine_rest();
    }
    return there ? status : workload_fail(PSG_ERR_RUNTIME, "the input could not be brought");
}

psg_status workload_run(workload *w) {
    if (w == NULL) {
        return workload_fail(PSG_ERR_ARG, "the workload is NULL");
    }
    if (w->row->solve != NULL) {
        return w->row->solve(w->problem);
    }
    const psg_status status = psg_engine_agree(w->engine, prepare(w));
    if (status != PSG_OK) {
        return status;
    }
    w->row->submit(psg_engine_start(w->engine), w->problem);
    return psg_engine_wait(w->engine);
}

psg_status workload_progress(const workload *w, size_t *ended, size_t *tasks) {
    return psg_engine_progress(w != NULL ? w->engine : NULL, ended, tasks);
}

void *workload_problem(const workload *w, const workload_row *row, psg_status *status) {
    *status = w == NULL || (row != NULL && w->row != row)
                  ? workload_fail(PSG_ERR_ARG, "the workload is NULL, or another one")
              : runs_of(w) == 0 ? workload_fail(PSG_ERR_STATE, "nothing has run yet")
                                : PSG_OK;
    return *status == PSG_OK ? w->problem : NULL;
}

/* The values of all processes are summed, and so is the number of processes that have none. */
static psg_status sum_answers(const workload *w, workload_answer *all, size_t *count) {
    double values[WORKLOAD_ANSWERS + 1];
    values[WORKLOAD_ANSWERS] = *count == 0;
    for (size_t m = 0; m < WORKLOAD_ANSWERS; m++) {
        values[m] = m < *count ? all[m].value : 0;
    }
    const psg_status status = psg_engine_sum(w->engine, values, WORKLOAD_ANSWERS + 1);
    for (size_t m = 0; m < *count; m++) {
        all[m].value = values[m];
    }
    *count = status == PSG_OK && values[WORKLOAD_ANSWERS] == 0 ? *count : 0;
    return status != PSG_OK || *count > 0
               ? status
               : workload_fail(PSG_ERR_RUNTIME, "the answer could not be had");
}

psg_status workload_answers(const workload *w, workload_answer *answers, size_t capacity,
                            size_t *count) {
    workload_answer all[WORKLOAD_ANSWERS];
    psg_status status = PSG_OK;
    if (count == NULL || (answers == NULL && capacity > 0)) {
        return workload_fail(PSG_ERR_ARG, "answers or count is NULL");
    }
    *count = 0;
    void *problem = workload_problem(w, NULL, &status);
    if (problem == NULL || psg_simulation()) {
        return status;
    }
    psg_engine_awake(); /* the data come home through StarPU */
    *count = w->row->answers(problem, all);
    psg_engine_rest();
    status = sum_answers(w, all, count);
    for (size_t m = 0; m < *count && m < capacity; m++) {
        answers[m] = all[m];
    }
    return status;
}

psg_status workload_check(const workload *w) {
    workload_answer all[WORKLOAD_ANSWERS];
    size_t count = 0;
    psg_status status = workload_answers(w, all, WORKLOAD_ANSWERS, &count);
    for (size_t m = 0; m < count && status == PSG_OK; m++) {
        const workload_answer *a = &all[m];
        const double of = a->expected != 0 ? fabs(a->expected) : 1;
        if (!(fabs(a->value - a->expected) <= a->tolerance * of)) {
            status = workload_fail(
                PSG_ERR_DATA, "the result is wrong: %s is %.17g, and may differ from %.17g by %.3g",
                a->name, a->value, a->expected, a->tolerance * of);
        }
    }
    return status;
}

const char *workload_about(const workload *w) {
    return w != NULL ? w->about : "";
}

/* --------------------------------------------------------------- for the files of workloads */

const char *workload_number(const char *text, size_t least, size_t most, size_t *number) {
    char *end = NULL;
    errno = 0;
    const unsigned long long value = isdigit((unsigned char)text[0]) ? strtoull(text, &end, 10) : 0;
    *number = (size_t)value;
    return end != NULL && errno == 0 && value >= least && value <= most ? end : NULL;
}

psg_status workload_check_tile(const workload_options *how, const char *name, const char *size,
                               const char *what, size_t least, size_t most) {
    return how->tile == 0 || (how->tile >= least && how->tile <= most)
               ? PSG_OK
               : workload_fail(PSG_ERR_ARG, "tile = %zu: %s%s has %s, T from %zu to %zu", how->tile,
                               name, size, what, least, most);
}

double workload_numbers(const psg_task_shape *shape) {
    return (double)shape->n[0] * (double)shape->n[1] * (double)shape->n[2] * (double)shape->count;
}

size_t workload_share(const psg_engine_workers *workers) {
    return workers->most_gpus > 0 ? workers->most_gpus : workers->most_cpus;
}

psg_status workload_check_share(const psg_engine_workers *workers, const char *name, size_t count,
                                const char *parts) {
    return count >= (size_t)workers->ranks
               ? PSG_OK
               : workload_fail(PSG_ERR_ARG,
                               "%s: more processes (%d) than %s (%zu): take fewer processes, or a "
                               "smaller tile",
                               name, workers->ranks, parts, count);
}

/* @return NULL: there is no memory */
static workload_made *add(workload_head *head) {
    bool good = !head->failed;
    if (good && (head->count & (head->count - 1)) == 0) { /* full: room for as many again */
        const size_t room = head->count > 0 ? 2 * head->count : 1;
        head->made = base_grown(head->made, room, sizeof *head->made, &good);
    }
    head->failed = !good;
    if (!good) {
        return NULL;
    }
    head->made[head->count] = (workload_made){NULL, NULL};
    return &head->made[head->count++];
}

static void *keep(workload_head *head, void *memory) {
    workload_made *made = add(head);
    head->failed = head->failed || memory == NULL;
    if (made == NULL) {
        free(memory);
        return NULL;
    }
    return made->memory = memory;
}

void *workload_memory(workload_head *head, size_t count, size_t bytes) {
    return keep(head, calloc(count > 0 ? count : 1, bytes));
}

void *workload_array(workload_head *head, size_t bytes) {
    return keep(head, base_allocate(bytes));
}

void workload_hold(workload_head *head, psg_data *data, size_t nx, size_t ny, size_t nz,
                   size_t element_bytes) {
    const size_t n[3] = {nx, ny, nz};
    workload_made *made = add(head);
    if (made != NULL) {
        head->failed = psg_data_make(data, head->work, n, element_bytes) != PSG_OK;
        made->data = *data;
    }
}

void workload_lend(workload_head *head, psg_data *data, void *memory, size_t nx, size_t ny,
                   size_t nz, size_t element_bytes) {
    const size_t n[3] = {nx, ny, nz};
    workload_made *made = add(head);
    if (made != NULL) {
        psg_data_take(data, memory, n, nx, nx * ny, element_bytes);
        made->data = *data;
    }
}

bool workload_visit(const void *problem, const psg_data *list, size_t count, size_t step,
                    bool writes, workload_visitor visitor, void *result) {
    for (size_t m = 0; m < count; m++) {
        void *memory = psg_data_acquire(list[m * step], writes);
        if (memory == NULL && !psg_simulation()) {
            return false;
        }
        if (visitor != NULL && !psg_simulation()) {
            visitor(problem, m, memory, result);
        }
        psg_data_release(list[m * step]);
    }
    return true;
}
