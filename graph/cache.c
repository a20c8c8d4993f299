/* The folder for what a machine has learnt: FFTW's wisdom, and what `psg tune` found. */
#include "graph/cache.h"
#include "base/kept.h"
#include "graph/plan_struct.h"
#include "graph/psg_machine.h"
#include "graph/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Both with the 0; "" for none.
 *  @param[out] parent  the folder that may have to be made first */
static bool name_folder(const psg_options *options, char *parent, char *folder, size_t size) {
    const char *own = options != NULL ? options->cache_dir : NULL;
    const char *xdg = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int length = 0;
    parent[0] = '\0';
    folder[0] = '\0';
    if (own != NULL) {
        length = snprintf(folder, size, "%s", own);
        return (size_t)length < size;
    }
    if (xdg != NULL && xdg[0] == '/') {
        length = snprintf(parent, size, "%s", xdg);
    } else if (home != NULL && home[0] == '/') {
        length = snprintf(parent, size, "%s/.cache", home);
    }
    if (length > 0 && (size_t)length < size) {
        length = snprintf(folder, size, "%s/psg", parent);
    }
    return (size_t)length < size;
}

static bool make_folder(const char *path) {
    return path[0] == '\0' || mkdir(path, 0777) == 0 || errno == EEXIST;
}

psg_status psg_cache_folder(const psg_options *options, int make, char *folder, size_t size) {
    char parent[4096];
    char whole[4096];
    psg_clear_error();
    if (folder == NULL) {
        return psg_fail(PSG_ERR_ARG, "folder is NULL");
    }
    if (!name_folder(options, parent, whole, sizeof whole) || strlen(whole) >= size) {
        return psg_fail(PSG_ERR_ARG, "the name of the cache folder is longer than %zu bytes", size);
    }
    if (make != 0 && (!make_folder(parent) || !make_folder(whole))) {
        return psg_fail(PSG_ERR_RUNTIME, "the cache folder %s cannot be made: %s", whole,
                        strerror(errno));
    }
    (void)snprintf(folder, size, "%s", whole);
    return PSG_OK;
}

bool psg_cache_file(const psg_options *options, const char *name, char *path, size_t size) {
    char folder[3584];
    if (psg_cache_folder(options, 1, folder, sizeof folder) != PSG_OK || folder[0] == '\0') {
        return false;
    }
    const int length = snprintf(path, size, "%s/%s", folder, name);
    return length > 0 && (size_t)length < size;
}

void psg_cache_host(char *host, size_t size) {
    (void)snprintf(host, size, "machine");
    (void)gethostname(host, size - 1);
    host[size - 1] = '\0';
}

/* ------------------------------------------------------------------------- FFTW's wisdom */

/* One file per machine and precision. @return false: there is no folder, and no error either */
static bool wisdom_file(const psg_options *options, char *path, size_t size) {
    char host[256];
    char name[320];
    psg_cache_host(host, sizeof host);
    (void)snprintf(name, sizeof name, "fftw-%s-%s.wisdom", host,
                   options->precision == PSG_F64 ? "f64" : "f32");
    const bool found = psg_cache_file(options, name, path, size);
    psg_clear_error(); /* a machine without a folder plans again each time */
    return found;
}

static char *read_wisdom(const char *path, int *error) {
    enum { MOST_BYTES = 16 << 20 };
    return base_kept_read_checked(path, MOST_BYTES, error);
}

char *psg_wisdom_read(const psg_plan *plan) {
    char path[4096];
    int error = 0;
    return wisdom_file(&plan->problem.options, path, sizeof path) ? read_wisdom(path, &error)
                                                                  : NULL;
}

/* A process that has the lock writes some kilobytes, so one that keeps it longer is stopped. */
static const double lock_seconds = 10;

/* What is stored stays where it cannot be read now, and where another process, which may write,
 * has the lock all the time: a file written without it would have less. */
void psg_wisdom_keep(const psg_plan *plan) {
    char path[4096];
    char folder[4096];
    bool had = false;
    int error = 0;
    if (!wisdom_file(&plan->problem.options, path, sizeof path)) {
        return;
    }
    (void)snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    const int lock = base_kept_lock(folder, false, lock_seconds, &had);
    char *stored = had ? read_wisdom(path, &error) : NULL;
    char *wisdom = had && !base_kept_unseen(error) ? plan->context.cpu->fft_wisdom(stored) : NULL;
    if (wisdom != NULL) {
        (void)base_kept_write_checked(path, wisdom);
    }
    free(wisdom);
    free(stored);
    base_kept_unlock(lock);
}
