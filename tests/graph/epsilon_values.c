/* A solve with epsilon and values on the sides: the residual by sums over faces is small, for
 * numbers and arrays, solid bodies, faces, both precisions and every way through the graph; a
 * capacitor of two dielectrics has its exact u; the mean that is dropped is that of f and of what
 * flows in. What cannot be solved is refused in words. */
#include "graph/psg_starpu.h"
#include "graph/psg_task.h"
#include "tests/graph/epsilon_problem.h"

#include <starpu.h>

static void round_all(const medium *p, psg_precision precision) {
    harness_round(precision, p->points, p->f);
    harness_round(precision, p->points, p->eps);
    for (int m = 0; m < 6; ++m) {
        if (p->side[m] != NULL) {
            harness_round(precision, p->points / p->n[m / 2], p->side[m]);
        }
        if (p->faces[m / 2] != NULL) {
            harness_round(precision, p->points, p->faces[m / 2]);
        }
    }
}

/** The derivative beyond the last point is that of the value: epsilon is no factor of it. */
static void check_gradient(const medium *p, int d, const double *gradient, double bound) {
    const psg_grid grid = grid_of(p);
    const psg_axis *axis = &grid.axis[d];
    const bool nodes = axis->points == PSG_POINTS_NODES;
    const double h = p->length[d] / (double)(p->n[d] + (nodes ? 1 : 0));
    for (size_t m = 0; m < p->points; ++m) {
        if (beyond(p, m, 2 * d + 1) == p->points) {
            const int face = 2 * d + 1;
            const double value =
                p->side[face] != NULL ? p->side[face][place_on(p, m, face)] : p->value[face];
            const double steep = nodes ? 1 / h : 2 / h;
            const double want = axis->bc[1] == PSG_BC_DIRICHLET ? (value - p->u[m]) * steep : value;
            CHECK_NEAR(gradient[m], want, bound * (1 + steep), "%s: the gradient at %zu", p->sides,
                       m);
        }
    }
}

/** @param[in] options  of a plan that solves once without values, too */
static void check_solve(const medium *p, const psg_options *options, const char *what) {
    const bool f32 = options->precision == PSG_F32;
    DESTROYED psg_plan *plan = plan_of(p, *options);
    psg_solve_args args = args_of(plan, p);
    void *gradient[3];
    psg_array component[3];
    FREED double *got = oracle_array(p->points);
    args.iterations = 4000;
    for (int in_place = 0; in_place < 2; ++in_place) {
        for (int d = 0; d < 3; ++d) {
            gradient[d] = harness_array(options->precision, p->points);
            psg_array_init(&component[d], gradient[d]);
            args.gradient[d] = in_place ? NULL : &component[d];
        }
        CHECK_STATUS(solve(plan, options->precision, p, &args, in_place), PSG_OK);
        const double residual = residual_of(p);
        const psg_statistics s = harness_statistics(plan);
        CHECK(f32 ? residual <= 1e-3 : residual <= 1.01e-10,
              "%s, %s: the residual is %g, said to be %g", p->sides, what, residual, s.residual);
        for (int d = 0; d < 3; ++d) {
            harness_load(options->precision, p->points, gradient[d], got);
            if (!in_place) {
                check_gradient(p, d, got, f32 ? 1e-5 : 1e-13);
            }
            free(gradient[d]);
        }
    }
}

/** Every kind of side on every axis; epsilon from 1 to 20, 0 in bodies, or on faces of which some
 *  are closed. GPUs, which take half a second for a plan, have every eleventh case. */
