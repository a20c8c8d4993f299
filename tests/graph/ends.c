/* What holds at the ends of z beside systems that the test writes down on its own: each pair of
 * Dirichlet, Neumann, Robin and free sides, faces at equal distances and others, short columns. A
 * Robin side has an unknown of its own, u on the side. Beyond a free one u decays from cell to
 * cell. The systems are solved in long double. Then the order of the error, the limits of k, and
 * words for what cannot be. */
#include "tests/graph/stretched_box.h"

enum { MOST = 32 };

/* ------------------------------------------------------------------------------------- systems */

/** Rows of a x = b. */
typedef struct matrix {
    size_t n;
    long double a[MOST][MOST], b[MOST];
} matrix;

/** Elimination with the largest pivot of each column; b becomes x. */
static void solve_matrix(matrix *m) {
    for (size_t k = 0; k < m->n; ++k) {
        size_t pivot = k;
        for (size_t r = k + 1; r < m->n; ++r) {
            pivot = fabsl(m->a[r][k]) > fabsl(m->a[pivot][k]) ? r : pivot;
        }
        for (size_t c = 0; c <= m->n; ++c) {
            long double *one = c < m->n ? &m->a[k][c] : &m->b[k];
            long double *two = c < m->n ? &m->a[pivot][c] : &m->b[pivot];
            const long double kept = *one;
            *one = *two;
            *two = kept;
        }
        for (size_t r = k + 1; r < m->n; ++r) {
            const long double by = m->a[r][k] / m->a[k][k];
            for (size_t c = k; c < m->n && by != 0; ++c) {
                m->a[r][c] -= by * m->a[k][c];
            }
            m->b[r] -= by * m->b[k];
        }
    }
    for (size_t k = m->n; k-- > 0;) {
        for (size_t c = k + 1; c < m->n; ++c) {
            m->b[k] -= m->a[k][c] * m->b[c];
        }
        m->b[k] /= m->a[k][k];
    }
}

/** What flows from unknown `from` to unknown `to` at some distance, over the length of the cell
 *  that `row` is the equation of. */
static void add_flow(matrix *m, size_t row, size_t from, size_t to, long double apart,
                     long double width) {
    m->a[row][to] += 1 / (apart * width);
    m->a[row][from] -= 1 / (apart * width);
}

/** Unknown `count` is u on a side whose point is `at`: u there is g, or its derivative along the
 *  axis is g -+ k u. */
static void add_side(matrix *m, size_t at, int upper, psg_bc bc, long double k, long double g,
                     long double half) {
    if (bc == PSG_BC_FREE) { /* k is s: the root of mu^2 - (2 + q) mu + 1 that is below 1 */
        const long double q = k * 4 * half * half;
        m->a[at][at] += (q / 2 - sqrtl(q + q * q / 4)) / (4 * half * half);
        return;
    }
    const size_t side = m->n++;
    const int sign = upper ? 1 : -1;
    add_flow(m, at, at, side, half, 2 * half);
    m->b[side] = g;
    if (bc == PSG_BC_DIRICHLET) {
        m->a[side][side] = 1;
        return;
    }
    m->a[side][side] = sign * (1 / half + k);
    m->a[side][at] = -sign / half;
}

/** u'' = f with u = |z|/2 of each f; a Neumann side has its image. */
static void add_potentials(const box *b, const double *f, long double *u) {
    const size_t n = b->grid.n[2];
    const double *z = b->face[2];
    for (size_t k = 0; k < n; ++k) {
        u[k] = 0;
        for (size_t j = 0; j < n; ++j) {
            const long double at = ((long double)z[k] + z[k + 1]) / 2;
            const long double from = ((long double)z[j] + z[j + 1]) / 2;
            u[k] += fabsl(at - from) / 2 * f[j] * width(b, 2, j);
            for (int side = 0; side < 2; ++side) {
                if (b->g.axis[2].bc[side] == PSG_BC_NEUMANN) {
                    u[k] += fabsl(at + from - 2 * z[side ? n : 0]) / 2 * f[j] * width(b, 2, j);
                }
            }
        }
    }
}

