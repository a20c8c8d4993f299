// The transforms of planes and columns are what the definition says, for even, odd and prime sizes and
// axes of one point, and the inverse brings the data back. Planes with free sides are those with
// zeros.
#include "kernels/complex.cuh"
#include "tests/kernels/planned.h"

using psg_cuda::complex_t;
typedef complex_t<double> cd;

/// The definition: sum over n of f[n * stride] exp(sign 2 pi i k n / count), for k = 0 .. outputs-1.
static std::vector<cd> line(const cd *f, size_t stride, size_t count, size_t outputs, int sign) {
    std::vector<cd> out(outputs, cd{0, 0});
    for (size_t k = 0; k < outputs; k++)
        for (size_t n = 0; n < count; n++) {
            const double a = sign * 2 * M_PI * (double)(k * n % count) / (double)count;
            out[k] = out[k] + f[n * stride] * cd{cos(a), sin(a)};
        }
    return out;
}

template <class Real>
static void check(const char *what, const std::vector<complex_t<Real>> &got,
                  const std::vector<cd> &want) {
    double most = 0, worst = 0;
    for (size_t i = 0; i < want.size(); i++) {
        const double e = fabs(got[i].x - want[i].x) + fabs(got[i].y - want[i].y);
        most = fmax(most, fabs(want[i].x) + fabs(want[i].y));
        if (!(e <= worst) && !std::isnan(worst))
            worst = e;
    }
    if (!(worst <= (sizeof(Real) == 8 ? 1e-13 : 1e-5) * most))
        FAIL("%s: off by %g of %g", what, worst, most);
}

template <class Real> static void planes(size_t nx, size_t ny, size_t nz) {
    const size_t nxc = nx / 2 + 1;
    std::vector<Real> f(nx * ny * nz);
    std::vector<cd> half(nxc * ny * nz), want(nxc * ny * nz);
    for (Real &v : f)
        v = (Real)check_uniform();
    for (size_t row = 0; row < ny * nz; row++) {
        std::vector<cd> in(nx);
        for (size_t i = 0; i < nx; i++)
            in[i] = {f[row * nx + i], 0};
        const std::vector<cd> out = line(in.data(), 1, nx, nxc, -1);
        for (size_t i = 0; i < nxc; i++)
            half[row * nxc + i] = out[i];
    }
    for (size_t z = 0; z < nz; z++)
        for (size_t i = 0; i < nxc; i++) {
            const std::vector<cd> out = line(&half[z * ny * nxc + i], nxc, ny, ny, -1);
            for (size_t j = 0; j < ny; j++)
                want[(z * ny + j) * nxc + i] = out[j];
        }
    char what[80];
    snprintf(what, sizeof what, "f%zu planes %zu x %zu x %zu", 8 * sizeof(Real), nx, ny, nz);

    psg_cuda_fft *forward = nullptr, *inverse = nullptr;
    MUST(psg_cuda_fft_create_xy(&forward, precision_of<Real>(), PSG_CUDA_FORWARD, periodic, nx, ny,
                                nz));
    MUST(psg_cuda_fft_create_xy(&inverse, precision_of<Real>(), PSG_CUDA_INVERSE, periodic, nx, ny,
                                nz));
    const planned there(forward), back(inverse);
    device_array<Real> data(f), result(f.size());
    device_array<complex_t<Real>> spectrum(want.size());
    const psg_cuda_field in = psg_cuda_dense_field(data.data(), nx, ny),
                         out = psg_cuda_dense_field(result.data(), nx, ny);
    CHECK(psg_cuda_fft_dense_bytes(forward, &in) == 0);
    MUST(psg_cuda_fft_run_xy(forward, &in, spectrum.data(), nullptr));
    const std::vector<complex_t<Real>> modes = spectrum.get();
    check(what, modes, want);
    const std::vector<Real> kept = data.get();
    CHECK(memcmp(kept.data(), f.data(), f.size() * sizeof(Real)) == 0);
    MUST(psg_cuda_fft_run_xy(inverse, &out, spectrum.data(), nullptr));
    const std::vector<Real> u = result.get();
    std::vector<complex_t<Real>> got(f.size());
    std::vector<cd> scaled(f.size());
    for (size_t i = 0; i < f.size(); i++) {
        got[i] = {u[i], 0};
        scaled[i] = {(double)f[i] * (double)(nx * ny), 0};
    }
    check(what, got, scaled);
    for (const pitches &p : all_pitches) {
        pitched_field<Real> f_d(nx, ny, nz, p), u_d(nx, ny, nz, p);
        const psg_cuda_field from = f_d.field(), to = u_d.field();
        const device_array<char> dense(psg_cuda_fft_dense_bytes(forward, &from));
        CHECK(dense.size() == f.size() * sizeof(Real));
        CHECK(psg_cuda_fft_run_xy(forward, &from, spectrum.data(), nullptr) ==
              cudaErrorInvalidValue);
        f_d.put(f);
        MUST(psg_cuda_fft_run_xy(forward, &from, spectrum.data(), dense.data()));
        const std::vector<complex_t<Real>> same = spectrum.get();
        CHECK(memcmp(same.data(), modes.data(), modes.size() * sizeof modes[0]) == 0);
        f_d.check(f, "f of cuFFT");
        MUST(psg_cuda_fft_run_xy(inverse, &to, spectrum.data(), dense.data()));
        u_d.check(u, "u of cuFFT");
    }
    CHECK(psg_cuda_fft_run_z(forward, PSG_CUDA_FORWARD, spectrum.data()) == cudaErrorInvalidValue);
}

