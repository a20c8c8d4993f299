// The division multiplies every mode by its factor in both layouts, zero where the denominator is
// zero; scaling scales, and flags what is not finite.
#include "kernels/complex.cuh"
#include "kernels/divide.h"
#include "kernels/scale.h"
#include "tests/kernels/check_cuda.h"
#include <limits>

using psg_cuda::complex_t;

template <class Real>
static void divide(psg_cuda_layout layout, size_t nxc, size_t rows, size_t nz, double lambda,
                   bool pairs = false) {
    using Complex = complex_t<Real>;
    const size_t columns = nxc * rows, each = pairs ? 2 : 1;
    std::vector<Real> ex(nxc * each), ey(rows), ez(nz);
    for (std::vector<Real> *e : {&ex, &ey, &ez})
        for (size_t i = 0; i < e->size(); i++)
            (*e)[i] = i == 0 ? Real(0) : (Real)(-2.0 - check_uniform());
    std::vector<Complex> host(columns * nz);
    for (Complex &v : host)
        v = {(Real)check_uniform(), (Real)check_uniform()};
    const device_array<Real> ex_d(ex), ey_d(ey), ez_d(ez);
    const device_array<Complex> sheet(host), mode0(1);
    const double scale = 0.25;
    const psg_cuda_symbol symbol = {ex_d.data(), ey_d.data(),  ez_d.data(), lambda,
                                    scale,       mode0.data(), nullptr,     pairs};
    MUST(psg_cuda_divide(precision_of<Real>(), layout, sheet.data(), columns, nxc, nz, &symbol, 0));
    const std::vector<Complex> got = sheet.get();
    const Complex mean = mode0.get()[0];
    CHECK(mean.x == host[0].x && mean.y == host[0].y);
    const double tolerance = sizeof(Real) == 8 ? 1e-15 : 1.5e-6; // f32: of its sums too
    for (size_t i = 0; i < got.size(); i++) {
        const size_t c = layout == PSG_CUDA_Z_STRIDED ? i % columns : i / nz;
        const size_t k = layout == PSG_CUDA_Z_STRIDED ? i / columns : i % nz;
        double factor[2];
        for (size_t part = 0; part < 2; part++) {
            const double x = ex[c % nxc * each + part * (each - 1)];
            const double d = x + ey[c / nxc] + ez[k] - (double)(Real)lambda;
            factor[part] = d == 0 ? 0 : scale / d;
        }
        const double e =
            fabs(got[i].x - factor[0] * host[i].x) + fabs(got[i].y - factor[1] * host[i].y);
        if (!(e <= tolerance * fmax(fabs(factor[0]), fabs(factor[1])))) {
            FAIL("divide, layout %d, %zu x %zu x %zu, lambda %g: mode (%zu, %zu, %zu) off by %g",
                 layout, nxc, rows, nz, lambda, c % nxc, c / nxc, k, e);
            return;
        }
    }
}

static psg_cuda_field line(void *at, size_t n) {
    return psg_cuda_dense_field(at, n, 1);
}

template <class Real> static void scale(size_t n, size_t offset, bool in_place) {
    std::vector<Real> host(n + offset);
    for (size_t i = 0; i < host.size(); i++)
        host[i] = (Real)i;
    device_array<Real> in(host), out(n + offset);
    const device_array<int> flag(std::vector<int>{0});
    Real *to = in_place ? in.data() + offset : out.data() + offset;
    const psg_cuda_field a = line(in.data() + offset, n), b = line(to, n);
    const size_t extents[3] = {n, 1, 1};
    MUST(psg_cuda_scale(precision_of<Real>(), &a, &b, extents, 0.5, flag.data(), 0));
    CHECK(flag.get()[0] == 0);
    const std::vector<Real> got = in_place ? in.get() : out.get();
    for (size_t i = offset; i < n + offset; i++)
        if (!(got[i] == host[i] / 2)) {
            FAIL("scale of %zu from %zu: element %zu is %g", n, offset, i, (double)got[i]);
            return;
        }
}

/// Points of fields with pitches, one of them not finite or none; and in place.
template <class Real> static void scale_pitched(size_t nx, size_t ny, size_t planes) {
    const size_t n[3] = {nx, ny, planes};
    std::vector<Real> dense(nx * ny * planes), half(dense.size());
    for (size_t i = 0; i < dense.size(); i++) {
        dense[i] = (Real)(i % 1000003);
        half[i] = dense[i] / 2;
    }
    for (const pitches &p : all_pitches)
        for (const pitches &q : {p, pitches{0, 0, 0}, pitches{3, 1, 4}}) {
            pitched_field<Real> in(nx, ny, planes, p), out(nx, ny, planes, q);
            const psg_cuda_field from = in.field(), to = out.field();
            const device_array<int> flag(std::vector<int>{0});
            in.put(dense);
            MUST(psg_cuda_scale(precision_of<Real>(), &from, &to, n, 0.5, flag.data(), 0));
            in.check(dense, "scale, in");
            out.check(half, "scale, out");
            CHECK(flag.get()[0] == 0); // what stands between the points is NaN
            MUST(psg_cuda_scale(precision_of<Real>(), &from, &from, n, 0.5, flag.data(), 0));
            in.check(half, "scale in place");
            dense.back() = (Real)INFINITY;
            in.put(dense);
            MUST(psg_cuda_scale(precision_of<Real>(), &from, &to, n, 0.5, flag.data(), 0));
            CHECK(flag.get()[0] == 1);
            dense.back() = 2 * half.back();
        }
}

