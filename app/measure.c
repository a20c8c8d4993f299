/* psg measure: configurations in, what each takes out. The configurations of a batch take turns:
 * every round runs each of them once, in a random order, so that a machine that gets slower or
 * faster meanwhile does so for all of them alike. Several processes have the same lines and so the
 * same order, and the library tells all of them the same status: each does every step, and rank 0
 * tells what came of it. */
#include "app/app.h"
#include "app/arguments.h"
#include "app/commands.h"
#include "app/energy.h"
#include "app/measure_sample.h"
#include "app/processes.h"
#include "app/simulating.h"
#include "base/tuning.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------------------- the command line */

typedef struct measure_arguments {
    unsigned repeat;
    int warm_up, seed;
    double seconds;
    const char *machine;
    bool unmeasured, bounds, energy, events;
} measure_arguments;

#define FIELD(member) offsetof(measure_arguments, member)

static const app_option_row rows[] = {
    {"Measurement", "repeat", "N", app_value_unsigned, FIELD(repeat), NULL, "a whole number from 1",
     "rounds that count; default: 9", false},
    {NULL, "warm-up", "N", app_value_cpus, FIELD(warm_up), NULL, "a whole number from 0",
     "rounds before them; default: 2", false},
    {NULL, "seconds", "X", app_value_lambda, FIELD(seconds), NULL, "a finite number from 0",
     "leave out rounds that would end later than X seconds from now, all but one that counts; 0: "
     "no limit. default: 0",
     false},
    {NULL, "seed", "N", app_value_cpus, FIELD(seed), NULL, "a whole number from 0",
     "of the random order; default: 1", false},
    APP_FLAG_ROW(NULL, unmeasured, "do the rounds of --warm-up alone, as for StarPU's models"),
    APP_FLAG_ROW(NULL, bounds, "find how short each run could have been, too"),
    APP_FLAG_ROW(NULL, energy,
                 "run each for two more seconds at the end, and tell the energy of all GPUs"),
    APP_FLAG_ROW(NULL, events, "write every task of one process, too"),
    {"Machine", "machine", "MACHINE|FILE", app_value_text, FIELD(machine), NULL,
     "a name, or a file", "of a psg that simulates: a recorded machine", false},
    {.name = NULL}};

static const app_command_text text = {
    .name = "measure",
    .rows = rows,
    .intro =
        "Usage: psg measure [OPTION]... < CONFIGURATIONS\n"
        "\n"
        "Measure configurations, for a script: lines of JSON on stdin, and on stdout. `psg bench`\n"
        "calls it. A line is an object, whose members are options of psg solve by their names,\n"
        "grid and data; or workload, and options of psg run. The configurations take turns; after\n"
        "an empty line others do. All share StarPU, so they have the same workers and policy.\n"
        "Started by mpirun, all processes measure together.\n",
    .end =
        "Each line on stdout has the number of its configuration, from 0, as config, and what is\n"
        "begun with it, as doing; or why it failed, as failed; or at the end what was made of it,\n"
        "as facts, every round, as samples, and error and tolerance of the answer.\n"
        "\n"
        "Examples:\n"
        "  echo '{\"grid\": \"64\", \"cpus\": \"2\", \"graph\": \"staged\"}' | psg measure\n"
        "         nine solves\n"
        "\n"
        "Exit status:\n"
        "  0      measured; lines may say that their configuration failed\n"
        "  1      failed\n"
        "  2      the command line or a line on stdin has to be changed, and nothing was "
        "measured\n"};

/* ------------------------------------------------------------------------------------- telling */

typedef struct batch {
    const measure_arguments *arguments;
    double until; /* on app_now()'s clock; 0: no limit */
    FILE *lines;  /* of rank 0 */
    app_measure_job *jobs;
    size_t count;
    app_measure_answers *answers;
    app_measure_sample *parts; /* of all processes, on rank 0 */
} batch;

