#include "codelets/pcg.h"
#include "codelets/codelet.h"
#include "cpu/pcg.h"
#if PSG_WITH_CUDA
#include "kernels/pcg.h"
#endif

/* ------------------------------------------------------------------------------------ parts */

static base_pcg_task task_of(const psg_task_args *args) {
    const psg_context *c = psg_context_of(args->run);
    const size_t s = psg_segment_of(args);
    base_pcg_task t = {.n = {c->layout.n[0], c->layout.n[1], psg_layout_planes(&c->layout, s)},
                       .terms = psg_terms_of(args->run)->pcg};
    t.end[0] = t.terms.ends[2] && s == 0;
    t.end[1] = t.terms.ends[2] && s + 1 == c->layout.segments.count;
    return t;
}

static base_pcg_field field_of(void *buffers[], size_t m) {
    return (base_pcg_field){.first = psg_task_pointer(buffers, m),
                            .row_pitch = psg_task_row_pitch(buffers, m),
                            .plane_pitch = psg_task_pitch(buffers, m),
                            .single = STARPU_BLOCK_GET_ELEMSIZE(buffers[m]) == sizeof(float)};
}

/* Other segments among three neighbours, each once: a segment may be next to itself, or to another
 * one twice. At an end of z it stands for what is beyond. */
typedef struct neighbours {
    size_t below, above;       /* segments */
    size_t at_below, at_above; /* their numbers in the list: 0 is the segment itself */
    size_t count;              /* of others */
} neighbours;

static neighbours neighbours_of(const psg_context *c, size_t s) {
    const size_t segments = c->layout.segments.count;
    const bool ends = c->kind[2] != PSG_TRANSFORM_PERIODIC;
    neighbours n = {.below = s > 0  ? s - 1
                             : ends ? s
                                    : segments - 1,
                    .above = s + 1 < segments ? s + 1
                             : ends           ? s
                                              : 0};
    n.at_below = n.below != s ? ++n.count : 0;
    n.at_above = n.above == s ? 0 : n.above == n.below ? n.at_below : ++n.count;
    return n;
}

/* --------------------------------------------------------------------------------- codelets */

/* Buffers: f, eps, sums, given of the segment, given of other segments. */
static base_pcg_task measure(void *buffers[], const psg_task_args *args) {
    enum { GIVEN = 3 };
    base_pcg_task t = task_of(args);
    const psg_context *c = psg_context_of(args->run);
    const neighbours n = neighbours_of(c, psg_segment_of(args));
    t.f = field_of(buffers, 0);
    t.eps = psg_task_pointer(buffers, 1);
    t.part = psg_task_pointer(buffers, 2);
    t.given[0] = field_of(buffers, GIVEN);
    t.given[1] = field_of(buffers, GIVEN + n.at_below);
    t.given[2] = field_of(buffers, GIVEN + n.at_above);
    t.given_planes = t.end[0] ? 1 : psg_layout_planes(&c->layout, n.below);
    if (t.end[1]) {
        const size_t size = t.given[0].single ? sizeof(float) : sizeof(double);
        t.given[2].first = (char *)t.given[0].first + (t.n[2] - 1) * t.given[0].plane_pitch * size;
    }
    return t;
}

/* Buffers: f, scalars, x, r, p, source, sums. */
static base_pcg_task start(void *buffers[], const psg_task_args *args) {
    base_pcg_task t = task_of(args);
    t.f = field_of(buffers, 0);
    t.scalars = psg_task_pointer(buffers, 1);
    t.x = psg_task_pointer(buffers, 2);
    t.r = psg_task_pointer(buffers, 3);
    t.p = psg_task_pointer(buffers, 4);
    t.source = field_of(buffers, 5);
    t.part = psg_task_pointer(buffers, 6);
    return t;
}

/* Buffers: r, solution, sums. */
static base_pcg_task dot(void *buffers[], const psg_task_args *args) {
    base_pcg_task t = task_of(args);
    t.r = psg_task_pointer(buffers, 0);
    t.solution = field_of(buffers, 1);
    t.part = psg_task_pointer(buffers, 2);
    return t;
}

/* Buffers: scalars, solution, p, low, high. */
static base_pcg_task direction(void *buffers[], const psg_task_args *args) {
    base_pcg_task t = task_of(args);
    t.scalars = psg_task_pointer(buffers, 0);
    t.solution = field_of(buffers, 1);
    t.p = psg_task_pointer(buffers, 2);
    t.low = psg_task_pointer(buffers, 3);
    t.high = psg_task_pointer(buffers, 4);
    return t;
}

