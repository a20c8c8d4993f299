/* A matrix that is transposed on a GPU, by kind of memory access, beside a copy: what coalescing,
 * shared memory and padding of it are worth. All in turns, by CUDA's own events; each way's matrix
 * is checked at every element.
 *
 *   bench_gpus transpose [--f32] N|NXxNY ...
 *
 * A line for each way: ms, quartiles, and the bytes read and written per second over those of
 * CUDA's copy. */
#include "kernels/transpose.h"
#include "lab/peers/gpu.cuh"
#include "lab/peers/gpus.h"

#include <array>
#ifdef PSG_GPU_LIBRARIES
#include <cublas_v2.h>
#endif

namespace {

constexpr unsigned TILE = 32, ROWS = 8, THREADS = 256;

/* A thread for each row reads it, and writes a column: neighbours read far apart. */
template <class real> __global__ void by_rows(real *to, const real *from, size_t nx, size_t ny) {
    const size_t y = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t x = 0; y < ny && x < nx; x++)
        to[x * ny + y] = from[y * nx + x];
}

/* A thread for each column: neighbours write far apart. */
template <class real> __global__ void by_columns(real *to, const real *from, size_t nx, size_t ny) {
    const size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t y = 0; x < nx && y < ny; y++)
        to[x * ny + y] = from[y * nx + x];
}

/* A thread for each element. */
template <class real> __global__ void naive(real *to, const real *from, size_t nx, size_t ny) {
    const size_t x = (size_t)blockIdx.x * TILE + threadIdx.x;
    const size_t y0 = (size_t)blockIdx.y * TILE;
    for (size_t y = y0 + threadIdx.y; y < y0 + TILE; y += ROWS)
        if (x < nx && y < ny)
            to[x * ny + y] = from[y * nx + x];
}

/* By way of shared memory, whose rows are PAD longer than a tile's: without it all threads of a
 * warp read one bank. */
template <class real, unsigned PAD>
__global__ void tiled(real *to, const real *from, size_t nx, size_t ny) {
    __shared__ real tile[TILE][TILE + PAD];
    const size_t x0 = (size_t)blockIdx.x * TILE, y0 = (size_t)blockIdx.y * TILE;
    for (unsigned r = threadIdx.y; r < TILE; r += ROWS)
        if (x0 + threadIdx.x < nx && y0 + r < ny)
            tile[r][threadIdx.x] = from[(y0 + r) * nx + x0 + threadIdx.x];
    __syncthreads();
    for (unsigned r = threadIdx.y; r < TILE; r += ROWS)
        if (x0 + r < nx && y0 + threadIdx.x < ny)
            to[(x0 + r) * ny + y0 + threadIdx.x] = tile[threadIdx.x][r];
}

template <class real> struct matrix {
    size_t nx, ny;
    bench_buffer from, to, wrong;
    cudaEvent_t begin, end;
    float latest = 0; /* milliseconds */
#ifdef PSG_GPU_LIBRARIES
    cublasHandle_t blas;
#endif
    matrix(size_t nx, size_t ny)
        : nx(nx), ny(ny), from(nx * ny * sizeof(real)), to(nx * ny * sizeof(real)),
          wrong(sizeof(int)) {
        BENCH_CUDA(cudaEventCreate(&begin));
        BENCH_CUDA(cudaEventCreate(&end));
#ifdef PSG_GPU_LIBRARIES
        BENCH_LIBRARY("cuBLAS", cublasCreate(&blas));
#endif
    }
    ~matrix() {
        cudaEventDestroy(begin), cudaEventDestroy(end);
#ifdef PSG_GPU_LIBRARIES
        cublasDestroy(blas);
#endif
    }
};

enum way { COPY, ROWWISE, COLUMNWISE, NAIVE, TILED, PADDED, PSG, GEAM, WAYS };
const char *const names[WAYS] = {
    "copy", "thread per row", "thread per column", "thread per element", "tiles", "padded tiles",
    "psg",  "cuBLAS geam"};

#ifdef PSG_GPU_LIBRARIES
void geam(matrix<float> &m, float *to, const float *from) {
    const float one = 1, none = 0;
    BENCH_LIBRARY("cuBLAS",
                  cublasSgeam(m.blas, CUBLAS_OP_T, CUBLAS_OP_N, (int)m.ny, (int)m.nx, &one, from,
                              (int)m.nx, &none, to, (int)m.ny, to, (int)m.ny));
}
void geam(matrix<double> &m, double *to, const double *from) {
    const double one = 1, none = 0;
    BENCH_LIBRARY("cuBLAS",
                  cublasDgeam(m.blas, CUBLAS_OP_T, CUBLAS_OP_N, (int)m.ny, (int)m.nx, &one, from,
                              (int)m.nx, &none, to, (int)m.ny, to, (int)m.ny));
}
#else
template <class real> void geam(matrix<real> &, real *, const real *) {
}
#endif

