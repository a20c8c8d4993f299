/* Arrays on GPUs through psg_solve_arrays(): used where they are, dense, with ghost layers, in place, one for each GPU,
 * and a whole one that several GPUs work on. What a GPU cannot reach is refused with words. With PSG_TEST_GPUS GPUs. */
#include "graph/psg_observe.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <cuda_runtime_api.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const oracle_grid grids[] = {{{16, 12, 20}, {1.0, 2.0, 0.5}},
                                    {{64, 32, 48}, {1.0, 1.0, 1.0}},
                                    {{15, 9, 14}, {1.0, 1.0, 1.0}}};
enum { GRIDS = sizeof grids / sizeof *grids, MOST_GPUS = 8 };

static int gpus_asked(void) {
    const char *text = getenv("PSG_TEST_GPUS");
    return text != NULL ? atoi(text) : 1;
}

/** Planes with a ghost layer around them, or without, on a device. */
typedef struct field {
    psg_array array;
    size_t n[3], ghost, points; /* all points of the allocation */
    char *memory_d;
} field;

static field make_field(int device, const size_t n[3], size_t ghost, psg_precision precision) {
    field r = {.n = {n[0], n[1], n[2]}, .ghost = ghost, .points = 1};
    for (int d = 0; d < 3; ++d) {
        r.points *= n[d] + 2 * ghost;
    }
    const size_t bytes = r.points * harness_element_bytes(precision);
    CHECK(cudaSetDevice(device) == cudaSuccess &&
              cudaMalloc((void **)&r.memory_d, bytes) == cudaSuccess,
          "no memory on GPU %d", device);
    const size_t row = n[0] + 2 * ghost, plane = row * (n[1] + 2 * ghost);
    psg_array_init(&r.array,
                   r.memory_d + ghost * (plane + row + 1) * harness_element_bytes(precision));
    r.array.device = device;
    r.array.stride[0] = 1;
    r.array.stride[1] = (ptrdiff_t)row;
    r.array.stride[2] = (ptrdiff_t)plane;
    return r;
}

static size_t place_of(const field *r, size_t m) {
    const size_t i = m % r->n[0], j = m / r->n[0] % r->n[1], k = m / r->n[0] / r->n[1];
    return (size_t)r->array.stride[2] * (k + r->ghost) +
           (size_t)r->array.stride[1] * (j + r->ghost) + i + r->ghost;
}

/** Points of the grid to a field whose ghosts become `around`; and back, with a look at the ghosts. */
static void put(const field *r, psg_precision precision, const double *points, double around) {
    FREED double *all = oracle_array(r->points);
    FREED void *rounded = harness_array(precision, r->points);
    for (size_t m = 0; m < r->points; ++m) {
        all[m] = around;
    }
    for (size_t m = 0; points != NULL && m < r->n[0] * r->n[1] * r->n[2]; ++m) {
        all[place_of(r, m)] = points[m];
    }
    harness_store(precision, r->points, all, rounded);
    CHECK(cudaMemcpy(r->memory_d, rounded, r->points * harness_element_bytes(precision),
                     cudaMemcpyHostToDevice) == cudaSuccess,
          "f did not go there");
}

static void get(const field *r, psg_precision precision, double *points, double around) {
    FREED double *all = oracle_array(r->points);
    FREED void *rounded = harness_array(precision, r->points);
    CHECK(cudaMemcpy(rounded, r->memory_d, r->points * harness_element_bytes(precision),
                     cudaMemcpyDeviceToHost) == cudaSuccess,
          "u did not come back");
    harness_load(precision, r->points, rounded, all);
    for (size_t m = 0; m < r->n[0] * r->n[1] * r->n[2]; ++m) {
        points[m] = all[place_of(r, m)];
        all[place_of(r, m)] = around;
    }
    size_t written = 0;
    for (size_t m = 0; m < r->points; ++m) {
        written += all[m] != around;
    }
    CHECK(written == 0, "%zu points of the ghost layers were written", written);
}

typedef struct problem {
    const oracle_grid *grid;
    psg_precision precision;
    const double *f, *want;
} problem;

