/** @file team.h  A solve on cores as one parallel task: a team of CPU workers, and the thread that waits for the solve,
 *  share its steps among them.
 *
 *  Between two layouts of the spectrum every step waits for all steps before, so a solve on cores is a few phases of
 *  independent parts. The members of the team take parts from counters and meet at the end of a phase; StarPU starts
 *  the members, and orders a solve between slab handles among the caller's own tasks. Every step keeps its kind, its
 *  worker and its times, as a task of its own would.
 *
 *  Each worker has a seat. The thread that waits takes the seat of the worker on its core, and that worker sleeps
 *  meanwhile, so that there are never more threads at work than cores. */
#ifndef PSG_RUNTIME_TEAM_H
#define PSG_RUNTIME_TEAM_H

#include "runtime/run.h"

struct starpu_task;
typedef struct psg_team psg_team;
typedef struct psg_teamwork psg_teamwork;

/** A team of CPU workers, StarPU's numbers; one solve of the plan is worked on at a time. StarPU's workers are
 *  awake here and in psg_team_destroy().
 *  @param[in] awake, rest  bracket each time that a worker is in the team
 *  @return NULL: no memory */
psg_team *psg_team_create(const int *workers, size_t count, void (*awake)(void),
                          void (*rest)(void));
/** Wait until no worker is in it, and free it. NULL is fine. */
void psg_team_destroy(psg_team *team);

size_t psg_team_seats(const psg_team *team);
/** So many members of a team of `seats` are worth their cost for the plan's grid. */
size_t psg_team_members(const psg_context *context, size_t seats);

/** What a team does for one run: at most `steps` steps. @return NULL: no memory */
psg_teamwork *psg_teamwork_create(const psg_context *context);
/** NULL is fine. */
void psg_teamwork_destroy(psg_teamwork *work);

/** From now on the tasks that the run submits are gathered as steps.
 *  @param[in] key  of the lane and the arrays that the steps work on */
void psg_teamwork_begin(psg_run *run, const size_t key[2]);
bool psg_teamwork_gathers(const psg_run *run);
/** Did the run gather its steps for that key already? A run that keeps a record gathers anew. */
bool psg_teamwork_repeats(const psg_run *run, const size_t key[2]);
/** What was gathered is no good: begin anew another time. */
void psg_teamwork_drop(psg_run *run);
/** Take a task in as a step. @param[in] task  with its data; it is gone afterwards */
void psg_teamwork_add(psg_run *run, struct starpu_task *task);

/** The gathered steps become work of the team.
 *  @param[in] waits  the calling thread waits for the run next, so it is a member */
void psg_team_enter(psg_run *run, bool waits);

/** The same, by a task of StarPU's as soon as the data are there.
 *  @param[in] read, written  `count` handles each */
void psg_team_enter_after(psg_run *run, const starpu_data_handle_t *read,
                          const starpu_data_handle_t *written, size_t count);

/** Work beside the team until the run has ended, if the calling thread finds a seat. */
void psg_team_wait(psg_run *run);

#endif
