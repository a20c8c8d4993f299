#include "cpu/transpose.h"

#include "base/tuning.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A cache line's bytes. */
enum { LINE = 64 };

/* Axis of the input that becomes axis 0, 1, 2 of the output. */
static const int axis_of[PSG_PERMUTATION_COUNT][3] = {
    [PSG_XYZ] = {0, 1, 2}, [PSG_YXZ] = {1, 0, 2}, [PSG_ZYX] = {2, 1, 0},
    [PSG_XZY] = {0, 2, 1}, [PSG_YZX] = {1, 2, 0}, [PSG_ZXY] = {2, 0, 1},
};

/* Axes are those of the input. Strides are in bytes, from an element to the next one along the axis.
 * The work is done tile by tile. */
typedef struct transposition {
    size_t bytes; /* of an element */
    size_t n[3], in_stride[3], out_stride[3];
    const char *in;
    char *out;
    int fast;       /* the axis along which the output runs */
    bool streams;   /* the output goes past the caches, in whole lines where it is turned */
    size_t side[3]; /* of a tile */
    int order[3];   /* in which tiles follow one another: the innermost axis first */
} transposition;

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Where a tile begins. */
typedef struct walk {
    size_t at[3];
    bool goes_on;
} walk;

static walk walk_start(const transposition *it) {
    return (walk){.goes_on = it->n[0] > 0 && it->n[1] > 0 && it->n[2] > 0};
}

static void walk_next(const transposition *it, walk *w) {
    for (int q = 0; q < 3; q++) {
        const int axis = it->order[q];
        w->at[axis] += it->side[axis];
        if (w->at[axis] < it->n[axis]) {
            return;
        }
        w->at[axis] = 0;
    }
    w->goes_on = false;
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

/* Where one side has fewer elements than the narrowest vector. */
static void turn_single(const transposition *it) {
    const int f = it->fast;
    for (walk w = walk_start(it); w.goes_on; walk_next(it, &w)) {
        const size_t end_x = least(w.at[0] + it->side[0], it->n[0]);
        const size_t end_f = least(w.at[f] + it->side[f], it->n[f]);
        const char *in = it->in + w.at[3 - f] * it->in_stride[3 - f];
        char *out = it->out + w.at[3 - f] * it->out_stride[3 - f];
        for (size_t i = w.at[0]; i < end_x; i++) {
            for (size_t m = w.at[f]; m < end_f; m++) {
                memcpy(out + i * it->out_stride[0] + m * it->bytes,
                       in + i * it->bytes + m * it->in_stride[f], it->bytes);
            }
        }
    }
}

/* By the widest vectors that the machine has and that both sides fill. */
static void transpose(const transposition *it) {
    const bool turns = it->fast != 0;
    const size_t run = (turns ? least(it->n[0], it->n[it->fast]) : it->n[0]) * it->bytes;
#if defined(__x86_64__)
    if (run >= 64 && __builtin_cpu_supports("avx512f")) {
        (turns ? turn_64 : copy_64)(it);
        return;
    }
    if (run >= 32 && __builtin_cpu_supports("avx2")) {
        (turns ? turn_32 : copy_32)(it);
        return;
    }
#endif
    (!turns ? copy_16 : run >= 16 ? turn_16 : turn_single)(it);
}

/* Rows that follow one another without a gap on both sides are one row. */
static void join_rows(transposition *it) {
    for (int q = 1; q < 3; q++) {
        const size_t row = it->n[0] * it->bytes;
        if (it->n[q] == 1 || (it->in_stride[q] == row && it->out_stride[q] == row)) {
            it->n[0] *= it->n[q];
            it->n[q] = 1;
        }
    }
}

/* Can all of the output be written as whole lines? */
static bool has_whole_lines(const transposition *it) {
    const size_t row = it->n[it->fast] * it->bytes;
    const size_t to_next = it->out_stride[0] | it->out_stride[3 - it->fast];
    return ((uintptr_t)it->out | row | to_next) % LINE == 0;
}

/* Tiles follow one another as the output lies in memory, or as the input does where the output goes past the
 * caches: then it is reading that takes time. Axes of one element do not count. */
static void choose_order(transposition *it) {
    const size_t *stride = it->streams ? it->in_stride : it->out_stride;
    size_t far[3];
    for (int q = 0; q < 3; q++) {
        far[q] = it->n[q] == 1 ? SIZE_MAX : stride[q];
    }
    for (int q = 0; q < 3; q++) {
        int place = 0;
        for (int other = 0; other < 3; other++) {
            place += far[other] < far[q] || (other < q && far[other] == far[q]);
        }
        it->order[place] = q;
    }
}

/* Rows that are far apart share few sets of a cache: a tile has few of those, and is long along
 * them. Of whole rows it has all that lie along one axis. */
static void choose_sides(transposition *it, bool large) {
    enum { SHORT = LINE, EVEN = 2 * LINE, EVEN_LARGE = 4 * LINE, LONG = 8 * LINE, FAR = 4 };
    const int f = it->fast;
    const size_t in = it->in_stride[f];
    const size_t out = it->out_stride[0];
    it->side[0] = it->side[1] = it->side[2] = 1;
    if (f == 0) {
        it->side[0] = it->n[0];
        it->side[it->order[0] != 0 ? it->order[0] : it->order[1]] = SIZE_MAX / 2;
    } else if (!it->streams && in >= FAR * out) {
        it->side[0] = LONG / it->bytes;
        it->side[f] = SHORT / it->bytes;
    } else if (!it->streams && out >= FAR * in) {
        it->side[0] = SHORT / it->bytes;
        it->side[f] = LONG / it->bytes;
    } else {
        it->side[0] = it->side[f] = (large ? EVEN_LARGE : EVEN) / it->bytes;
    }
}

void psg_cpu_transpose(size_t bytes, psg_permutation permutation, const size_t n[3], const void *in,
                       psg_pitch in_pitch, void *out, psg_pitch out_pitch) {
    const int *axis = axis_of[permutation];
    const size_t out_pitches[3] = {bytes, out_pitch.row * bytes, out_pitch.plane * bytes};
    transposition it = {
        .bytes = bytes,
        .n = {n[0], n[1], n[2]},
        .in_stride = {bytes, in_pitch.row * bytes, in_pitch.plane * bytes},
        .in = in,
        .out = out,
        .fast = axis[0],
    };
    for (int q = 0; q < 3; q++) {
        it.out_stride[axis[q]] = out_pitches[q];
    }
    const bool large = n[0] * n[1] * n[2] * bytes >= TUNING_CPU_STREAM_BYTES;
    if (it.fast == 0) {
        join_rows(&it);
        it.streams = large && it.n[0] * bytes >= 2 * (size_t)LINE;
    } else {
        it.streams = large && has_whole_lines(&it);
    }
    choose_order(&it);
    choose_sides(&it, large);
    transpose(&it);
#if defined(__x86_64__)
    if (it.streams) {
        __builtin_ia32_sfence(); /* such stores are in no order with others */
    }
#endif
}
