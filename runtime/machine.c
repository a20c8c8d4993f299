#include "runtime/machine.h"

#include "runtime/decimal.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------ the file */

static const char *const link_names[PSG_MACHINE_LINKS] = {
    [PSG_MACHINE_TO_GPU] = "to-gpu",   [PSG_MACHINE_FROM_GPU] = "from-gpu",
    [PSG_MACHINE_BETWEEN] = "between", [PSG_MACHINE_PEER] = "peer",
    [PSG_MACHINE_NETWORK] = "network",
};

static int place_in(const char *word, const char *const *words, int count) {
    int m = 0;
    while (m < count && strcmp(word, words[m]) != 0) {
        m++;
    }
    return m;
}

/* What follows the first word of a line. @return NULL: it was understood, else what was expected */
typedef const char *(*reader)(psg_machine *machine, const char *rest);

static const char name_expected[] = "machine NAME, of at most 63 letters, digits, '-', '_' and '.'";

/* SimGrid gets the name in XML, and whoever reads a message gets it on a terminal.
 * @return the first character that may not be in it; "": all may */
static const char *unsafe_in(const char *name) {
    return name + strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.");
}

static const char *read_name(psg_machine *machine, const char *rest) {
    const char *name = rest + strspn(rest, " \t");
    size_t length = strlen(name);
    while (length > 0 && strchr(" \t", name[length - 1]) != NULL) {
        length--;
    }
    if (length == 0 || length >= sizeof machine->name) {
        return name_expected;
    }
    (void)snprintf(machine->name, sizeof machine->name, "%.*s", (int)length, name);
    return unsafe_in(machine->name)[0] == '\0' ? NULL : name_expected;
}

static const char *read_about(psg_machine *machine, const char *rest) {
    (void)snprintf(machine->about, sizeof machine->about, "%s", rest + strspn(rest, " \t"));
    return NULL;
}

static const char *read_count(unsigned *count, const char *rest, const char *expected) {
    int used = 0;
    const bool read = strchr(rest, '-') == NULL && sscanf(rest, "%u %n", count, &used) == 1;
    return read && rest[used] == '\0' && *count <= 4096 ? NULL : expected;
}

static const char *read_cpus(psg_machine *machine, const char *rest) {
    return read_count(&machine->cpus, rest, "cpus N, at most 4096");
}

static const char *read_gpus(psg_machine *machine, const char *rest) {
    return read_count(&machine->gpus, rest, "gpus N, at most 4096");
}

static bool positive(double value) {
    return isfinite(value) && value > 0;
}

static const char *read_positive(double *number, const char *rest, const char *expected) {
    int used = 0;
    const bool read = sscanf(rest, "%lf %n", number, &used) == 1 && rest[used] == '\0';
    return read && positive(*number) ? NULL : expected;
}

static const char *read_memory(psg_machine *machine, const char *rest) {
    return read_positive(&machine->gpu_memory, rest, "gpu_memory BYTES");
}

static const char *read_speed(psg_machine *machine, const char *rest) {
    unsigned gpu = 0;
    int used = 0;
    const char *expected = "speed gpu N FACTOR, N from 0 to 63";
    const bool read = strchr(rest, '-') == NULL && sscanf(rest, "gpu %u %n", &gpu, &used) == 1 &&
                      used > 0 && gpu < PSG_MACHINE_SPEEDS;
    return read ? read_positive(&machine->speed[gpu], rest + used, expected) : expected;
}

/* One number above 0, or two, of which the first may be 0. */
static const char *read_costs(psg_machine_costs *costs, const char *rest, const char *expected) {
    int used = 0;
    *costs = (psg_machine_costs){0, 0};
    if (sscanf(rest, "%lf %n", &costs->piece, &used) != 1 || !isfinite(costs->piece) ||
        costs->piece < 0) {
        return expected;
    }
    return rest[used] == '\0' && costs->piece > 0
               ? NULL
               : read_positive(&costs->task, rest + used, expected);
}

static const char *read_submit(psg_machine *machine, const char *rest) {
    return read_costs(&machine->submit, rest, "submit PIECE [TASK]");
}

static const char *read_gap(psg_machine *machine, const char *rest) {
    return read_costs(&machine->gap, rest, "gap PIECE [TASK]");
}

