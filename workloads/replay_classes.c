/* Tasks of a tasks.rec that have a model and a footprint in common take the same time. */
#include "workloads/replay_record.h"
#include "workloads/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct builder {
    const char *path;
    const replay_records *records;
    replay_graph *graph;
    const size_t *task_of; /* [count] */
} builder;

static bool is_task(const replay_record *r) {
    return r->worker >= 0;
}

/* Which workers are GPUs: as the file begins by saying, or those whose tasks had another memory
 * than main memory. @return of the columns of estimates the one of a core, and of a GPU; -1: there
 * is none */
static void find_columns(const builder *b, int column[2]) {
    const replay_records *r = b->records;
    int gpu = -1, most_gpu = -1, core = -1, last = -1;
    for (size_t m = 0; m < r->count; m++) {
        const replay_record *task = &r->record[m];
        if (is_task(task)) {
            gpu = task->memory > 0 ? task->worker : gpu;
            most_gpu = task->memory > 0 && task->worker > most_gpu ? task->worker : most_gpu;
            core = task->memory == 0 ? task->worker : core;
            last = (int)task->estimates - 1 > last ? (int)task->estimates - 1 : last;
        }
    }
    column[0] = r->cpus > 0 ? r->gpus : r->cpus == 0 ? -1 : core >= 0 ? core : last;
    column[0] = r->cpus < 0 && column[0] <= most_gpu ? -1 : column[0];
    column[1] = r->gpus > 0 ? 0 : r->gpus == 0 ? -1 : gpu;
}

static bool on_gpu(const builder *b, const replay_record *r) {
    return b->records->gpus >= 0 ? r->worker < b->records->gpus : r->memory > 0;
}

static int compare_classes(const replay_record *x, const replay_record *y) {
    const int order = strcmp(x->model, y->model);
    return order != 0 ? order : (x->footprint > y->footprint) - (x->footprint < y->footprint);
}

static int by_class(const void *a, const void *b) {
    return compare_classes(*(const replay_record *const *)a, *(const replay_record *const *)b);
}

/* What was estimated; else the mean of those that ran. */
static double class_seconds(const builder *b, const replay_record *const *all, size_t count,
                            int gpu, int column) {
    double sum = 0;
    size_t measured = 0;
    for (size_t m = 0; m < count; m++) {
        if (column >= 0 && (size_t)column < all[m]->estimates) {
            const double estimate = b->records->estimate[all[m]->estimate + (size_t)column];
            if (estimate > 0 && isfinite(estimate)) {
                return estimate;
            }
        }
        if (on_gpu(b, all[m]) == (gpu == 1) && all[m]->seconds > 0) {
            sum += all[m]->seconds;
            measured++;
        }
    }
    return measured > 0 ? sum / (double)measured : 0;
}

static psg_status add_class(builder *b, const replay_record *const *all, size_t count,
                            const int column[2]) {
    replay_graph *g = b->graph;
    replay_class *c = &g->of_class[g->classes];
    for (size_t m = 0; m < count; m++) {
        g->task[b->task_of[all[m] - b->records->record]].of_class = g->classes;
    }
    g->classes++;
    (void)snprintf(c->model, sizeof c->model, "%s", all[0]->model);
    for (int gpu = 0; gpu < 2; gpu++) {
        c->seconds[gpu] = class_seconds(b, all, count, gpu, column[gpu]);
    }
    return c->seconds[0] > 0 || c->seconds[1] > 0
               ? PSG_OK
               : workload_fail(PSG_ERR_ARG,
                               "%s: the task from line %zu on, %s, has no time: neither StartTime "
                               "and EndTime nor EstimatedTime",
                               b->path, all[0]->line, all[0]->name);
}

psg_status replay_find_classes(replay_graph *graph, const replay_records *records,
                               const size_t *task_of, const char *path) {
    builder found = {path, records, graph, task_of}, *b = &found;
    int column[2];
    const replay_record **all = malloc((b->graph->tasks + 1) * sizeof *all);
    psg_status status = all != NULL ? PSG_OK : PSG_ERR_MEMORY;
    size_t count = 0;
    for (size_t m = 0; m < b->records->count && all != NULL; m++) {
        if (is_task(&b->records->record[m])) {
            all[count++] = &b->records->record[m];
        }
    }
    if (count > 0) {
        qsort(all, count, sizeof *all, by_class);
    }
    find_columns(b, column);
    for (size_t first = 0, end; first < count && status == PSG_OK; first = end) {
        for (end = first; end < count && compare_classes(all[first], all[end]) == 0; end++) {
        }
        status = add_class(b, &all[first], end - first, column);
    }
    free(all);
    return status;
}
