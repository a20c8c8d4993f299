// The 2-D transforms of planes of a size known at compile time, x and y in one kernel.
//
//   forward   f [plane][ny][nx] --lines--> ring [plane][strip][ny][width] --columns--> blocks
//   inverse   blocks --columns--> ring --lines--> u
//
// Between the two steps a plane is kept where it costs no memory traffic: memory is read once and
// written once. A line item is ROWS rows of a plane along x, a column item one strip of its
// spectrum, WIDTH numbers of x, along y. A small plane fits into the shared memory of a block,
// which takes one plane after the other. A larger one is in a ring of planes that stays in the
// second-level cache: blocks take items from one sequence, in rounds: of round r the first step of
// plane r and the second of plane r - lag, mixed. An item waits until the other step has left it
// what it needs; that comes before it in the sequence, so somebody works on it, and whichever
// blocks are running, the earliest unfinished item goes on.
//
// The kernels of a dense field have its pitches as constants, and load and store two reals at once.
// STRIDED kernels take any pitches, and rows that are aligned to a real alone. On the way back they
// make several fields of the same parts, and differentiate. A derivative along x differs from u in
// the transform along x alone: fields that share the transform along y are a family, which has
// planes of its own in the ring. SIDES kernels take pitches, too, and have real-to-real transforms
// along x or y (xy_sides.cuh, r2r_fused.cuh). PADDED kernels take any pitches, and a field that has
// the first points of the first rows of a plane: the others are 0, and no item is about rows that
// are 0. They are kernels of their own, since one kernel for
// all would spill registers where the field is dense and periodic.
#ifndef PSG_KERNELS_XY_FIXED_CUH
#define PSG_KERNELS_XY_FIXED_CUH

#include "kernels/launch.cuh"
#include "kernels/xy_sides.cuh"

