/* What has to be done and where it goes: all that is found out before anything is allocated. */
#include "app/job.h"
#include "app/dag.h"
#include "app/faces.h"
#include "app/npy.h"
#include "app/processes.h"
#include "app/simulating.h"
#include "app/xmf.h"
#include "graph/psg_kernel.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------------------- what is solved */

static int open_input(app_job *r) {
    app_field_name name;
    int code = app_field_split(r->arguments.in, &name);
    code = code ? code : app_field_open(&name, !r->arguments.box.given, &r->input, &r->info);
    if (code) {
        return code;
    }
    r->report.source = r->info.name;
    r->steps = r->info.steps > 0 ? app_field_input_steps(r->input) : NULL;
    const app_options *solver = &r->arguments.solver;
    const bool given = app_options_given(solver, "precision");
    if (r->info.integers && !given) {
        app_note(&r->notes, "%s: holds integers, they are read as f64", r->info.name);
    } else if (given && (r->info.integers || r->info.precision != solver->options.precision)) {
        app_note(&r->notes, "%s: holds %s, they are read as %s", r->info.name,
                 app_field_kind(&r->info), app_precision_name(solver->options.precision));
    }
    return APP_DONE;
}

/* --batch is for time steps, and without what psg_solve_many() does not take. */
static int check_batch(const app_arguments *a, bool series) {
    const char *option = a->resident          ? "data resident"
                         : a->values != NULL  ? "values"
                         : a->epsilon != NULL ? a->epsilon_option
                                              : NULL;
    if (a->solver.options.batch == 0 || (series && option == NULL)) {
        return APP_DONE;
    }
    return series ? app_error(APP_USAGE,
                              "--batch and --%s: time steps with that are solved one "
                              "after the other",
                              option)
                  : app_error(APP_USAGE, "--batch is for time steps: --in FILE:/GROUP/*");
}

/* One plan solves the steps one after the other, or --batch at once, and memory has room for as
 * many. */
static int check_series(const app_job *r) {
    const app_arguments *a = &r->arguments;
    app_field_name in, out;
    if (a->in != NULL && app_field_split(a->in, &in)) {
        return APP_USAGE;
    }
    const bool series = a->in != NULL && app_field_is_series(&in);
    const int code = check_batch(a, series);
    if (code || !series) {
        return code;
    }
    const char *option = a->repeat > 1                     ? "repeat"
                         : a->solver.options.in_flight > 1 ? "in-flight"
                         : a->gradient != NULL             ? "gradient"
                                                           : NULL;
    if (option != NULL) {
        return app_error(
            APP_USAGE,
            "--%s is for one field: the time steps of %s are solved once each, one after the other",
            option, a->in);
    }
    if (a->out == NULL || app_field_split(a->out, &out)) {
        return a->out == NULL ? APP_DONE : APP_USAGE;
    }
    if (app_npy_named(out.file)) {
        return app_error(
            APP_USAGE,
            "%s: NumPy's files have one array, and %s are several: give the name of an HDF5 file",
            out.file, a->in);
    }
    return app_field_is_series(&out)
               ? app_error(APP_USAGE,
                           "--out %s: the time steps get their names in --in: give their group "
                           "alone, %s:%.*s",
                           a->out, out.file, (int)(strlen(out.dataset) - 2), out.dataset)
               : APP_DONE;
}

/* Times of time steps are for viewers, which order the fields by them. */
static void note_times(app_job *r) {
    const app_field_steps *steps = r->steps;
    for (size_t s = 1; steps != NULL && s < steps->count; s++) {
        if (!(steps->list[s].time > steps->list[s - 1].time)) {
            app_note(&r->notes, "%s: time %g of step %s is not after time %g of step %s before it",
                     r->info.name, steps->list[s].time, steps->list[s].name,
                     steps->list[s - 1].time, steps->list[s - 1].name);
            return;
        }
    }
}

static int check_exchange(const app_job *r) {
    const psg_exchange exchange = r->arguments.solver.options.exchange;
    if (app_ranks() == 1 && r->arguments.solver.options.nodes <= 1 &&
        exchange >= PSG_EXCHANGE_MPI) {
        return app_error(APP_USAGE, "--exchange %s is between processes: start psg by mpirun",
                         app_exchange_name(exchange));
    }
    return APP_DONE;
}

