// The kernels for fixed lengths as a table, a line per kernel of kspace_f64.def or kspace_f32.def.
#ifndef PSG_KERNELS_KSPACE_ENTRY_CUH
#define PSG_KERNELS_KSPACE_ENTRY_CUH

#include "kernels/columns.cuh"

namespace psg_cuda {

struct kspace_entry {
    uint32_t n, radix[3]; // radix[2] = 1: two passes
    uint32_t columns, threads;
    bool ahead; // a block takes tile after tile
    size_t shared_bytes;
    const void *function;
};

/// The tables, of `count` lines each: of periodic columns, of SIDES kernels, and of FREE ones, see
/// kspace_fixed.cuh; and of FREE ones with a table.
const kspace_entry *kspace_entries_f64(size_t *count);
const kspace_entry *kspace_entries_f32(size_t *count);
const kspace_entry *kspace_sides_f64(size_t *count);
const kspace_entry *kspace_sides_f32(size_t *count);
const kspace_entry *kspace_free_f64(size_t *count);
const kspace_entry *kspace_free_f32(size_t *count);
const kspace_entry *kspace_table_f64(size_t *count);
const kspace_entry *kspace_table_f32(size_t *count);

/// kspace_generic, see kspace_generic.cuh; with a free z kspace_generic_free, see kspace_free.cuh.
/// @param table  the factors are in a table
const void *kspace_generic_function(bool f64, bool free, bool table);
/// The kernel of equations along z. @param beside  it writes derivatives, too; not with pairs
const void *kspace_line_function(bool f64, bool pairs, bool beside);

/// The shape of a line of kspace_f64.def, kspace_free_f64.def or kspace_sides_f64.def. Columns of
/// the last are MIRRORED if they can be.
template <class Real, class Column, int N, int E, int C, int R0, int R1, int R2>
using kspace_shape =
    column_shape<Real, N, E, C, R0, R1, R2, false, Column::SIDED && E == 2 * (R2 > 1 ? R2 : R1)>;

} // namespace psg_cuda

// A line of these, for a table of kernels of the types Real and Column.
#define PSG_KSPACE(N, E, C, R0, R1, R2, BLOCKS, AHEAD)                                             \
    {N,                                                                                            \
     {R0, R1, R2},                                                                                 \
     C,                                                                                            \
     N / E * C,                                                                                    \
     AHEAD,                                                                                        \
     kspace_fixed_bytes<kspace_shape<Real, Column, N, E, C, R0, R1, R2>, Column>(),                \
     reinterpret_cast<const void *>(                                                               \
         kspace_fixed<kspace_shape<Real, Column, N, E, C, R0, R1, R2>, BLOCKS, AHEAD, Column>)},

#endif
