#include "runtime/machine_times.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ----------------------------------------------------------------------------------- sides */

static double ratio(size_t a, size_t b) {
    return fabs(log((double)a / (double)b));
}

/* The factor of the line `sides` that has these numbers along the axes and the nearest lengths.
 * @return 0: there is no such line */
static double factor_of(const psg_machine *machine, bool gpu, const psg_task_shape *s,
                        const int along[3]) {
    double nearest = INFINITY;
    double factor = 0;
    for (size_t m = 0; m < machine->sides; m++) {
        const psg_machine_sides *line = &machine->side[m];
        const size_t *n = line->shape.n;
        const double distance = ratio(n[0], s->n[0]) + ratio(n[1], s->n[1]) + ratio(n[2], s->n[2]);
        if (line->gpu == gpu && line->shape.kind == s->kind &&
            line->shape.precision == s->precision &&
            memcmp(line->shape.along, along, sizeof line->shape.along) == 0 && distance < nearest) {
            nearest = distance;
            factor = line->factor;
        }
    }
    return factor;
}

double psg_machine_factor(const psg_machine *machine, bool gpu, const psg_task_shape *shape,
                          bool *known) {
    bool all = true;
    double factor = factor_of(machine, gpu, shape, shape->along);
    if (factor <= 0) {
        factor = 1;
        for (int d = 0; d < 3; d++) {
            int along[3] = {0, 0, 0};
            along[d] = shape->along[d];
            const double one = along[d] != 0 ? factor_of(machine, gpu, shape, along) : 1;
            factor *= one > 0 ? one : 1;
            all = all && one > 0;
        }
    }
    if (known != NULL) {
        *known = all;
    }
    return factor;
}

/* The task as it was recorded: of its extents only the numbers of a row depend on what is done
 * along an axis. */
static psg_task_shape recorded_shape(const psg_task_shape *s) {
    psg_task_shape shape = *s;
    if (s->along[0] != 0) {
        shape.row = s->n[0] / 2 + 1;
    }
    return shape;
}

/* ----------------------------------------------------------------------------------- times */

/* The size of a task: the operations that its kind counts. A kind that counts none has the complex
 * numbers of the spectrum that the task works on. */
static double points(const psg_task_shape *s) {
    const psg_kind *kind = psg_kind_at(s->kind);
    const size_t row = s->row > 0 ? s->row : s->n[0] / 2 + 1; /* a workload's task has none */
    return kind->operations != NULL
               ? kind->operations(s)
               : (double)row * (double)s->count * (double)(s->axis == 1 ? s->n[2] : s->n[1]);
}

static double share(const psg_task_shape *s) {
    return (double)s->remote / (double)s->pieces;
}

/* How far the lengths of the transforms are from those wanted. */
static double line_distance(const psg_task_shape *a, const psg_task_shape *b) {
    return a->axis == 1 ? ratio(a->n[2], b->n[2])
                        : ratio(a->n[0], b->n[0]) + ratio(a->n[1], b->n[1]);
}

/* The order of candidates. */
typedef struct distance {
    bool layout;
    double line;
    double pieces;
} distance;

static int compare(distance a, distance b) {
    const double tiny = 1e-9;
    if (a.layout != b.layout) {
        return b.layout ? -1 : 1;
    }
    if (fabs(a.line - b.line) > tiny) {
        return a.line < b.line ? -1 : 1;
    }
    return fabs(a.pieces - b.pieces) > tiny ? (a.pieces < b.pieces ? -1 : 1) : 0;
}

double psg_machine_speed(const psg_machine *machine, int gpu) {
    const double speed = gpu < 0                    ? machine->cpu_speed
                         : gpu < PSG_MACHINE_SPEEDS ? machine->speed[gpu]
                                                    : 1;
    return speed > 0 ? speed : 1;
}

/* Bytes per second of each of so many cores. */
static double rate_of_core(const psg_machine *machine, size_t cores) {
    return fmin(machine->memory[0], machine->memory[1] / (double)cores);
}

