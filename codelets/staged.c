/* The codelets of the staged graph, but for its transforms along x and y: pack and unpack, the
 * transposes before and after the exchange, between the whole (a segment's spectrum or a sheet) and
 * its blocks, each of which goes to another sheet or segment; fft_z, divide and ifft_z on a sheet
 * in place; and normalize.
 *
 *   segment s, [z][ny][nxc]          sheet p, [nz][y][nxc] or [y][nxc][nz]
 *     rows of a bundle <-> B[s]        planes of s <-> B[s][p], [z][y][nxc]
 */
#include "codelets/staged.h"
#include "codelets/codelet.h"
#include "codelets/plane.h"
#include "cpu/transpose.h"
#if PSG_WITH_CUDA
#include "kernels/scale.h"
#include "kernels/transpose.h"
#endif

/* ------------------------------------------------------------------------------------ blocks */

/* Block m of the whole, a bundle's of a segment or a segment's of a sheet: where it starts in
 * it, and how the two are laid out. */
typedef struct piece {
    bool turns;
    size_t offset; /* in the whole, in elements */
    size_t n[2];   /* as the block has it: columns, planes */
    size_t pitch;  /* of the whole */
} piece;

static piece piece_of(const psg_context *context, const psg_task_args *args, size_t m) {
    const psg_layout *l = &context->layout;
    const bool sheet = psg_label_has_sheet(&args->label);
    const size_t s = sheet ? m : psg_segment_of(args);
    const psg_part *part = sheet ? &l->sheets.part[psg_sheet_of(args)] : &l->bundles.part[m];
    const psg_box block = psg_layout_block(l, s, part);
    const size_t columns = psg_box_length(&block, 0) * psg_box_length(&block, 1);
    piece it = {.n = {columns, psg_box_length(&block, 2)}};
    if (!sheet) {
        it.offset = block.lo[1] * l->nxc;
        it.pitch = l->nyc * l->nxc;
    } else if (context->form.z_contiguous) {
        it.turns = true;
        it.offset = block.lo[2];
        it.pitch = l->n[2];
    } else {
        it.offset = block.lo[2] * columns;
        it.pitch = columns;
    }
    return it;
}

static size_t pieces(const psg_context *context, const psg_label *label) {
    return psg_label_has_sheet(label) ? context->layout.segments.count
                                      : context->layout.bundles.count;
}

static void move_core(void *buffers[], const psg_task_args *args) {
    const psg_context *context = psg_context_of(args->run);
    const size_t bytes = 2 * context->cpu->real_bytes;
    for (size_t m = 0; m < pieces(context, &args->label) && !psg_run_failed(args->run); m++) {
        const piece it = piece_of(context, args, m);
        char *whole = (char *)psg_task_pointer(buffers, 0) + it.offset * bytes;
        void *block = psg_task_pointer(buffers, m + 1);
        const size_t pitch = psg_task_pitch(buffers, m + 1);
        if (args->label.kind == PSG_TASK_PACK) {
            const size_t n[2] = {it.n[it.turns ? 1 : 0], it.n[it.turns ? 0 : 1]};
            psg_cpu_transpose(bytes, it.turns, n, whole, it.pitch, block, pitch);
        } else {
            psg_cpu_transpose(bytes, it.turns, it.n, block, pitch, whole, it.pitch);
        }
    }
}

#if PSG_WITH_CUDA
/* A segment's blocks one by one: they may be views; a sheet's all in one kernel. */
static int move_segment(void *buffers[], const psg_task_args *args, bool pack) {
    const psg_context *context = psg_context_of(args->run);
    const size_t bytes = 2 * context->cpu->real_bytes;
    char *whole = psg_task_pointer(buffers, 0);
    int code = 0;
    for (size_t m = 0; m < context->layout.bundles.count && code == 0; m++) {
        const piece it = piece_of(context, args, m);
        const size_t n[3] = {it.n[0], it.n[1], 1};
        const psg_cuda_matrix mine = {whole + it.offset * bytes, it.pitch, 0};
        const psg_cuda_matrix block = {psg_task_pointer(buffers, m + 1),
                                       psg_task_pitch(buffers, m + 1), 0};
        code = (int)psg_cuda_transpose(false, n, bytes, pack ? mine : block, pack ? block : mine,
                                       starpu_cuda_get_local_stream());
    }
    return code;
}

