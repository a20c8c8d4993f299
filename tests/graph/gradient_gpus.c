/* The gradient of u and projections on GPUs, with the symbol spectral, and with fd2: what the cores
 * alone give, whichever kernels the sizes of planes and columns have, wherever the spectrum is,
 * whichever way blocks go and the grid is cut, and of arrays on a GPU. A projection in f32 leaves
 * no more divergence than the last digit of the flow has. */
#include "graph/psg_project.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <cuda_runtime_api.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Planes with a kernel of their own, and without; lengths along z with one, and without; rows of
 * which kspace moves some itself. */
static const struct setting {
    oracle_grid grid;
    const char *sides;
    psg_symbol symbol;
} grids[] = {{{{256, 256, 12}, {1.0, 1.5, 0.1}}, "PP", PSG_SYMBOL_SPECTRAL},
             {{{512, 512, 5}, {2.0, 1.0, 0.1}}, "PP", PSG_SYMBOL_SPECTRAL},
             {{{64, 64, 64}, {1.0, 1.5, 0.7}}, "PP", PSG_SYMBOL_SPECTRAL},
             {{{33, 30, 37}, {1.0, 1.1, 0.9}}, "PP", PSG_SYMBOL_SPECTRAL},
             {{{6, 500, 21}, {1.0, 2.0, 1.0}}, "PP", PSG_SYMBOL_SPECTRAL},
             {{{10, 11, 1}, {1.0, 2.0, 1.0}}, "PP", PSG_SYMBOL_SPECTRAL},
             {{{64, 64, 64}, {1.0, 1.5, 0.7}}, "PP,PP,FF", PSG_SYMBOL_SPECTRAL},
             {{{256, 256, 12}, {1.0, 1.5, 0.1}}, "PP,PP,FF", PSG_SYMBOL_SPECTRAL},
             {{{12, 14, 64}, {1.0, 1.1, 4.0}}, "FF", PSG_SYMBOL_SPECTRAL},
             {{{30, 33, 21}, {1.0, 1.1, 0.9}}, "FF", PSG_SYMBOL_SPECTRAL},
             {{{15, 16, 18}, {1.0, 1.1, 0.9}}, "FF,FF,PP", PSG_SYMBOL_SPECTRAL},
             {{{16, 15, 18}, {1.0, 1.1, 0.9}}, "FF,PP,FF", PSG_SYMBOL_SPECTRAL},
             {{{32, 32, 12}, {1.0, 1.1, 0.9}}, "FF,FF,PP", PSG_SYMBOL_SPECTRAL}, /* padded planes */
             {{{48, 48, 48}, {1.0, 1.1, 0.9}}, "FF", PSG_SYMBOL_SPECTRAL},
             {{{12, 14, 64}, {1.0, 1.1, 4.0}}, "FF", PSG_SYMBOL_FD2},
             {{{48, 48, 48}, {1.0, 1.1, 0.9}}, "FF", PSG_SYMBOL_FD2},
             {{{30, 33, 22}, {1.0, 1.1, 0.9}}, "FF", PSG_SYMBOL_FD2},
             {{{64, 64, 64}, {1.0, 1.5, 0.7}}, "PP,PP,FF", PSG_SYMBOL_FD2},
             {{{15, 16, 18}, {1.0, 1.1, 0.9}}, "FF,FF,PP", PSG_SYMBOL_FD2},
             {{{16, 15, 18}, {1.0, 1.1, 0.9}}, "FF,PP,FF", PSG_SYMBOL_FD2},
             {{{18, 2, 12}, {1.0, 1.1, 0.9}}, "FF,FF,PP", PSG_SYMBOL_FD2},
             {{{256, 256, 12}, {1.0, 1.5, 0.1}}, "PP", PSG_SYMBOL_FD2},
             {{{64, 64, 64}, {1.0, 1.5, 0.7}}, "PP,PP,DD", PSG_SYMBOL_FD2},
             {{{33, 30, 37}, {1.0, 1.1, 0.9}}, "PP,PP,ND", PSG_SYMBOL_FD2},
             {{{6, 500, 21}, {1.0, 2.0, 1.0}}, "PP,PP,NN", PSG_SYMBOL_FD2}};
#define TURN 6.28318530717958647693
enum { GRIDS = sizeof grids / sizeof *grids, FIELDS = 4, SOLVES = 5 };

