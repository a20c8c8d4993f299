// The 2-D transforms in one kernel: with the z kernel on their strips they solve as cuFFT does on
// rows, for slabs of few and many planes cut into views or dense parts, of either precision; bad
// arguments are refused.
#include "kernels/complex.cuh"
#include "kernels/fft.h"
#include "kernels/kspace.h"
#include "kernels/xy.h"
#include "tests/kernels/check_cuda.h"

using psg_cuda::complex_t;

template <class Real> static psg_cuda_precision precision_of() {
    return sizeof(Real) == 8 ? PSG_CUDA_F64 : PSG_CUDA_F32;
}

/// n x n x nz points, solved both ways.
template <class Real> struct problem {
    using Complex = complex_t<Real>;
    size_t n, nxc, nz;
    std::vector<Real> f, want, table[3];
    device_array<Real> f_d, u_d, ex, ey, ez;
    device_array<Complex> mode0;
    psg_cuda_kspace *kspace = nullptr;

    static std::vector<Real> eigenvalues(size_t count, size_t n) {
        std::vector<Real> e(count);
        for (size_t k = 0; k < count; k++) {
            const double w = 2 * M_PI * (double)(k < n - k ? k : n - k);
            e[k] = (Real)(-w * w);
        }
        return e;
    }
    problem(size_t n_, size_t nz_)
        : n(n_), nxc(n_ / 2 + 1), nz(nz_), f(n_ * n_ * nz_), f_d(f.size()), u_d(f.size()),
          ex(eigenvalues(nxc, n)), ey(eigenvalues(n, n)), ez(eigenvalues(nz, nz)), mode0(1) {
        for (Real &v : f)
            v = (Real)check_uniform();
        f_d.put(f);
        MUST(psg_cuda_kspace_create(&kspace, precision_of<Real>(), nz, 0));
        by_cufft();
    }
    ~problem() {
        MUST(cudaDeviceSynchronize());
        psg_cuda_kspace_destroy(kspace);
    }
    psg_cuda_symbol symbol(size_t row) const {
        return {ex.data(),
                ey.data() + row,
                ez.data(),
                0,
                1.0 / ((double)n * n * nz),
                row == 0 ? mode0.data() : nullptr,
                nullptr};
    }
    void by_cufft() {
        device_array<Complex> spectrum(n * nxc * nz);
        const psg_cuda_segment whole = {spectrum.data(), nz, n * nxc};
        const psg_cuda_band band = {&whole, 1, n, NULL, 0};
        const psg_cuda_columns columns = {n, nxc, 0};
        const psg_cuda_symbol s = symbol(0);
        for (psg_cuda_direction d : {PSG_CUDA_FORWARD, PSG_CUDA_INVERSE}) {
            psg_cuda_fft *fft = nullptr;
            MUST(psg_cuda_fft_create_xy(&fft, precision_of<Real>(), d, n, n, nz));
            device_array<char> work(psg_cuda_fft_work_bytes(fft) + 1);
            MUST(psg_cuda_fft_set_work_area(fft, work.data()));
            const bool forward = d == PSG_CUDA_FORWARD;
            MUST(psg_cuda_fft_run_xy(fft, forward ? (void *)f_d.data() : spectrum.data(),
                                     forward ? (void *)spectrum.data() : u_d.data()));
            if (forward)
                MUST(psg_cuda_kspace_run(kspace, &band, 1, &columns, &s, 0));
            MUST(cudaDeviceSynchronize());
            psg_cuda_fft_destroy(fft);
        }
        want = u_d.get();
    }

    /// Pencils that begin with the rows y0, of which the planes are views of a slab, or dense; the
    /// slab in two segments.
    void by_strips(const std::vector<size_t> &y0, bool dense) {
        psg_cuda_xy *xy = nullptr;
        MUST(psg_cuda_xy_create(&xy, precision_of<Real>(), n, n));
        const size_t strip = psg_cuda_xy_strip(precision_of<Real>(), n, n);
        device_array<char> work(psg_cuda_xy_work_bytes(xy, nz));
        device_array<Complex> spectrum(n * nxc * nz);
        u_d.poison();
        std::vector<psg_cuda_xy_part> parts;
        for (size_t p = 0; p < y0.size(); p++) {
            const size_t rows = (p + 1 < y0.size() ? y0[p + 1] : n) - y0[p];
            parts.push_back({spectrum.data() + y0[p] * nxc * (dense ? nz : 1),
                             dense ? rows * nxc : n * nxc, y0[p], rows});
        }
        const size_t z0[3] = {0, nz / 3, nz};
        const auto transform = [&](psg_cuda_direction d, Real *field) {
            for (int s = 0; s < 2; s++) {
                std::vector<psg_cuda_xy_part> here = parts;
                for (psg_cuda_xy_part &p : here)
                    p.base_d = (Complex *)p.base_d + z0[s] * p.plane_pitch;
                MUST(psg_cuda_xy_run(xy, d, field + z0[s] * n * n, z0[s + 1] - z0[s], here.data(),
                                     here.size(), work.data(), 0));
            }
        };
        transform(PSG_CUDA_FORWARD, f_d.data());
        for (const psg_cuda_xy_part &p : parts) {
            const psg_cuda_segment segment = {p.base_d, nz, p.plane_pitch};
            const psg_cuda_columns columns = {p.rows, nxc, strip};
            const psg_cuda_symbol s = symbol(p.y0);
            const psg_cuda_band band = {&segment, 1, p.rows, NULL, 0};
            MUST(psg_cuda_kspace_run(kspace, &band, 1, &columns, &s, 0));
        }
        transform(PSG_CUDA_INVERSE, u_d.data());
        compare(y0.size(), dense);
        psg_cuda_xy_destroy(xy);
    }
    void compare(size_t parts, bool dense) {
        const std::vector<Real> got = u_d.get();
        double most = 0, worst = 0;
        for (size_t i = 0; i < got.size(); i++) {
            const double e = fabs((double)got[i] - want[i]);
            most = fmax(most, fabs((double)want[i]));
            if (!(e <= worst) && !std::isnan(worst))
                worst = e;
        }
        if (!(worst <= (sizeof(Real) == 8 ? 1e-13 : 1e-5) * most))
            FAIL("f%zu, %zu x %zu x %zu, %zu %s parts: off by %g of %g", 8 * sizeof(Real), n, n, nz,
                 parts, dense ? "dense" : "viewed", worst, most);
        const std::vector<Real> kept = f_d.get();
        CHECK(memcmp(kept.data(), f.data(), f.size() * sizeof(Real)) == 0);
    }
};

