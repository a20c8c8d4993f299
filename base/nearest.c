#include "base/nearest.h"

#include <stdbool.h>
#include <string.h>

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

size_t base_edit_distance(const char *a, const char *b) {
    enum { LONGEST = 63 };
    /* rows i-2, i-1 and i of the table of distances between the first i letters of a and the
     * first j of b; row i-2 is there for swapped neighbours */
    size_t row[3][LONGEST + 1];
    const size_t na = strlen(a) < LONGEST ? strlen(a) : LONGEST;
    const size_t nb = strlen(b) < LONGEST ? strlen(b) : LONGEST;
    for (size_t j = 0; j <= nb; j++) {
        row[0][j] = j;
    }
    for (size_t i = 1; i <= na; i++) {
        size_t *now = row[i % 3];
        const size_t *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            now[j] =
                smaller(smaller(last[j], now[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                now[j] = smaller(now[j], before[j - 2] + 1);
            }
        }
    }
    return row[na % 3][nb];
}

const char *base_nearest(const char *word, const char *const *words) {
    const char *nearest = NULL;
    size_t least = 2 + strlen(word) / 4;
    for (; *words != NULL; words++) {
        const size_t length = strlen(*words);
        const bool begins =
            length > 1 && 3 * length >= strlen(word) && strncmp(word, *words, length) == 0;
        const size_t distance = begins ? 1 : base_edit_distance(word, *words);
        if (distance < least) {
            least = distance;
            nearest = *words;
        }
    }
    return nearest;
}
