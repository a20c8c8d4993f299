// Sums on a GPU have the bits of a core's, for vectors of all lengths, aligned to 16 bytes and to a number alone, and in place.
#include "tests/kernels/check_cuda.h"
#include "workloads/vadd.h"

template <class Real> static void one(size_t count, size_t shift, bool in_place) {
    std::vector<Real> a(count + shift), b(count + shift), want(count);
    for (size_t i = 0; i < a.size(); i++) {
        a[i] = (Real)check_uniform();
        b[i] = (Real)check_uniform();
    }
    vadd_cpu(sizeof(Real) == 4, count, a.data() + shift, b.data() + shift, want.data());
    const device_array<Real> a_d(a), b_d(b), c_d(count + shift);
    Real *to = (in_place ? a_d : c_d).data() + shift;
    MUST(vadd_cuda(precision_of<Real>(), count, a_d.data() + shift, b_d.data() + shift, to, 0));
    const std::vector<Real> got = (in_place ? a_d : c_d).get();
    if (memcmp(got.data() + shift, want.data(), count * sizeof(Real)) != 0 ||
        memcmp(b_d.get().data(), b.data(), b.size() * sizeof(Real)) != 0)
        FAIL("%zu numbers of %zu bytes from %zu on%s: other bits", count, sizeof(Real), shift,
             in_place ? ", in place" : "");
}

int main() {
    need_device();
    for (size_t count : {1, 2, 3, 5, 1023, 1024, 4096, 8193, 1000001})
        for (size_t shift : {0, 1, 2})
            for (bool in_place : {false, true}) {
                one<double>(count, shift, in_place);
                one<float>(count, shift, in_place);
            }
    const device_array<double> a(4), b(4), c(4);
    CHECK(vadd_cuda(PSG_CUDA_F64, 0, nullptr, nullptr, nullptr, 0) == cudaSuccess);
    CHECK(vadd_cuda(PSG_CUDA_F64, 4, a.data(), nullptr, c.data(), 0) == cudaErrorInvalidValue);
    CHECK(vadd_cuda(PSG_CUDA_F64, 2, (char *)a.data() + 4, b.data(), c.data(), 0) ==
          cudaErrorInvalidValue);
    CHECK(vadd_cuda((psg_cuda_precision)2, 4, a.data(), b.data(), c.data(), 0) ==
          cudaErrorInvalidValue);
    return check_result();
}