/// As many planes as come round in the ring between the two steps, too, in the larger segment; of
/// those that stay in shared memory, more than blocks run at once.
template <class Real> static std::vector<size_t> planes_of(size_t n, bool small) {
    const psg_cuda_precision precision = precision_of<Real>();
    const size_t plane = n * (n / 2 + 1) * sizeof(complex_t<Real>), any = 100000;
    if (small)
        return {2};
    psg_cuda_xy *xy = nullptr;
    MUST(psg_cuda_xy_create(&xy, precision, n, n));
    const size_t ring = psg_cuda_xy_work_bytes(xy, any) / plane;
    psg_cuda_xy_destroy(xy);
    size_t most = ring > 0 ? 3 * ring / 2 + 8 : n > 64 ? 512 : 2048;
    while (psg_cuda_kspace_supported(precision, most) == 0)
        most++;
    return {1, 2, 7, most};
}

template <class Real> static void size(size_t n, bool small) {
    if (psg_cuda_xy_strip(precision_of<Real>(), n, n) == 0)
        return;
    for (size_t nz : planes_of<Real>(n, small)) {
        problem<Real> p(n, nz);
        p.by_strips({0}, false);
        p.by_strips({0, n / 2}, false);
        p.by_strips({0, 1, 37, n - 5}, true);
        p.by_strips({0, n / 4, n / 2, n / 2, n - 1}, false);
        std::vector<size_t> many;
        for (size_t i = 0; i < PSG_CUDA_XY_PARTS; i++)
            many.push_back(i * n / PSG_CUDA_XY_PARTS);
        p.by_strips(many, true);
    }
}

static void arguments() {
    psg_cuda_xy *xy = nullptr;
    CHECK(psg_cuda_xy_strip(PSG_CUDA_F64, 255, 256) == 0);
    CHECK(psg_cuda_xy_strip(PSG_CUDA_F64, 256, 256) > 0);
    CHECK(!psg_cuda_xy_suits(PSG_CUDA_F64, 255, 256, 0));
    CHECK(psg_cuda_xy_create(&xy, PSG_CUDA_F64, 255, 256) == cudaErrorNotSupported && !xy);
    MUST(psg_cuda_xy_create(&xy, PSG_CUDA_F64, 256, 256));
    device_array<double> a(256);
    device_array<char> work(psg_cuda_xy_work_bytes(xy, 1));
    const psg_cuda_xy_part good = {a.data(), 256 * 129, 0, 256}, few = {a.data(), 1, 0, 255},
                           late = {a.data(), 1, 1, 255}, odd = {(char *)a.data() + 8, 1, 0, 256};
    const auto run = [&](const psg_cuda_xy_part *part, size_t planes, size_t count) {
        return psg_cuda_xy_run(xy, PSG_CUDA_FORWARD, a.data(), planes, part, count, work.data(), 0);
    };
    CHECK(run(&few, 1, 1) == cudaErrorInvalidValue);
    CHECK(run(&late, 1, 1) == cudaErrorInvalidValue);
    CHECK(run(&odd, 1, 1) == cudaErrorInvalidValue);
    CHECK(run(&good, 1, 0) == cudaErrorInvalidValue);
    CHECK(run(&good, (size_t)1 << 40, 1) == cudaErrorInvalidValue);
    CHECK(run(&good, 0, 1) == cudaSuccess);
    const auto run_at = [&](double *field, char *room) {
        return psg_cuda_xy_run(xy, PSG_CUDA_INVERSE, field, 0, &good, 1, room, 0);
    };
    CHECK(run_at(a.data() + 1, work.data()) == cudaErrorInvalidValue);
    CHECK(run_at(a.data(), work.data() + 128) == cudaErrorInvalidValue);
    CHECK(run_at(a.data(), nullptr) == cudaErrorInvalidValue);
    psg_cuda_xy_destroy(xy);
    MUST(psg_cuda_xy_create(&xy, PSG_CUDA_F64, 64, 64)); // works in shared memory alone
    const psg_cuda_xy_part whole = {a.data(), 64 * 33, 0, 64};
    CHECK(psg_cuda_xy_work_bytes(xy, 100) == 0);
    CHECK(psg_cuda_xy_run(xy, PSG_CUDA_INVERSE, a.data(), 0, &whole, 1, nullptr, 0) == cudaSuccess);
    psg_cuda_xy_destroy(xy);
}

int main(int argc, char **argv) {
    const bool small = argc > 1 && strcmp(argv[1], "small") == 0; // for sanitizers
    need_device();
    srand(11);
    arguments();
    for (size_t n = 1; n <= (small ? 384u : 2048u); n++) { // all that there are
        size<double>(n, small);
        size<float>(n, small);
    }
    return check_result();
}
