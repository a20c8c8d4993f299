/* The numbers of a round: read from the library, joined over the processes, and written as JSON. */
#include "app/measure_sample.h"
#include "app/processes.h"
#include "app/runs.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------ reading */

static bool is_gpu(const app_measure_job *j, int worker) {
    return j->workers.list[worker].kind == PSG_WORKER_CUDA;
}

/* Who did the tasks: one's own workers are the first of the list on rank 0, too. */
static bool is_known(const app_measure_job *j, int worker) {
    return worker >= 0 && (size_t)worker < j->workers.count;
}

static void add_busy(app_measure_sample *sample, size_t w, double share) {
    if (w < APP_MEASURE_WORKERS_MOST) {
        sample->busy_worker[w] += share;
    }
}

static void read_solve(const app_measure_job *j, double seconds, app_measure_sample *sample) {
    psg_statistics s;
    double stage[PSG_STAGE_COUNT];
    (void)psg_plan_statistics(j->plan, &s); /* these fail for what does not exist only */
    for (size_t w = 0; w < s.workers; w++) {
        (void)psg_plan_worker_seconds(j->plan, w, stage);
        for (int g = 0; g < APP_MEASURE_STAGES; g++) {
            add_busy(sample, w, stage[g] / seconds);
        }
    }
    for (int g = 0; g < APP_MEASURE_STAGES; g++) {
        sample->stage[g] = s.stage[g].seconds;
    }
    sample->exchange_busy = sample->stage[PSG_STAGE_EXCHANGE] / seconds;
    sample->spectrum_bytes = (double)s.spectrum_bytes;
    sample->cpu_planes = (double)s.cpu_planes;
    sample->cpu_rows = (double)s.cpu_rows;
}

/* A workload has no stages of a solve, and no planes. */
static void read_workload(const app_measure_job *j, double seconds, const psg_event *events,
                          size_t count, app_measure_sample *sample) {
    for (size_t e = 0; e < count; e++) {
        if (is_known(j, events[e].worker)) {
            add_busy(sample, (size_t)events[e].worker, (events[e].end - events[e].start) / seconds);
        }
    }
    for (int g = 0; g < APP_MEASURE_STAGES; g++) {
        sample->stage[g] = NAN;
    }
    sample->spectrum_bytes = sample->cpu_planes = sample->cpu_rows = NAN;
}

void app_measure_sample_read(const app_measure_job *j, const psg_run_statistics *before,
                             double seconds, const psg_event *events, size_t count,
                             app_measure_sample *sample) {
    psg_run_statistics s;
    psg_kind_tasks kinds[APP_MEASURE_KINDS];
    size_t found = 0;
    const double in_flight = j->solver.options.in_flight;
    memset(sample, 0, sizeof *sample);
    sample->seconds = seconds;
    (void)psg_work_statistics(j->work, &s);
    sample->workers = s.workers;
    for (int link = 0; link < PSG_LINK_COUNT; link++) { /* since, of one of the solves */
        const psg_link_statistics *was = &before->link[link], *is = &s.link[link];
        sample->bytes[link] = (double)(is->bytes - was->bytes) / in_flight;
        sample->copy_seconds[link] =
            sample->bytes[link] > 0 ? (is->seconds - was->seconds) / in_flight : 0;
    }
    sample->executor = s.submit.executor;
    sample->starpu_tasks = (double)s.submit.starpu_tasks;
    sample->placed_tasks = (double)s.submit.placed_tasks;
    sample->sent_bytes = (double)s.link[PSG_LINK_MESSAGE].bytes;
    for (size_t e = 0; e < count; e++) {
        if (is_known(j, events[e].worker)) {
            const bool gpu = is_gpu(j, events[e].worker);
            sample->tasks_cpu += !gpu;
            sample->tasks_gpu += gpu;
        }
    }
    (void)psg_work_tasks(j->work, kinds, APP_MEASURE_KINDS, &found);
    for (size_t k = 0; k < found && k < APP_MEASURE_KINDS; k++) {
        const psg_kind_tasks *t = &kinds[k];
        sample->kind_tasks[t->stage] = (double)t->tasks[0] + (double)t->tasks[1];
        sample->kind_seconds[t->stage] = t->seconds[0] + t->seconds[1];
    }
    if (j->plan != NULL) {
        read_solve(j, seconds, sample);
    } else {
        read_workload(j, seconds, events, count, sample);
    }
}

static void add(double *sum, const double *part, size_t count) {
    for (size_t m = 0; m < count; m++) {
        sum[m] += part[m];
    }
}

void app_measure_sample_join(const app_measure_sample *parts, int count,
                             app_measure_sample *whole) {
    for (int r = 0; r < count; r++) {
        const app_measure_sample *p = &parts[r];
        for (size_t w = 0; w < p->workers && w < APP_MEASURE_WORKERS_MOST; w++) {
            add_busy(whole, whole->workers + w, p->busy_worker[w]);
            whole->busy += p->busy_worker[w];
            whole->busiest = fmax(whole->busiest, p->busy_worker[w]);
        }
        whole->workers += p->workers;
        whole->seconds = p->seconds; /* the same of all */
        whole->executor = p->executor;
        whole->exchange_busy = fmax(whole->exchange_busy, p->exchange_busy);
        whole->busiest = fmax(whole->busiest, p->exchange_busy);
        add(whole->stage, p->stage, APP_MEASURE_STAGES);
        add(&whole->tasks_cpu, &p->tasks_cpu, 1);
        add(&whole->tasks_gpu, &p->tasks_gpu, 1);
        add(&whole->starpu_tasks, &p->starpu_tasks, 1);
        add(&whole->placed_tasks, &p->placed_tasks, 1);
        add(&whole->cpu_planes, &p->cpu_planes, 1);
        add(&whole->cpu_rows, &p->cpu_rows, 1);
        add(&whole->sent_bytes, &p->sent_bytes, 1);
        add(&whole->spectrum_bytes, &p->spectrum_bytes, 1);
        add(whole->bytes, p->bytes, PSG_LINK_COUNT);
        add(whole->copy_seconds, p->copy_seconds, PSG_LINK_COUNT);
        add(whole->kind_tasks, p->kind_tasks, APP_MEASURE_KINDS);
        add(whole->kind_seconds, p->kind_seconds, APP_MEASURE_KINDS);
    }
    whole->busy /= whole->workers ? (double)whole->workers : 1;
}