/* Buffers: eps, p, below, above, q, sums. */
static base_pcg_task apply(void *buffers[], const psg_task_args *args) {
    base_pcg_task t = task_of(args);
    t.eps = psg_task_pointer(buffers, 0);
    t.p = psg_task_pointer(buffers, 1);
    t.below = psg_task_pointer(buffers, 2);
    t.above = psg_task_pointer(buffers, 3);
    t.q = psg_task_pointer(buffers, 4);
    t.part = psg_task_pointer(buffers, 5);
    return t;
}

/* Buffers: scalars, p, q, x, r, source, sums. */
static base_pcg_task update(void *buffers[], const psg_task_args *args) {
    base_pcg_task t = task_of(args);
    t.scalars = psg_task_pointer(buffers, 0);
    t.p = psg_task_pointer(buffers, 1);
    t.q = psg_task_pointer(buffers, 2);
    t.x = psg_task_pointer(buffers, 3);
    t.r = psg_task_pointer(buffers, 4);
    t.source = field_of(buffers, 5);
    t.part = psg_task_pointer(buffers, 6);
    return t;
}

/* Buffers: scalars, x, u. */
static base_pcg_task end(void *buffers[], const psg_task_args *args) {
    base_pcg_task t = task_of(args);
    t.scalars = psg_task_pointer(buffers, 0);
    t.x = psg_task_pointer(buffers, 1);
    t.u = field_of(buffers, 2);
    t.overflow = (int *)(uintptr_t)&psg_findings_of(args->run)->overflow;
    return t;
}

/* A codelet whose functions get what the function of that name finds in the buffers. */
#if PSG_WITH_CUDA
#define PCG_GPU(name)                                                                              \
    static int name##_gpu(void *buffers[], const psg_task_args *args) {                            \
        const base_pcg_task t = name(buffers, args);                                               \
        return (int)psg_cuda_pcg_##name(&t, starpu_cuda_get_local_stream());                       \
    }
#else
#define PCG_GPU(name)
#endif
#define PCG_CODELET(name)                                                                          \
    static void name##_core(void *buffers[], const psg_task_args *args) {                          \
        const base_pcg_task t = name(buffers, args);                                               \
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

static psg_task_args args_of(psg_run *run, int kind, size_t s, size_t stage, size_t step) {
    return (psg_task_args){.run = run, .label = {kind, {s, stage, step}}};
}

void psg_task_pcg_measure(psg_run *run, size_t s, starpu_data_handle_t f,
                          const starpu_data_handle_t *given, starpu_data_handle_t eps,
                          starpu_data_handle_t sums) {
    const neighbours n = neighbours_of(psg_context_of(run), s);
    const psg_task_args args = args_of(run, PSG_TASK_PCG_MEASURE, s, PSG_NO_INDEX, PSG_NO_INDEX);
    const psg_task_data data[] = {{&f, 1, 1, STARPU_R},
                                  {&eps, 1, 1, STARPU_W},
                                  {&sums, 1, 1, STARPU_W},
                                  {&given[s], 1, 1, STARPU_R},
                                  {&given[n.at_below > 0 ? n.below : n.above], 1, 1, STARPU_R},
                                  {&given[n.above], 1, 1, STARPU_R}};
    psg_task_submit_data(pcg_measure_codelet, &args, data, 4 + n.count);
}

void psg_task_pcg_start(psg_run *run, size_t s, starpu_data_handle_t f,
                        starpu_data_handle_t scalars, const starpu_data_handle_t xrp[3],
                        starpu_data_handle_t source, starpu_data_handle_t sums) {
    const psg_task_args args = args_of(run, PSG_TASK_PCG_START, s, PSG_NO_INDEX, PSG_NO_INDEX);
    const psg_task_data data[] = {{&f, 1, 1, STARPU_R},
                                  {&scalars, 1, 1, STARPU_R},
                                  {xrp, 3, 1, STARPU_W},
                                  {&source, 1, 1, STARPU_W},
                                  {&sums, 1, 1, STARPU_W}};
    psg_task_submit_data(pcg_start_codelet, &args, data, sizeof data / sizeof *data);
}

void psg_task_pcg_dot(psg_run *run, size_t s, size_t step, starpu_data_handle_t r,
                      starpu_data_handle_t solution, starpu_data_handle_t sums) {
    const psg_task_args args = args_of(run, PSG_TASK_PCG_DOT, s, PSG_NO_INDEX, step);
    const psg_task_data data[] = {
        {&r, 1, 1, STARPU_R}, {&solution, 1, 1, STARPU_R}, {&sums, 1, 1, STARPU_W}};
    psg_task_submit_data(pcg_dot_codelet, &args, data, sizeof data / sizeof *data);
}

