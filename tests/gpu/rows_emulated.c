/* Where forward_xy puts a number kspace finds it, and where kspace puts it inverse_xy and gradient_z do, and gradient_xy what
 * gradient_z puts there, in blocks and among the rows that kspace returns or fetches; and a segment's next solve takes nothing of those whose turn is yet to come.
 * The caller's modes come from all these rows, and go to them.
 * From inside the library, with a workspace in main memory; the kernels are loops here. */
#include "codelets/cuda.h"
#include "codelets/kinds.h"
#include "graph/overlap_rows.h"
#include "graph/plan_struct.h"
#include "graph/workers.h"
#include "graph/workspace.h"
#include "kernels/divide.h"
#include "kernels/pack.h"
#include "kernels/scale.h"
#include "tests/check.h"

#include <starpu_cuda.h>
#include <stdlib.h>
#include <string.h>

enum { SOLVES = 3, SHEETS_MOST = 8 };

typedef struct rows_case {
    size_t n[3], segment_planes, sheets;
    size_t returned[SHEETS_MOST];
} rows_case;

static const rows_case cases[] = {
    {{4, 41, 23}, 5, 4, {3, 0, 8, 5}}, {{5, 16, 12}, 12, 1, {7}},     {{1, 9, 7}, 1, 2, {1, 3}},
    {{4, 40, 24}, 6, 4, {8, 8, 8, 8}}, {{4, 24, 9}, 9, 3, {0, 0, 4}}, {{4, 24, 9}, 4, 3, {0, 0, 0}},
};

static bool emulating;

/* All tasks are worker 0's. */
unsigned _starpu_worker_get_id_check(const char *file, int line) {
    (void)file;
    (void)line;
    return emulating ? 0 : (unsigned)starpu_worker_get_id();
}

/** A plan's constants as on several GPUs, a workspace, and a worker that has all. */
typedef struct machine {
    psg_plan *plan;
    psg_workspace *workspace;
    psg_run run;
    psg_cuda_plans plans;
    psg_gpu worker, *workers[1];
    psg_findings *findings;
    psg_terms terms;
    void **buffers;
} machine;

/** What was the last to write a number. */
typedef enum writer { FORWARD, KSPACE, GRADIENT_Z } writer;

/** The number of a grid point's row and place in it, in a solve. */
static double tag_of(const machine *m, size_t z, size_t y, size_t x, int solve, writer by) {
    const psg_context *c = &m->plan->context;
    return (double)(((z * c->layout.n[1] + y) * c->layout.nxc + x) * SOLVES + (size_t)solve) +
           0.25 * (double)by;
}

/** A complex number of a plane. */
static double *at(const psg_cuda_segment *planes, size_t k, size_t index) {
    return (double *)planes->base_d + 2 * (k * planes->plane_pitch + index);
}

static void **buffers_of(machine *m, starpu_data_handle_t *blocks, size_t count, size_t stride) {
    for (size_t b = 0; b < count; ++b) {
        m->buffers[b] = starpu_data_get_interface_on_node(blocks[b * stride], STARPU_MAIN_RAM);
    }
    return m->buffers;
}

