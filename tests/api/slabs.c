/* Tasks of a StarPU program write the slabs of f and read those of u; solves between them, submitted
 * without a wait, take the right values at the right time. */
#include "graph/psg_starpu.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <starpu.h>
#include <stdlib.h>
#include <string.h>

#define NX 10
#define NY 9
#define NZ 13
#define POINTS ((size_t)NX * NY * NZ)
#define STEPS 6
#define MAX_SEGMENTS NZ

static const oracle_grid box = {{NX, NY, NZ}, {1.0, 1.2, 0.9}};

/** A step in time: f' = f / 2 + 40 u, point by point; also what starts and ends the series. */
typedef enum action { ACTION_FILL, ACTION_STEP, ACTION_READ } action;

typedef struct order {
    psg_precision precision;
    double *host; /* [nz][ny][nx] */
    size_t z0;
} order;

static double block_value(void *buffer, psg_precision precision, size_t i, size_t j, size_t k,
                          const double *set) {
    size_t at = i + j * STARPU_BLOCK_GET_LDY(buffer) + k * STARPU_BLOCK_GET_LDZ(buffer);
    char *base = (char *)STARPU_BLOCK_GET_PTR(buffer);
    double value =
        precision == PSG_F32 ? (double)((float *)(void *)base)[at] : ((double *)(void *)base)[at];
    if (set && precision == PSG_F32) {
        ((float *)(void *)base)[at] = (float)*set;
    } else if (set) {
        ((double *)(void *)base)[at] = *set;
    }
    return value;
}

static void run(void *buffers[], void *arguments, action what) {
    order o;
    starpu_codelet_unpack_args(arguments, &o);
    size_t nx = STARPU_BLOCK_GET_NX(buffers[0]), ny = STARPU_BLOCK_GET_NY(buffers[0]);
    size_t nz = STARPU_BLOCK_GET_NZ(buffers[0]);
    for (size_t k = 0; k < nz; ++k) {
        for (size_t j = 0; j < ny; ++j) {
            for (size_t i = 0; i < nx; ++i) {
                double *host = o.host + ((o.z0 + k) * ny + j) * nx + i;
                if (what == ACTION_READ) {
                    *host = block_value(buffers[0], o.precision, i, j, k, NULL);
                } else if (what == ACTION_FILL) {
                    block_value(buffers[0], o.precision, i, j, k, host);
                } else {
                    double next = block_value(buffers[0], o.precision, i, j, k, NULL) / 2 +
                                  40 * block_value(buffers[1], o.precision, i, j, k, NULL);
                    block_value(buffers[0], o.precision, i, j, k, &next);
                }
            }
        }
    }
}

static void fill(void *buffers[], void *arguments) {
    run(buffers, arguments, ACTION_FILL);
}

static void step(void *buffers[], void *arguments) {
    run(buffers, arguments, ACTION_STEP);
}

static void read_back(void *buffers[], void *arguments) {
    run(buffers, arguments, ACTION_READ);
}

static struct starpu_codelet fill_codelet = {
    .cpu_funcs = {fill}, .nbuffers = 1, .modes = {STARPU_W}, .name = "fill"};
static struct starpu_codelet step_codelet = {
    .cpu_funcs = {step}, .nbuffers = 2, .modes = {STARPU_RW, STARPU_R}, .name = "step"};
static struct starpu_codelet read_codelet = {
    .cpu_funcs = {read_back}, .nbuffers = 1, .modes = {STARPU_R}, .name = "read_back"};

typedef struct slabs {
    size_t count;
    starpu_data_handle_t f[MAX_SEGMENTS], u[MAX_SEGMENTS];
    size_t z0[MAX_SEGMENTS + 1];
    psg_precision precision;
} slabs;

static int get_slabs(psg_plan *plan, slabs *s, psg_precision precision) {
    memset(s, 0, sizeof *s);
    s->precision = precision;
    CHECK_STATUS(psg_plan_segments(plan, &s->count, NULL), PSG_OK);
    if (!CHECK(s->count >= 1 && s->count <= MAX_SEGMENTS, "%zu segments", s->count) ||
        !CHECK_STATUS(psg_plan_slab_handles(plan, s->f, s->u, s->z0), PSG_OK)) {
        return 0;
    }
    CHECK(s->z0[0] == 0 && s->z0[s->count] == NZ, "planes %zu to %zu", s->z0[0], s->z0[s->count]);
    for (size_t n = 0; n < s->count; ++n) {
        const starpu_data_handle_t pair[2] = {s->f[n], s->u[n]};
        CHECK(s->z0[n] < s->z0[n + 1], "segment %zu is empty", n);
        for (int h = 0; h < 2; ++h) {
            CHECK(starpu_block_get_nx(pair[h]) == NX && starpu_block_get_ny(pair[h]) == NY &&
                      starpu_block_get_nz(pair[h]) == s->z0[n + 1] - s->z0[n],
                  "segment %zu is %u x %u x %u", n, starpu_block_get_nx(pair[h]),
                  starpu_block_get_ny(pair[h]), starpu_block_get_nz(pair[h]));
            CHECK(starpu_block_get_elemsize(pair[h]) == harness_element_bytes(precision),
                  "segment %zu has elements of %zu bytes", n, starpu_block_get_elemsize(pair[h]));
        }
    }
    return 1;
}

