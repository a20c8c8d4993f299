/* Reads machine files, which lab/times.py writes. */
#include "runtime/machine.h"
#include "base/file.h"
#include "runtime/c_locale.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------ the file */

static const char *const link_names[PSG_MACHINE_LINKS] = {
    [PSG_MACHINE_TO_GPU] = "to-gpu",   [PSG_MACHINE_FROM_GPU] = "from-gpu",
    [PSG_MACHINE_BETWEEN] = "between", [PSG_MACHINE_MEMORY] = "memory",
    [PSG_MACHINE_PEER] = "peer",       [PSG_MACHINE_NETWORK] = "network",
};

static int place_in(const char *word, const char *const *words, int count) {
    int m = 0;
    while (m < count && strcmp(word, words[m]) != 0) {
        m++;
    }
    return m;
}

/* SimGrid gets the name in XML, and whoever reads a message gets it on a terminal.
 * @return the first character that may not be in it; "": all may */
static const char *unsafe_in(const char *name) {
    return name + strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.");
}

static bool read_name(void *field, const char *rest) {
    psg_machine *machine = field;
    const char *name = rest + strspn(rest, " \t");
    size_t length = strlen(name);
    while (length > 0 && strchr(" \t", name[length - 1]) != NULL) {
        length--;
    }
    if (length == 0 || length >= sizeof machine->name) {
        return false;
    }
    (void)snprintf(machine->name, sizeof machine->name, "%.*s", (int)length, name);
    return unsafe_in(machine->name)[0] == '\0';
}

static bool read_about(void *field, const char *rest) {
    (void)snprintf(field, sizeof((psg_machine *)NULL)->about, "%s", rest + strspn(rest, " \t"));
    return true;
}

static bool read_kinds(void *field, const char *rest) {
    const size_t used = strlen(field), room = sizeof((psg_machine *)NULL)->kinds - used;
    const int length = snprintf((char *)field + used, room, " %s ", rest);
    return length > 3 && (size_t)length < room;
}

/* Does this program not have the kind, as not all have? */
static bool is_left_out(const psg_machine *machine, const char *kind) {
    char words[32];
    (void)snprintf(words, sizeof words, " %s ", kind);
    return psg_kind_find(kind) < 0 && strstr(machine->kinds, words) != NULL;
}

static bool read_count(void *field, const char *rest) {
    int used = 0;
    unsigned long number = 0; /* sscanf() makes it ULONG_MAX where the text has more */
    const bool read = strchr(rest, '-') == NULL && sscanf(rest, "%lu %n", &number, &used) == 1;
    *(unsigned *)field = (unsigned)number;
    return read && rest[used] == '\0' && number <= 4096;
}

static bool positive(double value) {
    return isfinite(value) && value > 0;
}

static bool read_positive(void *field, const char *rest) {
    double *number = field;
    int used = 0;
    return sscanf(rest, "%lf %n", number, &used) == 1 && rest[used] == '\0' && positive(*number);
}

static bool read_speed(void *field, const char *rest) {
    psg_machine *machine = field;
    unsigned long gpu = 0;
    int used = 0;
    (void)sscanf(rest, "cpu %n", &used);
    if (used > 0) {
        return read_positive(&machine->cpu_speed, rest + used);
    }
    const bool read = strchr(rest, '-') == NULL && sscanf(rest, "gpu %lu %n", &gpu, &used) == 1 &&
                      used > 0 && gpu < PSG_MACHINE_SPEEDS;
    return read && read_positive(&machine->speed[gpu], rest + used);
}

/* One number above 0, or two, of which the first may be 0. */
static bool read_costs(void *field, const char *rest) {
    psg_machine_costs *costs = field;
    int used = 0;
    *costs = (psg_machine_costs){0, 0};
    const bool read = sscanf(rest, "%lf %n", &costs->piece, &used) == 1 && isfinite(costs->piece) &&
                      costs->piece >= 0;
    const bool alone = read && rest[used] == '\0' && costs->piece > 0;
    return alone || (read && read_positive(&costs->task, rest + used));
}

static bool read_link(void *field, const char *rest) {
    psg_machine *machine = field;
    char which[16];
    double bytes = 0;
    double seconds = 0;
    int used = 0;
    const bool read = sscanf(rest, "%15s %lf %lf %n", which, &bytes, &seconds, &used) == 3 &&
                      rest[used] == '\0' && positive(bytes) && isfinite(seconds) && seconds >= 0;
    const int m = read ? place_in(which, link_names, PSG_MACHINE_LINKS) : PSG_MACHINE_LINKS;
    if (m == PSG_MACHINE_LINKS) {
        return false;
    }
    machine->link[m].bytes_per_second = bytes;
    machine->link[m].seconds = seconds;
    return true;
}

