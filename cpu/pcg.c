#include "cpu/pcg.h"
#include "cpu/clones.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { LANES = BASE_PCG_LANES, ROWS = BASE_PCG_ROWS, SUM_LANES = BASE_PCG_SUM_LANES };
enum { CHUNK = 8 * LANES }; /* reals that are converted at once */

/* ------------------------------------------------------------------------------------- rows */

static size_t chunk_of(size_t count, size_t at) {
    return count - at < CHUNK ? count - at : CHUNK;
}

/* Row j of plane k. */
static void *row_of(const base_pcg_field *a, size_t j, size_t k) {
    const size_t bytes = a->single ? sizeof(float) : sizeof(double);
    return (char *)a->first + (k * a->plane_pitch + j * a->row_pitch) * bytes;
}

/* Reals from number `at` of a row on. @param[out] room  CHUNK @return them as doubles */
static const double *read_row(const base_pcg_field *a, const void *row, size_t at, size_t count,
                              double *room) {
    if (!a->single) {
        return (const double *)row + at;
    }
    for (size_t i = 0; i < count; i++) {
        room[i] = ((const float *)row)[at + i];
    }
    return room;
}

static void write_row(const base_pcg_field *a, void *row, size_t at, size_t count,
                      const double *from) {
    for (size_t i = 0; i < count && a->single; i++) {
        ((float *)row)[at + i] = (float)from[i];
    }
    if (!a->single) {
        memcpy((double *)row + at, from, count * sizeof *from);
    }
}

/* ------------------------------------------------------------------------------------- sums */

/* Products of a row from a multiple of LANES on. */
PSG_CLONES static void add_products(double lane[LANES], const double *a, const double *b,
                                    size_t count) {
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (size_t l = 0; l < LANES; l++) {
            lane[l] += a[i + l] * b[i + l];
        }
    }
    for (size_t l = 0; i + l < count; l++) {
        lane[l] += a[i + l] * b[i + l];
    }
}

/* Row j has this sum: `part` gets that of its block with the block's last row. */
static void keep_row(double row[ROWS], double *part, size_t j, size_t ny, double sum) {
    row[j % ROWS] = sum;
    if (j % ROWS == ROWS - 1 || j + 1 == ny) {
        for (size_t m = j % ROWS + 1; m < ROWS; m++) {
            row[m] = 0;
        }
        part[j / ROWS] = psg_cpu_add_halves(row, ROWS);
    }
}

/* --------------------------------------------------------------------------------- measures */

static void measure_row(const base_pcg_task *t, size_t j, size_t k, double measure[], double *sum) {
    double lane[LANES] = {0};
    double room[CHUNK];
    double ones[CHUNK];
    for (size_t i = 0; i < CHUNK; i++) {
        ones[i] = 1;
    }
    for (size_t at = 0; at < t->n[0]; at += CHUNK) {
        const size_t count = chunk_of(t->n[0], at);
        const double *f = read_row(&t->f, row_of(&t->f, j, k), at, count, room);
        add_products(lane, f, ones, count);
        for (size_t i = 0; i < count; i++) {
            measure[BASE_PCG_LARGEST] =
                base_pcg_join(BASE_PCG_LARGEST, measure[BASE_PCG_LARGEST], fabs(f[i]));
        }
    }
    const double *eps = t->eps + ((k + 1) * t->n[1] + j) * t->n[0];
    for (size_t i = 0; i < t->n[0]; i++) {
        const double good = base_pcg_good(eps[i]) ? eps[i] : 0;
        measure[BASE_PCG_LEAST] = base_pcg_join(BASE_PCG_LEAST, measure[BASE_PCG_LEAST], good);
        measure[BASE_PCG_MOST] = base_pcg_join(BASE_PCG_MOST, measure[BASE_PCG_MOST], good);
    }
    *sum = psg_cpu_add_halves(lane, LANES);
}

/* Plane k of `given` -> plane `to` of eps. */
static void take_plane(const base_pcg_task *t, const base_pcg_field *given, size_t k, size_t to) {
    for (size_t j = 0; j < t->n[1]; j++) {
        double *eps = t->eps + (to * t->n[1] + j) * t->n[0];
        const void *row = row_of(given, j, k);
        for (size_t i = 0; i < t->n[0]; i++) {
            eps[i] = given->single ? (double)((const float *)row)[i] : ((const double *)row)[i];
        }
    }
}

