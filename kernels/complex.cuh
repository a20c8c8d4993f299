// Complex numbers and small helpers, the same on the device and on the host: the tests run the
// kernels' index logic and butterflies on a CPU.
#ifndef PSG_KERNELS_COMPLEX_CUH
#define PSG_KERNELS_COMPLEX_CUH

#include "kernels/common.h"
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__CUDACC__)
#define PSG_HD __host__ __device__ __forceinline__
#else
#define PSG_HD inline
#endif
#if defined(__CUDA_ARCH__)
#define PSG_UNROLL _Pragma("unroll")
#else
#define PSG_UNROLL
#endif

namespace psg_cuda {

/// One complex number, moved by one access of 8 or 16 bytes.
template <class Real> struct alignas(2 * sizeof(Real)) complex_t { Real x, y; };

inline bool precision_valid(psg_cuda_precision precision) {
    return precision == PSG_CUDA_F64 || precision == PSG_CUDA_F32;
}

inline size_t complex_bytes(psg_cuda_precision precision) {
    return precision == PSG_CUDA_F64 ? sizeof(complex_t<double>) : sizeof(complex_t<float>);
}

template <class Real> PSG_HD complex_t<Real> operator+(complex_t<Real> a, complex_t<Real> b) {
    return {a.x + b.x, a.y + b.y};
}

template <class Real> PSG_HD complex_t<Real> operator-(complex_t<Real> a, complex_t<Real> b) {
    return {a.x - b.x, a.y - b.y};
}

template <class Real> PSG_HD complex_t<Real> operator*(complex_t<Real> a, complex_t<Real> b) {
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

template <class Real> PSG_HD complex_t<Real> operator*(Real s, complex_t<Real> a) {
    return {s * a.x, s * a.y};
}

/// a times the conjugate of b.
template <class Real> PSG_HD complex_t<Real> mul_conj(complex_t<Real> a, complex_t<Real> b) {
    return {a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y};
}

/// i a for SIGN = +1, -i a for SIGN = -1.
template <int SIGN, class Real> PSG_HD complex_t<Real> mul_i(complex_t<Real> a) {
    return SIGN > 0 ? complex_t<Real>{-a.y, a.x} : complex_t<Real>{a.y, -a.x};
}

/// Blocks of a grid along y, at most.
constexpr uint32_t grid_y_max = 65535;

/// a / b rounded up.
PSG_HD size_t div_up(size_t a, size_t b) {
    return (a + b - 1) / b;
}

/// x / d for d >= 2 and x * d < 2^32, by one multiplication with divisor_magic(d).
PSG_HD uint32_t divide_by_magic(uint32_t x, uint32_t magic) {
    return (uint32_t)(((uint64_t)x * magic) >> 32);
}

/// ceil(2^32 / d), d >= 2. The excess e = magic d - 2^32 < d adds x e / (d 2^32) < 1/d to x / d.
inline uint32_t divisor_magic(uint32_t d) {
    return (uint32_t)((((uint64_t)1 << 32) + d - 1) / d);
}

/// 1 / d to about one unit in the last place for normal d; anything for d = 0. Two or one Newton
/// steps, without the branches and the call of the IEEE division.
PSG_HD double reciprocal(double d) {
#if defined(__CUDA_ARCH__)
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(d));
    r = fma(r, fma(-d, r, 1.0), r);
    r = fma(r, fma(-d, r, 1.0), r);
    return r;
#else
    return 1.0 / d;
#endif
}

PSG_HD float reciprocal(float d) {
#if defined(__CUDA_ARCH__)
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(d));
    return fmaf(r, fmaf(-d, r, 1.0f), r);
#else
    return 1.0f / d;
#endif
}

/// The factor of one mode, see psg_cuda_symbol; exy = ex[i] + ey[j].
template <class Real> PSG_HD Real symbol_factor(Real exy, Real ez, Real lambda, Real scale) {
    const Real d = exy + ez - lambda;
    return d == Real(0) ? Real(0) : scale * reciprocal(d);
}

