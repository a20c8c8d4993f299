#include "runtime/folders.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Somewhere in the library. */
static const char place[] = "";

/* The machines that are installed lie in a folder that is known from the library's: the user may
 * have moved both. */
void psg_machine_folders(char folder[PSG_MACHINE_FOLDERS][PSG_MACHINE_PATH]) {
    Dl_info library;
    const char *name = dladdr(place, &library) != 0 ? library.dli_fname : "";
    const char *slash = strrchr(name, '/');
    (void)snprintf(folder[0], PSG_MACHINE_PATH, "%.*s%s",
                   slash != NULL ? (int)(slash + 1 - name) : 0, name, PSG_MACHINES_FROM_LIB);
    (void)snprintf(folder[1], PSG_MACHINE_PATH, "%s", PSG_MACHINES_BUILT);
}
