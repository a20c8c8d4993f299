/* The recorded machines that come with the library. */
#include "graph/recorded.h"
#include "graph/psg_machine.h"
#include "graph/status.h"
#include "runtime/folders.h"
#include "runtime/machine.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char ending[] = ".machine";

typedef struct found {
    psg_recorded *list;
    size_t count;
} found;

/* @return the name without its ending is this long; 0: the file is no machine's */
static size_t name_length(const char *file) {
    const size_t length = strlen(file);
    const size_t rest = sizeof ending - 1;
    const bool ends = length > rest && strcmp(file + length - rest, ending) == 0;
    return ends && length - rest < sizeof((psg_recorded *)0)->name ? length - rest : 0;
}

/* A file that cannot be read is no machine that can be simulated. */
static bool describe(psg_recorded *machine, const char *folder, const char *file) {
    char path[2 * PSG_MACHINE_PATH + 256];
    char words[640];
    (void)snprintf(path, sizeof path, "%s/%s", folder, file);
    psg_machine *read = psg_machine_read(path, words, sizeof words);
    if (read == NULL) {
        return false;
    }
    *machine =
        (psg_recorded){.cpus = read->cpus, .gpus = read->gpus, .gpu_memory = read->gpu_memory};
    (void)snprintf(machine->name, sizeof machine->name, "%.*s", (int)name_length(file), file);
    (void)snprintf(machine->about, sizeof machine->about, "%s", read->about);
    psg_machine_free(read);
    return true;
}

/* A machine that is in several places is the one of the first. @return false: no memory */
static bool add(found *all, const psg_recorded *machine) {
    for (size_t m = 0; m < all->count; m++) {
        if (strcmp(all->list[m].name, machine->name) == 0) {
            return true;
        }
    }
    psg_recorded *more = realloc(all->list, (all->count + 1) * sizeof *more);
    if (more == NULL) {
        return false;
    }
    all->list = more;
    all->list[all->count++] = *machine;
    return true;
}

static bool search(found *all, const char *folder) {
    bool enough = true;
    DIR *directory = opendir(folder);
    for (const struct dirent *entry = NULL;
         enough && directory != NULL && (entry = readdir(directory)) != NULL;) {
        psg_recorded machine;
        if (name_length(entry->d_name) > 0 && describe(&machine, folder, entry->d_name)) {
            enough = add(all, &machine);
        }
    }
    if (directory != NULL) {
        (void)closedir(directory);
    }
    return enough;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const psg_recorded *)a)->name, ((const psg_recorded *)b)->name);
}

/* @return false: no memory. The list is the caller's to free in either case. */
static bool find_all(found *all) {
    char folder[PSG_MACHINE_FOLDERS][PSG_MACHINE_PATH];
    *all = (found){.list = NULL};
    psg_machine_folders(folder);
    for (size_t p = 0; p < PSG_MACHINE_FOLDERS; p++) {
        if (!search(all, folder[p])) {
            return false;
        }
    }
    if (all->count > 0) {
        qsort(all->list, all->count, sizeof *all->list, by_name);
    }
    return true;
}

psg_status psg_recorded_list(psg_recorded *list, size_t capacity, size_t *count) {
    psg_clear_error();
    if (count == NULL || (list == NULL && capacity > 0)) {
        return psg_fail(PSG_ERR_ARG, "count or list is NULL");
    }
    found all;
    const bool enough = find_all(&all);
    for (size_t m = 0; enough && m < all.count && m < capacity; m++) {
        list[m] = all.list[m];
    }
    *count = enough ? all.count : *count;
    free(all.list);
    return enough ? PSG_OK : psg_fail(PSG_ERR_MEMORY, "no memory for the list of machines");
}

void psg_recorded_names(char *text, size_t size) {
    found all;
    size_t used = 0;
    (void)find_all(&all); /* as many as there is memory for */
    text[0] = '\0';
    for (size_t m = 0; m < all.count && used < size; m++) {
        used += (size_t)snprintf(text + used, size - used, " %s", all.list[m].name);
    }
    free(all.list);
}
