// The 2-D transforms of planes of a size known at compile time, x and y in one kernel.
//
//   forward   f [plane][ny][nx] --lines--> ring [plane][strip][ny][width] --columns--> blocks
//   inverse   blocks --columns--> ring --lines--> u
//
// Between the two steps a plane is kept where it costs no memory traffic: memory is read once and
// written once. A line item is ROWS rows of a plane along x, a column item one strip of its
// spectrum, WIDTH numbers of x, along y. A small plane fits into the shared memory of a block, which
// takes one plane after the other. A larger one is in a ring of planes that stays in the
// second-level cache: blocks take items from one sequence, in rounds: of round r the first step of
// plane r and the second of plane r - lag, mixed. An item waits until the other step has left it
// what it needs; that comes before it in the sequence, so somebody works on it, and whichever
// blocks are running, the earliest unfinished item goes on.
//
// Along x a line of nx reals is transformed as M = nx / 2 complex numbers z[n] = f[2n] + i f[2n+1]:
// with E = (Z[k] + conj Z[M-k]) / 2 and O = -i (Z[k] - conj Z[M-k]) / 2 the spectrum of f is
// E + w^k O, w = exp(-2 pi i / nx), k = 0 .. M. The inverse, unscaled, is that of
// (X[k] + conj X[M-k]) + i w^-k (X[k] - conj X[M-k]).
//
// The kernels of a dense field have its pitches as constants, and load and store two reals at once.
// STRIDED kernels take any pitches, and rows that are aligned to a real alone. They are kernels of
// their own, since one kernel for both would spill registers where the field is dense.
#ifndef PSG_KERNELS_XY_FIXED_CUH
#define PSG_KERNELS_XY_FIXED_CUH

#include "kernels/columns.cuh"
#include "kernels/xy_entry.cuh"

