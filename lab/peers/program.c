#include "lab/peers/program.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { OPTIONS_MOST = 24 };

static char name[64]; /* "bench_cores fftw" */

void bench_must_or(int code, int ok, const char *format, ...) {
    va_list list;
    if (ok) {
        return;
    }
    fprintf(stderr, "%s: ", name);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    exit(code);
}

void bench_must_psg(psg_status status) {
    bench_must(status == PSG_OK, "%s", psg_last_error());
}

double bench_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void bench_stage(const char *format, ...) {
    static double first;
    va_list list;
    first = first > 0 ? first : bench_now();
    fprintf(stderr, "%s: at %.1f s: ", name, bench_now() - first);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
}

int bench_main(int argc, char **argv, const bench_program *peers) {
    snprintf(name, sizeof name, "%s", program_invocation_short_name);
    const bench_program *p = peers;
    while (p->name != NULL && (argc < 2 || strcmp(p->name, argv[1]) != 0)) {
        p++;
    }
    if (p->name == NULL) {
        fprintf(stderr, "usage: %s ", name);
        for (p = peers; p->name != NULL; p++) {
            fprintf(stderr, "%s%s", p > peers ? "|" : "", p->name);
        }
        fprintf(stderr, " ...\n");
        return BENCH_USAGE;
    }
    snprintf(name, sizeof name, "%s %s", program_invocation_short_name, p->name);
    bench_must_or(BENCH_NOT_HERE, p->run != NULL, "was not built: it needs %s", p->needs);
    argv[1] = name;
    return p->run(argc - 1, argv + 1, p->what);
}

/* ------------------------------------------------------------------------------------- options */

static int whole_number(const char *text, int least, int *value) {
    char *rest;
    errno = 0;
    const long number = strtol(text, &rest, 10);
    *value = (int)number;
    return text[0] >= '0' && text[0] <= '9' && !*rest && !errno && number >= least &&
           number <= 1000000000;
}

static int read_value(const bench_option *option, const char *text) {
    char *rest;
    errno = 0;
    switch (option->kind) {
    case BENCH_FLAG:
        *(int *)option->value = 1;
        return 1;
    case BENCH_COUNT:
        return whole_number(text, 1, option->value);
    case BENCH_NUMBER:
        return whole_number(text, 0, option->value);
    case BENCH_REAL:
        *(double *)option->value = strtod(text, &rest);
        return text[0] && !*rest && *(double *)option->value >= 0 &&
               isfinite(*(double *)option->value);
    case BENCH_TEXT:
        *(const char **)option->value = text;
        return 1;
    case BENCH_SOLVER:
        return psg_options_set(option->value, option->solver, text) == PSG_OK;
    }
    return 0;
}

static const char *values_of(const char *solver) {
    size_t index = 0;
    while (strcmp(psg_option_at(index)->name, solver) != 0) {
        index++;
    }
    return psg_option_at(index)->values;
}

static void usage(const bench_option *options, size_t count, const char *operands) {
    fprintf(stderr, "usage: %s", name);
    for (size_t o = 0; o < count; o++) {
        static const char *const shown[] = {"", " N", " N", " X", " TEXT", " "};
        fprintf(stderr, " [--%s%s%s]", options[o].name, shown[options[o].kind],
                options[o].solver != NULL ? values_of(options[o].solver) : "");
    }
    fprintf(stderr, "%s%s\n", operands != NULL ? " " : "", operands != NULL ? operands : "");
    exit(BENCH_USAGE);
}

