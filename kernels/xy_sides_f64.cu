// The kernels of xy_f64.def with real-to-real transforms along x or y.
#define PSG_XY_OF_SIDES
#include "kernels/xy_entry.cuh"
#include "kernels/xy_fixed.cuh"

namespace psg_cuda {

using Real = double;
static constexpr xy_form FORM = xy_form::sides;

static const xy_entry entries[] = {
#include "kernels/xy_f64.def"
};

const xy_entry *xy_sides_f64(size_t *count) {
    *count = sizeof entries / sizeof entries[0];
    return entries;
}

} // namespace psg_cuda
