/* epsilon of a solve with variable coefficients: its file, and its values. */
#include "app/job.h"
#include "app/processes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int app_epsilon_open(app_job *r) {
    const psg_axis *axis = r->report.grid.axis;
    app_field_name name;
    app_field_info info;
    if (r->arguments.epsilon == NULL) {
        return APP_DONE;
    }
    if (app_ranks() > 1) {
        return app_error(APP_USAGE, "--epsilon is for one process");
    }
    if (app_field_split(r->arguments.epsilon, &name)) {
        return APP_USAGE;
    }
    if (app_field_is_series(&name)) {
        return app_error(APP_USAGE, "--epsilon %s: give one data set, for all steps",
                         r->arguments.epsilon);
    }
    if (app_field_open(&name, 0, &r->epsilon.input, &info)) {
        return APP_USAGE;
    }
    snprintf(r->epsilon.name, sizeof r->epsilon.name, "%s", info.name);
    if (info.n[0] != axis[0].n || info.n[1] != axis[1].n || info.n[2] != axis[2].n) {
        return app_error(APP_USAGE, "%s: has %zu x %zu x %zu points, and f has %zu x %zu x %zu",
                         info.name, info.n[0], info.n[1], info.n[2], axis[0].n, axis[1].n,
                         axis[2].n);
    }
    r->report.epsilon = r->epsilon.name;
    return APP_DONE;
}

/* The first value that is not finite and above 0. */
static int check(const app_job *r, double *row) {
    const psg_axis *axis = r->report.grid.axis;
    for (size_t line = 0; line < axis[1].n * axis[2].n; line++) {
        app_get_row(r->epsilon.values, r->report.options.precision, line * axis[0].n, axis[0].n,
                    row);
        for (size_t i = 0; i < axis[0].n; i++) {
            if (!(row[i] > 0) || !isfinite(row[i])) {
                return app_error(APP_USAGE,
                                 "%s: epsilon is %g at (i,j,k) = (%zu,%zu,%zu): it has to be "
                                 "finite and above 0",
                                 r->epsilon.name, row[i], i, line % axis[1].n, line / axis[1].n);
            }
        }
    }
    return APP_DONE;
}

int app_epsilon_load(app_job *r) {
    const psg_axis *axis = r->report.grid.axis;
    const double start = app_now();
    if (r->arguments.epsilon == NULL) {
        return APP_DONE;
    }
    r->epsilon.values = app_allocate(1, r->bytes, "epsilon");
    double *row = app_allocate(axis[0].n, sizeof *row, "a row of the field");
    int code = r->epsilon.values != NULL && row != NULL ? APP_DONE : APP_FAILED;
    code = code ? code
                : app_field_read(r->epsilon.input, 0, r->report.options.precision, r->planes,
                                 r->epsilon.values);
    code = code ? code : check(r, row);
    free(row);
    r->report.read_seconds += app_now() - start;
    return code;
}

void app_epsilon_free(app_job *r) {
    app_field_close(r->epsilon.input);
    free(r->epsilon.values);
}
