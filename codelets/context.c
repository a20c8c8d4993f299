#include "codelets/context.h"

#define TASK(number, name, ...) [PSG_TASK_##number] = {__VA_ARGS__},
#define OTHER(number, name)
static const struct {
    unsigned field_reads, field_writes, spectrum_reads, spectrum_writes;
    unsigned fields, spectra; /* of data */
} moves[] = {
#include "codelets/kinds.def"
};

void psg_label_part(const psg_context *c, const psg_label *label, double *field, double *spectrum) {
    const psg_layout *l = &c->layout;
    const double real = (double)c->cpu->real_bytes;
    if (psg_label_has_sheet(label)) {
        const size_t rows = psg_layout_rows(l, label->index[PSG_AXIS_SHEET]);
        *field = 0;
        *spectrum = 2 * real * (double)rows * (double)(l->nxc * l->n[2]);
    } else {
        const double planes = (double)psg_layout_planes(l, label->index[PSG_AXIS_SEGMENT]);
        *field = real * planes * (double)(l->n[0] * l->n[1]);
        *spectrum = 2 * real * planes * (double)(l->nxc * l->nyc);
    }
}

size_t psg_messages_after(const psg_context *c, const psg_label *label) {
    const psg_layout *l = &c->layout;
    const size_t p = label->index[PSG_AXIS_SHEET];
    if (label->kind == PSG_TASK_EDGE) {
        return 1;
    }
    const size_t times = psg_label_beside(label) ? 2 : 1;
    const bool writes_blocks = label->kind == PSG_TASK_FORWARD_XY || label->kind == PSG_TASK_PACK ||
                               psg_label_solves(label) || label->kind == PSG_TASK_GRADIENT_Z;
    if (!writes_blocks || psg_label_makes(label) == PSG_MAKES_MODES) {
        return 0;
    }
    if (!psg_label_has_sheet(label)) {
        return c->block_messages * (l->bundles.count - psg_range_count(l->bundles.own));
    }
    for (size_t g = l->bundles.own.first; g < l->bundles.own.end; g++) {
        if (l->bundles.part[g].sheets.first == p && l->bundles.part[g].sheets.end == p + 1) {
            return times * c->block_messages *
                   (l->segments.count - psg_range_count(l->segments.own));
        }
    }
    return 0; /* the sheet goes with others, see regroup.c */
}

/* A shape's variant: the kinds of transform and how blocks return, and in steps of this the
 * components besides u. */
enum { VARIANTS = 2 * PSG_TRANSFORM_COUNT * PSG_TRANSFORM_COUNT * PSG_TRANSFORM_COUNT };

static psg_traffic traffic(const void *owner, const psg_label *label) {
    const psg_context *c = owner;
    const psg_task_kind kind = (psg_task_kind)label->kind;
    const psg_graph_kinds *graph = &c->graph;
    const bool sheet_is_block = !psg_graph_has(graph, PSG_TASK_UNPACK, true);
    const bool segment_is_block = !psg_graph_has(graph, PSG_TASK_UNPACK, false);
    const bool reads = (kind == PSG_TASK_FFT_Z && sheet_is_block) ||
                       (kind == PSG_TASK_IFFT_XY && segment_is_block);
    const bool writes = (kind == PSG_TASK_IFFT_Z && sheet_is_block) ||
                        psg_label_makes(label) == (PSG_MAKES_BLOCKS | PSG_MAKES_MODES);
    const double beside = (double)psg_label_components(label);
    const bool writes_beside = psg_label_beside(label);
    double field = 0;
    double spectrum = 0;
    psg_label_part(c, label, &field, &spectrum);
    return (psg_traffic){moves[kind].field_reads * field +
                             (moves[kind].spectrum_reads + reads) * spectrum,
                         (moves[kind].field_writes + beside) * field +
                             (moves[kind].spectrum_writes + writes + writes_beside) * spectrum};
}

/* A sheet needs every segment, and a segment every sheet. With `gradient_z` the component along z
 * goes both ways once more. */
static int phase(const psg_label *label) {
    const bool forward = label->kind == PSG_TASK_FORWARD_XY || label->kind == PSG_TASK_FFT_XY ||
                         label->kind == PSG_TASK_PACK;
    const bool again =
        label->kind == PSG_TASK_GRADIENT_Z ||
        (label->kind == PSG_TASK_GRADIENT_XY && label->index[PSG_AXIS_COMPONENT] == 2);
    return (psg_label_has_sheet(label) ? 1 : forward ? 0 : 2) + (again ? 2 : 0);
}

static double data_bytes(const psg_task_shape *s) {
    const double real = s->precision == PSG_TASK_F64 ? 8 : 4;
    const double lines = (double)s->count * (double)s->n[s->axis == PSG_AXIS_SHEET ? 2 : 1];
    const double fields = moves[s->kind].fields + s->variant / VARIANTS;
    return lines * real * (fields * (double)s->n[0] + moves[s->kind].spectra * 2 * (double)s->row);
}

