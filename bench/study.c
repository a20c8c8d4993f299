/* The studies. A row of the table is all that one needs. */
#include "bench/study.h"
#include "app/app.h"
#include "app/arguments.h"
#include "base/nearest.h"
#include "bench/crossover.h"

#include <stdio.h>
#include <string.h>

/* Lists that depend on the machine: 1, 2, 4, ... up to all of them; all of them; and the cores
 * that are left beside one for each GPU. The user's --cpus or --gpus take their place, whatever
 * list they stand for. */
enum { UP_TO_CPUS, ALL_CPUS, CPUS_BESIDE_GPUS, UP_TO_GPUS, ALL_GPUS, MACHINE_LISTS };
static const char machine_list[MACHINE_LISTS];
#define MACHINE(which) (&machine_list[which])

/* More planes than any grid has: one segment, or one sheet's worth. */
#define WHOLE "1000000000"

#define WORKLOADS "ep:S,blocks:8"

/* Tasks of all sizes. */
#define VADD                                                                                       \
    {"workload", "vadd:4194304"}, {                                                                \
        "tile", "1024,4096,16384,65536,262144,1048576,4194304"                                     \
    }
#define TRANSPOSE                                                                                  \
    {"workload", "transpose:4096,transpose:4096:inplace"}, {                                       \
        "tile", "64,128,256,512,1024,2048,4096"                                                    \
    }
#define JACOBI                                                                                     \
    {"workload", "jacobi:2050:10"}, {                                                              \
        "tile", "64,128,256,512,1024,2048"                                                         \
    }

/* What a part of a study is about. Other workers than these have nothing to do with it. */
typedef enum subject { WORKERS, CORES, GPUS, CORES_AND_GPUS } subject; /* WORKERS: GPUs, if any */

#define NUMBER(name, help) STUDY_##name,
#define NAME(name, help) #name,
enum { BENCH_STUDIES(NUMBER) STUDIES };
/* The programs' ones after the others. */
static const char *const study_names[] = {BENCH_STUDIES(NAME) BENCH_PROGRAM_STUDIES(NAME) NULL};
enum { STUDY_NAMES = sizeof study_names / sizeof study_names[0] - 1 };

/* Grids, and those that --large adds; GPUs have larger ones. NULL: a study of workloads has none. */
typedef struct sizes {
    const char *cores, *more_cores, *gpus, *more_gpus;
} sizes;
#define SMALL                                                                                      \
    { "64,128,256", "512", "256,512", "1024" }
#define LARGE                                                                                      \
    { "128,256", "512", "512", "1024" }

