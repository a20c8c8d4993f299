/* psg_project(): what is left of a flow is the flow less the gradient of u, in both precisions, for
 * each pair of sides, in any cut of the grid, in place and beside, on any number of processes, which
 * have it bit by bit; its divergence is 0, for any factor; walls keep the flow that they have. What
 * it cannot do is refused with words. */
#include "graph/psg_project.h"
#include "tests/check.h"
#include "tests/mpi/ranks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm world;
static const char *const pairs[] = {"PP", "NN", "ND"};

/** A box, its flow, and what is asked for. */
typedef struct box {
    psg_grid grid;
    psg_precision precision;
    size_t n[3], points, gap;
    MPI_Comm comm;
    size_t z0, planes; /**< of this process */
    double h[3], factor, lambda;
    bool values, beside, with_u;
    double *v[3], *after[3], *gradient[3], *u;
    char words[160];
} box;

static const double on_lower = 0.25; /* flows through each lower Neumann side */

static bool on_gpus(void) {
    return harness_options(PSG_F64).gpus > 0;
}

static size_t drawn(uint64_t *state, size_t count) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(*state >> 33) % count;
}

static bool periodic(const box *b, int d) {
    return b->grid.axis[d].bc[0] == PSG_BC_PERIODIC;
}

/** The value on the upper side of an axis. */
static double upper_value(const box *b, int d) {
    return b->values && !periodic(b, d) ? 0.5 + d : 0;
}

static double lower_flow(const box *b, int d) {
    return b->values && !periodic(b, d) ? on_lower : 0;
}

static const size_t *stride_of(const box *b, size_t stride[3]) {
    stride[0] = 1;
    stride[1] = b->n[0];
    stride[2] = b->n[0] * b->n[1];
    return stride;
}

/** @param[out] largest  of its terms */
static double divergence(const box *b, double *const v[3], size_t p, double *largest) {
    size_t s[3];
    const size_t place[3] = {p % b->n[0], p / b->n[0] % b->n[1], p / b->n[0] / b->n[1]};
    double sum = 0;
    stride_of(b, s);
    for (int d = 0; d < 3; ++d) {
        const double before = place[d] > 0     ? v[d][p - s[d]]
                              : periodic(b, d) ? v[d][p + (b->n[d] - 1) * s[d]]
                                               : lower_flow(b, d);
        sum += (v[d][p] - before) / b->h[d];
        *largest = fmax(*largest, fabs(v[d][p]) / b->h[d]);
    }
    return sum;
}

static double derivative(const box *b, const double *u, size_t p, int d) {
    size_t s[3];
    const size_t place[3] = {p % b->n[0], p / b->n[0] % b->n[1], p / b->n[0] / b->n[1]};
    stride_of(b, s);
    if (place[d] + 1 < b->n[d] || periodic(b, d)) {
        const size_t next = place[d] + 1 < b->n[d] ? p + s[d] : p - place[d] * s[d];
        return (u[next] - u[p]) / b->h[d];
    }
    return b->grid.axis[d].bc[1] == PSG_BC_NEUMANN ? upper_value(b, d)
                                                   : (upper_value(b, d) - u[p]) / (b->h[d] / 2);
}

static void set_terms(const box *b, psg_solve_args *args) {
    args->factor = b->factor;
    args->lambda = b->lambda;
    for (int d = 0; d < 3; ++d) {
        args->value[d][0] = -b->factor * lower_flow(b, d);
        args->value[d][1] = upper_value(b, d);
    }
}

/* ------------------------------------------------------------------------------------- a call */

/** This process' planes of an array like f, with a gap after each row and each plane. */
static psg_array make_array(const box *b, const double *values) {
    const size_t row = b->n[0] + b->gap, plane = b->n[1] * row + b->gap;
    const size_t bytes = harness_element_bytes(b->precision);
    const size_t before = b->z0 * b->n[1] * b->n[0];
    psg_array a = harness_view(harness_array(b->precision, b->planes * plane + 1));
    memset(a.data, 0xff, b->planes * plane * bytes);
    a.stride[0] = 1;
    a.stride[1] = (ptrdiff_t)row;
    a.stride[2] = (ptrdiff_t)plane;
    for (size_t r = 0; r < b->n[1] * b->planes && values != NULL; ++r) {
        harness_store(b->precision, b->n[0], values + before + r * b->n[0],
                      (char *)a.data + (r / b->n[1] * plane + r % b->n[1] * row) * bytes);
    }
    return a;
}

