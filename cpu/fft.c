/* FFTW's plans of a grid are made once, under a lock. */
#define _GNU_SOURCE /* dladdr() */
#include "base/memory.h"
#include "base/tuning.h"
#include "cpu/fft_plans.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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

/* The transform of the length that is transformed. */
static psg_transform_kind within(psg_transform_kind kind, int direction) {
    const bool forward = direction == PSG_CPU_FORWARD;
    return kind == PSG_TRANSFORM_FREE      ? PSG_TRANSFORM_PERIODIC
           : kind < PSG_TRANSFORM_FREE     ? kind
           : psg_transform_free_sine(kind) ? (forward ? PSG_TRANSFORM_SIN2 : PSG_TRANSFORM_SIN3)
                                           : (forward ? PSG_TRANSFORM_COS2 : PSG_TRANSFORM_COS3);
}

static PSG_FFTW(r2r_kind) kind_of(const psg_cpu_fft *fft, int axis, int direction) {
    static const PSG_FFTW(r2r_kind) kinds[PSG_TRANSFORM_COUNT] = {
        [PSG_TRANSFORM_COS1] = FFTW_REDFT00, [PSG_TRANSFORM_COS2] = FFTW_REDFT10,
        [PSG_TRANSFORM_COS3] = FFTW_REDFT01, [PSG_TRANSFORM_COS4] = FFTW_REDFT11,
        [PSG_TRANSFORM_SIN1] = FFTW_RODFT00, [PSG_TRANSFORM_SIN2] = FFTW_RODFT10,
        [PSG_TRANSFORM_SIN3] = FFTW_RODFT01, [PSG_TRANSFORM_SIN4] = FFTW_RODFT11,
    };
    const psg_transform_kind kind = within(fft->kind[axis][direction], direction);
    return kind != PSG_TRANSFORM_PERIODIC ? kinds[kind]
           : direction == PSG_CPU_FORWARD ? FFTW_R2HC
                                          : FFTW_HC2R;
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
    if (!rows_planned(fft)) {
        return true;
    }
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
    if (!columns_planned(fft)) {
        return true;
    }
    for (int d = PSG_CPU_FORWARD; all && d <= PSG_CPU_INVERSE; d++) {
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

static bool plan_pairs(psg_cpu_fft *fft) {
    bool all = true;
    for (int axis = 0; axis < 3; axis++) {
        const psg_cpu_pairs *p = &fft->pairs[axis];
        fft_complex *tile = p->width > 0 ? base_allocate(p->whole * p->width * sizeof *tile) : NULL;
        const int n = (int)p->whole, w = (int)p->width;
        for (int d = PSG_CPU_FORWARD; tile != NULL && d <= PSG_CPU_INVERSE; d++) {
            const int sign = d == PSG_CPU_FORWARD ? FFTW_FORWARD : FFTW_BACKWARD;
            WITH_WISDOM(
                fft, fft->pair[axis][d],
                PSG_FFTW(plan_many_dft)(1, &n, w, tile, NULL, w, 1, tile, NULL, w, 1, sign, flags));
        }
        all = all && (p->width == 0 || fft->pair[axis][PSG_CPU_INVERSE] != NULL);
        free(tile);
    }
    return all;
}

/* Of complex numbers along y there are no pairs, and an even periodic x is as fast without. Along z
 * kspace has transforms of type II as complex ones, and nodes in a tile as large as its own. */
static bool find_pairs(psg_cpu_fft *fft) {
    bool all = true;
    for (int d = 0; d < 3; d++) {
        const psg_transform_kind kind[2] = {within(fft->kind[d][0], 0), within(fft->kind[d][1], 1)};
        const bool may = d == 0 ? fft->real[0] || fft->along[0] % 2 == 1 ||
                                      psg_cpu_way_of((size_t)fft->along[0]) == PSG_CPU_DENSE
                         : d == 1 ? fft->real[1]
                                  : kind[0] == PSG_TRANSFORM_SIN1 || kind[0] == PSG_TRANSFORM_COS1;
        const int lines = d == 2        ? (int)fft->columns
                          : d == 1      ? 2 * fft->nxc
                          : fft->ny > 1 ? fft->ny
                                        : fft->nz;
        all = all && (!may || psg_cpu_pairs_init(&fft->pairs[d], (size_t)fft->along[d],
                                                 (size_t)lines, kind));
    }
    return all;
}

/* Complex transforms along an axis: of pairs, of columns, and along z in a tile. */
static bool find_primes(psg_cpu_fft *fft) {
    bool all = true;
    for (int d = 0; d < 3; d++) {
        const bool alone =
            d == 1 ? !fft->real[1] : d == 2 && (fft->mirrored || (!fft->real[2] && !fft->free));
        const size_t n = fft->pairs[d].width > 0 ? fft->pairs[d].whole : (size_t)fft->along[d];
        all = all && psg_cpu_prime_init(&fft->prime[d], fft->pairs[d].width > 0 || alone ? n : 1);
    }
    return all;
}

static bool plan_primes(psg_cpu_fft *fft) {
    enum { W = PSG_CPU_PRIME_LINES };
    bool all = true;
    for (int axis = 0; axis < 3 && all; axis++) {
        const psg_cpu_prime *p = &fft->prime[axis];
        const int m = p->way == PSG_CPU_DENSE ? 0 : (int)p->m;
        fft_plan *inner = fft->inner[axis];
        fft_complex *tile = m > 0 ? base_allocate(p->m * W * sizeof *tile) : NULL;
        for (int d = PSG_CPU_FORWARD; tile != NULL && d <= PSG_CPU_INVERSE; d++) {
            const int sign = d == PSG_CPU_FORWARD ? FFTW_FORWARD : FFTW_BACKWARD;
            WITH_WISDOM(
                fft, inner[d],
                PSG_FFTW(plan_many_dft)(1, &m, W, tile, NULL, W, 1, tile, NULL, W, 1, sign, flags));
        }
        all = m == 0 || inner[PSG_CPU_INVERSE] != NULL;
        for (int d = PSG_CPU_FORWARD; m > 0 && all && d <= PSG_CPU_INVERSE; d++) {
            memset(tile, 0, p->m * W * sizeof *tile);
            for (size_t q = 0; q < p->m; q++) {
                psg_cpu_prime_other(p, (psg_cpu_direction)d, q, tile[q * W]);
            }
            PSG_FFTW(execute_dft)(inner[PSG_CPU_FORWARD], tile, tile);
            for (size_t q = 0; q < p->m; q++) {
                memcpy(p->factor[d] + 2 * q, tile[q * W], sizeof *tile);
            }
        }
        free(tile);
    }
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
        const bool given = d < 2 && spec->length[d] > 0;
        const size_t along = given ? spec->length[d] : psg_transform_length(points, kind, d);
        fft->along[d] = (int)along;
        fft->first[d] = (int)(given ? spec->first[d] : psg_transform_first(points, kind));
        fft->padded = fft->padded || given || (d < 2 && along > points);
        fft->real[d] = fft->real[0] || !psg_transform_complex(kind);
    }
    const int last_row = fft->first[1] + fft->ny;
    fft->nxc = spec->length[0] > 0 ? (int)(spec->first[0] + spec->nx + 1) / 2 : fft->nxc;
    fft->rows = fft->along[1] > last_row ? fft->along[1] : last_row;
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
                         find_pairs(fft) && plan_pairs(fft) && find_primes(fft) &&
                         plan_primes(fft) &&
                         plan_dense(fft, planes_stay_aligned ? ALIGNED : UNALIGNED) &&
                         (fft->kind[2][PSG_CPU_FORWARD] == PSG_TRANSFORM_NONE || plan_z(fft));
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
        for (int axis = 0; axis < 3; axis++) {
            PSG_FFTW(destroy_plan)(fft->pair[axis][d]);
            PSG_FFTW(destroy_plan)(fft->inner[axis][d]);
        }
    }
    destroy_planes(&fft->dense[ALIGNED]);
    destroy_planes(&fft->dense[UNALIGNED]);
    for (pitched *p = atomic_load(&fft->pitched), *next = NULL; p != NULL; p = next) {
        next = p->next;
        destroy_planes(&p->planes);
        free(p);
    }
    pthread_mutex_unlock(&planner);
    for (int axis = 0; axis < 3; axis++) {
        free(fft->pairs[axis].turn);
        psg_cpu_prime_free(&fft->prime[axis]);
    }
    free(fft->twiddle);
    free(fft);
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
