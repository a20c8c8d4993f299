/* Every group of configurations is measured by processes of its own: StarPU starts there with the group's workers and
 * policy, and a policy that fails an assertion or never ends takes only these with it. They are this program once more:
 * alone, or as many as there are ranks by a launcher of MPI.
 *
 * A visit goes to their stdin as it is in memory, and records come back by their stdout: every launcher passes these on,
 * from and to rank 0, on one machine or on many. Records are lines of text with a mark, so that lines of somebody else's
 * between them do no harm, nor a terminal that the launcher puts there. */
#include "bench/visit.h"
#include "app/app.h"
#include "app/processes.h"
#include "base/file.h"
#include "bench/child.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* -------------------------------------------------------------------------------------- visits */

/* What stands before the configurations, and says that it is these which follow. */
typedef struct head {
    char name[16];
    size_t bytes[3];   /* of the structs that are sent: those of another build may be others */
    bench_visit visit; /* its pointers mean nothing */
} head;

static const head expected = {.name = "psg visit",
                              .bytes = {sizeof(head), sizeof(bench_config), sizeof(bench_record)}};

/* The values that are no defaults alone, each after its number: most are defaults, and the disk may be small. */
static void put_config(FILE *file, const bench_config *config) {
    fwrite(config, offsetof(bench_config, value), 1, file);
    for (int index = 0; index < APP_OPTIONS_MOST; index++) {
        if (config->value[index][0] != '\0') {
            fputc(index, file);
            fwrite(config->value[index], sizeof config->value[index], 1, file);
        }
    }
    fputc(APP_OPTIONS_MOST, file);
}

static bool get_config(FILE *file, bench_config *config) {
    bool good = fread(config, offsetof(bench_config, value), 1, file) == 1;
    int index = 0;
    while (good && (index = fgetc(file)) != APP_OPTIONS_MOST) {
        good = index >= 0 && index < APP_OPTIONS_MOST &&
               fread(config->value[index], sizeof config->value[index], 1, file) == 1;
    }
    return good;
}

/* @return 0; -1: errno says why */
static int put_visit(FILE *file, const bench_visit *visit) {
    head h = expected;
    if (visit != NULL) {
        h.visit = *visit;
    }
    fwrite(&h, sizeof h, 1, file);
    if (visit != NULL) {
        fwrite(visit->which, sizeof *visit->which, visit->count, file);
        for (size_t c = 0; c < visit->configs; c++) {
            put_config(file, &visit->config[c]);
        }
    }
    return fflush(file) || ferror(file) ? -1 : 0;
}

static int read_head(FILE *file, head *h) {
    if (app_rank() == 0 &&
        (fread(h, sizeof *h, 1, file) != 1 || memcmp(h, &expected, offsetof(head, visit)) != 0)) {
        return app_error(APP_USAGE, "psg visit is started by psg bench alone");
    }
    return APP_DONE;
}

static int read_arrays(FILE *file, bench_visit *visit) {
    if (visit->which == NULL || visit->config == NULL) {
        return app_error(APP_FAILED, "out of memory for %zu configurations", visit->configs);
    }
    bool good = app_rank() > 0 ||
                fread(visit->which, sizeof *visit->which, visit->count, file) == visit->count;
    for (size_t c = 0; app_rank() == 0 && good && c < visit->configs; c++) {
        good = get_config(file, &visit->config[c]);
    }
    if (!good) {
        return app_error(APP_FAILED, "psg visit: not all configurations have come");
    }
    return APP_DONE;
}

int bench_visit_get(FILE *file, bench_visit *visit) {
    head h;
    memset(&h, 0, sizeof h);
    int code = app_ranks_agree(read_head(file, &h));
    app_ranks_share(&h, sizeof h);
    *visit = h.visit;
    visit->which = NULL;
    visit->config = NULL;
    visit->mpirun = NULL;
    if (code || visit->count == 0) {
        return code;
    }
    visit->which = calloc(visit->count, sizeof *visit->which);
    visit->config = calloc(visit->configs, sizeof *visit->config);
    code = app_ranks_agree(read_arrays(file, visit));
    if (!code) {
        app_ranks_share(visit->which, visit->count * sizeof *visit->which);
        app_ranks_share(visit->config, visit->configs * sizeof *visit->config);
    }
    return code;
}

