/* StarPU reads a machine from files of its own: SimGrid's platform, and what its buses do. They
 * are written just before it starts and removed as soon as it has. */
#include "base/bus.h"
#include "base/file.h"
#include "runtime/c_locale.h"
#include "runtime/comm_simulated.h"
#include "runtime/folders.h"
#include "runtime/simulation.h"
#include "runtime/starpu_inside.h"

#include <xbt/config.h>
#include <xbt/log.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The process can have one machine: SimGrid keeps it. Set by the thread that starts StarPU. */
typedef struct process_state {
    char chosen[512];
    char folder[512]; /* StarPU remembers it, so it is the same at every start */
    bool folder_is_there;
    char learnt[520]; /* what the policy heteroprio writes when StarPU stops */
    int (*program)(int, char **);
    int argc;
    char **argv;
    int result;
    bool returned; /* the program has */
} process_state;

static const psg_machine *machine;
static process_state process;

/* ----------------------------------------------------------------------- StarPU's files */

/* StarPU looks for files of the host's name, which is this one, whatever the machine is called. */
#define HOST "machine"

static void file_name(char *path, size_t size, int which) {
    (void)snprintf(path, size, "%s/bus/" HOST ".%s", process.folder, base_bus_files[which].ending);
}

/* mkdtemp() has made the folder for the first start. Its name is known since: at a later start
 * nobody else may have made it. */
static bool make_folder(void) {
    process.folder_is_there = process.folder_is_there || mkdir(process.folder, 0700) == 0;
    return process.folder_is_there;
}

static base_bus bus_of(const psg_machine *m) {
    base_bus bus = {m->name, m->cpus, m->gpus, m->gpu_memory, {{0, 0}}};
    for (int link = 0; link < BASE_LINKS; link++) {
        bus.link[link] = (base_link){m->link[link].bytes_per_second, m->link[link].seconds};
    }
    return bus;
}

static void end(void) {
    char path[1024];
    if (!process.folder_is_there) {
        return;
    }
    for (int m = 0; m < BASE_BUS_FILES; m++) {
        file_name(path, sizeof path, m);
        (void)unlink(path);
    }
    (void)snprintf(path, sizeof path, "%s/bus", process.folder);
    (void)rmdir(path);
    (void)snprintf(path, sizeof path, "%s/codelets", process.folder); /* StarPU's own */
    (void)rmdir(path);
    (void)unlink(process.learnt);
    process.folder_is_there = rmdir(process.folder) != 0;
}

static bool write_files(char *words, size_t size) {
    char path[1024];
    const base_bus bus = bus_of(machine);
    const psg_c_locale locale = psg_c_locale_begin();
    (void)snprintf(path, sizeof path, "%s", process.folder);
    bool good = make_folder();
    if (good) {
        (void)snprintf(path, sizeof path, "%s/bus", process.folder);
        good = mkdir(path, 0700) == 0;
    }
    for (int m = 0; m < BASE_BUS_FILES && good; m++) {
        file_name(path, sizeof path, m);
        FILE *file = fopen(path, "w");
        if (file != NULL) {
            base_bus_files[m].write(&bus, file);
        }
        good = file != NULL && base_close(file) == 0;
    }
    psg_c_locale_end(locale);
    if (!good) {
        (void)snprintf(words, size, "%s: %s", path, strerror(errno));
        end();
    }
    return good;
}

static void stopping(void) {
    (void)(machine != NULL && make_folder()); /* else heteroprio says that it keeps nothing */
}

/* ----------------------------------------------------------------------------- choosing */

/* `name` is a path, or the name of a machine that is installed or was there at the build. */
static void find_file(char *path, size_t size, const char *name) {
    char folders[PSG_MACHINE_FOLDERS][PSG_MACHINE_PATH];
    psg_machine_folders(folders);
    (void)snprintf(path, size, "%s", name);
    for (size_t m = 0;
         m < PSG_MACHINE_FOLDERS && strchr(name, '/') == NULL && access(path, R_OK) != 0; m++) {
        const int length = snprintf(path, size, "%s/%s.machine", folders[m], name);
        path[length > 0 && (size_t)length < size ? length : 0] = '\0';
    }
    if (access(path, R_OK) != 0) { /* so that the words are about what was asked for */
        (void)snprintf(path, size, "%s", name);
    }
}

static bool complete(const psg_machine *m, char *words, size_t size) {
    static const psg_machine_link needed[] = {PSG_MACHINE_TO_GPU, PSG_MACHINE_FROM_GPU,
                                              PSG_MACHINE_BETWEEN};
    for (size_t n = 0; n < (m->gpus > 1 ? 3U : m->gpus > 0 ? 2U : 0U); n++) {
        if (m->link[needed[n]].bytes_per_second <= 0) {
            (void)snprintf(words, size, "machine %s: a link that its GPUs need is not described",
                           m->name);
            return false;
        }
    }
    if (m->cpus == 0) { /* StarPU starts on no machine without */
        (void)snprintf(words, size, "machine %s: cpus is not given, or 0", m->name);
        return false;
    }
    if (m->gpus > 0 && m->gpu_memory <= 0) {
        (void)snprintf(words, size, "machine %s: gpu_memory is not given", m->name);
        return false;
    }
    if (m->gpus > STARPU_MAXCUDADEVS || m->cpus > STARPU_MAXCPUS) {
        (void)snprintf(words, size,
                       "machine %s: this StarPU was built for at most %d cores and %d GPUs",
                       m->name, STARPU_MAXCPUS, STARPU_MAXCUDADEVS);
        return false;
    }
    return true;
}

