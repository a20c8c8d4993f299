/* StarPU stops the process over a variable of the environment that it cannot read, and over some
 * numbers that it can; and over a thread that it cannot have. Both are tried before. */
#include "runtime/starpu_home.h"

#include <starpu.h>

#include <ctype.h>
#include <fnmatch.h>
#include <hwloc.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------ variables */

static const char prefix[] = "STARPU_";

/* What StarPU 1.4 reads as whole numbers, without STARPU_. */
static const char *const whole_numbers[] = {
    "AUTOHETEROPRIO_*",
    "BACKOFF_M*",
    "BUS_CALIBRATE",
    "BUS_STATS",
    "CALIBRATE",
    "CALIBRATE_MINIMUM",
    "CATCH_SIGNALS",
    "CODELET_PROFILING",
    "CUDA_ONLY_FAST_ALLOC_OTHER_MEMNODES",
    "CUDA_PIPELINE",
    "CUDA_THREAD_PER_*",
    "DATA_LOCALITY_ENFORCE",
    "DISABLE_ASYNCHRONOUS_*",
    "DISABLE_KERNELS",
    "DISABLE_PINNING",
    "DISK_SWAP_SIZE",
    "DISPLAY_BINDINGS",
    "ENABLE_CUDA_GPU_GPU_DIRECT",
    "ENABLE_MAP",
    "ENERGY_PROFILING",
    "EXPECTED_TRANSFER_TIME_WRITEBACK",
    "FXT_TRACE",
    "GENERATE_TRACE",
    "GLOBAL_ARBITER",
    "HETEROPRIO_CODELET_GROUPING_STRATEGY",
    "HETEROPRIO_USE_*",
    "HISTORY_MAX_ERROR",
    "LAHETEROPRIO_PRIO_STEP_*",
    "LAHETEROPRIO_S_*",
    "LIMIT_BANDWIDTH",
    "LIMIT_*_MEM",
    "LIMIT_M*_SUBMITTED_TASKS",
    "MAIN_THREAD_*",
    "MALLOC_SIMULATION_FOLD",
    "MAX_MEMORY_USE",
    "MAX_PRIO",
    "MAX_WORKERSIZE",
    "MEMORY_STATS",
    "MINIMUM_*",
    "MIN_PRIO",
    "MIN_WORKERSIZE",
    "MPI_THREAD_C*ID",
    "NCPU",
    "NCPUS",
    "NCUDA",
    "NHIP",
    "NMAX_FPGA",
    "NMPI_MS",
    "NOPENCL",
    "NTASKS_THRESHOLD",
    "NTCPIP_MS",
    "NTHREADS_PER_CORE",
    "NWORKER_PER_*",
    "PCI_FLAT",
    "PERF_MODEL_HOMOGENEOUS_*",
    "PREFETCH",
    "RAND_SEED",
    "RESERVE_NCPU",
    "SCHED_GRAPH_TEST_DESCENDANTS",
    "SCHED_READY",
    "SCHED_SORTED_*",
    "SILENT",
    "SIMGRID",
    "SIMGRID_*_COST",
    "SINGLE_COMBINED_WORKER",
    "STATS",
    "SUBALLOCATOR",
    "SYNTHESIZE_ARITY_COMBINED_WORKER",
    "TARGET_*",
    "TASK_BREAK_ON_*",
    "TASK_PROGRESS",
    "TRACE_BUFFER_SIZE",
    "USE_NUMA",
    "WATCHDOG_CRASH",
    "WATCHDOG_DELAY",
    "WORKERS_GETBIND",
    "WORKERS_NOBIND",
    "WORKER_TREE",
    NULL,
};

/* And as numbers. */
static const char *const numbers[] = {
    "EXP_LEN_THRESHOLD",   "HETEROPRIO_*_MULTIPLIER",
    "HETEROPRIO_*_OFFSET", "HETEROPRIO_*_SELECTIVITY",
    "IDLE_POWER",          "SCHED_ALPHA",
    "SCHED_BETA",          "SCHED_GAMMA",
    "WINDOW_TIME_SIZE",    NULL,
};

/* What the machine sets a limit to. */
static const char *const limited[] = {"NTHREADS_PER_CORE", "M*_THREAD_C*ID", NULL};

