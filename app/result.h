/** @file result.h  What was measured of a configuration, and the rows that it becomes. */
#ifndef PSG_APP_RESULT_H
#define PSG_APP_RESULT_H

#include "app/machine.h"
#include "app/measure.h"
#include "app/table.h"

/** How StarPU's performance models were when a policy that needs them was measured. */
typedef enum app_models {
    APP_MODELS_UNUSED = 0,
    APP_MODELS_CALIBRATED,
    APP_MODELS_AS_FOUND
} app_models;

typedef struct app_result {
    int skip;   /**< it is not to be measured (now): its row was in the file already, ... */
    size_t row; /**< in the table; (size_t)-1: none yet */
    int added;  /**< the row was not in the file */
    int put;    /**< the row has this result */
    app_sample *sample;
    unsigned samples, solves; /**< rounds measured; those and the others */
    int has_facts;
    app_facts facts;
    double error, tolerance;
    double load;      /**< cores that others kept busy while it was measured; NAN: not known */
    char failed[512]; /**< why; "" = it did not */
} app_result;

/** What a row says beside the result. */
typedef struct app_circumstances {
    app_machine machine;
    unsigned warm_up, seed;
    const char *mpirun; /**< what starts several processes */
    app_models models;
    double load_average; /**< when psg began; NAN: not known */
} app_circumstances;

/** The columns, and the rows of the file. */
typedef struct app_results {
    app_table table;
    const char **names; /**< of the columns */
    char (*stage_names)[48];
} app_results;

/** @return APP_DONE; APP_FAILED after a message */
int app_results_init(app_results *results);
void app_results_free(app_results *results);

/** Lower quartile, median and upper quartile of the seconds; NaN where nothing was measured. */
void app_result_quartiles(const app_result *result, double quartile[3]);

/** Was it measured without failure, and is its answer right? */
int app_result_is_good(const app_result *result);

/** The row of this configuration, measured on this machine with these versions; (size_t)-1:
 *  none. */
size_t app_results_find(const app_results *results, const app_config *config,
                        const app_circumstances *circumstances);

/** Is the row what was asked for: without failure, by as many repeats, and with bounds if these
 *  are wanted? */
int app_results_done(const app_results *results, size_t row, unsigned repeat, int bounds);

/** "2026-11-20T08:24:22Z" */
const char *app_results_date(const app_results *results, size_t row);

/** "ok", or why it failed. */
const char *app_results_status(const app_results *results, size_t row);

/** Write the result of a configuration into its row, or a new one. New rows stand after the file's, in the
 *  order of the sweep.
 *  @param[in,out] result  of all configurations of the sweep
 *  @return APP_DONE; APP_FAILED after a message */
int app_results_put(app_results *results, const app_sweep *sweep, size_t number,
                    const app_circumstances *circumstances, app_result *result);

/** Of a row; NAN: not known. */
double app_results_load(const app_results *results, size_t row);

/** Are two rows of such tables the same configuration, on the same machine with the same versions? */
int app_results_is_same(const app_table *table, size_t row, const app_table *other,
                        size_t other_row);

/** Has the column numbers? The others have texts. @param[in] table  that of the rows */
int app_results_is_number(const app_table *table, size_t column);

/** The table for people, on stdout: the rows of the sweep, in its order.
 *  @return how many of them have no failure */
size_t app_results_print(const app_results *results, const app_sweep *sweep,
                         const app_result *result);

#endif
