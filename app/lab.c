/* psg bench and psg tune: the command lines are read here, and what they ask for is done by the
 * laboratory, which is Python. It gets a request, one object of JSON: the command line, and what
 * the library knows. */
#include "app/lab.h"
#include "app/app.h"
#include "app/arguments.h"
#include "app/host.h"
#include "app/json.h"
#include "app/lab_lists.h"
#include "app/lab_options.h"
#include "app/processes.h"
#include "app/simulating.h"
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"
#include "workloads/workload.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------------------------- the request */

static json_t *policies(void) {
    json_t *list = json_array();
    for (size_t p = 0; psg_policy_name(p) != NULL; p++) {
        const char *name = psg_policy_name(p);
        json_array_append_new(list, json_pack("{s:s, s:b, s:s?}", "name", name, "models",
                                              psg_policy_uses_models(name), "library",
                                              psg_policy_library(p)));
    }
    return list;
}

static json_t *workloads(void) {
    json_t *list = json_array();
    const workload_facts *w = NULL;
    for (size_t m = 0; (w = workload_at(m)) != NULL; m++) {
        json_array_append_new(list,
                              json_pack("{s:s, s:b, s:b, s:b, s:b, s:b}", "name", w->name, "tile",
                                        w->tile != NULL, "order", w->order, "barrier", w->barrier,
                                        "place", w->place, "processes", w->processes));
    }
    return list;
}

/* Names of stages, those of a solve first. */
static json_t *stages(int count) {
    json_t *list = json_array();
    for (int s = 0; s < count; s++) {
        if (psg_stage_name((psg_stage)s) != NULL) {
            json_array_append_new(list, json_string(psg_stage_name((psg_stage)s)));
        }
    }
    return list;
}

static json_t *versions(void) {
    static const struct {
        const char *column;
        psg_component component;
    } of[] = {{"psg_version", PSG_COMPONENT_PSG},
              {"starpu_version", PSG_COMPONENT_STARPU},
              {"fftw_version", PSG_COMPONENT_FFTW},
              {"cuda_version", PSG_COMPONENT_CUDA},
              {"mpi_version", PSG_COMPONENT_MPI}};
    json_t *object = json_object();
    for (size_t v = 0; v < sizeof of / sizeof *of; v++) {
        const char *version = psg_component_version(of[v].component);
        app_json_put_text(object, of[v].column, version != NULL ? version : "");
    }
    return object;
}

static json_t *machine(void) {
    app_machine m;
    double total, available;
    app_machine_find(&m);
    app_machine_memory(&total, &available);
    json_t *object = json_object();
    app_json_put_text(object, "host", m.host);
    app_json_put_text(object, "cpu_model", m.cpu_model);
    app_json_put(object, "cores", json_integer(m.cores));
    app_json_put_real(object, "memory", total);
    app_json_put_real(object, "memory_available", available);
    return object;
}

/* What the library knows, and the laboratory has to. */
static void put_facts(json_t *request, const char *psg) {
    app_json_put_text(request, "psg", psg);
    app_json_put_text(request, "programs", PSG_PROGRAMS_FROM_BIN);
    app_json_put_text(request, "peers", "lab/peers"); /* where psg is built */
    app_json_put(request, "simulates", json_boolean(app_simulation_machine() != NULL));
    app_json_put(request, "lists", app_lab_lists_json());
    app_json_put(request, "policies", policies());
    app_json_put(request, "models", json_boolean(psg_policy_uses_models(getenv("STARPU_SCHED"))));
    app_json_put(request, "workloads", workloads());
    app_json_put(request, "stages", stages(PSG_STAGE_EDGE));
    app_json_put(request, "kinds", stages(PSG_STAGE_MOST + 1));
    app_json_put(request, "versions", versions());
    app_json_put(request, "machine", machine());
}

/* ------------------------------------------------------------------------------------ the start */

/* Where the laboratory is, from where psg is: built, and installed. */
static const char *const places[] = {"psg-lab", PSG_LAB_FROM_BIN};

/* @param[out] psg, folder  PATH_MAX bytes each @return APP_DONE; APP_FAILED after a message */
static int find_lab(const char *command, char *psg, char *folder) {
    char copy[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", psg, PATH_MAX - 1);
    psg[length > 0 ? length : 0] = '\0';
    memcpy(copy, psg, sizeof copy);
    const char *own = dirname(copy);
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        const int written = snprintf(folder, PATH_MAX, "%s/%s", own, places[p]);
        if (written > 0 && written < PATH_MAX && access(folder, R_OK) == 0) {
            return APP_DONE;
        }
    }
    return app_error(APP_FAILED, "psg %s is a program in Python, and there is no %s", command,
                     folder);
}

/* Python takes the place of this program. @return APP_FAILED after a message: it did not */
static int start(const char *command, json_t *request) {
    char psg[PATH_MAX], folder[PATH_MAX];
    if (find_lab(command, psg, folder)) {
        return APP_FAILED;
    }
    put_facts(request, psg);
    char *asked = json_dumps(request, 0);
    if (asked == NULL) {
        return app_error(APP_FAILED, "out of memory for what psg %s is asked", command);
    }
    /* signals wait until Python has its own handlers */
    sigset_t waiting, before;
    sigemptyset(&waiting);
    sigaddset(&waiting, SIGINT);
    sigaddset(&waiting, SIGTERM);
    sigaddset(&waiting, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, &waiting, &before);
    (void)fflush(stdout);
    (void)execlp("python3", "python3", "-B", folder, command, asked, (char *)NULL);
    const int why = errno;
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    free(asked);
    return app_error(APP_FAILED, "psg %s is a program in Python, and python3 cannot be started: %s",
                     command, strerror(why));
}