/** One task on each slab; the step takes two handles. */
static void on_each(const slabs *s, struct starpu_codelet *codelet,
                    const starpu_data_handle_t *handles, double *host) {
    for (size_t n = 0; n < s->count; ++n) {
        order o = {s->precision, host, s->z0[n]};
        int result =
            codelet == &step_codelet
                ? starpu_task_insert(codelet, STARPU_VALUE, &o, sizeof o, STARPU_RW, s->f[n],
                                     STARPU_R, s->u[n], 0)
                : starpu_task_insert(codelet, STARPU_VALUE, &o, sizeof o,
                                     codelet == &fill_codelet ? STARPU_W : STARPU_R, handles[n], 0);
        CHECK(result == 0, "starpu_task_insert returned %d", result);
    }
}

/** The same series by oracle. */
static void expected(const double *start, double *f, double *u) {
    memcpy(f, start, POINTS * sizeof *f);
    for (int n = 0; n < STEPS; ++n) {
        oracle_solve(&box, ORACLE_SPECTRAL, 0, f, u);
        for (size_t p = 0; n < STEPS - 1 && p < POINTS; ++p) {
            f[p] = f[p] / 2 + 40 * u[p];
        }
    }
}

static void series(psg_plan *plan, slabs *s, const char *variant) {
    double *start = oracle_array(4 * POINTS), *f = start + POINTS, *u = f + POINTS,
           *got = u + POINTS;
    oracle_random(7, POINTS, start);
    harness_round(s->precision, POINTS, start);
    expected(start, f, u);
    for (int repeat = 0; repeat < 2; ++repeat) {
        memset(got, 0xff, POINTS * sizeof *got);
        on_each(s, &fill_codelet, s->f, start);
        for (int n = 0; n < STEPS; ++n) {
            CHECK_STATUS(psg_submit_slabs(plan), PSG_OK);
            if (n < STEPS - 1) {
                on_each(s, &step_codelet, NULL, NULL);
            }
        }
        on_each(s, &read_codelet, s->u, got);
        for (int n = 0; n < STEPS; ++n) {
            CHECK_STATUS(psg_wait(plan), PSG_OK);
        }
        CHECK_STATUS(psg_wait(plan), PSG_ERR_STATE);
        starpu_task_wait_for_all();
        CHECK_CLOSE(got, u, NX, NY, NZ, harness_tolerance(s->precision, 1e-12, 1e-4),
                    "u after %d steps, %s, repeat %d", STEPS, variant, repeat);
        on_each(s, &read_codelet, s->f, got);
        starpu_task_wait_for_all();
        CHECK_CLOSE(got, f, NX, NY, NZ, harness_tolerance(s->precision, 1e-12, 1e-4),
                    "f after %d steps, %s, repeat %d", STEPS, variant, repeat);
    }
    free(start);
}

/** A bad slab fails its own solve, and no later one. */
static void bad_slab(psg_plan *plan, slabs *s, const char *variant) {
    double *f = oracle_array(3 * POINTS), *u = f + POINTS, *got = u + POINTS;
    size_t at[3] = {0, 0, 0};
    oracle_random(8, POINTS, f);
    oracle_solve(&box, ORACLE_SPECTRAL, 0, f, u);
    double keep = f[(7 * NY + 2) * NX + 4];
    f[(7 * NY + 2) * NX + 4] = NAN;
    on_each(s, &fill_codelet, s->f, f);
    CHECK_STATUS(psg_submit_slabs(plan), PSG_OK);
    CHECK_STATUS(psg_wait(plan), PSG_ERR_DATA);
    CHECK(harness_coordinates(psg_last_error(), at) == 3 && at[0] == 4 && at[1] == 2 && at[2] == 7,
          "the words: %s", psg_last_error());
    starpu_task_wait_for_all();
    f[(7 * NY + 2) * NX + 4] = keep;
    on_each(s, &fill_codelet, s->f, f);
    CHECK_STATUS(psg_submit_slabs(plan), PSG_OK);
    on_each(s, &read_codelet, s->u, got);
    CHECK_STATUS(psg_wait(plan), PSG_OK);
    starpu_task_wait_for_all();
    CHECK_CLOSE(got, u, NX, NY, NZ, harness_tolerance(s->precision, 1e-12, 1e-4),
                "the solve after a bad one, %s", variant);
    free(f);
}