/** u'' - s u = f between faces, of a box whose other axes have one wave. */
static void expect(const box *b, long double s, const double *f, long double *u) {
    static matrix m;
    const size_t n = b->grid.n[2];
    const psg_bc *bc = b->g.axis[2].bc;
    const int open = bc[0] == PSG_BC_FREE || bc[1] == PSG_BC_FREE;
    int held = s > 0;
    for (int side = 0; side < 2; ++side) {
        held = held || bc[side] == PSG_BC_DIRICHLET || bc[side] == PSG_BC_ROBIN;
    }
    if (open && !held) {
        add_potentials(b, f, u);
        return;
    }
    memset(&m, 0, sizeof m);
    m.n = n;
    for (size_t k = 0; k < n; ++k) {
        const long double w = width(b, 2, k);
        m.a[k][k] -= s;
        m.b[k] = f[k];
        if (k > 0) {
            add_flow(&m, k, k, k - 1, (w + width(b, 2, k - 1)) / 2, w);
        }
        if (k + 1 < n) {
            add_flow(&m, k, k, k + 1, (w + width(b, 2, k + 1)) / 2, w);
        }
    }
    for (int side = 0; side < 2; ++side) {
        const size_t at = side == 0 ? 0 : n - 1;
        add_side(&m, at, side, bc[side], bc[side] == PSG_BC_FREE ? s : b->g.axis[2].robin[side],
                 b->value[2][side], width(b, 2, at) / 2.0L);
    }
    solve_matrix(&m);
    memcpy(u, m.b, n * sizeof *u);
}

/* ------------------------------------------------------------------------------------- columns */

/** @param[in] beta  0: the plan has no faces; below 0: it has them at equal distances */
static void set_faces(box *b, double beta) {
    const size_t n = b->grid.n[2];
    for (size_t k = 0; k <= n; ++k) {
        const double s = (double)k / (double)n;
        b->face[2][k] = 0.75 * (beta > 0 ? 0.5 * (1 + tanh(beta * (2 * s - 1)) / tanh(beta)) : s);
    }
    b->stretched = beta != 0;
    b->g.axis[2].length = b->face[2][n];
}

/** One column of many that are alike but for signs. @param[in] wave  across: f and u change their
 *  sign from point to point */
static void one_column(const char *sides, size_t n, double beta, int wave, double lambda) {
    const size_t size[3] = {4, 2, n};
    box b = make_box(size, sides, 1, 1);
    FREED double *f = oracle_array(b.points), *line = oracle_array(n);
    long double want[MOST];
    const int closed = b.g.axis[2].bc[0] == PSG_BC_NEUMANN && b.g.axis[2].bc[1] == PSG_BC_NEUMANN;
    double off[2] = {0, 0}, largest[2] = {0, 0};
    result r = make_result(b.points);
    set_faces(&b, beta);
    b.lambda = closed && !wave ? lambda + 1 : lambda; /* else there is no solution */
    for (int m = 0; m < 6; ++m) { /* those of a closed box with an open end would count, too */
        const int none = wave || (b.lambda == 0 && strchr(sides, 'F') != NULL);
        b.value[m / 2][m % 2] =
            none || b.g.axis[m / 2].bc[m % 2] == PSG_BC_FREE ? 0 : b.value[m / 2][m % 2];
    }
    oracle_random(n, n, line);
    for (size_t p = 0; p < b.points; ++p) {
        f[p] = line[p / 8] * (wave && p % 2 ? -1 : 1);
    }
    const double h = b.grid.length[0] / 4;
    expect(&b, b.lambda + (wave ? 4 / (h * h) : 0), line, want);
    for (int precision = 0; precision < 2; ++precision) {
        psg_options options = harness_with((psg_precision)precision, "symbol=fd2");
        r.u[0] = NAN;
        CHECK_STATUS(solve(&b, options, MPI_COMM_NULL, 0, f, &r), PSG_OK);
        for (size_t p = 0; p < b.points; ++p) {
            const double u = (double)want[p / 8] * (wave && p % 2 ? -1 : 1);
            off[precision] = check_worse(off[precision], fabs(r.u[p] - u));
            largest[precision] = fmax(largest[precision], fabs(u));
        }
    }
    CHECK(off[0] <= 1e-13 * largest[0], "%s, %zu cells, tanh(%g), wave %d, lambda %g: off by %.2g",
          sides, n, beta, wave, b.lambda, off[0] / largest[0]);
    CHECK(off[1] <= 1e-6 * largest[1], "%s, %zu cells, tanh(%g), f32: off by %.2g", sides, n, beta,
          off[1] / largest[1]);
    free_result(&r);
    free_box(&b);
}

