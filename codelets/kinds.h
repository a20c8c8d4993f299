/** @file kinds.h  The numbers of all kinds of task, and the labels of those of a solve. */
#ifndef PSG_CODELETS_KINDS_H
#define PSG_CODELETS_KINDS_H

#include "runtime/kind.h"

/** In the order of the public psg_stage: these are the numbers of the registered kinds. */
typedef enum psg_task_kind {
    PSG_TASK_FFT_XY = 0,
    PSG_TASK_PACK,
    PSG_TASK_UNPACK,
    PSG_TASK_FFT_Z,
    PSG_TASK_DIVIDE,
    PSG_TASK_IFFT_Z,
    PSG_TASK_IFFT_XY,
    PSG_TASK_NORMALIZE,
    PSG_TASK_FORWARD_XY,
    PSG_TASK_KSPACE,
    PSG_TASK_INVERSE_XY,
    PSG_TASK_EXCHANGE, /**< between processes: an alltoall, or a message, which is no task */
    PSG_TASK_EDGE,
    PSG_TASK_GRADIENT,
    PSG_TASK_GRADIENT_Z,
    PSG_TASK_GRADIENT_XY,
    PSG_TASK_COUNT
} psg_task_kind;

/** The kinds of a solve with variable coefficients, which has those above too, and of a solve of
 * several right-hand sides. */
typedef enum psg_other_kind {
    PSG_KIND_PCG_MEASURE = PSG_TASK_COUNT,
    PSG_KIND_PCG_START,
    PSG_KIND_PCG_DOT,
    PSG_KIND_PCG_DIRECTION,
    PSG_KIND_PCG_APPLY,
    PSG_KIND_PCG_UPDATE,
    PSG_KIND_PCG_END,
    PSG_KIND_PCG_SCALARS,
    PSG_KIND_WHOLE, /**< of a solve of several right-hand sides */
    PSG_KIND_COUNT
} psg_other_kind;

/** Axes of parts, of psg_label.index: a task on a segment has an index along the first, a task on a
 *  sheet along the second, a message along both. */
enum { PSG_AXIS_SEGMENT = 0, PSG_AXIS_SHEET };

/** The third index of a label: of PSG_TASK_GRADIENT_XY the component, of PSG_TASK_INVERSE_XY how
 *  many components it makes besides u, if any, and of messages what `gradient_z` needs and
 *  makes. */
enum { PSG_AXIS_COMPONENT = 2 };

/** How many components of the gradient a task makes besides u. */
static inline size_t psg_label_components(const psg_label *label) {
    const size_t count = label->index[PSG_AXIS_COMPONENT];
    return label->kind == PSG_TASK_INVERSE_XY && count != PSG_NO_INDEX ? count : 0;
}

static inline psg_label psg_segment_label(psg_task_kind kind, size_t s) {
    return (psg_label){kind, {s, PSG_NO_INDEX, PSG_NO_INDEX}};
}
static inline psg_label psg_sheet_label(psg_task_kind kind, size_t p) {
    return (psg_label){kind, {PSG_NO_INDEX, p, PSG_NO_INDEX}};
}
/** The label of an event or a task with blocks of several segments and several sheets. */
static inline psg_label psg_exchange_label(void) {
    return (psg_label){PSG_TASK_EXCHANGE, {PSG_NO_INDEX, PSG_NO_INDEX, PSG_NO_INDEX}};
}
static inline bool psg_label_has_sheet(const psg_label *label) {
    return label->index[PSG_AXIS_SHEET] != PSG_NO_INDEX;
}

/** A kind of task that a graph has, of each segment or of each sheet. */
typedef struct psg_graph_kind {
    psg_task_kind kind;
    bool sheet;
} psg_graph_kind;

enum { PSG_GRAPH_KINDS_MOST = 10 }; /**< the most that a graph has */

/** The kinds of a plan's graph, in its order: a segment's, a sheet's, and a segment's again. */
typedef struct psg_graph_kinds {
    size_t count;
    psg_graph_kind kind[PSG_GRAPH_KINDS_MOST];
} psg_graph_kinds;

static inline bool psg_graph_has(const psg_graph_kinds *graph, psg_task_kind kind, bool sheet) {
    size_t m = 0;
    while (m < graph->count && (graph->kind[m].kind != kind || graph->kind[m].sheet != sheet)) {
        m++;
    }
    return m < graph->count;
}

/** The kind that writes u. */
static inline psg_task_kind psg_graph_last(const psg_graph_kinds *graph) {
    return graph->kind[graph->count - 1].kind;
}

#endif
