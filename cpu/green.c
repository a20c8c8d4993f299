/* A Green's function is the integral of a heat kernel over the time s, and the heat kernel of a box
 * is a product of one factor per axis:
 *
 *   1 / (lambda + q^2 - e) = integral of exp(-lambda s) exp(-q^2 s) exp(e s) over s > 0
 *
 * So the integral by a sum over nodes s is a sum of products, of any box and any spacings. The
 * factor of a free axis of length l is the transform of the heat kernel exp(-x^2/4s)/sqrt(4 pi s)
 * over |x| < l only: with 2 n points no point sees further. (Greengard, Jiang and Zhang, SIAM J.
 * Sci. Comput. 40, 2018, have this for the box.) */
#include "cpu/green.h"

#include "base/memory.h"
#include "cpu/ops.h"
#include "cpu/symbol.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Spectral: the first LOW modes by Gauss's rule, the others by a series. */
enum { LOW = 32, HALF = 60, SERIES = 8 };

typedef struct heat_kernel {
    const psg_cpu_green_spec *spec;
    int free;                 /* axes that are */
    double smallest;          /* lambda - e */
    double first;             /* START/K, as below */
    double last;              /* the last node is this or beyond */
    double square[HALF];      /* x^2 of Gauss's points x > 0, */
    double cosine[LOW][HALF]; /* and cos(pi m x) times their weight in an integral from -1 to 1 */
} heat_kernel;

/* ---------------------------------------------------------------------------------- the nodes */

/* s = START/K exp(v - exp(-v)), v = FIRST, FIRST + STEP, ...: the trapezoidal rule in v, exact to
 * 1e-15 because all depends on log s smoothly. K is the largest lambda + q^2 - e. The times before
 * the first node have 1e-17/K of the integral. */
static const double START = 0.05;
static const double FIRST = -3.5;
static const double STEP = 0.22;

static const double EULER = 0.57721566490153286061;

static void find_range(heat_kernel *heat) {
    double largest = heat->spec->lambda;
    double diagonal2 = 0;
    heat->smallest = heat->spec->lambda;
    for (int d = 0; d < 3; d++) {
        const psg_cpu_green_axis *axis = &heat->spec->axis[d];
        double low = axis->eigen == NULL ? 0 : INFINITY;
        double high = axis->eigen == NULL ? pow(psg_symbol_pi / axis->spacing, 2) : 0;
        for (size_t m = 0; axis->eigen != NULL && m < axis->modes; m++) {
            low = fmin(low, -axis->eigen[m]);
            high = fmax(high, -axis->eigen[m]);
        }
        heat->smallest += low;
        largest += high;
        if (axis->eigen == NULL) {
            heat->free++;
            diagonal2 += pow((double)(axis->modes - 1) * axis->spacing, 2);
        }
    }
    heat->first = START / largest;
    /* From some time on the heat kernel is a constant in all of the box. */
    heat->last = heat->smallest > 0 ? 40 / fmax(heat->smallest, 1e-290)
                                    : (heat->free == 3 ? 1e12 : 1e17) * diagonal2;
}

static size_t count_nodes(const heat_kernel *heat) {
    return (size_t)((log(heat->last / heat->first) - FIRST) / STEP) + 2;
}

typedef struct node {
    double s, weight;
} node;

static node node_of(const heat_kernel *heat, size_t term) {
    const double v = FIRST + STEP * (double)term;
    const double s = heat->first * exp(v - exp(-v));
    return (node){.s = s, .weight = STEP * (1 + exp(-v)) * s};
}

/* Where lambda - e is 0, the last term times a number stands for itself and for all beyond it. With
 * three free axes the terms fall as s^(-1/2): a geometric series. With two they do not fall. The
 * sum up to s is (log(4 s/r^2) - EULER + STEP/2)/(4 pi): so much is taken off that it is 0 at
 * zero_at. */
static double last_times(const heat_kernel *heat, double s) {
    const double zero = heat->spec->zero_at;
    return heat->free == 3 ? 1 / (1 - exp(-STEP / 2))
                           : 0.5 - (log(4 * s / (zero * zero)) - EULER) / STEP;
}

/* ------------------------------------------------------------------ the factor of a free axis */

