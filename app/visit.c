/* Every group of configurations is measured by processes of its own: StarPU starts there with the group's workers
   and policy, and a policy that fails an assertion or never ends takes only these with it. They are this
   program once more: alone, or as many as there are ranks by a launcher of MPI. What a launcher is told to
   end it ends, on other machines too, so SIGTERM comes before SIGKILL. */
#include "app/visit.h"
#include "app/app.h"
#include "app/output.h"
#include "app/ranks.h"
#include "app/wire.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wordexp.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

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

int app_visit_check_command(const char *text) {
    wordexp_t words;
    if (wordexp(text, &words, WRDE_NOCMD)) {
        return -1;
    }
    const int empty = words.we_wordc == 0 || words.we_wordv[0][0] == '\0';
    wordfree(&words);
    return empty ? -1 : 0;
}

/* The words of the command, to be freed by free_command(); NULL when out of memory. */
static char **make_command(const app_visit *visit) {
    enum { OWN = 4 };
    const unsigned ranks = visit ? visit->config[visit->which[0]].ranks : 1;
    char number[16], self[4096];
    const char *own[OWN + 1] = {"-n", number, own_name(self, sizeof self), "visit", NULL};
    const char *const *rest = ranks > 1 ? own : own + 2;
    wordexp_t words = {.we_wordc = 0};
    snprintf(number, sizeof number, "%u", ranks);
    if (ranks > 1 && wordexp(visit->mpirun, &words, WRDE_NOCMD)) {
        return NULL;
    }
    char **command = calloc(words.we_wordc + OWN + 1, sizeof *command);
    for (size_t w = 0; command && w < words.we_wordc; w++) {
        command[w] = strdup(words.we_wordv[w]);
    }
    for (size_t w = 0; command && rest[w]; w++) {
        command[words.we_wordc + w] = strdup(rest[w]);
    }
    if (ranks > 1) {
        wordfree(&words);
    }
    return command;
}

static void free_command(char **command) {
    for (size_t w = 0; command && command[w]; w++) {
        free(command[w]);
    }
    free(command);
}

/* ---------------------------------------------------------------------------- start and end */

/* Has it ended, though its number is still its own? */
static int has_ended(pid_t number, int options) {
    siginfo_t info;
    info.si_pid = 0;
    while (waitid(P_PID, (id_t)number, &info, WEXITED | WNOWAIT | options) < 0) {
        if (errno != EINTR) {
            return 1;
        }
    }
    return info.si_pid != 0;
}

static void end_group(pid_t number) {
    enum { GRACE = 5 }; /* seconds that a launcher has to end what it started */
    const double until = app_now() + GRACE;
    const struct timespec moment = {.tv_nsec = 10000000};
    kill(-number, SIGTERM);
    while (!has_ended(number, WNOHANG) && app_now() < until) {
        nanosleep(&moment, NULL);
    }
    kill(-number, SIGKILL);
}

/* The one there is now; 0: none. */
static volatile sig_atomic_t current;

static void end_current(void) {
    if (current > 0) {
        end_group((pid_t)current);
    }
}

