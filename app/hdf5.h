/** @file hdf5.h  What app/field.c and app/field_output.c have in common: they are the only files of the
 *  command that know HDF5. */
#ifndef PSG_APP_HDF5_H
#define PSG_APP_HDF5_H

#include "app/app.h"

#include <hdf5.h>

/** Let HDF5 print nothing by itself; before its first call. */
void app_hdf5_start(void);

/** Why the latest call of HDF5 failed; to be used right after it. @param[out] text  size bytes */
const char *app_hdf5_words(char *text, size_t size);
#define APP_HDF5_WORDS app_hdf5_words((char[512]){""}, 512)

/** A data set [nz][ny][nx] that is moved in pieces. */
typedef struct app_hdf5_field {
    hid_t dataset;
    hid_t transfer; /**< properties of the transfer, H5P_DEFAULT will do */
    const psg_grid *grid;
    psg_precision precision; /**< in memory */
    char words[512];         /**< why a piece could not be moved */
} app_hdf5_field;

/** Rows of it, counted through all planes: whole planes, or a part of one. */
typedef struct app_hdf5_rows {
    size_t first, count;
} app_hdf5_rows;

/** Read or write rows, at least one; `in` or `out` is where these rows are in memory, the other
 *  one is NULL. @return 0; -1: see `words` */
int app_hdf5_move(app_hdf5_field *field, app_hdf5_rows rows, void *in, const void *out);

#endif
