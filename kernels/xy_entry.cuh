// The kernels of xy_fixed.cuh as a table, a line per size of xy_f64.def or xy_f32.def.
#ifndef PSG_KERNELS_XY_ENTRY_CUH
#define PSG_KERNELS_XY_ENTRY_CUH

#include <cstddef>
#include <cstdint>

namespace psg_cuda {

/// Where a plane is between the steps along x and along y: in a ring in the second-level cache, or
/// whole in a block's shared memory.
enum class xy_keep { ring, whole };

struct xy_entry {
    uint32_t nx, ny, strip, items, threads;
    uint32_t line_radix[3], column_radix[3]; // a last 1: two passes
    size_t shared_bytes, static_bytes;       // the latter at most
    bool whole;
    const void *forward, *inverse;
};

/// The tables of the kernels for dense fields, and for fields with pitches: line by line the same shapes.
const xy_entry *xy_entries_f64(size_t *count);
const xy_entry *xy_entries_f32(size_t *count);
const xy_entry *xy_strided_entries_f64(size_t *count);
const xy_entry *xy_strided_entries_f32(size_t *count);

} // namespace psg_cuda

// A line of the tables, of the type Real, with the constant STRIDED.
#define PSG_XY(KEEP, M, LE, ROWS, L0, L1, L2, NY, CE, WIDTH, C0, C1, C2, BLOCKS)                   \
    xy_line<xy_shape<xy_keep::KEEP, column_shape<Real, M, LE, ROWS, L0, L1, L2, true>,             \
                     column_shape<Real, NY, CE, WIDTH, C0, C1, C2>>,                               \
            STRIDED, BLOCKS>(),

#endif
