#include "runtime/machine.h"
#include "base/file.h"

#include "runtime/decimal.h"

#include <errno.h>
#include <math.h>
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
    unsigned long number = 0; /* sscanf() makes it ULONG_MAX where the text has more */
    const bool read = strchr(rest, '-') == NULL && sscanf(rest, "%lu %n", &number, &used) == 1;
    *count = (unsigned)number;
    return read && rest[used] == '\0' && number <= 4096 ? NULL : expected;
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
    unsigned long gpu = 0;
    int used = 0;
    const char *expected = "speed gpu N FACTOR, N from 0 to 63";
    const bool read = strchr(rest, '-') == NULL && sscanf(rest, "gpu %lu %n", &gpu, &used) == 1 &&
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

/* What follows the seconds: nothing, or blanks and the spread, with which a distribution is still
 * one that a double can be drawn from. */
static bool read_spread(double *spread, const char *rest) {
    const size_t blanks = strspn(rest, " \t");
    *spread = 0;
    return rest[blanks] == '\0' ||
           (blanks > 0 && read_positive(spread, rest, "") == NULL && *spread <= 10);
}

/* Lists are full at every power of two. @return the list with room for one more; NULL: no memory */
static void *with_room(void *list, size_t count, size_t bytes) {
    return (count & (count - 1)) == 0 ? realloc(list, (count > 0 ? 2 * count : 1) * bytes) : list;
}

static const char *const precisions[PSG_TASK_PRECISIONS] = {"f64", "f32"};

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

static const char *read_sides(psg_machine *machine, const char *rest) {
    char stage[24];
    char precision[8];
    char device[8];
    char along[40];
    int used = 0;
    psg_machine_sides s = {.factor = 0};
    psg_task_shape *shape = &s.shape;
    const int read = sscanf(rest, "%23s %7s %7s %zux%zux%zu %39s %n", stage, precision, device,
                            &shape->n[0], &shape->n[1], &shape->n[2], along, &used);
    const char *expected = "sides STAGE f64|f32 cpu|gpu NXxNYxNZ X,Y,Z FACTOR";
    const int kind = read == 7 ? psg_kind_find(stage) : -1;
    const int width = kind >= 0 ? place_in(precision, precisions, PSG_TASK_PRECISIONS) : 0;
    const int gpu = kind >= 0 ? place_in(device, devices, 2) : 2;
    shape->count = shape->pieces = 1;
    if (kind < 0 || width == PSG_TASK_PRECISIONS || gpu == 2 || !in_range(shape) ||
        !read_along(shape->along, kind, along) ||
        (shape->along[0] == 0 && shape->along[1] == 0 && shape->along[2] == 0) ||
        read_positive(&s.factor, rest + used, expected) != NULL) {
        return expected;
    }
    shape->kind = kind;
    shape->precision = (psg_task_precision)width;
    s.gpu = gpu == 1;
    psg_machine_sides *more = with_room(machine->side, machine->sides, sizeof *more);
    if (more == NULL) {
        return "memory for the sides";
    }
    machine->side = more;
    machine->side[machine->sides++] = s;
    return NULL;
}

static const char *read_time(psg_machine *machine, const char *rest) {
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
    psg_machine_time *more = with_room(machine->time, machine->times, sizeof *more);
    if (more == NULL) {
        return "memory for the times";
    }
    machine->time = more;
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
    {"speed", read_speed},       {"sides", read_sides},
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
           "gap, least, time or sides";
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
    const char *why = strerror(ENOMEM);
    FILE *file = machine != NULL ? base_fopen_regular(path, &why) : NULL;
    if (file == NULL) {
        (void)snprintf(words, size, "%s: %s", path, why);
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
        free(machine->side);
        free(machine);
    }
}
