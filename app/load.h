/** @file load.h  How much of the time of this machine's cores goes to others while something is
 *  measured. */
#ifndef PSG_APP_LOAD_H
#define PSG_APP_LOAD_H

#include "app/app.h"

#include <stdbool.h>
#include <stdio.h>

/** A moment: seconds of all cores together since the machine started. */
typedef struct app_load {
    double busy; /**< of all processes, and of other machines on the same processor; 0: not known */
    double own;  /**< of this process and of those that it started and that have ended */
    double clock; /**< on app_now()'s clock */
} app_load;

/** Now. In a simulation, and where the system does not tell, nothing is known. */
app_load app_load_now(void);

/** The busy seconds that the first line of /proc/stat tells; 0 where it does not. */
double app_load_read(FILE *file, double ticks_per_second);

/** How many cores others kept busy between two moments, on average. At least 0; NAN where it is not
 *  known, as of less than half a second, which is few of the system's ticks. */
double app_load_between(const app_load *from, const app_load *to);

/** Is that so much that times are longer by it: more than a twentieth of the cores, or half a core
 *  where these are many? @param[in] load  NAN: no */
bool app_load_is_high(double load, long cores);

#endif
