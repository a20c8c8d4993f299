/** @file pcg.h  What a core does to a segment in a step of conjugate gradients: base/pcg.h has the
 * method. */
#ifndef PSG_CPU_PCG_H
#define PSG_CPU_PCG_H

#include "base/pcg.h"

/** Without eps[1] below, p and above, which have what was given -> eps[0]; if there is `part`, f,
 *  with what the sides add, -> b, and the measures of that and eps -> part. */
void psg_cpu_pcg_measure(const base_pcg_task *t);
/** f, with BASE_PCG_FROM_X less q, which has A x -> r, source; the BASE_PCG_STARTS -> part. With
 * BASE_PCG_ANEW 0, or with a guess u -> x, and with D eps -> scale; else x, less its mean, -> x. */
void psg_cpu_pcg_start(const base_pcg_task *t);
/** r.solution -> part. */
void psg_cpu_pcg_dot(const base_pcg_task *t);
/** If there is x, x + alpha p -> x. Then solution + beta p -> p, low, high; without scalars
 *  solution, and without solution x -> p, low, high. */
void psg_cpu_pcg_direction(const base_pcg_task *t);
/** A p -> q, with below and above; p.q -> part. */
void psg_cpu_pcg_apply(const base_pcg_task *t);
/** r - alpha q, less its mean at first, -> r, and source if there is one; r.r -> part. If there is
 *  x, x + alpha p -> x. */
void psg_cpu_pcg_update(const base_pcg_task *t);
/** x, without its scale, times the factor -> u. */
void psg_cpu_pcg_end(const base_pcg_task *t);

/** The sum of a power of two of numbers, which are lost, in halves. */
static inline double psg_cpu_add_halves(double *value, size_t count) {
    for (size_t half = count / 2; half > 0; half /= 2) {
        for (size_t m = 0; m < half; m++) {
            value[m] += value[m + half];
        }
    }
    return value[0];
}

/** Sums of segments -> lanes, [base_pcg_measures()][BASE_PCG_SUM_LANES], which number 0 begins
 * anew. */
void psg_cpu_pcg_join(const base_pcg_pieces *pieces, double *lanes);
/** All sums, from the lanes -> scalars. @param[out] report  a copy of the scalars; NULL: not
 * wanted */
void psg_cpu_pcg_next(base_pcg_stage stage, double *lanes, const base_pcg_terms *terms,
                      double *scalars, double *report);

#endif