namespace psg_cuda {

/// An item of the sequence.
struct xy_item {
    bool there;     // rounds at both ends have the items of one step only, those past the end none
    bool first;     // step
    uint32_t plane; // of the planes of all families
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

/// Does a kernel make several fields of the same parts?
template <bool FORWARD, xy_form FORM>
constexpr bool xy_several = !FORWARD && FORM == xy_form::strided;

/// How many items the steps of a plane have.
template <class X, bool FORWARD, xy_form FORM> struct xy_steps {
    static PSG_HD int nxc(const xy_args<typename X::Real> &a) {
        return FORM == xy_form::sides ? (int)a.nxc : X::NXC;
    }
    static PSG_HD uint32_t lines(const xy_args<typename X::Real> &a) {
        return FORM == xy_form::padded ? ((uint32_t)a.rows + X::ROWS - 1) / X::ROWS : X::LINES;
    }
    uint32_t firsts, seconds;
    explicit PSG_HD xy_steps(const xy_args<typename X::Real> &a)
        : firsts(FORWARD ? lines(a) : X::strips(nxc(a))),
          seconds(FORWARD ? X::strips(nxc(a)) : lines(a)) {
    }
};

/// Which plane of the segment a plane of all families is, and of which family. Families take turns
/// plane by plane: the second one finds in the second-level cache what the first one has read of
/// the parts.
struct xy_place {
    uint32_t plane, family;
    template <class Real>
    PSG_HD xy_place(const xy_args<Real> &a, bool several, uint32_t plane_of_all)
        : plane(several ? plane_of_all / a.families : plane_of_all),
          family(several ? plane_of_all % a.families : 0) {
    }
};

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
    bool ready;     // nothing has to be waited for
    uint32_t *done; // the counter that it adds to in the end; NULL: it is not there
    typename X::Complex *strips[xy_max_parts];
};

/// How many planes were in a plane's place of the ring before it, and which place that is.
template <class Real> PSG_HD uint32_t xy_before(const xy_args<Real> &a, uint32_t plane) {
    return divide_by_magic(plane, a.slots_magic);
}
template <class Real> PSG_HD uint32_t xy_slot(const xy_args<Real> &a, uint32_t plane) {
    return plane - xy_before(a, plane) * a.slots;
}

/// The counter of what is done of a plane.
template <class Real>
PSG_HD uint32_t *xy_counter(const xy_args<Real> &a, uint32_t plane, bool first) {
    return a.counters + xy_done_first + (first ? 0 : a.slots) + xy_slot(a, plane);
}

/// The counter that an item waits for, NULL: none, and what it waits for: the second step for the
/// first step of its plane, the first step for the second one of the plane that was in its place of
/// the ring.
template <class X, bool FORWARD, xy_form FORM>
__device__ __forceinline__ const uint32_t *xy_awaited(const xy_args<typename X::Real> &a,
                                                      const xy_item &item, uint32_t *count) {
    const xy_steps<X, FORWARD, FORM> steps(a);
    const uint32_t before = xy_before(a, item.plane);
    *count = item.first ? before * steps.seconds : (before + 1) * steps.firsts;
    return item.there && *count > 0 ? xy_counter(a, item.plane, !item.first) : nullptr;
}

/// Wait until an item can begin that has something to wait for; the whole block.
template <class X, bool FORWARD, xy_form FORM>
__device__ __forceinline__ void xy_wait(const xy_args<typename X::Real> &a, const xy_item &item) {
    uint32_t count;
    const uint32_t *counter = xy_awaited<X, FORWARD, FORM>(a, item, &count);
    if (threadIdx.x == 0)
        while (xy_counted(counter) < count)
            __nanosleep(40);
    __syncthreads();
}

/// Take the next item and look around for it; one warp.
template <class X, bool FORWARD, xy_form FORM>
__device__ __forceinline__ void xy_scout(const xy_args<typename X::Real> &a, xy_next<X> *next) {
    using Steps = xy_steps<X, FORWARD, FORM>;
    const Steps steps(a);
    const uint32_t lane = threadIdx.x % 32;
    uint32_t ticket = 0;
    if (lane == 0)
        ticket = atomicAdd(a.counters + xy_taken, 1u);
    ticket = __shfl_sync(0xffffffffu, ticket, 0);
    const xy_item item = xy_item_at(ticket, steps.firsts, steps.seconds, a.planes, a.lag);
    const xy_place at(a, xy_several<FORWARD, FORM>, item.plane);
    if (lane == 0) {
        uint32_t count;
        const uint32_t *counter = xy_awaited<X, FORWARD, FORM>(a, item, &count);
        next->ticket = ticket;
        next->ready = !counter || xy_counted(counter) >= count;
        next->done = item.there ? xy_counter(a, item.plane, item.first) : nullptr;
    }
    for (uint32_t p = lane; p < a.parts; p += 32)
        next->strips[p] = X::strip_in_part(a.part[p], at.plane, (int)item.index, Steps::nxc(a));
    __syncwarp();
}

/// A block ends. The last one leaves the counters as it found them; the warp whose first thread
/// calls xy_done().
template <class Real> __device__ __forceinline__ void xy_end(const xy_args<Real> &a) {
    const uint32_t lane = threadIdx.x % 32;
    uint32_t before = 0;
    if (lane == 0)
        asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;"
                     : "=r"(before)
                     : "l"(a.counters + xy_ended)
                     : "memory");
    if (__shfl_sync(0xffffffffu, before, 0) == gridDim.x - 1)
        for (uint32_t i = lane; i < xy_counters(a.slots); i += 32)
            a.counters[i] = 0;
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

/// Store one row of a field with pitches; the whole block. The last warp of a block may have fewer
/// than 32 threads.
/// @param shifted  of the field
template <class X>
__device__ __forceinline__ void xy_store_row(const typename X::Complex *v, int q, int thread,
                                             typename X::Real *line, bool shifted) {
    if (!shifted) {
        X::store_line(v, q, line);
        return;
    }
    const uint32_t all = thread / 32 < X::BLOCK / 32 ? ~0u : (1u << X::BLOCK % 32) - 1;
    X::store_row(v, q, thread, line, [&](int e) { return __shfl_up_sync(all, v[e].y, 1); });
}

/// Load one row of a field for a transform along x that is not periodic; the whole block.
template <class X>
__device__ __forceinline__ void
xy_load_sided(typename X::Complex *v, int q, int row, const typename X::Real *line,
              typename X::Complex *buf, const typename X::Complex *roots,
              const xy_x_step<typename X::Real> &x) {
    using Sided = xy_sided<X>;
    if constexpr (X::Lines::FOLDED) {
        if (x.kind == r2r_kind::two) {
            Sided::load_quads(v, q, line, x);
        } else {
            X::load_row(v, q, line);
            Sided::fold(v, x);
        }
    } else {
        X::load_row(v, q, line);
        Sided::put_points(v, q, row, buf, x);
        meet<typename X::Lines>();
        Sided::take_line(v, q, row, buf);
        meet<typename X::Lines>();
    }
    Sided::begin(v, q, roots, x);
}
/// Store one row of a field after a transform along x that is not periodic; the whole block.
template <class X>
__device__ __forceinline__ void
xy_store_sided(typename X::Complex *v, int q, int row, int thread, typename X::Real *line,
               bool shifted, typename X::Complex *buf, const typename X::Complex *roots,
               const xy_x_step<typename X::Real> &x) {
    using Sided = xy_sided<X>;
    Sided::end(v, q, roots, x);
    meet<typename X::Lines>();
    Sided::put_line(v, q, row, buf);
    meet<typename X::Lines>();
    Sided::take_points(v, q, row, buf, x);
    xy_store_row<X>(v, q, thread, line, shifted);
}

/// Row y of a plane in a field.
template <class X, xy_form FORM>
__device__ __forceinline__ typename X::Real *xy_row(const xy_field<typename X::Real> &field,
                                                    uint32_t plane, int y) {
    return field.base + (FORM == xy_form::dense
                             ? ((size_t)plane * X::NY + y) * X::NX
                             : plane * field.plane_pitch + (size_t)y * field.row_pitch);
}

/// An item along x, and one along y; between(): as in columns_forward().
template <class X, xy_form FORM, class Between>
__device__ __forceinline__ void
xy_lines_forward(const xy_args<typename X::Real> &a, const xy_item &item,
                 const typename X::Complex *twiddles, const typename X::Complex *roots,
                 typename X::Complex *plane, typename X::Complex *buf, Between between) {
    using Lines = typename X::Lines;
    const int thread = (int)threadIdx.x, row = Lines::column(thread), q = Lines::member(thread);
    const bool modes = FORM == xy_form::sides && a.x.kind != r2r_kind::none;
    const auto rows = FORM == xy_form::sides ? a.y : typename X::Step();
    const int y = (int)item.index * X::ROWS + X::row_of(row, rows), place = rows.place(X::NY, y);
    const typename X::Real *field = xy_row<X, FORM>(a.field[0], item.plane, y);
    typename X::Complex v[Lines::ROOM];
    if constexpr (FORM == xy_form::dense)
        X::load_line(v, q, field);
    else if constexpr (FORM == xy_form::padded)
        X::load_part(v, q, field, y < a.rows ? a.points : 0);
    else if (modes)
        xy_load_sided<X>(v, q, row, field, buf, roots, a.x);
    else
        X::load_row(v, q, field);
    columns_forward<Lines>(v, q, row, twiddles, buf, between);
    meet<Lines>();
    X::put_upper(v, q, row, buf);
    meet<Lines>();
    if (modes)
        xy_sided<X>::put_modes(v, q, row, buf, plane, place, roots, a.x);
    else
        X::put_spectrum(v, q, row, buf, plane, place, roots);
}

/// Rows of plane k of one field, from row `first` of the plane on.
template <class X, xy_form FORM, class Between>
__device__ __forceinline__ void
xy_field_inverse(const xy_args<typename X::Real> &a, const xy_field<typename X::Real> &to,
                 uint32_t k, int first, const typename X::Complex *twiddles,
                 const typename X::Complex *roots, const typename X::Complex *plane,
                 typename X::Complex *buf, Between between) {
    using Lines = typename X::Lines;
    const int thread = (int)threadIdx.x, row = Lines::column(thread), q = Lines::member(thread);
    const bool modes = FORM == xy_form::sides && a.x.kind != r2r_kind::none;
    const auto rows = FORM == xy_form::sides ? a.y : typename X::Step();
    const int y = first + X::row_of(row, rows), place = rows.place(X::NY, y);
    typename X::Real *field = xy_row<X, FORM>(to, k, y);
    typename X::Complex v[Lines::ROOM];
    if (modes)
        xy_sided<X>::take_modes(v, q, row, buf, plane, place, roots, a.x);
    else if constexpr (FORM == xy_form::strided)
        X::take_spectrum(v, q, row, buf, plane, place, roots, to.by);
    else
        X::take_spectrum(v, q, row, buf, plane, place, roots);
    meet<Lines>();
    X::take_upper(v, q, row, buf);
    meet<Lines>();
    columns_inverse<Lines>(v, q, row, twiddles, buf, between);
    if constexpr (FORM == xy_form::dense)
        X::store_line(v, q, field);
    else if constexpr (FORM == xy_form::padded)
        X::store_part(v, q, field, y < a.rows ? a.points : 0);
    else if (modes)
        xy_store_sided<X>(v, q, row, thread, field, to.shifted, buf, roots, a.x);
    else
        xy_store_row<X>(v, q, thread, field, to.shifted);
}

template <class X, xy_form FORM, class Between>
__device__ __forceinline__ void
xy_lines_inverse(const xy_args<typename X::Real> &a, const xy_item &item,
                 const typename X::Complex *twiddles, const typename X::Complex *roots,
                 typename X::Complex *plane, typename X::Complex *buf, Between between) {
    const int thread = (int)threadIdx.x, y = (int)item.index * X::ROWS;
    if constexpr (xy_several<false, FORM>) {
        const xy_place at(a, true, item.plane);
        const uint32_t end = a.family[at.family].end;
        for (uint32_t m = a.family[at.family].first; m < end; m++) {
            xy_field_inverse<X, FORM>(a, a.field[m], at.plane, y, twiddles, roots, plane, buf, [&] {
                if (m + 1 == end)
                    between();
            });
            if (m + 1 < end)
                __syncthreads(); // shared memory is free again
        }
    } else {
        xy_field_inverse<X, FORM>(a, a.field[0], item.plane, y, twiddles, roots, plane, buf,
                                  between);
    }
    if (!X::WHOLE) {
        const auto rows = FORM == xy_form::sides ? a.y : typename X::Step();
        if (X::forgets_of_others(rows))
            __syncthreads();
        X::forget_rows(plane, y, thread, xy_steps<X, false, FORM>::nxc(a), rows);
    }
}

template <class X, bool FORWARD, xy_form FORM, class Between>
__device__ __forceinline__ void
xy_strip(const xy_args<typename X::Real> &a, const xy_item &item, const uint8_t *part_of,
         typename X::Complex *const *strips, const typename X::Complex *twiddles,
         typename X::Complex *plane, typename X::Complex *buf, Between between) {
    using Columns = typename X::Columns;
    const int thread = (int)threadIdx.x, col = Columns::column(thread);
    const int strip = (int)item.index, nxc = xy_steps<X, FORWARD, FORM>::nxc(a);
    const auto step = FORM == xy_form::sides ? a.y : typename X::Step();
    const bool modes = FORM == xy_form::sides && step.kind != r2r_kind::none;
    const auto q = Columns::member(thread, step.reflected());
    typename X::Complex v[Columns::ROOM];
    if (FORWARD) {
        if constexpr (FORM == xy_form::padded)
            X::load_upper_strip(v, q, col, plane, strip, a.rows);
        else
            X::load_strip(v, q, col, plane, strip, nxc);
        if (modes)
            r2r_begin<Columns>(v, q, step);
        columns_forward<Columns>(v, q, col, twiddles, buf, between);
        if (modes && !Columns::MIRRORED) {
            __syncthreads();
            r2r_put<Columns>(v, q, col, buf);
            __syncthreads();
        }
        if (modes)
            r2r_modes<Columns>(v, q, col, buf, step);
        X::store_blocks(v, q, col, strip, part_of, strips, nxc, step);
        if (!X::WHOLE)
            X::forget_strip(plane, strip, thread, nxc);
    } else {
        X::load_blocks(v, q, col, strip, part_of, strips, nxc, step);
        if constexpr (xy_several<FORWARD, FORM>) {
            const typename X::Complex *ky = a.family[xy_place(a, true, item.plane).family].ky;
            if (ky)
                X::multiply_rows(v, q, ky);
        }
        if (modes && !Columns::MIRRORED) {
            r2r_put<Columns>(v, q, col, buf);
            __syncthreads();
        }
        if (modes)
            r2r_frequencies<Columns>(v, q, col, buf, step);
        if (modes && !Columns::MIRRORED)
            __syncthreads();
        columns_inverse<Columns>(v, q, col, twiddles, buf, between);
        if (modes)
            r2r_end<Columns>(v, q, step);
        if constexpr (FORM == xy_form::padded)
            X::store_upper_strip(v, q, col, plane, strip, a.rows);
        else
            X::store_strip(v, q, col, plane, strip, nxc);
    }
}

/// Grid: any; block: X::BLOCK; shared memory: X::shared_bytes.
template <class X, bool FORWARD, xy_form FORM, int BLOCKS>
__global__ void __launch_bounds__(X::BLOCK, BLOCKS)
    xy_fixed(const __grid_constant__ xy_args<typename X::Real> a) {
    using Complex = typename X::Complex;
    extern __shared__ __align__(16) unsigned char xy_shared[];
    __shared__ uint8_t part_of[X::NY];
    __shared__ xy_next<X> next[2]; // in turns: one is read while the other is written
    Complex *const buf = reinterpret_cast<Complex *>(xy_shared);
    Complex *const line_twiddles = buf + X::BUFFER, *const column_twiddles = line_twiddles + X::M;
    Complex *const roots = column_twiddles + X::NY;
    const xy_steps<X, FORWARD, FORM> steps(a);
    const uint32_t items = (a.planes + a.lag) * (steps.firsts + steps.seconds);
    const int thread = (int)threadIdx.x;
    const bool scout = thread / 32 == X::BLOCK / 64;

    xy_begin<X>(a, line_twiddles, part_of);
    wait_for_the_one_before();
    if (scout)
        xy_scout<X, FORWARD, FORM>(a, &next[1]);
    __syncthreads();
    for (int turn = 0;; turn ^= 1) {
        const xy_next<X> &now = next[turn ^ 1];
        const uint32_t t = now.ticket;
        if (t >= items) {
            if (scout)
                xy_end(a);
            return;
        }
        const xy_item item = xy_item_at(t, steps.firsts, steps.seconds, a.planes, a.lag);
        if (!now.ready)
            xy_wait<X, FORWARD, FORM>(a, item);
        const auto look_around = [&] {
            if (scout)
                xy_scout<X, FORWARD, FORM>(a, &next[turn]);
        };
        Complex *const plane = a.ring + xy_slot(a, item.plane) * X::PLANE;
        if (!item.there)
            look_around();
        else if (item.first != FORWARD)
            xy_strip<X, FORWARD, FORM>(a, item, part_of, now.strips, column_twiddles, plane, buf,
                                       look_around);
        else if constexpr (FORWARD)
            xy_lines_forward<X, FORM>(a, item, line_twiddles, roots, plane, buf, look_around);
        else
            xy_lines_inverse<X, FORM>(a, item, line_twiddles, roots, plane, buf, look_around);
        __syncthreads(); // all has been read and written, and shared memory is free again
        if (scout && thread % 32 == 0 && now.done)
            xy_done(now.done);
    }
}

/// Planes that stay in shared memory between the two steps. Grid: any; block and shared memory as
/// above.
template <class X, bool FORWARD, xy_form FORM, int BLOCKS>
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
    const int nxc = xy_steps<X, FORWARD, FORM>::nxc(a);

