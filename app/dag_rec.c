/* Task graphs as StarPU's tools have them: tasks.rec, with a record for each task, and beside it a
 * folder for STARPU_PERF_MODEL_DIR with STARPU_HOSTNAME=psg: a performance model of each kind of
 * task, which starpu_replay needs to try a task on other workers than the one that had it, and the
 * machine for SimGrid. */
#include "app/dag_graph.h"
#include "app/output.h"
#include "base/bus.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* StarPU 1.4 reads models of this version of theirs alone. */
#define VERSION "45"
/* Of a model with fewer samples StarPU says nothing. */
enum { SAMPLES = 100 };

/* What is known of an event. */
typedef struct task {
    size_t of_class;
    size_t place;     /* among those that were submitted, from 1 on; 0: it has none */
    size_t use, need; /* where its uses and its dependencies begin */
} task;

/* Tasks that are alike. Records and models call class m the footprint m + 1. */
typedef struct class_of_tasks {
    psg_stage stage;
    double seconds[2]; /* on a core and on a GPU; 0: not known */
} class_of_tasks;

typedef struct writer {
    const app_graph *graph;
    const app_record_run *run;
    const psg_worker *worker;
    task *task;              /* [events] */
    class_of_tasks *classes; /* those of a kind stand together */
    size_t class_count;
    base_bus bus;
} writer;

/* ----------------------------------------------------------------------------- classes of tasks */

static int by_class(const void *a, const void *b) {
    const psg_event *x = *(const psg_event *const *)a, *y = *(const psg_event *const *)b;
    const double of_x[3] = {x->stage, x->least[0], x->least[1]};
    const double of_y[3] = {y->stage, y->least[0], y->least[1]};
    int order = 0;
    for (int m = 0; m < 3 && order == 0; m++) {
        order = (of_x[m] > of_y[m]) - (of_x[m] < of_y[m]);
    }
    return order;
}

/* On a core the mean of those that ran. Else the least that is known: a GPU has the next task
 * before it has ended one, so that their times overlap. */
static void find_means(const writer *w, const psg_event *const *event, size_t count,
                       class_of_tasks *c) {
    double sum = 0;
    size_t tasks = 0;
    for (size_t m = 0; m < count; m++) {
        const bool core = w->worker[event[m]->worker].kind == PSG_WORKER_CPU;
        sum += core ? event[m]->end - event[m]->start : 0;
        tasks += core;
    }
    c->stage = event[0]->stage;
    for (int gpu = 0; gpu < 2; gpu++) {
        c->seconds[gpu] = isfinite(event[0]->least[gpu]) ? event[0]->least[gpu] : 0;
    }
    c->seconds[0] = tasks > 0 ? sum / (double)tasks : c->seconds[0];
}

/* Tasks of a kind that take the same at the least are alike: the library says it of a kind, shape
 * and precision. */
static bool find_classes(writer *w) {
    const app_record_run *run = w->run;
    const psg_event **all = app_allocate(run->events + 1, sizeof *all, "the task graph");
    size_t count = 0;
    for (size_t e = 0; all != NULL && e < run->events; e++) {
        if (run->event[e].worker >= 0) {
            all[count++] = &run->event[e];
        }
    }
    if (all != NULL) {
        qsort(all, count, sizeof *all, by_class);
    }
    for (size_t first = 0, end; all != NULL && first < count; first = end) {
        for (end = first; end < count && by_class(&all[first], &all[end]) == 0; end++) {
            w->task[all[end] - run->event].of_class = w->class_count;
        }
        find_means(w, &all[first], end - first, &w->classes[w->class_count++]);
    }
    free(all);
    return all != NULL;
}

/* ---------------------------------------------------------------------------------- the records */

static void write_needs(const writer *w, FILE *file, size_t event) {
    const psg_dependency *need = w->run->dependency, *end = need + w->run->dependencies;
    const char *before = "DependsOn:";
    for (need += w->task[event].need; need < end && need->after == event; need++) {
        if (w->task[need->before].place > 0) {
            fprintf(file, "%s %zu", before, w->task[need->before].place);
            before = "";
        }
    }
    fputs(before[0] ? "" : "\n", file);
}

