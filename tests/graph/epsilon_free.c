/* A solve with epsilon and free sides is that of the same box with more cells beyond these sides,
 * where epsilon is that outside and f is 0; and inside it is that of the stencil, checked by sums
 * over faces that share nothing with the library: for every pair of sides, both precisions, every
 * way through the graph, bodies, closed pockets of fluid, values on walls, and a stretched z. What
 * cannot be solved is refused in words. */
#include "tests/graph/epsilon_problem.h"

/** A plan on GPUs takes a second to make, so few problems have to do. */
static bool on_gpus(void) {
    return harness_options(PSG_F64).gpus > 0;
}

static const double outside = 3;

/* ------------------------------------------------------------------------------- a wider box */

/** The place of point m of a box in one that has `low` cells more below it. */
static size_t place_in(const medium *wide, const medium *p, const size_t low[3], size_t m) {
    const size_t i = m % p->n[0] + low[0];
    const size_t j = m / p->n[0] % p->n[1] + low[1];
    const size_t k = m / p->n[0] / p->n[1] + low[2];
    return (k * wide->n[1] + j) * wide->n[0] + i;
}

/** Beyond a stretched z are cells of the width of its last ones. */
static void widen_z(medium *wide, const medium *p, size_t low) {
    const size_t n = p->n[2];
    const double first = p->z[1] - p->z[0], last = p->z[n] - p->z[n - 1];
    wide->z = calloc(wide->n[2] + 1, sizeof(double));
    for (size_t k = 0; k <= wide->n[2]; ++k) {
        wide->z[k] = k < low       ? p->z[0] - (double)(low - k) * first
                     : k > low + n ? p->z[n] + (double)(k - low - n) * last
                                   : p->z[k - low];
    }
    wide->length[2] = wide->z[wide->n[2]] - wide->z[0];
}

/** The walls go on beyond the box with 0 on them. */
static void widen_sides(medium *wide, const medium *p, const size_t low[3]) {
    for (int face = 0; face < 6; ++face) {
        if (p->value[face] == 0) {
            continue;
        }
        wide->value[face] = 1; /* not used beside numbers for all points */
        wide->side[face] = calloc(wide->points / wide->n[face / 2], sizeof(double));
        for (size_t m = 0; m < p->points; ++m) {
            if (beyond(p, m, face) == p->points) {
                wide->side[face][place_on(wide, place_in(wide, p, low, m), face)] =
                    p->side[face] != NULL ? p->side[face][place_on(p, m, face)] : p->value[face];
            }
        }
    }
}

/** @param[in] more  cells beyond each free side @param[out] low  [3]: those below the box */
static medium widen(const medium *p, size_t more, size_t low[3]) {
    const psg_grid grid = grid_of(p);
    size_t n[3];
    for (int d = 0; d < 3; ++d) {
        low[d] = grid.axis[d].bc[0] == PSG_BC_FREE ? more : 0;
        n[d] = p->n[d] + low[d] + (grid.axis[d].bc[1] == PSG_BC_FREE ? more : 0);
    }
    medium wide = make(n[0], n[1], n[2], p->length[0] / (double)p->n[0] * (double)n[0],
                       p->length[1] / (double)p->n[1] * (double)n[1],
                       p->length[2] / (double)p->n[2] * (double)n[2]);
    wide.sides = p->sides;
    wide.lambda = p->lambda;
    wide.factor = p->factor;
    for (size_t m = 0; m < wide.points; ++m) {
        wide.eps[m] = outside;
    }
    for (size_t m = 0; m < p->points; ++m) {
        const size_t to = place_in(&wide, p, low, m);
        wide.eps[to] = p->eps[m];
        wide.f[to] = p->f[m];
    }
    if (p->z != NULL) {
        widen_z(&wide, p, low[2]);
    }
    widen_sides(&wide, p, low);
    return wide;
}

/* ------------------------------------------------------------------------------- answers */

/** epsilon over some decades, or over one and 0 in bodies, also next to the rim. A body's f is NaN.
 */
static void fill(medium *p, bool bodies, psg_precision precision) {
    fill_random(p, .3, precision == PSG_F32 || bodies ? 20 : 1e3);
    for (size_t m = 0; m < p->points && bodies; ++m) {
        p->eps[m] *= rand() > RAND_MAX / 10 * 4;
    }
    surround(p, outside);
    harness_round(precision, p->points, p->f);
    harness_round(precision, p->points, p->eps);
    for (size_t m = 0; m < p->points; ++m) {
        p->f[m] = is_fluid(p, m) ? p->f[m] : NAN;
    }
}

