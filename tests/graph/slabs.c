/* Tasks of a StarPU program write its slabs of f and read those of u, in one process and in each of
 * several. Solves between them, submitted without a wait, take the right values at the right
 * time. */
#include "graph/psg_starpu.h"
#include "tests/mpi/ranks.h"

#include <starpu.h>
#include <stdlib.h>
#include <string.h>

#define NX 6
#define NY 7
#define NZ 9
#define POINTS ((size_t)NX * NY * NZ)
#define STEPS 6

static const oracle_grid box = {{NX, NY, NZ}, {1.0, 1.2, 0.9}};

static MPI_Comm world;

/** A task's order: `host` is the whole grid, of which z0 is the slab's first plane. */
typedef struct order {
    double *host;
    size_t z0, element;
} order;

static double get(const void *array, size_t element, size_t n) {
    return element == sizeof(float) ? (double)((const float *)array)[n]
                                    : ((const double *)array)[n];
}

static void put(void *array, size_t element, size_t n, double value) {
    if (element == sizeof(float)) {
        ((float *)array)[n] = (float)value;
    } else {
        ((double *)array)[n] = value;
    }
}

typedef struct place {
    size_t host, f, u;
} place;

/** Walk over the points of a block. */
static int next_place(void *const buffers[], size_t z0, int two, size_t *count, place *at) {
    size_t nx = STARPU_BLOCK_GET_NX(buffers[0]), ny = STARPU_BLOCK_GET_NY(buffers[0]);
    size_t nz = STARPU_BLOCK_GET_NZ(buffers[0]), n = (*count)++;
    size_t i = n % nx, j = n / nx % ny, k = n / nx / ny;
    at->host = ((z0 + k) * ny + j) * nx + i;
    at->f = i + j * STARPU_BLOCK_GET_LDY(buffers[0]) + k * STARPU_BLOCK_GET_LDZ(buffers[0]);
    at->u =
        !two ? 0 : i + j * STARPU_BLOCK_GET_LDY(buffers[1]) + k * STARPU_BLOCK_GET_LDZ(buffers[1]);
    return n < nx * ny * nz;
}

static void fill(void *buffers[], void *arguments) {
    order o;
    place at;
    starpu_codelet_unpack_args(arguments, &o);
    for (size_t n = 0; next_place(buffers, o.z0, 0, &n, &at);) {
        put((void *)STARPU_BLOCK_GET_PTR(buffers[0]), o.element, at.f, o.host[at.host]);
    }
}

static void read_back(void *buffers[], void *arguments) {
    order o;
    place at;
    starpu_codelet_unpack_args(arguments, &o);
    for (size_t n = 0; next_place(buffers, o.z0, 0, &n, &at);) {
        o.host[at.host] = get((void *)STARPU_BLOCK_GET_PTR(buffers[0]), o.element, at.f);
    }
}

/** A step in time: f = f / 2 + 40 u. */
static void step(void *buffers[], void *arguments) {
    order o;
    place at;
    starpu_codelet_unpack_args(arguments, &o);
    for (size_t n = 0; next_place(buffers, o.z0, 1, &n, &at);) {
        void *f = (void *)STARPU_BLOCK_GET_PTR(buffers[0]);
        double u = get((void *)STARPU_BLOCK_GET_PTR(buffers[1]), o.element, at.u);
        put(f, o.element, at.f, get(f, o.element, at.f) / 2 + 40 * u);
    }
}

static struct starpu_codelet fill_codelet = {
    .cpu_funcs = {fill}, .nbuffers = 1, .modes = {STARPU_W}, .name = "fill"};
static struct starpu_codelet step_codelet = {
    .cpu_funcs = {step}, .nbuffers = 2, .modes = {STARPU_RW, STARPU_R}, .name = "step"};
static struct starpu_codelet read_codelet = {
    .cpu_funcs = {read_back}, .nbuffers = 1, .modes = {STARPU_R}, .name = "read_back"};

/** The slabs of this process. */
typedef struct slabs {
    size_t count;
    starpu_data_handle_t f[NZ], u[NZ];
    size_t z0[NZ + 1], element;
} slabs;

