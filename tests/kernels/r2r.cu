// Planes and columns along axes that are not periodic are transformed as FFTW defines it, for every kind, odd and even sizes,
// dense fields and fields with pitches; the inverse brings the data back.
#include "kernels/complex.cuh"
#include "kernels/r2r_tables.cuh"
#include "tests/kernels/planned.h"
#include "tests/kernels/r2r_defined.h"
#include <complex>

using namespace psg_cuda;
using reals = std::vector<long double>;

static long double norm(psg_cuda_r2r kind, size_t n) {
    const long double points = (long double)n;
    return kind == PSG_CUDA_DFT || kind == PSG_CUDA_R2HC || kind == PSG_CUDA_HC2R ? points
           : kind == PSG_CUDA_REDFT00                                             ? 2 * points - 2
           : kind == PSG_CUDA_RODFT00                                             ? 2 * points + 2
                                                                                  : 2 * points;
}

/// In place, lines of n reals `stride` apart.
static void transform(psg_cuda_r2r kind, reals &v, size_t first, size_t n, size_t stride) {
    reals z(n);
    for (size_t j = 0; j < n; j++)
        z[j] = v[first + j * stride];
    for (size_t k = 0; k < n; k++)
        v[first + k * stride] = defined(kind, z, k);
}

/// The spectrum of planes as reals [nz][ny][2 nxc].
static reals spectrum_of(const reals &f, const psg_cuda_r2r kind[2], size_t nx, size_t ny,
                         size_t nz) {
    const bool dft = kind[0] == PSG_CUDA_DFT;
    const size_t nxc = dft ? nx / 2 + 1 : (nx + 1) / 2, pitch = 2 * nxc;
    reals s(pitch * ny * nz, 0);
    for (size_t row = 0; row < ny * nz; row++) {
        reals z(f.begin() + (long)(row * nx), f.begin() + (long)((row + 1) * nx));
        for (size_t k = 0; k < nxc && dft; k++)
            for (size_t j = 0; j < nx; j++) {
                const std::complex<long double> w = std::polar(
                    1.0L, -2 * acosl(-1.0L) * (long double)(j * k % nx) / (long double)nx);
                s[row * pitch + 2 * k] += z[j] * w.real();
                s[row * pitch + 2 * k + 1] += z[j] * w.imag();
            }
        for (size_t k = 0; k < nx && !dft; k++)
            s[row * pitch + k] = defined(kind[0], z, k);
    }
    for (size_t z = 0; z < nz; z++)
        for (size_t i = 0; i < pitch; i++)
            transform(kind[1], s, z * ny * pitch + i, ny, pitch);
    return s;
}

template <class Real>
static void compare(const char *what, const std::vector<Real> &got, const reals &want) {
    long double most = 0, worst = 0;
    for (size_t i = 0; i < want.size(); i++) {
        const long double e = fabsl(got[i] - want[i]);
        most = fmaxl(most, fabsl(want[i]));
        if (!(e <= worst) && !std::isnan(worst))
            worst = e;
    }
    if (!(worst <= (sizeof(Real) == 8 ? 1e-13L : 1e-5L) * most))
        FAIL("%s: off by %Lg of %Lg", what, worst, most);
}

template <class Real> static std::vector<Real> as_reals(const std::vector<complex_t<Real>> &v) {
    std::vector<Real> r;
    for (const auto &c : v) {
        r.push_back(c.x);
        r.push_back(c.y);
    }
    return r;
}

template <class Real>
static void planes(psg_cuda_r2r x, psg_cuda_r2r y, size_t nx, size_t ny, size_t nz) {
    const psg_cuda_r2r kind[2] = {x, y};
    std::vector<Real> f(nx * ny * nz);
    reals exact, scaled;
    for (Real &v : f) {
        v = (Real)check_uniform();
        exact.push_back(v);
        scaled.push_back(v * norm(x, nx) * norm(y, ny));
    }
    const reals want = spectrum_of(exact, kind, nx, ny, nz);
    char what[80];
    snprintf(what, sizeof what, "f%zu kinds %d %d planes %zu x %zu x %zu", 8 * sizeof(Real), x, y,
             nx, ny, nz);
    psg_cuda_fft *forward = nullptr, *inverse = nullptr;
    MUST(
        psg_cuda_fft_create_xy(&forward, precision_of<Real>(), PSG_CUDA_FORWARD, kind, nx, ny, nz));
    MUST(
        psg_cuda_fft_create_xy(&inverse, precision_of<Real>(), PSG_CUDA_INVERSE, kind, nx, ny, nz));
    const planned there(forward), back(inverse);
    device_array<Real> data(f), result(f.size());
    device_array<complex_t<Real>> spectrum(want.size() / 2);
    const psg_cuda_field in = psg_cuda_dense_field(data.data(), nx, ny),
                         out = psg_cuda_dense_field(result.data(), nx, ny);
    MUST(psg_cuda_fft_run_xy(forward, &in, spectrum.data(), nullptr));
    compare(what, as_reals(spectrum.get()), want);
    MUST(psg_cuda_fft_run_xy(inverse, &out, spectrum.data(), nullptr));
    const std::vector<Real> u = result.get();
    compare(what, u, scaled);
    for (const pitches &p : all_pitches) {
        pitched_field<Real> f_d(nx, ny, nz, p), u_d(nx, ny, nz, p);
        const psg_cuda_field from = f_d.field(), to = u_d.field();
        const device_array<char> dense(psg_cuda_fft_dense_bytes(forward, &from) + 1);
        f_d.put(f);
        MUST(psg_cuda_fft_run_xy(forward, &from, spectrum.data(), dense.data()));
        f_d.check(f, "f");
        MUST(psg_cuda_fft_run_xy(inverse, &to, spectrum.data(), dense.data()));
        u_d.check(u, "u");
    }
}

