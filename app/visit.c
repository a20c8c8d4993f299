/* Every group of configurations is measured in a child process: StarPU starts there with the group's workers
   and policy, and a policy that fails an assertion or never ends takes only that process with it. */
#include "app/visit.h"
#include "app/app.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

/* The child removes none of the parent's files, and does not outlive it. */
static void become_child(pid_t parent, int said) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGABRT};
    for (size_t s = 0; s < sizeof numbers / sizeof numbers[0]; s++) {
        struct sigaction old, standard;
        memset(&standard, 0, sizeof standard);
        standard.sa_handler = SIG_DFL;
        if (sigaction(numbers[s], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
            sigaction(numbers[s], &standard, NULL);
        }
    }
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent || dup2(said, STDERR_FILENO) < 0 || dup2(said, STDOUT_FILENO) < 0) {
        _exit(APP_FAILED);
    }
}

/* A whole record: 1; the end: 0; nothing for too long: -1. */
static int read_record(int pipe, unsigned patience, app_record *record) {
    size_t have = 0;
    while (have < sizeof *record) {
        struct pollfd wait = {.fd = pipe, .events = POLLIN};
        const int ready = poll(&wait, 1, patience < 1000000 ? (int)patience * 1000 : -1);
        if (ready == 0) {
            return -1;
        }
        if (ready < 0 && errno != EINTR) {
            return 0;
        }
        if (ready > 0) {
            const ssize_t more = read(pipe, (char *)record + have, sizeof *record - have);
            if (more == 0 || (more < 0 && errno != EINTR)) {
                return 0;
            }
            have += more > 0 ? (size_t)more : 0;
        }
    }
    return 1;
}

/* The last line of what the child printed: StarPU's last words. */
static void last_line(FILE *said, char *line, size_t size) {
    char text[256];
    line[0] = '\0';
    rewind(said);
    while (fgets(text, sizeof text, said)) {
        text[strcspn(text, "\r\n")] = '\0';
        if (text[0]) {
            snprintf(line, size, "%s", text);
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
    char line[256];
    outcome->well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (outcome->well) {
        return;
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

static pid_t start(const app_visit *visit, app_progress *progress, const int ends[2], int said) {
    const pid_t parent = getpid();
    /* nobody may hold a lock of stderr at the fork: the line is drawn under this mutex */
    if (progress->on) {
        pthread_mutex_lock(&progress->mutex);
    }
    const pid_t child = fork();
    if (child == 0) {
        progress->on = 0;
        close(ends[0]);
        become_child(parent, said);
        if (visit) {
            app_measure(visit, ends[1]);
        } else {
            app_measure_machine(ends[1]);
        }
        _exit(APP_DONE);
    }
    if (progress->on) {
        pthread_mutex_unlock(&progress->mutex);
    }
    return child;
}

int app_visit_run(const app_visit *visit, app_progress *progress, unsigned patience,
                  void (*heard)(void *context, const app_record *record), void *context,
                  app_outcome *outcome) {
    int ends[2] = {-1, -1}, status = 0, got;
    char doing[sizeof((app_record *)0)->is.text] = "starting";
    app_record record;
    memset(outcome, 0, sizeof *outcome);
    FILE *said = tmpfile();
    fflush(NULL); /* what is buffered is printed once */
    const pid_t child =
        said && pipe(ends) == 0 ? start(visit, progress, ends, fileno(said)) : (pid_t)-1;
    if (child < 0) {
        app_error(APP_FAILED, "no process to measure in: %s", strerror(errno));
        if (ends[0] >= 0) {
            close(ends[0]);
            close(ends[1]);
        }
        if (said) {
            fclose(said);
        }
        return APP_FAILED;
    }
    close(ends[1]);
    while ((got = read_record(ends[0], patience, &record)) > 0) {
        if (record.kind == APP_RECORD_BEGIN) {
            outcome->config = record.config;
            outcome->blamed = 1;
            snprintf(doing, sizeof doing, "%s", record.is.text);
        }
        heard(context, &record);
    }
    if (got < 0) {
        kill(child, SIGKILL);
    }
    close(ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    describe_end(status, doing, said, outcome);
    if (got < 0) {
        outcome->well = 0;
        snprintf(outcome->why, sizeof outcome->why, "was still %s after %u s without a sign", doing,
                 patience);
    }
    pass_on(said);
    fclose(said);
    return APP_DONE;
}
