/* What the programs of a study are asked for: a row of a table is a study, or a program of one. And how they are run: they
 * write rows of CSV on stdout, and words on stderr. */
#include "bench/program_jobs.h"
#include "app/app.h"
#include "bench/child.h"
#include "bench/groups.h"
#include "bench/program_columns.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ----------------------------------------------------------------------------------------- jobs */

/* What it is asked for beside the grid: threads; a number of processes that share the cores; of
 * GPUs, or as many as it finds; of GPUs in one process, and of processes with a GPU each. */
typedef enum unit { THREADS, PROCESSES, GPUS, GPU_PROCESSES } unit;

typedef struct part {
    const char *study, *program, *needs;
    const char *grids, *larger; /* and those that --large adds */
    unit unit;
} part;

#define SIZES "64,128,256", "512"
#define TESTS "PSG_TESTS=ON"

static const part parts[] = {
    {"peers", "bench_cores fftw", TESTS ", and OpenMP", SIZES, THREADS},
    {"peers", "bench_cores mkl", TESTS ", and OpenMP", SIZES, THREADS},
    {"peers", "bench_cores fftw_mpi", TESTS ", and OpenMP", SIZES, PROCESSES},
    {"peers", "bench_gpus cufft", TESTS ", OpenMP, and CUDA", "256,512", "1024", GPUS},
    {"embed", "bench_gpus embed", TESTS ", OpenMP, and CUDA", "64,256,512", "1024", GPU_PROCESSES},
};

static const struct study {
    const char *name, *columns, *shown;
    bool memory; /* --memory limits a grid's works */
} studies[] = {
    {"peers", BENCH_PEERS_COLUMNS,
     "peer,grid,ranks,threads,gpus,peer_seconds,psg_seconds,ratio,peer_gflops,psg_gflops", true},
    {"embed", BENCH_EMBED_COLUMNS, "door,grid,ranks,gpus,exchange,seconds,ratio,gflops", false},
};

static bench_program_job *add(bench_program_jobs *jobs, const part *p) {
    bench_program_job *more = realloc(jobs->job, (jobs->count + 1) * sizeof *more);
    if (more == NULL) {
        app_error(APP_FAILED, "out of memory for the jobs");
        return NULL;
    }
    jobs->job = more;
    more[jobs->count] = (bench_program_job){.program = p->program, .needs = p->needs, .ranks = 1};
    return &more[jobs->count++];
}

static int add_one(bench_program_jobs *jobs, const part *p, const size_t n[3], int cpus, int gpus,
                   unsigned ranks) {
    char count[32] = "", grid[80];
    bench_program_job *job = add(jobs, p);
    if (job == NULL) {
        return APP_FAILED;
    }
    if (cpus > 0) {
        snprintf(count, sizeof count, "--cpus %d ", cpus);
    } else if (p->unit >= GPUS && gpus >= 0) {
        snprintf(count, sizeof count, "--gpus %d ", gpus);
    }
    snprintf(grid, sizeof grid, "%zux%zux%zu", n[0], n[1], n[2]);
    snprintf(job->options, sizeof job->options, "%s%s", count, grid);
    job->ranks = ranks;
    return APP_DONE;
}

static int add_config(bench_program_jobs *jobs, const part *p, const size_t n[3],
                      const psg_options *o) {
    if (p->unit == GPU_PROCESSES) {
        const int code = add_one(jobs, p, n, 0, o->gpus, 1);
        return code || o->gpus <= 1 ? code : add_one(jobs, p, n, 0, 1, (unsigned)o->gpus);
    }
    if (p->unit != PROCESSES) {
        return add_one(jobs, p, n, p->unit == THREADS ? o->cpus : 0, o->gpus, 1);
    }
    const unsigned cores = (unsigned)o->cpus;
    int code = APP_DONE;
    for (unsigned ranks = 2; ranks <= cores && !code;
         ranks = ranks < cores && 2 * ranks > cores ? cores : 2 * ranks) {
        code = add_one(jobs, p, n, (int)(cores / ranks), -1, ranks);
    }
    return code;
}

