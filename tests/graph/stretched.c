/* A stretched z: u has the right fluxes through the faces of all cells, for any sides with values,
 * any spacings, lambda and factor, in both precisions, each graph and any number of processes, which
 * have it bit by bit; its gradient is these fluxes; faces of one spacing give the u of a plan
 * without faces; the error falls as the known answers say; f32 keeps columns that hardly lose
 * anything; what cannot be is refused with words. */
#include "graph/psg_project.h"
#include "tests/check.h"
#include "tests/mpi/ranks.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm world;
static const double pi = 3.14159265358979323846;

/** A grid whose faces along all axes the test knows; `stretched`: the plan has those along z. */
typedef struct box {
    oracle_grid grid;
    psg_grid g;
    size_t points;
    double *face[3];
    double value[3][2], lambda, factor;
    int stretched;
    char words[200];
} box;

/** Widths from 1 to about `ratio`, smooth or not. */
static void make_widths(size_t n, double ratio, int smooth, double length, double *face) {
    double *random = oracle_array(n);
    oracle_random(n, n, random);
    face[0] = -0.25 * length;
    for (size_t k = 0; k < n; ++k) {
        const double s = sin(pi * ((double)k + 0.5) / (double)n);
        face[k + 1] = face[k] + pow(ratio, smooth ? s * s : 0.5 + 0.5 * random[k]);
    }
    const double scale = length / (face[n] - face[0]);
    for (size_t k = 0; k <= n; ++k) {
        face[k] *= scale;
    }
    free(random);
}

static box make_box(const size_t n[3], const char *sides, double ratio, int smooth) {
    box b = {.grid = {{n[0], n[1], n[2]}, {1.5, 2.0, 0.75}}, .factor = 1, .stretched = 1};
    b.points = oracle_points(&b.grid);
    b.g = harness_grid(&b.grid);
    harness_sides(&b.g, sides);
    for (int d = 0; d < 3; ++d) {
        b.face[d] = oracle_array(n[d] + 1);
        make_widths(n[d], d == 2 ? ratio : 1, smooth, b.grid.length[d], b.face[d]);
        for (int side = 0; side < 2; ++side) {
            b.value[d][side] = b.g.axis[d].bc[side] == PSG_BC_PERIODIC ? 0 : 0.5 + d - side;
        }
    }
    b.g.axis[2].length = b.face[2][n[2]] - b.face[2][0];
    snprintf(b.words, sizeof b.words, "%zux%zux%zu, %s, %g:1", n[0], n[1], n[2], sides, ratio);
    return b;
}

static void free_box(box *b) {
    for (int d = 0; d < 3; ++d) {
        free(b->face[d]);
    }
}

/** @param[in] plan_options  of one process, or of all */
static psg_plan *plan_of(const box *b, const psg_options *options) {
    psg_grid g = b->g;
    double *copy = oracle_array(b->grid.n[2] + 1); /* the plan has its own */
    memcpy(copy, b->face[2], (b->grid.n[2] + 1) * sizeof *copy);
    g.axis[2].faces = b->stretched ? copy : NULL;
    psg_plan *plan = harness_plan(&g, options);
    memset(copy, 0, (b->grid.n[2] + 1) * sizeof *copy);
    free(copy);
    return plan;
}

static double width(const box *b, int d, size_t m) {
    return b->face[d][m + 1] - b->face[d][m];
}

/** The derivative of u through a face of point p. */
static long double flux(const box *b, const double *u, size_t p, int d, int upper) {
    const size_t *n = b->grid.n;
    const size_t step[3] = {1, n[0], n[0] * n[1]};
    const size_t m = p / step[d] % n[d];
    const psg_bc bc = b->g.axis[d].bc[upper];
    const int end = upper ? m + 1 == n[d] : m == 0;
    const size_t other = !end ? (upper ? m + 1 : m - 1) : upper ? 0 : n[d] - 1;
    const long double sign = upper ? 1 : -1;
    if (end && bc == PSG_BC_NEUMANN) {
        return b->value[d][upper];
    }
    if (end && bc == PSG_BC_DIRICHLET) {
        return sign * (b->value[d][upper] - u[p]) / (width(b, d, m) / 2);
    }
    const long double apart = ((long double)width(b, d, m) + width(b, d, other)) / 2;
    return sign * (u[p - m * step[d] + other * step[d]] - u[p]) / apart;
}