static void sides(void) {
    static const char *const all[] = {"NN",       "DD",       "DN",       "ND",
                                      "PP,NN,DD", "DN,PP,ND", "PP,PP,ND", "PP,PP,NN",
                                      "dd",       "DD,NN,NN", "NN,PP,PP"};
    static const size_t n[][3] = {{9, 11, 13}, {4, 3, 6}, {1, 5, 3}, {3, 1, 1}};
    static const char *const ways[] = {"", "executor=tasks segment_planes=2 sheets=3",
                                       "graph=staged segment_planes=3"};
    static const char *const media[] = {"points", "bodies", "faces", "closed faces"};
    const size_t step = harness_options(PSG_F64).gpus > 0 ? 11 : 1;
    for (size_t c = 0; c < sizeof all / sizeof *all * 32; c += step) {
        const size_t *size = n[c / 4 % 4];
        AT_END(destroy) medium p = make(size[0], size[1], size[2], 1, 2.5, .7);
        const psg_options options = harness_with(c % 5 == 4 ? PSG_F32 : PSG_F64, ways[c % 3]);
        p.sides = all[c / 32];
        p.lambda = c % 7 == 1 ? 12 : 0;
        p.factor = c % 3 == 1 ? -3 : 1;
        fill_random(&p, .3, 20);
        fill_sides(&p, c % 32 < 16);
        if (c % 4 > 1) {
            fill_faces(&p, 20, c % 4 == 3 ? .3 : 0);
        }
        for (size_t m = 0; m < p.points && c % 4 == 1; ++m) {
            p.eps[m] *= rand() % 10 > 2;
        }
        round_all(&p, options.precision);
        for (size_t m = 0; m < p.points; ++m) {
            p.f[m] = is_fluid(&p, m) ? p.f[m] : NAN;
        }
        bool any = false; /* else nothing is left to solve */
        for (size_t m = 0; m < p.points; ++m) {
            any = any || is_fluid(&p, m);
        }
        if (any) {
            check_solve(&p, &options, media[c % 4]);
        }
    }
}

/** Two plates with 1 and 4 on them, and epsilon 2 and 6 between: the flux through all is one, and u
 *  is linear in each. Or the flux is given on one plate. */
static void capacitor(void) {
    for (int given = 0; given < 2; ++given) {
        AT_END(destroy) medium p = make(4, 5, 12, 1, 1, 3);
        DESTROYED psg_plan *plan = NULL;
        const double h = 3.0 / 12;
        const double flux = (4 - 1) / (1 / 2.0 + 2 / 6.0);
        p.sides = given ? "PP,PP,DN" : "PP,PP,DD";
        p.value[4] = 1;
        p.value[5] = given ? flux / 6 : 4;
        for (size_t m = 0; m < p.points; ++m) {
            p.eps[m] = m / 20 < 4 ? 2 : 6;
        }
        plan = plan_of(&p, harness_options(PSG_F64));
        psg_solve_args args = args_of(plan, &p);
        args.tolerance = 1e-13;
        CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
        for (size_t m = 0; m < p.points; ++m) {
            const double z = h * ((double)(m / 20) + .5);
            const double want = z < 1 ? 1 + flux / 2 * z : 1 + flux / 2 + flux / 6 * (z - 1);
            CHECK_NEAR(p.u[m], want, 1e-11, "capacitor %d: u at z = %g", given, z);
        }
    }
}

/** With f = 0 what flows in is all there is; a guess takes fewer iterations. */
static void guess(void) {
    AT_END(destroy) medium p = make(9, 8, 7, 1, 1, 1);
    p.sides = "DN";
    fill_random(&p, 0, 20);
    fill_sides(&p, true);
    memset(p.f, 0, p.points * sizeof *p.f);
    DESTROYED psg_plan *plan = plan_of(&p, harness_options(PSG_F64));
    psg_solve_args args = args_of(plan, &p);
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    CHECK(residual_of(&p) <= 1.01e-10, "f = 0: the residual is %g", residual_of(&p));
    args.guess = 1;
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    CHECK(harness_statistics(plan).iterations == 0, "%zu iterations from the answer",
          harness_statistics(plan).iterations);
    memset(p.value, 0, sizeof p.value); /* and the plan goes on without values */
    for (int m = 0; m < 6; ++m) {
        free(p.side[m]);
        p.side[m] = NULL;
    }
    fill_random(&p, 0, 20);
    args.guess = 0;
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    CHECK(residual_of(&p) <= 1.01e-10, "without values: the residual is %g", residual_of(&p));
}

/** The mean that is dropped, or refused, is that of f and of what flows in. */
static void means(void) {
    AT_END(destroy) medium p = make(6, 5, 8, 1, 1, 2);
    p.sides = "NN";
    fill_random(&p, .5, 5);
    fill_sides(&p, false);
    DESTROYED psg_plan *plan = plan_of(&p, harness_options(PSG_F64));
    psg_solve_args args = args_of(plan, &p);
    FREED double *whole = whole_f(&p);
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    CHECK_NEAR(harness_statistics(plan).mean, mean_of(&p, whole), 1e-13, "the mean");
    args.mean = PSG_MEAN_ERROR;
    CHECK_SAYS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_MEAN,
               "f and the derivatives on the sides have the mean");
    const double mean = mean_of(&p, whole);
    for (size_t m = 0; m < p.points; ++m) {
        p.f[m] -= mean;
    }
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    for (size_t m = 0; m < p.points; ++m) { /* a wall with fluid below and above */
        p.eps[m] = m / 30 == 3 ? 0 : p.eps[m];
    }
    CHECK_SAYS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_MEAN,
               "f and the derivatives on the sides have the mean");
}

