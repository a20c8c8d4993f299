/** @file record.h  What happened in solves, or in other runs: the tables that --trace and --dag
 *  are written from. */
#ifndef PSG_APP_RECORD_H
#define PSG_APP_RECORD_H

#include "graph/psg_observe.h"

/** A run of one process. */
typedef struct app_record_run {
    int rank;
    unsigned number; /**< of the process' runs, from 0 */
    psg_run_statistics statistics;
    size_t events, copies, dependencies, uses; /**< how many of the tables' rows are its own */
    const psg_event *event;                    /**< its rows, after app_record_join() */
    const psg_copy *copy;
    psg_dependency *dependency; /**< numbers count from `event` */
    const psg_use *use;         /**< so do these */
} app_record_run;

/** One end of a message. */
typedef struct app_message {
    const app_record_run *run;
    const psg_event *event;
} app_message;

enum {
    APP_RECORD_EVENTS,
    APP_RECORD_COPIES,
    APP_RECORD_DEPENDENCIES,
    APP_RECORD_USES,
    APP_RECORD_RUNS,
    APP_RECORD_TABLES
};

/** All zero before the first use. */
typedef struct app_record {
    void *table[APP_RECORD_TABLES]; /**< psg_event, psg_copy, psg_dependency, psg_use,
                                        app_record_run */
    size_t rows[APP_RECORD_TABLES];
    app_message *sent; /**< in an order of their own, after app_record_join() */
    size_t messages;
} app_record;

/** Append what the latest run did. @return APP_DONE; APP_FAILED after a message */
int app_record_take(app_record *record, const psg_work *work);

/** Bring the records of all processes together on rank 0. Collective.
 *  @return APP_DONE; APP_FAILED after a message; the same in all processes */
int app_record_join(app_record *record);

void app_record_free(app_record *record);

/** The runs of all processes, in the order of the ranks; rank 0 only. */
const app_record_run *app_record_runs(const app_record *record);

/** When the first of the runs from number `first` on was submitted, seconds since the epoch. */
double app_record_origin(const app_record *record, unsigned first);

/** The number of an event among those of all processes. */
size_t app_record_number(const app_record *record, const psg_event *event);

/** Where a message that was received was sent; NULL: nobody has recorded that. */
const app_message *app_record_sent(const app_record *record, const app_record_run *run,
                                   const psg_event *received);

/** "kspace p3". @param[out] text  size bytes */
void app_event_name(const psg_event *event, char *text, size_t size);

/** What index m of a task, of 3, counts: "segment". Its value; SIZE_MAX: it has none. */
const char *app_event_index_name(const psg_event *event, int m);
size_t app_event_index(const psg_event *event, int m);

/** The colours of an event: Chrome's name of one; in graphs "#e69f00", and that of words on it. */
typedef struct app_event_colours {
    const char *chrome, *rgb, *words;
} app_event_colours;
const app_event_colours *app_event_colours_of(const psg_event *event);

#endif
