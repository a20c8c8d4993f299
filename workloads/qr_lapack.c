/* LAPACK, loaded when it is first asked for. */
#include "base/memory.h"
#include "workloads/qr.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if PSG_WITH_LAPACK
/* It stands where the program looks for its libraries, or where it was built. */
static void *open_module(void) {
    void *module = dlopen(strrchr(PSG_LAPACK_BUILT, '/') + 1, RTLD_NOW);
    return module != NULL ? module : dlopen(PSG_LAPACK_BUILT, RTLD_NOW);
}

const char *qr_lapack_load(const psg_lapack **lapack) {
    static const psg_lapack *loaded;
    /* of OpenBLAS, beside its code: a buffer of 128 MB for each core, and as much again for its
     * thread's heap */
    enum { MEGABYTES = 256 };
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static char words[160];
    const double megabytes = MEGABYTES * (1 + (double)sysconf(_SC_NPROCESSORS_ONLN));
    const char *why = NULL;
    (void)pthread_mutex_lock(&mutex);
    if (loaded == NULL && !base_memory_fits(megabytes * (1 << 20))) {
        (void)snprintf(
            words, sizeof words,
            "LAPACK may take %.0f MB of address space, and they cannot be had (ulimit -v?)",
            megabytes);
        why = words;
    } else if (loaded == NULL) {
        void *module = open_module();
        loaded = module != NULL ? dlsym(module, "psg_lapack_module") : NULL;
        why = loaded != NULL ? NULL : dlerror();
    }
    *lapack = loaded;
    (void)pthread_mutex_unlock(&mutex);
    return why;
}
#else
const char *qr_lapack_load(const psg_lapack **lapack) {
    *lapack = NULL;
    return "qr needs LAPACK, without which psg was built";
}
#endif
