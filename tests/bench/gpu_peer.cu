/* psg on GPUs beside cuFFT: the same solve, data resident, in one run, in turns of random order; wall-clock times.
 * The peer on one GPU is what a careful user writes with cuFFT by hand (D2Z, a division kernel, Z2D, out of
 * place); on several it is cuFFT's own multi-GPU transform (cufftXt, in place) with the same division.
 *
 *   bench_gpu_peer [--gpus N] [--repeat R] [--f32] [--graph staged|fused] [--exchange managed|direct]
 *                  [--segment-planes N] [--pencils N] [--rows] N|NX,NY,NZ ...
 *
 * --gpus: default: 1, 2, 4, ... all. --rows: those of `psg bench --study peers`.
 */
#include "tests/bench/gpu.cuh"
#include "tests/bench/peer.h"

#include <cufftXt.h>
#include <starpu.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>

static void must(bool ok) {
    bench_must(ok, "%s", psg_last_error());
}

/* spectrum[(k * rows + j) * nxc + i] of modes (i, y0 + j, k), box of 2 pi. */
template <class real>
__global__ void divide(real *spectrum, size_t nxc, size_t ny, size_t nz, size_t y0, size_t rows,
                       real scale) {
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    const size_t j = blockIdx.y * (size_t)blockDim.y + threadIdx.y;
    if (i >= nxc || j >= rows) {
        return;
    }
    for (size_t k = blockIdx.z; k < nz; k += gridDim.z) {
        const size_t m = y0 + j;
        const real ky = (real)(2 * m > ny ? ny - m : m);
        const real kz = (real)(2 * k > nz ? nz - k : k);
        const real square = (real)i * (real)i + ky * ky + kz * kz;
        const real factor = square > 0 ? -scale / square : 0;
        real *mode = spectrum + 2 * ((k * rows + j) * nxc + i);
        mode[0] *= factor;
        mode[1] *= factor;
    }
}

template <class real>
static void launch_divide(void *spectrum, const size_t n[3], size_t y0, size_t rows) {
    const size_t nxc = n[0] / 2 + 1;
    const dim3 block(32, 8);
    const dim3 grid((unsigned)((nxc + 31) / 32), (unsigned)((rows + 7) / 8),
                    (unsigned)std::min<size_t>(n[2], 64));
    divide<real><<<grid, block>>>((real *)spectrum, nxc, n[1], n[2], y0, rows,
                                  (real)(1 / ((double)n[0] * (double)n[1] * (double)n[2])));
    BENCH_CUDA(cudaGetLastError());
}

/* work(first, end) on all cores, for runs of 0 .. count-1: large arrays take longer to fill than to
 * solve. */
template <class work> static void on_all_cores(size_t count, work w) {
    const size_t cores = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::thread> threads;
    for (size_t m = 0; m < cores; m++) {
        threads.emplace_back([=, &w] { w(m * count / cores, (m + 1) * count / cores); });
    }
    for (std::thread &each : threads) {
        each.join();
    }
}

/* An array that is not written before all cores do. */
template <class real> using array = std::unique_ptr<real[]>;

template <class real> static array<real> make_array(size_t count) {
    return array<real>(new real[count]);
}