/// Free sides: planes of twice as many points with zeros in one half are transformed as they are
/// when they are given whole, and come back as the points of the other half.
template <class Real>
static void padded(const psg_cuda_r2r kind[2], const psg_cuda_r2r whole[2], size_t nx, size_t ny,
                   size_t nz) {
    const size_t all[2] = {psg_cuda_length(kind[0], nx), psg_cuda_length(kind[1], ny)};
    const size_t first = psg_cuda_first(kind[1], ny) * all[0] + psg_cuda_first(kind[0], nx);
    const bool modes = whole[0] != PSG_CUDA_DFT;
    const size_t nxc = modes ? (all[0] + 1) / 2 : all[0] / 2 + 1;
    std::vector<Real> f(nx * ny * nz), zeros(all[0] * all[1] * nz), scaled(f.size());
    for (size_t row = 0; row < ny * nz; row++)
        for (size_t i = 0; i < nx; i++)
            zeros[(row / ny * all[1] + row % ny) * all[0] + i + first] = f[row * nx + i] =
                (Real)check_uniform();
    psg_cuda_fft *forward = nullptr, *inverse = nullptr, *peer = nullptr, *peer_back = nullptr;
    const psg_cuda_precision p = precision_of<Real>();
    MUST(psg_cuda_fft_create_xy(&forward, p, PSG_CUDA_FORWARD, kind, nx, ny, nz));
    MUST(psg_cuda_fft_create_xy(&inverse, p, PSG_CUDA_INVERSE, kind, nx, ny, nz));
    MUST(psg_cuda_fft_create_xy(&peer, p, PSG_CUDA_FORWARD, whole, all[0], all[1], nz));
    MUST(psg_cuda_fft_create_xy(&peer_back, p, PSG_CUDA_INVERSE, whole, all[0], all[1], nz));
    const planned one(forward), two(inverse), three(peer), four(peer_back);
    const device_array<Real> zeros_d(zeros), back_d(zeros.size());
    device_array<complex_t<Real>> spectrum(nxc * all[1] * nz), want(spectrum.size());
    const psg_cuda_field all_d = psg_cuda_dense_field(zeros_d.data(), all[0], all[1]),
                         all_back = psg_cuda_dense_field(back_d.data(), all[0], all[1]);
    MUST(psg_cuda_fft_run_xy(peer, &all_d, want.data(), nullptr));
    std::vector<cd> wanted;
    for (const complex_t<Real> &v : want.get())
        wanted.push_back({v.x, v.y});
    MUST(psg_cuda_fft_run_xy(peer_back, &all_back, want.data(), nullptr));
    const std::vector<Real> back = back_d.get();
    char what[96];
    snprintf(what, sizeof what, "f%zu kinds %d %d of %zu x %zu x %zu", 8 * sizeof(Real), kind[0],
             kind[1], nx, ny, nz);
    for (const pitches &pitch : all_pitches) {
        pitched_field<Real> f_d(nx, ny, nz, pitch), u_d(nx, ny, nz, pitch);
        const psg_cuda_field from = f_d.field(), to = u_d.field();
        CHECK(psg_cuda_fft_dense_bytes(forward, &from) == 0);
        f_d.put(f);
        spectrum.poison();
        MUST(psg_cuda_fft_run_xy(forward, &from, spectrum.data(), nullptr));
        check(what, spectrum.get(), wanted);
        f_d.check(f, "f of padded planes");
        MUST(psg_cuda_fft_run_xy(inverse, &to, spectrum.data(), nullptr));
        const std::vector<Real> u = u_d.dense();
        u_d.check(u, "u of padded planes");
        double worst = 0, most = 0;
        for (size_t row = 0; row < ny * nz; row++)
            for (size_t i = 0; i < nx; i++) {
                const double v = back[(row / ny * all[1] + row % ny) * all[0] + i + first];
                most = fmax(most, fabs(v));
                const double off = fabs(u[row * nx + i] - v);
                worst = off > worst || std::isnan(off) ? off : worst;
            }
        if (!(worst <= (sizeof(Real) == 8 ? 1e-13 : 1e-5) * most))
            FAIL("%s, back: off by %g of %g", what, worst, most);
    }
}

