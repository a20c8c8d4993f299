/** @file times.h  How long tasks took, by what their time depends on: what is recorded of a machine for a psg that
 *  simulates it. */
#ifndef PSG_APP_TIMES_H
#define PSG_APP_TIMES_H

#include "app/sweep.h"
#include "graph/psg.h"

/** What the time of a task depends on, and the time; or that of many, and how far they spread. */
typedef struct app_time {
    psg_stage stage;
    int precision, gpu;
    size_t n[3];
    int pencil;   /**< the task is about a pencil, else about a segment */
    size_t count; /**< see psg_event, as are the following */
    int dense;
    size_t pieces, remote;
    double seconds; /**< of many on GPUs the median, on cores the mean */
    /** Of many on cores: of their logarithms the squares of what they are off their mean, summed, and
     *  how many there are, less one. */
    double squares, freedom;
} app_time;

/** All zero before the first use. */
typedef struct app_times {
    struct app_time_list *list; /* one for each kind of task */
    size_t count;
    double submit_seconds, submit_pieces; /**< as psg_statistics, of all solves of several tasks */
} app_times;

/** A task, as the library told of it. @return the same for app_times_add() */
app_time app_time_of(const app_config *config, const psg_event *event, int gpu);

/** @return 0; -1: out of memory */
int app_times_add(app_times *times, const app_time *time);

/** What is known of kind number `which`, where its times are of single tasks: cores share memory, and
 *  some their physical core with others, so what tasks take there spreads, and each counts. Mean and
 *  spread are those of the log-normal distribution that fits, which few tasks that were interrupted
 *  hardly change. */
app_time app_times_sum_up(const app_times *times, size_t which);

/** The same, where they have been summed up by several processes: the median of these. */
app_time app_times_median(const app_times *times, size_t which);
void app_times_free(app_times *times);

/** Write the machine that is here, with these times, to a file that appears whole or not at all.
 *  @param[in] cpus, gpus  that there are
 *  @return APP_DONE; APP_FAILED or APP_USAGE after a message */
int app_times_write(const app_times *times, const char *path, unsigned cpus, unsigned gpus);

#endif
