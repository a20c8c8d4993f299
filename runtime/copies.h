/** @file copies.h  The copies between main memory and GPUs, and between GPUs, that were timed: how
 *  long each way was busy in all, and one by one while a solve wants to know. Of the process, as
 *  StarPU's data management is: a copy knows no plan. Thread-safe. */
#ifndef PSG_RUNTIME_COPIES_H
#define PSG_RUNTIME_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** In the order of the public psg_link. */
typedef enum psg_copy_way {
    PSG_COPY_H2D = 0,
    PSG_COPY_D2H,
    PSG_COPY_D2D,
    PSG_COPY_WAYS
} psg_copy_way;

typedef struct psg_copy_record {
    psg_copy_way way;
    int from, to; /**< CUDA device numbers; -1: main memory */
    const void *source;
    const void *target;
    size_t bytes;
    bool task;    /**< a task of ours made it: StarPU, which counts its own, knows nothing of it */
    double start; /**< microseconds of starpu_timing_now() */
    double end;   /**< microseconds of starpu_timing_now() */
} psg_copy_record;

/** All copies of a way so far. */
typedef struct psg_copy_sum {
    double seconds;      /**< NAN: one could not be timed */
    uint64_t task_bytes; /**< of those that tasks made */
} psg_copy_sum;

/** A copy has ended. */
void psg_copies_add(const psg_copy_record *record);
/** A copy could not be timed. */
void psg_copies_lose(psg_copy_way way);
void psg_copies_sums(psg_copy_sum sums[PSG_COPY_WAYS]);

/** Bracket a solve: between, the copies that StarPU makes are kept one by one. */
void psg_copies_keep(void);
void psg_copies_let_go(void);

/** A list, all zero before the first use; free(record) at the end. */
typedef struct psg_copy_list {
    psg_copy_record *record;
    size_t count;
    size_t room;
} psg_copy_list;

/** Take out those that `wanted` says, in place of what the list had; each is taken once. Without
 *  memory for one it is forgotten. */
void psg_copies_take(psg_copy_list *list,
                     bool (*wanted)(const psg_copy_record *record, const void *argument),
                     const void *argument);

#endif
