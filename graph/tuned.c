/* What `psg tune` found: looked up when a plan begins, stored and listed for the command. */
#include "graph/tuned.h"
#include "graph/cache.h"
#include "graph/options.h"
#include "graph/status.h"
#include "graph/tuned_file.h"
#include "runtime/device.h"
#include "runtime/node.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const state_names[PSG_TUNED_STATE_COUNT] = {
    [PSG_TUNED_USABLE] = "usable",
    [PSG_TUNED_FOREIGN] = "of another machine",
    [PSG_TUNED_STALE] = "of other versions",
    [PSG_TUNED_DAMAGED] = "damaged",
};

const char *psg_tuned_state_name(psg_tuned_state state) {
    return (unsigned)state < PSG_TUNED_STATE_COUNT ? state_names[state] : NULL;
}

/* --------------------------------------------------------------------------------- folder */

/* Names of entries in the folder, sorted; NULL where there are none. */
typedef struct shelf {
    char folder[3584];
    struct dirent **names;
    int count;
} shelf;

static int is_entry(const struct dirent *entry) {
    return strncmp(entry->d_name, "tuned-", strlen("tuned-")) == 0;
}

static void shelf_open(shelf *s, const psg_options *options) {
    s->names = NULL;
    s->count = 0;
    if (psg_cache_folder(options, 0, s->folder, sizeof s->folder) == PSG_OK &&
        s->folder[0] != '\0') {
        const int count = scandir(s->folder, &s->names, is_entry, alphasort);
        s->count = count > 0 ? count : 0;
    }
    psg_clear_error(); /* a folder that cannot be is empty */
}

static void shelf_close(shelf *s) {
    for (int m = 0; m < s->count; m++) {
        free(s->names[m]);
    }
    free(s->names);
}

static void shelf_path(const shelf *s, int number, char *path, size_t size) {
    (void)snprintf(path, size, "%s/%s", s->folder, s->names[number]->d_name);
}

/* This machine, as its entries call it. */
static psg_tuned machine_of(const psg_options *options) {
    psg_tuned here = {.gpus = options->gpus != 0 ? 1 : 0};
    psg_tuned_key(&here, options->gpu_ids != NULL && options->gpus > 0 ? options->gpu_ids[0] : 0);
    return here;
}

static void shelf_read(const shelf *s, int number, const psg_tuned *here, psg_tuned *tuned) {
    char path[4096];
    shelf_path(s, number, path, sizeof path);
    if (!psg_tuned_read(tuned, path, s->names[number]->d_name)) {
        tuned->state = PSG_TUNED_DAMAGED;
        (void)snprintf(tuned->name, sizeof tuned->name, "%s", s->names[number]->d_name);
    } else if (strcmp(tuned->host, here->host) != 0 ||
               strcmp(tuned->cpu_model, here->cpu_model) != 0 ||
               (tuned->gpus > 0 && strcmp(tuned->gpu_model, here->gpu_model) != 0)) {
        tuned->state = PSG_TUNED_FOREIGN;
    } else if (strcmp(tuned->versions, here->versions) != 0) {
        tuned->state = PSG_TUNED_STALE;
    }
}

/* -------------------------------------------------------------------------------- looking up */

/* The workers that take a plan's tasks: those that run, else those that StarPU would start. */
static void count_workers(const psg_options *options, size_t *cpus, size_t *gpus) {
    char words[192];
    int cores = options->cpus;
    if (starpu_is_initialized() != 0) {
        *gpus = options->gpus != 0 ? starpu_cuda_worker_get_count() : 0;
        cores = (int)starpu_cpu_worker_get_count();
    } else {
        *gpus = options->gpus < 0   ? (size_t)psg_device_count(words, sizeof words)
                : options->gpus > 0 ? (size_t)options->gpus
                                    : 0;
        if (cores < 0 && (*gpus == 0 || psg_options_want_cores(options))) {
            psg_share_machine(NULL, 0, &cores);
        }
    }
    const bool idle = *gpus > 0 && !psg_options_want_cores(options);
    *cpus = idle || cores < 0 ? 0 : (size_t)cores;
}