void psg_cpu_pcg_measure(const base_pcg_task *t) {
    const size_t blocks = base_pcg_blocks(t->n[1]);
    double row[ROWS];
    double measure[BASE_PCG_MEASURES];
    take_plane(t, &t->given[1], t->given_planes - 1, 0);
    for (size_t k = 0; k < t->n[2]; k++) {
        take_plane(t, &t->given[0], k, k + 1);
    }
    take_plane(t, &t->given[2], 0, t->n[2] + 1);
    for (size_t k = 0; k < t->n[2]; k++) {
        for (size_t j = 0; j < t->n[1]; j++) {
            double sum = 0;
            for (int m = 0; m < BASE_PCG_MEASURES && j % ROWS == 0; m++) {
                measure[m] = base_pcg_nothing(m);
            }
            measure_row(t, j, k, measure, &sum);
            keep_row(row, t->part + k * blocks, j, t->n[1], sum);
            for (int m = BASE_PCG_LARGEST; m < BASE_PCG_MEASURES; m++) {
                t->part[((size_t)m * t->n[2] + k) * blocks + j / ROWS] = measure[m];
            }
        }
    }
}

/* ---------------------------------------------------------------------------------- updates */

/* What is done to some numbers of a row, beginning with a multiple of LANES of the row, which is
 * number `at` of the segment. Products are added to the lanes. */
typedef void (*chunk_function)(const base_pcg_task *t, size_t j, size_t k, size_t i, size_t at,
                               size_t count, double lane[LANES]);

static void each_chunk(const base_pcg_task *t, chunk_function work) {
    const size_t blocks = base_pcg_blocks(t->n[1]);
    double row[ROWS];
    for (size_t k = 0; k < t->n[2]; k++) {
        for (size_t j = 0; j < t->n[1]; j++) {
            double lane[LANES] = {0};
            for (size_t i = 0; i < t->n[0]; i += CHUNK) {
                work(t, j, k, i, (k * t->n[1] + j) * t->n[0] + i, chunk_of(t->n[0], i), lane);
            }
            if (t->part != NULL) {
                keep_row(row, t->part + k * blocks, j, t->n[1], psg_cpu_add_halves(lane, LANES));
            }
        }
    }
}

static void start(const base_pcg_task *t, size_t j, size_t k, size_t i, size_t at, size_t count,
                  double lane[LANES]) {
    double room[CHUNK];
    const double *f = read_row(&t->f, row_of(&t->f, j, k), i, count, room);
    const double mean = t->scalars[BASE_PCG_F_MEAN];
    const double scale = t->scalars[BASE_PCG_SCALE];
    double *r = t->r + at;
    for (size_t m = 0; m < count; m++) {
        r[m] = (f[m] - mean) * scale;
        t->x[at + m] = t->p[at + m] = 0;
    }
    write_row(&t->source, row_of(&t->source, j, k), i, count, r);
    add_products(lane, r, r, count);
}

static void add_up(const base_pcg_task *t, size_t j, size_t k, size_t i, size_t at, size_t count,
                   double lane[LANES]) {
    (void)j, (void)k, (void)i;
    for (size_t m = 0; m < count; m++) {
        lane[m % LANES] += t->r[at + m];
    }
}

void psg_cpu_pcg_start(const base_pcg_task *t) {
    each_chunk(t, start);
    if (t->terms.drops) {
        base_pcg_task sums = *t;
        sums.part += t->n[2] * base_pcg_blocks(t->n[1]);
        each_chunk(&sums, add_up);
    }
}

static void dot(const base_pcg_task *t, size_t j, size_t k, size_t i, size_t at, size_t count,
                double lane[LANES]) {
    double room[CHUNK];
    add_products(lane, t->r + at,
                 read_row(&t->solution, row_of(&t->solution, j, k), i, count, room), count);
}

void psg_cpu_pcg_dot(const base_pcg_task *t) {
    each_chunk(t, dot);
}