/** @param[out] values  all planes; or NULL */
static void take_array(const box *b, psg_array *a, double *values) {
    const size_t bytes = harness_element_bytes(b->precision);
    const share own = {.precision = PSG_F64,
                       .grid = {{b->n[0], b->n[1], b->n[2]}, {1, 1, 1}},
                       .planes = b->planes,
                       .points = b->planes * b->n[1] * b->n[0],
                       .u = oracle_array(b->planes * b->n[1] * b->n[0] + 1)};
    for (size_t r = 0; r < b->n[1] * b->planes; ++r) {
        const size_t at = r / b->n[1] * (size_t)a->stride[2] + r % b->n[1] * (size_t)a->stride[1];
        harness_load(b->precision, b->n[0], (char *)a->data + at * bytes,
                     (double *)own.u + r * b->n[0]);
    }
    if (values != NULL) {
        share_gather(&own, b->comm, values);
    }
    free(own.u);
    free(a->data);
}

/** @param[in,out] b  its planes become those that this process has of the plan */
static psg_status project(box *b, MPI_Comm comm, psg_plan *plan) {
    b->comm = comm;
    ranks_extent(b->n[2], ranks_size(comm), ranks_rank(comm), &b->z0, &b->planes);
    psg_array v[3], g[3], u = make_array(b, NULL);
    psg_solve_args args = harness_args(plan);
    set_terms(b, &args);
    for (int d = 0; d < 3; ++d) {
        v[d] = make_array(b, b->v[d]);
        g[d] = make_array(b, NULL);
        args.gradient[d] = b->beside ? &g[d] : NULL;
    }
    const psg_status status = psg_project(plan, v, b->with_u ? &u : NULL, &args);
    take_array(b, &u, b->with_u ? b->u : NULL);
    for (int d = 0; d < 3; ++d) {
        take_array(b, &v[d], b->after[d]);
        take_array(b, &g[d], b->beside ? b->gradient[d] : NULL);
    }
    return status;
}

/** u of another plan, in f64, from the divergence that is made here, by this process alone. */
static void solve(const box *b, double *u) {
    psg_options options = ranks_options(PSG_F64, NULL);
    harness_set(&options, "symbol=fd2");
    DESTROYED psg_plan *plan = harness_plan(&b->grid, &options);
    FREED double *f = oracle_array(b->points);
    psg_solve_args args = harness_args(plan);
    double largest = 0;
    for (size_t p = 0; p < b->points; ++p) {
        f[p] = divergence(b, b->v, p, &largest);
    }
    set_terms(b, &args);
    for (int d = 0; d < 3; ++d) {
        args.value[d][0] = 0; /* the divergence has it */
    }
    psg_array from = harness_view(f), to = harness_view(u);
    CHECK_STATUS(psg_solve_arrays(plan, 1, &from, &to, &args), PSG_OK);
}

/* --------------------------------------------------------------------------------- what it is */

/** A value on a Dirichlet side is rounded, over the distance: so large are the terms of a
 * derivative. */
static double by_value(const box *b, int d) {
    return b->grid.axis[d].bc[1] == PSG_BC_DIRICHLET ? 2 * upper_value(b, d) / b->h[d] : 0;
}