static bool is_periodic(const psg_grid *grid) {
    bool all = true;
    for (int d = 0; d < 3; d++) {
        all =
            all && grid->axis[d].bc[0] == PSG_BC_PERIODIC && grid->axis[d].bc[1] == PSG_BC_PERIODIC;
    }
    return all;
}

/* How far an entry's grid is from another, in powers of two; infinite in another class. */
static double distance(const psg_tuned *tuned, const psg_grid *grid) {
    double sum = 0;
    for (int d = 0; d < 3; d++) {
        const double own = log2((double)tuned->n[d]);
        const double other = log2((double)grid->axis[d].n);
        sum += lround(own) == lround(other) ? fabs(own - other) : INFINITY;
    }
    return sum;
}

bool psg_tuned_find(psg_tuned *tuned, const psg_grid *grid, const psg_options *options) {
    const psg_tuned nothing = {.graph = PSG_GRAPH_AUTO, .z_layout = PSG_Z_AUTO};
    double nearest = INFINITY;
    shelf s;
    *tuned = nothing;
    if (options->tuned == 0 || options->kernel != PSG_KERNEL_AUTO || !is_periodic(grid)) {
        return false;
    }
    shelf_open(&s, options);
    if (s.count > 0) { /* what follows takes milliseconds */
        const psg_tuned here = machine_of(options);
        size_t cpus = 0;
        size_t gpus = 0;
        count_workers(options, &cpus, &gpus);
        for (int m = 0; m < s.count; m++) {
            psg_tuned one;
            shelf_read(&s, m, &here, &one);
            if (one.state == PSG_TUNED_USABLE && one.precision == options->precision &&
                one.cpus == cpus && one.gpus == gpus && distance(&one, grid) < nearest) {
                nearest = distance(&one, grid);
                *tuned = one;
            }
        }
    }
    shelf_close(&s);
    return nearest < INFINITY;
}

/* -------------------------------------------------------------------------------- applying */

/* As many segments as the entry's grid had. */
static size_t planes_for(const psg_tuned *tuned, size_t nz) {
    if (tuned->n[2] == nz) {
        return tuned->segment_planes;
    }
    const size_t segments = (tuned->n[2] + tuned->segment_planes - 1) / tuned->segment_planes;
    return (nz + segments - 1) / segments;
}

/* What holds for the stored graph alone. */
static bool apply_cut(psg_options *options, const psg_grid *grid, const psg_tuned *tuned) {
    bool applied = false;
    if (options->z_layout == PSG_Z_AUTO && tuned->z_layout != PSG_Z_AUTO) {
        options->z_layout = tuned->z_layout;
        applied = options->graph == PSG_GRAPH_STAGED;
    }
    if (options->segment_planes == 0 && tuned->segment_planes > 0) {
        options->segment_planes = planes_for(tuned, grid->axis[2].n);
        applied = true;
    }
    if (options->sheets == 0 && tuned->sheets > 0) {
        options->sheets = tuned->sheets;
        applied = true;
    }
    return applied;
}

/* Was StarPU started with the stored policy? One that is the default's has none stored. */
static bool policy_applied(const psg_options *options, const psg_tuned *tuned) {
    const struct starpu_sched_policy *policy = starpu_sched_get_sched_policy();
    return options->policy == NULL && tuned->policy[0] != '\0' && policy != NULL &&
           policy->policy_name != NULL && strcmp(policy->policy_name, tuned->policy) == 0;
}

bool psg_tuned_apply(psg_options *options, const psg_grid *grid, const psg_tuned *tuned) {
    bool applied = false;
    psg_tuned found = *tuned;
    size_t cpus = 0;
    size_t gpus = 0;
    if (options->tuned != 0) {
        count_workers(options, &cpus, &gpus);
        if (tuned->cpus != cpus || tuned->gpus != gpus) { /* StarPU has others than was expected */
            (void)psg_tuned_find(&found, grid, options);
        }
        const psg_graph stored = found.graph != PSG_GRAPH_AUTO ? found.graph : PSG_GRAPH_FUSED;
        if (options->graph == PSG_GRAPH_AUTO && found.graph != PSG_GRAPH_AUTO) {
            options->graph = found.graph;
            applied = true;
        }
        if (options->exchange == PSG_EXCHANGE_AUTO && found.exchange != PSG_EXCHANGE_AUTO) {
            options->exchange = found.exchange;
            applied = true;
        }
        const psg_graph used = options->graph != PSG_GRAPH_AUTO ? options->graph : PSG_GRAPH_FUSED;
        applied = (used == stored && apply_cut(options, grid, &found)) || applied;
        applied = policy_applied(options, tuned) || applied;
    }
    psg_options_settle(options);
    return applied;
}

