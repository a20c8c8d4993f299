/** @file kinds.h  The numbers of all kinds of task, and the labels of those of a solve. */
#ifndef PSG_CODELETS_KINDS_H
#define PSG_CODELETS_KINDS_H

#include "runtime/kind.h"

#define TASK(number, name, ...) PSG_TASK_##number,
#define OTHER(number, name) PSG_TASK_##number,
/** PSG_TASK_FFT_XY and so on. */
typedef enum psg_task_kind {
#include "codelets/kinds.def"
    PSG_TASK_COUNT = PSG_TASK_PCG_MEASURE /**< those below work on segments and sheets */
} psg_task_kind;

#define TASK(number, name, ...) extern const psg_kind psg_##name##_kind;
#define OTHER(number, name) extern const psg_kind psg_##name##_kind;
#include "codelets/kinds.def"

/** Axes of parts, of psg_label.index: a task on a segment has an index along the first, a task on a
 *  sheet along the second, a message along both. */
enum { PSG_AXIS_SEGMENT = 0, PSG_AXIS_SHEET };

/** The third index of a label: of PSG_TASK_GRADIENT_XY the component, of PSG_TASK_INVERSE_XY how
 *  many components it makes besides u, if any, of PSG_TASK_KSPACE 2 if it makes the derivative
 *  along z besides, of PSG_TASK_MODES_IN and _OUT a sum of PSG_MAKES_, and of messages what
 *  `gradient_z` needs and makes, or the flow along z. */
enum { PSG_AXIS_COMPONENT = 2 };
enum { PSG_MAKES_BLOCKS = 1, PSG_MAKES_MODES = 2 };

/** Does the task solve for the modes of a sheet, from f or its modes to u or its modes? */
static inline bool psg_label_solves(const psg_label *label) {
    return label->kind == PSG_TASK_KSPACE || label->kind == PSG_TASK_MODES_IN ||
           label->kind == PSG_TASK_MODES_OUT;
}
/** Is that from, or to, modes of the caller's? @return a sum of PSG_MAKES_; 0: it is not */
static inline size_t psg_label_makes(const psg_label *label) {
    return psg_label_solves(label) && label->kind != PSG_TASK_KSPACE
               ? label->index[PSG_AXIS_COMPONENT]
               : 0;
}

/** How many components of the gradient a task makes besides u. */
static inline size_t psg_label_components(const psg_label *label) {
    const size_t count = label->index[PSG_AXIS_COMPONENT];
    return label->kind == PSG_TASK_INVERSE_XY && count != PSG_NO_INDEX ? count : 0;
}

/** Does a task `kspace` make the derivative along z besides? */
static inline bool psg_label_beside(const psg_label *label) {
    return label->kind == PSG_TASK_KSPACE && label->index[PSG_AXIS_COMPONENT] != PSG_NO_INDEX;
}

static inline psg_label psg_segment_label(psg_task_kind kind, size_t s) {
    return (psg_label){kind, {s, PSG_NO_INDEX, PSG_NO_INDEX}};
}
/** Of a plane that goes to another process. @param[in] last  it is the last one of a segment's flow
 *  along z, else the first one of its u */
static inline psg_label psg_edge_label(psg_task_kind kind, size_t s, bool last) {
    return (psg_label){kind, {s, PSG_NO_INDEX, last ? 2 : PSG_NO_INDEX}};
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

#define PSG_OF_SEGMENT(kind)                                                                       \
    { PSG_TASK_##kind, false }
#define PSG_OF_SHEET(kind)                                                                         \
    { PSG_TASK_##kind, true }

enum { PSG_GRAPH_KINDS_MOST = 16 }; /**< room in a list of them */

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
