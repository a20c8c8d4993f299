/* Arrays of two axes: bit by bit what a grid of n x 1 x m points gives, whose z is their y, in
 * every argument that goes by axis. A grid that says which axes its arrays have is refused where it
 * does not fit them, and words name the axes of the caller's. */
#include "graph/psg_kernel.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 11, NY = 14, WIDE = NX + 3, POINTS = NX * NY, PADDED = WIDE * NY, MANY = 3 };

/** Both plans of the same problem. */
typedef struct both {
    psg_plan *flat, *thin;
} both;

static void end_both(both *b) {
    psg_plan_destroy(b->flat);
    psg_plan_destroy(b->thin);
}

#define BOTH AT_END(end_both) both

/** @param[in] sides  "DN,NNn": of x and y */
static both make(const char *sides, const char *options) {
    const psg_options o = harness_with(PSG_F64, options);
    psg_grid flat, thin = harness_box(NX, 1, NY, 1.25, 1, 0.75);
    char three[32];
    psg_grid_init2(&flat, NX, NY, 1.25, 0.75);
    const size_t x = strcspn(sides, ",");
    (void)snprintf(three, sizeof three, "%.*s,PP,%s", (int)x, sides, sides + x + 1);
    harness_sides(&thin, three);
    (void)snprintf(three, sizeof three, "%s,PP", sides);
    harness_sides(&flat, three);
    return (both){harness_plan(&flat, &o), harness_plan(&thin, &o)};
}

/** Solve by both plans with these args of the flat one; the other's are made of them here. */
static void compare(const both *b, const psg_solve_args *args, const char *words) {
    static const int thin_axis[3] = {0, 2, 1};
    double f[PADDED], got[4][PADDED], expected[4][PADDED];
    psg_array side[3][2], in[2] = {harness_view(f), harness_view(f)}, out[2][4];
    psg_solve_args flat = *args, thin = *args;
    oracle_random(5, PADDED, f);
    memset(got, 0, sizeof got);
    memset(expected, 0, sizeof expected);
    for (int m = 0; m < 4; ++m) {
        out[0][m] = harness_view(got[m]);
        out[1][m] = harness_view(expected[m]);
    }
    for (int m = 0; m < 5; ++m) { /* rows with a gap; of arrays of two axes, stride[2] is nothing */
        psg_array *at[2] = {m < 4 ? &out[0][m] : &in[0], m < 4 ? &out[1][m] : &in[1]};
        at[0]->stride[0] = at[1]->stride[0] = 1;
        at[0]->stride[1] = at[1]->stride[2] = WIDE;
        at[1]->stride[1] = NX;
    }
    for (int d = 0; d < 3; ++d) {
        const int e = thin_axis[d];
        thin.box[e] = args->box[d];
        flat.gradient[d] = args->gradient[d] != NULL ? &out[0][1 + d] : NULL;
        thin.gradient[e] = args->gradient[d] != NULL ? &out[1][1 + d] : NULL;
        for (int m = 0; m < 2; ++m) {
            thin.value[e][m] = args->value[d][m];
            thin.side[e][m] = NULL;
            if (args->side[d][m] != NULL) {
                side[e][m] = *args->side[d][m];
                for (int k = 0; k < 3; ++k) {
                    side[e][m].stride[thin_axis[k]] = args->side[d][m]->stride[k];
                }
                thin.side[e][m] = &side[e][m];
            }
        }
    }
    CHECK_STATUS(psg_solve_arrays(b->flat, 1, &in[0], &out[0][0], &flat), PSG_OK);
    CHECK_STATUS(psg_solve_arrays(b->thin, 1, &in[1], &out[1][0], &thin), PSG_OK);
    CHECK(memcmp(got, expected, sizeof got) == 0, "%s: a grid of n x 1 x m has other bits", words);
    CHECK(fabs(got[0][NX / 2]) > 0, "%s: u is 0", words);
}

