/* Progress is told by a thread of its own: the main one is inside a solve, or inside HDF5, most of
 * the time. */
#include "app/progress.h"
#include "app/app.h"
#include "base/clock.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const double period[] = {15, 0.25}; /* seconds: of lines in a log, of looks on a terminal */

/* The first seconds, and the first parts, say nothing about the rest. */
static double seconds_left(const app_progress *progress, double share) {
    const double seconds = app_now() - progress->parts_since;
    return seconds >= 5 && share >= 0.05 && share < 1 ? seconds * (1 - share) / share : NAN;
}

/* Under the mutex. */
static void draw(app_progress *progress, double seconds) {
    char inside[64] = "", left[48] = "";
    if (progress->parts > 0) {
        const double part =
            progress->look != NULL ? progress->look(progress->context, inside, sizeof inside) : 0;
        const double share = ((double)progress->done + part) / (double)progress->parts;
        const double rest = seconds_left(progress, share);
        if (!isnan(rest)) {
            (void)snprintf(left, sizeof left, ", about %.0f s left", rest);
        }
    }
    fprintf(stderr, "%spsg: %s%s, %.0f s%s%s", progress->terminal ? "\r\033[K" : "", progress->step,
            inside, seconds, left, progress->terminal ? "" : "\n");
    fflush(stderr);
    progress->drawn = 1;
}

static void *watch(void *argument) {
    app_progress *progress = argument;
    const double every = period[progress->terminal];
    double next = progress->terminal ? 1 : every;
    pthread_mutex_lock(&progress->mutex);
    while (!progress->stop) {
        const double wait = progress->since + next - app_now();
        const struct timespec until = base_after(CLOCK_REALTIME, fmax(wait, 0));
        pthread_cond_timedwait(&progress->wake, &progress->mutex, &until);
        const double seconds = app_now() - progress->since;
        if (!progress->stop && progress->step[0] && seconds >= next) {
            draw(progress, seconds);
        }
        next = seconds >= next ? every * (floor(seconds / every) + 1) : next;
    }
    pthread_mutex_unlock(&progress->mutex);
    return NULL;
}

void app_progress_start(app_progress *progress, int wanted) {
    memset(progress, 0, sizeof *progress);
    if (!wanted) {
        return;
    }
    progress->terminal = isatty(STDERR_FILENO);
    progress->since = app_now();
    pthread_mutex_init(&progress->mutex, NULL);
    pthread_cond_init(&progress->wake, NULL);
    progress->on = pthread_create(&progress->thread, NULL, watch, progress) == 0;
}

void app_progress_step(app_progress *progress, const char *format, ...) {
    if (!progress->on) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&progress->mutex);
    vsnprintf(progress->step, sizeof progress->step, format, arguments);
    progress->parts = 0;
    pthread_mutex_unlock(&progress->mutex);
    va_end(arguments);
}

void app_progress_part(app_progress *progress, const char *what, size_t done, size_t parts,
                       app_progress_look *look, const void *context) {
    if (!progress->on) {
        return;
    }
    pthread_mutex_lock(&progress->mutex);
    snprintf(progress->step, sizeof progress->step, "%s %zu/%zu", what, done + 1, parts);
    progress->parts_since =
        done == 0 || progress->parts_since == 0 ? app_now() : progress->parts_since;
    progress->done = done;
    progress->parts = parts;
    progress->look = look;
    progress->context = context;
    pthread_mutex_unlock(&progress->mutex);
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
    if (progress->drawn && progress->terminal) {
        fputs("\r\033[K", stderr);
    }
    progress->on = 0;
}
