// The fused z kernel of a z with a free end, as cpu/kspace_free.c has the method. It is
// kspace_generic on virtual columns: columns 2c and 2c + 1 of a tile are the even and the odd modes
// of column c. Both take the same numbers from the planes. The odd one multiplies them by
// w[z] = exp(-i pi z/n) then, and is divided by w[z] after its transforms. u is the sum of the two,
// and beside a wall also that of the image of f in it.
#ifndef PSG_KERNELS_KSPACE_FREE_CUH
#define PSG_KERNELS_KSPACE_FREE_CUH

#include "kernels/kspace_tables.cuh"

namespace psg_cuda {

/// What the threads of a block know of its columns, behind the exchange buffer.
template <class Real> struct kspace_free_room {
    static constexpr int COLUMNS = 32;                // virtual ones, at most
    complex_t<Real> part[COLUMNS];                    // scale (1 - p), or scale (1 + p)
    complex_t<Real> decay[COLUMNS];                   // of u beyond the ends, from point to point
    complex_t<Real> charge[COLUMNS], moment[COLUMNS]; // where the base is 0, in steps
    complex_t<Real> first[COLUMNS];                   // u of f alone at the wall, of kspace_fixed
};

inline size_t kspace_free_room_bytes(size_t complex_bytes) {
    return complex_bytes == sizeof(complex_t<double>) ? sizeof(kspace_free_room<double>)
                                                      : sizeof(kspace_free_room<float>);
}

/// In numbers, of n points. @param scale  of the symbol
template <class Real>
kspace_free<Real> kspace_free_of(const psg_cuda_free &f, size_t n, double scale) {
    const double h = f.length / (double)n, wall = f.wall[0] + f.wall[1];
    return {(Real)h,    (Real)(f.length * f.length / 2 * scale),
            (Real)wall, (Real)(wall * h * h * scale * (double)n),
            f.stencil,  f.wall[1] != 0};
}

/// w[n].
template <class Real> std::vector<complex_t<Real>> kspace_free_factors(size_t n) {
    std::vector<complex_t<Real>> w;
    for (size_t z = 0; z < n; z++)
        w.push_back(r2r_root<Real>((long double)z / (long double)n));
    return w;
}

/// -log of the decay of u from point to point beyond the ends. @param base  ex + ey - lambda
template <class Real> PSG_HD Real kspace_free_decay(const kspace_free<Real> &z, Real base) {
    const Real k = base < Real(0) ? std::sqrt(-base) * z.step : Real(0);
    return z.stencil ? Real(2) * std::asinh(k / Real(2)) : k;
}

/// A virtual column. @tparam SIDES  numbers may have two modes along x
template <class Real, bool SIDES = true> struct kspace_free_column : kspace_column<Real, SIDES> {
    static constexpr bool FREE = true;
    bool odd;
    complex_t<Real> part; // of its room

    PSG_HD kspace_free_column(const kspace_args<Real> &a, uint32_t tile, uint32_t width,
                              uint32_t col, uint32_t sheet_ = 0)
        : kspace_column<Real, SIDES>(a, tile, width / 2, col / 2, sheet_),
          odd(col % 2 == 1), part{Real(0), Real(0)} {
        this->exy -= a.lambda;
        this->other -= a.lambda;
        this->first = this->first && !odd;
    }

    PSG_HD Real part_of(const kspace_args<Real> &a, Real decay) const {
        const Real whole = decay * Real(a.list.n);
        return a.scale * (odd ? Real(1) + std::exp(-whole) : -std::expm1(-whole));
    }
    /// Fill the room, by one thread of the column.
    PSG_HD void begin(const kspace_args<Real> &a, uint32_t col,
                      kspace_free_room<Real> &room) const {
        const Real decay = kspace_free_decay(a.free, this->exy);
        const Real other = a.pairs ? kspace_free_decay(a.free, this->other) : decay;
        const Real mine = part_of(a, decay);
        room.decay[col] = {decay, other};
        room.part[col] = {mine, a.pairs ? part_of(a, other) : mine};
        room.charge[col] = room.moment[col] = {Real(0), Real(0)};
    }
    /// A number that has come from plane z.
    PSG_HD complex_t<Real> enter(const kspace_args<Real> &a, complex_t<Real> v, uint32_t z) const {
        return odd ? v * a.z.factors[z] : v;
    }
    /// What multiplies a mode to make a derivative.
    PSG_HD Real wave(const kspace_args<Real> &a, uint32_t mode) const {
        return a.waves ? a.waves[(odd ? a.list.n : 0) + mode] : Real(1);
    }
    PSG_HD Real factor_of(const kspace_args<Real> &a, Real base, Real its_part,
                          uint32_t mode) const {
        const Real d = base + a.ez[(odd ? a.list.n : 0) + mode];
        return d == Real(0) ? a.free.constant : its_part * reciprocal(d);
    }
    PSG_HD Real factor(const kspace_args<Real> &a, uint32_t mode) const {
        return wave(a, mode) * factor_of(a, this->exy, part.x, mode);
    }
    /// Of the imaginary part, where that is a mode of its own along x.
    PSG_HD Real factor_of_other(const kspace_args<Real> &a, uint32_t mode) const {
        return factor_of(a, this->other, part.y, mode);
    }
    /// Has it a base of 0 beside a wall?
    PSG_HD bool has_moment(const kspace_args<Real> &a) const {
        return a.free.wall != Real(0) && this->valid && !odd &&
               (this->exy == Real(0) || this->other == Real(0));
    }
};

/// A virtual column whose factors are in a table; there is no wall.
template <class Real, bool SIDES = true>
struct kspace_free_table_column : kspace_free_column<Real, SIDES> {
    table_place<Real> at;

