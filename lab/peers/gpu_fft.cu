// cuFFT's transforms of one length, many at once, and psg's transposition of a matrix, on a GPU.
#include "kernels/transpose.h"
#include "lab/peers/fft.h"
#include "lab/peers/gpu.cuh"
#include "lab/peers/gpus.h"

namespace {

struct batched {
    cufftHandle handle;
    bool f32;
};

double free_bytes() {
    size_t free = 0, all = 0;
    BENCH_CUDA(cudaMemGetInfo(&free, &all));
    return (double)free;
}

void *plan(const bench_batch *b, void *, double *bytes) {
    int n = (int)b->n;
    const int count = (int)b->count, stride = b->strided ? count : 1, distance = b->strided ? 1 : n;
    const double before = free_bytes();
    batched *p = new batched{0, b->f32 != 0};
    BENCH_CUFFT(cufftPlanMany(&p->handle, 1, &n, &n, stride, distance, &n, stride, distance,
                              p->f32 ? CUFFT_C2C : CUFFT_Z2Z, count));
    *bytes = before - free_bytes();
    return p;
}

void run(void *what, void *array) {
    const batched *p = static_cast<const batched *>(what);
    if (p->f32)
        BENCH_CUFFT(
            cufftExecC2C(p->handle, (cufftComplex *)array, (cufftComplex *)array, CUFFT_FORWARD));
    else
        BENCH_CUFFT(cufftExecZ2Z(p->handle, (cufftDoubleComplex *)array,
                                 (cufftDoubleComplex *)array, CUFFT_FORWARD));
    BENCH_CUDA(cudaStreamSynchronize(nullptr));
}

void destroy(void *what) {
    batched *p = static_cast<batched *>(what);
    BENCH_CUFFT(cufftDestroy(p->handle));
    delete p;
}

void transpose(const bench_batch *b, void *to, const void *from, int back) {
    const size_t columns = back ? b->n : b->count, rows = back ? b->count : b->n;
    const size_t n[3] = {columns, rows, 1};
    const psg_cuda_matrix in = {const_cast<void *>(from), 0, 0}, out = {to, 0, 0};
    BENCH_CUDA(psg_cuda_transpose(true, n, b->f32 ? 8 : 16, in, out, nullptr));
    if (back)
        BENCH_CUDA(cudaStreamSynchronize(nullptr));
}

double memory(const bench_settings *settings) {
    return bench_gpu_memory(settings, 0.9);
}

} // namespace

extern const bench_transforms bench_transforms_gpu = {&bench_device_gpu, plan,      run,
                                                      destroy,           transpose, memory};