namespace psg_cuda {

constexpr uint32_t xy_max_parts = 64; // the parameters of the kernel stay below 4 KB

/// The rows y0[p] .. y0[p+1]-1 of every plane, in strips: plane k begins at base + k pitch.
template <class Real> struct xy_part {
    complex_t<Real> *base;
    size_t pitch;
    uint32_t y0, rows;
};

template <class Real> struct xy_args {
    Real *field;           // [planes][ny][nx], dense if the kernel is not STRIDED
    complex_t<Real> *ring; // [slots][plane]
    uint32_t *ticket;      // next item; then what is done of each plane: [2][planes], all 0
    // Twiddles of lines [M] and columns [ny], and exp(-2 pi i k / nx) [M / 2].
    const complex_t<Real> *tables;
    uint32_t planes, slots, lag, parts;
    xy_part<Real> part[xy_max_parts];
    size_t plane_pitch; // of the field, in reals; read by STRIDED kernels alone
    uint32_t row_pitch;
};

template <xy_keep KEEP, class Lines_, class Columns_> struct xy_shape {
    using Lines = Lines_;
    using Columns = Columns_;
    using Real = typename Lines::Real;
    using Complex = complex_t<Real>;
    static constexpr int M = Lines::N, NX = 2 * M, NXC = M + 1, NY = Columns::N;
    static constexpr int ROWS = Lines::COLUMNS, WIDTH = Columns::COLUMNS;
    static constexpr int BLOCK = Lines::BLOCK;
    static constexpr bool WHOLE = KEEP == xy_keep::whole;
    static constexpr int STRIPS = (NXC + WIDTH - 1) / WIDTH, LINES = NY / ROWS; // items of a plane
    static constexpr int ITEMS = STRIPS + LINES;
    static constexpr int LINE = 128 / sizeof(Complex); // numbers in a cache line
    static constexpr size_t PLANE = ((size_t)NY * NXC + LINE - 1) / LINE * LINE;
    // What neighbouring threads have of a row: a cache line, or a part of one.
    static constexpr int piece(int most) {
        return M / 2 % most == 0 ? most : piece(most / 2);
    }
    static constexpr int PIECE = piece(LINE);
    static constexpr size_t most(size_t a, size_t b) {
        return a > b ? a : b;
    }
    // Shared memory: the exchange buffer, then the twiddles of lines and columns, and the roots;
    // and a plane.
    static constexpr size_t BUFFER =
        most((size_t)M * ROWS, most(Lines::shared_bytes, Columns::shared_bytes) / sizeof(Complex));
    static constexpr size_t TABLES = (size_t)M + NY + M / 2;
    static constexpr size_t shared_bytes =
        (BUFFER + TABLES + (WHOLE ? PLANE : 0)) * sizeof(Complex);
    static_assert(Lines::BLOCK == Columns::BLOCK && NY % ROWS == 0 && M % 2 == 0 &&
                      M / 2 * ROWS % BLOCK == 0,
                  "");
    static_assert(BLOCK >= 32, "a whole warp looks around, see xy_scout()");
    // What is forgotten of a ring is whole cache lines.
    static_assert(WHOLE ||
                      (PLANE % LINE == 0 && WIDTH * NY % LINE == 0 && ROWS * WIDTH % LINE == 0),
                  "");

    /// A number of a plane between the two steps, which another block may have left there.
    static PSG_HD Complex kept(const Complex *at) {
        return WHOLE ? *at : load_shared_cache(at);
    }
    static PSG_HD int width(int strip) {
        return strip < NXC / WIDTH ? WIDTH : NXC % WIDTH;
    }
    /// Where number m of a row stands in a plane of the ring.
    static PSG_HD size_t in_strips(int m, int row) {
        const int strip = m / WIDTH;
        return (size_t)strip * WIDTH * NY + row * width(strip) + m % WIDTH;
    }
    /// The number of kx = M - k, for k < M / 2; those of kx < M / 2 are kx. See psg_cuda_columns:
    /// so pairs k, M - k of neighbouring k are neighbours in both.
    static PSG_HD int mirrored(int k) {
        return M / 2 + k;
    }
    /// Pair `i` of the M / 2 * ROWS pairs k, M - k of a line item: neighbouring threads have a cache
    /// line of k, and a warp some rows of them, which in a strip are neighbours.
    static PSG_HD void pair(int i, int *k, int *row) {
        *k = i % PIECE + i / (PIECE * ROWS) * PIECE;
        *row = i / PIECE % ROWS;
    }

    /// Rows y .. y+ROWS-1 of a plane, as pass 0 owns them: two reals are one complex number.
    static PSG_HD void load_lines(Complex *v, int q, int row, const Real *plane, int y) {
        const Complex *from = reinterpret_cast<const Complex *>(plane + (size_t)(y + row) * NX);
        PSG_UNROLL
        for (int e = 0; e < Lines::E; e++)
            v[e] = load_streaming(from + Lines::template place<0>(q, e));
    }
    static PSG_HD void store_lines(const Complex *v, int q, int row, Real *plane, int y) {
        Complex *to = reinterpret_cast<Complex *>(plane + (size_t)(y + row) * NX);
        PSG_UNROLL
        for (int e = 0; e < Lines::E; e++)
            store_streaming(to + Lines::template place<0>(q, e), v[e]);
    }
    /// One row of a field with pitches. Of a row that is not aligned to a complex number each real is loaded on its
    /// own: the second load finds in the first-level cache what the first one brought.
    static PSG_HD bool shifted(const Real *line) {
        return reinterpret_cast<uintptr_t>(line) % sizeof(Complex) != 0;
    }
    static PSG_HD void load_row(Complex *v, int q, const Real *line) {
        const bool apart = shifted(line);
        PSG_UNROLL
        for (int e = 0; e < Lines::E; e++) {
            const Real *from = line + 2 * Lines::template place<0>(q, e);
            if (apart)
                v[e] = {load_streaming_real(from), load_streaming_real(from + 1)};
            else
                v[e] = load_streaming(reinterpret_cast<const Complex *>(from));
        }
    }
    /// No cache collects stores before the second level, where half of the reals of a sector cost as much as all. A
    /// thread of a shifted row stores the aligned pair of its left neighbour's y and its own x. The first thread
    /// of a row in a warp has no such neighbour and stores x alone, and the last one also stores its y.
    /// @param left  left(e): v[e].y of the thread before; all threads of a warp call it together
    template <class Left>
    static PSG_HD void store_row(const Complex *v, int q, int thread, Real *line, Left left) {
        const bool apart = shifted(line), first = q == 0 || thread % 32 == 0;
        const bool last = q == Lines::T - 1 || thread % 32 == 31;
        PSG_UNROLL
        for (int e = 0; e < Lines::E; e++) {
            const Real before = left(e);
            Real *to = line + 2 * Lines::template place<0>(q, e);
            if (!apart)
                store_streaming(reinterpret_cast<Complex *>(to), v[e]);
            else if (!first)
                store_streaming(reinterpret_cast<Complex *>(to - 1), Complex{before, v[e].x});
            else
                store_streaming_real(to, v[e].x);
            if (apart && last)
                store_streaming_real(to + 1, v[e].y);
        }
    }
    /// Between registers, as the last pass owns them, and shared memory [ROWS][M] in the order of
    /// the frequencies.
    static PSG_HD void put_frequencies(const Complex *v, int q, int row, Complex *buf) {
        PSG_UNROLL
        for (int e = 0; e < Lines::E; e++)
            buf[row * M + Lines::place_frequency(q, e)] = v[e];
    }
    static PSG_HD void take_frequencies(Complex *v, int q, int row, const Complex *buf) {
        PSG_UNROLL
        for (int e = 0; e < Lines::E; e++)
            v[e] = buf[row * M + Lines::place_frequency(q, e)];
    }
    /// Z in shared memory to X in the ring. X[k] = E + w^k O and X[M-k] = conj(E - w^k O).
    static PSG_HD void put_spectrum(Complex *plane, int y, int thread, const Complex *buf,
                                    const Complex *roots) {
        const Real half = Real(0.5);
        PSG_UNROLL_2
        for (int i = 0; i < M / 2 * ROWS / BLOCK; i++) {
            int k, row;
            pair(i * BLOCK + thread, &k, &row);
            const Complex a = buf[row * M + k], b = buf[row * M + (k == 0 ? 0 : M - k)];
            const Complex even = {half * (a.x + b.x), half * (a.y - b.y)};
            const Complex odd = roots[k] * Complex{half * (a.y + b.y), half * (b.x - a.x)};
            plane[in_strips(k, y + row)] = even + odd;
            plane[in_strips(mirrored(k), y + row)] = {even.x - odd.x, odd.y - even.y};
        }
        if (thread < ROWS) {
            const Complex a = buf[thread * M + M / 2];
            plane[in_strips(M, y + thread)] = {a.x, -a.y};
        }
    }
    /// X in the ring to the numbers of the inverse in shared memory: with A = X[k] + conj X[M-k]
    /// and B = w^-k (X[k] - conj X[M-k]) they are A + i B at k and conj(A - i B) at M - k.
    static PSG_HD void take_spectrum(const Complex *plane, int y, int thread, Complex *buf,
                                     const Complex *roots) {
        constexpr int PAIRS = M / 2 * ROWS / BLOCK; // for all registers would not do
        constexpr int AT_ONCE = PAIRS % 4 == 0 ? 4 : PAIRS % 3 == 0 ? 3 : PAIRS % 5 == 0 ? 5 : 1;
        PSG_UNROLL_1
        for (int first = 0; first < PAIRS; first += AT_ONCE) {
            Complex v[2 * AT_ONCE];
            PSG_UNROLL
            for (int i = 0; i < AT_ONCE; i++) {
                int k, row;
                pair((first + i) * BLOCK + thread, &k, &row);
                v[2 * i] = kept(plane + in_strips(k, y + row));
                v[2 * i + 1] = kept(plane + in_strips(mirrored(k), y + row));
            }
            PSG_UNROLL
            for (int i = 0; i < AT_ONCE; i++) {
                int k, row;
                pair((first + i) * BLOCK + thread, &k, &row);
                const Complex x = v[2 * i], z = v[2 * i + 1];
                const Complex a = {x.x + z.x, x.y - z.y};
                const Complex b = mul_conj(Complex{x.x - z.x, x.y + z.y}, roots[k]);
                buf[row * M + k] = {a.x - b.y, a.y + b.x};
                if (k > 0)
                    buf[row * M + M - k] = {a.x + b.y, b.x - a.y};
            }
        }
        if (thread < ROWS) {
            const Complex x = kept(plane + in_strips(M, y + thread));
            buf[thread * M + M / 2] = {x.x + x.x, -(x.y + x.y)};
        }
    }

    /// The column of a strip that a thread works on: in a narrow one some work on the last
    /// together, and all do the same, so that no lanes of a warp part.
    static PSG_HD int column(int col, int strip) {
        const int w = width(strip);
        return col < w ? col : w - 1;
    }
    /// A strip of a plane in the ring, as pass 0 owns it.
    static PSG_HD void load_strip(Complex *v, int q, int col, const Complex *plane, int strip) {
        const int w = width(strip);
        const Complex *from = plane + (size_t)strip * WIDTH * NY + column(col, strip);
        PSG_UNROLL
        for (int e = 0; e < Columns::E; e++)
            v[e] = kept(from + Columns::template place<0>(q, e) * w);
    }
    static PSG_HD void store_strip(const Complex *v, int q, int col, Complex *plane, int strip) {
        const int w = width(strip);
        Complex *to = plane + (size_t)strip * WIDTH * NY + column(col, strip);
        PSG_UNROLL
        for (int e = 0; e < Columns::E; e++)
            to[Columns::template place<0>(q, e) * w] = v[e];
    }
    /// What has been read of the ring need not go to memory when it leaves the cache: a strip, and
    /// rows of a plane (but for the last strip, whose rows may share a cache line with others).
    static PSG_HD void forget_strip(Complex *plane, int strip, int thread) {
        Complex *at = plane + (size_t)strip * WIDTH * NY;
        for (int i = thread * LINE; i < width(strip) * NY; i += BLOCK * LINE)
            forget(at + i);
    }
    static PSG_HD void forget_rows(Complex *plane, int y, int thread) {
        constexpr int PIECES = ROWS * WIDTH / LINE;
        for (int i = thread; i < NXC / WIDTH * PIECES; i += BLOCK)
            forget(plane + ((size_t)(i / PIECES) * NY + y) * WIDTH + i % PIECES * LINE);
    }
    /// Where row 0 of a strip of a plane would stand in a part.
    static PSG_HD Complex *strip_in_part(const xy_part<Real> &p, uint32_t plane, int strip) {
        return p.base + plane * p.pitch + (size_t)strip * WIDTH * p.rows -
               (size_t)p.y0 * width(strip);
    }
    /// A strip in the blocks, as the last pass owns it. part_of: [NY] the part of each row;
    /// strips: [parts] as strip_in_part() has it.
    static PSG_HD void load_blocks(Complex *v, int q, int col, int strip, const uint8_t *part_of,
                                   Complex *const *strips) {
        const int w = width(strip), c = column(col, strip);
        PSG_UNROLL
        for (int e = 0; e < Columns::E; e++) {
            const int row = Columns::place_frequency(q, e);
            v[e] = load_streaming(strips[part_of[row]] + row * w + c);
        }
    }
    static PSG_HD void store_blocks(const Complex *v, int q, int col, int strip,
                                    const uint8_t *part_of, Complex *const *strips) {
        const int w = width(strip), c = column(col, strip);
        PSG_UNROLL
        for (int e = 0; e < Columns::E; e++) {
            const int row = Columns::place_frequency(q, e);
            store_streaming(strips[part_of[row]] + row * w + c, v[e]);
        }
    }
};

/// An item of the sequence.
struct xy_item {
    bool there;     // rounds at both ends have the items of one step only, those past the end none
    bool first;     // step
    uint32_t plane; // of the slab
    uint32_t index; // among the step's items of the plane
};

/// Item number t, of `firsts` and `seconds` items a plane.
PSG_HD xy_item xy_item_at(uint32_t t, uint32_t firsts, uint32_t seconds, uint32_t planes,
                          uint32_t lag) {
    const uint32_t items = firsts + seconds, round = t / items, i = t % items;
    const uint32_t before = i * firsts / items; // of the first step, in this round
    xy_item item;
    item.first = (i + 1) * firsts / items > before;
    item.index = item.first ? before : i - before;
    item.plane = item.first ? round : round - lag; // before round `lag` it is no plane either
    item.there = item.plane < planes;
    return item;
}

#if defined(__CUDACC__)

/// A counter that other blocks add to.
__device__ __forceinline__ uint32_t xy_counted(const uint32_t *counter) {
    uint32_t now;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(counter) : "memory");
    return now;
}