/* "1,4" for 4 GPUs; "1", without any: the program says that there is none. */
static int list_gpus(const bench_arguments *a, char *text, size_t size) {
    app_progress none = {0};
    bench_groups groups = {.patience = a->patience, .progress = &none};
    const int code = bench_groups_find_machine(&groups);
    snprintf(text, size, groups.machine.gpus > 1 ? "1,%u" : "1", groups.machine.gpus);
    return code;
}

/* Lists that the user may give; the sweep reads them, and says what is wrong with them. */
static int add_part(bench_program_jobs *jobs, const part *p, const bench_arguments *a,
                    unsigned cores) {
    char grids[160], counts[32];
    const char *lists[BENCH_LISTS_MOST] = {NULL};
    bench_sweep sweep = {.count = 0};
    snprintf(grids, sizeof grids, "%s%s%s", p->grids, a->large ? "," : "",
             a->large ? p->larger : "");
    snprintf(counts, sizeof counts, "%u", cores);
    lists[BENCH_LIST_GRID] = a->list[BENCH_LIST_GRID] != NULL ? a->list[BENCH_LIST_GRID] : grids;
    const size_t workers = bench_list(p->unit >= GPUS ? "gpus" : "cpus");
    lists[workers] = a->list[workers] != NULL || p->unit == GPUS ? a->list[workers] : counts;
    int code = APP_DONE;
    if (p->unit == GPU_PROCESSES && a->list[workers] == NULL) {
        code = list_gpus(a, counts, sizeof counts);
    }
    code = code ? code : bench_sweep_add(&sweep, lists);
    for (size_t c = 0; c < sweep.count && !code; c++) {
        psg_options o;
        bench_config_options(&sweep.config[c], &o);
        if (o.cpus == 0 || o.gpus == 0) {
            continue; /* what is of none is left out */
        }
        o.cpus = p->unit < GPUS && o.cpus < 0 ? (int)cores : o.cpus; /* the word default */
        code = add_config(jobs, p, sweep.config[c].grid.n, &o);
    }
    bench_sweep_free(&sweep);
    return code;
}

/* What means nothing to these programs is refused, and not left out in silence. */
static int check(const bench_arguments *a, bool memory) {
    for (size_t list = 0; list < bench_lists(); list++) {
        const bool meant =
            list == BENCH_LIST_GRID || list == bench_list("cpus") || list == bench_list("gpus");
        if (a->list[list] != NULL && !meant) {
            return app_error(APP_USAGE, "--%s means nothing to --study %s", bench_list_option(list),
                             a->study);
        }
    }
    if (a->memory > 0 && !memory) {
        return app_error(APP_USAGE, "--memory means nothing to --study %s", a->study);
    }
    return a->bounds ? app_error(APP_USAGE, "--bounds means nothing to --study %s", a->study)
                     : APP_DONE;
}

int bench_program_jobs_make(bench_program_jobs *jobs, const bench_arguments *arguments,
                            unsigned cores) {
    const struct study *study = studies;
    while (strcmp(study->name, arguments->study) != 0) {
        study++; /* the name is that of one: bench_study_is_program() */
    }
    *jobs = (bench_program_jobs){.columns = study->columns, .shown = study->shown};
    int code = check(arguments, study->memory);
    for (size_t p = 0; p < sizeof parts / sizeof parts[0] && !code; p++) {
        if (strcmp(parts[p].study, study->name) == 0) {
            code = add_part(jobs, &parts[p], arguments, cores);
        }
    }
    return code || jobs->count > 0
               ? code
               : app_error(APP_USAGE, "--study %s: nothing is left of it, without cores and GPUs",
                           arguments->study);
}

void bench_program_jobs_free(bench_program_jobs *jobs) {
    free(jobs->job);
    jobs->job = NULL;
    jobs->count = 0;
}

bool bench_program_is_text(const char *column) {
    static const char *const texts[] = {"grid",     "peer",   "door",      "precision",
                                        "exchange", "status", "gpu_model", "variant"};
    size_t t = 0;
    while (t < sizeof texts / sizeof *texts && strcmp(column, texts[t]) != 0) {
        t++;
    }
    return t < sizeof texts / sizeof *texts;
}