    xy_begin<X>(a, line_twiddles, part_of);
    wait_for_the_one_before();
    __syncthreads();
    const auto all_lines = [&](uint32_t k) {
        for (uint32_t i = 0; i < xy_steps<X, FORWARD, FORM>::lines(a); i++) {
            const xy_item item = {true, FORWARD, k, i};
            if constexpr (FORWARD)
                xy_lines_forward<X, FORM>(a, item, line_twiddles, roots, plane, buf, nothing);
            else
                xy_lines_inverse<X, FORM>(a, item, line_twiddles, roots, plane, buf, nothing);
            __syncthreads();
        }
    };
    for (uint32_t k = blockIdx.x; k < a.planes; k += gridDim.x) {
        if (FORWARD)
            all_lines(k);
        const xy_place at(a, xy_several<FORWARD, FORM>, k);
        for (uint32_t i = 0; i < (uint32_t)X::strips(nxc); i++) {
            for (uint32_t p = threadIdx.x; p < a.parts; p += X::BLOCK)
                strips[p] = X::strip_in_part(a.part[p], at.plane, (int)i, nxc);
            __syncthreads();
            xy_strip<X, FORWARD, FORM>(a, {true, !FORWARD, k, i}, part_of, strips, column_twiddles,
                                       plane, buf, nothing);
            __syncthreads();
        }
        if (!FORWARD)
            all_lines(k);
    }
}

