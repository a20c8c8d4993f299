/* LAPACK, loaded when it is first asked for. */
#include "cpu/lapack.h"
#include "base/memory.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const psg_lapack *lapack; /* NULL: not loaded yet */

#if PSG_WITH_LAPACK
/* It stands beside the library, or beside that of the build, for programs of the objects. */
static void *open_module(void) {
    Dl_info own = {.dli_fname = NULL};
    char path[1024];
    const char *slash =
        dladdr(&lapack, &own) != 0 && own.dli_fname != NULL ? strrchr(own.dli_fname, '/') : NULL;
    const int folder = slash != NULL ? (int)(slash - own.dli_fname) + 1 : 0;
    (void)snprintf(path, sizeof path, "%.*s%s", folder, own.dli_fname != NULL ? own.dli_fname : "",
                   strrchr(PSG_LAPACK_BUILT, '/') + 1);
    void *module = slash != NULL ? dlopen(path, RTLD_NOW) : NULL;
    return module != NULL ? module : dlopen(PSG_LAPACK_BUILT, RTLD_NOW);
}

const char *psg_cpu_lapack_load(void) {
    /* of OpenBLAS, beside its code: a buffer of 128 MB for each core, and as much again for its thread's heap */
    enum { MEGABYTES = 256 };
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static char words[160];
    const double megabytes = MEGABYTES * (1 + (double)sysconf(_SC_NPROCESSORS_ONLN));
    const char *why = NULL;
    (void)pthread_mutex_lock(&mutex);
    if (lapack == NULL && !base_memory_fits(megabytes * (1 << 20))) {
        (void)snprintf(
            words, sizeof words,
            "LAPACK may take %.0f MB of address space, and they cannot be had (ulimit -v?)",
            megabytes);
        why = words;
    } else if (lapack == NULL) {
        void *module = open_module();
        lapack = module != NULL ? dlsym(module, "psg_lapack_module") : NULL;
        why = lapack != NULL ? NULL : dlerror();
    }
    (void)pthread_mutex_unlock(&mutex);
    return why;
}

const char *psg_cpu_lapack_version(void) {
    return PSG_LAPACK_VERSION;
}
#else
const char *psg_cpu_lapack_load(void) {
    return "qr needs LAPACK, without which psg was built";
}

const char *psg_cpu_lapack_version(void) {
    return NULL;
}
#endif

const psg_cpu_qr *psg_cpu_qr_of(bool is_float) {
    return psg_cpu_lapack_load() == NULL ? lapack->qr[is_float] : NULL;
}

bool psg_cpu_blas_shared(void) {
    return lapack == NULL || lapack->shared();
}

void psg_cpu_blas_begin(void) {
    if (lapack != NULL) {
        lapack->begin();
    }
}

void psg_cpu_blas_end(void) {
    if (lapack != NULL) {
        lapack->end();
    }
}
