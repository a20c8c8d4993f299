/* psg solve: from a command line to a solution and a report. The steps are in the order in which
 * what can go wrong should be found: the command line, the input, the places of the output,
 * memory and devices, and only then the data. Where there are several processes, each step ends
 * by agreeing how it ended, so that none goes on to wait for one that has stopped. */
#include "app/commands.h"
#include "app/job_results.h"
#include "app/load.h"
#include "app/processes.h"
#include "app/simulating.h"
#include "app/unbounded.h"
#include "graph/psg_machine.h"
#include "graph/psg_observe.h"
#include "graph/psg_starpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int allocate(app_job *r, app_solver *s) {
    const size_t planes = app_plane_points(&r->report.grid, r->planes);
    const size_t points = planes > 0 ? planes : 1; /* where there are none: malloc() may refuse 0 */
    const size_t bytes = app_element_bytes(r->report.options.precision);
    char what[160];
    s->bytes = points * bytes;
    s->parts = app_job_batch(r);
    s->count_u = r->arguments.resident ? 1 : r->flights;
    s->resident = r->arguments.resident;
    s->tolerance = r->arguments.tolerance != 0              ? r->arguments.tolerance
                   : r->report.options.precision == PSG_F32 ? 1e-6
                                                            : 1e-10;
    s->iterations = r->arguments.iterations;
    snprintf(what, sizeof what, "f, u and the spectrum of %s points",
             app_points_words(&r->report.grid, " x ").text);
    if (app_simulation_machine() == NULL) {
        /* All at once, as a trial: systems that promise more memory than there is refuse a
         * single request that is out of reach, but not several that are so together. */
        void *trial =
            app_allocate(points * s->parts, bytes * (1 + s->count_u + (size_t)r->flights), what);
        if (trial == NULL) {
            return APP_FAILED;
        }
        free(trial);
    }
    r->report.runs.seconds = calloc(r->report.runs.repeat, sizeof *r->report.runs.seconds);
    r->report.steps = r->steps != NULL ? calloc(r->steps->count, sizeof *r->report.steps) : NULL;
    s->u = calloc(s->count_u, sizeof *s->u);
    s->f = app_simulation_allocate(s->bytes * s->parts);
    bool missing = r->report.runs.seconds == NULL || s->u == NULL || s->f == NULL ||
                   (r->steps != NULL && r->report.steps == NULL);
    for (unsigned m = 0; m < s->count_u && !missing; m++) {
        s->u[m] = app_simulation_allocate(s->bytes * s->parts);
        missing = s->u[m] == NULL;
    }
    if (missing) {
        return app_error(APP_FAILED, "out of memory for %s", what);
    }
    for (int d = 0; d < r->report.grid.axes && r->arguments.gradient != NULL; d++) {
        s->gradient[d] = app_allocate(1, s->bytes, "the gradient of u");
        if (s->gradient[d] == NULL) {
            return APP_FAILED;
        }
    }
    int code = APP_DONE;
    s->epsilon.faces = r->arguments.faces_epsilon != NULL;
    for (int m = 0; m < 4 && code == APP_DONE; m++) {
        const app_job_beside *from = m < 3 ? &r->epsilon[m] : &r->guess;
        void **to = m < 3 ? &s->epsilon.values[m] : &s->guess;
        if (from->input != NULL) {
            *to = app_allocate(1, s->bytes, m < 3 ? "epsilon" : "the guess");
            code = *to != NULL ? app_job_load_beside(r, from, *to) : APP_FAILED;
        }
    }
    return code;
}

/* The library's words say whether f, epsilon or a value on a side is meant. */
static void name_inputs(const app_job *r, char *text, size_t size) {
    const app_arguments *a = &r->arguments;
    (void)snprintf(text, size, "%s%s%s%s%s%s%s: ", r->report.source,
                   a->epsilon != NULL ? " with --" : "",
                   a->epsilon != NULL ? a->epsilon_option : "", a->epsilon != NULL ? " " : "",
                   a->epsilon != NULL ? r->report.epsilon : "",
                   a->values != NULL ? " with --values " : "", a->values != NULL ? a->values : "");
}

