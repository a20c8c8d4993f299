// The kernel of equations along z, in both precisions.
#include "kernels/kspace_entry.cuh"
#include "kernels/line.cuh"

namespace psg_cuda {

template <class Real> static const void *function(bool pairs) {
    return pairs ? reinterpret_cast<const void *>(kspace_line<Real, true>)
                 : reinterpret_cast<const void *>(kspace_line<Real, false>);
}

const void *kspace_line_function(bool f64, bool pairs) {
    return f64 ? function<double>(pairs) : function<float>(pairs);
}

} // namespace psg_cuda
