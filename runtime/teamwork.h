/** @file teamwork.h  The steps of one solve as the members of a team see them: phases of ranges,
 * which are taken from counters. For team.c and teamwork.c alone. */
#ifndef PSG_RUNTIME_TEAMWORK_H
#define PSG_RUNTIME_TEAMWORK_H

#include "runtime/args.h"

#include <stdatomic.h>

/** Bytes of a cache line: two members never write the same one. */
enum { PSG_TEAM_LINE = 64 };
/** The most phases that the steps of a run have. */
enum { PSG_TEAM_PHASES = 16 };

/** What was a task. */
typedef struct psg_step {
    starpu_cpu_func_t call;
    psg_task_args args;
    size_t first;      /**< of its data */
    double between[2]; /**< its start and end, as starpu_timing_now() */
} psg_step;

/** A range of steps, which follow one another; or a phase of ranges, which may go at once, in any
 * order. */
typedef struct psg_span {
    size_t first;
    size_t end;
} psg_span;

/** The ranges of a phase that are a member's, as long as nobody else has taken them. */
typedef struct psg_counter {
    _Alignas(PSG_TEAM_LINE) atomic_size_t next;
    size_t end;
} psg_counter;

typedef struct psg_teamwork psg_teamwork;
struct psg_teamwork {
    psg_run *run;
    psg_teamwork *after; /**< in the team's order */
    bool by_task;        /**< a task of StarPU's enters it */
    size_t key[2];       /**< of what was gathered */
    psg_step *step;      /**< [steps_most] */
    size_t steps, steps_most;
    void **data; /**< by step: StarPU's interfaces of its data */
    size_t data_count, data_room;
    psg_span *range;
    size_t ranges;
    psg_span phase[PSG_TEAM_PHASES];
    size_t phases;
    psg_counter *counter;                /**< [phases][members] */
    atomic_size_t done[PSG_TEAM_PHASES]; /**< ranges, by phase */
    size_t first_seat;                   /**< of the members: that one and those that follow */
    size_t members;
    int own_seat;         /**< of the thread that waits; -1: it has none */
    atomic_size_t inside; /**< members that have not left yet */
    atomic_size_t entered, finished;
};

/** What a team of so many seats does for one run: `steps` steps, or more if there is memory.
 * @return NULL: no memory */
psg_teamwork *psg_teamwork_create(size_t steps, size_t seats);
/** NULL is fine. */
void psg_teamwork_destroy(psg_teamwork *work);

/** From now on the tasks that the run submits are gathered as steps.
 *  @param[in] key  of the lane and the arrays that the steps work on */
void psg_teamwork_begin(psg_run *run, const size_t key[2]);
/** Did the run gather its steps for that key already? A run that keeps a record gathers anew. */
bool psg_teamwork_repeats(const psg_run *run, const size_t key[2]);
/** What was gathered is no good: begin anew another time. */
void psg_teamwork_drop(psg_run *run);
/** Look away for a moment; who has looked often offers its core to other threads.
 *  @param[in,out] looks  how often, from 0 */
void psg_team_relax(unsigned *looks);

/** Members may still be on their way out of the solve before: wait for them. */
void psg_teamwork_wait(psg_teamwork *work);
/** Share the ranges among the members; none is done. */
void psg_teamwork_deal(psg_teamwork *work);
/** The next of a member's own ranges, or else of another's. @return SIZE_MAX: all are taken */
size_t psg_teamwork_claim(psg_teamwork *work, size_t phase, size_t rank);
/** Do a range's steps in place of a worker. */
void psg_teamwork_do(psg_teamwork *work, size_t range, int worker);
/** All steps are done: they are counted in their run. */
void psg_teamwork_count(psg_teamwork *work);

#endif
