/* The grammar of the files in which StarPU 1.4 keeps what it measured. StarPU stops the process
 * where such a file is not as it wrote it, so a file is held against the grammar before StarPU
 * reads it. The checks are stricter than StarPU's reading: what StarPU wrote passes. */
#include "runtime/starpu_home.h"

#include "runtime/device.h"
#include "runtime/node.h"
#include "runtime/starpu_inside.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What no file has more of. */
enum { MOST_NODES = 4096, MOST_COMBINATIONS = 4096, MOST_DEVICES = 64, MOST_COEFFICIENTS = 4096 };
/* StarPU reads the line of an entry into so many bytes. */
enum { LINE_BYTES = 256 };

/* ---------------------------------------------------------------------------------- words */

/* What StarPU puts between words. */
static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n';
}

/* Past blanks, ends of lines, and comments. */
static void skip(const char **at) {
    while (is_blank(**at) || **at == '#') {
        *at += **at == '#' ? strcspn(*at, "\n") : 1;
    }
}

static bool word_ends(const char *end) {
    return *end == '\0' || is_blank(*end);
}

static bool take_count(const char **at, unsigned long most, unsigned long *count) {
    char *end = NULL;
    skip(at);
    if (!isdigit((unsigned char)**at)) {
        return false;
    }
    const unsigned long long value = strtoull(*at, &end, 10);
    *at = end;
    *count = (unsigned long)value;
    return word_ends(end) && value <= most;
}

static bool take_number(const char **at, double *number) {
    char *end = NULL;
    skip(at);
    if (!isalnum((unsigned char)**at) && **at != '-' && **at != '.') {
        return false; /* strtod() skips more than blanks */
    }
    *number = strtod(*at, &end);
    const bool taken = end != *at && word_ends(end);
    *at = end;
    return taken;
}

/* Not below 0. @param[in] or_nan  "not a number" is good too */
static bool take_amount(const char **at, bool or_nan) {
    double number = 0;
    return take_number(at, &number) && (number >= 0 || (or_nan && isnan(number)));
}

/* ------------------------------------------------------------------------------------ bus */

/* The number of cores, and of memory nodes of each kind. Where they are not this machine's, StarPU
 * measures again. */
static bool config_is_good(const char *text) {
    unsigned long count = 0;
    /* NOLINTNEXTLINE(misc-redundant-expression): two numbers, one after the other */
    bool good = take_count(&text, MOST_NODES, &count) && take_count(&text, MOST_NODES, &count);
    for (skip(&text); good && *text != '\0'; skip(&text)) {
        good = take_count(&text, MOST_NODES, &count);
    }
    return good;
}

/* StarPU measures again, and writes all files of the bus, where a number is not the one that it
 * finds. What is not known counts as another number: the process then starts alone, which is slow
 * where nothing was to write, and right. */
bool psg_starpu_config_is_current(const char *config) {
    char words[192];
    unsigned expected[3]; /* cores, NUMA nodes, GPUs; no device of another kind */
    const char *input = getenv("STARPU_HWLOC_INPUT");
    const char *measure = getenv("STARPU_BUS_CALIBRATE");
    psg_share_whole(&expected[0], &expected[1]);
    const unsigned gpus = (unsigned)psg_device_count(words, sizeof words);
    expected[1] = expected[1] < STARPU_MAXNUMANODES ? expected[1] : STARPU_MAXNUMANODES;
    expected[2] = gpus < STARPU_MAXCUDADEVS ? gpus : STARPU_MAXCUDADEVS;
    bool current = expected[0] > 0 && (input == NULL || input[0] == '\0') &&
                   (measure == NULL || measure[0] == '\0' || strcmp(measure, "0") == 0);
    size_t n = 0;
    for (skip(&config); current && *config != '\0'; skip(&config), n++) {
        unsigned long count = 0;
        current = take_count(&config, MOST_NODES, &count) && count == (n < 3 ? expected[n] : 0);
    }
    return current && n >= 3;
}

/* A title "# GPU", with a name for each NUMA node; for each device its number, and numbers of NUMA
 * nodes. The devices of each kind begin with 0. */
static bool affinity_is_good(const char *text) {
    static const char title[] = "# GPU\t";
    char name[32];
    unsigned long nodes = 0;
    unsigned long expected = 0;
    if (strncmp(text, title, strlen(title)) != 0) {
        return false;
    }
    text += strlen(title);
    for (; nodes < MOST_NODES; nodes++) {
        const int length = snprintf(name, sizeof name, "NUMA%lu\t", nodes);
        if (strncmp(text, name, (size_t)length) != 0) {
            break;
        }
        text += length;
    }
    if (nodes == 0 || *text != '\n') {
        return false;
    }
    for (skip(&text); *text != '\0'; skip(&text)) {
        unsigned long device = 0;
        unsigned long node = 0;
        if (!take_count(&text, MOST_NODES, &device) || (device != expected && device != 0)) {
            return false;
        }
        expected = device + 1;
        for (unsigned long n = 0; n < nodes; n++) {
            if (!take_count(&text, nodes - 1, &node)) {
                return false;
            }
        }
    }
    return true;
}

