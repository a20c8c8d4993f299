/** @file selftest.h  `psg selftest`. */
#ifndef PSG_APP_SELFTEST_H
#define PSG_APP_SELFTEST_H

/** argv[0] is "selftest". @return the exit code, after messages */
int app_selftest(int argc, char **argv);

#endif
