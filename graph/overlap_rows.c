/* Rows that kspace relays, see codelets/layout.h: which they are, and where they stand in a lane. */
#include "graph/overlap_rows.h"
#include "base/tuning.h"
#include "codelets/gpu.h"
#include "graph/placement.h"
#include "graph/plan_struct.h"
#include "graph/ranks.h"
#include "graph/shared_memory.h"
#include "graph/status.h"

#include <stdlib.h>

/* A share of each sheet's rows, in multiples of TUNING_RELAY_STEP. @param[out] rows  by sheet; NULL: not asked for @return all of them */
static size_t take_rows(size_t *rows, const psg_context *c, double share) {
    size_t all = 0;
    for (size_t p = 0; p < c->layout.sheets.count; p++) {
        const size_t some = (size_t)(share * (double)psg_layout_rows(&c->layout, p)) /
                            TUNING_RELAY_STEP * TUNING_RELAY_STEP;
        if (rows != NULL) {
            rows[p] = some;
        }
        all += some;
    }
    return all;
}

/* `kspace` writes a share of the rows to the GPUs of their segments, see base/tuning.h. Rows that come and go back
 * have two places, if there is room for them beside f and u. All processes relay the same rows in the same way. */
psg_status psg_relay_choose(psg_relay *relay, const psg_plan *plan) {
    const psg_context *c = &plan->context;
    double gpus = (double)plan->workers.gpu_count;
    const bool far = psg_lends(plan) && plan->lending.kind == PSG_LOAN_MAIN;
    double unable = gpus == 0 || far || !psg_gpu_relays(c) ? 1 : 0;
    if (!c->form.reaches) {
        return PSG_OK;
    }
    psg_status status = psg_ranks_sum(plan->processes.comm, &gpus, 1);
    status = status == PSG_OK ? psg_ranks_max(plan->processes.comm, &unable, 1) : status;
    if (status != PSG_OK || unable > 0) {
        return status;
    }
    const double away = gpus / (gpus - 1);
    const double twice = TUNING_RELAY_SHARE * away;
    double fetched = gpus == 2 || plan->home.fetches ||
                             !psg_placement_fits_twice(plan, true, take_rows(NULL, c, twice))
                         ? 1
                         : 0;
    status = psg_ranks_max(plan->processes.comm, &fetched, 1);
    if (status != PSG_OK) {
        return status;
    }
    relay->rows = malloc(c->layout.sheets.count * sizeof *relay->rows);
    if (relay->rows == NULL) {
        return psg_fail(PSG_ERR_MEMORY, "no memory for the placement of %zu sheets",
                        c->layout.sheets.count);
    }
    relay->fetched = fetched > 0;
    (void)take_rows(relay->rows, c, fetched > 0 ? TUNING_RELAY_FETCHED_SHARE * away : twice);
    return PSG_OK;
}

bool psg_relay_allocate(psg_lane *lane, const psg_plan *plan) {
    const psg_layout *l = &plan->context.layout;
    const size_t before = l->relay.fetched ? 0 : l->sheets.count;
    if (l->relay.rows == NULL) {
        return true;
    }
    lane->relay = calloc(starpu_worker_get_count(), sizeof *lane->relay);
    for (size_t g = 0; lane->relay != NULL && g < plan->workers.gpu_count; g++) {
        void **table = calloc(before + l->segments.count, sizeof *table);
        if (table == NULL) {
            return false;
        }
        lane->relay[plan->workers.gpus[g]] =
            (psg_relay_place){before > 0 ? table : NULL, table + before};
    }
    return lane->relay != NULL;
}

/* Item m of a process, as a GPU's worker reaches it. */
static void *item_at(const psg_lane *lane, const psg_plan *plan, int rank, size_t m, int worker) {
    return rank == plan->processes.rank ? lane->item[m]
                                        : psg_lend_item(lane, plan, rank, m, worker);
}

/* A process' items are the blocks of its sheets, the rows of these before kspace unless they are fetched, and the rows of
 * all sheets in each of its segments after kspace. */
static void fill(const psg_lane *lane, const psg_plan *plan, int worker) {
    const psg_relay_place *place = &lane->relay[worker];
    const psg_layout *l = &plan->context.layout;
    for (int r = 0; r < plan->processes.ranks; r++) {
        const size_t segments = psg_range_count(psg_parts_of(&l->segments, r));
        const size_t sheets = psg_range_count(psg_parts_of(&l->sheets, r));
        const size_t after = place->before != NULL ? 2 * sheets : sheets;
        for (size_t m = 0; place->before != NULL && m < sheets; m++) {
            place->before[l->sheets.first[r] + m] = item_at(lane, plan, r, sheets + m, worker);
        }
        for (size_t m = 0; m < segments; m++) {
            place->after[l->segments.first[r] + m] = item_at(lane, plan, r, after + m, worker);
        }
    }
}

void psg_relay_fill(psg_lane *lane, const psg_plan *plan) {
    for (size_t g = 0; lane->relay != NULL && g < plan->workers.gpu_count; g++) {
        fill(lane, plan, plan->workers.gpus[g]);
    }
}

void psg_relay_free(psg_lane *lane, const psg_plan *plan) {
    for (size_t g = 0; lane->relay != NULL && g < plan->workers.gpu_count; g++) {
        const psg_relay_place *place = &lane->relay[plan->workers.gpus[g]];
        free(place->before != NULL ? (void *)place->before : (void *)place->after);
    }
    free(lane->relay);
}