/// The block is done with an item: after a barrier, by one thread.
__device__ __forceinline__ void xy_done(uint32_t *counter) {
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
}

/// What a block knows of an item before it begins with it.
template <class X> struct xy_next {
    uint32_t ticket;
    bool ready; // nothing has to be waited for
    typename X::Complex *strips[xy_max_parts];
};

/// The counter that an item waits for, NULL: none, and what it waits for.
template <class X, bool FORWARD>
__device__ __forceinline__ const uint32_t *xy_awaited(const xy_args<typename X::Real> &a,
                                                      const xy_item &item, uint32_t *count) {
    constexpr uint32_t FIRSTS = FORWARD ? X::LINES : X::STRIPS, SECONDS = X::ITEMS - FIRSTS;
    *count = item.first ? SECONDS : FIRSTS;
    if (!item.there || (item.first && item.plane < a.slots))
        return nullptr;
    return a.ticket + 1 + (item.first ? a.planes + item.plane - a.slots : item.plane);
}

/// Wait until an item can begin that has something to wait for; the whole block.
template <class X, bool FORWARD>
__device__ __forceinline__ void xy_wait(const xy_args<typename X::Real> &a, const xy_item &item) {
    uint32_t count;
    const uint32_t *counter = xy_awaited<X, FORWARD>(a, item, &count);
    if (threadIdx.x == 0)
        while (xy_counted(counter) < count)
            __nanosleep(40);
    __syncthreads();
}

