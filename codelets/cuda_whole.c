/* Tasks `whole` on a GPU: the planes of all right-hand sides are transformed along x and y
 * together, and so are the columns along z. */
#include "codelets/cuda_whole.h"
#include "codelets/cuda.h"

#include "runtime/stream_order_cuda.h"

#include <cuda_runtime_api.h>
#include <starpu_cuda.h>

static int make_room(psg_cuda_room *room, size_t bytes) {
    if (bytes <= room->bytes) {
        return 0;
    }
    (void)cudaFree(room->memory_d); /* which waits for the tasks that use it */
    *room = (psg_cuda_room){.memory_d = NULL};
    const int code = (int)cudaMalloc(&room->memory_d, bytes);
    if (code == 0) {
        room->bytes = bytes;
    } else {
        room->memory_d = NULL;
        (void)cudaGetLastError(); /* what was said is said */
    }
    return code;
}

static void forget_size(psg_cuda_whole_room *r, size_t m) {
    for (int d = 0; d < 2; d++) {
        psg_cuda_fft_destroy(r->xy[d][m]);
        r->xy[d][m] = NULL;
    }
    r->planes[m] = 0;
}

/* ------------------------------------------------------------------------------------ by cuFFT */

/* All pieces of a solve but the last one have the same planes, so the latest two sizes are kept.
 * @param[out] which  of them */
static int find_size(psg_cuda_whole_room *r, const psg_context *c, size_t planes, size_t *which) {
    const psg_cuda_r2r kind[2] = {psg_cuda_kind_of(c, 0), psg_cuda_kind_of(c, 1)};
    const size_t m = r->planes[r->latest] == planes ? r->latest : 1 - r->latest;
    int code = 0;
    *which = r->latest = m;
    if (r->planes[m] == planes) {
        return 0;
    }
    (void)cudaStreamSynchronize(starpu_cuda_get_local_stream()); /* tasks may use the old ones */
    forget_size(r, m);
    for (int d = PSG_CUDA_FORWARD; d <= PSG_CUDA_INVERSE && code == 0; d++) {
        code = psg_cuda_fft_create_xy(&r->xy[d][m], psg_cuda_precision_of(c), (psg_cuda_direction)d,
                                      kind, c->layout.n[0], c->layout.n[1], planes);
        if (code == 0) {
            code = psg_cuda_fft_set_stream(r->xy[d][m], starpu_cuda_get_local_stream());
        }
    }
    if (code == 0) {
        r->planes[m] = planes;
    } else {
        forget_size(r, m);
    }
    return code;
}

static int run_cufft(psg_cuda_whole_room *r, const psg_context *c, psg_cuda_direction direction,
                     const psg_cuda_field *field, size_t planes) {
    size_t m = 0;
    int code = find_size(r, c, planes, &m);
    psg_cuda_fft *fft = r->xy[direction][m];
    const size_t work = code == 0 ? psg_cuda_fft_work_bytes(fft) : 0;
    const size_t dense = code == 0 ? psg_cuda_fft_dense_bytes(fft, field) : 0;
    code = code == 0 ? make_room(&r->work, work) : code;
    code = code == 0 ? make_room(&r->dense, dense) : code;
    if (code == 0 && work > 0) {
        code = psg_cuda_fft_set_work_area(fft, r->work.memory_d);
    }
    return code == 0 ? psg_cuda_fft_run_xy(fft, field, r->spectra.memory_d, r->dense.memory_d)
                     : code;
}

/* ------------------------------------------------------------------------------------- the task */

static int run_xy(psg_cuda_plans *w, const psg_context *c, psg_cuda_direction direction,
                  const psg_cuda_field *field, size_t planes) {
    psg_cuda_whole_room *r = &w->whole;
    if (w->strips == NULL) {
        return run_cufft(r, c, direction, field, planes);
    }
    const psg_cuda_xy_part part = {.base_d = r->spectra.memory_d,
                                   .plane_pitch = c->layout.nyc * c->layout.nxc,
                                   .rows = c->layout.nyc};
    const int code = make_room(&r->work, psg_cuda_xy_work_bytes(w->strips, planes));
    const psg_cuda_xy_field one = {.reals = *field};
    return code == 0 ? (int)psg_cuda_xy_run(w->strips, direction, &one, 1, planes, &part, 1,
                                            r->work.memory_d, starpu_cuda_get_local_stream())
                     : code;
}

static int run_z(psg_cuda_plans *w, const psg_task_args *args, size_t first, size_t count) {
    const psg_context *c = psg_context_of(args->run);
    const psg_cuda_columns columns = {
        .rows = c->layout.nyc, .nxc = c->layout.nxc, .strip = c->form.strip};
    psg_cuda_symbol symbol = psg_cuda_whole_symbol_of(args);
    symbol.mode0_d = psg_findings_mode0(args->run, first);
    symbol.nonfinite_d = (int *)(uintptr_t)psg_findings_nonfinite(args->run, first);
    return (int)psg_cuda_kspace_run_many(w->kspace, w->whole.spectra.memory_d, count,
                                         c->layout.nyc * c->layout.nxc, &columns, &symbol,
                                         starpu_cuda_get_local_stream());
}

int psg_cuda_whole(const psg_task_args *args, size_t first, size_t count, void *buffers[]) {
    const psg_context *c = psg_context_of(args->run);
    psg_cuda_plans *w = psg_cuda_plans_self(args->run);
    const psg_cuda_field f = psg_cuda_field_of(buffers, 0);
    const psg_cuda_field u = psg_cuda_field_of(buffers, 1);
    const size_t planes = count * c->layout.n[2];
    const size_t bytes = planes * c->layout.nyc * c->layout.nxc * 2 * c->cpu->real_bytes;
    psg_stream_order_enter(args->run);
    int code = psg_run_failed(args->run) ? 0 : make_room(&w->whole.spectra, bytes);
    if (code != 0 || psg_run_failed(args->run)) {
        return code;
    }
    code = run_xy(w, c, PSG_CUDA_FORWARD, &f, planes);
    code = code == 0 ? run_z(w, args, first, count) : code;
    return code == 0 ? run_xy(w, c, PSG_CUDA_INVERSE, &u, planes) : code;
}
