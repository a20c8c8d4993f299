#include "codelets/cuda.h"

#include "kernels/green.h"

#include <cuda_runtime_api.h>
#include <starpu.h>
#include <starpu_cuda.h>

#include <stdlib.h>
#include <string.h>

/* Planes or columns of each size there is: the first part's, and the last's if it differs. */
static size_t sizes_of(const psg_parts *parts, int d, size_t sizes[PSG_CUDA_SIZES]) {
    if (parts->gpus.first == parts->gpus.end) {
        return 0;
    }
    sizes[0] = psg_box_length(&parts->part[parts->gpus.first].box, d);
    sizes[1] = psg_box_length(&parts->part[parts->gpus.end - 1].box, d);
    return sizes[0] == sizes[1] ? 1 : 2;
}

size_t psg_cuda_size_of(const psg_parts *parts, int d, size_t m) {
    const psg_box *first = &parts->part[parts->gpus.first].box;
    return psg_box_length(&parts->part[m].box, d) == psg_box_length(first, d) ? 0 : 1;
}

static int plan_xy(psg_cuda_plans *w, const psg_context *c) {
    const psg_cuda_r2r kind[2] = {psg_cuda_kind_of(c, 0), psg_cuda_kind_of(c, 1)};
    size_t planes[PSG_CUDA_SIZES];
    const size_t count = sizes_of(&c->layout.segments, 2, planes);
    if (c->form.strip > 0 && !w->is_plain) {
        return (int)psg_cuda_xy_create(&w->strips, psg_cuda_precision_of(c), kind, c->layout.n[0],
                                       c->layout.n[1]);
    }
    int code = 0;
    for (size_t m = 0; m < count; m++) {
        for (int d = PSG_CUDA_FORWARD; d <= PSG_CUDA_INVERSE && code == 0; d++) {
            code = psg_cuda_fft_create_xy(&w->xy[d][m], psg_cuda_precision_of(c),
                                          (psg_cuda_direction)d, kind, c->layout.n[0],
                                          c->layout.n[1], planes[m]);
        }
    }
    return code;
}

/* Along z: the fused kernel where the graph is fused and the length has one, else cuFFT. */
static int plan_z(psg_cuda_plans *w, const psg_context *c) {
    size_t rows[PSG_CUDA_SIZES];
    const size_t count = sizes_of(&c->layout.sheets, 1, rows);
    int code = cudaErrorNotSupported;
    const bool fused = psg_graph_has(&c->graph, PSG_TASK_KSPACE, true);
    const psg_cuda_r2r kind = psg_cuda_kspace_kind_of(c, c->tabled);
    if (fused && (!w->is_plain || c->kind[2] == PSG_TRANSFORM_FREE) && /* cuFFT has no free z */
        psg_cuda_kspace_supported(psg_cuda_precision_of(c), kind, c->layout.n[2]) > 0) {
        code = (int)psg_cuda_kspace_create(&w->kspace, psg_cuda_precision_of(c), kind,
                                           c->layout.n[2], 0);
        w->gradient_z = w->kspace;
    }
    const bool beside = fused && psg_gpu_makes_beside(c);
    const bool again = code == 0 && c->tabled && c->waves->eigen[2] != NULL;
    if ((code == 0 || code == cudaErrorNotSupported) && !w->is_plain && (beside || again)) {
        const psg_cuda_r2r other =
            beside ? PSG_CUDA_LINE_BESIDE : psg_cuda_kspace_kind_of(c, false);
        const int made = (int)psg_cuda_kspace_create(&w->gradient_z, psg_cuda_precision_of(c),
                                                     other, c->layout.n[2], 0);
        code = made != 0 ? made : code;
    }
    if (code == 0 || psg_cuda_error_is_out_of_memory(code) || w->strips != NULL ||
        (psg_overlap_rows_all(&c->layout) > 0 && !w->is_plain)) {
        return code; /* cuFFT knows nothing of strips, and of one array of columns only */
    }
    (void)cudaGetLastError(); /* of a kernel that did not suit this device */
    code = 0;
    for (size_t m = 0; m < count && code == 0; m++) {
        code =
            psg_cuda_fft_create_z(&w->z[m], psg_cuda_precision_of(c), psg_cuda_layout_of(c),
                                  psg_cuda_kind_of(c, 2), rows[m] * c->layout.nxc, c->layout.n[2]);
    }
    if (code == 0 && fused && c->form.z_contiguous) {
        code = (int)cudaMalloc(&w->sheet_d, psg_cuda_sheet_bytes(c));
    }
    return code;
}

