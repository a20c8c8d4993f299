/* psg beside FFTW's own threaded 3-D transforms; see cores_peer.c. FFTW's threads are OpenMP's, the division's too. */
#include "bench/programs/cores_peer.h"
#include "bench/programs/program.h"

#include <fftw3.h>
#include <stdlib.h>

typedef struct plans {
    fftw_plan f64[2]; /* forward, inverse */
    fftwf_plan f32[2];
} plans;

static const char *const efforts[] = {"measure", "patient", NULL};

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

/* Real transforms, for sides. */
static void plan_sides(plans *p, const bench_way *way, void *f, void *spectrum, void *u,
                       unsigned effort, unsigned keep) {
    const int nx = (int)way->n[0], ny = (int)way->n[1], nz = (int)way->n[2];
    fftw_r2r_kind there[3], back[3];
    kinds_of(way->bc, 0, there);
    kinds_of(way->bc, 1, back);
    if (way->precision == PSG_F64) {
        p->f64[0] =
            fftw_plan_r2r_3d(nz, ny, nx, f, spectrum, there[0], there[1], there[2], effort | keep);
        p->f64[1] = fftw_plan_r2r_3d(nz, ny, nx, spectrum, u, back[0], back[1], back[2], effort);
    } else {
        p->f32[0] =
            fftwf_plan_r2r_3d(nz, ny, nx, f, spectrum, there[0], there[1], there[2], effort | keep);
        p->f32[1] = fftwf_plan_r2r_3d(nz, ny, nx, spectrum, u, back[0], back[1], back[2], effort);
    }
}

static void *plan(const bench_way *way, void *f, void *spectrum, void *u) {
    const int nx = (int)way->n[0], ny = (int)way->n[1], nz = (int)way->n[2];
    const unsigned effort = way->effort == 0 ? FFTW_MEASURE : FFTW_PATIENT;
    const unsigned keep = way->in_place ? 0 : FFTW_PRESERVE_INPUT;
    plans *p = calloc(1, sizeof *p);
    bench_must(p != NULL, "no memory for a plan");
    if (way->precision == PSG_F64) {
        fftw_set_timelimit(way->seconds);
        fftw_plan_with_nthreads(way->threads);
        if (way->bc != NULL) {
            plan_sides(p, way, f, spectrum, u, effort, keep);
        } else {
            p->f64[0] = fftw_plan_dft_r2c_3d(nz, ny, nx, f, spectrum, effort | keep);
            p->f64[1] = fftw_plan_dft_c2r_3d(nz, ny, nx, spectrum, u, effort);
        }
        fftw_plan_with_nthreads(1); /* psg plans too, without a limit */
        fftw_set_timelimit(FFTW_NO_TIMELIMIT);
    } else {
        fftwf_set_timelimit(way->seconds);
        fftwf_plan_with_nthreads(way->threads);
        if (way->bc != NULL) {
            plan_sides(p, way, f, spectrum, u, effort, keep);
        } else {
            p->f32[0] = fftwf_plan_dft_r2c_3d(nz, ny, nx, f, spectrum, effort | keep);
            p->f32[1] = fftwf_plan_dft_c2r_3d(nz, ny, nx, spectrum, u, effort);
        }
        fftwf_plan_with_nthreads(1);
        fftwf_set_timelimit(FFTW_NO_TIMELIMIT);
    }
    if ((p->f64[0] != NULL && p->f64[1] != NULL) || (p->f32[0] != NULL && p->f32[1] != NULL)) {
        return p;
    }
    free(p);
    return NULL;
}

static void execute(const plans *p, int direction) {
    if (p->f64[direction] != NULL) {
        fftw_execute(p->f64[direction]);
    } else {
        fftwf_execute(p->f32[direction]);
    }
}

static void forward(void *plan) {
    execute(plan, 0);
}

static void inverse(void *plan) {
    execute(plan, 1);
}

static void destroy(void *plan) {
    plans *p = plan;
    for (int d = 0; d < 2; d++) {
        fftw_destroy_plan(p->f64[d]);
        fftwf_destroy_plan(p->f32[d]);
    }
    free(p);
}

int main(int argc, char **argv) {
    static const bench_library fftw = {.name = "fftw",
                                       .has_sides = 1,
                                       .efforts = efforts,
                                       .start = start,
                                       .plan = plan,
                                       .forward = forward,
                                       .inverse = inverse,
                                       .destroy = destroy};
    return bench_cores_peer_main(argc, argv, &fftw);
}
