/** @file report.h  What `psg solve` tells: lines for people, JSON for programs. */
#ifndef PSG_APP_REPORT_H
#define PSG_APP_REPORT_H

#include "app/field.h"
#include "app/problems.h"
#include "app/runs.h"
#include "app/verify.h"
#include "graph/psg_observe.h"

#include <stdbool.h>

/** What came of a time step. */
typedef struct app_report_step {
    const app_field_step *of;
    app_fluctuation f;             /**< app_report.f of the step */
    app_verification verification; /**< all 0 if nobody asked */
} app_report_step;

/** What a run had to do and what came of it. Pointers are borrowed; NULL where there is nothing. */
typedef struct app_report {
    const char *source;   /**< "rho.h5:/density", or the problem's name */
    const char *written;  /**< "phi.h5:/potential" */
    const char *gradient; /**< "du.h5:/gradient" */
    const char *epsilon;  /**< "eps.h5:/eps" */
    const char *values;   /**< "walls.h5" */
    const char *kernel;   /**< "kernel.h5:/G" */
    const char *faces;    /**< "z=FILE" */
    const char *xmf;      /**< NULL also where the file is NumPy's */
    psg_grid grid;
    psg_options options;
    psg_statistics statistics; /**< after app_report_join() that of all processes */
    struct {
        double stage_max[PSG_STAGE_COUNT], stage_mean[PSG_STAGE_COUNT]; /**< seconds of tasks */
        double link_max[PSG_LINK_MESSAGE], link_mean[PSG_LINK_MESSAGE]; /**< seconds of copies */
        double imbalance; /**< seconds that workers were busy: the largest over the mean */
    } ranks;              /**< the largest, and the mean, of all processes */
    app_runs runs;        /**< times, and workers; after app_report_join() those of all processes */
    bool verbose;         /**< how the solve was cut into tasks, too */
    bool resident;        /**< f and u stayed where they are computed */
    bool simulates_sides; /**< psg_plan_simulates_sides() */
    double read_seconds, write_seconds;
    app_fluctuation f; /**< only where a mean was dropped, else all 0 */
    app_report_step
        *steps; /**< `runs.repeat` of them, and everything above is of all of them or of the last */
    double *residuals; /**< [residual_count]: of the last solve with epsilon, by iteration */
    size_t residual_count;
    const app_verification *verification;
    const app_answer_error *answer;
    const app_madelung *madelung;
    double middle; /**< u in the middle, of problem lid; 0: of another problem */
    const char *lattice;
    const app_notes *notes;
    int status; /**< exit code */
} app_report;

/** Join the times and the statistics of all processes: times are those of the slowest, tasks, the
 *  seconds of a stage and bytes are sums. Collective. */
void app_report_join(app_report *report);

/** A note where the mean of f, or of a step's, costs digits of u. */
void app_report_note_mean(const app_report *report, app_notes *notes);

/** The lines, on stdout. */
void app_report_print(const app_report *report);

/** Write the JSON report. @param[in] path  the file to write, NULL = stdout; `shown` is its name in
 *  messages. @return APP_DONE; APP_FAILED after a message */
int app_report_json(const app_report *report, const char *path, const char *shown);

#endif
