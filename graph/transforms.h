/** @file transforms.h  Eigenvalues and FFT plans. */
#ifndef PSG_GRAPH_TRANSFORMS_H
#define PSG_GRAPH_TRANSFORMS_H

#include "codelets/context.h"
#include "cpu/symbol.h"
#include "graph/psg.h"

/** What is asked for. */
typedef struct psg_problem {
    psg_options options; /**< checked */
    psg_grid grid;
    bool policy_asked; /**< the options name a scheduling policy */
    bool tuned;        /**< some of the options are what `psg tune` stored */
    double *faces;     /**< of a stretched z, to which the grid points; else NULL */
    double box[3];     /**< lengths of a solve without a box of its own; those of the latest solve
                            are in the grid, and all below is for them */
    int unit;          /**< the tasks' unit of length is 2^unit, about the spacing of the points */
    void *eigen[3];    /**< eigenvalues along each axis, in that unit and the plan's precision */
    psg_waves waves;   /**< of the gradient */
    psg_cpu_free free_z; /**< of a z with a free end */
    double eigen_first;  /**< the absolute value of the sum of those of mode (0,0,0) */
    /** the least absolute value of the other modes of an axis; INFINITY: none */
    double eigen_least;
    double eigen_most; /**< the largest absolute value of a sum, one of each axis */
    /** of a solve without terms of its own; terms.overlap is set for each solve */
    psg_terms terms;
} psg_problem;

static inline const psg_symbol_row *psg_symbol_of(const psg_problem *problem) {
    return &psg_symbol_rows[problem->options.symbol];
}

/** That along axis d of the plan's: of a stretched axis fd2, of which it is the only one. */
static inline const psg_symbol_row *psg_symbol_along(const psg_problem *problem, int d) {
    return problem->grid.axis[d].faces != NULL ? &psg_symbol_rows[PSG_SYMBOL_FD2]
                                               : psg_symbol_of(problem);
}

/** Make the plan's own copy of the caller's faces. Where the caller has none, z with a Robin side
 *  gets faces at equal distances. @return PSG_OK; PSG_ERR_MEMORY, _UNSUPPORTED */
psg_status psg_transforms_keep_faces(psg_problem *problem);
/** The eigenvalues along each axis and the wavenumbers that the gradient needs: in new tables, or
 *  in those that are there.
 *  @return PSG_OK; at the first time PSG_ERR_MEMORY, _UNSUPPORTED */
psg_status psg_transforms_eigenvalues(psg_problem *problem, const psg_plan *plan);
/** Free the tables, also after a failure. */
void psg_transforms_free(psg_problem *problem);
/** That of mode m along an axis, in the order of the spectrum and the tasks' unit of length. */
double psg_transforms_eigenvalue(const psg_problem *problem, int d, size_t m);
/** Put a value into a table of the plan's precision. */
void psg_transforms_put(const psg_plan *plan, void *table, size_t m, double value);
/** Has the plan's precision this number with all its digits? */
bool psg_transforms_has(const psg_plan *plan, double value);
/** FFTW's plans, where cores take tasks; else NULL. @return PSG_OK; PSG_ERR_RUNTIME */
psg_status psg_transforms_plan(psg_cpu_fft **fft, const psg_plan *plan);
/** What makes the components of the gradient along x and y. @return as psg_transforms_plan() */
psg_status psg_transforms_plan_slopes(psg_cpu_slope slope[2], const psg_plan *plan);

#endif
