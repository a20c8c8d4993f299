/** @file processes.h  The processes of one run, and what they say to each other: all of the
 *  command's MPI. Without MPI, or started without a launcher, there is one process, and every
 *  function here is trivial: the rest of the command has one way for one process and for many.
 *
 *  All functions but the first four, and those that go between two are collective: every process
 *  calls them, in the same order. So a step that may fail in one process ends with
 *  app_ranks_agree(), before the next collective call. Where MPI itself fails there is nobody to
 *  agree with: the run is ended, with a message and without temporary files. */
#ifndef PSG_APP_PROCESSES_H
#define PSG_APP_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>

/** This process' number, from 0, and how many there are. */
int app_rank(void);
int app_ranks(void);

/** For psg_options.comm: NULL without a launcher, else the address of an MPI_Comm, also of one
 *  process: a launcher may have bound it to one core of many. */
const void *app_ranks_comm(void);

/** 1 if a launcher of MPI started this process, alone or with others, and psg was built with
 *  MPI. */
bool app_ranks_launched(void);

/** Initialise MPI if a launcher started this process. Ranks other than 0 print nothing on stdout
 *  from then on.
 *  @return APP_DONE; APP_FAILED or APP_USAGE after a message */
int app_ranks_start(int argc, char **argv);

/** Agree for the last time, and finalise MPI if it was initialised. @return the exit code of all */
int app_ranks_finish(int code);

/** End all processes with a message where this one waits for another one for so many seconds, in
 *  what is collective or goes between two; 0: never. @return APP_DONE; APP_FAILED after a
 *  message */
int app_ranks_limit(double seconds);

/** From now on a second is enough, if there is a limit. */
void app_ranks_hurry(void);

/** How a step ended for all: APP_DONE if it did for all, else the code of the lowest rank that
 *  failed. Its message, which app_error() kept, is printed by rank 0, once. */
int app_ranks_agree(int code);

/** Wait until all have come here, so that they begin what follows together. */
void app_ranks_barrier(void);

/** What rank 0 has in `data`, for all. */
void app_ranks_share(void *data, size_t bytes);

/** Sums, and maxima (NaN if one is), over all ranks, for all of them. */
void app_ranks_sum(double *values, size_t count);
void app_ranks_max(double *values, size_t count);

/** The largest value (or a NaN) of all ranks and where it is; of equal ones the lowest rank's. */
void app_ranks_max_at(double *value, size_t at[3]);

/** `bytes` of every rank, one after the other. @param[out] all  used on rank 0 only */
void app_ranks_gather(const void *mine, size_t bytes, void *all);

/** From rank `from`, which is not 0, to rank 0: these two call it.
 *  @param[in]  give  used on rank `from`. @param[out] take  used on rank 0 */
void app_ranks_to_first(int from, const void *give, void *take, size_t bytes);

#endif
