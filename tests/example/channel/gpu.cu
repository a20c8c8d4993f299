/* The loops of channel.h over cells, on a GPU. Memory is managed: it stays on the GPU from step to
 * step, and moves where the host reads or writes it. */
#include "tests/example/channel/cells.h"

#include <cuda_runtime.h>

enum { THREADS = 128, SKIPPED = 77 };

static void check(cudaError_t error) {
    if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver) {
        fprintf(stderr, "channel: no GPU\n");
        exit(SKIPPED);
    }
    if (error != cudaSuccess) {
        fail(cudaGetErrorString(error));
    }
}

int place(void) {
    return 0;
}

void *memory(size_t count, size_t size) {
    void *made = NULL;
    check(cudaSetDevice(place()));
    check(cudaMallocManaged(&made, count * size));
    check(cudaMemset(made, 0, count * size));
    check(cudaDeviceSynchronize());
    return made;
}

void release(void *made) {
    check(cudaFree(made));
}

/// Threads for x * y cells of z planes.
static dim3 blocks(size_t x, size_t y, size_t z) {
    return dim3((unsigned)((x + THREADS - 1) / THREADS), (unsigned)y, (unsigned)z);
}

__device__ static size_t thread() {
    return blockIdx.x * (size_t)blockDim.x + threadIdx.x;
}

__global__ static void ghosts(flow f, int a, int b, int d) {
    const size_t p = thread(), q = blockIdx.y;
    const int c = (int)blockIdx.z;
    if (p < f.n[b] + 2) {
        ghosts_of(&f, c, a, f.v[c] + p * f.step[b] + q * f.step[d]);
    }
}

void all_ghosts(const flow *f) {
    for (int a = 0; a < 3; ++a) {
        const int b = a == 0 ? 1 : 0, d = 3 - a - b;
        ghosts<<<blocks(f->n[b] + 2, f->n[d] + 2, 3), THREADS>>>(*f, a, b, d);
        check(cudaGetLastError());
    }
    check(cudaDeviceSynchronize());
}

__global__ static void works(flow f, work what, double now, double then) {
    const size_t i = thread() + 1, j = blockIdx.y + 1, k = blockIdx.z + 1;
    for (int c = 0; c < 3; ++c) {
        if (i <= last(&f, c, 0) && k <= last(&f, c, 2)) {
            work_in(&f, what, now, then, c, i, i, j, k);
        }
    }
}

void each_cell(const flow *f, work what, double now, double then) {
    works<<<blocks(f->n[0], f->n[1], f->n[2]), THREADS>>>(*f, what, now, then);
    check(cudaGetLastError());
}

/// A block for a plane.
__global__ static void numbers(flow f, quantity what, real *wx, real *wy, real *wz) {
    __shared__ double sums[THREADS][NUMBERS];
    real *const w[3] = {wx, wy, wz};
    const size_t k = blockIdx.x + 1;
    double sum[NUMBERS] = {0};
    for (size_t cell = threadIdx.x; cell < f.n[0] * f.n[1]; cell += THREADS) {
        add_cell(&f, what, w, cell % f.n[0] + 1, cell / f.n[0] + 1, k, sum);
    }
    memcpy(sums[threadIdx.x], sum, sizeof sum);
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        for (int q = 0; q < NUMBERS && threadIdx.x < half; ++q) {
            double *to = &sums[threadIdx.x][q];
            const double other = sums[threadIdx.x + half][q];
            *to = what <= PRODUCT ? *to + other : larger(*to, other);
        }
    }
    __syncthreads();
    if (threadIdx.x < NUMBERS) {
        f.planes[k - 1][threadIdx.x] = sums[0][threadIdx.x];
    }
}

void plane_numbers(const flow *f, quantity what, real *const w[3]) {
    numbers<<<(unsigned)f->n[2], THREADS>>>(*f, what, w ? w[0] : NULL, w ? w[1] : NULL,
                                            w ? w[2] : NULL);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
}
