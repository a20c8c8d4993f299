/* psg info: versions, workers, policies. */
#include "app/info.h"
#include "app/arguments.h"
#include "app/field.h"
#include "app/output.h"
#include "app/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where FFTW's wisdom is kept, as psg_options.cache_dir says. */
static void cache_folder(char *text, size_t size) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0]) {
        snprintf(text, size, "%s/psg", cache);
    } else if (home && home[0]) {
        snprintf(text, size, "%s/.cache/psg", home);
    } else {
        snprintf(text, size, "none");
    }
}

static void print_lines(const psg_worker *workers, size_t count, const char *policy,
                        const char *cache) {
    char hdf5[32];
    for (int c = 0; c < PSG_COMPONENT_COUNT; c++) {
        const char *version = psg_component_version(c);
        printf("%-9s %s\n", psg_component_name(c), version ? version : "not built in");
    }
    app_field_library_version(hdf5, sizeof hdf5);
    printf("%-9s %s\n%-9s %s\n\nWorkers:\n", "HDF5", hdf5, "Jansson", JANSSON_VERSION);
    for (size_t w = 0; w < count; w++) {
        printf("  %-4s %3d  %s\n", app_worker_kind_name(workers[w].kind), workers[w].device,
               workers[w].name);
    }
    printf("\nScheduling policies (* is in force):\n");
    for (size_t p = 0; psg_policy_name(p); p++) {
        printf("%c %-32s %s\n", strcmp(policy, psg_policy_name(p)) ? ' ' : '*', psg_policy_name(p),
               psg_policy_description(p));
    }
    printf("\nCache folder: %s\n", cache);
}

static json_t *make_json(const psg_worker *workers, size_t count, const char *policy,
                         const char *cache) {
    json_t *root = json_object(), *policies = json_array();
    for (size_t p = 0; psg_policy_name(p); p++) {
        json_array_append_new(policies, json_pack("{s:s, s:s}", "name", psg_policy_name(p),
                                                  "description", psg_policy_description(p)));
    }
    json_object_set_new(root, "command", json_string("info"));
    json_object_set_new(root, "versions", app_json_versions());
    json_object_set_new(root, "workers", app_json_workers(workers, count));
    json_object_set_new(root, "policy", json_string(policy));
    json_object_set_new(root, "policies", policies);
    json_object_set_new(root, "cache_folder", json_string(cache));
    return root;
}

int app_info(int argc, char **argv) {
    app_arguments arguments;
    psg_options options;
    char policy[64] = "", cache[PATH_MAX];
    size_t count = 0;
    int code = app_arguments_info(argc, argv, &arguments);
    if (code) {
        return code == APP_HELPED ? APP_DONE : code;
    }
    app_signals_install();
    psg_options_init(&options);
    options.cpus = arguments.cpus;
    options.gpus = arguments.gpus.count;
    options.gpu_ids = arguments.gpus.listed ? arguments.gpus.ids : NULL;
    options.policy = arguments.policy;
    cache_folder(cache, sizeof cache);

    const int to_stdout = arguments.json && strcmp(arguments.json, "-") == 0;
    app_output file = {.temporary = ""};
    psg_worker *workers = app_allocate(APP_WORKERS_MOST, sizeof *workers, "the list of workers");
    if (!workers) {
        return APP_FAILED;
    }
    const psg_status status =
        psg_machine_workers(&options, workers, APP_WORKERS_MOST, &count, policy, sizeof policy);
    if (status != PSG_OK) {
        code = app_error(app_exit_code(status), "%s", psg_last_error());
        goto done;
    }
    if (count > APP_WORKERS_MOST) {
        count = APP_WORKERS_MOST;
    }
    if (!to_stdout) {
        print_lines(workers, count, policy, cache);
    }
    if (arguments.json) {
        if (!to_stdout) {
            code = app_output_begin(&file, arguments.json, 0);
        }
        if (!code) {
            code = app_json_write(make_json(workers, count, policy, cache),
                                  to_stdout ? NULL : file.temporary, arguments.json);
        }
        if (!code && !to_stdout) {
            code = app_output_commit(&file);
        }
    }
done:
    app_output_discard(&file);
    free(workers);
    return code;
}
