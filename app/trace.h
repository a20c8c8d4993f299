/** @file trace.h  A record as a file for chrome://tracing or ui.perfetto.dev. */
#ifndef PSG_APP_TRACE_H
#define PSG_APP_TRACE_H

#include "app/rank_workers.h"
#include "app/record.h"

#include <jansson.h>

/** Write what happened in all processes, in the trace-event format. A process has a track for each
 *  worker, one for each link that something was copied over, and one for the submission of tasks.
 *  A task has the name of its kind; what it is about is in its arguments. Messages between
 *  processes are asynchronous events. Arrows go from a task to each task that read what it had
 *  written, and from the task that wrote what a message carries to the one that waited for it. On
 *  rank 0, after app_record_join().
 *  @param[in] path   the file to write; `shown` is its name in messages
 *  @param[in] workers  names of the tracks
 *  @param[in] about  what was solved, where and when, which is taken over; NULL: nothing is said
 *  @return APP_DONE; APP_FAILED after a message */
int app_trace_write(const app_record *record, const char *path, const char *shown,
                    const app_workers *workers, json_t *about);

#endif
