// The fused z kernels of kspace_free_f32.def, for columns with a free end and a table of factors.
#include "kernels/kspace_entry.cuh"
#include "kernels/kspace_fixed.cuh"

namespace psg_cuda {

using Real = float;
using Column = kspace_free_table_column<Real, false>;

static const kspace_entry entries[] = {
#include "kernels/kspace_free_f32.def"
};

const kspace_entry *kspace_table_f32(size_t *count) {
    *count = sizeof entries / sizeof entries[0];
    return entries;
}

} // namespace psg_cuda