/* One of the three lines about the data: each has a word for each piece. */
static void write_uses(const writer *w, FILE *file, size_t event, const char *name) {
    const psg_use *first = w->run->use + w->task[event].use, *end = w->run->use + w->run->uses;
    const psg_use *use = first;
    for (; use < end && use->event == event; use++) {
        fputs(use == first ? name : "", file);
        if (name[0] == 'H') {
            fprintf(file, " %zx", use->data + 1);
        } else if (name[0] == 'S') {
            fprintf(file, " %zu", use->bytes > 0 ? use->bytes : 1);
        } else {
            fprintf(file, " %s", use->adds ? "RWC" : !use->writes ? "R" : use->reads ? "RW" : "W");
        }
    }
    fputs(use > first ? "\n" : "", file);
}

static void write_task(const writer *w, FILE *file, size_t event) {
    const psg_event *e = &w->run->event[event];
    const task *t = &w->task[event];
    char name[96];
    app_event_name(e, name, sizeof name);
    fprintf(file, "Name: %s\nModel: psg_%s\nJobId: %zu\nSubmitOrder: %zu\nPriority: 0\n", name,
            psg_stage_name(e->stage), t->place, t->place);
    write_needs(w, file, event);
    fprintf(file, "Tag: %zx\nWorkerId: %d\nMemoryNode: %d\n", t->place, e->worker,
            w->worker[e->worker].kind == PSG_WORKER_CUDA ? e->worker + 1 : 0);
    fprintf(file, "StartTime: %.6f\nEndTime: %.6f\nFootprint: %zx\n", 1e3 * e->start, 1e3 * e->end,
            t->of_class + 1);
    write_uses(w, file, event, "Handles:");
    write_uses(w, file, event, "Modes:");
    write_uses(w, file, event, "Sizes:");
    fputs("MPIRank: 0\nEstimatedTime:", file);
    for (size_t m = 0; m < w->graph->workers->count; m++) { /* microseconds */
        const double seconds =
            w->classes[t->of_class].seconds[w->worker[m].kind == PSG_WORKER_CUDA];
        fprintf(file, seconds > 0 ? " %e" : " inf", 1e6 * seconds);
    }
    fputs("\n\n", file);
}

/* In the order of submission, which is that of the uses; those without any come last. Uses and
 * dependencies of an event stand together. */
static int write_records(const writer *w, const char *path, const char *shown) {
    const app_record_run *run = w->run;
    FILE *file = fopen(path, "w");
    size_t places = 0;
    for (size_t e = 0; e < run->events; e++) {
        w->task[e].place = 0;
        w->task[e].use = run->uses;
        w->task[e].need = run->dependencies;
    }
    for (size_t m = run->uses; m-- > 0;) {
        w->task[run->use[m].event].use = m;
    }
    for (size_t m = run->dependencies; m-- > 0;) {
        w->task[run->dependency[m].after].need = m;
    }
    if (file != NULL) {
        fprintf(file, "# psg: a task graph, gpus %u, cpus %u\n", w->bus.gpus, w->bus.cpus);
    }
    for (size_t m = 0; m < run->uses + run->events && file != NULL; m++) {
        const size_t event = m < run->uses ? run->use[m].event : m - run->uses;
        if (run->event[event].worker >= 0 && w->task[event].place == 0) {
            w->task[event].place = ++places;
            write_task(w, file, event);
        }
    }
    return app_output_close(file, shown);
}

/* --------------------------------------------------------------------------------------- models */

/* @return how many classes of the stage have a time there */
static size_t write_entries(const writer *w, FILE *file, psg_stage stage, bool gpu) {
    size_t entries = 0;
    for (size_t c = 0; c < w->class_count; c++) {
        const double mean = 1e6 * w->classes[c].seconds[gpu];
        if (w->classes[c].stage == stage && mean > 0) {
            entries++;
            if (file != NULL) {
                fprintf(file, "%08zx 0 0 %e 0 %e %e %d\n", c + 1, mean, SAMPLES * mean,
                        SAMPLES * mean * mean, SAMPLES);
            }
        }
    }
    return entries;
}

/* As StarPU writes one, but for the comments. The combinations of devices are a core, and each GPU:
 * one device, its type, its number, its cores; one implementation; no regression. */
static void write_model(const writer *w, FILE *file, psg_stage stage) {
    fprintf(file, VERSION "\n%u\n", 1 + w->bus.gpus);
    for (unsigned c = 0; c < 1 + w->bus.gpus; c++) {
        fprintf(file, "1\n%d\n%u\n1\n1\n%zu\n0 0 0 0 nan nan 0 0 0\nnan nan nan\n0\n", c > 0,
                c > 0 ? c - 1 : 0, write_entries(w, NULL, stage, c > 0));
        (void)write_entries(w, file, stage, c > 0);
    }
}

