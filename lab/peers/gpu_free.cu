/* Three free axes: psg between arrays that stay on one GPU, beside cuFFT by hand, in turns.
 *
 *   bench_gpus free [--f32] [--symbol fd2] N|NXxNYxNZ ...
 *
 * cuFFT transforms a grid of twice as many points along each axis, as a careful user does: real
 * transforms in place, a kernel transformed before, f's planes alone along x and y, and u's planes
 * alone on the way back. The kernel is psg's own u of a charge at a corner, so that both answers
 * are the same, up to rounding. A line for each grid: ms of both, their ratio, and the largest
 * difference of u over the largest u. */
#include "lab/peers/cufft.cuh"
#include "lab/peers/gpus.h"

#include <memory>

namespace {

enum { THREADS = 256 };

struct extents {
    size_t n[3], row, plane; // complex numbers of a row and of a plane of the spectrum
};

/// Planes of reals [2 ny][2 row]: `to` gets from's points and zeros, or the other way round.
template <class real>
__global__ void move_planes(extents e, const real *from, real *spectrum, real *u) {
    const size_t row = 2 * e.row, rows = u ? e.n[1] : 2 * e.n[1];
    const size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x;
    for (size_t r = blockIdx.y; r < rows * e.n[2] && i < row; r += gridDim.y) {
        const size_t z = r / rows, y = r % rows;
        const bool there = i < e.n[0] && y < e.n[1];
        real *const at = spectrum + z * 2 * e.plane + y * row + i;
        const size_t point = (z * e.n[1] + y) * e.n[0] + i;
        if (u && there)
            u[point] = *at;
        else if (!u)
            *at = there ? from[point] : real(0);
    }
}

/// The octant of a kernel, mirrored: what is n points away no other point sees.
template <class real> __global__ void mirror(extents e, const real *octant, real *spectrum) {
    const size_t row = 2 * e.row, x = blockIdx.x * (size_t)THREADS + threadIdx.x;
    for (size_t r = blockIdx.y; r < 4 * e.n[1] * e.n[2] && x < row; r += gridDim.y) {
        const size_t at[3] = {x, r % (2 * e.n[1]), r / (2 * e.n[1])};
        size_t far[3];
        bool there = x < 2 * e.n[0];
        for (int d = 0; d < 3; d++) {
            far[d] = at[d] <= e.n[d] ? at[d] : 2 * e.n[d] - at[d];
            there = there && far[d] < e.n[d];
        }
        spectrum[r * row + x] =
            there ? octant[(far[2] * e.n[1] + far[1]) * e.n[0] + far[0]] : real(0);
    }
}

template <class real>
__global__ void take_real(size_t count, const real *spectrum, real *kernel, real scale) {
    for (size_t m = blockIdx.x * (size_t)THREADS + threadIdx.x; m < count;
         m += (size_t)gridDim.x * THREADS)
        kernel[m] = scale * spectrum[2 * m];
}

template <class real> __global__ void multiply(size_t count, real *spectrum, const real *kernel) {
    for (size_t m = blockIdx.x * (size_t)THREADS + threadIdx.x; m < count;
         m += (size_t)gridDim.x * THREADS) {
        const real by = kernel[m];
        spectrum[2 * m] *= by;
        spectrum[2 * m + 1] *= by;
    }
}

template <class real> struct by_hand : bench_door<real> {
    static constexpr bool f64 = sizeof(real) == 8;
    extents e;
    size_t modes;
    bench_buffer f, u, kernel, spectrum;
    cufftHandle there = 0, back = 0, lines = 0;

    static size_t modes_of(const size_t n[3]) {
        return 4 * n[1] * n[2] * (n[0] + 1);
    }
    by_hand(psg_plan *plan, const size_t n[3])
        : bench_door<real>("cufft"), e{{n[0], n[1], n[2]}, n[0] + 1, 2 * n[1] * (n[0] + 1)},
          modes(modes_of(n)), f(n[0] * n[1] * n[2] * sizeof(real)),
          u(n[0] * n[1] * n[2] * sizeof(real)), kernel(modes * sizeof(real)),
          spectrum(2 * modes * sizeof(real)) {
        make_kernel(plan);
        int two[2] = {2 * (int)n[1], 2 * (int)n[0]}, nz = 2 * (int)n[2];
        int reals[2] = {two[0], 2 * (int)e.row}, numbers[2] = {two[0], (int)e.row};
        const int plane = (int)e.plane;
        BENCH_CUFFT(cufftPlanMany(&there, 2, two, reals, 1, 2 * plane, numbers, 1, plane,
                                  bench_cufft_types<real>::r2c, (int)n[2]));
        BENCH_CUFFT(cufftPlanMany(&back, 2, two, numbers, 1, plane, reals, 1, 2 * plane,
                                  bench_cufft_types<real>::c2r, (int)n[2]));
        BENCH_CUFFT(cufftPlanMany(&lines, 1, &nz, &nz, plane, 1, &nz, plane, 1,
                                  f64 ? CUFFT_Z2Z : CUFFT_C2C, plane));
        bench_fill(bench_field<real>{{0, static_cast<real *>(f.p), 0, n[2], n[0]}}, n);
        bench_synchronize(1);
    }
    ~by_hand() override {
        cufftDestroy(there);
        cufftDestroy(back);
        cufftDestroy(lines);
    }
    dim3 grid(size_t rows) const {
        return dim3((unsigned)((2 * e.row + THREADS - 1) / THREADS),
                    (unsigned)std::min<size_t>(rows, 65535));
    }
    real *reals() const {
        return static_cast<real *>(spectrum.p);
    }
    void make_kernel(psg_plan *plan) {
        const size_t points = e.n[0] * e.n[1] * e.n[2];
        std::vector<real> charge(points), answer(points);
        charge[0] = 1;
        bench_must_psg(psg_solve(plan, charge.data(), answer.data()));
        BENCH_CUDA(cudaMemcpy(u.p, answer.data(), points * sizeof(real), cudaMemcpyHostToDevice));
        mirror<real><<<grid(4 * e.n[1] * e.n[2]), THREADS>>>(e, static_cast<real *>(u.p), reals());
        cufftHandle all;
        int sizes[3] = {2 * (int)e.n[2], 2 * (int)e.n[1], 2 * (int)e.n[0]};
        BENCH_CUFFT(cufftPlanMany(&all, 3, sizes, nullptr, 1, 0, nullptr, 1, 0,
                                  bench_cufft_types<real>::r2c, 1));
        BENCH_CUFFT(cufftXtExec(all, spectrum.p, spectrum.p, CUFFT_FORWARD));
        take_real<real><<<4096, THREADS>>>(modes, reals(), static_cast<real *>(kernel.p),
                                           (real)(1 / (8 * (double)points)));
        bench_synchronize(1);
        BENCH_CUFFT(cufftDestroy(all));
    }
    void solve() override {
        const size_t half = e.plane * e.n[2];
        move_planes<real>
            <<<grid(2 * e.n[1] * e.n[2]), THREADS>>>(e, static_cast<real *>(f.p), reals(), nullptr);
        BENCH_CUDA(cudaMemsetAsync(reals() + 2 * half, 0, 2 * half * sizeof(real)));
        BENCH_CUFFT(cufftXtExec(there, spectrum.p, spectrum.p, CUFFT_FORWARD));
        BENCH_CUFFT(cufftXtExec(lines, spectrum.p, spectrum.p, CUFFT_FORWARD));
        multiply<real><<<4096, THREADS>>>(modes, reals(), static_cast<real *>(kernel.p));
        BENCH_CUFFT(cufftXtExec(lines, spectrum.p, spectrum.p, CUFFT_INVERSE));
        BENCH_CUFFT(cufftXtExec(back, spectrum.p, spectrum.p, CUFFT_INVERSE));
        move_planes<real>
            <<<grid(e.n[1] * e.n[2]), THREADS>>>(e, nullptr, reals(), static_cast<real *>(u.p));
        BENCH_CUDA(cudaGetLastError());
        bench_synchronize(1);
    }
    void look(const std::function<void(const bench_field<real> &)> &at) override {
        at({{0, static_cast<real *>(u.p), 0, e.n[2], e.n[0]}});
    }
};

template <class real>
void measure(const size_t n[3], const psg_options &options, const bench_settings &settings) {
    char why[128];
    const double points = (double)(n[0] * n[1] * n[2]), modes = (double)by_hand<real>::modes_of(n);
    if (!bench_fits(sizeof(real) * (5 * modes + 10 * points), bench_gpu_memory(&settings, 0.95),
                    why)) {
        printf("%zux%zux%zu: left out: %s\n", n[0], n[1], n[2], why);
        return;
    }
    psg_plan *plan = bench_plan(n, "FF,FF,FF", &options);
    {
        by_hand<real> hand(plan, n);
        bench_resident<real> psg("psg", plan, n, 1);
        bench_job jobs[2] = {hand.job(), psg.job()};
        double off = 0;
        for (const bench_job &job : jobs)
            (void)bench_time(&job);
        hand.look([&](const bench_field<real> &theirs) {
            psg.look(
                [&](const bench_field<real> &ours) { off = bench_difference(ours, &theirs, n); });
        });
        bench_interleave(jobs, 2, &settings);
        const double times[2] = {jobs[0].times.median, jobs[1].times.median};
        printf("%zux%zux%zu %s three free axes: cuFFT %.3f ms, psg %.3f ms, cuFFT/psg %.2f, "
               "difference %.1e%s\n",
               n[0], n[1], n[2], sizeof(real) == 8 ? "f64" : "f32", 1e3 * times[0], 1e3 * times[1],
               times[0] / times[1], off, off < (sizeof(real) == 8 ? 1e-12 : 1e-4) ? "" : " WRONG");
        fflush(stdout);
    }
    psg_plan_destroy(plan);
}

} // namespace

int bench_free_gpu(int argc, char **argv, const void *unused) {
    bench_settings settings = {11, 3, 1, 0, 0, 0, 0};
    psg_options options;
    int f32 = 0;
    (void)unused;
    psg_options_init(&options);
    options.tuned = 0; /* the default is the default */
    options.gpus = 1;
    const bench_option own[] = {{"f32", BENCH_FLAG, &f32, nullptr},
                                {"symbol", BENCH_SOLVER, &options, "symbol"},
                                {nullptr, BENCH_FLAG, nullptr, nullptr}};
    const int first = bench_arguments(argc, argv, own, "N|NXxNYxNZ ...", &settings);
    (void)bench_gpus();
    options.precision = f32 ? PSG_F32 : PSG_F64;
    for (int m = first; m < argc; m++) {
        size_t n[3];
        bench_read_grid(argv[m], n);
        if (f32)
            measure<float>(n, options, settings);
        else
            measure<double>(n, options, settings);
    }
    return 0;
}