void bench_program_job_text(const bench_program_job *job, char *text, size_t size) {
    char launcher[32] = "";
    if (job->ranks > 1) {
        snprintf(launcher, sizeof launcher, "mpirun -n %u ", job->ranks);
    }
    snprintf(text, size, "%s%s %s", launcher, job->program, job->options);
}

/* ------------------------------------------------------------------------------------------ runs */

/* A program that ends so has found nothing here that it could measure (a GPU's, without one). */
enum { NOT_HERE = 77, WORDS_MOST = 32 };

/* Where they are, from where psg is: installed, and built. */
static const char *const places[] = {PSG_PROGRAMS_FROM_BIN, "bench/programs"};

/* Of one run. */
typedef struct run {
    const bench_program_job *job;
    const bench_arguments *arguments;
    app_progress *progress;
    const char *shown;
    bench_table *rows;
    bench_child child;
    int status;  /* as wait() has it */
    bool silent; /* nothing came for too long */
    char *why;
    size_t size;
} run;

/* "bench_cores fftw": the program, and the peer, which is its first word.
 * @return 0; -1: it is nowhere, and `where` says where it was looked for */
static int find_program(const char *program, char *path, size_t size, char *where,
                        size_t where_size) {
    char self[PATH_MAX];
    const char *folder = getenv("PSG_BENCH_PROGRAMS");
    const bool told = folder != NULL && folder[0];
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(program, " "), program);
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    const char *own = dirname(self);
    const size_t count = told ? 1 : sizeof places / sizeof places[0];
    size_t said = 0;
    for (size_t l = 0; l < count; l++) {
        const int written = told ? snprintf(path, size, "%s/%s", folder, name)
                                 : snprintf(path, size, "%s/%s/%s", own, places[l], name);
        if (written > 0 && (size_t)written < size && access(path, X_OK) == 0) {
            return 0;
        }
        if (said < where_size) {
            said += (size_t)snprintf(where + said, where_size - said, "%s%.400s",
                                     l ? ", and no " : "there is no ", path);
        }
    }
    return -1;
}

/* What a child writes on stdout, to its end. @return a file of it; NULL: errno says why */
static FILE *listen_to(run *r) {
    FILE *heard = tmpfile();
    char text[4096];
    size_t lines = 0;
    ssize_t length = 1;
    while (heard != NULL && length > 0) {
        length = bench_child_read(&r->child, text, sizeof text, r->arguments->patience);
        for (ssize_t at = 0; at < length; at++) {
            lines += text[at] == '\n';
        }
        if (length > 0) {
            fwrite(text, 1, (size_t)length, heard);
            app_progress_step(r->progress, "%s, %zu rows", r->shown, lines ? lines - 1 : 0);
        }
    }
    r->silent = length < 0;
    return heard;
}

/* Numbers are numbers, and times are there if all is well. @return 0; -1: `why` says what is wrong */
static int check_rows(const bench_table *rows, const char *program, char *why, size_t size) {
    const size_t status = bench_table_column(rows, "status");
    for (size_t r = 0; r < rows->rows; r++) {
        for (size_t c = 0; c < rows->columns; c++) {
            const char *text = bench_table_get(rows, r, c);
            char *rest;
            const double value = strtod(text, &rest);
            const bool is_time = strstr(rows->column[c].name, "seconds") != NULL;
            const bool ok = strcmp(bench_table_get(rows, r, status), "ok") == 0;
            if ((!rows->column[c].is_text && *rest) || (is_time && ok && !(value > 0)) ||
                (c == status && !text[0])) {
                snprintf(why, size, "%s wrote a row with %s '%.40s'", program, rows->column[c].name,
                         text);
                return -1;
            }
        }
    }
    return 0;
}

/* The rows of a file up to the last whole line. */
static int read_rows(run *r, FILE *heard) {
    const char *program = r->job->program;
    char words[600] = "";
    long end = 0, at = 0;
    rewind(heard);
    for (int letter; (letter = getc(heard)) != EOF;) {
        at++;
        end = letter == '\n' ? at : end;
    }
    if (ftruncate(fileno(heard), end) || fseek(heard, 0, SEEK_SET)) {
        return app_error(APP_FAILED, "what %s wrote cannot be read: %s", program, strerror(errno));
    }
    const int code = bench_table_read(r->rows, heard, words, sizeof words);
    if (code == APP_FAILED) {
        return app_error(APP_FAILED, "what %s wrote: %s", program, words);
    }
    if (code) {
        snprintf(r->why, r->size, "%s is not of this psg: %s", program, words);
    }
    if (code || check_rows(r->rows, program, r->why, r->size)) {
        bench_table_free(r->rows);
    } else if (r->rows->rows == 0) {
        snprintf(r->why, r->size, "%s wrote no row", program);
    }
    return APP_DONE;
}