/** f is overwritten, in order, while the solve of the bad one is on its way: each has its own status, and
 *  the words do not say of the first what is true of the second. */
static void bad_slab_overwritten(psg_plan *plan, slabs *s, const char *variant) {
    double *bad = oracle_array(4 * POINTS), *f = bad + POINTS, *u = f + POINTS, *got = u + POINTS;
    size_t at[3] = {0, 0, 0};
    oracle_random(8, POINTS, f);
    oracle_solve(&box, ORACLE_SPECTRAL, 0, f, u);
    memcpy(bad, f, POINTS * sizeof *f);
    bad[(7 * NY + 2) * NX + 4] = INFINITY;
    on_each(s, &fill_codelet, s->f, bad);
    CHECK_STATUS(psg_submit_slabs(plan), PSG_OK);
    on_each(s, &fill_codelet, s->f, f);
    CHECK_STATUS(psg_submit_slabs(plan), PSG_OK);
    on_each(s, &read_codelet, s->u, got);
    CHECK_STATUS(psg_wait(plan), PSG_ERR_DATA);
    int read = harness_coordinates(psg_last_error(), at);
    CHECK(read == 3 ? at[0] == 4 && at[1] == 2 && at[2] == 7
                    : !strstr(psg_last_error(), "is finite"),
          "the words: %s", psg_last_error());
    CHECK_STATUS(psg_wait(plan), PSG_OK);
    starpu_task_wait_for_all();
    CHECK_CLOSE(got, u, NX, NY, NZ, harness_tolerance(s->precision, 1e-12, 1e-4),
                "the solve behind a bad one, %s", variant);
    free(bad);
}

/** Slabs and the caller's arrays in the same plan. */
static void mixed(psg_plan *plan, slabs *s, const char *variant) {
    size_t bytes = harness_element_bytes(s->precision);
    double *f = oracle_array(3 * POINTS), *u = f + POINTS, *got = u + POINTS;
    void *f_array = harness_array(s->precision, POINTS), *u_array = calloc(POINTS, bytes);
    oracle_random(9, POINTS, f);
    oracle_solve(&box, ORACLE_SPECTRAL, 0, f, u);
    harness_store(s->precision, POINTS, f, f_array);
    on_each(s, &fill_codelet, s->f, f);
    CHECK_STATUS(psg_submit_slabs(plan), PSG_OK);
    CHECK_STATUS(psg_submit(plan, f_array, u_array), PSG_OK);
    on_each(s, &read_codelet, s->u, got);
    CHECK_STATUS(psg_wait(plan), PSG_OK);
    CHECK_STATUS(psg_wait(plan), PSG_OK);
    starpu_task_wait_for_all();
    CHECK_CLOSE(got, u, NX, NY, NZ, harness_tolerance(s->precision, 1e-12, 1e-4), "slabs, %s",
                variant);
    harness_load(s->precision, POINTS, u_array, got);
    CHECK_CLOSE(got, u, NX, NY, NZ, harness_tolerance(s->precision, 1e-12, 1e-4), "arrays, %s",
                variant);
    free(f);
    free(f_array);
    free(u_array);
}

int main(void) {
    static const unsigned in_flight[] = {1, 2, 4};
    for (size_t run_number = 0; run_number < 2 * 3 * HARNESS_VARIANTS; ++run_number) {
        psg_precision precision = run_number % 2 ? PSG_F32 : PSG_F64;
        const harness_variant *variant = &harness_variants[run_number / 6];
        psg_grid grid = harness_grid(&box);
        psg_options options = harness_options(precision);
        psg_plan *plan = NULL;
        slabs s, again;
        harness_set_variant(&options, variant);
        options.in_flight = in_flight[run_number / 2 % 3];
        options.segment_planes = 4;
        options.sheets = 3;
        if (CHECK_STATUS(psg_plan_create(&plan, &grid, &options), PSG_OK)) {
            CHECK_STATUS(psg_submit_slabs(plan), PSG_ERR_STATE);
            if (get_slabs(plan, &s, precision) && get_slabs(plan, &again, precision)) {
                CHECK(memcmp(s.f, again.f, sizeof s.f) == 0, "the second call made other handles");
                CHECK_STATUS(psg_plan_slab_handles(plan, NULL, NULL, NULL), PSG_OK);
                series(plan, &s, variant->name);
                bad_slab(plan, &s, variant->name);
                bad_slab_overwritten(plan, &s, variant->name);
                mixed(plan, &s, variant->name);
            }
        }
        psg_plan_destroy(plan);
    }
    return check_result();
}
