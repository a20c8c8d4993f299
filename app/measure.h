/** @file measure.h  Measuring configurations of one group, in a process of their own. What is found goes
 *  through a pipe, so that a policy that crashes or hangs costs its own row alone. */
#ifndef PSG_APP_MEASURE_H
#define PSG_APP_MEASURE_H

#include "app/fields.h"
#include "app/sweep.h"

#include <stdint.h>

enum { APP_BUSY_MOST = 128 };

/** One round of a configuration: in_flight solves together; times are those of one of them. */
typedef struct app_sample {
    double seconds; /**< the round's time over in_flight */
    double stage[PSG_STAGE_COUNT];
    double busy,
        busiest; /**< share of the time that workers spent in tasks: the mean and the largest */
    float busy_worker[APP_BUSY_MOST];
    double h2d_bytes, d2h_bytes, d2d_bytes, sent_bytes, spectrum_bytes;
} app_sample;

/** What the plan came to. */
typedef struct app_facts {
    size_t segments, segment_planes, pencils;
    unsigned workers; /**< that have an entry in busy_worker */
    unsigned cpus, gpus;
    int exchange;
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
    APP_RECORD_MACHINE, /**< facts: cpus and gpus that there are */
} app_record_kind;

/** Small enough to get through a pipe in one piece. */
typedef struct app_record {
    app_record_kind kind;
    size_t config; /**< its number in the sweep */
    union {
        app_facts facts;
        app_sample sample;
        struct {
            double error, tolerance;
        } checked;
        char text[512];
    } is;
} app_record;

/** What to do with the configurations of a group. */
typedef struct app_visit {
    const app_config *config; /**< of the whole sweep */
    size_t *which;            /**< those of the group; will be shuffled */
    size_t count;
    unsigned warm_up, rounds; /**< of solves that do not count, and that do */
    double until;  /**< on app_now()'s clock: rounds that would end later are left out, all but
                                   one that counts; 0: no limit */
    int calibrate; /**< measure for StarPU's models; then only warm_up is done */
    uint64_t seed;
    double memory; /**< bytes that plans may take together; one that needs more is done alone */
    app_field_store *fields;
} app_visit;

/** Do it, and write the records to `pipe`. To be called in a process where StarPU never ran. */
void app_measure(const app_visit *visit, int pipe);

/** One record with the workers there are. */
void app_measure_machine(int pipe);

/** The next of a sequence of random numbers. */
uint64_t app_random(uint64_t *state);

/** A random order. */
void app_shuffle(size_t *items, size_t count, uint64_t *state);

#endif
