/* Modes of f and of u through psg.h: they are those of a Fourier transform by its definition, a
 * gradient comes with them, solves in flight do not get in each other's way, and what has none is
 * refused with words. tests/python/modes.py has all shapes and sides. */
#include "graph/psg_modes.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <complex.h>
#include <string.h>

enum { NX = 6, NY = 5, NZ = 4, POINTS = NX * NY * NZ, ROW = NX / 2 + 1, MODES = ROW * NY * NZ };

static double complex modes_of(const double *f, size_t m) {
    const double turn = -2 * acos(-1);
    const double k[3] = {(double)(m % ROW) / NX, (double)(m / ROW % NY) / NY,
                         (double)(m / ROW / NY) / NZ};
    double complex sum = 0;
    for (size_t p = 0; p < POINTS; ++p) {
        const size_t at[3] = {p % NX, p / NX % NY, p / NX / NY};
        sum += f[p] * cexp(I * turn *
                           (k[0] * (double)at[0] + k[1] * (double)at[1] + k[2] * (double)at[2]));
    }
    return sum;
}

typedef struct setting {
    psg_plan *plan;
    psg_solve_args args;
    double f[POINTS], u[POINTS], want[POINTS];
    double complex from[MODES], to[MODES], due[MODES];
    psg_array f_at, u_at, from_at, to_at;
} setting;

static void make(setting *s, const char *options, const char *sides) {
    psg_grid grid = harness_box(NX, NY, NZ, 1, 1.2, 0.9);
    const psg_options chosen = harness_with(PSG_F64, options);
    harness_sides(&grid, sides);
    s->plan = harness_plan(&grid, &chosen);
    s->args = harness_args(s->plan);
    oracle_random(3, POINTS, s->f);
    CHECK_STATUS(psg_solve(s->plan, s->f, s->want), PSG_OK);
    for (size_t m = 0; m < MODES; ++m) {
        s->from[m] = modes_of(s->f, m);
        s->due[m] = modes_of(s->want, m);
    }
    s->f_at = harness_view(s->f);
    s->u_at = harness_view(s->u);
    s->from_at = harness_view(s->from);
    s->to_at = harness_view(s->to);
    s->args.f_modes = &s->from_at;
    s->args.u_modes = &s->to_at;
}

static void is_due(setting *s, const char *what, int u, int modes) {
    if (u) {
        CHECK_CLOSE(s->u, s->want, NX, NY, NZ, 1e-14, "u, %s", what);
    }
    if (modes) {
        CHECK_CLOSE((double *)s->to, (double *)s->due, 2 * ROW, NY, NZ, 1e-14, "modes, %s", what);
    }
    memset(s->u, 0, sizeof s->u);
    memset(s->to, 0, sizeof s->to);
}

static void each_way(const char *options) {
    setting s;
    make(&s, options, "PP");
    CHECK_STATUS(psg_solve_arrays(s.plan, 1, NULL, &s.u_at, &s.args), PSG_OK);
    is_due(&s, "from modes, to both", 1, 1);
    CHECK_STATUS(psg_solve_arrays(s.plan, 1, NULL, NULL, &s.args), PSG_OK);
    is_due(&s, "from modes to modes", 0, 1);
    s.args.u_modes = NULL;
    CHECK_STATUS(psg_solve_arrays(s.plan, 1, NULL, &s.u_at, &s.args), PSG_OK);
    is_due(&s, "from modes", 1, 0);
    s.args.u_modes = &s.to_at;
    s.args.f_modes = NULL;
    CHECK_STATUS(psg_solve_arrays(s.plan, 1, &s.f_at, NULL, &s.args), PSG_OK);
    is_due(&s, "to modes", 0, 1);
    CHECK_STATUS(psg_solve_arrays(s.plan, 1, &s.f_at, &s.u_at, &s.args), PSG_OK);
    is_due(&s, "to both", 1, 1);
    psg_plan_destroy(s.plan);
}

static void in_flight(const char *options) {
    setting s;
    psg_solve_args one, other;
    make(&s, options, "PP");
    one = other = s.args;
    one.f_modes = NULL;
    other.u_modes = NULL;
    for (int m = 0; m < 10; ++m) {
        CHECK_STATUS(psg_submit_arrays(s.plan, 1, &s.f_at, NULL, &one), PSG_OK);
        CHECK_STATUS(psg_submit_arrays(s.plan, 1, NULL, &s.u_at, &other), PSG_OK);
        CHECK_SAYS(psg_submit_arrays(s.plan, 1, NULL, NULL, &s.args), PSG_ERR_ARG,
                   "u_modes overlaps an array of a solve in flight");
        CHECK_STATUS(psg_wait(s.plan), PSG_OK);
        CHECK_STATUS(psg_wait(s.plan), PSG_OK);
        is_due(&s, "in flight together", 1, 1);
    }
    psg_plan_destroy(s.plan);
}

