// Transposes, packs, divisions, derivatives and sums, run on the CPU thread by thread from the same source as on the GPU,
// move every element where it belongs, once, and touch nothing else. Needs no device.
#include "kernels/differentiate.cuh"
#include "kernels/divide.cuh"
#include "kernels/pack.cuh"
#include "kernels/transpose.cuh"
#include "workloads/vadd.cuh"
#include <complex>
#include <cstdio>
#include <cstring>
#include <vector>

using namespace psg_cuda;

static int failures = 0;

/// @param a, b, c, d  what the case is called with
static void fail(const char *what, size_t a, size_t b, size_t c, int d) {
    if (failures++ < 20)
        printf("FAIL %s: %zu, %zu, %zu, %d\n", what, a, b, c, d);
}

/// 0, 1, 2, .. as elements; `hole` marks what must not be read or written.
constexpr uint32_t hole = 0xFFFFFFFF;
typedef element_t<8> E;
static std::vector<E> numbers(size_t n) {
    std::vector<E> v(n);
    for (size_t i = 0; i < n; i++)
        v[i] = {{(uint32_t)i, ~(uint32_t)i}};
    return v;
}
static bool equal(const std::vector<E> &a, const std::vector<E> &b) {
    return a.empty() || memcmp(a.data(), b.data(), a.size() * sizeof(E)) == 0;
}

static void plane(bool turns, transpose_args a) {
    if (turns) {
        a.across = (uint32_t)div_up(a.nx, transpose_tile);
        const uint32_t blocks = a.across * (uint32_t)div_up(a.ny, transpose_tile);
        for (uint32_t block = 0; block < blocks; block++) {
            std::vector<E> tile(transpose_tile * (transpose_tile + 1), E{{hole, hole}});
            for (uint32_t t = 0; t < transpose_tile * transpose_rows; t++)
                transpose_load(a, transpose_place(a, block, t % 32, t / 32), tile.data());
            for (uint32_t t = 0; t < transpose_tile * transpose_rows; t++)
                transpose_store(a, transpose_place(a, block, t % 32, t / 32), tile.data());
        }
    } else {
        const uint32_t width = rows_width(a.nx), high = rows_threads / width;
        a.across = (uint32_t)div_up(a.nx, (size_t)width * transpose_elements);
        const uint32_t blocks = a.across * (uint32_t)div_up(a.ny, high);
        for (uint32_t block = 0; block < blocks; block++)
            for (uint32_t t = 0; t < rows_threads; t++)
                rows_copy<E>(a, block, t % width, t / width, width, high);
    }
}

/// A copy or a transpose of three planes, with gaps between the rows, and a row
/// after the last of each that is not written.
static void matrix(bool turns, const size_t *n, size_t in_gap, size_t out_gap) {
    constexpr uint32_t planes = 3;
    const size_t in_row = n[0] + in_gap, out_row = n[turns ? 1 : 0] + out_gap;
    const size_t in_plane = in_row * n[1], out_plane = out_row * (n[turns ? 0 : 1] + 1);
    const std::vector<E> in = numbers(in_plane * planes);
    std::vector<E> out(out_plane * planes, E{{hole, hole}}), want = out;
    for (size_t z = 0; z < planes; z++)
        for (size_t y = 0; y < n[1]; y++)
            for (size_t x = 0; x < n[0]; x++)
                want[z * out_plane + (turns ? y + x * out_row : x + y * out_row)] =
                    in[z * in_plane + x + y * in_row];
    const transpose_args all = {in.data(), out.data(), n[0],     (uint32_t)n[1], 0,
                                in_row,    out_row,    in_plane, out_plane};
    for (uint32_t z = 0; z < planes; z++)
        plane(turns, plane_of<E>(all, z));
    if (!equal(out, want))
        fail(turns ? "transpose" : "copy", n[0], n[1], in_gap, (int)out_gap);
}

/// Uneven pieces of n, some empty.
static std::vector<uint32_t> cuts(uint32_t n, uint32_t count) {
    std::vector<uint32_t> at(count + 1, 0);
    for (uint32_t i = 1; i < count; i++)
        at[i] = n * i * i / (count * count);
    at[count] = n;
    return at;
}