static int library_failed(const app_job *r, psg_status status) {
    char inputs[4 * PATH_MAX] = "";
    if (status == PSG_ERR_RUNTIME) {
        app_ranks_hurry(); /* all processes but a stopped one come here at the same time */
    }
    if (status == PSG_ERR_DATA || status == PSG_ERR_MEAN) {
        name_inputs(r, inputs, sizeof inputs);
    }
    return app_error(app_exit_code(status), "%s%s", inputs,
                     r->arguments.verbose ? psg_last_error_detail() : psg_last_error());
}

static int make_plan(app_job *r, app_solver *s) {
    app_progress_step(&r->progress, "planning");
    const psg_status status = psg_plan_create(&s->plan, &r->report.grid, &r->report.options);
    int code = app_ranks_agree(status == PSG_OK ? APP_DONE : library_failed(r, status));
    const bool staged = app_options_given(&r->arguments.solver, "z_layout");
    if (!code && staged && psg_plan_statistics(s->plan, &r->report.statistics) == PSG_OK &&
        r->report.statistics.graph != PSG_GRAPH_STAGED) {
        app_note(&r->notes, "--z has no effect without --graph staged");
    }
    if (!code && psg_plan_note(s->plan)[0] != '\0' &&
        psg_plan_statistics(s->plan, &r->report.statistics) == PSG_OK) {
        const bool direct = r->report.statistics.exchange == PSG_EXCHANGE_DIRECT;
        app_note(&r->notes, "blocks go %s: %s", direct ? "through main memory" : "in messages",
                 psg_plan_note(s->plan));
    }
    code = code ? code : app_job_give_kernel(r, s->plan);
    code = code ? code : app_workers_find(&r->report.options, &r->report.runs.workers);
    if (!code) {
        app_runs_note_cpus(r->arguments.solver.options.cpus, &r->notes);
    }
    /* what was loaded to run the plan may have brought signal handlers */
    app_signals_install(app_rank() > 0);
    return code;
}

/* @param[out] f  of the present step, of so many bytes */
static int load(app_job *r, void *f, size_t bytes) {
    static app_answer *(*const make[APP_PROBLEM_COUNT])(const psg_grid *, psg_symbol, double,
                                                        double) = {
        [APP_PROBLEM_MODES] = app_modes_make,
        [APP_PROBLEM_ISOLATED] = app_unbounded_make,
        [APP_PROBLEM_BEAM] = app_unbounded_make,
        [APP_PROBLEM_SLAB] = app_unbounded_make};
    const psg_options *options = &r->report.options;
    const psg_grid *grid = &r->report.grid;
    const double start = app_now();
    int code = APP_DONE;
    if (app_simulation_machine() != NULL) {
        return APP_DONE; /* it has no data */
    }
    app_progress_step(&r->progress, r->input != NULL ? "reading" : "making the right-hand side");
    if (r->input != NULL) {
        code = app_field_read(r->input, r->step, options->precision, r->planes, f);
        r->report.source = app_field_input_name(r->input);
    } else if (make[r->arguments.problem] != NULL) {
        r->answer =
            make[r->arguments.problem](grid, options->symbol, options->lambda, options->factor);
        if (r->answer == NULL) {
            return APP_FAILED;
        }
        if (options->kernel != PSG_KERNEL_AUTO) { /* its error is that of the grid */
            memset(r->answer->tolerance, 0, sizeof r->answer->tolerance);
        }
        app_answer_fill(r->answer, options->precision, r->planes, f, NULL);
    } else if (r->arguments.problem == APP_PROBLEM_LID) {
        memset(f, 0, bytes);
    } else {
        code = app_madelung_fill((app_lattice)r->arguments.lattice, grid, options->precision,
                                 r->planes, f);
    }
    r->report.read_seconds += app_now() - start;
    return code;
}

