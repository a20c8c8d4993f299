// The fused z kernels of kspace_sides_f64.def, for columns with a real-to-real transform.
#include "kernels/kspace_entry.cuh"
#include "kernels/kspace_fixed.cuh"

namespace psg_cuda {

using Real = double;
using Column = kspace_column<Real, true>;

static const kspace_entry entries[] = {
#include "kernels/kspace_sides_f64.def"
};

const kspace_entry *kspace_sides_f64(size_t *count) {
    *count = sizeof entries / sizeof entries[0];
    return entries;
}

} // namespace psg_cuda
