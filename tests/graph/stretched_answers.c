/* A stretched z beside answers that are known: faces of one spacing give the u of a plan without
 * faces; the error falls as the design says; f32 keeps columns that hardly lose anything, for each
 * symbol along x and y; a projection leaves no divergence. */
#include "graph/psg_project.h"
#include "tests/graph/stretched_box.h"

/* -------------------------------------------------------------------------- one spacing, errors */

static void one_spacing(void) {
    static const char *const sides[] = {"PP,PP,PP",  "PP,PP,NN",  "PP,NN,DD", "DN,PP,DN",
                                        "NN,DDn,ND", "NNn,NN,NN", "PP,PP,FF", "PP,NN,NF",
                                        "DN,PP,FN",  "PP,PP,DF",  "NN,DDn,FD"};
    for (size_t m = 0; m < sizeof sides / sizeof *sides; ++m) {
        const size_t n[3] = {8, 9, 20 + m % 3};
        box b = make_box(n, sides[m], 1, 1);
        FREED double *f = oracle_array(b.points);
        result with = make_result(b.points), without = make_result(b.points);
        const char *upper = &sides[m][strlen(sides[m]) - 1];
        const unsigned wanted = *upper != 'F' || (m == 6 && !on_gpus()) ? 7 : 0;
        oracle_random(m, b.points, f);
        const psg_options options = harness_with(PSG_F64, "symbol=fd2");
        CHECK_STATUS(solve(&b, options, MPI_COMM_NULL, wanted, f, &with), PSG_OK);
        b.stretched = 0;
        CHECK_STATUS(solve(&b, options, MPI_COMM_NULL, wanted, f, &without), PSG_OK);
        CHECK_CLOSE(with.u, without.u, n[0], n[1], n[2], 1e-13, "%s: u", sides[m]);
        for (int d = 0; d < 3 && wanted != 0; ++d) {
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

/* ----------------------------------------------------------------------------------- one column */

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

/* ----------------------------------------------------------------------------------- projection */

/** The largest divergence of a flow through upper faces. Lower sides are closed or periodic. */
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
        project(n, along[m], PSG_F64, on_gpus() ? 1e-13 : 1e-14);
        project(n, along[m], PSG_F32, 1.2e-6);
        project(small, along[m], PSG_F32, 1.2e-6);
    }
    project(n, "NN,PP,NN", PSG_F64, 1e-13);
    project(small, "ND,NN,PP", PSG_F64, 1e-13);
}

int main(void) {
    const psg_options first = harness_options(PSG_F64);
    psg_plan *anchor = harness_anchor(&first);
    one_spacing();
    for (size_t m = 0; m < sizeof knowns / sizeof *knowns; ++m) {
        for (size_t size = 0; size < 3; ++size) {
            one_answer(&knowns[m], (size_t)16 << size, knowns[m].error[size]);
        }
    }
    columns();
    projections();
    psg_plan_destroy(anchor);
    return check_result();
}