static void direction(const base_pcg_task *t, size_t j, size_t k, size_t i, size_t at, size_t count,
                      double lane[LANES]) {
    double room[CHUNK];
    const double *z = read_row(&t->solution, row_of(&t->solution, j, k), i, count, room);
    const double beta = t->scalars[BASE_PCG_BETA];
    double *p = t->p + at;
    (void)lane;
    for (size_t m = 0; m < count; m++) {
        p[m] = z[m] + beta * p[m];
    }
}

void psg_cpu_pcg_direction(const base_pcg_task *t) {
    const size_t plane = t->n[0] * t->n[1];
    each_chunk(t, direction);
    memcpy(t->low, t->p, plane * sizeof *t->p);
    memcpy(t->high, t->p + (t->n[2] - 1) * plane, plane * sizeof *t->p);
}

static void update(const base_pcg_task *t, size_t j, size_t k, size_t i, size_t at, size_t count,
                   double lane[LANES]) {
    const double alpha = t->scalars[BASE_PCG_ALPHA];
    const double mean = t->scalars[BASE_PCG_R_MEAN];
    double *x = t->x + at;
    double *r = t->r + at;
    for (size_t m = 0; m < count; m++) {
        x[m] = x[m] + alpha * t->p[at + m];
        r[m] = r[m] - alpha * t->q[at + m] - mean;
    }
    write_row(&t->source, row_of(&t->source, j, k), i, count, r);
    add_products(lane, r, r, count);
}

void psg_cpu_pcg_update(const base_pcg_task *t) {
    each_chunk(t, update);
}

static void end(const base_pcg_task *t, size_t j, size_t k, size_t i, size_t at, size_t count,
                double lane[LANES]) {
    const double back = t->terms.factor / t->scalars[BASE_PCG_SCALE];
    double u[CHUNK];
    bool fits = true;
    (void)lane;
    for (size_t m = 0; m < count; m++) {
        u[m] = t->x[at + m] * back;
        fits = fits && base_pcg_fits(t->u.single, u[m]);
    }
    if (!fits) {
        atomic_store((atomic_int *)(void *)t->overflow,
                     1); /* tasks of other segments write it, too */
    }
    write_row(&t->u, row_of(&t->u, j, k), i, count, u);
}

void psg_cpu_pcg_end(const base_pcg_task *t) {
    each_chunk(t, end);
}

/* -------------------------------------------------------------------------------------- A p */

/* Rows of p or eps around a row; and by what p there is multiplied. */
typedef struct rows {
    const double *here, *y[2], *z[2];
    double by_y[2], by_z[2];
} rows;

/* The neighbours of a point along x. */
typedef struct beside {
    ptrdiff_t at[2];
    double by[2];
} beside;

/* Points first .. end-1. */
PSG_CLONES static void apply_points(const base_pcg_terms *terms, const rows *eps, const rows *u,
                                    size_t first, size_t end, const beside *next,
                                    double *restrict q) {
    const beside x = *next;
    const rows e = *eps;
    const rows p = *u;
    const double w[3] = {terms->weight[0], terms->weight[1], terms->weight[2]};
    const double lambda = terms->lambda;
    for (size_t i = first; i < end; i++) {
        const double *ex = e.here + i;
        const double *px = p.here + i;
        const double at = *px;
        q[i] = w[0] * base_pcg_flux(*ex, ex[x.at[0]], ex[x.at[1]], x.by[0] * px[x.at[0]] - at,
                                    x.by[1] * px[x.at[1]] - at) +
               w[1] * base_pcg_flux(*ex, e.y[0][i], e.y[1][i], p.by_y[0] * p.y[0][i] - at,
                                    p.by_y[1] * p.y[1][i] - at) +
               w[2] * base_pcg_flux(*ex, e.z[0][i], e.z[1][i], p.by_z[0] * p.z[0][i] - at,
                                    p.by_z[1] * p.z[1][i] - at) -
               lambda * at;
    }
}

/* The neighbours of point `at` of n along an axis, from it on. */
static beside beside_of(const base_pcg_terms *t, int d, size_t at, size_t n) {
    const bool end[2] = {at == 0, at + 1 == n};
    const ptrdiff_t wrap = t->ends[d] ? 0 : (ptrdiff_t)n - 1;
    return (beside){.at = {end[0] ? wrap : -1, end[1] ? -wrap : 1},
                    .by = {end[0] && t->ends[d] ? t->beyond[d][0] : 1,
                           end[1] && t->ends[d] ? t->beyond[d][1] : 1}};
}

