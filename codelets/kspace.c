#include "codelets/codelets.h"
#include "runtime/task.h"
#if PSG_WITH_CUDA
#include "codelets/cuda.h"
#include "kernels/divide.h"
#include "kernels/pack.h"

#include <starpu_cuda.h>
#endif

static void kspace_cpu(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    const psg_context *context = psg_context_of(args->run);
    if (psg_run_failed(args->run)) {
        return;
    }
    psg_cpu_piece *piece = context->pieces[psg_task_worker(args)];
    for (size_t s = 0; s < context->layout.segments.count; s++) {
        piece[s] = (psg_cpu_piece){psg_task_pointer(buffers, s), psg_task_pitch(buffers, s),
                                   psg_layout_planes(&context->layout, s)};
    }
    const psg_cpu_sheet sheet = {
        .pieces = context->layout.segments.count,
        .piece = piece,
        .nxc = context->layout.nxc,
        .row0 = context->layout.sheets.part[psg_sheet_of(args)].box.lo[1],
        .rows = psg_layout_rows(&context->layout, psg_sheet_of(args)),
    };
    const psg_cpu_divide divide = psg_divide_of(args->run);
    if (!context->cpu->kspace(context->fft, &divide, &sheet, psg_task_scratch(args),
                              psg_findings_of(args->run)->mode0)) {
        atomic_store(&psg_findings_of(args->run)->nonfinite, 1);
    }
}

#if PSG_WITH_CUDA
/* For lengths that have no kernel of their own: gather, cuFFT, divide, cuFFT, scatter. */
static int kspace_by_steps(const psg_task_args *args, const psg_cuda_band *band,
                           const psg_cuda_symbol *symbol) {
    const psg_context *c = psg_context_of(args->run);
    const psg_cuda_plans *worker = psg_cuda_plans_self(c);
    const psg_cuda_fft *fft = worker->z[psg_cuda_sheet_size(c, psg_sheet_of(args))];
    const psg_cuda_precision precision = psg_cuda_precision_of(c);
    const psg_cuda_layout layout = psg_cuda_layout_of(c);
    const cudaStream_t stream = starpu_cuda_get_local_stream();
    const size_t columns = band->rows * c->layout.nxc;
    void *sheet = worker->sheet_d;
    int code = (int)psg_cuda_unpack_sheet(precision, layout, sheet, columns, c->layout.n[2],
                                          band->segments, band->count, stream);
    code = code != 0 ? code : psg_cuda_fft_run_z(fft, PSG_CUDA_FORWARD, sheet);
    code = code != 0 ? code
                     : (int)psg_cuda_divide(precision, layout, sheet, columns, c->layout.nxc,
                                            c->layout.n[2], symbol, stream);
    code = code != 0 ? code : psg_cuda_fft_run_z(fft, PSG_CUDA_INVERSE, sheet);
    return code != 0 ? code
                     : (int)psg_cuda_pack_sheet(precision, layout, sheet, columns, c->layout.n[2],
                                                band->segments, band->count, stream);
}

static void kspace_cuda(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    const psg_context *context = psg_context_of(args->run);
    const psg_cuda_plans *worker = psg_cuda_plans_self(context);
    if (psg_run_failed(args->run)) {
        return;
    }
    const psg_cuda_columns columns = psg_cuda_columns_of(context, psg_sheet_of(args));
    psg_cuda_band bands[2];
    const size_t count = psg_cuda_bands_of(args->run, psg_sheet_of(args), buffers, bands);
    const psg_cuda_symbol symbol = psg_cuda_symbol_of(args->run, psg_sheet_of(args));
    const int code = worker->kspace != NULL
                         ? (int)psg_cuda_kspace_run(worker->kspace, bands, count, &columns, &symbol,
                                                    starpu_cuda_get_local_stream())
                         : kspace_by_steps(args, bands, &symbol);
    psg_gpu_check(args->run, code, "kspace");
}
#endif

PSG_CODELET(kspace);

void psg_task_kspace(psg_run *run, size_t p, const starpu_data_handle_t *blocks, size_t stride) {
    psg_task_args args = {.run = run, .label = psg_sheet_label(PSG_TASK_KSPACE, p)};
    args.messages = psg_messages_after(psg_context_of(run), &args.label);
    struct starpu_task *task =
        psg_task_create(kspace_codelet, &args, psg_context_of(run)->layout.segments.count);
    if (task != NULL) {
        for (size_t s = 0; s < psg_context_of(run)->layout.segments.count; s++) {
            psg_task_use(task, s, blocks[s * stride], STARPU_RW);
        }
    }
    psg_task_submit(run, task);
}