static int check_simulation(const app_job *r) {
    const app_arguments *a = &r->arguments;
    const char *option = a->in != NULL         ? "in"
                         : a->out != NULL      ? "out"
                         : a->values != NULL   ? "values"
                         : a->gradient != NULL ? "gradient"
                         : a->epsilon != NULL  ? a->epsilon_option
                         : a->solver.kernel    ? "kernel"
                         : a->faces != NULL    ? "faces"
                         : a->verify           ? "verify"
                                               : NULL;
    return app_simulation_machine() != NULL && option != NULL
               ? app_error(APP_USAGE, "--%s: a simulation computes nothing%s", option,
                           a->in != NULL ? "; give --problem and --grid" : "")
               : app_simulation_choose(a->solver.options.machine,
                                       app_options_simulated(&a->solver));
}

/* Processes on machines of their own may see different files under one name. */
static int compare_inputs(app_job *r) {
    note_times(r);
    const app_field_info own = r->info;
    app_ranks_share(&r->info, sizeof r->info);
    if (!app_same_size(&own.size, &r->info.size)) {
        return app_error(APP_USAGE, "%s: has other points here than where rank 0 reads it",
                         own.name);
    }
    return own.steps == r->info.steps && own.step_names == r->info.step_names
               ? APP_DONE
               : app_error(APP_USAGE, "%s: are other data sets here than where rank 0 reads them",
                           own.name);
}

/* Have the points one spacing along all axes? */
static bool even_spacing(const size_t *n, const double *length) {
    const double spacing = length[0] / (double)n[0];
    return fabs(length[1] / (double)n[1] - spacing) <= 1e-6 * spacing &&
           fabs(length[2] / (double)n[2] - spacing) <= 1e-6 * spacing;
}

/* Arrays are [nz][ny][nx], and the box is in the order x, y, z: were its lengths given in another
 * order? Then the points have one spacing along all axes in one of the five others. */
static void note_order(app_job *r, const size_t *n, const double *length) {
    static const int orders[5][3] = {{2, 1, 0}, {1, 0, 2}, {0, 2, 1}, {1, 2, 0}, {2, 0, 1}};
    bool even = even_spacing(n, length);
    for (int m = 0; m < 5 && !even; m++) {
        const double other[3] = {length[orders[m][0]], length[orders[m][1]], length[orders[m][2]]};
        even = even_spacing(n, other);
        if (even) {
            app_note(&r->notes,
                     "the spacing of the points is %.4g x %.4g x %.4g; with --box "
                     "%.10gx%.10gx%.10g it is %.4g along all axes: the box has the order x, y, z, "
                     "and arrays are [nz][ny][nx]",
                     length[0] / (double)n[0], length[1] / (double)n[1], length[2] / (double)n[2],
                     other[0], other[1], other[2], other[0] / (double)n[0]);
        }
    }
}

/* Options that cut the grid into more than there is. Of two axes, rows are planes. */
static void note_cuts(app_job *r) {
    const psg_options *options = &r->arguments.solver.options;
    const size_t planes = app_task_planes(&r->report.grid);
    const size_t rows = app_task_rows(&r->report.grid);
    if (options->segment_planes > planes) {
        app_note(&r->notes,
                 "--segment-planes %zu: the grid has %zu planes, so there is one segment",
                 options->segment_planes, planes);
    }
    if (options->sheets > rows) {
        app_note(&r->notes, "--sheets %zu: the grid has %zu rows of y, so there are %zu sheets",
                 options->sheets, rows, rows);
    }
}