/* It starts processes of its own, by MPI too. */
static int refuse_ranks(const char *words) {
    return app_ranks_launched() ? app_ranks_agree(app_error(APP_USAGE, "%s", words)) : APP_DONE;
}

int app_bench(int argc, char **argv) {
    json_t *request = json_object();
    int code = app_lab_bench_options(argc, argv, request);
    code = code ? code
                : refuse_ranks("psg bench starts as many processes as --ranks says: start it "
                               "without mpirun");
    if (!code) {
        const json_t *given = json_object_get(request, "given");
        code = app_simulation_choose(app_lab_text(request, "machine"),
                                     json_object_get(given, "nodes") != NULL     ? "nodes"
                                     : json_object_get(given, "network") != NULL ? "network"
                                                                                 : NULL);
    }
    code = code ? code : start("bench", request);
    json_decref(request);
    return code == APP_HELPED ? APP_DONE : code;
}

static int forget(bool quiet) {
    psg_options options;
    size_t count = 0;
    psg_options_init(&options);
    const psg_status status = psg_tuned_forget(&options, &count);
    if (status != PSG_OK) {
        return app_error(app_exit_code(status), "%s", psg_last_error());
    }
    if (!quiet) {
        printf("removed %zu entr%s of this machine\n", count, count == 1 ? "y" : "ies");
    }
    return APP_DONE;
}

/* That something cannot be written is found before the work is done. */
static int find_folder(json_t *request) {
    char folder[PATH_MAX], path[PATH_MAX + 16];
    psg_options options;
    psg_options_init(&options);
    if (psg_cache_folder(&options, 1, folder, sizeof folder) != PSG_OK) {
        return app_error(APP_FAILED, "%s", psg_last_error());
    }
    if (!folder[0]) {
        return app_error(APP_FAILED,
                         "there is no folder to store it in: set XDG_CACHE_HOME or HOME");
    }
    app_json_put_text(request, "folder", folder);
    (void)snprintf(path, sizeof path, "%s/tuned", folder);
    return app_output_try(path, APP_OUTPUT_ANY);
}

/* An option of the entry, if it has a text for it. */
static int take_option(const json_t *entry, const char *name, const char *option, app_options *o) {
    const char *text = json_string_value(json_object_get(entry, name));
    return text != NULL ? app_options_set(o, app_option_index(option), text) : APP_DONE;
}

int app_keep(int argc, char **argv) {
    static const char *const options[] = {"precision",      "graph",  "z",    "exchange",
                                          "segment_planes", "sheets", "sched"};
    json_t *entry = argc == 2 ? json_loads(argv[1], 0, NULL) : NULL;
    const char *grid = json_string_value(json_object_get(entry, "grid"));
    app_grid_value n = {.given = false};
    app_options o;
    app_options_init(&o);
    if (grid == NULL || app_value_grid(grid, &n, NULL)) {
        json_decref(entry);
        return app_error(APP_USAGE, "psg keep is started by psg tune alone");
    }
    int code = take_option(entry, "gpu_list", "gpus", &o);
    for (size_t m = 0; m < sizeof options / sizeof *options && !code; m++) {
        code = take_option(entry, options[m], options[m], &o);
    }
    psg_tuned t = {.cpus = (size_t)json_integer_value(json_object_get(entry, "cpus")),
                   .gpus = (size_t)json_integer_value(json_object_get(entry, "gpus")),
                   .precision = o.options.precision,
                   .n = {n.n[0], n.n[1], n.n[2]},
                   .graph = o.options.graph,
                   .z_layout = o.options.z_layout,
                   .exchange = o.options.exchange,
                   .segment_planes = o.options.segment_planes,
                   .sheets = o.options.sheets,
                   .seconds = json_number_value(json_object_get(entry, "seconds")),
                   .default_seconds = json_number_value(json_object_get(entry, "default_seconds"))};
    (void)snprintf(t.policy, sizeof t.policy, "%s",
                   o.options.policy != NULL ? o.options.policy : "");
    if (!code && psg_tuned_store(&o.options, &t) != PSG_OK) {
        code = app_error(APP_FAILED, "%s", psg_last_error());
    }
    json_decref(entry);
    return code;
}

int app_tune(int argc, char **argv) {
    json_t *request = json_object();
    int code = app_lab_tune_options(argc, argv, request);
    code = code ? code : refuse_ranks("psg tune tunes one process: start it without mpirun");
    if (!code && psg_simulation()) {
        code = app_error(APP_USAGE, "psg tune measures, and this psg simulates machines");
    }
    if (!code && app_lab_flag(request, "forget")) {
        code = forget(app_lab_flag(request, "quiet"));
    } else if (!code) {
        code = find_folder(request);
        code = code ? code : start("tune", request);
    }
    json_decref(request);
    return code == APP_HELPED ? APP_DONE : code;
}
