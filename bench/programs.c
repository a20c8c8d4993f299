/* psg bench with a study that programs of their own measure. A job is one start of a program;
 * its rows go into the file when it has ended. What a row was measured by, on which machine and
 * with which versions say what it is, so that the file can be gone on with. */
#include "bench/programs.h"
#include "app/app.h"
#include "app/load.h"
#include "app/output.h"
#include "app/processes.h"
#include "app/progress.h"
#include "bench/circumstances.h"
#include "bench/files.h"
#include "bench/program_jobs.h"
#include "graph/psg_machine.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Columns after those of the study. */
enum { COMMAND = 0, LOAD = 11, DATE = 13, OWN_COLUMNS };
static const bench_column own_columns[OWN_COLUMNS] = {
    [COMMAND] = {"command", true, true},
    {"warm_up", false, false},
    {"seed", false, false},
    {"psg_version", true, true},
    {"starpu_version", true, true},
    {"fftw_version", true, true},
    {"cuda_version", true, true},
    {"mpi_version", true, true},
    {"host", true, true},
    {"cpu_model", true, true},
    {"cores", false, true},
    [LOAD] = {"load", false, false},
    {"load_average", false, false},
    [DATE] = {"date", true, false},
};

typedef struct programs {
    const bench_arguments *arguments;
    bench_program_jobs jobs;
    bench_circumstances at;
    char *measured;       /* the study's columns, with 0 for the commas */
    bench_column *column; /* all columns; the first `study_columns` are the study's */
    size_t study_columns, status;
    bench_table table;
    bench_table wanted;  /* one row, which has the identity of those that are looked for */
    char *of_this_run;   /* of each row: is it one of the jobs', and was it there already? */
    char *old;           /* of each job: the file has its rows */
    double load;         /* cores that others kept busy, of the latest job; NAN: not known */
    double highest_load; /* of all jobs */
    size_t runs, loaded; /* jobs: all, and those with a high load */
    app_load began;
    app_notes notes;
    bench_files files;
    app_progress progress;
} programs;

/* ------------------------------------------------------------------------------------- columns */

static int make_columns(programs *p) {
    size_t count = 1;
    p->measured = strdup(p->jobs.columns);
    for (const char *at = p->jobs.columns; *at; at++) {
        count += *at == ',';
    }
    p->study_columns = count;
    p->column = calloc(count + OWN_COLUMNS, sizeof *p->column);
    if (p->measured == NULL || p->column == NULL) {
        return app_error(APP_FAILED, "out of memory");
    }
    char *rest = NULL, *name = strtok_r(p->measured, ",", &rest);
    for (size_t c = 0; c < count; c++, name = strtok_r(NULL, ",", &rest)) {
        p->column[c] = (bench_column){.name = name, .is_text = bench_program_is_text(name)};
    }
    memcpy(&p->column[count], own_columns, sizeof own_columns);
    bench_table_init(&p->table, p->column, count + OWN_COLUMNS);
    bench_table_init(&p->wanted, p->column, count + OWN_COLUMNS);
    p->status = bench_table_column(&p->table, "status");
    return bench_table_add(&p->wanted, 0) == SIZE_MAX ||
                   bench_circumstances_put(&p->at, &p->wanted, 0)
               ? app_error(APP_FAILED, "out of memory")
               : APP_DONE;
}

/* Is it of this command, machine and versions? One start of a program has several such rows, which another start
 * replaces together. */
static bool is_row_of(programs *p, size_t row, const char *command) {
    return bench_table_set(&p->wanted, 0, p->study_columns + COMMAND, command) == 0 &&
           bench_table_is_same(&p->table, row, &p->wanted, 0);
}

static const char *status_of(const programs *p, size_t row) {
    return bench_table_get(&p->table, row, p->status);
}

/* Has the file all rows of the command, by as many repeats? */
static bool is_done(programs *p, const char *command) {
    const size_t repeats = bench_table_column(&p->table, "repeats");
    size_t rows = 0;
    for (size_t row = 0; row < p->table.rows; row++) {
        if (is_row_of(p, row, command)) {
            rows++;
            if (strcmp(status_of(p, row), "ok") != 0 ||
                strtoul(bench_table_get(&p->table, row, repeats), NULL, 10) <
                    p->arguments->repeat) {
                return false;
            }
        }
    }
    return rows > 0;
}

/* -------------------------------------------------------------------------------------- rows */

/* Take out the old rows of a command. @return where the first of them was, or the end */
static size_t take_out(programs *p, const char *command) {
    size_t at = p->table.rows;
    for (size_t row = p->table.rows; row-- > 0;) {
        if (is_row_of(p, row, command)) {
            bench_table_remove(&p->table, row);
            at = row;
        }
    }
    return at;
}

static int finish_row(programs *p, size_t row, const char *command) {
    const size_t own = p->study_columns;
    const bool failed = row == SIZE_MAX || bench_circumstances_put(&p->at, &p->table, row) ||
                        bench_table_set(&p->table, row, own + COMMAND, command) ||
                        bench_table_set_number(&p->table, row, own + LOAD, p->load);
    return failed ? app_error(APP_FAILED, "out of memory for the results") : APP_DONE;
}