template <class Real> static void all_padded() {
    static const psg_cuda_r2r kinds[][2][2] = {
        {{PSG_CUDA_FREE, PSG_CUDA_FREE}, {PSG_CUDA_DFT, PSG_CUDA_DFT}},
        {{PSG_CUDA_FREE, PSG_CUDA_DFT}, {PSG_CUDA_DFT, PSG_CUDA_DFT}},
        {{PSG_CUDA_DFT, PSG_CUDA_FREE}, {PSG_CUDA_DFT, PSG_CUDA_DFT}},
        {{PSG_CUDA_FREE, PSG_CUDA_REDFT10}, {PSG_CUDA_DFT, PSG_CUDA_REDFT10}},
        {{PSG_CUDA_RODFT10, PSG_CUDA_FREE_PAIRS}, {PSG_CUDA_RODFT10, PSG_CUDA_R2HC}},
        {{PSG_CUDA_DFT, PSG_CUDA_FREE_COS}, {PSG_CUDA_DFT, PSG_CUDA_REDFT10}},
        {{PSG_CUDA_FREE, PSG_CUDA_FREE_SIN_END}, {PSG_CUDA_DFT, PSG_CUDA_RODFT10}},
        {{PSG_CUDA_FREE_SIN, PSG_CUDA_FREE_COS_END}, {PSG_CUDA_RODFT10, PSG_CUDA_REDFT10}},
        {{PSG_CUDA_FREE_COS_END, PSG_CUDA_R2HC}, {PSG_CUDA_REDFT10, PSG_CUDA_R2HC}},
        {{PSG_CUDA_FREE_SIN_END, PSG_CUDA_FREE_PAIRS}, {PSG_CUDA_RODFT10, PSG_CUDA_R2HC}}};
    static const size_t sizes[][3] = {{8, 6, 5}, {7, 11, 3}, {1, 5, 2}, {6, 1, 4}, {1, 1, 3}};
    for (const auto &kind : kinds)
        for (const size_t *n : sizes)
            padded<Real>(kind[0], kind[1], n[0], n[1], n[2]);
}

template <class Real> static void columns(psg_cuda_layout layout, size_t m, size_t nz) {
    using Complex = complex_t<Real>;
    const size_t stride = layout == PSG_CUDA_Z_STRIDED ? m : 1;
    const size_t dist = layout == PSG_CUDA_Z_STRIDED ? 1 : nz;
    std::vector<Complex> f(m * nz);
    std::vector<cd> in(m * nz), want(m * nz), scaled(m * nz);
    for (size_t i = 0; i < f.size(); i++) {
        f[i] = {(Real)check_uniform(), (Real)check_uniform()};
        in[i] = {f[i].x, f[i].y};
        scaled[i] = (double)nz * in[i];
    }
    for (size_t c = 0; c < m; c++) {
        const std::vector<cd> out = line(&in[c * dist], stride, nz, nz, -1);
        for (size_t k = 0; k < nz; k++)
            want[c * dist + k * stride] = out[k];
    }
    char what[80];
    snprintf(what, sizeof what, "f%zu columns %zu of %zu, layout %d", 8 * sizeof(Real), m, nz,
             layout);
    psg_cuda_fft *fft = nullptr;
    MUST(psg_cuda_fft_create_z(&fft, precision_of<Real>(), layout, PSG_CUDA_DFT, m, nz));
    const planned plan(fft);
    device_array<Complex> data(f);
    MUST(psg_cuda_fft_run_z(fft, PSG_CUDA_FORWARD, data.data()));
    check(what, data.get(), want);
    MUST(psg_cuda_fft_run_z(fft, PSG_CUDA_INVERSE, data.data()));
    check(what, data.get(), scaled);
}

template <class Real> static void all() {
    const size_t sizes[][3] = {{8, 9, 10},  {7, 11, 13}, {1, 6, 4},   {5, 1, 3},
                               {1, 1, 4},   {2, 2, 2},   {30, 16, 1}, {4, 37, 3},
                               {131, 3, 2}, {4, 257, 1}}; // primes that are no radix of cuFFT's
    for (const size_t *n : sizes)
        planes<Real>(n[0], n[1], n[2]);
    for (psg_cuda_layout layout : {PSG_CUDA_Z_STRIDED, PSG_CUDA_Z_CONTIGUOUS}) {
        columns<Real>(layout, 7, 1);
        columns<Real>(layout, 45, 10);
        columns<Real>(layout, 6, 37);
        columns<Real>(layout, 6, 257);
        columns<Real>(layout, 1, 64);
    }
}

int main(int argc, char **argv) {
    (void)argc;
    (void)argv;
    need_device();
    all<double>();
    all<float>();
    all_padded<double>();
    all_padded<float>();
    psg_cuda_fft *fft = nullptr;
    CHECK(psg_cuda_fft_create_xy(&fft, PSG_CUDA_F64, PSG_CUDA_FORWARD, periodic, 0, 1, 1) != 0 &&
          !fft);
    CHECK(psg_cuda_fft_create_z(&fft, PSG_CUDA_F64, PSG_CUDA_Z_STRIDED, PSG_CUDA_DFT, 0, 5) != 0 &&
          !fft);
    CHECK(strstr(psg_cuda_error_string(PSG_CUDA_CUFFT_ERROR + 2), "memory") != nullptr);
    return check_result();
}
