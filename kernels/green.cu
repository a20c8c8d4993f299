// The table of a Green's function: a matrix product, whose left matrix is made of two factors as it
// is read. A block has a tile of the table, and its threads keep the sums in registers.
#include "kernels/complex.cuh"
#include "kernels/green.h"

using namespace psg_cuda;

namespace {

constexpr int across = 16, threads = across * across; // a thread has every 16th row and number
constexpr int rows_each = 8, numbers_each = 4;
constexpr int tile_rows = across * rows_each, tile_numbers = across * numbers_each;
constexpr int depth = 8; // terms that are in shared memory at once

template <class Real> struct green_args {
    const double *x, *y, *z;
    Real *table;
    size_t x_pitch, y_pitch, z_pitch;
    size_t rows; // of nx numbers, over all y and z
    uint32_t terms, nx, nz;
};

template <class Real>
__global__ void __launch_bounds__(threads)
    green_kernel(const __grid_constant__ green_args<Real> a) {
    __shared__ double left[depth][tile_rows], right[depth][tile_numbers];
    const uint32_t t = threadIdx.x, column = t % across, line = t / across;
    const size_t row0 = (size_t)blockIdx.x * tile_rows;
    const uint32_t number0 = blockIdx.y * tile_numbers;
    // What this thread brings to shared memory.
    const size_t row = row0 + t % tile_rows;
    const uint32_t number = number0 + t % tile_numbers;
    const bool has_row = row < a.rows, has_number = number < a.nx;
    const double *const y = a.y + (has_row ? row / a.nz : 0);
    const double *const z = a.z + (has_row ? row % a.nz : 0);
    double sum[rows_each][numbers_each] = {};
    for (uint32_t term0 = 0; term0 < a.terms; term0 += depth) {
        __syncthreads();
        for (int d = (int)t / tile_rows; d < depth; d += threads / tile_rows) {
            const uint32_t term = term0 + d;
            left[d][t % tile_rows] =
                has_row && term < a.terms ? y[term * a.y_pitch] * z[term * a.z_pitch] : 0;
        }
        for (int d = (int)t / tile_numbers; d < depth; d += threads / tile_numbers) {
            const uint32_t term = term0 + d;
            right[d][t % tile_numbers] =
                has_number && term < a.terms ? a.x[term * a.x_pitch + number] : 0;
        }
        __syncthreads();
        PSG_UNROLL
        for (int d = 0; d < depth; d++) {
            double l[rows_each], r[numbers_each];
            PSG_UNROLL
            for (int m = 0; m < rows_each; m++)
                l[m] = left[d][line + m * across];
            PSG_UNROLL
            for (int i = 0; i < numbers_each; i++)
                r[i] = right[d][column + i * across];
            PSG_UNROLL
            for (int m = 0; m < rows_each; m++) {
                PSG_UNROLL
                for (int i = 0; i < numbers_each; i++)
                    sum[m][i] += l[m] * r[i];
            }
        }
    }
    PSG_UNROLL
    for (int m = 0; m < rows_each; m++) {
        const size_t j = row0 + line + m * across;
        PSG_UNROLL
        for (int i = 0; i < numbers_each; i++) {
            const uint32_t k = number0 + column + i * across;
            if (j < a.rows && k < a.nx)
                a.table[j * a.nx + k] = Real(sum[m][i]);
        }
    }
}

template <class Real>
cudaError_t launch(const psg_cuda_green *green, size_t row0, size_t rows, void *table_d,
                   cudaStream_t stream) {
    const size_t all = rows * green->modes[2], blocks = div_up(all, tile_rows);
    if (blocks > INT32_MAX || green->modes[0] > INT32_MAX / 2 || green->modes[2] > INT32_MAX ||
        green->terms > INT32_MAX)
        return cudaErrorInvalidValue;
    const green_args<Real> a = {green->factor_d[0],       green->factor_d[1] + row0,
                                green->factor_d[2],       static_cast<Real *>(table_d),
                                green->pitch[0],          green->pitch[1],
                                green->pitch[2],          all,
                                (uint32_t)green->terms,   (uint32_t)green->modes[0],
                                (uint32_t)green->modes[2]};
    const dim3 grid((unsigned)blocks, (unsigned)div_up(green->modes[0], tile_numbers));
    green_kernel<Real><<<grid, threads, 0, stream>>>(a);
    return cudaGetLastError();
}

} // namespace

cudaError_t psg_cuda_green_rows(psg_cuda_precision precision, const psg_cuda_green *green,
                                size_t row0, size_t rows, void *table_d, cudaStream_t stream) {
    if (!precision_valid(precision) || !green || !table_d || row0 + rows > green->modes[1])
        return cudaErrorInvalidValue;
    if (rows == 0 || green->modes[0] == 0 || green->modes[2] == 0)
        return cudaSuccess;
    return precision == PSG_CUDA_F64 ? launch<double>(green, row0, rows, table_d, stream)
                                     : launch<float>(green, row0, rows, table_d, stream);
}
