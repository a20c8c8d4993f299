/* The memory of solves. */
#include "graph/storage.h"
#include "base/memory.h"
#include "graph/overlap_rows.h"
#include "graph/plan_struct.h"
#include "graph/ranks.h"
#include "graph/status.h"
#include "graph/transform_table.h"
#include "graph/workspace.h"

#include <stdlib.h>

psg_status psg_storage_workspaces(psg_storage *storage, const psg_plan *plan) {
    storage->workspaces = calloc(plan->problem.options.in_flight, sizeof *storage->workspaces);
    psg_status status = PSG_OK;
    if (storage->workspaces == NULL) {
        status = psg_fail(PSG_ERR_MEMORY, "no memory for %u solves in flight",
                          plan->problem.options.in_flight);
    }
    status = psg_ranks_agree(plan->route.sharing, status);
    if (status != PSG_OK) {
        return status;
    }
    status = psg_workspace_create(&storage->workspaces[0], plan, 0);
    storage->workspace_count = status == PSG_OK ? 1 : 0;
    return status;
}

/* All processes make a workspace at once, or none does: some may have less memory. */
psg_status psg_storage_another(psg_workspace **result, const psg_plan *plan, size_t number) {
    const psg_home_row *home = plan->route.home;
    const bool fits = home->fits == NULL || home->fits(plan, true);
    psg_status status = fits ? PSG_OK : psg_fail(PSG_ERR_MEMORY, "no room for another spectrum");
    *result = NULL;
    status = psg_ranks_agree(plan->processes.comm, status);
    if (status == PSG_OK) {
        status = psg_ranks_agree(plan->processes.comm, psg_workspace_create(result, plan, number));
    }
    if (status != PSG_OK) {
        psg_workspace_destroy(*result, plan);
        *result = NULL;
        psg_clear_error();
    }
    return status;
}

bool psg_storage_have_beside(psg_workspace *workspace, const psg_plan *plan) {
    if (workspace->beside == NULL && !workspace->alone) {
        const size_t number = plan->problem.options.in_flight + workspace->number;
        workspace->alone = psg_storage_another(&workspace->beside, plan, number) != PSG_OK;
        if (!workspace->alone) {
            psg_overlap_beside(workspace, plan);
        }
    }
    return !workspace->alone;
}

psg_status psg_storage_scratch(psg_storage *storage, const psg_plan *plan) {
    const psg_context *c = &plan->context;
    const size_t line = psg_cpu_line_scratch_bytes(plan->problem.waves.line.n);
    size_t bytes = c->fft != NULL ? c->cpu->fft_scratch_bytes(c->fft) : 0;
    bytes = c->fft != NULL && line > bytes ? line : bytes;
    for (int d = 0; d < 2 && c->fft != NULL; d++) {
        const size_t slope =
            c->waves->slope[d].fft == NULL
                ? 0
                : psg_scratch_spectrum_bytes(c) + c->cpu->fft_scratch_bytes(c->waves->slope[d].fft);
        bytes = slope > bytes ? slope : bytes;
    }
    storage->sides_scratch = (bytes + 63) / 64 * 64;
    if (c->fft != NULL && psg_symbol_along(&plan->problem, 2)->faces) {
        bytes = storage->sides_scratch + 2 * psg_scratch_plane_bytes(c);
    }
    storage->scratch = calloc(plan->workers.count, sizeof *storage->scratch);
    storage->pieces = calloc(plan->workers.count, sizeof *storage->pieces);
    storage->spectra = calloc(plan->workers.count, sizeof *storage->spectra);
    bool all = storage->scratch != NULL && storage->pieces != NULL && storage->spectra != NULL;
    for (size_t w = 0; all && w < plan->workers.count; w++) {
        if (c->fft != NULL && starpu_worker_get_type((int)w) == STARPU_CPU_WORKER) {
            storage->scratch[w] = base_allocate(bytes);
            storage->pieces[w] = malloc(2 * c->layout.segments.count * sizeof **storage->pieces);
            storage->scratch_bytes += bytes;
            all = storage->scratch[w] != NULL && storage->pieces[w] != NULL;
        }
    }
    return all ? PSG_OK
               : psg_fail(PSG_ERR_MEMORY,
                          "no memory for the workers' scratch: %zu bytes for each of %zu", bytes,
                          plan->workers.usable_count);
}

void psg_storage_free(psg_storage *storage, const psg_plan *plan) {
    for (size_t m = 0; m < storage->workspace_count; m++) {
        psg_workspace_destroy(storage->workspaces[m], plan);
    }
    for (size_t w = 0; w < plan->workers.count; w++) {
        free(storage->scratch != NULL ? storage->scratch[w] : NULL);
        free(storage->pieces != NULL ? storage->pieces[w] : NULL);
        free(storage->spectra != NULL ? storage->spectra[w] : NULL);
    }
    free(storage->workspaces);
    free(storage->scratch);
    free(storage->pieces);
    free(storage->spectra);
}
