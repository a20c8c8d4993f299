#include "cpu/internal.h"

/* What flows out of a row of cells along y and z. The sum of the differences of a flow in f32 has
 * digits that f32 has no room for. */
static PSG_CLONES void across(const psg_real *const v[2], const psg_real *const before[2],
                              size_t count, const double by[2], double *out) {
    for (size_t i = 0; i < count; i++) {
        out[i] =
            by[0] * ((double)v[0][i] - before[0][i]) + by[1] * ((double)v[1][i] - before[1][i]);
    }
}

static PSG_CLONES void along(const psg_real *v, size_t count, double by, const double *out,
                             psg_real *result) {
    for (size_t i = 0; i < count; i++) {
        result[i] = (psg_real)(by * ((double)v[i] - v[i - 1]) + out[i]);
    }
}

enum { PIECE = 256 }; /* cells of a row, of which the first-level cache has all numbers */

void psg_cpu_divergence(const psg_cpu_flow *flow, const size_t n[2], void *result) {
    static const psg_real still[PIECE] = {0};
    psg_real *to = result;
    for (size_t j = 0; j < n[1]; j++, to += n[0]) {
        const size_t last = j > 0 ? j - 1 : n[1] - 1;
        const psg_real *x = (const psg_real *)flow->v[0] + j * flow->row_pitch[0];
        const psg_real *y = (const psg_real *)flow->v[1] + j * flow->row_pitch[1];
        const psg_real *z = (const psg_real *)flow->v[2] + j * flow->row_pitch[2];
        const psg_real *front = (const psg_real *)flow->v[1] + last * flow->row_pitch[1];
        const psg_real *below = (const psg_real *)flow->below + j * flow->below_pitch;
        for (size_t i = 0; i < n[0]; i += PIECE) {
            const size_t count = n[0] - i < PIECE ? n[0] - i : PIECE;
            const psg_real *const v[2] = {y + i, z + i};
            const psg_real *const before[2] = {j > 0 || flow->wraps[1] ? front + i : still,
                                               flow->below != NULL ? below + i : still};
            double out[PIECE];
            across(v, before, count, flow->by + 1, out);
            if (i > 0) {
                along(x + i, count, flow->by[0], out, to + i);
            } else {
                const double left = flow->wraps[0] ? x[n[0] - 1] : 0;
                to[0] = (psg_real)(flow->by[0] * (x[0] - left) + out[0]);
                along(x + 1, count - 1, flow->by[0], out + 1, to + 1);
            }
        }
    }
}

static PSG_CLONES void subtract(psg_real *from, const psg_real *row, size_t count, double scale) {
    for (size_t i = 0; i < count; i++) {
        from[i] = (psg_real)(from[i] - scale * row[i]);
    }
}

void psg_cpu_subtract(const void *plane, const size_t n[2], double scale, void *from,
                      size_t row_pitch) {
    for (size_t j = 0; j < n[1]; j++) {
        subtract((psg_real *)from + j * row_pitch, (const psg_real *)plane + j * n[0], n[0], scale);
    }
}
