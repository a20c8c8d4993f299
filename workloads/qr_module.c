/* The module with LAPACK, but for qr_tiles.c, whatever the precision. */
#include "workloads/qr.h"

#include <pthread.h>
#include <string.h>

extern const qr_functions qr_functions_f64;
extern const qr_functions qr_functions_f32;

/* Not there with another BLAS. */
__attribute__((weak)) void openblas_set_num_threads(int threads);
__attribute__((weak)) int openblas_get_num_threads(void);
__attribute__((weak)) int openblas_get_parallel(void); /* 0: built without threads */
__attribute__((weak)) char *openblas_get_config(void);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int users, threads_before;

static bool is_openblas(void) {
    return openblas_set_num_threads != NULL && openblas_get_num_threads != NULL;
}

/* Built without threads OpenBLAS has one set of buffers for the whole process, unless it was built
 * with locks. Debian's 0.3.21 has none: of 10,000 factors of 64 x 64 numbers, made by four threads
 * at once, 9,000 were wrong (2026-11-24). */
static bool shared(void) {
    return openblas_get_parallel == NULL || openblas_get_config == NULL ||
           openblas_get_parallel() != 0 || strstr(openblas_get_config(), "USE_LOCKING") != NULL;
}

static void begin(void) {
    (void)pthread_mutex_lock(&mutex);
    if (users++ == 0 && is_openblas()) {
        threads_before = openblas_get_num_threads();
        openblas_set_num_threads(1);
    }
    (void)pthread_mutex_unlock(&mutex);
}

static void end(void) {
    (void)pthread_mutex_lock(&mutex);
    if (--users == 0 && is_openblas()) {
        openblas_set_num_threads(threads_before);
    }
    (void)pthread_mutex_unlock(&mutex);
}

__attribute__((visibility("default")))
const psg_lapack psg_lapack_module = {{&qr_functions_f64, &qr_functions_f32}, shared, begin, end};
