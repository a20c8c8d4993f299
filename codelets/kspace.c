/* kspace, and gradient_z, which divides by something else. */
#include "codelets/kspace.h"
#include "codelets/codelet.h"

static void kspace_core(void *buffers[], const psg_task_args *args) {
    const psg_context *context = psg_context_of(args->run);
    const size_t segments = context->layout.segments.count;
    const bool beside = psg_label_beside(&args->label);
    psg_cpu_piece *piece = context->pieces[psg_task_worker(args)];
    for (size_t m = 0; m < (beside ? 2 : 1) * segments; m++) {
        piece[m] = (psg_cpu_piece){psg_task_pointer(buffers, m), psg_task_pitch(buffers, m),
                                   psg_layout_planes(&context->layout, m % segments)};
    }
    const psg_cpu_sheet sheet = {
        .pieces = segments,
        .piece = piece,
        .beside = beside ? piece + segments : NULL,
        .nxc = context->layout.nxc,
        .row0 = context->layout.sheets.part[psg_sheet_of(args)].box.lo[1],
        .rows = psg_layout_rows(&context->layout, psg_sheet_of(args)),
    };
    const psg_cpu_divide divide = psg_divide_of(args);
    void *mode0 = args->label.kind == PSG_TASK_KSPACE ? psg_findings_of(args->run)->mode0 : NULL;
    if (!context->cpu->kspace(context->fft, &divide, &sheet, psg_task_scratch(args), mode0)) {
        atomic_store(psg_findings_nonfinite(args->run, 0), 1);
    }
}

#if PSG_WITH_CUDA
/* For lengths that have no kernel of their own: gather, cuFFT, divide, cuFFT, scatter. */
static int kspace_by_steps(void *buffers[], const psg_task_args *args) {
    void *sheet = NULL;
    int code = psg_cuda_place_sheet(args, buffers, &sheet);
    code = code != 0 ? code : psg_cuda_move_sheet(args, false, buffers, sheet);
    code = code != 0 ? code : psg_cuda_transform_sheet(args, PSG_CUDA_FORWARD, sheet);
    code = code != 0 ? code : psg_cuda_divide_sheet(args, sheet);
    code = code != 0 ? code : psg_cuda_transform_sheet(args, PSG_CUDA_INVERSE, sheet);
    return code != 0 ? code : psg_cuda_move_sheet(args, true, buffers, sheet);
}

static int kspace_gpu(void *buffers[], const psg_task_args *args) {
    const psg_context *context = psg_context_of(args->run);
    const psg_cuda_plans *plans = psg_cuda_plans_self(context);
    const psg_cuda_kspace *kspace =
        args->label.kind == PSG_TASK_GRADIENT_Z ? plans->gradient_z : plans->kspace;
    if (kspace == NULL) {
        return kspace_by_steps(buffers, args);
    }
    const psg_cuda_columns columns = {.rows = psg_layout_rows(&context->layout, psg_sheet_of(args)),
                                      .nxc = context->layout.nxc,
                                      .strip = context->form.strip};
    psg_cuda_band bands[2];
    const size_t count = psg_cuda_bands_of(args, buffers, bands);
    const psg_cuda_symbol symbol = psg_cuda_symbol_of(args);
    return (int)psg_cuda_kspace_run(kspace, bands, count, &columns, &symbol,
                                    starpu_cuda_get_local_stream());
}
#endif

PSG_SOLVER_CODELET(kspace, kspace_core, kspace_gpu);
PSG_SOLVER_CODELET(gradient_z, kspace_core, kspace_gpu);

void psg_task_kspace(psg_run *run, size_t p, const starpu_data_handle_t *blocks,
                     const starpu_data_handle_t *beside, size_t stride) {
    const size_t segments = psg_context_of(run)->layout.segments.count;
    const psg_task_data data[] = {{blocks, segments, stride, STARPU_RW | PSG_DATA_PHASED},
                                  {beside, segments, stride, STARPU_W | PSG_DATA_PHASED}};
    psg_label label = psg_sheet_label(PSG_TASK_KSPACE, p);
    label.index[PSG_AXIS_COMPONENT] = beside != NULL ? 2 : PSG_NO_INDEX;
    psg_solver_submit(run, kspace_codelet, label, data, beside != NULL ? 2 : 1);
}

void psg_task_gradient_z(psg_run *run, size_t p, const starpu_data_handle_t *blocks,
                         size_t stride) {
    const psg_task_data data = {blocks, psg_context_of(run)->layout.segments.count, stride,
                                STARPU_RW | PSG_DATA_PHASED};
    psg_solver_submit(run, gradient_z_codelet, psg_sheet_label(PSG_TASK_GRADIENT_Z, p), &data, 1);
}
