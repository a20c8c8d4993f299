#include "tests/oracle/oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const long double pi_l = 3.141592653589793238462643383279502884L;

oracle_grid oracle_grid_make(size_t nx, size_t ny, size_t nz, double lx, double ly, double lz) {
    oracle_grid grid = {{nx, ny, nz}, {lx, ly, lz}};
    return grid;
}

size_t oracle_points(const oracle_grid *grid) {
    return grid->n[0] * grid->n[1] * grid->n[2];
}

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "oracle: no memory for %zu x %zu bytes\n", count, size);
        exit(1);
    }
    return memory;
}

double *oracle_array(size_t count) {
    return allocate(count, sizeof(double));
}

/** One axis' part of the eigenvalue; mode and n - mode have the same. */
static long double axis_eigenvalue(size_t n, double length, oracle_symbol symbol, size_t mode) {
    size_t m = mode % n;
    if (m > n - m) {
        m = n - m;
    }
    if (symbol == ORACLE_FD2) {
        long double s = 2 * (long double)n / length * sinl(pi_l * (long double)m / (long double)n);
        return -s * s;
    }
    long double k = 2 * pi_l * (long double)m / length;
    return -k * k;
}

static long double eigenvalue(const oracle_grid *grid, oracle_symbol symbol, const size_t m[3]) {
    long double sum = 0;
    for (int a = 0; a < 3; ++a) {
        sum += axis_eigenvalue(grid->n[a], grid->length[a], symbol, m[a]);
    }
    return sum;
}

double oracle_eigenvalue(const oracle_grid *grid, oracle_symbol symbol, const size_t m[3]) {
    return (double)eigenvalue(grid, symbol, m);
}

void oracle_mode(const oracle_grid *grid, const size_t m[3], int sine, double *f) {
    size_t nx = grid->n[0], ny = grid->n[1], nz = grid->n[2], points = nx * ny * nz;
    double *table = oracle_array(points);
    for (size_t t = 0; t < points; ++t) {
        long double phase = 2 * pi_l * (long double)t / (long double)points;
        table[t] = (double)(sine ? sinl(phase) : cosl(phase));
    }
    for (size_t k = 0; k < nz; ++k) {
        for (size_t j = 0; j < ny; ++j) {
            for (size_t i = 0; i < nx; ++i) {
                size_t turn = m[0] * i % nx * (ny * nz) + m[1] * j % ny * (nx * nz) +
                              m[2] * k % nz * (nx * ny);
                f[(k * ny + j) * nx + i] = table[turn % points];
            }
        }
    }
    free(table);
}

int oracle_next_mode(const oracle_grid *grid, size_t *index, size_t m[3], int *sine) {
    const size_t *n = grid->n;
    for (size_t points = oracle_points(grid); *index < 2 * points;) {
        size_t here = *index / 2;
        *sine = (int)(*index % 2);
        ++*index;
        m[0] = here % n[0];
        m[1] = here / n[0] % n[1];
        m[2] = here / n[0] / n[1];
        size_t mirror =
            ((n[2] - m[2]) % n[2] * n[1] + (n[1] - m[1]) % n[1]) * n[0] + (n[0] - m[0]) % n[0];
        if (*sine ? here < mirror : here <= mirror) {
            return 1;
        }
    }
    return 0;
}

void oracle_random(uint64_t seed, size_t count, double *f) {
    uint64_t state = seed;
    for (size_t p = 0; p < count; ++p) {
        /* splitmix64 (Steele, Lea, Flood 2014) */
        uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        z ^= z >> 31;
        f[p] = (double)(z >> 11) * 0x1p-52 - 1;
    }
}

static long double mean_l(const double *f, size_t count) {
    long double sum = 0;
    for (size_t p = 0; p < count; ++p) {
        sum += f[p];
    }
    return sum / (long double)count;
}

double oracle_mean(const double *f, size_t count) {
    return (double)mean_l(f, count);
}

void oracle_remove_mean(double *f, size_t count) {
    long double mean = mean_l(f, count);
    for (size_t p = 0; p < count; ++p) {
        f[p] = (double)(f[p] - mean);
    }
}

double oracle_max(const double *f, size_t count) {
    double largest = 0;
    for (size_t p = 0; p < count; ++p) {
        if (!(fabs(f[p]) <= largest)) {
            largest = fabs(f[p]);
        }
    }
    return largest;
}

/** Transform the lines of one axis of n points, `stride` apart, in place; sign -1 or +1, unscaled. */
static void transform_axis(size_t points, size_t n, size_t stride, int sign, long double *re,
                           long double *im) {
    long double *c = allocate(4 * n, sizeof *c), *s = c + n, *line_re = s + n,
                *line_im = line_re + n;
    for (size_t t = 0; t < n; ++t) {
        c[t] = cosl(2 * pi_l * (long double)t / (long double)n);
        s[t] = (long double)sign * sinl(2 * pi_l * (long double)t / (long double)n);
    }
    for (size_t first = 0; first < points; ++first) {
        if (first / stride % n != 0) {
            continue;
        }
        for (size_t p = 0; p < n; ++p) {
            line_re[p] = re[first + p * stride];
            line_im[p] = im[first + p * stride];
        }
        for (size_t q = 0; q < n; ++q) {
            long double sum_re = 0, sum_im = 0;
            for (size_t p = 0, turn = 0; p < n; ++p) {
                sum_re += line_re[p] * c[turn] - line_im[p] * s[turn];
                sum_im += line_re[p] * s[turn] + line_im[p] * c[turn];
                turn += q;
                turn -= turn >= n ? n : 0;
            }
            re[first + q * stride] = sum_re;
            im[first + q * stride] = sum_im;
        }
    }
    free(c);
}

void oracle_solve(const oracle_grid *grid, oracle_symbol symbol, double lambda, const double *f,
                  double *u) {
    size_t points = oracle_points(grid), nx = grid->n[0], ny = grid->n[1];
    const size_t stride[3] = {1, nx, nx * ny};
    long double *re = allocate(2 * points, sizeof *re), *im = re + points;
    for (size_t p = 0; p < points; ++p) {
        re[p] = f[p];
    }
    for (int a = 0; a < 3; ++a) {
        transform_axis(points, grid->n[a], stride[a], -1, re, im);
    }
    for (size_t p = 0; p < points; ++p) {
        const size_t m[3] = {p % nx, p / nx % ny, p / nx / ny};
        long double d = (eigenvalue(grid, symbol, m) - lambda) * (long double)points;
        long double factor = d == 0 ? 0 : 1 / d;
        re[p] *= factor;
        im[p] *= factor;
    }
    for (int a = 0; a < 3; ++a) {
        transform_axis(points, grid->n[a], stride[a], 1, re, im);
    }
    for (size_t p = 0; p < points; ++p) {
        u[p] = (double)re[p];
    }
    free(re);
}