/* cuFFT, on one GPU or several. */
template <class real> struct peer {
    size_t n[3];
    int gpus;
    cufftHandle forward, inverse;
    void *f_d = nullptr, *spectrum_d = nullptr, *u_d = nullptr;
    cudaLibXtDesc *data = nullptr;
    std::vector<void *> kept; /* f as cufftXt has it in place, by GPU */

    static constexpr bool f64 = sizeof(real) == 8;
    static constexpr cufftType r2c = f64 ? CUFFT_D2Z : CUFFT_R2C;
    static constexpr cufftType c2r = f64 ? CUFFT_Z2D : CUFFT_C2R;

    peer(const size_t extent[3], int count, const real *f) : gpus(count) {
        memcpy(n, extent, sizeof n);
        const size_t nxc = n[0] / 2 + 1;
        std::vector<int> ids(gpus);
        for (int g = 0; g < gpus; g++)
            ids[g] = g;
        std::vector<size_t> work(gpus);
        BENCH_CUFFT(cufftCreate(&forward));
        BENCH_CUFFT(cufftCreate(&inverse));
        if (gpus > 1) {
            BENCH_CUFFT(cufftXtSetGPUs(forward, gpus, ids.data()));
            BENCH_CUFFT(cufftXtSetGPUs(inverse, gpus, ids.data()));
        }
        BENCH_CUFFT(cufftMakePlan3d(forward, (int)n[2], (int)n[1], (int)n[0], r2c, work.data()));
        BENCH_CUFFT(cufftMakePlan3d(inverse, (int)n[2], (int)n[1], (int)n[0], c2r, work.data()));
        if (gpus > 1) {
            BENCH_CUFFT(cufftXtMalloc(forward, &data, CUFFT_XT_FORMAT_INPLACE));
            const array<real> padded = make_array<real>(2 * nxc * n[1] * n[2]);
            on_all_cores(n[1] * n[2], [&](size_t row, size_t end) {
                for (; row < end; row++) {
                    std::copy_n(f + row * n[0], n[0], &padded[row * 2 * nxc]);
                    std::fill_n(&padded[row * 2 * nxc + n[0]], 2 * nxc - n[0], (real)0);
                }
            });
            BENCH_CUFFT(cufftXtMemcpy(forward, data, padded.get(), CUFFT_COPY_HOST_TO_DEVICE));
            synchronize();
            kept.resize(gpus);
            for (int g = 0; g < gpus; g++) {
                BENCH_CUDA(cudaSetDevice(data->descriptor->GPUs[g]));
                BENCH_CUDA(cudaMalloc(&kept[g], data->descriptor->size[g]));
                BENCH_CUDA(cudaMemcpy(kept[g], data->descriptor->data[g], data->descriptor->size[g],
                                      cudaMemcpyDeviceToDevice));
            }
        } else {
            const size_t bytes = n[0] * n[1] * n[2] * sizeof(real);
            BENCH_CUDA(cudaMalloc(&f_d, bytes));
            BENCH_CUDA(cudaMalloc(&u_d, bytes));
            BENCH_CUDA(cudaMalloc(&spectrum_d, 2 * nxc * n[1] * n[2] * sizeof(real)));
            BENCH_CUDA(cudaMemcpy(f_d, f, bytes, cudaMemcpyHostToDevice));
        }
    }
    ~peer() {
        cufftDestroy(forward);
        cufftDestroy(inverse);
        if (data != nullptr)
            cufftXtFree(data);
        for (void *each : kept)
            cudaFree(each);
        cudaFree(f_d);
        cudaFree(u_d);
        cudaFree(spectrum_d);
    }
    void load() { /* in place, a solve eats its input */
        for (size_t g = 0; g < kept.size(); g++) {
            BENCH_CUDA(cudaSetDevice(data->descriptor->GPUs[g]));
            BENCH_CUDA(cudaMemcpyAsync(data->descriptor->data[g], kept[g],
                                       data->descriptor->size[g], cudaMemcpyDeviceToDevice));
        }
    }
    void synchronize() {
        for (int g = gpus - 1; g >= 0; g--) {
            BENCH_CUDA(cudaSetDevice(g));
            BENCH_CUDA(cudaDeviceSynchronize());
        }
    }
    void solve() {
        if (gpus == 1) {
            BENCH_CUFFT(cufftXtExec(forward, f_d, spectrum_d, CUFFT_FORWARD));
            launch_divide<real>(spectrum_d, n, 0, n[1]);
            BENCH_CUFFT(cufftXtExec(inverse, spectrum_d, u_d, CUFFT_INVERSE));
        } else {
            BENCH_CUFFT(cufftXtExecDescriptor(forward, data, data, CUFFT_FORWARD));
            for (int g = 0; g < gpus; g++) { /* shuffled: the modes are spread along y */
                const size_t big = n[1] % (size_t)gpus,
                             rows = n[1] / (size_t)gpus + ((size_t)g < big);
                const size_t y0 = (size_t)g * (n[1] / (size_t)gpus) + std::min((size_t)g, big);
                BENCH_CUDA(cudaSetDevice(data->descriptor->GPUs[g]));
                launch_divide<real>(data->descriptor->data[g], n, y0, rows);
            }
            BENCH_CUFFT(cufftXtExecDescriptor(inverse, data, data, CUFFT_INVERSE));
        }
        synchronize();
    }
    array<real> result() {
        const size_t count = n[0] * n[1] * n[2], pitch = 2 * (n[0] / 2 + 1);
        array<real> u = make_array<real>(count);
        if (gpus == 1) {
            BENCH_CUDA(cudaMemcpy(u.get(), u_d, count * sizeof(real), cudaMemcpyDeviceToHost));
            return u;
        }
        const array<real> back = make_array<real>(pitch * n[1] * n[2]);
        BENCH_CUFFT(cufftXtMemcpy(inverse, back.get(), data, CUFFT_COPY_DEVICE_TO_HOST));
        on_all_cores(n[1] * n[2], [&](size_t row, size_t end) {
            for (; row < end; row++) {
                std::copy_n(&back[row * pitch], n[0], &u[row * n[0]]);
            }
        });
        return u;
    }
};