/* What cannot be kept is an error once the solves are done: the other processes go on.
 * @param[in] file  the option that it is for; NULL: nobody wants it */
static void take_record(app_job *r, const psg_plan *plan, const char *file) {
    if (file != NULL && !r->record_failed) {
        r->record_failed = app_record_take(&r->record, psg_plan_work(plan));
    }
}

/* With values on the sides, the gradient, and epsilon. */
static psg_status submit_terms(const app_solver *s, void *u) {
    const psg_array from = {.data = s->f, .device = PSG_HOST}, to = {.data = u, .device = PSG_HOST};
    psg_array side[6], component[3], epsilon[3];
    psg_solve_args args;
    psg_status status = psg_solve_args_init(&args, s->plan);
    for (int m = 0; m < 6; m++) {
        side[m] = (psg_array){.data = s->values.table[m / 2][m % 2], .device = PSG_HOST};
        args.side[m / 2][m % 2] = s->values.given[m / 2][m % 2] ? &side[m] : NULL;
    }
    for (int d = 0; d < 3; d++) {
        component[d] = (psg_array){.data = s->gradient[d], .device = PSG_HOST};
        args.gradient[d] = s->gradient[d] != NULL ? &component[d] : NULL;
        epsilon[d] = (psg_array){.data = s->epsilon.values[d], .device = PSG_HOST};
        args.epsilon_faces[d] = s->epsilon.faces && epsilon[d].data != NULL ? &epsilon[d] : NULL;
    }
    args.epsilon = s->epsilon.faces || epsilon[0].data == NULL ? NULL : &epsilon[0];
    args.tolerance = s->tolerance;
    args.iterations = s->iterations;
    args.guess = s->guess != NULL;
    if (s->guess != NULL) {
        memcpy(u, s->guess, s->bytes);
    }
    return status == PSG_OK ? psg_submit_arrays(s->plan, 1, &from, &to, &args) : status;
}

static psg_status submit(const app_solver *s, unsigned number) {
    if (s->resident) {
        return psg_submit_slabs(s->plan);
    }
    void *u = s->u[number % s->count_u];
    return app_side_values_any(&s->values) || s->gradient[0] != NULL || s->epsilon.values[0] != NULL
               ? submit_terms(s, u)
               : psg_submit(s->plan, s->f, u);
}

/* The residual falls by about the same factor in each iteration. */
static double look_at_solve(const void *context, char *text, size_t size) {
    const app_solver *s = context;
    double residual = 1;
    size_t count = 0;
    if (psg_plan_residuals(s->plan, 0, NULL, 0, &count) != PSG_OK || count == 0 ||
        psg_plan_residuals(s->plan, count - 1, &residual, 1, &count) != PSG_OK) {
        return 0;
    }
    (void)snprintf(text, size, ": iteration %zu, residual %.1e", count - 1, residual);
    return fmin(fmax(log(residual) / log(s->tolerance), 0), 1);
}

/* @param[in] steps  that are solved together next: the last one of them is told */
static void progress_solves(app_job *r, const app_solver *s, size_t steps) {
    app_progress_part(&r->progress, "solving", s->solved + steps - 1, r->report.runs.repeat,
                      s->epsilon.values[0] != NULL ? look_at_solve : NULL, s);
}

/* One after the other: the time of each is that of its calls. */
static psg_status solve_in_turn(app_job *r, app_solver *s) {
    for (unsigned n = 0; n < r->arguments.repeat; n++) {
        progress_solves(r, s, 1);
        const double start = psg_clock();
        psg_status status = submit(s, 0);
        status = status == PSG_OK ? psg_wait(s->plan) : status;
        if (status != PSG_OK) {
            return status;
        }
        r->report.runs.seconds[s->solved++] = psg_clock() - start;
        take_record(r, s->plan, r->arguments.trace);
    }
    return PSG_OK;
}

