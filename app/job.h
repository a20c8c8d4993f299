/** @file job.h  One `psg solve`: what it has to do, and what it holds while it does it. */
#ifndef PSG_APP_JOB_H
#define PSG_APP_JOB_H

#include "app/arguments.h"
#include "app/field.h"
#include "app/field_output.h"
#include "app/field_sides.h"
#include "app/output.h"
#include "app/progress.h"
#include "app/record.h"
#include "app/report.h"

/** The gradient of u. All zero where it is not wanted. */
typedef struct app_job_gradient {
    app_field_name out;          /* its group */
    app_field_step component[3]; /* the names of its data sets */
    app_field_steps components;
    app_field_output *field;
    void *values[3];
    char written[PATH_MAX + 1280];
} app_job_gradient;

/** epsilon. All zero where there is none. */
typedef struct app_job_epsilon {
    app_field_input *input;
    char name[PATH_MAX + 1280]; /* FILE:/DATASET */
    void *values;               /* [nz][ny][nx] of the precision */
} app_job_epsilon;

/** The files that a solve leaves, in the order in which they get their names. */
enum {
    APP_JOB_FIELD,
    APP_JOB_XMF,
    APP_JOB_GRADIENT,
    APP_JOB_TRACE,
    APP_JOB_DAG,
    APP_JOB_JSON,
    APP_JOB_FILES
};

/** All zero, but for the arguments, before app_job_describe(). */
typedef struct app_job {
    app_arguments arguments;
    app_notes notes;
    app_progress progress;
    app_report report; /* has the grid and the options too */

    app_field_input *input;
    app_field_info info;
    const app_field_steps *steps; /* of the input; NULL: there is no input, or it has none */
    size_t step;                  /* that is solved now; 0 where there are none */
    app_modes *modes;
    app_side_values values;

    app_field_name out;
    app_output file[APP_JOB_FILES]; /* those that are wanted are begun */
    app_record record;              /* for the trace and the task graph */
    int record_failed;
    app_field_output *field;
    app_job_gradient gradient;
    app_job_epsilon epsilon;
    char written[PATH_MAX + 1280], xmf[PATH_MAX];
    int json_to_stdout;

    psg_plan *plan;
    app_planes planes; /* those of f and u, which are [count][ny][nx] */
    size_t bytes;      /* of a field's part in each array */
    void *f;           /* app_job_batch() parts, each of a step */
    void **u;          /* the same, for each solve in flight */
    size_t part;       /* of the present step */
    unsigned flights;
    unsigned solved; /* so far */

    app_verification verification;
    struct {
        app_modes_error modes;
        app_madelung madelung;
    } known; /* what comes out beside answers that are known */
} app_job;

/** From the command line and the head of the input: the grid, the options, what the report calls
 *  it, and the planes of this process. Collective.
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message; the same in all processes */
int app_job_describe(app_job *r);

/** Make the temporary files of everything that will be written; rank 0 does, and tells the others.
 *  Collective.
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message; the same in all processes */
int app_job_begin_outputs(app_job *r);

/** Read epsilon, if it is wanted, and look at its values.
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message */
int app_job_load_epsilon(app_job *r);

/** Time steps that are read and solved together, each with its part of f and u; 1: one after the
 *  other. */
size_t app_job_batch(const app_job *r);

/** How many arrays u there are. Resident data have one, whatever is in flight. */
unsigned app_job_count_u(const app_job *r);

/** The part of an array that the present step has; the u of the last solve. */
void *app_job_part(const app_job *r, void *array);
void *app_job_last_u(const app_job *r);

#endif
