// The fused z kernel gives the answer of the definition for every length that it supports (a choice of
// the long ones), every kernel of a length, uneven segments, packed blocks and views of segments; and a
// whole solve by it has every Fourier mode right.
#include "kernels/complex.cuh"
#include "kernels/fft.h"
#include "kernels/kspace.h"
#include "tests/kernels/check_cuda.h"
#include <memory>

using psg_cuda::complex_t;
typedef complex_t<long double> extended;

/// The answer of one column by the definition.
static std::vector<extended> solve_column(const std::vector<extended> &root,
                                          const std::vector<extended> &f,
                                          const std::vector<long double> &factor, extended *mean) {
    const size_t n = root.size();
    std::vector<extended> g(n), u(n);
    for (size_t k = 0; k < n; k++) {
        extended sum = {0, 0};
        for (size_t z = 0, t = 0; z < n; z++, t = t + k < n ? t + k : t + k - n)
            sum = sum + f[z] * root[t];
        if (k == 0)
            *mean = sum;
        g[k] = factor[k] * sum;
    }
    for (size_t z = 0; z < n; z++) {
        extended sum = {0, 0};
        for (size_t k = 0, t = 0; k < n; k++, t = t + z < n ? t + z : t + z - n)
            sum = sum + psg_cuda::mul_conj(g[k], root[t]);
        u[z] = sum;
    }
    return u;
}

/// A sheet: rows x nxc columns of n points, random numbers, and the answers of some columns.
template <class Real> struct sheet {
    using Complex = complex_t<Real>;
    size_t n, nxc, columns;
    double lambda, scale;
    std::vector<Real> ex, ey, ez;
    std::vector<Complex> f; // [n][columns]
    std::vector<size_t> chosen;
    std::vector<std::vector<extended>> answer;
    extended mean;

    sheet(size_t n_, size_t nxc_, size_t rows, double lambda_, size_t choose)
        : n(n_), nxc(nxc_), columns(nxc_ * rows), lambda(lambda_), scale(1.0 / (double)n_),
          ex(nxc_), ey(rows), ez(n_), f(n_ * columns) {
        for (std::vector<Real> *e : {&ex, &ey, &ez})
            for (size_t i = 0; i < e->size(); i++)
                (*e)[i] = i == 0 ? Real(0) : (Real)(-1.5 - check_uniform());
        for (Complex &v : f)
            v = {(Real)check_uniform(), (Real)check_uniform()};
        std::vector<extended> root(n), column(n);
        std::vector<long double> factor(n);
        for (size_t t = 0; t < n; t++)
            root[t] = {cosl(2 * M_PIl * t / n), -sinl(2 * M_PIl * t / n)};
        choose = choose < columns ? choose : columns;
        for (size_t i = 0; i < choose; i++) {
            const size_t c = choose > 1 ? i * (columns - 1) / (choose - 1) : 0;
            for (size_t z = 0; z < n; z++)
                column[z] = {f[z * columns + c].x, f[z * columns + c].y};
            for (size_t k = 0; k < n; k++) {
                const long double d = (long double)ex[c % nxc] + ey[c / nxc] + ez[k] - lambda;
                factor[k] = d == 0 ? 0 : scale / d;
            }
            extended zero;
            chosen.push_back(c);
            answer.push_back(solve_column(root, column, factor, &zero));
            if (i == 0)
                mean = zero;
        }
    }
};

