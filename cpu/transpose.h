/** @file transpose.h  A matrix, copied or transposed, out of place, any size and pitch.
 *
 * Fastest where the output's rows begin at cache lines (64 bytes): a large one then goes past the
 * caches.
 */
#ifndef PSG_CPU_TRANSPOSE_H
#define PSG_CPU_TRANSPOSE_H

#include <stdbool.h>
#include <stddef.h>

/** out = in, or its transpose. With pitches, this packs and unpacks.
 *  @param[in]  bytes      size of an element: 4, 8 or 16
 *  @param[in]  turns      transpose; else copy
 *  @param[in]  n          elements of a row of the input, and rows; any may be 0
 *  @param[in]  in         [n[1]][n[0]]
 *  @param[in]  in_pitch   elements from a row to the next
 *  @param[out] out        [n[0]][n[1]] where it turns, else [n[1]][n[0]]; must not overlap in.
 *                         Nothing is written between its rows
 *  @param[in]  out_pitch  elements from a row to the next */
void psg_cpu_transpose(size_t bytes, bool turns, const size_t n[2], const void *in, size_t in_pitch,
                       void *out, size_t out_pitch);

#endif