/* `flights` at a time, of one field: the time of each is that from its submission until its u is
 * there. */
static psg_status solve_overlapping(app_job *r, app_solver *s) {
    psg_status status = PSG_OK;
    unsigned submitted = 0;
    while (s->solved < r->report.runs.repeat && status == PSG_OK) {
        progress_solves(r, s, 1);
        while (submitted < r->report.runs.repeat && submitted < s->solved + r->flights &&
               status == PSG_OK) {
            status = submit(s, submitted);
            submitted += status == PSG_OK;
        }
        status = status == PSG_OK ? psg_wait(s->plan) : status;
        status = status == PSG_OK ? psg_plan_statistics(s->plan, &r->report.statistics) : status;
        if (status == PSG_OK) { /* else the next call of the library would clear its words */
            r->report.runs.seconds[s->solved++] = r->report.statistics.seconds;
            take_record(r, s->plan, r->arguments.trace);
        }
    }
    return status;
}

/* Step number n of those that begin with `first`. */
static void go_to(app_job *r, app_solver *s, size_t first, size_t n) {
    r->step = first + n;
    s->part = n;
}

/* A step is no good: which one? Each is solved alone, until the library has words for it. */
static psg_status find_bad(app_job *r, app_solver *s, size_t steps) {
    const size_t first = r->step;
    psg_status status = PSG_OK;
    for (size_t n = 0; n < steps && status == PSG_OK; n++) {
        go_to(r, s, first, n);
        (void)load(r, app_solver_part(s, s->f), s->bytes); /* the report has its name then */
        status = psg_solve(s->plan, app_solver_part(s, s->f), app_solver_part(s, s->u[0]));
    }
    go_to(r, s, first, 0);
    return status;
}

/* Steps that stand one after the other in f: each has its share of the time. */
static psg_status solve_together(app_job *r, app_solver *s, size_t steps) {
    progress_solves(r, s, steps);
    const double start = psg_clock();
    psg_status status = psg_solve_many(s->plan, steps, s->f, s->u[0]);
    const double seconds = psg_clock() - start;
    if (status == PSG_ERR_DATA || status == PSG_ERR_MEAN) {
        status = find_bad(r, s, steps);
    }
    for (size_t n = 0; n < steps && status == PSG_OK; n++) {
        r->report.runs.seconds[s->solved++] = seconds / (double)steps;
    }
    if (status == PSG_OK) {
        take_record(r, s->plan, r->arguments.trace);
    }
    return status;
}

/* Worth its time only for arrays that GPUs copy again and again; without it they copy them all
 * the same. */
static void pin(const app_solver *s) {
    (void)psg_plan_pin(s->plan, s->f);
    for (unsigned m = 0; m < s->count_u; m++) {
        (void)psg_plan_pin(s->plan, s->u[m]);
    }
}

/* How a step of the library ended, for all. */
static int agree(const app_job *r, psg_status status) {
    return app_ranks_agree(status == PSG_OK ? APP_DONE : library_failed(r, status));
}

