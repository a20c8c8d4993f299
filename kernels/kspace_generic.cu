// The fused z kernel for the other lengths, in both precisions.
#include "kernels/kspace_entry.cuh"
#include "kernels/kspace_free.cuh"

namespace psg_cuda {

template <class Real, int BLOCKS> static const void *function(bool free) {
    return free ? reinterpret_cast<const void *>(
                      kspace_generic_free<Real, kspace_generic_threads, BLOCKS>)
                : reinterpret_cast<const void *>(
                      kspace_generic<Real, kspace_generic_threads, BLOCKS>);
}

const void *kspace_generic_function(bool f64, bool free) {
    return f64 ? function<double, 2>(free) : function<float, 3>(free);
}

} // namespace psg_cuda
