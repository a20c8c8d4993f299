/* psg on GPUs beside cuFFT: the same solve, data resident, in one run, alternately; medians of wall-clock times.
 * The peer on one GPU is what a careful user writes with cuFFT by hand (D2Z, a division kernel, Z2D, out of
 * place); on several it is cuFFT's own multi-GPU transform (cufftXt, in place) with the same division.
 *
 *   bench_gpu_peer [--gpus N] [--repeat R] [--f32] [--graph staged|fused] [--exchange managed|direct]
 *                  [--segment-planes N] [--pencils N] NX,NY,NZ ...      (or N for N^3)
 */
#include "graph/psg.h"

#include <cuda_runtime.h>
#include <cufftXt.h>
#include <starpu.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <getopt.h>
#include <vector>

static void fail(const char *what, int line) {
    fprintf(stderr, "%s:%d: %s\n", __FILE__, line, what);
    exit(1);
}
#define CUDA(call)                                                                                 \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess)                                                                 \
            fail(cudaGetErrorString(error_), __LINE__);                                            \
    } while (0)
#define CUFFT(call)                                                                                \
    do {                                                                                           \
        cufftResult error_ = (call);                                                               \
        if (error_ != CUFFT_SUCCESS) {                                                             \
            char words_[64];                                                                       \
            snprintf(words_, sizeof words_, "cuFFT error %d", (int)error_);                        \
            fail(words_, __LINE__);                                                                \
        }                                                                                          \
    } while (0)
#define PSG(call)                                                                                  \
    do {                                                                                           \
        if ((call) != PSG_OK)                                                                      \
            fail(psg_last_error(), __LINE__);                                                      \
    } while (0)

static double now() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

static double median(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
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
    CUDA(cudaGetLastError());
}

/* cuFFT, on one GPU or several. */
template <class real> struct peer {
    size_t n[3];
    int gpus;
    cufftHandle forward, inverse;
    void *f_d = nullptr, *spectrum_d = nullptr, *u_d = nullptr;
    cudaLibXtDesc *data = nullptr;
    std::vector<real> padded; /* as cufftXt has it in place */

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
        CUFFT(cufftCreate(&forward));
        CUFFT(cufftCreate(&inverse));
        if (gpus > 1) {
            CUFFT(cufftXtSetGPUs(forward, gpus, ids.data()));
            CUFFT(cufftXtSetGPUs(inverse, gpus, ids.data()));
        }
        CUFFT(cufftMakePlan3d(forward, (int)n[2], (int)n[1], (int)n[0], r2c, work.data()));
        CUFFT(cufftMakePlan3d(inverse, (int)n[2], (int)n[1], (int)n[0], c2r, work.data()));
        if (gpus > 1) {
            CUFFT(cufftXtMalloc(forward, &data, CUFFT_XT_FORMAT_INPLACE));
            padded.resize(2 * nxc * n[1] * n[2]);
            for (size_t row = 0; row < n[1] * n[2]; row++) {
                std::copy(f + row * n[0], f + (row + 1) * n[0],
                          padded.begin() + (long)(row * 2 * nxc));
            }
        } else {
            const size_t bytes = n[0] * n[1] * n[2] * sizeof(real);
            CUDA(cudaMalloc(&f_d, bytes));
            CUDA(cudaMalloc(&u_d, bytes));
            CUDA(cudaMalloc(&spectrum_d, 2 * nxc * n[1] * n[2] * sizeof(real)));
            CUDA(cudaMemcpy(f_d, f, bytes, cudaMemcpyHostToDevice));
        }
    }
    ~peer() {
        cufftDestroy(forward);
        cufftDestroy(inverse);
        if (data != nullptr)
            cufftXtFree(data);
        cudaFree(f_d);
        cudaFree(u_d);
        cudaFree(spectrum_d);
    }
    void load() { /* in place, a solve eats its input */
        if (gpus > 1)
            CUFFT(cufftXtMemcpy(forward, data, padded.data(), CUFFT_COPY_HOST_TO_DEVICE));
    }
    void synchronize() {
        for (int g = gpus - 1; g >= 0; g--) {
            CUDA(cudaSetDevice(g));
            CUDA(cudaDeviceSynchronize());
        }
    }
    void solve() {
        if (gpus == 1) {
            CUFFT(cufftXtExec(forward, f_d, spectrum_d, CUFFT_FORWARD));
            launch_divide<real>(spectrum_d, n, 0, n[1]);
            CUFFT(cufftXtExec(inverse, spectrum_d, u_d, CUFFT_INVERSE));
        } else {
            CUFFT(cufftXtExecDescriptor(forward, data, data, CUFFT_FORWARD));
            for (int g = 0; g < gpus; g++) { /* shuffled: the modes are spread along y */
                const size_t big = n[1] % (size_t)gpus,
                             rows = n[1] / (size_t)gpus + ((size_t)g < big);
                const size_t y0 = (size_t)g * (n[1] / (size_t)gpus) + std::min((size_t)g, big);
                CUDA(cudaSetDevice(data->descriptor->GPUs[g]));
                launch_divide<real>(data->descriptor->data[g], n, y0, rows);
            }
            CUFFT(cufftXtExecDescriptor(inverse, data, data, CUFFT_INVERSE));
        }
        synchronize();
    }
    std::vector<real> result() {
        std::vector<real> u(n[0] * n[1] * n[2]);
        if (gpus == 1) {
            CUDA(cudaMemcpy(u.data(), u_d, u.size() * sizeof(real), cudaMemcpyDeviceToHost));
            return u;
        }
        const size_t pitch = 2 * (n[0] / 2 + 1);
        std::vector<real> back(padded.size());
        CUFFT(cufftXtMemcpy(inverse, back.data(), data, CUFFT_COPY_DEVICE_TO_HOST));
        for (size_t row = 0; row < n[1] * n[2]; row++) {
            std::copy_n(back.begin() + (long)(row * pitch), n[0], u.begin() + (long)(row * n[0]));
        }
        return u;
    }
};

