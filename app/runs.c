/* What is told of runs on workers, whatever they compute. */
#include "app/runs.h"
#include "app/app.h"
#include "app/host.h"
#include "app/load.h"
#include "app/processes.h"
#include "app/simulating.h"
#include "base/median.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int app_runs_times(app_runs *runs) {
    double *sorted = app_allocate(runs->repeat, sizeof *sorted, "the times in their order");
    if (sorted == NULL) {
        return APP_FAILED;
    }
    memcpy(sorted, runs->seconds, runs->repeat * sizeof *sorted);
    base_sort(sorted, runs->repeat);
    runs->minimum = sorted[0];
    runs->median = base_median(sorted, runs->repeat);
    free(sorted);
    return APP_DONE;
}

/* Every process' bound is one of the whole. */
void app_runs_join_bounds(psg_bounds *b) {
    double rates[2] = {b->memory_rate, b->cache_bytes};
    app_ranks_max(b->bound, PSG_BOUND_COUNT);
    app_ranks_max(b->link_seconds, PSG_LINK_COUNT);
    app_ranks_max(&b->lp_seconds, 1);
    app_ranks_max(rates, 2);
    app_ranks_sum(&b->memory_bytes, 1);
    app_ranks_sum(b->link_bytes, PSG_LINK_COUNT);
    b->memory_rate = rates[0];
    b->cache_bytes = rates[1];
    b->seconds = 0;
    for (int bound = 0; bound < PSG_BOUND_COUNT; bound++) {
        if (b->bound[bound] > b->seconds) {
            b->seconds = b->bound[bound];
            b->by = (psg_bound)bound;
        }
    }
}

/* StarPU starts as many workers as it is asked for. */
void app_runs_note_cpus(int cpus, app_notes *notes) {
    app_machine machine;
    app_machine_find(&machine);
    if (app_simulation_machine() == NULL && machine.cores > 0 && cpus > machine.cores) {
        app_note(notes, "--cpus %d: this machine has %ld core%s, which the workers share", cpus,
                 machine.cores, machine.cores == 1 ? "" : "s");
    }
}

void app_runs_note_load(const app_runs *runs, app_notes *notes) {
    app_machine machine;
    app_machine_find(&machine);
    if (app_load_is_high(runs->load, machine.cores)) {
        app_note(notes,
                 "others kept %.2g of the %ld core%s busy during the %ss: the times may be too "
                 "long",
                 runs->load, machine.cores, machine.cores > 1 ? "s" : "", runs->what);
    }
}

/* -------------------------------------------------------------------------------------- lines */

void app_runs_print_workers(const app_runs *runs) {
    char workers[160];
    app_workers_text(&runs->workers, workers, sizeof workers);
    app_say("workers   %s\n", workers);
}

const char *app_policy_of(const app_workers *workers, size_t placed_tasks) {
    return placed_tasks > 0 ? workers->policy : NULL;
}

const char *app_runs_policy(const app_runs *runs) {
    return app_policy_of(&runs->workers, runs->submit.placed_tasks);
}

/* docs/concepts.md has these words. */
void app_runs_print_executor(const app_runs *runs) {
    const char *policy = app_runs_policy(runs);
    char placed[128] = ", none placed by a policy";
    if (policy != NULL && runs->submit.placed_tasks == runs->submit.starpu_tasks) {
        (void)snprintf(placed, sizeof placed, ", all placed by policy %s", policy);
    } else if (policy != NULL) {
        (void)snprintf(placed, sizeof placed, ", %zu placed by policy %s",
                       runs->submit.placed_tasks, policy);
    }
    app_say("executor  %s: %zu task%s of StarPU's in a %s%s\n",
            app_executor_name(runs->submit.executor), runs->submit.starpu_tasks,
            runs->submit.starpu_tasks == 1 ? "" : "s", runs->what,
            runs->submit.starpu_tasks > 0 ? placed : "");
}