/** p->u, which is solved, has what sums over faces demand, and what a wider box does. */
static void check_u(const medium *p, psg_precision precision, size_t more, const char *what) {
    const bool f32 = precision == PSG_F32;
    size_t low[3];
    AT_END(destroy) medium wide = widen(p, more, low);
    FREED double *u = oracle_array(p->points);
    DESTROYED psg_plan *plan = plan_of(&wide, harness_options(PSG_F64));
    psg_solve_args args = args_of(plan, &wide);
    args.iterations = 4000;
    CHECK(residual_of(p) <= (f32 ? 1e-3 : 1.01e-10), "%s, %s: the residual is %g", p->sides, what,
          residual_of(p));
    CHECK_STATUS(solve(plan, PSG_F64, &wide, &args, false), PSG_OK);
    CHECK(residual_of(&wide) <= 1.01e-10, "%s, %s: with the former rim the residual is %g",
          p->sides, what, residual_of(&wide));
    for (size_t m = 0; m < p->points; ++m) {
        u[m] = wide.u[place_in(&wide, p, low, m)];
    }
    CHECK_CLOSE(p->u, u, p->n[0], p->n[1], p->n[2], f32 ? 1e-4 : 1e-8, "%s, %s: u of a wider box",
                p->sides, what);
}

static void check_solve(const medium *p, const psg_options *options, size_t c, const char *what) {
    DESTROYED psg_plan *plan = plan_of(p, *options);
    psg_solve_args args = args_of(plan, p);
    args.iterations = 4000;
    CHECK_STATUS(solve(plan, options->precision, p, &args, c % 2 == 1), PSG_OK);
    check_u(p, options->precision, 1 + c % 3, what);
}

static bool has_free(const char *pair) {
    return strchr(pair, 'F') != NULL;
}

/** Can epsilon be where the sides are these pairs? */
static bool allowed(const char *const pair[3], double lambda) {
    const int axes = has_free(pair[0]) + has_free(pair[1]) + has_free(pair[2]);
    const bool wall = strpbrk(pair[0], "D") != NULL || strpbrk(pair[1], "D") != NULL ||
                      strpbrk(pair[2], "D") != NULL;
    const bool flat = !has_free(pair[0]) && !has_free(pair[1]);
    return axes > 0 && (lambda == 0 ? axes == 3 || wall : flat);
}

static const char *const ways[] = {"", "executor=tasks segment_planes=2 sheets=3",
                                   "graph=staged segment_planes=3", "segment_planes=1"};

/** Pairs of sides beside each other, some of a thousand; cuts, thin boxes, in place, and values. */
static void sides(void) {
    static const char *const pairs[] = {"FF", "PP", "DD", "FD", "NN", "DF", "FN", "DN", "NF", "ND"};
    static const size_t n[][3] = {{7, 6, 9}, {4, 5, 6}, {3, 6, 5}, {1, 5, 4}, {6, 4, 2}, {5, 1, 7}};
    enum { PAIRS = sizeof pairs / sizeof *pairs, SIZES = sizeof n / sizeof *n };
    const size_t step = on_gpus() ? 71 : 7;
    for (size_t c = 0; c < (size_t)PAIRS * PAIRS * PAIRS; c += step) {
        const char *const pair[3] = {pairs[c % PAIRS], pairs[c / PAIRS % PAIRS],
                                     pairs[c / PAIRS / PAIRS]};
        const double lambda = has_free(pair[0]) || has_free(pair[1]) || c % 4 < 2 ? 0 : 12;
        if (!allowed(pair, lambda)) {
            continue;
        }
        const size_t *size = n[c / step % SIZES];
        char all[16];
        snprintf(all, sizeof all, "%s,%s,%s", pair[0], pair[1], pair[2]);
        AT_END(destroy) medium p = make(size[0], size[1], size[2], 1, 1.5, .7);
        const psg_options options =
            harness_with(c / step % 5 == 4 ? PSG_F32 : PSG_F64, ways[c / step % 4]);
        p.sides = all;
        p.lambda = lambda;
        p.factor = c / step % 3 == 2 ? -3 : 1;
        fill(&p, c / step % 2 == 1, options.precision);
        if (c / step % 4 > 1) {
            fill_sides(&p, c / step % 8 > 3);
        }
        check_solve(&p, &options, c / step, ways[c / step % 4]);
    }
}

