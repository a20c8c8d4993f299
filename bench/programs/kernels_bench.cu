// Times of kernels/ on one GPU beside what the device can do: a periodic solve against cuFFT's 3-D transforms, the fused
// z kernel in all its variants, and the rest against the copy; transposes have a program of their own. With the word
// `pitch` it compares solves of fields with ghost layers and padded rows to solves of dense fields, and does nothing else.
// Medians of CUDA events; what is compared runs in turns. Arrays are larger than the second-level cache. Bandwidths
// count bytes read and bytes written.
#include "bench/programs/gpu.cuh"
#include "kernels/divide.h"
#include "kernels/fft.h"
#include "kernels/kspace.h"
#include "kernels/pack.h"
#include "kernels/scale.h"
#include "kernels/xy.h"
#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define MUST(call)                                                                                 \
    do {                                                                                           \
        const int must_code = (int)(call);                                                         \
        if (must_code != 0) {                                                                      \
            printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                                   \
                   psg_cuda_error_string(must_code));                                              \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define MUST_CUFFT(call)                                                                           \
    do {                                                                                           \
        const cufftResult must_result = (call);                                                    \
        MUST(must_result == CUFFT_SUCCESS ? 0 : PSG_CUDA_CUFFT_ERROR + (int)must_result);          \
    } while (0)

static double copy_rate = 0; // bytes/s of a device copy, measured first

/// Print a line at once.
static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    printf("\n");
    fflush(stdout);
}

typedef bench_buffer buffer;

/// Median milliseconds of each, run in turns.
static std::vector<double> medians(std::vector<bench_work> works, int repeats) {
    const bench_settings settings = {repeats, 2, 1, 0, 0};
    std::vector<bench_job> jobs;
    std::vector<double> ms;
    for (bench_work &work : works)
        jobs.push_back({bench_gpu_run, &work, 0, {}});
    bench_interleave(jobs.data(), jobs.size(), &settings, 0);
    for (const bench_job &job : jobs)
        ms.push_back(1e3 * job.times.median);
    return ms;
}

static double rate(double bytes, double ms) {
    return bytes / (ms * 1e6); // GB/s
}

static void copy_ceiling() {
    const size_t bytes = (size_t)4 << 30;
    const buffer a(bytes), b(bytes);
    bench_randomize<double>(a.p, bytes / 8);
    const double ms = medians(
        {[&] { MUST(cudaMemcpyAsync(b.p, a.p, bytes, cudaMemcpyDeviceToDevice, 0)); }}, 20)[0];
    copy_rate = 2.0 * bytes / ms * 1e3;
    note("copy of 4 GiB: %.3f ms, %.0f GB/s read + write", ms, rate(2.0 * bytes, ms));
}

template <class Real> static psg_cuda_precision precision_of() {
    return sizeof(Real) == 8 ? PSG_CUDA_F64 : PSG_CUDA_F32;
}

/// Eigenvalue tables on the device: of the Laplacian, or such that the fused kernel changes nothing.
template <class Real> struct tables {
    buffer ex, ey, ez;
    psg_cuda_symbol symbol;

    tables(size_t nx, size_t ny, size_t nz, bool identity)
        : ex((nx / 2 + 1) * sizeof(Real)), ey(ny * sizeof(Real)), ez(nz * sizeof(Real)),
          symbol{ex.p, ey.p, ez.p, 0, identity ? 1.0 / nz : 1.0 / ((double)nx * ny * nz), nullptr} {
        put(ex.p, nx / 2 + 1, nx, identity);
        put(ey.p, ny, ny, identity);
        put(ez.p, nz, nz, identity);
    }
    static void put(void *p, size_t count, size_t n, bool identity) {
        std::vector<Real> e(count);
        for (size_t k = 0; k < count; k++) {
            const double w = 2 * M_PI * (double)std::min(k, n - k);
            e[k] = identity ? (Real)(1.0 / 3) : (Real)(-w * w);
        }
        MUST(cudaMemcpy(p, e.data(), count * sizeof(Real), cudaMemcpyHostToDevice));
    }
};