static int get_slabs(psg_plan *plan, slabs *s, psg_precision precision) {
    size_t first, planes;
    memset(s, 0, sizeof *s);
    s->element = harness_element_bytes(precision);
    ranks_extent(NZ, ranks_size(world), ranks_rank(world), &first, &planes);
    int held = CHECK_STATUS(psg_plan_segments(plan, &s->count, NULL), PSG_OK) &&
               CHECK(s->count <= NZ && (s->count > 0) == (planes > 0), "%zu segments", s->count) &&
               CHECK_STATUS(psg_plan_slab_handles(plan, s->f, s->u, s->z0), PSG_OK);
    if (!ranks_all(world, held)) {
        return 0;
    }
    CHECK(s->z0[0] == first && s->z0[s->count] == first + planes,
          "planes %zu to %zu instead of %zu to %zu", s->z0[0], s->z0[s->count], first,
          first + planes);
    for (size_t n = 0; n < 2 * s->count; ++n) {
        starpu_data_handle_t handle = n % 2 ? s->u[n / 2] : s->f[n / 2];
        size_t slab_planes = s->z0[n / 2 + 1] - s->z0[n / 2];
        CHECK(slab_planes >= 1 && starpu_block_get_nx(handle) == NX &&
                  starpu_block_get_ny(handle) == NY && starpu_block_get_nz(handle) == slab_planes &&
                  starpu_block_get_elemsize(handle) == s->element,
              "segment %zu is %u x %u x %u", n / 2, starpu_block_get_nx(handle),
              starpu_block_get_ny(handle), starpu_block_get_nz(handle));
    }
    return 1;
}

static void on_each(const slabs *s, struct starpu_codelet *codelet,
                    const starpu_data_handle_t *handles, double *host) {
    for (size_t n = 0; n < s->count; ++n) {
        order o = {host, s->z0[n], s->element};
        int result =
            codelet == &step_codelet
                ? starpu_task_insert(codelet, STARPU_VALUE, &o, sizeof o, STARPU_RW, s->f[n],
                                     STARPU_R, s->u[n], 0)
                : starpu_task_insert(codelet, STARPU_VALUE, &o, sizeof o,
                                     codelet == &fill_codelet ? STARPU_W : STARPU_R, handles[n], 0);
        CHECK(result == 0, "starpu_task_insert returned %d", result);
    }
}

/** The own planes of `got`, all else 0, against those of `want`. */
static void check_own(const problem *x, const slabs *s, const double *got, const double *want,
                      const char *what) {
    const size_t plane = (size_t)NX * NY;
    if (s->count > 0) {
        const size_t first = s->z0[0] * plane, end = s->z0[s->count] * plane;
        FREED double *expected = oracle_array(POINTS);
        memcpy(expected + first, want + first, (end - first) * sizeof *want);
        CHECK_CLOSE(got, expected, NX, NY, NZ, harness_tolerance(x->options.precision, 1e-12, 1e-4),
                    "%s, %s, %u in flight", what, x->words, x->options.in_flight);
    }
}

static void series(problem *x, slabs *s) {
    double *f = oracle_array(2 * POINTS), *u = f + POINTS;
    memcpy(f, x->f, POINTS * sizeof *f);
    for (int n = 0; n < STEPS; ++n) {
        oracle_solve(&box, ORACLE_SPECTRAL, 0, f, u);
        for (size_t p = 0; n < STEPS - 1 && p < POINTS; ++p) {
            f[p] = f[p] / 2 + 40 * u[p];
        }
    }
    for (int repeat = 0; repeat < 2; ++repeat) {
        memset(x->got, 0, POINTS * sizeof *x->got);
        ranks_stagger(world, repeat);
        on_each(s, &fill_codelet, s->f, x->f);
        for (int n = 0; n < STEPS; ++n) {
            CHECK_STATUS(psg_submit_slabs(x->plan), PSG_OK);
            if (n < STEPS - 1) {
                on_each(s, &step_codelet, NULL, NULL);
            }
        }
        on_each(s, &read_codelet, s->u, x->got);
        for (int n = 0; n < STEPS; ++n) {
            CHECK_STATUS(psg_wait(x->plan), PSG_OK);
        }
        CHECK_STATUS(psg_wait(x->plan), PSG_ERR_STATE);
        starpu_task_wait_for_all();
        check_own(x, s, x->got, u, "u after the steps");
        on_each(s, &read_codelet, s->f, x->got);
        starpu_task_wait_for_all();
        check_own(x, s, x->got, f, "f after the steps");
    }
    free(f);
}

/** @param[in] finite  may the words say that f is finite now? */
static void names_the_place(int finite) {
    size_t at[3] = {0, 0, 0};
    const int read = harness_coordinates(psg_last_error(), at);
    CHECK(read == 3 ? at[0] == 4 && at[1] == 2 && at[2] == 7
                    : finite && !strstr(psg_last_error(), "is finite"),
          "the words: %s", psg_last_error());
}