static long double volume(const box *b, size_t p) {
    const size_t *n = b->grid.n;
    return (long double)width(b, 0, p % n[0]) * width(b, 1, p / n[0] % n[1]) *
           width(b, 2, p / n[0] / n[1]);
}

static int singular(const box *b) {
    int all = b->lambda == 0;
    for (int m = 0; m < 6; ++m) {
        all = all && b->g.axis[m / 2].bc[m % 2] != PSG_BC_DIRICHLET;
    }
    return all;
}

/** lap(u) - lambda u - factor f of each point, less its mean where that is dropped.
 *  @param[out] terms  the largest term of a sum @param[out] mean  of what is dropped */
static double residual(const box *b, const double *u, const double *f, double *terms,
                       double *mean) {
    const size_t *n = b->grid.n;
    FREED double *r = oracle_array(b->points);
    long double sum = 0, all = 0;
    double worst = 0;
    *terms = 0;
    for (size_t p = 0; p < b->points; ++p) {
        const size_t m[3] = {p % n[0], p / n[0] % n[1], p / n[0] / n[1]};
        long double lap = 0;
        for (int d = 0; d < 3; ++d) {
            const long double out = flux(b, u, p, d, 1), in = flux(b, u, p, d, 0);
            lap += (out - in) / width(b, d, m[d]);
            const double w = width(b, d, m[d]);
            *terms = fmax(*terms, (double)(fabsl(out) + fabsl(in)) / w + fabs(u[p]) / (w * w));
        }
        r[p] = (double)(lap - b->lambda * u[p] - b->factor * f[p]);
        sum += r[p] * volume(b, p);
        all += volume(b, p);
    }
    *mean = singular(b) ? (double)(sum / all) : 0;
    for (size_t p = 0; p < b->points; ++p) {
        worst = check_worse(worst, fabs(r[p] - *mean));
    }
    return worst;
}

static double mean_of(const box *b, const double *u) {
    long double sum = 0, all = 0;
    for (size_t p = 0; p < b->points; ++p) {
        sum += u[p] * volume(b, p);
        all += volume(b, p);
    }
    return (double)(sum / all);
}

typedef struct result {
    double *u, *g[3];
    double mean; /* of f */
} result;

/** @param[in] wanted  components of the gradient, bits @param[in] comm  MPI_COMM_NULL: this process
 *  alone */
static psg_status solve(const box *b, psg_options options, MPI_Comm comm, unsigned wanted,
                        const double *f, result *r) {
    const MPI_Comm of = comm == MPI_COMM_NULL ? MPI_COMM_SELF : comm;
    part p = part_make(of, options.precision, &b->grid);
    psg_array g[3];
    options.comm = comm == MPI_COMM_NULL ? NULL : options.comm;
    DESTROYED psg_plan *plan = plan_of(b, &options);
    psg_solve_args args = harness_args(plan);
    args.lambda = b->lambda;
    args.factor = b->factor;
    memcpy(args.value, b->value, sizeof args.value);
    share_take(&p.u, f);
    const psg_array in = harness_view(p.u.f), out = harness_view(p.u.u);
    for (int d = 0; d < 3; ++d) {
        g[d] = harness_view(p.g[d].u);
        args.gradient[d] = (wanted >> d & 1) != 0 ? &g[d] : NULL;
    }
    const psg_status status = psg_solve_arrays(plan, 1, &in, &out, &args);
    for (int d = -1; d < 3 && status == PSG_OK; ++d) {
        if (d < 0 || (wanted >> d & 1) != 0) {
            share_gather(d < 0 ? &p.u : &p.g[d], of, d < 0 ? r->u : r->g[d]);
        }
    }
    CHECK(status != PSG_OK || share_intact(&p.u), "%s: f was written", b->words);
    r->mean = status == PSG_OK ? harness_statistics(plan).mean : NAN;
    part_free(&p);
    return status;
}

static result make_result(size_t points) {
    return (result){oracle_array(points),
                    {oracle_array(points), oracle_array(points), oracle_array(points)},
                    0};
}