/* The plan's slabs of f and u, by way of main memory. */
struct slabs {
    std::vector<starpu_data_handle_t> f, u;
    std::vector<size_t> z0;
    explicit slabs(psg_plan *plan) {
        size_t segments = 0;
        PSG(psg_plan_segments(plan, &segments, nullptr));
        f.resize(segments);
        u.resize(segments);
        z0.resize(segments + 1);
        PSG(psg_plan_slab_handles(plan, f.data(), u.data(), z0.data()));
    }
};

template <class real> static void fill(const slabs &s, const std::vector<real> &f, size_t plane) {
    for (size_t m = 0; m < s.f.size(); m++) {
        if (starpu_data_acquire(s.f[m], STARPU_W) != 0)
            fail("acquire", __LINE__);
        memcpy((void *)starpu_block_get_local_ptr(s.f[m]), f.data() + s.z0[m] * plane,
               (s.z0[m + 1] - s.z0[m]) * plane * sizeof(real));
        starpu_data_release(s.f[m]);
    }
}

template <class real>
static double difference(const slabs &s, const std::vector<real> &want, size_t plane) {
    double largest = 0, off = 0;
    for (size_t m = 0; m < s.u.size(); m++) {
        if (starpu_data_acquire(s.u[m], STARPU_R) != 0)
            fail("acquire", __LINE__);
        const real *u = (const real *)starpu_block_get_local_ptr(s.u[m]);
        for (size_t at = s.z0[m] * plane; at < s.z0[m + 1] * plane; at++) {
            const double d = std::fabs((double)u[at - s.z0[m] * plane] - (double)want[at]);
            off = d > off || d != d ? d : off;
            largest = std::max(largest, std::fabs((double)want[at]));
        }
        starpu_data_release(s.u[m]);
    }
    return off / largest;
}

