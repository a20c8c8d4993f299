/** @file field_output.h  Writing a field into an HDF5 or a NumPy file. */
#ifndef PSG_APP_FIELD_OUTPUT_H
#define PSG_APP_FIELD_OUTPUT_H

#include "app/app.h"
#include "app/steps.h"

/** Attributes of the field that is written. */
typedef struct app_field_header {
    const double *box; /**< lx, ly, lz */
    const char *sides; /**< --bc and --points of axes that are not all periodic; NULL */
    const char *points;
    const char *symbol; /**< NULL: a right-hand side, without this and the three that follow */
    double lambda, factor;
    double mean_dropped;
    const double *time; /**< of a step; NULL */
    const char *source; /**< the input's name, or the problem's */
} app_field_header;

typedef struct app_field_output app_field_output;

/** Where a field is written. */
typedef struct app_field_place {
    const char *path;    /**< an empty temporary file */
    const char *shown;   /**< the file that it replaces, whose other content it takes over */
    const char *dataset; /**< of the field, in HDF5, or the group of its steps */
    const app_field_steps *steps; /**< borrowed until app_field_abandon() */
    int force;                    /**< replace a file, or a data set, that psg did not write */
} app_field_place;

/** Make the file, HDF5 with the field's data sets or by its name NumPy's, without data yet. Rank 0
 *  makes it; what the others get is good for app_field_write().
 *  @param[out] output   NULL after a failure
 *  @return APP_DONE; APP_FAILED or APP_USAGE (what is there already, or the data set's name) after
 *  a message */
int app_field_create(const app_field_place *place, const psg_grid *grid, psg_precision precision,
                     app_field_output **output);

/** Write the attributes, which NumPy's files have not, and the data of the field or of a step, and
 *  close the file; collective. Every process writes its planes where all of them can open the file,
 *  else rank 0 writes them for all. If the old file has changed since app_field_create(), its
 *  content is taken over anew before the first step.  @param[in] step  in the order of the steps,
 *  each once; 0 of one field  @param[in] u     [count][ny][nx], the planes alone
 *  @return APP_DONE; APP_FAILED after a message; the same in all processes */
int app_field_write(app_field_output *output, size_t step, app_planes planes, const void *u,
                    const app_field_header *header);

/** Free `output`, and close its file if that is still open, whatever is wrong with it. NULL is
 *  fine. */
void app_field_abandon(app_field_output *output);

#endif