/// The kernel of a shape, and what it has in shared memory besides X::shared_bytes, at most.
template <class X, bool FORWARD, xy_form FORM, int BLOCKS> const void *xy_kernel() {
    if constexpr (X::WHOLE)
        return reinterpret_cast<const void *>(xy_whole<X, FORWARD, FORM, BLOCKS>);
    else
        return reinterpret_cast<const void *>(xy_fixed<X, FORWARD, FORM, BLOCKS>);
}
template <class X> constexpr size_t xy_static_bytes() {
    return X::NY + 64 +
           (X::WHOLE ? xy_max_parts * sizeof(typename X::Complex *) : 2 * sizeof(xy_next<X>));
}

/// The line of the table for a shape, and for what it is on the way back: the same but for FOLDED
/// lines.
template <class X, class Back, xy_form FORM, int BLOCKS> xy_entry xy_line() {
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
                  xy_kernel<X, true, FORM, BLOCKS>(),
                  xy_kernel<Back, false, FORM, BLOCKS>()};
    for (int p = 0; p < L::PASSES; p++)
        e.line_radix[p] = (uint32_t)L::radix(p);
    for (int p = 0; p < C::PASSES; p++)
        e.column_radix[p] = (uint32_t)C::radix(p);
    return e;
}

#endif

} // namespace psg_cuda
#endif