/// One number that is not finite, or becomes so: the flag is set, wherever it stands.
template <class Real> static void scale_nonfinite(size_t n, size_t offset) {
    const Real most = std::numeric_limits<Real>::max();
    const Real bad[] = {(Real)NAN, (Real)INFINITY, -(Real)INFINITY, most, -most};
    const size_t places[] = {0, n / 2, n - 1};
    for (Real value : bad)
        for (size_t at : places) {
            std::vector<Real> host(n + offset, Real(1));
            host[offset + at] = value;
            device_array<Real> in(host);
            device_array<int> flag(std::vector<int>{0});
            const psg_cuda_field a = line(in.data() + offset, n);
            const size_t extents[3] = {n, 1, 1};
            MUST(psg_cuda_scale(precision_of<Real>(), &a, &a, extents, 2.0, flag.data(), 0));
            if (flag.get()[0] != 1)
                FAIL("scale of %zu from %zu: %g at %zu leaves the flag at %d", n, offset,
                     (double)value, at, flag.get()[0]);
        }
}

template <class Real> static void all(bool small) {
    for (psg_cuda_layout layout : {PSG_CUDA_Z_STRIDED, PSG_CUDA_Z_CONTIGUOUS})
        for (double lambda : {0.0, 1.5}) {
            divide<Real>(layout, 5, 4, 9, lambda);
            divide<Real>(layout, 1, 1, 1, lambda);
            divide<Real>(layout, 33, 9, 16, lambda);
            divide<Real>(layout, 33, 9, 16, lambda, true);
            if (small)
                continue;
            divide<Real>(layout, 7, 3, 3000, lambda);
            divide<Real>(layout, 129, 70, 65, lambda);
            divide<Real>(layout, 1, 2, 600000, lambda);
        }
    for (size_t n :
         {(size_t)1, (size_t)3, (size_t)1000, (size_t)4099, (size_t)(small ? 7 : 5000011)}) {
        for (size_t offset : {(size_t)0, (size_t)1})
            for (bool in_place : {false, true})
                scale<Real>(n, offset, in_place);
    }
    for (size_t offset : {(size_t)0, (size_t)1})
        for (size_t n : {(size_t)1, (size_t)3, (size_t)4099})
            scale_nonfinite<Real>(n, offset);
    scale_pitched<Real>(1, 1, 1);
    scale_pitched<Real>(7, 5, 3);
    scale_pitched<Real>(300, 33, 2);
    scale_pitched<Real>(2, 3, small ? 9 : 70001); // more planes than a grid has along y
}

int main(int argc, char **argv) {
    const bool small = argc > 1 && strcmp(argv[1], "small") == 0;
    need_device();
    all<double>(small);
    all<float>(small);
    const psg_cuda_symbol symbol = psg_cuda_symbol();
    CHECK(psg_cuda_divide(PSG_CUDA_F64, PSG_CUDA_Z_STRIDED, nullptr, 1, 1, 1, &symbol, 0) ==
          cudaErrorInvalidValue);
    const size_t n[3] = {4, 3, 2}, none[3] = {4, 0, 2};
    const device_array<double> room(4 * 3 * 2);
    const psg_cuda_field good = psg_cuda_dense_field(room.data(), 4, 3), nowhere = {nullptr, 4, 12},
                         narrow = {room.data(), 3, 12}, low = {room.data(), 4, 11},
                         odd = {(char *)room.data() + 4, 4, 12};
    for (const psg_cuda_field &bad : {nowhere, narrow, low, odd}) {
        CHECK(psg_cuda_scale(PSG_CUDA_F64, &good, &bad, n, 1, nullptr, 0) == cudaErrorInvalidValue);
        CHECK(psg_cuda_scale(PSG_CUDA_F64, &bad, &good, n, 1, nullptr, 0) == cudaErrorInvalidValue);
    }
    CHECK(psg_cuda_scale(PSG_CUDA_F64, nullptr, &good, n, 1, nullptr, 0) == cudaErrorInvalidValue);
    CHECK(psg_cuda_scale(PSG_CUDA_F64, &good, &good, none, 1, nullptr, 0) == cudaSuccess);
    return check_result();
}
