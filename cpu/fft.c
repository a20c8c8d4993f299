/* All of FFTW: the one file that knows it. Plans are made once, under a lock, and executed by any
 * thread on any array through the new-array interface. */
#define _GNU_SOURCE /* dladdr() */
#include "base/memory.h"
#include "base/tuning.h"
#include "cpu/internal.h"

#include <dlfcn.h>
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
    int along[3]; /* points that are transformed: nx, ny and nz, or twice as many */
    int nxc;
    bool padded;                   /* in place, in a spectrum with f in some points of some rows */
    int first[3];                  /* the first of these points, and rows; along z, planes */
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
        tile[2];   /* [nz][columns] -> [columns][nz], and back; of a mirrored z complex, in place */
    bool free;     /* there is no side at one end of z, or at both */
    bool mirrored; /* type II along z, forward: kspace does it by a complex transform */
    psg_real
        *twiddle; /* cos and sin, k < nz: of a mirrored z of pi k/(2 nz), of a free z of pi k/nz */
};

/* FFTW has one planner per precision. In a library that shares FFTW with the host program it is the
 * host's, too: FFTW's own lock then protects the calls that plan, but not those that read and write
 * its wisdom, so they are left alone. */
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

static void lock_planner(void) {
    pthread_mutex_lock(&planner);
    if (PSG_FFTW_SHARED) {
        PSG_FFTW(make_planner_thread_safe)();
    }
}

static void import_wisdom(const char *wisdom) {
    if (wisdom != NULL && !PSG_FFTW_SHARED) {
        (void)PSG_FFTW(import_wisdom_from_string)(wisdom);
    }
}

static size_t spectrum_plane_bytes(const psg_cpu_fft *fft) {
    return (size_t)fft->along[1] * (size_t)fft->nxc * sizeof(psg_complex);
}

/* Reals before the first row that f is in. */
static size_t rows_before(const psg_cpu_fft *fft) {
    return (size_t)fft->first[1] * 2 * (size_t)fft->nxc;
}

