/* kspace with equations along z in place of a transform: u solves the dense system of each column,
 * the derivative is u's difference, and what is singular has the mean 0, for any pair of sides, in
 * pieces, in both precisions. The system is solved in long double by elimination. */
#include "cpu/ops.h"

#include "base/memory.h"
#include "tests/check.h"

#include <stdlib.h>

enum { NXC = 9, NY = 3, MOST = 97 };

/* OPEN is open at both ends; the lower side of HELD_OPEN loses u; OPEN_CLOSED is open below. */
typedef enum sides {
    PERIODIC,
    CLOSED,
    HELD,
    LOWER,
    UPPER,
    OPEN,
    HELD_OPEN,
    OPEN_CLOSED,
    SIDES
} sides;

static double random_of(size_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 33) / (double)(1u << 30) - 1;
}

/* The sum of f leaves through the open ends in equal parts, and u is |z|/2 of each f. Beyond a
 * closed end f has its image. */
static void set_open(psg_cpu_line *l, sides at) {
    double length = 0;
    for (size_t k = 0; k + 1 < l->n; k++) {
        length += 1 / l->step[k];
    }
    l->open[0] = at == OPEN || at == OPEN_CLOSED ? l->width[0] : 0;
    l->open[1] = at == OPEN || at == HELD_OPEN ? l->width[l->n - 1] : 0;
    l->share[0] = at == OPEN ? 0.5 : at == OPEN_CLOSED ? 1 : 0;
    l->share[1] = at == OPEN ? 0.5 : 0;
    l->reach = at == OPEN ? length / 4 : at == OPEN_CLOSED ? length + l->width[l->n - 1] / 2 : 0;
}

/* Points at random distances, of which the largest is `ratio` times the least. */
static psg_cpu_line make_line(size_t n, sides at, double ratio, double *memory, size_t *state) {
    psg_cpu_line l = {.n = n,
                      .wraps = at == PERIODIC && n > 1,
                      .null = at == PERIODIC || at == CLOSED || at == OPEN || at == OPEN_CLOSED,
                      .before = memory,
                      .after = memory + n,
                      .side = memory + 2 * n,
                      .width = memory + 3 * n,
                      .step = memory + 4 * n,
                      .norm = 2 * (double)n,
                      .eigen = {memory + 5 * n, memory + 5 * n + NXC}};
    for (size_t k = 0; k < n; k++) {
        l.width[k] = pow(ratio, 0.5 * random_of(state) + 0.5);
        l.step[k] = 1 / pow(ratio, 0.5 * random_of(state) + 0.5);
    }
    for (size_t k = 0; k < n; k++) {
        l.before[k] = k > 0 || l.wraps ? l.step[(k + n - 1) % n] / l.width[k] : 0;
        l.after[k] = k + 1 < n || l.wraps ? l.step[k] / l.width[k] : 0;
        l.side[k] = 0;
    }
    l.side[0] += at == HELD || at == LOWER || at == HELD_OPEN ? 1.5 / l.width[0] : 0;
    l.side[n - 1] += at == HELD || at == UPPER ? 2.5 / l.width[n - 1] : 0;
    l.last = at == HELD || at == UPPER ? -2.5 : 0;
    set_open(&l, at);
    for (size_t m = 0; m < NXC + NY; m++) {
        l.eigen[0][m] = m == 0 || m == NXC ? 0 : -1e-3 * (double)(m * m * m);
    }
    return l;
}

/* What an end loses, over u there: from cell to cell u falls by the root mu < 1 of
 * mu^2 - (2 + q) mu + 1. */
static long double loss_of(const psg_cpu_line *l, int side, double s) {
    const long double h = l->open[side], q = s * h * h;
    return h > 0 ? (sqrtl(q + q * q / 4) - q / 2) / (h * h) : 0;
}

/* u of minus f, by elimination with the largest pivot. @param[in] alone  the first equation follows
 * from the others: u is 0 at the first point */
static void solve_dense(const psg_cpu_line *l, double s, bool alone, long double *u) {
    static long double a[MOST][MOST];
    const size_t n = l->n;
    memset(a, 0, sizeof a);
    for (size_t k = 0; k < n; k++) {
        a[k][k] += (long double)l->before[k] + l->after[k] + l->side[k] + s;
        a[k][(k + n - 1) % n] -= l->before[k];
        a[k][(k + 1) % n] -= l->after[k];
    }
    a[0][0] += loss_of(l, 0, s);
    a[n - 1][n - 1] += loss_of(l, 1, s);
    for (size_t k = 0; k < n && alone; k++) {
        a[0][k] = k == 0;
    }
    u[0] = alone ? 0 : u[0];
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t m = k; m < n; m++) {
            pivot = fabsl(a[m][k]) > fabsl(a[pivot][k]) ? m : pivot;
        }
        for (size_t c = 0; c < n; c++) {
            const long double kept = a[k][c];
            a[k][c] = a[pivot][c];
            a[pivot][c] = kept;
        }
        const long double kept = u[k];
        u[k] = u[pivot];
        u[pivot] = kept;
        for (size_t m = k + 1; m < n; m++) {
            const long double by = a[m][k] / a[k][k];
            for (size_t c = k; c < n; c++) {
                a[m][c] -= by * a[k][c];
            }
            u[m] -= by * u[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t c = k + 1; c < n; c++) {
            u[k] -= a[k][c] * u[c];
        }
        u[k] /= a[k][k];
    }
}