static int move_gpu(void *buffers[], const psg_task_args *args) {
    const bool pack = args->label.kind == PSG_TASK_PACK;
    return psg_label_has_sheet(&args->label)
               ? psg_cuda_move_sheet(args, pack, buffers + 1, psg_task_pointer(buffers, 0))
               : move_segment(buffers, args, pack);
}
#endif

PSG_SOLVER_CODELET(pack, move_core, move_gpu);
PSG_SOLVER_CODELET(unpack, move_core, move_gpu);

/* The whole comes first, the blocks follow. A whole that is its only block is there already. */
static void submit(psg_run *run, psg_label label, starpu_data_handle_t whole,
                   const starpu_data_handle_t *blocks, size_t stride) {
    const bool pack = label.kind == PSG_TASK_PACK;
    const psg_task_data data[] = {{&whole, 1, 1, (pack ? STARPU_R : STARPU_W) | PSG_DATA_PHASED},
                                  {blocks, pieces(psg_context_of(run), &label), stride,
                                   (pack ? STARPU_W : STARPU_R) | PSG_DATA_PHASED}};
    if (whole != blocks[0]) {
        psg_solver_submit(run, pack ? pack_codelet : unpack_codelet, label, data, 2);
    }
}

void psg_task_pack_segment(psg_run *run, size_t s, starpu_data_handle_t spectrum,
                           const starpu_data_handle_t *blocks) {
    submit(run, psg_segment_label(PSG_TASK_PACK, s), spectrum, blocks, 1);
}

void psg_task_unpack_segment(psg_run *run, size_t s, const starpu_data_handle_t *blocks,
                             starpu_data_handle_t spectrum) {
    submit(run, psg_segment_label(PSG_TASK_UNPACK, s), spectrum, blocks, 1);
}

void psg_task_pack_sheet(psg_run *run, size_t p, starpu_data_handle_t sheet,
                         const starpu_data_handle_t *blocks, size_t stride) {
    submit(run, psg_sheet_label(PSG_TASK_PACK, p), sheet, blocks, stride);
}

void psg_task_unpack_sheet(psg_run *run, size_t p, const starpu_data_handle_t *blocks,
                           size_t stride, starpu_data_handle_t sheet) {
    submit(run, psg_sheet_label(PSG_TASK_UNPACK, p), sheet, blocks, stride);
}

/* ------------------------------------------------------------------------------------ sheets */

static void transform_core(void *buffers[], const psg_task_args *args) {
    const psg_context *context = psg_context_of(args->run);
    const psg_cpu_direction direction =
        args->label.kind == PSG_TASK_FFT_Z ? PSG_CPU_FORWARD : PSG_CPU_INVERSE;
    const size_t rows = psg_layout_rows(&context->layout, psg_sheet_of(args));
    void *sheet = psg_task_pointer(buffers, 0);
    void *scratch = psg_task_scratch(args);
    const size_t count = rows * context->layout.nxc;
    const bool finite = context->sheet->fft_z(context->fft, direction, count, sheet, scratch);
    if (!finite) {
        atomic_store(psg_findings_nonfinite(args->run, 0), 1);
    }
}

#if PSG_WITH_CUDA
static int transform_gpu(void *buffers[], const psg_task_args *args) {
    const psg_cuda_direction direction =
        args->label.kind == PSG_TASK_FFT_Z ? PSG_CUDA_FORWARD : PSG_CUDA_INVERSE;
    return psg_cuda_transform_sheet(args, direction, psg_task_pointer(buffers, 0));
}
#endif

PSG_SOLVER_CODELET(fft_z, transform_core, transform_gpu);
PSG_SOLVER_CODELET(ifft_z, transform_core, transform_gpu);

