/* Rows that kspace moves between GPUs itself, see codelets/layout.h: which they are, and where they
 * stand in a workspace. */
#include "graph/overlap_rows.h"
#include "base/tuning.h"
#include "codelets/gpu.h"
#include "graph/placement.h"
#include "graph/plan_struct.h"
#include "graph/ranks.h"
#include "graph/shared_memory.h"
#include "graph/status.h"

#include <stdlib.h>

/* A share of each sheet's rows, in multiples of TUNING_OVERLAP_STEP. @param[out] rows  by sheet;
 * NULL: not asked for @return all of them */
static size_t take_rows(size_t *rows, const psg_context *c, double share) {
    size_t all = 0;
    for (size_t p = 0; p < c->layout.sheets.count; p++) {
        const size_t some = (size_t)(share * (double)psg_layout_rows(&c->layout, p)) /
                            TUNING_OVERLAP_STEP * TUNING_OVERLAP_STEP;
        if (rows != NULL) {
            rows[p] = some;
        }
        all += some;
    }
    return all;
}

/* `kspace` writes a share of the rows to the GPUs of their segments, see base/tuning.h. Rows that
 * come and go back have two places, if there is room for them beside f and u. All processes choose
 * the same rows and the same way, and none on several nodes, whose memory `kspace` does not
 * reach. */
psg_status psg_overlap_choose(psg_overlap *overlap, const psg_plan *plan) {
    const psg_context *c = &plan->context;
    double gpus = (double)plan->workers.gpu_count;
    double unable = gpus == 0 || (psg_kernels != NULL && !psg_kernels->overlaps(c)) ? 1 : 0;
    psg_status status = psg_ranks_sum(plan->processes.comm, &gpus, 1);
    status = status == PSG_OK ? psg_ranks_max(plan->processes.comm, &unable, 1) : status;
    if (status != PSG_OK || unable > 0 || gpus < 2 || psg_processes_far(&plan->processes)) {
        return status;
    }
    const double away = gpus / (gpus - 1);
    const double twice = TUNING_OVERLAP_SHARE * away;
    double pulled = gpus == 2 || plan->route.home->fits_twice == NULL ||
                            !plan->route.home->fits_twice(plan, true, take_rows(NULL, c, twice))
                        ? 1
                        : 0;
    status = psg_ranks_max(plan->processes.comm, &pulled, 1);
    if (status != PSG_OK) {
        return status;
    }
    overlap->rows = malloc(c->layout.sheets.count * sizeof *overlap->rows);
    if (overlap->rows == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for the placement of %zu sheets",
                        c->layout.sheets.count);
    }
    const size_t all =
        take_rows(overlap->rows, c, pulled > 0 ? TUNING_OVERLAP_PULLED_SHARE * away : twice);
    overlap->pulled_rows = pulled > 0 ? all : 0;
    return PSG_OK;
}

bool psg_overlap_allocate(psg_workspace *workspace, const psg_plan *plan) {
    const psg_layout *l = &plan->context.layout;
    const size_t before = l->overlap.pulled_rows > 0 ? 0 : l->sheets.count;
    if (psg_overlap_rows_all(l) == 0) {
        return true;
    }
    workspace->overlap = calloc(starpu_worker_get_count(), sizeof *workspace->overlap);
    for (size_t g = 0; workspace->overlap != NULL && g < plan->workers.gpu_count; g++) {
        void **table = calloc(before + l->segments.count, sizeof *table);
        if (table == NULL) {
            return false;
        }
        workspace->overlap[plan->workers.gpus[g]] =
            (psg_overlap_place){before > 0 ? table : NULL, table + before, NULL};
    }
    return workspace->overlap != NULL;
}

/* Item m of a process, as a GPU's worker reaches it. */
static void *item_at(const psg_workspace *workspace, const psg_plan *plan, int rank, size_t m,
                     int worker) {
    return rank == plan->processes.rank ? workspace->item[m]
                                        : psg_shared_item(workspace, plan, rank, m, worker);
}

/* A process' items are the blocks of its sheets, the rows of these before kspace unless they are
 * pulled, and the rows of all sheets in each of its segments after kspace. */
static void fill(const psg_workspace *workspace, const psg_plan *plan, int worker) {
    const psg_overlap_place *place = &workspace->overlap[worker];
    const psg_layout *l = &plan->context.layout;
    for (int r = 0; r < plan->processes.ranks; r++) {
        const size_t segments = psg_range_count(psg_parts_of(&l->segments, r));
        const size_t sheets = psg_range_count(psg_parts_of(&l->sheets, r));
        const size_t after = place->before != NULL ? 2 * sheets : sheets;
        for (size_t m = 0; place->before != NULL && m < sheets; m++) {
            place->before[l->sheets.first[r] + m] = item_at(workspace, plan, r, sheets + m, worker);
        }
        for (size_t m = 0; m < segments; m++) {
            place->after[l->segments.first[r] + m] = item_at(workspace, plan, r, after + m, worker);
        }
    }
}

void psg_overlap_fill(psg_workspace *workspace, const psg_plan *plan) {
    for (size_t g = 0; workspace->overlap != NULL && g < plan->workers.gpu_count; g++) {
        fill(workspace, plan, plan->workers.gpus[g]);
    }
}

void psg_overlap_beside(psg_workspace *workspace, const psg_plan *plan) {
    for (size_t g = 0; workspace->overlap != NULL && g < plan->workers.gpu_count; g++) {
        const int worker = plan->workers.gpus[g];
        workspace->overlap[worker].beside = workspace->beside->overlap[worker].after;
    }
}

void psg_overlap_free(psg_workspace *workspace, const psg_plan *plan) {
    for (size_t g = 0; workspace->overlap != NULL && g < plan->workers.gpu_count; g++) {
        const psg_overlap_place *place = &workspace->overlap[plan->workers.gpus[g]];
        free(place->before != NULL ? (void *)place->before : (void *)place->after);
    }
    free(workspace->overlap);
}
