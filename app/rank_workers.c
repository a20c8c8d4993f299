/* The workers of all processes, brought together on rank 0. */
#include "app/rank_workers.h"
#include "app/collect.h"
#include "app/processes.h"
#include "graph/psg_machine.h"

#include <stdio.h>
#include <stdlib.h>

enum { OWN_MOST = 1024 };

const char *app_worker_kind_name(psg_worker_kind kind) {
    return kind == PSG_WORKER_CUDA ? "cuda" : "cpu";
}

static int find_own(const psg_options *options, app_workers *workers) {
    workers->list = app_allocate(OWN_MOST, sizeof *workers->list, "the list of workers");
    workers->of_rank = app_allocate((size_t)app_ranks(), sizeof *workers->of_rank, "their numbers");
    const int code =
        app_ranks_agree(workers->list != NULL && workers->of_rank != NULL ? APP_DONE : APP_FAILED);
    if (code) {
        return code; /* what follows is for all processes together */
    }
    const psg_status status = psg_machine_workers(options, workers->list, OWN_MOST, &workers->count,
                                                  workers->policy, sizeof workers->policy);
    if (status != PSG_OK) {
        return app_error(app_exit_code(status), "%s", psg_last_error());
    }
    if (workers->count > OWN_MOST) {
        workers->count = OWN_MOST;
    }
    return APP_DONE;
}

int app_workers_find(const psg_options *options, app_workers *workers) {
    int code = app_ranks_agree(find_own(options, workers));
    if (code) {
        return code;
    }
    void *list = workers->list;
    code = app_collect(&list, sizeof *workers->list, &workers->count, workers->of_rank,
                       "the list of workers");
    workers->list = list;
    return code;
}

void app_workers_free(app_workers *workers) {
    free(workers->list);
    free(workers->of_rank);
    workers->list = NULL;
    workers->of_rank = NULL;
}

/* "2" or "0..2" */
static void range_text(char *text, size_t size, size_t least, size_t most) {
    snprintf(text, size, least == most ? "%zu" : "%zu..%zu", least, most);
}

void app_workers_text(const app_workers *workers, char *text, size_t size) {
    size_t least[PSG_WORKER_KIND_COUNT] = {0, 0}, most[PSG_WORKER_KIND_COUNT] = {0, 0};
    char ranks[32] = "", number[PSG_WORKER_KIND_COUNT][48];
    const psg_worker *worker = workers->list;
    for (int rank = 0; rank < app_ranks(); rank++) {
        size_t here[PSG_WORKER_KIND_COUNT] = {0, 0};
        for (size_t w = 0; w < workers->of_rank[rank]; w++, worker++) {
            here[worker->kind]++;
        }
        for (int kind = 0; kind < PSG_WORKER_KIND_COUNT; kind++) {
            least[kind] = rank == 0 || here[kind] < least[kind] ? here[kind] : least[kind];
            most[kind] = here[kind] > most[kind] ? here[kind] : most[kind];
        }
    }
    for (int kind = 0; kind < PSG_WORKER_KIND_COUNT; kind++) {
        range_text(number[kind], sizeof number[kind], least[kind], most[kind]);
    }
    if (app_ranks() > 1) {
        snprintf(ranks, sizeof ranks, "%d ranks, ", app_ranks());
    }
    snprintf(text, size, "%s%s CPU, %s GPU%s", ranks, number[PSG_WORKER_CPU],
             number[PSG_WORKER_CUDA], app_ranks() > 1 ? " each" : "");
}
