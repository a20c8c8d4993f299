/** @file work_shares.h  What each process did of a workload, brought together on rank 0. */
#ifndef PSG_APP_WORK_SHARES_H
#define PSG_APP_WORK_SHARES_H

#include "app/json.h"
#include "graph/psg_observe.h"

enum { APP_WORK_TASKS = 64 };

/** What a process did in the latest run, or all of them did together. */
typedef struct app_work_share {
    psg_kind_tasks tasks[APP_WORK_TASKS];
    size_t kinds; /**< of tasks */
    double sent;  /**< bytes in messages to other processes */
} app_work_share;

/** Bring together. Collective.
 *  @param[in,out] all  this process' tasks; on rank 0 it becomes those of all processes
 *  @param[out] shares  on rank 0 [ranks], to be freed; else NULL
 *  @param[in,out] statistics  of this process' latest run; what is counted becomes the sum over all
 *  @return APP_DONE; APP_FAILED after a message; the same in all processes */
int app_work_shares_join(app_work_share *all, app_work_share **shares,
                         psg_run_statistics *statistics);

/** A line for each process, if there are several. */
void app_work_shares_print(const app_work_share *shares);

/** Tasks by kind; and a list of what each process did. NULL when out of memory. */
json_t *app_work_share_json(const app_work_share *share);
json_t *app_work_shares_json(const app_work_share *shares);

#endif