static void free_result(result *r) {
    free(r->u);
    for (int d = 0; d < 3; ++d) {
        free(r->g[d]);
    }
}

/* ---------------------------------------------------------------------------------- residuals */

static void check_u(const box *b, const result *r, const double *f) {
    double terms, mean;
    const double off = residual(b, r->u, f, &terms, &mean);
    CHECK(off <= 4e-15 * terms + 2e-14 * oracle_max(f, b->points),
          "%s: the residual is %.2g, with terms of %.2g", b->words, off, terms);
    if (singular(b)) {
        const double largest = oracle_max(r->u, b->points);
        CHECK(fabs(mean_of(b, r->u)) <= 1e-14 * largest, "%s: the mean of u is %.2g of %.2g",
              b->words, mean_of(b, r->u), largest);
        CHECK_NEAR(r->mean, -mean / b->factor, 1e-12, "%s: the mean of f", b->words);
    }
}

static void check_gradient(const box *b, const result *r, unsigned wanted, double eps) {
    const double *u = r->u;
    for (int d = 0; d < 3; ++d) {
        double off = 0, least = INFINITY, largest = 0;
        for (size_t m = 0; m < b->grid.n[d]; ++m) {
            least = fmin(least, width(b, d, m));
        }
        for (size_t p = 0; p < b->points && (wanted >> d & 1) != 0; ++p) {
            const double want = (double)flux(b, u, p, d, 1);
            off = check_worse(off, fabs(r->g[d][p] - want));
            largest = fmax(largest, fabs(want));
        }
        CHECK(off <= 4 * eps * (oracle_max(u, b->points) / least + largest),
              "%s: component %d of the gradient is off by %.2g of %.2g", b->words, d, off, largest);
    }
}

/** In f64 by its residual, and what is wanted in other ways beside that.
 *  @param[in] which  a variant of the graph and an exchange */
static void one_box(const box *b, size_t which) {
    const harness_variant *variant = &harness_variants[which % HARNESS_VARIANTS];
    const psg_exchange exchange = ranks_exchanges[which / HARNESS_VARIANTS % RANKS_EXCHANGES];
    const unsigned wanted = which % 2 ? 7 : 0;
    FREED double *f = oracle_array(b->points);
    result alone = make_result(b->points), all = make_result(b->points);
    oracle_random(5, b->points, f);
    harness_round(PSG_F32, b->points, f);
    for (int precision = 0; precision < 2; ++precision) {
        psg_options options = ranks_options((psg_precision)precision, &world);
        options.symbol = PSG_SYMBOL_FD2;
        options.exchange = RANKS_MPI ? exchange : PSG_EXCHANGE_AUTO;
        harness_set_variant(&options, variant);
        ranks_at("%s, %s, %s", b->words, variant->name, harness_precision_name(options.precision));
        CHECK_STATUS(solve(b, options, world, wanted, f, &all), PSG_OK);
        if (precision == 0) {
            check_u(b, &all, f);
            check_gradient(b, &all, wanted, DBL_EPSILON);
            options.executor = PSG_EXECUTOR_TASKS;
            options.exchange = PSG_EXCHANGE_AUTO;
            CHECK_STATUS(solve(b, options, MPI_COMM_NULL, 0, f, &alone), PSG_OK);
            CHECK(memcmp(alone.u, all.u, b->points * sizeof *f) == 0,
                  "%s, %s: u of one process is another", b->words, variant->name);
        } else {
            const double largest = oracle_max(alone.u, b->points);
            for (size_t p = 0; p < b->points; ++p) {
                CHECK_NEAR(all.u[p], alone.u[p], 2e-6 * largest, "%s: u in f32 at %zu", b->words,
                           p);
            }
            if (ranks_size(world) > 1 || which % HARNESS_VARIANTS != 0) {
                check_gradient(b, &all, wanted, FLT_EPSILON);
            }
        }
    }
    free_result(&alone);
    free_result(&all);
}