/* @param[in] steps  from the present one on; 1 without any */
static int solve(app_job *r, app_solver *s, size_t steps) {
    const bool first = s->solved == 0, last = r->step + steps == app_field_count(r->steps);
    int code = APP_DONE;
    if (s->resident) { /* f goes to where it is computed, and u comes from there */
        app_progress_step(&r->progress, "putting the right-hand side");
        code = agree(r, psg_slabs_put(s->plan, s->f));
    } else if (first && r->report.runs.repeat > 1 && r->planes.count > 0 && s->parts == 1) {
        pin(s);
    }
    if (code) {
        return code;
    }
    const app_load before = app_load_now();
    const double start = psg_clock();
    psg_status status = steps > 1        ? solve_together(r, s, steps)
                        : r->flights > 1 ? solve_overlapping(r, s)
                                         : solve_in_turn(r, s);
    r->report.runs.total += psg_clock() - start;
    /* several processes of one machine would take each other for others */
    const app_load after = app_load_now();
    const double load = app_ranks() == 1 ? app_load_between(&before, &after) : NAN;
    r->report.runs.load = first ? load : fmax(r->report.runs.load, load);
    r->report.simulates_sides = psg_plan_simulates_sides(s->plan) != 0;
    status = status == PSG_OK ? psg_plan_statistics(s->plan, &r->report.statistics) : status;
    if (status == PSG_OK && last && r->arguments.bounds) {
        app_progress_step(&r->progress, "measuring memory");
        status = psg_plan_bounds(s->plan, &r->report.runs.bounds);
    }
    code = agree(r, status);
    if (!code && s->resident) {
        app_progress_step(&r->progress, "getting the solution");
        code = agree(r, psg_slabs_get(s->plan, s->u[0]));
    }
    if (!code && last && r->arguments.trace == NULL) {
        take_record(r, s->plan, r->arguments.dag);
    }
    if (!code) { /* rank 0 has it */
        app_ranks_share(&r->report.statistics.mean, sizeof r->report.statistics.mean);
    }
    return code;
}

/* For the report. */
static int take_residuals(app_job *r, const app_solver *s) {
    size_t *count = &r->report.residual_count;
    free(r->report.residuals);
    r->report.residuals = NULL;
    if (psg_plan_residuals(s->plan, 0, NULL, 0, count) == PSG_OK && *count > 0) {
        r->report.residuals =
            app_allocate(*count, sizeof *r->report.residuals, "the residuals of iterations");
        return r->report.residuals == NULL ||
                       psg_plan_residuals(s->plan, 0, r->report.residuals, *count, count) != PSG_OK
                   ? APP_FAILED
                   : APP_DONE;
    }
    return APP_DONE;
}

/* From the data of a field, or of some steps at once, to the solution in the file. A wrong result
 * is reported, but not written. @param[in] steps  from the present one on; 1 without any.
 * @param[out] status  of what is told of them */
static int solve_steps(app_job *r, app_solver *s, size_t steps, int *status) {
    const size_t first = r->step;
    double *means = app_allocate(steps, sizeof *means, "the means of time steps");
    size_t count = 0;
    int code = app_ranks_agree(means != NULL ? APP_DONE : APP_FAILED);
    for (size_t n = 0; n < steps && !code; n++) {
        go_to(r, s, first, n);
        code = app_ranks_agree(load(r, app_solver_part(s, s->f), s->bytes));
    }
    go_to(r, s, first, 0);
    code = code ? code : app_ranks_agree(solve(r, s, steps));
    code = code ? code : app_ranks_agree(take_residuals(r, s));
    if (!code && steps > 1 && psg_plan_means(s->plan, means, steps, &count) != PSG_OK) {
        code = app_error(APP_FAILED, "%s", psg_last_error());
    }
    for (size_t n = 0; n < steps && !code && !*status; n++) {
        go_to(r, s, first, n);
        if (steps > 1) { /* nothing is read: the input has the step's name then */
            code = app_field_read(r->input, r->step, r->report.options.precision,
                                  (app_planes){0, 0}, s->f);
            r->report.source = app_field_input_name(r->input);
            r->report.statistics.mean = means[n];
        }
        *status = app_ranks_agree(app_job_check(r, s));
        if (r->steps != NULL) {
            r->report.steps[r->step] =
                (app_report_step){&r->steps->list[r->step], r->report.f, r->verification};
        }
        *status = *status ? *status : app_job_write_field(r, app_solver_last_u(s));
    }
    go_to(r, s, first + steps, 0);
    free(means);
    return code;
}

static int solve_all(app_job *r, app_solver *s) {
    const size_t count = app_field_count(r->steps);
    int code = APP_DONE, status = APP_DONE;
    while (r->step < count && !code && !status) {
        const size_t left = count - r->step;
        code = solve_steps(r, s, left < s->parts ? left : s->parts, &status);
    }
    if (!code) {
        r->report.status = status;
        r->report.runs.repeat = s->solved;
        app_report_join(&r->report);
        code = app_runs_times(&r->report.runs);
    }
    if (r->steps != NULL) {
        r->report.source = r->info.name;
    }
    return code;
}