static bool read_recorded(void *field, const char *rest) {
    psg_machine *machine = field;
    char which[8];
    int used = 0, more = 0;
    if (sscanf(rest, "%7s %n", which, &used) != 1) {
        return false;
    }
    rest += used;
    if (strcmp(which, "cores") == 0) {
        return read_count(&machine->recorded_cores, rest) && machine->recorded_cores > 0;
    }
    double *peer = machine->recorded_peer;
    return strcmp(which, "peer") == 0 && sscanf(rest, "%lf %n", &peer[0], &more) == 1 &&
           positive(peer[0]) && (rest[more] == '\0' || read_positive(&peer[1], rest + more));
}

static bool read_memory(void *field, const char *rest) {
    double *rate = field;
    int used = 0;
    return sscanf(rest, "%lf %n", &rate[0], &used) == 1 && positive(rate[0]) &&
           read_positive(&rate[1], rest + used) && rate[1] >= rate[0];
}

static bool read_cuda_aware(void *field, const char *rest) {
    static const char *const answers[2] = {"no", "yes"};
    char answer[8];
    int used = 0;
    const bool read = sscanf(rest, "%7s %n", answer, &used) == 1 && rest[used] == '\0';
    const int m = read ? place_in(answer, answers, 2) : 2;
    *(bool *)field = m == 1;
    return m < 2;
}

static const char *const devices[2] = {"cpu", "gpu"};

