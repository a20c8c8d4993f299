// The fused z kernel for lengths known at compile time, on columns in registers (columns.cuh).
// SIDES kernels have a real-to-real transform along z (r2r_fused.cuh), or two modes in each number
// of a row. FREE ones have a z with a free end, and virtual columns (kspace_free.cuh): of two
// neighbours each stores every second number of their sum.
#ifndef PSG_KERNELS_KSPACE_FIXED_CUH
#define PSG_KERNELS_KSPACE_FIXED_CUH

#include "kernels/columns.cuh"
#include "kernels/kspace_free.cuh"

namespace psg_cuda {

/// Last forward pass, division, first inverse pass.
template <class S, class Column>
PSG_HD void kspace_turn(typename S::Complex *v, typename S::Member q,
                        const kspace_args<typename S::Real> &a, const Column &c) {
    constexpr int RL = S::RL;
    S::template forward<S::LAST>(v, q, a.twiddles);
    PSG_UNROLL
    for (int u = 0; u < S::E / RL; u++) {
        const int k = S::frequency(q, u);
        if (k == 0 && c.first && a.mode0)
            a.mode0[c.sheet] = v[u * RL];
        PSG_UNROLL
        for (int j = 0; j < RL; j++)
            v[u * RL + j] = c.factor(a, k + j * (S::N / RL)) * v[u * RL + j];
    }
    S::template inverse<S::LAST>(v, q, a.twiddles);
}

/// The factors of a mode of a SIDES kernel, for the real part and for the imaginary part.
/// @param PAIRS  they may differ
template <bool PAIRS, class Real>
PSG_HD complex_t<Real> kspace_factors(const kspace_args<Real> &a,
                                      const kspace_column<Real, true> &c, int mode) {
    const Real ez = a.ez[mode], first = symbol_factor(c.exy, ez, a.lambda, a.scale);
    return {first, PAIRS ? symbol_factor(c.other, ez, a.lambda, a.scale) : first};
}

/// Frequency k of a SIDES kernel and its mirror, N - k or N - 1 - k, as the modes multiplied by
/// their factors leave them. The mode that r2r_modes_pair() makes of the mirror of a k that is
/// alone is 0.
template <int N, class Form, bool PAIRS, class Real>
PSG_HD void kspace_pair(int k, complex_t<Real> &low, complex_t<Real> &high,
                        const kspace_args<Real> &a, const kspace_column<Real, true> &c) {
    using Complex = complex_t<Real>;
    constexpr bool TWISTED = Form::TWISTED;
    const Complex w = TWISTED ? a.z.factors[k] : Complex{1, 0};
    const Complex d = kspace_factors<PAIRS>(a, c, r2r_mode<N>(a.z, k));
    const Complex e =
        TWISTED ? kspace_factors<PAIRS>(a, c, r2r_mode<N>(a.z, Form::mirror(N, k))) : d;
    r2r_modes_pair<TWISTED>(low, high, w);
    low = {d.x * low.x, d.y * low.y};
    high = {e.x * high.x, e.y * high.y};
    r2r_frequencies_pair<TWISTED>(low, high, w);
}

/// The modes of a SIDES kernel multiplied by their factors: v[e] is F[k] before and after it, k =
/// place_frequency(q, e); see r2r_each().
template <class S, bool PAIRS>
PSG_HD void kspace_sides(typename S::Complex *v, typename S::Member q, int col,
                         const typename S::Complex *buf, const kspace_args<typename S::Real> &a,
                         const kspace_column<typename S::Real, true> &c) {
    using Complex = typename S::Complex;
    using Real = typename S::Real;
    r2r_switch(a.z.kind, [&](auto form) {
        using Form = decltype(form);
        // C[0]; of kind `four`, which has no mode 0, a number that is finite if all points are
        if (q == 0 && c.first && a.mode0)
            a.mode0[c.sheet] = Real(Form::TWISTED ? 2 : 1) * v[0];
        r2r_each<S, Form>(v, q, col, buf, [&](int k, Complex &low, Complex &high) {
            kspace_pair<S::N, Form, PAIRS>(k, low, high, a, c);
        });
    });
}

/// Calls move(e, number) for the numbers of a column that a thread owns in pass 0: number e is in
/// plane place<0>(q, e). Looks up several planes before it moves the first, as loads that follow a
/// move would wait for it.
template <class S, bool SIDES, class Move>
PSG_HD void kspace_each(typename S::Member q, const kspace_args<typename S::Real> &a,
                        const kspace_column<typename S::Real, SIDES> &c, const kspace_place &in,
                        Move move) {
    constexpr int GROUP = S::E % 8 == 0 ? 8 : S::E % 5 == 0 ? 5 : 1;
    const auto z = [&](int e) {
        if constexpr (SIDES)
            return r2r_point<S>(a.z, q, e);
        else
            return S::template place<0>(q, e);
    };
    if (in.planes) {
        PSG_UNROLL
        for (int first = 0; first < S::E; first += GROUP) {
            int64_t plane[GROUP];
            PSG_UNROLL
            for (int i = 0; i < GROUP; i++)
                plane[i] = in.planes[z(first + i)];
            PSG_UNROLL
            for (int i = 0; i < GROUP; i++)
                move(first + i, c.base(a) + (plane[i] + c.index));
        }
    } else if constexpr (SIDES) {
        typename S::Complex *from[2];
        int64_t step[2];
        PSG_UNROLL
        for (int h = 0; h < 2; h++) {
            step[h] = a.z.step(h) * (int64_t)in.pitch;
            from[h] = c.base(a) + (in.first + c.index) + a.z.from(S::N, h) * (int64_t)in.pitch;
        }
        PSG_UNROLL
        for (int e = 0; e < S::E; e++) {
            const int h = r2r_half<S>(e);
            move(e, from[h] + S::template place<0>(q, e) * step[h]);
        }
    } else {
        typename S::Complex *from = c.base(a) + (in.first + c.index) + (size_t)q * in.pitch;
        PSG_UNROLL
        for (int e = 0; e < S::E; e++)
            move(e, from + (size_t)S::template place<0>(0, e) * in.pitch);
    }
}

/// Between registers and the planes, as pass 0 owns the points: v[e] is plane place<0>(q, e).
template <class S, bool SIDES = false>
PSG_HD void kspace_load(typename S::Complex *v, typename S::Member q,
                        const kspace_args<typename S::Real> &a,
                        const kspace_column<typename S::Real, SIDES> &c) {
    using Complex = typename S::Complex;
    if (c.valid) {
        kspace_each<S, SIDES>(q, a, c, a.band[c.band].from,
                              [&](int e, const Complex *from) { v[e] = load_neighbours(from); });
    } else {
        PSG_UNROLL
        for (int e = 0; e < S::E; e++)
            v[e] = Complex{0, 0};
    }
}

template <class S, bool SIDES = false>
PSG_HD void kspace_store(const typename S::Complex *v, typename S::Member q,
                         const kspace_args<typename S::Real> &a,
                         const kspace_column<typename S::Real, SIDES> &c) {
    if (!c.valid)
        return;
    report_nonfinite(v[0], c.nonfinite(a)); // the inverse has put it into all points of the column
    kspace_each<S, SIDES>(q, a, c, a.band[c.band].to,
                          [&](int e, typename S::Complex *to) { *to = v[e]; });
}

/// As kspace_load(), but to the exchange buffer, where only this thread reads them.
template <class S, bool SIDES = false>
PSG_HD void kspace_fetch(typename S::Complex *buf, typename S::Member q, int col,
                         const kspace_args<typename S::Real> &a,
                         const kspace_column<typename S::Real, SIDES> &c) {
    using Complex = typename S::Complex;
    constexpr int R0 = S::radix(0);
    const auto place = [&](int e) {
        return buf + S::at(S::template row<0>(q, e / R0) + e % R0 * S::template row_step<0>(), col);
    };
    if (c.valid) {
        kspace_each<S, SIDES>(q, a, c, a.band[c.band].from,
                              [&](int e, const Complex *from) { fetch(place(e), from); });
    } else {
        PSG_UNROLL
        for (int e = 0; e < S::E; e++)
            *place(e) = Complex{0, 0};
    }
}

/// The odd modes of a FREE kernel: numbers times w before the transforms, and over w after them.
template <class S, bool BACK, class Column>
PSG_HD void kspace_twist(typename S::Complex *v, typename S::Member q,
                         const kspace_args<typename S::Real> &a, const Column &c) {
    PSG_UNROLL
    for (int e = 0; e < S::E && c.odd; e++) {
        const typename S::Complex w = a.z.factors[S::template place<0>(q, e)];
        v[e] = BACK ? mul_conj(v[e], w) : v[e] * w;
    }
}

/// Beside a wall a thread leaves the charge and the moment of its points where its first two are in
/// the buffer, if the column has them; and one thread of the column finds their sums.
template <class S> PSG_HD int kspace_slot(typename S::Member q, int col, int e) {
    return S::at(S::template row<0>(q, 0) + e * S::template row_step<0>(), col);
}
template <class S, class Column>
PSG_HD void kspace_leave_moment(const typename S::Complex *v, typename S::Member q, int col,
                                typename S::Complex *buf, const kspace_args<typename S::Real> &a,
                                const Column &c) {
    using Real = typename S::Real;
    if (!c.has_moment(a))
        return;
    typename S::Complex charge = {Real(0), Real(0)}, moment = charge;
    PSG_UNROLL
    for (int e = 0; e < S::E; e++) {
        const uint32_t k = kspace_from_wall(a, (uint32_t)S::template place<0>(q, e));
        charge = charge + v[e];
        moment = moment + (Real(k) + Real(0.5)) * v[e];
    }
    buf[kspace_slot<S>(q, col, 0)] = charge;
    buf[kspace_slot<S>(q, col, 1)] = moment;
}
template <class S, class Column>
PSG_HD void kspace_take_moment(typename S::Member q, int col, const typename S::Complex *buf,
                               const kspace_args<typename S::Real> &a, const Column &c,
                               kspace_free_room<typename S::Real> &room) {
    for (int other = 0; other < S::T && q == 0 && c.has_moment(a); other++) {
        room.charge[col] = room.charge[col] + buf[kspace_slot<S>(other, col, 0)];
        room.moment[col] = room.moment[col] + buf[kspace_slot<S>(other, col, 1)];
    }
}

/// Of a FREE kernel: v[e / 2] is the number that this thread stores, of every two the first one if
/// it has the even modes, else the second one. swap(e, v): gives v to the neighbour, for what that
/// one gives
template <class S, class Column, class Swap>
PSG_HD void kspace_halve(typename S::Complex *v, const Column &c, Swap swap) {
    static_assert(S::E % 2 == 0 && S::radix(0) % 2 == 0 && S::COLUMNS % 2 == 0, "");
    PSG_UNROLL
    for (int e = 0; e < S::E; e += 2) {
        const typename S::Complex kept = c.odd ? v[e + 1] : v[e], given = c.odd ? v[e] : v[e + 1];
        v[e / 2] = kept + swap(e, given);
    }
}
/// Beside a wall: the thread that has the number at the wall tells it; and all add u of the image.
template <class S, class Column>
PSG_HD void kspace_tell_first(const typename S::Complex *v, typename S::Member q, int col,
                              const kspace_args<typename S::Real> &a, const Column &c,
                              kspace_free_room<typename S::Real> &room) {
    if (a.free.upper ? q == S::T - 1 && c.odd : q == 0 && !c.odd)
        room.first[col / 2] = a.free.upper ? v[S::E / 2 - 1] : v[0];
}
template <class S, class Column>
PSG_HD void kspace_add_image(typename S::Complex *v, typename S::Member q, int col,
                             const kspace_args<typename S::Real> &a, const Column &c,
                             const kspace_free_room<typename S::Real> &room) {
    const kspace_free_image<typename S::Real> image(a, room, (uint32_t)(col / 2 * 2),
                                                    room.first[col / 2]);
    PSG_UNROLL
    for (int e = 0; e < S::E; e += 2) {
        const uint32_t z = (uint32_t)(S::template place<0>(q, e) + (c.odd ? S::stride(0) : 0));
        v[e / 2] = v[e / 2] + image.template at<false>(kspace_from_wall(a, z));
    }
}

template <class S, class Column>
PSG_HD void kspace_store_half(const typename S::Complex *v, typename S::Member q,
                              const kspace_args<typename S::Real> &a, const Column &c) {
    if (!c.valid)
        return;
    report_nonfinite(v[0], c.nonfinite(a));
    kspace_each<S, false>(q + (c.odd ? S::stride(0) : 0), a, c, a.band[c.band].to,
                          [&](int e, typename S::Complex *to) {
                              if (e % 2 == 0)
                                  *to = v[e / 2];
                          });
}

/// Bytes of shared memory: what the columns exchange, and the room of FREE ones.
template <class S, class Column> constexpr size_t kspace_fixed_bytes() {
    return S::shared_bytes + (Column::FREE ? sizeof(kspace_free_room<typename S::Real>) : 0);
}

/// The swap of neighbours in a warp, all threads of which come here.
struct kspace_swap {
    template <class Real> PSG_HD complex_t<Real> operator()(int, complex_t<Real> v) const {
#if defined(__CUDA_ARCH__)
        return {__shfl_xor_sync(0xffffffff, v.x, 1), __shfl_xor_sync(0xffffffff, v.y, 1)};
#else
        return v;
#endif
    }
};

#if defined(__CUDACC__)

/// What a FREE kernel does before the transforms of a tile.
template <class S, class Column>
__device__ __forceinline__ void
kspace_enter_free(typename S::Complex *v, typename S::Member q, int col, typename S::Complex *buf,
                  const kspace_args<typename S::Real> &a, const Column &c,
                  kspace_free_room<typename S::Real> &room) {
    if (q == 0)
        c.begin(a, (uint32_t)col, room);
    if (a.free.wall != 0) {
        kspace_leave_moment<S>(v, q, col, buf, a, c);
        __syncthreads();
        kspace_take_moment<S>(q, col, buf, a, c, room);
        __syncthreads();
    }
    kspace_twist<S, false>(v, q, a, c);
}

/// And after them.
template <class S, bool AHEAD, class Column>
__device__ __forceinline__ void kspace_leave_free(typename S::Complex *v, typename S::Member q,
                                                  int col, const kspace_args<typename S::Real> &a,
                                                  const Column &c,
                                                  kspace_free_room<typename S::Real> &room) {
    kspace_twist<S, true>(v, q, a, c);
    kspace_halve<S>(v, c, kspace_swap());
    if (a.free.wall != 0) {
        kspace_tell_first<S>(v, q, col, a, c, room);
        __syncthreads();
        kspace_add_image<S>(v, q, col, a, c, room);
        if (AHEAD)
            __syncthreads(); // the next tile begins by writing the room
    }
    kspace_store_half<S>(v, q, a, c);
}

/// Grid: x any if AHEAD: while a tile is transformed back and stored, the block's next one is on
/// its way to shared memory; else tiles; y: sheets. Block: S::BLOCK; shared memory:
/// kspace_fixed_bytes().
template <class S, int BLOCKS, bool AHEAD, class Column>
__global__ void __launch_bounds__(S::BLOCK, BLOCKS)
    kspace_fixed(const __grid_constant__ kspace_args<typename S::Real> a) {
    using Complex = typename S::Complex;
    constexpr bool SIDES = !Column::FREE && Column::SIDED;
    extern __shared__ __align__(16) unsigned char kspace_shared[];
    Complex *buf = reinterpret_cast<Complex *>(kspace_shared);
    [[maybe_unused]] auto &room =
        *reinterpret_cast<kspace_free_room<typename S::Real> *>(buf + S::ROWS * S::COLUMNS);
    const int col = S::column((int)threadIdx.x);
    const auto q = S::member((int)threadIdx.x, SIDES && a.z.reflected());
    wait_for_the_one_before();
    if (AHEAD && blockIdx.x < a.tiles)
        kspace_fetch<S, SIDES>(buf, q, col, a, Column(a, blockIdx.x, S::COLUMNS, col, blockIdx.y));
    for (uint32_t tile = blockIdx.x; tile < a.tiles; tile += gridDim.x) {
        Column c(a, tile, S::COLUMNS, col, blockIdx.y);
        Complex v[S::ROOM];
        if (AHEAD) {
            fetched();
            S::template from_shared<0>(v, q, col, buf);
        } else {
            kspace_load<S, SIDES>(v, q, a, c);
        }
        if (SIDES)
            r2r_begin<S>(v, q, a.z);
        if constexpr (Column::FREE) {
            kspace_enter_free<S>(v, q, col, buf, a, c, room);
        }
        S::template forward<0>(v, q, a.twiddles);
        exchange<S, 0, 1>(v, q, col, buf);
        if constexpr (S::PASSES == 3) {
            S::template forward<1>(v, q, a.twiddles);
            exchange<S, 1, 2>(v, q, col, buf);
        }
        if constexpr (SIDES) {
            S::template forward<S::LAST>(v, q, a.twiddles);
            if (!S::MIRRORED) {
                __syncthreads();
                r2r_put<S>(v, q, col, buf);
                __syncthreads();
            }
            if (a.pairs)
                kspace_sides<S, true>(v, q, col, buf, a, c);
            else
                kspace_sides<S, false>(v, q, col, buf, a, c);
            if (!S::MIRRORED)
                __syncthreads();
            S::template inverse<S::LAST>(v, q, a.twiddles);
        } else {
            if constexpr (Column::FREE)
                c.part = room.part[col];
            kspace_turn<S>(v, q, a, c);
        }
        if constexpr (S::PASSES == 3) {
            exchange<S, 2, 1>(v, q, col, buf);
            S::template inverse<1>(v, q, a.twiddles);
        }
        exchange<S, 1, 0>(v, q, col, buf);
        const uint32_t next = tile + gridDim.x;
        if (AHEAD && next < a.tiles) {
            __syncthreads();
            kspace_fetch<S, SIDES>(buf, q, col, a, Column(a, next, S::COLUMNS, col, blockIdx.y));
        }
        S::template inverse<0>(v, q, a.twiddles);
        if (SIDES)
            r2r_end<S>(v, q, a.z);
        if constexpr (Column::FREE) {
            kspace_leave_free<S, AHEAD>(v, q, col, a, c, room);
        } else {
            kspace_store<S, SIDES>(v, q, a, c);
        }
        if (!AHEAD)
            return;
    }
}

#endif

} // namespace psg_cuda
#endif