void app_runs_note_executor(const app_runs *runs, const psg_options *asked, app_notes *notes) {
    const char *environment = getenv("STARPU_SCHED");
    const bool named = asked->policy != NULL || (environment != NULL && environment[0] != '\0');
    if (asked->executor == PSG_EXECUTOR_CHAIN && runs->submit.executor != PSG_EXECUTOR_CHAIN) {
        app_note(notes,
                 "executor chain is for f and u that stay on the GPU (--data resident): the last "
                 "solve went by %s",
                 app_executor_name(runs->submit.executor));
    }
    if (named && app_runs_policy(runs) == NULL) {
        app_note(notes, "policy %s placed no task: %s", runs->workers.policy,
                 runs->submit.executor == PSG_EXECUTOR_TEAM ? "a team of cores has them all"
                                                            : "each has its worker");
    }
}

void app_runs_print_times(const app_runs *runs) {
    if (runs->repeat == 1) {
        printf("%-9s %.4g s, the first: later ones may take less\n", runs->what, runs->median);
    } else {
        printf("%-9s %.4g s median, %.4g s minimum of %u; %.4g s all together\n", runs->what,
               runs->median, runs->minimum, runs->repeat, runs->total);
    }
}

static const char *slowest_link(const psg_bounds *b) {
    int slowest = 0;
    for (int link = 1; link < PSG_LINK_COUNT; link++) {
        slowest = b->link_seconds[link] > b->link_seconds[slowest] ? link : slowest;
    }
    return psg_link_name((psg_link)slowest);
}

/* The time that is told of it, so the one that its bound is compared with. */
static double last_run(const app_runs *runs) {
    return runs->seconds[runs->repeat - 1];
}

void app_runs_print_bounds(const app_runs *runs) {
    const psg_bounds *b = &runs->bounds;
    if (b->seconds > 0) {
        const char *link = b->by == PSG_BOUND_LINK ? slowest_link(b) : NULL;
        const double run = last_run(runs);
        printf("bound     %.4g s by %s%s%s: %.0f %% of the last %s's %.4g s\n", b->seconds,
               psg_bound_name(b->by), link != NULL ? " " : "", link != NULL ? link : "",
               100 * b->seconds / run, runs->what, run);
    }
}

void app_runs_print_links(const psg_link_statistics *link_of) {
    for (int link = 0; link < PSG_LINK_MESSAGE; link++) {
        const double bytes = (double)link_of[link].bytes;
        const double seconds = link_of[link].seconds;
        if (bytes > 0) {
            printf("%-9s %.4g GB", psg_link_name((psg_link)link), 1e-9 * bytes);
        }
        if (bytes > 0 && seconds > 0) {
            printf(" in %.4g s, %.4g GB/s", seconds, 1e-9 * bytes / seconds);
        }
        printf("%s", bytes > 0 ? "\n" : "");
    }
}

/* --------------------------------------------------------------------------------------- JSON */

json_t *app_json_workers(const app_workers *workers) {
    json_t *array = json_array();
    const psg_worker *next = workers->list;
    for (int rank = 0; rank < app_ranks(); rank++) {
        for (size_t w = 0; w < workers->of_rank[rank]; w++, next++) {
            json_t *worker = json_object();
            app_json_put_text(worker, "kind", app_worker_kind_name(next->kind));
            app_json_put(worker, "device", json_integer(next->device));
            app_json_put_text(worker, "name", next->name);
            app_json_put(worker, "processor", json_integer(next->processor));
            app_json_put_real(worker, "memory", next->memory);
            app_json_put(worker, "rank", json_integer(rank));
            json_array_append_new(array, worker);
        }
    }
    return array;
}

json_t *app_json_rank_workers(const app_workers *workers) {
    json_t *array = json_array();
    for (int rank = 0; rank < app_ranks(); rank++) {
        json_array_append_new(array, json_integer((json_int_t)workers->of_rank[rank]));
    }
    return array;
}

void app_runs_json_executor(const app_runs *runs, json_t *root) {
    app_json_put_text(root, "executor", app_executor_name(runs->submit.executor));
    app_json_put_size(root, "starpu_tasks", runs->submit.starpu_tasks);
    app_json_put_size(root, "placed_tasks", runs->submit.placed_tasks);
    app_json_put_text(root, "policy", app_runs_policy(runs));
}

