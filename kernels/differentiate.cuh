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
    size_t pitch; // of `from`
    const Real *kx, *ky;
    Real scale;
    uint32_t rows, nxc, strip; // strip = nxc: no strips
    uint32_t columns, blocks;  // of a plane
};

/// Number `index` of plane k. The strips of a plane are as psg_cuda_columns has them.
template <class Real>
PSG_HD void differentiate_one(const differentiate_args<Real> &a, size_t k, uint32_t index) {
    const uint32_t whole = a.nxc / a.strip * a.strip; // in strips of full width
    const bool rest = index >= whole * a.rows;
    const uint32_t across = rest ? a.nxc - whole : a.strip;
    const uint32_t within = rest ? index - whole * a.rows : index;
    const uint32_t x0 = rest ? whole : within / (a.rows * across) * across;
    const Real kx = a.kx ? a.kx[x0 + within % across] : Real(1);
    const Real ky = a.ky ? a.ky[within / across % a.rows] : Real(1);
    a.to[k * a.columns + index] = a.scale * kx * ky * mul_i<1>(a.from[k * a.pitch + index]);
}

} // namespace psg_cuda
#endif
