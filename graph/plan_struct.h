/** @file plan_struct.h  A plan: a solver for one grid and one set of options. */
#ifndef PSG_GRAPH_PLAN_STRUCT_H
#define PSG_GRAPH_PLAN_STRUCT_H

#include "graph/boxes.h"
#include "graph/exchange.h"
#include "graph/pending.h"
#include "graph/placement.h"
#include "graph/residuals.h"
#include "graph/route.h"
#include "graph/shared_memory.h"
#include "graph/storage.h"
#include "graph/work.h"

/** The processes that share the plan. */
typedef struct psg_processes {
    psg_comm *comm; /**< NULL: one process */
    int ranks;      /**< 1 without a communicator */
    int rank;
} psg_processes;

/** Is at least one of them on another node than this one? The same on all. */
static inline bool psg_processes_far(const psg_processes *p) {
    return p->ranks > 1 && p->comm->node_ranks < p->ranks;
}

/** What is known of the latest solve that was waited for, beside what psg_plan.work has. */
typedef struct psg_past {
    double mean; /**< of its f */
    /** [mean_count]: of each right-hand side of psg_solve_many(), if that was the latest */
    double *means;
    size_t mean_count;
    bool from_memory;    /**< its f and u were arrays in main memory */
    double copied_bytes; /**< of its f and u: psg_arrays_copied() */
    psg_pcg_result pcg;  /**< 0: it had no epsilon */
} psg_past;

/** Each structure is made from those before it, by the functions of graph/plan.c. None but the last
 *  five changes after psg_plan_create(); of `problem` what depends on the box. */
struct psg_plan {
    psg_problem problem;
    psg_processes processes;
    psg_workers workers;
    psg_shared shared;
    /** chosen bit by bit, as what it depends on is made; with another home what is below is made
     *  anew */
    psg_solve_route route;
    psg_solve_route several; /**< of several right-hand sides at once */
    psg_gpu_place placement;
    psg_between between;
    psg_boxes boxes; /**< of psg_plan_box() */
    /** what tasks see of the plan, with the layout and the form of their data */
    psg_context context;
    psg_storage storage;
    psg_held_arrays held;
    psg_pending_list pending;
    psg_work work; /**< each solve is a run of it */
    psg_past past;
    psg_residuals *residuals; /**< of the latest solve with epsilon */
};

static inline const psg_plan *psg_plan_of(const psg_work *work) {
    return work->owner;
}

#endif
