/** @file lab.h  The commands that the laboratory does. argv[0] is the command's name; each returns
 *  the exit code, after messages, or does not return: Python has taken its place. */
#ifndef PSG_APP_LAB_H
#define PSG_APP_LAB_H

int app_bench(int argc, char **argv);
int app_tune(int argc, char **argv);

/** `psg keep ENTRY`, which the laboratory starts and no user: stores what psg tune has found, an
 * object of JSON. */
int app_keep(int argc, char **argv);

#endif