static void check_answer(box *b) {
    FREED double *u = oracle_array(b->points);
    double off[3] = {0, 0, 0}, largest[3] = {0, 0, 0}, left = 0, terms = 0, flow = 0;
    const double tolerance = harness_tolerance(b->precision, 1e-12, 4e-6);
    const bool across = periodic(b, 0) && periodic(b, 1);
    const bool modes = across || !on_gpus(); /* else differences of u in f32 */
    const bool exact = !on_gpus() && (across || !b->with_u);
    const double f64 = exact ? 1e-14 : 1e-13; /* GPUs have such of u in f64 along z */
    const double by_values = fmax(by_value(b, 0), fmax(by_value(b, 1), by_value(b, 2)));
    solve(b, u);
    for (size_t p = 0; p < b->points; ++p) {
        for (int d = 0; d < 3; ++d) {
            const double g = derivative(b, u, p, d);
            const double got =
                b->beside ? b->gradient[d][p] : b->factor * (b->v[d][p] - b->after[d][p]);
            off[d] = check_worse(off[d], fabs(got - g));
            largest[d] = fmax(largest[d], fabs(g) + fabs(b->factor * b->v[d][p]));
            largest[d] = fmax(largest[d], by_values);
            flow = check_worse(flow, b->beside ? fabs(b->after[d][p] - b->v[d][p]) : 0);
            b->after[d][p] -= b->beside ? b->gradient[d][p] / b->factor : 0;
        }
        left = b->with_u ? check_worse(left, fabs(u[p] - b->u[p])) : 0;
        terms = fmax(terms, fabs(u[p]));
    }
    for (int d = 0; d < 3; ++d) {
        CHECK(off[d] <= tolerance * fmax(largest[d], fabs(b->factor)),
              "%s: component %d is off by %g of %g", b->words, d, off[d], largest[d]);
    }
    CHECK(left <= tolerance * terms, "%s: u is off by %g of %g", b->words, left, terms);
    CHECK(flow == 0, "%s: the flow was written, and is off by %g", b->words, flow);
    left = terms = 0;
    for (size_t p = 0; p < b->points && b->lambda == 0; ++p) {
        (void)divergence(b, b->v, p, &terms);
        left = check_worse(left, fabs(divergence(b, b->after, p, &terms)));
    }
    for (int d = 0; d < 3; ++d) {
        terms = fmax(terms, by_value(b, d) / b->h[d]);
    }
    CHECK(left <= harness_tolerance(b->precision, f64, modes ? 1e-6 : 5e-6) * terms,
          "%s: the divergence is %g, of terms of %g", b->words, left, terms);
}

/** What this process makes alone has the same bits. FFTW transforms planes of one row otherwise where
 * there are more of them. */
static void check_alone(const box *b, const char *sides) {
    box a = *b;
    psg_options options = ranks_options(b->precision, NULL);
    bool same = true;
    harness_set(&options, "symbol=fd2");
    DESTROYED psg_plan *plan = harness_plan(&b->grid, &options);
    a.u = oracle_array(b->points);
    for (int d = 0; d < 3; ++d) {
        a.after[d] = oracle_array(b->points);
        a.gradient[d] = oracle_array(b->points);
    }
    CHECK_STATUS(project(&a, MPI_COMM_SELF, plan), PSG_OK);
    for (int d = 0; d < 3; ++d) {
        same =
            same && memcmp(a.after[d], b->after[d], b->points * sizeof(double)) == 0 &&
            (!b->beside || memcmp(a.gradient[d], b->gradient[d], b->points * sizeof(double)) == 0);
        free(a.after[d]);
        free(a.gradient[d]);
    }
    same = same && (!b->with_u || memcmp(a.u, b->u, b->points * sizeof(double)) == 0);
    CHECK(same, "%s, %s: one process alone has other bits", b->words, sides);
    free(a.u);
}

/** Without an upper Dirichlet side what flows in through walls has to flow out. */
static void close_flow(box *b) {
    double out = 0, area = 0;
    bool open = false;
    for (int d = 0; d < 3; ++d) {
        open = open || b->grid.axis[d].bc[1] == PSG_BC_DIRICHLET;
    }
    for (int turn = 0; turn < 2 && !open; ++turn) {
        for (size_t p = 0; p < b->points; ++p) {
            const size_t place[3] = {p % b->n[0], p / b->n[0] % b->n[1], p / b->n[0] / b->n[1]};
            for (int d = 0; d < 3; ++d) {
                if (!periodic(b, d) && place[d] + 1 == b->n[d]) {
                    const double face = 1 / b->h[d];
                    b->v[d][p] -= turn == 1 ? out / area : 0;
                    out +=
                        turn == 0
                            ? (b->v[d][p] - upper_value(b, d) / b->factor - lower_flow(b, d)) * face
                            : 0;
                    area += turn == 0 ? face : 0;
                }
            }
        }
    }
}

