// The fused z kernels of a z with a free end give the answer of a core's kspace on a GPU: every
// kernel of a length, one segment and two, rows that go elsewhere, several sheets in one call; and
// so do those with a table of factors.
#include "kernels/kspace.h"
#include "tests/kernels/check_cuda.h"
#include "tests/kernels/free_problem.cuh"

using namespace psg_cuda;

/// A plan of the problem on the GPU.
template <class Real> struct solver {
    using Complex = complex_t<Real>;
    free_problem<Real> &p;
    psg_cuda_kspace *plan = nullptr;
    const device_array<Real> ex, ey, ez, values, waves;
    const device_array<Complex> mode0;
    const psg_cuda_columns columns;
    const size_t pitch;

    solver(free_problem<Real> &p_, int variant)
        : p(p_), ex(p_.ex), ey(p_.ey), ez(p_.ez), values(p_.values), waves(p_.waves),
          mode0(2), columns{p_.rows, p_.nxc, 0}, pitch(p_.columns + 3) {
        const int code =
            psg_cuda_kspace_create(&plan, precision_of<Real>(), p.kind(), p.n, variant);
        if (code != cudaErrorNotSupported || variant == 0) // else it is too large for this device
            MUST(code);
    }
    ~solver() {
        psg_cuda_kspace_destroy(plan);
    }
    psg_cuda_symbol symbol() const {
        return {ex.data(),
                ey.data(),
                ez.data(),
                p.e.lambda,
                p.scale(),
                mode0.data(),
                nullptr,
                p.e.pairs,
                p.e.free,
                p.table(values.data()),
                p.e.derives ? waves.data() : nullptr};
    }
    std::vector<Complex> planes(size_t sheets) const {
        std::vector<Complex> host(sheets * p.n * pitch);
        for (size_t z = 0; z < sheets * p.n; z++)
            memcpy(&host[z * pitch], &p.f[z % p.n * p.columns], p.columns * sizeof(Complex));
        return host;
    }
    /// The planes in two segments if `cut`, of which the last rows go elsewhere if `moved`.
    void bands(bool cut, bool moved) {
        const device_array<Complex> here(planes(1)), there(p.n * pitch);
        const size_t low = cut ? p.n / 3 : 0, split = moved ? (p.rows - 1) * p.nxc : p.columns;
        std::vector<psg_cuda_segment> list[3];
        for (size_t m = low == 0; m < 2; m++)
            for (int b = 0; b < 3; b++)
                list[b].push_back(
                    {(b == 2 ? there : here).data() + m * low * pitch + (b ? split : 0),
                     m == 0 ? low : p.n - low, pitch});
        const psg_cuda_band both[] = {
            {list[0].data(), list[0].size(), p.rows - moved, nullptr, 0},
            {list[1].data(), list[1].size(), 1, list[2].data(), list[2].size()}};
        const psg_cuda_symbol s = symbol();
        MUST(psg_cuda_kspace_run(plan, both, moved ? 2 : 1, &columns, &s, 0));
        MUST(cudaDeviceSynchronize());
        const std::vector<Complex> stayed = here.get(), went = there.get();
        p.mode0 = mode0.get()[0];
        p.check(psg_cuda_kspace_words(plan),
                [&](uint32_t z, uint32_t c) { return (c < split ? stayed : went)[z * pitch + c]; });
    }
    void together() {
        const device_array<Complex> both(planes(2));
        psg_cuda_symbol s = symbol();
        MUST(psg_cuda_kspace_run_many(plan, both.data(), 2, pitch, &columns, &s, 0));
        MUST(cudaDeviceSynchronize());
        const std::vector<Complex> got = both.get();
        for (size_t m = 0; m < 2; m++) {
            p.mode0 = mode0.get()[m];
            p.check(psg_cuda_kspace_words(plan),
                    [&](uint32_t z, uint32_t c) { return got[(m * p.n + z) * pitch + c]; });
        }
    }
};

template <class Real> static void solve(free_problem<Real> &p) {
    const int variants = psg_cuda_kspace_supported(precision_of<Real>(), p.kind(), p.n);
    CHECK(variants > 0);
    for (int v = 0; v < variants; v++) {
        solver<Real> s(p, v);
        for (int b = 0; s.plan && b < 4; b++)
            s.bands(b % 2 == 1, b >= 2);
        if (s.plan)
            s.together();
    }
}

/// @param step  1: every equation
template <class Real> static void length(uint32_t n, uint32_t nxc, uint32_t rows, int step = 1) {
    static const int walls[][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    for (const auto &wall : walls)
        for (int m = 0; m < 8; m += step) {
            const equation e = {
                {1.2 * n, m % 2 == 1, {wall[0], wall[1]}}, m & 2 ? 2.0 : 0.0, m >= 4};
            free_problem<Real> p(e, n, nxc, rows);
            solve(p);
        }
    for (int m = 0; m < 3; m++) {
        const equation e = {{1.2 * n, false, {0, 0}}, 0, m == 1, true, m == 2};
        free_problem<Real> p(e, n, nxc, rows < 3 ? 3 : rows);
        solve(p);
    }
    for (bool table : {false, true}) {
        const equation e = {{1.2 * n, false, {0, 0}}, 2.0, false, table, false, true};
        free_problem<Real> p(e, n, nxc, rows < 3 ? 3 : rows);
        solve(p);
    }
}

int main() {
    need_device();
    for (uint32_t n : {1u, 2u, 13u, 45u, 64u, 96u, 121u, 128u, 210u, 256u, 1000u}) {
        length<double>(n, 5, 3);
        length<float>(n, 5, 3);
    }
    for (uint32_t n : {192u, 384u, 512u, 768u, 1024u, 5000u})
        length<double>(n, 9, 2);
    for (uint32_t n : {45u, 64u, 512u})
        length<double>(n, 65, 130, 5); // more tiles than a GPU has at once
    psg_cuda_kspace *plan = nullptr;
    CHECK(psg_cuda_kspace_create(&plan, PSG_CUDA_F64, PSG_CUDA_FREE, 17, 0) ==
          cudaErrorNotSupported);
    printf("largest error of the largest number of a column: f64 %.2e, f32 %.2e\n", worst_f64,
           worst_f32);
    check_failures += failures;
    return check_result();
}
