/* kspace; modes_in and modes_out, which leave out transforms; and gradient_z, which divides by
 * something else. */
#include "codelets/kspace.h"
#include "codelets/codelet.h"

/* @param[in] blocks  of all segments; NULL: none */
static psg_cpu_sheet sheet_of(const psg_task_args *args, void *blocks[]) {
    const psg_context *context = psg_context_of(args->run);
    const psg_layout *l = &context->layout;
    const size_t segments = l->segments.count;
    const size_t count = blocks != NULL ? segments : 0;
    const bool beside = psg_label_beside(&args->label);
    psg_cpu_piece *piece = context->pieces[psg_task_worker(args)];
    for (size_t m = 0; m < (beside ? 2 : 1) * count; m++) {
        piece[m] = (psg_cpu_piece){psg_task_pointer(blocks, m), psg_task_pitch(blocks, m),
                                   psg_layout_planes(l, m % segments)};
    }
    return (psg_cpu_sheet){
        .pieces = count,
        .piece = piece,
        .beside = beside                     ? piece + segments
                  : psg_derives_from_f(args) ? piece /* in place of u */
                                             : NULL,
        .nxc = l->row,
        .first = l->nxc * l->sheets.part[psg_sheet_of(args)].box.lo[1],
        .columns = l->nxc * psg_layout_rows(l, psg_sheet_of(args)),
    };
}

static void kspace_core(void *buffers[], const psg_task_args *args) {
    const psg_context *context = psg_context_of(args->run);
    const psg_cpu_sheet sheet = sheet_of(args, buffers);
    const psg_cpu_divide divide = psg_divide_of(args);
    void *mode0 = args->label.kind == PSG_TASK_KSPACE ? psg_findings_of(args->run)->mode0 : NULL;
    if (!context->cpu->kspace(context->fft, &divide, &sheet, psg_task_scratch(args), mode0)) {
        atomic_store(psg_findings_nonfinite(args->run, 0), 1);
    }
}

#if PSG_WITH_CUDA
static int kspace_gpu(void *buffers[], const psg_task_args *args) {
    const psg_context *context = psg_context_of(args->run);
    const int made = psg_cuda_make_plain(args->run); /* other GPUs may have had all tasks so far */
    if (made != 0) {
        return made;
    }
    const psg_cuda_plans *plans = psg_cuda_plans_self(args->run);
    const bool derives = args->label.kind == PSG_TASK_GRADIENT_Z || psg_label_beside(&args->label);
    const psg_cuda_kspace *kspace = derives ? plans->gradient_z : plans->kspace;
    if (kspace == NULL) {
        return psg_cuda_solve_sheet(buffers, args);
    }
    const psg_cuda_columns columns = {.rows = psg_layout_rows(&context->layout, psg_sheet_of(args)),
                                      .nxc = context->layout.nxc,
                                      .strip = plans->strips != NULL ? context->form.strip : 0};
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

/* ---------------------------------------------------------------------------------------- modes */

/* The data are those of f, those of u, and the blocks, as far as they are there. */
static void modes_core(void *buffers[], const psg_task_args *args) {
    const psg_context *context = psg_context_of(args->run);
    const psg_cpu_divide divide = psg_divide_of(args);
    const size_t makes = psg_label_makes(&args->label);
    const bool from_blocks = args->label.kind == PSG_TASK_MODES_OUT;
    psg_cpu_piece piece[2];
    psg_cpu_modes modes = {.norm = psg_terms_of(args->run)->norm,
                           .back = (makes & PSG_MAKES_BLOCKS) != 0};
    size_t m = 0;
    for (int d = 0; d < 2; d++) {
        if (d == 0 ? !from_blocks : (makes & PSG_MAKES_MODES) != 0) {
            piece[m] = (psg_cpu_piece){psg_task_pointer(buffers, m), psg_task_pitch(buffers, m),
                                       context->layout.n[2]};
            *(d == 0 ? &modes.in : &modes.out) = &piece[m];
            m++;
        }
    }
    const psg_cpu_sheet sheet = sheet_of(args, from_blocks || modes.back ? buffers + m : NULL);
    if (!context->cpu->modes(context->fft, &divide, &sheet, &modes, psg_task_scratch(args),
                             psg_findings_of(args->run)->mode0)) {
        atomic_store(psg_findings_nonfinite(args->run, 0), 1);
    }
}

PSG_SOLVER_CODELET(modes_in, modes_core, psg_cuda_solve_sheet);
PSG_SOLVER_CODELET(modes_out, modes_core, psg_cuda_solve_sheet);

void psg_task_modes(psg_run *run, size_t p, starpu_data_handle_t in, starpu_data_handle_t out,
                    const starpu_data_handle_t *blocks, size_t stride, bool back) {
    const size_t segments = psg_context_of(run)->layout.segments.count;
    const int use = in == NULL ? STARPU_RW : back ? STARPU_W : 0; /* a GPU works in the blocks */
    psg_task_data data[3];
    size_t groups = 0;
    if (in != NULL) {
        data[groups++] = (psg_task_data){&in, 1, 1, STARPU_R};
    }
    if (out != NULL) {
        data[groups++] = (psg_task_data){&out, 1, 1, STARPU_W};
    }
    if (use != 0) {
        data[groups++] = (psg_task_data){blocks, segments, stride, use | PSG_DATA_PHASED};
    }
    psg_label label = psg_sheet_label(in != NULL ? PSG_TASK_MODES_IN : PSG_TASK_MODES_OUT, p);
    label.index[PSG_AXIS_COMPONENT] =
        (size_t)((back ? PSG_MAKES_BLOCKS : 0) | (out != NULL ? PSG_MAKES_MODES : 0));
    psg_solver_submit(run, in != NULL ? modes_in_codelet : modes_out_codelet, label, data, groups);
}
