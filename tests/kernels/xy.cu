// The 2-D transforms in one kernel: with the z kernel on their strips they solve as cuFFT does on
// rows, for segments of few and many planes cut into views or dense parts, of either precision; a derivative on the way back is
// that of a spectrum that was multiplied before; fields with pitches give the answer of dense ones bit by bit;
// fields with free sides are those with zeros; bad arguments are refused.
#include "kernels/complex.cuh"
#include "kernels/fft.h"
#include "kernels/kspace.h"
#include "kernels/xy.h"
#include "tests/kernels/check_cuda.h"
#include <algorithm>

using psg_cuda::complex_t;

/// nx x ny x nz points, solved both ways.
template <class Real> struct problem {
    using Complex = complex_t<Real>;
    size_t nx, ny, nxc, nz;
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
    problem(size_t nx_, size_t ny_, size_t nz_)
        : nx(nx_), ny(ny_), nxc(nx_ / 2 + 1), nz(nz_), f(nx_ * ny_ * nz_), f_d(f.size()),
          u_d(f.size()), ex(eigenvalues(nxc, nx)), ey(eigenvalues(ny, ny)), ez(eigenvalues(nz, nz)),
          mode0(1) {
        for (Real &v : f)
            v = (Real)check_uniform();
        f_d.put(f);
        MUST(psg_cuda_kspace_create(&kspace, precision_of<Real>(), PSG_CUDA_DFT, nz, 0));
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
                1.0 / ((double)nx * ny * nz),
                row == 0 ? mode0.data() : nullptr,
                nullptr};
    }
    void by_cufft() {
        device_array<Complex> spectrum(ny * nxc * nz);
        const psg_cuda_segment whole = {spectrum.data(), nz, ny * nxc};
        const psg_cuda_band band = {&whole, 1, ny, NULL, 0};
        const psg_cuda_columns columns = {ny, nxc, 0};
        const psg_cuda_symbol s = symbol(0);
        for (psg_cuda_direction d : {PSG_CUDA_FORWARD, PSG_CUDA_INVERSE}) {
            psg_cuda_fft *fft = nullptr;
            MUST(psg_cuda_fft_create_xy(&fft, precision_of<Real>(), d, periodic, nx, ny, nz));
            device_array<char> work(psg_cuda_fft_work_bytes(fft) + 1);
            MUST(psg_cuda_fft_set_work_area(fft, work.data()));
            const bool forward = d == PSG_CUDA_FORWARD;
            const psg_cuda_field field =
                psg_cuda_dense_field(forward ? f_d.data() : u_d.data(), nx, ny);
            MUST(psg_cuda_fft_run_xy(fft, &field, spectrum.data(), nullptr));
            if (forward)
                MUST(psg_cuda_kspace_run(kspace, &band, 1, &columns, &s, 0));
            MUST(cudaDeviceSynchronize());
            psg_cuda_fft_destroy(fft);
        }
        want = u_d.get();
    }

    /// Sheets that begin with the rows y0, of which the planes are views of a segment, or dense; the
    /// planes in two segments. And with each of some pitches.
    void by_strips(const std::vector<size_t> &y0, bool dense,
                   const std::vector<pitches> &strides = {}) {
        psg_cuda_xy *xy = nullptr;
        MUST(psg_cuda_xy_create(&xy, precision_of<Real>(), periodic, nx, ny));
        const size_t strip = psg_cuda_xy_strip(precision_of<Real>(), periodic, nx, ny);
        device_array<char> work(psg_cuda_xy_work_bytes(xy, nz));
        device_array<Complex> spectrum(ny * nxc * nz);
        u_d.poison();
        std::vector<psg_cuda_xy_part> parts;
        for (size_t p = 0; p < y0.size(); p++) {
            const size_t rows = (p + 1 < y0.size() ? y0[p + 1] : ny) - y0[p];
            parts.push_back({spectrum.data() + y0[p] * nxc * (dense ? nz : 1),
                             dense ? rows * nxc : ny * nxc, y0[p], rows});
        }
        const size_t z0[3] = {0, nz / 3, nz};
        const auto transform = [&](psg_cuda_direction d, const psg_cuda_field &field) {
            for (int s = 0; s < 2; s++) {
                const psg_cuda_field segment = {(Real *)field.base_d + z0[s] * field.plane_pitch,
                                                field.row_pitch, field.plane_pitch};
                std::vector<psg_cuda_xy_part> here = parts;
                for (psg_cuda_xy_part &p : here)
                    p.base_d = (Complex *)p.base_d + z0[s] * p.plane_pitch;
                const psg_cuda_xy_field one = {segment, nullptr};
                MUST(psg_cuda_xy_run(xy, d, &one, 1, z0[s + 1] - z0[s], here.data(), here.size(),
                                     work.data(), 0));
            }
        };
        const auto run = [&](const psg_cuda_field &from, const psg_cuda_field &to) {
            transform(PSG_CUDA_FORWARD, from);
            for (const psg_cuda_xy_part &p : parts) {
                const psg_cuda_segment segment = {p.base_d, nz, p.plane_pitch};
                const psg_cuda_columns columns = {p.rows, nxc, strip};
                const psg_cuda_symbol s = symbol(p.y0);
                const psg_cuda_band band = {&segment, 1, p.rows, NULL, 0};
                MUST(psg_cuda_kspace_run(kspace, &band, 1, &columns, &s, 0));
            }
            transform(PSG_CUDA_INVERSE, to);
        };
        run(psg_cuda_dense_field(f_d.data(), nx, ny), psg_cuda_dense_field(u_d.data(), nx, ny));
        compare(y0.size(), dense);
        const std::vector<Real> u = u_d.get();
        if (!dense && parts.size() == 2)
            derivatives(spectrum, parts, strip, xy, work.data());
        for (const pitches &p : strides) {
            pitched_field<Real> from(nx, ny, nz, p), to(nx, ny, nz, p);
            from.put(f);
            run(from.field(), to.field());
            from.check(f, "f of strips");
            to.check(u, "u of strips");
        }
        psg_cuda_xy_destroy(xy);
    }
    /// The modes of planes [strip][row][number] that are views of one segment, multiplied on the host and transformed back,
    /// give what the kernel gives that multiplies them; and one call makes several fields as calls for each make them.
    void derivatives(device_array<Complex> &spectrum, const std::vector<psg_cuda_xy_part> &parts,
                     size_t strip, const psg_cuda_xy *xy, void *work) {
        std::vector<Complex> k[2] = {std::vector<Complex>(nxc), std::vector<Complex>(ny)};
        for (std::vector<Complex> &along : k)
            for (Complex &v : along)
                v = {(Real)check_uniform(), (Real)check_uniform()};
        const device_array<Complex> kx_d(k[0]), ky_d(k[1]);
        const psg_cuda_derivative by[4] = {{kx_d.data(), nullptr, {0.5, 0}},
                                           {nullptr, ky_d.data(), {0.5, 0.25}},
                                           {kx_d.data(), ky_d.data(), {2, -1}},
                                           {nullptr, nullptr, {0, 2}}};
        pitched_field<Real> ghosts(nx, ny, nz, all_pitches[0]);
        const std::vector<Complex> modes = spectrum.get();
        const psg_cuda_field u = psg_cuda_dense_field(u_d.data(), nx, ny);
        const auto back = [&](const psg_cuda_xy_field *fields, size_t count) {
            MUST(psg_cuda_xy_run(xy, PSG_CUDA_INVERSE, fields, count, nz, parts.data(),
                                 parts.size(), work, 0));
        };
        for (int d = 0; d < 4; d++) {
            const psg_cuda_xy_field dense = {u, &by[d]}, strided = {ghosts.field(), &by[d]};
            back(&dense, 1);
            const std::vector<Real> got = u_d.get();
            back(&strided, 1);
            ghosts.check(got, "a derivative of strips");
            const psg_cuda_xy_field plain = {u, nullptr};
            device_array<Real> beside_d(nx * ny * nz);
            const psg_cuda_xy_field all[3] = {
                plain, strided, {psg_cuda_dense_field(beside_d.data(), nx, ny), &by[3 - d]}};
            back(&all[2], 1);
            const std::vector<Real> other = beside_d.get();
            back(&plain, 1);
            const std::vector<Real> alone = u_d.get();
            for (size_t count = 2; count <= 3; count++) {
                u_d.poison();
                beside_d.poison();
                ghosts.put(alone);
                back(all, count);
                const std::vector<Real> first = u_d.get(), third = beside_d.get();
                CHECK(memcmp(first.data(), alone.data(), alone.size() * sizeof(Real)) == 0);
                ghosts.check(got, "a derivative besides");
                if (count == 3)
                    CHECK(memcmp(third.data(), other.data(), other.size() * sizeof(Real)) == 0);
            }
            std::vector<Complex> times = modes;
            for (const psg_cuda_xy_part &p : parts)
                for (size_t z = 0; z < nz; z++) {
                    size_t at = p.y0 * nxc + z * p.plane_pitch;
                    for (size_t m = 0; m < nxc; m += strip)
                        for (size_t j = 0; j < p.rows; j++)
                            for (size_t i = m; i < m + strip && i < nxc; i++, at++) {
                                const Complex one = {1, 0};
                                const Complex scale = {(Real)by[d].scale[0], (Real)by[d].scale[1]};
                                times[at] = scale * (by[d].kx_d ? k[0][i] : one) *
                                            (by[d].ky_d ? k[1][p.y0 + j] : one) * modes[at];
                            }
                }
            spectrum.put(times);
            back(&plain, 1);
            spectrum.put(modes);
            const std::vector<Real> expected = u_d.get();
            double most = 0, worst = 0;
            for (size_t i = 0; i < got.size(); i++) {
                most = fmax(most, fabs((double)expected[i]));
                const double e = fabs((double)got[i] - expected[i]);
                if (!(e <= worst) && !std::isnan(worst))
                    worst = e;
            }
            if (!(worst <= (sizeof(Real) == 8 ? 1e-14 : 1e-6) * most))
                FAIL("f%zu, %zu x %zu x %zu, %zu parts, derivative %d: off by %g of %g",
                     8 * sizeof(Real), nx, ny, nz, parts.size(), d, worst, most);
        }
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
            FAIL("f%zu, %zu x %zu x %zu, %zu %s parts: off by %g of %g", 8 * sizeof(Real), nx, ny,
                 nz, parts, dense ? "dense" : "viewed", worst, most);
        const std::vector<Real> kept = f_d.get();
        CHECK(memcmp(kept.data(), f.data(), f.size() * sizeof(Real)) == 0);
    }
};

