/* All kinds of task that the library has, registered in the order of their numbers. */
#include "codelets/context.h"
#include "codelets/kinds.h"
#include "codelets/pcg.h"
#include "codelets/whole.h"
#include "codelets/workloads/blocks.h"
#include "codelets/workloads/cg.h"
#include "codelets/workloads/dock.h"
#include "codelets/workloads/ep.h"
#include "codelets/workloads/jacobi.h"
#include "codelets/workloads/qr.h"
#include "codelets/workloads/transpose.h"
#include "codelets/workloads/vadd.h"

static const psg_kind *const workloads[PSG_KIND_COUNT - PSG_TASK_COUNT] = {
    [PSG_KIND_PCG_MEASURE - PSG_TASK_COUNT] = &psg_pcg_measure_kind,
    [PSG_KIND_PCG_START - PSG_TASK_COUNT] = &psg_pcg_start_kind,
    [PSG_KIND_PCG_DOT - PSG_TASK_COUNT] = &psg_pcg_dot_kind,
    [PSG_KIND_PCG_DIRECTION - PSG_TASK_COUNT] = &psg_pcg_direction_kind,
    [PSG_KIND_PCG_APPLY - PSG_TASK_COUNT] = &psg_pcg_apply_kind,
    [PSG_KIND_PCG_UPDATE - PSG_TASK_COUNT] = &psg_pcg_update_kind,
    [PSG_KIND_PCG_END - PSG_TASK_COUNT] = &psg_pcg_end_kind,
    [PSG_KIND_PCG_SCALARS - PSG_TASK_COUNT] = &psg_pcg_scalars_kind,
    [PSG_KIND_WHOLE - PSG_TASK_COUNT] = &psg_whole_kind,
    [PSG_KIND_CG_APPLY - PSG_TASK_COUNT] = &psg_cg_apply_kind,
    [PSG_KIND_EP_CHUNK - PSG_TASK_COUNT] = &psg_ep_chunk_kind,
    [PSG_KIND_EP_ADD - PSG_TASK_COUNT] = &psg_ep_add_kind,
    [PSG_KIND_BLOCKS_DIAGONAL - PSG_TASK_COUNT] = &psg_blocks_diagonal_kind,
    [PSG_KIND_BLOCKS_PAIR - PSG_TASK_COUNT] = &psg_blocks_pair_kind,
    [PSG_KIND_BLOCKS_PROJECT - PSG_TASK_COUNT] = &psg_blocks_project_kind,
    [PSG_KIND_JACOBI_SWEEP - PSG_TASK_COUNT] = &psg_jacobi_sweep_kind,
    [PSG_KIND_DOCK_STATIC - PSG_TASK_COUNT] = &psg_dock_static_kind,
    [PSG_KIND_DOCK_VOXEL - PSG_TASK_COUNT] = &psg_dock_voxel_kind,
    [PSG_KIND_DOCK_CORRELATE - PSG_TASK_COUNT] = &psg_dock_correlate_kind,
    [PSG_KIND_DOCK_BEST - PSG_TASK_COUNT] = &psg_dock_best_kind,
    [PSG_KIND_DOCK_MERGE - PSG_TASK_COUNT] = &psg_dock_merge_kind,
    [PSG_KIND_GEQRT - PSG_TASK_COUNT] = &psg_geqrt_kind,
    [PSG_KIND_UNMQR - PSG_TASK_COUNT] = &psg_unmqr_kind,
    [PSG_KIND_TSQRT - PSG_TASK_COUNT] = &psg_tsqrt_kind,
    [PSG_KIND_TSMQR - PSG_TASK_COUNT] = &psg_tsmqr_kind,
    [PSG_KIND_TRANSPOSE - PSG_TASK_COUNT] = &psg_transpose_kind,
    [PSG_KIND_TRANSPOSE_EXCHANGE - PSG_TASK_COUNT] = &psg_transpose_exchange_kind,
    [PSG_KIND_TRANSPOSE_SWAP - PSG_TASK_COUNT] = &psg_transpose_swap_kind,
    [PSG_KIND_TRANSPOSE_ALONE - PSG_TASK_COUNT] = &psg_transpose_alone_kind,
    [PSG_KIND_VADD - PSG_TASK_COUNT] = &psg_vadd_kind,
};

/* Before anything else of the library can run, so that they are the first. */
__attribute__((constructor)) static void register_kinds(void) {
    for (int m = 0; m < PSG_TASK_COUNT; m++) {
        (void)psg_kind_register(&psg_context_kinds[m]);
    }
    for (int m = 0; m < PSG_KIND_COUNT - PSG_TASK_COUNT; m++) {
        (void)psg_kind_register(workloads[m]);
    }
}
