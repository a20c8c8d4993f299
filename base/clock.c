#include "base/clock.h"

double base_now(void) {
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct timespec base_after(clockid_t clock, double seconds) {
    const double most = 1e9; /* a time_t has no room for any double */
    const double capped = seconds < most ? seconds : most;
    const time_t whole = (time_t)capped;
    struct timespec until = {0, 0};
    (void)clock_gettime(clock, &until);
    until.tv_sec += whole;
    until.tv_nsec += (long)(1e9 * (capped - (double)whole));
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return until;
}
