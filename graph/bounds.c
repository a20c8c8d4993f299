/* What a run cannot be shorter than: by its dependencies, its work, and the bytes to move. */
#include "graph/dependencies.h"
#include "graph/lp_bound.h"
#include "graph/ranks.h"
#include "graph/rates.h"
#include "graph/status.h"
#include "graph/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const bound_names[PSG_BOUND_COUNT] = {
    [PSG_BOUND_PATH] = "path",
    [PSG_BOUND_WORK] = "work",
    [PSG_BOUND_MEMORY] = "memory",
    [PSG_BOUND_LINK] = "link",
};

static const char *const link_names[PSG_LINK_COUNT] = {
    [PSG_LINK_H2D] = "h2d",
    [PSG_LINK_D2H] = "d2h",
    [PSG_LINK_D2D] = "d2d",
    [PSG_LINK_MESSAGE] = "message",
};

const char *psg_bound_name(psg_bound bound) {
    return (unsigned)bound < PSG_BOUND_COUNT ? bound_names[bound] : NULL;
}

const char *psg_link_name(psg_link link) {
    return (unsigned)link < PSG_LINK_COUNT ? link_names[link] : NULL;
}

/* The longest path, and the area. */
static bool find_times(const psg_work *work, const psg_edge *edges, size_t count, double bound[]) {
    const psg_history *h = &work->latest;
    const psg_chain_rule all = {.owner = NULL};
    psg_least least;
    bool good = psg_history_least(h, work->engine, work->workers->usable,
                                  work->workers->usable_count, &least);
    if (good) {
        double *path = &bound[PSG_BOUND_PATH];
        good = work->rules->path != NULL ? work->rules->path(work, &least, edges, count, path)
                                         : psg_history_chain(h, &least, edges, count, &all, path);
        bound[PSG_BOUND_WORK] = psg_history_area(h, &least);
    }
    free(least.seconds);
    return good && bound[PSG_BOUND_WORK] >= 0;
}

static psg_status find_tasks(const psg_work *work, double bound[]) {
    psg_edge *edges = NULL;
    size_t count = 0;
    psg_status status = psg_edges_find(work, &edges, &count);
    if (status == PSG_OK && !find_times(work, edges, count, bound)) {
        status = psg_fail(PSG_ERR_MEMORY, "no memory for the times of %zu events",
                          work->latest.events.count);
    }
    free(edges);
    return status;
}

static psg_status find_bounds(const psg_work *work, psg_bounds *b) {
    psg_comm *comm = work->engine->comm;
    psg_status status = psg_ranks_agree(comm, find_tasks(work, b->bound));
    if (status == PSG_OK && work->rules->links != NULL) {
        status = work->rules->links(work, b);
    }
    if (status == PSG_OK) {
        status = psg_memory_rate(work, &b->memory_rate, &b->cache_bytes);
    }
    status = psg_ranks_agree(comm, status);
    if (status != PSG_OK) {
        return status;
    }
    b->lp_seconds = psg_lp_bound_seconds(work);
    b->memory_bytes = psg_history_traffic(&work->latest, work->engine, b->cache_bytes);
    b->bound[PSG_BOUND_MEMORY] = b->memory_rate > 0 ? b->memory_bytes / b->memory_rate : 0;
    for (int link = 0; link < PSG_LINK_COUNT; link++) {
        b->bound[PSG_BOUND_LINK] = fmax(b->bound[PSG_BOUND_LINK], b->link_seconds[link]);
    }
    for (int bound = 0; bound < PSG_BOUND_COUNT; bound++) {
        if (b->bound[bound] > b->seconds) {
            b->seconds = b->bound[bound];
            b->by = (psg_bound)bound;
        }
    }
    return PSG_OK;
}

/* Brackets keep the header's macro of the same name away. */
psg_status(psg_work_bounds)(const psg_work *work, psg_bounds *bounds, size_t struct_size) {
    psg_clear_error();
    if (work == NULL) {
        return psg_fail(PSG_ERR_ARG, "work is NULL");
    }
    psg_bounds b = {.struct_size = struct_size};
    psg_status status = PSG_OK;
    if (bounds == NULL) {
        status = psg_fail(PSG_ERR_ARG, "bounds is NULL");
    } else if (work->runs == 0) {
        status = psg_fail(PSG_ERR_STATE, "nothing was waited for yet");
    }
    status = psg_ranks_agree(work->engine->comm, status);
    if (status == PSG_OK) {
        status = find_bounds(work, &b);
    }
    if (status == PSG_OK) {
        memset(bounds, 0, struct_size);
        memcpy(bounds, &b, struct_size < sizeof b ? struct_size : sizeof b);
    }
    return status;
}