static void check_box_and_sides(void) {
    BOTH b = make("DN,NDn", "symbol=fd2");
    psg_solve_args args = harness_args(b.flat);
    CHECK(args.box[0] == 1.25 && args.box[1] == 0.75 && args.box[2] == 1, "the box of the plan");
    compare(&b, &args, "the plan's own terms");
    args.box[1] = 2;
    args.value[0][0] = 2;
    args.value[1][0] = -3;
    args.value[1][1] = 4;
    compare(&b, &args, "another box, and numbers on the sides");
    double along_x[2 * NX], along_y[3 * NY];
    oracle_random(1, 2 * NX, along_x);
    oracle_random(2, 3 * NY, along_y);
    psg_array of_y = harness_view(along_x), of_x = harness_view(along_y);
    args.side[0][1] = &of_x;
    args.side[1][0] = &of_y;
    compare(&b, &args, "dense arrays on the sides");
    of_y.stride[0] = 2;
    of_x.stride[1] = 3;
    compare(&b, &args, "arrays with strides on the sides");
    args.gradient[0] = args.gradient[1] = args.gradient[2] = &of_x; /* compare() has others */
    compare(&b, &args, "the gradient by differences");
    args.value[0][1] = NAN;
    args.side[0][1] = NULL;
    double f[POINTS] = {0}, u[POINTS];
    const psg_array in = harness_view(f), out = harness_view(u);
    memset(args.gradient, 0, sizeof args.gradient);
    CHECK_SAYS(psg_solve_arrays(b.flat, 1, &in, &out, &args), PSG_ERR_ARG, "side x1");
    args.value[0][1] = 0;
    args.value[1][1] = NAN;
    CHECK_SAYS(psg_solve_arrays(b.flat, 1, &in, &out, &args), PSG_ERR_ARG, "side y1");
    args.value[1][1] = 0;
    args.value[2][0] = 1;
    CHECK_SAYS(psg_solve_arrays(b.flat, 1, &in, &out, &args), PSG_ERR_ARG,
               "side z0, and the grid is periodic along z");
    args.value[2][0] = 0;
    args.gradient[1] = &out;
    CHECK_SAYS(psg_solve_arrays(b.flat, 1, &in, &out, &args), PSG_ERR_ARG, "gradient[1]");
    args.box[1] = -1;
    CHECK_SAYS(psg_solve_arrays(b.flat, 1, &in, &out, &args), PSG_ERR_ARG, "gradient[1]");
    args.gradient[1] = NULL;
    CHECK_SAYS(psg_solve_arrays(b.flat, 1, &in, &out, &args), PSG_ERR_ARG, "-1 long along y");
    f[NX * 9 + 4] = NAN;
    CHECK_SAYS(psg_solve(b.flat, f, u), PSG_ERR_DATA, "(4,9,0)");
}

static void check_gradient_by_modes(void) {
    BOTH b = make("PP,PP", "cpus=2");
    psg_solve_args args = harness_args(b.flat);
    psg_array any = harness_view(NULL);
    args.gradient[1] = &any;
    compare(&b, &args, "the gradient by modes, along y");
}

/* Sheets are cut within the one row of a plane, and u is the same. */
static void check_cuts(void) {
    static const struct {
        const char *sides, *options;
        int stretched;
    } cases[] = {{"PP,PP,PP", "", 0},
                 {"PP,PP,PP", "executor=tasks", 0},
                 {"DN,NDn,PP", "symbol=fd2", 0},
                 {"NN,DD,PP", "executor=tasks", 0},
                 {"PP,NN,PP", "symbol=fd2", 1},
                 {"DD,ND,PP", "symbol=fd2", 1}};
    double f[POINTS], u[2][POINTS], faces[NY + 1];
    oracle_random(7, POINTS, f);
    for (size_t k = 0; k <= NY; ++k) {
        faces[k] = 0.75 * pow((double)k / NY, 1.3);
    }
    for (size_t m = 0; m < sizeof cases / sizeof *cases; ++m) {
        psg_grid grid;
        psg_grid_init2(&grid, NX, NY, 1.25, 0.75);
        harness_sides(&grid, cases[m].sides);
        grid.axis[1].faces = cases[m].stretched ? faces : NULL;
        for (int cut = 0; cut < 2; ++cut) {
            psg_options options = harness_with(PSG_F64, cases[m].options);
            harness_set(&options, cut ? "sheets=5" : "sheets=1");
            DESTROYED psg_plan *plan = harness_plan(&grid, &options);
            CHECK_STATUS(psg_solve(plan, f, u[cut]), PSG_OK);
            const size_t sheets = harness_statistics(plan).sheets;
            CHECK(sheets == (cut ? 5 : 1), "%s: %zu sheets", cases[m].sides, sheets);
        }
        CHECK_CLOSE(u[1], u[0], NX, NY, 1, 1e-14, "%s, five sheets", cases[m].sides);
    }
}