/// Segments on the device that hold a sheet: `count` uneven ones, `gap` numbers between planes.
template <class Real> struct segments {
    using Complex = complex_t<Real>;
    size_t pitch;
    std::vector<size_t> z0;
    std::vector<std::unique_ptr<device_array<Complex>>> block;
    std::vector<psg_cuda_segment> list;

    segments(const sheet<Real> &p, size_t count, size_t gap) : pitch(p.columns + gap), z0{0} {
        const Complex hole = {Real(-7), Real(-7)};
        for (size_t s = 0; s < count; s++) {
            const size_t left = p.n - z0[s] - (count - s - 1);
            const size_t planes = s + 1 == count ? left : 1 + (left - 1) * (s + 1) / (count + s);
            std::vector<Complex> host(planes * pitch, hole);
            for (size_t z = 0; z < planes; z++)
                for (size_t c = 0; c < p.columns; c++)
                    host[z * pitch + c] = p.f[(z0[s] + z) * p.columns + c];
            block.emplace_back(new device_array<Complex>(host));
            list.push_back({block[s]->data(), planes, pitch});
            z0.push_back(z0[s] + planes);
        }
    }
    /// Compare columns first .. end-1 with the answers; the others and the gaps must be as they were.
    void check(const sheet<Real> &p, size_t first, size_t end, const char *what) const {
        double most = 0, worst = 0;
        size_t at_z = 0, at_c = 0;
        for (size_t s = 0; s + 1 < z0.size(); s++) {
            const std::vector<Complex> got = block[s]->get();
            for (size_t z = z0[s]; z < z0[s + 1]; z++) {
                const Complex *row = &got[(z - z0[s]) * pitch];
                for (size_t i = 0; i < p.chosen.size(); i++) {
                    const Complex given = p.f[z * p.columns + p.chosen[i]];
                    const extended want = p.chosen[i] >= first && p.chosen[i] < end
                                              ? p.answer[i][z]
                                              : extended{given.x, given.y};
                    const double e = fabs((double)(row[p.chosen[i]].x - want.x)) +
                                     fabs((double)(row[p.chosen[i]].y - want.y));
                    most = fmax(most, (double)(fabsl(want.x) + fabsl(want.y)));
                    if (!(e <= worst) && !std::isnan(worst)) {
                        worst = e;
                        at_z = z;
                        at_c = p.chosen[i];
                    }
                }
                for (size_t c = p.columns; c < pitch; c++)
                    if (row[c].x != Real(-7) || row[c].y != Real(-7)) {
                        FAIL("%s: plane %zu written beside its columns", what, z);
                        return;
                    }
            }
        }
        const double unit = sizeof(Real) == 8 ? 5e-16 : 3e-7;
        if (!(worst <= unit * (3 + log2((double)p.n)) * most))
            FAIL("%s: off by %g of %g at plane %zu, column %zu", what, worst, most, at_z, at_c);
    }
};

/// The last `apart` rows as a band of their own, which goes to another place if `cut` is not 0.
template <class Real>
static void run(const sheet<Real> &p, size_t count, size_t gap, int variant, size_t apart,
                size_t cut) {
    using Complex = complex_t<Real>;
    psg_cuda_kspace *plan = nullptr;
    const int code =
        psg_cuda_kspace_create(&plan, precision_of<Real>(), PSG_CUDA_DFT, p.n, variant);
    if (code == cudaErrorNotSupported && variant > 0)
        return; // too large for this device
    MUST(code);
    const segments<Real> s(p, count, gap), other(p, cut ? cut : 1, gap + 1);
    const device_array<Real> ex(p.ex), ey(p.ey), ez(p.ez);
    const device_array<Complex> mode0(1);
    const psg_cuda_symbol symbol = {ex.data(), ey.data(), ez.data(),
                                    p.lambda,  p.scale,   mode0.data()};
    const psg_cuda_columns columns = {p.columns / p.nxc, p.nxc, 0};
    const size_t middle = p.columns - apart * p.nxc;
    std::vector<psg_cuda_segment> rest = s.list, to = other.list;
    for (std::vector<psg_cuda_segment> *list : {&rest, &to})
        for (psg_cuda_segment &each : *list)
            each.base_d = (Complex *)each.base_d + middle;
    const psg_cuda_band bands[] = {{s.list.data(), count, columns.rows - apart, NULL, 0},
                                   {rest.data(), count, apart, cut ? to.data() : NULL, cut}};
    MUST(psg_cuda_kspace_run(plan, bands, apart ? 2 : 1, &columns, &symbol, 0));
    MUST(cudaDeviceSynchronize());
    char what[256];
    snprintf(what, sizeof what, "f%zu, n = %zu, %zu columns, %zu rows apart, %zu segments, %s",
             8 * sizeof(Real), p.n, p.columns, apart, count, psg_cuda_kspace_words(plan));
    s.check(p, 0, cut ? middle : p.columns, what);
    if (cut)
        other.check(p, middle, p.columns, what);
    const Complex mean = mode0.get()[0];
    const double off = fabs((double)(mean.x - p.mean.x)) + fabs((double)(mean.y - p.mean.y));
    if (!(off <= (sizeof(Real) == 8 ? 1e-15 : 5e-7) * (8 + (double)p.n)))
        FAIL("%s: mode 0 off by %g", what, off);
    psg_cuda_kspace_destroy(plan);
}

