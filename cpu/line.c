/* The columns of a sheet as equations along z, without a transform, in f64 whatever the precision
 * of the sheet. The sum before + after + side + s of a row (psg_cpu_line) is never formed. The
 * elimination keeps what each row loses to the sides and to s apart. So it only adds and multiplies
 * numbers >= 0, and u is right to a few units of the last digit for any condition (the idea of W.
 * K. Grassmann, M. I. Taksar and D. P. Heyman, Operations Research 33, 1107, 1985). */
#include "cpu/internal.h"
#include "cpu/symbol.h"

#include <string.h>

/* In the clones of who calls it. */
#define INLINE static inline __attribute__((always_inline))

/* Lanes that are solved side by side. */
enum { LANES = PSG_CPU_TILE_COLUMNS };
typedef double lanes[LANES];

/* Of the elimination, by row: 1 over the diagonal, what comes from the row that is not eliminated,
 * what is lost, and the two parts of the right-hand side. */
enum { RECIPROCAL, WRAPPED, LOST, PART, ARRAYS = PART + 2 };

/* A lane is a complex column, whose two parts are right-hand sides of one matrix. Where they are
 * modes of their own (psg_cpu_divide.apart), a lane is a part of a column. */
enum { ALONE = 1, TOGETHER = 2 };

#if !PSG_REAL_IS_FLOAT
/* Open ends. In a column without s the last u is minus `end` times the sum of f, and its level says
 * what is missing to share[0] u[0] + share[1] u[n-1] = reach times that sum. */
void psg_cpu_line_open(const psg_cpu_line *l, double length, double to[7]) {
    const bool last = l->share[1] > 0;
    const double end = l->reach / (last ? l->share[1] : 1);
    const bool any = last || l->share[0] > 0;
    const double values[] = {l->open[0],           l->open[1],
                             l->share[0] * length, any ? l->share[1] * length + end : 0,
                             l->share[0] * length, any && !last ? -length : 0,
                             any ? 0 : 1};
    memcpy(to, values, sizeof values);
}

size_t psg_cpu_line_scratch_bytes(size_t n) {
    return n * (ARRAYS * sizeof(lanes) + 4 * sizeof(double));
}
#endif

/* Some lanes of a sheet. */
typedef struct tile {
    const psg_cpu_line *line;
    const psg_cpu_sheet *sheet;
    size_t step;  /* complex numbers from a column to the next one */
    int parts;    /* of a lane: ALONE or TOGETHER */
    size_t first; /* the first lane */
    size_t lanes;
    size_t rows;  /* that are eliminated: all, but the last one where z wraps */
    double scale; /* of u */
    lanes s;      /* what each lane loses in a row */
    lanes end[2]; /* in the first row, and in the last one of more than one: with open ends */
    lanes *array[ARRAYS];
    lanes x[2]; /* the solution of the row that is not eliminated; else 0 */
} tile;

/* Where lane c is in a row of a tile, in reals. */
INLINE size_t place_of(size_t c, int parts, size_t step) {
    return parts == TOGETHER ? 2 * step * c : 2 * step * (c / 2) + c % 2;
}

INLINE psg_real *row_of(const psg_cpu_piece *piece, const tile *t, size_t plane) {
    return (psg_real *)piece->memory + place_of(t->first, t->parts, t->step) +
           2 * plane * piece->pitch;
}

INLINE void load_lanes(const psg_real *restrict from, size_t count, int parts, size_t step,
                       lanes to[]) {
    for (size_t c = 0; c < LANES; c++) {
        for (int part = 0; part < parts; part++) {
            to[part][c] = c < count ? from[place_of(c, parts, step) + (size_t)part] : 0;
        }
    }
}

INLINE void load(const tile *t, const psg_real *from, int parts, lanes to[]) {
    if (t->lanes == LANES && t->step == 1) {
        load_lanes(from, LANES, parts, 1, to);
    } else {
        load_lanes(from, t->lanes, parts, t->step, to);
    }
}

INLINE void store_lanes(psg_real *restrict to, size_t count, int parts, size_t step, double scale,
                        lanes from[]) {
    for (size_t c = 0; c < count; c++) {
        for (int part = 0; part < parts; part++) {
            to[place_of(c, parts, step) + (size_t)part] = (psg_real)(scale * from[part][c]);
        }
    }
}

INLINE void store(const tile *t, psg_real *to, int parts, lanes from[]) {
    if (t->lanes == LANES && t->step == 1) {
        store_lanes(to, LANES, parts, 1, t->scale, from);
    } else {
        store_lanes(to, t->lanes, parts, t->step, t->scale, from);
    }
}

