// What the tests of the kernels of a free z, and of those with a table of factors, solve, with the
// answer of a core's kspace.
#ifndef PSG_TESTS_FREE_PROBLEM_CUH
#define PSG_TESTS_FREE_PROBLEM_CUH

#include "cpu/ops.h"
#include "cpu/symbol.h"
#include "kernels/complex.cuh"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace psg_cuda {

static int failures = 0;
static double worst_f64 = 0, worst_f32 = 0; // errors relative to the largest number of a column

static double uniform() {
    return 2.0 * rand() / RAND_MAX - 1;
}

/// What is solved.
struct equation {
    psg_cuda_free free;
    double lambda;
    bool pairs;
    bool table = false;    // of factors, of rows of a Green's function
    bool periodic = false; // z; with a table alone
    bool derives = false;  // the answer is a derivative; of a z without a wall, not of pairs
};

template <class Real> static const psg_cpu_ops &core() {
    return sizeof(Real) == 8 ? psg_cpu_ops_f64 : psg_cpu_ops_f32;
}

/// A sheet of dense planes, and its answer.
template <class Real> struct free_problem {
    using Complex = complex_t<Real>;
    const equation e;
    const uint32_t n, nxc, rows, columns;
    std::vector<Real> ex, ey, ez;
    std::vector<Complex> f, answer; // [n][columns]
    // The last row of the sheet is that of the row before the last but one.
    const uint32_t row0 = e.table ? n % 4 : 0;
    const size_t modes[3] = {e.pairs ? 2 * nxc - 1 : nxc, row0 + rows - 1, n + !e.periodic};
    std::vector<Real> values; // of the table, from row0 on
    std::vector<Real> waves;  // of the derivative, like ez
    Complex mode0{}, mode0_wanted{};

    free_problem(const equation &e_, uint32_t n_, uint32_t nxc_, uint32_t rows_)
        : e(e_), n(n_), nxc(nxc_), rows(rows_), columns(nxc_ * rows_), ex(nxc_ * (1 + e_.pairs)),
          ey(rows_), ez(2 * n_), f((size_t)n_ * columns) {
        for (auto *table : {&ex, &ey})
            for (size_t i = 0; i < table->size(); i++)
                (*table)[i] = i == 0 ? Real(0) : Real(-1.5 - uniform());
        for (size_t m = 0; m < 2 * n; m++) {
            const double waves = psg_symbol_waves(2 * (m % n) + m / n, 2 * n) / 2;
            ez[m] = (Real)(m == 0 ? 0
                                  : psg_symbol_eigenvalue(&psg_symbol_rows[e.free.stencil], waves,
                                                          n, e.free.length));
        }
        for (Complex &v : f)
            v = {Real(uniform()), Real(uniform())};
        for (size_t m = 0; m < 2 * n && e.derives; m++)
            waves.push_back(Real(1.5 + uniform())); // else sums cancel
        values.resize(e.table ? (rows - 1) * modes[2] * modes[0] : 0);
        for (Real &v : values)
            v = Real(uniform());
        solve();
    }
    double scale() const {
        return 1.5 / (2.0 * n);
    }
    psg_cuda_table table(const void *values_d) const {
        return {e.table ? values_d : nullptr, {modes[0], modes[1], modes[2]}, row0, row0};
    }
    psg_cuda_r2r kind() const {
        return !e.table     ? (e.pairs ? PSG_CUDA_FREE_PAIRS : PSG_CUDA_FREE)
               : e.periodic ? PSG_CUDA_TABLE_DFT
               : e.pairs    ? PSG_CUDA_TABLE_PAIRS
                            : PSG_CUDA_TABLE_FREE;
    }
    void solve() {
        psg_cpu_fft_spec spec{};
        spec.nx = e.pairs ? 2 * nxc : nxc > 1 ? 2 * (nxc - 1) : 1;
        spec.ny = rows;
        spec.nz = n;
        spec.effort = PSG_CPU_ESTIMATE;
        spec.kind[0][0] = spec.kind[0][1] = e.pairs ? PSG_TRANSFORM_COS4 : PSG_TRANSFORM_PERIODIC;
        spec.kind[2][0] = spec.kind[2][1] =
            e.periodic ? PSG_TRANSFORM_PERIODIC : PSG_TRANSFORM_FREE;
        psg_cpu_fft *fft = core<Real>().fft_create(&spec);
        void *scratch =
            fft ? aligned_alloc(64, core<Real>().fft_scratch_bytes(fft) / 64 * 64 + 64) : nullptr;
        if (!scratch) {
            printf("FAIL no transform of %u points on a core\n", n);
            exit(1);
        }
        const psg_cpu_free z = {e.free.length, e.free.stencil, {e.free.wall[0], e.free.wall[1]}};
        const psg_cpu_table green = {
            {modes[0], modes[1], modes[2]}, {0, 0}, row0, values.data(), nullptr};
        std::vector<Complex> complex_waves;
        for (Real w : waves)
            complex_waves.push_back({w, Real(0)});
        const psg_cpu_divide divide = {{ex.data(), ey.data(), ez.data()},
                                       e.pairs,
                                       e.lambda,
                                       scale(),
                                       e.periodic ? nullptr : &z,
                                       e.table ? &green : nullptr,
                                       nullptr,
                                       complex_waves.data()};
        answer = f;
        const psg_cpu_piece piece = {answer.data(), columns, n};
        const psg_cpu_sheet sheet = {1,   &piece,     e.derives ? &piece : nullptr,
                                     nxc, row0 * nxc, rows * nxc};
        for (uint32_t k = 0; k < n; k++) // which a core finds in the first sheet alone
            mode0_wanted = mode0_wanted + f[k * columns];
        core<Real>().kspace(fft, &divide, &sheet, scratch, &mode0_wanted);
        free(scratch);
        core<Real>().fft_destroy(fft);
    }
    /// at(z, c): number c of plane z of u.
    template <class At> void check(const char *what, At at) {
        // The charge and its moment are taken from the lower end, so an upper wall has more to take
        // away: n = 1000 has 2.5e-14 at most in 150 draws of f, and 5e-15 without one.
        const double wall = e.free.wall[1] ? 2 : 1;
        const double unit = sizeof(Real) == 8 ? 1e-15 : 6e-7;
        double *record = sizeof(Real) == 8 ? &worst_f64 : &worst_f32;
        double worst = 0;
        for (uint32_t c = 0; c < columns; c++) {
            double most = 1e-30, off = 0;
            for (uint32_t z = 0; z < n; z++) {
                const Complex want = answer[(size_t)z * columns + c], got = at(z, c);
                most = fmax(most, fmax(fabs(want.x), fabs(want.y)));
                const double d = fabs(got.x - want.x) + fabs(got.y - want.y);
                off = d > off || std::isnan(d) ? d : off;
            }
            worst = off / most > worst || std::isnan(off) ? off / most : worst;
        }
        *record = fmax(*record, worst);
        const double off = fabs(mode0.x - mode0_wanted.x) + fabs(mode0.y - mode0_wanted.y);
        if (!(worst <= unit * (4 + log2(n)) * wall) || !(off <= unit * 8 * n)) {
            printf("FAIL f%zu %s, n = %u, walls %d %d, %s, lambda %g, %s%s%s: error %.2e, mode 0 "
                   "off by %.2e\n",
                   8 * sizeof(Real), what, n, e.free.wall[0], e.free.wall[1],
                   e.free.stencil ? "fd2" : "spectral", e.lambda, e.pairs ? "pairs" : "one mode",
                   !e.table     ? ""
                   : e.periodic ? ", table, z periodic"
                                : ", table",
                   e.derives ? ", derivative" : "", worst, off);
            failures++;
        }
    }
};

} // namespace psg_cuda
#endif
