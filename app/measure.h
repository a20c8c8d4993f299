/** @file measure.h  Measuring configurations of one group, in processes of their own. What is found goes
 *  through a pipe, so that a policy that crashes or hangs costs its own row alone. */
#ifndef PSG_APP_MEASURE_H
#define PSG_APP_MEASURE_H

#include "app/fields.h"
#include "app/sweep.h"
#include "app/times.h"
#include "graph/psg_observe.h"

#include <stdint.h>

enum { APP_BUSY_MOST = 128 };

/** One round of a configuration: in_flight solves together; times are those of one of them. Of
 *  several processes it has the sums, and the time of the slowest. */
typedef struct app_sample {
    double seconds; /**< the round's time over in_flight */
    double stage[PSG_STAGE_COUNT];
    double busy; /**< share of the time that workers spent in tasks, the mean */
    double
        exchange_busy; /**< share in which messages of a process were on their way, the largest */
    double busiest;    /**< the largest of these shares: that of a worker, or of the exchange */
    float busy_worker[APP_BUSY_MOST]; /**< in the order of the processes */
    double tasks_cpu, tasks_gpu;      /**< that cores and GPUs did, in one of the solves */
    double cpu_planes, cpu_rows;      /**< likewise, those that cores transformed */
    double h2d_bytes, d2h_bytes, d2d_bytes, sent_bytes, spectrum_bytes;
    double h2d_seconds, d2h_seconds, d2d_seconds; /**< NAN: not known */
    double bound
        [PSG_BOUND_COUNT]; /**< seconds, of the latest solve; 0 if nobody asked, as are the next */
    double link[PSG_LINK_COUNT]; /**< seconds, of which the largest is the bound by links */
    double lp_bound;
    double of_bound; /**< the largest of `bound` over the time of that solve */
} app_sample;

/** What the plan came to, of all processes. */
typedef struct app_facts {
    size_t segments, segment_planes, pencils;
    unsigned workers; /**< that have an entry in busy_worker */
    unsigned cpus, gpus;
    int exchange;
    double gpu_memory; /**< of a machine: bytes of all its GPUs */
    double plan_seconds;
    char policy[64], gpu_model[64];
} app_facts;

typedef enum app_record_kind {
    APP_RECORD_BEGIN = 1, /**< text: what is begun with the configuration */
    APP_RECORD_FACTS,
    APP_RECORD_SAMPLE,
    APP_RECORD_CHECKED, /**< error and tolerance */
    APP_RECORD_FAILED,  /**< text: why; no more comes of this configuration */
    APP_RECORD_SOLVED,  /**< a solve that is not measured */
    APP_RECORD_TIME,    /**< time: what the tasks of a kind took, of all configurations */
    APP_RECORD_COSTS,   /**< costs: of all configurations */
    APP_RECORD_MACHINE, /**< facts: cpus, gpus and their memory that there are */
} app_record_kind;

/** Plain data, which goes through a pipe as it is. */
typedef struct app_record {
    app_record_kind kind;
    size_t config; /**< its number in the sweep */
    union {
        app_facts facts;
        app_sample sample;
        app_time time;
        struct {
            app_costs submission, gap;
        } costs;
        struct {
            double error, tolerance;
        } checked;
        char text[512];
    } is;
} app_record;

/** What to do with the configurations of a group. */
typedef struct app_visit {
    app_config *config; /**< of the whole sweep */
    size_t configs;     /**< how many these are */
    size_t *which;      /**< those of the group; will be shuffled */
    size_t count;
    const char *mpirun;       /**< the command that starts several processes, with its options */
    unsigned warm_up, rounds; /**< of solves that do not count, and that do */
    int times;                /**< tell how long tasks took */
    int bounds;               /**< find the bounds of each round's latest solve */
    double until;  /**< on app_now()'s clock: rounds that would end later are left out, all but
                                    one that counts; 0: no limit. Of one process alone */
    int calibrate; /**< measure for StarPU's models; then only warm_up is done */
    uint64_t seed;
    double memory; /**< bytes that plans may take together; one that needs more is done alone */
} app_visit;

/** Do it, by all processes together, and write the records to `pipe` of rank 0. To be called in
 *  processes where StarPU never ran. Collective.
 *  @return APP_DONE, whatever became of the configurations; APP_FAILED after a message */
int app_measure(const app_visit *visit, int pipe);

/** One record with the workers there are. */
void app_measure_machine(int pipe);

/** The next of a sequence of random numbers. */
uint64_t app_random(uint64_t *state);

/** A random order. */
void app_shuffle(size_t *items, size_t count, uint64_t *state);

#endif
