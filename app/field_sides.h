/** @file field_sides.h  Values on the sides of the box, in HDF5 files. */
#ifndef PSG_APP_FIELD_SIDES_H
#define PSG_APP_FIELD_SIDES_H

#include "app/grid_sides.h"

/** Read the data sets x0 x1 y0 y1 z0 z1 of a file, those that there are.
 *  @param[out] values  to be freed after a failure too
 *  @param[out] other   a data set of the file that is none of these; "" if there is none. 256 bytes
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message */
int app_side_values_read(const char *path, const psg_grid *grid, psg_precision precision,
                         app_planes planes, app_side_values *values, char other[256]);
/** One value for a whole side. @return APP_DONE; APP_FAILED after a message */
int app_side_values_fill(app_side_values *values, const psg_grid *grid, psg_precision precision,
                         app_planes planes, int axis, int side, double value);

#endif