int bench_arguments(int argc, char **argv, const bench_option *options, const char *operands,
                    bench_settings *settings) {
    const bench_option common[] = {{"repeat", BENCH_COUNT, &settings->repeat, NULL},
                                   {"warm-up", BENCH_NUMBER, &settings->warm_up, NULL},
                                   {"seed", BENCH_NUMBER, &settings->seed, NULL},
                                   {"memory", BENCH_REAL, &settings->memory, NULL},
                                   {"rows", BENCH_FLAG, &settings->rows, NULL}};
    bench_option all[OPTIONS_MOST];
    struct option known[OPTIONS_MOST + 1];
    size_t count = sizeof common / sizeof *common;
    int which = 0, c;
    memcpy(all, common, sizeof common);
    for (; options != NULL && options->name != NULL; options++) {
        all[count++] = *options;
    }
    memset(known, 0, sizeof known);
    for (size_t o = 0; o < count; o++) {
        known[o].name = all[o].name;
        known[o].has_arg = all[o].kind == BENCH_FLAG ? no_argument : required_argument;
    }
    while ((c = getopt_long(argc, argv, "", known, &which)) == 0) {
        bench_must_or(BENCH_USAGE, read_value(&all[which], optarg), "--%s: '%s' cannot be",
                      all[which].name, optarg);
    }
    if (c != -1 || (optind == argc) != (operands == NULL)) {
        usage(all, count, operands);
    }
    return optind;
}

void bench_read_grid(const char *text, size_t n[3]) {
    char last;
    if (sscanf(text, "%zux%zux%zu%c", &n[0], &n[1], &n[2], &last) != 3) {
        bench_must_or(BENCH_USAGE, sscanf(text, "%zu%c", &n[0], &last) == 1,
                      "'%s' is no grid: N or NXxNYxNZ", text);
        n[1] = n[2] = n[0];
    }
    bench_must_or(BENCH_USAGE, n[0] > 0 && n[1] > 0 && n[2] > 0 && strchr(text, '-') == NULL,
                  "'%s' is no grid: N or NXxNYxNZ", text);
}

int bench_read_list(const char *text, int *values, int most) {
    int count = 0;
    for (const char *at = text; *at; count++) {
        char one[16];
        const size_t length = strcspn(at, ",");
        snprintf(one, sizeof one, "%.*s", (int)length, at);
        bench_must_or(BENCH_USAGE, count < most, "'%s' has more than %d numbers", text, most);
        bench_must_or(BENCH_USAGE, whole_number(one, 1, &values[count]),
                      "'%s' is no list of whole numbers", text);
        at += length + (at[length] == ',' && at[length + 1]);
    }
    return count;
}

/* ------------------------------------------------------------------------------------ memory */

double bench_memory(const bench_settings *settings) {
    char line[256];
    double kilobytes = 0;
    if (settings->memory > 0) {
        return settings->memory * 1024 * 1024 * 1024;
    }
    FILE *file = fopen("/proc/meminfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL &&
           sscanf(line, "MemAvailable: %lf", &kilobytes) != 1) {
    }
    if (file != NULL) {
        fclose(file);
    }
    return kilobytes > 0 ? 0.5 * 1024 * kilobytes : INFINITY;
}

int bench_fits(double bytes, double have, char *why) {
    const double unit = 1024 * 1024;
    snprintf(why, 128, "needs %.0f MiB of memory, and may take %.0f", bytes / unit, have / unit);
    return bytes <= have;
}

void *bench_array(size_t bytes) {
    void *p = NULL;
    bench_must(posix_memalign(&p, (size_t)2 << 20, bytes ? bytes : 1) == 0,
               "no memory for %zu bytes", bytes);
    (void)madvise(p, bytes, MADV_HUGEPAGE);
    memset(p, 0, bytes);
    return p;
}

/* splitmix64 by S. Vigna */
double bench_noise(size_t m) {
    uint64_t x = (uint64_t)m + 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (double)((x ^ (x >> 31)) >> 11) / 9007199254740992.0 - 0.5;
}

void bench_put(void *array, psg_precision precision, size_t m, double value) {
    if (precision == PSG_F64) {
        ((double *)array)[m] = value;
    } else {
        ((float *)array)[m] = (float)value;
    }
}

double bench_get(const void *array, psg_precision precision, size_t m) {
    return precision == PSG_F64 ? ((const double *)array)[m] : ((const float *)array)[m];
}

int bench_cores(void) {
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : (int)cores;
}
