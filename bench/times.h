/** @file times.h  How long tasks took, by what their time depends on: what is recorded of a machine for a psg that
 *  simulates it. */
#ifndef PSG_BENCH_TIMES_H
#define PSG_BENCH_TIMES_H

#include "bench/sweep.h"
#include "graph/psg.h"
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"

/** What the time of a task depends on, and the time; or that of many, and how far they spread. */
typedef struct bench_time {
    psg_stage stage;
    int precision;
    bool gpu;
    size_t n[3];
    bool sheet;   /**< the task is about a sheet, else about a segment */
    size_t count; /**< planes of the segment, or rows of the sheet */
    bool dense;   /**< the blocks are in one piece each, else views */
    size_t pieces, remote;
    double seconds; /**< of many on GPUs the median, on cores the mean */
    /** Of many on cores: of their logarithms the squares of what they are off their mean, summed, and
     *  how many there are, less one. */
    double squares, freedom;
} bench_time;

/** What StarPU takes for tasks, so many seconds a piece of data and so many a task: the sums by which both are found
 *  such that, over all that was measured, the squares of what they are off in relation are least. All zero at first. */
typedef struct bench_costs {
    double pp, pt, tt, p, t; /* of pieces and tasks, each over the seconds that were measured */
} bench_costs;

/** So many pieces of so many tasks took so long. */
void bench_costs_add(bench_costs *costs, double pieces, double tasks, double seconds);
void bench_costs_join(bench_costs *costs, const bench_costs *others);

/** Neither is negative. What does not tell them apart puts all on the pieces. @return 0; -1: nothing was measured */
int bench_costs_find(const bench_costs *costs, double *piece, double *task);

/** All zero before the first use. */
typedef struct bench_times {
    struct bench_time_list *list; /* one for each kind of task */
    size_t count;
    bench_costs submission; /**< of solves of several tasks */
    /** Between two tasks of a GPU, the middle one of each solve of many, if they wait for no copies, no
     *  messages and no other solves. */
    bench_costs gap;
} bench_times;

/** A task, as the library told of it. @return the same for bench_times_add() */
bench_time bench_time_of(const size_t n[3], psg_precision precision, const psg_event *event,
                         bool gpu);

/** What passed between the tasks of each GPU in a solve, if it had many.
 *  @param[in] events  in the order of their ends */
void bench_times_add_gaps(bench_times *times, const psg_event *events, size_t count,
                          const psg_worker *workers, size_t of);

/** @return 0; -1: out of memory */
int bench_times_add(bench_times *times, const bench_time *time);

/** What is known of kind number `which`, where its times are of single tasks: cores share memory, and
 *  some their physical core with others, so what tasks take there spreads, and each counts. Mean and
 *  spread are those of the log-normal distribution that fits, which few tasks that were interrupted
 *  hardly change. */
bench_time bench_times_sum_up(const bench_times *times, size_t which);

void bench_times_free(bench_times *times);

/** Write the machine that is here, with these times, to a file that appears whole or not at all.
 *  @param[in] cpus, gpus  that there are
 *  @return APP_DONE; APP_FAILED or APP_USAGE after a message */
int bench_times_write(const bench_times *times, const char *path, unsigned cpus, unsigned gpus);

#endif