/** In every variant of the graph. */
static void variants(void) {
    static const char *const all[] = {"FF", "DF,PP,FN", "PP,NN,FD"};
    for (int v = 0; v < 2 * HARNESS_VARIANTS; v += on_gpus() ? 4 : 1) {
        AT_END(destroy) medium p = make(9, 8, 11, 1, 2.5, .7);
        psg_options options = harness_options(v % 2 == 0 ? PSG_F64 : PSG_F32);
        harness_set_variant(&options, &harness_variants[v % HARNESS_VARIANTS]);
        p.sides = all[(v + v / 3) % 3];
        fill(&p, v > 2, options.precision);
        check_solve(&p, &options, (size_t)v, harness_variants[v % HARNESS_VARIANTS].name);
    }
}

/** Cells have widths along a z with free ends. */
static void stretched(void) {
    static const char *const all[] = {"PP,PP,DF", "NN,PP,FD", "DN,NN,FF", "PP,DD,NF", "PP,PP,FF"};
    for (size_t c = 0; c < sizeof all / sizeof *all * 4; c += on_gpus() ? 7 : 1) {
        AT_END(destroy) medium p = make(6, 5, c % 4 == 3 ? 2 : 12, 1, 1.5, 2);
        psg_options options = harness_with(c % 5 == 4 ? PSG_F32 : PSG_F64, ways[c % 2]);
        options.graph = on_gpus() ? PSG_GRAPH_FUSED : options.graph;
        p.sides = all[c / 4];
        p.lambda = c % 3 == 2 || c / 4 == 4 ? 12 : 0;
        stretch(&p, 5);
        fill(&p, c % 2 == 1, options.precision);
        if (c % 4 > 1) {
            fill_sides(&p, true);
        }
        check_solve(&p, &options, c, "stretched");
    }
}

/** Fluid that bodies close off from the rim has a mean of its own. */
static void pockets(void) {
    AT_END(destroy) medium p = make(8, 7, 9, 1, 1, 1);
    p.sides = "FF";
    fill_random(&p, 0, 20);
    size_t pocket = 0;
    for (size_t m = 0; m < p.points; ++m) {
        const size_t at[3] = {m % 8, m / 8 % 7, m / 56};
        const bool box = at[0] > 0 && at[0] < 6 && at[1] > 0 && at[1] < 6 && at[2] > 0 && at[2] < 7;
        const bool room =
            at[0] > 1 && at[0] < 5 && at[1] > 1 && at[1] < 5 && at[2] > 1 && at[2] < 6;
        p.eps[m] = box && !room ? 0 : p.eps[m]; /* the walls are next to the rim */
        p.f[m] = room ? p.f[m] + .5 : p.f[m];
        pocket += room;
    }
    surround(&p, outside);
    DESTROYED psg_plan *plan = plan_of(&p, harness_with(PSG_F64, "segment_planes=2"));
    psg_solve_args args = args_of(plan, &p);
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    check_u(&p, PSG_F64, 2, "a pocket");
    FREED double *mean = oracle_array(p.points);
    means_of(&p, p.u, mean);
    for (size_t m = 0; m < p.points; ++m) {
        CHECK(fabs(mean[m]) <= 1e-13 || !is_fluid(&p, m), "the mean of u is %g", mean[m]);
    }
    args.mean = PSG_MEAN_ERROR;
    char words[80];
    snprintf(words, sizeof words, "in the fluid of %zu points with (i,j,k) = (2,2,2)", pocket);
    CHECK_SAYS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_MEAN, words);
    means_of(&p, p.f, mean);
    for (size_t m = 0; m < p.points; ++m) {
        p.f[m] -= mean[m];
    }
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    check_u(&p, PSG_F64, 1, "a pocket without a mean");
}

/** A plan solves with one epsilon after another, and without one as before. */
static void again(void) {
    AT_END(destroy) medium p = make(8, 6, 10, 1, 1.5, 2);
    p.sides = "FF";
    DESTROYED psg_plan *plan = plan_of(&p, harness_with(PSG_F64, "segment_planes=3"));
    const psg_solve_args args = args_of(plan, &p);
    FREED double *before = oracle_array(p.points);
    FREED double *u = oracle_array(p.points);
    FREED double *first = oracle_array(p.points);
    fill(&p, false, PSG_F64);
    CHECK_STATUS(psg_solve(plan, p.f, before), PSG_OK);
    for (int m = 0; m < 4; ++m) {
        fill(&p, m == 1, PSG_F64);
        for (size_t i = 0; i < p.points && m == 2; ++i) {
            p.eps[i] = outside;
        }
        CHECK_STATUS(solve(plan, PSG_F64, &p, &args, m == 3), PSG_OK);
        check_u(&p, PSG_F64, 1, "once more");
        memcpy(m == 0 ? first : u, p.u, p.points * sizeof *u);
        if (m == 2) {
            CHECK(harness_statistics(plan).iterations == 1, "one epsilon: %zu iterations",
                  harness_statistics(plan).iterations);
        }
    }
    CHECK(memcmp(first, u, p.points * sizeof *u) == 0, "the first u is another one now");
    CHECK_STATUS(psg_solve(plan, p.f, u), PSG_OK);
    CHECK(memcmp(before, u, p.points * sizeof *u) == 0, "u without epsilon is another one now");
    CHECK(harness_statistics(plan).iterations == 0, "a solve without epsilon had iterations");
}

