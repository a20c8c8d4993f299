// What a thread does in the 2-D transforms of planes of a size known at compile time, between any
// two barriers. The kernels are in xy_fixed.cuh.
//
// Along x a line of nx reals is transformed as M = nx / 2 complex numbers z[n] = f[2n] + i f[2n+1]:
// with E = (Z[k] + conj Z[M-k]) / 2 and O = -i (Z[k] - conj Z[M-k]) / 2 the spectrum of f is
// E + w^k O, w = exp(-2 pi i / nx), k = 0 .. M. The inverse, unscaled, is that of
// (X[k] + conj X[M-k]) + i w^-k (X[k] - conj X[M-k]).
#ifndef PSG_KERNELS_XY_SHAPE_CUH
#define PSG_KERNELS_XY_SHAPE_CUH

#include "kernels/columns.cuh"
#include "kernels/r2r_fused.cuh"
#include "kernels/xy_entry.cuh"

namespace psg_cuda {

constexpr uint32_t xy_max_parts = 64; // the parameters of the kernel stay below 4 KB
constexpr uint32_t xy_max_fields = 3;

/// The rows y0[p] .. y0[p+1]-1 of every plane, in strips: plane k begins at base + k pitch.
template <class Real> struct xy_part {
    complex_t<Real> *base;
    size_t pitch;
    uint32_t y0, rows;
};

/// By what number m of a row is multiplied before it is transformed back along x.
template <class Real> struct xy_derivative {
    bool there; // else by nothing
    complex_t<Real> scale;
    const complex_t<Real> *kx; // null: 1
    PSG_HD complex_t<Real> operator()(int m, complex_t<Real> v) const {
        return (kx ? scale * kx[m] : scale) * v;
    }
};
struct xy_no_derivative {
    static constexpr bool there = false;
    template <class Complex> PSG_HD Complex operator()(int, Complex v) const {
        return v;
    }
};

/// A field [planes][ny][nx], dense for the dense kernels, which do not read the pitches.
template <class Real> struct xy_field {
    Real *base;
    size_t plane_pitch; // in reals
    uint32_t row_pitch;
    bool shifted;           // some rows are aligned to a real alone
    xy_derivative<Real> by; // read by STRIDED kernels alone
};

/// Fields that share the transform along y on the way back: the rows of the parts are multiplied by
/// ky once for all of them.
template <class Real> struct xy_family {
    const complex_t<Real> *ky; // null: 1
    uint32_t first, end;
};

/// What blocks count: the items that were taken, the blocks that have ended, and for each place of
/// the ring the items of the first and of the second step that are done, of all planes that were
/// there.
enum : uint32_t { xy_taken = 0, xy_ended, xy_done_first };
PSG_HD constexpr uint32_t xy_counters(uint32_t slots) {
    return xy_done_first + 2 * slots;
}

/// The transform along x of a SIDES kernel. The place of point 2n (h = 0) or 2n + 1 is from[h] +
/// step[h] n.
template <class Real> struct xy_x_step {
    r2r_kind kind = r2r_kind::none;
    bool odd = false;                         // a sine transform
    const complex_t<Real> *factors = nullptr; // see xy_factors()
    int from[2] = {0, 0}, step[2] = {1, 1};
};

template <class Real> struct xy_args {
    xy_field<Real> field[xy_max_fields]; // by family
    // STRIDED kernels make several fields on the way back, and read this. The others have the first
    // field alone.
    xy_family<Real> family[xy_max_fields];
    uint32_t families;
    complex_t<Real> *ring; // [slots][plane]
    uint32_t *counters;    // xy_counters(slots), all 0 before and after
    // Twiddles of lines [M] and columns [ny], and xy_factors(), of which kernels copy the first M /
    // 2.
    const complex_t<Real> *tables;
    uint32_t planes; // of all families
    uint32_t slots, lag, parts;
    uint32_t slots_magic; // divides by slots
    xy_part<Real> part[xy_max_parts];
    // Read by PADDED kernels alone: reals of a row of the field, and rows of a plane.
    int points, rows;
    // Read by SIDES kernels alone: numbers in a row of the spectrum, M with a real-to-real
    // transform along x, else M + 1.
    uint32_t nxc;
    xy_x_step<Real> x;
    r2r_step<Real> y;
};

template <xy_keep KEEP, class Lines_, class Columns_> struct xy_shape {
    using Lines = Lines_;
    using Columns = Columns_;
    using Real = typename Lines::Real;
    using Complex = complex_t<Real>;
    using Member = typename Columns::Member;
    using Step = r2r_step<Real>;
    static constexpr int M = Lines::N, NX = 2 * M, NXC = M + 1, NY = Columns::N;
    static constexpr int ROWS = Lines::COLUMNS, WIDTH = Columns::COLUMNS;
    static constexpr int BLOCK = Lines::BLOCK;
    /// From one row of a line item to the next in the exchange buffer.
    static constexpr int PITCH = Lines::ROWS;
    static constexpr bool WHOLE = KEEP == xy_keep::whole;
    /// Items of a plane: lines, and strips. A SIDES kernel may have one strip less.
    static PSG_HD constexpr int strips(int nxc) {
        return (nxc + WIDTH - 1) / WIDTH;
    }
    static constexpr int STRIPS = (NXC + WIDTH - 1) / WIDTH, LINES = NY / ROWS;
    static constexpr int ITEMS = STRIPS + LINES;
    static constexpr int LINE = 128 / sizeof(Complex); // numbers in a cache line
    static constexpr size_t PLANE = ((size_t)NY * NXC + LINE - 1) / LINE * LINE;
    /// Pairs of frequencies k, M - k of a row that a thread has, and how many it reads before it
    /// uses the first. 15 at once would spill registers, so they come in fives.
    static constexpr int PAIRS = Lines::E / 2, AT_ONCE = PAIRS == 15 ? 5 : PAIRS;
    /// How many rows of a line item a warp has to itself; 0 if warps share rows, or if these rows
    /// are no whole cache lines of a strip.
    static PSG_HD constexpr int warp_rows() {
        return Lines::IN_WARP && 32 / Lines::T * WIDTH % LINE == 0 ? 32 / Lines::T : 0;
    }
    static constexpr size_t most(size_t a, size_t b) {
        return a > b ? a : b;
    }
    // Shared memory: the exchange buffer, then the twiddles of lines and columns, and the roots, or
    // the first factors along x; and a plane.
    static constexpr size_t BUFFER =
        most(Lines::shared_bytes, Columns::shared_bytes) / sizeof(Complex);
    static constexpr size_t TABLES = (size_t)M + NY + M / 2;
    static constexpr size_t shared_bytes =
        (BUFFER + TABLES + (WHOLE ? PLANE : 0)) * sizeof(Complex);
    static_assert(Lines::BLOCK == Columns::BLOCK && NY % ROWS == 0 && ROWS % 2 == 0 && M % 2 == 0 &&
                      Lines::E % 2 == 0 && WIDTH <= NXC,
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
    static PSG_HD int width(int strip, int nxc = NXC) {
        return strip < nxc / WIDTH ? WIDTH : nxc % WIDTH;
    }
    /// Where number m of a row stands in a plane of the ring. Rows are in the places of the
    /// transform along y.
    static PSG_HD size_t in_strips(int m, int row, int nxc = NXC) {
        const int strip = m / WIDTH;
        return (size_t)strip * WIDTH * NY + row * width(strip, nxc) + m % WIDTH;
    }
    /// The number of kx = M - k, for k < M / 2; those of kx < M / 2 are kx. See psg_cuda_columns:
    /// so pairs k, M - k of neighbouring k are neighbours in both.
    static PSG_HD int mirrored(int k) {
        return M / 2 + k;
    }
    /// in_strips() of number k = q + T i, i < PAIRS, or of mirrored(k) if `half` is 1. Where WIDTH
    /// divides T, M and M / 2, the distance from the place of number q is known to the compiler.
    static PSG_HD int in_ring(int q, int i, int half, int row, int nxc = NXC) {
        const int m = q + Lines::T * i + M / 2 * half;
        const auto full = [row](int n) { return (n / WIDTH * NY + row) * WIDTH + n % WIDTH; };
        if (M % WIDTH != 0)
            return (int)in_strips(m, row, nxc);
        return Lines::T % WIDTH == 0 && M / 2 % WIDTH == 0 ? full(q) + (m - q) * NY : full(m);
    }
    /// Which row of an item the threads of row `row` work on. If the transform along y has even and
    /// odd rows apart, the even ones come first, then the odd ones, so that neighbouring threads
    /// store in neighbouring places.
    static PSG_HD int row_of(int row, const Step &rows) {
        return !rows.halves() ? row : row < ROWS / 2 ? 2 * row : 2 * row - ROWS + 1;
    }

    /// A row of a dense field, as pass 0 owns it: two reals are one complex number.
    static PSG_HD void load_line(Complex *v, int q, const Real *line) {
        const Complex *from = reinterpret_cast<const Complex *>(line);
        PSG_UNROLL
        for (int e = 0; e < Lines::E; e++)
            v[e] = load_streaming(from + Lines::template place<0>(q, e));
    }
    static PSG_HD void store_line(const Complex *v, int q, Real *line) {
        Complex *to = reinterpret_cast<Complex *>(line);
        PSG_UNROLL
        for (int e = 0; e < Lines::E; e++)
            store_streaming(to + Lines::template place<0>(q, e), v[e]);
    }
    /// One row of a field with pitches. Of a row that is not aligned to a complex number each real
    /// is loaded on its own: the second load finds in the first-level cache what the first one
    /// brought.
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
    /// The first points of a row, of which the field has no more: the others are 0, or not stored.
    static PSG_HD void load_part(Complex *v, int q, const Real *line, int points) {
        const bool apart = shifted(line);
        PSG_UNROLL
        for (int e = 0; e < Lines::E; e++) {
            const int n = 2 * Lines::template place<0>(q, e);
            if (!apart && n + 1 < points)
                v[e] = load_streaming(reinterpret_cast<const Complex *>(line + n));
            else
                v[e] = {n < points ? load_streaming_real(line + n) : Real(0),
                        n + 1 < points ? load_streaming_real(line + n + 1) : Real(0)};
        }
    }
    static PSG_HD void store_part(const Complex *v, int q, Real *line, int points) {
        const bool apart = shifted(line);
        PSG_UNROLL
        for (int e = 0; e < Lines::E; e++) {
            const int n = 2 * Lines::template place<0>(q, e);
            if (!apart && n + 1 < points) {
                store_streaming(reinterpret_cast<Complex *>(line + n), v[e]);
            } else {
                if (n < points)
                    store_streaming_real(line + n, v[e].x);
                if (n + 1 < points)
                    store_streaming_real(line + n + 1, v[e].y);
            }
        }
    }
    /// No cache collects stores before the second level, where half of the reals of a sector cost
    /// as much as all. A thread of a shifted row stores the aligned pair of its left neighbour's y
    /// and its own x. The first thread of a row in a warp has no such neighbour and stores x alone,
    /// and the last one also stores its y.
    /// @param left  left(e): v[e].y of the thread before; all threads of a warp call it together
    template <class Left>
    static PSG_HD void store_row(const Complex *v, int q, int thread, Real *line, Left left) {
        static_assert(!Lines::FOLDED, "the thread before has the number before");
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
    /// Frequency q + T i of a row is v[element(i)] of thread q, after the last pass.
    static PSG_HD constexpr int element(int i) {
        return i % (Lines::E / Lines::RL) * Lines::RL + i / (Lines::E / Lines::RL);
    }
    /// So thread q has k < M / 2 of its pairs, and another thread has M - k. The frequencies from M
    /// / 2 on go through shared memory [ROWS][PITCH], in their order.
    static PSG_HD void put_upper(const Complex *v, int q, int row, Complex *buf) {
        PSG_UNROLL
        for (int i = PAIRS; i < Lines::E; i++)
            buf[row * PITCH + q + Lines::T * i] = v[element(i)];
    }
    static PSG_HD void take_upper(Complex *v, int q, int row, const Complex *buf) {
        PSG_UNROLL
        for (int i = PAIRS; i < Lines::E; i++)
            v[element(i)] = buf[row * PITCH + q + Lines::T * i];
    }
    /// Z, after put_upper(), to X in the ring. X[k] = E + w^k O and X[M-k] = conj(E - w^k O).
    /// @param place  of the row in the transform along y
    static PSG_HD void put_spectrum(const Complex *v, int q, int row, const Complex *buf,
                                    Complex *plane, int place, const Complex *roots) {
        const Real half = Real(0.5);
        q = computed_late(q), row = computed_late(row);
        PSG_UNROLL
        for (int i = 0; i < PAIRS; i++) {
            const int k = q + Lines::T * i;
            const Complex a = v[element(i)], b = k == 0 ? a : buf[row * PITCH + M - k];
            const Complex even = {half * (a.x + b.x), half * (a.y - b.y)};
            const Complex odd = roots[k] * Complex{half * (a.y + b.y), half * (b.x - a.x)};
            plane[in_ring(q, i, 0, place)] = even + odd;
            plane[in_ring(q, i, 1, place)] = {even.x - odd.x, odd.y - even.y};
            if (i % 2 == 1)
                loads_begun(); // loads for later pairs stay behind this, for want of registers
        }
        if (q == 0) {
            const Complex a = v[element(PAIRS)];
            plane[in_strips(M, place)] = {a.x, -a.y};
        }
    }
    /// X in the ring to the numbers of the inverse, those from M / 2 on for take_upper(): with A =
    /// X[k] + conj X[M-k] and B = w^-k (X[k] - conj X[M-k]) they are A + i B at k and conj(A - i B)
    /// at M - k.
    template <class By = xy_no_derivative>
    static PSG_HD void take_spectrum(Complex *v, int q, int row, Complex *buf, const Complex *plane,
                                     int place, const Complex *roots, const By &by = By()) {
        q = computed_late(q), row = computed_late(row);
        PSG_UNROLL
        for (int first = 0; first < PAIRS; first += AT_ONCE) {
            Complex x[AT_ONCE], z[AT_ONCE];
            PSG_UNROLL
            for (int i = 0; i < AT_ONCE; i++) {
                x[i] = kept(plane + in_ring(q, first + i, 0, place));
                z[i] = kept(plane + in_ring(q, first + i, 1, place));
            }
            loads_begun();
            PSG_UNROLL
            for (int i = 0; i < AT_ONCE; i++) {
                const int k = q + Lines::T * (first + i);
                if (by.there) {
                    x[i] = by(k, x[i]);
                    z[i] = by(mirrored(k), z[i]);
                }
                const Complex a = {x[i].x + z[i].x, x[i].y - z[i].y};
                const Complex b = mul_conj(Complex{x[i].x - z[i].x, x[i].y + z[i].y}, roots[k]);
                v[element(first + i)] = {a.x - b.y, a.y + b.x};
                if (k > 0)
                    buf[row * PITCH + M - k] = {a.x + b.y, b.x - a.y};
            }
        }
        if (q == 0) {
            Complex middle = kept(plane + in_strips(M, place));
            if (by.there)
                middle = by(M, middle);
            buf[row * PITCH + M / 2] = {middle.x + middle.x, -(middle.y + middle.y)};
        }
    }

    /// The column of a strip that a thread works on: in a narrow one some work on the last
    /// together, and all do the same, so that no lanes of a warp part.
    static PSG_HD int column(int col, int strip, int nxc = NXC) {
        const int w = width(strip, nxc);
        return col < w ? col : w - 1;
    }
    /// A strip of a plane in the ring, as pass 0 owns it.
    static PSG_HD void load_strip(Complex *v, Member q, int col, const Complex *plane, int strip,
                                  int nxc = NXC) {
        const int w = width(strip, nxc);
        const Complex *from = plane + (size_t)strip * WIDTH * NY + column(col, strip, nxc);
        PSG_UNROLL
        for (int e = 0; e < Columns::E; e++)
            v[e] = kept(from + Columns::template place<0>(q, e) * w);
    }
    static PSG_HD void store_strip(const Complex *v, Member q, int col, Complex *plane, int strip,
                                   int nxc = NXC) {
        const int w = width(strip, nxc);
        Complex *to = plane + (size_t)strip * WIDTH * NY + column(col, strip, nxc);
        PSG_UNROLL
        for (int e = 0; e < Columns::E; e++)
            to[Columns::template place<0>(q, e) * w] = v[e];
    }
    /// As load_strip() and store_strip(), but of rows past the first `rows` ones, which are 0, or
    /// which nobody wants.
    static PSG_HD void load_upper_strip(Complex *v, Member q, int col, const Complex *plane,
                                        int strip, int rows) {
        const int w = width(strip);
        const Complex *from = plane + (size_t)strip * WIDTH * NY + column(col, strip);
        PSG_UNROLL
        for (int e = 0; e < Columns::E; e++) {
            const int row = Columns::template place<0>(q, e);
            v[e] = row < rows ? kept(from + row * w) : Complex{Real(0), Real(0)};
        }
    }
    static PSG_HD void store_upper_strip(const Complex *v, Member q, int col, Complex *plane,
                                         int strip, int rows) {
        const int w = width(strip);
        Complex *to = plane + (size_t)strip * WIDTH * NY + column(col, strip);
        PSG_UNROLL
        for (int e = 0; e < Columns::E; e++) {
            const int row = Columns::template place<0>(q, e);
            if (row < rows)
                to[row * w] = v[e];
        }
    }
    /// What has been read of the ring need not go to memory when it leaves the cache: a strip, and
    /// rows of a plane (but for lines of the cache that they share with other rows, and for the
    /// last strip).
    static PSG_HD void forget_strip(Complex *plane, int strip, int thread, int nxc = NXC) {
        Complex *at = plane + (size_t)strip * WIDTH * NY;
        for (int i = thread * LINE; i < width(strip, nxc) * NY; i += BLOCK * LINE)
            forget(at + i);
    }
    static PSG_HD void forget_rows(Complex *plane, int y, int thread, int nxc = NXC,
                                   const Step &rows = Step()) {
        if (rows.halves()) { // half of them from place y0 / 2 on, the others up to NY - y0 / 2
            const int y0 = rows.reverse() ? NY - y - ROWS : y;
            forget_places<ROWS / 2, BLOCK>(plane, y0 / 2, thread, nxc);
            forget_places<ROWS / 2, BLOCK>(plane, NY - y0 / 2 - ROWS / 2, thread, nxc);
        } else if constexpr (warp_rows() > 0) {
            constexpr int MINE = warp_rows();
            forget_places<MINE, 32>(plane, y + thread / 32 * MINE, thread % 32, nxc);
        } else {
            forget_places<ROWS, BLOCK>(plane, y, thread, nxc);
        }
    }
    /// May threads forget rows that other warps have not read yet?
    static PSG_HD bool forgets_of_others(const Step &rows) {
        return Lines::IN_WARP && (warp_rows() == 0 || rows.halves());
    }
    template <int PLACES, int THREADS>
    static PSG_HD void forget_places(Complex *plane, int first, int thread, int nxc) {
        constexpr int NUMBERS = PLACES * WIDTH, MOST = NUMBERS / LINE; // of whole lines
        if constexpr (MOST > 0) {
            // `first` is a multiple of PLACES
            const int skip = NUMBERS % LINE == 0 ? 0 : (LINE - first * WIDTH % LINE) % LINE;
            const int whole = (NUMBERS - skip) / LINE;
            for (int i = thread; i < nxc / WIDTH * MOST; i += THREADS)
                if (i % MOST < whole)
                    forget(plane + ((size_t)(i / MOST) * NY + first) * WIDTH + skip +
                           i % MOST * LINE);
        }
    }
    /// Where row 0 of a strip of a plane would stand in a part.
    static PSG_HD Complex *strip_in_part(const xy_part<Real> &p, uint32_t plane, int strip,
                                         int nxc = NXC) {
        return p.base + plane * p.pitch + (size_t)strip * WIDTH * p.rows -
               (size_t)p.y0 * width(strip, nxc);
    }
    /// A strip in the blocks, as the last pass owns it. part_of: [NY] the part of each row;
    /// strips: [parts] as strip_in_part() has it.
    static PSG_HD void load_blocks(Complex *v, Member q, int col, int strip, const uint8_t *part_of,
                                   Complex *const *strips, int nxc = NXC, const Step &y = Step()) {
        const int w = width(strip, nxc), c = column(col, strip, nxc);
        PSG_UNROLL
        for (int e = 0; e < Columns::E; e++) {
            const int row = r2r_mode<NY>(y, Columns::place_frequency(q, e));
            v[e] = load_streaming(strips[part_of[row]] + row * w + c);
        }
    }
    /// What load_blocks() has loaded, each row by its ky.
    static PSG_HD void multiply_rows(Complex *v, Member q, const Complex *ky) {
        PSG_UNROLL
        for (int e = 0; e < Columns::E; e++)
            v[e] = ky[Columns::place_frequency(q, e)] * v[e];
    }
    static PSG_HD void store_blocks(const Complex *v, Member q, int col, int strip,
                                    const uint8_t *part_of, Complex *const *strips, int nxc = NXC,
                                    const Step &y = Step()) {
        const int w = width(strip, nxc), c = column(col, strip, nxc);
        PSG_UNROLL
        for (int e = 0; e < Columns::E; e++) {
            const int row = r2r_mode<NY>(y, Columns::place_frequency(q, e));
            store_streaming(strips[part_of[row]] + row * w + c, v[e]);
        }
    }
};

} // namespace psg_cuda
#endif