static void segment(uint32_t nxc, uint32_t ny, uint32_t planes, uint32_t count) {
    const std::vector<uint32_t> y0 = cuts(ny, count);
    std::vector<E> whole = numbers((size_t)nxc * ny * planes);
    const std::vector<E> before = whole;
    std::vector<std::vector<E>> block(count), want(count);
    pack_args a = pack_args();
    a.whole = whole.data();
    a.nxc = nxc;
    a.columns = (size_t)nxc * ny;
    a.n = nxc * ny;
    a.nz = planes;
    a.list.count = count;
    a.list.z0[count] = ny;
    for (uint32_t p = 0; p < count; p++) {
        const size_t width = (size_t)(y0[p + 1] - y0[p]) * nxc;
        block[p].assign(width * planes, E{{hole, hole}});
        for (size_t i = 0; i < width * planes; i++)
            want[p].push_back(before[i / width * a.columns + y0[p] * nxc + i % width]);
        a.list.base[p] = reinterpret_cast<char *>(block[p].data());
        a.list.z0[p] = y0[p];
        a.list.pitch_bytes[p] = width * sizeof(E);
    }
    const uint32_t blocks = (uint32_t)div_up(a.n, pack_threads * pack_elements);
    for (int pack = 1; pack >= 0; pack--) {
        for (uint32_t b = 0; b < blocks; b++)
            for (uint32_t z = 0; z < planes; z++)
                for (uint32_t t = 0; t < pack_threads; t++)
                    if (pack)
                        pack_segment_plane<E, true>(a, b, z, t);
                    else
                        pack_segment_plane<E, false>(a, b, z, t);
        for (uint32_t p = 0; p < count && pack; p++)
            if (!equal(block[p], want[p]))
                fail("pack of a segment", nxc, ny, planes, (int)p);
        if (pack)
            whole.assign(whole.size(), E{{hole, hole}});
    }
    if (!equal(whole, before))
        fail("unpack of a segment", nxc, ny, planes, (int)count);
}

static void sheet(bool strided, uint32_t columns, uint32_t nz, uint32_t count, uint32_t gap) {
    const size_t pitch = columns + gap;
    std::vector<E> whole = numbers((size_t)columns * nz);
    const std::vector<E> before = whole;
    std::vector<std::vector<E>> block(count);
    std::vector<psg_cuda_segment> segments;
    for (uint32_t s = 0, z = 0; s < count; s++) {
        const uint32_t planes = s + 1 == count ? nz - z : 1 + (nz - z - (count - s)) / 3;
        block[s].assign(planes * pitch, E{{hole, hole}});
        segments.push_back({block[s].data(), planes, pitch});
        z += planes;
    }
    if (!segments_valid(segments.data(), count, nz, columns, sizeof(E)))
        fail("segments", columns, nz, count, 0);
    for (int pack = 1; pack >= 0; pack--) {
        pack_args a = pack_args();
        a.whole = whole.data();
        a.columns = columns;
        a.n = columns;
        for (size_t first = 0; first < count;) {
            first += segment_list_fill(&a.list, segments.data(), count, first, a.z, sizeof(E));
            a.nz = a.list.z0[a.list.count] - a.z;
            if (strided) {
                for (uint32_t b = 0; b < div_up(a.n, pack_threads * pack_elements); b++)
                    for (uint32_t z = 0; z < a.nz; z++)
                        for (uint32_t t = 0; t < pack_threads; t++)
                            if (pack)
                                pack_sheet_plane<E, true>(a, b, z, t);
                            else
                                pack_sheet_plane<E, false>(a, b, z, t);
            } else {
                for (uint32_t c = 0; c < columns; c += transpose_tile)
                    for (uint32_t z = 0; z < a.nz; z += transpose_tile) {
                        std::vector<E> tile(transpose_tile * (transpose_tile + 1), E{{hole, hole}});
                        for (uint32_t t = 0; t < 256; t++)
                            if (pack)
                                pack_tile_load<E, true, 4>(a, nz, c, z, t % 32, t / 32,
                                                           tile.data());
                            else
                                pack_tile_load<E, false, 4>(a, nz, c, z, t % 32, t / 32,
                                                            tile.data());
                        for (uint32_t t = 0; t < 256; t++)
                            if (pack)
                                pack_tile_store<E, true, 4>(a, nz, c, z, t % 32, t / 32,
                                                            tile.data());
                            else
                                pack_tile_store<E, false, 4>(a, nz, c, z, t % 32, t / 32,
                                                             tile.data());
                    }
            }
            a.z = a.list.z0[a.list.count];
        }
        for (uint32_t s = 0, z = 0; s < count && pack; z += (uint32_t)segments[s].planes, s++)
            for (size_t i = 0; i < block[s].size(); i++) {
                const size_t k = z + i / pitch, c = i % pitch;
                const uint32_t want =
                    c >= columns ? hole : (uint32_t)(strided ? k * columns + c : c * nz + k);
                if (block[s][i].word[0] != want) {
                    fail("pack of a sheet", columns, nz, count, (int)s);
                    return;
                }
            }
        if (pack)
            whole.assign(whole.size(), E{{hole, hole}});
    }
    if (!equal(whole, before))
        fail("unpack of a sheet", columns, nz, count, strided);
}

