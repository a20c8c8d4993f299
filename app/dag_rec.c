/* Task graphs as StarPU's tools have them: tasks.rec, with a record for each task, and beside it a
 * folder of models, which starpu_replay needs to try a task on other workers than the one that had
 * it. */
#include "app/dag_graph.h"
#include "app/output.h"
#include "app/rec_models.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
    const app_graph *graph;
    const app_record_run *run;
    app_rec_models models;
    size_t *class_of; /* [events] */
    size_t *order;    /* [tasks]: events, as they were submitted */
    size_t *place;    /* [events]: 1 + its place there; 0: it has none yet */
    size_t *use;      /* [events + 1]: where its uses begin */
    size_t *need;     /* [events + 1]: where its dependencies begin */
    size_t tasks;
} writer;

/* ----------------------------------------------------------------------------- classes of tasks */

static int compare_events(const psg_event *x, const psg_event *y) {
    const double of_x[3] = {x->stage, x->least[0], x->least[1]};
    const double of_y[3] = {y->stage, y->least[0], y->least[1]};
    for (int m = 0; m < 3; m++) {
        if (of_x[m] != of_y[m]) {
            return of_x[m] < of_y[m] ? -1 : 1;
        }
    }
    return 0;
}

static int by_class(const void *a, const void *b) {
    return compare_events(*(const psg_event *const *)a, *(const psg_event *const *)b);
}

/* On a core the mean of those that ran. Else the least that is known: a GPU has the next task
 * before it has ended one, so that their times overlap. */
