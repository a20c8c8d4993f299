#include "cpu/pcg.h"
#include "base/pcg_measure.h"
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

/* Numbers of a measure, which are lost, -> what stands for them, in halves. */
static double join_halves(int measure, double *value, size_t count) {
    for (size_t half = count / 2; half > 0; half /= 2) {
        for (size_t m = 0; m < half; m++) {
            value[m] = base_pcg_join(measure, value[m], value[m + half]);
        }
    }
    return value[0];
}

/* Row j of plane k has this value of measure number m: with the last row of a block t->part gets
 * that of the block. */
static void keep_row(const base_pcg_task *t, int m, int measure, double row[ROWS], size_t j,
                     size_t k, double value) {
    row[j % ROWS] = value;
    if (j % ROWS == ROWS - 1 || j + 1 == t->n[1]) {
        for (size_t l = j % ROWS + 1; l < ROWS; l++) {
            row[l] = base_pcg_nothing(measure);
        }
        t->part[((size_t)m * t->n[2] + k) * base_pcg_blocks(t->n[1]) + j / ROWS] =
            join_halves(measure, row, ROWS) * base_pcg_counts(t, measure, k);
    }
}

/* ------------------------------------------------------------------------------- neighbours */

/* Rows of p or eps around a row; and by what p there is multiplied. */
typedef struct rows {
    const double *here, *y[2], *z[2];
    double by_y[2], by_z[2];
} rows;

/* @param[in] plane  planes of p or eps: the one below plane k, this one, the one above */
static rows rows_at(const base_pcg_task *t, const double *const plane[3], size_t j, size_t k) {
    const size_t *n = t->n;
    const base_pcg_beside y = base_pcg_beside_of(t, 1, j);
    const base_pcg_beside z = base_pcg_beside_of(t, 2, k);
    const double *here = plane[1] + j * n[0];
    return (rows){.here = here,
                  .y = {here + y.at[0] * (ptrdiff_t)n[0], here + y.at[1] * (ptrdiff_t)n[0]},
                  .z = {plane[0] + j * n[0], plane[2] + j * n[0]},
                  .by_y = {y.by[0], y.by[1]},
                  .by_z = {z.by[0], z.by[1]}};
}

/* Rows of eps around row j of plane k: at points the first; on faces by axis. What flows along z is
 * that of eps times `by`, below, here and above, or on the faces below and above. */
typedef struct eps_rows {
    rows of[3];
    double by[3], weight; /* of that flux */
} eps_rows;

static eps_rows rows_of_eps(const base_pcg_task *t, size_t j, size_t k) {
    const size_t plane = t->n[0] * t->n[1];
    const bool faces = t->eps[1] != NULL;
    const double here = base_pcg_by_plane(t, k + 1);
    eps_rows all = {.of = {{.here = NULL}},
                    .by = {faces ? base_pcg_by_face(t, k) : base_pcg_by_plane(t, k), here,
                           faces ? base_pcg_by_face(t, k + 1) : base_pcg_by_plane(t, k + 2)},
                    .weight = t->terms.weight[2] * here};
    for (int d = 0; d < 3 && t->eps[d] != NULL; d++) {
        const double *const at = t->eps[d] + (k + 1) * plane;
        const double *const around[3] = {at - plane, at, at + plane};
        all.of[d] = rows_at(t, around, j, k);
    }
    return all;
}

/* --------------------------------------------------------------------------------- measures */

static void measure_row(const base_pcg_task *t, size_t j, size_t k, double measure[]) {
    double lane[BASE_PCG_MEASURES][LANES];
    double room[CHUNK];
    for (int m = 0; m < BASE_PCG_MEASURES; m++) {
        for (int l = 0; l < LANES; l++) {
            lane[m][l] = base_pcg_nothing(m);
        }
    }
    for (size_t at = 0; at < t->n[0]; at += CHUNK) {
        const size_t count = chunk_of(t->n[0], at);
        const double *given = read_row(&t->f, row_of(&t->f, j, k), at, count, room);
        for (size_t i = 0; i < count; i++) {
            const size_t place[3] = {at + i, j, k};
            double value[BASE_PCG_MEASURES];
            double f = given[i];
            if (t->b != NULL) {
                f = t->b[(k * t->n[1] + j) * t->n[0] + at + i] = base_pcg_with_sides(t, place, f);
            }
            base_pcg_measure_at(t, place, f, value);
            for (int m = 0; m < BASE_PCG_MEASURES; m++) {
                lane[m][i % LANES] = base_pcg_join(m, lane[m][i % LANES], value[m]);
            }
        }
    }
    for (int n = 0; n < BASE_PCG_MEASURES; n++) {
        measure[n] = join_halves(n, lane[n], LANES);
    }
}