/* The plan's slabs of f and u, by way of main memory. */
struct slabs {
    std::vector<starpu_data_handle_t> f, u;
    std::vector<size_t> z0;
    explicit slabs(psg_plan *plan) {
        size_t segments = 0;
        must(psg_plan_segments(plan, &segments, nullptr) == PSG_OK);
        f.resize(segments);
        u.resize(segments);
        z0.resize(segments + 1);
        must(psg_plan_slab_handles(plan, f.data(), u.data(), z0.data()) == PSG_OK);
    }
};

template <class real> static void fill(const slabs &s, const real *f, size_t plane) {
    for (size_t m = 0; m < s.f.size(); m++) {
        if (starpu_data_acquire(s.f[m], STARPU_W) != 0)
            bench_must(0, "StarPU cannot have a slab");
        real *slab = (real *)starpu_block_get_local_ptr(s.f[m]);
        const real *from = f + s.z0[m] * plane;
        on_all_cores((s.z0[m + 1] - s.z0[m]) * plane, [=](size_t first, size_t end) {
            std::copy(from + first, from + end, slab + first);
        });
        starpu_data_release(s.f[m]);
    }
}

template <class real> static double difference(const slabs &s, const real *want, size_t plane) {
    double largest = 0, off = 0;
    for (size_t m = 0; m < s.u.size(); m++) {
        if (starpu_data_acquire(s.u[m], STARPU_R) != 0)
            bench_must(0, "StarPU cannot have a slab");
        const real *u = (const real *)starpu_block_get_local_ptr(s.u[m]);
        const real *w = want + s.z0[m] * plane;
        std::mutex mutex;
        on_all_cores((s.z0[m + 1] - s.z0[m]) * plane, [&](size_t at, size_t end) {
            double most = 0, worst = 0;
            for (; at < end; at++) {
                const double d = std::fabs((double)u[at] - (double)w[at]);
                worst = d > worst || d != d ? d : worst;
                most = std::max(most, std::fabs((double)w[at]));
            }
            const std::lock_guard<std::mutex> lock(mutex);
            off = worst > off || worst != worst ? worst : off;
            largest = std::max(largest, most);
        });
        starpu_data_release(s.u[m]);
    }
    return off / largest;
}

