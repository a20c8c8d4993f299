// Pack and unpack: kernels and their launch.
#include "kernels/pack.cuh"
#include "kernels/pack.h"

using namespace psg_cuda;

namespace {

constexpr int tile_elements = 4; // for each thread

template <class Element, bool PACK>
__global__ void __launch_bounds__(pack_threads)
    pack_segment_kernel(const __grid_constant__ pack_args a) {
    for (uint32_t z = blockIdx.y; z < a.nz; z += gridDim.y)
        pack_segment_plane<Element, PACK>(a, blockIdx.x, z, threadIdx.x);
}

template <class Element, bool PACK>
__global__ void __launch_bounds__(pack_threads)
    pack_sheet_kernel(const __grid_constant__ pack_args a) {
    for (uint32_t z = blockIdx.y; z < a.nz; z += gridDim.y)
        pack_sheet_plane<Element, PACK>(a, blockIdx.x, z, threadIdx.x);
}

template <class Element, bool PACK>
__global__ void __launch_bounds__(transpose_tile *transpose_tile / tile_elements)
    pack_tiles_kernel(const __grid_constant__ pack_args a, size_t nz_whole) {
    __shared__ Element tile[transpose_tile * (transpose_tile + 1)];
    const uint32_t column0 = blockIdx.x * transpose_tile;
    for (uint32_t z = blockIdx.y * transpose_tile; z < a.nz; z += gridDim.y * transpose_tile) {
        pack_tile_load<Element, PACK, tile_elements>(a, nz_whole, column0, z, threadIdx.x,
                                                     threadIdx.y, tile);
        __syncthreads();
        pack_tile_store<Element, PACK, tile_elements>(a, nz_whole, column0, z, threadIdx.x,
                                                      threadIdx.y, tile);
        __syncthreads(); // the next round writes the tile
    }
}

unsigned grid_y(size_t n) {
    return (unsigned)(n < grid_y_max ? n : grid_y_max);
}

size_t element_bytes(psg_cuda_precision precision) {
    return precision == PSG_CUDA_F64 ? 16 : 8;
}

template <class Element, bool PACK>
cudaError_t segment(pack_args *a, void *const *blocks, const size_t *y0, size_t count,
                    cudaStream_t stream) {
    for (size_t first = 0; first < count; first += segments_max) {
        const size_t taken = count - first < segments_max ? count - first : segments_max;
        for (size_t p = 0; p < taken; p++) {
            a->list.base[p] = static_cast<char *>(blocks[first + p]);
            a->list.z0[p] = (uint32_t)y0[first + p];
            a->list.pitch_bytes[p] = (y0[first + p + 1] - y0[first + p]) * a->nxc * sizeof(Element);
        }
        a->list.z0[taken] = (uint32_t)y0[first + taken];
        a->list.count = (uint32_t)taken;
        a->first = a->list.z0[0] * a->nxc;
        a->n = a->list.z0[taken] * a->nxc - a->first;
        if (a->n == 0)
            continue;
        const dim3 grid((unsigned)div_up(a->n, pack_threads * pack_elements), grid_y(a->nz));
        pack_segment_kernel<Element, PACK><<<grid, pack_threads, 0, stream>>>(*a);
        const cudaError_t e = cudaGetLastError();
        if (e != cudaSuccess)
            return e;
    }
    return cudaSuccess;
}

template <bool PACK>
cudaError_t segment_any(psg_cuda_precision precision, void *spectrum_d, size_t nxc, size_t ny,
                        size_t planes, void *const *blocks, const size_t *y0, size_t count,
                        cudaStream_t stream) {
    if ((precision != PSG_CUDA_F64 && precision != PSG_CUDA_F32) || !spectrum_d || !blocks || !y0 ||
        nxc > INT32_MAX || ny > INT32_MAX || nxc * ny > INT32_MAX || planes > INT32_MAX)
        return cudaErrorInvalidValue;
    const size_t bytes = element_bytes(precision);
    for (size_t p = 0; p < count; p++)
        if (y0[p] > y0[p + 1] || y0[p + 1] > ny ||
            (y0[p] < y0[p + 1] && (!blocks[p] || (uintptr_t)blocks[p] % bytes)))
            return cudaErrorInvalidValue;
    if ((uintptr_t)spectrum_d % bytes)
        return cudaErrorInvalidValue;
    if (planes == 0 || nxc == 0)
        return cudaSuccess;
    pack_args a = pack_args();
    a.whole = spectrum_d;
    a.nxc = (uint32_t)nxc;
    a.columns = ny * nxc;
    a.nz = (uint32_t)planes;
    return precision == PSG_CUDA_F64 ? segment<element_t<16>, PACK>(&a, blocks, y0, count, stream)
                                     : segment<element_t<8>, PACK>(&a, blocks, y0, count, stream);
}

template <class Element, bool PACK>
cudaError_t sheet(pack_args *a, psg_cuda_layout layout, size_t nz, const psg_cuda_segment *segments,
                  size_t count, cudaStream_t stream) {
    for (size_t first = 0; first < count;) {
        const size_t taken =
            segment_list_fill(&a->list, segments, count, first, a->z, sizeof(Element));
        a->nz = a->list.z0[taken] - a->z;
        if (layout == PSG_CUDA_Z_STRIDED) {
            const dim3 grid((unsigned)div_up(a->n, pack_threads * pack_elements), grid_y(a->nz));
            pack_sheet_kernel<Element, PACK><<<grid, pack_threads, 0, stream>>>(*a);
        } else {
            const dim3 grid((unsigned)div_up(a->n, transpose_tile),
                            grid_y(div_up(a->nz, transpose_tile)));
            pack_tiles_kernel<Element, PACK>
                <<<grid, dim3(transpose_tile, transpose_tile / tile_elements), 0, stream>>>(*a, nz);
        }
        const cudaError_t e = cudaGetLastError();
        if (e != cudaSuccess)
            return e;
        a->z = a->list.z0[taken];
        first += taken;
    }
    return cudaSuccess;
}

template <bool PACK>
cudaError_t sheet_any(psg_cuda_precision precision, psg_cuda_layout layout, void *sheet_d,
                      size_t columns, size_t nz, const psg_cuda_segment *segments, size_t count,
                      cudaStream_t stream) {
    if ((precision != PSG_CUDA_F64 && precision != PSG_CUDA_F32) ||
        (layout != PSG_CUDA_Z_STRIDED && layout != PSG_CUDA_Z_CONTIGUOUS) || !sheet_d ||
        !segments || columns > INT32_MAX || nz > INT32_MAX ||
        (uintptr_t)sheet_d % element_bytes(precision) ||
        !segments_valid(segments, count, nz, columns, element_bytes(precision)))
        return cudaErrorInvalidValue;
    if (columns == 0)
        return cudaSuccess;
    pack_args a = pack_args();
    a.whole = sheet_d;
    a.columns = columns;
    a.n = (uint32_t)columns;
    return precision == PSG_CUDA_F64
               ? sheet<element_t<16>, PACK>(&a, layout, nz, segments, count, stream)
               : sheet<element_t<8>, PACK>(&a, layout, nz, segments, count, stream);
}

} // namespace