/* The line is released. */
static void tell(const batch *b, json_t *line) {
    if (app_rank() == 0 && (line == NULL || json_dumpf(line, b->lines, 0) ||
                            fputc('\n', b->lines) == EOF || fflush(b->lines))) {
        _exit(APP_FAILED); /* nobody listens any more; a launcher ends the other processes */
    }
    json_decref(line);
}

static void tell_text(const batch *b, const app_measure_job *j, const char *key,
                      const char *words) {
    json_t *line = json_object();
    app_json_put_size(line, "config", j->number);
    app_json_put_text(line, key, words);
    tell(b, line);
}

static void fail(const batch *b, app_measure_job *j, const char *why) {
    tell_text(b, j, "failed", why);
    app_measure_job_drop(j);
}

/* Joules of a solve or of a run, on average over some seconds of them one after the other, with
 * what is between two runs; null where they are not known. GPUs do not count often enough for one
 * solve. Collective. */
static void put_joules(const batch *b, const app_measure_job *j, json_t *line) {
    const double before = app_energy_now(), start = psg_clock();
    psg_status status = PSG_OK;
    size_t runs = 0;
    for (bool more = true; more; runs++) {
        double seconds;
        status = app_measure_job_run(j, b->answers, &seconds);
        more = status == PSG_OK && psg_clock() - start < TUNING_ENERGY_SECONDS;
        app_ranks_share(&more, sizeof more);
    }
    const size_t solves = runs * (j->solves ? j->solver.options.in_flight : 1);
    const double joules = status == PSG_OK ? app_energy_now() - before : NAN;
    app_json_put_real(line, "joules", joules / (double)solves);
    app_json_put_size(line, "joules_solves", solves);
}

/* The line of a job that has done its last round: u is still its own. */
static void tell_result(const batch *b, app_measure_job *j) {
    json_t *line = json_object();
    double error = NAN, tolerance = NAN;
    const bool checked = !b->arguments->unmeasured && app_simulation_machine() == NULL;
    const char *why = checked ? app_measure_job_check(j, b->answers, &error, &tolerance) : NULL;
    app_json_put_size(line, "config", j->number);
    app_json_put(line, "facts", app_measure_job_facts(j));
    app_json_put(line, "samples", json_incref(j->samples));
    if (checked && b->arguments->energy) {
        put_joules(b, j, line);
    }
    if (b->arguments->events && app_ranks() == 1) {
        app_json_put(line, "events", json_incref(j->events));
    }
    if (checked) {
        app_json_put_real(line, "error", error);
        app_json_put_real(line, "tolerance", tolerance);
    }
    if (why != NULL) {
        json_decref(line);
        fail(b, j, why);
    } else {
        tell(b, line);
    }
}

/* -------------------------------------------------------------------------------------- rounds */

/* Every task of a round, and what it took to submit them. */
static void keep_events(app_measure_job *j, const psg_event *events, size_t count) {
    psg_run_statistics s;
    (void)psg_work_statistics(j->work, &s);
    json_array_append_new(j->events, json_pack("{s:o, s:I, s:I, s:f}", "tasks",
                                               app_measure_events_json(j, events, count),
                                               "submit_tasks", (json_int_t)s.submit.tasks,
                                               "submit_pieces", (json_int_t)s.submit.pieces,
                                               "submit_seconds", s.submit.seconds));
}

/* @return PSG_OK; else no sample was taken */
static psg_status take_sample(batch *b, app_measure_job *j, const psg_run_statistics *before,
                              double seconds) {
    app_measure_sample mine, whole;
    psg_status status = PSG_OK;
    size_t count = 0;
    app_ranks_max(&seconds, 1);
    (void)psg_work_events(j->work, NULL, 0, &count);
    psg_event *events = calloc(count + 1, sizeof *events);
    (void)psg_work_events(j->work, events, events != NULL ? count : 0, &count);
    count = events != NULL ? count : 0;
    app_measure_sample_read(j, before, seconds, events, count, &mine);
    app_ranks_gather(&mine, sizeof mine, b->parts);
    memset(&whole, 0, sizeof whole);
    whole.seconds = seconds;
    if (app_rank() == 0) {
        app_measure_sample_join(b->parts, app_ranks(), &whole);
    }
    if (b->arguments->bounds) {
        status = app_measure_sample_bounds(j, &whole);
    }
    if (status == PSG_OK) {
        json_array_append_new(j->samples, app_measure_sample_json(&whole, b->arguments->bounds));
    }
    if (status == PSG_OK && b->arguments->events) {
        keep_events(j, events, count);
    }
    free(events);
    return status;
}