static void residuals(void) {
    static const char *const across[] = {"PP,PP", "NN,PP", "PP,DN", "DD,NN", "ND,DDn", "NNn,PP"};
    static const char *const along[] = {"PP", "NN", "DD", "DN", "ND"};
    static const size_t lengths[] = {1, 2, 3, 7, 33, 64, 97};
    size_t run = 0;
    for (size_t m = 0; m < 7; ++m) {
        for (size_t z = 0; z < 5; ++z, ++run) {
            char sides[20];
            const size_t xy = run % 4; /* the faces across are of cells */
            const size_t n[3] = {5 + run % 3, 4 + run % 4, lengths[m]};
            if (!ranks_takes(run)) {
                continue;
            }
            snprintf(sides, sizeof sides, "%s,%s", across[xy], along[z]);
            box b = make_box(n, sides, run % 3 == 0 ? 1.7 : 101, run % 2 == 0);
            b.lambda = run % 4 == 3 ? 0.75 : 0;
            b.factor = run % 5 == 4 ? -2.5 : 1;
            one_box(&b, run);
            one_box(&b, run + 1);
            free_box(&b);
        }
    }
}

/* -------------------------------------------------------------------------- one spacing, errors */

static void one_spacing(void) {
    static const char *const sides[] = {"PP,PP,PP", "PP,PP,NN",  "PP,NN,DD",
                                        "DN,PP,DN", "NN,DDn,ND", "NNn,NN,NN"};
    for (size_t m = 0; m < sizeof sides / sizeof *sides; ++m) {
        const size_t n[3] = {8, 9, 20 + m % 3};
        box b = make_box(n, sides[m], 1, 1);
        FREED double *f = oracle_array(b.points);
        result with = make_result(b.points), without = make_result(b.points);
        oracle_random(m, b.points, f);
        const psg_options options = harness_with(PSG_F64, "symbol=fd2");
        CHECK_STATUS(solve(&b, options, MPI_COMM_NULL, 7, f, &with), PSG_OK);
        b.stretched = 0;
        CHECK_STATUS(solve(&b, options, MPI_COMM_NULL, 7, f, &without), PSG_OK);
        CHECK_CLOSE(with.u, without.u, n[0], n[1], n[2], 1e-13, "%s: u", sides[m]);
        for (int d = 0; d < 3; ++d) {
            CHECK_CLOSE(with.g[d], without.g[d], n[0], n[1], n[2], 1e-12, "%s: component %d",
                        sides[m], d);
        }
        CHECK_NEAR(with.mean, without.mean, 1e-13, "%s: the mean", sides[m]);
        free_result(&with);
        free_result(&without);
        free_box(&b);
    }
}

/** u = sin x cos 2y Z(z) + what the case has, on 2 pi x pi x 1, faces by tanh. */
typedef struct known {
    const char *sides, *symbol;
    int z;           /* of Z */
    double error[3]; /* of 16, 32 and 64 points, over max|u| */
} known;

static double answer(int z, double at, double *second) {
    *second = z == 0 ? -pi * pi * sin(pi * at) : z == 1 ? -pi * pi * cos(pi * at) : exp(at);
    return z == 0 ? sin(pi * at) : z == 1 ? cos(pi * at) : exp(at);
}

static const known knowns[] = {{"PP,PP,DD", "fd2", 0, {1.550e-2, 3.956e-3, 9.942e-4}},
                               {"PP,PP,NN", "fd2", 1, {5.648e-3, 1.411e-3, 3.539e-4}},
                               {"PP,PP,DN", "fd2", 2, {8.631e-3, 2.151e-3, 5.372e-4}},
                               {"PP,PP,DD", "spectral", 0, {1.088e-2, 2.817e-3, 7.103e-4}},
                               {"PP,PP,NN", "spectral", 1, {6.710e-3, 1.693e-3, 4.247e-4}},
                               {"PP,PP,DN", "spectral", 2, {7.836e-4, 1.976e-4, 4.952e-5}}};