static const char *read_link(psg_machine *machine, const char *rest) {
    char which[16];
    double bytes = 0;
    double seconds = 0;
    int used = 0;
    const bool read = sscanf(rest, "%15s %lf %lf %n", which, &bytes, &seconds, &used) == 3 &&
                      rest[used] == '\0' && positive(bytes) && isfinite(seconds) && seconds >= 0;
    const int m = read ? place_in(which, link_names, PSG_MACHINE_LINKS) : PSG_MACHINE_LINKS;
    if (m == PSG_MACHINE_LINKS) {
        return "link to-gpu|from-gpu|between|peer|network BYTES_A_SECOND SECONDS";
    }
    machine->link[m].bytes_per_second = bytes;
    machine->link[m].seconds = seconds;
    return NULL;
}

static const char *read_recorded(psg_machine *machine, const char *rest) {
    char which[8];
    int used = 0;
    const bool read = sscanf(rest, "%7s %n", which, &used) == 1 && strcmp(which, "peer") == 0;
    const char *expected = "recorded peer BYTES_A_SECOND";
    return read ? read_positive(&machine->recorded_peer, rest + used, expected) : expected;
}

static const char *read_cuda_aware(psg_machine *machine, const char *rest) {
    static const char *const answers[2] = {"no", "yes"};
    char answer[8];
    int used = 0;
    const bool read = sscanf(rest, "%7s %n", answer, &used) == 1 && rest[used] == '\0';
    const int m = read ? place_in(answer, answers, 2) : 2;
    machine->cuda_aware = m == 1;
    return m < 2 ? NULL : "cuda_aware yes|no";
}

static const char *const devices[2] = {"cpu", "gpu"};

static const char *read_least(psg_machine *machine, const char *rest) {
    char device[8];
    double seconds = 0;
    int used = 0;
    const bool read = sscanf(rest, "%7s %lf %n", device, &seconds, &used) == 2 &&
                      rest[used] == '\0' && positive(seconds);
    const int gpu = read ? place_in(device, devices, 2) : 2;
    if (gpu == 2) {
        return "least cpu|gpu SECONDS";
    }
    machine->least[gpu] = seconds;
    return NULL;
}

/* A number that was negative is huge here. */
static bool in_range(const psg_task_shape *s) {
    const size_t numbers[] = {s->n[0], s->n[1], s->n[2], s->count, s->pieces};
    bool good = s->remote <= s->pieces;
    for (size_t m = 0; m < sizeof numbers / sizeof *numbers; m++) {
        good = good && numbers[m] > 0 && numbers[m] <= INT32_MAX;
    }
    return good;
}

/* What follows the seconds: nothing, or blanks and the spread, with which a distribution is still one
 * that a double can be drawn from. */
static bool read_spread(double *spread, const char *rest) {
    const size_t blanks = strspn(rest, " \t");
    *spread = 0;
    return rest[blanks] == '\0' ||
           (blanks > 0 && read_positive(spread, rest, "") == NULL && *spread <= 10);
}

static const char *read_time(psg_machine *machine, const char *rest) {
    static const char *const precisions[PSG_TASK_PRECISIONS] = {"f64", "f32"};
    static const char *const sides[2] = {"segment", "sheet"};
    static const char *const layouts[2] = {"views", "dense"};
    char stage[24];
    char precision[8];
    char device[8];
    char side[16];
    char layout[8];
    psg_machine_time t = {.spread = 0};
    psg_task_shape *shape = &t.shape;
    int used = 0;
    const int read =
        sscanf(rest, "%23s %7s %7s %zux%zux%zu %15s %zu %7s %zu %zu %lf%n", stage, precision,
               device, &shape->n[0], &shape->n[1], &shape->n[2], side, &shape->count, layout,
               &shape->pieces, &shape->remote, &t.seconds, &used);
    const char *expected =
        "time STAGE f64|f32 cpu|gpu NXxNYxNZ segment|sheet COUNT views|dense PIECES "
        "REMOTE SECONDS [SPREAD]";
    if (read != 12 || !positive(t.seconds) || !in_range(shape) ||
        !read_spread(&t.spread, rest + used)) {
        return expected;
    }
    const int kind = psg_kind_find(stage);
    const int width = place_in(precision, precisions, PSG_TASK_PRECISIONS);
    const int gpu = place_in(device, devices, 2);
    const int axis = place_in(side, sides, 2);
    const int dense = place_in(layout, layouts, 2);
    if (kind < 0 || dense == 2 || width == PSG_TASK_PRECISIONS || gpu == 2 || axis == 2) {
        return expected;
    }
    shape->kind = kind;
    shape->row = shape->n[0] / 2 + 1; /* all that is recorded is periodic */
    shape->precision = (psg_task_precision)width;
    shape->axis = axis;
    shape->dense = dense == 1;
    t.gpu = gpu == 1;
    if ((machine->times & (machine->times - 1)) == 0) { /* full: at every power of two */
        const size_t room = machine->times > 0 ? 2 * machine->times : 1;
        psg_machine_time *more = realloc(machine->time, room * sizeof *more);
        if (more == NULL) {
            return "memory for the times";
        }
        machine->time = more;
    }
    machine->time[machine->times++] = t;
    return NULL;
}

