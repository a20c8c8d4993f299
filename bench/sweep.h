/** @file sweep.h  The configurations of `psg bench`: the product of lists, or several such products. */
#ifndef PSG_BENCH_SWEEP_H
#define PSG_BENCH_SWEEP_H

#include "app/values.h"
#include "graph/psg.h"

#include <stddef.h>

/** The lists, in the order of the columns that they become. */
typedef enum bench_list {
    BENCH_LIST_GRID = 0,
    BENCH_LIST_PRECISION,
    BENCH_LIST_CPUS,
    BENCH_LIST_GPUS,
    BENCH_LIST_CPU_SHARE,
    BENCH_LIST_SCHED,
    BENCH_LIST_GRAPH,
    BENCH_LIST_EXCHANGE,
    BENCH_LIST_Z,
    BENCH_LIST_NORMALIZE,
    BENCH_LIST_SEGMENT_PLANES,
    BENCH_LIST_PENCILS,
    BENCH_LIST_DATA,
    BENCH_LIST_IN_FLIGHT,
    BENCH_LIST_EFFORT,
    BENCH_LIST_RANKS,
    BENCH_LIST_NODES,
    BENCH_LIST_NETWORK,
    BENCH_LISTS
} bench_list;

/** What one row is measured with. -1, 0 or "": as psg_options says for the default. Plain data,
 *  which goes to other processes as it is. */
typedef struct bench_config {
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
} bench_config;

typedef struct bench_sweep {
    bench_config *config;
    size_t count;
} bench_sweep;

/** The name of a list, which is that of its option and of its column, with _ for - there. */
const char *bench_list_option(bench_list list);
const char *bench_list_column(bench_list list);

/** Add the product of the lists, without what is there already.
 *  @param[in] lists  comma-separated values; NULL = the default alone
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message */
int bench_sweep_add(bench_sweep *sweep, const char *const lists[BENCH_LISTS]);
/** Add one configuration, unless it is there already.
 *  @param[out] number  its number; may be NULL
 *  @return APP_DONE; APP_FAILED after a message */
int bench_sweep_put(bench_sweep *sweep, const bench_config *config, size_t *number);

/** That of a grid with all other values at their default. */
bench_config bench_config_default(const app_grid_value *grid);

void bench_sweep_free(bench_sweep *sweep);

/** A configuration's value in a list's column: "200x100x50", "default", "lws". @param[out] text
 *  64 bytes */
void bench_config_text(const bench_config *config, bench_list list, char *text);

/** The plan's options, which borrow the policy's name, and grid. The box is a unit cube. Where
 *  there are several processes it takes options.comm too. */
void bench_config_options(const bench_config *config, psg_options *options);
void bench_config_grid(const bench_config *config, psg_grid *grid);

/** Does the policy decide by StarPU's performance models? The default one does not. */
int bench_config_needs_models(const bench_config *config);

/** Are two configurations the same in all lists but one? @param[in] but  BENCH_LISTS: in all */
int bench_config_same_but(const bench_config *a, const bench_config *b, bench_list but);

/** Can two configurations be measured while StarPU runs once: the same processes, workers and
 *  policy? */
int bench_config_same_group(const bench_config *a, const bench_config *b);

/** Bytes that a plan and its solves need, about, f and the known answer not counted. */
double bench_config_bytes(const bench_config *config);

#endif