static void solve(psg_plan *plan, const problem *p, int count, size_t ghost, bool in_place,
                  bool asked, size_t copied) {
    const size_t points = oracle_points(p->grid);
    const size_t plane = p->grid->n[0] * p->grid->n[1];
    field f[MOST_GPUS], u[MOST_GPUS];
    psg_array from[MOST_GPUS], to[MOST_GPUS];
    size_t lo[MOST_GPUS][3];
    FREED double *got = oracle_array(points);
    psg_statistics s;
    for (int m = 0; m < count; ++m) {
        size_t n[3];
        CHECK_STATUS(psg_plan_local_box(plan, count > 1 ? m : PSG_HOST, lo[m], n), PSG_OK);
        f[m] = make_field(m, n, ghost, p->precision);
        u[m] = make_field(m, n, ghost, p->precision);
        from[m] = f[m].array;
        to[m] = in_place ? f[m].array : u[m].array;
        from[m].device = to[m].device = asked ? PSG_ASK : m;
    }
    for (int round = 0; round < 4; ++round) { /* the third replays a graph; f changes */
        const double sign = round % 2 == 0 ? 1 : -1;
        FREED double *signed_f = oracle_array(points);
        for (size_t m = 0; m < points; ++m) {
            signed_f[m] = sign * p->f[m];
        }
        for (int m = 0; m < count; ++m) {
            put(&f[m], p->precision, signed_f + lo[m][2] * plane, 7);
            put(&u[m], p->precision, NULL, 7);
        }
        (void)cudaDeviceSynchronize();
        CHECK_STATUS(psg_solve_arrays(plan, (size_t)count, from, to, NULL), PSG_OK);
        for (int m = 0; m < count; ++m) {
            get(in_place ? &f[m] : &u[m], p->precision, got + lo[m][2] * plane, 7);
        }
        for (size_t m = 0; m < points; ++m) {
            got[m] *= sign;
        }
        CHECK_CLOSE(got, p->want, p->grid->n[0], p->grid->n[1], p->grid->n[2],
                    harness_tolerance(p->precision, 1e-12, 1e-4),
                    "%s, %d arrays, ghost %zu, in place %d, round %d",
                    harness_precision_name(p->precision), count, ghost, in_place, round);
    }
    CHECK_STATUS(psg_plan_statistics(plan, &s), PSG_OK);
    CHECK((copied == 0) == (s.copied_bytes == 0), "%zu bytes of f and u were copied",
          (size_t)s.copied_bytes);
    for (int m = 0; m < count; ++m) {
        (void)cudaFree(f[m].memory_d);
        (void)cudaFree(u[m].memory_d);
    }
}

static void refused(psg_plan *plan, const psg_array *f, const psg_array *u, const char *words) {
    CHECK_SAYS(psg_solve_arrays(plan, 1, f, u, NULL), PSG_ERR_ARG, words);
}

/** Pointers that no solve can use; the plan works on after them. */
static void wrong(psg_plan *plan, const problem *p) {
    const size_t *n = p->grid->n;
    const size_t points = oracle_points(p->grid);
    field f = make_field(0, n, 0, p->precision), u = make_field(0, n, 0, p->precision);
    FREED void *host = harness_array(p->precision, points);
    psg_array bad = u.array;
    int devices = 0;
    bad.data = host;
    refused(plan, &f.array, &bad, "u is said to be on GPU 0, and CUDA knows of no memory");
    bad = u.array;
    bad.device = PSG_HOST;
    refused(plan, &f.array, &bad, "u is said to be in main memory and is on GPU 0");
    bad.device = 1;
    refused(plan, &f.array, &bad, "u is said to be on GPU 1 and is on GPU 0");
    bad = u.array;
    bad.stride[2] *= 2;
    refused(plan, &f.array, &bad, "past its allocation on GPU 0");
    bad = u.array;
    bad.stride[1] += 2;
    bad.stride[2] = (ptrdiff_t)(n[1] - 1) * bad.stride[1] + (ptrdiff_t)n[0];
    CHECK_SAYS(psg_solve_arrays(plan, 1, &f.array, &bad, NULL), PSG_ERR_UNSUPPORTED,
               "of all rows with their padding");
    bad = u.array;
    bad.data = (char *)bad.data + 1;
    refused(plan, &f.array, &bad, "not aligned");
    (void)cudaGetDeviceCount(&devices);
    if (devices > gpus_asked()) {
        field other = make_field(devices - 1, n, 0, p->precision);
        refused(plan, &f.array, &other.array, "which is not one of the plan's");
        other.array.device = PSG_ASK;
        refused(plan, &f.array, &other.array, "which is not one of the plan's");
        (void)cudaFree(other.memory_d);
    }
    const psg_array two[2] = {f.array, u.array};
    psg_solve_args args = harness_args(plan);
    args.u_modes = &u.array;
    CHECK_SAYS(psg_solve_arrays(plan, 1, &f.array, NULL, &args), PSG_ERR_UNSUPPORTED, "modes");
    if (gpus_asked() == 2) {
        CHECK_SAYS(psg_solve_arrays(plan, 2, two, NULL, &args), PSG_ERR_UNSUPPORTED, "modes");
    }
    put(&f, p->precision, p->f, 0);
    (void)cudaDeviceSynchronize();
    CHECK_STATUS(psg_solve_arrays(plan, 1, &f.array, &u.array, NULL), PSG_OK);
    (void)cudaFree(u.memory_d); /* StarPU has handles of it */
    refused(plan, &f.array, &u.array, "u is said to be on GPU 0, and CUDA knows of no memory");
    (void)cudaFree(f.memory_d);
}

