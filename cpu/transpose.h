/** @file transpose.h  The six permutations of a 3-D array, out of place, any size and pitch.
 *
 * Packing uses XYZ and YXZ; the set is whole because it is what GPUs' kernels/transpose.h is held against.
 * Fastest where the output's rows and planes begin at cache lines (64 bytes): a large one then goes past the caches.
 */
#ifndef PSG_CPU_TRANSPOSE_H
#define PSG_CPU_TRANSPOSE_H

#include <stddef.h>

/** Where the axes of the input go: PSG_YZX makes y the fastest axis of the output, z the next. */
typedef enum psg_permutation {
    PSG_XYZ = 0, /**< copy: with pitches, this packs and unpacks */
    PSG_YXZ,
    PSG_ZYX,
    PSG_XZY,
    PSG_YZX,
    PSG_ZXY,
    PSG_PERMUTATION_COUNT
} psg_permutation;

/** A box of elements in memory: element (a, b, c) stands at a + b row + c plane, in elements. */
typedef struct psg_pitch {
    size_t row;
    size_t plane;
} psg_pitch;

/** out = in, with its axes permuted.
 *  @param[in]  bytes      size of an element: 4, 8 or 16
 *  @param[in]  n          the input's extents along x, y, z (x fastest); any may be 0
 *  @param[in]  in         n[0] x n[1] x n[2] elements at in_pitch
 *  @param[out] out        n[p] x n[q] x n[r] elements at out_pitch, for the permutation pqr; must not
 *                         overlap in */
void psg_cpu_transpose(size_t bytes, psg_permutation permutation, const size_t n[3], const void *in,
                       psg_pitch in_pitch, void *out, psg_pitch out_pitch);

#endif