static int worker(const void *owner, const psg_label *label) {
    const psg_layout *l = &((const psg_context *)owner)->layout;
    return psg_label_has_sheet(label) ? l->sheets.part[label->index[PSG_AXIS_SHEET]].worker
                                      : l->segments.part[label->index[PSG_AXIS_SEGMENT]].worker;
}

/* The remote blocks of a sheet are those on other GPUs, where `kspace` writes the overlap rows. */
static void sheet_shape(const psg_layout *l, size_t p, psg_task_shape *shape) {
    const size_t moved = psg_overlap_rows_of(l, p);
    shape->count = psg_layout_rows(l, p);
    shape->row = l->nxc;
    shape->pieces = l->segments.count;
    for (size_t s = 0; moved > 0 && s < l->segments.count; s++) {
        shape->remote += l->segments.part[s].home != l->sheets.part[p].home;
    }
    shape->moved = shape->remote > 0 ? (double)moved / (double)shape->count : 0;
}

/* A segment's task finds the rows in other GPUs' memory that kspace does not move itself. */
static void segment_shape(const psg_context *c, size_t s, psg_task_shape *shape) {
    const psg_layout *l = &c->layout;
    const size_t moved =
        shape->kind == PSG_TASK_FORWARD_XY ? l->overlap.pulled_rows : psg_overlap_rows_all(l);
    shape->count = psg_layout_planes(l, s);
    shape->pieces = l->bundles.count;
    for (size_t g = 0; g < c->reached_bundles; g++) {
        shape->remote += l->bundles.part[g].home != l->segments.part[s].home;
    }
    shape->moved = shape->remote > 0 ? 1 - (double)moved / (double)l->nyc : 0;
}

/* Dirichlet below and Neumann above is the mirror image of Neumann below and Dirichlet above, and
 * takes as long. */
static const char *const sides[] = {"PP",       "NN",       "DD",       "DN",
                                    "NN-nodes", "DD-nodes", "DN-nodes", NULL};
static const int sides_of[PSG_TRANSFORM_COUNT] = {
    [PSG_TRANSFORM_PERIODIC] = 0, [PSG_TRANSFORM_COS2] = 1, [PSG_TRANSFORM_SIN2] = 2,
    [PSG_TRANSFORM_SIN4] = 3,     [PSG_TRANSFORM_COS4] = 3, [PSG_TRANSFORM_COS1] = 4,
    [PSG_TRANSFORM_SIN1] = 5,     [PSG_TRANSFORM_SIN3] = 6, [PSG_TRANSFORM_COS3] = 6,
    [PSG_TRANSFORM_NONE] = 0, /* no machine's file has times of it, or of those behind it */
};

void psg_context_extents(const psg_context *c, psg_task_shape *shape) {
    for (int d = 0; d < 3; d++) {
        shape->n[d] = c->layout.n[d];
        shape->along[d] = sides_of[c->kind[d]];
    }
    shape->row = c->layout.row;
}

static void shape(const void *owner, const psg_label *label, psg_task_shape *shape) {
    const psg_context *c = owner;
    psg_context_extents(c, shape);
    shape->dense = c->form.packed;
    if (psg_label_has_sheet(label)) {
        sheet_shape(&c->layout, label->index[PSG_AXIS_SHEET], shape);
    } else {
        segment_shape(c, label->index[PSG_AXIS_SEGMENT], shape);
    }
    int transforms = 0; /* tells grids with other sides apart */
    for (int d = 0; d < 3; d++) {
        transforms = PSG_TRANSFORM_COUNT * transforms + (int)c->kind[d];
    }
    shape->variant = 2 * transforms + (shape->remote > 0 && c->layout.overlap.pulled_rows > 0) +
                     VARIANTS * (int)psg_label_components(label);
}

/* ------------------------------------------------------------------------------- the graph */

size_t psg_task_total(const psg_context *context) {
    const psg_graph_kinds *graph = &context->graph;
    size_t total = 0;
    for (size_t m = 0; m < graph->count; m++) {
        total +=
            graph->kind[m].sheet ? context->layout.sheets.count : context->layout.segments.count;
    }
    return total;
}

/* -------------------------------------------------------------------------------- the kinds */

#define TASK(number, the_name, ...)                                                                \
    const psg_kind psg_##the_name##_kind = {.name = #the_name,                                     \
                                            .shape = shape,                                        \
                                            .traffic = traffic,                                    \
                                            .phase = phase,                                        \
                                            .worker = worker,                                      \
                                            .data_bytes = data_bytes,                              \
                                            .along = sides};
#define OTHER(number, name)
#include "codelets/kinds.def"

const psg_kind psg_exchange_kind = {.name = "exchange", .travels = true};
