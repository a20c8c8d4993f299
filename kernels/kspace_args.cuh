// What the two kinds of fused z kernel (kspace_fixed.cuh, kspace_generic.cuh) share.
//
// A column is the nz points of one (ky, kx), one in each plane. Columns are numbered as they lie in
// a plane, column = row * nxc + kx or in strips (psg_cuda_columns), so a tile of neighbouring
// columns is contiguous in every plane. The order of the passes is that of columns.cuh.
#ifndef PSG_KERNELS_KSPACE_ARGS_CUH
#define PSG_KERNELS_KSPACE_ARGS_CUH

#include "kernels/r2r_fused.cuh"
#include "kernels/radix.cuh"
#include "kernels/table.cuh"

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

/// Where the planes of a band are. Plane z begins at base + first + z pitch, or at base +
/// planes[z]: offsets and not pointers, so that the compiler knows that they are in device memory.
/// Where there is no table, there is less to load.
struct kspace_place {
    const int64_t *planes; // or NULL
    int64_t first;         // 0 with a table
    size_t pitch;
};

/// Rows of the sheet that stand together, see psg_cuda_band.
template <class Real> struct kspace_band {
    kspace_place from, to;
    const Real *ey;
    uint32_t columns, rows; // see psg_cuda_columns
    uint32_t row0;          // of the rows of the sheet, the first
};

/// A free z in numbers: see kspace_free.cuh, which uses them alone.
template <class Real> struct kspace_free {
    Real step;           // from a point to the next
    Real constant;       // the factor of the mode 0 where the base is 0
    Real wall;           // -1: Dirichlet; 1: Neumann; 0: both ends are free
    Real image;          // of a moment about the wall where the base is 0
    bool stencil, upper; // the symbol is that of a stencil; the wall is at the upper end
};

template <class Real> struct kspace_args {
    complex_t<Real> *base;
    kspace_band<Real> band[2];
    // Numbers from a sheet to the next one, which has the same place in each of its planes.
    size_t sheet_pitch;
    uint32_t turns; // of 2^32 tiles, those of band[1], which are spread evenly; 0: there is none
    const complex_t<Real> *twiddles; // [n - last radix], see kspace_pass
    const uint32_t *order;           // [n / last radix] frequency of place g * (last radix)
    const Real *ex, *ez;
    const Real *waves; // of a free z: like ez, and multiplies the modes; or NULL
    bool pairs;        // ex is [nxc][2], see psg_cuda_symbol; of a SIDES kernel alone
    r2r_step<Real> z;
    complex_t<Real> *mode0; // [sheets], or NULL
    int *nonfinite;         // [sheets], or NULL
    Real lambda, scale;
    uint32_t nxc, strip, tiles; // see psg_cuda_columns; strip = nxc: no strips
    uint32_t log2_columns;      // columns in a tile; kspace_generic only
    kspace_list list;           // of kspace_generic; its n also of a free z
    kspace_free<Real> free;     // of a free z alone
    table_args<Real> table;     // of kernels with a table alone
};

/// The kx of number m of a row, see psg_cuda_columns.
template <class Real> PSG_HD uint32_t column_kx(uint32_t m, const kspace_args<Real> &a) {
    const uint32_t half = (a.nxc - 1) / 2;
    return a.strip == a.nxc || m < half ? m : m == a.nxc - 1 ? half : a.nxc - 1 - (m - half);
}

/// The column that a thread works on in one tile: number `col` of `width`.
template <class Real, bool SIDES = false> struct kspace_column {
    static constexpr bool SIDED = SIDES, FREE = false;
    uint32_t band;
    uint32_t index; // in a plane of the band
    uint32_t sheet;
    bool first;       // the first of the sheet
    bool valid;       // false past the last column: loads give 0, nothing is stored
    uint32_t row, kx; // in the band; with `pairs` the number of the row
    Real exy,
        other; // of the real part and of the imaginary part; they differ in SIDES kernels alone

    PSG_HD kspace_column(const kspace_args<Real> &a, uint32_t tile, uint32_t width, uint32_t col,
                         uint32_t sheet_ = 0)
        : sheet(sheet_), row(0), kx(0), exy(0), other(0) {
        uint32_t second = 0; // tiles of band[1] before this one, or its number among them
        bool turn = false;
        if (a.turns) {
            second = (uint32_t)((uint64_t)tile * a.turns >> 32);
            turn = (uint32_t)((uint64_t)(tile + 1) * a.turns >> 32) != second;
        }
        const kspace_band<Real> &band = a.band[turn];
        this->band = turn;
        const uint32_t number = turn ? second : tile - second;
        index = number * width + col;
        first = !turn && index == 0;
        valid = index < band.columns;
        if (!valid)
            return;
        const uint32_t whole = a.nxc / a.strip * a.strip; // in strips of full width
        const bool rest = index >= whole * band.rows;
        const uint32_t across = rest ? a.nxc - whole : a.strip;
        const uint32_t within = rest ? index - whole * band.rows : index;
        const uint32_t x0 = rest ? whole : within / (band.rows * across) * across;
        row = within / across % band.rows;
        const uint32_t m = x0 + within % across;
        kx = column_kx(m, a);
        exy = a.ex[SIDES && a.pairs ? 2 * m : kx] + band.ey[row];
        other = SIDES && a.pairs ? a.ex[2 * m + 1] + band.ey[row] : exy;
    }

    template <class Index> PSG_HD Real factor(const kspace_args<Real> &a, Index mode) const {
        return symbol_factor(exy, a.ez[mode], a.lambda, a.scale);
    }
    PSG_HD complex_t<Real> *base(const kspace_args<Real> &a) const {
        return a.base + sheet * a.sheet_pitch;
    }
    PSG_HD int *nonfinite(const kspace_args<Real> &a) const {
        return a.nonfinite ? a.nonfinite + sheet : nullptr;
    }
};

} // namespace psg_cuda
#endif