/// As many planes as come round in the ring between the two steps, too, in the larger segment; of
/// those that stay in shared memory, more than blocks run at once.
template <class Real> static std::vector<size_t> planes_of(size_t nx, size_t ny, bool small) {
    const psg_cuda_precision precision = precision_of<Real>();
    const size_t plane = ny * (nx / 2 + 1) * sizeof(complex_t<Real>), any = 100000;
    if (small)
        return {2};
    psg_cuda_xy *xy = nullptr;
    MUST(psg_cuda_xy_create(&xy, precision, periodic, nx, ny));
    const size_t ring = psg_cuda_xy_work_bytes(xy, any) / plane;
    psg_cuda_xy_destroy(xy);
    size_t most = ring > 0 ? 3 * ring / 2 + 8 : nx > 64 ? 512 : nx > 36 ? 2048 : 4500;
    while (psg_cuda_kspace_supported(precision, PSG_CUDA_DFT, most) == 0)
        most++;
    return {1, 2, 7, most};
}

template <class Real> static void size(size_t nx, size_t ny, bool small) {
    if (psg_cuda_xy_strip(precision_of<Real>(), periodic, nx, ny) == 0)
        return;
    for (size_t nz : planes_of<Real>(nx, ny, small)) {
        problem<Real> p(nx, ny, nz);
        p.by_strips({0}, false, {std::begin(all_pitches), std::end(all_pitches)});
        p.by_strips({0, ny / 2}, false, {{1, 3, 3}});
        p.by_strips({0, 1, std::min<size_t>(37, ny / 3), ny - 5}, true);
        p.by_strips({0, ny / 4, ny / 2, ny / 2, ny - 1}, false);
        std::vector<size_t> many;
        for (size_t i = 0; i < PSG_CUDA_XY_PARTS; i++)
            many.push_back(i * ny / PSG_CUDA_XY_PARTS);
        p.by_strips(many, true);
    }
}