static int make_grid(app_job *r) {
    const app_arguments *a = &r->arguments;
    const app_field_info *info = &r->info;
    const app_grid_value size = a->in != NULL ? info->size : a->grid;
    const app_box_value box = a->in != NULL && !a->box.given ? info->box : a->box;
    for (int d = 0; d < size.axes && box.given; d++) {
        if (!(box.length[d] > 0) || !isfinite(box.length[d])) {
            return app_error(APP_USAGE,
                             "%s: its attribute 'box' has the length %g; lengths are above 0",
                             r->report.source, box.length[d]);
        }
    }
    int code = app_grid_make(&size, &box, &a->sides, &a->points, &r->report.grid);
    app_errors_of("faces");
    code = code ? code : app_faces_read(a->faces, box.given, &r->report.grid, &r->faces, &r->notes);
    app_errors_of(NULL);
    code = code ? code : app_robin_read(a->robin, &r->report.grid);
    if (code) {
        return code;
    }
    if (a->in != NULL && !box.given) {
        app_note(&r->notes, "%s: has no box, and --box was not given: the box is %s", info->name,
                 app_box_words(&r->report.grid).text);
    }
    if (a->in != NULL && size.axes == 3 && box.given) {
        note_order(r, size.n, box.length);
    }
    note_cuts(r);
    return APP_DONE;
}

static void make_options(app_job *r) {
    const app_arguments *a = &r->arguments;
    psg_options *options = &r->report.options;
    *options = a->solver.options;
    if (a->in != NULL && !app_options_given(&a->solver, "precision")) {
        options->precision = r->info.precision;
    }
    options->in_flight = r->flights;
    options->comm = app_ranks_comm();
    options->record = a->bounds || a->dag != NULL || a->trace != NULL; /* a trace has arrows */
    if (a->solver.options.in_flight > a->repeat) {
        app_note(&r->notes, "--in-flight %u: there are only %u solves (--repeat)",
                 a->solver.options.in_flight, a->repeat);
    }
}

/* What holds on the sides. */
static int read_values(app_job *r, app_side_values *values) {
    const psg_precision precision = r->report.options.precision;
    char other[256] = "";
    if (r->arguments.problem == APP_PROBLEM_LID) {
        return app_side_values_fill(values, &r->report.grid, precision, r->planes, 2, 1, 1);
    }
    if (r->arguments.values == NULL) {
        return APP_DONE;
    }
    const int code = app_side_values_read(r->arguments.values, &r->report.grid, precision,
                                          r->planes, values, other);
    if (other[0] != '\0') {
        app_note(&r->notes, "%s: '%s' is no side: sides are x0 x1 y0 y1 z0 z1", r->arguments.values,
                 other);
    }
    return code;
}

int app_job_describe(app_job *r, app_side_values *values) {
    int code = APP_DONE;
    r->report.notes = &r->notes;
    r->report.faces = r->arguments.faces;
    r->report.values = r->arguments.values;
    r->report.resident = r->arguments.resident;
    r->report.verbose = r->arguments.verbose;
    const unsigned in_flight = r->arguments.solver.options.in_flight;
    r->flights = in_flight < r->arguments.repeat ? in_flight : r->arguments.repeat;
    code = check_exchange(r);
    code = code ? code : check_simulation(r);
    code = code ? code : check_series(r);
    if (r->arguments.in != NULL && !code) {
        app_errors_of("in");
        code = app_ranks_agree(open_input(r));
        app_errors_of(NULL);
        code = code ? code : app_ranks_agree(compare_inputs(r));
    }
    code = code ? code : app_ranks_agree(make_grid(r));
    if (code) {
        return code;
    }
    r->report.runs.repeat = r->arguments.repeat * (unsigned)app_field_count(r->steps);
    r->planes = app_own_planes(&r->report.grid);
    make_options(r);
    if (r->arguments.problem != APP_PROBLEM_NONE) {
        r->report.source = app_problem_choices[r->arguments.problem].name;
    }
    if (r->arguments.lattice >= 0) {
        r->report.lattice = app_lattice_name((app_lattice)r->arguments.lattice);
    }
    app_errors_of("values");
    code = app_ranks_agree(read_values(r, values));
    app_errors_of(NULL);
    return code ? code : app_job_open_beside(r);
}

/* ------------------------------------------------------------------------------ where it goes */

/* What is read: the part of "FILE:/DATASET" behind the file. Of steps it is their group. NULL: the
 * file has no data sets. */