/// The way it is done by hand: one 3-D transform, a kernel, one 3-D transform.
template <class Real> struct peer {
    cufftHandle forward, inverse;
    size_t nx, ny, nz;
    const psg_cuda_symbol *symbol;

    peer(size_t nx_, size_t ny_, size_t nz_, const psg_cuda_symbol *s)
        : nx(nx_), ny(ny_), nz(nz_), symbol(s) {
        const bool f64 = sizeof(Real) == 8;
        MUST_CUFFT(cufftPlan3d(&forward, (int)nz, (int)ny, (int)nx, f64 ? CUFFT_D2Z : CUFFT_R2C));
        MUST_CUFFT(cufftPlan3d(&inverse, (int)nz, (int)ny, (int)nx, f64 ? CUFFT_Z2D : CUFFT_C2R));
    }
    ~peer() {
        cufftDestroy(forward);
        cufftDestroy(inverse);
    }
    void run(void *f, void *spectrum, void *u) const {
        const size_t nxc = nx / 2 + 1;
        if (sizeof(Real) == 8)
            MUST_CUFFT(cufftExecD2Z(forward, (cufftDoubleReal *)f, (cufftDoubleComplex *)spectrum));
        else
            MUST_CUFFT(cufftExecR2C(forward, (cufftReal *)f, (cufftComplex *)spectrum));
        MUST(psg_cuda_divide(precision_of<Real>(), PSG_CUDA_Z_STRIDED, spectrum, ny * nxc, nxc, nz,
                             symbol, 0));
        if (sizeof(Real) == 8)
            MUST_CUFFT(cufftExecZ2D(inverse, (cufftDoubleComplex *)spectrum, (cufftDoubleReal *)u));
        else
            MUST_CUFFT(cufftExecC2R(inverse, (cufftComplex *)spectrum, (cufftReal *)u));
    }
};

/// Ours on views of `slabs` slabs of one spectrum.
template <class Real> struct ours {
    size_t nx, ny, nz, nxc, slabs;
    psg_cuda_fft *forward = nullptr, *inverse = nullptr;
    psg_cuda_kspace *kspace = nullptr;
    buffer *work_area = nullptr;
    const psg_cuda_symbol *symbol;

    ours(size_t nx_, size_t ny_, size_t nz_, size_t slabs_, const psg_cuda_symbol *s)
        : nx(nx_), ny(ny_), nz(nz_), nxc(nx_ / 2 + 1), slabs(slabs_), symbol(s) {
        const psg_cuda_precision p = precision_of<Real>();
        MUST(psg_cuda_fft_create_xy(&forward, p, PSG_CUDA_FORWARD, nx, ny, nz / slabs));
        MUST(psg_cuda_fft_create_xy(&inverse, p, PSG_CUDA_INVERSE, nx, ny, nz / slabs));
        work_area = new buffer(
            std::max(psg_cuda_fft_work_bytes(forward), psg_cuda_fft_work_bytes(inverse)));
        MUST(psg_cuda_fft_set_work_area(forward, work_area->p));
        MUST(psg_cuda_fft_set_work_area(inverse, work_area->p));
        MUST(psg_cuda_kspace_create(&kspace, p, nz, 0));
    }
    ~ours() {
        psg_cuda_fft_destroy(forward);
        psg_cuda_fft_destroy(inverse);
        psg_cuda_kspace_destroy(kspace);
        delete work_area;
    }
    void run_fft(const psg_cuda_fft *fft, void *reals, void *spectrum) const {
        for (size_t s = 0; s < slabs; s++) {
            const psg_cuda_field field =
                psg_cuda_dense_field((Real *)reals + s * (nz / slabs) * ny * nx, nx, ny);
            MUST(psg_cuda_fft_run_xy(fft, &field,
                                     (Real *)spectrum + 2 * s * (nz / slabs) * ny * nxc, nullptr));
        }
    }
    void run_forward(void *f, void *spectrum) const {
        run_fft(forward, f, spectrum);
    }
    void run_inverse(void *spectrum, void *u) const {
        run_fft(inverse, u, spectrum);
    }
    void run_kspace(void *spectrum, const psg_cuda_symbol *s) const {
        std::vector<psg_cuda_segment> view;
        for (size_t i = 0; i < slabs; i++)
            view.push_back(
                {(Real *)spectrum + 2 * i * (nz / slabs) * ny * nxc, nz / slabs, ny * nxc});
        const psg_cuda_columns columns = {ny, nxc, 0};
        const psg_cuda_band band = {view.data(), slabs, ny, NULL, 0};
        MUST(psg_cuda_kspace_run(kspace, &band, 1, &columns, s, 0));
    }
    void run(void *f, void *spectrum, void *u) const {
        run_forward(f, spectrum);
        run_kspace(spectrum, symbol);
        run_inverse(spectrum, u);
    }
};

