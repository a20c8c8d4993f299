/* A stretched z: u has the right fluxes through the faces of all cells, for any sides with values,
 * any spacings, lambda and factor, in both precisions, each graph and any number of processes,
 * which have it bit by bit; its gradient is these fluxes; what cannot be is refused with words. */
#include "tests/graph/stretched_box.h"

#include <float.h>

static MPI_Comm world;

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

/** In f32 the fused graph makes the derivative along z of the modes, on GPUs where x and y are
 *  periodic: it has the digits of u in f64, but below an upper Dirichlet side those of the value,
 *  which is half a cell away.
 *  @param[in] u  in f64 */
static void check_by_modes(const box *b, const result *r, const double *u) {
    const size_t plane = b->grid.n[0] * b->grid.n[1];
    const int wall = b->g.axis[2].bc[1] == PSG_BC_DIRICHLET;
    const double value = fabs(b->value[2][1]) / width(b, 2, b->grid.n[2] - 1) * 2;
    double off = 0, largest = 0, last = 0;
    for (size_t p = 0; p < b->points; ++p) {
        const double want = (double)flux(b, u, p, 2, 1), apart = fabs(r->g[2][p] - want);
        largest = fmax(largest, fabs(want));
        if (wall && p + plane >= b->points) {
            last = check_worse(last, apart);
        } else {
            off = check_worse(off, apart);
        }
    }
    CHECK(off <= 4e-6 * largest, "%s: the derivative along z is off by %.2g of %.2g", b->words, off,
          largest);
    CHECK(last <= 4e-6 * largest + 4 * FLT_EPSILON * value,
          "%s: the derivative below a value is off by %.2g of %.2g", b->words, last, largest);
}

/** In f64 by its residual, and what is wanted in other ways beside that.
 *  @param[in] which  a variant of the graph and an exchange */
static void one_box(const box *b, size_t which) {
    const size_t number = on_gpus() ? 0 : which % HARNESS_VARIANTS;
    const harness_variant *variant = &harness_variants[number];
    const psg_exchange exchange = ranks_exchanges[which / HARNESS_VARIANTS % RANKS_EXCHANGES];
    const unsigned wanted = which % 2 == 0 ? 0 : 7;
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
            const int modes = variant->graph == PSG_GRAPH_FUSED && b->grid.n[2] > 1 &&
                              (!on_gpus() || (b->g.axis[0].bc[0] == PSG_BC_PERIODIC &&
                                              b->g.axis[1].bc[0] == PSG_BC_PERIODIC));
            if (modes && wanted != 0) {
                check_by_modes(b, &all, alone.u);
            }
            check_gradient(b, &all, modes ? wanted & 3 : wanted, FLT_EPSILON);
        }
    }
    free_result(&alone);
    free_result(&all);
}

static void residuals(void) {
    static const char *const across[] = {"PP,PP", "NN,PP", "PP,DN", "DD,NN", "ND,DDn", "NNn,PP"};
    static const char *const along[] = {"PP", "NN", "DD", "DN", "ND", "RR", "RN", "NR", "RD", "DR"};
    static const size_t lengths[] = {1, 2, 3, 7, 33, 64, 97};
    size_t run = 0;
    for (size_t m = 0; m < 7; ++m) {
        for (size_t z = 0; z < 10; ++z, ++run) {
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

/** Open ends of z, of faces at equal distances, others, and none: u and its gradient are those of
 *  one process bit by bit. That is beside known answers in ends.c. */
static void open_ends(void) {
    static const char *const sides[] = {"PP,PP,FF", "NN,PP,NF", "PP,DN,FD", "PP,PP,RF", "DD,NN,FR"};
    static const size_t planes[] = {2, 9};
    for (size_t run = 0; run < (size_t)5 * 3 * 2 * 2 * RANKS_EXCHANGES; ++run) {
        const size_t faces = run / 5 % 3, n[3] = {6, 5, planes[run / 15 % 2]};
        const harness_variant *variant = &harness_variants[on_gpus() ? 0 : run % HARNESS_VARIANTS];
        const psg_precision precision = (psg_precision)(run / 30 % 2);
        if (!ranks_takes(run) || (faces == 2 && on_gpus())) { /* GPUs have kernels of some nz */
            continue;
        }
        box b = make_box(n, sides[run % 5], faces == 0 ? 20 : 1, 1);
        psg_options options = ranks_options(precision, &world), one;
        FREED double *f = oracle_array(b.points);
        result alone = make_result(b.points), all = make_result(b.points);
        oracle_random(run, b.points, f);
        harness_round(PSG_F32, b.points, f);
        b.stretched = faces < 2;
        b.lambda = run % 4 == 3 ? 0.75 : 0;
        options.symbol = PSG_SYMBOL_FD2;
        options.exchange = RANKS_MPI ? ranks_exchanges[run / 60] : PSG_EXCHANGE_AUTO;
        harness_set_variant(&options, variant);
        one = options;
        one.executor = PSG_EXECUTOR_TASKS;
        one.exchange = PSG_EXCHANGE_AUTO;
        const unsigned wanted = on_gpus() || variant->graph != PSG_GRAPH_FUSED ? 0 : 7;
        ranks_at("%s, faces %zu, %s, run %zu", b.words, faces, variant->name, run);
        CHECK_STATUS(solve(&b, options, world, wanted, f, &all), PSG_OK);
        CHECK_STATUS(solve(&b, one, MPI_COMM_NULL, wanted, f, &alone), PSG_OK);
        for (int d = -1; d < 3; ++d) {
            const double *got = d < 0 ? all.u : all.g[d], *want = d < 0 ? alone.u : alone.g[d];
            CHECK((d >= 0 && wanted == 0) || memcmp(got, want, b.points * sizeof *f) == 0,
                  "%s, faces %zu, %s, %s, run %zu: field %d is not that of one process", b.words,
                  faces, variant->name, harness_precision_name(precision), run, d);
        }
        free_result(&alone);
        free_result(&all);
        free_box(&b);
    }
}

/* -------------------------------------------------------------------------------------- refusals */

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
               "an axis with faces or a Robin side has none");
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
    open_ends();
    differ();
    if (!RANKS_MPI) {
        other_box();
        refused();
    }
    psg_plan_destroy(anchor);
    return ranks_finish(check_result());
}