template <class real> struct bench {
    const bench_settings &settings;
    bench_peer &result;
    psg_plan *plan = nullptr;
    slabs *ours = nullptr;
    peer<real> *theirs = nullptr;

    bench(const bench_settings &s, bench_peer &r) : settings(s), result(r) {
    }
    ~bench() {
        delete ours;
        delete theirs;
        psg_plan_destroy(plan);
    }
};

template <class real> static double run_cufft(void *what, unsigned calls) {
    peer<real> &cufft = *static_cast<bench<real> *>(what)->theirs;
    double seconds = 0;
    for (unsigned call = 0; call < calls; call++) {
        cufft.load();
        cufft.synchronize();
        const double start = bench_now();
        cufft.solve();
        seconds += bench_now() - start;
    }
    return seconds;
}

template <class real> static double run_psg(void *what, unsigned calls) {
    psg_plan *plan = static_cast<bench<real> *>(what)->plan;
    const double start = bench_now();
    for (unsigned call = 0; call < calls; call++) {
        must(psg_submit_slabs(plan) == PSG_OK);
        must(psg_wait(plan) == PSG_OK);
    }
    return bench_now() - start;
}

static void say(const bench_peer &p, const psg_options &options, const psg_statistics &before,
                double solves) {
    const psg_statistics &s = p.statistics;
    printf("%zux%zux%zu %s %d GPU %s %s %zux%zu: cuFFT %.3f ms, psg %.3f ms, cuFFT/psg %.2f, "
           "bytes per solve h2d %.3g d2h %.3g d2d %.3g, difference %.1e%s\n",
           p.n[0], p.n[1], p.n[2], p.precision == PSG_F64 ? "f64" : "f32", p.gpus,
           options.graph == PSG_GRAPH_STAGED ? "staged" : "fused",
           s.exchange == PSG_EXCHANGE_DIRECT ? "direct" : "managed", s.segments, s.pencils,
           1e3 * p.theirs.median, 1e3 * p.ours.median, p.theirs.median / p.ours.median,
           (double)(s.h2d_bytes - before.h2d_bytes) / solves,
           (double)(s.d2h_bytes - before.d2h_bytes) / solves,
           (double)(s.d2d_bytes - before.d2d_bytes) / solves, p.difference,
           bench_peer_agrees(&p) ? "" : " WRONG");
    for (int m = 0; m < PSG_STAGE_COUNT; m++) {
        if (s.stage[m].tasks > 0) {
            printf("    %-10s %3zu tasks %8.3f ms a GPU\n", psg_stage_name((psg_stage)m),
                   (size_t)s.stage[m].tasks, 1e3 * s.stage[m].seconds / p.gpus);
        }
    }
    fflush(stdout);
}

template <class real>
static void measure(bench_peer &result, const psg_options &options, const bench_settings &settings,
                    bench_csv *csv) {
    const size_t *n = result.n, plane = n[0] * n[1];
    const double box = 6.283185307179586;
    bench<real> b(settings, result);
    psg_grid grid;
    psg_statistics before;
    psg_grid_init(&grid, n[0], n[1], n[2], box, box, box);
    const array<real> f = make_array<real>(plane * n[2]);
    on_all_cores(plane * n[2], [&](size_t m, size_t end) {
        for (; m < end; m++) {
            f[m] = (real)bench_noise(m);
        }
    });
    must(psg_plan_create(&b.plan, &grid, &options) == PSG_OK);
    b.ours = new slabs(b.plan);
    b.theirs = new peer<real>(n, result.gpus, f.get());
    fill(*b.ours, f.get(), plane);
    (void)run_cufft<real>(&b, 1);
    (void)run_psg<real>(&b, 1);
    result.difference = difference(*b.ours, b.theirs->result().get(), plane);
    (void)run_psg<real>(&b, 1); /* the slabs of u are on the GPUs again */
    must(psg_plan_statistics(b.plan, &before) == PSG_OK);
    bench_job jobs[2] = {{run_cufft<real>, &b, 0, {}}, {run_psg<real>, &b, 0, {}}};
    bench_interleave(jobs, 2, &settings, 0);
    must(psg_plan_statistics(b.plan, &result.statistics) == PSG_OK);
    result.theirs = jobs[0].times;
    result.ours = jobs[1].times;
    if (settings.rows) {
        bench_peer_row(csv, &result, &settings, nullptr);
    } else {
        say(result, options, before, settings.repeat + settings.warm_up);
    }
}

