// What a thread does in the 2-D transforms of planes of a size known at compile time, between any two barriers. The kernels
// are in xy_fixed.cuh.
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
    Real scale;
    const Real *kx; // null: 1
    PSG_HD complex_t<Real> operator()(int m, complex_t<Real> v) const {
        return scale * (kx ? kx[m] : Real(1)) * mul_i<1>(v);
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

/// Fields that share the transform along y on the way back: the rows of the parts are multiplied by ky once for all of them.
template <class Real> struct xy_family {
    const Real *ky; // null: 1
    uint32_t first, end;
};

/// What blocks count: the items that were taken, the blocks that have ended, and for each place of the ring the items of the first and
/// of the second step that are done, of all planes that were there.
enum : uint32_t { xy_taken = 0, xy_ended, xy_done_first };
PSG_HD constexpr uint32_t xy_counters(uint32_t slots) {
    return xy_done_first + 2 * slots;
}

/// The transform along x of a SIDES kernel. The place of point 2n (h = 0) or 2n + 1 is from[h] + step[h] n.
template <class Real> struct xy_x_step {
    r2r_kind kind = r2r_kind::none;
    bool odd = false;                         // a sine transform
    const complex_t<Real> *factors = nullptr; // see xy_factors()
    int from[2] = {0, 0}, step[2] = {1, 1};
};

template <class Real> struct xy_args {
    xy_field<Real> field[xy_max_fields]; // by family
    // STRIDED kernels make several fields on the way back, and read this. The others have the first field alone.
    xy_family<Real> family[xy_max_fields];
    uint32_t families;
    complex_t<Real> *ring; // [slots][plane]
    uint32_t *counters;    // xy_counters(slots), all 0 before and after
    // Twiddles of lines [M] and columns [ny], and xy_factors(), of which kernels copy the first M / 2.
    const complex_t<Real> *tables;
    uint32_t planes; // of all families
    uint32_t slots, lag, parts;
    uint32_t slots_magic; // divides by slots
    xy_part<Real> part[xy_max_parts];
    // Read by SIDES kernels alone: numbers in a row of the spectrum, M with a real-to-real transform along x, else M + 1.
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
    static constexpr bool WHOLE = KEEP == xy_keep::whole;
    /// Items of a plane: lines, and strips. A SIDES kernel may have one strip less.
    static PSG_HD constexpr int strips(int nxc) {
        return (nxc + WIDTH - 1) / WIDTH;
    }
    static constexpr int STRIPS = (NXC + WIDTH - 1) / WIDTH, LINES = NY / ROWS;
    static constexpr int ITEMS = STRIPS + LINES;
    static constexpr int LINE = 128 / sizeof(Complex); // numbers in a cache line
    static constexpr size_t PLANE = ((size_t)NY * NXC + LINE - 1) / LINE * LINE;
    // What neighbouring threads have of a row: a cache line, or a part of one that divides half of the row. Where that would
    // be less than four numbers in a ring, it is as much as a strip has of the row, and the half ends with a shorter piece.
    // In f32 that pays from eight numbers on.
    static constexpr int piece(int most) {
        return M / 2 % most == 0 ? most : piece(most / 2);
    }
    static constexpr bool SHORTER = !WHOLE && piece(LINE) < 4 && (sizeof(Real) == 8 || WIDTH >= 8);
    static constexpr int PIECE = SHORTER ? WIDTH : piece(LINE);
    static constexpr int IN_PIECES = M / 2 / PIECE * PIECE; // of a row
    static constexpr size_t most(size_t a, size_t b) {
        return a > b ? a : b;
    }
    // Shared memory: the exchange buffer, then the twiddles of lines and columns, and the roots, or the first factors along x;
    // and a plane.
    static constexpr size_t BUFFER =
        most((size_t)M * ROWS, most(Lines::shared_bytes, Columns::shared_bytes) / sizeof(Complex));
    static constexpr size_t TABLES = (size_t)M + NY + M / 2;
    static constexpr size_t shared_bytes =
        (BUFFER + TABLES + (WHOLE ? PLANE : 0)) * sizeof(Complex);
    static_assert(Lines::BLOCK == Columns::BLOCK && NY % ROWS == 0 && ROWS % 2 == 0 && M % 2 == 0 &&
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
    static PSG_HD int width(int strip, int nxc = NXC) {
        return strip < nxc / WIDTH ? WIDTH : nxc % WIDTH;
    }
    /// Where number m of a row stands in a plane of the ring. Rows are in the places of the transform along y.
    static PSG_HD size_t in_strips(int m, int row, int nxc = NXC) {
        const int strip = m / WIDTH;
        return (size_t)strip * WIDTH * NY + row * width(strip, nxc) + m % WIDTH;
    }
    /// The number of kx = M - k, for k < M / 2; those of kx < M / 2 are kx. See psg_cuda_columns:
    /// so pairs k, M - k of neighbouring k are neighbours in both.
    static PSG_HD int mirrored(int k) {
        return M / 2 + k;
    }
    /// Pair `i` of the M / 2 * ROWS pairs k, M - k of a line item: neighbouring threads have a PIECE
    /// of k, and a warp some rows of them, whose places in a strip are neighbours. Shorter pieces come last.
    static PSG_HD void pair(int i, int *k, int *row, const Step &rows) {
        constexpr int REST = IN_PIECES < M / 2 ? M / 2 - IN_PIECES : 1;
        if (IN_PIECES == M / 2 || i < IN_PIECES * ROWS) {
            *k = i % PIECE + i / (PIECE * ROWS) * PIECE;
            *row = i / PIECE % ROWS;
        } else {
            *k = IN_PIECES + (i - IN_PIECES * ROWS) % REST;
            *row = (i - IN_PIECES * ROWS) / REST;
        }
        if (rows.halves())
            *row = *row < ROWS / 2 ? 2 * *row : 2 * *row - ROWS + 1;
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
                                    const Complex *roots, const Step &rows = Step()) {
        const Real half = Real(0.5);
        PSG_UNROLL_2
        for (int i = 0; i < M / 2 * ROWS / BLOCK; i++) {
            int k, row;
            pair(i * BLOCK + thread, &k, &row, rows);
            const Complex a = buf[row * M + k], b = buf[row * M + (k == 0 ? 0 : M - k)];
            const Complex even = {half * (a.x + b.x), half * (a.y - b.y)};
            const Complex odd = roots[k] * Complex{half * (a.y + b.y), half * (b.x - a.x)};
            const int place = rows.place(NY, y + row);
            plane[in_strips(k, place)] = even + odd;
            plane[in_strips(mirrored(k), place)] = {even.x - odd.x, odd.y - even.y};
        }
        if (thread < ROWS) {
            const Complex a = buf[thread * M + M / 2];
            plane[in_strips(M, rows.place(NY, y + thread))] = {a.x, -a.y};
        }
    }
    /// X in the ring to the numbers of the inverse in shared memory: with A = X[k] + conj X[M-k]
    /// and B = w^-k (X[k] - conj X[M-k]) they are A + i B at k and conj(A - i B) at M - k.
    template <class By = xy_no_derivative>
    static PSG_HD void take_spectrum(const Complex *plane, int y, int thread, Complex *buf,
                                     const Complex *roots, const By &by = By(),
                                     const Step &rows = Step()) {
        constexpr int PAIRS = M / 2 * ROWS / BLOCK; // for all registers would not do
        constexpr int AT_ONCE = PAIRS % 4 == 0 ? 4 : PAIRS % 3 == 0 ? 3 : PAIRS % 5 == 0 ? 5 : 1;
        PSG_UNROLL_1
        for (int first = 0; first < PAIRS; first += AT_ONCE) {
            Complex v[2 * AT_ONCE];
            PSG_UNROLL
            for (int i = 0; i < AT_ONCE; i++) {
                int k, row;
                pair((first + i) * BLOCK + thread, &k, &row, rows);
                const int place = rows.place(NY, y + row);
                v[2 * i] = kept(plane + in_strips(k, place));
                v[2 * i + 1] = kept(plane + in_strips(mirrored(k), place));
            }
            loads_begun();
            if (by.there) {
                PSG_UNROLL
                for (int i = 0; i < AT_ONCE; i++) {
                    int k, row;
                    pair((first + i) * BLOCK + thread, &k, &row, rows);
                    v[2 * i] = by(k, v[2 * i]);
                    v[2 * i + 1] = by(mirrored(k), v[2 * i + 1]);
                }
            }
            PSG_UNROLL
            for (int i = 0; i < AT_ONCE; i++) {
                int k, row;
                pair((first + i) * BLOCK + thread, &k, &row, rows);
                const Complex x = v[2 * i], z = v[2 * i + 1];
                const Complex a = {x.x + z.x, x.y - z.y};
                const Complex b = mul_conj(Complex{x.x - z.x, x.y + z.y}, roots[k]);
                buf[row * M + k] = {a.x - b.y, a.y + b.x};
                if (k > 0)
                    buf[row * M + M - k] = {a.x + b.y, b.x - a.y};
            }
        }
        if (thread < ROWS) {
            Complex x = kept(plane + in_strips(M, rows.place(NY, y + thread)));
            if (by.there)
                x = by(M, x);
            buf[thread * M + M / 2] = {x.x + x.x, -(x.y + x.y)};
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
    /// What has been read of the ring need not go to memory when it leaves the cache: a strip, and
    /// rows of a plane (but for lines of the cache that they share with other rows, and for the last strip).
    static PSG_HD void forget_strip(Complex *plane, int strip, int thread, int nxc = NXC) {
        Complex *at = plane + (size_t)strip * WIDTH * NY;
        for (int i = thread * LINE; i < width(strip, nxc) * NY; i += BLOCK * LINE)
            forget(at + i);
    }
    static PSG_HD void forget_rows(Complex *plane, int y, int thread, int nxc = NXC,
                                   const Step &rows = Step()) {
        if (rows.halves()) { // half of them from place y0 / 2 on, the others up to NY - y0 / 2
            const int y0 = rows.reverse() ? NY - y - ROWS : y;
            forget_places<ROWS / 2>(plane, y0 / 2, thread, nxc);
            forget_places<ROWS / 2>(plane, NY - y0 / 2 - ROWS / 2, thread, nxc);
        } else {
            forget_places<ROWS>(plane, y, thread, nxc);
        }
    }
    template <int PLACES>
    static PSG_HD void forget_places(Complex *plane, int first, int thread, int nxc) {
        constexpr int NUMBERS = PLACES * WIDTH, MOST = NUMBERS / LINE; // of whole lines
        if constexpr (MOST > 0) {
            // `first` is a multiple of PLACES
            const int skip = NUMBERS % LINE == 0 ? 0 : (LINE - first * WIDTH % LINE) % LINE;
            const int whole = (NUMBERS - skip) / LINE;
            for (int i = thread; i < nxc / WIDTH * MOST; i += BLOCK)
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
    static PSG_HD void multiply_rows(Complex *v, Member q, const Real *ky) {
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
