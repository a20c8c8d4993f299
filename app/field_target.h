/** @file field_target.h  The file that a field goes into. */
#ifndef PSG_APP_FIELD_TARGET_H
#define PSG_APP_FIELD_TARGET_H

#include "app/steps.h"

#include <hdf5.h>

/** Where a field goes. */
typedef struct app_hdf5_target {
    const char *path;  /**< a temporary file, empty */
    const char *shown; /**< the file that it will replace, if there is one */
    const char *name;  /**< of the data set, or the group of the time steps */
    const app_field_steps *steps;
    double bytes; /**< of the field, with all steps */
    int force;    /**< replace what psg did not write */
} app_hdf5_target;

/** Make or fill the temporary file, so that only the data sets are missing. All other content of
 *  the file that is there already is kept.
 *  @param[out] file  open, or H5I_INVALID_HID; open after some failures, too
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message */
int app_hdf5_target_open(const app_hdf5_target *target, hid_t *file);

#endif