/* As many lines as each has numbers, with tabs between. */
static bool matrix_is_good(const char *text) {
    size_t columns = 0;
    size_t rows = 0;
    while (*text != '\0') {
        const char *end = strchr(text, '\n');
        if (end == NULL) {
            return false;
        }
        size_t numbers = 0;
        while (*text != '#' && text < end) {
            if (*text == ' ' || !take_amount(&text, true) || text > end) {
                return false;
            }
            numbers++;
            text += *text == '\t' ? 1 : 0;
        }
        if (*text != '#') {
            columns = rows == 0 ? numbers : columns;
            rows++;
            if (numbers != columns) {
                return false;
            }
        }
        text = end + 1;
    }
    return rows > 0 && rows == columns;
}

/* --------------------------------------------------------------------------------- models */

/* What a task of one footprint took: footprint, bytes, operations, mean, deviation, sum, sum of
 * squares, and how often. */
static bool take_entry(const char **at) {
    unsigned long count = 0;
    char *end = NULL;
    skip(at);
    const char *line = strchr(*at, '\n');
    if (line == NULL || line - *at >= LINE_BYTES - 1 || !isxdigit((unsigned char)**at)) {
        return false;
    }
    const unsigned long footprint = strtoul(*at, &end, 16);
    *at = end;
    return word_ends(end) && footprint <= UINT32_MAX && take_count(at, ULONG_MAX, &count) &&
           take_amount(at, true) && take_amount(at, false) && take_amount(at, false) &&
           take_amount(at, false) && take_amount(at, false) && take_count(at, UINT_MAX, &count) &&
           *at <= line;
}

/* The sums of a regression and its result, another regression, a third one, and the entries. */
static bool take_implementation(const char **at) {
    unsigned long entries = 0;
    unsigned long count = 0;
    double number = 0;
    bool good = take_count(at, UINT_MAX, &entries);
    for (int n = 0; good && n < 6; n++) {
        good = take_number(at, &number);
    }
    good = good && take_count(at, UINT_MAX, &count) && take_count(at, ULONG_MAX, &count) &&
           take_count(at, ULONG_MAX, &count);
    for (int n = 0; good && n < 3; n++) {
        good = take_number(at, &number);
    }
    good = good && take_count(at, MOST_COEFFICIENTS, &count);
    for (unsigned long n = 0; good && n < count; n++) {
        good = take_number(at, &number);
    }
    for (unsigned long n = 0; good && n < entries; n++) {
        good = take_entry(at);
    }
    return good;
}

/* Workers that run a task together: kind, number and cores of each; then each implementation. */
static bool take_combination(const char **at) {
    unsigned long devices = 0;
    unsigned long count = 0;
    unsigned long implementations = 0;
    bool good = take_count(at, MOST_DEVICES, &devices) && devices > 0;
    for (unsigned long d = 0; good && d < devices; d++) {
        good = take_count(at, STARPU_NARCH - 1, &count) && take_count(at, INT_MAX, &count) &&
               take_count(at, INT_MAX, &count);
    }
    good =
        good && take_count(at, STARPU_MAXIMPLEMENTATIONS, &implementations) && implementations > 0;
    for (unsigned long n = 0; good && n < implementations; n++) {
        good = take_implementation(at);
    }
    return good;
}

static bool model_is_good(const char *text) {
    unsigned long version = 0;
    unsigned long combinations = 0;
    bool good = take_count(&text, INT_MAX, &version) && version == PSG_STARPU_MODEL_VERSION &&
                take_count(&text, MOST_COMBINATIONS, &combinations);
    for (unsigned long n = 0; good && n < combinations; n++) {
        good = take_combination(&text);
    }
    skip(&text);
    return good && *text == '\0';
}

bool psg_starpu_file_is_good(psg_starpu_file kind, const char *text) {
    switch (kind) {
    case PSG_STARPU_CONFIG:
        return config_is_good(text);
    case PSG_STARPU_AFFINITY:
        return affinity_is_good(text);
    case PSG_STARPU_MATRIX:
        return matrix_is_good(text);
    case PSG_STARPU_MODEL:
        return model_is_good(text);
    default:
        return text[0] != '\0'; /* StarPU on a machine writes it, and never reads it */
    }
}