/// A mode that is not finite, or is not after the division, is reported: also mode 0, which is
/// multiplied by 0.
static void divide_nonfinite(bool strided) {
    const double eigen[4] = {0, 1, 2, 3};
    for (int bad = 0; bad < 3; bad++) {
        std::vector<complex_t<double>> v(4, complex_t<double>{1, 2});
        int found = 0;
        v[bad == 1 ? 0 : 3].x = bad == 1 ? INFINITY : bad == 2 ? 1e10 : 1;
        const divide_args<double> a = {
            v.data(), eigen, eigen, eigen, nullptr, &found, 0, bad == 2 ? 1e300 : 1,
            1,        1,     4,     1,     {}};
        for (uint32_t t = 0; t < (strided ? 1 : divide_width(4)); t++) {
            if (strided)
                divide_strided(a, 0, 0);
            else
                divide_contiguous(a, 0, t, divide_width(4));
        }
        if (found != (bad > 0))
            fail("what is not finite in a division", (size_t)bad, (size_t)found, 0, strided);
    }
}

/// @param each  eigenvalues along x of a number
static void divide(uint32_t nxc, uint32_t rows_, uint32_t nz, bool strided, uint32_t each) {
    const uint32_t columns = nxc * rows_;
    std::vector<double> ex(nxc * each), ey(rows_), ez(nz);
    for (uint32_t i = 0; i < nxc * each; i++)
        ex[i] = i;
    for (uint32_t i = 0; i < rows_; i++)
        ey[i] = 1000.0 * i;
    for (uint32_t i = 0; i < nz; i++)
        ez[i] = 1e6 * i;
    std::vector<complex_t<double>> v((size_t)columns * nz, complex_t<double>{1, 2});
    complex_t<double> mode0 = {0, 0};
    const divide_args<double> a = {v.data(), ex.data(), ey.data(), ez.data(), &mode0, nullptr, 0,
                                   1,        columns,   nxc,       nz,        each,   {}};
    if (strided) {
        for (uint32_t c = 0; c < div_up(columns, divide_threads) * divide_threads; c++)
            for (uint32_t z = 0; z < nz; z += divide_elements)
                divide_strided(a, c, z);
    } else {
        const uint32_t width = divide_width(nz), high = divide_threads / width;
        for (uint32_t c = 0; c < div_up(columns, high) * high; c++)
            for (uint32_t t = 0; t < width; t++)
                divide_contiguous(a, c, t, width);
    }
    for (uint32_t c = 0; c < columns; c++)
        for (uint32_t k = 0; k < nz; k++) {
            const auto factor = [&](uint32_t i) {
                const double d = i + 1000.0 * (c / nxc) + 1e6 * k;
                return d == 0 ? 0 : 1 / d;
            };
            const uint32_t i = c % nxc * each;
            const complex_t<double> got = v[strided ? (size_t)k * columns + c : (size_t)c * nz + k];
            if (got.x != factor(i) || got.y != 2 * factor(i + each - 1)) {
                fail("division", nxc, rows_, nz, strided);
                return;
            }
        }
    if (mode0.x != 1 || mode0.y != 2)
        fail("mode 0 of a division", nxc, rows_, nz, strided);
}

