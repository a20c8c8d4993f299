// Each mode of a dense segment is multiplied by a complex number along x and one along y, in a copy
// and in place.
#include "kernels/complex.cuh"
#include "kernels/differentiate.h"
#include "tests/kernels/check_cuda.h"

#include <complex>

using psg_cuda::complex_t;

template <class Real>
static void differentiate(size_t nxc, size_t ny, size_t planes, bool in_place) {
    using Complex = complex_t<Real>;
    const size_t n[3] = {nxc, ny, planes};
    std::vector<Complex> kx(nxc), ky(ny);
    for (std::vector<Complex> *k : {&kx, &ky})
        for (Complex &v : *k)
            v = {(Real)check_uniform(), (Real)check_uniform()};
    std::vector<Complex> host(nxc * ny * planes);
    for (Complex &v : host)
        v = {(Real)check_uniform(), (Real)check_uniform()};
    const device_array<Complex> kx_d(kx), ky_d(ky);
    device_array<Complex> from(host), to(host.size());
    for (int along = 0; along < 4; along++) {
        const psg_cuda_derivative by = {
            along & 1 ? kx_d.data() : nullptr, along & 2 ? ky_d.data() : nullptr, {0.5, 0.25}};
        const std::vector<Complex> before = from.get();
        MUST(psg_cuda_differentiate(precision_of<Real>(), from.data(), n, &by,
                                    in_place ? from.data() : to.data(), 0));
        const std::vector<Complex> got = in_place ? from.get() : to.get();
        for (size_t i = 0; i < got.size(); i++) {
            const auto number = [](Complex v) { return std::complex<double>(v.x, v.y); };
            const std::complex<double> f = std::complex<double>(0.5, 0.25) *
                                           (along & 1 ? number(kx[i % nxc]) : 1) *
                                           (along & 2 ? number(ky[i / nxc % ny]) : 1);
            const double e = std::abs(number(got[i]) - f * number(before[i]));
            if (!(e <= (sizeof(Real) == 8 ? 1e-15 : 1e-6))) {
                FAIL("%zu x %zu x %zu, along %d: number %zu is off by %g", nxc, ny, planes, along,
                     i, e);
                return;
            }
        }
    }
}

template <class Real> static void all() {
    differentiate<Real>(1, 1, 1, false);
    differentiate<Real>(129, 70, 5, false);
    differentiate<Real>(5, 1, 70001, true);
    differentiate<Real>(513, 512, 2, false);
}

int main() {
    need_device();
    all<double>();
    all<float>();
    const psg_cuda_derivative by = {nullptr, nullptr, {1, 0}};
    const device_array<double> room(2 * 6);
    const size_t n[3] = {3, 2, 1}, none[3] = {3, 2, 0};
    CHECK(psg_cuda_differentiate(PSG_CUDA_F64, room.data(), n, &by, nullptr, 0) ==
          cudaErrorInvalidValue);
    CHECK(psg_cuda_differentiate(PSG_CUDA_F64, nullptr, n, &by, room.data(), 0) ==
          cudaErrorInvalidValue);
    CHECK(psg_cuda_differentiate(PSG_CUDA_F64, room.data(), none, &by, nullptr, 0) == cudaSuccess);
    return check_result();
}
