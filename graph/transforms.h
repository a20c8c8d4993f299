/** @file transforms.h  What the boundary conditions of an axis make of it: one row of a table for each pair of them. */
#ifndef PSG_GRAPH_TRANSFORMS_H
#define PSG_GRAPH_TRANSFORMS_H

#include "cpu/symbol.h"
#include "graph/internal.h"

/** The transform along an axis with these conditions. */
typedef struct psg_transform {
    psg_bc bc[2]; /**< at the lower and at the upper side */
    /** Modes of n points; `real`: the axis along which real numbers become complex ones. */
    size_t (*modes)(size_t n, bool real);
    /** The factor that the transform forward and back leaves. */
    double (*norm)(size_t n);
    /** By psg_symbol: the eigenvalue of mode m. */
    psg_symbol_function eigenvalue[PSG_SYMBOL_COUNT];
    bool null; /**< mode 0 has the eigenvalue 0 */
} psg_transform;

/** @return NULL: there is no transform for the axis' boundary conditions */
const psg_transform *psg_transform_of(const psg_axis *axis);

/** The eigenvalues along each axis, and the plan's terms.
 *  @return PSG_OK; PSG_ERR_MEMORY, _ARG: out of the range of the precision */
psg_status psg_transforms_divide(psg_plan *plan);
/** What lambda and factor are to the tasks of a solve. @param[out] terms  without its relay
 *  @return PSG_OK; PSG_ERR_ARG: out of the range of the precision */
psg_status psg_transforms_terms(psg_terms *terms, const psg_plan *plan, const psg_solve_args *args);
/** FFTW's plans, where cores take tasks. @return PSG_OK; PSG_ERR_RUNTIME */
psg_status psg_transforms_plan(psg_plan *plan);

#endif
