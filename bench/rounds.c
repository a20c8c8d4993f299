/* The measuring process, or processes. Jobs of one group are interleaved: every round runs
 * each of them once, in a random order, so that a machine that gets slower or faster meanwhile
 * does so for all of them alike. Several processes have the same visit and so the same order,
 * and the library tells all of them the same status: each does every step, and rank 0 tells what
 * came of it. */
#include "app/app.h"
#include "app/processes.h"
#include "app/runs.h"
#include "app/simulating.h"
#include "bench/commands.h"
#include "bench/job.h"
#include "bench/visit.h"
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What one process has to say of a round: sums over its workers where the whole has means. */
typedef struct part {
    bench_sample sample;
    size_t workers;
} part;

typedef struct batch {
    const bench_visit *visit;
    int pipe;
    bench_job *jobs;
    size_t count;
    bench_solutions *solutions;
    part *parts;        /* of all processes, on rank 0 */
    bench_times *times; /* of this process' tasks; NULL: nobody asks */
} batch;

static void tell(int pipe, const bench_record *record) {
    if (app_rank() == 0 && bench_visit_put_record(pipe, record)) {
        _exit(APP_FAILED); /* nobody listens any more; a launcher ends the other processes */
    }
}

static void tell_text(int pipe, bench_record_kind kind, size_t number, const char *text) {
    bench_record record = {.kind = kind, .config = number};
    snprintf(record.is.text, sizeof record.is.text, "%s", text);
    tell(pipe, &record);
}

static void drop(bench_job *j) {
    psg_plan_destroy(j->plan);
    workload_destroy(j->workload);
    j->plan = NULL;
    j->workload = NULL;
    j->work = NULL;
}

static void fail(batch *b, bench_job *j, const char *why) {
    tell_text(b->pipe, BENCH_RECORD_FAILED, j->number, why);
    drop(j);
}

/* ------------------------------------------------------------------------------------ the work */

static void tell_facts(const batch *b, const bench_job *j) {
    bench_record record = {.kind = BENCH_RECORD_FACTS, .config = j->number};
    bench_facts *facts = &record.is.facts;
    for (size_t w = 0; w < j->workers.count; w++) {
        const bool gpu = j->workers.list[w].kind == PSG_WORKER_CUDA;
        facts->cpus += !gpu;
        facts->gpus += gpu;
        if (gpu && !facts->gpu_model[0]) {
            snprintf(facts->gpu_model, sizeof facts->gpu_model, "%s", j->workers.list[w].name);
        }
    }
    snprintf(facts->policy, sizeof facts->policy, "%s", j->workers.policy);
    j->kind->tell(j, facts);
    tell(b->pipe, &record);
}

static void make(batch *b, bench_job *j) {
    psg_options options = j->options;
    options.calibrate = b->visit->calibrate;
    options.comm = app_ranks_comm();
    options.record = b->visit->bounds;
    tell_text(b->pipe, BENCH_RECORD_BEGIN, j->number, "planning");
    const char *why = j->kind->make(j, &options);
    if (why == NULL && app_workers_find(&options, &j->workers)) {
        why = "its workers cannot be found";
    }
    if (why != NULL) {
        fail(b, j, why);
        return;
    }
    tell_facts(b, j);
}

/* -------------------------------------------------------------------------------------- rounds */

/* Does a GPU wait for nothing but StarPU? For no copies, no messages and no tasks of another solve. */
static bool is_undisturbed(const bench_job *j, const bench_sample *sample) {
    return j->options.in_flight == 1 &&
           sample->h2d_bytes + sample->d2h_bytes + sample->d2d_bytes + sample->sent_bytes <= 0;
}

/* Who did the tasks of the latest solve. */
static void count_tasks(const batch *b, const bench_job *j, bench_sample *sample) {
    size_t count = 0;
    (void)psg_work_events(j->work, NULL, 0, &count);
    psg_event *events = calloc(count + 1, sizeof *events);
    (void)psg_work_events(j->work, events, events != NULL ? count : 0, &count);
    for (size_t e = 0; events != NULL && e < count; e++) {
        const int worker =
            events[e].worker; /* one's own are the first of the list on rank 0, too */
        if (worker >= 0 && (size_t)worker < j->workers.count) {
            const bool gpu = j->workers.list[worker].kind == PSG_WORKER_CUDA;
            sample->tasks_cpu += !gpu;
            sample->tasks_gpu += gpu;
            if (b->times != NULL && j->kind == &bench_solves) {
                const bench_time time =
                    bench_time_of(j->config->grid.n, j->options.precision, &events[e], gpu);
                (void)bench_times_add(b->times, &time); /* one more or less */
            }
        }
    }
    if (events != NULL && b->times != NULL && j->kind == &bench_solves &&
        is_undisturbed(j, sample)) {
        bench_times_add_gaps(b->times, events, count, j->workers.list, j->workers.count);
    }
    free(events);
}

