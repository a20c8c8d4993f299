/** @file child.h  Parts of a test that might end the process, each in a process of its own. */
#ifndef PSG_TESTS_CHILD_H
#define PSG_TESTS_CHILD_H

#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/** Call a function, which checks, in a child.
 *  @return what waitpid() says: 0 if it came to its end and all of its checks held */
static inline int child_runs(void (*part)(const void *argument), const void *argument) {
    int status = -1;
    fflush(stdout);
    fflush(stderr);
    const pid_t child = fork();
    if (child == 0) {
        check_count = check_failures = 0;
        part(argument);
        fflush(stdout);
        fflush(stderr);
        _exit(check_failures > 0);
    }
    return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

#define CHECK_CHILD(part, argument, ...) CHECK(child_runs(part, argument) == 0, __VA_ARGS__)

#endif
