/* The loops of channel.h over cells, on a GPU, where the twins of memory stay from step to step. */
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

/// Before the memory of the host.
struct alignas(64) head {
    void *twin;
    size_t bytes;
};

static head *head_of(void *made) {
    return static_cast<head *>(made) - 1;
}

void *memory(size_t count, size_t size) {
    head *made = static_cast<head *>(
        aligned_alloc(sizeof(head), (1 + count * size / sizeof(head) + 1) * sizeof(head)));
    if (!made) {
        fail("no memory");
    }
    memset(made + 1, 0, count * size);
    made->bytes = count * size;
    check(cudaSetDevice(place()));
    check(cudaMalloc(&made->twin, made->bytes));
    check(cudaMemset(made->twin, 0, made->bytes));
    check(cudaDeviceSynchronize());
    return made + 1;
}

void release(void *made) {
    check(cudaFree(twin(made)));
    free(head_of(made));
}

void *twin(void *made) {
    return made ? head_of(made)->twin : NULL;
}

void to_twin(void *made) {
    check(cudaMemcpy(twin(made), made, head_of(made)->bytes, cudaMemcpyHostToDevice));
}

void from_twin(void *made) {
    check(cudaMemcpy(made, twin(made), head_of(made)->bytes, cudaMemcpyDeviceToHost));
}

template <class T> static T *twin_of(T *made) {
    return static_cast<T *>(twin(made));
}

/// The flow with the twins of what it has.
static flow there(const flow *f) {
    flow g = *f;
    for (int a = 0; a < 3; ++a) {
        g.width[a] = twin_of(f->width[a]);
        g.gap[a] = twin_of(f->gap[a]);
        g.v[a] = twin_of(f->v[a]);
        g.rate[a] = twin_of(f->rate[a]);
        g.before[a] = twin_of(f->before[a]);
    }
    g.face = twin_of(f->face);
    g.through = twin_of(f->through);
    g.planes = twin_of(f->planes);
    return g;
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
        ghosts<<<blocks(f->n[b] + 2, f->n[d] + 2, 3), THREADS>>>(there(f), a, b, d);
        check(cudaGetLastError());
    }
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
    works<<<blocks(f->n[0], f->n[1], f->n[2]), THREADS>>>(there(f), what, now, then);
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
    numbers<<<(unsigned)f->n[2], THREADS>>>(there(f), what, w ? twin_of(w[0]) : NULL,
                                            w ? twin_of(w[1]) : NULL, w ? twin_of(w[2]) : NULL);
    check(cudaGetLastError());
    from_twin(f->planes);
}