/** psg_solve_epsilon() has the u of arrays. */
static void data(void) {
    enum { F, EPS, U, FIELDS, MOST = 16 };
    AT_END(destroy) medium p = make(6, 5, 9, 1, 1, 1);
    FREED double *want = oracle_array(p.points);
    p.sides = "DN,NN,ND";
    fill_random(&p, .5, 5);
    fill_sides(&p, true);
    DESTROYED psg_plan *plan = plan_of(&p, harness_with(PSG_F64, "segment_planes=2"));
    psg_solve_args args = args_of(plan, &p);
    double *const values[FIELDS] = {p.f, p.eps, p.u};
    starpu_data_handle_t handle[FIELDS][MOST];
    size_t segments, z0[MOST + 1];
    psg_array side[6];
    CHECK_STATUS(psg_plan_segments(plan, &segments, NULL), PSG_OK);
    CHECK_STATUS(psg_plan_slab_handles(plan, NULL, NULL, z0), PSG_OK);
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
    memcpy(want, p.u, p.points * sizeof *want);
    for (size_t m = 0; m < FIELDS * segments; ++m) {
        const size_t g = m % segments;
        starpu_block_data_register(&handle[m / segments][g], STARPU_MAIN_RAM,
                                   (uintptr_t)(values[m / segments] + z0[g] * 30), 6, 30, 6, 5,
                                   (uint32_t)(z0[g + 1] - z0[g]), sizeof(double));
    }
    for (int m = 0; m < 6; ++m) {
        side[m] = harness_view(p.side[m]);
        args.side[m / 2][m % 2] = &side[m];
    }
    memset(p.u, 0xff, p.points * sizeof *p.u);
    for (int again = 0; again < 2; ++again) {
        CHECK_STATUS(psg_solve_epsilon(plan, handle[F], handle[EPS], handle[U], &args), PSG_OK);
    }
    psg_engine_awake(); /* to copy what is on a GPU */
    for (size_t m = 0; m < FIELDS * segments; ++m) {
        starpu_data_unregister(handle[m / segments][m % segments]);
    }
    psg_engine_rest();
    CHECK(memcmp(p.u, want, p.points * sizeof *want) == 0, "u of data is another");
}

static void refusals(void) {
    AT_END(destroy) medium p = make(6, 5, 4, 1, 1, 1);
    p.sides = "DN,PP,NN";
    fill_random(&p, 0, 3);
    fill_sides(&p, true);
    DESTROYED psg_plan *plan = plan_of(&p, harness_options(PSG_F64));
    const psg_solve_args args = args_of(plan, &p);
    p.side[1][7] = NAN;
    CHECK_SAYS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_DATA,
               "the value nan on side x1 at point (2, 1) is not finite");
    p.side[1][7] = 1e300;
    p.eps[47] = 1e20; /* beside that value */
    for (int in_place = 0; in_place < 2; ++in_place) {
        CHECK_SAYS(solve(plan, PSG_F64, &p, &args, in_place != 0), PSG_ERR_DATA,
                   "with epsilon times the values on sides");
    }
    p.side[1][7] = 0;
    p.eps[47] = 1;
    p.value[2] = 1;
    CHECK_SAYS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_ARG,
               "there are values on side y0, and the grid is periodic along y");
    p.value[2] = 0;
    p.f[8] = NAN;
    CHECK_SAYS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_DATA, "f is NaN or Inf at");
    p.f[8] = 0;
    p.eps[5] = -1; /* on side x1 */
    CHECK_SAYS(solve(plan, PSG_F64, &p, &args, false), PSG_ERR_DATA, "epsilon is -1 at (i,j,k)");
    p.eps[5] = 1;
    CHECK_STATUS(solve(plan, PSG_F64, &p, &args, false), PSG_OK);
}

int main(void) {
    const psg_options options = harness_options(PSG_F64);
    DESTROYED psg_plan *anchor = harness_anchor(&options);
    sides();
    capacitor();
    guess();
    means();
    data();
    refusals();
    return check_result();
}
