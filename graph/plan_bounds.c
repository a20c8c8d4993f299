/* What bounds a plan's solve beside its tasks: f and u on their way, and the bytes that go over
 * links. */
#include "graph/plan_bounds.h"
#include "codelets/kinds.h"
#include "graph/block.h"
#include "graph/plan_struct.h"
#include "graph/status.h"
#include "runtime/simulation.h"

#include <math.h>

/* Seconds that bytes need from one memory to another, at StarPU's measured rate, which is in MB/s;
 * 0: it was not measured. */
static double copy_seconds(int from, int to, double bytes) {
    const double rate = 1e6 * starpu_transfer_bandwidth((unsigned)from, (unsigned)to);
    return rate > 0 && isfinite(rate) ? bytes / rate : 0;
}

/* ----------------------------------------------------------------------------------- path */

/* The memory to which f of a task's segment comes, or from which u goes: that of the task's GPU. f
 * that comes ahead of the task comes to the segment's home. */
static int end_of_way(const psg_plan *plan, const psg_run_event *event, bool home) {
    const psg_part *segments = plan->context.layout.segments.part;
    return psg_placement_node(!home && plan->placement.ahead
                                  ? segments[event->label.index[PSG_AXIS_SEGMENT]].home
                                  : event->worker);
}

/* Seconds that f of a task's segment takes to a GPU, or that u takes home from there. */
static double way_of(const psg_plan *plan, const psg_run_event *event, bool home) {
    const psg_context *c = &plan->context;
    const int kind = event->label.kind;
    const bool reads_f = kind == PSG_TASK_FORWARD_XY || kind == PSG_TASK_FFT_XY;
    const bool writes_u = kind == (int)psg_graph_last(&c->graph);
    if (!plan->past.from_memory || event->worker < 0 || !(home ? writes_u : reads_f) ||
        starpu_worker_get_type(event->worker) != STARPU_CUDA_WORKER) {
        return 0;
    }
    const int node = end_of_way(plan, event, home);
    const double points = (double)(c->layout.n[0] * c->layout.n[1] * event->shape.count);
    const double bytes = points * (double)c->cpu->real_bytes;
    return home ? copy_seconds(node, STARPU_MAIN_RAM, bytes)
                : copy_seconds(STARPU_MAIN_RAM, node, bytes);
}

/* Seconds until the last GPU has f of all its segments, or u of all of them is home. */
static double whole_way(const psg_plan *plan, bool home) {
    double of_gpu[STARPU_MAXNODES] = {0};
    double longest = 0;
    for (size_t m = 0; m < plan->work.latest.events.count; m++) {
        const psg_run_event *event = &plan->work.latest.events.event[m];
        const double seconds = way_of(plan, event, home);
        if (seconds > 0) {
            double *sum = &of_gpu[end_of_way(plan, event, home)];
            *sum += seconds;
            longest = fmax(longest, *sum);
        }
    }
    return longest;
}

static double lead(const void *plan, const psg_run_event *event) {
    return way_of(plan, event, false);
}

static double tail(const void *plan, const psg_run_event *event) {
    return way_of(plan, event, true);
}

/* u may be home before gradient_z. */
static bool on_sheet(const void *plan, const psg_run_event *event) {
    (void)plan;
    return psg_label_has_sheet(&event->label) && event->label.kind != PSG_TASK_GRADIENT_Z;
}

/* A chain has f and u of one segment. But a sheet needs every segment, and a segment every sheet:
 * all of f has come before the first sheet begins, and all of u goes home after the last. */
bool psg_plan_path(const psg_work *work, const psg_least *least, const psg_edge *edges,
                   size_t count, double *seconds) {
    const psg_plan *plan = psg_plan_of(work);
    const psg_history *h = &work->latest;
    const psg_chain_rule all = {.owner = plan, .lead = lead, .tail = tail};
    const psg_chain_rule sheets = {.owner = plan, .counts = on_sheet};
    double chain = 0;
    if (!psg_history_chain(h, least, edges, count, &all, seconds) ||
        !psg_history_chain(h, least, edges, count, &sheets, &chain)) {
        return false;
    }
    *seconds = fmax(*seconds, whole_way(plan, false) + whole_way(plan, true) + chain);
    return true;
}

/* ---------------------------------------------------------------------------------- links */

static void add_link(psg_bounds *b, psg_link link, double bytes, double seconds) {
    b->link_bytes[link] += bytes;
    b->link_seconds[link] = fmax(b->link_seconds[link], seconds);
}

/* Seconds that bytes need from one GPU's memory to another's. Tasks of exchange direct reach that
 * memory themselves, at another rate than StarPU's copies where a machine is simulated. */
static double between_gpus(const psg_plan *plan, int from, int to, double bytes) {
    const psg_machine *machine = psg_simulation_machine();
    if (machine == NULL || plan->route.exchange->is != PSG_EXCHANGE_DIRECT) {
        return copy_seconds(psg_placement_node(from), psg_placement_node(to), bytes);
    }
    const double rate = machine->link[PSG_MACHINE_PEER].bytes_per_second;
    return rate > 0 ? bytes / rate : 0;
}

static double block_bytes(const psg_context *c, size_t s, size_t p) {
    const psg_box block = psg_layout_block(&c->layout, s, &c->layout.sheets.part[p]);
    return 2 * (double)c->cpu->real_bytes * (double)c->layout.nxc * (double)psg_box_rows(&block);
}

