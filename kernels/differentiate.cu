// The derivatives: kernel and launch.
#include "kernels/differentiate.cuh"
#include "kernels/differentiate.h"

using namespace psg_cuda;

namespace {

/// A block has differentiate_threads * differentiate_elements numbers of a plane.
template <class Real>
__global__ void __launch_bounds__(differentiate_threads)
    differentiate_kernel(const __grid_constant__ differentiate_args<Real> a) {
    constexpr uint32_t numbers = differentiate_threads * differentiate_elements;
    const size_t k = blockIdx.x / a.blocks;
    const uint32_t first = blockIdx.x % a.blocks * numbers + threadIdx.x;
    PSG_UNROLL
    for (int e = 0; e < differentiate_elements; e++)
        if (first + e * differentiate_threads < a.columns)
            differentiate_one(a, k, first + e * differentiate_threads);
}

template <class Real>
cudaError_t launch(const void *spectrum_d, const size_t n[3], const psg_cuda_derivative *by,
                   void *result_d, cudaStream_t stream) {
    const size_t columns = n[0] * n[1];
    const size_t blocks = div_up(columns, differentiate_threads * differentiate_elements);
    if (columns > INT32_MAX || n[2] > INT32_MAX / blocks)
        return cudaErrorInvalidValue;
    const differentiate_args<Real> a = {static_cast<const complex_t<Real> *>(spectrum_d),
                                        static_cast<complex_t<Real> *>(result_d),
                                        static_cast<const complex_t<Real> *>(by->kx_d),
                                        static_cast<const complex_t<Real> *>(by->ky_d),
                                        {(Real)by->scale[0], (Real)by->scale[1]},
                                        (uint32_t)n[0],
                                        (uint32_t)columns,
                                        (uint32_t)blocks};
    differentiate_kernel<Real><<<(unsigned)(n[2] * blocks), differentiate_threads, 0, stream>>>(a);
    return cudaGetLastError();
}

} // namespace

cudaError_t psg_cuda_differentiate(psg_cuda_precision precision, const void *spectrum_d,
                                   const size_t n[3], const psg_cuda_derivative *by, void *result_d,
                                   cudaStream_t stream) {
    if (!precision_valid(precision) || !n || !by)
        return cudaErrorInvalidValue;
    if (n[0] == 0 || n[1] == 0 || n[2] == 0)
        return cudaSuccess;
    if (!spectrum_d || !result_d)
        return cudaErrorInvalidValue;
    return precision == PSG_CUDA_F64 ? launch<double>(spectrum_d, n, by, result_d, stream)
                                     : launch<float>(spectrum_d, n, by, result_d, stream);
}
