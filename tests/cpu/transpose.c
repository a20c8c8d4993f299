/* Every element of every permutation, element size and pitch must arrive exactly where it belongs. */
#include "cpu/transpose.h"

#include "tests/check.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const int axis_of[PSG_PERMUTATION_COUNT][3] = {{0, 1, 2}, {1, 0, 2}, {2, 1, 0},
                                                      {0, 2, 1}, {1, 2, 0}, {2, 0, 1}};

/* A value that says where it came from, repeated to fill an element. */
static void put(char *array, size_t bytes, size_t at, uint32_t value) {
    for (size_t b = 0; b < bytes; b += sizeof value) {
        memcpy(array + at * bytes + b, &value, sizeof value);
    }
}

static bool holds(const char *array, size_t bytes, size_t at, uint32_t value) {
    for (size_t b = 0; b < bytes; b += sizeof value) {
        if (memcmp(array + at * bytes + b, &value, sizeof value) != 0) {
            return false;
        }
    }
    return true;
}

/* `gap` elements more than needed between rows, `gap` rows more between planes. */
static void check_one(size_t bytes, int permutation, const size_t n[3], size_t gap) {
    const int *axis = axis_of[permutation];
    const size_t m[3] = {n[axis[0]], n[axis[1]], n[axis[2]]};
    const psg_pitch in_pitch = {n[0] + gap, (n[0] + gap) * (n[1] + gap)};
    const psg_pitch out_pitch = {m[0] + gap, (m[0] + gap) * (m[1] + gap)};
    const size_t in_count = in_pitch.plane * n[2] + 1;
    const size_t out_count = out_pitch.plane * m[2] + 1;
    char *in = malloc(in_count * bytes);
    char *out = malloc(out_count * bytes);
    if (in == NULL || out == NULL) {
        CHECK(false, "no memory");
        free(in);
        free(out);
        return;
    }
    for (size_t e = 0; e < in_count; e++) {
        put(in, bytes, e, (uint32_t)e);
    }
    memset(out, 0xff, out_count * bytes);
    psg_cpu_transpose(bytes, (psg_permutation)permutation, n, in, in_pitch, out, out_pitch);
    size_t wrong = 0;
    for (size_t c = 0; c < m[2] + 1; c++) {
        for (size_t b = 0; b < (c < m[2] ? m[1] + gap : 0); b++) {
            for (size_t a = 0; a < m[0] + gap; a++) {
                size_t from[3];
                from[axis[0]] = a;
                from[axis[1]] = b;
                from[axis[2]] = c;
                const size_t at = a + b * out_pitch.row + c * out_pitch.plane;
                const bool inside = a < m[0] && b < m[1];
                const size_t source = from[0] + from[1] * in_pitch.row + from[2] * in_pitch.plane;
                wrong += !holds(out, bytes, at, inside ? (uint32_t)source : UINT32_MAX);
            }
        }
    }
    CHECK(wrong == 0, "%zu elements of %zu bytes wrong, permutation %d of %zu x %zu x %zu, gap %zu",
          wrong, bytes, permutation, n[0], n[1], n[2], gap);
    free(in);
    free(out);
}

int main(void) {
    static const size_t sizes[][3] = {{9, 10, 11}, {1, 7, 5},   {7, 1, 5},   {7, 5, 1},
                                      {1, 1, 1},   {33, 18, 2}, {17, 65, 3}, {16, 16, 16},
                                      {64, 3, 70}, {5, 0, 3}};
    for (size_t bytes = 4; bytes <= 16; bytes *= 2) {
        for (int p = 0; p < PSG_PERMUTATION_COUNT; p++) {
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                check_one(bytes, p, sizes[s], 0);
                check_one(bytes, p, sizes[s], 3);
            }
        }
    }
    return check_result();
}
