/** @file hdf5.h  Calls of HDF5 that app/field*.c have in common: only these files know HDF5. */
#ifndef PSG_APP_HDF5_H
#define PSG_APP_HDF5_H

#include "app/app.h"

#include <hdf5.h>
#include <stdbool.h>

/** Let HDF5 print nothing by itself; before its first call, and before MPI is initialised where it
 *  will be. A HDF5 that is started later closes in MPI_Finalize() what it thinks is open, and
 *  crashes if the disk of a file was full. */
void app_hdf5_start(void);

/** "1.10.8". @param[out] text  size bytes */
void app_hdf5_version(char *text, size_t size);

/** Why the latest call of HDF5 failed; to be used right after it. @param[out] text  size bytes */
const char *app_hdf5_words(char *text, size_t size);
#define APP_HDF5_WORDS app_hdf5_words((char[512]){""}, 512)

/** What these words are where another program has the file open for writing. */
extern const char app_hdf5_locked[];

/** What a data set holds. */
typedef struct app_hdf5_shape {
    int rank;
    bool empty; /**< it has no extents, and no value */
    hsize_t extent[H5S_MAX_RANK];
    unsigned long long points;
    H5T_class_t class;
    size_t bytes; /**< of a number */
} app_hdf5_shape;

app_hdf5_shape app_hdf5_shape_of(hid_t dataset);

/** "4 x 5 x 6", "one value" or "empty". @param[out] text  size bytes */
void app_hdf5_shape_text(const app_hdf5_shape *shape, char *text, size_t size);

/** Open a regular file for reading. @param[out] file  H5I_INVALID_HID after a failure
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message */
int app_hdf5_open(const char *path, hid_t *file);

/** The attribute by which a data set is known as a field that psg wrote. */
#define APP_HDF5_MARK "psg_version"

/** For H5Pset_elink_cb(): follow no link to another file. */
herr_t app_hdf5_no_link(const char *parent, const char *group, const char *file, const char *object,
                        unsigned *flags, hid_t access, void *data);

/** Numbers of an attribute. @return 1; 0: there is none; -1: it is not `count` numbers */
int app_hdf5_numbers(hid_t dataset, const char *attribute, double *values, int count);

/** The text of an attribute as psg writes it. @param[out] text  size bytes; "" if there is no such
 *  attribute */
void app_hdf5_text(hid_t dataset, const char *attribute, char *text, size_t size);

/** A block of a data set of rank 1 to 3. */
typedef struct app_hdf5_block {
    int rank;
    hsize_t start[3], count[3];
} app_hdf5_block;

/** Read a block. @param[out] words  why it could not be read: a filter that is not here is named
 *  @return 0; -1: see `words` */
int app_hdf5_read(hid_t dataset, const app_hdf5_block *block, psg_precision precision, void *to,
                  char words[512]);

#endif