/* @param[in] plane  planes of p or eps: the one below, this one, the one above
 * @param[in] by_z   of those below and above */
static rows rows_at(const base_pcg_task *t, const double *const plane[3], const double by_z[2],
                    size_t j) {
    const size_t *n = t->n;
    const beside y = beside_of(&t->terms, 1, j, n[1]);
    const double *here = plane[1] + j * n[0];
    return (rows){.here = here,
                  .y = {here + y.at[0] * (ptrdiff_t)n[0], here + y.at[1] * (ptrdiff_t)n[0]},
                  .z = {plane[0] + j * n[0], plane[2] + j * n[0]},
                  .by_y = {y.by[0], y.by[1]},
                  .by_z = {by_z[0], by_z[1]}};
}

void psg_cpu_pcg_apply(const base_pcg_task *t) {
    const size_t *n = t->n;
    const size_t plane = n[0] * n[1];
    const beside first = beside_of(&t->terms, 0, 0, n[0]);
    const beside last = beside_of(&t->terms, 0, n[0] - 1, n[0]);
    const beside inside = {.at = {-1, 1}, .by = {1, 1}};
    double row[ROWS];
    for (size_t k = 0; k < n[2]; k++) {
        const double by_z[2] = {k == 0 && t->end[0] ? t->terms.beyond[2][0] : 1,
                                k + 1 == n[2] && t->end[1] ? t->terms.beyond[2][1] : 1};
        const double *const at = t->p + k * plane;
        const double *const eps = t->eps + (k + 1) * plane;
        const double *const around[2][3] = {
            {k > 0 ? at - plane : t->below, at, k + 1 < n[2] ? at + plane : t->above},
            {eps - plane, eps, eps + plane}};
        for (size_t j = 0; j < n[1]; j++) {
            const rows p = rows_at(t, around[0], by_z, j);
            const rows e = rows_at(t, around[1], by_z, j);
            double *q = t->q + (k * n[1] + j) * n[0];
            double lane[LANES] = {0};
            apply_points(&t->terms, &e, &p, 0, 1, &first, q);
            apply_points(&t->terms, &e, &p, 1, n[0] - 1, &inside, q);
            if (n[0] > 1) {
                apply_points(&t->terms, &e, &p, n[0] - 1, n[0], &last, q);
            }
            add_products(lane, p.here, q, n[0]);
            keep_row(row, t->part + k * base_pcg_blocks(n[1]), j, n[1],
                     psg_cpu_add_halves(lane, LANES));
        }
    }
}

/* ---------------------------------------------------------------------------------- scalars */

void psg_cpu_pcg_join(const base_pcg_pieces *pieces, double *lanes) {
    for (int m = 0; m < pieces->measures; m++, lanes += SUM_LANES) {
        const int measure = base_pcg_measure(pieces->stage, m);
        size_t number = pieces->start;
        for (size_t l = 0; number == 0 && l < SUM_LANES; l++) {
            lanes[l] = base_pcg_nothing(measure);
        }
        for (size_t s = 0; s < pieces->count; s++) {
            const double *part = pieces->part[s] + (size_t)m * pieces->numbers[s];
            for (size_t i = 0; i < pieces->numbers[s]; i++, number++) {
                double *lane = &lanes[number % SUM_LANES];
                *lane = base_pcg_join(measure, *lane, part[i]);
            }
        }
    }
}

void psg_cpu_pcg_next(base_pcg_stage stage, double *lanes, const base_pcg_terms *terms,
                      double *scalars, double *report) {
    double sum[BASE_PCG_MEASURES];
    for (int m = 0; m < base_pcg_measures(stage, terms); m++, lanes += SUM_LANES) {
        const int measure = base_pcg_measure(stage, m);
        for (size_t half = SUM_LANES / 2; half > 0; half /= 2) {
            for (size_t l = 0; l < half; l++) {
                lanes[l] = base_pcg_join(measure, lanes[l], lanes[l + half]);
            }
        }
        sum[m] = lanes[0];
    }
    base_pcg_next(stage, sum, terms, scalars);
    if (report != NULL) {
        memcpy(report, scalars, BASE_PCG_SCALARS * sizeof *report);
    }
}
