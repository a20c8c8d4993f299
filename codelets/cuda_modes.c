/* On a GPU: modes of the caller's to the modes of u, and to or from the blocks. */
#include "codelets/cuda.h"
#include "kernels/pack.h"
#include "kernels/scale.h"

#include <starpu_cuda.h>

/* Copy buffer m, which is [nz][rows][nxc], to the sheet; or with `out` the sheet to it, times the
 * norm. */
static int move_modes(const psg_task_args *args, bool out, void *buffers[], size_t m,
                      void *sheet_d) {
    const psg_context *c = psg_context_of(args->run);
    const psg_cuda_precision precision = psg_cuda_precision_of(c);
    const cudaStream_t stream = starpu_cuda_get_local_stream();
    const size_t n[3] = {2 * c->layout.nxc, psg_layout_rows(&c->layout, psg_sheet_of(args)),
                         c->layout.n[2]};
    const size_t columns = n[1] * c->layout.nxc;
    const psg_cuda_segment modes = {.base_d = psg_task_pointer(buffers, m),
                                    .planes = n[2],
                                    .plane_pitch = psg_task_pitch(buffers, m)};
    const psg_cuda_field reals = {modes.base_d, n[0], 2 * modes.plane_pitch};
    if (!out) {
        return (int)psg_cuda_unpack_sheet(precision, psg_cuda_layout_of(c), sheet_d, columns, n[2],
                                          &modes, 1, stream);
    }
    const int code = (int)psg_cuda_pack_sheet(precision, psg_cuda_layout_of(c), sheet_d, columns,
                                              n[2], &modes, 1, stream);
    int *const nonfinite_d = (int *)(uintptr_t)psg_findings_nonfinite(args->run, 0);
    return code != 0 ? code
                     : (int)psg_cuda_scale(precision, &reals, &reals, n,
                                           psg_terms_of(args->run)->norm, nonfinite_d, stream);
}

int psg_cuda_modes(const psg_task_args *args, void *buffers[]) {
    const size_t makes = psg_label_makes(&args->label);
    const bool in = args->label.kind == PSG_TASK_MODES_IN;
    const bool out = (makes & PSG_MAKES_MODES) != 0, back = (makes & PSG_MAKES_BLOCKS) != 0;
    void **blocks = buffers + in + out;
    void *sheet = NULL;
    int code = psg_cuda_make_plain(args->run);
    code = code != 0 ? code : psg_cuda_place_sheet(args, in && !back ? NULL : blocks, &sheet);
    if (code == 0 && in) {
        code = move_modes(args, false, buffers, 0, sheet);
    } else if (code == 0) {
        code = psg_cuda_move_sheet(args, false, blocks, sheet);
        code = code != 0 ? code : psg_cuda_transform_sheet(args, PSG_CUDA_FORWARD, sheet);
    }
    code = code != 0 ? code : psg_cuda_divide_sheet(args, sheet);
    if (code == 0 && out) {
        code = move_modes(args, true, buffers, in, sheet);
    }
    if (code == 0 && back) {
        code = psg_cuda_transform_sheet(args, PSG_CUDA_INVERSE, sheet);
        code = code != 0 ? code : psg_cuda_move_sheet(args, true, blocks, sheet);
    }
    return code;
}