static void differentiate(uint32_t nxc, uint32_t ny, bool along_x, bool along_y) {
    const uint32_t columns = nxc * ny, planes = 3;
    using Complex = std::complex<double>; // whole numbers, which have no rounding
    std::vector<complex_t<double>> kx(nxc), ky(ny);
    for (uint32_t m = 0; m < nxc; m++)
        kx[m] = {1.0 * m, 3.0 - m};
    for (uint32_t j = 0; j < ny; j++)
        ky[j] = {1000.0 + j, 2.0 - j};
    std::vector<complex_t<double>> from((size_t)columns * planes), to(from.size(), {-1, -1});
    for (size_t i = 0; i < from.size(); i++)
        from[i] = {1.0 + (double)i, -2.0 * (double)i};
    const differentiate_args<double> a = {from.data(),
                                          to.data(),
                                          along_x ? kx.data() : nullptr,
                                          along_y ? ky.data() : nullptr,
                                          {0.5, -1.5},
                                          nxc,
                                          columns,
                                          1};
    for (size_t k = 0; k < planes; k++)
        for (uint32_t index = 0; index < columns; index++)
            differentiate_one(a, k, index);
    for (size_t i = 0; i < to.size(); i++) {
        const complex_t<double> x = kx[i % nxc], y = ky[i / nxc % ny];
        const Complex want = Complex(0.5, -1.5) * (along_x ? Complex(x.x, x.y) : Complex(1)) *
                             (along_y ? Complex(y.x, y.y) : Complex(1)) *
                             Complex(from[i].x, from[i].y);
        if (to[i].x != want.real() || to[i].y != want.imag()) {
            fail("derivative", nxc, ny, along_x, (int)i);
            return;
        }
    }
}

/// Sums of whole numbers; -1 is what must not be written.
template <class Real> static void sums(size_t count) {
    std::vector<Real> a(count + 1), b(count + 1), c(count + 1, (Real)-1);
    for (size_t i = 0; i < a.size(); i++) {
        a[i] = (Real)i;
        b[i] = (Real)(2 * i + 1);
    }
    const uint32_t blocks = (uint32_t)div_up(count, (size_t)(vadd_threads * vadd_elements));
    for (uint32_t block = 0; block < blocks; block++)
        for (uint32_t t = 0; t < vadd_threads; t++)
            vadd_part(a.data(), b.data(), c.data(), count, block, t);
    for (size_t i = 0; i < c.size(); i++)
        if (c[i] != (i < count ? (Real)(3 * i + 1) : (Real)-1)) {
            fail("sum", count, i, 1, (int)sizeof(Real));
            return;
        }
}

int main() {
    const size_t sizes[][2] = {{9, 10},  {33, 65}, {65, 33},  {1, 37},   {64, 1},   {70, 3},
                               {1, 1},   {31, 32}, {32, 31},  {64, 96},  {2100, 2}, {5, 100},
                               {128, 9}, {129, 8}, {1024, 3}, {1025, 2}, {2, 1025}};
    for (const size_t *n : sizes)
        for (bool turns : {false, true})
            for (size_t in_gap : {0, 3})
                for (size_t out_gap : {0, 5})
                    matrix(turns, n, in_gap, out_gap);
    for (uint32_t count : {1u, 2u, 3u, 7u, 128u})
        for (uint32_t nxc : {1u, 5u, 33u, 700u})
            segment(nxc, 130, 3, count);
    segment(3, 2, 4, 128);
    for (bool strided : {false, true}) {
        sheet(strided, 30, 11, 1, 0);
        sheet(strided, 33, 65, 4, 0);
        sheet(strided, 1, 40, 40, 3);
        sheet(strided, 1, 1, 1, 0);
        sheet(strided, 1100, 33, 5, 100);
        sheet(strided, 40, 301, 300, 0);
        for (uint32_t nz : {1u, 7u, 8u, 9u, 100u, 3000u})
            for (uint32_t each : {1u, 2u})
                divide(7, 5, nz, strided, each);
        divide(300, 3, 5, strided, 1);
        divide_nonfinite(strided);
    }
    for (size_t count : {1, 2, 3, 4, 5, 1023, 1024, 4095, 4096, 10001}) {
        sums<double>(count);
        sums<float>(count);
    }
    for (int along = 0; along < 4; along++)
        for (uint32_t ny : {1u, 7u})
            differentiate(33, ny, along & 1, along & 2);
    differentiate(1, 1, true, true);
    if (failures)
        printf("%d failures\n", failures);
    return failures ? 1 : 0;
}
