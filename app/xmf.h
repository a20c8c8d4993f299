/** @file xmf.h  The small XML file beside an HDF5 file by which ParaView opens the field. */
#ifndef PSG_APP_XMF_H
#define PSG_APP_XMF_H

#include "app/app.h"

/** "phi.h5" -> "phi.xmf"; a name without .h5, .hdf5 or .he5 gets .xmf added.
 *  @param[out] name  size bytes. @return 0, or -1 where it does not fit */
int app_xmf_name(const char *field_file, char *name, size_t size);

/** Write the description of one data set of a file in the same folder.
 *  @param[in] path     the file to write; `shown` is its name in messages
 *  @param[in] field    the HDF5 file; only the last part of its path is used
 *  @param[in] dataset  "/potential"
 *  @return APP_DONE; APP_FAILED after a message */
int app_xmf_write(const char *path, const char *shown, const char *field, const char *dataset,
                  const psg_grid *grid, psg_precision precision);

#endif
