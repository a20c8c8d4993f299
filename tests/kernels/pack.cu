// Packing puts every row of a segment and every plane of a sheet where it belongs, unpacking brings it
// back, for uneven and empty pieces, more pieces than one launch takes, and both layouts along z.
#include "kernels/complex.cuh"
#include "kernels/pack.h"
#include "tests/kernels/check_cuda.h"
#include <memory>

using psg_cuda::complex_t;

/// A number that tells its index: exact in both precisions below 2^24.
template <class Real> static std::vector<complex_t<Real>> indices(size_t n) {
    std::vector<complex_t<Real>> v(n);
    for (size_t i = 0; i < n; i++)
        v[i] = {(Real)i, -(Real)i - 1};
    return v;
}

template <class Real> static bool same(complex_t<Real> a, complex_t<Real> b) {
    return a.x == b.x && a.y == b.y;
}

/// Boundaries of `count` pieces of n: uneven, some of them empty if `empty`.
static std::vector<size_t> cuts(size_t n, size_t count, bool empty) {
    std::vector<size_t> at(count + 1, 0);
    for (size_t i = 1; i < count; i++)
        at[i] = empty ? n * i * i / (count * count) : i + (n - count) * i * i / (count * count);
    at[count] = n;
    return at;
}

template <class Real>
static void segment(size_t nxc, size_t ny, size_t planes, size_t count, bool empty) {
    using Complex = complex_t<Real>;
    const std::vector<size_t> y0 = cuts(ny, count, empty);
    const std::vector<Complex> host = indices<Real>(planes * ny * nxc);
    device_array<Complex> whole(host);
    std::vector<std::unique_ptr<device_array<Complex>>> block;
    std::vector<void *> pointer;
    for (size_t p = 0; p < count; p++) {
        const size_t rows = y0[p + 1] - y0[p];
        block.emplace_back(new device_array<Complex>(planes * rows * nxc));
        pointer.push_back(rows ? block.back()->data() : nullptr);
    }
    MUST(psg_cuda_pack_segment(precision_of<Real>(), whole.data(), nxc, ny, planes, pointer.data(),
                               y0.data(), count, 0));
    for (size_t p = 0; p < count; p++) {
        const size_t rows = y0[p + 1] - y0[p];
        const std::vector<Complex> got = block[p]->get();
        for (size_t i = 0; i < got.size(); i++) {
            const size_t z = i / (rows * nxc), c = i % (rows * nxc);
            if (!same(got[i], host[(z * ny + y0[p]) * nxc + c])) {
                FAIL("segment %zu x %zu x %zu, piece %zu of %zu: plane %zu, column %zu is %g", nxc,
                     ny, planes, p, count, z, c, (double)got[i].x);
                return;
            }
        }
    }
    whole.poison();
    MUST(psg_cuda_unpack_segment(precision_of<Real>(), whole.data(), nxc, ny, planes,
                                 pointer.data(), y0.data(), count, 0));
    const std::vector<Complex> back = whole.get();
    for (size_t i = 0; i < host.size(); i++)
        if (!same(back[i], host[i])) {
            FAIL("segment %zu x %zu x %zu back from %zu pieces: element %zu is %g", nxc, ny, planes,
                 count, i, (double)back[i].x);
            return;
        }
}