double psg_machine_shared(const psg_machine *machine, double seconds, double bytes, size_t cores) {
    if (machine->memory[0] <= 0 || cores == 0) {
        return seconds;
    }
    const double then = rate_of_core(machine, machine->recorded_cores);
    const double moving = fmin(seconds, bytes / then);
    return seconds + moving * (then / rate_of_core(machine, cores) - 1);
}

static bool alike(const psg_machine_time *t, bool gpu, const psg_task_shape *s) {
    return t->gpu == gpu && t->shape.kind == s->kind && t->shape.precision == s->precision &&
           t->shape.axis == s->axis;
}

static bool fits(const psg_machine_time *t, bool gpu, const psg_task_shape *s, double remote) {
    return alike(t, gpu, s) && fabs(share(&t->shape) - remote) < 1e-3;
}

bool psg_machine_knows(const psg_machine *machine, bool gpu, const psg_task_shape *shape) {
    bool known = false;
    for (size_t m = 0; m < machine->times && !known; m++) {
        known = alike(&machine->time[m], gpu, shape);
    }
    return known;
}

static distance distance_of(const psg_machine_time *t, const psg_task_shape *s) {
    return (distance){t->shape.dense != s->dense, line_distance(&t->shape, s),
                      ratio(t->shape.pieces, s->pieces)};
}

/* The time of a task of size `wanted`, which lies between two recorded tasks. The logarithm of the
 * time is linear in the logarithm of the size. Where a task is recorded on one side only, the part
 * of its time above `least` grows in proportion to the size, and the spread stays. */
static double between(const psg_machine_time *below, const psg_machine_time *above, double wanted,
                      double least, double *spread) {
    if (below == NULL || above == NULL) {
        const psg_machine_time *one = below != NULL ? below : above;
        const double any = fmin(least, one->seconds);
        *spread = one->spread;
        return any + (one->seconds - any) * wanted / points(&one->shape);
    }
    const double low = points(&below->shape);
    const double high = points(&above->shape);
    if (high <= low) {
        *spread = below->spread;
        return below->seconds;
    }
    const double place = log(wanted / low) / log(high / low);
    *spread = below->spread + place * (above->spread - below->spread);
    return exp(log(below->seconds) + place * log(above->seconds / below->seconds));
}

static double look_up(const psg_machine *machine, bool gpu, const psg_task_shape *shape,
                      double remote, double *spread) {
    const psg_machine_time *below = NULL;
    const psg_machine_time *above = NULL;
    const double wanted = points(shape);
    distance best = {true, INFINITY, INFINITY};
    for (size_t m = 0; m < machine->times; m++) {
        const psg_machine_time *t = &machine->time[m];
        if (!fits(t, gpu, shape, remote)) {
            continue;
        }
        const distance d = distance_of(t, shape);
        const int order = isinf(best.line) ? -1 : compare(d, best);
        if (order > 0) {
            continue;
        }
        if (order < 0) {
            best = d;
            below = above = NULL;
        }
        const double size = points(&t->shape);
        if (size <= wanted && (below == NULL || size > points(&below->shape))) {
            below = t;
        }
        if (size >= wanted && (above == NULL || size < points(&above->shape))) {
            above = t;
        }
    }
    return below != NULL || above != NULL
               ? between(below, above, wanted, machine->least[gpu], spread)
               : 0;
}

static double peer_bytes(const psg_task_shape *s) {
    return points(s) * share(s) * s->moved * (s->precision == PSG_TASK_F64 ? 16 : 8);
}

/* A task that reaches peers waits for events of other GPUs before it, and at its end for what it
 * wrote to be there: a latency each. */
static double peer_seconds(double latency) {
    return 2 * latency;
}

/* The time of a task with pieces in the memory of peers. The pieces go over the link while the task
 * works. So the longer one counts: the link, or the task with all pieces in its own memory. */