template <class real>
static void measure(const size_t n[3], const psg_options &options, int gpus, int repeat) {
    const size_t plane = n[0] * n[1];
    const double box = 6.283185307179586;
    psg_grid grid;
    psg_plan *plan = nullptr;
    psg_grid_init(&grid, n[0], n[1], n[2], box, box, box);
    std::vector<real> f(plane * n[2]);
    unsigned state = 1;
    for (real &value : f) {
        state = state * 1664525u + 1013904223u;
        value = (real)(state >> 8) / (real)(1u << 24) - (real)0.5;
    }
    PSG(psg_plan_create(&plan, &grid, &options));
    {
        slabs s(plan);
        peer<real> cufft(n, gpus, f.data());
        fill(s, f, plane);
        std::vector<double> theirs, ours;
        psg_statistics before, after;
        for (int r = -3; r < repeat; r++) {
            cufft.load();
            cufft.synchronize();
            const double t0 = now();
            cufft.solve();
            const double t1 = now();
            if (r == 0)
                PSG(psg_plan_statistics(plan, &before));
            const double t2 = now();
            PSG(psg_submit_slabs(plan));
            PSG(psg_wait(plan));
            const double t3 = now();
            if (r >= 0) {
                theirs.push_back(t1 - t0);
                ours.push_back(t3 - t2);
            }
        }
        PSG(psg_plan_statistics(plan, &after));
        const double a = median(theirs), b = median(ours);
        printf("%zux%zux%zu %s %d GPU %s %s %zux%zu: cuFFT %.3f ms, psg %.3f ms, cuFFT/psg %.2f, "
               "bytes per solve "
               "h2d %.3g d2h %.3g d2d %.3g, difference %.1e\n",
               n[0], n[1], n[2], sizeof(real) == 8 ? "f64" : "f32", gpus,
               options.graph == PSG_GRAPH_STAGED ? "staged" : "fused",
               after.exchange == PSG_EXCHANGE_DIRECT ? "direct" : "managed", after.segments,
               after.pencils, 1e3 * a, 1e3 * b, a / b,
               (double)(after.h2d_bytes - before.h2d_bytes) / repeat,
               (double)(after.d2h_bytes - before.d2h_bytes) / repeat,
               (double)(after.d2d_bytes - before.d2d_bytes) / repeat,
               difference(s, cufft.result(), plane));
        for (int m = 0; m < PSG_STAGE_COUNT; m++) {
            if (after.stage[m].tasks > 0) {
                printf("    %-10s %3zu tasks %8.3f ms a GPU\n", psg_stage_name((psg_stage)m),
                       (size_t)after.stage[m].tasks, 1e3 * after.stage[m].seconds / gpus);
            }
        }
        fflush(stdout);
    }
    psg_plan_destroy(plan);
}

int main(int argc, char **argv) {
    static const option known[] = {{"gpus", required_argument, nullptr, 'n'},
                                   {"repeat", required_argument, nullptr, 'r'},
                                   {"f32", no_argument, nullptr, 'f'},
                                   {"graph", required_argument, nullptr, 'g'},
                                   {"exchange", required_argument, nullptr, 'e'},
                                   {"segment-planes", required_argument, nullptr, 's'},
                                   {"pencils", required_argument, nullptr, 'p'},
                                   {nullptr, 0, nullptr, 0}};
    psg_options options;
    psg_options_init(&options);
    options.tuned = 0; /* the default is the default */
    options.gpus = 1;
    int repeat = 11;
    for (int c; (c = getopt_long(argc, argv, "", known, nullptr)) != -1;) {
        switch (c) {
        case 'n':
            options.gpus = atoi(optarg);
            break;
        case 'r':
            repeat = atoi(optarg);
            break;
        case 'f':
            options.precision = PSG_F32;
            break;
        case 'g':
            options.graph = strcmp(optarg, "staged") == 0 ? PSG_GRAPH_STAGED : PSG_GRAPH_FUSED;
            break;
        case 'e':
            options.exchange =
                strcmp(optarg, "managed") == 0 ? PSG_EXCHANGE_MANAGED : PSG_EXCHANGE_DIRECT;
            break;
        case 's':
            options.segment_planes = (size_t)atol(optarg);
            break;
        case 'p':
            options.pencils = (size_t)atol(optarg);
            break;
        default:
            return 2;
        }
    }
    for (int m = optind; m < argc; m++) {
        size_t n[3];
        if (sscanf(argv[m], "%zu,%zu,%zu", &n[0], &n[1], &n[2]) != 3) {
            n[0] = n[1] = n[2] = (size_t)atol(argv[m]);
        }
        if (options.precision == PSG_F32) {
            measure<float>(n, options, options.gpus, repeat);
        } else {
            measure<double>(n, options, options.gpus, repeat);
        }
    }
    return 0;
}
