/* The files that a solve leaves: the field with its description, the trace, the task graph, the report. */
#include "app/dag.h"
#include "app/job.h"
#include "app/processes.h"
#include "app/trace.h"
#include "app/xmf.h"

#include <stdio.h>

static int write_to(app_job *r, app_field_output *output, size_t step, const void *values) {
    const psg_grid *grid = &r->report.grid;
    const double box[3] = {grid->axis[0].length, grid->axis[1].length, grid->axis[2].length};
    char sides[9] = "";
    char points[6] = "";
    app_sides_text(grid, sides, points);
    const bool any = app_has_sides(grid);
    const app_field_header header = {box,
                                     any ? sides : NULL,
                                     any ? points : NULL,
                                     app_symbol_name(r->report.options.symbol),
                                     r->report.options.lambda,
                                     r->report.options.factor,
                                     r->report.statistics.mean,
                                     r->steps != NULL ? &r->steps->list[r->step].time : NULL,
                                     r->report.source};
    const double start = app_now();
    app_progress_step(&r->progress, "writing");
    const int code = app_field_write(output, step, r->planes, values, &header);
    r->report.write_seconds += app_now() - start;
    return code;
}

int app_job_write_field(app_job *r) {
    return r->arguments.out != NULL ? write_to(r, r->field, r->step, app_job_last_u(r)) : APP_DONE;
}

/* For who finds the trace. NULL when out of memory. */
static json_t *about(const app_report *report) {
    char grid[96];
    json_t *object = app_runs_about(&report->runs);
    snprintf(grid, sizeof grid, "%zux%zux%zu", report->grid.axis[0].n, report->grid.axis[1].n,
             report->grid.axis[2].n);
    app_json_put_text(object, "grid", grid);
    app_json_put_text(object, "precision", app_precision_name(report->options.precision));
    app_json_put_text(object, "graph", app_graph_name(report->statistics.graph));
    return object;
}

/* The description of the field for ParaView, the trace and the task graph, on rank 0. */
static int write_others(const app_job *r) {
    const app_arguments *a = &r->arguments;
    int code = APP_DONE;
    if (r->xmf[0]) {
        code = app_xmf_write(r->file[APP_JOB_XMF].temporary, r->xmf, r->out.file, r->out.dataset,
                             r->steps, &r->report.grid, r->report.options.precision);
    }
    if (!code && a->trace != NULL) {
        code = app_trace_write(&r->record, r->file[APP_JOB_TRACE].temporary, a->trace,
                               &r->report.runs.workers, about(&r->report));
    }
    return code || a->dag == NULL
               ? code
               : app_dag_write(&r->record, r->file[APP_JOB_DAG].temporary, a->dag);
}

int app_job_write_results(app_job *r) {
    const app_arguments *a = &r->arguments;
    app_job_gradient *g = &r->gradient;
    int code = APP_DONE;
    for (size_t d = 0; d < 3 && !code && a->gradient != NULL; d++) {
        code = write_to(r, g->field, d, g->values[d]);
    }
    if (!code && (a->trace != NULL || a->dag != NULL)) {
        code = app_ranks_agree(r->record_failed);
        code = code ? code : app_record_join(&r->record);
    }
    const double start = app_now();
    code = code ? code : app_ranks_agree(app_rank() == 0 ? write_others(r) : APP_DONE);
    for (int f = 0; f < APP_JOB_JSON && !code; f++) {
        code = app_ranks_agree(app_output_commit(&r->file[f]));
    }
    if (a->out != NULL) {
        r->report.write_seconds += app_now() - start;
    }
    if (!code) {
        snprintf(g->written, sizeof g->written, "%s:%s", g->out.file, g->out.dataset);
        r->report.written = a->out != NULL ? r->written : NULL;
        r->report.xmf = r->xmf[0] ? r->xmf : NULL;
        r->report.gradient = a->gradient != NULL ? g->written : NULL;
    }
    return code;
}

/* On rank 0. */
int app_job_write_report(app_job *r) {
    if (!r->arguments.quiet && !r->json_to_stdout) {
        app_report_print(&r->report);
    }
    if (r->arguments.json == NULL) {
        return APP_DONE;
    }
    const char *path = r->json_to_stdout ? NULL : r->file[APP_JOB_JSON].temporary;
    const int failed = app_report_json(&r->report, path, r->arguments.json);
    return failed || path == NULL ? failed : app_output_commit(&r->file[APP_JOB_JSON]);
}