/* Wait for the end; nobody of its group is left then. @return its status, as wait() has it */
static int reap(pid_t number) {
    int status = 0;
    (void)has_ended(number, 0);
    kill(-number, SIGKILL);
    current = 0; /* not later: the number may become another's */
    while (waitpid(number, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

typedef struct child {
    pid_t number;
    FILE *order, *said; /* its stdin and stderr */
    int ends[2];        /* of the pipe of its stdout */
} child;

/* In the new process: it removes none of the parent's files and does not outlive it. Its signals are its own,
   so that a launcher is not told twice to end. */
static void become(const child *c, char **command, pid_t parent) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGABRT};
    for (size_t s = 0; s < sizeof numbers / sizeof numbers[0]; s++) {
        struct sigaction old, standard;
        memset(&standard, 0, sizeof standard);
        standard.sa_handler = SIG_DFL;
        if (sigaction(numbers[s], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
            sigaction(numbers[s], &standard, NULL);
        }
    }
    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    if (getppid() == parent && dup2(fileno(c->order), STDIN_FILENO) >= 0 &&
        dup2(c->ends[1], STDOUT_FILENO) >= 0 && dup2(fileno(c->said), STDERR_FILENO) >= 0) {
        close(c->ends[0]);
        close(c->ends[1]);
        execvp(command[0], command);
    }
    dprintf(STDERR_FILENO, "%s: %s\n", command[0], strerror(errno));
    _exit(APP_FAILED);
}

static int start(child *c, const app_visit *visit) {
    const pid_t parent = getpid();
    char **command = make_command(visit);
    *c = (child){.number = -1, .order = tmpfile(), .said = tmpfile(), .ends = {-1, -1}};
    if (command && c->order && c->said && pipe(c->ends) == 0 &&
        app_wire_put_visit(c->order, visit) == 0) {
        rewind(c->order);
        fflush(NULL); /* what is buffered is printed once */
        c->number = fork();
        if (c->number == 0) {
            become(c, command, parent);
        }
    }
    const int why = errno;
    free_command(command);
    if (c->number > 0) {
        setpgid(c->number, c->number); /* here too: nobody knows who is first */
        current = c->number;
        app_signals_before_end(end_current);
        close(c->ends[1]);
        c->ends[1] = -1;
    }
    errno = why;
    return c->number > 0 ? 0 : -1;
}

static void forget(const child *c) {
    for (int end = 0; end < 2; end++) {
        if (c->ends[end] >= 0) {
            close(c->ends[end]);
        }
    }
    if (c->order) {
        fclose(c->order);
    }
    if (c->said) {
        fclose(c->said);
    }
}

/* ---------------------------------------------------------------------------- what was said */

/* A line without its end; a line of dashes is none. */
static char *next_line(FILE *said, char *text, int size) {
    if (!fgets(text, size, said)) {
        return NULL;
    }
    text[strcspn(text, "\r\n")] = '\0';
    if (text[strspn(text, "-")] == '\0') {
        text[0] = '\0';
    }
    return text;
}

/* The last line of what was printed: StarPU's last words, or a launcher's about who died. */
static void last_line(FILE *said, char *line, size_t size) {
    char text[256];
    line[0] = '\0';
    rewind(said);
    while (next_line(said, text, sizeof text)) {
        if (text[0]) {
            snprintf(line, size, "%s", text);
        }
    }
}

/* The first paragraph, as one line: why a launcher, or we, did not start. */
static void first_paragraph(FILE *said, char *line, size_t size) {
    char text[256];
    size_t length = 0;
    line[0] = '\0';
    rewind(said);
    while (next_line(said, text, sizeof text) && (text[0] || length == 0)) {
        if (text[0] && length < size) {
            length += (size_t)snprintf(line + length, size - length, "%s%s", length ? " " : "",
                                       text + strspn(text, " "));
        }
    }
}

static void pass_on(FILE *said) {
    char text[512];
    const char *silent = getenv("STARPU_SILENT");
    rewind(said);
    while ((!silent || strcmp(silent, "1") != 0) && fgets(text, sizeof text, said)) {
        fputs(text, stderr);
    }
}

static void describe_end(int status, const char *doing, FILE *said, app_outcome *outcome) {
    char line[400];
    outcome->well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (outcome->well) {
        return;
    }
    if (!doing[0]) {
        first_paragraph(said, line, sizeof line);
        doing = "starting";
        if (line[0]) {
            snprintf(outcome->why, sizeof outcome->why, "did not start: %s", line);
            return;
        }
    }
    last_line(said, line, sizeof line);
    if (WIFSIGNALED(status)) {
        snprintf(outcome->why, sizeof outcome->why, "crashed while %s: signal %d (%s)%s%s", doing,
                 WTERMSIG(status), strsignal(WTERMSIG(status)), line[0] ? ": " : "", line);
    } else {
        snprintf(outcome->why, sizeof outcome->why, "ended while %s, with status %d%s%s", doing,
                 WEXITSTATUS(status), line[0] ? ": " : "", line);
    }
}

/* ------------------------------------------------------------------------------------ both ends */

int app_visit_run(const app_visit *visit, unsigned patience,
                  void (*heard)(void *context, const app_record *record), void *context,
                  app_outcome *outcome) {
    char doing[sizeof((app_record *)0)->is.text] = "";
    app_record record;
    app_wire_reader reader;
    child c;
    int got;
    memset(outcome, 0, sizeof *outcome);
    memset(&reader, 0, sizeof reader);
    if (start(&c, visit)) {
        app_error(APP_FAILED, "no process to measure in: %s", strerror(errno));
        forget(&c);
        return APP_FAILED;
    }
    reader.file = c.ends[0];
    reader.others = c.said;
    while ((got = app_wire_get_record(&reader, patience, &record)) > 0) {
        if (visit && record.config >= visit->configs) {
            continue; /* nothing of ours: a launcher has mixed lines up */
        }
        if (record.kind == APP_RECORD_BEGIN) {
            outcome->config = record.config;
            outcome->blamed = 1;
            snprintf(doing, sizeof doing, "%s", record.is.text);
        }
        heard(context, &record);
    }
    if (got < 0) {
        end_group(c.number);
    }
    describe_end(reap(c.number), doing, c.said, outcome);
    if (got < 0) {
        outcome->well = 0;
        snprintf(outcome->why, sizeof outcome->why, "was still %s after %u s without a sign",
                 doing[0] ? doing : "starting", patience);
    }
    pass_on(c.said);
    forget(&c);
    return APP_DONE;
}

int app_visit_serve(int argc, char **argv) {
    app_visit visit;
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
        code = app_wire_get_visit(stdin, &visit);
    }
    if (!code && visit.count > 0) {
        code = app_measure(&visit, records);
    } else if (!code) {
        app_measure_machine(records);
    }
    app_wire_free_visit(&visit);
    if (records >= 0) {
        close(records);
    }
    return code;
}
