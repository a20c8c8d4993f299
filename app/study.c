/* The studies. A row of the table is all that one needs. */
#include "app/study.h"
#include "app/app.h"
#include "app/arguments.h"

#include <stdio.h>
#include <string.h>

/* Lists that depend on the machine: 1, 2, 4, ... up to all of them; all of them; and the cores
 * that are left beside one for each GPU. */
enum { UP_TO_CPUS, UP_TO_GPUS, ALL_CPUS, ALL_GPUS, CPUS_BESIDE_GPUS, MACHINE_LISTS };
static const char machine_list[MACHINE_LISTS];
#define MACHINE(which) (&machine_list[which])

/* More planes than any grid has: one segment, or one pencil's worth. */
#define WHOLE "1000000000"
#define SIZES "64,128,256"

#define NUMBER(name, help) STUDY_##name,
#define NAME(name, help) #name,
enum { APP_STUDIES(NUMBER) STUDIES };
/* The programs' ones after the others. */
static const char *const study_names[] = {APP_STUDIES(NAME) APP_PROGRAM_STUDIES(NAME) NULL};
enum { STUDY_NAMES = sizeof study_names / sizeof study_names[0] - 1 };

/* A study is a product of lists, or several. */
enum { PARTS = 4 };
static const struct study {
    const char *larger; /* grids that --large adds */
    const char *part[PARTS][APP_LISTS];
} studies[STUDIES] = {
    [STUDY_node] =
        {"512",
         {{[APP_LIST_GRID] = SIZES, [APP_LIST_CPUS] = MACHINE(UP_TO_CPUS), [APP_LIST_GPUS] = "0"},
          {[APP_LIST_GRID] = SIZES, [APP_LIST_CPUS] = "0", [APP_LIST_GPUS] = MACHINE(UP_TO_GPUS)}}},
    [STUDY_stages] = {"512",
                      {{[APP_LIST_GRID] = "128,256",
                        [APP_LIST_CPUS] = MACHINE(UP_TO_CPUS),
                        [APP_LIST_GPUS] = "0",
                        [APP_LIST_GRAPH] = "staged",
                        [APP_LIST_SEGMENT_PLANES] = WHOLE},
                       {[APP_LIST_GRID] = "128,256",
                        [APP_LIST_CPUS] = "0",
                        [APP_LIST_GPUS] = MACHINE(UP_TO_GPUS),
                        [APP_LIST_GRAPH] = "staged",
                        [APP_LIST_SEGMENT_PLANES] = WHOLE}}},
    [STUDY_segments] = {"512,1024",
                        {{[APP_LIST_GRID] = SIZES,
                          [APP_LIST_GRAPH] = "fused,staged",
                          [APP_LIST_SEGMENT_PLANES] = "1,2,4,8,12,16,32,64,128,256," WHOLE}}},
    [STUDY_policies] =
        {"256",
         {{[APP_LIST_GRID] = "128", [APP_LIST_SCHED] = "all", [APP_LIST_GRAPH] = "fused,staged"}}},
    [STUDY_variants] = {"512",
                        {{[APP_LIST_GRID] = SIZES,
                          [APP_LIST_GRAPH] = "fused,staged",
                          [APP_LIST_Z] = "contiguous,strided",
                          [APP_LIST_NORMALIZE] = "task,divide"}}},
    [STUDY_scaling] = {"512",
                       {{[APP_LIST_GRID] = "128,256",
                         [APP_LIST_CPUS] = MACHINE(UP_TO_CPUS),
                         [APP_LIST_GPUS] = "0"},
                        {[APP_LIST_GRID] = "128,256",
                         [APP_LIST_RANKS] = MACHINE(UP_TO_CPUS),
                         [APP_LIST_CPUS] = "1",
                         [APP_LIST_GPUS] = "0"},
                        {[APP_LIST_GRID] = "128,256",
                         [APP_LIST_CPUS] = "0",
                         [APP_LIST_GPUS] = MACHINE(UP_TO_GPUS)},
                        {[APP_LIST_GRID] = "128,256",
                         [APP_LIST_RANKS] = MACHINE(UP_TO_GPUS),
                         [APP_LIST_CPUS] = "0",
                         [APP_LIST_GPUS] = "1"}}},
    [STUDY_overlap] = {"512",
                       {{[APP_LIST_GRID] = "128,256",
                         [APP_LIST_CPUS] = MACHINE(ALL_CPUS),
                         [APP_LIST_GPUS] = "0",
                         [APP_LIST_GRAPH] = "fused,staged"},
                        {[APP_LIST_GRID] = "128,256",
                         [APP_LIST_RANKS] = MACHINE(UP_TO_CPUS),
                         [APP_LIST_CPUS] = "1",
                         [APP_LIST_GPUS] = "0",
                         [APP_LIST_GRAPH] = "fused,staged"},
                        {[APP_LIST_GRID] = "128,256",
                         [APP_LIST_CPUS] = "0",
                         [APP_LIST_GPUS] = MACHINE(ALL_GPUS),
                         [APP_LIST_GRAPH] = "fused,staged"},
                        {[APP_LIST_GRID] = "128,256",
                         [APP_LIST_RANKS] = MACHINE(UP_TO_GPUS),
                         [APP_LIST_CPUS] = "0",
                         [APP_LIST_GPUS] = "1",
                         [APP_LIST_GRAPH] = "fused,staged"}}},
    [STUDY_hetero] =
        {"512",
         {{[APP_LIST_GRID] = "128,256", [APP_LIST_CPUS] = MACHINE(ALL_CPUS), [APP_LIST_GPUS] = "0"},
          {[APP_LIST_GRID] = "128,256", [APP_LIST_CPUS] = "0", [APP_LIST_GPUS] = MACHINE(ALL_GPUS)},
          {[APP_LIST_GRID] = "128,256",
           [APP_LIST_CPUS] = MACHINE(CPUS_BESIDE_GPUS),
           [APP_LIST_GPUS] = MACHINE(ALL_GPUS),
           [APP_LIST_CPU_SHARE] = "0,0.02,0.05,0.1,0.25,auto,free"}}},
};