/* Of solves one after the other, the time that is compared with their bound is the time that is
 * told. */
psg_status app_measure_sample_bounds(const app_measure_job *j, app_measure_sample *sample) {
    psg_bounds bounds;
    const psg_status status = psg_work_bounds(j->work, &bounds);
    if (status != PSG_OK) {
        return status;
    }
    double seconds = sample->seconds;
    if (j->solver.options.in_flight > 1) {
        psg_statistics s;
        (void)psg_plan_statistics(j->plan, &s);
        seconds = s.seconds;
    }
    app_ranks_max(&seconds, 1);
    app_runs_join_bounds(&bounds);
    memcpy(sample->bound, bounds.bound, sizeof sample->bound);
    memcpy(sample->link, bounds.link_seconds, sizeof sample->link);
    sample->lp_bound = bounds.lp_seconds;
    sample->of_bound = bounds.seconds / seconds;
    return PSG_OK;
}

/* --------------------------------------------------------------------------------------- JSON */

static void put(json_t *object, const char *name, const char *ending, double value) {
    char key[64];
    (void)snprintf(key, sizeof key, "%s%s", name, ending);
    app_json_put_real(object, key, value);
}

static json_t *kinds_json(const app_measure_sample *s) {
    json_t *kinds = json_object();
    for (int k = 0; k < APP_MEASURE_KINDS; k++) {
        if (s->kind_tasks[k] > 0) {
            app_json_put(kinds, psg_stage_name((psg_stage)k),
                         json_pack("[ff]", s->kind_tasks[k], s->kind_seconds[k]));
        }
    }
    return kinds;
}

static void put_bounds(json_t *root, const app_measure_sample *s) {
    json_t *links = json_object();
    for (int b = 0; b < PSG_BOUND_COUNT; b++) {
        char key[64];
        (void)snprintf(key, sizeof key, "bound_%s_seconds", psg_bound_name((psg_bound)b));
        app_json_put_real(root, key, s->bound[b]);
    }
    for (int link = 0; link < PSG_LINK_COUNT; link++) {
        app_json_put_real(links, psg_link_name((psg_link)link), s->link[link]);
    }
    app_json_put(root, "bound_links", links);
    app_json_put_real(root, "bound_lp_seconds", s->lp_bound);
    app_json_put_real(root, "of_bound", s->of_bound);
}

json_t *app_measure_sample_json(const app_measure_sample *s, bool bounds) {
    static const struct {
        psg_link link;
        const char *name;
    } links[] = {{PSG_LINK_H2D, "h2d"}, {PSG_LINK_D2H, "d2h"}, {PSG_LINK_D2D, "d2d"}};
    json_t *root = json_object(), *workers = json_array();
    app_json_put_real(root, "seconds", s->seconds);
    app_json_put_real(root, "busy", s->busy);
    app_json_put_real(root, "exchange_busy", s->exchange_busy);
    app_json_put_real(root, "busiest", s->busiest);
    for (size_t w = 0; w < s->workers && w < APP_MEASURE_WORKERS_MOST; w++) {
        json_array_append_new(workers, json_real(s->busy_worker[w]));
    }
    app_json_put(root, "busy_workers", workers);
    app_json_put_real(root, "tasks_cpu", s->tasks_cpu);
    app_json_put_real(root, "tasks_gpu", s->tasks_gpu);
    app_json_put_real(root, "starpu_tasks", s->starpu_tasks);
    app_json_put_real(root, "placed_tasks", s->placed_tasks);
    app_json_put_text(root, "executor_used", app_executor_name(s->executor));
    app_json_put(root, "kinds", kinds_json(s));
    app_json_put_real(root, "cpu_planes", s->cpu_planes);
    app_json_put_real(root, "cpu_rows", s->cpu_rows);
    for (size_t l = 0; l < sizeof links / sizeof *links; l++) {
        put(root, links[l].name, "_bytes", s->bytes[links[l].link]);
        put(root, links[l].name, "_seconds", s->copy_seconds[links[l].link]);
    }
    app_json_put_real(root, "sent_bytes", s->sent_bytes);
    app_json_put_real(root, "spectrum_bytes", s->spectrum_bytes);
    for (int g = 0; g < APP_MEASURE_STAGES; g++) {
        put(root, psg_stage_name((psg_stage)g), "_seconds", s->stage[g]);
    }
    if (bounds) {
        put_bounds(root, s);
    }
    return root;
}

json_t *app_measure_events_json(const app_measure_job *j, const psg_event *events, size_t count) {
    json_t *list = json_array();
    for (size_t e = 0; e < count; e++) {
        const psg_event *t = &events[e];
        if (is_known(j, t->worker)) {
            json_array_append_new(
                list, json_pack("[sibbIbIIff[III]]", psg_stage_name(t->stage), t->worker,
                                is_gpu(j, t->worker), t->axis == 1, (json_int_t)t->count, t->dense,
                                (json_int_t)t->pieces, (json_int_t)t->remote, t->start, t->end,
                                (json_int_t)t->extent[0], (json_int_t)t->extent[1],
                                (json_int_t)t->extent[2]));
        }
    }
    return list;
}