/// A load of one complex number with a PTX modifier; what follows it is the assembler's list of
/// clobbers.
#if defined(__CUDA_ARCH__)
#define PSG_LOAD(NAME, MODIFIER, ...)                                                              \
    template <class Real> PSG_HD complex_t<Real> NAME(const complex_t<Real> *p) {                  \
        complex_t<Real> v;                                                                         \
        if constexpr (sizeof(Real) == 8)                                                           \
            asm volatile("ld.global." MODIFIER ".v2.f64 {%0, %1}, [%2];"                           \
                         : "=d"(v.x), "=d"(v.y)                                                    \
                         : "l"(p)                                                                  \
                         : __VA_ARGS__);                                                           \
        else                                                                                       \
            asm volatile("ld.global." MODIFIER ".v2.f32 {%0, %1}, [%2];"                           \
                         : "=f"(v.x), "=f"(v.y)                                                    \
                         : "l"(p)                                                                  \
                         : __VA_ARGS__);                                                           \
        return v;                                                                                  \
    }
#else
#define PSG_LOAD(NAME, MODIFIER, ...)                                                              \
    template <class Real> PSG_HD complex_t<Real> NAME(const complex_t<Real> *p) {                  \
        return *p;                                                                                 \
    }
#endif

/// A number that is read once, and whose neighbours up to 256 bytes are about to be read too, by
/// other blocks: they come into the second-level cache with it, where memory would be read in
/// pieces of 64 bytes at a part of its speed.
PSG_LOAD(load_neighbours, "L2::256B", )
/// The same, into shared memory, where it is for this thread after fetched().
template <class Real> PSG_HD void fetch(complex_t<Real> *to, const complex_t<Real> *from) {
#if defined(__CUDA_ARCH__)
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(to);
    if constexpr (sizeof(Real) == 8)
        asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16;" ::"r"(at), "l"(from)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global.L2::256B [%0], [%1], 8;" ::"r"(at), "l"(from)
                     : "memory");
#else
    *to = *from;
#endif
}
PSG_HD void fetched() {
#if defined(__CUDA_ARCH__)
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// A number that another block has written while this kernel runs: not from the first-level cache.
PSG_LOAD(load_shared_cache, "cg", "memory")
/// A number that nobody reads again: it leaves the second-level cache first.
PSG_LOAD(load_streaming, "cs", )
#undef PSG_LOAD

/// All loads before this are on their way before anything after it begins: where registers are
/// scarce the assembler would wait for the first ones before it starts the others, but it does not
/// move loads across a barrier of the warp. The whole warp comes here.
PSG_HD void loads_begun() {
#if defined(__CUDA_ARCH__)
    __syncwarp();
#endif
}

/// The number itself, hidden from the compiler, which else computes what depends on it once, before
/// the loop over items, and keeps it in registers that the loop needs.
PSG_HD int computed_late(int v) {
#if defined(__CUDA_ARCH__)
    asm volatile("" : "+r"(v));
#endif
    return v;
}

/// A number that nobody reads again soon: it leaves the second-level cache first.
template <class Real> PSG_HD void store_streaming(complex_t<Real> *p, complex_t<Real> v) {
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(Real) == 8)
        asm volatile("st.global.cs.v2.f64 [%0], {%1, %2};" ::"l"(p), "d"(v.x), "d"(v.y) : "memory");
    else
        asm volatile("st.global.cs.v2.f32 [%0], {%1, %2};" ::"l"(p), "f"(v.x), "f"(v.y) : "memory");
#else
    *p = v;
#endif
}

/// The same for one real.
template <class Real> PSG_HD Real load_streaming_real(const Real *p) {
#if defined(__CUDA_ARCH__)
    return __ldcs(p);
#else
    return *p;
#endif
}
template <class Real> PSG_HD void store_streaming_real(Real *p, Real v) {
#if defined(__CUDA_ARCH__)
    __stcs(p, v);
#else
    *p = v;
#endif
}

/// The 128 bytes from p on, aligned to as many, are not read again before they are written. On the
/// host they are NaNs then, so that tests see it.
PSG_HD void forget(void *p) {
#if defined(__CUDA_ARCH__)
    asm volatile("discard.global.L2 [%0], 128;" ::"l"(p) : "memory");
#else
    memset(reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(p) / 128 * 128), 0xff, 128);
#endif
}

/// Neither NaN nor infinite, which differ from themselves by no 0.
template <class Real> PSG_HD bool is_finite(Real v) {
    return v - v == Real(0);
}

/// Raise the flag, if there is one, for a number that is not finite.
template <class Real> PSG_HD void report_nonfinite(const complex_t<Real> &v, int *flag) {
    if (flag && !(is_finite(v.x) && is_finite(v.y)))
        *flag = 1; // by many threads at once: all write the same
}

} // namespace psg_cuda
#endif
