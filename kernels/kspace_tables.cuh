// Host side of the fused z kernel: how a length is factored, its tables, and the tiles of
// kspace_generic. No device is needed.
#ifndef PSG_KERNELS_KSPACE_TABLES_CUH
#define PSG_KERNELS_KSPACE_TABLES_CUH

#include "kernels/kspace_generic.cuh"
#include <algorithm>
#include <cmath>

namespace psg_cuda {

/// Shared memory that every supported device gives a block (compute capability 8.0: 163 KB), and
/// with it the longest lengths; more is used where it is there.
constexpr size_t kspace_least_shared = 163 * 1024;
/// The narrowest tile: what a row of one plane is worth reading for.
constexpr size_t kspace_least_row_bytes = 32;

/// Fill strides, paddings and indices of a list whose n, passes and radices are set.
inline void kspace_list_finish(kspace_list *list) {
    const uint32_t last = list->pass[list->passes - 1].radix;
    const bool padded = last % 2 == 0; // one row in last + 1 keeps banks apart
    uint32_t span = list->n;
    for (uint32_t p = 0; p < list->passes; p++) {
        kspace_pass *pass = &list->pass[p];
        pass->stride = span / pass->radix;
        pass->magic = pass->stride > 1 ? divisor_magic(pass->stride) : 0;
        pass->row_step = padded ? pass->stride + pass->stride / last : pass->stride;
        pass->twiddles = list->n - span;
        span = pass->stride;
    }
    list->pad_magic = padded ? divisor_magic(last) : 0;
    list->rows = padded ? list->n + list->n / last : list->n;
}

/// Radices of n with the fewest passes, and among those with the least sum; descending, but an odd
/// one last if there is any. `left` is what remains, radices up to `largest` may be used.
inline void kspace_search(uint32_t left, uint32_t largest, uint32_t depth, uint32_t sum,
                          uint32_t *trial, uint32_t *best_sum, kspace_list *best) {
    if (left == 1 && depth > 0) {
        if (best->passes == 0 || depth < best->passes ||
            (depth == best->passes && sum < *best_sum)) {
            best->passes = depth;
            *best_sum = sum;
            for (uint32_t p = 0; p < depth; p++)
                best->pass[p].radix = trial[p];
        }
        return;
    }
    if (depth == kspace_max_passes || (best->passes != 0 && depth + 1 > best->passes))
        return;
#define PSG_KSPACE_TRY(R)                                                                          \
    if (R > 1 && R <= largest && left % R == 0) {                                                  \
        trial[depth] = R;                                                                          \
        kspace_search(left / R, R, depth + 1, sum + R, trial, best_sum, best);                     \
    }
    PSG_KSPACE_RADICES(PSG_KSPACE_TRY)
#undef PSG_KSPACE_TRY
}

/// Factor n >= 1; false if it has another prime factor than 2, 3, 5, 7, 11, 13.
inline bool kspace_factor(uint32_t n, kspace_list *list) {
    uint32_t trial[kspace_max_passes], best_sum = 0;
    *list = kspace_list();
    list->n = n;
    if (n == 1) {
        list->passes = 1;
        list->pass[0].radix = 1;
    } else {
        kspace_search(n, n, 0, 0, trial, &best_sum, list);
    }
    if (list->passes == 0)
        return false;
    for (uint32_t p = 0; p + 1 < list->passes; p++) // bubble an odd radix to the end
        if (list->pass[p].radix % 2 == 1) {
            const uint32_t odd = list->pass[p].radix;
            list->pass[p].radix = list->pass[p + 1].radix;
            list->pass[p + 1].radix = odd;
        }
    kspace_list_finish(list);
    return true;
}

/// w [n - last radix]: exp(-2 pi i j m / span) for each pass but the last, see kspace_pass.
template <class Real> void kspace_twiddles(const kspace_list &list, complex_t<Real> *w) {
    const long double two_pi = 6.283185307179586476925286766559L;
    for (uint32_t p = 0; p + 1 < list.passes; p++) {
        const kspace_pass &pass = list.pass[p];
        const uint32_t span = pass.radix * pass.stride;
        for (uint32_t j = 1; j < pass.radix; j++)
            for (uint32_t m = 0; m < pass.stride; m++) {
                const long double angle = two_pi * (j * m) / span;
                w[pass.twiddles + (j - 1) * pass.stride + m] = {(Real)std::cos(angle),
                                                                (Real)-std::sin(angle)};
            }
    }
}

/// order [n / last radix]: the frequency that place g * (last radix) holds.
inline void kspace_order(const kspace_list &list, uint32_t *order) {
    const uint32_t last = list.pass[list.passes - 1].radix;
    for (uint32_t g = 0; g < list.n / last; g++) {
        uint32_t place = g * last, weight = 1;
        order[g] = 0;
        for (uint32_t p = 0; p < list.passes; p++) {
            order[g] += place / list.pass[p].stride * weight;
            place %= list.pass[p].stride;
            weight *= list.pass[p].radix;
        }
    }
}

/// A tile of kspace_generic.
struct kspace_tile_shape {
    uint32_t log2_columns, threads;
    size_t bytes; // of shared memory
};

constexpr uint32_t kspace_generic_threads = 256; // at most
constexpr size_t kspace_small = 34 * 1024;       // bytes of a small tile

/// Bytes that the threads of a multiprocessor should move at once, one number each.
constexpr size_t kspace_generic_moving = 6 * 1024;

/// Threads for tiles of 2^log2_columns: a multiple of 32, not below `least`, that leaves the fewest
/// threads idle in the rounds of all passes; the most of those.
inline uint32_t kspace_tile_threads(const kspace_list &list, uint32_t log2_columns, size_t least) {
    uint32_t best = 0, best_slots = 0;
    for (uint32_t threads = kspace_generic_threads; threads >= 64; threads -= 32) {
        uint32_t slots = 0;
        for (uint32_t p = 0; p < list.passes; p++) {
            const uint32_t items = list.n / list.pass[p].radix << log2_columns;
            slots += (items + threads - 1) / threads * threads * list.pass[p].radix;
        }
        if (best == 0 || (slots < best_slots && threads >= least)) {
            best = threads;
            best_slots = slots;
        }
    }
    return best;
}

/// The tile for a list on a device that gives a block max_shared bytes: rows of 256 bytes where the
/// tile stays small, else of 128, 64 or 32, so that several blocks fit a multiprocessor: with wide
/// rows two in f64 and three in f32, or one less, as what CUDA keeps for itself is not counted.
/// @param beside  bytes that a tile has beside its numbers
/// @return false: not even the narrowest tile fits.
inline bool kspace_choose_tile(const kspace_list &list, size_t complex_bytes, size_t max_shared,
                               kspace_tile_shape *tile, size_t beside = 0) {
    const size_t row_bytes[] = {256, 128, 64, kspace_least_row_bytes};
    const size_t limit[] = {kspace_small, complex_bytes == 16 ? max_shared / 2 : max_shared / 3,
                            max_shared, max_shared};
    for (int t = 0; t < 4; t++) {
        uint32_t log2_columns = 0;
        while ((complex_bytes << (log2_columns + 1)) <= row_bytes[t])
            log2_columns++;
        const size_t bytes = ((list.rows * complex_bytes) << log2_columns) + beside;
        if (bytes <= limit[t] && bytes <= max_shared) {
            const size_t threads = kspace_generic_moving / complex_bytes / (max_shared / bytes);
            *tile = {log2_columns, kspace_tile_threads(list, log2_columns, threads), bytes};
            return true;
        }
    }
    return false;
}

/// The tile for a launch of so few tiles that all of them are on the device at once. How long one
/// takes is all that counts then, so a thread has at most one butterfly in each pass, if there can
/// be as many threads. Fewer columns were not faster on an H200, and more were slower. false: it
/// would not be small.
inline bool kspace_few_tile(const kspace_list &list, size_t complex_bytes, kspace_tile_shape *tile,
                            size_t beside = 0) {
    const uint32_t log2_columns = 4;
    uint32_t butterflies = 1;
    for (uint32_t p = 0; p < list.passes; p++)
        butterflies = std::max(butterflies, list.n / list.pass[p].radix);
    const uint32_t threads = ((butterflies << log2_columns) + 31) / 32 * 32;
    *tile = {log2_columns, std::min(threads, kspace_generic_threads),
             ((list.rows * complex_bytes) << log2_columns) + beside};
    return tile->bytes <= kspace_small;
}

} // namespace psg_cuda
#endif