/// Take the next item and look around for it; one warp.
template <class X, bool FORWARD>
__device__ __forceinline__ void xy_scout(const xy_args<typename X::Real> &a, xy_next<X> *next) {
    constexpr uint32_t FIRSTS = FORWARD ? X::LINES : X::STRIPS;
    const uint32_t lane = threadIdx.x % 32;
    uint32_t ticket = 0;
    if (lane == 0)
        ticket = atomicAdd(a.ticket, 1u);
    ticket = __shfl_sync(0xffffffffu, ticket, 0);
    const xy_item item = xy_item_at(ticket, FIRSTS, X::ITEMS - FIRSTS, a.planes, a.lag);
    if (lane == 0) {
        uint32_t count;
        const uint32_t *counter = xy_awaited<X, FORWARD>(a, item, &count);
        next->ticket = ticket;
        next->ready = !counter || xy_counted(counter) >= count;
    }
    for (uint32_t p = lane; p < a.parts; p += 32)
        next->strips[p] = X::strip_in_part(a.part[p], item.plane, (int)item.index);
    __syncwarp();
}

/// What stays in shared memory: the tables, and the part of each row.
template <class X>
__device__ __forceinline__ void xy_begin(const xy_args<typename X::Real> &a,
                                         typename X::Complex *tables, uint8_t *part_of) {
    for (uint32_t i = threadIdx.x; i < X::TABLES; i += X::BLOCK)
        tables[i] = a.tables[i];
    for (uint32_t p = 0; p < a.parts; p++)
        for (uint32_t r = threadIdx.x; r < a.part[p].rows; r += X::BLOCK)
            part_of[a.part[p].y0 + r] = (uint8_t)p;
}