void psg_task_fft_z(psg_run *run, size_t p, starpu_data_handle_t sheet) {
    const psg_task_data data = {&sheet, 1, 1, STARPU_RW | PSG_DATA_PHASED};
    psg_solver_submit(run, fft_z_codelet, psg_sheet_label(PSG_TASK_FFT_Z, p), &data, 1);
}

void psg_task_ifft_z(psg_run *run, size_t p, starpu_data_handle_t sheet) {
    const psg_task_data data = {&sheet, 1, 1, STARPU_RW | PSG_DATA_PHASED};
    psg_solver_submit(run, ifft_z_codelet, psg_sheet_label(PSG_TASK_IFFT_Z, p), &data, 1);
}

static void divide_core(void *buffers[], const psg_task_args *args) {
    const psg_context *context = psg_context_of(args->run);
    const size_t row0 = context->layout.sheets.part[psg_sheet_of(args)].box.lo[1];
    const size_t rows = psg_layout_rows(&context->layout, psg_sheet_of(args));
    const psg_cpu_divide divide = psg_divide_of(args);
    const size_t n[3] = {context->layout.nxc, context->layout.nyc, context->layout.n[2]};
    context->sheet->divide(&divide, n, row0, rows, psg_task_pointer(buffers, 0),
                           psg_task_scratch(args), psg_findings_of(args->run)->mode0);
}

#if PSG_WITH_CUDA
static int divide_gpu(void *buffers[], const psg_task_args *args) {
    return psg_cuda_divide_sheet(args, psg_task_pointer(buffers, 0));
}
#endif

PSG_SOLVER_CODELET(divide, divide_core, divide_gpu);

void psg_task_divide(psg_run *run, size_t p, starpu_data_handle_t sheet) {
    const psg_task_data data = {&sheet, 1, 1, STARPU_RW | PSG_DATA_PHASED};
    psg_solver_submit(run, divide_codelet, psg_sheet_label(PSG_TASK_DIVIDE, p), &data, 1);
}

/* --------------------------------------------------------------------------------- normalize */

/* The fused graph has the factor in its division; here it is a task of its own, and what the
 * inverse transforms carry without it may be too large, though neither f nor u is. */
static void normalize_core(void *buffers[], const psg_task_args *args) {
    const psg_context *c = psg_context_of(args->run);
    const size_t planes = psg_layout_planes(&c->layout, psg_segment_of(args));
    const size_t pitch[2] = {psg_task_row_pitch(buffers, 0), psg_task_pitch(buffers, 0)};
    char *u = psg_task_pointer(buffers, 0);
    for (size_t k = 0; k < planes; k++) {
        for (size_t j = 0; j < c->layout.n[1]; j++) {
            c->cpu->normalize(u + (k * pitch[1] + j * pitch[0]) * c->cpu->real_bytes,
                              c->layout.n[0], psg_terms_of(args->run)->scale_after);
        }
        psg_plane_check(args, buffers, 0, k);
    }
}

#if PSG_WITH_CUDA
static int normalize_gpu(void *buffers[], const psg_task_args *args) {
    const psg_context *context = psg_context_of(args->run);
    const size_t planes = psg_layout_planes(&context->layout, psg_segment_of(args));
    const size_t n[3] = {context->layout.n[0], context->layout.n[1], planes};
    const psg_cuda_field u = psg_cuda_field_of(buffers, 0);
    return (int)psg_cuda_scale(
        psg_cuda_precision_of(context), &u, &u, n, psg_terms_of(args->run)->scale_after,
        (int *)(uintptr_t)&psg_findings_of(args->run)->overflow, starpu_cuda_get_local_stream());
}
#endif

PSG_SOLVER_CODELET(normalize, normalize_core, normalize_gpu);

void psg_task_normalize(psg_run *run, size_t s, starpu_data_handle_t u) {
    const psg_task_data data = {&u, 1, 1, STARPU_RW};
    psg_solver_submit(run, normalize_codelet, psg_segment_label(PSG_TASK_NORMALIZE, s), &data, 1);
}
