/** @file field_whole.h  Is all of a data set there? */
#ifndef PSG_APP_FIELD_WHOLE_H
#define PSG_APP_FIELD_WHOLE_H

#include <hdf5.h>

/** For H5Pset_elink_cb(): follow links to regular files only; opening a FIFO waits for ever.
 *  @param[out] words  char[APP_HDF5_LINK_WORDS]: why a link was not followed */
enum { APP_HDF5_LINK_WORDS = 512 };
herr_t app_hdf5_link_file(const char *parent, const char *group, const char *file,
                          const char *object, unsigned *flags, hid_t access, void *words);

/** Is all of a data set there, in its file or where the file says?
 *  @param[in] name  for messages
 *  @return APP_DONE; APP_USAGE after a message */
int app_hdf5_check_whole(hid_t dataset, const char *name);

#endif
