// The kernels of xy_f64.def for fields with pitches, with periodic sides.
#include "kernels/xy_entry.cuh"
#include "kernels/xy_fixed.cuh"

namespace psg_cuda {

using Real = double;
static constexpr xy_form FORM = xy_form::strided;

static const xy_entry entries[] = {
#include "kernels/xy_f64.def"
};

const xy_entry *xy_strided_f64(size_t *count) {
    *count = sizeof entries / sizeof entries[0];
    return entries;
}

} // namespace psg_cuda
