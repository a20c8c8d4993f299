/* StarPU stops the process over a variable of the environment that it cannot read, and over a
 * thread that it cannot have. Both are tried before. Of its variables those are checked that people
 * set: the StarPU that cmake/install-starpu.sh builds passes over nonsense in others. */
#include "runtime/starpu_environment.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------ variables */

static bool fail(char *words, size_t size, const char *name, const char *value,
                 const char *expected) {
    (void)snprintf(words, size, "%s='%.64s' in the environment: %s", name, value, expected);
    return false;
}

/* As StarPU reads it: "" is 0. */
static bool check_whole(const char *name, const char *value, int least, int most, char *words,
                        size_t size) {
    char expected[64];
    char *end = NULL;
    const long long number = strtoll(value, &end, 10);
    if (*end == '\0' && number >= least && number <= most) {
        return true;
    }
    (void)snprintf(expected, sizeof expected,
                   most < INT_MAX ? "a whole number from %d to %d is needed"
                                  : "a whole number from %d is needed",
                   least, most);
    return fail(words, size, name, value, expected);
}

/* Numbers with blanks between; and where StarPU knows them commas, and ranges as 2-5 and 2-. */
static bool check_list(const char *name, const char *value, bool ranges, int most, char *words,
                       size_t size) {
    const char *between = ranges ? " \t," : " \t";
    char expected[96];
    size_t count = 0;
    bool good = true;
    for (const char *at = value + strspn(value, between); good && *at != '\0';
         at += strspn(at, between), count++) {
        char *end = NULL;
        good = isdigit((unsigned char)*at) && strtoll(at, &end, 10) <= most;
        at = good ? end : at;
        if (good && ranges && *at == '-') {
            at += 1 + strspn(at + 1, "0123456789");
        }
        good = good && (*at == '\0' || strchr(between, *at) != NULL);
    }
    (void)snprintf(expected, sizeof expected, "numbers from 0 to %d are needed, with %s between",
                   most, ranges ? "blanks or commas" : "blanks");
    return (good && count > 0) || fail(words, size, name, value, expected);
}

typedef enum form { NUMBER = 0, COUNT, CORES, GPUS, HOST, KERNELS, ONE } form;

static const struct variable {
    const char *name;
    form form;
    int most; /* of a number */
} variables[] = {
    {"STARPU_NCPU", NUMBER, INT_MAX},
    {"STARPU_NCPUS", NUMBER, INT_MAX},
    {"STARPU_NCUDA", NUMBER, INT_MAX},
    {"STARPU_RESERVE_NCPU", NUMBER, INT_MAX},
    {"STARPU_CALIBRATE", NUMBER, 2},
    {"STARPU_BUS_CALIBRATE", NUMBER, INT_MAX},
    {"STARPU_SILENT", NUMBER, INT_MAX},
    {"STARPU_WORKERS_NOBIND", NUMBER, INT_MAX},
    {"STARPU_PREFETCH", NUMBER, INT_MAX},
    {"STARPU_MAIN_THREAD_BIND", NUMBER, INT_MAX},
    {"STARPU_LIMIT_CPU_MEM", NUMBER, INT_MAX},
    {"STARPU_LIMIT_CUDA_MEM", NUMBER, INT_MAX},
    {"STARPU_WORKERS_CPUID", CORES, 0},
    {"STARPU_WORKERS_COREID", CORES, 0},
    {"STARPU_WORKERS_CUDAID", GPUS, 0},
    {"STARPU_HOSTNAME", HOST, 0},
    {"STARPU_DISABLE_KERNELS", KERNELS, 0},
    {"STARPU_NWORKER_PER_CUDA", ONE, 0},
    {"STARPU_NTHREADS_PER_CORE", COUNT, INT_MAX},
};

static bool check(const struct variable *v, const char *value, int gpus, char *words, size_t size) {
    switch (v->form) {
    case CORES:
        return check_list(v->name, value, true, INT_MAX, words, size);
    case GPUS:
        return gpus == 0 || check_list(v->name, value, false, gpus - 1, words, size);
    case HOST:
        return strchr(value, '/') == NULL ||
               fail(words, size, v->name, value, "it has a slash in it");
    case KERNELS:
        return atoi(value) <= 0 ||
               fail(words, size, v->name, value,
                    "StarPU would run no task, and there would be no answer; unset it");
    case ONE: /* a worker of a GPU stands for it where data are placed and GPUs are counted */
        return strcmp(value, "1") == 0 ||
               fail(words, size, v->name, value, "psg has one worker for each GPU; unset it");
    case COUNT:
    case NUMBER:
    default:
        return check_whole(v->name, value, v->form == COUNT ? 1 : 0, v->most, words, size);
    }
}

bool psg_starpu_environment(int gpus, char *words, size_t size) {
    bool good = true;
    for (size_t n = 0; n < sizeof variables / sizeof *variables && good; n++) {
        const char *value = getenv(variables[n].name);
        good = value == NULL || check(&variables[n], value, gpus, words, size);
    }
    return good;
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
