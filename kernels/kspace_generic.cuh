// The fused z kernel for any length that factors into the radices below: a tile of columns lies in
// shared memory, and every pass takes its radix from the list. The first pass reads its points from
// the planes, the last one writes them there.
#ifndef PSG_KERNELS_KSPACE_GENERIC_CUH
#define PSG_KERNELS_KSPACE_GENERIC_CUH

#include "kernels/kspace_args.cuh"

namespace psg_cuda {

/// What a pass does with a butterfly: transform and twiddle; transform, divide and transform back;
/// undo the twiddle and transform back.
enum kspace_step { KSPACE_FORWARD, KSPACE_TURN, KSPACE_INVERSE };

/// The butterfly `item` of pass p: its place, its rows in shared memory, its twiddles.
struct kspace_butterfly {
    uint32_t place, stride, row, row_step, twiddle, g;

    PSG_HD kspace_butterfly(const kspace_list &list, const kspace_pass &pass, uint32_t item)
        : stride(pass.stride), row_step(pass.row_step), g(item) {
        const uint32_t block = pass.magic ? divide_by_magic(item, pass.magic) : item;
        const uint32_t m = item - block * stride;
        place = block * (stride * pass.radix) + m;
        row = list.pad_magic ? place + divide_by_magic(place, list.pad_magic) : place;
        twiddle = pass.twiddles + m;
    }
};

/// One butterfly of radix R of one column; FROM_PLANES and TO_PLANES: device memory instead of buf.
template <int R, kspace_step STEP, class Real>
PSG_HD void kspace_item(const kspace_args<Real> &a, const kspace_pass &pass, uint32_t item,
                        bool from_planes, bool to_planes, const kspace_column<Real> &c,
                        uint32_t col, complex_t<Real> *buf) {
    using Complex = complex_t<Real>;
    const kspace_butterfly b(a.list, pass, item);
    const Complex *w = a.twiddles + b.twiddle;
    Complex v[R];
    PSG_UNROLL
    for (int j = 0; j < R; j++) {
        if (!from_planes)
            v[j] = buf[((b.row + j * b.row_step) << a.log2_columns) + col];
        else if (c.valid)
            v[j] = *kspace_number(a, c, a.band[c.band].from, b.place + j * b.stride);
        else
            v[j] = Complex{Real(0), Real(0)};
    }
    if (STEP == KSPACE_INVERSE) {
        PSG_UNROLL
        for (int j = 1; j < R; j++)
            v[j] = mul_conj(v[j], w[(j - 1) * b.stride]);
        dft<R, 1>(v);
    } else {
        dft<R, -1>(v);
    }
    if (STEP == KSPACE_FORWARD) {
        PSG_UNROLL
        for (int j = 1; j < R; j++)
            v[j] = v[j] * w[(j - 1) * b.stride];
    }
    if (STEP == KSPACE_TURN) {
        const uint32_t k = a.order[b.g], step = a.list.n / R;
        if (k == 0 && c.first && a.mode0)
            *a.mode0 = v[0];
        PSG_UNROLL
        for (int j = 0; j < R; j++)
            v[j] = symbol_factor(c.exy, a.ez[k + j * step], a.lambda, a.scale) * v[j];
        dft<R, 1>(v);
    }
    if (to_planes && c.valid)
        report_nonfinite(v[0], a.nonfinite); // the inverse has put it into all points of the column
    PSG_UNROLL
    for (int j = 0; j < R; j++) {
        if (!to_planes)
            buf[((b.row + j * b.row_step) << a.log2_columns) + col] = v[j];
        else if (c.valid)
            *kspace_number(a, c, a.band[c.band].to, b.place + j * b.stride) = v[j];
    }
}

/// All butterflies of pass p of one tile that thread `thread` of `threads` does. The number of
/// columns in a tile divides `threads`, so that a thread stays with its column.
template <int R, kspace_step STEP, class Real>
PSG_HD void kspace_loop(const kspace_args<Real> &a, uint32_t p, uint32_t thread, uint32_t threads,
                        const kspace_column<Real> &c, complex_t<Real> *buf) {
    const kspace_pass &pass = a.list.pass[p];
    const uint32_t count = a.list.n / R, col = thread & ((1u << a.log2_columns) - 1);
    const bool from_planes = p == 0 && STEP != KSPACE_INVERSE;
    const bool to_planes = p == 0 && STEP != KSPACE_FORWARD;
    for (uint32_t item = thread >> a.log2_columns; item < count; item += threads >> a.log2_columns)
        kspace_item<R, STEP>(a, pass, item, from_planes, to_planes, c, col, buf);
}

/// The radices, in one place: kspace_factor() chooses among them.
#define PSG_KSPACE_RADICES(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(13) X(16)

template <kspace_step STEP, class Real>
PSG_HD void kspace_pass_any(const kspace_args<Real> &a, uint32_t p, uint32_t thread,
                            uint32_t threads, const kspace_column<Real> &c, complex_t<Real> *buf) {
    switch (a.list.pass[p].radix) {
#define PSG_KSPACE_CASE(R)                                                                         \
    case R:                                                                                        \
        kspace_loop<R, STEP>(a, p, thread, threads, c, buf);                                       \
        break;
        PSG_KSPACE_RADICES(PSG_KSPACE_CASE)
#undef PSG_KSPACE_CASE
    default:
        break;
    }
}

#if defined(__CUDACC__)

/// One tile a block. Grid: tiles; block: a multiple of the columns in a tile; shared memory:
/// list.rows << log2_columns complex numbers.
template <class Real, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    kspace_generic(const __grid_constant__ kspace_args<Real> a) {
    extern __shared__ __align__(16) unsigned char kspace_shared[];
    complex_t<Real> *buf = reinterpret_cast<complex_t<Real> *>(kspace_shared);
    const uint32_t thread = threadIdx.x, threads = blockDim.x, last = a.list.passes - 1;
    const uint32_t mask = (1u << a.log2_columns) - 1;
    const kspace_column<Real> c(a, blockIdx.x, mask + 1, thread & mask);
    for (uint32_t p = 0; p < last; p++) {
        kspace_pass_any<KSPACE_FORWARD>(a, p, thread, threads, c, buf);
        __syncthreads();
    }
    kspace_pass_any<KSPACE_TURN>(a, last, thread, threads, c, buf);
    for (uint32_t p = last; p-- > 0;) {
        __syncthreads();
        kspace_pass_any<KSPACE_INVERSE>(a, p, thread, threads, c, buf);
    }
}

#endif

} // namespace psg_cuda
#endif
