/* All of FFTW: the one file that knows it. Plans are made once, under a lock, and executed by any
 * thread on any array through the new-array interface. */
#include "base/memory.h"
#include "base/tuning.h"
#include "cpu/internal.h"

#include <fftw3.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef PSG_FFTW(plan) fft_plan;
typedef PSG_FFTW(complex) fft_complex;

/* FFTW tells arrays apart by their address modulo 16: a plan made for aligned arrays must not see
 * others. A caller's array may start anywhere, and planes of odd extents do not stay aligned. */
enum { ALIGNED = 0, UNALIGNED, ALIGNMENTS };
enum { FFTW_ALIGNMENT = 16 };

/* For planes whose rows have gaps between them, at any address. */
typedef struct pitched {
    struct pitched *next;
    size_t row_pitch;
    fft_plan xy[2]; /* [direction] */
} pitched;

struct psg_cpu_fft {
    int nx, ny, nz;
    unsigned flags;
    bool learnt; /* a plan was searched for that the wisdom did not have */
    size_t columns;
    fft_plan xy[2][ALIGNMENTS]; /* [direction] */
    _Atomic(pitched *) pitched; /* read while another solve is prepared */
    fft_plan line[2];           /* one contiguous line, in place */
    fft_plan column[2];         /* [nz][columns], in place */
    fft_plan tile[2];           /* [nz][columns] -> [columns][nz], and back */
};

/* FFTW's planner is one per process and precision. */
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

static size_t spectrum_plane_bytes(const psg_cpu_fft *fft) {
    return (size_t)fft->ny * ((size_t)fft->nx / 2 + 1) * sizeof(psg_complex);
}

static size_t tile_bytes(const psg_cpu_fft *fft) {
    return (size_t)fft->nz * fft->columns * sizeof(psg_complex);
}

/* Ask with FFTW_WISDOM_ONLY first: only so is it known whether there is something new to keep. */
#define WITH_WISDOM(fft, plan, call)                                                               \
    do {                                                                                           \
        unsigned flags = (fft)->flags | FFTW_WISDOM_ONLY;                                          \
        if ((plan) == NULL) {                                                                      \
            (plan) = (call);                                                                       \
        }                                                                                          \
        if ((plan) == NULL) {                                                                      \
            flags = (fft)->flags;                                                                  \
            (plan) = (call);                                                                       \
            (fft)->learnt = true;                                                                  \
        }                                                                                          \
    } while (0)

static bool plan_xy(psg_cpu_fft *fft, int alignment) {
    psg_real *plane = base_allocate((size_t)fft->ny * (size_t)fft->nx * sizeof *plane);
    fft_complex *spectrum = base_allocate(spectrum_plane_bytes(fft));
    const unsigned more = alignment == UNALIGNED ? FFTW_UNALIGNED : 0;
    if (plane != NULL && spectrum != NULL) {
        WITH_WISDOM(fft, fft->xy[PSG_CPU_FORWARD][alignment],
                    PSG_FFTW(plan_dft_r2c_2d)(fft->ny, fft->nx, plane, spectrum,
                                              flags | more | FFTW_PRESERVE_INPUT));
        WITH_WISDOM(fft, fft->xy[PSG_CPU_INVERSE][alignment],
                    PSG_FFTW(plan_dft_c2r_2d)(fft->ny, fft->nx, spectrum, plane,
                                              flags | more | FFTW_DESTROY_INPUT));
    }
    free(plane);
    free(spectrum);
    return fft->xy[PSG_CPU_FORWARD][alignment] != NULL &&
           fft->xy[PSG_CPU_INVERSE][alignment] != NULL;
}

