/* What others do, from Linux: the time of all cores in /proc/stat, less our own. */
#include "app/load.h"
#include "app/simulating.h"

#include <math.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

static const double SHORTEST = 0.5; /* seconds; a tick is 0.01 s on each core */

static double seconds_of(struct timeval time) {
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

static double used_by(int who) {
    struct rusage usage;
    return getrusage(who, &usage) ? 0 : seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

double app_load_read(FILE *file, double ticks_per_second) {
    double user, nice, system, idle, wait, interrupt, soft, steal;
    if (fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &user, &nice, &system, &idle, &wait,
               &interrupt, &soft, &steal) != 8) {
        return 0;
    }
    return (user + nice + system + interrupt + soft + steal) / ticks_per_second;
}

app_load app_load_now(void) {
    app_load now = {.busy = 0};
    FILE *file = app_simulation_machine() != NULL ? NULL : fopen("/proc/stat", "r");
    if (file != NULL) {
        now.busy = app_load_read(file, (double)sysconf(_SC_CLK_TCK));
        fclose(file);
    }
    now.own = used_by(RUSAGE_SELF) + used_by(RUSAGE_CHILDREN);
    now.clock = app_now();
    return now;
}

double app_load_between(const app_load *from, const app_load *to) {
    const double seconds = to->clock - from->clock;
    if (!(from->busy > 0) || !(to->busy > 0) || seconds < SHORTEST) {
        return NAN;
    }
    return fmax(0, (to->busy - from->busy - (to->own - from->own)) / seconds);
}

bool app_load_is_high(double load, long cores) {
    return load > fmin(0.5, 0.05 * (double)cores);
}