static void columns(void) {
    static const char letters[] = "DNRF";
    static const size_t lengths[] = {1, 2, 3, 7, 20};
    for (size_t m = 0; m < 16; ++m) {
        const char sides[] = {'P', 'P', ',', 'P', 'P', ',', letters[m / 4], letters[m % 4], '\0'};
        const int uniform = strchr("R", sides[6]) != NULL || strchr("R", sides[7]) != NULL ||
                            strchr(sides, 'F') == NULL; /* else a Green's function solves it */
        for (size_t n = 0; n < sizeof lengths / sizeof *lengths; ++n) {
            for (int way = 0; way < 8; ++way) {
                one_column(sides, lengths[n],
                           way & 1   ? 1.7
                           : uniform ? 0
                                     : -1,
                           way >> 1 & 1, way & 4 ? 0.75 : 0);
            }
        }
    }
}

/* --------------------------------------------------------------------------------------- order */

/** u'' - k^2 u = f for a Gaussian f of width w at 0 and all z. */
static double potential(double z, double k, double w) {
    const double root = sqrt(2.0) * w;
    return -exp(k * k * w * w / 2) / (4 * k) *
           (exp(-k * z) * erfc((k * w * w - z) / root) + exp(k * z) * erfc((k * w * w + z) / root));
}

/** A Gaussian times a wave along x between open ends. */
static void open_order(void) {
    static const double known[] = {9.5e-3, 2.5e-3, 6.4e-4, 1.6e-4};
    for (size_t m = 0; m < 4; ++m) {
        const size_t n = (size_t)32 << m, size[3] = {4, 2, n};
        const double w = 0.05, norm = 1 / (sqrt(2 * pi) * w);
        box b = make_box(size, "PP,PP,FF", 1, 1);
        const psg_options options = harness_with(PSG_F64, "symbol=spectral");
        FREED double *f = oracle_array(b.points), *want = oracle_array(b.points);
        result r = make_result(b.points);
        double off = 0;
        set_faces(&b, 1);
        for (size_t k = 0; k <= n; ++k) {
            b.face[2][k] /= 0.75;
        }
        b.g.axis[2].length = b.face[2][n];
        b.g.axis[0].length = 1;
        for (size_t p = 0; p < b.points; ++p) {
            const double z = (b.face[2][p / 8] + b.face[2][p / 8 + 1]) / 2 - 0.5;
            const double wave = cos(pi / 2 * (double)(p % 4));
            f[p] = wave * norm * exp(-z * z / (2 * w * w));
            want[p] = wave * potential(z, 2 * pi, w);
        }
        CHECK_STATUS(solve(&b, options, MPI_COMM_NULL, 0, f, &r), PSG_OK);
        for (size_t p = 0; p < b.points; ++p) {
            off = check_worse(off, fabs(r.u[p] - want[p]));
        }
        off /= oracle_max(want, b.points);
        CHECK_NEAR(off / known[m], 1, 0.03, "%zu cells: the error is %.3g, not %.3g", n, off,
                   known[m]);
        free_result(&r);
        free_box(&b);
    }
}

/** The largest error of e^z cos x over the largest u, z between Robin sides with values. */
static double error_of(size_t n, double beta) {
    const size_t size[3] = {n, 2, n};
    box b = make_box(size, "PP,PP,RR", 1, 1);
    const psg_options options = harness_with(PSG_F64, "symbol=spectral");
    FREED double *f = oracle_array(b.points), *u = oracle_array(b.points);
    FREED double *want = oracle_array(b.points), *lower = oracle_array(2 * n);
    FREED double *upper = oracle_array(2 * n);
    double off = 0;
    set_faces(&b, beta);
    b.g.axis[0].length = 2 * pi;
    for (size_t p = 0; p < b.points; ++p) {
        const size_t k = p / n / 2;
        const double wave = cos(2 * pi * (double)(p % n) / (double)n);
        want[p] = wave * exp((b.face[2][k] + b.face[2][k + 1]) / 2);
        if (p < 2 * n) {
            lower[p] = wave * (1 - b.g.axis[2].robin[0]);
            upper[p] = wave * exp(b.face[2][n]) * (1 + b.g.axis[2].robin[1]);
        }
    }
    DESTROYED psg_plan *plan = plan_of(&b, &options);
    psg_solve_args args = harness_args(plan);
    const psg_array in = harness_view(f), out = harness_view(u);
    const psg_array side[2] = {harness_view(lower), harness_view(upper)};
    args.side[2][0] = &side[0];
    args.side[2][1] = &side[1];
    CHECK_STATUS(psg_solve_arrays(plan, 1, &in, &out, &args), PSG_OK);
    for (size_t p = 0; p < b.points; ++p) {
        off = check_worse(off, fabs(u[p] - want[p]));
    }
    free_box(&b);
    return off / oracle_max(want, b.points);
}

