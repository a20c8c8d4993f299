/* psg info: versions, workers, policies. */
#include "app/info.h"
#include "app/arguments.h"
#include "app/field.h"
#include "app/output.h"
#include "app/ranks.h"
#include "app/report.h"
#include "app/tuned.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_versions(void) {
    char hdf5[32];
    for (int c = 0; c < PSG_COMPONENT_COUNT; c++) {
        const char *version = psg_component_version(c);
        printf("%-9s %s", psg_component_name(c), version ? version : "not built in");
        if (c == PSG_COMPONENT_MPI && version) {
            printf(", %s", psg_mpi_cuda_aware() > 0 ? "CUDA-aware" : "not CUDA-aware");
        }
        printf("\n");
    }
    app_field_library_version(hdf5, sizeof hdf5);
    printf("%-9s %s, %s\n%-9s %s\n", "HDF5", hdf5,
           app_field_is_parallel() ? "written by all processes at once" : "written by one process",
           "Jansson", JANSSON_VERSION);
}

static void print_lines(const app_workers *workers, const char *cache, const app_tuned *tuned) {
    const psg_worker *worker = workers->list;
    print_versions();
    printf("\nWorkers:\n");
    for (int rank = 0; rank < app_ranks(); rank++) {
        for (size_t w = 0; w < workers->of_rank[rank]; w++, worker++) {
            if (app_ranks() > 1) {
                printf("  rank %d", rank);
            }
            printf("  %-4s %3d  %s\n", app_worker_kind_name(worker->kind), worker->device,
                   worker->name);
        }
    }
    printf("\nScheduling policies (* is in force):\n");
    for (size_t p = 0; psg_policy_name(p); p++) {
        printf("%c %-32s %s\n", strcmp(workers->policy, psg_policy_name(p)) ? ' ' : '*',
               psg_policy_name(p), psg_policy_description(p));
    }
    printf("\nCache folder: %s\n", cache[0] ? cache : "none");
    app_tuned_print(tuned);
}

static json_t *make_json(const app_workers *workers, const char *cache, const app_tuned *tuned) {
    json_t *root = json_object(), *policies = json_array();
    for (size_t p = 0; psg_policy_name(p); p++) {
        json_array_append_new(policies, json_pack("{s:s, s:s}", "name", psg_policy_name(p),
                                                  "description", psg_policy_description(p)));
    }
    const int aware = psg_mpi_cuda_aware();
    json_object_set_new(root, "command", json_string("info"));
    json_object_set_new(root, "versions", app_json_versions());
    json_object_set_new(root, "mpi_cuda_aware", aware < 0 ? json_null() : json_boolean(aware));
    json_object_set_new(root, "hdf5_parallel", json_boolean(app_field_is_parallel()));
    json_object_set_new(root, "ranks", json_integer(app_ranks()));
    json_object_set_new(root, "rank_workers", app_json_rank_workers(workers));
    json_object_set_new(root, "workers", app_json_workers(workers));
    json_object_set_new(root, "policy", json_string(workers->policy));
    json_object_set_new(root, "policies", policies);
    json_object_set_new(root, "cache_folder", json_string(cache[0] ? cache : "none"));
    json_object_set_new(root, "tuned", app_tuned_json(tuned));
    return root;
}

/* On rank 0. */
static int tell(const app_workers *workers, const psg_options *options, const char *json) {
    char cache[PATH_MAX];
    app_tuned tuned;
    const int to_stdout = json && strcmp(json, "-") == 0;
    if (psg_cache_folder(options, 0, cache, sizeof cache) != PSG_OK) {
        cache[0] = '\0';
    }
    int code = app_tuned_find(options, &tuned);
    if (!code && !to_stdout) {
        print_lines(workers, cache, &tuned);
    }
    if (!code && to_stdout) {
        code = app_json_write(make_json(workers, cache, &tuned), NULL, json);
    } else if (!code && json) {
        code = app_json_save(make_json(workers, cache, &tuned), json);
    }
    free(tuned.list);
    return code;
}

int app_info(int argc, char **argv) {
    app_arguments arguments;
    app_workers workers = {.list = NULL};
    psg_options options;
    int code = app_ranks_agree(app_arguments_info(argc, argv, &arguments));
    if (code) {
        return code == APP_HELPED ? APP_DONE : code;
    }
    app_signals_install();
    psg_options_init(&options);
    options.cpus = arguments.cpus;
    options.gpus = arguments.gpus.count;
    options.gpu_ids = arguments.gpus.listed ? arguments.gpus.ids : NULL;
    options.policy = arguments.policy;
    options.comm = app_ranks_comm();
    code = app_workers_find(&options, &workers);
    if (!code) {
        code =
            app_ranks_agree(app_rank() == 0 ? tell(&workers, &options, arguments.json) : APP_DONE);
    }
    app_workers_free(&workers);
    return code;
}