static const struct {
    const char *word;
    reader read;
} readers[] = {
    {"machine", read_name},      {"about", read_about},       {"cpus", read_cpus},
    {"gpus", read_gpus},         {"gpu_memory", read_memory}, {"link", read_link},
    {"recorded", read_recorded}, {"submit", read_submit},     {"gap", read_gap},
    {"least", read_least},       {"time", read_time},         {"cuda_aware", read_cuda_aware},
    {"speed", read_speed},
};

/* @return as a reader does */
static const char *read_line(psg_machine *machine, char *line) {
    char *word = line + strspn(line, " \t");
    word[strcspn(word, "#\r\n")] = '\0';
    if (word[0] == '\0') {
        return NULL;
    }
    char *rest = word + strcspn(word, " \t");
    if (*rest != '\0') {
        *rest++ = '\0';
    }
    if (machine->name[0] == '\0' && strcmp(word, "machine") != 0) {
        return "machine NAME before all else";
    }
    for (size_t m = 0; m < sizeof readers / sizeof *readers; m++) {
        if (strcmp(word, readers[m].word) == 0) {
            return readers[m].read(machine, rest);
        }
    }
    return "machine, about, cpus, gpus, gpu_memory, speed, link, recorded, cuda_aware, submit, "
           "gap, least or time";
}

/* What is wrong with a line. A character that may not be in the name is shown as no terminal takes
 * it for a command. */
static void tell_line(const psg_machine *machine, const char *path, unsigned number,
                      const char *expected, char *words, size_t size) {
    const char *unsafe = unsafe_in(machine->name);
    const unsigned character = (unsigned char)unsafe[0];
    char shown[8] = "";
    (void)snprintf(shown, sizeof shown, character > ' ' && character <= '~' ? "'%c'" : "0x%02x",
                   character);
    if (character == 0) {
        (void)snprintf(words, size, "%s:%u: expected %s", path, number, expected);
    } else {
        (void)snprintf(words, size, "%s:%u: expected %s; character %zu of NAME is %s", path, number,
                       expected, (size_t)(unsafe - machine->name) + 1, shown);
    }
}

/* The least number of GPUs of a machine with these speeds. */
static unsigned gpus_with_speed(const psg_machine *machine) {
    unsigned count = PSG_MACHINE_SPEEDS;
    while (count > 0 && machine->speed[count - 1] <= 0) {
        count--;
    }
    return count;
}

