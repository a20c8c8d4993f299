// Copies and transposes of matrices: kernels and their launch.
#include "kernels/transpose.cuh"
#include "kernels/transpose.h"

using namespace psg_cuda;

namespace {

template <class Element>
__global__ void __launch_bounds__(transpose_tile *transpose_rows)
    transpose_tiles(const __grid_constant__ transpose_args all) {
    const transpose_args a = plane_of<Element>(all, blockIdx.y);
    __shared__ Element tile[transpose_tile * (transpose_tile + 1)];
    const transpose_place at(a, blockIdx.x, threadIdx.x, threadIdx.y);
    transpose_load(a, at, tile);
    __syncthreads();
    transpose_store(a, at, tile);
}

template <class Element>
__global__ void __launch_bounds__(rows_threads)
    copy_rows(const __grid_constant__ transpose_args a) {
    rows_copy<Element>(plane_of<Element>(a, blockIdx.y), blockIdx.x, threadIdx.x, threadIdx.y,
                       blockDim.x, blockDim.y);
}

template <class Element>
cudaError_t launch_tiles(transpose_args a, unsigned planes, cudaStream_t stream) {
    a.across = (uint32_t)div_up(a.nx, transpose_tile);
    const size_t tiles = a.across * div_up(a.ny, transpose_tile);
    if (tiles > INT32_MAX)
        return cudaErrorInvalidValue;
    transpose_tiles<Element>
        <<<dim3((unsigned)tiles, planes), dim3(transpose_tile, transpose_rows), 0, stream>>>(a);
    return cudaGetLastError();
}

template <class Element>
cudaError_t launch_rows(transpose_args a, unsigned planes, cudaStream_t stream) {
    if (a.in_row == a.nx && a.out_row == a.nx) { // rows without gaps are one row
        a.nx *= a.ny;
        a.ny = 1;
    }
    const uint32_t width = rows_width(a.nx), rows = rows_threads / width;
    const size_t chunks = div_up(a.nx, (size_t)width * transpose_elements);
    const size_t blocks = chunks * div_up(a.ny, rows);
    if (blocks > INT32_MAX)
        return cudaErrorInvalidValue;
    a.across = (uint32_t)chunks;
    copy_rows<Element><<<dim3((unsigned)blocks, planes), dim3(width, rows), 0, stream>>>(a);
    return cudaGetLastError();
}

template <class Element>
cudaError_t launch(bool turns, const transpose_args &a, unsigned planes, cudaStream_t stream) {
    return turns ? launch_tiles<Element>(a, planes, stream)
                 : launch_rows<Element>(a, planes, stream);
}

} // namespace

cudaError_t psg_cuda_transpose(bool turns, const size_t n[3], size_t element_bytes,
                               psg_cuda_matrix in, psg_cuda_matrix out, cudaStream_t stream) {
    if (!n || n[0] > INT32_MAX || n[1] > INT32_MAX || n[2] > UINT16_MAX)
        return cudaErrorInvalidValue;
    if (n[0] == 0 || n[1] == 0 || n[2] == 0)
        return cudaSuccess;
    if (element_bytes != 4 && element_bytes != 8 && element_bytes != 16)
        return cudaErrorInvalidValue;
    if (!in.data_d || !out.data_d || (uintptr_t)in.data_d % element_bytes ||
        (uintptr_t)out.data_d % element_bytes)
        return cudaErrorInvalidValue;
    const size_t out_n = n[turns ? 1 : 0];
    const size_t in_row = in.pitch ? in.pitch : n[0], out_row = out.pitch ? out.pitch : out_n;
    if (in_row < n[0] || out_row < out_n)
        return cudaErrorInvalidValue;
    const transpose_args a = {in.data_d, out.data_d, n[0],     (uint32_t)n[1], 0,
                              in_row,    out_row,    in.plane, out.plane};
    const unsigned planes = (unsigned)n[2];
    return element_bytes == 4   ? launch<element_t<4>>(turns, a, planes, stream)
           : element_bytes == 8 ? launch<element_t<8>>(turns, a, planes, stream)
                                : launch<element_t<16>>(turns, a, planes, stream);
}
