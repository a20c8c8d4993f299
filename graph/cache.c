/* The folder for what a machine has learnt: FFTW's wisdom, and what `psg tune` found. */
#include "graph/internal.h"

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
