// Index logic of the division, the same on the device and on the host.
#ifndef PSG_KERNELS_DIVIDE_CUH
#define PSG_KERNELS_DIVIDE_CUH

#include "kernels/table.cuh"

namespace psg_cuda {

constexpr int divide_threads = 256;
constexpr int divide_elements = 8; // for each thread

template <class Real> struct divide_args {
    complex_t<Real> *sheet;
    const Real *ex, *ey, *ez;
    complex_t<Real> *mode0;
    int *nonfinite;
    Real lambda, scale;
    uint32_t columns, nxc, nz;
    uint32_t each; // eigenvalues along x of a number: 1, or of its real part and its imaginary part
    table_args<Real> table;
};

/// What the numbers of a column have in common: ex + ey, for the real part and for the imaginary
/// part; or their place in the table.
template <class Real> struct divide_column {
    complex_t<Real> exy;
    table_place<Real> at;

    PSG_HD divide_column(const divide_args<Real> &a, uint32_t column) : at{{nullptr, nullptr}} {
        const uint32_t number = column % a.nxc, row = column / a.nxc;
        const Real *ex = a.ex + (size_t)number * a.each;
        exy = {ex[0] + a.ey[row], ex[a.each - 1] + a.ey[row]};
        if (a.table.values)
            at = table_at(a.table, row, number, a.each == 2);
    }
    PSG_HD complex_t<Real> divided(const divide_args<Real> &a, uint32_t z,
                                   complex_t<Real> v) const {
        if (a.table.values) {
            const size_t mode = (size_t)z * a.table.modes[0];
            return {-a.scale * at.of[0][mode] * v.x, -a.scale * at.of[1][mode] * v.y};
        }
        return {symbol_factor(exy.x, a.ez[z], a.lambda, a.scale) * v.x,
                symbol_factor(exy.y, a.ez[z], a.lambda, a.scale) * v.y};
    }
};

/// [nz][columns]: a thread takes one column of divide_elements planes from z0 on.
template <class Real>
PSG_HD void divide_strided(const divide_args<Real> &a, uint32_t column, uint32_t z0) {
    if (column >= a.columns)
        return;
    const divide_column<Real> c(a, column);
    complex_t<Real> v[divide_elements], *p = a.sheet + column;
    PSG_UNROLL
    for (int e = 0; e < divide_elements; e++)
        if (z0 + e < a.nz)
            v[e] = p[(size_t)(z0 + e) * a.columns];
    if (column == 0 && z0 == 0 && a.mode0)
        *a.mode0 = v[0];
    PSG_UNROLL
    for (int e = 0; e < divide_elements; e++)
        if (z0 + e < a.nz) {
            v[e] = c.divided(a, z0 + e, v[e]); // not finite if it was not, even times 0
            report_nonfinite(v[e], a.nonfinite);
            p[(size_t)(z0 + e) * a.columns] = v[e];
        }
}

/// [columns][nz]: `width` threads share a column, and this one is `lane` of them.
template <class Real>
PSG_HD void divide_contiguous(const divide_args<Real> &a, uint32_t column, uint32_t lane,
                              uint32_t width) {
    if (column >= a.columns)
        return;
    const divide_column<Real> c(a, column);
    complex_t<Real> *p = a.sheet + (size_t)column * a.nz;
    for (uint32_t z0 = lane; z0 < a.nz; z0 += width * divide_elements) {
        complex_t<Real> v[divide_elements];
        PSG_UNROLL
        for (int e = 0; e < divide_elements; e++)
            if (z0 + e * width < a.nz)
                v[e] = p[z0 + e * width];
        if (column == 0 && z0 == 0 && a.mode0)
            *a.mode0 = v[0];
        PSG_UNROLL
        for (int e = 0; e < divide_elements; e++)
            if (z0 + e * width < a.nz) {
                v[e] = c.divided(a, z0 + e * width, v[e]);
                report_nonfinite(v[e], a.nonfinite);
                p[z0 + e * width] = v[e];
            }
    }
}

/// Threads that share a column of divide_contiguous: a power of two from 1 to divide_threads.
inline uint32_t divide_width(uint32_t nz) {
    uint32_t width = 1;
    while (width < divide_threads && width * divide_elements < nz)
        width *= 2;
    return width;
}

} // namespace psg_cuda
#endif
