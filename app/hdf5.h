/** @file hdf5.h  What app/field.c and app/field_*.c have in common: they are the only files of the command
 *  that know HDF5. */
#ifndef PSG_APP_HDF5_H
#define PSG_APP_HDF5_H

#include "app/app.h"
#include "app/steps.h"

#include <hdf5.h>

/** Let HDF5 print nothing by itself; before its first call. */
void app_hdf5_start(void);

/** Why the latest call of HDF5 failed; to be used right after it. @param[out] text  size bytes */
const char *app_hdf5_words(char *text, size_t size);
#define APP_HDF5_WORDS app_hdf5_words((char[512]){""}, 512)

/** What these words are where another program has the file open for writing. */
extern const char app_hdf5_locked[];

/** The same where data could not be read or written: a filter that is not here is named. */
const char *app_hdf5_read_words(hid_t dataset, char *text, size_t size);

/** Open a regular file for reading. @param[out] file  H5I_INVALID_HID after a failure
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message */
int app_hdf5_open(const char *path, hid_t *file);

/** The attribute by which a data set is known as a field that psg wrote. */
#define APP_HDF5_MARK "psg_version"

/** For H5Pset_elink_cb(): follow no link to another file. */
herr_t app_hdf5_no_link(const char *parent, const char *group, const char *file, const char *object,
                        unsigned *flags, hid_t access, void *data);

/** For H5Pset_elink_cb(): follow links to regular files only; opening a FIFO waits for ever.
 *  @param[out] words  char[APP_HDF5_LINK_WORDS]: why a link was not followed */
enum { APP_HDF5_LINK_WORDS = 512 };
herr_t app_hdf5_link_file(const char *parent, const char *group, const char *file,
                          const char *object, unsigned *flags, hid_t access, void *words);

/** Is all of a data set there, in its file or where the file says?
 *  @param[in] name  for messages
 *  @return APP_DONE; APP_USAGE after a message */
int app_hdf5_check_whole(hid_t dataset, const char *name);

/** The names of everything in a group, in their order, numbers in them compared as numbers; without times.
 *  @param[in]  path   of the group in the file; `name` is for messages
 *  @param[out] steps  free() its list, after a failure too
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message */
int app_hdf5_steps(hid_t file, const char *path, const char *name, app_field_steps *steps);

/** Numbers of an attribute. @return 1; 0: there is none; -1: it is not `count` numbers */
int app_hdf5_numbers(hid_t dataset, const char *attribute, double *values, int count);

/** The text of an attribute as psg writes it. @param[out] text  size bytes; "" if there is no such attribute */
void app_hdf5_text(hid_t dataset, const char *attribute, char *text, size_t size);

/** Where a field goes. */
typedef struct app_hdf5_target {
    const char *path;  /**< a temporary file, empty */
    const char *shown; /**< the file that it will replace, if there is one */
    const char *name;  /**< of the data set, or the group of the time steps */
    const app_field_steps *steps;
    double bytes; /**< of the field, with all steps */
    int force;    /**< replace what psg did not write */
} app_hdf5_target;

/** Make or fill the temporary file, so that only the data sets are missing. All other content of the
 *  file that is there already is kept.
 *  @param[out] file  open, or H5I_INVALID_HID; open after some failures, too
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message */
int app_hdf5_target_open(const app_hdf5_target *target, hid_t *file);

/** A data set [nz][ny][nx] that is moved in pieces. */
typedef struct app_hdf5_field {
    hid_t dataset;
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
