// Transposes: kernels and their launch.
#include "kernels/transpose.cuh"
#include "kernels/transpose.h"

using namespace psg_cuda;

namespace {

constexpr int default_elements = 4;

template <class Element, int EPT>
__global__ void __launch_bounds__(transpose_tile *transpose_tile / EPT)
    transpose_tiles(const __grid_constant__ transpose_args a) {
    __shared__ Element tile[transpose_tile * (transpose_tile + 1)];
    for (uint32_t f = blockIdx.y; f < a.nf; f += gridDim.y) {
        const transpose_place at(a, blockIdx.x, f, threadIdx.x, threadIdx.y);
        transpose_load<Element, EPT>(a, at, tile);
        __syncthreads();
        transpose_store<Element, EPT>(a, at, tile);
        __syncthreads(); // the next round writes the tile
    }
}

template <class Element, int EPT>
__global__ void __launch_bounds__(rows_threads) copy_rows(const __grid_constant__ rows_args a) {
    for (uint32_t z = blockIdx.y; z < a.nz; z += gridDim.y)
        rows_copy<Element, EPT>(a, blockIdx.x, z, threadIdx.x, threadIdx.y, blockDim.x, blockDim.y);
}

dim3 grid_of(size_t x, uint32_t y) {
    return dim3((unsigned)x, y < grid_y_max ? y : grid_y_max);
}

template <class Element, int EPT> cudaError_t launch_tiles(transpose_args a, cudaStream_t stream) {
    a.tiles_x = (uint32_t)div_up(a.nx, transpose_tile);
    const size_t tiles = a.tiles_x * div_up(a.np, transpose_tile);
    if (tiles > INT32_MAX)
        return cudaErrorInvalidValue;
    transpose_tiles<Element, EPT>
        <<<grid_of(tiles, a.nf), dim3(transpose_tile, transpose_tile / EPT), 0, stream>>>(a);
    return cudaGetLastError();
}

template <class Element, int EPT> cudaError_t launch_rows(rows_args a, cudaStream_t stream) {
    if (a.in_y == a.nx && a.out_y == a.nx) { // planes without gaps are rows
        a.nx *= a.ny;
        a.ny = 1;
        if (a.in_z == a.nx && a.out_z == a.nx) {
            a.nx *= a.nz;
            a.nz = 1;
        }
    }
    const uint32_t width = rows_width(a.nx, EPT), rows = rows_threads / width;
    const size_t chunks = div_up(a.nx, (size_t)width * EPT);
    const size_t blocks = chunks * div_up(a.ny, rows);
    if (blocks > INT32_MAX)
        return cudaErrorInvalidValue;
    a.chunks = (uint32_t)chunks;
    copy_rows<Element, EPT><<<grid_of(blocks, a.nz), dim3(width, rows), 0, stream>>>(a);
    return cudaGetLastError();
}

/// One of the two kinds.
struct job {
    bool tiles;
    transpose_args t;
    rows_args r;
};

template <class Element> cudaError_t launch(const job &j, int ept, cudaStream_t stream) {
    switch (ept) {
    case 1:
        return j.tiles ? launch_tiles<Element, 1>(j.t, stream)
                       : launch_rows<Element, 1>(j.r, stream);
    case 2:
        return j.tiles ? launch_tiles<Element, 2>(j.t, stream)
                       : launch_rows<Element, 2>(j.r, stream);
    case 4:
        return j.tiles ? launch_tiles<Element, 4>(j.t, stream)
                       : launch_rows<Element, 4>(j.r, stream);
    case 8:
        return j.tiles ? launch_tiles<Element, 8>(j.t, stream)
                       : launch_rows<Element, 8>(j.r, stream);
    default:
        return cudaErrorInvalidValue;
    }
}

/// Axes of the result, fastest first.
const int axes[PSG_CUDA_ORDER_COUNT][3] = {{0, 1, 2}, {1, 0, 2}, {2, 1, 0},
                                           {0, 2, 1}, {1, 2, 0}, {2, 0, 1}};

} // namespace

cudaError_t psg_cuda_transpose(psg_cuda_order order, const size_t n[3], size_t element_bytes,
                               psg_cuda_array in, psg_cuda_array out, int elements_per_thread,
                               cudaStream_t stream) {
    if ((unsigned)order >= PSG_CUDA_ORDER_COUNT || !n)
        return cudaErrorInvalidValue;
    for (int axis = 0; axis < 3; axis++)
        if (n[axis] > INT32_MAX)
            return cudaErrorInvalidValue;
    if (n[0] == 0 || n[1] == 0 || n[2] == 0)
        return cudaSuccess;
    if (element_bytes != 4 && element_bytes != 8 && element_bytes != 16)
        return cudaErrorInvalidValue;
    if (!in.data_d || !out.data_d || (uintptr_t)in.data_d % element_bytes ||
        (uintptr_t)out.data_d % element_bytes)
        return cudaErrorInvalidValue;
    const int *axis = axes[order];
    const size_t in_row = in.row ? in.row : n[0], in_plane = in.plane ? in.plane : in_row * n[1];
    const size_t out_row = out.row ? out.row : n[axis[0]];
    const size_t out_plane = out.plane ? out.plane : out_row * n[axis[1]];
    if (in_row < n[0] || out_row < n[axis[0]])
        return cudaErrorInvalidValue;
    const size_t in_step[3] = {1, in_row, in_plane};
    size_t out_step[3] = {0, 0, 0};
    out_step[axis[0]] = 1;
    out_step[axis[1]] = out_row;
    out_step[axis[2]] = out_plane;

    job j = job();
    j.tiles = axis[0] != 0;
    if (j.tiles) {
        const int p = axis[0], f = 3 - p;
        j.t = {in.data_d, out.data_d, (uint32_t)n[0], (uint32_t)n[p], (uint32_t)n[f],
               0,         in_step[p], in_step[f],     out_step[0],    out_step[f]};
    } else {
        j.r = {in.data_d, out.data_d, n[0],       (uint32_t)n[1], (uint32_t)n[2],
               0,         in_step[1], in_step[2], out_step[1],    out_step[2]};
    }
    const int ept = elements_per_thread ? elements_per_thread : default_elements;
    return element_bytes == 4   ? launch<element_t<4>>(j, ept, stream)
           : element_bytes == 8 ? launch<element_t<8>>(j, ept, stream)
                                : launch<element_t<16>>(j, ept, stream);
}
