/** @file make.h  How the structures of a plan are made, in the order of plan.c: each function gets the structure that it
 *  makes, or a member of it, and the plan so far. FFT plans and eigenvalues are in transforms.h. */
#ifndef PSG_GRAPH_MAKE_H
#define PSG_GRAPH_MAKE_H

#include "graph/structures.h"

/* ------------------------------------------------------------------------------- workers.c */

/** Find the workers of this process, and what those of all processes have in common. Collective.
 *  @return PSG_OK; PSG_ERR_NODEV, _MEMORY, _RUNTIME */
psg_status psg_workers_make(psg_workers *workers, const psg_plan *plan);

/* ----------------------------------------------------------------------------- cpu_share.c */

/** The part of the work that is the CPU workers' beside the plan's GPUs, and which workers take
 *  its tasks by that: what the options say, else what suits the speeds of both.
 *  @param[in] cpus  CPU workers, of which the plan may have all or none
 *  @return PSG_OK; PSG_ERR_NODEV: they are to share, and one kind is missing */
psg_status psg_cpu_share_make(psg_workers *workers, const psg_plan *plan, size_t cpus);
/** Of so many planes or rows, those that CPU cores take. */
static inline size_t psg_cpu_share_of(double share, size_t extent) {
    return (size_t)floor(share * (double)extent + 0.5);
}

/* ---------------------------------------------------------------------------------- teams.c */

/** Do this plan's cores share the steps of a solve? Its workers and options are known. */
bool psg_team_wanted(const psg_workers *workers, const psg_plan *plan);
/** The team of a plan that wants one. @return PSG_OK; PSG_ERR_MEMORY */
psg_status psg_team_make(psg_engine *engine, const psg_plan *plan);
/** Before anything that its members use is freed. Nothing without a team. */
void psg_team_end(psg_engine *engine);

/* --------------------------------------------------------------------------------- lend.c */

/** Do the processes reach each other's memory? Tried where the options leave that open, or ask for it. Collective. @return PSG_OK; PSG_ERR_UNSUPPORTED: it was asked for, and this process cannot; _RUNTIME */
psg_status psg_lend_try(psg_lending *lending, const psg_plan *plan);

/* ----------------------------------------------------------------------------- partition.c */

/** Cut planes, of all processes: what the options ask, else what suits the data and the workers.
 *  Then rows, once it is known how blocks are exchanged.
 *  @return PSG_OK; PSG_ERR_MEMORY */
psg_status psg_partition_planes(psg_layout *layout, const psg_plan *plan);
psg_status psg_partition_rows(psg_layout *layout, const psg_plan *plan);
/** Tasks of a phase that suit so many planes, and as many rows, on workers of a kind. */
size_t psg_partition_tasks(const psg_context *context, bool gpus, size_t workers, size_t planes);

/* ----------------------------------------------------------------------------- placement.c */

/** How are blocks exchanged? @return PSG_OK; PSG_ERR_UNSUPPORTED */
psg_status psg_placement_exchange(psg_exchange *exchange, const psg_plan *plan);
/** What follows from the exchange: packed, messages, reaches. */
void psg_placement_form(psg_form *form, const psg_plan *plan);
/** What follows from the cut, in the staged graph: segment_is_block, sheet_is_block. */
void psg_placement_blocks(psg_form *form, const psg_plan *plan);
/** The width of strips: kernels on GPUs store the rows of a block as strips of x one after the other. All processes that
 *  read a block have the same. @return PSG_OK; PSG_ERR_RUNTIME */
psg_status psg_placement_strips(psg_form *form, const psg_plan *plan);
/** Does one GPU have all tasks? */
bool psg_placement_one_gpu(const psg_plan *plan);
/** Room on the GPU of all processes that has least; see psg_placement. Collective. @return PSG_OK; PSG_ERR_RUNTIME */
psg_status psg_placement_find_room(double *room, const psg_plan *plan);
/** Does a spectrum that is at home on the GPUs fit there? Called once planes are cut. @param[out] ahead  see psg_placement
 *  @return PSG_OK; PSG_ERR_MEMORY: it does not */
psg_status psg_placement_check(bool *ahead, const psg_plan *plan);
/** The codelets of exchange direct between GPUs, if it has any. @return PSG_OK; PSG_ERR_MEMORY */
psg_status psg_placement_direct(psg_placement *placement, const psg_plan *plan);
/** See psg_engine.chain_steps. */
size_t psg_placement_chained(const psg_plan *plan);
/** Prepare the GPUs for tasks. @return PSG_OK; PSG_ERR_MEMORY, _RUNTIME */
psg_status psg_placement_gpus(psg_gpu_user *user, psg_engine *engine, const psg_plan *plan);
/** Is there room on a GPU for what one task works on? @return PSG_OK; PSG_ERR_MEMORY */
psg_status psg_placement_check_task(const psg_plan *plan);

/** What does the plan leave of the GPU that has least? @param[out] left  bytes; 0: not known @return PSG_OK */
psg_status psg_placement_look(double *left, const psg_plan *plan);

/* --------------------------------------------------------------------------------- relay.c */

/** Which rows does kspace relay, on all processes? Rows are cut, and form.strip is known. Collective.
 *  @return PSG_OK; PSG_ERR_MEMORY, _RUNTIME */
psg_status psg_relay_choose(psg_relay *relay, const psg_plan *plan);

/* ---------------------------------------------------------------------------- simulated.c */

/** Is it known how long all tasks take on the machine that is simulated, and messages? */
psg_status psg_simulation_check(const psg_plan *plan);
/** Has each node of a simulation a part of the grid? @return PSG_OK; PSG_ERR_ARG */
psg_status psg_simulation_nodes_check(const psg_options *options, const psg_grid *grid);

/* ------------------------------------------------------------------------------ exchange.c */

/** Open the wire for messages, and fill in the codelets that split and join bundles. Collective.
 *  @return PSG_OK; PSG_ERR_MEMORY, _UNSUPPORTED, _RUNTIME */
psg_status psg_between_make(psg_between *between, const psg_plan *plan);
void psg_between_free(psg_between *between, const psg_plan *plan);

/* ------------------------------------------------------------------------------- storage.c */

/** The first lane; and scratch for the workers, with FFTW's plans. @return PSG_OK; PSG_ERR_MEMORY, _RUNTIME */
psg_status psg_storage_lanes(psg_storage *storage, const psg_plan *plan);
psg_status psg_storage_scratch(psg_storage *storage, const psg_plan *plan);
void psg_storage_free(psg_storage *storage, const psg_plan *plan);

/* --------------------------------------------------------------------------------- cache.c */

/** What FFTW learnt before about the plan's precision, to be freed by free(). FFTW stops the process
 *  over damaged wisdom, so a text whose checksum is wrong is not returned. @return NULL: nothing */
char *psg_wisdom_read(const psg_plan *plan);
/** Keep what FFTW has learnt, with what other processes have kept meanwhile. Where that cannot be
 *  written the next process searches for plans again. */
void psg_wisdom_keep(const psg_plan *plan);

#endif
