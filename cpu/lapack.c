/* What is known of LAPACK, whatever the precision. */
#include "cpu/qr.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#if PSG_WITH_LAPACK
extern const psg_cpu_qr psg_cpu_qr_f64;
extern const psg_cpu_qr psg_cpu_qr_f32;

void ilaver_(int *major, int *minor, int *patch);

/* Not there with another BLAS. */
__attribute__((weak)) void openblas_set_num_threads(int threads);
__attribute__((weak)) int openblas_get_num_threads(void);
__attribute__((weak)) int openblas_get_parallel(void); /* 0: built without threads */
__attribute__((weak)) char *openblas_get_config(void);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int users, threads_before;

const psg_cpu_qr *psg_cpu_qr_of(bool is_float) {
    return is_float ? &psg_cpu_qr_f32 : &psg_cpu_qr_f64;
}

const char *psg_cpu_lapack_version(void) {
    static char text[32];
    int v[3] = {0, 0, 0};
    ilaver_(&v[0], &v[1], &v[2]);
    (void)snprintf(text, sizeof text, "%d.%d.%d", v[0], v[1], v[2]);
    return text;
}

static bool is_openblas(void) {
    return openblas_set_num_threads != NULL && openblas_get_num_threads != NULL;
}

/* Built without threads OpenBLAS has one set of buffers for the whole process, unless it was built with locks. Debian's 0.3.21
 * has none: of 10,000 factors of 64 x 64 numbers, made by four threads at once, 9,000 were wrong (2026-11-24). */
bool psg_cpu_blas_shared(void) {
    return openblas_get_parallel == NULL || openblas_get_config == NULL ||
           openblas_get_parallel() != 0 || strstr(openblas_get_config(), "USE_LOCKING") != NULL;
}

void psg_cpu_blas_begin(void) {
    (void)pthread_mutex_lock(&mutex);
    if (users++ == 0 && is_openblas()) {
        threads_before = openblas_get_num_threads();
        openblas_set_num_threads(1);
    }
    (void)pthread_mutex_unlock(&mutex);
}

void psg_cpu_blas_end(void) {
    (void)pthread_mutex_lock(&mutex);
    if (--users == 0 && is_openblas()) {
        openblas_set_num_threads(threads_before);
    }
    (void)pthread_mutex_unlock(&mutex);
}
#else
const psg_cpu_qr *psg_cpu_qr_of(bool is_float) {
    (void)is_float;
    return NULL;
}

const char *psg_cpu_lapack_version(void) {
    return NULL;
}

bool psg_cpu_blas_shared(void) {
    return true;
}

void psg_cpu_blas_begin(void) {
}
void psg_cpu_blas_end(void) {
}
#endif
