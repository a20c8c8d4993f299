/* The progress line is drawn by a thread of its own: the main one is inside a solve, or inside
 * HDF5, most of the time. */
#include "app/progress.h"
#include "app/app.h"
#include "base/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void *draw(void *argument) {
    app_progress *progress = argument;
    pthread_mutex_lock(&progress->mutex);
    while (!progress->stop) {
        const struct timespec until = base_after(CLOCK_REALTIME, 0.25);
        pthread_cond_timedwait(&progress->wake, &progress->mutex, &until);
        const double seconds = app_now() - progress->since;
        if (!progress->stop && progress->step[0] && seconds > 1) {
            fprintf(stderr, "\r\033[Kpsg: %s, %.0f s", progress->step, seconds);
            fflush(stderr);
            progress->drawn = 1;
        }
    }
    pthread_mutex_unlock(&progress->mutex);
    return NULL;
}

void app_progress_start(app_progress *progress, int wanted) {
    memset(progress, 0, sizeof *progress);
    if (!wanted || !isatty(STDERR_FILENO)) {
        return;
    }
    progress->since = app_now();
    pthread_mutex_init(&progress->mutex, NULL);
    pthread_cond_init(&progress->wake, NULL);
    progress->on = pthread_create(&progress->thread, NULL, draw, progress) == 0;
}

void app_progress_step(app_progress *progress, const char *format, ...) {
    if (!progress->on) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&progress->mutex);
    vsnprintf(progress->step, sizeof progress->step, format, arguments);
    pthread_mutex_unlock(&progress->mutex);
    va_end(arguments);
}

void app_progress_stop(app_progress *progress) {
    if (!progress->on) {
        return;
    }
    pthread_mutex_lock(&progress->mutex);
    progress->stop = 1;
    pthread_cond_signal(&progress->wake);
    pthread_mutex_unlock(&progress->mutex);
    pthread_join(progress->thread, NULL);
    pthread_cond_destroy(&progress->wake);
    pthread_mutex_destroy(&progress->mutex);
    if (progress->drawn) {
        fputs("\r\033[K", stderr);
    }
    progress->on = 0;
}
