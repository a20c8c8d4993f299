/** @file sweep.h  The configurations of `psg bench`: the product of lists, or several such products. */
#ifndef PSG_APP_SWEEP_H
#define PSG_APP_SWEEP_H

#include "app/values.h"
#include "graph/psg.h"

#include <stddef.h>

/** The lists, in the order of the columns that they become. */
typedef enum app_list {
    APP_LIST_GRID = 0,
    APP_LIST_PRECISION,
    APP_LIST_CPUS,
    APP_LIST_GPUS,
    APP_LIST_CPU_SHARE,
    APP_LIST_SCHED,
    APP_LIST_GRAPH,
    APP_LIST_EXCHANGE,
    APP_LIST_Z,
    APP_LIST_NORMALIZE,
    APP_LIST_SEGMENT_PLANES,
    APP_LIST_PENCILS,
    APP_LIST_DATA,
    APP_LIST_IN_FLIGHT,
    APP_LIST_EFFORT,
    APP_LIST_RANKS,
    APP_LIST_NODES,
    APP_LIST_NETWORK,
    APP_LISTS
} app_list;

/** What one row is measured with. -1, 0 or "": as psg_options says for the default. Plain data,
 *  which goes to other processes as it is. */
typedef struct app_config {
    app_grid_value grid;
    int precision, graph, exchange, z_layout, normalize, effort;
    unsigned ranks; /**< processes; with more than one by MPI, and the workers are those of each */
    int cpus, gpus;
    double cpu_share;
    int gpus_listed, gpu_ids[APP_GPUS_MAX]; /**< device numbers; else the first ones */
    char policy[64];
    size_t segment_planes, pencils;
    int resident; /**< f and u stay where they are computed, else they come from and go to arrays */
    unsigned in_flight;
    unsigned nodes; /**< of a simulation */
    double network; /**< bytes per second between these; 0: as the machine's file says */
} app_config;

typedef struct app_sweep {
    app_config *config;
    size_t count;
} app_sweep;

/** The name of a list, which is that of its option and of its column, with _ for - there. */
const char *app_list_option(app_list list);
const char *app_list_column(app_list list);

/** Add the product of the lists, without what is there already.
 *  @param[in] lists  comma-separated values; NULL = the default alone
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message */
int app_sweep_add(app_sweep *sweep, const char *const lists[APP_LISTS]);
/** Add one configuration, unless it is there already.
 *  @param[out] number  its number; may be NULL
 *  @return APP_DONE; APP_FAILED after a message */
int app_sweep_put(app_sweep *sweep, const app_config *config, size_t *number);

/** That of a grid with all other values at their default. */
app_config app_config_default(const app_grid_value *grid);

void app_sweep_free(app_sweep *sweep);

/** A configuration's value in a list's column: "200x100x50", "default", "lws". @param[out] text
 *  64 bytes */
void app_config_text(const app_config *config, app_list list, char *text);

/** The plan's options, which borrow the policy's name, and grid. The box is a unit cube. Where
 *  there are several processes it takes options.comm too. */
void app_config_options(const app_config *config, psg_options *options);
void app_config_grid(const app_config *config, psg_grid *grid);

/** Does the policy decide by StarPU's performance models? The default one does not. */
int app_config_needs_models(const app_config *config);

/** Are two configurations the same in all lists but one? @param[in] but  APP_LISTS: in all */
int app_config_same_but(const app_config *a, const app_config *b, app_list but);

/** Can two configurations be measured while StarPU runs once: the same processes, workers and
 *  policy? */
int app_config_same_group(const app_config *a, const app_config *b);

/** Bytes that a plan and its solves need, about, f and the known answer not counted. */
double app_config_bytes(const app_config *config);

#endif
