/* What CPU cores take of a solve beside GPUs: the last of the planes, and of the rows. The blocks
 * of their rows are at home in main memory, and StarPU copies those that both need.
 *
 *                  GPUs' planes            cores' planes
 *   GPUs' rows     stay on the GPUs        to a GPU, and back
 *   cores' rows    from a GPU, and back    stay in main memory
 */
#include "graph/cpu_share.h"
#include "base/tuning.h"
#include "graph/block.h"
#include "graph/options.h"
#include "graph/partition.h"
#include "graph/plan_struct.h"
#include "graph/status.h"
#include "runtime/speed.h"

#include <math.h>

/* None of a phase starts before the one before it has ended. */
enum { FORWARD = 0, ALONG_Z, BACK, PHASES };

/* What a solve's time is made of. */
typedef struct speeds {
    const psg_context *context;
    size_t workers[2];         /* cores, GPUs */
    double seconds[2][PHASES]; /* of one of them, for a plane or a row */
    double to_gpus, from_gpus; /* bytes per second, of all GPUs' links together */
    double field, spectrum;    /* bytes */
} speeds;

/* ------------------------------------------------------------------------------ what is known */

/* Seconds that one worker takes for a plane, or a row, in each phase; in tasks of the size that
 * they would have if all were its kind's. @return false: of some task it is not known */
static bool find_seconds(const psg_context *c, unsigned worker, bool gpu, size_t workers,
                         double seconds[PHASES]) {
    const size_t tasks = psg_partition_tasks(c, gpu, workers, c->layout.n[2]);
    psg_graph_kind kinds[PSG_GRAPH_KINDS_MOST];
    const size_t count = psg_graph_kinds(c, kinds);
    int phase = FORWARD;
    bool known = true;
    for (size_t m = 0; m < count && known; m++) {
        const size_t extent = c->layout.n[kinds[m].sheet ? 1 : 2];
        const size_t parts = tasks < extent ? tasks : extent;
        phase = kinds[m].sheet ? ALONG_Z : phase == ALONG_Z ? BACK : phase;
        psg_task_shape shape = {.kind = kinds[m].kind,
                                .precision = c->engine.precision,
                                .axis = kinds[m].sheet ? PSG_AXIS_SHEET : PSG_AXIS_SEGMENT,
                                .count = extent / parts,
                                .pieces = parts,
                                .dense = true};
        psg_context_extents(c, &shape);
        const double all = psg_task_seconds(&shape, worker);
        seconds[phase] += all / (double)shape.count;
        known = all > 0;
    }
    return known;
}

/* StarPU measures its links in MB/s; NaN: it has not. */
static bool find_links(const psg_workers *w, speeds *s) {
    for (size_t g = 0; g < w->gpu_count; g++) {
        const unsigned node = (unsigned)psg_placement_node(w->gpus[g]);
        s->to_gpus += 1e6 * starpu_transfer_bandwidth(STARPU_MAIN_RAM, node);
        s->from_gpus += 1e6 * starpu_transfer_bandwidth(node, STARPU_MAIN_RAM);
    }
    return s->to_gpus > 0 && s->from_gpus > 0;
}

/* --------------------------------------------------------------------------- what is predicted */

/* The busiest worker's part of so many planes or rows, which are cut for the planes' bytes. */
static double work(const speeds *s, int gpu, int phase, size_t planes, size_t extent) {
    const size_t workers = s->workers[gpu];
    const size_t tasks = psg_partition_tasks(s->context, gpu, workers, planes);
    const size_t parts = tasks < extent ? tasks : extent;
    const size_t each = parts > 0 ? (extent + parts - 1) / parts : 0;
    return (double)((parts + workers - 1) / workers * each) * s->seconds[gpu][phase];
}

/* The slower of cores and GPUs, of which the cores have so many planes or rows. */
static double slower(const speeds *s, int phase, size_t planes, size_t extent, size_t all) {
    return fmax(work(s, 0, phase, planes, extent),
                work(s, 1, phase, s->context->layout.n[2] - planes, all - extent));
}

/* Seconds of a solve from array to array, of which cores take some planes and some rows: in each
 * phase the slowest of GPUs, cores and links. */
static double predict(const speeds *s, size_t planes, size_t rows) {
    const size_t *n = s->context->layout.n;
    const double p = (double)planes / (double)n[2];
    const double r = (double)rows / (double)n[1];
    const double up = p * (1 - r) * s->spectrum;   /* cores' planes of GPUs' rows */
    const double down = (1 - p) * r * s->spectrum; /* and the other way */
    const double field = (1 - p) * s->field;
    const double forward = fmax((field + up) / s->to_gpus, down / s->from_gpus);
    const double back = fmax((field + up) / s->from_gpus, down / s->to_gpus);
    return fmax(forward, slower(s, FORWARD, planes, planes, n[2])) +
           slower(s, ALONG_Z, planes, rows, n[1]) +
           fmax(back, slower(s, BACK, planes, planes, n[2]));
}

/* The share with the shortest prediction; 0 unless it is clearly shorter than the GPUs'. */
static double find_best(const psg_workers *w, const psg_context *c, size_t cpus) {
    const double real = (double)c->cpu->real_bytes;
    const double lines = (double)c->layout.n[1] * (double)c->layout.n[2];
    speeds s = {.context = c,
                .workers = {cpus, w->gpu_count},
                .field = lines * real * (double)c->layout.n[0],
                .spectrum = lines * real * 2 * (double)c->layout.nxc};
    const unsigned core = (unsigned)w->usable[w->gpu_count];
    if (!find_seconds(c, core, false, cpus, s.seconds[0]) ||
        !find_seconds(c, (unsigned)w->gpus[0], true, w->gpu_count, s.seconds[1]) ||
        !find_links(w, &s)) {
        return 0;
    }
    double best = TUNING_CPU_SHARE_WORTHWHILE * predict(&s, 0, 0);
    double share = 0;
    for (size_t planes = 1; planes <= c->layout.n[2]; planes++) {
        const double tried = (double)planes / (double)c->layout.n[2];
        const double seconds = predict(&s, planes, psg_partition_cores(tried, c->layout.n[1]));
        if (seconds < best) {
            best = seconds;
            share = tried;
        }
    }
    return share;
}

psg_status psg_cpu_share_make(psg_workers *w, const psg_plan *plan, size_t cpus) {
    const psg_options *o = &plan->problem.options;
    const bool both = w->gpu_count > 0 && cpus > 0;
    if (psg_options_want_cpu_share(o) && !both) {
        return psg_fail(PSG_ERR_NODEV,
                        "CPU cores and GPUs are to share the work, and there are %zu CPU workers "
                        "and %zu GPUs",
                        cpus, w->gpu_count);
    }
    w->anywhere = o->cpu_share == PSG_CPU_SHARE_FREE;
    if (w->gpu_count == 0 || w->anywhere) {
        w->cpu_share = 1; /* cut as for cores, which are the more */
    } else if (o->cpu_share > 0) {
        w->cpu_share = o->cpu_share;
    } else if (o->cpu_share == PSG_CPU_SHARE_AUTO && both && plan->processes.ranks == 1 &&
               o->exchange != PSG_EXCHANGE_DIRECT) {
        w->cpu_share = find_best(w, &plan->context, cpus);
    }
    w->cpu_count = w->cpu_share > 0 ? cpus : 0;
    return PSG_OK;
}
