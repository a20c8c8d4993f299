// The kernels for fixed lengths as a table, a line per kernel of kspace_f64.def or kspace_f32.def.
#ifndef PSG_KERNELS_KSPACE_ENTRY_CUH
#define PSG_KERNELS_KSPACE_ENTRY_CUH

#include <cstddef>
#include <cstdint>

namespace psg_cuda {

struct kspace_entry {
    uint32_t n, radix[3]; // radix[2] = 1: two passes
    uint32_t elements, columns, threads;
    bool ahead; // a block takes tile after tile
    size_t shared_bytes;
    const void *function;
};

/// The tables; `count` lines each.
const kspace_entry *kspace_entries_f64(size_t *count);
const kspace_entry *kspace_entries_f32(size_t *count);

/// kspace_generic, see kspace_generic.cuh.
const void *kspace_generic_function(bool f64);

} // namespace psg_cuda

// A line of kspace_f64.def and kspace_f32.def, for a table of kernels of the type Real.
#define PSG_KSPACE(N, E, C, R0, R1, R2, BLOCKS, AHEAD)                                             \
    {N,                                                                                            \
     {R0, R1, R2},                                                                                 \
     E,                                                                                            \
     C,                                                                                            \
     N / E * C,                                                                                    \
     AHEAD,                                                                                        \
     column_shape<Real, N, E, C, R0, R1, R2>::shared_bytes,                                        \
     reinterpret_cast<const void *>(                                                               \
         kspace_fixed<column_shape<Real, N, E, C, R0, R1, R2>, BLOCKS, AHEAD>)},

#endif