static void one_answer(const known *k, size_t n, double expected) {
    const double box_length[3] = {2 * pi, pi, 1};
    psg_grid g = harness_box(n, n, n, box_length[0], box_length[1], box_length[2]);
    psg_options options = harness_options(PSG_F64);
    const size_t points = n * n * n;
    FREED double *f = oracle_array(points), *u = oracle_array(points), *face = oracle_array(n + 1);
    FREED double *want = oracle_array(points), *side[2] = {NULL, NULL};
    double off = 0;
    harness_set(&options, k->symbol[0] == 'f' ? "symbol=fd2" : "symbol=spectral");
    harness_sides(&g, k->sides);
    for (size_t m = 0; m <= n; ++m) {
        face[m] = 0.5 * (1 + tanh(2 * (2 * (double)m / (double)n - 1)) / tanh(2.0));
    }
    g.axis[2].faces = face;
    g.axis[2].length = face[n] - face[0];
    side[0] = oracle_array(n * n);
    side[1] = oracle_array(n * n);
    for (size_t p = 0; p < points; ++p) {
        double second;
        const double x = 2 * pi * (double)(p % n) / (double)n;
        const double y = pi * (double)(p / n % n) / (double)n;
        const double z = 0.5 * (face[p / n / n] + face[p / n / n + 1]);
        const double wave = sin(x) * cos(2 * y), value = answer(k->z, z, &second);
        want[p] = wave * (value + (k->z == 0 ? 0.3 : 0));
        f[p] = wave * second - 5 * want[p];
        if (p < n * n) {
            side[0][p] = wave * (k->z == 0 ? 0.3 : k->z == 1 ? 0 : 1);
            side[1][p] = wave * (k->z == 0 ? 0.3 : k->z == 1 ? 0 : exp(1.0));
        }
    }
    DESTROYED psg_plan *plan = harness_plan(&g, &options);
    psg_solve_args args = harness_args(plan);
    const psg_array in = harness_view(f), out = harness_view(u);
    const psg_array values[2] = {harness_view(side[0]), harness_view(side[1])};
    args.side[2][0] = &values[0];
    args.side[2][1] = &values[1];
    CHECK_STATUS(psg_solve_arrays(plan, 1, &in, &out, &args), PSG_OK);
    for (size_t p = 0; p < points; ++p) {
        off = check_worse(off, fabs(u[p] - want[p]));
    }
    off /= oracle_max(want, points);
    CHECK_NEAR(off / expected, 1, 0.01, "%s, %s, %zu points: the error is %.3e, not %.3e", k->sides,
               k->symbol, n, off, expected);
    free(side[1]);
}

/* ------------------------------------------------------------------------------------ one column */

/** f and u have one wave in the plane, of which the stencil's eigenvalue is known. */
static void one_column(size_t n, const char *sides, const char *symbol, double across) {
    static const struct {
        const char *name;
        double weight[4];
    } rows[] = {{"fd2", {1}},
                {"fd4", {4 / 3., -1 / 12.}},
                {"fd6", {1.5, -0.15, 1 / 90.}},
                {"fd8", {1.6, -0.2, 8 / 315., -1 / 560.}}};
    enum { ACROSS = 12 };
    const size_t size[3] = {ACROSS, 2, n};
    box b = make_box(size, sides, 101, 1);
    FREED double *f = oracle_array(b.points), *line = oracle_array(n);
    result r[2] = {make_result(b.points), make_result(b.points)};
    double s = 0, terms = 0, off = 0, apart = 0, u_mean = 0, length = 0;
    const double h = across / ACROSS;
    memset(b.value, 0, sizeof b.value);
    b.g.axis[0].length = across;
    oracle_random(n, n, line);
    harness_round(PSG_F32, n, line);
    for (size_t p = 0; p < b.points; ++p) {
        f[p] = line[p / (2 * ACROSS)] * (double)(p % ACROSS % 2 ? -1 : 1);
    }
    for (size_t m = 0; m < 4; ++m) { /* the highest wave is exact in any precision */
        for (size_t d = 1; d <= 4 && strcmp(rows[m].name, symbol) == 0; ++d) {
            s += rows[m].weight[d - 1] * (d % 2 ? 4 : 0) / (h * h);
        }
    }
    s = strcmp(symbol, "spectral") == 0 ? pow(pi / h, 2) : s;
    for (int precision = 0; precision < 2; ++precision) {
        psg_options options = harness_options((psg_precision)precision);
        CHECK_STATUS(psg_options_set(&options, "symbol", symbol), PSG_OK);
        CHECK_STATUS(solve(&b, options, MPI_COMM_NULL, 0, f, &r[precision]), PSG_OK);
    }
    const double *u = r[0].u;
    for (size_t k = 0; k < n; ++k) {
        const size_t p = k * 2 * ACROSS;
        const long double out = flux(&b, u, p, 2, 1), in = flux(&b, u, p, 2, 0);
        const double lap = (double)((out - in) / width(&b, 2, k));
        off = check_worse(off, fabs(lap - s * u[p] - f[p]));
        const double w = width(&b, 2, k);
        terms = fmax(terms, (double)(fabsl(out) + fabsl(in)) / w + (s + 1 / (w * w)) * fabs(u[p]));
        u_mean += u[p] * width(&b, 2, k);
        length += width(&b, 2, k) * line[k];
    }
    CHECK(off <= 4e-15 * terms, "%s, %s: the residual of a column is %.2g, with terms of %.2g",
          b.words, symbol, off, terms);
    if (strchr("PN", sides[6]) != NULL && strchr("PN", sides[7]) != NULL) { /* what is lost */
        CHECK(fabs(s * u_mean + length) <= 1e-12 * fabs(length),
              "%s, %s: a column loses %.15g of %.15g", b.words, symbol, -s * u_mean, length);
    }
    for (size_t p = 0; p < b.points; ++p) {
        apart = check_worse(apart, fabs(r[1].u[p] - u[p]));
    }
    CHECK(apart <= 2e-5 * oracle_max(u, b.points), "%s, %s: f32 is off by %.2g of %.2g", b.words,
          symbol, apart, oracle_max(u, b.points));
    free_result(&r[0]);
    free_result(&r[1]);
    free_box(&b);
}

