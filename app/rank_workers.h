/** @file rank_workers.h  The workers of all processes. */
#ifndef PSG_APP_RANK_WORKERS_H
#define PSG_APP_RANK_WORKERS_H

#include "app/app.h"
#include "graph/psg_machine.h"

/** All zero before app_workers_find(). */
typedef struct app_workers {
    psg_worker
        *list; /**< on rank 0 those of all processes, in the order of the ranks; else one's own */
    size_t count;
    size_t *of_rank; /**< on rank 0: how many each process has */
    char policy[64];
} app_workers;

/** Ask the library; collective. What was found is freed by app_workers_free(), after failures too.
 *  @return APP_DONE; APP_FAILED or APP_USAGE after a message; the same in all processes */
int app_workers_find(const psg_options *options, app_workers *workers);
void app_workers_free(app_workers *workers);

/** "2 CPU, 0 GPU", or "2 ranks, 1 CPU, 0..1 GPU each". Rank 0 only. @param[out] text  size bytes */
void app_workers_text(const app_workers *workers, char *text, size_t size);

/** "cpu" or "cuda". */
const char *app_worker_kind_name(psg_worker_kind kind);

#endif
