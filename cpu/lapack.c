/* What is known of LAPACK, whatever the precision. */
#include "cpu/qr.h"

#include <pthread.h>
#include <stdio.h>

#if PSG_WITH_LAPACK
extern const psg_cpu_qr psg_cpu_qr_f64;
extern const psg_cpu_qr psg_cpu_qr_f32;

void ilaver_(int *major, int *minor, int *patch);

/* Not there with another BLAS. */
__attribute__((weak)) void openblas_set_num_threads(int threads);
__attribute__((weak)) int openblas_get_num_threads(void);

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

void psg_cpu_blas_begin(void) {
}
void psg_cpu_blas_end(void) {
}
#endif
