// The fused z kernel for the other lengths, in both precisions.
#include "kernels/kspace_entry.cuh"
#include "kernels/kspace_tables.cuh"

namespace psg_cuda {

const void *kspace_generic_function(bool f64) {
    if (f64)
        return reinterpret_cast<const void *>(kspace_generic<double, kspace_generic_threads, 2>);
    return reinterpret_cast<const void *>(kspace_generic<float, kspace_generic_threads, 3>);
}

} // namespace psg_cuda
