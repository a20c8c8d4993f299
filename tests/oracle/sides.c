#include "tests/oracle/sides.h"

#include <math.h>

static const long double pi = 3.14159265358979323846264338327950288L;

/* Quarters of a step: whole numbers for all points and sides. */
enum { STEP = 4 };

static int periodic(const oracle_line *line) {
    return line->side[0] == 'P';
}

/* Steps from the lower side to the upper one. */
static long steps(const oracle_line *line) {
    const long n = (long)line->n;
    if (periodic(line) || !line->nodes || line->side[0] != line->side[1]) {
        return n;
    }
    return line->side[0] == 'D' ? n + 1 : n - 1;
}

/* From the lower side to point j. */
static long place(const oracle_line *line, long j) {
    if (periodic(line)) {
        return STEP * j;
    }
    return STEP * j + (!line->nodes ? STEP / 2 : line->side[0] == 'D' ? STEP : 0);
}

long double oracle_line_step(const oracle_line *line) {
    return (long double)line->length / (long double)steps(line);
}

long double oracle_line_place(const oracle_line *line, size_t j) {
    return (long double)place(line, (long)j) / STEP * oracle_line_step(line);
}

/* Half waves, times two. */
static long half_waves(const oracle_line *line, size_t m) {
    if (periodic(line)) {
        return 4 * (long)(2 * m <= line->n ? m : line->n - m);
    }
    return 2 * (long)m + (line->side[0] == 'D') + (line->side[1] == 'D');
}

double oracle_line_mode(const oracle_line *line, size_t m, size_t j) {
    const long whole = 4 * STEP * steps(line); /* a turn of half_waves x place */
    const long turn = half_waves(line, m) * place(line, (long)j) % whole;
    const long double angle = 2 * pi * (long double)turn / (long double)whole;
    const int sine = periodic(line) ? 2 * m > line->n : line->side[0] == 'D';
    return (double)(sine ? sinl(angle) : cosl(angle));
}

long double oracle_line_eigenvalue(const oracle_line *line, oracle_stencil stencil, size_t m) {
    const long double h = oracle_line_step(line);
    const long double t = pi * (long double)half_waves(line, m) / 2 / (long double)steps(line);
    switch (stencil) {
    case ORACLE_LINE_FD2:
        return -(2 - 2 * cosl(t)) / (h * h);
    case ORACLE_LINE_FD4:
        return (-2 * cosl(2 * t) + 32 * cosl(t) - 30) / (12 * h * h);
    case ORACLE_LINE_FD6:
        return (4 * cosl(3 * t) - 54 * cosl(2 * t) + 540 * cosl(t) - 490) / (180 * h * h);
    case ORACLE_LINE_FD8:
        return (-18 * cosl(4 * t) + 256 * cosl(3 * t) - 2016 * cosl(2 * t) + 16128 * cosl(t) -
                14350) /
               (5040 * h * h);
    default:
        return -t * t / (h * h);
    }
}

/* u at point j, which may be beyond a side. */
static long double beyond(const oracle_line *line, const double *u, size_t stride, long j) {
    const long last = STEP * steps(line);
    long double sign = 1;
    long at = place(line, j);
    if (periodic(line)) {
        at = (at % last + last) % last;
        return u[(size_t)(at / STEP) * stride];
    }
    while (at < 0 || at > last) {
        const int upper = at > last;
        at = upper ? 2 * last - at : -at;
        sign = line->side[upper] == 'D' ? -sign : sign;
    }
    if ((at == 0 && line->side[0] == 'D') || (at == last && line->side[1] == 'D')) {
        return 0;
    }
    return sign * u[(size_t)((at - place(line, 0)) / STEP) * stride];
}

long double oracle_line_second(const oracle_line *line, oracle_stencil stencil, const double *u,
                               size_t stride, size_t j) {
    const long double h = oracle_line_step(line);
    /* of the point, its neighbours and theirs, over the first number */
    static const long double weights[][6] = {
        [ORACLE_LINE_FD2] = {1, -2, 1},
        [ORACLE_LINE_FD4] = {12, -30, 16, -1},
        [ORACLE_LINE_FD6] = {180, -490, 270, -27, 2},
        [ORACLE_LINE_FD8] = {5040, -14350, 8064, -1008, 128, -9}};
    const long double *w = weights[stencil];
    long double sum = w[1] * beyond(line, u, stride, (long)j);
    for (long m = 1; m <= 4; ++m) {
        sum += w[1 + m] *
               (beyond(line, u, stride, (long)j - m) + beyond(line, u, stride, (long)j + m));
    }
    return sum / (w[0] * h * h);
}

double oracle_line_weight(const oracle_line *line, size_t j) {
    const long at = place(line, (long)j);
    return !periodic(line) && (at == 0 || at == STEP * steps(line)) ? 0.5 : 1;
}
