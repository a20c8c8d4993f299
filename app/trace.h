/** @file trace.h  What happened in solves, or in other runs, as a file for chrome://tracing or ui.perfetto.dev. */
#ifndef PSG_APP_TRACE_H
#define PSG_APP_TRACE_H

#include "app/rank_workers.h"
#include "graph/psg_observe.h"

#include <jansson.h>

/** All zero before the first use. */
typedef struct app_trace {
    struct app_trace_event *event;
    size_t count;
    size_t room;
    struct app_trace_copy *copy; /**< between memories, which are no events */
    size_t copies;
    size_t copies_room;
    struct app_trace_arrow *arrow; /**< from task to task of one process */
    size_t arrows;
    size_t arrows_room;
    struct app_trace_submission *submission; /**< one for each run */
    size_t submissions;
    size_t submissions_room;
    unsigned runs;
} app_trace;

/** Take over the events and copies of the latest run, and the dependencies if they are recorded.
 *  @return APP_DONE; APP_FAILED after a message */
int app_trace_take(app_trace *trace, const psg_work *work);

/** Write what happened in all processes, in the trace-event format. A process has a track for each worker, one for each
 *  link that something was copied over, and one for the submission of tasks. A task has the name of its kind; what it
 *  is about is in its arguments. Messages between processes are asynchronous events. Arrows go from a task to each task
 *  that read what it had written, and from the task that wrote what a message carries to the one that waited for it.
 *  Rank 0 writes. Collective.
 *  @param[in] path   the file to write; `shown` is its name in messages
 *  @param[in] workers  names of the tracks
 *  @param[in] about  on rank 0 what was solved, where and when, which is taken over; NULL: nothing is said
 *  @return APP_DONE; APP_FAILED after a message, perhaps of another process */
int app_trace_write(app_trace *trace, const char *path, const char *shown,
                    const app_workers *workers, json_t *about);

void app_trace_free(app_trace *trace);

/** "kspace p3"; its colour in the graph, "#e69f00", and that of words on it. @param[out] text  size bytes */
void app_event_name(const psg_event *event, char *text, size_t size);
const char *app_event_colour(const psg_event *event);
const char *app_event_words_colour(const psg_event *event);

#endif
