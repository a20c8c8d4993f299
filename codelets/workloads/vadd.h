/** @file vadd.h  The tasks of workload vadd. */
#ifndef PSG_CODELETS_WORKLOADS_VADD_H
#define PSG_CODELETS_WORKLOADS_VADD_H

#include "codelets/kinds.h"
#include "runtime/run.h"

/** The owner of its engine. All of it is set before the first task is submitted. */
typedef struct psg_vadd {
    size_t n;    /**< numbers of each vector */
    size_t tile; /**< numbers of a tile; of the last one fewer, perhaps */
    size_t real_bytes;
    bool f32;
} psg_vadd;

/** Numbers of tile t. The first one is number t * tile of the vector. */
static inline size_t psg_vadd_extent(const psg_vadd *v, size_t t) {
    const size_t left = v->n - t * v->tile;
    return left < v->tile ? left : v->tile;
}

/** c = a + b, of tile t. */
void psg_task_vadd(psg_run *run, size_t t, starpu_data_handle_t a, starpu_data_handle_t b,
                   starpu_data_handle_t c);

extern const psg_kind psg_vadd_kind;

#endif
