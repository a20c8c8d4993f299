/** @file record.h  What processes that measure are asked for, and what they find, as plain data. */
#ifndef PSG_BENCH_RECORD_H
#define PSG_BENCH_RECORD_H

#include "bench/sweep.h"
#include "bench/times.h"
#include "graph/psg_observe.h"

#include <stdbool.h>
#include <stdint.h>

enum { BENCH_BUSY_MOST = 128 };
/** Those of solves without a gradient, which is all that is measured. */
enum { BENCH_STAGES = PSG_STAGE_EDGE };
/** Of any work. */
enum { BENCH_KINDS = PSG_STAGE_MOST + 1 };

/** One round of a configuration: in_flight solves together; times are those of one of them. Of
 *  several processes it has the sums, and the time of the slowest. */
typedef struct bench_sample {
    double seconds; /**< the round's time over in_flight */
    double stage[BENCH_STAGES];
    double busy; /**< share of the time that workers spent in tasks, the mean */
    double
        exchange_busy; /**< share in which messages of a process were on their way, the largest */
    double busiest;    /**< the largest of these shares: that of a worker, or of the exchange */
    float busy_worker[BENCH_BUSY_MOST]; /**< in the order of the processes */
    double tasks_cpu, tasks_gpu;        /**< that cores and GPUs did, in one of the solves */
    double kind_tasks[BENCH_KINDS],
        kind_seconds[BENCH_KINDS]; /**< by psg_stage, in one of the solves */
    double cpu_planes, cpu_rows;   /**< planes and rows that cores transformed */
    double h2d_bytes, d2h_bytes, d2d_bytes, sent_bytes, spectrum_bytes;
    double h2d_seconds, d2h_seconds, d2d_seconds; /**< NAN: not known */
    double bound
        [PSG_BOUND_COUNT]; /**< seconds, of the latest solve; 0 if nobody asked, as are the next */
    double link[PSG_LINK_COUNT]; /**< seconds, of which the largest is the bound by links */
    double lp_bound;
    double of_bound; /**< the largest of `bound` over the time of that solve */
} bench_sample;

/** What the plan came to, of all processes. */
typedef struct bench_facts {
    size_t segments, segment_planes, sheets;
    unsigned workers; /**< that have an entry in busy_worker */
    unsigned cpus, gpus;
    int exchange;
    double gpu_memory; /**< of a machine: bytes of all its GPUs */
    double plan_seconds;
    char policy[64], gpu_model[64];
} bench_facts;

typedef enum bench_record_kind {
    BENCH_RECORD_BEGIN = 1, /**< text: what is begun with the configuration */
    BENCH_RECORD_FACTS,
    BENCH_RECORD_SAMPLE,
    BENCH_RECORD_CHECKED, /**< error and tolerance */
    BENCH_RECORD_FAILED,  /**< text: why; no more comes of this configuration */
    BENCH_RECORD_SOLVED,  /**< a solve that is not measured */
    BENCH_RECORD_TIME,    /**< time: what the tasks of a kind took, of all configurations */
    BENCH_RECORD_COSTS,   /**< costs: of all configurations */
    BENCH_RECORD_MACHINE, /**< facts: cpus, gpus and their memory that there are */
} bench_record_kind;

/** Plain data, which goes through a pipe as it is. */
typedef struct bench_record {
    bench_record_kind kind;
    size_t config; /**< its number in the sweep */
    union {
        bench_facts facts;
        bench_sample sample;
        bench_time time;
        struct {
            bench_costs submission, gap;
        } costs;
        struct {
            double error, tolerance;
        } checked;
        char text[512];
    } is;
} bench_record;

/** What to do with the configurations of a group. */
typedef struct bench_visit {
    bench_config *config; /**< of the whole sweep */
    size_t configs;       /**< how many these are */
    size_t *which;        /**< those of the group; will be shuffled */
    size_t count;
    const char *mpirun;       /**< the command that starts several processes, with its options */
    unsigned warm_up, rounds; /**< of solves that do not count, and that do */
    bool times;               /**< tell how long tasks took */
    bool bounds;              /**< find the bounds of each round's latest solve */
    double until;   /**< on app_now()'s clock: rounds that would end later are left out, all but
                                    one that counts; 0: no limit. Of one process alone */
    bool calibrate; /**< measure for StarPU's models; then only warm_up is done */
    uint64_t seed;
    double memory; /**< bytes that plans may take together; one that needs more is done alone */
} bench_visit;

#endif