/* Every plan, in turn; NULL past the last. */
static psg_cuda_fft *plan_at(const psg_cuda_plans *w, size_t m) {
    psg_cuda_fft *all[] = {w->xy[0][0], w->xy[0][1], w->xy[1][0], w->xy[1][1], w->z[0], w->z[1]};
    return m < sizeof all / sizeof *all ? all[m] : NULL;
}
enum { PLANS_MAX = 6 };

/* One work area serves all plans of the worker: its stream runs them one after the other. */
static int share_work_area(psg_cuda_plans *w, const psg_context *c) {
    size_t bytes =
        w->strips != NULL ? psg_cuda_xy_work_bytes(w->strips, psg_cuda_most_planes(c)) : 0;
    for (size_t m = 0; m < PLANS_MAX; m++) {
        const size_t needed = plan_at(w, m) != NULL ? psg_cuda_fft_work_bytes(plan_at(w, m)) : 0;
        bytes = needed > bytes ? needed : bytes;
    }
    int code = bytes > 0 ? (int)cudaMalloc(&w->work_d, bytes) : 0;
    for (size_t m = 0; m < PLANS_MAX && code == 0; m++) {
        if (plan_at(w, m) != NULL) {
            code = psg_cuda_fft_set_stream(plan_at(w, m), starpu_cuda_get_local_stream());
        }
        if (plan_at(w, m) != NULL && code == 0 && w->work_d != NULL) {
            code = psg_cuda_fft_set_work_area(plan_at(w, m), w->work_d);
        }
    }
    return code;
}

/* Eigenvalues along x, two for each number of a row, in the order in which kernels with strips have
 * the modes. */
static void *pairs_of(const psg_context *c) {
    const size_t bytes = c->cpu->real_bytes;
    char *pairs = malloc(2 * c->layout.nxc * bytes);
    for (size_t i = 0; pairs != NULL && i < c->layout.nxc; i++) {
        size_t modes[2];
        psg_cuda_xy_modes(psg_cuda_kind_of(c, 0), c->layout.n[0], i, modes);
        for (size_t part = 0; part < 2; part++) {
            memcpy(pairs + (2 * i + part) * bytes,
                   (const char *)c->divide.eigen[0] + modes[part] * bytes, bytes);
        }
    }
    return pairs;
}

/* To new memory at the first time, then to the same address, which recorded kernels know. CUDA has
 * read the table when the call returns, as it is not page-locked. */
static int copy_table(const psg_cuda_plans *w, void **table_d, const void *table, size_t bytes) {
    const int code = *table_d == NULL ? (int)cudaMalloc(table_d, bytes) : 0;
    return code != 0
               ? code
               : (int)cudaMemcpyAsync(*table_d, table, bytes, cudaMemcpyHostToDevice, w->stream);
}

static int copy_tables(psg_cuda_plans *w, const psg_context *c) {
    const size_t count[3] = {c->layout.nxc * (c->divide.apart ? 2 : 1), c->layout.nyc,
                             c->layout.n[2] * (c->kind[2] == PSG_TRANSFORM_FREE ? 2 : 1)};
    const bool paired = c->divide.apart && w->strips != NULL;
    void *pairs = paired ? pairs_of(c) : NULL;
    int code = paired && pairs == NULL ? cudaErrorMemoryAllocation : 0;
    for (int d = 0; d < 3 && code == 0; d++) {
        code = copy_table(w, &w->eigen_d[d], d == 0 && pairs != NULL ? pairs : c->divide.eigen[d],
                          count[d] * c->cpu->real_bytes);
    }
    free(pairs);
    return code;
}