/* -------------------------------------------------------------------------- for the command */

psg_status psg_tuned_store(const psg_options *options, const psg_tuned *tuned) {
    psg_options checked;
    char path[4096];
    psg_clear_error();
    const psg_status status = psg_options_check(&checked, options);
    if (status != PSG_OK) {
        return status;
    }
    if (tuned == NULL) {
        return psg_fail(PSG_ERR_ARG, "tuned is NULL");
    }
    const char *wrong = psg_tuned_wrong(tuned);
    if (wrong != NULL) {
        return psg_fail(PSG_ERR_ARG, "not an entry: %s", wrong);
    }
    psg_tuned entry = *tuned;
    const time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) == NULL ||
        strftime(entry.date, sizeof entry.date, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0) {
        entry.date[0] = '\0';
    }
    psg_tuned_key(&entry, checked.gpu_ids != NULL && checked.gpus > 0 ? checked.gpu_ids[0] : 0);
    if (!psg_cache_file(&checked, entry.name, path, sizeof path)) {
        return psg_last_error()[0] != '\0'
                   ? PSG_ERR_RUNTIME
                   : psg_fail(PSG_ERR_RUNTIME, "there is no cache folder to store %s in",
                              entry.name);
    }
    return psg_tuned_write(&entry, path);
}

psg_status psg_tuned_list(const psg_options *options, psg_tuned *list, size_t capacity,
                          size_t *count) {
    psg_options checked;
    shelf s;
    psg_clear_error();
    const psg_status status = psg_options_check(&checked, options);
    if (status != PSG_OK) {
        return status;
    }
    if (count == NULL || (list == NULL && capacity > 0)) {
        return psg_fail(PSG_ERR_ARG, "count or list is NULL");
    }
    shelf_open(&s, &checked);
    *count = (size_t)s.count;
    if (s.count > 0 && capacity > 0) {
        const psg_tuned here = machine_of(&checked);
        for (int m = 0; m < s.count && (size_t)m < capacity; m++) {
            shelf_read(&s, m, &here, &list[m]);
        }
    }
    shelf_close(&s);
    return PSG_OK;
}

/* The machine's name in that of an entry, after "tuned-f64-2c0g-128x128x128-"; "" if it is none. */
static const char *host_in(const char *name) {
    for (int dashes = 0; dashes < 4; dashes++) {
        const char *dash = strchr(name, '-');
        name = dash != NULL ? dash + 1 : "";
    }
    return name;
}

psg_status psg_tuned_forget(const psg_options *options, size_t *count) {
    psg_options checked;
    char host[sizeof((psg_tuned *)0)->host];
    char path[4096];
    shelf s;
    psg_clear_error();
    psg_status status = psg_options_check(&checked, options);
    if (status != PSG_OK) {
        return status;
    }
    if (count == NULL) {
        return psg_fail(PSG_ERR_ARG, "count is NULL");
    }
    *count = 0;
    psg_cache_host(host, sizeof host);
    shelf_open(&s, &checked);
    for (int m = 0; m < s.count; m++) {
        if (strcmp(host_in(s.names[m]->d_name), host) != 0) {
            continue;
        }
        shelf_path(&s, m, path, sizeof path);
        if (unlink(path) == 0) {
            ++*count;
        } else if (errno != ENOENT) { /* another process may have done it */
            status = psg_fail(PSG_ERR_RUNTIME, "%s cannot be removed: %s", path, strerror(errno));
        }
    }
    shelf_close(&s);
    return status;
}