static void order(void) {
    double before = error_of(16, 1.5);
    for (size_t n = 32; n <= 128; n *= 2) {
        const double now = error_of(n, 1.5);
        CHECK_NEAR(log2(before / now), 2, 0.1, "%zu cells: the error is %.3g after %.3g", n, now,
                   before);
        before = now;
    }
}

/* ----------------------------------------------------------------------------------- gradients */

/** The derivative along z is that of u, and beyond an open end that to the point there: the end
 *  cell has its balance with it, of each mode. A single cell between two open ends
 *  loses as much below as above. On cores. */
static void gradients(void) {
    static const char *const along[] = {"FF", "NF", "FN", "DF", "RF", "FR"};
    static const size_t planes[] = {9, 2, 1};
    for (size_t c = 0; c < 18 && !on_gpus(); ++c) {
        const size_t m = c / 3, n[3] = {6, 5, planes[c % 3]};
        char sides[12];
        snprintf(sides, sizeof sides, "PP,PP,%s", along[m]);
        box b = make_box(n, sides, 7, 1);
        psg_options options = harness_with(PSG_F64, "symbol=fd2");
        FREED double *f = oracle_array(b.points), *lap = oracle_array(b.points);
        result r = make_result(b.points);
        oracle_random(m, b.points, f);
        CHECK_STATUS(solve(&b, options, MPI_COMM_NULL, 7, f, &r), PSG_OK);
        const int open = b.g.axis[2].bc[0] == PSG_BC_FREE;
        const int alone = m == 0 && n[2] == 1;
        for (size_t p = open && !alone ? 30 : 0; p < b.points; ++p) {
            const size_t at[3] = {p % 6, p / 6 % 5, p / 30}, step[3] = {1, 6, 30};
            long double sum = -f[p];
            for (int d = 0; d < 3; ++d) {
                const size_t below = at[d] > 0 ? p - step[d] : p + (n[d] - 1) * step[d];
                const long double in = alone && d == 2        ? -(long double)r.g[2][p]
                                       : d == 2 && at[2] == 0 ? flux(&b, r.u, p, 2, 0)
                                                              : (long double)r.g[d][below];
                sum += (r.g[d][p] - in) / width(&b, d, at[d]);
            }
            lap[p] = (double)sum;
        }
        CHECK(oracle_max(lap, b.points) <= 1e-11 * oracle_max(f, b.points),
              "%s: the divergence of the gradient is off by %.2g", b.words,
              oracle_max(lap, b.points));
        free_result(&r);
        free_box(&b);
    }
}

/* -------------------------------------------------------------------------------------- limits */

/** k -> infinity is a Dirichlet side; k = 0 is a Neumann side bit by bit, singular or not. */
static void limits(void) {
    static const char *const same[][2] = {{"PP,PP,RR", "PP,PP,NN"},
                                          {"PP,DN,RD", "PP,DN,ND"},
                                          {"PP,PP,RR", "PP,PP,DD"},
                                          {"NN,PP,NR", "NN,PP,ND"}};
    const size_t n[3] = {6, 5, 12};
    const psg_options options = harness_with(PSG_F64, "symbol=fd2");
    for (size_t m = 0; m < 8; ++m) {
        box robin = make_box(n, same[m / 2][0], 5, 1), other = make_box(n, same[m / 2][1], 5, 1);
        FREED double *f = oracle_array(robin.points);
        result r = make_result(robin.points), o = make_result(robin.points);
        oracle_random(7, robin.points, f);
        robin.stretched = other.stretched = m % 2 == 0;
        memset(robin.value, 0, sizeof robin.value);
        memset(other.value, 0, sizeof other.value);
        for (int side = 0; side < 2; ++side) {
            double *k = &robin.g.axis[2].robin[side];
            *k = robin.g.axis[2].bc[side] != PSG_BC_ROBIN ? 0 : m < 4 ? 0 : 1e15;
        }
        CHECK_STATUS(solve(&robin, options, MPI_COMM_NULL, 4, f, &r), PSG_OK);
        CHECK_STATUS(solve(&other, options, MPI_COMM_NULL, 4, f, &o), PSG_OK);
        if (m < 4) {
            CHECK(memcmp(r.u, o.u, robin.points * sizeof *f) == 0, "%s, k = 0: u is another",
                  same[m / 2][0]);
            CHECK(memcmp(r.g[2], o.g[2], robin.points * sizeof *f) == 0,
                  "%s, k = 0: the gradient is another", same[m / 2][0]);
        } else {
            CHECK_CLOSE(r.u, o.u, n[0], n[1], n[2], 1e-13, "%s, k = 1e15", same[m / 2][0]);
            CHECK_CLOSE(r.g[2], o.g[2], n[0], n[1], n[2], 1e-12, "%s, k = 1e15", same[m / 2][0]);
        }
        free_result(&r);
        free_result(&o);
        free_box(&robin);
        free_box(&other);
    }
}

