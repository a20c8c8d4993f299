/** @file members.h  What a configuration of `psg measure` says beside options of the solver. Each
 *  is a list of `psg bench`, too. */
#ifndef PSG_APP_MEMBERS_H
#define PSG_APP_MEMBERS_H

#include "app/values.h"

typedef struct app_members {
    app_grid_value grid;
    int data; /**< 1: f and u are slabs */
    const char *workload;
    unsigned tile;
    int order, barrier, priority, place; /**< of workload_options */
} app_members;

/** A row for each member; `field` is its offset. */
extern const app_option_row app_member_rows[];

/** The words of `data`, and of workload_options. Each list ends with name NULL. */
extern const app_choice app_data_choices[], app_work_orders[], app_work_barriers[],
    app_work_priorities[], app_work_places[];

#endif