/* 0: the default. */
static const struct cut { size_t segment_planes, sheets; } cuts[] = {{0, 0}, {5, 7}, {1000, 1}};
enum { CUTS = sizeof cuts / sizeof *cuts };

/** u and its derivatives, of cores alone, as doubles. */
typedef struct answer {
    oracle_grid grid;
    const char *sides;
    psg_symbol symbol;
    psg_precision precision;
    size_t points;
    void *f;
    double *want[FIELDS];
} answer;

/** From f to u and the components `wanted`, as numbers of the precision. */
static psg_status solve(psg_plan *plan, void *f, void *const to[FIELDS], unsigned wanted,
                        int device) {
    psg_array from, u, g[3];
    psg_array_init(&from, f);
    psg_array_init(&u, to[0]);
    from.device = u.device = device;
    psg_solve_args args = harness_args(plan);
    for (int d = 0; d < 3; ++d) {
        psg_array_init(&g[d], to[1 + d]);
        g[d].device = device;
        args.gradient[d] = wanted >> d & 1 ? &g[d] : NULL;
    }
    return psg_solve_arrays(plan, 1, &from, &u, &args);
}

static psg_plan *plan_of(const answer *a, const psg_options *options) {
    psg_grid grid = harness_grid(&a->grid);
    psg_options own = *options;
    psg_plan *plan = NULL;
    harness_sides(&grid, a->sides);
    own.symbol = a->symbol;
    CHECK_STATUS(psg_plan_create(&plan, &grid, &own), PSG_OK);
    return plan;
}

static bool is_free(const answer *a) {
    return strstr(a->sides, "FF") != NULL;
}

static answer answer_make(const struct setting *s, psg_precision precision) {
    answer a = {.grid = s->grid,
                .sides = s->sides,
                .symbol = s->symbol,
                .precision = precision,
                .points = oracle_points(&s->grid)};
    psg_options options = harness_with(precision, "gpus=0");
    FREED double *values = oracle_array(a.points);
    void *to[FIELDS];
    a.f = harness_array(precision, a.points);
    oracle_random(a.points, a.points, values);
    harness_store(precision, a.points, values, a.f);
    for (int m = 0; m < FIELDS; ++m) {
        to[m] = harness_array(precision, a.points);
        a.want[m] = oracle_array(a.points);
    }
    psg_plan *plan = plan_of(&a, &options);
    CHECK_STATUS(solve(plan, a.f, to, 7, PSG_HOST), PSG_OK);
    psg_plan_destroy(plan);
    for (int m = 0; m < FIELDS; ++m) {
        harness_load(precision, a.points, to[m], a.want[m]);
        free(to[m]);
    }
    return a;
}

static void answer_free(answer *a) {
    free(a->f);
    for (int m = 0; m < FIELDS; ++m) {
        free(a->want[m]);
    }
}

/** Of components that the fused graph makes of modes f32 has all but the last digits. */
static double tolerance_of(const answer *a, const psg_options *options, int m) {
    const bool modes =
        a->symbol == PSG_SYMBOL_FD2 && !is_free(a) && m > 0 && options->graph != PSG_GRAPH_STAGED;
    return harness_tolerance(a->precision, 1e-12, modes ? 4e-6 : 1e-4);
}

static void check(const answer *a, const psg_options *options, int m, const void *got,
                  const char *what) {
    FREED double *values = oracle_array(a->points);
    harness_load(a->precision, a->points, got, values);
    CHECK_CLOSE(values, a->want[m], a->grid.n[0], a->grid.n[1], a->grid.n[2],
                tolerance_of(a, options, m), "%s, %s, field %d",
                harness_precision_name(a->precision), what, m);
}

/** Arrays in main memory; each choice of components in turn. */
static void from_memory(const answer *a, const psg_options *options, const char *what) {
    psg_plan *plan = plan_of(a, options);
    void *to[FIELDS];
    for (int m = 0; m < FIELDS; ++m) {
        to[m] = harness_array(a->precision, a->points);
    }
    for (unsigned wanted = 1; wanted <= 7; wanted += 2) {
        CHECK_STATUS(solve(plan, a->f, to, wanted, PSG_HOST), PSG_OK);
        for (int m = 0; m < FIELDS; ++m) {
            if (m == 0 || wanted >> (m - 1) & 1) {
                check(a, options, m, to[m], what);
            }
        }
    }
    psg_plan_destroy(plan);
    for (int m = 0; m < FIELDS; ++m) {
        free(to[m]);
    }
}

