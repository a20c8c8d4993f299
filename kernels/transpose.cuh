// Index logic of the transposes, the same on the device and on the host. Two kinds: where x stays
// fastest, rows are copied; else 32 x 32 tiles of the plane of x and p, p being the axis that becomes
// fastest, go through shared memory, for each index of the third axis f.
//
//      in  x ->            tile [p][x]         out  p ->
//      p  [32 rows]   -->  33 wide: a     -->   x  [32 rows]
//      |                   column is in        |
//      v                   32 banks            v
#ifndef PSG_KERNELS_TRANSPOSE_CUH
#define PSG_KERNELS_TRANSPOSE_CUH

#include "kernels/complex.cuh"

namespace psg_cuda {

/// An element of 4, 8 or 16 bytes that one access moves.
template <int BYTES> struct alignas(BYTES) element_t { uint32_t word[BYTES / 4]; };

constexpr int transpose_tile = 32;
constexpr uint32_t grid_y_max = 65535;

struct transpose_args {
    const void *in;
    void *out;
    uint32_t nx, np, nf;
    uint32_t tiles_x;    // tiles of a plane, x fastest: tiles_x * tiles_p
    size_t in_p, in_f;   // elements from one index of p, f to the next in `in`
    size_t out_x, out_f; // and of x, f in `out`
};

/// Where a thread works: lane along the fastest axis, `row` of the 32 / EPT that a step covers.
struct transpose_place {
    uint32_t x0, p0, f, lane, row;

    PSG_HD transpose_place(const transpose_args &a, uint32_t tile, uint32_t f_, uint32_t lane_,
                           uint32_t row_)
        : x0(tile % a.tiles_x * transpose_tile), p0(tile / a.tiles_x * transpose_tile), f(f_),
          lane(lane_), row(row_) {
    }
};

template <class Element, int EPT>
PSG_HD void transpose_load(const transpose_args &a, const transpose_place &at, Element *tile) {
    const Element *in = static_cast<const Element *>(a.in) + at.f * a.in_f;
    const uint32_t x = at.x0 + at.lane;
    Element v[EPT];
    PSG_UNROLL
    for (int e = 0; e < EPT; e++) {
        const uint32_t p = at.p0 + at.row + e * (transpose_tile / EPT);
        if (x < a.nx && p < a.np)
            v[e] = in[x + p * a.in_p];
    }
    PSG_UNROLL
    for (int e = 0; e < EPT; e++)
        tile[(at.row + e * (transpose_tile / EPT)) * (transpose_tile + 1) + at.lane] = v[e];
}

template <class Element, int EPT>
PSG_HD void transpose_store(const transpose_args &a, const transpose_place &at,
                            const Element *tile) {
    Element *out = static_cast<Element *>(a.out) + at.f * a.out_f;
    const uint32_t p = at.p0 + at.lane;
    PSG_UNROLL
    for (int e = 0; e < EPT; e++) {
        const uint32_t row = at.row + e * (transpose_tile / EPT), x = at.x0 + row;
        if (x < a.nx && p < a.np)
            out[p + x * a.out_x] = tile[at.lane * (transpose_tile + 1) + row];
    }
}

/// Rows of nx elements for each (y, z); chunks of them for a block.
struct rows_args {
    const void *in;
    void *out;
    size_t nx;
    uint32_t ny, nz;
    uint32_t chunks; // of a row
    size_t in_y, in_z, out_y, out_z;
};

/// Chunk `block` of rows; a chunk has width * EPT elements of `rows` rows, and thread (lane, row) of
/// width x rows copies EPT of them.
template <class Element, int EPT>
PSG_HD void rows_copy(const rows_args &a, uint32_t block, uint32_t z, uint32_t lane, uint32_t row,
                      uint32_t width, uint32_t rows) {
    const uint32_t y = block / a.chunks * rows + row;
    const size_t x = (size_t)(block % a.chunks) * width * EPT + lane;
    if (y >= a.ny)
        return;
    const Element *in = static_cast<const Element *>(a.in) + y * a.in_y + z * a.in_z;
    Element *out = static_cast<Element *>(a.out) + y * a.out_y + z * a.out_z;
    Element v[EPT];
    PSG_UNROLL
    for (int e = 0; e < EPT; e++)
        if (x + (size_t)e * width < a.nx)
            v[e] = in[x + (size_t)e * width];
    PSG_UNROLL
    for (int e = 0; e < EPT; e++)
        if (x + (size_t)e * width < a.nx)
            out[x + (size_t)e * width] = v[e];
}

/// Threads along a row for rows_copy: a power of two from 32 to 256 that covers it in one chunk if
/// it can.
inline uint32_t rows_width(size_t nx, int ept) {
    uint32_t width = 32;
    while (width < 256 && (size_t)width * ept < nx)
        width *= 2;
    return width;
}

constexpr uint32_t rows_threads = 256;

} // namespace psg_cuda
#endif
