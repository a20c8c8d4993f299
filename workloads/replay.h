/** @file replay.h  A task graph that a run left in a file, in the format of StarPU's tasks.rec: the
 * graph, and the records that are read first, as the lines say them. */
#ifndef WORKLOADS_REPLAY_H
#define WORKLOADS_REPLAY_H

#include "graph/psg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A task uses a piece of data. */
typedef struct replay_use {
    size_t data;
    int mode; /**< StarPU's: STARPU_R, STARPU_W, STARPU_RW, STARPU_RW | STARPU_COMMUTE */
} replay_use;

/** Tasks of the same model and footprint. */
typedef struct replay_class {
    char model[64];
    double seconds[2];  /**< on a core and on a GPU; 0: not known */
    double measured[2]; /**< the sum over the tasks that ran there */
    size_t ran[2];      /**< and how many these are */
} replay_class;

typedef struct replay_task {
    size_t of_class;
    int priority;
    size_t use, uses; /**< where its uses begin, and how many it has */
} replay_task;

/** All zero before the first use. A task comes after all that it waits for, and has data in common
 * with each of them: StarPU's order of those that use a piece of data is that of the graph. */
typedef struct replay_graph {
    replay_task *task; /**< [tasks] */
    size_t tasks;
    replay_class *of_class; /**< [classes] */
    size_t classes;
    replay_use *use; /**< of all tasks */
    size_t *bytes; /**< [data]: of each piece of data. A task that waits for another one though they
                        share no data has a piece of one byte in common with it */
    size_t data;
} replay_graph;

/** Read a file.
 *  @param[out] graph  to be freed by replay_free(), after failures too
 *  @return PSG_OK; PSG_ERR_ARG: there is no such file, or it is damaged, or tasks wait for one
 * another in a circle, and the words say where; PSG_ERR_MEMORY */
psg_status replay_read(replay_graph *graph, const char *path);
void replay_free(replay_graph *graph);

/* ---------------------------------------------------------------------------------- the records */

/** The fields of numbers, each one number or a list of them. */
enum {
    REPLAY_JOB, /**< of process P, from 1 on: (P + 1) 2^48 more than in the file */
    REPLAY_ORDER,
    REPLAY_PRIORITY, /**< an int64_t */
    REPLAY_DEPENDS,  /**< jobs */
    REPLAY_WORKER,
    REPLAY_MEMORY,  /**< 0 is main memory */
    REPLAY_START,   /**< real, milliseconds */
    REPLAY_END,     /**< real, milliseconds */
    REPLAY_KIND,    /**< the footprint */
    REPLAY_HANDLES, /**< with modes and sizes three lists of one length */
    REPLAY_MODES,   /**< StarPU's; 0: scratch */
    REPLAY_SIZES,
    REPLAY_ESTIMATES, /**< real, microseconds by worker; INFINITY: not known */
    REPLAY_FIELDS
};

typedef union replay_value {
    uint64_t number;
    double real;
} replay_value;

/** What the file has of a task. */
typedef struct replay_record {
    size_t line; /**< where it begins */
    const char *name, *model;
    struct {
        size_t first, count; /**< among all values */
    } field[REPLAY_FIELDS];
} replay_record;

typedef struct replay_records {
    char *text;
    replay_value *value;
    size_t values;
    replay_record *record; /**< [count] */
    size_t count;
    int gpus, cpus; /**< workers, GPUs first, where the file begins by saying so; else -1 */
} replay_records;

/** Read all records. @return PSG_OK; PSG_ERR_ARG: there is no such file, or a line or a record is
 * damaged, and the words say which; PSG_ERR_MEMORY. After any failure free them, too */
psg_status replay_records_read(replay_records *records, const char *path);
void replay_records_free(replay_records *records);

/** Value m of a field. */
static inline replay_value replay_at(const replay_records *r, size_t record, int field, size_t m) {
    return r->value[r->record[record].field[field].first + m];
}
/** The number of a field of one. @return 0: the record does not have it */
static inline uint64_t replay_number(const replay_records *r, size_t record, int field) {
    return r->record[record].field[field].count > 0 ? replay_at(r, record, field, 0).number : 0;
}
/** Did a worker do it? Else it only orders others. */
static inline bool replay_is_task(const replay_records *r, size_t record) {
    return r->record[record].field[REPLAY_WORKER].count > 0;
}

#endif
