#include "app/record.h"
#include "app/app.h"
#include "app/collect.h"
#include "app/processes.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------- the tables */

static const size_t row_bytes[APP_RECORD_TABLES] = {[APP_RECORD_EVENTS] = sizeof(psg_event),
                                                    [APP_RECORD_COPIES] = sizeof(psg_copy),
                                                    [APP_RECORD_DEPENDENCIES] =
                                                        sizeof(psg_dependency),
                                                    [APP_RECORD_USES] = sizeof(psg_use),
                                                    [APP_RECORD_RUNS] = sizeof(app_record_run)};

/* What the library has for a table. */
static psg_status get_rows(int t, const psg_work *work, void *rows, size_t capacity,
                           size_t *count) {
    if (t == APP_RECORD_EVENTS) {
        return psg_work_events(work, rows, capacity, count);
    }
    if (t == APP_RECORD_COPIES) {
        return psg_work_copies(work, rows, capacity, count);
    }
    const psg_status status = t == APP_RECORD_USES
                                  ? psg_work_uses(work, rows, capacity, count)
                                  : psg_work_dependencies(work, rows, capacity, count);
    if (status == PSG_ERR_STATE) { /* the library records none */
        *count = 0;
    }
    return status == PSG_ERR_STATE ? PSG_OK : status;
}

/* @return where `more` rows go; NULL after a message */
static void *append(app_record *record, int t, size_t more) {
    const size_t rows = record->rows[t] + more;
    char *longer = realloc(record->table[t], (rows + 1) * row_bytes[t]);
    if (longer == NULL) {
        app_error(APP_FAILED, "no memory for a trace of %zu events", rows);
        return NULL;
    }
    record->table[t] = longer;
    return longer + record->rows[t] * row_bytes[t];
}

int app_record_take(app_record *record, const psg_work *work) {
    app_record_run run = {.rank = app_rank(), .number = (unsigned)record->rows[APP_RECORD_RUNS]};
    size_t more[APP_RECORD_TABLES] = {[APP_RECORD_RUNS] = 1};
    psg_status status = psg_work_statistics(work, &run.statistics);
    for (int t = 0; t < APP_RECORD_RUNS && status == PSG_OK; t++) {
        status = get_rows(t, work, NULL, 0, &more[t]);
        void *rows = status == PSG_OK ? append(record, t, more[t]) : NULL;
        if (status == PSG_OK && rows == NULL) {
            return APP_FAILED;
        }
        status = status == PSG_OK ? get_rows(t, work, rows, more[t], &more[t]) : status;
    }
    if (status != PSG_OK) {
        return app_error(APP_FAILED, "%s", psg_last_error());
    }
    run.events = more[APP_RECORD_EVENTS];
    run.copies = more[APP_RECORD_COPIES];
    run.dependencies = more[APP_RECORD_DEPENDENCIES];
    run.uses = more[APP_RECORD_USES];
    void *row = append(record, APP_RECORD_RUNS, 1);
    if (row == NULL) {
        return APP_FAILED;
    }
    memcpy(row, &run, sizeof run);
    for (int t = 0; t < APP_RECORD_TABLES; t++) {
        record->rows[t] += more[t];
    }
    return APP_DONE;
}

void app_record_free(app_record *record) {
    for (int t = 0; t < APP_RECORD_TABLES; t++) {
        free(record->table[t]);
    }
    free(record->sent);
    memset(record, 0, sizeof *record);
}

/* ------------------------------------------------------------------------------- all processes */

static int compare_messages(const void *a, const void *b) {
    const app_message *ends[2] = {a, b};
    size_t key[2][6];
    for (int m = 0; m < 2; m++) {
        const psg_event *e = ends[m]->event;
        const int own = ends[m]->run->rank;
        const size_t is[6] = {ends[m]->run->number,
                              e->segment,
                              e->sheet,
                              e->step,
                              (size_t)(e->received ? e->rank : own),
                              (size_t)(e->received ? own : e->rank)};
        memcpy(key[m], is, sizeof is);
    }
    for (int m = 0; m < 6; m++) {
        if (key[0][m] != key[1][m]) {
            return key[0][m] < key[1][m] ? -1 : 1;
        }
    }
    return 0;
}

const app_message *app_record_sent(const app_record *record, const app_record_run *run,
                                   const psg_event *received) {
    const app_message key = {run, received};
    return bsearch(&key, record->sent, record->messages, sizeof key, compare_messages);
}

/* Tell each run where its rows are, and list the messages that were sent; on rank 0. */
static int connect(app_record *record) {
    app_record_run *run = record->table[APP_RECORD_RUNS];
    const psg_event *event = record->table[APP_RECORD_EVENTS];
    const psg_copy *copy = record->table[APP_RECORD_COPIES];
    psg_dependency *dependency = record->table[APP_RECORD_DEPENDENCIES];
    const psg_use *use = record->table[APP_RECORD_USES];
    record->sent =
        app_allocate(record->rows[APP_RECORD_EVENTS] + 1, sizeof *record->sent, "the messages");
    if (record->sent == NULL) {
        return APP_FAILED;
    }
    for (size_t r = 0; r < record->rows[APP_RECORD_RUNS]; r++, run++) {
        run->event = event;
        run->copy = copy;
        run->dependency = dependency;
        run->use = use;
        for (size_t e = 0; e < run->events; e++, event++) {
            if (event->rank >= 0 && !event->received) {
                record->sent[record->messages++] = (app_message){run, event};
            }
        }
        copy += run->copies;
        dependency += run->dependencies;
        use += run->uses;
    }
    qsort(record->sent, record->messages, sizeof *record->sent, compare_messages);
    return APP_DONE;
}