/// Fields with free sides: their spectrum is that of planes with zeros in the other points, and
/// they come back, for all pitches.
template <class Real>
static void padded(const psg_cuda_r2r kind[2], size_t nx, size_t ny, size_t planes) {
    using Complex = complex_t<Real>;
    const psg_cuda_precision p = precision_of<Real>();
    const size_t lx = psg_cuda_length(kind[0], nx), ly = psg_cuda_length(kind[1], ny);
    const size_t nxc = lx / 2 + 1, cut = ly / 3;
    if (psg_cuda_xy_strip(p, kind, nx, ny) == 0)
        return;
    CHECK(psg_cuda_xy_strip(p, kind, nx, ny) == psg_cuda_xy_strip(p, periodic, lx, ly));
    psg_cuda_xy *xy = nullptr, *whole = nullptr;
    MUST(psg_cuda_xy_create(&xy, p, kind, nx, ny));
    MUST(psg_cuda_xy_create(&whole, p, periodic, lx, ly));
    std::vector<Real> f(nx * ny * planes), zeros(lx * ly * planes);
    for (size_t row = 0; row < ny * planes; row++)
        for (size_t i = 0; i < nx; i++)
            zeros[(row / ny * ly + row % ny) * lx + i] = f[row * nx + i] = (Real)check_uniform();
    device_array<char> work(
        std::max(psg_cuda_xy_work_bytes(xy, planes), psg_cuda_xy_work_bytes(whole, planes)));
    const device_array<Real> zeros_d(zeros);
    device_array<Complex> spectrum(ly * nxc * planes);
    const psg_cuda_xy_part parts[2] = {{spectrum.data(), ly * nxc, 0, cut},
                                       {spectrum.data() + cut * nxc, ly * nxc, cut, ly - cut}};
    const auto run = [&](psg_cuda_xy *plan, psg_cuda_direction d, const psg_cuda_field &field) {
        const psg_cuda_xy_field one = {field, nullptr};
        MUST(psg_cuda_xy_run(plan, d, &one, 1, planes, parts, 2, work.data(), 0));
        MUST(cudaDeviceSynchronize());
    };
    run(whole, PSG_CUDA_FORWARD, psg_cuda_dense_field(zeros_d.data(), lx, ly));
    const std::vector<Complex> want = spectrum.get();
    const double unit = sizeof(Real) == 8 ? 1e-14 : 5e-6;
    std::vector<Real> first;
    for (const pitches &pitch : all_pitches) {
        pitched_field<Real> f_d(nx, ny, planes, pitch), u_d(nx, ny, planes, pitch);
        f_d.put(f);
        spectrum.poison();
        run(xy, PSG_CUDA_FORWARD, f_d.field());
        const std::vector<Complex> got = spectrum.get();
        double most = 0, worst = 0;
        for (size_t i = 0; i < got.size(); i++) {
            most = fmax(most, fabs((double)want[i].x) + fabs((double)want[i].y));
            const double e =
                fabs((double)got[i].x - want[i].x) + fabs((double)got[i].y - want[i].y);
            worst = e > worst || std::isnan(e) ? e : worst;
        }
        f_d.check(f, "f with free sides");
        run(xy, PSG_CUDA_INVERSE, u_d.field());
        double back = 0;
        const std::vector<Real> dense = u_d.dense();
        for (size_t i = 0; i < f.size(); i++) {
            const double e = fabs((double)dense[i] / ((double)lx * (double)ly) - f[i]);
            back = e > back || std::isnan(e) ? e : back;
        }
        u_d.check(dense, "u with free sides");
        if (!(worst <= unit * most) || !(back <= unit))
            FAIL("f%zu, kinds %d %d, %zu x %zu x %zu: the spectrum is off by %g of %g, what comes "
                 "back by %g",
                 8 * sizeof(Real), kind[0], kind[1], nx, ny, planes, worst, most, back);
    }
    psg_cuda_xy_destroy(xy);
    psg_cuda_xy_destroy(whole);
}