typedef struct news {
    programs *p;
    const bench_program_job *job;
    const char *command; /* that the rows are known by */
    const bench_table *rows;
    const char *why;
} news;

/* Put a job's rows in the place of its old ones, and, if it failed, one more that says why. That its
 * program was not there is no longer so. */
static int put_rows(void *context, bool read_again) {
    const news *n = context;
    programs *p = n->p;
    (void)read_again;
    if (n->command != n->job->program) {
        (void)take_out(p, n->job->program);
    }
    size_t at = take_out(p, n->command);
    int code = APP_DONE;
    for (size_t r = 0; r < n->rows->rows && !code; r++) {
        code = finish_row(p, bench_table_copy(&p->table, at++, n->rows, r), n->command);
    }
    if (!code && n->why[0]) {
        const size_t row = bench_table_add(&p->table, at);
        const bool failed = row == SIZE_MAX || bench_table_set(&p->table, row, p->status, n->why);
        code = finish_row(p, failed ? SIZE_MAX : row, n->command);
    }
    return code;
}

/* ------------------------------------------------------------------------------------- the run */

enum { OTHERS = 0, MEASURED_NOW, WAS_THERE };

/* Which rows are those of the jobs, for the table and the exit code. */
static char whose(programs *p, size_t row) {
    char command[160];
    for (size_t j = 0; j < p->jobs.count; j++) {
        bench_program_job_text(&p->jobs.job[j], command, sizeof command);
        if (is_row_of(p, row, command) || is_row_of(p, row, p->jobs.job[j].program)) {
            return p->old[j] ? WAS_THERE : MEASURED_NOW;
        }
    }
    return OTHERS;
}

/* What others did while a job ran, or, if that was too short to tell, since the beginning. */
static void find_load(programs *p, const app_load *before, bool has_rows) {
    const app_load now = app_load_now();
    p->load = app_load_between(before, &now);
    p->load = isnan(p->load) ? app_load_between(&p->began, &now) : p->load;
    if (has_rows) {
        p->runs++;
        p->loaded += (size_t)app_load_is_high(p->load, p->at.machine.cores);
        p->highest_load = fmax(p->highest_load, p->load);
    }
}

/* A program that is not there, or has nothing to measure here, is one row under its own name. */
static int run_job(programs *p, size_t number, const char **left_out) {
    const bench_program_job *job = &p->jobs.job[number];
    char command[160], shown[200], why[1024];
    bool was_there;
    int code;
    bench_table rows;
    bench_program_job_text(job, command, sizeof command);
    bench_table_init(&rows, p->column, p->study_columns);
    if (p->old[number]) {
        return APP_DONE;
    }
    snprintf(shown, sizeof shown, "%zu/%zu %s", number + 1, p->jobs.count, command);
    app_progress_step(&p->progress, "%s", shown);
    const app_load before = app_load_now();
    code = bench_program_run(job, p->arguments, &p->progress, shown, &rows, &was_there, why,
                             sizeof why);
    find_load(p, &before, rows.rows > 0);
    if (!code) {
        news n = {p, job, was_there ? command : job->program, &rows, why};
        *left_out = was_there ? *left_out : job->program;
        code = bench_files_update(&p->files, &p->table, put_rows, &n);
    }
    bench_table_free(&rows);
    return code;
}

/* Which jobs' rows the file has; what it says of them is told once. */
static int find_old(programs *p) {
    char command[160];
    bench_old old = {.count = 0};
    p->old = calloc(p->jobs.count + 1, 1);
    if (p->old == NULL) {
        return app_error(APP_FAILED, "out of memory for %zu jobs", p->jobs.count);
    }
    for (size_t j = 0; j < p->jobs.count; j++) {
        bench_program_job_text(&p->jobs.job[j], command, sizeof command);
        p->old[j] = (char)(!p->arguments->again && is_done(p, command));
        for (size_t row = 0; row < p->table.rows; row++) {
            if (p->old[j] && is_row_of(p, row, command)) {
                bench_old_add(&old, bench_table_get(&p->table, row, p->study_columns + DATE));
            }
        }
    }
    bench_old_note(&old, 0, bench_files_main(&p->files), &p->notes);
    return APP_DONE;
}

static int run_jobs(programs *p) {
    const char *left_out = "";
    int code = APP_DONE;
    for (size_t j = 0; j < p->jobs.count && !code; j++) {
        if (strcmp(left_out, p->jobs.job[j].program) != 0) {
            code = run_job(p, j, &left_out);
        }
    }
    return code;
}

/* ---------------------------------------------------------------------------------- for people */