/** forward_xy writes; or inverse_xy, or gradient_xy, reads what another task has written. */
static void segment_task(machine *m, writer by, size_t s, int solve) {
    const psg_context *c = &m->plan->context;
    const bool forward = by == FORWARD;
    const psg_cuda_direction direction = forward ? PSG_CUDA_FORWARD : PSG_CUDA_INVERSE;
    const psg_cuda_xy_part *part = NULL;
    psg_copy found = {.segment = SIZE_MAX};
    void **buffers = buffers_of(m, &m->workspace->bundles[s * c->layout.bundles.count],
                                c->layout.bundles.count, 1);
    const psg_task_args args = {
        .run = &m->run,
        .label = psg_segment_label(forward ? PSG_TASK_FORWARD_XY : PSG_TASK_INVERSE_XY, s)};
    const size_t count = psg_cuda_parts_of(&args, direction, buffers, &part);
    size_t y = 0, lost = 0;
    for (size_t p = 0; p < count; ++p) {
        const size_t planes = psg_layout_planes(&c->layout, s);
        const psg_cuda_segment in = {part[p].base_d, planes, part[p].plane_pitch};
        CHECK(part[p].y0 == y, "part %zu of segment %zu begins with row %zu", p, s, part[p].y0);
        for (size_t k = 0; k < planes; ++k) {
            for (size_t i = 0; i < part[p].rows * c->layout.nxc; ++i) {
                const double tag = tag_of(m, c->layout.segments.part[s].box.lo[2] + k,
                                          y + i / c->layout.nxc, i % c->layout.nxc, solve, by);
                double *number = at(&in, k, i);
                lost += !psg_workspace_find(m->plan, m->workspace, number, &found);
                lost += !forward && *number != tag;
                *number = forward ? tag : *number;
            }
        }
        y += part[p].rows;
    }
    CHECK(y == c->layout.n[1] && lost == 0, "solve %d, segment %zu, %s: %zu rows, %zu numbers lost",
          solve, s, forward ? "there" : "back", y, lost);
}

/** Plane z of what stands in one or several arrays. */
static double *in_plane(const psg_cuda_segment *segments, size_t count, size_t z, size_t index) {
    size_t s = 0;
    while (s + 1 < count && z >= segments[s].planes) {
        z -= segments[s++].planes;
    }
    return z < segments[s].planes ? at(&segments[s], z, index) : NULL;
}

/** kspace or gradient_z: one column after the other, as the kernel's threads come. */
static void sheet_task(machine *m, writer by, size_t p, int solve) {
    const psg_context *c = &m->plan->context;
    const psg_task_kind kind = by == KSPACE ? PSG_TASK_KSPACE : PSG_TASK_GRADIENT_Z;
    const psg_task_args args = {.run = &m->run, .label = psg_sheet_label(kind, p)};
    psg_cuda_band bands[2];
    void **buffers =
        buffers_of(m, &m->workspace->blocks[p], c->layout.segments.count, c->layout.sheets.count);
    const size_t count = psg_cuda_bands_of(&args, buffers, bands);
    size_t y = c->layout.sheets.part[p].box.lo[1], lost = 0;
    for (size_t b = 0; b < count; ++b) {
        const psg_cuda_segment *to = bands[b].to ? bands[b].to : bands[b].segments;
        const size_t to_count = bands[b].to ? bands[b].to_count : bands[b].count;
        for (size_t i = 0; i < bands[b].rows * c->layout.nxc; ++i) {
            const size_t row = y + i / c->layout.nxc;
            for (size_t z = 0; z < c->layout.n[2]; ++z) {
                const double *number = in_plane(bands[b].segments, bands[b].count, z, i);
                lost += !number || *number != tag_of(m, z, row, i % c->layout.nxc, solve,
                                                     by == KSPACE ? FORWARD : KSPACE);
            }
            for (size_t z = 0; z < c->layout.n[2]; ++z) {
                double *number = in_plane(to, to_count, z, i);
                if (CHECK(number != NULL, "no plane %zu", z)) {
                    *number = tag_of(m, z, row, i % c->layout.nxc, solve, by);
                }
            }
        }
        y += bands[b].rows;
    }
    CHECK(y == c->layout.sheets.part[p].box.hi[1] && lost == 0,
          "solve %d, sheet %zu, written by %d: up to row %zu, %zu numbers lost", solve, p, by, y,
          lost);
}

/** In the order that blocks leave to StarPU: a segment's next solve may begin when the last task has read what is there
 *  of this one, whatever the other segments are at. Every second solve has a gradient along z. */
