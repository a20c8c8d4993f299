// The fused z kernel for any length that factors into the radices below: a tile of columns lies in
// shared memory, and every pass takes its radix from the list. The first pass reads its points from
// the planes, the last one writes them there.
#ifndef PSG_KERNELS_KSPACE_GENERIC_CUH
#define PSG_KERNELS_KSPACE_GENERIC_CUH

#include "kernels/kspace_args.cuh"
#include "kernels/launch.cuh"

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

/// Calls move(j, number) for the points of a butterfly of R in the planes. Looks up all planes
/// before it moves the first, as loads that follow a move would wait for it.
template <int R, class Real, class Column, class Move>
PSG_HD void kspace_points(const kspace_butterfly &b, const kspace_args<Real> &a, const Column &c,
                          const kspace_place &in, Move move) {
    if (in.planes) {
        int64_t plane[R];
        PSG_UNROLL
        for (int j = 0; j < R; j++)
            plane[j] = in.planes[b.place + j * b.stride];
        PSG_UNROLL
        for (int j = 0; j < R; j++)
            move(j, c.base(a) + (plane[j] + c.index));
    } else {
        complex_t<Real> *number = c.base(a) + (in.first + c.index) + (size_t)b.place * in.pitch;
        const size_t step = b.stride * in.pitch;
        PSG_UNROLL
        for (int j = 0; j < R; j++)
            move(j, number + j * step);
    }
}

/// What a step reads from the planes and not from shared memory, and what it writes there.
struct kspace_ends {
    bool from_planes, to_planes;
};

/// One butterfly of radix R of one column. Of a FREE one the last pass may be a step FORWARD and a
/// step INVERSE, which has no twiddles.
template <int R, kspace_step STEP, class Real, class Column>
PSG_HD void kspace_item(const kspace_args<Real> &a, const kspace_pass &pass, uint32_t item,
                        kspace_ends ends, const Column &c, uint32_t col, complex_t<Real> *buf) {
    using Complex = complex_t<Real>;
    const kspace_butterfly b(a.list, pass, item);
    const Complex *w = a.twiddles + b.twiddle;
    Complex *const at = buf + (b.row << a.log2_columns) + col;
    const uint32_t step = b.row_step << a.log2_columns;
    const bool twisted = !Column::FREE || pass.magic != 0;
    Complex v[R];
    if (!ends.from_planes) {
        PSG_UNROLL
        for (int j = 0; j < R; j++)
            v[j] = at[j * step];
    } else if (c.valid) {
        kspace_points<R>(b, a, c, a.band[c.band].from,
                         [&](int j, const Complex *from) { v[j] = load_neighbours(from); });
        if constexpr (Column::FREE) {
            PSG_UNROLL
            for (int j = 0; j < R; j++)
                v[j] = c.enter(a, v[j], b.place + j * b.stride);
        }
    } else {
        PSG_UNROLL
        for (int j = 0; j < R; j++)
            v[j] = Complex{Real(0), Real(0)};
    }
    if (STEP == KSPACE_INVERSE) {
        if (twisted)
            twist<R, true>(v, w, b.stride);
        dft<R, 1>(v);
    } else {
        dft<R, -1>(v);
    }
    if (STEP == KSPACE_FORWARD && twisted)
        twist<R, false>(v, w, b.stride);
    if (STEP == KSPACE_TURN) {
        const uint32_t k = a.order[b.g], next = a.list.n / R;
        if (k == 0 && c.first && a.mode0)
            a.mode0[c.sheet] = v[0];
        PSG_UNROLL
        for (int j = 0; j < R; j++)
            v[j] = c.factor(a, k + j * next) * v[j];
        dft<R, 1>(v);
    }
    if (!ends.to_planes) {
        PSG_UNROLL
        for (int j = 0; j < R; j++)
            at[j * step] = v[j];
    } else if (c.valid) {
        report_nonfinite(v[0],
                         c.nonfinite(a)); // the inverse has put it into all points of the column
        kspace_points<R>(b, a, c, a.band[c.band].to, [&](int j, Complex *to) { *to = v[j]; });
    }
}

/// All butterflies of pass p of one tile that thread `thread` of `threads` does. The number of
/// columns in a tile divides `threads`, so that a thread stays with its column.
template <int R, kspace_step STEP, class Real, class Column>
PSG_HD void kspace_loop(const kspace_args<Real> &a, uint32_t p, uint32_t thread, uint32_t threads,
                        const Column &c, complex_t<Real> *buf) {
    const kspace_pass &pass = a.list.pass[p];
    const uint32_t count = a.list.n / R, col = thread & ((1u << a.log2_columns) - 1);
    const kspace_ends ends = {p == 0 && STEP != KSPACE_INVERSE,
                              p == 0 && STEP != KSPACE_FORWARD && !Column::FREE};
    for (uint32_t item = thread >> a.log2_columns; item < count; item += threads >> a.log2_columns)
        kspace_item<R, STEP>(a, pass, item, ends, c, col, buf);
}

/// The radices, in one place: kspace_factor() chooses among them.
#define PSG_KSPACE_RADICES(X)                                                                      \
    X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16)

template <kspace_step STEP, class Real, class Column>
PSG_HD void kspace_pass_any(const kspace_args<Real> &a, uint32_t p, uint32_t thread,
                            uint32_t threads, const Column &c, complex_t<Real> *buf) {
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

/// A column of a periodic z whose factors are in a table.
template <class Real> struct kspace_table_column : kspace_column<Real> {
    const Real *at;

    PSG_HD kspace_table_column(const kspace_args<Real> &a, uint32_t tile, uint32_t width,
                               uint32_t col, uint32_t sheet_ = 0)
        : kspace_column<Real>(a, tile, width, col, sheet_), at(nullptr) {
        if (this->valid)
            at = table_at(a.table, a.band[this->band].row0 + this->row, this->kx, false).of[0];
    }
    PSG_HD Real factor(const kspace_args<Real> &a, uint32_t mode) const {
        return this->valid ? -a.scale * at[mode * a.table.modes[0]] : Real(0);
    }
};

#if defined(__CUDACC__)

/// One tile a block. Grid: x tiles, y sheets; block: a multiple of the columns in a tile; shared
/// memory: list.rows << log2_columns complex numbers.
template <class Real, int THREADS, int BLOCKS, class Column>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    kspace_generic(const __grid_constant__ kspace_args<Real> a) {
    extern __shared__ __align__(16) unsigned char kspace_shared[];
    complex_t<Real> *buf = reinterpret_cast<complex_t<Real> *>(kspace_shared);
    const uint32_t thread = threadIdx.x, threads = blockDim.x, last = a.list.passes - 1;
    const uint32_t mask = (1u << a.log2_columns) - 1;
    const Column c(a, blockIdx.x, mask + 1, thread & mask, blockIdx.y);
    wait_for_the_one_before();
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
