/** @file run.h  What the tasks that somebody waits for together share: their engine, and how they
 * are going. */
#ifndef PSG_RUNTIME_RUN_H
#define PSG_RUNTIME_RUN_H

#include "base/source_line.h"
#include "runtime/kind.h"
#include "runtime/record.h"

#include <starpu.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Messages between two processes go one way, and their answers come back. In a run they may do so
 * twice. */
typedef enum psg_way {
    PSG_WAY_THERE = 0,
    PSG_WAY_BACK,
    PSG_WAY_THERE_AGAIN,
    PSG_WAY_BACK_AGAIN,
    PSG_WAYS
} psg_way;

static inline bool psg_way_is_back(psg_way way) {
    return way == PSG_WAY_BACK || way == PSG_WAY_BACK_AGAIN;
}

/** What runs need of whoever submits their tasks. All of it is set before the first task is
 * submitted. */
typedef struct psg_engine {
    const void *owner; /**< for the functions of kinds, and of whoever makes `gpu` */
    psg_task_precision precision;
    uint32_t where; /**< StarPU's kinds of worker, for tasks that no worker has by their part */
    /** Bits of the workers that may run such tasks, and their count of words; 0: all workers. */
    uint32_t only[(STARPU_NMAXWORKERS + 31) / 32];
    unsigned only_words;
    size_t workers;      /**< StarPU's, of all kinds */
    size_t cores;        /**< of these, cores that take tasks */
    size_t kinds;        /**< psg_kind_count() when the engine was made */
    bool record;         /**< runs keep what their tasks read and write */
    bool pinned;         /**< GPUs write to psg_run.result */
    size_t result_bytes; /**< that a run has at first, see psg_run_want_result() */
    size_t user_bytes;   /**< of psg_run.user, which kernels get by value: a CUDA graph is for one
                          value */
    /** A thread that waits for a run polls, as CUDA does: where GPUs have all tasks, to be woken
     * takes as long as a task. */
    bool polls;
    /** The task that ends a run calls it if the run is awake, before the waiter wakes; or NULL. */
    void (*run_ended)(void);
    /** The worker of that task calls it, with NULL, once the task's data are free; or NULL. */
    void (*last_left)(void *);

    struct psg_comm *comm; /**< NULL: one process */
    struct psg_channel *channel;
    size_t row_bytes; /**< of the channel */
    size_t messages;  /**< the most that a run has */

    size_t slots;       /**< runs with the same slot follow one another */
    size_t task_data;   /**< pieces of data of a task that may be a step of a chain, at most */
    size_t chain_steps; /**< tasks of a run that may be one task of StarPU's, see chain.h; or 0 */

    struct psg_team *team; /**< cores that share the tasks of a run, see team.h; or NULL */
    double team_bytes;     /**< of the array that a run works on */

    struct psg_gpu **gpu; /**< by StarPU worker number, see gpu.h; NULL: no GPUs */
} psg_engine;

/** Why a run failed. */
typedef enum psg_fault {
    PSG_FAULT_NONE = 0,
    PSG_FAULT_SUBMIT, /**< StarPU took no task */
    PSG_FAULT_DEVICE, /**< a device refused a task's work */
    PSG_FAULT_MEMORY, /**< a device had no memory for it */
    PSG_FAULT_MPI,    /**< MPI did not do what it was asked */
    PSG_FAULT_COUNT
} psg_fault;

/** Something that took time: a task, or a message to another process or from one. */
typedef struct psg_run_event {
    psg_label label;      /**< of a message about several parts: its first one */
    int worker;           /**< StarPU's number; -1: no worker */
    int rank;             /**< of a message: the process at its other end; -1: no message */
    bool received;        /**< a message from there, else to there */
    size_t bytes;         /**< that a message carries */
    psg_task_shape shape; /**< of a task */
    size_t number;        /**< in the run's record; PSG_RECORD_NONE: there is none */
    double start;         /**< microseconds of starpu_timing_now(); 0: not known */
    double end;           /**< microseconds of starpu_timing_now() */
} psg_run_event;

typedef struct psg_run_cell {
    uint64_t tasks;
    double seconds;
} psg_run_cell;

/** What goes one way between this process and another, in a run. A run may exchange blocks several
 * times, and all sends of one time begin before those of the next. */
typedef struct psg_pairing {
    size_t sends, receives;   /**< of each time */
    size_t begun, gone;       /**< sends begun, and receives that may have begun, of all times */
    struct psg_request *held; /**< receives that wait for a send, latest first */
    size_t under_way;         /**< sends and receives that MPI has */
} psg_pairing;