static void check_several(void) {
    BOTH b = make("DD,NN", "symbol=fd2");
    double f[MANY * PADDED], u[2][MANY * PADDED] = {{0}};
    double values[MANY * NX];
    oracle_random(3, MANY * PADDED, f);
    oracle_random(4, MANY * NX, values);
    const psg_array side = harness_view(values);
    psg_solve_args flat = harness_args(b.flat), thin = harness_args(b.thin);
    flat.side[1][1] = thin.side[2][1] = &side;
    flat.side_step[1][1] = thin.side_step[2][1] = NX;
    psg_array in[2] = {harness_view(f), harness_view(f)};
    psg_array out[2] = {harness_view(u[0]), harness_view(u[1])};
    for (int wide = 0; wide < 2; ++wide) {
        CHECK_STATUS(psg_solve_many_arrays(b.flat, MANY, &in[0], &out[0], &flat), PSG_OK);
        CHECK_STATUS(psg_solve_many_arrays(b.thin, MANY, &in[1], &out[1], &thin), PSG_OK);
        CHECK(memcmp(u[0], u[1], sizeof u[0]) == 0, "several right-hand sides have other bits");
        for (int m = 0; m < 2; ++m) {
            psg_array *const a[2] = {&in[m], &out[m]};
            for (int k = 0; k < 2; ++k) {
                a[k]->stride[0] = 1;
                a[k]->stride[1] = WIDE;
                a[k]->stride[2] = m == 0 ? 0 : WIDE;
            }
        }
    }
}

static void check_kernel(void) {
    enum { KX = NX + 1, KY = NY / 2 + 1 };
    BOTH b = make("FF,PP", "kernel=user");
    double g[KX * KY];
    const size_t flat[3] = {KX, KY, 1}, thin[3] = {KX, 1, KY};
    for (size_t m = 0; m < (size_t)KX * KY; ++m) {
        g[m] = 1.0 / (double)(1 + m);
    }
    CHECK_SAYS(psg_plan_kernel(b.flat, PSG_KERNEL_FORM_SPACE, thin, g), PSG_ERR_ARG,
               "needs 12 x 8 x 1");
    CHECK_STATUS(psg_plan_kernel(b.flat, PSG_KERNEL_FORM_SPACE, flat, g), PSG_OK);
    CHECK_STATUS(psg_plan_kernel(b.thin, PSG_KERNEL_FORM_SPACE, thin, g), PSG_OK);
    const psg_solve_args args = harness_args(b.flat);
    compare(&b, &args, "a kernel of the caller's");
}

static void check_part(void) {
    BOTH b = make("PP,PP", "cpus=2");
    size_t lo[3], n[3], z0 = 1, count = 0;
    CHECK_STATUS(psg_plan_local_box(b.flat, PSG_HOST, lo, n), PSG_OK);
    CHECK(lo[0] + lo[1] + lo[2] == 0 && n[0] == NX && n[1] == NY && n[2] == 1, "the local box");
    CHECK_STATUS(psg_plan_local_extent(b.flat, &z0, &count), PSG_OK);
    CHECK(z0 == 0 && count == NY, "%zu rows from %zu on", count, z0);
}

static void check_refused(void) {
    const psg_options options = harness_options(PSG_F64);
    psg_plan *plan = NULL;
    psg_grid grid;
    psg_grid_init2(&grid, NX, NY, 1, 1);
    grid.axis[2].n = 5;
    CHECK_SAYS(psg_plan_create(&plan, &grid, &options), PSG_ERR_ARG,
               "the arrays have 2 axes, so z is periodic and has one point, not 5");
    grid.axis[2].n = 1;
    grid.axis[2].bc[0] = grid.axis[2].bc[1] = PSG_BC_DIRICHLET;
    CHECK_SAYS(psg_plan_create(&plan, &grid, &options), PSG_ERR_ARG, "so z is periodic");
    psg_grid_init2(&grid, NX, 0, 1, 1);
    CHECK_SAYS(psg_plan_create(&plan, &grid, &options), PSG_ERR_ARG, "ny = 0");
    psg_grid_init2(&grid, NX, NY, 1, -1);
    CHECK_SAYS(psg_plan_create(&plan, &grid, &options), PSG_ERR_ARG, "-1 long along y");
    psg_grid_init2(&grid, NX, NY, 1, 1);
    grid.axes = 1;
    CHECK_SAYS(psg_plan_create(&plan, &grid, &options), PSG_ERR_ARG,
               "the arrays have 1 axes, so y is periodic and has one point, not 14");
    for (int axes = -1; axes < 5; axes += 5) {
        grid.axes = axes;
        CHECK_SAYS(psg_plan_create(&plan, &grid, &options), PSG_ERR_ARG, "one to three axes");
    }
    CHECK(plan == NULL, "a plan was made");
    grid.axes = 0; /* of a program that fills the structure by hand */
    CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK);
    psg_plan_destroy(plan);
}

int main(void) {
    const psg_options options = harness_options(PSG_F64);
    DESTROYED psg_plan *anchor = harness_anchor(&options);
    check_box_and_sides();
    check_gradient_by_modes();
    check_cuts();
    check_several();
    check_kernel();
    check_part();
    check_refused();
    return check_result();
}