static void solves(machine *m) {
    const psg_context *c = &m->plan->context;
    for (size_t s = 0; s < c->layout.segments.count; ++s) {
        segment_task(m, FORWARD, s, 0);
    }
    for (int solve = 0; solve < SOLVES; ++solve) {
        for (size_t p = c->layout.sheets.count; p-- > 0;) {
            sheet_task(m, KSPACE, p, solve);
        }
        for (size_t s = 0; s < c->layout.segments.count; ++s) {
            segment_task(m, KSPACE, s, solve);
        }
        for (size_t p = 0; p < c->layout.sheets.count && solve % 2 == 0; ++p) {
            sheet_task(m, GRADIENT_Z, p, solve);
        }
        for (size_t s = 0; s < c->layout.segments.count; ++s) {
            segment_task(m, solve % 2 == 0 ? GRADIENT_Z : KSPACE, s, solve);
            if (solve + 1 < SOLVES) {
                segment_task(m, FORWARD, s, solve + 1);
            }
        }
    }
}

/* Kernels and cuFFT of a task of modes, by the linker's --wrap. Transforms change nothing. A
 * division makes of what forward_xy wrote what kspace writes. */
#define WRAPPED(name) extern __typeof__(name) __wrap_##name
WRAPPED(psg_cuda_pack_sheet);
WRAPPED(psg_cuda_unpack_sheet);
WRAPPED(psg_cuda_divide);
WRAPPED(psg_cuda_scale);
WRAPPED(psg_cuda_fft_run_z);
WRAPPED(starpu_cuda_get_local_stream);

static size_t transforms[2];

static double *in_sheet(psg_cuda_layout layout, const void *sheet, size_t columns, size_t nz,
                        size_t z, size_t i) {
    return (double *)(uintptr_t)sheet +
           2 * (layout == PSG_CUDA_Z_STRIDED ? z * columns + i : i * nz + z);
}

static cudaError_t move(bool pack, psg_cuda_layout layout, const void *sheet, size_t columns,
                        size_t nz, const psg_cuda_segment *segments, size_t count) {
    for (size_t m = 0; m < nz * columns; ++m) {
        double *in = in_plane(segments, count, m / columns, m % columns);
        double *whole = in_sheet(layout, sheet, columns, nz, m / columns, m % columns);
        memcpy(pack ? in : whole, pack ? whole : in, 2 * sizeof *in);
    }
    return cudaSuccess;
}

cudaError_t __wrap_psg_cuda_pack_sheet(psg_cuda_precision precision, psg_cuda_layout layout,
                                       const void *sheet, size_t columns, size_t nz,
                                       const psg_cuda_segment *segments, size_t count,
                                       cudaStream_t stream) {
    (void)precision;
    (void)stream;
    return move(true, layout, sheet, columns, nz, segments, count);
}

cudaError_t __wrap_psg_cuda_unpack_sheet(psg_cuda_precision precision, psg_cuda_layout layout,
                                         void *sheet, size_t columns, size_t nz,
                                         const psg_cuda_segment *segments, size_t count,
                                         cudaStream_t stream) {
    (void)precision;
    (void)stream;
    return move(false, layout, sheet, columns, nz, segments, count);
}

cudaError_t __wrap_psg_cuda_divide(psg_cuda_precision precision, psg_cuda_layout layout,
                                   void *sheet, size_t columns, size_t nxc, size_t nz,
                                   const psg_cuda_symbol *symbol, cudaStream_t stream) {
    (void)precision;
    (void)nxc;
    (void)symbol;
    (void)stream;
    for (size_t m = 0; m < nz * columns; ++m) {
        *in_sheet(layout, sheet, columns, nz, m / columns, m % columns) += 0.25 * KSPACE;
    }
    return cudaSuccess;
}

