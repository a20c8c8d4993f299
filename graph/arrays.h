/** @file arrays.h  The caller's f, u and other fields as StarPU data, slab by slab. */
#ifndef PSG_GRAPH_ARRAYS_H
#define PSG_GRAPH_ARRAYS_H

#include "codelets/context.h"
#include "graph/psg_observe.h"
#include "runtime/history.h"

#include <starpu.h>

/** The fields of a solve: f, u, the components of the gradient of u, epsilon at points, or on faces
 *  by axis, and those of a flow, which stand in place of f; and the modes of f and of u, which are
 *  cut into sheets. */
enum {
    PSG_FIELD_F = 0,
    PSG_FIELD_U,
    PSG_FIELD_GRADIENT,
    PSG_FIELD_EPSILON = PSG_FIELD_GRADIENT + 3,
    PSG_FIELD_FACES,
    PSG_FIELD_FLOW = PSG_FIELD_FACES + 3,
    PSG_FIELD_F_MODES = PSG_FIELD_FLOW + 3,
    PSG_FIELD_U_MODES,
    PSG_FIELDS
};

/** The planes that a process needs of another one: of u above its own, for a gradient; of a flow
 *  along z below its own, for the divergence. */
typedef enum psg_edge_side { PSG_EDGE_ABOVE = 0, PSG_EDGE_BELOW, PSG_EDGES } psg_edge_side;

/** The fields as handles by slab: the plan's slabs, or a caller's arrays, kept for the next
 * solve with the same. */
typedef struct psg_arrays {
    struct psg_arrays *next;
    size_t number;    /**< no other of the plan's has it, nor had it */
    size_t count;     /**< arrays of a field; 0: slabs, or a process without planes */
    psg_array *given; /**< [PSG_FIELDS][count]: as the caller said; streams are NULL */
    psg_array
        *field[PSG_FIELDS]; /**< [count]: with device and strides; NULL: there is no such field */
    /** How each array is cut into slabs: as the layout into segments, or into pieces.h's pieces */
    psg_parts parts;
    size_t sheets; /**< of this process */
    /** [psg_range_count(parts.own)]; of modes [sheets]; NULL: there is no such field */
    starpu_data_handle_t *slabs[PSG_FIELDS];
    /** by psg_edge_side: planes that go to another process, and that come from one */
    starpu_data_handle_t edge[PSG_EDGES][2];
    unsigned solves; /**< that have ended */
    bool in_place;   /**< f is u, or the solve changes its flow */
    bool boxed;      /**< they are boxes, and slabs have memory of their own: */
    /** [pieces]: the part of a box that is in each segment; NULL: there is none */
    starpu_data_handle_t *piece[PSG_FIELD_EPSILON];
    size_t pieces;
    bool stays;     /**< f and u are on the GPUs that work on them */
    bool brought;   /**< they do not, and StarPU brings copies to workers and back */
    bool looked_at; /**< StarPU may have a copy of f that is older than f */
    bool busy;
} psg_arrays;

/** An array of the caller's that is page-locked for copies to and from GPUs. */
typedef struct psg_pinned {
    struct psg_pinned *next;
    void *array;
} psg_pinned;

/** The caller's arrays. */
typedef struct psg_held_arrays {
    psg_arrays *arrays; /**< the cache */
    size_t arrays_made;
    psg_arrays *slabs;   /**< NULL until asked for */
    struct psg_pcg *pcg; /**< the same */
    bool slabs_solved;   /**< a solve has written their u */
    bool awake;          /**< workers stay awake, for arrays that stay on GPUs, or slabs */
    psg_pinned *pinned;
} psg_held_arrays;

/** Has the solve epsilon, at points or on faces? */
static inline bool psg_arrays_epsilon(const psg_arrays *a) {
    return a->slabs[PSG_FIELD_EPSILON] != NULL || a->slabs[PSG_FIELD_FACES] != NULL ||
           a->slabs[PSG_FIELD_FACES + 1] != NULL || a->slabs[PSG_FIELD_FACES + 2] != NULL;
}
/** Does a solve with a flow take the gradient out of it, as it has no arrays for that? */
static inline bool psg_flow_changes(const psg_arrays *arrays) {
    return arrays->slabs[PSG_FIELD_FLOW] != NULL && arrays->in_place;
}
/** The handles of the caller's arrays, checked, marked busy; copies elsewhere of what the solve
 *  reads are taken to be stale.
 *  @param[in] parts  the layout's segments, or the pieces of several right-hand sides, which follow
 *                    one another in each array
 *  @param[in] reads_u  u has a guess
 *  @return PSG_OK; PSG_ERR_ARG, _UNSUPPORTED, _MEMORY, _RUNTIME */
psg_status psg_arrays_take(psg_plan *plan, size_t count, const psg_array *const given[PSG_FIELDS],
                           const psg_parts *parts, bool reads_u, psg_arrays **arrays);
/** Right-hand sides in each array. */
size_t psg_arrays_right_hand_sides(const psg_plan *plan, const psg_arrays *arrays);
/** Before a segment's first task is submitted: f comes from the caller's array to the GPU that has
 *  the segment, and the task is handed to that GPU when f is there. Nothing without
 *  plan->placement.ahead.
 *  @param[in] room  what the task writes: f is brought when all earlier tasks that write it have
 *                   ended. So of the solves that wait for a workspace only the next one has its
 *                   f there */
void psg_arrays_bring_f(psg_run *run, const psg_plan *plan, const psg_arrays *arrays, size_t s,
                        starpu_data_handle_t room);
/** Is all of f where the tasks that read it run, and is there room for u? Then a chain, one task
 *  with all of f and u, can start; without the room StarPU would wait for ever. A hint: a task of
 *  the caller's may have yet to write f, and what nobody uses now may be evicted. */
bool psg_arrays_there(const psg_arrays *arrays);
/** After the task that writes slab s of a field is submitted: it goes home, to the caller's
 * array. */
void psg_arrays_bring(psg_run *run, const psg_plan *plan, const psg_arrays *arrays, int field,
                      size_t s);
/** A solve with them has ended. Every so many StarPU lets go what it keeps of the tasks that only
 * read f and epsilon. */
void psg_arrays_settle(psg_arrays *arrays);
/** Wait until u is in the caller's array, and keep the handles for another time. */
void psg_arrays_give_back(const psg_plan *plan, psg_arrays *arrays);
void psg_arrays_destroy(psg_arrays *arrays);
/** All of a plan's. */
void psg_arrays_free(psg_held_arrays *held);
/** What stands at an address in memory, of f, u or a workspace: data, segment and sheet of the
 * copy.
 *  @return false: nothing of it, and the copy stays as it is */
bool psg_arrays_find(const psg_plan *plan, const psg_arrays *arrays, const void *address,
                     psg_copy *copy);
/** Are all of f and u at home in main memory? */
bool psg_arrays_in_memory(const psg_arrays *arrays);
/** Bytes of f that the tasks of a solve read elsewhere than at home, and of u that they wrote
 * elsewhere. */
double psg_arrays_copied(const psg_plan *plan, const psg_arrays *arrays, const psg_history *solve);
/** Handles without memory of their own yet, for psg_plan_slab_handles(). */
psg_status psg_arrays_create_slabs(const psg_plan *plan, psg_arrays **arrays);

#endif
