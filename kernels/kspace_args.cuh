// What the two kinds of fused z kernel (kspace_fixed.cuh, kspace_generic.cuh) share.
//
// A column is the nz points of one (ky, kx), one in each plane. Columns are numbered as they lie in
// a plane, column = row * nxc + kx or in strips (psg_cuda_columns), so a tile of neighbouring
// columns is contiguous in every plane. The order of the passes is that of columns.cuh.
#ifndef PSG_KERNELS_KSPACE_ARGS_CUH
#define PSG_KERNELS_KSPACE_ARGS_CUH

#include "kernels/radix.cuh"

namespace psg_cuda {

constexpr uint32_t kspace_max_passes = 8;

struct kspace_pass {
    uint32_t radix, stride;
    uint32_t magic;    // divides by stride; 0 in the last pass, where stride = 1
    uint32_t row_step; // rows of shared memory between the points of a butterfly
    uint32_t twiddles; // index of twiddle (j = 1, m = 0); then [j - 1][m]
};

/// The factors of a length, and the rows of shared memory that they need.
struct kspace_list {
    uint32_t n, passes;
    uint32_t pad_magic; // divides by the last radix; 0: no padding
    uint32_t rows;      // of shared memory, padding included
    kspace_pass pass[kspace_max_passes];
};

template <class Real> struct kspace_args {
    complex_t<Real> *base; // plane z begins at base + planes[z], or + z pitch where planes is NULL:
    size_t pitch;          // an offset and not a pointer, so that the compiler knows that it is in
    const int64_t *planes; // device memory
    const complex_t<Real> *twiddles; // [n - last radix], see kspace_pass
    const uint32_t *order;           // [n / last radix] frequency of place g * (last radix)
    const Real *ex, *ey, *ez;
    complex_t<Real> *mode0;
    int *nonfinite;
    Real lambda, scale;
    uint32_t columns, rows, nxc, strip, tiles; // see psg_cuda_columns; strip = nxc: no strips
    uint32_t log2_columns;                     // columns in a tile; kspace_generic only
    kspace_list list;                          // kspace_generic only
};

/// The kx of number m of a row, see psg_cuda_columns.
template <class Real> PSG_HD uint32_t column_kx(uint32_t m, const kspace_args<Real> &a) {
    const uint32_t half = (a.nxc - 1) / 2;
    return a.strip == a.nxc || m < half ? m : m == a.nxc - 1 ? half : a.nxc - 1 - (m - half);
}

/// The column that a thread works on in one tile.
template <class Real> struct kspace_column {
    uint32_t index;
    bool valid; // false past the last column: loads give 0, nothing is stored
    Real exy;

    PSG_HD kspace_column(const kspace_args<Real> &a, uint32_t column)
        : index(column), valid(column < a.columns), exy(0) {
        if (!valid)
            return;
        const uint32_t whole = a.nxc / a.strip * a.strip; // in strips of full width
        const bool rest = column >= whole * a.rows;
        const uint32_t width = rest ? a.nxc - whole : a.strip;
        const uint32_t within = rest ? column - whole * a.rows : column;
        const uint32_t x0 = rest ? whole : within / (a.rows * width) * width;
        const uint32_t row = within / width % a.rows;
        exy = a.ex[column_kx(x0 + within % width, a)] + a.ey[row];
    }
};

template <class Real> PSG_HD complex_t<Real> *kspace_plane(const kspace_args<Real> &a, uint32_t z) {
    return a.base + (a.planes ? a.planes[z] : (int64_t)(z * a.pitch));
}

} // namespace psg_cuda
#endif
