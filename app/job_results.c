/* The files that a solve leaves: the field with its description, the trace, the task graph, the report. */
#include "app/host.h"
#include "app/job.h"
#include "app/npy.h"
#include "app/processes.h"
#include "app/xmf.h"
#include "graph/psg_machine.h"

#include <stdio.h>
#include <string.h>

/* Describe the field for ParaView; rank 0. */
static int write_xmf(app_job *r) {
    return app_xmf_write(r->files.xmf.temporary, r->xmf, r->out.file, r->out.dataset, r->steps,
                         &r->report.grid, r->report.options.precision);
}

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

int app_job_write_gradient(app_job *r) {
    app_job_gradient *g = &r->gradient;
    int code = APP_DONE;
    if (r->arguments.gradient == NULL) {
        return APP_DONE;
    }
    for (size_t d = 0; d < 3 && !code; d++) {
        code = write_to(r, g->field, d, g->values[d]);
    }
    code = code ? code : app_ranks_agree(app_output_commit(&r->files.gradient));
    if (!code) {
        snprintf(g->written, sizeof g->written, "%s:%s", g->out.file, g->out.dataset);
        r->report.gradient = g->written;
    }
    return code;
}

int app_job_name_field(app_job *r) {
    const double start = app_now();
    const bool described = !app_npy_named(r->out.file);
    int code = APP_DONE;
    if (r->arguments.out == NULL) {
        return APP_DONE;
    }
    app_progress_step(&r->progress, "writing");
    if (described) {
        code = app_ranks_agree(app_rank() == 0 ? write_xmf(r) : APP_DONE);
    }
    if (!code) {
        code = app_ranks_agree(app_output_commit(&r->files.field));
    }
    if (!code) {
        r->report.written = r->written;
    }
    if (!code && described) {
        r->report.xmf = r->xmf;
        code = app_ranks_agree(app_output_commit(&r->files.xmf));
    }
    r->report.write_seconds += app_now() - start;
    return code;
}

/* For who finds the trace. NULL when out of memory. */
static json_t *about(const app_report *report) {
    char grid[96], workers[160], date[32];
    const char *gpu = NULL;
    app_machine machine;
    app_machine_find(&machine);
    app_utc_date(date, sizeof date);
    app_workers_text(&report->workers, workers, sizeof workers);
    snprintf(grid, sizeof grid, "%zux%zux%zu", report->grid.axis[0].n, report->grid.axis[1].n,
             report->grid.axis[2].n);
    for (size_t w = 0; w < report->workers.count && gpu == NULL; w++) {
        const psg_worker *worker = &report->workers.list[w];
        gpu = worker->kind == PSG_WORKER_CUDA ? worker->name : NULL;
    }
    return json_pack(
        "{ss ss ss ss si ss ss ss ss ss ss ss}", "psg", psg_component_version(PSG_COMPONENT_PSG),
        "StarPU", psg_component_version(PSG_COMPONENT_STARPU), "host", machine.host, "cpu_model",
        machine.cpu_model, "cores", (int)machine.cores, "gpu_model", gpu != NULL ? gpu : "", "date",
        date, "grid", grid, "precision", app_precision_name(report->options.precision), "graph",
        app_graph_name(report->statistics.graph), "workers", workers, "policy",
        report->workers.policy);
}

int app_job_write_trace(app_job *r) {
    int code = app_ranks_agree(r->trace_failed);
    if (!code) {
        code = app_trace_write(&r->trace, r->files.trace.temporary, r->arguments.trace,
                               &r->report.workers, app_rank() == 0 ? about(&r->report) : NULL);
    }
    return code ? code : app_ranks_agree(app_output_commit(&r->files.trace));
}

int app_job_write_dag(app_job *r) {
    const int code = app_dag_write(&r->dag, r->files.dag.temporary, r->arguments.dag);
    return code ? code : app_ranks_agree(app_output_commit(&r->files.dag));
}

/* On rank 0. */
int app_job_write_report(app_job *r) {
    if (!r->arguments.quiet && !r->json_to_stdout) {
        app_report_print(&r->report);
    }
    if (r->arguments.json == NULL) {
        return APP_DONE;
    }
    const char *path = r->json_to_stdout ? NULL : r->files.json.temporary;
    const int failed = app_report_json(&r->report, path, r->arguments.json);
    return failed || path == NULL ? failed : app_output_commit(&r->files.json);
}