/* The elimination: row k, of what it makes of row k - 1. */
INLINE void eliminate(const tile *t, size_t k, int parts, double *restrict r, double *restrict p,
                      double *restrict q, lanes y[]) {
    const double before = t->line->before[k];
    const double after = t->line->after[k];
    const double side = t->line->side[k];
    const double wrapped = k > 0 ? 0 : before;
    const double *restrict s = k == 0 ? t->end[0] : k + 1 == t->line->n ? t->end[1] : t->s;
    for (int c = 0; c < LANES; c++) {
        const double z = before * r[c];
        p[c] = wrapped + z * p[c];
        q[c] = side + s[c] + z * q[c];
        for (int part = 0; part < parts; part++) {
            y[part][c] = t->array[PART + part][k][c] + z * y[part][c];
        }
        r[c] = 1 / (p[c] + q[c] + after);
    }
}

INLINE void down(const tile *t, int parts) {
    lanes r = {0}, p = {0}, q = {0}, y[2] = {{0}}, loaded[2];
    size_t k = 0;
    for (size_t m = 0; m < t->sheet->pieces; m++) {
        const psg_cpu_piece *piece = &t->sheet->piece[m];
        for (size_t plane = 0; plane < piece->planes; plane++, k++) {
            load(t, row_of(piece, t, plane), parts, loaded);
            for (int part = 0; part < parts; part++) {
                memcpy(t->array[PART + part][k], loaded[part], sizeof *loaded);
            }
            if (k < t->rows) {
                eliminate(t, k, parts, r, p, q, y);
                memcpy(t->array[RECIPROCAL][k], r, sizeof r);
                memcpy(t->array[WRAPPED][k], p, sizeof p);
                memcpy(t->array[LOST][k], q, sizeof q);
                for (int part = 0; part < parts; part++) {
                    memcpy(t->array[PART + part][k], y[part], sizeof *y);
                }
            }
        }
    }
}

static PSG_CLONES void go_down(const tile *t) {
    if (t->parts == TOGETHER) {
        down(t, TOGETHER);
    } else {
        down(t, ALONE);
    }
}

/* The first and the last solution of the elimination of a right-hand side, with x = 0. */
INLINE void find_ends(const tile *t, const lanes *f, double *restrict first,
                      double *restrict last) {
    const lanes *reciprocal = (const lanes *)t->array[RECIPROCAL];
    const size_t end = t->rows - 1;
    lanes u;
    for (int c = 0; c < LANES; c++) {
        u[c] = last[c] = f[end][c] * reciprocal[end][c];
    }
    for (size_t k = end; k-- > 0;) {
        const double after = t->line->after[k];
        const double *restrict r = reciprocal[k];
        const double *restrict y = f[k];
        for (int c = 0; c < LANES; c++) {
            u[c] = (y[c] + after * u[c]) * r[c];
        }
    }
    memcpy(first, u, sizeof u);
}

/* The row that is not eliminated. What is lost is the right-hand side of the elimination for s, so
 * its solution says what this row loses to the others. */
static PSG_CLONES void close_circle(tile *t) {
    const size_t n = t->rows;
    const double before = t->line->before[n];
    const double after = t->line->after[n];
    const double side = t->line->side[n];
    lanes first, last, loss;
    find_ends(t, (const lanes *)t->array[LOST], first, last);
    for (int c = 0; c < LANES; c++) {
        loss[c] = side + t->s[c] + before * last[c] + after * first[c];
    }
    for (int m = 0; m < t->parts; m++) {
        const double *f = t->array[PART + m][n];
        find_ends(t, (const lanes *)t->array[PART + m], first, last);
        for (int c = 0; c < LANES; c++) {
            t->x[m][c] = (f[c] + before * last[c] + after * first[c]) / loss[c];
        }
    }
}

/* Row k of a part, of the row after it. The fall from this row to the next is what remains of u's
 * equation when the next u is taken from it: it has the digits that a difference of both would
 * lose.
 * @param[in,out] u     of the row after this one, and of this one
 * @param[in,out] less  x less u
 * @param[out]    fall  u of this row less that of the row after it */
INLINE void substitute(const tile *t, size_t k, int part, double *restrict u, double *restrict less,
                       double *restrict fall) {
    const double after = t->line->after[k];
    const double *restrict r = t->array[RECIPROCAL][k];
    const double *restrict p = t->array[WRAPPED][k];
    const double *restrict q = t->array[LOST][k];
    const double *restrict y = t->array[PART + part][k];
    const double *restrict x = t->x[part];
    for (int c = 0; c < LANES; c++) {
        fall[c] = (y[c] - q[c] * u[c] + p[c] * less[c]) * r[c];
        u[c] = (y[c] + p[c] * x[c] + after * u[c]) * r[c];
        less[c] -= fall[c];
    }
}

