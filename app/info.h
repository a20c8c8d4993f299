/** @file info.h  `psg info`. */
#ifndef PSG_APP_INFO_H
#define PSG_APP_INFO_H

/** argv[0] is "info". @return the exit code, after messages */
int app_info(int argc, char **argv);

#endif
