/** @file route.h  Which way a plan's solves go: a graph of tasks, who runs them, how blocks are
 *  exchanged, and where the spectrum is at home. Each is a row of a table, chosen once when the
 *  plan is made. */
#ifndef PSG_GRAPH_ROUTE_H
#define PSG_GRAPH_ROUTE_H

#include "graph/arrays.h"
#include "graph/workspace.h"

/** The tasks of a solve. */
typedef struct psg_graph_row {
    const char *words;
    /** Submit every task of one solve. Failures are latched in the run. */
    void (*submit)(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                   const psg_arrays *arrays);
} psg_graph_row;

/** Who runs them. A function that is NULL has nothing to do. */
typedef struct psg_executor {
    const char *words;
    bool sleeps;  /**< StarPU's workers may sleep: they do not run the tasks */
    bool gathers; /**< runs keep their tasks for the next solve of the same arrays */
    /** Before the first solve. @return PSG_OK; PSG_ERR_MEMORY */
    psg_status (*make)(psg_engine *engine, const psg_plan *plan);
    /** Segments, or sheets, that suit it; NULL: so many that StarPU's workers have enough. */
    size_t (*parts)(const psg_plan *plan, bool sheets);
    /** Submit a solve. @param[in] waits  the calling thread does nothing else until it has ended
     *  @return do all its tasks follow one another on one stream? */
    bool (*submit)(psg_run *run, const psg_plan *plan, const psg_graph_row *graph,
                   const psg_workspace *workspace, const psg_arrays *arrays, bool waits);
} psg_executor;

/** How blocks go from segments to sheets, and back. */
typedef struct psg_exchange_row {
    psg_exchange is;
    const char *words;
    bool shares; /**< processes write and read blocks in each other's memory */
    /** Between processes: submit what carries the blocks one way. NULL: one process. */
    void (*carry)(psg_run *run, const psg_plan *plan, const psg_workspace *workspace, psg_way way);
} psg_exchange_row;

typedef struct psg_solve_route {
    const psg_graph_row *graph;
    const psg_executor *executor;
    const psg_exchange_row *exchange;
    char words[192]; /**< for psg_plan_route() */
} psg_solve_route;

/** Which graph, and a team of cores or tasks of StarPU's? The plan's workers and options are
 * known. */
void psg_route_begin(psg_solve_route *route, const psg_plan *plan);
/** Once all else is known: the route of several right-hand sides at once. Its graph is NULL where
 *  they are solved one after the other. */
void psg_route_several(psg_solve_route *several, const psg_plan *plan);
/** How are blocks exchanged? @return PSG_OK; PSG_ERR_UNSUPPORTED */
psg_status psg_route_exchange(psg_solve_route *route, const psg_plan *plan);
/** What follows from the exchange: packed, messages, reaches. */
void psg_route_form(psg_form *form, const psg_plan *plan);
/** What follows from the cut: z_contiguous, segment_is_block, sheet_is_block; and the width of
 *  strips: kernels on GPUs store the rows of a block as strips of x one after the other. All
 *  processes that read a block have the same.
 *  @return PSG_OK; PSG_ERR_RUNTIME */
psg_status psg_route_blocks(psg_form *form, const psg_plan *plan);
/** Once all parts have a worker: is a solve one task on one GPU? @return see
 * psg_engine.chain_steps */
size_t psg_route_chain(psg_solve_route *route, const psg_plan *plan);
/** Find the words. */
void psg_route_say(psg_solve_route *route, const psg_plan *plan);

#endif