/* Milliseconds are easier to read than a row of zeros. */
static void cell(const programs *p, size_t row, size_t column, char *text, size_t size) {
    const char *value = bench_table_get(&p->table, row, column);
    const char *name = p->column[column].name;
    if (!value[0] || p->column[column].is_text) {
        snprintf(text, size, "%s", value[0] ? value : "-");
    } else if (strstr(name, "seconds") != NULL) {
        snprintf(text, size, "%.4g", 1e3 * strtod(value, NULL));
    } else {
        snprintf(text, size, "%.*g", value[strspn(value, "0123456789")] ? 4 : 12,
                 strtod(value, NULL));
    }
}

static void heading(const programs *p, size_t column, char *text, size_t size) {
    const char *name = p->column[column].name, *seconds = strstr(name, "seconds");
    if (seconds != NULL) {
        snprintf(text, size, "%.*sms", (int)(seconds - name), name);
    } else {
        snprintf(text, size, "%s", name);
    }
}

static void print(const programs *p) {
    char text[256];
    size_t shown[32], count = 0;
    int width[32];
    for (const char *at = p->jobs.shown; *at && count < 32;
         at += strcspn(at, ","), at += *at == ',') {
        snprintf(text, sizeof text, "%.*s", (int)strcspn(at, ","), at);
        shown[count++] = bench_table_column(&p->table, text);
    }
    for (size_t s = 0; s < count; s++) {
        heading(p, shown[s], text, sizeof text);
        width[s] = (int)strlen(text);
        for (size_t row = 0; row < p->table.rows; row++) {
            cell(p, row, shown[s], text, sizeof text);
            width[s] =
                p->of_this_run[row] && (int)strlen(text) > width[s] ? (int)strlen(text) : width[s];
        }
        heading(p, shown[s], text, sizeof text);
        printf("%-*s ", width[s], text);
    }
    printf("status\n");
    for (size_t row = 0; row < p->table.rows; row++) {
        if (!p->of_this_run[row]) {
            continue;
        }
        if (!bench_table_get(&p->table, row, 0)[0]) {
            app_say("%s: %s\n", bench_table_get(&p->table, row, p->study_columns + COMMAND),
                    status_of(p, row));
            continue;
        }
        for (size_t s = 0; s < count; s++) {
            cell(p, row, shown[s], text, sizeof text);
            printf("%-*s ", width[s], text);
        }
        const bool old = p->of_this_run[row] == WAS_THERE;
        app_say("%s%s%.10s\n", status_of(p, row), old ? ", measured " : "",
                old ? bench_table_get(&p->table, row, p->study_columns + DATE) : "");
    }
}

static int tell(programs *p, int code) {
    size_t good = 0, first = SIZE_MAX;
    p->of_this_run = calloc(p->table.rows + 1, 1);
    if (p->of_this_run == NULL) {
        return app_error(APP_FAILED, "out of memory");
    }
    for (size_t row = 0; row < p->table.rows; row++) {
        p->of_this_run[row] = whose(p, row);
        if (p->of_this_run[row]) {
            good += strcmp(status_of(p, row), "ok") == 0;
            first = first < row ? first : row;
        }
    }
    if (p->loaded > 0) {
        app_load_note(p->highest_load, p->at.machine.cores, p->loaded, p->runs, "run", &p->notes);
    }
    if (!p->arguments->quiet && bench_files_leave_stdout(&p->files)) {
        print(p);
    }
    code = bench_files_finish(&p->files, &p->table, code);
    if (!code && good == 0) {
        code = app_error(APP_FAILED, "nothing was measured, the first: %s: %s",
                         first < p->table.rows
                             ? bench_table_get(&p->table, first, p->study_columns + COMMAND)
                             : p->arguments->study,
                         first < p->table.rows ? status_of(p, first) : "no program");
    }
    return code;
}

int bench_programs(const bench_arguments *arguments) {
    programs p = {.arguments = arguments, .began = app_load_now()};
    if (psg_simulation()) {
        return app_error(APP_USAGE, "--study %s measures programs, and this psg simulates machines",
                         arguments->study);
    }
    app_signals_install(app_rank() > 0);
    p.at = bench_circumstances_find(arguments->warm_up, arguments->seed);
    int code = bench_program_jobs_make(&p.jobs, arguments,
                                       p.at.machine.cores > 0 ? (unsigned)p.at.machine.cores : 1);
    code = code ? code : make_columns(&p);
    if (!code) {
        code =
            bench_files_open(&p.files, arguments->csv, arguments->json, arguments->force, &p.table);
        p.files.notes = &p.notes;
        p.notes.quiet = arguments->quiet;
    }
    code = code ? code : find_old(&p);
    if (!code) {
        app_progress_start(&p.progress, !arguments->quiet);
        code = run_jobs(&p);
        app_progress_stop(&p.progress);
        code = tell(&p, code); /* what was measured is shown even where it could not be written */
    }
    bench_table_free(&p.table);
    bench_table_free(&p.wanted);
    bench_program_jobs_free(&p.jobs);
    free(p.of_this_run);
    free(p.old);
    free(p.column);
    free(p.measured);
    return code;
}
