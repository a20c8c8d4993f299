/** @file route.h  Which way a plan's solves go: a graph of tasks, who runs them and who places
 *  them, how blocks are exchanged, and where the spectrum is at home. Each is a row of a table,
 *  chosen once when the plan is made. */
#ifndef PSG_GRAPH_ROUTE_H
#define PSG_GRAPH_ROUTE_H

#include "graph/arrays.h"
#include "graph/ranks.h"
#include "graph/shared_memory.h"
#include "graph/workspace.h"

struct psg_between;

/** How finely work is cut for a kind of worker. */
typedef struct psg_grain {
    size_t segments;  /**< for each worker, where the data are large enough */
    size_t sheets;    /**< the same */
    size_t bytes_min; /**< of f in a task: below, a task costs too much beside its work */
} psg_grain;

/** The tasks of a solve. */
typedef struct psg_graph_row {
    const char *words;
    /** 1: a solve has its segments' spectra and its sheets in memory beside its blocks; 0: it has
     *  not */
    size_t wholes;
    /** Find out whether processes share memory, see psg_shared_try(). NULL: its tasks write blocks
     *  of their own memory alone. */
    psg_status (*try_sharing)(psg_shared *shared, const psg_plan *plan);
    psg_graph_kinds kinds; /**< of a plan that packs */
    /** Submit the tasks that make the blocks of the arrays' f. NULL: it is not for free sides. */
    void (*forward)(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                    const psg_arrays *arrays);
    /** Submit every task of one solve. Failures are latched in the run. */
    void (*submit)(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                   const psg_arrays *arrays);
} psg_graph_row;

/** Who runs them. A function that is NULL has nothing to do. */
typedef struct psg_executor_row {
    psg_executor is;
    const char *words;
    bool sleeps;  /**< StarPU's workers may sleep: they do not run the tasks */
    bool gathers; /**< runs keep their tasks for the next solve of the same arrays */
    /** Before the first solve. @return PSG_OK; PSG_ERR_MEMORY */
    psg_status (*make)(psg_engine *engine, const psg_plan *plan);
    /** After the last one, before anything that it uses is freed. */
    void (*end)(psg_engine *engine);
    /** Segments, or sheets, that suit it; NULL: so many that StarPU's workers have enough. */
    size_t (*parts)(const psg_plan *plan, bool sheets);
    /** Submit a solve. @param[in] waits  the calling thread does nothing else until it has ended
     *  @return do all its tasks follow one another on one stream? */
    bool (*submit)(psg_run *run, const psg_plan *plan, const psg_graph_row *graph,
                   const psg_workspace *workspace, const psg_arrays *arrays, bool waits);
} psg_executor_row;

/** How blocks go from segments to sheets, and back. */
typedef struct psg_exchange_row {
    psg_exchange is;
    const char *words;
    /** Of the sheets whose blocks travel as one, at least. 1: each sheet travels alone */
    size_t bundle_bytes;
    /** Segments, or sheets, that suit GPUs. @param[in] tasks  that suit work of this size */
    size_t (*gpu_parts)(const psg_plan *plan, size_t tasks, bool sheets);
    /** Which rows does `kspace` move between GPUs, see psg_overlap_choose()? NULL: none. */
    psg_status (*choose_overlap)(psg_overlap *overlap, const psg_plan *plan);
    /** Memory for a chunk that has its node and bytes. @return false: there is none */
    bool (*allocate)(const psg_plan *plan, psg_chunk *chunk);
    void (*release)(const psg_plan *plan, psg_chunk *chunk);
    /** Let other processes reach a workspace, and reach theirs, see psg_shared_connect(). NULL:
     *  each process reaches its own memory alone. */
    psg_status (*connect)(psg_workspace *workspace, const psg_plan *plan, size_t items,
                          psg_status status);
    /** Make ready what carries blocks, beside the channel. Collective. NULL: the channel does.
     *  @return PSG_OK; PSG_ERR_UNSUPPORTED, _RUNTIME */
    psg_status (*lay)(struct psg_between *between, const psg_plan *plan);
    /** Blocks go from where segments have them, and come to where sheets have theirs as one array:
     *  on GPUs if there are some. */
    bool from_home;
    /** Of blocks for one process that GPUs hand over at a time. */
    double piece_bytes;
    /** Submit what carries the blocks one way; NULL: they stay in one process. */
    void (*carry)(psg_run *run, const psg_plan *plan, const psg_workspace *workspace, psg_way way);
    /** The same for PSG_WAY_THERE_AGAIN. NULL: segment and sheet each have a copy of the block, so
     *  no task waits. */
    void (*carry_again)(psg_run *run, const psg_plan *plan, const psg_workspace *workspace,
                        psg_way way);
} psg_exchange_row;

