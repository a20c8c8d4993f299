#include "codelets/pcg.h"
#include "codelets/codelet.h"
#include "codelets/sides.h"
#include "cpu/pcg.h"
#if PSG_WITH_CUDA
#include "codelets/cuda.h"
#include "kernels/pcg.h"
#endif

/* ------------------------------------------------------------------------------------ parts */

static base_pcg_field field_of(void *buffers[], size_t m) {
    return (base_pcg_field){.first = psg_task_pointer(buffers, m),
                            .row_pitch = psg_task_row_pitch(buffers, m),
                            .plane_pitch = psg_task_pitch(buffers, m),
                            .single = STARPU_BLOCK_GET_ELEMSIZE(buffers[m]) == sizeof(float)};
}

/* The data of each kind of task, in the order of its buffers: where the handle is among
 * psg_task_pcg_data, where the pointer is in base_pcg_task, and how it is used. */
typedef struct use {
    size_t handle, pointer;
    bool field; /* base_pcg_field */
    int mode;   /* 0: the list is at its end */
} use;
#define DENSE(name, mode)                                                                          \
    { offsetof(psg_task_pcg_data, name), offsetof(base_pcg_task, name), false, STARPU_##mode }
#define FIELD(name, mode)                                                                          \
    { offsetof(psg_task_pcg_data, name), offsetof(base_pcg_task, name), true, STARPU_##mode }
enum { MOST_DATA = 13 };
static const use uses[][MOST_DATA + 1] = {
    [PSG_TASK_PCG_MEASURE] = {FIELD(f, R), DENSE(p, R), DENSE(below, R), DENSE(above, R),
                              DENSE(eps[0], W), DENSE(eps[1], R), DENSE(eps[2], R), DENSE(part, W),
                              DENSE(b, W)},
    [PSG_TASK_PCG_START] = {FIELD(f, R), DENSE(scalars, R), DENSE(eps[0], R), DENSE(eps[1], R),
                            DENSE(eps[2], R), DENSE(q, R), DENSE(r, W), DENSE(x, RW),
                            FIELD(source, W), DENSE(part, W), DENSE(scale, R), FIELD(u, R),
                            DENSE(outside, RW)},
    [PSG_TASK_PCG_DOT] = {DENSE(r, R), FIELD(solution, R), DENSE(part, W), DENSE(scale, R)},
    [PSG_TASK_PCG_DIRECTION] = {DENSE(scalars, R), FIELD(solution, R), DENSE(p, RW), DENSE(low, W),
                                DENSE(high, W), DENSE(scale, R), DENSE(x, RW), DENSE(outside, RW)},
    [PSG_TASK_PCG_APPLY] = {DENSE(eps[0], R), DENSE(eps[1], R), DENSE(eps[2], R), DENSE(p, R),
                            DENSE(below, R), DENSE(above, R), DENSE(q, W), DENSE(part, W),
                            DENSE(scalars, R), DENSE(r, R), DENSE(outside, RW)},
    [PSG_TASK_PCG_UPDATE] = {DENSE(scalars, R), DENSE(q, R), DENSE(r, RW), FIELD(source, W),
                             DENSE(part, W), DENSE(scale, R)},
    [PSG_TASK_PCG_END] = {DENSE(scalars, R), DENSE(x, R), FIELD(u, W)},
};

/* How a task uses data of its list. 0: not at all */
static int mode_of(const use *at, const psg_label *label, const psg_terms *all) {
    const base_pcg_terms *terms = &all->pcg;
    const bool anew = label->kind == PSG_TASK_PCG_START && terms->begins == BASE_PCG_ANEW;
    const bool alone = label->kind == PSG_TASK_PCG_DIRECTION && label->index[2] == PSG_NO_INDEX;
    const bool stencil =
        label->kind == PSG_TASK_PCG_APPLY && (!terms->outside || label->index[2] == PSG_NO_INDEX);
    const bool faces = label->kind == PSG_TASK_PCG_MEASURE && terms->faces;
    const bool copies = faces && label->index[2] != PSG_NO_INDEX;
    switch (at->handle) {
    case offsetof(psg_task_pcg_data, eps[0]):
        return faces && !copies ? STARPU_R : at->mode;
    case offsetof(psg_task_pcg_data, eps[1]):
    case offsetof(psg_task_pcg_data, eps[2]):
        return terms->faces && !copies ? at->mode : 0;
    case offsetof(psg_task_pcg_data, f):
    case offsetof(psg_task_pcg_data, part):
        return copies ? 0 : at->mode;
    case offsetof(psg_task_pcg_data, b):
        return copies || !all->sides.apart ? 0 : at->mode;
    case offsetof(psg_task_pcg_data, scale):
        return !terms->scaled || alone || label->index[2] == 0 ? 0 : anew ? STARPU_W : STARPU_R;
    case offsetof(psg_task_pcg_data, solution):
        return label->index[2] == 0 ? 0 : at->mode;
    case offsetof(psg_task_pcg_data, source):
        return terms->shares ? 0 : at->mode;
    case offsetof(psg_task_pcg_data, scalars):
    case offsetof(psg_task_pcg_data, r):
        return alone || stencil ? 0 : at->mode;
    case offsetof(psg_task_pcg_data, p):
        return alone ? STARPU_W : at->mode;
    case offsetof(psg_task_pcg_data, outside):
        return !terms->outside || alone ? 0 : anew ? STARPU_W : at->mode;
    case offsetof(psg_task_pcg_data, x):
        return alone ? 0 : anew ? STARPU_W : at->mode;
    case offsetof(psg_task_pcg_data, q):
        return label->kind == PSG_TASK_PCG_START && terms->begins != BASE_PCG_FROM_X ? 0 : at->mode;
    case offsetof(psg_task_pcg_data, u):
        return label->kind == PSG_TASK_PCG_START && !(anew && terms->guess) ? 0 : at->mode;
    default:
        return at->mode;
    }
}

static size_t first_plane(const psg_task_args *args) {
    return psg_context_of(args->run)->layout.segments.part[psg_segment_of(args)].box.lo[2];
}

static base_pcg_task task_of(void *buffers[], const psg_task_args *args) {
    const psg_context *c = psg_context_of(args->run);
    const size_t s = psg_segment_of(args);
    const size_t z = first_plane(args);
    base_pcg_task t = {.n = {c->layout.n[0], c->layout.n[1], psg_layout_planes(&c->layout, s)},
                       .terms = psg_terms_of(args->run)->pcg};
    t.end[0] = t.terms.ends[2] && s == 0;
    t.end[1] = t.terms.ends[2] && s + 1 == c->layout.segments.count;
    if (psg_stretched(c)) { /* where a core has them */
        t.widths = base_pcg_widths_of(c->waves->line.width, c->layout.n[2], z, t.n[2], t.end);
    }
    t.overflow = (int *)(uintptr_t)&psg_findings_of(args->run)->overflow;
    const psg_cpu_sides sides = psg_sides_at(c, &psg_terms_of(args->run)->sides, 0, z, t.n[2]);
    memcpy(t.sides.added, &sides, sizeof sides);
    t.sides.single = c->cpu->real_bytes == sizeof(float);
    size_t m = 0;
    for (const use *at = uses[args->label.kind]; at->mode != 0; at++) {
        char *const to = (char *)&t + at->pointer;
        if (mode_of(at, &args->label, psg_terms_of(args->run)) != 0) {
            const base_pcg_field field = field_of(buffers, m++);
            memcpy(to, &field, at->field ? sizeof field : sizeof field.first);
        }
    }
    return t;
}

#if PSG_WITH_CUDA
#define PCG_GPU(name)                                                                              \
    static int name##_gpu(void *buffers[], const psg_task_args *args) {                            \
        base_pcg_task t = task_of(buffers, args);                                                  \
        t.widths.of = psg_cuda_by_plane(args->run, true, first_plane(args));                       \
        return (int)psg_cuda_pcg_##name(&t, starpu_cuda_get_local_stream());                       \
    }
#else
#define PCG_GPU(name)
#endif
#define PCG_CODELET(name)                                                                          \
    static void name##_core(void *buffers[], const psg_task_args *args) {                          \
        const base_pcg_task t = task_of(buffers, args);                                            \
        psg_cpu_pcg_##name(&t);                                                                    \
    }                                                                                              \
    PCG_GPU(name)                                                                                  \
    PSG_SOLVER_CODELET(pcg_##name, name##_core, name##_gpu)

PCG_CODELET(measure);
PCG_CODELET(start);
PCG_CODELET(dot);
PCG_CODELET(direction);
PCG_CODELET(apply);
PCG_CODELET(update);
PCG_CODELET(end);

/* ---------------------------------------------------------------------------------- scalars */

/* Buffers: scalars, scratch, sums of each segment, report. */
enum { SCALARS, SCRATCH, SUMS };

static base_pcg_stage stage_of(const psg_task_args *args) {
    return (base_pcg_stage)args->label.index[1];
}

static size_t segments_of(const psg_task_args *args) {
    return psg_context_of(args->run)->layout.segments.count;
}

static bool reports(base_pcg_stage stage) {
    return stage != BASE_PCG_SOLVED && stage != BASE_PCG_APPLIED && stage != BASE_PCG_NORMED;
}

static double *report_of(void *buffers[], const psg_task_args *args) {
    return reports(stage_of(args)) ? psg_task_pointer(buffers, SUMS + segments_of(args)) : NULL;
}

/* The sums of segment s and those after it, as many as fit. */
static base_pcg_pieces pieces_from(void *buffers[], const psg_task_args *args, size_t s,
                                   size_t start) {
    const psg_layout *l = &psg_context_of(args->run)->layout;
    const base_pcg_stage stage = stage_of(args);
    base_pcg_pieces pieces = {.stage = stage,
                              .measures = base_pcg_measures(stage, &psg_terms_of(args->run)->pcg),
                              .start = start};
    for (; s < l->segments.count && pieces.count < BASE_PCG_PIECES; s++) {
        pieces.part[pieces.count] = psg_task_pointer(buffers, SUMS + s);
        pieces.numbers[pieces.count++] = base_pcg_blocks(l->n[1]) * psg_layout_planes(l, s);
    }
    return pieces;
}

static size_t end_of(const base_pcg_pieces *pieces) {
    size_t end = pieces->start;
    for (size_t m = 0; m < pieces->count; m++) {
        end += pieces->numbers[m];
    }
    return end;
}

static void scalars_core(void *buffers[], const psg_task_args *args) {
    double *lanes = psg_task_pointer(buffers, SCRATCH);
    size_t number = 0;
    for (size_t s = 0; s < segments_of(args); s += BASE_PCG_PIECES) {
        const base_pcg_pieces pieces = pieces_from(buffers, args, s, number);
        psg_cpu_pcg_join(&pieces, lanes);
        number = end_of(&pieces);
    }
    psg_cpu_pcg_next(stage_of(args), lanes, &psg_terms_of(args->run)->pcg,
                     psg_task_pointer(buffers, SCALARS), report_of(buffers, args));
}

#if PSG_WITH_CUDA
static int scalars_gpu(void *buffers[], const psg_task_args *args) {
    double *lanes = psg_task_pointer(buffers, SCRATCH);
    const cudaStream_t stream = starpu_cuda_get_local_stream();
    size_t number = 0;
    int code = 0;
    for (size_t s = 0; s < segments_of(args) && code == 0; s += BASE_PCG_PIECES) {
        const base_pcg_pieces pieces = pieces_from(buffers, args, s, number);
        code = (int)psg_cuda_pcg_join(&pieces, lanes, stream);
        number = end_of(&pieces);
    }
    return code != 0 ? code
                     : (int)psg_cuda_pcg_next(stage_of(args), lanes, &psg_terms_of(args->run)->pcg,
                                              psg_task_pointer(buffers, SCALARS),
                                              report_of(buffers, args), stream);
}
#endif

PSG_SOLVER_CODELET(pcg_scalars, scalars_core, scalars_gpu);

/* ------------------------------------------------------------------------------- submission */

static struct starpu_codelet *const codelets[] = {
    pcg_measure_codelet, pcg_start_codelet,  pcg_dot_codelet, pcg_direction_codelet,
    pcg_apply_codelet,   pcg_update_codelet, pcg_end_codelet};

void psg_task_pcg(psg_run *run, int kind, size_t s, size_t step, const psg_task_pcg_data *data) {
    const psg_task_args args = {.run = run, .label = {kind, {s, PSG_NO_INDEX, step}}};
    psg_task_data used[MOST_DATA];
    size_t count = 0;
    for (const use *at = uses[kind]; at->mode != 0; at++) {
        const int mode = mode_of(at, &args.label, psg_terms_of(run));
        if (mode != 0) {
            const char *const handle = (const char *)data + at->handle;
            used[count++] = (psg_task_data){(const psg_data *)(const void *)handle, 1, 1, mode};
        }
    }
    psg_task_submit_data(codelets[kind - PSG_TASK_PCG_MEASURE], &args, used, count);
}

void psg_task_pcg_scalars(psg_run *run, base_pcg_stage stage, size_t step,
                          const psg_task_pcg_data *data, starpu_data_handle_t scratch,
                          starpu_data_handle_t report) {
    const psg_task_args args = {
        .run = run, .label = {PSG_TASK_PCG_SCALARS, {PSG_NO_INDEX, (size_t)stage, step}}};
    const size_t stride = sizeof *data / sizeof data->part;
    const psg_task_data used[] = {
        {&data->scalars, 1, 1, stage == BASE_PCG_MEASURED ? STARPU_W : STARPU_RW},
        {&scratch, 1, 1, STARPU_SCRATCH},
        {&data->part, segments_of(&args), stride, STARPU_R},
        {&report, 1, 1, STARPU_W}};
    psg_task_submit_data(pcg_scalars_codelet, &args, used, reports(stage) ? 4 : 3);
}

/* -------------------------------------------------------------------------------- the kinds */

/* Reals of f64 that a task moves for each point without D, if M has r, and reals of M's precision,
 * which f and u count as. */
static const struct {
    unsigned reads, writes, other_reads, other_writes;
} moves[] = {
    [PSG_TASK_PCG_MEASURE] = {1, 1, 1, 0}, [PSG_TASK_PCG_START] = {0, 2, 1, 0},
    [PSG_TASK_PCG_DOT] = {1, 0, 1, 0},     [PSG_TASK_PCG_DIRECTION] = {2, 2, 1, 0},
    [PSG_TASK_PCG_APPLY] = {2, 1, 0, 0},   [PSG_TASK_PCG_UPDATE] = {2, 1, 0, 0},
    [PSG_TASK_PCG_END] = {1, 0, 0, 1},
};

static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    const psg_layout *l = &((const psg_context *)owner)->layout;
    memcpy(shape->n, l->n, sizeof shape->n);
    shape->count = psg_layout_planes(l, label->index[0]);
    shape->pieces = 1;
    shape->dense = true;
}

