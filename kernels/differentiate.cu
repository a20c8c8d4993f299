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
cudaError_t launch(const psg_cuda_xy_part *part, size_t planes, size_t nxc, size_t strip,
                   const psg_cuda_derivative *by, void *result_d, cudaStream_t stream) {
    const size_t columns = part->rows * nxc;
    const size_t blocks = div_up(columns, differentiate_threads * differentiate_elements);
    if (columns > INT32_MAX || planes > INT32_MAX / blocks)
        return cudaErrorInvalidValue;
    const Real *ky = static_cast<const Real *>(by->ky_d);
    const differentiate_args<Real> a = {static_cast<const complex_t<Real> *>(part->base_d),
                                        static_cast<complex_t<Real> *>(result_d),
                                        part->plane_pitch,
                                        static_cast<const Real *>(by->kx_d),
                                        ky ? ky + part->y0 : nullptr,
                                        (Real)by->scale,
                                        (uint32_t)part->rows,
                                        (uint32_t)nxc,
                                        (uint32_t)(strip ? strip : nxc),
                                        (uint32_t)columns,
                                        (uint32_t)blocks};
    differentiate_kernel<Real>
        <<<(unsigned)(planes * blocks), differentiate_threads, 0, stream>>>(a);
    return cudaGetLastError();
}

} // namespace

cudaError_t psg_cuda_differentiate(psg_cuda_precision precision, const psg_cuda_xy_part *part,
                                   size_t planes, size_t nxc, size_t strip,
                                   const psg_cuda_derivative *by, void *result_d,
                                   cudaStream_t stream) {
    if (!precision_valid(precision) || !part || !by || nxc == 0 || strip > nxc)
        return cudaErrorInvalidValue;
    if (planes == 0 || part->rows == 0)
        return cudaSuccess;
    if (!part->base_d || !result_d || part->plane_pitch < part->rows * nxc)
        return cudaErrorInvalidValue;
    return precision == PSG_CUDA_F64
               ? launch<double>(part, planes, nxc, strip, by, result_d, stream)
               : launch<float>(part, planes, nxc, strip, by, result_d, stream);
}
