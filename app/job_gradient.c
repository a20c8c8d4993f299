/* The gradient of u: its file, and its arrays. */
#include "app/job.h"
#include "app/npy.h"
#include "app/processes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int app_gradient_name(app_job *r) {
    const char *given = r->arguments.gradient;
    app_field_name *out = &r->gradient.out;
    if (given == NULL) {
        return APP_DONE;
    }
    if (app_field_split(given, out)) {
        return APP_USAGE;
    }
    if (app_npy_named(out->file)) {
        return app_error(APP_USAGE,
                         "%s: NumPy's files have one array, and a gradient has three: give the "
                         "name of an HDF5 file",
                         out->file);
    }
    if (app_field_is_series(out)) {
        return app_error(APP_USAGE, "--gradient %s: give the name of a group", given);
    }
    if (!out->dataset[0]) {
        snprintf(out->dataset, sizeof out->dataset, "/gradient");
    }
    return APP_DONE;
}

int app_gradient_create(app_job *r) {
    app_job_gradient *g = &r->gradient;
    if (r->arguments.gradient == NULL) {
        return APP_DONE;
    }
    app_ranks_share(&g->out, sizeof g->out);
    for (int d = 0; d < 3; d++) {
        snprintf(g->component[d].name, sizeof g->component[d].name, "%c", "xyz"[d]);
    }
    g->components = (app_field_steps){3, g->component};
    const app_field_place place = {r->file[APP_JOB_GRADIENT].temporary, g->out.file, g->out.dataset,
                                   &g->components, r->arguments.force};
    return app_ranks_agree(
        app_field_create(&place, &r->report.grid, r->report.options.precision, &g->field));
}

int app_gradient_allocate(app_job *r, size_t bytes) {
    for (int d = 0; d < 3 && r->arguments.gradient != NULL; d++) {
        r->gradient.values[d] = app_allocate(1, bytes, "the gradient of u");
        if (r->gradient.values[d] == NULL) {
            return APP_FAILED;
        }
    }
    return APP_DONE;
}

void app_gradient_free(app_job *r) {
    app_field_abandon(r->gradient.field);
    for (int d = 0; d < 3; d++) {
        free(r->gradient.values[d]);
    }
}
