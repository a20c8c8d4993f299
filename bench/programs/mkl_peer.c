/* psg beside Intel MKL's threaded 3-D transforms; see cores_peer.c. MKL's threads are OpenMP's, the division's too. */
#define _GNU_SOURCE /* dladdr() */
#include "bench/programs/cores_peer.h"
#include "bench/programs/program.h"

#include <dlfcn.h>
#include <mkl_dfti.h>
#include <mkl_service.h>
#include <stdlib.h>
#include <string.h>

typedef struct plans {
    DFTI_DESCRIPTOR_HANDLE way;
    void *f, *spectrum, *u;
    int in_place;
} plans;

static const char *const efforts[] = {"default", NULL};

/* MKL has functions of FFTW's names, and psg has to find FFTW's. */
static void check_fftw(const char *name) {
    Dl_info found = {.dli_fname = ""};
    void *function = dlsym(RTLD_DEFAULT, name);
    bench_must(function != NULL && dladdr(function, &found) != 0 &&
                   strstr(found.dli_fname, "mkl") == NULL,
               "psg would run on MKL: %s is from %s", name, found.dli_fname);
}

static void start(void) {
    check_fftw("fftw_execute_dft_r2c");
    check_fftw("fftwf_execute_dft_r2c");
    (void)mkl_set_threading_layer(MKL_THREADING_GNU);
}

static void must(MKL_LONG code) {
    bench_must(code == DFTI_NO_ERROR, "MKL: %s", DftiErrorMessage(code));
}

/* Strides in numbers of the array that they are about: a row of reals is padded where it is the spectrum's. */
static DFTI_DESCRIPTOR_HANDLE make(const bench_way *way) {
    const MKL_LONG nx = (MKL_LONG)way->n[0], ny = (MKL_LONG)way->n[1], nz = (MKL_LONG)way->n[2];
    const MKL_LONG nxc = nx / 2 + 1, row = way->in_place ? 2 * nxc : nx;
    MKL_LONG length[3] = {nz, ny, nx};
    MKL_LONG real[4] = {0, ny * row, row, 1}, spectrum[4] = {0, ny * nxc, nxc, 1};
    DFTI_DESCRIPTOR_HANDLE it = NULL;
    must(way->precision == PSG_F64
             ? DftiCreateDescriptor(&it, DFTI_DOUBLE, DFTI_REAL, (MKL_LONG)3, length)
             : DftiCreateDescriptor(&it, DFTI_SINGLE, DFTI_REAL, (MKL_LONG)3, length));
    must(DftiSetValue(it, DFTI_CONJUGATE_EVEN_STORAGE, DFTI_COMPLEX_COMPLEX));
    must(DftiSetValue(it, DFTI_PLACEMENT, way->in_place ? DFTI_INPLACE : DFTI_NOT_INPLACE));
    must(DftiSetValue(it, DFTI_THREAD_LIMIT, (MKL_LONG)way->threads));
    must(DftiSetValue(it, DFTI_FWD_STRIDES, real));
    must(DftiSetValue(it, DFTI_BWD_STRIDES, spectrum));
    must(DftiCommitDescriptor(it));
    return it;
}

static void *plan(const bench_way *way, void *f, void *spectrum, void *u) {
    plans *p = malloc(sizeof *p);
    bench_must(p != NULL, "no memory for a plan");
    mkl_set_num_threads(way->threads);
    *p = (plans){.f = f, .spectrum = spectrum, .u = u, .in_place = way->in_place};
    p->way = make(way);
    return p;
}

static void forward(void *plan) {
    const plans *p = plan;
    must(p->in_place ? DftiComputeForward(p->way, p->f)
                     : DftiComputeForward(p->way, p->f, p->spectrum));
}

static void inverse(void *plan) {
    const plans *p = plan;
    must(p->in_place ? DftiComputeBackward(p->way, p->spectrum)
                     : DftiComputeBackward(p->way, p->spectrum, p->u));
}

static void destroy(void *plan) {
    plans *p = plan;
    must(DftiFreeDescriptor(&p->way));
    free(p);
}

int main(int argc, char **argv) {
    static const bench_library mkl = {.name = "mkl",
                                      .efforts = efforts,
                                      .start = start,
                                      .plan = plan,
                                      .forward = forward,
                                      .inverse = inverse,
                                      .destroy = destroy};
    return bench_cores_peer_main(argc, argv, &mkl);
}
