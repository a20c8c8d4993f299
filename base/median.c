#include "base/median.h"

#include <math.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return isnan(x) || isnan(y) ? (isnan(x) != 0) - (isnan(y) != 0) : (x > y) - (x < y);
}

void base_sort(double *numbers, size_t count) {
    qsort(numbers, count, sizeof *numbers, by_size);
}

double base_median(const double *sorted, size_t count) {
    return 0.5 * (sorted[count / 2] + sorted[(count - 1) / 2]);
}
