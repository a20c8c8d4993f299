/** @file storage.h  The memory of solves. */
#ifndef PSG_GRAPH_STORAGE_H
#define PSG_GRAPH_STORAGE_H

#include "graph/workspace.h"

/** The memory of solves. More workspaces come with solves in flight. */
typedef struct psg_storage {
    void **scratch; /**< by StarPU worker number */
    void **spectra; /**< see psg_context */
    /** bytes of it before the plane that solves with values on the sides use */
    size_t sides_scratch;
    psg_cpu_piece **pieces; /**< by StarPU worker number */
    size_t scratch_bytes;
    psg_workspace **workspaces; /**< options.in_flight; those from workspace_count on are NULL */
    size_t workspace_count;
    /** MPI has memory of the workspaces, and the channel, of solves that were given up */
    bool left;
} psg_storage;

/** The first workspace; and scratch for the workers, with FFTW's plans. @return PSG_OK;
 * PSG_ERR_MEMORY, _RUNTIME */
psg_status psg_storage_workspaces(psg_storage *storage, const psg_plan *plan);
psg_status psg_storage_scratch(psg_storage *storage, const psg_plan *plan);
/** psg_workspace_create() where there is room for one more solve. Collective.
 *  @return PSG_OK; PSG_ERR_MEMORY: *workspace is NULL on all processes, and no error is latched */
psg_status psg_storage_another(psg_workspace **workspace, const psg_plan *plan, size_t number);
/** Make `beside`, unless it is there. Collective. @return false: there is no memory for it, nor
 *  will there be in another call */
bool psg_storage_have_beside(psg_workspace *workspace, const psg_plan *plan);
void psg_storage_free(psg_storage *storage, const psg_plan *plan);

#endif