/// Every kernel of one length, on segments of several shapes.
template <class Real> static void length(size_t n, size_t nxc, size_t rows, size_t choose) {
    const int variants = psg_cuda_kspace_supported(precision_of<Real>(), PSG_CUDA_DFT, n);
    if (variants == 0)
        return;
    const sheet<Real> p(n, nxc, rows, n % 2 ? 0.75 : 0.0, choose);
    for (int v = 0; v < variants; v++) {
        run(p, 1, 0, v, 0, 0);
        run(p, 1, 0, v, 1, 0);
        run(p, 1, 0, v, 1, 1);
        if (n >= 3) {
            run(p, 3, 5, v, 0, 0);
            run(p, 3, 5, v, rows - 1, 0);
            run(p, 1, 5, v, 1, 2);
        }
    }
    if (n > 1 && (n <= 300 || n == 1000) && p.columns < 100) // more than one table's worth
        run(p, n, 0, 0, rows / 2, n - 1);
}

/// Several sheets in one call are what one call for each makes of them, bit by bit, with their own mode 0 and flags.
template <class Real> static void several(size_t n, size_t nxc, size_t rows, size_t sheets) {
    using Complex = complex_t<Real>;
    const size_t pitch = nxc * rows + 3, each = n * pitch, bad = sheets / 2;
    std::vector<Complex> host(sheets * each);
    std::vector<Real> table(n + nxc + rows, Real(-2));
    for (Complex &v : host)
        v = {(Real)check_uniform(), (Real)check_uniform()};
    host[bad * each + n / 2 * pitch + 1].x = std::numeric_limits<Real>::quiet_NaN();
    psg_cuda_kspace *plan = nullptr;
    MUST(psg_cuda_kspace_create(&plan, precision_of<Real>(), PSG_CUDA_DFT, n, 0));
    const device_array<Complex> together(host), apart(host), mode0(2 * sheets);
    const device_array<int> flags(std::vector<int>(2 * sheets, 0));
    const device_array<Real> eigen(table);
    const psg_cuda_columns columns = {rows, nxc, 0};
    psg_cuda_symbol symbol = {eigen.data(), eigen.data(), eigen.data(), 0.5, 1, mode0.data()};
    symbol.nonfinite_d = flags.data();
    MUST(psg_cuda_kspace_run_many(plan, together.data(), sheets, pitch, &columns, &symbol, 0));
    for (size_t s = 0; s < sheets; s++) {
        const psg_cuda_segment one = {apart.data() + s * each, n, pitch};
        const psg_cuda_band band = {&one, 1, rows, NULL, 0};
        symbol.mode0_d = mode0.data() + sheets + s;
        symbol.nonfinite_d = flags.data() + sheets + s;
        MUST(psg_cuda_kspace_run(plan, &band, 1, &columns, &symbol, 0));
    }
    MUST(cudaDeviceSynchronize());
    const std::vector<Complex> a = together.get(), b = apart.get(), means = mode0.get();
    const std::vector<int> raised = flags.get();
    if (memcmp(a.data(), b.data(), a.size() * sizeof a[0]))
        FAIL("n = %zu: %zu sheets together differ from one by one", n, sheets);
    for (size_t s = 0; s < sheets; s++)
        if (memcmp(&means[s], &means[sheets + s], sizeof means[s]) || raised[s] != (s == bad) ||
            raised[sheets + s] != (s == bad))
            FAIL("n = %zu: mode 0 or the flags %d and %d of sheet %zu", n, raised[s],
                 raised[sheets + s], s);
    CHECK(psg_cuda_kspace_run_many(plan, together.data(), 0, pitch, &columns, &symbol, 0) ==
          cudaSuccess);
    CHECK(psg_cuda_kspace_run_many(plan, together.data(), PSG_CUDA_KSPACE_SHEETS + 1, pitch,
                                   &columns, &symbol, 0) == cudaErrorInvalidValue);
    CHECK(psg_cuda_kspace_run_many(plan, nullptr, 1, pitch, &columns, &symbol, 0) ==
          cudaErrorInvalidValue);
    psg_cuda_kspace_destroy(plan);
}