/** A bad slab in one process fails its own solve in all, and no later one, also where f is
 * overwritten while the solve is on its way: then the words do not say of the first what is true of
 * the second. */
static void bad_slab(problem *x, slabs *s, double value) {
    FREED double *bad = oracle_array(POINTS);
    memcpy(bad, x->f, POINTS * sizeof *bad);
    bad[(7 * NY + 2) * NX + 4] = value;
    on_each(s, &fill_codelet, s->f, bad);
    CHECK_STATUS(psg_submit_slabs(x->plan), PSG_OK);
    CHECK_STATUS(psg_wait(x->plan), PSG_ERR_DATA);
    names_the_place(0);
    for (int beside = 0; beside < 2; ++beside) {
        if (beside) {
            on_each(s, &fill_codelet, s->f, bad);
            CHECK_STATUS(psg_submit_slabs(x->plan), PSG_OK);
        }
        on_each(s, &fill_codelet, s->f, x->f);
        CHECK_STATUS(psg_submit_slabs(x->plan), PSG_OK);
        on_each(s, &read_codelet, s->u, x->got);
        if (beside) {
            CHECK_STATUS(psg_wait(x->plan), PSG_ERR_DATA);
            names_the_place(1);
        }
        CHECK_STATUS(psg_wait(x->plan), PSG_OK);
        starpu_task_wait_for_all();
        check_own(x, s, x->got, x->want, "the solve behind a bad one");
    }
}

/** Slabs and the caller's arrays in the same plan. */
static void mixed(problem *x, slabs *s) {
    on_each(s, &fill_codelet, s->f, x->f);
    share_take(&x->part, x->f);
    CHECK_STATUS(psg_submit_slabs(x->plan), PSG_OK);
    CHECK_STATUS(psg_submit(x->plan, x->part.f, x->part.u), PSG_OK);
    on_each(s, &read_codelet, s->u, x->got);
    CHECK_STATUS(psg_wait(x->plan), PSG_OK);
    CHECK_STATUS(psg_wait(x->plan), PSG_OK);
    starpu_task_wait_for_all();
    check_own(x, s, x->got, x->want, "slabs beside arrays");
    problem_check(x, &x->part, 1e-12, 1e-4, "arrays beside slabs");
}

static void one_plan(size_t n) {
    static const unsigned in_flight[] = {1, 2, 4};
    AT_END(problem_free) problem x = problem_make(&box, n / 3);
    slabs s, again;
    x.options.in_flight = in_flight[n % 3];
    x.options.segment_planes = RANKS_MPI ? 2 : 4;
    x.options.sheets = 3;
    x.options.mean = n % 4 == 1 ? PSG_MEAN_ERROR : PSG_MEAN_DROP;
    x.options.mean_tolerance = 0.9; /* looks at the mean, and takes any */
    problem_plan(&x);
    CHECK_STATUS(psg_submit_slabs(x.plan), PSG_ERR_STATE);
    if (get_slabs(x.plan, &s, x.options.precision) &&
        get_slabs(x.plan, &again, x.options.precision)) {
        CHECK(memcmp(s.f, again.f, sizeof s.f) == 0, "the second call made other handles");
        CHECK_STATUS(psg_plan_slab_handles(x.plan, NULL, NULL, NULL), PSG_OK);
        series(&x, &s);
        bad_slab(&x, &s, n % 2 ? NAN : INFINITY);
        mixed(&x, &s);
    }
}

/** Between processes the program has started StarPU; of one process the plans do. */
int main(int argc, char **argv) {
    struct starpu_conf conf;
    ranks_start(&argc, &argv);
    world = MPI_COMM_WORLD;
    const psg_options options = ranks_options(PSG_F64, NULL);
    starpu_conf_init(&conf);
    conf.ncpus = options.gpus > 0 ? 1 : options.cpus; /* the program's tasks run on a core */
    conf.ncuda = options.gpus;
    conf.nopencl = 0;
    if (!RANKS_MPI || CHECK(starpu_init(&conf) == 0, "StarPU does not start")) {
        for (size_t n = 0; n < 3 * PROBLEM_RUNS; ++n) {
            if (ranks_takes(n)) {
                one_plan(n);
            }
        }
        if (RANKS_MPI) {
            starpu_shutdown();
        }
    }
    return ranks_finish(check_result());
}
