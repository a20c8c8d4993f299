/** @file median.h  What stands where in a list of numbers. */
#ifndef PSG_BASE_MEDIAN_H
#define PSG_BASE_MEDIAN_H

#include <stddef.h>

/** Sort numbers, the least first. NaN, which is not known, comes last. */
void base_sort(double *numbers, size_t count);

/** Of sorted numbers the one in the middle, or between the two there. */
double base_median(const double *sorted, size_t count);

#endif