/* The derivative beyond the last row, of that before it where z wraps: the row's equation says by
 * how much they differ. */
INLINE void end_derivative(const tile *t, int part, const double *restrict before,
                           double *restrict last) {
    const psg_cpu_line *l = t->line;
    const size_t n = t->rows;
    const double *restrict f = t->array[PART + part][n];
    const double *restrict x = t->x[part];
    for (int c = 0; c < LANES; c++) {
        last[c] = before[c] + l->width[n] * ((l->side[n] + t->s[c]) * x[c] - f[c]);
    }
}

INLINE void up(const tile *t, int parts) {
    const psg_cpu_sheet *sheet = t->sheet;
    const psg_cpu_line *l = t->line;
    const psg_cpu_piece *end = sheet->beside != NULL ? &sheet->beside[sheet->pieces - 1] : NULL;
    lanes u[2], less[2] = {{0}}, fall[2] = {{0}}, last[2];
    memcpy(u, t->x, sizeof u);
    size_t k = l->n;
    for (size_t m = sheet->pieces; m-- > 0;) {
        for (size_t plane = sheet->piece[m].planes; plane-- > 0;) {
            const bool eliminated = --k < t->rows;
            for (int part = 0; part < parts && eliminated; part++) {
                substitute(t, k, part, u[part], less[part], fall[part]);
            }
            store(t, row_of(&sheet->piece[m], t, plane), parts, u);
            if (end == NULL || !eliminated) {
                continue;
            }
            for (int part = 0; part < parts; part++) {
                const bool beyond = k + 1 == l->n;
                const double by = beyond ? l->last : -l->step[k];
                for (int c = 0; c < LANES; c++) {
                    const double open = beyond && l->open[1] > 0
                                            ? l->width[k] * psg_symbol_open(t->s[c], l->open[1])
                                            : 0;
                    last[part][c] = (by - open) * fall[part][c];
                }
            }
            store(t, row_of(&sheet->beside[m], t, plane), parts, last);
            if (l->wraps && k + 1 == t->rows) {
                for (int part = 0; part < parts; part++) {
                    end_derivative(t, part, last[part], fall[part]);
                }
                store(t, row_of(end, t, end->planes - 1), parts, fall);
            }
        }
    }
}

static PSG_CLONES void go_up(const tile *t) {
    if (t->parts == TOGETHER) {
        up(t, TOGETHER);
    } else {
        up(t, ALONE);
    }
}

/* --------------------------------------------------------------------------------- one column */

static double mean_of(const psg_cpu_line *l, const double *f) {
    double sum = 0;
    double length = 0;
    for (size_t k = 0; k < l->n; k++) {
        sum += l->width[k] * f[k];
        length += l->width[k];
    }
    return sum / length;
}

/* A column that loses nothing: minus f less its mean becomes u. The sum of f is the derivative, and
 * the sum of that is u. Where z wraps, the rises from point to point add up to 0. With open ends
 * the mean stays, and all of f flows out through these.
 * @param[out] derivative  beyond each point */
static void add_up(const psg_cpu_line *l, double *u, double *derivative) {
    const bool open = l->share[0] + l->share[1] > 0;
    const double mean = open ? 0 : mean_of(l, u);
    double total = 0;
    for (size_t k = 0; k < l->n; k++) {
        total += l->width[k] * u[k];
    }
    double sum = l->share[0] * total;
    double rise = 0;
    double length = 0;
    for (size_t k = 0; k < l->n; k++) {
        sum -= l->width[k] * (u[k] - mean);
        derivative[k] = sum;
        rise += sum / l->step[k];
        length += 1 / l->step[k];
    }
    const double less = l->wraps ? rise / length : 0;
    double next = 0;
    for (size_t k = 0; k < l->n; k++) {
        u[k] = next;
        derivative[k] -= less;
        next += derivative[k] / l->step[k];
    }
    const size_t last = l->n - 1;
    derivative[last] = l->wraps || l->open[1] > 0 ? derivative[last] : 0;
    const double least =
        open ? l->share[0] * u[0] + l->share[1] * u[last] + l->reach * total : mean_of(l, u);
    for (size_t k = 0; k < l->n; k++) {
        u[k] -= least;
    }
}

