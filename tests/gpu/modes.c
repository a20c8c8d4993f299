/* Modes of f and of u in a GPU's memory: wherever f, u and their modes are, a solve gives what it
 * gives in main memory; the caller's stream is waited for, and what a GPU cannot use is refused
 * with words. With PSG_TEST_GPUS GPUs. */
#include "graph/psg_modes.h"
#include "tests/check.h"
#include "tests/harness.h"

#include <cuda_runtime_api.h>

#include <complex.h>
#include <string.h>

enum { NX = 12, NY = 10, NZ = 9, ROW = NX / 2 + 1 };
enum { POINTS = NX * NY * NZ, REALS = 2 * ROW * NY * NZ };
enum { F, U, F_MODES, U_MODES, ARRAYS };

/** Numbers in main memory, and room for them on GPU 0. */
typedef struct both {
    double *host, *gpu_d;
    size_t bytes;
} both;

static both make_both(size_t reals) {
    both b = {.host = oracle_array(reals), .bytes = reals * sizeof(double)};
    CHECK(cudaSetDevice(0) == cudaSuccess && cudaMalloc((void **)&b.gpu_d, b.bytes) == cudaSuccess,
          "no memory on GPU 0");
    return b;
}

static void free_both(both *b) {
    free(b->host);
    (void)cudaFree(b->gpu_d);
}

static void copy(void *to, const void *from, size_t bytes) {
    CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDefault) == cudaSuccess, "a copy failed");
}

typedef struct setting {
    psg_plan *plan;
    both have[ARRAYS];
    double want[ARRAYS][REALS]; /* in main memory alone */
} setting;

static psg_array view(const setting *s, int which, unsigned on_gpu) {
    const both *b = &s->have[which];
    return harness_view((on_gpu >> which & 1) != 0 ? b->gpu_d : b->host);
}

static const psg_array *given(const psg_array at[ARRAYS], int which, int wanted) {
    return wanted ? &at[which] : NULL;
}

/** A solve from f or its modes to u, its modes or both. Bit m of `on_gpu`: array m is on GPU 0. */
static void solve(setting *s, int from_modes, int to, unsigned on_gpu, const char *options) {
    psg_array at[ARRAYS];
    psg_solve_args args = harness_args(s->plan);
    for (int m = 0; m < ARRAYS; ++m) {
        at[m] = view(s, m, on_gpu);
        at[m].device = PSG_ASK;
        memcpy(s->have[m].host, s->want[m], s->have[m].bytes);
        if (m == U || m == U_MODES) {
            memset(s->have[m].host, 0, s->have[m].bytes);
        }
        copy(s->have[m].gpu_d, s->have[m].host, s->have[m].bytes);
    }
    (void)cudaDeviceSynchronize();
    args.f_modes = given(at, F_MODES, from_modes);
    args.u_modes = given(at, U_MODES, to & 2);
    CHECK_STATUS(
        psg_solve_arrays(s->plan, 1, given(at, F, !from_modes), given(at, U, to & 1), &args),
        PSG_OK);
    for (int m = U; m < ARRAYS; m += 2) {
        if ((to & (m == U ? 1 : 2)) != 0) {
            copy(s->have[m].host, at[m].data, s->have[m].bytes);
            CHECK_CLOSE(s->have[m].host, s->want[m], s->have[m].bytes / sizeof(double), 1, 1, 1e-13,
                        "%s, %s from %s, on the GPU %x, %s", m == U ? "u" : "modes",
                        to == 3 ? "both" : "one", from_modes ? "modes" : "f", on_gpu, options);
        }
    }
}

/** By the definition, [NZ][NY][ROW]. */
static void transform(const double *f, double *modes) {
    const double turn = -2 * acos(-1);
    for (size_t m = 0; m < ROW * NY * NZ; ++m) {
        const double k[3] = {(double)(m % ROW) / NX, (double)(m / ROW % NY) / NY,
                             (double)(m / ROW / NY) / NZ};
        double complex sum = 0;
        for (size_t p = 0; p < POINTS; ++p) {
            const size_t at[3] = {p % NX, p / NX % NY, p / NX / NY};
            sum +=
                f[p] * cexp(I * turn *
                            (k[0] * (double)at[0] + k[1] * (double)at[1] + k[2] * (double)at[2]));
        }
        modes[2 * m] = creal(sum);
        modes[2 * m + 1] = cimag(sum);
    }
}