/** Arrays on GPU 0, solved so often that one GPU does it by a graph of CUDA's; and once in
 * place. */
static void from_gpu(const answer *a, const psg_options *options, const char *what) {
    const size_t bytes = a->points * harness_element_bytes(a->precision);
    psg_plan *plan = plan_of(a, options);
    void *f_d = NULL, *to_d[FIELDS] = {NULL}, *got = harness_array(a->precision, a->points);
    bool there = cudaSetDevice(0) == cudaSuccess && cudaMalloc(&f_d, bytes) == cudaSuccess;
    for (int m = 0; m < FIELDS && there; ++m) {
        there = cudaMalloc(&to_d[m], bytes) == cudaSuccess;
    }
    there = there && cudaMemcpy(f_d, a->f, bytes, cudaMemcpyHostToDevice) == cudaSuccess;
    const int solves = is_free(a) ? SOLVES : SOLVES + 1; /* a free z needs f after u */
    for (int n = 0; n < solves && CHECK(there, "no memory on GPU 0"); ++n) {
        const bool in_place = n == SOLVES;
        void *const to[FIELDS] = {in_place ? f_d : to_d[0], to_d[1], to_d[2], to_d[3]};
        CHECK_STATUS(solve(plan, f_d, to, 7, 0), PSG_OK);
        for (int m = 0; m < FIELDS; ++m) {
            CHECK(cudaMemcpy(got, to[m], bytes, cudaMemcpyDeviceToHost) == cudaSuccess &&
                      cudaMemset(to_d[m], 0xff, bytes) == cudaSuccess,
                  "a copy failed");
            check(a, options, m, got, what);
        }
    }
    psg_plan_destroy(plan);
    for (int m = 0; m < FIELDS; ++m) {
        (void)cudaFree(to_d[m]);
    }
    (void)cudaFree(f_d);
    free(got);
}

/** By each cut and exchange; by the staged graph; by cores beside a GPU. */
static void one_answer(const answer *a, int gpus) {
    for (size_t run = 0; run < 2 * CUTS; ++run) {
        const struct cut *cut = &cuts[run / 2];
        psg_options options = harness_options(a->precision);
        char what[120];
        options.gpus = gpus;
        options.exchange = run % 2 ? PSG_EXCHANGE_MANAGED : PSG_EXCHANGE_AUTO;
        options.segment_planes = cut->segment_planes;
        options.sheets = cut->sheets;
        snprintf(what, sizeof what, "%zux%zux%zu, %d GPUs, run %zu", a->grid.n[0], a->grid.n[1],
                 a->grid.n[2], gpus, run);
        from_memory(a, &options, what);
        if (gpus == 1) {
            from_gpu(a, &options, what);
        }
        if (gpus == 1 && a->points < 200000) {
            harness_set_variant(&options, &harness_variants[1 + run % 2]);
            from_memory(a, &options, "staged");
            options = harness_options(a->precision);
            options.gpus = 1;
            options.cpu_share = run % 2 ? 0.5 : PSG_CPU_SHARE_AUTO;
            options.placement = run % 2 ? PSG_PLACEMENT_PINNED : PSG_PLACEMENT_FREE;
            if (a->symbol == PSG_SYMBOL_SPECTRAL || !is_free(a)) {
                from_memory(a, &options, "cores and a GPU");
            }
        }
    }
}