static void one_round(batch *b, app_measure_job *j, bool counts, bool last) {
    psg_run_statistics before;
    double seconds = NAN;
    tell_text(b, j, "doing", "solving");
    (void)psg_work_statistics(j->work, &before);
    app_ranks_barrier();
    psg_status status = app_measure_job_run(j, b->answers, &seconds);
    if (status == PSG_OK && counts) {
        status = take_sample(b, j, &before, seconds);
    }
    if (status != PSG_OK) {
        fail(b, j, psg_last_error());
    } else if (last) {
        tell_result(b, j);
    }
}

/* Puts numbers into a random order. */
static void shuffle(size_t *numbers, size_t count, uint64_t *state) {
    for (size_t left = count; left > 1; left--) {
        const size_t other = (size_t)(app_random(state) % left), number = numbers[left - 1];
        numbers[left - 1] = numbers[other];
        numbers[other] = number;
    }
}

/* The first round never counts where there are rounds that do not; one that counts is always
 * made. */
static void all_rounds(batch *b, size_t *order, uint64_t *random) {
    const unsigned warm_up = (unsigned)b->arguments->warm_up;
    const unsigned rounds = b->arguments->unmeasured ? 0 : b->arguments->repeat;
    double took = 0;
    bool last = false;
    for (unsigned round = 0; round < warm_up + rounds && !last; round++) {
        const double start = app_now();
        last =
            round + 1 == warm_up + rounds || (b->until > 0 && round > 0 && start + took > b->until);
        shuffle(order, b->count, random);
        for (size_t n = 0; n < b->count; n++) {
            if (b->jobs[order[n]].work != NULL) {
                one_round(b, &b->jobs[order[n]], round >= warm_up || (last && rounds > 0), last);
            }
        }
        took = app_now() - start;
    }
}

/* ------------------------------------------------------------------------------------- batches */

static void free_answers(app_measure_answers *a) {
    for (unsigned m = 0; a->u != NULL && m < a->count; m++) {
        app_simulation_free(a->u[m], a->bytes);
    }
    free(a->u);
    *a = (app_measure_answers){.u = NULL};
}

/* Of this process' f or u; 0 of a workload. */
static size_t field_bytes(const app_measure_job *j) {
    return j->solves ? app_plane_points(&j->grid, app_own_planes(&j->grid)) *
                           app_element_bytes(j->solver.options.precision)
                     : 0;
}

/* As many, and as large, as the batch needs; those that are there already may do. */
static bool need_answers(const batch *b) {
    app_measure_answers *a = b->answers;
    size_t bytes = 0;
    unsigned count = 0;
    for (size_t n = 0; n < b->count; n++) {
        const size_t needed = field_bytes(&b->jobs[n]);
        const unsigned in_flight = b->jobs[n].solves ? b->jobs[n].solver.options.in_flight : 0;
        bytes = needed > bytes ? needed : bytes;
        count = in_flight > count ? in_flight : count;
    }
    if (a->bytes == bytes && a->count >= count) {
        return true;
    }
    free_answers(a);
    a->u = calloc(count, sizeof *a->u);
    a->bytes = bytes;
    for (; a->u != NULL && a->count < count; a->count++) {
        a->u[a->count] = app_simulation_allocate(bytes);
        if (a->u[a->count] == NULL) {
            return false;
        }
    }
    return a->u != NULL;
}

