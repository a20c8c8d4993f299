// Differences of a field at neighbouring points, the same on the device and on the host: the
// components of the gradient of u, and the divergence of a flow.
#ifndef PSG_KERNELS_GRADIENT_CUH
#define PSG_KERNELS_GRADIENT_CUH

#include "kernels/complex.cuh"

namespace psg_cuda {

constexpr int gradient_threads = 256;
constexpr int gradient_elements = 4; // points of each thread

template <class Real> struct axis_args {
    Real *out; // nullptr: not wanted
    size_t row, plane;
    Real scale, last, weight;
    const Real *added;
    bool wraps, centred;
    const double *step; // by plane, times scale; nullptr: 1
    double taken;       // 0: the component is written; else so many of it are taken out
    bool made;          // u is the component, but for what is added
};

template <class Real> struct gradient_args {
    const Real *u;
    size_t row, plane; // pitches of u
    const Real *above;
    size_t above_row;
    axis_args<Real> along[3];
    uint32_t nx, ny, planes, points, blocks; // the last two of a plane
    int *overflow;
};

/// @param at      the point of u, whose neighbour before is `pitch` numbers before it
/// @param next    nullptr: there is a side, whose values add number `m` of a table to f
/// @return is the number finite?
template <class Real>
PSG_HD bool gradient_put(const axis_args<Real> &d, size_t k, uint32_t j, uint32_t i, const Real *at,
                         size_t pitch, const Real *next, size_t m) {
    if (!d.out)
        return true;
    Real *const out = d.out + k * d.plane + j * d.row + i;
    const Real scale = d.step ? Real(d.scale * d.step[k]) : d.scale;
    Real value = d.made      ? *at + (next || !d.added ? Real(0) : d.weight * d.added[m])
                 : next      ? (*next - *at) * scale
                 : d.centred ? 2 * *out - (*at - *(at - pitch)) * d.scale
                             : d.last * *at + (d.added ? d.weight * d.added[m] : Real(0));
    if (d.taken != 0)
        value = Real(*out - d.taken * value);
    if (!d.made || value != *out) // of what stays as it is no more is written
        *out = value;
    return is_finite(value);
}

/// Point p of plane k. @return are its components finite?
template <class Real>
PSG_HD bool gradient_point(const gradient_args<Real> &a, size_t k, uint32_t p) {
    const uint32_t i = p % a.nx, j = p / a.nx;
    const Real *plane = a.u + k * a.plane, *at = plane + j * a.row + i;
    const Real *x = i + 1 < a.nx ? at + 1 : a.along[0].wraps ? at - i : nullptr;
    const Real *y = j + 1 < a.ny ? at + a.row : a.along[1].wraps ? plane + i : nullptr;
    const Real *z = k + 1 < a.planes ? at + a.plane
                    : a.above        ? a.above + j * a.above_row + i
                                     : nullptr;
    const bool fits[3] = {gradient_put(a.along[0], k, j, i, at, 1, x, k * a.ny + j),
                          gradient_put(a.along[1], k, j, i, at, a.row, y, k * a.nx + i),
                          gradient_put(a.along[2], k, j, i, at, a.plane, z, size_t(p))};
    return fits[0] && fits[1] && fits[2];
}

/// The flow through the upper faces of cells.
template <class Real> struct flow_args {
    const Real *v[3];
    size_t row[3], plane[3]; // pitches
    const Real *below;       // v[2] of the plane before the first one; nullptr: nothing flows there
    size_t below_row;
    double by[3];
    const double *width; // by plane, by[2] is over it; nullptr: 1
    bool wraps[2];
    Real *out;                       // dense
    uint32_t nx, ny, points, blocks; // the last two of a plane
};

/// The flow through the lower face along x or y.
template <class Real>
PSG_HD double flow_before(const flow_args<Real> &a, int d, const Real *at, uint32_t m, uint32_t n,
                          size_t pitch) {
    return m > 0 ? *(at - pitch) : a.wraps[d] ? *(at + (n - 1) * pitch) : Real(0);
}

/// What flows out of cell p of plane k, in f64: a sum of differences in f32 has digits that f32 has
/// no room for.
template <class Real> PSG_HD void flow_cell(const flow_args<Real> &a, size_t k, uint32_t p) {
    const uint32_t i = p % a.nx, j = p / a.nx;
    const Real *at[3];
    for (int d = 0; d < 3; d++)
        at[d] = a.v[d] + k * a.plane[d] + j * a.row[d] + i;
    const double low = k > 0     ? *(at[2] - a.plane[2])
                       : a.below ? a.below[j * a.below_row + i]
                                 : Real(0);
    const double z = a.width ? a.by[2] / a.width[k] : a.by[2];
    const double across =
        a.by[1] * (*at[1] - flow_before(a, 1, at[1], j, a.ny, a.row[1])) + z * (*at[2] - low);
    a.out[k * a.points + p] =
        Real(a.by[0] * (*at[0] - flow_before(a, 0, at[0], i, a.nx, 1)) + across);
}

} // namespace psg_cuda
#endif
