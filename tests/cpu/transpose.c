/* Every element of a copy or a transpose, of every size and pitch, must arrive exactly where it belongs. */
#include "cpu/transpose.h"

#include "base/tuning.h"
#include "tests/check.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

/* Elements between the rows of the input and of the output; bytes from a cache line to the arrays. */
typedef struct place {
    size_t in_gap, out_gap, shift;
} place;

static void check_one(size_t bytes, bool turns, const size_t n[2], place at) {
    const size_t m[2] = {n[turns ? 1 : 0], n[turns ? 0 : 1]};
    const size_t in_pitch = n[0] + at.in_gap, out_pitch = m[0] + at.out_gap;
    const size_t in_count = in_pitch * n[1], out_count = out_pitch * m[1];
    const size_t out_bytes = LINE + at.shift + out_count * bytes + LINE;
    void *in_memory = NULL, *out_memory = NULL;
    if (posix_memalign(&in_memory, LINE, at.shift + in_count * bytes + 1) != 0 ||
        posix_memalign(&out_memory, LINE, out_bytes) != 0) {
        CHECK(false, "no memory");
        free(in_memory);
        return;
    }
    char *in = (char *)in_memory + at.shift;
    char *out = (char *)out_memory + LINE + at.shift;
    for (size_t e = 0; e < in_count; e++) {
        put(in, bytes, e, (uint32_t)e);
    }
    memset(out_memory, 0xff, out_bytes);
    psg_cpu_transpose(bytes, turns, n, in, in_pitch, out, out_pitch);
    size_t wrong = count_spoilt(out_memory, out) +
                   count_spoilt(out + out_count * bytes, (char *)out_memory + out_bytes);
    for (size_t b = 0; b < m[1]; b++) {
        for (size_t a = 0; a < out_pitch; a++) {
            const size_t source = turns ? b + a * in_pitch : a + b * in_pitch;
            wrong += !holds(out, bytes, a + b * out_pitch, a < m[0] ? (uint32_t)source : NONE);
        }
    }
    CHECK(wrong == 0,
          "%zu elements of %zu bytes wrong, %s of %zu x %zu, gaps %zu and %zu, shift %zu", wrong,
          bytes, turns ? "transpose" : "copy", n[0], n[1], at.in_gap, at.out_gap, at.shift);
    free(in_memory);
    free(out_memory);
}

/* Sizes around vectors, cache lines and tiles. */
static void check_small(size_t bytes, bool turns) {
    static const size_t sizes[] = {0,  1,  2,  3,  4,  5,  7,  8,  9,  11, 12,  13,  15,  16, 17,
                                   18, 24, 31, 32, 33, 34, 48, 63, 64, 65, 100, 127, 128, 129};
    static const place places[] = {{0, 0, 0}, {3, 0, 4}, {0, 3, 8}, {3, 5, 0}, {0, 0, 12}};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    for (size_t s = 0; s < (size_t)SIZES * SIZES; s++) {
        const size_t n[2] = {sizes[s % SIZES], sizes[s / SIZES]};
        for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
            check_one(bytes, turns, n, places[p]);
        }
    }
}

/* Where the rows of one side are far apart, or rows are long. */
static void check_far(size_t bytes, bool turns) {
    static const size_t sizes[][2] = {{100, 100}, {128, 128}, {131, 67}, {300, 18}, {18, 300},
                                      {9000, 1},  {1, 900},   {3000, 2}, {2, 900},  {700, 5}};
    static const place places[] = {{0, 0, 0}, {3, 3, 0}, {600, 0, 0}, {0, 600, 8}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
            check_one(bytes, turns, sizes[s], places[p]);
        }
    }
}

/* Outputs that may go past the caches: in whole lines or not, with long rows and short ones. */
static void check_large(size_t bytes, bool turns) {
    static const size_t sizes[][2] = {{1024, 1040}, {1009, 1056}, {1056, 1009},
                                      {1031, 1033}, {8, 144000},  {144000, 8},
                                      {3, 350400},  {350400, 3},  {20, 52800}};
    static const place places[] = {{0, 0, 0},  {0, 0, 16},  {0, 1, 0},
                                   {0, 15, 0}, {16, 16, 0}, {16, 16, 4}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        CHECK(sizes[s][0] * sizes[s][1] * bytes >= TUNING_CPU_STREAM_BYTES, "%zu x %zu is small",
              sizes[s][0], sizes[s][1]);
        for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
            check_one(bytes, turns, sizes[s], places[p]);
        }
    }
}

int main(void) {
    for (size_t bytes = 4; bytes <= 16; bytes *= 2) {
        for (int turns = 0; turns < 2; turns++) {
            check_small(bytes, turns);
            check_far(bytes, turns);
            check_large(bytes, turns);
        }
    }
    return check_result();
}