/* -------------------------------------------------------------------------------------- machine */

/* The slowest link of a kind counts for all. StarPU takes a core for each GPU. */
static int find_bus(writer *w) {
    size_t count = 0;
    const psg_options *options = w->graph->options;
    psg_status status = psg_machine_routes(options, NULL, 0, &count);
    psg_route *route = app_allocate(count + 1, sizeof *route, "the links");
    w->bus = (base_bus){.name = "GPU", .memory = INFINITY};
    if (route == NULL) {
        return APP_FAILED;
    }
    if (status == PSG_OK) {
        status = psg_machine_routes(options, route, count, &count);
    }
    for (size_t m = 0; m < count && status == PSG_OK; m++) {
        base_link *link = &w->bus.link[route[m].from < 0 ? BASE_TO_GPU
                                       : route[m].to < 0 ? BASE_FROM_GPU
                                                         : BASE_BETWEEN_GPUS];
        if (route[m].from >= -1 && route[m].to >= -1) {
            link->rate = link->rate > 0 ? fmin(link->rate, route[m].rate) : route[m].rate;
            link->seconds = fmax(link->seconds, route[m].latency_seconds);
        }
    }
    free(route);
    for (size_t m = 0; m < w->graph->workers->count; m++) {
        const bool gpu = w->worker[m].kind == PSG_WORKER_CUDA;
        w->bus.gpus += gpu;
        w->bus.memory = gpu ? fmin(w->bus.memory, fmax(w->worker[m].memory, 1e9)) : w->bus.memory;
    }
    w->bus.cpus = (unsigned)w->graph->workers->count - w->bus.gpus;
    return status == PSG_OK ? APP_DONE : app_error(APP_FAILED, "%s", psg_last_error());
}

/* ---------------------------------------------------------------------------------------- files */

static int make_folders(const char *folder) {
    static const char *const parts[] = {"", "/bus", "/codelets", "/codelets/" VERSION};
    for (size_t m = 0; m < sizeof parts / sizeof *parts; m++) {
        char path[PATH_MAX + 32];
        snprintf(path, sizeof path, "%s%s", folder, parts[m]);
        if (mkdir(path, 0777) != 0 && errno != EEXIST) {
            return app_error(APP_FAILED, "%s: cannot be made: %s", path, strerror(errno));
        }
    }
    return APP_DONE;
}

static int write_folder(const writer *w, const char *shown) {
    char folder[PATH_MAX], path[PATH_MAX + 256];
    if (snprintf(folder, sizeof folder, "%s" APP_DAG_MODELS, shown) >= PATH_MAX) {
        return app_error(APP_FAILED, "%s: the name is too long", shown);
    }
    int code = make_folders(folder);
    for (size_t c = 0; c < w->class_count && !code; c++) {
        const psg_stage stage = w->classes[c].stage;
        if (c > 0 && w->classes[c - 1].stage == stage) {
            continue;
        }
        snprintf(path, sizeof path, "%s/codelets/" VERSION "/psg_%s.psg", folder,
                 psg_stage_name(stage));
        FILE *file = fopen(path, "w");
        if (file != NULL) {
            write_model(w, file, stage);
        }
        code = app_output_close(file, path);
    }
    base_bus bus = w->bus;
    bus.cpus += bus.gpus;
    for (int m = 0; m < BASE_BUS_FILES && !code; m++) {
        snprintf(path, sizeof path, "%s/bus/psg.%s", folder, base_bus_files[m].ending);
        FILE *file = fopen(path, "w");
        if (file != NULL) {
            base_bus_files[m].write(&bus, file);
        }
        code = app_output_close(file, path);
    }
    return code;
}

int app_dag_write_rec(const app_graph *graph, const char *path, const char *shown) {
    writer w = {.graph = graph, .run = app_graph_run(graph, NULL), .worker = graph->workers->list};
    w.task = app_allocate(w.run->events + 1, sizeof *w.task, "the task graph");
    w.classes = app_allocate(w.run->events + 1, sizeof *w.classes, "the task graph");
    int code = w.task != NULL && w.classes != NULL && find_classes(&w) ? find_bus(&w) : APP_FAILED;
    code = code ? code : write_records(&w, path, shown);
    code = code ? code : write_folder(&w, shown);
    free(w.task);
    free(w.classes);
    return code;
}
