/* What happens in a cell, for cores.c and gpu.cu: C11 and CUDA. */
#ifndef CHANNEL_CELLS_H
#define CHANNEL_CELLS_H

#include "tests/example/channel/channel.h"

#ifdef __CUDACC__
#define CELL __host__ __device__ static inline
#define INDEPENDENT
#else
#define CELL static inline
#define INDEPENDENT _Pragma("omp simd")
#endif

/** The element of cell (i,j,k), each counted from 1. */
CELL size_t at(const flow *f, size_t i, size_t j, size_t k) {
    return i + j * f->step[1] + k * f->step[2];
}

/** The last cell of component c along axis a whose flow is sought: none goes through an upper
 *  wall. */
CELL size_t last(const flow *f, int c, int a) {
    return f->n[a] - (a == c && f->wall[a] ? 1 : 0);
}

/** Ghost cells of a line of component c along axis a, which begins at its lower ghost. A wall is
 *  between two cells for a component along it, and the mean of both is the wall's speed. No flow
 *  goes through a wall. */
CELL void ghosts_of(const flow *f, int c, int a, real *line) {
    const size_t n = f->n[a], s = f->step[a];
    if (!f->wall[a]) {
        line[0] = line[n * s];
        line[(n + 1) * s] = line[s];
    } else if (a == c) {
        line[0] = line[n * s] = line[(n + 1) * s] = 0;
    } else {
        const real wall = (real)(a == 2 && c == 0 ? 2 * f->lid : 0);
        line[0] = f->slip ? line[s] : -line[s];
        line[(n + 1) * s] = f->slip ? line[n * s] : wall - line[n * s];
    }
}

/** - d(v_a v_c)/dx_a + nu d2 v_c/dx_a2 of a cell. A step along a is `sa` elements, one along c
 *  `sc`. */
CELL real through_faces(const passage *t, const real *v, const real *carrier, ptrdiff_t sa,
                        ptrdiff_t sc) {
    const real out = (t->low * carrier[0] + t->high * carrier[sc]) * (v[0] + v[sa]);
    const real in = (t->low * carrier[-sa] + t->high * carrier[sc - sa]) * (v[-sa] + v[0]);
    return t->half * (in - out) + t->above * (v[sa] - v[0]) - t->below * (v[0] - v[-sa]);
}

/** Work in the cells i to `end` of a line along x. */
CELL void work_in(const flow *f, work what, double now, double then, int c, size_t i, size_t end,
                  size_t j, size_t k) {
    const size_t line = at(f, 0, j, k);
    if (what == RATES) {
        const ptrdiff_t sy = (ptrdiff_t)f->step[1], sz = (ptrdiff_t)f->step[2];
        const ptrdiff_t sc = (ptrdiff_t)f->step[c];
        const passage tx = f->through[k][c][0], ty = f->through[k][c][1], tz = f->through[k][c][2];
        const real force = (real)(c == 0 ? f->force : 0);
        const real *v = f->v[c] + line, *x = f->v[0] + line, *y = f->v[1] + line,
                   *z = f->v[2] + line;
        real *rate = f->rate[c] + line;
        INDEPENDENT
        for (size_t m = i; m <= end; ++m) {
            rate[m] = force + through_faces(&tx, v + m, x + m, 1, sc) +
                      through_faces(&ty, v + m, y + m, sy, sc) +
                      through_faces(&tz, v + m, z + m, sz, sc);
        }
    } else if (what == ADVANCE) {
        real *v = f->v[c] + line;
        const real *rate = f->rate[c] + line, *before = f->before[c] + line;
        INDEPENDENT
        for (size_t m = i; m <= end; ++m) {
            v[m] += (real)now * rate[m] + (real)then * before[m];
        }
    } else {
        for (size_t m = i; c == 0 && m <= end; ++m) {
            f->v[0][line + m] += (real)now;
        }
    }
}

/** The same of a NaN is a NaN. */
CELL double larger(double a, double b) {
    return a >= b || a != a ? a : b;
}

/** What a cell adds to the numbers of its plane. */
CELL void add_cell(const flow *f, quantity what, real *const w[3], size_t i, size_t j, size_t k,
                   double sum[NUMBERS]) {
    const size_t m = at(f, i, j, k), cell[3] = {i, j, k};
    const double x = (double)f->v[0][m], y = (double)f->v[1][m], z = (double)f->v[2][m];
    if (what == SPEED) {
        sum[0] += x;
    } else if (what == SQUARES) {
        const double down = (double)f->v[2][m - f->step[2]];
        sum[0] += x;
        sum[1] += x * x;
        sum[2] += y * y;
        sum[3] += (z * z + down * down) / 2;
        sum[4] += (x + (double)f->v[0][m - 1]) / 2 * (z + down) / 2;
    } else if (what == PRODUCT) {
        sum[0] += f->width[2][k] * (x * (double)w[0][m] + y * (double)w[1][m]) +
                  f->gap[2][k] * z * (double)w[2][m];
    } else if (what == LARGEST) {
        sum[0] = larger(sum[0], fabs(x));
        sum[1] = larger(sum[1], fabs(y));
        sum[2] = larger(sum[2], fabs(z));
    } else {
        double flows = 0;
        for (int a = 0; a < 3; ++a) {
            const double v = (double)f->v[a][m];
            flows += (v - (double)f->v[a][m - f->step[a]]) / f->width[a][cell[a]];
            sum[1] = larger(sum[1], fabs(v));
        }
        sum[0] = larger(sum[0], fabs(flows));
    }
}

#endif