static void columns(void) {
    static const char *const symbols[] = {"spectral", "fd2", "fd4", "fd6", "fd8"};
    static const char *const sides[] = {"PP,PP,PP", "PP,PP,NN", "PP,PP,DD", "PP,PP,DN", "PP,PP,ND"};
    static const size_t lengths[] = {1, 2, 3, 7, 33, 64, 97, 512, 1000, 1024};
    for (size_t m = 0; m < sizeof lengths / sizeof *lengths; ++m) {
        for (size_t z = 0; z < 5; ++z) {
            one_column(lengths[m], sides[z], symbols[(m + z) % 5], 1200); /* s is 1e-3 */
            one_column(lengths[m], sides[z], symbols[(m + z + 2) % 5], 0.5);
        }
    }
}

/* ------------------------------------------------------------------------------------- projection */

/** The largest divergence of a flow through upper faces, whose lower sides are closed or periodic. */
static double divergence(const box *b, double *const v[3]) {
    const size_t *n = b->grid.n;
    const size_t step[3] = {1, n[0], n[0] * n[1]};
    double worst = 0;
    for (size_t p = 0; p < b->points; ++p) {
        long double sum = 0;
        for (int d = 0; d < 3; ++d) {
            const size_t m = p / step[d] % n[d];
            const int wraps = b->g.axis[d].bc[0] == PSG_BC_PERIODIC;
            const double below = m > 0   ? v[d][p - step[d]]
                                 : wraps ? v[d][p + (n[d] - 1) * step[d]]
                                         : 0;
            sum += ((long double)v[d][p] - below) / width(b, d, m);
        }
        worst = check_worse(worst, fabs((double)sum));
    }
    return worst;
}

/** What is left of the divergence of a flow, over what there was.
 *  @param[in] few  the most of it */