template <class Real>
static void columns(psg_cuda_r2r kind, psg_cuda_layout layout, size_t m, size_t nz) {
    const bool strided = layout == PSG_CUDA_Z_STRIDED;
    std::vector<complex_t<Real>> f(m * nz);
    reals want, scaled;
    for (auto &v : f) {
        v = {(Real)check_uniform(), (Real)check_uniform()};
        const Real parts[] = {v.x, v.y};
        for (const Real part : parts) {
            want.push_back(part);
            scaled.push_back(part * norm(kind, nz));
        }
    }
    for (size_t i = 0; i < 2 * m; i++)
        transform(kind, want, strided ? i : i / 2 * 2 * nz + i % 2, nz, strided ? 2 * m : 2);
    char what[80];
    snprintf(what, sizeof what, "f%zu kind %d columns %zu of %zu, layout %d", 8 * sizeof(Real),
             kind, m, nz, layout);
    psg_cuda_fft *fft = nullptr;
    MUST(psg_cuda_fft_create_z(&fft, precision_of<Real>(), layout, kind, m, nz));
    const planned plan(fft);
    device_array<complex_t<Real>> data(f);
    MUST(psg_cuda_fft_run_z(fft, PSG_CUDA_FORWARD, data.data()));
    compare(what, as_reals(data.get()), want);
    MUST(psg_cuda_fft_run_z(fft, PSG_CUDA_INVERSE, data.data()));
    compare(what, as_reals(data.get()), scaled);
}

template <class Real> static void all() {
    // 131 is prime, and too large for a radix of cuFFT's
    const size_t lengths[] = {2, 3, 10, 37, 130, 131};
    const size_t sizes[][3] = {{8, 9, 3}, {7, 11, 2}, {2, 2, 2}, {3, 2, 1}, {30, 16, 1}};
    for (int x = PSG_CUDA_DFT; x < PSG_CUDA_R2R_KINDS; x++)
        for (int y = PSG_CUDA_R2HC; y < PSG_CUDA_R2R_KINDS; y++)
            for (const size_t *n : sizes)
                planes<Real>((psg_cuda_r2r)x, (psg_cuda_r2r)y, n[0], n[1], n[2]);
    planes<Real>(PSG_CUDA_RODFT10, PSG_CUDA_REDFT10, 1, 1, 2);
    planes<Real>(PSG_CUDA_DFT, PSG_CUDA_RODFT11, 1, 5, 2);
    planes<Real>(PSG_CUDA_RODFT00, PSG_CUDA_RODFT00, 130, 136, 2);
    planes<Real>(PSG_CUDA_DFT, PSG_CUDA_REDFT10, 131, 137, 2);
    for (int kind = PSG_CUDA_R2HC; kind < PSG_CUDA_R2R_KINDS; kind++)
        for (psg_cuda_layout layout : {PSG_CUDA_Z_STRIDED, PSG_CUDA_Z_CONTIGUOUS})
            for (const size_t nz : lengths)
                columns<Real>((psg_cuda_r2r)kind, layout, 5, nz);
}

int main() {
    need_device();
    all<double>();
    all<float>();
    psg_cuda_fft *fft = nullptr;
    const psg_cuda_r2r half[2] = {PSG_CUDA_REDFT10, PSG_CUDA_DFT};
    CHECK(psg_cuda_fft_create_xy(&fft, PSG_CUDA_F64, PSG_CUDA_FORWARD, half, 4, 4, 4) != 0 && !fft);
    CHECK(psg_cuda_fft_create_z(&fft, PSG_CUDA_F64, PSG_CUDA_Z_STRIDED, PSG_CUDA_REDFT00, 5, 1) !=
              0 &&
          !fft);
    return check_result();
}