static void find_gauss(heat_kernel *heat) {
    const int n = 2 * HALF;
    for (int i = 0; i < HALF; i++) {
        double x = cos(psg_symbol_pi * (i + 0.75) / (n + 0.5));
        double slope = 1;
        for (int newton = 0; newton < 6; newton++) {
            double before = 1;
            double p = x;
            for (int k = 2; k <= n; k++) {
                const double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
                before = p;
                p = next;
            }
            slope = n * (before - x * p) / (1 - x * x);
            x -= p / slope;
        }
        heat->square[i] = x * x;
        for (int m = 0; m < LOW; m++) {
            heat->cosine[m][i] = 4 / ((1 - x * x) * slope * slope) * cos(psg_symbol_pi * m * x);
        }
    }
}

/* Spectral: the transform of exp(-x^2/4s) / sqrt(4 pi s) from -l to l. */
static void transform_box(const heat_kernel *heat, size_t n, double h, double s, double *factor) {
    const double length = (double)n * h;
    const double t = length / (2 * sqrt(s));
    double gauss[HALF];
    double slope[SERIES]; /* the derivatives 1, 3, 5, ... of exp(-t^2 x^2) at x = 1 */
    double derivative[2] = {0, exp(-t * t)};
    for (int k = 0; k < HALF; k++) {
        gauss[k] = exp(-t * t * heat->square[k]);
    }
    for (int k = 0; k < 2 * SERIES; k++) {
        const double next = -2 * t * t * (derivative[1] + k * derivative[0]);
        derivative[0] = derivative[1];
        derivative[1] = next;
        slope[k / 2] = k % 2 == 0 ? next : slope[k / 2];
    }
    for (size_t m = 0; m <= n; m++) {
        const double q = psg_symbol_pi * (double)m;
        double sum = 0;
        if (t > 6.2) { /* nothing is beyond the ends */
            factor[m] = exp(-q * q / (4 * t * t));
            continue;
        }
        for (int k = 0; m < LOW && k < HALF; k++) {
            sum += gauss[k] * heat->cosine[m][k];
        }
        for (int k = SERIES - 1; m >= LOW && k >= 0; k--) { /* by parts, again and again */
            sum = (slope[k] - sum) / (q * q);
        }
        factor[m] = t / sqrt(psg_symbol_pi) * (m < LOW ? sum : m % 2 == 0 ? 2 * sum : -2 * sum);
    }
}

/* FD2: exp(-z) I_a(z), z = 2 s/h^2, is the heat kernel of points. I_a / I_(a-1) is a continued
 * fraction, and exp(-z) (I_0 + 2 I_1 + 2 I_2 + ...) is 1. */
static void find_lattice(const heat_kernel *heat, size_t n, double h, double s, double *factor) {
    (void)heat;
    const double z = 2 * s / (h * h);
    const bool late = z > 100 * (1 + (double)n * (double)n);
    double ratio = 0;
    double rest = 0; /* (I_a + I_(a+1) + ...) / I_(a-1) */
    for (size_t a = late ? 0 : n + 20 + (size_t)(12 * sqrt(z)); a > 0; a--) {
        ratio = 1 / (2 * (double)a / z + ratio);
        rest = ratio * (1 + rest);
        if (a <= n) {
            factor[a] = ratio;
        }
    }
    factor[0] = 1 / (1 + 2 * rest);
    for (size_t a = 1; a <= n && !late; a++) {
        factor[a] *= factor[a - 1];
    }
    for (size_t a = 0; a <= n && late; a++) {
        double series = 1;
        for (int k = 8; k > 0; k--) {
            const double odd = 2 * k - 1;
            series = 1 - (4 * (double)a * (double)a - odd * odd) / (8 * k * z) * series;
        }
        factor[a] = series / sqrt(2 * psg_symbol_pi * z);
    }
}

/* IGF: the integral of the heat kernel over a cell. */
static void find_cells(const heat_kernel *heat, size_t n, double h, double s, double *factor) {
    (void)heat;
    const double t = h / (2 * sqrt(s));
    for (size_t a = 0; a <= n; a++) {
        const double y = pow(t * (double)a, 2);
        /* The difference of two near numbers has few digits: then by derivatives. */
        factor[a] =
            t < 0.01
                ? t / sqrt(psg_symbol_pi) * exp(-y) *
                      (1 + t * t * (2 * y - 1) / 12 + pow(t, 4) * (4 * y * y - 12 * y + 3) / 480)
                : (erf(t * ((double)a + 0.5)) - erf(t * ((double)a - 0.5))) / 2;
    }
}

/* -------------------------------------------------------------------------------- the products */