/* A study is a product of lists, or several. */
enum { PARTS = 6, LISTS = 4 };
static const struct study {
    sizes sizes;
    struct part {
        subject subject;
        struct {
            const char *column, *values;
        } list[LISTS];
    } part[PARTS]; /* one without a list is none */
    /* After the rows. NULL: nothing */
    void (*print)(const bench_results *results, const bench_sweep *sweep,
                  const bench_result *result);
} studies[STUDIES] = {
    [STUDY_node] = {SMALL,
                    {{CORES, {{"cpus", MACHINE(UP_TO_CPUS)}}},
                     {GPUS, {{"gpus", MACHINE(UP_TO_GPUS)}}}}},
    [STUDY_stages] =
        {LARGE,
         {{CORES, {{"cpus", MACHINE(UP_TO_CPUS)}, {"graph", "staged"}, {"segment_planes", WHOLE}}},
          {GPUS, {{"gpus", MACHINE(UP_TO_GPUS)}, {"graph", "staged"}, {"segment_planes", WHOLE}}}}},
    [STUDY_segments] = {{"64,128,256", "512,1024", "256,512", "1024"},
                        {{WORKERS,
                          {{"graph", "fused,staged"},
                           {"segment_planes", "1,2,4,8,12,16,32,64,128,256," WHOLE}}}}},
    [STUDY_policies] = {{"128", "256", "512", "1024"},
                        {{WORKERS, {{"sched", "all"}, {"graph", "fused,staged"}}}}},
    [STUDY_variants] = {SMALL,
                        {{WORKERS,
                          {{"graph", "fused,staged"},
                           {"z", "contiguous,strided"},
                           {"normalize", "task,divide"}}}}},
    [STUDY_scaling] = {LARGE,
                       {{CORES, {{"cpus", MACHINE(UP_TO_CPUS)}}},
                        {CORES, {{"ranks", MACHINE(UP_TO_CPUS)}, {"cpus", "1"}}},
                        {GPUS, {{"gpus", MACHINE(UP_TO_GPUS)}}},
                        {GPUS, {{"ranks", MACHINE(UP_TO_GPUS)}, {"gpus", "1"}}}}},
    [STUDY_overlap] =
        {LARGE,
         {{CORES, {{"cpus", MACHINE(ALL_CPUS)}, {"graph", "fused,staged"}}},
          {CORES, {{"ranks", MACHINE(UP_TO_CPUS)}, {"cpus", "1"}, {"graph", "fused,staged"}}},
          {GPUS, {{"gpus", MACHINE(ALL_GPUS)}, {"graph", "fused,staged"}}},
          {GPUS, {{"ranks", MACHINE(UP_TO_GPUS)}, {"gpus", "1"}, {"graph", "fused,staged"}}}}},
    [STUDY_hetero] = {LARGE,
                      {{CORES, {{"cpus", MACHINE(ALL_CPUS)}}},
                       {GPUS, {{"gpus", MACHINE(ALL_GPUS)}}},
                       {CORES_AND_GPUS,
                        {{"cpus", MACHINE(CPUS_BESIDE_GPUS)},
                         {"gpus", MACHINE(ALL_GPUS)},
                         {"cpu_share", "0,0.02,0.05,0.1,0.25,auto,free"}}}}},
    [STUDY_workloads] =
        {{NULL, NULL, NULL, NULL},
         {{CORES, {{"cpus", MACHINE(ALL_CPUS)}, {"sched", "all"}, {"workload", WORKLOADS}}},
          {GPUS, {{"gpus", MACHINE(ALL_GPUS)}, {"sched", "all"}, {"workload", WORKLOADS}}},
          {CORES_AND_GPUS,
           {{"cpus", MACHINE(CPUS_BESIDE_GPUS)},
            {"gpus", MACHINE(ALL_GPUS)},
            {"sched", "all"},
            {"workload", WORKLOADS}}}}},
    [STUDY_crossover] = {{NULL, NULL, NULL, NULL},
                         {{CORES, {{"cpus", "1"}, VADD}},
                          {GPUS, {{"gpus", "1"}, VADD}},
                          {CORES, {{"cpus", "1"}, TRANSPOSE}},
                          {GPUS, {{"gpus", "1"}, TRANSPOSE}},
                          {CORES, {{"cpus", "1"}, JACOBI}},
                          {GPUS, {{"gpus", "1"}, JACOBI}}},
                         bench_crossover_print},
};

static const struct study *find(const char *name) {
    for (size_t s = 0; s < STUDIES; s++) {
        if (strcmp(study_names[s], name) == 0) {
            return &studies[s];
        }
    }
    return NULL;
}

bool bench_study_is_program(const char *name) {
    for (size_t s = STUDIES; s < STUDY_NAMES; s++) {
        if (strcmp(study_names[s], name) == 0) {
            return true;
        }
    }
    return false;
}

int bench_study_check(const char *name) {
    char list[256] = "";
    size_t length = 0;
    if (find(name) != NULL || bench_study_is_program(name)) {
        return APP_DONE;
    }
    for (size_t s = 0; s < STUDY_NAMES && length < sizeof list; s++) {
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", s ? ", " : "",
                                   study_names[s]);
    }
    const char *nearest = base_nearest(name, study_names);
    return app_error(APP_USAGE, "--study '%s': expected one of %s%s%s%s", name, list,
                     nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "",
                     nearest != NULL ? "'?" : "");
}

/* "1,2,4,6" for 6. */
static void count_up(unsigned most, char *text, size_t size) {
    size_t length = 0;
    text[0] = '\0';
    for (unsigned n = 1; n < most && length < size; n *= 2) {
        length += (size_t)snprintf(text + length, size - length, "%u,", n);
    }
    if (length < size) {
        snprintf(text + length, size - length, "%u", most);
    }
}

typedef struct texts {
    char machine[MACHINE_LISTS][256], grids[128];
} texts;

