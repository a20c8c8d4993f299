/* Children that are other programs. What a launcher is told to end it ends, on other machines
 * too, so SIGTERM comes before SIGKILL. */
#include "bench/child.h"
#include "app/app.h"
#include "app/output.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
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

int bench_child_check_command(const char *text) {
    wordexp_t words;
    if (wordexp(text, &words, WRDE_NOCMD)) {
        return -1;
    }
    const bool empty = words.we_wordc == 0 || words.we_wordv[0][0] == '\0';
    wordfree(&words);
    return empty ? -1 : 0;
}

char **bench_child_command(const char *mpirun, unsigned ranks, const char *const *words) {
    wordexp_t launcher = {.we_wordc = 0};
    char number[16];
    const char *const count[] = {"-n", number, NULL};
    size_t length = 0, at = 0;
    bool failed = false;
    while (words[length] != NULL) {
        length++;
    }
    snprintf(number, sizeof number, "%u", ranks);
    if (ranks > 1 && wordexp(mpirun, &launcher, WRDE_NOCMD)) {
        return NULL;
    }
    const char *const *const parts[] = {(const char *const *)launcher.we_wordv,
                                        ranks > 1 ? count : NULL, words};
    char **command = calloc(launcher.we_wordc + 2 + length + 1, sizeof *command);
    for (int p = 0; p < 3; p++) {
        for (const char *const *word = parts[p];
             command != NULL && word != NULL && *word != NULL && !failed; word++) {
            failed = (command[at++] = strdup(*word)) == NULL;
        }
    }
    if (ranks > 1) {
        wordfree(&launcher);
    }
    if (failed) {
        bench_child_free_command(command);
        return NULL;
    }
    return command;
}

void bench_child_free_command(char **command) {
    for (size_t w = 0; command != NULL && command[w] != NULL; w++) {
        free(command[w]);
    }
    free(command);
}

/* ---------------------------------------------------------------------------- start and end */

/* Has it ended, though its number is still its own? */
static bool has_ended(pid_t number, int options) {
    siginfo_t info;
    info.si_pid = 0;
    while (waitid(P_PID, (id_t)number, &info, WEXITED | WNOWAIT | options) < 0) {
        if (errno != EINTR) {
            return true;
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

/* In the new process: it removes none of the parent's files and does not outlive it. Its group
 * is its own, so that a launcher is not told twice to end.
 *  @param[in] unblocked  the signals that it gets, once they no longer call the parent's handler */
static void become(const bench_child *c, char **command, int order, pid_t parent,
                   const sigset_t *unblocked) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGABRT};
    for (size_t s = 0; s < sizeof numbers / sizeof numbers[0]; s++) {
        struct sigaction old, standard;
        memset(&standard, 0, sizeof standard);
        standard.sa_handler = SIG_DFL;
        if (sigaction(numbers[s], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
            sigaction(numbers[s], &standard, NULL);
        }
    }
    pthread_sigmask(SIG_SETMASK, unblocked, NULL);
    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    if (getppid() == parent && dup2(order, STDIN_FILENO) >= 0 &&
        dup2(c->ends[1], STDOUT_FILENO) >= 0 && dup2(fileno(c->said), STDERR_FILENO) >= 0) {
        close(order);
        close(c->ends[0]);
        close(c->ends[1]);
        execvp(command[0], command);
    }
    dprintf(STDERR_FILENO, "%s: %s\n", command[0], strerror(errno));
    _exit(127); /* as a shell says it */
}

int bench_child_start(bench_child *child, char **command, FILE *order) {
    const pid_t parent = getpid();
    const int from = order != NULL ? fileno(order) : open("/dev/null", O_RDONLY);
    *child = (bench_child){.number = -1, .said = tmpfile(), .ends = {-1, -1}};
    if (command != NULL && from >= 0 && child->said != NULL && pipe(child->ends) == 0) {
        sigset_t all, before;
        sigfillset(&all);
        fflush(NULL);                              /* what is buffered is printed once */
        pthread_sigmask(SIG_BLOCK, &all, &before); /* the handler has to know the child */
        child->number = fork();
        if (child->number == 0) {
            become(child, command, from, parent, &before);
        } else if (child->number > 0) {
            setpgid(child->number, child->number); /* here too: nobody knows who is first */
            current = child->number;
            app_signals_before_end(end_current);
        }
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    const int why = errno;
    if (order == NULL && from >= 0) {
        close(from);
    }
    if (child->number > 0) {
        close(child->ends[1]);
        child->ends[1] = -1;
    }
    errno = why;
    return child->number > 0 ? 0 : -1;
}

ssize_t bench_child_read(const bench_child *child, char *text, size_t size, double seconds) {
    const double until = app_now() + seconds;
    for (;;) {
        struct pollfd wait = {.fd = child->ends[0], .events = POLLIN};
        const double left = fmin(fmax(until - app_now(), 0), 1e6);
        const int ready = poll(&wait, 1, (int)ceil(1e3 * left));
        if (ready == 0 && app_now() >= until) {
            return -1;
        }
        if (ready < 0 && errno != EINTR) {
            return 0;
        }
        const ssize_t length = ready > 0 ? read(child->ends[0], text, size) : -1;
        if (length >= 0 || (ready > 0 && errno != EINTR)) {
            return length > 0 ? length : 0;
        }
    }
}

void bench_child_ask_to_end(const bench_child *child) {
    end_group(child->number);
}

int bench_child_reap(const bench_child *child) {
    int status = 0;
    (void)has_ended(child->number, 0);
    kill(-child->number, SIGKILL);
    current = 0; /* not later: the number may become another's */
    while (waitpid(child->number, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

void bench_child_forget(bench_child *child) {
    for (int end = 0; end < 2; end++) {
        if (child->ends[end] >= 0) {
            close(child->ends[end]);
            child->ends[end] = -1;
        }
    }
    if (child->said != NULL) {
        fclose(child->said);
        child->said = NULL;
    }
}

void bench_child_first_words(const bench_child *child, char *line, size_t size) {
    FILE *said = child->said;
    char text[256];
    size_t length = 0;
    line[0] = '\0';
    rewind(said);
    while (fgets(text, sizeof text, said) != NULL) {
        text[strcspn(text, "\r\n")] = '\0';
        if (text[strspn(text, "- ")] && length < size) {
            length += (size_t)snprintf(line + length, size - length, "%s%s", length ? " " : "",
                                       text + strspn(text, " "));
        } else if (length > 0) {
            return;
        }
    }
}

void bench_child_last_words(const bench_child *child, const char *name, char *line, size_t size) {
    char text[400];
    const size_t length = strlen(name);
    bench_child_first_words(child, line, size);
    rewind(child->said);
    while (fgets(text, sizeof text, child->said) != NULL) {
        text[strcspn(text, "\r\n")] = '\0';
        if (strncmp(text, name, length) == 0 && text[length] == ':') {
            snprintf(line, size, "%s", text);
        }
    }
}