static void find_means(const writer *w, const psg_event *const *event, size_t count,
                       app_rec_class *c) {
    double sum = 0;
    size_t tasks = 0;
    for (size_t m = 0; m < count; m++) {
        if (w->graph->workers->list[event[m]->worker].kind == PSG_WORKER_CPU) {
            sum += event[m]->end - event[m]->start;
            tasks++;
        }
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
    if (all != NULL && count > 0) {
        qsort(all, count, sizeof *all, by_class);
    }
    for (size_t first = 0, end; all != NULL && first < count; first = end) {
        for (end = first; end < count && by_class(&all[first], &all[end]) == 0; end++) {
            w->class_of[all[end] - run->event] = w->models.classes;
        }
        find_means(w, &all[first], end - first, &w->models.class_of[w->models.classes++]);
    }
    free(all);
    return all != NULL;
}

/* ---------------------------------------------------------------------------------- the records */

static void add(writer *w, size_t event) {
    if (w->run->event[event].worker >= 0 && w->place[event] == 0) {
        w->order[w->tasks] = event;
        w->place[event] = ++w->tasks;
    }
}

/* Uses and dependencies of an event stand together. */
static void find_order(writer *w) {
    const app_record_run *run = w->run;
    for (size_t m = run->uses; m-- > 0;) {
        w->use[run->use[m].event] = m;
    }
    for (size_t m = run->dependencies; m-- > 0;) {
        w->need[run->dependency[m].after] = m;
    }
    for (size_t m = 0; m < run->uses; m++) {
        add(w, run->use[m].event);
    }
    for (size_t e = 0; e < run->events; e++) {
        add(w, e);
    }
}

static void write_needs(const writer *w, FILE *file, size_t event) {
    const app_record_run *run = w->run;
    const char *before = "DependsOn:";
    for (size_t m = w->need[event]; m < run->dependencies && run->dependency[m].after == event;
         m++) {
        if (w->place[run->dependency[m].before] > 0) {
            fprintf(file, "%s %zu", before, w->place[run->dependency[m].before]);
            before = "";
        }
    }
    fputs(before[0] ? "" : "\n", file);
}

/* One of the three lines about the data: each has a word for each piece. */
static void write_uses(const writer *w, FILE *file, size_t event, const char *name) {
    const app_record_run *run = w->run;
    for (size_t m = w->use[event]; m < run->uses && run->use[m].event == event; m++) {
        const psg_use *use = &run->use[m];
        fputs(m == w->use[event] ? name : "", file);
        if (name[0] == 'H') {
            fprintf(file, " %zx", use->data + 1);
        } else if (name[0] == 'S') {
            fprintf(file, " %zu", use->bytes > 0 ? use->bytes : 1);
        } else {
            fprintf(file, " %s", use->adds ? "RWC" : !use->writes ? "R" : use->reads ? "RW" : "W");
        }
    }
    fputs(w->use[event] < run->uses && run->use[w->use[event]].event == event ? "\n" : "", file);
}

/* A number for each worker, in microseconds. */
static void write_estimates(const writer *w, FILE *file, const app_rec_class *c) {
    fputs("EstimatedTime:", file);
    for (size_t m = 0; m < w->graph->workers->count; m++) {
        const double seconds = c->seconds[w->graph->workers->list[m].kind == PSG_WORKER_CUDA];
        fprintf(file, seconds > 0 ? " %e" : " inf", 1e6 * seconds);
    }
    fputc('\n', file);
}

static void write_task(const writer *w, FILE *file, size_t event) {
    const psg_event *e = &w->run->event[event];
    const psg_worker *worker = &w->graph->workers->list[e->worker];
    char name[96];
    app_event_name(e, name, sizeof name);
    fprintf(file, "Name: %s\nModel: psg_%s\nJobId: %zu\nSubmitOrder: %zu\nPriority: 0\n", name,
            psg_stage_name(e->stage), w->place[event], w->place[event]);
    write_needs(w, file, event);
    fprintf(file, "Tag: %zx\nWorkerId: %d\nMemoryNode: %d\n", w->place[event], e->worker,
            worker->kind == PSG_WORKER_CUDA ? e->worker + 1 : 0);
    fprintf(file, "StartTime: %.6f\nEndTime: %.6f\nFootprint: %zx\n", 1e3 * e->start, 1e3 * e->end,
            app_rec_footprint(w->class_of[event]));
    write_uses(w, file, event, "Handles:");
    write_uses(w, file, event, "Modes:");
    write_uses(w, file, event, "Sizes:");
    fputs("MPIRank: 0\n", file);
    write_estimates(w, file, &w->models.class_of[w->class_of[event]]);
    fputc('\n', file);
}

/* ------------------------------------------------------------------------------------ the files */

static bool begin(writer *w) {
    const size_t events = w->run->events + 1;
    w->class_of = app_allocate(events, sizeof *w->class_of, "the task graph");
    w->order = app_allocate(events, sizeof *w->order, "the task graph");
    w->place = app_allocate(events, sizeof *w->place, "the task graph");
    w->use = app_allocate(events, sizeof *w->use, "the task graph");
    w->need = app_allocate(events, sizeof *w->need, "the task graph");
    w->models.class_of = app_allocate(events, sizeof *w->models.class_of, "the task graph");
    for (size_t e = 0; w->place != NULL && w->use != NULL && w->need != NULL && e < events; e++) {
        w->place[e] = 0;
        w->use[e] = w->need[e] = SIZE_MAX;
    }
    return w->class_of != NULL && w->order != NULL && w->place != NULL && w->use != NULL &&
           w->need != NULL && w->models.class_of != NULL;
}

static void finish(writer *w) {
    free(w->class_of);
    free(w->order);
    free(w->place);
    free(w->use);
    free(w->need);
    free(w->models.class_of);
}

static int write_records(const writer *w, const char *path, const char *shown) {
    FILE *file = fopen(path, "w");
    if (file != NULL) {
        fprintf(file, "# psg: a task graph, gpus %zu, cpus %zu\n", w->models.gpus, w->models.cpus);
    }
    for (size_t m = 0; file != NULL && m < w->tasks; m++) {
        write_task(w, file, w->order[m]);
    }
    return app_output_close(file, shown);
}

int app_dag_write_rec(const app_graph *graph, const char *path, const char *shown) {
    writer w = {.graph = graph, .run = app_graph_run(graph, NULL)};
    int code = begin(&w) && find_classes(&w) ? APP_DONE : APP_FAILED;
    for (size_t m = 0; m < graph->workers->count; m++) {
        const bool gpu = graph->workers->list[m].kind == PSG_WORKER_CUDA;
        w.models.gpus += gpu;
        w.models.cpus += !gpu;
    }
    if (!code) {
        find_order(&w);
        code = write_records(&w, path, shown);
    }
    code = code ? code : app_rec_models_write(&w.models, graph, shown);
    finish(&w);
    return code;
}
