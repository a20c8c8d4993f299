/* FFTW's threaded 3-D transforms, in one process and in several. FFTW's threads are OpenMP's. */
#include "lab/peers/cores.h"
#include "lab/peers/program.h"

#include <fftw3.h>
#ifdef PSG_FFTW_MPI
#include <fftw3-mpi.h>
#endif
#include <stdlib.h>

typedef struct plans {
    fftw_plan f64[2]; /* forward, inverse */
    fftwf_plan f32[2];
} plans;

static void start(void) {
    bench_must(fftw_init_threads() != 0 && fftwf_init_threads() != 0, "FFTW has no threads");
}

/* Of z, y and x. */
static void kinds_of(const char *bc, int direction, fftw_r2r_kind kinds[3]) {
    for (int d = 0; d < 3; d++, bc += 3) {
        const int like = bc[0] == bc[1];
        fftw_r2r_kind *kind = &kinds[2 - d];
        if (bc[0] == 'P') {
            *kind = direction == 0 ? FFTW_R2HC : FFTW_HC2R;
        } else if (bc[0] == 'N') {
            *kind = !like ? FFTW_REDFT11 : direction == 0 ? FFTW_REDFT10 : FFTW_REDFT01;
        } else {
            *kind = !like ? FFTW_RODFT11 : direction == 0 ? FFTW_RODFT10 : FFTW_RODFT01;
        }
    }
}

/* Both plans of a precision: with sides by real transforms. psg plans too, on one thread and
 * without a limit of time. */
#define DEFINE_PLANS(name, fftw)                                                                   \
    static void name(fftw##_plan both[2], const bench_way *way, void *f, void *spectrum, void *u,  \
                     unsigned effort, unsigned keep) {                                             \
        const int nx = (int)way->n[0], ny = (int)way->n[1], nz = (int)way->n[2];                   \
        fftw_r2r_kind there[3], back[3];                                                           \
        fftw##_set_timelimit(way->seconds);                                                        \
        fftw##_plan_with_nthreads(way->threads);                                                   \
        if (way->bc != NULL) {                                                                     \
            kinds_of(way->bc, 0, there);                                                           \
            kinds_of(way->bc, 1, back);                                                            \
            both[0] = fftw##_plan_r2r_3d(nz, ny, nx, f, spectrum, there[0], there[1], there[2],    \
                                         effort | keep);                                           \
            both[1] =                                                                              \
                fftw##_plan_r2r_3d(nz, ny, nx, spectrum, u, back[0], back[1], back[2], effort);    \
        } else {                                                                                   \
            both[0] = fftw##_plan_dft_r2c_3d(nz, ny, nx, f, spectrum, effort | keep);              \
            both[1] = fftw##_plan_dft_c2r_3d(nz, ny, nx, spectrum, u, effort);                     \
        }                                                                                          \
        fftw##_plan_with_nthreads(1);                                                              \
        fftw##_set_timelimit(FFTW_NO_TIMELIMIT);                                                   \
    }
DEFINE_PLANS(plan_f64, fftw)
DEFINE_PLANS(plan_f32, fftwf)

static plans *allocate(void) {
    plans *p = calloc(1, sizeof *p);
    bench_must(p != NULL, "no memory for a plan");
    return p;
}

static void *both_or_none(plans *p) {
    if ((p->f64[0] != NULL && p->f64[1] != NULL) || (p->f32[0] != NULL && p->f32[1] != NULL)) {
        return p;
    }
    free(p);
    return NULL;
}

static void *plan(const bench_way *way, void *f, void *spectrum, void *u) {
    const unsigned effort = way->effort == 0 ? FFTW_MEASURE : FFTW_PATIENT;
    const unsigned keep = way->in_place ? 0 : FFTW_PRESERVE_INPUT;
    plans *p = allocate();
    if (way->precision == PSG_F64) {
        plan_f64(p->f64, way, f, spectrum, u, effort, keep);
    } else {
        plan_f32(p->f32, way, f, spectrum, u, effort, keep);
    }
    return both_or_none(p);
}

static void execute(void *plan, int inverse) {
    const plans *p = plan;
    if (p->f64[inverse] != NULL) {
        fftw_execute(p->f64[inverse]);
    } else {
        fftwf_execute(p->f32[inverse]);
    }
}

static void destroy(void *plan) {
    plans *p = plan;
    for (int d = 0; d < 2; d++) {
        fftw_destroy_plan(p->f64[d]);
        fftwf_destroy_plan(p->f32[d]);
    }
    free(p);
}

const bench_library bench_library_fftw = {.name = "fftw",
                                          .sides = 1,
                                          .efforts =
                                              (const char *const[]){"measure", "patient", NULL},
                                          .start = start,
                                          .plan = plan,
                                          .execute = execute,
                                          .destroy = destroy};

#ifdef PSG_FFTW_MPI
static void start_mpi(void) {
    start();
    fftw_mpi_init();
}

static void deal(const size_t n[3], bench_part *part) {
    ptrdiff_t planes, z0, rows, y0;
    part->modes = (size_t)fftw_mpi_local_size_3d_transposed((ptrdiff_t)n[2], (ptrdiff_t)n[1],
                                                            (ptrdiff_t)n[0] / 2 + 1, MPI_COMM_WORLD,
                                                            &planes, &z0, &rows, &y0);
    part->z0 = (size_t)z0;
    part->planes = (size_t)planes;
    part->outer = 1;
    part->first = (size_t)y0;
    part->count = (size_t)rows;
}

/* The spectrum is transposed: rows of y, of all of z. */
static void *plan_mpi(const bench_way *way, void *f, void *spectrum, void *u) {
    const unsigned flags = FFTW_MEASURE | FFTW_DESTROY_INPUT;
    const ptrdiff_t nx = (ptrdiff_t)way->n[0], ny = (ptrdiff_t)way->n[1];
    const ptrdiff_t nz = (ptrdiff_t)way->n[2];
    plans *p = allocate();
    fftw_set_timelimit(way->seconds);
    fftw_plan_with_nthreads(way->threads);
    p->f64[0] = fftw_mpi_plan_dft_r2c_3d(nz, ny, nx, f, spectrum, MPI_COMM_WORLD,
                                         flags | FFTW_MPI_TRANSPOSED_OUT);
    p->f64[1] = fftw_mpi_plan_dft_c2r_3d(nz, ny, nx, spectrum, u, MPI_COMM_WORLD,
                                         flags | FFTW_MPI_TRANSPOSED_IN);
    fftw_plan_with_nthreads(1);
    fftw_set_timelimit(FFTW_NO_TIMELIMIT);
    return both_or_none(p);
}

const bench_library bench_library_fftw_mpi = {.name = "fftw_mpi",
                                              .processes = 1,
                                              .efforts = (const char *const[]){"measure", NULL},
                                              .start = start_mpi,
                                              .deal = deal,
                                              .plan = plan_mpi,
                                              .execute = execute,
                                              .destroy = destroy};
#endif
