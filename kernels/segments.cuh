// A list of segments as a kernel parameter: where each plane of a sheet is.
#ifndef PSG_KERNELS_SEGMENTS_CUH
#define PSG_KERNELS_SEGMENTS_CUH

#include "kernels/common.h"
#include "kernels/complex.cuh"

namespace psg_cuda {

constexpr uint32_t segments_max = 128; // in one launch: the parameters stay below 4 KB

struct segment_list {
    char *base[segments_max];
    size_t pitch_bytes[segments_max];
    uint32_t z0[segments_max + 1];
    uint32_t count;
};

/// Take segments from `first` on into a list, with planes counted from z0; the number taken.
inline size_t segment_list_fill(segment_list *list, const psg_cuda_segment *segments, size_t count,
                                size_t first, size_t z0, size_t element_bytes) {
    const size_t taken = count - first < segments_max ? count - first : segments_max;
    list->count = (uint32_t)taken;
    list->z0[0] = (uint32_t)z0;
    for (size_t s = 0; s < taken; s++) {
        list->base[s] = static_cast<char *>(segments[first + s].base_d);
        list->pitch_bytes[s] = segments[first + s].plane_pitch * element_bytes;
        list->z0[s + 1] = list->z0[s] + (uint32_t)segments[first + s].planes;
    }
    return taken;
}

/// Whether the segments are together nz planes of at least `columns` numbers each, aligned to their
/// elements.
inline bool segments_valid(const psg_cuda_segment *segments, size_t count, size_t nz,
                           size_t columns, size_t element_bytes) {
    size_t planes = 0;
    for (size_t s = 0; s < count; s++) {
        if (!segments[s].base_d || segments[s].planes == 0 || segments[s].plane_pitch < columns ||
            reinterpret_cast<uintptr_t>(segments[s].base_d) % element_bytes != 0 ||
            segments[s].planes > nz - planes)
            return false;
        planes += segments[s].planes;
    }
    return planes == nz;
}

/// Address of plane z, z0[0] <= z < z0[count], by bisection.
PSG_HD char *segment_plane(const segment_list &list, uint32_t z) {
    uint32_t low = 0, high = list.count;
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        if (z < list.z0[middle])
            high = middle;
        else
            low = middle;
    }
    return list.base[low] + (size_t)(z - list.z0[low]) * list.pitch_bytes[low];
}

} // namespace psg_cuda
#endif