static long double mean_of(const psg_cpu_line *l, const long double *u) {
    long double sum = 0, length = 0;
    for (size_t k = 0; k < l->n; k++) {
        sum += l->width[k] * u[k];
        length += l->width[k];
    }
    return sum / length;
}

/* Without s, between ends of which one is open at least: u = |z|/2 of each f and of its image.
 * @param[in,out] u  minus f */
static void add_potentials(const psg_cpu_line *l, long double *u) {
    long double z[MOST], f[MOST];
    for (size_t k = 0; k < l->n; k++) {
        z[k] = k > 0 ? z[k - 1] + 1 / (long double)l->step[k - 1] : 0;
        f[k] = -u[k] * l->width[k] / 2;
    }
    const long double wall = z[l->n - 1] + l->width[l->n - 1] / 2;
    for (size_t k = 0; k < l->n; k++) {
        u[k] = 0;
        for (size_t j = 0; j < l->n; j++) {
            u[k] += f[j] * (fabsl(z[k] - z[j]) + (l->open[1] > 0 ? 0 : 2 * wall - z[k] - z[j]));
        }
    }
}

/* The singular system: f less its mean, any solution, less its mean. */
static void expect(const psg_cpu_line *l, double s, long double *u) {
    if (s == 0 && l->share[0] > 0) {
        add_potentials(l, u);
        return;
    }
    const bool alone = s == 0 && l->null;
    const long double mean = alone ? mean_of(l, u) : 0;
    for (size_t k = 0; k < l->n; k++) {
        u[k] -= mean;
    }
    solve_dense(l, s, alone, u);
    const long double least = alone ? mean_of(l, u) : 0;
    for (size_t k = 0; k < l->n; k++) {
        u[k] -= least;
    }
}

typedef struct problem {
    const psg_cpu_ops *ops;
    size_t n, pieces;
    psg_cpu_piece piece[8]; /* of the sheet, then of what is beside */
    double *f;              /* [n][NY][NXC][2] */
} problem;

static double get(const problem *p, size_t first, size_t k, size_t column, size_t part) {
    for (size_t m = first;; k -= p->piece[m].planes, m++) {
        if (k < p->piece[m].planes) {
            return check_element(p->piece[m].memory, p->ops->real_bytes,
                                 2 * (k * p->piece[m].pitch + column) + part);
        }
    }
}

static void fill(problem *p, size_t *state) {
    for (size_t m = 0, z = 0; m < p->pieces; z += p->piece[m++].planes) {
        for (size_t q = 0; q < 2 * NXC * NY * p->piece[m].planes; q++) {
            const size_t k = q / (2 * NXC * NY), at = q % (2 * NXC * NY);
            const size_t place = 2 * k * p->piece[m].pitch + at;
            const double value = random_of(state);
            if (p->ops->real_bytes == sizeof(float)) {
                ((float *)p->piece[m].memory)[place] = (float)value;
                p->f[(z + k) * 2 * NXC * NY + at] = (float)value;
            } else {
                ((double *)p->piece[m].memory)[place] = value;
                p->f[(z + k) * 2 * NXC * NY + at] = value;
            }
        }
    }
}

/* Beyond the last point. Half of f leaves there where s is 0 and both ends are open. */
static long double end_derivative(const psg_cpu_line *l, double s, const problem *p, size_t at,
                                  const long double *u) {
    long double sum = 0;
    for (size_t k = 0; k < l->n; k++) {
        sum += (long double)l->width[k] * p->f[k * 2 * NXC * NY + at];
    }
    return s == 0 && l->share[1] > 0
               ? sum / 2
               : (l->last - l->width[l->n - 1] * loss_of(l, 1, s)) * u[l->n - 1];
}

