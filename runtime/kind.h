/** @file kind.h  Kinds of task. Who submits tasks registers their kinds; the runtime knows of a kind what stands here,
 *  and of a task its label. Statistics, events, bounds, traces, recorded machines and simulations work on both. */
#ifndef PSG_RUNTIME_KIND_H
#define PSG_RUNTIME_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The index of a label along an axis that the task is not about. */
#define PSG_NO_INDEX SIZE_MAX

/** What a task is about: its kind, and which part of the data. */
typedef struct psg_label {
    int kind; /**< number of a registered kind */
    size_t index
        [3]; /**< the part's number along each axis of parts; PSG_NO_INDEX: not along this one */
} psg_label;

/** The axis of parts that the task is about; 0 where there is none or several. */
static inline int psg_label_axis(const psg_label *label) {
    for (int axis = 1; axis < 3; axis++) {
        if (label->index[axis] != PSG_NO_INDEX && label->index[0] == PSG_NO_INDEX) {
            return axis;
        }
    }
    return 0;
}

typedef enum psg_task_precision {
    PSG_TASK_F64 = 0,
    PSG_TASK_F32,
    PSG_TASK_PRECISIONS
} psg_task_precision;

/** What the time of a task depends on: the part that it has of a 3-D array. */
typedef struct psg_task_shape {
    int kind;
    psg_task_precision precision;
    int axis;    /**< of parts: 0, planes of the array; 1, rows of all planes */
    size_t n[3]; /**< extents of the array */
    size_t row;  /**< complex numbers that a row of n[0] becomes */
    int along
        [3]; /**< what is done along each axis of the array, a number of the kind's own (psg_kind.along) */
    size_t count;  /**< planes or rows in the part */
    size_t pieces; /**< blocks of the part */
    size_t remote; /**< blocks in another GPU's memory, which the task reads or writes there */
    double moved;  /**< the share of the remote blocks that the task reads or writes: 0 to 1 */
    int variant; /**< 0; else tasks that the other fields do not tell apart, and that take other times */
    bool dense; /**< each block is in one piece, else it is a view into a larger array */
} psg_task_shape;

/** Bytes that a task moves at the least between memory and its worker. */
typedef struct psg_traffic {
    double reads;
    double writes;
} psg_traffic;

/** A kind of task. The functions get what the engine has as its owner; NULL: the answer is 0, or -1 for a worker. */
typedef struct psg_kind {
    const char *name; /**< of its tasks in traces, performance models and machine files */
    bool travels;     /**< between processes: no worker runs it */
    bool cores;       /**< cores alone run it: it has no function for GPUs */
    void (*shape)(const void *owner, const psg_label *label, psg_task_shape *shape);
    /** What may be done along an axis: the words of machine files, NULL after the last. Number 0 is what the times of
     *  machine files are of. NULL: tasks do the same along all axes of all arrays. */
    const char *const *along;
    /** What the time of a task of this shape grows with, above 0. NULL: the numbers of the part's spectrum. */
    double (*operations)(const psg_task_shape *shape);
    psg_traffic (*traffic)(const void *owner, const psg_label *label);
    /** Below PSG_PHASES_MOST: no task of a phase begins before all of the phase before have ended. */
    int (*phase)(const psg_label *label);
    /** StarPU's number of the worker that has the part; -1: any worker may do the task. */
    int (*worker)(const void *owner, const psg_label *label);
    /** Among the ready tasks the one with the largest goes first, under policies that look at it. */
    int (*priority)(const void *owner, const psg_label *label);
    /** Bytes of the data of a task of this shape, as StarPU counts them. */
    double (*data_bytes)(const psg_task_shape *shape);
} psg_kind;

enum { PSG_KINDS_MOST = 64, PSG_PHASES_MOST = 8 };

/** Register a kind, for the life of the process. Thread-safe.
 *  @param[in] kind  the caller's, as long as the process
 *  @return its number, from 0 in the order of registration; -1: there are PSG_KINDS_MOST */
int psg_kind_register(const psg_kind *kind);
/** @param[in] number  below psg_kind_count() */
const psg_kind *psg_kind_at(int number);
/** @return the number of the kind with that name; -1: there is none */
int psg_kind_find(const char *name);
size_t psg_kind_count(void);

#endif