static void random_boxes(void) {
    uint64_t state = 11;
    for (size_t c = 0; c < 150; ++c) {
        box b = {.precision = c % 2 == 0 ? PSG_F64 : PSG_F32};
        char sides[16];
        const size_t pair[3] = {c % 3 == 0 ? drawn(&state, 3) : 0,
                                c % 3 == 0 ? drawn(&state, 3) : 0, drawn(&state, 3)};
        psg_options options = ranks_options(b.precision, &world);
        harness_set(&options, "symbol=fd2");
        options.exchange = ranks_exchanges[c % RANKS_EXCHANGES];
        snprintf(sides, sizeof sides, "%s,%s,%s", pairs[pair[0]], pairs[pair[1]], pairs[pair[2]]);
        b.comm = world;
        for (int d = 0; d < 3; ++d) {
            b.n[d] = 1 + drawn(&state, c % 7 == 0 ? 3 : 20);
        }
        b.n[0] = c % 50 == 48 ? 517 : b.n[0]; /* longer than what a core does at a time */
        b.grid = harness_box(b.n[0], b.n[1], b.n[2], 1, 1.5, 0.75);
        harness_sides(&b.grid, sides);
        b.points = b.n[0] * b.n[1] * b.n[2];
        b.gap = drawn(&state, 3);
        b.factor = drawn(&state, 2) == 0 ? 1 : -3.5;
        b.lambda = drawn(&state, 4) == 0 ? 2.5 : 0;
        b.values = drawn(&state, 3) == 0;
        b.beside = drawn(&state, 3) == 0;
        b.with_u = (on_gpus() && (pair[0] + pair[1] > 0 || b.n[2] == 1)) || drawn(&state, 2) == 0;
        options.segment_planes = drawn(&state, 3) == 0 ? 0 : 1 + drawn(&state, b.n[2]);
        options.sheets = drawn(&state, 4);
        if (drawn(&state, 3) == 0 && !on_gpus()) {
            options.executor = PSG_EXECUTOR_TASKS;
        }
        snprintf(
            b.words, sizeof b.words,
            "%zux%zux%zu %s, %s, factor %g, lambda %g, values %d, beside %d, u %d, %zu planes, "
            "%zu sheets, gap %zu, exchange %s",
            b.n[0], b.n[1], b.n[2], sides, harness_precision_name(b.precision), b.factor, b.lambda,
            b.values, b.beside, b.with_u, options.segment_planes, options.sheets, b.gap,
            ranks_exchange_name(options.exchange));
        if (!ranks_takes(c)) {
            continue;
        }
        ranks_at("%s", b.words);
        b.u = oracle_array(b.points);
        for (int d = 0; d < 3; ++d) {
            b.h[d] = b.grid.axis[d].length / (double)b.n[d];
            b.v[d] = oracle_array(b.points);
            b.after[d] = oracle_array(b.points);
            b.gradient[d] = oracle_array(b.points);
            oracle_random(c + 1000 * (size_t)d, b.points, b.v[d]);
        }
        close_flow(&b);
        for (int d = 0; d < 3; ++d) {
            harness_round(b.precision, b.points, b.v[d]);
        }
        DESTROYED psg_plan *plan = harness_plan(&b.grid, &options);
        for (int again = 0; again < 2; ++again) { /* the handles of before, or other ones */
            if (CHECK_STATUS(project(&b, world, plan), PSG_OK)) {
                if (b.n[1] > 1 && !on_gpus()) {
                    check_alone(&b, sides);
                }
                check_answer(&b);
            } else {
                fprintf(stderr, "%s: %s\n", b.words, psg_last_error());
            }
        }
        free(b.u);
        for (int d = 0; d < 3; ++d) {
            free(b.v[d]);
            free(b.after[d]);
            free(b.gradient[d]);
        }
    }
}

/* ---------------------------------------------------------------------------------- what is
 * said */

enum { NX = 4, NY = 5, NZ = 6, POINTS = NX * NY * NZ };

static void says(const char *options_text, const char *sides, double *const at[4], psg_mean mean,
                 bool with_u, psg_status status, const char *words) {
    const psg_options options = harness_with(PSG_F64, options_text);
    psg_grid grid = harness_box(NX, NY, NZ, 1, 1, 1);
    harness_sides(&grid, sides);
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    psg_solve_args args = harness_args(plan);
    psg_array v[3] = {harness_view(at[0]), harness_view(at[1]), harness_view(at[2])};
    psg_array u = harness_view(at[3]);
    args.mean = mean;
    CHECK_SAYS(psg_project(plan, v, with_u ? &u : NULL, &args), status, words);
}