psg_machine *psg_machine_read(const char *path, char *words, size_t size) {
    char line[512];
    psg_machine *machine = calloc(1, sizeof *machine);
    FILE *file = machine != NULL ? fopen(path, "r") : NULL;
    if (file == NULL) {
        (void)snprintf(words, size, "%s: %s", path, strerror(machine != NULL ? errno : ENOMEM));
        free(machine);
        return NULL;
    }
    const psg_decimal decimal = psg_decimal_begin();
    const char *expected = NULL;
    unsigned number = 0;
    while (expected == NULL && fgets(line, sizeof line, file) != NULL) {
        const bool whole = strchr(line, '\n') != NULL || feof(file) != 0;
        number++;
        expected = whole ? read_line(machine, line) : "a line of text, of at most 510 characters";
    }
    psg_decimal_end(decimal);
    const bool failed = ferror(file) != 0;
    (void)fclose(file);
    if (expected != NULL) {
        tell_line(machine, path, number, expected, words, size);
    } else if (failed || machine->name[0] == '\0') {
        (void)snprintf(words, size, "%s: %s", path,
                       failed ? "cannot be read" : "no machine is described here");
    } else if (machine->cpus + machine->gpus == 0) {
        (void)snprintf(words, size, "%s: the machine has neither cpus nor gpus", path);
    } else if (gpus_with_speed(machine) > machine->gpus) {
        (void)snprintf(words, size, "%s: speed gpu %u: the machine has %u GPUs, numbered from 0",
                       path, gpus_with_speed(machine) - 1, machine->gpus);
    } else {
        if (machine->recorded_peer <= 0) {
            machine->recorded_peer = machine->link[PSG_MACHINE_PEER].bytes_per_second;
        }
        return machine;
    }
    psg_machine_free(machine);
    return NULL;
}

void psg_machine_free(psg_machine *machine) {
    if (machine != NULL) {
        free(machine->time);
        free(machine);
    }
}

/* --------------------------------------------------------------------------------- times */

static double ratio(size_t a, size_t b) {
    return fabs(log((double)a / (double)b));
}

/* Of a kind without operations of its own: the complex numbers of the spectrum that the task works on. */
static double points(const psg_task_shape *s) {
    const psg_kind *kind = psg_kind_at(s->kind);
    return kind->operations != NULL
               ? kind->operations(s)
               : (double)s->row * (double)s->count * (double)(s->axis == 1 ? s->n[2] : s->n[1]);
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
    return gpu < PSG_MACHINE_SPEEDS && machine->speed[gpu] > 0 ? machine->speed[gpu] : 1;
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

/* As the logarithms go: times grow with a power of the size. Beyond the last one what a task takes
 * more than any does grows with the size, and the spread stays. */
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

/* Of pieces in peers' memory: what goes there does so while others are transformed, so what takes
 * longer counts, the link or the task where all is in memory of its own. */
static double with_peers(const psg_machine *machine, bool gpu, const psg_task_shape *shape,
                         double *spread) {
    const double rate = machine->link[PSG_MACHINE_PEER].bytes_per_second;
    const double own = look_up(machine, gpu, shape, 0, spread);
    return own > 0 && rate > 0 ? fmax(own, peer_bytes(shape) / rate) : 0;
}

/* The link peer has another rate than when the task was recorded. The task has two parts. The work is
 * the time of the task with all pieces in memory of its own. The transfers are bytes over rate, or what
 * the work leaves of the recorded time, if that is longer. The longer part hides a share of the shorter
 * one. The recorded time tells which share, and the share stays. So half the rate doubles the
 * transfers, and a rate without limit leaves the work. Without a time of the work, the sum of both
 * parts counts, and a faster link changes nothing: nobody knows how short the task can become. */
static double at_rate_now(const psg_machine *machine, bool gpu, const psg_task_shape *shape,
                          double recorded) {
    const double rate = machine->link[PSG_MACHINE_PEER].bytes_per_second;
    const double slower = rate > 0 ? machine->recorded_peer / rate : 1;
    const double bytes = peer_bytes(shape);
    double spread = 0;
    if (shape->remote == 0 || bytes <= 0 || slower == 1) { /* to the last digit as recorded */
        return recorded;
    }
    const double own = look_up(machine, gpu, shape, 0, &spread);
    const double nominal = fmin(bytes / machine->recorded_peer, recorded);
    if (own <= 0) {
        return recorded + nominal * fmax(slower - 1, 0);
    }
    const double work = fmin(own, recorded);
    const double transfers = fmax(nominal, recorded - work);
    const double apart = (recorded - fmax(work, transfers)) / fmin(work, transfers);
    const double now = transfers * slower;
    return fmax(work, now) + apart * fmin(work, now);
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

double psg_machine_seconds(const psg_machine *machine, bool gpu, const psg_task_shape *shape,
                           double *spread) {
    double found = 0;
    double seconds = look_up(machine, gpu, shape, share(shape), &found);
    if (seconds > 0) {
        seconds = at_rate_now(machine, gpu, shape, seconds);
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
