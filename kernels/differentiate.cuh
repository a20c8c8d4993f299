// Index logic of the derivatives, the same on the device and on the host.
#ifndef PSG_KERNELS_DIFFERENTIATE_CUH
#define PSG_KERNELS_DIFFERENTIATE_CUH

#include "kernels/complex.cuh"

namespace psg_cuda {

constexpr int differentiate_threads = 256;
constexpr int differentiate_elements = 4; // numbers of each thread

template <class Real> struct differentiate_args {
    const complex_t<Real> *from;
    complex_t<Real> *to;
    const complex_t<Real> *kx, *ky; // nullptr: 1
    complex_t<Real> scale;
    uint32_t nxc, columns; // numbers of a row, and of a plane
    uint32_t blocks;       // of a plane
};

/// Number `index` of plane k.
template <class Real>
PSG_HD void differentiate_one(const differentiate_args<Real> &a, size_t k, uint32_t index) {
    const complex_t<Real> x = a.kx ? a.scale * a.kx[index % a.nxc] : a.scale;
    const complex_t<Real> by = a.ky ? x * a.ky[index / a.nxc] : x;
    const size_t at = k * a.columns + index;
    a.to[at] = by * a.from[at];
}

} // namespace psg_cuda
#endif
