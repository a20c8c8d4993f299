/** @file real.h  One body, two precisions: the files that include this are compiled twice. */
#ifndef PSG_CPU_REAL_H
#define PSG_CPU_REAL_H

#if PSG_REAL_IS_FLOAT
typedef float psg_real;
#define PSG_REAL_NAME(name) name##_f32
#define PSG_FFTW(name) fftwf_##name
#else
typedef double psg_real;
#define PSG_REAL_NAME(name) name##_f64
#define PSG_FFTW(name) fftw_##name
#endif

/** One complex number, as FFTW and cuFFT store it. */
typedef psg_real psg_complex[2];

/* Loops worth a wider vector unit than the oldest machine has: the loader picks the clone. The loader
 * picks before a sanitizer is ready, so code for sanitizers has no clones. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PSG_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define PSG_CLONES
#endif

#endif