/* Is answer m copied from GPUs, in solves or to be checked? */
static bool uses(const app_measure_job *j, unsigned m) {
    return j->plan != NULL && (j->resident ? m == 0 : m < j->solver.options.in_flight);
}

/* Page-lock what solves copy more than once; where it cannot be, the copies take longer and say so.
 * Plans share u, and CUDA copies no array that is page-locked in part: so who needs most of it does
 * it, once and for all. */
static void pin_all(const batch *b) {
    for (unsigned m = 0; m < b->answers->count; m++) {
        const app_measure_job *largest = NULL;
        bool wanted = false;
        for (size_t n = 0; n < b->count; n++) {
            const app_measure_job *j = &b->jobs[n];
            if (uses(j, m)) {
                largest = largest == NULL || field_bytes(j) > field_bytes(largest) ? j : largest;
                wanted |= !j->resident;
            }
        }
        if (wanted) {
            (void)psg_plan_pin(largest->plan, b->answers->u[m]);
        }
    }
    for (size_t n = 0; n < b->count; n++) {
        const app_measure_job *j = &b->jobs[n];
        if (j->plan != NULL && !j->resident) {
            (void)psg_plan_pin(j->plan, j->fields->f);
        }
    }
}

typedef struct making {
    const batch *b;
    const app_measure_job *job;
} making;

static void tell_fields(void *context) {
    const making *m = context;
    tell_text(m->b, m->job, "doing", "making the right-hand side");
}

/* @return is there memory for all fields? The same in all processes */
static bool make_fields(const batch *b, app_measure_store *store) {
    double missing = !need_answers(b);
    app_ranks_max(&missing, 1);
    bool enough = missing == 0;
    for (size_t n = 0; n < b->count && enough; n++) {
        app_measure_job *j = &b->jobs[n];
        making m = {b, j};
        if (j->solves) {
            j->fields =
                app_measure_fields_get(store, &j->grid, &j->solver.options, tell_fields, &m);
            enough = j->fields != NULL;
        }
    }
    return enough;
}

static void make(const batch *b, app_measure_job *j) {
    j->samples = json_array();
    j->events = json_array();
    j->solver.options.record = b->arguments->bounds;
    tell_text(b, j, "doing", "planning");
    const char *why = app_measure_job_make(j);
    if (why != NULL) {
        fail(b, j, why);
    }
}

static void run_batch(batch *b, size_t *order, app_measure_store *store, uint64_t *random) {
    const bool enough = make_fields(b, store);
    for (size_t n = 0; n < b->count; n++) {
        order[n] = n;
        if (enough) {
            make(b, &b->jobs[n]);
        } else {
            fail(b, &b->jobs[n], "out of memory for f, u and the known answer");
        }
    }
    if (enough) {
        pin_all(b);
        all_rounds(b, order, random);
    }
    for (size_t n = 0; n < b->count; n++) {
        app_measure_job_drop(&b->jobs[n]);
    }
}

static int run_all(const measure_arguments *a, FILE *lines, app_measure_job *jobs, size_t count) {
    uint64_t random = (uint64_t)a->seed;
    app_measure_store store = {.count = 0};
    app_measure_answers answers = {.u = NULL};
    size_t *order = app_allocate(count, sizeof *order, "the order");
    app_measure_sample *parts =
        app_allocate((size_t)app_ranks(), sizeof *parts, "the numbers of all processes");
    const int code = app_ranks_agree(order != NULL && parts != NULL ? APP_DONE : APP_FAILED);
    batch b = {.arguments = a,
               .until = a->seconds > 0 ? app_now() + a->seconds : 0,
               .lines = lines,
               .answers = &answers,
               .parts = parts};
    for (size_t first = 0, end = 0; first < count && !code; first = end) {
        while (end < count && jobs[end].batch == jobs[first].batch) {
            end++;
        }
        b.jobs = jobs + first;
        b.count = end - first;
        app_measure_fields_drop(&store, &jobs[first].grid, &jobs[first].solver.options);
        run_batch(&b, order, &store, &random);
    }
    app_measure_fields_drop(&store, NULL, NULL);
    free_answers(&answers);
    free(parts);
    free(order);
    return code;
}

