#include "cpu/transpose.h"

#include <string.h>

/* A tile's rows and columns: 16 x 16 elements of 16 bytes are 4 KB on each side, half a
 * first-level cache. */
enum { TILE = 16 };

/* Axis of the input that becomes axis 0, 1, 2 of the output. */
static const int axis_of[PSG_PERMUTATION_COUNT][3] = {
    [PSG_XYZ] = {0, 1, 2}, [PSG_YXZ] = {1, 0, 2}, [PSG_ZYX] = {2, 1, 0},
    [PSG_XZY] = {0, 2, 1}, [PSG_YZX] = {1, 2, 0}, [PSG_ZXY] = {2, 0, 1},
};

/* out[a * out_a + b] = in[a + b * in_b] for a < na, b < nb: the input runs along a, the output
 * along b. `bytes` is a constant wherever this is inlined, so that the copy of an element is one
 * move. */
static inline __attribute__((always_inline)) void transpose_plane(size_t bytes, size_t na,
                                                                  size_t nb, const char *in,
                                                                  size_t in_b, char *out,
                                                                  size_t out_a) {
    for (size_t b0 = 0; b0 < nb; b0 += TILE) {
        const size_t b1 = b0 + TILE < nb ? b0 + TILE : nb;
        for (size_t a0 = 0; a0 < na; a0 += TILE) {
            const size_t a1 = a0 + TILE < na ? a0 + TILE : na;
            for (size_t a = a0; a < a1; a++) {
                for (size_t b = b0; b < b1; b++) {
                    memcpy(out + (a * out_a + b) * bytes, in + (a + b * in_b) * bytes, bytes);
                }
            }
        }
    }
}

static void plane_4(size_t na, size_t nb, const char *in, size_t in_b, char *out, size_t out_a) {
    transpose_plane(4, na, nb, in, in_b, out, out_a);
}

static void plane_8(size_t na, size_t nb, const char *in, size_t in_b, char *out, size_t out_a) {
    transpose_plane(8, na, nb, in, in_b, out, out_a);
}

static void plane_16(size_t na, size_t nb, const char *in, size_t in_b, char *out, size_t out_a) {
    transpose_plane(16, na, nb, in, in_b, out, out_a);
}

void psg_cpu_transpose(size_t bytes, psg_permutation permutation, const size_t n[3], const void *in,
                       psg_pitch in_pitch, void *out, psg_pitch out_pitch) {
    const int *axis = axis_of[permutation];
    const size_t in_stride[3] = {1, in_pitch.row, in_pitch.plane};
    const size_t out_pitches[3] = {1, out_pitch.row, out_pitch.plane};
    size_t out_stride[3]; /* by axis of the input */
    for (int q = 0; q < 3; q++) {
        out_stride[axis[q]] = out_pitches[q];
    }
    const char *from = in;
    char *to = out;

    if (axis[0] == 0) { /* x stays the fastest: rows are copied whole */
        for (size_t c = 0; c < n[2]; c++) {
            for (size_t b = 0; b < n[1]; b++) {
                memcpy(to + (b * out_stride[1] + c * out_stride[2]) * bytes,
                       from + (b * in_stride[1] + c * in_stride[2]) * bytes, n[0] * bytes);
            }
        }
        return;
    }
    /* Planes of x and of the axis that becomes the fastest; one per step along the third. */
    const int fast = axis[0];
    const int third = 3 - fast;
    for (size_t c = 0; c < n[third]; c++) {
        const char *plane_in = from + c * in_stride[third] * bytes;
        char *plane_out = to + c * out_stride[third] * bytes;
        const size_t in_b = in_stride[fast];
        const size_t out_a = out_stride[0];
        if (bytes == 16) {
            plane_16(n[0], n[fast], plane_in, in_b, plane_out, out_a);
        } else if (bytes == 8) {
            plane_8(n[0], n[fast], plane_in, in_b, plane_out, out_a);
        } else {
            plane_4(n[0], n[fast], plane_in, in_b, plane_out, out_a);
        }
    }
}