/// lap(u) = f on the whole grid for f = a Fourier mode: u = -f / k^2.
template <class Real>
static void modes(size_t nx, size_t ny, size_t nz, size_t cut, size_t stride) {
    using Complex = complex_t<Real>;
    const size_t nxc = nx / 2 + 1, n[3] = {nx, ny, nz};
    const double box[3] = {1.0, 1.5, 0.7};
    std::vector<Real> e[3];
    for (int a = 0; a < 3; a++)
        for (size_t k = 0; k < (a == 0 ? nxc : n[a]); k++) {
            const double w = 2 * M_PI / box[a] * (double)(k < n[a] - k ? k : n[a] - k);
            e[a].push_back((Real)(-w * w));
        }
    const device_array<Real> ex(e[0]), ey(e[1]), ez(e[2]);
    const psg_cuda_symbol symbol = {
        ex.data(), ey.data(), ez.data(), 0, 1.0 / (double)(nx * ny * nz), nullptr};
    device_array<Real> f(nx * ny * nz), u(nx * ny * nz);
    const device_array<Complex> low(nxc * ny * cut), high(nxc * ny * (nz - cut));
    const psg_cuda_segment view[] = {{low.data(), cut, nxc * ny},
                                     {high.data(), nz - cut, nxc * ny}};
    psg_cuda_fft *fft[4];
    std::vector<std::unique_ptr<device_array<char>>> work;
    for (int i = 0; i < 4; i++) {
        MUST(psg_cuda_fft_create_xy(&fft[i], precision_of<Real>(),
                                    i < 2 ? PSG_CUDA_FORWARD : PSG_CUDA_INVERSE, periodic, nx, ny,
                                    i % 2 ? nz - cut : cut));
        work.emplace_back(new device_array<char>(psg_cuda_fft_work_bytes(fft[i])));
        MUST(psg_cuda_fft_set_work_area(fft[i], work[i]->data()));
    }
    psg_cuda_kspace *plan = nullptr;
    MUST(psg_cuda_kspace_create(&plan, precision_of<Real>(), PSG_CUDA_DFT, nz, 0));
    const psg_cuda_columns columns = {ny, nxc, 0};
    const psg_cuda_band band = {view, 2, ny, NULL, 0};
    const size_t upper = nx * ny * cut;
    const device_array<Real> dense(f.size()); // for upper planes that are aligned to a real alone
    psg_cuda_field field[4];                  // of each plan
    for (int i = 0; i < 4; i++)
        field[i] = psg_cuda_dense_field((i < 2 ? f : u).data() + i % 2 * upper, nx, ny);
    double kk_min = std::numeric_limits<double>::infinity();
    for (int a = 0; a < 3; a++)
        if (n[a] > 1)
            kk_min = fmin(kk_min, 4 * M_PI * M_PI / (box[a] * box[a]));
    for (size_t mode = 1; mode < nx * ny * nz; mode += stride) {
        const size_t k[3] = {mode % nx, mode / nx % ny, mode / nx / ny};
        std::vector<Real> host(nx * ny * nz);
        double kk = 0;
        for (int a = 0; a < 3; a++) {
            const double w = 2 * M_PI / box[a] * (double)(k[a] < n[a] - k[a] ? k[a] : n[a] - k[a]);
            kk += w * w;
        }
        for (size_t i = 0; i < host.size(); i++) {
            const double phase = (double)(k[0] * (i % nx) % nx) / (double)nx +
                                 (double)(k[1] * (i / nx % ny) % ny) / (double)ny +
                                 (double)(k[2] * (i / nx / ny) % nz) / (double)nz;
            host[i] = (Real)(cos(2 * M_PI * phase) * kk);
        }
        f.put(host);
        u.poison();
        for (int i = 0; i < 2; i++)
            MUST(psg_cuda_fft_run_xy(fft[i], &field[i], view[i].base_d, dense.data()));
        MUST(psg_cuda_kspace_run(plan, &band, 1, &columns, &symbol, 0));
        for (int i = 2; i < 4; i++)
            MUST(psg_cuda_fft_run_xy(fft[i], &field[i], view[i - 2].base_d, dense.data()));
        const std::vector<Real> got = u.get();
        double worst = 0;
        for (size_t i = 0; i < got.size(); i++) {
            const double off = fabs(got[i] + host[i] / kk);
            if (!(off <= worst) && !std::isnan(worst))
                worst = off;
        }
        // f is rounded where it is largest, and the solver divides that by the smallest eigenvalue.
        const double rounding = std::numeric_limits<Real>::epsilon() * kk / kk_min;
        const double bound = sizeof(Real) == 8 ? 1e-13 : 1e-5;
        if (!(worst <= (rounding > bound ? rounding : bound)))
            FAIL("solve %zu x %zu x %zu: mode (%zu, %zu, %zu) off by %g", nx, ny, nz, k[0], k[1],
                 k[2], worst);
    }
    for (psg_cuda_fft *each : fft)
        psg_cuda_fft_destroy(each);
    psg_cuda_kspace_destroy(plan);
}

