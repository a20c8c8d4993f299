/* The measuring process. Plans of one group are interleaved: every round solves each of them once, in a
   random order, so that a machine that gets slower or faster meanwhile does so for all of them alike. */
#include "app/measure.h"
#include "app/app.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* splitmix64 by S. Vigna: any seed is a good one */
uint64_t app_random(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void app_shuffle(size_t *items, size_t count, uint64_t *state) {
    for (size_t left = count; left > 1; left--) {
        const size_t other = (size_t)(app_random(state) % left), item = items[left - 1];
        items[left - 1] = items[other];
        items[other] = item;
    }
}

enum { WORKERS_MOST = 1024 };

/* A configuration in work. */
typedef struct job {
    size_t number;
    const app_config *config;
    const app_fields *fields;
    psg_plan *plan; /* NULL: it failed */
} job;

typedef struct batch {
    const app_visit *visit;
    int pipe;
    job *jobs;
    size_t count;
    void **u; /* of the solves in flight; the plans take turns with them */
    unsigned flights;
} batch;

static void tell(int pipe, app_record *record) {
    ssize_t written;
    do {
        written = write(pipe, record, sizeof *record);
    } while (written < 0 && errno == EINTR);
    if (written != (ssize_t)sizeof *record) {
        _exit(APP_FAILED); /* nobody listens any more */
    }
}

static void tell_text(int pipe, app_record_kind kind, size_t number, const char *text) {
    app_record record = {.kind = kind, .config = number};
    snprintf(record.is.text, sizeof record.is.text, "%s", text);
    tell(pipe, &record);
}

static void fail(batch *b, job *j, const char *why) {
    tell_text(b->pipe, APP_RECORD_FAILED, j->number, why);
    psg_plan_destroy(j->plan);
    j->plan = NULL;
}

/* -------------------------------------------------------------------------------------- plans */

static void tell_facts(const batch *b, const job *j, const psg_options *options) {
    app_record record = {.kind = APP_RECORD_FACTS, .config = j->number};
    app_facts *facts = &record.is.facts;
    psg_statistics s;
    psg_worker *workers = calloc(WORKERS_MOST, sizeof *workers);
    size_t count = 0;
    if (workers && psg_plan_statistics(j->plan, &s) == PSG_OK &&
        psg_machine_workers(options, workers, WORKERS_MOST, &count, facts->policy,
                            sizeof facts->policy) == PSG_OK) {
        for (size_t w = 0; w < count && w < WORKERS_MOST; w++) {
            const int gpu = workers[w].kind == PSG_WORKER_CUDA;
            facts->cpus += !gpu;
            facts->gpus += gpu;
            if (gpu && !facts->gpu_model[0]) {
                snprintf(facts->gpu_model, sizeof facts->gpu_model, "%s", workers[w].name);
            }
        }
        facts->segments = s.segments;
        facts->segment_planes = s.segment_planes;
        facts->pencils = s.pencils;
        facts->exchange = s.exchange;
        facts->plan_seconds = s.plan_seconds;
        facts->workers = s.workers < APP_BUSY_MOST ? (unsigned)s.workers : APP_BUSY_MOST;
        tell(b->pipe, &record);
    }
    free(workers);
}

static void make_plan(batch *b, job *j) {
    psg_options options;
    psg_grid grid;
    app_config_options(j->config, &options);
    app_config_grid(j->config, &grid);
    options.calibrate = b->visit->calibrate;
    tell_text(b->pipe, APP_RECORD_BEGIN, j->number, "planning");
    if (psg_plan_create(&j->plan, &grid, &options) != PSG_OK) {
        fail(b, j, psg_last_error());
        return;
    }
    /* a page-locked array serves all plans; where it cannot be, the copies take longer and say so */
    (void)psg_plan_pin(j->plan, j->fields->f);
    for (unsigned flight = 0; flight < j->config->in_flight; flight++) {
        (void)psg_plan_pin(j->plan, b->u[flight]);
    }
    tell_facts(b, j, &options);
}

/* ------------------------------------------------------------------------------------- solves */

static psg_status solve(const batch *b, const job *j) {
    psg_status status = PSG_OK;
    unsigned submitted = 0;
    if (j->config->in_flight == 1) {
        return psg_solve(j->plan, j->fields->f, b->u[0]);
    }
    while (status == PSG_OK && submitted < j->config->in_flight) {
        status = psg_submit(j->plan, j->fields->f, b->u[submitted]);
        submitted += status == PSG_OK;
    }
    for (; submitted > 0; submitted--) {
        const psg_status ended = psg_wait(j->plan);
        status = status == PSG_OK ? ended : status;
    }
    return status;
}

static psg_status read_sample(const job *j, const psg_statistics *before, app_sample *sample) {
    psg_statistics s;
    double stage[PSG_STAGE_COUNT], sum = 0;
    psg_status status = psg_plan_statistics(j->plan, &s);
    for (size_t w = 0; status == PSG_OK && w < s.workers; w++) {
        double busy = 0;
        status = psg_plan_worker_seconds(j->plan, w, stage);
        for (int g = 0; status == PSG_OK && g < PSG_STAGE_COUNT; g++) {
            busy += stage[g] / sample->seconds;
        }
        sum += busy;
        sample->busiest = fmax(sample->busiest, busy);
        if (w < APP_BUSY_MOST) {
            sample->busy_worker[w] = (float)busy;
        }
    }
    if (status != PSG_OK) {
        return status;
    }
    for (int g = 0; g < PSG_STAGE_COUNT; g++) {
        sample->stage[g] = s.stage[g].seconds;
    }
    const double flights = j->config->in_flight;
    sample->busy = s.workers ? sum / (double)s.workers : 0;
    sample->h2d_bytes = (double)(s.h2d_bytes - before->h2d_bytes) / flights;
    sample->d2h_bytes = (double)(s.d2h_bytes - before->d2h_bytes) / flights;
    sample->d2d_bytes = (double)(s.d2d_bytes - before->d2d_bytes) / flights;
    sample->sent_bytes = (double)s.sent_bytes;
    sample->spectrum_bytes = (double)s.spectrum_bytes;
    return PSG_OK;
}

static void check_answer(const batch *b, const job *j) {
    app_record record = {.kind = APP_RECORD_CHECKED, .config = j->number};
    record.is.checked.tolerance = app_fields_tolerance(j->fields);
    for (unsigned flight = 0; flight < j->config->in_flight; flight++) {
        const double error = app_fields_error(j->fields, b->u[flight]);
        if (!(error <= record.is.checked.error)) {
            record.is.checked.error = error;
        }
    }
    tell(b->pipe, &record);
}

static void one_round(batch *b, job *j, int counts, int last) {
    app_record record = {.kind = counts ? APP_RECORD_SAMPLE : APP_RECORD_SOLVED,
                         .config = j->number};
    psg_statistics before;
    tell_text(b->pipe, APP_RECORD_BEGIN, j->number, "solving");
    psg_status status = psg_plan_statistics(j->plan, &before);
    const double start = app_now();
    if (status == PSG_OK) {
        status = solve(b, j);
    }
    if (counts && status == PSG_OK) {
        record.is.sample.seconds = (app_now() - start) / j->config->in_flight;
        status = read_sample(j, &before, &record.is.sample);
    }
    if (status != PSG_OK) {
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
    int last = 0;
    for (unsigned round = 0; round < warm_up + rounds && !last; round++) {
        const double start = app_now();
        last = round + 1 == warm_up + rounds ||
               (b->visit->until > 0 && round > 0 && start + took > b->visit->until);
        app_shuffle(order, b->count, random);
        for (size_t n = 0; n < b->count; n++) {
            job *j = &b->jobs[order[n]];
            if (j->plan) {
                one_round(b, j, round >= warm_up || (last && rounds > 0), last && rounds > 0);
            }
        }
        took = app_now() - start;
    }
}

/* ------------------------------------------------------------------------------------ batches */

static int allocate(batch *b) {
    size_t bytes = 0;
    for (size_t n = 0; n < b->count; n++) {
        const app_config *c = b->jobs[n].config;
        const size_t needed =
            c->grid.n[0] * c->grid.n[1] * c->grid.n[2] * app_element_bytes(c->precision);
        bytes = needed > bytes ? needed : bytes;
        b->flights = c->in_flight > b->flights ? c->in_flight : b->flights;
    }
    b->u = calloc(b->flights, sizeof *b->u);
    for (unsigned flight = 0; b->u && flight < b->flights; flight++) {
        b->u[flight] = malloc(bytes);
        if (!b->u[flight]) {
            return -1;
        }
    }
    return b->u ? 0 : -1;
}

static void run_batch(batch *b, uint64_t *random) {
    size_t *order = calloc(b->count, sizeof *order);
    const size_t had = b->visit->fields->count;
    int enough = order && allocate(b) == 0;
    for (size_t n = 0; n < b->count && enough; n++) {
        order[n] = n;
        b->jobs[n].fields = app_fields_get(b->visit->fields, b->jobs[n].config);
        enough = b->jobs[n].fields != NULL;
    }
    for (size_t n = 0; n < b->count; n++) {
        if (enough) {
            make_plan(b, &b->jobs[n]);
        } else {
            fail(b, &b->jobs[n], "out of memory for f, u and the known answer");
        }
    }
    if (enough) {
        solve_rounds(b, order, random);
    }
    for (size_t n = 0; n < b->count; n++) {
        psg_plan_destroy(b->jobs[n].plan);
    }
    for (unsigned flight = 0; b->u && flight < b->flights; flight++) {
        free(b->u[flight]);
    }
    free(b->u);
    free(order);
    app_fields_drop(b->visit->fields, had);
}

/* As many as fit into the memory, at least one; and no more grids than there is room for their fields. */
static size_t batch_end(const app_visit *visit, size_t first) {
    double bytes = 0;
    size_t end = first;
    for (; end < visit->count && end - first < APP_FIELDS_MOST / 2; end++) {
        const app_config *c = &visit->config[visit->which[end]];
        bytes +=
            app_config_bytes(c) + app_fields_bytes(c); /* at most: plans may share fields and u */
        if (end > first && bytes > visit->memory) {
            break;
        }
    }
    return end;
}

void app_measure(const app_visit *visit, int pipe) {
    uint64_t random = visit->seed;
    job *jobs = calloc(visit->count, sizeof *jobs);
    app_shuffle(visit->which, visit->count, &random);
    for (size_t first = 0, end; first < visit->count; first = end) {
        end = batch_end(visit, first);
        batch b = {.visit = visit, .pipe = pipe, .jobs = jobs + first, .count = end - first};
        for (size_t n = first; jobs && n < end; n++) {
            jobs[n] = (job){.number = visit->which[n], .config = &visit->config[visit->which[n]]};
        }
        if (jobs) {
            run_batch(&b, &random);
        }
    }
    free(jobs);
}

void app_measure_machine(int pipe) {
    app_record record = {.kind = APP_RECORD_MACHINE};
    psg_options options;
    size_t count = 0;
    psg_worker worker;
    psg_options_init(&options);
    options.gpus = 0;
    if (psg_machine_workers(&options, NULL, 0, &count, NULL, 0) == PSG_OK) {
        record.is.facts.cpus = (unsigned)count;
    }
    options.gpus = -1;
    if (psg_machine_workers(&options, &worker, 1, &count, NULL, 0) == PSG_OK && count > 0 &&
        worker.kind == PSG_WORKER_CUDA) {
        record.is.facts.gpus = (unsigned)count;
    }
    tell(pipe, &record);
}
