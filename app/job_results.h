/** @file job_results.h  What comes of a solve: is it right, and the files that it leaves. */
#ifndef PSG_APP_JOB_RESULTS_H
#define PSG_APP_JOB_RESULTS_H

#include "app/job.h"

/** Check the solution in every way that was asked for; what comes out is in the report. Collective.
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message; the same in all processes */
int app_job_check(app_job *r, const app_solver *s);

/** Write u into the temporary file, of steps that of the present one. Collective.
 *  @return APP_DONE, also where nobody asked for it; APP_FAILED after a message; the same in all
 *          processes */
int app_job_write_field(app_job *r, const void *u);

/** After the last step write all else that is wanted but for the report, and give all files their
 *  names. Collective. @param[in] gradient  of u, if it is wanted @return as before */
int app_job_write_results(app_job *r, void *const gradient[3]);

/** Tell the results, on rank 0. @return APP_DONE; APP_FAILED after a message */
int app_job_write_report(app_job *r);

#endif
