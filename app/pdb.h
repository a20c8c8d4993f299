/** @file pdb.h  Atoms from a file of the Protein Data Bank. */
#ifndef PSG_APP_PDB_H
#define PSG_APP_PDB_H

#include "app/words.h"

typedef struct app_pdb {
    double *at;     /**< [atoms][3], in angstrom */
    double *charge; /**< [atoms], in elementary charges, by the names of atoms and residues */
    size_t atoms;
    double mean[3]; /**< of them */
} app_pdb;

/** The atoms of all records ATOM of the first model: names in columns 13 to 22, places in columns
 *  31 to 54. A note says where there are more models. Where an atom has alternate places, the first
 *  of them, A, has its charge.
 *  @return APP_DONE; an exit code after a message: no such file, no atoms, a line that is wrong */
int app_pdb_read(app_pdb *pdb, const char *path, app_notes *notes);
void app_pdb_free(app_pdb *pdb);

#endif
