// The sum of two vectors: 16 bytes an access where all three are aligned to them, else a number an
// access.
#include "workloads/vadd.cuh"
#include "workloads/vadd.h"

using namespace psg_cuda;

namespace {

template <class Real, int N>
__global__ void __launch_bounds__(vadd_threads)
    vadd_kernel(const Real *a, const Real *b, Real *c, size_t packs, uint32_t tail) {
    vadd_part<Real, N>(a, b, c, packs, tail, blockIdx.x, threadIdx.x);
}

template <class Real, int N>
cudaError_t launch(size_t count, const void *a_d, const void *b_d, void *c_d, cudaStream_t stream) {
    const size_t packs = count / N,
                 blocks = packs ? div_up(packs, vadd_threads * vadd_elements) : 1;
    if (blocks > INT32_MAX)
        return cudaErrorInvalidValue;
    vadd_kernel<Real, N><<<(unsigned)blocks, vadd_threads, 0, stream>>>(
        static_cast<const Real *>(a_d), static_cast<const Real *>(b_d), static_cast<Real *>(c_d),
        packs, (uint32_t)(count % N));
    return cudaGetLastError();
}

template <class Real>
cudaError_t add(size_t count, const void *a_d, const void *b_d, void *c_d, cudaStream_t stream) {
    const uintptr_t places = (uintptr_t)a_d | (uintptr_t)b_d | (uintptr_t)c_d;
    if (!a_d || !b_d || !c_d || places % sizeof(Real))
        return cudaErrorInvalidValue;
    return places % 16 == 0 ? launch<Real, 16 / sizeof(Real)>(count, a_d, b_d, c_d, stream)
                            : launch<Real, 1>(count, a_d, b_d, c_d, stream);
}

} // namespace

cudaError_t vadd_cuda(psg_cuda_precision precision, size_t count, const void *a_d, const void *b_d,
                      void *c_d, cudaStream_t stream) {
    if (!precision_valid(precision))
        return cudaErrorInvalidValue;
    if (count == 0)
        return cudaSuccess;
    return precision == PSG_CUDA_F64 ? add<double>(count, a_d, b_d, c_d, stream)
                                     : add<float>(count, a_d, b_d, c_d, stream);
}
