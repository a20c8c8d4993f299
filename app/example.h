/** @file example.h  `psg example`: write a small right-hand side to try `psg solve` with. */
#ifndef PSG_APP_EXAMPLE_H
#define PSG_APP_EXAMPLE_H

/** @return the command's exit code */
int app_example(int argc, char **argv);

#endif
