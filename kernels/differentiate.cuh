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
    const Real *kx, *ky;
    Real scale;
    uint32_t nxc, columns; // numbers of a row, and of a plane
    uint32_t blocks;       // of a plane
};

/// Number `index` of plane k.
template <class Real>
PSG_HD void differentiate_one(const differentiate_args<Real> &a, size_t k, uint32_t index) {
    const Real kx = a.kx ? a.kx[index % a.nxc] : Real(1);
    const Real ky = a.ky ? a.ky[index / a.nxc] : Real(1);
    const size_t at = k * a.columns + index;
    a.to[at] = a.scale * kx * ky * mul_i<1>(a.from[at]);
}

} // namespace psg_cuda
#endif
