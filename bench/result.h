/** @file result.h  What was measured of a configuration, and the rows that it becomes. */
#ifndef PSG_BENCH_RESULT_H
#define PSG_BENCH_RESULT_H

#include "bench/circumstances.h"
#include "bench/record.h"

#include <stdbool.h>

typedef struct bench_result {
    bool skip;       /**< it is not to be measured (now): its row was in the file already, ... */
    size_t row;      /**< in the table; (size_t)-1: none yet */
    bool added;      /**< the row was not in the file */
    bool put;        /**< the row has this result */
    size_t leader;   /**< the first configuration of its group */
    bool calibrated; /**< its tasks have been measured for StarPU's models */
    bench_sample *sample;
    unsigned samples, solves;               /**< rounds measured; those and the others */
    unsigned samples_before, solves_before; /**< the visit: these stay after a crash */
    bool has_facts;
    bench_facts facts;
    double error, tolerance;
    double load;      /**< cores that others kept busy while it was measured; NAN: not known */
    char failed[512]; /**< why; "" = it did not */
} bench_result;

/** The columns, and the rows of the file. */
typedef struct bench_results {
    bench_table table;
    bench_column *columns;
    char (*stage_names)[48];
} bench_results;

/** @return APP_DONE; APP_FAILED after a message */
int bench_results_init(bench_results *results);
void bench_results_free(bench_results *results);

/** Lower quartile, median and upper quartile of the seconds; NaN where nothing was measured. */
void bench_result_quartiles(const bench_result *result, double quartile[3]);

/** Was it measured without failure, and is its answer right? */
bool bench_result_is_good(const bench_result *result);

/** The row of this configuration, measured on this machine with these versions; (size_t)-1:
 *  none. */
size_t bench_results_find(const bench_results *results, const bench_config *config,
                          const bench_circumstances *circumstances);

/** Is the row what was asked for: without failure, by as many repeats, and with bounds if these
 *  are wanted? */
bool bench_results_done(const bench_results *results, size_t row, unsigned repeat, bool bounds);

/** "2026-11-20T08:24:22Z" */
const char *bench_results_date(const bench_results *results, size_t row);

/** "ok", or why it failed. */
const char *bench_results_status(const bench_results *results, size_t row);

/** Write the result of a configuration into its row, or a new one. New rows stand after the file's, in the
 *  order of the sweep.
 *  @param[in,out] result  of all configurations of the sweep
 *  @return APP_DONE; APP_FAILED after a message */
int bench_results_put(bench_results *results, const bench_sweep *sweep, size_t number,
                      const bench_circumstances *circumstances, bench_result *result);

/** Of a row; NAN: not known. */
double bench_results_load(const bench_results *results, size_t row);

/** The table for people, on stdout: the rows of the sweep, in its order.
 *  @return how many of them have no failure */
size_t bench_results_print(const bench_results *results, const bench_sweep *sweep,
                           const bench_result *result);

#endif
