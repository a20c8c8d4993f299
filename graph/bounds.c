/* What a solve cannot be shorter than: by its dependencies, its work, and the bytes to move. */
#include "runtime/simulation.h"
#include "graph/internal.h"

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

/* Seconds that bytes need from one memory to another, at StarPU's measured rate, which is in MB/s;
 * 0: it was not measured. */
static double copy_seconds(int from, int to, double bytes) {
    const double rate = 1e6 * starpu_transfer_bandwidth((unsigned)from, (unsigned)to);
    return rate > 0 && isfinite(rate) ? bytes / rate : 0;
}

/* -------------------------------------------------------------------------- path and work */

/* Tasks of the same kind and shape, together. */
static int by_likeness(const void *a, const void *b) {
    const psg_run_event *x = *(const psg_run_event *const *)a;
    const psg_run_event *y = *(const psg_run_event *const *)b;
    const size_t of_x[] = {x->kind,         x->shape.pencil, x->shape.count,
                           x->shape.pieces, x->shape.remote, x->shape.dense};
    const size_t of_y[] = {y->kind,         y->shape.pencil, y->shape.count,
                           y->shape.pieces, y->shape.remote, y->shape.dense};
    for (size_t m = 0; m < sizeof of_x / sizeof *of_x; m++) {
        if (of_x[m] != of_y[m]) {
            return of_x[m] < of_y[m] ? -1 : 1;
        }
    }
    return 0;
}

static double seconds_of(const psg_run_event *event) {
    return event->worker >= 0 ? event->end - event->start : 0;
}

/* @param[out] shortest  by event: the shortest time of one like it; 0: between processes */
static bool find_shortest(const psg_plan *plan, double *shortest) {
    const psg_run_event **all = malloc((plan->events + 1) * sizeof *all);
    for (size_t m = 0; all != NULL && m < plan->events; m++) {
        all[m] = &plan->event[m];
    }
    if (all != NULL && plan->events > 0) {
        qsort(all, plan->events, sizeof *all, by_likeness);
    }
    for (size_t first = 0, end; all != NULL && first < plan->events; first = end) {
        double least = INFINITY;
        for (end = first; end < plan->events && by_likeness(&all[first], &all[end]) == 0; end++) {
            least = fmin(least, seconds_of(all[end]));
        }
        for (size_t m = first; m < end; m++) {
            shortest[all[m] - plan->event] = least;
        }
    }
    free(all);
    return all != NULL;
}

/* Seconds that f of a task's segment takes to the task's GPU, or that u takes home from there. */
static double way_of(const psg_plan *plan, const psg_run_event *event, bool home) {
    const psg_context *c = &plan->context;
    const psg_task_kind kind = event->kind;
    const psg_task_kind last = c->normalizes ? PSG_TASK_NORMALIZE : PSG_TASK_IFFT_XY;
    const bool reads_f = kind == PSG_TASK_FORWARD_XY || kind == PSG_TASK_FFT_XY;
    const bool writes_u = kind == PSG_TASK_INVERSE_XY || kind == last;
    if (!plan->from_memory || event->worker < 0 || !(home ? writes_u : reads_f) ||
        starpu_worker_get_type(event->worker) != STARPU_CUDA_WORKER) {
        return 0;
    }
    const int node = psg_placement_node(event->worker);
    const double points = (double)(c->n[0] * c->n[1] * event->shape.count);
    const double bytes = points * (double)c->cpu->real_bytes;
    return home ? copy_seconds(node, STARPU_MAIN_RAM, bytes)
                : copy_seconds(STARPU_MAIN_RAM, node, bytes);
}

/* Seconds until the last GPU has f of all its segments, or u of all of them is home. */
static double whole_way(const psg_plan *plan, bool home) {
    double of_gpu[STARPU_MAXNODES] = {0};
    double longest = 0;
    for (size_t m = 0; m < plan->events; m++) {
        const double seconds = way_of(plan, &plan->event[m], home);
        if (seconds > 0) {
            double *sum = &of_gpu[psg_placement_node(plan->event[m].worker)];
            *sum += seconds;
            longest = fmax(longest, *sum);
        }
    }
    return longest;
}

typedef struct dependencies {
    psg_dependency *list; /* in an order in which all of what came before is known already */
    size_t count;
} dependencies;

/* The longest chain of tasks, or of those on pencils alone.
 * @param[out] before  room by event: the longest chain up to each */
static double longest_chain(const psg_plan *plan, const dependencies *all, const double *shortest,
                            bool pencils, double *before) {
    double longest = 0;
    for (size_t m = 0; m < plan->events; m++) {
        before[m] = pencils ? 0 : way_of(plan, &plan->event[m], false);
    }
    for (size_t m = 0; m < all->count; m++) {
        const psg_dependency *d = &all->list[m];
        const bool counts = !pencils || plan->event[d->before].pencil != SIZE_MAX;
        const double chain = before[d->before] + (counts ? shortest[d->before] : 0);
        before[d->after] = fmax(before[d->after], chain);
    }
    for (size_t m = 0; m < plan->events; m++) {
        const psg_run_event *event = &plan->event[m];
        const bool counts = !pencils || event->pencil != SIZE_MAX;
        const double home = pencils ? 0 : way_of(plan, event, true);
        longest = fmax(longest, before[m] + (counts ? shortest[m] : 0) + home);
    }
    return longest;
}