/* Each column, relative to its largest numbers. */
static void compare(const problem *p, const psg_cpu_line *l, double lambda, double scale,
                    const char *words) {
    const double tolerance = p->ops->real_bytes == sizeof(float) ? 1e-7 : 3e-14;
    for (size_t at = 0; at < 2 * NXC * NY; at++) {
        const size_t i = at / 2 % NXC, j = at / 2 / NXC;
        const double s = lambda - l->eigen[0][i] - l->eigen[1][j];
        long double u[MOST];
        double off[2] = {0, 0}, largest[2] = {0, 0};
        for (size_t k = 0; k < p->n; k++) {
            u[k] = -(long double)p->f[k * 2 * NXC * NY + at];
        }
        expect(l, s, u);
        for (size_t k = 0; k < p->n; k++) {
            const bool last = k + 1 == p->n && !l->wraps;
            const long double want[2] = {u[k], last ? end_derivative(l, s, p, at, u)
                                                    : (u[(k + 1) % p->n] - u[k]) * l->step[k]};
            for (size_t m = 0; m < 2; m++) {
                const double got = get(p, m * p->pieces, k, at / 2, at % 2);
                off[m] = check_worse(off[m], fabs(got - scale * (double)want[m]));
                largest[m] = fmax(largest[m], fabs(scale * (double)want[m]));
            }
        }
        largest[1] += sqrt(s) * largest[0]; /* where two points alone hardly differ */
        CHECK(off[0] <= tolerance * largest[0], "%s, mode (%zu, %zu): u is off by %g of %g", words,
              i, j, off[0], largest[0]);
        CHECK(off[1] <= 3 * tolerance * largest[1],
              "%s, mode (%zu, %zu): the derivative is off by %g of %g", words, i, j, off[1],
              largest[1]);
    }
}

static void check_line(const psg_cpu_ops *ops, size_t n, sides at, double ratio, double lambda) {
    size_t state = n + (size_t)at;
    problem p = {.ops = ops, .n = n, .pieces = n < 4 ? n : 4};
    FREED double *memory = base_allocate((5 * n + NXC + NY) * sizeof *memory);
    FREED void *scratch = base_allocate(psg_cpu_line_scratch_bytes(n));
    FREED double *f = base_allocate(n * 2 * NXC * NY * sizeof *f);
    FREED char *values = base_allocate((n + 8) * 2 * 2 * (NXC * NY + 5) * ops->real_bytes);
    const psg_cpu_line l = make_line(n, at, ratio, memory, &state);
    const psg_cpu_divide divide = {.lambda = lambda, .scale = 0.25 / l.norm, .line = &l};
    char *next = values;
    char words[100];
    double mode0[2] = {0, 0};
    p.f = f;
    for (size_t m = 0; m < 2 * p.pieces; m++) {
        const size_t part = m % p.pieces;
        const size_t planes = (part + 1) * n / p.pieces - part * n / p.pieces;
        p.piece[m] = (psg_cpu_piece){next, NXC * NY + m, planes};
        next += 2 * planes * p.piece[m].pitch * ops->real_bytes;
    }
    const psg_cpu_sheet sheet = {.pieces = p.pieces,
                                 .piece = p.piece,
                                 .beside = p.piece + p.pieces,
                                 .nxc = NXC,
                                 .columns = NXC * NY};
    snprintf(words, sizeof words, "%s, %zu points, sides %d, %g:1, lambda %g",
             ops->real_bytes == sizeof(float) ? "f32" : "f64", n, (int)at, ratio, lambda);
    fill(&p, &state);
    CHECK(ops->kspace(NULL, &divide, &sheet, scratch, mode0), "%s: not finite", words);
    compare(&p, &l, lambda, 0.25, words);
    for (size_t m = 0; m < 2; m++) {
        long double column[MOST];
        for (size_t k = 0; k < n; k++) {
            column[k] = f[k * 2 * NXC * NY + m];
        }
        CHECK_NEAR(check_element(mode0, ops->real_bytes, m) / l.norm, (double)mean_of(&l, column),
                   1e-6, "%s: the mean of f", words);
    }
    fill(&p, &state);
    const size_t bad = 2 * (n / 2 - p.pieces / 2 * n / p.pieces) * p.piece[p.pieces / 2].pitch + 3;
    if (ops->real_bytes == sizeof(float)) {
        ((float *)p.piece[p.pieces / 2].memory)[bad] = NAN;
    } else {
        ((double *)p.piece[p.pieces / 2].memory)[bad] = NAN;
    }
    CHECK(!ops->kspace(NULL, &divide, &sheet, scratch, NULL), "%s: a NaN is not found", words);
}

int main(void) {
    static const size_t lengths[] = {1, 2, 3, 7, 33, 64, 97};
    for (size_t c = 0; c < sizeof lengths / sizeof *lengths; c++) {
        for (sides at = PERIODIC; at < SIDES; at++) {
            for (int m = 0; m < 4; m++) {
                check_line(m % 2 == 0 ? &psg_cpu_ops_f64 : &psg_cpu_ops_f32, lengths[c], at,
                           m < 2 ? 1 : 100, m < 2 ? 0 : 1e-3);
                check_line(m % 2 == 0 ? &psg_cpu_ops_f64 : &psg_cpu_ops_f32, lengths[c], at,
                           m < 2 ? 100 : 1, 0);
            }
        }
    }
    return check_result();
}