static void project(const size_t n[3], const char *sides, psg_precision precision, double few) {
    box b = make_box(n, sides, 20, 1);
    psg_options options = harness_with(precision, "symbol=fd2");
    DESTROYED psg_plan *plan = plan_of(&b, &options);
    double *v[3];
    void *flow[3];
    psg_array array[3];
    FREED void *memory = harness_array(precision, b.points);
    const psg_array u = harness_view(memory);
    for (int d = 0; d < 3; ++d) {
        const size_t step = d == 0 ? 1 : d == 1 ? n[0] : n[0] * n[1];
        v[d] = oracle_array(b.points);
        flow[d] = harness_array(precision, b.points);
        array[d] = harness_view(flow[d]);
        oracle_random((uint64_t)d, b.points, v[d]);
        for (size_t p = 0; p < b.points && b.g.axis[d].bc[1] == PSG_BC_NEUMANN; ++p) {
            v[d][p] = p / step % n[d] + 1 == n[d] ? 0 : v[d][p];
        }
        harness_round(precision, b.points, v[d]);
        harness_store(precision, b.points, v[d], flow[d]);
    }
    const double before = divergence(&b, v);
    CHECK_STATUS(psg_project(plan, array, &u, NULL), PSG_OK);
    for (int d = 0; d < 3; ++d) {
        harness_load(precision, b.points, flow[d], v[d]);
        free(flow[d]);
    }
    const double after = divergence(&b, v);
    CHECK(after <= few * before, "%s, %s: of a divergence of %.2g stays %.2g", b.words,
          harness_precision_name(precision), before, after);
    for (int d = 0; d < 3; ++d) {
        free(v[d]);
    }
    free_box(&b);
}

static void projections(void) {
    static const char *const along[] = {"PP,PP,PP", "PP,PP,NN", "PP,PP,ND"};
    static const size_t n[3] = {32, 16, 48}, small[3] = {7, 6, 5};
    for (size_t m = 0; m < 3; ++m) {
        project(n, along[m], PSG_F64, 1e-14);
        project(n, along[m], PSG_F32, 1.2e-6);
        project(small, along[m], PSG_F32, 1.2e-6);
    }
    project(n, "NN,PP,NN", PSG_F64, 1e-13);
    project(small, "ND,NN,PP", PSG_F64, 1e-13);
}

/* --------------------------------------------------------------------------------------- refusals */

static psg_status try_with(const char *sides, const char *options, int axis, size_t at, double face,
                           double length) {
    psg_grid g = harness_box(4, 4, 4, 1, 1, length);
    psg_options o = harness_options(PSG_F64);
    double faces[] = {0, 0.1, 0.3, 0.6, 1};
    psg_plan *plan = NULL;
    harness_set(&o, options);
    harness_sides(&g, sides);
    faces[at] = face;
    g.axis[axis].faces = faces;
    const psg_status status = psg_plan_create(&plan, &g, &o);
    CHECK((plan == NULL) == (status != PSG_OK), "a plan and a status");
    if (plan != NULL) {
        psg_plan_destroy(plan);
    }
    return status;
}

static void refused(void) {
    const psg_options o = harness_with(PSG_F64, "symbol=spectral");
    double faces[] = {0, 0.1, 0.3, 0.6, 1}, u[64] = {0}, f[64] = {0}, one[64] = {1};
    psg_grid g = harness_box(4, 4, 4, 1, 1, 1);
    CHECK_STATUS(try_with("PP", "symbol=fd2", 2, 0, 0, 1), PSG_OK);
    CHECK_SAYS(try_with("PP", "symbol=fd2", 2, 2, 0.1, 1), PSG_ERR_ARG,
               "faces 1 and 2 along z are at 0.1 and 0.1: each face is above the one before");
    CHECK_SAYS(try_with("PP", "symbol=fd2", 2, 3, NAN, 1), PSG_ERR_ARG, "face 3 along z is at");
    CHECK_SAYS(try_with("PP", "symbol=fd2", 2, 4, INFINITY, 1), PSG_ERR_ARG, "not finite");
    CHECK_SAYS(try_with("PP", "symbol=fd2", 2, 0, 0, 2), PSG_ERR_ARG,
               "the box is 2 long along z, and its faces are from 0 to 1");
    CHECK_SAYS(try_with("PP", "symbol=fd2", 0, 0, 0, 1), PSG_ERR_UNSUPPORTED,
               "x has faces, and z alone may have");
    CHECK_SAYS(try_with("PP", "symbol=fd2", 1, 0, 0, 1), PSG_ERR_UNSUPPORTED, "y has faces");
    CHECK_SAYS(try_with("PP,PP,DDn", "symbol=fd2", 2, 0, 0, 1), PSG_ERR_UNSUPPORTED, "nodes");
    CHECK_SAYS(try_with("PP,PP,DF", "symbol=fd2", 2, 0, 0, 1), PSG_ERR_UNSUPPORTED, "not free");
    CHECK_SAYS(try_with("FF,PP,NN", "symbol=fd2", 2, 0, 0, 1), PSG_ERR_UNSUPPORTED,
               "free sides along x or y");
    CHECK_SAYS(try_with("PP", "kernel=user", 2, 0, 0, 1), PSG_ERR_UNSUPPORTED, "kernel user");
    g.axis[2].faces = faces;
    CHECK_SAYS(psg_axis_points(&g.axis[2], NULL, NULL), PSG_ERR_UNSUPPORTED, "with faces");
    DESTROYED psg_plan *plan = harness_plan(&g, &o);
    psg_solve_args args = harness_args(plan);
    psg_array in = harness_view(f), out = harness_view(u), epsilon = harness_view(one);
    args.value[2][0] = 1;
    CHECK_SAYS(psg_solve_arrays(plan, 1, &in, &out, &args), PSG_ERR_ARG, "periodic along z");
    args.value[2][0] = 0;
    args.epsilon = &epsilon;
    CHECK_SAYS(psg_solve_arrays(plan, 1, &in, &out, &args), PSG_ERR_UNSUPPORTED, "epsilon");
    args.epsilon = NULL;
    args.u_modes = &out;
    CHECK_SAYS(psg_solve_arrays(plan, 1, &in, &out, &args), PSG_ERR_UNSUPPORTED,
               "an axis with faces has none");
    args.u_modes = NULL;
    f[17] = NAN;
    CHECK_SAYS(psg_solve_arrays(plan, 1, &in, &out, &args), PSG_ERR_DATA, "(1,0,1)");
}