void bench_visit_free(bench_visit *visit) {
    free(visit->which);
    free(visit->config);
    visit->which = NULL;
    visit->config = NULL;
}

/* ------------------------------------------------------------------------------------- records */

static const char mark[] = "psg-record ";
enum { MARK = sizeof mark - 1 };

int bench_visit_put_record(int file, const bench_record *record) {
    static const char digits[] = "0123456789abcdef";
    const unsigned char *bytes = (const unsigned char *)record;
    char line[MARK + 2 * sizeof *record + 1];
    size_t used = sizeof *record, length = MARK;
    while (used > 0 && bytes[used - 1] == 0) { /* most are short texts */
        used--;
    }
    memcpy(line, mark, MARK);
    for (size_t b = 0; b < used; b++) {
        line[length++] = digits[bytes[b] >> 4];
        line[length++] = digits[bytes[b] & 15];
    }
    line[length++] = '\n';
    return base_write(file, line, length) ? 0 : -1;
}

/* The end where records come out. All zero but for the child before the first use. */
typedef struct reader {
    const bench_child *child; /* the lines that are no records go to what it said */
    char text[4 * sizeof(bench_record)];
    size_t length; /* of what was read and is no whole line yet */
} reader;

static int digit(char letter) {
    return letter >= '0' && letter <= '9'   ? letter - '0'
           : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10
                                            : -1;
}

/* Is the line a record? A launcher may put words of its own before it. */
static bool read_line(const char *line, bench_record *record) {
    const char *hex = strstr(line, mark);
    unsigned char *bytes = (unsigned char *)record;
    size_t used = 0;
    if (hex == NULL) {
        return false;
    }
    memset(record, 0, sizeof *record);
    for (hex += MARK; digit(hex[0]) >= 0 && digit(hex[1]) >= 0; hex += 2) {
        if (used == sizeof *record) {
            return false;
        }
        bytes[used++] = (unsigned char)(digit(hex[0]) << 4 | digit(hex[1]));
    }
    return hex[0] == '\0' || hex[0] == '\r';
}

/* Take whole lines out of what was read, up to the first that is a record; a line that is longer
 * than any record is nobody's. */
static bool take_lines(reader *r, bench_record *record) {
    for (;;) {
        char *end = memchr(r->text, '\n', r->length);
        if (end == NULL && r->length + 1 < sizeof r->text) {
            return false;
        }
        const size_t line = end != NULL ? (size_t)(end - r->text) : r->length;
        const size_t taken = end != NULL ? line + 1 : line;
        r->text[line] = '\0';
        const bool found = read_line(r->text, record);
        if (!found) {
            fprintf(r->child->said, "%s\n", r->text);
        }
        r->length -= taken;
        memmove(r->text, r->text + taken, r->length);
        if (found) {
            return true;
        }
    }
}

/* The next record, if it comes in so many seconds. @return 1; 0: there are no more; -1: none came in time */
static int get_record(reader *r, unsigned patience, bench_record *record) {
    const double until = app_now() + patience;
    while (!take_lines(r, record)) {
        const ssize_t more = bench_child_read(r->child, r->text + r->length,
                                              sizeof r->text - 1 - r->length, until - app_now());
        if (more <= 0) {
            return (int)more;
        }
        r->length += (size_t)more;
    }
    return 1;
}

/* -------------------------------------------------------------------------------- the command */

/* Where this program is, for a launcher that starts it by name, perhaps elsewhere. */
static const char *own_name(char *name, size_t size) {
    const ssize_t length = readlink("/proc/self/exe", name, size - 1);
    if (length > 0) {
        name[length] = '\0';
        return name;
    }
    return "psg"; /* not Linux: the one of PATH */
}

