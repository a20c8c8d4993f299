// The kernels for fixed lengths as a table, a line per kernel of kspace_f64.def or kspace_f32.def.
#ifndef PSG_KERNELS_KSPACE_ENTRY_CUH
#define PSG_KERNELS_KSPACE_ENTRY_CUH

#include <cstddef>
#include <cstdint>

namespace psg_cuda {

struct kspace_entry {
    uint32_t n, radix[3]; // radix[2] = 1: two passes
    uint32_t elements, columns, threads;
    size_t shared_bytes;
    bool split, ahead; // see exchange() and kspace_fixed_ahead() in kspace_fixed.cuh
    const void *function;
};

/// The tables; `count` lines each.
const kspace_entry *kspace_entries_f64(size_t *count);
const kspace_entry *kspace_entries_f32(size_t *count);

/// kspace_generic, see kspace_generic.cuh.
const void *kspace_generic_function(bool f64);

} // namespace psg_cuda

// The lines of kspace_f64.def and kspace_f32.def, for a table of kernels of the type Real.
#define PSG_KSPACE_WHOLE(N, E, C, R0, R1, R2, BLOCKS)                                              \
    PSG_KSPACE_LINE(N, E, C, R0, R1, R2, false, false, kspace_fixed, BLOCKS)
#define PSG_KSPACE_SPLIT(N, E, C, R0, R1, R2, BLOCKS)                                              \
    PSG_KSPACE_LINE(N, E, C, R0, R1, R2, true, false, kspace_fixed, BLOCKS)
#define PSG_KSPACE_AHEAD(N, E, C, R0, R1, R2, BLOCKS)                                              \
    PSG_KSPACE_LINE(N, E, C, R0, R1, R2, true, true, kspace_fixed_ahead, BLOCKS)
#define PSG_KSPACE_LINE(N, E, C, R0, R1, R2, SPLIT, AHEAD, KERNEL, BLOCKS)                         \
    {N,                                                                                            \
     {R0, R1, R2},                                                                                 \
     E,                                                                                            \
     C,                                                                                            \
     N / E * C,                                                                                    \
     kspace_fixed_bytes<kspace_shape<Real, N, E, C, R0, R1, R2>, SPLIT, AHEAD>(),                  \
     SPLIT,                                                                                        \
     AHEAD,                                                                                        \
     reinterpret_cast<const void *>(                                                               \
         KERNEL<kspace_shape<Real, N, E, C, R0, R1, R2>, SPLIT, BLOCKS>)},

#endif
