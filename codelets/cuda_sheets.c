/* Sheets on a GPU: their blocks or the caller's modes in one place, the transform along z, the
 * division. */
#include "codelets/cuda.h"
#include "kernels/divide.h"
#include "kernels/pack.h"
#include "kernels/scale.h"

#include <cuda_runtime_api.h>
#include <starpu_cuda.h>

/* Where a sheet is worked on: in its blocks, if sheets are [z][ky][kx] and they are dense; else,
 * and without blocks (NULL), in w->sheet_d. */
static int place_sheet(const psg_task_args *args, void *blocks[], void **sheet_d) {
    const psg_context *c = psg_context_of(args->run);
    psg_cuda_plans *w = psg_cuda_plans_self(args->run);
    psg_cuda_band bands[2];
    if (blocks != NULL && !c->form.z_contiguous && psg_cuda_sheet_planes(c) == c->layout.n[2]) {
        (void)psg_cuda_bands_of(args, blocks, bands); /* one */
        *sheet_d = bands->segments->base_d;
        if (bands->count == 1 && bands->segments->plane_pitch == bands->rows * c->layout.nxc) {
            return 0;
        }
    }
    const int code =
        psg_cuda_make_room(args->run, &w->sheet_d, psg_cuda_sheet_bytes(c), "room for a sheet");
    *sheet_d = w->sheet_d;
    return code;
}

int psg_cuda_move_sheet(const psg_task_args *args, bool pack, void *blocks[], void *sheet_d) {
    const psg_context *c = psg_context_of(args->run);
    const psg_cuda_precision precision = psg_cuda_precision_of(c);
    const psg_cuda_layout layout = psg_cuda_layout_of(c);
    const cudaStream_t stream = starpu_cuda_get_local_stream();
    psg_cuda_band bands[2];
    const size_t count = psg_cuda_bands_of(args, blocks, bands); /* with two, z is contiguous */
    if (bands->segments->base_d == sheet_d) {
        return 0;
    }
    const size_t nz = c->layout.n[2], zeros = psg_cuda_sheet_planes(c) - nz;
    const size_t plane =
        psg_layout_rows(&c->layout, psg_sheet_of(args)) * c->layout.nxc * 2 * c->cpu->real_bytes;
    const size_t first = psg_transform_first(nz, c->kind[2]);
    char *own_d = (char *)sheet_d + first * plane;
    char *const zeros_d = (char *)sheet_d + (first > 0 ? 0 : nz * plane);
    int code = pack || zeros == 0 ? 0 : (int)cudaMemsetAsync(zeros_d, 0, zeros * plane, stream);
    for (size_t b = 0; b < count && code == 0; b++) {
        const psg_cuda_band *band = &bands[b];
        const size_t columns = band->rows * c->layout.nxc;
        const bool away = pack && band->to != NULL;
        code = columns == 0 ? 0
               : pack       ? (int)psg_cuda_pack_sheet(precision, layout, own_d, columns, nz,
                                                 away ? band->to : band->segments,
                                                 away ? band->to_count : band->count, stream)
                            : (int)psg_cuda_unpack_sheet(precision, layout, own_d, columns, nz,
                                                         band->segments, band->count, stream);
        own_d += columns * nz * 2 * c->cpu->real_bytes;
    }
    return code;
}

int psg_cuda_transform_sheet(const psg_task_args *args, psg_cuda_direction direction,
                             void *sheet_d) {
    const psg_context *c = psg_context_of(args->run);
    const psg_cuda_plans *w = psg_cuda_plans_self(args->run);
    return psg_cuda_fft_run_z(w->z[psg_cuda_size_of(&c->layout.sheets, 1, psg_sheet_of(args))],
                              direction, sheet_d);
}

int psg_cuda_divide_sheet(const psg_task_args *args, void *sheet_d) {
    const psg_context *c = psg_context_of(args->run);
    const size_t p = psg_sheet_of(args);
    const psg_cuda_symbol symbol = psg_cuda_symbol_of(args);
    return (int)psg_cuda_divide(psg_cuda_precision_of(c), psg_cuda_layout_of(c), sheet_d,
                                psg_layout_rows(&c->layout, p) * c->layout.nxc, c->layout.nxc,
                                psg_cuda_sheet_planes(c), &symbol, starpu_cuda_get_local_stream());
}

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

int psg_cuda_solve_sheet(void *buffers[], const psg_task_args *args) {
    const size_t makes = psg_label_makes(&args->label);
    const bool in = args->label.kind == PSG_TASK_MODES_IN;
    const bool out = (makes & PSG_MAKES_MODES) != 0;
    const bool back = makes == 0 || (makes & PSG_MAKES_BLOCKS) != 0;
    void **blocks = buffers + in + out;
    void *sheet = NULL;
    int code = psg_cuda_make_plain(args->run);
    code = code != 0 ? code : place_sheet(args, in && !back ? NULL : blocks, &sheet);
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