static double with_peers(const psg_machine *machine, bool gpu, const psg_task_shape *shape,
                         double *spread) {
    const double rate = machine->link[PSG_MACHINE_PEER].bytes_per_second;
    const double own = look_up(machine, gpu, shape, 0, spread);
    const double work = own * psg_machine_factor(machine, gpu, shape, NULL);
    return own > 0 && rate > 0 ? fmax(work, peer_bytes(shape) / rate) +
                                     peer_seconds(machine->link[PSG_MACHINE_PEER].seconds)
                               : 0;
}

/* The link peer has another rate than when the task was recorded. The task has two parts. The work
 * is the time of the task with all pieces in memory of its own. The transfers are bytes over rate,
 * or what the work leaves of the recorded time, if that is longer. The longer part hides a share of
 * the shorter one. The recorded time tells which share, and the share stays. So half the rate
 * doubles the transfers, and a rate without limit leaves the work. Without a time of the work, the
 * sum of both parts counts, and a faster link changes nothing: nobody knows how short the task can
 * become. Other sides than periodic ones lengthen the work, and leave the transfers as they are. */
static double at_rate_now(const psg_machine *machine, bool gpu, const psg_task_shape *shape,
                          double recorded) {
    const double rate = machine->link[PSG_MACHINE_PEER].bytes_per_second;
    const double slower = rate > 0 ? machine->recorded_peer[0] / rate : 1;
    const double factor = psg_machine_factor(machine, gpu, shape, NULL);
    const double bytes = peer_bytes(shape);
    double spread = 0;
    if (shape->remote == 0 || bytes <= 0 || (slower == 1 && factor == 1)) {
        return factor * recorded; /* a periodic one to the last digit as recorded */
    }
    const double own = look_up(machine, gpu, shape, 0, &spread);
    const double nominal = fmin(bytes / machine->recorded_peer[0], recorded);
    if (own <= 0) {
        return factor * recorded + nominal * fmax(slower - 1, 0);
    }
    const double work = fmin(own, recorded);
    const double transfers = fmax(nominal, recorded - work);
    const double apart = (recorded - fmax(work, transfers)) / fmin(work, transfers);
    const double now = transfers * slower;
    const double longer = work * factor;
    return fmax(longer, now) + apart * fmin(longer, now);
}

/* The share of remote blocks in what was recorded that is nearest to the task's: of a machine on
 * several GPUs there may be no task without any. */
static double nearest_share(const psg_machine *machine, bool gpu, const psg_task_shape *shape) {
    double nearest = INFINITY;
    for (size_t m = 0; m < machine->times; m++) {
        const double here = share(&machine->time[m].shape);
        if (fits(&machine->time[m], gpu, shape, here) &&
            fabs(here - share(shape)) < fabs(nearest - share(shape))) {
            nearest = here;
        }
    }
    return nearest;
}

double psg_machine_seconds(const psg_machine *machine, bool gpu, const psg_task_shape *wanted,
                           double *spread) {
    double found = 0;
    const psg_task_shape recorded = recorded_shape(wanted);
    const psg_task_shape *shape = &recorded;
    double seconds = look_up(machine, gpu, shape, share(shape), &found);
    if (seconds > 0) {
        const double later = peer_seconds(machine->link[PSG_MACHINE_PEER].seconds) -
                             peer_seconds(machine->recorded_peer[1]);
        seconds = at_rate_now(machine, gpu, shape, seconds) + (shape->remote > 0 ? later : 0);
        seconds = fmax(seconds, DBL_MIN);
    } else if (shape->remote > 0) {
        seconds = with_peers(machine, gpu, shape, &found);
    }
    if (seconds <= 0) {
        seconds = look_up(machine, gpu, shape, nearest_share(machine, gpu, shape), &found);
        seconds = seconds > 0 ? at_rate_now(machine, gpu, shape, seconds) : 0;
    }
    if (spread != NULL) {
        *spread = found;
    }
    return seconds;
}
