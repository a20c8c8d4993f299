/** @file progress.h  One line on the terminal that says what a long run is doing. */
#ifndef PSG_APP_PROGRESS_H
#define PSG_APP_PROGRESS_H

#include <pthread.h>

typedef struct app_progress {
    int on; /**< 0: every call below does nothing */
    int stop;
    int drawn;
    double since; /**< when the run began, app_now() */
    char step[64];
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
} app_progress;

/** Show the step and the seconds so far on stderr, once a run takes longer than a second; only if
 *  stderr is a terminal and `wanted`. */
void app_progress_start(app_progress *progress, int wanted);

/** A step begins ("solving 3/10"). */
void app_progress_step(app_progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Wipe the line and stop. */
void app_progress_stop(app_progress *progress);

#endif
