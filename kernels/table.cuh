// A Green's function as a table over the modes, see psg_cuda_table: where a column has its numbers.
#ifndef PSG_KERNELS_TABLE_CUH
#define PSG_KERNELS_TABLE_CUH

#include "kernels/complex.cuh"

namespace psg_cuda {

/// See psg_cuda_table.
template <class Real> struct table_args {
    const Real *values;
    uint32_t modes[3], first, row0;
};
/// @param t  a psg_cuda_table
template <class Real, class Table> table_args<Real> table_of(const Table &t) {
    return {static_cast<const Real *>(t.values_d),
            {(uint32_t)t.modes[0], (uint32_t)t.modes[1], (uint32_t)t.modes[2]},
            (uint32_t)t.first,
            (uint32_t)t.row0};
}
/// Where the two numbers of a column have their mode 0 along z. The mode m of z is
/// table_mode() modes[0] further on.
template <class Real> struct table_place { const Real *of[2]; };
template <class Real> PSG_HD uint32_t table_mode(const table_args<Real> &t, int axis, uint32_t m) {
    return m < t.modes[axis] ? m : 2 * (t.modes[axis] - 1) - m;
}
/// @param number  of a row @param pairs  a number has two modes along x
template <class Real>
PSG_HD table_place<Real> table_at(const table_args<Real> &t, uint32_t row, uint32_t number,
                                  bool pairs) {
    const Real *from = t.values + (size_t)(table_mode(t, 1, t.row0 + row) - t.first) *
                                      ((size_t)t.modes[2] * t.modes[0]);
    const uint32_t last = t.modes[0] - 1, second = 2 * number + 1; // of what stays 0 any will do
    return {{from + (pairs ? 2 * number : number), from + (!pairs          ? number
                                                           : second < last ? second
                                                                           : last)}};
}

} // namespace psg_cuda
#endif
