/* Jobs of psg bench that run a workload. */
#include "bench/job.h"

#include <math.h>
#include <stdlib.h>

static const char *make(bench_job *j, const psg_options *options) {
    const bench_workload *w = &j->config->workload;
    workload_options how = {.tile = 0};
    how.tile = w->tile;
    how.order = (workload_order)w->order;
    how.barrier = w->barrier;
    how.priority = (workload_priority)w->priority;
    how.place = (workload_place)w->place;
    if (workload_create(&j->workload, w->name, &how, options) != PSG_OK) {
        return psg_last_error();
    }
    j->work = workload_work(j->workload);
    return NULL;
}

static void tell(const bench_job *j, bench_facts *facts) {
    psg_run_statistics s;
    (void)psg_work_statistics(j->work, &s);
    facts->exchange = -1;
    facts->plan_seconds = s.make_seconds;
    facts->workers = s.workers < BENCH_BUSY_MOST ? (unsigned)s.workers : BENCH_BUSY_MOST;
}

static psg_status run(const bench_job *j, const bench_solutions *solutions, double *seconds) {
    psg_run_statistics s = {.seconds = NAN};
    (void)solutions;
    const psg_status status = workload_run(j->workload);
    (void)psg_work_statistics(j->work, &s);
    *seconds = s.seconds;
    return status;
}

/* There are no stages of a solve, and no planes. */
static void read(const bench_job *j, double seconds, bench_sample *sample) {
    size_t count = 0;
    double *busy = calloc(j->workers.count + 1, sizeof *busy);
    (void)psg_work_events(j->work, NULL, 0, &count);
    psg_event *events = calloc(count + 1, sizeof *events);
    (void)psg_work_events(j->work, events, events != NULL ? count : 0, &count);
    for (size_t e = 0; busy != NULL && events != NULL && e < count; e++) {
        if (events[e].worker >= 0 && (size_t)events[e].worker < j->workers.count) {
            busy[events[e].worker] += (events[e].end - events[e].start) / seconds;
        }
    }
    for (size_t w = 0; busy != NULL && w < j->workers.count; w++) {
        bench_sample_busy(sample, w, busy[w]);
    }
    for (int g = 0; g < BENCH_STAGES; g++) {
        sample->stage[g] = NAN;
    }
    sample->spectrum_bytes = sample->cpu_planes = sample->cpu_rows = NAN;
    free(events);
    free(busy);
}

/* Of the numbers that are wrong the one that is farthest off, with its tolerance; else the largest of both. */
static const char *check(const bench_job *j, const bench_solutions *solutions, double *error,
                         double *tolerance) {
    enum { ANSWERS_MOST = 64 };
    workload_answer answer[ANSWERS_MOST];
    size_t count = 0;
    bool wrong = false;
    (void)solutions;
    if (workload_answers(j->workload, answer, ANSWERS_MOST, &count) != PSG_OK) {
        return psg_last_error();
    }
    for (size_t m = 0; m < count && m < ANSWERS_MOST; m++) {
        const workload_answer *a = &answer[m];
        const double apart = fabs(a->value - a->expected);
        const double off = apart / (a->expected != 0 ? fabs(a->expected) : 1); /* a NaN stays one */
        const bool bad = !(off <= a->tolerance);
        if (bad && (!wrong || !(off <= *error))) {
            *error = off;
            *tolerance = a->tolerance;
        } else if (!bad && !wrong) {
            *error = fmax(*error, off);
            *tolerance = fmax(*tolerance, a->tolerance);
        }
        wrong |= bad;
    }
    return NULL;
}

const bench_job_kind bench_workloads = {
    .make = make, .tell = tell, .run = run, .read = read, .check = check};
