#include "base/narrow.h"

#include <stdint.h>
#include <string.h>

/* So many numbers at a time are copied out of the memory, so that those that are written and those
 * that are read never are the same. */
enum { SOME = 64, WIDE = 8, FLOAT = 4 };

/* To the nearest double whose last bits are 0, and of two such to the even one. What has no finite
 * exponent loses bits alone: a NaN has the first bit of its fraction, which stays. */
static uint64_t rounded(uint64_t bits, unsigned lost) {
    const uint64_t infinite = UINT64_C(0x7ff) << 52, half = (UINT64_C(1) << (lost - 1)) - 1;
    const uint64_t odd = bits >> lost & 1;
    return (bits & infinite) == infinite ? bits : bits + half + odd;
}

void base_narrow(void *memory, size_t count, size_t bytes) {
    const unsigned lost = 8 * (unsigned)(WIDE - bytes);
    char *to = memory;
    const char *from = memory;
    for (size_t first = 0; first < count; first += SOME) {
        const size_t some = count - first < SOME ? count - first : SOME;
        uint64_t bits[SOME];
        double wide[SOME];
        float narrow[SOME];
        char packed[SOME * WIDE];
        memcpy(bits, from + first * WIDE, some * WIDE);
        memcpy(wide, bits, some * WIDE);
        for (size_t m = 0; m < some && bytes == FLOAT; m++) {
            narrow[m] = (float)wide[m];
        }
        for (size_t m = 0; m < some && bytes != FLOAT; m++) {
            const uint64_t kept = rounded(bits[m], lost) >> lost;
            memcpy(packed + m * bytes, &kept, WIDE);
        }
        memcpy(to + first * bytes, bytes == FLOAT ? (const char *)narrow : packed, some * bytes);
    }
}

void base_widen(void *memory, size_t count, size_t bytes) {
    const unsigned lost = 8 * (unsigned)(WIDE - bytes);
    char *to = memory;
    const char *from = to + count * (WIDE - bytes);
    for (size_t first = 0; first < count; first += SOME) {
        const size_t some = count - first < SOME ? count - first : SOME;
        uint64_t bits[SOME];
        double wide[SOME];
        float narrow[SOME];
        char packed[SOME * WIDE] = {0};
        memcpy(packed, from + first * bytes, some * bytes);
        memcpy(narrow, packed, sizeof narrow);
        for (size_t m = 0; m < some && bytes == FLOAT; m++) {
            wide[m] = (double)narrow[m];
        }
        for (size_t m = 0; m < some && bytes != FLOAT; m++) {
            memcpy(&bits[m], packed + m * bytes, WIDE);
            bits[m] <<= lost;
        }
        memcpy(to + first * WIDE, bytes == FLOAT ? (const void *)wide : bits, some * WIDE);
    }
}
