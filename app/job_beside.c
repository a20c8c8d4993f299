/* What is read beside f: epsilon, the guess, and a kernel of the caller's. */
#include "app/job.h"
#include "app/npy.h"
#include "app/processes.h"
#include "graph/psg_kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* @param[in] given  FILE[:DATASET] of an option */
static int split_beside(const char *given, app_field_name *name) {
    if (app_field_split(given, name)) {
        return APP_USAGE;
    }
    return app_field_is_series(name)
               ? app_error(APP_USAGE, "%s: give one data set, for all steps", given)
               : APP_DONE;
}

int app_job_split_group(const char *several, const char *given, app_field_name *name) {
    if (app_field_split(given, name)) {
        return APP_USAGE;
    }
    if (app_npy_named(name->file)) {
        return app_error(APP_USAGE,
                         "%s: NumPy's files have one array, and %s has three: give the "
                         "name of an HDF5 file",
                         name->file, several);
    }
    return app_field_is_series(name) ? app_error(APP_USAGE, "%s: give the name of a group", given)
                                     : APP_DONE;
}

static int open_beside(const app_field_name *name, app_job_beside *beside) {
    app_field_info info;
    if (app_field_open(name, 0, &beside->input, &info)) {
        return APP_USAGE;
    }
    snprintf(beside->name, sizeof beside->name, "%s", info.name);
    beside->size = info.size;
    return APP_DONE;
}

/* It has the shape of f. */
static int open_like_f(const app_job *r, const app_field_name *name, app_job_beside *beside) {
    const psg_grid *grid = &r->report.grid;
    psg_grid own;
    if (open_beside(name, beside)) {
        return APP_USAGE;
    }
    (void)app_grid_make(&beside->size, NULL, NULL, NULL, &own);
    return strcmp(app_points_words(&own, "x").text, app_points_words(grid, "x").text) == 0
               ? APP_DONE
               : app_error(APP_USAGE, "%s: has %s points, and f has %s", beside->name,
                           app_points_words(&own, " x ").text, app_points_words(grid, " x ").text);
}

static int open_guess(app_job *r) {
    const char *given = r->arguments.guess;
    app_field_name name;
    if (given == NULL) {
        return APP_DONE;
    }
    const int code = split_beside(given, &name);
    return code ? code : open_like_f(r, &name, &r->guess);
}

/* At points it is one data set; on faces three, of which a group has the name. */
static int open_epsilon(app_job *r) {
    const app_arguments *a = &r->arguments;
    const bool faces = a->faces_epsilon != NULL;
    app_field_name name;
    if (a->epsilon == NULL) {
        return APP_DONE;
    }
    int code = faces ? app_job_split_group("epsilon on faces", a->epsilon, &name)
                     : split_beside(a->epsilon, &name);
    const size_t length = code ? 0 : strlen(name.dataset);
    if (length + sizeof "/x" > sizeof name.dataset) {
        return app_error(APP_USAGE, "%s: the name is too long", a->epsilon);
    }
    for (int d = 0; d < (faces ? r->report.grid.axes : 1) && !code; d++) {
        if (faces) {
            snprintf(name.dataset + length, sizeof name.dataset - length, "/%c", "xyz"[d]);
        }
        code = open_like_f(r, &name, &r->epsilon[d]);
    }
    r->report.epsilon = faces ? a->epsilon : r->epsilon[0].name;
    return code;
}

/* The library knows which shape it needs. */
static int open_kernel(app_job *r) {
    const char *given = r->arguments.solver.kernel;
    app_field_name name;
    if (given == NULL) {
        return APP_DONE;
    }
    if (split_beside(given, &name)) {
        return APP_USAGE;
    }
    if (access(name.file, F_OK) != 0) {
        app_errors_of(NULL); /* these words are those of a wrong value */
        return app_error(APP_USAGE,
                         "--kernel '%s': expected auto, igf, hockney, or a file with a kernel, and "
                         "there is no file %s",
                         given, name.file);
    }
    r->report.kernel = r->kernel.name;
    return open_beside(&name, &r->kernel);
}

int app_job_open_beside(app_job *r) {
    static int (*const open[])(app_job *) = {open_epsilon, open_guess, open_kernel};
    const char *const option[] = {r->arguments.epsilon_option, "guess", "kernel"};
    int code = APP_DONE;
    for (size_t m = 0; m < sizeof open / sizeof *open && !code; m++) {
        app_errors_of(option[m]);
        code = app_ranks_agree(open[m](r));
    }
    app_errors_of(NULL);
    return code;
}

/* The first value that is negative or not finite. */
static int check_epsilon(const app_job *r, const char *name, const void *values, double *row) {
    const psg_grid *grid = &r->report.grid;
    const psg_axis *axis = grid->axis;
    const app_planes before = {0, r->planes.z0};
    const size_t first = app_plane_points(grid, before) / axis[0].n;
    const size_t lines = app_plane_points(grid, r->planes) / axis[0].n;
    for (size_t m = 0; m < lines; m++) {
        const size_t line = first + m;
        app_get_row(values, r->report.options.precision, m * axis[0].n, axis[0].n, row);
        for (size_t i = 0; i < axis[0].n; i++) {
            if (!(row[i] >= 0) || !isfinite(row[i])) {
                return app_error(APP_USAGE,
                                 "%s: epsilon is %g at (i,j,k) = (%zu,%zu,%zu): it has to be "
                                 "0, where nothing passes, or finite and above 0",
                                 name, row[i], i, line % axis[1].n, line / axis[1].n);
            }
        }
    }
    return APP_DONE;
}

int app_job_load_beside(app_job *r, const app_job_beside *beside, void *values) {
    const double start = app_now();
    double *row = app_allocate(r->report.grid.axis[0].n, sizeof *row, "a row of the field");
    int code = row != NULL ? APP_DONE : APP_FAILED;
    code = code ? code
                : app_field_read(beside->input, 0, r->report.options.precision, r->planes, values);
    code = code || beside == &r->guess ? code : check_epsilon(r, beside->name, values, row);
    free(row);
    r->report.read_seconds += app_now() - start;
    return code;
}

/* Each process has all of it. */
static int read_kernel(app_job *r, double **values) {
    const size_t *n = r->kernel.size.n;
    const double start = app_now();
    *values = app_allocate(n[0] * n[1] * n[2], sizeof **values, "the kernel");
    const app_planes all = {0, n[r->kernel.size.axes == 2 ? 1 : 2]};
    const int code =
        *values == NULL ? APP_FAILED : app_field_read(r->kernel.input, 0, PSG_F64, all, *values);
    r->report.read_seconds += app_now() - start;
    return code;
}

int app_job_give_kernel(app_job *r, psg_plan *plan) {
    double *values = NULL;
    if (r->kernel.input == NULL) {
        return APP_DONE;
    }
    int code = app_ranks_agree(read_kernel(r, &values));
    if (!code) {
        const psg_kernel_form form =
            r->arguments.form < 0 ? PSG_KERNEL_FORM_SPACE : (psg_kernel_form)r->arguments.form;
        const psg_status status = psg_plan_kernel(plan, form, r->kernel.size.n, values);
        code = status == PSG_OK
                   ? APP_DONE
                   : app_error(app_exit_code(status), "%s: %s", r->kernel.name, psg_last_error());
        code = app_ranks_agree(code);
    }
    free(values);
    return code;
}