template <class Real> static void all(bool small) {
    for (size_t n = 1; n <= (small ? 20u : 130u); n++)
        length<Real>(n, 7, 3, 21);
    for (size_t n : {13, 60, 64, 128, 1024}) // kernels of both kinds, and one that fetches ahead
        several<Real>(n, 9, 5, 7);
    if (small) {
        for (size_t n : {128, 256, 343})
            length<Real>(n, 7, 3, 3);
        modes<Real>(8, 9, 10, 3, 97);
        return;
    }
    for (size_t n : {243, 256, 300, 324, 343, 360, 500, 512, 729, 768, 900, 1000, 1001, 1024, 1536,
                     2048, 2187, 3000, 5000})
        length<Real>(n, 9, 5, n > 600 ? 6 : 45);
    for (size_t n : {256, 512, 1024, 2048}) // more tiles than a looping grid has blocks
        length<Real>(n, 129, 36, 12);
    // kspace_generic with more tiles than any GPU has at once; and several sheets together, one by one its tiles are few
    for (size_t n : {42, 90, 121}) {
        length<Real>(n, 257, 180, 12);
        several<Real>(n, 33, 9, 200);
        psg_cuda_kspace *plan = nullptr;
        MUST(psg_cuda_kspace_create(&plan, precision_of<Real>(), PSG_CUDA_DFT, n, 0));
        CHECK(strstr(psg_cuda_kspace_words(plan), " for up to ") != nullptr);
        psg_cuda_kspace_destroy(plan);
    }
    modes<Real>(8, 9, 10, 3, 1);
    modes<Real>(7, 11, 13, 12, 1);
    modes<Real>(1, 6, 15, 1, 1);
    modes<Real>(33, 32, 64, 40, 1013);
}

