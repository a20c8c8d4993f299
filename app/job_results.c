/* A solution is checked before anything of it is written. Its files are the field with its
 * description, the gradient, the trace, the task graph, and the report. */
#include "app/job_results.h"
#include "app/dag.h"
#include "app/processes.h"
#include "app/simulating.h"
#include "app/trace.h"
#include "app/xmf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* f beside its mean, where that is dropped: it is small or not, and may cost digits of u. And is u
 * finite? Where f is, and its quotient by k^2 + lambda is not, u is of no use. */
static int survey(app_job *r, const app_solver *s) {
    const size_t nx = r->report.grid.axis[0].n;
    const size_t rows = app_plane_points(&r->report.grid, r->planes) / nx;
    const bool drops = r->report.statistics.mean != 0;
    const psg_precision precision = r->report.options.precision;
    const void *u = app_solver_last_u(s);
    app_numbers numbers = {0};
    double *row = app_allocate(nx, sizeof *row, "a row of the field");
    int code = row != NULL ? APP_DONE : APP_FAILED;
    for (size_t line = 0; line < rows && !code; line++) {
        double sum = 0; /* of zeros, unless one is Inf or NaN */
        if (drops) {
            app_get_row(app_solver_part(s, s->f), precision, line * nx, nx, row);
            app_numbers_add(&numbers, row, nx);
        }
        app_get_row(u, precision, line * nx, nx, row);
        for (size_t i = 0; i < nx; i++) {
            sum += 0 * row[i];
        }
        if (sum != 0) {
            code = app_error(APP_USAGE,
                             "%s: u is not finite: it is out of the range of the precision: choose "
                             "other units",
                             r->report.source);
        }
    }
    free(row);
    code = app_ranks_agree(code);
    r->report.f = !code && drops ? app_numbers_about(&numbers, r->report.statistics.mean)
                                 : (app_fluctuation){0};
    return code;
}

static int check_residual(app_job *r, const app_solver *s) {
    const psg_options *options = &r->report.options;
    app_verification *v = &r->verification;
    app_progress_step(&r->progress, "verifying");
    const app_equation equation = {options->symbol,
                                   options->lambda,
                                   options->factor,
                                   &s->values,
                                   s->epsilon.values[0] != NULL ? &s->epsilon : NULL,
                                   r->report.statistics.residual,
                                   app_wire_rounding(options)};
    if (app_verify(&r->report.grid, options->precision, &equation, r->planes,
                   app_solver_part(s, s->f), app_solver_last_u(s), v)) {
        return APP_FAILED;
    }
    r->report.verification = v;
    if (v->ok) {
        return APP_DONE;
    }
    if (v->points == 0) {
        return app_error(APP_FAILED, "nothing is verified: all points are next to a free side. "
                                     "--verify needs three points along an axis with free sides");
    }
    const char *of = r->steps != NULL ? " of " : "", *step = of[0] ? r->report.source : "";
    if (!(v->residual <= v->bound) || !isfinite(v->bound)) {
        return app_error(
            APP_FAILED,
            "the result%s%s is wrong: the residual at point (%zu, %zu, %zu) is %.3g, rounding "
            "explains %.3g",
            of, step, v->at[0], v->at[1], v->at[2], v->residual, v->bound);
    }
    if (!(v->mean_off <= v->mean_bound)) {
        return app_error(
            APP_FAILED,
            "the result%s%s is wrong: the mean of u is off by %.3g, rounding explains %.3g", of,
            step, v->mean_off, v->mean_bound);
    }
    char text[APP_MEAN_TEXT];
    app_mean_text(&v->f, equation.epsilon != NULL ? PSG_F64 : options->precision, text);
    return app_error(APP_FAILED, "the result%s%s is not accurate: %s", of, step, text);
}

/* A tolerance with what messages may round; 0: there is none. */
static double with_wire(double tolerance, const app_job *r) {
    return tolerance == 0 ? 0 : fmax(tolerance, app_wire_rounding(&r->report.options));
}

static int check_answer(app_job *r, const app_solver *s) {
    app_answer_error *e = &r->known.answer;
    app_answer_compare(r->answer, r->report.options.precision, r->planes, app_solver_last_u(s), e);
    e->tolerance = with_wire(e->tolerance, r);
    r->report.answer = e;
    if (e->tolerance == 0) {
        app_note(&r->notes,
                 "this grid, symbol or kernel does not resolve the charge to all digits");
        return isfinite(e->error) ? APP_DONE : app_error(APP_FAILED, "the result is not finite");
    }
    if (e->error <= e->tolerance) {
        return APP_DONE;
    }
    return app_error(APP_FAILED,
                     "the result is wrong: at point (%zu, %zu, %zu) the error is %.3g of max|u|, "
                     "the tolerance is %.0e",
                     e->at[0], e->at[1], e->at[2], e->error, e->tolerance);
}

