/** @file host.h  What a measurement was made on, and when. */
#ifndef PSG_APP_HOST_H
#define PSG_APP_HOST_H

#include <stddef.h>

typedef struct app_machine {
    char host[128];
    char cpu_model[128]; /**< "" where the system does not say */
    long cores;          /**< processors that are online */
} app_machine;

void app_machine_find(app_machine *machine);

/** "2026-11-20T08:24:22Z". @param[out] text  size bytes, 32 are enough */
void app_utc_date(char *text, size_t size);

/** Main memory of the machine and what of it could be had now, in bytes; 0 where the system does
 *  not say. */
void app_machine_memory(double *total, double *available);

#endif
