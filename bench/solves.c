/* Jobs of psg bench that solve a grid. */
#include "app/app.h"
#include "app/processes.h"
#include "bench/job.h"
#include "graph/psg_starpu.h"

#include <math.h>
#include <stdio.h>

/* Of a call that is each process' own. */
static bool failed_anywhere(psg_status status) {
    double failed = status != PSG_OK;
    app_ranks_max(&failed, 1);
    return failed > 0;
}

static const char *make(bench_job *j, const psg_options *options) {
    static char words[96];
    psg_grid grid;
    bench_config_grid(j->config, &grid);
    if (options->comm == NULL && options->nodes <= 1 &&
        (options->exchange == PSG_EXCHANGE_MPI || options->exchange == PSG_EXCHANGE_ALLTOALL)) {
        /* the library's words are for programmers */
        snprintf(words, sizeof words, "exchange %s is between processes: give --ranks 2, or more",
                 app_exchange_name(options->exchange));
        return words;
    }
    if (psg_plan_create(&j->plan, &grid, options) != PSG_OK) {
        return psg_last_error();
    }
    j->work = psg_plan_work(j->plan);
    return j->config->resident && failed_anywhere(psg_slabs_put(j->plan, j->fields->f))
               ? "f cannot be put into the slabs"
               : NULL;
}

static void tell(const bench_job *j, bench_facts *facts) {
    psg_statistics s;
    (void)psg_plan_statistics(j->plan, &s);
    double workers = (double)s.workers, most[] = {s.plan_seconds, (double)s.segment_planes};
    app_ranks_sum(&workers, 1);
    app_ranks_max(most, 2);
    facts->segments = s.segments;
    facts->segment_planes = (size_t)most[1];
    facts->sheets = s.sheets;
    facts->exchange = s.exchange;
    facts->plan_seconds = most[0];
    facts->workers = workers < BENCH_BUSY_MOST ? (unsigned)workers : BENCH_BUSY_MOST;
}

static psg_status run(const bench_job *j, const bench_solutions *solutions, double *seconds) {
    const double start = psg_clock();
    psg_status status = PSG_OK;
    unsigned submitted = 0;
    while (status == PSG_OK && submitted < j->options.in_flight) {
        status = j->config->resident ? psg_submit_slabs(j->plan)
                                     : psg_submit(j->plan, j->fields->f, solutions->u[submitted]);
        submitted += status == PSG_OK;
    }
    for (; submitted > 0; submitted--) {
        const psg_status ended = psg_wait(j->plan);
        status = status == PSG_OK ? ended : status;
    }
    *seconds = (psg_clock() - start) / j->options.in_flight;
    return status;
}

static void read(const bench_job *j, double seconds, bench_sample *sample) {
    psg_statistics s;
    double stage[PSG_STAGE_COUNT];
    (void)psg_plan_statistics(j->plan, &s); /* these fail for what does not exist only */
    for (size_t w = 0; w < s.workers; w++) {
        double busy = 0;
        (void)psg_plan_worker_seconds(j->plan, w, stage);
        for (int g = 0; g < BENCH_STAGES; g++) {
            busy += stage[g] / seconds;
        }
        bench_sample_busy(sample, w, busy);
    }
    for (int g = 0; g < BENCH_STAGES; g++) {
        sample->stage[g] = s.stage[g].seconds;
    }
    sample->exchange_busy = sample->stage[PSG_STAGE_EXCHANGE] / seconds;
    sample->spectrum_bytes = (double)s.spectrum_bytes;
    sample->cpu_planes = (double)s.cpu_planes;
    sample->cpu_rows = (double)s.cpu_rows;
}

static const char *check(const bench_job *j, const bench_solutions *solutions, double *error,
                         double *tolerance) {
    const unsigned answers = j->config->resident ? 1 : j->options.in_flight;
    if (j->config->resident && failed_anywhere(psg_slabs_get(j->plan, solutions->u[0]))) {
        return "u cannot be had from the slabs";
    }
    for (unsigned a = 0; a < answers; a++) {
        app_modes_error found;
        bench_fields_compare(j->fields, solutions->u[a], &found);
        *tolerance = found.tolerance;
        if (!(found.error <= *error)) {
            *error = found.error;
        }
    }
    return NULL;
}

const bench_job_kind bench_solves = {
    .make = make, .tell = tell, .run = run, .read = read, .check = check};
