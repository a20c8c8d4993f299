// The division: kernels and their launch.
#include "kernels/divide.cuh"
#include "kernels/divide.h"

using namespace psg_cuda;

namespace {

template <class Real>
__global__ void __launch_bounds__(divide_threads)
    divide_strided_kernel(const __grid_constant__ divide_args<Real> a) {
    const uint32_t column = blockIdx.x * divide_threads + threadIdx.x;
    for (uint32_t z = blockIdx.y * divide_elements; z < a.nz; z += gridDim.y * divide_elements)
        divide_strided(a, column, z);
}

template <class Real>
__global__ void __launch_bounds__(divide_threads)
    divide_contiguous_kernel(const __grid_constant__ divide_args<Real> a) {
    divide_contiguous(a, blockIdx.x * blockDim.y + threadIdx.y, threadIdx.x, blockDim.x);
}

template <class Real>
cudaError_t launch(psg_cuda_layout layout, void *sheet_d, size_t columns, size_t nxc, size_t nz,
                   const psg_cuda_symbol *symbol, cudaStream_t stream) {
    divide_args<Real> a;
    a.sheet = static_cast<complex_t<Real> *>(sheet_d);
    a.ex = static_cast<const Real *>(symbol->ex_d);
    a.ey = static_cast<const Real *>(symbol->ey_d);
    a.ez = static_cast<const Real *>(symbol->ez_d);
    a.mode0 = static_cast<complex_t<Real> *>(symbol->mode0_d);
    a.nonfinite = symbol->nonfinite_d;
    a.lambda = (Real)symbol->lambda;
    a.scale = (Real)symbol->scale;
    a.columns = (uint32_t)columns;
    a.nxc = (uint32_t)nxc;
    a.nz = (uint32_t)nz;
    a.each = symbol->pairs ? 2 : 1;
    a.table = table_of<Real>(symbol->table);
    if (layout == PSG_CUDA_Z_STRIDED) {
        const size_t y = div_up(nz, divide_elements);
        const dim3 grid((unsigned)div_up(columns, divide_threads),
                        (unsigned)(y < grid_y_max ? y : grid_y_max));
        divide_strided_kernel<Real><<<grid, divide_threads, 0, stream>>>(a);
    } else {
        const uint32_t width = divide_width(a.nz), rows = divide_threads / width;
        divide_contiguous_kernel<Real>
            <<<(unsigned)div_up(columns, rows), dim3(width, rows), 0, stream>>>(a);
    }
    return cudaGetLastError();
}

} // namespace

cudaError_t psg_cuda_divide(psg_cuda_precision precision, psg_cuda_layout layout, void *sheet_d,
                            size_t columns, size_t nxc, size_t nz, const psg_cuda_symbol *symbol,
                            cudaStream_t stream) {
    if ((precision != PSG_CUDA_F64 && precision != PSG_CUDA_F32) ||
        (layout != PSG_CUDA_Z_STRIDED && layout != PSG_CUDA_Z_CONTIGUOUS) || !sheet_d ||
        (uintptr_t)sheet_d % (precision == PSG_CUDA_F64 ? 16 : 8) || columns > INT32_MAX ||
        nxc == 0 || nxc > INT32_MAX || nz > INT32_MAX || !symbol || !symbol->ex_d ||
        !symbol->ey_d || !symbol->ez_d)
        return cudaErrorInvalidValue;
    if (columns == 0 || nz == 0)
        return cudaSuccess;
    return precision == PSG_CUDA_F64
               ? launch<double>(layout, sheet_d, columns, nxc, nz, symbol, stream)
               : launch<float>(layout, sheet_d, columns, nxc, nz, symbol, stream);
}
