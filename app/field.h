/** @file field.h  Fields in HDF5 files: data sets [nz][ny][nx], x fastest. */
#ifndef PSG_APP_FIELD_H
#define PSG_APP_FIELD_H

#include "app/app.h"

#include <limits.h>

/** Where a field is: what "FILE:DATASET" says. */
typedef struct app_field_name {
    char file[PATH_MAX];
    char dataset[1024]; /**< "" if none was named; else it starts with '/' */
} app_field_name;

typedef struct app_field_input app_field_input;

typedef struct app_field_info {
    size_t n[3];                /**< nx, ny, nz */
    psg_precision precision;    /**< that fits the data */
    int integers;               /**< the data are whole numbers */
    int has_box;                /**< the data set has an attribute `box` */
    double box[3];              /**< lx, ly, lz */
    char name[PATH_MAX + 1024]; /**< "FILE:/DATASET", for messages */
} app_field_info;

/** Attributes of the field that is written. */
typedef struct app_field_header {
    const double *box; /**< lx, ly, lz */
    const char *symbol;
    double lambda;
    double mean_dropped;
    const char *source; /**< the input's name, or the problem's */
} app_field_header;

typedef struct app_field_output app_field_output;

/** Split "FILE", "FILE:DATASET" or "FILE:/DATA/SET" at its last colon. A file whose name has a colon is
 *  taken whole if it exists. @return APP_DONE; APP_USAGE after a message */
int app_field_split(const char *text, app_field_name *name);

/** Open a data set and find out about it; reads no data. Without a data set's name the file must have
 *  exactly one of rank 3.
 *  @param[in]  box_wanted  0: do not look at the attribute `box`
 *  @param[out] input  NULL after a failure
 *  @return APP_DONE; APP_USAGE after a message */
int app_field_open(const app_field_name *name, int box_wanted, app_field_input **input,
                   app_field_info *info);

/** @param[out] f  [nz][ny][nx] of the precision; HDF5 converts
 *  @return APP_DONE; APP_FAILED after a message */
int app_field_read(app_field_input *input, psg_precision precision, void *f);

/** NULL is fine. */
void app_field_close(app_field_input *input);

/** Make a new HDF5 file over `path` with one data set, without its data yet.
 *  @param[in]  path     the file to write; `shown` is its name in messages
 *  @param[in]  dataset  "" = /potential
 *  @param[out] output   NULL after a failure
 *  @return APP_DONE; APP_FAILED or APP_USAGE (the data set's name) after a message */
int app_field_create(const char *path, const char *shown, const char *dataset, const psg_grid *grid,
                     psg_precision precision, app_field_output **output);

/** Write the data and the attributes, and flush. The old file, if there is one, is said to be intact.
 *  @return APP_DONE; APP_FAILED after a message */
int app_field_write(app_field_output *output, const void *u, const app_field_header *header);

/** Close the file and free `output`.
 *  @return APP_DONE; APP_FAILED: what was written is not all there, after a message */
int app_field_finish(app_field_output *output);

/** Close a file that will be removed and free `output`, whatever is wrong with it. NULL is fine. */
void app_field_abandon(app_field_output *output);

/** "1.10.8". @param[out] text  size bytes */
void app_field_library_version(char *text, size_t size);

#endif
