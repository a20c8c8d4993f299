/** @file replay_record.h  The records of a tasks.rec, one after the other, and the graph that they
 * make. */
#ifndef WORKLOADS_REPLAY_RECORD_H
#define WORKLOADS_REPLAY_RECORD_H

#include "workloads/replay.h"

#include <stdbool.h>
#include <stdint.h>

/** A list of numbers that grows. */
typedef struct replay_list {
    uint64_t *item;
    size_t count, room;
} replay_list;

/** A number of a task in the file: StarPU's, with that of the process above it. */
typedef uint64_t replay_job;

/** What the file has of a task. Lists are parts of those of replay_records: where they begin, and
 * how many items they have. */
typedef struct replay_record {
    size_t line; /**< where it begins */
    char name[64], model[64];
    replay_job job;
    uint64_t order; /**< of submission, from 1; 0: it has none */
    int priority;
    int worker;     /**< -1: none: a task that only orders others */
    int memory;     /**< number of the memory that its worker has; 0 is main memory */
    double seconds; /**< that it took; NAN: the file does not say */
    uint64_t footprint;
    size_t depends, depend_count;
    size_t data, data_count;    /**< three lists of one length: handles, modes, sizes */
    size_t estimate, estimates; /**< seconds by worker; INFINITY: not known */
} replay_record;

typedef struct replay_records {
    replay_record *record; /**< [count] */
    size_t count, room;
    replay_list depends;            /**< jobs */
    replay_list handle, mode, size; /**< of one length */
    double *estimate;               /**< [estimates] */
    size_t estimates, estimate_room;
    int gpus, cpus; /**< workers, GPUs first, where the file begins by saying so; else -1 */
} replay_records;

/** Read all records. @return as replay_read() */
psg_status replay_records_read(replay_records *records, const char *path);
void replay_records_free(replay_records *records);

/** Find the classes of the tasks of a graph. @param[in] task_of  [count]: the task of a record
 *  @return PSG_OK; PSG_ERR_ARG: a task has no time; PSG_ERR_MEMORY */
psg_status replay_find_classes(replay_graph *graph, const replay_records *records,
                               const size_t *task_of, const char *path);

/** Make room for one more of `count` items. @return the memory, which may have moved; NULL: no
 * memory, and the old one is as it was */
void *replay_grown(void *memory, size_t count, size_t *room, size_t item_bytes);
bool replay_list_add(replay_list *list, uint64_t item);

#endif
