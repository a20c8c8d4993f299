/** @file replay.h  A task graph that a run left in a file, in the format of StarPU's tasks.rec. */
#ifndef WORKLOADS_REPLAY_H
#define WORKLOADS_REPLAY_H

#include "graph/psg.h"

#include <stddef.h>

/** A task uses a piece of data. */
typedef struct replay_use {
    size_t data;
    int mode; /**< StarPU's: STARPU_R, STARPU_W, STARPU_RW, STARPU_RW | STARPU_COMMUTE */
} replay_use;

/** Tasks of the same model and footprint. */
typedef struct replay_class {
    char model[64];
    double seconds[2]; /**< on a core and on a GPU; 0: not known */
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

#endif
