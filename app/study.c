/* The studies. A row of the table is all that one needs. */
#include "app/study.h"
#include "app/app.h"
#include "app/arguments.h"

#include <stdio.h>
#include <string.h>

/* Lists that depend on the machine: 1, 2, 4, ... up to all of them. */
static const char all_cpus[] = "all CPUs", all_gpus[] = "all GPUs";

/* More planes than any grid has: one segment, or one pencil's worth. */
#define WHOLE "1000000000"
#define SIZES "64,128,256"

#define NUMBER(name, help) STUDY_##name,
#define NAME(name, help) #name,
enum { APP_STUDIES(NUMBER) STUDIES };
/* The programs' ones after the others. */
static const char *const study_names[] = {APP_STUDIES(NAME) APP_PROGRAM_STUDIES(NAME) NULL};
enum { STUDY_NAMES = sizeof study_names / sizeof study_names[0] - 1 };

/* A study is one product of lists, or two. */
enum { PARTS = 2 };
static const struct study {
    const char *larger; /* grids that --large adds */
    const char *part[PARTS][APP_LISTS];
} studies[STUDIES] = {
    [STUDY_node] = {"512",
                    {{[APP_LIST_GRID] = SIZES, [APP_LIST_CPUS] = all_cpus, [APP_LIST_GPUS] = "0"},
                     {[APP_LIST_GRID] = SIZES, [APP_LIST_CPUS] = "0", [APP_LIST_GPUS] = all_gpus}}},
    [STUDY_stages] = {"512",
                      {{[APP_LIST_GRID] = "128,256",
                        [APP_LIST_CPUS] = all_cpus,
                        [APP_LIST_GPUS] = "0",
                        [APP_LIST_GRAPH] = "staged",
                        [APP_LIST_SEGMENT_PLANES] = WHOLE},
                       {[APP_LIST_GRID] = "128,256",
                        [APP_LIST_CPUS] = "0",
                        [APP_LIST_GPUS] = all_gpus,
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
                          [APP_LIST_Z] = "contiguous,strided"}}},
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

int app_study_needs_machine(const char *name) {
    const struct study *study = find(name);
    return study && (study->part[0][APP_LIST_CPUS] == all_cpus);
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

int app_study_add(app_sweep *sweep, const char *name, int large, unsigned cpus, unsigned gpus,
                  const char *const lists[APP_LISTS]) {
    const struct study *study = find(name);
    char grids[128], cpu_counts[256], gpu_counts[256];
    int code = study ? APP_DONE : APP_USAGE;
    for (size_t p = 0; p < PARTS && !code && study->part[p][APP_LIST_GRID]; p++) {
        const char *part[APP_LISTS];
        memcpy(part, study->part[p], sizeof part);
        if ((part[APP_LIST_CPUS] == all_cpus && cpus == 0) ||
            (part[APP_LIST_GPUS] == all_gpus && gpus == 0)) {
            continue; /* the machine has none */
        }
        if (part[APP_LIST_CPUS] == all_cpus) {
            count_up(cpus, cpu_counts, sizeof cpu_counts);
            part[APP_LIST_CPUS] = cpu_counts;
        }
        if (part[APP_LIST_GPUS] == all_gpus) {
            count_up(gpus, gpu_counts, sizeof gpu_counts);
            part[APP_LIST_GPUS] = gpu_counts;
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