cudaError_t psg_cuda_pack_segment(psg_cuda_precision precision, const void *spectrum_d, size_t nxc,
                                  size_t ny, size_t planes, void *const *blocks, const size_t *y0,
                                  size_t count, cudaStream_t stream) {
    return segment_any<true>(precision, const_cast<void *>(spectrum_d), nxc, ny, planes, blocks, y0,
                             count, stream);
}

cudaError_t psg_cuda_unpack_segment(psg_cuda_precision precision, void *spectrum_d, size_t nxc,
                                    size_t ny, size_t planes, void *const *blocks, const size_t *y0,
                                    size_t count, cudaStream_t stream) {
    return segment_any<false>(precision, spectrum_d, nxc, ny, planes, blocks, y0, count, stream);
}

cudaError_t psg_cuda_unpack_sheet(psg_cuda_precision precision, psg_cuda_layout layout,
                                  void *sheet_d, size_t columns, size_t nz,
                                  const psg_cuda_segment *segments, size_t count,
                                  cudaStream_t stream) {
    return sheet_any<false>(precision, layout, sheet_d, columns, nz, segments, count, stream);
}

cudaError_t psg_cuda_pack_sheet(psg_cuda_precision precision, psg_cuda_layout layout,
                                const void *sheet_d, size_t columns, size_t nz,
                                const psg_cuda_segment *segments, size_t count,
                                cudaStream_t stream) {
    return sheet_any<true>(precision, layout, const_cast<void *>(sheet_d), columns, nz, segments,
                           count, stream);
}
