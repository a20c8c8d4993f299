/** @file team.h  A solve by a team: CPU workers, and the thread that waits for the solve, share its
 * steps among them.
 *
 *  Between two layouts of the spectrum every step waits for all steps before, so a solve on cores
 * is a few phases of independent ranges of steps. The members of the team take ranges from counters
 * and meet at the end of a phase. A StarPU task without data brings each worker into the team until
 * nothing has happened for a while. A solve between slab handles has one more StarPU task, in order
 * among the caller's own. Every step keeps its kind, worker and times, as its own task would.
 *
 *  Each worker has a seat. The thread that waits takes the seat of the worker on its core, and that
 * worker sleeps meanwhile, so that there are never more threads at work than cores. */
#ifndef PSG_RUNTIME_TEAM_H
#define PSG_RUNTIME_TEAM_H

#include "runtime/run.h"

typedef struct psg_team psg_team;
/** What a team does for one run. */
typedef struct psg_team_entry psg_team_entry;

/** A team of CPU workers, StarPU's numbers; one solve of the plan is worked on at a time. StarPU's
 * workers are awake here and in psg_team_destroy().
 *  @param[in] awake, rest  bracket each time that a worker is in the team
 *  @return NULL: no memory */
psg_team *psg_team_create(const int *workers, size_t count, void (*awake)(void),
                          void (*rest)(void));
/** Wait until no worker is in it, and free it. NULL is fine. */
void psg_team_destroy(psg_team *team);

/** For a run. @return NULL: no memory */
psg_team_entry *psg_team_entry_create(const psg_team *team);
/** NULL is fine. */
void psg_team_entry_destroy(psg_team_entry *entry);

/** So many members of a team of `seats` are worth their cost for an array of so many bytes. */
size_t psg_team_members(double bytes, size_t seats);

/** The steps that the run has gathered (step_list.h) become work of the team.
 *  @param[in] waits  the calling thread waits for the run next, so it is a member */
void psg_team_enter(psg_run *run, bool waits);

/** The same, by a task of StarPU's as soon as the data are there.
 *  @param[in] read, written  `count` handles each */
void psg_team_enter_after(psg_run *run, const starpu_data_handle_t *read,
                          const starpu_data_handle_t *written, size_t count);

/** Work beside the team until the run has ended, if the calling thread finds a seat. */
void psg_team_wait(psg_run *run);

#endif