enum { LINE_MORE = 12 }; /* numbers of psg_cuda_line besides two of each row */
static int copy_line(psg_cuda_plans *w, const psg_context *c) {
    const psg_cpu_line *l = &c->waves->line;
    const size_t n = l->n;
    double *link = n > 0 ? calloc(2 * n + LINE_MORE, sizeof *link) : NULL;
    if (link == NULL) {
        return n > 0 ? cudaErrorMemoryAllocation : 0;
    }
    double *sides = link + 2 * n + 1;
    for (size_t k = 0; k < n; k++) {
        link[k + 1] = l->after[k] > 0 ? l->step[k] : 0;
        link[n + 1 + k] = l->width[k];
        sides[k + 1 < n || k == 0 ? 0 : 1] += l->side[k] * l->width[k];
        sides[2] += l->width[k];
    }
    link[0] = link[n];
    sides[3] = l->last;
    psg_cpu_line_open(l, sides[2], sides + 4);
    const int code = copy_table(w, &w->line_d, link, (2 * n + LINE_MORE) * sizeof *link);
    free(link);
    return code;
}

/* The multipliers along x and y. Along x as psg_cuda_columns has the numbers of a row. Of a free
 * axis between points GPUs make the differences of both neighbours, whose multipliers have no real
 * part. */
static void *waves_of(const psg_cuda_plans *w, const psg_context *c, int d, size_t count) {
    const size_t bytes = c->cpu->real_bytes;
    const size_t half = (count - 1) / 2;
    const bool strips = d == 0 && w->strips != NULL;
    const bool centred = c->waves->between && c->waves->from_f != NULL;
    char *table = calloc(2 * count, bytes);
    for (size_t m = 0; table != NULL && m < count; m++) {
        const size_t k = m < half || !strips ? m : m + 1 == count ? half : count - 1 - (m - half);
        const size_t skip = centred ? bytes : 0;
        memcpy(table + 2 * m * bytes + skip,
               (const char *)c->waves->along[d] + 2 * k * bytes + skip, 2 * bytes - skip);
    }
    return table;
}

/* Of a free z the imaginary parts: its kernel multiplies by real numbers. */
static void *waves_along_z(const psg_context *c, size_t count) {
    const size_t bytes = c->cpu->real_bytes;
    char *table = malloc(count * bytes);
    for (size_t m = 0; table != NULL && m < count; m++) {
        memcpy(table + m * bytes, (const char *)c->waves->along[2] + (2 * m + 1) * bytes, bytes);
    }
    return table;
}

static int copy_waves(psg_cuda_plans *w, const psg_context *c) {
    const bool from_f = c->waves->from_f != NULL;
    const size_t count[3] = {c->layout.nxc, c->layout.nyc,
                             c->layout.n[2] * (c->kind[2] == PSG_TRANSFORM_FREE ? 2 : 1)};
    const bool again = c->waves->eigen[2] != NULL;
    int code = 0;
    if (!again && !from_f && !psg_gpu_makes_beside(c)) {
        return 0; /* solves on GPUs make differences of u */
    }
    for (int d = 0; d < 3 && code == 0 && again; d++) {
        code =
            copy_table(w, &w->waves_d.eigen[d], c->waves->eigen[d], count[d] * c->cpu->real_bytes);
    }
    for (int d = 0; d < (from_f ? 3 : 2) && code == 0; d++) {
        void *waves = d < 2 ? waves_of(w, c, d, count[d]) : waves_along_z(c, count[d]);
        code = waves == NULL ? cudaErrorMemoryAllocation
                             : copy_table(w, &w->waves_d.along[d], waves,
                                          (d < 2 ? 2 : 1) * count[d] * c->cpu->real_bytes);
        free(waves);
    }
    return code;
}

static int renew(const psg_context *c, int worker) {
    int code = 0;
    for (psg_cuda_plans *w = c->engine.gpu[worker]->state; w != NULL && code == 0; w = w->plain) {
        code = copy_tables(w, c);
        code = code == 0 ? copy_line(w, c) : code;
        code = code == 0 ? copy_waves(w, c) : code;
    }
    return code;
}

static void free_whole(const psg_cuda_whole_room *room) {
    for (int m = 0; m < 2 * PSG_CUDA_SIZES; m++) {
        psg_cuda_fft_destroy(room->xy[m / PSG_CUDA_SIZES][m % PSG_CUDA_SIZES]);
    }
    (void)cudaFree(room->spectra.memory_d);
    (void)cudaFree(room->work.memory_d);
    (void)cudaFree(room->dense.memory_d);
}

