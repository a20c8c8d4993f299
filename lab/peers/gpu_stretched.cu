/* A stretched z between Dirichlet sides: psg between arrays that stay on one GPU, beside cuFFT
 * along x and y with Thomas' algorithm along z, in turns, and psg's periodic solve of as many
 * points.
 *
 *   bench_gpus stretched [--f32] [--stretch S] N|NXxNYxNZ ...
 *
 * By hand is what flow solvers write (CaNS, for one): real transforms of all planes, out of
 * place, and a thread for each column, which goes down and up with its pivots in an array of
 * their own. --stretch: of faces tanh(S s); default 2; 0: uniform. A line for each grid: ms of
 * all three, both ratios, and the largest difference of u over the largest u. */
#include "lab/peers/cufft.cuh"
#include "lab/peers/gpus.h"

#include <memory>

namespace {

enum { THREADS = 128 };

/// The matrix of cells, [nz] each: below, above, on sides; eigenvalues along x and y.
template <class real> struct matrix {
    const real *below, *above, *sides, *along_x, *along_y;
    size_t row, rows, nz;
    real scale;
};

/// mode[nz][rows][row], complex; pivot[nz][rows][row].
template <class real> __global__ void columns(matrix<real> a, real *mode, real *pivot) {
    const size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x, j = blockIdx.y;
    if (i >= a.row)
        return;
    const size_t plane = a.rows * a.row, first = j * a.row + i;
    const real others = a.along_x[i] + a.along_y[j];
    real above = 0, re = 0, im = 0;
    for (size_t k = 0; k < a.nz; k++) {
        const size_t m = first + k * plane;
        const real low = a.below[k];
        const real over = 1 / (-low - a.above[k] - a.sides[k] - others - low * above);
        above = a.above[k] * over;
        re = (a.scale * mode[2 * m] - low * re) * over;
        im = (a.scale * mode[2 * m + 1] - low * im) * over;
        pivot[m] = above;
        mode[2 * m] = re;
        mode[2 * m + 1] = im;
    }
    for (size_t k = a.nz - 1; k-- > 0;) {
        const size_t m = first + k * plane;
        re = mode[2 * m] - pivot[m] * re;
        im = mode[2 * m + 1] - pivot[m] * im;
        mode[2 * m] = re;
        mode[2 * m + 1] = im;
    }
}

template <class real> struct by_hand : bench_door<real> {
    size_t n[3], row;
    bench_buffer f, u, spectrum, pivots, tables;
    matrix<real> cells;
    cufftHandle there = 0, back = 0;

    by_hand(const size_t extent[3], const double *length, const std::vector<double> &faces)
        : bench_door<real>("cufft"), n{extent[0], extent[1], extent[2]}, row(n[0] / 2 + 1),
          f(n[0] * n[1] * n[2] * sizeof(real)), u(n[0] * n[1] * n[2] * sizeof(real)),
          spectrum(2 * row * n[1] * n[2] * sizeof(real)), pivots(row * n[1] * n[2] * sizeof(real)),
          tables((3 * n[2] + row + n[1]) * sizeof(real)) {
        make_matrix(length, faces);
        int sizes[2] = {(int)n[1], (int)n[0]};
        const int plane = sizes[0] * sizes[1], modes = (int)row * sizes[0];
        BENCH_CUFFT(cufftPlanMany(&there, 2, sizes, nullptr, 1, plane, nullptr, 1, modes,
                                  bench_cufft_types<real>::r2c, (int)n[2]));
        BENCH_CUFFT(cufftPlanMany(&back, 2, sizes, nullptr, 1, modes, nullptr, 1, plane,
                                  bench_cufft_types<real>::c2r, (int)n[2]));
        bench_fill(bench_field<real>{{0, static_cast<real *>(f.p), 0, n[2], n[0]}}, n);
        bench_synchronize(1);
    }
    ~by_hand() override {
        cufftDestroy(there);
        cufftDestroy(back);
    }
    void make_matrix(const double *length, const std::vector<double> &faces) {
        const double pi = 3.14159265358979323846;
        const size_t nz = n[2];
        std::vector<real> all(3 * nz + row + n[1], 0);
        for (size_t k = 0; k < nz; k++) {
            const double *z = faces.data() + k, width = z[1] - z[0];
            all[k] = k > 0 ? (real)(2 / (width * (z[1] - z[-1]))) : 0;
            all[nz + k] = k + 1 < nz ? (real)(2 / (width * (z[2] - z[0]))) : 0;
            all[2 * nz + k] = (real)(((k == 0) + (k + 1 == nz)) * 2 / (width * width));
        }
        for (size_t m = 0; m < row + n[1]; m++) {
            const int d = m >= row;
            const double h = length[d] / (double)n[d];
            const double s = 2 / h * sin(pi * (double)(m - (d ? row : 0)) / (double)n[d]);
            all[3 * nz + m] = (real)(s * s);
        }
        BENCH_CUDA(
            cudaMemcpy(tables.p, all.data(), all.size() * sizeof(real), cudaMemcpyHostToDevice));
        const real *at = static_cast<real *>(tables.p);
        cells = {at,
                 at + nz,
                 at + 2 * nz,
                 at + 3 * nz,
                 at + 3 * nz + row,
                 row,
                 n[1],
                 nz,
                 (real)(1 / ((double)n[0] * (double)n[1]))};
    }
    void solve() override {
        BENCH_CUFFT(cufftXtExec(there, f.p, spectrum.p, CUFFT_FORWARD));
        columns<real><<<dim3((unsigned)((row + THREADS - 1) / THREADS), (unsigned)n[1]), THREADS>>>(
            cells, static_cast<real *>(spectrum.p), static_cast<real *>(pivots.p));
        BENCH_CUDA(cudaGetLastError());
        BENCH_CUFFT(cufftXtExec(back, spectrum.p, u.p, CUFFT_INVERSE));
        bench_synchronize(1);
    }
    void look(const std::function<void(const bench_field<real> &)> &at) override {
        at({{0, static_cast<real *>(u.p), 0, n[2], n[0]}});
    }
};

template <class real>
void measure(const size_t n[3], const psg_options &options, double stretch,
             const bench_settings &settings) {
    char why[128];
    const double points = (double)(n[0] * n[1] * n[2]), length[3] = {6, 3, 2};
    if (!bench_fits(sizeof(real) * 14 * points, bench_gpu_memory(&settings, 0.95), why)) {
        printf("%zux%zux%zu: left out: %s\n", n[0], n[1], n[2], why);
        return;
    }
    std::vector<double> faces(n[2] + 1);
    for (size_t k = 0; k <= n[2]; k++) {
        const double s = 2 * (double)k / (double)n[2] - 1;
        faces[k] = length[2] / 2 * (1 + (stretch > 0 ? tanh(stretch * s) / tanh(stretch) : s));
    }
    psg_grid grid;
    psg_plan *stretched = nullptr, *periodic = nullptr;
    psg_grid_init(&grid, n[0], n[1], n[2], length[0], length[1], length[2]);
    bench_must_psg(psg_plan_create(&periodic, &grid, &options));
    grid.axis[2].bc[0] = grid.axis[2].bc[1] = PSG_BC_DIRICHLET;
    grid.axis[2].faces = faces.data();
    bench_must_psg(psg_plan_create(&stretched, &grid, &options));
    {
        by_hand<real> hand(n, length, faces);
        bench_resident<real> psg("psg", stretched, n, 1);
        bench_resident<real> round("periodic", periodic, n, 1);
        bench_job jobs[3] = {hand.job(), psg.job(), round.job()};
        double off = 0;
        for (const bench_job &job : jobs)
            (void)bench_time(&job);
        hand.look([&](const bench_field<real> &theirs) {
            psg.look(
                [&](const bench_field<real> &ours) { off = bench_difference(ours, &theirs, n); });
        });
        bench_interleave(jobs, 3, &settings);
        const double times[3] = {jobs[0].times.median, jobs[1].times.median, jobs[2].times.median};
        printf("%zux%zux%zu %s stretched z: cuFFT and Thomas %.3f ms, psg %.3f ms, cuFFT/psg %.2f, "
               "psg/periodic %.2f, difference %.1e%s\n",
               n[0], n[1], n[2], sizeof(real) == 8 ? "f64" : "f32", 1e3 * times[0], 1e3 * times[1],
               times[0] / times[1], times[1] / times[2], off,
               off < (sizeof(real) == 8 ? 1e-10 : 1e-2) ? "" : " WRONG");
        fflush(stdout);
    }
    psg_plan_destroy(stretched);
    psg_plan_destroy(periodic);
}

} // namespace

int bench_stretched_gpu(int argc, char **argv, const void *unused) {
    bench_settings settings = {11, 3, 1, 0, 0, 0, 0};
    psg_options options;
    int f32 = 0;
    double stretch = 2;
    (void)unused;
    psg_options_init(&options);
    options.tuned = 0; /* the default is the default */
    options.gpus = 1;
    options.symbol = PSG_SYMBOL_FD2;
    const bench_option own[] = {{"f32", BENCH_FLAG, &f32, nullptr},
                                {"stretch", BENCH_REAL, &stretch, nullptr},
                                {nullptr, BENCH_FLAG, nullptr, nullptr}};
    const int first = bench_arguments(argc, argv, own, "N|NXxNYxNZ ...", &settings);
    (void)bench_gpus();
    options.precision = f32 ? PSG_F32 : PSG_F64;
    for (int m = first; m < argc; m++) {
        size_t n[3];
        bench_read_grid(argv[m], n);
        if (f32)
            measure<float>(n, options, stretch, settings);
        else
            measure<double>(n, options, stretch, settings);
    }
    return 0;
}