/* ------------------------------------------------------------------------------- configurations */

/* All of stdin, of rank 0, with its end. @return NULL after a message */
static char *read_stdin(size_t *length) {
    char *all = NULL;
    size_t room = 0;
    const ssize_t had = getdelim(&all, &room, '\0', stdin);
    *length = had > 0 ? (size_t)had : 0;
    if (had <= 0) { /* there was nothing */
        free(all);
        all = app_allocate(1, 1, "the configurations");
    }
    if (all != NULL) {
        all[*length] = '\0';
    }
    return all;
}

/* The same text in all processes. @return NULL after a message */
static char *share_stdin(void) {
    size_t length = 0;
    char *all = app_rank() == 0 ? read_stdin(&length) : NULL;
    app_ranks_share(&length, sizeof length);
    if (app_rank() > 0) {
        all = app_allocate(length + 1, 1, "the configurations");
    }
    if (app_ranks_agree(all != NULL ? APP_DONE : APP_FAILED)) {
        free(all);
        return NULL;
    }
    app_ranks_share(all, length + 1);
    return all;
}

/* One job for each line that is not empty. @param[out] jobs  freed by the caller, after failures
 * too */
static int read_jobs(char *all, app_measure_job **jobs, size_t *count) {
    size_t lines = 1, turn = 0;
    int code = APP_DONE;
    for (const char *c = all; *c != '\0'; c++) {
        lines += *c == '\n';
    }
    *count = 0;
    *jobs = calloc(lines, sizeof **jobs); /* which must not move: options point into them */
    if (*jobs == NULL) {
        return app_error(APP_FAILED, "out of memory for %zu configurations", lines);
    }
    for (char *line = all, *end = NULL; line != NULL && !code; line = end) {
        end = strchr(line, '\n');
        if (end != NULL) {
            *end++ = '\0';
        }
        const bool empty = line[strspn(line, " \t\r")] == '\0';
        turn += empty;
        if (!empty) {
            app_measure_job *j = &(*jobs)[(*count)++];
            *j = (app_measure_job){.number = *count - 1, .batch = turn};
            code = app_measure_job_read(j, line);
        }
    }
    return code || *count > 0
               ? code
               : app_error(APP_USAGE, "no configurations on stdin: see psg measure --help");
}

static int measure(const measure_arguments *a, FILE *lines) {
    app_measure_job *jobs = NULL;
    size_t count = 0;
    char *all = share_stdin();
    if (all == NULL) {
        return APP_FAILED;
    }
    int code = app_ranks_agree(read_jobs(all, &jobs, &count));
    code = code ? code : run_all(a, lines, jobs, count);
    for (size_t n = 0; jobs != NULL && n < count; n++) {
        app_measure_job_free(&jobs[n]);
    }
    free(jobs);
    free(all);
    return code;
}

int app_measure(int argc, char **argv) {
    measure_arguments a = {.repeat = 9, .warm_up = 2, .seed = 1};
    int code = app_ranks_agree(app_arguments_parse(&text, argc, argv, &a));
    code = code ? code : app_ranks_agree(app_simulation_choose(a.machine, NULL));
    if (code) {
        return code == APP_HELPED ? APP_DONE : code;
    }
    /* what anybody else prints goes where the messages go */
    fflush(stdout);
    const int own = app_rank() == 0 ? dup(STDOUT_FILENO) : -1;
    FILE *lines = own >= 0 ? fdopen(own, "w") : NULL;
    const bool ready = app_rank() > 0 || (lines != NULL && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0);
    code =
        app_ranks_agree(ready ? APP_DONE : app_error(APP_FAILED, "no stdout: %s", strerror(errno)));
    code = code ? code : measure(&a, lines);
    if (lines != NULL) {
        (void)fclose(lines);
    }
    return code;
}
