// The sum of two vectors.
#include "workloads/vadd.cuh"
#include "workloads/vadd.h"

using namespace psg_cuda;

namespace {

template <class Real>
__global__ void __launch_bounds__(vadd_threads)
    vadd_kernel(const Real *a, const Real *b, Real *c, size_t count) {
    vadd_part(a, b, c, count, blockIdx.x, threadIdx.x);
}

template <class Real>
cudaError_t add(size_t count, const void *a_d, const void *b_d, void *c_d, cudaStream_t stream) {
    const uintptr_t places = (uintptr_t)a_d | (uintptr_t)b_d | (uintptr_t)c_d;
    const size_t blocks = div_up(count, (size_t)(vadd_threads * vadd_elements));
    if (!a_d || !b_d || !c_d || places % sizeof(Real) || blocks > INT32_MAX)
        return cudaErrorInvalidValue;
    vadd_kernel<<<(unsigned)blocks, vadd_threads, 0, stream>>>(static_cast<const Real *>(a_d),
                                                               static_cast<const Real *>(b_d),
                                                               static_cast<Real *>(c_d), count);
    return cudaGetLastError();
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