static int check_madelung(app_job *r, const app_solver *s) {
    const psg_options *options = &r->report.options;
    app_madelung *m = &r->known.madelung;
    if (app_madelung_constant((app_lattice)r->arguments.lattice, &r->report.grid,
                              options->precision, options->symbol, r->planes,
                              app_solver_part(s, s->f), app_solver_last_u(s), m)) {
        return APP_FAILED;
    }
    m->tolerance = with_wire(m->tolerance, r);
    r->report.madelung = m;
    if (m->tolerance == 0) {
        app_note(&r->notes, "this grid or symbol does not resolve the ions to all digits");
        return isfinite(m->constant) ? APP_DONE : app_error(APP_FAILED, "the result is not finite");
    }
    if (fabs(m->constant - m->reference) <= m->tolerance) {
        return APP_DONE;
    }
    return app_error(APP_FAILED,
                     "the result is wrong: the Madelung constant is off by %.3g, the "
                     "tolerance is %.0e",
                     m->constant - m->reference, m->tolerance);
}

static int check_lid(app_job *r, const app_solver *s) {
    app_lid lid;
    app_lid_compare(&r->report.grid, r->report.options.precision, r->planes, app_solver_last_u(s),
                    &lid);
    lid.tolerance = with_wire(lid.tolerance, r);
    r->report.middle = lid.middle;
    return lid.tolerance == 0 || fabs(lid.middle - 1. / 6) <= lid.tolerance
               ? APP_DONE
               : app_error(APP_FAILED,
                           "the result is wrong: u in the middle is %.15g, off by %.3g, the "
                           "tolerance is %.0e",
                           lid.middle, lid.middle - 1. / 6, lid.tolerance);
}

/* Every check is made, so that the report has them all. */
int app_job_check(app_job *r, const app_solver *s) {
    if (app_simulation_machine() != NULL) {
        return APP_DONE; /* and no answer */
    }
    const struct {
        bool wanted;
        int (*holds)(app_job *r, const app_solver *s);
    } checks[] = {{r->arguments.verify, check_residual},
                  {r->answer != NULL, check_answer},
                  {r->arguments.problem == APP_PROBLEM_LID, check_lid},
                  {r->report.lattice != NULL, check_madelung}};
    int code = survey(r, s);
    if (code) {
        return code;
    }
    for (size_t c = 0; c < sizeof checks / sizeof *checks; c++) {
        if (checks[c].wanted && app_ranks_agree(checks[c].holds(r, s))) {
            code = APP_FAILED;
        }
    }
    return code;
}

/* --------------------------------------------------------------------------------- the files */

static int write_to(app_job *r, app_field_output *output, size_t step, const void *values) {
    const psg_grid *grid = &r->report.grid;
    const double box[3] = {grid->axis[0].length, grid->axis[1].length, grid->axis[2].length};
    char sides[9] = "";
    char points[6] = "";
    app_sides_text(grid, sides, points);
    const bool any = app_has_sides(grid);
    const psg_axis *last = &grid->axis[grid->axes - 1];
    const bool robin = last->bc[0] == PSG_BC_ROBIN || last->bc[1] == PSG_BC_ROBIN;
    const app_field_header header = {grid->axes,
                                     box,
                                     any ? sides : NULL,
                                     any ? points : NULL,
                                     robin ? last->robin : NULL,
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

int app_job_write_field(app_job *r, const void *u) {
    return r->arguments.out != NULL ? write_to(r, r->field, r->step, u) : APP_DONE;
}

/* For who finds the trace. NULL when out of memory. */
static json_t *about(const app_report *report) {
    json_t *object = app_runs_about(&report->runs);
    app_json_put_text(object, "grid", app_points_words(&report->grid, "x").text);
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
               : app_dag_write(&r->record, &r->report.runs.workers, &r->report.options,
                               r->file[APP_JOB_DAG].temporary, a->dag);
}

int app_job_write_results(app_job *r, void *const gradient[3]) {
    const app_arguments *a = &r->arguments;
    app_job_gradient *g = &r->gradient;
    int code = APP_DONE;
    for (size_t d = 0; d < g->components.count && !code; d++) {
        code = write_to(r, g->field, d, gradient[d]);
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
