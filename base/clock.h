/** @file clock.h  Time. */
#ifndef PSG_BASE_CLOCK_H
#define PSG_BASE_CLOCK_H

#include <time.h>

/** Seconds on a clock that only goes forward. Its zero is arbitrary. */
double base_now(void);

/** The moment `seconds` from now, as pthread_cond_timedwait() takes it.
 *  @param[in] clock    the condition's: CLOCK_REALTIME, or CLOCK_MONOTONIC
 *  @param[in] seconds  >= 0; more than 1e9 count as 1e9 */
struct timespec base_after(clockid_t clock, double seconds);

#endif