int app_record_join(app_record *record) {
    int code = APP_DONE;
    for (int t = 0; t < APP_RECORD_TABLES && !code; t++) {
        code = app_collect(&record->table[t], row_bytes[t], &record->rows[t], NULL,
                           "the trace of all processes");
    }
    return code ? code : app_ranks_agree(app_rank() == 0 ? connect(record) : APP_DONE);
}

const app_record_run *app_record_runs(const app_record *record) {
    return record->table[APP_RECORD_RUNS];
}

double app_record_origin(const app_record *record, unsigned first) {
    const app_record_run *run = app_record_runs(record);
    double origin = INFINITY;
    for (size_t r = 0; r < record->rows[APP_RECORD_RUNS]; r++) {
        origin = run[r].number >= first ? fmin(origin, run[r].statistics.submitted) : origin;
    }
    return origin;
}

size_t app_record_number(const app_record *record, const psg_event *event) {
    return (size_t)(event - (const psg_event *)record->table[APP_RECORD_EVENTS]);
}

/* ------------------------------------------------------------------------------ words of events */

/* Perfetto chooses colours of its own. Those of graphs are Okabe and Ito's, which the colour-blind
 * can tell apart. */
static const app_event_colours colours[PSG_STAGE_COUNT] = {
    [PSG_STAGE_FFT_XY] = {"thread_state_running", "#0072b2", "white"},
    [PSG_STAGE_PACK] = {"thread_state_iowait", "#d55e00", "black"},
    [PSG_STAGE_UNPACK] = {"thread_state_runnable", "#009e73", "black"},
    [PSG_STAGE_FFT_Z] = {"rail_response", "#cc79a7", "black"},
    [PSG_STAGE_DIVIDE] = {"rail_animation", "#e69f00", "black"},
    [PSG_STAGE_IFFT_Z] = {"rail_idle", "#56b4e9", "black"},
    [PSG_STAGE_IFFT_XY] = {"rail_load", "#7f3c8d", "white"},
    [PSG_STAGE_NORMALIZE] = {"good", "#999999", "black"},
    [PSG_STAGE_FORWARD_XY] = {"thread_state_running", "#0072b2", "white"},
    [PSG_STAGE_KSPACE] = {"rail_animation", "#e69f00", "black"},
    [PSG_STAGE_INVERSE_XY] = {"rail_load", "#7f3c8d", "white"},
    [PSG_STAGE_EXCHANGE] = {"bad", "#f0e442", "black"},
    [PSG_STAGE_EDGE] = {"thread_state_iowait", "#d55e00", "black"},
    [PSG_STAGE_GRADIENT] = {"good", "#999999", "black"},
    [PSG_STAGE_GRADIENT_Z] = {"thread_state_runnable", "#009e73", "black"},
    [PSG_STAGE_GRADIENT_XY] = {"good", "#999999", "black"},
};

/* The kinds of a workload have the colours of the staged graph, in turn. */
const app_event_colours *app_event_colours_of(const psg_event *e) {
    return &colours[e->stage < PSG_STAGE_COUNT
                        ? e->stage
                        : (e->stage - PSG_STAGE_COUNT) % PSG_STAGE_FORWARD_XY];
}

/* What the indices of a task are: of a solve's, of a workload's, and of inverse_xy. */
typedef struct index_words {
    const char *name[3], *mark[3];
} index_words;

static const index_words *words_of(const psg_event *e) {
    static const index_words words[3] = {{{"segment", "sheet", "axis"}, {" s", " p", " d"}},
                                         {{"row", "column", "step"}, {" ", " ", " "}},
                                         {{"segment", "sheet", "derivatives"}, {" s", " p", " +"}}};
    return &words[e->stage >= PSG_STAGE_COUNT ? 1 : e->stage == PSG_STAGE_INVERSE_XY ? 2 : 0];
}

const char *app_event_index_name(const psg_event *event, int m) {
    return words_of(event)->name[m];
}

size_t app_event_index(const psg_event *e, int m) {
    return m == 0 ? e->segment : m == 1 ? e->sheet : e->step;
}

void app_event_name(const psg_event *e, char *text, size_t size) {
    size_t length = (size_t)snprintf(text, size, "%s", psg_stage_name(e->stage));
    for (int m = 0; m < 3; m++) {
        if (app_event_index(e, m) != SIZE_MAX && length < size) {
            length += (size_t)snprintf(text + length, size - length, "%s%zu", words_of(e)->mark[m],
                                       app_event_index(e, m));
        }
    }
}