/** The messages of a run. */
typedef struct psg_run_messages {
    psg_run_cell cell;                /**< how many, and the time with one on its way */
    uint64_t bytes;                   /**< in those that go to other processes */
    psg_pairing (*pairing)[PSG_WAYS]; /**< [ranks]; NULL: one process; under the mutex */
    struct psg_transfer *transfer;    /**< [room]: of messages that have not ended, so that none
                                           fails for want of memory: the other process waits for
                                           it. NULL: one process */
    size_t room;
    size_t transfers;                /**< submitted */
    struct psg_gathering *gathering; /**< [rounds][PSG_WAYS]: room for the alltoalls */
    size_t rounds;
    size_t gatherings;         /**< submitted */
    size_t left;               /**< that MPI had the memory of when they were given up */
    size_t under_way;          /**< messages and alltoalls that MPI has; under the mutex */
    double under_way_since;    /**< when under_way was 0 for the last time, microseconds */
    atomic_bool given_up;      /**< what MPI has not begun does not begin */
    size_t on_their_way;       /**< messages that are ready and have not gone; under the mutex */
    double on_their_way_since; /**< microseconds; under the mutex */
} psg_run_messages;

/** The events of a run, in the order in which they were told. */
typedef struct psg_run_events {
    psg_run_event *event;
    size_t count;
    size_t room;
    bool lost; /**< there was no memory for all of them */
    /** Of what is submitted, if engine->record; its submitter's until the end. */
    psg_record record;
} psg_run_events;

/** What StarPU was handed of a run. */
typedef struct psg_run_handed {
    size_t tasks;  /**< of psg_run.tasks */
    size_t placed; /**< of these, tasks whose worker StarPU's policy chooses */
} psg_run_handed;

/** Data that stay in main memory, and change hands between phases of tasks along one axis of parts
 *  and along another: each task of a phase waits for all of the phase before. So StarPU need not
 *  know which task uses which: the tasks of a phase read `between`, and a gate writes it. */
typedef struct psg_phases {
    starpu_data_handle_t between; /**< without memory */
    int axis;                     /**< of the task that was submitted last */
} psg_phases;

/** A set of tasks that somebody waits for together: one solve, from its submission until it has
 * been waited for. */
typedef struct psg_run {
    const psg_engine *engine;
    uint64_t number; /**< among the runs of the engine, from 0 */

    atomic_int fault; /**< a psg_fault; once it is set, the tasks that follow do nothing */
    char words[256];  /**< of the first fault, complete once the run has ended */
    const char *line; /**< of the sources that latched it; complete with the words */

    /** NULL: tasks go to StarPU. Else this function takes each task, with its data, and destroys
     * it. */
    void (*gather)(struct psg_run *run, struct starpu_task *task);
    struct psg_step_list *steps; /**< what it gathered */
    psg_phases *phases; /**< of its tasks' PSG_DATA_PHASED; NULL: StarPU orders each piece */
    struct psg_team_entry *entry; /**< NULL: the engine has no team */
    struct psg_stream_order
        *order;  /**< among the work on CUDA streams, see stream_order.h; NULL: it never had one */
    bool awake;  /**< StarPU's workers are awake for it */
    size_t slot; /**< its slot, or the slot that it had last */
    const void *user; /**< [engine->user_bytes] for its tasks; the submitter's */
    void *result;     /**< [result_bytes] that its tasks write; 0 at the start of a run */
    size_t result_bytes;
    size_t result_room; /**< bytes that there is memory for */

    psg_run_cell *cell; /**< [engine->workers][engine->kinds] */
    psg_run_messages messages;
    psg_run_events events; /**< under the mutex */

    double started;      /**< starpu_timing_now() at submission, microseconds */
    double submitted;    /**< the same moment in seconds since the epoch, or of the simulation */
    double ended;        /**< at the end of the latest task, microseconds */
    double in;           /**< when the latest task had been submitted, microseconds */
    atomic_size_t tasks; /**< tasks and messages submitted; a chain is one */
    size_t pieces;       /**< of data that these have */
    psg_run_handed handed;
    int executor; /**< who runs them; the submitter's */

    starpu_pthread_mutex_t mutex; /**< StarPU's, which SimGrid sees too */
    starpu_pthread_cond_t idle;
    atomic_size_t pending; /**< tasks not ended, and one for the submission itself; changed under
                                the mutex */
} psg_run;

/** Latch the first fault, its words and the line of the sources: psg_run_fail(run, fault, format,
 * ...). Later faults are dropped. */
#define psg_run_fail(...) psg_run_fail_at(PSG_SOURCE_LINE, __VA_ARGS__)
/** @param[in] line  a literal */
void psg_run_fail_at(const char *line, psg_run *run, psg_fault fault, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool psg_run_failed(const psg_run *run);
/** Is a task of it missing? There was no memory for it, or StarPU refused it. */
bool psg_run_incomplete(const psg_run *run);

/** One task more to wait for; one less. @return was it the last one? Then the run may be gone */
void psg_run_begin_task(psg_run *run);
bool psg_run_end_task(psg_run *run);

/** Keep what happened; without memory for it, run->events.lost is set. */
void psg_run_keep_event(psg_run *run, const psg_run_event *event);

/** MPI has one message or alltoall more of the run, or one less. @param[in] pairing  that of the
 *  message; NULL: an alltoall */
void psg_run_under_way(psg_run *run, psg_pairing *pairing, bool more);

/** A message to another process is part of the run; some can go now; one has gone. */
void psg_run_message_submitted(psg_run *run, size_t bytes);
void psg_run_messages_ready(psg_run *run, size_t count);
void psg_run_message_sent(psg_run *run);

#endif
