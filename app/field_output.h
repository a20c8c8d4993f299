/** @file field_output.h  Writing a field into an HDF5 or a NumPy file. */
#ifndef PSG_APP_FIELD_OUTPUT_H
#define PSG_APP_FIELD_OUTPUT_H

#include "app/app.h"
#include "app/field_place.h"

typedef struct app_field_output app_field_output;

/** Make the file, HDF5 with the field's data sets or by its name NumPy's, without data yet. Rank 0
 *  makes it; what the others get is good for app_field_write().
 *  @param[in]  place   what it points to is borrowed until app_field_abandon()
 *  @param[out] output  NULL after a failure
 *  @return APP_DONE; APP_FAILED or APP_USAGE (what is there already, or the data set's name) after
 *  a message */
int app_field_create(const app_field_place *place, const psg_grid *grid, psg_precision precision,
                     app_field_output **output);

/** Write the attributes, which NumPy's files have not, and the data of the field or of a step;
 *  collective. Every process writes its planes where all of them can open the file, else rank 0
 *  writes them for all. If the old file has changed since app_field_create(), its content is taken
 *  over anew before the first step.  @param[in] step  in the order of the steps, each once; 0 of
 *  one field  @param[in] u     [count][ny][nx], the planes alone
 *  @return APP_DONE; APP_FAILED after a message; the same in all processes */
int app_field_write(app_field_output *output, size_t step, app_planes planes, const void *u,
                    const app_field_header *header);

/** Free `output`, whatever is wrong with it. NULL is fine. */
void app_field_abandon(app_field_output *output);

#endif