/* 0 cores or GPUs are none: what is about them is left out. */
static bool is_none(const char *list) {
    return list != NULL && strcmp(list, "0") == 0;
}

/* Is there what a part is about, and does the user want it? */
static bool is_wanted(subject of, unsigned gpus, const char *const lists[BENCH_LISTS_MOST]) {
    const bool cores = !is_none(lists[bench_list("cpus")]);
    const bool any =
        lists[bench_list("gpus")] != NULL ? !is_none(lists[bench_list("gpus")]) : gpus > 0;
    return of == CORES            ? cores
           : of == GPUS           ? any
           : of == CORES_AND_GPUS ? cores && any
                                  : cores || any;
}

/* The lists of a part on this machine; the user's that are given take their place. */
static void fill_part(const char *list[BENCH_LISTS_MOST], const struct study *study,
                      const struct part *part, bool large, const unsigned count[MACHINE_LISTS],
                      const char *const lists[BENCH_LISTS_MOST], texts *t) {
    const sizes *s = &study->sizes;
    const bool on_gpus = part->subject != CORES && is_wanted(GPUS, count[ALL_GPUS], lists);
    for (int which = 0; which < MACHINE_LISTS; which++) {
        if (which == UP_TO_CPUS || which == UP_TO_GPUS) {
            count_up(count[which], t->machine[which], sizeof t->machine[which]);
        } else {
            snprintf(t->machine[which], sizeof t->machine[which], "%u", count[which]);
        }
    }
    for (size_t l = 0; l < LISTS && part->list[l].column != NULL; l++) {
        list[bench_list(part->list[l].column)] = part->list[l].values;
    }
    if (s->cores != NULL) {
        snprintf(t->grids, sizeof t->grids, "%s%s%s", on_gpus ? s->gpus : s->cores,
                 large ? "," : "",
                 !large    ? ""
                 : on_gpus ? s->more_gpus
                           : s->more_cores);
        list[BENCH_LIST_GRID] = t->grids;
    }
    const size_t cpus = bench_list("cpus"), gpus = bench_list("gpus");
    for (size_t l = 0; l < bench_lists(); l++) {
        const bool workers = l == cpus || l == gpus;
        list[l] = lists[l] != NULL && (!workers || part->subject == WORKERS) ? lists[l] : list[l];
        for (int which = 0; which < MACHINE_LISTS; which++) {
            const char *given = lists[which < UP_TO_GPUS ? cpus : gpus];
            if (list[l] == MACHINE(which)) {
                list[l] = given != NULL ? given : t->machine[which];
            }
        }
    }
    if (part->subject == CORES) {
        list[gpus] = "0";
    } else if (part->subject == GPUS) {
        list[cpus] = "0";
    }
}

int bench_study_add(bench_sweep *sweep, const char *name, bool large, unsigned cpus, unsigned gpus,
                    const char *const lists[BENCH_LISTS_MOST]) {
    const struct study *study = find(name);
    const unsigned count[MACHINE_LISTS] = {[UP_TO_CPUS] = cpus,
                                           [ALL_CPUS] = cpus,
                                           [CPUS_BESIDE_GPUS] = cpus > gpus ? cpus - gpus : 1,
                                           [UP_TO_GPUS] = gpus,
                                           [ALL_GPUS] = gpus};
    int code = study != NULL ? APP_DONE : APP_USAGE;
    for (size_t p = 0; study != NULL && p < PARTS && !code; p++) {
        const char *list[BENCH_LISTS_MOST] = {NULL};
        texts t = {.grids = ""};
        if (study->part[p].list[0].column != NULL &&
            is_wanted(study->part[p].subject, gpus, lists)) {
            fill_part(list, study, &study->part[p], large, count, lists, &t);
            code = bench_sweep_add(sweep, list);
        }
    }
    return code || sweep->count > 0
               ? code
               : app_error(APP_USAGE, "--study %s: nothing is left of it, without cores and GPUs",
                           name);
}

void bench_study_print(const char *name, const bench_results *results, const bench_sweep *sweep,
                       const bench_result *result) {
    const struct study *study = name != NULL ? find(name) : NULL;
    if (study != NULL && study->print != NULL) {
        study->print(results, sweep, result);
    }
}
