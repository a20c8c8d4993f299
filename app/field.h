/** @file field.h  Fields in files: HDF5 data sets, or NumPy's arrays, [nz][ny][nx], x fastest. */
#ifndef PSG_APP_FIELD_H
#define PSG_APP_FIELD_H

#include "app/app.h"
#include "app/steps.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/** Where a field is: what "FILE:DATASET" says. */
typedef struct app_field_name {
    char file[PATH_MAX];
    char
        dataset[1024]; /**< "" if none was named, or the file is NumPy's; else it starts with '/' */
} app_field_name;

typedef struct app_field_input app_field_input;

typedef struct app_field_info {
    size_t n[3];             /**< nx, ny, nz */
    psg_precision precision; /**< that fits the data */
    int integers;            /**< the data are whole numbers */
    size_t steps;            /**< 0: one data set; else so many, all of the same kind */
    uint64_t step_names;     /**< of all steps, hashed */
    bool has_box;            /**< the data set has an attribute `box` */
    double box[3];           /**< lx, ly, lz */
    char bc[12], points[8];  /**< its attributes with these names, as --bc and --points; "" */
    char name
        [PATH_MAX +
         1280]; /**< FILE:/DATASET or FILE, for messages; of steps it ends with /GROUP/ and a star */
} app_field_info;

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

/** Start HDF5 before MPI is initialised; needed only where it will be. A HDF5 that is started
 *  later closes in MPI_Finalize() what it thinks is open, and crashes if the disk of a file was
 *  full. */
void app_field_start(void);

/** Split "FILE", "FILE:DATASET" or "FILE:/DATA/SET" at its last colon. A file whose name has a
 *  colon is taken whole if it exists. @return APP_DONE; APP_USAGE after a message */
int app_field_split(const char *text, app_field_name *name);

/** Does a name mean all data sets of a group, as time steps: is the last part of its data set's name `*`? */
bool app_field_is_series(const app_field_name *name);

/** Open a data set, or all of a group, and find out about it; reads no data. Without a data set's name the file must have
 *  exactly one of rank 3. One that was never written, or of which a part is missing, is refused. So are steps that
 *  differ in their shapes, numbers or boxes.
 *  @param[in]  box_wanted  0: do not look at the attribute `box`
 *  @param[out] input  NULL after a failure
 *  @return APP_DONE; APP_USAGE after a message */
int app_field_open(const app_field_name *name, int box_wanted, app_field_input **input,
                   app_field_info *info);

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

/** Where a field is written. */
typedef struct app_field_place {
    const char *path;    /**< an empty temporary file */
    const char *shown;   /**< the file that it replaces, whose other content it takes over */
    const char *dataset; /**< of the field, in HDF5, or the group of its steps */
    const app_field_steps *steps; /**< borrowed until app_field_abandon() */
    int force;                    /**< replace a file, or a data set, that psg did not write */
} app_field_place;

/** Make the file, HDF5 with the field's data sets or by its name NumPy's, without data yet. Rank 0 makes it; what the
 *  others get is good for app_field_write().
 *  @param[out] output   NULL after a failure
 *  @return APP_DONE; APP_FAILED or APP_USAGE (what is there already, or the data set's name) after a
 *          message */
int app_field_create(const app_field_place *place, const psg_grid *grid, psg_precision precision,
                     app_field_output **output);

/** Write the attributes, which NumPy's files have not, and the data of the field or of a step, and close the file;
 *  collective. Every process writes its planes where all of them can open the file, else rank 0 writes them for all. If
 *  the old file has changed since app_field_create(), its content is taken over anew before the first step.
 *  @param[in] step  in the order of the steps, each once; 0 of one field
 *  @param[in] u     [count][ny][nx], the planes alone
 *  @return APP_DONE; APP_FAILED after a message; the same in all processes */
int app_field_write(app_field_output *output, size_t step, app_planes planes, const void *u,
                    const app_field_header *header);

/** Free `output`, and close its file if that is still open, whatever is wrong with it. NULL is fine. */
void app_field_abandon(app_field_output *output);

/** "1.10.8". @param[out] text  size bytes */
void app_field_library_version(char *text, size_t size);

#endif
