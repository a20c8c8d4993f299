/* All kinds of task that the library has, registered in the order of their numbers. */
#include "codelets/context.h"
#include "codelets/kinds.h"
#include "codelets/pcg.h"
#include "codelets/whole.h"

static const psg_kind *const others[PSG_KIND_COUNT - PSG_TASK_COUNT] = {
    [PSG_KIND_PCG_MEASURE - PSG_TASK_COUNT] = &psg_pcg_measure_kind,
    [PSG_KIND_PCG_START - PSG_TASK_COUNT] = &psg_pcg_start_kind,
    [PSG_KIND_PCG_DOT - PSG_TASK_COUNT] = &psg_pcg_dot_kind,
    [PSG_KIND_PCG_DIRECTION - PSG_TASK_COUNT] = &psg_pcg_direction_kind,
    [PSG_KIND_PCG_APPLY - PSG_TASK_COUNT] = &psg_pcg_apply_kind,
    [PSG_KIND_PCG_UPDATE - PSG_TASK_COUNT] = &psg_pcg_update_kind,
    [PSG_KIND_PCG_END - PSG_TASK_COUNT] = &psg_pcg_end_kind,
    [PSG_KIND_PCG_SCALARS - PSG_TASK_COUNT] = &psg_pcg_scalars_kind,
    [PSG_KIND_WHOLE - PSG_TASK_COUNT] = &psg_whole_kind,
};

/* Before anything else of the library can run, so that they are the first. */
__attribute__((constructor)) static void register_kinds(void) {
    for (int m = 0; m < PSG_TASK_COUNT; m++) {
        (void)psg_kind_register(&psg_context_kinds[m]);
    }
    for (int m = 0; m < PSG_KIND_COUNT - PSG_TASK_COUNT; m++) {
        (void)psg_kind_register(others[m]);
    }
}
