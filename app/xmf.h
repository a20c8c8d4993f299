/** @file xmf.h  The small XML file beside an HDF5 file by which ParaView opens the field. */
#ifndef PSG_APP_XMF_H
#define PSG_APP_XMF_H

#include "app/app.h"
#include "app/steps.h"

/** "phi.h5" -> "phi.xmf"; a name without .h5, .hdf5 or .he5 gets .xmf added.
 *  @param[out] name  size bytes. @return 0, or -1 where it does not fit */
int app_xmf_name(const char *field_file, char *name, size_t size);

/** Write the description of a field in a file of the same folder: of one data set, or of a group's
 *  as time steps.  @param[in] path     the file to write; `shown` is its name in messages
 *  @param[in] field    the HDF5 file; only the last part of its path is used
 *  @param[in] dataset  "/potential", or the group of the time steps
 *  @param[in] steps    NULL: none
 *  @return APP_DONE; APP_FAILED after a message */
int app_xmf_write(const char *path, const char *shown, const char *field, const char *dataset,
                  const app_field_steps *steps, const psg_grid *grid, psg_precision precision);

#endif