/* ------------------------------------------------------------------------------- refusals */

static void refuse(const char *all, double lambda, psg_status status, const char *words) {
    AT_END(destroy) medium p = make(6, 5, 4, 1, 1, 1);
    p.sides = all;
    p.lambda = lambda;
    fill(&p, false, PSG_F64);
    DESTROYED psg_plan *plan = plan_of(&p, harness_options(PSG_F64));
    const psg_solve_args args = args_of(plan, &p);
    CHECK_SAYS(solve(plan, PSG_F64, &p, &args, false), status, words);
}

/** The rim has one number, and it is above 0. */
static void refuse_rims(void) {
    AT_END(destroy) medium p = make(6, 5, 4, 1, 1, 1);
    p.sides = "FF";
    DESTROYED psg_plan *plan = plan_of(&p, harness_with(PSG_F64, "segment_planes=1"));
    const psg_solve_args args = args_of(plan, &p);
    static const size_t place[] = {0, 119, 36, 32, 47, 71, 53};
    for (size_t m = 0; m < sizeof place / sizeof *place; ++m) {
        fill(&p, false, PSG_F64);
        CHECK(on_rim(&p, place[m]), "point %zu is not on the rim", place[m]);
        p.eps[place[m]] = 7;
        CHECK_SAYS(
            solve(plan, PSG_F64, &p, &args, false), PSG_ERR_DATA,
            "epsilon is from 3 to 7 at the points beside free sides: it has to be one number "
            "there, above 0");
        p.eps[place[m]] = 0;
        CHECK_SAYS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_DATA, "epsilon is from 0 to 3");
        p.eps[place[m]] = -1;
        CHECK_SAYS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_DATA,
                   "epsilon is -1 at (i,j,k)");
    }
    fill(&p, false, PSG_F64);
    surround(&p, 0);
    CHECK_SAYS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_DATA, "epsilon is from 0 to 0");
    fill(&p, false, PSG_F64);
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    CHECK(residual_of(&p) <= 1.01e-10, "after refusals the residual is %g", residual_of(&p));
}

static void refusals(void) {
    static const char without[] = "where a side is free, epsilon is at points, and without a guess";
    static const char one[] = "epsilon with these free sides needs lambda above 0, a Dirichlet "
                              "side, or a free side along "
                              "each of three axes";
    static const char table[] = "epsilon with these free sides needs a Dirichlet side, or a free";
    refuse("FF,PP,DD", 2, PSG_ERR_UNSUPPORTED, "epsilon with free sides along x or y is for");
    refuse("PP,DF,DD", 2, PSG_ERR_UNSUPPORTED, "epsilon with free sides along x or y is for");
    refuse("PP,PP,FF", 0, PSG_ERR_UNSUPPORTED, one);
    refuse("NN,PP,NF", 0, PSG_ERR_UNSUPPORTED, one);
    refuse("FF,PP,FF", 0, PSG_ERR_UNSUPPORTED, table);
    AT_END(destroy) medium p = make(6, 5, 4, 1, 1, 1);
    p.sides = "FF";
    fill(&p, false, PSG_F64);
    DESTROYED psg_plan *plan = plan_of(&p, harness_options(PSG_F64));
    psg_solve_args args = args_of(plan, &p);
    args.guess = 1;
    CHECK_SAYS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_UNSUPPORTED, without);
    args.guess = 0;
    for (int d = 0; d < 3; ++d) {
        FREED double *values = oracle_array(p.points);
        const psg_array component = harness_view(values);
        args.gradient[d] = &component;
        CHECK_SAYS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_UNSUPPORTED,
                   "at a free upper side is not there with epsilon");
        args.gradient[d] = NULL;
    }
    fill_faces(&p, 1, 0);
    CHECK_SAYS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_UNSUPPORTED, without);
}

int main(void) {
    const psg_options options = harness_options(PSG_F64);
    DESTROYED psg_plan *anchor = harness_anchor(&options);
    sides();
    variants();
    stretched();
    pockets();
    again();
    refuse_rims();
    refusals();
    return check_result();
}
