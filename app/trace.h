/** @file trace.h  What happened in the solves, as a file for chrome://tracing or ui.perfetto.dev. */
#ifndef PSG_APP_TRACE_H
#define PSG_APP_TRACE_H

#include "app/app.h"

#include <jansson.h>

/** All zero before the first use. */
typedef struct app_trace {
    struct app_trace_event *event;
    size_t count;
    size_t room;
    struct app_trace_copy *copy; /**< between memories, which are no events */
    size_t copies;
    size_t copies_room;
    unsigned solves;
} app_trace;

/** Take over the events and copies of the plan's latest solve.
 *  @return APP_DONE; APP_FAILED after a message */
int app_trace_take(app_trace *trace, const psg_plan *plan);

/** Write the events of all processes, in the trace-event format: a track for each worker of each
 *  process and for each link that something was copied over, messages between processes as
 *  asynchronous events, and an arrow from the task that wrote what a message carries to the one
 *  that waited for it. Rank 0 writes. Collective.
 *  @param[in] path   the file to write; `shown` is its name in messages
 *  @param[in] about  on rank 0 what was solved, where and when, which is taken over; NULL: nothing is said
 *  @return APP_DONE; APP_FAILED after a message, perhaps of another process */
int app_trace_write(app_trace *trace, const char *path, const char *shown, json_t *about);

void app_trace_free(app_trace *trace);

/** "kspace p3", and its colour, "#f44a3f", here and in the graph. @param[out] text  size bytes */
void app_event_name(const psg_event *event, char *text, size_t size);
const char *app_event_colour(const psg_event *event);

#endif