static void make(setting *s, const char *options) {
    const psg_grid grid = harness_box(NX, NY, NZ, 1, 1.2, 0.9);
    const psg_options chosen = harness_with(PSG_F64, options);
    memset(s, 0, sizeof *s);
    s->plan = harness_plan(&grid, &chosen);
    for (int m = 0; m < ARRAYS; ++m) {
        s->have[m] = make_both(m >= F_MODES ? REALS : POINTS);
    }
    oracle_random(3, POINTS, s->want[F]);
    CHECK_STATUS(psg_solve(s->plan, s->want[F], s->want[U]), PSG_OK);
    transform(s->want[F], s->want[F_MODES]);
    transform(s->want[U], s->want[U_MODES]);
}

static void destroy(setting *s) {
    psg_plan_destroy(s->plan);
    for (int m = 0; m < ARRAYS; ++m) {
        free_both(&s->have[m]);
    }
}

static void everywhere(const char *options) {
    static setting s;
    make(&s, options);
    for (unsigned on_gpu = 0; on_gpu < 1u << ARRAYS; ++on_gpu) {
        for (int to = 1; to <= 3; ++to) {
            for (int round = 0; round < 2; ++round) { /* the second has the handles of the first */
                solve(&s, 0, to, on_gpu, options);
                solve(&s, 1, to, on_gpu, options);
            }
        }
    }
    destroy(&s);
}

/** f_modes and u_modes are one array, which a stream of the caller's fills. */
static void in_place(void) {
    static setting s;
    cudaStream_t stream;
    make(&s, "");
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess, "no stream");
    for (int round = 0; round < 4; ++round) {
        both *hat = &s.have[F_MODES];
        psg_array at = harness_view(hat->gpu_d);
        psg_solve_args args = harness_args(s.plan);
        at.device = 0;
        at.stream = stream;
        args.f_modes = args.u_modes = &at;
        (void)cudaMemsetAsync(hat->gpu_d, 255, hat->bytes, stream);
        (void)cudaMemcpyAsync(hat->gpu_d, s.want[F_MODES], hat->bytes, cudaMemcpyDefault, stream);
        CHECK_STATUS(psg_submit_arrays(s.plan, 1, NULL, NULL, &args), PSG_OK);
        (void)cudaMemcpyAsync(hat->host, hat->gpu_d, hat->bytes, cudaMemcpyDefault, stream);
        CHECK_STATUS(psg_wait(s.plan), PSG_OK);
        CHECK(cudaStreamSynchronize(stream) == cudaSuccess, "the stream failed");
        CHECK_CLOSE(hat->host, s.want[U_MODES], REALS, 1, 1, 1e-13, "in place, round %d", round);
    }
    (void)cudaStreamDestroy(stream);
    destroy(&s);
}

static void words(void) {
    static setting s;
    make(&s, "");
    psg_array hat = harness_view(s.have[F_MODES].gpu_d), u = view(&s, U, 1u << U);
    psg_solve_args args = harness_args(s.plan);
    hat.device = u.device = PSG_ASK;
    args.f_modes = &hat;
    hat.data = s.have[F_MODES].gpu_d + 1;
    CHECK_SAYS(psg_solve_arrays(s.plan, 1, NULL, &u, &args), PSG_ERR_ARG,
               "f_modes is on GPU 0 and not aligned for a complex number of 16 bytes");
    hat.data = s.have[F_MODES].gpu_d + 2;
    CHECK_SAYS(psg_solve_arrays(s.plan, 1, NULL, &u, &args), PSG_ERR_ARG,
               "f_modes ends 16 bytes past its allocation on GPU 0");
    hat.data = s.have[F_MODES].gpu_d;
    hat.device = PSG_HOST;
    CHECK_SAYS(psg_solve_arrays(s.plan, 1, NULL, &u, &args), PSG_ERR_ARG,
               "f_modes is said to be in main memory and is on GPU 0");
    hat.device = PSG_ASK;
    for (int round = 0; round < 2; ++round) {
        copy(hat.data, s.want[F_MODES], s.have[F_MODES].bytes);
        copy((double *)hat.data + 2 * (1 + ROW * (2 + NY * 3)), &(double){NAN}, sizeof(double));
        CHECK_SAYS(psg_solve_arrays(s.plan, 1, NULL, &u, &args), PSG_ERR_DATA,
                   "f_modes is NaN or Inf at mode (kx,ky,kz) = (1,2,3)");
        copy(hat.data, s.want[F_MODES], s.have[F_MODES].bytes);
        CHECK_STATUS(psg_solve_arrays(s.plan, 1, NULL, &u, &args), PSG_OK);
        copy(s.have[U].host, u.data, s.have[U].bytes);
        CHECK_CLOSE(s.have[U].host, s.want[U], NX, NY, NZ, 1e-13, "after a NaN");
    }
    destroy(&s);
}

int main(void) {
    everywhere("");
    everywhere("executor=tasks cpus=0");
    everywhere("placement=free policy=random");
    in_place();
    words();
    return check_result();
}