static void destroy(void *state, const void *owner) {
    psg_cuda_plans *w = state;
    if (w == NULL) {
        return;
    }
    destroy(w->plain, owner);
    for (size_t m = 0; m < PLANS_MAX; m++) {
        psg_cuda_fft_destroy(plan_at(w, m));
    }
    psg_cuda_xy_destroy(w->strips);
    if (w->gradient_z != w->kspace) {
        psg_cuda_kspace_destroy(w->gradient_z);
    }
    psg_cuda_kspace_destroy(w->kspace);
    free_whole(&w->whole);
    for (int d = 0; d < 3; d++) {
        (void)cudaFree(w->eigen_d[d]);
        (void)cudaFree(w->waves_d.eigen[d]);
        (void)cudaFree(w->waves_d.along[d]);
    }
    (void)cudaFree(w->line_d);
    (void)cudaFree(w->work_d);
    (void)cudaFree(w->spectrum_d);
    (void)cudaFree(w->dense_d);
    (void)cudaFree(w->sheet_d);
    (void)cudaFree(w->copy_d);
    free(w->segments[0]);
    free(w->blocks);
    free(w->rows);
    free(w->parts);
    free(w);
}

static int make_plans(psg_cuda_plans **plans, const psg_context *c, bool plain) {
    static int (*const steps[])(psg_cuda_plans *, const psg_context *) = {
        plan_xy, plan_z, copy_tables, copy_line, copy_waves};
    psg_cuda_plans *w = calloc(1, sizeof *w);
    int code = cudaErrorMemoryAllocation;
    *plans = NULL;
    if (w == NULL) {
        return code;
    }
    w->is_plain = plain;
    w->stream = starpu_cuda_get_local_stream();
    w->segments[0] = calloc(5 * c->layout.segments.count, sizeof **w->segments);
    w->blocks = calloc(2 * c->layout.bundles.count, sizeof *w->blocks);
    w->rows = calloc(2 * c->layout.bundles.count + 1, sizeof *w->rows);
    w->parts = calloc(2 * c->layout.bundles.count, sizeof *w->parts);
    if (w->segments[0] != NULL && w->blocks != NULL && w->rows != NULL && w->parts != NULL) {
        for (int m = 1; m < 5; m++) {
            w->segments[m] = w->segments[m - 1] + c->layout.segments.count;
        }
        code = 0;
        for (size_t m = 0; m < sizeof steps / sizeof *steps && code == 0; m++) {
            code = steps[m](w, c);
        }
    }
    if (code == 0) {
        code = share_work_area(w, c);
    }
    /* Nothing may be on the stream when StarPU takes it over. */
    code = code == 0 ? (int)cudaStreamSynchronize(w->stream) : code;
    if (code == 0 && c->form.packed && w->strips == NULL &&
        psg_graph_has(&c->graph, PSG_TASK_FORWARD_XY, false)) {
        code = (int)cudaMalloc(&w->spectrum_d, psg_cuda_most_planes(c) * c->layout.nyc *
                                                   c->layout.nxc * 2 * c->cpu->real_bytes);
    }
    if (code != 0) {
        destroy(w, c);
        (void)cudaGetLastError(); /* what was said is said */
        return code;
    }
    *plans = w;
    return 0;
}

static int make(void **state, const void *owner) {
    psg_cuda_plans *w = NULL;
    const int code = make_plans(&w, owner, false);
    *state = w;
    return code;
}

int psg_cuda_make_plain(psg_run *run) {
    psg_cuda_plans *w = psg_gpu_self(run->engine)->state;
    const bool wanted = w->plain == NULL && psg_cuda_wants_plain(run, w);
    const int code = wanted ? make_plans(&w->plain, psg_context_of(run), true) : 0;
    (void)psg_gpu_check(run, code, "plans of cuFFT alone, which modes and some gradients need");
    return code;
}

/* Planes after those that are there. What stands end to end with them is one segment to a kernel,
 * which so has less to look up. */
