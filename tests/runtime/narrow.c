/* Numbers with fewer bytes: the nearest ones, and of two as near the even one; what has few bits,
 * infinity and NaN stay what they are; any count, in the memory of the wide ones. */
#include "base/narrow.h"
#include "tests/check.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1000 };

/* By arithmetic, where the number and its neighbours are normal. */
static double nearest(double x, size_t bytes) {
    const int digits = bytes == 4 ? 24 : 8 * (int)bytes - 11;
    int exponent = 0;
    const double fraction = frexp(x, &exponent);
    return ldexp(nearbyint(ldexp(fraction, digits)), exponent - digits);
}

static void there_and_back(double *x, size_t count, size_t bytes) {
    base_narrow(x, count, bytes);
    memmove((char *)x + count * (sizeof *x - bytes), x, count * bytes);
    base_widen(x, count, bytes);
}

static void random_numbers(size_t count, size_t bytes) {
    double x[MOST + 1], was[MOST];
    for (size_t m = 0; m < count; ++m) {
        const double sign = rand() % 2 ? 1 : -1, place = rand() % 60 - 30;
        was[m] = x[m] = sign * (1 + rand() / (double)RAND_MAX) * exp2(place);
    }
    x[count] = 77;
    there_and_back(x, count, bytes);
    for (size_t m = 0; m < count; ++m) {
        CHECK(x[m] == nearest(was[m], bytes), "%zu numbers, %zu bytes: %a became %a, and not %a",
              count, bytes, was[m], x[m], nearest(was[m], bytes));
    }
    CHECK(x[count] == 77, "%zu numbers, %zu bytes: what is after them is %g", count, bytes,
          x[count]);
}

static void special_numbers(size_t bytes) {
    const double ulp = bytes == 4 ? 0x1p-23 : ldexp(1, 12 - 8 * (int)bytes);
    const double ties[][2] = {
        {1 + ulp / 2, 1}, {1 + 1.5 * ulp, 1 + 2 * ulp}, {2 - ulp / 4, 2}, {-1 - ulp / 2, -1}};
    const double same[] = {0, 1, -3.5, INFINITY, -INFINITY, 1 + ulp};
    for (size_t m = 0; m < sizeof ties / sizeof *ties; ++m) {
        double x = ties[m][0];
        there_and_back(&x, 1, bytes);
        CHECK(x == ties[m][1], "%zu bytes: %a became %a", bytes, ties[m][0], x);
    }
    for (size_t m = 0; m < sizeof same / sizeof *same; ++m) {
        double x = same[m];
        there_and_back(&x, 1, bytes);
        CHECK(x == same[m], "%zu bytes: %a became %a", bytes, same[m], x);
    }
    double x = -0.0;
    there_and_back(&x, 1, bytes);
    CHECK(x == 0 && signbit(x), "%zu bytes: -0 became %a", bytes, x);
    uint64_t bits = UINT64_C(0x7fffffffffffffff); /* a NaN, which one more bit makes -0 */
    memcpy(&x, &bits, sizeof x);
    there_and_back(&x, 1, bytes);
    CHECK(isnan(x), "%zu bytes: NaN became %g", bytes, x);
    x = DBL_MAX;
    there_and_back(&x, 1, bytes);
    CHECK(isinf(x), "%zu bytes: DBL_MAX became %g", bytes, x);
}

int main(void) {
    static const size_t counts[] = {0, 1, 2, 63, 64, 65, 127, 128, 129, MOST};
    for (size_t bytes = 4; bytes <= 6; ++bytes) {
        for (size_t m = 0; m < sizeof counts / sizeof *counts; ++m) {
            random_numbers(counts[m], bytes);
        }
        special_numbers(bytes);
    }
    return check_result();
}