void psg_task_pcg_direction(psg_run *run, size_t s, size_t step, starpu_data_handle_t scalars,
                            starpu_data_handle_t solution, starpu_data_handle_t p,
                            starpu_data_handle_t low, starpu_data_handle_t high) {
    const psg_task_args args = args_of(run, PSG_TASK_PCG_DIRECTION, s, PSG_NO_INDEX, step);
    const psg_task_data data[] = {{&scalars, 1, 1, STARPU_R},
                                  {&solution, 1, 1, STARPU_R},
                                  {&p, 1, 1, STARPU_RW},
                                  {&low, 1, 1, STARPU_W},
                                  {&high, 1, 1, STARPU_W}};
    psg_task_submit_data(pcg_direction_codelet, &args, data, sizeof data / sizeof *data);
}

void psg_task_pcg_apply(psg_run *run, size_t s, size_t step, starpu_data_handle_t eps,
                        starpu_data_handle_t p, starpu_data_handle_t below,
                        starpu_data_handle_t above, starpu_data_handle_t q,
                        starpu_data_handle_t sums) {
    const psg_task_args args = args_of(run, PSG_TASK_PCG_APPLY, s, PSG_NO_INDEX, step);
    const psg_task_data data[] = {{&eps, 1, 1, STARPU_R},   {&p, 1, 1, STARPU_R},
                                  {&below, 1, 1, STARPU_R}, {&above, 1, 1, STARPU_R},
                                  {&q, 1, 1, STARPU_W},     {&sums, 1, 1, STARPU_W}};
    psg_task_submit_data(pcg_apply_codelet, &args, data, sizeof data / sizeof *data);
}

void psg_task_pcg_update(psg_run *run, size_t s, size_t step, starpu_data_handle_t scalars,
                         const starpu_data_handle_t xrpq[4], starpu_data_handle_t source,
                         starpu_data_handle_t sums) {
    const psg_task_args args = args_of(run, PSG_TASK_PCG_UPDATE, s, PSG_NO_INDEX, step);
    const psg_task_data data[] = {{&scalars, 1, 1, STARPU_R},
                                  {&xrpq[2], 2, 1, STARPU_R},
                                  {xrpq, 2, 1, STARPU_RW},
                                  {&source, 1, 1, STARPU_W},
                                  {&sums, 1, 1, STARPU_W}};
    psg_task_submit_data(pcg_update_codelet, &args, data, sizeof data / sizeof *data);
}

void psg_task_pcg_end(psg_run *run, size_t s, starpu_data_handle_t scalars, starpu_data_handle_t x,
                      starpu_data_handle_t u) {
    const psg_task_args args = args_of(run, PSG_TASK_PCG_END, s, PSG_NO_INDEX, PSG_NO_INDEX);
    const psg_task_data data[] = {
        {&scalars, 1, 1, STARPU_R}, {&x, 1, 1, STARPU_R}, {&u, 1, 1, STARPU_W}};
    psg_task_submit_data(pcg_end_codelet, &args, data, sizeof data / sizeof *data);
}

void psg_task_pcg_scalars(psg_run *run, base_pcg_stage stage, size_t step,
                          const starpu_data_handle_t *sums, starpu_data_handle_t scalars,
                          starpu_data_handle_t scratch, starpu_data_handle_t report) {
    const psg_task_args args =
        args_of(run, PSG_TASK_PCG_SCALARS, PSG_NO_INDEX, (size_t)stage, step);
    const psg_task_data data[] = {
        {&scalars, 1, 1, stage == BASE_PCG_MEASURED ? STARPU_W : STARPU_RW},
        {&scratch, 1, 1, STARPU_SCRATCH},
        {sums, segments_of(&args), 1, STARPU_R},
        {&report, 1, 1, STARPU_W}};
    psg_task_submit_data(pcg_scalars_codelet, &args, data, reports(stage) ? 4 : 3);
}

/* -------------------------------------------------------------------------------- the kinds */

/* Reals of f64 that a task moves for each point, and reals of M's precision, which f, u and given
 * count as. */
static const struct {
    unsigned reads, writes, other_reads, other_writes;
} moves[] = {
    [PSG_TASK_PCG_MEASURE] = {0, 1, 2, 0}, [PSG_TASK_PCG_START] = {0, 3, 1, 1},
    [PSG_TASK_PCG_DOT] = {1, 0, 1, 0},     [PSG_TASK_PCG_DIRECTION] = {1, 1, 1, 0},
    [PSG_TASK_PCG_APPLY] = {2, 1, 0, 0},   [PSG_TASK_PCG_UPDATE] = {4, 2, 0, 1},
    [PSG_TASK_PCG_END] = {1, 0, 0, 1},
};

static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    const psg_layout *l = &((const psg_context *)owner)->layout;
    for (int d = 0; d < 3; d++) {
        shape->n[d] = l->n[d];
    }
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
