// Each mode of a part becomes sqrt(-1) times its wavenumber and itself, in a copy and in place, and nothing beside it is written.
#include "kernels/complex.cuh"
#include "kernels/differentiate.h"
#include "tests/kernels/check_cuda.h"

using psg_cuda::complex_t;

template <class Real>
static void differentiate(size_t nxc, size_t rows, size_t planes, size_t strip, size_t gap,
                          bool in_place) {
    using Complex = complex_t<Real>;
    const size_t columns = nxc * rows, pitch = columns + gap, y0 = 3, across = strip ? strip : nxc;
    std::vector<Real> kx(nxc), ky(y0 + rows);
    for (std::vector<Real> *k : {&kx, &ky})
        for (Real &v : *k)
            v = (Real)check_uniform();
    std::vector<Complex> host(pitch * planes);
    for (Complex &v : host)
        v = {(Real)check_uniform(), (Real)check_uniform()};
    const device_array<Real> kx_d(kx), ky_d(ky);
    device_array<Complex> from(host), to(columns * planes);
    const psg_cuda_xy_part part = {from.data(), pitch, y0, rows};
    for (int along = 0; along < 4; along++) {
        const psg_cuda_derivative by = {along & 1 ? kx_d.data() : nullptr,
                                        along & 2 ? ky_d.data() : nullptr, 0.5};
        const std::vector<Complex> before = from.get();
        MUST(psg_cuda_differentiate(precision_of<Real>(), &part, planes, nxc, strip, &by,
                                    in_place ? from.data() : to.data(), 0));
        const std::vector<Complex> got = in_place ? from.get() : to.get();
        for (size_t k = 0; k < planes; k++)
            for (size_t m = 0, index = 0; m < nxc; m += across) // a strip, row by row
                for (size_t j = 0; j < rows; j++)
                    for (size_t i = m; i < m + across && i < nxc; i++, index++) {
                        const double f =
                            0.5 * (along & 1 ? kx[i] : 1) * (along & 2 ? ky[y0 + j] : 1);
                        const Complex v = before[k * pitch + index], g = got[k * columns + index];
                        const double e = fabs(g.x + f * v.y) + fabs(g.y - f * v.x);
                        if (!(e <= (sizeof(Real) == 8 ? 1e-15 : 1e-6))) {
                            FAIL("%zu x %zu x %zu, strip %zu, along %d: number %zu of plane %zu is "
                                 "off by %g",
                                 nxc, rows, planes, strip, along, index, k, e);
                            return;
                        }
                    }
    }
}

template <class Real> static void all() {
    differentiate<Real>(1, 1, 1, 0, 0, false);
    differentiate<Real>(129, 70, 5, 0, 9, false);
    differentiate<Real>(129, 70, 5, 16, 9, false);
    differentiate<Real>(129, 33, 3, 32, 0, true);
    differentiate<Real>(5, 1, 70001, 0, 0, true);
    differentiate<Real>(513, 512, 2, 0, 0, false);
}

int main() {
    need_device();
    all<double>();
    all<float>();
    const psg_cuda_derivative by = {nullptr, nullptr, 1};
    const device_array<double> room(2 * 6);
    const psg_cuda_xy_part good = {room.data(), 6, 0, 2}, narrow = {room.data(), 5, 0, 2},
                           nowhere = {nullptr, 6, 0, 2}, none = {room.data(), 6, 0, 0};
    CHECK(psg_cuda_differentiate(PSG_CUDA_F64, &good, 1, 3, 0, &by, nullptr, 0) ==
          cudaErrorInvalidValue);
    for (const psg_cuda_xy_part &bad : {narrow, nowhere})
        CHECK(psg_cuda_differentiate(PSG_CUDA_F64, &bad, 1, 3, 0, &by, room.data(), 0) ==
              cudaErrorInvalidValue);
    CHECK(psg_cuda_differentiate(PSG_CUDA_F64, &good, 1, 3, 4, &by, room.data(), 0) ==
          cudaErrorInvalidValue);
    CHECK(psg_cuda_differentiate(PSG_CUDA_F64, &none, 1, 3, 0, &by, room.data(), 0) == cudaSuccess);
    return check_result();
}