cudaError_t __wrap_psg_cuda_scale(psg_cuda_precision precision, const psg_cuda_field *in,
                                  const psg_cuda_field *out, const size_t n[3], double factor,
                                  int *nonfinite, cudaStream_t stream) {
    (void)precision;
    (void)nonfinite;
    (void)stream;
    for (size_t m = 0; m < n[0] * n[1] * n[2]; ++m) {
        const size_t row = m / n[0] % n[1], z = m / n[0] / n[1];
        ((double *)out->base_d)[m % n[0] + row * out->row_pitch + z * out->plane_pitch] =
            factor * ((double *)in->base_d)[m % n[0] + row * in->row_pitch + z * in->plane_pitch];
    }
    return cudaSuccess;
}

int __wrap_psg_cuda_fft_run_z(const psg_cuda_fft *fft, psg_cuda_direction direction, void *sheet) {
    (void)fft;
    (void)sheet;
    ++transforms[direction];
    return 0;
}

cudaStream_t __wrap_starpu_cuda_get_local_stream(void) {
    return NULL;
}

/** modes_out, or modes_in, of a sheet, to modes of the caller's and to blocks. There is a gap
 *  between the planes of modes. */
static void modes_task(machine *m, bool in, size_t p) {
    const psg_context *c = &m->plan->context;
    const size_t y0 = c->layout.sheets.part[p].box.lo[1], nz = c->layout.n[2];
    const size_t columns = psg_layout_rows(&c->layout, p) * c->layout.nxc, pitch = columns + 3;
    double *modes[2] = {calloc(2 * nz * pitch, sizeof(double)),
                        calloc(2 * nz * pitch, sizeof(double))};
    struct starpu_block_interface given[2];
    void **blocks =
        buffers_of(m, &m->workspace->blocks[p], c->layout.segments.count, c->layout.sheets.count);
    void *buffers[2 + 64];
    psg_task_args args = {.run = &m->run,
                          .label = psg_sheet_label(in ? PSG_TASK_MODES_IN : PSG_TASK_MODES_OUT, p)};
    const size_t first = in ? 0 : 1, count = 2 - first;
    size_t lost = 0;
    args.label.index[PSG_AXIS_COMPONENT] = PSG_MAKES_BLOCKS | PSG_MAKES_MODES;
    for (size_t d = first; d < 2; ++d) {
        given[d] =
            (struct starpu_block_interface){.ptr = (uintptr_t)modes[d], .ldz = (uint32_t)pitch};
        buffers[d - first] = &given[d];
    }
    memcpy(buffers + count, blocks, c->layout.segments.count * sizeof *blocks);
    for (size_t k = 0; k < nz * columns; ++k) {
        modes[0][2 * (k / columns * pitch + k % columns)] =
            tag_of(m, k / columns, y0 + k % columns / c->layout.nxc, k % c->layout.nxc, 0, FORWARD);
    }
    transforms[0] = transforms[1] = 0;
    CHECK(psg_cuda_solve_sheet(buffers, &args) == 0, "sheet %zu", p);
    CHECK(transforms[PSG_CUDA_FORWARD] == !in && transforms[PSG_CUDA_INVERSE] == 1,
          "sheet %zu: %zu forward, %zu back", p, transforms[PSG_CUDA_FORWARD],
          transforms[PSG_CUDA_INVERSE]);
    for (size_t k = 0; k < nz * columns; ++k) {
        lost += modes[1][2 * (k / columns * pitch + k % columns)] !=
                m->terms.norm * tag_of(m, k / columns, y0 + k % columns / c->layout.nxc,
                                       k % c->layout.nxc, 0, KSPACE);
    }
    CHECK(lost == 0, "sheet %zu, %s modes: %zu lost", p, in ? "from" : "to", lost);
    free(modes[0]);
    free(modes[1]);
}