static size_t tile_bytes(const psg_cpu_fft *fft) {
    return (size_t)fft->along[2] * fft->columns * sizeof(psg_complex);
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

static PSG_FFTW(r2r_kind) kind_of(const psg_cpu_fft *fft, int axis, int direction) {
    static const PSG_FFTW(r2r_kind) kinds[PSG_TRANSFORM_COUNT] = {
        [PSG_TRANSFORM_COS1] = FFTW_REDFT00, [PSG_TRANSFORM_COS2] = FFTW_REDFT10,
        [PSG_TRANSFORM_COS3] = FFTW_REDFT01, [PSG_TRANSFORM_COS4] = FFTW_REDFT11,
        [PSG_TRANSFORM_SIN1] = FFTW_RODFT00, [PSG_TRANSFORM_SIN2] = FFTW_RODFT10,
        [PSG_TRANSFORM_SIN3] = FFTW_RODFT01, [PSG_TRANSFORM_SIN4] = FFTW_RODFT11,
    };
    const psg_transform_kind kind = fft->kind[axis][direction];
    const bool forward = direction == PSG_CPU_FORWARD;
    return kind == PSG_TRANSFORM_FREE_COS2   ? (forward ? FFTW_REDFT10 : FFTW_REDFT01)
           : kind == PSG_TRANSFORM_FREE_SIN2 ? (forward ? FFTW_RODFT10 : FFTW_RODFT01)
           : !psg_transform_complex(kind)    ? kinds[kind]
           : direction == PSG_CPU_FORWARD    ? FFTW_R2HC
                                             : FFTW_HC2R;
}

static bool columns_apart(const psg_cpu_fft *fft) {
    return fft->real[1] || fft->padded;
}

/* Plan the transforms of planes whose rows are so many reals apart, under the lock. */
static bool plan_rows(psg_cpu_fft *fft, planes *p, int row_pitch, psg_real *plane,
                      fft_complex *spectrum, unsigned more) {
    const bool both = !columns_apart(fft);
    const int n[2] = {fft->along[1], fft->along[0]};
    const int real[2] = {fft->ny, row_pitch};
    const int rank = both ? 2 : 1;
    const int rows = both ? 1 : fft->ny;
    const int wide = 2 * fft->nxc;
    const PSG_FFTW(r2r_kind)
        kind[2] = {kind_of(fft, 0, PSG_CPU_FORWARD), kind_of(fft, 0, PSG_CPU_INVERSE)};
    const unsigned keep = more | FFTW_PRESERVE_INPUT;
    const unsigned destroy = more | FFTW_DESTROY_INPUT;
    if (fft->real[0]) {
        WITH_WISDOM(fft, p->rows[PSG_CPU_FORWARD],
                    PSG_FFTW(plan_many_r2r)(1, &n[1], rows, plane, NULL, 1, row_pitch, *spectrum,
                                            NULL, 1, wide, &kind[PSG_CPU_FORWARD], flags | keep));
        WITH_WISDOM(fft, p->rows[PSG_CPU_INVERSE],
                    PSG_FFTW(plan_many_r2r)(1, &n[1], rows, *spectrum, NULL, 1, wide, plane, NULL,
                                            1, row_pitch, &kind[PSG_CPU_INVERSE], flags | destroy));
    } else {
        const int *extent = both ? n : &n[1];
        WITH_WISDOM(fft, p->rows[PSG_CPU_FORWARD],
                    PSG_FFTW(plan_many_dft_r2c)(rank, extent, rows, plane, both ? real : NULL, 1,
                                                row_pitch, spectrum, NULL, 1, fft->nxc,
                                                flags | keep));
        WITH_WISDOM(fft, p->rows[PSG_CPU_INVERSE],
                    PSG_FFTW(plan_many_dft_c2r)(rank, extent, rows, spectrum, NULL, 1, fft->nxc,
                                                plane, both ? real : NULL, 1, row_pitch,
                                                flags | destroy));
    }
    return p->rows[PSG_CPU_FORWARD] != NULL && p->rows[PSG_CPU_INVERSE] != NULL;
}

static bool plan_columns(psg_cpu_fft *fft, planes *p, fft_complex *spectrum, unsigned more) {
    const int n = fft->along[1];
    const int nxc = fft->nxc;
    const int wide = 2 * nxc;
    bool all = true;
    for (int d = PSG_CPU_FORWARD; all && columns_apart(fft) && d <= PSG_CPU_INVERSE; d++) {
        const PSG_FFTW(r2r_kind) kind = kind_of(fft, 1, d);
        const int sign = d == PSG_CPU_FORWARD ? FFTW_FORWARD : FFTW_BACKWARD;
        WITH_WISDOM(fft, p->columns[d],
                    fft->real[1]
                        ? PSG_FFTW(plan_many_r2r)(1, &n, wide, *spectrum, NULL, wide, 1, *spectrum,
                                                  NULL, wide, 1, &kind, flags | more)
                        : PSG_FFTW(plan_many_dft)(1, &n, nxc, spectrum, NULL, nxc, 1, spectrum,
                                                  NULL, nxc, 1, sign, flags | more));
        all = p->columns[d] != NULL;
    }
    return all;
}

static bool plan_planes(psg_cpu_fft *fft, planes *p, size_t row_pitch, unsigned more) {
    psg_real *plane = base_allocate((size_t)fft->ny * row_pitch * sizeof *plane);
    fft_complex *spectrum = base_allocate(spectrum_plane_bytes(fft));
    const bool planned = plane != NULL && spectrum != NULL &&
                         (fft->padded ? plan_rows(fft, p, 2 * fft->nxc, *spectrum, spectrum, more)
                                      : plan_rows(fft, p, (int)row_pitch, plane, spectrum, more)) &&
                         plan_columns(fft, p, spectrum, more);
    free(plane);
    free(spectrum);
    return planned;
}

static bool plan_dense(psg_cpu_fft *fft, int alignment) {
    return plan_planes(fft, &fft->dense[alignment], (size_t)fft->nx,
                       alignment == UNALIGNED ? FFTW_UNALIGNED : 0);
}

static bool plan_pitched(psg_cpu_fft *fft, size_t row_pitch) {
    pitched *p = calloc(1, sizeof *p);
    if (p == NULL) {
        return false;
    }
    const bool planned = plan_planes(fft, &p->planes, row_pitch, FFTW_UNALIGNED);
    p->row_pitch = planned ? row_pitch : 0; /* a failure stays for its plans to be freed */
    p->next = atomic_load(&fft->pitched);
    atomic_store(&fft->pitched, p);
    return planned;
}

/* Complex lines along z: the distance of their points, and of the lines. */
typedef struct line_set {
    fft_complex *first;
    int point, line;
} line_set;

static fft_plan plan_lines(const psg_cpu_fft *fft, bool real, int d, int count, line_set from,
                           line_set to, unsigned flags) {
    const PSG_FFTW(r2r_kind) kind = kind_of(fft, 2, d);
    if (!real) {
        const PSG_FFTW(iodim) along = {fft->along[2], from.point, to.point};
        const PSG_FFTW(iodim) across = {count, from.line, to.line};
        return PSG_FFTW(plan_guru_dft)(1, &along, 1, &across, from.first, to.first,
                                       d == PSG_CPU_FORWARD ? FFTW_FORWARD : FFTW_BACKWARD, flags);
    }
    const PSG_FFTW(iodim) along = {fft->along[2], 2 * from.point, 2 * to.point};
    const PSG_FFTW(iodim) across[2] = {{count, 2 * from.line, 2 * to.line}, {2, 1, 1}};
    return PSG_FFTW(plan_guru_r2r)(1, &along, 2, across, *from.first, *to.first, &kind, flags);
}

static void run_lines(const psg_cpu_fft *fft, fft_plan plan, psg_complex *from, psg_complex *to) {
    if (fft->real[2]) {
        PSG_FFTW(execute_r2r)(plan, *from, *to);
    } else {
        PSG_FFTW(execute_dft)(plan, from, to);
    }
}

static bool plan_z(psg_cpu_fft *fft) {
    const int w = (int)fft->columns;
    fft_complex *tile = base_allocate(tile_bytes(fft));
    fft_complex *other = base_allocate(tile_bytes(fft));
    const line_set strided = {tile, w, 1};
    const line_set contiguous = {other, 1, fft->along[2]};
    bool all = tile != NULL && other != NULL;
    for (int d = PSG_CPU_FORWARD; all && d <= PSG_CPU_INVERSE; d++) {
        const bool forward = d == PSG_CPU_FORWARD;
        WITH_WISDOM(
            fft, fft->line[d],
            plan_lines(fft, fft->real[2], d, 1, contiguous, contiguous, flags | FFTW_UNALIGNED));
        WITH_WISDOM(fft, fft->column[d],
                    plan_lines(fft, fft->real[2], d, w, strided, strided, flags));
        if (fft->mirrored) {
            WITH_WISDOM(fft, fft->tile[d], plan_lines(fft, false, d, w, strided, strided, flags));
        } else {
            WITH_WISDOM(fft, fft->tile[d],
                        plan_lines(fft, fft->real[2], d, w, forward ? strided : contiguous,
                                   forward ? contiguous : strided, flags | FFTW_DESTROY_INPUT));
        }
        all = fft->line[d] != NULL && fft->column[d] != NULL && fft->tile[d] != NULL;
    }
    free(tile);
    free(other);
    return all;
}

static bool make_twiddles(psg_cpu_fft *fft) {
    const double step = 3.14159265358979323846 / (fft->free ? fft->nz : 2.0 * fft->nz);
    fft->twiddle = malloc(2 * (size_t)fft->nz * sizeof *fft->twiddle);
    for (int k = 0; fft->twiddle != NULL && k < fft->nz; k++) {
        fft->twiddle[2 * (size_t)k] = (psg_real)cos(step * k);
        fft->twiddle[2 * (size_t)k + 1] = (psg_real)sin(step * k);
    }
    return fft->twiddle != NULL;
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
    fft->nxc = (int)psg_transform_row(spec->nx, spec->kind[0][PSG_CPU_FORWARD]);
    memcpy(fft->kind, spec->kind, sizeof fft->kind);
    for (int d = 0; d < 3; d++) {
        const size_t points = d == 0 ? spec->nx : d == 1 ? spec->ny : spec->nz;
        const psg_transform_kind kind = spec->kind[d][PSG_CPU_FORWARD];
        const size_t along = psg_transform_length(points, kind, d);
        fft->along[d] = (int)along;
        fft->first[d] = spec->at_end[d] ? (int)(along - points) : 0;
        fft->padded = fft->padded || (d < 2 && along > points);
        fft->real[d] = fft->real[0] || !psg_transform_complex(kind);
    }
    fft->free = fft->kind[2][PSG_CPU_FORWARD] == PSG_TRANSFORM_FREE;
    fft->real[2] = fft->real[2] && !fft->free;
    fft->mirrored = fft->kind[2][PSG_CPU_FORWARD] == PSG_TRANSFORM_COS2 ||
                    fft->kind[2][PSG_CPU_FORWARD] == PSG_TRANSFORM_SIN2;
    fft->flags = effort_flags[spec->effort];
    fft->columns = PSG_CPU_TILE_COLUMNS;
    while (fft->columns > TUNING_CPU_TILE_COLUMNS_MIN && tile_bytes(fft) > TUNING_CPU_TILE_BYTES) {
        fft->columns /= 2;
    }
    const size_t to_first = fft->padded ? rows_before(fft) : spec->nx * spec->ny;
    const bool planes_stay_aligned = to_first * sizeof(psg_real) % FFTW_ALIGNMENT == 0 &&
                                     spectrum_plane_bytes(fft) % FFTW_ALIGNMENT == 0;

    lock_planner();
    import_wisdom(spec->wisdom);
    const bool planned = ((!fft->mirrored && !fft->free) || make_twiddles(fft)) &&
                         plan_dense(fft, planes_stay_aligned ? ALIGNED : UNALIGNED) && plan_z(fft);
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
    lock_planner();
    import_wisdom(more);
    char *wisdom = PSG_FFTW_SHARED ? NULL : PSG_FFTW(export_wisdom_to_string)();
    pthread_mutex_unlock(&planner);
    return wisdom;
}

static void destroy_planes(planes *p) {
    for (int d = PSG_CPU_FORWARD; d <= PSG_CPU_INVERSE; d++) {
        PSG_FFTW(destroy_plan)(p->rows[d]); /* NULL is fine */
        PSG_FFTW(destroy_plan)(p->columns[d]);
    }
}

void psg_cpu_fft_destroy(psg_cpu_fft *fft) {
    if (fft == NULL) {
        return;
    }
    lock_planner();
    for (int d = PSG_CPU_FORWARD; d <= PSG_CPU_INVERSE; d++) {
        PSG_FFTW(destroy_plan)(fft->line[d]);
        PSG_FFTW(destroy_plan)(fft->column[d]);
        PSG_FFTW(destroy_plan)(fft->tile[d]);
    }
    destroy_planes(&fft->dense[ALIGNED]);
    destroy_planes(&fft->dense[UNALIGNED]);
    for (pitched *p = atomic_load(&fft->pitched), *next = NULL; p != NULL; p = next) {
        next = p->next;
        destroy_planes(&p->planes);
        free(p);
    }
    pthread_mutex_unlock(&planner);
    free(fft->twiddle);
    free(fft);
}

size_t psg_cpu_fft_scratch_bytes(const psg_cpu_fft *fft) {
    const size_t tiles = (fft->free ? 3 : 2) * tile_bytes(fft);
    const size_t plane = spectrum_plane_bytes(fft);
    return tiles > plane ? tiles : plane;
}

static bool aligned(const void *p) {
    return (uintptr_t)p % FFTW_ALIGNMENT == 0;
}

static const pitched *pitched_for(const psg_cpu_fft *fft, size_t row_pitch) {
    const pitched *p = atomic_load(&fft->pitched);
    while (p != NULL && p->row_pitch != row_pitch) {
        p = p->next;
    }
    return p;
}

static bool is_planned(const psg_cpu_fft *fft, const planes *p) {
    return p->rows[PSG_CPU_INVERSE] != NULL &&
           (!columns_apart(fft) || p->columns[PSG_CPU_INVERSE] != NULL);
}

/* The plans for unaligned arrays serve aligned ones too. */
static const planes *planes_for(const psg_cpu_fft *fft, const void *plane, size_t row_pitch,
                                const void *spectrum) {
    if (row_pitch != (size_t)fft->nx && !fft->padded) {
        return &pitched_for(fft, row_pitch)->planes;
    }
    const planes *fast = &fft->dense[ALIGNED];
    return fast->rows[PSG_CPU_FORWARD] != NULL && aligned(plane) && aligned(spectrum)
               ? fast
               : &fft->dense[UNALIGNED];
}

bool psg_cpu_fft_prepare(psg_cpu_fft *fft, const void *first, size_t row_pitch,
                         size_t plane_pitch) {
    const bool dense = row_pitch == (size_t)fft->nx;
    const bool stays = aligned(first) && plane_pitch * sizeof(psg_real) % FFTW_ALIGNMENT == 0;
    const bool known = fft->padded || (dense ? stays || is_planned(fft, &fft->dense[UNALIGNED])
                                             : pitched_for(fft, row_pitch) != NULL);
    bool found = true;
    if (!known) {
        lock_planner();
        found = dense ? plan_dense(fft, UNALIGNED) : plan_pitched(fft, row_pitch);
        pthread_mutex_unlock(&planner);
    }
    return found;
}

/* The place of an odd last mode is transformed along y and z, and stays 0. */
static void clear_last(const psg_cpu_fft *fft, psg_complex *spectrum) {
    for (int j = 0; fft->real[0] && fft->along[0] % 2 == 1 && j < fft->ny; j++) {
        spectrum[((size_t)j + 1) * (size_t)fft->nxc - 1][1] = 0;
    }
}

/* A plane in some points of some rows of a spectrum, with 0 in all others; and back. */
static void pad(const psg_cpu_fft *fft, const psg_real *plane, size_t row_pitch,
                psg_complex *spectrum) {
    const size_t nx = (size_t)fft->nx;
    const size_t wide = 2 * (size_t)fft->nxc;
    const size_t before = (size_t)fft->first[0];
    psg_real *row = *spectrum;
    memset(row, 0, rows_before(fft) * sizeof *row);
    row += rows_before(fft);
    for (int j = 0; j < fft->ny; j++, plane += row_pitch, row += wide) {
        memset(row, 0, before * sizeof *row);
        memcpy(row + before, plane, nx * sizeof *row);
        memset(row + before + nx, 0, (wide - before - nx) * sizeof *row);
    }
    memset(row, 0, (size_t)(fft->along[1] - fft->ny - fft->first[1]) * wide * sizeof *row);
}

static void take_out(const psg_cpu_fft *fft, const psg_complex *spectrum, psg_real *plane,
                     size_t row_pitch) {
    const psg_real *row = *spectrum + rows_before(fft) + fft->first[0];
    for (int j = 0; j < fft->ny; j++, plane += row_pitch, row += 2 * (size_t)fft->nxc) {
        memcpy(plane, row, (size_t)fft->nx * sizeof *row);
    }
}

static void run_columns(const psg_cpu_fft *fft, fft_plan plan, psg_complex *spectrum) {
    if (fft->real[1]) {
        PSG_FFTW(execute_r2r)(plan, *spectrum, *spectrum);
    } else if (columns_apart(fft)) {
        PSG_FFTW(execute_dft)(plan, spectrum, spectrum);
    }
}

static psg_complex *first_row(const psg_cpu_fft *fft, void *spectrum) {
    return (psg_complex *)spectrum + rows_before(fft) / 2;
}

void psg_cpu_fft_xy(const psg_cpu_fft *fft, const void *plane, size_t row_pitch, void *spectrum) {
    /* FFTW has no const; the plan preserves its input. */
    psg_complex *rows = first_row(fft, spectrum);
    psg_real *in = fft->padded ? *rows : (psg_real *)(uintptr_t)plane;
    const planes *p = planes_for(fft, in, row_pitch, spectrum);
    if (fft->padded) {
        pad(fft, plane, row_pitch, spectrum);
    }
    if (fft->real[0]) {
        PSG_FFTW(execute_r2r)(p->rows[PSG_CPU_FORWARD], in, *rows);
        clear_last(fft, rows);
    } else {
        PSG_FFTW(execute_dft_r2c)(p->rows[PSG_CPU_FORWARD], in, rows);
    }
    run_columns(fft, p->columns[PSG_CPU_FORWARD], spectrum);
}

void psg_cpu_ifft_xy(const psg_cpu_fft *fft, void *spectrum, void *plane, size_t row_pitch) {
    psg_complex *rows = first_row(fft, spectrum);
    psg_real *out = fft->padded ? *rows : plane;
    const planes *p = planes_for(fft, out, row_pitch, spectrum);
    run_columns(fft, p->columns[PSG_CPU_INVERSE], spectrum);
    if (fft->real[0]) {
        PSG_FFTW(execute_r2r)(p->rows[PSG_CPU_INVERSE], *rows, out);
    } else {
        PSG_FFTW(execute_dft_c2r)(p->rows[PSG_CPU_INVERSE], rows, out);
    }
    if (fft->padded) {
        take_out(fft, spectrum, plane, row_pitch);
    }
}

bool psg_cpu_fft_z_contiguous(const psg_cpu_fft *fft, psg_cpu_direction direction, size_t count,
                              void *lines, void *scratch) {
    (void)scratch;
    fft_complex *line = lines;
    bool finite = true;
    for (size_t c = 0; c < count; c++, line += fft->nz) {
        run_lines(fft, fft->line[direction], line, line);
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
            memcpy(tile + k * w, all + k * count + first, some * sizeof *tile);
        }
        run_lines(fft, fft->column[direction], tile, tile);
        for (size_t k = 0; k < nz; k++) {
            memcpy(all + k * count + first, tile + k * w, some * sizeof *tile);
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

size_t psg_cpu_fft_length_z(const psg_cpu_fft *fft) {
    return (size_t)fft->along[2];
}

size_t psg_cpu_fft_first_z(const psg_cpu_fft *fft) {
    return (size_t)fft->first[2];
}

size_t psg_cpu_fft_tile_columns(const psg_cpu_fft *fft) {
    return fft->columns;
}

void psg_cpu_fft_tile_forward(const psg_cpu_fft *fft, psg_complex *tile, psg_complex *lines) {
    run_lines(fft, fft->tile[PSG_CPU_FORWARD], tile, lines);
}

void psg_cpu_fft_tile_inverse(const psg_cpu_fft *fft, psg_complex *lines, psg_complex *tile) {
    run_lines(fft, fft->tile[PSG_CPU_INVERSE], lines, tile);
}

const psg_real *psg_cpu_fft_mirrored(const psg_cpu_fft *fft, bool *sine) {
    *sine = fft->kind[2][PSG_CPU_FORWARD] == PSG_TRANSFORM_SIN2;
    return fft->mirrored ? fft->twiddle : NULL;
}

void psg_cpu_fft_tile_in_place(const psg_cpu_fft *fft, psg_cpu_direction direction,
                               psg_complex *tile) {
    run_lines(fft, fft->column[direction], tile, tile);
}

const psg_real *psg_cpu_fft_turn(const psg_cpu_fft *fft) {
    return fft->twiddle;
}

void psg_cpu_fft_tile_mirrored(const psg_cpu_fft *fft, psg_cpu_direction direction,
                               psg_complex *tile) {
    PSG_FFTW(execute_dft)(fft->tile[direction], tile, tile);
}

#if !PSG_REAL_IS_FLOAT
bool psg_cpu_cosines(int axes, const int *points, size_t count, size_t pitch, double *lines) {
    const int apart = (int)pitch;
    const fftw_r2r_kind kind[] = {FFTW_REDFT00, FFTW_REDFT00, FFTW_REDFT00};
    lock_planner();
    fftw_plan plan = fftw_plan_many_r2r(axes, points, (int)count, lines, NULL, 1, apart, lines,
                                        NULL, 1, apart, kind, FFTW_ESTIMATE);
    pthread_mutex_unlock(&planner);
    if (plan != NULL) {
        fftw_execute(plan);
        lock_planner();
        fftw_destroy_plan(plan);
        pthread_mutex_unlock(&planner);
    }
    return plan != NULL;
}

const char *psg_cpu_fftw_version(void) {
    return fftw_version + strlen("fftw-"); /* it says "fftw-3.3.10-..." */
}

const char *psg_cpu_fftw_name(void) {
    Dl_info found;
    void *call = PSG_FFTW_SHARED ? dlsym(RTLD_DEFAULT, "fftw_plan_guru_r2r") : NULL;
    return call != NULL && dladdr(call, &found) != 0 ? found.dli_fname : "FFTW";
}
#endif