/* That of the modes of u, and differences of u. */
static void gradients(void) {
    static const char *const options[] = {"symbol=spectral", "symbol=fd2"};
    for (int m = 0; m < 2; ++m) {
        setting s;
        double want[3][POINTS], got[3][POINTS];
        psg_array at[2][3];
        make(&s, options[m], "PP");
        psg_solve_args plain = harness_args(s.plan);
        for (int d = 0; d < 3; ++d) {
            at[0][d] = harness_view(want[d]);
            at[1][d] = harness_view(got[d]);
            plain.gradient[d] = &at[0][d];
            s.args.gradient[d] = &at[1][d];
        }
        CHECK_STATUS(psg_solve_arrays(s.plan, 1, &s.f_at, &s.u_at, &plain), PSG_OK);
        CHECK_STATUS(psg_solve_arrays(s.plan, 1, NULL, &s.u_at, &s.args), PSG_OK);
        CHECK_CLOSE(*got, *want, NX, NY, 3 * NZ, 1e-13, "gradient, %s", options[m]);
        is_due(&s, "with a gradient", 1, 1);
        CHECK_SAYS(psg_solve_arrays(s.plan, 1, NULL, NULL, &s.args), PSG_ERR_UNSUPPORTED,
                   "the gradient comes with u, and u is NULL");
        psg_plan_destroy(s.plan);
    }
}

static void extents(void) {
    setting s;
    size_t lo[3], n[3];
    int is_complex = 0;
    make(&s, "", "PP,NN,DD");
    CHECK_STATUS(psg_plan_local_modes(s.plan, lo, n, &is_complex), PSG_OK);
    CHECK(lo[0] + lo[1] + lo[2] == 0 && n[0] == ROW && n[1] == NY && n[2] == NZ && is_complex,
          "%zu x %zu x %zu", n[0], n[1], n[2]);
    CHECK_SAYS(psg_plan_local_modes(s.plan, lo, NULL, &is_complex), PSG_ERR_ARG, "n or is_complex");
    psg_plan_destroy(s.plan);
    make(&s, "", "DN");
    CHECK_STATUS(psg_plan_local_modes(s.plan, lo, n, &is_complex), PSG_OK);
    CHECK(n[0] == NX && !is_complex, "%zu in a row", n[0]);
    psg_plan_destroy(s.plan);
}

static void words(void) {
    setting s;
    psg_array other;
    make(&s, "", "PP");
    const psg_solve_args plain = harness_args(s.plan);
    psg_solve_args args = s.args;
    CHECK_SAYS(psg_solve_arrays(s.plan, 1, NULL, &s.u_at, &plain), PSG_ERR_ARG, "f or u is NULL");
    CHECK_SAYS(psg_solve_arrays(s.plan, 1, &s.f_at, NULL, &plain), PSG_ERR_ARG, "f or u is NULL");
    CHECK_SAYS(psg_solve_arrays(s.plan, 1, &s.f_at, &s.u_at, &args), PSG_ERR_ARG,
               "f and f_modes are both given");
    args.u_modes = NULL;
    CHECK_SAYS(psg_solve_arrays(s.plan, 1, NULL, NULL, &args), PSG_ERR_ARG, "f or u is NULL");
    other = s.from_at;
    other.stride[0] = 1;
    args.f_modes = &other;
    CHECK_SAYS(psg_solve_arrays(s.plan, 1, NULL, &s.u_at, &args), PSG_ERR_UNSUPPORTED,
               "f_modes has strides: modes are dense");
    other = harness_view(NULL);
    CHECK_SAYS(psg_solve_arrays(s.plan, 1, NULL, &s.u_at, &args), PSG_ERR_ARG, "f_modes is NULL");
    other = harness_view((char *)s.from + 4);
    CHECK_SAYS(psg_solve_arrays(s.plan, 1, NULL, &s.u_at, &args), PSG_ERR_ARG, "not aligned");
    other = harness_view(s.from + 1);
    args.u_modes = &s.from_at;
    CHECK_SAYS(psg_solve_arrays(s.plan, 1, NULL, NULL, &args), PSG_ERR_ARG,
               "u_modes and f_modes overlap");
    other = harness_view(s.u);
    args = s.args;
    args.u_modes = &other;
    CHECK_SAYS(psg_solve_arrays(s.plan, 1, NULL, &s.u_at, &args), PSG_ERR_ARG,
               "u_modes and u overlap");
    CHECK_SAYS(psg_solve_many_arrays(s.plan, 1, NULL, NULL, &s.args), PSG_ERR_UNSUPPORTED,
               "neither a gradient nor epsilon nor modes");
    CHECK_STATUS(psg_solve_arrays(s.plan, 1, NULL, NULL, &s.args), PSG_OK);
    is_due(&s, "after all that", 0, 1);
    psg_plan_destroy(s.plan);
}

int main(void) {
    each_way("");
    each_way("executor=tasks");
    each_way("segment_planes=1 sheets=5 policy=eager");
    in_flight("");
    in_flight("executor=tasks in_flight=1");
    gradients();
    extents();
    words();
    return check_result();
}
