// Each mode of a dense segment becomes sqrt(-1) times its wavenumber and itself, in a copy and in place.
#include "kernels/complex.cuh"
#include "kernels/differentiate.h"
#include "tests/kernels/check_cuda.h"

using psg_cuda::complex_t;

template <class Real>
static void differentiate(size_t nxc, size_t ny, size_t planes, bool in_place) {
    using Complex = complex_t<Real>;
    const size_t n[3] = {nxc, ny, planes};
    std::vector<Real> kx(nxc), ky(ny);
    for (std::vector<Real> *k : {&kx, &ky})
        for (Real &v : *k)
            v = (Real)check_uniform();
    std::vector<Complex> host(nxc * ny * planes);
    for (Complex &v : host)
        v = {(Real)check_uniform(), (Real)check_uniform()};
    const device_array<Real> kx_d(kx), ky_d(ky);
    device_array<Complex> from(host), to(host.size());
    for (int along = 0; along < 4; along++) {
        const psg_cuda_derivative by = {along & 1 ? kx_d.data() : nullptr,
                                        along & 2 ? ky_d.data() : nullptr, 0.5};
        const std::vector<Complex> before = from.get();
        MUST(psg_cuda_differentiate(precision_of<Real>(), from.data(), n, &by,
                                    in_place ? from.data() : to.data(), 0));
        const std::vector<Complex> got = in_place ? from.get() : to.get();
        for (size_t i = 0; i < got.size(); i++) {
            const double f =
                0.5 * (along & 1 ? kx[i % nxc] : 1) * (along & 2 ? ky[i / nxc % ny] : 1);
            const double e = fabs(got[i].x + f * before[i].y) + fabs(got[i].y - f * before[i].x);
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
    const psg_cuda_derivative by = {nullptr, nullptr, 1};
    const device_array<double> room(2 * 6);
    const size_t n[3] = {3, 2, 1}, none[3] = {3, 2, 0};
    CHECK(psg_cuda_differentiate(PSG_CUDA_F64, room.data(), n, &by, nullptr, 0) ==
          cudaErrorInvalidValue);
    CHECK(psg_cuda_differentiate(PSG_CUDA_F64, nullptr, n, &by, room.data(), 0) ==
          cudaErrorInvalidValue);
    CHECK(psg_cuda_differentiate(PSG_CUDA_F64, room.data(), none, &by, nullptr, 0) == cudaSuccess);
    return check_result();
}