/// Store one row of a field with pitches; the whole block. The last warp of a block may have fewer than 32 threads.
template <class X>
__device__ __forceinline__ void xy_store_row(const typename X::Complex *v, int q, int thread,
                                             typename X::Real *line) {
    const uint32_t all = thread / 32 < X::BLOCK / 32 ? ~0u : (1u << X::BLOCK % 32) - 1;
    X::store_row(v, q, thread, line, [&](int e) { return __shfl_up_sync(all, v[e].y, 1); });
}

/// An item along x, and one along y; between(): as in columns_forward().
template <class X, bool FORWARD, bool STRIDED, class Between>
__device__ __forceinline__ void
xy_lines(const xy_args<typename X::Real> &a, const xy_item &item,
         const typename X::Complex *twiddles, const typename X::Complex *roots,
         typename X::Complex *plane, typename X::Complex *buf, Between between) {
    using Lines = typename X::Lines;
    const int thread = (int)threadIdx.x, row = Lines::column(thread), q = Lines::member(thread);
    const int y = (int)item.index * X::ROWS;
    typename X::Real *field =
        a.field + (STRIDED ? item.plane * a.plane_pitch + (size_t)(y + row) * a.row_pitch
                           : (size_t)item.plane * X::NY * X::NX);
    typename X::Complex v[Lines::ROOM];
    if (FORWARD) {
        if constexpr (STRIDED)
            X::load_row(v, q, field);
        else
            X::load_lines(v, q, row, field, y);
        columns_forward<Lines>(v, q, row, twiddles, buf, between);
        __syncthreads();
        X::put_frequencies(v, q, row, buf);
        __syncthreads();
        X::put_spectrum(plane, y, thread, buf, roots);
    } else {
        X::take_spectrum(plane, y, thread, buf, roots);
        __syncthreads();
        X::take_frequencies(v, q, row, buf);
        __syncthreads();
        columns_inverse<Lines>(v, q, row, twiddles, buf, between);
        if constexpr (STRIDED)
            xy_store_row<X>(v, q, thread, field);
        else
            X::store_lines(v, q, row, field, y);
        if (!X::WHOLE)
            X::forget_rows(plane, y, thread);
    }
}