static void free_solver(app_solver *s) {
    psg_plan_destroy(s->plan); /* waits for what may still use f and u */
    for (int d = 0; d < 3; d++) {
        free(s->gradient[d]);
        free(s->epsilon.values[d]);
    }
    free(s->guess);
    app_side_values_free(&s->values);
    for (unsigned m = 0; s->u != NULL && m < s->count_u; m++) {
        app_simulation_free(s->u[m], s->bytes * s->parts);
    }
    free(s->u);
    app_simulation_free(s->f, s->bytes * s->parts);
}

static void free_job(app_job *r) {
    app_field_close(r->input);
    app_field_abandon(r->field);
    app_field_abandon(r->gradient.field);
    for (int d = 0; d < 3; d++) {
        app_field_close(r->epsilon[d].input);
    }
    app_field_close(r->guess.input);
    app_field_close(r->kernel.input);
    free(r->faces);
    for (int f = 0; f < APP_JOB_FILES; f++) {
        app_output_discard(&r->file[f]);
    }
    app_record_free(&r->record);
    app_answer_free(r->answer);
    app_workers_free(&r->report.runs.workers);
    free(r->report.runs.seconds);
    free(r->report.steps);
    free(r->report.residuals);
    free(r);
}

/* Files get their names if all of it is right. */
static int finish(app_job *r, const app_solver *s) {
    int code = r->report.status;
    code = code ? code : app_job_write_results(r, s->gradient);
    app_progress_stop(&r->progress);
    app_runs_note_load(&r->report.runs, &r->notes);
    app_runs_note_executor(&r->report.runs, &r->arguments.solver.options, &r->notes);
    if (r->report.options.wire_bits < 64 &&
        (app_wire_rounding(&r->report.options) == 0 ||
         r->report.statistics.link[PSG_LINK_MESSAGE].bytes == 0)) {
        app_note(&r->notes, "--wire has no effect: no message has numbers of 64 bits");
    }
    if (!code) { /* an error has said it otherwise */
        app_report_note_mean(&r->report, &r->notes);
    }
    r->report.status = code;
    const int failed = app_ranks_agree(app_rank() == 0 ? app_job_write_report(r) : APP_DONE);
    return code ? code : failed;
}

static int perform(app_job *r, app_solver *s) {
    static int (*const steps[])(app_job *, app_solver *) = {allocate, make_plan, solve_all};
    int code = app_ranks_agree(app_ranks_limit(r->arguments.solver.options.time_limit));
    if (code) {
        return code;
    }
    app_signals_install(app_rank() > 0);
    app_progress_start(&r->progress, !r->notes.quiet);
    code = app_ranks_agree(app_job_describe(r, &s->values));
    code = code ? code : app_ranks_agree(app_job_begin_outputs(r));
    for (size_t step = 0; step < sizeof steps / sizeof steps[0] && !code; step++) {
        code = app_ranks_agree(steps[step](r, s));
    }
    code = code ? code : app_ranks_agree(finish(r, s));
    app_progress_stop(&r->progress);
    return code;
}

int app_solve(int argc, char **argv) {
    app_solver s = {.plan = NULL};
    app_job *r = calloc(1, sizeof *r);
    int code = app_ranks_agree(r != NULL ? APP_DONE : app_error(APP_FAILED, "out of memory"));
    code = code ? code : app_ranks_agree(app_arguments_solve(argc, argv, &r->arguments));
    if (code) {
        free(r);
        return code == APP_HELPED ? APP_DONE : code;
    }
    r->report.runs.what = "solve";
    r->notes.quiet = r->arguments.quiet || app_rank() > 0;
    code = perform(r, &s);
    free_solver(&s);
    free_job(r);
    return code;
}
