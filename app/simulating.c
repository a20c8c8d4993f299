#include "app/simulating.h"
#include "app/app.h"
#include "base/hash.h"
#include "base/memory.h"
#include "graph/psg_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* `--machine FILE` or `--machine=FILE`, which has to be known before the command reads its
 * arguments. */
static const char *machine_of(int argc, char **argv) {
    static const char option[] = "--machine";
    const char *machine = getenv("PSG_MACHINE");
    for (int a = 1; a < argc && strcmp(argv[a], "--") != 0; a++) {
        if (strcmp(argv[a], option) == 0 && a + 1 < argc) {
            machine = argv[a + 1];
        } else if (strncmp(argv[a], option, sizeof option - 1) == 0 &&
                   argv[a][sizeof option - 1] == '=') {
            machine = argv[a] + sizeof option;
        }
    }
    return machine;
}

static bool asks_for_help(int argc, char **argv) {
    for (int a = 1; a < argc; a++) {
        if (strcmp(argv[a], "-h") == 0 || strcmp(argv[a], "--help") == 0 ||
            strcmp(argv[a], "--version") == 0) {
            return true;
        }
    }
    return false;
}

int app_simulation_run(int (*command)(int argc, char **argv), int argc, char **argv) {
    const char *machine = psg_simulation() ? machine_of(argc, argv) : NULL;
    if (machine == NULL || !machine[0] || asks_for_help(argc, argv)) {
        return command(argc, argv); /* which says what is missing */
    }
    setenv("PSG_MACHINE", machine, 1);
    const int code = psg_simulation_main(machine, command, argc, argv);
    return code < 0 ? app_error(APP_USAGE, "%s", psg_last_error()) : code;
}

int app_simulation_choose(const char *machine, const char *option) {
    if (!psg_simulation() && machine == NULL && option == NULL) {
        return APP_DONE;
    }
    if (!psg_simulation()) {
        return app_error(APP_USAGE,
                         "--%s%s%s: this psg computes; ./quickstart.sh simulate builds one that "
                         "simulates, build/simulate/psg",
                         machine != NULL ? "machine '" : option, machine != NULL ? machine : "",
                         machine != NULL ? "'" : "");
    }
    if (machine != NULL) {
        setenv("PSG_MACHINE", machine, 1);
    }
    const char *chosen = getenv("PSG_MACHINE");
    return chosen != NULL && chosen[0]
               ? APP_DONE
               : app_error(APP_USAGE, "no machine to simulate: give --machine NAME or FILE, or set "
                                      "PSG_MACHINE in the environment; psg info --machines lists "
                                      "names");
}

const char *app_simulation_machine(void) {
    static char name[128];
    const char *machine = getenv("PSG_MACHINE");
    if (!psg_simulation() || machine == NULL) {
        return NULL;
    }
    const char *slash = strrchr(machine, '/');
    snprintf(name, sizeof name, "%s", slash != NULL ? slash + 1 : machine);
    char *ending = strrchr(name, '.');
    if (ending != NULL && strcmp(ending, ".machine") == 0) {
        *ending = '\0';
    }
    return name;
}

uint64_t app_simulation_digest(void) {
    const char *machine = psg_simulation() ? getenv("PSG_MACHINE") : NULL;
    FILE *file = machine != NULL ? fopen(machine, "r") : NULL;
    uint64_t digest = BASE_HASH_NOTHING;
    char piece[4096];
    for (size_t had; file != NULL && (had = fread(piece, 1, sizeof piece, file)) > 0;) {
        digest = base_hash(digest, piece, had);
    }
    if (file == NULL) {
        return 0;
    }
    fclose(file);
    return digest;
}

void *app_simulation_allocate(size_t bytes) {
    if (!psg_simulation()) {
        return base_allocate(bytes);
    }
    void *memory = mmap(NULL, bytes > 0 ? bytes : 1, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void app_simulation_free(void *memory, size_t bytes) {
    if (!psg_simulation()) {
        free(memory);
    } else if (memory != NULL) {
        munmap(memory, bytes > 0 ? bytes : 1);
    }
}