template <class X, bool FORWARD, class Between>
__device__ __forceinline__ void
xy_strip(const xy_item &item, const uint8_t *part_of, typename X::Complex *const *strips,
         const typename X::Complex *twiddles, typename X::Complex *plane, typename X::Complex *buf,
         Between between) {
    using Columns = typename X::Columns;
    const int thread = (int)threadIdx.x, col = Columns::column(thread), q = Columns::member(thread);
    const int strip = (int)item.index;
    typename X::Complex v[Columns::ROOM];
    if (FORWARD) {
        X::load_strip(v, q, col, plane, strip);
        columns_forward<Columns>(v, q, col, twiddles, buf, between);
        X::store_blocks(v, q, col, strip, part_of, strips);
        if (!X::WHOLE)
            X::forget_strip(plane, strip, thread);
    } else {
        X::load_blocks(v, q, col, strip, part_of, strips);
        columns_inverse<Columns>(v, q, col, twiddles, buf, between);
        X::store_strip(v, q, col, plane, strip);
    }
}

/// Grid: any; block: X::BLOCK; shared memory: X::shared_bytes.
template <class X, bool FORWARD, bool STRIDED, int BLOCKS>
__global__ void __launch_bounds__(X::BLOCK, BLOCKS)
    xy_fixed(const __grid_constant__ xy_args<typename X::Real> a) {
    using Complex = typename X::Complex;
    extern __shared__ __align__(16) unsigned char xy_shared[];
    __shared__ uint8_t part_of[X::NY];
    __shared__ xy_next<X> next[2]; // in turns: one is read while the other is written
    Complex *const buf = reinterpret_cast<Complex *>(xy_shared);
    Complex *const line_twiddles = buf + X::BUFFER, *const column_twiddles = line_twiddles + X::M;
    Complex *const roots = column_twiddles + X::NY;
    constexpr uint32_t FIRSTS = FORWARD ? X::LINES : X::STRIPS;
    const uint32_t items = (a.planes + a.lag) * X::ITEMS;
    const int thread = (int)threadIdx.x;
    const bool scout = thread / 32 == X::BLOCK / 64;

    xy_begin<X>(a, line_twiddles, part_of);
    if (scout)
        xy_scout<X, FORWARD>(a, &next[1]);
    __syncthreads();
    for (int turn = 0;; turn ^= 1) {
        const xy_next<X> &now = next[turn ^ 1];
        const uint32_t t = now.ticket;
        if (t >= items)
            return;
        const xy_item item = xy_item_at(t, FIRSTS, X::ITEMS - FIRSTS, a.planes, a.lag);
        if (!now.ready)
            xy_wait<X, FORWARD>(a, item);
        const auto look_around = [&] {
            if (scout)
                xy_scout<X, FORWARD>(a, &next[turn]);
        };
        Complex *const plane = a.ring + item.plane % a.slots * X::PLANE;
        if (!item.there)
            look_around();
        else if (item.first == FORWARD)
            xy_lines<X, FORWARD, STRIDED>(a, item, line_twiddles, roots, plane, buf, look_around);
        else
            xy_strip<X, FORWARD>(item, part_of, now.strips, column_twiddles, plane, buf,
                                 look_around);
        __syncthreads(); // all has been read and written, and shared memory is free again
        if (thread == X::BLOCK - 1 && item.there)
            xy_done(a.ticket + 1 + (item.first ? 0 : a.planes) + item.plane);
    }
}