typedef struct limits {
    int cores;
    int threads;
    int threads_per_core;
    int gpus;
} limits;

static bool is_one_of(const char *name, const char *const *patterns) {
    for (size_t n = 0; patterns[n] != NULL; n++) {
        if (fnmatch(patterns[n], name, 0) == 0) {
            return true;
        }
    }
    return false;
}

/* As StarPU reads it: "" is 0. */
static bool read_whole(const char *text, long long *number) {
    char *end = NULL;
    *number = strtoll(text, &end, 10);
    return *end == '\0';
}

/* StarPU stops the process over numbers beyond these, or a part of it crashes. */
static void range_of(const char *name, const limits *l, long long range[2]) {
    const struct {
        const char *name;
        long long range[2];
    } rows[] = {
        {"CALIBRATE", {0, 2}},
        {"NTHREADS_PER_CORE", {1, l->threads_per_core}},
        {"NWORKER_PER_*", {1, STARPU_NMAXWORKERS - 1}},
        {"M*_THREAD_CPUID", {0, l->threads - 1}},
        {"M*_THREAD_COREID", {0, l->cores - 1}},
    };
    range[0] = 0;
    range[1] = INT_MAX;
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        if (fnmatch(rows[n].name, name, 0) == 0) {
            memcpy(range, rows[n].range, sizeof rows[n].range);
        }
    }
}

static bool check_whole(const char *name, const char *value, const limits *l, char *words,
                        size_t size) {
    long long number = 0;
    long long range[2];
    range_of(name, l, range);
    if (read_whole(value, &number) && number >= range[0] && number <= range[1]) {
        return true;
    }
    if (range[1] == INT_MAX) {
        (void)snprintf(words, size,
                       "%s%s='%.64s' in the environment: a whole number from %lld is needed",
                       prefix, name, value, range[0]);
    } else {
        (void)snprintf(
            words, size,
            "%s%s='%.64s' in the environment: a whole number from %lld to %lld is needed", prefix,
            name, value, range[0], range[1]);
    }
    return false;
}

/* Read in the locale in which StarPU starts. */
static bool check_number(const char *name, const char *value, char *words, size_t size) {
    char *end = NULL;
    (void)strtof(value, &end);
    if (*end == '\0') {
        return true;
    }
    (void)snprintf(words, size, "%s%s='%.64s' in the environment: a number is needed", prefix, name,
                   value);
    return false;
}

/* Numbers, and where StarPU knows them ranges as 2-5 and 2-, with blanks or commas between. */
static bool check_list(const char *name, const char *value, bool ranges, long long most,
                       char *words, size_t size) {
    const char *between = ranges ? " \t," : " \t";
    const char *at = value;
    size_t count = 0;
    bool good = true;
    for (at += strspn(at, between); good && *at != '\0'; at += strspn(at, between), count++) {
        char *end = NULL;
        good = isdigit((unsigned char)*at) && strtoll(at, &end, 10) <= most;
        at = good ? end : at;
        if (good && ranges && *at == '-') {
            at++;
            at += strspn(at, "0123456789");
        }
        good = good && (*at == '\0' || strchr(between, *at) != NULL);
    }
    if (good && count > 0) {
        return true;
    }
    (void)snprintf(words, size,
                   "%s%s='%.64s' in the environment: numbers from 0 to %lld are needed, with %s "
                   "between",
                   prefix, name, value, most, ranges ? "blanks or commas" : "blanks");
    return false;
}

static bool check_one(const char *name, const char *value, const limits *l, char *words,
                      size_t size) {
    if (is_one_of(name, whole_numbers)) {
        return check_whole(name, value, l, words, size);
    }
    if (is_one_of(name, numbers)) {
        return check_number(name, value, words, size);
    }
    if (strcmp(name, "WORKERS_CPUID") == 0 || strcmp(name, "WORKERS_COREID") == 0) {
        return check_list(name, value, true, INT_MAX, words, size);
    }
    if (strcmp(name, "WORKERS_CUDAID") == 0 && l->gpus > 0) {
        return check_list(name, value, false, l->gpus - 1, words, size);
    }
    if (strcmp(name, "HOSTNAME") == 0 && strchr(value, '/') != NULL) {
        (void)snprintf(words, size, "STARPU_HOSTNAME='%.64s' in the environment has a slash in it",
                       value);
        return false;
    }
    return true;
}

