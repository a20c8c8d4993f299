#include "cpu/internal.h"

#include <string.h>

/* Towards the next points, so many elements further. */
PSG_CLONES static void towards(psg_real *to, const psg_real *u, const psg_real *next, size_t count,
                               psg_real scale) {
    for (size_t i = 0; i < count; i++) {
        to[i] = (next[i] - u[i]) * scale;
    }
}

/* Towards a side. */
static void to_side(psg_real *to, const psg_real *u, const psg_real *added, size_t count,
                    psg_real last, psg_real weight) {
    for (size_t i = 0; i < count; i++) {
        to[i] = last * u[i] + (added != NULL ? weight * added[i] : 0);
    }
}

/* A row of one component. @param[in] next  NULL: there is a side */
static void row(psg_real *to, const psg_real *u, const psg_real *next, const psg_real *added,
                size_t count, const psg_difference *d) {
    if (next != NULL) {
        towards(to, u, next, count, (psg_real)d->scale);
    } else {
        to_side(to, u, added, count, (psg_real)d->last, (psg_real)d->weight);
    }
}

void psg_cpu_gradient(const psg_cpu_gradient_args *a, const size_t n[2]) {
    const psg_real *plane = a->u;
    const psg_real *above = a->above;
    for (size_t j = 0; j < n[1]; j++) {
        const psg_real *u = plane + j * a->row_pitch;
        psg_real *to[3];
        for (int d = 0; d < 3; d++) {
            to[d] = a->result[d] != NULL ? (psg_real *)a->result[d] + j * a->result_pitch[d] : NULL;
        }
        if (to[0] != NULL) {
            const psg_real *x = a->added[0];
            row(to[0], u, u + 1, NULL, n[0] - 1, &a->along[0]);
            row(to[0] + n[0] - 1, u + n[0] - 1, a->along[0].wraps ? u : NULL,
                x != NULL ? x + j : NULL, 1, &a->along[0]);
        }
        if (to[1] != NULL) {
            const psg_real *next = j + 1 < n[1]        ? u + a->row_pitch
                                   : a->along[1].wraps ? plane
                                                       : NULL;
            row(to[1], u, next, a->added[1], n[0], &a->along[1]);
        }
        if (to[2] != NULL) {
            const psg_real *z = a->added[2];
            row(to[2], u, above != NULL ? above + j * a->above_pitch : NULL,
                z != NULL ? z + j * n[0] : NULL, n[0], &a->along[2]);
        }
    }
}

/* Complex numbers times one. */
PSG_CLONES static void turn(psg_real *to, const psg_real *from, size_t count, psg_real real,
                            psg_real imaginary) {
    for (size_t i = 0; i < count; i++) {
        const psg_real value[2] = {from[2 * i], from[2 * i + 1]};
        to[2 * i] = real * value[0] - imaginary * value[1];
        to[2 * i + 1] = real * value[1] + imaginary * value[0];
    }
}

/* Each times its own. */
PSG_CLONES static void turn_each(psg_real *to, const psg_real *from, size_t count,
                                 const psg_real *by, psg_real scale) {
    for (size_t i = 0; i < count; i++) {
        const psg_real value[2] = {scale * from[2 * i], scale * from[2 * i + 1]};
        to[2 * i] = by[2 * i] * value[0] - by[2 * i + 1] * value[1];
        to[2 * i + 1] = by[2 * i] * value[1] + by[2 * i + 1] * value[0];
    }
}

void psg_cpu_differentiate(const void *modes, size_t nxc, size_t rows, const void *by,
                           const size_t step[2], double scale, void *result) {
    const psg_real *from = modes;
    psg_real *to = result;
    for (size_t j = 0; j < rows; j++, from += 2 * nxc, to += 2 * nxc) {
        const psg_real *here = (const psg_real *)by + 2 * j * step[1];
        if (step[0] != 0) {
            turn_each(to, from, nxc, here, (psg_real)scale);
        } else {
            turn(to, from, nxc, (psg_real)scale * here[0], (psg_real)scale * here[1]);
        }
    }
}

/* A row of real numbers, and that of the opposite modes, each times one. */
PSG_CLONES static void combine(psg_real *to, const psg_real *from, const psg_real *opposite,
                               size_t count, psg_real real, psg_real imaginary) {
    for (size_t i = 0; i < count; i++) {
        to[i] = real * from[i] - imaginary * opposite[i];
    }
}

/* Real numbers, each times the real part of its own. */
PSG_CLONES static void scale_each(psg_real *to, const psg_real *from, size_t count,
                                  const psg_real *by, psg_real scale) {
    for (size_t i = 0; i < count; i++) {
        to[i] = scale * by[2 * i] * from[i];
    }
}

void psg_cpu_slope_modes(const psg_cpu_slope *s, const void *modes, double scale, void *result) {
    const psg_real *from = modes, *by = s->by;
    const size_t wide = s->n[0], skip = s->shift < 0 ? 1 : 0;
    const size_t first = skip + (size_t)s->shift, most = s->room[s->axis] - first;
    const size_t own = s->n[s->axis] - skip, count = own < most ? own : most;
    psg_real *to = result;
    memset(to, 0, s->room[0] * s->room[1] * sizeof *to);
    for (size_t j = 0; j < s->n[1] && s->axis == 0; j++) {
        scale_each(to + j * s->room[0] + first, from + j * wide + skip, count, by + 2 * skip,
                   (psg_real)scale);
    }
    for (size_t j = skip; j < skip + count && s->axis == 1; j++) {
        combine(to + (j + (size_t)s->shift) * s->room[0], from + j * wide,
                from + (s->n[1] - j) % s->n[1] * wide, wide, (psg_real)scale * by[2 * j],
                (psg_real)scale * by[2 * j + 1]);
    }
}