/* @return an axis before d with the factors of d, if d is free; else d */
static int find_same(const heat_kernel *heat, int d) {
    const psg_cpu_green_axis *axis = heat->spec->axis;
    int same = 0;
    while (same < d &&
           !(axis[d].eigen == NULL && axis[same].eigen == NULL &&
             axis[same].modes == axis[d].modes && axis[same].spacing == axis[d].spacing)) {
        same++;
    }
    return same;
}

static bool find_free(const heat_kernel *heat, int d, const psg_cpu_green *green) {
    static void (*const find[])(const heat_kernel *heat, size_t n, double h, double s,
                                double *factor) = {[PSG_CPU_GREEN_SPECTRAL] = transform_box,
                                                   [PSG_CPU_GREEN_FD2] = find_lattice,
                                                   [PSG_CPU_GREEN_IGF] = find_cells};
    const psg_cpu_green_kind kind = heat->spec->kind;
    const psg_cpu_green_axis *axis = &heat->spec->axis[d];
    double *factor = green->factor[d];
    for (size_t term = 0; term < green->terms; term++, factor += green->pitch[d]) {
        find[kind](heat, axis->modes - 1, axis->spacing, node_of(heat, term).s, factor);
    }
    const int points = (int)axis->modes;
    return kind == PSG_CPU_GREEN_SPECTRAL ||
           psg_cpu_cosines(1, &points, green->terms, green->pitch[d], green->factor[d]);
}

static void find_bounded(const heat_kernel *heat, int d, const psg_cpu_green *green) {
    const psg_cpu_green_axis *axis = &heat->spec->axis[d];
    double *factor = green->factor[d];
    for (size_t term = 0; term < green->terms; term++, factor += green->pitch[d]) {
        const double s = node_of(heat, term).s;
        const bool ends = heat->smallest == 0 && term + 1 == green->terms;
        for (size_t m = 0; m < axis->modes; m++) {
            factor[m] = ends && axis->eigen[m] == 0 ? last_times(heat, s) : exp(axis->eigen[m] * s);
        }
    }
}

/* The weights go with the factor of z. */
static void weigh(const heat_kernel *heat, const psg_cpu_green *green) {
    double *factor = green->factor[2];
    for (size_t term = 0; term < green->terms; term++, factor += green->pitch[2]) {
        const node at = node_of(heat, term);
        const bool ends = heat->smallest == 0 && term + 1 == green->terms && heat->free == 3;
        const double weight =
            at.weight * (ends ? last_times(heat, at.s) : exp(-heat->spec->lambda * at.s));
        for (size_t m = 0; m < green->modes[2]; m++) {
            factor[m] *= weight;
        }
    }
}

static bool make_factors(const heat_kernel *heat, psg_cpu_green *green) {
    bool good = true;
    green->terms = count_nodes(heat);
    for (int d = 0; good && d < 3; d++) {
        green->modes[d] = heat->spec->axis[d].modes;
        green->pitch[d] = ((green->modes[d] + 7) / 8 | 1) * 8; /* odd: not to one set of a cache */
        const size_t bytes =
            (green->terms * green->pitch[d] + PSG_CPU_GREEN_BEYOND) * sizeof(double);
        green->factor[d] = base_allocate(bytes);
        good = green->factor[d] != NULL;
        const int same = find_same(heat, d);
        if (good && same < d) {
            memcpy(green->factor[d], green->factor[same], bytes);
            continue;
        }
        if (good) {
            memset(green->factor[d], 0, bytes);
        }
        if (good && heat->spec->axis[d].eigen == NULL) {
            good = find_free(heat, d, green);
        } else if (good) {
            find_bounded(heat, d, green);
        }
    }
    if (good) {
        weigh(heat, green);
    }
    return good;
}

psg_cpu_green *psg_cpu_green_create(const psg_cpu_green_spec *spec) {
    psg_cpu_green *green = calloc(1, sizeof *green);
    heat_kernel *heat = calloc(1, sizeof *heat);
    bool good = green != NULL && heat != NULL;
    if (good) {
        heat->spec = spec;
        find_range(heat);
        find_gauss(heat);
        good = make_factors(heat, green);
    }
    free(heat);
    if (!good) {
        psg_cpu_green_destroy(green);
        green = NULL;
    }
    return green;
}

void psg_cpu_green_destroy(psg_cpu_green *green) {
    for (int d = 0; green != NULL && d < 3; d++) {
        free(green->factor[d]);
    }
    free(green);
}