/* A chain has f and u of one segment. But a pencil needs every segment, and a segment every pencil: all
 * of f has come before the first pencil begins, and all of u goes home after the last. */
static psg_status find_path(const psg_plan *plan, double *seconds) {
    dependencies all = {0};
    psg_status status = psg_dependencies_find(plan, &all.list, &all.count);
    if (status != PSG_OK) {
        return status;
    }
    double *shortest = calloc(plan->events + 1, sizeof *shortest);
    double *before = calloc(plan->events + 1, sizeof *before);
    *seconds = 0;
    if (shortest == NULL || before == NULL || !find_shortest(plan, shortest)) {
        status = psg_fail(PSG_ERR_MEMORY, "no memory for the times of %zu events", plan->events);
    } else {
        *seconds = fmax(longest_chain(plan, &all, shortest, false, before),
                        whole_way(plan, false) + whole_way(plan, true) +
                            longest_chain(plan, &all, shortest, true, before));
    }
    free(shortest);
    free(before);
    free(all.list);
    return status;
}

static double find_work(const psg_plan *plan) {
    double sum = 0;
    for (size_t m = 0; m < plan->events; m++) {
        sum += seconds_of(&plan->event[m]);
    }
    return sum / (double)plan->usable_workers;
}

/* --------------------------------------------------------------------------------- memory */

/* None of a phase starts before the one before it has ended, as a pencil needs every segment and a
 * segment every pencil. */
enum { FORWARD = 0, ALONG_Z, BACK, PHASES };

static int phase_of(const psg_run_event *event) {
    if (event->pencil != SIZE_MAX) {
        return ALONG_Z;
    }
    return event->kind == PSG_TASK_FORWARD_XY || event->kind == PSG_TASK_FFT_XY ||
                   event->kind == PSG_TASK_PACK
               ? FORWARD
               : BACK;
}

/* Of what a phase reads, the caches may have as much as they hold when it begins; of what it
 * writes, they may keep as much when it ends. */
static double find_traffic(const psg_plan *plan, double cache_bytes) {
    double reads[PHASES] = {0};
    double writes[PHASES] = {0};
    double bytes = 0;
    for (size_t m = 0; m < plan->events; m++) {
        const psg_run_event *event = &plan->event[m];
        if (event->worker >= 0) {
            const psg_task_traffic moves = psg_task_moves(&plan->context, event->kind);
            double field = 0;
            double spectrum = 0;
            psg_event_part(&plan->context, event, &field, &spectrum);
            reads[phase_of(event)] += moves.field_reads * field + moves.spectrum_reads * spectrum;
            writes[phase_of(event)] +=
                moves.field_writes * field + moves.spectrum_writes * spectrum;
        }
    }
    for (int phase = 0; phase < PHASES; phase++) {
        bytes += fmax(0, reads[phase] - cache_bytes) + fmax(0, writes[phase] - cache_bytes);
    }
    return bytes;
}

/* ---------------------------------------------------------------------------------- links */

/* Bytes that go from one memory to another. */
static void add_link(psg_bounds *b, psg_link link, int from, int to, double bytes) {
    b->link_bytes[link] += bytes;
    b->link_seconds[link] = fmax(b->link_seconds[link], copy_seconds(from, to, bytes));
}

static double block_bytes(const psg_context *c, size_t s, size_t p) {
    return 2 * (double)c->cpu->real_bytes * (double)c->nxc * (double)(c->z0[s + 1] - c->z0[s]) *
           (double)(c->y0[p + 1] - c->y0[p]);
}

/* Between GPU `from` and GPU `to`, or the cores (-1), there and back: blocks that segments on the
 * one have of pencils on the other, and on their way back those that pencils on the one have of
 * segments on the other. */
static double exchanged_bytes(const psg_plan *plan, int from, int to) {
    const psg_context *c = &plan->context;
    double bytes = 0;
    for (size_t s = c->own_segments.first; s < c->own_segments.end; s++) {
        for (size_t p = c->own_pencils.first; p < c->own_pencils.end; p++) {
            const int segment = c->segment_worker[s];
            const int pencil = c->pencil_worker[p];
            bytes += (segment == from && pencil == to) || (pencil == from && segment == to)
                         ? block_bytes(c, s, p)
                         : 0;
        }
    }
    return bytes;
}

/* What a GPU's segments and pencils send to other processes, and get from there as much, by main
 * memory unless messages can do without. */