static void describe_end(run *r) {
    char line[400];
    bench_child_last_words(&r->child, r->job->program, line, sizeof line);
    const char *words = line[0] ? line : "without a word";
    if (r->silent) {
        snprintf(r->why, r->size, "no row came for %u s", r->arguments->patience);
    } else if (WIFSIGNALED(r->status)) {
        snprintf(r->why, r->size, "crashed: signal %d (%s): %s", WTERMSIG(r->status),
                 strsignal(WTERMSIG(r->status)), words);
    } else if (WEXITSTATUS(r->status) == NOT_HERE) {
        snprintf(r->why, r->size, "%s", words);
    } else if (WEXITSTATUS(r->status)) {
        snprintf(r->why, r->size, "ended with status %d: %s", WEXITSTATUS(r->status), words);
    }
}

/* How it ended says more than what became of its rows. */
static int follow(run *r) {
    FILE *heard = listen_to(r);
    const int why = errno;
    if (r->silent || heard == NULL) {
        bench_child_ask_to_end(&r->child);
    }
    r->status = bench_child_reap(&r->child);
    if (heard == NULL) {
        return app_error(APP_FAILED, "no file for what %s writes: %s", r->job->program,
                         strerror(why));
    }
    const int code = read_rows(r, heard);
    fclose(heard);
    describe_end(r);
    return code;
}

static char **make_command(const run *r, const char *path) {
    const bench_arguments *a = r->arguments;
    char options[sizeof r->job->options], repeat[16], warm_up[16], seed[16], memory[32];
    const char *peer = r->job->program + strcspn(r->job->program, " ") + 1;
    const char *words[WORDS_MOST + 1] = {path,        peer,    "--rows", "--repeat", repeat,
                                         "--warm-up", warm_up, "--seed", seed};
    size_t count = 9;
    snprintf(repeat, sizeof repeat, "%u", a->repeat);
    snprintf(warm_up, sizeof warm_up, "%d", a->warm_up);
    snprintf(seed, sizeof seed, "%d", a->seed);
    if (a->memory > 0) {
        snprintf(memory, sizeof memory, "%.12g", a->memory);
        words[count++] = "--memory";
        words[count++] = memory;
    }
    memcpy(options, r->job->options, sizeof options);
    char *rest = NULL;
    for (char *word = strtok_r(options, " ", &rest); word != NULL && count < WORDS_MOST;
         word = strtok_r(NULL, " ", &rest)) {
        words[count++] = word;
    }
    return bench_child_command(a->mpirun, r->job->ranks, words);
}

int bench_program_run(const bench_program_job *job, const bench_arguments *arguments,
                      app_progress *progress, const char *shown, bench_table *rows, bool *was_there,
                      char *why, size_t size) {
    char path[PATH_MAX], where[900];
    run r = {.job = job,
             .arguments = arguments,
             .progress = progress,
             .shown = shown,
             .rows = rows,
             .why = why,
             .size = size};
    why[0] = '\0';
    *was_there = find_program(job->program, path, sizeof path, where, sizeof where) == 0;
    if (!*was_there) {
        snprintf(why, size, "was not built (it needs %s): %s", job->needs, where);
        return APP_DONE;
    }
    char **command = make_command(&r, path);
    if (command == NULL) {
        return app_error(APP_FAILED, "out of memory for the command");
    }
    int code = APP_FAILED;
    if (bench_child_start(&r.child, command, NULL)) {
        app_error(APP_FAILED, "%s cannot be started: %s", job->program, strerror(errno));
    } else {
        code = follow(&r);
        *was_there = !WIFEXITED(r.status) || WEXITSTATUS(r.status) != NOT_HERE;
    }
    bench_child_forget(&r.child);
    bench_child_free_command(command);
    return code;
}