/** Where the spectrum is at home. In main memory StarPU brings copies of blocks to the GPUs and
 *  evicts them. */
typedef struct psg_home_row {
    const char *words;
    /** The memory node of a worker's part. */
    int (*node)(int worker);
    /** What bounds segments, in bytes: psg_gpu_place.room of this process. */
    double (*segment_room)(const psg_plan *plan);
    /** Bytes on the GPU with the least for what its tasks work on. */
    size_t (*task_room)(const psg_plan *plan);
    /** Do the blocks of one more solve fit the GPUs, see psg_placement_fits()? NULL: they do not
     *  stay there. */
    bool (*fits)(const psg_plan *plan, bool ahead);
    /** The same if `twice` rows of every plane have two buffers. NULL: there is no room for them */
    bool (*fits_twice)(const psg_plan *plan, bool ahead, size_t twice);
    size_t sheet_copies; /**< copies of a sheet that StarPU brings to a GPU for one task */
    size_t parts_each;   /**< the most segments of a GPU where one segment is best */
} psg_home_row;

/** Who decides on which worker a task runs, and what depends on it. */
typedef struct psg_placement_row {
    const char *words; /**< behind the executor's, where there are GPUs */
    /** Of the GPU whose share of the parts a segment or a sheet falls into: the one at which it is
     *  at home, and the one that has its tasks; -1: none, and any. */
    int (*home)(int gpu);
    int (*segment)(int gpu);
    int (*sheet)(int gpu);
    uint32_t where;    /**< of tasks that any may have, where there are cores and GPUs */
    psg_grain grain;   /**< of the GPUs' parts */
    size_t parts_each; /**< the most segments of a GPU where one segment is best */
    size_t guests;     /**< slabs from other GPUs that a GPU has room for at a time */
    /** Why other processes do not reach the memory of several GPUs of this one; NULL: they do */
    const char *apart;
} psg_placement_row;

typedef struct psg_solve_route {
    const psg_graph_row *graph;
    const psg_executor_row *executor;
    const psg_placement_row *placement;
    const psg_exchange_row *exchange;
    /** With less room on the GPUs another one, and what depends on it is made anew. */
    const psg_home_row *home;
    /** The processes that share memory. All of them make a workspace at once, or none. NULL: each
     *  makes its own. */
    psg_comm *sharing;
    bool on_gpus;    /**< the spectrum is in the memory of GPUs */
    char words[256]; /**< for psg_plan_route() */
} psg_solve_route;

/** Which graph? The plan's options are known. */
void psg_route_graph(psg_solve_route *route, const psg_plan *plan);
/** Do cores of one process take all tasks, and find all data in place? */
bool psg_route_one_memory(const psg_plan *plan);
/** A team of cores, or tasks of StarPU's, and who places these? The plan's workers are known.
 *  @return PSG_OK; PSG_ERR_UNSUPPORTED: the options ask for a team that cannot be, or a side is
 *          free where it cannot be */
psg_status psg_route_begin(psg_solve_route *route, const psg_plan *plan);
/** Where is the spectrum at home? It is known whether the processes share memory. */
const psg_home_row *psg_route_home(const psg_plan *plan);
/** The next home that takes less room on the GPUs. @return NULL: there is none */
const psg_home_row *psg_route_smaller_home(const psg_plan *plan);
/** Once all else is known: the route of several right-hand sides at once. Its graph is NULL where
 *  they are solved one after the other. */
void psg_route_several(psg_solve_route *several, const psg_plan *plan);
/** How are blocks exchanged? @return PSG_OK; PSG_ERR_UNSUPPORTED */
psg_status psg_route_exchange(psg_solve_route *route, const psg_plan *plan);
/** What follows from the cut: the kinds of the graph that have something to do, the form of blocks
 *  and sheets, and the width of strips: kernels on GPUs store the rows of a block as strips of x
 *  one after the other. All processes that read a block have the same.
 *  @return PSG_OK; PSG_ERR_RUNTIME */
psg_status psg_route_blocks(psg_context *context, const psg_plan *plan);
/** Once all parts have a worker: is a solve one task on one GPU?
 *  @param[out] steps  see psg_engine.chain_steps
 *  @return PSG_OK; PSG_ERR_UNSUPPORTED: the options ask for a chain that cannot be */
psg_status psg_route_chain(psg_solve_route *route, const psg_plan *plan, size_t *steps);
/** Find the words. */
void psg_route_say(psg_solve_route *route, const psg_plan *plan);

#endif