/* Under the lock. */
static bool plan_pitched(psg_cpu_fft *fft, size_t row_pitch) {
    const int n[2] = {fft->ny, fft->nx};
    const int real[2] = {fft->ny, (int)row_pitch};
    psg_real *plane = base_allocate((size_t)fft->ny * row_pitch * sizeof *plane);
    fft_complex *spectrum = base_allocate(spectrum_plane_bytes(fft));
    pitched *p = calloc(1, sizeof *p);
    if (plane != NULL && spectrum != NULL && p != NULL) {
        p->row_pitch = row_pitch;
        WITH_WISDOM(fft, p->xy[PSG_CPU_FORWARD],
                    PSG_FFTW(plan_many_dft_r2c)(2, n, 1, plane, real, 1, 0, spectrum, NULL, 1, 0,
                                                flags | FFTW_UNALIGNED | FFTW_PRESERVE_INPUT));
        WITH_WISDOM(fft, p->xy[PSG_CPU_INVERSE],
                    PSG_FFTW(plan_many_dft_c2r)(2, n, 1, spectrum, NULL, 1, 0, plane, real, 1, 0,
                                                flags | FFTW_UNALIGNED | FFTW_DESTROY_INPUT));
    }
    const bool planned =
        p != NULL && p->xy[PSG_CPU_FORWARD] != NULL && p->xy[PSG_CPU_INVERSE] != NULL;
    free(plane);
    free(spectrum);
    if (p != NULL) { /* also of a failure, as long as the transforms */
        p->next = atomic_load(&fft->pitched);
        atomic_store(&fft->pitched, p);
    }
    return planned;
}

static bool plan_z(psg_cpu_fft *fft) {
    fft_complex *tile = base_allocate(tile_bytes(fft));
    fft_complex *lines = base_allocate(tile_bytes(fft));
    const int nz = fft->nz;
    const int w = (int)fft->columns;
    bool all = tile != NULL && lines != NULL;
    for (int d = PSG_CPU_FORWARD; all && d <= PSG_CPU_INVERSE; d++) {
        const int sign = d == PSG_CPU_FORWARD ? FFTW_FORWARD : FFTW_BACKWARD;
        WITH_WISDOM(fft, fft->line[d],
                    PSG_FFTW(plan_dft_1d)(nz, lines, lines, sign, flags | FFTW_UNALIGNED));
        WITH_WISDOM(
            fft, fft->column[d],
            PSG_FFTW(plan_many_dft)(1, &nz, w, tile, NULL, w, 1, tile, NULL, w, 1, sign, flags));
        if (d == PSG_CPU_FORWARD) {
            WITH_WISDOM(fft, fft->tile[d],
                        PSG_FFTW(plan_many_dft)(1, &nz, w, tile, NULL, w, 1, lines, NULL, 1, nz,
                                                sign, flags | FFTW_DESTROY_INPUT));
        } else {
            WITH_WISDOM(fft, fft->tile[d],
                        PSG_FFTW(plan_many_dft)(1, &nz, w, lines, NULL, 1, nz, tile, NULL, w, 1,
                                                sign, flags | FFTW_DESTROY_INPUT));
        }
        all = fft->line[d] != NULL && fft->column[d] != NULL && fft->tile[d] != NULL;
    }
    free(tile);
    free(lines);
    return all;
}

psg_cpu_fft *psg_cpu_fft_create(const psg_cpu_fft_spec *spec) {
    static const unsigned effort_flags[] = {[PSG_CPU_ESTIMATE] = FFTW_ESTIMATE,
                                            [PSG_CPU_MEASURE] = FFTW_MEASURE,
                                            [PSG_CPU_PATIENT] = FFTW_PATIENT};
    psg_cpu_fft *fft = calloc(1, sizeof *fft);
    if (fft == NULL) {
        return NULL;
    }
    fft->nx = (int)spec->nx;
    fft->ny = (int)spec->ny;
    fft->nz = (int)spec->nz;
    fft->flags = effort_flags[spec->effort];
    fft->columns = PSG_CPU_TILE_COLUMNS;
    while (fft->columns > TUNING_CPU_TILE_COLUMNS_MIN && tile_bytes(fft) > TUNING_CPU_TILE_BYTES) {
        fft->columns /= 2;
    }
    const bool planes_stay_aligned = spec->nx * spec->ny * sizeof(psg_real) % FFTW_ALIGNMENT == 0 &&
                                     spectrum_plane_bytes(fft) % FFTW_ALIGNMENT == 0;

    pthread_mutex_lock(&planner);
    if (spec->wisdom != NULL) {
        (void)PSG_FFTW(import_wisdom_from_string)(spec->wisdom);
    }
    const bool planned = plan_xy(fft, planes_stay_aligned ? ALIGNED : UNALIGNED) && plan_z(fft);
    fft->learnt = fft->learnt && spec->effort != PSG_CPU_ESTIMATE;
    pthread_mutex_unlock(&planner);
    if (!planned) {
        psg_cpu_fft_destroy(fft);
        return NULL;
    }
    return fft;
}