/** A flow on a GPU, or in main memory, loses its gradient as on cores alone. */
static void one_projection(const oracle_grid *grid, const char *sides, psg_precision precision,
                           const psg_options *options, int device, double *const want[FIELDS]) {
    const size_t points = oracle_points(grid), bytes = points * harness_element_bytes(precision);
    psg_grid g = harness_grid(grid);
    psg_plan *plan = NULL;
    FREED void *given = harness_array(precision, points);
    FREED double *values = oracle_array(points);
    void *field[FIELDS] = {NULL};
    psg_array array[FIELDS];
    bool there = true;
    harness_sides(&g, sides);
    CHECK_STATUS(psg_plan_create(&plan, &g, options), PSG_OK);
    for (int m = 0; m < FIELDS && there; ++m) {
        field[m] = device == PSG_HOST ? malloc(bytes) : NULL;
        there = device == PSG_HOST || (cudaSetDevice(device) == cudaSuccess &&
                                       cudaMalloc(&field[m], bytes) == cudaSuccess);
        psg_array_init(&array[m], field[m]);
        array[m].device = device;
    }
    for (int turn = 0; turn < SOLVES && CHECK(there, "no memory"); ++turn) {
        for (int d = 0; d < 3; ++d) {
            oracle_random((uint64_t)d, points, values);
            harness_store(precision, points, values, given);
            CHECK(cudaMemcpy(field[1 + d], given, bytes, cudaMemcpyDefault) == cudaSuccess,
                  "a copy failed");
        }
        CHECK_STATUS(psg_project(plan, array + 1, array, NULL), PSG_OK);
        for (int m = 0; m < FIELDS; ++m) {
            CHECK(cudaMemcpy(given, field[m], bytes, cudaMemcpyDefault) == cudaSuccess,
                  "a copy failed");
            harness_load(precision, points, given, values);
            if (want[m][0] == 0) { /* what the first call makes */
                memcpy(want[m], values, points * sizeof *values);
            }
            CHECK_CLOSE(values, want[m], grid->n[0], grid->n[1], grid->n[2],
                        harness_tolerance(precision, 1e-12, 1e-4),
                        "%s, device %d, turn %d: field %d of a projection",
                        harness_precision_name(precision), device, turn, m);
        }
    }
    psg_plan_destroy(plan);
    for (int m = 0; m < FIELDS; ++m) {
        if (device == PSG_HOST) {
            free(field[m]);
        } else {
            (void)cudaFree(field[m]);
        }
    }
}

static void projections(int gpus) {
    static const struct {
        oracle_grid grid;
        const char *sides;
    } boxes[] = {{{{64, 64, 64}, {1.0, 1.5, 0.7}}, "PP"},
                 {{{33, 30, 37}, {1.0, 1.1, 0.9}}, "PP,PP,NN"},
                 {{{30, 33, 22}, {1.0, 1.1, 0.9}}, "NN,PP,ND"}};
    for (size_t run = 0; run < 2 * sizeof boxes / sizeof *boxes; ++run) {
        const oracle_grid *grid = &boxes[run / 2].grid;
        const psg_precision precision = run % 2 ? PSG_F32 : PSG_F64;
        psg_options options = harness_with(precision, "gpus=0 symbol=fd2");
        double *want[FIELDS];
        for (int m = 0; m < FIELDS; ++m) {
            want[m] = oracle_array(oracle_points(grid));
        }
        one_projection(grid, boxes[run / 2].sides, precision, &options, PSG_HOST, want);
        for (int cut = 0; cut < 4; ++cut) {
            options = harness_with(precision, "symbol=fd2");
            options.gpus = gpus;
            options.segment_planes = cut % 2 ? 5 : 0;
            options.exchange = cut / 2 ? PSG_EXCHANGE_MANAGED : PSG_EXCHANGE_AUTO;
            one_projection(grid, boxes[run / 2].sides, precision, &options, PSG_HOST, want);
            one_projection(grid, boxes[run / 2].sides, precision, &options, 0, want);
        }
        for (int m = 0; m < FIELDS; ++m) {
            free(want[m]);
        }
    }
}

static double largest_divergence(size_t n, double h, float *const v[3]) {
    const size_t step[3] = {1, n, n * n};
    double largest = 0;
    for (size_t p = 0; p < n * n * n; ++p) {
        const size_t place[3] = {p % n, p / n % n, p / n / n};
        double sum = 0;
        for (int d = 0; d < 3; ++d) {
            const size_t below = place[d] > 0 ? p - step[d] : p + (n - 1) * step[d];
            sum += ((double)v[d][p] - (double)v[d][below]) / h;
        }
        largest = check_worse(largest, fabs(sum));
    }
    return largest;
}

/** A smooth flow of modes up to 3, at the faces of cells. Its divergence is compared with the last
 * digit of the flow over the spacing. */