/* One of each at least. */
static int positive(int count) {
    return count > 0 ? count : 1;
}

static limits find_limits(int gpus) {
    limits l = {1, 1, 1, gpus};
    hwloc_topology_t topology = NULL;
    if (hwloc_topology_init(&topology) == 0 && hwloc_topology_load(topology) == 0) {
        l.cores = positive(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE));
        l.threads = positive(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU));
        l.threads_per_core = positive(l.threads / l.cores);
    }
    if (topology != NULL) {
        hwloc_topology_destroy(topology);
    }
    return l;
}

bool psg_starpu_environment(int gpus, char *words, size_t size) {
    const char *per_worker = getenv("STARPU_CUDA_THREAD_PER_WORKER");
    const char *disabled = getenv("STARPU_DISABLE_KERNELS");
    limits l = {0, 0, 0, gpus};
    for (char **v = environ; v != NULL && *v != NULL; v++) {
        const char *value = strchr(*v, '=');
        char name[128];
        if (strncmp(*v, prefix, strlen(prefix)) != 0 || value == NULL) {
            continue;
        }
        const char *rest = *v + strlen(prefix);
        (void)snprintf(name, sizeof name, "%.*s", (int)(value - rest), rest);
        if (l.cores == 0 && is_one_of(name, limited)) { /* hwloc takes its time */
            l = find_limits(gpus);
        }
        if (!check_one(name, value + 1, &l, words, size)) {
            return false;
        }
    }
    if (disabled != NULL && atoi(disabled) > 0) {
        (void)snprintf(
            words, size,
            "STARPU_DISABLE_KERNELS=%s in the environment: StarPU would run no task, and "
            "there would be no answer; unset it",
            disabled);
        return false;
    }
    if (per_worker != NULL && atoi(per_worker) == 1 &&
        getenv("STARPU_CUDA_THREAD_PER_DEV") != NULL) {
        (void)snprintf(words, size,
                       "STARPU_CUDA_THREAD_PER_WORKER and STARPU_CUDA_THREAD_PER_DEV "
                       "in the environment exclude each other");
        return false;
    }
    return true;
}

/* -------------------------------------------------------------------------------- threads */

typedef struct gate {
    pthread_mutex_t lock;
} gate;

static void *stay(void *argument) {
    gate *g = argument;
    (void)pthread_mutex_lock(&g->lock);
    (void)pthread_mutex_unlock(&g->lock);
    return NULL;
}

size_t psg_starpu_stacks(size_t bytes) {
    enum { LEAST = 2 << 20 };
    size_t before = 0;
#ifdef __GLIBC__
    pthread_attr_t attributes;
    if (pthread_getattr_default_np(&attributes) != 0) {
        return 0;
    }
    (void)pthread_attr_getstacksize(&attributes, &before);
    const size_t wanted = bytes > 0 ? bytes : before < LEAST ? LEAST : before;
    if (wanted != before && pthread_attr_setstacksize(&attributes, wanted) == 0) {
        (void)pthread_setattr_default_np(&attributes);
    }
    (void)pthread_attr_destroy(&attributes);
#endif
    return before;
}

bool psg_starpu_threads(int count, char *words, size_t size) {
    gate g = {PTHREAD_MUTEX_INITIALIZER};
    pthread_t *thread = malloc((size_t)count * sizeof *thread);
    int made = 0;
    int error = thread != NULL ? 0 : ENOMEM;
    (void)pthread_mutex_lock(&g.lock);
    while (error == 0 && made < count) {
        error = pthread_create(&thread[made], NULL, stay, &g);
        made += error == 0;
    }
    (void)pthread_mutex_unlock(&g.lock);
    for (int n = 0; n < made; n++) {
        (void)pthread_join(thread[n], NULL);
    }
    free(thread);
    if (error != 0) {
        (void)snprintf(words, size,
                       "StarPU needs %d threads, and only %d can be made here: %s (a limit on "
                       "processes, as of ulimit -u or of a container, or on memory)",
                       count, made, strerror(error));
    }
    return error == 0;
}
