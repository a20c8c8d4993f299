/* Every element of every permutation, element size and pitch must arrive exactly where it belongs. */
#include "cpu/transpose.h"

#include "tests/check.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const int axis_of[PSG_PERMUTATION_COUNT][3] = {{0, 1, 2}, {1, 0, 2}, {2, 1, 0},
                                                      {0, 2, 1}, {1, 2, 0}, {2, 0, 1}};

/* Nothing was written here. */
#define NONE UINT32_MAX

/* Word w of an element that says where it came from; all words of an element differ. */
static uint32_t word_of(uint32_t value, size_t w) {
    return value == NONE ? NONE : value | (uint32_t)w << 28;
}

static void put(char *array, size_t bytes, size_t at, uint32_t value) {
    for (size_t b = 0; b < bytes; b += sizeof value) {
        const uint32_t word = word_of(value, b / sizeof value);
        memcpy(array + at * bytes + b, &word, sizeof word);
    }
}

static bool holds(const char *array, size_t bytes, size_t at, uint32_t value) {
    for (size_t b = 0; b < bytes; b += sizeof value) {
        const uint32_t word = word_of(value, b / sizeof value);
        if (memcmp(array + at * bytes + b, &word, sizeof word) != 0) {
            return false;
        }
    }
    return true;
}

/* A cache line: bytes before and after the output that must stay as they are. */
enum { LINE = 64 };

static size_t count_spoilt(const char *from, const char *to) {
    size_t spoilt = 0;
    for (; from < to; from++) {
        spoilt += *from != (char)0xff;
    }
    return spoilt;
}

/* in_gap elements more than needed between rows of the input and as many rows more between its
 * planes, out_gap in the output; arrays that begin `shift` bytes after a cache line. */
static void check_one(size_t bytes, int permutation, const size_t n[3], size_t in_gap,
                      size_t out_gap, size_t shift) {
    const int *axis = axis_of[permutation];
    const size_t m[3] = {n[axis[0]], n[axis[1]], n[axis[2]]};
    const psg_pitch in_pitch = {n[0] + in_gap, (n[0] + in_gap) * (n[1] + in_gap)};
    const psg_pitch out_pitch = {m[0] + out_gap, (m[0] + out_gap) * (m[1] + out_gap)};
    const size_t in_count = in_pitch.plane * n[2];
    const size_t out_count = out_pitch.plane * m[2];
    char *in_memory = malloc(shift + in_count * bytes + 1);
    void *out_memory = NULL;
    const size_t out_bytes = LINE + shift + out_count * bytes + LINE;
    if (in_memory == NULL || posix_memalign(&out_memory, LINE, out_bytes) != 0) {
        CHECK(false, "no memory");
        free(in_memory);
        return;
    }
    char *in = in_memory + shift;
    char *out = (char *)out_memory + LINE + shift;
    for (size_t e = 0; e < in_count; e++) {
        put(in, bytes, e, (uint32_t)e);
    }
    memset(out_memory, 0xff, out_bytes);
    psg_cpu_transpose(bytes, (psg_permutation)permutation, n, in, in_pitch, out, out_pitch);
    size_t wrong = count_spoilt(out_memory, out) +
                   count_spoilt(out + out_count * bytes, (char *)out_memory + out_bytes);
    for (size_t c = 0; c < m[2]; c++) {
        for (size_t b = 0; b < m[1] + out_gap; b++) {
            for (size_t a = 0; a < m[0] + out_gap; a++) {
                size_t from[3];
                from[axis[0]] = a;
                from[axis[1]] = b;
                from[axis[2]] = c;
                const size_t at = a + b * out_pitch.row + c * out_pitch.plane;
                const bool inside = a < m[0] && b < m[1];
                const size_t source = from[0] + from[1] * in_pitch.row + from[2] * in_pitch.plane;
                wrong += !holds(out, bytes, at, inside ? (uint32_t)source : NONE);
            }
        }
    }
    CHECK(wrong == 0,
          "%zu elements of %zu bytes wrong, permutation %d of %zu x %zu x %zu, gaps %zu and %zu, "
          "shift %zu",
          wrong, bytes, permutation, n[0], n[1], n[2], in_gap, out_gap, shift);
    free(in_memory);
    free(out_memory);
}

/* All sizes around a block in registers, of every width of vectors. */
static void check_small(size_t bytes, int permutation) {
    enum { MOST = 17 };
    size_t n[3];
    for (n[0] = 1; n[0] <= MOST; n[0]++) {
        for (n[1] = 1; n[1] <= MOST; n[1]++) {
            for (n[2] = 1; n[2] <= MOST; n[2]++) {
                check_one(bytes, permutation, n, (n[0] + n[2]) % 2 * 3, (n[1] + n[2]) % 2 * 3,
                          (n[0] + 2 * n[1]) % 3 * 4);
            }
        }
    }
}

int main(void) {
    static const size_t sizes[][3] = {
        {9, 10, 11},  {1, 7, 5},   {7, 1, 5}, {7, 5, 1},   {1, 1, 1},   {33, 18, 2},  {17, 65, 3},
        {16, 16, 16}, {64, 3, 70}, {5, 0, 3}, {300, 2, 9}, {2, 300, 9}, {131, 1, 67}, {40, 130, 3}};
    /* Outputs that may go past the caches: in whole lines or not, with long rows and short ones. */
    static const size_t large[][3] = {
        {128, 64, 144}, {127, 128, 80}, {80, 127, 128}, {101, 103, 107}, {8, 160, 900}};
    for (size_t bytes = 4; bytes <= 16; bytes *= 2) {
        for (int p = 0; p < PSG_PERMUTATION_COUNT; p++) {
            check_small(bytes, p);
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                check_one(bytes, p, sizes[s], 0, 0, 0);
                check_one(bytes, p, sizes[s], 3, 3, 0);
            }
            for (size_t s = 0; s < sizeof large / sizeof *large; s++) {
                check_one(bytes, p, large[s], 0, 0, 0);
                check_one(bytes, p, large[s], 0, 0, 16);
                check_one(bytes, p, large[s], 0, 1, 0);
                check_one(bytes, p, large[s], 16, 16, 4);
            }
        }
    }
    return check_result();
}