/// Planes that stay in shared memory between the two steps. Grid: any; block and shared memory as
/// above.
template <class X, bool FORWARD, bool STRIDED, int BLOCKS>
__global__ void __launch_bounds__(X::BLOCK, BLOCKS)
    xy_whole(const __grid_constant__ xy_args<typename X::Real> a) {
    using Complex = typename X::Complex;
    extern __shared__ __align__(16) unsigned char xy_shared[];
    __shared__ uint8_t part_of[X::NY];
    __shared__ Complex *strips[xy_max_parts];
    Complex *const buf = reinterpret_cast<Complex *>(xy_shared);
    Complex *const line_twiddles = buf + X::BUFFER, *const column_twiddles = line_twiddles + X::M;
    Complex *const roots = column_twiddles + X::NY, *const plane = line_twiddles + X::TABLES;
    const auto nothing = [] {};

    xy_begin<X>(a, line_twiddles, part_of);
    __syncthreads();
    const auto all_lines = [&](uint32_t k) {
        for (uint32_t i = 0; i < X::LINES; i++) {
            xy_lines<X, FORWARD, STRIDED>(a, {true, FORWARD, k, i}, line_twiddles, roots, plane,
                                          buf, nothing);
            __syncthreads();
        }
    };
    for (uint32_t k = blockIdx.x; k < a.planes; k += gridDim.x) {
        if (FORWARD)
            all_lines(k);
        for (uint32_t i = 0; i < X::STRIPS; i++) {
            for (uint32_t p = threadIdx.x; p < a.parts; p += X::BLOCK)
                strips[p] = X::strip_in_part(a.part[p], k, (int)i);
            __syncthreads();
            xy_strip<X, FORWARD>({true, !FORWARD, k, i}, part_of, strips, column_twiddles, plane,
                                 buf, nothing);
            __syncthreads();
        }
        if (!FORWARD)
            all_lines(k);
    }
}

/// The kernel of a shape, and what it has in shared memory besides X::shared_bytes, at most.
template <class X, bool FORWARD, bool STRIDED, int BLOCKS> const void *xy_kernel() {
    if constexpr (X::WHOLE)
        return reinterpret_cast<const void *>(xy_whole<X, FORWARD, STRIDED, BLOCKS>);
    else
        return reinterpret_cast<const void *>(xy_fixed<X, FORWARD, STRIDED, BLOCKS>);
}
template <class X> constexpr size_t xy_static_bytes() {
    return X::NY + 64 +
           (X::WHOLE ? xy_max_parts * sizeof(typename X::Complex *) : 2 * sizeof(xy_next<X>));
}

/// The line of the table for a shape.
template <class X, bool STRIDED, int BLOCKS> xy_entry xy_line() {
    using L = typename X::Lines;
    using C = typename X::Columns;
    xy_entry e = {X::NX,
                  X::NY,
                  X::WIDTH,
                  X::ITEMS,
                  X::BLOCK,
                  {1, 1, 1},
                  {1, 1, 1},
                  X::shared_bytes,
                  xy_static_bytes<X>(),
                  X::WHOLE,
                  xy_kernel<X, true, STRIDED, BLOCKS>(),
                  xy_kernel<X, false, STRIDED, BLOCKS>()};
    for (int p = 0; p < L::PASSES; p++)
        e.line_radix[p] = (uint32_t)L::radix(p);
    for (int p = 0; p < C::PASSES; p++)
        e.column_radix[p] = (uint32_t)C::radix(p);
    return e;
}

#endif

} // namespace psg_cuda
#endif
