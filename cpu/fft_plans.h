/** @file fft_plans.h  FFTW's plans of a grid, which fft.c makes and fft_run.c executes. These two
 * files know FFTW, and no others. */
#ifndef PSG_CPU_FFT_PLANS_H
#define PSG_CPU_FFT_PLANS_H

#include "cpu/internal.h"

#include <fftw3.h>
#include <stdatomic.h>
#include <stdint.h>

typedef PSG_FFTW(plan) fft_plan;
typedef PSG_FFTW(complex) fft_complex;

/* FFTW tells arrays apart by their address modulo 16: a plan made for aligned arrays must not see
 * others. A caller's array may start anywhere, and planes of odd extents do not stay aligned. */
enum { ALIGNED = 0, UNALIGNED, ALIGNMENTS };
enum { FFTW_ALIGNMENT = 16 };

/* Between planes of real rows and their spectra, [direction]. */
typedef struct planes {
    fft_plan rows[2];    /* along x; of periodic x and y along both */
    fft_plan columns[2]; /* else along y, in the spectrum */
} planes;

/* For planes whose rows have gaps between them, at any address. */
typedef struct pitched {
    struct pitched *next;
    size_t row_pitch;
    planes planes;
} pitched;

struct psg_cpu_fft {
    int nx, ny, nz;
    int along[3];  /* points that are transformed: nx, ny and nz, or twice as many */
    int nxc, rows; /* of a spectrum */
    bool padded;   /* in place, in a spectrum with f in some points of some rows */
    int first[3];  /* the first of these points, and rows; along z, planes */
    psg_transform_kind kind[3][2]; /* [axis][direction] */
    bool real[3]; /* along y and z: the real and the imaginary part are data of their own */
    unsigned flags;
    bool learnt; /* a plan was searched for that the wisdom did not have */
    size_t columns;
    planes dense[ALIGNMENTS];
    _Atomic(pitched *) pitched; /* read while another solve is prepared */
    fft_plan line[2];           /* one contiguous line, in place */
    fft_plan column[2];         /* [nz][columns], in place */
    fft_plan
        tile[2]; /* [nz][columns] -> [columns][nz], and back; of a mirrored z complex, in place */
    psg_cpu_pairs pairs[3]; /* along x, y and z; along z of nodes alone */
    fft_plan pair[3][2];    /* their tiles, [axis][direction] */
    psg_cpu_prime prime[3]; /* of complex transforms along an axis, of pairs too */
    fft_plan inner[3][2];   /* along their m */
    bool free;              /* there is no side at one end of z, or at both */
    bool mirrored;          /* type II along z, forward: kspace does it by a complex transform */
    psg_real
        *twiddle; /* cos and sin, k < nz: of a mirrored z of pi k/(2 nz), of a free z of pi k/nz */
};

static inline size_t spectrum_plane_bytes(const psg_cpu_fft *fft) {
    return (size_t)fft->rows * (size_t)fft->nxc * sizeof(psg_complex);
}

/* Reals before the first row that f is in. */
static inline size_t rows_before(const psg_cpu_fft *fft) {
    return (size_t)fft->first[1] * 2 * (size_t)fft->nxc;
}

static inline size_t tile_bytes(const psg_cpu_fft *fft) {
    return (size_t)fft->along[2] * fft->columns * sizeof(psg_complex);
}

static inline bool columns_apart(const psg_cpu_fft *fft) {
    return fft->real[1] || fft->padded || fft->pairs[0].width > 0 || fft->prime[1].m > 0;
}

/* Planes of one row each: pairs of rows are of two planes. A row alone is FFTW's. */
static inline bool rows_together(const psg_cpu_fft *fft) {
    return fft->pairs[0].width > 0 && fft->ny == 1 && fft->nz > 1 && !fft->padded &&
           fft->kind[1][PSG_CPU_FORWARD] == PSG_TRANSFORM_PERIODIC;
}

/* FFTW has plans of its own along x. */
static inline bool rows_planned(const psg_cpu_fft *fft) {
    return fft->pairs[0].width == 0 || rows_together(fft);
}

/* And along y. */
static inline bool columns_planned(const psg_cpu_fft *fft) {
    return columns_apart(fft) && fft->pairs[1].width == 0 && fft->prime[1].m == 0;
}

static inline bool aligned(const void *p) {
    return (uintptr_t)p % FFTW_ALIGNMENT == 0;
}

static inline const pitched *pitched_for(const psg_cpu_fft *fft, size_t row_pitch) {
    const pitched *p = atomic_load(&fft->pitched);
    while (p != NULL && p->row_pitch != row_pitch) {
        p = p->next;
    }
    return p;
}

static inline bool is_planned(const psg_cpu_fft *fft, const planes *p) {
    return (!rows_planned(fft) || p->rows[PSG_CPU_INVERSE] != NULL) &&
           (!columns_planned(fft) || p->columns[PSG_CPU_INVERSE] != NULL);
}

#endif