/** f is found out, and what is said of the next f is of the next. */
static void nonfinite(psg_plan *plan, const problem *p) {
    field f = make_field(0, p->grid->n, 1, p->precision),
          u = make_field(0, p->grid->n, 1, p->precision);
    FREED double *values = oracle_array(oracle_points(p->grid));
    for (size_t bad = 3; bad < 40; bad += 18) {
        size_t at[3] = {0, 0, 0};
        memcpy(values, p->f, oracle_points(p->grid) * sizeof *values);
        values[bad] = (double)NAN;
        put(&f, p->precision, values, 1);
        (void)cudaDeviceSynchronize();
        CHECK_STATUS(psg_solve_arrays(plan, 1, &f.array, &u.array, NULL), PSG_ERR_DATA);
        CHECK(harness_coordinates(psg_last_error(), at) &&
                  at[0] + p->grid->n[0] * (at[1] + p->grid->n[1] * at[2]) == bad,
              "%s", psg_last_error());
    }
    put(&f, p->precision, p->f, 1);
    (void)cudaDeviceSynchronize();
    CHECK_STATUS(psg_solve_arrays(plan, 1, &f.array, &u.array, NULL), PSG_OK);
    put(&f, p->precision, values, 1);
    (void)cudaDeviceSynchronize();
    CHECK_SAYS(psg_solve_arrays(plan, 1, &f.array, &f.array, NULL), PSG_ERR_DATA, "in place");
    (void)cudaFree(f.memory_d);
    (void)cudaFree(u.memory_d);
}

static void one_plan(const harness_variant *variant, const oracle_grid *grid,
                     psg_precision precision, int gpus) {
    const size_t points = oracle_points(grid);
    const psg_grid g = harness_grid(grid);
    FREED double *f = oracle_array(points), *want = oracle_array(points);
    psg_options options = harness_options(precision);
    const problem p = {grid, precision, f, want};
    oracle_random(5, points, f);
    harness_round(precision, points, f);
    oracle_solve(grid, ORACLE_SPECTRAL, 0, f, want);
    harness_set_variant(&options, variant);
    options.gpus = gpus;
    if (gpus > 1) { /* by itself so small a grid is one GPU's */
        options.segment_planes = (grid->n[2] + (size_t)gpus - 1) / (size_t)gpus;
        options.sheets = (size_t)gpus;
    }
    DESTROYED psg_plan *plan = harness_plan(&g, &options);
    for (size_t ghost = 0; ghost < 2; ++ghost) {
        for (int in_place = 0; in_place < 2; ++in_place) {
            solve(plan, &p, 1, ghost, in_place, ghost == 0, gpus > 1);
            if (gpus > 1) {
                solve(plan, &p, gpus, ghost, in_place, ghost == 1, 0);
            }
        }
    }
    wrong(plan, &p);
    nonfinite(plan, &p);
}

int main(void) {
    int devices = 0;
    const int gpus = gpus_asked();
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < gpus) {
        return CHECK_SKIP;
    }
    for (int m = 0; m < GRIDS; ++m) {
        for (int run = 0; run < 2 * HARNESS_VARIANTS; ++run) {
            one_plan(&harness_variants[run / 2], &grids[m], run % 2 ? PSG_F32 : PSG_F64, gpus);
        }
    }
    return check_result();
}