/** Processes with other faces, of the same length. */
static void differ(void) {
    psg_options o = ranks_options(PSG_F64, &world);
    for (int who = 0; who < ranks_size(world) && ranks_size(world) > 1; ++who) {
        double faces[] = {0, 0.1, 0.3, ranks_rank(world) == who ? 0.5 : 0.6, 1};
        psg_grid g = harness_box(4, 4, 4, 1, 1, 1);
        psg_plan *plan = NULL;
        g.axis[2].faces = faces;
        CHECK_SAYS(psg_plan_create(&plan, &g, &o), PSG_ERR_ARG, "faces along z");
        psg_plan_destroy(plan);
    }
}

/** A solve with another length of z has faces that are so much farther apart; back and forth. */
static void other_box(void) {
    const size_t n[3] = {6, 5, 9};
    box b = make_box(n, "PP,PP,DN", 20, 0);
    const psg_options o = harness_with(PSG_F64, "symbol=fd2");
    FREED double *f = oracle_array(b.points), *u = oracle_array(b.points);
    DESTROYED psg_plan *plan = plan_of(&b, &o);
    oracle_random(3, b.points, f);
    memset(b.value, 0, sizeof b.value);
    for (int turn = 0; turn < 3; ++turn) {
        double terms, mean;
        psg_solve_args args = harness_args(plan);
        const psg_array in = harness_view(f), out = harness_view(u);
        args.box[2] *= turn == 1 ? 3 : 1;
        for (size_t k = 0; k <= n[2] && turn > 0; ++k) {
            b.face[2][k] *= turn == 1 ? 3 : 1 / 3.;
        }
        CHECK_STATUS(psg_solve_arrays(plan, 1, &in, &out, &args), PSG_OK);
        const double off = residual(&b, u, f, &terms, &mean);
        CHECK(off <= 1e-14 * terms, "box %d: the residual is %.2g of %.2g", turn, off, terms);
    }
    free_box(&b);
}

int main(int argc, char **argv) {
    ranks_start(&argc, &argv);
    world = MPI_COMM_WORLD;
    const psg_options first = ranks_options(PSG_F64, NULL);
    psg_plan *anchor = harness_anchor(&first);
    residuals();
    differ();
    if (ranks_size(world) == 1) {
        one_spacing();
        for (size_t m = 0; m < sizeof knowns / sizeof *knowns; ++m) {
            for (size_t size = 0; size < 3; ++size) {
                one_answer(&knowns[m], (size_t)16 << size, knowns[m].error[size]);
            }
        }
        columns();
        projections();
        other_box();
        refused();
    }
    psg_plan_destroy(anchor);
    return ranks_finish(check_result());
}
