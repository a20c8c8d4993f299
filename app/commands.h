/** @file commands.h  The commands of `psg` but for those of lab.h. argv[0] is the command's name;
 *  each returns the exit code, after messages. */
#ifndef PSG_APP_COMMANDS_H
#define PSG_APP_COMMANDS_H

#include <stdbool.h>

typedef struct app_command {
    const char *name;    /**< NULL ends the table */
    const char *summary; /**< a line of the help; NULL: the command is not shown */
    int (*run)(int argc, char **argv);
    bool solves; /**< this process does, and what is simulated is simulated in it */
} app_command;

/** In main.c, which alone knows those of lab.h too. */
extern const app_command app_commands[];

int app_solve(int argc, char **argv);
int app_run(int argc, char **argv);
int app_dock(int argc, char **argv);
int app_example(int argc, char **argv);
int app_view(int argc, char **argv);
int app_measure(int argc, char **argv);
int app_info(int argc, char **argv);
int app_selftest(int argc, char **argv);
int app_completion(int argc, char **argv);
/** The words that may stand in place of the last of argv; for completion scripts. */
int app_complete(int argc, char **argv);

#endif