/* Between GPU `from` and GPU `to`, or the cores (-1), there and back: blocks that segments on the
 * one have of sheets on the other, and on their way back those that sheets on the one have of
 * segments on the other. */
static double exchanged_bytes(const psg_plan *plan, int from, int to) {
    const psg_context *c = &plan->context;
    double bytes = 0;
    for (size_t s = c->layout.segments.own.first; s < c->layout.segments.own.end; s++) {
        for (size_t p = c->layout.sheets.own.first; p < c->layout.sheets.own.end; p++) {
            const int segment = c->layout.segments.part[s].home;
            const int sheet = c->layout.sheets.part[p].home;
            bytes += (segment == from && sheet == to) || (sheet == from && segment == to)
                         ? block_bytes(c, s, p)
                         : 0;
        }
    }
    return bytes;
}

/* What a GPU's segments and sheets have for other processes, and get from there as much. */
static double foreign_bytes(const psg_plan *plan, int gpu) {
    const psg_context *c = &plan->context;
    const size_t rows = psg_parts_length(&c->layout.sheets, c->layout.sheets.own, 1);
    const size_t planes = psg_parts_length(&c->layout.segments, c->layout.segments.own, 2);
    double points = 0;
    for (size_t s = c->layout.segments.own.first; s < c->layout.segments.own.end; s++) {
        points += c->layout.segments.part[s].home == gpu
                      ? (double)psg_layout_planes(&c->layout, s) * (double)(c->layout.nyc - rows)
                      : 0;
    }
    for (size_t p = c->layout.sheets.own.first; p < c->layout.sheets.own.end; p++) {
        points += c->layout.sheets.part[p].home == gpu
                      ? (double)psg_layout_rows(&c->layout, p) * (double)(c->layout.n[2] - planes)
                      : 0;
    }
    return 2 * (double)c->cpu->real_bytes * (double)c->layout.nxc * points;
}

static void find_gpu_links(const psg_plan *plan, psg_bounds *b) {
    const psg_context *c = &plan->context;
    for (size_t g = 0; g < plan->workers.gpu_count; g++) {
        const int gpu = plan->workers.gpus[g];
        const int node = psg_placement_node(gpu);
        double planes = 0;
        for (size_t s = c->layout.segments.own.first; s < c->layout.segments.own.end; s++) {
            planes += c->layout.segments.part[s].home == gpu
                          ? (double)psg_layout_planes(&c->layout, s)
                          : 0;
        }
        const double field =
            planes * (double)(c->layout.n[0] * c->layout.n[1]) * (double)c->cpu->real_bytes;
        const double foreign = foreign_bytes(plan, gpu);
        const bool by_main =
            plan->route.sharing == NULL && (plan->route.exchange->is == PSG_EXCHANGE_ALLTOALL ||
                                            psg_exchange_node(plan, gpu) == STARPU_MAIN_RAM);
        const double messages = by_main ? foreign : 0;
        const double moved = (plan->past.from_memory ? field : 0) + messages;
        const double there = moved + exchanged_bytes(plan, -1, gpu);
        const double back = moved + exchanged_bytes(plan, gpu, -1);
        add_link(b, PSG_LINK_H2D, there, copy_seconds(STARPU_MAIN_RAM, node, there));
        add_link(b, PSG_LINK_D2H, back, copy_seconds(node, STARPU_MAIN_RAM, back));
        if (plan->route.sharing != NULL) { /* at a rate that nobody has measured */
            add_link(b, PSG_LINK_D2D, foreign, 0);
        }
        for (size_t h = 0; h < plan->workers.gpu_count; h++) {
            const int other = plan->workers.gpus[h];
            if (plan->route.home->node(gpu) != plan->route.home->node(other)) {
                const double bytes = exchanged_bytes(plan, gpu, other);
                add_link(b, PSG_LINK_D2D, bytes, between_gpus(plan, gpu, other, bytes));
            }
        }
    }
}

static psg_status find_messages(const psg_plan *plan, psg_bounds *b) {
    double rate = 0;
    if (plan->processes.comm == NULL || plan->processes.ranks == 1) {
        return PSG_OK;
    }
    const bool found = plan->between.nccl != NULL ? psg_nccl->rate(plan->between.nccl, &rate)
                                                  : psg_comms->rate(plan->processes.comm, &rate);
    if (!found) {
        return psg_fail(PSG_ERR_RUNTIME, "messages could not be measured: %s",
                        plan->processes.comm->words);
    }
    /* That was found between main memories; nothing is known of messages between GPUs. */
    const bool between_gpus = plan->workers.gpu_count > 0 &&
                              plan->route.exchange->is == PSG_EXCHANGE_MPI &&
                              psg_comm_cuda_aware() == 1 && psg_platform->computes;
    const bool known = rate > 0 && !between_gpus;
    b->link_bytes[PSG_LINK_MESSAGE] = (double)plan->work.latest.sent_bytes;
    b->link_seconds[PSG_LINK_MESSAGE] = known ? (double)plan->work.latest.sent_bytes / rate : 0;
    return PSG_OK;
}

psg_status psg_plan_links(const psg_work *work, psg_bounds *b) {
    find_gpu_links(psg_plan_of(work), b);
    return find_messages(psg_plan_of(work), b);
}
