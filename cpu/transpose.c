#include "cpu/transpose.h"

#include "base/tuning.h"

#include <stdint.h>
#include <string.h>

/* A cache line's bytes. */
enum { LINE = 64 };

/* Axis 0 lies along the rows of the input, axis 1 across them. A transpose is done tile by tile. */
typedef struct transposition {
    size_t bytes; /* of an element */
    size_t n[2];
    size_t in_row, out_row; /* bytes from a row to the next */
    const char *in;
    char *out;
    bool turns;
    bool streams;   /* the output goes past the caches, in whole lines where it is turned */
    size_t side[2]; /* of a tile */
} transposition;

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif
#define VECTOR 16
#define TARGET
#include "cpu/transpose_vector.h"
#if defined(__x86_64__)
#define VECTOR 32
#define TARGET __attribute__((target("avx2")))
#include "cpu/transpose_vector.h"
#define VECTOR 64
#define TARGET __attribute__((target("avx512f")))
#include "cpu/transpose_vector.h"
#endif

/* Where one side has fewer elements than the narrowest vector: the innermost loop is along that
 * side. */
static void turn_single(const transposition *it) {
    const int inner = it->n[0] < it->n[1] ? 0 : 1;
    const size_t in_step[2] = {it->bytes, it->in_row};
    const size_t out_step[2] = {it->out_row, it->bytes};
    for (size_t i = 0; i < it->n[1 - inner]; i++) {
        const char *in = it->in + i * in_step[1 - inner];
        char *out = it->out + i * out_step[1 - inner];
        for (size_t m = 0; m < it->n[inner]; m++) {
            memcpy(out + m * out_step[inner], in + m * in_step[inner], it->bytes);
        }
    }
}

/* By the widest vectors that the machine has and that both sides fill. */
static void transpose(const transposition *it) {
    const size_t run = (it->turns ? least(it->n[0], it->n[1]) : it->n[0]) * it->bytes;
#if defined(__x86_64__)
    if (run >= 64 && __builtin_cpu_supports("avx512f")) {
        (it->turns ? turn_64 : copy_64)(it);
        return;
    }
    if (run >= 32 && __builtin_cpu_supports("avx2")) {
        (it->turns ? turn_32 : copy_32)(it);
        return;
    }
#endif
    (!it->turns ? copy_16 : run >= 16 ? turn_16 : turn_single)(it);
}

/* Can all of the transpose be written as whole lines? */
static bool has_whole_lines(const transposition *it) {
    return ((uintptr_t)it->out | it->n[1] * it->bytes | it->out_row) % LINE == 0;
}

/* Rows that are far apart share few sets of a cache: a tile has few of those, and is long along
 * them. */
static void choose_sides(transposition *it, bool large) {
    enum { SHORT = LINE, EVEN = 2 * LINE, EVEN_LARGE = 4 * LINE, LONG = 8 * LINE, FAR = 4 };
    size_t x = large ? EVEN_LARGE : EVEN, y = x;
    if (!it->streams && it->in_row >= FAR * it->out_row) {
        x = LONG;
        y = SHORT;
    } else if (!it->streams && it->out_row >= FAR * it->in_row) {
        x = SHORT;
        y = LONG;
    }
    it->side[0] = x / it->bytes;
    it->side[1] = y / it->bytes;
}

void psg_cpu_transpose(size_t bytes, bool turns, const size_t n[2], const void *in, size_t in_pitch,
                       void *out, size_t out_pitch) {
    transposition it = {
        .bytes = bytes,
        .n = {n[0], n[1]},
        .in_row = in_pitch * bytes,
        .out_row = out_pitch * bytes,
        .in = in,
        .out = out,
        .turns = turns,
    };
    const bool large = n[0] * n[1] * bytes >= TUNING_CPU_STREAM_BYTES;
    if (turns) {
        it.streams = large && has_whole_lines(&it);
        choose_sides(&it, large);
    } else {
        if (in_pitch == n[0] && out_pitch == n[0]) { /* rows without gaps are one row */
            it.n[0] *= n[1];
            it.n[1] = 1;
        }
        it.streams = large && it.n[0] * bytes >= 2 * (size_t)LINE;
    }
    transpose(&it);
#if defined(__x86_64__)
    if (it.streams) {
        __builtin_ia32_sfence(); /* such stores are in no order with others */
    }
#endif
}