static const struct study *find(const char *name) {
    for (size_t s = 0; s < STUDIES; s++) {
        if (strcmp(study_names[s], name) == 0) {
            return &studies[s];
        }
    }
    return NULL;
}

int app_study_is_program(const char *name) {
    for (size_t s = STUDIES; s < STUDY_NAMES; s++) {
        if (strcmp(study_names[s], name) == 0) {
            return 1;
        }
    }
    return 0;
}

int app_study_check(const char *name) {
    char list[256] = "";
    size_t length = 0;
    if (find(name) || app_study_is_program(name)) {
        return APP_DONE;
    }
    for (size_t s = 0; s < STUDY_NAMES && length < sizeof list; s++) {
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", s ? ", " : "",
                                   study_names[s]);
    }
    const char *nearest = app_nearest(name, study_names);
    return app_error(APP_USAGE, "--study '%s': expected one of %s%s%s%s", name, list,
                     nearest ? "; did you mean '" : "", nearest ? nearest : "",
                     nearest ? "'?" : "");
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

/* Put the machine's lists into a part. @return 0; -1: the machine has none of what it is about */
static int fill_part(const char *part[APP_LISTS], unsigned cpus, unsigned gpus,
                     char text[MACHINE_LISTS][256]) {
    const unsigned beside = cpus > gpus ? cpus - gpus : 1;
    const unsigned count[MACHINE_LISTS] = {cpus, gpus, cpus, gpus, beside};
    for (int which = 0; which < MACHINE_LISTS; which++) {
        if (which == UP_TO_CPUS || which == UP_TO_GPUS) {
            count_up(count[which], text[which], sizeof text[which]);
        } else {
            snprintf(text[which], sizeof text[which], "%u", count[which]);
        }
        for (int list = 0; list < APP_LISTS; list++) {
            if (part[list] == MACHINE(which) && count[which] == 0) {
                return -1;
            }
            part[list] = part[list] == MACHINE(which) ? text[which] : part[list];
        }
    }
    return 0;
}

int app_study_add(app_sweep *sweep, const char *name, int large, unsigned cpus, unsigned gpus,
                  const char *const lists[APP_LISTS]) {
    const struct study *study = find(name);
    char grids[128], text[MACHINE_LISTS][256];
    int code = study ? APP_DONE : APP_USAGE;
    for (size_t p = 0; p < PARTS && !code && study->part[p][APP_LIST_GRID]; p++) {
        const char *part[APP_LISTS];
        memcpy(part, study->part[p], sizeof part);
        if (fill_part(part, cpus, gpus, text)) {
            continue;
        }
        if (large) {
            snprintf(grids, sizeof grids, "%s,%s", part[APP_LIST_GRID], study->larger);
            part[APP_LIST_GRID] = grids;
        }
        for (int list = 0; list < APP_LISTS; list++) {
            part[list] = lists[list] ? lists[list] : part[list];
        }
        code = app_sweep_add(sweep, part);
    }
    return code;
}