static void divergence_left(size_t n, int gpus, int device) {
    const size_t points = n * n * n, bytes = points * sizeof(float);
    const double h = TURN / (double)n;
    psg_options options = harness_with(PSG_F32, "symbol=fd2");
    psg_grid grid = harness_box(n, n, n, TURN, TURN, TURN);
    psg_plan *plan = NULL;
    psg_array array[3];
    float *v[3];
    double before = 0, after = 0, largest = 0;
    bool there = true;
    options.gpus = gpus;
    CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK);
    for (int d = 0; d < 3; ++d) {
        v[d] = malloc(bytes);
        for (size_t p = 0; p < points; ++p) {
            const double x[3] = {h * (double)(p % n), h * (double)(p / n % n),
                                 h * (double)(p / n / n)};
            v[d][p] = (float)(sin(x[d] + 1) * cos(2 * x[(d + 1) % 3]) + cos(3 * x[d] + 2) +
                              sin(2 * x[d] + x[(d + 2) % 3]));
            largest = fmax(largest, fabs(v[d][p]));
        }
        void *field = v[d];
        there = there && (device == PSG_HOST ||
                          (cudaSetDevice(device) == cudaSuccess &&
                           cudaMalloc(&field, bytes) == cudaSuccess &&
                           cudaMemcpy(field, v[d], bytes, cudaMemcpyDefault) == cudaSuccess));
        psg_array_init(&array[d], field);
        array[d].device = device;
    }
    before = largest_divergence(n, h, v);
    if (CHECK(there, "no memory on GPU 0")) {
        CHECK_STATUS(psg_project(plan, array, NULL, NULL), PSG_OK);
    }
    for (int d = 0; d < 3; ++d) {
        CHECK(device == PSG_HOST ||
                  cudaMemcpy(v[d], array[d].data, bytes, cudaMemcpyDefault) == cudaSuccess,
              "a copy failed");
        if (device != PSG_HOST) {
            (void)cudaFree(array[d].data);
        }
    }
    after = largest_divergence(n, h, v);
    printf("%zu^3 in f32, %d GPUs: the divergence is %.1e of that before, the last digit %.1e\n", n,
           gpus, after / before, FLT_EPSILON * largest / h / before);
    CHECK(after <= 4 * FLT_EPSILON * largest / h,
          "%zu^3, %d GPUs, device %d: the divergence is %g, and was %g", n, gpus, device, after,
          before);
    psg_plan_destroy(plan);
    for (int d = 0; d < 3; ++d) {
        free(v[d]);
    }
}

static void refused(void) {
    static const struct {
        size_t n[3];
        const char *options, *words;
    } cases[] = {{{6, 5, 1}, "", "along z at a free upper side is there on GPUs where the last"},
                 {{1, 5, 6}, "", "along x at a free upper side is there on GPUs where the last"},
                 {{6, 5, 7}, "segment_planes=3", "along z at a free upper side is there on GPUs"},
                 {{6, 5, 8}, "cpu_share=0.5", "for GPUs that have all tasks"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        const size_t *n = cases[c].n;
        const struct setting s = {{{n[0], n[1], n[2]}, {1, 1, 1}}, "FF", PSG_SYMBOL_FD2};
        answer a = answer_make(&s, PSG_F64);
        psg_options options = harness_with(PSG_F64, cases[c].options);
        void *to[FIELDS] = {a.want[0], a.want[1], a.want[2], a.want[3]};
        options.gpus = 1;
        psg_plan *plan = plan_of(&a, &options);
        CHECK_STATUS(solve(plan, a.f, to, 7, PSG_HOST), PSG_ERR_UNSUPPORTED);
        CHECK(strstr(psg_last_error(), cases[c].words) != NULL, "%s", psg_last_error());
        CHECK_STATUS(solve(plan, a.f, to, 0, PSG_HOST), PSG_OK);
        psg_plan_destroy(plan);
        answer_free(&a);
    }
}

int main(void) {
    int there = 0;
    if (cudaGetDeviceCount(&there) != cudaSuccess || there == 0) {
        printf("skipped: no GPU\n");
        return CHECK_SKIP;
    }
    for (int gpus = 1; gpus <= there; gpus += there > 1 ? there - 1 : 1) { /* one, then all */
        psg_options options = harness_options(PSG_F64);
        options.gpus = gpus;
        psg_plan *anchor = harness_anchor(&options); /* StarPU runs on, with these GPUs */
        CHECK(anchor != NULL, "%d GPUs: %s", gpus, psg_last_error());
        for (size_t g = 0; g < (size_t)2 * GRIDS && anchor != NULL; ++g) {
            answer a = answer_make(&grids[g % GRIDS], g < GRIDS ? PSG_F64 : PSG_F32);
            one_answer(&a, gpus);
            answer_free(&a);
        }
        if (anchor != NULL) {
            projections(gpus);
            divergence_left(64, gpus, PSG_HOST);
            divergence_left(256, gpus, gpus == 1 ? 0 : PSG_HOST);
        }
        if (anchor != NULL && gpus == 1) {
            refused();
        }
        psg_plan_destroy(anchor);
    }
    return check_result();
}