static void refused(void) {
    FREED double *memory = oracle_array(4 * POINTS);
    double *const at[4] = {memory, memory + POINTS, memory + 2 * (ptrdiff_t)POINTS,
                           memory + 3 * (ptrdiff_t)POINTS};
    double *const same[4] = {memory, memory + POINTS, memory, memory + 3 * (ptrdiff_t)POINTS};
    double *const none[4] = {memory, NULL, memory + 2 * (ptrdiff_t)POINTS, memory};
    psg_array v[3] = {harness_view(at[0]), harness_view(at[1]), harness_view(at[2])};
    oracle_random(1, 4 * POINTS, memory);
    CHECK_SAYS(psg_project(NULL, v, NULL, NULL), PSG_ERR_ARG, "plan or v is NULL");
    says("symbol=spectral", "PP", at, PSG_MEAN_DROP, false, PSG_ERR_UNSUPPORTED,
         "needs the symbol fd2");
    says("symbol=fd2 graph=staged", "PP", at, PSG_MEAN_DROP, false, PSG_ERR_UNSUPPORTED,
         "the fused graph");
    says("symbol=fd2", "PP,PP,DN", at, PSG_MEAN_DROP, false, PSG_ERR_UNSUPPORTED,
         "needs z periodic");
    says("symbol=fd2", "NNn,PP,PP", at, PSG_MEAN_DROP, true, PSG_ERR_UNSUPPORTED,
         "needs x periodic");
    says("symbol=fd2", "PP", at, PSG_MEAN_ERROR, false, PSG_ERR_ARG,
         "psg_project() has no f in memory");
    says("symbol=fd2", "PP", same, PSG_MEAN_DROP, false, PSG_ERR_ARG, "v[2] and v[0] overlap");
    says("symbol=fd2", "PP", none, PSG_MEAN_DROP, false, PSG_ERR_ARG, "v[1] is NULL");
    at[1][7] = NAN;
    says("symbol=fd2", "PP", at, PSG_MEAN_DROP, false, PSG_ERR_DATA, "v had a NaN or an Inf");
}

/** A flow that is only read says where it is no number. */
static void bad_flow(void) {
    psg_options options = ranks_options(PSG_F32, &world);
    const psg_grid grid = harness_box(NX, NY, NZ, 1, 1, 1);
    size_t z0, planes;
    harness_set(&options, "symbol=fd2");
    ranks_extent(NZ, ranks_size(world), ranks_rank(world), &z0, &planes);
    DESTROYED psg_plan *plan = harness_plan(&grid, &options);
    for (int d = 0; d < 3; ++d) {
        float values[4][POINTS] = {{0}};
        if (z0 <= 3 && 3 < z0 + planes) {
            values[d][((3 - z0) * NY + 2) * NX + 1] = INFINITY;
        }
        psg_array v[3], g = harness_view(values[3]);
        psg_solve_args args = harness_args(plan);
        size_t at[3];
        for (int m = 0; m < 3; ++m) {
            v[m] = harness_view(values[m]);
        }
        args.gradient[1] = &g;
        CHECK_STATUS(psg_project(plan, v, NULL, &args), PSG_ERR_DATA);
        CHECK(strncmp(psg_last_error(), "v[", 2) == 0 && psg_last_error()[2] == '0' + d,
              "v[%d]: %s", d, psg_last_error());
        CHECK(harness_coordinates(psg_last_error(), at) == 3 && at[0] == 1 && at[1] == 2 &&
                  at[2] == 3,
              "v[%d]: %s", d, psg_last_error());
    }
}

int main(int argc, char **argv) {
    ranks_start(&argc, &argv);
    world = MPI_COMM_WORLD;
    const psg_options first = ranks_options(PSG_F64, NULL);
    psg_plan *anchor = harness_anchor(&first);
    random_boxes();
    if (!RANKS_MPI && !on_gpus()) {
        refused();
    }
    bad_flow();
    psg_plan_destroy(anchor);
    return ranks_finish(check_result());
}
