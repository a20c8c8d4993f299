// The kernel of equations along z, in both precisions.
#include "kernels/kspace_entry.cuh"
#include "kernels/line.cuh"

namespace psg_cuda {

template <class Real> static const void *function(bool pairs, bool beside) {
    return beside  ? reinterpret_cast<const void *>(kspace_line<Real, false, true>)
           : pairs ? reinterpret_cast<const void *>(kspace_line<Real, true, false>)
                   : reinterpret_cast<const void *>(kspace_line<Real, false, false>);
}

const void *kspace_line_function(bool f64, bool pairs, bool beside) {
    return f64 ? function<double>(pairs, beside) : function<float>(pairs, beside);
}

} // namespace psg_cuda
