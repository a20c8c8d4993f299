// The threads of a block of columns.cuh, run on the CPU one after the other between any two barriers.
#ifndef PSG_TESTS_EMULATE_THREADS_CUH
#define PSG_TESTS_EMULATE_THREADS_CUH

#include "kernels/columns.cuh"
#include "kernels/kspace_tables.cuh"
#include <vector>

namespace psg_cuda {

/// The threads of a block between any two barriers, and what they have in registers.
template <class S> struct threads {
    using Complex = typename S::Complex;
    const bool reflected; // see column_shape::member()
    std::vector<Complex> v = std::vector<Complex>((size_t)S::BLOCK * S::ROOM);

    explicit threads(bool reflected_ = false) : reflected(reflected_) {
    }

    template <class F> void all(F f) {
        for (int t = 0; t < S::BLOCK; t++)
            f(&v[(size_t)t * S::ROOM], S::member(t, reflected), S::column(t), t);
    }
    template <int FROM, int TO> void exchange(std::vector<Complex> &buf) {
        all([&](Complex *p, auto q, int c, int) {
            S::template to_shared<FROM>(p, q, c, buf.data());
        });
        all([&](Complex *p, auto q, int c, int) {
            S::template from_shared<TO>(p, q, c, buf.data());
        });
    }
    void forward(const Complex *table, std::vector<Complex> &buf) {
        all([&](Complex *p, auto q, int, int) { S::template forward<0>(p, q, table); });
        exchange<0, 1>(buf);
        all([&](Complex *p, auto q, int, int) { S::template forward<1>(p, q, table); });
        if constexpr (S::PASSES == 3) {
            exchange<1, 2>(buf);
            all([&](Complex *p, auto q, int, int) { S::template forward<2>(p, q, table); });
        }
    }
    void inverse(const Complex *table, std::vector<Complex> &buf) {
        if constexpr (S::PASSES == 3) {
            all([&](Complex *p, auto q, int, int) { S::template inverse<2>(p, q, table); });
            exchange<2, 1>(buf);
        }
        all([&](Complex *p, auto q, int, int) { S::template inverse<1>(p, q, table); });
        exchange<1, 0>(buf);
        all([&](Complex *p, auto q, int, int) { S::template inverse<0>(p, q, table); });
    }
};

/// The twiddles of a shape.
template <class S> inline std::vector<typename S::Complex> twiddles() {
    kspace_list list = kspace_list();
    list.n = S::N;
    list.passes = S::PASSES;
    for (int p = 0; p < S::PASSES; p++)
        list.pass[p].radix = (uint32_t)S::radix(p);
    kspace_list_finish(&list);
    std::vector<typename S::Complex> w(S::N);
    kspace_twiddles(list, w.data());
    return w;
}

} // namespace psg_cuda
#endif