static void add_planes(const psg_context *c, psg_cuda_segment *segments, size_t *count,
                       const psg_cuda_segment *next) {
    psg_cuda_segment *last = *count > 0 ? &segments[*count - 1] : NULL;
    if (last != NULL && last->plane_pitch == next->plane_pitch &&
        (char *)last->base_d + last->planes * last->plane_pitch * 2 * c->cpu->real_bytes ==
            next->base_d) {
        last->planes += next->planes;
    } else {
        segments[(*count)++] = *next;
    }
}

/* Where overlap rows stand. */
typedef enum relay { BEFORE, AFTER, BESIDE } relay;

/* The overlap rows of sheet p in segment s, plane after plane. Before `kspace`, unless they are
 * pulled, they stand in the sheet's buffer, which has them of all planes. Else they stand in the
 * segment's buffer, which has them of all sheets. */
static psg_cuda_segment relayed_of(const psg_run *run, relay where, size_t s, size_t p) {
    const psg_context *c = psg_context_of(run);
    const size_t planes = psg_layout_planes(&c->layout, s);
    const psg_overlap_place *place = &psg_terms_of(run)->overlap[starpu_worker_get_id_check()];
    const bool there = where == BEFORE && place->before != NULL;
    size_t before =
        there ? c->layout.segments.part[s].box.lo[2] * psg_overlap_rows_of(&c->layout, p) : 0;
    for (size_t other = 0; !there && other < p; other++) {
        before += planes * psg_overlap_rows_of(&c->layout, other);
    }
    char *base = there ? place->before[p] : where == BESIDE ? place->beside[s] : place->after[s];
    return (psg_cuda_segment){.base_d = base + before * c->layout.nxc * 2 * c->cpu->real_bytes,
                              .planes = planes,
                              .plane_pitch = psg_overlap_rows_of(&c->layout, p) * c->layout.nxc};
}

static psg_cuda_segment block_of(const psg_context *c, void *buffers[], size_t m) {
    return (psg_cuda_segment){.base_d = psg_task_pointer(buffers, m),
                              .planes = psg_layout_planes(&c->layout, m % c->layout.segments.count),
                              .plane_pitch = psg_task_pitch(buffers, m)};
}

/* Where `kspace` writes the derivative: blocks behind those of u. */
static void put_beside(const psg_task_args *args, void *buffers[], psg_cuda_band bands[2]) {
    const psg_context *c = psg_context_of(args->run);
    psg_cuda_segment *const *segments = psg_cuda_plans_self(args->run)->segments + 3;
    for (size_t b = 0; b < 2; b++) {
        bands[b].beside = segments[b];
        for (size_t s = 0; s < c->layout.segments.count && bands[b].rows > 0; s++) {
            const psg_cuda_segment next =
                b == 0 ? block_of(c, buffers, c->layout.segments.count + s)
                       : relayed_of(args->run, BESIDE, s, psg_sheet_of(args));
            add_planes(c, segments[b], &bands[b].beside_count, &next);
        }
    }
}

/* gradient_z finds overlap rows of u where kspace has put them. */
size_t psg_cuda_bands_of(const psg_task_args *args, void *buffers[], psg_cuda_band bands[2]) {
    const psg_run *run = args->run;
    const psg_context *c = psg_context_of(run);
    const psg_cuda_plans *w = psg_cuda_plans_self(run);
    const size_t p = psg_sheet_of(args);
    const size_t returned = psg_overlap_rows_of(&c->layout, p);
    const bool stay = c->layout.overlap.pulled_rows > 0 ||
                      (args->label.kind == PSG_TASK_GRADIENT_Z && !psg_derives_from_f(args));
    bands[0] = (psg_cuda_band){.segments = w->segments[0], .rows = psg_block_rows(&c->layout, p)};
    bands[1] = (psg_cuda_band){
        .segments = w->segments[1], .rows = returned, .to = stay ? NULL : w->segments[2]};
    for (size_t s = 0; s < c->layout.segments.count; s++) {
        const psg_cuda_segment block = block_of(c, buffers, s);
        add_planes(c, w->segments[0], &bands[0].count, &block);
        if (returned > 0) {
            const psg_cuda_segment from = relayed_of(run, stay ? AFTER : BEFORE, s, p);
            const psg_cuda_segment to = relayed_of(run, AFTER, s, p);
            add_planes(c, w->segments[1], &bands[1].count, &from);
            add_planes(c, w->segments[2], &bands[1].to_count, &to);
        }
    }
    if (psg_label_beside(&args->label)) {
        put_beside(args, buffers, bands);
    }
    return returned > 0 ? 2 : 1;
}