static psg_traffic traffic(const void *owner, const psg_label *label) {
    const psg_context *c = owner;
    const int m = label->kind;
    const double points =
        (double)(c->layout.n[0] * c->layout.n[1] * psg_layout_planes(&c->layout, label->index[0]));
    const double other = (double)c->cpu->real_bytes;
    return (psg_traffic){points * (moves[m].reads * 8 + moves[m].other_reads * other),
                         points * (moves[m].writes * 8 + moves[m].other_writes * other)};
}

static int worker(const void *owner, const psg_label *label) {
    return ((const psg_context *)owner)->layout.segments.part[label->index[0]].worker;
}

static void scalars_shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    const psg_layout *l = &((const psg_context *)owner)->layout;
    (void)label;
    shape->axis = 0;
    shape->n[0] = base_pcg_blocks(l->n[1]);
    shape->n[1] = 1;
    shape->n[2] = shape->count = l->n[2];
    shape->pieces = l->segments.count;
    shape->dense = true;
}

#define KIND(the_name)                                                                             \
    const psg_kind psg_##the_name##_kind = {                                                       \
        .name = #the_name, .shape = shape, .traffic = traffic, .worker = worker}

KIND(pcg_measure);
KIND(pcg_start);
KIND(pcg_dot);
KIND(pcg_direction);
KIND(pcg_apply);
KIND(pcg_update);
KIND(pcg_end);
const psg_kind psg_pcg_scalars_kind = {.name = "pcg_scalars", .shape = scalars_shape};
