/** @file tune.h  `psg tune`. */
#ifndef PSG_APP_TUNE_H
#define PSG_APP_TUNE_H

/** argv[0] is "tune". @return the exit code, after messages */
int app_tune(int argc, char **argv);

#endif