    PSG_HD kspace_free_table_column(const kspace_args<Real> &a, uint32_t tile, uint32_t width,
                                    uint32_t col, uint32_t sheet_ = 0)
        : kspace_free_column<Real, SIDES>(a, tile, width, col, sheet_), at{{nullptr, nullptr}} {
        if (this->valid)
            at = table_at(a.table, a.band[this->band].row0 + this->row, this->kx, SIDES && a.pairs);
    }
    PSG_HD void begin(const kspace_args<Real> &, uint32_t, kspace_free_room<Real> &) const {
    }
    PSG_HD Real from_table(const kspace_args<Real> &a, int number, uint32_t mode) const {
        const uint32_t m = table_mode(a.table, 2, 2 * mode + this->odd);
        return this->valid ? -a.scale * at.of[number][m * a.table.modes[0]] : Real(0);
    }
    PSG_HD Real factor(const kspace_args<Real> &a, uint32_t mode) const {
        return this->wave(a, mode) * from_table(a, 0, mode);
    }
    PSG_HD Real factor_of_other(const kspace_args<Real> &a, uint32_t mode) const {
        return from_table(a, 1, mode);
    }
};

/// Row of shared memory of a place.
PSG_HD uint32_t kspace_row(const kspace_list &list, uint32_t place) {
    return list.pad_magic ? place + divide_by_magic(place, list.pad_magic) : place;
}

/// Row of a frequency after the passes.
PSG_HD uint32_t kspace_mode_row(const kspace_list &list, uint32_t k) {
    uint32_t place = 0;
    for (uint32_t p = 0; p < list.passes; p++) {
        place += k % list.pass[p].radix * list.pass[p].stride;
        k /= list.pass[p].radix;
    }
    return kspace_row(list, place);
}

/// The number of a column in plane z.
template <class Real, class Column>
PSG_HD complex_t<Real> *kspace_number(const kspace_args<Real> &a, const Column &c,
                                      const kspace_place &in, uint32_t z) {
    return c.base(a) + (in.planes ? in.planes[z] : in.first + (int64_t)(z * in.pitch)) + c.index;
}

/// The point k from the wall on.
template <class Real> PSG_HD uint32_t kspace_from_wall(const kspace_args<Real> &a, uint32_t k) {
    return a.free.upper ? a.list.n - 1 - k : k;
}

/// u of the image of f in a wall, of a column of the sheet.
template <class Real> struct kspace_free_image {
    complex_t<Real> first, decay, charge, moment;

    /// @param even  the virtual column of the even modes
    /// @param u     of f alone at the wall
    PSG_HD kspace_free_image(const kspace_args<Real> &a, const kspace_free_room<Real> &room,
                             uint32_t even, complex_t<Real> u)
        : decay(room.decay[even]), charge(a.free.image * room.charge[even]),
          moment(a.free.image * room.moment[even]) {
        // where nothing decays the base is 0
        first = {decay.x == Real(0) ? Real(0) : a.free.wall * u.x,
                 decay.y == Real(0) ? Real(0) : a.free.wall * u.y};
    }
    /// At the point k from the wall on. @param PAIRS  the decays may differ
    template <bool PAIRS> PSG_HD complex_t<Real> at(uint32_t k) const {
        const Real steps = Real(k + 1), one = std::exp(-decay.x * steps);
        const Real two = PAIRS ? std::exp(-decay.y * steps) : one;
        return complex_t<Real>{one * first.x, two * first.y} + moment +
               (steps - Real(0.5)) * charge;
    }
};

/// The charge and the moment of a thread's points, where a column has them, to the buffer.
template <class Real>
PSG_HD void kspace_free_gather(const kspace_args<Real> &a, uint32_t thread, uint32_t threads,
                               const kspace_free_column<Real> &c, complex_t<Real> *buf) {
    complex_t<double> charge = {0, 0}, moment = {0, 0};
    const uint32_t step = threads >> a.log2_columns, first = thread >> a.log2_columns;
    if (!c.has_moment(a) || first >= a.list.n)
        return;
    for (uint32_t k = first; k < a.list.n; k += step) {
        const complex_t<Real> f = *kspace_number(a, c, a.band[c.band].from, kspace_from_wall(a, k));
        const complex_t<double> v = {f.x, f.y};
        charge = charge + v;
        moment = moment + (k + 0.5) * v;
    }
    buf[thread] = {(Real)charge.x, (Real)charge.y};
    buf[thread + 1] = {(Real)moment.x, (Real)moment.y};
}

/// Their sums, by one thread of the column.
template <class Real>
PSG_HD void kspace_free_sum(const kspace_args<Real> &a, uint32_t col, uint32_t threads,
                            const kspace_free_column<Real> &c, const complex_t<Real> *buf,
                            kspace_free_room<Real> &room) {
    if (!c.has_moment(a))
        return;
    complex_t<Real> charge = {Real(0), Real(0)}, moment = charge;
    const uint32_t there = a.list.n << a.log2_columns;
    for (uint32_t t = col; t < (threads < there ? threads : there); t += 1u << a.log2_columns) {
        charge = charge + buf[t];
        moment = moment + buf[t + 1];
    }
    const Real one = Real(c.exy == Real(0)), two = Real(c.other == Real(0));
    room.charge[col] = {one * charge.x, two * charge.y};
    room.moment[col] = {one * moment.x, two * moment.y};
}

/// The division where the real and the imaginary part of a number are modes of their own along x:
/// the modes of a real column are found in the mode k of the complex one and in its mirror.
template <class Real, class Column>
PSG_HD void kspace_free_pairs(const kspace_args<Real> &a, uint32_t thread, uint32_t threads,
                              const Column &c, complex_t<Real> *buf) {
    const uint32_t n = a.list.n, col = thread & ((1u << a.log2_columns) - 1);
    for (uint32_t k = thread >> a.log2_columns; k < n; k += threads >> a.log2_columns) {
        const uint32_t mirror = c.odd ? n - 1 - k : k == 0 ? 0 : n - k;
        if (mirror < k)
            continue;
        complex_t<Real> *const low = buf + (kspace_mode_row(a.list, k) << a.log2_columns) + col;
        complex_t<Real> *const high =
            buf + (kspace_mode_row(a.list, mirror) << a.log2_columns) + col;
        const complex_t<Real> l = *low, h = *high;
        if (k == 0 && c.first && a.mode0)
            a.mode0[c.sheet] = l;
        const Real one = c.factor(a, k) / Real(2);
        const Real two = c.factor_of_other(a, k) / Real(2);
        const Real both = one + two, either = one - two;
        *low = {both * l.x + either * h.x, both * l.y - either * h.y};
        *high = {both * h.x + either * l.x, both * h.y - either * l.y};
    }
}

/// u of f alone at plane z of column col of a tile.
template <class Real>
PSG_HD complex_t<Real> kspace_free_u(const kspace_args<Real> &a, const complex_t<Real> *buf,
                                     uint32_t col, uint32_t z) {
    const complex_t<Real> *both = buf + (kspace_row(a.list, z) << a.log2_columns) + 2 * col;
    return both[0] + mul_conj(both[1], a.z.factors[z]);
}

/// The sums, and what the image of f in a wall adds, to the planes.
template <class Real>
PSG_HD void kspace_free_end(const kspace_args<Real> &a, uint32_t tile, uint32_t sheet,
                            uint32_t thread, uint32_t threads, const complex_t<Real> *buf,
                            const kspace_free_room<Real> &room) {
    using Complex = complex_t<Real>;
    const uint32_t log2_width = a.log2_columns - 1, col = thread & ((1u << log2_width) - 1);
    const uint32_t step = threads >> log2_width, from = thread >> log2_width;
    const kspace_column<Real, true> c(a, tile, 1u << log2_width, col, sheet);
    if (!c.valid)
        return;
    const bool wall = a.free.wall != Real(0);
    const Complex first = wall ? kspace_free_u(a, buf, col, kspace_from_wall(a, 0)) : Complex();
    const kspace_free_image<Real> image(a, room, 2 * col, first);
    for (uint32_t k = from; k < a.list.n; k += step) {
        const uint32_t z = kspace_from_wall(a, k);
        Complex u = kspace_free_u(a, buf, col, z);
        if (wall)
            u = u + image.template at<true>(k);
        report_nonfinite(u, c.nonfinite(a));
        *kspace_number(a, c, a.band[c.band].to, z) = u;
    }
}

/// The block of a tile. all(f): f(thread, column) of every thread; its threads have met before the
/// next one.
template <class Column, class Real, class All>
PSG_HD void kspace_free_tile(const kspace_args<Real> &a, uint32_t tile, uint32_t sheet,
                             uint32_t threads, complex_t<Real> *buf, All all) {
    const uint32_t width = 1u << a.log2_columns, last = a.list.passes - 1;
    kspace_free_room<Real> &room =
        *reinterpret_cast<kspace_free_room<Real> *>(buf + ((size_t)a.list.rows << a.log2_columns));
    if (a.free.wall != Real(0))
        all([&](uint32_t t, Column &c) { kspace_free_gather(a, t, threads, c, buf); });
    all([&](uint32_t t, Column &c) {
        if (t >= width)
            return;
        c.begin(a, t, room);
        kspace_free_sum(a, t, threads, c, buf, room);
    });
    all([&](uint32_t t, Column &c) { c.part = room.part[t & (width - 1)]; });
    for (uint32_t p = 0; p < last; p++)
        all([&](uint32_t t, Column &c) {
            kspace_pass_any<KSPACE_FORWARD>(a, p, t, threads, c, buf);
        });
    if (a.pairs) {
        all([&](uint32_t t, Column &c) {
            kspace_pass_any<KSPACE_FORWARD>(a, last, t, threads, c, buf);
        });
        all([&](uint32_t t, Column &c) { kspace_free_pairs(a, t, threads, c, buf); });
        all([&](uint32_t t, Column &c) {
            kspace_pass_any<KSPACE_INVERSE>(a, last, t, threads, c, buf);
        });
    } else {
        all([&](uint32_t t, Column &c) {
            kspace_pass_any<KSPACE_TURN>(a, last, t, threads, c, buf);
        });
    }
    for (uint32_t p = last; p-- > 0;)
        all([&](uint32_t t, Column &c) {
            kspace_pass_any<KSPACE_INVERSE>(a, p, t, threads, c, buf);
        });
    all([&](uint32_t t, Column &) { kspace_free_end(a, tile, sheet, t, threads, buf, room); });
}

#if defined(__CUDACC__)

/// What a thread of a block does in a step.
template <class Column> struct kspace_free_thread {
    uint32_t thread;
    Column &column;

    template <class Step> PSG_HD void operator()(Step step) const {
        step(thread, column);
#if defined(__CUDA_ARCH__)
        __syncthreads();
#endif
    }
};

/// One tile a block, as kspace_generic has it; shared memory: that, and a kspace_free_room.
template <class Real, int THREADS, int BLOCKS, class Column>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    kspace_generic_free(const __grid_constant__ kspace_args<Real> a) {
    extern __shared__ __align__(16) unsigned char kspace_shared[];
    const uint32_t width = 1u << a.log2_columns;
    Column c(a, blockIdx.x, width, threadIdx.x & (width - 1), blockIdx.y);
    wait_for_the_one_before();
    kspace_free_tile<Column>(a, blockIdx.x, blockIdx.y, blockDim.x,
                             reinterpret_cast<complex_t<Real> *>(kspace_shared),
                             kspace_free_thread<Column>{threadIdx.x, c});
}

#endif

} // namespace psg_cuda
#endif