/** With a small k of one side u is about minus the sum of f over k: of f = 1 along all of z, that is
 *  length/k, in its range or not. */
static void small_losses(void) {
    static const struct {
        psg_precision precision;
        double k;
        psg_status status;
        const char *words;
    } cases[] = {
        {PSG_F32, 1e-30, PSG_OK, ""},
        {PSG_F32, 1e-37, PSG_ERR_DATA, "too large for its precision: its transform or u overflows"},
        {PSG_F32, 1e-40, PSG_ERR_ARG, "or another k of the Robin sides"},
        {PSG_F64, 1e-40, PSG_OK, ""},
        {PSG_F64, 1e-300, PSG_OK, ""},
        {PSG_F64, 1e-310, PSG_ERR_ARG, "or another k of the Robin sides"},
    };
    static const char *const along[] = {"PP,PP,RN", "PP,PP,FR", "PP,PP,RR"};
    const size_t n[3] = {4, 2, 6};
    for (size_t m = 0; m < 18; ++m) {
        const size_t c = m % 6;
        const psg_precision precision = cases[c].precision;
        box b = make_box(n, along[m / 6], 5, 1);
        const psg_options options = harness_with(precision, "symbol=fd2");
        FREED double *f = oracle_array(b.points), *u = oracle_array(b.points);
        share s = share_make(MPI_COMM_SELF, precision, &b.grid, 0);
        const psg_array in = harness_view(s.f), out = harness_view(s.u);
        psg_plan *plan = NULL;
        for (int side = 0; side < 2; ++side) {
            double *k = &b.g.axis[2].robin[side];
            *k = *k > 0 ? cases[c].k / (m / 6 == 2 ? 2 : 1) : 0;
        }
        for (size_t p = 0; p < b.points; ++p) {
            f[p] = cases[c].status == PSG_ERR_DATA ? 1e3 : 1;
        }
        share_take(&s, f);
        b.g.axis[2].faces = b.face[2];
        psg_status status = psg_plan_create(&plan, &b.g, &options);
        status = plan != NULL ? psg_solve_arrays(plan, 1, &in, &out, NULL) : status;
        CHECK(status == cases[c].status && strstr(psg_last_error(), cases[c].words) != NULL,
              "%s, k = %g: %d: %s", along[m / 6], cases[c].k, status, psg_last_error());
        share_gather(&s, MPI_COMM_SELF, u);
        for (size_t p = 0; p < b.points && status == PSG_OK; ++p) {
            const double want = -b.g.axis[2].length / cases[c].k;
            CHECK_NEAR(u[p] / want, 1, harness_tolerance(precision, 1e-14, 1e-6),
                       "%s, k = %g: u at %zu", along[m / 6], cases[c].k, p);
        }
        psg_plan_destroy(plan);
        share_free(&s);
        free_box(&b);
    }
}

/* -------------------------------------------------------------------------------------- refusals */

static psg_status try_with(const char *sides, const char *options, double lower, double upper) {
    psg_grid g = harness_box(4, 4, 4, 1, 1, 1);
    psg_options o = harness_options(PSG_F64);
    psg_plan *plan = NULL;
    harness_set(&o, options);
    harness_sides(&g, sides);
    for (int d = 0; d < 3; ++d) {
        g.axis[d].robin[0] = g.axis[d].bc[0] == PSG_BC_ROBIN || d == 2 ? lower : 0;
        g.axis[d].robin[1] = g.axis[d].bc[1] == PSG_BC_ROBIN ? upper : 0;
    }
    const psg_status status = psg_plan_create(&plan, &g, &o);
    CHECK((plan == NULL) == (status != PSG_OK), "a plan and a status");
    if (plan != NULL) { /* the words of a refusal stay */
        psg_plan_destroy(plan);
    }
    return status;
}