static const char *read_dataset(const char *name, app_field_name *in) {
    const size_t length = strlen(in->file);
    if (strncmp(name, in->file, length) != 0 || name[length] != ':') {
        return NULL;
    }
    const size_t star = app_field_is_series(in) ? strlen("/*") : 0;
    snprintf(in->dataset, sizeof in->dataset, "%.*s", (int)(strlen(name) - length - 1 - star),
             name + length + 1);
    return in->dataset;
}

static const char *written_dataset(const app_field_name *out) {
    return out->dataset[0] ? out->dataset : NULL;
}

static int check_files(const app_job *r) {
    static const char *const sides[] = {"/x0", "/x1", "/y0", "/y1", "/z0", "/z1"};
    enum { SIDES = sizeof sides / sizeof *sides };
    enum { READ = 6, OTHERS = READ + 7 };
    const app_arguments *a = &r->arguments;
    const char *epsilon = a->faces_epsilon != NULL ? "--faces-epsilon" : "--epsilon";
    const struct {
        const char *by, *given, *name;
    } reads[READ] = {{"--in", a->in, r->info.name},
                     {"--guess", a->guess, r->guess.name},
                     {"--kernel", a->solver.kernel, r->kernel.name},
                     {epsilon, a->epsilon, r->epsilon[0].name},
                     {epsilon, a->faces_epsilon, r->epsilon[1].name},
                     {epsilon, a->faces_epsilon, r->epsilon[2].name}};
    app_field_name read[READ] = {{.file = ""}};
    const app_field_name *out = &r->out, *gradient = &r->gradient.out;
    app_named_file files[OTHERS + SIDES] = {
        [READ] = {"--faces", a->faces != NULL ? a->faces + 2 : NULL, true, NULL},
        {"--out", out->file, false, written_dataset(out)},
        {"the .xmf beside --out", r->xmf, false, NULL},
        {"--gradient", gradient->file, false, written_dataset(gradient)},
        {"--json", r->json_to_stdout ? NULL : a->json, false, NULL},
        {"--trace", a->trace, false, NULL},
        {"--dag", a->dag, false, NULL}};
    for (int m = 0; m < READ; m++) {
        (void)(reads[m].given != NULL && app_field_split(reads[m].given, &read[m]));
        const char *dataset = read_dataset(reads[m].name, &read[m]);
        files[m] = (app_named_file){reads[m].by, read[m].file, true, dataset};
    }
    for (size_t side = 0; side < SIDES; side++) {
        files[OTHERS + side] = (app_named_file){"--values", a->values, true, sides[side]};
    }
    return app_files_differ(files, OTHERS + SIDES);
}

static int check_name(const char *what, const char *name) {
    return app_is_plain(name)
               ? APP_DONE
               : app_error(APP_USAGE,
                           "%s '%s': XML, in the .xmf beside it, has no such names: they are UTF-8 "
                           "without control characters",
                           what, name);
}

/* Where the gradient goes, if it is wanted. */
static int name_gradient(app_job *r) {
    const char *given = r->arguments.gradient;
    app_field_name *out = &r->gradient.out;
    if (given == NULL) {
        return APP_DONE;
    }
    app_errors_of("gradient");
    const int code = app_job_split_group("a gradient", given, out);
    app_errors_of(NULL);
    if (code) {
        return code;
    }
    if (!out->dataset[0]) {
        snprintf(out->dataset, sizeof out->dataset, "/gradient");
    }
    return APP_DONE;
}

