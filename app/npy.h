/** @file npy.h  NumPy's files: a header and one array. Those of format 1.0 with f4 or f8 numbers of
 *  this machine's byte order in C order, [nz][ny][nx], [ny][nx] or [nx], are fields. */
#ifndef PSG_APP_NPY_H
#define PSG_APP_NPY_H

#include "app/app.h"
#include "app/field_place.h"
#include "app/values.h"

#include <stdbool.h>
#include <sys/types.h>

typedef struct app_npy {
    int file; /**< open; -1: none */
    off_t data;
    app_grid_value size; /**< its axes, the rank, and nx, ny, nz */
    psg_precision precision;
} app_npy;

/** Does the name end with .npy? */
bool app_npy_named(const char *path);

/** Is it a regular file that has the name, or begins as NumPy's files do? */
bool app_npy_meant(const char *path);

/** Open a file and check its header and length. @param[out] npy  file -1 after a failure
 *  @return APP_DONE; APP_USAGE after a message */
int app_npy_open(const char *path, app_npy *npy);

/** @param[out] f  [count][ny][nx] of the precision, the planes alone
 *  @return NULL; why they cannot be read, static or until the next error of the system */
const char *app_npy_read(const app_npy *npy, psg_precision precision, app_planes planes, void *f);

/** Also one that is not open. */
void app_npy_close(app_npy *npy);

/** A field's file with its header alone, and where the numbers follow: a row of the formats in
 *  app/field_output.c. A file that is there already is replaced by force only.
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message */
int app_npy_create(const app_field_place *place, const psg_grid *grid, psg_precision precision);
int app_npy_describe(const app_field_place *place, size_t step, const app_field_header *header,
                     off_t *data);

#endif
