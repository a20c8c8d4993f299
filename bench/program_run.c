/* Running a measuring program: it writes rows of CSV on stdout, and words on stderr. */
#include "bench/program_run.h"
#include "app/app.h"
#include "bench/child.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* @return 0; -1: it is nowhere, and `where` says where it was looked for */
static int find_program(const char *name, char *path, size_t size, char *where, size_t where_size) {
    char self[PATH_MAX];
    const char *folder = getenv("PSG_BENCH_PROGRAMS");
    const bool told = folder != NULL && folder[0];
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
    while (heard != NULL) {
        struct pollfd wait = {.fd = r->child.ends[0], .events = POLLIN};
        const unsigned patience = r->arguments->patience;
        const int ready = poll(&wait, 1, patience < 1000000 ? (int)patience * 1000 : -1);
        const ssize_t length = ready > 0 ? read(r->child.ends[0], text, sizeof text) : -1;
        r->silent = ready == 0;
        if (r->silent || length == 0 || (length < 0 && errno != EINTR)) {
            break;
        }
        for (ssize_t at = 0; at < length; at++) {
            lines += text[at] == '\n';
        }
        if (length > 0) {
            fwrite(text, 1, (size_t)length, heard);
            app_progress_step(r->progress, "%s, %zu rows", r->shown, lines ? lines - 1 : 0);
        }
    }
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
    const int code = bench_table_read_file(r->rows, heard, words, sizeof words);
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
    const char *words[WORDS_MOST + 1] = {path,        "--rows", "--repeat", repeat,
                                         "--warm-up", warm_up,  "--seed",   seed};
    size_t count = 8;
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