/* What went over a link since, and how long it took, of one of the solves. */
static void read_link(const psg_run_statistics *before, const psg_run_statistics *s, psg_link link,
                      double flights, double *bytes, double *seconds) {
    *bytes = (double)(s->link[link].bytes - before->link[link].bytes) / flights;
    *seconds = *bytes > 0 ? (s->link[link].seconds - before->link[link].seconds) / flights : 0;
}

void bench_sample_busy(bench_sample *sample, size_t w, double share) {
    sample->busy += share;
    sample->busiest = fmax(sample->busiest, share);
    if (w < BENCH_BUSY_MOST) {
        sample->busy_worker[w] = (float)share;
    }
}

/* The tasks of the latest run by their kind. */
static void read_kinds(const bench_job *j, bench_sample *sample) {
    psg_kind_tasks list[BENCH_KINDS];
    size_t count = 0;
    (void)psg_work_tasks(j->work, list, BENCH_KINDS, &count);
    for (size_t k = 0; k < count && k < BENCH_KINDS; k++) {
        const psg_kind_tasks *t = &list[k];
        sample->kind_tasks[t->stage] = (double)t->tasks[0] + (double)t->tasks[1];
        sample->kind_seconds[t->stage] = t->seconds[0] + t->seconds[1];
    }
}

static void read_part(const batch *b, const bench_job *j, const psg_run_statistics *before,
                      double seconds, part *p) {
    psg_run_statistics s;
    bench_sample *sample = &p->sample;
    const double flights = j->options.in_flight;
    memset(p, 0, sizeof *p);
    sample->seconds = seconds;
    (void)psg_work_statistics(j->work, &s); /* it fails for what does not exist only */
    p->workers = s.workers;
    read_link(before, &s, PSG_LINK_H2D, flights, &sample->h2d_bytes, &sample->h2d_seconds);
    read_link(before, &s, PSG_LINK_D2H, flights, &sample->d2h_bytes, &sample->d2h_seconds);
    read_link(before, &s, PSG_LINK_D2D, flights, &sample->d2d_bytes, &sample->d2d_seconds);
    sample->sent_bytes = (double)s.link[PSG_LINK_MESSAGE].bytes;
    if (b->times != NULL &&
        s.submit_tasks > 1) { /* one that stands for many says nothing of each */
        bench_costs_add(&b->times->submission, (double)s.submit_pieces, (double)s.submit_tasks,
                        s.submit_seconds);
    }
    count_tasks(b, j, sample);
    read_kinds(j, sample);
    j->kind->read(j, seconds, sample);
}

static void join_parts(const part *parts, int count, bench_sample *whole) {
    size_t workers = 0;
    for (int r = 0; r < count; r++) {
        const bench_sample *sample = &parts[r].sample;
        for (size_t w = 0; w < parts[r].workers && w < BENCH_BUSY_MOST; w++) {
            if (workers + w < BENCH_BUSY_MOST) {
                whole->busy_worker[workers + w] = sample->busy_worker[w];
            }
        }
        workers += parts[r].workers;
        whole->seconds = sample->seconds; /* the same of all */
        for (int g = 0; g < BENCH_STAGES; g++) {
            whole->stage[g] += sample->stage[g];
        }
        whole->busy += sample->busy;
        whole->exchange_busy = fmax(whole->exchange_busy, sample->exchange_busy);
        whole->busiest = fmax(whole->busiest, fmax(sample->busiest, sample->exchange_busy));
        whole->tasks_cpu += sample->tasks_cpu;
        whole->tasks_gpu += sample->tasks_gpu;
        whole->cpu_planes += sample->cpu_planes;
        whole->cpu_rows += sample->cpu_rows;
        whole->h2d_bytes += sample->h2d_bytes;
        whole->d2h_bytes += sample->d2h_bytes;
        whole->d2d_bytes += sample->d2d_bytes;
        whole->h2d_seconds += sample->h2d_seconds;
        whole->d2h_seconds += sample->d2h_seconds;
        whole->d2d_seconds += sample->d2d_seconds;
        whole->sent_bytes += sample->sent_bytes;
        whole->spectrum_bytes += sample->spectrum_bytes;
        for (int k = 0; k < BENCH_KINDS; k++) {
            whole->kind_tasks[k] += sample->kind_tasks[k];
            whole->kind_seconds[k] += sample->kind_seconds[k];
        }
    }
    whole->busy /= workers ? (double)workers : 1;
}

