/* The transposes before and after the exchange: between the whole (a segment's spectrum or a
 * sheet) and its blocks, each of which goes to another sheet or segment.
 *
 *   segment s, [z][ny][nxc]          sheet p, [nz][y][nxc] or [y][nxc][nz]
 *     rows of a bundle <-> B[s]        planes of s <-> B[s][p], [z][y][nxc]
 */
#include "codelets/codelets.h"
#include "cpu/transpose.h"
#include "runtime/task.h"
#if PSG_WITH_CUDA
#include "codelets/cuda.h"
#include "kernels/pack.h"
#include "kernels/transpose.h"

#include <starpu_cuda.h>
#endif

/* Block m of the whole, a bundle's of a segment or a segment's of a sheet: where it starts in
 * it, and how the two are laid out. */
typedef struct piece {
    psg_permutation permutation;
    size_t offset; /* in the whole, in elements */
    size_t n[3];   /* as the block has it: columns, planes */
    psg_pitch whole;
} piece;

static piece piece_of(const psg_context *context, const psg_task_args *args, size_t m) {
    const psg_layout *l = &context->layout;
    const bool sheet = psg_label_has_sheet(&args->label);
    const size_t s = sheet ? m : psg_segment_of(args);
    const psg_part *part = sheet ? &l->sheets.part[psg_sheet_of(args)] : &l->bundles.part[m];
    const psg_box block = psg_layout_block(l, s, part);
    const size_t columns = psg_box_length(&block, 0) * psg_box_length(&block, 1);
    piece it = {.permutation = PSG_XYZ, .n = {columns, psg_box_length(&block, 2), 1}};
    if (!sheet) {
        it.offset = block.lo[1] * l->nxc;
        it.whole.row = l->n[1] * l->nxc;
    } else if (context->form.z_contiguous) {
        it.permutation = PSG_YXZ;
        it.offset = block.lo[2];
        it.whole.row = l->n[2];
    } else {
        it.offset = block.lo[2] * columns;
        it.whole.row = columns;
    }
    return it;
}

static size_t pieces(const psg_context *context, const psg_task_args *args) {
    return psg_label_has_sheet(&args->label) ? context->layout.segments.count
                                             : context->layout.bundles.count;
}

static void pack_cpu(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    const psg_context *context = psg_context_of(args->run);
    const size_t bytes = 2 * context->cpu->real_bytes;
    const char *whole = psg_task_pointer(buffers, 0);
    for (size_t m = 0; m < pieces(context, args) && !psg_run_failed(args->run); m++) {
        const piece it = piece_of(context, args, m);
        const bool turned = it.permutation == PSG_YXZ;
        const size_t n[3] = {it.n[turned ? 1 : 0], it.n[turned ? 0 : 1], 1};
        const psg_pitch pitch = {.row = psg_task_pitch(buffers, m + 1)};
        psg_cpu_transpose(bytes, it.permutation, n, whole + it.offset * bytes, it.whole,
                          psg_task_pointer(buffers, m + 1), pitch);
    }
}

static void unpack_cpu(void *buffers[], void *argument) {
    const psg_task_args *args = argument;
    const psg_context *context = psg_context_of(args->run);
    const size_t bytes = 2 * context->cpu->real_bytes;
    char *whole = psg_task_pointer(buffers, 0);
    for (size_t m = 0; m < pieces(context, args) && !psg_run_failed(args->run); m++) {
        const piece it = piece_of(context, args, m);
        const psg_pitch pitch = {.row = psg_task_pitch(buffers, m + 1)};
        psg_cpu_transpose(bytes, it.permutation, it.n, psg_task_pointer(buffers, m + 1), pitch,
                          whole + it.offset * bytes, it.whole);
    }
}

#if PSG_WITH_CUDA
/* A segment's blocks one by one: they may be views; a sheet's all in one kernel. */
static void segment_cuda(void *buffers[], const psg_task_args *args, bool pack) {
    const psg_context *context = psg_context_of(args->run);
    const size_t bytes = 2 * context->cpu->real_bytes;
    char *whole = psg_task_pointer(buffers, 0);
    bool done = true;
    for (size_t m = 0; m < context->layout.bundles.count && done; m++) {
        const piece it = piece_of(context, args, m);
        const psg_cuda_array mine = {whole + it.offset * bytes, it.whole.row,
                                     it.whole.row * it.n[1]};
        const size_t pitch = psg_task_pitch(buffers, m + 1);
        const psg_cuda_array block = {psg_task_pointer(buffers, m + 1), pitch, pitch * it.n[1]};
        done = psg_gpu_check(args->run,
                             (int)psg_cuda_transpose(PSG_CUDA_XYZ, it.n, bytes, pack ? mine : block,
                                                     pack ? block : mine, 0,
                                                     starpu_cuda_get_local_stream()),
                             pack ? "pack" : "unpack");
    }
}

