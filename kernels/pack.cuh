// Index logic of pack and unpack, the same on the device and on the host. PACK: from the whole
// array to the pieces; else from the pieces to the array.
#ifndef PSG_KERNELS_PACK_CUH
#define PSG_KERNELS_PACK_CUH

#include "kernels/segments.cuh"
#include "kernels/transpose.cuh"

namespace psg_cuda {

constexpr int pack_threads = 256;
constexpr int pack_elements = 4; // for each thread

/// The spectrum of a segment, or a sheet with its planes strided; the pieces of a segment take z0
/// for their first row and pitch_bytes for their plane.
struct pack_args {
    void *whole;
    uint32_t nxc;      // segment only
    size_t columns;    // of a plane of `whole`
    uint32_t first, n; // segment: columns of these pieces, first and number. Sheet: 0, columns
    uint32_t z, nz;    // planes, first and number
    segment_list list;
};

/// Thread `lane` of block `block` of a segment's plane z. A piece is wider than a block as a rule,
/// so the search is for the block's first column, and steps on from there.
template <class Element, bool PACK>
PSG_HD void pack_segment_plane(const pack_args &a, uint32_t block, uint32_t z, uint32_t lane) {
    const uint32_t chunk = a.first + block * (pack_threads * pack_elements);
    uint32_t piece = 0;
    for (uint32_t step = segments_max / 2; step > 0; step /= 2)
        if (piece + step < a.list.count && a.list.z0[piece + step] * a.nxc <= chunk)
            piece += step;
    Element *whole = static_cast<Element *>(a.whole) + z * a.columns;
    Element *from[pack_elements], *to[pack_elements];
    Element v[pack_elements];
    PSG_UNROLL
    for (int e = 0; e < pack_elements; e++) {
        const uint32_t c = chunk + e * pack_threads + lane;
        from[e] = to[e] = nullptr;
        if (c < a.first + a.n) {
            while (c >= a.list.z0[piece + 1] * a.nxc)
                piece++;
            Element *part =
                reinterpret_cast<Element *>(a.list.base[piece] + z * a.list.pitch_bytes[piece]) +
                (c - a.list.z0[piece] * a.nxc);
            from[e] = PACK ? whole + c : part;
            to[e] = PACK ? part : whole + c;
        }
    }
    PSG_UNROLL
    for (int e = 0; e < pack_elements; e++)
        if (from[e])
            v[e] = *from[e];
    PSG_UNROLL
    for (int e = 0; e < pack_elements; e++)
        if (to[e])
            *to[e] = v[e];
}

/// Thread `lane` of block `block` of plane a.z + z of a sheet with strided planes.
template <class Element, bool PACK>
PSG_HD void pack_sheet_plane(const pack_args &a, uint32_t block, uint32_t z, uint32_t lane) {
    Element *whole = static_cast<Element *>(a.whole) + (a.z + z) * a.columns;
    Element *part = reinterpret_cast<Element *>(segment_plane(a.list, a.z + z));
    const Element *from = PACK ? whole : part;
    Element *to = PACK ? part : whole;
    const uint32_t first = block * (pack_threads * pack_elements) + lane;
    Element v[pack_elements];
    PSG_UNROLL
    for (int e = 0; e < pack_elements; e++)
        if (first + e * pack_threads < a.n)
            v[e] = from[first + e * pack_threads];
    PSG_UNROLL
    for (int e = 0; e < pack_elements; e++)
        if (first + e * pack_threads < a.n)
            to[first + e * pack_threads] = v[e];
}

/// A tile of 32 planes x 32 columns of a sheet with contiguous planes, [columns][nz_whole]: first
/// half. The tile is [plane][column] as in the segments; thread (lane, row) of 32 x 32 / EPT.
template <class Element, bool PACK, int EPT>
PSG_HD void pack_tile_load(const pack_args &a, size_t nz_whole, uint32_t column0, uint32_t plane0,
                           uint32_t lane, uint32_t row, Element *tile) {
    constexpr int step = transpose_tile / EPT, width = transpose_tile + 1;
    const Element *whole = static_cast<const Element *>(a.whole);
    PSG_UNROLL
    for (int e = 0; e < EPT; e++) {
        const uint32_t r = row + e * step;
        const uint32_t c = column0 + (PACK ? r : lane), z = plane0 + (PACK ? lane : r);
        if (c < a.n && z < a.nz) {
            if (PACK)
                tile[lane * width + r] = whole[c * nz_whole + a.z + z];
            else
                tile[r * width + lane] =
                    reinterpret_cast<const Element *>(segment_plane(a.list, a.z + z))[c];
        }
    }
}

/// Second half, after a barrier.
template <class Element, bool PACK, int EPT>
PSG_HD void pack_tile_store(const pack_args &a, size_t nz_whole, uint32_t column0, uint32_t plane0,
                            uint32_t lane, uint32_t row, const Element *tile) {
    constexpr int step = transpose_tile / EPT, width = transpose_tile + 1;
    Element *whole = static_cast<Element *>(a.whole);
    PSG_UNROLL
    for (int e = 0; e < EPT; e++) {
        const uint32_t r = row + e * step;
        const uint32_t c = column0 + (PACK ? lane : r), z = plane0 + (PACK ? r : lane);
        if (c < a.n && z < a.nz) {
            if (PACK)
                reinterpret_cast<Element *>(segment_plane(a.list, a.z + z))[c] =
                    tile[r * width + lane];
            else
                whole[c * nz_whole + a.z + z] = tile[lane * width + r];
        }
    }
}

} // namespace psg_cuda
#endif