json_t *app_runs_json_times(const app_runs *runs) {
    json_t *times = json_object(), *all = json_array();
    char key[16];
    snprintf(key, sizeof key, "%ss", runs->what);
    for (unsigned r = 0; r < runs->repeat; r++) {
        json_array_append_new(all, json_real(runs->seconds[r]));
    }
    app_json_put(times, key, all);
    app_json_put_real(times, "total", runs->total);
    app_json_put_real(times, "median", runs->median);
    app_json_put_real(times, "minimum", runs->minimum);
    app_json_put_real(times, "load", runs->load);
    return times;
}

json_t *app_runs_json_bounds(const app_runs *runs) {
    const psg_bounds *b = &runs->bounds;
    char of_run[16];
    json_t *bounds = json_object(), *links = json_object();
    app_json_put_real(bounds, "seconds", b->seconds);
    app_json_put_text(bounds, "by", psg_bound_name(b->by));
    snprintf(of_run, sizeof of_run, "of_%s", runs->what);
    app_json_put_real(bounds, runs->what, last_run(runs));
    app_json_put_real(bounds, of_run, b->seconds / last_run(runs));
    for (int bound = 0; bound < PSG_BOUND_COUNT; bound++) {
        app_json_put_real(bounds, psg_bound_name((psg_bound)bound), b->bound[bound]);
    }
    app_json_put(bounds, "lp", b->lp_seconds > 0 ? json_real(b->lp_seconds) : NULL);
    app_json_put_real(bounds, "memory_bytes", b->memory_bytes);
    app_json_put_real(bounds, "memory_rate", b->memory_rate);
    app_json_put_real(bounds, "cache_bytes", b->cache_bytes);
    for (int link = 0; link < PSG_LINK_COUNT; link++) {
        app_json_put(
            links, psg_link_name((psg_link)link),
            json_pack("{sf sf}", "bytes", b->link_bytes[link], "seconds", b->link_seconds[link]));
    }
    app_json_put(bounds, "links", links);
    return bounds;
}

json_t *app_json_notes(const app_notes *notes) {
    json_t *array = json_array();
    for (size_t n = 0; n < notes->count; n++) {
        json_array_append_new(array, json_string(notes->text[n]));
    }
    return array;
}

/* All options as they were given, in the library's words; other members say what they came to. */
json_t *app_json_options(const psg_options *options) {
    json_t *object = json_object();
    char text[PATH_MAX];
    for (size_t index = 0; psg_option_at(index) != NULL; index++) {
        const char *name = psg_option_at(index)->name;
        app_json_put_text(object, name,
                          psg_options_get(options, name, text, sizeof text) == PSG_OK ? text
                                                                                      : NULL);
    }
    return object;
}

json_t *app_runs_json_links(const psg_link_statistics *link_of) {
    json_t *links = json_object();
    for (int link = 0; link < PSG_LINK_MESSAGE; link++) {
        json_t *one = json_object();
        app_json_put_size(one, "bytes", (size_t)link_of[link].bytes);
        app_json_put_real(one, "seconds", link_of[link].seconds);
        app_json_put(links, psg_link_name((psg_link)link), one);
    }
    return links;
}

json_t *app_runs_about(const app_runs *runs) {
    char workers[160], date[32];
    const char *gpu = NULL;
    app_machine machine;
    app_machine_find(&machine);
    app_utc_date(date, sizeof date);
    app_workers_text(&runs->workers, workers, sizeof workers);
    for (size_t w = 0; w < runs->workers.count && gpu == NULL; w++) {
        const psg_worker *worker = &runs->workers.list[w];
        gpu = worker->kind == PSG_WORKER_CUDA ? worker->name : NULL;
    }
    json_t *object =
        json_pack("{ss ss ss ss si ss ss ss}", "psg", psg_component_version(PSG_COMPONENT_PSG),
                  "StarPU", psg_component_version(PSG_COMPONENT_STARPU), "host", machine.host,
                  "cpu_model", machine.cpu_model, "cores", (int)machine.cores, "gpu_model",
                  gpu != NULL ? gpu : "", "date", date, "workers", workers);
    if (object != NULL) {
        app_runs_json_executor(runs, object);
    }
    return object;
}
