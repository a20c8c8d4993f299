/* A configuration from its line to its answer. */
#include "app/measure_job.h"
#include "app/app.h"
#include "app/json.h"
#include "app/members.h"
#include "app/processes.h"
#include "app/runs.h"
#include "graph/psg_starpu.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------ its line */

static const app_option_row *member_of(const char *name) {
    for (const app_option_row *row = app_member_rows; row->name != NULL; row++) {
        if (strcmp(row->name, name) == 0) {
            return row;
        }
    }
    return NULL;
}

static int set(app_measure_job *j, app_members *m, const char *name, const char *text) {
    const app_option_row *member = member_of(name);
    const size_t index = app_option_index(name);
    if (strcmp(text, "default") == 0) {
        return APP_DONE;
    }
    if (member == NULL) {
        return index != SIZE_MAX
                   ? app_options_set(&j->solver, index, text)
                   : app_error(APP_USAGE, "line %zu: unknown member '%s'", j->number + 1, name);
    }
    return member->parse(text, (char *)m + member->field, member->choices)
               ? app_wrong_value(member, text)
               : APP_DONE;
}

int app_measure_job_read(app_measure_job *j, const char *line) {
    json_error_t wrong;
    const char *name;
    json_t *value;
    app_members m = {.data = 0, .order = WORKLOAD_LISTED, .priority = WORKLOAD_EQUAL};
    int code = APP_DONE;
    app_options_init(&j->solver);
    j->how = (workload_options){.tile = 0};
    j->line = json_loads(line, 0, &wrong);
    if (!json_is_object(j->line)) {
        return app_error(APP_USAGE, "line %zu: not an object of JSON: %s", j->number + 1,
                         j->line != NULL ? "another value" : wrong.text);
    }
    json_object_foreach(j->line, name, value) {
        if (json_is_integer(value)) {
            value = json_sprintf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
            json_object_set_new(j->line, name, value);
        }
        if (!code) {
            code = json_is_string(value)
                       ? set(j, &m, name, json_string_value(value))
                       : app_error(APP_USAGE, "line %zu: '%s': expected a text or a whole number",
                                   j->number + 1, name);
        }
    }
    j->solves = m.workload == NULL;
    j->workload = m.workload;
    j->resident = m.data;
    j->how.tile = m.tile;
    j->how.order = (workload_order)m.order;
    j->how.barrier = m.barrier;
    j->how.priority = (workload_priority)m.priority;
    j->how.place = (workload_place)m.place;
    app_grid_thin(&m.grid);
    psg_grid_init(&j->grid, m.grid.n[0], m.grid.n[1], m.grid.n[2], 1, 1, 1);
    if (!code && m.grid.given != j->solves) {
        code = app_error(APP_USAGE, "line %zu: a configuration has a grid or a workload",
                         j->number + 1);
    }
    return code;
}

/* -------------------------------------------------------------------------------------- making */

/* Of a call that is each process' own. */
static bool failed_anywhere(psg_status status) {
    double failed = status != PSG_OK;
    app_ranks_max(&failed, 1);
    return failed > 0;
}

static const char *make_plan(app_measure_job *j, const psg_options *options) {
    static char words[96];
    if (options->comm == NULL && options->nodes <= 1 && options->exchange >= PSG_EXCHANGE_MPI) {
        /* the library's words are for programmers */
        snprintf(words, sizeof words, "exchange %s is between processes: give --ranks 2, or more",
                 app_exchange_name(options->exchange));
        return words;
    }
    if (psg_plan_create(&j->plan, &j->grid, options) != PSG_OK) {
        return psg_last_error();
    }
    j->work = psg_plan_work(j->plan);
    return j->resident && failed_anywhere(psg_slabs_put(j->plan, j->fields->f))
               ? "f cannot be put into the slabs"
               : NULL;
}

const char *app_measure_job_make(app_measure_job *j) {
    psg_options options = j->solver.options;
    options.comm = app_ranks_comm();
    const char *why = NULL;
    if (j->solves) {
        why = make_plan(j, &options);
    } else {
        why = workload_create(&j->own_work, j->workload, &j->how, &options) != PSG_OK
                  ? psg_last_error()
                  : NULL;
        j->work = workload_work(j->own_work);
    }
    return why == NULL && app_workers_find(&options, &j->workers) ? "its workers cannot be found"
                                                                  : why;
}

/* Segments, exchange and time of a plan, of all processes. */
static void put_plan(const app_measure_job *j, json_t *facts) {
    psg_statistics s;
    (void)psg_plan_statistics(j->plan, &s);
    double most[] = {s.plan_seconds, (double)s.segment_planes};
    app_ranks_max(most, 2);
    app_json_put_text(facts, "exchange_used", app_exchange_name(s.exchange));
    app_json_put_size(facts, "segments", s.segments);
    app_json_put_size(facts, "planes", (size_t)most[1]);
    app_json_put_size(facts, "sheets_used", s.sheets);
    app_json_put_real(facts, "plan_seconds", most[0]);
}

