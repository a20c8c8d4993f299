/** @file transform.h  The transforms along an axis, and how many numbers they make of a row. C and
 * C++ (CUDA) at once. */
#ifndef PSG_CPU_TRANSFORM_H
#define PSG_CPU_TRANSFORM_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a transform is forward or back, unscaled. A periodic axis has a Fourier transform: of real
 *  numbers along x, of complex ones along the other axes where x is periodic too, else of real
 *  numbers, to FFTW's half-complex order. The others take n real numbers to n real numbers, as FFTW
 *  defines them. */
typedef enum psg_transform_kind {
    PSG_TRANSFORM_PERIODIC = 0,
    PSG_TRANSFORM_COS1, /**< REDFT00 */
    PSG_TRANSFORM_COS2, /**< REDFT10 */
    PSG_TRANSFORM_COS3, /**< REDFT01 */
    PSG_TRANSFORM_COS4, /**< REDFT11 */
    PSG_TRANSFORM_SIN1, /**< RODFT00 */
    PSG_TRANSFORM_SIN2, /**< RODFT10 */
    PSG_TRANSFORM_SIN3, /**< RODFT01 */
    PSG_TRANSFORM_SIN4, /**< RODFT11 */
    PSG_TRANSFORM_NONE, /**< of a stretched axis: its numbers stay, and psg_cpu_line solves it */
    /** a Fourier transform of twice the length, of which half is 0: along x and y as one of 2n
     *  points; along z of complex numbers, the even and the odd modes apart (cpu/kspace_free.c) */
    PSG_TRANSFORM_FREE,
    /** free at one end, along x and y, and along z where x or y is free: COS2 or SIN2 of twice the
     *  length, of which half is 0. The wall at the other end, which is the upper one of _END, has
     *  the images of f */
    PSG_TRANSFORM_FREE_COS2,
    PSG_TRANSFORM_FREE_SIN2,
    PSG_TRANSFORM_FREE_COS2_END,
    PSG_TRANSFORM_FREE_SIN2_END,
    PSG_TRANSFORM_COUNT
} psg_transform_kind;

/** Is its mode a complex number? */
static inline bool psg_transform_complex(psg_transform_kind kind) {
    return kind == PSG_TRANSFORM_PERIODIC || kind == PSG_TRANSFORM_FREE;
}

/** Points that are transformed along axis d: n, or twice as many. Along z the even and the odd
 *  modes of FREE have n points each. */
static inline size_t psg_transform_length(size_t n, psg_transform_kind kind, int d) {
    return kind > PSG_TRANSFORM_FREE || (kind == PSG_TRANSFORM_FREE && d < 2) ? 2 * n : n;
}

/** Of twice as many points, the first of f. */
static inline size_t psg_transform_first(size_t n, psg_transform_kind kind) {
    return kind > PSG_TRANSFORM_FREE_SIN2 ? n : 0;
}

/** Has the first mode of a wall and a free end a half wave in half a period? */
static inline bool psg_transform_free_sine(psg_transform_kind kind) {
    return kind == PSG_TRANSFORM_FREE_SIN2 || kind == PSG_TRANSFORM_FREE_SIN2_END;
}

/** Complex numbers that nx real points become: the half of a Fourier transform; else two modes in
 *  one complex number, 2i in the real and 2i+1 in the imaginary part. Of an odd nx the last
 *  imaginary part is 0. The ny rows of them become psg_transform_length() rows. */
static inline size_t psg_transform_row(size_t nx, psg_transform_kind kind) {
    const size_t length = psg_transform_length(nx, kind, 0);
    return psg_transform_complex(kind) ? length / 2 + 1 : length / 2 + length % 2;
}

#ifdef __cplusplus
}
#endif
#endif
