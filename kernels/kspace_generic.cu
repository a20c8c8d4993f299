// The fused z kernel for the other lengths, in both precisions.
#include "kernels/kspace_entry.cuh"
#include "kernels/kspace_free.cuh"

namespace psg_cuda {

template <class Real, int BLOCKS> static const void *function(bool free, bool table) {
    constexpr int THREADS = kspace_generic_threads;
    using Plain = kspace_column<Real>;
    using Table = kspace_table_column<Real>;
    using Free = kspace_free_column<Real>;
    using Free_table = kspace_free_table_column<Real>;
    const void *const functions[2][2] = {
        {reinterpret_cast<const void *>(kspace_generic<Real, THREADS, BLOCKS, Plain>),
         reinterpret_cast<const void *>(kspace_generic<Real, THREADS, BLOCKS, Table>)},
        {reinterpret_cast<const void *>(kspace_generic_free<Real, THREADS, BLOCKS, Free>),
         reinterpret_cast<const void *>(kspace_generic_free<Real, THREADS, BLOCKS, Free_table>)}};
    return functions[free][table];
}

const void *kspace_generic_function(bool f64, bool free, bool table) {
    return f64 ? function<double, 2>(free, table) : function<float, 3>(free, table);
}

} // namespace psg_cuda
