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
    char written[PATH_MAX + 1280];
} app_job_gradient;

/** A field beside f. All zero where there is none. */
typedef struct app_job_beside {
    app_field_input *input;
    app_grid_value size;
    char name[PATH_MAX + 1280]; /* FILE:/DATASET */
} app_job_beside;

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
    app_answer *answer;

    app_field_name out;
    app_output file[APP_JOB_FILES]; /* those that are wanted are begun */
    app_record record;              /* for the trace and the task graph */
    int record_failed;
    app_field_output *field;
    app_job_gradient gradient;
    app_job_beside epsilon[3]; /* at points: [0]; on faces: along x, y, z */
    app_job_beside guess, kernel;
    double *faces; /* of the grid; NULL: there are none */
    char written[PATH_MAX + 1280], xmf[PATH_MAX];
    int json_to_stdout;

    app_planes planes; /* those of f and u, which are [count][ny][nx] */
    unsigned flights;

    app_verification verification;
    struct {
        app_answer_error answer;
        app_madelung madelung;
    } known; /* what comes out beside answers that are known */
} app_job;

/** What solves, and the arrays. They are not the job's: no function that knows files calls the
 *  solver. All zero before app_job_describe(). */
typedef struct app_solver {
    psg_plan *plan;
    size_t bytes;     /* of a field's part in each array */
    size_t parts;     /* of each array, a part for each step that is solved together */
    size_t part;      /* of the present step */
    void *f;          /* `parts` parts */
    unsigned count_u; /* resident data have one u, whatever is in flight */
    void **u;         /* each as f */
    unsigned solved;  /* so far */
    bool resident;    /* f and u are slabs */
    app_side_values values;
    app_coefficient epsilon;
    void *guess;       /* [nz][ny][nx] of the precision; NULL: there is none */
    void *gradient[3]; /* of u; NULL: it is not wanted */
    double tolerance;  /* of a solve with epsilon, as is the next */
    unsigned iterations;
} app_solver;

/** From the command line and the head of the input: the grid, the options, what the report calls
 *  it, and the planes of this process. Collective. @param[out] values  what holds on the sides
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message; the same in all processes */
int app_job_describe(app_job *r, app_side_values *values);

/** Make the temporary files of everything that will be written; rank 0 does, and tells the others.
 *  Collective.
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message; the same in all processes */
int app_job_begin_outputs(app_job *r);

/** Split FILE[:GROUP] of an option, a group of data sets x, y and z.
 *  @param[in] several  what is in it, for messages
 *  @return APP_DONE; APP_USAGE after a message */
int app_job_split_group(const char *several, const char *given, app_field_name *name);

/** Open what is read beside f. Collective.
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message, the same in all processes */
int app_job_open_beside(app_job *r);

/** Read the guess, or epsilon, whose values are looked at.
 *  @param[out] values  a field of this process @return APP_DONE; APP_USAGE or APP_FAILED after a
 *  message */
int app_job_load_beside(app_job *r, const app_job_beside *beside, void *values);

/** Give the plan the kernel of a file, if there is one. Collective.
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message, the same in all processes */
int app_job_give_kernel(app_job *r, psg_plan *plan);

/** Time steps that are read and solved together, each with its part of f and u; 1: one after the
 *  other. */
size_t app_job_batch(const app_job *r);

/** The part of an array that the present step has; that of the u of the last solve. */
void *app_solver_part(const app_solver *s, void *array);
void *app_solver_last_u(const app_solver *s);

#endif
