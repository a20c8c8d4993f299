// The kernels of xy_padded_f64.def for fields with a free side along x or y.
#include "kernels/xy_entry.cuh"
#include "kernels/xy_fixed.cuh"

namespace psg_cuda {

using Real = double;
static constexpr xy_form FORM = xy_form::padded;

static const xy_entry entries[] = {
#include "kernels/xy_padded_f64.def"
};

const xy_entry *xy_padded_f64(size_t *count) {
    *count = sizeof entries / sizeof entries[0];
    return entries;
}

} // namespace psg_cuda
