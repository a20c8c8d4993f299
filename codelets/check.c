#include "codelets/check.h"

#include <math.h>

void psg_check_plane(psg_run *run, size_t segment, size_t k, const void *plane,
                     const void *spectrum) {
    const psg_context *context = run->context;
    const size_t nx = context->n[0];
    const size_t points = nx * context->n[1];
    if (!isfinite(context->cpu->first(spectrum))) {
        const size_t m = context->cpu->find_nonfinite(plane, points);
        if (m < points) {
            psg_run_fail(run, PSG_FAULT_NONFINITE, "f is NaN or Inf at (i,j,k) = (%zu,%zu,%zu)",
                         m % nx, m / nx, k);
        } else {
            psg_run_fail(
                run, PSG_FAULT_NONFINITE,
                "f is finite, but too large for its precision: the sum of plane k = %zu overflows",
                k);
        }
        return;
    }
    if (run->max_abs != NULL) {
        run->max_abs[segment] = fmax(run->max_abs[segment], context->cpu->max_abs(plane, points));
    }
}

void psg_check_sum(psg_run *run, double sum) {
    const psg_context *context = run->context;
    run->sum = sum;
    if (!isfinite(sum)) {
        psg_run_fail(run, PSG_FAULT_NONFINITE,
                     "f is finite, but too large for its precision: its sum overflows");
        return;
    }
    if (run->max_abs == NULL) {
        return;
    }
    double largest = 0;
    for (size_t s = 0; s < context->segments; s++) {
        largest = fmax(largest, run->max_abs[s]);
    }
    const double mean =
        sum / ((double)context->n[0] * (double)context->n[1] * (double)context->n[2]);
    if (fabs(mean) > context->mean_tolerance * largest) {
        psg_run_fail(
            run, PSG_FAULT_MEAN,
            "f has the mean %.6g, and a periodic box has no solution for it: more than %.3g of "
            "max|f| = %.6g",
            mean, context->mean_tolerance, largest);
    }
}
