/** @file sweep.h  The configurations of `psg bench`: the product of lists, or several such products. */
#ifndef PSG_BENCH_SWEEP_H
#define PSG_BENCH_SWEEP_H

#include "app/option_lines.h"
#include "graph/psg.h"

#include <stdbool.h>
#include <stddef.h>

/** The lists, in the order of the columns that they become: the grid; the options of the solver that `psg bench` does
 *  not decide itself, in the order of the library's table; where f and u are, and the processes; the workload in place
 *  of a grid, and its options. */
enum { BENCH_LIST_GRID = 0, BENCH_LISTS_MOST = APP_OPTIONS_MOST };
size_t bench_lists(void);

/** The name of a list on the command line, and that of its column: with _ for -. Static. */
const char *bench_list_option(size_t list);
const char *bench_list_column(size_t list);

/** The list of a column. There has to be one. */
size_t bench_list(const char *column);

/** The psg_option_at() of a list; SIZE_MAX: it is none of the library's. */
size_t bench_list_index(size_t list);

enum { BENCH_VALUE_BYTES = 48 };

/** What `psg run` runs, and how: workload_options. */
typedef struct bench_workload {
    char name[64]; /**< "ep:S"; "": none */
    unsigned tile;
    int order, barrier, priority, place;
} bench_workload;

/** What one row is measured with: a solve or a workload. Plain data, which goes to other processes as it is; all zero but
 *  for the grid or the workload, and the ranks, is the default. */
typedef struct bench_config {
    app_grid_value grid; /**< all zero of a workload */
    bench_workload workload;
    unsigned ranks; /**< processes; with more than one by MPI, and the workers are those of each */
    int resident; /**< f and u stay where they are computed, else they come from and go to arrays */
    bool gpus_listed;
    int gpu_ids[APP_GPUS_MAX]; /**< device numbers; else the first ones */
    /** of psg_option_at(): as psg_options_get() gives it; "": as bench_config_options() has it by default */
    char value[APP_OPTIONS_MOST][BENCH_VALUE_BYTES];
} bench_config;

typedef struct bench_sweep {
    bench_config *config;
    size_t count;
} bench_sweep;

/** Add the product of the lists, without what is there already.
 *  @param[in] lists  comma-separated values; NULL = the default alone
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message */
int bench_sweep_add(bench_sweep *sweep, const char *const lists[BENCH_LISTS_MOST]);
/** Add one configuration, unless it is there already.
 *  @param[out] number  its number; may be NULL
 *  @return APP_DONE; APP_FAILED after a message */
int bench_sweep_put(bench_sweep *sweep, const bench_config *config, size_t *number);

void bench_sweep_free(bench_sweep *sweep);

/** A configuration's value in a list's column: "200x100x50", "default", "lws". @param[out] text
 *  64 bytes */
void bench_config_text(const bench_config *config, size_t list, char *text);

/** The plan's options, which borrow the texts and device numbers of the configuration. The graph is fused and z
 *  contiguous unless a list says otherwise, and what was tuned does not count: a default means one thing. */
void bench_config_options(const bench_config *config, psg_options *options);
/** The configuration with these options, of which those that are no list are left out. */
void bench_config_put(bench_config *config, const psg_options *options);
/** The grid. The box is a unit cube. */
void bench_config_grid(const bench_config *config, psg_grid *grid);

bool bench_config_is_workload(const bench_config *config);

/** How long it takes beside others of its kind, about: the points of a grid; 1 of a workload. */
double bench_config_work(const bench_config *config);

/** Does the policy decide by StarPU's performance models? The default one does not. */
int bench_config_needs_models(const bench_config *config);

/** Are two configurations the same in all lists but one, an option of the solver? @param[in] but  SIZE_MAX: in all */
bool bench_config_same_but(const bench_config *a, const bench_config *b, size_t but);

/** Can two configurations be measured while StarPU runs once: the same processes, workers and
 *  policy? */
bool bench_config_same_group(const bench_config *a, const bench_config *b);

/** Bytes that a plan and its solves need, about, f and the known answer not counted. */
double bench_config_bytes(const bench_config *config);

#endif