static void refused(void) {
    const psg_bc bc[2] = {PSG_BC_ROBIN, PSG_BC_NEUMANN};
    psg_axis axis = {.n = 8, .length = 2, .bc = {PSG_BC_ROBIN, PSG_BC_DIRICHLET}, .robin = {1, 0}};
    double first = 0, step = 0;
    size_t good = 0;
    CHECK_STATUS(try_with("PP,PP,RR", "symbol=fd2", 1, 2), PSG_OK);
    CHECK_SAYS(try_with("PP,PP,RR", "symbol=fd2", -1, 2), PSG_ERR_ARG, "robin[0] along z is -1");
    CHECK_SAYS(try_with("PP,PP,RR", "symbol=fd2", 1, NAN), PSG_ERR_ARG, "robin[1] along z is");
    CHECK_SAYS(try_with("PP,PP,RR", "symbol=fd2", INFINITY, 1), PSG_ERR_ARG, "finite");
    CHECK_SAYS(try_with("PP,PP,DR", "symbol=fd2", 1, 1), PSG_ERR_ARG,
               "the lower side along z is no Robin side: robin[0] = 1");
    CHECK_SAYS(try_with("RR,PP,PP", "symbol=fd2", 0, 1), PSG_ERR_UNSUPPORTED,
               "x has a Robin side, and z alone may have");
    CHECK_SAYS(try_with("PP,NR,PP", "symbol=fd2", 0, 1), PSG_ERR_UNSUPPORTED, "y has a Robin side");
    CHECK_SAYS(try_with("PP,PP,RRn", "symbol=fd2", 1, 1), PSG_ERR_UNSUPPORTED,
               "a Robin side along z of nodes is not there yet");
    CHECK_SAYS(try_with("PP,PP,PR", "symbol=fd2", 0, 1), PSG_ERR_ARG, "periodic");
    CHECK_SAYS(try_with("PP,PP,RR", "symbol=fd4", 1, 1), PSG_ERR_UNSUPPORTED,
               "symbol fd4 has no Robin side");
    CHECK_SAYS(try_with("PP,PP,RR", "symbol=spectral", 1, 1), PSG_ERR_UNSUPPORTED,
               "fd2 has, and z with faces");
    CHECK_SAYS(try_with("FF,PP,RR", "symbol=fd2", 1, 1), PSG_ERR_UNSUPPORTED, "free sides");
    CHECK_SAYS(try_with("PP,PP,RR", "symbol=spectral kernel=user", 1, 1), PSG_ERR_UNSUPPORTED,
               "symbol spectral has no Robin side");
    const psg_options staged = harness_with(PSG_F64, "symbol=fd2 graph=staged");
    double faces[] = {0, 0.1, 0.3, 0.6, 1}, f[64] = {1}, u[64], gradient[64];
    psg_grid open = harness_box(4, 4, 4, 1, 1, 1);
    harness_sides(&open, "PP,PP,NF");
    open.axis[2].faces = faces;
    DESTROYED psg_plan *plan = harness_plan(&open, &staged);
    psg_solve_args args = harness_args(plan);
    const psg_array in = harness_view(f), out = harness_view(u), along_z = harness_view(gradient);
    args.gradient[2] = &along_z;
    CHECK_SAYS(psg_solve_arrays(plan, 1, &in, &out, &args), PSG_ERR_UNSUPPORTED,
               "there on cores in the fused graph");
    args.gradient[2] = NULL;
    args.value[2][1] = 1;
    CHECK_SAYS(psg_solve_arrays(plan, 1, &in, &out, &args), PSG_ERR_ARG, "free there along z");
    CHECK_STATUS(psg_axis_points(&axis, &first, &step), PSG_OK);
    CHECK(first == 0.125 && step == 0.25, "points at %g, %g apart", first, step);
    CHECK_STATUS(psg_good_length(17 * 19, bc, PSG_POINTS_CELLS, &good), PSG_OK);
    CHECK(good == 17 * 19, "%zu", good);
}

int main(void) {
    const psg_options first = harness_options(PSG_F64);
    psg_plan *anchor = harness_anchor(&first);
    columns();
    order();
    open_order();
    gradients();
    limits();
    small_losses();
    if (!on_gpus()) {
        refused();
    }
    psg_plan_destroy(anchor);
    return check_result();
}
