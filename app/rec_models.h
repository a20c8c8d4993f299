/** @file rec_models.h  What StarPU's tools read beside a tasks.rec: a performance model of each
 * kind of task, and the machine for SimGrid. */
#ifndef PSG_APP_REC_MODELS_H
#define PSG_APP_REC_MODELS_H

#include "app/dag_graph.h"

/** Tasks that are alike. */
typedef struct app_rec_class {
    psg_stage stage;
    double seconds[2]; /**< on a core and on a GPU; 0: not known */
} app_rec_class;

typedef struct app_rec_models {
    app_rec_class *class_of; /**< [classes]: those of a kind stand together */
    size_t classes;
    size_t gpus, cpus;
} app_rec_models;

/** What the records and the models call a class. */
static inline size_t app_rec_footprint(size_t of_class) {
    return of_class + 1;
}

/** Write the folder SHOWN.models, for STARPU_PERF_MODEL_DIR with STARPU_HOSTNAME=psg. What has its
 *  files' names there is replaced. @return APP_DONE; APP_FAILED after a message */
int app_rec_models_write(const app_rec_models *models, const app_graph *graph, const char *shown);

#endif
