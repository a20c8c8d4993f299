/** @file tuned_file.h  The file of a tuned entry. */
#ifndef PSG_GRAPH_TUNED_FILE_H
#define PSG_GRAPH_TUNED_FILE_H

#include "graph/psg_machine.h"

#include <stdbool.h>

/** What tells entries apart, and a text for where it was measured, filled in from this machine.
 *  @param[in] device  the GPU's number, where tuned->gpus > 0 */
void psg_tuned_key(psg_tuned *tuned, int device);
/** Write the entry to a file of the cache folder; an old file is replaced whole. @return PSG_OK;
 * PSG_ERR_RUNTIME */
psg_status psg_tuned_write(const psg_tuned *tuned, const char *path);
/** @return is it an entry, of this name and with values that a plan could have? */
bool psg_tuned_read(psg_tuned *tuned, const char *path, const char *name);
/** @return what a plan could not have in it, in words; NULL if it is fine */
const char *psg_tuned_wrong(const psg_tuned *tuned);

#endif
