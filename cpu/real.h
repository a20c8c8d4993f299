/** @file real.h  One body, two precisions: the files that include this are compiled twice. */
#ifndef PSG_CPU_REAL_H
#define PSG_CPU_REAL_H

#include "cpu/clones.h"

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

#endif