/* The files that will be there at the end, as temporary ones. */
static int begin_files(app_job *r) {
    const app_arguments *a = &r->arguments;
    const double bytes = (double)app_points(&r->report.grid) *
                         (double)app_element_bytes(r->report.options.precision) *
                         (double)app_field_count(r->steps);
    int code = APP_DONE;
    if (a->out != NULL) {
        code = app_field_split(a->out, &r->out);
        code = code ? code : check_name("--out", a->out);
        for (size_t s = 0; r->steps != NULL && s < r->steps->count && !code; s++) {
            code = check_name("step", r->steps->list[s].name);
        }
        const bool hdf5 = !app_npy_named(r->out.file);
        if (!code && hdf5 && app_xmf_name(r->out.file, r->xmf, sizeof r->xmf)) {
            code = app_error(APP_USAGE, "%s: the name is too long", r->out.file);
        }
        if (!code && hdf5 && !r->out.dataset[0]) {
            snprintf(r->out.dataset, sizeof r->out.dataset, "/potential");
        }
    }
    code = code ? code : name_gradient(r);
    code = code ? code : check_files(r);
    code = code ? code : app_dag_check(a->dag, a->force);
    const struct {
        const char *path; /* NULL: it is not wanted */
        app_output_kind kind;
        double bytes;
    } files[APP_JOB_FILES] = {
        [APP_JOB_FIELD] = {a->out != NULL ? r->out.file : NULL, APP_OUTPUT_ANY, bytes},
        [APP_JOB_XMF] = {r->xmf[0] ? r->xmf : NULL, APP_OUTPUT_XMF, 0},
        [APP_JOB_GRADIENT] = {a->gradient != NULL ? r->gradient.out.file : NULL, APP_OUTPUT_ANY,
                              3 * bytes},
        [APP_JOB_TRACE] = {a->trace, APP_OUTPUT_TRACE, 0},
        [APP_JOB_DAG] = {a->dag, app_dag_kind(a->dag), 0},
        [APP_JOB_JSON] = {r->json_to_stdout ? NULL : a->json, APP_OUTPUT_JSON, 0}};
    for (int f = 0; f < APP_JOB_FILES && !code; f++) {
        if (files[f].path != NULL) {
            code = app_output_begin(&r->file[f], files[f].path,
                                    a->force ? APP_OUTPUT_ANY : files[f].kind, files[f].bytes);
        }
    }
    snprintf(r->written, sizeof r->written, "%s%s%s%s", r->out.file, r->out.dataset[0] ? ":" : "",
             r->out.dataset, r->steps != NULL ? "/*" : "");
    return code;
}

/* What rank 0 has begun, for the others. */
static void share_files(app_job *r) {
    app_ranks_share(r->file, sizeof r->file);
    for (int f = 0; f < APP_JOB_FILES && app_rank() > 0; f++) {
        app_output_adopt(&r->file[f]);
    }
    app_ranks_share(&r->out, sizeof r->out);
}

static int create_gradient(app_job *r) {
    app_job_gradient *g = &r->gradient;
    if (r->arguments.gradient == NULL) {
        return APP_DONE;
    }
    app_ranks_share(&g->out, sizeof g->out);
    for (int d = 0; d < r->report.grid.axes; d++) {
        snprintf(g->component[d].name, sizeof g->component[d].name, "%c", "xyz"[d]);
    }
    g->components = (app_field_steps){(size_t)r->report.grid.axes, g->component};
    const app_field_place place = {r->file[APP_JOB_GRADIENT].temporary, g->out.file, g->out.dataset,
                                   &g->components, r->arguments.force};
    return app_ranks_agree(
        app_field_create(&place, &r->report.grid, r->report.options.precision, &g->field));
}

int app_job_begin_outputs(app_job *r) {
    r->json_to_stdout = r->arguments.json != NULL && strcmp(r->arguments.json, "-") == 0;
    int code = app_ranks_agree(app_rank() == 0 ? begin_files(r) : APP_DONE);
    if (!code) {
        share_files(r);
    }
    if (!code && r->arguments.out != NULL) {
        const app_field_place place = {r->file[APP_JOB_FIELD].temporary, r->out.file,
                                       r->out.dataset, r->steps, r->arguments.force};
        code = app_ranks_agree(
            app_field_create(&place, &r->report.grid, r->report.options.precision, &r->field));
    }
    return code ? code : create_gradient(r);
}

/* --------------------------------------------------------------------------------- where it is */

size_t app_job_batch(const app_job *r) {
    const size_t asked = r->arguments.solver.options.batch;
    const size_t steps = app_field_count(r->steps);
    return asked == 0 ? 1 : asked < steps ? asked : steps;
}

void *app_solver_part(const app_solver *s, void *array) {
    return (char *)array + s->part * s->bytes;
}

void *app_solver_last_u(const app_solver *s) {
    return app_solver_part(s, s->u[(s->solved - 1) % s->count_u]);
}
