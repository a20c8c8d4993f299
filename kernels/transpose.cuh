// Index logic of the copy and the transpose of a matrix, the same on the device and on the host. A
// copy goes row by row. For a transpose tiles of 32 x 32 go through shared memory.
//
//      in  x ->            tile [y][x]         out  y ->
//      y  [32 rows]   -->  33 wide: a     -->   x  [32 rows]
//      |                   column is in        |
//      v                   32 banks            v
#ifndef PSG_KERNELS_TRANSPOSE_CUH
#define PSG_KERNELS_TRANSPOSE_CUH

#include "kernels/complex.cuh"

namespace psg_cuda {

/// An element of 4, 8 or 16 bytes that one access moves.
template <int BYTES> struct alignas(BYTES) element_t { uint32_t word[BYTES / 4]; };

constexpr int transpose_tile = 32;
constexpr int transpose_elements = 4;                               // for each thread
constexpr int transpose_rows = transpose_tile / transpose_elements; // of a tile, in one step
constexpr uint32_t rows_threads = 256;

/// A matrix of ny rows of nx elements, and where its copy or its transpose goes.
struct transpose_args {
    const void *in;
    void *out;
    size_t nx;
    uint32_t ny;
    uint32_t across;        // tiles, or chunks of rows_copy(), side by side along x
    size_t in_row, out_row; // elements from a row to the next
    size_t in_plane, out_plane;
};

/// The matrix of plane z.
template <class Element> PSG_HD transpose_args plane_of(transpose_args a, uint32_t z) {
    a.in = static_cast<const Element *>(a.in) + z * a.in_plane;
    a.out = static_cast<Element *>(a.out) + z * a.out_plane;
    return a;
}

/// Where a thread works: lane along the fastest axis, `row` of those that a step covers.
struct transpose_place {
    uint32_t x0, y0, lane, row;

    PSG_HD transpose_place(const transpose_args &a, uint32_t tile, uint32_t lane_, uint32_t row_)
        : x0(tile % a.across * transpose_tile), y0(tile / a.across * transpose_tile), lane(lane_),
          row(row_) {
    }
};

template <class Element>
PSG_HD void transpose_load(const transpose_args &a, const transpose_place &at, Element *tile) {
    const Element *in = static_cast<const Element *>(a.in);
    const uint32_t x = at.x0 + at.lane;
    Element v[transpose_elements];
    PSG_UNROLL
    for (int e = 0; e < transpose_elements; e++) {
        const uint32_t y = at.y0 + at.row + e * transpose_rows;
        if (x < a.nx && y < a.ny)
            v[e] = in[x + y * a.in_row];
    }
    PSG_UNROLL
    for (int e = 0; e < transpose_elements; e++)
        tile[(at.row + e * transpose_rows) * (transpose_tile + 1) + at.lane] = v[e];
}

template <class Element>
PSG_HD void transpose_store(const transpose_args &a, const transpose_place &at,
                            const Element *tile) {
    Element *out = static_cast<Element *>(a.out);
    const uint32_t y = at.y0 + at.lane;
    PSG_UNROLL
    for (int e = 0; e < transpose_elements; e++) {
        const uint32_t row = at.row + e * transpose_rows, x = at.x0 + row;
        if (x < a.nx && y < a.ny)
            out[y + x * a.out_row] = tile[at.lane * (transpose_tile + 1) + row];
    }
}

/// Chunk `block` of rows; a chunk has width * transpose_elements elements of `rows` rows, and
/// thread (lane, row) of width x rows copies transpose_elements of them.
template <class Element>
PSG_HD void rows_copy(const transpose_args &a, uint32_t block, uint32_t lane, uint32_t row,
                      uint32_t width, uint32_t rows) {
    const uint32_t y = block / a.across * rows + row;
    const size_t x = (size_t)(block % a.across) * width * transpose_elements + lane;
    if (y >= a.ny)
        return;
    const Element *in = static_cast<const Element *>(a.in) + y * a.in_row;
    Element *out = static_cast<Element *>(a.out) + y * a.out_row;
    Element v[transpose_elements];
    PSG_UNROLL
    for (int e = 0; e < transpose_elements; e++)
        if (x + (size_t)e * width < a.nx)
            v[e] = in[x + (size_t)e * width];
    PSG_UNROLL
    for (int e = 0; e < transpose_elements; e++)
        if (x + (size_t)e * width < a.nx)
            out[x + (size_t)e * width] = v[e];
}

/// Threads along a row for rows_copy: a power of two from 32 to 256 that covers it in one chunk if
/// it can.
inline uint32_t rows_width(size_t nx) {
    uint32_t width = 32;
    while (width < rows_threads && (size_t)width * transpose_elements < nx)
        width *= 2;
    return width;
}

} // namespace psg_cuda
#endif