template <class real, way WAY> void launch(matrix<real> &m) {
    real *const to = (real *)m.to.p;
    const real *const from = (const real *)m.from.p;
    const dim3 tiles((unsigned)((m.nx + TILE - 1) / TILE), (unsigned)((m.ny + TILE - 1) / TILE));
    const dim3 threads(TILE, ROWS);
    const auto lines = [](size_t count) { return (unsigned)((count + THREADS - 1) / THREADS); };
    if (WAY == COPY)
        BENCH_CUDA(cudaMemcpyAsync(to, from, m.nx * m.ny * sizeof(real), cudaMemcpyDeviceToDevice));
    else if (WAY == ROWWISE)
        by_rows<<<lines(m.ny), THREADS>>>(to, from, m.nx, m.ny);
    else if (WAY == COLUMNWISE)
        by_columns<<<lines(m.nx), THREADS>>>(to, from, m.nx, m.ny);
    else if (WAY == NAIVE)
        naive<<<tiles, threads>>>(to, from, m.nx, m.ny);
    else if (WAY == TILED)
        tiled<real, 0><<<tiles, threads>>>(to, from, m.nx, m.ny);
    else if (WAY == PADDED)
        tiled<real, 1><<<tiles, threads>>>(to, from, m.nx, m.ny);
    else if (WAY == PSG) {
        const size_t n[3] = {m.nx, m.ny, 1};
        const psg_cuda_matrix in = {m.from.p, 0, 0}, out = {m.to.p, 0, 0};
        BENCH_CUDA(psg_cuda_transpose(true, n, sizeof(real), in, out, nullptr));
    } else
        geam(m, to, from);
    BENCH_CUDA(cudaGetLastError());
}

template <class real> __global__ void fill(real *a, size_t count) {
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads)
        a[i] = (real)bench_random(i);
}

/* Element [x][y] has the number of [y][x]; of a copy, [y][x]. */
template <class real>
__global__ void look(const real *to, size_t nx, size_t ny, bool turned, int *wrong) {
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < nx * ny; i += threads)
        if (to[i] != (real)bench_random(turned ? i % ny * nx + i / ny : i))
            *wrong = 1;
}

template <class real, way WAY> bench_job job(matrix<real> *m) {
    const auto run = [](void *what) {
        matrix<real> &m = *static_cast<matrix<real> *>(what);
        BENCH_CUDA(cudaEventRecord(m.begin));
        launch<real, WAY>(m);
        BENCH_CUDA(cudaEventRecord(m.end));
        BENCH_CUDA(cudaEventSynchronize(m.end));
        BENCH_CUDA(cudaEventElapsedTime(&m.latest, m.begin, m.end));
    };
    const auto seconds = [](void *what) {
        return 1e-3 * static_cast<matrix<real> *>(what)->latest;
    };
    int wrong = 0;
    BENCH_CUDA(cudaMemset(m->to.p, 0, m->nx * m->ny * sizeof(real)));
    BENCH_CUDA(cudaMemset(m->wrong.p, 0, sizeof wrong));
    run(m);
    look<<<1024, THREADS>>>((const real *)m->to.p, m->nx, m->ny, WAY != COPY, (int *)m->wrong.p);
    BENCH_CUDA(cudaMemcpy(&wrong, m->wrong.p, sizeof wrong, cudaMemcpyDeviceToHost));
    bench_must(!wrong, "%s: the matrix is not the transposed one", names[WAY]);
    return {names[WAY], m, nullptr, run, seconds, {}, 0};
}

template <class real> void measure(size_t nx, size_t ny, const bench_settings *settings) {
    char why[128];
    if (!bench_fits(2.0 * (double)(nx * ny * sizeof(real)), bench_gpu_memory(settings, 0.9), why)) {
        printf("%zux%zu: left out: %s\n", nx, ny, why);
        return;
    }
    matrix<real> m(nx, ny);
    fill<<<1024, THREADS>>>((real *)m.from.p, nx * ny);
    std::vector<bench_job> jobs = {job<real, COPY>(&m),       job<real, ROWWISE>(&m),
                                   job<real, COLUMNWISE>(&m), job<real, NAIVE>(&m),
                                   job<real, TILED>(&m),      job<real, PADDED>(&m),
                                   job<real, PSG>(&m)};
#ifdef PSG_GPU_LIBRARIES
    jobs.push_back(job<real, GEAM>(&m));
#endif
    bench_interleave(jobs.data(), jobs.size(), settings);
    for (const bench_job &j : jobs)
        printf("%zux%zu %s %-18s %10.4f ms (%.4f to %.4f), %.3f of the copy's bytes per second\n",
               nx, ny, sizeof(real) == 4 ? "f32" : "f64", j.name, 1e3 * j.times.median,
               1e3 * j.times.q1, 1e3 * j.times.q3, jobs[COPY].times.median / j.times.median);
}

} // namespace

int bench_transposes(int argc, char **argv, const void *) {
    bench_settings settings = {31, 3, 1, 0, 0, 0, 0};
    int f32 = 0;
    const bench_option options[] = {{"f32", BENCH_FLAG, &f32, nullptr},
                                    {nullptr, BENCH_FLAG, nullptr, nullptr}};
    const int first = bench_arguments(argc, argv, options, "N|NXxNY ...", &settings);
    std::vector<std::array<size_t, 2>> grids;
    bench_must_or(BENCH_USAGE, !settings.rows, "--rows: there are none, it is in no study");
    for (int m = first; m < argc; m++) {
        char *end = nullptr;
        const size_t nx = strtoull(argv[m], &end, 10);
        const size_t ny = *end == 'x' ? strtoull(end + 1, &end, 10) : nx;
        bench_must_or(BENCH_USAGE, *end == 0 && nx > 0 && ny > 0 && nx < 1u << 30 && ny < 1u << 20,
                      "'%s' is no matrix", argv[m]);
        grids.push_back({nx, ny});
    }
    (void)bench_gpus();
    for (const auto &grid : grids) {
        if (f32)
            measure<float>(grid[0], grid[1], &settings);
        else
            measure<double>(grid[0], grid[1], &settings);
    }
    return 0;
}