static void copy_eps(const base_pcg_task *t) {
    const size_t plane = t->n[0] * t->n[1];
    double *to = t->eps[0];
    memcpy(to, t->below, plane * sizeof *to);
    memcpy(to + plane, t->p, t->n[2] * plane * sizeof *to);
    memcpy(to + (t->n[2] + 1) * plane, t->above, plane * sizeof *to);
}

void psg_cpu_pcg_measure(const base_pcg_task *t) {
    double row[BASE_PCG_MEASURES][ROWS];
    double measure[BASE_PCG_MEASURES];
    if (t->eps[1] == NULL) {
        copy_eps(t);
    }
    for (size_t k = 0; k < t->n[2] && t->part != NULL; k++) {
        for (size_t j = 0; j < t->n[1]; j++) {
            measure_row(t, j, k, measure);
            for (int m = 0; m < BASE_PCG_MEASURES; m++) {
                keep_row(t, m, m, row[m], j, k, measure[m]);
            }
        }
    }
}

/* -------------------------------------------------------------------------------------- A p */

/* A p at points first .. end-1. @param[in] next  their neighbours along x */
typedef void (*apply_function)(const base_pcg_terms *terms, const eps_rows *eps, const rows *u,
                               size_t first, size_t end, const base_pcg_beside *next,
                               double *restrict q);

/* In the clones below. Without widths no number is multiplied by 1. */
#define INLINE static inline __attribute__((always_inline))

INLINE void at_points(const base_pcg_terms *terms, const eps_rows *eps, const rows *u, size_t first,
                      size_t end, const base_pcg_beside *next, double *restrict q, bool stretched) {
    const base_pcg_beside x = *next;
    const rows e = eps->of[0];
    const rows p = *u;
    const double w[3] = {terms->weight[0], terms->weight[1], eps->weight};
    const double by[3] = {stretched ? eps->by[0] : 1, stretched ? eps->by[1] : 1,
                          stretched ? eps->by[2] : 1};
    const double lambda = terms->lambda;
    for (size_t i = first; i < end; i++) {
        const double *ex = e.here + i;
        const double *px = p.here + i;
        const double at = *px;
        q[i] = w[0] * base_pcg_flux(*ex, ex[x.at[0]], ex[x.at[1]], x.by[0] * px[x.at[0]] - at,
                                    x.by[1] * px[x.at[1]] - at) +
               w[1] * base_pcg_flux(*ex, e.y[0][i], e.y[1][i], p.by_y[0] * p.y[0][i] - at,
                                    p.by_y[1] * p.y[1][i] - at) +
               w[2] * base_pcg_flux(by[1] * *ex, by[0] * e.z[0][i], by[2] * e.z[1][i],
                                    p.by_z[0] * p.z[0][i] - at, p.by_z[1] * p.z[1][i] - at) -
               (*ex > 0 ? lambda : 0) * at;
    }
}