template <class Real>
static void sheet(psg_cuda_layout layout, size_t columns, size_t nz, size_t count, size_t gap) {
    using Complex = complex_t<Real>;
    const std::vector<size_t> z0 = cuts(nz, count, false);
    const std::vector<Complex> host = indices<Real>(columns * nz);
    const Complex hole = {Real(-7), Real(-7)};
    const size_t pitch = columns + gap;
    std::vector<std::unique_ptr<device_array<Complex>>> block;
    std::vector<psg_cuda_segment> segment;
    for (size_t s = 0; s < count; s++) {
        const size_t planes = z0[s + 1] - z0[s];
        block.emplace_back(new device_array<Complex>(std::vector<Complex>(planes * pitch, hole)));
        segment.push_back({block.back()->data(), planes, pitch});
    }
    const auto place = [&](size_t z, size_t c) {
        return layout == PSG_CUDA_Z_STRIDED ? z * columns + c : c * nz + z;
    };
    device_array<Complex> whole(host);
    MUST(psg_cuda_pack_sheet(precision_of<Real>(), layout, whole.data(), columns, nz,
                             segment.data(), count, 0));
    for (size_t s = 0; s < count; s++) {
        const std::vector<Complex> got = block[s]->get();
        for (size_t i = 0; i < got.size(); i++) {
            const size_t z = z0[s] + i / pitch, c = i % pitch;
            if (!same(got[i], c < columns ? host[place(z, c)] : hole)) {
                FAIL("sheet of %zu columns, layout %d, %zu segments: plane %zu, column %zu is %g",
                     columns, layout, count, z, c, (double)got[i].x);
                return;
            }
        }
    }
    whole.poison();
    MUST(psg_cuda_unpack_sheet(precision_of<Real>(), layout, whole.data(), columns, nz,
                               segment.data(), count, 0));
    const std::vector<Complex> back = whole.get();
    for (size_t i = 0; i < host.size(); i++)
        if (!same(back[i], host[i])) {
            FAIL("sheet of %zu columns, layout %d, from %zu segments: element %zu is %g", columns,
                 layout, count, i, (double)back[i].x);
            return;
        }
}

template <class Real> static void all(bool small) {
    segment<Real>(6, 10, 3, 1, false);
    segment<Real>(5, 11, 4, 3, false);
    segment<Real>(33, 17, 2, 5, true);
    segment<Real>(1, 9, 7, 9, false);
    for (psg_cuda_layout layout : {PSG_CUDA_Z_STRIDED, PSG_CUDA_Z_CONTIGUOUS}) {
        sheet<Real>(layout, 30, 11, 1, 0);
        sheet<Real>(layout, 33, 65, 4, 0);
        sheet<Real>(layout, 1, 40, 40, 3);
        sheet<Real>(layout, 77, 1, 1, 5);
        if (small)
            continue;
        sheet<Real>(layout, 65, 301, 300, 0);
        sheet<Real>(layout, 1100, 70, 7, 300);
        sheet<Real>(layout, 3, 140000, 2, 0);
    }
    if (small)
        return;
    segment<Real>(129, 140, 3, 140, false);
    segment<Real>(7, 600, 5, 300, true);
    segment<Real>(257, 64, 9, 8, false);
    segment<Real>(2, 3, 70000, 2, false);
}

static void arguments() {
    device_array<double> a(64);
    const size_t y0[] = {0, 2}, bad[] = {2, 0};
    void *block[] = {a.data()}, *null[] = {nullptr};
    const psg_cuda_segment segment = {a.data(), 2, 4}, thin = {a.data(), 2, 3};
    CHECK(psg_cuda_pack_segment(PSG_CUDA_F64, a.data(), 2, 2, 2, block, bad, 1, 0) ==
          cudaErrorInvalidValue);
    CHECK(psg_cuda_pack_segment(PSG_CUDA_F64, a.data(), 2, 2, 2, null, y0, 1, 0) ==
          cudaErrorInvalidValue);
    CHECK(psg_cuda_pack_segment(PSG_CUDA_F64, a.data(), 2, 1, 2, block, y0, 1, 0) ==
          cudaErrorInvalidValue);
    CHECK(psg_cuda_pack_sheet(PSG_CUDA_F64, PSG_CUDA_Z_STRIDED, a.data(), 4, 3, &segment, 1, 0) ==
          cudaErrorInvalidValue);
    CHECK(psg_cuda_pack_sheet(PSG_CUDA_F64, PSG_CUDA_Z_STRIDED, a.data(), 4, 2, &thin, 1, 0) ==
          cudaErrorInvalidValue);
}

int main(int argc, char **argv) {
    const bool small = argc > 1 && strcmp(argv[1], "small") == 0;
    need_device();
    all<double>(small);
    all<float>(small);
    arguments();
    return check_result();
}
