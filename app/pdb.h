/** @file pdb.h  Atoms from a file of the Protein Data Bank. */
#ifndef PSG_APP_PDB_H
#define PSG_APP_PDB_H

#include "app/words.h"

typedef struct app_pdb {
    double *at; /**< [atoms][3], in angstrom */
    size_t atoms;
    double mean[3]; /**< of them */
} app_pdb;

/** The places of all records ATOM, columns 31 to 54, of the first model. A note says where there are more models.
 *  @return APP_DONE; an exit code after a message: no such file, no atoms, a line that is wrong */
int app_pdb_read(app_pdb *pdb, const char *path, app_notes *notes);
void app_pdb_free(app_pdb *pdb);

#endif
