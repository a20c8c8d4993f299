/** @file faces.h  What the last axis may have besides: faces, from a file, and K of Robin sides. */
#ifndef PSG_APP_FACES_H
#define PSG_APP_FACES_H

#include "app/words.h"
#include "graph/psg.h"

/** Give an axis of the grid the faces that --faces names, and its length, if that is not given.
 *  @param[in]  text   z=FILE, or NULL; FILE has numbers apart by blanks, commas or ends of lines,
 *                     or is NumPy's, or a data set FILE:DATASET
 *  @param[in]  boxed  lengths of the box are given
 *  @param[out] faces  to be freed after the grid; NULL: there are none
 *  @return APP_DONE; APP_USAGE or APP_FAILED after a message */
int app_faces_read(const char *text, bool boxed, psg_grid *grid, double **faces, app_notes *notes);
/** Give the last axis the K that --robin names. @param[in] text  z=K0,K1, or NULL: no side is Robin
 *  @return APP_DONE; APP_USAGE after a message */
int app_robin_read(const char *text, psg_grid *grid);

#endif
