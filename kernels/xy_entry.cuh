// The kernels of xy_fixed.cuh as a table, a line per size of xy_f64.def or xy_f32.def.
#ifndef PSG_KERNELS_XY_ENTRY_CUH
#define PSG_KERNELS_XY_ENTRY_CUH

#include "kernels/columns.cuh"

namespace psg_cuda {

/// Where a plane is between the steps along x and along y: in a ring in the second-level cache, or
/// whole in a block's shared memory.
enum class xy_keep { ring, whole };

/// The kernels of a size: see xy_fixed.cuh.
enum class xy_form { dense, strided, sides, padded };

struct xy_entry {
    uint32_t nx, ny, strip, items, threads;
    uint32_t line_radix[3], column_radix[3]; // a last 1: two passes
    size_t shared_bytes, static_bytes;       // the latter at most
    bool whole;
    const void *forward, *inverse;
};

/// The tables of the kernels of each form. Those of dense and of strided fields have the same
/// shapes line by line.
const xy_entry *xy_dense_f64(size_t *count);
const xy_entry *xy_dense_f32(size_t *count);
const xy_entry *xy_strided_f64(size_t *count);
const xy_entry *xy_strided_f32(size_t *count);
const xy_entry *xy_sides_f64(size_t *count);
const xy_entry *xy_sides_f32(size_t *count);
const xy_entry *xy_padded_f64(size_t *count);
const xy_entry *xy_padded_f32(size_t *count);

/// The lines and the columns of a line of xy_f64.def. With real-to-real transforms columns are
/// MIRRORED, and lines FOLDED on the way forward, if they can be.
template <class Real, xy_form FORM, bool FORWARD, int M, int E, int ROWS, int L0, int L1, int L2>
using xy_lines = column_shape<Real, M, E, ROWS, L0, L1, L2, true,
                              FORM == xy_form::sides && FORWARD && E == 2 * L0 && L0 % 2 == 0>;
template <class Real, xy_form FORM, int NY, int E, int WIDTH, int C0, int C1, int C2>
using xy_columns = column_shape<Real, NY, E, WIDTH, C0, C1, C2, false,
                                FORM == xy_form::sides && E == 2 * (C2 > 1 ? C2 : C1)>;

} // namespace psg_cuda

// A line of the tables, of the type Real, with the constant FORM.
#define PSG_XY_SHAPE(FORWARD, KEEP, M, LE, ROWS, L0, L1, L2, NY, CE, WIDTH, C0, C1, C2)            \
    xy_shape<xy_keep::KEEP, xy_lines<Real, FORM, FORWARD, M, LE, ROWS, L0, L1, L2>,                \
             xy_columns<Real, FORM, NY, CE, WIDTH, C0, C1, C2>>
#define PSG_XY(KEEP, M, LE, ROWS, L0, L1, L2, NY, CE, WIDTH, C0, C1, C2, BLOCKS)                   \
    xy_line<PSG_XY_SHAPE(true, KEEP, M, LE, ROWS, L0, L1, L2, NY, CE, WIDTH, C0, C1, C2),          \
            PSG_XY_SHAPE(false, KEEP, M, LE, ROWS, L0, L1, L2, NY, CE, WIDTH, C0, C1, C2), FORM,   \
            BLOCKS>(),

// Lines for periodic planes alone, and lines for planes with a real-to-real transform alone. A
// table of the latter defines PSG_XY_OF_SIDES first.
#ifdef PSG_XY_OF_SIDES
#define PSG_XY_PERIODIC(...)
#define PSG_XY_SIDES PSG_XY
#else
#define PSG_XY_PERIODIC PSG_XY
#define PSG_XY_SIDES(...)
#endif

#endif
