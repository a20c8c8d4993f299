/** @file commands.h  The commands of the laboratory, for app/main.c. argv[0] is the command's name; each returns the
 *  exit code, after messages. */
#ifndef PSG_BENCH_COMMANDS_H
#define PSG_BENCH_COMMANDS_H

int bench_command(int argc, char **argv);
int bench_tune(int argc, char **argv);

/** `psg visit`, which bench_visit_run() starts and no user: it reads the visit from stdin and writes the records to
 *  stdout. One process, or one of those that a launcher of MPI started. */
int bench_visit_serve(int argc, char **argv);

#endif