/// Largest difference of the first numbers of a and b, over the largest of b.
template <class Real> static double difference(const void *a, const void *b, size_t n) {
    n = std::min(n, (size_t)1 << 22);
    std::vector<Real> x(n), y(n);
    MUST(cudaMemcpy(x.data(), a, n * sizeof(Real), cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(y.data(), b, n * sizeof(Real), cudaMemcpyDeviceToHost));
    double most = 0, worst = 0;
    for (size_t i = 0; i < n; i++) {
        const double e = fabs((double)x[i] - y[i]);
        most = std::max(most, fabs((double)y[i]));
        if (!(e <= worst) && !std::isnan(worst))
            worst = e;
    }
    return worst / most;
}

template <class Real> static void solve(size_t nx, size_t ny, size_t nz, int repeats) {
    const size_t real = nx * ny * nz, spectral = (nx / 2 + 1) * ny * nz;
    const buffer f(real * sizeof(Real)), u(real * sizeof(Real)), v(real * sizeof(Real));
    const buffer spectrum(spectral * 2 * sizeof(Real));
    const tables<Real> t(nx, ny, nz, false), same(nx, ny, nz, true);
    bench_randomize<Real>(f.p, real);
    const peer<Real> by_hand(nx, ny, nz, &t.symbol);
    const ours<Real> one(nx, ny, nz, 1, &t.symbol), four(nx, ny, nz, 4, &t.symbol);
    const std::vector<double> ms =
        medians({[&] { by_hand.run(f.p, spectrum.p, v.p); }, [&] { one.run(f.p, spectrum.p, u.p); },
                 [&] { four.run(f.p, spectrum.p, u.p); }, [&] { one.run_forward(f.p, spectrum.p); },
                 [&] { one.run_kspace(spectrum.p, &same.symbol); },
                 [&] { one.run_inverse(spectrum.p, u.p); }},
                repeats);
    one.run(f.p, spectrum.p, u.p);
    by_hand.run(f.p, spectrum.p, v.p);
    const double off = difference<Real>(u.p, v.p, real);
    note("solve f%zu %zux%zux%zu: cuFFT by hand %.3f ms | ours, 1 slab %.3f ms (%.2fx), 4 slabs "
         "%.3f ms "
         "(%.2fx) | forward xy %.3f, kspace %.3f (%.0f GB/s, %.2f of copy), inverse xy %.3f | "
         "differ by %.1e%s",
         8 * sizeof(Real), nx, ny, nz, ms[0], ms[1], ms[0] / ms[1], ms[2], ms[0] / ms[2], ms[3],
         ms[4], rate(4.0 * spectral * sizeof(Real), ms[4]),
         4.0 * spectral * sizeof(Real) / copy_rate * 1e3 / ms[4], ms[5], off,
         off <= (sizeof(Real) == 8 ? 1e-12 : 1e-4) ? "" : " WRONG");
}

/// The 2-D transforms of a slab, by cuFFT and by the kernel that makes both steps.
template <class Real> static void planes(size_t n) {
    const size_t nxc = n / 2 + 1;
    const psg_cuda_precision precision = precision_of<Real>();
    const buffer field(n * n * n * sizeof(Real)), spectrum(n * n * nxc * 2 * sizeof(Real));
    psg_cuda_xy *xy = nullptr;
    if (psg_cuda_xy_create(&xy, precision, n, n) != cudaSuccess)
        return;
    const buffer room(psg_cuda_xy_work_bytes(xy, n));
    const psg_cuda_xy_part whole = {spectrum.p, n * nxc, 0, n};
    const psg_cuda_field dense = psg_cuda_dense_field(field.p, n, n);
    const tables<Real> t(n, n, n, false);
    const ours<Real> cufft(n, n, n, 1, &t.symbol);
    const auto run = [&](psg_cuda_direction direction) {
        MUST(psg_cuda_xy_run(xy, direction, &dense, n, &whole, 1, room.p, 0));
    };
    bench_randomize<Real>(field.p, n * n * n);
    const std::vector<double> ms =
        medians({[&] { cufft.run_forward(field.p, spectrum.p); }, [&] { run(PSG_CUDA_FORWARD); },
                 [&] { cufft.run_inverse(spectrum.p, field.p); }, [&] { run(PSG_CUDA_INVERSE); }},
                10);
    note("planes f%zu %zu^3: forward cuFFT %.3f ms, one kernel %.3f ms (%.2fx), inverse %.3f, %.3f "
         "(%.2fx)",
         8 * sizeof(Real), n, ms[0], ms[1], ms[0] / ms[1], ms[2], ms[3], ms[2] / ms[3]);
    psg_cuda_xy_destroy(xy);
}

/// How a field stands: reals before its first point, and more reals a row and rows a plane than it has.
struct standing {
    const char *words;
    size_t before, reals, rows;
};

static psg_cuda_field field_at(const buffer &room, const standing &s, size_t n, size_t bytes) {
    const size_t row = n + s.reals;
    return {(char *)room.p + s.before * bytes, row, row * (n + s.rows)};
}

/// A solve with a ghost layer, and with padded rows, over the same solve of dense fields.
template <class Real> static void pitches(size_t n) {
    const psg_cuda_precision precision = precision_of<Real>();
    const size_t nxc = n / 2 + 1, strip = psg_cuda_xy_strip(precision, n, n);
    const standing ways[] = {{"dense", 0, 0, 0},
                             {"ghost layer", 1, 2, 2},
                             {"odd rows", 0, 1, 0},
                             {"rows of 16 more", 0, 16, 0}};
    enum { WAYS = sizeof ways / sizeof ways[0] };
    const size_t most = (n + 16) * (n + 16) * n + 16;
    const buffer f(most * sizeof(Real)), u(most * sizeof(Real));
    const buffer spectrum(n * n * nxc * 2 * sizeof(Real));
    psg_cuda_xy *xy = nullptr;
    psg_cuda_kspace *kspace = nullptr;
    if (psg_cuda_xy_create(&xy, precision, n, n) != cudaSuccess)
        return;
    MUST(psg_cuda_kspace_create(&kspace, precision, n, 0));
    const buffer room(psg_cuda_xy_work_bytes(xy, n));
    const psg_cuda_xy_part whole = {spectrum.p, n * nxc, 0, n};
    const psg_cuda_segment segment = {spectrum.p, n, n * nxc};
    const psg_cuda_band band = {&segment, 1, n, NULL, 0};
    const psg_cuda_columns columns = {n, nxc, strip};
    const tables<Real> t(n, n, n, false);
    bench_randomize<Real>(f.p, most);
    bench_randomize<Real>(spectrum.p, n * n * nxc * 2);
    std::vector<bench_work> works;
    for (const standing &s : ways) {
        const psg_cuda_field from = field_at(f, s, n, sizeof(Real));
        const psg_cuda_field to = field_at(u, s, n, sizeof(Real));
        const auto there = [&, from] {
            MUST(psg_cuda_xy_run(xy, PSG_CUDA_FORWARD, &from, n, &whole, 1, room.p, 0));
        };
        const auto back = [&, to] {
            MUST(psg_cuda_xy_run(xy, PSG_CUDA_INVERSE, &to, n, &whole, 1, room.p, 0));
        };
        works.push_back(there);
        works.push_back(back);
        works.push_back([&, there, back] {
            there();
            MUST(psg_cuda_kspace_run(kspace, &band, 1, &columns, &t.symbol, 0));
            back();
        });
    }
    const std::vector<double> ms = medians(works, n > 600 ? 10 : 30);
    for (int w = 0; w < WAYS; w++)
        note("pitches f%zu %zu^3 %-15s forward %.4f ms (%.3f of dense), inverse %.4f (%.3f), solve "
             "%.4f (%.3f)",
             8 * sizeof(Real), n, ways[w].words, ms[3 * w], ms[3 * w] / ms[0], ms[3 * w + 1],
             ms[3 * w + 1] / ms[1], ms[3 * w + 2], ms[3 * w + 2] / ms[2]);
    psg_cuda_kspace_destroy(kspace);
    psg_cuda_xy_destroy(xy);
}

template <class Real> static void kspace_variants(size_t nx, size_t ny, size_t nz) {
    const size_t nxc = nx / 2 + 1, columns = ny * nxc, bytes = columns * nz * 2 * sizeof(Real);
    const buffer spectrum(bytes);
    bench_randomize<Real>(spectrum.p, bytes / sizeof(Real));
    const tables<Real> t(nx, ny, nz, true);
    const int variants = psg_cuda_kspace_supported(precision_of<Real>(), nz);
    const double floor_ms = 2.0 * bytes / copy_rate * 1e3;
    for (int v = 0; v < variants; v++) {
        psg_cuda_kspace *plan = nullptr;
        if (psg_cuda_kspace_create(&plan, precision_of<Real>(), nz, v) != cudaSuccess)
            continue;
        const psg_cuda_columns order = {ny, nxc, 0};
        const psg_cuda_segment whole = {spectrum.p, nz, columns};
        psg_cuda_segment eight[8];
        size_t z = 0;
        for (int s = 0; s < 8; s++) {
            const size_t planes = nz * (s + 1) / 8 - z;
            eight[s] = {(Real *)spectrum.p + 2 * z * columns, planes, columns};
            z += planes;
        }
        const psg_cuda_band one = {&whole, 1, order.rows, NULL, 0},
                            cut = {eight, 8, order.rows, NULL, 0};
        const std::vector<double> ms =
            medians({[&] { MUST(psg_cuda_kspace_run(plan, &one, 1, &order, &t.symbol, 0)); },
                     [&] { MUST(psg_cuda_kspace_run(plan, &cut, 1, &order, &t.symbol, 0)); }},
                    10);
        note("kspace f%zu %zux%zux%zu #%d %-58s %.3f ms (%.2f of copy), 8 segments %.3f ms (%.2f)",
             8 * sizeof(Real), nx, ny, nz, v, psg_cuda_kspace_words(plan), ms[0], floor_ms / ms[0],
             ms[1], floor_ms / ms[1]);
        psg_cuda_kspace_destroy(plan);
    }
}

/// The same step by cuFFT's calls: what kspace replaces.
template <class Real> static void z_by_cufft(size_t nx, size_t ny, size_t nz) {
    const size_t nxc = nx / 2 + 1, columns = ny * nxc, bytes = columns * nz * 2 * sizeof(Real);
    const buffer spectrum(bytes);
    bench_randomize<Real>(spectrum.p, bytes / sizeof(Real));
    const tables<Real> t(nx, ny, nz, true);
    for (psg_cuda_layout layout : {PSG_CUDA_Z_STRIDED, PSG_CUDA_Z_CONTIGUOUS}) {
        psg_cuda_fft *fft = nullptr;
        MUST(psg_cuda_fft_create_z(&fft, precision_of<Real>(), layout, columns, nz));
        const buffer area(psg_cuda_fft_work_bytes(fft));
        MUST(psg_cuda_fft_set_work_area(fft, area.p));
        const std::vector<double> ms =
            medians({[&] { MUST(psg_cuda_fft_run_z(fft, PSG_CUDA_FORWARD, spectrum.p)); },
                     [&] {
                         MUST(psg_cuda_divide(precision_of<Real>(), layout, spectrum.p, columns,
                                              nxc, nz, &t.symbol, 0));
                     },
                     [&] { MUST(psg_cuda_fft_run_z(fft, PSG_CUDA_INVERSE, spectrum.p)); }},
                    10);
        note("z by cuFFT f%zu %zux%zux%zu %s: forward %.3f, divide %.3f (%.2f of copy), inverse "
             "%.3f ms; "
             "work area %.1f MB",
             8 * sizeof(Real), nx, ny, nz,
             layout == PSG_CUDA_Z_STRIDED ? "strided   " : "contiguous", ms[0], ms[1],
             2.0 * bytes / copy_rate * 1e3 / ms[1], ms[2], psg_cuda_fft_work_bytes(fft) / 1e6);
        psg_cuda_fft_destroy(fft);
    }
}

template <class Real> static void moves(size_t n) {
    const size_t nxc = n / 2 + 1, columns = n * nxc, bytes = columns * n * 2 * sizeof(Real);
    const psg_cuda_precision precision = precision_of<Real>();
    const buffer a(bytes), b(bytes);
    bench_randomize<Real>(a.p, bytes / sizeof(Real));
    void *blocks[4];
    size_t y0[5] = {0, 0, 0, 0, 0};
    psg_cuda_segment segments[4];
    for (size_t p = 0; p < 4; p++) {
        y0[p + 1] = n * (p + 1) / 4;
        blocks[p] = (Real *)b.p + 2 * y0[p] * nxc * n;
        segments[p] = {(Real *)b.p + 2 * y0[p] * columns, y0[p + 1] - y0[p], columns};
    }
    const auto pencil = [&](psg_cuda_layout layout, bool pack) {
        MUST((pack ? psg_cuda_pack_pencil(precision, layout, a.p, columns, n, segments, 4, 0)
                   : psg_cuda_unpack_pencil(precision, layout, a.p, columns, n, segments, 4, 0)));
    };
    const size_t reals[3] = {2 * nxc, n, n};
    const psg_cuda_field from = psg_cuda_dense_field(a.p, 2 * nxc, n),
                         to = psg_cuda_dense_field(b.p, 2 * nxc, n);
    const std::vector<double> ms = medians(
        {[&] { MUST(cudaMemcpyAsync(b.p, a.p, bytes, cudaMemcpyDeviceToDevice, 0)); },
         [&] { MUST(psg_cuda_pack_slab(precision, a.p, nxc, n, n, blocks, y0, 4, 0)); },
         [&] { MUST(psg_cuda_unpack_slab(precision, a.p, nxc, n, n, blocks, y0, 4, 0)); },
         [&] { pencil(PSG_CUDA_Z_STRIDED, true); }, [&] { pencil(PSG_CUDA_Z_STRIDED, false); },
         [&] { pencil(PSG_CUDA_Z_CONTIGUOUS, true); },
         [&] { pencil(PSG_CUDA_Z_CONTIGUOUS, false); },
         [&] { MUST(psg_cuda_scale(precision, &from, &to, reals, 1.0, nullptr, 0)); }},
        10);
    note("moves f%zu %zu^3, 4 blocks, of copy (%.3f ms): pack slab %.2f, unpack slab %.2f, pencil "
         "strided "
         "pack %.2f, unpack %.2f, contiguous pack %.2f, unpack %.2f, scale %.2f",
         8 * sizeof(Real), n, ms[0], ms[0] / ms[1], ms[0] / ms[2], ms[0] / ms[3], ms[0] / ms[4],
         ms[0] / ms[5], ms[0] / ms[6], ms[0] / ms[7]);
}

template <class Real> static void all_kspace(bool quick) {
    const size_t cubes[] = {256, 500, 512, 1000, 1024};
    for (size_t n : cubes)
        if (!quick || n == 512)
            kspace_variants<Real>(n, n, n);
    if (quick)
        return;
    kspace_variants<Real>(512, 512, 2048);
    kspace_variants<Real>(512, 512, 1536);
    kspace_variants<Real>(768, 768, 768);
    kspace_variants<Real>(128, 128, 128);
}

int main(int argc, char **argv) {
    const bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    cudaDeviceProp device;
    MUST(cudaGetDeviceProperties(&device, 0));
    note("%s, %d multiprocessors, %.0f MB second-level cache", device.name,
         device.multiProcessorCount, device.l2CacheSize / 1e6);
    if (argc > 1 && strcmp(argv[1], "pitch") == 0) {
        for (size_t n : {64, 96, 128, 192, 256, 384, 512, 768, 1000, 1024}) {
            pitches<double>(n);
            pitches<float>(n);
        }
        return 0;
    }
    copy_ceiling();
    moves<double>(512);
    moves<float>(512);
    z_by_cufft<double>(512, 512, 512);
    if (!quick) {
        z_by_cufft<double>(1024, 1024, 1024);
        z_by_cufft<double>(500, 500, 500);
    }
    for (size_t n : {256, 512, 1024})
        if (!quick || n == 512) {
            planes<double>(n);
            planes<float>(n);
        }
    all_kspace<double>(quick);
    all_kspace<float>(quick);
    for (size_t n : {256, 512, 500, 1024})
        if (!quick || n == 512) {
            solve<double>(n, n, n, n > 600 ? 7 : 15);
            solve<float>(n, n, n, n > 600 ? 7 : 15);
        }
    return 0;
}
