/** @file field.h  Fields in files: HDF5 data sets, or NumPy's arrays, [nz][ny][nx],
 *  [ny][nx] or [nx], x fastest. */
#ifndef PSG_APP_FIELD_H
#define PSG_APP_FIELD_H

#include "app/app.h"
#include "app/steps.h"
#include "app/values.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/** Where a field is: what "FILE:DATASET" says. */
typedef struct app_field_name {
    char file[PATH_MAX];
    /** "" if none was named, or the file is NumPy's; else it starts with '/'. */
    char dataset[1024];
} app_field_name;

typedef struct app_field_input app_field_input;

typedef struct app_field_info {
    app_grid_value size;     /**< its axes, the rank, and nx, ny, nz */
    psg_precision precision; /**< that fits the data */
    int integers;            /**< the data are whole numbers */
    size_t steps;            /**< 0: one data set; else so many, all of the same kind */
    uint64_t step_names;     /**< of all steps, hashed */
    app_box_value box;       /**< given: the data set has an attribute `box` */
    char bc[12], points[8];  /**< its attributes with these names, as --bc and --points; "" */
    /** FILE:/DATASET or FILE, for messages; of steps it ends with /GROUP/ and a star. */
    char name[PATH_MAX + 1280];
} app_field_info;

/** Split "FILE", "FILE:DATASET" or "FILE:/DATA/SET" at its last colon. A file whose name has a
 *  colon is taken whole if it exists. @return APP_DONE; APP_USAGE after a message */
int app_field_split(const char *text, app_field_name *name);

/** Does a name mean all data sets of a group, as time steps: is the last part of its data set's
 *  name `*`? */
bool app_field_is_series(const app_field_name *name);

/** Open a data set, or all of a group, and find out about it; reads no data. Without a data set's
 *  name the file must have exactly one of rank 3, or of rank 2 where none has 3. One that was never
 *  written, or of which a part is missing, is refused. So are steps that differ in their shapes,
 *  numbers or boxes.
 *  @param[in]  box_wanted  0: do not look at the attribute `box`
 *  @param[out] input  NULL after a failure
 *  @return APP_DONE; APP_USAGE after a message */
int app_field_open(const app_field_name *name, int box_wanted, app_field_input **input,
                   app_field_info *info);

/** "integers", "f32 numbers" or "f64 numbers": what it holds. Static. */
const char *app_field_kind(const app_field_info *info);

/** The steps of an open field, in the order of their names; borrowed. */
const app_field_steps *app_field_input_steps(const app_field_input *input);

/** As info.name, but after a step was read that step's; borrowed. */
const char *app_field_input_name(const app_field_input *input);

/** @param[in]  step  its place among the steps; 0 of one data set
 *  @param[out] f     [count][ny][nx] of the precision, the planes alone; HDF5 converts
 *  @return APP_DONE; APP_FAILED after a message */
int app_field_read(app_field_input *input, size_t step, psg_precision precision, app_planes planes,
                   void *f);

/** NULL is fine. */
void app_field_close(app_field_input *input);

#endif
