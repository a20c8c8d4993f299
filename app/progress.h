/** @file progress.h  What a long run is doing, how far it is, and about how long it will take: one
 *  line that changes on a terminal, and a line every 15 seconds anywhere else. */
#ifndef PSG_APP_PROGRESS_H
#define PSG_APP_PROGRESS_H

#include <pthread.h>
#include <stddef.h>

/** How far is the present part? For the thread that draws.
 *  @param[out] text  size bytes: ": 3 of 12 batches"; "" at the call
 *  @return the share that is done, from 0 to 1 */
typedef double app_progress_look(const void *context, char *text, size_t size);

typedef struct app_progress {
    int on; /**< 0: every call below does nothing */
    int stop;
    int terminal;
    int drawn;
    double since; /**< when the run began, app_now() */
    char step[64];
    size_t done, parts; /**< of the step; parts = 0: it has none */
    double parts_since;
    app_progress_look *look;
    const void *context;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
} app_progress;

/** Show the step and the seconds so far on stderr, if it is `wanted`: on a terminal once a run
 *  takes longer than a second. */
void app_progress_start(app_progress *progress, int wanted);

/** A step begins ("reading"). */
void app_progress_step(app_progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** A part of a step begins, after `done` of them: "solving 3/10", and what is left is estimated.
 *  @param[in] look  NULL: nothing is known about the inside of a part. It is called until the next
 *  step or stop, and must not call back */
void app_progress_part(app_progress *progress, const char *what, size_t done, size_t parts,
                       app_progress_look *look, const void *context);

/** Wipe the line and stop. */
void app_progress_stop(app_progress *progress);

#endif