bool psg_cpu_fft_learnt(const psg_cpu_fft *fft) {
    return fft->learnt;
}

char *psg_cpu_fft_wisdom(const char *more) {
    pthread_mutex_lock(&planner);
    if (more != NULL) {
        (void)PSG_FFTW(import_wisdom_from_string)(more);
    }
    char *wisdom = PSG_FFTW(export_wisdom_to_string)();
    pthread_mutex_unlock(&planner);
    return wisdom;
}

void psg_cpu_fft_destroy(psg_cpu_fft *fft) {
    if (fft == NULL) {
        return;
    }
    pthread_mutex_lock(&planner);
    for (int d = PSG_CPU_FORWARD; d <= PSG_CPU_INVERSE; d++) {
        PSG_FFTW(destroy_plan)(fft->xy[d][ALIGNED]); /* NULL is fine */
        PSG_FFTW(destroy_plan)(fft->xy[d][UNALIGNED]);
        PSG_FFTW(destroy_plan)(fft->line[d]);
        PSG_FFTW(destroy_plan)(fft->column[d]);
        PSG_FFTW(destroy_plan)(fft->tile[d]);
    }
    for (pitched *p = atomic_load(&fft->pitched), *next = NULL; p != NULL; p = next) {
        next = p->next;
        PSG_FFTW(destroy_plan)(p->xy[PSG_CPU_FORWARD]);
        PSG_FFTW(destroy_plan)(p->xy[PSG_CPU_INVERSE]);
        free(p);
    }
    pthread_mutex_unlock(&planner);
    free(fft);
}

size_t psg_cpu_fft_scratch_bytes(const psg_cpu_fft *fft) {
    const size_t tiles = 2 * tile_bytes(fft);
    const size_t plane = spectrum_plane_bytes(fft);
    return tiles > plane ? tiles : plane;
}

static bool aligned(const void *p) {
    return (uintptr_t)p % FFTW_ALIGNMENT == 0;
}

static const pitched *pitched_for(const psg_cpu_fft *fft, size_t row_pitch) {
    const pitched *p = atomic_load(&fft->pitched);
    while (p != NULL && (p->row_pitch != row_pitch || p->xy[PSG_CPU_INVERSE] == NULL)) {
        p = p->next;
    }
    return p;
}

/* The plan for unaligned arrays serves aligned ones too. */
static fft_plan plan_for(const psg_cpu_fft *fft, psg_cpu_direction direction, const void *plane,
                         size_t row_pitch, const void *spectrum) {
    if (row_pitch != (size_t)fft->nx) {
        return pitched_for(fft, row_pitch)->xy[direction];
    }
    const fft_plan fast = fft->xy[direction][ALIGNED];
    return fast != NULL && aligned(plane) && aligned(spectrum) ? fast
                                                               : fft->xy[direction][UNALIGNED];
}