size_t psg_cuda_parts_of(const psg_task_args *args, psg_cuda_direction direction, void *blocks[],
                         const psg_cuda_xy_part **result) {
    const psg_context *c = psg_context_of(args->run);
    psg_cuda_xy_part *parts = psg_cuda_plans_self(args->run)->parts;
    const relay where = direction == PSG_CUDA_FORWARD ? BEFORE
                        : psg_reads_beside(args)      ? BESIDE
                                                      : AFTER;
    size_t count = 0;
    for (size_t g = 0; g < c->layout.bundles.count; g++) {
        const psg_box *bundle = &c->layout.bundles.part[g].box;
        const size_t returned = psg_overlap_rows_of(&c->layout, g); /* if any, bundles are sheets */
        const size_t rows = psg_box_length(bundle, 1) - returned;
        parts[count++] = (psg_cuda_xy_part){.base_d = psg_task_pointer(blocks, g),
                                            .plane_pitch = psg_task_pitch(blocks, g),
                                            .y0 = bundle->lo[1],
                                            .rows = rows};
        if (returned > 0) {
            const psg_cuda_segment rest = relayed_of(args->run, where, psg_segment_of(args), g);
            parts[count++] = (psg_cuda_xy_part){.base_d = rest.base_d,
                                                .plane_pitch = rest.plane_pitch,
                                                .y0 = bundle->lo[1] + rows,
                                                .rows = returned};
        }
    }
    *result = parts;
    return count;
}

psg_cuda_symbol psg_cuda_whole_symbol_of(const psg_task_args *args) {
    const psg_context *c = psg_context_of(args->run);
    const psg_cuda_plans *w = psg_cuda_plans_self(args->run);
    const psg_cpu_divide divide = psg_divide_of(args);
    const psg_cpu_free *free = divide.free;
    const bool from_f = psg_derives_from_f(args);
    void *const *eigen_d =
        args->label.kind == PSG_TASK_GRADIENT_Z && !from_f ? w->waves_d.eigen : w->eigen_d;
    psg_cuda_symbol symbol = {.ex_d = eigen_d[0],
                              .ey_d = eigen_d[1],
                              .ez_d = eigen_d[2],
                              .lambda = divide.lambda,
                              .scale = divide.scale,
                              .pairs = divide.apart,
                              .waves_d = from_f ? w->waves_d.along[2] : NULL};
    if (divide.line != NULL) {
        symbol.line = (psg_cuda_line){w->line_d, divide.line->null, divide.line->norm};
    }
    if (free != NULL) {
        symbol.free = (psg_cuda_free){.length = free->length,
                                      .stencil = free->stencil,
                                      .wall = {free->wall[0], free->wall[1]}};
    }
    if (divide.table != NULL) {
        const psg_cpu_table *t = divide.table;
        const size_t first = t->shift[2] * t->modes[0] + t->shift[0];
        const char *values_d = t->on_gpu[starpu_worker_get_id_check()];
        symbol.table = (psg_cuda_table){.values_d = values_d + first * c->cpu->real_bytes,
                                        .modes = {t->modes[0], t->modes[1], t->modes[2]},
                                        .first = t->first,
                                        .row0 = t->shift[1]};
    }
    return symbol;
}

psg_cuda_symbol psg_cuda_symbol_of(const psg_task_args *args) {
    const psg_context *c = psg_context_of(args->run);
    const size_t p = psg_sheet_of(args);
    const bool derives = args->label.kind == PSG_TASK_GRADIENT_Z;
    psg_cuda_symbol symbol = psg_cuda_whole_symbol_of(args);
    symbol.ey_d =
        (const char *)symbol.ey_d + c->layout.sheets.part[p].box.lo[1] * c->cpu->real_bytes;
    symbol.table.row0 += c->layout.sheets.part[p].box.lo[1];
    symbol.mode0_d = p == 0 && !derives ? psg_findings_mode0(args->run, 0) : NULL;
    symbol.nonfinite_d = (int *)(uintptr_t)psg_findings_nonfinite(args->run, 0);
    return symbol;
}