static void arguments() {
    psg_cuda_kspace *plan = nullptr;
    CHECK(psg_cuda_kspace_supported(PSG_CUDA_F64, PSG_CUDA_DFT, 17) == 0);
    CHECK(psg_cuda_kspace_supported(PSG_CUDA_F64, PSG_CUDA_DFT, 0) == 0);
    CHECK(psg_cuda_kspace_supported(PSG_CUDA_F64, PSG_CUDA_DFT, 1 << 14) == 0);
    CHECK(psg_cuda_kspace_create(&plan, PSG_CUDA_F64, PSG_CUDA_DFT, 17, 0) ==
              cudaErrorNotSupported &&
          !plan);
    MUST(psg_cuda_kspace_create(&plan, PSG_CUDA_F64, PSG_CUDA_DFT, 12, 0));
    device_array<double> a(2 * 12 * 4);
    const psg_cuda_segment good = {a.data(), 12, 4}, few = {a.data(), 11, 4},
                           thin = {a.data(), 12, 3}, odd = {(char *)a.data() + 8, 12, 4};
    const psg_cuda_symbol symbol = {a.data(), a.data(), a.data(), 0, 1, nullptr};
    const psg_cuda_columns row = {1, 4, 0}, point = {1, 0, 0}, none = {0, 4, 0}, wide = {1, 4, 5};
    CHECK(psg_cuda_kspace_suits(PSG_CUDA_F64, PSG_CUDA_DFT, 12, 0) &&
          !psg_cuda_kspace_suits(PSG_CUDA_F64, PSG_CUDA_DFT, 17, 0));
    const auto run_one = [&](const psg_cuda_segment *segment, const psg_cuda_columns &columns) {
        const psg_cuda_band band = {segment, 1, columns.rows, NULL, 0};
        return psg_cuda_kspace_run(plan, &band, 1, &columns, &symbol, 0);
    };
    CHECK(run_one(&few, row) == cudaErrorInvalidValue);
    CHECK(run_one(&thin, row) == cudaErrorInvalidValue);
    CHECK(run_one(&odd, row) == cudaErrorInvalidValue);
    CHECK(run_one(&good, point) == cudaErrorInvalidValue);
    CHECK(run_one(&good, wide) == cudaErrorInvalidValue);
    CHECK(run_one(&good, none) == cudaSuccess);
    const psg_cuda_columns two = {2, 4, 0}, three = {3, 4, 0};
    const psg_cuda_band bands[] = {{&good, 1, 1, NULL, 0}, {&good, 1, 1, NULL, 0}},
                        gone[] = {{&good, 1, 2, NULL, 0}, {}}, lost = {&good, 1, 1, &few, 1};
    CHECK(psg_cuda_kspace_run(plan, bands, 2, &three, &symbol, 0) == cudaErrorInvalidValue);
    CHECK(psg_cuda_kspace_run(plan, bands, 2, &row, &symbol, 0) == cudaErrorInvalidValue);
    CHECK(psg_cuda_kspace_run(plan, gone, 2, &two, &symbol, 0) == cudaErrorInvalidValue);
    CHECK(psg_cuda_kspace_run(plan, &lost, 1, &row, &symbol, 0) == cudaErrorInvalidValue);
    CHECK(psg_cuda_kspace_run(plan, bands, 0, &none, &symbol, 0) == cudaErrorInvalidValue);
    CHECK(psg_cuda_kspace_run(plan, bands, 3, &three, &symbol, 0) == cudaErrorInvalidValue);
    psg_cuda_kspace_destroy(plan);
}

int main(int argc, char **argv) {
    const bool small = argc > 1 && strcmp(argv[1], "small") == 0;
    need_device();
    all<double>(small);
    all<float>(small);
    arguments();
    return check_result();
}