INLINE void on_faces(const base_pcg_terms *terms, const eps_rows *eps, const rows *u, size_t first,
                     size_t end, const base_pcg_beside *next, double *restrict q, bool stretched) {
    const base_pcg_beside x = *next;
    const rows e[3] = {eps->of[0], eps->of[1], eps->of[2]};
    const rows p = *u;
    const double w[3] = {terms->weight[0], terms->weight[1], eps->weight};
    const double by[2] = {stretched ? eps->by[0] : 1, stretched ? eps->by[2] : 1};
    const double lambda = terms->lambda;
    for (size_t i = first; i < end; i++) {
        const double *ex = e[0].here + i;
        const double *px = p.here + i;
        const double at = *px;
        q[i] = w[0] * base_pcg_face_flux(ex[x.at[0]], *ex, x.by[0] * px[x.at[0]] - at,
                                         x.by[1] * px[x.at[1]] - at) +
               w[1] * base_pcg_face_flux(e[1].y[0][i], e[1].here[i], p.by_y[0] * p.y[0][i] - at,
                                         p.by_y[1] * p.y[1][i] - at) +
               w[2] * base_pcg_face_flux(by[0] * e[2].z[0][i], by[1] * e[2].here[i],
                                         p.by_z[0] * p.z[0][i] - at, p.by_z[1] * p.z[1][i] - at) -
               lambda * at;
    }
}

/* The step from point to point of a row that may be on the rim. */
static size_t rim_step(const base_pcg_task *t, size_t j, size_t k) {
    const size_t last = t->n[0] - 1;
    const bool all = base_pcg_at_free(t, 1, j) || base_pcg_at_free(t, 2, k);
    return all || last == 0 ? 1 : last;
}

static void add_outside(const base_pcg_task *t, size_t j, size_t k, double *q) {
    for (size_t i = 0; i < t->n[0] && t->outside != NULL; i += rim_step(t, j, k)) {
        const size_t at[3] = {i, j, k};
        if (base_pcg_on_rim(t, at)) { /* -0 + 0 is not -0 */
            q[i] += base_pcg_outside(t, at);
        }
    }
}

#define APPLY(name, function, stretched)                                                           \
    PSG_CLONES static void name(const base_pcg_terms *terms, const eps_rows *eps, const rows *u,   \
                                size_t first, size_t end, const base_pcg_beside *next,             \
                                double *restrict q) {                                              \
        function(terms, eps, u, first, end, next, q, stretched);                                   \
    }

APPLY(apply_points, at_points, false)
APPLY(apply_wide_points, at_points, true)
APPLY(apply_faces, on_faces, false)
APPLY(apply_wide_faces, on_faces, true)

void psg_cpu_pcg_apply(const base_pcg_task *t) {
    const bool faces = t->eps[1] != NULL;
    const bool wide = t->widths.of != NULL;
    const apply_function apply =
        faces ? (wide ? apply_wide_faces : apply_faces) : (wide ? apply_wide_points : apply_points);
    const size_t *n = t->n;
    const size_t plane = n[0] * n[1];
    const base_pcg_beside first = base_pcg_beside_of(t, 0, 0);
    const base_pcg_beside last = base_pcg_beside_of(t, 0, n[0] - 1);
    const base_pcg_beside inside = {.at = {-1, 1}, .by = {1, 1}};
    double row[ROWS];
    for (size_t k = 0; k < n[2]; k++) {
        const double *const at = t->p + k * plane;
        const double *const around[3] = {k > 0 ? at - plane : t->below, at,
                                         k + 1 < n[2] ? at + plane : t->above};
        for (size_t j = 0; j < n[1]; j++) {
            const rows p = rows_at(t, around, j, k);
            const eps_rows e = rows_of_eps(t, j, k);
            double *q = t->q + (k * n[1] + j) * n[0];
            double lane[LANES] = {0};
            apply(&t->terms, &e, &p, 0, 1, &first, q);
            apply(&t->terms, &e, &p, 1, n[0] - 1, &inside, q);
            if (n[0] > 1) {
                apply(&t->terms, &e, &p, n[0] - 1, n[0], &last, q);
            }
            add_outside(t, j, k, q);
            add_products(lane, p.here, q, n[0]);
            keep_row(t, 0, BASE_PCG_SUM, row, j, k, psg_cpu_add_halves(lane, LANES));
        }
    }
}

/* ---------------------------------------------------------------------------------- updates */

/* What is done to some numbers of a row, beginning with a multiple of LANES of the row, which is
 * number `at` of the segment. Products are added to the lanes. */
typedef void (*chunk_function)(const base_pcg_task *t, size_t j, size_t k, size_t i, size_t at,
                               size_t count, double lane[LANES]);

