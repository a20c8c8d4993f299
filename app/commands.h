/** @file commands.h  The commands of `psg` but for those of bench/. argv[0] is the command's name; each returns the
 *  exit code, after messages. */
#ifndef PSG_APP_COMMANDS_H
#define PSG_APP_COMMANDS_H

int app_solve(int argc, char **argv);
int app_example(int argc, char **argv);
int app_info(int argc, char **argv);
int app_selftest(int argc, char **argv);

#endif
