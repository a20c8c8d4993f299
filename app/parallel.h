/** @file parallel.h  Work of the command itself, such as filling a field, by all cores of this
 *  process. */
#ifndef PSG_APP_PARALLEL_H
#define PSG_APP_PARALLEL_H

#include <stddef.h>

/** Call work(context, first, end) for runs of 0 .. count-1 that together are all of them, by
 *  several threads at once, the caller's among them; returns when all is done. Where no thread can
 *  be had the caller's does all. */
void app_parallel(size_t count, void (*work)(void *context, size_t first, size_t end),
                  void *context);

#endif