int psg_cuda_make_room(psg_run *run, void **room_d, size_t bytes, const char *what) {
    const int code = *room_d == NULL ? (int)cudaMalloc(room_d, bytes) : 0;
    if (!psg_gpu_check(run, code, what)) {
        *room_d = NULL;
    }
    return code;
}

/* ------------------------------------------------------------------------------- all GPUs */

static bool all_have_kspace(const psg_context *c) {
    int id[STARPU_NMAXWORKERS];
    const unsigned count =
        starpu_worker_get_ids_by_type(STARPU_CUDA_WORKER, id, STARPU_NMAXWORKERS);
    bool all = true;
    for (unsigned w = 0; w < count && all; w++) {
        all = psg_cuda_kspace_suits(psg_cuda_precision_of(c), psg_cuda_kspace_kind_of(c, c->tabled),
                                    c->layout.n[2], starpu_worker_get_devid(id[w]));
    }
    return all;
}

static bool overlaps(const psg_context *c) {
    return (c->form.strip == 0 || 2 * c->layout.bundles.count <= PSG_CUDA_XY_PARTS) &&
           all_have_kspace(c);
}

/* Where there is such a transform it is the faster one, on one GPU too. Of numbers with two modes
 * strips have another order than a table. */
static size_t strip(const psg_context *c) {
    const psg_cuda_precision precision = psg_cuda_precision_of(c);
    int id[STARPU_NMAXWORKERS];
    const unsigned count =
        starpu_worker_get_ids_by_type(STARPU_CUDA_WORKER, id, STARPU_NMAXWORKERS);
    const psg_cuda_r2r kind[2] = {psg_cuda_kind_of(c, 0), psg_cuda_kind_of(c, 1)};
    bool suits = c->layout.bundles.count <= PSG_CUDA_XY_PARTS && all_have_kspace(c) &&
                 !(c->tabled && c->divide.apart);
    for (unsigned w = 0; w < count && suits; w++) {
        suits = psg_cuda_xy_suits(precision, kind, c->layout.n[0], c->layout.n[1],
                                  starpu_worker_get_devid(id[w]));
    }
    return suits ? psg_cuda_xy_strip(precision, kind, c->layout.n[0], c->layout.n[1]) : 0;
}

/* Other threads may be capturing their streams. */
static int green_rows(const psg_context *c, const psg_cpu_green *green, size_t row0, size_t rows,
                      void *table) {
    const psg_cuda_green there = {
        .terms = green->terms,
        .modes = {green->modes[0], green->modes[1], green->modes[2]},
        .pitch = {green->pitch[0], green->pitch[1], green->pitch[2]},
        .factor_d = {green->factor[0], green->factor[1], green->factor[2]}};
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
    int code = (int)psg_cuda_green_rows(psg_cuda_precision_of(c), &there, row0, rows, table,
                                        cudaStreamPerThread);
    code = code == 0 ? (int)cudaStreamSynchronize(cudaStreamPerThread) : code;
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
    return code;
}

static psg_gpu_user plans(bool peers) {
    return (psg_gpu_user){.make = make,
                          .destroy = destroy,
                          .words = psg_cuda_error_string,
                          .is_memory = psg_cuda_error_is_out_of_memory,
                          .peers = peers};
}

static int make_nothing(void **state, const void *owner) {
    (void)owner;
    *state = NULL;
    return 0;
}

static void destroy_nothing(void *state, const void *owner) {
    (void)state;
    (void)owner;
}

static psg_gpu_user stateless(void) {
    return (psg_gpu_user){.make = make_nothing,
                          .destroy = destroy_nothing,
                          .words = psg_cuda_error_string,
                          .is_memory = psg_cuda_error_is_out_of_memory};
}

const psg_gpu_kernels psg_cuda_kernels = {.strip = strip,
                                          .overlaps = overlaps,
                                          .has_kspace = all_have_kspace,
                                          .plans = plans,
                                          .renew = renew,
                                          .green_rows = green_rows,
                                          .stateless = stateless};