/* What it takes to submit a task, and to start one, the machine's file says, not StarPU. */
static bool tell_starpu(void) {
    const char *const variables[][2] = {{"STARPU_HETEROPRIO_DATA_FILE", process.learnt},
                                        {"STARPU_PERF_MODEL_DIR", process.folder},
                                        {"STARPU_HOSTNAME", HOST},
                                        {"STARPU_SIMGRID_TASK_SUBMIT_COST", "0"},
                                        {"STARPU_SIMGRID_CUDA_QUEUE_COST", "0"}};
    bool good = true;
    for (size_t m = 0; m < sizeof variables / sizeof *variables && good; m++) {
        good = setenv(variables[m][0], variables[m][1], 1) == 0;
    }
    return good;
}

static bool choose_folder(char *words, size_t size) {
    const char *temporary = getenv("TMPDIR");
    (void)snprintf(process.folder, sizeof process.folder, "%s/psg-machine-XXXXXX",
                   temporary != NULL && temporary[0] == '/' ? temporary : "/tmp");
    if (mkdtemp(process.folder) == NULL) {
        (void)snprintf(words, size, "%s: %s", process.folder, strerror(errno));
        return false;
    }
    process.folder_is_there = true;
    (void)snprintf(process.learnt, sizeof process.learnt, "%s/learnt", process.folder);
    return tell_starpu();
}

static bool read_seed(uint64_t *seed, char *words, size_t size) {
    const char *text = getenv("PSG_SEED");
    char *end = NULL;
    *seed = 1;
    if (text == NULL || text[0] == '\0') {
        return true;
    }
    errno = 0;
    *seed = strtoull(text, &end, 10);
    if (*end == '\0' && errno == 0 && text[0] >= '0' && text[0] <= '9') {
        return true;
    }
    (void)snprintf(words, size, "PSG_SEED '%s' is no whole number from 0", text);
    return false;
}

static bool begin(const char *name, const psg_machine **known, uint64_t *seed, char *words,
                  size_t size) {
    char path[512];
    if (!read_seed(seed, words, size)) {
        return false;
    }
    if (machine != NULL) {
        if (name != NULL && strcmp(name, process.chosen) != 0) {
            (void)snprintf(words, size, "this process simulates %s already", process.chosen);
            return false;
        }
        return write_files(words, size);
    }
    find_file(path, sizeof path, name);
    psg_machine *read = psg_machine_read(path, words, size);
    if (read == NULL) {
        return false;
    }
    if (!complete(read, words, size)) {
        psg_machine_free(read);
        return false;
    }
    xbt_log_control_set(
        "xbt_cfg.threshold:warning");               /* else SimGrid tells what the platform sets */
    sg_cfg_set_boolean("debug/clean-atexit", "no"); /* else StarPU cannot start a second time */
    machine = read;
    (void)snprintf(process.chosen, sizeof process.chosen, "%s", name);
    if (!choose_folder(words, size)) {
        end();
        machine = NULL;
        psg_machine_free(read);
        return false;
    }
    *known = machine;
    return write_files(words, size);
}

/* ------------------------------------------------------------------------------ running */

/* What StarPU's own main() calls, once SimGrid is there. */
int starpu_main(int argc, char **argv);
__attribute__((visibility("default"))) int starpu_main(int argc, char **argv) {
    (void)argc;
    (void)argv;
    end(); /* it has read the platform; StarPU's start is another time */
    process.result = process.program(process.argc, process.argv);
    process.returned = true;
    return process.result;
}

static const char *run(int (*program)(int, char **), int argc, char **argv, int *result) {
    static char name[] = "psg";
    char *mine[] = {name, NULL}; /* SimGrid would take options that are not its own */
    int (*const start)(int, char **) = psg_starpu_main();
    if (start == NULL) {
        return "this StarPU has no entry for a program to simulate";
    }
    process.program = program;
    process.argc = argc;
    process.argv = argv;
    process.returned = false;
    (void)start(1, mine); /* SimGrid ends it where all of it waits, and that is 0 too */
    if (!process.returned) {
        return "the simulation ended before the program: all of it waited, for ever";
    }
    *result = process.result;
    return NULL;
}

const psg_simulator_table psg_simgrid = {
    .begin = begin, .stopping = stopping, .end = end, .run = run, .nodes = psg_simulated_nodes};
