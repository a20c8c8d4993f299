/** @file hdf5_output.h  The HDF5 file that a field goes into: all of it but the numbers. On rank
 *  0. */
#ifndef PSG_APP_HDF5_OUTPUT_H
#define PSG_APP_HDF5_OUTPUT_H

#include "app/app.h"
#include "app/field_place.h"

#include <sys/types.h>

/** Make or fill the temporary file, with the field's data sets, which have no data. All other
 *  content of the file that is there already is kept.
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message */
int app_hdf5_create(const app_field_place *place, const psg_grid *grid, psg_precision precision);

/** Write the attributes of the field or of a step.
 *  @param[out] data  where its numbers stand in the file, end to end
 *  @return APP_DONE; APP_FAILED after a message */
int app_hdf5_describe(const app_field_place *place, size_t step, const app_field_header *header,
                      off_t *data);

#endif