/* The numbers at place `at` of each row of the tile, in reals, from or to pieces. */
static void take_column(const tile *t, size_t at, double *values) {
    for (size_t m = 0; m < t->sheet->pieces; m++) {
        for (size_t plane = 0; plane < t->sheet->piece[m].planes; plane++) {
            *values++ = row_of(&t->sheet->piece[m], t, plane)[at];
        }
    }
}

static void put_column(const tile *t, const psg_cpu_piece *piece, size_t at, const double *values) {
    for (size_t m = 0; m < t->sheet->pieces && piece != NULL; m++) {
        for (size_t plane = 0; plane < piece[m].planes; plane++) {
            row_of(&piece[m], t, plane)[at] = (psg_real)(t->scale * *values++);
        }
    }
}

/* ------------------------------------------------------------------------------------- a sheet */

/* Of a number of columns, those that are solved. */
static size_t solved(const tile *t, size_t columns) {
    return columns * (t->parts == ALONE ? 2 : 1);
}

/* @return the lane that loses nothing, which is solved alone; LANES: there is none */
static size_t find_losses(tile *t, const psg_cpu_divide *divide) {
    const psg_cpu_line *l = t->line;
    const size_t length = solved(t, t->sheet->nxc);
    const size_t before = solved(t, t->sheet->first) + t->first;
    size_t alone = LANES;
    for (size_t c = 0; c < LANES; c++) {
        const size_t at = before + (c < t->lanes ? c : 0);
        t->s[c] = divide->lambda - l->eigen[0][at % length] - l->eigen[1][at / length];
        if (t->s[c] == 0 && l->null) {
            alone = c < t->lanes ? c : alone;
            t->s[c] = 1;
        }
        double add[2] = {0, 0};
        for (int side = 0; side < 2; side++) {
            const int end = side == 0 || l->n == 1 ? 0 : 1;
            add[end] += l->open[side] > 0 ? psg_symbol_open(t->s[c], l->open[side]) : 0;
        }
        t->end[0][c] = t->s[c] + add[0];
        t->end[1][c] = t->s[c] + add[1];
    }
    return alone;
}

static void find_mode0(const tile *t, double *values, psg_real *mode0) {
    for (int part = 0; part < 2; part++) {
        take_column(t, (size_t)part, values);
        mode0[part] = (psg_real)(t->line->norm * mean_of(t->line, values));
    }
}

static bool solve_tile(tile *t, size_t alone, double *single) {
    const size_t n = t->line->n;
    const size_t parts = alone < LANES ? (size_t)t->parts : 0;
    const size_t at = place_of(alone, t->parts, t->step);
    bool finite = true;
    for (size_t part = 0; part < parts; part++) {
        double *u = single + 2 * part * n;
        take_column(t, at + part, u);
        add_up(t->line, u, u + n);
        finite = finite && isfinite(u[0]);
    }
    go_down(t);
    if (t->line->wraps) {
        close_circle(t);
    }
    go_up(t);
    for (size_t part = 0; part < parts; part++) {
        put_column(t, t->sheet->piece, at + part, single + 2 * part * n);
        put_column(t, t->sheet->beside, at + part, single + (2 * part + 1) * n);
    }
    const psg_real *first = row_of(t->sheet->piece, t, 0);
    for (size_t c = 0; c < t->lanes; c++) {
        const psg_real *u = first + place_of(c, t->parts, t->step);
        finite = finite && isfinite(u[0]) && isfinite(u[t->parts - 1]);
    }
    return finite;
}

bool psg_cpu_kspace_line(const psg_cpu_divide *divide, const psg_cpu_sheet *sheet, size_t step,
                         void *scratch, void *mode0) {
    const psg_cpu_line *l = divide->line;
    double *single = (double *)((lanes *)scratch + ARRAYS * l->n);
    tile t = {.line = l,
              .sheet = sheet,
              .step = step,
              .parts = divide->apart ? ALONE : TOGETHER,
              .rows = l->wraps ? l->n - 1 : l->n,
              .scale = -divide->scale * l->norm};
    const size_t total = solved(&t, sheet->columns);
    bool finite = true;
    for (size_t m = 0; m < ARRAYS; m++) {
        t.array[m] = (lanes *)scratch + m * l->n;
    }
    for (; t.first < total; t.first += LANES) {
        t.lanes = total - t.first < LANES ? total - t.first : LANES;
        if (mode0 != NULL && sheet->first == 0 && t.first == 0) {
            find_mode0(&t, single, mode0);
        }
        const size_t alone = find_losses(&t, divide);
        finite = solve_tile(&t, alone, single) && finite;
    }
    return finite;
}