json_t *app_measure_job_facts(const app_measure_job *j) {
    json_t *facts = json_object();
    size_t gpus = 0;
    const char *model = "";
    for (size_t w = 0; w < j->workers.count; w++) {
        const bool gpu = j->workers.list[w].kind == PSG_WORKER_CUDA;
        model = gpu && gpus == 0 ? j->workers.list[w].name : model;
        gpus += gpu;
    }
    app_json_put_size(facts, "workers_cpu", j->workers.count - gpus);
    app_json_put_size(facts, "workers_gpu", gpus);
    app_json_put_text(facts, "gpu_model", model);
    psg_run_statistics s;
    (void)psg_work_statistics(j->work, &s);
    double placed = (double)s.submit.placed_tasks;
    app_ranks_max(&placed, 1);
    app_json_put_text(facts, "policy", app_policy_of(&j->workers, (size_t)placed));
    if (j->solves) {
        put_plan(j, facts);
    } else {
        app_json_put_real(facts, "plan_seconds", s.make_seconds);
    }
    return facts;
}

/* ------------------------------------------------------------------------------------- running */

psg_status app_measure_job_run(const app_measure_job *j, const app_measure_answers *answers,
                               double *seconds) {
    psg_status status = PSG_OK;
    if (!j->solves) {
        psg_run_statistics s = {.seconds = NAN};
        status = workload_run(j->own_work);
        if (status == PSG_OK) { /* else the words of the failure would be lost */
            (void)psg_work_statistics(j->work, &s);
        }
        *seconds = s.seconds;
        return status;
    }
    const unsigned in_flight = j->solver.options.in_flight;
    const double start = psg_clock();
    unsigned submitted = 0;
    while (status == PSG_OK && submitted < in_flight) {
        status = j->resident ? psg_submit_slabs(j->plan)
                             : psg_submit(j->plan, j->fields->f, answers->u[submitted]);
        submitted += status == PSG_OK;
    }
    for (; submitted > 0; submitted--) {
        const psg_status ended = psg_wait(j->plan);
        status = status == PSG_OK ? ended : status;
    }
    *seconds = (psg_clock() - start) / in_flight;
    return status;
}

static const char *check_solve(const app_measure_job *j, const app_measure_answers *answers,
                               double *error, double *tolerance) {
    const unsigned count = j->resident ? 1 : j->solver.options.in_flight;
    if (j->resident && failed_anywhere(psg_slabs_get(j->plan, answers->u[0]))) {
        return "u cannot be had from the slabs";
    }
    for (unsigned a = 0; a < count; a++) {
        app_answer_error found;
        app_measure_fields_compare(j->fields, answers->u[a], &found);
        *tolerance = fmax(found.tolerance, app_wire_rounding(&j->solver.options));
        if (!(found.error <= *error)) {
            *error = found.error;
        }
    }
    return NULL;
}

/* Of the numbers that are wrong the one that is farthest off, with its tolerance; else the largest
 * of both. */
static const char *check_workload(const app_measure_job *j, double *error, double *tolerance) {
    enum { ANSWERS_MOST = 64 };
    workload_answer answer[ANSWERS_MOST];
    size_t count = 0;
    bool wrong = false;
    if (workload_answers(j->own_work, answer, ANSWERS_MOST, &count) != PSG_OK) {
        return psg_last_error();
    }
    for (size_t m = 0; m < count && m < ANSWERS_MOST; m++) {
        const workload_answer *a = &answer[m];
        const double apart = fabs(a->value - a->expected);
        const double off = apart / (a->expected != 0 ? fabs(a->expected) : 1); /* a NaN stays one */
        const bool bad = !(off <= a->tolerance);
        if (isinf(a->tolerance) && !bad) {
            continue; /* there is nothing to compare with */
        }
        if (bad && (!wrong || !(off <= *error))) {
            *error = off;
            *tolerance = a->tolerance;
        } else if (!bad && !wrong) {
            *error = fmax(*error, off);
            *tolerance = fmax(*tolerance, a->tolerance);
        }
        wrong |= bad;
    }
    return NULL;
}

const char *app_measure_job_check(const app_measure_job *j, const app_measure_answers *answers,
                                  double *error, double *tolerance) {
    *error = *tolerance = 0;
    return j->solves ? check_solve(j, answers, error, tolerance)
                     : check_workload(j, error, tolerance);
}

void app_measure_job_drop(app_measure_job *j) {
    psg_plan_destroy(j->plan);
    workload_destroy(j->own_work);
    j->plan = NULL;
    j->own_work = NULL;
    j->work = NULL;
}

void app_measure_job_free(app_measure_job *j) {
    app_measure_job_drop(j);
    app_workers_free(&j->workers);
    json_decref(j->samples);
    json_decref(j->events);
    json_decref(j->line);
    j->samples = j->events = j->line = NULL;
}