bool psg_cpu_fft_prepare(psg_cpu_fft *fft, const void *planes, size_t row_pitch,
                         size_t plane_pitch) {
    const bool dense = row_pitch == (size_t)fft->nx;
    const bool stays = aligned(planes) && plane_pitch * sizeof(psg_real) % FFTW_ALIGNMENT == 0;
    const bool known = dense ? stays || (fft->xy[PSG_CPU_FORWARD][UNALIGNED] != NULL &&
                                         fft->xy[PSG_CPU_INVERSE][UNALIGNED] != NULL)
                             : pitched_for(fft, row_pitch) != NULL;
    bool planned = true;
    if (!known) {
        pthread_mutex_lock(&planner);
        planned = dense ? plan_xy(fft, UNALIGNED) : plan_pitched(fft, row_pitch);
        pthread_mutex_unlock(&planner);
    }
    return planned;
}

void psg_cpu_fft_xy(const psg_cpu_fft *fft, const void *plane, size_t row_pitch, void *spectrum) {
    /* FFTW has no const; the plan preserves its input. */
    psg_real *in = (psg_real *)(uintptr_t)plane;
    PSG_FFTW(execute_dft_r2c)
    (plan_for(fft, PSG_CPU_FORWARD, plane, row_pitch, spectrum), in, spectrum);
}

void psg_cpu_ifft_xy(const psg_cpu_fft *fft, void *spectrum, void *plane, size_t row_pitch) {
    PSG_FFTW(execute_dft_c2r)
    (plan_for(fft, PSG_CPU_INVERSE, plane, row_pitch, spectrum), spectrum, plane);
}

bool psg_cpu_fft_z_contiguous(const psg_cpu_fft *fft, psg_cpu_direction direction, size_t count,
                              void *lines, void *scratch) {
    (void)scratch;
    fft_complex *line = lines;
    bool finite = true;
    for (size_t c = 0; c < count; c++, line += fft->nz) {
        PSG_FFTW(execute_dft)(fft->line[direction], line, line);
        finite = finite && psg_cpu_finite(*line);
    }
    return finite;
}

bool psg_cpu_fft_z_strided(const psg_cpu_fft *fft, psg_cpu_direction direction, size_t count,
                           void *columns, void *scratch) {
    const size_t nz = (size_t)fft->nz;
    const size_t w = fft->columns;
    psg_complex *all = columns;
    psg_complex *tile = scratch;
    bool finite = true;
    for (size_t m = 0; count < w && m < nz * w; m++) {
        tile[m][0] = tile[m][1] = 0; /* columns of the tile that never get data */
    }
    for (size_t first = 0; first < count; first += w) {
        const size_t some = count - first < w ? count - first : w;
        for (size_t k = 0; k < nz; k++) {
            for (size_t c = 0; c < some; c++) {
                tile[k * w + c][0] = all[k * count + first + c][0];
                tile[k * w + c][1] = all[k * count + first + c][1];
            }
        }
        PSG_FFTW(execute_dft)(fft->column[direction], tile, tile);
        for (size_t k = 0; k < nz; k++) {
            for (size_t c = 0; c < some; c++) {
                all[k * count + first + c][0] = tile[k * w + c][0];
                all[k * count + first + c][1] = tile[k * w + c][1];
            }
        }
        for (size_t c = 0; c < some; c++) {
            finite = finite && psg_cpu_finite(tile[c]);
        }
    }
    return finite;
}

size_t psg_cpu_fft_points_z(const psg_cpu_fft *fft) {
    return (size_t)fft->nz;
}

size_t psg_cpu_fft_tile_columns(const psg_cpu_fft *fft) {
    return fft->columns;
}

void psg_cpu_fft_tile_forward(const psg_cpu_fft *fft, psg_complex *tile, psg_complex *lines) {
    PSG_FFTW(execute_dft)(fft->tile[PSG_CPU_FORWARD], tile, lines);
}

void psg_cpu_fft_tile_inverse(const psg_cpu_fft *fft, psg_complex *lines, psg_complex *tile) {
    PSG_FFTW(execute_dft)(fft->tile[PSG_CPU_INVERSE], lines, tile);
}

#if !PSG_REAL_IS_FLOAT
const char *psg_cpu_fftw_version(void) {
    return fftw_version + strlen("fftw-"); /* it says "fftw-3.3.10-..." */
}
#endif