static void each_chunk(const base_pcg_task *t, chunk_function work) {
    double row[ROWS];
    for (size_t k = 0; k < t->n[2]; k++) {
        for (size_t j = 0; j < t->n[1]; j++) {
            double lane[LANES] = {0};
            for (size_t i = 0; i < t->n[0]; i += CHUNK) {
                work(t, j, k, i, (k * t->n[1] + j) * t->n[0] + i, chunk_of(t->n[0], i), lane);
            }
            if (t->part != NULL) {
                keep_row(t, 0, BASE_PCG_SUM, row, j, k, psg_cpu_add_halves(lane, LANES));
            }
        }
    }
}

/* D r; without D r itself, in place. @param[out] room  CHUNK */
static const double *scaled(const base_pcg_task *t, const double *r, size_t at, size_t count,
                            double *room) {
    for (size_t m = 0; m < count && t->scale != NULL; m++) {
        room[m] = t->scale[at + m] * r[m];
    }
    return t->scale != NULL ? room : r;
}

static void write_source(const base_pcg_task *t, size_t j, size_t k, size_t i, size_t at,
                         size_t count) {
    double room[CHUNK];
    if (t->source.first != NULL) {
        write_row(&t->source, row_of(&t->source, j, k), i, count,
                  scaled(t, t->r + at, at, count, room));
    }
}

/* x + alpha p -> x, if there is x. */
static void move_x(const base_pcg_task *t, size_t at, size_t count) {
    const double alpha = t->x != NULL ? t->scalars[BASE_PCG_ALPHA] : 0;
    for (size_t m = 0; m < count && alpha != 0; m++) { /* p may be none yet */
        t->x[at + m] = t->x[at + m] + alpha * t->p[at + m];
    }
}

/* z. @param[out] room  CHUNK each */
static const double *read_solution(const base_pcg_task *t, size_t j, size_t k, size_t i, size_t at,
                                   size_t count, double *room, double *room2) {
    return scaled(t, read_row(&t->solution, row_of(&t->solution, j, k), i, count, room), at, count,
                  room2);
}

static void start(const base_pcg_task *t, size_t j, size_t k, size_t i, size_t at, size_t count,
                  double lane[BASE_PCG_STARTS][LANES]) {
    double room[CHUNK];
    double b[CHUNK];
    const double *f = read_row(&t->f, row_of(&t->f, j, k), i, count, room);
    const long begins = t->terms.begins;
    const bool dropped = t->terms.drops && begins != BASE_PCG_FROM_R;
    const double mean[2] = {dropped ? t->scalars[BASE_PCG_F_MEAN] : 0,
                            dropped ? t->scalars[BASE_PCG_B_MEAN] : 0};
    const double scale = begins == BASE_PCG_FROM_R ? 1 : t->scalars[BASE_PCG_SCALE];
    double *r = t->r + at;
    double guess[CHUNK];
    const bool guesses = t->terms.guess && begins == BASE_PCG_ANEW;
    const double *u = guesses ? read_row(&t->u, row_of(&t->u, j, k), i, count, guess) : NULL;
    for (size_t m = 0; m < count; m++) {
        b[m] = (f[m] - mean[0]) * scale - mean[1];
        r[m] = b[m] - (begins == BASE_PCG_FROM_X ? t->q[at + m] : 0);
        t->x[at + m] = begins != BASE_PCG_ANEW
                           ? t->x[at + m] - base_pcg_off_x(&t->terms, t->scalars)
                       : guesses ? u[m] / base_pcg_back(&t->terms, t->scalars)
                                 : 0;
        if (t->outside != NULL && begins == BASE_PCG_ANEW) {
            t->outside[BASE_PCG_FLOW_X * (t->n[0] * t->n[1] * t->n[2]) + at + m] = 0;
        }
        lane[BASE_PCG_R][m % LANES] += r[m];
        lane[BASE_PCG_X][m % LANES] += t->x[at + m];
    }
    if (t->scale != NULL && begins == BASE_PCG_ANEW) {
        for (size_t m = 0; m < count; m++) {
            t->scale[at + m] = base_pcg_scale_at(t, (const size_t[3]){i + m, j, k});
        }
    }
    write_source(t, j, k, i, at, count);
    add_products(lane[BASE_PCG_RR_START], r, r, count);
    add_products(lane[BASE_PCG_FF], b, b, count);
}