/* Of solves one after the other, the time that is compared with their bound is the time that is
 * told. */
static psg_status read_bounds(const bench_job *j, bench_sample *sample) {
    psg_bounds bounds;
    const psg_status status = psg_work_bounds(j->work, &bounds);
    if (status == PSG_OK) {
        double seconds = sample->seconds;
        if (j->options.in_flight > 1) {
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
    }
    return status;
}

static void check_answer(batch *b, bench_job *j) {
    bench_record record = {.kind = BENCH_RECORD_CHECKED, .config = j->number};
    if (app_simulation_machine() != NULL) {
        return; /* there is none */
    }
    const char *why =
        j->kind->check(j, b->solutions, &record.is.checked.error, &record.is.checked.tolerance);
    if (why != NULL) {
        fail(b, j, why);
        return;
    }
    tell(b->pipe, &record);
}

static void one_round(batch *b, bench_job *j, bool counts, bool last) {
    bench_record record = {.kind = counts ? BENCH_RECORD_SAMPLE : BENCH_RECORD_SOLVED,
                           .config = j->number};
    psg_run_statistics before;
    part mine;
    tell_text(b->pipe, BENCH_RECORD_BEGIN, j->number, "solving");
    (void)psg_work_statistics(j->work, &before);
    app_ranks_barrier();
    double seconds = NAN;
    const psg_status status = j->kind->run(j, b->solutions, &seconds);
    if (status != PSG_OK) {
        fail(b, j, psg_last_error());
        return;
    }
    if (counts) {
        app_ranks_max(&seconds, 1);
        read_part(b, j, &before, seconds, &mine);
        app_ranks_gather(&mine, sizeof mine, b->parts);
        if (app_rank() == 0) {
            join_parts(b->parts, app_ranks(), &record.is.sample);
        }
    }
    if (counts && b->visit->bounds && read_bounds(j, &record.is.sample) != PSG_OK) {
        fail(b, j, psg_last_error());
        return;
    }
    tell(b->pipe, &record);
    if (last) {
        check_answer(b, j);
    }
}

/* The first round never counts where there are rounds that do not; one that counts is always
 * made. */
static void solve_rounds(batch *b, size_t *order, uint64_t *random) {
    const unsigned warm_up = b->visit->warm_up, rounds = b->visit->calibrate ? 0 : b->visit->rounds;
    double took = 0;
    bool last = false;
    for (unsigned round = 0; round < warm_up + rounds && !last; round++) {
        const double start = app_now();
        last = round + 1 == warm_up + rounds ||
               (b->visit->until > 0 && round > 0 && start + took > b->visit->until);
        app_shuffle(order, b->count, random);
        for (size_t n = 0; n < b->count; n++) {
            bench_job *j = &b->jobs[order[n]];
            if (j->work != NULL) {
                one_round(b, j, round >= warm_up || (last && rounds > 0), last && rounds > 0);
            }
        }
        took = app_now() - start;
    }
}

/* ------------------------------------------------------------------------------------ batches */

static void free_solutions(bench_solutions *s) {
    for (unsigned flight = 0; s->u != NULL && flight < s->flights; flight++) {
        app_simulation_free(s->u[flight], s->bytes);
    }
    free(s->u);
    *s = (bench_solutions){.u = NULL};
}

/* Of this process' f or u. */
static size_t field_bytes(const bench_job *j) {
    psg_grid grid;
    bench_config_grid(j->config, &grid);
    return app_plane_points(&grid, app_own_planes(&grid)) * app_element_bytes(j->options.precision);
}

/* Is u[flight] copied from GPUs, in solves or to be checked? */
static bool uses(const bench_job *j, unsigned flight) {
    return j->plan != NULL && (j->config->resident ? flight == 0 : flight < j->options.in_flight);
}

/* Page-lock what solves copy more than once; where it cannot be, the copies take longer and say so.
 * Plans share u, and CUDA copies no array that is page-locked in part: so who needs most of it does
 * it, once and for all. */
static void pin_all(const batch *b) {
    for (unsigned flight = 0; flight < b->solutions->flights; flight++) {
        const bench_job *largest = NULL;
        bool wanted = false;
        for (size_t n = 0; n < b->count; n++) {
            const bench_job *j = &b->jobs[n];
            if (uses(j, flight)) {
                largest = largest == NULL || field_bytes(j) > field_bytes(largest) ? j : largest;
                wanted |= !j->config->resident;
            }
        }
        if (wanted) {
            (void)psg_plan_pin(largest->plan, b->solutions->u[flight]);
        }
    }
    for (size_t n = 0; n < b->count; n++) {
        const bench_job *j = &b->jobs[n];
        if (j->plan != NULL && !j->config->resident) {
            (void)psg_plan_pin(j->plan, j->fields->f);
        }
    }
}

/* As many, and as large, as the batch needs; those that are there already may do. */
static int need_solutions(const batch *b) {
    bench_solutions *s = b->solutions;
    size_t bytes = 0;
    unsigned flights = 0;
    for (size_t n = 0; n < b->count; n++) {
        const bool solves = b->jobs[n].kind == &bench_solves;
        const size_t needed = solves ? field_bytes(&b->jobs[n]) : 0;
        const unsigned in_flight = solves ? b->jobs[n].options.in_flight : 0;
        bytes = needed > bytes ? needed : bytes;
        flights = in_flight > flights ? in_flight : flights;
    }
    if (s->bytes == bytes && s->flights >= flights) {
        return 0;
    }
    free_solutions(s);
    s->u = calloc(flights, sizeof *s->u);
    s->bytes = bytes;
    for (; s->u != NULL && s->flights < flights; s->flights++) {
        s->u[s->flights] = app_simulation_allocate(bytes);
        if (s->u[s->flights] == NULL) {
            return -1;
        }
    }
    return s->u != NULL ? 0 : -1;
}

/* Of the fields that are being made. */
typedef struct making {
    const batch *batch;
    size_t number;
} making;

static void tell_fields(void *context) {
    const making *m = context;
    tell_text(m->batch->pipe, BENCH_RECORD_BEGIN, m->number, "making the right-hand side");
}

static void run_batch(batch *b, bench_field_store *fields, uint64_t *random) {
    size_t *order = calloc(b->count, sizeof *order);
    b->parts = calloc((size_t)app_ranks(), sizeof *b->parts);
    double missing = order == NULL || b->parts == NULL || need_solutions(b);
    app_ranks_max(&missing, 1);
    bool enough = missing == 0;
    for (size_t n = 0; n < b->count && enough; n++) {
        bench_job *j = &b->jobs[n];
        making m = {b, j->number};
        order[n] = n;
        if (j->kind == &bench_solves) {
            j->fields = bench_fields_get(fields, j->config, tell_fields, &m);
            enough = j->fields != NULL;
        }
    }
    for (size_t n = 0; n < b->count; n++) {
        if (enough) {
            make(b, &b->jobs[n]);
        } else {
            fail(b, &b->jobs[n], "out of memory for f, u and the known answer");
        }
    }
    if (enough) {
        pin_all(b);
        solve_rounds(b, order, random);
    }
    for (size_t n = 0; n < b->count; n++) {
        drop(&b->jobs[n]);
        app_workers_free(&b->jobs[n].workers);
    }
    free(b->parts);
    free(order);
}

/* In a random order, but for those of one grid and precision, which follow one another: they share
 * f. */
static void put_in_order(const bench_visit *visit, uint64_t *random) {
    size_t *which = visit->which;
    app_shuffle(which, visit->count, random);
    for (size_t first = 0; first < visit->count;) {
        const bench_config *leader = &visit->config[which[first++]];
        for (size_t n = first; n < visit->count; n++) {
            const size_t number = which[n];
            if (bench_fields_same(leader, &visit->config[number])) {
                memmove(&which[first + 1], &which[first], (n - first) * sizeof *which);
                which[first++] = number;
            }
        }
    }
}

/* As many as fit into the memory, at least one; and no more grids than there is room for their
 * fields. */
static size_t batch_end(const bench_visit *visit, size_t first) {
    double bytes = 0;
    size_t end = first;
    for (; end < visit->count && end - first < BENCH_FIELDS_MOST / 2; end++) {
        const bench_config *c = &visit->config[visit->which[end]];
        const bool shares =
            end > first && bench_fields_same(c, &visit->config[visit->which[end - 1]]);
        bytes += bench_config_bytes(c) + (shares ? 0 : bench_fields_bytes(c));
        if (end > first && bytes > visit->memory) {
            break;
        }
    }
    return end;
}

static int measure(const bench_visit *visit, int pipe) {
    uint64_t random = visit->seed;
    bench_times times = {.count = 0};
    bench_field_store fields = {.count = 0};
    bench_solutions found = {.u = NULL};
    bench_job *jobs = calloc(visit->count, sizeof *jobs);
    const int code = app_ranks_agree(
        jobs != NULL ? APP_DONE
                     : app_error(APP_FAILED, "out of memory for %zu configurations", visit->count));
    put_in_order(visit, &random);
    for (size_t first = 0, end; first < visit->count && !code; first = end) {
        end = batch_end(visit, first);
        batch b = {.visit = visit,
                   .pipe = pipe,
                   .jobs = jobs + first,
                   .count = end - first,
                   .solutions = &found,
                   .times = visit->times && app_ranks() == 1 ? &times : NULL};
        for (size_t n = first; n < end; n++) {
            jobs[n] =
                (bench_job){.number = visit->which[n], .config = &visit->config[visit->which[n]]};
            jobs[n].kind =
                bench_config_is_workload(jobs[n].config) ? &bench_workloads : &bench_solves;
            bench_config_options(jobs[n].config, &jobs[n].options);
        }
        bench_fields_drop(&fields, jobs[first].config);
        run_batch(&b, &fields, &random);
    }
    bench_fields_drop(&fields, NULL);
    free_solutions(&found);
    for (size_t m = 0; m < times.count; m++) {
        const bench_record record = {.kind = BENCH_RECORD_TIME,
                                     .is.time = bench_times_sum_up(&times, m)};
        tell(pipe, &record);
    }
    if (visit->times) {
        const bench_record record = {.kind = BENCH_RECORD_COSTS,
                                     .is.costs = {times.submission, times.gap}};
        tell(pipe, &record);
    }
    bench_times_free(&times);
    free(jobs);
    return code;
}

static void measure_machine(int pipe) {
    enum { WORKERS_MOST = 256 };
    bench_record record = {.kind = BENCH_RECORD_MACHINE};
    psg_options options;
    size_t count = 0;
    psg_worker workers[WORKERS_MOST];
    psg_options_init(&options);
    options.gpus = 0;
    if (psg_machine_workers(&options, NULL, 0, &count, NULL, 0) == PSG_OK) {
        record.is.facts.cpus = (unsigned)count;
    }
    options.gpus = -1;
    if (psg_machine_workers(&options, workers, WORKERS_MOST, &count, NULL, 0) == PSG_OK) {
        for (size_t w = 0; w < count && w < WORKERS_MOST; w++) {
            record.is.facts.gpus += workers[w].kind == PSG_WORKER_CUDA;
            record.is.facts.gpu_memory += workers[w].memory;
        }
    }
    tell(pipe, &record);
}

int bench_visit_serve(int argc, char **argv) {
    bench_visit visit;
    (void)argc;
    (void)argv;
    /* what anybody else prints goes where the messages go */
    const int records = app_rank() == 0 ? dup(STDOUT_FILENO) : -1;
    int code =
        app_ranks_agree(app_rank() > 0 || (records >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
                            ? APP_DONE
                            : app_error(APP_FAILED, "psg visit: no stdout: %s", strerror(errno)));
    memset(&visit, 0, sizeof visit);
    code = code ? code : bench_visit_get(stdin, &visit);
    if (!code && visit.count > 0) {
        code = measure(&visit, records);
    } else if (!code) {
        measure_machine(records);
    }
    bench_visit_free(&visit);
    if (records >= 0) {
        close(records);
    }
    return code;
}