static void move_cuda(void *buffers[], const psg_task_args *args, bool pack) {
    const psg_context *context = psg_context_of(args->run);
    const psg_cuda_precision precision = psg_cuda_precision_of(context);
    const psg_cuda_layout layout = psg_cuda_layout_of(context);
    if (psg_run_failed(args->run)) {
        return;
    }
    if (!psg_label_has_sheet(&args->label)) {
        segment_cuda(buffers, args, pack);
        return;
    }
    psg_cuda_band bands[2];
    (void)psg_cuda_bands_of(args->run, psg_sheet_of(args), buffers + 1, bands); /* staged: one */
    const psg_cuda_band *band = bands;
    const size_t columns = band->rows * context->layout.nxc;
    void *whole = psg_task_pointer(buffers, 0);
    const int code =
        pack ? (int)psg_cuda_pack_sheet(precision, layout, whole, columns, context->layout.n[2],
                                        band->segments, band->count, starpu_cuda_get_local_stream())
             : (int)psg_cuda_unpack_sheet(precision, layout, whole, columns, context->layout.n[2],
                                          band->segments, band->count,
                                          starpu_cuda_get_local_stream());
    psg_gpu_check(args->run, code, pack ? "pack" : "unpack");
}

static void pack_cuda(void *buffers[], void *argument) {
    move_cuda(buffers, argument, true);
}

static void unpack_cuda(void *buffers[], void *argument) {
    move_cuda(buffers, argument, false);
}
#endif

PSG_CODELET(pack);
PSG_CODELET(unpack);

/* The whole is buffer 0, the blocks follow. */
static void submit(struct starpu_codelet *codelet, const psg_task_args *args,
                   starpu_data_handle_t whole, enum starpu_data_access_mode whole_mode,
                   const starpu_data_handle_t *blocks, size_t stride,
                   enum starpu_data_access_mode block_mode) {
    const size_t count = pieces(psg_context_of(args->run), args);
    struct starpu_task *task = psg_task_create(codelet, args, count + 1);
    if (task != NULL) {
        psg_task_use(task, 0, whole, whole_mode);
        for (size_t m = 0; m < count; m++) {
            psg_task_use(task, m + 1, blocks[m * stride], block_mode);
        }
    }
    psg_task_submit(args->run, task);
}

void psg_task_pack_segment(psg_run *run, size_t s, starpu_data_handle_t spectrum,
                           const starpu_data_handle_t *blocks) {
    psg_task_args args = {.run = run, .label = psg_segment_label(PSG_TASK_PACK, s)};
    args.messages = psg_messages_after(psg_context_of(run), &args.label);
    submit(pack_codelet, &args, spectrum, STARPU_R, blocks, 1, STARPU_W);
}

void psg_task_unpack_segment(psg_run *run, size_t s, const starpu_data_handle_t *blocks,
                             starpu_data_handle_t spectrum) {
    const psg_task_args args = {.run = run, .label = psg_segment_label(PSG_TASK_UNPACK, s)};
    submit(unpack_codelet, &args, spectrum, STARPU_W, blocks, 1, STARPU_R);
}

void psg_task_pack_sheet(psg_run *run, size_t p, starpu_data_handle_t sheet,
                         const starpu_data_handle_t *blocks, size_t stride) {
    psg_task_args args = {.run = run, .label = psg_sheet_label(PSG_TASK_PACK, p)};
    args.messages = psg_messages_after(psg_context_of(run), &args.label);
    submit(pack_codelet, &args, sheet, STARPU_R, blocks, stride, STARPU_W);
}

void psg_task_unpack_sheet(psg_run *run, size_t p, const starpu_data_handle_t *blocks,
                           size_t stride, starpu_data_handle_t sheet) {
    const psg_task_args args = {.run = run, .label = psg_sheet_label(PSG_TASK_UNPACK, p)};
    submit(unpack_codelet, &args, sheet, STARPU_W, blocks, stride, STARPU_R);
}