void psg_cpu_pcg_start(const base_pcg_task *t) {
    const size_t *n = t->n;
    const int sums = base_pcg_measures(BASE_PCG_STARTED, &t->terms);
    double row[BASE_PCG_STARTS][ROWS];
    for (size_t at = 0; at < n[0] * n[1] * n[2]; at += n[0]) {
        const size_t j = at / n[0] % n[1];
        const size_t k = at / n[0] / n[1];
        double lane[BASE_PCG_STARTS][LANES] = {{0}};
        for (size_t i = 0; i < n[0]; i += CHUNK) {
            start(t, j, k, i, at + i, chunk_of(n[0], i), lane);
        }
        for (int m = 0; m < sums; m++) {
            keep_row(t, m, BASE_PCG_SUM, row[m], j, k, psg_cpu_add_halves(lane[m], LANES));
        }
    }
}

static void dot(const base_pcg_task *t, size_t j, size_t k, size_t i, size_t at, size_t count,
                double lane[LANES]) {
    double room[2][CHUNK];
    add_products(lane, t->r + at, read_solution(t, j, k, i, at, count, room[0], room[1]), count);
}

void psg_cpu_pcg_dot(const base_pcg_task *t) {
    each_chunk(t, dot);
}

static void direction(const base_pcg_task *t, size_t j, size_t k, size_t i, size_t at, size_t count,
                      double lane[LANES]) {
    double room[2][CHUNK];
    const bool solved = t->solution.first != NULL;
    const double beta = solved && t->scalars != NULL ? t->scalars[BASE_PCG_BETA] : 0;
    double *p = t->p + at;
    (void)lane;
    move_x(t, at, count);
    const double *z = solved ? read_solution(t, j, k, i, at, count, room[0], room[1]) : t->x + at;
    for (size_t m = 0; m < count; m++) {
        p[m] = beta != 0 ? z[m] + beta * p[m] : z[m];
    }
}

void psg_cpu_pcg_direction(const base_pcg_task *t) {
    const size_t *n = t->n;
    const size_t plane = n[0] * n[1];
    each_chunk(t, direction);
    for (size_t row = 0; row < n[1] * n[2] && t->outside != NULL; row++) {
        const size_t j = row % n[1];
        const size_t k = row / n[1];
        for (size_t i = 0; i < n[0] && t->scalars[BASE_PCG_ALPHA] != 0; i += rim_step(t, j, k)) {
            if (base_pcg_on_rim(t, (const size_t[3]){i, j, k})) {
                base_pcg_move_flow(t, row * n[0] + i);
            }
        }
    }
    memcpy(t->low, t->p, plane * sizeof *t->p);
    memcpy(t->high, t->p + (n[2] - 1) * plane, plane * sizeof *t->p);
}

static void update(const base_pcg_task *t, size_t j, size_t k, size_t i, size_t at, size_t count,
                   double lane[LANES]) {
    const double alpha = t->scalars[BASE_PCG_ALPHA];
    const double mean = t->scalars[BASE_PCG_R_MEAN];
    double *r = t->r + at;
    move_x(t, at, count);
    for (size_t m = 0; m < count; m++) {
        r[m] = r[m] - alpha * t->q[at + m] - mean;
    }
    write_source(t, j, k, i, at, count);
    add_products(lane, r, r, count);
}

void psg_cpu_pcg_update(const base_pcg_task *t) {
    each_chunk(t, update);
}

static void end(const base_pcg_task *t, size_t j, size_t k, size_t i, size_t at, size_t count,
                double lane[LANES]) {
    const double back = base_pcg_back(&t->terms, t->scalars);
    const double mean = t->scalars[BASE_PCG_X_MEAN];
    double u[CHUNK];
    bool fits = true;
    (void)lane;
    for (size_t m = 0; m < count; m++) {
        u[m] = (t->x[at + m] - mean) * back;
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