/* @return 0; -1: errno says why. bench_child_forget() after both */
static int start(bench_child *child, const bench_visit *visit) {
    char self[4096];
    const char *const words[] = {own_name(self, sizeof self), "visit", NULL};
    const unsigned ranks = visit != NULL ? visit->config[visit->which[0]].ranks : 1;
    char **command = bench_child_command(visit != NULL ? visit->mpirun : NULL, ranks, words);
    FILE *order = tmpfile();
    const bool ready = order != NULL && put_visit(order, visit) == 0;
    if (ready) {
        rewind(order);
    }
    const int failed = bench_child_start(child, ready ? command : NULL, order);
    const int why = errno;
    bench_child_free_command(command);
    if (order != NULL) {
        fclose(order);
    }
    errno = why;
    return failed;
}

/* ---------------------------------------------------------------------------- what was said */

/* The last line of what was printed: StarPU's last words, or a launcher's about who died. */
static void last_line(FILE *said, char *line, size_t size) {
    char text[256];
    line[0] = '\0';
    rewind(said);
    while (fgets(text, sizeof text, said) != NULL) {
        text[strcspn(text, "\r\n")] = '\0';
        if (text[strspn(text, "-")]) { /* a line of dashes is none */
            snprintf(line, size, "%s", text);
        }
    }
}

static void pass_on(FILE *said) {
    char text[512];
    const char *silent = getenv("STARPU_SILENT");
    rewind(said);
    while ((silent == NULL || strcmp(silent, "1") != 0) && fgets(text, sizeof text, said) != NULL) {
        fputs(text, stderr);
    }
}

static void describe_end(int status, const char *doing, const bench_child *child,
                         bench_outcome *outcome) {
    char line[400];
    outcome->well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    outcome->code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (outcome->well) {
        return;
    }
    if (!doing[0]) {
        bench_child_first_words(child, line, sizeof line);
        doing = "starting";
        if (line[0]) {
            snprintf(outcome->why, sizeof outcome->why, "did not start: %s", line);
            return;
        }
    }
    last_line(child->said, line, sizeof line);
    if (WIFSIGNALED(status)) {
        snprintf(outcome->why, sizeof outcome->why, "crashed while %s: signal %d (%s)%s%s", doing,
                 WTERMSIG(status), strsignal(WTERMSIG(status)), line[0] ? ": " : "", line);
    } else {
        snprintf(outcome->why, sizeof outcome->why, "ended while %s, with status %d%s%s", doing,
                 WEXITSTATUS(status), line[0] ? ": " : "", line);
    }
}

/* ------------------------------------------------------------------------------------- the visit */

int bench_visit_run(const bench_visit *visit, unsigned patience,
                    void (*heard)(void *context, const bench_record *record), void *context,
                    bench_outcome *outcome) {
    char doing[sizeof((bench_record *)0)->is.text] = "";
    bench_record record;
    reader r;
    bench_child c;
    int got;
    memset(outcome, 0, sizeof *outcome);
    memset(&r, 0, sizeof r);
    if (start(&c, visit)) {
        app_error(APP_FAILED, "no process to measure in: %s", strerror(errno));
        bench_child_forget(&c);
        return APP_FAILED;
    }
    r.child = &c;
    while ((got = get_record(&r, patience, &record)) > 0) {
        if (visit != NULL && record.config >= visit->configs) {
            continue; /* nothing of ours: a launcher has mixed lines up */
        }
        if (record.kind == BENCH_RECORD_BEGIN) {
            outcome->config = record.config;
            outcome->blamed = 1;
            snprintf(doing, sizeof doing, "%s", record.is.text);
        }
        heard(context, &record);
    }
    if (got < 0) {
        bench_child_ask_to_end(&c);
    }
    describe_end(bench_child_reap(&c), doing, &c, outcome);
    if (got < 0) {
        outcome->well = 0;
        snprintf(outcome->why, sizeof outcome->why, "was still %s after %u s without a sign",
                 doing[0] ? doing : "starting", patience);
    }
    pass_on(c.said);
    bench_child_forget(&c);
    return APP_DONE;
}
