/** @file history.h  What is kept of a run that somebody has waited for: its events, times, and what
 * its tasks read and wrote. From these: which event needed which other, and what the run could not
 * be shorter than. */
#ifndef PSG_RUNTIME_HISTORY_H
#define PSG_RUNTIME_HISTORY_H

#include "runtime/run.h"

/** Events are in the order of their ends, with times in seconds since the submission. */
typedef struct psg_history {
    psg_run_events events;
    uint64_t number;    /**< of the run */
    psg_run_cell *cell; /**< [workers][kinds] of the engine */
    psg_run_cell messages;
    uint64_t sent_bytes;
    double submitted; /**< seconds since the epoch, or of the simulation */
    double seconds;   /**< from submission to the end of the last task */
    double submit_seconds;
    size_t tasks;                      /**< tasks and messages submitted */
    size_t pieces;                     /**< of data that these have */
    size_t starpu_tasks, placed_tasks; /**< see psg_run */
    int executor;
} psg_history;

/** @return false: no memory */
bool psg_history_open(psg_history *history, const psg_engine *engine);
void psg_history_close(psg_history *history);

/** Take over what a run has; the run gets the room of the events before. */
void psg_history_take(psg_history *history, psg_run *run);

/** Event `after` needed event `before`. */
typedef struct psg_edge {
    size_t before;
    size_t after;
    size_t bytes; /**< of the data that it needed */
} psg_edge;

/** An event used a piece of data. */
typedef struct psg_event_use {
    size_t event;
    size_t data;  /**< the piece's number, from 0 */
    unsigned how; /**< flags of psg_record_use */
    size_t bytes; /**< of the piece */
} psg_event_use;

/** Which event needed the result of which other: a reader comes after the last writer submitted
 * before it. (StarPU also orders a writer after the readers before it; that is no need of data, and
 * not told.) Those of one event stand together, after those of all that it needed.
 *  @param[out] list  to be freed by free()
 *  @return false: no memory, or there was none for all events or for all of the record */
bool psg_history_edges(const psg_history *history, psg_edge **list, size_t *count);

/** What the events used, in the order in which they were submitted.
 *  @param[out] list  to be freed by free() @return false: as psg_history_edges() */
bool psg_history_uses(const psg_history *history, psg_event_use **list, size_t *count);

/** How long the tasks of a run take at the least on a core, which is kind 0 of worker, and on a
 * GPU, kind 1. */
typedef struct psg_least {
    /** [events.count], of each event: where its time on each worker is known without the run
     * (psg_simulation_task()) that on the fastest one; else the shortest of the tasks like it in
     * this run. INFINITY: no worker of the kind did such a task, or none can. Of a message: 0 */
    double (*seconds)[2];
    /** Workers as fast as these seconds say: they could do at least as much as all of the kind. */
    double workers[2];
} psg_least;

/** @param[in] usable  [count]: StarPU's numbers of the workers that take the tasks
 *  @param[out] least   its seconds to be freed by free() @return false: no memory */
bool psg_history_least(const psg_history *history, const psg_engine *engine, const int *usable,
                       size_t count, psg_least *least);

/** Seconds that all tasks take on all workers at the least, whichever worker does which task: the
 * area bound. Of each event a share may be done on the one kind of worker and the rest on the
 * other.
 *  @return below 0: no memory */
double psg_history_area(const psg_history *history, const psg_least *least);

/** Which chains psg_history_chain() looks at. */
typedef struct psg_chain_rule {
    const void *owner;
    /** Does the event's time count? NULL: all do. */
    bool (*counts)(const void *owner, const psg_run_event *event);
    /** Seconds before an event can begin, and after it until its result is there. NULL: none. */
    double (*lead)(const void *owner, const psg_run_event *event);
    double (*tail)(const void *owner, const psg_run_event *event);
} psg_chain_rule;

/** Seconds of the longest chain of events, each on the kind of worker that takes least.
 *  @return false: no memory */
bool psg_history_chain(const psg_history *history, const psg_least *least, const psg_edge *edges,
                       size_t count, const psg_chain_rule *rule, double *seconds);

/** Bytes that the tasks move between memory and workers at the least, as their kinds say. Of what a
 * phase reads, the caches may have as much as they hold when it begins; of what it writes, they may
 * keep as much when it ends. */
double psg_history_traffic(const psg_history *history, const psg_engine *engine,
                           double cache_bytes);

#endif