template <class Real> static void all_padded(bool small) {
    static const psg_cuda_r2r kinds[][2] = {{PSG_CUDA_FREE, PSG_CUDA_FREE},
                                            {PSG_CUDA_FREE, PSG_CUDA_DFT},
                                            {PSG_CUDA_DFT, PSG_CUDA_FREE}};
    for (const auto &kind : kinds)
        for (size_t ny = 32; ny <= 512; ny += 16)
            for (size_t nx = 32; nx <= 512; nx += 16)
                for (size_t planes : {1, 2, small ? 3 : 45})
                    padded<Real>(kind, nx, ny, planes);
    const psg_cuda_r2r walls[2] = {PSG_CUDA_FREE, PSG_CUDA_REDFT10};
    CHECK(psg_cuda_xy_strip(precision_of<Real>(), walls, 32, 64) == 0);
    CHECK(psg_cuda_xy_strip(precision_of<Real>(), kinds[0], 32, 32) > 0);
}

static void arguments() {
    psg_cuda_xy *xy = nullptr;
    CHECK(psg_cuda_xy_strip(PSG_CUDA_F64, periodic, 255, 256) == 0);
    CHECK(psg_cuda_xy_strip(PSG_CUDA_F64, periodic, 256, 256) > 0);
    CHECK(!psg_cuda_xy_suits(PSG_CUDA_F64, periodic, 255, 256, 0));
    CHECK(psg_cuda_xy_create(&xy, PSG_CUDA_F64, periodic, 255, 256) == cudaErrorNotSupported &&
          !xy);
    MUST(psg_cuda_xy_create(&xy, PSG_CUDA_F64, periodic, 256, 256));
    device_array<double> a(256);
    device_array<char> work(psg_cuda_xy_work_bytes(xy, 1));
    const psg_cuda_xy_part good = {a.data(), 256 * 129, 0, 256}, few = {a.data(), 1, 0, 255},
                           late = {a.data(), 1, 1, 255}, odd = {(char *)a.data() + 8, 1, 0, 256};
    const psg_cuda_field field = psg_cuda_dense_field(a.data(), 256, 256);
    const psg_cuda_derivative by = {nullptr, nullptr, {1, 0}};
    const psg_cuda_xy_field fields[4] = {
        {field, nullptr}, {field, nullptr}, {field, &by}, {field, nullptr}};
    const auto run = [&](const psg_cuda_xy_part *part, size_t planes, size_t count) {
        return psg_cuda_xy_run(xy, PSG_CUDA_FORWARD, fields, 1, planes, part, count, work.data(),
                               0);
    };
    CHECK(run(&few, 1, 1) == cudaErrorInvalidValue);
    CHECK(run(&late, 1, 1) == cudaErrorInvalidValue);
    CHECK(run(&odd, 1, 1) == cudaErrorInvalidValue);
    CHECK(run(&good, 1, 0) == cudaErrorInvalidValue);
    CHECK(run(&good, (size_t)1 << 40, 1) == cudaErrorInvalidValue);
    CHECK(run(&good, 0, 1) == cudaSuccess);
    const auto run_at = [&](const psg_cuda_field &at, char *room) {
        const psg_cuda_xy_field one = {at, nullptr};
        return psg_cuda_xy_run(xy, PSG_CUDA_INVERSE, &one, 1, 0, &good, 1, room, 0);
    };
    CHECK(run_at({(char *)a.data() + 4, 256, 65536}, work.data()) == cudaErrorInvalidValue);
    CHECK(run_at({nullptr, 256, 65536}, work.data()) == cudaErrorInvalidValue);
    CHECK(run_at({a.data(), 255, 65536}, work.data()) == cudaErrorInvalidValue);
    CHECK(run_at({a.data(), 256, 65535}, work.data()) == cudaErrorInvalidValue);
    CHECK(run_at({a.data(), (size_t)1 << 32, (size_t)1 << 40}, work.data()) ==
          cudaErrorInvalidValue);
    CHECK(run_at({a.data() + 1, 257, 65792}, work.data()) == cudaSuccess);
    CHECK(run_at(field, work.data() + 128) == cudaErrorInvalidValue);
    CHECK(run_at(field, nullptr) == cudaErrorInvalidValue);
    const auto run_fields = [&](psg_cuda_direction d, const psg_cuda_xy_field *of, size_t count) {
        return psg_cuda_xy_run(xy, d, of, count, 0, &good, 1, work.data(), 0);
    };
    CHECK(run_fields(PSG_CUDA_FORWARD, &fields[2], 1) == cudaErrorInvalidValue); // a derivative
    CHECK(run_fields(PSG_CUDA_FORWARD, fields, 2) == cudaErrorInvalidValue);
    CHECK(run_fields(PSG_CUDA_INVERSE, fields, 3) == cudaSuccess);
    CHECK(run_fields(PSG_CUDA_INVERSE, fields, 4) == cudaErrorInvalidValue);
    CHECK(run_fields(PSG_CUDA_INVERSE, fields, 0) == cudaErrorInvalidValue);
    CHECK(run_fields(PSG_CUDA_INVERSE, nullptr, 1) == cudaErrorInvalidValue);
    psg_cuda_xy_destroy(xy);
    MUST(psg_cuda_xy_create(&xy, PSG_CUDA_F64, periodic, 64, 64)); // works in shared memory alone
    const psg_cuda_xy_part whole = {a.data(), 64 * 33, 0, 64};
    CHECK(psg_cuda_xy_work_bytes(xy, 100) == 0);
    const psg_cuda_xy_field plane = {psg_cuda_dense_field(a.data(), 64, 64), nullptr};
    CHECK(psg_cuda_xy_run(xy, PSG_CUDA_INVERSE, &plane, 1, 0, &whole, 1, nullptr, 0) ==
          cudaSuccess);
    psg_cuda_xy_destroy(xy);
}

/// Arguments: f64 or f32, for that precision alone; small, for sanitizers.
int main(int argc, char **argv) {
    const auto has = [&](const char *word) {
        return std::any_of(argv + 1, argv + argc, [&](char *a) { return strcmp(a, word) == 0; });
    };
    const bool small = has("small"), f64 = !has("f32"), f32 = !has("f64");
    need_device();
    srand(11);
    arguments();
    if (f64)
        all_padded<double>(small);
    if (f32)
        all_padded<float>(small);
    const size_t most = small ? 384 : 2048;
    for (size_t ny = 1; ny <= most; ny++) // all that there are
        for (size_t nx = 1; nx <= most; nx++) {
            if (f64)
                size<double>(nx, ny, small);
            if (f32)
                size<float>(nx, ny, small);
        }
    return check_result();
}
