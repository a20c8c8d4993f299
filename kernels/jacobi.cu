// A sweep of a tile by Jacobi's method: a thread for each point. Neighbours come from a cache, where the row above left them.
#include "kernels/complex.cuh"
#include "kernels/jacobi.h"

using namespace psg_cuda;

namespace {

constexpr int width = 64, height = 4; // threads of a block

template <class Real> struct sweep_args {
    const Real *u, *north, *south, *west, *east;
    Real *next, *to_north, *to_south, *to_west, *to_east;
    size_t columns, rows;
};

template <class Real>
__global__ void __launch_bounds__(width *height) jacobi_kernel(const sweep_args<Real> a) {
    const size_t j = blockIdx.x * size_t(width) + threadIdx.x;
    if (j >= a.columns)
        return;
    for (size_t i = blockIdx.y * size_t(height) + threadIdx.y; i < a.rows;
         i += gridDim.y * size_t(height)) {
        const Real *at = a.u + i * a.columns + j;
        const Real north = i > 0 ? at[-(ptrdiff_t)a.columns] : a.north[j];
        const Real south = i + 1 < a.rows ? at[a.columns] : a.south[j];
        const Real west = j > 0 ? at[-1] : a.west[i];
        const Real east = j + 1 < a.columns ? at[1] : a.east[i];
        const Real mean = (((north + south) + west) + east) / 4;
        a.next[i * a.columns + j] = mean;
        if (i == 0)
            a.to_north[j] = mean;
        if (i + 1 == a.rows)
            a.to_south[j] = mean;
        if (j == 0)
            a.to_west[i] = mean;
        if (j + 1 == a.columns)
            a.to_east[i] = mean;
    }
}

template <class Real> cudaError_t launch(const base_jacobi_sweep *s, cudaStream_t stream) {
    const auto beyond = [s](int side) { return static_cast<const Real *>(s->beyond[side]); };
    const auto edge = [s](int side) { return static_cast<Real *>(s->edge[side]); };
    const sweep_args<Real> a = {static_cast<const Real *>(s->u),
                                beyond(BASE_JACOBI_NORTH),
                                beyond(BASE_JACOBI_SOUTH),
                                beyond(BASE_JACOBI_WEST),
                                beyond(BASE_JACOBI_EAST),
                                static_cast<Real *>(s->next),
                                edge(BASE_JACOBI_NORTH),
                                edge(BASE_JACOBI_SOUTH),
                                edge(BASE_JACOBI_WEST),
                                edge(BASE_JACOBI_EAST),
                                s->columns,
                                s->rows};
    const size_t blocks[2] = {div_up(s->columns, (size_t)width), div_up(s->rows, (size_t)height)};
    const dim3 grid((unsigned)blocks[0], (unsigned)(blocks[1] < 65535 ? blocks[1] : 65535));
    jacobi_kernel<Real><<<grid, dim3(width, height), 0, stream>>>(a);
    return cudaGetLastError();
}

} // namespace

cudaError_t psg_cuda_jacobi(psg_cuda_precision precision, const base_jacobi_sweep *sweep,
                            cudaStream_t stream) {
    if (!precision_valid(precision) || !sweep || sweep->columns == 0 || sweep->rows == 0 ||
        sweep->columns > INT32_MAX)
        return cudaErrorInvalidValue;
    return precision == PSG_CUDA_F64 ? launch<double>(sweep, stream) : launch<float>(sweep, stream);
}