static bool read_least(void *field, const char *rest) {
    psg_machine *machine = field;
    char device[8];
    double seconds = 0;
    int used = 0;
    const bool read = sscanf(rest, "%7s %lf %n", device, &seconds, &used) == 2 &&
                      rest[used] == '\0' && positive(seconds);
    const int gpu = read ? place_in(device, devices, 2) : 2;
    if (gpu == 2) {
        return false;
    }
    machine->least[gpu] = seconds;
    return true;
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

/* What follows the seconds: nothing, or blanks and the spread, with which a distribution is still
 * one that a double can be drawn from. */
static bool read_spread(double *spread, const char *rest) {
    const size_t blanks = strspn(rest, " \t");
    *spread = 0;
    return rest[blanks] == '\0' || (blanks > 0 && read_positive(spread, rest) && *spread <= 10);
}

/* Lists are full at every power of two. @return the list with room for one more; NULL: no memory */
static void *with_room(void *list, size_t count, size_t bytes) {
    return (count & (count - 1)) == 0 ? realloc(list, (count > 0 ? 2 * count : 1) * bytes) : list;
}

/* @return are these words of a kind, a precision and a device? */
static bool find_task(psg_task_shape *shape, bool *gpu, const char *kind, const char *precision,
                      const char *device) {
    static const char *const precisions[PSG_TASK_PRECISIONS] = {"f64", "f32"};
    const int width = place_in(precision, precisions, PSG_TASK_PRECISIONS);
    const int which = place_in(device, devices, 2);
    shape->kind = psg_kind_find(kind);
    shape->precision = (psg_task_precision)width;
    *gpu = which == 1;
    return shape->kind >= 0 && width < PSG_TASK_PRECISIONS && which < 2;
}

/* The words of `text`, with commas between, are words of the kind. */
static bool read_along(int along[3], int kind, char *text) {
    const char *const *words = psg_kind_at(kind)->along;
    int count = 0;
    while (words != NULL && words[count] != NULL) {
        count++;
    }
    for (int d = 0; d < 3; d++) {
        char *end = text + strcspn(text, ",");
        const bool last = *end == '\0';
        *end = '\0';
        along[d] = place_in(text, words, count);
        if (along[d] == count || last != (d == 2)) {
            return false;
        }
        text = end + 1;
    }
    return true;
}

static bool read_sides(void *field, const char *rest) {
    psg_machine *machine = field;
    char stage[24];
    char precision[8];
    char device[8];
    char along[40];
    int used = 0;
    psg_machine_sides s = {.factor = 0};
    psg_task_shape *shape = &s.shape;
    const int read = sscanf(rest, "%23s %7s %7s %zux%zux%zu %39s %n", stage, precision, device,
                            &shape->n[0], &shape->n[1], &shape->n[2], along, &used);
    shape->count = shape->pieces = 1;
    if (read < 7 || !find_task(shape, &s.gpu, stage, precision, device) || !in_range(shape) ||
        !read_along(shape->along, shape->kind, along) ||
        (shape->along[0] == 0 && shape->along[1] == 0 && shape->along[2] == 0) ||
        !read_positive(&s.factor, rest + used)) {
        return false;
    }
    psg_machine_sides *more = with_room(machine->side, machine->sides, sizeof *more);
    if (more == NULL) {
        return false;
    }
    machine->side = more;
    machine->side[machine->sides++] = s;
    return true;
}

static bool read_time(void *field, const char *rest) {
    psg_machine *machine = field;
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
    if (read == 12 && is_left_out(machine, stage)) {
        return true;
    }
    if (read != 12 || !find_task(shape, &t.gpu, stage, precision, device) || !positive(t.seconds) ||
        !in_range(shape) || !read_spread(&t.spread, rest + used)) {
        return false;
    }
    const int axis = place_in(side, sides, 2);
    const int dense = place_in(layout, layouts, 2);
    if (dense == 2 || axis == 2) {
        return false;
    }
    shape->row = shape->n[0] / 2 + 1; /* all that is recorded is periodic */
    shape->axis = axis;
    shape->dense = dense == 1;
    psg_machine_time *more = with_room(machine->time, machine->times, sizeof *more);
    if (more == NULL) {
        return false;
    }
    machine->time = more;
    machine->time[machine->times++] = t;
    return true;
}

/* What the line with a word says, and where. */
static const struct {
    const char *word;
    const char *expected;
    bool (*read)(void *field, const char *rest); /* false: it is not as expected; or no memory */
    size_t field;                                /* of psg_machine; 0: all of it */
} lines[] = {
    {"machine", "machine NAME, of at most 63 letters, digits, '-', '_' and '.'", read_name, 0},
    {"about", "", read_about, offsetof(psg_machine, about)},
    {"cpus", "cpus N, at most 4096", read_count, offsetof(psg_machine, cpus)},
    {"gpus", "gpus N, at most 4096", read_count, offsetof(psg_machine, gpus)},
    {"gpu_memory", "gpu_memory BYTES", read_positive, offsetof(psg_machine, gpu_memory)},
    {"link",
     "link to-gpu|from-gpu|between|memory|peer|network BYTES_A_SECOND SECONDS, a rate above 0",
     read_link, 0},
    {"recorded", "recorded peer BYTES_A_SECOND [SECONDS], or recorded cores N", read_recorded, 0},
    {"memory", "memory ONE ALL, bytes a second of one core, and at least as many of all",
     read_memory, offsetof(psg_machine, memory)},
    {"kinds", "kinds NAME ...", read_kinds, offsetof(psg_machine, kinds)},
    {"submit", "submit PIECE [TASK]", read_costs, offsetof(psg_machine, submit)},
    {"gap", "gap PIECE [TASK]", read_costs, offsetof(psg_machine, gap)},
    {"least", "least cpu|gpu SECONDS", read_least, 0},
    {"time",
     "time STAGE f64|f32 cpu|gpu NXxNYxNZ segment|sheet COUNT views|dense PIECES REMOTE SECONDS "
     "[SPREAD]",
     read_time, 0},
    {"cuda_aware", "cuda_aware yes|no", read_cuda_aware, offsetof(psg_machine, cuda_aware)},
    {"speed", "speed gpu N FACTOR, N from 0 to 63, or speed cpu FACTOR", read_speed, 0},
    {"sides", "sides STAGE f64|f32 cpu|gpu NXxNYxNZ X,Y,Z FACTOR", read_sides, 0},
};

/* @return NULL: it was understood, else what was expected */
static const char *read_line(psg_machine *machine, char *text) {
    char *word = text + strspn(text, " \t");
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
    for (size_t m = 0; m < sizeof lines / sizeof *lines; m++) {
        if (strcmp(word, lines[m].word) == 0) {
            errno = 0;
            return lines[m].read((char *)machine + lines[m].field, rest) ? NULL
                   : errno == ENOMEM                                     ? "memory for the line"
                                                                         : lines[m].expected;
        }
    }
    return "machine, about, cpus, gpus, gpu_memory, memory, speed, link, recorded, cuda_aware, "
           "kinds, submit, gap, least, time or sides";
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
    char text[512];
    psg_machine *machine = calloc(1, sizeof *machine);
    const char *why = strerror(ENOMEM);
    FILE *file = machine != NULL ? base_fopen_regular(path, &why) : NULL;
    if (file == NULL) {
        (void)snprintf(words, size, "%s: %s", path, why);
        free(machine);
        return NULL;
    }
    const psg_c_locale locale = psg_c_locale_begin();
    const char *expected = NULL;
    unsigned number = 0;
    while (expected == NULL && fgets(text, sizeof text, file) != NULL) {
        const bool whole = strchr(text, '\n') != NULL || feof(file) != 0;
        number++;
        expected = whole ? read_line(machine, text) : "a line of text, of at most 510 characters";
    }
    psg_c_locale_end(locale);
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
        double *peer = machine->recorded_peer;
        peer[0] = peer[0] > 0 ? peer[0] : machine->link[PSG_MACHINE_PEER].bytes_per_second;
        peer[1] = peer[1] > 0 ? peer[1] : machine->link[PSG_MACHINE_PEER].seconds;
        if (machine->recorded_cores == 0) {
            machine->recorded_cores = machine->cpus;
        }
        return machine;
    }
    psg_machine_free(machine);
    return NULL;
}

void psg_machine_free(psg_machine *machine) {
    if (machine != NULL) {
        free(machine->time);
        free(machine->side);
        free(machine);
    }
}
