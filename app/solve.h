/** @file solve.h  `psg solve`. */
#ifndef PSG_APP_SOLVE_H
#define PSG_APP_SOLVE_H

/** argv[0] is "solve". @return the exit code, after messages */
int app_solve(int argc, char **argv);

#endif
