/* Every group of configurations is measured by processes of its own: StarPU starts there with
 * the group's workers and policy, and a policy that fails an assertion or never ends takes only
 * these with it. They are this program once more: alone, or as many as there are ranks by a
 * launcher of MPI. */
#include "bench/visit.h"
#include "app/app.h"
#include "app/processes.h"
#include "bench/child.h"
#include "bench/commands.h"
#include "bench/wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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
    const bool ready = order != NULL && bench_wire_put_visit(order, visit) == 0;
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

/* ------------------------------------------------------------------------------------ both ends */

int bench_visit_run(const bench_visit *visit, unsigned patience,
                    void (*heard)(void *context, const bench_record *record), void *context,
                    bench_outcome *outcome) {
    char doing[sizeof((bench_record *)0)->is.text] = "";
    bench_record record;
    bench_wire_reader reader;
    bench_child c;
    int got;
    memset(outcome, 0, sizeof *outcome);
    memset(&reader, 0, sizeof reader);
    if (start(&c, visit)) {
        app_error(APP_FAILED, "no process to measure in: %s", strerror(errno));
        bench_child_forget(&c);
        return APP_FAILED;
    }
    reader.file = c.ends[0];
    reader.others = c.said;
    while ((got = bench_wire_get_record(&reader, patience, &record)) > 0) {
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

int bench_visit_serve(int argc, char **argv) {
    bench_visit visit;
    (void)argc;
    (void)argv;
    /* what anybody else prints goes where the messages go */
    const int records = app_rank() == 0 ? dup(STDOUT_FILENO) : -1;
    int code =
        app_ranks_agree(app_rank() > 0 || (records >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
                            ? APP_DONE
                            : app_error(APP_FAILED, "psg visit: no stdout: %s", strerror(errno)));
    memset(&visit, 0, sizeof visit);
    if (!code) {
        code = bench_wire_get_visit(stdin, &visit);
    }
    if (!code && visit.count > 0) {
        code = bench_measure(&visit, records);
    } else if (!code) {
        bench_measure_machine(records);
    }
    bench_wire_free_visit(&visit);
    if (records >= 0) {
        close(records);
    }
    return code;
}