static double message_bytes(const psg_plan *plan, int gpu) {
    const psg_context *c = &plan->context;
    const size_t rows = c->y0[c->own_pencils.end] - c->y0[c->own_pencils.first];
    const size_t planes = c->z0[c->own_segments.end] - c->z0[c->own_segments.first];
    double points = 0;
    for (size_t s = c->own_segments.first; s < c->own_segments.end; s++) {
        points += c->segment_worker[s] == gpu
                      ? (double)(c->z0[s + 1] - c->z0[s]) * (double)(c->n[1] - rows)
                      : 0;
    }
    for (size_t p = c->own_pencils.first; p < c->own_pencils.end; p++) {
        points += c->pencil_worker[p] == gpu
                      ? (double)(c->y0[p + 1] - c->y0[p]) * (double)(c->n[2] - planes)
                      : 0;
    }
    const bool by_memory = plan->exchange == PSG_EXCHANGE_ALLTOALL || psg_comm_cuda_aware() != 1;
    return by_memory ? 2 * (double)c->cpu->real_bytes * (double)c->nxc * points : 0;
}

static void find_gpu_links(const psg_plan *plan, psg_bounds *b) {
    const psg_context *c = &plan->context;
    for (size_t g = 0; g < plan->gpu_count; g++) {
        const int gpu = plan->gpus[g];
        const int node = psg_placement_node(gpu);
        double planes = 0;
        for (size_t s = c->own_segments.first; s < c->own_segments.end; s++) {
            planes += c->segment_worker[s] == gpu ? (double)(c->z0[s + 1] - c->z0[s]) : 0;
        }
        const double field = planes * (double)(c->n[0] * c->n[1]) * (double)c->cpu->real_bytes;
        const double messages = message_bytes(plan, gpu);
        const double moved = (plan->from_memory ? field : 0) + messages;
        add_link(b, PSG_LINK_H2D, STARPU_MAIN_RAM, node, moved + exchanged_bytes(plan, -1, gpu));
        add_link(b, PSG_LINK_D2H, node, STARPU_MAIN_RAM, moved + exchanged_bytes(plan, gpu, -1));
        for (size_t h = 0; h < plan->gpu_count; h++) {
            if (h != g && plan->resident) {
                add_link(b, PSG_LINK_D2D, node, psg_placement_node(plan->gpus[h]),
                         exchanged_bytes(plan, gpu, plan->gpus[h]));
            }
        }
    }
}

static psg_status find_messages(const psg_plan *plan, psg_bounds *b) {
    double rate = 0;
    if (plan->comm == NULL || plan->ranks == 1 || psg_comm_fake(plan->comm)) {
        return PSG_OK;
    }
    if (!psg_comm_rate(plan->comm, &rate)) {
        return psg_fail(PSG_ERR_RUNTIME, "messages could not be measured: %s",
                        psg_comm_why(plan->comm));
    }
    /* That was found between main memories; nothing is known of messages between GPUs. */
    const bool between_gpus = plan->gpu_count > 0 && plan->exchange == PSG_EXCHANGE_MPI &&
                              psg_comm_cuda_aware() == 1 && !psg_simulated();
    const bool known = rate > 0 && !between_gpus;
    b->link_bytes[PSG_LINK_MESSAGE] = (double)plan->sent_bytes;
    b->link_seconds[PSG_LINK_MESSAGE] = known ? (double)plan->sent_bytes / rate : 0;
    return PSG_OK;
}

/* ----------------------------------------------------------------------------------- all */

static psg_status find_bounds(const psg_plan *plan, psg_bounds *b) {
    psg_status status = psg_ranks_agree(plan->comm, find_path(plan, &b->bound[PSG_BOUND_PATH]));
    if (status == PSG_OK) {
        status = find_messages(plan, b);
    }
    if (status == PSG_OK) {
        status = psg_memory_rate(plan, &b->memory_rate, &b->cache_bytes);
    }
    status = psg_ranks_agree(plan->comm, status);
    if (status != PSG_OK) {
        return status;
    }
    b->lp_seconds = psg_program_seconds(plan);
    b->memory_bytes = find_traffic(plan, b->cache_bytes);
    b->bound[PSG_BOUND_WORK] = find_work(plan);
    b->bound[PSG_BOUND_MEMORY] = b->memory_rate > 0 ? b->memory_bytes / b->memory_rate : 0;
    find_gpu_links(plan, b);
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

psg_status psg_plan_bounds_sized(const psg_plan *plan, psg_bounds *bounds, size_t struct_size) {
    psg_clear_error();
    if (plan == NULL) {
        return psg_fail(PSG_ERR_ARG, "plan is NULL");
    }
    psg_bounds b = {.struct_size = struct_size};
    psg_status status = PSG_OK;
    if (bounds == NULL) {
        status = psg_fail(PSG_ERR_ARG, "bounds is NULL");
    } else if (plan->solves == 0) {
        status = psg_fail(PSG_ERR_STATE, "no solve of the plan was waited for yet");
    }
    status = psg_ranks_agree(plan->comm, status);
    if (status == PSG_OK) {
        status = find_bounds(plan, &b);
    }
    if (status == PSG_OK) {
        memset(bounds, 0, struct_size);
        memcpy(bounds, &b, struct_size < sizeof b ? struct_size : sizeof b);
    }
    return status;
}