static void solves_of_modes(machine *m, bool contiguous) {
    psg_context *c = &m->plan->context;
    psg_cuda_plans *w = &m->plans;
    c->form.z_contiguous = contiguous;
    m->terms.norm = 8;
    w->sheet_d = calloc(2 * c->layout.n[0] * c->layout.n[1] * c->layout.n[2], sizeof(double));
    for (int in = 0; in < 2; ++in) {
        for (size_t s = 0; s < c->layout.segments.count; ++s) {
            segment_task(m, FORWARD, s, in ? 1 : 0); /* with `in` these blocks are not to be read */
        }
        for (size_t p = 0; p < c->layout.sheets.count; ++p) {
            modes_task(m, in != 0, p);
        }
        for (size_t s = 0; s < c->layout.segments.count; ++s) {
            segment_task(m, KSPACE, s, 0);
        }
    }
    m->terms.norm = 0;
    free(w->sheet_d);
}

/** The workspace's overlap rows as worker 0 finds them, which is taken for a GPU's. */
static void give_relay(machine *m, bool give) {
    psg_workers *workers = &m->plan->workers;
    const psg_workers real = *workers;
    workers->gpus[0] = 0;
    workers->gpu_count = 1;
    if (give) {
        free(m->workspace->overlap);
        CHECK(psg_overlap_allocate(m->workspace, m->plan), "no memory");
        psg_overlap_fill(m->workspace, m->plan);
    } else {
        psg_overlap_free(m->workspace, m->plan);
        m->workspace->overlap = NULL;
    }
    *workers = real;
}

static void on_gpus(psg_plan *plan, const rows_case *r, bool fetched) {
    psg_context *c = &plan->context;
    machine m = {.plan = plan};
    m.plans.segments[0] = calloc(3 * c->layout.segments.count, sizeof *m.plans.segments[0]);
    m.plans.segments[1] = m.plans.segments[0] + c->layout.segments.count;
    m.plans.segments[2] = m.plans.segments[1] + c->layout.segments.count;
    m.plans.parts = calloc(2 * c->layout.bundles.count, sizeof *m.plans.parts);
    m.buffers = calloc(c->layout.segments.count + c->layout.bundles.count, sizeof *m.buffers);
    m.findings = calloc(1, psg_findings_bytes(1));
    m.terms.right_hand_sides = 1;
    m.worker.state = &m.plans;
    m.workers[0] = &m.worker;
    c->form.packed = true;
    c->layout.overlap.rows = (size_t *)(uintptr_t)r->returned; /* not written */
    c->layout.overlap.pulled_rows = fetched ? psg_overlap_rows_all(&c->layout) : 0;
    if (CHECK_STATUS(psg_workspace_create(&m.workspace, plan, 0), PSG_OK)) {
        c->engine.gpu = m.workers;
        emulating = true;
        give_relay(&m, true);
        m.terms.overlap = m.workspace->overlap;
        m.run = (psg_run){.engine = &c->engine, .user = &m.terms, .result = m.findings};
        solves(&m);
        solves_of_modes(&m, true);
        if (psg_overlap_rows_all(&c->layout) == 0) {
            solves_of_modes(&m, false);
        }
        give_relay(&m, false);
        emulating = false;
        c->engine.gpu = NULL;
    }
    psg_workspace_destroy(m.workspace, plan);
    free(m.plans.segments[0]);
    free(m.plans.parts);
    free(m.findings);
    free(m.buffers);
}

int main(void) {
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const rows_case *r = &cases[k];
        psg_plan *plan = NULL;
        psg_options options;
        psg_grid grid;
        psg_grid_init(&grid, r->n[0], r->n[1], r->n[2], 1, 1, 1);
        psg_options_init(&options);
        options.cpus = 2;
        options.gpus = 0;
        options.effort = PSG_EFFORT_ESTIMATE;
        options.cache_dir = "";
        options.segment_planes = r->segment_planes;
        options.sheets = r->sheets;
        if (!CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
            continue;
        }
        const psg_context before = plan->context;
        CHECK(before.layout.sheets.count == r->sheets, "%zu sheets", before.layout.sheets.count);
        on_gpus(plan, r, false);
        on_gpus(plan, r, true);
        plan->context = before;
        psg_plan_destroy(plan);
    }
    return check_result();
}