/* Of all GPUs together: f twice, u, both spectra, cuFFT's work area and psg's scratch, of
 * either. */
static bool fits(const bench_peer &p, const bench_settings &settings, char *why) {
    const double element = p.precision == PSG_F64 ? 8 : 4;
    const double bytes = 10 * element * (double)p.n[0] * (double)p.n[1] * (double)p.n[2];
    const double have =
        settings.memory > 0 ? bench_memory(&settings) : 1.9 * p.gpus * bench_gpu_memory(&settings);
    return bench_fits(bytes, have, why);
}

static void measure_on(bench_peer &p, psg_options &options, const bench_settings &settings,
                       bench_csv *csv) {
    char why[128];
    p.name = p.gpus > 1 ? "cufft_xt" : "cufft";
    options.gpus = p.gpus;
    if (!fits(p, settings, why)) {
        if (settings.rows) {
            bench_peer_row(csv, &p, &settings, why);
        } else {
            printf("%zux%zux%zu %d GPU: %s\n", p.n[0], p.n[1], p.n[2], p.gpus, why);
        }
    } else if (p.precision == PSG_F32) {
        measure<float>(p, options, settings, csv);
    } else {
        measure<double>(p, options, settings, csv);
    }
}

int main(int argc, char **argv) {
    static const bench_word graphs[] = {
        {"fused", PSG_GRAPH_FUSED}, {"staged", PSG_GRAPH_STAGED}, {nullptr, 0}};
    static const bench_word exchanges[] = {
        {"managed", PSG_EXCHANGE_MANAGED}, {"direct", PSG_EXCHANGE_DIRECT}, {nullptr, 0}};
    bench_settings settings = {11, 3, 1, 0, 0};
    psg_options options;
    bench_peer p = {};
    bench_csv csv;
    int gpus = 0, f32 = 0, graph = PSG_GRAPH_FUSED, exchange = PSG_EXCHANGE_AUTO;
    psg_options_init(&options);
    options.tuned = 0; /* the default is the default */
    const bench_option own[] = {{"gpus", BENCH_COUNT, &gpus, nullptr},
                                {"f32", BENCH_FLAG, &f32, nullptr},
                                {"graph", BENCH_WORD, &graph, graphs},
                                {"exchange", BENCH_WORD, &exchange, exchanges},
                                {"segment-planes", BENCH_SIZE, &options.segment_planes, nullptr},
                                {"pencils", BENCH_SIZE, &options.pencils, nullptr},
                                {nullptr, BENCH_FLAG, nullptr, nullptr}};
    const int first = bench_arguments(argc, argv, own, "N|NX,NY,NZ ...", &settings);
    const int all = bench_gpus();
    const std::string model = bench_gpu_model();
    bench_must_or(BENCH_NOT_HERE, gpus <= all, "%d GPUs: there are %d", gpus, all);
    p.precision = options.precision = f32 ? PSG_F32 : PSG_F64;
    p.gpu_model = model.c_str();
    p.ranks = 1;
    options.graph = (psg_graph)graph;
    options.exchange = (psg_exchange)exchange;
    if (settings.rows) {
        bench_peer_begin(&csv);
    }
    for (int m = first; m < argc; m++) {
        bench_read_grid(argv[m], p.n);
        for (int count = gpus ? gpus : 1; count <= (gpus ? gpus : all);
             count = count < all && 2 * count > all ? all : 2 * count) {
            p.gpus = count;
            measure_on(p, options, settings, &csv);
        }
    }
    return 0;
}
