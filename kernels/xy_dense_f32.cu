// The kernels of xy_f32.def for dense fields with periodic sides.
#include "kernels/xy_entry.cuh"
#include "kernels/xy_fixed.cuh"

namespace psg_cuda {

using Real = float;
static constexpr xy_form FORM = xy_form::dense;

static const xy_entry entries[] = {
#include "kernels/xy_f32.def"
};

const xy_entry *xy_dense_f32(size_t *count) {
    *count = sizeof entries / sizeof entries[0];
    return entries;
}

} // namespace psg_cuda
